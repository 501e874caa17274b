//! Sums of residues on limbs of fewer than 64 bits: while a sum grows, no limb has a carry.
//!
//! An integer is Σ vᵢ·2^(ki) with N signed words vᵢ, k = ⌈(b + 2)/N⌉ for 2^(b-1) ≤ p < 2^b. In a *loose* residue |v| <
//! p, all limbs but the last are in 0 … 2ᵏ-1, so that the last has the sign. Additions and multiples by small integers
//! are those of the words, N of them side by side.
//!
//! **Reduction.** For Σ|kᵢ| ≤ [`budget`](Radix::budget) = 2^min(16, 60-k) =: w all words stay within 2⁶⁰. The quotient
//! q is v/p rounded, from the two highest limbs in floating point. The others are less than 2w·2^(k(N-2))/p ≤
//! 2^(19+N-2k) ≤ 1/32 of it, as k·N ≤ b + N + 1 and 2k ≥ N + 24 where there are others; roundings are below w·2⁻⁴⁸. So
//! |v - q·p| ≤ 9/16·p, and one pass of carries makes it loose again; its words stay below 2⁶².

use crate::field::rounded;
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// Loose residues on N limbs.
#[derive(Clone, Debug)]
pub(super) struct Radix<const N: usize> {
    /// k.
    shift: u32,
    /// p.
    p: [i64; N],
    /// 2^(k(N-2)) / p.
    ratio: f64,
}

impl<const N: usize> Radix<N> {
    /// For this modulus.
    ///
    /// # Panics
    /// If that would need limbs of more than 54 bits, or of so few that quotients are not certain.
    pub(super) fn new(modulus: &BigUint) -> Self {
        let bits = modulus.bits();
        let shift = (bits + 2).div_ceil(N as u64) as u32;
        assert!(shift <= 54 && (N == 2 || 2 * shift as usize >= N + 24), "{N} limbs for the modulus {modulus}");
        let mut digits = modulus.iter_u64_digits();
        let low = bits.saturating_sub(60);
        let top = (modulus >> low).to_f64().expect("60 bits");
        let exponent = f64::from(shift) * (N - 2) as f64 - low as f64;
        Radix { shift, p: unpack(shift, || digits.next().unwrap_or(0)), ratio: exponent.exp2() / top }
    }
    /// The most that the absolute values of the factors in a sum may add up to.
    pub(super) fn budget(&self) -> u64 {
        1 << (60 - self.shift).min(16)
    }
    /// A residue 0 ≤ a < p.
    #[inline(always)]
    pub(super) fn loose<const L: usize>(&self, a: &[u64; L]) -> [i64; N] {
        let mut next = 0;
        unpack(self.shift, || {
            next += 1;
            if next <= L { a[next - 1] } else { 0 }
        })
    }
    /// The residue 0 ≤ a < p of a loose one.
    #[inline(always)]
    pub(super) fn tight<const L: usize>(&self, a: &[i64; N]) -> [u64; L] {
        let back = a[N - 1] >> 63;
        let mask = (1i64 << self.shift) - 1;
        let (mut carry, mut buffer, mut have, mut at) = (0i64, 0u128, 0, 0);
        let mut limbs = [0; L];
        for (a, p) in a.iter().zip(&self.p) {
            let v = a + (p & back) + carry;
            carry = v >> self.shift;
            buffer |= u128::from((v & mask) as u64) << have;
            have += self.shift;
            if have >= 64 && at < L {
                limbs[at] = buffer as u64;
                (buffer, have, at) = (buffer >> 64, have - 64, at + 1);
            }
        }
        if at < L {
            limbs[at] = buffer as u64;
        }
        debug_assert_eq!(carry, 0, "a loose residue");
        limbs
    }
    /// Makes a sum within the budget loose.
    #[inline(always)]
    pub(super) fn reduce(&self, sum: &mut [i64; N]) {
        let high = sum[N - 1] as f64 * (1u64 << self.shift) as f64 + sum[N - 2] as f64;
        let q = rounded(high * self.ratio);
        let mask = (1i64 << self.shift) - 1;
        for (sum, p) in sum.iter_mut().zip(&self.p) {
            *sum -= q * p;
        }
        let mut carry = 0;
        for sum in &mut sum[..N - 1] {
            let v = *sum + carry;
            *sum = v & mask;
            carry = v >> self.shift;
        }
        sum[N - 1] += carry;
    }
}

