//! What a tile of words is: its shape and its two products.

use crate::isa::Isa;
pub(super) type PairsTile = fn(usize, &[i32], &[i32], &mut [i32]);
pub(super) type WholesTile = fn(usize, usize, &[i32], &[i32], &mut [i64], &mut [i64]);

/// The most folds that a tile of wholes may need.
pub(in super::super) const FOLDS: usize = 256;

impl Tiles {
    /// No tile of pairs has more rows or columns.
    pub(in super::super) const LARGEST_PAIRS: (usize, usize) = (12, 32);
    /// No tile of wholes has more rows or columns.
    pub(in super::super) const LARGEST_WHOLES: (usize, usize) = (8, 16);
}

/// The tiles of one instruction set.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Tiles {
    /// What they are made of.
    pub isa: Isa,
    /// MR of pairs.
    pub pair_rows: usize,
    /// NR of pairs.
    pub pair_cols: usize,
    /// MR of wholes, even.
    pub whole_rows: usize,
    /// NR of wholes.
    pub whole_cols: usize,
    /// (depth, A, B, sums): Σ a·b of pairs, which must stay inside 32 bits.
    pub pairs: PairsTile,
    /// (depth, fold, A, B, high, low): Σ a·b = high·2³² + low with 0 ≤ low < 2³². The sum of any `fold` products plus
    /// 2³² must stay inside 64 bits, and ⌈depth/fold⌉ be at most [`FOLDS`].
    pub wholes: WholesTile,
}
