//! Matrices mod p from and to the three arrays of compressed rows (CSR) that most other libraries keep.
//!
//! Row i has the entries `start[i] .. start[i + 1]` of `col` and `value`. Input need not be canonical: as everywhere in
//! this room, the columns of a row may be in any order, values at one position are summed, values are reduced mod p,
//! and zeros are dropped. Output is canonical. Arrays that do not form a matrix are an [`Error::Matrix`] that says
//! where. Entry points: [`SparseMatrix::from_csr`] for borrowed arrays of any integers,
//! [`SparseMatrix::from_csr_parts`] and [`SparseMatrix::into_csr_parts`] without a copy.

use super::SparseMatrix;
use crate::field::Modulus;
use crate::{Error, Result, memory};

/// What the memory is for.
const ARRAYS: &str = "the arrays of a matrix";

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::Matrix(message))
}

/// The residue of an integer of any width.
fn residue(modulus: Modulus, value: i128) -> u64 {
    match i64::try_from(value) {
        Ok(value) => modulus.reduce_i64(value),
        Err(_) if value < 0 => modulus.neg(modulus.reduce_u128(value.unsigned_abs())),
        Err(_) => modulus.reduce_u128(value.unsigned_abs()),
    }
}

impl SparseMatrix {
    /// The matrix with `start.len() - 1` rows and `cols` columns whose row i has the entries `start[i] .. start[i + 1]`
    /// of `col` and `value`, from 0 on, mod p.
    ///
    /// Offsets and columns may be integers of any width (`usize`, `u32`, and the `i32` and `i64` of C), values any
    /// integers that fit an `i128`. Columns of a row may be in any order; values at one position are summed, as in
    /// [`from_triplets`](SparseMatrix::from_triplets), and zeros dropped. The arrays are copied;
    /// [`SparseMatrix::from_csr_parts`] takes ownership instead.
    ///
    /// ```
    /// use blackfield::{field::Modulus, sparse::SparseMatrix};
    /// // [ 3  .  -1 ]
    /// // [ .  .   . ]
    /// let (start, col, value) = ([0i32, 2, 2], [2i32, 0], [-1i64, 3]);
    /// let a = SparseMatrix::from_csr(Modulus::new(7)?, 3, &start, &col, &value)?;
    /// assert_eq!(a.row(0), (&[0, 2][..], &[3, 6][..]));
    /// # Ok::<(), blackfield::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Matrix`] for offsets that do not begin with 0, that descend, or that do not end with the number of
    /// entries, for different numbers of columns and values, for a column out of range, and for a dimension of 2³² or
    /// more; [`Error::Memory`].
    pub fn from_csr<O, C, V>(modulus: Modulus, cols: usize, start: &[O], col: &[C], value: &[V]) -> Result<Self>
    where
        O: Copy + TryInto<usize>,
        C: Copy + TryInto<u32>,
        V: Copy + Into<i128>,
    {
        let mut offsets = memory::with_capacity(start.len(), ARRAYS)?;
        for (i, &at) in start.iter().enumerate() {
            let Ok(at) = at.try_into() else {
                return wrong(format!("offset {i} (0-based) is negative or too large"));
            };
            offsets.push(at);
        }
        let mut columns = memory::with_capacity(col.len(), ARRAYS)?;
        for (k, &j) in col.iter().enumerate() {
            let Ok(j) = j.try_into() else {
                return wrong(format!("entry {k} (0-based): its column is negative, or beyond 2^32"));
            };
            columns.push(j);
        }
        let residues = memory::collect(value.iter().map(|&v| residue(modulus, v.into())), ARRAYS)?;
        Self::from_csr_parts(modulus, cols, offsets, columns, residues)
    }

    /// [`SparseMatrix::from_csr`] taking ownership of the arrays: nothing is copied, and what is already canonical
    /// stays in place.
    ///
    /// # Errors
    /// As [`SparseMatrix::from_csr`].
    pub fn from_csr_parts(
        modulus: Modulus,
        cols: usize,
        start: Vec<usize>,
        col: Vec<u32>,
        value: Vec<u64>,
    ) -> Result<Self> {
        check(cols, &start, &col, &value)?;
        let mut a = SparseMatrix { modulus, cols, start, col, value };
        let p = modulus.get();
        a.value.iter_mut().filter(|v| **v >= p).for_each(|v| *v = modulus.reduce(*v));
        a.sort_rows()?;
        a.drop_zeros();
        Ok(a)
    }

