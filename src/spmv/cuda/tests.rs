//! Products on the first GPU against those of the processor, bit for bit; on a machine without one the reason is
//! printed.

use super::*;
use crate::field::{ExtensionField, Field, Modulus, Rng};
use crate::gpu::trials::{first_device, made};
use crate::sparse::SparseMatrix;
use crate::spmv::{Block, DigitScaling, Plan, PlanOptions, Product};
use crate::{DeviceReason, Error};
use rand::{RngExt, SeedableRng};

/// Rows of random weight, some of them heavy, with this share of ±1.
fn matrix(p: Modulus, (rows, cols): (usize, usize), most: usize, signs: f64, rng: &mut Rng) -> SparseMatrix {
    let mut entries = Vec::new();
    for i in 0..rows {
        let count = match rng.random_range(0..40) {
            0 => rng.random_range(0..=2 * cols),
            1..4 => 0,
            _ => rng.random_range(0..=most),
        };
        for _ in 0..count {
            let v = match rng.random_bool(signs) {
                true => [1, p.get() - 1][rng.random_range(0..2)],
                false => rng.random_range(0..p.get()),
            };
            entries.push((i, rng.random_range(0..cols), v));
        }
    }
    SparseMatrix::from_triplets(p, rows, cols, &entries)
}

#[test]
fn products_are_those_of_the_processor() {
    let Some(device) = first_device() else { return };
    let mut rng = Rng::seed_from_u64(7);
    let moduli = [2, 3, 251, 257, 65521, 65537, (1 << 31) - 1, 4294967291, 4294967311, (1 << 61) - 1, (1 << 63) - 25];
    let shapes = [(1, 1), (0, 3), (3, 0), (33, 70), (1000, 300), (300, 1000), (9000, 500)];
    for p in moduli.map(|p| Modulus::new(p).unwrap()) {
        for (k, shape) in shapes.into_iter().enumerate() {
            let block = [1, 8, 64, 3, 16, 40, 100][(k + p.bits() as usize) % 7];
            let signs = [0.0, 0.5, 1.0][rng.random_range(0..3)];
            let a = match shape {
                (0, _) | (_, 0) => SparseMatrix::from_triplets(p, shape.0, shape.1, &[]),
                _ => matrix(p, shape, 12, signs, &mut rng),
            };
            compare(&device, &a, block, 1, &mut rng);
        }
    }
}

/// Rows are made in another order for many products with a large operand.
#[test]
fn many_products_are_those_of_the_processor() {
    let Some(device) = first_device() else { return };
    let (p, mut rng) = (Modulus::new((1 << 61) - 1).unwrap(), Rng::seed_from_u64(11));
    let shape = GpuShape { modulus: p, block: 256, degree: 1 };
    let (rows, cols) = (30_000, 20_000);
    let entries: Vec<_> = (0..5 * rows).map(|k| (k / 5, rng.random_range(0..cols), rng.random_range(0..3))).collect();
    let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
    let copies = GpuMatrix::for_products(&device, &a, shape, u64::MAX).unwrap();
    let one = GpuMatrix::in_one_copy(&device, &a, shape, u64::MAX).unwrap();
    let product = Product::new(&a, &Plan::choose(&a, &PlanOptions::default()).unwrap()).unwrap();
    for transpose in [false, true] {
        let (operand, result) = if transpose { (rows, cols) } else { (cols, rows) };
        let x = Block::random(shape.lane(), operand, shape.block, p, &mut rng).unwrap();
        let mut expected = Block::zeros(shape.lane(), result, shape.block).unwrap();
        match transpose {
            false => product.apply_scaled(None, &x, &mut expected).unwrap(),
            true => product.apply_transpose_scaled(None, &x, &mut expected).unwrap(),
        }
        for matrix in [&copies, &one] {
            let (mut x, mut y) = (matrix.upload(&x, transpose).unwrap(), matrix.zeros(!transpose).unwrap());
            matrix.apply(transpose, None, &mut x, &mut y).unwrap();
            assert!(matrix.download(&y, result).unwrap() == expected, "transpose: {transpose}");
        }
    }
}

#[test]
fn products_scaled_by_elements_of_extensions() {
    let Some(device) = first_device() else { return };
    let mut rng = Rng::seed_from_u64(8);
    for (p, degree) in
        [(2, 16), (2, 5), (2, 32), (2, 33), (3, 11), (251, 3), (65521, 2), (4294967291, 3), ((1 << 61) - 1, 2)]
    {
        let a = matrix(Modulus::new(p).unwrap(), (500, 300), 9, 0.5, &mut rng);
        for block in [1, 5, 16] {
            compare(&device, &a, block, degree, &mut rng);
        }
    }
}

