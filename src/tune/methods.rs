//! What each way to a rank is predicted to cost, for one matrix.

use crate::cost::Machine;
use crate::dense::Echelon;
use crate::field::Rng;
use crate::pivots;
use crate::report::ErrorBound;
use crate::schur::{EveryRow, RowSpace, Shape, Sketch, Solver, Split};
use crate::sparse::SparseMatrix;
use crate::wiedemann::{self, Problem, parameters};
use crate::{Observer, Result};
use rand::SeedableRng;

/// The error probability that a check of a row space may have here.
const ERROR: ErrorBound = ErrorBound::of_bits(64);

/// A way to the rank, or a step on one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MethodCost {
    /// What is done.
    pub name: &'static str,
    /// What it is reckoned with.
    pub of: String,
    /// Predicted seconds of one thread.
    pub seconds: f64,
    /// Predicted bytes; `None` where nothing predicts them.
    pub bytes: Option<u64>,
}

/// Predictions for `a` by its planners' functions, at the prices of `machine`, as if the rank were as large as the
/// structural pivots and what they leave allow. Structural pivots are found for it, and a sample of the Schur
/// complement is made.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub fn method_costs(a: &SparseMatrix, machine: &Machine, observer: &dyn Observer) -> Result<Vec<MethodCost>> {
    let (modulus, rows, cols, nnz, valued) = (a.modulus(), a.rows(), a.cols(), a.nnz(), a.valued());
    let bound = rows.min(cols);
    let whole = Shape { modulus, pivots: 0, rows, cols, nnz, valued, threads: None, levels: 0 };
    let cost = |name, of, seconds, bytes| MethodCost { name, of, seconds, bytes };
    let shape = |rows: usize, cols: usize| format!("{rows} x {cols}");
    let mut costs = vec![cost(
        "dense elimination",
        shape(rows, cols),
        EveryRow::seconds(&whole, machine, bound, rows),
        Some(Echelon::memory(modulus, bound, cols)),
    )];
    let problem =
        Problem { modulus, rows, cols, nnz, valued, symmetric: false, grid: 1, scratch: 0, levels: 0, gpu: None };
    let found = parameters(&problem, &wiedemann::Options::default(), machine)?;
    let of = format!("block {}, degree {}", found.block, found.degree);
    costs.push(cost("block Wiedemann", of, found.seconds, Some(found.bytes)));

    let effort = pivots::Effort::default();
    let (transposed, found) = pivots::find_best(a, &effort, observer)?;
    let seconds = found.seconds(&effort, &machine.sparse, [rows, cols], nnz);
    let a = if transposed { a.transpose()? } else { a.try_clone()? };
    let pivots = found.pivots.len();
    costs.push(cost("structural pivots", format!("{pivots} found"), seconds, None));
    let (rows, cols) = (found.free_rows, found.free_cols);
    let bound = rows.min(cols);
    if bound == 0 {
        return Ok(costs);
    }
    let rest = Shape { modulus, pivots, rows, cols, nnz, valued, threads: None, levels: 0 };
    let of = shape(rows, cols);
    costs.push(cost(
        "every row of S",
        of.clone(),
        EveryRow::seconds(&rest, machine, bound, rows),
        Some(EveryRow::bytes(&rest, bound, false, false)),
    ));
    costs.push(cost(
        "row space of S",
        of.clone(),
        RowSpace::seconds(&rest, machine, bound, bound, ERROR),
        Some(RowSpace::bytes(&rest, bound, false)),
    ));
    if modulus.get() > 3 {
        costs.push(cost(
            "sketches of S",
            of.clone(),
            Sketch::seconds(&rest, machine, bound, [bound, bound], ERROR),
            Some(Sketch::bytes(&rest, bound, bound)),
        ));
    }
    let scratch = pivots + rows + cols;
    let problem =
        Problem { modulus, rows, cols, nnz, valued, symmetric: false, grid: 16, scratch, levels: 0, gpu: None };
    let hybrid = parameters(&problem, &wiedemann::Options::default(), machine)?;
    costs.push(cost("block Wiedemann on S", of.clone(), hybrid.seconds, Some(hybrid.bytes)));
    let split = Split::new(&a, &found.pivots)?;
    let predicted = Solver::new(&split)?.predict(&mut Rng::seed_from_u64(1), observer)?;
    let about = |x: f64| if x < 1e4 { format!("{x:.0}") } else { format!("{x:.2e}") };
    let of = format!("{of}, {} entries, {} multiply-adds", about(predicted.nnz.mean), about(predicted.work.mean));
    costs.push(cost("S formed", of, Solver::seconds(machine, nnz, &predicted), None));
    Ok(costs)
}
