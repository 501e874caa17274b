//! The kernel of a matrix, from its decomposition to blocks of vectors.

use super::floors::{Floors, Free, Room, Wanted, empty};
use super::packed::{PackedFloors, PackedRoom};
use super::rank::{self, Rank, RankOptions, Sequence, Space};
use super::replay::{Recipe, Trimmed};
use super::{BLOCK, KernelOptions, NullVectors, check};
use crate::certify::{Certainty, Domain, Streams};
use crate::field::Modulus;
use crate::parallel::Each;
use crate::pivots::{Pivots, Rule};
use crate::report::Bytes;
use crate::sparse::SparseMatrix;
use crate::spmv::PACKED;
use crate::{Error, Observer, Result, memory};
use rayon::prelude::*;
use std::sync::Mutex;

/// What the memory is for.
const LINES: &str = "the lines of a null space";
/// Blocks that are made at a time for each thread.
const AHEAD: usize = 2;

/// The null space of a matrix, ready to be written down.
#[derive(Debug)]
#[must_use]
pub struct Kernel {
    rank: Rank,
    /// Ascending; those of the last floor only where it has a row space.
    pub(super) free: Vec<Free>,
    /// The columns of A that are not empty: those of the floors.
    pub(super) names: Vec<u32>,
    /// `None` where there are none, or they are packed.
    pub(super) floors: Option<Floors>,
    packed: Option<PackedFloors>,
    /// Where null vectors of the last floor come from, if it has no row space.
    pub(super) sequence: Option<Sequence>,
    modulus: Modulus,
    coordinates: usize,
    pub(super) streams: Streams<'static>,
    /// Bytes that are allowed.
    pub(super) most: Option<u64>,
}

/// The kernel of `a`: decomposes it, so that vectors of its null space can be made.
///
/// ```
/// use blackfield::{Silent, answers::{KernelOptions, kernel}, families, field::Modulus};
/// let a = families::generate("ch4-4-b2")?.reduce(Modulus::new(65521)?);
/// let kernel = kernel(&a, &KernelOptions::default(), &Silent)?;
/// assert_eq!(kernel.dimension() + kernel.rank().rank, a.cols());
/// let basis = kernel.basis_matrix(&Silent)?; // one vector a row: a·basisᵀ = 0
/// assert_eq!((basis.rows(), basis.cols()), (kernel.dimension(), a.cols()));
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] for options out of range, [`Error::Memory`] if no way fits or memory ends, [`Error::Interrupted`]
/// when the observer says so, and [`Error::Check`] if a computation contradicts itself.
pub fn kernel(a: &SparseMatrix, options: &KernelOptions, observer: &dyn Observer) -> Result<Kernel> {
    kernel_owned(a.try_clone()?, options, observer)
}

/// [`kernel()`] of a matrix that nobody else needs: the same answer, in less memory.
///
/// # Errors
/// As [`kernel()`].
pub fn kernel_owned(mut a: SparseMatrix, options: &KernelOptions, observer: &dyn Observer) -> Result<Kernel> {
    if options.left {
        a = a.transpose()?;
    }
    let vectors = Some(options.vectors.unwrap_or(usize::MAX));
    decompose(a, Rule::Aside(0), &RankOptions { vectors, ..options.rank.clone() }, observer)
}

