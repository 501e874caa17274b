//! A block by the cheapest method whose memory suffices, and the record of what was done: the same for permanents and
//! for hafnians ([`crate::hafnian`]), which differ in their methods.

use super::{Exact, Proof, Resumed};
use crate::words::{counted, duration};
use crate::{Error, Forecast, Observer, Result, Step};
use num_bigint::BigInt;
use std::path::PathBuf;
use std::time::Instant;

/// A method to compute a block, with its data.
pub(crate) trait Engine {
    /// The method's name.
    fn name(&self) -> &'static str;
    /// Whether a run can be stopped and resumed from a checkpoint.
    fn keeps_checkpoints(&self) -> bool;
    /// Whether the predicted seconds are those of the clock instead of one thread.
    fn is_by_the_clock(&self) -> bool {
        false
    }
    /// Whether it tells by itself what it will take, because nothing is predicted of it here.
    fn plans_by_itself(&self) -> bool {
        false
    }
}

/// A method with its predicted cost.
#[derive(Debug)]
pub(crate) struct Route<E> {
    pub(crate) engine: E,
    /// Predicted seconds.
    pub(crate) seconds: f64,
    /// Predicted bytes.
    pub(crate) bytes: f64,
    /// What the prediction rests on.
    pub(crate) basis: String,
}

/// The seconds of the cheapest route.
pub(crate) fn cheapest<E>(routes: &[Route<E>]) -> f64 {
    routes.iter().map(|route| route.seconds).fold(f64::INFINITY, f64::min)
}

