//! The probability that block Wiedemann falls short of the rank.

/// An upper bound of the probability that one run of block Wiedemann over GF(q) with dense X and Y and all 2⌈U/s⌉ terms
/// gives less than the rank r ≤ U: (U² + 4U)/(q - 1).
///
/// *Proof.* The preconditioned B has rank r, a semisimple zero eigenvalue and distinct non-zero eigenvalues except with
/// probability (r² + 2r)/(q - 1): see [`crate::blackbox::Preconditioned`]. Then there are X and Y for which the block Hankel
/// matrix of ⌈U/s⌉ × ⌈U/s⌉ blocks YᵀBⁱ⁺ʲ⁺¹X has rank r (columns v, Bᵈv, B²ᵈv, … of a vector v that generates the image,
/// d = ⌈U/s⌉; Kaltofen, Math. Comp. 64, 1995); an r-minor of it is a polynomial of degree 2r in the entries of X and Y, so
/// for random X, Y it vanishes with probability at most 2r/q (Schwartz–Zippel). The answer is the rank of that matrix.
///
/// The bound may exceed 1, and then says nothing.
pub fn rank_failure(rank_bound: usize, log2_order: f64) -> f64 {
    let u = rank_bound as f64;
    let order_minus_1 = log2_order.exp2() - 1.0;
    // The last factor covers the rounding of the logarithm and of this line.
    (u * u + 4.0 * u) / order_minus_1 * (1.0 + 1e-12)
}

/// The least degree k such that `trials` independent runs over GF(pᵏ) all fail with probability at most `error`:
/// [`rank_failure`]^trials ≤ error. `None` if no k ≤ `max_degree` does.
pub fn degree_for_error(rank_bound: usize, log2_p: f64, trials: usize, error: f64, max_degree: usize) -> Option<usize> {
    (1..=max_degree).find(|&k| {
        let one = rank_failure(rank_bound, log2_p * k as f64);
        one < 1.0 && one.powi(trials as i32) <= error
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_formula_and_the_degree_is_least() {
        // U = 5: (25 + 20)/(q - 1) with q = 91 is 1/2.
        assert!((rank_failure(5, 91f64.log2()) - 0.5).abs() < 1e-9);
        assert_eq!(rank_failure(0, 1.0), 0.0);
        let log2_p = 65521f64.log2();
        let k = degree_for_error(100_000, log2_p, 1, 1e-12, 7).unwrap();
        assert!(rank_failure(100_000, log2_p * k as f64) <= 1e-12);
        assert!(rank_failure(100_000, log2_p * (k - 1) as f64) > 1e-12);
        // Two trials square the bound.
        let k2 = degree_for_error(100_000, log2_p, 2, 1e-12, 7).unwrap();
        assert!(k2 < k && rank_failure(100_000, log2_p * k2 as f64).powi(2) <= 1e-12);
        // A bound above 1 is not made useful by squaring.
        assert_eq!(degree_for_error(100_000, log2_p, 1000, 0.5, 1), None);
    }
}
