//! Both methods against a dense rank, on random and degenerate matrices over all kinds of fields.

use super::*;
use crate::certify::{Certainty, ErrorBound};
use crate::field::{Modulus, Rng};
use crate::oracles::dense_rank;
use crate::poly::ProductPlan;
use crate::sparse::SparseMatrix;
use crate::{Error, Observer, Silent};
use rand::{RngExt, SeedableRng};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A product of random factors of inner size r, its rank at most r.
fn low_rank(p: Modulus, rows: usize, cols: usize, r: usize, rng: &mut Rng) -> SparseMatrix {
    let mut factor = |rows: usize, cols: usize| -> Vec<Vec<u64>> {
        let entry = |rng: &mut Rng| if rng.random_range(0..3) == 0 { rng.random_range(0..p.get()) } else { 0 };
        (0..rows).map(|_| (0..cols).map(|_| entry(rng)).collect()).collect()
    };
    let (l, m) = (factor(rows, r), factor(r, cols));
    let mut entries = Vec::new();
    for (i, row) in l.iter().enumerate() {
        for (k, &x) in row.iter().enumerate().filter(|(_, x)| **x != 0) {
            entries.extend(m[k].iter().enumerate().map(|(j, &y)| (i, j, p.mul(x, y))));
        }
    }
    SparseMatrix::from_triplets(p, rows, cols, &entries)
}

fn cases(p: Modulus, rng: &mut Rng) -> Vec<SparseMatrix> {
    let make = |rows, cols, entries: &[_]| SparseMatrix::from_triplets(p, rows, cols, entries);
    let n = 24;
    let mut list = vec![
        make(0, 7, &[]),
        make(7, 0, &[]),
        make(5, 5, &[]),
        make(1, 1, &[(0, 0, 1)]),
        // Identity, a nilpotent shift, an alternating matrix with zero diagonal, all ones, one row, one column.
        make(n, n, &(0..n).map(|i| (i, i, 1)).collect::<Vec<_>>()),
        make(n, n, &(1..n).map(|i| (i - 1, i, 1)).collect::<Vec<_>>()),
        make(n, n, &(0..n / 2).flat_map(|i| [(2 * i, 2 * i + 1, 1), (2 * i + 1, 2 * i, 1)]).collect::<Vec<_>>()),
        make(9, n, &(0..9 * n).map(|k| (k / n, k % n, 1)).collect::<Vec<_>>()),
        make(n, n, &(0..n).map(|j| (3, j, p.get() - 1)).collect::<Vec<_>>()),
        make(n, n, &(0..n).map(|i| (i, 5, p.get() / 2)).collect::<Vec<_>>()),
    ];
    for (rows, cols, r) in [(30, 20, 7), (20, 30, 20), (25, 25, 13), (12, 40, 1)] {
        list.push(low_rank(p, rows, cols, r, rng));
    }
    // Duplicate rows and empty lines.
    let base = low_rank(p, 10, 14, 6, rng);
    let twice: Vec<_> = (0..10)
        .flat_map(|i| {
            base.row(i).0.iter().zip(base.row(i).1).map(move |(&j, &v)| (i, j as usize, v)).collect::<Vec<_>>()
        })
        .flat_map(|(i, j, v)| [(3 * i, 2 * j, v), (3 * i + 1, 2 * j, v)])
        .collect();
    list.push(make(33, 30, &twice));
    list
}

#[test]
fn every_method_agrees_with_the_dense_rank() {
    let mut rng = Rng::seed_from_u64(1);
    for p in [2, 3, 5, 251, 65521, (1 << 31) - 1, (1 << 61) - 1, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
        for (c, a) in cases(p, &mut rng).iter().enumerate() {
            let expected = dense_rank(a);
            for method in [Method::Wiedemann, Method::Hybrid, Method::Elimination, Method::Auto] {
                let options = RankOptions { method, seed: 3, ..Default::default() };
                let answer = rank(a, &options, &Silent).unwrap();
                assert_eq!(answer.rank, expected, "case {c} mod {p} by {}: {}", method.name(), answer.reason);
                let owned = rank_owned(a.clone(), &options, &Silent).unwrap();
                assert_eq!((owned.rank, owned.certainty), (expected, answer.certainty), "case {c} mod {p}, owned");
                if method == Method::Elimination {
                    assert_eq!(answer.certainty, Certainty::Proven);
                    assert_eq!(
                        answer.path.iter().filter_map(|step| step.rank).sum::<usize>(),
                        expected,
                        "{:?}",
                        answer.path
                    );
                }
            }
        }
    }
}

