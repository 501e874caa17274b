//! From options to a question mod a large prime, and from what was found to a rank with its grounds.

use super::{Method, Rank, RankOptions, Route, WiedemannReport};
use crate::certify::{Certainty, Streams};
use crate::gpu::Devices;
use crate::large::{Decomposition, LargeModulus, Question, Way, usual_block};
use crate::sparse::Triplets;
use crate::{Error, Result};

/// The question about the null space of `matrix` with these options; what else it has is as usual.
///
/// # Errors
/// [`Error::Usage`] for options out of range, and for what there is not modulo large primes.
pub(super) fn question<'a>(
    matrix: &'a Triplets,
    modulus: &'a LargeModulus,
    options: &RankOptions,
) -> Result<Question<'a>> {
    let allowed = RankOptions { proven: false, ..options.clone() };
    allowed.check()?;
    let refused = [
        (options.minor, "a minor, and with it a certificate,"),
        (options.trials > 1, "repeated trials"),
        (options.devices == Devices::Gpus, "GPUs"),
        (options.route != Route::Shortcut, "another route than shortcut"),
        (options.plan != Default::default(), "sparse formats"),
    ];
    if let Some((_, what)) = refused.iter().find(|(asked, _)| *asked) {
        return Err(Error::Usage(format!("{what} cannot be had modulo primes beyond 2^63")));
    }
    let block = options.block.unwrap_or(usual_block(modulus));
    let way = match options.method {
        Method::Auto => None,
        Method::Elimination => Some(Way::Dense),
        Method::Hybrid | Method::Wiedemann => Some(Way::Wiedemann { block }),
    };
    let streams = Streams::of_integers(&format!("{} mod {modulus}", matrix.digest()), options.seed);
    Ok(Question {
        matrix,
        right: None,
        transposed: false,
        modulus,
        vectors: true,
        way,
        max_memory: options.max_memory,
        streams,
    })
}

/// The rank, and why.
pub(super) fn rank(found: &Decomposition) -> Rank {
    let (method, reason) = match (found.way, found.error) {
        (None, _) => (Method::Elimination, "structured elimination leaves nothing"),
        (Some(Way::Dense), _) => (Method::Elimination, "exact elimination of all rows"),
        (Some(Way::Wiedemann { .. }), None) => {
            (Method::Hybrid, "the generator allows no smaller rank, null vectors or the shape no larger one")
        }
        (Some(Way::Wiedemann { .. }), Some(_)) => (
            Method::Hybrid,
            "block Wiedemann is never above the rank; below it seldom (Eberly, Kaltofen, ISSAC 1997; Schwartz, Zippel)",
        ),
    };
    let wiedemann = match found.way {
        Some(Way::Wiedemann { block }) => {
            Some(WiedemannReport { block, trials: 1, trials_agreed: 1, extension_degree: 1 })
        }
        _ => None,
    };
    Rank {
        rank: found.rank,
        method,
        path: found.path.clone(),
        reason: reason.into(),
        certainty: found.error.map_or(Certainty::Proven, Certainty::with_bound),
        wiedemann,
        phases: found.phases.clone(),
        plan: None,
        device: None,
        minor: None,
    }
}
