//! Where the products of a sequence are made.

use crate::blackbox::Operator;
use crate::field::Modulus;
use crate::sequence::GpuGram;
use crate::spmv::GpuCopies;

/// An operator, and where it is applied.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    /// In this process, on the processor.
    Processor(&'a dyn Operator),
    /// On a GPU or several, from the first term to the last.
    Gpu(&'a GpuCopies),
}

impl std::fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if matches!(self, Place::Gpu(_)) { "on a GPU" } else { "on the processor" };
        write!(f, "{} x {} over GF({}), {place}", self.rows(), self.cols(), self.modulus())
    }
}

impl Place<'_> {
    pub(super) fn modulus(&self) -> Modulus {
        match self {
            Place::Processor(operator) => operator.modulus(),
            Place::Gpu(matrix) => matrix.shape().modulus,
        }
    }
    pub(super) fn rows(&self) -> usize {
        match self {
            Place::Processor(operator) => operator.rows(),
            Place::Gpu(matrix) => matrix.rows(),
        }
    }
    pub(super) fn cols(&self) -> usize {
        match self {
            Place::Processor(operator) => operator.cols(),
            Place::Gpu(matrix) => matrix.cols(),
        }
    }
    /// Whether sequences made here may be projected by themselves.
    pub(super) fn may_project_itself(&self) -> bool {
        match self {
            Place::Processor(_) => true,
            Place::Gpu(matrix) => GpuGram::is_for(matrix),
        }
    }
}
