//! The cost of a sum along a Gray code: its settings counted, at the prices of [`Gray`] and [`Device`].

use super::problem::Problem;
use crate::cost::{Device, Gray};
use crate::gpu;
use crate::permanent::IntMatrix;
use num_traits::ToPrimitive;

/// Seconds of one core that a matrix with n columns, no two equal, takes at the given density of non-zeros (0–1
/// entries).
///
/// A model of 2ⁿ⁻¹ settings.
pub fn predict(n: usize, density: f64, prices: &Gray) -> f64 {
    seconds(2f64.powi(n as i32 - 1), n, density, prices)
}

/// Seconds of one core for this matrix: [`predict`] with its own number of terms after grouping equal columns or rows.
/// Entries that need residues take longer than predicted here.
pub fn predict_matrix(matrix: &IntMatrix, prices: &Gray) -> f64 {
    let n = matrix.n();
    if n > 2 { seconds(settings(matrix), n, matrix.nnz() as f64 / (n * n) as f64, prices) } else { 0.0 }
}

/// Seconds on these GPUs, of which there is at least one: like [`predict_matrix`], including the time to compile a
/// kernel.
pub fn predict_on_gpus(matrix: &IntMatrix, devices: &[gpu::Device], prices: &Device) -> f64 {
    let multiprocessors: f64 = devices.iter().map(|device| f64::from(device.multiprocessors.max(1))).sum();
    prices.start + settings(matrix) * prices.setting / multiprocessors
}

/// The settings of the columns that the sum goes through: the terms after grouping, halved by the symmetry; none of a
/// matrix with an empty line.
fn settings(matrix: &IntMatrix) -> f64 {
    match Problem::new(matrix) {
        Ok(Some(problem)) => problem.terms().to_f64().unwrap_or(f64::INFINITY) / 2.0,
        Ok(None) => 0.0,
        Err(_) => f64::INFINITY,
    }
}

/// A fixed part, and settings of the columns at a price that grows with n and density.
fn seconds(settings: f64, n: usize, density: f64, prices: &Gray) -> f64 {
    let wider = (n as f64 - 32.0).max(0.0) / 12.0;
    prices.start + settings * prices.setting * (0.6 + 0.8 * density) * (1.0 + 0.5 * wider.min(1.0))
}
