//! Perfect matchings of any graph: augmenting paths through blossoms.
//!
//! J. Edmonds, *Paths, trees, and flowers*, Canad. J. Math. 17 (1965), with blossoms as the sets of a union-find
//! structure (H. N. Gabow, J. ACM 23 (1976)): a search grows an alternating tree from an unmatched vertex; two *outer*
//! vertices (even distance) that are adjacent close an odd cycle, which is shrunk. A search that ends without another
//! unmatched vertex leaves the *inner* vertices U of its tree (odd distance): each of the |U| + 1 outer blossoms is a
//! component of odd order of G - U, and so there is no perfect matching (W. T. Tutte, 1947). The caller can check that:
//! [`Barrier::odd_components`]. O(nm α(n)) time after a greedy start.

use super::half_edges::{Graph, NONE};
use crate::{Observer, Result};

/// A set U of vertices that proves that there is no perfect matching: G - U has more than |U| components of odd order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Barrier(pub Vec<u32>);

/// The partner of every vertex in a perfect matching, or why there is none.
pub(crate) type Matched = std::result::Result<Vec<u32>, Barrier>;

impl Barrier {
    /// The number of components of odd order of G - U, if it is more than |U|.
    pub fn odd_components(&self, graph: &Graph) -> Option<usize> {
        let n = graph.vertices();
        let mut seen = vec![false; n];
        self.0.iter().for_each(|&v| seen[v as usize] = true);
        let (mut odd, mut stack) = (0, vec![]);
        for root in 0..n as u32 {
            if std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            stack.push(root);
            let mut order = 0;
            while let Some(v) = stack.pop() {
                order += 1;
                for &h in graph.leaving(v) {
                    if !std::mem::replace(&mut seen[graph.head(h) as usize], true) {
                        stack.push(graph.head(h));
                    }
                }
            }
            odd += order % 2;
        }
        (odd > self.0.len()).then_some(odd)
    }
}

/// The partner of every vertex in a perfect matching, or a [`Barrier`] if there is none.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted).
pub(crate) fn perfect_matching(graph: &Graph, observer: &dyn Observer) -> Result<Matched> {
    let n = graph.vertices();
    let mut search = Search {
        graph,
        mate: greedy(graph),
        label: vec![Label::None; n],
        before: vec![NONE; n],
        blossom: (0..n as u32).collect(),
        stamp: vec![0; n],
        time: 0,
        touched: vec![],
        queue: vec![],
    };
    for root in 0..n as u32 {
        if search.mate[root as usize] != NONE {
            continue;
        }
        observer.check()?;
        if !search.augment(root) {
            let inner = search.touched.iter().filter(|&&v| search.label[v as usize] == Label::Inner);
            return Ok(Err(Barrier(inner.copied().collect())));
        }
    }
    Ok(Ok(search.mate))
}

/// A maximal matching: vertices of low degree first, each with a free neighbour of low degree.
fn greedy(graph: &Graph) -> Vec<u32> {
    let mut mate = vec![NONE; graph.vertices()];
    let mut order: Vec<u32> = (0..graph.vertices() as u32).collect();
    order.sort_by_key(|&v| graph.leaving(v).len());
    for &v in &order {
        if mate[v as usize] == NONE {
            let free = graph.leaving(v).iter().map(|&h| graph.head(h)).filter(|&w| mate[w as usize] == NONE);
            if let Some(w) = free.min_by_key(|&w| graph.leaving(w).len()) {
                (mate[v as usize], mate[w as usize]) = (w, v);
            }
        }
    }
    mate
}

/// What the search knows of a vertex: in an inner blossom all vertices are outer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    None,
    Outer,
    Inner,
}

struct Search<'a> {
    graph: &'a Graph,
    mate: Vec<u32>,
    label: Vec<Label>,
    /// The vertex before an inner one on its path to the root; in a blossom also for outer ones, the other way round.
    before: Vec<u32>,
    /// Union-find over blossoms; the representative is the base.
    blossom: Vec<u32>,
    /// When a vertex was last on a path to the root.
    stamp: Vec<u64>,
    time: u64,
    /// The vertices with labels.
    touched: Vec<u32>,
    queue: Vec<u32>,
}

