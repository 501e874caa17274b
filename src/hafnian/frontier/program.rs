//! An order turned into operations on the array of states.

use crate::hafnian::WeightedGraph;
use num_bigint::BigInt;

/// One operation. A slot is a bit of the state; `free` is the value of the bit that says that its vertex is unmatched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// A vertex takes a new slot, above all others, with free = 0.
    Enter,
    /// The states with both vertices free, times a weight, are added to those with both matched.
    Edge { slots: [u8; 2], free: [bool; 2], weight: u32 },
    /// A vertex leaves its slot to its last partner, which is new.
    Pass { slot: u8, free: bool, weight: u32 },
    /// A vertex leaves: the states with it free vanish (or take a factor z); the slot above all others takes its place.
    Leave { slot: u8, free: bool },
}

/// Operations for one graph and order.
#[derive(Debug)]
pub(super) struct Program {
    pub ops: Vec<Op>,
    pub weights: Vec<BigInt>,
    /// The largest number of slots.
    pub width: usize,
    /// The number of vertices.
    pub n: usize,
}

/// States that take as long as starting an operation.
const START: f64 = 32.0;

impl Program {
    /// Σ of the numbers of states over the operations, and what starting each is worth.
    pub fn work(&self) -> f64 {
        let (mut slots, mut work) = (0i32, 0.0);
        for op in &self.ops {
            slots += i32::from(*op == Op::Enter);
            work += 2f64.powi(slots.min(1000)) + START;
            slots -= i32::from(matches!(op, Op::Leave { .. }));
        }
        work
    }
}

/// The operations that process the vertices in the given order.
pub(super) fn compile(graph: &WeightedGraph, order: &[u32]) -> Program {
    let n = graph.n();
    let mut program = Program { ops: vec![], weights: vec![], width: 0, n };
    let mut index = std::collections::HashMap::new();
    let mut weight_of = |x: &BigInt, weights: &mut Vec<BigInt>| {
        *index.entry(x.clone()).or_insert_with(|| {
            weights.push(x.clone());
            weights.len() as u32 - 1
        })
    };
    const NOWHERE: usize = usize::MAX;
    let mut done = vec![false; n];
    let mut place = vec![NOWHERE; n];
    // Vertex and `free` of every slot.
    let mut slots: Vec<(u32, bool)> = vec![];
    for &v in order {
        let Program { ops, weights, width, .. } = &mut program;
        let mut enter = |u: u32, slots: &mut Vec<(u32, bool)>, place: &mut Vec<usize>, ops: &mut Vec<Op>| {
            place[u as usize] = slots.len();
            slots.push((u, false));
            ops.push(Op::Enter);
            *width = (*width).max(slots.len());
        };
        if place[v as usize] == NOWHERE {
            enter(v, &mut slots, &mut place, ops);
        }
        done[v as usize] = true;
        let slot = place[v as usize];
        let rest = graph.edges_of(v).iter().filter(|e| !done[e.0 as usize]);
        let (new, old): (Vec<_>, Vec<_>) = rest.partition(|e| place[e.0 as usize] == NOWHERE);
        let last = new.last().copied();
        for (w, x) in old.into_iter().chain(new.iter().copied().take(new.len().saturating_sub(1))) {
            if place[*w as usize] == NOWHERE {
                enter(*w, &mut slots, &mut place, ops);
            }
            let other = place[*w as usize];
            let free = [slots[slot].1, slots[other].1];
            ops.push(Op::Edge { slots: [slot as u8, other as u8], free, weight: weight_of(x, weights) });
        }
        let free = slots[slot].1;
        if let Some((w, x)) = last {
            ops.push(Op::Pass { slot: slot as u8, free, weight: weight_of(x, weights) });
            slots[slot] = (*w, !free);
            place[*w as usize] = slot;
        } else {
            ops.push(Op::Leave { slot: slot as u8, free });
            slots.swap_remove(slot);
            if let Some(&(moved, _)) = slots.get(slot) {
                place[moved as usize] = slot;
            }
        }
    }
    program
}
