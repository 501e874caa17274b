//! Planarity and an embedding in time O(n + m log m): the left-right test of de Fraysseix, Rosenstiehl and Ossona de
//! Mendez in the formulation of U. Brandes, *The left-right planarity test* (2009), sections 4 to 6.
//!
//! A depth-first search orients the graph into tree edges and back edges. The graph is planar if and only if its back
//! edges can be divided into *left* and *right* ones such that two back edges that conflict at a fork of the tree are
//! never on the same side. Constraints are kept on a stack of *conflict pairs* of intervals of back edges; edges of one
//! interval are chained by `reference`, relative to which their `side` is. The final constraints determine the sides,
//! and the sides determine the rotation around every vertex. All searches are iterative: depth is limited only by
//! memory.
//!
//! Entry: `embed`. The caller verifies the rotation by Euler's formula, so that only a planar graph wrongly refused
//! could go unnoticed.

mod constraints;
mod intervals;
mod orientation;
mod sides;

use crate::graph::half_edges::{Graph, Rotation};
use orientation::LeftRight;

/// A rotation system that embeds the graph in the plane, or `None` if the graph is not planar.
pub(crate) fn embed(graph: &Graph) -> Option<Rotation> {
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
        // Components, and isolated vertices, whose single face has no walk.
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

    /// A triangulation with n vertices: vertices inserted into random triangles, then random diagonals of
    /// quadrilaterals flipped.
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
            // An edge between two vertices without one: more than 3n - 6 edges only once the subdivision is undone, so
            // that counting edges does not decide.
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
