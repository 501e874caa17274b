//! What one of several GPUs has of a basis: bands of its columns, and what it does with them.

use super::kernels::{GpuField, THREADS, grid, grid_of};
use super::panels::{NONE, grown, larger};
use super::product::{Part, Scratch, Sign};
use super::window::HEIGHT;
use crate::gpu::{Buffer, Stream};
use crate::{Result, memory};

/// Columns of a band: a multiple of every number of residues in a word.
pub(super) const BAND: usize = 256;
/// What the memory is for.
const PIVOTS: &str = "the pivots of a dense elimination";

/// What one GPU has.
#[derive(Debug)]
pub(super) struct Member {
    pub field: GpuField,
    /// Its columns, and residues of a row of them.
    pub cols: usize,
    pub stride: usize,
    /// T in these columns, one row for each pivot, and room for so many rows.
    pub basis: Buffer<u32>,
    pub room: usize,
    /// Which column of the panel is at each position, or none where that is a pivot's.
    pub order: Vec<u32>,
    /// Positions before this one, a multiple of words, are pivots'.
    pub first: usize,
    /// The panel as it came, and its own columns of it.
    pub rows: Option<Buffer<u32>>,
    pub panel: Buffer<u32>,
    pub scratch: Scratch,
    /// Columns of the basis at the new pivots, packed: those of each member.
    pub columns: Vec<Option<Buffer<u32>>>,
    /// Rows of the panel, packed.
    pub lines: Option<Buffer<u32>>,
}

/// The new pivots in columns of one member.
#[derive(Default)]
pub(super) struct Share {
    /// Their rows in the panel, and their positions.
    pub rows: Vec<u32>,
    pub positions: Vec<u32>,
}

/// Where a column is: the member, and its position there.
pub(super) fn place_of(column: usize, members: usize) -> (usize, usize) {
    let band = column / BAND;
    (band % members, band / members * BAND + column % BAND)
}
/// The column at a member's position.
fn column_of(number: usize, position: usize, members: usize) -> usize {
    (position / BAND * members + number) * BAND + position % BAND
}

/// The new pivots on a GPU: rows of the panel, those in columns of each member, and their positions there.
pub(super) struct Given {
    pub all: Buffer<u32>,
    pub lines: Vec<Buffer<u32>>,
    pub positions: Vec<Buffer<u32>>,
}

