//! Whether products V·S have the zeros that they should, by plain sums that share nothing with the products of
//! [`crate::poly`].
//!
//! Row i of V·S should vanish at the coefficients of a window `from .. to`. For a random column z and a random point x
//! of an extension K' of K with q' elements,
//!
//! Σ_(from ≤ k < to) x^k (V_i·S·z)_k = Σ_j V_ij x^j (P(to - j) - P(from - j)), P(n) = Σ_(k < n) x^k S_k z,
//!
//! is computed in one multiply-add for each entry of V and S and each of the e = \[K':K\] coordinates. If row i does
//! not vanish there, the left side is a polynomial in x and z, not zero, of degree at most to - 1 in x and linear in z;
//! so that it vanishes with probability at most to/q' (Schwartz–Zippel). K itself is too small for that:
//! [`extension_degree`] says how large K' must be. Entry point: [`first_residual`].

use crate::field::{Field, Rng};
use crate::parallel::Each;
use crate::poly::PolyMatrix;
use crate::report::ErrorBound;
use rayon::prelude::*;

/// Powers of a point that one task makes.
const RUN: usize = 256;

/// An upper bound of the probability that a row with a residual below `length` passes, for e = `degree`:
/// length/qᵉ, q = 2^`log2_order`.
pub fn residual_failure(length: usize, log2_order: f64, degree: usize) -> ErrorBound {
    ErrorBound::from_log2(-log2_order).all(degree).any(length.max(1))
}

/// The least e, 1 or a prime, for which [`residual_failure`] is at most `error`.
fn extension_degree(length: usize, log2_order: f64, error: ErrorBound) -> usize {
    let is_prime = |n: usize| (2..n).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    (1..).find(|&e| is_prime(e) && residual_failure(length, log2_order, e) <= error).expect("primes do not end")
}

/// The first row of `left`·`series` that does not vanish at the coefficients `windows[row]` = (from, to); `None` if no
/// such row is seen. One that is there is missed with probability at most `error`.
///
/// # Panics
/// If the shapes do not fit.
pub(super) fn first_residual<F: Field>(
    field: &F,
    left: &PolyMatrix<F::Elem>,
    series: &PolyMatrix<F::Elem>,
    windows: &[(usize, usize)],
    error: ErrorBound,
    rng: &mut Rng,
) -> Option<usize> {
    assert_eq!((left.cols(), left.rows()), (series.rows(), windows.len()));
    let length = windows.iter().map(|&(_, to)| to).max()?.max(1);
    let log2_order = (field.modulus().get() as f64).log2() * field.degree() as f64;
    let tower = Tower::random(field, extension_degree(length, log2_order, error), rng);
    let point = Point { x: tower.element(rng), tower, inner: left.cols() };
    let z: Vec<F::Elem> = (0..point.tower.degree * series.cols()).map(|_| field.random(rng)).collect();
    let prefix = point.prefix_sums(series, &z, length);

    // Rows of one window share the products x^j (P(to - j) - P(from - j)).
    let mut order: Vec<usize> = (0..windows.len()).filter(|&i| windows[i].0 < windows[i].1).collect();
    order.sort_by_key(|&i| windows[i]);
    let groups = order.chunk_by(|&a, &b| windows[a] == windows[b]);
    groups.flat_map(|rows| point.nonzero_rows(left, rows, windows[rows[0]], &prefix)).min()
}

/// K' = K\[t\]/(m) for an irreducible m of prime degree e, or K itself for e = 1. An element is its e coordinates; a
/// vector of elements is e *planes*, its coordinates of 1, of t, ….
struct Tower<'a, F: Field> {
    field: &'a F,
    degree: usize,
    /// The coefficients of m below the leading one, which is 1.
    modulus: Vec<F::Elem>,
}

