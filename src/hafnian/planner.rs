//! Which method computes a block: each predicts its cost, the cheapest runs, and the next one if its memory does not
//! suffice.
//!
//! | method | for | prediction |
//! |---|---|---|
//! | permanent | bipartite graphs | none: it has a planner of its own |
//! | planar | planar graphs | [`Planar::predict`] |
//! | complement | graphs with most edges of one weight | [`sizes::Plan::seconds`] |
//! | inclusion-exclusion | up to 80 vertices | [`inclusion::predict`] |
//! | frontier | all | [`frontier::plan`] |

use super::options::{Method, Options};
use super::pfaffian::Planar;
use super::sizes::{self, complement};
use super::{WeightedGraph, frontier, inclusion};
use crate::integers::Bound;
use crate::permanent::{Found, Permanent, affordable, cheapest};
use crate::sparse::Triplets;
use crate::words::counted;
use crate::{Error, Observer, Result, permanent};
use num_bigint::BigInt;

/// A method to compute a block, with its data.
#[derive(Debug)]
pub(super) enum Engine {
    /// The biadjacency matrix.
    Permanent(Triplets),
    Planar(Planar),
    Complement(sizes::Plan),
    Frontier(frontier::Plan),
    InclusionExclusion,
}

impl permanent::Engine for Engine {
    fn name(&self) -> &'static str {
        let method = match self {
            Engine::Permanent(_) => Method::Permanent,
            Engine::Planar(_) => Method::Planar,
            Engine::Complement(_) => Method::Complement,
            Engine::Frontier(_) => Method::Frontier,
            Engine::InclusionExclusion => Method::InclusionExclusion,
        };
        method.name()
    }
    /// Of permanents the other room says it.
    fn keeps_checkpoints(&self) -> bool {
        matches!(self, Engine::Permanent(_) | Engine::InclusionExclusion)
    }
    fn plans_by_itself(&self) -> bool {
        matches!(self, Engine::Permanent(_))
    }
}

/// A method with its predicted cost.
type Route = permanent::Route<Engine>;

