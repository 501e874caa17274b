//! Proofs from any subspace of the row space, against the rank of the dense matrix.

use super::tests::{PRIMES, dense_rank, matrices, naive_complement, naive_pivots};
use super::*;
use crate::dense::Echelon;
use crate::field::{Modulus, Rng};
use crate::pivots::Pivots;
use crate::sparse::SparseMatrix;
use crate::{Error, Observer, Silent};
use rand::{RngExt, SeedableRng};

const WAYS: [(Side, Way); 4] =
    [(Side::Right, Way::Pushes), (Side::Right, Way::Passes), (Side::Left, Way::Pushes), (Side::Left, Way::Passes)];

fn span(p: Modulus, cols: usize, rows: &[Vec<u64>]) -> Echelon {
    let mut echelon = Echelon::new(p, cols).unwrap();
    echelon.absorb_block(rows.len(), &rows.concat(), &Silent).unwrap();
    echelon
}

/// What a proof is made from in the tests.
struct Case {
    a: SparseMatrix,
    pivots: Pivots,
}

fn cases(p: Modulus, rng: &mut Rng) -> Vec<Case> {
    let mut all = vec![];
    for a in matrices(p, rng) {
        all.push(Case { pivots: naive_pivots(&a), a: a.clone() });
        all.push(Case { pivots: Pivots::default(), a });
    }
    // Wide, with a complement of many more columns than rows; and as tall.
    for (rows, cols) in [(70, 400), (300, 45)] {
        let entries: Vec<_> = (0..4 * rows.max(cols))
            .map(|_| (rng.random_range(0..rows), rng.random_range(0..cols), rng.random_range(1..p.get())))
            .collect();
        let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
        all.push(Case { pivots: naive_pivots(&a), a: a.clone() });
        all.push(Case { pivots: Pivots::default(), a });
    }
    all
}

#[test]
fn the_rank_comes_out_whatever_rows_are_missing() {
    let mut rng = Rng::seed_from_u64(41);
    let mut failed = [0; 4];
    for p in PRIMES.map(|p| Modulus::new(p).unwrap()) {
        for Case { a, pivots } in cases(p, &mut rng) {
            let split = Split::new(&a, &pivots).unwrap();
            let (rank, cols) = (dense_rank(&a) - pivots.len(), split.cols.len());
            let naive = naive_complement(&a, &split, &pivots);
            let basis: Vec<Vec<u64>> = span(p, cols, &naive).pivot_rows().iter().map(|&i| naive[i].clone()).collect();
            assert_eq!(basis.len(), rank);
            for missing in [0, 1, rank / 2, rank] {
                let mut some = basis.clone();
                (0..missing.min(rank)).for_each(|_| drop(some.swap_remove(rng.random_range(0..some.len()))));
                for (number, (side, way)) in WAYS.into_iter().enumerate() {
                    let null_space = NullSpace::new(&split, side, way).unwrap();
                    assert_eq!((null_space.side(), null_space.way()), (side, way));
                    let echelon = span(p, cols, &some);
                    let proof = null_space.prove(echelon, usize::MAX, &rng, &Silent).unwrap();
                    let what = format!("p = {p}, {} x {}, {side:?} by {way:?}, {missing} missing", a.rows(), a.cols());
                    assert_eq!(proof.rank, rank, "{what}");
                    assert_eq!(proof.failed > 0, some.len() < rank, "{what}");
                    failed[number] += proof.failed;
                    let full = rank == cols || rank == split.rows.len();
                    let lines = if side == Side::Right { cols } else { split.rows.len() };
                    assert_eq!(proof.vanished, if full { 0 } else { lines - rank }, "{what}");
                    // The columns named are independent.
                    let columns: Vec<Vec<u64>> =
                        naive.iter().map(|row| proof.pivot_cols.iter().map(|&j| row[j as usize]).collect()).collect();
                    assert_eq!(span(p, rank, &columns).rank(), rank, "{what}");
                }
            }
            // A bound that is reached ends the proof before it has begun.
            let null_space = NullSpace::new(&split, Side::Right, Way::Passes).unwrap();
            let proof = null_space.prove(span(p, cols, &basis), rank, &rng, &Silent).unwrap();
            assert_eq!((proof.rank, proof.vanished, proof.failed), (rank, 0, 0));
        }
    }
    assert!(failed.iter().all(|&n| n > 100), "{failed:?}");
}

#[test]
fn both_ways_see_the_same_null_vectors_fail() {
    let mut rng = Rng::seed_from_u64(42);
    for p in PRIMES.map(|p| Modulus::new(p).unwrap()) {
        for Case { a, pivots } in cases(p, &mut rng) {
            let split = Split::new(&a, &pivots).unwrap();
            let naive = naive_complement(&a, &split, &pivots);
            let some = &naive[..naive.len() / 3];
            for side in [Side::Right, Side::Left] {
                let mut subspace = span(p, split.cols.len(), some);
                if side == Side::Left {
                    let columns: Vec<Vec<u64>> =
                        (0..split.cols.len() / 3).map(|j| naive.iter().map(|row| row[j]).collect()).collect();
                    subspace = span(p, split.rows.len(), &columns);
                }
                let reduced = subspace.reduced().unwrap();
                let [pushed, passed] = [Way::Pushes, Way::Passes].map(|way| {
                    let refuted = NullSpace::new(&split, side, way).unwrap().refute(&reduced, &Silent).unwrap();
                    let sorted = |mut all: Vec<crate::spmv::Remainder>| {
                        all.sort_unstable_by_key(|r| r.output);
                        all
                    };
                    refuted.into_iter().map(|r| (r.group.free, sorted(r.remainders))).collect::<Vec<_>>()
                });
                assert_eq!(pushed, passed, "p = {p}, {side:?} of {} x {}", a.rows(), a.cols());
            }
        }
    }
}

