//! Nonsingular minors whose order is the rank, and what the computation knows of them.

use crate::schur::Kept;
use crate::{Result, memory};
use std::sync::Arc;

/// What memory is asked for.
const LINES: &str = "the lines of a minor";

/// Rows and columns of a nonsingular minor whose order is the rank: [`RankOptions::minor`](super::RankOptions::minor)
/// asks for one.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Minor {
    pub(in crate::answers) rows: Vec<u32>,
    pub(in crate::answers) cols: Vec<u32>,
    pub(in crate::answers) triangular: usize,
    pub(in crate::answers) complement: KnownComplement,
}

impl Minor {
    /// The minor in these lines, the first `triangular` of which are a chain.
    pub fn new(rows: Vec<u32>, cols: Vec<u32>, triangular: usize) -> Self {
        Minor { rows, cols, triangular, complement: KnownComplement::default() }
    }
    /// Its rows, those of the triangular chain first.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }
    /// Its columns, those of the triangular chain first.
    pub fn cols(&self) -> &[u32] {
        &self.cols
    }
    /// The length t of the chain: row k of it has no entry in column l for l < k < t, and one in column k.
    pub fn triangular(&self) -> usize {
        self.triangular
    }
    /// The minor of a direct sum from those of its summands: all chains first.
    pub(super) fn direct_sum(minors: &[Minor]) -> Result<Minor> {
        let all = |lines: fn(&Minor) -> &[u32]| {
            let chains = minors.iter().flat_map(|m| &lines(m)[..m.triangular]);
            let beyond = minors.iter().flat_map(|m| &lines(m)[m.triangular..]);
            memory::collect(chains.chain(beyond).copied(), LINES)
        };
        let (mut parts, mut first) = (vec![], 0);
        for minor in minors {
            let of_minor = minor.complement.0.iter().map(|(at, part)| (first + at, part.clone()));
            parts.extend(of_minor);
            first += minor.rows.len() - minor.triangular;
        }
        let triangular = minors.iter().map(|m| m.triangular).sum();
        Ok(Minor { rows: all(|m| &m.rows)?, cols: all(|m| &m.cols)?, triangular, complement: KnownComplement(parts) })
    }
    /// Row i becomes `rows[i]`, column j `cols[j]`.
    pub(super) fn renumber(&mut self, rows: &[u32], cols: &[u32]) {
        self.rows.iter_mut().for_each(|i| *i = rows[*i as usize]);
        self.cols.iter_mut().for_each(|j| *j = cols[*j as usize]);
    }
}

/// Rows and columns.
#[derive(Default)]
pub(super) struct Lines {
    pub rows: Vec<u32>,
    pub cols: Vec<u32>,
}

impl Lines {
    /// These lines of a matrix whose lines are `names`.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn named(rows: &[u32], cols: &[u32], names: &Lines) -> Result<Lines> {
        let named = |lines: &[u32], names: &[u32]| memory::collect(lines.iter().map(|&k| names[k as usize]), LINES);
        Ok(Lines { rows: named(rows, &names.rows)?, cols: named(cols, &names.cols)? })
    }
    /// And others.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn append(&mut self, others: &Lines) -> Result<()> {
        memory::reserve(&mut self.rows, others.rows.len(), LINES)?;
        memory::reserve(&mut self.cols, others.cols.len(), LINES)?;
        self.rows.extend(&others.rows);
        self.cols.extend(&others.cols);
        Ok(())
    }
}

/// The lines that complete a chain to a minor, and the Schur complement of the chain in them as far as the search for
/// them left it.
#[derive(Default)]
pub(super) struct Beyond {
    pub lines: Lines,
    pub values: Option<Part>,
}

/// Rows of a Schur complement in the columns of a minor.
#[derive(Debug)]
pub(super) struct Part {
    kept: Kept,
    /// The places of the columns among those of the rows kept.
    cols: Vec<u32>,
    /// Whether the rows kept are the columns of the minor.
    transposed: bool,
}

impl Part {
    /// The rows `kept` in their columns `cols`.
    ///
    /// # Panics
    /// If they are not as many.
    pub fn new(kept: Kept, cols: Vec<u32>) -> Self {
        assert_eq!(kept.len(), cols.len(), "rows of a minor");
        Part { kept, cols, transposed: false }
    }
    pub fn transposed(self) -> Self {
        Part { transposed: !self.transposed, ..self }
    }
    /// Writes rows start, start + 1, … into `panel`, each `stride` residues behind the one before.
    fn write(&self, rows: std::ops::Range<usize>, panel: &mut [u64], stride: usize) {
        let (mut first, mut line) = (0, vec![]);
        for block in self.kept.blocks() {
            for i in 0..block.rows() {
                let k = first + i;
                if self.transposed {
                    let own = &self.cols[rows.clone()];
                    own.iter().enumerate().for_each(|(to, &j)| panel[to * stride + k] = block.get(i, j as usize));
                } else if rows.contains(&k) {
                    line.clear();
                    block.push_row(i, block.width(), &mut line);
                    let to = &mut panel[(k - rows.start) * stride..];
                    to.iter_mut().zip(&self.cols).for_each(|(to, &j)| *to = line[j as usize]);
                }
            }
            first += block.rows();
        }
    }
}

/// What the computation of a minor left of the Schur complement of its chain in its other lines: blocks on the
/// diagonal, by the places of their first lines; none where nothing was left. It says nothing about which minor it is.
#[derive(Clone, Debug, Default)]
pub(in crate::answers) struct KnownComplement(Vec<(usize, Arc<Part>)>);

impl PartialEq for KnownComplement {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for KnownComplement {}

impl KnownComplement {
    /// The complement that consists of one block.
    pub(super) fn of(part: Part) -> Self {
        KnownComplement(vec![(0, Arc::new(part))])
    }
    /// Whether all of a complement of order s is known.
    pub fn is_whole(&self, s: usize) -> bool {
        self.0.iter().map(|(_, part)| part.cols.len()).sum::<usize>() == s
    }
    /// Writes `rows` of it into `panel`, which is 0, each `stride` residues behind the one before.
    pub fn write(&self, rows: std::ops::Range<usize>, panel: &mut [u64], stride: usize) {
        for (first, part) in &self.0 {
            let own = rows.start.max(*first)..rows.end.min(first + part.cols.len());
            if !own.is_empty() {
                let panel = &mut panel[(own.start - rows.start) * stride + first..];
                part.write(own.start - first..own.end - first, panel, stride);
            }
        }
    }
}
