//! A basis of the span of rows, on a GPU, always in reduced row echelon form.
//!
//! Positions are the columns in their order; those of pivots hold zeros in place of the identity, and once all
//! positions before some are of pivots, they are left out. With the basis T, a panel P of new rows is P[pivots]·(I T) +
//! what is left, so that P ← P - P[pivots]·T is **one** product over all of the rank; P is reduced (`window`), and T ←
//! T - T[new pivots]·P, another, clears T in P's pivots. For m rows of rank r over n columns that is m·r·(n - r) and
//! r²·n/2 - r³/3 multiply-adds at most, all but the windows' in products.

use super::kernels::{GpuField, Kernels, THREADS, grid, grid_of};
use super::matrix::GpuDense;
use super::product::{Part, Scratch, Sign};
use super::profile::Profile;
use super::window::{Found, HEIGHT, Panel};
use crate::dense::entry::{Entry, Residue};
use crate::field::Modulus;
use crate::gpu::{Buffer, Grid};
use crate::{Result, memory};

/// What the memory is for.
const BASIS: &str = "the basis of a dense elimination from a GPU";
const PIVOTS: &str = "the pivots of a dense elimination";
/// Bytes of a basis that is large: a copy twice as large might not fit beside it.
const LARGE: usize = 4 << 30;
/// No column.
pub(super) const NONE: u32 = u32::MAX;

/// How many rows of so many bytes there is room for next: twice as many, or an eighth more of what is large.
pub(super) fn larger(rows: usize, bytes: usize) -> usize {
    if rows * bytes < LARGE { 2 * rows } else { rows + rows / 8 }
}

/// The first `rank` rows of a buffer in one of `room` rows.
pub(super) fn grown(
    kernels: &Kernels,
    old: &Buffer<u32>,
    (rank, stride): (usize, usize),
    room: usize,
) -> Result<Buffer<u32>> {
    let mut new = kernels.stream.zeros::<u32>((room * stride * kernels.form.bytes() / 4).max(4))?;
    for begin in (0..rank).step_by(HEIGHT) {
        let count = (rank - begin).min(HEIGHT);
        let lines = memory::collect(begin as u32..(begin + count) as u32, PIVOTS)?;
        let lines = kernels.stream.upload(&lines)?;
        let blocks = grid(stride.div_ceil(THREADS as usize), count);
        let arguments = (&mut new, old, &lines, stride as u32, begin as u32, 0, stride as u32);
        kernels.stream.enqueue(&kernels.gather, blocks, arguments)?;
    }
    Ok(new)
}

/// A basis of the row space of the rows met so far.
#[derive(Debug)]
pub struct GpuPanels {
    pub(super) field: GpuField,
    cols: usize,
    /// Residues of a row of the basis.
    pub(super) stride: usize,
    /// T, one row for each pivot, and rows to come.
    pub(super) basis: Buffer<u32>,
    /// The rows of the row rank profile as they came, if the inverse of a minor may be asked for.
    pub(super) originals: Option<Buffer<u32>>,
    /// Rows that these have room for.
    room: usize,
    /// The column at each position that is no pivot's.
    order: Vec<u32>,
    /// Positions before this one, a multiple of words, are pivots'.
    first: usize,
    /// The position of each row's pivot is its column.
    profile: Profile,
    panel: Panel,
    scratch: Scratch,
}

impl GpuPanels {
    /// The empty basis in a space of `cols` dimensions, with room for `rank` rows at first. With `originals`, the rows
    /// of the row rank profile are kept for [`GpuPanels::inverse`].
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub fn new(field: &GpuField, cols: usize, rank: usize, originals: bool) -> Result<GpuPanels> {
        let kernels = &field.0;
        let stride = kernels.form.stride(cols);
        let room = rank.min(cols).max(1);
        let rows = || kernels.stream.zeros((room * stride * kernels.form.bytes() / 4).max(4));
        Ok(GpuPanels {
            cols,
            stride,
            basis: rows()?,
            originals: if originals { Some(rows()?) } else { None },
            room,
            order: memory::collect((0..stride as u32).map(|j| if (j as usize) < cols { j } else { NONE }), PIVOTS)?,
            first: 0,
            profile: Profile::default(),
            panel: Panel::new(kernels, stride)?,
            scratch: Scratch::default(),
            field: field.clone(),
        })
    }
    /// Rows that one call of [`GpuPanels::absorb`] should bring.
    pub const STEP: usize = HEIGHT;

    /// The dimension of the span.
    pub fn rank(&self) -> usize {
        self.profile.rank()
    }
    /// How many rows were absorbed.
    pub fn rows_seen(&self) -> usize {
        self.profile.seen
    }
    /// The row rank profile, ascending.
    pub fn pivot_rows(&self) -> &[usize] {
        &self.profile.rows
    }
    /// The column rank profile in the order of the basis.
    pub fn found_cols(&self) -> &[u32] {
        &self.profile.cols
    }

