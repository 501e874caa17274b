//! Residues as they come, in rows, and as they are stored: 8, 16, 32 or 64 bits.

use crate::report::State;
use bytemuck::Pod;

/// A row as its columns, each at most once, and the residues there (zeros allowed).
pub type Row<'a> = (&'a [u32], &'a [u64]);

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

/// An unsigned integer that may hold a residue.
pub trait Residue: sealed::Sealed + Copy + Into<u64> + Send + Sync {}

impl Residue for u8 {}
impl Residue for u16 {}
impl Residue for u32 {}
impl Residue for u64 {}

/// A storage type of residues.
pub(crate) trait Entry: Residue + Default + Pod + PartialEq + std::fmt::Debug + State {
    /// The residue, which fits.
    fn from_residue(residue: u64) -> Self;
}

impl Entry for u8 {
    #[inline(always)]
    fn from_residue(residue: u64) -> u8 {
        residue as u8
    }
}

impl Entry for u16 {
    #[inline(always)]
    fn from_residue(residue: u64) -> u16 {
        residue as u16
    }
}

impl Entry for u32 {
    #[inline(always)]
    fn from_residue(residue: u64) -> u32 {
        residue as u32
    }
}

impl Entry for u64 {
    #[inline(always)]
    fn from_residue(residue: u64) -> u64 {
        residue
    }
}
