//! A linear map in the storage that the kernels of `kernels/sparse.cu` read: Y ← A·X, or what a triangular solve makes
//! of X.
//!
//! Sliced ELL (Monakov, Lokhmotov, Avetisyan, HiPEAC 2010) with ±1 apart (source paper, section 2.4.2): rows of about
//! the same number of entries lie together in slices of [`SLICE`], each as long as its longest row. Within windows of
//! [`WINDOW`] rows they are sorted by their number of entries; further apart they stay in order, for the cache: in the
//! one given, or in a better one (`locality.rs`).
//!
//! **Rows that other rows need** become rows of X behind its own: those of a triangular solve (Schur complements,
//! `schur::Split`), by groups of which each needs earlier ones only. A row with more than [`LONGEST`] entries of a kind
//! would keep one thread busy when all others are done. It is cut to pieces; the sum of a piece becomes a further row
//! of X, and the row is the sum of these: so what is long needs no kernel of its own, and the sums that must be exact
//! are short. The pieces of a row may again be too many: then there are pieces of pieces. Where rows are few, shorter
//! ones are cut, too ([`longest`]), so that there is work for all threads.

use super::locality::Products;
use super::slices::{BAND, GROUP, LAYOUT, SLICE, Slices};
use crate::parallel::{self, Each};
use crate::sparse::SparseMatrix;
use crate::sparse::hybrid::{Entries, kind};
use crate::{DeviceReason, Error, Result, memory};
use rayon::prelude::*;
use std::borrow::Borrow;

/// Rows that are sorted by their number of entries.
const WINDOW: usize = 4096;
/// The most entries of a kind in a row.
pub(super) const LONGEST: usize = 128;
/// Rows of fewer words together leave most of a GPU idle, …
const IDLE: u128 = 1 << 15;
/// … where they are cut to pieces of about so many words together, of no fewer entries than these.
const BUSY: u128 = 1 << 16;
const SHORTEST: usize = 16;
/// The most groups: beyond, threads do nothing but wait for each other.
pub(super) const CHAIN: usize = 1 << 14;
/// The bit of an index that says that its entry is -1.
pub(super) const MINUS: u32 = 1 << 31;
/// The target of a slot without a row.
pub(super) const NO_ROW: u32 = u32::MAX;
/// The least share of entries ±1 that are kept apart, if any: fewer cost a second loop for each row.
const LEAST_SHARE: f64 = 0.125;
/// Lines that one task counts, at least.
const TASK: usize = 1 << 12;

/// A rows × cols map.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub rows: usize,
    /// The row of Y that the first one is: not 0 where other GPUs make those before.
    pub first: usize,
    /// Rows of Y, of which other GPUs make the others.
    pub whole: usize,
    pub cols: usize,
    /// Rows that X has behind its own: solved for, and pieces.
    pub extra: usize,
    /// The row of the result of each slot; [`NO_ROW`] where there is none.
    pub targets: Vec<u32>,
    /// Entries of each slot: ±1, others.
    pub lengths: Vec<u32>,
    pub signs: Slices,
    pub others: Slices,
    /// Where each group of slots begins, and the end: multiples of [`SLICE`]. The last group writes Y; those before
    /// write rows of X, which only later ones read.
    pub groups: Vec<u32>,
}

/// Which entries are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds {
    pub signs: bool,
    pub others: bool,
}

impl Kinds {
    /// Those for a matrix and its transpose.
    pub fn of(a: &SparseMatrix) -> Kinds {
        let others = a.valued();
        let signs = a.nnz() - others;
        let apart = signs as f64 >= LEAST_SHARE * a.nnz() as f64;
        Kinds { signs: apart && signs > 0, others: if apart { others > 0 } else { a.nnz() > 0 } }
    }
    /// What kernels are told of them.
    pub fn defines(self) -> String {
        format!("#define SIGNS {}\n#define VALUES {}\n", u8::from(self.signs), u8::from(self.others))
    }
    /// All that one or the other has.
    pub fn or(self, other: Kinds) -> Kinds {
        Kinds { signs: self.signs || other.signs, others: self.others || other.others }
    }
}

