//! Yᵀ for a Y of a few weighted entries a row: cheap to apply, and as good as a dense one where eigenvectors are
//! sparse.
//!
//! A dense random Y costs n·s² multiply-adds a term, as much as the product of a matrix with few entries a row. Here a
//! row of Y has w = min(3, s) entries, in distinct columns (*classes*), with random non-zero weights of K. The weights
//! of a class come from a pool of E = ⌊256/s⌋ (at least 1), so that Yᵀ·V needs no multiplication by rows: the rows of V
//! are added up in s·E *buckets*, each row in w of them, and s·E·s products of K give the classes from the buckets.
//! That is w·n·s additions and no more than 256·s products, whatever K.
//!
//! **Why several entries.** Yᵀ must separate the eigenvectors of one eigenvalue: of an eigenvalue of B with m
//! independent eigenvectors V the sequence sees rank(YᵀV), at most s of them whatever Y. Where B is block diagonal with
//! small blocks (A with lines of one entry, permutations, blocks of 2 × 2, …) equal eigenvalues do occur in different
//! blocks: over GF(q) about r²/(2q) pairs of r eigenvalues, and the eigenvectors are as short as the blocks. With a
//! single entry a row (a partition of the rows into s classes) two unit vectors in one class have parallel images,
//! which loses an eigenvalue of rank with probability 1/s a pair; of blocks of 2 × 2 it is 1/s³, when both blocks lie
//! in one class. With w entries two unit vectors are told apart unless their rows of Y are parallel: see [`pair_loss`],
//! about 4·10⁻⁷ for s from 4 to 64. D₁, the leftmost factor of B, changes nothing there: it scales rows of Y.
//!
//! Exactness: a row adds to a bucket at most once, so that a sum of t rows of residues ≤ M is at most t·M:
//! [`rows_in_sum`].

use crate::field::{Field, Modulus, Rng};
use crate::isa::{Isa, Kernel};
use crate::report::ErrorBound;
use crate::spmv::{Block, Lanes};
use crate::team::{each_tile, even};
use crate::{DeviceReason, Error, Result, memory};
use rand::RngExt;
use rayon::prelude::*;
use std::ops::AddAssign;

/// Entries of Y in a row, where there are as many columns.
const ENTRIES: usize = 3;
/// Buckets of all classes together, where there are fewer classes.
const BUCKETS: usize = 256;
/// The most rows that one task adds up; below [`rows_in_sum`] of every lane.
const CHUNK: usize = 1 << 14;
/// The fewest where there are several tasks: what a task does for each bucket is then less than what it does for rows.
const LEAST_CHUNK: usize = 1 << 11;
const _: () = assert!(CHUNK <= 1 << 16, "rows of a chunk are numbered by 16 bits");

/// What the memory is for.
const PROJECTION: &str = "a sparse projection";
const SUMS: &str = "the sums of a sparse projection";

/// The rows of residues ≤ `largest` that an accumulator of `bits` bits holds the sum of: t·`largest` ≤ 2^bits - 1.
const fn rows_in_sum(largest: u64, bits: u32) -> u128 {
    (u128::MAX >> (128 - bits)) / largest as u128
}

/// A random sparse n × s matrix Y over K, for products by its transpose.
#[derive(Clone, Debug)]
pub struct Buckets {
    /// Rows and columns of Y.
    n: usize,
    s: usize,
    /// The rows, so many in each chunk but the last: one chunk or more for each thread that made this.
    chunk: usize,
    chunks: Vec<Chunk>,
    /// Weights of a class, E; bucket b belongs to class b / `pool`.
    pool: usize,
    /// The digits of the weight of each bucket.
    weights: Vec<u64>,
}

/// Rows of Y by their buckets.
#[derive(Clone, Debug)]
struct Chunk {
    /// The rows of bucket b, counted from the first row of the chunk, are `rows[start[b]..start[b + 1]]`, ascending.
    rows: Vec<u16>,
    start: Vec<u32>,
}

impl Chunk {
    /// Of the buckets of each row, `per_row` of them: by counting.
    fn new(buckets: usize, pick: &[u16], per_row: usize) -> Result<Self> {
        let mut start = memory::zeros(buckets + 1, PROJECTION)?;
        pick.iter().for_each(|&b| start[b as usize + 1] += 1);
        (0..buckets).for_each(|b| start[b + 1] += start[b]);
        let (mut next, mut rows) = (memory::copy(&start, PROJECTION)?, memory::zeros(pick.len(), PROJECTION)?);
        for (row, pick) in pick.chunks_exact(per_row).enumerate() {
            for &b in pick {
                rows[next[b as usize] as usize] = row as u16;
                next[b as usize] += 1;
            }
        }
        Ok(Chunk { rows, start })
    }
}

