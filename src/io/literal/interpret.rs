//! From expressions to a matrix.

use super::expression::{Expression, Kind, List};
use super::matrix::Matrix;
use super::names::{FUNCTIONS, RINGS, plain_name};
use super::parse::{Fault, Parsed};
use super::sparse::{self, Positions};
use crate::io::entries::Entries;
use crate::io::options::ReadOptions;
use crate::io::text::{Text, quote};
use crate::sparse::RationalMatrix;
use std::ops::Range;

/// The matrix that the expressions are: one of them, or its rows.
pub(super) fn interpret(
    text: &Text<'_>,
    whole: &[u8],
    statements: &[Expression],
    options: &ReadOptions,
    fractions: bool,
) -> Parsed<RationalMatrix> {
    text.report()?;
    let mut matrix = Matrix {
        whole,
        options,
        fractions,
        entries: Entries::new(options),
        rows: 0,
        cols: None,
        lines: (0, 1),
        transposed: false,
    };
    match statements {
        [] => return Err(Fault::At(0, "expected a matrix, found nothing but comments".into())),
        [one] => matrix.read(one)?,
        [first, second, ..] => {
            let is_row =
                |statement: &Expression| statement.list().is_some_and(|list| list.is_flat() && list.breaks.is_empty());
            if let Some(other) = statements.iter().find(|statement| !is_row(statement)) {
                let at = if is_row(first) { other.at } else { second.at };
                return Err(Fault::At(at, "expected one matrix, and nothing after it".into()));
            }
            for row in statements {
                matrix.row(row.list().map_or(&[], |list| &list.items), row.at)?;
            }
        }
    }
    let (rows, cols) = (matrix.rows, matrix.cols.unwrap_or(0));
    let found = matrix.entries.finish(rows, cols)?;
    Ok(if matrix.transposed { found.transpose()? } else { found })
}

