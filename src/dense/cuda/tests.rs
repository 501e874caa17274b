//! Products and echelon forms on the first GPU against those of the processor, bit for bit; on a machine without one
//! the reason is printed.

use super::product::Sign;
use super::*;
use crate::Silent;
use crate::dense::{Echelon, gemm};
use crate::field::{Modulus, Rng};
use crate::gpu::trials::{are_small, first_device, made};
use crate::gpu::{Device, require_devices};
use rand::{RngExt, SeedableRng};

const PRIMES: [u64; 9] = [2, 3, 5, 251, 257, 65521, 65537, (1 << 31) - 1, 4294967291];

fn fields(device: &Device, p: u64) -> Vec<GpuField> {
    let modulus = Modulus::new(p).unwrap();
    let hopper = super::source::Form::is_hopper(device.compute_capability);
    let kinds = if hopper { vec![true, false] } else { vec![false] };
    kinds.into_iter().filter_map(|hopper| made(GpuField::with(device, modulus, hopper))).collect()
}

/// Residues whose digits are the largest, or as they come.
fn entries(p: u64, count: usize, extreme: bool, rng: &mut Rng) -> Vec<u64> {
    let edges = [0, 1, p - 1, p / 2, p / 2 + 1, p.saturating_sub(128), p.saturating_sub(32896), 127, 32639];
    (0..count)
        .map(|_| if extreme { edges[rng.random_range(0..edges.len())] % p } else { rng.random_range(0..p) })
        .collect()
}

#[test]
fn products_are_those_of_the_processor() {
    let Some(device) = first_device() else { return };
    let mut rng = Rng::seed_from_u64(141);
    let shapes = [
        (0, 3, 5),
        (3, 0, 5),
        (3, 5, 0),
        (1, 1, 1),
        (3, 5, 7),
        (64, 64, 256),
        (65, 300, 257),
        (129, 700, 517),
        (300, 129, 33),
        (70, 350, 300),
        (2, 20000, 3),
    ];
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        for field in fields(&device, p) {
            let mut scratch = GpuScratch::default();
            for (number, (m, k, n)) in shapes.into_iter().enumerate() {
                let extreme = number % 2 == 1;
                let a = entries(p, m * k, extreme, &mut rng);
                let b = entries(p, k * n, extreme, &mut rng);
                let c = entries(p, m * n, extreme, &mut rng);
                let mut product = vec![0; m * n];
                gemm(modulus, m, k, n, &a, &b, &mut product).unwrap();
                let (on_a, on_b) = (field.upload(m, k, &a).unwrap(), field.upload(k, n, &b).unwrap());
                for sign in [Sign::Set, Sign::Subtract] {
                    let mut on_c = field.upload(m, n, &c).unwrap();
                    field.product(&mut scratch, sign, &mut on_c, &on_a, &on_b).unwrap();
                    let of = |(&c, &x): (&u64, &u64)| match sign {
                        Sign::Set => x,
                        Sign::Subtract => modulus.sub(c, x),
                    };
                    let expected: Vec<u64> = c.iter().zip(&product).map(of).collect();
                    assert!(on_c.download(&field).unwrap() == expected, "{m} x {k} x {n} mod {p}, {sign:?}");
                }
            }
        }
    }
}

/// A matrix of at most this rank, with zero rows and columns, repeated rows, and columns that come late.
fn degenerate(p: Modulus, (m, n, rank): (usize, usize, usize), kind: usize, rng: &mut Rng) -> Vec<u64> {
    let mut x = entries(p.get(), m * rank, false, rng);
    let mut y = entries(p.get(), rank * n, false, rng);
    let share = [1.0, 0.5, 0.1][kind % 3];
    if share < 1.0 {
        x.chunks_mut(rank.max(1)).filter(|_| rng.random_bool(0.2)).for_each(|row| row.fill(0));
        y.iter_mut().filter(|_| !rng.random_bool(share)).for_each(|y| *y = 0);
        (0..n).filter(|_| rng.random_bool(0.3)).for_each(|j| (0..rank).for_each(|i| y[i * n + j] = 0));
    }
    let mut a = vec![0; m * n];
    gemm(p, m, rank, n, &x, &y, &mut a).unwrap();
    if kind % 3 == 2 && m > 4 {
        // The first columns are those of the last row alone.
        (0..m - 1).for_each(|i| a[i * n..i * n + n / 3].fill(0));
    }
    a
}

/// Has both absorb the rows of an m × n matrix, so many in a step: profiles and orthogonal vectors are the same.
fn absorb_both(
    (by_gpu, twin): (&mut Echelon, &mut Echelon),
    a: &[u64],
    (m, n): (usize, usize),
    step: usize,
    context: &str,
) {
    for rows in (0..m).step_by(step).map(|i| i..m.min(i + step)) {
        let data = &a[rows.start * n..rows.end * n];
        let added = by_gpu.absorb_block(rows.len(), data, &Silent).unwrap();
        assert_eq!(added, twin.absorb_block(rows.len(), data, &Silent).unwrap(), "{context}");
    }
    assert_eq!((by_gpu.rank(), by_gpu.rows_seen()), (twin.rank(), m), "{context}");
    assert_eq!(by_gpu.pivot_rows(), twin.pivot_rows(), "{context}");
    assert_eq!(by_gpu.pivot_cols().unwrap(), twin.pivot_cols().unwrap(), "{context}");
    let vectors = |echelon: &Echelon| echelon.orthogonal(3, &mut Rng::seed_from_u64(9)).unwrap();
    assert!(vectors(by_gpu) == vectors(twin), "{context}");
}

