//! MatrixMarket exchange files (R. F. Boisvert, R. Pozo, K. A. Remington, *The Matrix Market exchange formats: initial
//! design*, NISTIR 5935, 1996).
//!
//! ```text
//! %%MatrixMarket matrix coordinate|array integer|pattern|real|rational general|symmetric|skew-symmetric
//! % comments
//! rows cols entries      (array: rows cols)
//! i j value              (pattern: i j; array: value, by columns)
//! ```
//!
//! The field `rational` is ours: the format has no name for fractions a/b, which are read under each that has values.
//! Symmetric kinds store the lower triangle and are expanded. Complex and Hermitian files have no integer meaning;
//! their 0–1 pattern can be taken.

use super::body::Body;
use super::header;
use super::line::{Layout, Symmetry};
use super::options::{self, ReadOptions, duplicates};
use super::text::{Text, fields, quote};
use crate::Result;
use crate::sparse::RationalMatrix;
use crate::words::counted;

const BANNER: &[u8] = b"%%MatrixMarket";

/// Whether the text begins with the banner.
pub(super) fn sniff(line: &[u8]) -> bool {
    line.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}

/// Reads the file.
pub(super) fn read(text: &mut Text<'_>, options: &ReadOptions, fractions: bool) -> Result<RationalMatrix> {
    let mut layout = Layout { fractions, ..banner(text, options)? };
    let Some(line) = header::content_line(text, b"%")? else {
        let message = format!("the file ends before its size line; expected \"{}\"", sizes(layout.array));
        return Err(text.error(text.line_number(), message));
    };
    let at = text.line_number();
    let found: Vec<_> = fields(&line).collect();
    if found.len() != if layout.array { 2 } else { 3 } {
        let message = format!("expected the size line \"{}\", found {}", sizes(layout.array), quote(&line));
        return Err(text.error(at, message));
    }
    (layout.rows, layout.cols) =
        (header::dimension(text, found[0], "rows")?, header::dimension(text, found[1], "columns")?);
    let square = layout.rows == layout.cols;
    if layout.symmetry != Symmetry::General && !square {
        let message = format!("a symmetric matrix must be square, found {} x {}", layout.rows, layout.cols);
        return Err(text.error(at, message));
    }
    let entries = match (layout.array, layout.symmetry) {
        (false, _) => header::count(text, found[2], "entries")?,
        (true, Symmetry::General) => layout.rows * layout.cols,
        (true, Symmetry::Symmetric) => (layout.rows as u128 * (layout.rows as u128 + 1) / 2) as u64,
        (true, Symmetry::Skew) => (layout.rows as u128 * (layout.rows as u128).saturating_sub(1) / 2) as u64,
    };
    layout.announced = Some((entries, at));
    if layout.symmetry == Symmetry::General {
        text.shape(layout.rows, layout.cols, entries);
    }

    // The count may be wrong: reserve no more than the text can hold, at a few bytes per entry.
    let room = text.remaining().unwrap_or(0) / layout.shortest_line() as u64;
    let expect = if found.len() == 3 { entries.min(room) as usize } else { 0 };
    let mut body = Body::new(layout, expect, options.max_memory, text.line_number())?;
    text.blocks(|block| body.parse(block))?;
    if body.seen < entries {
        let message = format!(
            "the file ends after {} of the {} that line {at} announces: a truncated file, or a wrong number",
            body.seen,
            counted(entries, "entry")
        );
        return Err(text.error(text.line_number(), message));
    }
    text.sorting();
    body.finish(duplicates(options))
}

/// What the size line should look like.
fn sizes(array: bool) -> &'static str {
    if array { "rows columns" } else { "rows columns entries" }
}

/// Reads the banner; the sizes are not known yet.
fn banner(text: &mut Text<'_>, options: &ReadOptions) -> Result<Layout> {
    let line = text.next_line()?.expect("the sniffer saw the banner");
    let at = text.line_number();
    let words: Vec<String> = fields(&line).map(|word| String::from_utf8_lossy(word).to_ascii_lowercase()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let [_, object, format, field, symmetry] = words[..] else {
        let message = format!("expected \"%%MatrixMarket matrix FORMAT FIELD SYMMETRY\", found {}", quote(&line));
        return Err(text.error(at, message));
    };
    let expected = |what: &str, found: &str, choice: &str| {
        Err(text.error(at, format!("expected {what} {choice}, found {}", quote(found.as_bytes()))))
    };
    if object != "matrix" {
        return expected("the object", object, "matrix");
    }
    let array = match format {
        "coordinate" => false,
        "array" => true,
        _ => return expected("the format", format, "coordinate or array"),
    };
    let numbers = match field {
        "pattern" => 0,
        "integer" | "unsigned-integer" | "real" | "double" | "rational" => 1,
        "complex" if options.pattern => 2,
        "complex" => return Err(header::complex(text, at)),
        _ => return expected("the field", field, "integer, real, pattern or complex"),
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" if numbers > 0 => Symmetry::Skew,
        "hermitian" if options.pattern => Symmetry::Symmetric,
        "hermitian" => return Err(header::complex(text, at)),
        "skew-symmetric" => return expected("the symmetry of a pattern", symmetry, "general or symmetric"),
        _ => return expected("the symmetry", symmetry, "general, symmetric, skew-symmetric or hermitian"),
    };
    if array && numbers == 0 {
        return expected("the field of an array", field, "integer, real or complex");
    }
    Ok(Layout {
        rows: 0,
        cols: 0,
        first: options::first(options),
        array,
        numbers,
        symmetry,
        ones: options.pattern,
        fractions: false,
        announced: None,
        end_marker: false,
        comments: b"%",
    })
}
