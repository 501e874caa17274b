//! What CADO-NFS writes as text (`README.fileformat` of its filtering step): matrices, rows of a count and that many
//! columns, and relations after filtering.
//!
//! ```text
//! rows cols                         # rows cols …
//! count column column …             a,b:column,column,…     column in hexadecimal; as often as its exponent says
//! count column:coefficient …
//! ```
//!
//! Columns count from 0. Relations name any columns up to the largest one, which is taken as the last.

use super::normal::Table;
use super::survey::natural;
use crate::Result;
use crate::io::entries::Entries;
use crate::io::fraction::value;
use crate::io::header::is_content;
use crate::io::options::ReadOptions;
use crate::io::text::{Text, fields, quote};
use crate::sparse::{Integer, RationalMatrix};

/// Whether the table is a matrix of this form.
pub(super) fn is_matrix(table: &Table<'_>) -> bool {
    let mut lines = table.lines();
    let size = lines.next().map(|(_, line)| fields(line).map(natural).collect::<Vec<_>>()).unwrap_or_default();
    let [Some(rows), Some(cols)] = size[..] else { return false };
    let mut seen = 0;
    let counted = lines.all(|(_, line)| {
        seen += 1;
        let mut found = fields(line);
        let count = found.next().and_then(natural);
        let columns = found.map(|field| natural(field.split(|&b| b == b':').next().unwrap_or_default()));
        let mut valid = 0;
        columns.into_iter().all(|column| {
            valid += 1;
            column.is_some_and(|column| column < cols)
        }) && count == Some(valid)
    });
    counted && seen == rows
}

/// Reads the matrix.
pub(super) fn matrix(
    text: &Text<'_>,
    table: &Table<'_>,
    options: &ReadOptions,
    fractions: bool,
) -> Result<RationalMatrix> {
    let mut entries = Entries::new(options);
    let mut lines = table.lines();
    let (at, first) = lines.next().expect("the caller saw a line");
    let size: Vec<Option<u64>> = fields(first).map(natural).collect();
    let [Some(rows), Some(cols)] = size[..] else {
        return Err(text.error(at, format!("expected \"rows cols\", found {}", quote(first))));
    };
    if rows.max(cols) > u64::from(u32::MAX) {
        return Err(text.error(at, format!("{rows} x {cols}: expected at most {}", u32::MAX)));
    }
    let mut row = 0;
    for (number, line) in lines {
        let mut found = fields(line);
        let count = found.next().and_then(natural);
        let mut seen = 0;
        for field in found {
            let mut pair = field.splitn(2, |&b| b == b':');
            let column =
                pair.next().and_then(natural).filter(|&column| column < cols).ok_or_else(|| {
                    text.error(number, format!("expected a column below {cols}, found {}", quote(field)))
                })?;
            let coefficient = pair.next().map(|field| value(field, options.pattern, fractions)).transpose();
            let coefficient = coefficient.map_err(|message| text.error(number, message))?;
            entries.push_fraction(row, column as u32, coefficient.unwrap_or(Integer::Small(1).into()), number)?;
            seen += 1;
        }
        if count != Some(seen) || u64::from(row) >= rows {
            let message = match count {
                Some(count) if count != seen => format!("{seen} columns in a row that announces {count}"),
                Some(_) => format!("more than the {rows} rows that line {at} announces"),
                None => format!("expected the number of entries of a row, found {}", quote(line)),
            };
            return Err(text.error(number, message));
        }
        row += 1;
    }
    if u64::from(row) < rows {
        let message = format!("the file ends after {row} of the {rows} rows that line {at} announces");
        return Err(text.error(table.before + 1, message));
    }
    entries.finish(rows, cols)
}

/// Whether the first line with content is a relation.
pub(super) fn is_relation(head: &[u8]) -> bool {
    let line = head.split(|&b| b == b'\n').find(|line| is_content(line, b"#")).unwrap_or_default().trim_ascii();
    let Some((numbers, columns)) = cut(line) else { return false };
    let hex = |field: &[u8]| {
        let digits = field.strip_prefix(b"-").unwrap_or(field);
        !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit)
    };
    let pair: Vec<&[u8]> = numbers.split(|&b| b == b',').collect();
    pair.len() == 2
        && pair.iter().all(|field| hex(field))
        && columns.split(|&b| b == b',' || b == b':').all(|field| field.is_empty() || hex(field))
}

/// What comes before and after the first colon.
fn cut(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = line.iter().position(|&b| b == b':')?;
    Some((&line[..colon], &line[colon + 1..]))
}

/// Reads relations: the row of each has the exponents of its columns.
pub(super) fn relations(text: &Text<'_>, whole: &[u8], options: &ReadOptions) -> Result<RationalMatrix> {
    let mut entries = Entries::new(options);
    let (mut row, mut cols) = (0, 0);
    let mut announced = None;
    for (line, number) in whole.split(|&b| b == b'\n').zip(1..) {
        let line = line.trim_ascii();
        if !is_content(line, b"#") {
            if number == 1 {
                let first = fields(line.trim_ascii_start().strip_prefix(b"#").unwrap_or_default()).next();
                announced = first.and_then(natural);
            }
            continue;
        }
        let fail = |message: String| Err(text.error(number, message));
        let Some((_, columns)) = cut(line).filter(|_| is_relation(line)) else {
            return fail(format!("expected a relation \"a,b:column,…\" in hexadecimal, found {}", quote(line)));
        };
        if columns.contains(&b':') {
            return fail("a relation with the primes of each side, which are no columns yet: run CADO-NFS's dup2 and purge, and read what purge writes".into());
        }
        for field in columns.split(|&b| b == b',').filter(|field| !field.is_empty()) {
            let digits = str::from_utf8(field).expect("they are hexadecimal");
            let column = u32::from_str_radix(digits, 16).ok().filter(|&column| column < u32::MAX);
            let Some(column) = column else {
                return fail(format!("column {} in hexadecimal: expected at most {}", quote(field), u32::MAX));
            };
            cols = cols.max(u64::from(column) + 1);
            entries.push(row, column, Integer::Small(1))?;
        }
        row += 1;
    }
    if let Some(announced) = announced.filter(|&announced| announced != u64::from(row)) {
        let message = format!("{row} relations, but the first line announces {announced}: a truncated file");
        return Err(text.error(1, message));
    }
    entries.finish(row.into(), cols)
}
