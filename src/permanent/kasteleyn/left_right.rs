//! Planarity and an embedding in time O(n + m log m): the left-right test of de Fraysseix, Rosenstiehl and Ossona de Mendez
//! in the formulation of U. Brandes, *The left-right planarity test* (2009), sections 4 to 6.
//!
//! A depth-first search orients the graph into tree edges and back edges. The graph is planar if and only if its back edges
//! can be divided into *left* and *right* ones such that two of them that leave the cycle over a fork of the tree conflict
//! never lie on one side. Constraints are kept on a stack of *conflict pairs* of intervals of back edges; edges of one
//! interval are chained by `reference`, relative to which their `side` is. What is left at the end determines the sides, and
//! the sides the rotation around every vertex. All searches are iterative: depth is bounded by memory alone.
//!
//! Entry: [`embed`]. The caller verifies the rotation by Euler's formula, so that only a wrong refusal could go unnoticed.

use super::graph::{Graph, NONE, Rotation};

/// A rotation system that embeds the graph in the plane, or `None` if the graph is not planar.
pub(super) fn embed(graph: &Graph) -> Option<Rotation> {
    if graph.vertices() > 2 && graph.edges() > 3 * graph.vertices() - 6 {
        return None;
    }
    let mut test = LeftRight::oriented(graph);
    test.sort_by_nesting();
    if !test.is_planar() {
        return None;
    }
    test.apply_sides();
    test.sort_by_nesting();
    Some(test.rotation())
}

/// Back edges from the one that returns highest to the one that returns lowest; both are [`NONE`] if there is none.
#[derive(Clone, Copy, Debug)]
struct Interval {
    high: u32,
    low: u32,
}

impl Interval {
    const EMPTY: Interval = Interval { high: NONE, low: NONE };

    fn is_empty(self) -> bool {
        self.high == NONE
    }
}

/// Two intervals that lie on different sides.
#[derive(Clone, Copy, Debug)]
struct ConflictPair {
    left: Interval,
    right: Interval,
}

impl ConflictPair {
    fn swap(&mut self) {
        std::mem::swap(&mut self.left, &mut self.right);
    }
}

/// The oriented graph (an edge is named by its number) and the state of the test.
struct LeftRight<'a> {
    graph: &'a Graph,
    /// The half-edge along which each edge is oriented: down the tree, or back up.
    oriented: Vec<u32>,
    /// Per vertex: the edge to it from its parent in the tree, or NONE for roots.
    parent: Vec<u32>,
    height: Vec<u32>,
    roots: Vec<u32>,
    /// Per vertex: the edges oriented away from it.
    outgoing: Vec<Vec<u32>>,
    /// Per edge: the heights of the lowest and the second lowest return point.
    lowpoint: Vec<u32>,
    second: Vec<u32>,
    /// Per edge: the key of the order around its tail; negative on the left once the sides are applied.
    nesting: Vec<i64>,
    /// Per edge: a back edge from it that returns to its low point.
    lowpoint_edge: Vec<u32>,
    /// Per edge: the edge relative to which `side` is (NONE: absolutely).
    reference: Vec<u32>,
    side: Vec<i8>,
    stack: Vec<ConflictPair>,
    /// Per edge: the height of the stack when its processing began.
    bottom: Vec<u32>,
}

