//! The frontier dynamic program: permanents of sparse matrices, exactly, by counting the ways to match line by line.
//!
//! Rows and columns are the vertices of a bipartite graph, entries its weighted edges, perm A the weighted number of
//! perfect matchings. Vertices are *processed* one after another: if not matched yet, a vertex is matched in all ways
//! with unprocessed neighbours. At any step, each unprocessed vertex is *touched* (some neighbour is processed) or not,
//! and what follows depends only on which touched vertices are still unmatched. Touched vertices of one side with the
//! same remaining edges are *twins*: only how many of them are unmatched matters, their *deficit*. So
//!
//! ```text
//! state = the deficits of the classes of twins,      value = Σ of the weights of all partial matchings that lead there
//! ```
//!
//! and a class without further edges closes: its deficit must be 0. A row (column) of a class with deficit 0 needs no
//! step of its own. Processing only rows, in some order, is the well-known dynamic program over sets of used columns;
//! with both sides in the order the number of open vertices is often smaller. Twins make dense blocks cheap: a full n ×
//! n block has n states.
//!
//! The order is decisive: `order` is a beam search with a cost that accounts for twins, `local` moves single vertices
//! of its result; their effort grows with the work that they predict. `least` refuses matrices for which every order is
//! hopeless. Values are integers modulo 2⁶⁴ᴷ, K chosen from [`permanent_bound`], or residues mod p (`ring`). `program`
//! turns the order into steps, `run` takes all states through them in parallel: layers that are nearly full as arrays
//! without keys (`dense`), others as tables (`sparse`).
//!
//! Meeting in the middle (half a sweep from each end, a dot product at the narrowest cut) would not pay: layers are
//! nearly full from either end, so that both halves together visit the same states. One sweep reaches 0.86 of the
//! vectors counted on bcsstk01 (8.7·10⁷ vectors) and 0.74 to 0.93 on 3-regular matrices with n = 80 (3·10⁶ to 1.5·10⁷):
//! a second direction could save no more than the rest.
//!
//! Sources: the problem and the matrices: D. Elbek et al., *SUperman: Efficient Permanent Computation on GPUs*, 2025,
//! Section 2.1 (whose sparse method is inclusion–exclusion); the technique: transfer matrices over a frontier, as for
//! counting paths (D. E. Knuth, *The Art of Computer Programming* 4A, Section 7.1.4, "simpath").

mod dense;
mod graph;
mod kernel;
mod key;
mod layout;
mod least;
mod local;
mod order;
mod program;
mod ring;
mod run;
mod set;
mod sparse;
#[cfg(test)]
mod tests;

use super::IntMatrix;
use super::bound::permanent_bound;
use crate::cost::Frontier;
use crate::field::Modulus;
use crate::setters::setters;
use crate::{Error, Observer, Result};
use graph::Graph;
use least::least_peak;
use local::improve;
use num_bigint::BigInt;
use order::{Beam, Order, Sides, beam};
use program::{Program, compile};
use ring::{Integers, Residues, Ring, Words};
use run::{Limits, Storage, layer_bytes, reachable, run, seconds};

/// What the dynamic program may use.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FrontierOptions {
    /// Bytes for the states of two consecutive layers.
    pub memory: u64,
    /// Time for the search for an order, as a fraction of the time predicted for the best order so far.
    pub search: f64,
    /// Requests only a residue: the answer's value is then congruent to the permanent modulo this.
    pub modulus: Option<Modulus>,
    /// The prices of states and of evaluating orders.
    pub prices: Frontier,
}

impl Default for FrontierOptions {
    fn default() -> Self {
        FrontierOptions { memory: 4 << 30, search: 0.5, modulus: None, prices: Frontier::default() }
    }
}

setters!(FrontierOptions {
    memory: u64,
    search: f64,
    modulus: impl Into<Option<Modulus>>,
    prices: Frontier,
});

/// Upper bounds on what a run along the best order found takes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// Upper bound on the number of states of all layers together: deficit vectors, counted.
    pub states: f64,
    /// Upper bound on the number of states of one layer.
    pub peak: f64,
    /// Seconds on one core, roughly.
    pub seconds: f64,
    /// Upper bound on the bytes for two consecutive layers.
    pub bytes: f64,
    /// The vertices to process: row i is i, column j is n + j.
    pub order: Vec<u32>,
}