/// All methods that the options allow for the block, whose hafnian obeys `bound`, cheapest first.
///
/// # Errors
/// [`Error::Usage`] if the requested method cannot compute this block; [`Error::Memory`] if every method exceeds the
/// limit; [`Error::Interrupted`].
pub(super) fn routes(
    block: &WeightedGraph,
    bound: Bound,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Vec<Route>> {
    let wanted = |method| options.method == method || options.method == Method::Auto;
    let (prices, pairs) = (&options.machine.hafnian, block.n() / 2);
    if wanted(Method::Permanent)
        && let Some(route) = bipartite(block)?
    {
        return Ok(vec![route]);
    }
    let mut routes = vec![];
    if wanted(Method::Planar)
        && let Some(planar) = Planar::new(block, observer)?
    {
        let (seconds, bytes) = planar.predict(bound, prices);
        routes.push(Route { engine: Engine::Planar(planar), seconds, bytes, basis: "planar".into() });
    }
    observer.phase("plan", 0);
    let open = |routes: &[Route], method| {
        options.method == method || options.method == Method::Auto && cheapest(routes) > prices.start
    };
    if open(&routes, Method::InclusionExclusion) && pairs <= inclusion::PAIRS {
        let (seconds, bytes) = inclusion::predict(block, bound, prices)?;
        let basis = format!("2^{pairs} subsets of {}", counted(pairs, "pair"));
        routes.push(Route { engine: Engine::InclusionExclusion, seconds, bytes, basis });
    }
    if open(&routes, Method::Complement)
        && let Some((rest, c)) = complement(block)
    {
        match sizes::plan(&rest, &Options { method: Method::Auto, ..options.clone() }, observer) {
            Ok(inner) => {
                let plan = sizes::Plan::Complement(Box::new(inner), c);
                let (seconds, bytes, basis) = (plan.seconds(), plan.bytes(), plan.basis());
                routes.push(Route { engine: Engine::Complement(plan), seconds, bytes, basis });
            }
            Err(Error::Memory(_)) if options.method == Method::Auto => {}
            Err(other) => return Err(other),
        }
    }
    if open(&routes, Method::Frontier) {
        let plan = frontier::plan(block, cheapest(&routes), prices, observer)?;
        let passes = frontier::pass_count(bound)?;
        let (seconds, bytes) = (plan.seconds * passes as f64, plan.bytes);
        let basis = format!("a frontier of {}, {}", counted(plan.width(), "vertex"), counted(passes, "pass"));
        routes.push(Route { engine: Engine::Frontier(plan), seconds, bytes, basis });
    }
    if routes.is_empty() {
        return Err(Error::Usage(not_applicable(options.method, block)));
    }
    affordable(routes, options.max_memory)
}

/// The way to the matchings of every size.
///
/// # Errors
/// As [`sizes::plan`].
pub(super) fn by_size(
    graph: &WeightedGraph,
    options: &Options,
    observer: &dyn Observer,
) -> Result<permanent::Route<sizes::Plan>> {
    let plan = sizes::plan(graph, options, observer)?;
    let (seconds, bytes, basis) = (plan.seconds(), plan.bytes(), plan.basis());
    Ok(permanent::Route { engine: plan, seconds, bytes, basis })
}

/// Why a requested method does not apply.
fn not_applicable(method: Method, block: &WeightedGraph) -> String {
    let n = block.n();
    let why = match method {
        Method::Permanent => "it is not bipartite",
        Method::Planar => "it is not planar",
        Method::Complement => "most pairs of its vertices have no edge",
        _ => "it is too large",
    };
    format!("method {} cannot compute this block of {n} vertices: {why}; --method auto chooses one", method.name())
}

/// The permanent of the biadjacency matrix, if the graph is bipartite.
fn bipartite(block: &WeightedGraph) -> Result<Option<Route>> {
    let Some(sides) = block.sides() else { return Ok(None) };
    let mut counts = [0usize; 2];
    let place: Vec<usize> = sides
        .iter()
        .map(|&side| {
            counts[usize::from(side)] += 1;
            counts[usize::from(side)] - 1
        })
        .collect();
    let entries = block.edges().map(|(v, w, x)| {
        let (row, col) = if sides[v as usize] { (w, v) } else { (v, w) };
        (place[row as usize], place[col as usize], x.clone())
    });
    let biadjacency = Triplets::try_from_entries(counts[0], counts[1], entries)?;
    let engine = Engine::Permanent(biadjacency);
    Ok(Some(Route { engine, seconds: 0.0, bytes: 0.0, basis: "bipartite".into() }))
}

/// Runs an engine.
pub(super) fn run(
    engine: &Engine,
    block: &WeightedGraph,
    bound: Bound,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Found> {
    let exact = match engine {
        Engine::Permanent(biadjacency) => {
            let options = permanent::Options::default()
                .machine(options.machine.clone())
                .max_memory(options.max_memory)
                .checkpoint(options.checkpoint.clone())
                .checkpoint_interval(options.checkpoint_interval);
            let Permanent { value, proof, path, .. } = permanent::permanent(biadjacency, &options, observer)?;
            let half = block.n() / 2;
            return Ok(Found { value, proof, path, outcome: format!(", the permanent of {half} x {half}") });
        }
        Engine::Planar(planar) => planar.hafnian(bound, observer)?,
        Engine::Frontier(plan) => frontier::hafnian(plan, bound, observer)?,
        Engine::InclusionExclusion => inclusion::hafnian(block, bound, options, observer)?,
        Engine::Complement(plan) => {
            let (found, sizes) = run_by_size(plan, block.n(), options, observer)?;
            return Ok(Found { value: sizes.get(block.n() / 2).cloned().unwrap_or_default(), ..found });
        }
    };
    Ok(exact.into())
}

/// The sum of all numbers of matchings with its proof, and those with k edges, k = 0, …, as far as there are any.
pub(super) fn run_by_size(
    plan: &sizes::Plan,
    n: usize,
    options: &Options,
    observer: &dyn Observer,
) -> Result<(Found, Vec<BigInt>)> {
    let mut residues = vec![];
    let sizes = plan.run(n, options.max_memory, &mut residues, observer)?;
    let proof = permanent::Proof { residues, resumed: vec![] };
    Ok((Found { value: sizes.iter().sum(), proof, path: vec![], outcome: String::new() }, sizes))
}
