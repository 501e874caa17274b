//! rank A mod p, from the matrix to an answer with its certainty.

use super::{Choice, Method, Phases, RankOptions, Route, choose, wiedemann};
use crate::certify::{Certainty, rank_failure};
use crate::elimination::{self, EliminationOptions};
use crate::field::{ExtensionField, PrimeField, Rng};
use crate::sparse::SparseMatrix;
use crate::spmv::{Plan, Product};
use crate::{Error, Observer, Result};
use rand::SeedableRng;

/// A rank mod p and everything a reader needs to judge it.
#[derive(Clone, Debug)]
pub struct Rank {
    /// The rank.
    pub rank: usize,
    /// How it was computed: `Wiedemann` or `Elimination`.
    pub method: Method,
    /// Why so, and what the certainty rests on.
    pub reason: String,
    /// How sure it is.
    pub certainty: Certainty,
    /// Independent runs made.
    pub trials: usize,
    /// Runs that gave this value.
    pub trials_agreed: usize,
    /// The block size of block Wiedemann.
    pub block: Option<usize>,
    /// The degree k of the field GF(pᵏ) that was worked over.
    pub extension_degree: usize,
    /// Seconds of the phases.
    pub phases: Phases,
    /// The plan of the sparse product, if one was made.
    pub plan: Option<Plan>,
}

/// The rank of `a` mod its modulus.
///
/// The value returned never exceeds the rank (but for [`Route::CoDegree`], the source paper's); [`Rank::certainty`] says how sure
/// it is to reach it.
///
/// ```
/// use blackfield::{Silent, answers::{RankOptions, rank}, families, field::Modulus};
/// let a = families::generate("bibd_9_5")?.reduce(Modulus::new(65521)?);
/// assert_eq!(rank(&a, &RankOptions::default(), &Silent)?.rank, 36);
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`](crate::Error::Usage) for options out of range, [`Error::Memory`](crate::Error::Memory) if no method fits,
/// [`Error::Interrupted`](crate::Error::Interrupted) when the observer says so, and [`Error::Check`](crate::Error::Check) if a
/// computation contradicts itself.
pub fn rank(a: &SparseMatrix, options: &RankOptions, observer: &dyn Observer) -> Result<Rank> {
    options.check()?;
    let mut phases = Phases::default();
    let (core, symmetric) = phases.time("plan", || {
        let core = a.without_empty_lines();
        let symmetric = core.is_symmetric();
        (core, symmetric)
    });
    let choice = choose(&core, symmetric, options)?;
    if core.nnz() == 0 {
        let reason = "no non-zero entry".to_string();
        return Ok(Rank::proven(0, choice.method, reason, phases));
    }
    match choice.method {
        Method::Elimination => match by_elimination(&core, choice, options, phases.clone(), observer) {
            Err(Error::Memory(why)) if options.method == Method::Auto => {
                observer.warning(&format!("{why}: going on with block Wiedemann"));
                let options = RankOptions { method: Method::Wiedemann, ..options.clone() };
                by_wiedemann(&core, choose(&core, symmetric, &options)?, &options, phases, observer)
            }
            other => other,
        },
        Method::Wiedemann | Method::Auto => by_wiedemann(&core, choice, options, phases, observer),
    }
}

impl Rank {
    fn proven(rank: usize, method: Method, reason: String, phases: Phases) -> Self {
        Rank {
            rank,
            method,
            reason,
            certainty: Certainty::Proven,
            trials: 1,
            trials_agreed: 1,
            block: None,
            extension_degree: 1,
            phases,
            plan: None,
        }
    }
}

fn by_elimination(
    core: &SparseMatrix,
    choice: Choice,
    options: &RankOptions,
    mut phases: Phases,
    observer: &dyn Observer,
) -> Result<Rank> {
    let elimination_options = EliminationOptions { max_memory: options.max_memory, ..Default::default() };
    let report = phases.time("elimination", || elimination::rank(core, &elimination_options, observer))?;
    Ok(Rank::proven(report.rank, Method::Elimination, choice.reason, phases))
}

fn by_wiedemann(
    core: &SparseMatrix,
    choice: Choice,
    options: &RankOptions,
    mut phases: Phases,
    observer: &dyn Observer,
) -> Result<Rank> {
    let p = core.modulus();
    if choice.degree > 1 {
        observer.warning(&choice.reason);
    }
    let plan = phases.time("plan", || Plan::choose(core, &options.plan))?;
    let product = phases.time("plan", || Product::new(core, &plan));
    let full = core.rows().min(core.cols());
    let mut values = Vec::with_capacity(options.trials);
    for trial in 0..options.trials {
        let mut rng = Rng::seed_from_u64(options.seed);
        rng.set_stream(trial as u64);
        let run = if choice.degree == 1 {
            wiedemann::run(&PrimeField(p), &product, &choice, options, &mut rng, &mut phases, observer)?
        } else {
            let field = ExtensionField::new(p, choice.degree, &mut rng);
            wiedemann::run(&field, &product, &choice, options, &mut rng, &mut phases, observer)?
        };
        values.push(run.value);
        if run.value == full && options.route != Route::CoDegree {
            break;
        }
    }
    let rank = *values.iter().max().expect("at least one trial");
    let agreed = values.iter().filter(|&&v| v == rank).count();
    let failure = rank_failure(full, (p.get() as f64).log2() * choice.degree as f64);
    let (certainty, ground) = if options.route == Route::CoDegree {
        (Certainty::Heuristic, format!("{agreed} of {} independent runs agree, by the co-degree", values.len()))
    } else if rank == full {
        (Certainty::Proven, "full rank: the value never exceeds the rank, nor the rank the smaller side".to_string())
    } else if choice.by_theorem && failure < 1.0 {
        let error_bound = failure.powi(values.len() as i32).max(f64::MIN_POSITIVE);
        (
            Certainty::MonteCarlo { error_bound },
            "Kaltofen 1995 with the preconditioner's theorem: (U^2+4U)/(q-1) a run".into(),
        )
    } else {
        (Certainty::Heuristic, format!("{agreed} of {} independent runs agree; none can exceed the rank", values.len()))
    };
    Ok(Rank {
        rank,
        method: Method::Wiedemann,
        reason: format!("{}; {ground}", choice.reason),
        certainty,
        trials: values.len(),
        trials_agreed: agreed,
        block: Some(choice.block),
        extension_degree: choice.degree,
        phases,
        plan: Some(plan),
    })
}
