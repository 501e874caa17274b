//! The search for an order: a beam search over sets of processed vertices.
//!
//! What a layer costs depends on the *set* of vertices processed so far, not on their order, so that an order is a path through
//! sets and the best order a shortest path. The beam keeps the most promising sets of each size. The cost of a set is an estimate
//! of its number of states that knows about twins: classes of s interchangeable open vertices (s at most the number of remaining
//! neighbours, which is what can still be matched) have s + 1 deficits, so that
//! there are T = Π(s + 1) vectors of deficits, of which those count whose difference between rows and columns is the one D that
//! the set implies; with deficits spread evenly over 0 … s that is T times the normal density at D, of mean Σ ± s/2 and
//! variance Σ s(s+2)/12. Remaining edges are compared by hashes here; [`super::program`] compares them exactly.

use super::graph::Graph;
use crate::{Observer, Result};
use std::collections::HashSet;
use std::rc::Rc;

/// Which vertices an order may process; the others are covered by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sides {
    Rows,
    Columns,
    Both,
}

const NO_CLASS: u16 = u16::MAX;

/// Sums over the open classes.
#[derive(Clone, Copy, Default)]
struct Sums {
    log_vectors: f64,
    mean: f64,
    variance: f64,
    /// Untouched columns less untouched rows.
    difference: f64,
}

impl Sums {
    /// Adds (or takes away) a class of `size` on a side, with `reach` remaining neighbours: no more of it can still be matched.
    #[inline]
    fn class(&mut self, size: u32, reach: u32, side: usize, sign: f64) {
        let size = size.min(reach);
        let s = f64::from(size);
        self.log_vectors += sign * log1p(size);
        self.mean += sign * s * if side == 0 { 0.5 } else { -0.5 };
        self.variance += sign * s * (s + 2.0) / 12.0;
    }
    fn states(&self) -> f64 {
        // Sheppard's correction keeps single classes honest.
        let variance = self.variance + 1.0 / 12.0;
        let off = self.difference - self.mean;
        let log = self.log_vectors - 0.5 * (std::f64::consts::TAU * variance).ln() - off * off / (2.0 * variance);
        log.exp().max(1.0)
    }
}

/// ln(1 + s), from a table where s is small.
fn log1p(s: u32) -> f64 {
    const SMALL: [f64; 4] = [0.0, std::f64::consts::LN_2, 1.098_612_288_668_109_8, 2.0 * std::f64::consts::LN_2];
    SMALL.get(s as usize).copied().unwrap_or_else(|| f64::from(s).ln_1p())
}

/// A set of processed vertices.
#[derive(Clone)]
struct Set {
    /// Hash of the remaining edges of each vertex.
    hash: Vec<u64>,
    class: Vec<u16>,
    done: Vec<bool>,
    /// Size, hash and number of remaining neighbours of each class; size 0 is free.
    classes: Vec<(u32, u64, u32)>,
    /// Number of remaining neighbours of each vertex.
    reach: Vec<u32>,
    sums: Sums,
    id: u64,
    cost: f64,
    trail: Option<Rc<Trail>>,
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
    parent: Rc<Set>,
    vertex: u32,
}

