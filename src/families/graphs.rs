//! Graphs as the families built on them need them: an edge list in a fixed order; and the reduced Laplacian of the
//! hypercube.

use super::assemble::{Shape, by_rows};
use super::combinatorics::{binomial, product, subsets};
use super::designs::Block;
use crate::field::Modulus;
use crate::sparse::Triplets;
use crate::{Error, Result};

/// An undirected graph on 0 … n-1: every edge once, in the order that numbers the columns built from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Graph {
    pub n: usize,
    pub edges: Vec<(usize, usize)>,
}

impl Graph {
    /// The graph on n vertices with all edges a < b that satisfy the condition, lexicographically.
    pub fn where_adjacent(n: usize, adjacent: impl Fn(usize, usize) -> bool) -> Self {
        let edges = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).filter(|&(a, b)| adjacent(a, b)).collect();
        Graph { n, edges }
    }

    /// Neighbours of every vertex.
    pub fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut lists = vec![Vec::new(); self.n];
        for &(a, b) in &self.edges {
            lists[a].push(b);
            lists[b].push(a);
        }
        lists
    }
}

/// The wheel: hub 0 joined to the cycle 1 … k, spokes first.
pub(super) fn wheel(k: usize) -> Graph {
    let spokes = (1..=k).map(|i| (0, i));
    Graph { n: k + 1, edges: spokes.chain((1..=k).map(|i| (i, i % k + 1))).collect() }
}

/// The square of the 2k-cycle: i joined to i ± 1 and i ± 2 (k ≥ 3).
pub(super) fn squared_cycle(k: usize) -> Graph {
    let n = 2 * k;
    let mut edges: Vec<_> = (0..n).flat_map(|i| [1, 2].map(|d| (i.min((i + d) % n), i.max((i + d) % n)))).collect();
    edges.sort_unstable();
    edges.dedup();
    Graph { n, edges }
}

/// The Kneser graph: k-subsets of n points, adjacent where disjoint.
pub(super) fn kneser(n: usize, k: usize) -> Graph {
    let vertices = subsets(n, k);
    let disjoint = |a: usize, b: usize| !vertices[a].iter().any(|x| vertices[b].contains(x));
    Graph::where_adjacent(vertices.len(), disjoint)
}

/// The 4 × 4 rook graph: equal row or equal column.
pub(super) fn rook() -> Graph {
    Graph::where_adjacent(16, |a, b| a / 4 == b / 4 || a % 4 == b % 4)
}

/// The Shrikhande graph: the Cayley graph of ℤ₄² with ±(1,0), ±(0,1), ±(1,1).
pub(super) fn shrikhande() -> Graph {
    Graph::where_adjacent(16, |a, b| {
        matches!(((b / 4 + 4 - a / 4) % 4, (b % 4 + 4 - a % 4) % 4), (1 | 3, 0) | (0, 1 | 3) | (1, 1) | (3, 3))
    })
}

/// The blocks of a design, adjacent where disjoint.
pub(super) fn disjoint_blocks(blocks: &[Block]) -> Graph {
    Graph::where_adjacent(blocks.len(), |a, b| blocks[a] & blocks[b] == 0)
}

/// The Laplacian of the d-dimensional hypercube without the row and column of vertex 0; its determinant is the number
/// of spanning trees, 2^(2^d - d - 1) · Π k^C(d,k).
pub(super) fn hypercube_laplacian(d: usize) -> Result<Triplets> {
    if !(1..=31).contains(&d) {
        return Err(Error::Usage(format!("a hypercube of dimension {d}: 1 <= d <= 31 is needed")));
    }
    let n = 1u128 << d;
    // Every vertex has itself and d neighbours; the d neighbours of vertex 0 lack one.
    let nnz = product([Some(n - 1), Some(d as u128 + 1)]).map(|x| x - d as u128);
    let shape = Shape::checked(Some(n - 1), Some(n - 1), nnz)?;
    by_rows(shape, |i, row| {
        let vertex = i + 1;
        row.push((i, d as i64));
        row.extend((0..d).map(|e| vertex ^ 1 << e).filter(|&w| w > 0).map(|w| (w - 1, -1)));
    })
}

/// The rank of the reduced Laplacian: 2^d - 1 over ℚ; mod an odd p the corank is the number of k ≤ d divisible by p,
/// counted C(d,k) times, mod 2 it is 2^(d-1) - 1 (H. Bai, *On the critical group of the n-cube*, Linear Algebra Appl.
/// 369 (2003)).
pub(super) fn hypercube_laplacian_rank(d: usize, p: Option<Modulus>) -> Option<usize> {
    if !(1..=31).contains(&d) {
        return None;
    }
    let corank = match p.map(Modulus::get) {
        None => 0,
        Some(2) => (1 << (d - 1)) - 1,
        Some(p) => (1..=d as u128)
            .filter(|k| k.is_multiple_of(u128::from(p)))
            .map(|k| binomial(d as u128, k).expect("below 2^31"))
            .sum::<u128>() as usize,
    };
    Some((1 << d) - 1 - corank)
}
