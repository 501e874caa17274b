//! The dense engine on CUDA GPUs: the same sum, a thread for every lane of a group of positions, any number of GPUs.
//!
//! A *group* is a chunk of the plan, 2^digits positions whose walk changes only digits of two states and equal weights.
//! The kernel (`kernels/permanent.cu`, made the kernel of this matrix by [`source`]) walks a group with 64 threads and
//! returns the sum of each; the first states of the groups are computed here, and the sums are weighted and added over
//! the integers. Batches of groups go to whichever GPU is free, two per GPU, so that none waits for the processor.
//!
//! **Operations.** n = 40 at density ½ with K = 5 low columns, by hardware counters (`ncu`, instructions executed by
//! pipe): a step of a thread is 886 instructions for 32 settings of the columns, about 450 of them in double precision.
//! A Hopper multiprocessor issues 128 thread instructions per cycle, 64 of them in double precision: 0.22 cycles per
//! setting either way, 0.85 ps on the 132 multiprocessors of an H200 at 1.98 GHz. A batch takes 1.5 times that: 64 % of
//! the issue slots, 66 % of the double-precision pipe, 34 % of the integer multipliers and 27 % of the other integer
//! units are busy. Whole runs (`tools/compare/gpu_table.py`): for n = 46, 6.9·10¹¹ settings, that is 2.1·10¹⁰ thread
//! steps, per second. More resident threads (K = 4, or fewer registers each) change little, and K = 6 overflows the
//! instruction cache.
//!
//! **Exactness** is that of [`exact`](super::exact): the same program, whose values have proven bounds, and the same
//! tail, whose operations are correctly rounded on both. Only the sum of a thread is longer: see
//! [`most_digits`](super::device::most_digits).

mod batch;
mod source;

use super::exact::{self, ExactPlan};
use super::journal::Journal;
use super::plan::{Engine, Plan};
use super::program::LANES;
use super::residues::{Image, Ring};
use super::sums::Sums;
use super::walk::Walk;
use crate::gpu::{self, Buffer, Cubin, Device, Grid, Source};
use crate::parallel::{self, Each};
use crate::{Observer, Result};
use batch::{Kernel, Launch, Running};
use num_bigint::BigInt;
use rayon::prelude::*;
use source::{BLOCK, ENTRY, Headers, KERNEL};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// Batches in progress on one GPU: one runs while the other's sums are added.
const DEPTH: usize = 2;
/// Threads of a batch per multiprocessor.
const THREADS: u64 = 2048;
/// A multiprocessor processes them in this many rounds; the smallest batch is one round.
const WAVES: u64 = 8;

/// One GPU with its kernels and their data: the exact one, or those of residues modulo 2⁶⁴ and modulo all primes.
struct Station {
    parts: Vec<Part>,
    multiprocessors: u64,
}

struct Part {
    kernel: Kernel,
    lanes: Buffer<u8>,
    moduli: usize,
}

/// A batch of groups in progress.
struct Batch {
    first: u64,
    end: u64,
    parts: Vec<Running>,
}