impl Search<'_> {
    /// Matches the root, if an augmenting path begins there. Otherwise the labels remain.
    fn augment(&mut self, root: u32) -> bool {
        for v in std::mem::take(&mut self.touched) {
            self.label[v as usize] = Label::None;
            self.blossom[v as usize] = v;
            self.before[v as usize] = NONE;
        }
        self.queue.clear();
        self.reach(root, Label::Outer);
        let mut next = 0;
        while let Some(&v) = self.queue.get(next) {
            next += 1;
            for at in 0..self.graph.leaving(v).len() {
                let w = self.graph.head(self.graph.leaving(v)[at]);
                match self.label[w as usize] {
                    Label::Inner => {}
                    Label::Outer => {
                        if self.base(v) != self.base(w) {
                            let base = self.meeting(v, w);
                            self.shrink(v, w, base);
                            self.shrink(w, v, base);
                        }
                    }
                    Label::None => {
                        self.reach(w, Label::Inner);
                        self.before[w as usize] = v;
                        let mate = self.mate[w as usize];
                        if mate == NONE {
                            self.flip(w);
                            return true;
                        }
                        self.reach(mate, Label::Outer);
                    }
                }
            }
        }
        false
    }

    fn reach(&mut self, v: u32, label: Label) {
        self.label[v as usize] = label;
        self.touched.push(v);
        if label == Label::Outer {
            self.queue.push(v);
        }
    }

    /// Exchanges the edges of the path from the unmatched vertex v to the root.
    fn flip(&mut self, mut v: u32) {
        while v != NONE {
            let before = self.before[v as usize];
            let next = std::mem::replace(&mut self.mate[before as usize], v);
            self.mate[v as usize] = before;
            v = next;
        }
    }

    /// The base of the blossom of v.
    fn base(&mut self, v: u32) -> u32 {
        let mut base = v;
        while self.blossom[base as usize] != base {
            base = self.blossom[base as usize];
        }
        let mut v = v;
        while self.blossom[v as usize] != base {
            v = std::mem::replace(&mut self.blossom[v as usize], base);
        }
        base
    }

    /// The first common base on the paths of two outer vertices to the root.
    fn meeting(&mut self, v: u32, w: u32) -> u32 {
        self.time += 1;
        let (mut here, mut there) = (v, w);
        loop {
            if here != NONE {
                here = self.base(here);
                if std::mem::replace(&mut self.stamp[here as usize], self.time) == self.time {
                    return here;
                }
                let mate = self.mate[here as usize];
                here = if mate == NONE { NONE } else { self.before[mate as usize] };
            }
            std::mem::swap(&mut here, &mut there);
        }
    }

    /// Puts the path from v to the base into its blossom; w is the neighbour of v that closes the cycle.
    fn shrink(&mut self, mut v: u32, mut w: u32, base: u32) {
        while self.base(v) != base {
            self.before[v as usize] = w;
            w = self.mate[v as usize];
            if self.label[w as usize] == Label::Inner {
                self.label[w as usize] = Label::Outer;
                self.queue.push(w);
            }
            for u in [v, w] {
                if self.blossom[u as usize] == u {
                    self.blossom[u as usize] = base;
                }
            }
            v = self.before[w as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether there is a perfect matching, by trying all partners of the first free vertex.
    fn exists(adjacent: &[u32], free: u32) -> bool {
        let Some(v) = (0..adjacent.len()).find(|&v| free >> v & 1 == 1) else { return true };
        let rest = free & !(1 << v);
        (0..adjacent.len()).any(|w| adjacent[v] & rest & (1 << w) != 0 && exists(adjacent, rest & !(1 << w)))
    }

    fn check(n: usize, edges: &[(u32, u32)]) -> bool {
        let graph = Graph::new(n, edges.iter().copied());
        match perfect_matching(&graph, &crate::Silent).unwrap() {
            Ok(mate) => {
                for v in 0..n as u32 {
                    let w = mate[v as usize];
                    assert!(mate[w as usize] == v && w != v, "{mate:?}");
                    assert!(edges.contains(&(v, w)) || edges.contains(&(w, v)), "{mate:?}");
                }
                true
            }
            Err(barrier) => {
                assert!(barrier.odd_components(&graph).is_some(), "{barrier:?} {edges:?}");
                // All vertices leave no component.
                assert_eq!(Barrier((0..n as u32).collect()).odd_components(&graph), None);
                false
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn small_graphs(n in 0usize..13, density in 0u32..8, bits in proptest::collection::vec(any::<u32>(), 78)) {
            let pairs = (0..n as u32).flat_map(|v| (0..v).map(move |w| (w, v)));
            let edges: Vec<_> = pairs.zip(&bits).filter(|(_, b)| **b % 16 < density + 1).map(|(e, _)| e).collect();
            let mut adjacent = vec![0u32; n];
            for &(v, w) in &edges {
                adjacent[v as usize] |= 1 << w;
                adjacent[w as usize] |= 1 << v;
            }
            prop_assert_eq!(check(n, &edges), exists(&adjacent, (1u32 << n) - 1));
        }
    }

    /// Triangles in a row, joined by edges: the greedy start goes wrong, and blossoms nest.
    #[test]
    fn chains_of_triangles() {
        for k in 1..40u32 {
            let mut edges: Vec<_> =
                (0..k).flat_map(|t| [(3 * t, 3 * t + 1), (3 * t + 1, 3 * t + 2), (3 * t, 3 * t + 2)]).collect();
            edges.extend((1..k).map(|t| (3 * t - 1, 3 * t)));
            assert_eq!(check(3 * k as usize, &edges), k % 2 == 0);
        }
    }
}
