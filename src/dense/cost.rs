//! What dense eliminations take: multiply-adds counted, at the prices of [`Dense`].

use super::{Echelon, Reduced};
use crate::cost::{Dense, size_class};
use crate::field::Modulus;

impl Echelon {
    /// Predicted seconds of one thread for the echelon form of rank r in n columns, of rows of which nearly all are
    /// independent: r²(n/2 - r/6) multiply-adds.
    pub fn seconds(prices: &Dense, modulus: Modulus, r: usize, n: usize) -> f64 {
        let (r, n) = (r as f64, n as f64);
        r * r * (n / 2.0 - r / 6.0) * prices.product(modulus)
    }

    /// Predicted seconds of one thread for that many further rows, given the r rows already present: r(n - r/2)
    /// multiply-adds each.
    pub fn dependent_seconds(prices: &Dense, modulus: Modulus, rows: usize, r: usize, n: usize) -> f64 {
        let (r, n) = (r as f64, n as f64);
        rows as f64 * r * (n - r / 2.0) * prices.product(modulus)
    }

    /// Predicted seconds of one thread for taking in `rows` rows of n columns, without their multiply-adds.
    pub fn absorbing_seconds(prices: &Dense, modulus: Modulus, rows: usize, n: usize) -> f64 {
        let packed = size_class(modulus) < 2;
        if packed { 0.0 } else { rows as f64 * n as f64 * prices.absorb }
    }
}

impl Reduced {
    /// Predicted seconds of one thread for the reduction of an echelon form of rank r in n columns to (I T): r²/2·(n -
    /// r) multiply-adds.
    pub fn seconds(prices: &Dense, modulus: Modulus, r: usize, n: usize) -> f64 {
        (r as f64).powi(2) / 2.0 * (n - r) as f64 * prices.product(modulus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_know_the_tiles_that_products_use() {
        assert_eq!(Dense::default().byte_tiles, crate::dense::gemm::has_byte_tiles());
    }

    /// Against the sums of what each row takes.
    #[test]
    fn multiply_adds_are_counted() {
        let p = Modulus::new(251).unwrap();
        let prices = Dense { product: [1.0; 5], byte_tiles: false, ..Dense::default() };
        for (r, n) in [(0, 0), (0, 5), (1, 1), (40, 40), (60, 900)] {
            // The i-th independent row meets i pivots before it, of n - k columns from the k-th on.
            let one = |i: usize| (0..i).map(|k| (n - k) as f64).sum::<f64>();
            let all = (0..r).map(one).sum::<f64>();
            let seconds = Echelon::seconds(&prices, p, r, n);
            assert!((seconds - all).abs() <= (n * r) as f64, "{r} in {n}: {seconds} for {all}");
            let more = Echelon::dependent_seconds(&prices, p, 7, r, n);
            assert!((more - 7.0 * one(r)).abs() <= 7.0 * r as f64, "{r} in {n}: {more}");
            // Entries behind the pivots, for each pair of pivots one of them.
            let pairs = (r * r.saturating_sub(1) / 2 * (n - r)) as f64;
            assert!((Reduced::seconds(&prices, p, r, n) - pairs).abs() <= (n * r) as f64, "{r} in {n}");
        }
    }
}
