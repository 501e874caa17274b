//! Prices of work on sparse matrices: passes with blocks of vectors, Schur complements, right-looking elimination, null
//! vectors.

use crate::isa::Isa;

/// Seconds of one thread for sparse products and triangular solves with blocks of vectors ([`crate::spmv`]).
///
/// Between an AMD EPYC (Zen 5) and an Intel Xeon virtual machine, both with AVX-512 (`tools/compare/plans.py`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Passes {
    /// Gathering a row of a block for one entry of a sparse matrix.
    pub gather: f64,
    /// The same for each byte of that row.
    pub gather_byte: f64,
    /// Bytes of the second-level cache.
    pub cache: f64,
    /// The additional price of gathering a row where the block exceeds the cache.
    pub far: f64,
    /// Reducing the sum of a row, for each residue.
    pub reduce: f64,
    /// The loop over the entries of a row, as far as a strip of 32 residues of a block is not full.
    pub row: f64,
    /// A multiply-add of an entry that is not ±1, for each residue, beyond gathering.
    pub product: f64,
    /// Adding a row of a block to another, for each byte of it.
    pub push_byte: f64,
    /// In addition to that, for each entry that requires such an addition.
    pub push: f64,
    /// Making a matrix ready for passes, triangular solves or a sparse Schur complement, for each entry.
    pub ready: f64,
}

impl Default for Passes {
    fn default() -> Self {
        Passes::with(Isa::best())
    }
}

impl Passes {
    /// 1.3 times as much with AVX2 as with AVX-512, and 2.5 times without either.
    pub fn with(isa: Isa) -> Self {
        let factor = match isa {
            Isa::Avx512 => 1.0,
            Isa::Avx2 => 1.3,
            Isa::Portable => 2.5,
        };
        Passes {
            gather: 0.6e-9,
            gather_byte: 1.0 / 80e9,
            cache: (1 << 20) as f64,
            far: 4e-9,
            reduce: 0.15e-9,
            row: 5e-9,
            product: 0.08e-9,
            push_byte: 1.0 / 50e9,
            push: 20e-9,
            ready: 70e-9,
        }
        .scaled(factor)
    }

    /// All prices multiplied by a factor; the size of the cache stays.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        let Passes { gather, gather_byte, cache: _, far, reduce, row, product, push_byte, push, ready } = &mut self;
        let prices = [gather, gather_byte, far, reduce, row, product, push_byte, push, ready];
        prices.into_iter().for_each(|price| *price *= factor);
        self
    }
}

/// Seconds of one thread for an entry of a sparse matrix. Measured as [`Passes`] are, whatever the instruction set.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Sparse {
    /// Transposing it.
    pub transpose: f64,
    /// A greedy cover, or what comes before the first one: in [`crate::pivots`].
    pub cover: f64,
    /// Visiting a line of the matrix, all of its entries, in the search for more structural pivots.
    pub search: f64,
    /// Finding a maximum matching.
    pub matching: f64,
}

impl Default for Sparse {
    fn default() -> Self {
        Sparse { transpose: 10e-9, cover: 10e-9, search: 90e-9, matching: 100e-9 }
    }
}

/// Seconds of one thread for a Schur complement that is formed ([`crate::schur::Solver::form`]). Measured as [`Passes`]
/// are, whatever the instruction set.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Schur {
    /// A multiply-add.
    pub product: f64,
    /// An entry of it.
    pub entry: f64,
}

impl Default for Schur {
    fn default() -> Self {
        Schur { product: 8e-9, entry: 33e-9 }
    }
}

impl Schur {
    /// All prices multiplied by a factor.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Schur { product: self.product * factor, entry: self.entry * factor }
    }
}

/// Seconds of one thread for right-looking elimination ([`crate::elimination::eliminate`]).
///
/// The first three are fitted to windows of a 20000 x 20000 matrix with 10 random entries per row, of ch7-8-b4 and
/// shar_te2-b2, where they are right within a factor of two. Changes wait for memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Elimination {
    /// An entry that is read.
    pub scan: f64,
    /// An entry that is changed, made or dropped.
    pub change: f64,
    /// A row that a pivot row is added to.
    pub row: f64,
    /// An entry of the remaining matrix, for each combination of its rows that a dense elimination takes in their
    /// place.
    pub combination: f64,
}

impl Default for Elimination {
    fn default() -> Self {
        Elimination { scan: 0.4e-9, change: 20e-9, row: 200e-9, combination: 0.04e-9 }
    }
}

/// Seconds of one thread for a residue that is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Random {
    /// A uniform one, by an unpredictable generator.
    pub uniform: f64,
    /// A roughly uniform one, by a faster source.
    pub rough: f64,
}

impl Default for Random {
    fn default() -> Self {
        Random { uniform: 5e-9, rough: 1e-9 }
    }
}

/// Seconds of one thread for null vectors over the integers (`answers/rational/null_space`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Integers {
    /// An entry that is visited with one lane.
    pub visit: f64,
    /// The same for each further lane.
    pub lane: f64,
    /// A multiply-add of two 64-bit digits of large integers.
    pub product: f64,
    /// The fixed price of each operation on such integers.
    pub operation: f64,
}

impl Default for Integers {
    fn default() -> Self {
        Integers { visit: 5e-9, lane: 0.5e-9, product: 1e-9, operation: 50e-9 }
    }
}
