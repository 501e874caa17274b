//! The kernels' texts and constants: modulus, storage and width are known when a kernel is compiled, so that divisions
//! become multiplications and loops are unrolled.

use super::layout::{Kinds, LONGEST};
use crate::field::Modulus;
use crate::gpu::{self, Cubin, Source};
use crate::spmv::Lane;
use crate::{Error, Result};
use std::fmt::Write;

/// Threads of a block.
pub(crate) const THREADS: u32 = 128;
/// Threads of the one block that works through small groups.
pub(super) const CHAIN_THREADS: u32 = 512;
/// Bytes of the words in which threads read and write blocks.
const WORD: usize = 16;
/// The largest degree for which blocks over GF(2ᵏ) are packed: a mask of 32 bits for each row of a scaling.
const PACKED_DEGREE: usize = 32;

const SPARSE: &str = include_str!("../../../kernels/sparse.cu");
const BLOCK: &str = include_str!("../../../kernels/block.cuh");
const SUMS: &str = include_str!("../../../kernels/sums.cuh");

/// The blocks that kernels are compiled for: `block` elements of GF(pᵏ) in a row, k = `degree`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuShape {
    /// The modulus p.
    pub modulus: Modulus,
    /// Elements of a row.
    pub block: usize,
    /// The degree k.
    pub degree: usize,
}

impl GpuShape {
    /// The storage of residues in blocks that are copied to the GPU and back.
    pub fn lane(self) -> Lane {
        Lane::narrowest(self.modulus)
    }
    /// Bits of a residue on the GPU: those of [`GpuShape::lane`]; one mod 2, for degrees up to 32.
    pub fn bits(self) -> usize {
        match self.modulus.get() {
            2 if self.degree <= PACKED_DEGREE => 1,
            _ => 8 * self.lane().bytes(),
        }
    }
    /// Residues of a row that are not padding.
    pub fn width(self) -> usize {
        self.block * self.degree
    }
    /// Words of a row.
    pub(super) fn pieces(self) -> usize {
        (self.width() * self.bits()).div_ceil(8 * WORD)
    }
    /// The most GPUs that share the columns: each has at least a word of a row, and an element.
    pub(crate) fn most_gpus(self) -> usize {
        self.pieces().min(self.block)
    }
    /// Residues of a word.
    pub(super) fn lanes(self) -> usize {
        8 * WORD / self.bits()
    }
    /// Residues of a row, with zeros as padding.
    pub(crate) fn padded(self) -> usize {
        self.pieces() * self.lanes()
    }
    /// Bytes of a row.
    pub fn row_bytes(self) -> usize {
        self.pieces() * WORD
    }

    /// `problem.cuh`, up to what a kernel needs in addition.
    fn constants(self) -> String {
        let p = self.modulus.get();
        let mut text = String::new();
        let mut define =
            |name: &str, value: String| writeln!(text, "#define {name} {value}").expect("a string takes all");
        define("P", format!("{p}ull"));
        define("LANE", self.bits().to_string());
        define("PIECES", self.pieces().to_string());
        define("THREADS", THREADS.to_string());
        define("S", self.block.to_string());
        define("DEGREE", self.degree.to_string());
        if self.lane() == Lane::U64 {
            define("P_INVERSE", format!("{}ull", inverse(p).wrapping_neg()));
            define("R2", format!("{}ull", self.montgomery(1)));
        }
        text
    }

    /// x·2¹²⁸ mod p: what the kernels for 64 bits multiply by.
    pub(super) fn montgomery(self, x: u64) -> u64 {
        let p = self.modulus;
        let word = p.reduce_u128(1 << 64);
        p.mul(p.mul(word, word), x)
    }

    /// Compiles a kernel on such blocks, with constants of its own: lines of `problem.cuh`.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub(crate) fn compile(self, name: &str, text: &str, more: &str, capability: (u32, u32)) -> Result<Cubin> {
        let problem = self.constants() + more;
        let headers = [("problem.cuh", problem.as_str()), gpu::WORDS, ("block.cuh", BLOCK), ("sums.cuh", SUMS)];
        gpu::compile(&Source { name, text, headers: &headers }, capability)
    }

    /// What kernels with sums of up to so many entries are told.
    ///
    /// # Errors
    /// [`Error::Check`] if the sums would not be exact.
    pub(super) fn sums(self, kinds: Kinds, longest: usize) -> Result<String> {
        if self.bits() > 1 && !sums_are_exact(self.lane(), self.modulus, longest as u128) {
            return Err(Error::Check(format!("sums of {longest} terms mod {} are not exact on a GPU", self.modulus)));
        }
        let carry = u8::from(!fits_64_bits(self.modulus, longest as u128));
        Ok(format!("{}#define LONGEST {longest}\n#define CARRY {carry}\n", kinds.defines()))
    }

    /// The kernels of `kernels/sparse.cu`.
    pub(super) fn sparse(self, kinds: Kinds, capability: (u32, u32)) -> Result<Cubin> {
        let more = format!("{}#define CHAIN {CHAIN_THREADS}\n", self.sums(kinds, LONGEST)?);
        self.compile("sparse.cu", SPARSE, &more, capability)
    }
}

/// 1/p mod 2⁶⁴ for an odd p, by Newton's iteration: p·x = 1 mod 2³ for x = p, and each step doubles the bits.
fn inverse(p: u64) -> u64 {
    (0..5).fold(p, |x, _| x.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(x))))
}

