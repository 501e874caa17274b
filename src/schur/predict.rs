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
use crate::{Result, memory};
use rand::RngExt;

/// Rows drawn.
const SAMPLE: usize = 128;
/// Rows drawn even if they are expensive.
const LEAST: usize = 8;
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
    /// are expensive.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn predict(&self, rng: &mut Rng) -> Result<Prediction> {
        match &self.triangle {
            AnyTriangle::Lazy(triangle) => predict(self.split, triangle, rng),
            AnyTriangle::Eager(triangle) => predict(self.split, triangle, rng),
        }
    }
}

fn predict<K: Arithmetic>(split: &Split, triangle: &Triangle<K>, rng: &mut Rng) -> Result<Prediction> {
    let (mut rows, cols) = (memory::copy(&split.rows, "the rows of a sample")?, split.cols.len());
    let mut workspace = triangle.workspace()?;
    let (mut full, mut nnz, mut work, mut out) = (vec![], vec![], vec![], vec![]);
    let budget = WORK_AN_ENTRY * split.a.nnz() as u64;
    let mut spent = 0;
    for drawn in 0..rows.len().min(SAMPLE) {
        if drawn >= LEAST && spent > budget {
            break;
        }
        let other = rng.random_range(drawn..rows.len());
        rows.swap(drawn, other);
        out.clear();
        let done = triangle.solve(split.a.row(rows[drawn] as usize), &mut workspace, &mut out)?;
        spent += done;
        full.push(!out.is_empty() as u8 as f64);
        nnz.push(out.len() as f64);
        work.push(done as f64);
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
