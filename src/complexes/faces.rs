//! All faces of the facets of a simplicial complex, and the boundary matrices between them.
//!
//! From the largest faces downwards: the faces of one size are the facets of that size and what is left of a larger
//! face without one of its vertices; sorted lexicographically, a face's number is its place. Dropping a later vertex
//! gives an earlier face, so that rows come out sorted. A face is one word of 128 bits where its vertices fit, else a
//! list.

use super::chain::ChainComplex;
use super::sort::{STRETCH, sorted};
use crate::parallel::Each;
use crate::sparse::{Numbers, Triplets};
use crate::{Error, Observer, Result, memory};
use rayon::prelude::*;

/// What the memory is for.
const FACES: &str = "the faces of a simplicial complex";
/// The maximum number of entries of a boundary matrix.
const MAX_ENTRIES: u128 = 1 << 32;
/// Bytes of an entry: two indices, and a value.
const ENTRY: u64 = 9;

/// How faces are stored.
trait Faces: Sync {
    type Face: Ord + Clone + Send + Sync;
    /// The face with these vertices, ascending.
    fn face(&self, vertices: &[u32]) -> Self::Face;
    /// Bytes that a face of `size` vertices takes.
    fn bytes(&self, size: usize) -> u64;
    /// The face of `size` vertices without its vertex i.
    fn without(&self, face: &Self::Face, size: usize, i: usize) -> Self::Face;
}

/// Faces as words: so many bits a vertex, the first vertex on top, so that numbers of one size order as lists do.
struct Words {
    bits: u32,
}

impl Faces for Words {
    type Face = u128;
    fn face(&self, vertices: &[u32]) -> u128 {
        vertices.iter().fold(0, |word, &v| word << self.bits | u128::from(v))
    }
    fn bytes(&self, _size: usize) -> u64 {
        16
    }
    fn without(&self, face: &u128, size: usize, i: usize) -> u128 {
        let below = self.bits * (size - 1 - i) as u32;
        let low = face & ((1 << below) - 1);
        let high = face.checked_shr(below + self.bits).unwrap_or(0);
        high << below | low
    }
}

/// Faces as lists.
struct Lists;

impl Faces for Lists {
    type Face = Box<[u32]>;
    fn face(&self, vertices: &[u32]) -> Box<[u32]> {
        vertices.into()
    }
    fn bytes(&self, size: usize) -> u64 {
        // The pointer with its length, and an allocation of its own.
        32 + 4 * size as u64
    }
    fn without(&self, face: &Box<[u32]>, _size: usize, i: usize) -> Box<[u32]> {
        [&face[..i], &face[i + 1..]].concat().into()
    }
}

/// The chain complex of all faces of `facets`: a list for each size from 1 on, of faces one after the other, vertices
/// ascending from 0 to `vertices` - 1. Faces and boundary matrices take at most `max_memory` bytes: what one facet
/// shows to be beyond that is refused before the work.
///
/// # Errors
/// [`Error::Memory`], also for more entries than 2³² in a boundary matrix; [`Error::Interrupted`].
pub(super) fn chain_complex(
    vertices: usize,
    facets: &[Vec<u32>],
    max_memory: Option<u64>,
    observer: &dyn Observer,
) -> Result<ChainComplex> {
    let bits = usize::BITS - vertices.saturating_sub(1).leading_zeros();
    let bits = bits.max(1);
    if bits as usize * facets.len() <= 128 {
        boundaries(&Words { bits }, facets, max_memory, observer)
    } else {
        boundaries(&Lists, facets, max_memory, observer)
    }
}

fn boundaries<F: Faces>(
    kind: &F,
    facets: &[Vec<u32>],
    max_memory: Option<u64>,
    observer: &dyn Observer,
) -> Result<ChainComplex> {
    let Some(largest) = (1..=facets.len()).rev().find(|&size| !facets[size - 1].is_empty()) else {
        return Ok(ChainComplex::points(0));
    };
    foresee(kind, largest, max_memory)?;
    observer.phase("faces", facets.len() as u64);
    let mut upper = with_listed(kind, vec![], facets, largest, observer)?;
    let (mut list, mut budget) = (Vec::new(), Budget { limit: max_memory, taken: 0 });
    for size in (2..=largest).rev() {
        observer.check()?;
        observer.progress((largest - size) as u64);
        budget.spend("", upper.len() as u128, size, kind)?;
        let capacity = upper.len() * size + facets[size - 2].len() / (size - 1);
        let mut lower = memory::with_capacity(capacity, FACES)?;
        for some in upper.chunks(stretch(size)) {
            observer.check()?;
            lower.extend(some.iter().flat_map(|face| (0..size).map(move |i| kind.without(face, size, i))));
        }
        let lower = with_listed(kind, lower, facets, size - 1, observer)?;
        list.push(boundary(kind, size, &upper, &lower, observer)?);
        upper = lower;
    }
    list.reverse();
    match list.is_empty() {
        true => Ok(ChainComplex::points(upper.len())),
        false => ChainComplex::new(list),
    }
}

/// What the levels from the top take.
struct Budget {
    limit: Option<u64>,
    /// Bytes of the boundaries so far.
    taken: u128,
}

