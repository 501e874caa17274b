//! A matrix in the storage that the kernels of `kernels/sparse.cu` read.
//!
//! Sliced ELL (Monakov, Lokhmotov, Avetisyan, HiPEAC 2010) with ±1 apart (source paper, section 2.4.2): rows of about
//! the same number of entries lie together in slices of [`SLICE`], each as long as its longest row. Within windows of
//! [`WINDOW`] rows they are sorted by their number of entries; further apart they stay in order, for the cache.
//!
//! A row with more than [`LONGEST`] entries of a kind would keep one thread busy when all others are done. It is cut to
//! pieces; the sum of a piece becomes an additional row of X, behind its own, and the row of Y is the sum of these: so
//! what is long needs no kernel of its own, and the sums that must be exact are short. The pieces of a row may again
//! be too many: then there are pieces of pieces.

use crate::sparse::SparseMatrix;
use crate::sparse::hybrid::{Entries, kind};
use crate::{DeviceReason, Error, Result, memory};

/// Rows of a slice.
pub(super) const SLICE: usize = 32;
/// Entries of a row that a thread reads at once.
pub(super) const GROUP: usize = 4;
/// Rows that are sorted by their number of entries.
const WINDOW: usize = 4096;
/// The most entries of a kind in a row.
pub(super) const LONGEST: usize = 128;
/// The bit of an index that says that its entry is -1.
pub(super) const MINUS: u32 = 1 << 31;
/// The target of a slot without a row.
pub(super) const NO_ROW: u32 = u32::MAX;
/// The least share of entries ±1 that are kept apart, if any: fewer cost a second loop for each row.
const LEAST_SHARE: f64 = 0.125;

/// What the memory is for.
const LAYOUT: &str = "a matrix for a GPU";

/// Entries of one kind, by slices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Slices {
    /// The number of groups of a row before each slice.
    pub bases: Vec<u32>,
    /// Entry e of a row in slot t of slice k is at `((bases[k] + e / GROUP) * SLICE + t) * GROUP + e % GROUP`.
    pub indices: Vec<u32>,
    /// The residues at the same places; empty for ±1.
    pub values: Vec<u64>,
}

/// Rows that are computed by one launch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stage {
    /// The row of the result of each slot; [`NO_ROW`] where there is none.
    pub targets: Vec<u32>,
    /// Entries of each slot: ±1, others.
    pub lengths: Vec<u32>,
    pub signs: Slices,
    pub others: Slices,
}

/// A rows × cols matrix.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub rows: usize,
    pub cols: usize,
    /// Rows that X has behind its own, for pieces.
    pub extra: usize,
    /// The last stage writes Y; those before write additional rows of X.
    pub stages: Vec<Stage>,
}

/// Which entries are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds {
    pub signs: bool,
    pub others: bool,
}