/// An upper bound of the probability that two rows of Y are parallel, so that of two unit eigenvectors with one
/// eigenvalue one is lost: for s columns, w entries a row and E weights a class, over a field of `order` = q elements
///
/// ((1/E + 1/(q-1))ʷ + (q-1)^(1-w)) / C(s, w).
///
/// *Proof.* The classes must be the same. Then in each class the two weights have a ratio, and the w ratios must agree.
/// A ratio is 1 if both rows picked one weight, 1/E, or two equal ones, at most 1/(q-1): the first term. It is a given
/// ρ ≠ 1 with probability at most 1/(q-1): the second, over q - 2 values of ρ. Classes are independent, and so are
/// pools. ∎
///
/// Of an eigenvalue with m ≤ s unit eigenvectors more than C(m, 2) times this is lost only for want of rows: m vectors
/// of w entries each must be independent. An eigenvalue with m > s eigenvectors loses m - s whatever Y and X are.
pub fn pair_loss(s: usize, order: f64) -> ErrorBound {
    parallel(s, ENTRIES.min(s), pool(s), order)
}

fn parallel(s: usize, w: usize, pool: usize, order: f64) -> ErrorBound {
    let one_of = |count: f64| ErrorBound::from_log2(-count.log2());
    let sets: f64 = (0..w).map(|i| (s - i) as f64 / (w - i) as f64).product();
    let ratio = one_of(order - 1.0);
    let equal = one_of(pool as f64).either(ratio);
    equal.all(w).either(ratio.all(w - 1)).both(one_of(sets))
}

/// The number of weights in the pool of each of `s` classes.
fn pool(s: usize) -> usize {
    (BUCKETS / s).max(1)
}

impl Buckets {
    /// A random Y with `n` rows and `s` columns over `field`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If s is 0 or above 2¹⁶.
    pub fn random<F: Field>(field: &F, n: usize, s: usize, rng: &mut Rng) -> Result<Self> {
        Self::with(field, n, s, ENTRIES.min(s), pool(s), rng)
    }

    fn with<F: Field>(field: &F, n: usize, s: usize, per_row: usize, pool: usize, rng: &mut Rng) -> Result<Self> {
        assert!((1..=1 << 16).contains(&s), "a block of 1 to 2^16 columns");
        let k = field.degree();
        let mut weights = memory::zeros(s * pool * k, PROJECTION)?;
        for digits in weights.chunks_exact_mut(k) {
            field.write_digits(field.random_nonzero(rng), digits);
        }
        let mut pick = memory::with_capacity(n * per_row, PROJECTION)?;
        for _ in 0..n {
            let row = pick.len();
            while pick.len() < row + per_row {
                let bucket = rng.random_range(0..s * pool) as u16;
                let class = |b: u16| b as usize / pool;
                if pick[row..].iter().all(|&other| class(other) != class(bucket)) {
                    pick.push(bucket);
                }
            }
        }
        Self::of_picks(n, s, &pick, per_row, pool, weights)
    }

    /// The Y with these buckets in its rows, `per_row` each, and these weights of the buckets.
    fn of_picks(n: usize, s: usize, pick: &[u16], per_row: usize, pool: usize, weights: Vec<u64>) -> Result<Self> {
        let chunk = n.div_ceil(rayon::current_num_threads()).clamp(LEAST_CHUNK, CHUNK);
        let chunks = pick.chunks(chunk * per_row).map(|pick| Chunk::new(s * pool, pick, per_row));
        Ok(Buckets { n, s, chunk, chunks: chunks.collect::<Result<_>>()?, pool, weights })
    }

