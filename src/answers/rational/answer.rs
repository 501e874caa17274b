//! The rank over ℚ, from the question to the answer.

use super::search::Search;
use super::{RationalOptions, RationalRank};
use crate::answers::Route;
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, Silent};

/// The rank over ℚ.
///
/// ```
/// use blackfield::{Silent, answers::{RationalOptions, rational_rank}, field::Modulus, sparse::Triplets};
/// let a = Triplets::from_entries(3, 3, [(0, 0, 1), (1, 1, 2), (2, 2, 6)]);
/// let options = RationalOptions::default().moduli([Modulus::new(2)?, Modulus::new(3)?]);
/// let answer = rational_rank(&a, &options, &Silent)?;
/// assert_eq!((answer.rank, answer.asked[0].rank, answer.asked[1].rank), (3, 1, 2));
/// assert_eq!(answer.multiples_of(&answer.asked[0]), 2); // 2 and 6
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] for options out of range, for a method that cannot give the proof demanded, and for an error bound
/// out of reach; the errors of [`rank()`](crate::answers::rank()).
pub fn rational_rank(a: &Triplets, options: &RationalOptions, observer: &dyn Observer) -> Result<RationalRank> {
    if options.error.is_vacuous() {
        return Err(Error::Usage("an error bound of 1 is out of range: 0 < error < 1 is needed".into()));
    }
    if options.rank.route == Route::CoDegree {
        return Err(Error::Usage("the route codegree may exceed the rank: nothing follows for the rank over Q".into()));
    }
    options.rank.check()?;
    // The rank, and the minors that are not 0, are those of the non-empty lines.
    let compact = a.compact()?;
    run(Search::new(&compact.matrix, &a.digest(), options, observer)?)
}

impl Triplets {
    /// The rank over ℚ, by [`answers::rational_rank`](rational_rank) as it is asked by default and without an observer.
    ///
    /// # Errors
    /// [`Error::Memory`] if memory runs out, and [`Error::Check`] if a computation contradicts itself.
    pub fn rational_rank(&self) -> Result<RationalRank> {
        rational_rank(self, &RationalOptions::default(), &Silent)
    }
}

pub(super) fn run(mut search: Search) -> Result<RationalRank> {
    let ground = match search.options.rank.proven {
        true => search.prove()?,
        false => search.go_on()?,
    };
    search.answer(ground)
}
