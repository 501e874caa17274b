//! S against its definition, and ranks through it against dense elimination.

use super::*;
use crate::Silent;
use crate::blackbox::{Operator, Scratch};
use crate::dense::Echelon;
use crate::field::{Modulus, Rng};
use crate::pivots::Pivots;
use crate::report::ErrorBound;
use crate::sparse::SparseMatrix;
use crate::spmv::Block;
use rand::{RngExt, SeedableRng};

/// Streams of one generator; the challenges do not depend on the answer.
fn with_streams<T>(rng: &Rng, ask: impl FnOnce(&RowSpaceStreams) -> T) -> T {
    let own = |number: u64| {
        let mut own = rng.clone();
        own.set_stream(number << 32);
        own
    };
    ask(&RowSpaceStreams { sample: own(1), exploration: own(2), challenge: &|number, _| own(2 + number) })
}

pub(super) const PRIMES: [u64; 7] = [2, 3, 251, 65521, (1 << 31) - 1, (1 << 61) - 1, 9223372036854775783];

/// Pivots by the definition: an entry is taken if it keeps the chosen ones triangular, in the order of the rows.
pub(super) fn naive_pivots(a: &SparseMatrix) -> Pivots {
    let mut pivots = Pivots::default();
    for i in 0..a.rows() {
        let (cols, _) = a.row(i);
        // A row behind all others may have no entry in a pivot column.
        let free = cols.iter().all(|j| !pivots.cols.contains(j));
        if let (true, Some(&j)) = (free, cols.first()) {
            pivots.rows.push(i as u32);
            pivots.cols.push(j);
        }
    }
    pivots
}

/// Random matrices of low and full rank, with zero lines, twins and ±1.
pub(super) fn matrices(p: Modulus, rng: &mut Rng) -> Vec<SparseMatrix> {
    let mut all = Vec::new();
    for (rows, cols, nnz) in [(0, 5, 0), (5, 0, 0), (4, 4, 0), (1, 1, 1), (30, 20, 60), (20, 30, 90), (400, 60, 1200)] {
        let mut entries: Vec<(usize, usize, u64)> = (0..nnz)
            .map(|_| {
                let v = [1, p.get() - 1, rng.random_range(0..p.get())][rng.random_range(0..3)];
                (rng.random_range(0..rows), rng.random_range(0..cols), v)
            })
            .collect();
        all.push(SparseMatrix::from_triplets(p, rows, cols, &entries));
        // The last third of the rows repeats the first.
        entries.retain(|&(i, _, _)| i < rows - rows / 3);
        let twins: Vec<_> = entries.iter().filter(|e| e.0 < rows / 3).map(|&(i, j, v)| (rows - 1 - i, j, v)).collect();
        entries.extend(twins);
        all.push(SparseMatrix::from_triplets(p, rows, cols, &entries));
    }
    all
}

pub(super) fn dense_rank(a: &SparseMatrix) -> usize {
    let mut echelon = Echelon::new(a.modulus(), a.cols()).unwrap();
    let rows: Vec<_> = (0..a.rows()).map(|i| a.row(i)).collect();
    echelon.absorb(&rows, &Silent).unwrap();
    echelon.rank()
}

/// S by elimination of one pivot after the other on the dense matrix.
pub(super) fn naive_complement(a: &SparseMatrix, split: &Split, pivots: &Pivots) -> Vec<Vec<u64>> {
    let p = a.modulus();
    let mut dense = vec![vec![0; a.cols()]; a.rows()];
    for (i, line) in dense.iter_mut().enumerate() {
        let (cols, values) = a.row(i);
        cols.iter().zip(values).for_each(|(&j, &v)| line[j as usize] = v);
    }
    for (&i, &j) in pivots.rows.iter().zip(&pivots.cols) {
        let pivot = dense[i as usize].clone();
        for line in split.rows.iter().map(|&r| r as usize) {
            let factor = p.mul(dense[line][j as usize], p.inv(pivot[j as usize]));
            dense[line].iter_mut().zip(&pivot).for_each(|(x, &y)| *x = p.sub(*x, p.mul(factor, y)));
        }
    }
    let line = |&i: &u32| split.cols.iter().map(|&j| dense[i as usize][j as usize]).collect();
    split.rows.iter().map(line).collect()
}

