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
    /// Expected to be right; no theorem gives a useful bound. By the generator's degree (the default route) the value is never above
    /// the rank, by the co-degree it may be. Over GF(q) a run is expected to fall short about once in q for each connected part of
    /// the matrix: small parts have zero or nilpotent blocks after preconditioning that often. A matrix of many small parts (lines
    /// with one entry, permutations, small diagonal blocks) also repeats eigenvalues, m of one by chance with frequency q·λᵐe^-λ/m!,
    /// λ = r/q: blocks of s columns see s of them, and lose m - s where m is larger.
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
