//! The plan of a polynomial-matrix product: which algorithm, with which transform, at which cost.
//!
//! A plan is data: it is made from shapes alone, printed, tested without running, then run by
//! [`multiply`](super::multiply) and [`middle_product`](super::middle_product) (or by hand, see
//! [`Transformed`](super::Transformed)). The cost model counts seconds of one thread at the prices of [`Poly`].

use super::checked;
use super::fourier_bound::fourier_terms;
use super::ntt::points_for;
use super::residues::primes_needed;
use super::shape::ProductShape;
use crate::cost::Poly;
use crate::field::{Field, Modulus};
use std::fmt;

/// How a product is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// By the definition, all pairs of coefficients.
    Schoolbook,
    /// Exact number-theoretic transforms modulo `primes` 50-bit primes, of `points` points each.
    Transform {
        /// How many primes carry the exact result.
        primes: usize,
        /// The cyclic length, 2ᵏ or 3 · 2ᵏ.
        points: usize,
    },
    /// Floating-point Fourier transforms whose rounding is expected to be harmless, two real sequences in one; checked.
    Fourier {
        /// The cyclic length, 2ᵏ.
        points: usize,
    },
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Schoolbook => write!(f, "schoolbook"),
            Method::Transform { primes, points } => write!(f, "ntt of {points} points modulo {primes} prime(s)"),
            Method::Fourier { points } => write!(f, "f64 fft of {points} points"),
        }
    }
}

/// How one product is computed, what it costs, and what the alternatives would.
#[derive(Clone, Debug, PartialEq)]
pub struct ProductPlan {
    pub(crate) modulus: Modulus,
    /// The degree k of the field over GF(p).
    pub(crate) degree: usize,
    pub(crate) shape: ProductShape,
    /// The choice.
    pub method: Method,
    /// Every method considered, with its predicted seconds of one thread.
    pub candidates: Vec<(Method, f64)>,
}

impl ProductPlan {
    /// The plan of least cost, at the prices of this process.
    pub fn new<F: Field>(field: &F, shape: ProductShape) -> Self {
        Self::at(&Poly::default(), field, shape)
    }

    /// The plan of least cost at these prices.
    pub fn at<F: Field>(prices: &Poly, field: &F, shape: ProductShape) -> Self {
        let (modulus, degree) = (field.modulus(), field.degree());
        let (la, lb, wanted) = shape.effective();
        let lanes = |n: usize| n.div_ceil(8) * 8;
        let mut candidates = Vec::new();

        let pairs = shape.pairs() as f64;
        let products = pairs * (shape.rows * shape.inner) as f64;
        let schoolbook = if degree == 1 && modulus.get() < 1 << 50 {
            products * lanes(shape.cols) as f64 * prices.multiply_add
                + prices.movement
                    * (lb * shape.inner * lanes(shape.cols) + 2 * wanted * shape.rows * lanes(shape.cols)) as f64
        } else {
            products * shape.cols as f64 * prices.field_multiply_add * (degree * degree) as f64
        };
        candidates.push((Method::Schoolbook, schoolbook));

        if wanted > 0 && shape.rows * shape.inner * shape.cols > 0 {
            // An element is 2k - 1 digits wide (see `product`).
            let points = points_for(shape.cyclic_len() * (2 * degree - 1));
            if points <= super::ntt::MAX_POINTS {
                let primes = primes_needed(modulus.get(), shape.inner * la.min(lb) * degree);
                let entries =
                    shape.rows * lanes(shape.inner) + shape.inner * lanes(shape.cols) + shape.rows * lanes(shape.cols);
                let n = points as f64;
                let transforms = entries as f64 * n * (prices.butterfly * n.log2() + prices.movement);
                let products = n * (shape.rows * shape.inner * lanes(shape.cols)) as f64 * prices.multiply_add;
                let cost = prices.start + primes as f64 * (transforms + products);
                candidates.push((Method::Transform { primes, points }, cost));
            }
            let points = points.next_power_of_two();
            // d² ≤ la·lb, rounded up.
            let terms = (shape.inner * degree) as f64 * ((la * lb) as f64).sqrt() * (1.0 + 1e-9);
            if points <= 1 << 26 && terms <= fourier_terms(modulus.get(), points, shape.inner) as f64 {
                let n = points as f64;
                let entries = (shape.rows * shape.inner + shape.inner * shape.cols + shape.rows * shape.cols) as f64;
                let transforms = entries * n * (prices.fourier_butterfly * n.log2() + prices.fourier_movement);
                let products = n * (shape.rows * shape.inner * shape.cols) as f64 * prices.fourier_multiply_add;
                let held =
                    la * shape.rows * shape.inner + lb * shape.inner * shape.cols + wanted * shape.rows * shape.cols;
                let slots = 2 * degree - 1;
                let tests = (checked::tests(wanted * slots) * held * slots) as f64 * prices.fourier_test;
                candidates.push((Method::Fourier { points }, prices.start + transforms + products + tests));
            }
        }
        let (method, _) = *candidates.iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("schoolbook is always there");
        ProductPlan { modulus, degree, shape, method, candidates }
    }

