//! Kernels against products and ranks by dense elimination.

use super::rank::{Method, RankOptions};
use super::*;
use crate::Silent;
use crate::certify::Certainty;
use crate::cost::{Kind, Machine};
use crate::dense::DenseMatrix;
use crate::families;
use crate::field::{Modulus, PrimeField, Rng};
use crate::oracles::dense_rank;
use crate::sparse::SparseMatrix;
use rand::{RngExt, SeedableRng};

/// Checks that the rows of `vectors` are mapped to zero by `a`.
fn check(a: &SparseMatrix, vectors: &SparseMatrix) {
    let p = a.modulus();
    for k in 0..vectors.rows() {
        let mut x = vec![0; a.cols()];
        vectors.row(k).0.iter().zip(vectors.row(k).1).for_each(|(&j, &v)| x[j as usize] = v);
        for i in 0..a.rows() {
            let (cols, values) = a.row(i);
            let terms = cols.iter().zip(values).map(|(&j, &v)| p.mul(v, x[j as usize]));
            assert_eq!(terms.fold(0, |sum, term| p.add(sum, term)), 0, "row {i}, vector {k} mod {p}");
        }
    }
}

/// The basis of a kernel, checked: it is mapped to zero, is the identity in the free columns, and is complete.
fn checked(a: &SparseMatrix, options: &KernelOptions) -> SparseMatrix {
    let upright = if options.left { a.transpose().unwrap() } else { a.try_clone().unwrap() };
    let kernel = kernel(a, options, &Silent).unwrap();
    let basis = kernel.basis_matrix(&Silent).unwrap();
    assert_eq!((kernel.coordinates(), basis.cols()), (upright.cols(), upright.cols()));
    let rank = dense_rank(&upright);
    assert_eq!((kernel.rank().rank, kernel.dimension()), (rank, upright.cols() - rank), "{:?}", kernel.rank().path);
    assert_eq!(basis.rows(), kernel.dimension());
    check(&upright, &basis);
    let free = kernel.free().unwrap();
    assert!(free.is_sorted());
    for k in 0..basis.rows() {
        let in_free = basis.row(k).0.iter().zip(basis.row(k).1).filter(|(j, _)| free.binary_search(j).is_ok());
        assert_eq!(in_free.collect::<Vec<_>>(), [(&free[k], &1)]);
    }
    basis
}

fn random(p: Modulus, rows: usize, cols: usize, nnz: usize, rng: &mut Rng) -> SparseMatrix {
    let entry = |_| (rng.random_range(0..rows), rng.random_range(0..cols), rng.random_range(0..p.get()));
    let entries: Vec<_> = (0..nnz).map(entry).collect();
    SparseMatrix::from_triplets(p, rows, cols, &entries)
}

fn options(left: bool, machine: &Machine) -> KernelOptions {
    KernelOptions::default().left(left).rank(RankOptions::default().machine(machine.clone()))
}

/// Prices that lead to every way of finishing.
fn machines() -> Vec<Machine> {
    let machine = Machine::reference();
    let cheap = |kind| machine.scaled(kind, 1e-6);
    let formed = cheap(Kind::Sparse).scaled(Kind::Passes, 1e6).scaled(Kind::Dense, 1e6);
    vec![machine.clone(), cheap(Kind::Passes), cheap(Kind::Dense), cheap(Kind::Sparse), formed]
}

#[test]
fn kernels_of_random_matrices_from_both_sides() {
    let mut rng = Rng::seed_from_u64(31);
    for p in [2, 3, 5, 251, 65521, (1 << 31) - 1, 4_294_967_291, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
        for (rows, cols, nnz) in [
            (0, 0, 0),
            (0, 7, 0),
            (7, 0, 0),
            (3, 4, 0),
            (1, 1, 1),
            (20, 60, 45),
            (60, 20, 90),
            (40, 40, 40),
            (150, 170, 500),
            (90, 120, 5000),
        ] {
            let a = random(p, rows, cols, nnz, &mut rng);
            for machine in machines() {
                for left in [false, true] {
                    let _ = checked(&a, &options(left, &machine));
                }
            }
        }
    }
}

#[test]
fn kernels_of_boundary_matrices_through_several_complements() {
    let mut floors = std::collections::BTreeSet::new();
    for p in [2, 3, 65521, (1 << 61) - 1].map(|p| Modulus::new(p).unwrap()) {
        for name in ["mk7-b2", "ch5-5-b2", "bibd_9_5", "kneser_6_2_1"] {
            let a = families::generate(name).unwrap().reduce(p);
            for left in [false, true] {
                let machine = machines().pop().expect("there is one");
                let options = options(left, &machine);
                let kernel = kernel(&a, &options, &Silent).unwrap();
                floors.insert(kernel.rank().path.iter().filter(|step| step.name == "Schur complement").count());
                let _ = checked(&a, &options);
            }
        }
    }
    assert!(floors.len() > 1, "{floors:?}");
}

