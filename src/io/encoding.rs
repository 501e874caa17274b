//! Texts as editors and spreadsheets save them: UTF-16 becomes UTF-8, and carriage returns that end lines by themselves
//! (Mac OS until version 9, and still "CSV (Macintosh)" of Excel) become line feeds.

use super::text::Text;
use super::utf16;
use crate::{Result, memory};

/// Bytes in which carriage returns are looked for: more than a line of most files.
const NEAR: usize = 1 << 16;

/// What `read` makes of the text without a byte order mark, in UTF-8, with line feeds. `limit` bytes may be held in
/// memory if it has to be rewritten.
pub(super) fn decoded<T>(
    mut text: Text<'_>,
    limit: Option<u64>,
    read: impl FnOnce(Text<'_>) -> Result<T>,
) -> Result<T> {
    text.skip_byte_order_mark()?;
    if let Some(order) = utf16::sniff(text.peek()?) {
        let bytes = text.whole(limit)?;
        let bytes = utf16::decode(&text, &bytes, order)?;
        return with_line_feeds(text.with(&bytes, 0), limit, read);
    }
    with_line_feeds(text, limit, read)
}

fn with_line_feeds<T>(mut text: Text<'_>, limit: Option<u64>, read: impl FnOnce(Text<'_>) -> Result<T>) -> Result<T> {
    if !ends_lines_by_returns(text.peek()?) {
        return read(text);
    }
    let mut bytes = memory::copy(&text.whole(limit)?, "a text with carriage returns")?;
    bytes.iter_mut().filter(|b| **b == b'\r').for_each(|b| *b = b'\n');
    read(text.with(&bytes, 0))
}

/// Whether a text begins with lines that end in nothing but a carriage return.
fn ends_lines_by_returns(head: &[u8]) -> bool {
    let near = &head[..head.len().min(NEAR)];
    let other = |b: &u8| matches!(b, b'\n' | 0);
    near[..near.len().saturating_sub(1)].contains(&b'\r') && !near.iter().any(other)
}
