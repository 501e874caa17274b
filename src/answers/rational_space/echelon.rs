//! The reduced row echelon form of a matrix over ℚ.

use super::space::Space;
use super::{RationalSpaceOptions, RationalVector, RationalVectors};
use crate::certify::Certainty;
use crate::field::Modulus;
use crate::report::Phases;
use crate::sparse::{Fraction, Integer, RationalMatrix, Triplets};
use crate::{Error, Observer, Result, Step, memory};

/// What the memory is for.
const COLUMNS: &str = "the columns of an echelon form";
/// The row of a column without a pivot.
const NO_ROW: u32 = u32::MAX;

/// A reduced row echelon form over ℚ, ready to be written down.
#[derive(Debug)]
#[must_use]
pub struct RationalRowEchelon<'a> {
    space: Space<'a>,
    pivots: Vec<u32>,
    /// By column: the row of its pivot.
    row: Vec<u32>,
}

/// The entries of some columns without a pivot.
#[derive(Clone, Copy, Debug)]
pub struct RationalColumns<'a> {
    vectors: &'a RationalVectors,
    row: &'a [u32],
}

impl RationalColumns<'_> {
    /// The entries (row, column, value), column by column, rows ascending.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u32, Fraction<'static>)> {
        (0..self.vectors.len()).flat_map(move |k| {
            let vector = self.vectors.vector(k);
            let own = own(vector, self.row).expect("its own column");
            let others = vector.coordinates().iter().zip(vector.values()).filter(move |(j, _)| **j != own);
            others.map(move |(&j, v)| (self.row[j as usize], own, negative(v)))
        })
    }
}

/// The column without a pivot of a null vector.
fn own(vector: &RationalVector, row: &[u32]) -> Option<u32> {
    vector.coordinates().iter().copied().find(|&j| row[j as usize] == NO_ROW)
}

fn negative(v: Fraction<'_>) -> Fraction<'static> {
    let (n, d) = v.into_parts();
    let n = match n {
        Integer::Small(n) => (-i128::from(n)).into(),
        n => (-n.to_bigint()).into(),
    };
    Fraction::new(n, d.into_owned()).expect("denominators are positive")
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
    let mut row = memory::zeros(space.base().coordinates(), COLUMNS)?;
    space.base().free()?.iter().for_each(|&j| row[j as usize] = NO_ROW);
    let mut pivots = memory::with_capacity(space.base().rank().rank, COLUMNS)?;
    for (j, row) in row.iter_mut().enumerate().filter(|(_, row)| **row != NO_ROW) {
        *row = pivots.len() as u32;
        pivots.push(j as u32);
    }
    Ok(RationalRowEchelon { space, pivots, row })
}

impl RationalRowEchelon<'_> {
    /// The rank of the matrix.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }
    /// The column of each row's leading 1, ascending: the column rank profile.
    pub fn pivots(&self) -> &[u32] {
        &self.pivots
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.row.len()
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
        let RationalRowEchelon { space, row, .. } = self;
        let checked = |vectors: &RationalVectors| {
            for k in 0..vectors.len() {
                let vector = vectors.vector(k);
                let last = vector.coordinates().last();
                if own(vector, row).is_none_or(|own| last.is_some_and(|&last| last > own)) {
                    let message = "a column depends on columns behind it: another seed draws other primes";
                    return Err(Error::Check(message.into()));
                }
            }
            make(RationalColumns { vectors, row })
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
            memory::collect(self.pivots.iter().enumerate().map(|(i, &j)| (i, j as usize, one())), COLUMNS)?;
        let take = |some: Vec<(u32, u32, Fraction<'static>)>| {
            memory::reserve(&mut entries, some.len(), COLUMNS)?;
            entries.extend(some.into_iter().map(|(i, j, v)| (i as usize, j as usize, v)));
            Ok(())
        };
        let _ = self.free_columns(|some| memory::collect(some.entries(), COLUMNS), take, observer)?;
        RationalMatrix::from_entries(self.rank(), self.cols(), entries)
    }
}
