//! Sparse matrices: [`Triplets`] over the integers as read from a file, [`RationalMatrix`] with denominators,
//! [`SparseMatrix`] mod p as used by everything built on it, their [`Pattern`] of non-zero positions, and the storage
//! [`formats`] with their [`hybrid`] lists for fast products.

mod arrays;
mod bucket_sort;
mod canonical;
mod compact;
mod components;
mod denominators;
mod digest;
mod duplicates;
pub mod formats;
mod fraction;
mod gather;
pub mod hybrid;
mod integer;
#[cfg(any(test, feature = "sprs"))]
mod interchange;
mod matrix;
mod numbers;
mod pattern;
mod rational;
mod row_lists;
#[cfg(feature = "png")]
mod spy;
mod statistics;
mod structure;
mod transposed;
mod triplets;

pub(crate) use canonical::{Coordinates, key};
pub use compact::{Compact, LineMap, LineMaps};
pub use components::Components;
pub(crate) use denominators::FractionEntry;
pub(crate) use duplicates::{BigEntry, Duplicates};
pub use fraction::Fraction;
pub use integer::Integer;
#[cfg(any(test, feature = "sprs"))]
pub use interchange::Entry;
pub use matrix::SparseMatrix;
pub(crate) use numbers::{Numbers, spread};
pub use pattern::Pattern;
pub use rational::RationalMatrix;
pub(crate) use row_lists::{row_lists, write_sorted};
#[cfg(feature = "png")]
pub use spy::{Grey, spy, spy_pixels};
pub use statistics::{Bin, Frequency, Statistics, Values, Weights};
pub use structure::Structure;
pub use triplets::Triplets;
