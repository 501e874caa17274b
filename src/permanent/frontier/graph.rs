//! The bipartite graph of a matrix: rows are the vertices 0 … n-1, columns the vertices n … 2n-1, entries weighted
//! edges.

use crate::permanent::IntMatrix;
use num_bigint::BigInt;
use std::collections::HashMap;

/// An edge to a vertex of the other side, with the index of its weight in [`Graph::weights`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Edge {
    pub to: u32,
    pub weight: u32,
}

/// Invariant: `edges[v]` ascends by `to`; the graph is symmetric.
pub(super) struct Graph {
    pub edges: Vec<Vec<Edge>>,
    /// The distinct entries.
    pub weights: Vec<BigInt>,
}

impl Graph {
    pub fn new(a: &IntMatrix) -> Self {
        let n = a.n();
        let mut graph = Graph { edges: vec![Vec::new(); 2 * n], weights: Vec::new() };
        let mut index: HashMap<BigInt, u32> = HashMap::new();
        for (i, j, v) in a.entries() {
            let v = v.to_bigint();
            let weight = *index.entry(v).or_insert_with_key(|v| {
                graph.weights.push(v.clone());
                graph.weights.len() as u32 - 1
            });
            graph.edges[i].push(Edge { to: (n + j) as u32, weight });
            graph.edges[n + j].push(Edge { to: i as u32, weight });
        }
        graph
    }

    /// Number of rows, and of columns.
    pub fn n(&self) -> usize {
        self.edges.len() / 2
    }
    /// 0 for a row, 1 for a column.
    pub fn side(&self, v: usize) -> usize {
        usize::from(v >= self.n())
    }
}
