//! All faces of the facets of a simplicial complex, and the boundary matrices between them.
//!
//! From the largest faces downwards: the faces of one size are the facets of that size and what is left of a larger
//! face without one of its vertices; sorted lexicographically, a face's number is its place. Dropping a later vertex
//! gives an earlier face, so that rows come out sorted. A face is one word of 128 bits where its vertices fit, else a
//! list.

use super::chain::ChainComplex;
use crate::sparse::{Numbers, Triplets};
use crate::{Error, Observer, Result, memory};
use rayon::prelude::*;

/// What the memory is for.
const FACES: &str = "the faces of a simplicial complex";
/// The maximum number of entries of a boundary matrix.
const MAX_ENTRIES: u128 = 1 << 32;
/// Bytes of an entry: two indices, and a value.
const ENTRY: u64 = 9;
/// Faces that one task looks up.
const TASK: usize = 1 << 12;

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
/// ascending from 0 to `vertices` - 1. Faces and boundary matrices take at most `max_memory` bytes.
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
    observer.phase("faces", facets.len() as u64);
    let listed = |size: usize| facets[size - 1].chunks_exact(size).map(|face| kind.face(face));
    let Some(largest) = (1..=facets.len()).rev().find(|&size| !facets[size - 1].is_empty()) else {
        return Ok(ChainComplex::points(0));
    };
    let mut upper = sorted(memory::collect(listed(largest), FACES)?);
    let (mut list, mut taken) = (Vec::new(), 0u64);
    for size in (2..=largest).rev() {
        observer.check()?;
        observer.progress((largest - size) as u64);
        let entries = upper.len() as u128 * size as u128;
        if entries > MAX_ENTRIES {
            let message =
                format!("{} faces of {size} vertices: {entries} entries are beyond the limit of 2^32", upper.len());
            return Err(Error::Memory(message));
        }
        // Larger faces and their boundaries, both sides of this one, its entries: two indices and a byte each.
        let entries = entries as u64;
        let own = upper.len() as u64 * kind.bytes(size) + entries * (kind.bytes(size - 1) + ENTRY);
        if let Some(limit) = max_memory.filter(|&limit| taken + own > limit) {
            return Err(Error::Memory(format!(
                "{} faces of {size} vertices and their boundaries take about {} bytes, {limit} bytes are allowed",
                upper.len(),
                taken + own
            )));
        }
        taken += entries * ENTRY;
        let mut lower = memory::with_capacity(entries as usize + facets[size - 2].len() / (size - 1), FACES)?;
        lower.extend(upper.iter().flat_map(|face| (0..size).map(move |i| kind.without(face, size, i))));
        lower.extend(listed(size - 1));
        let lower = sorted(lower);
        list.push(boundary(kind, size, &upper, &lower)?);
        upper = lower;
    }
    list.reverse();
    match list.is_empty() {
        true => Ok(ChainComplex::points(upper.len())),
        false => ChainComplex::new(list),
    }
}

/// Without duplicates, ascending.
fn sorted<T: Ord + Send>(mut faces: Vec<T>) -> Vec<T> {
    faces.par_sort_unstable();
    faces.dedup();
    faces.shrink_to_fit();
    faces
}

/// The boundary matrix from the faces of `size` vertices to those of one less: all of the boundary are there.
fn boundary<F: Faces>(kind: &F, size: usize, upper: &[F::Face], lower: &[F::Face]) -> Result<Triplets> {
    let entries = upper.len() * size;
    let mut col = memory::zeros::<u32>(entries, FACES)?;
    col.par_chunks_exact_mut(size).zip(upper).with_min_len(TASK).for_each(|(cols, face)| {
        for (col, dropped) in cols.iter_mut().zip((0..size).rev()) {
            let place = lower.binary_search(&kind.without(face, size, dropped));
            *col = place.expect("every face of a face is listed") as u32;
        }
    });
    let mut row = memory::with_capacity(entries, FACES)?;
    row.extend((0..upper.len() as u32).flat_map(|i| std::iter::repeat_n(i, size)));
    let signs = || (0..size).rev().map(|dropped| if dropped % 2 == 0 { 1i8 } else { -1 });
    let mut value = memory::with_capacity(entries, FACES)?;
    (0..upper.len()).for_each(|_| value.extend(signs()));
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
