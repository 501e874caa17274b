//! Orders of rows: every row once, fewer reads that miss, and an end where columns are heavy.

use super::*;
use crate::field::{Modulus, Rng};
use rand::{RngExt, SeedableRng};

const LONGEST: usize = 60;

fn random(rows: usize, cols: usize, most: usize, rng: &mut Rng) -> SparseMatrix {
    let entries: Vec<(usize, usize, u64)> = (0..rows)
        .flat_map(|i| {
            let count = if i % 97 == 5 { LONGEST + 1 } else { rng.random_range(0..=most) };
            (0..count).map(|_| (i, rng.random_range(0..cols), 1)).collect::<Vec<_>>()
        })
        .collect();
    SparseMatrix::from_triplets(Modulus::new(65521).unwrap(), rows, cols, &entries)
}

/// Whatever the matrix, the cache and the threads: every row once, and on one thread an order that misses less.
#[test]
fn orders_have_every_row_once() {
    let (mut rng, mut orders) = (Rng::seed_from_u64(1), 0);
    for (rows, cols, most) in [(0, 0, 0), (0, 9, 0), (9, 0, 0), (1, 1, 1), (50, 400, 3), (3000, 2000, 7), (999, 50, 40)]
    {
        let a = match cols {
            0 => SparseMatrix::from_triplets(Modulus::new(3).unwrap(), rows, 0, &[]),
            _ => random(rows, cols, most, &mut rng),
        };
        let t = a.transpose().unwrap();
        for (kept, threads) in [(1, 1), (20, 1), (100, 3), (400, 8), (100_000, 2)] {
            let Some(order) = order((&a, &t), LONGEST, kept, threads).unwrap() else { continue };
            let short = |i: &usize| a.row(*i).0.len() <= LONGEST;
            let before = missed(&a, kept, (0..rows).filter(short)).unwrap();
            let after = missed(&a, kept, order.iter().map(|&i| i as usize).filter(short)).unwrap();
            assert!(after < before || threads > 1, "{after} of {before} reads, {rows} x {cols}, {kept} kept");
            orders += 1;
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..rows as u32), "{rows} x {cols}, {kept} kept, {threads} threads");
        }
    }
    assert!(orders >= 3, "{orders} orders");
}

/// Random columns miss nearly a third less; rows that are in the best order already stay as they are.
#[test]
fn orders_save_reads_where_there_are_any_to_save() {
    let (mut rng, n) = (Rng::seed_from_u64(2), 30_000);
    let p = Modulus::new(65521).unwrap();
    let entries: Vec<_> = (0..7 * n).map(|k| (k / 7, rng.random_range(0..n), 1)).collect();
    let a = SparseMatrix::from_triplets(p, n, n, &entries);
    let t = a.transpose().unwrap();
    let before = missed(&a, 2000, 0..n).unwrap() as f64;
    for threads in [1, 2, 5] {
        let found = order((&a, &t), LONGEST, 2000, threads).unwrap().expect("an order");
        let after = missed(&a, 2000, found.iter().map(|&i| i as usize)).unwrap() as f64;
        assert!(
            before > 0.92 * a.nnz() as f64 && after < 0.65 * a.nnz() as f64,
            "{after} of {before} reads with {threads} threads"
        );
    }
    let band: Vec<_> = (0..7 * n).map(|k| (k / 7, (k / 7 + k % 7) % n, 1)).collect();
    let band = SparseMatrix::from_triplets(p, n, n, &band);
    assert_eq!(order((&band, &band.transpose().unwrap()), LONGEST, 2000, 2).unwrap(), None);
}

/// Columns that very many rows name do not make the search longer than a multiple of the entries.
#[test]
fn heavy_columns_are_given_up() {
    let (mut rng, rows, cols) = (Rng::seed_from_u64(3), 40_000, 400);
    let entries: Vec<_> = (0..3 * rows).map(|k| (k / 3, rng.random_range(0..cols), 1)).collect();
    let a = SparseMatrix::from_triplets(Modulus::new(65521).unwrap(), rows, cols, &entries);
    let t = a.transpose().unwrap();
    let taken: Vec<AtomicBool> = (0..rows).map(|_| AtomicBool::new(false)).collect();
    let counted = AtomicU64::new(0);
    let rows = Rows { a: &a, t: &t, longest: LONGEST, kept: 10, taken: &taken, counted: &counted };
    // A column is counted whole, or not at all and none after it.
    let many = t.row(5).0.len() as u64;
    for (most, left, times) in [(many - 1, many - 1, 0), (many, 0, 1), (many + 1, 1, 1)] {
        counted.store(most, Ordering::Relaxed);
        let mut front = Front::new(rows).unwrap();
        front.count(&[5, 6]).unwrap();
        assert_eq!((front.counted, counted.load(Ordering::Relaxed)), (left, 0), "{most} of {many}");
        assert!(t.row(5).0.iter().all(|&i| front.shared[i as usize] == times));
    }
    // What one draws, others have no more.
    counted.store(2 * DRAWN + 1, Ordering::Relaxed);
    let mut fronts = [(); 3].map(|()| Front::new(rows).unwrap());
    assert_eq!([0, 1, 2].map(|k: usize| fronts[k].may_count(DRAWN)), [true, true, false]);
    assert!(fronts[2].may_count(1) && !fronts[0].may_count(1));
    // All rows come then, too, but in no better order.
    counted.store(10_000, Ordering::Relaxed);
    let (stretch, missed) = rows.stretch(7).unwrap();
    taken.iter().for_each(|taken| taken.store(false, Ordering::Relaxed));
    counted.store(u64::MAX, Ordering::Relaxed);
    let (whole, fewer) = rows.stretch(7).unwrap();
    assert_eq!((stretch.len(), whole.len()), (a.rows(), a.rows()));
    assert!(10 * missed > 11 * fewer, "{missed} and {fewer} reads miss");
}

#[test]
fn many_products_with_a_large_operand_are_worth_an_order() {
    let products = |count, row_bytes| Products { count, row_bytes };
    let kept = KEPT / 128;
    assert_eq!(products(1 << 16, 128).kept(2 * kept + 1, 1), Some(kept));
    assert_eq!(products(1 << 16, 128).kept(2 * kept, 1), None);
    assert_eq!(products((1 << 16) - 1, 128).kept(2 * kept + 1, 1), None);
    assert_eq!(products(1 << 12, 128).kept(2 * kept + 1, 16), Some(kept));
    assert_eq!(products(1 << 12, 64).kept(4 * kept + 1, 16), None);
    assert_eq!(products(u64::MAX, 128).kept(usize::MAX, usize::MAX), None);
    assert_eq!(Products::few().kept(1 << 30, 64), None);
}
