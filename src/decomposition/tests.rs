//! Decompositions of random matrices, step by step against dense elimination, transposed in between.

use super::*;
use crate::dense::Echelon;
use crate::field::{Modulus, Rng};
use crate::oracles::{dense_rank, greedy_pivots};
use crate::pivots::Pivots;
use crate::sparse::SparseMatrix;
use crate::{Result, Silent};
use rand::{RngExt, SeedableRng};
use std::borrow::Cow;

fn dense(a: &SparseMatrix) -> Vec<Vec<u64>> {
    let mut dense = vec![vec![0; a.cols()]; a.rows()];
    for (i, row) in dense.iter_mut().enumerate() {
        a.row(i).0.iter().zip(a.row(i).1).for_each(|(&j, &v)| row[j as usize] = v);
    }
    dense
}

/// The complement of the pivots by one after the other, without its zero lines, rows divided by random units.
fn complement(a: &SparseMatrix, pivots: &Pivots, rng: &mut Rng) -> Remainder {
    let p = a.modulus();
    let mut all = dense(a);
    for (&i, &j) in pivots.rows.iter().zip(&pivots.cols) {
        let pivot = all[i as usize].clone();
        for row in (0..a.rows()).filter(|&k| !pivots.rows.contains(&(k as u32))) {
            let factor = p.mul(all[row][j as usize], p.inv(pivot[j as usize]));
            (0..a.cols()).for_each(|c| all[row][c] = p.sub(all[row][c], p.mul(factor, pivot[c])));
        }
    }
    let in_rest = |i: &u32| !pivots.rows.contains(i) && all[*i as usize].iter().any(|&v| v != 0);
    let rows: Vec<u32> = (0..a.rows() as u32).filter(in_rest).collect();
    let used = |j: &u32| rows.iter().any(|&i| all[i as usize][*j as usize] != 0);
    let cols: Vec<u32> = (0..a.cols() as u32).filter(used).collect();
    let divisors: Vec<u64> = rows.iter().map(|_| rng.random_range(1..p.get())).collect();
    let mut entries = vec![];
    for (i, (&row, &by)) in rows.iter().zip(&divisors).enumerate() {
        let divided = cols.iter().map(|&j| p.mul(all[row as usize][j as usize], p.inv(by)));
        entries.extend(divided.enumerate().map(|(j, v)| (i, j, v)));
    }
    let matrix = SparseMatrix::from_triplets(p, rows.len(), cols.len(), &entries);
    Remainder { matrix, lines: Lines { rows, cols }, divisors: Some(divisors) }
}

/// The minor of the order of the rank that a core of what is left completes, with factors if they are there for p.
fn finish(mut of: Decomposition<'_>) -> Result<Minor> {
    of.pivot(Pivots::default());
    let left = of.left();
    let mut echelon = Echelon::with_multipliers(left.modulus(), left.cols())?;
    let rows: Vec<_> = (0..left.rows()).map(|i| left.row(i)).collect();
    echelon.absorb(&rows, &Silent)?;
    let factors = echelon.factors()?;
    let cols = factors.as_ref().map_or(echelon.pivot_cols()?, |factors| factors.cols().to_vec());
    let lines = Lines { rows: echelon.pivot_rows().iter().map(|&i| i as u32).collect(), cols };
    Ok(of.minor(Core { lines, factors })?.expect("it is recorded"))
}

