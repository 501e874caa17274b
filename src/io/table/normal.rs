//! A table with blanks between its numbers, whatever stood there: names of rows and columns are taken off, quotation
//! marks too. Lines stay where they are.

use crate::io::fraction;
use crate::io::header::is_content;
use crate::io::options::Layout;
use crate::io::text::{Text, fields, lines_end, quote};
use crate::{Result, memory};
use std::borrow::Cow;

/// First characters of comment lines.
pub(super) const COMMENTS: &[u8] = b"%#";

/// A table whose lines hold fields between blanks.
pub(super) struct Table<'a> {
    pub body: Cow<'a, [u8]>,
    /// Lines of the file before the body.
    pub before: u64,
    /// The names of the columns, in lower case.
    pub names: Vec<String>,
    /// The lines before the first with content: comments.
    pub comments: &'a [u8],
}

impl Table<'_> {
    /// The lines with content, each with its number in the file.
    pub fn lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let lines = self.body.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
        let numbered = lines.zip(self.before + 1..).map(|(line, number)| (number, line));
        numbered.filter(|(_, line)| is_content(line, COMMENTS))
    }
}

/// Whether the first line with content is a line of numbers, or one of names before one of numbers.
pub(super) fn sniff(head: &[u8]) -> bool {
    let mut lines = head.split(|&b| b == b'\n').filter(|line| is_content(line, COMMENTS));
    let Some(first) = lines.next().filter(|line| !line.contains(&0)) else { return false };
    let separator = separator(first);
    // networkx writes data in braces after an edge.
    let brace = first.iter().position(|&b| b == b'{').unwrap_or(first.len());
    let plain = &first[..brace];
    let numeric = |cell: &[u8]| cell.is_empty() || begins_a_number(cell);
    if cells(plain, separator).any(is_number) && cells(plain, separator).all(numeric) {
        return true;
    }
    if !is_heading(first, separator) {
        return false;
    }
    named(&names(first, separator)).is_some()
        || lines.next().is_some_and(|second| {
            let extra = names(first, separator).first().is_some_and(String::is_empty)
                || cells(second, separator).count() == cells(first, separator).count() + 1;
            let same = cells(second, separator).count() == cells(first, separator).count();
            (extra || same) && cells(second, separator).skip(usize::from(extra)).all(is_number)
        })
}

/// Whether a line has the names of columns: none begins as a number does, unless the first, that of the names of rows,
/// is empty.
fn is_heading(line: &[u8], separator: u8) -> bool {
    let text = line.iter().all(|&b| b == b'\t' || b == b'\r' || !b.is_ascii_control());
    let unnamed_rows = cells(line, separator).next().is_some_and(<[u8]>::is_empty);
    text && !line.trim_ascii().is_empty() && (unnamed_rows || !cells(line, separator).any(begins_a_number))
}

fn begins_a_number(cell: &[u8]) -> bool {
    cell.first().is_some_and(|b| b.is_ascii_digit() || b"+-.".contains(b))
}

/// Whether a field is a number as matrices have them, or a column with a coefficient.
fn is_number(field: &[u8]) -> bool {
    let number = |field: &[u8]| fraction::value(field, true, true).is_ok();
    match field.iter().position(|&b| b == b':') {
        None => number(field),
        Some(colon) => number(&field[..colon]) && number(&field[colon + 1..]),
    }
}

/// What stands between the fields of a line: a semicolon, a comma, or blanks.
fn separator(line: &[u8]) -> u8 {
    let plain = line.split(|&b| b == b'{').next().unwrap_or_default();
    [b';', b','].into_iter().find(|b| plain.contains(b)).unwrap_or(b' ')
}

/// The fields of a line, without blanks and quotation marks around them.
fn cells(line: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let between = move |b: &u8| if separator == b' ' { b.is_ascii_whitespace() } else { *b == separator };
    let parts = line.trim_ascii().split(between).map(<[u8]>::trim_ascii);
    let parts = parts.filter(move |part| separator != b' ' || !part.is_empty());
    parts.map(|part| part.strip_prefix(b"\"").and_then(|part| part.strip_suffix(b"\"")).unwrap_or(part))
}

