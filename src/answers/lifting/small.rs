//! Determinants of many small matrices over ℤ.
//!
//! Matrices of equal order are taken together, mod primes until their product exceeds twice Hadamard's bound: with
//! D² ≤ Π |row|² the residues leave one integer. The smallest are eliminated without fractions (E. H. Bareiss,
//! *Sylvester's identity and multistep integer-preserving Gaussian elimination*, Math. Comp. 22 (1968)).

use super::form::Blocks;
use crate::dense;
use crate::field::Modulus;
use crate::integers::{Crt, primes_below, product};
use crate::parallel::Each;
use crate::sparse::Integer;
use crate::{Observer, Result, memory};
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Zero};
use rayon::prelude::*;

/// Blocks of at most so many rows are small …
pub(super) const SMALL: usize = 48;
/// … unless their determinants may have more bits: those of up to [`TINY`] rows always are.
const BITS: u64 = 1 << 14;
/// Matrices of at most so many rows are eliminated over ℤ.
const TINY: usize = 3;
/// Bits of the primes: sums of several products of residues fit a word.
const PRIME_BITS: u32 = 30;
/// The most matrices that are taken together.
const GROUP: usize = 64;
/// What the memory is for.
const BLOCKS: &str = "small blocks of a matrix";

/// The small ones of some blocks.
pub(super) struct Small {
    /// The product of their determinants; 1 of none.
    pub value: BigInt,
    /// Their number.
    pub count: usize,
    /// The most primes that one took.
    pub primes: usize,
    /// One whose determinant is 0.
    pub singular: Option<usize>,
    /// The blocks that are not small, in order.
    pub large: Vec<usize>,
}

/// Finds those of all small blocks.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub(super) fn determinants(blocks: &Blocks<'_>, observer: &dyn Observer) -> Result<Small> {
    let is_small = |&b: &usize| blocks.order(b) <= SMALL;
    let mut small = memory::collect((0..blocks.count()).filter(is_small), BLOCKS)?;
    let mut large = memory::collect((0..blocks.count()).filter(|b| !is_small(b)), BLOCKS)?;
    small.sort_unstable_by_key(|&b| (blocks.order(b), b));
    let equal = small.chunk_by(|&b, &c| blocks.order(b) == blocks.order(c));
    let groups: Vec<&[usize]> = memory::collect(equal.flat_map(|run| run.chunks(GROUP)), BLOCKS)?;
    let found: Vec<Group> = groups.into_par_iter().try_make(|group| {
        observer.check()?;
        Group::of(blocks, group)
    })?;
    let magnitudes: Vec<BigUint> = found.iter().map(|group| group.value.magnitude().clone()).collect();
    let negative = found.iter().filter(|group| group.value.sign() == Sign::Minus).count();
    let sign = if negative % 2 == 1 { Sign::Minus } else { Sign::Plus };
    large.extend(found.iter().flat_map(|group| &group.large));
    large.sort_unstable();
    Ok(Small {
        value: BigInt::from_biguint(sign, product(&magnitudes)),
        count: blocks.count() - large.len(),
        primes: found.iter().map(|group| group.primes).max().unwrap_or(0),
        singular: found.iter().find_map(|group| group.singular),
        large,
    })
}

/// Blocks of equal order.
struct Group {
    value: BigInt,
    primes: usize,
    singular: Option<usize>,
    /// Those whose bounds are too large.
    large: Vec<usize>,
}

/// An entry of a block: its place in the rows one after the other, and its value.
type Entry<'a> = (usize, Integer<'a>);

impl Group {
    fn of(blocks: &Blocks<'_>, group: &[usize]) -> Result<Group> {
        let order = blocks.order(group[0]);
        let entries = |b: usize| -> Vec<Entry<'_>> { blocks.entries(b).map(|(i, j, v)| (i * order + j, v)).collect() };
        let mut large = vec![];
        let (values, primes) = if order <= TINY {
            (group.iter().map(|&b| (b, eliminate(order, &entries(b)))).collect(), 0)
        } else {
            let (mut small, mut bits) = (vec![], 0);
            for &b in group {
                let entries = entries(b);
                let twice = squared_bound(order, &entries).bits();
                if twice > 2 * BITS {
                    large.push(b);
                } else {
                    small.push((b, entries));
                    bits = bits.max(twice);
                }
            }
            by_primes(order, &small, bits)?
        };
        let singular = values.iter().find(|(_, value)| value.is_zero()).map(|&(b, _)| b);
        let value = values.into_iter().map(|(_, value)| value).product();
        Ok(Group { value, primes, singular, large })
    }
}

/// Π |row|², which the square of the determinant does not exceed.
fn squared_bound(order: usize, entries: &[Entry<'_>]) -> BigUint {
    let mut norms = vec![BigUint::ZERO; order];
    for (at, v) in entries {
        match v {
            Integer::Small(v) => norms[at / order] += u128::from(v.unsigned_abs()).pow(2),
            Integer::Big(v) => norms[at / order] += v.magnitude().pow(2),
        }
    }
    norms.into_iter().product()
}

/// The determinants of these blocks, whose squares are below 2^`bits`, and the number of primes.
fn by_primes(order: usize, blocks: &[(usize, Vec<Entry<'_>>)], bits: u64) -> Result<(Vec<(usize, BigInt)>, usize)> {
    let mut known = vec![Crt::new(); blocks.len()];
    let mut primes = primes_below(1 << PRIME_BITS);
    let mut count = 0;
    // M ≥ 2^(its bits - 1), so that M² > 4·D² at the end.
    while known.first().is_some_and(|known| 2 * (known.modulus().bits() - 1) < bits + 2) {
        let p = Modulus::new(primes.next().expect("enough primes of 30 bits"))?;
        let mut residues = memory::zeros::<u64>(blocks.len() * order * order, BLOCKS)?;
        for ((_, entries), residues) in blocks.iter().zip(residues.chunks_mut(order * order)) {
            for (at, v) in entries {
                residues[*at] = match v {
                    Integer::Small(v) => p.reduce_i64(*v),
                    Integer::Big(v) => p.reduce_bigint(v),
                };
            }
        }
        let found = dense::determinants(p, order, &residues);
        known.iter_mut().zip(found).for_each(|(known, residue)| known.add(p, residue));
        count += 1;
    }
    Ok((blocks.iter().zip(known).map(|((b, _), known)| (*b, known.signed())).collect(), count))
}

/// The determinant by elimination without fractions.
fn eliminate(order: usize, entries: &[Entry<'_>]) -> BigInt {
    let mut a = vec![vec![BigInt::ZERO; order]; order];
    entries.iter().for_each(|(at, v)| a[at / order][at % order] = v.to_bigint());
    let (mut last, mut odd) = (BigInt::one(), false);
    for k in 0..order {
        let Some(i) = (k..order).find(|&i| !a[i][k].is_zero()) else { return BigInt::ZERO };
        if i != k {
            a.swap(i, k);
            odd = !odd;
        }
        let (done, rest) = a.split_at_mut(k + 1);
        let top = &done[k];
        for row in rest {
            let factor = row[k].clone();
            let rest = row[k + 1..].iter_mut().zip(&top[k + 1..]);
            rest.for_each(|(x, u)| *x = (&*x * &top[k] - &factor * u) / &last);
        }
        last = top[k].clone();
    }
    if odd { -last } else { last }
}
