//! How an answer was found: the steps that led to it.

/// One step towards an answer.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Step {
    /// What was done.
    pub name: &'static str,
    /// What it found.
    pub found: String,
    /// Why it was done, with the predictions in its favour; empty where there was no choice.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "String::is_empty"))]
    pub why: String,
    /// What it adds to the rank; `None` where the answer is not a rank.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub rank: Option<usize>,
    /// Predicted seconds of one thread, if a prediction was made.
    pub predicted: Option<f64>,
    /// Wall seconds.
    pub seconds: f64,
}