/// The entries of a row or of a piece.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// The row of Y, or of X for a piece.
    target: u32,
    /// Entries of the matrix from here on, or rows of X from here on, each with an entry 1.
    start: usize,
    count: usize,
    /// Whether they are rows of X, the pieces of a longer line.
    cut: bool,
}

/// The most entries of a kind in a row of a matrix, for blocks with rows of so many words.
fn longest(a: &SparseMatrix, words: usize) -> usize {
    let words = words as u128;
    if a.rows() as u128 * words >= IDLE {
        return LONGEST;
    }
    let share = (a.nnz() as u128 * words / BUSY).min(LONGEST as u128) as usize;
    share.next_multiple_of(GROUP).clamp(SHORTEST, LONGEST)
}

/// Lines by groups, and the numbers of the rows that X has.
struct Lines {
    /// The most entries of a line.
    longest: usize,
    all: Vec<Line>,
    /// Where each group ends.
    ends: Vec<usize>,
    /// The row of X that the next piece becomes.
    next: usize,
}

impl Lines {
    /// A group of whole lines, behind those of the pieces that they are cut to.
    fn push(&mut self, mut group: Vec<Line>) -> Result<()> {
        let longest = self.longest;
        // Pieces of entries, pieces of those, …
        let mut levels: Vec<Vec<Line>> = Vec::new();
        for line in &mut group {
            for level in 0.. {
                if line.count <= longest {
                    break;
                }
                if levels.len() == level {
                    levels.push(Vec::new());
                }
                let first = self.next;
                for begin in (0..line.count).step_by(longest) {
                    let count = longest.min(line.count - begin);
                    let piece = Line { target: self.next as u32, start: line.start + begin, count, cut: line.cut };
                    memory::push(&mut levels[level], piece, LAYOUT)?;
                    self.next += 1;
                }
                *line = Line { start: first, count: self.next - first, cut: true, ..*line };
            }
        }
        levels.push(group);
        for lines in levels {
            memory::reserve(&mut self.all, lines.len(), LAYOUT)?;
            self.all.extend(lines);
            memory::push(&mut self.ends, self.all.len(), LAYOUT)?;
        }
        Ok(())
    }
}

