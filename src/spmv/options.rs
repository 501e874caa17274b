//! Options of a plan.

use super::{Lane, Params};
use crate::isa::Isa;
use crate::setters::setters;
use crate::sparse::formats::Format;

/// Whether +1 and -1 entries get parts of their own, without values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Segregation {
    /// Where that is predicted to be sooner.
    #[default]
    Auto,
    /// Wherever there is such an entry.
    Always,
    /// Nowhere.
    Never,
}

/// How transposed products are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum TransposeMode {
    /// By a second layout, of the transpose: fast, twice the memory.
    #[default]
    Stored,
    /// By scattering from the layout of the matrix: several times slower, and no second copy of 4 bytes an entry ±1, of
    /// 6 an entry with 16-bit values. Nothing chooses it: it is for matrices whose two layouts do not fit.
    Scatter,
}

/// The kinds of sums: see the module `arithmetic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum ArithmeticKind {
    /// 32-bit sums.
    Narrow,
    /// 64-bit sums.
    Wide,
    /// Two 64-bit sums of half products.
    Split,
    /// Canonical 64-bit sums.
    Long,
    /// Floating-point sums.
    Float,
}

impl std::fmt::Display for ArithmeticKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ArithmeticKind::Narrow => "narrow",
            ArithmeticKind::Wide => "wide",
            ArithmeticKind::Split => "split",
            ArithmeticKind::Long => "long",
            ArithmeticKind::Float => "floating-point",
        })
    }
}

/// Wishes for [`super::Plan::choose`]; the default leaves everything to the planner.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct PlanOptions {
    /// Put every entry that it can hold into this format first.
    pub force: Option<Format>,
    /// Formats not to use (CSR holds what nothing else may).
    pub forbid: Vec<Format>,
    /// Parts for ±1.
    pub segregation: Segregation,
    /// Vectors of the blocks that most products are with; `None`: 32.
    pub width: Option<usize>,
    /// The storage of residues; `None`: the narrowest.
    pub lane: Option<Lane>,
    /// The kind of sums; `None`: the fastest that is exact.
    pub arithmetic: Option<ArithmeticKind>,
    /// The instruction set; `None`: the best of this machine.
    pub isa: Option<Isa>,
    /// How transposed products are made.
    pub transpose: TransposeMode,
    /// The thresholds of the choice.
    pub params: Params,
}

setters!(PlanOptions {
    force: impl Into<Option<Format>>,
    forbid: impl Into<Vec<Format>>,
    segregation: Segregation,
    width: impl Into<Option<usize>>,
    lane: impl Into<Option<Lane>>,
    arithmetic: impl Into<Option<ArithmeticKind>>,
    isa: impl Into<Option<Isa>>,
    transpose: TransposeMode,
    params: Params,
});