impl Budget {
    /// The boundary of so many faces of `size` vertices, a count to be read with `least` before it.
    fn spend<F: Faces>(&mut self, least: &str, faces: u128, size: usize, kind: &F) -> Result<()> {
        let entries = faces * size as u128;
        if entries > MAX_ENTRIES {
            return Err(Error::Memory(format!(
                "{least}{faces} faces of {size} vertices: {entries} entries are beyond the limit of 2^32"
            )));
        }
        // Larger faces and their boundaries, both sides of this one, its entries: two indices and a byte each.
        let lower = u128::from(kind.bytes(size - 1) + ENTRY);
        let all = self.taken + faces * u128::from(kind.bytes(size)) + entries * lower;
        if let Some(limit) = self.limit.filter(|&limit| all > u128::from(limit)) {
            return Err(Error::Memory(format!(
                "{least}{faces} faces of {size} vertices and their boundaries take about {all} bytes, {limit} bytes \
                 are allowed"
            )));
        }
        self.taken += entries * u128::from(ENTRY);
        Ok(())
    }
}

/// Refuses what the faces of one facet of so many vertices are too many for: C(largest, size) of each size, more than
/// any smaller facet has.
fn foresee<F: Faces>(kind: &F, largest: usize, limit: Option<u64>) -> Result<()> {
    let mut budget = Budget { limit, taken: 0 };
    let mut faces = 1u128;
    for size in (2..=largest).rev() {
        // At most 2³² here, or an error.
        budget.spend("at least ", faces, size, kind)?;
        faces = faces * size as u128 / (largest - size + 1) as u128;
    }
    Ok(())
}

/// How many faces of `size` vertices are passed between two questions to the observer.
fn stretch(size: usize) -> usize {
    (STRETCH / size).max(1)
}

/// `faces` of `size` vertices and the facets of that size, without duplicates, ascending.
fn with_listed<F: Faces>(
    kind: &F,
    mut faces: Vec<F::Face>,
    facets: &[Vec<u32>],
    size: usize,
    observer: &dyn Observer,
) -> Result<Vec<F::Face>> {
    let listed = &facets[size - 1];
    memory::reserve(&mut faces, listed.len() / size, FACES)?;
    for some in listed.chunks(size * stretch(size)) {
        observer.check()?;
        faces.extend(some.chunks_exact(size).map(|face| kind.face(face)));
    }
    sorted(faces, observer)
}

/// The boundary matrix from the faces of `size` vertices to those of one less: all of the boundary are there.
fn boundary<F: Faces>(
    kind: &F,
    size: usize,
    upper: &[F::Face],
    lower: &[F::Face],
    observer: &dyn Observer,
) -> Result<Triplets> {
    let (entries, some) = (upper.len() * size, stretch(size));
    let mut col = memory::zeros::<u32>(entries, FACES)?;
    col.par_chunks_mut(some * size).zip(upper.par_chunks(some)).try_each(|(cols, faces)| {
        observer.check()?;
        for (cols, face) in cols.chunks_exact_mut(size).zip(faces) {
            for (col, dropped) in cols.iter_mut().zip((0..size).rev()) {
                let place = lower.binary_search(&kind.without(face, size, dropped));
                *col = place.expect("every face of a face is listed") as u32;
            }
        }
        Ok::<_, Error>(())
    })?;
    let mut row = memory::with_capacity(entries, FACES)?;
    let mut value = memory::with_capacity(entries, FACES)?;
    for first in (0..upper.len()).step_by(some) {
        observer.check()?;
        for i in first..upper.len().min(first + some) {
            row.extend(std::iter::repeat_n(i as u32, size));
            value.extend((0..size).rev().map(|dropped| if dropped % 2 == 0 { 1i8 } else { -1 }));
        }
    }
    Ok(Triplets { rows: upper.len(), cols: lower.len(), row, col, value: Numbers::I8(value), big: vec![] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    #[test]
    fn words_and_lists_give_the_same_matrices() {
        // Facets of several sizes, some contained in others, on vertices that take 3 bits and 7.
        for (vertices, facets) in [
            (5, vec![vec![4], vec![0, 4, 1, 2], vec![0, 1, 2, 1, 2, 3, 0, 1, 2]]),
            (100, vec![vec![], vec![98, 99], vec![], vec![1, 5, 50, 99, 1, 5, 70, 98], vec![0, 1, 2, 3, 4]]),
        ] {
            let bits = if vertices == 5 { 3 } else { 7 };
            let words = boundaries(&Words { bits }, &facets, None, &Silent).unwrap();
            let lists = boundaries(&Lists, &facets, None, &Silent).unwrap();
            assert_eq!(words, lists);
            assert!(words.check(&[], &Silent).is_ok());
        }
    }

    #[test]
    fn a_word_may_be_full() {
        // 2 vertices of 64 bits each, 128 of one bit.
        let wide = Words { bits: 64 };
        let face = u128::from(u64::MAX) << 64 | 7;
        assert_eq!((wide.without(&face, 2, 0), wide.without(&face, 2, 1)), (7, u64::MAX.into()));
        let one = Words { bits: 128 };
        assert_eq!(one.without(&u128::MAX, 1, 0), 0);
    }
}
