//! One run of block Wiedemann: sequence, σ-basis, degree of the generator (source paper, section 3).

use super::cost::basis_seconds;
use super::options::{Options, Route};
use super::parameters::Parameters;
use super::place::Place;
use super::reading::{Reading, Run};
use crate::blackbox::{Diagonals, Preconditioned};
use crate::certify::{Certainty, Domain, Streams, rank_failure};
use crate::cost::Wiedemann;
use crate::field::{ExtensionField, Field, PrimeField, Rng};
use crate::report::Phases;
use crate::sequence::{GpuKrylov, Krylov, Projection, Start};
use crate::{Observer, Result};

/// Why the value is a lower bound for certain. It is the rank of a block Hankel matrix of the terms, a product with B
/// in its middle: whatever the random choices, and however early the sequence ends
/// ([`GeneratorSearch::rank_bound`](crate::sigma_basis::GeneratorSearch::rank_bound)). The terms are exact, and so is
/// what the degrees of the generator rest on: products of polynomials that may have been rounded are made up for by
/// [`GeneratorSearch::verify`](crate::sigma_basis::GeneratorSearch::verify), which takes no random check for a proof
/// there. Degree and co-degree of det F, found by two routes, can only refuse the value.
pub const NEVER_ABOVE: &str = "in exact arithmetic, the value never exceeds the rank";

/// A σ-basis that is predicted to take one thread more seconds goes to the GPU that makes the sequence: kernels that
/// are compiled for the first time take about as long.
const GPU_PAYS: f64 = 8.0;

/// How block Wiedemann was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct WiedemannReport {
    /// The block size s.
    pub block: usize,
    /// Independent runs made.
    pub trials: usize,
    /// Runs that gave the value of the answer.
    pub trials_agreed: usize,
    /// The degree k of the field GF(pᵏ) that was worked over.
    pub extension_degree: usize,
}

impl WiedemannReport {
    /// That of the runs on two direct summands: the larger blocks, fields and numbers of runs, and the agreement of the
    /// part on which fewer runs agree.
    pub fn and(self, other: Self) -> Self {
        WiedemannReport {
            block: self.block.max(other.block),
            trials: self.trials.max(other.trials),
            trials_agreed: self.trials_agreed.min(other.trials_agreed),
            extension_degree: self.extension_degree.max(other.extension_degree),
        }
    }
}

/// What all runs together say.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The largest value: the rank of the operator as far as it was found.
    pub rank: usize,
    /// How it was run.
    pub report: WiedemannReport,
    /// How sure it is to be the rank.
    pub certainty: Certainty,
    /// What the certainty rests on.
    pub ground: String,
}

/// Independent runs on the operator of `place`, fewer than asked for if one reaches the full rank. The answer does not
/// depend on whether that is the processor or a GPU.
///
/// # Errors
/// [`Interrupted`](crate::Error::Interrupted), [`Memory`](crate::Error::Memory); [`Check`](crate::Error::Check) if the
/// computation contradicts itself; [`Device`](crate::Error::Device) if a GPU fails.
///
/// # Panics
/// If no trial is asked for, or the matrix on a GPU is for other blocks than the parameters.
pub fn trials(
    place: Place<'_>,
    parameters: &Parameters,
    options: &Options,
    streams: &Streams,
    phases: &mut Phases,
    observer: &dyn Observer,
) -> Result<Outcome> {
    let p = place.modulus();
    if parameters.degree > 1 {
        observer.warning(&parameters.reason);
    }
    let full = place.rows().min(place.cols());
    let mut values = Vec::with_capacity(options.trials);
    for trial in 0..options.trials {
        if options.trials > 1 {
            observer.part("trial", trial as u64 + 1, options.trials as u64);
        }
        if matches!(place, Place::Processor(_)) {
            observer.ahead(&parameters.ahead(options.trials, options.early_termination));
        }
        let stream = |domain| streams.stream(domain, trial as u64);
        let run = if parameters.degree == 1 {
            run(&PrimeField(p), place, parameters, options, &stream, phases, observer)?
        } else {
            let field = ExtensionField::new(p, parameters.degree, &mut stream(Domain::Extension));
            run(&field, place, parameters, options, &stream, phases, observer)?
        };
        values.push(run.value);
        if run.value == full && options.route != Route::CoDegree {
            break;
        }
    }
    let rank = *values.iter().max().expect("at least one trial");
    let agreed = values.iter().filter(|&&v| v == rank).count();
    let failure = rank_failure(full, (p.get() as f64).log2() * parameters.degree as f64);
    let (certainty, ground) = if options.route == Route::CoDegree {
        (Certainty::Heuristic, format!("{}, by the co-degree", agreement(agreed, values.len())))
    } else if rank == full {
        (Certainty::Proven, format!("full rank: {NEVER_ABOVE}, nor the rank the smaller side"))
    } else if parameters.by_theorem && !failure.is_vacuous() {
        (
            Certainty::with_bound(failure.all(values.len())),
            "Kaltofen 1995 with the preconditioner's theorem: (U^2+4U)/(q-1) a run".into(),
        )
    } else {
        (Certainty::Heuristic, format!("{}, and no run can exceed the rank", agreement(agreed, values.len())))
    };
    let report = WiedemannReport {
        block: parameters.block,
        trials: values.len(),
        trials_agreed: agreed,
        extension_degree: parameters.degree,
    };
    Ok(Outcome { rank, report, certainty, ground })
}

