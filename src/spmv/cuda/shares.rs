//! Equal work for several GPUs: columns of a block, or rows of a matrix.

use super::source::GpuShape;
use std::ops::Range;

/// What a row of a product takes beside its entries, in entries: it is read or scaled, and written.
const ROW: u128 = 2;
/// What a row of X takes that an entry names, beside its bytes, in bytes: where X exceeds the cache, an H100 reads 64
/// bytes at 0.73 of the rate of 128.
const APART: f64 = 64.0;
/// What a byte of a row takes that is also written to another GPU, in bytes of its own memory, by a link of [`LINK`]
/// bytes a second: less than the eight that a copy takes, since it goes on beside the product.
const SENT: f64 = 3.0;
/// Bytes a second between two H100 by NVLink.
const LINK: f64 = 390e9;
/// Blocks of up to so many bytes stay in the second-level cache, where narrow rows are read as fast as wide ones.
const CACHE: u128 = 40 << 20;

/// Whether several GPUs make a sequence by products with A and Aᵀ sooner if each has some rows of them than if each has
/// some columns of the blocks: with `entries` in so many rows of A and of Aᵀ, rows of blocks of so many bytes, and so
/// many bytes a second from one GPU to another. By rows a product makes so many `terms`, by columns one.
///
/// By rows two H100 took 0.98 of the time with 2.4 million rows of seven, 0.85 with 1.9 million rows of 20, 1.16 with
/// 171000 rows of 35, whose blocks stay in the cache (`blackfield bench sequences --device cuda:all`).
pub(super) fn rows_are_sooner(
    entries: usize,
    [rows, cols]: [usize; 2],
    bytes: usize,
    gpus: usize,
    terms: usize,
    link: f64,
) -> bool {
    if gpus < 2 {
        return false;
    }
    let apart = if rows.min(cols) as u128 * bytes as u128 <= CACHE { 0.0 } else { APART };
    let (entries, rows) = (2.0 * entries as f64, rows as f64 + cols as f64);
    let (bytes, gpus, written) = (bytes as f64, gpus as f64, ROW as f64 * rows);
    let by_columns = entries * (apart + bytes / gpus) + written * bytes / gpus;
    let sent = rows * bytes * (gpus - 1.0) / gpus * SENT * (LINK / link);
    let by_rows = (entries * (apart + bytes) + written * bytes) / gpus + sent;
    by_rows < terms as f64 * by_columns
}

/// The columns of a block for GPUs of these speeds: ranges in order that are all of them, each with the number of its
/// GPU; a GPU for which none are left is left out.
///
/// A row costs by the word, so that words are shared: what a GPU has, with those before it, is at most half a word from
/// its share by speed.
pub(super) fn column_shares(shape: GpuShape, speeds: &[u64]) -> Vec<(usize, Range<usize>)> {
    assert!(!speeds.is_empty() && shape.block > 0, "a GPU, and a block of at least one column");
    let (all, lanes) = (total(speeds), shape.lanes());
    let (mut shares, mut so_far, mut first) = (vec![], 0, 0);
    for (k, &speed) in speeds.iter().enumerate() {
        so_far += u128::from(speed);
        // Rounded to the nearest.
        let words = (2 * so_far * shape.pieces() as u128 + all) / (2 * all);
        let end = if k + 1 == speeds.len() { shape.block } else { words as usize * lanes / shape.degree };
        let end = end.clamp(first, shape.block);
        if end > first {
            shares.push((k, first..end));
        }
        first = end;
    }
    shares
}

/// The rows of a matrix for GPUs of these speeds: a range for each, in order and together all of them, with about its
/// share of the work. `starts` are the offsets of the rows, rows + 1 of them.
pub(super) fn row_shares(starts: &[usize], speeds: &[u64]) -> Vec<Range<usize>> {
    assert!(!speeds.is_empty() && !starts.is_empty(), "a GPU, and offsets of rows");
    let (rows, all) = (starts.len() - 1, total(speeds));
    let work = |row: usize| (starts[row] - starts[0]) as u128 + ROW * row as u128;
    let (mut so_far, mut first) = (0, 0);
    // The first row before which there is so much work, of what GPUs so far have.
    let before = |so_far: u128| {
        let (mut low, mut high) = (0, rows);
        while low < high {
            let row = low.midpoint(high);
            (low, high) = if work(row) * all < work(rows) * so_far { (row + 1, high) } else { (low, row) };
        }
        low
    };
    let share = |(k, &speed): (usize, &u64)| {
        so_far += u128::from(speed);
        let end = match k + 1 == speeds.len() {
            true => rows,
            false => before(so_far).clamp(first, rows),
        };
        let range = first..end;
        first = end;
        range
    };
    speeds.iter().enumerate().map(share).collect()
}

