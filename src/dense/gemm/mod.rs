//! Matrix products mod p in integers with delayed reduction, for every p < 2⁶³.
//!
//! Residues are balanced, |x| ≤ h = ⌊p/2⌋, and cut into words of 32 bits such that a product mod p becomes an integer
//! product C = Σ a·b of the tiles in [`simd`], exact for some hundred terms, with **one** sum (for p < 2³¹) however
//! many digits there are: where b = b₁·2ʷ + b₀ is cut, a·b ≡ (2ʷa mod p)·b₁ + a·b₀, twice the depth and the same sums.
//! See [`arithmetic`]. (The idea of delayed reduction: Dumas, Giorgi, Pernet, "Dense linear algebra over word-size
//! prime fields", ACM TOMS 35, 2008; theirs is in floating point. Pairs do twice to four times, wholes as many
//! multiply-adds a second as `f64`.)
//!
//! Where the processor multiplies matrices of bytes ([`simd::bytes`]), residues mod p > 5791 are cut into bytes
//! instead, and there are as many sums as digits ([`bytes`]): the form that takes less time in tiles of both is the one
//! for the process.
//!
//! The tiles are embedded in the usual blocking: B packed in strips of columns, A in strips of rows, one slice of the
//! depth at a time; each finished tile, of a few slices where sums of bytes hold them, is added to C and reduced at
//! once ([`blocks`], [`reduce`]). Entry: [`gemm()`], inside the
//! room [`Arithmetic`]. Of two matrices with many rows and few columns: [`tall`].

mod arithmetic;
mod blocks;
mod bytes;
mod pack;
mod place;
mod product;
mod reduce;
mod simd;
mod tall;

pub(crate) use arithmetic::Arithmetic;
pub(crate) use place::Place;
pub(crate) use product::Summand;
pub use product::gemm;
pub(crate) use tall::add_tall_product;

/// Whether products may use tiles of bytes: where matrix registers are given.
#[cfg(test)]
pub(super) fn has_byte_tiles() -> bool {
    simd::bytes::ByteTile::of_matrices().is_some()
}

#[cfg(test)]
pub(super) mod tests;
