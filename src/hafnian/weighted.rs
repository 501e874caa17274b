//! The graph type of this room: undirected, without loops, an integer weight on every edge.

use crate::graph::Graph;
use crate::permanent::IntMatrix;
use crate::setters::setters;
use crate::sparse::{Integer, Triplets};
use crate::{Error, Result, memory};
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// What the memory is for.
const EDGES: &str = "the edges of a graph";
/// The place of a vertex outside a subgraph.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A simple graph with non-zero integer weights on its edges: a symmetric matrix without a diagonal.
///
/// Invariant: the neighbours of a vertex ascend, none of them is the vertex itself, and (v, w) has the weight of (w,
/// v), which is not 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedGraph {
    edges: Vec<Vec<(u32, BigInt)>>,
}

/// How a matrix shows a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading {
    /// An entry (i, j) without (j, i) stands for both.
    pub mirror: bool,
    /// The diagonal is left out.
    pub drop_loops: bool,
}

setters!(Reading { mirror: bool, drop_loops: bool });

impl WeightedGraph {
    /// The graph with the given adjacency matrix.
    ///
    /// # Errors
    /// [`Error::Usage`] with the first place (1-based) where the matrix is not square, not symmetric or has an entry on
    /// the diagonal; [`Error::Memory`].
    pub fn from_triplets(matrix: &Triplets) -> Result<Self> {
        WeightedGraph::read(matrix, Reading::default())
    }

    /// [`WeightedGraph::from_triplets`] for matrices that show graphs in other ways.
    ///
    /// # Errors
    /// As [`WeightedGraph::from_triplets`], for what `reading` does not allow.
    pub fn read(matrix: &Triplets, reading: Reading) -> Result<Self> {
        let (n, cols) = (matrix.rows(), matrix.cols());
        if n != cols {
            return Err(Error::Usage(format!(
                "an adjacency matrix is square, this one is {n} x {cols}; `permanent` counts the matchings of a \
                 bipartite graph given by its rows and columns"
            )));
        }
        let mut edges: Vec<Vec<(u32, BigInt)>> = memory::collect((0..n).map(|_| Vec::new()), EDGES)?;
        for (i, j, v) in matrix.entries() {
            if i == j && reading.drop_loops {
                continue;
            }
            if i == j {
                let i = i + 1;
                return Err(Error::Usage(format!(
                    "entry ({i}, {i}) is a loop, which is in no matching; --drop-loops reads the matrix without its \
                     diagonal"
                )));
            }
            memory::push(&mut edges[i], (j as u32, v.to_bigint()), EDGES)?;
        }
        let mut graph = WeightedGraph { edges };
        for (i, j, v) in matrix.entries().filter(|(i, j, _)| i != j) {
            let v = v.to_bigint();
            match graph.weight(j as u32, i as u32) {
                Some(other) if *other == v => {}
                None if reading.mirror => graph.join(j as u32, i as u32, v)?,
                other => {
                    let remedy = if other.is_none() { "--mirror adds the other half; " } else { "" };
                    let (i, j, other) = (i + 1, j + 1, other.map_or_else(|| "0".into(), BigInt::to_string));
                    return Err(Error::Usage(format!(
                        "entry ({i}, {j}) is {v} and entry ({j}, {i}) is {other}: the matrix of a graph is symmetric; \
                         {remedy}`permanent` takes rows and columns as different vertices"
                    )));
                }
            }
        }
        Ok(graph)
    }

    /// Adds w to the neighbours of v, among which it is not.
    fn join(&mut self, v: u32, w: u32, weight: BigInt) -> Result<()> {
        let list = &mut self.edges[v as usize];
        let place = list.partition_point(|e| e.0 < w);
        memory::reserve(list, 1, EDGES)?;
        list.insert(place, (w, weight));
        Ok(())
    }

    /// The graph on n vertices with the given edges (v, w, weight); the weights of one edge listed several times are
    /// summed.
    ///
    /// # Panics
    /// If a vertex is not below n, or v = w.
    pub fn from_edges<V: Into<BigInt>>(n: usize, edges: impl IntoIterator<Item = (usize, usize, V)>) -> Self {
        let mut graph = WeightedGraph { edges: vec![Vec::new(); n] };
        for (v, w, weight) in edges {
            assert!(v < n && w < n && v != w, "edge ({v}, {w}) among {n} vertices");
            graph.add(v as u32, w as u32, &weight.into());
        }
        graph
    }

    /// Adds to the weight of an edge.
    pub(super) fn add(&mut self, v: u32, w: u32, weight: &BigInt) {
        for (v, w) in [(v, w), (w, v)] {
            let list = &mut self.edges[v as usize];
            match list.binary_search_by_key(&w, |e| e.0) {
                Ok(k) => {
                    list[k].1 += weight;
                    if list[k].1.is_zero() {
                        list.remove(k);
                    }
                }
                Err(_) if weight.is_zero() => {}
                Err(k) => list.insert(k, (w, weight.clone())),
            }
        }
    }

