//! Dense permanents: Nijenhuis–Wilf's sum in Gray-code order, over narrow integers, with rows merged by pattern.
//!
//! The sum (`problem`): perm A = ± 2^-odd Σ_S (-1)^|S| Πᵢ yᵢ(S) over half of the column subsets, yᵢ(S) = ±½ signed row sum.
//!
//! # The recurrence
//! Processors (`exact`, `residues`) and CUDA cards (`cuda`) run the same one.
//!
//! Columns are split in three. *Walked* columns change one at a step, in reflected Gray order (`walk`). *Lane* columns (six
//! single ones: 64 lanes) differ between vector lanes and never change. *Low* columns, K of them, are summed over at each
//! step by a straight-line program (`program`) that is the same for all lanes and steps.
//! 1. State of a lane: xᵢ, the value of row i with no low column in S, a 16-bit integer. A step of walked column c is
//!    xᵢ ← xᵢ ± aᵢ_c (twice that in rows of odd sum), and flips the sign of the term.
//! 2. Tables: for each pattern P of rows on the low columns and t = 0…|P| (for 0–1 rows): Q\[P\]\[t\] = Π (xᵢ + t or 2t).
//! 3. Deciding the last low column by b: Q'\[P'\]\[t\] = Q\[P'0\]\[t\] · Q\[P'1\]\[t+b\]; sign (-1)^b. Values are typed by proven bounds:
//!    16-bit integers, then 32-bit, then integers below 2⁴⁹ in `f64`.
//! 4. Two columns before the end, F = C Σ_b (-1)^b A\[b\] (B\[0\] D\[b0\] - B\[1\] D\[b1\]), exact in 50-bit limbs (`exact`), added to the
//!    lane's accumulators.
//! 5. At the end of a chunk the lanes' sums times the lanes' weights (their signs) are added into one big integer.
//!
//! # Operations
//! Floor for n × n at density ½, per setting of the columns (2ⁿ⁻¹ of them), with 2^K patterns of equal size, K = 5 and n = 32: table entries
//! K/2 + 1 = 3.5 and products of 2 and 4 rows 3 + 2.5 in 16 bits (1/32 of a 512-bit operation each, in multiplies 1/16 cycle
//! on two pipes), 2 of 8 rows in 32 bits (1/16), and the tail's 38 operations on four settings in 8 lanes (38/32): 1.6
//! operations of 512 bits, 0.45 cycles at the four a cycle that Zen 5 issues; a Gray code without merging needs n = 32 products.
//! The floor for n = 32 is 2³¹ · 0.45 cycles = 0.26 s at 3.7 GHz. Measured: 1.03 CPU s in all, four times the floor, and 14.2
//! CPU s for n = 36, on two Zen 5 cores (AVX-512) at a load average of 8.
//!
//! # Exactness
//! The exact engine computes the sum over the integers and proves the range of every intermediate; the division by 2^odd must
//! leave no remainder and the result must obey [`permanent_bound`]: two checks of the machine. Where
//! entries are too large for it, `residues` sums modulo 2⁶⁴ (whose low `odd` bits must come out 0) and modulo enough
//! primes for the bound, all in one pass over the chunks.
//!
//! Sources: H. J. Ryser, *Combinatorial Mathematics* (1963); A. Nijenhuis, H. S. Wilf, *Combinatorial Algorithms* (1978), ch. 23;
//! D. G. Glynn, European J. Combin. 31 (2010); merging rows by pattern over columns kept out of the Gray code is this house's own.
//! Entry point: [`permanent`].

#[cfg(feature = "serde")]
mod checkpoint;
#[cfg(not(feature = "serde"))]
#[path = "no_checkpoint.rs"]
mod checkpoint;
mod cuda;
mod exact;
mod plan;
mod problem;
mod program;
mod residues;
#[cfg(test)]
mod tests;
mod walk;

use super::Resumed;
use super::bound::permanent_bound;
use super::matrix::IntMatrix;
use crate::field::Modulus;
use crate::gpu::Device;
use crate::integers::Crt;
use crate::isa::Isa;
use crate::setters::setters;
use crate::{Error, Observer, Result};
use checkpoint::{Checkpoint, Store};
use cuda::Cards;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};
use plan::{Engine, Plan, Target};
use problem::Problem;
use rayon::prelude::*;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use walk::Walk;

