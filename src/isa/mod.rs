//! Instruction sets: one place that detects them and enters code compiled for them.
//!
//! A [`Kernel`] is a loop written once in plain Rust, `#[inline(always)]`. [`Isa::run`] calls it through a thin wrapper
//! that the compiler builds for the instruction set asked for, so that the same source becomes AVX-512, AVX2 or
//! portable code. Loops that use instructions outside a family check for an `Extra` first. No other module queries the
//! processor (`tests/architecture.rs`).

#[cfg(target_arch = "x86_64")]
mod amx;
mod extra;
mod kernel;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use extra::Extra;
pub use kernel::Kernel;

use crate::{DeviceReason, Error, Result};
use std::sync::OnceLock;

/// An instruction set family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Isa {
    /// What the target guarantees.
    Portable,
    /// AVX2 with FMA and BMI2.
    Avx2,
    /// AVX-512 F, BW, DQ, VL.
    Avx512,
}

/// The instruction set that this process uses, once that is settled.
static BEST: OnceLock<Isa> = OnceLock::new();

impl Isa {
    /// All of them, widest last.
    pub const ALL: [Isa; 3] = [Isa::Portable, Isa::Avx2, Isa::Avx512];

    /// The best that this machine has, or what [`Isa::force`] said.
    pub fn best() -> Isa {
        *BEST.get_or_init(|| *Self::available().last().expect("portable code runs everywhere"))
    }

    /// Restricts this process to `self` and nothing wider, wherever the choice is not made explicitly. It must be
    /// called before the first computation; ranks and permanents do not depend on it, although plans do.
    ///
    /// # Errors
    /// [`Error::Device`] if this machine does not have it, [`Error::Usage`] if the process has already started with a
    /// different one.
    pub fn force(self) -> Result<()> {
        if !self.is_available() {
            let message = format!("this processor does not have {}", self.name());
            return Err(Error::device(DeviceReason::NoInstructionSet, message));
        }
        let settled = *BEST.get_or_init(|| self);
        if settled != self {
            let (wanted, settled) = (self.name(), settled.name());
            return Err(Error::Usage(format!("{wanted} was requested after computations had started with {settled}")));
        }
        Ok(())
    }

    /// Its name in plans.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }

    /// All that this machine has, best last.
    pub fn available() -> Vec<Isa> {
        Self::ALL.into_iter().filter(|isa| isa.is_available()).collect()
    }

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => x86::has_avx2(),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => x86::has_avx512(),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// Runs `kernel` as compiled for this instruction set. Panics if the machine does not have it.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Isa::Portable => kernel.run(),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => x86::run_avx2(kernel),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => x86::run_avx512(kernel),
            #[cfg(not(target_arch = "x86_64"))]
            _ => panic!("{self:?} is not an instruction set of this processor"),
        }
    }
}

/// Prefetches the cache line of an element that will be read soon, where the processor supports it; an index beyond the
/// slice is ignored. Results do not depend on it.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = slice.get(index) {
        x86::prefetch(element);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum<'a>(&'a [u32]);
    impl Kernel for Sum<'_> {
        type Output = u64;
        #[inline(always)]
        fn run(self) -> u64 {
            self.0.iter().map(|&x| x as u64).sum()
        }
    }

    #[test]
    fn every_instruction_set_computes_the_same() {
        let data: Vec<u32> = (0..1000u32).map(|i| i.wrapping_mul(2654435761)).collect();
        for isa in Isa::available() {
            assert_eq!(isa.run(Sum(&data)), data.iter().map(|&x| x as u64).sum::<u64>(), "{isa:?}");
        }
        assert!(Isa::best().is_available());
    }

    #[test]
    fn what_is_settled_stays() {
        let best = Isa::best();
        best.force().unwrap();
        for isa in Isa::ALL.into_iter().filter(|&isa| isa != best) {
            let kind = isa.force().unwrap_err();
            assert!(matches!(kind, Error::Usage(_)) == isa.is_available(), "{kind}");
            assert_eq!(Isa::best(), best);
        }
    }
}
