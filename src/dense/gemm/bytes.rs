//! Residues as signed bytes: the operands and sums of the tiles of [`simd::bytes`](super::simd::bytes), for 2⁸ < p <
//! 2⁶³.
//!
//! With L = ⌈log₂₅₆ p⌉ digits a·b ≡ Σⱼ (256ʲ·a mod p)·bⱼ, where bⱼ are the digits of b to the base 256 from -128 to
//! 127. The depth of a product has the bytes (t, j) of term t: for B these are the digits as stored in memory; for A
//! there is one row, a *plane*, for each digit i of the residues 256ʲ·a mod p. Hence a·b ≡ Σᵢ 256ⁱ·Sᵢ with one sum a
//! plane, L² products of bytes in all.

use super::place::{DEPTH, Place, Target};
use super::reduce::{Narrow, Whole};
use super::simd::bytes::{BLOCK, BLOCK_WORDS, COLS, STEP_WORDS};
use crate::dense::entry::Entry;
use crate::field::{Modulus, float, rounded};
use crate::isa::{Kernel, prefetch};

/// The most digits.
const MOST: usize = 8;

/// How multiples of rows are subtracted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rows {
    Narrow(Narrow),
    Whole(Whole),
}

/// The digits of residues mod p.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes {
    /// L.
    pub digits: usize,
    p: i64,
    inverse: f64,
    /// 256/p.
    shift: f64,
    /// The largest integer of L digits, 127·(256ᴸ - 1)/255; the least is -128·(256ᴸ - 1)/255.
    largest: i64,
    /// Minus the least.
    bias: u64,
    /// For what is no product of matrices, where p < 2¹⁶ or p < 2³¹.
    pub rows: Option<Rows>,
}

impl Bytes {
    pub(super) fn new(modulus: Modulus) -> Self {
        let (p, bits) = (modulus.get(), modulus.bits());
        let digits = bits.div_ceil(8) as usize;
        assert!((2..=MOST).contains(&digits), "2⁸ < p");
        let ones = (u64::MAX / 255) >> (64 - 8 * digits);
        let inverse = 1.0 / p as f64;
        let rows = match bits {
            ..=16 => Some(Rows::Narrow(Narrow::new(modulus))),
            17..=31 => Some(Rows::Whole(Whole::new(modulus))),
            _ => None,
        };
        let (largest, bias) = ((127 * ones) as i64, 128 * ones);
        Bytes { digits, p: p as i64, inverse, shift: 256.0 * inverse, largest, bias, rows }
    }

    /// Terms of a slice, of which a pass over the depth takes as many as [`Bytes::slices`]: the largest k with
    /// k·L·2¹⁴ ≤ 2³¹ - 1, as digits are at most 2⁷ in size, but at most [`DEPTH`].
    pub(super) fn terms(self) -> usize {
        (i32::MAX as usize / (self.digits << 14)).min(DEPTH)
    }
    /// How many times as many terms the sums may have that are reduced at once: the most with k·L·2¹⁴ ≤ 2²⁵, the bound
    /// of [`Bytes::reduce`] and of [`add_narrow_planes`].
    pub(super) fn slices(self) -> usize {
        ((1 << 25) / ((self.digits * DEPTH) << 14)).max(1)
    }
    /// Words along the depth for `terms` terms, whole steps of a tile.
    pub(super) fn words(self, terms: usize) -> usize {
        (terms * self.digits).div_ceil(size_of::<i32>()).next_multiple_of(STEP_WORDS)
    }

