//! Elimination in rounds: structural pivots, the Schur complement by them, structural pivots of that, …
//!
//! (C. Bouillaguet, C. Delaplace, M.-E. Voge, "Parallel sparse PLUQ factorization modulo p", PASCO 2017.) A round
//! eliminates all of its pivots in one parallel pass. Before the pass its fill-in is predicted; where that is beyond
//! the limits given, the driver stops and hands over the matrix with the pivots found, of which a caller may apply the
//! complement without forming it.

use crate::decomposition::Decomposition;
use crate::field::Rng;
use crate::pivots::Pivots;
use crate::schur::{Deadline, FormOptions, Formed, Prediction, Solver, Split};
use crate::sparse::SparseMatrix;
use crate::stopwatch::Stopwatch;
use crate::{Observer, Result};
use std::time::Instant;

/// Finds the structural pivots of a round, those of what is left.
pub type Finder<'a> = dyn Fn(&Decomposition<'_>) -> Result<Pivots> + 'a;

/// Whether a matrix with these pivots is better left as it is: asked in each round before its Schur complement is
/// looked at.
pub type Enough<'a> = dyn Fn(&SparseMatrix, &Pivots) -> bool + 'a;

/// Seconds of one thread allowed for the Schur complement of a matrix with that many entries and this prediction.
pub type Limit<'a> = dyn Fn(usize, &Prediction) -> f64 + 'a;

/// How far to go.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RoundsOptions {
    /// Most rounds.
    pub rounds: usize,
    /// Most entries of a Schur complement, predicted and real.
    pub max_nnz: usize,
    /// Most entries predicted of a Schur complement, as a multiple of those of the matrix before.
    pub max_growth: f64,
    /// Largest share of non-zero entries predicted of a Schur complement that has more entries than the matrix before.
    pub max_density: f64,
    /// Most multiply-adds predicted for a round.
    pub max_work: f64,
    /// Fewest pivots that are worth a round, as a share of the smaller side.
    pub min_share: f64,
    /// Whether rows that are multiples of others are dropped.
    pub distinct: bool,
}

impl Default for RoundsOptions {
    /// Limits for a machine with some gigabytes and a caller with some seconds.
    fn default() -> Self {
        RoundsOptions {
            rounds: 20,
            max_nnz: 1 << 27,
            max_growth: 20.0,
            max_density: 0.5,
            max_work: 5e9,
            min_share: 0.01,
            distinct: true,
        }
    }
}

/// A round as it went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Pivots found.
    pub pivots: usize,
    /// What was expected of the Schur complement.
    pub predicted: Prediction,
    /// Rows of the Schur complement; 0 with all that follows where it was not formed.
    pub rows: usize,
    /// Its columns.
    pub cols: usize,
    /// Its entries.
    pub nnz: usize,
    /// Multiply-adds made.
    pub work: u64,
    /// Seconds of the search.
    pub find_seconds: f64,
    /// Seconds of prediction and Schur complement, by the clock and of one thread.
    pub form_seconds: [f64; 2],
}

/// Why the rounds ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Nothing is left: the rank is the number of pivots.
    Empty,
    /// The caller had [`Enough`]; the pivots are pending.
    Enough,
    /// Too few pivots were found; they are pending.
    FewPivots,
    /// The Schur complement was predicted beyond the limits; its pivots are pending.
    Predicted,
    /// It grew beyond the limits against the prediction, or took too long; its pivots are pending.
    Grown,
    /// The number of rounds is reached.
    Rounds,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stop::Empty => "until nothing was left",
            Stop::Enough => "until another method was predicted to be faster on the rest",
            Stop::FewPivots => "until they became too few",
            Stop::Predicted => "until the next complement was predicted to be too large",
            Stop::Grown => "until a complement grew larger or took longer than predicted",
            Stop::Rounds => "as many rounds as were allowed",
        })
    }
}

/// How rounds went.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// The rounds, that of the pending pivots included unless there were [`Enough`].
    pub record: Vec<Round>,
    /// Why there were no more.
    pub stop: Stop,
}

