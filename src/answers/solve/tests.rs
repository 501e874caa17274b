//! Systems against products and ranks by dense elimination.

use super::super::{Method, RankOptions, SolveOptions, solve};
use crate::families;
use crate::field::{Modulus, Rng};
use crate::oracles::dense_rank;
use crate::sparse::SparseMatrix;
use crate::{Error, Silent};
use rand::{RngExt, SeedableRng};

fn random(p: Modulus, rows: usize, cols: usize, nnz: usize, rng: &mut Rng) -> SparseMatrix {
    let entry = |_| (rng.random_range(0..rows), rng.random_range(0..cols), rng.random_range(0..p.get()));
    let entries: Vec<_> = (0..nnz).map(entry).collect();
    SparseMatrix::from_triplets(p, rows, cols, &entries)
}

fn dense(a: &SparseMatrix) -> Vec<Vec<u64>> {
    let mut dense = vec![vec![0; a.cols()]; a.rows()];
    for (i, row) in dense.iter_mut().enumerate() {
        a.row(i).0.iter().zip(a.row(i).1).for_each(|(&j, &v)| row[j as usize] = v);
    }
    dense
}

fn product(a: &SparseMatrix, x: &SparseMatrix) -> SparseMatrix {
    let (p, width, x) = (a.modulus(), x.cols(), dense(x));
    let (mut entries, at) = (vec![], |j: u32, k: usize| x[j as usize][k]);
    for i in 0..a.rows() {
        for k in 0..width {
            let terms = a.row(i).0.iter().zip(a.row(i).1).map(|(&j, &v)| p.mul(v, at(j, k)));
            entries.push((i, k, terms.fold(0, |sum, term| p.add(sum, term))));
        }
    }
    SparseMatrix::from_triplets(p, a.rows(), width, &entries)
}

/// The columns of `a` and column k of `b` side by side, or all columns without one.
fn with(a: &SparseMatrix, b: &SparseMatrix, k: u32) -> SparseMatrix {
    let of = |m: &SparseMatrix, first: usize, only: Option<u32>| -> Vec<_> {
        let all = (0..m.rows()).flat_map(|i| m.row(i).0.iter().zip(m.row(i).1).map(move |(&j, &v)| (i, j, v)));
        all.filter(|e| only.is_none_or(|k| e.1 == k))
            .map(|(i, j, v)| (i, first + if only.is_some() { 0 } else { j as usize }, v))
            .collect()
    };
    let entries = [of(a, 0, None), of(b, a.cols(), Some(k))].concat();
    SparseMatrix::from_triplets(a.modulus(), a.rows(), a.cols() + 1, &entries)
}

/// Solutions, or contradictions, as the ranks with each right side have it.
fn checked(a: &SparseMatrix, b: &SparseMatrix, options: &SolveOptions) {
    let p = a.modulus();
    let answer = solve(a, b, options, &Silent).unwrap();
    let rank = dense_rank(a);
    assert_eq!(answer.rank.rank, rank);
    let without: Vec<u32> = (0..b.cols() as u32).filter(|&k| dense_rank(&with(a, b, k)) > rank).collect();
    assert_eq!(answer.inconsistent, without, "{} x {} mod {p}", a.rows(), a.cols());
    assert_eq!(answer.is_consistent(), without.is_empty());
    assert_eq!((answer.solutions.is_some(), answer.contradiction.is_some()), (without.is_empty(), !without.is_empty()));
    if let Some(x) = answer.solutions {
        assert_eq!((x.rows(), x.cols()), (a.cols(), b.cols()));
        if a.cols() > 0 {
            assert_eq!(product(a, &x), *b);
        }
    }
    if let Some(found) = answer.contradiction {
        assert_eq!(found.column, without[0]);
        let (a, b) = (dense(a), dense(b));
        let times = |column: &dyn Fn(usize) -> u64| {
            found.y.iter().fold(0, |sum, &(i, y)| p.add(sum, p.mul(y, column(i as usize))))
        };
        assert!((0..a.first().map_or(0, Vec::len)).all(|j| times(&|i| a[i][j]) == 0));
        let value = times(&|i| b[i][found.column as usize]);
        assert!(value == found.value && value != 0);
    }
}

#[test]
fn systems_of_every_shape() {
    let mut rng = Rng::seed_from_u64(41);
    for p in [2, 3, 251, 65521, (1 << 31) - 1, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
        for (rows, cols, nnz) in [
            (0, 0, 0),
            (0, 6, 0),
            (6, 0, 0),
            (4, 5, 0),
            (1, 1, 1),
            (30, 50, 90),
            (60, 30, 150),
            (90, 90, 4000),
            (150, 150, 500),
        ] {
            let a = random(p, rows, cols, nnz, &mut rng);
            for count in [0, 1, 5, 40] {
                // Solvable; with others among them; the zero column, and one twice.
                let b = product(&a, &random(p, cols, count, if cols * count > 0 { 3 * cols } else { 0 }, &mut rng));
                let b = if cols == 0 { SparseMatrix::from_triplets(p, rows, count, &[]) } else { b };
                let entries: Vec<_> = (0..rows)
                    .flat_map(|i| b.row(i).0.iter().zip(b.row(i).1).map(move |(&k, &v)| (i, k as usize, v)))
                    .chain((0..rows * count.min(1)).filter(|i| i % 7 == 3).map(|i| (i, (i * i) % count, 1 % p.get())))
                    .collect();
                let worse = SparseMatrix::from_triplets(p, rows, count, &entries);
                for b in [&b, &worse] {
                    for random in [false, true] {
                        checked(&a, b, &SolveOptions::default().random(random));
                    }
                }
            }
        }
    }
}

