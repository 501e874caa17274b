//! Reductions: from a graph to smaller 2-connected ones with the same hafnian up to a factor.
//!
//! | step | why |
//! |---|---|
//! | a vertex without edges, a component of odd order: 0 | no perfect matching |
//! | a vertex v with one neighbour w: factor a_vw, both removed | v is matched with w |
//! | a vertex v with two neighbours a, b: one vertex with the edges of a times a_vb and those of b times a_va | if v is matched with b, a is matched elsewhere, and the other way round; an edge ab is in no perfect matching |
//! | a barrier: 0 | [`crate::graph::perfect_matching`] finds no perfect matching; W. T. Tutte (1947) |
//! | edges of a cut vertex to components of even order: removed | `cuts` |
//! | connected components | the hafnian is the product of theirs |
//!
//! A contraction keeps graphs planar or bipartite. Each step is a theorem about sums over perfect matchings, whatever
//! the signs of the weights; only "no perfect matching" concerns the positions of the edges.

use super::WeightedGraph;
use super::cuts::useless_edges;
use super::weighted::NOWHERE;
use crate::graph::perfect_matching;
use crate::{Error, Observer, Result, memory};
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// What the memory is for.
const VERTICES: &str = "the vertices of a graph";

/// What the reductions left: the hafnian is `factor` times the product of those of the blocks.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// 0 if there is no perfect matching.
    pub factor: BigInt,
    /// Connected graphs of even order, largest first.
    pub blocks: Vec<WeightedGraph>,
    /// Why the hafnian is 0, if that is known.
    pub zero: Option<String>,
    /// How often each step was taken.
    pub log: Log,
}

/// How often each step was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Log {
    /// Vertices with one neighbour.
    pub degree_one: usize,
    /// Vertices with two neighbours.
    pub degree_two: usize,
    /// Edges of cut vertices.
    pub cuts: usize,
}

/// Applies all reductions, or only the division into components and the search for a perfect matching.
///
/// # Errors
/// [`Error::Memory`]; [`Error::Interrupted`]; [`Error::Check`] if the proof that there is no perfect matching fails,
/// which would be a bug.
pub fn reduce(graph: &WeightedGraph, all: bool, observer: &dyn Observer) -> Result<Reduced> {
    observer.phase("reductions", 0);
    let alive = memory::filled(true, graph.n(), VERTICES)?;
    let mut work = Work { graph: graph.clone(), alive, factor: BigInt::one(), log: Log::default(), observer };
    loop {
        if all && let Some(reason) = work.low_degrees()? {
            return Ok(work.zero(reason));
        }
        if let Some(reason) = work.unmatchable()? {
            return Ok(work.zero(reason));
        }
        let useless = if all { useless_edges(&work.graph) } else { vec![] };
        if useless.is_empty() {
            break;
        }
        work.log.cuts += useless.len();
        useless.into_iter().for_each(|(v, w)| work.graph.cut(v, w));
    }
    let Work { graph, factor, log, .. } = work;
    // What was removed is left as vertices without edges; no other component has order 1.
    let mut blocks: Vec<WeightedGraph> = graph.split()?.into_iter().filter(|part| part.n() > 1).collect();
    blocks.sort_by_key(|block| std::cmp::Reverse(block.n()));
    Ok(Reduced { factor, blocks, zero: None, log })
}

struct Work<'a> {
    graph: WeightedGraph,
    alive: Vec<bool>,
    factor: BigInt,
    log: Log,
    observer: &'a dyn Observer,
}

impl Work<'_> {
    fn zero(self, reason: String) -> Reduced {
        Reduced { factor: BigInt::zero(), blocks: vec![], zero: Some(reason), log: self.log }
    }

    /// Removes vertices with at most two neighbours until there are none; the reason if the hafnian is 0.
    fn low_degrees(&mut self) -> Result<Option<String>> {
        let mut queue: Vec<u32> = (0..self.graph.n() as u32).rev().collect();
        while let Some(v) = queue.pop() {
            if !self.alive[v as usize] || self.graph.degree(v) > 2 {
                continue;
            }
            self.observer.check()?;
            let edges = self.graph.isolate(v);
            self.alive[v as usize] = false;
            match &edges[..] {
                [] => return Ok(Some("a vertex has no edge left".into())),
                [(w, x)] => {
                    self.log.degree_one += 1;
                    self.factor *= x;
                    self.alive[*w as usize] = false;
                    queue.extend(self.graph.isolate(*w).into_iter().map(|e| e.0));
                }
                [(a, x), (b, y)] => {
                    self.log.degree_two += 1;
                    let (from_a, from_b) = (self.graph.isolate(*a), self.graph.isolate(*b));
                    self.alive[*b as usize] = false;
                    for (list, other, factor) in [(from_a, b, y), (from_b, a, x)] {
                        for (w, weight) in list.into_iter().filter(|e| e.0 != *other) {
                            self.graph.add(*a, w, &(weight * factor));
                            queue.push(w);
                        }
                    }
                    queue.push(*a);
                }
                _ => unreachable!("at most two neighbours"),
            }
        }
        Ok(None)
    }

    /// Why there is no perfect matching, if there is none.
    fn unmatchable(&self) -> Result<Option<String>> {
        let mut place = memory::filled(NOWHERE, self.graph.n(), VERTICES)?;
        for part in self.graph.components() {
            if part.len() == 1 && !self.alive[part[0] as usize] {
                continue;
            }
            if part.len() % 2 == 1 {
                return Ok(Some(format!("a component has {} vertices, an odd number", part.len())));
            }
            let skeleton = self.graph.induced(&part, &mut place)?.skeleton();
            if let Err(barrier) = perfect_matching(&skeleton, self.observer)? {
                let Some(odd) = barrier.odd_components(&skeleton) else {
                    return Err(Error::Check("a barrier to perfect matchings fails its verification".into()));
                };
                let k = barrier.0.len();
                return Ok(Some(format!("without {k} vertices there are {odd} components of odd order")));
            }
        }
        Ok(None)
    }
}