#[test]
fn the_operator_is_the_schur_complement_and_its_transpose() {
    let mut rng = Rng::seed_from_u64(1);
    for p in PRIMES.map(|p| Modulus::new(p).unwrap()) {
        for a in matrices(p, &mut rng) {
            let pivots = naive_pivots(&a);
            let split = Split::new(&a, &pivots).unwrap();
            assert_eq!(split.pivots() + split.rows.len(), a.rows());
            let (s, naive) = (Complement::new(&split).unwrap(), naive_complement(&a, &split, &pivots));
            let (m, n) = (s.rows(), s.cols());
            let (mut scratch, lane) = (Scratch::new(), s.lane());
            let (x, y) =
                (Block::random(lane, n, 16, p, &mut rng).unwrap(), Block::random(lane, m, 16, p, &mut rng).unwrap());
            let (mut sx, mut sty) = (Block::zeros(lane, m, 16).unwrap(), Block::zeros(lane, n, 16).unwrap());
            s.apply(&x, &mut sx, &mut scratch).unwrap();
            s.apply_transpose(&y, &mut sty, &mut scratch).unwrap();
            for l in 0..16 {
                for (i, row) in naive.iter().enumerate() {
                    let sum = (0..n).fold(0, |sum, j| p.add(sum, p.mul(row[j], x.get(j, l))));
                    assert_eq!(sx.get(i, l), sum, "p = {p}");
                }
                let column =
                    |j: usize| naive.iter().enumerate().fold(0, |sum, (i, row)| p.add(sum, p.mul(row[j], y.get(i, l))));
                (0..n).for_each(|j| assert_eq!(sty.get(j, l), column(j), "p = {p}"));
            }
        }
    }
}

#[test]
fn the_row_space_has_the_rank_and_the_null_space_proves_it() {
    let error = ErrorBound::of_bits(64);
    let mut rng = Rng::seed_from_u64(2);
    for p in PRIMES.map(|p| Modulus::new(p).unwrap()) {
        for a in matrices(p, &mut rng) {
            let (pivots, rank) = (naive_pivots(&a), dense_rank(&a));
            let split = Split::new(&a, &pivots).unwrap();
            for rows in [false, true] {
                let options = RowSpaceOptions { error, rank_bound: usize::MAX, give_up: usize::MAX, rows, exceeded: 0 };
                let found = with_streams(&rng, |streams| row_space(&split, options, streams, &[], &Silent)).unwrap();
                assert_eq!(pivots.rows.len() + found.echelon.rank(), rank, "p = {p}, {} x {}", a.rows(), a.cols());
                match found.extent {
                    Extent::Checked(bound) => assert_eq!(bound, error),
                    Extent::Whole => {
                        let (height, width) = (split.rows.len(), split.cols.len());
                        assert!(rows || found.echelon.rank() == height.min(width) || height <= 256, "p = {p}");
                    }
                    Extent::Part => panic!("nothing was given up"),
                }
                check_basis(&split, &found, rows);
                let null_space = NullSpace::new(&split, Side::Right, Way::Passes).unwrap();
                assert!(null_space.refute(&found.echelon.reduced().unwrap(), &Silent).unwrap().is_empty());
            }
        }
    }
}

