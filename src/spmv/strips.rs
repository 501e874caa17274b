//! A block cut into strips, each as wide as one of the loops.
//!
//! A loop takes rows of X as whole chunks of W lanes. Where the block's width is a multiple of W the strip is a view of
//! the block; elsewhere it is copied once, filled up with zeros to W lanes: one pass over X in addition to one for
//! every entry of a column.

use super::aligned::Aligned;
use super::kernel::Strip;
use crate::Result;
use crate::parallel::Each;
use bytemuck::Pod;
use rayon::prelude::*;

/// The widths that have a loop of their own, widest first.
pub(super) const WIDTHS: &[usize] = &[32, 16, 8, 1];
/// The same for loops with folds, and for scattering.
pub(super) const FOLDING_WIDTHS: &[usize] = &[16, 1];
/// So many single lanes are taken one by one; more are filled up to the narrowest wide loop.
const SINGLES: usize = 2;
/// Rows copied by one task.
const ROWS: usize = 1 << 10;

/// Lanes `offset..offset + lanes` of a block, for the loop of width `wide` ≥ `lanes`.
pub(super) struct PlacedStrip<'a, L> {
    pub offset: usize,
    pub lanes: usize,
    pub wide: usize,
    source: Source<'a, L>,
}

enum Source<'a, L> {
    /// The block itself, with its width.
    Block(&'a [L], usize),
    /// Rows of `wide` lanes.
    Copy(Aligned<L>),
}

impl<L: Pod> PlacedStrip<'_, L> {
    /// The strip for the loop of width W. Panics if that is not `wide`.
    pub(super) fn view<const W: usize>(&self) -> Strip<'_, L, W> {
        assert_eq!(self.wide, W);
        match &self.source {
            Source::Block(lanes, stride) => Strip::new(lanes, *stride, self.offset),
            Source::Copy(lanes) => Strip::new(lanes, W, 0),
        }
    }
}

/// The strips of row-major `lanes` with `width` lanes a row, for loops of the given `widths`.
///
/// # Errors
/// [`crate::Error::Memory`].
pub(super) fn strips<'a, L: Pod + Send + Sync>(
    lanes: &'a [L],
    width: usize,
    widths: &[usize],
) -> Result<Vec<PlacedStrip<'a, L>>> {
    cut(width, widths)
        .into_iter()
        .map(|(offset, taken, wide)| {
            let source = if width.is_multiple_of(wide) && offset.is_multiple_of(wide) {
                Source::Block(lanes, width)
            } else {
                let mut copy = Aligned::zeros(lanes.len() / width * wide)?;
                copy.par_chunks_mut(ROWS * wide).zip(lanes.par_chunks(ROWS * width)).each(|(to, from)| {
                    for (to, from) in to.chunks_exact_mut(wide).zip(from.chunks_exact(width)) {
                        to[..taken].copy_from_slice(&from[offset..offset + taken]);
                    }
                });
                Source::Copy(copy)
            };
            Ok(PlacedStrip { offset, lanes: taken, wide, source })
        })
        .collect()
}

/// (offset, lanes, width of the loop) of each strip.
fn cut(width: usize, widths: &[usize]) -> Vec<(usize, usize, usize)> {
    let mut strips = Vec::new();
    let mut offset = 0;
    while offset < width {
        let left = width - offset;
        let narrowest_wide = widths[widths.len() - 2];
        let wide = match widths.iter().find(|&&w| w <= left) {
            Some(&1) | None if left > SINGLES => narrowest_wide,
            Some(&w) => w,
            None => 1,
        };
        strips.push((offset, wide.min(left), wide));
        offset += wide.min(left);
    }
    strips
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_cover_the_width_and_hold_its_lanes() {
        assert_eq!(cut(33, WIDTHS), [(0, 32, 32), (32, 1, 1)]);
        assert_eq!(cut(55, WIDTHS), [(0, 32, 32), (32, 16, 16), (48, 7, 8)]);
        assert_eq!(cut(2, WIDTHS), [(0, 1, 1), (1, 1, 1)]);
        assert_eq!(cut(19, FOLDING_WIDTHS), [(0, 16, 16), (16, 3, 16)]);
        for width in 1..=70 {
            let block: Vec<u16> = (0..5 * width as u16).collect();
            let mut seen = Vec::new();
            for strip in strips(&block, width, WIDTHS).unwrap() {
                let row = |j| match strip.wide {
                    32 => strip.view::<32>().row(j).to_vec(),
                    16 => strip.view::<16>().row(j).to_vec(),
                    8 => strip.view::<8>().row(j).to_vec(),
                    _ => strip.view::<1>().row(j).to_vec(),
                };
                let row = row(3);
                seen.extend_from_slice(&row[..strip.lanes]);
                assert!(row[strip.lanes..].iter().all(|&x| x == 0));
            }
            assert_eq!(seen, &block[3 * width..4 * width]);
        }
    }
}
