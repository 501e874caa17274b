use super::*;
use rand::SeedableRng;

/// Every way of multiplying, at its smallest, middle and largest sizes.
fn fields() -> Vec<ExtensionField> {
    let mut rng = Rng::seed_from_u64(7);
    let largest = (1u64 << 63) - 25;
    let shapes: Vec<(u64, usize)> = [
        (2, vec![1, 2, 8, 10, 11, 20, 21, 31, 63, 64, 65, 100, 127]),
        (3, vec![1, 2, 5, 12, 13, 40, 42]),
        (5, vec![2, 8, 9, 32]),
        (1021, vec![2, 3, 11]),
        (65521, vec![1, 2, 4, 7]),
        ((1 << 29) - 3, vec![4]),
        ((1 << 30) - 35, vec![1, 4]),
        ((1 << 31) - 1, vec![2, 4]),
        (4_294_967_291, vec![3]),
        ((1 << 61) - 1, vec![1, 2]),
        (largest, vec![1, 2]),
    ]
    .into_iter()
    .flat_map(|(p, degrees)| degrees.into_iter().map(move |k| (p, k)))
    .collect();
    shapes.into_iter().map(|(p, k)| ExtensionField::new(Modulus::new(p).unwrap(), k, &mut rng)).collect()
}

fn digits(f: &ExtensionField, a: Packed) -> Vec<u64> {
    let mut d = vec![0; f.degree()];
    f.write_digits(a, &mut d);
    d
}

/// The product of digit polynomials by the definition, reduced mod f by long division.
fn naive_product(f: &ExtensionField, a: Packed, b: Packed) -> Packed {
    let (m, k) = (f.modulus(), f.degree());
    let (a, b, poly) = (digits(f, a), digits(f, b), f.polynomial());
    let mut c = vec![0; 2 * k];
    for i in 0..k {
        for j in 0..k {
            c[i + j] = m.add(c[i + j], m.mul(a[i], b[j]));
        }
    }
    for h in (k..2 * k).rev() {
        let q = c[h];
        for j in 0..=k {
            c[h - k + j] = m.sub(c[h - k + j], m.mul(q, poly[j]));
        }
    }
    assert!(c[k..].iter().all(|c| *c == 0));
    f.from_digits(&c[..k])
}

fn samples(f: &ExtensionField, rng: &mut Rng) -> Vec<Packed> {
    let p = f.modulus().get();
    let mut samples = vec![f.zero(), f.one(), f.neg(f.one()), f.generator(), f.from_digits(&vec![p - 1; f.degree()])];
    samples.extend((0..8).map(|_| f.random(rng)));
    samples
}

#[test]
fn products_agree_with_the_definition_and_obey_the_axioms() {
    let mut rng = Rng::seed_from_u64(8);
    for f in fields() {
        let s = samples(&f, &mut rng);
        for &a in &s {
            assert_eq!(f.from_digits(&digits(&f, a)), a);
            assert_eq!(f.add(a, f.neg(a)), f.zero());
            assert_eq!(f.mul(a, f.one()), a);
            if a != f.zero() {
                assert_eq!(f.mul(a, f.inv(a)), f.one(), "{a:?} in {f:?}");
            }
            for &b in &s {
                let m = f.modulus();
                let sum: Vec<u64> = digits(&f, a).iter().zip(digits(&f, b)).map(|(&x, y)| m.add(x, y)).collect();
                let difference: Vec<u64> = digits(&f, a).iter().zip(digits(&f, b)).map(|(&x, y)| m.sub(x, y)).collect();
                assert_eq!(digits(&f, f.add(a, b)), sum);
                assert_eq!(digits(&f, f.sub(a, b)), difference);
                assert_eq!(f.mul(a, b), naive_product(&f, a, b), "{a:?} * {b:?} in {f:?}");
                assert_eq!(f.mul(a, b), f.mul(b, a));
                for &c in s.iter().step_by(3) {
                    assert_eq!(f.mul(a, f.add(b, c)), f.add(f.mul(a, b), f.mul(a, c)));
                    assert_eq!(f.mul(a, f.mul(b, c)), f.mul(f.mul(a, b), c));
                }
            }
        }
    }
}

