//! The shape of a product of polynomial matrices: what is wanted of it, and how much of its factors that takes.

use super::PolyMatrix;
use super::matrix::PolySlice;

/// Scratch of one block of rows: half of a third-level cache slice, so that the point products find it there.
const BLOCK_BYTES: usize = 16 << 20;

/// A product A·B of an `rows × inner` by an `inner × cols` polynomial matrix, of which the coefficients
/// `lo .. lo + len` are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductShape {
    /// Rows of A.
    pub rows: usize,
    /// Columns of A and rows of B.
    pub inner: usize,
    /// Columns of B.
    pub cols: usize,
    /// Coefficients of A.
    pub left_len: usize,
    /// Coefficients of B.
    pub right_len: usize,
    /// The first coefficient wanted.
    pub lo: usize,
    /// How many are wanted.
    pub len: usize,
}

impl ProductShape {
    /// The shape of the coefficients `lo .. lo + len` of A·B.
    ///
    /// # Panics
    /// If `a.cols() != b.rows()`.
    pub fn of<E: Copy + Default + Eq>(a: &PolyMatrix<E>, b: &PolyMatrix<E>, lo: usize, len: usize) -> Self {
        Self::of_slices(&a.all(), &b.all(), lo, len)
    }
    /// The same of some coefficients.
    pub(crate) fn of_slices<E>(a: &PolySlice<'_, E>, b: &PolySlice<'_, E>, lo: usize, len: usize) -> Self {
        assert_eq!(a.cols(), b.rows(), "columns of the left and rows of the right factor");
        let (rows, inner, cols) = (a.rows(), a.cols(), b.cols());
        ProductShape { rows, inner, cols, left_len: a.len(), right_len: b.len(), lo, len }
    }
    /// The coefficients of A that matter, those of B, and the wanted ones that may be other than zero.
    pub(crate) fn effective(&self) -> (usize, usize, usize) {
        let end = self.lo + self.len;
        let (la, lb) = (self.left_len.min(end), self.right_len.min(end));
        let wanted = if la == 0 || lb == 0 { 0 } else { self.len.min((la + lb - 1).saturating_sub(self.lo)) };
        (la, lb, wanted)
    }

    /// Rows of A that are transformed and multiplied at a time: what about [`BLOCK_BYTES`] of scratch hold, at least
    /// four.
    pub(crate) fn block_rows(&self, primes: usize, points: usize) -> usize {
        let block = BLOCK_BYTES / self.row_bytes(primes, points).max(1);
        (block / 4 * 4).max(4).min(self.rows.max(1))
    }

    /// Bytes of scratch for one row of A and of the product.
    pub(super) fn row_bytes(&self, primes: usize, points: usize) -> usize {
        let (inner, cols) = (self.inner.div_ceil(8), self.cols.div_ceil(8));
        64 * points * (primes * (inner + cols) + cols)
    }

    /// Pairs of coefficients that meet in the wanted ones.
    pub(super) fn pairs(&self) -> usize {
        let (la, lb, wanted) = self.effective();
        // The number of pairs (i, j) with i < la, j < lb, i + j < n.
        let below = |n: usize| {
            let triangle = |n: usize| n * (n + 1) / 2;
            triangle(n) + triangle(n.saturating_sub(la + lb))
                - triangle(n.saturating_sub(la))
                - triangle(n.saturating_sub(lb))
        };
        below(self.lo + wanted) - below(self.lo)
    }

    /// The least cyclic length N at which no other coefficient falls on a wanted one, and which holds both operands:
    /// wanted t meets t ± N, which must lie outside 0 ..= la + lb - 2.
    pub(super) fn cyclic_len(&self) -> usize {
        let (la, lb, wanted) = self.effective();
        (self.lo + wanted).max((la + lb - 1).saturating_sub(self.lo)).max(la).max(lb)
    }
}
