//! Complexes of graphs that are not c-connected: the faces are the edge sets on n vertices that leave the graph less
//! than c-connected.
//!
//! `ncN-bK` (c = 1), `n2cN-bK` (c = 2) and `n3cN-bK` (c = 3) are boundary matrices ∂_K: rows are the edge sets of size
//! K+1, columns those of size K, edges numbered lexicographically, faces in lexicographic order, entry (-1)ⁱ where the
//! i-th edge is dropped. A graph is not c-connected exactly if it lies in one of the maximal such graphs: K_n without
//! the edges between two parts that c-1 vertices separate. Faces are bit sets with edge e at bit 63-e, so that
//! descending numbers are the lexicographic order and a face's position is found by bisection.

use super::assemble::{Shape, constant_rows};
use super::combinatorics::{binomial, product, subsets};
use super::complex::{boundary_ranks, sign};
use crate::field::Modulus;
use crate::sparse::Triplets;
use crate::{Error, Result};
use num_bigint::BigUint;
use rayon::prelude::*;

/// The maximum number of edge sets to visit: a bound on the time of an enumeration.
const MAX_VISITED: u128 = 1 << 32;
/// The same for a rank from theory, which should answer at once.
const MAX_VISITED_FOR_RANK: u128 = 1 << 22;

/// Edge e = {a, b}, a < b, of K_n in lexicographic order, as a bit.
fn edge_bits(n: usize) -> Vec<(usize, usize, u64)> {
    subsets(n, 2).into_iter().zip(0..).map(|(edge, e)| (edge[0], edge[1], 1u64 << (63 - e))).collect()
}

/// The maximal graphs on n vertices that are not c-connected, as edge sets.
fn maximal_graphs(n: usize, c: usize) -> Vec<u64> {
    let edges = edge_bits(n);
    let mut graphs = Vec::new();
    for separator in subsets(n, c - 1) {
        let rest: Vec<usize> = (0..n).filter(|v| !separator.contains(v)).collect();
        // One side of the cut, never with the last vertex: every unordered pair of sides occurs once.
        for side in 1u64..1 << (rest.len() - 1) {
            let at = |v: usize| rest.iter().position(|&w| w == v).map(|i| side >> i & 1);
            let crosses = |&&(a, b, _): &&(usize, usize, u64)| matches!((at(a), at(b)), (Some(x), Some(y)) if x != y);
            let removed: u64 = edges.iter().filter(crosses).map(|&(_, _, bit)| bit).sum();
            graphs.push(edges.iter().map(|&(_, _, bit)| bit).sum::<u64>() & !removed);
        }
    }
    graphs
}

/// All faces with r edges, in lexicographic order (descending as numbers).
fn faces(n: usize, graphs: &[u64], r: usize) -> Vec<u64> {
    let edges = n * (n - 1) / 2;
    let is_face = |face: u64| graphs.iter().any(|graph| face & !graph == 0);
    // Subsets of faces are faces: an edge set that is not a face is not extended.
    fn extend(face: u64, from: usize, left: usize, edges: usize, is_face: &impl Fn(u64) -> bool, found: &mut Vec<u64>) {
        if left == 0 {
            found.push(face);
            return;
        }
        for e in from..=edges - left {
            let larger = face | 1 << (63 - e);
            if is_face(larger) {
                extend(larger, e + 1, left - 1, edges, is_face, found);
            }
        }
    }
    if r == 0 {
        return vec![0];
    }
    let starting_with = |e: usize| {
        let mut found = Vec::new();
        let first = 1 << (63 - e);
        if is_face(first) {
            extend(first, e + 1, r - 1, edges, &is_face, &mut found);
        }
        found
    };
    (0..=edges - r).into_par_iter().flat_map_iter(starting_with).collect()
}

/// The boundary matrix ∂_k of the complex of not c-connected graphs on n vertices.
pub(super) fn boundary(c: usize, n: usize, k: usize) -> Result<Triplets> {
    of_width(c, n, k, |faces| faces)
}

/// The same for c = 3 as it was published: n3c6-b1 has as many columns as rows, 90 of them empty.
pub(super) fn published_boundary(n: usize, k: usize) -> Result<Triplets> {
    of_width(3, n, k, |faces| if (n, k) == (6, 1) { 105 } else { faces })
}