    /// The number ≡ x of L digits, for an integer x of at most `largest` + p and no less than the least of L digits:
    /// there are 256ᴸ ≥ p such numbers in a row.
    #[inline(always)]
    fn centred(self, x: i64) -> i64 {
        if x > self.largest { x - self.p } else { x }
    }
    /// Its digits as bytes, the lowest first; above L there are zeros.
    #[inline(always)]
    fn digits_of(self, centred: i64) -> u64 {
        (centred as u64).wrapping_add(self.bias) ^ self.bias
    }
    /// A number ≡ 256·x for |x| ≤ p, at most (½ + 2⁻⁴⁰)·p in size, and so no less than the least of L digits: p < 256ᴸ.
    ///
    /// The quotient is below 2⁹, each of four roundings moves it by 2⁻⁵³ of its size.
    #[inline(always)]
    fn shifted(self, x: i64) -> i64 {
        self.remainder(x << 8, x as f64 * self.shift)
    }
    /// x - q·p for the integer q that is nearest to `quotient`, |`quotient`| < 2⁵⁰; of x the lower 64 bits are enough.
    #[inline(always)]
    fn remainder(self, x: i64, quotient: f64) -> i64 {
        let q = rounded(quotient);
        x.wrapping_sub(q.wrapping_mul(self.p))
    }
    /// (c + Σᵢ 256ⁱ·Sᵢ) mod p for a residue c and sums of [`Bytes::slices`] times [`Bytes::terms`] terms.
    ///
    /// |Sᵢ| ≤ 2²⁵ and p > 256ᴸ⁻¹, so that the sum is below (2²⁵·256/255 + 1)·p and its halves of four planes below
    /// 2⁴⁹·256/255. Each of six roundings moves the quotient by less than 2⁻⁵²·2²⁶: it is off by at most ½ + 2⁻²³.
    #[inline(always)]
    fn reduce<const L: usize>(self, c: u64, sums: [i32; L]) -> u64 {
        const WORD: f64 = 4_294_967_296.0; // 2³²
        let c = c as i64;
        let half = |from: usize, to: usize| (from..to).fold(0, |x, i| x + ((sums[i] as i64) << (8 * (i - from))));
        let (low, high) = (half(0, L.min(4)), half(L.min(4), L));
        let near = float(low) + float(high) * WORD + c as f64;
        let r = self.remainder(low.wrapping_add(high << 32).wrapping_add(c), near * self.inverse);
        (if r < 0 { r.wrapping_add(self.p) } else { r }) as u64
    }
}

/// Calls a function with the number of digits as a constant.
macro_rules! with_digits {
    ($digits:expr, $function:ident($($argument:expr),*)) => {
        match $digits {
            2 => $function::<_, 2>($($argument),*),
            3 => $function::<_, 3>($($argument),*),
            4 => $function::<_, 4>($($argument),*),
            5 => $function::<_, 5>($($argument),*),
            6 => $function::<_, 6>($($argument),*),
            7 => $function::<_, 7>($($argument),*),
            _ => $function::<_, 8>($($argument),*),
        }
    };
}

/// Writes sign·A, `rows` × `terms`, as one strip of blocks.
#[inline(always)]
pub(super) fn pack_a<T: Entry>(
    bytes: Bytes,
    sign: i64,
    rows: usize,
    terms: usize,
    a: (&[T], Place),
    words: &mut [i32],
) {
    with_digits!(bytes.digits, pack_planes(bytes, sign, (rows, terms), a, words));
}

#[inline(always)]
fn pack_planes<T: Entry, const L: usize>(
    bytes: Bytes,
    sign: i64,
    (rows, terms): (usize, usize),
    (a, at): (&[T], Place),
    words: &mut [i32],
) {
    let depth = bytes.words(terms);
    let mut planes: [[u64; DEPTH]; L] = [[0; DEPTH]; L];
    let mut line = [0; DEPTH / 4 * MOST];
    for i in 0..rows {
        let row = &a[at.offset + i * at.stride..][..terms];
        for (t, &x) in row.iter().enumerate() {
            let x: u64 = x.into();
            let mut x = if sign < 0 { bytes.p - x as i64 } else { x as i64 };
            let mut shifts = [0; L];
            for digits in &mut shifts {
                let centred = bytes.centred(x);
                *digits = bytes.digits_of(centred);
                x = bytes.shifted(centred);
            }
            for (plane, digits) in planes.iter_mut().enumerate() {
                digits[t] = (0..L).fold(0, |word, j| word | (shifts[j] >> (8 * plane) & 0xff) << (8 * j));
            }
        }
        for (plane, digits) in planes.iter().enumerate() {
            for (words, digits) in line.chunks_mut(L).zip(digits.chunks(4)).take(depth.div_ceil(L)) {
                for (i, word) in words.iter_mut().enumerate() {
                    let (first, from) = (4 * i / L, 4 * i % L);
                    *word = word_of(L, from, digits[first], || digits[first + 1]);
                }
            }
            let row = i * L + plane;
            let block = &mut words[row / BLOCK * BLOCK * depth..][..BLOCK * depth];
            for (step, line) in block.chunks_mut(BLOCK_WORDS).zip(line.chunks(STEP_WORDS)) {
                step[row % BLOCK * STEP_WORDS..][..STEP_WORDS].copy_from_slice(line);
            }
        }
    }
}

/// Writes `terms` × `cols` of B as one strip.
#[inline(always)]
pub(super) fn pack_b<T: Entry>(bytes: Bytes, terms: usize, cols: usize, b: (&[T], Place), words: &mut [i32]) {
    if let Some(Rows::Narrow(p)) = bytes.rows {
        return pack_narrow_columns(bytes, p, (terms, cols), b, words);
    }
    with_digits!(bytes.digits, pack_columns(bytes, (terms, cols), b, words));
}