impl Layout {
    /// The layout of a matrix, for blocks with rows of so many words, and for so many products.
    ///
    /// # Errors
    /// As [`Layout::new`], and what `transposed` returns ([`Products::order`]).
    pub fn of_matrix<T: Borrow<SparseMatrix>>(
        a: &SparseMatrix,
        transposed: impl FnOnce() -> Result<T>,
        kinds: Kinds,
        words: usize,
        products: Products,
    ) -> Result<Layout> {
        let longest = longest(a, words);
        let order = products.order(a, transposed, longest)?;
        Self::ordered(a.cols(), a, (a.rows(), order.as_deref()), kinds, longest)
    }
    /// The layouts of a matrix and of its transpose: [`Layout::of_matrix`].
    ///
    /// # Errors
    /// As [`Layout::of_matrix`].
    pub fn of_both(a: &SparseMatrix, kinds: Kinds, words: usize, products: Products) -> Result<(Layout, Layout)> {
        let t = a.transpose()?;
        let forward = || Layout::of_matrix(a, || Ok(&t), kinds, words, products);
        let (forward, backward) = parallel::join(forward, || Layout::of_matrix(&t, || Ok(a), kinds, words, products));
        Ok((forward?, backward?))
    }
    /// The layout of what the rows of `l` make of X with `inputs` rows: each but the last `outputs` becomes a row of X
    /// behind the `inputs`, which later rows may name; those are Y. A matrix has inputs and outputs alone. Rows of more
    /// entries than `longest` are cut.
    ///
    /// # Errors
    /// [`Error::Memory`]; [`Error::Device`] where 31 bits do not number the rows of X, and for more than [`CHAIN`]
    /// groups.
    ///
    /// # Panics
    /// If a row names itself, a later one, or one of the last; if `longest` is not from 2 to [`LONGEST`].
    pub fn new(inputs: usize, l: &SparseMatrix, outputs: usize, kinds: Kinds, longest: usize) -> Result<Layout> {
        Self::ordered(inputs, l, (outputs, None), kinds, longest)
    }
    /// The same, whose rows of Y are made in an order, a permutation.
    fn ordered(
        inputs: usize,
        l: &SparseMatrix,
        (outputs, order): (usize, Option<&[u32]>),
        kinds: Kinds,
        longest: usize,
    ) -> Result<Layout> {
        let solved = l.rows() - outputs;
        assert!((2..=LONGEST).contains(&longest), "rows of {longest} entries");
        let mut lines = Lines { longest, all: vec![], ends: vec![], next: inputs + solved };
        let line = |i: usize| {
            let (start, end) = (l.row_starts()[i], l.row_starts()[i + 1]);
            let target = if i < solved { inputs + i } else { i - solved };
            Line { target: target as u32, start, count: end - start, cut: false }
        };
        let mut first = 0;
        for i in 0..solved {
            let needed = l.row(i).0.last().map_or(0, |&j| j as usize + 1);
            assert!(needed <= inputs + i, "row {i} needs row {} of X", needed - 1);
            if needed > inputs + first {
                lines.push(memory::collect((first..i).map(line), LAYOUT)?)?;
                first = i;
                if lines.ends.len() > CHAIN {
                    let message = format!("a chain of more than {CHAIN} rows is no work for a GPU");
                    return Err(Error::device(DeviceReason::NoKernel, message));
                }
            }
        }
        if first < solved {
            lines.push(memory::collect((first..solved).map(line), LAYOUT)?)?;
        }
        let needed = (solved..l.rows()).filter_map(|i| l.row(i).0.last()).max().map_or(0, |&j| j as usize + 1);
        assert!(needed <= inputs + solved, "row {} of X is an output", needed.saturating_sub(1));
        lines.push(match order {
            Some(order) => memory::collect(order.iter().map(|&i| line(solved + i as usize)), LAYOUT)?,
            None => memory::collect((solved..l.rows()).map(line), LAYOUT)?,
        })?;
        if lines.next >= MINUS as usize || outputs >= MINUS as usize {
            let message = format!("{outputs} rows of {} others are more than a GPU's indices number", lines.next);
            return Err(Error::device(DeviceReason::NoMemory, message));
        }
        let mut layout = Self::of_lines(l, &lines, kinds)?;
        (layout.rows, layout.whole) = (outputs, outputs);
        (layout.cols, layout.extra) = (inputs, lines.next - inputs);
        Ok(layout)
    }

    fn of_lines(l: &SparseMatrix, lines: &Lines, kinds: Kinds) -> Result<Layout> {
        let all = &lines.all;
        let mut counts = memory::filled(Counts { signs: 0, others: 0 }, all.len(), LAYOUT)?;
        let each_line = counts.par_iter_mut().with_min_len(TASK).zip(all);
        each_line.each(|(to, line)| *to = count(l, line, kinds));
        // The lines in their slots; all slices are whole.
        let slots = all.len() + lines.ends.len() * (SLICE - 1);
        let mut order: Vec<u32> = memory::with_capacity(slots, LAYOUT)?;
        let mut groups = memory::with_capacity(lines.ends.len() + 1, LAYOUT)?;
        let mut first = 0;
        for &end in &lines.ends {
            groups.push(order.len() as u32);
            let begin = order.len();
            order.extend(first as u32..end as u32);
            order[begin..].par_chunks_mut(WINDOW).each(|window| {
                let weight = |&k: &u32| (counts[k as usize].signs, counts[k as usize].others);
                window.sort_by_key(|k| std::cmp::Reverse(weight(k)));
            });
            order.resize(order.len().next_multiple_of(SLICE), NO_ROW);
            first = end;
        }
        groups.push(order.len() as u32);
        let of = |k: u32| if k == NO_ROW { Counts { signs: 0, others: 0 } } else { counts[k as usize] };
        let mut layout = Layout {
            rows: 0,
            first: 0,
            whole: 0,
            cols: 0,
            extra: 0,
            targets: memory::filled(NO_ROW, order.len(), LAYOUT)?,
            lengths: memory::zeros(2 * order.len(), LAYOUT)?,
            signs: Slices::new(&order, |k| of(k).signs, kinds.signs, false)?,
            others: Slices::new(&order, |k| of(k).others, kinds.others, true)?,
            groups,
        };
        layout.fill(l, all, &order, kinds);
        Ok(layout)
    }

