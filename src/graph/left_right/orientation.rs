//! Phase 1: tree edges and back edges, how low they return, and the order in which they nest.

use super::intervals::ConflictPair;
use crate::graph::half_edges::{Graph, NONE};

/// The oriented graph (an edge is named by its number) and the state of the test.
pub(super) struct LeftRight<'a> {
    pub(super) graph: &'a Graph,
    /// The half-edge along which each edge is oriented: down the tree, or back up.
    pub(super) oriented: Vec<u32>,
    /// Per vertex: the edge to it from its parent in the tree, or NONE for roots.
    pub(super) parent: Vec<u32>,
    pub(super) height: Vec<u32>,
    pub(super) roots: Vec<u32>,
    /// Per vertex: the edges oriented away from it.
    pub(super) outgoing: Vec<Vec<u32>>,
    /// Per edge: the heights of the lowest and the second lowest return point.
    pub(super) lowpoint: Vec<u32>,
    pub(super) second: Vec<u32>,
    /// Per edge: the key of the order around its tail; negative on the left once the sides are applied.
    pub(super) nesting: Vec<i64>,
    /// Per edge: a back edge from it that returns to its low point.
    pub(super) lowpoint_edge: Vec<u32>,
    /// Per edge: the edge to which `side` is relative (NONE: absolute).
    pub(super) reference: Vec<u32>,
    pub(super) side: Vec<i8>,
    pub(super) stack: Vec<ConflictPair>,
    /// Per edge: the height of the stack when its processing began.
    pub(super) bottom: Vec<u32>,
}

impl<'a> LeftRight<'a> {
    /// Phase 1: the orientation with low points and nesting depths.
    pub(super) fn oriented(graph: &'a Graph) -> Self {
        let (n, m) = (graph.vertices(), graph.edges());
        let mut test = LeftRight {
            graph,
            oriented: vec![NONE; m],
            parent: vec![NONE; n],
            height: vec![NONE; n],
            roots: vec![],
            outgoing: vec![vec![]; n],
            lowpoint: vec![0; m],
            second: vec![0; m],
            nesting: vec![0; m],
            lowpoint_edge: vec![NONE; m],
            reference: vec![NONE; m],
            side: vec![1; m],
            stack: vec![],
            bottom: vec![0; m],
        };
        let mut next = vec![0; n];
        for root in 0..n as u32 {
            if test.height[root as usize] == NONE {
                test.height[root as usize] = 0;
                test.roots.push(root);
                test.orient_from(root, &mut next);
            }
        }
        test
    }

    fn orient_from(&mut self, root: u32, next: &mut [usize]) {
        let mut path = vec![root];
        while let Some(&v) = path.last() {
            let Some(&h) = self.graph.leaving(v).get(next[v as usize]) else {
                path.pop();
                if self.parent[v as usize] != NONE {
                    self.close(self.parent[v as usize]);
                }
                continue;
            };
            next[v as usize] += 1;
            let (e, w) = (h as usize / 2, self.graph.head(h));
            if self.oriented[e] != NONE {
                continue;
            }
            self.oriented[e] = h;
            self.outgoing[v as usize].push(e as u32);
            let height = self.height[v as usize];
            (self.lowpoint[e], self.second[e]) = (height, height);
            if self.height[w as usize] == NONE {
                self.parent[w as usize] = e as u32;
                self.height[w as usize] = height + 1;
                path.push(w);
            } else {
                self.lowpoint[e] = self.height[w as usize];
                self.close(e as u32);
            }
        }
    }

    /// Everything above edge e is known: its nesting depth, and its part in the low points of the edge before it.
    fn close(&mut self, e: u32) {
        let e = e as usize;
        let v = self.tail(e as u32);
        // Of two edges that return to the same height, the one with a second return point (a chord) goes outside.
        self.nesting[e] = 2 * i64::from(self.lowpoint[e]) + i64::from(self.second[e] < self.height[v as usize]);
        let before = self.parent[v as usize];
        if before == NONE {
            return;
        }
        let b = before as usize;
        let (low, second) = (self.lowpoint[e], self.second[e]);
        if low < self.lowpoint[b] {
            self.second[b] = self.lowpoint[b].min(second);
            self.lowpoint[b] = low;
        } else if low > self.lowpoint[b] {
            self.second[b] = self.second[b].min(low);
        } else {
            self.second[b] = self.second[b].min(second);
        }
    }

    pub(super) fn tail(&self, e: u32) -> u32 {
        self.graph.tail(self.oriented[e as usize])
    }
    pub(super) fn head(&self, e: u32) -> u32 {
        self.graph.head(self.oriented[e as usize])
    }
    pub(super) fn is_tree_edge(&self, e: u32) -> bool {
        self.parent[self.head(e) as usize] == e
    }

    pub(super) fn sort_by_nesting(&mut self) {
        let nesting = &self.nesting;
        self.outgoing.iter_mut().for_each(|edges| edges.sort_by_key(|&e| nesting[e as usize]));
    }
}
