//! Base-2 logarithms that are never too small: as `f64` in a step or two, for many lines of a matrix; and as integers
//! in units of 2⁻³², at most two units too large, where one more bit may mean one more prime.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

/// The number of fraction bits of a logarithm in units.
pub(crate) const FRACTION: u32 = 32;

/// log₂ of an integer, rounded upwards; 0 for 0 and 1.
pub(super) fn log2_above(x: &BigUint) -> f64 {
    let bits = x.bits();
    if bits <= 1 {
        return 0.0;
    }
    let shift = bits.saturating_sub(53);
    let mut top = (x >> shift).to_u64().expect("53 bits") as f64;
    if shift > 0 {
        top += 1.0;
    }
    (top.log2() + shift as f64) * (1.0 + 1e-15)
}

/// The sum of the logarithms in units, `None` if a factor is 0.
pub(crate) fn log2_of_product(mut factors: impl Iterator<Item = BigUint>) -> Option<u64> {
    factors.try_fold(0, |sum, x| (!x.is_zero()).then(|| sum + log2_units(&x)))
}

/// An upper bound on log₂ x in units of 2⁻³², at most two units too large.
///
/// x ≤ m · 2^(e-62) with 2⁶² ≤ m < 2⁶³ rounded up; each squaring of the mantissa, rounded up, yields one binary digit
/// of the logarithm. Rounding up can only raise the result, and 32 squarings of an error of 2⁻⁶² stay below one unit.
///
/// # Panics
/// If x = 0.
pub(crate) fn log2_units(x: &BigUint) -> u64 {
    assert!(!x.is_zero(), "log of 0");
    let mut exponent = x.bits() - 1;
    if *x == BigUint::one() << exponent {
        return exponent << FRACTION;
    }
    let scaled: BigUint = if exponent > 62 { (x >> (exponent - 62)) + 1u32 } else { x << (62 - exponent) };
    let mut mantissa = u128::try_from(scaled).expect("63 bits");
    if mantissa == 1 << 63 {
        (mantissa, exponent) = (1 << 62, exponent + 1);
    }
    let mut units = exponent;
    for _ in 0..FRACTION {
        mantissa = (mantissa * mantissa).div_ceil(1 << 62);
        let digit = (mantissa >= 1 << 63) as u64;
        if digit == 1 {
            mantissa = mantissa.div_ceil(2);
        }
        units = 2 * units + digit;
    }
    units + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_above() {
        for e in [0u32, 1, 52, 53, 54, 64, 1000] {
            let power = BigUint::from(1u8) << e;
            for x in [&power - 1u8, power.clone(), &power + 1u8] {
                let l = log2_above(&x);
                // 2^⌊l⌋ ≤ x + 1 would be too weak: compare with the number of bits.
                assert!(l >= x.bits().saturating_sub(1) as f64 && l <= x.bits() as f64 * (1.0 + 1e-14), "{x}: {l}");
            }
        }
    }

    #[test]
    fn logarithms_are_upper_bounds_and_tight() {
        for x in (1u64..2000).chain([u64::MAX, 1 << 63, (1 << 63) + 1, (1 << 62) - 1]) {
            let units = log2_units(&x.into());
            let exact = (x as f64).log2() * 2f64.powi(32);
            assert!(units as f64 >= exact - 1e-3 && units as f64 <= exact + 2.5, "{x}: {units} {exact}");
        }
        for bits in [63u64, 64, 200, 1000] {
            let x: BigUint = BigUint::one() << bits;
            assert_eq!(log2_units(&x), bits << FRACTION);
            assert_eq!(log2_units(&(&x + 1u32)), (bits << FRACTION) + 1);
            assert!(((bits << FRACTION)..=(bits << FRACTION) + 1).contains(&log2_units(&(&x - 1u32))));
        }
    }
}
