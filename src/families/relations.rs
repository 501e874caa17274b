//! Relations as the index calculus has them: sparse rows of small exponents whose columns thin out, and logarithms that
//! satisfy them.
//!
//! A relation says that a quotient of two smooth numbers is 1: its row has the exponents of the factor base, the primes
//! q₀ = 2, q₁ = 3, …, positive ones from the numerator, negative ones from the denominator. Row i contains q_j with j =
//! 1 + (i mod (cols - 1)) once more, as a lattice sieve has a special prime in each relation. The other 4 to 8 factors
//! on each side are drawn with probabilities proportional to q^(-5/6): the chance that q divides a smooth number falls
//! as q^(-α), and α = 1 - log(u log u)/log y is about 5/6 for parameters in use (A. Hildebrand, G. Tenenbaum, Trans.
//! AMS 296, 1986).
//!
//! Logarithms x are planted: x₀ = 1, the others are -2, -1, 1 or 2, and the exponent of 2 is what makes A·x = 0. So
//! the rank is at most cols - 1 over every field, and no theorem says more; with at least as many rows as columns it is
//! cols - 1, or a few less, for all that were tried.

use super::assemble::Shape;
use super::number_theory::first_primes;
use crate::field::Rng;
use crate::sparse::{Numbers, Triplets};
use crate::{Error, Result, memory};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rand::{Rng as _, RngExt, SeedableRng};
use std::collections::BTreeMap;

/// What the memory is for.
const RELATIONS: &str = "relations";
/// Factors on a side: these, and up to so many more.
const FACTORS: [u32; 2] = [4, 4];
/// The largest factor base.
const PRIMES: usize = 10_000_000;
/// The bits of the weight of the factor 1.
const BITS: u64 = 40;

/// `rows` relations among `cols` primes.
pub(super) fn relations(rows: usize, cols: usize, seed: usize) -> Result<Triplets> {
    if !(2..=PRIMES).contains(&cols) {
        return Err(Error::Usage(format!("relations among {cols} primes: 2 to {PRIMES} are possible")));
    }
    let most = rows as u128 * u128::from(2 * (FACTORS[0] + FACTORS[1]) + 2);
    let shape = Shape::checked(Some(rows as u128), Some(cols as u128), Some(most))?;
    let sums = weights(cols)?;
    let logarithms = planted(cols, seed)?;
    let mut a = Triplets { rows, cols, ..Default::default() };
    a.value = Numbers::new();
    for i in 0..shape.rows {
        let row = relation(i, seed, &sums, &logarithms);
        memory::reserve(&mut a.row, row.len(), RELATIONS)?;
        memory::reserve(&mut a.col, row.len(), RELATIONS)?;
        for (j, v) in row {
            a.row.push(i as u32);
            a.col.push(j as u32);
            a.value.try_push(v)?;
        }
    }
    Ok(a)
}

/// Σ ⌊2⁴⁰ / q^(5/6)⌋ over q₁ … q_j for each j from 1 on, in whole numbers: the same on every machine.
fn weights(cols: usize) -> Result<Vec<u64>> {
    let one = BigUint::from(1u32) << (6 * BITS);
    let mut sum = 0;
    let weight = |q: &usize| (&one / BigUint::from(*q).pow(5)).nth_root(6).to_u64().expect("at most 40 bits");
    let sums = first_primes(cols).into_iter().skip(1).map(|q| {
        sum += weight(&q).max(1);
        sum
    });
    memory::collect(sums, RELATIONS)
}

/// The logarithms of q₀, q₁, ….
pub(super) fn planted(cols: usize, seed: usize) -> Result<Vec<i64>> {
    let mut rng = Rng::seed_from_u64(seed as u64);
    let others = (1..cols).map(|_| [-2, -1, 1, 2][rng.random_range(0..4usize)]);
    memory::collect(std::iter::once(1).chain(others), RELATIONS)
}

/// The exponents of relation i that are not 0.
fn relation(i: usize, seed: usize, sums: &[u64], logarithms: &[i64]) -> BTreeMap<usize, i64> {
    let mut rng = Rng::seed_from_u64(seed as u64);
    rng.set_stream(i as u64 + 1);
    let mut row = BTreeMap::new();
    row.insert(1 + i % sums.len(), 1);
    for sign in [1, -1] {
        let more = rng.next_u32() & ((1 << FACTORS[1]) - 1);
        for _ in 0..FACTORS[0] + more.count_ones() {
            let at = rng.random_range(0..sums[sums.len() - 1]);
            *row.entry(1 + sums.partition_point(|&sum| sum <= at)).or_default() += sign;
        }
    }
    let two = -row.iter().map(|(&j, v)| logarithms[j] * v).sum::<i64>();
    row.insert(0, two);
    row.retain(|_, v| *v != 0);
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Modulus;

    #[test]
    fn logarithms_satisfy_the_relations() {
        for (rows, cols, seed) in [(0, 2, 1), (5, 2, 1), (60, 50, 7), (400, 300, 2), (40, 300, 3)] {
            let (a, x) = (relations(rows, cols, seed).unwrap(), planted(cols, seed).unwrap());
            let mut sums = vec![0; rows];
            (0..a.nnz()).for_each(|k| sums[a.row[k] as usize] += a.value.get(k) * x[a.col[k] as usize]);
            assert!((a.rows, a.cols) == (rows, cols) && sums.iter().all(|&sum| sum == 0));
        }
    }

    #[test]
    fn columns_thin_out_and_the_rank_is_one_less() {
        let a = relations(500, 400, 1).unwrap();
        let count = |range: std::ops::Range<u32>| a.col.iter().filter(|j| range.contains(j)).count();
        // Entries per column: more than 80, more than 15, fewer than 10.
        assert!(count(0..10) > 800 && count(10..100) > 15 * 90 && count(300..400) < 10 * 100);
        assert!((8 * 500..18 * 500).contains(&a.nnz()));
        let rank = a.reduce(Modulus::new((1 << 61) - 1).unwrap()).rank().unwrap().rank;
        assert_eq!(rank, 399);
        assert_ne!(a, relations(500, 400, 2).unwrap());
    }

    #[test]
    fn wrong_sizes_are_refused() {
        for (rows, cols) in [(5, 0), (5, 1), (5, 10_000_001), (1 << 32, 5)] {
            assert!(relations(rows, cols, 1).is_err());
        }
    }
}
