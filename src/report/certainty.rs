//! The three degrees of certainty.

use super::ErrorBound;

/// How sure a rank is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub enum Certainty {
    /// Exact arithmetic and a deterministic argument: no random choice matters.
    Proven,
    /// Right except with at most this probability over the random choices, by a theorem that the answer's reason names.
    MonteCarlo {
        /// An upper bound of the probability of a wrong answer, below 1. Hypothesis: the choices were unpredictable for
        /// the author of the matrix (see [`Streams`](crate::certify::Streams)).
        error_bound: ErrorBound,
    },
    /// Expected to be right; no theorem gives a useful bound. The generator's degree (the default route) never exceeds
    /// the rank; the co-degree may. Over GF(q) about one run in q is expected to fall short for each connected
    /// component of the matrix: that is how often a small component has a zero or nilpotent block after
    /// preconditioning. A matrix of many small components (lines with one entry, permutations, small diagonal blocks)
    /// also repeats eigenvalues: by chance about q·λᵐe^-λ/m! of them, λ = r/q, occur m times; a block of s columns sees
    /// s of these and loses m - s where m is larger.
    Heuristic,
}

impl Certainty {
    /// The word used in JSON: `proven`, `monte-carlo` or `heuristic`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Certainty::Proven => "proven",
            Certainty::MonteCarlo { .. } => "monte-carlo",
            Certainty::Heuristic => "heuristic",
        }
    }
    /// The proven bound of the error probability of a Monte Carlo answer.
    #[must_use]
    pub fn error_bound(self) -> Option<ErrorBound> {
        match self {
            Certainty::MonteCarlo { error_bound } => Some(error_bound),
            Certainty::Proven | Certainty::Heuristic => None,
        }
    }
    /// Monte Carlo with this bound, or a heuristic if that is vacuous.
    pub fn with_bound(error_bound: ErrorBound) -> Self {
        if error_bound.is_vacuous() { Certainty::Heuristic } else { Certainty::MonteCarlo { error_bound } }
    }
    /// The certainty that two answers are both right.
    pub fn and(self, other: Certainty) -> Self {
        match (self, other) {
            (Certainty::Proven, other) | (other, Certainty::Proven) => other,
            (Certainty::MonteCarlo { error_bound: a }, Certainty::MonteCarlo { error_bound: b }) => {
                Certainty::with_bound(a.either(b))
            }
            (Certainty::Heuristic, _) | (_, Certainty::Heuristic) => Certainty::Heuristic,
        }
    }
}

/// As `{certainty, error_bound, error_log2}`, to be flattened into the answer: the word; the bound, 0 for a proof and
/// null if there is none; its logarithm to base 2, null for a proof as well.
#[cfg(feature = "serde")]
impl serde::Serialize for Certainty {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let error_bound = match self {
            Certainty::Proven => Some(0.0),
            Certainty::MonteCarlo { error_bound } => Some(error_bound.value()),
            Certainty::Heuristic => None,
        };
        let mut fields = serializer.serialize_struct("Certainty", 3)?;
        fields.serialize_field("certainty", self.name())?;
        fields.serialize_field("error_bound", &error_bound)?;
        fields.serialize_field("error_log2", &self.error_bound().map(ErrorBound::log2))?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_together_are_as_sure_as_their_bounds_allow() {
        let of = |probability| Certainty::with_bound(ErrorBound::new(probability).unwrap());
        let (proven, heuristic, small) = (Certainty::Proven, Certainty::Heuristic, of(1e-9));
        for (a, b, together) in [
            (proven, proven, proven),
            (proven, small, small),
            (small, heuristic, heuristic),
            (heuristic, proven, heuristic),
            (of(0.6), of(0.6), heuristic),
            (of(1.0), proven, heuristic),
        ] {
            assert_eq!((a.and(b), b.and(a)), (together, together));
        }
        let Some(both) = small.and(small).error_bound() else { panic!("two bounds make one") };
        assert!((2e-9..2.0001e-9).contains(&both.value()));
        assert_eq!((proven.error_bound(), heuristic.error_bound()), (None, None));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn three_fields_say_how_sure_an_answer_is() {
        let tiny = ErrorBound::of_bits(2000);
        for (certainty, json) in [
            (Certainty::Proven, r#"{"certainty":"proven","error_bound":0.0,"error_log2":null}"#.to_string()),
            (
                Certainty::with_bound(tiny),
                // Never 0, and the logarithm has no such limit.
                format!(r#"{{"certainty":"monte-carlo","error_bound":{:?},"error_log2":-2000.0}}"#, f64::MIN_POSITIVE),
            ),
            (Certainty::Heuristic, r#"{"certainty":"heuristic","error_bound":null,"error_log2":null}"#.to_string()),
        ] {
            assert_eq!(serde_json::to_string(&certainty).unwrap(), json);
        }
    }
}
