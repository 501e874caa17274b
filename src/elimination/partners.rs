//! For each row a part of it that other rows have as well, up to a factor: from the rows that share most with it.
//!
//! Whether such parts are worth looking for is told by a sample of the rows, in one look at each entry: where rows of
//! boundary matrices meet, they meet in one entry.

use crate::field::Modulus;
use crate::parallel::Each;
use crate::spare::Spare;
use crate::sparse::{Pattern, SparseMatrix};
use crate::{Result, memory};
use rayon::prelude::*;
use std::collections::HashMap;

/// Fewest entries of a part.
const LEAST: usize = 3;
/// Most entries of a row that is taken apart: a set of them is a word.
const MOST: usize = 64;
/// Rows of the sample.
const SAMPLE: usize = 64;
/// The entries of the sample that sharing must save: one in so many.
const WORTH: usize = 4;
/// Fewest rows that must share the parts that are counted for it.
const OFTEN: usize = 3;
/// Rows that a row is compared with at most, and those of the sample within [`CHUNK`] rows.
const PARTNERS: usize = 32;
/// Rows that may be met by an entry on average.
const WORK: usize = 128;
/// Rows that one task looks at.
const CHUNK: usize = 1 << 12;
/// What the memory is for.
const PARTS: &str = "parts that rows share";

/// Columns ascending, and non-zero residues.
type Row<'a> = (&'a [u32], &'a [u64]);

/// Whether rows share so much that looking for it pays, by a sample.
pub(super) fn is_worthwhile(a: &SparseMatrix) -> Result<bool> {
    let rows = a.rows();
    let mut sampled: Vec<usize> = (0..SAMPLE).map(|k| (2 * k + 1) * rows / (2 * SAMPLE)).collect();
    sampled.retain(|&i| i < rows);
    sampled.dedup();
    sampled.retain(|&i| is_light(a.row(i).0.len()));
    let mut marked = memory::zeros::<u64>(a.cols().div_ceil(64), PARTS)?;
    let mut meets: HashMap<u32, Vec<usize>> = HashMap::new();
    for (s, &i) in sampled.iter().enumerate() {
        for &j in a.row(i).0 {
            marked[j as usize / 64] |= 1 << (j % 64);
            meets.entry(j).or_default().push(s);
        }
    }
    // In order, so that the answer does not depend on threads.
    let chunks: Vec<usize> = (0..rows).step_by(CHUNK).collect();
    let found: Vec<Vec<(usize, u64)>> = chunks.into_par_iter().make(|first| {
        let (mut found, mut counts, mut taken) = (vec![], [0; SAMPLE], [0; SAMPLE]);
        for i in first..rows.min(first + CHUNK) {
            let cols = a.row(i).0;
            let hits = || cols.iter().filter(|&&j| marked[j as usize / 64] >> (j % 64) & 1 != 0);
            if !is_light(cols.len()) || hits().count() < LEAST {
                continue;
            }
            let met = || hits().flat_map(|j| &meets[j]);
            met().for_each(|&s| counts[s] += 1);
            for &s in met() {
                let count = std::mem::take(&mut counts[s]);
                if count >= LEAST && sampled[s] != i && taken[s] < PARTNERS {
                    taken[s] += 1;
                    found.push((s, common(a.modulus(), a.row(sampled[s]), a.row(i))));
                }
            }
        }
        found
    });
    let mut sets = vec![vec![]; sampled.len()];
    found.into_iter().flatten().for_each(|(s, set)| sets[s].push(set));
    let saved = |(_, often): &(u64, usize)| *often >= OFTEN;
    let saved: usize =
        sets.iter().filter_map(|sets| best(sets).filter(saved)).map(|(set, often)| gain(set, often) / often).sum();
    let entries: usize = sampled.iter().map(|&i| a.row(i).0.len()).sum();
    Ok(saved * WORTH >= entries && entries > 0)
}

/// For each row the entries of a part of it that other rows have, too: bit k for its k-th entry; 0 if there is none.
/// `None` where that would take too long.
pub(super) fn parts(a: &SparseMatrix) -> Result<Option<Vec<u64>>> {
    let columns = Pattern::of_transpose(a)?;
    let met: u128 = (0..columns.rows()).map(|j| (columns.degree(j) as u128).pow(2)).sum();
    if met > WORK as u128 * a.nnz() as u128 {
        return Ok(None);
    }
    let (spare, rows) = (Spare::default(), a.rows());
    let scratch = || Ok((memory::zeros::<u8>(rows, PARTS)?, Vec::<u32>::new()));
    let mut parts = memory::zeros::<u64>(rows, PARTS)?;
    parts.par_chunks_mut(CHUNK).enumerate().try_each(|(chunk, parts)| {
        spare.lend(
            |_| true,
            scratch,
            |(counts, met)| {
                for (i, part) in (chunk * CHUNK..).zip(parts) {
                    *part = part_of(a, &columns, i, counts, met)?;
                }
                Ok(())
            },
        )?
    })?;
    Ok(Some(parts))
}

/// The part of row i; `counts` are zeros before and after.
fn part_of(a: &SparseMatrix, columns: &Pattern, i: usize, counts: &mut [u8], met: &mut Vec<u32>) -> Result<u64> {
    let row = a.row(i);
    if !is_light(row.0.len()) {
        return Ok(0);
    }
    for &j in row.0 {
        for &k in columns.row(j as usize) {
            let count = &mut counts[k as usize];
            if *count == 0 {
                memory::push(met, k, PARTS)?;
            }
            // At most once for each entry of the row.
            *count += 1;
        }
    }
    let mut sets = [0; PARTNERS];
    let mut found = 0;
    for k in met.drain(..) {
        let count = std::mem::take(&mut counts[k as usize]) as usize;
        if count >= LEAST && k as usize != i && found < PARTNERS {
            sets[found] = common(a.modulus(), row, a.row(k as usize));
            found += 1;
        }
    }
    Ok(best(&sets[..found]).map_or(0, |(set, _)| set))
}

