//! A polynomial matrix as the list of its coefficient matrices.

use crate::{Result, memory};
use bytemuck::Zeroable;
use rayon::prelude::*;
use std::ops::Range;

/// What the memory is for.
const WHAT: &str = "a polynomial matrix";
/// Elements that one task copies, or more.
const SHARE: usize = 1 << 15;

/// A `rows × cols` matrix of polynomials of degree below `len`: Σₖ Mₖ xᵏ, stored coefficient by coefficient, each Mₖ
/// row-major. Trailing zero coefficients are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolyMatrix<E> {
    rows: usize,
    cols: usize,
    len: usize,
    data: Vec<E>,
}

/// Some coefficients of a polynomial matrix where they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolySlice<'a, E> {
    rows: usize,
    cols: usize,
    len: usize,
    data: &'a [E],
}

impl<'a, E> PolySlice<'a, E> {
    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }
    /// Number of columns.
    pub(crate) fn cols(&self) -> usize {
        self.cols
    }
    /// Number of coefficients.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
    /// Coefficient k, row-major.
    pub(crate) fn coefficient(&self, k: usize) -> &'a [E] {
        &self.data[k * self.rows * self.cols..][..self.rows * self.cols]
    }
    /// All of them, one after the other.
    pub(crate) fn data(&self) -> &'a [E] {
        self.data
    }
}

impl<E: Copy + Default + Eq> PolyMatrix<E> {
    /// All coefficients.
    pub(crate) fn all(&self) -> PolySlice<'_, E> {
        self.part(0..self.len)
    }
    /// The coefficients of a range. Panics if there are not so many.
    pub(crate) fn part(&self, range: Range<usize>) -> PolySlice<'_, E> {
        let (size, len) = (self.rows * self.cols, range.len());
        PolySlice { rows: self.rows, cols: self.cols, len, data: &self.data[size * range.start..size * range.end] }
    }
    /// The zero matrix with room for `len` coefficients.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn zeros(rows: usize, cols: usize, len: usize) -> Result<Self>
    where
        E: Zeroable,
    {
        Ok(PolyMatrix { rows, cols, len, data: memory::zeros((rows * cols).saturating_mul(len), WHAT)? })
    }
    /// The matrix with the given coefficients (coefficient by coefficient, each row-major).
    /// Panics if the length is not a multiple of `rows * cols`.
    pub fn from_coefficients(rows: usize, cols: usize, data: Vec<E>) -> Self {
        assert!(
            rows * cols > 0 && data.len().is_multiple_of(rows * cols),
            "{} entries for {rows} x {cols} coefficients",
            data.len()
        );
        PolyMatrix { rows, cols, len: data.len() / (rows * cols), data }
    }
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// Number of stored coefficients: one more than the largest degree that fits.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether no coefficient is stored.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The coefficient of xᵏ, row-major.
    pub fn coefficient(&self, k: usize) -> &[E] {
        &self.data[k * self.rows * self.cols..][..self.rows * self.cols]
    }
    /// The coefficient of xᵏ, row-major.
    pub fn coefficient_mut(&mut self, k: usize) -> &mut [E] {
        &mut self.data[k * self.rows * self.cols..][..self.rows * self.cols]
    }
    /// The coefficient of xᵏ at (i, j).
    pub fn get(&self, i: usize, j: usize, k: usize) -> E {
        self.coefficient(k)[i * self.cols + j]
    }
    /// Sets the coefficient of xᵏ at (i, j).
    pub fn set(&mut self, i: usize, j: usize, k: usize, value: E) {
        let at = i * self.cols + j;
        self.coefficient_mut(k)[at] = value;
    }
    /// All coefficients, one after the other, for writing.
    pub fn data_mut(&mut self) -> &mut [E] {
        &mut self.data
    }
    /// All coefficients, one after the other.
    pub fn data(&self) -> &[E] {
        &self.data
    }
    /// All coefficients, one after the other, by value.
    pub fn into_data(self) -> Vec<E> {
        self.data
    }
    /// Drops coefficients from `len` on, or pads with zeros up to it.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory); the matrix is as it was.
    pub fn resize(&mut self, len: usize) -> Result<()> {
        let entries = (self.rows * self.cols).saturating_mul(len);
        let more = entries.saturating_sub(self.data.len());
        memory::reserve(&mut self.data, more, WHAT)?;
        self.len = len;
        self.data.resize(entries, E::default());
        Ok(())
    }
    /// Drops coefficients from `len` on, if there are any.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        self.data.truncate(self.rows * self.cols * self.len);
    }
}

impl<E: Copy + Default + Eq + Send + Sync> PolyMatrix<E> {
    /// The coefficients `from .. to`, none if `to` is not above `from`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If there are not so many.
    pub fn slice(&self, from: usize, to: usize) -> Result<Self> {
        let (size, to) = (self.rows * self.cols, to.max(from));
        let mut part = PolyMatrix { rows: self.rows, cols: self.cols, len: 0, data: Vec::new() };
        part.extend(&self.data[size * from..size * to])?;
        Ok(part)
    }
    /// Appends coefficients at the high end. Panics if the length is not a multiple of `rows * cols`, or that is zero.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory); the matrix is as it was.
    pub fn extend(&mut self, coefficients: &[E]) -> Result<()> {
        assert_eq!(coefficients.len() % (self.rows * self.cols), 0);
        memory::reserve(&mut self.data, coefficients.len(), WHAT)?;
        self.len += coefficients.len() / (self.rows * self.cols);
        // Shared out: fresh memory costs most where it is touched first.
        self.data.par_extend(coefficients.par_iter().with_min_len(SHARE).copied());
        Ok(())
    }
}
