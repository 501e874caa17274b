//! Products in GF(2ᵏ): carry-less word products, then tᵏ ≡ r folded in from above (f = tᵏ + r with a short r).

use super::layout::Packed;
use crate::field::clmul::clmul;

#[derive(Clone, Debug)]
pub(super) struct Binary {
    degree: u32,
    /// The bits of r.
    tail: u128,
}

impl Binary {
    pub(super) fn new(degree: usize, tail: &[u64]) -> Self {
        Binary { degree: degree as u32, tail: tail.iter().rev().fold(0, |word, &d| word << 1 | d as u128) }
    }
    pub(super) fn mul(&self, a: Packed, b: Packed) -> Packed {
        self.fold(clmul(a.0, b.0))
    }
    /// The unreduced products are summed; one reduction at the end.
    pub(super) fn dot(&self, a: &[Packed], b: &[Packed]) -> Packed {
        let sum = a.iter().zip(b).fold((0, 0), |(low, high), (x, y)| {
            let product = clmul(x.0, y.0);
            (low ^ product.0, high ^ product.1)
        });
        self.fold(sum)
    }
    /// (low + high·t¹²⁸) mod f. Each round replaces the part above tᵏ by its product with r, which shortens it by
    /// k - deg r ≥ 1 bits.
    fn fold(&self, (mut low, mut high): (u128, u128)) -> Packed {
        let mask = u128::MAX >> (128 - self.degree);
        loop {
            let above = low >> self.degree | high << (128 - self.degree);
            if above == 0 {
                return Packed(low);
            }
            let (folded_low, folded_high) = clmul(above, self.tail);
            low = low & mask ^ folded_low;
            // The product has at most 2k - 1 bits, so that `above` held everything and nothing is left of `high`.
            high = folded_high;
        }
    }
}
