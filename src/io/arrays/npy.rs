//! NumPy's `.npy`: one array.

use super::element::Element;
use super::input::Input;
use super::npy_header::Header;
use crate::Result;
use crate::io::entries::{Entries, check_sides};
use crate::io::options::ReadOptions;
use crate::io::source::{Source, Stop};
use crate::sparse::Triplets;

/// The most bytes that a header may have.
const MOST_HEADER: u32 = 1 << 20;

/// An array whose header has been read.
pub(super) struct Npy<'a> {
    pub input: Input<'a>,
    pub header: Header,
    /// The number of elements.
    pub count: u64,
}

impl<'a> Npy<'a> {
    /// Reads the header.
    pub fn new(mut input: Input<'a>) -> Result<Self> {
        let mut begin = [0; 8];
        input.exact(&mut begin, "the first bytes of an array")?;
        if !begin.starts_with(b"\x93NUMPY") {
            return Err(input.error("expected an array of NumPy's, found other bytes"));
        }
        let mut length = [0; 4];
        match begin[6] {
            1 => input.exact(&mut length[..2], "the length of the header")?,
            2 | 3 => input.exact(&mut length, "the length of the header")?,
            other => return Err(input.error(format!("expected version 1, 2 or 3 of the format, found {other}"))),
        }
        let length = u32::from_le_bytes(length);
        if length > MOST_HEADER {
            return Err(input.error(format!("a header of {length} bytes, at most {MOST_HEADER} are allowed")));
        }
        let mut text = vec![0; length as usize];
        input.exact(&mut text, "the header")?;
        let header = Header::parse(&text).map_err(|message| input.error(message))?;
        let Some(count) = header.count().filter(|&count| count < 1 << 60) else {
            return Err(input.error(format!("an array of shape {:?} does not fit in any memory", header.shape)));
        };
        Ok(Npy { input, header, count })
    }

    /// The type of the elements.
    pub fn element(&self) -> Result<Element> {
        self.header.element().map_err(|message| self.input.error(message))
    }

    /// Rows and columns: a vector is a column.
    pub fn sides(&self) -> Result<(u64, u64)> {
        let shape = &self.header.shape;
        let (rows, cols) = match shape[..] {
            [] => (1, 1),
            [rows] => (rows, 1),
            [rows, cols] => (rows, cols),
            _ => {
                let message = format!("expected an array of one or two dimensions, found the shape {shape:?}");
                return Err(self.input.error(message));
            }
        };
        check_sides(rows, cols).map_err(|message| self.input.error(message))?;
        Ok((rows, cols))
    }

    /// The matrix that the array is.
    pub fn matrix(mut self, options: &ReadOptions) -> Result<Triplets> {
        let ((rows, cols), element) = (self.sides()?, self.element()?);
        self.input.observer.shape(rows, cols, self.count);
        let mut entries = Entries::new(options);
        // The index that runs fastest is counted up, which saves a division for each element.
        let inner = if self.header.fortran { rows } else { cols };
        let (mut outer_at, mut inner_at) = (0, 0);
        let fortran = self.header.fortran;
        self.input.elements(element, self.count, "the elements of the array", |_, bytes| {
            let value = element.value(bytes, options.pattern)?;
            if !value.is_zero() {
                let (row, col) = if fortran { (inner_at, outer_at) } else { (outer_at, inner_at) };
                entries.push(row, col, value).map_err(Stop::Other)?;
            }
            inner_at += 1;
            if u64::from(inner_at) == inner {
                (outer_at, inner_at) = (outer_at + 1, 0);
            }
            Ok(())
        })?;
        self.end()?;
        self.input.observer.phase("sort", 0);
        entries.integers(rows, cols)
    }

    /// Refuses bytes after the last element.
    pub fn end(&mut self) -> Result<()> {
        match self.input.exact_or_end(&mut [0], "")? {
            false => Ok(()),
            true => Err(self.input.error("expected the end of the file, found more bytes: a file has one array")),
        }
    }
}

/// Reads the file.
pub(super) fn read(source: Source<'_>, options: &ReadOptions) -> Result<Triplets> {
    if !source.select.is_empty() {
        return Err(source.error(format!("expected several arrays of which {:?} is one, found one", source.select)));
    }
    Npy::new(Input::new(source))?.matrix(options)
}
