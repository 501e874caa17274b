//! Parsers of single values: a prime, a size in bytes, a seed.

use blackfield::field::Modulus;
use blackfield::large::LargeModulus;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A prime 2 ≤ p < 2⁶³ in decimal digits, or such as `2^61-1`.
pub fn modulus(text: &str) -> Result<Modulus, String> {
    let out_of_range = || format!("modulus {text} is out of range: a prime 2 <= p < 2^63 is needed");
    let of = |p: u64| Modulus::new(p).map_err(|e| e.to_string());
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        // More digits than a u64 holds are out of range, too: the library's message says which range.
        return text.parse().map_err(|_| out_of_range()).and_then(of);
    }
    match text.parse::<LargeModulus>() {
        Ok(p) => u64::try_from(p.get()).map_err(|_| out_of_range()).and_then(of),
        Err(e) if text.contains('^') => Err(e.to_string()),
        Err(_) => Err("a prime in decimal digits is needed, or such as 2^61-1".into()),
    }
}

/// A prime of any size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Prime {
    /// Below 2⁶³.
    Word(Modulus),
    /// Beyond.
    Large(LargeModulus),
}

impl fmt::Display for Prime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Prime::Word(p) => p.fmt(f),
            Prime::Large(p) => p.fmt(f),
        }
    }
}

/// A prime of any size in decimal digits, or such as `2^127-1`.
pub fn prime(text: &str) -> Result<Prime, String> {
    if text.parse::<i64>().is_ok() {
        return modulus(text).map(Prime::Word);
    }
    let large: LargeModulus = text.parse().map_err(|e: blackfield::Error| e.to_string())?;
    match large.bits() {
        0..64 => modulus(&large.to_string()).map(Prime::Word),
        _ => Ok(Prime::Large(large)),
    }
}

/// A number of bytes: `123`, `500K`, `1.5G`, `2GiB`; K, M, G, T are powers of 1024.
pub fn size(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(format!("unknown unit `{unit}`: K, M, G or T is possible")),
    };
    let bytes = number.parse::<f64>().map_err(|_| "a size such as 500M or 2G is needed")? * (1u64 << shift) as f64;
    if (1.0..(1u64 << 63) as f64).contains(&bytes) { Ok(bytes as u64) } else { Err("a size out of range".into()) }
}

/// A time of 0 seconds or more, at most a century.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let value = text.parse::<f64>().ok().filter(|s| (0.0..=3.2e9).contains(s));
    value.map(Duration::from_secs_f64).ok_or_else(|| "a number of seconds is needed, such as 60 or 0.5".into())
}

/// A seed, given or yet to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seed {
    Fixed(u64),
    Random,
}

impl FromStr for Seed {
    type Err = String;

    fn from_str(text: &str) -> Result<Seed, String> {
        match text {
            "random" => Ok(Seed::Random),
            _ => {
                text.parse().map(Seed::Fixed).map_err(|_| "a number from 0 to 2^64 - 1, or `random`, is needed".into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in
            [("1", 1), ("500K", 500 << 10), ("2g", 2 << 30), ("1.5GiB", 3 << 29), ("1T", 1 << 40), ("7MB", 7 << 20)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "0", "G", "-1", "1X", "1..2", "99999999T", "1e3", "2G extra"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn moduli() {
        assert_eq!(modulus("2").map(Modulus::get), Ok(2));
        assert_eq!(modulus("9223372036854775783").map(Modulus::get), Ok(9223372036854775783));
        assert_eq!(modulus("2^61-1").map(Modulus::get), Ok((1 << 61) - 1));
        assert!(modulus("2^127-1").is_err_and(|message| message.contains("out of range")));
        assert!(modulus("2^61").is_err_and(|message| message.contains("not a prime")));
        for text in
            ["", "0", "1", "65520", "9223372036854775808", "99999999999999999999", "-7", "+7", "7.0", "0x7", "2^32-1"]
        {
            assert!(modulus(text).is_err(), "{text}");
        }
    }

    #[test]
    fn primes_of_any_size() {
        let word = |p| Ok(Prime::Word(Modulus::new(p).unwrap()));
        assert_eq!((prime("65521"), prime("2^61-1"), prime("2^16+1")), (word(65521), word((1 << 61) - 1), word(65537)));
        assert!(matches!(prime("9223372036854775837"), Ok(Prime::Large(_))), "just beyond 2^63");
        assert_eq!(prime("2^127-1").unwrap().to_string(), "170141183460469231731687303715884105727");
        for text in ["", "0", "1", "-7", "+7", "7.0", "0x7", "2^64", "2^127-3", "9223372036854775808", "seven"] {
            assert!(prime(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times() {
        assert_eq!(seconds("0"), Ok(Duration::ZERO));
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for text in ["", "-1", "nan", "inf", "1e300", "5s"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn seeds() {
        assert_eq!("17".parse(), Ok(Seed::Fixed(17)));
        assert_eq!("random".parse(), Ok(Seed::Random));
        assert!("-1".parse::<Seed>().is_err() && "1.5".parse::<Seed>().is_err());
    }
}
