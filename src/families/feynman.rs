//! Integration-by-parts relations of one-loop Feynman integrals (K. G. Chetyrkin, F. V. Tkachov, Nucl. Phys. B 192,
//! 1981), ordered as by S. Laporta (Int. J. Mod. Phys. A 15, 2000): the linear systems that particle physics reduces.
//!
//! I(a) = ∫ dᵈk / Π Dᵢ^aᵢ with n propagators Dᵢ = (k + qᵢ)² - mᵢ² and integers aᵢ. The integral of the divergence of
//! (k + qⱼ)/Π Dᵢ^aᵢ is 0. With 2·(k + qᵢ)·(k + qⱼ) = Dᵢ + Dⱼ + Yᵢⱼ, Yᵢⱼ = mᵢ² + mⱼ² - (qᵢ - qⱼ)², this says for each a
//! and j
//!
//! **0 = d·I(a) - Σᵢ aᵢ·(I(a) + I(a + eᵢ - eⱼ) + Yᵢⱼ·I(a + eᵢ))**.
//!
//! `ibp_n_s_t` has these n relations for each *seed*: a with some aᵢ > 0, the positive ones adding up to s at most, the
//! negative ones to -t at least. Integrals without a positive index vanish, and are left out. Columns are all integrals
//! within s + 1 and t + 1, the most complex first: by the number of positive indices, which they are, the sum of these,
//! the negated sum of the negative ones, and the indices. Relations come in the same order of their seeds, j last.
//! Numbers are fixed: d = 97/89, of which each relation is multiplied by 89; mᵢ² the first n primes, -(qᵢ - qⱼ)²
//! the following ones in the order (1, 0), (2, 0), (2, 1), …
//!
//! One propagator: I(a + 1) = (d - 2a)/(2a·m²)·I(a), one *master* I(1), rank s. For generic numbers each non-empty set
//! of propagators has one master, with the indices 1 there and 0 elsewhere: 2ⁿ - 1 in all.

use super::assemble::Shape;
use super::combinatorics::{binomial, product};
use crate::sparse::Triplets;
use crate::{Error, Result, memory};
use std::cmp::Reverse;
use std::collections::HashMap;

/// d, as a fraction.
const DIMENSION: [i64; 2] = [97, 89];
/// What the memory is for.
const INTEGRALS: &str = "the integrals of a system";

/// Indices of an integral.
type Indices = Vec<i32>;

/// How complex an integral is.
fn complexity(a: &Indices) -> (u32, u32, i32, i32, &Indices) {
    let sector = a.iter().enumerate().filter(|(_, v)| **v > 0).fold(0u32, |set, (i, _)| set | 1 << i);
    let sum = |sign: i32| a.iter().map(|v| (v * sign).max(0)).sum();
    (sector.count_ones(), sector, sum(1), sum(-1), a)
}

/// The number of integrals with positive indices that add up to s at most, negative ones to -t at least: Σₖ C(n, k)·
/// C(s, k)·C(t + n - k, n - k) over the numbers k ≥ 1 of positive ones.
fn count(n: usize, s: usize, t: usize) -> Option<u128> {
    let choose = |n: usize, k: usize| binomial(n as u128, k as u128);
    (1..=n).try_fold(0u128, |sum, k| sum.checked_add(product([choose(n, k), choose(s, k), choose(t + n - k, n - k)])?))
}

/// These integrals, the most complex first.
fn integrals(n: usize, s: usize, t: usize) -> Result<Vec<Indices>> {
    let mut all = vec![];
    let mut a = vec![0; n];
    fill(&mut a, 0, s as i32, t as i32, &mut all)?;
    all.sort_unstable_by(|a, b| Reverse(complexity(a)).cmp(&Reverse(complexity(b))));
    Ok(all)
}

fn fill(a: &mut Indices, at: usize, s: i32, t: i32, all: &mut Vec<Indices>) -> Result<()> {
    if at == a.len() {
        return if a.iter().any(|&v| v > 0) { memory::push(all, a.clone(), INTEGRALS) } else { Ok(()) };
    }
    for v in -t..=s {
        a[at] = v;
        fill(a, at + 1, s - v.max(0), t - (-v).max(0), all)?;
    }
    Ok(())
}

/// Yᵢⱼ.
fn kinematics(n: usize) -> Vec<Vec<i64>> {
    let mut primes = (2i64..).filter(|&k| (2..k).take_while(|d| d * d <= k).all(|d| k % d != 0));
    let masses: Vec<i64> = primes.by_ref().take(n).collect();
    let mut y = vec![vec![0; n]; n];
    for i in 0..n {
        y[i][i] = 2 * masses[i];
        for j in 0..i {
            y[i][j] = masses[i] + masses[j] + primes.next().expect("there are more primes");
            y[j][i] = y[i][j];
        }
    }
    y
}

