use super::*;
use crate::Silent;
use crate::certify::Streams;
use crate::field::{Modulus, Rng};
use crate::oracles::{berkowitz, naive_minimal_polynomial};
use crate::report::Phases;
use crate::sparse::SparseMatrix;
use crate::spmv::{Plan, PlanOptions, Product};
use crate::univariate::divide;
use rand::{RngExt, SeedableRng};

fn product(a: &SparseMatrix) -> Product {
    Product::new(a, &Plan::choose(a, &PlanOptions::default()).unwrap()).unwrap()
}

fn dense(a: &SparseMatrix) -> Vec<u64> {
    let n = a.rows();
    let mut all = vec![0; n * n];
    (0..n).for_each(|i| a.row(i).0.iter().zip(a.row(i).1).for_each(|(&j, &v)| all[i * n + j as usize] = v));
    all
}

/// By both ways: the determinant divides the characteristic polynomial and has the dimension as its degree; the last
/// invariant factor divides the minimal polynomial, and both are the whole if the dimension is n.
#[test]
fn relations_present_a_submodule() {
    let mut rng = Rng::seed_from_u64(91);
    let (mut whole, mut part) = (0, 0);
    for p in [2, 3, 65521].map(|p| Modulus::new(p).unwrap()) {
        for (n, weight, s) in
            [(1, 1, 1), (6, 2, 1), (12, 1, 2), (20, 2, 3), (30, 1, 4), (30, 4, 4), (9, 3, 9), (7, 2, 20)]
        {
            let entry = |_| (rng.random_range(0..n), rng.random_range(0..n), rng.random_range(0..p.get()));
            let a = SparseMatrix::from_triplets(p, n, n, &(0..n * weight).map(entry).collect::<Vec<_>>());
            let (all, operator) = (dense(&a), product(&a));
            let (full, minimal) = (berkowitz(p, n, &all), naive_minimal_polynomial(p, n, &all));
            let streams = Streams::of(&a, 5);
            let runs = Runs { block: s, streams: &streams, number: 0 };
            let found = [
                by_elimination(&operator, Some(&all[..]).filter(|_| n.is_multiple_of(2)), s, &mut rng, &Silent)
                    .unwrap(),
                by_wiedemann(&operator, &runs, &mut Phases::default(), &Silent).unwrap(),
            ];
            for (k, found) in found.into_iter().enumerate() {
                let determinant = found.determinant(&mut rng, &Silent).unwrap();
                assert_eq!(determinant.len() - 1, found.dimension());
                let factors = found.invariant_factors(&determinant, &mut rng, &Silent).unwrap();
                assert!(factors.len() >= s.min(n));
                let last = factors.last().unwrap();
                assert!(divide(p, &full, &determinant).unwrap().1.is_empty(), "{n} mod {p}, way {k}");
                assert!(divide(p, &minimal, last).unwrap().1.is_empty());
                let most = found.most_of_the_last(&determinant, &mut rng, &Silent).unwrap();
                assert!(divide(p, last, &most).unwrap().1.is_empty(), "{n} mod {p}, way {k}");
                // A few small primes may be missing where few of them are others'.
                assert!(p.get() < 65521 || most == *last || determinant.len() - last.len() <= 2 * s.min(16));
                let is_whole = found.dimension() == n;
                assert!(!is_whole || (&determinant, last) == (&full, &minimal));
                assert!(k == 1 || s < n || is_whole);
                *(if is_whole { &mut whole } else { &mut part }) += 1;
                assert!(annihilates_all(&operator, &minimal, &Silent).unwrap());
                assert!(annihilates(&operator, &full, 3, &mut rng, &Silent).unwrap());
                assert!(!annihilates_all(&operator, &divide(p, &minimal, &[0, 1]).unwrap().0, &Silent).unwrap());
            }
        }
    }
    assert!(whole > 20 && part > 5, "{whole} whole, {part} not");
}

/// Two eigenvalues over GF(2): a vector sees both once in four times, the bound is 1 - and the check of 1 as a
/// polynomial lets it pass if all its vectors are zero.
#[test]
fn the_bound_for_missing_a_factor_holds_and_is_sharp() {
    let p = Modulus::new(2).unwrap();
    let mut rng = Rng::seed_from_u64(92);
    // diag(0, 1): two factors, one vector sees both once in four times.
    let a = SparseMatrix::from_triplets(p, 2, 2, &[(1, 1, 1)]);
    let operator = product(&a);
    let mut failures = [0; 2];
    const TIMES: u32 = 2000;
    for _ in 0..TIMES {
        let found = by_elimination(&operator, None, 1, &mut rng, &Silent).unwrap();
        failures[0] += u32::from(found.dimension() < 2);
        // f = 1 is not annihilating: a block of two vectors shows it unless both are zero.
        failures[1] += u32::from(annihilates(&operator, &[1], 2, &mut rng, &Silent).unwrap());
    }
    assert!(missing(p, 2, 1).is_vacuous() && missing(p, 2, 8).value() < 0.0079);
    assert!((0.70..0.80).contains(&(f64::from(failures[0]) / f64::from(TIMES))), "{failures:?}");
    assert!((0.04..0.09).contains(&(f64::from(failures[1]) / f64::from(TIMES))), "{failures:?}");
}
