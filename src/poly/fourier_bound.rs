//! How long products by floating-point Fourier transforms may be so that their rounding error is expected to stay below
//! one half.
//!
//! Let u = 2⁻⁵³, N = 2ⁿ, M = ⌊p/2⌋, and let one transform change every path from input to output by a relative error of
//! at most η. A level adds (1 + u), multiplies by a twiddle factor (1 + √5 u; Brent, Percival, Zimmermann, *Error
//! bounds on complex floating-point multiplication*, 2007) which is itself wrong by at most 24 u (cosine and sine of an
//! angle below 2π that went through three roundings), so η ≤ 28·n·u; we take η = 56·n·u, twice that, since rustfft
//! merges levels into larger butterflies. That this covers them is an *assumption*: it is not proven for every
//! algorithm in rustfft. Following Percival (*Rapid multiplication modulo the sum and difference of highly composite
//! numbers*, 2003): the norms of the transforms are at most √(2N·l)·M for length l, sums of k complex products err by
//! √2·2k·u relative to Σ|a||b|, and every output of the inverse is within η of a mean of its inputs. Together, for
//! operands of lengths l, l' and d = √(l·l'),
//!
//! |error| ≤ 4·k·d·M²·(3η + 2√2·k·u + 4u) · (1 + 2⁻¹⁰),
//!
//! which must be below 1/2, and k·d·M² below 2⁵¹. [`fourier_terms`] solves this for k·d.

/// The largest k·d (inner dimension times the geometric mean of the lengths) for which a product modulo p by transforms
/// of `points` = 2ⁿ points is expected to be exact: the inequality above; 0 if none is, as in a build without the
/// feature `fft`: there number-theoretic ones take their place.
pub(crate) fn fourier_terms(p: u64, points: usize, inner: usize) -> usize {
    if !cfg!(feature = "fft") {
        return 0;
    }
    let u = 1.0 / (1u64 << 53) as f64;
    let eta = 56.0 * points.ilog2() as f64 * u;
    let relative = 3.0 * eta + (2.0 * std::f64::consts::SQRT_2 * inner as f64 + 4.0) * u;
    let square = ((p / 2) as f64).powi(2);
    // The factor covers (1 + 2⁻¹⁰) and the roundings of this very line.
    let by_rounding = 0.5 / (4.0 * square * relative * (1.0 + 1.0 / 512.0));
    let by_size = (1u64 << 51) as f64 / square * 0.999;
    by_rounding.min(by_size) as usize
}

#[cfg(all(test, feature = "fft"))]
mod tests {
    use super::*;

    /// The documented inequality holds at the value returned and fails soon above it.
    #[test]
    fn bound_at_its_edge() {
        let u = 2f64.powi(-53);
        for p in [2, 3, 251, 65521, (1 << 31) - 1] {
            for n in [1, 4, 10, 20] {
                for inner in [1, 32, 1000] {
                    let terms = fourier_terms(p, 1 << n, inner) as f64;
                    let m2 = ((p / 2) as f64).powi(2);
                    let eta = 56.0 * n as f64 * u;
                    let factor = 3.0 * eta + 2.0 * 2f64.sqrt() * inner as f64 * u + 4.0 * u;
                    let error = |terms: f64| 4.0 * terms * m2 * factor * (1.0 + 2f64.powi(-10));
                    let fits = |terms: f64| error(terms) < 0.5 && terms * m2 < 2f64.powi(51);
                    assert!(terms == 0.0 || fits(terms), "p = {p}, 2^{n} points");
                    assert!(!fits(1.01 * terms + 1.0), "p = {p}, 2^{n} points");
                }
            }
        }
        assert!(fourier_terms(65521, 1 << 10, 1) >= 512);
        assert_eq!(fourier_terms((1 << 31) - 1, 4, 1), 0);
    }
}
