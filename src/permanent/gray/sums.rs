//! The sums of chunks, and the permanent that they determine.

use super::plan::{Engine, Plan};
use crate::field::Modulus;
use crate::integers::{Crt, low_bits};
use crate::{Error, Result};
use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};

/// Sums of chunks: over the integers, or modulo each modulus.
pub(super) enum Sums {
    Exact(BigInt),
    Residues(Vec<u64>),
}

impl Sums {
    /// In decimal digits.
    pub fn digits(&self) -> Vec<String> {
        match self {
            Sums::Exact(sum) => vec![sum.to_string()],
            Sums::Residues(residues) => residues.iter().map(u64::to_string).collect(),
        }
    }
}

impl Plan {
    /// Nothing summed.
    pub fn zero(&self) -> Sums {
        match &self.engine {
            Engine::Exact(_) => Sums::Exact(BigInt::zero()),
            Engine::Modular(modular) => Sums::Residues(vec![0; 1 + modular.primes.len()]),
        }
    }

    /// The sums represented by these digits, if they are in range.
    pub fn parse(&self, digits: &[String]) -> Option<Sums> {
        match &self.engine {
            Engine::Exact(_) => Some(Sums::Exact(digits[0].parse().ok()?)),
            Engine::Modular(modular) => {
                let residues: Vec<u64> = digits.iter().map(|d| d.parse().ok()).collect::<Option<_>>()?;
                let reduced = residues[1..].iter().zip(&modular.primes).all(|(r, p)| r < p);
                reduced.then_some(Sums::Residues(residues))
            }
        }
    }

    /// The sum of two parts.
    pub fn add(&self, a: Sums, b: Sums) -> Sums {
        match (a, b, &self.engine) {
            (Sums::Exact(a), Sums::Exact(b), _) => Sums::Exact(a + b),
            (Sums::Residues(mut a), Sums::Residues(b), Engine::Modular(modular)) => {
                a[0] = a[0].wrapping_add(b[0]);
                for ((a, b), p) in a[1..].iter_mut().zip(&b[1..]).zip(&modular.primes) {
                    *a = (*a + b) % p;
                }
                Sums::Residues(a)
            }
            _ => unreachable!("the sums of one plan are of one kind"),
        }
    }

    /// The permanent, the moduli that determine it, and the number of bits checked to be zero.
    pub fn conclude(&self, sums: Sums) -> Result<(BigInt, Vec<BigUint>, usize)> {
        let broken = || Error::Check(format!("the low {} bits of the sum are not zero", self.odd));
        match (sums, &self.engine) {
            (Sums::Exact(sum), _) => {
                let total = sum * &self.factor;
                if total.trailing_zeros().is_some_and(|zeros| zeros < self.odd as u64) {
                    return Err(broken());
                }
                Ok((total >> self.odd, Vec::new(), self.odd))
            }
            (Sums::Residues(residues), Engine::Modular(modular)) => {
                let (scale, content) = (&self.factor / &self.content, &self.content);
                let low = low_bits(&(BigInt::from(residues[0]) * &scale));
                let zeros = self.odd.min(64);
                if (low.trailing_zeros() as usize) < zeros {
                    return Err(broken());
                }
                let mut crt = Crt::with_power_of_two(64 - zeros as u32, low.checked_shr(zeros as u32).unwrap_or(0));
                let mut moduli = vec![crt.modulus().clone()];
                for (&p, &r) in modular.primes.iter().zip(&residues[1..]) {
                    // scale / 2^odd mod p.
                    let (p_big, two) = (BigInt::from(p), BigInt::from(2));
                    let divided =
                        BigInt::from(r) * &scale * two.modpow(&(&p_big - 1 - self.odd % (p as usize - 1)), &p_big);
                    let residue = ((divided % &p_big) + &p_big) % &p_big;
                    crt.add(Modulus::new(p)?, residue.to_u64().expect("below p"));
                    moduli.push(p.into());
                }
                Ok((crt.signed() * content, moduli, zeros))
            }
            _ => unreachable!("the sums of one plan are of one kind"),
        }
    }
}