/// A permanent and how it was computed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct FrontierAnswer {
    /// The permanent.
    pub value: BigInt,
    /// Number of states of all layers.
    pub states: u64,
    /// Number of states of the largest layer.
    pub peak: u64,
    /// |permanent| ≤ 2^`bound_bits`.
    pub bound_bits: u64,
    /// The sums were computed modulo 2 to this power; `None` if they were computed in integers of any size.
    pub modulus_bits: Option<u64>,
}

/// Weights of the size of the current layer, relative to the work so far, in the ranking of the beam: no single one is
/// best for all matrices. Beams up to [`PATIENCE`] take turns with them, wider ones use the best one so far.
const OUTLOOKS: [f64; 3] = [30.0, 8.0, 120.0];
/// Up to this width rows, columns and both are always tried; beyond it only those that came within a factor of the
/// best.
const PATIENCE: usize = 16;
const BEHIND: f64 = 1.5;
/// The widest beam.
const MAX_WIDTH: usize = 4096;

/// The permanent of a matrix.
///
/// # Errors
/// [`Error::Memory`] if the states need more than `options.memory`, [`Error::Interrupted`].
pub fn permanent(a: &IntMatrix, options: &FrontierOptions, observer: &dyn Observer) -> Result<BigInt> {
    let order = predict(a, options, observer)?.order;
    Ok(permanent_in_order(a, &order, options, observer)?.value)
}

/// The order that the search finds within its budget, and its cost.
///
/// # Errors
/// [`Error::Memory`] if every order needs more than `options.memory`, or more time than is practical;
/// [`Error::Interrupted`].
pub fn predict(a: &IntMatrix, options: &FrontierOptions, observer: &dyn Observer) -> Result<Prediction> {
    if a.n() == 0 || has_empty_line(a) {
        return Ok(Prediction { states: 0.0, peak: 0.0, seconds: 0.0, bytes: 0.0, order: Vec::new() });
    }
    let graph = Graph::new(a);
    let value_words = if options.modulus.is_some() { 1 } else { value_words(a)?.0 };
    let least = least_peak(&graph);
    let bytes = least * 8.0 * (1 + value_words) as f64;
    if bytes > options.memory as f64 {
        return Err(too_large(format!("at least {bytes:.3e} bytes for {least:.3e} states"), options.memory));
    }
    let Some(order) = search(&graph, options.search, &options.prices, observer)? else {
        return Err(too_large(format!("more than {ENDLESS:.0e} states"), options.memory));
    };
    let program = compile(&graph, &order);
    let key_words = key_words(program.words) as u64;
    let reachable = reachable(&program, &graph.weights, &options.prices, observer)?;
    Ok(Prediction {
        states: reachable.iter().sum(),
        peak: reachable.iter().copied().fold(0.0, f64::max),
        seconds: seconds(&options.prices, &program, &reachable, value_words),
        bytes: layer_bytes(&program, &reachable, key_words, value_words),
        order,
    })
}

fn too_large(need: String, limit: u64) -> Error {
    Error::Memory(format!("the frontier dynamic program needs {need}, the limit is {limit} bytes"))
}

/// The permanent, processing the given vertices: row i is i, column j is n + j. Vertices whose neighbours are all
/// processed may be listed or omitted.
///
/// # Errors
/// [`Error::Usage`] if an entry has neither its row nor its column in the order, or a vertex does not exist or occurs
/// twice; [`Error::Memory`] if the states need more than `options.memory`; [`Error::Interrupted`].
pub fn permanent_in_order(
    a: &IntMatrix,
    order: &[u32],
    options: &FrontierOptions,
    observer: &dyn Observer,
) -> Result<FrontierAnswer> {
    in_order(a, order, options, Storage::Cheapest, observer)
}

