//! A digest of an integer matrix that does not depend on the file it came from.
//!
//! SHA-256 over these bytes, all numbers little-endian:
//!
//! 1. the 22 ASCII bytes `blackfield triplets 2\n`;
//! 2. rows, cols, nnz, each as 8 bytes;
//! 3. the least value as 8 bytes in two's complement, where values outside -2⁶³ … 2⁶³ - 1 count as 0; 0 if there is no
//!    value;
//! 4. three bytes: how many of 1, 2, 4 and 8 bytes hold rows - 1, cols - 1 (0 where there are none), and the largest
//!    value less the least;
//! 5. for each 2¹⁷ entries in canonical order, of the rest the last (by rows, by columns within a row; no zeros, no
//!    position twice), the SHA-256 of: a bit for each, 1 for the first entry of a row, the first in the lowest bit of a
//!    byte; the rows of those, counted from 0; the columns of all; their values less the least. These numbers are as
//!    wide as part 4 says;
//! 6. for each value outside -2⁶³ … 2⁶³ - 1, in the same order: the number of bytes of its shortest two's complement
//!    form as 8 bytes, then that form.
//!
//! A stored entry is never 0, so the zeros in part 5 show to which entries the values in part 6 belong: equal bytes
//! mean equal matrices. The hashes of part 5 are made in parallel.

use crate::parallel::Each;
use crate::sparse::numbers::{Numbers, Word, with};
use crate::sparse::{SparseMatrix, Triplets};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::ops::Range;