impl Batch {
    fn is_done(&self) -> Result<bool> {
        for part in &self.parts {
            if !part.is_done()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The GPUs with what they need for the plan.
pub(super) struct Gpus<'a> {
    plan: &'a Plan,
    digits: u32,
    gpus: Vec<Station>,
}

impl<'a> Gpus<'a> {
    /// Compiles the kernels and loads them on the GPUs.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn new(plan: &'a Plan, devices: &[Device]) -> Result<Self> {
        let digits = plan.chunk.trailing_zeros();
        assert_eq!(plan.chunk, 1 << digits, "groups of the walk's binary digits");
        let sources = headers(plan, digits as usize);
        let capabilities: BTreeSet<(u32, u32)> = devices.iter().map(|device| device.compute_capability).collect();
        let compiled = |&capability: &(u32, u32)| {
            let cubins: Result<Vec<Cubin>> = sources.par_iter().try_make(|headers| compile(headers, capability));
            Ok((capability, cubins?))
        };
        // Compiling kernels and opening GPUs take as long as many a computation: all of it runs concurrently.
        let (cubins, opened): (Result<BTreeMap<_, _>>, Result<Vec<_>>) = parallel::join(
            || capabilities.par_iter().map(compiled).collect(),
            || devices.par_iter().map(gpu::Gpu::open).collect(),
        );
        let (cubins, opened) = (cubins?, opened?);
        let station = |(device, gpu): (&Device, &gpu::Gpu)| {
            let kernels = cubins[&device.compute_capability].iter().map(|cubin| Kernel::load(gpu, cubin, ENTRY));
            let parts = parts(plan, kernels.collect::<Result<_>>()?)?;
            Ok(Station { parts, multiprocessors: u64::from(device.multiprocessors.max(1)) })
        };
        Ok(Gpus { plan, digits, gpus: devices.par_iter().zip(&opened).try_make(station)? })
    }

    /// Sums the chunks that the journal lacks.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), and those of the journal.
    pub fn run(&self, journal: &mut Journal<'_>, observer: &dyn Observer) -> Result<()> {
        let mut flying: Vec<VecDeque<Batch>> = self.gpus.iter().map(|_| VecDeque::new()).collect();
        // Batches that finished before an earlier one.
        let mut early: BTreeMap<u64, (u64, Sums)> = BTreeMap::new();
        let mut next = journal.next();
        while journal.next() < journal.chunks() {
            if observer.cancelled() {
                return journal.interrupt();
            }
            for (gpu, batches) in flying.iter_mut().enumerate() {
                while batches.len() < DEPTH && next < journal.chunks() {
                    // The last batches are smaller, so that all GPUs finish together.
                    let (left, most) = (journal.chunks() - next, self.batch(gpu));
                    let share = (left / (2 * self.gpus.len() as u64)).clamp(most.div_ceil(WAVES), most);
                    let end = next + share.min(left);
                    batches.push_back(self.start(gpu, next, end)?);
                    next = end;
                }
            }
            let mut idle = true;
            for batches in &mut flying {
                if batches.front().map_or(Ok(false), Batch::is_done)?
                    && let Some(batch) = batches.pop_front()
                {
                    idle = false;
                    early.insert(batch.first, (batch.end, self.collect(batch)?));
                }
            }
            while let Some((end, sums)) = early.remove(&journal.next()) {
                journal.advance(end, sums)?;
                observer.progress(end);
            }
            if idle {
                std::thread::sleep(Duration::from_micros(100));
            }
        }
        Ok(())
    }

    /// Groups per batch: all multiprocessors have work, and not all of the work is in one batch.
    fn batch(&self, gpu: usize) -> u64 {
        let gpu = &self.gpus[gpu];
        let moduli: usize = gpu.parts.iter().map(|part| part.moduli).sum();
        (gpu.multiprocessors * THREADS / (LANES * moduli) as u64).max(1)
    }

    fn start(&self, gpu: usize, first: u64, end: u64) -> Result<Batch> {
        let walks: Vec<Walk<'_>> =
            (first..end).into_par_iter().map(|group| Walk::at(&self.plan.walk, group << self.digits)).collect();
        let groups = walks.len();
        let start = |(index, part): (usize, &Part)| {
            let own = match (&self.plan.engine, index) {
                (Engine::Exact(exact), _) => exact_starts(exact, &walks),
                (Engine::Modular(modular), 0) => ring_starts(std::slice::from_ref(&modular.wrapping), &walks),
                (Engine::Modular(modular), _) => ring_starts(&modular.images, &walks),
            };
            let launch = Launch {
                grid: Grid {
                    blocks: ((groups * LANES).div_ceil(BLOCK as usize) as u32, part.moduli as u32),
                    threads: BLOCK,
                },
                words: groups * LANES * self.limbs() * part.moduli,
                groups: groups as u32,
                first: first as u32,
            };
            part.kernel.start(&launch, &own, &part.lanes)
        };
        let parts = self.gpus[gpu].parts.iter().enumerate().map(start).collect::<Result<_>>()?;
        Ok(Batch { first, end, parts })
    }

    /// Words of a lane's sum.
    fn limbs(&self) -> usize {
        if matches!(self.plan.engine, Engine::Exact(_)) { exact::LIMBS } else { 1 }
    }

    /// The weighted sums of a batch.
    fn collect(&self, batch: Batch) -> Result<Sums> {
        // The sum over the positions of the k-th group counts the last term as positive; its sign differs from that of
        // the first unless they are the same position.
        let weight = |k: usize| {
            let weight = Walk::at(&self.plan.walk, (batch.first + k as u64) << self.digits).weight();
            if self.digits > 0 { -weight } else { weight }
        };
        let groups = (batch.end - batch.first) as usize;
        let parts: Vec<Vec<u64>> = batch.parts.into_iter().map(Running::finish).collect::<Result<_>>()?;
        match &self.plan.engine {
            Engine::Exact(exact) => {
                let groups = parts[0].par_chunks(exact::LIMBS * LANES).enumerate();
                Ok(Sums::Exact(groups.map(|(k, words)| weight(k) * exact.weigh(words)).sum()))
            }
            Engine::Modular(modular) => {
                let weights: Vec<BigInt> = (0..groups).map(weight).collect();
                let first = ring_sum(&modular.wrapping, &weights, &parts[0]);
                let words = parts.get(1).map_or(&[][..], |words| words).par_chunks(groups * LANES);
                let others = words.zip(&modular.images).map(|(words, image)| ring_sum(image, &weights, words));
                Ok(Sums::Residues(std::iter::once(first).chain(others.collect::<Vec<_>>()).collect()))
            }
        }
    }
}

/// The classes of the digits that a group walks.
fn classes(plan: &Plan, digits: usize) -> Vec<usize> {
    plan.walk[..digits].iter().map(|digit| digit.class).collect()
}

/// The headers of each kernel that the plan needs.
fn headers(plan: &Plan, digits: usize) -> Vec<Headers> {
    let classes = classes(plan, digits);
    match &plan.engine {
        Engine::Exact(exact) => vec![Headers::exact(exact, &classes)],
        Engine::Modular(modular) => {
            let mut all = vec![Headers::residues(&modular.program, std::slice::from_ref(&modular.wrapping), &classes)];
            if !modular.images.is_empty() {
                all.push(Headers::residues(&modular.program, &modular.images, &classes));
            }
            all
        }
    }
}

fn compile(headers: &Headers, capability: (u32, u32)) -> Result<gpu::Cubin> {
    let headers = [("problem.cuh", headers.problem.as_str()), ("program.cuh", headers.program.as_str())];
    gpu::compile(&Source { name: "permanent.cu", text: KERNEL, headers: &headers }, capability)
}

/// What a GPU holds during the whole run.
fn parts(plan: &Plan, kernels: Vec<Kernel>) -> Result<Vec<Part>> {
    let part = |(index, kernel): (usize, Kernel)| {
        let (lanes, moduli) = match (&plan.engine, index) {
            (Engine::Exact(exact), _) => {
                let rows = &exact.lanes;
                let lanes: Vec<i16> = (0..LANES).flat_map(|lane| rows.iter().map(move |row| row[lane])).collect();
                (bytemuck::cast_slice(&lanes).to_vec(), 1)
            }
            (Engine::Modular(modular), 0) => (ring_lanes(std::slice::from_ref(&modular.wrapping)), 1),
            (Engine::Modular(modular), _) => (ring_lanes(&modular.images), modular.images.len()),
        };
        Ok(Part { lanes: kernel.upload(&lanes)?, kernel, moduli })
    };
    kernels.into_iter().enumerate().map(part).collect()
}

/// The rows' values in each lane, for each ring.
fn ring_lanes<R: Ring>(images: &[Image<R>]) -> Vec<u8>
where
    R::Word: bytemuck::NoUninit,
{
    let of_image = |image: &Image<R>| {
        let lane = |lane| image.lanes.iter().map(move |row| row.0[lane]);
        (0..LANES).flat_map(lane).collect::<Vec<_>>()
    };
    bytemuck::cast_slice(&images.iter().flat_map(of_image).collect::<Vec<_>>()).to_vec()
}

/// The rows' values at the start of each group, without the lanes'.
fn exact_starts(plan: &ExactPlan, walks: &[Walk<'_>]) -> Vec<u8> {
    let rows = plan.lanes.len();
    let mut starts = vec![0i16; walks.len() * rows];
    starts.par_chunks_mut(rows).zip(walks).each(|(start, walk)| {
        for (class, count) in walk.values() {
            for s in &plan.steps[class] {
                // As on the processor: a true state is within the row's bound.
                let value = &mut start[s.row as usize];
                *value = value.wrapping_add(s.step.wrapping_mul(count as i16));
            }
        }
    });
    bytemuck::cast_slice(&starts).to_vec()
}

/// The same for each ring.
fn ring_starts<R: Ring>(images: &[Image<R>], walks: &[Walk<'_>]) -> Vec<u8>
where
    R::Word: bytemuck::NoUninit,
{
    let rows = images[0].lanes.len();
    let mut starts = vec![R::Word::default(); images.len() * walks.len() * rows];
    starts.par_chunks_mut(rows).enumerate().each(|(k, start)| {
        images[k / walks.len()].add_columns(start, walks[k % walks.len()].values());
    });
    bytemuck::cast_slice(&starts).to_vec()
}

/// Σ over groups and lanes of the weights times the words, which are elements of the ring.
fn ring_sum<R: Ring>(image: &Image<R>, weights: &[BigInt], words: &[u64]) -> u64 {
    let ring = image.ring;
    let total = words.chunks(LANES).zip(weights).fold(R::Word::default(), |total, (words, weight)| {
        let sum = image.weigh(words.iter().map(|&x| ring.word(x)));
        ring.add(total, ring.mul(sum, ring.of(weight)))
    });
    ring.residue(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use crate::permanent::IntMatrix;
    use crate::permanent::gray::plan::{Prices, Target};
    use crate::permanent::gray::problem::Problem;
    use crate::{DeviceReason, Error};
    use rand::{RngExt, SeedableRng};

    /// Where NVRTC is installed, kernels of several shapes compile without warnings and without register spills.
    #[test]
    fn kernels_compile_where_the_compiler_is() {
        let mut rng = Rng::seed_from_u64(3);
        let exact = [3, 16, 40, 46].map(|n| (n, None));
        // Tables of one modulus, of many in constant memory, and of more than constant memory holds.
        let residues = [(3, 9), (24, 72), (24, 700), (24, 20_000)].map(|(n, bits)| (n, Some(bits)));
        for (n, bits) in exact.into_iter().chain(residues) {
            let entries = (0..n * n).map(|k| (k / n, k % n, BigInt::from(rng.random_bool(0.5) as u8)));
            let matrix = IntMatrix::from_entries(
                n,
                entries.filter(|e| e.0 != e.1).chain((0..n).map(|i| (i, i, BigInt::from(1)))),
            );
            let problem = Problem::new(&matrix).unwrap().expect("no empty line");
            let prices = Prices { operation: 3.3e-12, build: 1e-4 };
            let bound = bits.unwrap_or(3 * n as u64);
            let plan = Plan::new(&problem, bound, bits.is_some(), Target::Gpus, prices).unwrap();
            let headers = headers(&plan, plan.chunk.trailing_zeros() as usize);
            let in_constant_memory = |h: &Headers| h.program.contains("__constant__");
            assert_eq!(bits == Some(20_000), bits.is_some() && !headers.iter().all(in_constant_memory));
            for headers in headers {
                match compile(&headers, (9, 0)) {
                    Ok(cubin) => {
                        let clean = cubin.log.contains("0 bytes spill stores") && !cubin.log.contains("warning");
                        assert!(clean, "n = {n}, bits {bits:?}, {} low columns: {}", plan.low.len(), cubin.log);
                    }
                    Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => eprintln!("skipped: {no}"),
                    Err(other) => panic!("{other}"),
                }
            }
        }
    }
}
