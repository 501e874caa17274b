//! The whole room against the definition: every method, every instruction set, prime and extension fields.

use super::simd::Isa;
use super::*;
use crate::field::{Field, Modulus, PrimeField, Rng};
use rand::{RngExt, SeedableRng};

/// GF(p)[t] / (tᵏ - c) with elements as digit arrays; products do not ask whether it is a field.
#[derive(Clone, Debug)]
struct Binomial<const K: usize> {
    p: Modulus,
    c: u64,
}

impl<const K: usize> Field for Binomial<K>
where
    [u64; K]: Default,
{
    type Elem = [u64; K];
    fn modulus(&self) -> Modulus {
        self.p
    }
    fn degree(&self) -> usize {
        K
    }
    fn one(&self) -> [u64; K] {
        std::array::from_fn(|i| (i == 0) as u64)
    }
    fn add(&self, a: [u64; K], b: [u64; K]) -> [u64; K] {
        std::array::from_fn(|i| self.p.add(a[i], b[i]))
    }
    fn sub(&self, a: [u64; K], b: [u64; K]) -> [u64; K] {
        std::array::from_fn(|i| self.p.sub(a[i], b[i]))
    }
    fn mul(&self, a: [u64; K], b: [u64; K]) -> [u64; K] {
        let mut out = [0; K];
        for i in 0..K {
            for j in 0..K {
                let x = self.p.mul(a[i], b[j]);
                let x = if i + j >= K { self.p.mul(x, self.c) } else { x };
                out[(i + j) % K] = self.p.add(out[(i + j) % K], x);
            }
        }
        out
    }
    fn inv(&self, _: [u64; K]) -> [u64; K] {
        unreachable!("products do not divide")
    }
    fn write_digits(&self, a: [u64; K], digits: &mut [u64]) {
        digits.copy_from_slice(&a);
    }
    fn from_digits(&self, digits: &[u64]) -> [u64; K] {
        digits.try_into().expect("k digits")
    }
    fn random(&self, rng: &mut Rng) -> [u64; K] {
        std::array::from_fn(|_| rng.random_range(0..self.p.get()))
    }
}

/// A matrix of random entries, or of largest ones.
fn random<F: Field>(
    field: &F,
    rows: usize,
    cols: usize,
    len: usize,
    largest: bool,
    rng: &mut Rng,
) -> PolyMatrix<F::Elem> {
    let top = field.from_digits(&vec![field.modulus().get() - 1; field.degree()]);
    let mut m = PolyMatrix::zeros(rows, cols, len).unwrap();
    m.data_mut().iter_mut().for_each(|x| *x = if largest { top } else { field.random(rng) });
    m
}

/// The definition.
fn naive<F: Field>(
    field: &F,
    a: &PolyMatrix<F::Elem>,
    b: &PolyMatrix<F::Elem>,
    lo: usize,
    len: usize,
) -> PolyMatrix<F::Elem> {
    let mut c = PolyMatrix::zeros(a.rows(), b.cols(), len).unwrap();
    for i in 0..a.rows() {
        for j in 0..b.cols() {
            for l in 0..a.cols() {
                for s in 0..a.len() {
                    for t in 0..b.len() {
                        if (lo..lo + len).contains(&(s + t)) {
                            let x = field.mul(a.get(i, l, s), b.get(l, j, t));
                            c.set(i, j, s + t - lo, field.add(c.get(i, j, s + t - lo), x));
                        }
                    }
                }
            }
        }
    }
    c
}

const SHAPES: [(usize, usize, usize, usize, usize); 14] = [
    (1, 1, 1, 1, 1),
    (1, 1, 1, 40, 33),
    (2, 3, 1, 0, 4),
    (3, 2, 2, 5, 0),
    (0, 2, 2, 3, 3),
    (2, 0, 2, 3, 3),
    (2, 2, 0, 3, 3),
    (3, 5, 2, 7, 1),
    (5, 2, 9, 1, 12),
    (4, 4, 4, 3, 29),
    (9, 3, 17, 16, 8),
    (2, 9, 8, 9, 20),
    (8, 8, 8, 12, 12),
    (1, 6, 2, 2, 90),
];

/// Every method and every instruction set on every shape, whole products and middles.
fn check<F: Field>(field: &F) {
    let mut rng = Rng::seed_from_u64(6);
    for (case, (m, k, n, la, lb)) in SHAPES.into_iter().enumerate() {
        let (a, b) =
            (random(field, m, k, la, case % 2 == 1, &mut rng), random(field, k, n, lb, case % 2 == 1, &mut rng));
        let full = if la == 0 || lb == 0 { 0 } else { la + lb - 1 };
        assert_eq!(
            multiply(field, &a, &b).unwrap(),
            naive(field, &a, &b, 0, full),
            "{field:?} {m}x{k}x{n}, {la}, {lb}"
        );
        for (lo, len) in [(0, full), (la, lb), (lb / 2, 3), (full / 2, full + 2), (full + 3, 2), (0, 1)] {
            let expected = naive(field, &a, &b, lo, len);
            let plan = ProductPlan::new(field, ProductShape::of(&a, &b, lo, len));
            for (method, _) in &plan.candidates {
                for isa in Isa::available() {
                    let found = plan.clone().with_method(*method).execute_with(isa, field, &a, &b).unwrap();
                    assert_eq!(found, expected, "{isa:?} {method}: {plan}");
                }
            }
        }
    }
}

