//! Rows of S by triangular solves, against elimination.

use super::*;
use crate::Silent;
use crate::pivots::Pivots;
use crate::schur::arithmetic::{Eager, Lazy};
use crate::sparse::SparseMatrix;

/// Pivots 0 … t-1 on the diagonal, and one row more with an entry in each pivot column.
fn below(p: u64, t: usize, cols: usize, mut entries: Vec<(usize, usize, u64)>) -> (SparseMatrix, Pivots) {
    entries.extend((0..t).flat_map(|k| [(k, k, 1 + (k as u64 % (p - 1))), (t, k, 1)]));
    let places: Vec<u32> = (0..t as u32).collect();
    let a = SparseMatrix::from_triplets(Modulus::new(p).unwrap(), t + 1, cols, &entries);
    (a, Pivots { rows: places.clone(), cols: places })
}

/// The last row of A without its entries in pivot columns.
fn naive(a: &SparseMatrix, t: usize) -> Vec<u64> {
    let p = a.modulus();
    let mut row = vec![0; a.cols()];
    a.row(t).0.iter().zip(a.row(t).1).for_each(|(&j, &v)| row[j as usize] = v);
    for k in 0..t {
        let (cols, values) = a.row(k);
        let factor = p.mul(row[k], p.inv(values[0]));
        cols.iter().zip(values).for_each(|(&j, &v)| row[j as usize] = p.sub(row[j as usize], p.mul(factor, v)));
    }
    row.split_off(t)
}

/// Checks the row of S; returns the entries of the pivot rows and, for each, whether later pivots are left in it.
fn solve<K: Arithmetic>(a: &SparseMatrix, pivots: &Pivots) -> (usize, Vec<bool>) {
    let split = Split::new(a, pivots).unwrap();
    let mut u = Triangle::<K>::new(&split).unwrap();
    u.make_all(&split, &Silent).unwrap();
    let (mut w, mut out) = (u.workspace().unwrap(), vec![]);
    for _ in 0..2 {
        out.clear();
        u.solve(a.row(pivots.len()), &mut w, &mut out).unwrap();
        let mut row = vec![0; split.cols.len()];
        out.iter().for_each(|&(s, v)| row[s as usize] = v.into());
        assert_eq!(row, naive(a, pivots.len()));
    }
    (u.rows.entries.len(), u.rows.at.iter().map(|row| row.inside > 0).collect())
}

#[test]
fn later_pivots_are_eliminated_from_rows_that_stay_short() {
    // A chain: row k refers to k+1 and to a column of its own, so that t-k columns are met in the end. More entries
    // of the last row, which is no pivot's, leave room to grow: the length alone is the limit.
    let t = 3 * RESOLVED;
    let room = (0..8 * RESOLVED).map(|c| (t, 2 * t + c, 1));
    let chain = (0..t).flat_map(|k| [(k, k + 1, 2), (k, t + k, 3)]).filter(|e| e.1 != t || e.0 == 0);
    let (a, pivots) = below(65521, t, 2 * t + 8 * RESOLVED, chain.chain(room).collect());
    for (entries, inside) in [solve::<Lazy>(&a, &pivots), solve::<Eager>(&a, &pivots)] {
        assert!(inside.iter().enumerate().all(|(k, &left)| left == (k < t - RESOLVED)), "{inside:?}");
        assert_eq!(entries, RESOLVED * (RESOLVED + 1) / 2 + 2 * (t - RESOLVED));
    }
    // Twins that cancel: nothing is left of as many products as allowed; of more it is not tried.
    for (weight, resolves) in [(PRODUCTS / 2, true), (PRODUCTS / 2 + 1, false)] {
        let twins = (0..weight).flat_map(|c| [(1, 3 + c, 2), (2, 3 + c, 3)]);
        let (a, pivots) = below(65521, 3, 3 + weight, twins.chain([(0, 1, 1), (0, 2, 65520)]).collect());
        let kept = 2 * weight + if resolves { 0 } else { 2 };
        assert_eq!(solve::<Lazy>(&a, &pivots), (kept, vec![!resolves, false, false]));
    }
}

#[test]
fn rows_are_made_as_far_as_they_are_needed() {
    // Two chains of pivots, each met by a row: 0, 2, 4, … and 1, 3, 5, ….
    let t = 2 * RESOLVED;
    let chain = (0..t).flat_map(|k| [(k, k, 1 + k as u64), (k, k + 2, 3), (k, t + 2 + k % 5, 5 + k as u64)]);
    let entries: Vec<_> = chain.chain([(t, 0, 1), (t + 1, 1, 1)]).collect();
    let a = SparseMatrix::from_triplets(Modulus::new(65521).unwrap(), t + 2, t + 7, &entries);
    let places: Vec<u32> = (0..t as u32).collect();
    let pivots = Pivots { rows: places.clone(), cols: places };
    let split = Split::new(&a, &pivots).unwrap();
    let solve = |u: &Triangle<Lazy>, row: usize| {
        let mut out = vec![];
        u.solve(a.row(row), &mut u.workspace().unwrap(), &mut out).unwrap();
        out
    };
    let [mut all, mut some] = [0, 1].map(|_| Triangle::<Lazy>::new(&split).unwrap());
    all.make_all(&split, &Silent).unwrap();
    for row in [t, t + 1] {
        some.make_for(&split, &[row as u32], &Silent).unwrap();
        assert!(row > t || some.made.iter().enumerate().all(|(k, &made)| made == (k % 2 == 0)));
        let expected = solve(&all, row);
        assert!(!expected.is_empty() && solve(&some, row) == expected, "row {row}");
    }
    let entries = some.rows.entries.len();
    some.make_all(&split, &Silent).unwrap();
    assert!(some.made.iter().all(|&made| made) && some.rows.entries.len() == entries);
}

#[test]
fn pivot_rows_grow_to_a_multiple_of_the_matrix_at_most() {
    // All rows refer to the last pivot, whose row is as long as rows may become; or longer by one.
    for (weight, resolves) in [(RESOLVED, true), (RESOLVED + 1, false)] {
        let t = 40 * RESOLVED;
        let hub = (0..weight).map(|c| (t - 1, t + c, 7));
        let entries = (0..t - 1).map(|k| (k, t - 1, 1 + k as u64)).chain(hub).collect();
        let (a, pivots) = below(65521, t, t + weight, entries);
        let (entries, inside) = solve::<Lazy>(&a, &pivots);
        let done = inside.iter().filter(|&&left| !left).count();
        assert!(entries <= (GROWTH + 1) * a.nnz() + RESOLVED, "{entries}");
        assert_eq!((done > 1, done < t), (resolves, true), "{done} of {t}");
    }
}
