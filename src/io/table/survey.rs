//! What the lines of a table have in common: numbers of fields, the range of the first two, their order.

use super::normal::Table;
use crate::io::text::fields;

/// A look at lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Survey {
    pub lines: u64,
    /// The least and the largest number of fields of a line, and the first lines with as many.
    pub least: (usize, u64),
    pub most: (usize, u64),
    /// The least and the largest of the first and of the second fields.
    pub least_index: [u64; 2],
    pub most_index: [u64; 2],
    /// The first line where they are no natural numbers.
    pub no_index: Option<u64>,
    /// Whether the first fields, or the second ones, do not decrease.
    pub ordered: [bool; 2],
    /// Whether there is a line whose first field is less than, equal to, greater than its second.
    pub sides: [bool; 3],
}

/// Looks at all lines with content but the first `skip`.
pub(super) fn survey(table: &Table<'_>, skip: usize) -> Survey {
    let mut seen = Survey { least_index: [u64::MAX; 2], ordered: [true; 2], ..Survey::default() };
    let mut last = [0; 2];
    for (number, line) in table.lines().skip(skip) {
        let mut found = fields(line);
        let pair = [found.next(), found.next()];
        let count = pair.iter().flatten().count() + found.count();
        if seen.lines == 0 || count < seen.least.0 {
            seen.least = (count, number);
        }
        if count > seen.most.0 {
            seen.most = (count, number);
        }
        seen.lines += 1;
        for (side, field) in pair.into_iter().enumerate() {
            match field.and_then(natural) {
                Some(index) => {
                    seen.least_index[side] = seen.least_index[side].min(index);
                    seen.most_index[side] = seen.most_index[side].max(index);
                    seen.ordered[side] &= last[side] <= index;
                    last[side] = index;
                }
                None => seen.no_index = seen.no_index.or(Some(number)),
            }
        }
        seen.sides[(1 + last[0].cmp(&last[1]) as i8) as usize] = true;
    }
    seen
}

/// A field of digits, if it is below 2⁶⁴.
pub(super) fn natural(field: &[u8]) -> Option<u64> {
    if field.is_empty() || !field.iter().all(u8::is_ascii_digit) {
        return None;
    }
    field.iter().try_fold(0u64, |n, &b| n.checked_mul(10)?.checked_add(u64::from(b - b'0')))
}
