//! What a line of a body must look like, and the general parser for one line: every legal spelling, every error
//! message.

use super::decimal;
use super::fraction::value;
use super::header::is_content;
use super::text::{fields, quote};
use crate::sparse::{Fraction, Integer};

/// Which part of the matrix a file stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symmetry {
    /// All of the matrix.
    General,
    /// The lower triangle with the diagonal; A = Aᵀ.
    Symmetric,
    /// The lower triangle without the diagonal; A = -Aᵀ.
    Skew,
}

/// The layout of a body: one entry per line.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub rows: u64,
    pub cols: u64,
    /// The number of the first row and of the first column: 0 or 1.
    pub first: u64,
    /// Whether lines hold only values, column by column (a dense array), and no indices.
    pub array: bool,
    /// How many numbers make up a value: 0 (a pattern), 1, or 2 (complex: only its 0–1 pattern can be taken).
    pub numbers: usize,
    pub symmetry: Symmetry,
    /// Whether every non-zero value is taken as 1.
    pub ones: bool,
    /// Whether values may be fractions.
    pub fractions: bool,
    /// The number of entries that the header announces, and the line that announces it.
    pub announced: Option<(u64, u64)>,
    /// Whether the body ends with `0 0 0`.
    pub end_marker: bool,
    /// First characters of comment lines.
    pub comments: &'static [u8],
}

/// A parsed line. Indices are 0-based (and 0 in an array).
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Blank,
    Entry(u32, u32, Fraction<'static>),
    EndMarker,
}

impl Layout {
    /// Stored columns of row i (1-based): all, or those left of the diagonal.
    #[inline(always)]
    pub fn row_width(&self, i: u64) -> u64 {
        match self.symmetry {
            Symmetry::General => self.cols,
            Symmetry::Symmetric => i,
            Symmetry::Skew => i - 1,
        }
    }

    /// Stored values of column j (0-based) of an array: its last ones.
    pub fn column_height(&self, j: u64) -> u64 {
        match self.symmetry {
            Symmetry::General => self.rows,
            Symmetry::Symmetric => self.rows - j,
            Symmetry::Skew => self.rows - j - 1,
        }
    }

    /// The minimum number of bytes of a line with an entry, including its end.
    pub fn shortest_line(&self) -> usize {
        let numbers = if self.array { self.numbers } else { 2 + self.numbers };
        2 * numbers
    }

    /// Whether the line holds no entry: white space or a comment.
    pub fn is_blank(&self, line: &[u8]) -> bool {
        !is_content(line, self.comments)
    }

    /// Parses a line, with or without its line end; the error says what was found and what was expected.
    pub fn line(&self, text: &[u8]) -> Result<Line, String> {
        if self.is_blank(text) {
            return Ok(Line::Blank);
        }
        let mut found = fields(text);
        let mut row_col: [&[u8]; 2] = [b""; 2];
        let mut numbers: [&[u8]; 2] = [b""; 2];
        let indices = if self.array { 0 } else { 2 };
        for slot in row_col[..indices].iter_mut().chain(&mut numbers[..self.numbers]) {
            *slot = found.next().ok_or_else(|| self.wrong_fields(text))?;
        }
        if found.next().is_some() {
            return Err(self.wrong_fields(text));
        }
        if self.end_marker && row_col == [b"0", b"0"] && numbers[0] == b"0" {
            return Ok(Line::EndMarker);
        }
        if self.array {
            return Ok(Line::Entry(0, 0, self.value(numbers)?));
        }
        let i = index(row_col[0], "row", self.first, self.rows)?;
        let j = index(row_col[1], "column", self.first, self.cols)?;
        let v = self.value(numbers)?;
        if j > self.row_width(i) {
            self.beyond_triangle(i, j, v.is_zero())?;
        }
        Ok(Line::Entry((i - 1) as u32, (j - 1) as u32, v))
    }

    /// The value spelled by the numbers of a line.
    fn value(&self, numbers: [&[u8]; 2]) -> Result<Fraction<'static>, String> {
        match self.numbers {
            0 => Ok(Integer::Small(1).into()),
            1 => value(numbers[0], self.ones, self.fractions),
            _ => complex_is_nonzero(numbers).map(Fraction::from),
        }
    }

    /// Checks for an entry that a symmetric file must not store; a zero on the diagonal of a skew-symmetric matrix
    /// passes, and is dropped later.
    pub fn beyond_triangle(&self, i: u64, j: u64, zero: bool) -> Result<(), String> {
        if i != j {
            return Err(format!(
                "expected the lower triangle of a symmetric matrix, found entry ({i}, {j}) above the diagonal"
            ));
        }
        if zero {
            Ok(())
        } else {
            Err(format!("expected zeros on the diagonal of a skew-symmetric matrix, found entry ({i}, {j})"))
        }
    }

    fn wrong_fields(&self, text: &[u8]) -> String {
        let expected = match (self.array, self.numbers) {
            (true, 1) => "one value",
            (true, _) => "real and imaginary part",
            (false, 0) => "row and column",
            (false, 1) => "row, column and value",
            (false, _) => "row, column, real and imaginary part",
        };
        format!("expected {expected}, found {}", quote(text.trim_ascii()))
    }
}

/// 1 unless both parts are zero; called only for patterns, since complex matrices are refused otherwise.
pub(super) fn complex_is_nonzero(parts: [&[u8]; 2]) -> Result<Integer<'static>, String> {
    let mut any = false;
    for part in parts {
        any |= !decimal::value(part, true)?.is_zero();
    }
    Ok(Integer::Small(i64::from(any)))
}

/// The position, from 1 to `most`, of an index that counts from `first`.
fn index(field: &[u8], what: &str, first: u64, most: u64) -> Result<u64, String> {
    let digits = field.strip_prefix(b"+").or(field.strip_prefix(b"-")).unwrap_or(field);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(format!("expected a {what} index, found {}", quote(field)));
    }
    let size = digits.iter().fold(0u64, |n, &b| n.saturating_mul(10).saturating_add(u64::from(b - b'0')));
    let negative = field[0] == b'-' && size > 0;
    if !negative && size >= first && size - first < most {
        return Ok(size - first + 1);
    }
    let shown = quote(field);
    let shown = shown.trim_matches('"');
    Err(match (first, most) {
        (_, 0) => format!("expected no entries in a matrix without {what}s, found {what} index {shown}"),
        (1, _) if size == 0 => format!("{what} index 0 is outside 1..={most}: does it count from 0? Say --base 0"),
        (0, _) if size == most && !negative => {
            format!("{what} index {shown} is outside 0..={}: does it count from 1? Say --base 1", most - 1)
        }
        _ => format!("{what} index {shown} is outside {first}..={}", most - 1 + first),
    })
}
