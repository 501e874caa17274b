//! rank A mod p, from the matrix to an answer with its certainty.

use super::answer::Rank;
use super::itself::by_wiedemann;
use super::{Method, Minor, Phases, RankOptions, components};
use crate::certify::Streams;
use crate::gpu::require_devices;
use crate::parallel;
use crate::sparse::SparseMatrix;
use crate::{DeviceReason, Error, Forecast, Observer, Result, Silent};
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
/// [`Error::Interrupted`] when the observer says so, [`Error::Device`] if GPUs are asked for and cannot do it, and
/// [`Error::Check`] if a computation contradicts itself.
pub fn rank(a: &SparseMatrix, options: &RankOptions, observer: &dyn Observer) -> Result<Rank> {
    options.check()?;
    let mut phases = Phases::default();
    let core = phases.shown("plan", observer, || {
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
    // A minor names the lines of the matrix as it was. That is there to be hashed, too, once something is drawn, as may
    // never be for one that is eliminated densely as it stands.
    let full = 2 * a.nnz() as u128 >= a.rows() as u128 * a.cols() as u128;
    let dense = full && matches!(options.method, Method::Auto | Method::Elimination) && options.max_memory.is_none();
    if options.minor || dense && !a.has_empty_lines()? {
        return rank(&a, options, observer);
    }
    options.check()?;
    let mut phases = Phases::default();
    let streams = phases.shown("plan", observer, || {
        // Seldom is a line empty: that is seen while the matrix is hashed.
        let (streams, empty) = parallel::join(|| Streams::hashed(&a, options.seed), || a.has_empty_lines());
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
        let why = "no non-zero entry".into();
        observer.forecast(&Forecast { name: "nothing", why, seconds: 0.0, bytes: 0 });
        observer.check()?;
        let method = if options.method == Method::Auto { Method::Elimination } else { options.method };
        let minor = options.minor.then(Minor::default);
        return Ok(Rank { minor, ..Rank::proven(0, method, "no non-zero entry".to_string(), vec![], phases) });
    }
    if options.devices.are_demanded() {
        if options.method == Method::Elimination {
            let message = "no CUDA kernels for the method elimination";
            return Err(Error::device(DeviceReason::NoKernel, message));
        }
        // A step on a GPU may not be needed; that there is none is said in any case.
        let _ = options.devices.first_or_named(require_devices()?)?;
    }
    match options.method {
        Method::Wiedemann => by_wiedemann(&core, options, streams, phases, observer),
        Method::Auto | Method::Elimination | Method::Hybrid => {
            components::rank(core, options, streams, phases, observer)
        }
    }
}
