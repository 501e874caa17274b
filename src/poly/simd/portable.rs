//! The eight lanes in plain Rust: 64-bit words with 128-bit products.

use super::token::{Kernel, Row, Simd};

/// Runs everywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

#[inline(always)]
fn lanes(f: impl Fn(usize) -> u64) -> [u64; 8] {
    std::array::from_fn(f)
}

impl Simd for Portable {
    type V = [u64; 8];
    type Acc = [u128; 8];
    const WIDE: bool = false;

    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }
    #[inline(always)]
    fn fused(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }
    #[inline(always)]
    fn splat(self, x: u64) -> [u64; 8] {
        [x; 8]
    }
    #[inline(always)]
    fn load(self, x: &Row) -> [u64; 8] {
        x.0
    }
    #[inline(always)]
    fn store(self, x: [u64; 8], to: &mut Row) {
        to.0 = x;
    }
    #[inline(always)]
    fn add(self, a: [u64; 8], b: [u64; 8]) -> [u64; 8] {
        lanes(|i| a[i].wrapping_add(b[i]))
    }
    #[inline(always)]
    fn sub(self, a: [u64; 8], b: [u64; 8]) -> [u64; 8] {
        lanes(|i| a[i].wrapping_sub(b[i]))
    }
    #[inline(always)]
    fn and(self, a: [u64; 8], b: [u64; 8]) -> [u64; 8] {
        lanes(|i| a[i] & b[i])
    }
    #[inline(always)]
    fn shr(self, a: [u64; 8], bits: u32) -> [u64; 8] {
        a.map(|a| a >> bits)
    }
    #[inline(always)]
    fn sub_if_ge(self, x: [u64; 8], m: [u64; 8]) -> [u64; 8] {
        // A difference below zero wraps to a word above every x < 2^63.
        lanes(|i| x[i].min(x[i].wrapping_sub(m[i])))
    }
    #[inline(always)]
    fn mul_shoup(self, x: [u64; 8], w: [u64; 8], quotient: [u64; 8], q: [u64; 8]) -> [u64; 8] {
        lanes(|i| {
            let c = ((x[i] as u128 * quotient[i] as u128) >> 52) as u64;
            x[i].wrapping_mul(w[i]).wrapping_sub(c.wrapping_mul(q[i]))
        })
    }
    #[inline(always)]
    fn zero_sum(self) -> [u128; 8] {
        [0; 8]
    }
    #[inline(always)]
    fn multiply_add(self, sum: [u128; 8], a: [u64; 8], b: [u64; 8]) -> [u128; 8] {
        std::array::from_fn(|i| sum[i] + a[i] as u128 * b[i] as u128)
    }
    #[inline(always)]
    fn split_sum(self, sum: [u128; 8]) -> ([u64; 8], [u64; 8]) {
        (lanes(|i| sum[i] as u64 & ((1 << 52) - 1)), lanes(|i| (sum[i] >> 52) as u64))
    }
}
