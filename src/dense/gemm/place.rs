//! Where matrices lie: operands inside slices, and the part of the result that a tile goes to.

/// Terms of a slice, the depth of a packed block: B's strips of 32 KB stay in the first-level cache. Sums of words are
/// reduced after each, those of bytes after a few ([`Arithmetic::slices`](super::arithmetic::Arithmetic::slices)).
pub(super) const DEPTH: usize = 256;

/// A row-major matrix inside a slice: entry (i, j) lies at `offset + i·stride + j`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub offset: usize,
    pub stride: usize,
}

impl Place {
    /// A matrix that fills its slice.
    pub(crate) fn packed(cols: usize) -> Self {
        Place { offset: 0, stride: cols }
    }
}

/// The part of C that a tile of sums goes to: the same columns of some rows.
pub(super) struct Target<'a, 'b, T> {
    pub(super) rows: &'a mut [&'b mut [T]],
    /// The first of the columns.
    pub(super) left: usize,
    pub(super) cols: usize,
    /// Sums of a row of the tile.
    pub(super) nr: usize,
}

impl<T> Target<'_, '_, T> {
    /// What lies in each row.
    #[inline(always)]
    pub(super) fn parts(&mut self) -> impl Iterator<Item = &mut [T]> {
        let (left, cols) = (self.left, self.cols);
        self.rows.iter_mut().map(move |row| &mut row[left..left + cols])
    }
}
