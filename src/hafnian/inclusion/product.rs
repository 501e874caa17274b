//! Products of truncated polynomials, as vectors: sums of words, reduced (or not) at the end.

use crate::field::Modulus;

/// Coefficients that are computed together.
pub(super) const LANES: usize = 8;

/// Coefficients of polynomials with D coefficients, lowest first.
pub(super) type Poly<const D: usize> = [u64; D];

/// Where sums of products are reduced.
pub(super) trait Reduce: Copy + Send + Sync {
    /// The residue of a sum of products of residues.
    fn reduce(self, x: u64) -> u64;
    /// The sum of two residues.
    fn add(self, a: u64, b: u64) -> u64;
    /// The difference of two residues.
    fn sub(self, a: u64, b: u64) -> u64;
    /// a·b, as an addend of a sum.
    fn product(self, a: u64, b: u64) -> u64;
}

/// Modulo 2⁶⁴.
#[derive(Clone, Copy)]
pub(super) struct Word;

impl Reduce for Word {
    #[inline(always)]
    fn reduce(self, x: u64) -> u64 {
        x
    }
    #[inline(always)]
    fn add(self, a: u64, b: u64) -> u64 {
        a.wrapping_add(b)
    }
    #[inline(always)]
    fn sub(self, a: u64, b: u64) -> u64 {
        a.wrapping_sub(b)
    }
    #[inline(always)]
    fn product(self, a: u64, b: u64) -> u64 {
        a.wrapping_mul(b)
    }
}

/// Modulo a prime below 2³².
#[derive(Clone, Copy)]
pub(super) struct Small {
    pub modulus: Modulus,
}

impl Reduce for Small {
    #[inline(always)]
    fn reduce(self, x: u64) -> u64 {
        self.modulus.reduce(x)
    }
    #[inline(always)]
    fn add(self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        sum.min(sum.wrapping_sub(self.modulus.get()))
    }
    #[inline(always)]
    fn sub(self, a: u64, b: u64) -> u64 {
        self.add(a, self.modulus.get() - b)
    }
    /// Both factors are below 2³²: one widening product.
    #[inline(always)]
    fn product(self, a: u64, b: u64) -> u64 {
        (a & 0xffff_ffff) * (b & 0xffff_ffff)
    }
}

/// Zeros before a polynomial that is read at places below 0.
pub(super) const PAD: usize = LANES;

/// Σ aᵢ·bᵢ over the pairs of polynomials, the second after [`PAD`] zeros: coefficients below D, reduced.
#[inline(always)]
pub(super) fn products<const D: usize, R: Reduce>(r: R, pairs: &[(&Poly<D>, &[u64])]) -> Poly<D> {
    let mut sum = [0; D];
    for (block, out) in sum.chunks_exact_mut(LANES).enumerate() {
        let first = block * LANES;
        let mut lanes = [0u64; LANES];
        for (a, b) in pairs {
            let b = &b[..PAD + D];
            for (i, &a) in a.iter().enumerate().take(first + LANES) {
                // Coefficients first - i, …: not below -(LANES - 1).
                let b = &b[PAD + first - i..][..LANES];
                for l in 0..LANES {
                    lanes[l] = lanes[l].wrapping_add(r.product(a, b[l]));
                }
            }
        }
        for l in 0..LANES {
            out[l] = r.reduce(lanes[l]);
        }
    }
    sum
}

/// a + x·b.
#[inline(always)]
pub(super) fn plus_shifted<const D: usize, R: Reduce>(r: R, a: &Poly<D>, b: &Poly<D>) -> Poly<D> {
    let mut sum = *a;
    for k in 1..D {
        sum[k] = r.add(a[k], b[k - 1]);
    }
    sum
}

/// The coefficient of xᵈ of a·b, d < D.
#[inline(always)]
pub(super) fn coefficient<const D: usize, R: Reduce>(r: R, a: &Poly<D>, b: &Poly<D>, d: usize) -> u64 {
    r.reduce((0..=d).fold(0, |sum, i| sum.wrapping_add(r.product(a[i], b[d - i]))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_agree_with_the_definition() {
        let p = Modulus::new((1 << 29) - 3).unwrap();
        let poly = |seed: u64| -> Poly<16> {
            std::array::from_fn(|k| p.get() - 1 - (seed * 7919 + k as u64 * k as u64 * 104729) % 100)
        };
        let padded = |b: &Poly<16>| [vec![0; PAD], b.to_vec()].concat();
        let (a, b, c, d) = (poly(1), poly(2), poly(3), poly(4));
        let naive = |k: usize| {
            (0..=k).fold(0u128, |sum, i| {
                sum + u128::from(a[i]) * u128::from(b[k - i]) + u128::from(c[i]) * u128::from(d[k - i])
            })
        };
        let (pb, pd) = (padded(&b), padded(&d));
        let small = products(Small { modulus: p }, &[(&a, &pb), (&c, &pd)]);
        let word = products(Word, &[(&a, &pb), (&c, &pd)]);
        for k in 0..16 {
            assert_eq!((small[k], word[k]), (p.reduce_u128(naive(k)), naive(k) as u64), "{k}");
            assert_eq!(coefficient(Word, &a, &b, k), products(Word, &[(&a, &pb)])[k]);
        }
        assert_eq!(plus_shifted(Word, &a, &b)[3], a[3].wrapping_add(b[2]));
    }
}