    /// This plan with another method, which must be one of the candidates' kind.
    ///
    /// # Panics
    /// If a transform has fewer points or primes than the product needs.
    pub fn with_method(mut self, method: Method) -> Self {
        if let Method::Fourier { points } = method {
            assert!(
                self.candidates.iter().any(|(m, _)| *m == method),
                "a transform of {points} points beyond its bound: {self}"
            );
        }
        if let Method::Transform { primes, points } = method {
            let (la, lb, _) = self.shape.effective();
            assert!(
                points_for(points) == points && points <= super::ntt::MAX_POINTS,
                "no transform of {points} points"
            );
            assert!(points >= self.shape.cyclic_len() * (2 * self.degree - 1), "{points} points are too few: {self}");
            assert!(
                (primes_needed(self.modulus.get(), self.shape.inner * la.min(lb).max(1) * self.degree)
                    ..=super::ntt::MAX_PRIMES)
                    .contains(&primes),
                "{primes} primes do not carry this product: {self}"
            );
        }
        self.method = method;
        self
    }

    /// Whether products over GF(p) or an extension may be planned with floating-point transforms, whatever their
    /// shapes: then what they give rests on the module `checked`, by chance. From p = 2²⁵ on, none is.
    pub fn may_round(modulus: Modulus) -> bool {
        // The bound is largest for a single point and a single term.
        fourier_terms(modulus.get(), 1, 1) > 0
    }

    /// The cheapest plan without floating-point transforms: all arithmetic is exact, and nothing rests on chance.
    #[must_use]
    pub fn without_rounding(&self) -> ProductPlan {
        let exact = self.candidates.iter().filter(|(method, _)| !matches!(method, Method::Fourier { .. }));
        let (method, _) = *exact.min_by(|a, b| a.1.total_cmp(&b.1)).expect("schoolbook is always there");
        ProductPlan { method, ..self.clone() }
    }

    /// Bytes of scratch memory beside operands and result.
    pub fn scratch(&self) -> usize {
        let s = &self.shape;
        let wide = |n: usize| n.div_ceil(8) * 64;
        match self.method {
            Method::Schoolbook => s.right_len * s.inner * wide(s.cols),
            Method::Fourier { points } => {
                let entries = s.rows * s.inner + s.inner * s.cols + 3 * s.rows * s.cols;
                8 * points * entries
            }
            Method::Transform { primes, points } => {
                points * primes * s.inner * wide(s.cols) + s.block_rows(primes, points) * s.row_bytes(primes, points)
            }
        }
    }
}

