//! Kasteleyn's signs: ±1 for every edge of a plane bipartite graph such that all terms of the determinant of the signed
//! matrix agree.
//!
//! P. W. Kasteleyn, *Dimer statistics and phase transitions*, J. Math. Phys. 4 (1963): a plane graph is to be oriented
//! so that an odd number of edges along every inner face walk points clockwise. With + for edges from rows to columns
//! and - for the others, a walk of 2k edges has k clockwise ones when all signs are +, and each - changes the parity:
//! the signs along the walk must have the product (-1)^(k+1). Edges outside a spanning tree of the graph are a spanning
//! tree of its dual, so that, with + on the tree, the signs follow face by face from the leaves of the dual tree; an
//! edge that a walk passes twice (a bridge) is in the tree and does not matter.

use super::graph::{Graph, NONE, Rotation};

/// For each edge of the bipartite graph, embedded by `rotation`, whether its sign is -. `None` if the rotation is not
/// an embedding in the plane or a component has a face that cannot be signed: then it has an odd number of vertices.
pub(super) fn kasteleyn_signs(graph: &Graph, rotation: &Rotation) -> Result<Vec<bool>, Fault> {
    let (face, faces) = rotation.faces();
    let (in_tree, roots) = spanning_forest(graph);
    // An isolated vertex has a face without a walk.
    let isolated = (0..graph.vertices() as u32).filter(|&v| graph.leaving(v).is_empty()).count();
    if graph.vertices() + faces + isolated != graph.edges() + 2 * roots {
        return Err(Fault::NotPlane);
    }
    let mut length = vec![0u32; faces];
    // Per face: how many edges have no sign yet, and the xor of their numbers, which is the number of the last one.
    let mut unsigned = vec![0u32; faces];
    let mut names = vec![0u32; faces];
    for (h, &f) in face.iter().enumerate() {
        length[f as usize] += 1;
        if !in_tree[h / 2] {
            unsigned[f as usize] += 1;
            names[f as usize] ^= h as u32 / 2;
        }
    }
    // Whether the walk still needs a -: 2k edges need the product (-1)^(k+1).
    let mut wants: Vec<bool> = length.iter().map(|&length| (length / 2 + 1) % 2 == 1).collect();
    let mut minus = vec![false; graph.edges()];
    let mut leaves: Vec<u32> = (0..faces as u32).filter(|&f| unsigned[f as usize] == 1).collect();
    while let Some(f) = leaves.pop() {
        if unsigned[f as usize] != 1 {
            continue;
        }
        let e = names[f as usize];
        minus[e as usize] = wants[f as usize];
        for h in [2 * e, 2 * e + 1] {
            let g = face[h as usize] as usize;
            unsigned[g] -= 1;
            names[g] ^= e;
            wants[g] ^= minus[e as usize];
            if unsigned[g] == 1 {
                leaves.push(g as u32);
            }
        }
    }
    if wants.contains(&true) { Err(Fault::OddComponent) } else { Ok(minus) }
}

/// Why there are no signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
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