/// Duplicate rows, zero lines and low rank, with a complement that repeats itself.
#[test]
fn repeated_lines_have_kernels() {
    let mut rng = Rng::seed_from_u64(32);
    for p in [2, 65521].map(|p| Modulus::new(p).unwrap()) {
        let few = random(p, 12, 30, 60, &mut rng);
        let mut entries = vec![];
        for i in 0..200 {
            let from = rng.random_range(0..14);
            if from < 12 {
                let by = rng.random_range(1..p.get());
                let (cols, values) = few.row(from);
                entries.extend(cols.iter().zip(values).map(|(&j, &v)| (i, 2 * j as usize, p.mul(v, by))));
            }
        }
        let a = SparseMatrix::from_triplets(p, 200, 60, &entries);
        for left in [false, true] {
            let _ = checked(&a, &KernelOptions::default().left(left));
        }
    }
}

#[test]
fn random_vectors_span_the_kernel() {
    let mut rng = Rng::seed_from_u64(33);
    for p in [2, 3, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
        for (rows, cols, nnz) in [(0, 5, 0), (30, 50, 90), (60, 80, 1500), (50, 30, 60)] {
            let a = random(p, rows, cols, nnz, &mut rng);
            let kernel = kernel(&a, &KernelOptions::default(), &Silent).unwrap();
            for count in [0, 1, 31, 70, kernel.dimension() + 64] {
                let mut found = vec![];
                let take = |vectors: NullVectors| {
                    assert_eq!(vectors.first(), found.len());
                    assert!(!vectors.is_empty() && vectors.nnz() <= vectors.len() * cols);
                    found.extend((0..vectors.len()).map(|k| {
                        let (at, values) = vectors.vector(k);
                        at.iter().copied().zip(values.iter().copied()).collect::<Vec<_>>()
                    }));
                    Ok(())
                };
                kernel.random(count, |vectors| Ok(vectors.clone()), take, &Silent).unwrap();
                assert_eq!(found.len(), count);
                let entries: Vec<_> = found
                    .iter()
                    .enumerate()
                    .flat_map(|(k, x)| x.iter().map(move |&(j, v)| (k, j as usize, v)))
                    .collect();
                let vectors = SparseMatrix::from_triplets(p, count, cols, &entries);
                check(&a, &vectors);
                // 64 vectors more than the dimension fall short of it with probability at most 2⁻⁶⁴.
                if count >= kernel.dimension() + 64 {
                    assert_eq!(dense_rank(&vectors), kernel.dimension());
                }
            }
        }
    }
}

#[test]
fn options_out_of_range_are_refused() {
    let a = families::generate("ch4-4-b2").unwrap().reduce(Modulus::new(65521).unwrap());
    let refused = kernel(&a, &KernelOptions::default().rank(RankOptions::default().trials(0)), &Silent);
    assert!(matches!(refused, Err(crate::Error::Usage(_))));
}

/// All vectors that `make` gives, one a row.
fn gathered(
    a: &SparseMatrix,
    kernel: &Kernel,
    random: Option<usize>,
    observer: &dyn crate::Observer,
) -> crate::Result<SparseMatrix> {
    let (mut entries, mut count) = (vec![], 0);
    let take = |vectors: NullVectors| {
        assert_eq!(vectors.first(), count);
        for k in 0..vectors.len() {
            let (at, values) = vectors.vector(k);
            entries.extend(at.iter().zip(values).map(|(&j, &v)| (count + k, j as usize, v)));
        }
        count += vectors.len();
        Ok(())
    };
    match random {
        Some(count) => kernel.random(count, |vectors| Ok(vectors.clone()), take, observer)?,
        None => drop(kernel.basis(|vectors| Ok(vectors.clone()), take, observer)?),
    }
    let cols = if kernel.coordinates() == a.cols() { a.cols() } else { a.rows() };
    Ok(SparseMatrix::from_triplets(a.modulus(), count, cols, &entries))
}

