//! Several CUDA GPUs: copies between them, timed by their events, and sequences of block Wiedemann that they share.

use super::clock::Clock;
use super::gpu::uniform;
use blackfield::blackbox::Diagonals;
use blackfield::field::{Modulus, PrimeField, Rng};
use blackfield::gpu::{Device, Stream};
use blackfield::sequence::{GpuGram, GpuKrylov, Gram, Left, Projection, SequenceSource, Start};
use blackfield::sparse::SparseMatrix;
use blackfield::spmv::{GpuCopies, GpuShape};
use blackfield::{Error, Observer, Result};
use rand::SeedableRng;
use std::time::Instant;

/// Runs of which the median counts, after one to warm up.
const TIMES: usize = 5;
/// Copies between two events.
const COPIES: usize = 4;
/// Columns of the blocks.
const BLOCK: usize = 64;

/// The median of [`TIMES`] runs after the first.
fn median(mut run: impl FnMut() -> Result<f64>) -> Result<f64> {
    let _ = run()?;
    let mut seconds = (0..TIMES).map(|_| run()).collect::<Result<Vec<f64>>>()?;
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[TIMES / 2])
}

/// Copies from each GPU to each other one, and to and from the host.
pub fn links(clock: &mut Clock, devices: &[Device]) -> Result<()> {
    let bytes: usize = clock.pick(1 << 20, 256 << 20);
    let pattern: Vec<u32> = (0..bytes as u32 / 4).map(|k| k.wrapping_mul(0x9e37_79b9)).collect();
    let streams = devices.iter().map(Stream::alone).collect::<Result<Vec<_>>>()?;
    let other =
        |k: usize| if devices.iter().filter(|d| d.index == devices[k].index).count() > 1 { " again" } else { "" };
    let name = |k: usize| format!("cuda:{}", devices[k].index);
    for (k, stream) in streams.iter().enumerate() {
        let upload = || {
            let start = Instant::now();
            drop(stream.upload(&pattern)?);
            Ok(start.elapsed().as_secs_f64())
        };
        let (to, from) = (format!("host to {}, not pinned", name(k)), format!("{} to host, not pinned", name(k)));
        clock.add("gpu links", to, median(upload)?, (bytes as f64, "bytes"))?;
        let buffer = stream.upload(&pattern)?;
        let download = || {
            let start = Instant::now();
            let back = stream.download(&buffer)?;
            let seconds = start.elapsed().as_secs_f64();
            if back == pattern { Ok(seconds) } else { Err(Error::Check(format!("a copy from {}", name(k)))) }
        };
        clock.add("gpu links", from, median(download)?, (bytes as f64, "bytes"))?;
    }
    for from in 0..devices.len() {
        for to in (0..devices.len()).filter(|&to| to != from) {
            streams[to].open_to(&streams[from]);
            let (source, mut target) = (streams[from].upload(&pattern)?, streams[to].zeros(pattern.len())?);
            let copy = || {
                let begin = streams[to].mark()?;
                for _ in 0..COPIES {
                    streams[to].copy_between(&mut target, &source, 0..pattern.len())?;
                }
                Ok(streams[to].mark()?.seconds_since(&begin)? / COPIES as f64)
            };
            let seconds = median(copy)?;
            let name = format!("{} to {}{}", name(from), name(to), other(to));
            if streams[to].download(&target)? != pattern {
                return Err(Error::Check(format!("a copy from {name}")));
            }
            clock.add("gpu links", name, seconds, (bytes as f64, "bytes"))?;
        }
    }
    Ok(())
}

