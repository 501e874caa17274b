//! The whole room: closed forms, every method against Laplace and against each other, residues, degenerate matrices.

use super::low_rank::LowRank;
use super::reduce::Switches;
use super::shapes::{aztec_diamond, chessboard, hexagon, laplace, macmahon, menage};
use super::{IntMatrix, Method, Options, perfect_matchings, permanent};
use crate::field::{Modulus, Rng};
use crate::sparse::Triplets;
use crate::{Error, Silent};
use num_bigint::BigInt;
use rand::{RngExt, SeedableRng};

const METHODS: [Method; 6] =
    [Method::Auto, Method::Frontier, Method::Gray, Method::Kasteleyn, Method::Rook, Method::LowRank];

fn auto(a: &IntMatrix) -> BigInt {
    permanent(&a.to_triplets().unwrap(), &Options::default(), &Silent).unwrap().value
}

fn circulant(n: usize, shifts: &[usize]) -> IntMatrix {
    IntMatrix::from_entries(n, (0..n).flat_map(|i| shifts.iter().map(move |s| (i, (i + s) % n, 1))))
}

#[test]
fn closed_forms() {
    let factorial = |n: usize| (1..=n).map(BigInt::from).product::<BigInt>();
    for n in 1..30usize {
        let ones = IntMatrix::from_entries(n, (0..n * n).map(|k| (k / n, k % n, 1)));
        assert_eq!(auto(&ones), factorial(n));
        let off = |a: &[usize]| {
            let a = a.to_vec();
            let places = (0..n * n).filter(move |k| !a.contains(&((k % n + n - k / n) % n)));
            IntMatrix::from_entries(n, places.map(|k| (k / n, k % n, 1)))
        };
        if n > 1 {
            let derangements = (1..=n).fold(BigInt::from(1), |d, k| d * k + [1, -1][k % 2]);
            assert_eq!(auto(&off(&[0])), derangements, "n = {n}");
        }
        if n > 2 {
            assert_eq!(auto(&off(&[0, 1])), menage(n as u64), "n = {n}");
        }
    }
}

#[test]
fn fibonacci_and_lucas_families() {
    let (mut fibonacci, mut lucas) = (vec![BigInt::from(1); 2], vec![BigInt::from(2), BigInt::from(1)]);
    for k in 2..120 {
        fibonacci.push(&fibonacci[k - 1] + &fibonacci[k - 2]);
        lucas.push(&lucas[k - 1] + &lucas[k - 2]);
    }
    for n in [1usize, 2, 3, 10, 50, 100] {
        // Tridiagonal ones: F(n+1) with F(1) = F(2) = 1.
        let band = (0..n).flat_map(|i| (i.saturating_sub(1)..(i + 2).min(n)).map(move |j| (i, j, 1)));
        assert_eq!(auto(&IntMatrix::from_entries(n, band.collect::<Vec<_>>())), fibonacci[n], "n = {n}");
    }
    for n in [3usize, 4, 5, 20, 100] {
        assert_eq!(auto(&circulant(n, &[0, 1])), BigInt::from(2));
        // I + P + P²: Minc, L(n) + 2.
        assert_eq!(auto(&circulant(n, &[0, 1, 2])), &lucas[n] + 2, "n = {n}");
    }
}

#[test]
fn planar_families() {
    assert_eq!(auto(&chessboard(8, 8).unwrap()), BigInt::from(12_988_816));
    assert_eq!(auto(&aztec_diamond(9)), BigInt::from(1) << 45);
    assert_eq!(auto(&hexagon(4, 5, 6)), macmahon(4, 5, 6).into());
}

