//! Integers and integer matrices in radix p, with digits of absolute value up to p/2: M = Σ Mₜ·pᵗ.

use crate::field::Modulus;
use crate::sparse::{Integer, Triplets};
use crate::{Error, Result, memory};
use num_bigint::BigInt;
use num_traits::Zero;

/// What the memory is for.
const LAYERS: &str = "an integer matrix in radix p";

/// The digits of an integer, lowest first; none of 0. p is odd, so that they end: |v| falls with each.
pub(super) fn digits(p: Modulus, v: &Integer<'_>, mut each: impl FnMut(usize, i32)) {
    let small = |mut v: i64, mut t: usize, each: &mut dyn FnMut(usize, i32)| {
        while v != 0 {
            let digit = p.balanced(p.reduce_i64(v));
            each(t, digit as i32);
            // |v - digit| may leave the word by p/2.
            v = ((i128::from(v) - i128::from(digit)) / i128::from(p.get())) as i64;
            t += 1;
        }
    };
    match v {
        Integer::Small(v) => small(*v, 0, &mut each),
        Integer::Big(v) => {
            let (q, mut v, mut t) = (BigInt::from(p.get()), v.as_ref().clone(), 0);
            while !v.is_zero() {
                if let Ok(word) = i64::try_from(&v) {
                    return small(word, t, &mut each);
                }
                let digit = p.balanced(p.reduce_bigint(&v));
                each(t, digit as i32);
                v = (v - digit) / &q;
                t += 1;
            }
        }
    }
}

/// One digit of all entries, by rows.
#[derive(Debug)]
pub(super) struct Layer {
    pub start: Vec<usize>,
    pub col: Vec<u32>,
    pub value: Vec<i32>,
}

/// A square matrix in radix p.
#[derive(Debug)]
pub(super) struct Layers {
    /// The first is M mod p. There is always one.
    pub layers: Vec<Layer>,
    /// The largest sum of absolute values of digits, over all layers, of a row.
    pub digit_norm: u128,
    /// The largest sum of absolute values of a row of M.
    pub norm: BigInt,
    /// A bound on log₂ of the product of the Euclidean norms of the rows, each with a further entry that does not
    /// exceed the row's largest.
    pub hadamard_bits: f64,
    /// The same for each row alone, in bits: its largest entry's, and half those of the number of its entries.
    pub row_bits: Vec<(f64, f64)>,
}

impl Layers {
    /// The rows and columns of `a` that have a place, in the order of their places; `order` of each.
    pub fn new(p: Modulus, a: &Triplets, order: usize, row_place: &[u32], col_place: &[u32]) -> Result<Layers> {
        let inside = || {
            a.entries().filter_map(|(i, j, v)| {
                let (i, j) = (row_place[i], col_place[j]);
                (i != u32::MAX && j != u32::MAX).then_some((i, j, v))
            })
        };
        let mut counts: Vec<Vec<usize>> = vec![memory::zeros(order + 1, LAYERS)?];
        let mut failed = None;
        let mut sums = memory::filled(BigInt::ZERO, order, LAYERS)?;
        let (mut small_sums, mut entry_bits) =
            (memory::zeros::<u64>(order, LAYERS)?, memory::zeros::<u64>(order, LAYERS)?);
        let mut numbers = memory::zeros::<u32>(order, LAYERS)?;
        for (i, _, v) in inside() {
            let i = i as usize;
            numbers[i] += 1;
            let bits = match &v {
                Integer::Small(v) => u64::from(64 - v.unsigned_abs().leading_zeros()),
                Integer::Big(v) => v.bits(),
            };
            entry_bits[i] = entry_bits[i].max(bits);
            match &v {
                Integer::Small(v) if v.unsigned_abs() < 1 << 31 => small_sums[i] += v.unsigned_abs(),
                v => sums[i] += BigInt::from(v.to_bigint().magnitude().clone()),
            }
            digits(p, &v, |t, _| {
                while counts.len() <= t && failed.is_none() {
                    match memory::zeros(order + 1, LAYERS) {
                        Ok(zeros) => counts.push(zeros),
                        Err(error) => failed = Some(error),
                    }
                }
                if let Some(count) = counts.get_mut(t) {
                    count[i + 1] += 1;
                }
            });
        }
        if let Some(error) = failed {
            return Err(error);
        }
        let norm = sums.into_iter().zip(small_sums).map(|(sum, small)| sum + small).max().unwrap_or_default();
        let row_bits: Vec<(f64, f64)> = memory::collect(
            entry_bits.iter().zip(&numbers).map(|(&bits, &n)| (bits as f64, f64::from(n + 1).log2() / 2.0)),
            LAYERS,
        )?;
        let mut layers = memory::with_capacity(counts.len(), LAYERS)?;
        for mut start in counts {
            (0..order).for_each(|i| start[i + 1] += start[i]);
            let (col, value) = (memory::zeros(start[order], LAYERS)?, memory::zeros(start[order], LAYERS)?);
            layers.push(Layer { start, col, value });
        }
        let mut next: Vec<Vec<usize>> = vec![];
        for layer in &layers {
            next.push(memory::copy(&layer.start, LAYERS)?);
        }
        let mut digit_sums = memory::zeros::<u128>(order, LAYERS)?;
        for (i, j, v) in inside() {
            digits(p, &v, |t, digit| {
                let at = &mut next[t][i as usize];
                (layers[t].col[*at], layers[t].value[*at]) = (j, digit);
                *at += 1;
                digit_sums[i as usize] += u128::from(digit.unsigned_abs());
            });
        }
        let digit_norm = digit_sums.into_iter().max().unwrap_or(0);
        // Digits that are 0 within a number are kept but for the first layer, in whose lines they would be no entries.
        layers[0].drop_zeros();
        let hadamard_bits = row_bits.iter().map(|(bits, half)| bits + half).sum();
        Ok(Layers { layers, digit_norm, norm, hadamard_bits, row_bits })
    }
}

impl Layer {
    fn drop_zeros(&mut self) {
        let Layer { start, col, value } = self;
        let (mut kept, mut from) = (0, 0);
        for end in &mut start[1..] {
            for at in from..*end {
                if value[at] != 0 {
                    (col[kept], value[kept]) = (col[at], value[at]);
                    kept += 1;
                }
            }
            from = std::mem::replace(end, kept);
        }
        col.truncate(kept);
        value.truncate(kept);
    }
    /// The entries of row i.
    #[inline(always)]
    pub fn row(&self, i: usize) -> (&[u32], &[i32]) {
        let range = self.start[i]..self.start[i + 1];
        (&self.col[range.clone()], &self.value[range])
    }
    /// Sorts the columns of each row.
    pub fn sort(&mut self) {
        let Layer { start, col, value } = self;
        let mut row: Vec<(u32, i32)> = vec![];
        for range in start.windows(2) {
            let range = range[0]..range[1];
            row.clear();
            row.extend(col[range.clone()].iter().copied().zip(value[range.clone()].iter().copied()));
            row.sort_unstable();
            for (at, &(j, v)) in range.zip(&row) {
                (col[at], value[at]) = (j, v);
            }
        }
    }
}

/// # Errors
/// [`Error::Check`] for what is no prime that digits can be made of.
pub(super) fn check_prime(p: Modulus, most_bits: u32) -> Result<()> {
    if p.get() == 2 || p.bits() > most_bits {
        return Err(Error::Check(format!("digits mod {p}: an odd prime of at most {most_bits} bits is needed")));
    }
    Ok(())
}