fn prime(p: u64) -> PrimeField {
    PrimeField(Modulus::new(p).unwrap())
}

#[test]
fn products_over_prime_fields() {
    for p in [2, 3, 65521, (1 << 31) - 1, 562949953421231, 562949953421381, 1125899906842597, 9223372036854775783] {
        check(&prime(p));
    }
}

#[test]
fn products_over_extension_fields() {
    check(&Binomial::<2> { p: Modulus::new(3).unwrap(), c: 2 });
    check(&Binomial::<2> { p: Modulus::new(65519).unwrap(), c: 65518 });
    // A ring is enough for products; five digits of 63 bits overflow a delayed reduction.
    check(&Binomial::<5> { p: Modulus::new(9223372036854775783).unwrap(), c: 3 });
}

/// A transform made once serves on both sides and in middle products.
#[test]
fn transforms_can_be_reused() {
    let field = prime(65521);
    let mut rng = Rng::seed_from_u64(7);
    let p = random(&field, 6, 6, 30, false, &mut rng);
    let f = random(&field, 6, 3, 60, false, &mut rng);
    let method = Method::Transform { primes: 1, points: 64 };
    let square = ProductPlan::new(&field, ProductShape::of(&p, &p, 0, 59)).with_method(method);
    let middle = ProductPlan::new(&field, ProductShape::of(&p, &f, 29, 31)).with_method(method);
    let tp = middle.transform(&field, &p).unwrap().unwrap();
    let tf = middle.transform(&field, &f).unwrap().unwrap();
    assert_eq!(square.run(&field, &tp, &tp).unwrap(), multiply(&field, &p, &p).unwrap());
    assert_eq!(middle.run(&field, &tp, &tf).unwrap(), middle_product(&field, &p, &f, 29, 31).unwrap());
    assert_eq!(tp.bytes(), 6 * (64 + 8) * 64);
}

/// A long product in several blocks of rows, depth-first transforms of 2ᵏ and 3 · 2ᵏ points: at a random point the
/// values multiply.
#[test]
fn long_products_multiply_values() {
    let mut rng = Rng::seed_from_u64(10);
    for (p, la, lb) in [(65521, 16000, 16700), ((1 << 31) - 1, 9000, 12000)] {
        let field = prime(p);
        let (a, b) = (random(&field, 9, 8, la, false, &mut rng), random(&field, 8, 5, lb, false, &mut rng));
        let plan = ProductPlan::new(&field, ProductShape::of(&a, &b, 0, la + lb - 1));
        let Method::Transform { primes, points } = plan.method else { panic!("{plan}") };
        assert!(plan.shape.block_rows(primes, points) < 9, "{plan}");
        let c = plan.execute(&field, &a, &b).unwrap();
        let x = field.random(&mut rng);
        let [a, b, c] = [&a, &b, &c].map(|m| evaluate_at(&field, m, x));
        for i in 0..9 {
            for j in 0..5 {
                let row: Vec<u64> = (0..8).map(|l| b[5 * l + j]).collect();
                assert_eq!(field.dot(&a[8 * i..][..8], &row), c[5 * i + j], "mod {p}: {plan}");
            }
        }
    }
}

/// The longest product that one prime (then two) carries, all entries of largest absolute value and one sign:
/// coefficient t is the number of its pairs times M².
#[test]
fn exact_at_the_edge_of_the_chinese_remainder_bound() {
    for (p, primes) in [(1048573u64, 1), (2305843009213693951, 3)] {
        let field = prime(p);
        let largest = if p < 1 << 49 { p / 2 } else { p - 1 };
        let mut len = 1;
        while residues::primes_needed(p, len + 1) == primes && len < 4000 {
            len += 1;
        }
        let a = PolyMatrix::from_coefficients(1, 1, vec![largest; len]);
        let shape = ProductShape::of(&a, &a, 0, 2 * len - 1);
        let method = Method::Transform { primes, points: (2 * len - 1).next_power_of_two() };
        let plan = ProductPlan::new(&field, shape).with_method(method);
        for isa in Isa::available() {
            let c = plan.execute_with(isa, &field, &a, &a).unwrap();
            for t in 0..2 * len - 1 {
                let pairs = (t + 1).min(2 * len - 1 - t) as u64;
                let expected = field.mul(pairs, field.mul(largest, largest));
                assert_eq!(c.get(0, 0, t), expected, "{isa:?} mod {p} at {t} of {len}");
            }
        }
    }
}
