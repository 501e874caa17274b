//! Phase 2: which back edges must be on different sides, and whether that is possible.

use super::intervals::{ConflictPair, Interval};
use super::orientation::LeftRight;
use crate::graph::half_edges::NONE;

impl LeftRight<'_> {
    /// Phase 2: whether all constraints can be satisfied.
    pub(super) fn is_planar(&mut self) -> bool {
        let mut next = vec![0; self.graph.vertices()];
        for root in self.roots.clone() {
            let mut path = vec![root];
            while let Some(&v) = path.last() {
                let finished = match self.outgoing[v as usize].get(next[v as usize]) {
                    Some(&e) => {
                        next[v as usize] += 1;
                        self.bottom[e as usize] = self.stack.len() as u32;
                        if self.is_tree_edge(e) {
                            path.push(self.head(e));
                            continue;
                        }
                        self.lowpoint_edge[e as usize] = e;
                        self.stack.push(ConflictPair { left: Interval::EMPTY, right: Interval { high: e, low: e } });
                        e
                    }
                    None => {
                        path.pop();
                        let e = self.parent[v as usize];
                        if e == NONE {
                            continue;
                        }
                        self.leave(e);
                        e
                    }
                };
                if !self.integrate(finished) {
                    return false;
                }
            }
        }
        true
    }

    /// Adds the return edges of e to the constraints at its tail. `false` if they cannot be satisfied.
    fn integrate(&mut self, e: u32) -> bool {
        let v = self.tail(e) as usize;
        if self.lowpoint[e as usize] >= self.height[v] {
            return true;
        }
        let before = self.parent[v];
        if self.outgoing[v][0] == e {
            self.lowpoint_edge[before as usize] = self.lowpoint_edge[e as usize];
            return true;
        }
        self.add_constraints(e, before)
    }

    /// Whether the interval returns above the low point of e.
    fn conflicts(&self, interval: Interval, e: u32) -> bool {
        !interval.is_empty() && self.lowpoint[interval.high as usize] > self.lowpoint[e as usize]
    }

    /// Appends the lower interval `below` to `interval`.
    fn extend(&mut self, interval: &mut Interval, below: Interval) {
        if below.is_empty() {
            return;
        }
        if interval.is_empty() {
            *interval = below;
        } else {
            self.reference[interval.low as usize] = below.high;
            interval.low = below.low;
        }
    }

    /// Combines the return edges of e with those of its earlier siblings; `before` is the edge to their common tail.
    fn add_constraints(&mut self, e: u32, before: u32) -> bool {
        let mut merged = ConflictPair { left: Interval::EMPTY, right: Interval::EMPTY };
        // All return edges of e go to one side: the right.
        while self.stack.len() > self.bottom[e as usize] as usize {
            let mut pair = self.stack.pop().expect("higher than the bottom");
            if !pair.left.is_empty() {
                pair.swap();
            }
            if !pair.left.is_empty() {
                return false;
            }
            if self.lowpoint[pair.right.low as usize] > self.lowpoint[before as usize] {
                self.extend(&mut merged.right, pair.right);
            } else {
                self.reference[pair.right.low as usize] = self.lowpoint_edge[before as usize];
            }
        }
        // The siblings' return edges that return above the low point of e go to the other side.
        while let Some(&top) = self.stack.last()
            && (self.conflicts(top.left, e) || self.conflicts(top.right, e))
        {
            let mut pair = self.stack.pop().expect("just seen");
            if self.conflicts(pair.right, e) {
                pair.swap();
            }
            if self.conflicts(pair.right, e) {
                return false;
            }
            self.extend(&mut merged.right, pair.right);
            self.extend(&mut merged.left, pair.left);
        }
        if !(merged.left.is_empty() && merged.right.is_empty()) {
            self.stack.push(merged);
        }
        true
    }

    fn lowest(&self, pair: &ConflictPair) -> u32 {
        let of = |interval: Interval| if interval.is_empty() { NONE } else { self.lowpoint[interval.low as usize] };
        of(pair.left).min(of(pair.right))
    }

    /// The search leaves the head of tree edge e: back edges that end at its tail are done.
    fn leave(&mut self, e: u32) {
        let u = self.tail(e);
        let height = self.height[u as usize];
        while let Some(&pair) = self.stack.last()
            && self.lowest(&pair) == height
        {
            self.stack.pop();
            if !pair.left.is_empty() {
                self.side[pair.left.low as usize] = -1;
            }
        }
        if let Some(mut pair) = self.stack.pop() {
            self.trim(&mut pair, u);
            pair.swap();
            self.trim(&mut pair, u);
            pair.swap();
            self.stack.push(pair);
        }
        if self.lowpoint[e as usize] < height
            && let Some(top) = self.stack.last()
        {
            // The side of e is the side of its highest return edge.
            let (left, right) = (top.left.high, top.right.high);
            let from_left =
                left != NONE && (right == NONE || self.lowpoint[left as usize] > self.lowpoint[right as usize]);
            self.reference[e as usize] = if from_left { left } else { right };
        }
    }

    /// Drops the back edges that end at u from the left interval of a pair.
    fn trim(&mut self, pair: &mut ConflictPair, u: u32) {
        let ConflictPair { left, right } = pair;
        while left.high != NONE && self.head(left.high) == u {
            left.high = self.reference[left.high as usize];
        }
        if left.high == NONE && left.low != NONE {
            self.reference[left.low as usize] = right.low;
            self.side[left.low as usize] = -1;
            *left = Interval::EMPTY;
        }
    }
}
