//! The room as a whole against brute force on small random patterns, and against proofs that only need counting on large ones.

use super::*;
use crate::field::Modulus;
use crate::sparse::{SparseMatrix, Triplets};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The size of a maximum matching by trying everything: the largest for each set of columns used, row by row. At most 12 columns.
fn brute_size(p: &Pattern, without_row: Option<usize>, without_col: Option<u32>) -> usize {
    let mut reachable = vec![false; 1 << p.cols()];
    reachable[0] = true;
    for i in (0..p.rows()).filter(|&i| Some(i) != without_row) {
        for used in (0..reachable.len()).rev().filter(|&used| reachable[used]).collect::<Vec<_>>() {
            for &j in p.row(i).iter().filter(|&&j| Some(j) != without_col && used >> j & 1 == 0) {
                reachable[used | 1 << j] = true;
            }
        }
    }
    (0..reachable.len()).filter(|&used| reachable[used]).map(|used| used.count_ones() as usize).max().unwrap()
}

/// Shapes from 0 to 7 with few or many entries.
fn small_pattern() -> impl Strategy<Value = Pattern> {
    (0usize..8, 0usize..8, 0usize..25).prop_flat_map(|(m, n, nnz)| {
        let nnz = if m * n == 0 { 0 } else { nnz };
        proptest::collection::vec((0..m.max(1), 0..n.max(1)), nnz).prop_map(move |e| Pattern::from_entries(m, n, e))
    })
}

/// A pattern with all of its lines permuted by the given keys.
fn permuted(p: &Pattern, keys: &[u64]) -> (Pattern, Vec<usize>, Vec<usize>) {
    let order = |n: usize, salt: u64| {
        let mut to: Vec<usize> = (0..n).collect();
        to.sort_by_key(|&i| (keys[i % keys.len()] ^ salt).wrapping_mul(2 * i as u64 + 1));
        to
    };
    let (rows, cols) = (order(p.rows(), 0), order(p.cols(), 0x9e37_79b9_7f4a_7c15));
    (Pattern::from_entries(p.rows(), p.cols(), p.entries().map(|(i, j)| (rows[i as usize], cols[j as usize]))), rows, cols)
}

/// Entries i·a + b mod cols of a simple generator: large patterns without a fixed structure.
fn pseudo_random(rows: usize, cols: usize, per_row: usize, mut state: u64) -> Pattern {
    let mut draw = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) as usize) % n
    };
    let mut entries = Vec::new();
    for i in 0..rows {
        for _ in 0..draw(2 * per_row + 1) {
            entries.push((i, draw(cols)));
        }
    }
    Pattern::from_entries(rows, cols, entries)
}

/// Checks size and validity of a matching by König's theorem, and returns it.
fn proven(p: &Pattern, m: Matching) -> Matching {
    assert!(m.is_within(p));
    let cover = minimum_vertex_cover(p, &m);
    assert!(cover.covers(p));
    assert_eq!(cover.size(), m.size);
    m
}

/// Checks that the rows have fewer neighbours than they are.
fn violates(p: &Pattern, rows: &[u32]) -> bool {
    let neighbours: BTreeSet<u32> = rows.iter().flat_map(|&i| p.row(i as usize)).copied().collect();
    rows.is_sorted_by(|a, b| a < b) && neighbours.len() < rows.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn sizes_and_hall_violators_like_brute_force(p in small_pattern()) {
        let size = brute_size(&p, None, None);
        let m = proven(&p, maximum_matching(&p));
        prop_assert_eq!(m.size, size);
        let (t, mt) = (p.transpose(), m.clone().transpose());
        prop_assert!(mt.is_within(&t));
        prop_assert_eq!(maximum_matching(&t).size, size);
        for (p, m) in [(p, m), (t, mt)] {
            match hall_violator(&p, &m) {
                None => prop_assert_eq!(m.size, p.rows()),
                Some(rows) => {
                    prop_assert!(violates(&p, &rows));
                    // Without any one of them, the others have enough neighbours.
                    for left_out in &rows {
                        let rest: BTreeSet<u32> = rows.iter().copied().filter(|i| i != left_out).collect();
                        let kept = p.entries().filter(|(i, _)| rest.contains(i)).map(|(i, j)| (i as usize, j as usize));
                        let kept = Pattern::from_entries(p.rows(), p.cols(), kept);
                        prop_assert_eq!(brute_size(&kept, None, None), rest.len());
                    }
                }
            }
        }
    }
}