#[test]
fn every_block_size_and_route_gives_the_rank() {
    let mut rng = Rng::seed_from_u64(2);
    let p = Modulus::new(65521).unwrap();
    for a in cases(p, &mut rng) {
        let expected = dense_rank(&a);
        for block in [2, 3, 8, 40] {
            for route in [Route::Shortcut, Route::CoDegree, Route::Both] {
                for early_termination in [false, true] {
                    let options = RankOptions {
                        method: Method::Wiedemann,
                        block: Some(block),
                        route,
                        early_termination,
                        ..Default::default()
                    };
                    assert_eq!(rank(&a, &options, &Silent).unwrap().rank, expected, "{options:?}");
                }
            }
        }
    }
}

#[test]
fn the_value_never_exceeds_the_rank_whatever_the_seed() {
    // One column at a time over the smallest field that is not extended, where runs may well fall short.
    let mut rng = Rng::seed_from_u64(3);
    let p = Modulus::new(32771).unwrap();
    for seed in 0..40 {
        let a = low_rank(p, 18, 15, 9, &mut rng);
        let options = RankOptions { method: Method::Wiedemann, block: Some(1), seed, ..Default::default() };
        assert!(rank(&a, &options, &Silent).unwrap().rank <= dense_rank(&a));
    }
}

#[test]
fn certainty_is_what_the_theorems_give() {
    let mut rng = Rng::seed_from_u64(4);
    let certainty = |p: u64, error: Option<ErrorBound>, rng: &mut Rng| {
        let a = low_rank(Modulus::new(p).unwrap(), 40, 30, 11, rng);
        let options = RankOptions { method: Method::Wiedemann, error, trials: 2, ..Default::default() };
        let answer = rank(&a, &options, &Silent).unwrap();
        assert_eq!(answer.rank, dense_rank(&a));
        let run = answer.wiedemann.expect("block Wiedemann was asked for");
        assert_eq!((run.trials, run.trials_agreed), (2, 2));
        answer.certainty
    };
    assert_eq!(certainty(65521, None, &mut rng), Certainty::Heuristic);
    assert_eq!(certainty(2, None, &mut rng), Certainty::Heuristic);
    for (p, error) in [(65521, "1e-12"), (2, "1e-12"), (3, "1e-20"), ((1 << 61) - 1, "1e-30")] {
        let error = error.parse().unwrap();
        let Certainty::MonteCarlo { error_bound } = certainty(p, Some(error), &mut rng) else { panic!("p = {p}") };
        assert!(error_bound <= error, "p = {p}: {error_bound}");
    }
    assert!(
        matches!(certainty((1 << 61) - 1, None, &mut rng), Certainty::MonteCarlo { error_bound } if error_bound.log2() < -66.0)
    );
    let identity =
        SparseMatrix::from_triplets(Modulus::new(65521).unwrap(), 9, 9, &(0..9).map(|i| (i, i, 2)).collect::<Vec<_>>());
    let full = rank(&identity, &RankOptions { method: Method::Wiedemann, ..Default::default() }, &Silent).unwrap();
    assert_eq!((full.rank, full.certainty), (9, Certainty::Proven));
}

