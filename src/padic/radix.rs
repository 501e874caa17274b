//! From digits in radix p to integers: by halves, so that most of the work is in products of long numbers.

use crate::field::Modulus;
use num_bigint::BigInt;

/// Digits that are put together four at a time.
const LEAF: usize = 16;

/// p^(16·2ⁱ).
pub(super) struct Powers {
    p: u64,
    /// p⁴, below 2¹²⁴.
    fourth: u128,
    squares: Vec<BigInt>,
}

impl Powers {
    /// For up to so many digits.
    pub fn new(p: Modulus, digits: usize) -> Powers {
        let mut squares: Vec<BigInt> = vec![BigInt::from(p.get()).pow(LEAF as u32)];
        while LEAF << squares.len() <= digits {
            let last = &squares[squares.len() - 1];
            squares.push(last * last);
        }
        Powers { p: p.get(), fourth: u128::from(p.get()).pow(4), squares }
    }
    /// Σ dᵢ·pⁱ.
    pub fn integer(&self, digits: &[i32]) -> BigInt {
        if digits.len() <= LEAF {
            let p = i128::from(self.p);
            // Digits are below p, so that four of them stay below p⁴.
            let four = |digits: &[i32]| digits.iter().rev().fold(0, |sum, &digit| sum * p + i128::from(digit));
            return digits.chunks(4).rev().fold(BigInt::ZERO, |sum, digits| sum * self.fourth + four(digits));
        }
        let level = (digits.len() - 1).ilog2() - LEAF.ilog2();
        let (low, high) = digits.split_at(LEAF << level);
        self.integer(high) * &self.squares[level as usize] + self.integer(low)
    }
    /// p^k.
    pub fn power(&self, k: usize) -> BigInt {
        let rest = BigInt::from(self.p).pow((k % LEAF) as u32);
        let bits = (0..).zip(&self.squares).filter(|(i, _)| ((k / LEAF) >> i) & 1 == 1);
        bits.fold(rest, |power, (_, square)| power * square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_every_length() {
        for p in [3u64, 5, 1_073_741_789] {
            let powers = Powers::new(Modulus::new(p).unwrap(), 200);
            for length in [0usize, 1, 2, 15, 16, 17, 31, 32, 33, 64, 65, 100, 199, 200] {
                let digits: Vec<i32> =
                    (0..length).map(|i| (i as i64 * 7_919 % p as i64 - p as i64 / 2) as i32).collect();
                let horner = digits.iter().rev().fold(BigInt::ZERO, |sum, &d| sum * p + d);
                assert_eq!(powers.integer(&digits), horner);
                assert_eq!(powers.power(length), BigInt::from(p).pow(length as u32));
            }
        }
    }
}
