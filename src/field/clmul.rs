//! Products of polynomials over GF(2) in the bits of machine words.

#[cfg(target_arch = "x86_64")]
use crate::isa::Extra;

/// The product of two polynomials over GF(2) of degree below 128, as (low 128 bits, high 128 bits).
#[inline]
pub(crate) fn clmul(a: u128, b: u128) -> (u128, u128) {
    #[cfg(target_arch = "x86_64")]
    if Extra::Clmul.may_be_used() {
        // SAFETY: the feature of `x86` was detected in the line above.
        return unsafe { x86(a, b) };
    }
    karatsuba(a, b, portable)
}

/// Three half-size products instead of four: (a₀ + a₁)(b₀ + b₁) - a₀b₀ - a₁b₁ = a₀b₁ + a₁b₀.
#[inline(always)]
fn karatsuba(a: u128, b: u128, half: impl Fn(u64, u64) -> u128) -> (u128, u128) {
    let (a0, a1, b0, b1) = (a as u64, (a >> 64) as u64, b as u64, (b >> 64) as u64);
    let low = half(a0, b0);
    if a1 | b1 == 0 {
        return (low, 0);
    }
    let high = half(a1, b1);
    let middle = half(a0 ^ a1, b0 ^ b1) ^ low ^ high;
    (low ^ (middle << 64), high ^ (middle >> 64))
}

/// The product by windows of four bits of `b`.
fn portable(a: u64, b: u64) -> u128 {
    let mut multiple = [0u128; 16];
    for i in 1..16 {
        multiple[i] = (multiple[i >> 1] << 1) ^ if i & 1 == 1 { a as u128 } else { 0 };
    }
    (0..16).rev().fold(0, |acc, window| (acc << 4) ^ multiple[(b >> (4 * window)) as usize & 15])
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "pclmulqdq,sse2")]
fn x86(a: u128, b: u128) -> (u128, u128) {
    use std::arch::x86_64::{__m128i, _mm_clmulepi64_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_unpackhi_epi64};
    karatsuba(a, b, |x, y| {
        let product: __m128i = _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(x as i64), _mm_cvtsi64_si128(y as i64));
        let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(product, product)) as u64;
        (high as u128) << 64 | _mm_cvtsi128_si64(product) as u64 as u128
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn both_products_agree_with_shift_and_add() {
        let mut rng = Rng::seed_from_u64(1);
        for round in 0..500 {
            let (a, b) = match round {
                0 => (u128::MAX, u128::MAX),
                1 => (0, u128::MAX),
                2 => (u64::MAX as u128, u64::MAX as u128),
                _ => (rng.random::<u128>(), rng.random::<u128>() >> (round % 128)),
            };
            let (mut low, mut high) = (0u128, 0u128);
            for i in (0..128).filter(|i| b >> i & 1 == 1) {
                low ^= a << i;
                high ^= if i == 0 { 0 } else { a >> (128 - i) };
            }
            assert_eq!(clmul(a, b), (low, high));
            assert_eq!(karatsuba(a, b, portable), (low, high));
        }
    }
}
