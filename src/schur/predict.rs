//! What the Schur complement will look like, from a sample of its rows.
//!
//! Rows without pivot are drawn without replacement and solved exactly. A total over N rows is estimated by N times the
//! mean x̄ of the sample; its standard deviation by N·√(s²/n·(1 - n/N)), s² being the variance of the sample (W. G.
//! Cochran, *Sampling Techniques*, 1977, section 2.6). What is rarer than one row in n remains unseen: row weights with
//! long tails are underestimated, and so is their spread.

use super::Split;
use super::arithmetic::Arithmetic;
use super::solver::{AnyTriangle, Solver};
use super::triangle::Triangle;
use crate::field::Rng;
use crate::parallel::Each;
use crate::{Observer, Result, memory};
use rand::RngExt;
use rayon::prelude::*;

/// Rows drawn.
const SAMPLE: usize = 128;
/// Rows drawn even if they are expensive.
const LEAST: usize = 8;
/// By what factor the sample may grow at a time: rows that are solved together wait for the slowest.
const GROWTH: u64 = 3;
/// Multiply-adds spent for each entry of A, before the sample is cut short.
const WORK_AN_ENTRY: u64 = 3;

/// A total and its standard deviation (0 where it is exact).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The expected value.
    pub mean: f64,
    /// The standard deviation that the sample shows.
    pub deviation: f64,
}

impl Estimate {
    /// A value that is seldom exceeded: two deviations above the mean.
    pub fn high(self) -> f64 {
        self.mean + 2.0 * self.deviation
    }

    /// The total over `all` rows, of which the sample shows some.
    fn total(sample: &[f64], all: usize) -> Self {
        let (n, all) = (sample.len() as f64, all as f64);
        if n == 0.0 {
            return Estimate { mean: 0.0, deviation: 0.0 };
        }
        let mean = sample.iter().sum::<f64>() / n;
        let squares: f64 = sample.iter().map(|x| (x - mean).powi(2)).sum();
        let variance = if n > 1.0 { squares / (n - 1.0) } else { mean * mean };
        let scaled = sample.iter().sum::<f64>() * all / n; // exact if all rows are in the sample
        Estimate { mean: scaled, deviation: all * (variance / n * (1.0 - n / all)).sqrt() }
    }
}

/// What [`Solver::form`] is expected to make and to do, repetitions included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Rows of S that are not zero.
    pub rows: Estimate,
    /// Columns of S, empty ones included.
    pub cols: usize,
    /// Entries of S.
    pub nnz: Estimate,
    /// Multiply-adds.
    pub work: Estimate,
    /// Entries by rows and columns: the share of S that is not zero.
    pub density: f64,
    /// Rows that were solved.
    pub sampled: usize,
}

impl Solver<'_> {
    /// Predicts what [`form`](Solver::form) makes; about three multiply-adds for each entry of A, or 8 rows if those
    /// are expensive. The rows of pivots that no row of the sample leads to are not made ready.
    ///
    /// # Errors
    /// [`crate::Error::Interrupted`], [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If the pivots are not triangular, or not entries of the matrix.
    pub fn predict(&mut self, rng: &mut Rng, observer: &dyn Observer) -> Result<Prediction> {
        match &mut self.triangle {
            AnyTriangle::Lazy(triangle) => predict(self.split, triangle, rng, observer),
            AnyTriangle::Eager(triangle) => predict(self.split, triangle, rng, observer),
        }
    }
}

fn predict<K: Arithmetic>(
    split: &Split,
    triangle: &mut Triangle<K>,
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Prediction> {
    let (mut rows, cols) = (memory::copy(&split.rows, "the rows of a sample")?, split.cols.len());
    let (mut full, mut nnz, mut work) = (vec![], vec![], vec![]);
    let (most, budget) = (rows.len().min(SAMPLE), WORK_AN_ENTRY * split.a.nnz() as u64);
    let (mut drawn, mut spent) = (0, 0);
    while drawn < most && (drawn < LEAST || spent <= budget) {
        // As many as there may still be, at the price of those so far, and no more than GROWTH times those.
        let affordable = ((budget.saturating_sub(spent)) * drawn as u64).checked_div(spent).unwrap_or(u64::MAX);
        let more = if drawn == 0 { LEAST } else { affordable.clamp(1, GROWTH * drawn as u64) as usize };
        let first = drawn;
        drawn = most.min(drawn + more);
        for k in first..drawn {
            let other = rng.random_range(k..rows.len());
            rows.swap(k, other);
        }
        triangle.make_for(split, &rows[first..drawn], observer)?;
        let triangle = &*triangle;
        let solve = |&i: &u32| {
            let mut out = vec![];
            let row = split.a.row(i as usize);
            let done = triangle.with_workspace(|w| triangle.solve(row, w, &mut out))?;
            Ok((out.len(), done))
        };
        let solved: Vec<(usize, u64)> = rows[first..drawn].par_iter().try_make(solve)?;
        for (len, done) in solved {
            spent += done;
            full.push(f64::from(u8::from(len > 0)));
            nnz.push(len as f64);
            work.push(done as f64);
        }
    }
    let total = |sample: &[f64]| Estimate::total(sample, rows.len());
    let nnz_total = total(&nnz);
    let places = rows.len() as f64 * cols as f64;
    Ok(Prediction {
        rows: total(&full),
        cols,
        nnz: nnz_total,
        work: total(&work),
        density: if places > 0.0 { nnz_total.mean / places } else { 0.0 },
        sampled: nnz.len(),
    })
}
