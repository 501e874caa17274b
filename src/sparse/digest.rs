//! A digest of an integer matrix that does not depend on the file it came from.
//!
//! SHA-256 over these bytes, all numbers little-endian:
//!
//! 1. the 22 ASCII bytes `blackfield triplets 1\n`;
//! 2. rows, cols, nnz, each as 8 bytes;
//! 3. for every entry in canonical order (by rows, by columns within a row; 0-based indices; no zeros, no position
//!    twice): row as 4 bytes, column as 4 bytes, value as 8 bytes in two's complement, 0 where the value is outside
//!    -2⁶³ … 2⁶³ - 1;
//! 4. for each of those large values, in the same order: the number of bytes of its shortest two's complement form as
//!    8 bytes, then that form.
//!
//! A stored entry is never 0, so the zeros in part 3 show to which entries the values in part 4 belong: equal bytes
//! mean equal matrices.

use crate::sparse::{SparseMatrix, Triplets};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

impl Triplets {
    /// SHA-256 of the canonical triplets as 64 hexadecimal digits; the layout of the bytes is documented above. Equal
    /// for every file format, order of entries and number of threads.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(b"blackfield triplets 1\n");
        for size in [self.rows, self.cols, self.nnz()] {
            hash.update((size as u64).to_le_bytes());
        }
        let mut buffer = Vec::with_capacity(BATCH * 16);
        for start in (0..self.nnz()).step_by(BATCH) {
            let range = start..self.nnz().min(start + BATCH);
            buffer.clear();
            let (row, col, value) = (&self.row[range.clone()], &self.col[range.clone()], self.value.iter_in(range));
            for ((i, j), v) in row.iter().zip(col).zip(value) {
                buffer.extend_from_slice(&i.to_le_bytes());
                buffer.extend_from_slice(&j.to_le_bytes());
                buffer.extend_from_slice(&v.to_le_bytes());
            }
            hash.update(&buffer);
        }
        for (_, value) in &self.big {
            let bytes = value.to_signed_bytes_le();
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(&bytes);
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Entries hashed at a time: 64 KiB stay in the cache.
const BATCH: usize = 1 << 12;

/// Numbers of a list that are hashed by themselves.
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
            hash_of(widths[0], start.windows(2).map(|pair| (pair[1] - pair[0]) as u64))
        };
        let of_columns = |columns: &[u32]| hash_of(widths[1], columns.iter().map(|&j| u64::from(j)));
        let of_values =
            |values: &[u64]| if signs { signs_hash(values) } else { hash_of(widths[2], values.iter().copied()) };
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

/// The hash of numbers of that many bytes.
fn hash_of(width: u8, numbers: impl Iterator<Item = u64>) -> [u8; 32] {
    let mut hash = Sha256::new();
    macro_rules! update {
        ($word:ty) => {{
            let mut numbers = numbers.map(|x| (x as $word).to_le());
            let mut buffer: Vec<$word> = Vec::with_capacity(BATCH);
            loop {
                buffer.clear();
                buffer.extend(numbers.by_ref().take(BATCH));
                if buffer.is_empty() {
                    break;
                }
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
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::PIECE;
    use crate::field::Modulus;
    use crate::sparse::SparseMatrix;
    use std::collections::HashSet;

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
        use sha2::{Digest, Sha256};
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
