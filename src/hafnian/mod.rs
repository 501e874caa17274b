//! Exact hafnians of symmetric integer matrices: perfect matchings of any graph counted, with weights, to the last
//! digit; and matchings of every size.
//!
//! ```text
//! Triplets ─▶ WeightedGraph ─▶ reduce ──▶ factor · Π haf(blocks) ─▶ planner ─▶ permanent   bipartite
//!                                 │                                            pfaffian    planar: FKT
//!                                 └─▶ 0, with Tutte's barrier                  frontier    small pathwidth
//!                                                                              inclusion   dense: O(n²·2^(n/2))
//! by size: components ─▶ frontier, or sizes of the complement ◀─────────────── sizes       nearly complete
//! ```
//!
//! haf A = Σ over the perfect matchings M of the complete graph of Π_{vw ∈ M} a_vw. Deciding whether it is positive is
//! easy (J. Edmonds, 1965); counting is #P-complete even for 0–1 matrices (L. G. Valiant, 1979), and polynomial for
//! planar graphs (`pfaffian`). Residues become integers by the bounds of [`bound`]. Nothing is random: every answer is
//! proven. Entry: [`matchings`].

pub mod bound;
mod cuts;
mod frontier;
mod inclusion;
mod options;
#[cfg(test)]
mod oracle;
mod pfaffian;
mod planner;
mod reduce;
mod residues;
mod sizes;
#[cfg(test)]
mod tests;
mod weighted;

pub use options::{Matchings, Method, Options};
pub use weighted::{Reading, WeightedGraph, is_adjacency};

use crate::integers::Bound;
use crate::permanent::{Block, Record};
use crate::sparse::Triplets;
use crate::words::counted;
use crate::{Error, Observer, Result, Silent, memory};
use bound::hafnian_bound;
use num_bigint::BigInt;
use num_traits::Zero;
use reduce::{Reduced, reduce};
use std::time::Instant;

/// What the memory is for.
const SIZES: &str = "the numbers of matchings by size";

/// The numbers of matchings of a graph, proven.
///
/// ```
/// use blackfield::{Silent, hafnian::{Options, WeightedGraph, matchings}};
/// let pairs = (0..20).flat_map(|v| (0..v).map(move |w| (v, w, 1)));
/// let complete = WeightedGraph::from_edges(20, pairs);
/// let answer = matchings(&complete, &Options::default(), &Silent)?;
/// assert_eq!(answer.perfect, (1..=19u64).step_by(2).product::<u64>().into());
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] if the requested method does not apply, and for a checkpoint without the feature `serde`;
/// [`Error::Memory`] if every method exceeds the limit; [`Error::Interrupted`]; for a checkpoint [`Error::Io`] and
/// [`Error::Input`]; [`Error::Check`] if a computation contradicts itself.
pub fn matchings(graph: &WeightedGraph, options: &Options, observer: &dyn Observer) -> Result<Matchings> {
    if cfg!(not(feature = "serde")) && options.checkpoint.is_some() {
        return Err(Error::Usage("no checkpoints: this blackfield was built without the feature `serde`".into()));
    }
    let record = Record::new(observer, options.checkpoint.clone(), Method::InclusionExclusion.name());
    let mut work = Work { options, record };
    let by_size = options.by_size.then(|| work.by_size(graph)).transpose()?;
    let perfect = match &by_size {
        Some(sizes) if graph.n().is_multiple_of(2) => sizes[graph.n() / 2].clone(),
        Some(_) => BigInt::zero(),
        None => work.product(graph)?,
    };
    let record = work.record;
    if observer.plans_only() {
        return record.plan();
    }
    let total = by_size.as_ref().map(|sizes| sizes.iter().sum());
    Ok(Matchings { perfect, by_size, total, method: record.method(), proof: record.proof, path: record.path })
}

impl Triplets {
    /// The hafnian of a symmetric matrix without a diagonal: [`matchings`] with default options and no observer.
    ///
    /// ```
    /// let square = [(0, 1), (1, 2), (2, 3), (3, 0)].into_iter().flat_map(|(v, w)| [(v, w, 1), (w, v, 1)]);
    /// let a = blackfield::sparse::Triplets::from_entries(4, 4, square);
    /// assert_eq!(a.hafnian()?.perfect, 2.into());
    /// # Ok::<(), blackfield::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] if the matrix is not that of a graph, [`Error::Memory`] if memory runs out, [`Error::Check`] if
    /// a computation contradicts itself.
    pub fn hafnian(&self) -> Result<Matchings> {
        matchings(&WeightedGraph::from_triplets(self)?, &Options::default(), &Silent)
    }
}

