//! Simple undirected graphs by half-edges, and their embeddings as rotation systems.
//!
//! Edge k of a graph is the pair of half-edges 2k and 2k + 1, which leave its two ends; `h ^ 1` is the twin of h. A
//! *rotation* orders the half-edges around every vertex; it is an embedding in the plane if and only if every connected
//! component with vertices V, edges E and face walks F has V - E + F = 2 (Euler), which the caller checks by
//! [`Rotation::faces`]: an embedding is its own proof.

use crate::sparse::Pattern;

/// No vertex, half-edge or face.
pub(crate) const NONE: u32 = u32::MAX;

/// A simple graph.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    /// The vertex that each half-edge leaves.
    tail: Vec<u32>,
    /// `around[start[v]..start[v + 1]]`: the half-edges that leave v.
    start: Vec<u32>,
    around: Vec<u32>,
}

impl Graph {
    /// The graph with the given edges, each once and without loops.
    pub(crate) fn new(vertices: usize, edges: impl Iterator<Item = (u32, u32)>) -> Self {
        let tail: Vec<u32> = edges.flat_map(|(u, v)| [u, v]).collect();
        let mut start = vec![0u32; vertices + 1];
        tail.iter().for_each(|&v| start[v as usize + 1] += 1);
        for v in 0..vertices {
            start[v + 1] += start[v];
        }
        let mut at = start.clone();
        let mut around = vec![0; tail.len()];
        for (h, &v) in tail.iter().enumerate() {
            around[at[v as usize] as usize] = h as u32;
            at[v as usize] += 1;
        }
        Graph { tail, start, around }
    }

    /// The bipartite graph of a pattern: vertices are the rows, then the columns; edges are the entries in their order.
    pub(crate) fn bipartite(pattern: &Pattern) -> Self {
        let rows = pattern.rows() as u32;
        Graph::new(pattern.rows() + pattern.cols(), pattern.entries().map(|(i, j)| (i, rows + j)))
    }

    pub(crate) fn vertices(&self) -> usize {
        self.start.len() - 1
    }
    pub(crate) fn edges(&self) -> usize {
        self.tail.len() / 2
    }
    pub(crate) fn tail(&self, h: u32) -> u32 {
        self.tail[h as usize]
    }
    pub(crate) fn head(&self, h: u32) -> u32 {
        self.tail[h as usize ^ 1]
    }
    /// The half-edges that leave v.
    pub(crate) fn leaving(&self, v: u32) -> &[u32] {
        &self.around[self.start[v as usize] as usize..self.start[v as usize + 1] as usize]
    }
}

/// An order of the half-edges around every vertex, as cyclic doubly linked lists.
#[derive(Clone, Debug)]
pub(crate) struct Rotation {
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl Rotation {
    /// Every half-edge alone in a cycle.
    pub(crate) fn new(graph: &Graph) -> Self {
        let alone: Vec<u32> = (0..2 * graph.edges() as u32).collect();
        Rotation { next: alone.clone(), previous: alone }
    }

    /// Inserts h, which is alone, right after g.
    pub(crate) fn insert_after(&mut self, h: u32, g: u32) {
        let after = self.next[g as usize];
        (self.next[g as usize], self.previous[h as usize]) = (h, g);
        (self.next[h as usize], self.previous[after as usize]) = (after, h);
    }

    /// Inserts h, which is alone, right before g.
    pub(crate) fn insert_before(&mut self, h: u32, g: u32) {
        self.insert_after(h, self.previous[g as usize]);
    }

    /// For each half-edge, the number of the face walk that it is on; and the number of walks.
    pub(crate) fn faces(&self) -> (Vec<u32>, usize) {
        let mut face = vec![NONE; self.next.len()];
        let mut count = 0;
        for first in 0..face.len() {
            if face[first] != NONE {
                continue;
            }
            let mut h = first;
            while face[h] == NONE {
                face[h] = count;
                h = self.next[h ^ 1] as usize;
            }
            count += 1;
        }
        (face, count as usize)
    }
}
