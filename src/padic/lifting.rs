//! Digits of solutions, one after the other.

use super::layers::{Layer, Layers, digits};
use super::sides::Side;
use super::triangle::Word;
use crate::field::Modulus;
use crate::isa::{Isa, Kernel};
use crate::parallel::Each;
use crate::report::Bytes;
use crate::sparse::Integer;
use crate::{Error, Result, memory};
use num_bigint::BigUint;
use rayon::prelude::*;

/// What the memory is for.
const DIGITS: &str = "the digits of a solution";
/// Rows that one task updates.
const TASK: usize = 1 << 12;
/// Combinations of coordinates whose digits are recorded too.
pub(super) const COMBINATIONS: usize = 2;

/// The digits of up to `L` solutions so far, and what is left to be solved.
pub(super) struct Lifting<'a, const L: usize> {
    p: Modulus,
    layers: &'a Layers,
    first: &'a Layer,
    /// 1/p mod 2¹²⁸.
    inverse: u128,
    /// Digits of the right sides.
    sides: Vec<Vec<[i32; L]>>,
    residual: Residual<L>,
    digits: Vec<Vec<[i32; L]>>,
    /// Of the combinations: by right side, then by combination.
    pub combined: Vec<[Combined; COMBINATIONS]>,
    /// The largest absolute value in each right side.
    pub largest: Vec<BigUint>,
    /// A bound on the logarithm of the numerators and of the denominator, see [`numerator_bits`].
    pub numerator_bits: f64,
}

/// The digits of Σ cⱼ·xⱼ.
#[derive(Clone, Debug, Default)]
pub(super) struct Combined {
    pub digits: Vec<i32>,
    carry: i128,
}

/// What is carried to the next digit.
enum Residual<const L: usize> {
    Narrow(Vec<[i64; L]>),
    Wide(Vec<[i128; L]>),
}

/// All digits so far, and what is carried to the next one, in either of two sizes.
pub(super) type Progress<const L: usize> = (Vec<Vec<[i32; L]>>, Option<Vec<[i64; L]>>, Option<Vec<[i128; L]>>);

/// A bound on log₂ of |det M| and of |det of M with b for a column|, for right sides b whose entries in row i have at
/// most `bits[i]` bits: the smaller of two.
///
/// - Hadamard's, by rows, the entry of b in each.
/// - Σᵢ |bᵢ|·|minor of the other rows and columns| ≤ n·max |bᵢ|·Πᵢ ‖row i of M‖: a row of a nonsingular integer matrix
///   has norm 1 at least, so that a minor of fewer rows and columns does not exceed the product of all norms.
fn numerator_bits(layers: &Layers, bits: &[u64]) -> f64 {
    let row = |(&(entry, half), &side): (&(f64, f64), &u64)| entry.max(side as f64) + half;
    let within = layers.row_bits.iter().zip(bits).map(row).sum::<f64>();
    let largest = bits.iter().copied().max().unwrap_or(0);
    let apart = layers.hadamard_bits + (bits.len() as f64).max(1.0).log2() + largest as f64;
    within.min(apart).max(layers.hadamard_bits)
}

