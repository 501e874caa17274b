//! Coordinate triplets over the integers, in canonical form: the content of a file, before any modulus is chosen.

use crate::field::Modulus;
use crate::parallel::Each;
use crate::sparse::numbers::Numbers;
use crate::sparse::{Integer, SparseMatrix};
use crate::{Result, memory};
use num_bigint::BigInt;
use rayon::prelude::*;
use std::borrow::Cow;

/// Entries that one task looks at.
const PIECE: usize = 1 << 14;

/// An integer matrix as sorted triplets (row, column, value): rows ascending, columns ascending within a row, no
/// position twice, no zero value. One load serves every modulus: see [`Triplets::reduce`].
///
/// Invariant: `row`, `col` and `value` have equal length; `big` lists, by ascending position in those arrays, the
/// values that do not fit an `i64` (their slot in `value` holds 0).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[must_use]
pub struct Triplets {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) row: Vec<u32>,
    pub(crate) col: Vec<u32>,
    pub(crate) value: Numbers,
    pub(crate) big: Vec<(usize, BigInt)>,
}

impl Triplets {
    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// Number of stored (non-zero) entries.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.row.len()
    }

    /// All entries (row, column, value), 0-based, by rows and by columns within a row.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, Integer<'_>)> {
        self.entries_in(0..self.nnz())
    }

    /// The entries at the given positions of the canonical order.
    ///
    /// # Panics
    /// If the range reaches beyond nnz.
    pub(crate) fn entries_in(
        &self,
        range: std::ops::Range<usize>,
    ) -> impl Iterator<Item = (usize, usize, Integer<'_>)> {
        let first_big = self.big.partition_point(|&(k, _)| k < range.start);
        let mut big = self.big[first_big..].iter().peekable();
        let (row, col, value) = (&self.row[range.clone()], &self.col[range.clone()], self.value.iter_in(range.clone()));
        range.zip(row.iter().zip(col).zip(value)).map(move |(k, ((&i, &j), v))| {
            let v = big.next_if(|(at, _)| *at == k).map_or(Integer::Small(v), |(_, x)| Integer::from(x));
            (i as usize, j as usize, v)
        })
    }

    /// The positions of the entries of row i.
    pub(crate) fn row_range(&self, i: u32) -> std::ops::Range<usize> {
        let begin = self.row.partition_point(|&row| row < i);
        begin..begin + self.row[begin..].partition_point(|&row| row == i)
    }

    /// The matrix mod p; entries that p divides disappear. It stores an offset per row: apply [`Triplets::compact`]
    /// first if the shape is not trusted.
    ///
    /// # Panics
    /// If memory runs out; [`Triplets::try_reduce`] returns an error instead.
    pub fn reduce(&self, modulus: Modulus) -> SparseMatrix {
        memory::or_panic(self.try_reduce(modulus))
    }
    /// Fallible [`Triplets::reduce`].
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn try_reduce(&self, modulus: Modulus) -> Result<SparseMatrix> {
        let mut start = memory::zeros::<usize>(self.rows + 1, "the offsets of the rows")?;
        let mut col = memory::with_capacity(self.nnz(), "the columns of the residues")?;
        let mut value = memory::with_capacity(self.nnz(), "the residues")?;
        let residue = residue(modulus);
        for (i, j, v) in self.entries() {
            let v = residue(v);
            if v != 0 {
                col.push(j as u32);
                value.push(v);
                start[i + 1] += 1;
            }
        }
        for i in 0..self.rows {
            start[i + 1] += start[i];
        }
        Ok(SparseMatrix { modulus, cols: self.cols, start, col, value })
    }
    /// [`Triplets::try_reduce`] for a caller who no longer needs the integers: they are released as the residues are
    /// computed. The columns are reused as they are, and the rows are released before there are residues, so that the
    /// two matrices never exist at the same time.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn into_reduced(self, modulus: Modulus) -> Result<SparseMatrix> {
        let Triplets { rows, cols, row, col, value, big } = self;
        let start = row_starts(rows, &row)?;
        drop(row);
        let residue = residue(modulus);
        let mut value = value.into_residues(|v| residue(Integer::Small(v)))?;
        for (k, v) in big {
            value[k] = residue(Integer::Big(Cow::Owned(v)));
        }
        let mut a = SparseMatrix { modulus, cols, start, col, value };
        a.drop_zeros();
        Ok(a)
    }
    /// The number of entries that p does not divide: those of [`Triplets::reduce`].
    #[must_use]
    pub fn nnz_mod(&self, modulus: Modulus) -> usize {
        let residue = residue(modulus);
        self.entries().filter(|(_, _, v)| residue(v.clone()) != 0).count()
    }
    /// The integer matrix of the residues 0 … p-1.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn residues(&self, modulus: Modulus) -> Result<Triplets> {
        let residue = residue(modulus);
        let mut row = memory::with_capacity(self.nnz(), "the rows of the residues")?;
        let mut col = memory::with_capacity(self.nnz(), "the columns of the residues")?;
        let mut value = Numbers::new();
        for (i, j, v) in self.entries() {
            let v = residue(v);
            if v != 0 {
                row.push(i as u32);
                col.push(j as u32);
                // Residues are below 2⁶³.
                value.try_push(v as i64)?;
            }
        }
        Ok(Triplets { rows: self.rows, cols: self.cols, row, col, value, big: vec![] })
    }
}