/// By block Wiedemann on the matrix itself and on the complement of its pivots: bases are complete, random vectors
/// span.
#[test]
fn block_wiedemann_makes_bases_and_random_vectors() {
    let mut rng = Rng::seed_from_u64(35);
    for p in [2, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
        let named = families::generate("ch3-4-b2").unwrap().reduce(p);
        let shapes = [(0, 7, 0), (1, 1, 1), (20, 50, 45), (50, 20, 90), (40, 50, 160)];
        let matrices = shapes.map(|(rows, cols, nnz)| random(p, rows, cols, nnz, &mut rng));
        for a in matrices.iter().chain([&named]) {
            for method in [Method::Wiedemann, Method::Hybrid] {
                for left in [false, true] {
                    let upright = if left { a.transpose().unwrap() } else { a.try_clone().unwrap() };
                    let rank = RankOptions::default().method(method).block(4);
                    let kernel = kernel(a, &KernelOptions::default().left(left).rank(rank), &Silent).unwrap();
                    let expected = upright.cols() - dense_rank(a);
                    assert_eq!(kernel.dimension(), expected, "{method:?} mod {p}");
                    let basis = gathered(&upright, &kernel, None, &Silent).unwrap();
                    check(&upright, &basis);
                    assert_eq!((basis.rows(), dense_rank(&basis)), (expected, expected));
                    let count = if p.get() > 3 { expected } else { expected + 40 };
                    let some = gathered(&upright, &kernel, Some(count), &Silent).unwrap();
                    check(&upright, &some);
                    assert_eq!(dense_rank(&some), expected, "{} random vectors mod {p}", some.rows());
                }
            }
        }
    }
}

/// Where the row space takes longer, the plan is block Wiedemann, without being told.
#[test]
fn block_wiedemann_is_chosen_where_the_row_space_takes_longer() {
    let (mut rng, p) = (Rng::seed_from_u64(36), Modulus::new(65521).unwrap());
    let a = random(p, 400, 410, 2000, &mut rng);
    let machine = Machine::reference().scaled(Kind::Dense, 1e9).scaled(Kind::Sparse, 1e9);
    let slow = KernelOptions::default().rank(RankOptions::default().machine(machine));
    let all = kernel(&a, &KernelOptions::default().vectors(3), &Silent).unwrap();
    assert!(!all.is_by_sequence());
    let some = kernel(&a, &slow.vectors(3), &Silent).unwrap();
    assert!(some.is_by_sequence(), "{:?}", some.rank().path);
    assert_eq!(some.dimension(), all.dimension());
    check(&a, &gathered(&a, &some, Some(3), &Silent).unwrap());
}

#[test]
fn errors_of_the_caller_end_the_work_and_threads_change_nothing() {
    let a = families::generate("ch5-5-b2").unwrap().reduce(Modulus::new(65521).unwrap());
    let kernel = kernel(&a, &KernelOptions::default(), &Silent).unwrap();
    let stop = || Err(crate::Error::Interrupted);
    assert!(matches!(kernel.basis(|_| Ok(()), |()| stop(), &Silent), Err(crate::Error::Interrupted)));
    assert!(matches!(kernel.basis(|_| stop(), |()| Ok(()), &Silent), Err(crate::Error::Interrupted)));
    assert_eq!(kernel.basis(|_| Ok(()), |()| Ok(()), &Silent).unwrap(), Certainty::Proven);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| super::kernel(&a, &KernelOptions::default(), &Silent).unwrap().basis_matrix(&Silent).unwrap())
    };
    assert_eq!(with(1), with(3));
}

/// The null space as the reduced echelon form of a dense elimination has it spans the same.
#[test]
fn the_null_space_is_that_of_the_textbook() {
    let mut rng = Rng::seed_from_u64(34);
    let p = Modulus::new(101).unwrap();
    let a = random(p, 25, 40, 110, &mut rng);
    let basis = checked(&a, &KernelOptions::default());
    let mut dense = DenseMatrix::zeros(25, 40);
    (0..25).for_each(|i| a.row(i).0.iter().zip(a.row(i).1).for_each(|(&j, &v)| dense.set(i, j as usize, v)));
    let reduced = dense.echelon(p, &Silent).unwrap().reduced().unwrap();
    let count = reduced.free_cols().len();
    let block = reduced.null_block(0..count).unwrap();
    let mut all = DenseMatrix::zeros(count + basis.rows(), 40);
    for l in 0..count {
        (0..40).for_each(|j| all.set(l, j, block[j * count + l]));
    }
    for k in 0..basis.rows() {
        let (at, values) = basis.row(k);
        at.iter().zip(values).for_each(|(&j, &v)| all.set(count + k, j as usize, v));
    }
    assert_eq!((all.rank(&PrimeField(p)), basis.rows()), (count, count));
}
