//! What is compiled for every instruction set.

/// A computation that gains from wider vectors. `run` should be `#[inline(always)]`, and so all that it calls in its
/// loops.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// The computation.
    fn run(self) -> Self::Output;
}
