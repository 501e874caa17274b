//! The Smith form over the integers localised at p, by elimination in ℤ/pᵏ, pᵏ < 2³¹.
//!
//! Pivots are units: every entry that one divides can be cleared by row and column operations. Once there are none
//! left, p divides everything that is left; it is divided out, which leaves a matrix mod pᵏ⁻¹, and the pivots of the
//! e-th round are the invariant factors with exactly pᵉ. What is left after k rounds is 0 mod pᵏ: invariant factors
//! that pᵏ divides, or none.
//!
//! A row without a unit stays without one while others are eliminated: its multipliers are multiples of p. So rows come
//! one after the other, a batch of them at a time: those that were pivots before are read once for many rows, and those
//! that came after a row without a unit are made up for at the end of the round.

use crate::isa::{Isa, Kernel};
use crate::parallel::Each;
use crate::sparse::Triplets;
use crate::{Observer, Result, memory};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rayon::prelude::*;

/// What the memory is for.
const TABLE: &str = "a matrix mod a power of a prime";
/// Bytes of the rows that a task reduces: what a processor has near it.
const NEAR: usize = 1 << 18;
/// Tasks of a batch.
const TASKS: usize = 8;

/// The number of invariant factors with exactly pᵉ, for e = 0 … k-1.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// Unless 1 < p and pᵏ < 2³¹.
pub(super) fn valuations(a: &Triplets, p: u32, k: u32, observer: &dyn Observer) -> Result<Vec<usize>> {
    let q = p.checked_pow(k).filter(|&q| p > 1 && q < 1 << 31).expect("a power below 2^31");
    let cols = a.cols();
    let mut table = memory::zeros::<u32>(a.rows() * cols, TABLE)?;
    for (i, j, v) in a.entries() {
        let v: BigInt = ((v.to_bigint() % q) + q) % q;
        table[i * cols + j] = v.to_u32().expect("below q");
    }
    let mut rows: Vec<&mut [u32]> = memory::collect(table.chunks_mut(cols.max(1)), TABLE)?;
    let mut counts = vec![];
    let mut q = q;
    while q > 1 {
        let (pivots, left) = round(rows, p, q, observer)?;
        counts.push(pivots);
        rows = left;
        q /= p;
    }
    Ok(counts)
}

/// All unit pivots mod q, a power of p: how many, and the rows that are left, divided by p.
fn round<'a>(rows: Vec<&'a mut [u32]>, p: u32, q: u32, observer: &dyn Observer) -> Result<(usize, Vec<&'a mut [u32]>)> {
    let isa = Isa::best();
    let near = rows.first().map_or(1, |row| (NEAR / (4 * row.len()).max(1)).clamp(1, 64));
    let mut pivots: Vec<Pivot<'a>> = vec![];
    // Rows without a unit, and how many pivots each has met.
    let mut left: Vec<(usize, &'a mut [u32])> = memory::with_capacity(rows.len(), TABLE)?;
    let mut rows = rows.into_iter();
    loop {
        let mut batch: Vec<(usize, &mut [u32])> =
            memory::collect(rows.by_ref().take(near * TASKS).map(|row| (0, row)), TABLE)?;
        if batch.is_empty() {
            break;
        }
        reduce(isa, &pivots, &mut batch, near, q, observer)?;
        let known = pivots.len();
        while let Some(mut row) = batch.pop() {
            // By the pivots that this batch has had.
            row.0 = known;
            isa.run(Reduce { pivots: &pivots, rows: std::slice::from_mut(&mut row), q });
            let (_, row) = row;
            match row.iter().position(|v| v % p != 0) {
                Some(col) => {
                    let inverse = inverse(row[col], q);
                    memory::push(&mut pivots, Pivot { col, inverse, row }, TABLE)?;
                }
                None => left.push((pivots.len(), row)),
            }
        }
    }
    for batch in left.chunks_mut(near * TASKS) {
        reduce(isa, &pivots, batch, near, q, observer)?;
    }
    let mut others = memory::with_capacity(left.len(), TABLE)?;
    others.extend(left.into_iter().map(|(_, row)| row).filter_map(|row| {
        row.iter_mut().for_each(|v| *v /= p);
        row.iter().any(|&v| v != 0).then_some(row)
    }));
    Ok((pivots.len(), others))
}

/// A row with a unit, 0 in the columns of the pivots before.
struct Pivot<'a> {
    col: usize,
    inverse: u32,
    row: &'a [u32],
}

