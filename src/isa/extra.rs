//! Instructions outside the families, which some loops use explicitly.

use super::Isa;

/// Instructions that a processor may or may not have, whatever the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    /// Carry-less products of words: PCLMULQDQ.
    Clmul,
    /// 52-bit products of eight words: AVX-512 IFMA.
    Ifma,
    /// Pairs multiplied and added to 32-bit sums: AVX-512 VNNI.
    Vnni,
    /// Matrices of bytes: AMX-TILE and AMX-INT8, whose registers the system grants.
    Amx,
}

impl Extra {
    /// The family that it belongs to: a process restricted to a narrower one does not use it.
    pub(crate) fn family(self) -> Isa {
        match self {
            Extra::Clmul => Isa::Avx2,
            Extra::Ifma | Extra::Vnni | Extra::Amx => Isa::Avx512,
        }
    }

    /// Whether this machine has it; for AVX-512, together with the whole family.
    #[inline]
    pub(crate) fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return match self {
            Extra::Clmul => super::x86::has_clmul(),
            Extra::Ifma => super::x86::has_ifma(),
            Extra::Vnni => super::x86::has_vnni(),
            Extra::Amx => super::amx::has_amx(),
        };
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Whether the process may use it: the machine has it, and the process uses its family.
    #[inline]
    pub(crate) fn may_be_used(self) -> bool {
        self.family() <= Isa::best() && self.is_available()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_goes_with_its_family() {
        for extra in [Extra::Clmul, Extra::Ifma, Extra::Vnni, Extra::Amx] {
            assert!(extra.family() > Isa::Portable, "{extra:?}");
            assert!(!extra.may_be_used() || extra.is_available() && extra.family().is_available(), "{extra:?}");
            assert!(!extra.is_available() || extra == Extra::Clmul || Isa::Avx512.is_available(), "{extra:?}");
        }
    }
}
