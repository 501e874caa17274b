//! Options of a rank.

use super::{Machine, Patience, Route};
use crate::certify::{self, ErrorBound};
use crate::decomposition::Keep;
use crate::gpu::Devices;
use crate::pivots::Rule;
use crate::setters::setters;
use crate::spmv::PlanOptions;
use crate::wiedemann;
use crate::{Error, Result, memory};

/// The checks that end a row space fail with probability at most 2⁻¹²⁸, as each claim of a certificate does, or as the
/// user asks.
pub(super) const CHECK: ErrorBound = ErrorBound::of_bits(certify::BITS);

/// Bytes for each entry of a matrix from which on its memory is not tight: what steps share takes a tenth of it.
const ROOMY: u64 = 512;

/// How a rank is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Method {
    /// Structural pivots, then whatever is predicted to be fastest on the rest.
    #[default]
    Auto,
    /// Structural pivots, the dense row space of their Schur complement, and a proof by its null space.
    Elimination,
    /// Structural pivots, then block Wiedemann on their implicit Schur complement.
    Hybrid,
    /// Block Wiedemann on the matrix itself: Krylov sequence, σ-basis, degree of the generator.
    Wiedemann,
}

impl Method {
    /// `auto`, `elimination`, `hybrid` or `wiedemann`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Elimination => "elimination",
            Method::Hybrid => "hybrid",
            Method::Wiedemann => "wiedemann",
        }
    }
}

/// All options of [`super::rank`]; the default suits most purposes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RankOptions {
    /// The method, or `Auto`.
    pub method: Method,
    /// Whether the answer must be proven: no random choice may matter.
    pub proven: bool,
    /// The block size s of block Wiedemann; `None`: by the cost model.
    pub block: Option<usize>,
    /// Independent runs of block Wiedemann; the largest value is the answer. At least 1.
    pub trials: usize,
    /// A proven bound of the error probability that the answer must meet.
    pub error: Option<ErrorBound>,
    /// The seed of all random choices, which also depend on the matrix and its modulus
    /// ([`Streams`](crate::certify::Streams)). Same seed, same answer, on any number of threads, unless a step exhausts
    /// the [`Patience`].
    pub seed: u64,
    /// Bytes that the computation may use beyond the matrix given.
    pub max_memory: Option<u64>,
    /// Options for the formats of sparse products; only [`Method::Wiedemann`] plans these: with any other
    /// method they are refused.
    pub plan: PlanOptions,
    /// Whether to stop the sequence once the generator has stabilised.
    pub early_termination: bool,
    /// Which generator the rank is read from.
    pub route: Route,
    /// Whether the answer must come with a nonsingular minor of its order ([`super::Rank::minor`]), for a certificate:
    /// block Wiedemann, which has none, is out of the question then.
    pub minor: bool,
    /// Where null vectors are wanted, which pivots may be taken: the steps are kept and the row space of what they
    /// leave, and nothing is transposed.
    pub(in crate::answers) space: Option<Rule>,
    /// Where these may come from block Wiedemann: how many are wanted, [`usize::MAX`] for a basis.
    pub(in crate::answers) vectors: Option<usize>,
    /// Where sequences of block Wiedemann and the combinations of sketches are computed: on the processor, or on CUDA
    /// GPUs: sequences on all that are named, sketches on the first of them. The answer is the same. The method
    /// elimination has neither: demanding GPUs of it is an error.
    pub devices: Devices,
    /// Bytes that buffers on a GPU may take; `None`: what it has free. Work that does not fit is refused there
    /// ([`crate::DeviceReason::NoMemory`]), and made on the processor unless GPUs are demanded.
    pub max_device_memory: Option<u64>,
    /// The prices that plans are made from.
    pub machine: Machine,
    /// How far a step may overrun its prediction before the plan is made anew.
    pub patience: Patience,
}

