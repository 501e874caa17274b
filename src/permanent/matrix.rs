//! The matrix type of this room: square, over the integers, as sparse rows. Every engine reads it, none changes it.

use crate::sparse::{Integer, Pattern, Triplets};
use crate::{Error, Result, memory};

/// What the memory is for.
const ROWS: &str = "the rows of a permanent's matrix";

/// A square integer matrix as sparse rows; entries of any size, most of them small.
///
/// Invariant: `rows` has n rows, columns ascend strictly below n within a row, no stored value is 0, and every value is
/// in the normal form of [`Integer`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntMatrix {
    rows: Vec<Vec<(u32, Integer<'static>)>>,
}

impl IntMatrix {
    /// The n × n matrix of the given entries (row, column, value), 0-based, in any order; values at one position are
    /// summed, zeros dropped.
    ///
    /// # Panics
    /// If an index is out of range, n exceeds 2³² - 1, or memory runs out.
    pub fn from_entries<V: Into<Integer<'static>>>(
        n: usize,
        entries: impl IntoIterator<Item = (usize, usize, V)>,
    ) -> Self {
        memory::or_panic(IntMatrix::from_triplets(&Triplets::from_entries(n, n, entries)))
    }

    /// The matrix of the given triplets.
    ///
    /// # Errors
    /// [`Error::Usage`] with the shape if it is not square, [`Error::Memory`].
    pub fn from_triplets(triplets: &Triplets) -> Result<Self> {
        let (n, cols) = (triplets.rows(), triplets.cols());
        if n != cols {
            return Err(Error::Usage(format!("a permanent needs a square matrix, this one is {n} x {cols}")));
        }
        let mut rows = empty_rows(n)?;
        for (i, j, v) in triplets.entries() {
            memory::push(&mut rows[i], (j as u32, owned(v)), ROWS)?;
        }
        Ok(IntMatrix { rows })
    }

    /// The matrix with the given rows of (column, value), in any order, no column twice in one row; zeros are dropped.
    ///
    /// # Panics
    /// If a column is not below the number of rows or occurs twice.
    pub fn from_rows(mut rows: Vec<Vec<(u32, Integer<'static>)>>) -> Self {
        let n = rows.len();
        for row in &mut rows {
            row.retain(|(_, v)| !v.is_zero());
            row.sort_unstable_by_key(|&(j, _)| j);
            assert!(row.is_sorted_by(|a, b| a.0 < b.0), "a column twice in one row");
            assert!(row.last().is_none_or(|&(j, _)| (j as usize) < n), "column outside {n} x {n}");
        }
        IntMatrix { rows }
    }

    /// Number of rows, and of columns.
    pub fn n(&self) -> usize {
        self.rows.len()
    }
    /// Number of non-zero entries.
    pub fn nnz(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }
    /// The non-zero entries (column, value) of row i, columns ascending.
    #[inline]
    pub fn row(&self, i: usize) -> &[(u32, Integer<'static>)] {
        &self.rows[i]
    }
    /// All rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[(u32, Integer<'static>)]> {
        self.rows.iter().map(Vec::as_slice)
    }
    /// All non-zero entries (row, column, value), by rows and by columns within a row.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, &Integer<'static>)> {
        self.rows.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |(j, v)| (i, *j as usize, v)))
    }
    /// The entry in row i and column j, `None` if it is 0.
    pub fn get(&self, i: usize, j: usize) -> Option<&Integer<'static>> {
        let row = &self.rows[i];
        row.binary_search_by_key(&j, |&(j, _)| j as usize).ok().map(|k| &row[k].1)
    }

    /// Whether all non-zero entries are 1.
    pub fn is_01(&self) -> bool {
        self.entries().all(|(_, _, v)| *v == Integer::Small(1))
    }
    /// Whether no entry is negative.
    pub fn is_nonnegative(&self) -> bool {
        self.entries().all(|(_, _, v)| match v {
            Integer::Small(v) => *v >= 0,
            Integer::Big(v) => v.sign() != num_bigint::Sign::Minus,
        })
    }

    /// Where the non-zero entries are.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn pattern(&self) -> Result<Pattern> {
        Pattern::try_from_entries(self.n(), self.n(), self.entries().map(|(i, j, _)| (i, j)))
    }
    /// The transpose, in O(n + nnz).
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn transpose(&self) -> Result<Self> {
        let mut rows = empty_rows(self.n())?;
        for (i, j, v) in self.entries() {
            memory::push(&mut rows[j], (i as u32, v.clone()), ROWS)?;
        }
        Ok(IntMatrix { rows })
    }
    /// A fallible copy.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn try_clone(&self) -> Result<Self> {
        let mut rows = empty_rows(self.n())?;
        for (to, row) in rows.iter_mut().zip(&self.rows) {
            *to = memory::collect(row.iter().cloned(), ROWS)?;
        }
        Ok(IntMatrix { rows })
    }
    /// The matrix with the given rows and columns, in the given orders: entry (k, l) is entry (`rows[k]`, `cols[l]`) of
    /// this one.
    ///
    /// # Errors
    /// [`Error::Memory`].
    ///
    /// # Panics
    /// If the lists differ in length, contain an index out of range, or a column twice.
    pub fn submatrix(&self, rows: &[u32], cols: &[u32]) -> Result<Self> {
        assert_eq!(rows.len(), cols.len(), "square");
        let mut place = memory::filled(u32::MAX, self.n(), ROWS)?;
        for (l, &j) in cols.iter().enumerate() {
            let old = std::mem::replace(&mut place[j as usize], l as u32);
            assert_eq!(old, u32::MAX, "column {j} twice");
        }
        let row = |&i: &u32| {
            let inside = |&(j, ref v): &(u32, Integer<'static>)| {
                let l = place[j as usize];
                (l != u32::MAX).then(|| (l, v.clone()))
            };
            memory::collect(self.rows[i as usize].iter().filter_map(inside), ROWS)
        };
        let mut part = memory::with_capacity(rows.len(), ROWS)?;
        for i in rows {
            part.push(row(i)?);
        }
        Ok(IntMatrix::from_rows(part))
    }
    /// The same matrix as triplets.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn to_triplets(&self) -> Result<Triplets> {
        Triplets::try_from_entries(self.n(), self.n(), self.entries().map(|(i, j, v)| (i, j, v.clone())))
    }
}

