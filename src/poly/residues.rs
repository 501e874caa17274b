//! From residues modulo p to residues modulo the transform primes and back (Chinese remainders, Garner's form).
//!
//! A product of polynomial matrices is computed over ℤ modulo Q = Π qₜ, from representatives of absolute value at most
//! M (balanced, M = ⌊p/2⌋, for p < 2⁴⁹; plain, M = p - 1, above). It is exact if every coefficient, a sum of at most K
//! products, is determined by its residue: 2·K·M² < Q in the balanced, K·M² < Q in the plain case. [`primes_needed`] is
//! that bound.

use super::ntt::{MAX_PRIMES, PRIMES, Prime, Shoup};
use super::simd::{Row, Simd};
use super::sums::times;
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// Below this p balanced representatives are used.
const BALANCED_LIMIT: u64 = 1 << 49;

/// The number of transform primes with which sums of `terms` products of residues modulo p come out exactly:
/// the least T with 2·terms·⌊p/2⌋² < q₀ ⋯ q_(T-1) for p < 2⁴⁹, with terms·(p-1)² < q₀ ⋯ q_(T-1) above.
///
/// # Panics
/// If even four are not enough, that is for more than 2⁷³ terms.
pub(crate) fn primes_needed(p: u64, terms: usize) -> usize {
    let balanced = p < BALANCED_LIMIT;
    let largest = BigUint::from(if balanced { p / 2 } else { p - 1 });
    let bound = &largest * &largest * terms * if balanced { 2u32 } else { 1 };
    let mut product = BigUint::from(1u32);
    for (t, (q, _)) in PRIMES.iter().enumerate() {
        product *= *q;
        if bound < product {
            return t + 1;
        }
    }
    panic!("{terms} products modulo {p} exceed all transform primes together");
}

/// From residues modulo p to residues modulo one transform prime.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entering {
    q: u64,
    /// Balanced: residues above this ...
    half: u64,
    /// ... gain this, q - p.
    shift: u64,
    /// Plain: the weight 2⁵⁰ of the bits from 50 on, `None` in the balanced case.
    high: Option<Shoup>,
}

impl Entering {
    pub(crate) fn new(p: u64, prime: Prime) -> Self {
        let q = prime.q;
        if p < BALANCED_LIMIT {
            Entering { q, half: p / 2, shift: q - p, high: None }
        } else {
            Entering { q, half: 0, shift: 0, high: Some(prime.shoup((1 << 50) % q)) }
        }
    }

    /// Representatives in [0, q) of residues modulo p.
    #[inline(always)]
    pub(crate) fn map<S: Simd>(&self, s: S, x: S::V) -> S::V {
        match self.high {
            None => {
                // x > half exactly where half - x has its sign bit: turned into a mask, it selects the shift.
                let negative = s.shr(s.sub(s.splat(self.half), x), 63);
                let mask = s.sub(s.splat(0), negative);
                s.add(x, s.and(mask, s.splat(self.shift)))
            }
            Some(w) => {
                let q = s.splat(self.q);
                let high = times(s, s.shr(x, 50), w, q);
                let sum = s.add(s.and(x, s.splat((1 << 50) - 1)), high); // below 4q
                s.sub_if_ge(s.sub_if_ge(sum, s.splat(2 * self.q)), q)
            }
        }
    }
}

/// From the outputs of the inverse transforms (N times the residue, modulo each prime) to residues modulo p.
#[derive(Clone, Debug)]
pub(crate) struct Leaving {
    primes: usize,
    p: u64,
    q: [u64; MAX_PRIMES],
    /// 1/N modulo each prime.
    scale: [Shoup; MAX_PRIMES],
    /// Added to the residues so that the integer is not negative: H = ⌊Q/2⌋ in the balanced case, else 0.
    offset: [u64; MAX_PRIMES],
    /// `inverse[t][s]` = 1/qₛ mod qₜ for s < t.
    inverse: [[Shoup; MAX_PRIMES]; MAX_PRIMES],
    /// q₀ ⋯ q_(t-1) mod p, the weight of digit t; for p < 2⁵⁰ with the 52-bit quotient, else with ⌊2⁶⁴ w / p⌋.
    weight: [Shoup; MAX_PRIMES],
    /// -H mod p.
    back: u64,
}

impl Leaving {
    pub(crate) fn new(p: u64, primes: usize, points: usize) -> Self {
        let nothing = Shoup { w: 0, quotient: 0 };
        let all: [Prime; MAX_PRIMES] = std::array::from_fn(Prime::get);
        let q = all.map(|prime| prime.q);
        let product: BigUint = q[..primes].iter().product();
        let h: BigUint = if p < BALANCED_LIMIT { product / 2u32 } else { BigUint::from(0u32) };
        let modulo = |m: u64| (&h % m).to_u64().expect("a residue");
        let mut weight = [nothing; MAX_PRIMES];
        let mut w = 1 % p;
        for t in 0..primes {
            let quotient =
                if p < 1 << 50 { Shoup::new(w, p).quotient } else { (((w as u128) << 64) / p as u128) as u64 };
            weight[t] = Shoup { w, quotient };
            w = (w as u128 * q[t] as u128 % p as u128) as u64;
        }
        Leaving {
            primes,
            p,
            q,
            scale: all.map(|prime| prime.shoup(prime.inv(points as u64))),
            offset: q.map(modulo),
            inverse: std::array::from_fn(|t| {
                std::array::from_fn(|s| if s < t { all[t].shoup(all[t].inv(q[s] % q[t])) } else { nothing })
            }),
            weight,
            back: (p - modulo(p)) % p,
        }
    }

