//! MATLAB's `.mat` files of version 7.3, which are HDF5 (read by the crate hdf5-pure):
//!
//! | variable | in the file |
//! | --- | --- |
//! | full matrix | a dataset whose dimensions are those of the matrix in reverse; attribute `MATLAB_class` |
//! | sparse matrix | a group of the datasets `jc`, `ir`, `data`: where columns begin, rows and values of entries; attribute `MATLAB_sparse`, the number of rows |
//! | structure | a group of its fields |
//! | matrix without elements | a dataset of its dimensions; attribute `MATLAB_empty` |

use super::hdf5_array::{Array, Context, PIECE};
use super::variables::{ByColumns, DEEPEST, Variables};
use crate::io::entries::{Entries, check_sides};
use crate::io::options::ReadOptions;
use crate::io::pointers::Pointers;
use crate::io::source::{Bytes, Source};
use crate::sparse::Triplets;
use crate::{Error, Result, memory};
use hdf5_pure::{AttrValue, Dataset, File, Group};
use std::collections::HashMap;

/// Reads the file.
pub(super) fn read(mut source: Source<'_>, options: &ReadOptions) -> Result<Triplets> {
    let (file, select, observer) = (source.name, source.select, source.observer);
    let context = Context { file, options, observer };
    let opened = match &source.bytes {
        Bytes::Memory { map: Some(_), .. } => File::open_streaming(file),
        Bytes::Memory { bytes, map: None } => {
            File::from_bytes(memory::copy(bytes, "a file that is not read in order")?)
        }
        Bytes::Stream(_) => {
            let mut held = vec![];
            source.whole("a .mat file of version 7.3", &mut held)?;
            File::from_bytes(held)
        }
    };
    let opened = opened.map_err(|error| context.refused("byte 512", error))?;
    let (end, len) = (opened.superblock().eof_address, opened.file_size());
    if end > len {
        return Err(context.error(&format!("byte {len}"), format!("the end, {end} bytes expected: a truncated file")));
    }
    let mut walk = Walk { context, variables: Variables::new(select) };
    walk.group(&opened.root(), "", DEEPEST)?;
    walk.variables.finish(file)
}

/// What MATLAB says of a variable.
struct Attributes {
    class: String,
    /// The number of rows of a sparse matrix.
    sparse: Option<u64>,
    empty: bool,
}

impl Attributes {
    fn new(list: &HashMap<String, AttrValue>) -> Self {
        let number = |name: &str| {
            let value = list.get(name)?;
            value.as_u64().or_else(|| value.as_i64().and_then(|n| u64::try_from(n).ok()))
        };
        let class = list.get("MATLAB_class").and_then(AttrValue::as_str).unwrap_or_default();
        Attributes {
            class: class.trim_end_matches('\0').to_string(),
            sparse: number("MATLAB_sparse"),
            empty: number("MATLAB_empty").is_some_and(|n| n != 0),
        }
    }

    fn is_of_numbers(&self) -> bool {
        const CLASSES: [&str; 11] =
            ["double", "single", "logical", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"];
        CLASSES.contains(&&*self.class)
    }
}

/// A walk over the variables.
struct Walk<'s> {
    context: Context<'s>,
    variables: Variables<'s>,
}

impl Walk<'_> {
    /// Looks at the variables in a group: the file, or a structure of this name.
    fn group(&mut self, group: &Group, name: &str, depth: usize) -> Result<()> {
        let context = self.context;
        let is_field = !name.is_empty();
        let full = |member: &str| if is_field { format!("{name}.{member}") } else { member.to_string() };
        // What MATLAB keeps for itself: `#refs#`, `#subsystem#`.
        let is_own = |member: &&String| !member.starts_with('#');
        let datasets = group.datasets().map_err(|error| context.refused(name, error))?;
        for member in datasets.iter().filter(is_own) {
            let name = &*full(member);
            let refused = |error| context.refused(name, error);
            let data = group.dataset(member).map_err(refused)?;
            let attributes = Attributes::new(&data.attrs().map_err(refused)?);
            let sides = data.shape().map_err(refused)?;
            if attributes.is_of_numbers() && (sides.len() == 2 || attributes.empty) {
                let matrix = Matrix { context, name };
                self.variables.offer(name, is_field, || matrix.full(&data, &attributes))?;
            } else {
                self.variables.see(name);
            }
        }
        let groups = group.groups().map_err(|error| context.refused(name, error))?;
        for member in groups.iter().filter(is_own) {
            let name = &*full(member);
            let refused = |error| context.refused(name, error);
            let inner = group.group(member).map_err(refused)?;
            let attributes = Attributes::new(&inner.attrs().map_err(refused)?);
            match attributes.sparse {
                Some(rows) if attributes.is_of_numbers() => {
                    let matrix = Matrix { context, name };
                    self.variables.offer(name, is_field, || matrix.sparse(&inner, rows))?;
                }
                None if attributes.class == "struct" && depth > 0 => self.group(&inner, name, depth - 1)?,
                _ => self.variables.see(name),
            }
        }
        Ok(())
    }
}