#[inline(always)]
fn pack_columns<T: Entry, const L: usize>(
    bytes: Bytes,
    (terms, cols): (usize, usize),
    (b, at): (&[T], Place),
    words: &mut [i32],
) {
    let zeros = [T::default(); COLS];
    let row = |t: usize| if t < terms { &b[at.offset + t * at.stride..][..cols] } else { &zeros[..cols] };
    if cols < COLS {
        words.fill(0);
    }
    let digits = |x: T| bytes.digits_of(bytes.centred(x.into() as i64));
    for (group, words) in words.chunks_mut(L * COLS).enumerate() {
        for t in 4 * group + AHEAD..(4 * group + 4 + AHEAD).min(terms) {
            ask_for(&b[at.offset + t * at.stride..][..cols]);
        }
        for (i, words) in words.chunks_mut(COLS).enumerate() {
            let (first, from) = (4 * i / L, 4 * i % L);
            let rows = [first, (first + 1).min(3)].map(|t| row(4 * group + t));
            for (word, (&x, &y)) in words[..cols].iter_mut().zip(rows[0].iter().zip(rows[1])) {
                *word = word_of(L, from, digits(x), || digits(y));
            }
        }
    }
}

/// The same for p < 2¹⁶, in 32 bits: a word is two terms of two digits each.
#[inline(always)]
fn pack_narrow_columns<T: Entry>(
    bytes: Bytes,
    p: Narrow,
    (terms, cols): (usize, usize),
    (b, at): (&[T], Place),
    words: &mut [i32],
) {
    let zeros = [T::default(); COLS];
    let row = |t: usize| if t < terms { &b[at.offset + t * at.stride..][..cols] } else { &zeros[..cols] };
    if cols < COLS {
        words.fill(0);
    }
    let (largest, bias) = (bytes.largest as i32, bytes.bias as i32);
    let digits = |x: T| {
        let x = Into::<u64>::into(x) as i32;
        (if x > largest { x - p.p } else { x }).wrapping_add(bias) ^ bias
    };
    for (pair, words) in words.chunks_mut(COLS).enumerate() {
        for t in [2 * pair + AHEAD, 2 * pair + 1 + AHEAD].into_iter().filter(|&t| t < terms) {
            ask_for(&b[at.offset + t * at.stride..][..cols]);
        }
        for (word, (&x, &y)) in words[..cols].iter_mut().zip(row(2 * pair).iter().zip(row(2 * pair + 1))) {
            *word = digits(x) | digits(y) << 16;
        }
    }
}

/// Four bytes of the digits of terms that follow each other, from byte `from` of the first one: four terms fill L
/// words, of which word i begins with byte 4i % L of term 4i / L.
#[inline(always)]
fn word_of(digits: usize, from: usize, first: u64, second: impl FnOnce() -> u64) -> i32 {
    let low = first >> (8 * from);
    (if from + 4 <= digits { low } else { low | second() << (8 * (digits - from)) }) as i32
}

/// Rows of B that are asked for before they are packed.
const AHEAD: usize = 12;

/// Asks for a row of at most [`COLS`] entries: no prefetcher of a processor finds rows that lie far from each other.
#[inline(always)]
pub(super) fn ask_for<T>(row: &[T]) {
    const LINE: usize = 64;
    (0..row.len()).step_by(LINE / size_of::<T>()).for_each(|at| prefetch(row, at));
    prefetch(row, row.len().wrapping_sub(1));
}

/// C ← C + sums mod p.
pub(super) struct AddBytes<'a, 'b, T> {
    pub bytes: Bytes,
    pub sums: &'a [i32],
    pub target: Target<'a, 'b, T>,
}

impl<T: Entry> Kernel for AddBytes<'_, '_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        match self.bytes.rows {
            Some(Rows::Narrow(p)) => add_narrow_planes(p, self.sums, self.target),
            _ => with_digits!(self.bytes.digits, add_planes(self.bytes, self.sums, self.target)),
        }
    }
}