/// `ibp_n_s_t`.
pub(super) fn relations(n: usize, s: usize, t: usize) -> Result<Triplets> {
    if !(1..=16).contains(&n) || s == 0 || s.max(t) >= 1 << 16 {
        return Err(Error::Usage(format!(
            "{n} propagators, seeds up to {s} and -{t}: 1 to 16 propagators and a positive index are needed"
        )));
    }
    let rows = count(n, s, t).and_then(|seeds| seeds.checked_mul(n as u128));
    let shape = Shape::checked(rows, count(n, s + 1, t + 1), product([rows, Some(2 * n as u128)]))?;
    let (seeds, columns, y) = (integrals(n, s, t)?, integrals(n, s + 1, t + 1)?, kinematics(n));
    let mut place = HashMap::new();
    memory::reserve_table(&mut place, columns.len(), INTEGRALS)?;
    place.extend(columns.iter().zip(0usize..));
    let (d, unit) = (DIMENSION[0], DIMENSION[1]);
    let mut entries = memory::with_capacity(shape.nnz, INTEGRALS)?;
    for (seed, a) in seeds.iter().enumerate() {
        for j in 0..n {
            let row = seed * n + j;
            let sum: i64 = a.iter().map(|&v| i64::from(v)).sum();
            entries.push((row, place[a], d - unit * sum));
            for i in (0..n).filter(|&i| a[i] != 0) {
                let factor = -unit * i64::from(a[i]);
                let mut next = a.clone();
                next[i] += 1;
                let mut add = |next: &Indices, v: i64| {
                    if let Some(&column) = place.get(next) {
                        entries.push((row, column, v));
                    }
                };
                add(&next, factor * y[i][j]);
                next[j] -= 1;
                add(&next, factor);
            }
        }
    }
    Triplets::try_from_entries(shape.rows, shape.cols, entries)
}

/// One propagator leaves one master; more are only reduced as far as the seeds reach.
pub(super) fn rank(n: usize, s: usize, t: usize, p: Option<crate::field::Modulus>) -> Option<usize> {
    (n == 1 && t == 0 && p.is_none() && s >= 1).then_some(s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrals_are_counted() {
        for n in 1..=4 {
            for s in 0..=4 {
                for t in 0..=3 {
                    let all = integrals(n, s, t).unwrap();
                    assert_eq!(all.len() as u128, count(n, s, t).unwrap(), "{n} {s} {t}");
                    assert!(all.windows(2).all(|pair| complexity(&pair[0]) > complexity(&pair[1])));
                }
            }
        }
    }

    /// Tadpoles: I(a + 1) = (d - 2a)/(2a·m²)·I(a), with m² = 2.
    #[test]
    fn one_propagator() {
        let a = relations(1, 3, 0).unwrap();
        let entries: Vec<_> = a.entries().map(|(i, j, v)| (i, j, v.to_string().parse::<i64>().unwrap())).collect();
        // I(4), I(3), I(2), I(1), and I(1) with a numerator is the same index: seeds 3, 2, 1.
        let expected: Vec<_> = [3i64, 2, 1]
            .iter()
            .enumerate()
            .flat_map(|(i, &a)| [(i, i, -89 * a * 4), (i, i + 1, 97 - 89 * 2 * a)])
            .collect();
        assert_eq!(entries, expected);
    }

    /// All relations are those of numbers: with the D's as variables, the coefficients are those of the derivatives. At
    /// a = (1, 0), j = 1: 0 = d·I(1,0) - (I(1,0) + I(2,-1) + Y·I(2,0)).
    #[test]
    fn a_relation_by_hand() {
        let (n, s, t) = (2, 1, 0);
        let a = relations(n, s, t).unwrap();
        let (seeds, columns) = (integrals(n, s, t).unwrap(), integrals(n, s + 1, t + 1).unwrap());
        let seed = seeds.iter().position(|a| *a == [1, 0]).unwrap();
        // m² = 2, 3; (q₁ - q₀)² = -5.
        assert_eq!(kinematics(2), [[4, 10], [10, 6]]);
        let row: Vec<_> = a.entries().filter(|e| e.0 == seed * n + 1).collect();
        let found: Vec<_> = row.iter().map(|(_, j, v)| (&columns[*j][..], v.to_string())).collect();
        let text = |v: i64| v.to_string();
        assert_eq!(found, [(&[2, -1][..], text(-89)), (&[2, 0], text(-890)), (&[1, 0], text(8))]);
        let row: Vec<_> = a.entries().filter(|e| e.0 == seed * n).collect();
        let found: Vec<_> = row.iter().map(|(_, j, v)| (&columns[*j][..], v.to_string())).collect();
        assert_eq!(found, [(&[2, 0][..], text(-356)), (&[1, 0], text(-81))]);
    }

    #[test]
    fn sizes_are_refused() {
        for (n, s, t) in [(0, 1, 0), (17, 1, 0), (1, 0, 0), (2, 1 << 16, 0)] {
            assert!(matches!(relations(n, s, t), Err(Error::Usage(_))));
        }
        assert!(matches!(relations(16, 60000, 60000), Err(Error::Usage(_) | Error::Memory(_))));
    }
}
