//! Sets of lines, a bit for each.

use crate::{Result, memory};

/// A set of indices that is cleared by listing its members.
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// None of n indices.
    pub fn new(n: usize, what: &str) -> Result<Self> {
        Ok(Bits(memory::zeros(n.div_ceil(64), what)?))
    }
    pub fn copy(&self, what: &str) -> Result<Self> {
        Ok(Bits(memory::copy(&self.0, what)?))
    }
    #[inline(always)]
    pub fn has(&self, i: u32) -> bool {
        self.0[i as usize / 64] >> (i % 64) & 1 != 0
    }
    /// Whether i is new.
    #[inline(always)]
    pub fn insert(&mut self, i: u32) -> bool {
        let (word, bit) = (&mut self.0[i as usize / 64], 1 << (i % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
    pub fn remove(&mut self, i: u32) {
        self.0[i as usize / 64] &= !(1 << (i % 64));
    }
    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().zip(0..).flat_map(|(&word, k)| {
            let rests = std::iter::successors(Some(word), |&rest| Some(rest & rest.wrapping_sub(1)));
            rests.take_while(|&rest| rest != 0).map(move |rest| 64 * k + rest.trailing_zeros())
        })
    }
}