/// Wherever a row space is given up, on all rows or a sample, whoever goes on comes to the same one, without beginning
/// anew.
#[test]
fn a_row_space_that_was_given_up_is_gone_on_with() {
    let mut rng = Rng::seed_from_u64(3);
    for p in PRIMES.map(|p| Modulus::new(p).unwrap()) {
        // Of full rank, of a small one, and tall.
        for (m, n, kinds) in [(700, 600, 600), (600, 500, 90), (9000, 300, 150)] {
            let entry = |k: usize, rng: &mut Rng| (k / 3 % kinds, rng.random_range(0..n), rng.random_range(1..p.get()));
            let few: Vec<_> = (0..3 * kinds).map(|k| entry(k, &mut rng)).collect();
            let entries: Vec<_> =
                (0..m).flat_map(|i| few[i % kinds * 3..][..3].iter().map(move |e| (i, e.1, e.2))).collect();
            let (a, none) = (SparseMatrix::from_triplets(p, m, n, &entries), Pivots::default());
            let (split, rank) = (Split::new(&a, &none).unwrap(), dense_rank(&a));
            let error = ErrorBound::of_bits(64);
            let options = RowSpaceOptions { error, rank_bound: n, give_up: usize::MAX, rows: false, exceeded: 0 };
            let find = |begun, options| {
                with_streams(&rng, |streams| row_space_from(begun, &split, options, streams, &[], &Silent)).unwrap()
            };
            let whole = find(None, options);
            assert!(whole.echelon.rank() == rank && whole.explored.is_none());
            for give_up in [0, 31, 40, 100, 400].into_iter().filter(|&give_up| give_up < rank) {
                let part = find(None, RowSpaceOptions { give_up, ..options });
                assert!(part.extent == Extent::Part && part.explored.is_some());
                let (seen, known) = (part.echelon.rows_seen(), part.echelon.pivot_rows().to_vec());
                let more = find(Some(part), options);
                assert_eq!((more.echelon.rank(), more.extent), (rank, whole.extent), "{give_up} of {rank} mod {p}");
                assert_eq!(more.echelon.pivot_cols().unwrap(), whole.echelon.pivot_cols().unwrap());
                // What was known leads, and hardly more combinations are made than at once.
                assert_eq!(more.echelon.pivot_rows()[..known.len()], known[..]);
                let (more, all) = (more.echelon.rows_seen(), whole.echelon.rows_seen());
                assert!(
                    seen < more && more <= all + 2 * Echelon::PACKED,
                    "{more} of {all}, {give_up} of {rank} mod {p}"
                );
            }
            // A smaller bound is another sample.
            let bounded = RowSpaceOptions { rank_bound: rank, ..options };
            let part = find(None, RowSpaceOptions { give_up: 20, ..options });
            let more = find(Some(part), bounded);
            assert_eq!((more.echelon.rank(), more.extent), (rank, Extent::Whole));
        }
    }
}

/// Rows that are said to be a basis are as many as the rank, and independent: with the pivot rows, they have as large a
/// rank in A. Their factors are those of S.
fn check_basis(split: &Split, found: &RowSpace, wanted: bool) {
    let rank = found.echelon.rank();
    assert_eq!(found.basis.is_some(), wanted);
    let Some(RowBasis { rows, factors }) = &found.basis else { return };
    check_rows(split, rows, rank);
    let p = split.modulus();
    assert_eq!(factors.is_some(), p.get() > 2);
    let Some(factors) = factors else { return };
    let naive = naive_complement(split.a, split, split.pivots);
    let right: Vec<u64> = (0..rank as u64).map(|k| k * k % p.get()).collect();
    let x = factors.solve(&right, 1).unwrap();
    for (&i, &b) in rows.iter().zip(&right) {
        let terms = factors.cols().iter().zip(&x).map(|(&j, &x)| p.mul(naive[i as usize][j as usize], x));
        assert_eq!(terms.fold(0, |sum, term| p.add(sum, term)), b, "mod {p}");
    }
}

fn check_rows(split: &Split, rows: &[u32], rank: usize) {
    let named = split.pivots.rows.iter().copied().chain(rows.iter().map(|&i| split.rows[i as usize]));
    let entries = named.enumerate().flat_map(|(i, row)| {
        let (cols, values) = split.a.row(row as usize);
        cols.iter().zip(values).map(move |(&j, &v)| (i, j as usize, v))
    });
    let all = split.pivots() + rows.len();
    let part = SparseMatrix::from_triplets(split.modulus(), all, split.a.cols(), &entries.collect::<Vec<_>>());
    assert_eq!((rows.len(), dense_rank(&part)), (rank, all));
}

