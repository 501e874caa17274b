//! The kernels' texts and constants: the modulus and its digits are known when a kernel is compiled.

use crate::field::Modulus;
use crate::gpu::{self, Cubin, Source};
use crate::{DeviceReason, Error, Result};

const HEADER: &str = include_str!("../../../kernels/dense.cuh");
const PRODUCTS: &str = include_str!("../../../kernels/gemm.cu");
const ECHELON: &str = include_str!("../../../kernels/echelon.cu");

/// Terms that a product takes at once at most: packed operands stay small beside the matrices.
const MOST_TERMS: usize = 1 << 14;
/// The compute capability whose tensor cores have instructions of their own.
const HOPPER: (u32, u32) = (9, 0);
/// The least compute capability: matrix instructions for 32 bytes of the depth, copies in the background.
const LEAST: (u32, u32) = (8, 0);

/// How residues mod p are stored on a GPU, and cut to digits for its tensor cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub modulus: Modulus,
}

impl Form {
    /// `None` from 2³² on.
    pub fn new(modulus: Modulus) -> Option<Form> {
        (modulus.get() < 1 << 32).then_some(Form { modulus })
    }
    /// Bytes of a residue: 1, 2 or 4.
    pub fn bytes(self) -> usize {
        match self.modulus.get() {
            ..=0xff => 1,
            0x100..=0xffff => 2,
            _ => 4,
        }
    }
    /// Digits to the base 256, from -128 to 127, of a residue: as many as bytes, as p ≤ 256ᴸ.
    pub fn digits(self) -> usize {
        self.bytes()
    }
    /// Residues of a word of 16 bytes.
    pub fn lanes(self) -> usize {
        16 / self.bytes()
    }
    /// Residues of a row of `cols`, with zeros as padding.
    pub fn stride(self, cols: usize) -> usize {
        cols.next_multiple_of(self.lanes())
    }
    /// Terms that a product takes at once.
    pub fn terms(self) -> usize {
        exact_terms(self.digits()).min(MOST_TERMS)
    }

    /// Whether products are made by the instructions that only one architecture has.
    pub fn is_hopper(capability: (u32, u32)) -> bool {
        capability == HOPPER
    }
    /// The kernels of `kernels/gemm.cu`; with the general instructions if not `hopper`.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn products(self, capability: (u32, u32), hopper: bool) -> Result<Cubin> {
        let compile = if hopper { gpu::compile_for_one } else { gpu::compile };
        self.compile("gemm.cu", PRODUCTS, capability, hopper, compile)
    }
    /// The kernels of `kernels/echelon.cu`.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn echelon(self, capability: (u32, u32)) -> Result<Cubin> {
        self.compile("echelon.cu", ECHELON, capability, false, gpu::compile)
    }
    fn compile(
        self,
        name: &str,
        text: &str,
        capability: (u32, u32),
        hopper: bool,
        compile: fn(&Source<'_>, (u32, u32)) -> Result<Cubin>,
    ) -> Result<Cubin> {
        if capability < LEAST {
            let (major, minor) = capability;
            let message =
                format!("dense matrices need a GPU of compute capability 8.0 or later: this one has {major}.{minor}");
            return Err(Error::device(DeviceReason::NoKernel, message));
        }
        let problem = format!(
            "#define P {}ull\n#define LANE {}\n#define DIGITS {}\n#define HOPPER {}\n",
            self.modulus,
            8 * self.bytes(),
            self.digits(),
            u8::from(hopper)
        );
        let headers = [("problem.cuh", problem.as_str()), gpu::WORDS, ("dense.cuh", HEADER)];
        compile(&Source { name, text, headers: &headers }, capability)
    }
}

/// The largest number of terms k of residues of L digits whose sums are exact in 32 bits: a plane adds k·L products of
/// two digits, each at most 2¹⁴ in size, so that k·L·2¹⁴ ≤ 2³¹ - 1.
fn exact_terms(digits: usize) -> usize {
    i32::MAX as usize / (digits << 14)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(p: u64) -> Form {
        Form::new(Modulus::new(p).unwrap()).unwrap()
    }

    #[test]
    fn sums_are_exact_up_to_the_edge() {
        for digits in [1, 2, 4] {
            let most = exact_terms(digits);
            let sum = |terms: usize| {
                let products = std::iter::repeat_n((-128i32) * -128, terms * digits);
                products.into_iter().try_fold(0i32, |sum, x| sum.checked_add(x))
            };
            assert!(sum(most).is_some() && sum(most + 1).is_none(), "{digits} digits");
        }
        for p in [2, 251, 257, 65521, 65537, 4294967291] {
            let form = form(p);
            assert!(form.terms() <= exact_terms(form.digits()) && form.terms() >= 1 << 14);
            assert!(u128::from(p) <= 1 << (8 * form.digits()), "{p}");
        }
        assert!(Form::new(Modulus::new(4294967311).unwrap()).is_none());
    }

    #[test]
    fn rows_are_whole_words() {
        for (p, cols, stride) in [(2, 0, 0), (251, 1, 16), (65521, 9, 16), (65537, 4, 4), (65537, 5, 8)] {
            assert_eq!(form(p).stride(cols), stride);
        }
    }

    /// Where NVRTC is installed, all kernels compile without warnings, for one architecture and for others, and
    /// products keep their sums in registers.
    #[test]
    fn kernels_compile_where_the_compiler_is() {
        for p in [251, 65521, (1 << 31) - 1, 4294967291] {
            let form = form(p);
            let products = [((9, 0), true), ((8, 0), false)].map(|(of, hopper)| form.products(of, hopper));
            for (number, cubin) in products.into_iter().chain([form.echelon((9, 0))]).enumerate() {
                match cubin {
                    Ok(cubin) => {
                        let spills = cubin.log.matches("bytes spill").count();
                        let none = cubin.log.matches(" 0 bytes spill").count();
                        let kept = number == 2 || spills == none;
                        assert!(!cubin.log.contains("warning") && kept, "p = {p}: {}", cubin.log);
                    }
                    Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => eprintln!("skipped: {no}"),
                    Err(other) => panic!("p = {p}: {other}"),
                }
            }
        }
        let old = form(3).echelon((7, 5)).unwrap_err().to_string();
        assert!(old.contains("8.0 or later: this one has 7.5"), "{old}");
    }
}