/// Full rank is proven where products of polynomials are exact, and where they may have been rounded.
#[test]
fn full_rank_is_proven_whatever_the_products() {
    let mut rounded = [0, 0];
    for p in [2, 251, 65521, (1 << 31) - 1, (1 << 61) - 1].map(|p| Modulus::new(p).unwrap()) {
        rounded[ProductPlan::may_round(p) as usize] += 1;
        let n = 150;
        // Triangular with a diagonal of ones.
        let entries: Vec<_> = (0..n).flat_map(|i| [(i, i, 1), (i, i + 1, 1)]).take(2 * n - 1).collect();
        let a = SparseMatrix::from_triplets(p, n, n, &entries);
        assert_eq!(dense_rank(&a), n);
        for route in [Route::Shortcut, Route::Both] {
            let options = RankOptions { method: Method::Wiedemann, route, block: Some(2), ..Default::default() };
            let answer = rank(&a, &options, &Silent).unwrap();
            assert_eq!((answer.rank, answer.certainty), (n, Certainty::Proven), "p = {p}");
            assert!(answer.reason.contains("in exact arithmetic"), "{}", answer.reason);
        }
    }
    assert_eq!(rounded, [2, 3]);
}

/// Counts what it is told and stops after a while.
#[derive(Default)]
struct Witness {
    phases: AtomicUsize,
    progress: AtomicUsize,
    stop_after: Option<usize>,
}
impl Observer for Witness {
    fn phase(&self, _name: &str, _total: u64) {
        self.phases.fetch_add(1, Ordering::Relaxed);
    }
    fn progress(&self, _done: u64) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }
    fn cancelled(&self) -> bool {
        self.stop_after.is_some_and(|n| self.progress.load(Ordering::Relaxed) >= n)
    }
}

#[test]
fn observers_see_progress_and_can_stop() {
    let p = Modulus::new(65521).unwrap();
    let a = SparseMatrix::from_triplets(p, 500, 500, &(0..500).map(|i| (i, (7 * i) % 500, 3)).collect::<Vec<_>>());
    for method in [Method::Wiedemann, Method::Elimination] {
        let options = RankOptions { method, ..Default::default() };
        let witness = Witness::default();
        let _ = rank(&a, &options, &witness).unwrap();
        assert!(witness.phases.load(Ordering::Relaxed) >= 1);
    }
    let witness = Witness { stop_after: Some(3), ..Default::default() };
    let stopped = rank(&a, &RankOptions { method: Method::Wiedemann, ..Default::default() }, &witness);
    assert!(matches!(stopped, Err(Error::Interrupted)));
}

#[test]
fn options_out_of_range_are_refused() {
    let a = SparseMatrix::from_triplets(Modulus::new(7).unwrap(), 1, 1, &[(0, 0, 1)]);
    for options in [
        RankOptions { trials: 0, ..Default::default() },
        RankOptions { trials: usize::MAX, ..Default::default() },
        RankOptions { block: Some(0), ..Default::default() },
        RankOptions { block: Some(RankOptions::MAX_BLOCK + 1), ..Default::default() },
        RankOptions { error: Some(ErrorBound::VACUOUS), ..Default::default() },
        RankOptions { minor: true, method: Method::Wiedemann, ..Default::default() },
        RankOptions { minor: true, method: Method::Hybrid, ..Default::default() },
    ] {
        assert!(matches!(rank(&a, &options, &Silent), Err(Error::Usage(_))), "{options:?}");
    }
}

/// The smaller the matrix, the likelier an unlucky partition: all rows of a block in one class, equal degrees at the
/// end.
#[test]
fn tiny_matrices_of_full_rank_are_no_trouble_for_any_seed() {
    let p = Modulus::new(65521).unwrap();
    for n in [1, 2, 4, 6] {
        let entries: Vec<_> = (0..n).flat_map(|i| [(i, i, 3), (i, (i + 1) % n, 1 + i as u64)]).collect();
        let a = SparseMatrix::from_triplets(p, n, n, &entries);
        let expected = dense_rank(&a);
        for seed in 0..150 {
            for block in [1, 2, 4] {
                let options = RankOptions { method: Method::Wiedemann, block: Some(block), seed, ..Default::default() };
                assert_eq!(rank(&a, &options, &Silent).unwrap().rank, expected, "n = {n}, block {block}, seed {seed}");
            }
        }
    }
}

