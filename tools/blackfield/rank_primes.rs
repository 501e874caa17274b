//! Ranks modulo several primes on as many GPUs at once: each prime has a GPU to itself, so that nothing is exchanged
//! and no block gets narrower. The ranks are those that one prime after the other gives.

use crate::args::RankArgs;
use crate::memory;
use crate::progress::Bars;
use blackfield::answers::{self, Rank, RankOptions};
use blackfield::field::Modulus;
use blackfield::gpu::{Device, Devices, Ordinals, require_devices};
use blackfield::sparse::Triplets;
use blackfield::{Observer, Result};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A rank, and what was said on the way.
pub struct Found {
    pub rank: Rank,
    pub nnz: usize,
    pub warnings: Vec<String>,
    pub seconds: f64,
}

/// One of several answers in the making: what is warned of is its own, and no bar shows progress of several at once.
struct Apart<'a> {
    bars: &'a Bars,
    warnings: Mutex<Vec<String>>,
}

impl Observer for Apart<'_> {
    fn warning(&self, message: &str) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(message.into());
    }
    fn cancelled(&self) -> bool {
        self.bars.cancelled()
    }
}

/// The GPUs that have a prime each: several must be named, and several primes. A certificate and checkpoints are made
/// of one answer after the other, and so are plans.
///
/// # Errors
/// [`Error::Device`](blackfield::Error::Device) where one of them is missing.
pub fn gpus(args: &RankArgs) -> Result<Vec<Device>> {
    let one_by_one = args.certificate.is_some() || args.checkpoint.checkpoint.is_some() || args.dry_run;
    if one_by_one || args.moduli.len() < 2 || !args.device.are_demanded() {
        return Ok(vec![]);
    }
    let gpus = args.device.first_or_named(require_devices()?)?;
    Ok(if gpus.len() > 1 { gpus } else { vec![] })
}

/// The ranks modulo these primes, at most one for each of the GPUs. `None` stands for one that failed, or whose part of
/// the memory did not suffice: by itself it may have an answer, and has its own error.
///
/// # Errors
/// [`Error::Interrupted`](blackfield::Error::Interrupted).
pub fn at_once(
    triplets: &Triplets,
    moduli: &[Modulus],
    devices: &[Device],
    options: &RankOptions,
    bars: &Bars,
) -> Result<Vec<Option<Found>>> {
    assert!(moduli.len() <= devices.len(), "a GPU for each prime");
    bars.phase("ranks, one on each GPU", 0);
    let one = |(&modulus, device): (&Modulus, &Device)| -> Result<Found> {
        let (start, apart) = (Instant::now(), Apart { bars, warnings: Mutex::default() });
        let compact = triplets.compact()?;
        let left = memory::left_beside(options.max_memory, &compact.matrix, true, modulus)?;
        let own = options
            .clone()
            .max_memory(left.map(|left| left / moduli.len() as u64))
            .devices(Devices::These(Ordinals::new(&[device.index])?));
        let matrix = compact.matrix.try_reduce(modulus)?;
        let nnz = matrix.nnz();
        let rank = answers::rank_owned(matrix, &own, &apart)?;
        let warnings = apart.warnings.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Found { rank, nnz, warnings, seconds: start.elapsed().as_secs_f64() })
    };
    let found: Vec<Option<Found>> = moduli.par_iter().zip(devices).map(|pair| one(pair).ok()).collect();
    bars.clear();
    bars.check()?;
    Ok(found)
}
