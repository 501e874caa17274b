//! Sets of processed vertices and an estimate of the number of states that they leave.
//!
//! What a layer costs depends on the *set* of vertices processed so far, not on their order. The estimate accounts for
//! twins: classes of s interchangeable open vertices (s at most the number of remaining neighbours, since no more can
//! still be matched) have s + 1 deficits, so that there are T = Π(s + 1) vectors of deficits, of which only those count
//! whose difference between rows and columns is the value D that the set implies; with deficits spread evenly over 0 …
//! s that is T times the normal density at D, of mean Σ ± s/2 and variance Σ s(s+2)/12. Remaining edges are compared by
//! hashes here; [`super::program`] compares them exactly.

use super::graph::Graph;

const NO_CLASS: u16 = u16::MAX;

/// Sums over the open classes.
#[derive(Clone, Copy, Default)]
struct Sums {
    log_vectors: f64,
    mean: f64,
    variance: f64,
    /// Untouched columns minus untouched rows.
    difference: f64,
}

impl Sums {
    /// Adds (or removes) a class of `size` on a side, with `reach` remaining neighbours: no more of its members can
    /// still be matched.
    #[inline]
    fn class(&mut self, size: u32, reach: u32, side: usize, sign: f64) {
        let size = size.min(reach);
        let s = f64::from(size);
        self.log_vectors += sign * log1p(size);
        self.mean += sign * s * if side == 0 { 0.5 } else { -0.5 };
        self.variance += sign * s * (s + 2.0) / 12.0;
    }
    fn states(&self) -> f64 {
        // Sheppard's correction keeps estimates for single classes accurate.
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
pub(super) struct Set {
    /// Hash of the remaining edges of each vertex.
    hash: Vec<u64>,
    class: Vec<u16>,
    done: Vec<bool>,
    /// Size, hash and number of remaining neighbours of each class; size 0 is free.
    classes: Vec<(u32, u64, u32)>,
    /// Number of remaining neighbours of each vertex.
    reach: Vec<u32>,
    sums: Sums,
}

/// A well-spread word for each number.
pub(super) fn spread(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The hash of an edge to v of the given weight.
fn edge_hash(v: u32, weight: u32) -> u64 {
    spread(u64::from(v) << 32 | u64::from(weight))
}

/// Scratch for one lookahead: pieces of classes by hash after the step.
#[derive(Default)]
pub(super) struct Look {
    seen: Vec<u16>,
    after: Vec<(u64, u32, u32)>,
}

impl Set {
    /// The empty set.
    pub fn start(graph: &Graph) -> Self {
        let n = graph.edges.len();
        let hash = |v: usize| graph.edges[v].iter().fold(0u64, |h, e| h.wrapping_add(edge_hash(e.to, e.weight)));
        Set {
            hash: (0..n).map(hash).collect(),
            class: vec![NO_CLASS; n],
            done: vec![false; n],
            classes: Vec::new(),
            reach: graph.edges.iter().map(|e| e.len() as u32).collect(),
            sums: Sums::default(),
        }
    }

    /// The estimate after processing v, and the number of choices.
    pub fn look(&self, graph: &Graph, v: usize, look: &mut Look) -> (f64, usize) {
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

    /// Adds v, and what it closes.
    pub fn process(&mut self, graph: &Graph, v: usize) {
        self.leave(graph, v);
        self.done[v] = true;
        for e in &graph.edges[v] {
            let u = e.to as usize;
            if !self.done[u] {
                self.leave(graph, u);
                self.hash[u] = self.hash[u].wrapping_sub(edge_hash(v as u32, e.weight));
                self.reach[u] -= 1;
                if self.hash[u] == 0 {
                    self.done[u] = true;
                } else {
                    self.join(graph, u);
                }
            }
        }
    }

    /// The number of choices of v: classes of neighbours after it, including closing ones.
    pub fn choices(&self, graph: &Graph, v: usize, look: &mut Look) -> usize {
        look.after.clear();
        for e in graph.edges[v].iter().filter(|e| !self.done[e.to as usize]) {
            let after = self.hash[e.to as usize].wrapping_sub(edge_hash(v as u32, e.weight));
            if look.after.iter().all(|piece| piece.0 != after) {
                look.after.push((after, 0, 0));
            }
        }
        look.after.len()
    }

    /// The estimate.
    pub fn states(&self) -> f64 {
        self.sums.states()
    }
    /// Whether v was processed, or all its neighbours were.
    pub fn is_done(&self, v: usize) -> bool {
        self.done[v]
    }
    /// Whether v is touched, and not done.
    pub fn is_open(&self, v: usize) -> bool {
        self.class[v] != NO_CLASS
    }
    /// Whether v is the only remaining neighbour of a vertex, along an edge of this weight.
    pub fn is_last(&self, u: usize, v: usize, weight: u32) -> bool {
        !self.done[u] && self.hash[u] == edge_hash(v as u32, weight)
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
