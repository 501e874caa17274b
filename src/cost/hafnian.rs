//! Prices of the methods for hafnians.

/// Seconds of one thread for hafnians ([`crate::hafnian`]). Of these, `product` and `slot` were compared with single
/// runs on an EPYC virtual machine (Zen 5, AVX-512): a dense graph of 40 vertices by inclusion and exclusion took 1.46
/// CPU seconds, predicted were 1.35; a 17 × 40 triangular lattice by its frontier 0.22, predicted were 0.45. The other
/// four are estimates.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Hafnian {
    /// A state of a frontier, for each operation.
    pub slot: f64,
    /// An edge looked at in the search for an order.
    pub look: f64,
    /// A multiply-add of polynomials in the sum by inclusion and exclusion.
    pub product: f64,
    /// A unit of n^1.5 of a planar Pfaffian of order n for the 16 primes of a group.
    pub pfaffian: f64,
    /// Laying out a vertex of a planar graph.
    pub vertex: f64,
    /// Starting any method: nothing below this is worth predicting.
    pub start: f64,
}

impl Default for Hafnian {
    fn default() -> Self {
        Hafnian { slot: 2.5e-10, look: 3e-8, product: 8e-11, pfaffian: 1e-7, vertex: 2e-6, start: 1e-3 }
    }
}