    /// Removes all edges of a vertex and returns them.
    pub(super) fn isolate(&mut self, v: u32) -> Vec<(u32, BigInt)> {
        let list = std::mem::take(&mut self.edges[v as usize]);
        list.iter().for_each(|&(w, _)| self.forget(w, v));
        list
    }

    /// Removes an edge.
    pub(super) fn cut(&mut self, v: u32, w: u32) {
        self.forget(v, w);
        self.forget(w, v);
    }

    fn forget(&mut self, v: u32, w: u32) {
        let list = &mut self.edges[v as usize];
        list.remove(list.binary_search_by_key(&w, |e| e.0).expect("an edge"));
    }

    /// Number of vertices.
    pub fn n(&self) -> usize {
        self.edges.len()
    }
    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum::<usize>() / 2
    }
    /// The edges of a vertex: neighbours, ascending, and weights.
    pub fn edges_of(&self, v: u32) -> &[(u32, BigInt)] {
        &self.edges[v as usize]
    }
    /// Number of edges of a vertex.
    pub fn degree(&self, v: u32) -> usize {
        self.edges[v as usize].len()
    }
    /// All edges (v, w, weight) with v < w, by v and by w.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, &BigInt)> {
        let all = self.edges.iter().enumerate();
        all.flat_map(|(v, list)| list.iter().map(move |(w, x)| (v as u32, *w, x))).filter(|(v, w, _)| v < w)
    }
    /// The weight of an edge.
    pub fn weight(&self, v: u32, w: u32) -> Option<&BigInt> {
        let list = &self.edges[v as usize];
        list.binary_search_by_key(&w, |e| e.0).ok().map(|k| &list[k].1)
    }
    /// Whether all weights are 1.
    pub fn is_01(&self) -> bool {
        self.edges().all(|(_, _, x)| x.is_one())
    }
    /// Whether no weight is negative.
    pub fn is_nonnegative(&self) -> bool {
        self.edges().all(|(_, _, x)| x.sign() != num_bigint::Sign::Minus)
    }

    /// The edges without their weights.
    pub(super) fn skeleton(&self) -> Graph {
        Graph::new(self.n(), self.edges().map(|(v, w, _)| (v, w)))
    }

    /// The subgraph of some vertices, which are renumbered in their order; `place` is scratch, n times [`NOWHERE`],
    /// before and after: many small subgraphs take the time of their edges.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(super) fn induced(&self, vertices: &[u32], place: &mut [u32]) -> Result<Self> {
        vertices.iter().enumerate().for_each(|(k, &v)| place[v as usize] = k as u32);
        let mut edges = memory::with_capacity(vertices.len(), EDGES)?;
        for &v in vertices {
            let inside = self.edges_of(v).iter().filter(|(w, _)| place[*w as usize] != NOWHERE);
            let mut list = memory::collect(inside.map(|(w, x)| (place[*w as usize], x.clone())), EDGES)?;
            list.sort_unstable_by_key(|e: &(u32, BigInt)| e.0);
            edges.push(list);
        }
        vertices.iter().for_each(|&v| place[v as usize] = NOWHERE);
        Ok(WeightedGraph { edges })
    }

    /// The vertex sets of the connected components, each ascending.
    pub(super) fn components(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.n()];
        let mut found = vec![];
        for root in 0..self.n() as u32 {
            if std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            let mut part = vec![root];
            let mut next = 0;
            while let Some(&v) = part.get(next) {
                next += 1;
                for (w, _) in self.edges_of(v) {
                    if !std::mem::replace(&mut seen[*w as usize], true) {
                        part.push(*w);
                    }
                }
            }
            part.sort_unstable();
            found.push(part);
        }
        found
    }

    /// The connected components as graphs of their own.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(super) fn split(&self) -> Result<Vec<Self>> {
        let mut place = memory::filled(NOWHERE, self.n(), EDGES)?;
        self.components().iter().map(|part| self.induced(part, &mut place)).collect()
    }

    /// The sides of the vertices, if the graph is bipartite: for each connected component, `false` for its first
    /// vertex.
    pub(super) fn sides(&self) -> Option<Vec<bool>> {
        let mut side: Vec<Option<bool>> = vec![None; self.n()];
        let mut stack = vec![];
        for root in 0..self.n() as u32 {
            if side[root as usize].is_some() {
                continue;
            }
            side[root as usize] = Some(false);
            stack.push(root);
            while let Some(v) = stack.pop() {
                let other = side[v as usize].map(|s| !s);
                for (w, _) in self.edges_of(v) {
                    match side[*w as usize] {
                        None => {
                            side[*w as usize] = other;
                            stack.push(*w);
                        }
                        same if same == other => {}
                        _ => return None,
                    }
                }
            }
        }
        side.into_iter().collect()
    }

    /// The symmetric matrix.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(super) fn matrix(&self) -> Result<IntMatrix> {
        IntMatrix::from_triplets(&self.triplets()?)
    }
    /// The same as triplets.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(super) fn triplets(&self) -> Result<Triplets> {
        let both = self.edges().flat_map(|(v, w, x)| [(v, w, x), (w, v, x)]);
        Triplets::try_from_entries(self.n(), self.n(), both.map(|(v, w, x)| (v as usize, w as usize, x.clone())))
    }
}

