use super::*;
use crate::field::Rng;
use rand::{RngExt, SeedableRng};

/// What the textbook finds, column by column, with the rows in their order.
#[derive(Debug, PartialEq)]
struct Naive {
    pivot_rows: Vec<usize>,
    pivot_cols: Vec<u32>,
    /// The reduced rows in the order of their pivots.
    reduced: Vec<Vec<u64>>,
}

fn entry(row: &[u64], j: u32) -> bool {
    row[j as usize / 64] >> (j % 64) & 1 == 1
}

fn naive(rows: &[Vec<u64>]) -> Naive {
    let (mut basis, mut pivot_rows): (Vec<(u32, Vec<u64>)>, _) = (vec![], vec![]);
    for (i, row) in rows.iter().enumerate() {
        let mut row = row.clone();
        let add = |y: &mut Vec<u64>, x: &[u64]| y.iter_mut().zip(x).for_each(|(y, x)| *y ^= x);
        for (j, own) in &basis {
            if entry(&row, *j) {
                add(&mut row, own);
            }
        }
        if let Some(word) = row.iter().position(|&w| w != 0) {
            let j = 64 * word as u32 + row[word].trailing_zeros();
            for (_, own) in basis.iter_mut().filter(|(_, own)| entry(own, j)) {
                add(own, &row);
            }
            basis.push((j, row));
            pivot_rows.push(i);
        }
    }
    basis.sort();
    let (pivot_cols, reduced) = basis.into_iter().unzip();
    Naive { pivot_rows, pivot_cols, reduced }
}

/// Up to 512 rows side by side.
fn columns(rows: &[Vec<u64>], cols: usize) -> Vec<u32> {
    let mut words = vec![0; cols * WORDS];
    for (i, row) in rows.iter().enumerate() {
        (0..cols).for_each(|j| words[j * WORDS + i / 32] |= (entry(row, j as u32) as u32) << (i % 32));
    }
    words
}

/// Absorbs `rows` by steps: as dense rows, sparse ones, and packed columns.
fn absorb(rows: &[Vec<u64>], cols: usize, step: usize) -> Bits {
    let mut bits = Bits::new(cols);
    let all: Vec<u32> = (0..cols as u32).rev().collect();
    for (number, part) in rows.chunks(step).enumerate() {
        if number % 3 == 2 {
            let blocks: Vec<Vec<u32>> = part.chunks(512).map(|rows| columns(rows, cols)).collect();
            let blocks: Vec<&[u32]> = blocks.iter().map(|block| &block[..]).collect();
            bits.absorb_columns(part.len(), &blocks).unwrap();
        } else if number % 3 == 0 {
            let data: Vec<u8> = part.iter().flat_map(|row| (0..cols as u32).map(|j| entry(row, j) as u8)).collect();
            bits.absorb_dense(part.len(), &data).unwrap();
        } else {
            let values: Vec<Vec<u64>> =
                part.iter().map(|row| all.iter().map(|&j| entry(row, j) as u64).collect()).collect();
            let part: Vec<Row<'_>> = values.iter().map(|values| (&all[..], &values[..])).collect();
            bits.absorb(&part).unwrap();
        }
    }
    bits
}

/// Compares all that `Bits` says with the textbook.
fn check(rows: &[Vec<u64>], cols: usize, step: usize, what: &str) {
    let twin = naive(rows);
    let bits = absorb(rows, cols, step);
    let what = format!("{what}: {} x {cols} by {step}", rows.len());
    assert_eq!(bits.pivot_rows, twin.pivot_rows, "{what}");
    let found = bits.pivot_cols.clone();
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|&i| found[i]);
    assert_eq!(order.iter().map(|&i| found[i]).collect::<Vec<u32>>(), twin.pivot_cols, "{what}");
    assert_eq!(bits.blocks.len(), found.len().div_ceil(DEPTH), "{what}");
    let [basis, _] = Bits::memory(found.len(), cols);
    assert_eq!(bits.held(), basis, "{what}");
    let reduced = bits.into_reduced().unwrap();
    for j in (0..cols as u32).filter(|j| !twin.pivot_cols.contains(j)) {
        for (&i, row) in order.iter().zip(&twin.reduced) {
            assert_eq!(reduced.bit(i, j), entry(row, j), "{what}, column {j} of row {i}");
        }
    }
}

