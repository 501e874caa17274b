//! AVX2 with FMA: products modulo q through f64, sums of products through 25-bit halves.
//!
//! AVX2 multiplies integers of 32 bits only. For Shoup's product both factors go to f64 (exact below 2⁵²), the quotient
//! is rounded to an integer, and the remainder comes out exactly from two fused multiply-adds.

use super::super::token::{Kernel, Row, Simd};
use crate::isa::Isa;
use std::arch::x86_64::*;

/// Exists only where AVX2 and FMA do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn detect() -> Option<Self> {
        Isa::Avx2.is_available().then_some(Avx2(()))
    }
}

#[target_feature(enable = "avx2,fma")]
fn enter<K: Kernel>(s: Avx2, kernel: K) -> K::Output {
    kernel.run(s)
}

type V = [__m256i; 2];

/// The word whose f64 reading is 2⁵²: or-ing an integer below 2⁵² into it gives 2⁵² plus that integer.
const TWO_52: i64 = 0x4330_0000_0000_0000;

/// # Safety
/// Needs AVX2; the lanes must be below 2⁵².
#[inline(always)]
unsafe fn to_f64(x: __m256i) -> __m256d {
    // SAFETY: the caller's.
    unsafe {
        let magic = _mm256_set1_epi64x(TWO_52);
        _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(x, magic)), _mm256_castsi256_pd(magic))
    }
}

/// # Safety
/// Needs AVX2 and FMA; the contract of [`Simd::mul_shoup`].
///
/// With t = x·w/q: the quotient's f64 factor lies in (w/q - 2⁻⁵², w/q], so x times it in (t - 1, t]; rounding the
/// product, which is below 2⁵², moves it by at most 1/4, and rounding to an integer by 1/2. Hence c ∈ [t - 7/4, t +
/// 3/4] and r = x·w - c·q ∈ [-3q/4, 7q/4]; adding 2q to the negative ones leaves [0, 2q). Both h - c·q and the low part
/// of h are integers below 2⁵³, hence exact.
#[inline(always)]
unsafe fn mul_shoup(x: __m256i, w: __m256i, quotient: __m256i, q: __m256i) -> __m256i {
    // SAFETY: the caller's.
    unsafe {
        let (x, w, q) = (to_f64(x), to_f64(w), to_f64(q));
        let factor = _mm256_mul_pd(to_f64(quotient), _mm256_set1_pd(1.0 / (1u64 << 52) as f64));
        let c = _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(_mm256_mul_pd(x, factor));
        let h = _mm256_mul_pd(x, w);
        let l = _mm256_fmsub_pd(x, w, h);
        let r = _mm256_add_pd(_mm256_fnmadd_pd(c, q, h), l);
        let negative = _mm256_cmp_pd::<_CMP_LT_OQ>(r, _mm256_setzero_pd());
        let r = _mm256_add_pd(r, _mm256_and_pd(negative, _mm256_add_pd(q, q)));
        let magic = _mm256_set1_epi64x(TWO_52);
        _mm256_xor_si256(_mm256_castpd_si256(_mm256_add_pd(r, _mm256_castsi256_pd(magic))), magic)
    }
}

/// Sums of a₀b₀, of a₀b₁ + a₁b₀ and of a₁b₁ for a = a₀ + 2²⁵ a₁: 4096 terms stay below 2⁶², 2⁶³ and 2⁶².
type Sums = [__m256i; 3];

/// The same for both halves. Not a function of a closure: a closure that is not inlined would lose the instruction set.
macro_rules! both {
    (|$h:ident| $body:expr) => {
        [
            {
                let $h = 0;
                $body
            },
            {
                let $h = 1;
                $body
            },
        ]
    };
}

