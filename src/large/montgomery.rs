//! GF(p) on L limbs of 64 bits, for odd primes p < 2^(64L-1), with products in Montgomery's form.
//!
//! An element a is stored as a·R mod p, R = 2^(64L). Products are reduced limb by limb (P. L. Montgomery, Math. Comp.
//! 44, 1985; the order of loops is CIOS of Ç. K. Koç, T. Acar, B. S. Kaliski, IEEE Micro 16, 1996). All else is linear
//! and does not see the factor R.
//!
//! **Multiples** by k ≤ 2⁶² are reduced by one quotient (P. Barrett, CRYPTO 1986): for 0 ≤ v < 2⁶²·p, on L + 1 limbs,
//! 2^(b-1) ≤ p < 2^b, let t = ⌊v / 2^(b-1)⌋ < 2⁶³, μ = ⌊2^(b+63) / p⌋ < 2⁶⁴ and q = ⌊t·μ / 2⁶⁴⌋. Then q ≤ v/p, and
//! v/p - q < 2^(b-1)/p + t/2⁶⁴ + 1 < 1 + ½ + 1: after v - q·p at most two subtractions of p remain.
//!
//! **Sums** of small multiples are taken on other limbs ([`Radix`]).
//!
//! **Sums of products.** k ≤ 2⁶² products are an integer below k·p² on 2L + 1 limbs. Montgomery's reduction divides it
//! by R and leaves at most k·p²/R + p < (k/2 + 1)·p ≤ 2⁶²·p, since p < R/2: then as above.

#![expect(clippy::needless_range_loop, reason = "a limb has the same place in several numbers")]

use super::arithmetic::Arithmetic;
use super::radix::Radix;
use num_bigint::BigUint;
use num_traits::One;

/// GF(p) on L limbs, with N limbs for sums.
#[derive(Clone, Debug)]
pub(crate) struct Montgomery<const L: usize, const N: usize> {
    modulus: BigUint,
    p: [u64; L],
    /// -1/p mod 2⁶⁴.
    negative_inverse: u64,
    /// R mod p: the element 1.
    one: [u64; L],
    /// R² mod p.
    square: [u64; L],
    /// b with 2^(b-1) ≤ p < 2^b.
    bits: u32,
    /// μ.
    quotient: u64,
    radix: Radix<N>,
}

/// An integer of 2L + 1 limbs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Products<const L: usize> {
    halves: [[u64; L]; 2],
    top: u64,
}

#[inline(always)]
fn add_carry(a: u64, b: u64, carry: &mut bool) -> u64 {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(u64::from(*carry));
    *carry = first | second;
    sum
}

#[inline(always)]
fn sub_borrow(a: u64, b: u64, borrow: &mut bool) -> u64 {
    let (rest, first) = a.overflowing_sub(b);
    let (rest, second) = rest.overflowing_sub(u64::from(*borrow));
    *borrow = first | second;
    rest
}

/// a + b·c + carry, its high limb the next carry.
#[inline(always)]
fn add_product(a: u64, b: u64, c: u64, carry: &mut u64) -> u64 {
    let sum = u128::from(a) + u128::from(b) * u128::from(c) + u128::from(*carry);
    *carry = (sum >> 64) as u64;
    sum as u64
}

/// The limbs of n < 2^(64L).
fn limbs<const L: usize>(n: &BigUint) -> [u64; L] {
    let mut digits = n.iter_u64_digits();
    std::array::from_fn(|_| digits.next().unwrap_or(0))
}