/// A well-spread word for each number.
fn spread(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The hash of an edge to v of the given weight.
fn edge_hash(v: u32, weight: u32) -> u64 {
    spread(u64::from(v) << 32 | u64::from(weight))
}

/// Scratch for one look ahead: pieces of classes by hash after the step.
#[derive(Default)]
struct Look {
    seen: Vec<u16>,
    after: Vec<(u64, u32, u32)>,
}

impl Set {
    fn start(graph: &Graph) -> Self {
        let n = graph.edges.len();
        let hash = |v: usize| graph.edges[v].iter().fold(0u64, |h, e| h.wrapping_add(edge_hash(e.to, e.weight)));
        Set {
            hash: (0..n).map(hash).collect(),
            class: vec![NO_CLASS; n],
            done: vec![false; n],
            classes: Vec::new(),
            reach: graph.edges.iter().map(|e| e.len() as u32).collect(),
            sums: Sums::default(),
            id: 0,
            cost: 0.0,
            trail: None,
        }
    }

    /// The estimate after processing v, and the number of choices.
    fn look(&self, graph: &Graph, v: usize, look: &mut Look) -> (f64, usize) {
        let side = graph.side(v);
        let mut sums = self.sums;
        look.seen.clear();
        look.after.clear();
        if self.class[v] != NO_CLASS {
            let (size, _, reach) = self.classes[self.class[v] as usize];
            sums.class(size, reach, side, -1.0);
            sums.class(size - 1, reach, side, 1.0);
        } else {
            sums.difference += if side == 0 { 1.0 } else { -1.0 };
        }
        let other = 1 - side;
        for e in &graph.edges[v] {
            let u = e.to as usize;
            if self.done[u] {
                continue;
            }
            let after = self.hash[u].wrapping_sub(edge_hash(v as u32, e.weight));
            let class = self.class[u];
            let size = if class == NO_CLASS {
                sums.difference += if other == 0 { 1.0 } else { -1.0 };
                1
            } else if look.seen.contains(&class) {
                continue;
            } else {
                look.seen.push(class);
                let (size, _, reach) = self.classes[class as usize];
                sums.class(size, reach, other, -1.0);
                size
            };
            match look.after.iter_mut().find(|piece| piece.0 == after) {
                Some(piece) => piece.1 += size,
                None => look.after.push((after, size, self.reach[u] - 1)),
            }
        }
        for &(hash, size, reach) in look.after.iter().filter(|piece| piece.0 != 0) {
            let old = self.classes.iter().find(|c| c.1 == hash && c.0 != 0).map_or(0, |c| c.0);
            if old != 0 {
                sums.class(old, reach, other, -1.0);
            }
            sums.class(old + size, reach, other, 1.0);
        }
        (sums.states(), look.after.len())
    }

    /// The set with v.
    fn with(&self, graph: &Graph, v: usize, cost: f64) -> Self {
        let mut set = self.clone();
        set.id = self.id.wrapping_add(spread(v as u64 | 1 << 63));
        set.cost = cost;
        set.trail = Some(Rc::new(Trail { vertex: v as u32, before: self.trail.clone() }));
        set.leave(graph, v);
        set.done[v] = true;
        for e in &graph.edges[v] {
            let u = e.to as usize;
            if !set.done[u] {
                set.leave(graph, u);
                set.hash[u] = set.hash[u].wrapping_sub(edge_hash(v as u32, e.weight));
                set.reach[u] -= 1;
                if set.hash[u] == 0 {
                    set.done[u] = true;
                } else {
                    set.join(graph, u);
                }
            }
        }
        set
    }

    /// Takes a vertex out of its class, or out of the untouched ones.
    fn leave(&mut self, graph: &Graph, v: usize) {
        let side = graph.side(v);
        let class = std::mem::replace(&mut self.class[v], NO_CLASS);
        if class == NO_CLASS {
            self.sums.difference += if side == 0 { 1.0 } else { -1.0 };
        } else {
            let (size, _, reach) = &mut self.classes[class as usize];
            self.sums.class(*size, *reach, side, -1.0);
            *size -= 1;
            self.sums.class(*size, *reach, side, 1.0);
        }
    }

    /// Puts a vertex into the class of its hash.
    fn join(&mut self, graph: &Graph, v: usize) {
        let (hash, reach, side) = (self.hash[v], self.reach[v], graph.side(v));
        let k = self.classes.iter().position(|c| c.1 == hash && c.0 != 0);
        let k = k.or_else(|| self.classes.iter().position(|c| c.0 == 0)).unwrap_or_else(|| {
            self.classes.push((0, hash, reach));
            self.classes.len() - 1
        });
        let class = &mut self.classes[k];
        (class.1, class.2) = (hash, reach);
        self.sums.class(class.0, reach, side, -1.0);
        class.0 += 1;
        self.sums.class(class.0, reach, side, 1.0);
        self.class[v] = k as u16;
    }
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
    /// How much the size of the present layer counts beside what was spent so far.
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
    let mut sets = vec![Rc::new(Set::start(graph))];
    let (mut look, mut looks) = (Look::default(), 0u64);
    let mut mark = vec![u64::MAX; 2 * n];
    let mut stamp = 0u64;
    for measure in 0..goal {
        observer.check()?;
        if measure > 0 {
            let mut children = std::mem::take(&mut bins[measure]);
            children.sort_by(|a, b| a.rank.total_cmp(&b.rank).then(a.id.cmp(&b.id)));
            let mut seen = HashSet::new();
            sets = Vec::new();
            for child in children {
                if sets.len() == beam.width {
                    break;
                }
                if seen.insert(child.id) {
                    sets.push(Rc::new(child.parent.with(graph, child.vertex as usize, child.cost)));
                }
            }
        }
        for set in &sets {
            // Candidates: open vertices, and whatever would touch one; anything where nothing is open.
            stamp += 1;
            let mut candidates: Vec<u32> = Vec::new();
            let mut propose = |v: usize, mark: &mut Vec<u64>| {
                if !set.done[v] && mark[v] != stamp && lines.contains(&v) {
                    mark[v] = stamp;
                    candidates.push(v as u32);
                }
            };
            for v in 0..2 * n {
                if !set.done[v] && set.class[v] != NO_CLASS {
                    propose(v, &mut mark);
                    graph.edges[v].iter().for_each(|e| propose(e.to as usize, &mut mark));
                }
            }
            if candidates.is_empty() {
                candidates.extend(lines.clone().filter(|&v| !set.done[v]).map(|v| v as u32));
            }
            let before = set.sums.states();
            looks += candidates.len() as u64;
            for v in candidates {
                let (states, choices) = set.look(graph, v as usize, &mut look);
                let cost = set.cost + before * (1 + choices) as f64;
                if cost >= below {
                    continue;
                }
                let id = set.id.wrapping_add(spread(u64::from(v) | 1 << 63));
                let child = Child { rank: cost + beam.outlook * states, cost, id, parent: set.clone(), vertex: v };
                let closes = graph.edges[v as usize]
                    .iter()
                    .filter(|e| {
                        let u = e.to as usize;
                        !set.done[u] && set.hash[u] == edge_hash(v, e.weight)
                    })
                    .count();
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
    let order = best.map(|child| {
        let mut vertices = vec![child.vertex];
        let mut trail = child.parent.trail.clone();
        while let Some(step) = trail {
            vertices.push(step.vertex);
            trail = step.before.clone();
        }
        vertices.reverse();
        Order { vertices, work: child.cost }
    });
    Ok((order, looks))
}
