//! Residues mod a 31-bit prime as small signed integers, in loops that compile to vector instructions.

use super::{Modulus, rounded};

const _: () = assert!(
    (Balanced::LARGEST_SUM as i128 + 1) * Balanced::LARGEST as i128 <= Balanced::LARGEST_TERM as i128,
    "sums that are not reduced in between"
);

/// Arithmetic mod a prime 2³⁰ < q < 2³¹ on representatives of absolute value up to [`Balanced::LARGEST`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Balanced {
    modulus: Modulus,
    q: i64,
    inverse: f64,
}

impl Balanced {
    /// What [`Balanced::reduce`] returns is at most q/2·(1 + 2⁻¹⁶) < 2³⁰·(1 + 2⁻¹⁶) in absolute value.
    pub const LARGEST: i64 = (1 << 30) + (1 << 14);
    /// The largest absolute value that [`Balanced::reduce`] accepts: a sum Σ a·x of such x with Σ|a| ≤
    /// [`Balanced::LARGEST_SUM`], plus one more x.
    pub const LARGEST_TERM: i64 = 1 << 62;
    /// See [`Balanced::LARGEST_TERM`]: 2³¹·(2³⁰ + 2¹⁴) + 2³⁰ + 2¹⁴ < 2⁶².
    pub const LARGEST_SUM: u64 = 1 << 31;

    /// `None` unless q has 31 bits.
    pub fn new(modulus: Modulus) -> Option<Self> {
        let q = modulus.get();
        (q >> 30 == 1).then(|| Balanced { modulus, q: q as i64, inverse: 1.0 / q as f64 })
    }
    #[inline]
    pub fn modulus(self) -> Modulus {
        self.modulus
    }
    /// A representative of v, |v| ≤ [`Balanced::LARGEST_TERM`], of absolute value up to [`Balanced::LARGEST`].
    ///
    /// *Proof.* |v/q| ≤ 2³². v as f64, 1/q and their product are each right to a factor 1 ± 2⁻⁵³, the product to ±
    /// 2⁻²⁰. So the quotient, rounded to an integer, is within 1/2 + 2⁻²⁰ of v/q: |v - quotient·q| ≤ q·(1/2 + 2⁻²⁰) ≤
    /// 2³⁰ + 2¹¹. And quotient·q differs from v by at most that: no overflow.
    #[inline(always)]
    pub fn reduce(self, v: i64) -> i64 {
        debug_assert!(v.unsigned_abs() <= Self::LARGEST_TERM as u64, "{v} is too large");
        let quotient = rounded(v as f64 * self.inverse);
        v - quotient * self.q
    }
    /// The same for each lane.
    #[inline(always)]
    pub fn reduce_all<const L: usize>(self, v: &[i64; L]) -> [i64; L] {
        std::array::from_fn(|l| self.reduce(v[l]))
    }
    /// The representative in -(q-1)/2 … (q-1)/2 of any integer of absolute value up to [`Balanced::LARGEST_TERM`].
    #[inline(always)]
    pub fn least(self, v: i64) -> i64 {
        let r = self.reduce(v);
        match () {
            _ if r > self.q / 2 => r - self.q,
            _ if r < -(self.q / 2) => r + self.q,
            _ => r,
        }
    }
    /// The same of a residue.
    #[inline]
    pub fn of_residue(self, r: u64) -> i64 {
        self.modulus.balanced(r)
    }
    /// The residue in 0 … q-1.
    #[inline]
    pub fn to_residue(self, v: i64) -> u64 {
        self.modulus.reduce_i64(v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn edges_of_the_reduction() {
        let mut rng = Rng::seed_from_u64(1);
        let large = Balanced::LARGEST_TERM;
        let most = (i128::from(Balanced::LARGEST_SUM) + 1) * i128::from(Balanced::LARGEST);
        for p in [1_073_741_827, 1_610_612_741, (1 << 31) - 1] {
            let f = Balanced::new(Modulus::new(p).unwrap()).unwrap();
            let q = p as i64;
            let mut values: Vec<i64> = vec![0, 1, q / 2, q / 2 + 1, q - 1, q, q + 1, large, large - 1, most as i64];
            // Next to half-integer multiples, where rounding decides.
            values.extend((0..2000).flat_map(|_| {
                let multiple = rng.random_range(0..large / q - 1) * q;
                [multiple, multiple + q / 2, multiple + q / 2 + 1, rng.random_range(0..large)]
            }));
            for v in values.into_iter().flat_map(|v| [v, -v]) {
                let (r, least) = (f.reduce(v), f.least(v));
                assert!((v - r) % q == 0 && r.abs() <= Balanced::LARGEST, "{v} mod {q}: {r}");
                assert!((v - least) % q == 0 && least.abs() <= q / 2, "{v} mod {q}: {least}");
                assert_eq!(f.of_residue(f.to_residue(v)), least);
            }
        }
        for p in [2, 65521, 1_073_741_789, 2_147_483_659] {
            assert!(Balanced::new(Modulus::new(p).unwrap()).is_none(), "{p} has not 31 bits");
        }
    }
}