/// Whether a row is taken apart.
fn is_light(entries: usize) -> bool {
    (LEAST..=MOST).contains(&entries)
}

/// The entries of `row`, a bit each, at which `other` is the same multiple of it: of the largest such set.
fn common(p: Modulus, row: Row<'_>, other: Row<'_>) -> u64 {
    let (mut k, mut pairs, mut count) = (0, [(0, 0, 0); MOST], 0);
    for (&j, &w) in other.0.iter().zip(other.1) {
        while k < row.0.len() && row.0[k] < j {
            k += 1;
        }
        if k < row.0.len() && row.0[k] == j {
            pairs[count] = (k, row.1[k], w);
            count += 1;
        }
    }
    let (pairs, mut left, mut largest) = (&pairs[..count], u64::MAX, 0u64);
    for &(k, v, w) in pairs {
        if left >> k & 1 == 1 {
            let alike = pairs.iter().filter(|&&(_, x, y)| p.mul(v, y) == p.mul(w, x));
            let set = alike.fold(0, |set, &(k, ..)| set | 1 << k);
            left &= !set;
            if set.count_ones() > largest.count_ones() {
                largest = set;
            }
        }
    }
    largest
}

/// Entries that a part saves if it is in `often` rows: all but one of them name it by a single entry.
fn gain(set: u64, often: usize) -> usize {
    (set.count_ones() as usize * (often - 1)).saturating_sub(often)
}

/// Of the sets that a row has in common with others the one that saves most, and in how many rows it is.
fn best(sets: &[u64]) -> Option<(u64, usize)> {
    let large = || sets.iter().copied().filter(|set| set.count_ones() as usize >= LEAST);
    let often = |set: u64| 1 + sets.iter().filter(|&&other| set & !other == 0).count();
    let shared = large().map(|set| (set, often(set))).filter(|&(set, often)| gain(set, often) > 0);
    // What each of the rows saves, and the first of equals by its bits: whatever the order.
    shared.max_by(|&(x, m), &(y, n)| (gain(x, m) * n).cmp(&(gain(y, n) * m)).then(y.cmp(&x)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn the_largest_common_multiple() {
        let p = Modulus::new(7).unwrap();
        let (cols, values): ([u32; 5], [u64; 5]) = ([1, 4, 5, 8, 9], [1, 2, 3, 1, 6]);
        let set = |other: &[(u32, u64)]| {
            let (cols_of, values_of): (Vec<u32>, Vec<u64>) = other.iter().copied().unzip();
            common(p, (&cols, &values), (&cols_of, &values_of))
        };
        assert_eq!(set(&[]), 0);
        assert_eq!(set(&[(0, 1), (2, 1), (10, 1)]), 0);
        // Three times as much in three of them, the same in one.
        assert_eq!(set(&[(1, 3), (3, 1), (4, 6), (5, 3), (9, 4)]), 0b10011);
        assert_eq!(set(&[(1, 1), (4, 2), (5, 3), (8, 1), (9, 6)]), 0b11111);
    }

    #[test]
    fn the_part_that_saves_most() {
        assert_eq!(best(&[]), None);
        // Too small; in two rows four entries save four of eight, one is spent on each name, and two on the rest.
        assert_eq!(best(&[0b11, 0b11]), None);
        assert_eq!(best(&[0b1111]), Some((0b1111, 2)));
        assert_eq!(best(&[0b111]), Some((0b111, 2)));
        // Five entries in two rows save 3 of 10, three in four rows 5 of 12, in seven rows 11 of 21.
        assert_eq!(best(&[0b11_1110_0000, 0b111, 0b10_0111, 0b111]), Some((0b11_1110_0000, 2)));
        assert_eq!(best(&[0b11_1110_0000, 0b111, 0b10_0111, 0b111, 0b111, 0b1111, 0b111]), Some((0b111, 7)));
    }

    #[test]
    fn products_are_told_from_boundaries() {
        let p = Modulus::new(65521).unwrap();
        let mut rng = Rng::seed_from_u64(91);
        let right: Vec<[usize; 6]> = (0..2000).map(|_| [0; 6].map(|_| rng.random_range(0..2500))).collect();
        let mut entries = vec![];
        for i in 0..7000 {
            for part in [0, 1].map(|_| rng.random_range(0..right.len())) {
                let factor = rng.random_range(1..65521);
                entries.extend(right[part].iter().map(|&j| (i, j, factor)));
            }
        }
        let product = SparseMatrix::from_triplets(p, 7000, 2500, &entries);
        assert!(is_worthwhile(&product).unwrap());
        for name in ["mk9-b3", "EX3", "ch5-5-b3", "bibd_17_4", "Trefethen_500"] {
            let a = families::generate(name).unwrap().reduce(p);
            assert!(!is_worthwhile(&a).unwrap() && !is_worthwhile(&a.transpose().unwrap()).unwrap(), "{name}");
        }
        assert!(!is_worthwhile(&SparseMatrix::from_triplets(p, 0, 0, &[])).unwrap());
        // Columns that meet too many rows.
        let full: Vec<_> = (0..300).flat_map(|i| (0..4).map(move |j| (i, j, 1))).collect();
        let full = SparseMatrix::from_triplets(p, 300, 4, &full);
        assert!(is_worthwhile(&full).unwrap() && parts(&full).unwrap().is_none());
    }
}
