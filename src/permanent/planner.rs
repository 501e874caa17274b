//! Which engine computes a block: each predicts its cost, the cheapest runs, and the next one if its memory does not
//! suffice.
//!
//! | method | for | prediction |
//! |---|---|---|
//! | kasteleyn | planar graphs | [`Planar::predict`] |
//! | rook | cJ + few entries | [`Rook::predict`] |
//! | low-rank | rank ≤ 4 | [`LowRank::predict`] |
//! | frontier | all | [`frontier::predict`] |
//! | gray | all | [`gray::predict_matrix`], [`gray::predict_on_gpus`] |
//!
//! The first three are tried first, since that costs next to nothing; the order search of the frontier then knows what
//! it has to beat.

use super::bound::permanent_bound;
use super::frontier::FrontierOptions;
use super::kasteleyn::Planar;
use super::low_rank::LowRank;
use super::options::{Method, Options};
use super::reduce::Groups;
use super::rook::Rook;
use super::{Exact, IntMatrix, frontier, gray};
use crate::gpu::{self, Device, Devices};
use crate::integers::Bound;
use crate::words::{about, counted};
use crate::{Error, Forecast, Observer, Result};
use num_bigint::BigUint;
use std::cell::OnceCell;

/// A first order this many times slower than another method will not be improved enough.
const HOPELESS: f64 = 1e3;

/// A method to compute a block, with its data.
#[derive(Debug)]
enum Engine {
    Kasteleyn(Planar),
    Rook(Rook),
    LowRank(LowRank),
    /// With the number of states after the run.
    Frontier {
        settings: FrontierOptions,
        order: Vec<u32>,
        states: OnceCell<u64>,
    },
    /// On these GPUs; if empty, on the processor.
    Gray {
        devices: Vec<Device>,
    },
}

/// A method to compute a block, with its predicted cost.
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
    /// What is predicted of a run on `block`, with the `others` that there were to choose from.
    pub fn forecast(&self, block: &IntMatrix, others: &[Route]) -> Forecast {
        let n = block.n();
        let others: String =
            others.iter().map(|r| format!(", {} {:.1e} s ({})", r.name(), r.seconds, r.basis)).collect();
        let why = format!("{n} x {n} block, {}{others}", self.basis);
        // Those of GPUs are by the clock.
        let alone = matches!(&self.engine, Engine::Gray { devices } if !devices.is_empty());
        let threads = if alone { 1 } else { rayon::current_num_threads() };
        Forecast { name: self.name(), why, seconds: self.seconds / threads as f64, bytes: self.bytes as u64 }
    }
    /// What the run found, for comparison with the basis.
    pub fn outcome(&self) -> String {
        match &self.engine {
            Engine::Frontier { states, .. } => {
                states.get().map_or(String::new(), |n| format!(", {} states", about(*n as f64)))
            }
            _ => String::new(),
        }
    }
    /// Whether a run can be stopped and resumed from a checkpoint.
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

/// All methods that the options allow for the block, whose permanent obeys `bound`, cheapest first.
///
/// # Errors
/// [`Error::Usage`] if the requested method cannot compute this matrix; [`Error::Memory`] if every method exceeds the
/// limit; [`Error::Interrupted`].
pub(super) fn routes(
    block: &IntMatrix,
    bound: Bound,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Vec<Route>> {
    let wanted = |method| options.method == method || options.method == Method::Auto;
    let mut routes = vec![];
    if wanted(Method::Kasteleyn) {
        routes.extend(kasteleyn(block, bound, options)?);
    }
    if wanted(Method::Rook) {
        routes.extend(rook(block, bound, options));
    }
    if wanted(Method::LowRank) {
        routes.extend(low_rank(block, bound, options));
    }
    observer.phase("plan", 0);
    let cheapest = |routes: &[Route]| routes.iter().map(|route| route.seconds).fold(f64::INFINITY, f64::min);
    // A rank mod one prime may turn out to be too small: then there must be another method.
    let may_fail = routes.iter().all(|route| matches!(route.engine, Engine::LowRank(_)));
    let open = options.method == Method::Auto && (may_fail || cheapest(&routes) > options.machine.permanent.start);
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
            let [least, limit] = [least.ceil() as u64, limit].map(|bytes| bytes.div_ceil(1 << 20));
            return Err(Error::Memory(format!(
                "at least {least} MB are needed, {limit} MB are allowed (--max-memory)"
            )));
        }
    }
    routes.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(routes)
}

/// Why a requested method does not apply.
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

fn kasteleyn(block: &IntMatrix, bound: Bound, options: &Options) -> Result<Option<Route>> {
    let Some(planar) = Planar::new(block)? else { return Ok(None) };
    let (seconds, bytes) = planar.predict(bound, &options.machine.permanent);
    Ok(Some(Route { engine: Engine::Kasteleyn(planar), seconds, bytes, basis: "planar".into() }))
}

