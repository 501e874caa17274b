//! The null space of a matrix over ℚ.

use super::space::Space;
use super::{RationalSpaceOptions, RationalVector, RationalVectors};
use crate::certify::Certainty;
use crate::field::Modulus;
use crate::report::Phases;
use crate::sparse::{Fraction, RationalMatrix, Triplets};
use crate::{Observer, Result, Step, memory};

/// What the memory is for.
const BASIS: &str = "a basis over the rationals";

/// The null space over ℚ of a matrix, ready to be written down.
#[derive(Debug)]
#[must_use]
pub struct RationalKernel<'a> {
    space: Space<'a>,
}

/// The null space over ℚ of `a`: all x with A·x = 0. That of the transpose is the left one. A row is worth the same
/// with any factor: of a [`RationalMatrix`], the [numerators](RationalMatrix::numerators) will do.
///
/// ```
/// use blackfield::{Silent, answers::{RationalSpaceOptions, rational_kernel}, sparse::Triplets};
/// let a = Triplets::from_entries(1, 3, [(0, 0, 2), (0, 1, 3), (0, 2, 5)]);
/// let mut kernel = rational_kernel(&a, &RationalSpaceOptions::default(), &Silent)?;
/// assert_eq!((kernel.dimension(), kernel.rank()), (2, 1));
/// let basis = kernel.basis_matrix(&Silent)?; // one vector a row
/// let entries: Vec<_> = basis.entries().map(|(i, j, v)| format!("{i} {j} {v}")).collect();
/// assert_eq!(entries, ["0 0 -3/2", "0 1 1", "1 0 -5/2", "1 2 1"]);
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`](crate::Error::Usage) for options out of range, [`Error::Memory`](crate::Error::Memory) if no way
/// fits or memory ends, [`Error::Interrupted`](crate::Error::Interrupted) when the observer says so, and
/// [`Error::Check`](crate::Error::Check) if a computation contradicts itself.
pub fn rational_kernel<'a>(
    a: &'a Triplets,
    options: &RationalSpaceOptions,
    observer: &dyn Observer,
) -> Result<RationalKernel<'a>> {
    Ok(RationalKernel { space: Space::new(a, false, options, observer)? })
}

impl RationalKernel<'_> {
    /// The dimension of the null space.
    pub fn dimension(&self) -> usize {
        self.space.base().dimension()
    }
    /// The rank of the matrix.
    pub fn rank(&self) -> usize {
        self.space.base().rank().rank
    }
    /// How sure rank and dimension are as long as no basis was made; [`RationalKernel::basis`] proves them.
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
    /// The primes, as many as a vector needed.
    pub fn primes(&self) -> Vec<Modulus> {
        self.space.primes()
    }
    /// Seconds of the phases so far.
    pub fn phases(&self) -> &Phases {
        &self.space.phases
    }
    /// The number of coordinates of a vector.
    pub fn coordinates(&self) -> usize {
        self.space.base().coordinates()
    }
    /// The coordinates in which the vectors of the basis are the identity, ascending: vector k is 1 in number k of
    /// these.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn free(&self) -> Result<Vec<u32>> {
        self.space.base().free()
    }
    /// Makes the vectors of a basis, some after the others: `make` is called in parallel, `take` with what it returns
    /// in the order of the vectors. Both may fail, which ends the work. What is returned is how sure it is that they
    /// are a basis: a proof.
    ///
    /// # Errors
    /// Those of `make` and `take`; [`Error::Check`](crate::Error::Check) if the matrix does not map a vector to 0,
    /// which happens with the probability of [`RationalKernel::certainty`] at most;
    /// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
    pub fn basis<T: Send>(
        &mut self,
        make: impl Fn(&RationalVectors) -> Result<T> + Sync,
        take: impl FnMut(T) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<Certainty> {
        self.space.blocks(make, take, observer)?;
        Ok(Certainty::Proven)
    }
    /// The whole basis, one vector a row: dimension × coordinates.
    ///
    /// # Errors
    /// As [`RationalKernel::basis`].
    pub fn basis_matrix(&mut self, observer: &dyn Observer) -> Result<RationalMatrix> {
        let (dimension, coordinates) = (self.dimension(), self.coordinates());
        let mut entries: Vec<(usize, usize, Fraction<'static>)> = vec![];
        let make = |some: &RationalVectors| {
            let of = |k: usize| {
                let vector: &RationalVector = some.vector(k);
                let values = vector.values().map(Fraction::into_owned);
                vector.coordinates().iter().zip(values).map(move |(&j, v)| (some.first() + k, j as usize, v))
            };
            memory::collect((0..some.len()).flat_map(of), BASIS)
        };
        let take = |some: Vec<_>| {
            memory::reserve(&mut entries, some.len(), BASIS)?;
            entries.extend(some);
            Ok(())
        };
        let _ = self.basis(make, take, observer)?;
        RationalMatrix::from_entries(dimension, coordinates, entries)
    }
}