impl<'a, const L: usize> Lifting<'a, L> {
    /// For up to `L` right sides, by the rows of A; `first` is M mod p, the others of `layers` follow it.
    pub fn new(
        p: Modulus,
        layers: &'a Layers,
        first: &'a Layer,
        right: &[Side<'_>],
        row_place: &[u32],
    ) -> Result<Self> {
        let order = first.start.len() - 1;
        let mut sides: Vec<Vec<[i32; L]>> = vec![];
        let mut largest = vec![BigUint::ZERO; right.len()];
        let mut bits = memory::zeros::<u64>(order, DIGITS)?;
        for (lane, side) in right.iter().enumerate() {
            for (i, v) in side {
                let place = row_place[*i as usize];
                if place == u32::MAX {
                    continue;
                }
                let magnitude = match v {
                    Integer::Small(v) => BigUint::from(v.unsigned_abs()),
                    Integer::Big(v) => v.magnitude().clone(),
                };
                bits[place as usize] = bits[place as usize].max(magnitude.bits());
                if magnitude > largest[lane] {
                    largest[lane] = magnitude;
                }
                let mut failed = Ok(());
                digits(p, v, |t, digit| {
                    while sides.len() <= t && failed.is_ok() {
                        failed = memory::filled([0; L], order, DIGITS).map(|zeros| sides.push(zeros));
                    }
                    if let Some(side) = sides.get_mut(t) {
                        side[place as usize][lane] = digit;
                    }
                });
                failed?;
            }
        }
        let numerator_bits = numerator_bits(layers, &bits);
        // |r| ≤ (N + 1)·p/2 + |r|/p, N the sum of the digits of a row: below (N + 1)·p.
        let narrow = (layers.digit_norm + 2).saturating_mul(p.get().into()) < 1 << 62;
        let residual = match narrow {
            true => Residual::Narrow(memory::filled([0; L], order, DIGITS)?),
            false => Residual::Wide(memory::filled([0; L], order, DIGITS)?),
        };
        // Newton: each step doubles the bits that are right, 3 at first.
        let q = u128::from(p.get());
        let inverse = (0..6).fold(q, |x, _| x.wrapping_mul(2u128.wrapping_sub(q.wrapping_mul(x))));
        let combined = vec![Default::default(); right.len()];
        Ok(Lifting { p, layers, first, inverse, sides, residual, digits: vec![], combined, largest, numerator_bits })
    }

    /// What a [`Progress`] is read from, for a process that goes on with it.
    pub fn progress(&self) -> impl Bytes + '_ {
        let (narrow, wide) = match &self.residual {
            Residual::Narrow(residual) => (Some(&residual[..]), None),
            Residual::Wide(residual) => (None, Some(&residual[..])),
        };
        (&self.digits[..], narrow, wide)
    }
    /// Goes on from there; from the beginning if it has another shape.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn restore(&mut self, (digits, narrow, wide): Progress<L>) -> Result<()> {
        let order = self.order();
        let residual = match (narrow, wide, &self.residual) {
            (Some(r), None, Residual::Narrow(_)) if r.len() == order => Residual::Narrow(r),
            (None, Some(r), Residual::Wide(_)) if r.len() == order => Residual::Wide(r),
            _ => return Ok(()),
        };
        if digits.iter().any(|x| x.len() != order) {
            return Ok(());
        }
        self.residual = residual;
        for x in digits {
            self.combine(&x);
            memory::push(&mut self.digits, x, DIGITS)?;
        }
        Ok(())
    }

    /// The number of digits.
    pub fn len(&self) -> usize {
        self.digits.len()
    }
    /// The digits of coordinate j of a solution, up to number k.
    pub fn coordinate(&self, j: usize, lane: usize, k: usize, to: &mut Vec<i32>) {
        to.clear();
        to.extend(self.digits[..k].iter().map(|digits| digits[j][lane]));
    }
    pub fn order(&self) -> usize {
        self.first.start.len() - 1
    }

    /// One more digit: `solve` returns M⁻¹·c mod p.
    ///
    /// # Errors
    /// [`Error::Check`] if what `solve` returned is no solution.
    pub fn step(&mut self, solve: impl Fn(&[[i32; L]]) -> Result<Vec<[i32; L]>>) -> Result<()> {
        let mut residual = std::mem::replace(&mut self.residual, Residual::Narrow(vec![]));
        let x = match &mut residual {
            Residual::Narrow(residual) => self.step_in(residual, solve)?,
            Residual::Wide(residual) => self.step_in(residual, solve)?,
        };
        self.residual = residual;
        self.combine(&x);
        memory::push(&mut self.digits, x, DIGITS)
    }

    fn step_in<W: Word>(
        &self,
        residual: &mut [[W; L]],
        solve: impl Fn(&[[i32; L]]) -> Result<Vec<[i32; L]>>,
    ) -> Result<Vec<[i32; L]>> {
        let k = self.len();
        if let Some(side) = self.sides.get(k) {
            residual.iter_mut().zip(side).for_each(|(r, b)| (0..L).for_each(|l| r[l].add(W::from(b[l]))));
        }
        for (t, layer) in self.layers.layers.iter().enumerate() {
            if let Some(x) = k.checked_sub(t + 1).map(|k| &self.digits[k]) {
                subtract(layer, x, residual);
            }
        }
        let mut c = memory::with_capacity(residual.len(), DIGITS)?;
        c.extend(residual.iter().map(|r| r.map(|r| r.reduce(self.p))));
        let x = solve(&c)?;
        subtract(self.first, &x, residual);
        let mut exact = true;
        for r in residual.iter_mut().flatten() {
            match r.divide(self.p, self.inverse) {
                Some(quotient) => *r = quotient,
                None => exact = false,
            }
        }
        if exact { Ok(x) } else { Err(Error::Check("a residual is no multiple of the prime".into())) }
    }

    /// The next digits of the combinations. Their coefficients are fixed: a bad choice costs time, nothing else.
    fn combine(&mut self, x: &[[i32; L]]) {
        let p = i128::from(self.p.get());
        for (lane, combined) in self.combined.iter_mut().enumerate() {
            let mut sums = [0i128; COMBINATIONS];
            for (j, x) in (0u64..).zip(x) {
                for (c, sum) in sums.iter_mut().enumerate() {
                    *sum += i128::from(coefficient(j, c as u64) * i64::from(x[lane]));
                }
            }
            for (sum, Combined { digits, carry }) in sums.into_iter().zip(combined) {
                let sum = sum + *carry;
                let digit = Word::reduce(sum, self.p);
                *carry = (sum - i128::from(digit)) / p;
                digits.push(digit);
            }
        }
    }
}

