//! Residues on their way into the tiles: balanced, cut into words, laid out strip by strip.

use super::arithmetic::{Arithmetic, Form};
use super::bytes;
use super::place::Place;
use super::reduce::{Narrow, balanced};
use crate::dense::entry::Entry;
use crate::isa::Kernel;

/// The word of two halves.
#[inline(always)]
pub(super) fn pair(low: i32, high: i32) -> i32 {
    low & 0xffff | high << 16
}

/// The word of x and 2⁸x, balanced residues both.
#[inline(always)]
pub(super) fn digits(narrow: Narrow, x: i32) -> i32 {
    pair(x, narrow.balanced(narrow.reduce(x << 8) as u64))
}

/// x = x₁·2ʷ + x₀ with -2ʷ⁻¹ ≤ x₀ < 2ʷ⁻¹, as (x₀, x₁).
#[inline(always)]
pub(super) fn limbs(x: i64, width: u32) -> [i32; 2] {
    let low = x << (64 - width) >> (64 - width);
    [low as i32, (x.wrapping_sub(low) >> width) as i32]
}

/// Writes `rows` × `terms` of sign·A as one strip of `strip` rows of words, depth × strip.
pub(super) struct PackA<'a, T> {
    pub of: Arithmetic,
    pub rows: usize,
    pub terms: usize,
    pub sign: i64,
    pub a: &'a [T],
    pub at: Place,
    pub strip: usize,
    pub words: &'a mut [i32],
}

impl<T: Entry> Kernel for PackA<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let PackA { of, rows, terms, sign, a, at, strip, words } = self;
        let (modulus, p, depth, limb_rows) = (of.modulus, of.modulus.get() as i64, of.words(terms), of.limbs());
        if let Form::Bytes(bytes) = of.form {
            return bytes::pack_a(bytes, sign, rows, terms, (a, at), words);
        }
        if rows * limb_rows < strip {
            words.fill(0);
        }
        let mut lines = vec![0; depth * limb_rows];
        for i in 0..rows {
            let row = &a[at.offset + i * at.stride..][..terms];
            match of.form {
                Form::TwoTerms(narrow) => {
                    let sign = sign as i32;
                    for (word, terms) in lines.iter_mut().zip(row.chunks(2)) {
                        let high = terms.get(1).map_or(0, |&x| sign * narrow.balanced(x.into()));
                        *word = pair(sign * narrow.balanced(terms[0].into()), high);
                    }
                }
                Form::TwoDigits(narrow) => {
                    let sign = sign as i32;
                    for (word, &x) in lines.iter_mut().zip(row) {
                        *word = digits(narrow, narrow.balanced(x.into()).wrapping_mul(sign));
                    }
                }
                Form::Whole(_) => {
                    for (word, &x) in lines.iter_mut().zip(row) {
                        *word = sign.wrapping_mul(balanced(x.into(), p)) as i32;
                    }
                }
                Form::Limbs(width) => {
                    let shift = modulus.multiplier((1 << width) % modulus.get());
                    let (first, second) = lines.split_at_mut(depth);
                    for (t, &x) in row.iter().enumerate() {
                        let residue: u64 = x.into();
                        for (d, x) in [residue, modulus.mul_by(residue, shift)].into_iter().enumerate() {
                            [first[2 * t + d], second[2 * t + d]] = limbs(sign.wrapping_mul(balanced(x, p)), width);
                        }
                    }
                }
                Form::Bytes(_) => unreachable!("packed above"),
            }
            for (limb, line) in lines.chunks(depth).enumerate() {
                let to = words[i * limb_rows + limb..].iter_mut().step_by(strip);
                to.zip(line).for_each(|(to, &word)| *to = word);
            }
        }
    }
}

/// Writes `terms` × `cols` of B as one strip, depth × strip words.
pub(super) struct PackB<'a, T> {
    pub of: Arithmetic,
    pub terms: usize,
    pub cols: usize,
    pub b: &'a [T],
    pub at: Place,
    pub strip: usize,
    pub words: &'a mut [i32],
}

impl<T: Entry> Kernel for PackB<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let PackB { of, terms, cols, b, at, strip, words } = self;
        let p = of.modulus.get() as i64;
        let row = |t: usize| &b[at.offset + t * at.stride..][..cols];
        if let Form::Bytes(bytes) = of.form {
            return bytes::pack_b(bytes, terms, cols, (b, at), words);
        }
        if cols < strip {
            words.fill(0);
        }
        match of.form {
            Form::TwoTerms(narrow) => {
                for (d, words) in words.chunks_mut(strip).enumerate() {
                    let words = words[..cols].iter_mut().zip(row(2 * d));
                    if 2 * d + 1 < terms {
                        words.zip(row(2 * d + 1)).for_each(|((word, &x), &y)| {
                            *word = pair(narrow.balanced(x.into()), narrow.balanced(y.into()));
                        });
                    } else {
                        words.for_each(|(word, &x)| *word = pair(narrow.balanced(x.into()), 0));
                    }
                }
            }
            Form::TwoDigits(narrow) => {
                for (t, words) in words.chunks_mut(strip).enumerate() {
                    for (word, &x) in words[..cols].iter_mut().zip(row(t)) {
                        let x = narrow.balanced(x.into());
                        let low = x << 24 >> 24;
                        *word = pair(low, x.wrapping_sub(low) >> 8);
                    }
                }
            }
            Form::Whole(_) => {
                for (t, words) in words.chunks_mut(strip).enumerate() {
                    words[..cols].iter_mut().zip(row(t)).for_each(|(word, &x)| *word = balanced(x.into(), p) as i32);
                }
            }
            Form::Limbs(width) => {
                for (t, words) in words.chunks_mut(2 * strip).enumerate() {
                    let (low, high) = words.split_at_mut(strip);
                    for ((low, high), &x) in low[..cols].iter_mut().zip(&mut high[..cols]).zip(row(t)) {
                        [*low, *high] = limbs(balanced(x.into(), p), width);
                    }
                }
            }
            Form::Bytes(_) => unreachable!("packed above"),
        }
    }
}