fn random(rows: usize, cols: usize, rng: &mut Rng) -> Vec<Vec<u64>> {
    let last = if cols.is_multiple_of(64) { !0 } else { (1 << (cols % 64)) - 1 };
    let mut row = || {
        let mut row: Vec<u64> = (0..cols.div_ceil(64)).map(|_| rng.random_range(0..=u64::MAX)).collect();
        row.last_mut().into_iter().for_each(|word| *word &= last);
        row
    };
    (0..rows).map(|_| row()).collect()
}

fn set(row: &mut [u64], j: usize) {
    row[j / 64] |= 1 << (j % 64);
}

/// Random sums of `rank` random rows.
fn of_rank(rank: usize, rows: usize, cols: usize, rng: &mut Rng) -> Vec<Vec<u64>> {
    let (basis, choice) = (random(rank, cols, rng), random(rows, rank, rng));
    let sum = |choice: &Vec<u64>| {
        let mut sum = vec![0; cols.div_ceil(64)];
        for own in basis.iter().enumerate().filter(|(k, _)| entry(choice, *k as u32)).map(|(_, own)| own) {
            sum.iter_mut().zip(own).for_each(|(y, x)| *y ^= x);
        }
        sum
    };
    choice.iter().map(sum).collect()
}

#[test]
fn every_width_and_step_gives_the_textbook_profile_and_form() {
    let mut rng = Rng::seed_from_u64(43);
    for cols in [0, 1, 63, 64, 65, 127, 511, 512, 513] {
        for step in [1, 37, 64, 300] {
            check(&random(150, cols, &mut rng), cols, step, "random");
            let mut rows = of_rank(cols.min(70) / 2, 150, cols, &mut rng);
            for i in 20..40 {
                rows[i] = rows[i - 20].clone();
                rows[2 * i].fill(0);
            }
            check(&rows, cols, step, "low rank, duplicates and zero rows");
        }
    }
    check(&[], 700, 1, "no rows");
    check(&vec![vec![0; 11]; 90], 700, 50, "zero rows");
}

#[test]
fn panels_of_full_and_half_rank_give_the_textbook_profile_and_form() {
    let mut rng = Rng::seed_from_u64(44);
    check(&random(500, 1100, &mut rng), 1100, 3000, "wide");
    check(&random(1100, 700, &mut rng), 700, 3000, "tall");
    check(&of_rank(300, 650, 650, &mut rng), 650, 500, "half rank");
    // More rows than a panel has: all in one call, and by panels.
    let rows = of_rank(150, 3000, 200, &mut rng);
    check(&rows, 200, 3000, "very tall");
    check(&rows, 200, Bits::STEP, "very tall");
}

#[test]
fn pivots_far_apart_or_backwards_give_the_textbook_profile_and_form() {
    let mut rng = Rng::seed_from_u64(45);
    // Only some columns are not zero, from clusters to one in a strip.
    for gap in [2, 5, 67, 512, 700] {
        let mut rows = of_rank(90, 200, 2100, &mut rng);
        for row in &mut rows {
            for j in (0..2100).filter(|j| j % gap > j % 3) {
                row[j / 64] &= !(1 << (j % 64));
            }
        }
        check(&rows, 2100, 200, "gaps");
        check(&rows, 2100, 23, "gaps");
    }
    // Each row begins before those above it, or behind them.
    for backwards in [true, false] {
        let mut rows = random(260, 1030, &mut rng);
        for (i, row) in rows.iter_mut().enumerate() {
            let start = if backwards { 1029 - 3 * i } else { 3 * i };
            (0..start).for_each(|j| row[j / 64] &= !(1 << (j % 64)));
            set(row, start);
        }
        for step in [1, 100, 260] {
            check(&rows, 1030, step, "staircase");
        }
    }
    // A unit in each row, in an order that hops between strips.
    let mut rows = vec![vec![0; 19]; 1200];
    rows.iter_mut().enumerate().for_each(|(i, row)| set(row, i * 701 % 1200));
    check(&rows, 1200, 1200, "permutation");
    check(&rows, 1200, 130, "permutation");
}
