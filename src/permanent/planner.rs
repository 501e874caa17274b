//! Which engine computes a block: each says what it would take, the cheapest runs, the next one if memory fails it.
//!
//! | method | for | seconds predicted |
//! |---|---|---|
//! | kasteleyn | planar graphs | groups of primes × 1.5·10⁻⁷ n^1.5, the fill of a planar graph (Lipton, Rose and Tarjan 1979) |
//! | rook | cJ + few entries | primes × products of the layers of states, 2 ns each |
//! | low-rank | rank ≤ 4 | primes × products of n linear forms, 3 ns each |
//! | frontier | all | the states of the best order found, [`frontier::predict`] |
//! | gray | all | the steps of the sum, [`gray::predict_matrix`], [`gray::predict_on_cards`] |
//!
//! The first three are looked for first, since that costs next to nothing; the order search of the frontier then knows what
//! it has to beat.

use super::bound::permanent_bound;
use super::frontier::FrontierOptions;
use super::kasteleyn::Planar;
use super::low_rank::LowRank;
use super::options::{Devices, Method, Options};
use super::reduce::Groups;
use super::rook::Rook;
use super::{Exact, IntMatrix, frontier, gray};
use crate::elimination::LANES;
use crate::gpu::{self, Device};
use crate::integers::Bound;
use crate::{Error, Observer, Result};
use num_bigint::BigUint;
use std::cell::OnceCell;

/// Seconds of one multiply-add mod a word-sized prime in [`Rook`] and [`LowRank`], and of a determinant's n^1.5 for [`LANES`] primes.
///
/// The first two are estimates; the last is scaled from one run on the 100 × 100 domino board (one thread of a 2-core AMD
/// virtual machine with AVX-512).
const ROOK_PRODUCT: f64 = 2e-9;
const FORM_PRODUCT: f64 = 3e-9;
const DETERMINANT: f64 = 1.5e-7;
/// Seconds to look at an entry once for each line, in the first search for an order.
const LOOK: f64 = 35e-9;
/// A first order this many times slower than another way will not be improved enough.
const HOPELESS: f64 = 1e3;
/// What starting any engine costs: below it nothing is worth predicting.
const NOTHING: f64 = 1e-4;

/// A way to compute a block, with what it needs.
#[derive(Debug)]
enum Engine {
    Kasteleyn(Planar),
    Rook(Rook),
    LowRank(LowRank),
    /// With the number of states, once it has run.
    Frontier {
        settings: FrontierOptions,
        order: Vec<u32>,
        states: OnceCell<u64>,
    },
    /// On these cards; none: the processor.
    Gray {
        devices: Vec<Device>,
    },
}

/// A way to compute a block, with its price.
#[derive(Debug)]
pub(super) struct Route {
    engine: Engine,
    /// Predicted seconds.
    pub seconds: f64,
    /// Predicted bytes.
    pub bytes: f64,
    /// What the prediction rests on.
    pub basis: String,
}

impl Route {
    /// What turned out, to be read beside the basis.
    pub fn outcome(&self) -> String {
        match &self.engine {
            Engine::Frontier { states, .. } => {
                states.get().map_or(String::new(), |n| format!(", {:.2e} states", *n as f64))
            }
            _ => String::new(),
        }
    }
    /// Whether a run can be stopped and go on from a checkpoint.
    pub fn keeps_checkpoints(&self) -> bool {
        matches!(self.engine, Engine::Gray { .. })
    }
    /// The method's name.
    pub fn name(&self) -> &'static str {
        match self.engine {
            Engine::Kasteleyn(_) => Method::Kasteleyn.name(),
            Engine::Rook(_) => Method::Rook.name(),
            Engine::LowRank(_) => Method::LowRank.name(),
            Engine::Frontier { .. } => Method::Frontier.name(),
            Engine::Gray { .. } => Method::Gray.name(),
        }
    }
}

