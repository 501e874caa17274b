//! What sparse products and triangular solves take: entries and bytes counted, at the prices of [`Passes`].

use super::segregate::STRIP;
use super::{Lane, PushSolve};
use crate::cost::Passes;
use crate::field::Modulus;

/// Predicted seconds of one thread for one pass over `nnz` entries in `rows` rows, `valued` of them not ±1, with blocks
/// of `width` residues.
pub fn pass_seconds(prices: &Passes, modulus: Modulus, rows: usize, nnz: usize, valued: usize, width: usize) -> f64 {
    gather_seconds(prices, rows, nnz, width * Lane::narrowest(modulus).bytes())
        + (rows * width) as f64 * prices.reduce
        + (valued * width) as f64 * prices.product
}

/// Predicted seconds of one thread, beyond [`pass_seconds`], for the loops over so many rows of a product with narrow
/// blocks: strips of 32 columns that are not full take about as long as full ones, whose loops are part of what their
/// residues take.
pub fn row_seconds(prices: &Passes, rows: usize, width: usize) -> f64 {
    let empty = width.next_multiple_of(STRIP) - width;
    (rows * empty) as f64 / STRIP as f64 * prices.row
}

/// Predicted seconds of one thread for gathering a row of so many `bytes` for each of `nnz` entries, of a block of
/// `rows` rows.
pub fn gather_seconds(prices: &Passes, rows: usize, nnz: usize, bytes: usize) -> f64 {
    let block = rows as f64 * bytes as f64;
    let far = if block > prices.cache { (1.0 - prices.cache / block) * prices.far } else { 0.0 };
    nnz as f64 * (prices.gather + bytes as f64 * prices.gather_byte + far)
}

impl PushSolve {
    /// Predicted seconds of one thread for `entries` of a triangular solve by pushing, the share `valued` of them not
    /// ±1, with blocks of `width` residues.
    pub fn push_seconds(prices: &Passes, modulus: Modulus, entries: f64, valued: f64, width: usize) -> f64 {
        let bytes = (width * Lane::narrowest(modulus).bytes()) as f64;
        let residue = valued * (prices.product + prices.reduce);
        entries * (prices.push + bytes * prices.push_byte + width as f64 * residue)
    }
}
