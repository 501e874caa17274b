//! A check of integer products that shares nothing with the transforms which computed them: values modulo Q = 2⁶¹ - 1.
//!
//! Floating-point transforms give integers C_τ, the sums Σ A_α B_(τ-α) of digit matrices, for the τ of a window
//! `from .. to`. For random y and a random column v modulo Q, both sides of
//!
//! Σ_τ y^τ C_τ v = Σ_α y^α A_α (P(to - α) - P(from - α)), P(n) = Σ_(β < n) y^β B_β v,
//!
//! are computed by plain sums, one multiply-add for each entry of A, B and C. Wrong integers pass one such test with
//! probability at most (to - from)/Q (Schwartz–Zippel: an error below Q in size is not 0 mod Q, so that the difference
//! of the sides is a polynomial in y and v, not zero, linear in v and of degree below to - from in y once divided by
//! y^from). [`tests`] says how many tests bring that below 2⁻⁶⁴. y and v come from SHA-256 of the product's shape:
//! *hypothesis*, the errors of the transform do not depend on that hash.

use super::matrix::PolySlice;
use super::shape::ProductShape;
use crate::field::{Field, Modulus, Rng};
use crate::parallel::Each;
use crate::report::ErrorBound;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

/// The prime of the check.
const Q: u64 = (1 << 61) - 1;
/// Products of an integer below [`LARGEST`] and a residue below Q that are added up in 128 bits: 2⁵²·2⁶¹·2¹³ < 2¹²⁷.
const RUN: usize = 1 << 13;
/// What an integer of the result stays below in absolute value: transforms are used up to 2⁵¹.
const LARGEST: i64 = 1 << 52;

/// Wrong integers may pass all tests with at most this probability.
const MISSED: ErrorBound = ErrorBound::of_bits(64);

/// The probability that wrong integers in a window of so many pass one test, at most: window/Q.
fn passes(window: usize) -> ErrorBound {
    // Q > 2^60.9.
    ErrorBound::from_log2(-60.9).any(window.max(1))
}

/// How many tests a window of this many integers needs: the least t for which [`passes`]ᵗ is at most [`MISSED`].
///
/// # Panics
/// If the window has 2⁶⁰ integers or more.
pub(crate) fn tests(window: usize) -> usize {
    let once = passes(window);
    (1..=64).find(|&t| once.all(t) <= MISSED).expect("a window far below Q")
}

/// The integers of a product by transforms of `points` points, where [`agrees`] looks for them.
pub(crate) struct Integers<'a> {
    /// Entries 2i and 2i + 1 together, `points` slots of each such pair; (2k - 1) slots are a coefficient.
    pub pairs: &'a [[i64; 2]],
    /// Slots of a pair.
    pub points: usize,
}

/// Whether the integers are those of the wanted coefficients of A·B.
pub(crate) fn agrees<F: Field>(
    field: &F,
    a: &PolySlice<'_, F::Elem>,
    b: &PolySlice<'_, F::Elem>,
    shape: &ProductShape,
    integers: &Integers<'_>,
) -> bool {
    let stride = 2 * field.degree() - 1;
    let (_, _, wanted) = shape.effective();
    let mut hash = Sha256::new();
    hash.update(b"blackfield product by floating-point transforms 1\n");
    let ProductShape { rows, inner, cols, left_len, right_len, lo, len } = *shape;
    for number in [rows, inner, cols, left_len, right_len, lo, len, field.degree(), integers.points] {
        hash.update((number as u64).to_le_bytes());
    }
    hash.update(field.modulus().get().to_le_bytes());
    let mut rng = Rng::from_seed(hash.finalize().into());
    let modulus = Modulus::new(Q).expect("a Mersenne prime");
    (0..tests(wanted * stride)).all(|_| {
        let y = rng.random_range(0..Q);
        let v: Vec<u64> = (0..cols).map(|_| rng.random_range(0..Q)).collect();
        let test = Test { field, q: modulus, stride, window: [lo * stride, (lo + wanted) * stride], y, v };
        test.of_integers(shape, integers) == Some(test.of_factors(a, b, shape))
    })
}

struct Test<'a, F> {
    field: &'a F,
    q: Modulus,
    stride: usize,
    /// The slots `from .. to`.
    window: [usize; 2],
    y: u64,
    v: Vec<u64>,
}

