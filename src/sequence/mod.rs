//! Krylov sequences: the terms Sᵢ = Yᵀ Bⁱ X (or YᵀBⁱ⁺¹X) that the σ-basis reads.
//!
//! Source paper, sections 2.5 and 3.1. X is a random n × s block over K = GF(pᵏ); Y is drawn, dense or with a few
//! weighted entries a row ([`Projection`], [`Buckets`]), or it is D₁⁻¹X, with half the products ([`Gram`]). [`Krylov`]
//! keeps BⁱX and gives one s × s term after the other, as a [`SequenceSource`]; [`GpuKrylov`] does the same on a GPU.
//! Nothing but two blocks and the products' scratch is held, so the memory is bounded whatever the length.

mod buckets;
mod cuda;
mod gram;
mod krylov;
mod projection;
mod source;

pub use buckets::{Buckets, pair_loss};
pub use cuda::{GpuGram, GpuKrylov};
pub use gram::Gram;
pub use krylov::{Krylov, Left, Start};
pub use projection::Projection;
pub use source::SequenceSource;

#[cfg(test)]
mod tests;