    /// Adds rows from this machine's memory to the span: `rows` of them, row-major.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub fn absorb_dense<R: Residue>(&mut self, rows: usize, data: &[R]) -> Result<()> {
        let rows = self.field.upload(rows, self.cols, data)?;
        self.absorb(&rows)
    }
    /// Adds the rows of a matrix on the GPU to the span.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If it has another number of columns.
    pub fn absorb(&mut self, rows: &GpuDense) -> Result<()> {
        assert_eq!(rows.cols, self.cols, "rows of another length");
        (0..rows.rows).step_by(HEIGHT).try_for_each(|first| self.panel(rows, first, (rows.rows - first).min(HEIGHT)))
    }
    fn panel(&mut self, rows: &GpuDense, first: usize, count: usize) -> Result<()> {
        let found = self.pivots_of(rows, first, count)?;
        self.profile.add(count, &found)
    }
    /// Absorbs a panel, all but what is known of it in the profile.
    fn pivots_of(&mut self, rows: &GpuDense, first: usize, count: usize) -> Result<Found> {
        let (rank, live) = (self.rank(), self.stride - self.first);
        if rank == self.cols {
            return Ok(Found::default());
        }
        let field = self.field.clone();
        let (kernels, stream) = (&*field.0, field.stream());
        let order = stream.upload(&self.order)?;
        let arguments = (
            &mut self.panel.words,
            &rows.words,
            &order,
            (first * rows.stride) as u64,
            self.stride as u32,
            rows.stride as u32,
            self.stride as u32,
        );
        stream.enqueue(&kernels.arrange, grid(self.stride.div_ceil(THREADS as usize), count), arguments)?;
        if rank > 0 {
            let pivots = stream.upload(&self.profile.cols)?;
            let offset = first * rows.stride;
            let a = Part { words: &rows.words, offset, stride: rows.stride, terms: Some(&pivots) };
            let b = Part { words: &self.basis, offset: self.first, stride: self.stride, terms: None };
            let c = (&mut self.panel.words, self.first, self.stride);
            kernels.product(&mut self.scratch, (count, rank, live), Sign::Subtract, c, a, b)?;
        }
        let found = self.panel.reduce(kernels, &mut self.scratch, count, self.first)?;
        if found.rows.is_empty() {
            return Ok(found);
        }
        self.make_room(rank + found.rows.len())?;
        if self.originals.is_some() {
            let lines = memory::collect(found.rows.iter().map(|&i| first as u32 + i), PIVOTS)?;
            let mut sorted = lines;
            sorted.sort_unstable();
            let lines = stream.upload(&sorted)?;
            self.keep_originals(rows, &lines, rank)?;
        }
        self.extend(&found.rows, &found.positions)?;
        found.positions.iter().for_each(|&j| self.order[j as usize] = NONE);
        let lead = self.order.iter().position(|&j| j != NONE).unwrap_or(self.stride);
        self.first = lead - lead % kernels.form.lanes();
        Ok(found)
    }

    /// Clears the new pivots from the basis, and appends the panel's rows to it.
    fn extend(&mut self, rows: &[u32], positions: &[u32]) -> Result<()> {
        let (rank, count, first) = (self.rank(), rows.len(), self.first);
        let (stride, live) = (self.stride, self.stride - first);
        let (kernels, stream) = (&*self.field.0, self.field.stream());
        let (lines, positions) = (stream.upload(rows)?, stream.upload(positions)?);
        if rank > 0 {
            let a = Part { words: &self.basis, offset: 0, stride, terms: Some(&positions) };
            let b = Part { words: &self.panel.words, offset: first, stride, terms: Some(&lines) };
            // The multipliers are packed before the basis changes: all terms at once.
            let packed = kernels.pack(&mut self.scratch, (rank, live), 0..count, true, (a, b))?;
            kernels.multiply_packed(&self.scratch, packed, (rank, live), (&mut self.basis, first, stride), true)?;
            let all = grid_of(rank as u64 * count as u64);
            stream.enqueue(
                &kernels.clear,
                all,
                (&mut self.basis, &positions, stride as u32, count as u32, rank as u32),
            )?;
        }
        let blocks = grid(live.div_ceil(THREADS as usize), count);
        let arguments =
            (&mut self.basis, &self.panel.words, &lines, stride as u32, rank as u32, first as u32, stride as u32);
        stream.enqueue(&kernels.gather, blocks, arguments)
    }
    /// Copies rows of a matrix to the originals, from row `to` on.
    fn keep_originals(&mut self, rows: &GpuDense, lines: &Buffer<u32>, to: usize) -> Result<()> {
        let Some(originals) = &mut self.originals else { return Ok(()) };
        let (stride, kernels) = (self.stride as u32, &self.field.0);
        let blocks = grid(self.stride.div_ceil(THREADS as usize), lines.len());
        let arguments = (originals, &rows.words, lines, stride, to as u32, 0, stride);
        kernels.stream.enqueue(&kernels.gather, blocks, arguments)
    }
    /// Room for so many rows; where there is too little, for a share more than before ([`larger`]).
    fn make_room(&mut self, rows: usize) -> Result<()> {
        if rows <= self.room {
            return Ok(());
        }
        let (rank, stride) = (self.rank(), self.stride);
        let kernels = &self.field.0;
        let room = rows.max(larger(self.room, stride * kernels.form.bytes())).min(self.cols.max(rows));
        let grown = |old: &Buffer<u32>| grown(kernels, old, (rank, stride), room);
        self.basis = grown(&self.basis)?;
        if let Some(originals) = &self.originals {
            self.originals = Some(grown(originals)?);
        }
        self.room = room;
        Ok(())
    }

    /// What it is over.
    pub fn field(&self) -> &GpuField {
        &self.field
    }
    /// Its pivots, and how many rows it has met.
    pub(super) fn profile(&self) -> &Profile {
        &self.profile
    }
    /// The modulus p.
    pub(super) fn modulus(&self) -> Modulus {
        self.field.modulus()
    }
    /// Number of columns.
    pub(super) fn cols(&self) -> usize {
        self.cols
    }
    /// Bytes of a residue.
    pub(in crate::dense) fn bytes(&self) -> usize {
        self.field.0.form.bytes()
    }
    /// The columns without a pivot, ascending.
    pub(super) fn free_cols(&self) -> impl Iterator<Item = u32> {
        self.order.iter().copied().filter(|&j| j != NONE)
    }
    /// The free columns, ascending, of the rows of the basis: rank × free, row-major.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub(super) fn behind<T: Entry + bytemuck::Pod>(&self) -> Result<Vec<T>> {
        let free = memory::collect(self.free_cols(), BASIS)?;
        self.columns(&self.basis, &free)
    }
    /// Some columns of the first `rank` rows of a buffer.
    pub(super) fn columns<T: Entry + bytemuck::Pod>(&self, from: &Buffer<u32>, columns: &[u32]) -> Result<Vec<T>> {
        columns_of(&self.field, from, (self.rank(), self.stride), columns)
    }
}