/// The same, with layers stored as wanted.
fn in_order(
    a: &IntMatrix,
    order: &[u32],
    options: &FrontierOptions,
    storage: Storage,
    observer: &dyn Observer,
) -> Result<FrontierAnswer> {
    let (words, bound_bits) = value_words(a)?;
    let trivial =
        |value: i32| FrontierAnswer { value: value.into(), states: 0, peak: 0, bound_bits, modulus_bits: None };
    if a.n() == 0 {
        return Ok(trivial(1));
    }
    if has_empty_line(a) {
        return Ok(trivial(0));
    }
    let graph = Graph::new(a);
    check_order(a, order)?;
    let program = compile(&graph, order);
    observer.phase("frontier", program.steps.len() as u64);
    let limits = Limits { memory: options.memory, storage, prices: options.prices, observer };
    let go = Go { program: &program, graph: &graph, limits: &limits, nonnegative: a.is_nonnegative() };
    let residues = options.modulus.filter(|_| words > 1).map(Residues);
    let ((value, counts), modulus_bits) = match (key_words(program.words), words) {
        (1, 1) => (go.run::<1, _>(&Words::<1>)?, Some(64)),
        (1, 2) if residues.is_none() => (go.run::<1, _>(&Words::<2>)?, Some(128)),
        (1, 3..=4) if residues.is_none() => (go.run::<1, _>(&Words::<4>)?, Some(256)),
        (2, 1..=2) if residues.is_none() => (go.run::<2, _>(&Words::<2>)?, Some(128)),
        (2, 3..=4) if residues.is_none() => (go.run::<2, _>(&Words::<4>)?, Some(256)),
        (width @ ..=MAX_KEY_WORDS, _) => (
            match (width, &residues) {
                (1, Some(ring)) => go.run::<1, _>(ring)?,
                (2, Some(ring)) => go.run::<2, _>(ring)?,
                (..=8, Some(ring)) => go.run::<8, _>(ring)?,
                (_, Some(ring)) => go.run::<MAX_KEY_WORDS, _>(ring)?,
                (..=2, None) => go.run::<2, _>(&Integers)?,
                (..=8, None) => go.run::<8, _>(&Integers)?,
                (_, None) => go.run::<MAX_KEY_WORDS, _>(&Integers)?,
            },
            None,
        ),
        _ => {
            let bits = 64 * MAX_KEY_WORDS;
            return Err(Error::Memory(format!(
                "the frontier dynamic program would need keys of more than {bits} bits"
            )));
        }
    };
    let (states, peak) = (counts.iter().sum(), counts.iter().copied().max().unwrap_or(1));
    Ok(FrontierAnswer { value, states, peak, bound_bits, modulus_bits })
}

/// The widest keys, in words.
const MAX_KEY_WORDS: usize = 64;

/// The width of keys that a program runs with.
fn key_words(words: usize) -> usize {
    match words {
        0..=2 => words.max(1),
        3..=8 => 8,
        9..=MAX_KEY_WORDS => MAX_KEY_WORDS,
        _ => words,
    }
}

/// The number of words that hold the permanent (and its sign), and the bound from which it follows.
fn value_words(a: &IntMatrix) -> Result<(u64, u64)> {
    let bits = permanent_bound(a)?.bits;
    // |perm| ≤ 2^bits must be below M = 2⁶⁴ᴷ, or below M/2 if signs are possible.
    let sign = u64::from(!a.is_nonnegative());
    Ok(((bits + sign) / 64 + 1, bits))
}

/// Everything that does not depend on the types of keys and values.
struct Go<'a> {
    program: &'a Program,
    graph: &'a Graph,
    limits: &'a Limits<'a>,
    nonnegative: bool,
}

impl Go<'_> {
    fn run<const N: usize, R: Ring>(&self, ring: &R) -> Result<(BigInt, Vec<u64>)> {
        let (value, counts) = run::<N, R>(ring, self.program, &self.graph.weights, self.limits)?;
        Ok((ring.to_integer(&value, self.nonnegative), counts))
    }
}

fn has_empty_line(a: &IntMatrix) -> bool {
    let mut columns = vec![false; a.n()];
    a.entries().for_each(|(_, j, _)| columns[j] = true);
    a.rows().any(<[_]>::is_empty) || columns.contains(&false)
}

