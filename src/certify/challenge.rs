//! The random vectors of a certificate, drawn from a hash of everything that must be fixed before them.
//!
//! The key is SHA-256 over these bytes, all numbers little-endian:
//!
//! 1. the 23 ASCII bytes `blackfield challenge 2\n`;
//! 2. one byte: 0 for the claim rank ≥ r, 1 for rank ≤ r;
//! 3. the 64 digits of the matrix's digest in ASCII;
//! 4. p, rows, cols, r, t, each as 8 bytes;
//! 5. the r rows of the minor, then its r columns, each as 4 bytes.
//!
//! The keystream of ChaCha20 under that key (D. J. Bernstein's original: 64-bit block counter from 0, nonce 0) is cut
//! into pieces of ⌈b/8⌉ bytes, b the number of bits of p - 1. A piece, read little-endian and masked to its low b bits,
//! is a residue if it is below p, and is skipped otherwise (fewer than half are).

use super::repetitions::repetitions;
use super::{Certificate, Lanes};
use crate::field::{Modulus, Rng};
use crate::sparse::SparseMatrix;
use crate::{Result, memory};
use rand::{Rng as _, SeedableRng};
use sha2::{Digest, Sha256};

/// Which of the two claims a challenge is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// rank ≥ r.
    Lower,
    /// rank ≤ r.
    Upper,
}

/// A stream of residues determined by a certificate's choice of lines.
#[derive(Debug)]
pub struct Challenge {
    stream: Rng,
    modulus: Modulus,
    buffer: [u8; 4096],
    used: usize,
}

impl Challenge {
    /// The stream for one claim of a certificate; neither its `lower` nor its `upper` is used.
    pub fn new(certificate: &Certificate, claim: Claim) -> Self {
        let c = certificate;
        let mut hash = Sha256::new();
        hash.update(b"blackfield challenge 2\n");
        hash.update([claim as u8]);
        hash.update(c.digest.as_bytes());
        for number in [c.modulus.get(), c.rows as u64, c.cols as u64, c.rank() as u64, c.triangular as u64] {
            hash.update(number.to_le_bytes());
        }
        for list in [&c.minor_rows, &c.minor_cols] {
            list.iter().for_each(|line| hash.update(line.to_le_bytes()));
        }
        let stream = Rng::from_seed(hash.finalize().into());
        Challenge { stream, modulus: c.modulus, buffer: [0; 4096], used: 4096 }
    }

    /// The initial vectors w of the claim rank ≤ r: random on the non-empty columns of `a` outside the minor, which has
    /// the columns `minor_cols` of `a` (empty columns only multiply zeros); 0 elsewhere.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If a column is out of range.
    pub fn on_free_columns(c: &Certificate, a: &SparseMatrix, minor_cols: &[u32]) -> Result<Lanes> {
        let mut w = Lanes::zeros(c.modulus, a.cols(), repetitions(c.modulus))?;
        let mut free = memory::zeros::<bool>(a.cols(), "the free columns")?;
        (0..a.rows()).for_each(|i| a.row(i).0.iter().for_each(|&j| free[j as usize] = true));
        minor_cols.iter().for_each(|&j| free[j as usize] = false);
        let mut challenge = Challenge::new(c, Claim::Upper);
        let mut lanes = vec![0; repetitions(c.modulus)];
        for j in (0..a.cols() as u32).filter(|&j| free[j as usize]) {
            challenge.fill(&mut lanes);
            w.set(j, &lanes);
        }
        Ok(w)
    }

    /// The next residue.
    pub fn residue(&mut self) -> u64 {
        let bits = self.modulus.bits();
        let length = bits.div_ceil(8) as usize;
        loop {
            let mut word = [0; 8];
            for byte in &mut word[..length] {
                if self.used == self.buffer.len() {
                    // A multiple of ChaCha's block: none of the keystream is lost between two refills.
                    self.stream.fill_bytes(&mut self.buffer);
                    self.used = 0;
                }
                *byte = self.buffer[self.used];
                self.used += 1;
            }
            let value = u64::from_le_bytes(word) & (u64::MAX >> (64 - bits));
            if value < self.modulus.get() {
                return value;
            }
        }
    }
    /// The next residues.
    pub fn fill(&mut self, values: &mut [u64]) {
        values.iter_mut().for_each(|value| *value = self.residue());
    }
}
