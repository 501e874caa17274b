//! Schur complements formed against one pivot after the other.

use super::Split;
use super::explicit::{BATCH, Deadline, FormOptions, Formed};
use super::solver::Solver;
use crate::field::{Modulus, Rng};
use crate::oracles::greedy_pivots;
use crate::pivots::Pivots;
use crate::schur::Prediction;
use crate::sparse::SparseMatrix;
use crate::{Error, Observer, Result, Silent};
use rand::{RngExt, SeedableRng};

/// The last prime of [`Lazy`](crate::schur::arithmetic::Lazy) and the first of `Eager` among them.
const PRIMES: [u64; 9] =
    [2, 3, 65521, (1 << 31) - 1, 3_037_000_493, 3_037_000_507, 4_294_967_291, (1 << 61) - 1, (1 << 63) - 25];
const ALL: FormOptions = FormOptions { limit_nnz: usize::MAX, distinct: false, divisors: false, deadline: None };
const DISTINCT: FormOptions = FormOptions { limit_nnz: usize::MAX, distinct: true, divisors: true, deadline: None };

fn form(a: &SparseMatrix, pivots: &Pivots, options: &FormOptions, observer: &dyn Observer) -> Result<Option<Formed>> {
    Solver::new(&Split::new(a, pivots).unwrap())?.form(options, observer)
}

fn predict(a: &SparseMatrix, pivots: &Pivots, rng: &mut Rng) -> Prediction {
    Solver::new(&Split::new(a, pivots).unwrap()).unwrap().predict(rng, &Silent).unwrap()
}

/// S by the elimination of one pivot after the other from the dense matrix.
fn naive(a: &SparseMatrix, pivots: &Pivots) -> Vec<(u32, Vec<u64>)> {
    let p = a.modulus();
    let mut dense = vec![vec![0; a.cols()]; a.rows()];
    for (i, row) in dense.iter_mut().enumerate() {
        let (cols, values) = a.row(i);
        cols.iter().zip(values).for_each(|(&j, &v)| row[j as usize] = v);
    }
    for (&i, &j) in pivots.rows.iter().zip(&pivots.cols) {
        let pivot = dense[i as usize].clone();
        let inverse = p.inv(pivot[j as usize]);
        for &t in &Split::new(a, pivots).unwrap().rows {
            let factor = p.mul(dense[t as usize][j as usize], inverse);
            for (x, &y) in dense[t as usize].iter_mut().zip(&pivot) {
                *x = p.sub(*x, p.mul(factor, y));
            }
        }
    }
    let rows = Split::new(a, pivots).unwrap().rows.into_iter();
    rows.map(|i| (i, dense[i as usize].clone())).filter(|(_, row)| row.iter().any(|&v| v != 0)).collect()
}

fn degenerate(p: u64, rng: &mut Rng) -> Vec<SparseMatrix> {
    let mut all = vec![];
    for (rows, cols, weight) in
        [(0, 0, 0), (0, 5, 0), (5, 0, 0), (1, 1, 1), (20, 30, 3), (60, 25, 4), (90, 90, 2), (40, 40, 12)]
    {
        for units in [false, true] {
            let mut entries = vec![];
            for i in (0..rows).filter(|i| i % 5 != 4 && i % 7 != 3) {
                for _ in 0..if cols == 0 { 0 } else { weight } {
                    let value = if units { [1, p - 1][rng.random_range(0..2)] } else { rng.random_range(0..p) };
                    let j = rng.random_range(0..cols);
                    entries.push((i, j, value));
                    if i % 7 == 2 && i + 1 < rows {
                        entries.push((i + 1, j, value));
                    }
                }
            }
            all.push(SparseMatrix::from_triplets(Modulus::new(p).unwrap(), rows, cols, &entries));
        }
    }
    all
}

