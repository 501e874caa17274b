//! Order bases against schoolbook products, linear algebra and theorems.

use super::order_basis::rank;
use super::test_field::Gf9;
use super::*;
use crate::Silent;
use crate::field::{Field, Modulus, PrimeField, Rng};
use crate::poly::PolyMatrix;
use rand::{RngExt, SeedableRng};

const PRIMES: [u64; 6] = [2, 3, 65521, 4294967291, (1 << 61) - 1, 9223372036854775783];

pub(super) fn prime(p: u64) -> PrimeField {
    PrimeField(Modulus::new(p).expect("a prime"))
}

/// A series with one of several kinds of degeneracy: dense, sparse, dependent columns, repeated rows, late start, zero.
pub(super) fn series<F: Field>(field: &F, rng: &mut Rng, m: usize, n: usize, len: usize) -> PolyMatrix<F::Elem> {
    let kind = rng.random_range(0..6);
    let mut series = PolyMatrix::zeros(m, n, len).unwrap();
    for k in 0..len {
        for i in 0..m {
            for j in 0..n {
                let value = match kind {
                    0 => field.random(rng),
                    1 if rng.random_range(0..5) == 0 => field.random(rng),
                    2 if j > 0 => field.add(series.get(i, 0, k), series.get(i, j - 1, k)),
                    3 if i > 0 => series.get(i / 2, j, k),
                    4 if k >= len / 2 => field.random(rng),
                    3 | 2 => field.random(rng),
                    _ => field.zero(),
                };
                series.set(i, j, k, value);
            }
        }
    }
    series
}

/// The coefficients below x^order of P·F, by the definition.
fn residual<F: Field>(
    field: &F,
    p: &PolyMatrix<F::Elem>,
    series: &PolyMatrix<F::Elem>,
    order: usize,
) -> PolyMatrix<F::Elem> {
    let mut product = PolyMatrix::zeros(p.rows(), series.cols(), order).unwrap();
    for (a, b) in (0..p.len()).flat_map(|a| (0..series.len()).map(move |b| (a, b))).filter(|(a, b)| a + b < order) {
        for i in 0..p.rows() {
            for j in 0..series.cols() {
                let sum = (0..p.cols()).fold(product.get(i, j, a + b), |sum, l| {
                    field.add(sum, field.mul(p.get(i, l, a), series.get(l, j, b)))
                });
                product.set(i, j, a + b, sum);
            }
        }
    }
    product
}

/// The dimension of {p : p·F ≡ 0 mod x^order, deg p_j + s_j ≤ bound}: unknowns minus the rank of the equations.
fn dimension<F: Field>(field: &F, series: &PolyMatrix<F::Elem>, order: usize, shift: &[i64], bound: i64) -> usize {
    let (n, mut equations, mut unknowns) = (series.cols(), Vec::new(), 0);
    for (j, &s) in shift.iter().enumerate() {
        for k in 0..(bound - s + 1).max(0) as usize {
            unknowns += 1;
            let mut row = vec![field.zero(); order * n];
            for at in k..order.min(k + series.len()) {
                row[at * n..][..n].copy_from_slice(&series.coefficient(at - k)[j * n..][..n]);
            }
            equations.extend(row);
        }
    }
    if order == 0 { unknowns } else { unknowns - rank(field, equations, order * n) }
}

/// All that an order basis promises.
fn check<F: Field>(field: &F, series: &PolyMatrix<F::Elem>, shift: &[i64], found: &OrderBasis<F::Elem>) {
    let order = found.order;
    assert!(residual(field, &found.basis, series, order).data().iter().all(|&a| a == field.zero()));
    assert!(is_ordered_weak_popov(&found.basis, shift));
    assert!(is_reduced(field, &found.basis, shift));
    assert!(row_degrees(&found.basis, shift).into_iter().eq(found.degrees.iter().map(|&d| Some(d))));
    let (low, high) = (shift.iter().min().unwrap(), found.degrees.iter().max().unwrap());
    for bound in low - 1..=high + 1 {
        let expected: i64 = found.degrees.iter().map(|d| (bound - d + 1).max(0)).sum();
        assert_eq!(dimension(field, series, order, shift, bound) as i64, expected, "degree bound {bound}");
    }
    let trials = if field.modulus().get() < 100 { 40 } else { 2 };
    verify(field, series, shift, found, trials, &mut Rng::seed_from_u64(1)).unwrap();
}