/// The integer with an independent lifetime.
pub(super) fn owned(v: Integer<'_>) -> Integer<'static> {
    match v {
        Integer::Small(v) => Integer::Small(v),
        Integer::Big(v) => Integer::Big(std::borrow::Cow::Owned(v.into_owned())),
    }
}

/// n rows without entries.
fn empty_rows<T>(n: usize) -> Result<Vec<Vec<T>>> {
    memory::collect((0..n).map(|_| Vec::new()), ROWS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    #[test]
    fn shapes_kinds_and_access() {
        let big = BigInt::from(1u128 << 100);
        let a =
            IntMatrix::from_entries(3, [(2, 0, -big.clone()), (0, 2, 1.into()), (0, 1, 5.into()), (0, 1, (-4).into())]);
        assert_eq!((a.n(), a.nnz()), (3, 3));
        assert_eq!((a.get(0, 1), a.get(1, 1)), (Some(&Integer::Small(1)), None));
        assert_eq!(a.get(2, 0).unwrap().to_bigint(), -big);
        assert!(!a.is_01() && !a.is_nonnegative());
        assert!(IntMatrix::from_entries(3, [(2, 0, 1), (0, 2, 1), (0, 1, 1)]).is_01());
        assert!(a.submatrix(&[0, 1], &[2, 1]).unwrap().is_nonnegative());
        assert_eq!(a.submatrix(&[0, 1], &[2, 1]).unwrap(), IntMatrix::from_entries(2, [(0, 0, 1), (0, 1, 1)]));
        assert_eq!(IntMatrix::from_triplets(&a.to_triplets().unwrap()).unwrap(), a);
        let none = std::iter::empty::<(usize, usize, i64)>;
        assert_eq!(IntMatrix::from_entries(0, none()).n(), 0);
        let error = IntMatrix::from_triplets(&Triplets::from_entries(2, 5, none())).unwrap_err();
        assert_eq!(error.to_string(), "a permanent needs a square matrix, this one is 2 x 5");
    }

    #[test]
    #[should_panic(expected = "column 1 twice")]
    fn a_column_is_taken_once() {
        IntMatrix::from_entries(2, [(0, 0, 1)]).submatrix(&[0, 1], &[1, 1]).unwrap();
    }

    proptest! {
        #[test]
        fn transposes_and_submatrices_move_entries(
            (n, entries) in (1usize..7).prop_flat_map(|n| (Just(n), proptest::collection::vec((0..n, 0..n, -3i64..4), 0..30)))
        ) {
            let a = IntMatrix::from_entries(n, entries);
            let t = a.transpose().unwrap();
            let reverse: Vec<u32> = (0..n as u32).rev().collect();
            let s = a.submatrix(&reverse, &reverse).unwrap();
            for i in 0..n {
                for j in 0..n {
                    prop_assert_eq!(a.get(i, j), t.get(j, i));
                    prop_assert_eq!(a.get(i, j), s.get(n - 1 - i, n - 1 - j));
                }
            }
        }
    }
}
