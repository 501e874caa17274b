//! Options of a kernel.

use super::rank::{Method, RankOptions};
use crate::setters::setters;
use crate::{Error, Result};

/// All options of [`super::kernel()`]; the default suits most purposes.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct KernelOptions {
    /// Whether vectors x with xᵀ·A = 0 are wanted instead of A·x = 0.
    pub left: bool,
    /// How many random vectors will be wanted, `None` for a basis: whether block Wiedemann makes them depends on it.
    pub vectors: Option<usize>,
    /// How the matrix is decomposed: of these, the method, the block size, the seed, the memory, the prices and the
    /// patience count.
    pub rank: RankOptions,
}

setters!(KernelOptions { left: bool, vectors: impl Into<Option<usize>>, rank: RankOptions });

/// # Errors
/// [`Error::Usage`] for options out of range, and for block Wiedemann where it is not expected.
pub(in crate::answers) fn check(options: &RankOptions) -> Result<()> {
    if options.vectors.is_none() && matches!(options.method, Method::Wiedemann | Method::Hybrid) {
        let message = "block Wiedemann leaves no pivots to substitute in: choose the method auto or elimination";
        return Err(Error::Usage(message.into()));
    }
    options.check()
}
