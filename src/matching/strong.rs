//! Strongly connected components of a directed graph: R. E. Tarjan, *Depth-first search and linear graph algorithms*, SIAM J.
//! Comput. 1 (1972), with an explicit stack, since paths may be as long as there are vertices.

use super::NONE;

/// The components of the graph on the vertices 0 … n-1 with arcs v → `arc(v, k)`, k = 0 … `arcs(v)` - 1: the number of components, and
/// for each vertex that of its component. Numbers ascend along arcs: an arc never leads to a component of smaller number.
///
/// An arc may be absent (`None`). Time O(n + arcs).
pub(super) fn components(
    n: usize,
    arcs: impl Fn(u32) -> usize,
    arc: impl Fn(u32, usize) -> Option<u32>,
) -> (usize, Vec<u32>) {
    let mut component = vec![NONE; n];
    let mut index = vec![NONE; n]; // order of discovery
    let mut low = vec![NONE; n]; // least index of an open vertex known to be reached from here
    let mut next_arc = vec![0usize; n];
    let mut open: Vec<u32> = Vec::new(); // discovered vertices without a component yet, in that order
    let mut path: Vec<u32> = Vec::new();
    let (mut discovered, mut count) = (0u32, 0u32);
    for root in 0..n as u32 {
        let mut enter = Some(root).filter(|_| index[root as usize] == NONE);
        loop {
            if let Some(v) = enter.take() {
                (index[v as usize], low[v as usize]) = (discovered, discovered);
                discovered += 1;
                open.push(v);
                path.push(v);
            }
            let Some(&v) = path.last() else { break };
            let i = v as usize;
            while enter.is_none() && next_arc[i] < arcs(v) {
                if let Some(w) = arc(v, next_arc[i]) {
                    if index[w as usize] == NONE {
                        enter = Some(w);
                    } else if component[w as usize] == NONE {
                        low[i] = low[i].min(index[w as usize]);
                    }
                }
                next_arc[i] += 1;
            }
            if enter.is_none() {
                path.pop();
                if let Some(&u) = path.last() {
                    low[u as usize] = low[u as usize].min(low[i]);
                }
                if low[i] == index[i] {
                    while component[i] == NONE {
                        component[open.pop().expect("v is open") as usize] = count;
                    }
                    count += 1;
                }
            }
        }
    }
    // A component closes after all that can be reached from it.
    component.iter_mut().for_each(|c| *c = count - 1 - *c);
    (count as usize, component)
}
