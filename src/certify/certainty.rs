//! The three degrees of certainty.

/// How sure a rank is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Certainty {
    /// Exact arithmetic and a deterministic argument.
    Proven,
    /// Right except with at most this probability over the random choices, by a theorem that the answer's reason names.
    MonteCarlo {
        /// An upper bound of the probability of a wrong answer, below 1.
        error_bound: f64,
    },
    /// Expected to be right; no theorem gives a useful bound. Over GF(q) a run is expected to fall short about once in q; of rank r
    /// by about r²/(2sq), s being the block size, where most rows or columns have a single entry: eigenvectors are then unit vectors,
    /// and of two with the same eigenvalue in one class of the projection one is lost.
    Heuristic,
}

impl Certainty {
    /// The word used in JSON: `proven`, `monte-carlo` or `heuristic`.
    pub fn name(self) -> &'static str {
        match self {
            Certainty::Proven => "proven",
            Certainty::MonteCarlo { .. } => "monte-carlo",
            Certainty::Heuristic => "heuristic",
        }
    }
    /// The proven bound of the error probability, where there is one.
    pub fn error_bound(self) -> Option<f64> {
        match self {
            Certainty::Proven => Some(0.0),
            Certainty::MonteCarlo { error_bound } => Some(error_bound),
            Certainty::Heuristic => None,
        }
    }
}