// In all of these, SAFETY: an `Avx2` comes from `detect` alone, so the instructions are there.
impl Simd for Avx2 {
    type V = V;
    type Acc = [Sums; 2];
    const WIDE: bool = false;

    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: `self` proves AVX2 and FMA.
        unsafe { enter(self, kernel) }
    }
    #[inline(always)]
    fn fused(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
    #[inline(always)]
    fn splat(self, x: u64) -> V {
        // SAFETY: see above the impl.
        unsafe { [_mm256_set1_epi64x(x as i64); 2] }
    }
    #[inline(always)]
    fn load(self, x: &Row) -> V {
        // SAFETY: see above the impl; a row is two readable vectors of 32 bytes, aligned to 64.
        both!(|h| unsafe { _mm256_load_si256(x.0[4 * h..].as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self, x: V, to: &mut Row) {
        for (h, x) in x.into_iter().enumerate() {
            // SAFETY: see above the impl; a row is two writable vectors of 32 bytes, aligned to 64.
            unsafe { _mm256_store_si256(to.0[4 * h..].as_mut_ptr().cast(), x) }
        }
    }
    #[inline(always)]
    fn add(self, a: V, b: V) -> V {
        // SAFETY: see above the impl.
        both!(|h| unsafe { _mm256_add_epi64(a[h], b[h]) })
    }
    #[inline(always)]
    fn sub(self, a: V, b: V) -> V {
        // SAFETY: see above the impl.
        both!(|h| unsafe { _mm256_sub_epi64(a[h], b[h]) })
    }
    #[inline(always)]
    fn and(self, a: V, b: V) -> V {
        // SAFETY: see above the impl.
        both!(|h| unsafe { _mm256_and_si256(a[h], b[h]) })
    }
    #[inline(always)]
    fn shr(self, a: V, bits: u32) -> V {
        // SAFETY: see above the impl.
        both!(|h| unsafe { _mm256_srl_epi64(a[h], _mm_cvtsi32_si128(bits as i32)) })
    }
    #[inline(always)]
    fn sub_if_ge(self, x: V, m: V) -> V {
        // The blend looks at the sign of x - m alone, which is exact for x < 2^63.
        // SAFETY: see above the impl.
        both!(|h| unsafe {
            let d = _mm256_castsi256_pd(_mm256_sub_epi64(x[h], m[h]));
            _mm256_castpd_si256(_mm256_blendv_pd(d, _mm256_castsi256_pd(x[h]), d))
        })
    }
    #[inline(always)]
    fn mul_shoup(self, x: V, w: V, quotient: V, q: V) -> V {
        // SAFETY: see above the impl; the contract is the caller's.
        both!(|h| unsafe { mul_shoup(x[h], w[h], quotient[h], q[h]) })
    }
    #[inline(always)]
    fn zero_sum(self) -> [Sums; 2] {
        // SAFETY: see above the impl.
        unsafe { [[_mm256_setzero_si256(); 3]; 2] }
    }
    #[inline(always)]
    fn multiply_add(self, sum: [Sums; 2], a: V, b: V) -> [Sums; 2] {
        // SAFETY: see above the impl.
        both!(|h| unsafe {
            let mask = _mm256_set1_epi64x((1 << 25) - 1);
            let (a0, a1) = (_mm256_and_si256(a[h], mask), _mm256_srli_epi64::<25>(a[h]));
            let (b0, b1) = (_mm256_and_si256(b[h], mask), _mm256_srli_epi64::<25>(b[h]));
            let middle = _mm256_add_epi64(_mm256_mul_epu32(a0, b1), _mm256_mul_epu32(a1, b0));
            [
                _mm256_add_epi64(sum[h][0], _mm256_mul_epu32(a0, b0)),
                _mm256_add_epi64(sum[h][1], middle),
                _mm256_add_epi64(sum[h][2], _mm256_mul_epu32(a1, b1)),
            ]
        })
    }
    #[inline(always)]
    fn split_sum(self, sum: [Sums; 2]) -> (V, V) {
        // SAFETY: see above the impl.
        let halves = both!(|h| unsafe {
            let [s0, s1, s2] = sum[h];
            let low27 = _mm256_set1_epi64x((1 << 27) - 1);
            let low2 = _mm256_set1_epi64x(3);
            let low52 = _mm256_set1_epi64x((1 << 52) - 1);
            let lo = _mm256_add_epi64(s0, _mm256_slli_epi64::<25>(_mm256_and_si256(s1, low27)));
            let lo = _mm256_add_epi64(lo, _mm256_slli_epi64::<50>(_mm256_and_si256(s2, low2)));
            let hi = _mm256_add_epi64(_mm256_srli_epi64::<27>(s1), _mm256_srli_epi64::<2>(s2));
            let hi = _mm256_add_epi64(hi, _mm256_srli_epi64::<52>(lo));
            (_mm256_and_si256(lo, low52), hi)
        });
        ([halves[0].0, halves[1].0], [halves[0].1, halves[1].1])
    }
}