fn all_algorithms_agree<F: Field>(field: &F, seed: u64, rounds: usize) {
    let mut rng = Rng::seed_from_u64(seed);
    for _ in 0..rounds {
        let (m, n) = (rng.random_range(1..6), rng.random_range(1..5));
        let (len, order) = (rng.random_range(0..12), rng.random_range(0..12));
        let shift: Vec<i64> = (0..m).map(|_| rng.random_range(-3..4)).collect();
        let series = series(field, &mut rng, m, n, len);
        let direct = m_basis(field, &series, order, &shift).unwrap();
        check(field, &series, &shift, &direct);
        for leaf in 1..4 {
            let params = Params { leaf };
            let divided = pm_basis(field, &series, order, &shift, &params, &Silent).unwrap();
            assert_eq!(divided, direct, "leaf {leaf}");
        }
        for (i, &last) in direct.last_change.iter().enumerate() {
            let row = |basis: &OrderBasis<F::Elem>| {
                (0..order + 1)
                    .map(|k| {
                        (0..m)
                            .map(|j| if k < basis.basis.len() { basis.basis.get(i, j, k) } else { field.zero() })
                            .collect()
                    })
                    .collect::<Vec<Vec<_>>>()
            };
            assert_eq!(row(&m_basis(field, &series, last, &shift).unwrap()), row(&direct));
            assert!(last == 0 || row(&m_basis(field, &series, last - 1, &shift).unwrap()) != row(&direct));
        }
        let canonical = popov(field, &series, order, &shift, &Params { leaf: 2 }, &Silent).unwrap();
        check(field, &series, &shift, &canonical);
        assert!(is_popov(field, &canonical.basis, &shift));
        // Mixing the columns of the series changes the pivots, not the module.
        let mut mixed = series.clone();
        for k in 0..len {
            for i in 0..m {
                for j in 1..n {
                    let sum = field.add(mixed.get(i, j - 1, k), mixed.get(i, j, k));
                    mixed.set(i, j - 1, k, sum);
                }
            }
        }
        assert_eq!(popov(field, &mixed, order, &shift, &Params::for_field(field), &Silent).unwrap(), canonical);
    }
}

#[test]
fn bases_are_minimal_over_prime_fields() {
    for p in PRIMES {
        all_algorithms_agree(&prime(p), p, 25);
    }
}

#[test]
fn bases_are_minimal_over_an_extension_field() {
    all_algorithms_agree(&Gf9, 9, 40);
}

#[test]
fn a_scalar_series_and_its_hand_made_basis() {
    // 1/(1 - x) = 1 + x + x² + …: (1 - x)·F ≡ 1, so [F; -1] has the row (1 - x, 1) at every order.
    let field = prime(7);
    let series = PolyMatrix::from_coefficients(2, 1, vec![1, 6, 1, 0, 1, 0, 1, 0, 1, 0]);
    let found = popov(&field, &series, 5, &[0, 0], &Params::for_field(&field), &Silent).unwrap();
    assert_eq!(found.degrees, [1, 4]);
    // (x - 1, -1) and (1, 1 + x + x² + x³ + x⁴).
    assert_eq!(found.basis.data()[..8], [6, 6, 1, 1, 1, 0, 0, 1]);
}

#[test]
fn verify_catches_every_kind_of_wrong_basis() {
    let (field, mut rng) = (prime(65521), Rng::seed_from_u64(5));
    let data = (0..4 * 2 * 9).map(|_| field.random(&mut rng)).collect();
    let (series, shift) = (PolyMatrix::from_coefficients(4, 2, data), [0, 1, 0, -1]);
    let good = m_basis(&field, &series, 8, &shift).unwrap();
    let message = |bad: &OrderBasis<u64>| {
        verify(&field, &series, &shift, bad, 2, &mut Rng::seed_from_u64(6)).unwrap_err().to_string()
    };

    let mut wrong = good.clone();
    wrong.basis.set(1, 0, 0, field.add(wrong.basis.get(1, 0, 0), 1));
    assert!(message(&wrong).contains("terms below the order"));

    let mut wrong = good.clone();
    wrong.degrees[2] += 1;
    assert!(message(&wrong).contains("not those claimed"));

    // A row times x, or times x + 1, still has the order: both are caught by the minimality part.
    for (constant, expected) in [(0, "lacks a row"), (1, "not a power of x")] {
        let mut wrong = good.clone();
        wrong.basis.resize(good.basis.len() + 1).unwrap();
        for (k, j) in (0..wrong.basis.len()).flat_map(|k| (0..4).map(move |j| (k, j))) {
            let old = |k: usize| if k < good.basis.len() { good.basis.get(3, j, k) } else { 0 };
            let shifted = if k > 0 { old(k - 1) } else { 0 };
            wrong.basis.set(3, j, k, field.add(shifted, field.mul(constant, old(k))));
        }
        wrong.degrees[3] += 1;
        assert!(message(&wrong).contains(expected));
    }

    // Adding x³ times the row to another one keeps the module and loses minimality.
    let mut wrong = good.clone();
    wrong.basis.resize(good.basis.len() + 3).unwrap();
    for (k, j) in (0..good.basis.len()).flat_map(|k| (0..4).map(move |j| (k, j))) {
        wrong.basis.set(0, j, k + 3, field.add(wrong.basis.get(0, j, k + 3), good.basis.get(1, j, k)));
    }
    wrong.degrees[0] = row_degrees(&wrong.basis, &shift)[0].unwrap();
    assert!(message(&wrong).contains("not reduced"));
}