/// The same by block Wiedemann, on the matrix and on the complement of its pivots.
#[test]
fn systems_by_block_wiedemann() {
    let mut rng = Rng::seed_from_u64(44);
    for p in [2, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
        for (rows, cols, nnz) in [(0, 6, 0), (6, 0, 0), (1, 1, 1), (30, 40, 60), (40, 30, 100), (30, 30, 120)] {
            let a = random(p, rows, cols, nnz, &mut rng);
            for method in [Method::Wiedemann, Method::Hybrid] {
                for count in [0, 1, 6] {
                    let x = random(p, cols, count, if cols * count > 0 { 3 * cols } else { 0 }, &mut rng);
                    let b = match cols {
                        0 => SparseMatrix::from_triplets(p, rows, count, &[]),
                        _ => product(&a, &x),
                    };
                    let entries: Vec<_> = (0..rows)
                        .flat_map(|i| b.row(i).0.iter().zip(b.row(i).1).map(move |(&k, &v)| (i, k as usize, v)))
                        .chain(
                            (0..rows * count.min(1)).filter(|i| i % 7 == 3).map(|i| (i, (i * i) % count, 1 % p.get())),
                        )
                        .collect();
                    let worse = SparseMatrix::from_triplets(p, rows, count, &entries);
                    for b in [&b, &worse] {
                        let rank = RankOptions::default().method(method).block(4);
                        for random in [false, true] {
                            checked(&a, b, &SolveOptions::default().random(random).rank(rank.clone()));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn systems_of_boundary_matrices() {
    let mut rng = Rng::seed_from_u64(42);
    for p in [2, 65521].map(|p| Modulus::new(p).unwrap()) {
        for name in ["mk7-b2", "ch5-5-b2", "bibd_9_5"] {
            let a = families::generate(name).unwrap().reduce(p);
            let b = product(&a, &random(p, a.cols(), 3, 3 * a.cols(), &mut rng));
            checked(&a, &b, &SolveOptions::default());
            checked(&a, &b, &SolveOptions::default().random(true));
            checked(&a, &random(p, a.rows(), 2, 40, &mut rng), &SolveOptions::default());
        }
    }
}

/// Random solutions are not always the same ones: their differences span the null space.
#[test]
fn random_solutions_differ_by_all_null_vectors() {
    let (mut rng, p) = (Rng::seed_from_u64(43), Modulus::new(65521).unwrap());
    let a = random(p, 25, 40, 100, &mut rng);
    let one = product(&a, &random(p, 40, 1, 60, &mut rng));
    let same: Vec<_> =
        (0..25).flat_map(|i| one.row(i).1.iter().flat_map(move |&v| (0..60).map(move |k| (i, k, v)))).collect();
    let b = SparseMatrix::from_triplets(p, 25, 60, &same);
    let x = solve(&a, &b, &SolveOptions::default().random(true), &Silent).unwrap().solutions.unwrap();
    assert_eq!(product(&a, &x), b);
    let differences: Vec<_> = (0..40)
        .flat_map(|j| {
            let at = |k: u32| x.row(j).0.binary_search(&k).map_or(0, |at| x.row(j).1[at]);
            (0..59).map(|k| (j, k as usize, p.sub(at(k), at(k + 1)))).collect::<Vec<_>>()
        })
        .collect();
    let differences = SparseMatrix::from_triplets(p, 40, 59, &differences);
    assert_eq!(dense_rank(&differences), 40 - dense_rank(&a));
    let plain = || solve(&a, &b, &SolveOptions::default(), &Silent).unwrap().solutions.unwrap();
    assert_eq!(plain(), plain());
}

#[test]
fn right_sides_of_another_matrix_are_refused() {
    let [p, q] = [5, 7].map(|p| Modulus::new(p).unwrap());
    let a = SparseMatrix::from_triplets(p, 3, 2, &[(0, 0, 1)]);
    for b in [SparseMatrix::from_triplets(p, 2, 1, &[]), SparseMatrix::from_triplets(q, 3, 1, &[])] {
        assert!(matches!(solve(&a, &b, &SolveOptions::default(), &Silent), Err(Error::Matrix(_))));
    }
}

/// An equation 0 = b is the contradiction, found without null vectors, which would be dense in all such equations.
#[test]
fn an_empty_equation_contradicts_by_itself() {
    let p = Modulus::new(7).unwrap();
    let a = SparseMatrix::from_triplets(p, 100_000, 2, &[(0, 0, 1)]);
    let b = SparseMatrix::from_triplets(p, 100_000, 2, &[(0, 0, 3), (1, 1, 2), (5, 1, 4)]);
    let found = solve(&a, &b, &SolveOptions::default(), &Silent).unwrap();
    assert_eq!((found.inconsistent, found.solutions), (vec![1], None));
    let contradiction = found.contradiction.unwrap();
    assert_eq!((contradiction.column, contradiction.y, contradiction.value), (1, vec![(1, 1)], 2));
}
