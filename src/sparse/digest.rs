//! A fingerprint of an integer matrix that does not depend on the file it came from.
//!
//! SHA-256 over these bytes, all numbers little-endian:
//!
//! 1. the 22 ASCII bytes `blackfield triplets 1\n`;
//! 2. rows, cols, nnz, each as 8 bytes;
//! 3. for every entry in canonical order (by rows, by columns within a row; 0-based indices; no zeros, no position twice):
//!    row as 4 bytes, column as 4 bytes, value as 8 bytes in two's complement, 0 where the value is outside -2⁶³ … 2⁶³ - 1;
//! 4. for each of those large values, in the same order: the number of bytes of its shortest two's complement form as
//!    8 bytes, then that form.
//!
//! A stored entry is never 0, so the zeros of part 3 say which entries the values of part 4 belong to: equal bytes mean
//! equal matrices.

use crate::sparse::{SparseMatrix, Triplets};
use sha2::{Digest, Sha256};

impl Triplets {
    /// SHA-256 of the canonical triplets as 64 hexadecimal digits; the layout of the bytes is documented above. Equal for
    /// every file format, order of entries and number of threads.
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
            for k in range {
                buffer.extend_from_slice(&self.row[k].to_le_bytes());
                buffer.extend_from_slice(&self.col[k].to_le_bytes());
                buffer.extend_from_slice(&self.value[k].to_le_bytes());
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

impl SparseMatrix {
    /// SHA-256 of the matrix mod p: of the 22 ASCII bytes `blackfield residues 1\n`; p, rows, cols, nnz, each as 8 bytes; the
    /// number of entries of each row as 4 bytes; the column of each entry as 4 bytes, by rows and by columns within a row; its
    /// residue as the least number of bytes that holds p - 1, in the same order. All numbers little-endian.
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(b"blackfield residues 1\n");
        for number in [self.modulus.get(), self.rows() as u64, self.cols as u64, self.nnz() as u64] {
            hash.update(number.to_le_bytes());
        }
        let mut buffer = Vec::with_capacity(BATCH * 8);
        for first in (0..self.rows()).step_by(BATCH) {
            let last = self.rows().min(first + BATCH);
            buffer.clear();
            let lengths = self.start[first..=last].windows(2).map(|pair| (pair[1] - pair[0]) as u32);
            lengths.for_each(|length| buffer.extend_from_slice(&length.to_le_bytes()));
            hash.update(&buffer);
        }
        for cols in self.col.chunks(BATCH) {
            buffer.clear();
            cols.iter().for_each(|col| buffer.extend_from_slice(&col.to_le_bytes()));
            hash.update(&buffer);
        }
        let width = self.modulus.bits().div_ceil(8) as usize;
        for values in self.value.chunks(BATCH) {
            buffer.clear();
            values.iter().for_each(|value| buffer.extend_from_slice(&value.to_le_bytes()[..width]));
            hash.update(&buffer);
        }
        hash.finalize().into()
    }
}

#[cfg(test)]
mod tests {
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
        let a = SparseMatrix::from_triplets(modulus, 2, 3, &[(1, 2, 256), (1, 0, 5)]);
        let mut bytes = b"blackfield residues 1\n".to_vec();
        [257u64, 2, 3, 2].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
        [0u32, 2, 0, 2].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
        [5u16, 256].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
        assert_eq!(a.digest(), <[u8; 32]>::from(Sha256::digest(&bytes)));
    }
}
