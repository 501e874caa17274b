//! What a computation carries along; and the relations of vectors under one part of the matrix.

use super::super::rank::RankOptions;
use crate::certify::{Domain, Streams};
use crate::invariants::{Presentation, Runs, Shape, Way, by_elimination, by_wiedemann};
use crate::report::{Phases, Step, once};
use crate::sparse::SparseMatrix;
use crate::spmv::{Plan, PlanOptions, Product};
use crate::words::counted;
use crate::{Error, Forecast, Observer, Result, memory};
use std::time::Instant;

/// Attempts with more vectors before something else is done.
pub(super) const ATTEMPTS: u64 = 3;

/// Steps for parts of up to this order are not told: there may be many.
pub(super) const SMALL: usize = 64;

/// What a computation carries along.
pub(super) struct Work<'a> {
    pub options: &'a RankOptions,
    pub streams: &'a Streams<'a>,
    pub phases: Phases,
    pub path: Vec<Step>,
    pub observer: &'a dyn Observer,
}

/// What vectors say about a part.
pub(super) struct Found {
    pub product: Product,
    pub way: Way,
    pub presentation: Presentation,
    /// The characteristic polynomial on the submodule.
    pub determinant: Vec<u64>,
}

impl Found {
    /// Whether the vectors generate everything.
    pub fn is_all(&self) -> bool {
        self.presentation.dimension() == self.product.rows()
    }
}

/// The shape of a part, for prices.
pub(super) fn shape(a: &SparseMatrix) -> Shape {
    Shape { modulus: a.modulus(), order: a.rows(), nnz: a.nnz(), valued: a.valued() }
}

/// All entries of a square matrix, row by row.
pub(super) fn entries(a: &SparseMatrix) -> Result<Vec<u64>> {
    let n = a.rows();
    let mut entries = memory::zeros(n.saturating_mul(n), "a dense matrix")?;
    for i in 0..n {
        a.row(i).0.iter().zip(a.row(i).1).for_each(|(&j, &v)| entries[i * n + j as usize] = v);
    }
    Ok(entries)
}

/// Says what a step is predicted to take, in seconds by the clock.
///
/// # Errors
/// [`Error::Interrupted`].
pub(super) fn forecast(
    observer: &dyn Observer,
    name: &'static str,
    why: String,
    seconds: f64,
    bytes: u64,
) -> Result<()> {
    observer.forecast(&Forecast { name, why, seconds, bytes });
    observer.check()
}

impl Work<'_> {
    /// The cheapest way to the relations of vectors under `a`, at the given attempt.
    ///
    /// # Errors
    /// [`Error::Memory`] if none fits.
    pub fn way(&self, a: &SparseMatrix, attempt: u64) -> Result<Way> {
        let least = if attempt == 0 { 1 } else { 32 << attempt };
        let way = shape(a).best(&self.options.machine, least, self.options.max_memory);
        match self.options.max_memory.filter(|&limit| way.bytes > limit) {
            None => Ok(way),
            Some(limit) => Err(Error::Memory(format!(
                "the relations of vectors under a matrix of order {} take about {} MB, {} MB are allowed",
                a.rows(),
                way.bytes.div_ceil(1 << 20),
                limit >> 20
            ))),
        }
    }

    /// What identifies a part to those who keep states.
    pub fn key(&self, a: &SparseMatrix) -> ([u8; 32], u64, u64) {
        (a.digest(), a.modulus().get(), self.options.seed)
    }

    /// The relations of random vectors under `a`, whose number among the parts is given.
    pub fn relations(&mut self, a: &SparseMatrix, number: u64, attempt: u64) -> Result<Found> {
        let (way, start) = (self.way(a, attempt)?, Instant::now());
        let streams = self.streams.part(number + 1);
        let (phases, observer) = (&mut self.phases, self.observer);
        if a.rows() > SMALL {
            let name = if way.elimination { "echelon form of powers" } else { "block Wiedemann" };
            let seconds = way.seconds / rayon::current_num_threads() as f64;
            forecast(observer, name, format!("{} vectors", way.block), seconds, way.bytes)?;
            observer.ahead(&shape(a).ahead(&self.options.machine, &way));
        }
        observer.phase("plan", 0);
        let options = PlanOptions::default().width(way.block);
        let plan = phases.time("plan", || Plan::choose(a, &options))?;
        let product = phases.time("plan", || Product::new(a, &plan))?;
        let presentation = if way.elimination {
            let rng = &mut streams.stream(Domain::Start, attempt);
            let entries = if shape(a).is_dense() { Some(entries(a)?) } else { None };
            phases.time("elimination", || by_elimination(&product, entries.as_deref(), way.block, rng, observer))?
        } else {
            let runs = Runs { block: way.block, streams: &streams, number: attempt };
            by_wiedemann(&product, &runs, phases, observer)?
        };
        observer.phase("determinant", 0);
        let rng = &mut streams.stream(Domain::Extension, attempt);
        let key =
            || ((a.digest(), a.modulus().get(), self.options.seed), number, attempt, (way.block, way.elimination));
        let determinant = || phases.time("determinant", || presentation.determinant(rng, observer));
        let determinant = once("relations-determinant", key, observer, determinant)?;
        let dimension = presentation.dimension();
        if a.rows() > SMALL {
            self.step(
                if way.elimination { "echelon form of powers" } else { "block Wiedemann" },
                format!(
                    "dimension {dimension} of {}, generated by {}",
                    a.rows(),
                    counted(presentation.vectors(), "vector")
                ),
                Some(way.seconds),
                start,
            );
        }
        Ok(Found { product, way, presentation, determinant })
    }

    /// All invariant factors of what was found.
    pub fn invariant_factors(&mut self, found: &Found, number: u64) -> Result<Vec<Vec<u64>>> {
        let rng = &mut self.streams.part(number + 1).stream(Domain::Extension, 1 << 32);
        let (phases, observer) = (&mut self.phases, self.observer);
        observer.phase("invariant factors", 0);
        phases.time("invariant factors", || found.presentation.invariant_factors(&found.determinant, rng, observer))
    }

    /// Notes a step.
    pub fn step(&mut self, name: &'static str, found: String, predicted: Option<f64>, start: Instant) {
        let seconds = start.elapsed().as_secs_f64();
        self.path.push(Step { name, found, why: String::new(), rank: None, predicted, seconds });
    }
}