impl<F: Field> Test<'_, F> {
    /// x mod Q.
    fn reduce(&self, x: i128) -> u64 {
        let r = self.q.reduce_u128(x.unsigned_abs());
        if x < 0 { self.q.neg(r) } else { r }
    }

    /// y^first, y^(first + 1), …, `count` of them.
    fn powers(&self, first: usize, count: usize) -> Vec<u64> {
        std::iter::successors(Some(self.q.pow(self.y, first as u64)), |&x| Some(self.q.mul(x, self.y)))
            .take(count)
            .collect()
    }

    /// The balanced digits of a coefficient: those of an entry together.
    fn digits(&self, coefficient: &[F::Elem], out: &mut [i64]) {
        let k = self.field.degree();
        let (mut digits, modulus) = (vec![0; k], self.field.modulus());
        for (&x, out) in coefficient.iter().zip(out.chunks_exact_mut(k)) {
            self.field.write_digits(x, &mut digits);
            out.iter_mut().zip(&digits).for_each(|(out, &digit)| *out = modulus.balanced(digit));
        }
    }

    /// Σ_τ y^τ C_τ v over the window; `None` if an integer is larger than any that is right.
    fn of_integers(&self, shape: &ProductShape, integers: &Integers<'_>) -> Option<Vec<u64>> {
        let [from, to] = self.window;
        let powers = self.powers(from, to - from);
        let sums = |pair: &[[i64; 2]]| {
            let mut total = [0; 2];
            for (slots, powers) in pair[from..to].chunks(RUN).zip(powers.chunks(RUN)) {
                let (mut sums, mut largest) = ([0i128; 2], 0);
                for (both, &power) in slots.iter().zip(powers) {
                    for part in 0..2 {
                        largest |= both[part].unsigned_abs();
                        sums[part] += i128::from(both[part].clamp(-LARGEST, LARGEST)) * i128::from(power);
                    }
                }
                if largest >= LARGEST as u64 {
                    return None;
                }
                (0..2).for_each(|part| total[part] = self.q.add(total[part], self.reduce(sums[part])));
            }
            Some(total)
        };
        let sums: Vec<[u64; 2]> = integers.pairs.par_chunks(integers.points).map(sums).collect::<Option<_>>()?;
        let entry = |e: usize| sums[e / 2][e % 2];
        let row = |i: usize| {
            let terms = self.v.iter().enumerate().map(|(j, &v)| self.q.mul(v, entry(i * shape.cols + j)));
            terms.fold(0, |sum, term| self.q.add(sum, term))
        };
        Some((0..shape.rows).map(row).collect())
    }

    /// Σ_α y^α A_α (P(to - α) - P(from - α)).
    fn of_factors(&self, a: &PolySlice<'_, F::Elem>, b: &PolySlice<'_, F::Elem>, shape: &ProductShape) -> Vec<u64> {
        let (q, k, stride, inner) = (self.q, self.field.degree(), self.stride, shape.inner);
        let (la, lb, _) = shape.effective();
        let powers = self.powers(0, (la.max(lb)) * stride);
        // y^β B_β v, the slots of a coefficient together.
        let mut prefix = vec![0; (lb * stride + 1) * inner];
        prefix[inner..].par_chunks_exact_mut(stride * inner).enumerate().each(|(c, out)| {
            let mut digits = vec![0; inner * shape.cols * k];
            self.digits(b.coefficient(c), &mut digits);
            for (l, row) in digits.chunks_exact(shape.cols * k).enumerate() {
                for d in 0..k {
                    // Digits stay below 2²⁶, as the transforms demand: 2²⁶·2⁶¹·2³² < 2¹²⁷.
                    let sum = row.chunks_exact(k).zip(&self.v).map(|(x, &v)| i128::from(x[d]) * i128::from(v)).sum();
                    out[d * inner + l] = q.mul(self.reduce(sum), powers[c * stride + d]);
                }
            }
        });
        for at in inner..prefix.len() {
            prefix[at] = q.add(prefix[at], prefix[at - inner]);
        }
        let below = |n: usize| &prefix[n.min(lb * stride) * inner..][..inner];
        let [from, to] = self.window;
        let add = |mut sums: Vec<i128>, other: Vec<i128>| {
            sums.iter_mut().zip(other).for_each(|(sum, x)| *sum += x);
            sums
        };
        let none = || vec![0i128; shape.rows];
        let coefficient = |mut sums: Vec<i128>, c: usize| {
            let mut digits = vec![0; shape.rows * inner * k];
            self.digits(a.coefficient(c), &mut digits);
            for d in 0..k {
                let (slot, power) = (c * stride + d, powers[c * stride + d]);
                let ends = below(to.saturating_sub(slot)).iter().zip(below(from.saturating_sub(slot)));
                let between: Vec<u64> = ends.map(|(&x, &y)| q.mul(power, q.sub(x, y))).collect();
                for (sum, row) in sums.iter_mut().zip(digits.chunks_exact(inner * k)) {
                    let terms = row.chunks_exact(k).zip(&between).map(|(x, &w)| i128::from(x[d]) * i128::from(w));
                    *sum += terms.sum::<i128>();
                }
            }
            sums
        };
        let sums = (0..la).into_par_iter().fold(none, coefficient).reduce(none, add);
        sums.into_iter().map(|sum| self.reduce(sum)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::PolyMatrix;
    use super::*;
    use crate::field::{ExtensionField, PrimeField};

    fn random<F: Field>(field: &F, rows: usize, cols: usize, len: usize, rng: &mut Rng) -> PolyMatrix<F::Elem> {
        PolyMatrix::from_coefficients(rows, cols, (0..rows * cols * len).map(|_| field.random(rng)).collect())
    }

    /// The integers of the product from the definition, all slots; those outside the window are wrong on purpose.
    fn integers<F: Field>(
        field: &F,
        a: &PolyMatrix<F::Elem>,
        b: &PolyMatrix<F::Elem>,
        shape: &ProductShape,
        points: usize,
    ) -> Vec<[i64; 2]> {
        let (k, stride) = (field.degree(), 2 * field.degree() - 1);
        let digits = |x: F::Elem| {
            let mut digits = vec![0; k];
            field.write_digits(x, &mut digits);
            digits.into_iter().map(|d| field.modulus().balanced(d)).collect::<Vec<_>>()
        };
        let mut pairs = vec![[77; 2]; (shape.rows * shape.cols).div_ceil(2) * points];
        let (_, _, wanted) = shape.effective();
        for (i, j) in (0..shape.rows).flat_map(|i| (0..shape.cols).map(move |j| (i, j))) {
            let e = i * shape.cols + j;
            for t in shape.lo..shape.lo + wanted {
                (0..stride).for_each(|d| pairs[e / 2 * points + t * stride + d][e % 2] = 0);
                for (x, l) in (0..a.len().min(t + 1)).flat_map(|x| (0..shape.inner).map(move |l| (x, l))) {
                    if t - x >= b.len() {
                        continue;
                    }
                    let (left, right) = (digits(a.get(i, l, x)), digits(b.get(l, j, t - x)));
                    for (d, f) in (0..k).flat_map(|d| (0..k).map(move |f| (d, f))) {
                        pairs[e / 2 * points + t * stride + d + f][e % 2] += left[d] * right[f];
                    }
                }
            }
        }
        pairs
    }

    fn catches<F: Field>(field: &F, rng: &mut Rng) {
        let stride = 2 * field.degree() - 1;
        for (rows, inner, cols, la, lb, lo, len) in [
            (1, 1, 1, 1, 1, 0, 1),
            (3, 2, 3, 7, 5, 0, 11),
            (2, 3, 1, 9, 4, 3, 5),
            (1, 2, 2, 4, 9, 8, 20),
            (2, 2, 3, 6, 6, 2, 2),
        ] {
            let (a, b) = (random(field, rows, inner, la, rng), random(field, inner, cols, lb, rng));
            let shape = ProductShape::of(&a, &b, lo, len);
            let points = ((la + lb) * stride).next_power_of_two();
            let right = integers(field, &a, &b, &shape, points);
            let test = |pairs: &[[i64; 2]]| agrees(field, &a.all(), &b.all(), &shape, &Integers { pairs, points });
            assert!(test(&right), "{shape:?}");
            let (_, _, wanted) = shape.effective();
            for e in 0..rows * cols {
                for slot in lo * stride..(lo + wanted) * stride {
                    for error in [1, -1, field.modulus().get() as i64, 1 << 40, i64::MIN / 2] {
                        let mut wrong = right.clone();
                        wrong[e / 2 * points + slot][e % 2] += error;
                        assert!(!test(&wrong), "entry {e}, slot {slot}, {error}, {shape:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_wrong_integer_is_seen() {
        let mut rng = Rng::seed_from_u64(3);
        for p in [2, 3, 251, 65521] {
            catches(&PrimeField(Modulus::new(p).unwrap()), &mut rng);
        }
        for (p, k) in [(2, 4), (3, 2), (251, 3)] {
            catches(&ExtensionField::new(Modulus::new(p).unwrap(), k, &mut rng), &mut rng);
        }
    }

    #[test]
    fn enough_tests() {
        for bits in 0..27 {
            let window = 1usize << bits;
            let exact = f64::from(bits) - (Q as f64).log2();
            assert!((0.0..0.11).contains(&(passes(window).log2() - exact)), "{window}");
            assert!(tests(window) as f64 * exact <= -64.0, "{window}");
            assert!(tests(window) == 2, "{window}");
        }
        // Beyond what transforms hold: one more where two are too few, and no window is too small.
        assert_eq!((tests(0), tests(1 << 28), tests(1 << 29), tests(1 << 58)), (2, 2, 3, 23));
    }
}
