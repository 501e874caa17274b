//! Options of a system.

use super::rank::RankOptions;
use crate::setters::setters;

/// All options of [`super::solve()`]; the default suits most purposes.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SolveOptions {
    /// Whether solutions are uniformly random ones, independent of each other, instead of those with zeros in the free
    /// columns.
    pub random: bool,
    /// How the system is decomposed: of these, the method, the block size, the seed, the memory, the prices and the
    /// patience count. Where block Wiedemann solves what pivots leave, solutions are random there in any case.
    pub rank: RankOptions,
}

setters!(SolveOptions { random: bool, rank: RankOptions });
