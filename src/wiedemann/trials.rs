//! One run of block Wiedemann: sequence, σ-basis, degree of the generator (source paper, section 3).

use super::options::{Options, Route};
use super::parameters::Parameters;
use super::place::Place;
use super::reading::{Reading, Run};
use crate::blackbox::{Diagonals, Preconditioned};
use crate::certify::{Certainty, Domain, Streams, rank_failure};
use crate::field::{ExtensionField, Field, PrimeField, Rng};
use crate::report::Phases;
use crate::sequence::{GpuKrylov, Gram, Krylov, Left, Projection, Start};
use crate::{Error, Observer, Result};

/// Why the value is a lower bound for certain. It is the rank of a block Hankel matrix of the terms, a product with B
/// in its middle: whatever the random choices, and however early the sequence ends
/// ([`GeneratorSearch::rank_bound`](crate::sigma_basis::GeneratorSearch::rank_bound)). The terms are exact, and so is
/// what the degrees of the generator rest on: products of polynomials that may have been rounded are made up for by
/// [`GeneratorSearch::verify`](crate::sigma_basis::GeneratorSearch::verify), which takes no random check for a proof
/// there. Degree and co-degree of det F, found by two routes, can only refuse the value.
pub const NEVER_ABOVE: &str = "in exact arithmetic, the value never exceeds the rank";

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

