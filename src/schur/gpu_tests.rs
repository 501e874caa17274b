//! Row spaces, rows and sketches of wide complements, eliminated on a GPU: what the processor finds. Without a GPU the
//! reason is printed.

use super::exploration::{Extent, RowSpaceOptions, RowSpaceStreams};
use super::{Split, every_row, row_space, sketch};
use crate::field::{Modulus, Rng};
use crate::gpu::trials::{are_small, first_device};
use crate::pivots::Pivots;
use crate::report::ErrorBound;
use crate::sparse::SparseMatrix;
use crate::{DeviceReason, Error, Silent};
use rand::{RngExt, SeedableRng};

/// Rows that repeat others or are zero, columns that are empty.
fn matrix(p: Modulus, (rows, cols): (usize, usize), weight: usize, rng: &mut Rng) -> SparseMatrix {
    let mut entries = vec![];
    for i in (0..rows).filter(|i| i % 17 != 5) {
        let mut own = Rng::seed_from_u64(if i % 4 == 3 { i as u64 - 1 } else { i as u64 });
        for _ in 0..weight {
            let j = own.random_range(0..cols);
            if j % 3 != 1 {
                entries.push((i, j, own.random_range(1..p.get())));
            }
        }
    }
    entries.push((rows / 2, rng.random_range(0..cols), 1));
    SparseMatrix::from_triplets(p, rows, cols, &entries)
}

#[test]
fn wide_eliminations_find_the_same_anywhere() {
    let Some(device) = first_device() else { return };
    let mut rng = Rng::seed_from_u64(144);
    let none = Pivots::default();
    let (divisor, count) = if are_small() { (5, 1) } else { (1, 3) };
    let cases = [(65521, (700, 4500), 9), (251, (500, 4100), 5), ((1 << 31) - 1, (400, 5000), 7)];
    for (p, (rows, cols), weight) in cases.into_iter().take(count) {
        let shape = (rows / divisor, cols);
        let a = matrix(Modulus::new(p).unwrap(), shape, weight, &mut rng);
        let split = Split::new(&a, &none).unwrap();
        let challenge = |number: u64, cols: &[u32]| Rng::seed_from_u64(number + cols.len() as u64);
        let streams = RowSpaceStreams {
            sample: Rng::seed_from_u64(1),
            exploration: Rng::seed_from_u64(2),
            challenge: &challenge,
        };
        let error = ErrorBound::of_bits(100);
        let options = RowSpaceOptions { error, rank_bound: shape.0, give_up: usize::MAX, rows: false, exceeded: 0 };
        let one = std::slice::from_ref(&device);
        let spaces = [&[][..], one].map(|devices| {
            let found = row_space(&split, options, &streams, devices, &Silent).unwrap();
            let rows = every_row(&split, shape.0, None, false, devices, &Silent).unwrap();
            assert_eq!(found.echelon.rank(), rows.echelon.rank());
            (found.echelon.pivot_cols().unwrap(), rows.rows, rows.echelon.pivot_cols().unwrap(), found.extent)
        });
        assert_eq!(spaces[0], spaces[1], "mod {p}");
    }
    if are_small() {
        // Sketches have a test of their own.
        return;
    }
    // The first sketch is wide, the next one wider.
    let p = Modulus::new(251).unwrap();
    let a = matrix(p, (2300, 9000), 6, &mut rng);
    let split = Split::new(&a, &none).unwrap();
    let challenge = |number: u64, cols: &[u32]| Rng::seed_from_u64(number + cols.len() as u64);
    let streams =
        RowSpaceStreams { sample: Rng::seed_from_u64(1), exploration: Rng::seed_from_u64(2), challenge: &challenge };
    let options = RowSpaceOptions {
        error: ErrorBound::of_bits(100),
        rank_bound: 2300,
        give_up: usize::MAX,
        rows: false,
        exceeded: 0,
    };
    let found = [None, Some(&device)].map(|device| sketch(&split, options, &streams, device, &Silent).unwrap());
    assert_eq!(found[0], found[1]);
    assert!(found[0].rank > 1000 && found[0].width >= 4096, "{:?}", found[0]);
}

/// Whatever the memory that is granted: the rank, a part of it, or too little for a beginning.
#[test]
fn sketches_end_where_the_memory_of_a_gpu_does() {
    let Some(device) = first_device() else { return };
    let (p, mut rng) = (Modulus::new(65521).unwrap(), Rng::seed_from_u64(145));
    let (rows, cols, step) = if are_small() { (600, 9000, 12) } else { (9000, 20_000, 1) };
    let (a, none) = (matrix(p, (rows, cols), 6, &mut rng), Pivots::default());
    let split = Split::new(&a, &none).unwrap();
    let challenge = |number: u64, cols: &[u32]| Rng::seed_from_u64(number + cols.len() as u64);
    let (sample, exploration) = (Rng::seed_from_u64(1), Rng::seed_from_u64(2));
    let streams = RowSpaceStreams { sample, exploration, challenge: &challenge };
    let error = ErrorBound::of_bits(100);
    let options = RowSpaceOptions { error, rank_bound: rows, give_up: usize::MAX, rows: false, exceeded: 0 };
    let whole = sketch(&split, options, &streams, Some(&device), &Silent).unwrap();
    let (mut parts, mut last) = (0, None);
    // From 1 MB to 3 GB, by factors of 3/2 and 4/3.
    for bytes in (0..24).step_by(step).map(|k| (2 + k % 2) << (19 + k / 2)) {
        match sketch(&split, options, &streams, Some(&device.clone().limited(bytes)), &Silent) {
            Ok(found) if found.extent == Extent::Part => {
                assert!(0 < found.rank && found.rank <= whole.rank, "{bytes} bytes: {found:?}");
                parts += 1;
            }
            Ok(found) => last = Some(found),
            Err(Error::Device(no)) => assert_eq!(no.reason, DeviceReason::NoMemory, "{no}"),
            Err(other) => panic!("{bytes} bytes: {other}"),
        }
    }
    assert!((parts > 0 || are_small()) && last == Some(whole), "{parts} parts, at last {last:?}, {whole:?}");
}
