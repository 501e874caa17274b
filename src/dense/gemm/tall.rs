//! AᵀB for A and B of many rows and few columns.
//!
//! Rows of A are what a strip of packed words of Aᵀ has for a term: nothing is transposed. In words on every processor:
//! with so few columns, packing takes longer than tiles of bytes gain.

use super::arithmetic::{Arithmetic, Form};
use super::blocks::{OPERAND, Product, Slice, Words};
use super::pack::{PackB, digits, limbs};
use super::place::Place;
use super::reduce::{Narrow, balanced};
use super::simd::Tiles;
use crate::dense::entry::Entry;
use crate::field::Modulus;
use crate::isa::{Isa, Kernel};
use crate::{Result, memory};

/// C ← C + AᵀB mod p for row-major A n × m, B n × k, C m × k. On this thread alone.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If a slice has not exactly the entries of its matrix.
pub(crate) fn add_tall_product<T: Entry>(
    modulus: Modulus,
    (n, m, k): (usize, usize, usize),
    a: &[T],
    b: &[T],
    c: &mut [T],
) -> Result<()> {
    add_by(&Tiles::best(), modulus, (n, m, k), a, b, c)
}

/// The same by these tiles.
fn add_by<T: Entry>(
    tiles: &Tiles,
    modulus: Modulus,
    (n, m, k): (usize, usize, usize),
    a: &[T],
    b: &[T],
    c: &mut [T],
) -> Result<()> {
    assert_eq!((a.len(), b.len(), c.len()), (n * m, n * k, m * k), "slices of a {m} x {n} x {k} product");
    if m == 0 || k == 0 {
        return Ok(());
    }
    let (of, isa) = (Arithmetic::of_words(modulus), Isa::best());
    let mr = of.tile_shape(tiles).0;
    let (cols, most) = (mr / of.limbs(), of.terms().min(n));
    let strips = m.div_ceil(cols);
    let mut words = Words::with_capacity(strips * mr * of.words(most))?;
    let digits = if let Form::TwoDigits(narrow) = of.form { Some(narrow) } else { None };
    let mut row = memory::zeros(if digits.is_some() { strips * mr } else { 0 }, OPERAND)?;
    for start in (0..n).step_by(of.terms()) {
        let terms = of.terms().min(n - start);
        let depth = of.words(terms);
        let words = words.first(strips * mr * depth);
        if let Some(narrow) = digits {
            isa.run(PackDigits { narrow, m, a: &a[start * m..][..terms * m], strip: mr, row: &mut row, words });
        } else {
            for (number, words) in words.chunks_exact_mut(mr * depth).enumerate() {
                let left = number * cols;
                let at = Place { offset: start * m + left, stride: m };
                isa.run(PackColumns { of, terms, cols: cols.min(m - left), a, at, strip: mr, words });
            }
        }
        let b_at = Place { offset: start * k, stride: k };
        let slices = &[Slice { terms, depth, a: words, b, b_at }];
        Product { of, tiles, slices }.by_columns((c, k), k, k)?;
    }
    Ok(())
}

/// Writes rows of `m` residues of A as strips of Aᵀ in words of two digits, each of as many words as there are rows,
/// times the strip. A whole row becomes words at once, since one strip of it is short.
struct PackDigits<'a, T> {
    narrow: Narrow,
    m: usize,
    a: &'a [T],
    strip: usize,
    /// A word for each column of the strips; those beyond `m` are zeros.
    row: &'a mut [i32],
    words: &'a mut [i32],
}

impl<T: Entry> PackDigits<'_, T> {
    /// With strips of so many words: a few moves take less than a call that copies any number.
    #[inline(always)]
    fn in_strips<const STRIP: usize>(self) {
        let PackDigits { narrow, m, a, row, words, .. } = self;
        let terms = a.len() / m;
        for (t, from) in a.chunks_exact(m).enumerate() {
            for (word, &x) in row[..m].iter_mut().zip(from) {
                *word = digits(narrow, narrow.balanced(x.into()));
            }
            for (words, part) in words.chunks_exact_mut(STRIP * terms).zip(row.as_chunks::<STRIP>().0) {
                words.as_chunks_mut::<STRIP>().0[t] = *part;
            }
        }
    }
}

impl<T: Entry> Kernel for PackDigits<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        match self.strip {
            4 => self.in_strips::<4>(),
            6 => self.in_strips::<6>(),
            12 => self.in_strips::<12>(),
            other => unreachable!("{other} rows of a tile of pairs"),
        }
    }
}

/// Writes `terms` × `cols` of A as one strip of Aᵀ, depth × strip words.
struct PackColumns<'a, T> {
    of: Arithmetic,
    terms: usize,
    cols: usize,
    a: &'a [T],
    at: Place,
    strip: usize,
    words: &'a mut [i32],
}

