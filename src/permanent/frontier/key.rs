//! Compact state keys: the deficits of all open classes in fields of a few bits, packed into N words, no field across
//! two words.

/// A field of a key: `mask` (unshifted) at bit `shift` of word `word`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub word: u32,
    pub shift: u32,
    pub mask: u64,
}

/// A key of N words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key<const N: usize>(pub [u64; N]);

impl<const N: usize> Key<N> {
    /// All fields 0.
    pub const ZERO: Self = Key([0; N]);

    #[inline(always)]
    pub fn get(&self, f: Field) -> u64 {
        (self.0[if N == 1 { 0 } else { f.word as usize }] >> f.shift) & f.mask
    }
    /// Adds to a field that has room.
    #[inline(always)]
    pub fn add(&mut self, f: Field, value: u64) {
        self.0[if N == 1 { 0 } else { f.word as usize }] += value << f.shift;
    }
    /// Adds field by field, where all have room.
    #[inline(always)]
    pub fn plus(&self, other: &Self) -> Self {
        Key(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }
    /// Subtracts field by field; where a field is smaller the key becomes meaningless.
    #[inline(always)]
    pub fn minus(&self, other: &Self) -> Self {
        Key(std::array::from_fn(|k| self.0[k].wrapping_sub(other.0[k])))
    }
    #[inline(always)]
    pub fn and(&self, mask: &Self) -> Self {
        Key(std::array::from_fn(|k| self.0[k] & mask.0[k]))
    }
    /// A hash whose high bits are good.
    #[inline(always)]
    pub fn hash(&self) -> u64 {
        let mut h = 0u64;
        for &word in &self.0 {
            h = (h ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            h ^= h >> 32;
        }
        h.wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }
}
