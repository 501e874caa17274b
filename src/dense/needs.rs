//! What dense eliminations need: bytes.

use super::Echelon;
use super::bits::Bits;
use super::panels::Panels;
use super::trits::Trits;
use crate::field::Modulus;

impl Echelon {
    /// Bytes needed, with working space, for a basis of `rank` rows of which the last may have their pivots anywhere;
    /// 2⁶⁴ - 1 for more than that.
    ///
    /// # Panics
    /// If `rank` > `cols`.
    pub fn memory(modulus: Modulus, rank: usize, cols: usize) -> u64 {
        assert!(rank <= cols, "rank {rank} in {cols} dimensions");
        let [basis, working] = Self::parts(modulus, rank, cols);
        basis.saturating_add(working)
    }
    /// The bytes of the basis and of the working space.
    pub(super) fn parts(modulus: Modulus, rank: usize, cols: usize) -> [u64; 2] {
        match modulus.get() {
            2 => Bits::memory(rank, cols),
            3 => Trits::memory(rank, cols),
            4..=0xff => [Panels::<u8>::basis_memory(rank, cols), Panels::<u8>::working_memory(modulus, cols)],
            0x100..=0xffff => [Panels::<u16>::basis_memory(rank, cols), Panels::<u16>::working_memory(modulus, cols)],
            0x1_0000..=0xffff_ffff => {
                [Panels::<u32>::basis_memory(rank, cols), Panels::<u32>::working_memory(modulus, cols)]
            }
            _ => [Panels::<u64>::basis_memory(rank, cols), Panels::<u64>::working_memory(modulus, cols)],
        }
    }
}
