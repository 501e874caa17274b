//! An order of the vertices: a beam search.
//!
//! A node of the search is a set of processed vertices; its cost is the work so far, and its rank adds a multiple of
//! the current layer, since the layers to come are about as large. Sets that several nodes reach are kept once. Beams
//! become wider as long as they take less than their part of the time that they can save.

use crate::cost::Hafnian;
use crate::hafnian::WeightedGraph;
use crate::{Observer, Result};
use std::collections::HashSet;

/// The weight of the current layer in the rank: for narrow beams all of them, for wide ones the best so far.
const OUTLOOKS: [f64; 3] = [8.0, 2.0, 32.0];
const NARROW: usize = 16;
/// The widest beam.
const MAX_WIDTH: usize = 4096;
/// The part of the predicted time that the search may take.
const SHARE: f64 = 0.25;
/// Seconds beyond which no run is made, and what a search may take that has found no shorter one.
const ENDLESS: f64 = 1e7;
const HOPE: f64 = 5.0;
/// Neighbours beyond the frontier are tried while there are at most this many candidates.
const CANDIDATES: usize = 256;

/// Sets of vertices.
type Bits = Vec<u64>;

fn has(bits: &Bits, v: u32) -> bool {
    bits[v as usize / 64] >> (v % 64) & 1 == 1
}
fn insert(bits: &mut Bits, v: u32) {
    bits[v as usize / 64] |= 1 << (v % 64);
}

/// A set of processed vertices.
struct Node {
    done: Bits,
    /// The vertices of the frontier.
    open: Vec<u32>,
    is_open: Bits,
    work: f64,
    hash: u64,
    /// Position in the list of all nodes' last vertices.
    last: usize,
}

/// A node and one more vertex.
struct Move {
    from: usize,
    vertex: u32,
    work: f64,
    rank: f64,
    hash: u64,
}

/// Layers and operations beyond every machine.
fn layer(slots: usize) -> f64 {
    2f64.powi(slots.min(1000) as i32)
}

