//! Lines, fields, and how errors show them.

/// The maximum number of bytes of a line: room for integers of millions of digits. A longer line is not a matrix, but
/// would have to be held in memory.
pub(super) const MAX_LINE: usize = 1 << 24;

/// The message for a longer line.
pub(super) fn too_long() -> String {
    format!("a line of more than {MAX_LINE} bytes; expected an entry in each line")
}

/// The end of the line that byte `at` lies in: a length at which `text` can be cut.
pub(super) fn lines_end(text: &[u8], at: usize) -> usize {
    match text.get(at..) {
        Some(rest) => rest.iter().position(|&b| b == b'\n').map_or(text.len(), |end| at + end + 1),
        None => text.len(),
    }
}

/// Text of a file as shown in an error message: quoted, printable, not too long.
pub(super) fn quote(text: &[u8]) -> String {
    const MOST: usize = 40;
    let shown = String::from_utf8_lossy(&text[..text.len().min(4 * MOST)]);
    let dots = if shown.chars().count() > MOST || text.len() > 4 * MOST { "…" } else { "" };
    format!("\"{}{dots}\"", shown.chars().take(MOST).collect::<String>().escape_debug())
}

/// Fields of a line, separated by blanks, tabs and other white space.
pub(super) fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}