impl<'a, F: Field> Tower<'a, F> {
    fn random(field: &'a F, degree: usize, rng: &mut Rng) -> Self {
        loop {
            let modulus = (0..degree).map(|_| field.random(rng)).collect();
            let tower = Tower { field, degree, modulus };
            if degree == 1 || tower.is_field() {
                return tower;
            }
        }
    }

    /// Whether m is irreducible. If t^(qᵉ) = t mod m, then m divides the product of all irreducible polynomials of
    /// degrees 1 and e, each once: either it is one of degree e, or a product of linear ones, and then t^q = t.
    fn is_field(&self) -> bool {
        let mut t = vec![self.field.zero(); self.degree];
        t[1] = self.field.one();
        let once = self.frobenius(&t);
        once != t && (1..self.degree).fold(once, |power, _| self.frobenius(&power)) == t
    }

    /// a^q.
    fn frobenius(&self, a: &[F::Elem]) -> Vec<F::Elem> {
        let p = self.field.modulus().get();
        let mut power = a.to_vec();
        for _ in 0..self.field.degree() {
            let base = power.clone();
            for bit in (0..p.ilog2()).rev() {
                power = self.scale(&power.clone(), &power, 1);
                if p >> bit & 1 == 1 {
                    power = self.scale(&base, &power, 1);
                }
            }
        }
        power
    }

    fn element(&self, rng: &mut Rng) -> Vec<F::Elem> {
        (0..self.degree).map(|_| self.field.random(rng)).collect()
    }

    /// a·v for a vector v of `len` elements, in planes.
    fn scale(&self, a: &[F::Elem], v: &[F::Elem], len: usize) -> Vec<F::Elem> {
        let (field, e) = (self.field, self.degree);
        let mut product = vec![field.zero(); (2 * e - 1) * len];
        for (i, &a) in a.iter().enumerate() {
            for (j, plane) in v.chunks_exact(len).enumerate() {
                field.axpy(&mut product[(i + j) * len..][..len], a, plane);
            }
        }
        // t^c = -Σ mᵢ t^(c - e + i), from the highest power down.
        for c in (e..2 * e - 1).rev() {
            let (low, top) = product.split_at_mut(c * len);
            for (i, &m) in self.modulus.iter().enumerate() {
                field.axpy(&mut low[(c - e + i) * len..][..len], field.neg(m), &top[..len]);
            }
        }
        product.truncate(e * len);
        product
    }
}

/// A point of K', and the length of the vectors that are evaluated there.
struct Point<'a, F: Field> {
    tower: Tower<'a, F>,
    x: Vec<F::Elem>,
    inner: usize,
}