/// The names in a line.
fn names(line: &[u8], separator: u8) -> Vec<String> {
    cells(line, separator).map(|name| String::from_utf8_lossy(name).trim().to_ascii_lowercase()).collect()
}

/// What columns of these names hold; the flag says whether they have values.
pub(super) fn named(names: &[String]) -> Option<Layout> {
    const ROWS: &[&str] = &["row", "rows", "i", "r", "row_index", "rowindex"];
    const COLS: &[&str] = &["col", "cols", "column", "columns", "j", "c", "col_index", "column_index", "colindex"];
    const FROM: &[&str] = &["source", "from", "src", "fromnodeid", "node1", "u"];
    const TO: &[&str] = &["target", "to", "dst", "tonodeid", "node2", "v"];
    let [first, second, ..] = names else { return None };
    let pair = |left: &[&str], right: &[&str]| left.contains(&first.as_str()) && right.contains(&second.as_str());
    match names.len() {
        2 | 3 if pair(ROWS, COLS) => Some(Layout::Triples),
        2 | 3 if pair(FROM, TO) => Some(Layout::Edges),
        _ => None,
    }
}

/// The table of a text; with `words` fields may be names, so that none is a heading.
pub(super) fn normal<'a>(text: &Text<'_>, whole: &'a [u8], words: bool) -> Result<Table<'a>> {
    let (mut at, mut before) = (0, 0);
    while at < whole.len() {
        let end = lines_end(whole, at);
        if is_content(&whole[at..end], COMMENTS) {
            break;
        }
        (at, before) = (end, before + 1);
    }
    let (comments, body) = whole.split_at(at);
    let first = body.split(|&b| b == b'\n').next().unwrap_or_default();
    let separator = separator(first);
    let mut table = Table { body: Cow::Borrowed(body), before, names: vec![], comments };
    let (mut drop_first, mut body) = (false, body);
    let is_heading = !first.contains(&b'{') && is_heading(first, separator);
    let known = |names: &[String]| named(names).is_some();
    if is_heading && (!words || known(&names(first, separator))) {
        table.names = names(first, separator);
        body = &body[lines_end(body, 0)..];
        table.before += 1;
        let second = body.split(|&b| b == b'\n').find(|line| is_content(line, COMMENTS)).unwrap_or_default();
        drop_first = table.names.first().is_some_and(String::is_empty)
            || cells(second, separator).count() == table.names.len() + 1;
        if drop_first && table.names.first().is_some_and(String::is_empty) {
            table.names.remove(0);
        }
    }
    table.body = match separator == b' ' && !drop_first && !body.contains(&b'"') {
        true => Cow::Borrowed(body),
        false => Cow::Owned(rewritten(text, body, table.before, separator, drop_first)?),
    };
    Ok(table)
}

/// The lines with blanks between their fields.
fn rewritten(text: &Text<'_>, body: &[u8], before: u64, separator: u8, drop_first: bool) -> Result<Vec<u8>> {
    let mut out: Vec<u8> = memory::with_capacity(body.len(), "a table")?;
    for (line, number) in body.split_inclusive(|&b| b == b'\n').zip(before + 1..) {
        if is_content(line, COMMENTS) {
            let brace = line.iter().position(|&b| b == b'{').unwrap_or(line.len());
            let (plain, data) = line.split_at(brace);
            for (k, cell) in cells(plain, separator).enumerate().skip(usize::from(drop_first)) {
                if cell.is_empty() {
                    let message = format!("field {} is empty: expected a number in each (0 for a zero)", k + 1);
                    return Err(text.error(number, message));
                }
                if fields(cell).nth(1).is_some() || cell.contains(&b',') || cell.contains(&b'"') {
                    let message = format!(
                        "field {} is {}: expected one number, without blanks, commas or quotation marks",
                        k + 1,
                        quote(cell)
                    );
                    return Err(text.error(number, message));
                }
                memory::reserve(&mut out, cell.len() + 1, "a table")?;
                out.extend_from_slice(cell);
                out.push(b' ');
            }
            memory::reserve(&mut out, data.len() + 1, "a table")?;
            out.extend_from_slice(data.trim_ascii_end());
        }
        if line.ends_with(b"\n") {
            memory::push(&mut out, b'\n', "a table")?;
        }
    }
    Ok(out)
}
