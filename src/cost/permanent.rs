//! Prices of the methods for permanents.

/// Seconds of one thread for permanents of special shapes.
///
/// Products are estimates; the determinant is scaled from one run on the 100 × 100 domino board (one thread of a 2-core
/// AMD virtual machine with AVX-512).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Permanent {
    /// A multiply-add mod a word-sized prime of a rook polynomial ([`crate::permanent::rook`]).
    pub rook_product: f64,
    /// A multiply-add mod a word-sized prime of a product of linear forms ([`crate::permanent::low_rank`]).
    pub form_product: f64,
    /// A unit of n^1.5 of a planar determinant of order n for the [`LANES`](crate::elimination::LANES) primes of a
    /// group ([`crate::permanent::kasteleyn`]).
    pub determinant: f64,
    /// Laying out a vertex of a planar graph.
    pub vertex: f64,
    /// Starting any method for a permanent: nothing below this is worth predicting.
    pub start: f64,
}

impl Default for Permanent {
    fn default() -> Self {
        Permanent { rook_product: 2e-9, form_product: 3e-9, determinant: 1.5e-7, vertex: 1e-6, start: 1e-4 }
    }
}

/// Seconds of one thread for the dynamic program over a frontier ([`crate::permanent::frontier`]). Measured on a 2-core
/// EPYC virtual machine (Zen 5).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Frontier {
    /// A state and one of its choices, roughly, however its layer is stored: the search for an order weighs its own
    /// time against it.
    pub choice: f64,
    /// An estimate of that search, for each entry of the line.
    pub look: f64,
    /// A state and one of its choices in a layer of keys.
    pub key: f64,
    /// The same in a layer stored as an array, for each word of its value.
    pub slot: f64,
    /// The tables of a step in an array.
    pub tables: f64,
}

impl Default for Frontier {
    fn default() -> Self {
        Frontier { choice: 2e-9, look: 35e-9, key: 25e-9, slot: 1.2e-9, tables: 40e-6 }
    }
}

/// Seconds of one thread for the sum along a Gray code ([`crate::permanent::gray`]). Measured on Zen 5 with AVX-512,
/// one core, on a busy machine.
///
/// Prices decide how long a plan searches for its low columns, and therefore which they are: a run resumes from the
/// checkpoint of another only with the same prices. So they do not depend on the instruction set.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Gray {
    /// A sum, whatever its size.
    pub start: f64,
    /// A setting of the columns at density ½ and n = 32.
    pub setting: f64,
    /// A unit of a program's cost: an operation on a vector of 512 bits.
    pub operation: f64,
    /// Building one candidate program.
    pub build: f64,
}

impl Default for Gray {
    fn default() -> Self {
        Gray { start: 2e-4, setting: 4.5e-10, operation: 1e-10, build: 1e-4 }
    }
}

/// Seconds of CUDA GPUs, by the clock. Measured on one H200; of sparse products, on one H100; that of a level of a
/// triangular solve is an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Device {
    /// Looking for GPUs and opening one: what a driver takes that stays loaded (one H100: 0.10 to 0.19 s to start,
    /// 0.13 s for a context).
    pub find: f64,
    /// Compiling a kernel, which takes 0.6 to 1.4 s once on a machine and nothing from then on, and loading it.
    pub start: f64,
    /// A setting of the columns of a Gray-code sum, on one multiprocessor (132 of them together take 1.4 ps).
    pub setting: f64,
    /// A step of the walk of a Gray-code sum for each operation of its program (3.0 ps for n = 46), rounded up.
    pub operation: f64,
    /// Of a pass through a sparse matrix: an entry, …
    pub entry: f64,
    /// … a byte of the row of a block that it names, …
    pub row_byte: f64,
    /// … such a row where the block exceeds so many bytes, the second-level cache, …
    pub far: f64,
    /// (these bytes)
    pub cache: f64,
    /// … a residue of a row that is made, …
    pub residue: f64,
    /// … and a residue times an entry that is not ±1. With these six, products mod 65521 of 16 to 128 vectors are
    /// predicted within a half of what an H100 took (`docs/gpu.md`).
    pub product: f64,
    /// A residue of a block that is projected by buckets (an estimate by bytes), …
    pub projection: f64,
    /// … and a multiply-add of a Gram matrix of a sequence that is projected by itself, of residues of up to 16 bits.
    pub gram: f64,
    /// Waiting for a level of a triangular solve, whatever its width: a launch, or a block of threads that waits.
    pub level: f64,
    /// What a multiply-add of a dense elimination takes, of its seconds on a thread, if everything else is shared by
    /// sixteen threads, panels and windows counted: with it, eliminations of full matrices of 8000 and 16000 columns
    /// mod 65521 are predicted to take 0.38 and 1.8 s; an H100 took 0.34 and 1.2.
    pub dense: f64,
}

impl Device {
    /// The threads that share what a GPU does not do, where a plan must not depend on their number.
    pub const THREADS: usize = 16;
}

impl Default for Device {
    fn default() -> Self {
        Device {
            find: 0.3,
            start: 0.3,
            setting: 132.0 * 1.4e-12,
            operation: 3.3e-12,
            entry: 5e-12,
            row_byte: 0.14e-12,
            far: 27e-12,
            cache: 50e6,
            residue: 0.5e-12,
            product: 0.033e-12,
            projection: 1e-12,
            gram: 4e-15,
            level: 3e-6,
            dense: 0.03,
        }
    }
}
