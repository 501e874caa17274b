//! A decomposition repeated mod another prime: the pivots, their levels and the rows that matter are known, and only
//! the numbers are computed.
//!
//! Of the first prime p the pivots of every floor remain, and rows that complete them: r rows of A in all, a basis of
//! the row space mod p ([`Recipe::trim`]). Mod q these rows alone are eliminated, by the same pivots. If all of them
//! exist, are triangular, and what is left has its pivots in the same columns, the r rows are independent mod q, and
//! the null space of these rows is that of A if q is as good as p. Otherwise q divides one of the minors that the
//! pivots are made of, and is dropped ([`Trimmed::replay`]).

use super::floors::{Floors, Free};
use crate::decomposition::{Level, Lines};
use crate::dense::{Reduced, short_basis};
use crate::field::Modulus;
use crate::pivots::Pivots;
use crate::schur::{FormOptions, Solver, Split, every_row, independent_rows, row_by_row};
use crate::sparse::SparseMatrix;
use crate::{Observer, Result, memory};

/// What the memory is for.
const LINES: &str = "the lines of a replay";
/// Up to so many rows of the last complement, of so many columns in all, are eliminated row by row.
const FEW: usize = 512;
const CELLS: usize = 1 << 20;
/// Rows times rank, up to which a basis is looked for row by row.
const VISITS: usize = 1 << 22;
/// Up to so many entries and columns complements are formed row by row, if that takes no more multiply-adds than these.
const ENTRIES: usize = 1 << 20;
const COLUMNS: usize = 1 << 16;
const PRODUCTS: u64 = 1 << 24;

/// What is in no column that is looked for.
const ELSEWHERE: u32 = u32::MAX;

/// The structure of a decomposition, as it was found.
#[derive(Debug)]
pub(in crate::answers) struct Recipe {
    /// The rows of A that the first floor has.
    rows: Vec<u32>,
    floors: Vec<Structure>,
    /// What is left, its pivots, and the columns of the pivots of its complement, numbered among those without.
    left: SparseMatrix,
    last: Pivots,
    cols: Vec<u32>,
}

/// A floor but the last.
#[derive(Debug)]
struct Structure {
    pivots: Pivots,
    rest: Lines,
}

/// The structure in the rows that matter, whose lines are numbered floor by floor.
#[derive(Debug)]
pub(in crate::answers) struct Trimmed {
    rows: Vec<u32>,
    /// Pivots, and the columns of the complement.
    floors: Vec<(Pivots, Vec<u32>)>,
    last: Pivots,
    cols: Vec<u32>,
}

fn copy(pivots: &Pivots) -> Result<Pivots> {
    Ok(Pivots { rows: memory::copy(&pivots.rows, LINES)?, cols: memory::copy(&pivots.cols, LINES)? })
}

impl Recipe {
    /// The structure of `steps`, and what is `left` with its pivots; the first has the rows `rows` of A, and the
    /// complement of the last its pivots in these `cols`.
    pub fn new(rows: Vec<u32>, steps: &[Level], (left, last): (&SparseMatrix, &Pivots), cols: &[u32]) -> Result<Self> {
        let mut floors = memory::with_capacity(steps.len(), LINES)?;
        for level in steps {
            let rest =
                Lines { rows: memory::copy(&level.rest.rows, LINES)?, cols: memory::copy(&level.rest.cols, LINES)? };
            floors.push(Structure { pivots: copy(&level.pivots)?, rest });
        }
        Ok(Recipe { rows, floors, left: left.try_clone()?, last: copy(last)?, cols: memory::copy(cols, LINES)? })
    }

    /// The same in r rows that are independent mod p: those of pivots, and such as complete them.
    ///
    /// # Errors
    /// [`crate::Error::Interrupted`], [`crate::Error::Memory`].
    pub fn trim(self, observer: &dyn Observer) -> Result<Trimmed> {
        let Recipe { rows, floors, left, last, cols } = self;
        let split = Split::new(&left, &last)?;
        let rank = cols.len();
        let complement = match (1..=FEW).contains(&rank) && rank * split.rows.len() <= VISITS {
            true => made_row_by_row(&split, observer)?,
            false => None,
        };
        let found = match complement {
            _ if rank == 0 => vec![],
            Some(complement) => {
                let rows = memory::collect((0..complement.rows()).map(|i| complement.row(i)), LINES)?;
                short_basis(split.modulus(), complement.cols(), &rows, &cols)?
            }
            None => independent_rows(&split, &cols, observer)?,
        };
        let others = memory::collect(found.iter().map(|&i| split.rows[i as usize]), LINES)?;
        let (mut needed, last) = trimmed(&last, &others)?;
        let mut kept = memory::with_capacity(floors.len(), LINES)?;
        for Structure { pivots, rest } in floors.into_iter().rev() {
            let others = memory::collect(needed.iter().map(|&i| rest.rows[i as usize]), LINES)?;
            let (rows, pivots) = trimmed(&pivots, &others)?;
            needed = rows;
            kept.push((pivots, rest.cols));
        }
        kept.reverse();
        let rows = memory::collect(needed.iter().map(|&i| rows[i as usize]), LINES)?;
        Ok(Trimmed { rows, floors: kept, last, cols })
    }
}