/// What the reductions left, and what they did.
fn describe(reduced: &Reduced) -> (String, String) {
    if let Some(reason) = &reduced.zero {
        return ("no perfect matching".into(), reason.clone());
    }
    let sizes: Vec<String> = reduced.blocks.iter().take(8).map(|block| block.n().to_string()).collect();
    let more = if reduced.blocks.len() > 8 { ", ..." } else { "" };
    let found = match reduced.blocks.len() {
        0 => "nothing left".into(),
        1 => format!("a block of {} vertices", sizes[0]),
        count => format!("{count} blocks of {}{more} vertices", sizes.join(", ")),
    };
    let log = &reduced.log;
    let counts = [
        (log.degree_one, "vertex of degree 1"),
        (log.degree_two, "vertex of degree 2"),
        (log.cuts, "edge of a cut vertex"),
    ];
    let done: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|&(n, what)| counted(n, what)).collect();
    (found, done.join(", "))
}

/// The bound of the whole graph, if it holds for every block: weights are non-negative and there is a perfect matching,
/// so that haf A = factor · Π haf(block) is a product of positive integers. Eliminating vertices of degree 2 leaves
/// weights above 1; the original graph may have none.
fn ceiling(graph: &WeightedGraph, reduced: &Reduced) -> Result<Option<Bound>> {
    let holds = !reduced.blocks.is_empty() && graph.is_nonnegative();
    holds.then(|| hafnian_bound(graph)).transpose()
}

/// A computation in progress.
struct Work<'a> {
    options: &'a Options,
    record: Record<'a>,
}

/// A graph in words.
fn in_words(graph: &WeightedGraph, kind: &str) -> Block {
    let what = format!("{kind}{}", counted(graph.n(), "vertex"));
    Block { what, size: counted(graph.edge_count(), "edge") }
}

impl Work<'_> {
    /// The matchings of every size.
    fn by_size(&mut self, graph: &WeightedGraph) -> Result<Vec<BigInt>> {
        let method = self.options.method;
        if !matches!(method, Method::Auto | Method::Frontier | Method::Complement) {
            let name = method.name();
            return Err(Error::Usage(format!(
                "method {name} counts perfect matchings only; by size: auto, frontier, complement"
            )));
        }
        let (start, observer, n) = (Instant::now(), self.record.observer, graph.n());
        let route = planner::by_size(graph, self.options, observer)?;
        let mut sizes = memory::filled(BigInt::zero(), n / 2 + 1, SIZES)?;
        // The record has one number of each block: here that of all matchings.
        self.record.block(&in_words(graph, "all matchings of "), &[route], start, |plan| {
            let (found, all) = planner::run_by_size(plan, n, self.options, observer)?;
            sizes.iter_mut().zip(all).for_each(|(size, known)| *size = known);
            Ok(found)
        })?;
        Ok(sizes)
    }

    /// Reduces the graph and multiplies the hafnians of the remaining blocks.
    fn product(&mut self, graph: &WeightedGraph) -> Result<BigInt> {
        let (start, observer) = (Instant::now(), self.record.observer);
        let reduced = reduce(graph, self.options.reductions, observer)?;
        self.record.reduced(describe(&reduced), start);
        let ceiling = ceiling(graph, &reduced)?;
        let mut value = reduced.factor.clone();
        for (k, block) in reduced.blocks.iter().enumerate() {
            if value.is_zero() && !observer.plans_only() {
                break;
            }
            let own = hafnian_bound(block)?;
            let bound = ceiling.filter(|ceiling| ceiling.bits < own.bits).unwrap_or(own);
            let checkpoint = self.record.checkpoint(k + 1, reduced.blocks.len());
            value *= self.block(block, bound, &Options { checkpoint, ..self.options.clone() })?;
        }
        Ok(value)
    }

    /// The hafnian of one block by the cheapest method whose memory suffices.
    fn block(&mut self, block: &WeightedGraph, bound: Bound, options: &Options) -> Result<BigInt> {
        let (start, observer) = (Instant::now(), self.record.observer);
        let routes = planner::routes(block, bound, options, observer)?;
        let run = |engine: &_| planner::run(engine, block, bound, options, observer);
        self.record.block(&in_words(block, ""), &routes, start, run)
    }
}
