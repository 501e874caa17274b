//! Chain complexes of free ℤ-modules as lists of boundary matrices, and the simplicial complexes that many come from.
//!
//! A [`ChainComplex`] is C₀ ← C₁ ← … ← C_n with **one row a cell**: row i of D_k is the boundary of the i-th k-cell,
//! its columns are the (k-1)-cells. So ∂∂ = 0 reads D_k · D_{k-1} = 0, which [`ChainComplex::check`] computes exactly.
//! A [`SimplicialComplex`] is given by facets ([`SimplicialComplex::read`] has the format of files); its faces are
//! oriented by the order of their vertices, and D_k has entry (-1)ⁱ where the i-th vertex is dropped.
//!
//! Source: J. R. Munkres, *Elements of Algebraic Topology*, 1984, §5 and §7 (reduced complexes).

mod chain;
mod faces;
mod facets;
mod sort;
mod square;
#[cfg(test)]
mod tests;

pub use chain::ChainComplex;
pub use facets::SimplicialComplex;