/// The routes, of which there is one, whose memory is allowed, cheapest first.
///
/// # Errors
/// [`Error::Memory`] if there are none.
pub(crate) fn affordable<E>(mut routes: Vec<Route<E>>, max_memory: Option<u64>) -> Result<Vec<Route<E>>> {
    if let Some(limit) = max_memory {
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

impl<E: Engine> Route<E> {
    /// What is predicted of a run on a block, with the `others` that there were to choose from.
    fn forecast(&self, block: &str, others: &[Route<E>]) -> Forecast {
        let name = self.engine.name();
        let others: String =
            others.iter().map(|r| format!(", {} {:.1e} s ({})", r.engine.name(), r.seconds, r.basis)).collect();
        let why = format!("{block}, {}{others}", self.basis);
        let threads = if self.engine.is_by_the_clock() { 1 } else { rayon::current_num_threads() };
        Forecast { name, why, seconds: self.seconds / threads as f64, bytes: self.bytes as u64 }
    }
}

/// What the run of a route found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) value: BigInt,
    pub(crate) proof: Proof,
    /// Steps of its own, if it has any.
    pub(crate) path: Vec<Step>,
    /// What else is worth telling, after a comma.
    pub(crate) outcome: String,
}

impl From<Exact> for Found {
    fn from(exact: Exact) -> Self {
        let residues = exact.bound.map(|bound| (bound, exact.moduli)).into_iter().collect();
        let proof = Proof { residues, resumed: exact.resumed.into_iter().collect() };
        Found { value: exact.value, proof, path: vec![], outcome: String::new() }
    }
}

/// A block in words: "3 x 3 block", and "7 non-zeros".
pub(crate) struct Block {
    pub(crate) what: String,
    pub(crate) size: String,
}

/// A computation in progress: what was done, and why its values are right.
pub(crate) struct Record<'a> {
    pub(crate) observer: &'a dyn Observer,
    /// The file that was asked for, and the method that writes it.
    checkpoint: Option<PathBuf>,
    keeper: &'static str,
    pub(crate) path: Vec<Step>,
    pub(crate) proof: Proof,
    /// The step that took longest so far.
    longest: (&'static str, f64),
    /// Whether the user was told that there is no checkpoint.
    told: bool,
    /// What was predicted of blocks, where nothing else is wanted.
    ahead: Vec<Forecast>,
}

impl<'a> Record<'a> {
    /// Nothing done; only the method `keeper` writes checkpoints.
    pub(crate) fn new(observer: &'a dyn Observer, checkpoint: Option<PathBuf>, keeper: &'static str) -> Self {
        let longest = ("reductions", 0.0);
        let (path, proof, ahead) = (vec![], Proof::default(), vec![]);
        Record { observer, checkpoint, keeper, path, proof, longest, told: false, ahead }
    }
    /// The method of the step that took longest; `reductions` if there was nothing left to compute.
    pub(crate) fn method(&self) -> &'static str {
        self.longest.0
    }
    /// The checkpoint file of the k-th block: the one given, with the block's number if there are several.
    pub(crate) fn checkpoint(&self, k: usize, blocks: usize) -> Option<PathBuf> {
        let file = self.checkpoint.clone()?;
        if blocks == 1 {
            return Some(file);
        }
        let mut name = file.into_os_string();
        name.push(format!(".{k}"));
        Some(name.into())
    }
    /// Notes the reductions since `start`: what they left, and what they did.
    pub(crate) fn reduced(&mut self, (found, why): (String, String), start: Instant) {
        let seconds = start.elapsed().as_secs_f64();
        self.path.push(Step { name: "reductions", found, why, rank: None, predicted: None, seconds });
    }
    /// Warns once that nothing is kept.
    fn without_checkpoint(&mut self, name: &str) {
        if self.checkpoint.is_some() && !std::mem::replace(&mut self.told, true) {
            let keeper = self.keeper;
            self.observer.warning(&format!("no checkpoint is written: method {keeper} supports them, {name} does not"));
        }
    }
    /// The block by the first of the routes whose memory suffices; `start` is when their planning began.
    ///
    /// # Errors
    /// Those of `run`; [`Error::Memory`] if no memory suffices.
    pub(crate) fn block<E: Engine>(
        &mut self,
        block: &Block,
        routes: &[Route<E>],
        start: Instant,
        mut run: impl FnMut(&E) -> Result<Found>,
    ) -> Result<BigInt> {
        if !routes[0].engine.plans_by_itself() {
            let forecast = routes[0].forecast(&block.what, &routes[1..]);
            if self.observer.plans_only() {
                self.ahead.push(forecast);
                return Ok(BigInt::ZERO); // No value is told.
            }
            self.observer.forecast(&forecast);
        }
        let mut seconds = start.elapsed().as_secs_f64();
        let mut refused: Option<Error> = None;
        for (k, Route { engine, seconds: predicted, basis, .. }) in routes.iter().enumerate() {
            let name = engine.name();
            if !engine.keeps_checkpoints() {
                self.without_checkpoint(name);
            }
            let start = Instant::now();
            let found = match run(engine) {
                Err(error @ Error::Memory(_)) => {
                    self.observer.warning(&format!("{name}: {error}"));
                    refused = Some(error);
                    continue;
                }
                found => found?,
            };
            seconds += start.elapsed().as_secs_f64();
            let others = routes[k + 1..]
                .iter()
                .map(|r| format!("; {} would take {} ({})", r.engine.name(), duration(r.seconds), r.basis));
            let why = format!("{basis}{}", others.collect::<String>());
            let Found { value, proof, path, outcome } = found;
            let resumed = proof
                .resumed
                .iter()
                .map(|&Resumed { parts, of }| format!(", {parts} of {of} parts of the work from the checkpoint"));
            let (bits, resumed) = (counted(value.bits(), "bit"), resumed.collect::<String>());
            let found = format!("{}, {}, {bits}{outcome}{resumed}", block.what, block.size);
            let predicted = Some(*predicted).filter(|_| !engine.plans_by_itself());
            self.path.push(Step { name, found, why, rank: None, predicted, seconds });
            self.path.extend(path);
            if seconds > self.longest.1 {
                self.longest = (name, seconds);
            }
            self.proof.residues.extend(proof.residues);
            self.proof.resumed.extend(proof.resumed);
            return Ok(value);
        }
        Err(refused.expect("the planner gives at least one route"))
    }
    /// Hands on what all blocks together are predicted to take.
    ///
    /// # Errors
    /// [`Error::Interrupted`], always: nothing was computed.
    pub(crate) fn plan<T>(self) -> Result<T> {
        let seconds = self.ahead.iter().map(|forecast| forecast.seconds).sum();
        let bytes = self.ahead.iter().map(|forecast| forecast.bytes).max().unwrap_or(0);
        let longest = self.ahead.into_iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let (name, why) = longest.map_or(("reductions", "nothing is left".into()), |f| (f.name, f.why));
        self.observer.forecast(&Forecast { name, why, seconds, bytes });
        Err(Error::Interrupted)
    }
}
