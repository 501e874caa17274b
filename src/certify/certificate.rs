//! What a certificate says.

use super::repetitions::repetitions;
use crate::field::Modulus;

/// A claim about the rank of a matrix mod p, with the evidence for it: see the [room](crate::certify).
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
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
    /// The r rows of a nonsingular minor, the chain's first.
    pub minor_rows: Vec<u32>,
    /// Its r columns, the chain's first.
    pub minor_cols: Vec<u32>,
    /// The vectors x on the s columns outside the chain: k residues for the first column, k for the second, ….
    pub lower: Vec<u64>,
    /// Why the rank is not larger.
    pub upper: Upper,
}

/// The evidence for rank ≤ r.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Upper {
    /// r lines that meet every entry of the matrix mod p: the rank is at most their number (D. Kőnig, 1931).
    Lines {
        /// The rows among them.
        rows: Vec<u32>,
        /// The columns among them.
        cols: Vec<u32>,
    },
    /// The vectors w on the s columns of the minor outside the chain, laid out as [`Certificate::lower`].
    Combinations(Vec<u64>),
}

impl Certificate {
    /// The rank r that is claimed.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.minor_rows.len()
    }
    /// s = r - t, the order of the minor without its chain.
    #[must_use]
    pub fn beyond_chain(&self) -> usize {
        self.rank() - self.triangular
    }

    /// The first internal contradiction, whatever the matrix: inconsistent lengths, lines out of range or listed twice,
    /// values that are not residues. `None` for everything that [`verify`](super::verify) can process.
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
                "not a minor: {r} rows and {} columns, {t} of them in the chain, of a {} x {} matrix",
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
            if let Some(i) = list.iter().copied().find(|&i| i as usize >= bound).or_else(|| repeated(list, bound)) {
                return Some(format!("{what} {i} is out of range or listed twice (0-based, of {bound})"));
            }
        }
        for list in values {
            if list.len() != vectors {
                return Some(format!("{} residues where {vectors} are needed", list.len()));
            }
            if let Some(v) = list.iter().find(|&&v| v >= self.modulus.get()) {
                return Some(format!("{v} is not a residue mod {}", self.modulus));
            }
        }
        None
    }
}

/// A number below `bound` that is listed twice. Time and memory are proportional to the list, whatever the bound.
fn repeated(list: &[u32], bound: usize) -> Option<u32> {
    if bound / 64 <= list.len() {
        let mut seen = vec![0u64; bound.div_ceil(64)];
        return list.iter().copied().find(|&i| {
            let (word, bit) = (&mut seen[i as usize / 64], 1 << (i % 64));
            let twice = *word & bit != 0;
            *word |= bit;
            twice
        });
    }
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn what_is_listed_twice_is_found_in_lists_of_any_density() {
        for bound in [64, 100, 1 << 20, 1 << 32] {
            for list in [&[][..], &[5], &[63, 0, 7], &[9, 8, 1, 3, 2, 60, 61, 62, 4, 5]] {
                assert_eq!(repeated(list, bound), None, "{list:?} below {bound}");
                for &i in list {
                    assert_eq!(repeated(&[list, &[i]].concat(), bound), Some(i), "{list:?} below {bound}");
                }
            }
        }
    }
}