/// Checks that the order is valid.
fn check_order(a: &IntMatrix, order: &[u32]) -> Result<()> {
    let mut there = vec![false; 2 * a.n()];
    for &v in order {
        match there.get_mut(v as usize) {
            Some(t) if !*t => *t = true,
            _ => return Err(Error::Usage(format!("order: vertex {v} twice or not below {}", 2 * a.n()))),
        }
    }
    match a.entries().find(|&(i, j, _)| !there[i] && !there[a.n() + j]) {
        Some((i, j, _)) => Err(Error::Usage(format!("order: entry ({i}, {j}) is not covered"))),
        None => Ok(()),
    }
}

/// Work, in states times choices, beyond which an order is impractical: a month.
const ENDLESS: f64 = 1e15;

/// The maximum number of orders that the local search starts from, and the fraction of the search that belongs to the
/// beams.
const STARTS: usize = 4;
const BEAMS: f64 = 0.7;

/// Beams of growing width over rows, columns and both, then local search from the best orders found, as long as the
/// total costs less than its fraction of the predicted work; returns the best order. `None` if every order is
/// impractical.
fn search(graph: &Graph, share: f64, prices: &Frontier, observer: &dyn Observer) -> Result<Option<Vec<u32>>> {
    let degree = graph.edges.iter().map(Vec::len).sum::<usize>() as f64 / graph.edges.len().max(1) as f64;
    // Estimates allowed per unit of work of the best order.
    let rate = share * prices.choice / (degree * prices.look);
    // Ascending by work, no two of equal work.
    let mut found: Vec<Order> = Vec::new();
    // For each kind: the number of estimates of a beam of width 1, and the least work found.
    let (mut looks_of_one, mut least) = ([0u64; 3], [f64::INFINITY; 3]);
    let (mut spent, mut width, mut favourite) = (0u64, 1, OUTLOOKS[0]);
    // A better order leaves less for the search: shares do not go back.
    let tell = |spent: u64, found: &[Order]| {
        if let (true, Some(best)) = (share > 0.0, found.first()) {
            observer.share((spent as f64 / (rate * best.work)).min(1.0));
            observer.progress(spent);
        }
    };
    while width <= MAX_WIDTH {
        let before = spent;
        for outlook in OUTLOOKS {
            if width > PATIENCE && outlook != favourite {
                continue;
            }
            for (k, sides) in [Sides::Rows, Sides::Columns, Sides::Both].into_iter().enumerate() {
                let best = found.first().map_or(ENDLESS, |best| best.work);
                let after = (spent + looks_of_one[k] * width as u64) as f64;
                let behind = width > PATIENCE && least[k] > BEHIND * best;
                if !found.is_empty() && looks_of_one[k] > 0 && (behind || after > BEAMS * rate * best) {
                    continue;
                }
                let below = (BEHIND * best).min(ENDLESS);
                let (order, looks) = beam(graph, Beam { sides, width, outlook }, below, observer)?;
                looks_of_one[k] = looks_of_one[k].max(looks / width as u64);
                spent += looks;
                let Some(order) = order else { continue };
                least[k] = least[k].min(order.work);
                if order.work < best {
                    favourite = outlook;
                }
                let place = found.partition_point(|other| other.work < order.work);
                if found.get(place).is_none_or(|other| other.work > order.work) {
                    found.insert(place, order);
                    found.truncate(STARTS);
                }
                tell(spent, &found);
            }
        }
        if spent == before {
            break;
        }
        width *= 4;
    }
    let mut starts = found.into_iter();
    let Some(mut best) = starts.next() else { return Ok(None) };
    let budget = (rate * best.work) as u64;
    let mut start = Some(Order { vertices: best.vertices.clone(), work: best.work });
    while let Some(order) = start {
        // If there is no time to look at every vertex, starting does not pay.
        let left = budget.saturating_sub(spent);
        if left < (order.vertices.len() * graph.edges.len()) as u64 / 4 {
            break;
        }
        let (order, steps) = improve(graph, &order.vertices, left, observer)?;
        spent += steps;
        observer.progress(spent);
        if order.work < best.work {
            best = order;
        }
        start = starts.next();
    }
    Ok(Some(best.vertices))
}
