//! Block Wiedemann finds ranks that are known by construction, where equal eigenvalues in different blocks are common.
//!
//! Among r eigenvalues over GF(q), about r²/(2q) pairs are equal: 30 for r = 2000 and q = 65521. The measurement over
//! more families, seeds and block sizes is `tools/compare/short_ranks.py`.

use blackfield::Silent;
use blackfield::answers::{Method, RankOptions, rank};
use blackfield::field::{Modulus, Rng};
use blackfield::sparse::SparseMatrix;
use rand::{RngExt, SeedableRng};

type Entries = Vec<(usize, usize, u64)>;

/// A matrix of order n and its rank.
type Family = fn(Modulus, usize, &mut Rng) -> (Entries, usize);

fn nonzero(p: Modulus, rng: &mut Rng) -> u64 {
    rng.random_range(1..p.get())
}

/// One entry in each row and column.
fn permutation(p: Modulus, n: usize, rng: &mut Rng) -> (Entries, usize) {
    let mut columns: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|i| columns.swap(i, rng.random_range(0..=i)));
    (columns.into_iter().enumerate().map(|(i, j)| (i, j, nonzero(p, rng))).collect(), n)
}

/// Blocks of 2 × 2 on the diagonal; rank by their determinants.
fn blocks(p: Modulus, n: usize, rng: &mut Rng) -> (Entries, usize) {
    let (mut entries, mut rank) = (Vec::new(), 0);
    for first in (0..n - 1).step_by(2) {
        let block: [u64; 4] = std::array::from_fn(|_| rng.random_range(0..p.get()));
        let singular = p.mul(block[0], block[3]) == p.mul(block[1], block[2]);
        rank += if !singular { 2 } else { usize::from(block != [0; 4]) };
        entries.extend((0..4).map(|k| (first + k / 2, first + k % 2, block[k])));
    }
    (entries, rank)
}

/// One entry in each row: the rank is the number of columns hit.
fn one_entry_rows(p: Modulus, n: usize, rng: &mut Rng) -> (Entries, usize) {
    let entries: Entries = (0..n).map(|i| (i, rng.random_range(0..n), nonzero(p, rng))).collect();
    let columns: std::collections::BTreeSet<usize> = entries.iter().map(|&(_, j, _)| j).collect();
    (entries, columns.len())
}

/// Jordan blocks of the eigenvalue 0, of sizes 1 to 4.
fn nilpotent(p: Modulus, n: usize, rng: &mut Rng) -> (Entries, usize) {
    let (mut entries, mut first) = (Vec::new(), 0);
    while first < n {
        let size = rng.random_range(1..5).min(n - first);
        entries.extend((first + 1..first + size).map(|j| (j - 1, j, nonzero(p, rng))));
        first += size;
    }
    let rank = entries.len();
    (entries, rank)
}

/// The Laplacian of a random recursive tree, whose rank is n - 1 over every field: it has one spanning tree.
fn tree_laplacian(p: Modulus, n: usize, rng: &mut Rng) -> (Entries, usize) {
    let mut degrees = vec![0u64; n];
    let mut entries = Vec::new();
    for v in 1..n {
        let u = rng.random_range(0..v);
        entries.extend([(u, v, p.get() - 1), (v, u, p.get() - 1)]);
        [u, v].iter().for_each(|&w| degrees[w] += 1);
    }
    entries.extend((0..n).map(|v| (v, v, degrees[v] % p.get())));
    (entries, n - 1)
}

const FAMILIES: [(&str, Family); 5] = [
    ("permutation", permutation),
    ("blocks", blocks),
    ("one entry a row", one_entry_rows),
    ("nilpotent", nilpotent),
    ("tree Laplacian", tree_laplacian),
];

fn reaches_the_rank(p: u64, n: usize, block: Option<usize>, seeds: std::ops::Range<u64>) {
    let p = Modulus::new(p).unwrap();
    for (name, family) in FAMILIES {
        let (entries, expected) = family(p, n, &mut Rng::seed_from_u64(17));
        let matrix = SparseMatrix::from_triplets(p, n, n, &entries);
        for seed in seeds.clone() {
            let options = RankOptions::default().method(Method::Wiedemann).block(block).seed(seed);
            let found = rank(&matrix, &options, &Silent).unwrap().rank;
            assert_eq!(found, expected, "{name} mod {p}, block {block:?}, seed {seed}");
        }
    }
}

#[test]
fn at_the_default_block() {
    reaches_the_rank(65521, 2000, None, 1..3);
}

#[test]
fn at_larger_blocks() {
    for block in [8, 16] {
        reaches_the_rank(65521, 1000, Some(block), 1..3);
    }
}

#[test]
fn over_extensions_of_tiny_fields() {
    for p in [2, 3, 251] {
        reaches_the_rank(p, 300, None, 1..3);
    }
}

#[test]
fn over_a_large_field() {
    reaches_the_rank((1 << 31) - 1, 1000, None, 1..2);
}

/// Rows, columns, entries, rank.
type Shape = (usize, usize, &'static [(usize, usize, u64)], usize);

/// Lines and blocks that are fewer than the threads, and none at all.
#[test]
fn shapes_smaller_than_the_pool() {
    let p = Modulus::new(65521).unwrap();
    let shapes: [Shape; 5] = [
        (0, 4, &[], 0),
        (3, 2, &[], 0),
        (1, 9, &[(0, 3, 5), (0, 7, 1)], 1),
        (2, 3, &[(0, 0, 1), (1, 1, 2), (1, 2, 1)], 2),
        (4, 4, &[(0, 0, 1), (1, 0, 2), (2, 1, 1), (3, 3, 7)], 3),
    ];
    for threads in [1, 2, 3, 8] {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            for (rows, cols, entries, expected) in shapes {
                let matrix = SparseMatrix::from_triplets(p, rows, cols, entries);
                for block in [None, Some(1), Some(5), Some(16)] {
                    let options = RankOptions::default().method(Method::Wiedemann).block(block);
                    let found = rank(&matrix, &options, &Silent).unwrap().rank;
                    assert_eq!(found, expected, "{rows} x {cols}, block {block:?}, {threads} threads");
                }
            }
        });
    }
}