#[test]
fn the_complement_agrees_with_dense_elimination() {
    let mut rng = Rng::seed_from_u64(31);
    let mut exact = 0;
    for p in PRIMES {
        for a in degenerate(p, &mut rng) {
            let pivots = greedy_pivots(&a);
            let expected = naive(&a, &pivots);
            let s = form(&a, &pivots, &ALL, &Silent).unwrap().unwrap();
            assert_eq!(s.remainder.lines.rows, expected.iter().map(|row| row.0).collect::<Vec<_>>());
            for (i, (_, row)) in expected.iter().enumerate() {
                let (cols, values) = s.remainder.matrix.row(i);
                let found: Vec<_> =
                    cols.iter().map(|&j| s.remainder.lines.cols[j as usize]).zip(values.iter().copied()).collect();
                let row: Vec<_> = row.iter().enumerate().map(|(j, &v)| (j as u32, v)).filter(|e| e.1 != 0).collect();
                assert_eq!(found, row);
            }
            let used: std::collections::BTreeSet<_> = s.remainder.matrix.col.iter().collect();
            assert_eq!(
                (used.len(), s.remainder.lines.cols.len()),
                (s.remainder.matrix.cols(), s.remainder.matrix.cols())
            );

            // Monic rows, each once.
            let once = form(&a, &pivots, &DISTINCT, &Silent).unwrap().unwrap();
            let mut seen = std::collections::HashMap::new();
            for (i, (_, row)) in expected.iter().enumerate() {
                let inverse = a.modulus().inv(*row.iter().find(|v| **v != 0).unwrap());
                let monic: Vec<u64> = row.iter().map(|&v| a.modulus().mul(v, inverse)).collect();
                seen.entry(monic).or_insert(expected[i].0);
            }
            let mut first: Vec<u32> = seen.values().copied().collect();
            first.sort_unstable();
            assert_eq!(once.remainder.lines.rows, first);
            let divisors = once.remainder.divisors.unwrap();
            assert_eq!((divisors.len(), s.remainder.divisors), (first.len(), None));
            for (i, source) in first.iter().enumerate() {
                assert_eq!(once.remainder.matrix.row(i).1[0], 1);
                let (_, row) = expected.iter().find(|row| row.0 == *source).unwrap();
                assert_eq!(row.iter().find(|v| **v != 0), Some(&divisors[i]));
            }

            // With all rows in the sample the prediction is exact; an expensive sample is cut short.
            let predicted = predict(&a, &pivots, &mut rng);
            let all = a.rows() - pivots.rows.len();
            assert!(predicted.sampled == all || (8..all).contains(&predicted.sampled));
            if predicted.sampled == all {
                exact += 1;
                assert_eq!((predicted.nnz.mean, predicted.nnz.deviation), (s.remainder.matrix.nnz() as f64, 0.0));
                assert_eq!(predicted.work.mean, s.work as f64);
                assert_eq!(predicted.rows.mean, s.remainder.lines.rows.len() as f64);
            }
        }
    }
    assert!(exact > 20, "{exact} samples of all rows");
}

#[test]
fn the_limit_is_exact_and_interruption_an_error() {
    let mut rng = Rng::seed_from_u64(32);
    let a = &degenerate(65521, &mut rng)[14];
    let pivots = greedy_pivots(a);
    let nnz = form(a, &pivots, &ALL, &Silent).unwrap().unwrap().remainder.matrix.nnz();
    assert!(nnz > 0);
    let within = |limit_nnz| form(a, &pivots, &FormOptions { limit_nnz, ..ALL }, &Silent).unwrap().is_some();
    assert!(within(nnz) && !within(nnz - 1) && !within(0));
    let by = |deadline| {
        form(a, &pivots, &FormOptions { deadline: Some(Deadline::after(deadline)), ..ALL }, &Silent).unwrap().is_some()
    };
    assert!(by(1000.0) && by(f64::INFINITY) && !by(0.0));

    struct Stop;
    impl Observer for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    assert!(matches!(form(a, &pivots, &ALL, &Stop), Err(Error::Interrupted)));
}

#[test]
fn the_number_of_threads_does_not_matter_nor_does_the_batch() {
    let mut rng = Rng::seed_from_u64(33);
    let n = 3 * BATCH;
    let entries: Vec<_> =
        (0..3 * n).map(|_| (rng.random_range(0..n), rng.random_range(0..n / 4), rng.random_range(1..3))).collect();
    let a = SparseMatrix::from_triplets(Modulus::new(3).unwrap(), n, n / 4, &entries);
    let pivots = greedy_pivots(&a);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| form(&a, &pivots, &DISTINCT, &Silent).unwrap().unwrap())
    };
    let one = with(1);
    assert_eq!(one, with(3));
    let predicted = predict(&a, &pivots, &mut rng);
    let all = form(&a, &pivots, &ALL, &Silent).unwrap().unwrap();
    assert!(predicted.sampled < n - pivots.rows.len() && one.remainder.matrix.rows() < all.remainder.matrix.rows());
    let error = |e: crate::schur::Estimate, x: f64| ((e.mean - x) / e.deviation).abs();
    assert!(
        error(predicted.nnz, all.remainder.matrix.nnz() as f64) < 4.0,
        "{predicted:?} but {}",
        all.remainder.matrix.nnz()
    );
    assert!(error(predicted.work, all.work as f64) < 4.0, "{predicted:?} but {}", all.work);
}
