//! Options of elimination, and how the caller continues.

use crate::cost::{self, Machine};

/// What a dense finish of the core will cost: what sparse pivots have to beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finish {
    /// Every row of the core goes into the echelon form.
    Rows,
    /// As many random combinations of the rows as the rank may be.
    Combinations,
}

/// How to eliminate.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EliminationOptions {
    /// Most bytes that the elimination may take in addition to its input.
    pub max_memory: Option<u64>,
    /// The maximum number of remaining entries for which the sparse part continues. A caller who expects a core of low
    /// rank (tall ones often are) sets it to a few times the entries of A, tests the rank of the core, and goes on from
    /// there if it is large: costs are compared for full rank.
    pub max_nnz: usize,
    /// How the core will be finished; [`rank`](super::rank) takes all rows whatever is said here.
    pub finish: Finish,
    /// The share of non-zero entries from which on the rest is eliminated densely. At 1/8 a sparse entry, 15 bytes with
    /// its place in a list and reserves, takes what eight dense entries of 2 bytes take; it is also about where costs
    /// meet.
    pub dense_threshold: f64,
    /// Smallest number of rows or columns left that is still worth sparse elimination.
    pub dense_size: usize,
    /// The prices of dense elimination.
    pub dense: cost::Dense,
    /// The prices of sparse steps.
    pub sparse: cost::Elimination,
}

impl Default for EliminationOptions {
    fn default() -> Self {
        EliminationOptions {
            max_memory: None,
            max_nnz: usize::MAX,
            finish: Finish::Rows,
            dense_threshold: 0.125,
            dense_size: 64,
            dense: cost::Dense::default(),
            sparse: cost::Elimination::default(),
        }
    }
}

impl EliminationOptions {
    /// The defaults, at the prices of a machine.
    pub fn at(machine: &Machine) -> Self {
        EliminationOptions { dense: machine.dense, sparse: machine.elimination, ..Default::default() }
    }
}