    /// The arrays of compressed rows, [`row_starts`](SparseMatrix::row_starts), [`columns`](SparseMatrix::columns) and
    /// [`values`](SparseMatrix::values): columns ascending within a row, no position twice, residues 1 … p-1.
    #[must_use]
    pub fn into_csr_parts(self) -> (Vec<usize>, Vec<u32>, Vec<u64>) {
        (self.start, self.col, self.value)
    }

    /// Sorts each row by columns and sums duplicates; a sum of 0 stays stored.
    fn sort_rows(&mut self) -> Result<()> {
        let ascends = |row: &[u32]| row.windows(2).all(|pair| pair[0] < pair[1]);
        let Some(first) = self.start.windows(2).position(|ends| !ascends(&self.col[ends[0]..ends[1]])) else {
            return Ok(());
        };
        let longest = self.start.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0);
        let mut row: Vec<(u32, u64)> = memory::with_capacity(longest, ARRAYS)?;
        // Rows move forward where earlier rows became shorter.
        let (mut from, mut to) = (self.start[first], self.start[first]);
        for end in &mut self.start[first + 1..] {
            row.extend(self.col[from..*end].iter().copied().zip(self.value[from..*end].iter().copied()));
            from = *end;
            row.sort_unstable_by_key(|&(j, _)| j);
            row.dedup_by(|next, sum| {
                let same = next.0 == sum.0;
                if same {
                    sum.1 = self.modulus.add(sum.1, next.1);
                }
                same
            });
            for (j, v) in row.drain(..) {
                (self.col[to], self.value[to]) = (j, v);
                to += 1;
            }
            *end = to;
        }
        self.col.truncate(to);
        self.value.truncate(to);
        Ok(())
    }
}

