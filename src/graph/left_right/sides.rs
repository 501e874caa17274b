//! Phase 3: absolute sides, and the resulting rotation around every vertex.

use super::orientation::LeftRight;
use crate::graph::half_edges::{NONE, Rotation};

impl LeftRight<'_> {
    /// Makes every side absolute and turns the nesting depths of left edges negative.
    pub(super) fn apply_sides(&mut self) {
        let mut chain = vec![];
        for e in 0..self.side.len() as u32 {
            let mut last = e;
            while self.reference[last as usize] != NONE {
                chain.push(last);
                last = self.reference[last as usize];
            }
            let mut side = self.side[last as usize];
            while let Some(e) = chain.pop() {
                side *= self.side[e as usize];
                self.side[e as usize] = side;
                self.reference[e as usize] = NONE;
            }
        }
        self.nesting.iter_mut().zip(&self.side).for_each(|(nesting, &side)| *nesting *= i64::from(side));
    }

    /// Phase 3: outgoing edges in the order of nesting, incoming back edges next to the tree edge over which they come,
    /// on their side.
    pub(super) fn rotation(&self) -> Rotation {
        let mut rotation = Rotation::new(self.graph);
        let half = |e: u32| self.oriented[e as usize];
        for edges in &self.outgoing {
            edges.windows(2).for_each(|pair| rotation.insert_after(half(pair[1]), half(pair[0])));
        }
        // Per vertex: the outermost half-edges left and right of the tree edge that the search is in.
        let mut left = vec![NONE; self.graph.vertices()];
        let mut right = left.clone();
        let mut next = vec![0; self.graph.vertices()];
        for &root in &self.roots {
            let mut path = vec![root];
            while let Some(&v) = path.last() {
                let Some(&e) = self.outgoing[v as usize].get(next[v as usize]) else {
                    path.pop();
                    continue;
                };
                next[v as usize] += 1;
                let (h, w) = (half(e), self.head(e) as usize);
                if self.is_tree_edge(e) {
                    if let Some(&first) = self.outgoing[w].first() {
                        rotation.insert_before(h ^ 1, half(first));
                    }
                    (left[v as usize], right[v as usize]) = (h, h);
                    path.push(w as u32);
                } else if self.side[e as usize] == 1 {
                    rotation.insert_after(h ^ 1, right[w]);
                } else {
                    rotation.insert_before(h ^ 1, left[w]);
                    left[w] = h ^ 1;
                }
            }
        }
        rotation
    }
}