    /// Appends YᵀV, s × s elements of K, row-major. V is a block of n rows and s columns over K, by digits.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn project<F: Field>(&self, field: &F, v: &Block, out: &mut Vec<F::Elem>) -> Result<()> {
        self.project_with(Isa::best(), field, v, out)
    }

    pub(super) fn project_with<F: Field>(&self, isa: Isa, field: &F, v: &Block, out: &mut Vec<F::Elem>) -> Result<()> {
        let (s, k, p) = (self.s, field.degree(), field.modulus());
        assert_eq!((v.width(), v.rows(), self.weights.len()), (s * k, self.n, s * self.pool * k));
        let sums = match &v.lanes {
            Lanes::U8(x) => self.sums(isa, p, x, v.width()),
            Lanes::U16(x) => self.sums(isa, p, x, v.width()),
            Lanes::U32(x) => self.sums(isa, p, x, v.width()),
            Lanes::U64(x) => self.sums(isa, p, x, v.width()),
            Lanes::F32(x) => self.sums(isa, p, x, v.width()),
            Lanes::F64(x) => self.sums(isa, p, x, v.width()),
        }?;
        self.weigh(field, s, &sums, out)
    }

    /// Appends the weighted sums of the buckets of each class, from words congruent to the sums of all buckets, in `s`
    /// columns of V.
    pub(super) fn weigh<F: Field>(&self, field: &F, s: usize, sums: &[u64], out: &mut Vec<F::Elem>) -> Result<()> {
        let (k, p) = (field.degree(), field.modulus());
        memory::reserve(out, self.s * s, "the terms of a sequence")?;
        let classes = sums.chunks_exact(self.pool * s * k).zip(self.weights.chunks_exact(self.pool * k));
        for (sums, weights) in classes {
            if k == 1 && p.bits() <= WEIGHED_BITS {
                out.extend(weigh(p, sums, weights, s).map(|x| field.from_digits(&[x])));
                continue;
            }
            let first = out.len();
            out.resize(first + s, field.zero());
            for (sums, weight) in sums.chunks_exact(s * k).zip(weights.chunks_exact(k)) {
                let digits = sums.iter().map(|&x| p.reduce(x)).collect::<Vec<_>>();
                let bucket: Vec<F::Elem> = digits.chunks_exact(k).map(|digits| field.from_digits(digits)).collect();
                field.axpy(&mut out[first..], field.from_digits(weight), &bucket);
            }
        }
        Ok(())
    }

    /// Weights of a class.
    pub(super) fn pool(&self) -> usize {
        self.pool
    }
    /// The digits of the weights of all buckets.
    pub(super) fn weights(&self) -> &[u64] {
        &self.weights
    }
    /// The rows of each bucket, ascending, one bucket after the other, and where each begins.
    pub(super) fn lists(&self) -> Result<(Vec<u32>, Vec<u32>)> {
        let mut starts = memory::with_capacity(self.s * self.pool + 1, PROJECTION)?;
        let mut rows = memory::with_capacity(self.chunks.iter().map(|chunk| chunk.rows.len()).sum(), PROJECTION)?;
        starts.push(0);
        for bucket in 0..self.s * self.pool {
            for (number, chunk) in self.chunks.iter().enumerate() {
                let of_bucket = &chunk.rows[chunk.start[bucket] as usize..chunk.start[bucket + 1] as usize];
                rows.extend(of_bucket.iter().map(|&row| (number * self.chunk) as u32 + u32::from(row)));
            }
            let message = |_| format!("{} rows in buckets are more than a GPU numbers", rows.len());
            let end = u32::try_from(rows.len()).map_err(message);
            starts.push(end.map_err(|message| Error::device(DeviceReason::NoMemory, message))?);
        }
        Ok((starts, rows))
    }

    /// The sums of the rows in each bucket, bucket after bucket, as words congruent to them mod p, residues where p >
    /// 2³²: exact integers added in any order, so that neither threads nor instruction sets show.
    fn sums<L: Lane>(&self, isa: Isa, p: Modulus, lanes: &[L], width: usize) -> Result<Vec<u64>> {
        let len = self.s * self.pool * width;
        let of_chunk = |number: usize| {
            let rows = number * self.chunk..self.n.min((number + 1) * self.chunk);
            let (lanes, chunk) = (&lanes[rows.start * width..rows.end * width], &self.chunks[number]);
            let mut sums = memory::filled(L::Sum::default(), len, SUMS)?;
            isa.run(AddRows { lanes, width, chunk, sums: &mut sums });
            let mut totals = memory::with_capacity(len, SUMS)?;
            totals.extend(sums.into_iter().map(L::total));
            Ok(totals)
        };
        let add = |a: Result<Vec<L::Total>>, b: Result<Vec<L::Total>>| {
            let (mut a, b) = (a?, b?);
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            Ok(a)
        };
        // Chunks are rows in order, as are the tiles of a product: a thread adds up what it has written.
        let mut parts: Vec<Result<Vec<L::Total>>> = self.chunks.iter().map(|_| Ok(Vec::new())).collect();
        each_tile(&even(parts.len(), 1), 1, &mut parts, |number, part| part[0] = of_chunk(number.start));
        let totals = parts.into_par_iter().reduce_with(add);
        let Some(totals) = totals.transpose()? else { return memory::zeros(len, SUMS) };
        let mut words = memory::with_capacity(len, SUMS)?;
        words.extend(totals.into_iter().map(|x| L::word(x, p)));
        Ok(words)
    }
}

