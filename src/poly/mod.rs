//! Polynomial matrices over a finite field: products, middle products, values and interpolation.
//!
//! A product A·B is exact arithmetic on integers that represent the residues: short ones by the definition, long ones
//! by transforms modulo one to four 50-bit primes (an IFMA, an AVX2 and a portable implementation of one algorithm) or,
//! where rounding is bounded, by f64 Fourier transforms whose integers are then checked. A [`ProductPlan`] chooses by
//! measured costs, prints itself, and can be made without being run. Extension fields go through Kronecker's
//! substitution. Entry points: [`multiply`], [`middle_product`]; [`ProductPlan`] and [`Transformed`] where one factor
//! meets several partners; [`evaluate_geometric`] and [`interpolate_geometric`].
//!
//! | file | idea |
//! | --- | --- |
//! | `matrix` | coefficients of a polynomial matrix |
//! | `shape`, `plan`, `product` | what is wanted, how it is computed, and that it is |
//! | `schoolbook`; `transformed`, `pointwise`; `fourier`, `fourier_bound` | the three ways to it |
//! | `kronecker` | extension fields |
//! | `checked` | the integers of floating-point transforms against sums that share nothing with them |
//! | `ntt/`, `residues`, `sums` | transform, Chinese remainders, exact sums of products |
//! | `evaluate`, `interpolate`, `scalar` | values at points, polynomials of one variable |
//! | `cuda/` | products on GPUs |
//! | `simd/`, `buffer`, `chunks` | instruction sets, scratch memory, loops |

mod buffer;
#[cfg_attr(not(feature = "fft"), allow(dead_code, reason = "it checks floating-point transforms"))]
mod checked;
mod chunks;
mod cuda;
mod evaluate;
#[cfg(feature = "fft")]
mod fourier;
#[cfg(not(feature = "fft"))]
#[path = "no_fourier.rs"]
mod fourier;
mod fourier_bound;
mod interpolate;
mod keepers;
mod kept;
mod kronecker;
mod matrix;
mod ntt;
mod plan;
mod pointwise;
mod product;
mod residues;
mod scalar;
mod schoolbook;
mod shape;
mod simd;
mod sums;
mod transformed;

pub use cuda::{GpuPart, GpuPoly, GpuPolys};
pub use evaluate::{evaluate_at, evaluate_geometric};
pub use interpolate::interpolate_geometric;
pub use kept::Kept;
pub use matrix::PolyMatrix;
pub use ntt::Ntt;
pub use plan::{Method, ProductPlan};
pub(crate) use product::write_middle_product;
pub use product::{middle_product, multiply};
pub use scalar::{middle_polynomial, multiply_polynomials};
pub use shape::ProductShape;
pub use simd::Row;
pub use transformed::Transformed;

#[cfg(test)]
mod tests;
