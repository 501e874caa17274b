//! SciPy's sparse matrices in `.npz`: compressed rows or columns, coordinates, blocks of rows, diagonals
//! (`scipy.sparse.save_npz`).
//!
//! ```text
//! format, shape, data     all
//! indices, indptr         csr, csc: line i has the entries indptr[i] .. indptr[i + 1]
//!                         bsr: the same with blocks, data of shape (blocks, height, width)
//! row, col                coo
//! offsets                 dia: data[d][j] stands in row j - offsets[d], column j
//! ```

use super::named::Npz;
use super::npy::Npy;
use crate::io::body::{ENTRIES, within_limit};
use crate::io::entries::{Entries, check_sides};
use crate::io::options::ReadOptions;
use crate::io::pointers::Pointers;
use crate::io::source::Stop;
use crate::sparse::Triplets;
use crate::{Result, memory};

/// Reads the matrix.
pub(super) fn read(npz: &Npz<'_>, options: &ReadOptions) -> Result<Triplets> {
    let format = format(npz)?;
    let (rows, cols) = shape(npz)?;
    let reader = Reader { npz, options, rows, cols };
    match format.as_str() {
        "csr" => reader.compressed(rows, cols, |line, index| (line, index)),
        "csc" => reader.compressed(cols, rows, |line, index| (index, line)),
        "bsr" => reader.blocks(),
        "coo" => reader.coordinates(),
        "dia" => reader.diagonals(),
        _ => Err(npz
            .get("format")?
            .input
            .error(format!("expected csr, csc, coo, bsr or dia, found {format:?}: convert it by .tocsr()"))),
    }
}

/// The name of the format.
fn format(npz: &Npz<'_>) -> Result<String> {
    let Npy { mut input, header, .. } = npz.get("format")?;
    let mut bytes = vec![];
    let size: usize = header.descr.trim_start_matches(['<', '>', '|', '=', 'S', 'U']).parse().unwrap_or(0);
    let size = size.min(64) * if header.descr.contains('U') { 4 } else { 1 };
    bytes.resize(size, 0);
    input.exact(&mut bytes, "the name of a sparse format")?;
    let name = header.text(&bytes).filter(|_| header.count() == Some(1));
    name.ok_or_else(|| input.error(format!("expected the name of a sparse format, found type {:?}", header.descr)))
}

/// Rows and columns.
fn shape(npz: &Npz<'_>) -> Result<(u64, u64)> {
    let mut sides = vec![];
    let mut npy = npz.get("shape")?;
    if npy.header.shape[..] != [2] {
        let message = format!("expected rows and columns, found an array of shape {:?}", npy.header.shape);
        return Err(npy.input.error(message));
    }
    integers(&mut npy, "rows and columns", |_, n| {
        sides.push(u64::try_from(n).map_err(|_| format!("expected a dimension, found {n}"))?);
        Ok(())
    })?;
    check_sides(sides[0], sides[1]).map_err(|message| npy.input.error(message))?;
    Ok((sides[0], sides[1]))
}

/// Passes the elements of an array of integers to `take`.
fn integers(
    npy: &mut Npy<'_>,
    what: &str,
    mut take: impl FnMut(u64, i64) -> std::result::Result<(), Stop>,
) -> Result<()> {
    let element = npy.element()?;
    let count = npy.count;
    npy.input.elements(element, count, what, |k, bytes| {
        let n = element.whole(bytes).ok_or_else(|| format!("expected {what}, integers of 63 bits"))?;
        take(k, n)
    })?;
    npy.end()
}

/// A matrix about to be read.
struct Reader<'a> {
    npz: &'a Npz<'a>,
    options: &'a ReadOptions,
    rows: u64,
    cols: u64,
}

