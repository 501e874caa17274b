//! What the caller wants of block Wiedemann.

use crate::report::ErrorBound;

/// Which generator the rank is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Route {
    /// Of YᵀBⁱ⁺¹X: the rank is deg det F.
    #[default]
    Shortcut,
    /// Of YᵀBⁱX, as in the source paper, section 3: the rank is deg det F - codeg det F. Always a heuristic: nothing
    /// keeps the value of a generator that is not yet right from exceeding the rank.
    CoDegree,
    /// Both from one sequence, compared; the shortcut's is the answer, with a warning where they differ.
    Both,
}

/// Everything that may be asked of block Wiedemann.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The block size s; `None`: by the cost model.
    pub block: Option<usize>,
    /// Independent runs; the largest value is the answer. At least 1.
    pub trials: usize,
    /// A proven bound of the error probability that the answer must meet.
    pub error: Option<ErrorBound>,
    /// Whether to stop the sequence once the generator has stood still.
    pub early_termination: bool,
    /// Which generator the rank is read from.
    pub route: Route,
    /// Bytes that a block size left to the cost model may take, if one takes no more.
    pub memory: Option<u64>,
}

impl Options {
    /// The same for the rank of an operator with so many lines on its smaller side: more columns of a block than that
    /// add nothing to what they span.
    #[must_use]
    pub(crate) fn within(self, side: usize) -> Self {
        Options { block: self.block.map(|block| block.min(side.max(1))), ..self }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options { block: None, trials: 1, error: None, early_termination: true, route: Route::Shortcut, memory: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_no_wider_than_the_matrix() {
        for (side, wanted, block) in [(0, 64, 1), (1, 64, 1), (5, 64, 5), (5, 3, 3), (100, 64, 64)] {
            let options = Options { block: Some(wanted), ..Options::default() };
            assert_eq!(options.within(side).block, Some(block));
            assert_eq!(Options::default().within(side).block, None);
        }
    }
}
