//! MATLAB's `.mat` files of versions 5 to 7 (The MathWorks, *MAT-File Format*): full and sparse arrays of numbers,
//! compressed or not, of either order of bytes, among [`Variables`] of any kind.

use super::element::{Element, Kind, complex};
use super::input::Input;
use super::mat_numbers::{COMPRESSED, INT8, INT32, MATRIX, Tag, UINT32};
use super::variables::{ByColumns, DEEPEST, Variables};
use crate::io::body::{ENTRIES, within_limit};
use crate::io::entries::{Entries, check_sides};
use crate::io::options::ReadOptions;
use crate::io::pointers::Pointers;
use crate::io::source::{Source, Stop};
use crate::sparse::{Integer, Triplets};
use crate::{Result, memory};

/// The most bytes of a name, and of the names of all fields.
const MOST_NAME: u64 = 1 << 10;
const MOST_NAMES: u64 = 1 << 20;

/// Reads the file.
pub(super) fn read(source: Source<'_>, options: &ReadOptions) -> Result<Triplets> {
    let (name, select) = (source.name, source.select);
    let mut input = Input::new(source);
    let mut head = [0; 128];
    input.exact(&mut head, "the header")?;
    let mut file = Reader { options, variables: Variables::new(select), big_endian: &head[126..] == b"MI" };
    while let Some(tag) = Tag::next(&mut input, file.big_endian)? {
        match tag.kind {
            MATRIX => input.part(tag.len, "a variable", |part| file.variable(part, None, DEEPEST))?,
            COMPRESSED => input.inflated(tag.len, |part| {
                let tag = Tag::expect(part, file.big_endian, &[MATRIX], "a variable")?;
                part.part(tag.len, "a variable", |part| file.variable(part, None, DEEPEST))
            })?,
            // Objects have data of their own beside the variables.
            _ => tag.skip(&mut input)?,
        }
    }
    file.variables.finish(name)
}

struct Reader<'s> {
    options: &'s ReadOptions,
    variables: Variables<'s>,
    big_endian: bool,
}

/// What stands before the data of a variable.
struct Header {
    class: u8,
    complex: bool,
    sides: Vec<u64>,
    name: String,
}

const STRUCT: u8 = 2;
const SPARSE: u8 = 5;

impl Reader<'_> {
    /// Looks at the variable that fills the input; `field` is its name, if it has none of its own.
    fn variable(&mut self, input: &mut Input<'_>, field: Option<&str>, depth: usize) -> Result<()> {
        let header = self.header(input)?;
        let name = field.map_or(header.name.clone(), str::to_string);
        match header.class {
            STRUCT if header.sides.iter().all(|&n| n == 1) && depth > 0 => self.fields(input, &name, depth - 1),
            SPARSE | 6..=15 if header.sides.len() == 2 => {
                let (options, big_endian) = (self.options, self.big_endian);
                self.variables.offer(&name, field.is_some(), || Matrix { options, big_endian }.read(input, &header))
            }
            _ => {
                self.variables.see(&name);
                Ok(())
            }
        }
    }

    fn header(&self, input: &mut Input<'_>) -> Result<Header> {
        let flags = Tag::expect(input, self.big_endian, &[UINT32], "the flags of a variable")?;
        let flags = flags.bytes(input, 8, "the flags of a variable")?;
        let sides = Tag::expect(input, self.big_endian, &[INT32], "the dimensions of a variable")?;
        let mut list = vec![];
        if sides.len > 256 {
            return Err(input.error(format!("expected dimensions, found {} bytes", sides.len)));
        }
        sides.numbers(input, "the dimensions of a variable", |_, bytes, element| {
            let n = element.whole(bytes).and_then(|n| u64::try_from(n).ok());
            list.push(n.ok_or_else(|| "expected a dimension, found a negative number".to_string())?);
            Ok(())
        })?;
        if flags.len() != 8 || list.len() < 2 {
            return Err(input.error("expected flags of 8 bytes and at least two dimensions"));
        }
        let name = Tag::expect(input, self.big_endian, &[INT8, 2, 16], "the name of a variable")?;
        let name = name.bytes(input, MOST_NAME, "the name of a variable")?;
        let (class, bits) = if self.big_endian { (flags[3], flags[2]) } else { (flags[0], flags[1]) };
        let name = String::from_utf8_lossy(&name).trim_end_matches('\0').to_string();
        Ok(Header { class, complex: bits & 8 != 0, sides: list, name })
    }

    /// Looks at the fields of a structure.
    fn fields(&mut self, input: &mut Input<'_>, name: &str, depth: usize) -> Result<()> {
        let length = Tag::expect(input, self.big_endian, &[INT32], "the length of the names of fields")?;
        let mut width = 0;
        length.numbers(input, "the length of the names of fields", |_, bytes, element| {
            width = element.whole(bytes).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
            Ok(())
        })?;
        let names = Tag::expect(input, self.big_endian, &[INT8, 2, 16], "the names of fields")?;
        let names = names.bytes(input, MOST_NAMES, "the names of fields")?;
        if width == 0 && !names.is_empty() {
            return Err(input.error("expected names of fields of a positive length"));
        }
        for field in names.chunks(width.max(1)) {
            let end = field.iter().position(|&b| b == 0).unwrap_or(field.len());
            let name = format!("{name}.{}", String::from_utf8_lossy(&field[..end]));
            let tag = Tag::expect(input, self.big_endian, &[MATRIX], "a field")?;
            input.part(tag.len, "a field", |part| self.variable(part, Some(&name), depth))?;
        }
        Ok(())
    }
}

