//! Sparse literals: entries at positions, and the compressed rows in which Mathematica stores an array.

use super::expression::{Expression, Kind, List, Relation};
use super::matrix::Matrix;
use super::parse::{Fault, Parsed};
use crate::memory;

/// What the memory is for.
const POSITIONS: &str = "the positions of a literal matrix";

/// Entries at positions so far.
#[derive(Default)]
pub(super) struct Positions {
    /// Those of all entries, of zeros too, each with its byte.
    seen: Vec<(u64, u64, usize)>,
}

impl Positions {
    /// One entry: `(i,j): v` from 0; `{i,j} -> v`, `(i,j) = v`, `<i,j,v>` from 1.
    pub fn put(&mut self, matrix: &mut Matrix<'_>, item: &Expression) -> Parsed<()> {
        let fail = || Fault::At(item.at, "expected a row, a column and a value, as in the other entries".into());
        let (position, value, first) = match &item.kind {
            Kind::Pair(left, relation, value) => {
                let position = left.list().filter(|list| list.items.len() == 2).ok_or_else(fail)?;
                (&position.items[..], &**value, u64::from(*relation != Relation::Colon))
            }
            Kind::List(list) if list.open == b'<' && list.items.len() == 3 => (&list.items[..2], &list.items[2], 1),
            _ => return Err(fail()),
        };
        let index = |item: &Expression| {
            let number = matrix.natural(item, "a position")?;
            let message = || Fault::At(item.at, format!("position {number}: expected one from {first} on"));
            number.checked_sub(first).ok_or_else(message)
        };
        let (row, col) = (index(&position[0])?, index(&position[1])?);
        memory::push(&mut self.seen, (row, col, item.at), POSITIONS)?;
        matrix.put(row, col, value)
    }

    /// The size of the matrix: the one given, or that of the last row and column.
    pub fn finish(mut self, matrix: &mut Matrix<'_>, sizes: &[u64], at: usize) -> Parsed<()> {
        let least = |side: fn(&(u64, u64, usize)) -> u64| self.seen.iter().map(side).max().map_or(0, |most| most + 1);
        let needed = [least(|entry| entry.0), least(|entry| entry.1)];
        let [rows, cols] = match *sizes {
            [rows, cols] => [rows, cols],
            [size] => [size, size],
            _ => needed,
        };
        if let Some(&(row, col, at)) = self.seen.iter().find(|&&(row, col, _)| row >= rows || col >= cols) {
            let message =
                format!("expected entries within {rows} x {cols}, found one in row {}, column {}", row + 1, col + 1);
            return Err(Fault::At(at, message));
        }
        self.seen.sort_unstable();
        if let Some(pair) = self.seen.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
            return Err(Fault::At(pair[1].2, "a second value at the same position; expected one".into()));
        }
        if rows.max(cols) > u64::from(u32::MAX) {
            return Err(Fault::At(at, format!("{rows} x {cols}: expected at most {}", u32::MAX)));
        }
        (matrix.rows, matrix.cols) = (rows, Some(cols));
        Ok(())
    }
}

/// `SparseArray[Automatic, {m, n}, 0, {1, {{starts of rows}, {{columns}, …}}, {values}}]`.
pub(super) fn compressed(matrix: &mut Matrix<'_>, arguments: &List, at: usize) -> Parsed<()> {
    let fail = |at: usize| {
        let form = "SparseArray[Automatic, {m, n}, 0, {1, {{starts}, {{column}, …}}, {values}}]";
        Fault::At(at, format!("expected {form}"))
    };
    let parts = |item: &'_ Expression| item.list().map(|list| list.items.len()).ok_or_else(|| fail(item.at));
    let [_, size, default, data] = &arguments.items[..] else { return Err(fail(at)) };
    if parts(size)? != 2 || matrix.natural(default, "0 as the value of all other entries")? != 0 {
        return Err(fail(size.at));
    }
    if parts(data)? != 3 {
        return Err(fail(data.at));
    }
    let [_, structure, values] = &data.list().expect("it has parts").items[..] else { return Err(fail(data.at)) };
    if parts(structure)? != 2 {
        return Err(fail(structure.at));
    }
    let [starts, columns] = &structure.list().expect("it has parts").items[..] else { return Err(fail(structure.at)) };
    let (Some(starts), Some(columns), Some(values)) = (starts.list(), columns.list(), values.list()) else {
        return Err(fail(structure.at));
    };
    let size = &size.list().expect("it has parts").items;
    let [rows, cols] =
        [matrix.natural(&size[0], "a number of rows")?, matrix.natural(&size[1], "a number of columns")?];
    if starts.items.len() as u64 != rows + 1 || columns.items.len() != values.items.len() {
        return Err(fail(structure.at));
    }
    let mut positions = vec![];
    let mut begin = 0;
    for (row, end) in (0..rows).zip(&starts.items[1..]) {
        let stop = matrix.natural(end, "where a row ends")?;
        if stop < begin || stop > values.items.len() as u64 {
            return Err(Fault::At(
                end.at,
                format!("a row that ends at {stop}; expected {begin} to {}", values.items.len()),
            ));
        }
        for k in begin as usize..stop as usize {
            let column = columns.items[k].list().filter(|list| list.items.len() == 1);
            let column = column.ok_or_else(|| fail(columns.items[k].at))?;
            let col = matrix.natural(&column.items[0], "a column")?.wrapping_sub(1);
            matrix.put(row, col, &values.items[k])?;
            memory::push(&mut positions, (row, col, columns.items[k].at), POSITIONS)?;
        }
        begin = stop;
    }
    if begin != values.items.len() as u64 {
        return Err(fail(structure.at));
    }
    Positions { seen: positions }.finish(matrix, &[rows, cols], at)
}