/// For p < 2¹⁶, two planes: |S₀|, |S₁| ≤ 2¹⁰·2·2¹⁴ = 2²⁵, so that c + S₀ + 2⁸·(S₁ mod p) stays below 2²⁶, and both are
/// within the bound of [`Narrow::reduce`], 2²⁰·p, as p > 2⁸.
#[inline(always)]
fn add_narrow_planes<T: Entry>(p: Narrow, sums: &[i32], mut target: Target<'_, '_, T>) {
    let add = |c: &mut T, low: i32, high: i32| {
        let c_value = Into::<u64>::into(*c) as i32;
        *c = T::from_residue(p.reduce((p.reduce(high) << 8).wrapping_add(low).wrapping_add(c_value)) as u64);
    };
    for (row, sums) in target.parts().zip(sums.chunks(2 * COLS)) {
        let (low, high) = sums.split_at(COLS);
        row.iter_mut().zip(low.iter().zip(high)).for_each(|(c, (&low, &high))| add(c, low, high));
    }
}

#[inline(always)]
fn add_planes<T: Entry, const L: usize>(bytes: Bytes, sums: &[i32], mut target: Target<'_, '_, T>) {
    for (row, sums) in target.parts().zip(sums.chunks(L * COLS)) {
        let planes: [&[i32; COLS]; L] =
            std::array::from_fn(|i| sums[i * COLS..][..COLS].try_into().expect("COLS sums"));
        let add = |j: usize, c: &mut T| *c = T::from_residue(bytes.reduce((*c).into(), planes.map(|plane| plane[j])));
        if let Ok(row) = <&mut [T; COLS]>::try_from(&mut *row) {
            row.iter_mut().enumerate().for_each(|(j, c)| add(j, c));
        } else {
            row.iter_mut().enumerate().for_each(|(j, c)| add(j, c));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::PRIMES;
    use super::*;

    /// Edges of every number of digits among them.
    fn primes() -> impl Iterator<Item = u64> {
        PRIMES.into_iter().filter(|p| p >> 16 > 0)
    }

    fn value(digits: u64) -> i128 {
        digits.to_le_bytes().iter().rev().fold(0, |x, &digit| 256 * x + digit as i8 as i128)
    }

    #[test]
    fn digits_are_those_of_the_residue_and_of_its_shifts() {
        for p in primes() {
            let bytes = Bytes::new(Modulus::new(p).unwrap());
            assert_eq!(bytes.digits, (1..9).find(|&l| l == 8 || p >> (8 * l) == 0).unwrap());
            let large = bytes.largest as u64 % p;
            let edges = [0, 1, 127, 128, 255, 256, p / 2, p / 2 + 1, p - 1, p, large, (large + 1) % p, large - 1];
            let spread = (0..2000).map(|i| (p as u128 * i / 2000) as u64);
            for x in edges.into_iter().chain(spread) {
                let mut integer = x as i64;
                for shift in 0..bytes.digits {
                    let centred = bytes.centred(integer);
                    let digits = bytes.digits_of(centred);
                    assert_eq!(value(digits), centred as i128, "{x} mod {p}");
                    assert!(bytes.digits == 8 || digits >> (8 * bytes.digits) == 0);
                    let twin = (x as i128) << (8 * shift);
                    assert_eq!((centred as i128 - twin).rem_euclid(p as i128), 0, "256^{shift} times {x} mod {p}");
                    integer = bytes.shifted(centred);
                    assert!((integer as i128).abs() <= p as i128 / 2 + (p >> 40) as i128 + 1);
                }
            }
        }
    }

    #[test]
    fn reduction_is_exact_up_to_its_bound() {
        fn check<const L: usize>(bytes: Bytes) {
            let p = bytes.p as u64;
            let bound = (bytes.slices() * bytes.terms() * L) as i32 * (1 << 14);
            let patterns = [0, !0, 0x55, 0xaa, 0x0f, 0xf0, 1, 0x80];
            for (pattern, scale) in (0..300).flat_map(|i| patterns.map(|pattern| (pattern, i))) {
                // Sums at the bound, then smaller ones, of either sign.
                let size = bound - bound / 300 * scale;
                let sums: [i32; L] = std::array::from_fn(|i| if pattern >> i & 1 == 0 { size } else { -size });
                for c in [0, 1, p / 2, p - 1] {
                    let twin = sums.iter().rev().fold(0, |x, &sum| 256 * x + sum as i128) + c as i128;
                    assert_eq!(bytes.reduce(c, sums) as i128, twin.rem_euclid(p as i128), "{sums:?} + {c} mod {p}");
                }
            }
        }
        for p in primes() {
            let bytes = Bytes::new(Modulus::new(p).unwrap());
            match bytes.digits {
                3 => check::<3>(bytes),
                4 => check::<4>(bytes),
                5 => check::<5>(bytes),
                6 => check::<6>(bytes),
                7 => check::<7>(bytes),
                _ => check::<8>(bytes),
            }
        }
    }
}
