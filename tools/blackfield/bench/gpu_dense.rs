//! Dense products mod p on a CUDA GPU, and ranks on one and on several, timed by the events of the first.

use super::clock::Clock;
use blackfield::dense::{GpuDense, GpuField, GpuPanels, GpuScratch, GpuTeam, gemm};
use blackfield::field::{Modulus, Rng};
use blackfield::gpu::Device;
use blackfield::{Error, Result};
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use std::ops::Range;

/// Runs of which the median counts, after one to warm up; of what takes long, fewer.
const TIMES: usize = 5;
const FEW_TIMES: usize = 3;
/// Seconds that are long.
const LONG: f64 = 1.0;
/// Rows of a matrix that lie together.
const BAND: usize = 1 << 14;
/// Vectors that check a product.
const VECTORS: usize = 8;

/// Products, and ranks of products L·R whose rank is known: L begins with a unit lower triangle, R with a unit upper
/// one.
pub fn time(clock: &mut Clock, devices: &[Device], modulus: Modulus, products: bool, ranks: bool) -> Result<()> {
    if modulus.get() >= 1 << 32 {
        return Ok(());
    }
    let (device, field) = (&devices[0], GpuField::open(&devices[0], modulus)?);
    let mut scratch = GpuScratch::default();
    if products {
        small(&field, &mut scratch)?;
        for &n in clock.pick(&[300][..], &[4096, 8192, 16384][..]) {
            product(clock, device, &field, &mut scratch, n)?;
        }
    }
    if ranks {
        let mut fields = vec![field];
        for device in &devices[1..] {
            fields.push(GpuField::open(device, modulus)?);
        }
        let sizes = [(8192, 8192), (16384, 12000), (32768, 32768), (65536, 65536), (100_000, 100_000)];
        let fit = sizes.iter().filter(|&&(n, _)| room(n, modulus) <= device.memory).count();
        for &(n, rank) in clock.pick(&[(500, 400)][..], &sizes[..fit]) {
            self::rank(clock, &fields, &mut scratch, (n, rank))?;
        }
    }
    Ok(())
}

/// Bytes on a GPU that a rank of this size takes, at most: the matrix, its basis, and what products are packed to.
fn room(n: usize, modulus: Modulus) -> u64 {
    let residue = [1, 2, 4, 4][((64 - modulus.get().leading_zeros()).div_ceil(8) as usize - 1).min(3)];
    3 * residue * (n as u64).pow(2)
}

/// Some rows of a matrix of what `entry` makes of row, column and a random residue.
fn entries(
    p: Modulus,
    (rows, cols): (Range<usize>, usize),
    seed: u64,
    entry: impl Fn(usize, usize, u64) -> u64 + Sync,
) -> Vec<u32> {
    let mut data = vec![0u32; rows.len() * cols];
    data.par_chunks_mut(cols.max(1)).zip(rows).for_each(|(row, i)| {
        let mut rng = Rng::seed_from_u64(seed);
        rng.set_stream(i as u64);
        row.iter_mut().enumerate().for_each(|(j, x)| *x = entry(i, j, rng.random_range(0..p.get())) as u32);
    });
    data
}

fn uniform(field: &GpuField, rows: usize, cols: usize, seed: u64) -> Result<GpuDense> {
    field.upload(rows, cols, &entries(field.modulus(), (0..rows, cols), seed, |_, _, x| x))
}

fn wrong(what: &str) -> Error {
    Error::Check(format!("a wrong answer of {what} on a GPU"))
}

/// A product against the processor's.
fn small(field: &GpuField, scratch: &mut GpuScratch) -> Result<()> {
    let (m, k, n) = (130, 517, 261);
    let (a, b) = (uniform(field, m, k, 1)?, uniform(field, k, n, 2)?);
    let mut c = field.zeros(m, n)?;
    field.multiply(scratch, &mut c, &a, &b)?;
    let mut expected = vec![0; m * n];
    gemm(field.modulus(), m, k, n, &a.download(field)?, &b.download(field)?, &mut expected)?;
    if c.download(field)? == expected { Ok(()) } else { Err(wrong("a dense product")) }
}