/// Whether the sums of a row with `t` entries are exact in the kernels' accumulators. A residue is at most m = p - 1,
/// and the sum of entries -1 is made non-negative by adding t·p.
///
/// - u8: signs and values as one signed number mod 2³², t·m² ≤ 2³¹ - 1 (a ±1 counts no more than a value, p ≥ 3; all
///   entries mod 2 are 1). The sums of parts of a word are taken mod 2³², which differences undo.
/// - u16: signs t·m ≤ 2³¹ - 1; with values t·m² + 2t·p ≤ 2⁶⁴ - 1.
/// - u32: of sums in 96 bits, at most t carries: p + t·p + 2t·p ≤ 2⁶⁴ - 1.
/// - u64: 2¹²⁷ + 2t·p + m² ≤ 2¹²⁸ - 1: a product is added to what is below 2¹²⁷, and what is not is made so.
pub(super) fn sums_are_exact(lane: Lane, p: Modulus, t: u128) -> bool {
    let p = p.get() as u128;
    let m = p - 1;
    match lane {
        Lane::U8 => t * m * m < 1 << 31,
        Lane::U16 => t * m < 1 << 31 && t * m * m + 2 * t * p < 1 << 64,
        Lane::U32 => p + 3 * t * p < 1 << 64,
        Lane::U64 => match (2 * t).checked_mul(p) {
            Some(signs) => signs < (1 << 127) - m * m,
            None => false,
        },
        Lane::F32 | Lane::F64 => false,
    }
}

/// Whether a sum of `t` products of residues fits 64 bits: t·(p-1)² ≤ 2⁶⁴ - 1.
fn fits_64_bits(p: Modulus, t: u128) -> bool {
    let m = p.get() as u128 - 1;
    match (m * m).checked_mul(t) {
        Some(sum) => sum < 1 << 64,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceReason;

    fn modulus(p: u64) -> Modulus {
        Modulus::new(p).unwrap()
    }

    #[test]
    fn sums_at_the_edge() {
        let largest = [(251, Lane::U8), (65521, Lane::U16), (4294967291, Lane::U32), ((1 << 63) - 25, Lane::U64)];
        for (p, lane) in largest {
            assert_eq!(Lane::narrowest(modulus(p)), lane);
            assert!(sums_are_exact(lane, modulus(p), LONGEST as u128), "{p}");
        }
        let most =
            |lane, p: u64| (0..127).map(|k| 1u128 << k).take_while(|&t| sums_are_exact(lane, modulus(p), t)).last();
        // 34359 * 250^2 < 2^31, 32776 * 65520 < 2^31.
        let edge =
            |lane, p, t| assert!(sums_are_exact(lane, modulus(p), t) && !sums_are_exact(lane, modulus(p), t + 1));
        edge(Lane::U8, 251, i32::MAX as u128 / (250 * 250));
        edge(Lane::U16, 65521, i32::MAX as u128 / 65520);
        edge(Lane::U32, 4294967291, (u64::MAX as u128 - 4294967291) / (3 * 4294967291));
        assert_eq!(most(Lane::U64, (1 << 63) - 25), Some(1 << 62));
        // In the accumulator itself.
        let t = i32::MAX / (250 * 250);
        assert!((0..t).try_fold(0i32, |sum, _| sum.checked_add(250 * 250)).is_some());
        assert!((0..=t).try_fold(0i32, |sum, _| sum.checked_add(250 * 250)).is_none());
        let p = modulus(379625083);
        let most = (u64::MAX as u128) / 379625082u128.pow(2);
        assert!(fits_64_bits(p, most) && !fits_64_bits(p, most + 1));
    }

    #[test]
    fn montgomery_constants() {
        for p in [4294967311, (1 << 61) - 1, (1 << 63) - 25] {
            assert_eq!(inverse(p).wrapping_mul(p), 1);
            let shape = GpuShape { modulus: modulus(p), block: 4, degree: 1 };
            let two = |k: u64| shape.modulus.pow(2, k);
            assert_eq!((shape.montgomery(1), shape.montgomery(5)), (two(128), shape.modulus.mul(two(128), 5)));
        }
    }

    #[test]
    fn rows_are_whole_words() {
        let shape = |p, block, degree| GpuShape { modulus: modulus(p), block, degree };
        for (p, block, degree, bytes) in [
            (2, 4, 16, 16),
            (2, 8, 17, 32),
            (2, 2, 33, 80),
            (65521, 5, 1, 16),
            (65521, 9, 1, 32),
            (65537, 32, 1, 128),
            ((1 << 61) - 1, 3, 1, 32),
        ] {
            let shape = shape(p, block, degree);
            assert_eq!((shape.row_bytes(), shape.padded() * shape.bits() / 8), (bytes, bytes));
            assert!(shape.padded() >= shape.width());
        }
    }

    /// Where NVRTC is installed, the kernels compile for every storage and kind of entries, without warnings or spills.
    #[test]
    fn kernels_compile_where_the_compiler_is() {
        for (p, block, degree) in [
            (2, 8, 16),
            (2, 256, 1),
            (2, 3, 40),
            (251, 16, 3),
            (251, 32, 1),
            (65521, 16, 1),
            (65521, 64, 1),
            (65521, 5, 2),
            (4294967291, 16, 1),
            ((1 << 31) - 1, 5, 2),
            ((1 << 61) - 1, 8, 1),
            ((1 << 63) - 25, 4, 1),
        ] {
            let shape = GpuShape { modulus: modulus(p), block, degree };
            for (signs, others) in [(true, false), (false, true), (true, true)] {
                match shape.sparse(Kinds { signs, others }, (9, 0)) {
                    Ok(cubin) => assert!(!cubin.log.contains("warning"), "p = {p}: {}", cubin.log),
                    Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => eprintln!("skipped: {no}"),
                    Err(other) => panic!("p = {p}: {other}"),
                }
            }
        }
    }
}
