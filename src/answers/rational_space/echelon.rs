//! The reduced row echelon form of a matrix over ℚ.

use super::space::Space;
use super::{Profile, RationalSpaceOptions, RationalVectors};
use crate::certify::Certainty;
use crate::field::Modulus;
use crate::report::Phases;
use crate::sparse::{Fraction, Integer, RationalMatrix, Triplets};
use crate::{Error, Observer, Result, Step, memory};

/// What the memory is for.
const COLUMNS: &str = "the columns of an echelon form";

/// A reduced row echelon form over ℚ, ready to be written down.
#[derive(Debug)]
#[must_use]
pub struct RationalRowEchelon<'a> {
    space: Space<'a>,
    profile: Profile,
}

/// The entries of some columns without a pivot.
#[derive(Clone, Copy, Debug)]
pub struct RationalColumns<'a> {
    vectors: &'a RationalVectors,
    profile: &'a Profile,
}

impl RationalColumns<'_> {
    /// The entries (row, column, value), column by column, rows ascending.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u32, Fraction<'static>)> {
        let profile = self.profile;
        (0..self.vectors.len()).flat_map(move |k| {
            let vector = self.vectors.vector(k);
            let own = profile.free_among(vector.coordinates()).expect("its own column");
            let entries = vector.coordinates().iter().zip(vector.values());
            entries.filter_map(move |(&j, v)| Some((profile.row(j)?, own, negative(v))))
        })
    }
}

fn negative(v: Fraction<'_>) -> Fraction<'static> {
    let (n, d) = v.into_parts();
    let n = match n {
        Integer::Small(n) => (-i128::from(n)).into(),
        n => (-n.to_bigint()).into(),
    };
    Fraction::in_lowest_terms(n, d.into_owned())
}

/// The reduced row echelon form over ℚ of `a`, its columns in their order. A row is worth the same with any factor: of
/// a [`RationalMatrix`], the [numerators](RationalMatrix::numerators) will do.
///
/// ```
/// use blackfield::{Silent, answers::{RationalSpaceOptions, rational_rref}, sparse::Triplets};
/// let a = Triplets::from_entries(2, 3, [(0, 0, 2), (0, 1, 3), (1, 0, 4), (1, 1, 6), (1, 2, 7)]);
/// let mut form = rational_rref(&a, &RationalSpaceOptions::default(), &Silent)?;
/// assert_eq!(form.pivots(), [0, 2]);
/// let entries: Vec<_> = form.matrix(&Silent)?.entries().map(|(i, j, v)| format!("{i} {j} {v}")).collect();
/// assert_eq!(entries, ["0 0 1", "0 1 3/2", "1 2 1"]);
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// As [`rational_kernel`](super::rational_kernel).
pub fn rational_rref<'a>(
    a: &'a Triplets,
    options: &RationalSpaceOptions,
    observer: &dyn Observer,
) -> Result<RationalRowEchelon<'a>> {
    let space = Space::new(a, true, options, observer)?;
    let profile = Profile::of(space.base())?;
    Ok(RationalRowEchelon { space, profile })
}

impl RationalRowEchelon<'_> {
    /// The rank of the matrix.
    pub fn rank(&self) -> usize {
        self.profile.pivots().len()
    }
    /// The column of each row's leading 1, ascending: the column rank profile.
    pub fn pivots(&self) -> &[u32] {
        self.profile.pivots()
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.profile.cols()
    }
    /// How sure rank and pivots are as long as the form was not made; [`RationalRowEchelon::free_columns`] proves them.
    pub fn certainty(&self) -> Certainty {
        self.space.certainty
    }
    /// The steps mod the first prime.
    pub fn path(&self) -> &[Step] {
        &self.space.base().rank().path
    }
    /// Why these, and what the certainty rests on.
    pub fn reason(&self) -> String {
        self.space.reason()
    }
    /// The primes, as many as a column needed.
    pub fn primes(&self) -> Vec<Modulus> {
        self.space.primes()
    }
    /// Seconds of the phases so far.
    pub fn phases(&self) -> &Phases {
        &self.space.phases
    }
    /// Makes the entries in the columns without a pivot, some columns after the others: `make` is called in parallel,
    /// `take` with what it returns in the order of the columns. What is returned is how sure it is that this is the
    /// form: a proof.
    ///
    /// # Errors
    /// Those of `make` and `take`; [`Error::Check`] if a column is refuted, which happens with the probability of
    /// [`RationalRowEchelon::certainty`] at most; [`Error::Interrupted`], [`Error::Memory`].
    pub fn free_columns<T: Send>(
        &mut self,
        make: impl Fn(RationalColumns<'_>) -> Result<T> + Sync,
        take: impl FnMut(T) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<Certainty> {
        let RationalRowEchelon { space, profile } = self;
        let checked = |vectors: &RationalVectors| {
            for k in 0..vectors.len() {
                let cols = vectors.vector(k).coordinates();
                if profile.free_among(cols).is_none_or(|own| cols.last().is_some_and(|&last| last > own)) {
                    let message = "a column depends on columns behind it: another seed draws other primes";
                    return Err(Error::Check(message.into()));
                }
            }
            make(RationalColumns { vectors, profile })
        };
        space.blocks(checked, take, observer)?;
        Ok(Certainty::Proven)
    }
    /// The whole form, rank × columns.
    ///
    /// # Errors
    /// As [`RationalRowEchelon::free_columns`].
    pub fn matrix(&mut self, observer: &dyn Observer) -> Result<RationalMatrix> {
        let one = || Fraction::from(Integer::Small(1));
        let mut entries =
            memory::collect(self.pivots().iter().enumerate().map(|(i, &j)| (i, j as usize, one())), COLUMNS)?;
        let take = |some: Vec<(u32, u32, Fraction<'static>)>| {
            memory::reserve(&mut entries, some.len(), COLUMNS)?;
            entries.extend(some.into_iter().map(|(i, j, v)| (i as usize, j as usize, v)));
            Ok(())
        };
        let _ = self.free_columns(|some| memory::collect(some.entries(), COLUMNS), take, observer)?;
        RationalMatrix::from_entries(self.rank(), self.cols(), entries)
    }
}
