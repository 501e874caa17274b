//! Sparse products Y ← αAX + βY and their transposes, for one vector or a block (source paper, section 2).
//!
//! A [`Plan`] is data: which entries go into which format, in which residues and sums, and why ([`Plan::choose`],
//! section 2.4.5; for many products by trial, [`Plan::by_trial`]). [`Product`] executes it: rows are taken in tiles of
//! equal work, each row adds up all its parts in registers, and one reduction at its end brings the sum back mod p,
//! with a scaling for free. Tiles run in parallel on the caller's rayon pool; the arithmetic is exact, so the result is
//! the same bits for every number of threads.

mod aligned;
mod arithmetic;
mod block;
mod choose;
mod cost;
mod cuda;
mod digit_scaling;
mod engines;
mod finish;
mod kernel;
mod layout;
mod options;
mod params;
mod plan;
mod product;
mod rough;
mod scatter;
mod segregate;
mod strips;
mod trial;
mod triangular;
mod word;

pub(crate) use block::Lanes;
pub use block::{Block, Lane};
pub use cost::{gather_seconds, pass_seconds, row_seconds};
pub(crate) use cuda::GpuPlaces;
pub use cuda::{GpuBlock, GpuCopies, GpuDiagonal, GpuFormat, GpuFormatted, GpuMatrix, GpuShape};
pub(crate) use cuda::{GpuMap, Residues as GpuResidues, Solve as GpuSolve, THREADS as GPU_THREADS, grid_of};
pub use digit_scaling::DigitScaling;
pub use options::{ArithmeticKind, PlanOptions, Segregation, TransposeMode};
pub use params::Params;
pub use plan::{Plan, PlannedPart};
pub use product::Product;
pub use triangular::{
    BitSolve, BitSpace, Bits, LANES, PACKED, PushSolve, PushSpace, Remainder, SolveLines, TriangularSolve,
};

#[cfg(test)]
mod tests;