#[test]
fn the_frobenius_map_is_additive_and_has_order_k() {
    let mut rng = Rng::seed_from_u64(9);
    for f in fields() {
        let p = f.modulus().get() as u128;
        let (a, b) = (f.random(&mut rng), f.random(&mut rng));
        assert_eq!(f.pow(f.add(a, b), p), f.add(f.pow(a, p), f.pow(b, p)));
        let orbit: Vec<Packed> =
            std::iter::successors(Some(f.generator()), |&x| Some(f.pow(x, p))).take(f.degree() + 1).collect();
        assert_eq!(orbit[f.degree()], orbit[0], "t^(p^k) = t in {f:?}");
        assert!(orbit[1..f.degree()].iter().all(|x| *x != orbit[0]), "no smaller field holds t");
        // t is a root of f.
        let value = f.polynomial().iter().rev().fold(f.zero(), |v, &c| f.add(f.mul(v, f.generator()), f.embed(c)));
        assert_eq!(value, f.zero());
    }
}

#[test]
fn dot_axpy_and_the_matrix_of_a_product_agree_with_single_operations() {
    let mut rng = Rng::seed_from_u64(10);
    for f in fields() {
        let (m, k) = (f.modulus(), f.degree());
        let worst = f.from_digits(&vec![m.get() - 1; k]);
        for n in [0, 1, 2, 3, 17, 100] {
            for random in [true, false] {
                let mut vector = || (0..n).map(|_| if random { f.random(&mut rng) } else { worst }).collect::<Vec<_>>();
                let (a, b, mut y) = (vector(), vector(), vector());
                let naive = a.iter().zip(&b).fold(f.zero(), |s, (&x, &y)| f.add(s, f.mul(x, y)));
                assert_eq!(f.dot(&a, &b), naive, "{n} terms in {f:?}");
                for scalar in [f.zero(), f.generator(), worst] {
                    let expected: Vec<Packed> = y.iter().zip(&a).map(|(&y, &x)| f.add(y, f.mul(scalar, x))).collect();
                    f.axpy(&mut y, scalar, &a);
                    assert_eq!(y, expected);
                }
            }
        }
        let (e, x) = (f.random(&mut rng), f.random(&mut rng));
        let (matrix, x_digits) = (multiply_matrix(&f, e), digits(&f, x));
        let product: Vec<u64> = matrix.chunks(k).map(|row| PrimeFieldDot(m).dot(row, &x_digits)).collect();
        assert_eq!(product, digits(&f, f.mul(e, x)));
    }
}

/// The k × k matrix over GF(p), row-major, of the product by e: column j holds the digits of e·tʲ.
fn multiply_matrix(f: &ExtensionField, e: Packed) -> Vec<u64> {
    let powers = std::iter::successors(Some(e), |&column| Some(f.mul(column, f.generator())));
    let columns: Vec<Vec<u64>> = powers.take(f.degree()).map(|column| digits(f, column)).collect();
    (0..f.degree()).flat_map(|i| columns.iter().map(move |column| column[i])).collect()
}

struct PrimeFieldDot(Modulus);
impl PrimeFieldDot {
    fn dot(&self, a: &[u64], b: &[u64]) -> u64 {
        a.iter().zip(b).fold(0, |s, (&x, &y)| self.0.add(s, self.0.mul(x, y)))
    }
}

#[test]
fn every_element_of_a_small_field_is_drawn() {
    let mut rng = Rng::seed_from_u64(11);
    for (p, k) in [(2, 3), (3, 2), (5, 1)] {
        let f = ExtensionField::new(Modulus::new(p).unwrap(), k, &mut rng);
        let seen: std::collections::HashSet<Packed> = (0..500).map(|_| f.random(&mut rng)).collect();
        assert_eq!(seen.len() as u128, f.order());
        assert!((f.log2_order() - (f.order() as f64).log2()).abs() < 1e-9);
    }
}

#[test]
fn degrees_beyond_the_word_are_refused() {
    let degree = |p| ExtensionField::max_degree(Modulus::new(p).unwrap());
    assert_eq!([2, 3, 65521, (1 << 31) - 1, (1 << 63) - 25].map(degree), [127, 42, 7, 4, 2]);
    let refused = std::panic::catch_unwind(|| {
        ExtensionField::new(Modulus::new(3).unwrap(), 43, &mut Rng::seed_from_u64(1));
    });
    assert!(refused.is_err());
}
