//! Tiles of **bytes**: both operands are signed bytes, and products of them are summed in 32 bits, four at a time in a
//! word.
//!
//! The depth is counted in steps of 64 bytes, as matrix registers hold them. Of A a strip is [`ROWS`] rows in blocks of
//! [`BLOCK`]: a block is step after step, a step [`BLOCK`] rows of 64 bytes. Of B it is [`COLS`] columns:
//! [`STEP_WORDS`] × [`COLS`] words a step, a word being four bytes of a column along the depth.

use super::timing::least_seconds;
use crate::isa::Isa;

/// (steps, A, B, sums, more): Σ a·b of bytes, [`COLS`] sums for each row, which must stay inside 32 bits; added to
/// what the sums are where there is `more` than this product in them. A may have fewer blocks than a strip, and needs
/// as many rows of sums.
type Multiply = fn(usize, &[i32], &[i32], &mut [i32], bool);

/// Rows of a strip of A.
pub(in super::super) const ROWS: usize = 128;
/// Rows of a block, of which the product is one matrix instruction for [`BLOCK`] columns.
pub(in super::super) const BLOCK: usize = 16;
/// Columns of a strip of B.
pub(in super::super) const COLS: usize = 32;
/// Words of 4 bytes in a step of the depth.
pub(in super::super) const STEP_WORDS: usize = 16;
/// Words of a block of A for a step.
pub(in super::super) const BLOCK_WORDS: usize = BLOCK * STEP_WORDS;
/// Words of a strip of B for a step.
pub(in super::super) const COLS_WORDS: usize = COLS * STEP_WORDS;

/// A tile of bytes on one kind of machine.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct ByteTile {
    /// What it goes with.
    pub isa: Isa,
    multiply: Multiply,
}

impl ByteTile {
    pub(super) const fn new(isa: Isa, multiply: Multiply) -> ByteTile {
        ByteTile { isa, multiply }
    }

    /// The product of as many blocks of A as there are, and a strip of B; added to the sums if they are of `more`.
    ///
    /// # Panics
    /// If A is no whole number of blocks of that depth, B has another depth, or there are not as many sums as rows ×
    /// [`COLS`].
    pub(in super::super) fn multiply(&self, steps: usize, a: &[i32], b: &[i32], sums: &mut [i32], more: bool) {
        assert!(a.len().is_multiple_of((steps * BLOCK_WORDS).max(1)) && b.len() == steps * COLS_WORDS);
        assert!(a.len() * COLS == sums.len() * steps * STEP_WORDS, "as many sums as blocks");
        (self.multiply)(steps, a, b, sums, more);
    }

    /// Seconds of a multiply-add of bytes, in the least of a few tiles.
    pub(in super::super) fn seconds(&self) -> f64 {
        // In the nearest cache, and no allocation that might be refused.
        const STEPS: usize = 4;
        let (a, b) = (vec![0x0102_0304; STEPS * ROWS * STEP_WORDS], vec![0x0506_0708; STEPS * COLS_WORDS]);
        let mut sums = vec![0; ROWS * COLS];
        least_seconds(|| self.multiply(STEPS, &a, &b, &mut sums, false)) / (sums.len() * STEPS * STEP_WORDS * 4) as f64
    }
}

pub(super) const PORTABLE: ByteTile = ByteTile::new(Isa::Portable, portable);

fn portable(steps: usize, a: &[i32], b: &[i32], sums: &mut [i32], more: bool) {
    if !more {
        sums.fill(0);
    }
    if steps == 0 {
        return;
    }
    // Products of 16 bits, sums of two of them and of these are vector instructions, if additions are not checked: the
    // sums stay inside 32 bits.
    let byte = |word: i32, k: u32| i32::from((word.wrapping_shl(24 - 8 * k) >> 24) as i16);
    for (a, sums) in a.chunks(steps * BLOCK_WORDS).zip(sums.chunks_mut(BLOCK * COLS)) {
        for (a, b) in a.chunks(BLOCK_WORDS).zip(b.chunks(COLS_WORDS)) {
            for (a, sums) in a.chunks(STEP_WORDS).zip(sums.chunks_mut(COLS)) {
                let sums: &mut [i32; COLS] = sums.try_into().expect("a row of sums");
                for (&a, b) in a.iter().zip(b.chunks(COLS)) {
                    let (a, b): (_, &[i32; COLS]) = ([0, 1, 2, 3].map(|k| byte(a, k)), b.try_into().expect("a row"));
                    for (sum, &b) in sums.iter_mut().zip(b) {
                        let product = |k: usize| a[k].wrapping_mul(byte(b, k as u32));
                        let (even, odd) = (product(0).wrapping_add(product(2)), product(1).wrapping_add(product(3)));
                        *sum = sum.wrapping_add(even.wrapping_add(odd));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn tiles_of_bytes_agree_with_their_definition() {
        let mut rng = Rng::seed_from_u64(32);
        for tile in ByteTile::available() {
            for (steps, blocks) in [(0, 0), (1, 1), (1, 0), (2, 8), (3, 5), (16, 2), (32, 1)] {
                // Random bytes, and where all are -128 the largest sums.
                for extreme in [false, true] {
                    let mut bytes = |count: usize| -> Vec<i8> {
                        (0..count).map(|_| if extreme { -128 } else { rng.random_range(-128..=127i32) as i8 }).collect()
                    };
                    let (rows, depth) = (blocks * BLOCK, steps * 4 * STEP_WORDS);
                    let (a, b) = (bytes(rows * depth), bytes(depth * COLS));
                    let word = |at: &dyn Fn(usize) -> i8| i32::from_le_bytes(std::array::from_fn(|i| at(i) as u8));
                    let mut packed = [vec![0; rows * depth / 4], vec![0; depth * COLS / 4]];
                    for (d, i) in (0..depth / 4).flat_map(|d| (0..rows).map(move |i| (d, i))) {
                        let at = (i / BLOCK * steps + d / STEP_WORDS) * BLOCK_WORDS + i % BLOCK * STEP_WORDS;
                        packed[0][at + d % STEP_WORDS] = word(&|byte| a[i * depth + 4 * d + byte]);
                    }
                    for (d, j) in (0..depth / 4).flat_map(|d| (0..COLS).map(move |j| (d, j))) {
                        packed[1][d * COLS + j] = word(&|byte| b[(4 * d + byte) * COLS + j]);
                    }
                    let mut sums = vec![7; rows * COLS];
                    let none: [Vec<i32>; 2] = Default::default();
                    let [a_words, b_words] = if steps > 0 { &packed } else { &none };
                    // Once, and added to that.
                    for (more, times) in [(false, 1), (true, 2)] {
                        tile.multiply(steps, a_words, b_words, &mut sums, more);
                        for (i, j) in (0..rows).flat_map(|i| (0..COLS).map(move |j| (i, j))) {
                            let twin: i32 = (0..depth).map(|d| a[i * depth + d] as i32 * b[d * COLS + j] as i32).sum();
                            let what = (times, steps, blocks);
                            assert_eq!(sums[i * COLS + j], times * twin, "{tile:?}: times, steps, blocks {what:?}");
                        }
                    }
                }
            }
            assert!(tile.seconds() > 0.0);
        }
        assert!(ByteTile::best().isa <= Isa::best());
    }
}
