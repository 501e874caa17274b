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
use super::{Exact, Found, IntMatrix, affordable, cheapest, frontier, gray};
use crate::gpu::{self, Device, Devices};
use crate::integers::Bound;
use crate::report::Ahead;
use crate::words::{about, counted};
use crate::{Error, Forecast, Observer, Result};
use num_bigint::BigUint;

/// A first order this many times slower than another method will not be improved enough.
const HOPELESS: f64 = 1e3;

/// A method to compute a block, with its data.
#[derive(Debug)]
pub(super) enum Engine {
    Kasteleyn(Planar),
    Rook(Rook),
    LowRank(LowRank),
    Frontier {
        settings: FrontierOptions,
        order: Vec<u32>,
    },
    /// On these GPUs; if empty, on the processor.
    Gray {
        devices: Vec<Device>,
    },
}

impl super::Engine for Engine {
    fn name(&self) -> &'static str {
        match self {
            Engine::Kasteleyn(_) => Method::Kasteleyn.name(),
            Engine::Rook(_) => Method::Rook.name(),
            Engine::LowRank(_) => Method::LowRank.name(),
            Engine::Frontier { .. } => Method::Frontier.name(),
            Engine::Gray { .. } => Method::Gray.name(),
        }
    }
    fn keeps_checkpoints(&self) -> bool {
        matches!(self, Engine::Gray { .. })
    }
    /// The seconds of GPUs are by the clock.
    fn is_by_the_clock(&self) -> bool {
        matches!(self, Engine::Gray { devices } if !devices.is_empty())
    }
}

/// A method with its predicted cost.
type Route = super::Route<Engine>;

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
    affordable(routes, options.max_memory)
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
        asked if asked.are_demanded() => asked.all_or_named(gpu::require_devices()?)?,
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
        observer.ahead(&[Ahead::alone("frontier", seconds)]);
        observer.phase("search for an order", 0);
        prediction = frontier::predict(block, &settings, observer)?;
    }
    Ok(Some(Route {
        seconds: prediction.seconds,
        bytes: prediction.bytes,
        basis: format!("at most {} states, {} in one layer", about(prediction.states), about(prediction.peak)),
        engine: Engine::Frontier { settings, order: prediction.order },
    }))
}

/// Runs an engine. With a modulus the value is a residue.
pub(super) fn run(
    engine: &Engine,
    block: &IntMatrix,
    bound: Bound,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Found> {
    let own_bound = || permanent_bound(block);
    let p = options.modulus;
    let exact = match engine {
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
        Engine::Frontier { settings, order } => {
            let answer = frontier::permanent_in_order(block, order, settings, observer)?;
            let moduli: Vec<BigUint> =
                answer.modulus_bits.map(|bits| BigUint::from(1u32) << bits).into_iter().collect();
            let bound = (!moduli.is_empty()).then(own_bound).transpose()?;
            let found = Found::from(Exact { bound, value: answer.value, moduli, resumed: None });
            return Ok(Found { outcome: format!(", {} states", about(answer.states as f64)), ..found });
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
    };
    exact.map(Found::from)
}
