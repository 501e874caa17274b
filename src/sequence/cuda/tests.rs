//! Sequences on GPUs against those of the processor, bit for bit; on a machine without one the reason is printed. Of
//! several GPUs the first one plays each.

use super::projection::compile;
use super::*;
use crate::Silent;
use crate::blackbox::Preconditioned;
use crate::field::{ExtensionField, Modulus, PrimeField};
use crate::gpu::trials::{are_small, first_device};
use crate::gpu::{Cubin, Device};
use crate::sequence::{Buckets, Gram, Krylov};
use crate::sparse::SparseMatrix;
use crate::spmv::{GpuShape, Plan, PlanOptions, Product};
use crate::{DeviceReason, Error};
use rand::{RngExt, SeedableRng};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Asks to stop each second time that it is asked.
#[derive(Default)]
struct Hasty(AtomicUsize);

impl Observer for Hasty {
    fn cancelled(&self) -> bool {
        !self.0.fetch_add(1, Ordering::Relaxed).is_multiple_of(2)
    }
}

/// The sequences of A over `field`, here and there, from the same random choices.
fn compare<F: Field>(device: &Device, field: &F, a: &SparseMatrix, block: usize, symmetric: bool, start: Start) {
    let (p, degree) = (a.modulus(), field.degree());
    let context = format!("p = {p}, k = {degree}, {} x {}, s = {block}", a.rows(), a.cols());
    let diagonals = Diagonals::random(field, a.rows(), a.cols(), symmetric, &mut Rng::seed_from_u64(11)).unwrap();
    let product = Product::new(a, &Plan::choose(a, &PlanOptions::default()).unwrap()).unwrap();
    let b = Preconditioned::new(&product, diagonals.clone()).unwrap();
    let shape = GpuShape { modulus: p, block, degree };
    let gpus = |count: usize| vec![device.clone(); count];
    let matrices = [
        GpuCopies::new(&gpus(1), a, shape, 0, false),
        GpuCopies::by_columns(&gpus(2), a, shape, 0),
        GpuCopies::by_columns(&gpus(3), a, shape, 0),
        GpuCopies::by_rows(&gpus(1), a, shape, 0),
        GpuCopies::by_rows(&gpus(2), a, shape, 0),
        GpuCopies::by_rows(&gpus(5), a, shape, 0),
    ]
    .map(Result::unwrap);
    // More terms than are copied back together.
    let many = if are_small() { 8 } else { [260, 40][usize::from(degree > 1)] };
    for (kind, counts) in [("sparse", &[1, 0, 7, many][..]), ("dense", &[1, 5]), ("own", &[2, 0, 8, many])] {
        let rng = || Rng::seed_from_u64(12);
        let left = || -> Left {
            match kind {
                "sparse" => Projection::sparse(field, diagonals.order(), block, &mut rng()).unwrap().into(),
                "dense" => Projection::dense(field, diagonals.order(), block, &mut rng()).unwrap().into(),
                _ => Gram::of(field, &diagonals).unwrap().into(),
            }
        };
        if kind == "own" && !(start == Start::Bx && GpuGram::has_kernels(shape, std::slice::from_ref(device))) {
            continue;
        }
        let further_terms = if kind == "own" { 4 } else { 3 };
        let mut here = Krylov::new(field, &b, left(), block, start, &mut rng()).unwrap();
        let mut expected = Vec::new();
        here.extend(counts.iter().sum(), &mut expected, &Silent).unwrap();
        // Another process goes on from the block of the next term, wherever that was made.
        let residues = |source: &dyn SequenceSource<F::Elem>| source.state().unwrap().unwrap().to_residues().unwrap();
        let (state, mut further) = (residues(&here), Vec::new());
        here.extend(further_terms, &mut further, &Silent).unwrap();
        let may = |matrix: &&GpuCopies| kind != "own" || GpuGram::is_for(matrix);
        for (k, matrix) in matrices.iter().step_by(1 + usize::from(are_small())).filter(may).enumerate() {
            let context = format!("{context}, {kind}, matrix {k}");
            let new = || GpuKrylov::new(field, matrix, &diagonals, left(), start, &mut rng()).unwrap();
            let (mut there, mut found) = (new(), Vec::new());
            for &count in counts {
                there.extend(count, &mut found, &Silent).unwrap();
                assert!(found[..] == expected[..found.len()], "{context}");
            }
            assert_eq!(found.len(), expected.len(), "{context}");
            assert!(residues(&there) == state, "{context}");
            // However often it is stopped, it goes on after the terms that are there.
            let (mut there, mut found, hasty) = (new(), Vec::new(), Hasty::default());
            while found.len() < expected.len() {
                let missing = (expected.len() - found.len()) / (block * block);
                let done = there.extend(missing, &mut found, &hasty);
                assert!(matches!(done, Ok(()) | Err(Error::Interrupted)), "{context}");
            }
            assert!(found == expected && residues(&there) == state, "{context}, stopped");
            let (mut again, mut found) = (new(), Vec::new());
            again.restore(&state).unwrap();
            again.extend(further_terms, &mut found, &Silent).unwrap();
            assert!(found == further, "{context}, restored");
        }
    }
}

