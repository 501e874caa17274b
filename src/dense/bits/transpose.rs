//! Rows from packed columns: 512 vectors that lie side by side, a bit each, become lines.

use super::line::{COLUMNS, Line};
use crate::isa::Kernel;

/// Words of 32 vectors for each column.
pub(in crate::dense) const WORDS: usize = COLUMNS / 32;

/// Writes rows of one strip: bit i of what `columns` has for column j, 16 words each and at most 512 columns, becomes
/// column j of row i.
pub(super) struct Transpose<'a> {
    pub(super) columns: &'a [u32],
    pub(super) rows: &'a mut [Line],
}

impl Kernel for Transpose<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (word, columns) in self.columns.chunks(64 * WORDS).enumerate() {
            for (group, rows) in self.rows.chunks_mut(64).enumerate() {
                let mut square = [0u64; 64];
                for (x, column) in square.iter_mut().zip(columns.chunks_exact(WORDS)) {
                    *x = column[2 * group] as u64 | (column[2 * group + 1] as u64) << 32;
                }
                transpose(&mut square);
                rows.iter_mut().zip(square).for_each(|(row, x)| row.0[word] = x);
            }
        }
    }
}

/// Bit j of word i becomes bit i of word j: squares of half the size change places, level by level (H. S. Warren,
/// *Hacker's Delight*, section 7-3).
#[inline(always)]
fn transpose(square: &mut [u64; 64]) {
    let (mut half, mut mask) = (32, 0x0000_0000_ffff_ffffu64);
    while half > 0 {
        for start in (0..64).step_by(2 * half) {
            let (above, below) = square[start..start + 2 * half].split_at_mut(half);
            for (x, y) in above.iter_mut().zip(below) {
                let changed = (*x >> half ^ *y) & mask;
                *x ^= changed << half;
                *y ^= changed;
            }
        }
        half /= 2;
        mask ^= mask << half;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{Rng as _, SeedableRng};

    #[test]
    fn columns_become_rows() {
        let mut rng = Rng::seed_from_u64(1);
        for (columns, rows) in [(512, 512), (1, 512), (65, 512), (512, 1), (200, 70), (0, 5)] {
            let words: Vec<u32> = (0..columns * WORDS).map(|_| rng.next_u32()).collect();
            let mut lines = vec![Line::default(); rows];
            Transpose { columns: &words, rows: &mut lines }.run();
            for (i, line) in lines.iter().enumerate() {
                for j in 0..512 {
                    let expected = j < columns && words[j * WORDS + i / 32] >> (i % 32) & 1 == 1;
                    assert_eq!(line.0[j / 64] >> (j % 64) & 1 == 1, expected, "{columns} {rows}: ({i}, {j})");
                }
            }
        }
    }
}