/// Offsets of the rows, from the ascending rows of all entries.
fn row_starts(rows: usize, row: &[u32]) -> Result<Vec<usize>> {
    let mut start = memory::cleared::<usize>(rows + 1, "the offsets of the rows")?;
    // Row i ends where the first entry of a later row is. Each piece of the entries ends some rows: those from the row
    // of its first entry on, before that of the next piece's.
    let pieces = row.len().div_ceil(PIECE).max(1);
    let first = |piece: usize| if piece == pieces { rows } else { row.get(piece * PIECE).map_or(0, |&i| i as usize) };
    let (mut tasks, mut ends) = (Vec::with_capacity(pieces), &mut start[1 + first(0)..]);
    for piece in 0..pieces {
        let (own, rest) = ends.split_at_mut(first(piece + 1) - first(piece));
        tasks.push((piece, own));
        ends = rest;
    }
    tasks.into_par_iter().each(|(piece, ends)| {
        let mut at = piece * PIECE;
        for (end, i) in ends.iter_mut().zip(first(piece)..) {
            while row.get(at).is_some_and(|&r| r as usize <= i) {
                at += 1;
            }
            *end = at;
        }
    });
    Ok(start)
}

/// Integers mod p.
fn residue(modulus: Modulus) -> impl Fn(Integer<'_>) -> u64 {
    let p = modulus.get() as i64;
    move |v| match v {
        // Most entries of most matrices are smaller than p: no division.
        Integer::Small(v) if -p < v && v < p => (v + (p & (v >> 63))) as u64,
        Integer::Small(v) => modulus.reduce_i64(v),
        Integer::Big(v) => modulus.reduce_bigint(&v),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn residues_are_those_of_the_integers(
            values in proptest::collection::vec(prop_oneof![-5i64..6, any::<i64>(), Just(i64::MIN), Just(i64::MAX)], 0..30),
            factor in prop_oneof![Just(1u128), Just(3 << 64)],
            p in prop_oneof![Just(2u64), Just(3), Just(5), Just(65521), Just(9223372036854775783)],
        ) {
            let modulus = Modulus::new(p).unwrap();
            let entry = |k: usize| BigInt::from(values[k]) * BigInt::from(factor);
            let place = |k: usize| (k / 7, k % 7);
            let a = Triplets::from_entries(5, 7, (0..values.len()).map(|k| (place(k).0, place(k).1, entry(k))));
            let residues: Vec<_> = (0..values.len())
                .map(|k| {
                    let r = ((entry(k) % p) + p) % p;
                    (place(k).0, place(k).1, u64::try_from(r).unwrap())
                })
                .collect();
            let reduced = SparseMatrix::from_triplets(modulus, 5, 7, &residues);
            prop_assert_eq!(a.reduce(modulus), reduced.clone());
            prop_assert_eq!(a.into_reduced(modulus).unwrap(), reduced);
        }
    }

    #[test]
    fn entries_of_a_range() {
        let large = BigInt::from(1u128 << 70);
        let a = Triplets::from_entries(
            3,
            2,
            (0..6).map(|k| (k / 2, k % 2, BigInt::from(k + 1) * if k % 2 == 0 { large.clone() } else { 1.into() })),
        );
        let all: Vec<_> = a.entries().collect();
        assert_eq!(all.len(), 6);
        for from in 0..=6 {
            for to in from..=6 {
                assert!(a.entries_in(from..to).eq(all[from..to].iter().cloned()), "{from}..{to}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "entry (2, 0) outside 2 x 2")]
    fn entries_outside_are_a_broken_contract() {
        let _ = Triplets::from_entries(2, 2, [(2, 0, 1)]);
    }
}