/// Rows of which many repeat others, or all but a few are zero: sieves find those that are new, and few dependent rows
/// are tried.
#[test]
fn sieves_find_the_rows_that_are_new() {
    let mut rng = Rng::seed_from_u64(8);
    for p in PRIMES.map(|p| Modulus::new(p).unwrap()) {
        // So many different rows, each so many times, before so many zero rows.
        for (different, times, zero) in
            [(700, 1, 0), (700, 2, 0), (300, 12, 0), (90, 30, 0), (40, 1, 1500), (1, 1, 900), (0, 1, 300)]
        {
            let (rows, cols) = (different * times, 720);
            let kinds: Vec<Vec<(usize, u64)>> = (0..different)
                .map(|k| {
                    let mut row = vec![(k, 1)];
                    row.extend((0..5).map(|_| (rng.random_range(0..cols), rng.random_range(0..p.get()))));
                    row
                })
                .collect();
            let entries = (0..rows).flat_map(|i| kinds[i % different].iter().map(move |&(j, v)| (i, j, v)));
            let a = SparseMatrix::from_triplets(p, rows + zero, cols, &entries.collect::<Vec<_>>());
            let (none, rank) = (Pivots::default(), dense_rank(&a));
            let split = Split::new(&a, &none).unwrap();
            let error = ErrorBound::of_bits(64);
            let name = format!("{different} rows {times} times and {zero} of 0 mod {p}");
            let options =
                RowSpaceOptions { error, rank_bound: usize::MAX, give_up: usize::MAX, rows: true, exceeded: 0 };
            let found = with_streams(&rng, |streams| row_space(&split, options, streams, &[], &Silent)).unwrap();
            assert_eq!(found.echelon.rank(), rank, "{name}");
            check_basis(&split, &found, true);
            // Sieves are drawn at random, but none of rows that are there is missed, so that a batch or two are in
            // vain.
            let most = if p.get() > 3 { 2 * rank + 3 * 64 } else { 2 * rank + 3 * 512 };
            assert!(found.echelon.rows_seen() <= most, "{} rows: {name}", found.echelon.rows_seen());
            // Beyond a rank the search ends.
            let given_up = RowSpaceOptions { give_up: rank / 2, ..options };
            let part = with_streams(&rng, |streams| row_space(&split, given_up, streams, &[], &Silent)).unwrap();
            assert!(part.extent == Extent::Part || part.echelon.rank() == rank, "{name}");
            assert!(rank < 2 || part.echelon.rank() > rank / 2, "{name}");
            // A bound that is reached ends it as well, for certain.
            let bounded = RowSpaceOptions { rank_bound: rank, ..options };
            let whole = with_streams(&rng, |streams| row_space(&split, bounded, streams, &[], &Silent)).unwrap();
            assert_eq!((whole.extent, whole.echelon.rank()), (Extent::Whole, rank), "{name}");
            check_basis(&split, &whole, true);
        }
    }
}

#[test]
fn a_restricted_split_has_the_rows_asked_for() {
    let mut rng = Rng::seed_from_u64(5);
    for p in PRIMES.map(|p| Modulus::new(p).unwrap()) {
        for a in matrices(p, &mut rng) {
            let pivots = naive_pivots(&a);
            let split = Split::new(&a, &pivots).unwrap();
            let rows: Vec<usize> = (0..split.rows.len()).filter(|_| rng.random()).collect();
            let (matrix, own) = split.restricted(&rows).unwrap();
            let part = Split::new(&matrix, &own).unwrap();
            assert!(
                own.is_triangular(&matrix).unwrap() && part.cols == split.cols && part.entries()[1] == matrix.nnz()
            );
            let naive = naive_complement(&a, &split, &pivots);
            let expected: Vec<_> = rows.iter().map(|&i| naive[i].clone()).collect();
            assert_eq!(naive_complement(&matrix, &part, &own), expected, "p = {p}");
        }
    }
}