/// How the dense engine runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GrayOptions {
    /// The file that holds the state of a run: read at the start if it is there, rewritten as the run goes on, removed at the
    /// end.
    pub checkpoint: Option<PathBuf>,
    /// The least time between two writes of the checkpoint.
    pub interval: Duration,
    /// The instruction set. All give the same answer.
    pub isa: Isa,
    /// The CUDA cards to run on; none: the processor.
    pub devices: Vec<Device>,
    /// Uses residues even where the exact engine could serve.
    pub residues: bool,
}

impl Default for GrayOptions {
    fn default() -> Self {
        GrayOptions {
            checkpoint: None,
            interval: Duration::from_secs(60),
            isa: Isa::best(),
            devices: Vec::new(),
            residues: false,
        }
    }
}

setters!(GrayOptions {
    checkpoint: impl Into<Option<PathBuf>>,
    interval: Duration,
    isa: Isa,
    devices: impl Into<Vec<Device>>,
    residues: bool,
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
    /// The low bits of the sum that had to be, and were, zero.
    pub zero_bits: usize,
    /// What a checkpoint had of the sum, where the run went on from one.
    pub resumed: Option<Resumed>,
}

/// Sums of chunks: over the integers, or modulo each modulus.
enum Sums {
    Exact(BigInt),
    Residues(Vec<u64>),
}

/// The permanent of the matrix. n = 0 gives 1.
///
/// Time and order of summation depend on the classes of equal columns (or rows); see [`predict`]. Chunks run on the current
/// rayon pool; progress is told in chunks.
///
/// # Errors
/// [`Error::Usage`] beyond 2⁶⁴ steps, [`Error::Interrupted`] (after the checkpoint is written), [`Error::Io`] and
/// [`Error::Input`] for the checkpoint, [`Error::Device`] if the cards fail, [`Error::Check`] if the computation contradicts itself.
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
    let target = if options.devices.is_empty() { Target::Processor } else { Target::Cards };
    let plan = Plan::new(&problem, bound_bits.saturating_sub(content_bits), options.residues, target)?;
    // Cards that cannot be had are told of before a checkpoint of their sums is begun.
    let cards = if target == Target::Cards { Some(Cards::new(&plan, &options.devices)?) } else { None };
    let mut journal = Journal::open(&plan, matrix, options)?;
    let resumed = journal.resumed();
    observer.phase("permanent", journal.chunks());
    observer.progress(journal.next());
    match cards {
        None => plan.run(options.isa, &mut journal, observer)?,
        Some(cards) => cards.run(&mut journal, observer)?,
    }
    let (value, moduli, zero_bits) = plan.conclude(journal.close()?)?;
    if value.bits() > bound_bits + 1 || (value.bits() == bound_bits + 1 && value.trailing_zeros() != Some(bound_bits)) {
        return Err(Error::Check(format!("the permanent exceeds its bound of 2^{bound_bits}")));
    }
    Ok(GrayAnswer { value, moduli, bound_bits, zero_bits, resumed })
}

/// Seconds of one core that a matrix with n columns, no two equal, takes at the given density of non-zeros (0–1 entries).
///
/// A model of 2ⁿ⁻¹ settings whose constants were measured on Zen 5 with AVX-512, one core, on a busy machine.
pub fn predict(n: usize, density: f64) -> f64 {
    seconds(2f64.powi(n as i32 - 1), n, density)
}

/// Seconds of one core for this matrix: [`predict`] with its own number of terms after grouping equal columns or rows.
/// Entries that need residues take longer than this says.
pub fn predict_matrix(matrix: &IntMatrix) -> f64 {
    let n = matrix.n();
    if n > 2 { seconds(settings(matrix), n, matrix.nnz() as f64 / (n * n) as f64) } else { 0.0 }
}

/// Seconds on these cards, of which there is at least one: like [`predict_matrix`], from one H200, with what compiling a kernel takes.
pub fn predict_on_cards(matrix: &IntMatrix, devices: &[Device]) -> f64 {
    const FIXED: f64 = 0.6;
    /// Seconds of a multiprocessor for one setting.
    const SETTING: f64 = 132.0 * 1.4e-12;
    let multiprocessors: f64 = devices.iter().map(|device| f64::from(device.multiprocessors.max(1))).sum();
    FIXED + settings(matrix) * SETTING / multiprocessors
}

/// The settings of the columns that the sum goes through: the terms after grouping, halved by the symmetry; none of a matrix with an
/// empty line.
fn settings(matrix: &IntMatrix) -> f64 {
    match Problem::new(matrix) {
        Ok(Some(problem)) => problem.terms().to_f64().unwrap_or(f64::INFINITY) / 2.0,
        Ok(None) => 0.0,
        Err(_) => f64::INFINITY,
    }
}