/// Some columns of the first `rank` rows of a buffer with rows of `stride` residues.
pub(super) fn columns_of<T: Entry + bytemuck::Pod>(
    field: &GpuField,
    from: &Buffer<u32>,
    (rank, stride): (usize, usize),
    columns: &[u32],
) -> Result<Vec<T>> {
    let count = columns.len();
    let mut all = memory::with_capacity(rank * count, BASIS)?;
    if count == 0 {
        return Ok(all);
    }
    let order = field.stream().upload(columns)?;
    for first in (0..rank).step_by(HEIGHT) {
        let part = arranged(field, (from, stride), (&order, count), first..rank.min(first + HEIGHT))?;
        let words = field.stream().download(&part.words)?;
        let rows = bytemuck::cast_slice::<u32, T>(&words).chunks_exact(part.stride).take(part.rows);
        rows.for_each(|row| all.extend_from_slice(&row[..count]));
    }
    Ok(all)
}

/// At most HEIGHT rows of a buffer, each of `stride` residues, in the `count` columns that `order` names, zeros where
/// it names none.
pub(super) fn arranged(
    field: &GpuField,
    (from, stride): (&Buffer<u32>, usize),
    (order, count): (&Buffer<u32>, usize),
    rows: std::ops::Range<usize>,
) -> Result<GpuDense> {
    let kernels = &field.0;
    let mut part = field.zeros(rows.len(), count)?;
    let offset = (rows.start * stride) as u64;
    let arguments = (&mut part.words, from, order, offset, part.stride as u32, stride as u32, count as u32);
    let blocks = Grid { blocks: ((count as u32).div_ceil(THREADS), rows.len() as u32), threads: THREADS };
    kernels.stream.enqueue(&kernels.arrange, blocks, arguments)?;
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_grows_by_an_eighth() {
        assert_eq!(
            [(1, 1), (LARGE / 8, 4), (LARGE / 4, 4)].map(|(rows, bytes)| larger(rows, bytes)),
            [2, LARGE / 4, LARGE / 4 + LARGE / 32]
        );
        assert!(larger(8, LARGE) == 9 && larger(1, LARGE) == 1);
    }
}