/// All ways to compute the block, whose permanent obeys `bound`, that the options allow, cheapest first.
///
/// # Errors
/// [`Error::Usage`] if the method asked for cannot compute this matrix; [`Error::Memory`] if every way is beyond the limit;
/// [`Error::Interrupted`].
pub(super) fn routes(
    block: &IntMatrix,
    bound: Bound,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Vec<Route>> {
    let wanted = |method| options.method == method || options.method == Method::Auto;
    let mut routes = vec![];
    if wanted(Method::Kasteleyn) {
        routes.extend(kasteleyn(block, bound)?);
    }
    if wanted(Method::Rook) {
        routes.extend(rook(block, bound, options));
    }
    if wanted(Method::LowRank) {
        routes.extend(low_rank(block, bound, options));
    }
    let cheapest = |routes: &[Route]| routes.iter().map(|route| route.seconds).fold(f64::INFINITY, f64::min);
    // A rank mod one prime may turn out to be too small: then there must be another way.
    let may_fail = routes.iter().all(|route| matches!(route.engine, Engine::LowRank(_)));
    let open = options.method == Method::Auto && (may_fail || cheapest(&routes) > NOTHING);
    if options.method == Method::Gray || open {
        routes.extend(gray_code(block, options)?);
    }
    if options.method == Method::Frontier || open {
        routes.extend(frontier_programme(block, cheapest(&routes), options, observer)?);
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

/// Why a method that was asked for does not apply.
fn not_applicable(method: Method, block: &IntMatrix) -> String {
    let n = block.n();
    let why = match method {
        Method::Kasteleyn => "its bipartite graph is not planar",
        Method::Rook => "it is not a constant matrix with few other entries",
        Method::LowRank => "its rank is too large",
        _ => "it is too large",
    };
    format!("method {} cannot compute this {n} x {n} block: {why}", method.name())
}

fn kasteleyn(block: &IntMatrix, bound: Bound) -> Result<Option<Route>> {
    let Some(planar) = Planar::new(block)? else { return Ok(None) };
    let groups = (bound.bits / 31 / LANES as u64 + 1) as f64;
    let n = block.n() as f64;
    Ok(Some(Route {
        engine: Engine::Kasteleyn(planar),
        seconds: groups * DETERMINANT * n.powf(1.5) + 1e-6 * n,
        bytes: 64.0 * n.powf(1.5) * rayon::current_num_threads() as f64,
        basis: "planar".into(),
    }))
}

/// How many word-sized primes the answer takes.
fn primes(bound: Bound, options: &Options) -> f64 {
    if options.modulus.is_some() { 1.0 } else { (bound.bits / 63 + 1) as f64 }
}

fn rook(block: &IntMatrix, bound: Bound, options: &Options) -> Option<Route> {
    let rook = Rook::new(block)?;
    let (products, bytes) = rook.predict();
    Some(Route {
        seconds: products * primes(bound, options) * ROOK_PRODUCT,
        bytes: bytes * rayon::current_num_threads() as f64,
        basis: format!("constant but for few entries, {} columns open", rook.width()),
        engine: Engine::Rook(rook),
    })
}

fn low_rank(block: &IntMatrix, bound: Bound, options: &Options) -> Option<Route> {
    let low_rank = LowRank::new(block)?;
    Some(Route {
        seconds: low_rank.predict() * primes(bound, options) * FORM_PRODUCT,
        bytes: 16.0 * low_rank.terms() * rayon::current_num_threads() as f64,
        basis: format!("rank {}", low_rank.rank()),
        engine: Engine::LowRank(low_rank),
    })
}

/// log₂ of more terms than anybody will see the end of.
const ENDLESS: f64 = 68.0;

/// Seconds on the processor below which no card is looked for: a driver takes about as long to start.
const WORTH_A_CARD: f64 = 2.0;

fn gray_code(block: &IntMatrix, options: &Options) -> Result<Option<Route>> {
    // The engine's matrix is dense: before it is built, the groups tell whether there is any hope.
    let [rows, cols] = Groups::new(block)?.log2_terms();
    if rows.min(cols) >= ENDLESS {
        return Ok(None);
    }
    let on_processor = gray::predict_matrix(block);
    let devices = match options.devices {
        Devices::Cards => gpu::require_devices()?,
        Devices::Auto if on_processor > WORTH_A_CARD => gpu::devices().unwrap_or_default(),
        _ => Vec::new(),
    };
    let terms = format!("2^{:.0} terms", rows.min(cols) - 1.0);
    let (seconds, basis) = match devices.len() {
        0 => (on_processor, terms),
        1 => (gray::predict_on_cards(block, &devices), format!("{terms} on {}", devices[0].name)),
        n => (gray::predict_on_cards(block, &devices), format!("{terms} on {n} cards")),
    };
    let bytes = 1e6 + 64.0 * (block.n() * block.n()) as f64;
    Ok(Some(Route { engine: Engine::Gray { devices }, seconds, bytes, basis }))
}

/// The frontier programme, unless it costs more to look for an order than to take the best other way, of `beat` seconds.
fn frontier_programme(
    block: &IntMatrix,
    beat: f64,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Option<Route>> {
    if 4.0 * (block.n() * block.nnz()) as f64 * LOOK > beat {
        return Ok(None);
    }
    let mut settings = FrontierOptions { search: 0.0, modulus: options.modulus, ..Default::default() };
    settings.memory = options.max_memory.unwrap_or(settings.memory);
    let mut prediction = match frontier::predict(block, &settings, observer) {
        // Somebody else can.
        Err(Error::Memory(_)) if beat < f64::INFINITY => return Ok(None),
        prediction => prediction?,
    };
    if prediction.seconds < HOPELESS * beat {
        // Time for a better order, as a share of what would be won.
        settings.search = FrontierOptions::default().search * (beat / prediction.seconds).min(1.0);
        prediction = frontier::predict(block, &settings, observer)?;
    }
    Ok(Some(Route {
        seconds: prediction.seconds,
        bytes: prediction.bytes,
        basis: format!("at most {:.2e} states, {:.2e} in one layer", prediction.states, prediction.peak),
        engine: Engine::Frontier { settings, order: prediction.order, states: OnceCell::new() },
    }))
}

/// Runs a route. With a modulus the value is a residue.
pub(super) fn run(
    route: &Route,
    block: &IntMatrix,
    bound: Bound,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Exact> {
    let own_bound = || permanent_bound(block);
    let p = options.modulus;
    match &route.engine {
        Engine::Kasteleyn(planar) => match p {
            Some(p) => planar.permanent_mod(p, observer).map(Exact::integer),
            None => planar.permanent(bound, observer),
        },
        Engine::Rook(rook) => match p {
            Some(p) => rook.permanent_mod(p, observer).map(Exact::integer),
            None => rook.permanent(bound, observer),
        },
        Engine::LowRank(low_rank) => match p {
            Some(p) => low_rank.permanent_mod(p, observer).map(Exact::integer),
            None => low_rank.permanent(bound, observer),
        },
        Engine::Frontier { settings, order, states } => {
            let answer = frontier::permanent_in_order(block, order, settings, observer)?;
            states.get_or_init(|| answer.states);
            let moduli: Vec<BigUint> =
                answer.modulus_bits.map(|bits| BigUint::from(1u32) << bits).into_iter().collect();
            Ok(Exact {
                bound: (!moduli.is_empty()).then(own_bound).transpose()?,
                value: answer.value,
                moduli,
                resumed: None,
            })
        }
        Engine::Gray { devices } => {
            let on = |devices: &[Device]| {
                let mut gray_options = gray::GrayOptions::default();
                gray_options.checkpoint = options.checkpoint.clone();
                gray_options.interval = options.checkpoint_interval.unwrap_or(gray_options.interval);
                gray_options.devices = devices.to_vec();
                gray::permanent(block, &gray_options, observer)
            };
            // The processor cannot go on from a checkpoint of the cards' sums.
            let free = || {
                let kept = options.checkpoint.as_ref().is_some_and(|file| file.exists());
                options.devices == Devices::Auto && !devices.is_empty() && !kept
            };
            let answer = match on(devices) {
                Err(Error::Device(reason)) if free() => {
                    observer.warning(&format!("the processor goes on instead of CUDA: {reason}"));
                    on(&[])?
                }
                answer => answer?,
            };
            let bound = (!answer.moduli.is_empty()).then(own_bound).transpose()?;
            Ok(Exact { value: answer.value, moduli: answer.moduli, bound, resumed: answer.resumed })
        }
    }
}