impl<const L: usize, const N: usize> Montgomery<L, N> {
    /// The field of this prime.
    ///
    /// # Panics
    /// Unless p is odd, 3 ≤ p < 2^(64L-1).
    pub(crate) fn new(modulus: &BigUint) -> Self {
        let bits = modulus.bits();
        assert!(modulus.bit(0) && bits > 1 && bits < 64 * L as u64, "{L} limbs for the modulus {modulus}");
        let p = limbs::<L>(modulus);
        // Newton: each step doubles the bits that are right; p itself is right in three.
        let mut inverse = p[0];
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(p[0].wrapping_mul(inverse)));
        }
        let power = |e: u64| (BigUint::one() << e) % modulus;
        let quotient =
            ((BigUint::one() << (bits + 63)) / modulus).iter_u64_digits().next().expect("μ is at least 2^63");
        Montgomery {
            p,
            negative_inverse: inverse.wrapping_neg(),
            one: limbs(&power(64 * L as u64)),
            square: limbs(&power(128 * L as u64)),
            bits: bits as u32,
            quotient,
            radix: Radix::new(modulus),
            modulus: modulus.clone(),
        }
    }

    /// a - p if that is not negative, for a < 2p.
    #[inline(always)]
    fn once(&self, a: [u64; L]) -> [u64; L] {
        let mut borrow = false;
        let less: [u64; L] = std::array::from_fn(|i| sub_borrow(a[i], self.p[i], &mut borrow));
        if borrow { a } else { less }
    }

    /// a·b/R mod p.
    #[inline(always)]
    fn montgomery(&self, a: &[u64; L], b: &[u64; L]) -> [u64; L] {
        // t < b + p < 2^(64L) before each step, and below 2^64·(b + p) < 2^(64(L+1)) in it.
        let mut t = [0; L];
        for &digit in a {
            let mut carry = 0;
            for i in 0..L {
                t[i] = add_product(t[i], digit, b[i], &mut carry);
            }
            let top = carry;
            let m = t[0].wrapping_mul(self.negative_inverse);
            let mut carry = 0;
            add_product(t[0], m, self.p[0], &mut carry);
            for i in 1..L {
                t[i - 1] = add_product(t[i], m, self.p[i], &mut carry);
            }
            t[L - 1] = top.wrapping_add(carry);
        }
        self.once(t)
    }

    /// v mod p for 0 ≤ v < 2⁶²·p.
    #[inline(always)]
    fn barrett(&self, mut low: [u64; L], mut high: u64) -> [u64; L] {
        let (word, shift) = ((self.bits - 1) as usize / 64, (self.bits - 1) % 64);
        let next = if word + 1 < L { low[word + 1] } else { high };
        let t = ((u128::from(next) << 64 | u128::from(low[word])) >> shift) as u64;
        let q = ((u128::from(t) * u128::from(self.quotient)) >> 64) as u64;
        let (mut carry, mut borrow) = (0, false);
        for i in 0..L {
            low[i] = sub_borrow(low[i], add_product(0, q, self.p[i], &mut carry), &mut borrow);
        }
        high = high.wrapping_sub(carry).wrapping_sub(u64::from(borrow));
        for _ in 0..2 {
            let mut borrow = false;
            let less: [u64; L] = std::array::from_fn(|i| sub_borrow(low[i], self.p[i], &mut borrow));
            let (rest, below) = high.overflowing_sub(u64::from(borrow));
            if !below {
                (low, high) = (less, rest);
            }
        }
        debug_assert_eq!(high, 0);
        low
    }
}

impl<const L: usize, const N: usize> Arithmetic for Montgomery<L, N> {
    type Element = [u64; L];
    type Loose = [i64; N];
    type Products = Products<L>;

