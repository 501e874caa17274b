//! Solutions over ℚ multiplied out, for matrices of every kind and primes of every size.

use super::{Fractions, Side, System, sides};
use crate::answers::{Minor, RankOptions, rank};
use crate::field::{Modulus, Rng};
use crate::integers::large_gcd;
use crate::sparse::{Integer, Triplets};
use crate::{Error, Silent, families};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed};
use rand::{RngExt, SeedableRng};

const LARGE: u64 = 1_073_741_789;

fn modulus(p: u64) -> Modulus {
    Modulus::new(p).unwrap()
}

/// The minor that a rank mod p finds.
fn minor(a: &Triplets, p: Modulus) -> Minor {
    rank(&a.reduce(p), &RankOptions::default().minor(true), &Silent).unwrap().minor.unwrap()
}

/// M·y = d·b, d > 0, and no common factor.
fn check(a: &Triplets, minor: &Minor, b: &Side<'_>, found: &Fractions) {
    let mut y = vec![BigInt::ZERO; a.cols()];
    minor.cols().iter().zip(&found.numerators).for_each(|(&j, y_j)| y[j as usize] = y_j.clone());
    let mut sums = vec![BigInt::ZERO; a.rows()];
    b.iter().for_each(|(i, v)| sums[*i as usize] -= v.to_bigint() * &found.denominator);
    a.entries().for_each(|(i, j, v)| sums[i] += v.to_bigint() * &y[j]);
    assert!(minor.rows().iter().all(|&i| sums[i as usize] == BigInt::ZERO));
    assert_eq!(found.numerators.len(), minor.cols().len());
    let factor = |g: BigUint, y: &BigInt| large_gcd(g, y.magnitude().clone());
    assert!(found.numerators.iter().fold(found.denominator.magnitude().clone(), factor).is_one());
    assert!(found.denominator.is_positive());
}

/// A random integer of up to so many bits.
fn integer(bits: u32, rng: &mut Rng) -> BigInt {
    let bytes: Vec<u8> = (0..bits.div_ceil(8)).map(|_| rng.random_range(0..=255)).collect();
    (BigInt::from_bytes_le(num_bigint::Sign::Plus, &bytes) >> ((8 - bits % 8) % 8)) * rng.random_range(-1..=1)
}

fn matrix(rows: usize, cols: usize, nnz: usize, bits: u32, rng: &mut Rng) -> Triplets {
    let diagonal = (0..rows.min(cols)).map(|i| (i, i, BigInt::from(rng.random_range(1..9)))).collect::<Vec<_>>();
    let others = (0..nnz).map(|_| (rng.random_range(0..rows), rng.random_range(0..cols), integer(bits, rng)));
    let entries: Vec<_> = diagonal.into_iter().chain(others).map(|(i, j, v)| (i, j, Integer::from(v))).collect();
    Triplets::try_from_entries(rows, cols, entries).unwrap()
}

#[test]
fn solutions_of_matrices_of_every_size() {
    let mut rng = Rng::seed_from_u64(91);
    for p in [3, 5, 101, 65_521, LARGE].map(modulus) {
        for (rows, cols, nnz, bits) in [
            (0, 0, 0, 1),
            (1, 1, 0, 1),
            (1, 1, 3, 200),
            (3, 5, 9, 3),
            (9, 9, 60, 62),
            (12, 9, 80, 64),
            (15, 15, 40, 130),
            (40, 40, 90, 2),
            (60, 55, 300, 10),
            (30, 30, 900, 7),
        ] {
            let a = matrix(rows, cols, nnz, bits, &mut rng);
            let minor = minor(&a, p);
            let system = System::new(&a, p, &minor, None, &Silent).unwrap();
            assert_eq!(system.order(), minor.rows().len());
            for count in [0, 1, 2, 11] {
                // Zero, small and huge right sides.
                let size = [0, 3, 64, 300][rng.random_range(0..4)];
                let b = matrix(rows, count, if rows * count > 0 { 2 * rows } else { 0 }, size, &mut rng);
                let b = sides(&b).unwrap();
                let found = system.solve(&b, &Silent).unwrap();
                assert_eq!(found.len(), count);
                found.iter().zip(&b).for_each(|(found, b)| check(&a, &minor, b, found));
                let residues = system.solve_mod_p(&b).unwrap();
                for (found, residues) in found.iter().zip(residues) {
                    let of = |y: &BigInt| p.reduce_bigint(y);
                    let d = of(&found.denominator);
                    assert!(d != 0, "M is nonsingular mod p");
                    let same = |(y, &x): (&BigInt, &i64)| of(y) == p.mul(p.reduce_i64(x), d);
                    assert!(found.numerators.iter().zip(&residues).all(same));
                }
            }
        }
    }
}

