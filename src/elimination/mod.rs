//! Exact sparse elimination for any p < 2⁶³: what is left of a matrix after its cheap pivots, and from it the rank.
//!
//! - [`eliminate`]: right-looking elimination. Pivots of small Markowitz cost (`markowitz.rs`) are taken one by one
//!   (`right_looking.rs`), each from what its predecessors left (`active.rs`); rows and columns with a single entry
//!   come first and cost nothing. It stops (`stop.rs`) when another sparse pivot costs more than it saves a dense
//!   elimination of the rest, and hands back pivots and core. Rows that have become multiples of others are dropped on
//!   the way (`repeated.rs`).
//! - [`rank`]: the same with the dense finish, [`crate::dense::Echelon`].
//! - [`shared_parts`]: before pivots, rows that are sums of two parts which others have, too, replaced by the parts.
//! - [`rounds`]: structural pivots, Schur complement, pivots of that, …, while it stays sparse.
//!
//! Which? On boundary matrices structural pivots are nearly all of the rank, and rounds are several times as fast.
//! Where S fills in at once (random matrices, EX5, EX3), a good structural search leaves a smaller but dense S, best
//! met implicitly; the core of right-looking elimination is larger but sparse, one entry in eight. In between
//! (mat1916), right-looking pivots adapt to the fill-in and leave a much smaller core than one round does. They are
//! sequential. Every step is exact arithmetic mod p.
//!
//! [`determinant`] goes on to the end sparsely and keeps the pivots; [`Replay`] repeats them mod many primes.

mod active;
mod determinant;
mod eliminated;
mod markowitz;
mod options;
mod partners;
mod repeated;
mod replay;
mod residue;
mod right_looking;
mod rounds;
mod shared_parts;
mod stop;

pub use crate::decomposition::is_odd;
pub(crate) use determinant::determinant_within;
pub use determinant::{Determinant, determinant};
pub use eliminated::{Eliminated, EliminationReport};
pub use options::{EliminationOptions, Finish};
pub use replay::{LANES, Replay};
pub use right_looking::{eliminate, rank};
pub use rounds::{Enough, Finder, Limit, Round, Rounds, RoundsOptions, Stop, rounds};
pub use shared_parts::{may_share_parts, shared_parts};

#[cfg(test)]
mod tests;
