use super::*;
use crate::field::Rng;
use rand::{RngExt, SeedableRng};

/// 2, 3, and the primes on both sides of every change of form.
const PRIMES: [u64; 17] = [
    2,
    3,
    251,
    5783,
    5791,
    5801,
    65521,
    65537,
    (1 << 26) - 5,
    (1 << 31) - 1,
    (1 << 31) + 11,
    4_294_967_291,
    4_294_967_311,
    (1 << 44) - 17,
    (1 << 61) - 1,
    (1 << 62) - 57,
    (1 << 63) - 25,
];

#[test]
fn agrees_with_the_definition() {
    let mut rng = Rng::seed_from_u64(12);
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        for (m, k, n) in [
            (0, 3, 2),
            (3, 0, 2),
            (2, 3, 0),
            (1, 1, 1),
            (4, 9, 5),
            (13, 130, 33),
            (65, 130, 7),
            (26, 600, 70),
            (2, 3, 1100),
        ] {
            let mut random = |len: usize| (0..len).map(|_| rng.random_range(0..p)).collect::<Vec<_>>();
            let (a, b, mut c) = (random(m * k), random(k * n), random(m * n));
            gemm(modulus, m, k, n, &a, &b, &mut c).unwrap();
            for i in 0..m {
                for j in 0..n {
                    let naive = (0..k).fold(0, |s, t| modulus.add(s, modulus.mul(a[i * k + t], b[t * n + j])));
                    assert_eq!(c[i * n + j], naive, "({i}, {j}) of {m} x {k} x {n} mod {p}");
                }
            }
        }
    }
}

#[test]
fn extreme_residues_survive_sums_as_long_as_they_may_be() {
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        let h = p / 2;
        for k in [1, 2, 7, 8, 9, 15, 16, 17, 23, 255, 256, 257, 700] {
            // The largest, the least and alternating balanced residues, added to the largest residue.
            for signs in [[h, h], [h, (h + 1) % p], [(h + 1) % p, (h + 1) % p], [p - 1, h]] {
                let (a, b) = (vec![signs[0]; 2 * k], vec![signs[1]; k * 3]);
                let mut c = vec![p - 1; 2 * 5];
                let places = (Place { offset: 1, stride: 5 }, Place::packed(k), Place::packed(3));
                let arithmetic = Arithmetic::new(modulus);
                arithmetic.subtract_product((2, k, 3), (&mut c, places.0), (&a, places.1), (&b, places.2)).unwrap();
                let product = modulus.mul(modulus.mul(signs[0], signs[1]), modulus.reduce(k as u64));
                let x = modulus.sub(p - 1, product);
                let o = p - 1;
                assert_eq!(c, [o, x, x, x, o, o, x, x, x, o], "p = {p}, k = {k}, {arithmetic:?}");
            }
        }
    }
}

#[test]
fn every_form_holds_its_words_and_sums() {
    for p in PRIMES {
        let arithmetic = Arithmetic::new(Modulus::new(p).unwrap());
        let (h, terms, fold) = ((p / 2) as u128, arithmetic.terms() as u128, arithmetic.fold() as u128);
        assert!(terms == 256 || p < 256, "{p}: {terms} terms");
        assert!(arithmetic.words(arithmetic.terms()).div_ceil(arithmetic.fold()) <= simd::FOLDS);
        match arithmetic.form {
            Form::TwoTerms(_) => assert!(p <= 5791 && terms * h * h + (p as u128) < 1 << 31),
            Form::TwoDigits(_) => {
                assert!(p < 1 << 16 && terms * h * 256 + (p as u128) < 1 << 31 && h <= (127 << 8) + 255)
            }
            Form::Whole(_) => assert!(h <= i32::MAX as u128 && fold * h * h + (1 << 32) < 1 << 63),
            Form::Limbs(width) => {
                let (low, high) = (1u128 << (width - 1), (h >> width) + 1);
                assert!(high <= i32::MAX as u128 && low <= 1 << 31);
                assert!(fold >= 2 && fold / 2 * low.max(high) * (low + high) + (1 << 32) < 1 << 63);
            }
        }
    }
}

#[test]
fn multiples_are_subtracted_and_rows_scaled() {
    let mut rng = Rng::seed_from_u64(13);
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        let arithmetic = Arithmetic::new(modulus);
        let mut vector: Vec<u64> = (0..40).map(|_| rng.random_range(0..p)).collect();
        vector.extend([0, p - 1, p / 2, (p / 2 + 1) % p]);
        let other: Vec<u64> = vector.iter().rev().copied().collect();
        for a in [0, 1, p / 2, (p / 2 + 1) % p, p - 1] {
            let mut y = other.clone();
            arithmetic.subtract_multiple(&mut y, a, &vector);
            let twin: Vec<u64> = other.iter().zip(&vector).map(|(&y, &x)| modulus.sub(y, modulus.mul(a, x))).collect();
            assert_eq!(y, twin, "{a} mod {p}");
            arithmetic.scale(&mut y, a).unwrap();
            assert_eq!(y, twin.iter().map(|&x| modulus.mul(a, x)).collect::<Vec<_>>(), "{a} mod {p}");
        }
    }
}
