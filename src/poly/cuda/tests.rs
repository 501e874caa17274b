//! Products on the first GPU against those of the processor, bit for bit; on a machine without one the reason is
//! printed.

use super::*;
use crate::field::{Modulus, PrimeField, Rng};
use crate::gpu::trials::{are_small, first_device, made};
use crate::poly::{PolyMatrix, middle_product};
use crate::{DeviceReason, Error};
use rand::{RngExt, SeedableRng};

fn polys(p: u64) -> Option<GpuPolys> {
    made(GpuPolys::open(&first_device()?, Modulus::new(p).unwrap()))
}

fn matrix(p: u64, (rows, cols, len): (usize, usize, usize), extreme: bool, rng: &mut Rng) -> PolyMatrix<u64> {
    let mut matrix = PolyMatrix::zeros(rows, cols, len).unwrap();
    matrix.data_mut().iter_mut().for_each(|x| *x = if extreme { p - 1 } else { rng.random_range(0..p) });
    matrix
}

/// All lengths about the borders of methods, passes and wrapped products, with entries as large as they get.
#[test]
fn products_are_those_of_the_processor() {
    let mut rng = Rng::seed_from_u64(151);
    let shapes = [
        (1, 1, 1, 1, 1, 0, 1),
        (3, 4, 2, 5, 7, 0, 11),
        (4, 4, 4, 5, 5, 1, 7),
        (2, 3, 2, 4, 9, 20, 5),
        (2, 3, 2, 20, 30, 60, 5),
        (65, 33, 34, 13, 14, 3, 20),
        (2, 300, 2, 17, 17, 0, 33),
        (3, 2, 5, 17, 17, 0, 33),
        (2, 2, 2, 33, 64, 32, 32),
        (16, 16, 8, 65, 65, 0, 129),
        (2, 1, 2, 1000, 1100, 0, 2099),
        (2, 2, 1, 2049, 2049, 0, 4097),
        (1, 1, 1, 20000, 40000, 20000, 20000),
        (64, 64, 32, 33, 96, 32, 64),
        (2, 2, 2, 30, 30, 0, 70),
    ];
    let primes = [2, 3, 251, 65521, 65537, 268435459, 2147483647];
    let (step, repeats, longest) = if are_small() { (3, 1, 2100) } else { (1, 2, usize::MAX) };
    for p in primes.into_iter().step_by(step) {
        let Some(mut polys) = polys(p) else { return };
        let field = PrimeField(Modulus::new(p).unwrap());
        for (number, (m, k, n, la, lb, lo, len)) in shapes.into_iter().enumerate().filter(|(_, s)| s.6 < longest) {
            let a = matrix(p, (m, k, la), number % 3 == 2, &mut rng);
            let b = matrix(p, (k, n, lb), number % 3 == 2, &mut rng);
            let expected = middle_product(&field, &a, &b, lo, len).unwrap();
            // Not from the first coefficient on.
            let mut longer = matrix(p, (k, n, 2), false, &mut rng);
            longer.extend(b.data()).unwrap();
            let on_a = polys.upload(&field, &a, 0..la).unwrap();
            let on_b = polys.upload(&field, &longer, 0..lb + 2).unwrap();
            for _ in 0..repeats {
                let product = polys.product(on_a.all(), on_b.part(2..lb + 2), lo, len).unwrap();
                let found = polys.download(&field, &product).unwrap();
                assert!(found == expected, "{m} x {k} x {n} of {la} and {lb}, {lo} .. +{len} mod {p}");
                // Memory is used again with what it had.
                polys.recycle(product);
            }
        }
        for (la, lb, len) in [(0, 3, 4), (3, 0, 4), (3, 3, 0)] {
            let (a, b) = (polys.zeros(2, 2, la).unwrap(), polys.zeros(2, 2, lb).unwrap());
            let product = polys.product(a.all(), b.all(), 0, len).unwrap();
            assert_eq!(polys.download(&field, &product).unwrap(), PolyMatrix::zeros(2, 2, len).unwrap());
        }
    }
}

/// A product beyond what the kernels count with is refused, not computed.
#[test]
fn products_that_are_too_large_are_refused() {
    let Some(mut polys) = polys(3) else { return };
    let a = polys.zeros(1, 1, 3 << 20).unwrap();
    let refused = polys.product(a.all(), a.all(), 0, 3 << 20).unwrap_err();
    assert!(matches!(&refused, Error::Device(no) if no.reason == DeviceReason::NoMemory), "{refused}");
}