    /// One row of residues modulo p from the rows of the residues modulo each prime, `residues[t]` below qₜ.
    #[inline(always)]
    pub(crate) fn map<S: Simd>(&self, s: S, residues: &[S::V; MAX_PRIMES]) -> Row {
        let mut digits = [s.splat(0); MAX_PRIMES];
        for t in 0..self.primes {
            let (q, q2) = (s.splat(self.q[t]), s.splat(2 * self.q[t]));
            let scaled = times(s, residues[t], self.scale[t], q);
            let mut x = s.sub_if_ge(s.add(scaled, s.splat(self.offset[t])), q2);
            for (&digit, &inverse) in digits[..t].iter().zip(&self.inverse[t]) {
                // x < 2q and digit < 2⁵⁰ < 2q: the difference plus 2q is below 4q.
                x = times(s, s.sub(s.add(x, q2), digit), inverse, q);
            }
            digits[t] = s.sub_if_ge(x, q);
        }
        let mut out = Row::default();
        if self.p < 1 << 50 {
            let p = s.splat(self.p);
            let mut sum = s.splat(self.back);
            for (&digit, &w) in digits[..self.primes].iter().zip(&self.weight) {
                sum = s.add(sum, times(s, digit, w, p));
            }
            for multiple in [8, 4, 2, 1] {
                sum = s.sub_if_ge(sum, s.splat(multiple * self.p)); // below 9p at first
            }
            s.store(sum, &mut out);
        } else {
            let mut lanes = [Row::default(); MAX_PRIMES];
            for (row, &digit) in lanes.iter_mut().zip(&digits[..self.primes]) {
                s.store(digit, row);
            }
            for (lane, out) in out.0.iter_mut().enumerate() {
                *out = self.back;
                for (row, &weight) in lanes[..self.primes].iter().zip(&self.weight) {
                    *out = self.add_digit(*out, row.0[lane], weight);
                }
            }
        }
        out
    }

    /// sum + digit · weight mod p with a 64-bit quotient, for p ≥ 2⁵⁰.
    #[inline(always)]
    fn add_digit(&self, sum: u64, digit: u64, weight: Shoup) -> u64 {
        let c = ((digit as u128 * weight.quotient as u128) >> 64) as u64;
        let r = digit.wrapping_mul(weight.w).wrapping_sub(c.wrapping_mul(self.p)); // in [0, 2p)
        let r = if r >= self.p { r - self.p } else { r };
        let sum = sum + r;
        if sum >= self.p { sum - self.p } else { sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poly::simd::{Isa, Kernel};

    const P: [u64; 8] = [
        2,
        3,
        65521,
        (1 << 31) - 1,
        562949953421231,     // below 2^49
        562949953421381,     // above 2^49
        1125899906842597,    // below 2^50
        9223372036854775783, // below 2^63
    ];

    /// The documented inequality, at its edge for every number of primes.
    #[test]
    fn bound_at_its_edge() {
        for p in P {
            let m = if p < BALANCED_LIMIT { (p / 2) as u128 } else { (p - 1) as u128 };
            let factor = if p < BALANCED_LIMIT { 2u32 } else { 1 };
            let mut product = BigUint::from(1u32);
            for (t, (q, _)) in PRIMES.iter().enumerate() {
                product *= *q;
                let largest = (&product - 1u32) / (BigUint::from(m * m) * factor);
                if let Some(terms) = largest.to_usize().filter(|&terms| terms > 0 && terms < usize::MAX) {
                    assert_eq!(primes_needed(p, terms), t + 1, "mod {p}");
                    assert_eq!(primes_needed(p, terms + 1), t + 2, "mod {p}");
                }
            }
        }
        assert_eq!(primes_needed(65521, 1 << 19), 1);
        assert_eq!(primes_needed((1 << 31) - 1, 1 << 26), 2);
        assert_eq!(primes_needed(9223372036854775783, 1 << 23), 3);
        assert_eq!(primes_needed(9223372036854775783, 1 << 40), 4);
    }

    struct RoundTrip {
        p: u64,
        primes: usize,
        x: Row,
    }

    impl Kernel for RoundTrip {
        type Output = (Vec<Row>, Row);
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> (Vec<Row>, Row) {
            let entered: Vec<Row> = (0..self.primes)
                .map(|t| {
                    let mut row = Row::default();
                    s.store(Entering::new(self.p, Prime::get(t)).map(s, s.load(&self.x)), &mut row);
                    row
                })
                .collect();
            let leaving = Leaving::new(self.p, self.primes, 1);
            let mut residues = [s.splat(0); MAX_PRIMES];
            for (residue, row) in residues.iter_mut().zip(&entered) {
                *residue = s.load(row);
            }
            let left = leaving.map(s, &residues);
            (entered, left)
        }
    }

    /// Entering keeps the class and the range; leaving brings back what entered.
    #[test]
    fn residues_survive_the_round_trip() {
        for isa in Isa::available() {
            for p in P {
                let edge = [0, 1, p / 2, p / 2 + 1, p - 1, p / 3, p / 2 - 1, p - 2];
                let x = Row(edge.map(|x| x % p));
                for primes in primes_needed(p, 1)..=MAX_PRIMES {
                    let (entered, left) = isa.run(RoundTrip { p, primes, x });
                    for (t, row) in entered.iter().enumerate() {
                        for (&e, &x) in row.0.iter().zip(&x.0) {
                            let q = PRIMES[t].0;
                            let signed =
                                if p < BALANCED_LIMIT && x > p / 2 { x as i128 - p as i128 } else { x as i128 };
                            assert_eq!(e as i128, signed.rem_euclid(q as i128), "{isa:?} mod {p}");
                        }
                    }
                    assert_eq!(left, x, "{isa:?} mod {p}, {primes} primes");
                }
            }
        }
    }
}
