//! rank A = the sum of the ranks of its connected components, each found separately.
//!
//! The dense part of the work grows with the square or the cube of a Schur complement, so that two halves cost less
//! than the whole. Those that are dense are eliminated at once ([`dense_components`](super::dense_components)); other
//! small components, of which there may be very many, stay together.

use super::answer::Rank;
use super::dense_components::DenseComponents;
use super::drawn::{self, Drawn};
use super::plan::Left;
use super::{Machine, Method, Minor, Phases, RankOptions, run};
use crate::certify::{Certainty, Streams};
use crate::matching::{self, Components, Part, components_of};
use crate::sparse::SparseMatrix;
use crate::{Observer, Result, Step, memory};
use std::borrow::Cow;
use std::time::Instant;

/// Components with fewer rows or columns than this are taken together.
const SMALL: usize = 200;

/// Parts whose reasons are reported, in addition to those that lower the certainty: there may be thousands.
const REASONS: usize = 4;
/// What the memory is for.
const ROWS: &str = "the rows of small components";

/// The rank of `core`, which has no empty lines.
pub(super) fn rank(
    core: Cow<'_, SparseMatrix>,
    options: &RankOptions,
    streams: &Streams,
    mut phases: Phases,
    observer: &dyn Observer,
) -> Result<Rank> {
    if Left::of(Cow::Borrowed(&*core), options, &options.machine)?.dense {
        return run::rank(core, options, streams, &mut options.machine.clone(), phases, observer);
    }
    let less = match drawn::lines(&core, options, streams, &mut phases, observer)? {
        Drawn::Full(rank) => return Ok(*rank),
        Drawn::Less(step) => Some(step),
        Drawn::Nothing => None,
    };
    let mut rank = by_parts(core, options, streams, phases, observer)?;
    rank.path.splice(0..0, less);
    Ok(rank)
}

/// The same, component by component.
fn by_parts(
    core: Cow<'_, SparseMatrix>,
    options: &RankOptions,
    streams: &Streams,
    mut phases: Phases,
    observer: &dyn Observer,
) -> Result<Rank> {
    let machine = &mut options.machine.clone();
    let start = Instant::now();
    observer.phase("components", 0);
    let found = phases.time("components", || components_of(&core))?;
    if let Some(cut) = Cut::of(&core, &found, options)? {
        let step = Step {
            name: "connected components",
            found: cut.told(),
            why: String::new(),
            rank: Some(0),
            predicted: None,
            seconds: start.elapsed().as_secs_f64(),
        };
        let options = &cut.share(options);
        let mut sum = Sum::new(step, options, streams, phases);
        let mut parts = cut.parts();
        if observer.plans_only() {
            let mut forecast = super::forecast_of_parts::ForecastOfParts::default();
            if let Some(dense) = &cut.dense {
                forecast.add(observer, |first| {
                    first.forecast(&dense.forecast());
                    first.check()
                })?;
            }
            parts.try_for_each(|part| forecast.add(observer, |first| sum.add(part?, first)))?;
            return forecast.tell(observer);
        }
        if let Some(dense) = &cut.dense {
            sum.add_dense(dense, &cut.split, observer)?;
        }
        let count = cut.count() as u64;
        for (k, part) in parts.by_ref().take(cut.count().saturating_sub(1)).enumerate() {
            observer.part("component", k as u64 + 1, count);
            sum.add(part?, observer)?;
        }
        let last = parts.next().transpose()?;
        drop(parts);
        // The last part may be nearly all of the matrix: the whole is dropped before it is worked on.
        drop(cut);
        drop(found);
        drop(core);
        if let Some(last) = last {
            observer.part("component", count, count);
            sum.add(last, observer)?;
        }
        return sum.rank();
    }
    drop(found);
    run::rank(core, options, streams, machine, phases, observer)
}

/// The parts of a matrix whose ranks are found separately.
pub(super) struct Cut<'a> {
    core: &'a SparseMatrix,
    found: &'a Components,
    split: matching::Split<'a>,
    /// The dense components, if they are eliminated beside each other.
    pub dense: Option<DenseComponents>,
    /// The others that are not small.
    large: Vec<usize>,
}

