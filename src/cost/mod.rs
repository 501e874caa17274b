//! What operations cost: one profile of prices, [`Machine`], on which every plan is based.
//!
//! A price is the seconds that one thread with a core to itself takes for one operation. How many operations and bytes
//! an algorithm takes is stated next to the algorithm, by a function of shapes and prices (`dense::Echelon::seconds`,
//! `schur::RowSpace::seconds`, `permanent::frontier::predict`, …); planners compose these and decide. A profile
//! measured elsewhere, or made up by a test, therefore changes plans and nothing else: answers do not depend on prices.
//!
//! Prices are data: a [`Machine`] is written and read as JSON, one object for each kind of work. Prices that a table
//! omits are those of this process.
//!
//! ```
//! use blackfield::{answers::RankOptions, cost::Machine};
//! let mut machine = Machine::default();
//! machine.schur.entry *= 1000.0; // Schur complements are hardly ever formed then
//! # #[cfg(feature = "serde")] {
//! let text = serde_json::to_string(&machine).unwrap();
//! assert_eq!(serde_json::from_str::<Machine>(&text).unwrap(), machine);
//! # }
//! let options = RankOptions::default().machine(machine);
//! # assert!(options.machine.schur.entry > 1e-6);
//! ```
//!
//! Sizes at which a kernel changes its algorithm (blocks, panels, crossovers that were measured as such) are not
//! prices: they are defined next to the kernel.

mod dense;
mod device;
mod hafnian;
mod permanent;
mod poly;
mod sparse;
mod wiedemann;

pub use dense::{Dense, size_class};
pub use device::Device;
pub use hafnian::Hafnian;
pub use permanent::{Frontier, Gray, Permanent};
pub use poly::Poly;
pub use sparse::{Elimination, Integers, Passes, Random, Schur, Sparse};
pub use wiedemann::Wiedemann;

use crate::isa::Isa;

/// The prices of all operations, by kind.
///
/// The defaults for ranks lie between the times measured on an AMD EPYC (Zen 5) and on an Intel Xeon virtual machine,
/// both with AVX-512; the latter took up to three times as long (`tools/compare/plans.py`). Of the machine that they
/// are made on, plans depend on the instruction set ([`Machine::with`]) and the byte tiles ([`Dense::byte_tiles`])
/// alone, unless prices turn out to be off by more than that ([`Patience`](crate::answers::Patience)).
///
/// All prices are finite and non-negative. To change some, modify a default:
///
/// ```
/// let mut machine = blackfield::cost::Machine::default();
/// machine.device.start = 10.0;
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Machine {
    /// Dense elimination mod p.
    pub dense: Dense,
    /// Sparse products and triangular solves with blocks of vectors.
    pub passes: Passes,
    /// Work on the entries of sparse matrices.
    pub sparse: Sparse,
    /// Schur complements that are formed.
    pub schur: Schur,
    /// Right-looking sparse elimination.
    pub elimination: Elimination,
    /// Random residues.
    pub random: Random,
    /// Products of polynomial matrices.
    pub poly: Poly,
    /// Block Wiedemann beyond its products.
    pub wiedemann: Wiedemann,
    /// Null vectors over the integers.
    pub integers: Integers,
    /// Permanents of special shapes, and what every method for a permanent costs.
    pub permanent: Permanent,
    /// The dynamic program over a frontier.
    pub frontier: Frontier,
    /// The sum along a Gray code, on the processor.
    pub gray: Gray,
    /// CUDA GPUs: that sum, sequences, σ-bases, dense eliminations.
    pub device: Device,
    /// Hafnians.
    pub hafnian: Hafnian,
}

/// The kinds of operations: those of one kind are mispriced together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Kind {
    /// Sparse products and triangular solves with blocks of vectors: [`Passes`].
    Passes,
    /// Dense eliminations: [`Dense`].
    Dense,
    /// Sparse Schur complements: [`Schur`].
    Sparse,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Passes, Kind::Dense, Kind::Sparse];
}

impl Default for Machine {
    /// The prices with the instruction set that this process uses.
    fn default() -> Self {
        Machine::with(Isa::best())
    }
}

impl Machine {
    /// The prices with an instruction set.
    pub fn with(isa: Isa) -> Self {
        Machine {
            dense: Dense::with(isa),
            passes: Passes::with(isa),
            sparse: Sparse::default(),
            schur: Schur::default(),
            elimination: Elimination::default(),
            random: Random::default(),
            poly: Poly::with(isa),
            wiedemann: Wiedemann::with(isa),
            integers: Integers::default(),
            permanent: Permanent::default(),
            frontier: Frontier::default(),
            gray: Gray::default(),
            device: Device::default(),
            hafnian: Hafnian::default(),
        }
    }

    /// The prices that tests of plans use on every machine.
    #[cfg(test)]
    pub(crate) fn reference() -> Self {
        let mut machine = Machine::with(Isa::Avx512);
        machine.dense.byte_tiles = false;
        machine
    }

    /// The same machine with the prices of one kind multiplied by a factor.
    #[must_use]
    pub fn scaled(&self, kind: Kind, factor: f64) -> Machine {
        let mut machine = self.clone();
        match kind {
            Kind::Passes => machine.passes = self.passes.scaled(factor),
            Kind::Dense => machine.dense = self.dense.scaled(factor),
            Kind::Sparse => machine.schur = self.schur.scaled(factor),
        }
        machine
    }

    /// The same machine where a GPU makes the passes and the terms of them. A second of it counts as one of each of so
    /// many threads, which share everything else.
    #[must_use]
    pub fn with_gpu(&self, threads: usize) -> Machine {
        let (mut machine, by) = (self.clone(), threads as f64);
        let Device { entry, row_byte, far, cache, residue, product, projection, gram, .. } = self.device;
        machine.passes = Passes {
            gather: entry * by,
            gather_byte: row_byte * by,
            far: far * by,
            cache,
            reduce: residue * by,
            product: product * by,
            // What loops take is in the prices above.
            row: 0.0,
            ..self.passes
        };
        // There are kernels for residues of prime fields alone.
        machine.wiedemann = Wiedemann {
            projection: projection * by,
            gram: gram * by,
            gram_digits: f64::INFINITY,
            gram_wide: f64::INFINITY,
            ..self.wiedemann
        };
        let here = &mut machine.device;
        for price in [&mut here.level, &mut here.bases, &mut here.order, &mut here.leaf, &mut here.basis] {
            *price *= by;
        }
        machine
    }

    /// The same machine where a GPU makes the multiply-adds of dense eliminations, likewise.
    #[must_use]
    pub fn with_dense_gpu(&self, threads: usize) -> Machine {
        let mut machine = self.clone();
        let Dense { product, byte_product, .. } = &mut machine.dense;
        let by = self.device.dense * threads as f64 / Device::THREADS as f64;
        product.iter_mut().chain([byte_product]).for_each(|price| *price *= by);
        machine
    }

    /// This machine corrected after a step that took `taken` seconds where `seconds` predicted a different number: the
    /// prices of the kind that dominates the prediction are scaled to make up the difference.
    #[must_use]
    pub fn corrected(&self, seconds: impl Fn(&Machine) -> f64, taken: f64) -> Machine {
        let all = seconds(self);
        let parts = Kind::ALL.map(|kind| (kind, all - seconds(&self.scaled(kind, 0.0))));
        let (kind, most) = parts.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("three kinds");
        if most <= 0.0 {
            return self.clone();
        }
        // Faster than the rest of the prediction alone: then the rest was too expensive as well.
        self.scaled(kind, ((taken - (all - most)) / most).max(taken / all))
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests;
