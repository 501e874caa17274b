//! Entry points compiled for AVX2 and AVX-512.

use super::kernel::Kernel;
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

/// Prefetches the cache line that `element` begins in.
#[inline(always)]
pub(super) fn prefetch<T>(element: &T) {
    // SAFETY: SSE is part of x86-64. The address is that of a live element, and a prefetch neither faults nor reads
    // anything the program could see.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) }
}

pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
}

pub(super) fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

#[inline]
pub(super) fn has_clmul() -> bool {
    is_x86_feature_detected!("pclmulqdq")
}

pub(super) fn has_ifma() -> bool {
    has_avx512() && is_x86_feature_detected!("avx512ifma")
}

pub(super) fn has_vnni() -> bool {
    has_avx512() && is_x86_feature_detected!("avx512vnni")
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2")]
fn avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[inline]
pub(super) fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    assert!(has_avx2(), "this processor has no AVX2");
    // SAFETY: the features that `avx2` is compiled for were detected in the line above.
    unsafe { avx2(kernel) }
}

#[inline]
pub(super) fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    assert!(has_avx512(), "this processor has no AVX-512");
    // SAFETY: the features that `avx512` is compiled for were detected in the line above.
    unsafe { avx512(kernel) }
}