/// A fixed part, and settings of the columns at a price that was measured at density ½ and n = 32 and grows with n and density.
fn seconds(settings: f64, n: usize, density: f64) -> f64 {
    const FIXED: f64 = 2e-4;
    const SETTING: f64 = 4.5e-10;
    let wider = (n as f64 - 32.0).max(0.0) / 12.0;
    FIXED + settings * SETTING * (0.6 + 0.8 * density) * (1.0 + 0.5 * wider.min(1.0))
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

/// The sums so far, and the checkpoint that keeps them. Invariant: the sums are those of the chunks before `state.next`.
struct Journal<'a> {
    plan: &'a Plan,
    options: &'a GrayOptions,
    /// Where they are kept, if they are.
    store: Option<Store>,
    state: Checkpoint,
    sums: Sums,
    written: Instant,
}

impl<'a> Journal<'a> {
    /// Nothing summed, or what the checkpoint of the options holds.
    fn open(plan: &'a Plan, matrix: &IntMatrix, options: &'a GrayOptions) -> Result<Self> {
        let store = options.checkpoint.as_deref().map(|file| Store::new(file, plan, matrix)).transpose()?;
        let mut journal =
            Journal { plan, options, store, state: plan.start(), sums: plan.zero(), written: Instant::now() };
        if let Some(store) = &journal.store
            && let Some(saved) = store.read(&journal.state)?
        {
            let message = "checkpoint whose sums are no numbers of their range";
            let damaged = || Error::Input { file: store.file().into(), line: 0, message: message.into() };
            journal.sums = plan.parse(&saved.sums).ok_or_else(damaged)?;
            journal.state = saved;
        }
        // A file that cannot be written is told of before hours of work.
        journal.write()?;
        Ok(journal)
    }

    /// The first chunk that is not summed.
    fn next(&self) -> u64 {
        self.state.next
    }

    /// What the sums hold so far, if anything.
    fn resumed(&self) -> Option<Resumed> {
        (self.next() > 0).then(|| Resumed { parts: self.next(), of: self.chunks() })
    }

    /// The chunks in all.
    fn chunks(&self) -> u64 {
        self.state.chunks
    }

    /// Adds the sums of the chunks up to `end`; writes the checkpoint if it is time.
    fn advance(&mut self, end: u64, part: Sums) -> Result<()> {
        let before = std::mem::replace(&mut self.sums, self.plan.zero());
        self.sums = self.plan.add(before, part);
        self.state.next = end;
        if self.written.elapsed() >= self.options.interval && end < self.chunks() {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        if let Some(store) = &self.store {
            self.state.sums = self.sums.digits();
            store.write(&self.state)?;
        }
        self.written = Instant::now();
        Ok(())
    }

    /// Keeps what is done.
    ///
    /// # Errors
    /// [`Error::Interrupted`] always, unless the checkpoint cannot be written.
    fn interrupt(&mut self) -> Result<()> {
        self.write()?;
        Err(Error::Interrupted)
    }

    /// All sums; the checkpoint has done its duty and goes.
    fn close(self) -> Result<Sums> {
        if let Some(store) = &self.store
            && let Err(source) = std::fs::remove_file(store.file())
            && source.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Error::Io { file: store.file().into(), source });
        }
        Ok(self.sums)
    }
}

impl Plan {
    /// Sums what the journal lacks, in waves of a few hundred milliseconds between which the checkpoint is written.
    fn run(&self, isa: Isa, journal: &mut Journal<'_>, observer: &dyn Observer) -> Result<()> {
        // A wave is long enough to hide its end and short enough to be lost.
        let mut wave = 4 * rayon::current_num_threads() as u64;
        while journal.next() < journal.chunks() {
            if observer.cancelled() {
                return journal.interrupt();
            }
            let started = Instant::now();
            let end = journal.chunks().min(journal.next() + wave);
            journal.advance(end, self.wave(isa, journal.next(), end))?;
            observer.progress(end);
            if started.elapsed() < Duration::from_millis(100) {
                wave *= 2;
            } else if started.elapsed() > Duration::from_millis(400) {
                wave = (wave / 2).max(1);
            }
        }
        Ok(())
    }