/// One run over `field`, with a random stream for each use. The observer sees the phase `sequence` in units of terms.
fn run<F: Field>(
    field: &F,
    place: Place<'_>,
    choice: &Parameters,
    options: &Options,
    stream: &dyn Fn(Domain) -> Rng,
    phases: &mut Phases,
    observer: &dyn Observer,
) -> Result<Run> {
    let rng = &mut stream(Domain::Preconditioner);
    let diagonals = Diagonals::random(field, place.rows(), place.cols(), choice.symmetric, rng)?;
    let (n, s) = (diagonals.order(), choice.block);
    let rng = &mut stream(Domain::Projection);
    let projection =
        if choice.by_theorem { Projection::dense(field, n, s, rng)? } else { Projection::sparse(field, n, s, rng)? };
    let start = if options.route == Route::Shortcut { Start::Bx } else { Start::X };
    // The generator is settled after ⌈r/s⌉ + ⌈r/s⌉ terms for generic X and Y, and after 2n + 2 whatever they are.
    let expected = 2 * n.div_ceil(s) + 2 + if start == Start::X { 2 } else { 0 };
    let early = options.early_termination && !choice.by_theorem;
    let kind = if choice.by_theorem { "dense" } else { "sparse" };
    let reading = Reading { field, order: n, expected, early, route: options.route, projection: kind, gpu: None };
    let rng = &mut stream(Domain::Start);
    match place {
        Place::Processor(operator) => {
            let operator = Preconditioned::new(operator, diagonals)?;
            let source = phases.time("sequence", || Krylov::new(field, &operator, projection, s, start, rng));
            reading.run(&mut source?, stream, phases, observer)
        }
        Place::Gpu(matrix) => {
            assert_eq!(matrix.shape().block, s, "blocks of the parameters' size");
            let source = phases.time("sequence", || GpuKrylov::new(field, matrix, &diagonals, projection, start, rng));
            let seconds = basis_seconds(&Wiedemann::default(), s, choice.degree, expected as f64);
            let pays = choice.degree == 1 && seconds > GPU_PAYS;
            let reading = Reading { gpu: pays.then(|| matrix.first()), ..reading };
            reading.run(&mut source?, stream, phases, observer)
        }
    }
}

/// How many runs gave the value.
fn agreement(agreed: usize, runs: usize) -> String {
    if runs == 1 { "a single run found it".into() } else { format!("{agreed} of {runs} independent runs agree") }
}

#[cfg(test)]
mod tests {
    use super::WiedemannReport;

    #[test]
    fn the_runs_on_two_parts_are_told_as_one() {
        let run = |block, trials, trials_agreed, extension_degree| WiedemannReport {
            block,
            trials,
            trials_agreed,
            extension_degree,
        };
        let (a, b) = (run(4, 3, 3, 1), run(16, 2, 1, 20));
        assert_eq!((a.and(b), b.and(a)), (run(16, 3, 1, 20), run(16, 3, 1, 20)));
        #[cfg(feature = "serde")]
        assert_eq!(
            serde_json::to_string(&a).unwrap(),
            r#"{"block":4,"trials":3,"trials_agreed":3,"extension_degree":1}"#
        );
    }
}
