//! The rank mod a large prime.

use super::question::{question, rank};
use super::{Rank, RankOptions};
use crate::large::LargeModulus;
use crate::sparse::Triplets;
use crate::{Observer, Result};

/// The rank of `a` mod p, for a prime p of any size.
///
/// Of the options count the method (elimination: dense elimination of what structured elimination leaves; hybrid,
/// Wiedemann: Lanczos' method on that), the seed, the memory, `proven` and `error`: where the theorem does not suffice
/// for these, the null space is found as well.
///
/// ```
/// use blackfield::{Silent, answers::{RankOptions, large_rank}, large::LargeModulus, sparse::Triplets};
/// let p: LargeModulus = "2^127-1".parse()?;
/// let a = Triplets::from_entries(2, 2, [(0, 0, 1), (0, 1, 2), (1, 0, 3), (1, 1, 6)]);
/// assert_eq!(large_rank(&a, &p, &RankOptions::default(), &Silent)?.rank, 1);
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`](crate::Error::Usage) for options out of range, and for what there is not modulo large primes;
/// [`Error::Memory`](crate::Error::Memory) if no way fits or memory ends,
/// [`Error::Interrupted`](crate::Error::Interrupted) when the observer says so, and
/// [`Error::Check`](crate::Error::Check) if a computation contradicts itself.
pub fn large_rank(a: &Triplets, p: &LargeModulus, options: &RankOptions, observer: &dyn Observer) -> Result<Rank> {
    let mut question = question(a, p, options)?;
    question.vectors = options.proven;
    let found = question.answer(observer)?;
    let asked = options.error.is_none_or(|asked| found.error.is_none_or(|error| error <= asked));
    if asked {
        return Ok(rank(&found));
    }
    question.vectors = true;
    Ok(rank(&question.answer(observer)?))
}