/// Eliminates what is left of a matrix in rounds, first with the pivots that it has, then with those of `find`, until
/// the caller has `enough` or a limit is met, or a round takes longer than its `limit`. Pivots of the last round, which
/// were found but not used, stay those of what is left.
///
/// The seed of `rng` determines the samples of the predictions; all else is determined by the matrix.
///
/// # Errors
/// Those of `find`, [`crate::Error::Interrupted`] and [`crate::Error::Memory`].
pub fn rounds(
    of: &mut Decomposition<'_>,
    find: &Finder<'_>,
    enough: &Enough<'_>,
    limit: &Limit<'_>,
    options: &RoundsOptions,
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Rounds> {
    let mut record: Vec<Round> = vec![];
    while record.len() < options.rounds {
        observer.check()?;
        if of.left().nnz() == 0 {
            break;
        }
        let start = Instant::now();
        if of.pivots().is_empty() {
            let found = find(of)?;
            of.pivot(found);
        }
        let (left, pivots) = (of.left(), of.pivots());
        let find_seconds = start.elapsed().as_secs_f64();
        if enough(left, pivots) {
            return Ok(Rounds { record, stop: Stop::Enough });
        }
        let stopwatch = Stopwatch::start();
        let split = Split::new(left, pivots)?;
        let mut solver = Solver::new(&split)?;
        let predicted = solver.predict(rng, observer)?;
        let formed = match options.refuse(left, pivots, &predicted) {
            None => {
                let form = FormOptions {
                    limit_nnz: options.max_nnz,
                    distinct: options.distinct,
                    divisors: of.is_recorded(),
                    deadline: Some(Deadline::after(limit(left.nnz(), &predicted))),
                };
                solver.form(&form, observer)?.ok_or(Stop::Grown)
            }
            Some(stop) => Err(stop),
        };
        let mut round = Round {
            pivots: pivots.len(),
            predicted,
            rows: 0,
            cols: 0,
            nnz: 0,
            work: 0,
            find_seconds,
            form_seconds: [stopwatch.elapsed(), stopwatch.seconds()],
        };
        match formed {
            Ok(Formed { remainder, work, before }) => {
                let s = &remainder.matrix;
                // What it would have taken in one run.
                round.form_seconds.iter_mut().zip(before).for_each(|(seconds, before)| *seconds += before);
                (round.rows, round.cols, round.nnz, round.work) = (s.rows(), s.cols(), s.nnz(), work);
                record.push(round);
                of.form(remainder)?;
            }
            Err(stop) => {
                record.push(round);
                return Ok(Rounds { record, stop });
            }
        }
    }
    let stop = if of.left().nnz() == 0 { Stop::Empty } else { Stop::Rounds };
    Ok(Rounds { record, stop })
}

impl RoundsOptions {
    /// Whether rounds would end before the Schur complement of these pivots, of which that is predicted.
    pub fn refuses(&self, a: &SparseMatrix, pivots: &Pivots, predicted: &Prediction) -> bool {
        self.refuse(a, pivots, predicted).is_some()
    }

    /// Why not to go on to the Schur complement of these pivots.
    fn refuse(&self, a: &SparseMatrix, pivots: &Pivots, predicted: &Prediction) -> Option<Stop> {
        let smaller = a.rows().min(a.cols()) as f64;
        if pivots.is_empty() || (pivots.len() as f64) < self.min_share * smaller {
            Some(Stop::FewPivots)
        } else if !self.accept(predicted, a.nnz()) {
            Some(Stop::Predicted)
        } else {
            None
        }
    }

    fn accept(&self, predicted: &Prediction, before: usize) -> bool {
        predicted.nnz.high() <= self.max_nnz as f64
            && predicted.work.mean <= self.max_work
            && self.is_sparse(predicted, before)
    }

    /// Whether the Schur complement of a matrix of `before` entries is predicted to be sparse enough, whatever it
    /// costs.
    pub fn is_sparse(&self, predicted: &Prediction, before: usize) -> bool {
        let nnz = predicted.nnz.high();
        nnz <= before as f64 || nnz <= self.max_growth * before as f64 && predicted.density <= self.max_density
    }
}
