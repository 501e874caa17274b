//! Large integers, as null vectors over the integers multiply them.

use super::search::Search;
use crate::{Error, Result};
use num_bigint::BigInt;
use num_traits::One;
use std::hint::black_box;

/// Products in a run, and the 64-bit digits of their factors: products of that size are still made digit by digit.
const PRODUCTS: usize = 1000;
const DIGITS: [usize; 2] = [1, 24];

pub(super) fn time(search: &mut Search) -> Result<()> {
    for (price, digits) in ["integers.operation", "integers.product"].into_iter().zip(DIGITS) {
        // (2ᵏ - 1)² = 2²ᵏ - 2ᵏ⁺¹ + 1.
        let bits = 64 * digits;
        let factor = (BigInt::one() << bits) - 1;
        let square: BigInt = (BigInt::one() << (2 * bits)) - (BigInt::one() << (bits + 1)) + 1;
        let (count, squared) = (PRODUCTS as f64, (digits * digits) as f64);
        search.time(
            price,
            format!("{PRODUCTS} products of integers of {digits} digits"),
            move |machine| count * (machine.integers.operation + squared * machine.integers.product),
            || {
                let mut last = BigInt::ZERO;
                for _ in 0..PRODUCTS {
                    last = black_box(&factor) * black_box(&factor);
                }
                if last == square { Ok(()) } else { Err(Error::Check(format!("a square of {digits} digits"))) }
            },
        )?;
    }
    Ok(())
}
