//! Prime moduli of any size.

use super::arithmetic::random_below;
use crate::certify::{Domain, Streams};
use crate::field::is_prime;
use crate::sparse::{Integer, Triplets};
use crate::{Error, Result};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One, ToPrimitive};
use std::fmt;
use std::str::FromStr;

/// Rounds of the test for primes.
const ROUNDS: usize = 64;
/// The largest modulus: with more bits, powers of it take minutes.
const BITS: u64 = 1 << 16;

/// A prime of at most 65536 bits.
///
/// Below 2⁶⁴ it is one for certain; above, it has passed the test of Miller and Rabin with 64 bases from a stream keyed
/// by it, which a composite number does with probability at most 4⁻⁶⁴ = 2⁻¹²⁸ (M. O. Rabin, J. Number Theory 12, 1980).
///
/// ```
/// use blackfield::large::LargeModulus;
/// let p: LargeModulus = "2^127-1".parse()?;
/// assert_eq!(p.bits(), 127);
/// assert!("2^127+1".parse::<LargeModulus>().is_err());
/// # Ok::<(), blackfield::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LargeModulus(BigUint);

impl LargeModulus {
    /// The modulus p.
    ///
    /// # Errors
    /// [`Error::Modulus`] unless p is a prime of at most 65536 bits.
    pub fn new(p: BigUint) -> Result<Self> {
        if p.bits() > BITS {
            return Err(Error::Modulus(format!("a modulus of {} bits: at most {BITS} are possible", p.bits())));
        }
        match is_probable_prime(&p) {
            true => Ok(LargeModulus(p)),
            false => Err(Error::Modulus(format!("modulus {p} is not a prime"))),
        }
    }
    /// p.
    #[must_use]
    pub fn get(&self) -> &BigUint {
        &self.0
    }
    /// b with 2^(b-1) ≤ p < 2^b.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.0.bits()
    }
    /// The entries of a matrix that p does not divide.
    #[must_use]
    pub fn nnz(&self, matrix: &Triplets) -> usize {
        let p = BigInt::from(self.0.clone());
        let word = self.0.to_i64();
        let divides = |v: &Integer<'_>| match (v, word) {
            (Integer::Small(v), None) => *v == 0,
            (Integer::Small(v), Some(p)) => v % p == 0,
            (Integer::Big(v), _) => v.is_multiple_of(&p),
        };
        matrix.entries().filter(|(_, _, v)| !divides(v)).count()
    }
    /// The limbs of a residue.
    pub(crate) fn limbs(&self) -> usize {
        (self.bits() / 64 + 1) as usize
    }
    /// log₂ p, rounded down.
    pub(crate) fn log2(&self) -> f64 {
        let shift = self.bits().saturating_sub(60);
        let top = (&self.0 >> shift).to_f64().expect("60 bits");
        // The true value is at least that of the top bits; a rounding or two are below 10⁻⁹.
        (top.log2() + shift as f64) * (1.0 - 1e-12)
    }
}

impl fmt::Display for LargeModulus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// In decimal digits, or as a power plus or minus a small number: `2^127-1`.
impl FromStr for LargeModulus {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong =
            || Error::Modulus(format!("{text} is no modulus: a prime in digits, or such as 2^127-1, is needed"));
        let digits = |part: &str| match !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) {
            true => part.parse::<BigUint>().map_err(|_| wrong()),
            false => Err(wrong()),
        };
        // No more digits than the largest has: longer texts take long to read.
        if text.len() as u64 > BITS / 3 {
            return Err(Error::Modulus(format!(
                "a modulus of {} characters: at most {BITS} bits are possible",
                text.len()
            )));
        }
        let Some((base, rest)) = text.split_once('^') else { return LargeModulus::new(digits(text)?) };
        let sign = rest.find(['+', '-']).unwrap_or(rest.len());
        let (exponent, offset) = rest.split_at(sign);
        let (base, exponent) = (digits(base)?, digits(exponent)?.to_u32().ok_or_else(wrong)?);
        if base.bits().saturating_mul(exponent.into()) > 2 * BITS {
            return Err(Error::Modulus(format!("modulus {text} is too large: at most {BITS} bits are possible")));
        }
        let power = base.pow(exponent);
        LargeModulus::new(match offset.split_at_checked(1) {
            None => power,
            Some(("+", offset)) => power + digits(offset)?,
            Some((_, offset)) => {
                let offset = digits(offset)?;
                if offset > power { return Err(wrong()) } else { power - offset }
            }
        })
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for LargeModulus {
    /// As a number below 2⁶³, as the digits in a string from there on.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self.0.to_i64() {
            Some(p) => serializer.serialize_i64(p),
            None => serializer.collect_str(&self.0),
        }
    }
}

/// Whether n is prime: for certain below 2⁶⁴, otherwise as [`LargeModulus`] says.
fn is_probable_prime(n: &BigUint) -> bool {
    if let Some(n) = n.to_u64() {
        return is_prime(n);
    }
    let small = [3u32, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if !n.bit(0) || small.iter().any(|&d| (n % d).bits() == 0) {
        return false;
    }
    let (one, least) = (BigUint::one(), n - 1u32);
    let twos = least.trailing_zeros().expect("n is above 1");
    let odd = &least >> twos;
    let mut rng = Streams::of_integers(&n.to_string(), 0).stream(Domain::Primes, 0);
    (0..ROUNDS).all(|_| {
        // 2 … n-2
        let base = random_below(&(n - 3u32), &mut rng) + 2u32;
        let mut x = base.modpow(&odd, n);
        x == one
            || x == least
            || (1..twos).any(|_| {
                x = &x * &x % n;
                x == least
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_and_others() {
        for p in
            ["2", "3", "65521", "9223372036854775837", "2^61-1", "2^89-1", "2^127-1", "2^521-1", "2^607-1", "10^40+121"]
        {
            let modulus: LargeModulus = p.parse().unwrap();
            let exact = (modulus.get().to_f64().unwrap()).log2();
            assert!((0.0..1e-6).contains(&(exact - modulus.log2() + 1e-7)), "{p}");
        }
        for n in [
            "",
            "0",
            "1",
            "4",
            "2^127+1",
            "2^67-1",
            "2^523-1",
            "-7",
            "+7",
            "2^",
            "^3",
            "2^3-",
            "2^x",
            "7.0",
            "2^70000-1",
            "2^99999999999999999999-1",
            "0^4294967296+1",
            "2^2-5",
            "318665857834031151167461",
            "3317044064679887385961981",
        ] {
            assert!(n.parse::<LargeModulus>().is_err(), "{n}");
        }
        // A square and a product of two Mersenne primes.
        for (a, b) in [(89, 89), (61, 127), (521, 607)] {
            let of = |e: u32| (BigUint::one() << e) - 1u32;
            assert!(LargeModulus::new(of(a) * of(b)).is_err());
        }
    }
}
