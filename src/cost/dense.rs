//! Prices of dense elimination mod p.

use crate::field::Modulus;
use crate::isa::{Extra, Isa};

/// The size class of p, on which the price of a multiply-add depends: 0 and 1 for p = 2 and 3; 2, 3, 4 for p of up to
/// 16, 31, 63 bits.
pub fn size_class(modulus: Modulus) -> usize {
    match (modulus.get(), modulus.bits()) {
        (2, _) => 0,
        (3, _) => 1,
        (_, ..=16) => 2,
        (_, ..=31) => 3,
        _ => 4,
    }
}

/// Seconds of one thread for what [`Echelon`](crate::dense::Echelon) does.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Dense {
    /// A multiply-add, for each [`size_class`].
    ///
    /// From `cargo bench --bench dense -- ranks 1000 2000 4000` (random square matrices in one block, one thread with
    /// AVX-512), between the times of an AMD EPYC (Zen 5) virtual machine and of an Intel Xeon (Sapphire Rapids) one,
    /// which takes up to twice as long; rounded up for the panels and copies around the products of a row space.
    pub product: [f64; 5],
    /// Whether multiply-adds mod p > 2⁸ may be composed of byte products: where the processor has AMX and no
    /// instruction set narrower than AVX-512 was forced.
    pub byte_tiles: bool,
    /// A product of two bytes there; a multiply-add takes b² of them for a p of b bytes. From the same benchmark on
    /// such a Xeon, rounded up likewise.
    pub byte_product: f64,
    /// An entry of a row that is inserted, in addition to its multiply-adds: none for p = 2 and 3, whose rows are
    /// packed.
    pub absorb: f64,
    /// Writing an entry of a sparse matrix into a dense row.
    pub scatter: f64,
}

impl Default for Dense {
    fn default() -> Self {
        Dense::with(Isa::best())
    }
}

impl Dense {
    /// Twice as much with AVX2 as with AVX-512, and twelve times as much without either.
    pub fn with(isa: Isa) -> Self {
        let factor = match isa {
            Isa::Avx512 => 1.0,
            Isa::Avx2 => 2.0,
            Isa::Portable => 12.0,
        };
        Dense {
            product: [0.0015e-9, 0.006e-9, 0.025e-9, 0.06e-9, 0.45e-9],
            byte_tiles: isa == Isa::Avx512 && Extra::Amx.may_be_used(),
            byte_product: 0.003e-9,
            absorb: 4e-9,
            scatter: 1e-9,
        }
        .scaled(factor)
    }

    /// All prices multiplied by a factor.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        let Dense { product, byte_product, absorb, scatter, .. } = &mut self;
        product.iter_mut().chain([byte_product, absorb, scatter]).for_each(|price| *price *= factor);
        self
    }

    /// A multiply-add mod p.
    pub fn product(&self, modulus: Modulus) -> f64 {
        let words = self.product[size_class(modulus)];
        match modulus.bits().div_ceil(8) {
            2 if self.byte_tiles => words.min(4.0 * self.byte_product),
            digits @ 3.. if self.byte_tiles => self.byte_product * digits.pow(2) as f64,
            _ => words,
        }
    }
}
