//! The Smith form in ℤ/N by greatest common divisors: for what nobody can factor.
//!
//! ℤ/N is a principal ideal ring. If all invariant factors of A divide N properly, more exactly if s_r·q | N for a q >
//! 1 that every prime of interest divides, elimination mod N leaves a diagonal d₁, d₂, … and the N-part of sᵢ, gcd(sᵢ,
//! N), is the i-th invariant factor of diag(gcd(dᵢ, N)) (H. Cohen, *A Course in Computational Algebraic Number Theory*,
//! 2.4.14, for the idea). Every operation is unimodular over ℤ, on representatives in 0 … N-1.

use super::diagonal::Diagonal;
use crate::integers::large_gcd;
use crate::sparse::Triplets;
use crate::{Observer, Result, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

/// What the memory is for.
const TABLE: &str = "a matrix mod N";

/// gcd(sᵢ, N) for the `rank` invariant factors sᵢ, none of which is 0 mod N, ascending, with multiplicities; `None` if
/// another number of factors is not 0 mod N.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub(super) fn smith_mod(
    a: &Triplets,
    n: &BigUint,
    rank: usize,
    observer: &dyn Observer,
) -> Result<Option<Vec<(BigUint, usize)>>> {
    let mut table: Vec<Vec<BigInt>> = memory::with_capacity(a.rows(), TABLE)?;
    for _ in 0..a.rows() {
        table.push(memory::filled(BigInt::ZERO, a.cols(), TABLE)?);
    }
    a.entries().for_each(|(i, j, v)| table[i][j] = v.to_bigint());
    let factors = factors_mod(table, n, observer)?;
    Ok((factors.iter().map(|(_, count)| count).sum::<usize>() == rank).then_some(factors))
}

/// gcd(sᵢ, N) for the invariant factors sᵢ of a table of rows that are not 0 mod N, ascending, with multiplicities.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub(super) fn factors_mod(
    mut table: Vec<Vec<BigInt>>,
    n: &BigUint,
    observer: &dyn Observer,
) -> Result<Vec<(BigUint, usize)>> {
    let modulus = BigInt::from(n.clone());
    let reduced = |v: BigInt| -> BigInt {
        let r = v % &modulus;
        if r < BigInt::ZERO { r + &modulus } else { r }
    };
    table.iter_mut().flatten().for_each(|v| *v = reduced(std::mem::take(v)));
    let least = table.len().min(table.first().map_or(0, Vec::len));
    let mut diagonal = Diagonal::default();
    observer.phase("elimination mod N", least as u64);
    let mut first = 0;
    while first < least {
        observer.check()?;
        observer.progress(first as u64);
        // A unit if there is one: then the first pass is the last.
        let weight = |v: &BigInt| large_gcd(v.magnitude().clone(), n.clone());
        let mut best: Option<(BigUint, usize, usize)> = None;
        'search: for (i, row) in table.iter().enumerate().skip(first) {
            for (j, v) in row.iter().enumerate().skip(first).filter(|e| !e.1.is_zero()) {
                let own = weight(v);
                if best.as_ref().is_none_or(|best| own < best.0) {
                    let unit = own.is_one();
                    best = Some((own, i, j));
                    if unit {
                        break 'search;
                    }
                }
            }
        }
        let Some((_, i, j)) = best else { break };
        table.swap(first, i);
        table.iter_mut().for_each(|row| row.swap(first, j));
        while clear_column(&mut table, first, &reduced) | clear_row(&mut table, first, &reduced) {}
        diagonal.add(weight(&table[first][first]), 1);
        first += 1;
    }
    // diag(2, 3) mod 6 is diag(1, 0): only of a chain of divisors the entries other than 0 can be counted.
    let mut factors = diagonal.invariant_factors(observer)?;
    factors.retain(|(factor, _)| factor != n);
    Ok(factors)
}

/// Row operations that leave the column 0 below its first entry; whether anything beside the pivot's row may have
/// changed.
fn clear_column(table: &mut [Vec<BigInt>], k: usize, reduced: &impl Fn(BigInt) -> BigInt) -> bool {
    let mut changed = false;
    let (above, below) = table.split_at_mut(k + 1);
    let own = &mut above[k];
    for row in below.iter_mut().filter(|row| !row[k].is_zero()) {
        changed = true;
        let step = Step::of(&own[k], &row[k]);
        for (x, y) in own[k..].iter_mut().zip(&mut row[k..]) {
            (*x, *y) = step.apply(x, y, reduced);
        }
    }
    changed
}

/// The same by column operations.
fn clear_row(table: &mut [Vec<BigInt>], k: usize, reduced: &impl Fn(BigInt) -> BigInt) -> bool {
    let mut changed = false;
    for j in k + 1..table[k].len() {
        if table[k][j].is_zero() {
            continue;
        }
        let step = Step::of(&table[k][k], &table[k][j]);
        // A column that is 0 below the pivot stays so as long as the pivot divides.
        changed |= !step.keeps();
        for row in &mut table[k..] {
            (row[k], row[j]) = step.apply(&row[k], &row[j], reduced);
        }
    }
    changed
}

/// A unimodular operation (x, y) ↦ (s·x + t·y, u·x + v·y) that maps (a, b) to (gcd, 0).
struct Step([BigInt; 4]);

impl Step {
    fn of(a: &BigInt, b: &BigInt) -> Step {
        if (b % a).is_zero() {
            return Step([BigInt::one(), BigInt::ZERO, -(b / a), BigInt::one()]);
        }
        let (mut r, mut s, mut t) = ([a.clone(), b.clone()], [1, 0].map(BigInt::from), [0, 1].map(BigInt::from));
        while !r[1].is_zero() {
            let q = &r[0] / &r[1];
            for pair in [&mut r, &mut s, &mut t] {
                let next = &pair[0] - &q * &pair[1];
                pair.swap(0, 1);
                pair[1] = next;
            }
        }
        let [g, _] = r;
        let ([s, _], [t, _]) = (s, t);
        Step([s, t, -(b / &g), a / &g])
    }
    /// Whether x stays.
    fn keeps(&self) -> bool {
        self.0[1].is_zero()
    }
    fn apply(&self, x: &BigInt, y: &BigInt, reduced: &impl Fn(BigInt) -> BigInt) -> (BigInt, BigInt) {
        let [s, t, u, v] = &self.0;
        if self.keeps() {
            return (x.clone(), reduced(y + u * x));
        }
        (reduced(s * x + t * y), reduced(u * x + v * y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    #[test]
    fn zeros_of_a_ring_with_divisors_of_zero() {
        let form = |entries: &[(usize, usize, i64)], n: u32, rank: usize| {
            let a = Triplets::from_entries(3, 3, entries.iter().copied());
            smith_mod(&a, &n.into(), rank, &Silent).unwrap()
        };
        let one = BigUint::one();
        // Not a chain: 2 and 3 mod 6 are 1 and 0.
        assert_eq!(form(&[(0, 0, 2), (1, 1, 3)], 6, 1), Some(vec![(one.clone(), 1)]));
        assert_eq!(form(&[(0, 0, 2), (1, 1, 3)], 6, 2), None);
        assert_eq!(form(&[(0, 0, 2), (1, 1, 3)], 36, 2), Some(vec![(one, 1), (6u32.into(), 1)]));
        assert_eq!(form(&[(0, 0, 4), (0, 1, 6), (1, 0, 10)], 240, 2), Some(vec![(2u32.into(), 1), (30u32.into(), 1)]));
        assert_eq!(form(&[], 7, 0), Some(vec![]));
    }
}
