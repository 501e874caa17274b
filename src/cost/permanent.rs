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