/// With the factors of the complement instead of its inverse.
#[test]
fn factors_serve_where_an_inverse_does_not_fit() {
    let mut rng = Rng::seed_from_u64(92);
    let (a, p) = (matrix(60, 60, 500, 9, &mut rng), modulus(LARGE));
    let minor = minor(&a, p);
    assert!(minor.rows().len() > minor.triangular());
    let b = matrix(60, 9, 90, 30, &mut rng);
    let b = sides(&b).unwrap();
    let of = |limit| System::new(&a, p, &minor, limit, &Silent).unwrap().solve(&b, &Silent).unwrap();
    let found = of(Some(0));
    assert_eq!(found, of(None));
    found.iter().zip(&b).for_each(|(found, b)| check(&a, &minor, b, found));
}

/// The solution of a bidiagonal system has the denominators 2, 6, 30, …: the product of the first primes.
#[test]
fn planted_denominators() {
    let primes: Vec<i64> = (2..2000).filter(|&q| crate::field::is_prime(q as u64)).collect();
    let n = primes.len();
    let entries = (0..n).flat_map(|i| [(i, i, primes[i]), (i, i.saturating_sub(1), -i64::from(i > 0))]);
    let a = Triplets::from_entries(n, n, entries.filter(|e| e.2 != 0));
    let p = modulus(LARGE);
    let minor = minor(&a, p);
    let found = System::new(&a, p, &minor, None, &Silent).unwrap().solve(&[vec![(0, 1.into())]], &Silent).unwrap();
    let product: BigInt = primes.iter().product();
    assert_eq!(found[0].denominator, product);
    for (&j, y) in minor.cols().iter().zip(&found[0].numerators) {
        assert_eq!(*y, primes[j as usize + 1..].iter().product());
    }
}

/// Right sides whose first digits are 0: that is no solution yet.
#[test]
fn digits_that_vanish_prove_nothing() {
    let a = Triplets::from_entries(1, 1, [(0, 0, BigInt::from(10).pow(40))]);
    for p in [3, 101, LARGE].map(modulus) {
        let minor = minor(&a, p);
        let system = System::new(&a, p, &minor, None, &Silent).unwrap();
        for b in (1..6).flat_map(|e| [1i64, -1, 7].map(|f| BigInt::from(p.get()).pow(e) * f)) {
            let b = vec![(0, b.into())];
            check(&a, &minor, &b, &system.solve(std::slice::from_ref(&b), &Silent).unwrap()[0]);
        }
    }
}

/// No more digits than the answer has, whatever the bound: an integer solution of a matrix with a large determinant.
#[test]
fn small_solutions_take_few_digits() {
    let a = families::generate("Trefethen_150").unwrap();
    let p = modulus(LARGE);
    let minor = minor(&a, p);
    let system = System::new(&a, p, &minor, None, &Silent).unwrap();
    let mut b = vec![0i64; 150];
    a.entries().for_each(|(i, j, v)| b[i] += i64::try_from(v.to_bigint()).unwrap() * (j as i64 % 5 - 2));
    let b: Side = (0..).zip(b).map(|(i, v)| (i, v.into())).collect();
    let found = system.solve(&[b, vec![(3, 1.into())]], &Silent).unwrap();
    assert!(found[0].denominator.is_one() && found[0].digits <= 6, "{} digits", found[0].digits);
    for (&j, y) in minor.cols().iter().zip(&found[0].numerators) {
        assert_eq!(*y, BigInt::from(j % 5) - 2);
    }
    assert!(found[1].denominator.bits() > 500 && found[1].digits > 40);
}

#[test]
fn primes_out_of_range_and_singular_minors_are_told() {
    let a = Triplets::from_entries(2, 2, [(0, 0, 3), (1, 1, 5), (0, 1, 1)]);
    let refused = |p: u64, minor: &Minor| {
        let found = System::new(&a, modulus(p), minor, None, &Silent);
        assert!(matches!(found, Err(Error::Check(_))), "{p}");
    };
    let whole = Minor::new(vec![0, 1], vec![0, 1], 0);
    refused(2, &whole);
    refused((1 << 31) - 1, &whole);
    refused(3, &whole);
    refused(5, &Minor::new(vec![0, 1], vec![0, 1], 2));
    assert!(System::new(&a, modulus(7), &whole, None, &Silent).is_ok());
}
