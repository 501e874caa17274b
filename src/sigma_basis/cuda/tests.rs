//! Order bases on the first GPU against those of the processor, bit for bit; on a machine without one the reason is
//! printed.

use super::super::products::residual_without_rounding;
use super::super::tests::{prime, series};
use super::super::{GeneratorSearch, Params, m_basis, pm_basis};
use super::*;
use crate::Silent;
use crate::field::Rng;
use crate::gpu::trials::{are_small, first_device, made};
use crate::report::ErrorBound;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

/// Kernels for these moduli and shapes on the first GPU, compiled side by side; none where there is no GPU.
fn bases(forms: &[(u64, usize, usize)]) -> Vec<GpuBases> {
    let Some(device) = first_device() else { return vec![] };
    let open = |&(p, rows, cols)| made(GpuBases::open(&device, Modulus::new(p).unwrap(), rows, cols));
    forms.par_iter().filter_map(open).collect()
}

/// Leaves and recursion, for degenerate series and shifts.
#[test]
fn bases_are_those_of_the_processor() {
    let mut rng = Rng::seed_from_u64(152);
    let forms = [
        (65521, 1, 1),
        (3, 2, 1),
        (257, 4, 2),
        (2147483647, 4, 2),
        (2, 3, 5),
        (65537, 3, 5),
        (257, 16, 8),
        (65521, 16, 8),
        (3, 16, 8),
        (257, 24, 20),
        (65521, 35, 33),
        (65521, 36, 34),
        (65521, 64, 32),
        (65537, 64, 32),
        (65521, 128, 64),
    ];
    for mut bases in bases(&forms) {
        let ((m, n), p) = (bases.shape(), bases.modulus().get());
        let field = prime(p);
        let most = bases.order;
        let orders = [0, 1, 2, most - 1, most, most + 1, 2 * most + 3, 5 * most, 150];
        for &order in if are_small() { &orders[3..7] } else { &orders } {
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

/// A search that grows by pieces ends with the same generator.
#[test]
fn generators_are_those_of_the_processor() {
    let mut rng = Rng::seed_from_u64(153);
    let forms = [(65521, 2, 1), (65521, 8, 4), (3, 16, 8), (65537, 16, 8), (65521, 64, 32)];
    for bases in bases(&forms) {
        let (s, p) = (bases.shape().1, bases.modulus().get());
        let field = prime(p);
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
            by_gpu.verify(ErrorBound::of_bits(64), &mut rng).unwrap();
            assert_eq!(by_gpu.residual_on_gpu(by_gpu.length()).unwrap(), None);
            for from in [0, 1, by_gpu.length() / 2, by_gpu.length() - 1] {
                let (left, count) = (by_gpu.left().unwrap(), by_gpu.length() - from);
                let expected = residual_without_rounding(&field, left, &by_gpu.series, from, count).unwrap();
                assert!(by_gpu.residual_on_gpu(from).unwrap() == Some(expected), "{s} mod {p}, from {from}");
            }
        }
    }
}

/// Blocks whose coefficients no thread block can hold are refused.
#[test]
fn large_blocks_are_refused() {
    let Some(device) = first_device() else { return };
    let refused = GpuBases::open(&device, Modulus::new(65521).unwrap(), 1024, 512).unwrap_err();
    assert!(matches!(&refused, Error::Device(no) if no.reason == DeviceReason::NoKernel), "{refused}");
}
