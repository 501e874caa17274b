//! Bounds on error probabilities, kept as logarithms. They are at the bottom of the dependency order because every room
//! may state one; the type's public name is [`report::ErrorBound`](crate::report::ErrorBound).

use std::fmt;
use std::str::FromStr;

/// An upper bound ε on the probability of an error, 0 < ε ≤ 1, kept as log₂ ε: no product of bounds underflows to 0, so
/// that nothing becomes certain by rounding. Every operation rounds upwards.
///
/// ε = 1 ([`ErrorBound::VACUOUS`]) says nothing.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[must_use]
pub struct ErrorBound {
    log2: f64,
}

/// The relative error of the two or three roundings of an operation on logarithms is below this.
const ROUNDING: f64 = 1e-14;

/// log₂ 10.
const LOG2_10: f64 = std::f64::consts::LOG2_10;

/// x, a little larger.
fn above(x: f64) -> f64 {
    x + x.abs() * ROUNDING
}

impl ErrorBound {
    /// The bound that says nothing.
    pub const VACUOUS: ErrorBound = ErrorBound { log2: 0.0 };

    /// The bound 2^`log2`, or [`ErrorBound::VACUOUS`] where that exceeds 1.
    ///
    /// # Panics
    /// If `log2` is not a number, or -∞: a probability that is 0 needs a proof, not a bound.
    pub fn from_log2(log2: f64) -> Self {
        assert!(log2 > f64::NEG_INFINITY, "the logarithm of a bound is a number above -infinity, not {log2}");
        ErrorBound { log2: log2.min(0.0) }
    }
    /// The bound `probability`; `None` unless 0 < `probability` ≤ 1.
    pub fn new(probability: f64) -> Option<Self> {
        let possible = probability > 0.0 && probability <= 1.0;
        possible.then(|| ErrorBound::from_log2(above(probability.log2())))
    }
    /// The bound 2^-`bits`.
    pub const fn of_bits(bits: u32) -> Self {
        ErrorBound { log2: -(bits as f64) }
    }
    /// The bound p⁻ᵏ for the prime p.
    pub fn negative_power(p: u64, k: usize) -> Self {
        ErrorBound::from_log2(above(-(k as f64) * (p as f64).log2() * (1.0 - ROUNDING)))
    }
    /// log₂ ε, at most 0.
    #[must_use]
    pub fn log2(self) -> f64 {
        self.log2
    }
    /// Whether it says nothing.
    #[must_use]
    pub fn is_vacuous(self) -> bool {
        self.log2 >= 0.0
    }
    /// The bound for either of two errors happening: the sum.
    pub fn either(self, other: Self) -> Self {
        let (large, small) = (self.log2.max(other.log2), self.log2.min(other.log2));
        // The second term is at most 1, and at least 0 even where the power underflows.
        ErrorBound::from_log2(above(large) + above((small - large).exp2().ln_1p() * std::f64::consts::LOG2_E))
    }
    /// The bound for any of `n` errors, each with this bound, happening: `n` times it.
    ///
    /// # Panics
    /// If `n` is 0: a probability that is 0 needs a proof, not a bound.
    pub fn any(self, n: usize) -> Self {
        assert!(n > 0, "a bound over no events: nothing can go wrong");
        ErrorBound::from_log2(above(self.log2) + above((n as f64).log2()))
    }
    /// The bound for both of two independent errors happening: the product.
    pub fn both(self, other: Self) -> Self {
        ErrorBound::from_log2(above(self.log2 + other.log2))
    }
    /// The bound for all of `n` independent errors, each with this bound, happening: the power.
    pub fn all(self, n: usize) -> Self {
        ErrorBound::from_log2(above(self.log2 * n as f64))
    }
    /// The bound that each of `parts` errors must meet for any of them to happen with at most this one: a `parts`-th of
    /// it, rounded downwards.
    ///
    /// # Panics
    /// If `parts` is 0.
    pub fn share(self, parts: usize) -> Self {
        assert!(parts > 0, "a bound is split into one part or more");
        let log2 = self.log2 - (parts as f64).log2();
        // Leaves room for the rounding of later additions.
        ErrorBound::from_log2(log2 - log2.abs() * ROUNDING * (4.0 + 4.0 * parts as f64))
    }
    /// ε as a number: not less than ε, and at least the smallest normal one.
    #[must_use]
    pub fn value(self) -> f64 {
        (self.log2.exp2() * (1.0 + 1e-10)).clamp(f64::MIN_POSITIVE, 1.0)
    }
}

/// Two digits and an exponent of ten, not less than ε: `8.7e-78`.
impl fmt::Display for ErrorBound {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let log10 = self.log2 / LOG2_10;
        let exponent = log10.floor();
        let tenths = (10.0 * 10f64.powf(log10 - exponent) - 1e-6).ceil();
        let (tenths, exponent) = if tenths >= 100.0 { (10.0, exponent + 1.0) } else { (tenths, exponent) };
        write!(f, "{:.1}e{exponent}", tenths / 10.0)
    }
}

/// Parses a decimal number such as `1e-400`, whatever its exponent.
impl FromStr for ErrorBound {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "a number between 0 and 1 is needed, such as 1e-12".to_string();
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let digits = mantissa.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let mantissa: f64 = mantissa.parse().ok().filter(|&m| digits && m > 0.0).ok_or_else(wrong)?;
        let exponent: i32 = exponent.parse().map_err(|_| wrong())?;
        let log2 = mantissa.log2() + f64::from(exponent) * LOG2_10;
        // Rounded downwards: it is a bound that something else must meet.
        let log2 = log2 - log2.abs() * ROUNDING;
        if log2.is_finite() && log2 < -1e-12 { Ok(ErrorBound { log2 }) } else { Err(wrong()) }
    }
}

