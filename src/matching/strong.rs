//! Strongly connected components of a directed graph: R. E. Tarjan, *Depth-first search and linear graph algorithms*,
//! SIAM J. Comput. 1 (1972), with an explicit stack, since a path may go through all vertices.

use super::NONE;
use crate::sparse::SparseMatrix;
use crate::{Result, memory};

/// What the memory is for.
const COMPONENTS: &str = "strongly connected components";

/// The components of the graph on the vertices 0 … n-1 with arcs v → `arc(v, k)`, k = 0 … `arcs(v)` - 1: the number of
/// components, and for each vertex that of its component. Numbers ascend along arcs: an arc never leads to a component
/// with a smaller number.
///
/// An arc may be absent (`None`). Time O(n + arcs).
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(super) fn components(
    n: usize,
    arcs: impl Fn(u32) -> usize,
    arc: impl Fn(u32, usize) -> Option<u32>,
) -> Result<(usize, Vec<u32>)> {
    let none = || memory::filled(NONE, n, COMPONENTS);
    let mut component = none()?;
    let mut index = none()?; // order of discovery
    let mut low = none()?; // least index of an open vertex known to be reached from here
    let mut next_arc = memory::zeros::<usize>(n, COMPONENTS)?;
    // Discovered vertices without a component so far, in order of discovery; and the vertices from the root to the
    // current one. No vertex occurs twice.
    let mut open: Vec<u32> = memory::with_capacity(n, COMPONENTS)?;
    let mut path: Vec<u32> = memory::with_capacity(n, COMPONENTS)?;
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
    // A component is completed after every component that can be reached from it.
    component.iter_mut().for_each(|c| *c = count - 1 - *c);
    Ok((count as usize, component))
}

/// The strongly connected components of the directed graph i → j of the entries (i, j) of a square matrix: their
/// number, and for each line that of its component. An entry never leads to a component with a smaller number.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If the matrix is not square.
pub fn strong_components(a: &SparseMatrix) -> Result<(usize, Vec<u32>)> {
    assert_eq!(a.rows(), a.cols(), "the directed graph of a square matrix");
    components(a.rows(), |v| a.row(v as usize).0.len(), |v, k| Some(a.row(v as usize).0[k]))
}

#[cfg(test)]
mod tests {
    use super::components;
    use proptest::prelude::*;

    proptest! {
        /// Against the transitive closure.
        #[test]
        fn strong_components_like_a_closure(
            (n, arcs) in (1usize..10).prop_flat_map(|n| {
                let arc = proptest::option::of(0..n as u32);
                (Just(n), proptest::collection::vec(proptest::collection::vec(arc, 0..4), n))
            })
        ) {
            let (count, component) = components(n, |v| arcs[v as usize].len(), |v, k| arcs[v as usize][k]).unwrap();
            let mut reaches = vec![vec![false; n]; n];
            for v in 0..n {
                reaches[v][v] = true;
                arcs[v].iter().flatten().for_each(|&w| reaches[v][w as usize] = true);
            }
            for via in 0..n {
                for v in 0..n {
                    for w in 0..n {
                        reaches[v][w] |= reaches[v][via] && reaches[via][w];
                    }
                }
            }
            for v in 0..n {
                for w in 0..n {
                    prop_assert_eq!(component[v] == component[w], reaches[v][w] && reaches[w][v]);
                    prop_assert!(!reaches[v][w] || component[v] <= component[w]);
                }
            }
            let mut numbers = component.clone();
            numbers.sort_unstable();
            numbers.dedup();
            prop_assert!(numbers.into_iter().eq(0..count as u32));
        }
    }

    #[test]
    fn long_paths_need_no_stack() {
        let n = 500_000;
        let (count, component) = components(n, |_| 1, |v, _| Some(v + 1).filter(|&w| w < n as u32)).unwrap();
        assert_eq!(count, n);
        assert!(component.into_iter().eq(0..n as u32));
        let (count, component) = components(n, |_| 1, |v, _| Some((v + 1) % n as u32)).unwrap();
        assert_eq!((count, component), (1, vec![0; n]));
        assert_eq!(components(0, |_| 0, |_, _| None).unwrap(), (0, vec![]));
    }
}