/// How the data of a matrix are read.
struct Matrix<'s> {
    options: &'s ReadOptions,
    big_endian: bool,
}

impl Matrix<'_> {
    fn read(&self, input: &mut Input<'_>, header: &Header) -> Result<Triplets> {
        let (rows, cols) = (header.sides[0], header.sides[1]);
        check_sides(rows, cols).map_err(|message| input.error(message))?;
        if header.complex && !self.options.pattern {
            return Err(input.error(complex()));
        }
        let mut entries = Entries::new(self.options);
        let parts = if header.complex { &["values", "imaginary parts"][..] } else { &["values"] };
        if header.class == SPARSE {
            let indices = self.indices(input)?;
            let starts = self.starts(input, cols, indices.len() as u64)?;
            for part in parts {
                let mut places = indices.iter().zip(starts.lines());
                self.values(input, part, |k, value| {
                    match places.next() {
                        Some((&row, col)) if u64::from(row) < rows => Ok(entries.push(row, col, value?)?),
                        Some((row, _)) => Err(Stop::Told(format!("expected a row below {rows}, found {row}"))),
                        // Room for more entries than there are.
                        None if k < indices.len() as u64 => Ok(()),
                        None => Err(Stop::Told(format!("expected {} values for as many indices", indices.len()))),
                    }
                })?;
                if places.next().is_some() {
                    return Err(input.error(format!("expected as many {part} as indices, found fewer")));
                }
            }
        } else {
            for part in parts {
                let (mut places, mut seen) = (ByColumns::new(rows), 0);
                self.values(input, part, |_, value| {
                    seen += 1;
                    if seen > rows * cols {
                        return Err(Stop::Told(format!("expected {rows} x {cols} {part}, found more")));
                    }
                    let (row, col) = places.next();
                    Ok(entries.push(row, col, value?)?)
                })?;
                if seen < rows * cols {
                    return Err(input.error(format!("expected {rows} x {cols} {part}, found {seen}")));
                }
            }
        }
        entries.integers(rows, cols)
    }

    /// Passes the values of the next element to `take`.
    fn values(
        &self,
        input: &mut Input<'_>,
        what: &str,
        mut take: impl FnMut(u64, std::result::Result<Integer<'static>, String>) -> std::result::Result<(), Stop>,
    ) -> Result<()> {
        let tag = Tag::expect(input, self.big_endian, &[], what)?;
        let ones = self.options.pattern;
        tag.numbers(input, what, |k, bytes, element| take(k, element.value(bytes, ones)))
    }

    /// The rows of the entries of a sparse matrix.
    fn indices(&self, input: &mut Input<'_>) -> Result<Vec<u32>> {
        let tag = Tag::expect(input, self.big_endian, &[INT32, UINT32, 12, 13], "the rows of entries")?;
        within_limit(tag.count(input)?, self.options.max_memory.unwrap_or(u64::MAX))?;
        let mut list = vec![];
        tag.numbers(input, "the rows of entries", |_, bytes, element| {
            // Room for more entries than there are may hold anything.
            let row = index(bytes, element).map_or(u32::MAX, |row| u32::try_from(row).unwrap_or(u32::MAX));
            Ok(memory::push(&mut list, row, ENTRIES)?)
        })?;
        Ok(list)
    }

    /// Where each of `cols` columns begins; there are `entries` of them at most.
    fn starts(&self, input: &mut Input<'_>, cols: u64, entries: u64) -> Result<Pointers> {
        let tag = Tag::expect(input, self.big_endian, &[INT32, UINT32, 12, 13], "the beginnings of columns")?;
        let count = tag.count(input)?;
        if count != cols + 1 {
            return Err(input.error(format!("expected {} beginnings of {cols} columns, found {count}", cols + 1)));
        }
        let mut starts = Pointers::default();
        tag.numbers(input, "the beginnings of columns", |k, bytes, element| {
            let allowed = starts.allowed(entries);
            let start = index(bytes, element).filter(|start| allowed.contains(start));
            let start = start.ok_or_else(|| format!("expected the beginning of column {}, in {allowed:?}", k + 1))?;
            Ok(starts.push(start)?)
        })?;
        Ok(starts)
    }
}

/// An index of either integer type.
fn index(bytes: &[u8], element: Element) -> Option<u64> {
    element.whole(bytes).filter(|_| element.kind != Kind::Float).and_then(|n| u64::try_from(n).ok())
}
