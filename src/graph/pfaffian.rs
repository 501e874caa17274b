//! Pfaffian orientations of plane graphs: a direction for every edge such that all perfect matchings have the same sign
//! in the Pfaffian of the skew-symmetric adjacency matrix (+ along the direction, - against it).
//!
//! P. W. Kasteleyn, *Dimer statistics and phase transitions*, J. Math. Phys. 4 (1963); *Graph theory and crystal
//! physics* (1967): it suffices that an odd number of edges along every inner face walk of a connected plane graph
//! points clockwise. Turning an edge round changes the parity of the two faces beside it. Edges outside a spanning tree
//! of the graph are a spanning tree of its dual, so that, whatever the directions in the tree, the others follow face
//! by face from the leaves of the dual tree; an edge that a walk passes twice (a bridge) is in the tree and counts once
//! for either direction. The parities of all faces add up to that of the vertices: with an even number of vertices the
//! outer face is odd as well, with an odd number some face cannot be.
//!
//! In a bipartite graph whose edges are given from rows to columns, reversed edges are the - signs for which the
//! determinant has one sign for all perfect matchings.

use super::half_edges::{Graph, NONE, Rotation};

/// For each edge of the graph, embedded by `rotation`, whether it is reversed: directed from the head to the tail of
/// its even half-edge.
///
/// # Errors
/// [`Fault`]: the rotation is not an embedding in the plane, or a component has an odd number of vertices.
pub(crate) fn pfaffian_orientation(graph: &Graph, rotation: &Rotation) -> Result<Vec<bool>, Fault> {
    let (face, faces) = rotation.faces();
    let (in_tree, roots) = spanning_forest(graph);
    // An isolated vertex has a face without a walk.
    let isolated = (0..graph.vertices() as u32).filter(|&v| graph.leaving(v).is_empty()).count();
    if graph.vertices() + faces + isolated != graph.edges() + 2 * roots {
        return Err(Fault::NotPlane);
    }
    // Whether an edge of the walk still has to be turned round: an even number of edges lies along it.
    let mut wants = vec![true; faces];
    // Per face: how many edges have no direction yet, and the xor of their numbers, which is the number of the last
    // one.
    let mut unsigned = vec![0u32; faces];
    let mut names = vec![0u32; faces];
    for (h, &f) in face.iter().enumerate() {
        wants[f as usize] ^= h % 2 == 0;
        if !in_tree[h / 2] {
            unsigned[f as usize] += 1;
            names[f as usize] ^= h as u32 / 2;
        }
    }
    let mut reversed = vec![false; graph.edges()];
    let mut leaves: Vec<u32> = (0..faces as u32).filter(|&f| unsigned[f as usize] == 1).collect();
    while let Some(f) = leaves.pop() {
        if unsigned[f as usize] != 1 {
            continue;
        }
        let e = names[f as usize];
        reversed[e as usize] = wants[f as usize];
        for h in [2 * e, 2 * e + 1] {
            let g = face[h as usize] as usize;
            unsigned[g] -= 1;
            names[g] ^= e;
            wants[g] ^= reversed[e as usize];
            if unsigned[g] == 1 {
                leaves.push(g as u32);
            }
        }
    }
    if wants.contains(&true) { Err(Fault::OddComponent) } else { Ok(reversed) }
}

/// Why there is no orientation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Euler's formula fails.
    NotPlane,
    /// A component has an odd number of vertices, and so no perfect matching.
    OddComponent,
}

/// Which edges are in a spanning forest, and the number of its trees.
fn spanning_forest(graph: &Graph) -> (Vec<bool>, usize) {
    let mut in_tree = vec![false; graph.edges()];
    let mut parent = vec![NONE; graph.vertices()];
    let (mut roots, mut queue) = (0, vec![]);
    for root in 0..graph.vertices() as u32 {
        if parent[root as usize] != NONE {
            continue;
        }
        roots += 1;
        parent[root as usize] = root;
        queue.push(root);
        while let Some(v) = queue.pop() {
            for &h in graph.leaving(v) {
                let w = graph.head(h);
                if parent[w as usize] == NONE {
                    parent[w as usize] = v;
                    in_tree[h as usize / 2] = true;
                    queue.push(w);
                }
            }
        }
    }
    (in_tree, roots)
}