impl<'a> LeftRight<'a> {
    /// Phase 1: the orientation with low points and nesting depths.
    fn oriented(graph: &'a Graph) -> Self {
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

    fn tail(&self, e: u32) -> u32 {
        self.graph.tail(self.oriented[e as usize])
    }
    fn head(&self, e: u32) -> u32 {
        self.graph.head(self.oriented[e as usize])
    }
    fn is_tree_edge(&self, e: u32) -> bool {
        self.parent[self.head(e) as usize] == e
    }

    fn sort_by_nesting(&mut self) {
        let nesting = &self.nesting;
        self.outgoing.iter_mut().for_each(|edges| edges.sort_by_key(|&e| nesting[e as usize]));
    }

    /// Phase 2: whether all constraints can be met.
    fn is_planar(&mut self) -> bool {
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

    /// Takes the return edges of e into the constraints at its tail. `false` if they cannot be met.
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

    /// The return edges of e against those of its earlier siblings; `before` is the edge to their common tail.
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
        // Those of the siblings that return above the low point of e go to the other side.
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

    /// Makes every side absolute and turns the nesting depths of left edges negative.
    fn apply_sides(&mut self) {
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
    fn rotation(&self) -> Rotation {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};
    use std::collections::BTreeSet;

    /// Whether the graph is found planar; an embedding must satisfy Euler's formula.
    fn planar(n: usize, edges: &[(u32, u32)]) -> bool {
        let graph = Graph::new(n, edges.iter().copied());
        let Some(rotation) = embed(&graph) else { return false };
        let (_, faces) = rotation.faces();
        // Components, and isolated vertices, whose one face has no walk.
        let mut root: Vec<usize> = (0..n).collect();
        fn find(root: &[usize], mut v: usize) -> usize {
            while root[v] != v {
                v = root[v];
            }
            v
        }
        for &(u, v) in edges {
            let (u, v) = (find(&root, u as usize), find(&root, v as usize));
            root[u] = v;
        }
        let components = (0..n).filter(|&v| root[v] == v).count();
        let isolated = (0..n as u32).filter(|&v| graph.leaving(v).is_empty()).count();
        assert_eq!(n + faces + isolated, edges.len() + 2 * components, "{edges:?}");
        true
    }

    /// Random names for the vertices, a random order and direction of the edges.
    fn disguised(n: usize, edges: &[(u32, u32)], rng: &mut Rng) -> Vec<(u32, u32)> {
        let mut name: Vec<u32> = (0..n as u32).collect();
        (1..n).for_each(|i| name.swap(i, rng.random_range(0..=i)));
        let mut edges: Vec<_> = edges.iter().map(|&(u, v)| (name[u as usize], name[v as usize])).collect();
        (1..edges.len()).for_each(|i| edges.swap(i, rng.random_range(0..=i)));
        edges.iter().map(|&(u, v)| if rng.random() { (u, v) } else { (v, u) }).collect()
    }

    /// A triangulation with n vertices: vertices put into random triangles, then random diagonals of quadrilaterals flipped.
    fn triangulation(n: usize, flips: usize, rng: &mut Rng) -> Vec<(u32, u32)> {
        let mut triangles = vec![[0u32, 1, 2], [0, 2, 1]];
        for v in 3..n as u32 {
            let [a, b, c] = triangles.swap_remove(rng.random_range(0..triangles.len()));
            triangles.extend([[a, b, v], [b, c, v], [c, a, v]]);
        }
        let edges = |triangles: &[[u32; 3]]| -> BTreeSet<(u32, u32)> {
            let sides = |t: &[u32; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
            triangles.iter().flat_map(sides).map(|(a, b)| (a.min(b), a.max(b))).collect()
        };
        for _ in 0..flips {
            let at = rng.random_range(0..triangles.len());
            let turn = rng.random_range(0..3);
            let [a, b, c] = std::array::from_fn(|i| triangles[at][(i + turn) % 3]);
            let across = |t: &[u32; 3]| (0..3).find(|&i| t[i] == b && t[(i + 1) % 3] == a).map(|i| t[(i + 2) % 3]);
            let (other, d) = triangles.iter().enumerate().find_map(|(k, t)| across(t).map(|d| (k, d))).unwrap();
            if c != d && !edges(&triangles).contains(&(c.min(d), c.max(d))) {
                (triangles[at], triangles[other]) = ([c, a, d], [d, b, c]);
            }
        }
        edges(&triangles).into_iter().collect()
    }

    fn complete(n: u32) -> Vec<(u32, u32)> {
        (0..n).flat_map(|u| (0..u).map(move |v| (v, u))).collect()
    }

    #[test]
    fn small_graphs() {
        assert!(planar(0, &[]) && planar(1, &[]) && planar(5, &[]) && planar(2, &[(0, 1)]) && planar(4, &complete(4)));
        let k33: Vec<_> = (0..3).flat_map(|u| (3..6).map(move |v| (u, v))).collect();
        assert!(!planar(5, &complete(5)) && !planar(6, &k33));
        for missing in 0..10 {
            let mut edges = complete(5);
            edges.remove(missing);
            assert!(planar(5, &edges));
        }
        for missing in 0..9 {
            let mut edges = k33.clone();
            edges.remove(missing);
            assert!(planar(6, &edges));
        }
    }

    #[test]
    fn planar_graphs_are_never_refused_and_one_edge_more_than_a_triangulation_always() {
        let mut rng = Rng::seed_from_u64(1);
        for round in 0..400 {
            let n = 4 + round % 40;
            let full = triangulation(n, 3 * n, &mut rng);
            assert_eq!(full.len(), 3 * n - 6);
            assert!(planar(n, &disguised(n, &full, &mut rng)));
            let keep = rng.random_range(0.2..1.0);
            let part: Vec<_> = full.iter().copied().filter(|_| rng.random_bool(keep)).collect();
            assert!(planar(n, &disguised(n, &part, &mut rng)));
            // The edge between two vertices without one: more than 3n - 6 edges once its ends' subdivision is undone, so
            // that the count alone does not tell.
            let mut more = full.clone();
            if let Some(extra) = complete(n as u32).into_iter().find(|e| full.binary_search(e).is_err()) {
                let v = n as u32;
                more.extend([(extra.0, v), (v, extra.1), (v, v + 1), (v + 1, v + 2)]);
                assert!(!planar(n + 3, &disguised(n + 3, &more, &mut rng)));
            }
        }
    }

    #[test]
    fn subdivided_kuratowski_graphs_inside_planar_ones_are_found() {
        let mut rng = Rng::seed_from_u64(2);
        let k33: Vec<_> = (0..3u32).flat_map(|u| (3..6).map(move |v| (u, v))).collect();
        for round in 0..100 {
            let mut edges = if round % 2 == 0 { complete(5) } else { k33.clone() };
            let mut n = 6;
            for _ in 0..round {
                let (u, v) = edges.swap_remove(rng.random_range(0..edges.len()));
                edges.extend([(u, n), (n, v)]);
                n += 1;
            }
            for _ in 0..20 {
                edges.push((rng.random_range(0..n), n));
                n += 1;
            }
            assert!(!planar(n as usize, &disguised(n as usize, &edges, &mut rng)));
        }
    }

    #[test]
    fn long_paths_do_not_exhaust_the_stack() {
        let n = 200_000;
        let cycle: Vec<_> = (0..n).map(|v| (v, (v + 1) % n)).collect();
        assert!(planar(n as usize, &cycle));
    }
}