/// M·(x₁, x₂) = (0, b), where x₂ is what the minor says and x₁ follows from the chain.
fn check(a: &SparseMatrix, minor: &Minor, rng: &mut Rng) {
    let (p, a) = (a.modulus(), dense(a));
    let (r, t, count) = (minor.rows().len(), minor.triangular(), 3);
    let at = |k: usize, l: usize| a[minor.rows()[k] as usize][minor.cols()[l] as usize];
    assert!((0..t).all(|k| at(k, k) != 0 && (0..k).all(|l| at(k, l) == 0)), "a triangular chain");
    let b: Vec<u64> = (0..(r - t) * count).map(|_| rng.random_range(0..p.get())).collect();
    let x = minor.solve_beyond_chain(&b, count).unwrap().expect("there are factors");
    for lane in 0..count {
        let mut w = vec![0; r];
        (t..r).for_each(|k| w[k] = x[(k - t) * count + lane]);
        let product = |k: usize, w: &[u64]| (0..r).fold(0, |sum, l| p.add(sum, p.mul(at(k, l), w[l])));
        for k in (0..t).rev() {
            w[k] = p.mul(p.neg(product(k, &w)), p.inv(at(k, k)));
        }
        (t..r).for_each(|k| assert_eq!(product(k, &w), b[(k - t) * count + lane], "row {k} of {r} mod {p}"));
    }
}

#[test]
fn minors_are_those_of_the_matrix_however_it_was_turned() {
    let mut rng = Rng::seed_from_u64(91);
    for p in [5, 251, 65521, (1 << 31) - 1, (1 << 63) - 25] {
        for (rows, cols, weight) in [(0, 0, 0), (0, 5, 0), (5, 0, 0), (1, 1, 1), (12, 9, 2), (40, 50, 3), (60, 35, 4)] {
            for turns in 0..8 {
                let entries: Vec<_> = (0..rows * weight)
                    .map(|k| (k / weight, rng.random_range(0..cols), rng.random_range(0..p)))
                    .filter(|entry| entry.0 % 6 != 5)
                    .collect();
                let a = SparseMatrix::from_triplets(Modulus::new(p).unwrap(), rows, cols, &entries);
                let rank = dense_rank(&a);
                let mut of = Decomposition::of(Cow::Borrowed(&a), Keep::Minor).unwrap();
                let mut steps = 0;
                for step in 0..3 {
                    if turns >> step & 1 == 1 {
                        of.transpose().unwrap();
                    }
                    let found = greedy_pivots(of.left());
                    // Not all, so that something is left.
                    let most = found.len().min(1 + rank / 4);
                    let pivots = Pivots { rows: found.rows[..most].to_vec(), cols: found.cols[..most].to_vec() };
                    if pivots.is_empty() {
                        break;
                    }
                    let remainder = complement(of.left(), &pivots, &mut rng);
                    of.pivot(pivots);
                    of.form(remainder).unwrap();
                    assert_eq!(of.taken() + dense_rank(of.left()), rank);
                    steps += 1;
                }
                let minor = finish(of).unwrap();
                assert_eq!((minor.rows().len(), minor.cols().len()), (rank, rank));
                assert!(steps == 3 || rank < 4);
                check(&a, &minor, &mut rng);
            }
        }
    }
}

/// Nothing is recorded unless it is asked for, and lines of steps without multipliers leave no factors.
#[test]
fn what_is_not_recorded_is_not_there() {
    let mut rng = Rng::seed_from_u64(92);
    let entries: Vec<_> = (0..60).map(|k| (k / 3, rng.random_range(0..20), rng.random_range(1..65521))).collect();
    let a = SparseMatrix::from_triplets(Modulus::new(65521).unwrap(), 20, 20, &entries);
    let of = Decomposition::of(Cow::Borrowed(&a), Keep::Nothing).unwrap();
    assert!(!of.is_recorded() && of.minor(Core::default()).unwrap().is_none());
    let pivots = greedy_pivots(&a);
    let lines = Lines { rows: pivots.rows.clone(), cols: pivots.cols.clone() };
    let mut of = Decomposition::of(Cow::Borrowed(&a), Keep::Minor).unwrap();
    of.eliminate(&lines, complement(&a, &pivots, &mut rng)).unwrap();
    let minor = finish(of).unwrap();
    let order = minor.rows().len();
    assert_eq!((order, minor.triangular()), (dense_rank(&a), 0));
    assert_eq!(minor.solve_beyond_chain(&vec![1; order], 1).unwrap(), None);
}
