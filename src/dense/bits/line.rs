//! 512 columns of a row over GF(2), a cache line.

use crate::isa::Kernel;
use crate::memory;

/// Words of a line.
pub(super) const WORDS: usize = 8;
/// Columns of a line.
pub(super) const COLUMNS: usize = 64 * WORDS;

memory::plain! {
    /// Bit j % 64 of word j / 64 is column j of a strip.
    #[derive(Debug, Default, PartialEq)]
    #[repr(C, align(64))]
    pub(super) struct Line(pub(super) [u64; WORDS]): Pod, Zeroable
}

impl Line {
    /// Self += other.
    #[inline(always)]
    pub(super) fn add(&mut self, other: &Line) {
        self.0.iter_mut().zip(&other.0).for_each(|(y, x)| *y ^= x);
    }
    /// Whether both are 1 in an odd number of columns.
    pub(super) fn is_odd_with(&self, other: &Line) -> bool {
        self.0.iter().zip(&other.0).fold(0, |sum, (x, y)| sum ^ (x & y)).count_ones() % 2 == 1
    }
    /// The columns in which one of `lines` is not 0.
    pub(super) fn support(lines: &[Line]) -> Line {
        lines.iter().fold(Line::default(), |mut sum, line| {
            sum.0.iter_mut().zip(&line.0).for_each(|(y, x)| *y |= x);
            sum
        })
    }
    /// The first column from `start` on that is not 0.
    pub(super) fn first_from(&self, start: usize) -> Option<usize> {
        let word = |w: usize| if w == start / 64 { self.0[w] & (!0 << (start % 64)) } else { self.0[w] };
        (start / 64..WORDS).find(|&w| word(w) != 0).map(|w| 64 * w + word(w).trailing_zeros() as usize)
    }
}

/// Successive columns of one word that are successive digits of a coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) strip: usize,
    word: usize,
    shift: u32,
    mask: u64,
    /// The number of the first digit.
    digit: usize,
}

/// The runs that gather the columns `pivots`, at most 64, of a row.
pub(super) fn runs(pivots: &[u32]) -> Vec<Run> {
    let mut runs: Vec<Run> = vec![];
    for (digit, &j) in pivots.iter().enumerate() {
        let j = j as usize;
        match runs.last_mut().filter(|_| !j.is_multiple_of(64) && pivots[digit - 1] as usize + 1 == j) {
            Some(run) => run.mask = run.mask << 1 | 1,
            None => {
                let (strip, word, shift) = (j / COLUMNS, j / 64 % WORDS, (j % 64) as u32);
                runs.push(Run { strip, word, shift, mask: 1, digit });
            }
        }
    }
    runs
}

/// Adds to each coefficient the digits that the row's line has in the columns of a run.
pub(super) fn gather(run: Run, lines: &[Line], coefficients: &mut [u64]) {
    for (c, line) in coefficients.iter_mut().zip(lines) {
        *c |= (line.0[run.word] >> run.shift & run.mask) << run.digit;
    }
}

/// Packs entries of one row, a bit each; what is beyond them stays as it is.
pub(super) struct Pack<'a, R> {
    pub(super) entries: &'a [R],
    pub(super) row: &'a mut [Line],
}

impl<R: Copy + Into<u64>> Kernel for Pack<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let words: &mut [u64] = bytemuck::cast_slice_mut(self.row);
        for (word, entries) in words.iter_mut().zip(self.entries.chunks(64)) {
            *word = entries.iter().enumerate().fold(0, |word, (i, &x)| word | (x.into() & 1) << i);
        }
    }
}
