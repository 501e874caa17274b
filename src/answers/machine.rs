//! What operations cost: the machine profile that the planner predicts from.

use crate::dense;
use crate::field::Modulus;
use crate::spmv::Lane;

/// Seconds of one thread for the operations that a rank is made of.
///
/// The defaults lie between what runs took on an AMD EPYC (Zen 5) and on an Intel Xeon virtual machine, both with AVX-512, the latter
/// up to three times as long (`tools/compare/plans.py`); plans depend on the machine that they are made on in `bytes` alone.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Machine {
    /// A multiply-add of the dense elimination, by [`size_class`](dense::size_class).
    pub dense: [f64; 5],
    /// Whether multiply-adds mod p > 2¹⁶ are made of products of bytes ([`dense::has_byte_tiles`]), and what such a product takes.
    pub bytes: bool,
    /// See `bytes`.
    pub byte: f64,
    /// Gathering a row of a block for one entry of a sparse matrix, and for each byte of that row.
    pub gather: f64,
    /// See `gather`.
    pub gather_byte: f64,
    /// Bytes of the second-level cache, and what gathering a row takes besides where the block exceeds it.
    pub cache: f64,
    /// See `cache`.
    pub far: f64,
    /// Reducing the sum of a row, for each residue.
    pub reduce: f64,
    /// A multiply-add of an entry that is not ±1, for each residue, beyond gathering.
    pub product: f64,
    /// Adding a row of a block to another, for each byte of it, and besides for each entry that asks for it.
    pub push_byte: f64,
    /// See `push_byte`.
    pub push: f64,
    /// Making a matrix ready for passes, substitutions or a sparse Schur complement, for each entry.
    pub ready: f64,
    /// Writing an entry of a sparse matrix into a dense row.
    pub scatter: f64,
    /// Finding structural pivots, for each entry of the matrix.
    pub pivots: f64,
    /// Drawing a random residue by a generator that nobody can predict, and a roughly uniform one by a faster source.
    pub random: f64,
    /// See `random`.
    pub rough: f64,
    /// A multiply-add of a sparse Schur complement, and an entry of it.
    pub sparse_product: f64,
    /// See `sparse_product`.
    pub sparse_entry: f64,
}

impl Default for Machine {
    fn default() -> Self {
        Machine {
            dense: dense::PRODUCT_SECONDS,
            bytes: dense::has_byte_tiles(),
            byte: dense::BYTE_PRODUCT_SECONDS,
            gather: 0.6e-9,
            gather_byte: 1.0 / 80e9,
            cache: (1 << 20) as f64,
            far: 4e-9,
            reduce: 0.15e-9,
            product: 0.08e-9,
            push_byte: 1.0 / 50e9,
            push: 20e-9,
            ready: 70e-9,
            scatter: 1e-9,
            pivots: 50e-9,
            random: 5e-9,
            rough: 1e-9,
            sparse_product: 8e-9,
            sparse_entry: 40e-9,
        }
    }
}

impl Machine {
    /// A multiply-add of the dense elimination mod p.
    pub fn dense_product(&self, modulus: Modulus) -> f64 {
        match modulus.bits().div_ceil(8) {
            digits @ 3.. if self.bytes => self.byte * digits.pow(2) as f64,
            _ => self.dense[dense::size_class(modulus)],
        }
    }
    /// One pass over `nnz` entries in `rows` rows, `valued` of them not ±1, with blocks of `width` residues.
    pub fn pass(&self, modulus: Modulus, rows: usize, nnz: usize, valued: usize, width: usize) -> f64 {
        let bytes = (width * Lane::narrowest(modulus).bytes()) as f64;
        let block = rows as f64 * bytes;
        let far = if block > self.cache { (1.0 - self.cache / block) * self.far } else { 0.0 };
        nnz as f64 * (self.gather + bytes * self.gather_byte + far)
            + (rows * width) as f64 * self.reduce
            + (valued * width) as f64 * self.product
    }
    /// `entries` of a substitution by pushing, the share `valued` of them not ±1, with blocks of `width` residues.
    pub fn pushes(&self, modulus: Modulus, entries: f64, valued: f64, width: usize) -> f64 {
        let bytes = (width * Lane::narrowest(modulus).bytes()) as f64;
        let residue = valued * (self.product + self.reduce);
        entries * (self.push + bytes * self.push_byte + width as f64 * residue)
    }
    /// The echelon form of rank r in n columns, of rows of which nearly all are independent: r²(n/2 - r/6) multiply-adds.
    pub fn echelon(&self, modulus: Modulus, r: usize, n: usize) -> f64 {
        let (r, n) = (r as f64, n as f64);
        r * r * (n / 2.0 - r / 6.0) * self.dense_product(modulus)
    }
    /// Its reduction to (I T): r²/2·(n - r).
    pub fn back_substitution(&self, modulus: Modulus, r: usize, n: usize) -> f64 {
        (r as f64).powi(2) / 2.0 * (n - r) as f64 * self.dense_product(modulus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_make_large_primes_cheaper_and_small_ones_no_different() {
        let [words, bytes] = [false, true].map(|bytes| Machine { bytes, ..Machine::default() });
        let price = |machine: &Machine, p: u64| machine.dense_product(Modulus::new(p).unwrap());
        for p in [2, 3, 251, 65521] {
            assert_eq!(price(&words, p), price(&bytes, p), "mod {p}");
        }
        for p in [65537, (1 << 24) - 3, (1 << 31) - 1, (1 << 40) - 87, (1 << 62) - 57, (1 << 63) - 25] {
            assert!(price(&bytes, p) < price(&words, p), "mod {p}");
            assert!(price(&bytes, p) > price(&bytes, 65521), "mod {p}");
        }
    }
}