/// Independent runs on the operator of `place`, fewer than asked for if one reaches the full rank. Terms do not depend
/// on whether that is the processor or a GPU, but for sequences that are projected by themselves where they can be.
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
        if run.value > full && options.route != Route::CoDegree {
            let sides = format!("{} x {}", place.rows(), place.cols());
            return Err(Error::Check(format!("a sequence of rank {} of a {sides} operator", run.value)));
        }
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
    let (left, kind) = match choice {
        _ if choice.own && place.may_project_itself() => (Left::Own(Gram::of(field, &diagonals)?), "own"),
        _ if choice.by_theorem => (Left::Drawn(Projection::dense(field, n, s, rng)?), "dense"),
        _ => (Left::Drawn(Projection::sparse(field, n, s, rng)?), "sparse"),
    };
    let start = if options.route == Route::Shortcut { Start::Bx } else { Start::X };
    // The generator is settled after ⌈r/s⌉ + ⌈r/s⌉ terms for generic X and Y, and after 2n + 2 whatever they are.
    let expected = 2 * n.div_ceil(s) + 2 + if start == Start::X { 2 } else { 0 };
    let early = options.early_termination && !choice.by_theorem;
    let reading = Reading { field, order: n, expected, early, route: options.route, projection: kind, gpu: None };
    let rng = &mut stream(Domain::Start);
    match place {
        Place::Processor(operator) => {
            let operator = Preconditioned::new(operator, diagonals)?;
            let source = phases.time("sequence", || Krylov::new(field, &operator, left, s, start, rng));
            reading.run(&mut source?, stream, phases, observer)
        }
        Place::Gpu(matrix) => {
            assert_eq!(matrix.shape().block, s, "blocks of the parameters' size");
            let source = phases.time("sequence", || GpuKrylov::new(field, matrix, &diagonals, left, start, rng));
            let reading = Reading { gpu: choice.basis_on_gpu.then(|| matrix.first()), ..reading };
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
    use super::super::cost::Problem;
    use super::super::parameters::parameters;
    use super::*;
    use crate::Silent;
    use crate::cost::Machine;
    use crate::field::Modulus;
    use crate::oracles::dense_rank;
    use crate::report::Memory;
    use crate::sparse::SparseMatrix;
    use crate::spmv::{Plan, PlanOptions, Product};
    use rand::{RngExt, SeedableRng};
    use std::sync::atomic::Ordering;

    /// A matrix of at most the rank `low`, with zero rows, repeated rows and explicit zeros; symmetric if it is square.
    fn degenerate(p: Modulus, rows: usize, cols: usize, low: usize, rng: &mut Rng) -> SparseMatrix {
        let entry = |rng: &mut Rng| (rng.random_range(0..cols), rng.random_range(0..p.get()));
        let few: Vec<Vec<(usize, u64)>> =
            (0..low).map(|_| (0..rng.random_range(0..6.min(cols + 1))).map(|_| entry(rng)).collect()).collect();
        let mut entries = vec![];
        for i in 0..rows {
            let pick = rng.random_range(0..low + 1);
            for &(j, v) in few.get(pick).into_iter().flatten() {
                entries.push((i, j, v));
                entries.extend((rows == cols).then_some((j, i, v)));
            }
        }
        SparseMatrix::from_triplets(p, rows, cols, &entries)
    }

    /// The outcome of a run on the processor, projected by the sequence itself or not.
    fn outcome(a: &SparseMatrix, own: bool, options: &Options, seed: u64) -> Outcome {
        let (modulus, rows, cols, nnz) = (a.modulus(), a.rows(), a.cols(), a.nnz());
        let symmetric = a.is_symmetric().unwrap();
        let problem =
            Problem { modulus, rows, cols, nnz, valued: nnz, symmetric, grid: 1, scratch: 0, levels: 0, gpu: None };
        let chosen = Parameters { own, ..parameters(&problem, options, &Machine::reference()).unwrap() };
        let product = Product::new(a, &Plan::choose(a, &PlanOptions::default()).unwrap()).unwrap();
        let (streams, mut phases) = (Streams::of(a, seed), Phases::default());
        trials(Place::Processor(&product), &chosen, options, &streams, &mut phases, &Silent).unwrap()
    }

    /// Never above the rank, and as a rule the rank, over prime fields and extensions, of characteristic 2 as well.
    #[test]
    fn sequences_that_are_projected_by_themselves_find_the_rank() {
        let mut rng = Rng::seed_from_u64(31);
        for p in [2, 3, 7, 251, 65521, 2147483647, 4294967291, (1 << 61) - 1] {
            let p = Modulus::new(p).unwrap();
            let (mut runs, mut short) = (0, 0);
            for (rows, cols, low) in
                [(0, 5, 1), (5, 0, 1), (1, 1, 1), (9, 9, 2), (30, 80, 30), (80, 30, 12), (60, 60, 60), (150, 120, 40)]
            {
                for block in [1, 2, 5, 8] {
                    let a = degenerate(p, rows, cols, low, &mut rng);
                    let rank = dense_rank(&a);
                    for early_termination in [true, false] {
                        let options = Options { block: Some(block), early_termination, ..Options::default() };
                        let found = outcome(&a, true, &options, rng.random()).rank;
                        assert!(found <= rank, "{found} above {rank}, {rows} x {cols}, p = {p}, block {block}");
                        (runs, short) = (runs + 1, short + usize::from(found < rank));
                    }
                }
            }
            // Of fields of 2¹⁵ elements and more.
            assert!(short <= 1, "{short} of {runs} runs short of the rank, p = {p}");
        }
    }

    /// What was kept of one operator is nothing to another one of the same shape, drawn with the same random choices.
    #[test]
    fn what_is_kept_belongs_to_one_operator() {
        let (p, mut rng) = (Modulus::new(65521).unwrap(), Rng::seed_from_u64(34));
        let streams = Streams::of_shape(p, [60, 50], 1);
        for own in [true, false] {
            let memory = Memory::default();
            memory.life.store(usize::MAX, Ordering::Relaxed);
            for low in [30, 10, 50] {
                let a = degenerate(p, 60, 50, low, &mut rng);
                let problem = Problem {
                    modulus: p,
                    rows: 60,
                    cols: 50,
                    nnz: a.nnz(),
                    valued: a.nnz(),
                    symmetric: false,
                    grid: 1,
                    scratch: 0,
                    levels: 0,
                    gpu: None,
                };
                let options = Options { block: Some(4), early_termination: false, ..Options::default() };
                let chosen = Parameters { own, ..parameters(&problem, &options, &Machine::reference()).unwrap() };
                let product = Product::new(&a, &Plan::choose(&a, &PlanOptions::default()).unwrap()).unwrap();
                // Again, from what was kept.
                for _ in 0..2 {
                    let place = Place::Processor(&product);
                    let found = trials(place, &chosen, &options, &streams, &mut Phases::default(), &memory).unwrap();
                    assert_eq!(found.rank, dense_rank(&a), "own: {own}");
                }
            }
            assert!(memory.states.lock().unwrap().keys().filter(|name| name.starts_with("wiedemann")).count() >= 3);
        }
    }

    /// Over a field of 31 elements runs fall short now and then, and not more often than with a Y of their own.
    #[test]
    fn small_fields_tell_how_often_a_run_falls_short() {
        let (p, mut rng) = (Modulus::new(31).unwrap(), Rng::seed_from_u64(32));
        let field = PrimeField(p);
        let mut short = [0i32; 2];
        for _ in 0..400 {
            let a = degenerate(p, 24, 20, 15, &mut rng);
            let rank = dense_rank(&a);
            let product = Product::new(&a, &Plan::choose(&a, &PlanOptions::default()).unwrap()).unwrap();
            for (own, short) in [false, true].into_iter().zip(&mut short) {
                let diagonals = Diagonals::random(&field, 24, 20, false, &mut rng).unwrap();
                let left: Left = match own {
                    true => Gram::of(&field, &diagonals).unwrap().into(),
                    false => Projection::dense(&field, 20, 2, &mut rng).unwrap().into(),
                };
                let operator = Preconditioned::new(&product, diagonals).unwrap();
                let mut source = Krylov::new(&field, &operator, left, 2, Start::Bx, &mut rng).unwrap();
                let route = Route::Shortcut;
                let reading =
                    Reading { field: &field, order: 20, expected: 22, early: false, route, projection: "", gpu: None };
                let seed = rng.random();
                let stream = |_| Rng::seed_from_u64(seed);
                let found = reading.run(&mut source, &stream, &mut Phases::default(), &Silent).unwrap().value;
                assert!(found <= rank);
                *short += i32::from(found < rank);
            }
        }
        let [drawn, own] = short;
        // Four standard deviations of the difference.
        let far = 4.0 * f64::from(own + drawn).sqrt();
        assert!(own > 0 && f64::from(own - drawn) < far, "{own} of 400 short, {drawn} with a Y drawn beside");
    }

    /// A theorem that is worth it holds for the own projection.
    #[test]
    fn the_theorem_holds_for_both() {
        let a = degenerate(Modulus::new((1 << 61) - 1).unwrap(), 70, 60, 30, &mut Rng::seed_from_u64(33));
        let [own, drawn] = [true, false].map(|own| outcome(&a, own, &Options::default(), 5));
        assert_eq!((own.rank, own.certainty, own.ground), (drawn.rank, drawn.certainty, drawn.ground));
        assert!(matches!(own.certainty, Certainty::MonteCarlo { .. }), "{:?}", own.certainty);
    }

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
