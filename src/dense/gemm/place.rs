//! Where matrices lie: operands inside slices, and the part of the result that a tile goes to.

/// Terms summed without a reduction, and the depth of a packed block: B's strips of 32 KB stay in the first-level
/// cache.
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

/// The part of C that a tile of sums goes to.
pub(super) struct Target<'a, T> {
    /// Begins with the first entry.
    pub(super) c: &'a mut [T],
    pub(super) stride: usize,
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// Sums of a row of the tile.
    pub(super) nr: usize,
}
