//! Null vectors of a Schur complement that is not formed, by block Wiedemann: where its row space takes too long, or
//! too much memory.
//!
//! A run makes a block of uniformly random null vectors of S, checked by multiplication, in the memory of a few blocks
//! ([`System`]), and a lower bound of its rank. Columns of S that are set aside are right sides: the first runs solve
//! for these.

use crate::blackbox::{FirstColumns, Operator, Scratch};
use crate::certify::{Domain, Streams};
use crate::report::{Bytes, Phases, once_if_worth};
use crate::schur::{Complement, Split};
use crate::spmv::{Block, Plan, PlanOptions, Product};
use crate::wiedemann::{ATTEMPTS, Parameters, Solutions, System};
use crate::{Error, Observer, Result};
use rand::Rng as _;

/// The part of the streams that runs have for their own.
const PART: u64 = 1 << 32;
/// Passes of a run by those of a run for the rank, whose sequence is projected by itself or not: a second pass
/// evaluates the generator.
const PASSES: [f64; 2] = [2.0, 1.5];

/// What block Wiedemann knows of a complement S, ready for more runs.
pub(in crate::answers) struct Sequence {
    /// S without the columns set aside.
    operator: FirstColumns,
    parameters: Parameters,
    streams: Streams<'static>,
    first: Solutions,
    /// What identifies its runs to those who keep states: nothing if nobody does.
    name: Vec<u8>,
}

impl std::fmt::Debug for Sequence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (rows, cols) = (self.operator.rows(), self.operator.cols());
        write!(f, "null vectors of {rows} x {cols}, rank {} and more, {:?}", self.rank(), self.parameters)
    }
}

impl Sequence {
    /// The seconds of so many vectors, by those of a run for the rank alone.
    pub fn seconds(parameters: &Parameters, vectors: usize) -> f64 {
        let runs = vectors.div_ceil(parameters.block * parameters.degree).max(1);
        let [own, drawn] = PASSES;
        (if parameters.own { own } else { drawn }) * parameters.seconds * runs as f64
    }

    /// The first run: for the `aside` last columns of S, as far as a block has room.
    pub(super) fn new(
        split: &Split<'_>,
        aside: usize,
        parameters: &Parameters,
        streams: &Streams<'_>,
        phases: &mut Phases,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let whole: Box<dyn Operator + Send> = phases.shown("plan", observer, || {
            Ok::<_, Error>(match split.pivots() {
                0 => {
                    let plan = Plan::choose(
                        split.matrix(),
                        &PlanOptions::default().width(parameters.block * parameters.degree),
                    )?;
                    Box::new(Product::new(split.matrix(), &plan)?) as Box<dyn Operator + Send>
                }
                _ => Box::new(Complement::new(split)?),
            })
        })?;
        let cols = whole.cols() - aside;
        let first = Solutions { x: Block::zeros(whole.lane(), 0, 0)?, inconsistent: vec![], rank: 0, attempts: 0 };
        let (operator, streams) = (FirstColumns::new(whole, cols), streams.part(PART));
        let mut name = vec![];
        if observer.keeper().is_some() {
            let Parameters { block, degree, symmetric, .. } = *parameters;
            let stream = streams.stream(Domain::Solutions, 0).next_u64();
            (split.name(), aside, (block, degree, symmetric), stream).write(&mut name)?;
        }
        let mut sequence = Sequence { operator, parameters: parameters.clone(), streams, first, name };
        sequence.first = sequence.make(0, phases, observer)?;
        Ok(sequence)
    }
    /// What identifies its runs, if somebody keeps states.
    pub fn name(&self) -> &[u8] {
        &self.name
    }
    /// Vectors that a run makes.
    pub fn width(&self) -> usize {
        self.parameters.block * self.parameters.degree
    }
    /// Columns of S that are right sides.
    pub fn aside(&self) -> usize {
        self.operator.whole().cols() - self.operator.cols()
    }
    /// Right sides that a run solves for, and how far their solutions are from each other in a block.
    pub fn sides(&self) -> (usize, usize) {
        (self.parameters.block, self.parameters.degree)
    }
    /// The largest rank that a run has seen, so far the first one: never above the rank.
    pub fn rank(&self) -> usize {
        self.first.rank
    }
    /// The largest rank that is possible.
    pub fn rank_bound(&self) -> usize {
        self.operator.rows().min(self.operator.cols())
    }
    /// The dimension of the null space, if that is the rank.
    pub fn nullity(&self) -> usize {
        self.operator.cols() - self.rank()
    }
    /// Run `number`: solutions for the right sides from `number` times those of a run on, null vectors where there are
    /// none.
    ///
    /// # Errors
    /// Those of [`System::solve`].
    pub fn run<T>(
        &self,
        number: usize,
        observer: &dyn Observer,
        read: impl FnOnce(&Solutions) -> Result<T>,
    ) -> Result<T> {
        match number {
            0 => read(&self.first),
            _ => read(&self.make(number, &mut Phases::default(), observer)?),
        }
    }
    /// Run `number`, from what was kept of it or now.
    fn make(&self, number: usize, phases: &mut Phases, observer: &dyn Observer) -> Result<Solutions> {
        once_if_worth("run", || (&self.name, number), observer, || self.solve(number, phases, observer))
    }
    fn solve(&self, number: usize, phases: &mut Phases, observer: &dyn Observer) -> Result<Solutions> {
        let (whole, system) =
            (self.operator.whole(), System { operator: &self.operator, parameters: &self.parameters });
        let (p, w, (s, k)) = (whole.modulus(), self.width(), self.sides());
        let mut b = Block::zeros(whole.lane(), whole.rows(), w)?;
        let sides = number.saturating_mul(s)..self.aside().min((number + 1).saturating_mul(s));
        if !sides.is_empty() {
            // S·(x, -e) = 0 for a solution x of A·x = S·(0, e).
            let mut units = Block::zeros(whole.lane(), whole.cols(), w)?;
            sides.enumerate().for_each(|(l, side)| units.set(self.operator.cols() + side, l * k, p.get() - 1));
            whole.apply(&units, &mut b, &mut Scratch::new())?;
        }
        let draw = |domain: Domain, attempt: u64| self.streams.stream(domain, number as u64 * ATTEMPTS + attempt);
        system.solve(&b, &draw, phases, observer)
    }
}