#[test]
fn the_co_degree_route_claims_no_proof() {
    let p = Modulus::new(65521).unwrap();
    let a = SparseMatrix::from_triplets(p, 9, 9, &(0..9).map(|i| (i, i, 2)).collect::<Vec<_>>());
    let options = RankOptions { method: Method::Wiedemann, route: Route::CoDegree, ..Default::default() };
    let answer = rank(&a, &options, &Silent).unwrap();
    assert_eq!((answer.rank, answer.certainty), (9, Certainty::Heuristic));
    let with_error = RankOptions { error: ErrorBound::new(1e-9), ..options };
    assert!(matches!(rank(&a, &with_error, &Silent), Err(Error::Usage(_))));
}

/// A sparse matrix of which many rows are sums of two others: structural pivots leave a complement of low rank.
fn sums_of_rows(p: Modulus, rows: usize, cols: usize, basis: usize, rng: &mut Rng) -> SparseMatrix {
    let lines: Vec<Vec<(usize, u64)>> = (0..basis)
        .map(|_| (0..4).map(|_| (rng.random_range(0..cols), rng.random_range(1..p.get().max(2)))).collect())
        .collect();
    let mut entries = Vec::new();
    for i in 0..rows {
        let terms = if i < basis { vec![i] } else { vec![rng.random_range(0..basis), rng.random_range(0..basis)] };
        entries.extend(terms.iter().flat_map(|&t| lines[t].iter().map(move |&(j, v)| (i, j, v))));
    }
    SparseMatrix::from_triplets(p, rows, cols, &entries)
}

#[test]
fn complements_of_any_rank_are_found_proven_and_certain() {
    let mut rng = Rng::seed_from_u64(11);
    for p in [2, 3, 65521, (1 << 31) - 1, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
        for (rows, cols, basis) in [(900, 400, 300), (400, 900, 390), (700, 700, 500)] {
            let a = sums_of_rows(p, rows, cols, basis, &mut rng);
            let expected = dense_rank(&a);
            for method in [Method::Auto, Method::Hybrid, Method::Elimination] {
                let answer = rank(&a, &RankOptions { method, ..Default::default() }, &Silent).unwrap();
                assert_eq!(answer.rank, expected, "p = {p}, {rows} x {cols}: {:?}", answer.path);
            }
            let proven = rank(&a, &RankOptions { proven: true, ..Default::default() }, &Silent).unwrap();
            assert_eq!((proven.rank, proven.certainty), (expected, Certainty::Proven));
        }
    }
}

#[test]
fn components_add_up() {
    let mut rng = Rng::seed_from_u64(12);
    for p in [2, 65521].map(|p| Modulus::new(p).unwrap()) {
        let parts = [
            sums_of_rows(p, 500, 300, 240, &mut rng),
            sums_of_rows(p, 250, 420, 230, &mut rng),
            low_rank(p, 20, 30, 4, &mut rng),
        ];
        let (mut entries, mut rows, mut cols, mut expected) = (vec![], 0, 0, 0);
        for a in &parts {
            for i in 0..a.rows() {
                let (js, vs) = a.row(i);
                entries.extend(js.iter().zip(vs).map(|(&j, &v)| (rows + i, cols + j as usize, v)));
            }
            (rows, cols, expected) = (rows + a.rows() + 2, cols + a.cols() + 3, expected + dense_rank(a));
        }
        // Many components of one entry each.
        entries.extend((0..300).map(|k| (rows + k, cols + k, 1)));
        let a = SparseMatrix::from_triplets(p, rows + 300, cols + 300, &entries);
        for method in [Method::Auto, Method::Elimination] {
            let answer = rank(&a, &RankOptions { method, ..Default::default() }, &Silent).unwrap();
            assert_eq!(answer.rank, expected + 300, "{:?}", answer.path);
            assert!(answer.path[0].name == "connected components", "{:?}", answer.path);
            assert_eq!(answer.wiedemann.is_some(), answer.method == Method::Hybrid);
        }
    }
}

