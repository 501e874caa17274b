//! How residues mod p become words of 32 bits, and how many of them may be summed: see the [room](super).

use super::bytes::Bytes;
use super::place::DEPTH;
use super::reduce::{Narrow, Whole};
use super::simd::bytes::ByteTile;
use super::simd::{self, Tiles};
use crate::field::Modulus;
use std::sync::OnceLock;

/// How residues become words.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// k·h² fits 32 bits: a word is the pair of two consecutive terms.
    TwoTerms(Narrow),
    /// h < 2¹⁵: a word is the pair (a, 2⁸a mod p) or (b₀, b₁), b₀ a signed byte.
    TwoDigits(Narrow),
    /// h < 2³⁰: a word is a residue.
    Whole(Whole),
    /// Two words b₀ and b₁ of w bits for each residue of B along the depth, and of A also two along its rows: the sums
    /// are those of a₀ and a₁, of a = a₁·2ʷ + a₀.
    Limbs(u32),
    /// A word is four bytes along the depth, digits of residues: [`bytes`](super::bytes).
    Bytes(Bytes),
}

/// The products of one modulus.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arithmetic {
    pub(super) modulus: Modulus,
    pub(super) form: Form,
}

impl Arithmetic {
    pub(crate) fn new(modulus: Modulus) -> Self {
        #[cfg(test)]
        if let Some(arithmetic) = super::tests::asked_for(modulus) {
            return arithmetic;
        }
        let words = Self::of_words(modulus);
        Self::of_bytes(modulus)
            .filter(|bytes| ByteTile::of_matrices().is_some() && bytes.is_faster(&words))
            .unwrap_or(words)
    }
    /// Whatever the machine, in words.
    pub(super) fn of_words(modulus: Modulus) -> Self {
        let p = modulus.get();
        let form = match modulus.bits() {
            _ if Self::pair_terms(p, p / 2) >= DEPTH as u64 => Form::TwoTerms(Narrow::new(modulus)),
            ..=16 => Form::TwoDigits(Narrow::new(modulus)),
            17..=31 => Form::Whole(Whole::new(modulus)),
            bits => Form::Limbs(bits.div_ceil(2)),
        };
        Arithmetic { modulus, form }
    }
    /// In bytes, where p is not small enough for pairs of terms.
    pub(in crate::dense) fn of_bytes(modulus: Modulus) -> Option<Self> {
        let of_terms = matches!(Self::of_words(modulus).form, Form::TwoTerms(_));
        (!of_terms).then(|| Arithmetic { modulus, form: Form::Bytes(Bytes::new(modulus)) })
    }
    /// Whether a multiply-add takes less time in tiles of these bytes than in tiles of those words.
    fn is_faster(self, words: &Self) -> bool {
        static SECONDS: OnceLock<[f64; 3]> = OnceLock::new();
        let [byte, pair, whole] = *SECONDS.get_or_init(|| {
            let tiles = Tiles::best();
            [ByteTile::best().seconds(), tiles.time_pairs(), tiles.time_wholes()]
        });
        let word = match words.form {
            // A word is a term with both digits of B.
            Form::TwoTerms(_) | Form::TwoDigits(_) | Form::Bytes(_) => pair,
            Form::Whole(_) | Form::Limbs(_) => whole * words.limbs().pow(2) as f64,
        };
        byte * (self.limbs().pow(2) as f64) < word
    }
    /// The largest k with k·h·`term` + p ≤ min(2³¹ - 1, 2²⁰·p), the bounds of a sum of pairs on top of a residue and of
    /// its reduction ([`Narrow`]).
    pub(super) fn pair_terms(p: u64, term: u64) -> u64 {
        let (p, term) = (p as u128, term as u128);
        ((i32::MAX as u128).min(p << 20).saturating_sub(p) / (p / 2 * term)) as u64
    }
    /// Terms of a slice of the depth, which is packed and multiplied at a time.
    pub(super) fn terms(self) -> usize {
        let p = self.modulus.get();
        match self.form {
            Form::TwoTerms(_) => Self::pair_terms(p, p / 2).min(DEPTH as u64) as usize,
            // |b₀| + |b₁| ≤ 2⁷ + 2⁷, since |b| < 2¹⁵.
            Form::TwoDigits(_) => Self::pair_terms(p, 256).min(DEPTH as u64) as usize,
            Form::Whole(_) | Form::Limbs(_) => DEPTH,
            Form::Bytes(bytes) => bytes.terms(),
        }
    }
    /// Slices whose sums are reduced at once.
    pub(in crate::dense) fn slices(self) -> usize {
        match self.form {
            Form::TwoTerms(_) | Form::TwoDigits(_) | Form::Whole(_) | Form::Limbs(_) => 1,
            Form::Bytes(bytes) => bytes.slices(),
        }
    }
    /// Words whose products may be summed on top of 2³² in 64 bits.
    pub(super) fn fold(self) -> usize {
        let h = (self.modulus.get() / 2) as u128;
        let (room, words, most) = match self.form {
            Form::TwoTerms(_) | Form::TwoDigits(_) | Form::Bytes(_) => return DEPTH,
            Form::Whole(_) => (i64::MAX as u128 - (1 << 32), 1, h * h),
            // Of a pair of words: |a₀|, |a₁| at most the larger, times |b₀| + |b₁|.
            Form::Limbs(width) => {
                let (low, high) = (1 << (width - 1), (h >> width) + 1);
                (i64::MAX as u128 - (1 << 32), 2, low.max(high) * (low + high))
            }
        };
        words * ((room / most) as usize).min(DEPTH)
    }
    /// Words along the depth for `terms` terms.
    pub(super) fn words(self, terms: usize) -> usize {
        match self.form {
            Form::TwoTerms(_) => terms.div_ceil(2),
            Form::TwoDigits(_) | Form::Whole(_) => terms,
            Form::Limbs(_) => 2 * terms,
            Form::Bytes(bytes) => bytes.words(terms),
        }
    }
    /// Rows of words for a row of A.
    pub(super) fn limbs(self) -> usize {
        match self.form {
            Form::TwoTerms(_) | Form::TwoDigits(_) | Form::Whole(_) => 1,
            Form::Limbs(_) => 2,
            Form::Bytes(bytes) => bytes.digits,
        }
    }

    /// The most rows and columns of a tile of words on any processor.
    pub(super) fn largest_tile(self) -> (usize, usize) {
        match self.form {
            Form::TwoTerms(_) | Form::TwoDigits(_) => Tiles::LARGEST_PAIRS,
            Form::Whole(_) | Form::Limbs(_) => Tiles::LARGEST_WHOLES,
            Form::Bytes(_) => (simd::bytes::ROWS, simd::bytes::COLS),
        }
    }
    /// Rows and columns of a tile of words.
    pub(super) fn tile_shape(self, tiles: &Tiles) -> (usize, usize) {
        match self.form {
            Form::TwoTerms(_) | Form::TwoDigits(_) => (tiles.pair_rows, tiles.pair_cols),
            Form::Whole(_) | Form::Limbs(_) => (tiles.whole_rows, tiles.whole_cols),
            Form::Bytes(_) => (simd::bytes::ROWS, simd::bytes::COLS),
        }
    }
}