/// A residue as a block stores it, with the integers that its sums take.
trait Lane: Copy + Send + Sync {
    /// Holds the sum of [`CHUNK`] of them.
    type Sum: Copy + Default + AddAssign;
    /// Holds the sum of 2³² of them, more than a block has rows.
    type Total: Copy + Send + AddAssign;
    fn widen(self) -> Self::Sum;
    fn total(sum: Self::Sum) -> Self::Total;
    /// A word congruent to it mod p.
    fn word(total: Self::Total, p: Modulus) -> u64;
}

macro_rules! lane {
    ($lane:ty, $largest:expr, $sum:ty, $total:ty, $word:expr) => {
        impl Lane for $lane {
            type Sum = $sum;
            type Total = $total;
            #[inline(always)]
            fn widen(self) -> $sum {
                self as $sum
            }
            #[inline(always)]
            fn total(sum: $sum) -> $total {
                sum as $total
            }
            #[inline(always)]
            fn word(total: $total, p: Modulus) -> u64 {
                $word(total, p)
            }
        }
        const _: () = assert!(CHUNK as u128 <= rows_in_sum($largest, <$sum>::BITS));
        const _: () = assert!(1 << 32 <= rows_in_sum($largest, <$total>::BITS));
    };
}
lane!(u8, u8::MAX as u64, u32, u64, as_it_is);
lane!(u16, u16::MAX as u64, u32, u64, as_it_is);
lane!(u32, u32::MAX as u64, u64, u64, as_it_is);
lane!(u64, (1 << 63) - 1, u128, u128, reduced);
lane!(f32, 1 << 24, u64, u64, as_it_is);
lane!(f64, 1 << 53, u128, u128, reduced);

/// A total of 64 bits, of residues below 2³².
#[inline(always)]
fn as_it_is(total: u64, _: Modulus) -> u64 {
    total
}

/// A total of 128 bits.
#[inline(always)]
fn reduced(total: u128, p: Modulus) -> u64 {
    p.reduce_u128(total)
}

/// Up to p of this many bits the weighted words of a class, 2¹⁶ at most, add up in 128 bits: p ≤ 2³² and any word give
/// 2³²·2⁶⁴·2¹⁶ = 2¹¹², a larger p and residues 2⁵⁶·2⁵⁶·2¹⁶ = 2¹²⁸, reached by neither.
const WEIGHED_BITS: u32 = 56;

/// Σ weight·sum over the buckets of a class, mod p, for each of `s` columns.
fn weigh(p: Modulus, sums: &[u64], weights: &[u64], s: usize) -> impl Iterator<Item = u64> {
    let mut total = vec![0u128; s];
    for (sums, &weight) in sums.chunks_exact(s).zip(weights) {
        total.iter_mut().zip(sums).for_each(|(total, &x)| *total += u128::from(x) * u128::from(weight));
    }
    total.into_iter().map(move |x| p.reduce_u128(x))
}

/// Adds rows of residues to the sums of their buckets.
struct AddRows<'a, L: Lane> {
    lanes: &'a [L],
    width: usize,
    chunk: &'a Chunk,
    sums: &'a mut [L::Sum],
}

impl<L: Lane> Kernel for AddRows<'_, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        match self.width {
            width if width.is_multiple_of(16) => self.by_pieces::<16>(),
            width if width.is_multiple_of(4) => self.by_pieces::<4>(),
            _ => self.by_pieces::<1>(),
        }
    }
}

impl<L: Lane> AddRows<'_, L> {
    /// In pieces of N residues, a fixed number of vectors. N divides the width.
    #[inline(always)]
    fn by_pieces<const N: usize>(self) {
        let buckets = self.chunk.start.windows(2).zip(self.sums.chunks_exact_mut(self.width));
        for (range, sums) in buckets {
            let rows = &self.chunk.rows[range[0] as usize..range[1] as usize];
            for (i, to) in sums.as_chunks_mut::<N>().0.iter_mut().enumerate() {
                // In registers: each row is read, and nothing written before the last one.
                let mut sum = *to;
                for &row in rows {
                    let piece: &[L; N] = self.lanes[row as usize * self.width + i * N..].first_chunk().expect("a row");
                    for l in 0..N {
                        sum[l] += piece[l].widen();
                    }
                }
                *to = sum;
            }
        }
    }
}

#[cfg(test)]
#[path = "buckets_tests.rs"]
mod tests;
