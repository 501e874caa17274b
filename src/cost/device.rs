//! Prices of what GPUs do.

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
    /// Loading the kernels of σ-bases (compiling them, once on a machine, takes 2.5 s), …
    pub bases: f64,
    /// … an order of their leaves, which follow each other, …
    pub order: f64,
    /// … for s columns so much s³ times, …
    pub leaf: f64,
    /// … and a multiplication of their products. With these three, bases of 8 to 64 columns and orders 1024 to 65536
    /// mod 65521 are predicted within a fifth of what an H100 took.
    pub basis: f64,
    /// Waiting for a level of a triangular solve, whatever its width: a launch, or a block of threads that waits.
    pub level: f64,
    /// What a multiply-add of a dense elimination takes, of its seconds on a thread, if everything else is shared by
    /// sixteen threads, panels and windows counted: with it, eliminations of full matrices of 8000 and 16000 columns
    /// mod 65521 are predicted to take 0.38 and 1.8 s; an H100 took 0.34 and 1.2.
    pub dense: f64,
}

impl Device {
    /// What a σ-basis gains at most by the threads of a processor that does nothing else: leaves are serial (16 threads
    /// of a Xeon made one of 16 columns about 2.6 times as fast as one).
    pub(crate) const BASIS_THREADS: f64 = 3.0;
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
            bases: 0.5,
            order: 6.8e-6,
            leaf: 0.26e-9,
            basis: 0.5e-12,
            level: 3e-6,
            dense: 0.03,
        }
    }
}
