//! What operations cost: the machine profile that the planner predicts from.

use crate::dense;
use crate::field::Modulus;
use crate::isa::Isa;
use crate::schur::{self, Prediction};
use crate::spmv::Lane;

/// Seconds of one thread for the operations that a rank is made of.
///
/// The defaults lie between what runs took on an AMD EPYC (Zen 5) and on an Intel Xeon virtual machine, both with AVX-512, the latter
/// up to three times as long (`tools/compare/plans.py`); plans depend on the machine that they are made on by
/// its instruction set ([`Machine::with`]) and `bytes` alone, unless its prices are off by more than that ([`Patience`](super::Patience)).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Machine {
    /// A multiply-add of the dense elimination, by [`size_class`](dense::size_class).
    pub dense: [f64; 5],
    /// An entry of a row that a dense elimination takes in, beside its multiply-adds: 0 for p = 2 and 3, whose rows are packed.
    pub absorb: f64,
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
    /// Transposing a sparse matrix, for each entry.
    pub transpose: f64,
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

/// What operations have in common that are mispriced together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Sparse products and substitutions with blocks of vectors.
    Passes,
    /// Dense eliminations.
    Dense,
    /// Sparse Schur complements.
    Sparse,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Passes, Kind::Dense, Kind::Sparse];
}

impl Default for Machine {
    /// With the instruction set that this process works with.
    fn default() -> Self {
        Machine::with(Isa::best())
    }
}

impl Machine {
    /// The prices with an instruction set: dense eliminations and passes take so many times as long as with AVX-512.
    pub fn with(isa: Isa) -> Self {
        let [dense, passes] = match isa {
            Isa::Avx512 => [1.0, 1.0],
            Isa::Avx2 => [2.0, 1.3],
            Isa::Portable => [12.0, 2.5],
        };
        Machine::with_avx512().scaled(Kind::Dense, dense).scaled(Kind::Passes, passes)
    }
    fn with_avx512() -> Self {
        Machine {
            dense: dense::PRODUCT_SECONDS,
            absorb: 4e-9,
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
            transpose: 10e-9,
            pivots: 50e-9,
            random: 5e-9,
            rough: 1e-9,
            sparse_product: 8e-9,
            sparse_entry: 33e-9,
        }
    }
}

