//! One run of block Wiedemann: sequence, σ-basis, degree of the generator (source paper, section 3).

use super::cost::basis_seconds;
use super::options::{Options, Route};
use super::parameters::Parameters;
use super::place::Place;
use super::searches::{STABLE_TERMS, Searches};
use super::state::{Counted, Saved};
use crate::blackbox::{Diagonals, Preconditioned};
use crate::certify::{Certainty, Domain, Streams, rank_failure};
use crate::cost::Wiedemann;
use crate::field::{ExtensionField, Field, PrimeField, Rng};
use crate::report::{Phases, Quiet};
use crate::sequence::{GpuKrylov, Krylov, Projection, SequenceSource, Start};
use crate::spmv::GpuMatrix;
use crate::{Error, Observer, Result, memory};
use std::time::Instant;

/// What one run found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    /// The rank as this run sees it. By the shortcut it never exceeds the rank; by the co-degree route that holds once
    /// the generator annihilates the whole sequence.
    pub value: usize,
    /// Terms of the sequence that were computed.
    pub terms: usize,
    /// Whether the generator had stood still when the sequence ended.
    pub settled: bool,
}

/// Why the value is a lower bound for certain. It is the rank of a block Hankel matrix of the terms, a product with B
/// in its middle: whatever the random choices, and however early the sequence ends
/// ([`GeneratorSearch::rank_bound`](crate::sigma_basis::GeneratorSearch::rank_bound)). The terms are exact, and so is
/// what the degrees of the generator rest on: products of polynomials that may have been rounded are made up for by
/// [`GeneratorSearch::verify`](crate::sigma_basis::GeneratorSearch::verify), which takes no random check for a proof
/// there. Degree and co-degree of det F, found by two routes, can only refuse the value.
pub const NEVER_ABOVE: &str = "in exact arithmetic, the value never exceeds the rank";
/// Each time the sequence grows by this fraction before the generator is looked at again.
const GROWTH: usize = 8;

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
/// [`Error::Interrupted`], [`Error::Memory`]; [`Error::Check`] if the computation contradicts itself;
/// [`Error::Device`] if a GPU fails.
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

/// How a sequence is read, wherever it comes from.
struct Reading<'a, F> {
    field: &'a F,
    /// The order n of B.
    order: usize,
    /// Terms after which the generator is settled for generic projections.
    expected: usize,
    /// Whether a generator that stands still ends the sequence before.
    early: bool,
    route: Route,
    /// The kind of the projection.
    projection: &'static str,
    /// The matrix beside which a GPU makes the σ-basis.
    gpu: Option<&'a GpuMatrix>,
}

impl<F: Field> Reading<'_, F> {
    fn run(
        &self,
        source: &mut dyn SequenceSource<F::Elem>,
        stream: &dyn Fn(Domain) -> Rng,
        phases: &mut Phases,
        observer: &dyn Observer,
    ) -> Result<Run> {
        let (n, s, expected) = (self.order, source.block(), self.expected);
        let last_resort = 2 * n + 2 + STABLE_TERMS;
        observer.phase("sequence", expected as u64);
        let mut searches = Searches::new(self.field, s, self.route, self.gpu)?;
        let elsewhere = source.is_elsewhere();
        let mut saved = Saved::of(&*source, self.field.degree(), self.projection, observer)?;
        let mut terms_from = |length: usize| {
            let target = next_length(length, expected, self.early);
            let mut terms = memory::with_capacity((target - length).saturating_mul(s * s), "the terms of a sequence")?;
            let counted = Counted { observer, before: length, expected };
            saved.extend(self.field, source, (length, target), &mut terms, &counted)?;
            Ok::<_, Error>(terms)
        };
        let (mut length, mut ready) = (0, None);
        loop {
            let terms: Vec<F::Elem> = match ready.take() {
                // A failure is none where the generator has settled without these terms.
                Some(terms) => terms?,
                None => phases.time("sequence", || terms_from(length))?,
            };
            length += terms.len() / (s * s);
            if elsewhere && length < expected {
                // The next terms are made beside the work on these.
                let start = Instant::now();
                let (searched, next) = rayon::join(
                    || {
                        searches.extend(&terms, &Quiet(observer))?;
                        Ok::<_, Error>(start.elapsed().as_secs_f64())
                    },
                    || terms_from(length),
                );
                let seconds = searched?;
                phases.add("sigma_basis", seconds);
                phases.add("sequence", start.elapsed().as_secs_f64() - seconds);
                ready = Some(next);
            } else {
                // What is done between terms belongs to the sequence.
                let quiet = Quiet(observer);
                let shown: &dyn Observer = if self.early { &quiet } else { observer };
                if !self.early {
                    observer.phase("σ-basis", length as u64);
                }
                phases.time("sigma_basis", || searches.extend(&terms, shown))?;
            }
            let settled = searches.settled();
            if searches.full(n) || settled && (length >= expected || self.early) {
                break;
            }
            if length >= last_resort {
                observer.warning("the generator has not settled at twice the order of the matrix");
                break;
            }
        }
        observer.phase("σ-basis checked", 0);
        phases.time("sigma_basis", || searches.verify(&mut stream(Domain::Verification)))?;
        observer.check()?;
        let value = phases.time("codegree", || searches.value(self.field, observer))?;
        Ok(Run { value, terms: length, settled: searches.settled() })
    }
}

/// The length up to which the sequence is computed next.
pub(super) fn next_length(length: usize, expected: usize, early_termination: bool) -> usize {
    if length >= expected {
        length + (length / GROWTH).max(STABLE_TERMS)
    } else if early_termination {
        let target = length + (length / GROWTH).max(32);
        // No short last piece.
        if target + target / (2 * GROWTH) >= expected { expected } else { target }
    } else {
        expected
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