#[test]
fn every_method_agrees_with_laplace() {
    let mut rng = Rng::seed_from_u64(1);
    let mut used = [0; METHODS.len()];
    for round in 0..240usize {
        let n = round % 11;
        let density = rng.random_range(0.1..1.0);
        let values: &[i64] = [&[1][..], &[1, 2], &[-2, -1, 1, 3], &[i64::MIN, 1 << 40, -7]][round % 4];
        let entries: Vec<_> = (0..n * n)
            .map(|k| {
                let v = if rng.random_bool(density) { values[rng.random_range(0..values.len())] } else { 0 };
                (k / n, k % n, v)
            })
            .collect();
        let a = IntMatrix::from_entries(n, entries);
        let expected = laplace(&a);
        for (method, used) in METHODS.into_iter().zip(&mut used) {
            for modulus in [None, Some(3), Some(65521)] {
                let modulus = modulus.map(|p| Modulus::new(p).unwrap());
                let reductions = if round % 5 == 4 { Switches::none() } else { Switches::default() };
                let options = Options { method, modulus, reductions, ..Default::default() };
                match permanent(&a.to_triplets().unwrap(), &options, &Silent) {
                    Ok(found) => {
                        let expected = modulus.map_or(expected.clone(), |p| p.reduce_bigint(&expected).into());
                        assert_eq!(found.value, expected, "{method:?} {modulus:?} {a:?}");
                        *used += 1;
                    }
                    Err(Error::Usage(message)) => assert!(message.starts_with(&format!("method {}", method.name()))),
                    Err(error) => panic!("{error}"),
                }
            }
        }
        let transposed = permanent(&a.to_triplets().unwrap().transpose(), &Options::default(), &Silent).unwrap();
        assert_eq!(transposed.value, expected);
    }
    assert!(used.iter().all(|&used| used > 60), "{used:?}");
}

#[test]
fn parity_is_the_determinants() {
    let two = Modulus::new(2).unwrap();
    let mut rng = Rng::seed_from_u64(2);
    for n in 0..12 {
        for _ in 0..20 {
            let entries: Vec<_> = (0..n * n).map(|k| (k / n, k % n, rng.random_range(-1i64..3))).collect();
            let a = IntMatrix::from_entries(n, entries);
            let options = Options { modulus: Some(two), ..Default::default() };
            let found = permanent(&a.to_triplets().unwrap(), &options, &Silent).unwrap();
            assert_eq!(found.value, two.reduce_bigint(&laplace(&a)).into());
            assert_eq!(found.method, "determinant");
        }
    }
}

#[test]
fn shapes_without_sides() {
    let none = || std::iter::empty::<(usize, usize, i64)>();
    let empty = Triplets::from_entries(0, 0, none());
    assert_eq!(permanent(&empty, &Options::default(), &Silent).unwrap().value, BigInt::from(1));
    assert_eq!(auto(&IntMatrix::from_entries(4, none())), BigInt::ZERO);
    assert_eq!(
        permanent(&Triplets::from_entries(3, 5, none()), &Options::default(), &Silent).unwrap().value,
        BigInt::ZERO
    );
}

/// J + p·I has rank 1 mod the prime p that is tried first, and rank n mod nearly every other one.
#[test]
fn a_rank_that_is_small_by_accident_is_no_end() {
    let (n, p) = (6, i64::MAX - 24);
    let a = IntMatrix::from_entries(n, (0..n * n).map(|k| (k / n, k % n, if k % (n + 1) == 0 { 1 + p } else { 1 })));
    assert_eq!(LowRank::new(&a).expect("rank 1 mod p").rank(), 1);
    assert_eq!(auto(&a), laplace(&a));
}

#[test]
fn matchings_by_edges() {
    // The 6-cycle, with one edge listed twice.
    let edges = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 0), (2, 0)];
    assert_eq!(perfect_matchings(3, edges, &Options::default(), &Silent).unwrap().value, BigInt::from(2));
}

#[test]
fn answers_say_how_and_why() {
    let a = chessboard(20, 20).unwrap().to_triplets().unwrap();
    let options = Options { method: Method::Kasteleyn, ..Default::default() };
    let answer = permanent(&a, &options, &Silent).unwrap();
    assert_eq!(answer.method, "kasteleyn");
    let (bound, moduli) = &answer.proof.residues[0];
    assert!(moduli.iter().product::<num_bigint::BigUint>().bits() > bound.bits + 1);
    assert!(answer.proof.to_string().starts_with("a block has |value| <= 2^"), "{}", answer.proof);
    assert!(answer.path.iter().any(|step| step.name == "kasteleyn" && step.why.starts_with("planar")));
    let refused = Options { method: Method::Rook, ..Default::default() };
    assert!(matches!(permanent(&a, &refused, &Silent), Err(Error::Usage(_))));
}