impl Triplets {
    /// SHA-256 of the canonical triplets as 64 hexadecimal digits; the layout of the bytes is documented above. Equal
    /// for every file format, order of entries and number of threads; parallel on rayon's current pool.
    pub fn digest(&self) -> String {
        let (least, largest) = with!(&self.value, list => bounds(list));
        let last = |size: usize| size.saturating_sub(1) as u64;
        let widths = [width(last(self.rows)), width(last(self.cols)), width(largest.wrapping_sub(least) as u64)];
        let mut hash = Sha256::new();
        hash.update(b"blackfield triplets 2\n");
        for size in [self.rows, self.cols, self.nnz()] {
            hash.update((size as u64).to_le_bytes());
        }
        hash.update(least.to_le_bytes());
        hash.update(widths);
        let pieces = (0..self.nnz().div_ceil(PIECE)).into_par_iter().make(|piece| {
            let entries = piece * PIECE..self.nnz().min((piece + 1) * PIECE);
            self.piece_hash(entries, least, widths)
        });
        pieces.iter().for_each(|piece| hash.update(piece));
        for (_, value) in &self.big {
            let bytes = value.to_signed_bytes_le();
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(&bytes);
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The hash of some entries.
    fn piece_hash(&self, entries: Range<usize>, least: i64, widths: [u8; 3]) -> [u8; 32] {
        let mut hash = Sha256::new();
        let begins = |k: usize| k == 0 || self.row[k] != self.row[k - 1];
        let bit = |byte: u8, k: usize| byte | u8::from(begins(k)) << ((k - entries.start) % 8);
        let byte = |first: usize| (first..entries.end.min(first + 8)).fold(0, bit);
        hash.update(entries.clone().step_by(8).map(byte).collect::<Vec<u8>>());
        let mut rows = Vec::with_capacity(BATCH);
        for some in batches(entries.clone()) {
            rows.clear();
            rows.extend(some.filter(|&k| begins(k)).map(|k| self.row[k]));
            update_by(&mut hash, widths[0], &rows, u64::from);
        }
        update_by(&mut hash, widths[1], &self.col[entries.clone()], u64::from);
        with!(&self.value, list => {
            update_by(&mut hash, widths[2], &list[entries], |v| v.wide().wrapping_sub(least) as u64);
        });
        hash.finalize().into()
    }
}

/// The least and the largest of some numbers; zeros if there are none.
fn bounds<W: Word>(numbers: &[W]) -> (i64, i64) {
    let of_piece = |piece: &[W]| {
        let mut bounds = (i64::MAX, i64::MIN);
        piece.iter().map(|v| v.wide()).for_each(|v| bounds = (bounds.0.min(v), bounds.1.max(v)));
        bounds
    };
    let both = |a: (i64, i64), b: (i64, i64)| (a.0.min(b.0), a.1.max(b.1));
    numbers.par_chunks(PIECE).make(of_piece).into_iter().reduce(both).unwrap_or((0, 0))
}

/// Numbers hashed at a time: 32 KiB at most stay in the cache.
const BATCH: usize = 1 << 12;

/// Entries, or numbers of a list, that are hashed by themselves.
const PIECE: usize = 1 << 17;

impl SparseMatrix {
    /// SHA-256 of the matrix mod p, over the 22 ASCII bytes `blackfield residues 3\n`; p, rows, cols, nnz, each as 8
    /// bytes; three bytes that say how wide the numbers of the following lists are; the hashes of the number of entries
    /// of each row; of the column of each entry, by rows and by columns within a row; of its residue, in the same
    /// order. The hashes of a list are the SHA-256 of each 2¹⁷ of its numbers, of the rest the last, so that they are
    /// made in parallel. The numbers of a list take the least of 1, 2, 4 and 8 bytes that holds the number of entries
    /// of the longest row, cols - 1 and p - 1, respectively. If all residues are 1 or p - 1, their width is 0, and each
    /// is one bit, 1 for p - 1, the first in the lowest bit of a byte. All numbers are little-endian.
    pub fn digest(&self) -> [u8; 32] {
        let minus_one = self.modulus.get() - 1;
        let lengths = || self.start.par_windows(2).with_min_len(BATCH).map(|pair| pair[1] - pair[0]);
        let longest = lengths().max().unwrap_or(0);
        let signs = self.value.par_chunks(PIECE).all(|values| values.iter().all(|&v| v == 1 || v == minus_one));
        let widths = [
            width(longest as u64),
            width(self.cols.saturating_sub(1) as u64),
            if signs { 0 } else { width(minus_one) },
        ];
        let mut hash = Sha256::new();
        hash.update(b"blackfield residues 3\n");
        for number in [self.modulus.get(), self.rows() as u64, self.cols as u64, self.nnz() as u64] {
            hash.update(number.to_le_bytes());
        }
        hash.update(widths);
        let of_rows = |rows: usize| {
            let start = &self.start[rows * PIECE..self.start.len().min((rows + 1) * PIECE + 1)];
            let lengths =
                |rows: Range<usize>| start[rows.start..=rows.end].windows(2).map(|pair| (pair[1] - pair[0]) as u64);
            hash_of(|hash| update(hash, widths[0], start.len() - 1, lengths))
        };
        let of_columns = |columns: &[u32]| hash_of(|hash| update_by(hash, widths[1], columns, u64::from));
        let of_values = |values: &[u64]| match signs {
            true => signs_hash(values),
            false => hash_of(|hash| update_by(hash, widths[2], values, |v| v)),
        };
        let rows = (0..self.rows().div_ceil(PIECE)).into_par_iter().map(of_rows);
        let columns = self.col.par_chunks(PIECE).map(of_columns);
        let values = self.value.par_chunks(PIECE).map(of_values);
        let pieces: Vec<[u8; 32]> = rows.chain(columns).chain(values).collect();
        pieces.iter().for_each(|piece| hash.update(piece));
        hash.finalize().into()
    }
}

/// The hash of residues ±1, a bit each.
fn signs_hash(values: &[u64]) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut buffer = Vec::with_capacity(BATCH / 8);
    for values in values.chunks(BATCH) {
        buffer.clear();
        let byte = |values: &[u64]| values.iter().enumerate().fold(0, |byte, (bit, &v)| byte | u8::from(v != 1) << bit);
        buffer.extend(values.chunks(8).map(byte));
        hash.update(&buffer);
    }
    hash.finalize().into()
}

/// The least of 1, 2, 4 and 8 bytes that holds a number.
fn width(largest: u64) -> u8 {
    match largest {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

/// The hash of what `update` feeds it with.
fn hash_of(update: impl FnOnce(&mut Sha256)) -> [u8; 32] {
    let mut hash = Sha256::new();
    update(&mut hash);
    hash.finalize().into()
}

/// Hashes `count` numbers of that many bytes; `numbers` has those in a range.
fn update<I: Iterator<Item = u64>>(hash: &mut Sha256, width: u8, count: usize, numbers: impl Fn(Range<usize>) -> I) {
    macro_rules! update {
        ($word:ty) => {{
            let mut buffer: Vec<$word> = Vec::with_capacity(BATCH.min(count));
            for range in batches(0..count) {
                buffer.clear();
                buffer.extend(numbers(range).map(|x| (x as $word).to_le()));
                hash.update(bytemuck::cast_slice::<$word, u8>(&buffer));
            }
        }};
    }
    match width {
        1 => update!(u8),
        2 => update!(u16),
        4 => update!(u32),
        _ => update!(u64),
    }
}

/// The same for what `number` makes of a list.
fn update_by<T: Copy>(hash: &mut Sha256, width: u8, list: &[T], number: impl Fn(T) -> u64) {
    let number = &number;
    update(hash, width, list.len(), |range| list[range].iter().map(move |&x| number(x)));
}

/// A range in parts of [`BATCH`], the last may be shorter.
fn batches(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(BATCH).map(move |first| first..range.end.min(first + BATCH))
}

#[cfg(test)]
mod tests {
    use super::PIECE;
    use crate::field::{Modulus, Rng};
    use crate::sparse::{SparseMatrix, Triplets};
    use num_bigint::BigInt;
    use rand::{RngExt, SeedableRng};
    use sha2::{Digest, Sha256};
    use std::collections::{BTreeMap, HashSet};

    type Entries = BTreeMap<(usize, usize), BigInt>;

    /// Little-endian, in the least of 1, 2, 4 and 8 bytes that holds `largest`.
    fn narrow(number: u64, largest: u64) -> Vec<u8> {
        let bytes = [1, 2, 4].into_iter().find(|&bytes| largest >> (8 * bytes) == 0).unwrap_or(8);
        number.to_le_bytes()[..bytes].to_vec()
    }

    /// The digest of integers by the documentation of this module, entry by entry.
    fn naive([rows, cols]: [usize; 2], entries: &Entries) -> String {
        let small: Vec<i64> = entries.values().map(|v| i64::try_from(v).unwrap_or(0)).collect();
        let least = small.iter().min().copied().unwrap_or(0);
        let above = |v: i64| u64::try_from(i128::from(v) - i128::from(least)).unwrap();
        let largest = small.iter().map(|&v| above(v)).max().unwrap_or(0);
        let [row, col] = [rows, cols].map(|size| size.saturating_sub(1) as u64);
        let mut bytes = b"blackfield triplets 2\n".to_vec();
        [rows, cols, entries.len()].iter().for_each(|&size| bytes.extend((size as u64).to_le_bytes()));
        bytes.extend(least.to_le_bytes());
        bytes.extend([row, col, largest].map(|largest| narrow(0, largest).len() as u8));
        let all: Vec<((usize, usize), i64)> = entries.keys().copied().zip(small).collect();
        for (number, some) in all.chunks(1 << 17).enumerate() {
            let begins = |k: usize| {
                let k = (number << 17) + k;
                k == 0 || all[k - 1].0.0 != all[k].0.0
            };
            let mut piece = vec![0u8; some.len().div_ceil(8)];
            (0..some.len()).filter(|&k| begins(k)).for_each(|k| piece[k / 8] |= 1 << (k % 8));
            (0..some.len()).filter(|&k| begins(k)).for_each(|k| piece.extend(narrow(some[k].0.0 as u64, row)));
            some.iter().for_each(|((_, j), _)| piece.extend(narrow(*j as u64, col)));
            some.iter().for_each(|&(_, v)| piece.extend(narrow(above(v), largest)));
            bytes.extend(Sha256::digest(&piece));
        }
        for v in entries.values().filter(|v| i64::try_from(*v).is_err()) {
            let form = v.to_signed_bytes_le();
            bytes.extend((form.len() as u64).to_le_bytes());
            bytes.extend(form);
        }
        Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn triplets([rows, cols]: [usize; 2], entries: &Entries) -> Triplets {
        Triplets::from_entries(rows, cols, entries.iter().map(|(&(i, j), v)| (i, j, v.clone())))
    }

    /// Of all widths, of values at the ends of 64 bits and beyond them, of no rows, columns or entries.
    #[test]
    fn the_digest_of_integers_is_the_hash_of_the_bytes_documented() {
        let mut rng = Rng::seed_from_u64(5);
        let mut seen = HashSet::new();
        let sizes = [[0, 0], [0, 7], [7, 0], [1, 1], [3, 257], [256, 5], [257, 65537], [1 << 20, u32::MAX as usize]];
        let values: [&[i128]; 7] = [
            &[1],
            &[-1, 1],
            &[-99, 156],
            &[-99, 157, 1],
            &[65520, 3],
            &[i64::MIN as i128, i64::MAX as i128],
            &[1 << 63, -(1 << 63) - 1, 1 << 100, -3],
        ];
        for (size, values) in sizes.into_iter().flat_map(|size| values.map(|values| (size, values))) {
            for count in [0, 1, 8, 9, 300] {
                let places = if size.contains(&0) { 0 } else { count };
                let place = |rng: &mut Rng| (rng.random_range(0..size[0].min(40)), rng.random_range(0..size[1]));
                let entry = |_| (place(&mut rng), BigInt::from(values[rng.random_range(0..values.len())]));
                let entries: Entries = (0..places).map(entry).collect();
                let found = triplets(size, &entries).digest();
                assert_eq!(found, naive(size, &entries), "{size:?}, {} entries of {values:?}", entries.len());
                seen.insert((size, entries, found));
            }
        }
        let digests: HashSet<&String> = seen.iter().map(|(_, _, digest)| digest).collect();
        assert_eq!(digests.len(), seen.len());
    }

    /// Pieces that end within a row and with one, on any number of threads.
    #[test]
    fn pieces_of_integers_are_hashed_by_themselves() {
        for (entries, per_row) in [(PIECE - 1, 7), (PIECE, 1 << 10), (PIECE + 1, 1 << 18), (2 * PIECE + 5, 3)] {
            let place = |k: usize| (k / per_row * 2 + 1, k % per_row * 5);
            let entries: Entries = (0..entries).map(|k| (place(k), BigInt::from(k % 1000) - 2000)).collect();
            let size = [1 << 18, 5 << 18];
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                assert_eq!(pool.install(|| triplets(size, &entries).digest()), naive(size, &entries), "{threads}");
            }
        }
    }

    #[test]
    fn matrices_that_differ_have_digests_that_differ() {
        let mut seen = HashSet::new();
        for p in [2, 3, 257, 65521, (1 << 63) - 25] {
            let modulus = Modulus::new(p).unwrap();
            let of = |rows, cols, entries: &[(usize, usize, u64)]| {
                SparseMatrix::from_triplets(modulus, rows, cols, entries).digest()
            };
            for (rows, cols) in [(0, 0), (0, 2), (2, 0), (2, 2), (2, 3), (3, 2)] {
                assert!(seen.insert(of(rows, cols, &[])));
            }
            for entry in [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)] {
                assert!(seen.insert(of(2, 2, &[entry])));
            }
            assert!(p == 2 || seen.insert(of(2, 2, &[(0, 0, p - 1)])));
            assert_eq!(of(2, 2, &[(1, 1, 1), (0, 0, 1)]), of(2, 2, &[(0, 0, 1), (1, 1, 1), (0, 1, 0)]));
        }
    }

    #[test]
    fn the_digest_is_the_hash_of_the_bytes_documented() {
        let modulus = Modulus::new(257).unwrap();
        let numbers = |numbers: [u64; 4], widths: [u8; 3], lists: &[&[u8]]| {
            let mut bytes = b"blackfield residues 3\n".to_vec();
            numbers.iter().for_each(|n| bytes.extend(n.to_le_bytes()));
            bytes.extend(widths);
            lists.iter().for_each(|list| bytes.extend(Sha256::digest(list)));
            <[u8; 32]>::from(Sha256::digest(&bytes))
        };
        let a = SparseMatrix::from_triplets(modulus, 2, 3, &[(1, 2, 256), (1, 0, 5)]);
        let lists: [&[u8]; 3] =
            [/* lengths */ &[0, 2], /* columns */ &[0, 2], /* residues */ &[5, 0, 0, 1]];
        assert_eq!(a.digest(), numbers([257, 2, 3, 2], [1, 1, 2], &lists));
        // ±1 alone, and columns of two bytes.
        let entries: Vec<_> = (0..9).map(|k| (0, 300 * k, if k % 3 == 1 { 256 } else { 1 })).collect();
        let b = SparseMatrix::from_triplets(modulus, 1, 2401, &entries);
        let columns: Vec<u8> = (0..9u16).flat_map(|k| (300 * k).to_le_bytes()).collect();
        assert_eq!(b.digest(), numbers([257, 1, 2401, 9], [1, 2, 0], &[&[9], &columns, &[0b1001_0010, 0]]));
        // Pieces that end within a list, on any number of threads: rows of one entry, every third of which is 2.
        let rows = 2 * PIECE + 3;
        let entries: Vec<_> = (0..rows).map(|i| (i, 0, if i % 3 == 0 { 2 } else { 1 })).collect();
        let c = SparseMatrix::from_triplets(modulus, rows, 1, &entries);
        let residues: Vec<u8> = entries.iter().flat_map(|e| (e.2 as u16).to_le_bytes()).collect();
        let (ones, zeros) = (vec![1; rows], vec![0; rows]);
        let lists = [ones.chunks(PIECE), zeros.chunks(PIECE), residues.chunks(2 * PIECE)];
        let lists: Vec<&[u8]> = lists.into_iter().flatten().collect();
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| c.digest());
            assert_eq!(found, numbers([257, rows as u64, 1, rows as u64], [1, 1, 2], &lists), "{threads}");
        }
    }
}
