//! Dense permanents: Nijenhuis–Wilf's sum in Gray-code order, over narrow integers, with rows merged by pattern.
//!
//! The sum (`problem`): perm A = ± 2^-odd Σ_S (-1)^|S| Πᵢ yᵢ(S) over half of the column subsets, yᵢ(S) = ±½ signed row
//! sum.
//!
//! # The recurrence
//! Processors (`exact`, `residues`) and CUDA GPUs (`cuda`) compute the same sum.
//!
//! Columns are of three kinds. *Walked* columns change one per step, in reflected Gray order (`walk`). *Lane* columns
//! (six single ones: 64 lanes) differ between vector lanes and never change. *Low* columns, K of them, are summed over
//! at each step by a straight-line program (`program`) that is the same for all lanes and steps.
//! 1. State of a lane: xᵢ, the value of row i with no low column in S, a 16-bit integer. A step of walked column c is
//!    xᵢ ← xᵢ ± aᵢ_c (twice that in rows of odd sum), and flips the sign of the term.
//! 2. Tables: for each pattern P of rows on the low columns and t = 0…|P| (for 0–1 rows): Q\[P\]\[t\] = Π (xᵢ + t or
//!    2t).
//! 3. Deciding the last low column by b: Q'\[P'\]\[t\] = Q\[P'0\]\[t\] · Q\[P'1\]\[t+b\]; sign (-1)^b. Values are typed
//!    by proven bounds: 16-bit integers, then 32-bit, then integers below 2⁴⁹ in `f64`.
//! 4. Two columns before the end, F = C Σ_b (-1)^b A\[b\] (B\[0\] D\[b0\] - B\[1\] D\[b1\]), exact in 50-bit limbs
//!    (`exact`), added to the lane's accumulators.
//! 5. At the end of a chunk the lanes' sums times the lanes' weights (their signs) are added into one big integer.
//!
//! # Operations
//! Floor for n × n at density ½, per setting of the columns (2ⁿ⁻¹ of them), with 2^K patterns of equal size, K = 5 and
//! n = 32: table entries K/2 + 1 = 3.5 and products of 2 and 4 rows 3 + 2.5 in 16 bits (1/32 of a 512-bit operation
//! each, in multiplies 1/16 cycle on two pipes), 2 of 8 rows in 32 bits (1/16), and the tail's 38 operations on four
//! settings in 8 lanes (38/32): 1.6 operations of 512 bits, 0.45 cycles at the four a cycle that Zen 5 issues; a Gray
//! code without merging needs n = 32 products. The floor for n = 32 is 2³¹ · 0.45 cycles = 0.26 s at 3.7 GHz. Measured:
//! 1.03 CPU s in all, four times the floor, and 14.2 CPU s for n = 36, on two Zen 5 cores (AVX-512) at a load average
//! of 8.
//!
//! # Exactness
//! The exact engine computes the sum over the integers and proves the range of every intermediate; the division by
//! 2^odd must leave no remainder and the result must obey [`permanent_bound`]: two checks of the hardware. If entries
//! are too large for it, `residues` sums modulo 2⁶⁴ (whose low `odd` bits must come out 0) and modulo enough primes for
//! the bound, all in one pass over the chunks.
//!
//! Sources: H. J. Ryser, *Combinatorial Mathematics* (1963); A. Nijenhuis, H. S. Wilf, *Combinatorial Algorithms*
//! (1978), ch. 23; D. G. Glynn, European J. Combin. 31 (2010); merging rows by pattern over columns kept out of the
//! Gray code is original to blackfield. Entry point: [`permanent`].

#[cfg(feature = "serde")]
mod checkpoint;
#[cfg(not(feature = "serde"))]
#[path = "no_checkpoint.rs"]
mod checkpoint;
mod cost;
mod cuda;
mod device;
mod exact;
mod journal;
mod plan;
mod problem;
mod program;
mod residues;
mod run;
mod sums;
#[cfg(test)]
mod tests;
mod walk;

pub use cost::{predict, predict_matrix, predict_on_gpus};

use super::Resumed;
use super::bound::permanent_bound;
use super::matrix::IntMatrix;
use crate::gpu::Device;
use crate::isa::Isa;
use crate::setters::setters;
use crate::{Error, Observer, Result};
use cuda::Gpus;
use journal::Journal;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use plan::{Plan, Prices, Target};
use problem::Problem;
use std::path::PathBuf;
use std::time::Duration;

