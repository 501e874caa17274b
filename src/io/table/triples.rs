//! Triples: a row, a column and a value in each line, read by the parallel reader of coordinate files.

use super::decide::Shape;
use super::normal::{COMMENTS, Table};
use crate::Result;
use crate::io::body::Body;
use crate::io::line::{Layout, Symmetry};
use crate::io::options::{ReadOptions, duplicates};
use crate::io::text::{Text, lines_end};
use crate::sparse::RationalMatrix;

/// Reads the entries.
pub(super) fn read(
    text: &Text<'_>,
    table: &Table<'_>,
    shape: Shape,
    options: &ReadOptions,
    fractions: bool,
) -> Result<RationalMatrix> {
    let Shape { rows, cols, first, numbers, skip } = shape;
    let layout = Layout {
        rows,
        cols,
        first,
        array: false,
        numbers,
        symmetry: Symmetry::General,
        ones: options.pattern,
        fractions,
        announced: None,
        end_marker: false,
        comments: COMMENTS,
    };
    let (mut at, mut before, mut left) = (0, table.before, skip);
    while left > 0 && at < table.body.len() {
        let end = lines_end(&table.body, at);
        left -= usize::from(!layout.is_blank(&table.body[at..end]));
        (at, before) = (end, before + 1);
    }
    let mut entries = text.with(&table.body[at..], before);
    let mut body = Body::new(layout, 0, options.max_memory, before)?.of_text(entries.remaining());
    entries.blocks(|block| body.parse(block))?;
    text.sorting();
    body.finish(duplicates(options))
}