/// A·X, D·A·X and D·Aᵀ·X.
fn compare(device: &crate::gpu::Device, a: &SparseMatrix, block: usize, degree: usize, rng: &mut Rng) {
    let p = a.modulus();
    let shape = GpuShape { modulus: p, block, degree };
    let context = format!("p = {p}, {} x {}, {} entries, {shape:?}", a.rows(), a.cols(), a.nnz());
    for in_one_copy in [false, true] {
        let on_gpu = match in_one_copy {
            false => GpuMatrix::new(device, a, shape),
            true => GpuMatrix::in_one_copy(device, a, shape, 0),
        };
        let Some(on_gpu) = made(on_gpu) else { return };
        compare_with(&on_gpu, a, &context, rng);
    }
}

fn compare_with(on_gpu: &GpuMatrix, a: &SparseMatrix, context: &str, rng: &mut Rng) {
    let (shape, p) = (on_gpu.shape(), a.modulus());
    let GpuShape { degree, .. } = shape;
    let product = Product::new(a, &Plan::choose(a, &PlanOptions::default()).unwrap()).unwrap();
    for (transpose, scaled) in [(false, false), (false, true), (true, true), (true, false)] {
        let (rows, operand) = if transpose { (a.cols(), a.rows()) } else { (a.rows(), a.cols()) };
        let x = Block::random(shape.lane(), operand, shape.width(), p, rng).unwrap();
        let residues = diagonal(p, rows, degree, rng);
        let mut expected = Block::random(shape.lane(), rows, shape.width(), p, rng).unwrap();
        let fused = (scaled && degree == 1).then_some(&residues[..]);
        match transpose {
            false => product.apply_scaled(fused, &x, &mut expected).unwrap(),
            true => product.apply_transpose_scaled(fused, &x, &mut expected).unwrap(),
        }
        if scaled && degree > 1 {
            DigitScaling::new(p, shape.lane(), degree, &residues).unwrap().apply(&mut expected);
        }
        let mut x = on_gpu.upload(&x, transpose).unwrap();
        // What the product leaves out would show.
        let poison = Block::random(shape.lane(), rows, shape.width(), p, rng).unwrap();
        let mut y = on_gpu.upload(&poison, !transpose).unwrap();
        let d = on_gpu.diagonal(&residues).unwrap();
        on_gpu.apply(transpose, scaled.then_some(&d), &mut x, &mut y).unwrap();
        let found = on_gpu.download(&y, rows).unwrap();
        let shared = on_gpu.shares_storage();
        assert!(found == expected, "{context}, transpose {transpose}, scaled {scaled}, one copy {shared}");
    }
}

/// Random non-zero entries, with the matrices of their multiplication for k > 1.
fn diagonal(p: Modulus, len: usize, degree: usize, rng: &mut Rng) -> Vec<u64> {
    if degree == 1 {
        return (0..len).map(|_| rng.random_range(1..p.get())).collect();
    }
    let field = ExtensionField::new(p, degree, rng);
    let mut residues = vec![0; len * degree * degree];
    for matrix in residues.chunks_exact_mut(degree * degree) {
        let mut power = field.random_nonzero(rng);
        for row in matrix.chunks_exact_mut(degree) {
            field.write_digits(power, row);
            power = field.mul(power, field.generator());
        }
    }
    residues
}

/// Where two copies do not fit, one serves; where that does not fit either, the reason is typed.
#[test]
fn a_limit_on_the_memory_of_the_device_holds() {
    let Some(device) = first_device() else { return };
    let mut rng = Rng::seed_from_u64(9);
    let p = Modulus::new(65521).unwrap();
    let a = matrix(p, (2000, 2000), 200, 0.5, &mut rng);
    let shape = GpuShape { modulus: p, block: 8, degree: 1 };
    let mut kinds = vec![];
    for kib in (0..12).map(|k| 1u64 << k << 2) {
        match GpuMatrix::new(&device.clone().limited(kib << 10), &a, shape) {
            Ok(matrix) => {
                kinds.push(matrix.shares_storage());
                compare_with(&matrix, &a, "in a limit", &mut rng);
            }
            Err(Error::Device(no)) if no.reason == DeviceReason::NoMemory => assert!(kinds.is_empty(), "{no}"),
            other => return drop(made(other)),
        }
    }
    assert!(kinds.len() > 1 && !kinds[kinds.len() - 1], "{kinds:?}");
    assert!(kinds.windows(2).all(|pair| pair[0] || !pair[1]), "{kinds:?}");
}