impl fmt::Display for ProductPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = &self.shape;
        write!(
            f,
            "{}x{} of length {} times {}x{} of length {}, coefficients {}..{}, over GF({}",
            s.rows,
            s.inner,
            s.left_len,
            s.inner,
            s.cols,
            s.right_len,
            s.lo,
            s.lo + s.len,
            self.modulus
        )?;
        if self.degree > 1 {
            write!(f, "^{}", self.degree)?;
        }
        write!(f, "): {}, {:.1} MB of scratch", self.method, self.scratch() as f64 / 1e6)?;
        for (method, seconds) in &self.candidates {
            write!(f, "; {method}: {:.3} ms", seconds * 1e3)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::PrimeField;

    fn shape(rows: usize, inner: usize, cols: usize, la: usize, lb: usize, lo: usize, len: usize) -> ProductShape {
        ProductShape { rows, inner, cols, left_len: la, right_len: lb, lo, len }
    }

    /// The counting formula against counting, and the cyclic length against its definition.
    #[test]
    fn pairs_and_cyclic_length() {
        for la in 0..6usize {
            for lb in 0..6usize {
                for lo in 0..9 {
                    for len in 0..9 {
                        let s = shape(1, 1, 1, la, lb, lo, len);
                        let meet = |t: usize| (0..la).filter(|&i| i <= t && t - i < lb).count();
                        assert_eq!(s.pairs(), (lo..lo + len).map(meet).sum::<usize>(), "{s:?}");
                        let (ea, eb, wanted) = s.effective();
                        assert!((lo + wanted..lo + len).all(|t| meet(t) == 0));
                        if wanted > 0 {
                            let n = s.cyclic_len();
                            let full = ea + eb - 1;
                            assert!(n >= ea && n >= eb && n >= lo + wanted);
                            assert!((lo..lo + wanted).all(|t| t + n >= full));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn long_products_are_transformed_and_short_ones_are_not() {
        let field = PrimeField(Modulus::new(65521).unwrap());
        let plan = |n: usize| ProductPlan::new(&field, shape(32, 32, 16, n, n, 0, 2 * n - 1));
        assert_eq!(plan(1).method, Method::Schoolbook);
        assert_eq!(plan(1024).method, Method::Transform { primes: 1, points: 2048 });
        assert_eq!(plan(1025).method, Method::Transform { primes: 1, points: 3072 });
        assert!(plan(1024).to_string().contains("ntt of 2048 points modulo 1 prime(s)"), "{}", plan(1024));
        // A middle product needs no more points than its longer operand.
        let middle = ProductPlan::new(&field, shape(32, 32, 16, 1025, 2048, 1024, 1024));
        assert_eq!(middle.method, Method::Transform { primes: 1, points: 2048 });
    }

    /// Where floating-point transforms are said to be impossible, no shape has one; where they are possible, some plan
    /// takes one.
    #[test]
    fn it_is_known_which_moduli_have_no_floating_point_transforms() {
        let rounded = |plan: &ProductPlan| plan.candidates.iter().any(|(m, _)| matches!(m, Method::Fourier { .. }));
        let shapes = [(1, 1, 1, 1, 1), (1, 1, 1, 1, 9), (2, 1, 2, 30, 30), (8, 4, 4, 300, 600), (32, 32, 32, 9, 9)];
        let below = |bound: u64| Modulus::new((2..bound).rev().find(|&n| crate::field::is_prime(n)).unwrap()).unwrap();
        for p in (2..63).map(|bits| below(1 << bits)) {
            let plans = shapes
                .map(|(m, k, n, la, lb)| ProductPlan::new(&PrimeField(p), shape(m, k, n, la, lb, 0, la + lb - 1)));
            assert!(ProductPlan::may_round(p) || !plans.iter().any(rounded), "p = {p}");
            assert!(!ProductPlan::may_round(p) || rounded(&plans[0]), "p = {p}");
            assert_eq!(ProductPlan::may_round(p), cfg!(feature = "fft") && p.get() < 1 << 24, "p = {p}");
            for plan in plans {
                assert!(!matches!(plan.without_rounding().method, Method::Fourier { .. }), "{plan}");
            }
        }
    }
}
