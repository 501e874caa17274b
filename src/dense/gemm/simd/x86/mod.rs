//! Tiles on x86-64.

mod avx2;
mod avx512;

pub(super) use avx2::tiles as avx2;
pub(super) use avx512::tiles as avx512;