/// The limbs of the words that `next` gives, the lowest first.
#[inline(always)]
fn unpack<const N: usize>(shift: u32, mut next: impl FnMut() -> u64) -> [i64; N] {
    let (mut buffer, mut have) = (0u128, 0);
    std::array::from_fn(|_| {
        if have < shift {
            buffer |= u128::from(next()) << have;
            have += 64;
        }
        let limb = buffer as u64 & ((1 << shift) - 1);
        (buffer, have) = (buffer >> shift, have - shift);
        limb as i64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use num_traits::One;

    fn integer<const N: usize>(radix: &Radix<N>, a: &[i64; N]) -> BigInt {
        a.iter().rev().fold(BigInt::ZERO, |v, limb| (v << radix.shift) + limb)
    }

    fn limbs<const L: usize>(n: &BigUint) -> [u64; L] {
        let mut digits = n.iter_u64_digits();
        std::array::from_fn(|_| digits.next().unwrap_or(0))
    }

    /// Sums at the edge of the budget, of the largest residues and of those next to a half, where quotients are closest
    /// to a mistake.
    fn at_the_budget<const L: usize, const N: usize>(p: &BigUint) {
        let (radix, one) = (Radix::<N>::new(p), BigUint::one());
        let (modulus, budget) = (BigInt::from(p.clone()), radix.budget() as i64);
        let half: BigUint = p >> 1;
        let samples = [BigUint::ZERO, one.clone(), p - 1u32, half.clone(), (&half + 1u32) % p, (p - 1u32) >> 7];
        for a in &samples {
            let loose: [i64; N] = radix.loose(&limbs::<L>(a));
            assert_eq!(integer(&radix, &loose), BigInt::from(a.clone()), "{a} mod {p}");
            assert_eq!(radix.tight::<L>(&loose), limbs::<L>(a), "{a} mod {p}");
            for k in [1, -1, 2, 3, -7, budget - 1, budget, 1 - budget, -budget] {
                // As one multiple, and beside a second residue.
                for (b, l) in [(a, 0), (&samples[2], k.signum()), (&samples[3], -k.signum())] {
                    let rest = k - k.signum() * l.abs();
                    let other: [i64; N] = radix.loose(&limbs::<L>(b));
                    let mut sum: [i64; N] = std::array::from_fn(|i| loose[i] * rest + other[i] * l);
                    let exact = BigInt::from(a.clone()) * rest + BigInt::from(b.clone()) * l;
                    radix.reduce(&mut sum);
                    let found = integer(&radix, &sum);
                    assert!(((&exact - &found) % &modulus) == BigInt::ZERO, "{k} times {a} mod {p}");
                    assert!(found.magnitude() * 16u32 <= p * 9u32, "{k} times {a} mod {p}: {found}");
                    assert!(sum[..N - 1].iter().all(|limb| (0..1 << radix.shift).contains(limb)));
                    let residue = ((exact % &modulus) + &modulus) % &modulus;
                    assert_eq!(radix.tight::<L>(&sum), limbs::<L>(residue.magnitude()), "{k} times {a} mod {p}");
                    // What is loose and negative as well.
                    let mut twice: [i64; N] = std::array::from_fn(|i| sum[i] * budget);
                    radix.reduce(&mut twice);
                    assert!(((&found * budget - integer(&radix, &twice)) % &modulus) == BigInt::ZERO);
                }
            }
        }
    }

    #[test]
    fn sums_up_to_the_budget() {
        let below = |e: u64, c: u32| (BigUint::one() << e) - c;
        for p in [3u32, 5, 7, 65521] {
            at_the_budget::<1, 2>(&p.into());
        }
        at_the_budget::<1, 2>(&below(63, 25));
        at_the_budget::<1, 2>(&((BigUint::one() << 62) + 135u32));
        at_the_budget::<2, 4>(&((BigUint::one() << 63) + 29u32));
        at_the_budget::<2, 4>(&below(64, 59));
        at_the_budget::<2, 4>(&below(89, 1));
        at_the_budget::<2, 4>(&below(127, 1));
        at_the_budget::<3, 6>(&below(128, 159));
        at_the_budget::<4, 6>(&below(255, 19));
        at_the_budget::<5, 8>(&below(256, 189));
        at_the_budget::<9, 12>(&below(512, 569));
        at_the_budget::<9, 12>(&below(521, 1));
        at_the_budget::<9, 12>(&below(575, 1));
        at_the_budget::<12, 16>(&below(607, 1));
        at_the_budget::<17, 24>(&below(1087, 1));
        at_the_budget::<17, 24>(&below(769, 1));
    }
}