/// As the number [`ErrorBound::value`].
#[cfg(feature = "serde")]
impl serde::Serialize for ErrorBound {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(probability: f64) -> ErrorBound {
        ErrorBound::new(probability).unwrap()
    }

    #[test]
    fn nothing_becomes_certain() {
        let tiny = bound(1e-300).all(1_000_000);
        assert!(tiny.log2() < -9e8 && tiny.log2().is_finite() && tiny.value() == f64::MIN_POSITIVE);
        assert_eq!(tiny.to_string(), "1.1e-300000000");
        assert!(tiny.either(bound(1e-3)).value() >= 1e-3 && tiny.either(tiny) > tiny);
        assert!(tiny.both(tiny) < tiny && tiny.both(tiny).log2().is_finite());
        let subnormal = bound(5e-324);
        assert!(subnormal.log2() < -1073.0 && subnormal.both(subnormal).log2() > f64::NEG_INFINITY);
    }

    #[test]
    fn a_product_of_a_thousand_bounds_is_their_sum_of_logarithms() {
        let tiny = bound(f64::MIN_POSITIVE);
        let product = (1..1000).fold(tiny, |product, _| product.both(tiny));
        assert!((-1_022_000.0..-1_021_999.9).contains(&product.log2()), "{}", product.log2());
        assert!((tiny.all(1000).log2() - product.log2()).abs() < 1e-4 && product < tiny.all(999));
        assert_eq!(product.value(), f64::MIN_POSITIVE);
        // And no vacuous bound becomes useful by repetition.
        assert!((0..1000).fold(ErrorBound::VACUOUS, |product, _| product.both(ErrorBound::VACUOUS)).is_vacuous());
    }

    #[test]
    fn powers_of_two_and_unions() {
        assert_eq!(ErrorBound::of_bits(64).log2(), -64.0);
        assert!(ErrorBound::of_bits(0).is_vacuous() && ErrorBound::of_bits(u32::MAX).log2() > f64::NEG_INFINITY);
        assert_eq!(ErrorBound::of_bits(7).any(1), ErrorBound::from_log2(above(-7.0)));
        assert!(ErrorBound::of_bits(10).any(1024).is_vacuous() && !ErrorBound::of_bits(10).any(1023).is_vacuous());
        let sum = (1..1000).fold(bound(1e-9), |sum, _| sum.either(bound(1e-9)));
        assert!((bound(1e-9).any(1000).log2() - sum.log2()).abs() < 1e-9 && bound(1e-9).any(1000).value() >= 1e-6);
    }

    #[test]
    fn operations_round_upwards() {
        for (a, b) in [(0.5, 0.25), (1e-12, 1e-13), (0.3, 0.3), (1e-200, 1e-3), (2f64.powi(-64), 2f64.powi(-64))] {
            let (x, y) = (bound(a), bound(b));
            for (found, exact) in [(x.either(y), a + b), (x.both(y), a * b), (x.all(3), a * a * a)] {
                let error = found.log2() - exact.log2();
                let exact_enough = exact > 1e-290 && exact < 1.0;
                assert!(!exact_enough || (0.0..1e-10).contains(&error), "{a:e} {b:e}: {found} for {exact:e}");
            }
            assert!(x.value() >= a && x.share(3).either(x.share(3)).either(x.share(3)) <= x);
        }
        assert!(bound(0.7).either(bound(0.7)).is_vacuous() && bound(1.0).is_vacuous());
        assert!(ErrorBound::from_log2(3.0).is_vacuous() && !bound(0.999).is_vacuous());
        for k in [1, 4, 9] {
            let exact = -(k as f64) * 65521f64.log2();
            assert!((0.0..1e-9).contains(&(ErrorBound::negative_power(65521, k).log2() - exact)));
        }
    }

    #[test]
    fn words_and_numbers() {
        for (text, shown) in [
            ("1e-12", "1.0e-12"),
            ("1e-320", "1.0e-320"),
            ("1E-400", "1.0e-400"),
            ("0.5", "5.0e-1"),
            ("2.5e-7", "2.5e-7"),
            ("0.000099", "9.9e-5"),
        ] {
            assert_eq!(text.parse::<ErrorBound>().unwrap().to_string(), shown);
        }
        for text in ["0", "1", "1.5", "-1e-3", "1e", "e-3", "", "nan", "inf", "1e-99999999999", "0e-5", "1e5", "+1e-5"]
        {
            assert!(text.parse::<ErrorBound>().is_err(), "{text}");
        }
        for probability in [0.0, -0.5, 1.5, f64::NAN] {
            assert_eq!(ErrorBound::new(probability), None);
        }
        #[cfg(feature = "serde")]
        assert_eq!(serde_json::to_string(&bound(0.25)).unwrap().parse::<f64>().unwrap(), bound(0.25).value());
        // Shown upwards.
        assert_eq!(bound(1.01e-5).to_string(), "1.1e-5");
        assert_eq!(bound(9.95e-5).to_string(), "1.0e-4");
    }

    #[test]
    #[should_panic(expected = "above -infinity")]
    fn a_probability_of_zero_is_no_bound() {
        let _ = ErrorBound::from_log2(f64::NEG_INFINITY);
    }
}