/// Reduces rows by the pivots that they have not met.
fn reduce<'a>(
    isa: Isa,
    pivots: &[Pivot<'a>],
    rows: &mut [(usize, &'a mut [u32])],
    near: usize,
    q: u32,
    observer: &dyn Observer,
) -> Result<()> {
    rows.par_chunks_mut(near).try_each(|rows| {
        observer.check()?;
        isa.run(Reduce { pivots, rows, q });
        Ok(())
    })
}

struct Reduce<'r, 'p, 'a> {
    pivots: &'p [Pivot<'a>],
    rows: &'r mut [(usize, &'a mut [u32])],
    q: u32,
}

impl Kernel for Reduce<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Reduce { pivots, rows, q } = self;
        for (k, pivot) in pivots.iter().enumerate() {
            for (met, row) in rows.iter_mut().filter(|(met, row)| *met <= k && row[pivot.col] != 0) {
                let f = (u64::from(row[pivot.col]) * u64::from(pivot.inverse) % u64::from(q)) as u32;
                add_multiple(row, q - f, pivot.row, q);
                debug_assert!(*met <= k && row[pivot.col] == 0);
            }
        }
    }
}

/// y ← y + f·x mod q for f, x, y below q ≤ 2³¹ (V. Shoup): with f' = ⌊2³²·f/q⌋ the quotient ⌊f'·x/2³²⌋ is at most one
/// too small, so that f·x - quotient·q < 2q < 2³².
#[inline(always)]
fn add_multiple(y: &mut [u32], f: u32, x: &[u32], q: u32) {
    let quotient = ((u64::from(f) << 32) / u64::from(q)) as u32;
    for (y, &x) in y.iter_mut().zip(x) {
        let high = ((u64::from(quotient) * u64::from(x)) >> 32) as u32;
        let r = f.wrapping_mul(x).wrapping_sub(high.wrapping_mul(q));
        let r = r.min(r.wrapping_sub(q));
        let sum = y.wrapping_add(r);
        *y = sum.min(sum.wrapping_sub(q));
    }
}