    /// Writes the lines, which have an `order`, into their slots.
    fn fill(&mut self, l: &SparseMatrix, all: &[Line], order: &[u32], kinds: Kinds) {
        let slices = order.len() / SLICE;
        let (signs, others) = (self.signs.bands(slices), self.others.bands(slices));
        let storage = signs.into_par_iter().zip(others);
        let lines = self.targets.par_chunks_mut(BAND * SLICE).zip(self.lengths.par_chunks_mut(2 * BAND * SLICE));
        let bands = storage.zip(lines).zip(order.par_chunks(BAND * SLICE));
        bands.each(|(((signs, others), (targets, lengths)), order)| {
            for (slot, &k) in order.iter().enumerate().filter(|&(_, &k)| k != NO_ROW) {
                let (line, mut done) = (&all[k as usize], Counts { signs: 0, others: 0 });
                targets[slot] = line.target;
                each(l, line, kinds, |index, value| match value {
                    None => {
                        let at = signs.place(slot, done.signs);
                        signs.indices[at] = index;
                        done.signs += 1;
                    }
                    Some(value) => {
                        let at = others.place(slot, done.others);
                        (others.indices[at], others.values[at]) = (index, value);
                        done.others += 1;
                    }
                });
                (lengths[2 * slot], lengths[2 * slot + 1]) = (done.signs, done.others);
            }
        });
    }

    /// The same, whose rows are those of a Y with `whole` rows from `first` on.
    ///
    /// # Panics
    /// If they are not among these, or there are too many for the indices.
    pub fn at(mut self, first: usize, whole: usize) -> Layout {
        assert!(first + self.rows <= whole && whole < MINUS as usize, "rows {first} and {} more of {whole}", self.rows);
        let of_y = self.groups[self.groups.len() - 2] as usize;
        self.targets[of_y..].iter_mut().filter(|target| **target != NO_ROW).for_each(|target| *target += first as u32);
        Layout { first, whole, ..self }
    }

    /// Rows of X.
    pub fn operand(&self) -> usize {
        self.cols + self.extra
    }

    /// Bytes on the GPU, for values of so many bytes.
    pub fn bytes(&self, value: usize) -> u64 {
        let slices = |s: &Slices| 4 * (s.bases.len() + s.indices.len()) + value * s.values.len();
        let lines = 4 * (self.targets.len() + self.lengths.len() + self.groups.len());
        (lines + slices(&self.signs) + slices(&self.others)) as u64
    }
}

/// Entries ±1 that are kept apart, and others.
#[derive(Clone, Copy)]
struct Counts {
    signs: u32,
    others: u32,
}

/// Calls `visit` for each entry of a line: index and residue, or an index with its sign.
fn each(a: &SparseMatrix, line: &Line, kinds: Kinds, mut visit: impl FnMut(u32, Option<u64>)) {
    let range = line.start..line.start + line.count;
    if line.cut {
        range.for_each(|index| visit(index as u32, (!kinds.signs).then_some(1)));
        return;
    }
    for (&j, &v) in a.columns()[range.clone()].iter().zip(&a.values()[range]) {
        match kind(a.modulus(), kinds.signs, v) {
            Entries::Plus => visit(j, None),
            Entries::Minus => visit(j | MINUS, None),
            Entries::Valued => visit(j, Some(v)),
        }
    }
}

fn count(a: &SparseMatrix, line: &Line, kinds: Kinds) -> Counts {
    let mut counts = Counts { signs: 0, others: 0 };
    each(a, line, kinds, |_, value| match value {
        None => counts.signs += 1,
        Some(_) => counts.others += 1,
    });
    counts
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
