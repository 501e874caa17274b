//! Boxes against dense matrices built column by column.

use super::*;
use crate::dense::DenseMatrix;
use crate::field::{ExtensionField, Field, PrimeField, Rng};
use crate::sparse::SparseMatrix;
use crate::spmv::{Plan, PlanOptions};
use rand::{RngExt, SeedableRng};

fn random_matrix(p: Modulus, rows: usize, cols: usize, nnz: usize, rng: &mut Rng) -> SparseMatrix {
    let entries: Vec<_> = (0..nnz)
        .map(|_| (rng.random_range(0..rows), rng.random_range(0..cols), rng.random_range(0..p.get())))
        .collect();
    SparseMatrix::from_triplets(p, rows, cols, &entries)
}

fn product(a: &SparseMatrix) -> Product {
    Product::new(a, &Plan::choose(a, &PlanOptions::default()).unwrap()).unwrap()
}

/// The matrix of a box, by its products with the unit vectors.
fn dense(a: &impl Operator, transpose: bool) -> DenseMatrix<u64> {
    let (rows, cols) = if transpose { (a.cols(), a.rows()) } else { (a.rows(), a.cols()) };
    let mut identity = Block::zeros(a.lane(), cols, cols).unwrap();
    (0..cols).for_each(|j| identity.set(j, j, 1));
    let mut y = Block::zeros(a.lane(), rows, cols).unwrap();
    let mut scratch = Scratch::new();
    if transpose {
        a.apply_transpose(&identity, &mut y, &mut scratch).unwrap()
    } else {
        a.apply(&identity, &mut y, &mut scratch).unwrap()
    }
    DenseMatrix::from_entries(rows, cols, y.to_residues().unwrap())
}

fn diagonal(entries: &[u64]) -> DenseMatrix<u64> {
    let mut d = DenseMatrix::zeros(entries.len(), entries.len());
    entries.iter().enumerate().for_each(|(i, &e)| d.set(i, i, e));
    d
}

#[test]
fn the_symmetrised_operator_is_its_formula_and_symmetric() {
    let mut rng = Rng::seed_from_u64(1);
    for p in [2, 3, 65521, (1 << 61) - 1].map(|p| Modulus::new(p).unwrap()) {
        let field = PrimeField(p);
        for (rows, cols) in [(6, 4), (4, 6), (5, 5), (1, 1)] {
            let a = random_matrix(p, rows, cols, 12, &mut rng);
            let d1: Vec<u64> = (0..cols).map(|_| field.random_nonzero(&mut rng)).collect();
            let d2: Vec<u64> = (0..rows).map(|_| field.random_nonzero(&mut rng)).collect();
            let sparse = product(&a);
            let b = symmetrised(&sparse, d1.clone(), d2.clone());
            let (forward, transposed) = (dense(&b, false), dense(&b, true));
            assert_eq!(forward.data(), transposed.data());
            let m = dense(&sparse, false);
            let scaled = diagonal(&d2).mul(&field, &m).mul(&field, &diagonal(&d1));
            let expected = diagonal(&d1).mul(&field, &m.transpose()).mul(&field, &scaled);
            assert_eq!(forward.data(), expected.data());
        }
    }
}

#[test]
fn compositions_transpose() {
    let mut rng = Rng::seed_from_u64(2);
    let p = Modulus::new(101).unwrap();
    let (l, r) = (random_matrix(p, 5, 3, 9, &mut rng), random_matrix(p, 3, 7, 9, &mut rng));
    let (l, r) = (product(&l), product(&r));
    let both = Compose::new(&l, &r);
    assert_eq!(dense(&both, false).data(), dense(&l, false).mul(&PrimeField(p), &dense(&r, false)).data());
    assert_eq!(dense(&both, true).data(), dense(&both, false).transpose().data());
    assert_eq!(dense(&Transposed(&both), false).data(), dense(&both, true).data());
}

/// D₁M with its factors recovered from products: the operator is a diagonal times the symmetric M of its form.
#[test]
fn the_preconditioned_operator_keeps_the_rank_and_is_linear_over_the_extension() {
    let mut rng = Rng::seed_from_u64(3);
    for (q, k) in [(65521, 1), (2, 16), (3, 11), (65521, 3)] {
        let p = Modulus::new(q).unwrap();
        for (rows, cols, symmetric) in [(9, 6, false), (6, 9, false), (7, 7, false), (7, 7, true)] {
            if symmetric && q == 2 {
                continue;
            }
            let mut a = random_matrix(p, rows, cols, 14, &mut rng);
            if symmetric {
                let entries: Vec<_> = (0..rows)
                    .flat_map(|i| {
                        a.row(i).0.iter().zip(a.row(i).1).map(move |(&j, &v)| (i, j as usize, v)).collect::<Vec<_>>()
                    })
                    .flat_map(|(i, j, v)| [(i, j, v), (j, i, v)])
                    .collect();
                a = SparseMatrix::from_triplets(p, rows, cols, &entries);
                assert!(a.is_symmetric().unwrap());
            }
            let sparse = product(&a);
            let rank = dense(&sparse, false).rank(&PrimeField(p));
            if k == 1 {
                keeps_rank(&PrimeField(p), &sparse, symmetric, rank, &mut rng);
            } else {
                keeps_rank(&ExtensionField::new(p, k, &mut rng), &sparse, symmetric, rank, &mut rng);
            }
        }
    }
}

fn keeps_rank<F: Field>(field: &F, sparse: &Product, symmetric: bool, rank: usize, rng: &mut Rng) {
    let b = Preconditioned::random(field, sparse, symmetric, rng).unwrap();
    let (n, k) = (b.order(), field.degree());
    let mut scratch = Scratch::new();
    let mut unit = Block::zeros(b.lane(), n, n * k).unwrap();
    (0..n).for_each(|j| unit.set(j, j * k, 1));
    let mut y = Block::zeros(b.lane(), n, n * k).unwrap();
    b.apply(&unit, &mut y, &mut scratch).unwrap();
    let elements: Vec<F::Elem> =
        y.to_residues().unwrap().chunks_exact(k).map(|digits| field.from_digits(digits)).collect();
    let matrix = DenseMatrix::from_entries(n, n, elements);
    assert_eq!(matrix.rank(field), rank, "{}", b.formula());
    // B(e·x) = e·B(x) for a random vector x and e in K.
    let (e, x) = (field.random(rng), (0..n).map(|_| field.random(rng)).collect::<Vec<_>>());
    let apply = |x: &[F::Elem], scratch: &mut Scratch| {
        let mut digits = vec![0; n * k];
        x.iter().zip(digits.chunks_exact_mut(k)).for_each(|(&x, d)| field.write_digits(x, d));
        let mut y = Block::zeros(b.lane(), n, k).unwrap();
        b.apply(&Block::from_residues(b.lane(), n, k, &digits).unwrap(), &mut y, scratch).unwrap();
        y.to_residues().unwrap().chunks_exact(k).map(|digits| field.from_digits(digits)).collect::<Vec<_>>()
    };
    let scaled: Vec<F::Elem> = x.iter().map(|&x| field.mul(e, x)).collect();
    let expected: Vec<F::Elem> = apply(&x, &mut scratch).into_iter().map(|y| field.mul(e, y)).collect();
    assert_eq!(apply(&scaled, &mut scratch), expected);
}