/// 1/a mod q for a unit a.
fn inverse(a: u32, q: u32) -> u32 {
    let (mut r, mut t) = ((i64::from(q), i64::from(a)), (0i64, 1i64));
    while r.1 != 0 {
        let quotient = r.0 / r.1;
        r = (r.1, r.0 - quotient * r.1);
        t = (t.1, t.0 - quotient * t.1);
    }
    t.0.rem_euclid(i64::from(q)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn multiples_are_added_mod_powers_up_to_the_largest() {
        let mut rng = Rng::seed_from_u64(3);
        for q in [2u32, 3, 4, 9, 1 << 15, 1 << 30, 3u32.pow(19), 46337 * 46337, (1 << 31) - 1] {
            for _ in 0..50 {
                let mut draw = || [0, 1, q - 1, rng.random_range(0..q)][rng.random_range(0..4)];
                let (f, x, y) = (draw(), [draw(), draw(), draw()], [draw(), draw(), draw()]);
                let mut sum = y;
                add_multiple(&mut sum, f, &x, q);
                for k in 0..3 {
                    let exact = u64::from(y[k]) + u64::from(f) * u64::from(x[k]);
                    assert_eq!(u64::from(sum[k]), exact % u64::from(q), "{f} {x:?} {y:?} mod {q}");
                }
            }
        }
    }

    /// The textbook: the least valuation to the corner, everything else cleared by it.
    fn naive(a: &Triplets, p: u32, k: u32) -> Vec<usize> {
        let q = i128::from(p.pow(k));
        let mut m = vec![vec![0i128; a.cols()]; a.rows()];
        a.entries().for_each(|(i, j, v)| m[i][j] = i128::from(v.to_bigint().to_i64().unwrap()).rem_euclid(q));
        let valuation = |v: i128| (0..k).find(|&e| v % i128::from(p.pow(e + 1)) != 0).unwrap_or(k);
        let mut counts = vec![0; k as usize];
        for c in 0..a.rows().min(a.cols()) {
            let places = (c..a.rows()).flat_map(|i| (c..a.cols()).map(move |j| (i, j)));
            let (i, j) = places.min_by_key(|&(i, j)| valuation(m[i][j])).unwrap();
            let e = valuation(m[i][j]);
            if e == k {
                break;
            }
            counts[e as usize] += 1;
            m.swap(c, i);
            m.iter_mut().for_each(|row| row.swap(c, j));
            let power = i128::from(p.pow(e));
            let unit = i128::from(inverse((m[c][c] / power) as u32, q as u32));
            for i in c + 1..a.rows() {
                let f = m[i][c] / power * unit % q;
                (c..a.cols()).for_each(|j| m[i][j] = (m[i][j] - f * m[c][j]).rem_euclid(q));
            }
        }
        counts
    }

    #[test]
    fn random_matrices_have_the_valuations_of_the_textbook() {
        let mut rng = Rng::seed_from_u64(8);
        for round in 0..150 {
            let (p, k) = [(2u32, 5), (2, 30), (3, 4), (7, 2), (46337, 1), (5, 1)][round % 6];
            // Long rows come in batches of few, short ones together.
            let (m, n) = [(0, 4), (4, 0), (12, 9), (9, 12), (40, 7), (70, 60)][rng.random_range(0..6)];
            let weight = rng.random_range(0..=3 * (m + n));
            let entry = |rng: &mut Rng| i64::from(p).pow(rng.random_range(0..3)) * rng.random_range(-9..=9);
            let weight = if m * n > 0 { weight } else { 0 };
            let entries: Vec<_> =
                (0..weight).map(|_| (rng.random_range(0..m), rng.random_range(0..n), entry(&mut rng))).collect();
            let a = Triplets::from_entries(m, n, entries);
            assert_eq!(valuations(&a, p, k, &Silent).unwrap(), naive(&a, p, k), "{p}^{k}: {a:?}");
        }
        // More rows than a batch has, and pivots that come late: rows with units behind rows without.
        let (m, n) = (600, 9000);
        let entry =
            |i: usize, j: usize| (i, j, if i < 300 { 3 * (1 + (i * j) as i64 % 5) } else { 1 + (i ^ j) as i64 % 7 });
        let entries = (0..m).flat_map(|i| (0..5).map(move |t| entry(i, (i % 290 + 31 * t) % 400)));
        let a = Triplets::from_entries(m, n, entries.collect::<Vec<_>>());
        let small = Triplets::from_entries(m, 400, a.entries().map(|(i, j, v)| (i, j, v.to_bigint())));
        assert_eq!(valuations(&a, 3, 6, &Silent).unwrap(), naive(&small, 3, 6));
    }

    #[test]
    fn diagonals_have_their_valuations() {
        let diagonal =
            |d: &[i64]| Triplets::from_entries(9, 8, d.iter().enumerate().map(|(k, &d)| (k, (3 * k) % 8, d)));
        let a = diagonal(&[1, 2, -4, 12, 0, 3, 8, 5]);
        assert_eq!(valuations(&a, 2, 30, &Silent).unwrap()[..5], [3, 1, 2, 1, 0]);
        assert_eq!(valuations(&a, 2, 2, &Silent).unwrap(), [3, 1]);
        assert_eq!(valuations(&a, 3, 3, &Silent).unwrap(), [5, 2, 0]);
        assert_eq!(valuations(&Triplets::from_entries(0, 3, [(0, 0, 1); 0]), 7, 1, &Silent).unwrap(), [0]);
    }
}