/// The sum, at least 1.
fn total(speeds: &[u64]) -> u128 {
    speeds.iter().map(|&speed| u128::from(speed)).sum::<u128>().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Modulus, Rng};
    use rand::{RngExt, SeedableRng};

    fn shape(p: u64, block: usize, degree: usize) -> GpuShape {
        GpuShape { modulus: Modulus::new(p).unwrap(), block, degree }
    }

    #[test]
    fn rows_are_shared_where_narrow_rows_of_blocks_are_read_slowly() {
        let sooner = |rows: usize, each: usize, bytes, gpus, link| {
            rows_are_sooner(rows * each, [rows, rows - rows / 8], bytes, gpus, 1, link)
        };
        // As measured: seven entries a row, of 64 residues of 16 bits; all of it in the cache; one GPU.
        assert!(sooner(2_400_000, 7, 128, 2, LINK));
        assert!(!sooner(171_000, 35, 128, 2, LINK));
        assert!(!sooner(2_400_000, 7, 128, 1, LINK));
        // What is sent grows with the rows, what narrow rows cost with the entries.
        assert!(!sooner(2_400_000, 3, 128, 2, LINK) && sooner(2_400_000, 20, 128, 2, LINK));
        // Wide rows are read as well by halves; a bus is slower than a link.
        assert!(!sooner(2_400_000, 7, 1024, 2, LINK));
        assert!(!sooner(2_400_000, 7, 128, 2, LINK / 8.0) && !sooner(2_400_000, 7, 128, 2, 0.0));
        assert!(!rows_are_sooner(0, [0, 0], 128, 2, 1, LINK));
        // Where a product makes two terms by rows, it may be slow: in the cache, and by a bus, if that is not too slow.
        let doubled = |rows: usize, each: usize, link| rows_are_sooner(rows * each, [rows, rows], 128, 2, 2, link);
        assert!(doubled(171_000, 35, LINK) && doubled(2_400_000, 7, LINK) && doubled(2_400_000, 7, LINK / 4.0));
        assert!(!doubled(2_400_000, 7, LINK / 16.0) && !doubled(171_000, 35, 0.0));
    }

    #[test]
    fn equal_gpus_share_the_words_of_a_row() {
        let shares = |p, block, degree, speeds: &[u64]| column_shares(shape(p, block, degree), speeds);
        assert_eq!(shares(65521, 64, 1, &[132]), [(0, 0..64)]);
        assert_eq!(shares(65521, 64, 1, &[132; 2]), [(0, 0..32), (1, 32..64)]);
        // Eight words.
        assert_eq!(shares(65521, 64, 1, &[1; 3]), [(0, 0..24), (1, 24..40), (2, 40..64)]);
        assert_eq!(shares(2147483647, 32, 1, &[132; 4]), [(0, 0..8), (1, 8..16), (2, 16..24), (3, 24..32)]);
        // One word, and three: the last is not full.
        assert_eq!(shares(65521, 8, 1, &[1; 4]), [(1, 0..8)]);
        assert_eq!(shares(65521, 20, 1, &[1; 2]), [(0, 0..16), (1, 16..20)]);
        // A faster one takes more.
        assert_eq!(shares(65521, 64, 1, &[3, 1]), [(0, 0..48), (1, 48..64)]);
        // Eleven bytes an element.
        assert_eq!(shares(3, 8, 11, &[1; 2]), [(0, 0..4), (1, 4..8)]);
    }

    /// Whatever the widths and speeds: all columns in order, and no GPU far above its share.
    #[test]
    fn every_column_is_somewhere() {
        for (p, degree) in [(2, 16), (3, 11), (251, 1), (65521, 1), (65521, 2), (2147483647, 1), ((1 << 61) - 1, 3)] {
            for block in [1, 2, 3, 5, 8, 16, 33, 64, 100, 512] {
                for speeds in [&[1][..], &[1, 1], &[1; 5], &[1; 16], &[7, 1, 132], &[1, 1000], &[u64::MAX, 1]] {
                    let shape = shape(p, block, degree);
                    let found = column_shares(shape, speeds);
                    let context = format!("{shape:?}, {speeds:?}: {found:?}");
                    let columns: Vec<usize> = found.iter().flat_map(|(_, columns)| columns.clone()).collect();
                    assert_eq!(columns, (0..block).collect::<Vec<_>>(), "{context}");
                    assert!(found.is_sorted_by(|a, b| a.0 < b.0), "{context}");
                    let (all, words) = (speeds.iter().map(|&s| s as f64).sum::<f64>(), shape.pieces() as f64);
                    for (k, columns) in &found {
                        let own = GpuShape { block: columns.len(), ..shape }.pieces() as f64;
                        // Half a word at each end, and elements that are cut nowhere.
                        let cut = (degree as f64 / shape.lanes() as f64).ceil();
                        assert!(own <= words * speeds[*k] as f64 / all + 2.0 + cut, "{context}");
                    }
                }
            }
        }
    }

    /// All rows in order; work beyond a share is less than the heaviest row.
    #[test]
    fn rows_are_shared_by_their_work() {
        let mut rng = Rng::seed_from_u64(17);
        assert_eq!(row_shares(&[0], &[1, 1]), [0..0, 0..0]);
        assert_eq!(row_shares(&[0, 4, 8, 12, 16], &[1, 1]), [0..2, 2..4]);
        // A row as heavy as all others.
        assert_eq!(row_shares(&[0, 100, 101, 102, 103], &[1, 1]), [0..1, 1..4]);
        for _ in 0..300 {
            let rows = rng.random_range(0..200);
            let mut starts = vec![0usize];
            for _ in 0..rows {
                let entries = if rng.random_bool(0.05) { rng.random_range(0..2000) } else { rng.random_range(0..9) };
                starts.push(starts[starts.len() - 1] + entries);
            }
            let speeds: Vec<u64> = (0..rng.random_range(1..9)).map(|_| rng.random_range(1..200)).collect();
            let shares = row_shares(&starts, &speeds);
            assert_eq!(shares.len(), speeds.len());
            let all: Vec<usize> = shares.iter().cloned().flatten().collect();
            assert_eq!(all, (0..rows).collect::<Vec<_>>());
            let work = |rows: &Range<usize>| (starts[rows.end] - starts[rows.start] + 2 * rows.len()) as f64;
            let heaviest = (0..rows).map(|i| work(&(i..i + 1))).fold(0.0, f64::max);
            for (share, &speed) in shares.iter().zip(&speeds) {
                let fair = work(&(0..rows)) * speed as f64 / speeds.iter().sum::<u64>() as f64;
                assert!(work(share) <= fair + heaviest + 1e-6, "{shares:?} of {speeds:?}");
            }
        }
    }
}
