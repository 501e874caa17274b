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
use crate::permanent::{Exact, Permanent};
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, permanent};

/// A method to compute a block, with its data.
#[derive(Debug)]
enum Engine {
    /// The biadjacency matrix.
    Permanent(Triplets),
    Planar(Planar),
    Complement(sizes::Plan),
    Frontier(frontier::Plan),
    InclusionExclusion,
}

/// A method to compute a block, with its predicted cost.
#[derive(Debug)]
pub(super) struct Route {
    engine: Engine,
    /// Predicted seconds of one thread.
    pub seconds: f64,
    /// Predicted bytes.
    pub bytes: f64,
    /// What the prediction rests on.
    pub basis: String,
}

/// What a route found.
pub(super) enum Found {
    /// A value with its proof.
    Value(Exact),
    /// That of the other room, with its steps.
    Permanent(Permanent),
}

impl Route {
    /// The method.
    pub fn method(&self) -> Method {
        match self.engine {
            Engine::Permanent(_) => Method::Permanent,
            Engine::Planar(_) => Method::Planar,
            Engine::Complement(_) => Method::Complement,
            Engine::Frontier(_) => Method::Frontier,
            Engine::InclusionExclusion => Method::InclusionExclusion,
        }
    }
    /// Whether a run can be stopped and resumed from a checkpoint, or another room decides that.
    pub fn keeps_checkpoints(&self) -> bool {
        matches!(self.engine, Engine::Permanent(_) | Engine::InclusionExclusion)
    }
}

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
    let cheapest = |routes: &[Route]| routes.iter().map(|route| route.seconds).fold(f64::INFINITY, f64::min);
    if wanted(Method::Permanent)
        && let Some(route) = bipartite(block)?
    {
        return Ok(vec![route]);
    }
    let mut routes = vec![];
    if wanted(Method::Planar)
        && let Some(planar) = Planar::new(block)?
    {
        let (seconds, bytes) = planar.predict(bound, prices);
        routes.push(Route { engine: Engine::Planar(planar), seconds, bytes, basis: "planar".into() });
    }
    let open = |routes: &[Route], method| {
        options.method == method || options.method == Method::Auto && cheapest(routes) > prices.start
    };
    if open(&routes, Method::InclusionExclusion) && pairs <= inclusion::PAIRS {
        let (seconds, bytes) = inclusion::predict(block, bound, prices)?;
        let basis = format!("2^{pairs} subsets of {pairs} pairs");
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
        let basis = format!("a frontier of {} vertices, passes: {passes}", plan.width());
        routes.push(Route { engine: Engine::Frontier(plan), seconds, bytes, basis });
    }
    if routes.is_empty() {
        return Err(Error::Usage(not_applicable(options.method, block)));
    }
    if let Some(limit) = options.max_memory {
        let least = routes.iter().map(|route| route.bytes).fold(f64::INFINITY, f64::min);
        routes.retain(|route| route.bytes <= limit as f64);
        if routes.is_empty() {
            return Err(Error::Memory(format!("at least {least:.1e} bytes are needed, {limit} are allowed")));
        }
    }
    routes.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(routes)
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

/// Runs a route.
pub(super) fn run(
    route: &Route,
    block: &WeightedGraph,
    bound: Bound,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Found> {
    let value = match &route.engine {
        Engine::Permanent(biadjacency) => {
            let options = permanent::Options::default()
                .machine(options.machine.clone())
                .max_memory(options.max_memory)
                .checkpoint(options.checkpoint.clone())
                .checkpoint_interval(options.checkpoint_interval);
            return permanent::permanent(biadjacency, &options, observer).map(Found::Permanent);
        }
        Engine::Planar(planar) => planar.hafnian(bound, observer)?,
        Engine::Frontier(plan) => frontier::hafnian(plan, bound, observer)?,
        Engine::InclusionExclusion => inclusion::hafnian(block, bound, options, observer)?,
        Engine::Complement(plan) => {
            let mut residues = vec![];
            let mut sizes = plan.run(block.n(), options.max_memory, &mut residues, observer)?;
            let value = sizes.pop().unwrap_or_default();
            // Several bounds: the last speaks for all, whose moduli are listed in their order.
            let (bound, moduli) = residues.pop().map_or((None, vec![]), |(bound, moduli)| (Some(bound), moduli));
            Exact { value, moduli, bound, resumed: None }
        }
    };
    Ok(Found::Value(value))
}
