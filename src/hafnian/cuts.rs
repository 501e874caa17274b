//! Edges in no perfect matching, by cut vertices: if G - c falls apart, a perfect matching pairs c with a vertex of the
//! one component of odd order. Its edges to the others are in no perfect matching; a bridge is a special case.

use super::WeightedGraph;

/// The times of a depth-first search (R. E. Tarjan, SIAM J. Comput. 1, 1972).
struct Search {
    /// When a vertex was reached, from 1; 0: not yet.
    time: Vec<u32>,
    /// The earliest time that the subtree of a vertex reaches by one edge.
    low: Vec<u32>,
    /// The number of vertices of its subtree: those with times from `time[v]` on.
    size: Vec<u32>,
    parent: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Search {
    fn of(graph: &WeightedGraph) -> Self {
        let n = graph.n();
        let mut search = Search { time: vec![0; n], low: vec![0; n], size: vec![1; n], parent: vec![NONE; n] };
        let (mut clock, mut next) = (0, vec![0usize; n]);
        for root in 0..n as u32 {
            if search.time[root as usize] != 0 {
                continue;
            }
            let mut path = vec![root];
            while let Some(&v) = path.last() {
                let at = v as usize;
                if search.time[at] == 0 {
                    clock += 1;
                    (search.time[at], search.low[at]) = (clock, clock);
                }
                let Some(&(w, _)) = graph.edges_of(v).get(next[at]) else {
                    path.pop();
                    if let Some(&p) = path.last() {
                        search.size[p as usize] += search.size[at];
                        search.low[p as usize] = search.low[p as usize].min(search.low[at]);
                    }
                    continue;
                };
                next[at] += 1;
                if search.time[w as usize] == 0 {
                    search.parent[w as usize] = v;
                    path.push(w);
                } else if w != search.parent[at] {
                    search.low[at] = search.low[at].min(search.time[w as usize]);
                }
            }
        }
        search
    }
}

/// Edges (cut vertex, neighbour) of a graph whose connected components have even orders that are in no perfect
/// matching; each once.
pub(super) fn useless_edges(graph: &WeightedGraph) -> Vec<(u32, u32)> {
    let search = Search::of(graph);
    let mut useless = vec![];
    for child in 0..graph.n() as u32 {
        let cut = search.parent[child as usize];
        if cut == NONE || search.low[child as usize] < search.time[cut as usize] {
            continue;
        }
        // The subtree of the child is a union of components of G - cut, and connected: one component.
        let begin = search.time[child as usize];
        let inside = |w: u32| (begin..begin + search.size[child as usize]).contains(&search.time[w as usize]);
        let odd = search.size[child as usize] % 2 == 1;
        useless.extend(graph.edges_of(cut).iter().map(|e| e.0).filter(|&w| inside(w) != odd).map(|w| (cut, w)));
    }
    useless.iter_mut().for_each(|e| *e = (e.0.min(e.1), e.0.max(e.1)));
    useless.sort_unstable();
    useless.dedup();
    useless
}