/// Checks that the arrays are compressed rows.
fn check(cols: usize, start: &[usize], col: &[u32], value: &[u64]) -> Result<()> {
    let [first, .., last] = *start else {
        return match *start {
            [0] if col.is_empty() && value.is_empty() => Ok(()),
            [_] => wrong(format!(
                "one offset, 0, and no entry make 0 rows; found offset {}, {} columns, {} values",
                start[0],
                col.len(),
                value.len()
            )),
            _ => wrong("no offsets: rows + 1 of them are needed".into()),
        };
    };
    let (rows, most) = (start.len() - 1, u32::MAX as usize);
    if rows.max(cols) > most {
        return wrong(format!("{rows} x {cols}: at most {most} rows and columns are possible"));
    }
    if first != 0 {
        return wrong(format!("the offsets begin with {first}, expected 0"));
    }
    if let Some(i) = start.windows(2).position(|ends| ends[0] > ends[1]) {
        return wrong(format!("the offsets of row {i} (0-based) descend from {} to {}", start[i], start[i + 1]));
    }
    if (last, last) != (col.len(), value.len()) {
        return wrong(format!(
            "the offsets end with {last}, but there are {} columns and {} values",
            col.len(),
            value.len()
        ));
    }
    match col.iter().position(|&j| j as usize >= cols) {
        Some(k) => wrong(format!("entry {k} (0-based): column {} of {cols}, counted from 0", col[k])),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    fn modulus(p: u64) -> Modulus {
        Modulus::new(p).unwrap()
    }

    /// Entries in any order, with duplicates, some of which cancel, and empty rows; against the sort of triplets.
    #[test]
    fn arrays_of_every_width_are_the_matrix_of_their_triplets() {
        let mut rng = Rng::seed_from_u64(3);
        for p in [2, 3, 251, 65521, 9223372036854775783] {
            for (rows, cols, weight) in
                [(0, 0, 0), (0, 5, 0), (4, 0, 0), (3, 3, 0), (1, 1, 4), (9, 7, 5), (40, 3, 9), (5, 200, 30)]
            {
                let (mut start, mut col, mut value) = (vec![0i32], vec![], vec![]);
                let mut triplets = vec![];
                for i in 0..rows {
                    for _ in 0..if i % 4 == 2 { 0 } else { rng.random_range(0..=weight) } {
                        let (j, v) = (rng.random_range(0..cols), rng.random_range(-3i32..=3));
                        col.push(j as i64);
                        value.push(v);
                        triplets.push((i, j, residue(modulus(p), v.into())));
                    }
                    start.push(col.len() as i32);
                }
                let expected = SparseMatrix::from_triplets(modulus(p), rows, cols, &triplets);
                let a = SparseMatrix::from_csr(modulus(p), cols, &start, &col, &value).unwrap();
                assert_eq!(a, expected);
                let wide: Vec<u64> = start.iter().map(|&at| at as u64).collect();
                let narrow: Vec<u16> = col.iter().map(|&j| j as u16).collect();
                let long: Vec<i128> =
                    value.iter().map(|&v| i128::from(v) * i128::from(p) * 12 + i128::from(v)).collect();
                assert_eq!(SparseMatrix::from_csr(modulus(p), cols, &wide, &narrow, &long).unwrap(), expected);
                // Round trips; canonical arrays are not copied.
                let address = a.columns().as_ptr();
                let (start, col, value) = a.into_csr_parts();
                let again = SparseMatrix::from_csr_parts(modulus(p), cols, start, col, value).unwrap();
                assert!(std::ptr::eq(again.columns().as_ptr(), address));
                assert_eq!((again.row_starts().len(), &again), (rows + 1, &expected));
            }
        }
    }

    #[test]
    fn residues_of_every_width() {
        for p in [2, 3, 65521, 9223372036854775783] {
            let extremes = [i128::MIN, i128::MIN + 1, i64::MIN.into(), -1, 0, 1, u64::MAX.into(), i128::MAX];
            for value in extremes {
                let expected = modulus(p).reduce_bigint(&value.into());
                assert_eq!(residue(modulus(p), value), expected, "{value} mod {p}");
            }
        }
        let a = SparseMatrix::from_csr(modulus(7), 3, &[0u32, 3], &[0u8, 1, 2], &[u64::MAX, 7, 8]).unwrap();
        assert_eq!(a.row(0), (&[0, 2][..], &[u64::MAX % 7, 1][..]));
        for (rows, cols) in [(1, 1), (1 << 32, 3)] {
            let error = SparseMatrix::try_from_triplets(modulus(7), rows, cols, &[(0, 0, 1), (0, 1, 1)]).unwrap_err();
            assert!(matches!(error, Error::Matrix(_)), "{error}");
        }
        assert_eq!(SparseMatrix::from_csr(modulus(2), 1, &[0, 1, 2], &[0, 0], &[true, false]).unwrap().nnz(), 1);
    }

    #[test]
    fn what_is_no_matrix_is_refused_with_its_place() {
        let refusal = |cols: usize, start: &[i64], col: &[i64], values: usize| {
            let value = vec![1i32; values];
            match SparseMatrix::from_csr(modulus(7), cols, start, col, &value) {
                Err(Error::Matrix(message)) => message,
                other => panic!("{other:?}"),
            }
        };
        for (cols, start, col, values, why) in [
            (3, &[][..], &[][..], 0, "no offsets: rows + 1 of them are needed"),
            (3, &[2], &[], 0, "one offset, 0, and no entry make 0 rows; found offset 2, 0 columns, 0 values"),
            (3, &[0], &[1], 1, "one offset, 0, and no entry make 0 rows; found offset 0, 1 columns, 1 values"),
            (3, &[1, 2], &[0, 1], 2, "the offsets begin with 1, expected 0"),
            (3, &[0, 2, 1, 2], &[0, 1], 2, "the offsets of row 1 (0-based) descend from 2 to 1"),
            (3, &[0, 2], &[0], 1, "the offsets end with 2, but there are 1 columns and 1 values"),
            (3, &[0, 2], &[0, 1], 1, "the offsets end with 2, but there are 2 columns and 1 values"),
            (3, &[0, 1], &[0, 1], 2, "the offsets end with 1, but there are 2 columns and 2 values"),
            (3, &[0, 1, 2], &[0, 3], 2, "entry 1 (0-based): column 3 of 3, counted from 0"),
            (0, &[0, 1], &[0], 1, "entry 0 (0-based): column 0 of 0, counted from 0"),
            (3, &[0, 1], &[-1], 1, "entry 0 (0-based): its column is negative, or beyond 2^32"),
            (3, &[0, 1], &[1 << 32], 1, "entry 0 (0-based): its column is negative, or beyond 2^32"),
            (3, &[0, -1], &[], 0, "offset 1 (0-based) is negative or too large"),
            (1 << 32, &[0, 0], &[], 0, "1 x 4294967296: at most 4294967295 rows and columns are possible"),
        ] {
            assert_eq!(refusal(cols, start, col, values), why);
        }
    }
}
