//! The matrix that a literal is, as far as it is read.

use super::expression::{Expression, Kind};
use super::parse::{Fault, Parsed};
use crate::io::entries::Entries;
use crate::io::fraction;
use crate::io::options::ReadOptions;
use crate::io::scan::count_lines;
use crate::io::text::quote;
use crate::sparse::Fraction;
use crate::words::counted;
use std::ops::Range;

/// The matrix as far as it is read.
pub(super) struct Matrix<'a> {
    pub whole: &'a [u8],
    pub options: &'a ReadOptions,
    pub fractions: bool,
    pub entries: Entries<'a>,
    pub rows: u64,
    pub cols: Option<u64>,
    /// The line of the byte that was looked at last.
    pub lines: (usize, u64),
    pub transposed: bool,
}

impl Matrix<'_> {
    /// One more row.
    pub fn row(&mut self, items: &[Expression], at: usize) -> Parsed<()> {
        let found = items.len() as u64;
        let expected = *self.cols.get_or_insert(found);
        if found != expected {
            let row = self.rows + 1;
            return Err(Fault::At(
                at,
                format!("row {row} has {}; expected {expected}, as in the rows before", counted(found, "entry")),
            ));
        }
        let row = self.rows;
        self.rows += 1;
        for (item, col) in items.iter().zip(0..) {
            self.put(row, col, item)?;
        }
        Ok(())
    }

    /// The value of an entry, 0-based.
    pub fn put(&mut self, row: u64, col: u64, item: &Expression) -> Parsed<()> {
        let value = self.value(item)?;
        if value.is_zero() {
            return Ok(());
        }
        let (Ok(i), Ok(j)) = (u32::try_from(row), u32::try_from(col)) else {
            return Err(Fault::At(item.at, format!("row {row}, column {col}: expected at most {}", u32::MAX)));
        };
        let line = self.line(item.at);
        Ok(self.entries.push_fraction(i, j, value, line)?)
    }

    /// The line of a byte; bytes are asked for in order, as a rule.
    fn line(&mut self, at: usize) -> u64 {
        let (from, line) = if self.lines.0 <= at { self.lines } else { (0, 1) };
        self.lines = (at, line + count_lines(&self.whole[from..at]));
        self.lines.1
    }

    pub fn value(&self, item: &Expression) -> Parsed<Fraction<'static>> {
        let Some(range) = item.value() else {
            let found = match &item.kind {
                Kind::Word(name) | Kind::Call(name, _) => &self.whole[name.clone()],
                _ => &self.whole[item.at..item.at + 1],
            };
            return Err(Fault::At(item.at, format!("expected a number, found {}", quote(found))));
        };
        let token = self.token(range);
        let value = fraction::value(&token, self.options.pattern, self.fractions);
        value.map_err(|message| Fault::At(item.at, message))
    }

    /// A token without the ends of lines that a backslash hides.
    fn token(&self, range: Range<usize>) -> Vec<u8> {
        self.whole[range].iter().copied().filter(|b| !matches!(b, b'\\' | b'\n' | b'\r')).collect()
    }

    /// A natural number: a size or a position.
    pub fn natural(&self, item: &Expression, what: &str) -> Parsed<u64> {
        let token = item.value().map(|range| self.token(range)).unwrap_or_default();
        // Maple's 1..n
        let digits = token.strip_prefix(b"1..").unwrap_or(&token);
        let number = str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
        number.filter(|&n: &u64| n <= u64::from(u32::MAX)).ok_or_else(|| {
            let found = &self.whole[item.at..self.whole.len().min(item.at + 20)];
            let found = found.split(|b| b",;)]}\n".contains(b)).next().unwrap_or_default();
            Fault::At(item.at, format!("expected {what}, at most {}, found {}", u32::MAX, quote(found)))
        })
    }
}
