//! Order bases mod p on a CUDA GPU, against one thread of the processor: the same bits.

use super::clock::Clock;
use blackfield::field::{Field, Modulus, PrimeField, Rng};
use blackfield::gpu::Device;
use blackfield::poly::PolyMatrix;
use blackfield::sigma_basis::{GpuBases, Params, pm_basis};
use blackfield::{Error, Result};
use rand::SeedableRng;
use std::time::Instant;

/// Runs of which the best counts.
const TIMES: usize = 3;

/// Orders up to this one, for 32 columns, are compared with the processor's: it takes seconds there and not a minute.
const COMPARED: usize = 8192;

/// The columns of 2n × n series and their orders: of 32 columns, the largest is the one by which the GPU is judged.
const SERIES: [(usize, &[usize]); 4] =
    [(8, &[1024, 32768]), (16, &[1024, 32768]), (32, &[1024, 8192, 65536]), (64, &[1024, 32768])];

/// Some of all widths and lengths.
pub fn time(clock: &mut Clock, device: &Device, modulus: Modulus) -> Result<()> {
    if modulus.get() < 1 << 31 {
        for &(n, orders) in clock.pick(&[(4, &[100][..])][..], &SERIES) {
            series_of(clock, device, modulus, n, orders)?;
        }
    }
    Ok(())
}

/// 2n × n series of these orders.
fn series_of(clock: &mut Clock, device: &Device, modulus: Modulus, n: usize, orders: &[usize]) -> Result<()> {
    let field = PrimeField(modulus);
    let (m, shift, observer) = (2 * n, vec![0; 2 * n], clock.stops());
    let mut bases = GpuBases::open(device, modulus, m, n)?;
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.map_err(|e| Error::Usage(format!("a pool of one thread: {e}")))?;
    for &order in orders {
        let mut rng = Rng::seed_from_u64(7);
        let data = (0..m * n * order).map(|_| field.random(&mut rng)).collect();
        let series = PolyMatrix::from_coefficients(m, n, data);
        let name = format!("{m} x {n} of order {order} mod {modulus}");
        let mut push = |what: &str, seconds: f64| -> Result<()> {
            let work = 16.0 * (n as f64).powi(3) * order as f64 * (order as f64).log2();
            clock.add("gpu basis", format!("{name}{what}"), seconds, (work, "multiply-adds by levels"))
        };
        // The work on the card alone: it ends when the last degrees have come back.
        let given = bases.polys().upload(&field, &series, 0..order)?;
        let mut best = f64::INFINITY;
        for _ in 0..TIMES {
            let start = Instant::now();
            let found = bases.basis_of(&given, order, &shift, &observer)?;
            best = best.min(start.elapsed().as_secs_f64());
            bases.polys().recycle(found.basis);
        }
        bases.polys().recycle(given);
        push(", on the card", best)?;
        let start = Instant::now();
        let found = bases.pm_basis(&field, &series, order, &shift, &observer)?;
        push(", with copies", start.elapsed().as_secs_f64())?;
        if order * n.pow(3) > COMPARED * 32usize.pow(3) {
            continue;
        }
        let start = Instant::now();
        let expected =
            one.install(|| pm_basis(&field, &series, order, &shift, &Params::for_field(&field), &observer))?;
        push(", one thread of the processor", start.elapsed().as_secs_f64())?;
        if found != expected {
            return Err(Error::Check(format!("an order basis on a GPU: {name}")));
        }
    }
    Ok(())
}