impl Matrix<'_> {
    fn read(&mut self, expression: &Expression) -> Parsed<()> {
        let at = expression.at;
        match &expression.kind {
            Kind::Transposed(inner) => {
                self.transposed = !self.transposed;
                // The transpose of a list is a column.
                match inner.list().filter(|list| list.is_flat() && list.breaks.is_empty() && !list.lines) {
                    Some(row) => self.row(&row.items, inner.at),
                    None => self.read(inner),
                }
            }
            Kind::List(list) => self.list(list, at, false),
            Kind::Call(name, arguments) => self.function(name, arguments, at),
            _ => Err(Fault::At(at, "expected a matrix: rows in brackets".into())),
        }
    }

    /// Rows in brackets; with `row` a list of numbers is one.
    fn list(&mut self, list: &List, at: usize, row: bool) -> Parsed<()> {
        let items = &list.items;
        if list.lines && list.is_flat() {
            return Err(Fault::At(
                at,
                "a line ends between entries, where MATLAB begins a row and NumPy goes on: put a semicolon after each row, or write [[1, 2], [3, 4]]".into(),
            ));
        }
        if !list.breaks.is_empty() {
            let mut start = 0;
            for &end in &list.breaks {
                if end > start {
                    self.row(&items[start..end], items[start].at)?;
                }
                start = end;
            }
            return if start < items.len() { self.row(&items[start..], items[start].at) } else { Ok(()) };
        }
        if items.is_empty() {
            return Ok(());
        }
        if list.is_flat() {
            if row || !list.commas && list.open == b'[' {
                return self.row(items, at);
            }
            return Err(Fault::At(
                at,
                "a list of numbers, which could be a row or a column: write it as a list of rows, [[1, 2, 3]]".into(),
            ));
        }
        for item in items {
            match item.list() {
                // Lists side by side are columns to Julia.
                Some(row) if row.commas && !list.commas && items.len() > 1 => {
                    return Err(Fault::At(items[1].at, "expected a comma before this row".into()));
                }
                Some(row) if row.breaks.is_empty() => self.row(&row.items, item.at)?,
                _ => return Err(Fault::At(item.at, "expected a row in brackets, as the others".into())),
            }
        }
        Ok(())
    }

    /// A function of rings, sizes, and the entries in one of their forms.
    fn function(&mut self, name: &Range<usize>, arguments: &List, at: usize) -> Parsed<()> {
        let shown = quote(&self.whole[name.clone()]);
        let name = plain_name(&self.whole[name.clone()]);
        if !FUNCTIONS.contains(&name.as_str()) {
            return Err(Fault::At(at, format!("expected a list of rows or matrix(…), found {shown}")));
        }
        let automatic = |item: &Expression| matches!(&item.kind, Kind::Word(word) if plain_name(&self.whole[word.clone()]) == "automatic");
        if arguments.items.first().is_some_and(automatic) {
            return sparse::compressed(self, arguments, at);
        }
        let is_row = |item: &Expression| {
            item.list().is_some_and(|list| list.open == b'[' && list.is_flat() && list.breaks.is_empty())
        };
        if name == "matrix" && arguments.items.len() > 1 && arguments.items.iter().all(is_row) {
            // Maxima's rows.
            return self.list(arguments, at, false);
        }
        let (mut sizes, mut payload) = (vec![], None);
        for item in &arguments.items {
            match &item.kind {
                Kind::Word(word) | Kind::Call(word, _)
                    if RINGS.contains(&plain_name(&self.whole[word.clone()]).as_str()) => {}
                Kind::Pair(left, ..) if matches!(left.kind, Kind::Word(_)) => {}
                Kind::Value(_) if payload.is_none() => sizes.push(self.natural(item, "a number of rows or columns")?),
                Kind::Value(_) if self.value(item)?.is_zero() => {}
                Kind::List(list) if payload.is_none() => payload = Some((list, item.at)),
                Kind::List(list) if name == "sparsearray" && sizes.is_empty() && list.is_flat() => {
                    for size in &list.items {
                        sizes.push(self.natural(size, "a number of rows or columns")?);
                    }
                }
                Kind::Transposed(_) if arguments.items.len() == 1 => return self.read(item),
                _ => {
                    return Err(Fault::At(
                        item.at,
                        format!("expected a ring, a size or entries as an argument of {shown}"),
                    ));
                }
            }
        }
        if sizes.len() > 2 {
            return Err(Fault::At(at, "expected two sizes, the numbers of rows and of columns".into()));
        }
        match payload {
            None if sizes.len() == 2 => self.sized(&sizes, at),
            None => Err(Fault::At(at, format!("expected entries or two sizes as arguments of {shown}"))),
            Some((list, at)) => self.payload(&name, list, at, &sizes),
        }
    }

    /// Takes the sizes that arguments give, after the entries that were read by rows.
    fn sized(&mut self, sizes: &[u64], at: usize) -> Parsed<()> {
        let found = (self.rows, self.cols);
        let [rows, cols] = match *sizes {
            [rows, cols] => [rows, cols],
            [rows] => [rows, found.1.unwrap_or(rows)],
            _ => return Ok(()),
        };
        if found != (0, None) && found != (rows, Some(cols)) {
            let message =
                format!("expected {rows} x {cols} by the sizes, found {} x {}", found.0, found.1.unwrap_or(0));
            return Err(Fault::At(at, message));
        }
        (self.rows, self.cols) = (rows, Some(cols));
        Ok(())
    }

    /// The entries, in whichever form.
    fn payload(&mut self, name: &str, list: &List, at: usize, sizes: &[u64]) -> Parsed<()> {
        let is_pair = |item: &Expression| matches!(item.kind, Kind::Pair(..));
        let is_triple = |item: &Expression| item.list().is_some_and(|list| list.open == b'<');
        if list.items.first().is_some_and(is_pair) || list.items.first().is_some_and(is_triple) {
            let mut positions = Positions::default();
            for item in &list.items {
                positions.put(self, item)?;
            }
            return positions.finish(self, sizes, at);
        }
        if list.is_flat() && list.breaks.is_empty() && !sizes.is_empty() {
            let count = list.items.len() as u64;
            let cols = match *sizes {
                _ if count == 0 => return self.sized(sizes, at),
                [rows, cols] if rows * cols == count => cols,
                [rows] if rows > 0 && count.is_multiple_of(rows) => count / rows,
                _ => {
                    let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
                    return Err(Fault::At(
                        at,
                        format!("expected {} entries by the sizes, found {count}", sizes.join(" x ")),
                    ));
                }
            };
            for row in list.items.chunks(cols as usize) {
                self.row(row, row[0].at)?;
            }
            return Ok(());
        }
        self.list(list, at, name == "mat")?;
        self.sized(sizes, at)
    }
}
