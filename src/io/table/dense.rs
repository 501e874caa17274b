//! Dense matrices: a row in each line.

use super::normal::Table;
use crate::Result;
use crate::io::entries::Entries;
use crate::io::fraction::value;
use crate::io::options::ReadOptions;
use crate::io::text::{Text, fields};
use crate::sparse::RationalMatrix;

/// Reads the rows, after `skip` lines with sizes.
pub(super) fn read(
    text: &Text<'_>,
    table: &Table<'_>,
    skip: usize,
    options: &ReadOptions,
    fractions: bool,
) -> Result<RationalMatrix> {
    let mut entries = Entries::new(options);
    let (mut rows, mut cols) = (0, None);
    for (number, line) in table.lines().skip(skip) {
        let mut found = 0;
        for field in fields(line) {
            let v = value(field, options.pattern, fractions)
                .map_err(|message| text.error(number, format!("column {}: {message}", found + 1)))?;
            if !v.is_zero() {
                entries.push_fraction(rows, found, v, number)?;
            }
            found += 1;
        }
        let expected = *cols.get_or_insert(found);
        if found != expected {
            let message = format!("a row of {found} numbers; expected {expected}, as in the rows before");
            return Err(text.error(number, message));
        }
        rows += 1;
        if rows.is_multiple_of(1 << 10) {
            text.report()?;
        }
    }
    entries.finish(rows.into(), cols.unwrap_or(0).into())
}