impl Default for RankOptions {
    fn default() -> Self {
        RankOptions {
            method: Method::Auto,
            proven: false,
            block: None,
            trials: 1,
            error: None,
            seed: 1,
            max_memory: None,
            plan: PlanOptions::default(),
            early_termination: true,
            route: Route::Shortcut,
            minor: false,
            space: None,
            vectors: None,
            devices: Devices::Processor,
            max_device_memory: None,
            machine: Machine::default(),
            patience: Patience::default(),
        }
    }
}

setters!(RankOptions {
    method: Method,
    proven: bool,
    block: impl Into<Option<usize>>,
    trials: usize,
    error: impl Into<Option<ErrorBound>>,
    seed: u64,
    max_memory: impl Into<Option<u64>>,
    plan: PlanOptions,
    early_termination: bool,
    route: Route,
    minor: bool,
    devices: Devices,
    max_device_memory: impl Into<Option<u64>>,
    machine: Machine,
    patience: Patience,
});

impl RankOptions {
    /// The largest block size: beyond it the σ-basis dominates.
    pub const MAX_BLOCK: usize = 512;
    /// The largest number of independent runs.
    pub const MAX_TRIALS: usize = 1000;

    /// The permitted error probability of the checks that end a row space.
    pub(super) fn check_error(&self) -> ErrorBound {
        self.error.filter(|&asked| asked < CHECK).unwrap_or(CHECK)
    }
    /// What is asked of block Wiedemann.
    pub(in crate::answers) fn wiedemann(&self) -> wiedemann::Options {
        let RankOptions { block, trials, error, early_termination, route, max_memory: memory, .. } = *self;
        wiedemann::Options { block, trials, error, early_termination, route, memory }
    }
    /// Whether memory is limited so far that what steps on a matrix of `nnz` entries might share is not kept between
    /// them, and nothing is looked for beside them.
    pub(super) fn is_tight(&self, nnz: usize) -> bool {
        self.max_memory.is_some_and(|limit| limit < memory::saturated(u128::from(ROOMY) * nnz as u128))
    }
    /// What is kept of the steps.
    pub(super) fn keep(&self) -> Keep {
        match (self.space, self.minor) {
            (Some(_), _) => Keep::Steps,
            (None, true) => Keep::Minor,
            (None, false) => Keep::Nothing,
        }
    }
    /// Whether the answer must be proven.
    pub(super) fn is_proof_demanded(&self) -> bool {
        self.proven || self.method == Method::Elimination
    }
    /// # Errors
    /// [`Error::Usage`] for values out of range.
    pub(in crate::answers) fn check(&self) -> Result<()> {
        let usage = |message: String| Err(Error::Usage(message));
        if !(1..=Self::MAX_TRIALS).contains(&self.trials) {
            return usage(format!("{} trials are out of range: 1 to {} are possible", self.trials, Self::MAX_TRIALS));
        }
        if self.proven && matches!(self.method, Method::Wiedemann | Method::Hybrid) {
            return usage(
                "block Wiedemann proves full ranks only: for a proof choose the method auto or elimination".into(),
            );
        }
        if self.minor && matches!(self.method, Method::Wiedemann | Method::Hybrid) {
            return usage("block Wiedemann has no minor to certify: choose the method auto or elimination".into());
        }
        if self.method != Method::Wiedemann && self.plan != PlanOptions::default() {
            return usage(
                "sparse formats are chosen where block Wiedemann works on the matrix itself: choose the method wiedemann".into(),
            );
        }
        if self.devices.are_demanded() && self.plan != PlanOptions::default() {
            return usage("sparse formats are chosen for products on the processor, not on GPUs".into());
        }
        if self.error.is_some() && self.route == Route::CoDegree {
            return usage("an error bound is proven for the shortcut only: choose the route shortcut or both".into());
        }
        if let Some(s) = self.block.filter(|s| !(1..=Self::MAX_BLOCK).contains(s)) {
            return usage(format!("block size {s} is out of range: 1 to {} is possible", Self::MAX_BLOCK));
        }
        if self.error.is_some_and(ErrorBound::is_vacuous) {
            return usage("an error bound of 1 is out of range: 0 < error < 1 is needed".into());
        }
        Ok(())
    }
}
