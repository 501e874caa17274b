//! Matrices in binary arrays: NumPy's `.npy` and `.npz`, SciPy's sparse `.npz`, MATLAB's `.mat`.
//!
//! Values are integers of any width, booleans, and floating-point numbers that are integers, which they are exactly:
//! 2⁸⁰ as a double is the integer 2⁸⁰. Others are refused with the byte where they stand. A vector (one dimension) is a
//! column, as the right side of a system is; a scalar is a 1 × 1 matrix. What a file announces is compared with what it
//! has, and memory grows with what has been read, never with what is announced.

mod element;
#[cfg(feature = "hdf5")]
mod hdf5;
#[cfg(feature = "hdf5")]
mod hdf5_array;
mod input;
#[cfg(feature = "gzip")]
mod mat;
#[cfg(feature = "gzip")]
mod mat_numbers;
#[cfg(feature = "archives")]
mod named;
mod npy;
mod npy_header;
#[cfg(feature = "archives")]
mod npz;
#[cfg(feature = "archives")]
mod scipy;
#[cfg(feature = "gzip")]
mod variables;
pub(super) mod write;

use super::content::Arrays;
use super::options::ReadOptions;
use super::source::Source;
use crate::Result;
use crate::sparse::Triplets;

/// Reads the matrix in a binary file.
pub(super) fn read(format: Arrays, source: Source<'_>, options: &ReadOptions) -> Result<Triplets> {
    match format {
        Arrays::Npy => npy::read(source, options),
        #[cfg(feature = "archives")]
        Arrays::Npz => npz::read(source, options),
        #[cfg(feature = "gzip")]
        Arrays::Mat => mat::read(source, options),
        #[cfg(feature = "hdf5")]
        Arrays::Hdf5 => hdf5::read(source, options),
        #[allow(unreachable_patterns, reason = "a library with all features reads all")]
        _ => Err(source.error("a format that this blackfield was built without: it needs the feature `archives`")),
    }
}
