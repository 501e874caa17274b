//! From options to a question mod a large prime, and from what was found to a rank with its grounds.

use super::{Method, Rank, RankOptions, Route};
use crate::certify::{Certainty, Streams};
use crate::large::{Decomposition, LargeModulus, Question, Way};
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
        (options.block.is_some(), "blocks of vectors"),
        (options.devices.are_demanded(), "GPUs"),
        (options.route != Route::Shortcut, "another route than shortcut"),
        (options.plan != Default::default(), "sparse formats"),
    ];
    if let Some((_, what)) = refused.iter().find(|(asked, _)| *asked) {
        return Err(Error::Usage(format!("{what} cannot be had modulo primes beyond 2^63")));
    }
    let way = match options.method {
        Method::Auto => None,
        Method::Elimination => Some(Way::Dense),
        Method::Hybrid | Method::Wiedemann => Some(Way::Lanczos),
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
        (Some(Way::Lanczos), None) => {
            (Method::Hybrid, "orthogonal vectors allow no smaller rank, null vectors or the shape no larger one")
        }
        (Some(Way::Lanczos), Some(_)) => (
            Method::Hybrid,
            "Lanczos' method is never above the rank; below it seldom (Eberly, Kaltofen, ISSAC 1997; Schwartz, Zippel)",
        ),
    };
    Rank {
        rank: found.rank,
        method,
        path: found.path.clone(),
        reason: reason.into(),
        certainty: found.error.map_or(Certainty::Proven, Certainty::with_bound),
        wiedemann: None,
        phases: found.phases.clone(),
        plan: None,
        devices: vec![],
        minor: None,
    }
}
