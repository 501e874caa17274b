//! SMS, the text format of the Sparse Integer Matrix Collection and of LinBox.
//!
//! ```text
//! rows cols M        one letter for the kind of values: M, I, R, Q, …; it is not needed to read them
//! i j value          1-based indices, an integer of any size or a fraction a/b
//! 0 0 0              the end
//! ```

use super::body::Body;
use super::header;
use super::line::{Layout, Symmetry};
use super::options::{self, ReadOptions, duplicates};
use super::text::{Text, fields};
use crate::Result;
use crate::sparse::RationalMatrix;
use crate::words::counted;

/// First characters of comment lines, before and between the entries.
pub(super) const COMMENTS: &[u8] = b"%#";

/// Whether the text begins as SMS: two integers and a letter.
pub(super) fn sniff(line: &[u8]) -> bool {
    let found: Vec<_> = fields(line).collect();
    let [rows, cols, kind] = found[..] else { return false };
    header::is_integer(rows) && header::is_integer(cols) && kind.len() == 1 && kind[0].is_ascii_alphabetic()
}

/// Reads the file.
pub(super) fn read(text: &mut Text<'_>, options: &ReadOptions, fractions: bool) -> Result<RationalMatrix> {
    let line = header::content_line(text, COMMENTS)?.expect("the sniffer saw the header");
    let at = text.line_number();
    let found: Vec<_> = fields(&line).collect();
    let (rows, cols) = (header::dimension(text, found[0], "rows")?, header::dimension(text, found[1], "columns")?);
    let complex = found[2].eq_ignore_ascii_case(b"c");
    if complex && !options.pattern {
        return Err(header::complex(text, at));
    }
    let layout = Layout {
        rows,
        cols,
        first: options::first(options),
        array: false,
        numbers: if complex { 2 } else { 1 },
        symmetry: Symmetry::General,
        ones: options.pattern,
        fractions,
        announced: None,
        end_marker: true,
        comments: COMMENTS,
    };
    let mut body = Body::new(layout, 0, options.max_memory, text.line_number())?.of_text(text.remaining());
    text.blocks(|block| body.parse(block))?;
    if !body.ended {
        let message = format!(
            "the file ends after {}, without its last line \"0 0 0\": a truncated file",
            counted(body.seen, "entry")
        );
        return Err(text.error(text.line_number(), message));
    }
    text.sorting();
    body.finish(duplicates(options))
}
