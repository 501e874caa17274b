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

use crate::sparse::Triplets;
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
