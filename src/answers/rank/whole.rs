//! rank A mod p, from the matrix to an answer with its certainty.

use super::answer::Rank;
use super::{Method, Minor, Phases, RankOptions, components, wiedemann};
use crate::certify::Streams;
use crate::sparse::SparseMatrix;
use crate::spmv::{Plan, Product};
use crate::wiedemann::{Problem, parameters};
use crate::{Error, Observer, Result, Silent, Step};
use std::borrow::Cow;

/// The rank of `a` mod its modulus.
///
/// The value returned never exceeds the rank (but for [`Route::CoDegree`](super::Route::CoDegree), the source paper's);
/// [`Rank::certainty`] says how sure it is to reach it.
///
/// ```
/// use blackfield::{Silent, answers::{RankOptions, rank}, families, field::Modulus};
/// let a = families::generate("bibd_9_5")?.reduce(Modulus::new(65521)?);
/// assert_eq!(rank(&a, &RankOptions::default(), &Silent)?.rank, 36);
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] for options out of range, [`Error::Memory`] if no method fits or memory ends,
/// [`Error::Interrupted`] when the observer says so, and [`Error::Check`] if a computation contradicts itself.
pub fn rank(a: &SparseMatrix, options: &RankOptions, observer: &dyn Observer) -> Result<Rank> {
    options.check()?;
    let mut phases = Phases::default();
    let core = phases.time("plan", || {
        Ok::<_, Error>(if a.has_empty_lines()? { Cow::Owned(a.without_empty_lines()?) } else { Cow::Borrowed(a) })
    })?;
    let mut answer = of_core(core, options, &Streams::of(a, options.seed), phases, observer)?;
    if let Some(minor) = &mut answer.minor {
        minor.renumber(&a.non_empty_rows()?, &a.non_empty_cols()?);
    }
    Ok(answer)
}

impl SparseMatrix {
    /// The rank mod p, by [`answers::rank`](rank()) as it is asked by default and without an observer.
    ///
    /// ```
    /// use blackfield::{field::Modulus, sparse::SparseMatrix};
    /// let a = SparseMatrix::from_csr(Modulus::new(7)?, 2, &[0, 2, 4], &[0, 1, 0, 1], &[1, 3, 2, -1])?;
    /// assert_eq!(a.rank()?.rank, 1); // 2 · 3 = -1
    /// # Ok::<(), blackfield::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Memory`] if memory runs out, and [`Error::Check`] if a computation contradicts itself.
    pub fn rank(&self) -> Result<Rank> {
        rank(self, &RankOptions::default(), &Silent)
    }
}

/// [`rank()`] of a matrix that nobody else needs: the same answer, in less memory, since no step has to copy what it
/// changes.
///
/// # Errors
/// As [`rank()`].
pub fn rank_owned(mut a: SparseMatrix, options: &RankOptions, observer: &dyn Observer) -> Result<Rank> {
    if options.minor {
        // Its lines are named in the matrix as it was.
        return rank(&a, options, observer);
    }
    options.check()?;
    let mut phases = Phases::default();
    let streams = phases.time("plan", || {
        // Seldom is a line empty: that is seen while the matrix is hashed.
        let (streams, empty) = rayon::join(|| Streams::hashed(&a, options.seed), || a.has_empty_lines());
        if empty? {
            a.drop_empty_lines()?;
        }
        Ok::<_, Error>(streams)
    })?;
    of_core(Cow::Owned(a), options, &streams, phases, observer)
}

/// The rank of a matrix without empty lines.
fn of_core(
    core: Cow<'_, SparseMatrix>,
    options: &RankOptions,
    streams: &Streams,
    phases: Phases,
    observer: &dyn Observer,
) -> Result<Rank> {
    if core.nnz() == 0 {
        let method = if options.method == Method::Auto { Method::Elimination } else { options.method };
        let minor = options.minor.then(Minor::default);
        return Ok(Rank { minor, ..Rank::proven(0, method, "no non-zero entry".to_string(), vec![], phases) });
    }
    match options.method {
        Method::Wiedemann => by_wiedemann(&core, options, streams, phases, observer),
        Method::Auto | Method::Elimination | Method::Hybrid => {
            components::rank(core, options, streams, phases, observer)
        }
    }
}

/// Block Wiedemann on the matrix itself.
fn by_wiedemann(
    core: &SparseMatrix,
    options: &RankOptions,
    streams: &Streams,
    mut phases: Phases,
    observer: &dyn Observer,
) -> Result<Rank> {
    let symmetric = phases.time("plan", || core.is_symmetric())?;
    let (modulus, rows, cols, nnz, valued) = (core.modulus(), core.rows(), core.cols(), core.nnz(), core.valued());
    let problem = Problem { modulus, rows, cols, nnz, valued, symmetric, grid: 1, scratch: 0 };
    let chosen = parameters(&problem, &options.wiedemann(), &options.machine)?;
    if let Some(limit) = options.max_memory.filter(|&limit| chosen.bytes > limit) {
        let (needed, limit) = (chosen.bytes.div_ceil(1 << 20), limit >> 20);
        return Err(Error::Memory(format!("block Wiedemann needs about {needed} MB, {limit} MB are allowed")));
    }
    let plan = phases.time("plan", || Plan::choose(core, &options.plan))?;
    let product = phases.time("plan", || Product::new(core, &plan))?;
    let start = std::time::Instant::now();
    let outcome = wiedemann::trials(&product, &chosen, &options.wiedemann(), streams, &mut phases, observer)?;
    let step = Step {
        name: "block Wiedemann",
        found: format!("rank {}", outcome.rank),
        why: "asked for".into(),
        rank: Some(outcome.rank),
        predicted: Some(chosen.seconds),
        seconds: start.elapsed().as_secs_f64(),
    };
    Ok(Rank {
        rank: outcome.rank,
        method: Method::Wiedemann,
        path: vec![step],
        reason: format!("{}; {}", chosen.reason, outcome.ground),
        certainty: outcome.certainty,
        wiedemann: Some(outcome.report),
        phases,
        plan: Some(plan),
        minor: None,
    })
}