    fn modulus(&self) -> &BigUint {
        &self.modulus
    }
    fn element(&self, n: &BigUint) -> [u64; L] {
        let n = if *n < self.modulus { limbs(n) } else { limbs(&(n % &self.modulus)) };
        self.montgomery(&n, &self.square)
    }
    fn integer(&self, a: &[u64; L]) -> BigUint {
        let one = std::array::from_fn(|i| u64::from(i == 0));
        let digits = self.montgomery(a, &one);
        BigUint::new(digits.iter().flat_map(|&digit| [digit as u32, (digit >> 32) as u32]).collect())
    }
    fn zero(&self) -> [u64; L] {
        [0; L]
    }
    fn one(&self) -> [u64; L] {
        self.one
    }
    #[inline(always)]
    fn add(&self, a: &[u64; L], b: &[u64; L]) -> [u64; L] {
        let mut carry = false;
        self.once(std::array::from_fn(|i| add_carry(a[i], b[i], &mut carry)))
    }
    #[inline(always)]
    fn sub(&self, a: &[u64; L], b: &[u64; L]) -> [u64; L] {
        let mut borrow = false;
        let rest: [u64; L] = std::array::from_fn(|i| sub_borrow(a[i], b[i], &mut borrow));
        let (mut carry, back) = (false, if borrow { u64::MAX } else { 0 });
        std::array::from_fn(|i| add_carry(rest[i], self.p[i] & back, &mut carry))
    }
    #[inline(always)]
    fn mul(&self, a: &[u64; L], b: &[u64; L]) -> [u64; L] {
        self.montgomery(a, b)
    }
    #[inline(always)]
    fn times_word(&self, a: &[u64; L], k: u64) -> [u64; L] {
        let mut high = 0;
        let low = std::array::from_fn(|i| add_product(0, k, a[i], &mut high));
        self.barrett(low, high)
    }
    #[inline(always)]
    fn loose(&self, a: &[u64; L]) -> [i64; N] {
        self.radix.loose(a)
    }
    #[inline(always)]
    fn tight(&self, a: &[i64; N]) -> [u64; L] {
        self.radix.tight(a)
    }
    fn nothing(&self) -> [i64; N] {
        [0; N]
    }
    fn budget(&self) -> u64 {
        self.radix.budget()
    }
    #[inline(always)]
    fn plus(&self, sum: &mut [i64; N], a: &[i64; N]) {
        sum.iter_mut().zip(a).for_each(|(sum, a)| *sum += a);
    }
    #[inline(always)]
    fn minus(&self, sum: &mut [i64; N], a: &[i64; N]) {
        sum.iter_mut().zip(a).for_each(|(sum, a)| *sum -= a);
    }
    #[inline(always)]
    fn plus_times(&self, sum: &mut [i64; N], k: i32, a: &[i64; N]) {
        sum.iter_mut().zip(a).for_each(|(sum, a)| *sum += i64::from(k) * a);
    }
    #[inline(always)]
    fn reduce(&self, sum: &mut [i64; N]) {
        self.radix.reduce(sum);
    }
    fn products(&self) -> Products<L> {
        Products { halves: [[0; L]; 2], top: 0 }
    }
    #[inline(always)]
    fn plus_product(&self, products: &mut Products<L>, a: &[u64; L], b: &[u64; L]) {
        let t = products.halves.as_flattened_mut();
        let mut over = false;
        for i in 0..L {
            let mut carry = 0;
            for j in 0..L {
                t[i + j] = add_product(t[i + j], a[i], b[j], &mut carry);
            }
            // The carries of the steps before are counted one limb higher at each step.
            t[i + L] = add_carry(t[i + L], carry, &mut over);
        }
        products.top += u64::from(over);
    }
    #[inline(always)]
    fn reduced_products(&self, mut products: Products<L>) -> [u64; L] {
        let t = products.halves.as_flattened_mut();
        let mut over = false;
        for i in 0..L {
            let m = t[i].wrapping_mul(self.negative_inverse);
            let mut carry = 0;
            for j in 0..L {
                t[i + j] = add_product(t[i + j], m, self.p[j], &mut carry);
            }
            t[i + L] = add_carry(t[i + L], carry, &mut over);
        }
        self.barrett(products.halves[1], products.top + u64::from(over))
    }
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::BUDGET;
    use super::*;

    /// The largest multiples and sums of products, and what lies around multiples of p.
    fn at_the_budget<const L: usize, const N: usize>(p: BigUint) {
        let field = Montgomery::<L, N>::new(&p);
        let inverse = (BigUint::one() << (64 * L)).modinv(&p).unwrap();
        let most = &p * BUDGET - 1u32;
        let mut all = vec![most.clone(), (&p - 1u32) * BUDGET, BigUint::from(0u32), &p - 1u32, p.clone(), &p * 3u32];
        all.extend((1..62).flat_map(|k| [(&p << k) - 1u32, &p << k, &most >> k]));
        for v in all {
            let (low, high) = (limbs::<L>(&v), (&v >> (64 * L)).iter_u64_digits().next().unwrap_or(0));
            // A multiple is reduced as it is; elements carry the factor R.
            assert_eq!(field.integer(&field.barrett(low, high)), &v * &inverse % &p, "{v} mod {p}");
        }
        let last = field.element(&(&p - 1u32));
        for k in [0, 1, 2, 1 << 32, BUDGET - 1, BUDGET] {
            assert_eq!(field.integer(&field.times_word(&last, k)), (&p - 1u32) * k % &p, "{k} mod {p}");
            let v = (&p - 1u32) * (&p - 1u32) * k;
            let halves = [limbs::<L>(&v), limbs::<L>(&(&v >> (64 * L)))];
            let top = (&v >> (128 * L)).iter_u64_digits().next().unwrap_or(0);
            let found = field.integer(&field.reduced_products(Products { halves, top }));
            assert_eq!(found, &v * &inverse % &p * &inverse % &p, "{k} products mod {p}");
        }
    }

    #[test]
    fn sums_up_to_the_budget() {
        let mersenne = |e: u64| (BigUint::one() << e) - 1u32;
        at_the_budget::<1, 2>(BigUint::from(3u32));
        at_the_budget::<1, 2>(BigUint::from(65521u32));
        at_the_budget::<1, 2>(mersenne(63) - 24u32);
        at_the_budget::<2, 4>(mersenne(127));
        at_the_budget::<2, 4>(mersenne(89));
        at_the_budget::<3, 6>(mersenne(128) - 158u32);
        at_the_budget::<9, 12>(mersenne(521));
        at_the_budget::<12, 16>(mersenne(607));
    }
}