impl Kinds {
    /// Those of a matrix and its transpose.
    pub fn of(a: &SparseMatrix) -> Kinds {
        let others = a.valued();
        let signs = a.nnz() - others;
        let apart = signs as f64 >= LEAST_SHARE * a.nnz() as f64;
        Kinds { signs: apart && signs > 0, others: if apart { others > 0 } else { a.nnz() > 0 } }
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

impl Layout {
    /// The layout of `a`.
    ///
    /// # Errors
    /// [`Error::Memory`], also where 31 bits do not number the rows of X.
    pub fn new(a: &SparseMatrix, kinds: Kinds) -> Result<Layout> {
        let (rows, cols, starts) = (a.rows(), a.cols(), a.row_starts());
        let mut whole = memory::with_capacity(rows, LAYOUT)?;
        // Pieces of entries, pieces of those, …
        let mut levels: Vec<Vec<Line>> = Vec::new();
        let mut next = cols;
        for i in 0..rows {
            let (start, count) = (starts[i], starts[i + 1] - starts[i]);
            let mut line = Line { target: i as u32, start, count, cut: false };
            for level in 0.. {
                if line.count <= LONGEST {
                    break;
                }
                if levels.len() == level {
                    levels.push(Vec::new());
                }
                let first = next;
                for begin in (0..line.count).step_by(LONGEST) {
                    let count = LONGEST.min(line.count - begin);
                    let piece = Line { target: next as u32, start: line.start + begin, count, cut: line.cut };
                    memory::push(&mut levels[level], piece, LAYOUT)?;
                    next += 1;
                }
                line = Line { start: first, count: next - first, cut: true, ..line };
            }
            whole.push(line);
        }
        if next >= MINUS as usize || rows >= MINUS as usize {
            let message = format!("{rows} rows and {next} columns and pieces are more than a GPU's indices number");
            return Err(Error::device(DeviceReason::NoMemory, message));
        }
        levels.push(whole);
        let stages = levels.iter().map(|lines| Stage::new(a, lines, kinds)).collect::<Result<_>>()?;
        Ok(Layout { rows, cols, extra: next - cols, stages })
    }

    /// Bytes on the GPU, for values of so many bytes.
    pub fn bytes(&self, value: usize) -> u64 {
        let slices = |s: &Slices| 4 * (s.bases.len() + s.indices.len()) + value * s.values.len();
        let stage = |s: &Stage| 4 * (s.targets.len() + s.lengths.len()) + slices(&s.signs) + slices(&s.others);
        self.stages.iter().map(stage).sum::<usize>() as u64
    }
}

/// Entries ±1 that are kept apart, and others.
#[derive(Clone, Copy)]
struct Counts {
    signs: u32,
    others: u32,
}

impl Stage {
    fn new(a: &SparseMatrix, lines: &[Line], kinds: Kinds) -> Result<Stage> {
        let counts = memory::collect(lines.iter().map(|line| count(a, line, kinds)), LAYOUT)?;
        let mut order = memory::collect(0..lines.len() as u32, LAYOUT)?;
        for window in order.chunks_mut(WINDOW) {
            let weight = |&k: &u32| (counts[k as usize].signs, counts[k as usize].others);
            window.sort_by_key(|k| std::cmp::Reverse(weight(k)));
        }
        let slots = lines.len().next_multiple_of(SLICE);
        let mut stage = Stage {
            targets: memory::filled(NO_ROW, slots, LAYOUT)?,
            lengths: memory::zeros(2 * slots, LAYOUT)?,
            signs: Slices::new(&order, |k| counts[k].signs, kinds.signs, false)?,
            others: Slices::new(&order, |k| counts[k].others, kinds.others, true)?,
        };
        for (slot, &k) in order.iter().enumerate() {
            let line = &lines[k as usize];
            stage.targets[slot] = line.target;
            let mut done = Counts { signs: 0, others: 0 };
            each(a, line, kinds, |index, value| match value {
                None => {
                    let at = stage.signs.place(slot, done.signs);
                    stage.signs.indices[at] = index;
                    done.signs += 1;
                }
                Some(value) => {
                    let at = stage.others.place(slot, done.others);
                    (stage.others.indices[at], stage.others.values[at]) = (index, value);
                    done.others += 1;
                }
            });
            (stage.lengths[2 * slot], stage.lengths[2 * slot + 1]) = (done.signs, done.others);
        }
        Ok(stage)
    }
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

impl Slices {
    /// Room for lines in this order.
    fn new(order: &[u32], count: impl Fn(usize) -> u32, any: bool, valued: bool) -> Result<Slices> {
        if !any {
            return Ok(Slices::default());
        }
        let (mut bases, mut groups) = (memory::with_capacity(order.len().div_ceil(SLICE), LAYOUT)?, 0u64);
        for slice in order.chunks(SLICE) {
            let message = || format!("{groups} groups of entries are more than a GPU's layout numbers");
            let too_many = |_| Error::device(DeviceReason::NoMemory, message());
            bases.push(u32::try_from(groups).map_err(too_many)?);
            let longest = slice.iter().map(|&k| count(k as usize)).max().unwrap_or(0);
            groups += u64::from(longest).div_ceil(GROUP as u64);
        }
        let len = groups as usize * SLICE * GROUP;
        let values = if valued { memory::zeros(len, LAYOUT)? } else { Vec::new() };
        Ok(Slices { bases, indices: memory::zeros(len, LAYOUT)?, values })
    }

    /// Where entry `e` of the row in `slot` lies.
    fn place(&self, slot: usize, e: u32) -> usize {
        let (group, entry) = (e as usize / GROUP, e as usize % GROUP);
        ((self.bases[slot / SLICE] as usize + group) * SLICE + slot % SLICE) * GROUP + entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Modulus, Rng};
    use rand::{RngExt, SeedableRng};

    /// Y = A·X as the kernels read the layout, one column, in plain arithmetic.
    fn interpret(p: Modulus, layout: &Layout, x: &[u64]) -> Vec<u64> {
        let mut x = x.to_vec();
        x.resize(layout.cols + layout.extra, u64::MAX);
        let mut y = vec![u64::MAX; layout.rows];
        for (number, stage) in layout.stages.iter().enumerate() {
            let last = number + 1 == layout.stages.len();
            for (slot, &target) in stage.targets.iter().enumerate() {
                if target == NO_ROW {
                    assert_eq!(stage.lengths[2 * slot..2 * slot + 2], [0, 0]);
                    continue;
                }
                assert!(stage.lengths[2 * slot] + stage.lengths[2 * slot + 1] <= LONGEST as u32);
                let mut sum = 0;
                for e in 0..stage.lengths[2 * slot] {
                    let index = stage.signs.indices[stage.signs.place(slot, e)];
                    let term = x[(index & !MINUS) as usize];
                    sum = if index & MINUS == 0 { p.add(sum, term) } else { p.sub(sum, term) };
                }
                for e in 0..stage.lengths[2 * slot + 1] {
                    let at = stage.others.place(slot, e);
                    sum = p.add(sum, p.mul(stage.others.values[at], x[stage.others.indices[at] as usize]));
                }
                let to = if last { &mut y } else { &mut x };
                assert_eq!(std::mem::replace(&mut to[target as usize], sum), u64::MAX, "row {target} is written once");
            }
        }
        y
    }

    #[test]
    fn layouts_hold_the_matrix() {
        let mut rng = Rng::seed_from_u64(1);
        // Rows, columns, entries in most rows, rows that are heavy and their entries.
        let shapes = [
            (0, 5, 0, 0, 0),
            (5, 0, 0, 0, 0),
            (1, 1, 1, 0, 0),
            (100, 40, 3, 0, 0),
            (5000, 300, 7, 3, 290),
            (40, 40_000, 2, 2, 20_000),
            (33, 1000, 0, 1, LONGEST),
            (33, 1000, 0, 1, LONGEST + 1),
        ];
        for (p, signs) in [(2, 1.0), (3, 1.0), (65521, 0.9), (65521, 0.05), ((1 << 63) - 25, 0.5)] {
            let p = Modulus::new(p).unwrap();
            for (rows, cols, most, heavy, entries) in shapes {
                let mut triplets = Vec::new();
                for i in 0..rows {
                    let count = if i < heavy { entries } else { rng.random_range(0..=most) };
                    for k in 0..count {
                        let j = if i < heavy { k } else { rng.random_range(0..cols) };
                        let v = match rng.random_bool(signs) {
                            true => [1, p.get() - 1][rng.random_range(0..2)],
                            false => rng.random_range(0..p.get()),
                        };
                        triplets.push((i, j, v));
                    }
                }
                let a = SparseMatrix::from_triplets(p, rows, cols, &triplets);
                for a in [&a, &a.transpose().unwrap()] {
                    let layout = Layout::new(a, Kinds::of(a)).unwrap();
                    let x: Vec<u64> = (0..a.cols()).map(|_| rng.random_range(0..p.get())).collect();
                    let row = |i| {
                        let (cols, values) = a.row(i);
                        let terms = cols.iter().zip(values).map(|(&j, &v)| p.mul(v, x[j as usize]));
                        terms.fold(0, |sum, term| p.add(sum, term))
                    };
                    assert_eq!(
                        interpret(p, &layout, &x),
                        (0..a.rows()).map(row).collect::<Vec<_>>(),
                        "{rows} x {cols}"
                    );
                    let levels = if entries > LONGEST * LONGEST && a.rows() == rows { 3 } else { 1 };
                    assert!(
                        layout.stages.len() >= levels
                            && (heavy == 0 || entries <= LONGEST || layout.stages.len() > 1 || a.rows() != rows)
                    );
                }
            }
        }
    }

    #[test]
    fn slices_are_hardly_longer_than_their_rows() {
        let mut rng = Rng::seed_from_u64(2);
        let rows = 3 * WINDOW + 100;
        let entries: Vec<_> = (0..rows)
            .flat_map(|i| (0..i * 7919 % 60).map(move |_| i))
            .map(|i| (i, rng.random_range(0..rows), [1, 65520][i % 2]))
            .collect();
        let a = SparseMatrix::from_triplets(Modulus::new(65521).unwrap(), rows, rows, &entries);
        let layout = Layout::new(&a, Kinds::of(&a)).unwrap();
        let held = layout.stages[0].signs.indices.len();
        assert!(held as f64 <= 1.1 * a.nnz() as f64, "{held} places for {} entries", a.nnz());
        assert!(layout.bytes(4) < 6 * a.nnz() as u64);
    }
}
