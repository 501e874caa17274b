//! The probability that block Wiedemann falls short of the rank.

use super::ErrorBound;

/// An upper bound on the probability that one run of block Wiedemann over GF(q) with dense X and Y, or a dense X and Y
/// = D₁⁻¹X, and all 2⌈U/s⌉ terms gives less than the rank r ≤ U: (U² + 4U)/(q - 1).
///
/// *Proof.* The preconditioned B has rank r, a semisimple zero eigenvalue and distinct non-zero eigenvalues except with
/// probability (r² + 2r)/(q - 1): see [`crate::blackbox::Preconditioned`]. Then there are X and Y for which the block
/// Hankel matrix of ⌈U/s⌉ × ⌈U/s⌉ blocks YᵀBⁱ⁺ʲ⁺¹X has rank r (columns v, Bᵈv, B²ᵈv, … of a vector v that generates the
/// image, d = ⌈U/s⌉; Kaltofen, Math. Comp. 64, 1995); an r-minor of it is a polynomial of degree 2r in the entries of X
/// and Y, so for random X, Y it vanishes with probability at most 2r/q (Schwartz–Zippel). The answer is the rank of
/// that matrix.
///
/// For Y = D₁⁻¹X that matrix is KᵀMK with K = (X, BX, …, Bᵈ⁻¹X) and the symmetric M = D₁⁻¹B of rank r. Its rank is r if
/// the columns of K span everything together with ker M = ker B, the radical of M as a form. In the quotient by ker B,
/// which B acts on like on its image, they do for columns v, Bᵈv, … of a generating v: an r-minor of K there is a
/// polynomial of degree r in X, which vanishes with probability at most r/q.
///
/// Where that is 1 or more, the bound is vacuous.
pub fn rank_failure(rank_bound: usize, log2_order: f64) -> ErrorBound {
    let u = rank_bound.max(1) as f64;
    // log₂(q - 1) ≥ log₂ q - 2/q for q ≥ 2.
    let order_minus_1 = log2_order - 2.0 * (-log2_order).exp2();
    let log2 = (u * u + 4.0 * u).log2() - order_minus_1;
    // Rounded upwards: both logarithms are below 2²⁰.
    ErrorBound::from_log2(log2 + 1e-9)
}

/// The least degree k such that `trials` independent runs over GF(pᵏ) all fail with probability at most `error`:
/// [`rank_failure`]^trials ≤ error. `None` if no k ≤ `max_degree` does.
pub fn degree_for_error(
    rank_bound: usize,
    log2_p: f64,
    trials: usize,
    error: ErrorBound,
    max_degree: usize,
) -> Option<usize> {
    (1..=max_degree).find(|&k| {
        let one = rank_failure(rank_bound, log2_p * k as f64);
        !one.is_vacuous() && one.all(trials) <= error
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_formula_and_the_degree_is_least() {
        // U = 5: (25 + 20)/(q - 1) with q = 91 is 1/2.
        assert!((-1.0..-0.99).contains(&rank_failure(5, 91f64.log2()).log2()));
        for (u, q) in [(1, 8u64), (5, 91), (5000, 1 << 40), (100_000, (1 << 61) - 1)] {
            let exact = ((u * u + 4 * u) as f64 / (q - 1) as f64).log2();
            assert!((0.0..0.06).contains(&(rank_failure(u, (q as f64).log2()).log2() - exact)), "{u} {q}");
        }
        assert!(rank_failure(0, 10.0) <= rank_failure(1, 10.0) && rank_failure(5, 1.0).is_vacuous());
        let (log2_p, error) = (65521f64.log2(), ErrorBound::new(1e-12).unwrap());
        let k = degree_for_error(100_000, log2_p, 1, error, 7).unwrap();
        assert!(rank_failure(100_000, log2_p * k as f64) <= error);
        assert!(rank_failure(100_000, log2_p * (k - 1) as f64) > error);
        // Two trials square the bound.
        let k2 = degree_for_error(100_000, log2_p, 2, error, 7).unwrap();
        assert!(k2 < k && rank_failure(100_000, log2_p * k2 as f64).all(2) <= error);
        // A bound above 1 is not made useful by squaring; no power of a useful one underflows.
        assert_eq!(degree_for_error(100_000, log2_p, 1000, ErrorBound::new(0.5).unwrap(), 1), None);
        assert!(degree_for_error(100, 60.0, 1000, "1e-12000".parse().unwrap(), 7).is_some());
        assert!(degree_for_error(100, 60.0, 1000, "1e-1200000".parse().unwrap(), 7).is_none());
    }
}
