//! Products of polynomial matrices leave no large allocation, unless it is kept on purpose. A separate test, since the
//! figures are those of the process.
#![cfg(target_os = "linux")]

use blackfield::field::{Field, Modulus, PrimeField, Rng};
use blackfield::poly::{Kept, PolyMatrix, multiply};
use rand::SeedableRng;

/// The memory of this process in bytes.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
fn scratch_is_given_back_with_the_last_who_keeps_it() {
    const MB: usize = 1 << 20;
    let field = PrimeField(Modulus::new((1 << 61) - 1).unwrap());
    let mut rng = Rng::seed_from_u64(1);
    let mut random =
        || PolyMatrix::from_coefficients(8, 8, (0..8 * 8 * 4096).map(|_| field.random(&mut rng)).collect());
    let (a, b) = (random(), random());
    let product = |seen: &mut Option<PolyMatrix<u64>>| {
        let c = multiply(&field, &a, &b).unwrap();
        let first = seen.get_or_insert_with(|| c.clone());
        assert_eq!(c.coefficient(4095), first.coefficient(4095), "the same whatever is kept");
    };
    let mut seen = None;
    product(&mut seen);
    let before = resident();

    let (kept, other) = (Kept::new(), Kept::new());
    product(&mut seen);
    drop(other);
    let held = resident();
    assert!(held > before + 4 * MB, "buffers wait for the next product: {before} and {held} bytes");
    drop(kept.clone());
    assert!(resident() + MB > held, "as long as one keeps them");
    drop(kept);
    let after = resident();
    assert!(after < held - 4 * MB, "and no longer: {held} and {after} bytes");
    product(&mut seen);
    assert!(resident() < held - 4 * MB);
}