fn assert_same_form(by_gpu: Echelon, twin: Echelon, context: &str) {
    let (by_gpu, twin) = (by_gpu.reduced().unwrap(), twin.reduced().unwrap());
    assert_eq!(by_gpu.pivot_cols(), twin.pivot_cols(), "{context}");
    let free = |reduced: &crate::dense::Reduced| reduced.column_block(0..reduced.free_cols().len()).unwrap();
    assert!(free(&by_gpu) == free(&twin), "{context}");
}

/// Moduli of echelon forms: digits of every number.
fn primes_of_forms() -> impl Iterator<Item = u64> {
    PRIMES.into_iter().filter(|&p| p > 3 && (!are_small() || [251, 65521, 4294967291].contains(&p)))
}

/// The shapes of a test, numbered.
fn some_shapes(shapes: &[(usize, usize, usize)]) -> impl Iterator<Item = (usize, (usize, usize, usize))> {
    let most = if are_small() { 1 << 18 } else { usize::MAX };
    shapes.iter().copied().enumerate().filter(move |(_, (m, n, _))| m * n <= most)
}

#[test]
fn echelon_forms_are_those_of_the_processor() {
    let Some(device) = first_device() else { return };
    let mut rng = Rng::seed_from_u64(142);
    let shapes = [
        (0, 3, 0),
        (3, 0, 0),
        (1, 1, 0),
        (1, 1, 1),
        (5, 3, 2),
        (3, 40, 3),
        (70, 33, 20),
        (33, 70, 33),
        (300, 20, 7),
        (300, 400, 290),
        (2100, 700, 600),
        (600, 1900, 600),
        (1500, 1500, 1499),
        (1100, 120, 100),
    ];
    for p in primes_of_forms() {
        let modulus = Modulus::new(p).unwrap();
        for (number, shape) in some_shapes(&shapes) {
            let (m, n, _) = shape;
            let a = degenerate(modulus, shape, number + p as usize, &mut rng);
            let Some(field) = fields(&device, p).pop() else { return };
            let mut by_gpu = Echelon::on_gpu(&field, n, true).unwrap();
            let mut twin = Echelon::with_multipliers(modulus, n).unwrap();
            // In steps that are no panels.
            let (step, context) = ([m.max(1), 37, 256, 1000][number % 4], format!("{shape:?} mod {p}"));
            absorb_both((&mut by_gpu, &mut twin), &a, (m, n), step, &context);
            let factors = by_gpu.factors().unwrap().expect("rows are kept");
            let s = factors.order();
            let right = entries(p, s * 2, false, &mut rng);
            let x = factors.solve(&right, 2).unwrap();
            let minor: Vec<u64> = factors
                .rows()
                .iter()
                .flat_map(|&i| factors.cols().iter().map(move |&j| (i, j)))
                .map(|(i, j)| a[i * n + j as usize])
                .collect();
            let mut back = vec![0; s * 2];
            gemm(modulus, s, s, 2, &minor, &x, &mut back).unwrap();
            assert!(back == right, "{context}");
            assert_same_form(by_gpu, twin, &context);
        }
    }
}

/// Several GPUs, or one several times, make what one makes.
#[test]
fn echelon_forms_of_a_team_are_those_of_the_processor() {
    let Some(devices) = made(require_devices()) else { return };
    let mut rng = Rng::seed_from_u64(145);
    let shapes =
        [(0, 3, 0), (3, 1, 1), (300, 255, 100), (70, 600, 33), (2100, 700, 600), (600, 1900, 600), (1500, 1500, 1499)];
    for p in primes_of_forms() {
        let modulus = Modulus::new(p).unwrap();
        let each = devices.iter().map(|device| fields(device, p).pop()).collect::<Option<Vec<GpuField>>>();
        let Some(each) = each else { return };
        for (number, shape) in some_shapes(&shapes) {
            let (m, n, _) = shape;
            let a = degenerate(modulus, shape, number + p as usize, &mut rng);
            for members in if are_small() { &[3][..] } else { &[1, 2, 3, 5] }.iter().copied() {
                let team: Vec<GpuField> = (0..members).map(|k| each[k % each.len()].clone()).collect();
                let mut by_team = Echelon::on_gpus(&team, n).unwrap();
                let mut twin = Echelon::new(modulus, n).unwrap();
                let (step, context) =
                    ([m.max(1), 37, 256, 1000][number % 4], format!("{shape:?} mod {p} on {members}"));
                absorb_both((&mut by_team, &mut twin), &a, (m, n), step, &context);
                assert_same_form(by_team, twin, &context);
            }
        }
    }
}