/// A vertex as a summand of the hash of a set (the finalizer of SplitMix64).
fn mark(v: u32) -> u64 {
    let mut x = (u64::from(v) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl Node {
    /// The work of processing v, and the slots afterwards. As `program::compile` does it: the slot of v goes to the
    /// last neighbour that is new.
    fn step(&self, graph: &WeightedGraph, v: u32) -> (f64, usize) {
        let rest = graph.edges_of(v).iter().filter(|e| !has(&self.done, e.0));
        let (mut edges, mut new) = (0, 0);
        for (w, _) in rest {
            edges += 1;
            new += usize::from(!has(&self.is_open, *w));
        }
        let own = usize::from(has(&self.is_open, v));
        let peak = self.open.len() + 1 - own + new.saturating_sub(1);
        ((edges + 2) as f64 * layer(peak), self.open.len() - own + new)
    }

    fn after(&self, graph: &WeightedGraph, chosen: &Move, last: usize) -> Node {
        let mut next = Node {
            done: self.done.clone(),
            open: self.open.iter().copied().filter(|&w| w != chosen.vertex).collect(),
            is_open: self.is_open.clone(),
            work: chosen.work,
            hash: chosen.hash,
            last,
        };
        insert(&mut next.done, chosen.vertex);
        insert(&mut next.is_open, chosen.vertex);
        for (w, _) in graph.edges_of(chosen.vertex) {
            if !has(&next.is_open, *w) {
                insert(&mut next.is_open, *w);
                next.open.push(*w);
            }
        }
        next
    }

    /// The vertices that may come next: the frontier and its neighbours, or all.
    fn candidates(&self, graph: &WeightedGraph) -> Vec<u32> {
        if self.open.is_empty() {
            return (0..graph.n() as u32).filter(|&v| !has(&self.done, v)).collect();
        }
        let mut list = self.open.clone();
        let mut seen = self.is_open.clone();
        'all: for &v in &self.open {
            for (w, _) in graph.edges_of(v) {
                if list.len() >= CANDIDATES {
                    break 'all;
                }
                if !has(&seen, *w) {
                    insert(&mut seen, *w);
                    list.push(*w);
                }
            }
        }
        list
    }
}

/// An order and its work.
type Order = (Vec<u32>, f64);

/// The best order that a beam finds, its work, and the number of edges looked at. `None` once all nodes have at least
/// the work `below`.
fn beam(
    graph: &WeightedGraph,
    width: usize,
    outlook: f64,
    below: f64,
    observer: &dyn Observer,
) -> Result<(Option<Order>, f64)> {
    let n = graph.n();
    let words = n.div_ceil(64);
    let mut looks = 0.0;
    // (vertex, position of the one before).
    let mut history: Vec<(u32, usize)> = vec![];
    let start =
        Node { done: vec![0; words], open: vec![], is_open: vec![0; words], work: 0.0, hash: 0, last: usize::MAX };
    let mut nodes = vec![start];
    for _ in 0..n {
        observer.check()?;
        let mut moves = vec![];
        for (from, node) in nodes.iter().enumerate() {
            for vertex in node.candidates(graph) {
                looks += (graph.degree(vertex) + 1) as f64;
                let (work, slots) = node.step(graph, vertex);
                let work = node.work + work;
                let rank = work + outlook * layer(slots);
                moves.push(Move { from, vertex, work, rank, hash: node.hash ^ mark(vertex) });
            }
        }
        moves.retain(|m| m.work < below);
        moves.sort_by(|a, b| a.rank.total_cmp(&b.rank).then((a.from, a.vertex).cmp(&(b.from, b.vertex))));
        let mut kept = HashSet::new();
        let mut next = Vec::with_capacity(width);
        for chosen in moves {
            if next.len() == width {
                break;
            }
            if kept.insert(chosen.hash) {
                let node: &Node = &nodes[chosen.from];
                history.push((chosen.vertex, node.last));
                next.push(node.after(graph, &chosen, history.len() - 1));
            }
        }
        nodes = next;
    }
    let best = nodes.iter().min_by(|a, b| a.work.total_cmp(&b.work));
    let order = best.map(|best| {
        let mut order = Vec::with_capacity(n);
        let mut at = best.last;
        while let Some(&(vertex, before)) = history.get(at) {
            order.push(vertex);
            at = before;
        }
        order.reverse();
        (order, best.work)
    });
    Ok((order, looks))
}

/// The best order found while the search is cheap compared with the work that it can save: that of the best order so
/// far, or `beat` seconds if another method takes no more. A graph far beyond every machine is given up soon.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted).
pub(super) fn search(graph: &WeightedGraph, beat: f64, prices: &Hafnian, observer: &dyn Observer) -> Result<Vec<u32>> {
    let (mut best, mut work): (Vec<u32>, f64) = ((0..graph.n() as u32).collect(), f64::INFINITY);
    let (mut spent, mut width, mut favourite, mut last) = (0.0, 1, OUTLOOKS[0], 0.0);
    while width <= MAX_WIDTH {
        for outlook in OUTLOOKS {
            if width > NARROW && outlook != favourite {
                continue;
            }
            let seconds = (work * prices.slot).min(beat);
            let time = if seconds < ENDLESS { SHARE * seconds } else { HOPE };
            if work < f64::INFINITY && (spent + 4.0 * last) * prices.look > time {
                return Ok(best);
            }
            let (found, looks) = beam(graph, width, outlook, work, observer)?;
            spent += looks;
            last = looks;
            if let Some((order, cost)) = found {
                (best, work, favourite) = (order, cost, outlook);
            }
        }
        width *= 4;
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use crate::hafnian::frontier::program::compile;
    use crate::hafnian::oracle::{complete, cycle, grid, path, random};
    use rand::SeedableRng;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn widths_of_known_graphs() {
        let width = |graph: &WeightedGraph| {
            let order = search(graph, 1.0, &Hafnian::default(), &Silent).unwrap();
            compile(graph, &order).width
        };
        assert_eq!((width(&path(50)), width(&cycle(50))), (1, 2));
        assert!(width(&grid(6, 30, false)) <= 7 && width(&grid(30, 6, true)) <= 8);
        assert!(width(&complete(12)) <= 11);
    }

    /// A graph that no frontier can count is not searched for long: with all widths it would take hours.
    #[test]
    fn hopeless_searches_end_soon() {
        /// Counts the vertices of all beams.
        struct Steps(AtomicUsize);
        impl Observer for Steps {
            fn cancelled(&self) -> bool {
                self.0.fetch_add(1, Ordering::Relaxed);
                false
            }
        }
        let (graph, steps) = (complete(120), Steps(AtomicUsize::new(0)));
        // At a second an edge the first beam is already too long.
        let order = search(&graph, f64::INFINITY, &Hafnian { look: 1.0, ..Hafnian::default() }, &steps).unwrap();
        assert!(compile(&graph, &order).width > 64);
        assert_eq!((order.len(), steps.0.into_inner()), (120, 120));
    }

    /// The work that the search adds up is that of the program.
    #[test]
    fn the_beam_and_the_program_agree_on_the_slots() {
        let mut rng = Rng::seed_from_u64(3);
        for round in 0..60 {
            let graph = random(2 + round % 14, &mut rng);
            let (found, _) = beam(&graph, 3, 8.0, f64::INFINITY, &Silent).unwrap();
            let (order, work) = found.unwrap();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..graph.n() as u32).collect::<Vec<_>>());
            let program = compile(&graph, &order);
            assert!(
                work >= layer(program.width) && program.work() <= work + 32.0 * program.ops.len() as f64,
                "{work} {}",
                program.work()
            );
        }
    }
}
