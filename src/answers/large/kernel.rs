//! The null space mod a large prime.

use super::question::{question, rank};
use super::{KernelOptions, Rank};
use crate::certify::{Certainty, Domain};
use crate::field::Rng;
use crate::large::{LargeModulus, LargeVectors, NullSpace};
use crate::sparse::Triplets;
use crate::{Observer, Result};

/// The null space of a matrix mod a large prime, ready to be written down.
#[derive(Debug)]
#[must_use]
pub struct LargeKernel {
    rank: Rank,
    space: Box<dyn NullSpace>,
    coordinates: usize,
    rng: Rng,
}

/// The null space of `a` mod p, for a prime p of any size. Any method of the options will do.
///
/// ```
/// use blackfield::{Silent, answers::{KernelOptions, large_kernel}, large::LargeModulus, sparse::Triplets};
/// let p: LargeModulus = "2^127-1".parse()?;
/// let a = Triplets::from_entries(1, 2, [(0, 0, 1), (0, 1, 2)]);
/// let kernel = large_kernel(&a, &p, &KernelOptions::default(), &Silent)?;
/// let mut basis = vec![];
/// kernel.basis(|vectors| Ok(basis.push(vectors.clone())), &Silent)?;
/// let (at, values) = basis[0].vector(0); // (-2, 1)
/// assert_eq!((kernel.dimension(), at, &values[0] + 2u32), (1, &[0, 1][..], p.get().clone()));
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// As [`large_rank`](super::large_rank).
pub fn large_kernel(
    a: &Triplets,
    p: &LargeModulus,
    options: &KernelOptions,
    observer: &dyn Observer,
) -> Result<LargeKernel> {
    let mut question = question(a, p, &options.rank)?;
    question.transposed = options.left;
    let found = question.answer(observer)?;
    let (rank, rng) = (rank(&found), question.streams.stream(Domain::Solutions, 0));
    let space = found.space.expect("it was wanted");
    let coordinates = if options.left { a.rows() } else { a.cols() };
    Ok(LargeKernel { rank, space, coordinates, rng })
}

impl LargeKernel {
    /// The dimension of the null space.
    pub fn dimension(&self) -> usize {
        self.space.free().len()
    }
    /// The number of coordinates of a vector.
    pub fn coordinates(&self) -> usize {
        self.coordinates
    }
    /// The rank, how it was found and how sure it is.
    pub fn rank(&self) -> &Rank {
        &self.rank
    }
    /// The coordinates in which the vectors of the basis are the identity, ascending: vector k is 1 in number k of
    /// these.
    pub fn free(&self) -> &[u32] {
        self.space.free()
    }

    /// Makes the vectors of a basis, some at a time; each is multiplied by the matrix before it is taken. What is
    /// returned is how sure it is that they are a basis.
    ///
    /// # Errors
    /// Those of `take`; [`Error::Check`](crate::Error::Check) if the matrix does not map a vector to 0,
    /// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
    pub fn basis(&self, take: impl FnMut(&LargeVectors) -> Result<()>, observer: &dyn Observer) -> Result<Certainty> {
        self.basis_after(0, take, observer)
    }
    /// The same without the first `done` vectors, which another process has taken of the kernel with the same
    /// [`LargeKernel::free`].
    ///
    /// # Errors
    /// As [`LargeKernel::basis`].
    pub fn basis_after(
        &self,
        done: usize,
        mut take: impl FnMut(&LargeVectors) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<Certainty> {
        let (dimension, block) = (self.dimension(), self.space.block());
        observer.phase("null vectors", dimension as u64);
        observer.restored(done as u64);
        for first in (done..dimension).step_by(block) {
            let range = first..dimension.min(first + block);
            take(&self.space.basis(range, (0, &mut self.rng.clone()), observer)?)?;
            observer.progress(first as u64);
        }
        Ok(self.rank.certainty)
    }
    /// Makes `count` vectors as [`LargeKernel::basis`] does, but independent of each other and uniformly random.
    ///
    /// # Errors
    /// As [`LargeKernel::basis`].
    pub fn random(
        &self,
        count: usize,
        take: impl FnMut(&LargeVectors) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<()> {
        self.random_after(0, count, take, observer)
    }
    /// The same without the first `done` of them, as [`LargeKernel::basis_after`]: all of some blocks.
    ///
    /// # Errors
    /// As [`LargeKernel::basis`].
    pub fn random_after(
        &self,
        done: usize,
        count: usize,
        mut take: impl FnMut(&LargeVectors) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<()> {
        let (mut rng, block) = (self.rng.clone(), self.space.block());
        observer.phase("null vectors", count as u64);
        observer.restored(done as u64);
        self.space.skip(done, &mut rng);
        for first in (done..count).step_by(block) {
            take(&self.space.random(first, block.min(count - first), &mut rng, observer)?)?;
            observer.progress(first as u64);
        }
        Ok(())
    }
}
