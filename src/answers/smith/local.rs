//! The Smith form over the integers localised at p, by elimination in ℤ/pᵏ, pᵏ < 2³¹.
//!
//! Pivots are units: every entry that one divides can be cleared by row and column operations. Once there are none
//! left, p divides everything that is left; it is divided out, which leaves a matrix mod pᵏ⁻¹, and the pivots of the
//! e-th round are the invariant factors with exactly pᵉ. What is left after k rounds is 0 mod pᵏ: invariant factors that
//! pᵏ divides, or none.
//!
//! A row without a unit stays without one while others are eliminated: its multipliers are multiples of p.

use crate::isa::{Isa, Kernel};
use crate::sparse::Triplets;
use crate::{Observer, Result, memory};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// What the memory is for.
const TABLE: &str = "a matrix mod a power of a prime";

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
        let (pivots, left) = Isa::best().run(Round { rows, p, q, observer })?;
        counts.push(pivots);
        rows = left;
        q /= p;
    }
    Ok(counts)
}

/// All unit pivots mod q, a power of p, and the rows that are left, divided by p.
struct Round<'a, 'o> {
    rows: Vec<&'a mut [u32]>,
    p: u32,
    q: u32,
    observer: &'o dyn Observer,
}

impl<'a> Kernel for Round<'a, '_> {
    type Output = Result<(usize, Vec<&'a mut [u32]>)>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Round { mut rows, p, q, observer } = self;
        let (mut done, mut pivots) = (0, 0);
        while done < rows.len() {
            // Rows before `done` have no unit.
            let Some(j) = rows[done].iter().position(|v| v % p != 0) else {
                done += 1;
                continue;
            };
            observer.check()?;
            let pivot = rows.swap_remove(done);
            let inverse = inverse(pivot[j], q);
            for row in rows.iter_mut().filter(|row| row[j] != 0) {
                let f = (u64::from(row[j]) * u64::from(inverse) % u64::from(q)) as u32;
                add_multiple(row, q - f, pivot, q);
            }
            pivots += 1;
        }
        rows.retain_mut(|row| {
            row.iter_mut().for_each(|v| *v /= p);
            row.iter().any(|&v| v != 0)
        });
        Ok((pivots, rows))
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
