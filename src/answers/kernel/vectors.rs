//! Null vectors, a few side by side.

use super::BLOCK;
use crate::spmv::Bits;
use crate::{Result, memory};

/// What the memory is for.
const VECTORS: &str = "null vectors";

/// Sparse vectors of a null space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NullVectors {
    first: usize,
    /// Where each vector begins, and the end.
    start: Vec<usize>,
    coordinates: Vec<u32>,
    values: Vec<u64>,
}

impl NullVectors {
    /// `count` vectors from number `first` on, of which `x[k][l]` is coordinate `lines[k]` of vector l, and
    /// `more.1[k * count + l]` coordinate `more.0[k]`; no line twice.
    pub(super) fn of(
        first: usize,
        count: usize,
        (lines, x): (&[u32], &[[u64; BLOCK]]),
        more: (&[u32], &[u64]),
    ) -> Result<Self> {
        let all = lines.iter().chain(more.0).zip(0u64..);
        let mut order = memory::with_capacity(lines.len() + more.0.len(), VECTORS)?;
        order.extend(all.map(|(&line, k)| u64::from(line) << 32 | k));
        order.sort_unstable();
        let of_line = |k: usize| match k.checked_sub(lines.len()) {
            None => &x[k][..count],
            Some(k) => &more.1[k * count..(k + 1) * count],
        };
        let mut start = vec![0; count + 1];
        for k in 0..order.len() {
            of_line(k).iter().zip(&mut start[1..]).for_each(|(x, start)| *start += usize::from(*x != 0));
        }
        (0..count).for_each(|l| start[l + 1] += start[l]);
        let (mut at, nnz) = (start.clone(), start[count]);
        let (mut coordinates, mut values) = (memory::zeros(nnz, VECTORS)?, memory::zeros(nnz, VECTORS)?);
        for key in order {
            let x = of_line(key as u32 as usize);
            for l in (0..count).filter(|&l| x[l] != 0) {
                (coordinates[at[l]], values[at[l]]) = ((key >> 32) as u32, x[l]);
                at[l] += 1;
            }
        }
        Ok(NullVectors { first, start, coordinates, values })
    }
    /// The same over GF(2): bit l of `x[k]` is coordinate `lines[k]` of vector l; no line twice.
    pub(super) fn of_bits(first: usize, count: usize, lines: &[u32], x: &[Bits]) -> Result<Self> {
        let mut order = memory::with_capacity(lines.len(), VECTORS)?;
        order.extend(lines.iter().zip(0u64..).map(|(&line, k)| u64::from(line) << 32 | k));
        order.sort_unstable();
        let mut start = memory::zeros(count + 1, VECTORS)?;
        x.iter().for_each(|x| each(x, |l| start[l + 1] += 1));
        (0..count).for_each(|l| start[l + 1] += start[l]);
        let (mut at, nnz): (Vec<usize>, usize) = (memory::copy(&start, VECTORS)?, start[count]);
        let mut coordinates = memory::zeros(nnz, VECTORS)?;
        for key in order {
            each(&x[key as u32 as usize], |l| {
                coordinates[at[l]] = (key >> 32) as u32;
                at[l] += 1;
            });
        }
        Ok(NullVectors { first, start, coordinates, values: memory::filled(1, nnz, VECTORS)? })
    }
    /// The number of the first vector among all that are made.
    pub fn first(&self) -> usize {
        self.first
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Non-zero coordinates of all of them.
    pub fn nnz(&self) -> usize {
        self.coordinates.len()
    }
    /// The non-zero coordinates of vector `first + k`, ascending, with their residues.
    ///
    /// # Panics
    /// If there is no such vector.
    pub fn vector(&self, k: usize) -> (&[u32], &[u64]) {
        let range = self.start[k]..self.start[k + 1];
        (&self.coordinates[range.clone()], &self.values[range])
    }
}

/// Tells which bits are set.
fn each(x: &Bits, mut tell: impl FnMut(usize)) {
    for (k, mut word) in x.iter().copied().enumerate() {
        while word != 0 {
            tell(64 * k + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}