/// Sparse rows, and moduli that the kernels are not for.
#[test]
fn sparse_rows_are_absorbed_and_large_moduli_refused() {
    let Some(device) = first_device() else { return };
    let mut rng = Rng::seed_from_u64(143);
    let modulus = Modulus::new(65521).unwrap();
    let rows: Vec<(Vec<u32>, Vec<u64>)> = (0..500)
        .map(|_| {
            let mut columns: Vec<u32> = (0..3).map(|_| rng.random_range(0..400)).collect();
            columns.sort_unstable();
            columns.dedup();
            let values = columns.iter().map(|_| rng.random_range(0..65521)).collect();
            (columns, values)
        })
        .collect();
    let rows: Vec<_> = rows.iter().map(|(columns, values)| (&columns[..], &values[..])).collect();
    let Some(field) = fields(&device, 65521).pop() else { return };
    let mut by_gpu = Echelon::on_gpu(&field, 400, false).unwrap();
    let mut twin = Echelon::new(modulus, 400).unwrap();
    by_gpu.absorb(&rows, &Silent).unwrap();
    twin.absorb(&rows, &Silent).unwrap();
    assert_eq!((by_gpu.pivot_rows(), by_gpu.rank()), (twin.pivot_rows(), twin.rank()));
    assert_eq!(by_gpu.pivot_cols().unwrap(), twin.pivot_cols().unwrap());
    assert!(by_gpu.factors().unwrap().is_none());
    let large = Modulus::new((1 << 61) - 1).unwrap();
    let refused = GpuField::open(&device, large).unwrap_err().to_string();
    assert!(refused.contains("primes below 2^32"), "{refused}");
}

/// Rows that are made on the GPU: columns of a block, sums of columns, some of the rows; and solutions with an inverse.
#[test]
fn rows_are_made_of_what_is_there() {
    let Some(device) = first_device() else { return };
    let mut rng = Rng::seed_from_u64(143);
    for p in [5, 251, 65521, (1 << 31) - 1, 4294967291] {
        let modulus = Modulus::new(p).unwrap();
        let Some(field) = fields(&device, p).pop() else { continue };
        for (height, width, count, narrow) in [(0, 16, 5, 0), (1, 16, 16, 1), (96, 32, 7, 32), (512, 64, 64, 64)] {
            let residues = entries(p, height * width, height > 100, &mut rng);
            let block = field.upload(height, width, &residues).unwrap();
            let rows = field.turned(&block.words, (height, width), count).unwrap();
            let expected: Vec<u64> = (0..count * height).map(|k| residues[k % height * width + k / height]).collect();
            assert_eq!(rows.download(&field).unwrap(), expected, "{count} of {height} x {width} mod {p}");
            let lines: Vec<u32> = (0..count as u32).filter(|i| i % 3 != 1).rev().collect();
            let chosen = field.chosen(&rows, &lines).unwrap().download(&field).unwrap();
            let line = |&i: &u32| expected[i as usize * height..][..height].to_vec();
            assert_eq!(chosen, lines.iter().flat_map(line).collect::<Vec<u64>>(), "rows mod {p}");
            if narrow > 0 {
                let sums = field.narrowed(&rows, narrow).unwrap().download(&field).unwrap();
                let sum = |k: usize| {
                    let line = &expected[k / narrow * height..][..height];
                    line[k % narrow..].iter().step_by(narrow).fold(0, |sum, &x| modulus.add(sum, x))
                };
                assert_eq!(sums, (0..count * narrow).map(sum).collect::<Vec<u64>>(), "{height} to {narrow} mod {p}");
            }
        }
        // Rows of which some depend on others, so that M is a part of them.
        let (m, n, right) = (70, 40, 3);
        let mut rows = entries(p, m * n, false, &mut rng);
        rows.copy_within(0..5 * n, 9 * n);
        let mut echelon = Echelon::on_gpu(&field, n, true).unwrap();
        assert_eq!(echelon.gpu().map(GpuField::modulus), Some(modulus));
        echelon.absorb_on_gpu(&field.upload(m, n, &rows).unwrap(), &Silent).unwrap();
        let (inverse, order) = (echelon.inverse_on_gpu().unwrap().unwrap(), echelon.rank());
        let minor: Vec<u64> = echelon
            .pivot_rows()
            .iter()
            .flat_map(|&i| echelon.found_cols().iter().map(move |&j| (i, j)))
            .map(|(i, j)| rows[i * n + j as usize])
            .collect();
        let b = entries(p, order * right, false, &mut rng);
        let (x, mut product) = (inverse.solve(&b, right).unwrap(), vec![0; order * right]);
        gemm(modulus, order, order, right, &minor, &x, &mut product).unwrap();
        assert_eq!(product, b, "mod {p}");
        let other = Echelon::on_gpu(&field, n, false).unwrap();
        assert!(other.inverse_on_gpu().unwrap().is_none());
        assert!(Echelon::new(modulus, n).unwrap().gpu().is_none());
    }
}