/// S with many more rows than its rank can be: what a random sample of the rows spans, and what only one row has.
#[test]
fn the_row_space_of_a_tall_matrix_is_whole_although_a_sample_misses_some() {
    let mut rng = Rng::seed_from_u64(6);
    let (mut sampled, (rows, cols), error) = (0, (6000, 40), ErrorBound::of_bits(64));
    for p in PRIMES.map(|p| Modulus::new(p).unwrap()) {
        // Columns that all rows may use; the next ones are used by one row each, the others by none.
        for (common, rare) in [(40, 0), (30, 10), (25, 5), (1, 0), (0, 0), (0, 1), (0, 40)] {
            let mut entries: Vec<(usize, usize, u64)> = (0..4 * rows * common.min(1))
                .map(|k| (k / 4, rng.random_range(0..common), rng.random_range(0..p.get())))
                .collect();
            entries.extend((0..rare).map(|k| (rng.random_range(0..rows), common + k, 1)));
            let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
            for pivots in [Pivots::default(), naive_pivots(&a)] {
                let split = Split::new(&a, &pivots).unwrap();
                let rank = dense_rank(&a) - pivots.len();
                sampled += exploration::sample_pays(&split, split.cols.len()) as usize;
                for (rank_bound, rows) in [(usize::MAX, false), (rank, false), (usize::MAX, true), (rank, true)] {
                    let options = RowSpaceOptions { error, rank_bound, give_up: usize::MAX, rows, exceeded: 0 };
                    let found =
                        with_streams(&rng, |streams| row_space(&split, options, streams, &[], &Silent)).unwrap();
                    assert_eq!(found.echelon.rank(), rank, "p = {p}, {common} common columns, {rare} rare");
                    check_basis(&split, &found, rows);
                    let found = independent_rows(&split, &found.echelon.pivot_cols().unwrap(), &Silent).unwrap();
                    check_rows(&split, &found, rank);
                }
                let options = RowSpaceOptions { error, rank_bound: usize::MAX, give_up: 3, rows: false, exceeded: 0 };
                let found = with_streams(&rng, |streams| row_space(&split, options, streams, &[], &Silent)).unwrap();
                let complete = found.extent != Extent::Part;
                assert!(complete || rank > 3, "p = {p}, rank {rank}");
                assert!(!complete || found.echelon.rank() == rank, "p = {p}, rank {rank}");
            }
        }
    }
    assert!(sampled > 50, "samples were taken: {sampled}");
}

#[test]
fn columns_are_those_of_the_complement_and_their_rows_independent() {
    let mut rng = Rng::seed_from_u64(4);
    let mut dependent = 0;
    for p in PRIMES.map(|p| Modulus::new(p).unwrap()) {
        for a in matrices(p, &mut rng) {
            let pivots = naive_pivots(&a);
            let split = Split::new(&a, &pivots).unwrap();
            let naive = naive_complement(&a, &split, &pivots);
            // None, all, and a random half in random order.
            let all: Vec<u32> = (0..split.cols.len() as u32).collect();
            let mut half: Vec<u32> = all.iter().copied().filter(|_| rng.random()).collect();
            half.reverse();
            for cols in [vec![], all, half] {
                let columns = Columns::new(&split, &cols, &Silent).unwrap();
                assert_eq!(columns.rows(), split.rows.len());
                let mut greedy = Echelon::new(p, cols.len()).unwrap();
                for (i, line) in naive.iter().enumerate() {
                    let (mut row, expected) = (vec![], cols.iter().map(|&j| line[j as usize]).collect::<Vec<_>>());
                    columns.push_row(i, &mut row);
                    assert_eq!(row, expected, "p = {p}, row {i}");
                    // One row after the other.
                    greedy.absorb_block(1, &row, &Silent).unwrap();
                }
                let rows = independent_rows(&split, &cols, &Silent).unwrap();
                assert!(rows.is_sorted() && rows.len() == greedy.rank(), "p = {p}");
                let mut own = Echelon::new(p, cols.len()).unwrap();
                for &i in &rows {
                    let row: Vec<u64> = cols.iter().map(|&j| naive[i as usize][j as usize]).collect();
                    own.absorb_block(1, &row, &Silent).unwrap();
                }
                assert_eq!(own.rank(), rows.len(), "p = {p}");
                dependent += (rows.len() < cols.len()) as usize;
            }
        }
    }
    assert!(dependent > 0 && dependent < 200, "both kinds of columns: {dependent}");
}