/// Whether the matrix is that of a graph without weights: symmetric, 0–1, nothing on the diagonal. O(nnz log n).
pub fn is_adjacency(matrix: &Triplets) -> bool {
    let has = |i: usize, j: usize| {
        let row = matrix.row_range(i as u32);
        matrix.col[row].binary_search(&(j as u32)).is_ok()
    };
    let one = |v: &Integer<'_>| *v == Integer::Small(1);
    matrix.rows() == matrix.cols() && matrix.entries().all(|(i, j, v)| one(&v) && i != j && has(j, i))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_graph_is_refused_with_its_place_and_a_remedy() {
        let refused = |rows, cols, entries: &[(usize, usize, i64)]| {
            let matrix = Triplets::from_entries(rows, cols, entries.iter().copied());
            WeightedGraph::from_triplets(&matrix).unwrap_err().to_string()
        };
        let text = refused(2, 3, &[(0, 1, 1)]);
        assert!(text.contains("2 x 3") && text.contains("`permanent`"), "{text}");
        let text = refused(3, 3, &[(0, 1, 1), (1, 0, 1), (2, 2, 5)]);
        assert!(text.contains("entry (3, 3) is a loop") && text.contains("--drop-loops"), "{text}");
        let text = refused(3, 3, &[(0, 1, 1), (1, 0, 2)]);
        assert!(text.contains("entry (1, 2) is 1 and entry (2, 1) is 2"), "{text}");
        let text = refused(3, 3, &[(1, 2, -4)]);
        assert!(text.contains("entry (2, 3) is -4 and entry (3, 2) is 0") && text.contains("--mirror"), "{text}");
    }

    #[test]
    fn halves_are_mirrored_and_loops_dropped() {
        let half = Triplets::from_entries(3, 3, [(0, 1, 4), (2, 1, 5), (1, 2, 5), (1, 1, 9)]);
        let reading = Reading::default().mirror(true).drop_loops(true);
        let graph = WeightedGraph::read(&half, reading).unwrap();
        assert_eq!(graph, WeightedGraph::from_edges(3, [(0, 1, 4), (1, 2, 5)]));
        let clash = Triplets::from_entries(2, 2, [(0, 1, 4), (1, 0, 5)]);
        let text = WeightedGraph::read(&clash, reading).unwrap_err().to_string();
        assert!(text.contains("entry (1, 2) is 4 and entry (2, 1) is 5") && !text.contains("--mirror"), "{text}");
    }

    #[test]
    fn edges_components_and_sides() {
        let graph = WeightedGraph::from_edges(6, [(0, 1, 2), (1, 2, 1), (4, 3, 5), (3, 4, -5), (5, 3, 1)]);
        assert_eq!((graph.n(), graph.edge_count(), graph.degree(4)), (6, 3, 0));
        assert_eq!(graph.components(), [vec![0, 1, 2], vec![3, 5], vec![4]]);
        assert_eq!(graph.split().unwrap()[1], WeightedGraph::from_edges(2, [(0, 1, 1)]));
        assert_eq!(graph.sides().unwrap(), [false, true, false, false, false, true]);
        assert!(WeightedGraph::from_edges(3, [(0, 1, 1), (1, 2, 1), (2, 0, 1)]).sides().is_none());
        assert_eq!(WeightedGraph::from_triplets(&graph.triplets().unwrap()).unwrap(), graph);
        assert!(graph.is_nonnegative() && !graph.is_01());
        let adjacent =
            |entries: &[(usize, usize, i64)]| is_adjacency(&Triplets::from_entries(3, 3, entries.iter().copied()));
        assert!(adjacent(&[(0, 2, 1), (2, 0, 1)]) && adjacent(&[]));
        assert!(!adjacent(&[(0, 2, 1)]) && !adjacent(&[(0, 2, 2), (2, 0, 2)]) && !adjacent(&[(1, 1, 1)]));
    }
}
