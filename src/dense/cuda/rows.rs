//! Rows of a dense matrix made on the GPU, of what is there: columns of a block of vectors, sums of columns.

use super::kernels::{GpuField, THREADS, grid};
use super::matrix::GpuDense;
use crate::Result;
use crate::gpu::{Buffer, Grid};

/// Rows and columns of a tile of a transposition, as in echelon.cu.
const TILE: usize = 32;

impl GpuField {
    /// The transpose of the first `count` columns of a row-major block of `height` rows, each of `width` residues in as
    /// many bits as a matrix here has.
    ///
    /// The work is only begun, as that of [`GpuField::multiply`].
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    ///
    /// # Panics
    /// If the block has fewer columns or rows.
    pub fn turned(&self, block: &Buffer<u32>, (height, width): (usize, usize), count: usize) -> Result<GpuDense> {
        let residues = block.len() * 4 / self.0.form.bytes();
        assert!(count <= width && height * width <= residues, "{count} columns of a block of {height} x {width}");
        let mut rows = self.zeros(count, height)?;
        let tiles = (height.div_ceil(TILE) as u32, count.div_ceil(TILE) as u32);
        let arguments = (&mut rows.words, block, rows.stride as u32, width as u32, height as u32, count as u32);
        if tiles.0 > 0 && tiles.1 > 0 {
            self.stream().enqueue(&self.0.turn, Grid { blocks: tiles, threads: THREADS }, arguments)?;
        }
        Ok(rows)
    }
    /// The matrix with columns of the same number modulo `width` added up; `width` divides the number of columns. At
    /// most 2¹⁶ - 1 rows. The work is only begun.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    ///
    /// # Panics
    /// If there are more rows, or another number of columns.
    pub fn narrowed(&self, wide: &GpuDense, width: usize) -> Result<GpuDense> {
        assert!(width > 0 && wide.cols.is_multiple_of(width), "{} columns to {width}", wide.cols);
        assert!(wide.rows < 1 << 16, "{} rows", wide.rows);
        let mut narrow = self.zeros(wide.rows, width)?;
        let (strides, widths) = ((narrow.stride as u32, wide.stride as u32), (width as u32, wide.cols as u32));
        let arguments = (&mut narrow.words, &wide.words, strides.0, strides.1, widths.0, widths.1);
        if wide.rows > 0 && wide.cols > 0 {
            let blocks = grid(width.div_ceil(THREADS as usize), wide.rows);
            self.stream().enqueue(&self.0.narrow, blocks, arguments)?;
        }
        Ok(narrow)
    }
    /// Some rows of a matrix, fewer than 2¹⁶. The work is only begun.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    ///
    /// # Panics
    /// If there are more, or one is not there.
    pub fn chosen(&self, from: &GpuDense, lines: &[u32]) -> Result<GpuDense> {
        assert!(lines.len() < 1 << 16 && lines.iter().all(|&i| (i as usize) < from.rows), "rows of {}", from.rows);
        let mut rows = self.zeros(lines.len(), from.cols)?;
        if !lines.is_empty() && from.stride > 0 {
            let (on_gpu, stride) = (self.stream().upload(lines)?, from.stride as u32);
            let blocks = grid(from.stride.div_ceil(THREADS as usize), lines.len());
            let arguments = (&mut rows.words, &from.words, &on_gpu, stride, 0, 0, stride);
            self.stream().enqueue(&self.0.gather, blocks, arguments)?;
        }
        Ok(rows)
    }
}
