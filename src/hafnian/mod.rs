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
use crate::permanent::{Proof, Resumed};
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, Silent, Step};
use bound::hafnian_bound;
use num_bigint::BigInt;
use num_traits::Zero;
use planner::Found;
use reduce::{Reduced, reduce};
use std::time::Instant;

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
    let mut work =
        Work { options, observer, path: vec![], proof: Proof::default(), longest: ("reductions", 0.0), told: false };
    let by_size = options.by_size.then(|| work.by_size(graph)).transpose()?;
    let perfect = match &by_size {
        Some(sizes) if graph.n().is_multiple_of(2) => sizes[graph.n() / 2].clone(),
        Some(_) => BigInt::zero(),
        None => work.product(graph)?,
    };
    let total = by_size.as_ref().map(|sizes| sizes.iter().sum());
    Ok(Matchings { perfect, by_size, total, method: work.longest.0, proof: work.proof, path: work.path })
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
        (log.degree_one, "vertices of degree 1"),
        (log.degree_two, "vertices of degree 2"),
        (log.cuts, "edges of cut vertices"),
    ];
    let done: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
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
    observer: &'a dyn Observer,
    path: Vec<Step>,
    proof: Proof,
    /// The step that took longest so far.
    longest: (&'static str, f64),
    /// Whether the user was told that there is no checkpoint.
    told: bool,
}

impl Work<'_> {
    fn step(&mut self, name: &'static str, found: String, why: String, predicted: Option<f64>, seconds: f64) {
        self.path.push(Step { name, found, why, rank: None, predicted, seconds });
        if predicted.is_some() && seconds > self.longest.1 {
            self.longest = (name, seconds);
        }
    }

    /// Warns once that nothing is kept.
    fn without_checkpoint(&mut self, name: &str) {
        if self.options.checkpoint.is_some() && !std::mem::replace(&mut self.told, true) {
            self.observer.warning(&format!(
                "no checkpoint is written: method inclusion-exclusion supports them, {name} does not"
            ));
        }
    }

    /// The matchings of every size.
    fn by_size(&mut self, graph: &WeightedGraph) -> Result<Vec<BigInt>> {
        let method = self.options.method;
        if !matches!(method, Method::Auto | Method::Frontier | Method::Complement) {
            let name = method.name();
            return Err(Error::Usage(format!(
                "method {name} counts perfect matchings only; by size: auto, frontier, complement"
            )));
        }
        let start = Instant::now();
        let plan = sizes::plan(graph, self.options, self.observer)?;
        let name = plan.method().name();
        self.without_checkpoint(name);
        let mut residues = vec![];
        let mut sizes = plan.run(graph.n(), self.options.max_memory, &mut residues, self.observer)?;
        sizes.resize(graph.n() / 2 + 1, BigInt::zero());
        self.proof.residues.extend(residues);
        let (n, edges) = (graph.n(), graph.edge_count());
        let found = format!("{n} vertices, {edges} edges, all sizes");
        self.step(name, found, plan.basis(), Some(plan.seconds()), start.elapsed().as_secs_f64());
        Ok(sizes)
    }

    /// Reduces the graph and multiplies the hafnians of the remaining blocks.
    fn product(&mut self, graph: &WeightedGraph) -> Result<BigInt> {
        let start = Instant::now();
        let reduced = reduce(graph, self.options.reductions)?;
        let (found, why) = describe(&reduced);
        self.step("reductions", found, why, None, start.elapsed().as_secs_f64());
        let ceiling = ceiling(graph, &reduced)?;
        let mut value = reduced.factor.clone();
        for (k, block) in reduced.blocks.iter().enumerate() {
            if value.is_zero() {
                break;
            }
            let own = hafnian_bound(block)?;
            let bound = ceiling.filter(|ceiling| ceiling.bits < own.bits).unwrap_or(own);
            let checkpoint = self.checkpoint(k + 1, reduced.blocks.len());
            value *= self.block(block, bound, &Options { checkpoint, ..self.options.clone() })?;
        }
        Ok(value)
    }

    /// The checkpoint file of the k-th block: the one given, with the block's number if there are several.
    fn checkpoint(&self, k: usize, blocks: usize) -> Option<std::path::PathBuf> {
        let file = self.options.checkpoint.clone()?;
        if blocks == 1 {
            return Some(file);
        }
        let mut name = file.into_os_string();
        name.push(format!(".{k}"));
        Some(name.into())
    }

    /// The hafnian of one block by the cheapest method whose memory suffices.
    fn block(&mut self, block: &WeightedGraph, bound: Bound, options: &Options) -> Result<BigInt> {
        let planning = Instant::now();
        let routes = planner::routes(block, bound, options, self.observer)?;
        let mut seconds = planning.elapsed().as_secs_f64();
        let mut refused: Option<Error> = None;
        for (k, route) in routes.iter().enumerate() {
            let name = route.method().name();
            if !route.keeps_checkpoints() {
                self.without_checkpoint(name);
            }
            let start = Instant::now();
            let found = match planner::run(route, block, bound, options, self.observer) {
                Err(error @ Error::Memory(_)) => {
                    self.observer.warning(&format!("{name}: {error}"));
                    refused = Some(error);
                    continue;
                }
                found => found?,
            };
            seconds += start.elapsed().as_secs_f64();
            let others =
                routes[k + 1..].iter().map(|r| format!(", {} {:.1e} s ({})", r.method().name(), r.seconds, r.basis));
            let why = format!("{}{}", route.basis, others.collect::<String>());
            let (n, edges) = (block.n(), block.edge_count());
            let exact = match found {
                Found::Permanent(permanent) => {
                    let (half, bits) = (n / 2, permanent.value.bits());
                    let found = format!("{n} vertices, {edges} edges, the permanent of {half} x {half}, {bits} bits");
                    self.step(name, found, why, Some(route.seconds), seconds);
                    self.path.extend(permanent.path);
                    self.proof.residues.extend(permanent.proof.residues);
                    self.proof.resumed.extend(permanent.proof.resumed);
                    return Ok(permanent.value);
                }
                Found::Value(exact) => exact,
            };
            let resumed = match exact.resumed {
                None => String::new(),
                Some(Resumed { parts, of }) => format!(", {parts} of {of} parts of the work from the checkpoint"),
            };
            let found = format!("{n} vertices, {edges} edges, {} bits{resumed}", exact.value.bits());
            self.step(name, found, why, Some(route.seconds), seconds);
            self.proof.resumed.extend(exact.resumed);
            if let Some(bound) = exact.bound {
                self.proof.residues.push((bound, exact.moduli));
            }
            return Ok(exact.value);
        }
        Err(refused.expect("the planner gives at least one route"))
    }
}