/// The median of several runs by the device's events.
fn median(field: &GpuField, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut once = || {
        let begin = field.stream().mark()?;
        run()?;
        field.stream().mark()?.seconds_since(&begin)
    };
    let times = if once()? < LONG { TIMES } else { FEW_TIMES };
    let mut seconds = (0..times).map(|_| once()).collect::<Result<Vec<f64>>>()?;
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[times / 2])
}

/// int8 multiply-adds a second of the tensor cores, by the data sheet of an H100, where that is what it is: 4096 for
/// each multiprocessor and clock, at 1.83 GHz.
fn peak(device: &Device) -> Option<f64> {
    (device.compute_capability == (9, 0)).then(|| f64::from(device.multiprocessors) * 4096.0 * 1.83e9)
}

fn product(clock: &mut Clock, device: &Device, field: &GpuField, scratch: &mut GpuScratch, n: usize) -> Result<()> {
    let (a, b) = (uniform(field, n, n, 1)?, uniform(field, n, n, 2)?);
    let mut c = field.zeros(n, n)?;
    let seconds = median(field, || field.multiply(scratch, &mut c, &a, &b))?;
    // C·X = A·(B·X) for random X: wrong with probability p^-8 at most, if these thin products are right.
    let x = uniform(field, n, VECTORS, 3)?;
    let mut thin = |a: &GpuDense, x: &GpuDense| -> Result<GpuDense> {
        let mut y = field.zeros(n, VECTORS)?;
        field.multiply(scratch, &mut y, a, x)?;
        Ok(y)
    };
    let twin = thin(&b, &x)?;
    let (found, expected) = (thin(&c, &x)?, thin(&a, &twin)?);
    let mut name = format!("{n} x {n} x {n} mod {}", field.modulus());
    if found.download(field)? != expected.download(field)? {
        return Err(wrong(&name));
    }
    let work = (n as f64).powi(3);
    let digits = [1.0, 2.0, 4.0, 4.0][((64 - field.modulus().get().leading_zeros()).div_ceil(8) as usize - 1).min(3)];
    if let Some(peak) = peak(device) {
        name += &format!(", {:.0} % of the int8 peak", 100.0 * digits * digits * work / seconds / peak);
    }
    clock.add("gpu dense", name, seconds, (work, "multiply-adds"))?;
    Ok(())
}

fn rank(clock: &mut Clock, fields: &[GpuField], scratch: &mut GpuScratch, (n, rank): (usize, usize)) -> Result<()> {
    let (field, p) = (&fields[0], fields[0].modulus());
    let upper = entries(p, (0..rank, n), 6, |k, i, x| if i == k { 1 } else { x * u64::from(i > k) });
    let upper = field.upload(rank, n, &upper)?;
    let mut bands = vec![];
    for first in (0..n).step_by(BAND) {
        let rows = first..n.min(first + BAND);
        let lower = entries(p, (rows.clone(), rank), 5, |i, k, x| if i == k { 1 } else { x * u64::from(i > k) });
        let (lower, mut band) = (field.upload(rows.len(), rank, &lower)?, field.zeros(rows.len(), n)?);
        field.multiply(scratch, &mut band, &lower, &upper)?;
        bands.push(band);
    }
    *scratch = GpuScratch::default();
    drop(upper);
    let name = format!("rank {rank} of {n} x {n} mod {p}");
    let (m, r) = (n as f64, rank as f64);
    let work = r * r * (m / 2.0 - r / 6.0) + (m - r) * r * (m - r / 2.0);
    let mut found = vec![];
    let seconds = median(field, || {
        let mut panels = GpuPanels::new(field, n, rank, false)?;
        bands.iter().try_for_each(|band| panels.absorb(band))?;
        found = panels.found_cols().to_vec();
        if panels.rank() == rank { Ok(()) } else { Err(wrong(&name)) }
    })?;
    clock.add("gpu ranks", name.clone(), seconds, (work, "multiply-adds"))?;
    if fields.len() > 1 {
        let mut members = 0;
        let seconds = median(field, || {
            let mut team = GpuTeam::new(fields, n, rank)?;
            bands.iter().try_for_each(|band| team.absorb(band))?;
            members = team.members();
            if team.found_cols() == found { Ok(()) } else { Err(wrong(&format!("{name}, of a team"))) }
        })?;
        clock.add("gpu ranks", format!("{name}, on {members}"), seconds, (work, "multiply-adds"))?;
    }
    Ok(())
}