/// How the dense engine runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GrayOptions {
    /// The file that holds the state of a run: read at the start if it exists, rewritten during the run, removed at the
    /// end.
    pub checkpoint: Option<PathBuf>,
    /// The least time between two writes of the checkpoint.
    pub interval: Duration,
    /// The instruction set. All of them give the same answer.
    pub isa: Isa,
    /// The CUDA GPUs to run on; if empty, the processor.
    pub devices: Vec<Device>,
    /// Uses residues even where the exact engine applies.
    pub residues: bool,
    /// Prices of operations on the processor.
    pub prices: crate::cost::Gray,
    /// Prices of operations on GPUs.
    pub device: crate::cost::Device,
}

impl Default for GrayOptions {
    fn default() -> Self {
        GrayOptions {
            checkpoint: None,
            interval: Duration::from_secs(60),
            isa: Isa::best(),
            devices: Vec::new(),
            residues: false,
            prices: Default::default(),
            device: Default::default(),
        }
    }
}

setters!(GrayOptions {
    checkpoint: impl Into<Option<PathBuf>>,
    interval: Duration,
    isa: Isa,
    devices: impl Into<Vec<Device>>,
    residues: bool,
    prices: crate::cost::Gray,
    device: crate::cost::Device,
});

/// A permanent and why it is right.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct GrayAnswer {
    /// The permanent.
    pub value: BigInt,
    /// The moduli whose residues determine it under the bound; none if the sum itself was computed over the integers.
    pub moduli: Vec<BigUint>,
    /// |perm A| ≤ 2^bound_bits.
    pub bound_bits: u64,
    /// The number of low bits of the sum that had to be zero, and were.
    pub zero_bits: usize,
    /// The part of the sum taken from a checkpoint, if the run resumed from one.
    pub resumed: Option<Resumed>,
}

/// The permanent of the matrix. n = 0 gives 1.
///
/// Time and order of summation depend on the classes of equal columns (or rows); see [`predict`]. Chunks run on the
/// current rayon pool; progress is reported in chunks.
///
/// # Errors
/// [`Error::Usage`] beyond 2⁶⁴ steps, [`Error::Interrupted`] (after the checkpoint is written), [`Error::Io`] and
/// [`Error::Input`] for the checkpoint, [`Error::Device`] if the GPUs fail, [`Error::Check`] if the computation
/// contradicts itself.
pub fn permanent(matrix: &IntMatrix, options: &GrayOptions, observer: &dyn Observer) -> Result<GrayAnswer> {
    observer.check()?;
    let bound_bits = permanent_bound(matrix)?.bits;
    let answer = |value| GrayAnswer { value, moduli: Vec::new(), bound_bits, zero_bits: 0, resumed: None };
    if matrix.n() <= 2 {
        return Ok(answer(small(matrix)));
    }
    let Some(problem) = Problem::new(matrix)? else {
        return Ok(answer(BigInt::zero()));
    };
    // The residues are those of the permanent without the rows' contents.
    let content_bits = problem.content.bits() - 1;
    let target = if options.devices.is_empty() { Target::Processor } else { Target::Gpus };
    let operation = if target == Target::Gpus { options.device.operation } else { options.prices.operation };
    let prices = Prices { operation, build: options.prices.build };
    let plan = Plan::new(&problem, bound_bits.saturating_sub(content_bits), options.residues, target, prices)?;
    // Unavailable GPUs are reported before a checkpoint of their sums is begun.
    let gpus = if target == Target::Gpus { Some(Gpus::new(&plan, &options.devices)?) } else { None };
    let mut journal = Journal::open(&plan, matrix, options.checkpoint.as_deref(), options.interval)?;
    let resumed = journal.resumed();
    observer.phase("permanent", journal.chunks());
    observer.restored(journal.next());
    match gpus {
        None => plan.run(options.isa, &mut journal, observer)?,
        Some(gpus) => gpus.run(&mut journal, observer)?,
    }
    let (value, moduli, zero_bits) = plan.conclude(journal.close()?)?;
    if value.bits() > bound_bits + 1 || (value.bits() == bound_bits + 1 && value.trailing_zeros() != Some(bound_bits)) {
        return Err(Error::Check(format!("the permanent exceeds its bound of 2^{bound_bits}")));
    }
    Ok(GrayAnswer { value, moduli, bound_bits, zero_bits, resumed })
}

/// The permanent for n ≤ 2.
fn small(matrix: &IntMatrix) -> BigInt {
    let at = |i: usize, j: usize| matrix.get(i, j).map_or(BigInt::zero(), |v| v.to_bigint());
    match matrix.n() {
        0 => BigInt::one(),
        1 => at(0, 0),
        _ => at(0, 0) * at(1, 1) + at(0, 1) * at(1, 0),
    }
}