impl Member {
    /// The columns that the GPU of this number has of `cols`, and room for `rank` rows.
    pub fn new(field: &GpuField, number: usize, members: usize, cols: usize, rank: usize) -> Result<Member> {
        let kernels = &field.0;
        let own = (0..cols).step_by(BAND).filter(|column| place_of(*column, members).0 == number);
        let own: usize = own.map(|column| BAND.min(cols - column)).sum();
        let (stride, room) = (kernels.form.stride(own), rank.min(cols).max(1));
        let words = |rows: usize| kernels.stream.zeros((rows * stride * kernels.form.bytes() / 4).max(4));
        let column = |l: usize| if l < own { column_of(number, l, members) as u32 } else { NONE };
        Ok(Member {
            cols: own,
            stride,
            basis: words(room)?,
            room,
            order: memory::collect((0..stride).map(column), PIVOTS)?,
            first: 0,
            rows: None,
            panel: words(HEIGHT)?,
            scratch: Scratch::default(),
            columns: (0..members).map(|_| None).collect(),
            lines: None,
            field: field.clone(),
        })
    }
    pub fn stream(&self) -> &Stream {
        self.field.stream()
    }
    /// Words of 32 bits that so many rows take, at least.
    pub fn words(&self, rows: usize) -> usize {
        (rows * self.stride * self.field.0.form.bytes() / 4).max(4)
    }
    pub fn make_room(&mut self, rank: usize, more: usize) -> Result<()> {
        if rank + more > self.room {
            let kernels = &self.field.0;
            self.room = (rank + more).max(larger(self.room, self.stride * kernels.form.bytes()));
            self.basis = grown(kernels, &self.basis, (rank, self.stride), self.room)?;
        }
        Ok(())
    }
    /// Its columns of the first `count` rows of a panel, cleared of the pivots.
    pub fn begin(&mut self, rows: Part<'_>, count: usize, pivots: &[u32]) -> Result<()> {
        let (kernels, stream) = (&*self.field.0, self.field.stream());
        let (order, terms) = (stream.upload(&self.order)?, stream.upload(pivots)?);
        let (offset, stride) = (rows.offset as u64, self.stride as u32);
        let arguments = (&mut self.panel, rows.words, &order, offset, stride, rows.stride as u32, stride);
        let live = self.stride - self.first;
        stream.enqueue(&kernels.arrange, grid(self.stride.div_ceil(THREADS as usize), count), arguments)?;
        if !pivots.is_empty() && live > 0 {
            let a = Part { terms: Some(&terms), ..rows };
            let b = Part { words: &self.basis, offset: self.first, stride: self.stride, terms: None };
            let c = (&mut self.panel, self.first, self.stride);
            kernels.product(&mut self.scratch, (count, pivots.len(), live), Sign::Subtract, c, a, b)?;
        }
        Ok(())
    }
    /// Clears the new pivots of all members from the basis, in its columns.
    pub fn clear(&mut self, shares: &[Share], given: &Given, rank: usize) -> Result<()> {
        let (kernels, first, stride) = (&*self.field.0, self.first, self.stride);
        let shape = (rank, stride - first);
        if shape.1 == 0 {
            return Ok(());
        }
        for ((share, lines), columns) in shares.iter().zip(&given.lines).zip(&self.columns) {
            let count = share.rows.len();
            if let (Some(columns), true) = (columns, count > 0) {
                let b = Part { words: &self.panel, offset: first, stride, terms: Some(lines) };
                kernels.pack_b(&mut self.lines, shape.1, 0..count, b)?;
                let (packed, lines) = (kernels.packed(shape, count), self.lines.as_ref().expect("they were packed"));
                kernels.multiply_these((columns, lines), packed, shape, (&mut self.basis, first, stride), true)?;
            }
        }
        Ok(())
    }
    /// Puts zeros to the positions of its new pivots.
    pub fn forget(&mut self, share: &Share, positions: &Buffer<u32>, rank: usize) -> Result<()> {
        let (kernels, count) = (&*self.field.0, share.positions.len());
        if count == 0 {
            return Ok(());
        }
        let arguments = (&mut self.basis, positions, self.stride as u32, count as u32, rank as u32);
        kernels.stream.enqueue(&kernels.clear, grid_of(rank as u64 * count as u64), arguments)
    }
    /// Appends rows of the panel to the basis.
    pub fn append(&mut self, lines: &Buffer<u32>, count: usize, rank: usize) -> Result<()> {
        let (kernels, live) = (&*self.field.0, self.stride - self.first);
        if live == 0 {
            return Ok(());
        }
        let (first, stride) = (self.first as u32, self.stride as u32);
        let arguments = (&mut self.basis, &self.panel, lines, stride, rank as u32, first, stride);
        kernels.stream.enqueue(&kernels.gather, grid(live.div_ceil(THREADS as usize), count), arguments)
    }
    /// Its new pivots are known.
    pub fn settle(&mut self, share: &Share) {
        share.positions.iter().for_each(|&position| self.order[position as usize] = NONE);
        let lead = self.order.iter().position(|&column| column != NONE).unwrap_or(self.stride);
        self.first = lead - lead % self.field.0.form.lanes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every column has one place.
    #[test]
    fn columns_are_dealt_out_in_bands() {
        for members in [1, 2, 3, 4] {
            for cols in [1, BAND - 1, BAND, BAND + 1, 5 * BAND + 7] {
                let mut next = vec![0; members];
                for column in 0..cols {
                    let (number, position) = place_of(column, members);
                    assert_eq!((position, column_of(number, position, members)), (next[number], column));
                    next[number] += 1;
                }
            }
        }
    }
}
