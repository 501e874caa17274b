//! What the headers of all text formats have in common: sizes and counts.

use super::text::{Text, quote};
use crate::{Error, Result};

/// The next line that is neither blank nor a comment.
pub(super) fn content_line(text: &mut Text<'_>, comments: &[u8]) -> Result<Option<Vec<u8>>> {
    while let Some(line) = text.next_line()? {
        if is_content(&line, comments) {
            return Ok(Some(line));
        }
    }
    Ok(None)
}

/// Whether a line is neither blank nor a comment.
pub(super) fn is_content(line: &[u8], comments: &[u8]) -> bool {
    line.trim_ascii_start().first().is_some_and(|b| !comments.contains(b))
}

/// Whether a field looks like an integer, of either sign.
pub(super) fn is_integer(field: &[u8]) -> bool {
    let digits = field.strip_prefix(b"-").or(field.strip_prefix(b"+")).unwrap_or(field);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// A count in the current line.
pub(super) fn count(text: &Text<'_>, field: &[u8], what: &str) -> Result<u64> {
    let fail = |why: &str| Err(text.error(text.line_number(), format!("{why}, found {}", quote(field))));
    if !is_integer(field) {
        return fail(&format!("expected the number of {what}"));
    }
    if field[0] == b'-' {
        return fail(&format!("the number of {what} must not be negative"));
    }
    let digits = std::str::from_utf8(field).expect("digits are ASCII");
    digits.parse().or_else(|_| fail(&format!("the number of {what} must be below 2^64")))
}

/// A dimension in the current line.
pub(super) fn dimension(text: &Text<'_>, field: &[u8], what: &str) -> Result<u64> {
    let n = count(text, field, what)?;
    if n > u64::from(u32::MAX) {
        let message = format!("expected at most {} {what}, found {n}", u32::MAX);
        return Err(text.error(text.line_number(), message));
    }
    Ok(n)
}

/// The error for complex and Hermitian matrices.
pub(super) fn complex(text: &Text<'_>, line: u64) -> Error {
    text.error(line, "expected integers, found complex values, which have no meaning mod p (--pattern takes the 0-1 pattern of any matrix)")
}
