//! Degree-1 Nullstellensatz systems of 3-colourability.
//!
//! A graph is 3-colourable exactly if x_v³ + 1 = 0 (in characteristic 2; for the pattern the sign does not matter) and
//! x_i² + x_i x_j + x_j² = 0 for every edge have a common solution. Columns: x_k (x_i² + x_i x_j + x_j²) for every edge
//! ij and vertex k, and x_v³ + 1 for one vertex v; rows: their monomials in the order in which they first appear;
//! entries 1. Source: J. De Loera, J. Lee, P. Malkin, S. Margulies, *Hilbert's Nullstellensatz and an algorithm for
//! proving combinatorial infeasibility*, ISSAC 2008.

use super::assemble::{Shape, ones_at};
use super::combinatorics::{binomial, product};
use super::graphs::{Graph, kneser, squared_cycle, wheel};
use crate::sparse::Triplets;
use crate::{Error, Result, memory};
use rayon::prelude::*;

/// A monomial of degree 3, its variables ascending, in 32 bits each; the monomial 1 is `ONE`.
type Monomial = u128;
const ONE: Monomial = Monomial::MAX;

fn cubic(mut variables: [usize; 3]) -> Monomial {
    variables.sort_unstable();
    variables.iter().fold(0, |m, &x| m << 32 | x as u128)
}

/// Checks the size before the graph is built; n vertices, `edges` edges.
fn check(n: Option<u128>, edges: Option<u128>) -> Result<()> {
    let cols = product([n, edges]).and_then(|x| x.checked_add(1));
    // There are at most as many monomials as entries.
    Shape::checked(Some(0), cols, cols.and_then(|c| c.checked_mul(3)).map(|x| x - 1)).map(|_| ())
}

/// The system of a wheel with k ≥ 3 spokes, x_v a vertex of the rim.
pub(super) fn of_wheel(k: usize) -> Result<Triplets> {
    if k < 3 {
        return Err(Error::Usage(format!("a wheel with {k} spokes: at least 3 are needed")));
    }
    check(Some(k as u128 + 1), Some(2 * k as u128))?;
    system(&wheel(k), 1)
}

/// The system of the square of the 2k-cycle, k ≥ 3.
pub(super) fn of_squared_cycle(k: usize) -> Result<Triplets> {
    if k < 3 {
        return Err(Error::Usage(format!("the square of the {}-cycle: a cycle of length 6 at least is needed", 2 * k)));
    }
    check(Some(2 * k as u128), Some(4 * k as u128))?;
    system(&squared_cycle(k), 0)
}

/// The system of the Kneser graph of k-subsets of n points, n ≥ 2k.
pub(super) fn of_kneser(n: usize, k: usize) -> Result<Triplets> {
    if k == 0 || n < 2 * k {
        return Err(Error::Usage(format!(
            "the Kneser graph of {k}-subsets of {n} points has no edge: n >= 2k >= 2 is needed"
        )));
    }
    let vertices = binomial(n as u128, k as u128);
    let edges = product([vertices, binomial((n - k) as u128, k as u128)]).map(|x| x / 2);
    check(vertices, edges)?;
    system(&kneser(n, k), 0)
}

/// What the memory is for.
const MONOMIALS: &str = "the monomials of a system";

fn system(graph: &Graph, v: usize) -> Result<Triplets> {
    let n = graph.n;
    let mut monomials: Vec<Monomial> = memory::with_capacity(3 * n * graph.edges.len() + 2, MONOMIALS)?;
    for &(i, j) in &graph.edges {
        for k in 0..n {
            monomials.extend([cubic([k, i, i]), cubic([k, i, j]), cubic([k, j, j])]);
        }
    }
    monomials.extend([cubic([v, v, v]), ONE]);
    let cols = n * graph.edges.len() + 1;
    // Number the monomials by first appearance: sort (monomial, position), keep the first of each, sort by position.
    let mut order: Vec<usize> = memory::collect(0..monomials.len(), MONOMIALS)?;
    order.par_sort_unstable_by_key(|&at| (monomials[at], at));
    let groups = memory::collect(order.chunk_by(|&a, &b| monomials[a] == monomials[b]), MONOMIALS)?;
    let mut first = memory::collect(groups.iter().enumerate().map(|(g, group)| (group[0], g)), MONOMIALS)?;
    first.par_sort_unstable();
    let shape = Shape::checked(Some(groups.len() as u128), Some(cols as u128), Some(monomials.len() as u128))?;
    let rows_of_groups = first.iter().enumerate().flat_map(|(row, &(_, g))| groups[g].iter().map(move |&at| (row, at)));
    // Three monomials per column, then the two of the last column.
    let places = rows_of_groups.map(|(row, at)| (row as u32, (at / 3) as u32));
    ones_at(shape.rows, shape.cols, memory::collect(places, MONOMIALS)?)
}