#[test]
fn many_components_are_told_in_few_words() {
    let p = Modulus::new(65521).unwrap();
    let n = 200; // The least size that is taken by itself: a cycle of rank n, or n - 1.
    let cycle = |k: usize| {
        let last = if k == 7 { p.get() - 1 } else { 1 };
        (0..n).flat_map(move |i| {
            [(k * n + i, k * n + i, 1), (k * n + i, k * n + (i + 1) % n, if i == 0 { last } else { p.get() - 1 })]
        })
    };
    let entries: Vec<_> = (0..40).flat_map(cycle).collect();
    let answer =
        rank(&SparseMatrix::from_triplets(p, 40 * n, 40 * n, &entries), &RankOptions::default(), &Silent).unwrap();
    assert_eq!((answer.rank, answer.path[0].name), (40 * n - 1, "connected components"));
    assert!(answer.reason.ends_with("; and so on for 36 more") && answer.reason.len() < 2000, "{}", answer.reason);
}

#[test]
fn a_proof_is_not_asked_of_block_wiedemann() {
    let a = SparseMatrix::from_triplets(Modulus::new(7).unwrap(), 1, 1, &[(0, 0, 1)]);
    for method in [Method::Wiedemann, Method::Hybrid] {
        let options = RankOptions { method, proven: true, ..Default::default() };
        assert!(matches!(rank(&a, &options, &Silent), Err(Error::Usage(_))));
    }
}

/// Tall and wide dense matrices of which most lines repeat others: a part of them and a check, or all of them for a
/// proof; minors are named in the matrix as it was.
#[test]
fn lines_of_dense_matrices_that_repeat_are_found_out() {
    let mut rng = Rng::seed_from_u64(81);
    let p = Modulus::new((1 << 61) - 1).unwrap();
    let (m, n, r) = (20_000, 120, 70);
    let basis: Vec<Vec<u64>> = (0..r).map(|_| (0..n).map(|_| rng.random_range(1..p.get())).collect()).collect();
    let mut entries = vec![];
    for i in 0..m {
        let (factor, row) = (rng.random_range(1..p.get()), &basis[i * 7919 % r]);
        entries.extend(row.iter().enumerate().map(|(j, &v)| (i, j, p.mul(factor, v))));
    }
    // One row of its own.
    let lonely = m / 2;
    entries[lonely * n..][..n].iter_mut().for_each(|entry| entry.2 = rng.random_range(1..p.get()));
    let tall = SparseMatrix::from_triplets(p, m, n, &entries);
    // Prices at which a check pays for so few columns.
    let mut machine = Machine::reference().scaled(crate::cost::Kind::Passes, 1e3);
    machine.dense.product[4] *= 100.0;
    machine.sparse.transpose = 0.0;
    for (a, name) in [(tall.transpose().unwrap(), "wide"), (tall, "tall")] {
        for (proven, minor) in [(false, false), (true, false), (false, true)] {
            let patience = Patience::ENDLESS;
            let options = RankOptions { proven, minor, patience, machine: machine.clone(), ..Default::default() };
            let answer = rank(&a, &options, &Silent).unwrap();
            assert_eq!(answer.rank, r + 1, "{name}: {:?}", answer.path);
            assert_eq!(answer.path.iter().filter_map(|step| step.rank).sum::<usize>(), r + 1);
            if proven || minor {
                assert_eq!(answer.certainty, Certainty::Proven, "{name}: {}", answer.reason);
            } else {
                // A check, of which the null space may be a proof.
                assert_eq!(answer.path[0].name, "dense elimination");
                let checked = ["hash", "null space"].iter().any(|word| answer.reason.contains(word));
                assert!(checked, "{name}: {}", answer.reason);
            }
            if let Some(Minor { rows, cols, .. }) = answer.minor {
                let at = |lines: &[u32], k: usize| lines.iter().position(|&line| line as usize == k);
                let own: Vec<_> = (0..a.rows())
                    .filter_map(|i| Some((at(&rows, i)?, a.row(i))))
                    .flat_map(|(i, (columns, values))| {
                        let cols = &cols;
                        columns.iter().zip(values).filter_map(move |(&j, &v)| Some((i, at(cols, j as usize)?, v)))
                    })
                    .collect();
                let minor = SparseMatrix::from_triplets(p, rows.len(), cols.len(), &own);
                assert_eq!((rows.len(), dense_rank(&minor)), (r + 1, r + 1), "{name}");
            }
        }
    }
}