impl<T: Entry> Kernel for PackColumns<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let PackColumns { of, terms, cols, a, at, strip, words } = self;
        let (modulus, p) = (of.modulus, of.modulus.get());
        let row = |t: usize| &a[at.offset + t * at.stride..][..cols];
        if cols * of.limbs() < strip {
            words.fill(0);
        }
        match of.form {
            // A word of A is one of B.
            Form::TwoTerms(_) | Form::Whole(_) => PackB { of, terms, cols, b: a, at, strip, words }.run(),
            Form::TwoDigits(_) => unreachable!("all strips are packed together"),
            Form::Limbs(width) => {
                let shift = modulus.multiplier((1 << width) % p);
                for (t, words) in words.chunks_mut(2 * strip).enumerate() {
                    let (first, second) = words.split_at_mut(strip);
                    for ((first, second), &x) in first.chunks_mut(2).zip(second.chunks_mut(2)).zip(row(t)) {
                        let residue: u64 = x.into();
                        first.copy_from_slice(&limbs(balanced(residue, p as i64), width));
                        second.copy_from_slice(&limbs(balanced(modulus.mul_by(residue, shift), p as i64), width));
                    }
                }
            }
            Form::Bytes(_) => unreachable!("in words"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::gemm;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn tall_products_are_products_of_the_transpose() {
        let mut rng = Rng::seed_from_u64(1);
        for p in [2, 3, 251, 65521, 2147483647, 4294967291, (1 << 61) - 1] {
            let p = Modulus::new(p).unwrap();
            for (n, m, k) in [(0, 2, 3), (1, 1, 1), (5, 0, 2), (300, 17, 5), (256, 8, 8), (777, 33, 20), (300, 64, 64)]
            {
                let mut random = |len: usize| -> Vec<u64> { (0..len).map(|_| rng.random_range(0..p.get())).collect() };
                let (a, b, c) = (random(n * m), random(n * k), random(m * k));
                let transposed: Vec<u64> =
                    (0..m).flat_map(|j| (0..n).map(move |i| (i, j))).map(|(i, j)| a[i * m + j]).collect();
                let mut expected = vec![0; m * k];
                gemm(p, m, n, k, &transposed, &b, &mut expected).unwrap();
                expected.iter_mut().zip(&c).for_each(|(x, &y)| *x = p.add(*x, y));
                for tiles in Tiles::available() {
                    if p.get() < 1 << 16 {
                        let narrow = |of: &[u64]| -> Vec<u16> { of.iter().map(|&x| x as u16).collect() };
                        let mut c = narrow(&c);
                        let (a, b) = (narrow(&a), narrow(&b));
                        add_by(&tiles, p, (n, m, k), &a, &b, &mut c).unwrap();
                        assert_eq!(c, narrow(&expected), "{n} x {m} x {k} mod {p}, 16 bits, {tiles:?}");
                    }
                    let mut c = c.clone();
                    add_by(&tiles, p, (n, m, k), &a, &b, &mut c).unwrap();
                    assert_eq!(c, expected, "{n} x {m} x {k} mod {p}, {tiles:?}");
                }
            }
        }
    }

    /// Strips of every tile there is, full and not, by their definition: a pair of balanced residues, of x and of 2⁸x.
    #[test]
    fn digits_lie_in_strips() {
        let mut rng = Rng::seed_from_u64(2);
        assert!(Tiles::available().iter().all(|tiles| [4, 6, 12].contains(&tiles.pair_rows)));
        for (p, strip) in [257, 32749, 65521].into_iter().flat_map(|p| [4, 6, 12].map(|strip| (p, strip))) {
            let narrow = Narrow::new(Modulus::new(p).unwrap());
            for (terms, m) in
                [(1, 1usize), (3, strip - 1), (5, strip), (256, strip + 1), (7, 3 * strip), (2, 3 * strip + 2)]
            {
                let a: Vec<u16> = (0..terms * m).map(|_| rng.random_range(0..p) as u16).collect();
                let strips = m.div_ceil(strip);
                let (mut row, mut words) = (vec![0; strips * strip], vec![-1; strips * strip * terms]);
                Isa::best().run(PackDigits { narrow, m, a: &a, strip, row: &mut row, words: &mut words });
                for (at, &word) in words.iter().enumerate() {
                    let (number, t, col) = (at / (strip * terms), at / strip % terms, at % strip);
                    let x = if number * strip + col < m { i64::from(a[t * m + number * strip + col]) } else { 0 };
                    for (half, expected) in [(word as i16, x), ((word >> 16) as i16, x << 8)] {
                        let half = i64::from(half);
                        assert_eq!(
                            (half - expected).rem_euclid(p as i64),
                            0,
                            "{m} columns, strip {strip}, mod {p}, {at}"
                        );
                        assert!(half.abs() <= p as i64 / 2, "{half} is a balanced residue mod {p}");
                    }
                }
            }
        }
    }

    /// The largest sums: residues p/2 and p/2 + 1, which are the largest in size, over as many terms as are summed
    /// without a reduction, and more.
    #[test]
    fn sums_at_their_largest() {
        for p in [2, 3, 181, 251, 257, 32749, 65521, 65537, 2147483647, 4294967291, (1 << 61) - 1, 9223372036854775783]
        {
            let p = Modulus::new(p).unwrap();
            let (half, n) = (p.get() / 2, 2 * 256 + 3);
            for (x, tiles) in
                Tiles::available().iter().flat_map(|tiles| [half, p.get() - half, p.get() - 1].map(|x| (x, tiles)))
            {
                let (a, mut c) = (vec![x; n * 14], vec![0; 14 * 14]);
                add_by(tiles, p, (n, 14, 14), &a, &a, &mut c).unwrap();
                assert!(c.iter().all(|&c| c == p.mul(p.mul(x, x), n as u64 % p.get())), "{x} mod {p}: {c:?}");
            }
        }
    }
}