#[test]
fn an_observer_can_stop_it() {
    struct Stop;
    impl crate::Observer for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let field = prime(65521);
    let series = PolyMatrix::from_coefficients(1, 1, vec![1; 100]);
    let stopped = pm_basis(&field, &series, 100, &[0], &Params::for_field(&field), &Stop);
    assert!(matches!(stopped, Err(crate::Error::Interrupted)));
    let mut search = GeneratorSearch::new(field, 1).unwrap();
    search.extend(&[1, 2, 4], &Silent).unwrap();
    assert!(search.extend(&[8; 100], &Stop).is_err());
    assert_eq!((search.length(), search.rank_bound()), (3, 1));
    search.extend(&[8, 16, 32], &Silent).unwrap();
    assert_eq!((search.length(), search.rank_bound(), search.stable_terms()), (6, 1, 4));
}

#[test]
fn every_number_of_threads_gives_the_same_basis() {
    // Large enough for the steps of a leaf to be shared.
    let (field, mut rng) = (prime(65521), Rng::seed_from_u64(12));
    let series = PolyMatrix::from_coefficients(64, 32, (0..64 * 32 * 48).map(|_| field.random(&mut rng)).collect());
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| m_basis(&field, &series, 48, &[0; 64]).unwrap())
    };
    let one = run(1);
    assert_eq!(one.degrees, [24; 64]);
    for threads in [2, 3, 8] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
    verify(&field, &series, &[0; 64], &one, 2, &mut rng).unwrap();
}

#[test]
fn long_orders_by_division_are_those_by_steps() {
    let mut rng = Rng::seed_from_u64(13);
    for (p, order) in [(65521, 333), (2, 150), ((1 << 61) - 1, 150)] {
        let field = prime(p);
        let series = PolyMatrix::from_coefficients(3, 2, (0..3 * 2 * order).map(|_| field.random(&mut rng)).collect());
        let shift = [0, 5, -20];
        let direct = m_basis(&field, &series, order, &shift).unwrap();
        assert_eq!(pm_basis(&field, &series, order, &shift, &Params { leaf: 4 }, &Silent).unwrap(), direct);
    }
}

/// The search with products of all sizes, its check and its generator.
#[test]
fn every_number_of_threads_gives_the_same_generator() {
    let (field, s) = (prime(65521), 4);
    let mut rng = Rng::seed_from_u64(14);
    // The terms of a random recurrence of order 30 with coefficients in the field, in every entry another sequence.
    let recurrence: Vec<u64> = (0..30).map(|_| field.random(&mut rng)).collect();
    let mut terms: Vec<u64> = (0..30 * s * s).map(|_| field.random(&mut rng)).collect();
    for at in 30 * s * s..300 * s * s {
        let next = (0..30).map(|k| field.mul(recurrence[k], terms[at - (k + 1) * s * s]));
        let next = next.fold(0, |sum, x| field.add(sum, x));
        terms.push(next);
    }
    let run = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut search = GeneratorSearch::new(field, s).unwrap();
            terms.chunks(77 * s * s).for_each(|terms| search.extend(terms, &Silent).unwrap());
            search.verify(crate::report::ErrorBound::of_bits(40), &mut Rng::seed_from_u64(1)).unwrap();
            (search.generator().unwrap(), search.degrees(), search.stable_terms())
        })
    };
    let one = run(1);
    assert_eq!(one.0.row_degrees.iter().sum::<usize>(), 30 * s, "s independent sequences");
    for threads in [2, 3, 8] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}
