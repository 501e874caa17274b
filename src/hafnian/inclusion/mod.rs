//! Hafnians of dense matrices by inclusion and exclusion over pairs of vertices: 2^(n/2) terms, O(n²·2^(n/2)) products.
//!
//! A. Björklund, *Counting perfect matchings as fast as Ryser* (SODA 2012), in the recursive form that shares work
//! between terms. Pair the vertices (0, 1), (2, 3), …, m = n/2 pairs. A perfect matching and these pairs together are
//! closed walks that alternate between the two; sums over all collections of closed walks on a subset of the pairs,
//! with the sign of inclusion and exclusion, leave those that visit each pair exactly once. With b a symmetric matrix
//! of polynomials in x (initially the weights) and F(b, g) = [xᵐ] g · f(b), where f(b) = 1 if there are no vertices:
//!
//! ```text
//! f(b) = (1 + x·b_uv) · f(b') - f(b''),     u, v the last pair, b'' = b without it,
//! b'_ik = b_ik + x·(b_ui·b_vk + b_vi·b_uk)  for the other vertices: walks that pass through the pair
//! haf A = [xᵐ] f(A)
//! ```
//!
//! (`tests` has the naive sum). Only the coefficients below xᵐ of b matter, and half of all products fall on the last
//! few pairs: Σ over j pairs left of 2^(m-j)·C(2j-2, 2)·m² ≈ 5·m²·2ᵐ multiply-adds. The power-trace formula of A.
//! Björklund, B. Gupt, N. Quesada (ACM J. Exp. Algorithmics 24, 2019) takes a characteristic polynomial, O(n³), for
//! each of the same 2ᵐ terms.
//!
//! There is no division: modulo 2⁶⁴ words multiply as they are; further residues are modulo primes small enough for the
//! sums of a coefficient to be reduced once ([`prime_bits`]). The top of the recursion is cut into 2^k independent
//! *parts*, summed in parallel; their sums so far are the state of a checkpoint.

mod journal;
mod part;
mod product;
#[cfg(feature = "serde")]
mod store;
#[cfg(not(feature = "serde"))]
#[path = "no_store.rs"]
mod store;

use super::residues::{Pass, assemble, passes};
use super::{Options, WeightedGraph};
use crate::cost::Hafnian;
use crate::integers::Bound;
use crate::permanent::Exact;
use crate::{Error, Observer, Result};
use journal::Journal;
use part::{Part, Sum};
use rayon::prelude::*;

/// The largest number of pairs: polynomials have as many coefficients.
pub const PAIRS: usize = 40;
/// The parts that one thread computes between two looks at the clock.
const BATCH: usize = 8;

/// The size of primes for which the 2m products that a coefficient sums stay below 2⁶⁴.
///
/// 2m·(p - 1)² < 2⁶⁴ holds for p ≤ 2^b if 2b + ⌈log₂ 2m⌉ ≤ 64.
pub fn prime_bits(pairs: usize) -> u32 {
    let terms = (2 * pairs.max(1)).next_power_of_two();
    (64 - terms.trailing_zeros()) / 2
}

/// Multiply-adds of one pass with m pairs, as `product` does them.
pub fn products(pairs: usize) -> f64 {
    let lanes = pairs.next_multiple_of(product::LANES) as f64;
    let square = lanes * (lanes + product::LANES as f64);
    let nodes = |j: usize| 2f64.powi((pairs - j) as i32);
    (2..=pairs).map(|j| nodes(j) * (((2 * j - 2) * (2 * j - 3)) as f64 / 2.0 * square + square / 2.0)).sum()
}

/// Predicted seconds of one thread and bytes of all threads.
///
/// # Errors
/// None in practice, as [`passes`].
pub fn predict(graph: &WeightedGraph, bound: Bound, prices: &Hafnian) -> Result<(f64, f64)> {
    let pairs = graph.n() / 2;
    let count = passes(bound, prime_bits(pairs))?.len() as f64;
    let entries: f64 = (1..=pairs).map(|j| (j * (2 * j - 1)) as f64).sum();
    let bytes = 8.0 * entries * pairs.next_multiple_of(product::LANES) as f64;
    Ok((count * products(pairs) * prices.product, (rayon::current_num_threads() + 1) as f64 * bytes))
}