/// A number of absolute value below 2¹⁴ (G. L. Steele, D. Lea, C. H. Flood, *Fast splittable pseudorandom number
/// generators*, OOPSLA 2014).
fn coefficient(j: u64, c: u64) -> i64 {
    let z = (2 * j + c + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z >> 49) as i64 - (1 << 14)
}

/// r ← r - Mₜ·x.
fn subtract<W: Word, const L: usize>(layer: &Layer, x: &[[i32; L]], residual: &mut [[W; L]]) {
    let isa = Isa::best();
    let tasks = residual.par_chunks_mut(TASK).enumerate();
    tasks.each(|(n, to)| isa.run(Subtract { layer, x, first: n * TASK, to }));
}

/// Some rows of it.
struct Subtract<'a, W, const L: usize> {
    layer: &'a Layer,
    x: &'a [[i32; L]],
    first: usize,
    to: &'a mut [[W; L]],
}

impl<W: Word, const L: usize> Kernel for Subtract<'_, W, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Subtract { layer, x, first, to } = self;
        for (n, to) in to.iter_mut().enumerate() {
            let (cols, values) = layer.row(first + n);
            let mut sums = *to;
            for (&j, &a) in cols.iter().zip(values) {
                let x = &x[j as usize];
                (0..L).for_each(|l| sums[l].subtract(a, x[l]));
            }
            *to = sums;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::rng_from_seed;
    use crate::sparse::Triplets;
    use num_bigint::BigInt;
    use num_traits::{Signed, Zero};
    use rand::RngExt;

    /// By the first row.
    fn determinant(m: &[Vec<BigInt>]) -> BigInt {
        let Some((first, rest)) = m.split_first() else { return 1.into() };
        let mut sum = BigInt::zero();
        for (j, v) in first.iter().enumerate().filter(|(_, v)| !v.is_zero()) {
            let without =
                |row: &Vec<BigInt>| row.iter().enumerate().filter(|(k, _)| *k != j).map(|(_, v)| v.clone()).collect();
            let minor = determinant(&rest.iter().map(without).collect::<Vec<_>>());
            sum += if j % 2 == 0 { v * minor } else { -(v * minor) };
        }
        sum
    }

    #[test]
    fn no_determinant_with_the_right_side_exceeds_the_bound() {
        let (mut rng, p) = (rng_from_seed(12), Modulus::new(101).unwrap());
        let (mut tested, mut by_expansion) = (0, 0);
        while tested < 300 {
            let n = rng.random_range(1..=5usize);
            let size = 1i64 << rng.random_range(1..40);
            let mut m = vec![vec![BigInt::zero(); n]; n];
            for v in m.iter_mut().flatten() {
                *v = if rng.random_bool(0.7) { rng.random_range(-size..=size).into() } else { BigInt::zero() };
            }
            if determinant(&m).is_zero() {
                continue;
            }
            tested += 1;
            let entries = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            let entries = entries.map(|(i, j)| (i, j, crate::sparse::Integer::from(m[i][j].clone())));
            let places: Vec<u32> = (0..n as u32).collect();
            let a = Triplets::try_from_entries(n, n, entries.collect::<Vec<_>>()).unwrap();
            let layers = Layers::new(p, &a, n, &places, &places).unwrap();
            let large = rng.random_range(1..120u32);
            let b: Vec<BigInt> = (0..n).map(|_| (BigInt::from(1) << rng.random_range(0..large)) - 1).collect();
            let bits: Vec<u64> = b.iter().map(BigInt::bits).collect();
            let bound = numerator_bits(&layers, &bits);
            by_expansion +=
                usize::from(bound < layers.row_bits.iter().zip(&bits).map(|((e, h), &b)| e.max(b as f64) + h).sum());
            for j in 0..=n {
                let mut with = m.clone();
                with.iter_mut().zip(&b).filter(|_| j < n).for_each(|(row, b)| row[j] = b.clone());
                let found = determinant(&with).abs();
                assert!(found.bits() as f64 <= bound + 1.0, "{found} has more than {bound} bits: {m:?}, {b:?}");
            }
        }
        assert!(by_expansion > 30, "{by_expansion}");
    }
}