impl Machine {
    /// What tests of plans reckon with on every machine.
    #[cfg(test)]
    pub(super) fn reference() -> Self {
        Machine { bytes: false, ..Machine::with_avx512() }
    }
    /// The same machine with operations of one kind so many times as dear.
    pub(super) fn scaled(&self, kind: Kind, factor: f64) -> Machine {
        let mut machine = self.clone();
        let Machine {
            dense,
            byte,
            absorb,
            gather,
            gather_byte,
            far,
            reduce,
            product,
            push_byte,
            push,
            ready,
            scatter,
            ..
        } = &mut machine;
        match kind {
            Kind::Passes => [gather, gather_byte, far, reduce, product, push_byte, push, ready]
                .into_iter()
                .for_each(|x| *x *= factor),
            Kind::Dense => dense.iter_mut().chain([byte, absorb, scatter]).for_each(|x| *x *= factor),
            Kind::Sparse => {
                [&mut machine.sparse_product, &mut machine.sparse_entry].into_iter().for_each(|x| *x *= factor)
            }
        }
        machine
    }
    /// This machine after a step that took `taken` seconds where `seconds` predicted another number: the kind of operation that most of
    /// the prediction was for is as much dearer or cheaper as makes up the difference.
    pub(super) fn corrected(&self, seconds: impl Fn(&Machine) -> f64, taken: f64) -> Machine {
        let all = seconds(self);
        let parts = Kind::ALL.map(|kind| (kind, all - seconds(&self.scaled(kind, 0.0))));
        let (kind, most) = parts.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("three kinds");
        if most <= 0.0 {
            return self.clone();
        }
        // Faster than all else of the prediction: then that was too dear as well.
        self.scaled(kind, ((taken - (all - most)) / most).max(taken / all))
    }
    /// Making a matrix of `entries` entries ready and forming the Schur complement of its pivots, as `predicted`.
    pub(super) fn forming(&self, entries: usize, predicted: &Prediction) -> f64 {
        entries as f64 * self.ready + predicted.nnz.mean * self.sparse_entry + predicted.work.mean * self.sparse_product
    }
    /// A multiply-add of the dense elimination mod p.
    pub fn dense_product(&self, modulus: Modulus) -> f64 {
        match modulus.bits().div_ceil(8) {
            digits @ 3.. if self.bytes => self.byte * digits.pow(2) as f64,
            _ => self.dense[dense::size_class(modulus)],
        }
    }
    /// One pass over `nnz` entries in `rows` rows, `valued` of them not ±1, with blocks of `width` residues.
    pub fn pass(&self, modulus: Modulus, rows: usize, nnz: usize, valued: usize, width: usize) -> f64 {
        self.gathering(rows, nnz, width * Lane::narrowest(modulus).bytes())
            + (rows * width) as f64 * self.reduce
            + (valued * width) as f64 * self.product
    }
    /// Gathering a row of so many `bytes` for each of `nnz` entries, of a block of `rows` rows.
    fn gathering(&self, rows: usize, nnz: usize, bytes: usize) -> f64 {
        let block = rows as f64 * bytes as f64;
        let far = if block > self.cache { (1.0 - self.cache / block) * self.far } else { 0.0 };
        nnz as f64 * (self.gather + bytes as f64 * self.gather_byte + far)
    }
    /// The passes that make `count` combinations of rows.
    pub fn combining(&self, modulus: Modulus, rows: usize, nnz: usize, valued: usize, count: usize) -> f64 {
        let lanes = schur::lanes(modulus);
        let pass = match modulus.get() {
            2 => self.gathering(rows, nnz, lanes / 8) + (rows * lanes) as f64 / 64.0 * self.reduce,
            _ => self.pass(modulus, rows, nnz, valued, lanes),
        };
        count as f64 / lanes as f64 * pass
    }
    /// Drawing `count` random vectors of `height` residues, one after the other for `each` seconds; over GF(2) a word at a time.
    pub fn drawing(&self, modulus: Modulus, count: usize, height: usize, each: f64) -> f64 {
        let packed = if modulus.get() == 2 { 64.0 } else { 1.0 };
        count as f64 * height as f64 / packed * each
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
    /// Taking `rows` rows of n columns into an echelon form, without their multiply-adds.
    pub fn absorbing(&self, modulus: Modulus, rows: usize, n: usize) -> f64 {
        let packed = dense::size_class(modulus) < 2;
        if packed { 0.0 } else { rows as f64 * n as f64 * self.absorb }
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
    fn what_was_measured_corrects_what_most_of_it_was() {
        let machine = Machine::default();
        let p = Modulus::new(65521).unwrap();
        let passes = |m: &Machine| 10.0 * m.pass(p, 1000, 50_000, 0, 32);
        let dense = |m: &Machine| m.echelon(p, 500, 1000);
        for (seconds, taken) in [(passes(&machine), 7.0), (passes(&machine), 1e-6)] {
            let corrected = machine.corrected(passes, taken);
            assert!((passes(&corrected) / taken - 1.0).abs() < 1e-9, "{seconds} s predicted");
            assert_eq!(dense(&corrected), dense(&machine));
        }
        // Where both are in it, the greater part is at fault, and the sum comes out right if that is possible.
        let both = |m: &Machine| passes(m) + 0.1 * passes(&machine) / dense(&machine) * dense(m);
        let corrected = machine.corrected(both, 5.0);
        assert!((both(&corrected) - 5.0).abs() < 1e-9 && dense(&corrected) == dense(&machine));
        let faster = machine.corrected(both, 1e-3 * both(&machine));
        assert!(passes(&faster) < 1.1e-3 * passes(&machine) && passes(&faster) > 0.0);
        // Nothing is learnt from nothing.
        assert_eq!(machine.corrected(|_| 0.0, 1.0), machine);
    }

    #[test]
    fn wider_instructions_are_cheaper() {
        let p = Modulus::new(65521).unwrap();
        let prices = Isa::ALL.map(|isa| {
            let machine = Machine::with(isa);
            [machine.dense_product(p), machine.pass(p, 1000, 50_000, 0, 32), machine.sparse_product]
        });
        for pair in prices.windows(2) {
            assert!(pair[0][0] > pair[1][0] && pair[0][1] > pair[1][1] && pair[0][2] == pair[1][2], "{prices:?}");
        }
    }

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