/// The kernel of `a`, by pivots that the rule allows. With columns set aside, the rank of all others is found first:
/// those that depend on it are free.
pub(in crate::answers) fn decompose(
    a: SparseMatrix,
    rule: Rule,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<Kernel> {
    Ok(decomposed(a, rule, options, false, observer)?.0)
}

/// [`decompose`], and how it is repeated mod other primes; `None` for a matrix without entries.
pub(in crate::answers) fn decompose_for_replay(
    a: SparseMatrix,
    rule: Rule,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<(Kernel, Option<Recipe>)> {
    decomposed(a, rule, options, true, observer)
}

fn decomposed(
    mut a: SparseMatrix,
    rule: Rule,
    options: &RankOptions,
    replay: bool,
    observer: &dyn Observer,
) -> Result<(Kernel, Option<Recipe>)> {
    check(options)?;
    let options = &RankOptions { minor: false, ..options.clone() };
    let streams = Streams::hashed(&a, options.seed);
    let (modulus, coordinates, names) = (a.modulus(), a.cols(), a.non_empty_cols()?);
    let rows = match replay {
        true => memory::collect((0..a.rows() as u32).filter(|&i| !a.row(i as usize).0.is_empty()), LINES)?,
        false => vec![],
    };
    a.drop_empty_lines()?;
    let mut recipe = None;
    let rule = match rule {
        Rule::Aside(count) => {
            let first = coordinates - count;
            Rule::Aside(names.len() - names.partition_point(|&j| (j as usize) < first))
        }
        Rule::Leading => Rule::Leading,
    };
    let mut free = memory::with_capacity(coordinates - names.len(), LINES)?;
    let mut used = names.iter().peekable();
    free.extend((0..coordinates as u32).filter(|j| used.next_if_eq(&j).is_none()).map(Free::empty));
    let mut sequence = None;
    let mut packed = None;
    let (rank, floors) = if a.nnz() == 0 {
        (rank::rank_owned(a, options, observer)?, None)
    } else {
        let (mut rank, of, space) = rank::row_space(a, rule, options, &streams, observer)?;
        let (steps, left, pivots) = of.into_steps()?.expect("the steps are kept");
        let mut phases = std::mem::take(&mut rank.phases);
        observer.phase("substitution", 0);
        let floors = phases.time("substitution", || {
            let (space, pivots) = match space {
                Space::Sequence(found) => {
                    sequence = Some(found);
                    (None, pivots)
                }
                Space::Rows { echelon, pivots: true } => (Some(echelon.reduced()?), pivots),
                Space::Rows { echelon, pivots: false } => (Some(echelon.reduced()?), Pivots::default()),
            };
            if let (true, Some(space)) = (replay, &space) {
                recipe = Some(Recipe::new(rows, &steps, (&left, &pivots), space.pivot_cols())?);
            }
            let (left, names) = ((left, pivots), memory::copy(&names, LINES)?);
            if let (2, false, true) = (modulus.get(), replay, space.is_some()) {
                let space = space.expect("there is one");
                packed = Some(PackedFloors::packed(steps, left, space, names, &mut free)?);
                return Ok(None);
            }
            Floors::new(steps, left, space, names, true, &mut free).map(Some)
        })?;
        rank.phases = phases;
        (rank, floors)
    };
    free.sort_unstable();
    let dimension = free.len() + sequence.as_ref().map_or(0, |sequence| sequence.nullity() + sequence.aside());
    if dimension + rank.rank != coordinates {
        let rank = rank.rank;
        return Err(Error::Check(format!("{dimension} free columns and rank {rank} of {coordinates} columns")));
    }
    let most = options.max_memory;
    Ok((Kernel { rank, free, names, floors, packed, sequence, modulus, coordinates, streams, most }, recipe))
}

impl Kernel {
    /// The dimension of the null space, as sure as the rank is.
    pub fn dimension(&self) -> usize {
        self.free.len() + self.sequence.as_ref().map_or(0, |sequence| sequence.nullity())
    }
    /// Whether block Wiedemann makes null vectors of what pivots leave.
    pub fn is_by_sequence(&self) -> bool {
        self.sequence.is_some()
    }
    /// The rank of the columns before the `count` that were set aside.
    pub(in crate::answers) fn rank_before(&self, count: usize) -> usize {
        let first = self.coordinates - count;
        let free = self.free.len() - self.free.partition_point(|free| (free.col as usize) < first);
        match self.sequence {
            Some(_) => self.rank.rank,
            None => self.rank.rank - (count - free),
        }
    }
    /// The modulus p.
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }
    /// The number of coordinates of a vector.
    pub fn coordinates(&self) -> usize {
        self.coordinates
    }
    /// The rank, how it was found and how sure it is. Once [`Kernel::basis`] has made all vectors of a basis, it is
    /// proven.
    pub fn rank(&self) -> &Rank {
        &self.rank
    }
    /// The coordinates in which the vectors of the basis are the identity, ascending: vector k is 1 in number k of
    /// these. Vectors of block Wiedemann, the last ones, have no such coordinates.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn free(&self) -> Result<Vec<u32>> {
        memory::collect(self.free.iter().map(|free| free.col), LINES)
    }

    /// Makes the vectors of a basis, block by block of 32, over GF(2) of 256: `make` is called in parallel, `take` with
    /// what it returns in the order of the vectors. Both may fail, which ends the work. What is returned is how sure it
    /// is that they are a basis: a proof. Those of block Wiedemann are written once they are found independent of those
    /// before.
    ///
    /// # Errors
    /// Those of `make` and `take`; [`Error::Check`] if A does not map a vector to 0, or there are fewer independent
    /// ones than the rank leaves, which happens with the probability of
    /// [`Rank::certainty`](super::super::Rank::certainty) at most; [`Error::Interrupted`], [`Error::Memory`].
    pub fn basis<T: Send>(
        &self,
        make: impl Fn(&NullVectors) -> Result<T> + Sync,
        take: impl FnMut(T) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<Certainty> {
        self.basis_after(0, make, take, observer)
    }
    /// The same without the first `done` vectors, which another process has taken of a kernel with the same
    /// [`Kernel::choice`]: all of some of its blocks.
    ///
    /// # Errors
    /// As [`Kernel::basis`]; [`Error::Usage`] where no block ends with number `done`.
    pub fn basis_after<T: Send>(
        &self,
        done: usize,
        make: impl Fn(&NullVectors) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<Certainty> {
        self.blocks(&self.free, None, (done, self.free.len()), &make, &mut take, observer)?;
        if let Some(sequence) = &self.sequence {
            self.basis_by_sequence(sequence, done, make, take, observer)?;
        }
        Ok(Certainty::Proven)
    }
    /// Makes `count` vectors as [`Kernel::basis`] does, but independent of each other and uniformly random in the null
    /// space.
    ///
    /// # Errors
    /// As [`Kernel::basis`].
    pub fn random<T: Send>(
        &self,
        count: usize,
        make: impl Fn(&NullVectors) -> Result<T> + Sync,
        take: impl FnMut(T) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<()> {
        self.random_after(0, count, make, take, observer)
    }
    /// The same without the first `done` of them, as [`Kernel::basis_after`].
    ///
    /// # Errors
    /// As [`Kernel::basis_after`].
    pub fn random_after<T: Send>(
        &self,
        done: usize,
        count: usize,
        make: impl Fn(&NullVectors) -> Result<T> + Sync,
        take: impl FnMut(T) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<()> {
        if let Some(sequence) = &self.sequence {
            return self.random_by_sequence(sequence, (done, count), make, take, observer);
        }
        self.blocks(&[], Some(&self.free), (done, count), make, take, observer)
    }
    /// What the vectors depend on beyond the matrix, the seed and their number, as bytes for a name of them: the free
    /// columns, which other plans choose otherwise, and how block Wiedemann runs.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn choice(&self) -> Result<Vec<u8>> {
        let (mut bytes, sequence) = (vec![], self.sequence.as_ref().map_or(&[][..], Sequence::name));
        (&self.free()?, sequence).write(&mut bytes)?;
        Ok(bytes)
    }
    /// The columns of A that are not empty mod p.
    pub(in crate::answers) fn names(&self) -> &[u32] {
        &self.names
    }
    /// The floors of the `trimmed` rows `a` of A in the columns [`names`](Kernel::names), mod another prime; `None` if
    /// that does not have the structure of this one.
    pub(in crate::answers) fn replay(
        &self,
        trimmed: &Trimmed,
        a: SparseMatrix,
        observer: &dyn Observer,
    ) -> Result<Option<Floors>> {
        trimmed.replay(a, &self.names, &self.free, observer)
    }
    /// These vectors of the basis, [`BLOCK`] at most: of this prime, or by the `floors` of another one. Those that are
    /// returned are numbered from 0.
    pub(in crate::answers) fn some(
        &self,
        floors: Option<&Floors>,
        those: impl ExactSizeIterator<Item = usize>,
        room: &mut Room,
    ) -> Result<NullVectors> {
        let units = memory::collect(those.map(|k| self.free[k]), LINES)?;
        let wanted = Wanted { count: units.len(), units: &units, random: None, given: None };
        match floors.or(self.floors.as_ref()) {
            Some(floors) => floors.vectors(wanted, 0, &self.names, room),
            None => empty(self.modulus, wanted, 0, room),
        }
    }
    /// For each of the last columns, from number `first` on, that is free: the vector that is 1 there and 0 in all
    /// others of these; in the other free columns 0 or, if `random`, uniformly random. Those of block Wiedemann are
    /// random in what pivots leave in any case.
    pub(in crate::answers) fn of_last(
        &self,
        first: usize,
        random: bool,
        mut take: impl FnMut(NullVectors) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<()> {
        let (before, last) = self.free.split_at(self.free.partition_point(|free| (free.col as usize) < first));
        let random = random.then_some(before);
        if let Some(sequence) = &self.sequence {
            return self.of_last_by_sequence(sequence, last, random, take, observer);
        }
        self.blocks(last, random, (0, last.len()), |vectors| Ok(vectors.clone()), &mut take, observer)
    }
    /// `count` vectors but the first `done`, the identity in the columns `units` and random in others.
    fn blocks<T: Send>(
        &self,
        units: &[Free],
        random: Option<&[Free]>,
        (done, count): (usize, usize),
        make: impl Fn(&NullVectors) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<()> {
        let size = if self.packed.is_some() { PACKED } else { BLOCK };
        if done < count && !done.is_multiple_of(size) {
            return Err(Error::Usage(format!("no block of null vectors ends with number {done}")));
        }
        observer.phase("null vectors", count as u64);
        observer.restored(done.min(count) as u64);
        let (blocks, rooms) = (count.div_ceil(size), Mutex::new(Vec::<(Room, PackedRoom)>::new()));
        let at_once = AHEAD * rayon::current_num_threads();
        for first in (done.div_ceil(size)..blocks).step_by(at_once) {
            observer.check()?;
            let last = blocks.min(first + at_once);
            let made: Vec<T> = (first..last).into_par_iter().try_make(|k| {
                let range = k * size..count.min((k + 1) * size);
                let wanted = Wanted {
                    count: range.len(),
                    units: units.get(range.clone()).unwrap_or_default(),
                    random: random.map(|those| (those, self.streams.stream(Domain::Solutions, k as u64))),
                    given: None,
                };
                let mut room = rooms.lock().expect("no task panics").pop().unwrap_or_default();
                let (names, first) = (&self.names, range.start);
                let vectors = match (&self.floors, &self.packed) {
                    (Some(floors), _) => floors.vectors(wanted, first, names, &mut room.0)?,
                    (_, Some(packed)) => packed.packed_vectors(wanted, first, names, &mut room.1)?,
                    _ => empty(self.modulus, wanted, first, &mut room.0)?,
                };
                rooms.lock().expect("no task panics").push(room);
                make(&vectors)
            })?;
            made.into_iter().try_for_each(&mut take)?;
            observer.progress(count.min(last * size) as u64);
        }
        Ok(())
    }
    /// The whole basis, one vector a row: dimension × coordinates.
    ///
    /// # Errors
    /// As [`Kernel::basis`].
    pub fn basis_matrix(&self, observer: &dyn Observer) -> Result<SparseMatrix> {
        let mut basis = SparseMatrix::empty(self.modulus, self.coordinates, self.dimension(), 0)?;
        let mut entries = vec![];
        let take = |vectors: NullVectors| {
            for k in 0..vectors.len() {
                let (coordinates, values) = vectors.vector(k);
                basis.reserve_row(values.len())?;
                entries.extend(coordinates.iter().copied().zip(values.iter().copied()));
                basis.push_row(&mut entries);
            }
            Ok(())
        };
        let _ = self.basis(|vectors| Ok(vectors.clone()), take, observer)?;
        Ok(basis)
    }
}
