//! Which reader a file asks for, by its content alone. Formats that name themselves come first, then those that must be
//! recognised by their shape; what is left is refused by name if it is known ([`super::foreign`]).

use super::options::{ReadOptions, Reader};
use super::{cado, foreign, graph, harwell_boeing, header, literal, matrix_market, sms, table};

/// The reader for a file that begins with these bytes; the error says why there is none.
pub(super) fn sniff(head: &[u8], options: &ReadOptions) -> std::result::Result<Reader, String> {
    named(head)
        .or_else(|| foreign::packed(head).is_none().then(|| graph::sniff(head, options)).flatten())
        .or_else(|| cado::sniff(head, options))
        .map_or_else(|| shaped(head, options), Ok)
}

/// The formats that begin with their name or a header.
fn named(head: &[u8]) -> Option<Reader> {
    let lines = || head.split(|&b| b == b'\n');
    let first: Vec<&[u8]> = lines().take(4).collect();
    let content = lines().find(|line| header::is_content(line, sms::COMMENTS));
    if matrix_market::sniff(first[0]) {
        Some(matrix_market::read)
    } else if content.is_some_and(sms::sniff) {
        Some(sms::read)
    } else if harwell_boeing::sniff(&first) {
        Some(harwell_boeing::read)
    } else {
        None
    }
}

/// Tables of numbers and literal matrices, unless the text is known to be something else.
fn shaped(head: &[u8], options: &ReadOptions) -> std::result::Result<Reader, String> {
    if let Some(message) = foreign::binary(head) {
        return Err(message);
    }
    if table::sniff(head, options) {
        return Ok(table::read);
    }
    if let Some(message) = foreign::text(head) {
        return Err(message);
    }
    if literal::sniff(head) {
        return Ok(literal::read);
    }
    Err(foreign::unknown(head))
}