/// A variable that is read.
#[derive(Clone, Copy)]
struct Matrix<'s> {
    context: Context<'s>,
    name: &'s str,
}

impl Matrix<'_> {
    fn error(self, message: impl std::fmt::Display) -> Error {
        self.context.error(self.name, message)
    }

    /// The matrix in a dataset, column by column.
    fn full(self, data: &Dataset, attributes: &Attributes) -> Result<Triplets> {
        if attributes.empty {
            return self.empty(data);
        }
        let options = self.context.options;
        let array = Array::new(self.context, self.name, data)?;
        let (rows, cols) = (array.inner, array.lines);
        check_sides(rows, cols).map_err(|message| self.error(message))?;
        let mut entries = Entries::new(options);
        let mut places = ByColumns::new(rows);
        array.for_each(|bytes| {
            let (row, col) = places.next();
            let at = |message| self.error(format!("row {}, column {}: {message}", row + 1, col + 1));
            entries.push(row, col, array.element.value(bytes, options.pattern).map_err(at)?)
        })?;
        entries.integers(rows, cols)
    }

    /// A matrix without elements; the data are its dimensions.
    fn empty(self, data: &Dataset) -> Result<Triplets> {
        let sides = self.numbers(data, 2)?;
        match sides[..] {
            [rows, cols] if rows == 0 || cols == 0 => {
                check_sides(rows, cols).map_err(|message| self.error(message))?;
                Entries::new(self.context.options).integers(rows, cols)
            }
            _ => Err(self.error(format!("expected two dimensions of which one is 0, found {sides:?}"))),
        }
    }

    /// The first numbers of a dataset, `most` of them.
    fn numbers(self, data: &Dataset, most: u64) -> Result<Vec<u64>> {
        let array = Array::new(self.context, self.name, data)?;
        let mut found = vec![];
        if array.lines.saturating_mul(array.inner) <= most {
            array.for_each(|bytes| {
                found.extend(array.element.whole(bytes).and_then(|n| u64::try_from(n).ok()));
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// The sparse matrix in a group.
    fn sparse(self, group: &Group, rows: u64) -> Result<Triplets> {
        let options = self.context.options;
        let (starts, cols) = self.starts(&self.part(group, "jc")?)?;
        check_sides(rows, cols).map_err(|message| self.error(message))?;
        let mut entries = Entries::new(options);
        let count = starts.last();
        // Without entries there need not be such datasets.
        if count > 0 {
            let (places, values) = (self.part(group, "ir")?, self.part(group, "data")?);
            let (places, values) = (self.list(&places, "ir", count)?, self.list(&values, "data", count)?);
            let mut columns = starts.lines();
            let mut begin = 0;
            while begin < count {
                let window = (PIECE / 8).min(count - begin);
                let (place_bytes, value_bytes) = (places.lines(begin, window)?, values.lines(begin, window)?);
                let of_places = place_bytes.chunks_exact(places.element.size);
                for (place, value) in of_places.zip(value_bytes.chunks_exact(values.element.size)) {
                    let col = columns.next().expect("as many as there are entries");
                    let at = |message: String| self.error(format!("column {}: {message}", u64::from(col) + 1));
                    let row = places.element.whole(place).and_then(|row| u32::try_from(row).ok());
                    let row = row.filter(|&row| u64::from(row) < rows);
                    let row = row.ok_or_else(|| at(format!("expected rows below {rows}")))?;
                    entries.push(row, col, values.element.value(value, options.pattern).map_err(at)?)?;
                }
                begin += window;
            }
        }
        entries.integers(rows, cols)
    }

    /// A dataset of a sparse matrix.
    fn part(self, group: &Group, part: &str) -> Result<Dataset> {
        group.dataset(part).map_err(|error| self.context.refused(self.name, error))
    }

    /// A dataset of a sparse matrix as a list of at least so many elements.
    fn list<'d>(self, data: &'d Dataset, part: &str, least: u64) -> Result<Array<'d>>
    where
        Self: 'd,
    {
        let list = Array::new(self.context, self.name, data)?;
        match list.inner == 1 && list.lines >= least {
            true => Ok(list),
            false => Err(self.error(format!(
                "expected {part} to be a list of at least {least} numbers, found {} x {}",
                list.lines, list.inner
            ))),
        }
    }

    /// Where each column begins, and how many there are.
    fn starts(self, jc: &Dataset) -> Result<(Pointers, u64)> {
        let list = self.list(jc, "jc", 1)?;
        check_sides(0, list.lines - 1).map_err(|message| self.error(message))?;
        let mut starts = Pointers::default();
        let mut column = 0u64;
        list.for_each(|bytes| {
            let allowed = starts.allowed(u64::MAX);
            let start = list.element.whole(bytes).and_then(|start| u64::try_from(start).ok());
            let start = start.filter(|start| allowed.contains(start));
            column += 1;
            starts.push(start.ok_or_else(|| {
                self.error(format!("expected jc to rise from 0, not so at the beginning of column {column}"))
            })?)
        })?;
        Ok((starts, list.lines - 1))
    }
}
