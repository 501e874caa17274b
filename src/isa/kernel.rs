//! Code compiled for every instruction set.

/// A computation that benefits from wider vectors. `run` should be `#[inline(always)]`, as should everything that it
/// calls in its loops.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// The computation.
    fn run(self) -> Self::Output;
}