impl Reader<'_> {
    /// An array of one dimension.
    fn vector(&self, name: &str) -> Result<Npy<'_>> {
        let npy = self.npz.get(name)?;
        match npy.header.shape.len() {
            1 => Ok(npy),
            _ => Err(npy.input.error(format!("expected one dimension, found the shape {:?}", npy.header.shape))),
        }
    }

    /// All indices in an array, below `end`.
    fn indices(&self, name: &str, end: u64) -> Result<Vec<u32>> {
        let mut npy = self.vector(name)?;
        within_limit(npy.count, self.options.max_memory.unwrap_or(u64::MAX))?;
        let mut list = vec![];
        integers(&mut npy, "indices", |_, n| {
            let index = u64::try_from(n).ok().filter(|&n| n < end);
            let index = index.ok_or_else(|| format!("expected an index below {end}, found {n}"))?;
            Ok(memory::push(&mut list, index as u32, ENTRIES)?)
        })?;
        Ok(list)
    }

    /// Where each of `lines` lines begins; there are `entries` of them at most.
    fn starts(&self, lines: u64, entries: u64) -> Result<Pointers> {
        let mut npy = self.vector("indptr")?;
        if npy.count != lines + 1 {
            let message = format!("expected {} pointers for {lines} lines, found {}", lines + 1, npy.count);
            return Err(npy.input.error(message));
        }
        let mut starts = Pointers::default();
        integers(&mut npy, "pointers", |_, n| {
            let allowed = starts.allowed(entries);
            let pointer = u64::try_from(n).ok().filter(|pointer| allowed.contains(pointer));
            let pointer = pointer.ok_or_else(|| format!("expected a pointer in {allowed:?}, found {n}"))?;
            Ok(starts.push(pointer)?)
        })?;
        Ok(starts)
    }

    /// Compressed lines, whose entries `place` turns into rows and columns.
    fn compressed(&self, lines: u64, width: u64, place: impl Fn(u32, u32) -> (u32, u32)) -> Result<Triplets> {
        let indices = self.indices("indices", width)?;
        let starts = self.starts(lines, indices.len() as u64)?;
        self.placed(starts.lines().zip(&indices).map(|(line, &index)| place(line, index)), indices.len())
    }

    fn coordinates(&self) -> Result<Triplets> {
        let (row, col) = (self.indices("row", self.rows)?, self.indices("col", self.cols)?);
        if row.len() != col.len() {
            let message = format!("expected as many columns as rows, found {} and {}", col.len(), row.len());
            return Err(self.npz.error(message));
        }
        self.placed(row.iter().copied().zip(col.iter().copied()), row.len())
    }

    /// The entries of `data` at these places, of `indices` that there are in all.
    fn placed(&self, places: impl Iterator<Item = (u32, u32)>, indices: usize) -> Result<Triplets> {
        let mut npy = self.vector("data")?;
        if npy.count != indices as u64 {
            return Err(npy.input.error(format!("expected {indices} values for as many indices, found {}", npy.count)));
        }
        let (element, count) = (npy.element()?, npy.count);
        let (mut entries, mut places) = (Entries::new(self.options), places);
        npy.input.elements(element, count, "values", |_, bytes| {
            // Beyond the last pointer SciPy keeps what it has no use for.
            let Some((row, col)) = places.next() else { return Ok(()) };
            let value = element.value(bytes, self.options.pattern)?;
            Ok(entries.push(row, col, value)?)
        })?;
        npy.end()?;
        entries.integers(self.rows, self.cols)
    }

    fn blocks(&self) -> Result<Triplets> {
        let mut npy = self.npz.get("data")?;
        let [blocks, height, width] = npy.header.shape[..] else {
            let message = format!("expected three dimensions, blocks, height and width, found {:?}", npy.header.shape);
            return Err(npy.input.error(message));
        };
        if height == 0 || width == 0 || !self.rows.is_multiple_of(height) || !self.cols.is_multiple_of(width) {
            let (rows, cols) = (self.rows, self.cols);
            return Err(npy
                .input
                .error(format!("blocks of {height} x {width} do not fill a matrix of {rows} x {cols}")));
        }
        if npy.header.fortran {
            return Err(npy.input.error("expected blocks in the order of C, found Fortran's: convert it by .tocsr()"));
        }
        let indices = self.indices("indices", self.cols / width)?;
        if blocks != indices.len() as u64 {
            return Err(npy
                .input
                .error(format!("expected {} blocks, one for each index, found {blocks}", indices.len())));
        }
        let starts = self.starts(self.rows / height, blocks)?;
        let (element, count) = (npy.element()?, npy.count);
        let mut corners = starts.lines().zip(&indices);
        let (mut entries, mut corner, size) = (Entries::new(self.options), None, height * width);
        npy.input.elements(element, count, "values", |k, bytes| {
            if k % size == 0 {
                corner = corners.next();
            }
            let Some((line, &index)) = corner else { return Ok(()) };
            let value = element.value(bytes, self.options.pattern)?;
            if !value.is_zero() {
                let (row, col) = (u64::from(line) * height + k % size / width, u64::from(index) * width + k % width);
                entries.push(row as u32, col as u32, value)?;
            }
            Ok(())
        })?;
        npy.end()?;
        entries.integers(self.rows, self.cols)
    }

    fn diagonals(&self) -> Result<Triplets> {
        let mut offsets = vec![];
        let mut list = self.vector("offsets")?;
        integers(&mut list, "offsets", |_, n| Ok(memory::push(&mut offsets, n, ENTRIES)?))?;
        let mut npy = self.npz.get("data")?;
        let [diagonals, length] = npy.header.shape[..] else {
            let message = format!("expected two dimensions, diagonals and columns, found {:?}", npy.header.shape);
            return Err(npy.input.error(message));
        };
        if diagonals != offsets.len() as u64 {
            return Err(npy
                .input
                .error(format!("expected {} diagonals, one for each offset, found {diagonals}", offsets.len())));
        }
        let (element, count, fortran) = (npy.element()?, npy.count, npy.header.fortran);
        let mut entries = Entries::new(self.options);
        npy.input.elements(element, count, "values", |k, bytes| {
            let (d, col) = if fortran { (k % diagonals, k / diagonals) } else { (k / length, k % length) };
            let row = i128::from(col) - i128::from(offsets[d as usize]);
            if col < self.cols && (0..i128::from(self.rows)).contains(&row) {
                entries.push(row as u32, col as u32, element.value(bytes, self.options.pattern)?)?;
            }
            Ok(())
        })?;
        npy.end()?;
        entries.integers(self.rows, self.cols)
    }
}
