//! Matchings of all sizes: Σ mₖ zⁿ⁻²ᵏ at enough points modulo enough primes.
//!
//! With K = ⌊n/2⌋ and t = z², the sum is zⁿ⁻²ᴷ · q(t), q(t) = Σ mₖ tᴷ⁻ᵏ, a monic polynomial of degree K: its values at
//! z = 1, …, K determine it modulo a prime above K² (t takes K different values, none of them 0), by Newton's divided
//! differences. The mₖ follow from their residues within the bound of
//! [`matchings_bound`](super::super::bound::matchings_bound).

use super::plan::{PRIME_BITS, Plan};
use super::run::{Values, run};
use crate::field::Modulus;
use crate::hafnian::residues::Pass;
use crate::integers::{Bound, Crt, primes_for};
use crate::parallel::Each;
use crate::{Observer, Result};
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// The moduli for integers within the bound.
fn primes(bound: Bound) -> Result<Vec<Modulus>> {
    primes_for(bound.bits + 1, &BigUint::one(), 1 << PRIME_BITS).into_iter().map(Modulus::new).collect()
}

/// The number of runs that all sizes take: a prime for each 61 bits.
pub fn runs(plan: &Plan, bound: Bound) -> u64 {
    ((bound.bits + 1) / u64::from(PRIME_BITS - 1) + 1) * (plan.program.n / 2) as u64
}

/// Σ over the matchings of each size: `[k]` for size k, 0 ≤ k ≤ n/2; and the moduli. At most `memory` bytes of arrays
/// exist at a time.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
pub fn by_size(
    plan: &Plan,
    bound: Bound,
    memory: Option<u64>,
    observer: &dyn Observer,
) -> Result<(Vec<BigInt>, Vec<BigUint>)> {
    let (n, primes) = (plan.program.n, primes(bound)?);
    let degree = n / 2;
    let tasks: Vec<(Modulus, u64)> = primes.iter().flat_map(|&p| (1..=degree as u64).map(move |z| (p, z))).collect();
    observer.phase("frontier", tasks.len() as u64);
    let done = AtomicU64::new(0);
    let arrays = memory.map_or(f64::INFINITY, |bytes| bytes as f64 / plan.bytes).max(1.0);
    let at_once = (rayon::current_num_threads() as f64).min(arrays) as usize;
    // Each thread keeps its array for a share of the tasks.
    let share = tasks.len().div_ceil(at_once).max(1);
    let evaluate = |tasks: &[(Modulus, u64)]| -> Result<Vec<u64>> {
        let mut values = Values::with_width(plan.width())?;
        let one = |&(p, z): &(Modulus, u64)| {
            let value = run(&plan.program, Pass::Prime(p), z, &mut values, &|_| observer.check())?;
            observer.progress(1 + done.fetch_add(1, Ordering::Relaxed));
            Ok(if n % 2 == 1 { p.mul(value, p.inv(z)) } else { value })
        };
        tasks.iter().map(one).collect()
    };
    let found: Vec<Vec<u64>> = tasks.par_chunks(share).try_make(evaluate)?;
    let found: Vec<u64> = found.into_iter().flatten().collect();
    let mut known = vec![Crt::new(); degree + 1];
    for (k, &p) in primes.iter().enumerate() {
        let coefficients = monic(p, &found[k * degree..(k + 1) * degree]);
        known.iter_mut().zip(coefficients.iter().rev()).for_each(|(known, &c)| known.add(p, c));
    }
    let moduli = primes.iter().map(|p| p.get().into()).collect();
    Ok((known.iter().map(Crt::signed).collect(), moduli))
}

/// The coefficients, constant first, of the monic polynomial of degree K with these values at t = 1², …, K².
fn monic(p: Modulus, values: &[u64]) -> Vec<u64> {
    let degree = values.len();
    let t: Vec<u64> = (1..=degree as u64).map(|z| p.reduce(z * z)).collect();
    // q - Π (t - tᵢ) has degree below K and the same values: Newton's differences, then Horner.
    let mut differences = values.to_vec();
    for step in 1..degree {
        for k in (step..degree).rev() {
            let top = p.sub(differences[k], differences[k - 1]);
            differences[k] = p.mul(top, p.inv(p.sub(t[k], t[k - step])));
        }
    }
    let mut q = vec![0; degree + 1];
    q[0] = 1;
    for k in (0..degree).rev() {
        // q ← q·(t - tₖ) + dₖ.
        for c in (1..=degree).rev() {
            q[c] = p.sub(q[c - 1], p.mul(q[c], t[k]));
        }
        q[0] = p.sub(differences[k], p.mul(q[0], t[k]));
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monic_polynomials_come_back() {
        for p in [101u64, (1 << 61) - 1] {
            let p = Modulus::new(p).unwrap();
            for degree in 0..8usize {
                let mut q: Vec<u64> = (0..degree as u64).map(|k| p.reduce(k * 77 + 5)).collect();
                q.push(1);
                let value = |t: u64| q.iter().rev().fold(0, |sum, &c| p.add(p.mul(sum, t), c));
                let values: Vec<u64> = (1..=degree as u64).map(|z| value(p.reduce(z * z))).collect();
                assert_eq!(monic(p, &values), q);
            }
        }
    }
}
