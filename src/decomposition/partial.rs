//! The state of a decomposition, and its steps.

use super::core::{Core, Oriented};
use super::factored::Factored;
use super::level::{Divisors, Level};
use super::{Lines, Minor};
use crate::pivots::{Active, Pivots};
use crate::sparse::SparseMatrix;
use crate::{Result, memory};
use std::borrow::Cow;

/// What the memory is for.
const LINES: &str = "the lines of a decomposition";

/// What pivots leave of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remainder {
    /// The complement, without empty lines; its rows may have been divided by residues, and such as became multiples of
    /// others been left out.
    pub matrix: SparseMatrix,
    /// The lines of the matrix before that its lines come from.
    pub lines: Lines,
    /// What its rows were divided by, if that is known; [`Factored`] needs it.
    pub divisors: Option<Vec<u64>>,
}

/// A matrix as far as it is decomposed: rank A = [`taken`](Decomposition::taken) + rank of what is
/// [left](Decomposition::left).
#[derive(Debug)]
pub struct Decomposition<'m> {
    left: Cow<'m, SparseMatrix>,
    pivots: Pivots,
    transposed: bool,
    taken: usize,
    record: Option<Record>,
    /// The steps so far, where they are kept.
    steps: Option<Vec<Level>>,
    /// Columns at the end of what is left that are right sides.
    aside: usize,
}

/// What is kept of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Nothing: what is left of the matrix will do.
    Nothing,
    /// What [`Decomposition::minor`] needs.
    Minor,
    /// All of them: [`Decomposition::into_steps`].
    Steps,
}

/// What a minor is made from. Lines are those of A, or of Aᵀ where what is left is transposed.
#[derive(Debug)]
struct Record {
    /// Pivots done with.
    taken: Lines,
    /// So many of these, the first, are entries of A and a triangular chain; `None` before there are any.
    chain: Option<usize>,
    /// Lines of what is left.
    left: Lines,
    /// Lines of the complement that was formed first, that of the chain, …
    first: Lines,
    /// … and what they were divided by.
    divisors: Divisors,
    /// The steps after the chain, unless one of them keeps no multipliers.
    levels: Option<Vec<Level>>,
}

