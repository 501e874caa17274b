//! Order bases on the first GPU against those of the processor, bit for bit; on a machine without one the reason is
//! printed.

use super::super::tests::{prime, series};
use super::super::{GeneratorSearch, Params, m_basis, pm_basis};
use super::*;
use crate::Silent;
use crate::field::Rng;
use crate::gpu::require_devices;
use rand::{RngExt, SeedableRng};

fn bases(p: u64, rows: usize, cols: usize) -> Option<GpuBases> {
    let modulus = Modulus::new(p).unwrap();
    match require_devices().and_then(|devices| GpuBases::open(&devices[0], modulus, rows, cols)) {
        Ok(bases) => Some(bases),
        Err(Error::Device(no)) if no.reason != DeviceReason::Failed => {
            eprintln!("skipped: {no}");
            None
        }
        Err(other) => panic!("{other}"),
    }
}

/// Leaves and recursion, for degenerate series and shifts.
#[test]
fn bases_are_those_of_the_processor() {
    let mut rng = Rng::seed_from_u64(152);
    for (m, n) in [(1, 1), (2, 1), (4, 2), (3, 5), (16, 8), (35, 33), (64, 32)] {
        let primes: &[u64] = if m > 16 { &[65521, 65537] } else { &[2, 3, 65521, 65537, 2147483647] };
        for &p in primes {
            let field = prime(p);
            let Some(mut bases) = bases(p, m, n) else { return };
            let most = bases.order;
            for order in [0, 1, 2, most, most + 1, 2 * most + 3, 5 * most, 150] {
                let len = if rng.random_bool(0.2) { order / 2 } else { order };
                let series = series(&field, &mut rng, m, n, len);
                let kind = rng.random_range(0..4);
                let shift: Vec<i64> = (0..m)
                    .map(|i| match kind {
                        0 => 0,
                        1 => i64::from(i >= n),
                        2 => rng.random_range(-3..4),
                        _ => rng.random_range(0..2) << 40,
                    })
                    .collect();
                let expected = if order <= most {
                    m_basis(&field, &series, order, &shift).unwrap()
                } else {
                    pm_basis(&field, &series, order, &shift, &Params { leaf: 7 }, &Silent).unwrap()
                };
                let found = bases.pm_basis(&field, &series, order, &shift, &Silent).unwrap();
                assert!(found == expected, "{m} x {n} of order {order} mod {p}, shift {shift:?}");
            }
        }
    }
}

/// A search that grows by pieces ends with the same generator.
#[test]
fn generators_are_those_of_the_processor() {
    let mut rng = Rng::seed_from_u64(153);
    for (s, p) in [(1, 65521), (4, 65521), (8, 3), (8, 65537), (32, 65521)] {
        let field = prime(p);
        let Some(bases) = bases(p, 2 * s, s) else { return };
        let mut search = GeneratorSearch::new(field, s).unwrap();
        let mut by_gpu = search.clone().on_gpu(bases);
        let terms = series(&field, &mut rng, s, s, 200);
        for piece in [&terms.data()[..90 * s * s], &terms.data()[90 * s * s..101 * s * s], &terms.data()[101 * s * s..]]
        {
            search.extend(piece, &Silent).unwrap();
            by_gpu.extend(piece, &Silent).unwrap();
            assert_eq!(by_gpu.rank_bound(), search.rank_bound(), "{s} mod {p}");
            assert_eq!(by_gpu.stable_terms(), search.stable_terms(), "{s} mod {p}");
            assert!(by_gpu.generator().unwrap() == search.generator().unwrap(), "{s} mod {p}");
        }
    }
}

/// Blocks whose coefficients no thread block can hold are refused.
#[test]
fn large_blocks_are_refused() {
    let Ok(devices) = require_devices() else { return };
    let refused = GpuBases::open(&devices[0], Modulus::new(65521).unwrap(), 1024, 512).unwrap_err();
    assert!(matches!(&refused, Error::Device(no) if no.reason == DeviceReason::NoKernel), "{refused}");
}
