//! The adjacency matrix of a graph: a row and a column for each vertex, aᵤᵥ the weight of the edge from u to v, 1 if it
//! has none.
//!
//! That of an undirected graph is symmetric; a loop counts once, on the diagonal. An edge that a file gives twice (in
//! either direction, where it has none) is one edge, and must have one weight; only where a file says that it holds a
//! multigraph are the weights of parallel edges summed. The two sides of a bipartite graph are vertices like any other.

use crate::io::entries::Entries;
use crate::io::options::ReadOptions;
use crate::io::text::Text;
#[cfg(any(feature = "serde", feature = "graphml"))]
use crate::io::text::quote;
use crate::sparse::{Fraction, Integer, RationalMatrix};
use crate::{Result, memory};
use std::collections::HashMap;

/// How errors name them.
const EDGES: &str = "the edges of a graph";

/// A graph as it is read.
#[derive(Default)]
pub(in crate::io) struct Graph {
    pub directed: bool,
    /// Whether parallel edges count.
    pub multi: bool,
    pub vertices: u64,
    edges: Vec<Edge>,
    /// The weights other than 1, by the number of the edge.
    weights: HashMap<usize, Fraction<'static>>,
}

#[derive(Clone, Copy)]
struct Edge {
    ends: (u32, u32),
    line: u64,
    /// The number of the edge.
    number: usize,
}

impl Graph {
    /// A graph with that many vertices, without parallel edges.
    pub fn new(vertices: u64, directed: bool) -> Self {
        Graph { vertices, directed, ..Graph::default() }
    }

    /// Edges so far, as the file gives them.
    pub fn given(&self) -> usize {
        self.edges.len()
    }

    /// Adds the edge from u to v, 0-based, found in that line.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn edge(&mut self, u: u32, v: u32, weight: Option<Fraction<'static>>, line: u64) -> Result<()> {
        let ends = if self.directed { (u, v) } else { (u.min(v), u.max(v)) };
        let number = self.edges.len();
        if let Some(weight) = weight.filter(|weight| *weight != one()) {
            memory::reserve_table(&mut self.weights, 1, EDGES)?;
            self.weights.insert(number, weight);
        }
        memory::push(&mut self.edges, Edge { ends, line, number }, EDGES)
    }

    /// The number of different edges; parallel ones are merged.
    ///
    /// # Errors
    /// [`Error::Input`](crate::Error::Input) for two weights of one edge.
    pub fn merge(&mut self, text: &Text<'_>) -> Result<usize> {
        self.edges.sort_unstable_by_key(|edge| (edge.ends, edge.number));
        if self.multi {
            return Ok(self.edges.len());
        }
        for pair in self.edges.windows(2).filter(|pair| pair[0].ends == pair[1].ends) {
            let [first, again] = [pair[0], pair[1]].map(|edge| self.weight(&edge));
            if first != again {
                let message = format!(
                    "this edge has the weight {again}, and {first} in line {}: expected one weight for an edge{}",
                    pair[0].line,
                    if self.directed { "" } else { " (for a directed graph, say --layout arcs)" }
                );
                return Err(text.error(pair[1].line, message));
            }
        }
        self.edges.dedup_by_key(|edge| edge.ends);
        Ok(self.edges.len())
    }

    fn weight(&self, edge: &Edge) -> Fraction<'static> {
        self.weights.get(&edge.number).cloned().unwrap_or_else(one)
    }

    /// The adjacency matrix.
    ///
    /// # Errors
    /// [`Error::Input`](crate::Error::Input) for two weights of one edge, [`Error::Memory`](crate::Error::Memory).
    pub fn finish(mut self, text: &Text<'_>, options: &ReadOptions) -> Result<RationalMatrix> {
        self.merge(text)?;
        let mut entries = Entries::new(options);
        for edge in &self.edges {
            let ((u, v), mut weight) = (edge.ends, self.weight(edge));
            if options.pattern && !weight.is_zero() {
                weight = one();
            }
            if u != v && !self.directed {
                entries.push_fraction(v, u, weight.clone(), edge.line)?;
            }
            entries.push_fraction(u, v, weight, edge.line)?;
        }
        entries.finish(self.vertices, self.vertices)
    }
}

/// The weight of an edge without one.
fn one() -> Fraction<'static> {
    Integer::Small(1).into()
}

/// Vertices known by name, numbered in the order in which they appear.
#[derive(Default)]
pub(in crate::io) struct Names {
    numbers: HashMap<Vec<u8>, u32>,
}

impl Names {
    /// The number of a vertex, a new one for a new name.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn number(&mut self, name: &[u8]) -> Result<u32> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        memory::reserve_table(&mut self.numbers, 1, "the names of vertices")?;
        let number = self.numbers.len() as u32;
        self.numbers.insert(name.to_vec(), number);
        Ok(number)
    }

    /// The number of a vertex that there must be.
    #[cfg(any(feature = "serde", feature = "graphml"))]
    pub fn find(&self, name: &[u8]) -> std::result::Result<u32, String> {
        self.numbers.get(name).copied().ok_or_else(|| format!("expected one of the vertices, found {}", quote(name)))
    }

    /// How many there are.
    #[cfg(any(feature = "serde", feature = "graphml"))]
    pub fn len(&self) -> u64 {
        self.numbers.len() as u64
    }
}
