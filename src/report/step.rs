//! How an answer was found: the steps on its way, kept for whoever wants to know.

/// One step on the way to an answer.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Step {
    /// What was done.
    pub name: &'static str,
    /// What it found.
    pub found: String,
    /// Why it was done, with the predictions that spoke for it; empty where there was nothing to choose.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "String::is_empty"))]
    pub why: String,
    /// What it adds to the rank; `None` where the answer is no rank.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub rank: Option<usize>,
    /// Predicted seconds of one thread, where a prediction was made.
    pub predicted: Option<f64>,
    /// Wall seconds.
    pub seconds: f64,
}
