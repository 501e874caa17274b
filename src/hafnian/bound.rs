//! How large a hafnian, and a number of matchings of a given size, can be: proven upper bounds in bits.
//!
//! | rule | bound | source |
//! |---|---|---|
//! | permanent | \|haf A\|² ≤ perm \|A\| | N. Alon, S. Friedland, Electron. J. Combin. 15 (2008) N13, for 0–1 matrices |
//! | degrees | Σₖ \|mₖ\| ≤ Πᵥ (1 + sᵥ), sᵥ the sum of \|weights\| to later vertices, in any order | below |
//!
//! The first: two perfect matchings are together a cover of the vertices by even cycles and double edges; a cover with
//! c cycles of length at least 4 comes from 2ᶜ ordered pairs of matchings, and is the cycle cover of 2ᶜ permutations,
//! each with the product of the weights. So (haf |A|)² is the part of perm |A| with even cycles only. Every bound on
//! permanents applies ([`permanent_bound`]). The second: Z(G) = Z(G - v) + Σ |a_vw| Z(G - v - w) ≤ (1 + sᵥ) Z(G - v).

use super::WeightedGraph;
use crate::Result;
use crate::integers::{Bound, FRACTION, log2_of_product};
use crate::permanent::bound::permanent_bound;
use num_bigint::BigUint;
use num_traits::One;

/// A bound on the sum over the perfect matchings.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn hafnian_bound(graph: &WeightedGraph) -> Result<Bound> {
    let bits = permanent_bound(&graph.matrix()?)?.bits.div_ceil(2);
    Ok(Bound { bits, rule: "the square root of a bound on the permanent" })
}

/// A bound on the sum of the absolute values of the sums over the matchings of each size.
pub fn matchings_bound(graph: &WeightedGraph) -> Bound {
    // Vertices of low remaining degree first.
    let n = graph.n();
    let mut degree: Vec<usize> = (0..n as u32).map(|v| graph.degree(v)).collect();
    let mut queue: std::collections::BTreeSet<(usize, u32)> = (0..n as u32).map(|v| (degree[v as usize], v)).collect();
    let mut gone = vec![false; n];
    let mut factors = Vec::with_capacity(n);
    while let Some((_, v)) = queue.pop_first() {
        gone[v as usize] = true;
        let mut factor = BigUint::one();
        for (w, x) in graph.edges_of(v).iter().filter(|(w, _)| !gone[*w as usize]) {
            factor += x.magnitude();
            queue.remove(&(degree[*w as usize], *w));
            degree[*w as usize] -= 1;
            queue.insert((degree[*w as usize], *w));
        }
        factors.push(factor);
    }
    let units = log2_of_product(factors.into_iter()).unwrap_or(0);
    Bound { bits: units.div_ceil(1 << FRACTION), rule: "the product over the vertices of 1 + weights to later ones" }
}
