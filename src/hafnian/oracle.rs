//! Oracles of this room's tests: recursion by definition, known graphs, random graphs of several kinds.

use super::WeightedGraph;
use crate::field::Rng;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use rand::RngExt;
use std::collections::HashMap;

/// Σ over the matchings of each size, by the recursion over the partner of the first vertex, memoised: `[k]` for size
/// k.
pub(super) fn naive(graph: &WeightedGraph) -> Vec<BigInt> {
    assert!(graph.n() <= 24, "too large for the oracle");
    let mut memo = HashMap::new();
    let mut sizes = sizes(graph, (1u32 << graph.n()) - 1, &mut memo);
    sizes.resize(graph.n() / 2 + 1, BigInt::zero());
    sizes
}

fn sizes(graph: &WeightedGraph, free: u32, memo: &mut HashMap<u32, Vec<BigInt>>) -> Vec<BigInt> {
    if free == 0 {
        return vec![BigInt::one()];
    }
    if let Some(known) = memo.get(&free) {
        return known.clone();
    }
    let v = free.trailing_zeros();
    let rest = free & !(1 << v);
    let mut sum = sizes(graph, rest, memo);
    for (w, x) in graph.edges_of(v).iter().filter(|e| rest >> e.0 & 1 == 1) {
        for (k, part) in sizes(graph, rest & !(1 << w), memo).into_iter().enumerate() {
            if sum.len() <= k + 1 {
                sum.resize(k + 2, BigInt::zero());
            }
            sum[k + 1] += part * x;
        }
    }
    memo.insert(free, sum.clone());
    sum
}

/// Σ over the perfect matchings, by the same recursion.
pub(super) fn naive_hafnian(graph: &WeightedGraph) -> BigInt {
    if graph.n() % 2 == 1 { BigInt::zero() } else { naive(graph).swap_remove(graph.n() / 2) }
}

pub(super) fn graph(n: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> WeightedGraph {
    WeightedGraph::from_edges(n, edges.into_iter().map(|(v, w)| (v, w, 1)))
}

pub(super) fn complete(n: usize) -> WeightedGraph {
    graph(n, (0..n).flat_map(|v| (0..v).map(move |w| (w, v))))
}

pub(super) fn cycle(n: usize) -> WeightedGraph {
    graph(n, (0..n).map(|v| (v, (v + 1) % n)))
}

pub(super) fn path(n: usize) -> WeightedGraph {
    graph(n, (1..n).map(|v| (v - 1, v)))
}

/// The m × n grid, with one diagonal in each square if `triangular`.
pub(super) fn grid(m: usize, n: usize, triangular: bool) -> WeightedGraph {
    let at = move |x: usize, y: usize| x * n + y;
    let cells = (0..m).flat_map(|x| (0..n).map(move |y| (x, y)));
    let edges = cells.flat_map(|(x, y)| {
        let right = (y + 1 < n).then(|| (at(x, y), at(x, y + 1)));
        let down = (x + 1 < m).then(|| (at(x, y), at(x + 1, y)));
        let across = (triangular && x + 1 < m && y + 1 < n).then(|| (at(x, y), at(x + 1, y + 1)));
        [right, down, across].into_iter().flatten().collect::<Vec<_>>()
    });
    graph(m * n, edges)
}

pub(super) fn petersen() -> WeightedGraph {
    graph(10, (0..5).flat_map(|v| [(v, (v + 1) % 5), (v, v + 5), (v + 5, (v + 2) % 5 + 5)]))
}

pub(super) fn hypercube(d: usize) -> WeightedGraph {
    graph(1 << d, (0..1usize << d).flat_map(|v| (0..d).map(move |k| (v, v ^ 1 << k)).filter(|e| e.0 < e.1)))
}

/// Generalised Petersen graph G(10, 2).
pub(super) fn dodecahedron() -> WeightedGraph {
    graph(20, (0..10).flat_map(|v| [(v, (v + 1) % 10), (v, v + 10), (v + 10, (v + 2) % 10 + 10)]))
}

/// C60, the truncated icosahedron: a vertex for each half-edge (v, w) of the icosahedron, joined with (w, v) and with
/// the next half-edges around v.
pub(super) fn buckminsterfullerene() -> WeightedGraph {
    // 0: top, 1-5: upper ring, 6-10: lower ring, 11: bottom; neighbours in cyclic order.
    let up = |k: usize| 1 + k % 5;
    let low = |k: usize| 6 + k % 5;
    let mut around: Vec<Vec<usize>> = vec![(0..5).map(up).collect()];
    around.extend((0..5).map(|k| vec![0, up(k + 4), low(k + 4), low(k), up(k + 1)]));
    around.extend((0..5).map(|k| vec![11, low(k + 1), up(k + 1), up(k), low(k + 4)]));
    around.push((0..5).map(low).collect());
    let place = |v: usize, w: usize| 5 * v + around[v].iter().position(|&x| x == w).unwrap();
    let mut edges = vec![];
    for (v, list) in around.iter().enumerate() {
        for (k, &w) in list.iter().enumerate() {
            edges.push((5 * v + k, 5 * v + (k + 1) % 5));
            if v < w {
                edges.push((place(v, w), place(w, v)));
            }
        }
    }
    graph(60, edges)
}

/// A random graph of one of several kinds, with weights of one of several kinds.
pub(super) fn random(n: usize, rng: &mut Rng) -> WeightedGraph {
    let density = [0.15, 0.3, 0.5, 0.9, 1.0][rng.random_range(0..5)];
    let kind = rng.random_range(0..5);
    let keep = |v: usize, w: usize, rng: &mut Rng| match kind {
        0 => (v + w) % 2 == 1,                                               // bipartite
        1 => v.abs_diff(w) <= 3,                                             // a band
        2 => v.abs_diff(w) == 1 || w == 0 || v == 0 || rng.random_bool(0.2), // a wheel and more
        _ => true,
    };
    let mut pairs = vec![];
    for v in 0..n {
        for w in 0..v {
            if keep(v, w, rng) && rng.random_bool(density) {
                pairs.push((v, w));
            }
        }
    }
    weighted(n, &pairs, rng)
}

/// The graph with random weights of one of several kinds.
pub(super) fn weighted(n: usize, pairs: &[(usize, usize)], rng: &mut Rng) -> WeightedGraph {
    let kinds: [&[i64]; 5] = [&[1], &[1, 1, 1, 2], &[-1, 1], &[-3, -1, 1, 2, 1000], &[i64::MIN, i64::MAX, 1 << 40, -1]];
    let weights = kinds[rng.random_range(0..5)];
    WeightedGraph::from_edges(n, pairs.iter().map(|&(v, w)| (v, w, weights[rng.random_range(0..weights.len())])))
}

/// A random planar graph: vertices inserted into random triangles, then edges removed.
pub(super) fn random_planar(n: usize, keep: f64, rng: &mut Rng) -> WeightedGraph {
    let mut triangles = vec![[0usize, 1, 2], [0, 2, 1]];
    for v in 3..n {
        let [a, b, c] = triangles.swap_remove(rng.random_range(0..triangles.len()));
        triangles.extend([[a, b, v], [b, c, v], [c, a, v]]);
    }
    let sides = |t: &[usize; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    let mut pairs: Vec<_> = triangles.iter().flat_map(sides).map(|(a, b)| (a.max(b), a.min(b))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.retain(|&(a, _)| a < n && rng.random_bool(keep));
    weighted(n, &pairs, rng)
}
