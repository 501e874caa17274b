//! Sparse matrices mod a large prime, rows one after the other.

use super::LargeModulus;
use super::value::{Residues, Value};
use crate::sparse::{Integer, Triplets};
use crate::{Error, Observer, Result, memory};

/// What the memory is for.
const MATRIX: &str = "a matrix mod a large prime";
/// Entries between two looks at the observer.
const CHECKED: usize = 1 << 20;

/// A matrix whose entries are values beside a list of residues.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    /// The number of columns.
    pub(crate) cols: usize,
    /// Where each row begins, and the end.
    pub(crate) start: Vec<usize>,
    /// The column of each entry, ascending in a row.
    pub(crate) col: Vec<u32>,
    /// Its value.
    pub(crate) value: Vec<Value>,
    /// The residues that are not small.
    pub(crate) residues: Residues,
}

impl Matrix {
    /// The residues of `triplets`, beside -1 times those of `right`, which has as many rows.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Interrupted`]; [`Error::Matrix`] for more than 2³² - 1 columns.
    pub(crate) fn of(
        triplets: &Triplets,
        right: Option<&Triplets>,
        p: &LargeModulus,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let (rows, first) = (triplets.rows(), triplets.cols());
        let cols = first + right.map_or(0, Triplets::cols);
        if cols > u32::MAX as usize {
            return Err(Error::Matrix(format!("{cols} columns with the right sides: 2^32 - 1 are possible")));
        }
        let nnz = triplets.nnz() + right.map_or(0, Triplets::nnz);
        let mut a = Matrix {
            cols,
            start: memory::with_capacity(rows + 1, MATRIX)?,
            col: memory::with_capacity(nnz, MATRIX)?,
            value: memory::with_capacity(nnz, MATRIX)?,
            residues: Residues::new(p),
        };
        a.start.push(0);
        let none = Triplets::default();
        let mut sides = right.unwrap_or(&none).entries().peekable();
        let mut entries = triplets.entries().peekable();
        for i in 0..rows {
            while let Some((_, j, v)) = entries.next_if(|entry| entry.0 == i) {
                a.push(j, &v, observer)?;
            }
            while let Some((_, j, v)) = sides.next_if(|entry| entry.0 == i) {
                let minus = Integer::from(-v.to_bigint());
                a.push(first + j, &minus, observer)?;
            }
            a.start.push(a.col.len());
        }
        Ok(a)
    }

    fn push(&mut self, j: usize, v: &Integer<'_>, observer: &dyn Observer) -> Result<()> {
        if let Some(value) = self.residues.value(v)? {
            self.col.push(j as u32);
            self.value.push(value);
            if self.col.len().is_multiple_of(CHECKED) {
                observer.check()?;
            }
        }
        Ok(())
    }

    /// Leaves out the columns without entries; returns the numbers of the others.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn drop_empty_columns(&mut self) -> Result<Vec<u32>> {
        let mut place = memory::zeros::<u32>(self.cols, MATRIX)?;
        self.col.iter().for_each(|&j| place[j as usize] = 1);
        let names = memory::collect((0..self.cols as u32).filter(|&j| place[j as usize] > 0), MATRIX)?;
        names.iter().zip(0..).for_each(|(&j, k)| place[j as usize] = k);
        self.col.iter_mut().for_each(|j| *j = place[*j as usize]);
        self.cols = names.len();
        Ok(names)
    }
    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.start.len() - 1
    }
    /// The number of entries.
    pub(crate) fn nnz(&self) -> usize {
        self.col.len()
    }
    /// Columns and values of row i.
    pub(crate) fn row(&self, i: usize) -> impl Iterator<Item = (u32, Value)> {
        let range = self.start[i]..self.start[i + 1];
        self.col[range.clone()].iter().copied().zip(self.value[range].iter().copied())
    }

    /// The transpose.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn transpose(&self) -> Result<Self> {
        let mut start = memory::zeros::<usize>(self.cols + 1, MATRIX)?;
        self.col.iter().for_each(|&j| start[j as usize + 1] += 1);
        (0..self.cols).for_each(|j| start[j + 1] += start[j]);
        let mut at = memory::copy(&start, MATRIX)?;
        let mut col = memory::zeros::<u32>(self.nnz(), MATRIX)?;
        // Every place is written below.
        let mut value = memory::copy(&self.value, MATRIX)?;
        for i in 0..self.rows() {
            for (j, v) in self.row(i) {
                let place = &mut at[j as usize];
                (col[*place], value[*place]) = (i as u32, v);
                *place += 1;
            }
        }
        Ok(Matrix { cols: self.rows(), start, col, value, residues: self.residues.clone() })
    }
}
