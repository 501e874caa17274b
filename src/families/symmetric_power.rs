//! The symmetric third power of a graph: its vertices are the 3-subsets of the graph's, adjacent where one vertex moves
//! along an edge (three indistinguishable tokens, one step).
//!
//! Source: K. Audenaert, C. Godsil, G. Royle, T. Rudolph, *Symmetric squares of graphs*, J. Combin. Theory B 97 (2007):
//! the spectra of higher powers distinguish strongly regular graphs. `EX1` and `EX2` are the symmetric cubes of the two
//! strongly regular graphs (16, 6, 2, 2), `EX3`, `EX5`, `EX6` those of disjointness graphs of Steiner triple systems.

use super::assemble::{Shape, by_rows};
use super::combinatorics::{Subsets, subsets};
use super::graphs::Graph;
use crate::Result;
use crate::sparse::Triplets;

/// The adjacency matrix of the symmetric third power, 3-subsets in lexicographic order.
pub(super) fn symmetric_cube(graph: &Graph) -> Result<Triplets> {
    let (places, vertices) = (Subsets::new(graph.n, 3), subsets(graph.n, 3));
    let neighbours = graph.neighbours();
    let moves = |v: &[usize]| -> Vec<(usize, usize)> {
        let step = |&x: &usize| neighbours[x].iter().map(move |&y| (x, y));
        v.iter().flat_map(step).filter(|(_, y)| !v.contains(y)).collect()
    };
    let nnz: usize = vertices.iter().map(|v| moves(v).len()).sum();
    let n = Some(vertices.len() as u128);
    by_rows(Shape::checked(n, n, Some(nnz as u128))?, |i, row| {
        for (x, y) in moves(&vertices[i]) {
            let mut moved: Vec<usize> = vertices[i].iter().map(|&z| if z == x { y } else { z }).collect();
            moved.sort_unstable();
            row.push((places.rank(3, moved.into_iter()) as usize, 1));
        }
    })
}
