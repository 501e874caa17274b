//! What most programs need, in one line: `use blackfield::prelude::*;`.
//!
//! ```
//! use blackfield::prelude::*;
//!
//! let a = families::generate("mk9-b3")?;
//! let answer = rank(&a.reduce(Modulus::new(3)?), &RankOptions::default().proven(true), &Silent)?;
//! assert_eq!((answer.rank, a.rational_rank()?.rank), (867, 875));
//! # Ok::<(), blackfield::Error>(())
//! ```

pub use crate::answers::{
    HomologyOptions, KernelOptions, Method, Rank, RankOptions, RationalOptions, SmithOptions, SolveOptions,
    determinant, homology, kernel, minimal_polynomial, rank, rank_plan, rational_rank, rref, smith, solve,
};
pub use crate::blackbox::Operator;
pub use crate::families;
pub use crate::field::{Modulus, Rng, rng_from_seed};
pub use crate::permanent::permanent;
pub use crate::report::{Certainty, Observer, Silent};
pub use crate::sparse::{SparseMatrix, Triplets};
