//! AVX-512 with IFMA: the low and the high 52 bits of eight 52 × 52-bit products in one instruction each.

use super::super::token::{Kernel, Row, Simd};
use crate::isa::Extra;
use std::arch::x86_64::*;

/// Exists only where AVX-512 F, DQ, VL, BW and IFMA, FMA and BMI2 do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

impl Avx512 {
    pub(crate) fn detect() -> Option<Self> {
        Extra::Ifma.is_available().then_some(Avx512(()))
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma,fma,bmi2")]
fn enter<K: Kernel>(s: Avx512, kernel: K) -> K::Output {
    kernel.run(s)
}

// In all of these, SAFETY: an `Avx512` comes from `detect` alone, so the instructions are there.
impl Simd for Avx512 {
    type V = __m512i;
    type Acc = (__m512i, __m512i);
    const WIDE: bool = true;

    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: `self` proves all of the enabled features.
        unsafe { enter(self, kernel) }
    }
    #[inline(always)]
    fn fused(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
    #[inline(always)]
    fn splat(self, x: u64) -> __m512i {
        // SAFETY: see above the impl.
        unsafe { _mm512_set1_epi64(x as i64) }
    }
    #[inline(always)]
    fn load(self, x: &Row) -> __m512i {
        // SAFETY: see above the impl; a row is 64 readable bytes, aligned to 64.
        unsafe { _mm512_load_si512(x.0.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store(self, x: __m512i, to: &mut Row) {
        // SAFETY: see above the impl; a row is 64 writable bytes, aligned to 64.
        unsafe { _mm512_store_si512(to.0.as_mut_ptr().cast(), x) }
    }
    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above the impl.
        unsafe { _mm512_add_epi64(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above the impl.
        unsafe { _mm512_sub_epi64(a, b) }
    }
    #[inline(always)]
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above the impl.
        unsafe { _mm512_and_si512(a, b) }
    }
    #[inline(always)]
    fn shr(self, a: __m512i, bits: u32) -> __m512i {
        // SAFETY: see above the impl.
        unsafe { _mm512_srl_epi64(a, _mm_cvtsi32_si128(bits as i32)) }
    }
    #[inline(always)]
    fn sub_if_ge(self, x: __m512i, m: __m512i) -> __m512i {
        // SAFETY: see above the impl. A difference below zero wraps to a word above every x < 2^63.
        unsafe { _mm512_min_epu64(x, _mm512_sub_epi64(x, m)) }
    }
    #[inline(always)]
    fn mul_shoup(self, x: __m512i, w: __m512i, quotient: __m512i, q: __m512i) -> __m512i {
        // x·w - c·q lies in [0, 2q) ⊂ [0, 2^52), so its low 52 bits are enough; IFMA reads -q modulo 2^52 itself.
        // SAFETY: see above the impl.
        unsafe {
            let zero = _mm512_setzero_si512();
            let c = _mm512_madd52hi_epu64(zero, x, quotient);
            let r = _mm512_madd52lo_epu64(zero, x, w);
            let r = _mm512_madd52lo_epu64(r, c, _mm512_sub_epi64(zero, q));
            _mm512_and_si512(r, _mm512_set1_epi64((1 << 52) - 1))
        }
    }
    #[inline(always)]
    fn zero_sum(self) -> (__m512i, __m512i) {
        // SAFETY: see above the impl.
        unsafe { (_mm512_setzero_si512(), _mm512_setzero_si512()) }
    }
    #[inline(always)]
    fn multiply_add(self, (lo, hi): (__m512i, __m512i), a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        // SAFETY: see above the impl.
        unsafe { (_mm512_madd52lo_epu64(lo, a, b), _mm512_madd52hi_epu64(hi, a, b)) }
    }
    #[inline(always)]
    fn split_sum(self, (lo, hi): (__m512i, __m512i)) -> (__m512i, __m512i) {
        // Each high half is below 2^48: 4096 of them and the carry stay below 2^61.
        // SAFETY: see above the impl.
        unsafe {
            let carry = _mm512_srli_epi64::<52>(lo);
            (_mm512_and_si512(lo, _mm512_set1_epi64((1 << 52) - 1)), _mm512_add_epi64(hi, carry))
        }
    }
}
