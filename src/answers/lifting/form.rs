//! The block triangular form of a square matrix over ℤ, as far as its determinant needs it.
//!
//! With a perfect matching, rows and columns have orders in which all entries lie in or above square diagonal blocks
//! ([`dulmage_mendelsohn`]): the determinant is the product of those of the blocks, times the sign of the orders.
//! Without one, each term of the determinant's expansion has a factor 0. Connected components are unions of blocks.

use crate::decomposition::is_odd;
use crate::matching::{dulmage_mendelsohn, maximum_matching_while};
use crate::sparse::{Integer, Pattern, Triplets};
use crate::{Error, Observer, Result, memory};

/// What the memory is for.
const BLOCKS: &str = "the diagonal blocks of a matrix";

/// What the pattern of a square matrix says of its determinant.
pub(super) enum Form<'a> {
    /// Nothing: at most one block.
    Whole,
    /// It is 0: a maximum matching has only so many entries.
    Singular(usize),
    /// It is a product.
    Blocks(Blocks<'a>),
}

/// The diagonal blocks, two or more.
pub(super) struct Blocks<'a> {
    a: &'a Triplets,
    /// Where the entries of each row begin, and one more.
    entries: Vec<usize>,
    /// The rows, block by block, ascending in each.
    rows: Vec<u32>,
    /// Where the rows of each block begin, and one more.
    start: Vec<usize>,
    /// The block of each column, and its number there in ascending order.
    block: Vec<u32>,
    place: Vec<u32>,
    /// Whether the sign of the orders is -1.
    pub odd: bool,
}

impl<'a> Form<'a> {
    /// That of `a`, which is square. Takes O(nnz · √n) at worst.
    ///
    /// # Errors
    /// [`Error::Interrupted`], [`Error::Memory`].
    pub fn of(a: &'a Triplets, observer: &dyn Observer) -> Result<Self> {
        let n = a.rows();
        // Two blocks, or a lack of a matching, leave k × (n - k) zeros.
        let zeros = (n as u128).pow(2) - a.nnz() as u128;
        if n == 0 || zeros + 1 < n as u128 {
            return Ok(Form::Whole);
        }
        let pattern = Pattern::of_integers(a)?;
        let wanted = || !observer.cancelled();
        let matching = maximum_matching_while(&pattern, &wanted)?.ok_or(Error::Interrupted)?;
        if matching.size < n {
            return Ok(Form::Singular(matching.size));
        }
        let mut form = dulmage_mendelsohn(&pattern, &matching)?;
        observer.check()?;
        if form.blocks() == 1 {
            return Ok(Form::Whole);
        }
        let entries = memory::copy(pattern.row_starts(), BLOCKS)?;
        drop((pattern, matching));
        let (mut block, mut place) = (memory::zeros::<u32>(n, BLOCKS)?, memory::zeros::<u32>(n, BLOCKS)?);
        // As they were in the matrix: lines that are next to each other there stay so.
        for (b, range) in form.row_start.windows(2).enumerate() {
            form.row_order[range[0]..range[1]].sort_unstable();
            let cols = &mut form.col_order[range[0]..range[1]];
            cols.sort_unstable();
            for (k, &j) in (0..).zip(&*cols) {
                (block[j as usize], place[j as usize]) = (b as u32, k);
            }
        }
        let pairs = form.row_order.iter().zip(&form.col_order).map(|(&i, &j)| (i, j));
        let odd = is_odd(&memory::collect(pairs, BLOCKS)?)?;
        Ok(Form::Blocks(Blocks { a, entries, rows: form.row_order, start: form.row_start, block, place, odd }))
    }
}

impl<'a> Blocks<'a> {
    /// Number of blocks.
    pub fn count(&self) -> usize {
        self.start.len() - 1
    }
    /// Number of rows of block b, and of columns.
    pub fn order(&self, b: usize) -> usize {
        self.start[b + 1] - self.start[b]
    }
    /// The entries (row, column, value) of block b, by rows and by columns within a row.
    pub fn entries(&self, b: usize) -> impl Iterator<Item = (usize, usize, Integer<'a>)> {
        let rows = self.rows[self.start[b]..self.start[b + 1]].iter().enumerate();
        rows.flat_map(move |(k, &i)| {
            let of_row = self.a.entries_in(self.entries[i as usize]..self.entries[i as usize + 1]);
            of_row.filter(move |e| self.block[e.1] == b as u32).map(move |(_, j, v)| (k, self.place[j] as usize, v))
        })
    }
    /// Block b as a matrix.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn matrix(&self, b: usize) -> Result<Triplets> {
        let entries = self.entries(b).map(|(i, j, v)| (i, j, v.into_owned()));
        Triplets::try_from_entries(self.order(b), self.order(b), entries)
    }
}
