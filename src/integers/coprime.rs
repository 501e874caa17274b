//! Coprime bases: pairwise coprime integers above 1 such that given ones are products of their powers (E. Bach, J.
//! Driscoll, J. Shallit, *Factor refinement*, J. Algorithms 15, 1993). No number is factored further than the given
//! ones show.
//!
//! Two bases are merged at a time: trees of products find which of their members share a factor (D. J. Bernstein,
//! *Factoring into coprimes in essentially linear time*, J. Algorithms 54, 2005), and only those are refined. Let p of
//! one share a factor with q of the other. The part of p at the primes of gcd(p, q), and that of q, are refined with
//! each other; all this is coprime to whatever else there is in either base, and so is what is left of p and q.

use super::division::div_rem;
use super::trees::ProductTree;
use crate::field::large_gcd;
use crate::parallel;
use crate::{Observer, Result};
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// A coprime base of positive integers, in no order.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted).
pub(crate) fn coprime_base(numbers: &[BigUint], observer: &dyn Observer) -> Result<Vec<BigUint>> {
    match numbers {
        [] => Ok(vec![]),
        [one] => Ok(vec![one.clone()].into_iter().filter(|one| !one.is_one()).collect()),
        _ => {
            let (left, right) = numbers.split_at(numbers.len() / 2);
            let (left, right) = parallel::join(|| coprime_base(left, observer), || coprime_base(right, observer));
            merged(left?, right?, observer)
        }
    }
}

/// A coprime base of two of them.
fn merged(mut left: Vec<BigUint>, mut right: Vec<BigUint>, observer: &dyn Observer) -> Result<Vec<BigUint>> {
    if left.is_empty() || right.is_empty() {
        left.append(&mut right);
        return Ok(left);
    }
    let tree = ProductTree::new(right.clone());
    let pairs = tree.sharing(&left, observer)?;
    drop(tree);
    let mut shared = vec![];
    for (p, partners) in left.iter_mut().zip(pairs) {
        for k in partners {
            let g = large_gcd(p.clone(), right[k].clone());
            let parts = [take_part(p, &g), take_part(&mut right[k], &g)];
            shared.extend(refined(parts));
        }
    }
    left.append(&mut right);
    left.append(&mut shared);
    left.retain(|b| !b.is_one());
    Ok(left)
}

/// Divides the part of x at the primes of g out of it, which is returned.
fn take_part(x: &mut BigUint, g: &BigUint) -> BigUint {
    let (mut part, mut g) = (BigUint::one(), g.clone());
    loop {
        g = large_gcd(x.clone(), g);
        if g.is_one() {
            return part;
        }
        *x = div_rem(x, &g).0;
        part *= &g;
        g = &g * &g;
    }
}

/// A coprime base of two numbers.
fn refined(parts: [BigUint; 2]) -> Vec<BigUint> {
    let (mut base, mut open): (Vec<BigUint>, _) = (vec![], Vec::from(parts));
    while let Some(x) = open.pop() {
        if x.is_one() {
            continue;
        }
        let shared = base.iter().enumerate().find_map(|(k, b)| {
            let g = large_gcd(b.clone(), x.clone());
            (!g.is_one()).then_some((k, g))
        });
        match shared {
            None => base.push(x),
            Some((k, g)) if g == base[k] => open.push(x / g),
            Some((k, g)) => {
                let b = base.swap_remove(k);
                open.extend([b / &g, x / &g, g]);
            }
        }
    }
    base
}

/// Members of a coprime base, by place, with exponents.
pub(crate) type Exponents = Vec<(usize, u32)>;

/// For each positive integer the members of a coprime base that divide it, by place, with their exponents; `None` if it
/// is no product of those powers.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted).
pub(crate) fn exponents(
    numbers: &[BigUint],
    base: &[BigUint],
    observer: &dyn Observer,
) -> Result<Option<Vec<Exponents>>> {
    if base.is_empty() {
        return Ok(numbers.iter().all(One::is_one).then(|| vec![vec![]; numbers.len()]));
    }
    let pairs = ProductTree::new(base.to_vec()).sharing(numbers, observer)?;
    let of = |(number, places): (&BigUint, Vec<usize>)| -> Option<Exponents> {
        let (mut rest, mut powers) = (number.clone(), vec![]);
        for k in places {
            let mut exponent = 0;
            loop {
                let (quotient, remainder) = div_rem(&rest, &base[k]);
                if !remainder.is_zero() {
                    break;
                }
                (rest, exponent) = (quotient, exponent + 1);
            }
            powers.push((k, exponent));
        }
        rest.is_one().then_some(powers)
    };
    Ok(numbers.iter().zip(pairs).map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn bases_are_coprime_and_of_them_all_are_products() {
        let mut rng = Rng::seed_from_u64(3);
        for round in 0..300 {
            let size = [2u64, 13, 1000, 1 << 32][round % 4];
            let count = rng.random_range(0..25);
            let mut draw = || BigUint::from(rng.random_range(1..size));
            let numbers: Vec<BigUint> = (0..count).map(|k| (draw() * draw()).pow(1 + k % 3)).collect();
            let base = coprime_base(&numbers, &Silent).unwrap();
            for (k, b) in base.iter().enumerate() {
                assert!(!b.is_one());
                assert!(base[..k].iter().all(|c| large_gcd(b.clone(), c.clone()).is_one()), "{numbers:?}: {base:?}");
            }
            let powers = exponents(&numbers, &base, &Silent).unwrap().expect("products of the base");
            for (number, powers) in numbers.iter().zip(powers) {
                let product: BigUint = powers.iter().map(|&(k, e)| base[k].pow(e)).product();
                assert_eq!(product, *number);
            }
            // What divides none is in no base.
            assert!(base.iter().all(|b| numbers.iter().any(|number| (number % b).is_zero())), "{numbers:?}: {base:?}");
        }
        assert_eq!(exponents(&[6u32.into()], &[2u32.into()], &Silent).unwrap(), None);
        assert_eq!(exponents(&[6u32.into()], &[], &Silent).unwrap(), None);
    }
}