/// Terms of a sequence by 1, 2, 4, … of the GPUs: each with some columns of the blocks, or some rows of the matrix. One
/// GPU with the columns of one of several shows what narrower blocks cost; the rest is waiting.
pub fn sequences(clock: &mut Clock, devices: &[Device], modulus: Modulus) -> Result<()> {
    let mut rng = Rng::seed_from_u64(1);
    let shapes = clock.pick(&[(1000, 7)][..], &[(171_000, 35), (2_400_000, 7), (1_900_000, 20)][..]);
    for &(rows, entries) in shapes {
        let a = uniform(modulus, rows, entries, true, &mut rng)?;
        let whole = Sequence { a: &a, modulus, block: BLOCK, terms: clock.pick(4, 512) };
        let (mut expected, mut expected_own) = (None, None);
        let mut counts: Vec<usize> = (0..).map(|k| 1 << k).take_while(|&count| count < devices.len()).collect();
        counts.push(devices.len());
        for count in counts {
            let some = &devices[..count];
            let ways = [
                (format!("{count} by columns"), whole, GpuCopies::by_columns(some, &a, whole.shape(), u64::MAX)?),
                (format!("{count} by rows"), whole, GpuCopies::by_rows(some, &a, whole.shape(), u64::MAX)?),
            ];
            let own = if GpuGram::is_for(&ways[1].2) {
                let (name, sequence, matrix) = &ways[1];
                let (seconds, first) = sequence.time(matrix, true, &clock.stops())?;
                let name = format!("{rows} rows of {entries} +-1, {} vectors, {name}, own", whole.block);
                clock.add("gpu terms", name, seconds, (whole.terms as f64, "terms"))?;
                Some(first)
            } else {
                None
            };
            if let Some(own) = own
                && *expected_own.get_or_insert_with(|| own.clone()) != own
            {
                return Err(Error::Check(format!("terms of {count} GPUs")));
            }
            for (name, sequence, matrix) in ways.iter().take(if count == 1 { 1 } else { 2 }) {
                let (seconds, first) = sequence.time(matrix, false, &clock.stops())?;
                if *expected.get_or_insert_with(|| first.clone()) != first {
                    return Err(Error::Check(format!("terms by {name} of the GPUs")));
                }
                let name = format!("{rows} rows of {entries} +-1, {} vectors, {name}", whole.block);
                clock.add("gpu terms", name, seconds, (whole.terms as f64, "terms"))?;
            }
            if count > 1 {
                let part = Sequence { block: BLOCK.div_ceil(count), ..whole };
                let matrix = GpuCopies::by_columns(&some[..1], &a, part.shape(), u64::MAX)?;
                let (seconds, _) = part.time(&matrix, false, &clock.stops())?;
                let name = format!("{rows} rows of {entries} +-1, {} vectors, 1 by columns", part.block);
                clock.add("gpu terms", name, seconds, (part.terms as f64, "terms"))?;
            }
        }
    }
    Ok(())
}

/// What is timed.
#[derive(Clone, Copy)]
struct Sequence<'a> {
    a: &'a SparseMatrix,
    modulus: Modulus,
    block: usize,
    /// Between two looks at the clock.
    terms: usize,
}

impl Sequence<'_> {
    fn shape(&self) -> GpuShape {
        GpuShape { modulus: self.modulus, block: self.block, degree: 1 }
    }

    /// Seconds of that many terms, and the first of them; of a sequence that is projected by itself, with `own`.
    fn time(&self, matrix: &GpuCopies, own: bool, observer: &dyn Observer) -> Result<(f64, Vec<u64>)> {
        let (field, rng) = (PrimeField(self.modulus), &mut Rng::seed_from_u64(2));
        let diagonals = Diagonals::random(&field, self.a.rows(), self.a.cols(), false, rng)?;
        let left: Left = match own {
            true => Gram::of(&field, &diagonals)?.into(),
            false => Projection::sparse(&field, diagonals.order(), self.block, rng)?.into(),
        };
        let mut source = GpuKrylov::new(&field, matrix, &diagonals, left, Start::Bx, rng)?;
        let mut first = vec![];
        source.extend(self.terms, &mut first, observer)?;
        let seconds = median(|| {
            let (start, mut terms) = (Instant::now(), vec![]);
            source.extend(self.terms, &mut terms, observer)?;
            Ok(start.elapsed().as_secs_f64())
        })?;
        Ok((seconds, first))
    }
}