/// Random matrices over all formats, widths, primes and degrees: as many as `BLACKFIELD_GPU_HUNT` says, else a few.
#[test]
fn hunt() {
    let Some(device) = first_device() else { return };
    let count = std::env::var("BLACKFIELD_GPU_HUNT").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let seed: u64 = std::env::var("BLACKFIELD_GPU_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(14);
    let mut rng = Rng::seed_from_u64(seed);
    // Kernels are compiled for each of these.
    let primes = [2, 3, 5, 127, 251, 257, 32749, 65521, 65537, (1 << 31) - 1, 4294967291, 4294967311, (1 << 63) - 25];
    let (mut compared, mut kinds) = (0, [0; 8]);
    while compared < count {
        let p = Modulus::new(primes[rng.random_range(0..primes.len())]).unwrap();
        let block = [1, 2, 4, 8, 16, 31, 32, 64][(p.get() % 29 + seed) as usize % 8];
        let degree = if p.get() == 2 { [1, 16][rng.random_range(0..2)] } else { 1 };
        let shape = GpuShape { modulus: p, block, degree };
        let side = |rng: &mut Rng| match rng.random_range(0..8) {
            0 => rng.random_range(0..3),
            1 => rng.random_range(1000..6000),
            _ => rng.random_range(3..300),
        };
        let (rows, cols) = (side(&mut rng), side(&mut rng));
        let (most, signs) = ([0, 2, 9, 40, 200][rng.random_range(0..5)], [0.0, 0.1, 0.9, 1.0][rng.random_range(0..4)]);
        let a = match rows * cols {
            0 => SparseMatrix::from_triplets(p, rows, cols, &[]),
            _ => matrix(p, (rows, cols), most, signs, &mut rng),
        };
        let context = format!("matrix {compared}, p = {p}, {rows} x {cols}, {} entries, {shape:?}", a.nnz());
        let which = compared % 8;
        kinds[which] += 1;
        match which {
            0 | 1 => compare_with(&GpuMatrix::new(&device, &a, shape).unwrap(), &a, &context, &mut rng),
            2 => compare_with(&GpuMatrix::in_one_copy(&device, &a, shape, 0).unwrap(), &a, &context, &mut rng),
            3 => compare_with(&GpuMatrix::without_signs(&device, &a, shape).unwrap(), &a, &context, &mut rng),
            _ => {
                let formats = [GpuFormat::Coo, GpuFormat::Csr, GpuFormat::CsrWarp, GpuFormat::Ell, GpuFormat::EllR];
                let format = if which == 4 { GpuFormat::Dia } else { formats[rng.random_range(0..5)] };
                let shape = GpuShape { degree: 1, ..shape };
                compare_formatted(&device, &a, shape, format, rng.random_bool(0.5), &context, &mut rng);
            }
        }
        compared += 1;
        if compared % 50 == 0 {
            eprintln!("{compared} matrices so far");
        }
    }
    eprintln!("{compared} matrices, none different: {kinds:?}");
}

/// A·X in a format, if it suits.
fn compare_formatted(
    device: &crate::gpu::Device,
    a: &SparseMatrix,
    shape: GpuShape,
    format: GpuFormat,
    segregate: bool,
    context: &str,
    rng: &mut Rng,
) {
    let formatted = GpuFormatted::new(device, a, shape, format, segregate);
    if matches!(&formatted, Err(Error::Device(no)) if no.reason == DeviceReason::NoKernel) {
        return;
    }
    let Some(mut formatted) = made(formatted) else { return };
    let p = a.modulus();
    let x = Block::random(shape.lane(), a.cols(), shape.width(), p, rng).unwrap();
    let mut expected = Block::zeros(shape.lane(), a.rows(), shape.width()).unwrap();
    let product = Product::new(a, &Plan::choose(a, &PlanOptions::default()).unwrap()).unwrap();
    product.apply_scaled(None, &x, &mut expected).unwrap();
    let (x, mut y) = (formatted.upload(&x).unwrap(), formatted.zeros().unwrap());
    // Twice: sums that are kept must be left at 0.
    for _ in 0..2 {
        formatted.apply(&x, &mut y).unwrap();
        assert!(formatted.download(&y).unwrap() == expected, "{context}, {format:?}");
    }
}