/// The rows of pivots and some others, ascending, and the pivots in the rows as numbered among these.
fn trimmed(pivots: &Pivots, others: &[u32]) -> Result<(Vec<u32>, Pivots)> {
    let mut rows = memory::collect(pivots.rows.iter().chain(others).copied(), LINES)?;
    rows.sort_unstable();
    let mut of = copy(pivots)?;
    of.rows.iter_mut().for_each(|i| *i = rows.binary_search(i).expect("it is there") as u32);
    Ok((rows, of))
}

impl Trimmed {
    /// The rows of A that are needed.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The floors for the rows `a` of A mod another prime, in the columns `names`, whose free columns are to be `free`;
    /// `None` if the structure does not fit.
    ///
    /// # Errors
    /// [`crate::Error::Interrupted`], [`crate::Error::Memory`].
    pub fn replay(
        &self,
        a: SparseMatrix,
        names: &[u32],
        free: &[Free],
        observer: &dyn Observer,
    ) -> Result<Option<Floors>> {
        let (mut matrix, mut steps) = (a, memory::with_capacity(self.floors.len(), LINES)?);
        for (pivots, cols) in &self.floors {
            if !pivots.is_triangular(&matrix)? {
                return Ok(None);
            }
            let split = Split::new(&matrix, pivots)?;
            let Some(next) = complement(&split, cols, observer)? else { return Ok(None) };
            let rest = Lines { rows: memory::copy(&split.rows, LINES)?, cols: memory::copy(cols, LINES)? };
            let matrix = std::mem::replace(&mut matrix, next);
            steps.push(Level::new(matrix, copy(pivots)?, rest));
        }
        if !self.last.is_triangular(&matrix)? {
            return Ok(None);
        }
        let split = Split::new(&matrix, &self.last)?;
        let Some(space) = self.space(&split, observer)? else { return Ok(None) };
        let mut found = memory::collect(free.iter().filter(|free| free.is_empty()).copied(), LINES)?;
        let floors = Floors::new(
            steps,
            (matrix, copy(&self.last)?),
            Some(space),
            memory::copy(names, LINES)?,
            false,
            &mut found,
        )?;
        found.sort_unstable();
        Ok((found == free).then_some(floors))
    }
    /// The row space of the complement, with its pivots in their columns.
    fn space(&self, split: &Split<'_>, observer: &dyn Observer) -> Result<Option<Reduced>> {
        let rank = self.cols.len();
        if rank > FEW || rank * split.cols.len() > CELLS {
            let space = every_row(split, rank, None, false, &[], observer)?.echelon.reduced()?;
            return Ok(Some(space).filter(|space| space.pivot_cols() == self.cols));
        }
        let (p, width) = (split.modulus(), split.cols.len());
        if rank == 0 {
            return Reduced::of_rows(p, width, &[], &[]);
        }
        let Some(left) = complement(split, &split.cols, observer)? else { return Ok(None) };
        if left.rows() != rank {
            return Ok(None);
        }
        let rows = memory::collect((0..rank).map(|i| left.row(i)), LINES)?;
        Reduced::of_rows(p, width, &rows, &self.cols)
    }
}

/// The Schur complement with all its lines, where it is small enough to be formed row by row.
fn made_row_by_row(split: &Split<'_>, observer: &dyn Observer) -> Result<Option<SparseMatrix>> {
    observer.check()?;
    match split.matrix().nnz() <= ENTRIES && split.matrix().cols() <= COLUMNS {
        true => row_by_row(split, PRODUCTS),
        false => Ok(None),
    }
}

/// The Schur complement in the columns `cols` of the matrix; `None` if it has entries in others, or empty rows.
fn complement(split: &Split<'_>, cols: &[u32], observer: &dyn Observer) -> Result<Option<SparseMatrix>> {
    let (matrix, own) = if let Some(matrix) = made_row_by_row(split, observer)? {
        if (0..matrix.rows()).any(|i| matrix.row(i).0.is_empty()) {
            return Ok(None);
        }
        (matrix, memory::copy(&split.cols, LINES)?)
    } else {
        let options = FormOptions { limit_nnz: usize::MAX, distinct: false, divisors: false, deadline: None };
        let formed = Solver::new(split)?.form(&options, observer)?.expect("nothing limits it");
        let (matrix, lines) = (formed.remainder.matrix, formed.remainder.lines);
        if lines.rows != split.rows {
            return Ok(None);
        }
        (matrix, lines.cols)
    };
    if own == cols {
        return Ok(Some(matrix));
    }
    let p: Modulus = matrix.modulus();
    let mut place = memory::with_capacity(own.len(), LINES)?;
    let mut wanted = cols.iter().zip(0..).peekable();
    for &j in &own {
        while wanted.next_if(|(other, _)| **other < j).is_some() {}
        place.push(wanted.next_if(|(other, _)| **other == j).map_or(ELSEWHERE, |(_, at)| at));
    }
    let (start, mut col, value) = matrix.into_csr_parts();
    col.iter_mut().for_each(|j| *j = place[*j as usize]);
    if col.contains(&ELSEWHERE) {
        return Ok(None);
    }
    SparseMatrix::from_csr_parts(p, cols.len(), start, col, value).map(Some)
}
