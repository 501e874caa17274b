//! Residues as they are stored: 8, 16, 32 or 64 bits.

use super::echelon::Residue;
use bytemuck::Zeroable;

/// A storage type of residues.
pub(crate) trait Entry: Residue + Default + Zeroable + PartialEq + std::fmt::Debug {
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