    /// The sums of chunks first..end.
    fn wave(&self, isa: Isa, first: u64, end: u64) -> Sums {
        let span = |chunk: u64| (chunk * self.chunk, self.chunk.min(self.positions - chunk * self.chunk));
        match &self.engine {
            Engine::Exact(exact) => (first..end)
                .into_par_iter()
                .map_init(
                    || exact::Worker::new(exact),
                    |worker, chunk| {
                        let (start, length) = span(chunk);
                        Sums::Exact(worker.sum(isa, Walk::at(&self.walk, start), length))
                    },
                )
                .reduce(|| self.zero(), |a, b| self.add(a, b)),
            Engine::Modular(modular) => (first..end)
                .into_par_iter()
                .map_init(
                    || residues::Worker::new(modular),
                    |worker, chunk| {
                        let (start, length) = span(chunk);
                        Sums::Residues(worker.sums(isa, Walk::at(&self.walk, start), length))
                    },
                )
                .reduce(|| self.zero(), |a, b| self.add(a, b)),
        }
    }

    /// The state before the first chunk.
    fn start(&self) -> Checkpoint {
        Checkpoint { chunks: self.chunks(), next: 0, sums: self.zero().digits() }
    }

    fn chunks(&self) -> u64 {
        self.positions.div_ceil(self.chunk)
    }

    fn zero(&self) -> Sums {
        match &self.engine {
            Engine::Exact(_) => Sums::Exact(BigInt::zero()),
            Engine::Modular(modular) => Sums::Residues(vec![0; 1 + modular.primes.len()]),
        }
    }

    fn parse(&self, digits: &[String]) -> Option<Sums> {
        match &self.engine {
            Engine::Exact(_) => Some(Sums::Exact(digits[0].parse().ok()?)),
            Engine::Modular(modular) => {
                let residues: Vec<u64> = digits.iter().map(|d| d.parse().ok()).collect::<Option<_>>()?;
                let reduced = residues[1..].iter().zip(&modular.primes).all(|(r, p)| r < p);
                reduced.then_some(Sums::Residues(residues))
            }
        }
    }

    fn add(&self, a: Sums, b: Sums) -> Sums {
        match (a, b, &self.engine) {
            (Sums::Exact(a), Sums::Exact(b), _) => Sums::Exact(a + b),
            (Sums::Residues(mut a), Sums::Residues(b), Engine::Modular(modular)) => {
                a[0] = a[0].wrapping_add(b[0]);
                for ((a, b), p) in a[1..].iter_mut().zip(&b[1..]).zip(&modular.primes) {
                    *a = (*a + b) % p;
                }
                Sums::Residues(a)
            }
            _ => unreachable!("the sums of one plan are of one kind"),
        }
    }

    /// The permanent, the moduli that determine it, and the number of bits checked to be zero.
    fn conclude(&self, sums: Sums) -> Result<(BigInt, Vec<BigUint>, usize)> {
        let broken = || Error::Check(format!("the low {} bits of the sum are not zero", self.odd));
        match (sums, &self.engine) {
            (Sums::Exact(sum), _) => {
                let total = sum * &self.factor;
                if total.trailing_zeros().is_some_and(|zeros| zeros < self.odd as u64) {
                    return Err(broken());
                }
                Ok((total >> self.odd, Vec::new(), self.odd))
            }
            (Sums::Residues(residues), Engine::Modular(modular)) => {
                let (scale, content) = (&self.factor / &self.content, &self.content);
                let low = residues::low_bits(&(BigInt::from(residues[0]) * &scale));
                let zeros = self.odd.min(64);
                if (low.trailing_zeros() as usize) < zeros {
                    return Err(broken());
                }
                let mut crt = Crt::with_power_of_two(64 - zeros as u32, low.checked_shr(zeros as u32).unwrap_or(0));
                let mut moduli = vec![crt.modulus().clone()];
                for (&p, &r) in modular.primes.iter().zip(&residues[1..]) {
                    // scale / 2^odd mod p.
                    let (p_big, two) = (BigInt::from(p), BigInt::from(2));
                    let divided =
                        BigInt::from(r) * &scale * two.modpow(&(&p_big - 1 - self.odd % (p as usize - 1)), &p_big);
                    let residue = ((divided % &p_big) + &p_big) % &p_big;
                    crt.add(Modulus::new(p)?, residue.to_u64().expect("below p"));
                    moduli.push(p.into());
                }
                Ok((crt.signed() * content, moduli, zeros))
            }
            _ => unreachable!("the sums of one plan are of one kind"),
        }
    }
}

impl Sums {
    fn digits(&self) -> Vec<String> {
        match self {
            Sums::Exact(sum) => vec![sum.to_string()],
            Sums::Residues(residues) => residues.iter().map(u64::to_string).collect(),
        }
    }
}
