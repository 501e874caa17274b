//! What a certificate says.

use super::repetitions;
use crate::field::Modulus;
use std::collections::HashSet;

/// A claim about the rank of a matrix mod p, with the evidence for it: see the [room](crate::certify).
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Certificate {
    /// [`Triplets::digest`](crate::sparse::Triplets::digest) of the integer matrix: 64 lower-case hexadecimal digits.
    pub digest: String,
    /// The modulus p.
    pub modulus: Modulus,
    /// Rows of the matrix.
    pub rows: usize,
    /// Columns of the matrix.
    pub cols: usize,
    /// The length t of the chain: `minor_rows[k]` has no entry in `minor_cols[l]` for l < k < t, and one for l = k.
    pub triangular: usize,
    /// The r rows of an invertible minor, the chain's first.
    pub minor_rows: Vec<u32>,
    /// Its r columns, the chain's first.
    pub minor_cols: Vec<u32>,
    /// The vectors x on the s columns beyond the chain: k residues for the first of them, k for the second, ….
    pub lower: Vec<u64>,
    /// Why the rank is not larger.
    pub upper: Upper,
}

/// The evidence for rank ≤ r.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Upper {
    /// r lines that meet every entry of the matrix mod p: the rank is at most their number (D. Kőnig, 1931).
    Lines {
        /// The rows among them.
        rows: Vec<u32>,
        /// The columns among them.
        cols: Vec<u32>,
    },
    /// The vectors w on the s columns of the minor beyond the chain, laid out as [`Certificate::lower`].
    Combinations(Vec<u64>),
}

impl Certificate {
    /// The rank r that is claimed.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.minor_rows.len()
    }
    /// s = r - t, the order of what the chain leaves of the minor.
    #[must_use]
    pub fn beyond_chain(&self) -> usize {
        self.rank() - self.triangular
    }

    /// What contradicts itself, whatever the matrix: lengths that do not fit, lines out of range or listed twice, values that
    /// are no residues. `None` for everything that [`verify`](super::verify) can work with.
    pub(super) fn flaw(&self) -> Option<String> {
        let (r, t) = (self.minor_rows.len(), self.triangular);
        if self.digest.len() != 64 || !self.digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Some("the digest is not 64 lower-case hexadecimal digits".into());
        }
        if self.rows.max(self.cols) as u64 > u64::from(u32::MAX) {
            return Some("a dimension beyond 32-bit indices".into());
        }
        if self.minor_cols.len() != r || t > r || r > self.rows.min(self.cols) {
            let shape = (self.rows, self.cols);
            return Some(format!(
                "no minor: {r} rows and {} columns, {t} of them a chain, in {} x {}",
                self.minor_cols.len(),
                shape.0,
                shape.1
            ));
        }
        let vectors = (r - t) * repetitions(self.modulus);
        let mut lines = vec![("row", &self.minor_rows, self.rows), ("column", &self.minor_cols, self.cols)];
        let mut values = vec![&self.lower];
        match &self.upper {
            Upper::Lines { rows, cols } => {
                if rows.len() + cols.len() != r {
                    return Some(format!("{} lines cannot bound a rank of {r}", rows.len() + cols.len()));
                }
                lines.extend([("row", rows, self.rows), ("column", cols, self.cols)]);
            }
            Upper::Combinations(w) => values.push(w),
        }
        for (what, list, bound) in lines {
            let mut seen = HashSet::with_capacity(list.len());
            if let Some(i) = list.iter().find(|&&i| i as usize >= bound || !seen.insert(i)) {
                return Some(format!("{what} {i} is out of range or listed twice (0-based, of {bound})"));
            }
        }
        for list in values {
            if list.len() != vectors {
                return Some(format!("{} residues where {vectors} are needed", list.len()));
            }
            if let Some(v) = list.iter().find(|&&v| v >= self.modulus.get()) {
                return Some(format!("{v} is no residue mod {}", self.modulus));
            }
        }
        None
    }
}