/// The binary logarithm of the number of parts: enough for the threads of a large machine, few enough that repeating
/// the first decisions for each of them is cheap. It depends on nothing but the size, so that checkpoints fit
/// everywhere.
fn cuts(pairs: usize) -> usize {
    match pairs {
        0..=2 => 0,
        3..=7 => pairs.min(5) - 2,
        8..=15 => 5,
        _ => (pairs - 14).clamp(6, 20),
    }
}

/// The hafnian, proven.
///
/// # Errors
/// [`Error::Usage`] if there are more than [`PAIRS`] pairs; [`Error::Memory`]; [`Error::Interrupted`]; for a checkpoint
/// [`Error::Io`] and [`Error::Input`].
pub fn hafnian(graph: &WeightedGraph, bound: Bound, options: &Options, observer: &dyn Observer) -> Result<Exact> {
    let pairs = graph.n() / 2;
    if pairs > PAIRS {
        let most = 2 * PAIRS;
        return Err(Error::Usage(format!("method inclusion-exclusion takes graphs of up to {most} vertices")));
    }
    let passes = passes(bound, prime_bits(pairs))?;
    let parts = 1u64 << cuts(pairs);
    let mut journal = Journal::open(graph, &passes, parts, options)?;
    observer.phase("parts", parts);
    observer.restored(journal.next());
    let resumed = journal.resumed();
    let sums: Vec<Sum> = passes.iter().map(|&pass| Sum::new(graph, pass)).collect::<Result<_>>()?;
    while journal.next() < parts {
        if observer.cancelled() {
            journal.interrupt()?;
        }
        let end = (journal.next() + (BATCH * rayon::current_num_threads()) as u64).min(parts);
        let found: Vec<Vec<u64>> = (journal.next()..end)
            .into_par_iter()
            .map(|part| sums.iter().map(|sum| sum.part(Part { number: part, cuts: cuts(pairs) })).collect())
            .collect::<Result<_>>()?;
        journal.advance(end, &found)?;
        observer.progress(end);
    }
    let value = assemble(&passes, &journal.close()?);
    let moduli = passes.into_iter().map(Pass::modulus).collect();
    Ok(Exact { value, moduli, bound: Some(bound), resumed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use crate::hafnian::bound::hafnian_bound;
    use crate::hafnian::oracle::{complete, naive_hafnian, random};
    use num_bigint::BigInt;
    use rand::SeedableRng;

    fn by_parts(graph: &WeightedGraph) -> BigInt {
        let bound = hafnian_bound(graph).unwrap();
        hafnian(graph, bound, &Options::default(), &Silent).unwrap().value
    }

    #[test]
    fn random_matrices() {
        let mut rng = Rng::seed_from_u64(11);
        for round in 0..150 {
            let graph = random(2 * (round % 10), &mut rng);
            assert_eq!(by_parts(&graph), naive_hafnian(&graph), "{graph:?}");
        }
    }

    #[test]
    fn double_factorials() {
        let mut expected = BigInt::from(1);
        for pairs in 1..=13u32 {
            expected *= 2 * pairs - 1;
            assert_eq!(by_parts(&complete(2 * pairs as usize)), expected);
        }
    }

    #[test]
    fn sums_of_products_fit_a_word() {
        for pairs in 1..=PAIRS {
            let p = (1u128 << prime_bits(pairs)) - 1;
            assert!(2 * pairs as u128 * (p - 1) * (p - 1) < 1 << 64, "{pairs}");
            assert!(2 * pairs as u128 * 4 * (p + 1) * (p + 1) >= 1 << 63, "{pairs}: larger primes would do");
            let parts = 1usize << cuts(pairs);
            assert!(cuts(pairs) + 2 <= pairs || parts == 1, "{pairs}");
        }
    }
}