/// The dimension of the complex of not c-connected graphs on n vertices: the most edges that such a graph has, those of
/// a complete graph on n - 1 vertices and c - 1 more, less one.
pub(super) fn dimension(c: usize, n: usize) -> Result<usize> {
    edges(c, n)?;
    let most = (n - 1) * (n - 2) / 2 + (c - 1);
    most.checked_sub(1).ok_or_else(|| Error::Usage(format!("a graph of {n} vertices with an edge is connected")))
}

/// How many edges the complete graph has, where the complex is not too large.
fn edges(c: usize, n: usize) -> Result<usize> {
    let edges = binomial(n as u128, 2).filter(|&e| n > c && e <= 64).map(|e| e as usize);
    let range = || format!("{n} vertices: the complex of not {c}-connected graphs takes {} to 11", c + 1);
    edges.ok_or_else(|| Error::Usage(range()))
}

fn of_width(c: usize, n: usize, k: usize, width: impl Fn(usize) -> usize) -> Result<Triplets> {
    let r = k + 1;
    let (edges, largest) = (edges(c, n)?, dimension(c, n)?);
    if k > largest {
        return Err(Error::Usage(format!(
            "a graph on {n} vertices with {r} edges is {c}-connected; the largest boundary matrix is b{largest}"
        )));
    }
    let graphs = maximal_graphs(n, c);
    if binomial(edges as u128, r as u128).is_none_or(|x| x > MAX_VISITED) {
        return Err(Error::Usage(format!(
            "more than 2^32 edge sets of size {r} on {n} vertices would have to be visited"
        )));
    }
    let (long, short) = (faces(n, &graphs, r), faces(n, &graphs, k));
    let cols = width(short.len());
    let rows = Some(long.len() as u128);
    let shape = Shape::checked(rows, Some(cols as u128), product([rows, Some(r as u128)]))?;
    constant_rows(
        shape,
        || (),
        |_, i, cols, values| {
            // The lowest bit is the last edge; dropping it gives the earliest of the faces.
            let mut rest = long[i];
            for (slot, dropped) in (0..r).rev().enumerate() {
                let edge = rest & rest.wrapping_neg();
                rest &= rest - 1;
                let face = long[i] & !edge;
                cols[slot] = short.partition_point(|&other| other > face) as u32;
                values[slot] = sign(dropped);
            }
        },
    )
}

/// The rank of ∂_k, the same over every field.
///
/// The complex is a wedge of spheres: (n-1)! of dimension n-3 for c = 1 (it is the order complex of the lattice of
/// partitions up to homotopy: V. A. Vassiliev, *Complexes of connected graphs*, 1993), (n-2)! of dimension 2n-5 for c =
/// 2, (n-3)·(n-2)!/2 of dimension 2n-4 for c = 3 (E. Babson, A. Björner, S. Linusson, J. Shareshian, V. Welker,
/// *Complexes of not i-connected graphs*, Topology 38 (1999)): its homology is free. The face numbers are counted;
/// `None` if that would take too long.
pub(super) fn rank(c: usize, n: usize, k: usize, _p: Option<Modulus>) -> Option<usize> {
    let edges = binomial(n as u128, 2).filter(|&e| n > c && e <= 64)?;
    let visited = (0..=k as u128).try_fold(0u128, |sum, r| sum.checked_add(binomial(edges, r)?))?;
    if visited > MAX_VISITED_FOR_RANK || k > dimension(c, n).ok()? {
        return None;
    }
    let graphs = maximal_graphs(n, c);
    let (size, spheres) = spheres(c, n)?;
    let betti = |r: usize| if r == size { spheres.clone() } else { BigUint::ZERO };
    boundary_ranks(k, |r| Some(faces(n, &graphs, r).len() as u128), betti)
}

/// The number of vertices of the simplices that carry the homology of the complex, and their number; `None` unless 1 ≤
/// c ≤ 3.
fn spheres(c: usize, n: usize) -> Option<(usize, BigUint)> {
    let factorial = |n: usize| (1..=n).map(BigUint::from).product::<BigUint>();
    match c {
        1 => Some((n - 2, factorial(n - 1))),
        2 => Some((2 * n - 4, factorial(n - 2))),
        3 => Some((2 * n - 3, factorial(n - 2) * BigUint::from(n - 3) / BigUint::from(2u32))),
        _ => None,
    }
}
