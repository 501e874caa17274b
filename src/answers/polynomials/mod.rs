//! Minimal and characteristic polynomial of a square matrix mod p, sparse or dense.
//!
//! Both read the relations of a few random vectors ([`invariants`](crate::invariants)). If these generate the whole
//! space, the relations are those of A, their determinant is the characteristic polynomial and their last invariant
//! factor the minimal one: proven. Otherwise A has more invariant factors than there were vectors (or chance has it):
//!
//! - **minimal polynomial** ([`minimal_polynomial`]): what was found divides it for certain, and is it except with
//!   probability n·p⁻ˢ for s vectors ([`missing`](crate::invariants::missing)). Where that is cheap or demanded, it is
//!   proven by m(A) = 0. It is the least common multiple over the parts of A without entries between them.
//! - **characteristic polynomial** ([`characteristic_polynomial`]): the product over the strongly connected components
//!   of the directed graph of A, the diagonal blocks of its finest block triangular form. In each block, small ones go
//!   to Hessenberg's form; in a larger one, an irreducible f with exponent e in the minimal polynomial and fewer
//!   occurrences in the invariant factors of the relations than vectors has the multiplicity that it has there; that of
//!   the others is dim ker f(A)ᵉ / deg f (`multiplicity.rs`). A multiplicity of the first kind is never too large: so
//!   if the degrees add up to n, all are right as surely as the ranks of f(A)ᵉ.
//!
//! Sources: E. Kaltofen, G. Villard (see [`invariants`](crate::invariants)); J.-G. Dumas, C. Pernet, Z. Wan, *Efficient
//! computation of the characteristic polynomial*, ISSAC 2005; J.-G. Dumas, C. Pernet, B. D. Saunders, *On finding
//! multiplicities of characteristic polynomial factors of black-box matrices*, ISSAC 2009.

mod answer;
mod characteristic;
mod expected;
mod minimal;
mod multiplicity;
mod parts;
mod powers;
mod work;

pub use answer::MatrixPolynomial;
pub use characteristic::characteristic_polynomial;
pub use expected::dense_polynomial_seconds;
pub use minimal::minimal_polynomial;

#[cfg(test)]
mod tests;
