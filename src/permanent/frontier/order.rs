//! The search for an order: a beam search over sets of processed vertices.
//!
//! An order is a path through sets, see [`Set`], and the best order a shortest path. The beam keeps the most promising
//! sets of each size.

use super::graph::Graph;
use super::set::{Look, Set, spread};
use crate::{Observer, Result};
use std::collections::HashSet;
use std::rc::Rc;

/// Which vertices an order may process; they cover the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sides {
    Rows,
    Columns,
    Both,
}

/// A set on a path.
struct Node {
    set: Set,
    id: u64,
    cost: f64,
    trail: Option<Rc<Trail>>,
}

impl Node {
    fn build(child: &Child, graph: &Graph) -> Self {
        let (parent, vertex) = (&child.parent, child.vertex);
        let mut set = parent.set.clone();
        set.process(graph, vertex as usize);
        let trail = Some(Rc::new(Trail { vertex, before: parent.trail.clone() }));
        Node { set, id: child.id, cost: child.cost, trail }
    }
}

struct Trail {
    vertex: u32,
    before: Option<Rc<Trail>>,
}

/// A set reached from another by one vertex, not yet built.
struct Child {
    rank: f64,
    cost: f64,
    id: u64,
    parent: Rc<Node>,
    vertex: u32,
}

/// An order with its estimated work: the sum over the steps of states times choices.
pub(super) struct Order {
    pub vertices: Vec<u32>,
    pub work: f64,
}

/// How a beam runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beam {
    pub sides: Sides,
    pub width: usize,
    /// The weight of the size of the current layer, relative to the work so far.
    pub outlook: f64,
}

/// The best order that the beam finds, `None` if none costs less than `below`; and the number of estimates made.
pub(super) fn beam(graph: &Graph, beam: Beam, below: f64, observer: &dyn Observer) -> Result<(Option<Order>, u64)> {
    let n = graph.n();
    let goal = match beam.sides {
        Sides::Both => 2 * n,
        _ => n,
    };
    let lines = match beam.sides {
        Sides::Rows => 0..n,
        Sides::Columns => n..2 * n,
        Sides::Both => 0..2 * n,
    };
    let mut bins: Vec<Vec<Child>> = (0..=goal).map(|_| Vec::new()).collect();
    let mut nodes = vec![Rc::new(Node { set: Set::start(graph), id: 0, cost: 0.0, trail: None })];
    let (mut look, mut looks) = (Look::default(), 0u64);
    let mut mark = vec![u64::MAX; 2 * n];
    let mut stamp = 0u64;
    for measure in 0..goal {
        observer.check()?;
        if measure > 0 {
            nodes = survivors(std::mem::take(&mut bins[measure]), beam.width, graph);
        }
        for node in &nodes {
            let set = &node.set;
            // Candidates: open vertices, and those that would touch one; any vertex if none is open.
            stamp += 1;
            let mut candidates: Vec<u32> = Vec::new();
            let mut propose = |v: usize, mark: &mut Vec<u64>| {
                if !set.is_done(v) && mark[v] != stamp && lines.contains(&v) {
                    mark[v] = stamp;
                    candidates.push(v as u32);
                }
            };
            for v in 0..2 * n {
                if set.is_open(v) {
                    propose(v, &mut mark);
                    graph.edges[v].iter().for_each(|e| propose(e.to as usize, &mut mark));
                }
            }
            if candidates.is_empty() {
                candidates.extend(lines.clone().filter(|&v| !set.is_done(v)).map(|v| v as u32));
            }
            let before = set.states();
            looks += candidates.len() as u64;
            for v in candidates {
                let (states, choices) = set.look(graph, v as usize, &mut look);
                let cost = node.cost + before * (1 + choices) as f64;
                if cost >= below {
                    continue;
                }
                let id = node.id.wrapping_add(spread(u64::from(v) | 1 << 63));
                let child = Child { rank: cost + beam.outlook * states, cost, id, parent: node.clone(), vertex: v };
                let edges = graph.edges[v as usize].iter();
                let closes = edges.filter(|e| set.is_last(e.to as usize, v as usize, e.weight)).count();
                let next = if beam.sides == Sides::Both { measure + 1 + closes } else { measure + 1 };
                bins[next].push(child);
                // Only the best can survive: keep the bins short.
                if bins[next].len() > 16 * beam.width + 64 {
                    let keep = 4 * beam.width + 16;
                    bins[next].select_nth_unstable_by(keep, |a, b| a.rank.total_cmp(&b.rank).then(a.id.cmp(&b.id)));
                    bins[next].truncate(keep);
                }
            }
        }
    }
    let best = bins[goal].iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
    Ok((best.map(Child::order), looks))
}

/// The best children, no set twice.
fn survivors(mut children: Vec<Child>, width: usize, graph: &Graph) -> Vec<Rc<Node>> {
    children.sort_by(|a, b| a.rank.total_cmp(&b.rank).then(a.id.cmp(&b.id)));
    let mut seen = HashSet::new();
    let mut nodes = Vec::new();
    for child in children {
        if nodes.len() == width {
            break;
        }
        if seen.insert(child.id) {
            nodes.push(Rc::new(Node::build(&child, graph)));
        }
    }
    nodes
}

impl Child {
    /// The vertices that led here.
    fn order(&self) -> Order {
        let mut vertices = vec![self.vertex];
        let mut trail = self.parent.trail.clone();
        while let Some(step) = trail {
            vertices.push(step.vertex);
            trail = step.before.clone();
        }
        vertices.reverse();
        Order { vertices, work: self.cost }
    }
}