impl<F: Field> Point<'_, F> {
    /// Entries of a vector over K'.
    fn size(&self) -> usize {
        self.tower.degree * self.inner
    }

    /// The powers 1, x, x², …, so many of them.
    fn powers(&self, count: usize) -> Vec<Vec<F::Elem>> {
        let mut one = vec![self.tower.field.zero(); self.tower.degree];
        one[0] = self.tower.field.one();
        let times = |by: &[F::Elem], power: &[F::Elem]| self.tower.scale(by, power, 1);
        let steps = |first: Vec<F::Elem>, by: Vec<F::Elem>| {
            std::iter::successors(Some(first), move |power| Some(times(&by, power)))
        };
        // Runs of successive powers, each from its own first one.
        let first: Vec<Vec<F::Elem>> = steps(one.clone(), self.x.clone()).take(count.min(RUN)).collect();
        let Some(last) = first.get(RUN - 1).filter(|_| count > RUN) else { return first };
        let starts: Vec<Vec<F::Elem>> = steps(one, times(&self.x, last)).take(count.div_ceil(RUN)).collect();
        let of_run = |(run, start): (usize, &Vec<F::Elem>)| {
            let powers = first[..RUN.min(count - run * RUN)].iter();
            powers.map(|power| times(start, power)).collect::<Vec<_>>()
        };
        starts.par_iter().enumerate().flat_map_iter(of_run).collect()
    }

    /// P(0), P(1), …, P(length), one after the other; z in planes.
    fn prefix_sums(&self, series: &PolyMatrix<F::Elem>, z: &[F::Elem], length: usize) -> Vec<F::Elem> {
        let (field, size) = (self.tower.field, self.size());
        let powers: Vec<Vec<F::Elem>> = self.powers(length.min(series.len()));
        let mut sums = vec![field.zero(); (length + 1) * size];
        sums[size..].par_chunks_exact_mut(size).zip(&powers).enumerate().each(|(k, (out, power))| {
            let mut column = Vec::with_capacity(size);
            for z in z.chunks_exact(series.cols()) {
                column.extend(series.coefficient(k).chunks_exact(series.cols()).map(|row| field.dot(row, z)));
            }
            out.copy_from_slice(&self.tower.scale(power, &column, self.inner));
        });
        for at in size..sums.len() {
            sums[at] = field.add(sums[at], sums[at - size]);
        }
        sums
    }

    /// Those of the `rows` of `left` whose sum over the window is not 0.
    fn nonzero_rows(
        &self,
        left: &PolyMatrix<F::Elem>,
        rows: &[usize],
        (from, to): (usize, usize),
        prefix: &[F::Elem],
    ) -> Vec<usize> {
        let (field, e, size) = (self.tower.field, self.tower.degree, self.size());
        let powers: Vec<Vec<F::Elem>> = self.powers(left.len().min(to));
        let below = |n: usize| &prefix[n * size..][..size];
        let coefficient = |mut sums: Vec<F::Elem>, (j, power): (usize, &Vec<F::Elem>)| {
            let ends = below(to - j).iter().zip(below(from.saturating_sub(j)));
            let between: Vec<F::Elem> = ends.map(|(&x, &y)| field.sub(x, y)).collect();
            let weight = self.tower.scale(power, &between, self.inner);
            for (sums, &row) in sums.chunks_exact_mut(e).zip(rows) {
                let row = &left.coefficient(j)[row * self.inner..][..self.inner];
                for (sum, plane) in sums.iter_mut().zip(weight.chunks_exact(self.inner)) {
                    *sum = field.add(*sum, field.dot(row, plane));
                }
            }
            sums
        };
        let none = || vec![field.zero(); rows.len() * e];
        let add = |mut a: Vec<F::Elem>, b: Vec<F::Elem>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = field.add(*a, b));
            a
        };
        let sums = powers.par_iter().enumerate().fold(none, coefficient).reduce(none, add);
        let zero = |sum: &[F::Elem]| sum.iter().all(|&x| x == field.zero());
        rows.iter().zip(sums.chunks_exact(e)).filter(|(_, sum)| !zero(sum)).map(|(&row, _)| row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_field::Gf9;
    use super::super::tests::{prime, series};
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// Against the coefficients of the product from the definition: a row passes just if its window is zero.
    fn agrees_with_the_definition<F: Field>(field: &F, rng: &mut Rng) {
        for _ in 0..30 {
            let (rows, inner, cols) = (rng.random_range(1..4), rng.random_range(1..4), rng.random_range(1..3));
            let (a_len, b_len) = (rng.random_range(1..6), rng.random_range(1..9));
            let mut a = series(field, rng, rows, inner, a_len);
            let b = series(field, rng, inner, cols, b_len);
            if rng.random() {
                (0..a_len).for_each(|k| (0..inner).for_each(|l| a.set(0, l, k, field.zero())));
            }
            let windows: Vec<(usize, usize)> =
                (0..rows).map(|_| (rng.random_range(0..8), rng.random_range(0..16))).collect();
            let residual = |i: usize, k: usize| {
                (0..cols).any(|c| {
                    let mut sum = field.zero();
                    for (j, l) in (0..a_len).flat_map(|j| (0..inner).map(move |l| (j, l))) {
                        if j <= k && k - j < b_len {
                            sum = field.add(sum, field.mul(a.get(i, l, j), b.get(l, c, k - j)));
                        }
                    }
                    sum != field.zero()
                })
            };
            let expected = (0..rows).find(|&i| (windows[i].0..windows[i].1).any(|k| residual(i, k)));
            assert_eq!(first_residual(field, &a, &b, &windows, ErrorBound::of_bits(40), rng), expected);
        }
    }

    #[test]
    fn windows_of_products() {
        let mut rng = Rng::seed_from_u64(1);
        for p in [2, 3, 65521, (1 << 61) - 1] {
            agrees_with_the_definition(&prime(p), &mut rng);
        }
        agrees_with_the_definition(&Gf9, &mut rng);
    }

    /// The powers of a point, fewer and more than a run of them, each the one before times the point.
    #[test]
    fn powers_follow_each_other() {
        let mut rng = Rng::seed_from_u64(3);
        for (p, e) in [(2, 3), (3, 2), (65521, 1), (65521, 5)] {
            let field = prime(p);
            let tower = Tower::random(&field, e, &mut rng);
            let point = Point { x: tower.element(&mut rng), tower, inner: 1 };
            for count in [0, 1, 2, RUN - 1, RUN, RUN + 1, 3 * RUN, 3 * RUN + 5] {
                let powers = point.powers(count);
                assert_eq!(powers.len(), count);
                let one: Vec<u64> = (0..e).map(|i| u64::from(i == 0)).collect();
                assert!(powers.first().is_none_or(|first| *first == one));
                assert!(powers.windows(2).all(|pair| point.tower.scale(&point.x, &pair[0], 1) == pair[1]));
            }
        }
    }

    /// Towers are fields: every element but 0 has order dividing qᵉ - 1, and no product of two of them is 0.
    #[test]
    fn towers_are_fields() {
        let mut rng = Rng::seed_from_u64(2);
        for (p, e) in [(2, 2), (2, 3), (3, 2), (3, 3), (5, 2), (2, 5)] {
            let field = prime(p);
            let tower = Tower::random(&field, e, &mut rng);
            let count = p.pow(e as u32);
            let element = |n: u64| (0..e as u32).map(|i| n / p.pow(i) % p).collect::<Vec<u64>>();
            for (a, b) in (1..count).flat_map(|a| (1..count).map(move |b| (a, b))) {
                assert!(tower.scale(&element(a), &element(b), 1).iter().any(|&x| x != 0), "{a} · {b} in GF({p}^{e})");
            }
        }
        // A reducible modulus is none: t² - 1 and t² mod 3, t³ + 1 mod 2.
        for (p, modulus) in [(3, vec![2, 0]), (3, vec![0, 0]), (2, vec![1, 0, 0])] {
            let field = prime(p);
            assert!(!Tower { field: &field, degree: modulus.len(), modulus }.is_field());
        }
    }

    #[test]
    fn the_extension_is_the_smallest_that_will_do() {
        let degree = |length, order, bits| extension_degree(length, order, ErrorBound::of_bits(bits));
        assert_eq!(degree(1000, 61.0, 40), 1);
        assert_eq!(degree(1000, 16.0, 64), 5);
        assert_eq!(degree(1 << 20, 16.0, 64), 7);
        assert_eq!(degree(0, 1.0, 0), 1);
        // Far below what a number holds: 10⁴ bits.
        assert_eq!(degree(1000, 16.0, 10_000), 631);
        for (length, order, bits) in [(1000, 16.0, 64), (5, 1.0, 20), (100_000, 15.0, 64)] {
            assert!(residual_failure(length, order, degree(length, order, bits)) <= ErrorBound::of_bits(bits));
        }
        assert!(residual_failure(1000, 16.0, 3) > ErrorBound::of_bits(64) && residual_failure(4, 1.0, 2).is_vacuous());
    }
}
