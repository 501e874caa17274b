//! Eight lanes and the arithmetic on them: what every instruction set implements.

use crate::memory;

memory::plain! {
    /// Eight lanes in memory: one cache line. In a transform, the same coefficient of eight polynomials.
    #[derive(Debug, Default, PartialEq, Eq)]
    #[repr(C, align(64))]
    pub struct Row(pub [u64; 8]): Pod, Zeroable
}

/// Arithmetic on eight lanes. The moduli q are below 2⁵⁰.
pub(crate) trait Simd: Copy + Send + Sync {
    /// Eight lanes in registers.
    type V: Copy;
    /// Eight exact sums of products.
    type Acc: Copy;
    /// Whether the register file holds a block of 4 × 2 accumulators.
    const WIDE: bool;

    /// Runs a kernel compiled for this instruction set.
    fn run<K: Kernel>(self, kernel: K) -> K::Output;
    /// a·b + c in f64, fused where there is an instruction for it.
    #[cfg_attr(not(feature = "fft"), allow(dead_code, reason = "for floating-point transforms"))]
    fn fused(a: f64, b: f64, c: f64) -> f64;

    fn splat(self, x: u64) -> Self::V;
    fn load(self, x: &Row) -> Self::V;
    fn store(self, x: Self::V, to: &mut Row);
    /// a + b mod 2⁶⁴.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// a - b mod 2⁶⁴.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    fn shr(self, a: Self::V, bits: u32) -> Self::V;
    /// x - m where x ≥ m, else x; for x < 2⁶³ and m ≤ 2⁶².
    fn sub_if_ge(self, x: Self::V, m: Self::V) -> Self::V;
    /// Shoup's product: some r ≡ x·w (mod q) in [0, 2q), for x < 2⁵², w < q and `quotient` = ⌊2⁵² w / q⌋.
    fn mul_shoup(self, x: Self::V, w: Self::V, quotient: Self::V, q: Self::V) -> Self::V;
    /// The empty sum.
    fn zero_sum(self) -> Self::Acc;
    /// sum + a·b exactly, for a, b < 2⁵⁰ and at most [`MAX_TERMS`] terms.
    fn multiply_add(self, sum: Self::Acc, a: Self::V, b: Self::V) -> Self::Acc;
    /// The sum as lo + 2⁵² hi with lo < 2⁵² and hi < 2⁶¹.
    fn split_sum(self, sum: Self::Acc) -> (Self::V, Self::V);
}

/// How many products of two residues below 2⁵⁰ a sum holds: their low 52 bits add up to less than 2¹² · 2⁵² = 2⁶⁴.
pub(crate) const MAX_TERMS: usize = 4096;

/// A computation generic over the instruction set.
pub(crate) trait Kernel {
    type Output;
    fn run<S: Simd>(self, s: S) -> Self::Output;
}