/// Tiles of every kind, one and several of them, digits of every number, with more columns and with more rows.
#[test]
fn gram_matrices_of_every_shape() {
    let Some(device) = first_device() else { return };
    let mut rng = Rng::seed_from_u64(18);
    for (p, block) in [
        (3, 1),
        (251, 16),
        (251, 70),
        (251, 100),
        (65521, 20),
        (65521, 33),
        (65521, 64),
        (65521, 130),
        (2147483647, 33),
        (4294967291, 64),
    ] {
        let p = Modulus::new(p).unwrap();
        let (field, shape) = (PrimeField(p), GpuShape { modulus: p, block, degree: 1 });
        for (rows, cols) in [(5000, 2200), (900, 1300), (3, 1), (0, 4)] {
            let entry = |rng: &mut Rng| (rng.random_range(0..rows), rng.random_range(0..cols), p.get() - 1);
            let entries: Vec<_> = (0..3 * rows).map(|_| entry(&mut rng)).collect();
            let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
            let diagonals = Diagonals::random(&field, rows, cols, false, &mut rng).unwrap();
            let gram = || Gram::of(&field, &diagonals).unwrap();
            let product = Product::new(&a, &Plan::choose(&a, &PlanOptions::default()).unwrap()).unwrap();
            let b = Preconditioned::new(&product, diagonals.clone()).unwrap();
            let start = || Rng::seed_from_u64(19);
            let (mut expected, mut found) = (vec![], vec![]);
            let mut here = Krylov::new(&field, &b, gram(), block, Start::Bx, &mut start()).unwrap();
            here.extend(6, &mut expected, &Silent).unwrap();
            for count in [1, 2, 3] {
                let matrix = GpuCopies::by_rows(&vec![device.clone(); count], &a, shape, 0).unwrap();
                if !GpuGram::is_for(&matrix) {
                    eprintln!("skipped: no kernels mod {p} for a device of capability {:?}", device.compute_capability);
                    continue;
                }
                found.clear();
                let mut there = GpuKrylov::new(&field, &matrix, &diagonals, gram(), Start::Bx, &mut start()).unwrap();
                there.extend(2, &mut found, &Silent).unwrap();
                there.extend(4, &mut found, &Silent).unwrap();
                assert!(found == expected, "{rows} x {cols}, blocks of {block} mod {p}, {count} GPUs");
            }
        }
    }
}

/// Two GPUs share the rows of a matrix with more than a few entries each whose blocks exceed the cache, and the columns
/// of blocks that stay there, however fast copies are: the same terms.
#[test]
fn several_gpus_share_rows_or_columns() {
    let Some(device) = first_device() else { return };
    let (p, mut rng) = (Modulus::new(65521).unwrap(), Rng::seed_from_u64(15));
    let field = PrimeField(p);
    let shape = GpuShape { modulus: p, block: 64, degree: 1 };
    for (n, each, gpus_of_a_part) in [(360_000, 9, 2), (320_000, 1, 1)] {
        let entries: Vec<_> =
            (0..each * n).map(|k| (k / each, rng.random_range(0..n), rng.random_range(1..p.get()))).collect();
        let a = SparseMatrix::from_triplets(p, n, n, &entries);
        let diagonals = Diagonals::random(&field, n, n, false, &mut rng).unwrap();
        let projection = Projection::sparse(&field, n, 64, &mut rng).unwrap();
        let [one, two] = [1, 2].map(|count| {
            let copies = GpuCopies::new(&vec![device.clone(); count], &a, shape, 0, false).unwrap();
            assert!(copies.parts().all(|(_, team, _)| team.len() == gpus_of_a_part.min(count)), "{each} entries a row");
            let (mut terms, rng) = (vec![], &mut Rng::seed_from_u64(16));
            let mut source = GpuKrylov::new(&field, &copies, &diagonals, projection.clone(), Start::Bx, rng).unwrap();
            source.extend(5, &mut terms, &Silent).unwrap();
            terms
        });
        assert!(one == two, "{each} entries a row");
    }
}

/// Each row of a term is put together from the columns of all GPUs.
#[test]
fn columns_of_terms_are_put_together() {
    // Two terms of order 4 by 1, 2 and 1 columns.
    let element = |(term, row, column): (usize, usize, usize)| 100 * term + 10 * row + column;
    let part = |columns: Range<usize>| {
        let width = columns.len();
        let rows = (0..2).flat_map(|term| (0..4).map(move |row| (term, row)));
        let elements = rows.flat_map(|(term, row)| columns.clone().map(move |column| element((term, row, column))));
        (width, elements.collect::<Vec<_>>())
    };
    let mut terms = vec![7];
    put_together(&[part(0..1), part(1..3), part(3..4)], 8, &mut terms);
    let all = (0..2).flat_map(|term| (0..4).flat_map(move |row| (0..4).map(move |column| (term, row, column))));
    assert_eq!(terms, std::iter::once(7).chain(all.map(element)).collect::<Vec<_>>());
}