impl<'m> Decomposition<'m> {
    /// The matrix `a`, of which all is left.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn of(a: Cow<'m, SparseMatrix>, keep: Keep) -> Result<Self> {
        let record = match keep {
            Keep::Minor => Some(Record {
                taken: Lines::default(),
                chain: None,
                left: Lines::all(a.rows(), a.cols())?,
                first: Lines::default(),
                divisors: Divisors::None,
                // Over GF(2) a core has no factors.
                levels: (a.modulus().get() > 2).then(Vec::new),
            }),
            Keep::Nothing | Keep::Steps => None,
        };
        let steps = (keep == Keep::Steps).then(Vec::new);
        Ok(Decomposition { left: a, pivots: Pivots::default(), transposed: false, taken: 0, record, steps, aside: 0 })
    }
    /// The same, of which the last columns are right sides of a system; it will not be transposed.
    pub fn with_aside(self, aside: usize) -> Self {
        Decomposition { aside, ..self }
    }
    /// How many columns at the end of what is left are right sides.
    pub fn aside(&self) -> usize {
        self.aside
    }
    /// What is left of the matrix.
    pub fn left(&self) -> &SparseMatrix {
        &self.left
    }
    /// Structural pivots of what is left, of which the complement is not formed.
    pub fn pivots(&self) -> &Pivots {
        &self.pivots
    }
    /// Whether what is left is so of the transpose.
    pub fn is_transposed(&self) -> bool {
        self.transposed
    }
    /// How many pivots are done with.
    pub fn taken(&self) -> usize {
        self.taken
    }
    /// Whether what is done is recorded.
    pub fn is_recorded(&self) -> bool {
        self.record.is_some()
    }

    /// Goes on with the transpose of what is left, and of its pivots.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn transpose(&mut self) -> Result<()> {
        self.left = Cow::Owned(self.left.transpose()?);
        self.pivots = std::mem::take(&mut self.pivots).transposed();
        self.transposed = !self.transposed;
        let steps = self.steps.take().map(|steps| steps.into_iter().map(Level::transposed).collect::<Result<_>>());
        self.steps = steps.transpose()?;
        if let Some(mut record) = self.record.take() {
            record.taken = record.taken.transposed();
            record.left = record.left.transposed();
            record.first = record.first.transposed();
            record.divisors = record.divisors.transposed();
            if let Some(chain) = record.chain {
                // A chain of the transpose in the reverse order.
                record.taken.rows[..chain].reverse();
                record.taken.cols[..chain].reverse();
            }
            let levels = record.levels.map(|levels| levels.into_iter().map(Level::transposed).collect::<Result<_>>());
            record.levels = levels.transpose()?;
            self.record = Some(record);
        }
        Ok(())
    }
    /// Goes on with these structural pivots of what is left.
    pub fn pivot(&mut self, pivots: Pivots) {
        self.pivots = pivots;
    }
    /// Is done with those of the structural pivots that are idle ([`Active`]), whose complement is a submatrix of what
    /// is left; how many these are. None if something is kept, which names all of a complement's pivots and lines. So
    /// many at the beginning and at the end are known to be singletons.
    ///
    /// # Errors
    /// [`crate::Error::Memory`]; nothing has changed then.
    pub(crate) fn take_idle(&mut self, peeled: [usize; 2]) -> Result<usize> {
        if self.record.is_some() || self.steps.is_some() || self.aside > 0 {
            return Ok(0);
        }
        let Active { idle, rows, cols, pivots } = Active::of(&self.left, &self.pivots, peeled)?;
        if idle.is_empty() {
            return Ok(0);
        }
        self.left = Cow::Owned(self.left.submatrix(&rows, &cols)?);
        self.pivots = pivots;
        self.taken += idle.len();
        Ok(idle.len())
    }
    /// Goes on to the Schur complement of the structural pivots, which was formed.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn form(&mut self, remainder: Remainder) -> Result<()> {
        let Remainder { matrix, lines, divisors } = remainder;
        let before = std::mem::replace(&mut self.left, Cow::Owned(matrix));
        let first = before.cols() - self.aside;
        self.aside = lines.cols.len() - lines.cols.partition_point(|&j| (j as usize) < first);
        let pivots = std::mem::take(&mut self.pivots);
        self.taken += pivots.len();
        if let Some(steps) = &mut self.steps {
            let divisors = divisors.map_or(Divisors::None, Divisors::Rows);
            return memory::push(steps, Level { matrix: owned(before)?, pivots, rest: lines, divisors }, LINES);
        }
        let Some(record) = &mut self.record else { return Ok(()) };
        record.take(&Lines { rows: memory::copy(&pivots.rows, LINES)?, cols: memory::copy(&pivots.cols, LINES)? })?;
        record.left = Lines::named(&lines.rows, &lines.cols, &record.left)?;
        let divisors = match divisors {
            Some(by) => Divisors::Rows(by),
            None => {
                record.levels = None;
                Divisors::None
            }
        };
        if record.chain.is_none() {
            (record.chain, record.divisors) = (Some(pivots.len()), divisors);
            record.first = record.left.clone();
        } else if let Some(levels) = &mut record.levels {
            memory::push(levels, Level { matrix: owned(before)?, pivots, rest: lines, divisors }, LINES)?;
        }
        Ok(())
    }
    /// Goes on to what right-looking elimination left; its pivots are entries of matrices in between, each a step of
    /// its own. Nothing that solves systems is recorded of them.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn eliminate(&mut self, pivots: &Lines, remainder: Remainder) -> Result<()> {
        let Remainder { matrix, lines, .. } = remainder;
        self.left = Cow::Owned(matrix);
        self.pivots = Pivots::default();
        self.taken += pivots.rows.len();
        self.steps = None;
        let Some(record) = &mut self.record else { return Ok(()) };
        record.take(pivots)?;
        record.left = Lines::named(&lines.rows, &lines.cols, &record.left)?;
        (record.levels, record.chain) = (None, record.chain.or(Some(0)));
        Ok(())
    }

    /// The steps, then what is left and its pivots; `None` unless they are kept, and for steps of right-looking
    /// elimination.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn into_steps(self) -> Result<Option<(Vec<Level>, SparseMatrix, Pivots)>> {
        let Decomposition { left, pivots, steps, .. } = self;
        steps.map(|steps| Ok((steps, owned(left)?, pivots))).transpose()
    }
    /// The minor of A that all pivots and a `core` of what is left make; `None` unless it is recorded.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn minor(self, core: Core) -> Result<Option<Minor>> {
        let Decomposition { left, pivots, transposed, record, .. } = self;
        let Some(mut record) = record else { return Ok(None) };
        let was_formed = record.chain.is_some();
        record.take(&Lines { rows: memory::copy(&pivots.rows, LINES)?, cols: memory::copy(&pivots.cols, LINES)? })?;
        let chain = record.chain.unwrap_or(pivots.len());
        record.take(&core.lines)?;
        let Record { taken, first, divisors, levels, .. } = record;
        let (is_square, is_whole) = (core.lines.rows.len() == core.lines.cols.len(), core.lines.rows.is_empty());
        assert!(is_square, "a minor has as many rows as columns");
        let factored = match levels.filter(|_| core.factors.is_some() || is_whole) {
            None => None,
            Some(mut levels) => {
                let beyond = |lines: &[u32], first: &[u32]| match was_formed {
                    true => memory::collect(lines[chain..].iter().map(|line| place(first, *line)), LINES),
                    false => memory::collect(0..(lines.len() - chain) as u32, LINES),
                };
                let places = Lines { rows: beyond(&taken.rows, &first.rows)?, cols: beyond(&taken.cols, &first.cols)? };
                if was_formed {
                    let last = Level { matrix: owned(left)?, pivots, rest: core.lines, divisors: Divisors::None };
                    memory::push(&mut levels, last, LINES)?;
                }
                let core = Oriented { factors: core.factors, transposed: false };
                Some(Factored { places, divisors, levels, core })
            }
        };
        let minor = Minor::of(taken, chain, factored);
        if transposed { minor.transposed().map(Some) } else { Ok(Some(minor)) }
    }
}

impl Record {
    /// Pivots of what is left, or lines that make up a minor of it.
    fn take(&mut self, lines: &Lines) -> Result<()> {
        self.taken.append(&Lines::named(&lines.rows, &lines.cols, &self.left)?)
    }
}

/// The place of a line in an ascending list.
fn place(lines: &[u32], line: u32) -> u32 {
    lines.binary_search(&line).expect("what is left has the lines of all later pivots") as u32
}

fn owned(matrix: Cow<'_, SparseMatrix>) -> Result<SparseMatrix> {
    match matrix {
        Cow::Owned(matrix) => Ok(matrix),
        Cow::Borrowed(matrix) => matrix.try_clone(),
    }
}
