//! Tables: texts of lines of numbers, with blanks, tabs, commas or semicolons between them, comments from `%` or `#`,
//! and perhaps a first line with the names of the columns.
//!
//! What the lines mean is the caller's to say ([`Layout`](super::Layout)) or to be seen ([`decide`]):
//!
//! | lines | taken as |
//! | --- | --- |
//! | columns named row, col, value (i, j, v, …); row, col | triples |
//! | columns named source, target, weight (from, to, …), or SNAP's comment `Undirected graph` or `Directed graph` | edges, arcs |
//! | three numbers after a line `rows cols count` that is right; two after one | triples |
//! | three numbers, rows or columns in order, on both sides of the diagonal, more than three lines | triples |
//! | as many numbers in each line, at least four, or one | a dense matrix |
//! | as many after a line `rows cols` that is right | a dense matrix |
//! | `rows cols`, then rows of a count and that many `column` or `column:coefficient` | CADO-NFS's matrices in text |
//! | `a,b:` and columns in hexadecimal | CADO-NFS's relations after filtering |
//!
//! Everything else could be two things, and is refused with the option that decides. Rows, columns and vertices count
//! from 0 if there is a 0 among them, else from 1 if there is a 1; else the caller must say it.

mod cado;
mod decide;
mod dense;
mod lists;
mod normal;
mod survey;
mod triples;

use super::options::{Layout, ReadOptions};
use super::text::Text;
use crate::Result;
use crate::sparse::RationalMatrix;
use decide::Decision;

/// Whether the text begins as a table does, or must be one because the caller says what it holds.
pub(super) fn sniff(head: &[u8], options: &ReadOptions) -> bool {
    options.layout.is_some() && !head.contains(&0) && !head.trim_ascii().is_empty()
        || cado::is_relation(head)
        || normal::sniff(head)
}

/// Reads the table.
pub(super) fn read(text: &mut Text<'_>, options: &ReadOptions, fractions: bool) -> Result<RationalMatrix> {
    let whole = text.whole(options.max_memory)?;
    if options.layout.is_none() && cado::is_relation(&whole) {
        return cado::relations(text, &whole, options);
    }
    let words = matches!(options.layout, Some(Layout::Edges | Layout::Arcs | Layout::Adjacency));
    let table = normal::normal(text, &whole, words)?;
    match decide::decide(text, &table, options)? {
        Decision::Triples(shape) => triples::read(text, &table, shape, options, fractions),
        Decision::Dense(skip) => dense::read(text, &table, skip, options, fractions),
        Decision::Edges { directed } => lists::edges(text, &table, directed, options, fractions),
        Decision::Adjacency => lists::adjacency(text, &table, options),
        Decision::Cado => cado::matrix(text, &table, options, fractions),
    }
}