/// The boundary of many triangles and edges in a line: null vectors of a few entries each.
fn strip(p: Modulus, n: usize) -> SparseMatrix {
    let minus = p.get() - 1;
    let entries: Vec<_> = (0..n).flat_map(|i| [(i, i, 1), (i, i + 1, minus), (i, i + 2, 1)]).collect();
    SparseMatrix::from_triplets(p, n, n + 2, &entries).transpose().unwrap()
}

#[test]
fn the_number_of_threads_does_not_matter_and_interruption_is_an_error() {
    let p = Modulus::new(3).unwrap();
    let a = strip(p, 3000);
    let mut rng = Rng::seed_from_u64(43);
    let twice: Vec<_> =
        (0..3000).map(|_| (rng.random_range(0..3000usize), rng.random_range(0..2000usize), 1)).collect();
    let a = {
        let mut entries: Vec<_> = (0..a.rows())
            .flat_map(|i| a.row(i).0.iter().zip(a.row(i).1).map(move |(&j, &v)| (i, j as usize, v)).collect::<Vec<_>>())
            .collect();
        entries.extend(twice.iter().map(|&(i, j, v)| (3002 + i, j, v)));
        SparseMatrix::from_triplets(p, 6002, 4000, &entries)
    };
    let pivots = naive_pivots(&a);
    let split = Split::new(&a, &pivots).unwrap();
    for (side, way) in WAYS {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let null_space = NullSpace::new(&split, side, way).unwrap();
            pool.install(|| {
                let echelon = Echelon::new(p, split.cols.len()).unwrap();
                (null_space.support(&[], &rng).unwrap(), null_space.prove(echelon, usize::MAX, &rng, &Silent).unwrap())
            })
        };
        assert_eq!(with(1), with(3), "{side:?} by {way:?}");
        struct Stop;
        impl Observer for Stop {
            fn cancelled(&self) -> bool {
                true
            }
        }
        let stopped = NullSpace::new(&split, side, way).unwrap().prove(
            Echelon::new(p, split.cols.len()).unwrap(),
            usize::MAX,
            &rng,
            &Stop,
        );
        assert!(matches!(stopped, Err(Error::Interrupted)));
    }
}

#[test]
fn the_support_is_that_of_the_sample_and_exact_where_all_are_drawn() {
    let p = Modulus::new(65521).unwrap();
    // No pivots: S = A, and every unit vector meets its own column alone.
    let entries: Vec<_> = (0..90).map(|k| (k, k % 60, 1 + k as u64)).collect();
    let a = SparseMatrix::from_triplets(p, 90, 80, &entries);
    let pivots = Pivots::default();
    let split = Split::new(&a, &pivots).unwrap();
    let rng = Rng::seed_from_u64(44);
    let right = NullSpace::new(&split, Side::Right, Way::Pushes).unwrap().support(&[], &rng).unwrap().unwrap();
    assert_eq!((right.sampled, right.groups, right.share), (3, 3, 60.0 / 80.0));
    // 80 vectors in groups of 32 on average 30 entries each, none together.
    assert_eq!(right.entries, 80.0 / 32.0 * 30.0);
    let with_pivots =
        NullSpace::new(&split, Side::Right, Way::Pushes).unwrap().support(&[0, 1, 2], &rng).unwrap().unwrap();
    assert_eq!(with_pivots.entries, 77.0 / 32.0 * (30.0 + 0.75 * 6.0));
    assert!(NullSpace::new(&split, Side::Right, Way::Passes).unwrap().support(&[], &rng).unwrap().is_none());
    let left = NullSpace::new(&split, Side::Left, Way::Pushes).unwrap().support(&[5], &rng).unwrap().unwrap();
    assert_eq!((left.groups, left.share, left.entries), (3, 1.0, 89.0 / 32.0 * (30.0 + 1.0)));
    // A group that reaches most entries: what null vectors share is not pushed.
    let entries: Vec<_> = (0..64).flat_map(|k| [(k, 0, 1), (k, k % 7, 2 + k as u64)]).collect();
    let a = SparseMatrix::from_triplets(p, 64, 7, &entries);
    let split = Split::new(&a, &pivots).unwrap();
    let most = NullSpace::new(&split, Side::Right, Way::Pushes).unwrap().support(&[], &rng).unwrap().unwrap();
    assert_eq!((most.sampled, most.groups, most.entries), (1, 1, 7.0 / 32.0 * 2.0 * a.nnz() as f64));
    let none = SparseMatrix::from_triplets(p, 0, 0, &[]);
    let split = Split::new(&none, &pivots).unwrap();
    for side in [Side::Right, Side::Left] {
        let support = NullSpace::new(&split, side, Way::Pushes).unwrap().support(&[], &rng).unwrap().unwrap();
        assert_eq!((support.entries, support.groups), (0.0, 0));
    }
}