/// How many word-sized primes the answer requires.
fn primes(bound: Bound, options: &Options) -> f64 {
    if options.modulus.is_some() { 1.0 } else { (bound.bits / 63 + 1) as f64 }
}

fn rook(block: &IntMatrix, bound: Bound, options: &Options) -> Option<Route> {
    let rook = Rook::new(block)?;
    let (seconds, bytes) = rook.predict(primes(bound, options), &options.machine.permanent);
    let basis = format!("constant except for few entries, {} open", counted(rook.width(), "column"));
    Some(Route { engine: Engine::Rook(rook), seconds, bytes, basis })
}

fn low_rank(block: &IntMatrix, bound: Bound, options: &Options) -> Option<Route> {
    let low_rank = LowRank::new(block)?;
    let (seconds, bytes) = low_rank.predict(primes(bound, options), &options.machine.permanent);
    let basis = format!("rank {}", low_rank.rank());
    Some(Route { engine: Engine::LowRank(low_rank), seconds, bytes, basis })
}

/// log₂ of an impractical number of terms.
const ENDLESS: f64 = 68.0;

fn gray_code(block: &IntMatrix, options: &Options) -> Result<Option<Route>> {
    // The engine's matrix is dense: before it is built, the groups show whether it is feasible.
    let [rows, cols] = Groups::new(block)?.log2_terms();
    if rows.min(cols) >= ENDLESS {
        return Ok(None);
    }
    let prices = &options.machine;
    let on_processor = gray::predict_matrix(block, &prices.gray);
    let devices = match options.devices {
        Devices::Gpus => gpu::require_devices()?,
        Devices::Auto if on_processor > prices.device.find => gpu::devices().unwrap_or_default(),
        _ => Vec::new(),
    };
    let terms = format!("2^{:.0} terms", rows.min(cols) - 1.0);
    let on_cards = || gray::predict_on_gpus(block, &devices, &prices.device);
    let (seconds, basis) = match devices.len() {
        0 => (on_processor, terms),
        1 => (on_cards(), format!("{terms} on {}", devices[0].name)),
        n => (on_cards(), format!("{terms} on {n} GPUs")),
    };
    let bytes = 1e6 + 64.0 * (block.n() * block.n()) as f64;
    Ok(Some(Route { engine: Engine::Gray { devices }, seconds, bytes, basis }))
}

/// The frontier dynamic program, unless searching for an order costs more than the best other method, of `beat`
/// seconds.
fn frontier_programme(
    block: &IntMatrix,
    beat: f64,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Option<Route>> {
    let prices = options.machine.frontier;
    if 4.0 * (block.n() * block.nnz()) as f64 * prices.look > beat {
        return Ok(None);
    }
    let mut settings = FrontierOptions { search: 0.0, modulus: options.modulus, prices, ..Default::default() };
    settings.memory = options.max_memory.unwrap_or(settings.memory);
    let mut prediction = match frontier::predict(block, &settings, observer) {
        // Another method can.
        Err(Error::Memory(_)) if beat < f64::INFINITY => return Ok(None),
        prediction => prediction?,
    };
    // The search takes its share of the time of the run: a plan is the first order's.
    if prediction.seconds < HOPELESS * beat && !observer.plans_only() {
        let (threads, why) = (rayon::current_num_threads() as f64, "a better order is looked for first".into());
        let (seconds, bytes) = (prediction.seconds.min(beat) / threads, prediction.bytes as u64);
        observer.forecast(&Forecast { name: "permanent", why, seconds, bytes });
        // Time to search for a better order, as a fraction of the potential gain.
        settings.search = FrontierOptions::default().search * (beat / prediction.seconds).min(1.0);
        prediction = frontier::predict(block, &settings, observer)?;
    }
    Ok(Some(Route {
        seconds: prediction.seconds,
        bytes: prediction.bytes,
        basis: format!("at most {} states, {} in one layer", about(prediction.states), about(prediction.peak)),
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
                (gray_options.prices, gray_options.device) = (options.machine.gray, options.machine.device);
                gray::permanent(block, &gray_options, observer)
            };
            // The processor cannot resume from a checkpoint of the GPUs' sums.
            let free = || {
                let kept = options.checkpoint.as_ref().is_some_and(|file| file.exists());
                options.devices == Devices::Auto && !devices.is_empty() && !kept
            };
            let answer = match on(devices) {
                Err(Error::Device(reason)) if free() => {
                    observer.warning(&format!("continuing on the processor instead of CUDA: {reason}"));
                    on(&[])?
                }
                answer => answer?,
            };
            let bound = (!answer.moduli.is_empty()).then(own_bound).transpose()?;
            Ok(Exact { value: answer.value, moduli: answer.moduli, bound, resumed: answer.resumed })
        }
    }
}