impl<'a> Cut<'a> {
    /// `None` where all components are small and none is dense, or there is only one.
    pub fn of(core: &'a SparseMatrix, found: &'a Components, options: &RankOptions) -> Result<Option<Self>> {
        if found.count < 2 {
            return Ok(None);
        }
        let split = matching::Split::new(core, found)?;
        let dense = DenseComponents::of(core, &split, options)?;
        let mut cut = Cut { core, found, split, dense, large: vec![] };
        cut.large = (0..found.count).filter(|&k| is_large(cut.split.shape(k)) && !cut.is_dense(k)).collect();
        Ok((cut.dense.is_some() || !cut.large.is_empty()).then_some(cut))
    }
    fn is_dense(&self, k: usize) -> bool {
        self.dense.as_ref().is_some_and(|dense| dense.contain(k))
    }
    fn has_small_ones(&self) -> bool {
        self.large.len() + self.dense.as_ref().map_or(0, DenseComponents::count) < self.found.count
    }
    /// What was found, in words.
    fn told(&self) -> String {
        let (all, large) = (self.found.count, self.large.len());
        match &self.dense {
            Some(dense) => {
                let dense = dense.count();
                format!("{all}, {dense} of them dense, {large} others of {SMALL} rows and columns or more")
            }
            None => format!("{all}, {large} of them of {SMALL} rows and columns or more"),
        }
    }
    /// Number of parts, the dense components aside.
    pub fn count(&self) -> usize {
        self.large.len() + usize::from(self.has_small_ones())
    }
    /// The options for each part: error bounds add up.
    pub fn share(&self, options: &RankOptions) -> RankOptions {
        RankOptions { error: options.error.map(|e| e.share(self.count().max(1))), ..options.clone() }
    }
    /// The small components together, if there are any, then the others, the dense ones aside.
    pub fn parts(&self) -> impl Iterator<Item = Result<Part>> {
        let small = self.has_small_ones().then(|| self.small_ones());
        small.into_iter().chain(self.large.iter().map(|&k| self.split.part(k)))
    }
    /// The rows of all small components, without empty columns.
    fn small_ones(&self) -> Result<Part> {
        let a = self.core;
        let mut small = SparseMatrix::empty(a.modulus(), a.cols(), 0, 0)?;
        let (mut entries, mut rows) = (Vec::new(), Vec::new());
        for (i, &k) in self.found.row.iter().enumerate() {
            if !is_large(self.split.shape(k as usize)) && !self.is_dense(k as usize) {
                let (cols, values) = a.row(i);
                entries.extend(cols.iter().copied().zip(values.iter().copied()));
                small.reserve_row(entries.len())?;
                small.push_row(&mut entries);
                memory::push(&mut rows, i as u32, ROWS)?;
            }
        }
        let cols = small.non_empty_cols()?;
        small.drop_empty_lines()?;
        Ok(Part { matrix: small, rows, cols })
    }
}

/// The rank so far.
struct Sum<'a> {
    options: &'a RankOptions,
    streams: &'a Streams<'a>,
    /// The prices, as the parts so far have corrected them.
    machine: Machine,
    rank: Rank,
    minors: Vec<Minor>,
    /// Parts that are done, and those whose reasons were told.
    done: usize,
    told: usize,
}

impl<'a> Sum<'a> {
    fn new(step: Step, options: &'a RankOptions, streams: &'a Streams<'a>, phases: Phases) -> Self {
        let rank = Rank::proven(0, Method::Elimination, step.found.clone(), vec![step], phases);
        Sum { options, streams, machine: options.machine.clone(), rank, minors: vec![], done: 0, told: 0 }
    }
    /// Finds the ranks of the dense components.
    fn add_dense(
        &mut self,
        dense: &DenseComponents,
        split: &matching::Split<'_>,
        observer: &dyn Observer,
    ) -> Result<()> {
        observer.forecast(&dense.forecast());
        observer.check()?;
        let (start, name) = (Instant::now(), "dense components");
        let rank = self.rank.phases.time(name, || dense.rank(split, observer))?;
        self.rank.rank += rank;
        self.rank.reason += &format!("; {}", dense.why());
        self.rank.path.push(Step {
            name,
            found: format!("{} of rank {rank}", dense.count()),
            why: dense.why(),
            rank: Some(rank),
            predicted: Some(dense.seconds()),
            seconds: start.elapsed().as_secs_f64(),
        });
        Ok(())
    }
    /// Finds the rank of a part.
    fn add(&mut self, part: Part, observer: &dyn Observer) -> Result<()> {
        let Part { matrix, rows, cols } = part;
        let streams = self.streams.part(self.done as u64 + 1);
        let Sum { options, machine, .. } = self;
        let mut answer = run::rank(Cow::Owned(matrix), options, &streams, machine, Phases::default(), observer)?;
        if let Some(mut minor) = answer.minor.take() {
            minor.renumber(&rows, &cols);
            self.minors.push(minor);
        }
        self.done += 1;
        if self.done <= REASONS || doubt(answer.certainty) > doubt(self.rank.certainty) {
            self.rank.reason += &format!("; {}", answer.reason);
            self.told += 1;
        }
        add(&mut self.rank, answer);
        Ok(())
    }
    /// The rank of the whole.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    fn rank(mut self) -> Result<Rank> {
        if self.told < self.done {
            self.rank.reason += &format!("; and so on for {} more", self.done - self.told);
        }
        self.rank.minor = self.options.minor.then(|| Minor::direct_sum(&self.minors)).transpose()?;
        Ok(self.rank)
    }
}

fn is_large((rows, cols): (usize, usize)) -> bool {
    rows.min(cols) >= SMALL
}

/// The place of a certainty in their order.
fn doubt(certainty: Certainty) -> u8 {
    match certainty {
        Certainty::Proven => 0,
        Certainty::MonteCarlo { .. } => 1,
        Certainty::Heuristic => 2,
    }
}

/// Adds the rank of another direct summand.
fn add(sum: &mut Rank, part: Rank) {
    sum.rank += part.rank;
    sum.certainty = sum.certainty.and(part.certainty);
    if part.method == Method::Hybrid {
        sum.method = Method::Hybrid;
    }
    sum.wiedemann = match (sum.wiedemann, part.wiedemann) {
        (Some(a), Some(b)) => Some(a.and(b)),
        (a, b) => a.or(b),
    };
    if part.devices.len() > sum.devices.len() {
        sum.devices = part.devices;
    }
    sum.phases.extend(&part.phases);
    sum.path.extend(part.path);
}