#[test]
fn sequences_are_those_of_the_processor() {
    let Some(device) = first_device() else { return };
    let mut rng = Rng::seed_from_u64(10);
    let fields =
        [(2, 16), (2, 7), (2, 1), (3, 11), (251, 3), (65521, 1), (65521, 2), (2147483647, 1), ((1 << 61) - 1, 1)];
    let small = usize::from(are_small());
    for (p, degree) in fields.into_iter().skip(small).step_by(1 + small) {
        let p = Modulus::new(p).unwrap();
        let shapes = if are_small() { [(90, 40), (40, 90), (50, 50)] } else { [(700, 300), (300, 700), (400, 400)] };
        for (k, (rows, cols)) in shapes.into_iter().enumerate() {
            let mut entries = Vec::new();
            for _ in 0..5 * rows {
                // A heavy row and a heavy column beside the others.
                let i = if rng.random_bool(0.1) { 3 } else { rng.random_range(0..rows) };
                let j = if rng.random_bool(0.1) { 5 } else { rng.random_range(0..cols) };
                let v = [1, p.get() - 1, rng.random_range(0..p.get())][rng.random_range(0..3)];
                entries.push((i, j, v));
                if rows == cols {
                    entries.push((j, i, v));
                }
            }
            let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
            let symmetric = rows == cols && p.get() != 2;
            let (block, start) = ([4, 9, 16][k], [Start::Bx, Start::X, Start::Bx][k]);
            match degree {
                1 => compare(&device, &PrimeField(p), &a, block, symmetric, start),
                _ => {
                    let field = ExtensionField::new(p, degree, &mut rng);
                    compare(&device, &field, &a, block, symmetric, start);
                }
            }
        }
    }
}

/// Where NVRTC is installed, the kernels compile for every storage, without warnings.
#[test]
fn kernels_compile_where_the_compiler_is() {
    for (p, block, degree) in
        [(2, 8, 16), (251, 16, 3), (65521, 32, 1), (65521, 512, 1), (4294967291, 5, 1), ((1 << 61) - 1, 512, 1)]
    {
        let whole = GpuShape { modulus: Modulus::new(p).unwrap(), block, degree };
        // All columns, and some.
        if GpuGram::has_kernels(whole, &[]) {
            compiled(p, gram::compile(whole, (9, 0)));
        }
        for shape in [whole, GpuShape { block: block.div_ceil(3), ..whole }] {
            compiled(p, compile(shape, whole, (256 / block).max(1), (9, 0)));
        }
    }
}

/// Without warnings, or there is no compiler, which is printed.
fn compiled(p: u64, done: Result<Cubin>) {
    match done {
        Ok(cubin) => assert!(!cubin.log.contains("warning"), "p = {p}: {}", cubin.log),
        Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => eprintln!("skipped: {no}"),
        Err(other) => panic!("p = {p}: {other}"),
    }
}

/// The lists name each row in the buckets that it was given, and the product with them is the projection.
#[test]
fn lists_are_the_projection() {
    let (p, n, s) = (Modulus::new(65521).unwrap(), 5000, 7);
    let field = PrimeField(p);
    let mut rng = Rng::seed_from_u64(14);
    let buckets = Buckets::random(&field, n, s, &mut rng).unwrap();
    let v = Block::random(crate::spmv::Lane::U16, n, s, p, &mut rng).unwrap();
    let (starts, rows) = buckets.lists().unwrap();
    assert_eq!((starts.len(), rows.len()), (s * buckets.pool() + 1, 3 * n));
    let mut sums = Vec::new();
    for range in starts.windows(2) {
        let of_bucket = &rows[range[0] as usize..range[1] as usize];
        assert!(of_bucket.is_sorted_by(|a, b| a < b));
        sums.extend((0..s).map(|l| of_bucket.iter().map(|&i| v.get(i as usize, l)).sum::<u64>()));
    }
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    buckets.weigh(&field, s, &sums, &mut found).unwrap();
    buckets.project(&field, &v, &mut expected).unwrap();
    assert_eq!(found, expected);
    // Some columns by themselves.
    let (columns, mut some) = (2..5, Vec::new());
    let of_columns: Vec<u64> = sums.chunks_exact(s).flat_map(|sums| sums[columns.clone()].to_vec()).collect();
    buckets.weigh(&field, columns.len(), &of_columns, &mut some).unwrap();
    assert_eq!(some, expected.chunks_exact(s).flat_map(|row| row[columns.clone()].to_vec()).collect::<Vec<_>>());
}
