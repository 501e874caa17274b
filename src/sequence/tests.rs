//! Terms against Yᵀ Bⁱ X computed from the definition.

use super::*;
use crate::Silent;
use crate::blackbox::{Diagonals, Preconditioned, Scratch};
use crate::field::{ExtensionField, Field, Modulus, PrimeField, Rng};
use crate::sparse::SparseMatrix;
use crate::spmv::{Block, Lane, Plan, PlanOptions, Product};
use rand::{RngExt, SeedableRng};

fn elements<F: Field>(field: &F, b: &Block) -> Vec<F::Elem> {
    b.to_residues().unwrap().chunks_exact(field.degree()).map(|digits| field.from_digits(digits)).collect()
}

/// Yᵀ·V from the definition, Y and V as n × s elements.
fn definition<F: Field>(field: &F, y: &[F::Elem], v: &[F::Elem], s: usize) -> Vec<F::Elem> {
    let mut result = vec![field.zero(); s * s];
    for (y, v) in y.chunks_exact(s).zip(v.chunks_exact(s)) {
        for i in 0..s {
            field.axpy(&mut result[i * s..][..s], y[i], v);
        }
    }
    result
}

fn projections_are_their_definition<F: Field>(field: &F, lane: Lane, rng: &mut Rng) {
    let (s, k, p) = (3, field.degree(), field.modulus());
    for n in [0, 1, 5, 400] {
        let v = Block::random(lane, n, s * k, p, rng).unwrap();
        let values = elements(field, &v);
        let dense = Projection::dense(field, n, s, rng).unwrap();
        let Projection::Dense { transposed } = &dense else { unreachable!() };
        let y: Vec<F::Elem> = (0..n)
            .flat_map(|j| (0..s).map(move |c| (j, c)))
            .map(|(j, c)| field.from_digits(&(0..k).map(|d| transposed[(c * k + d) * n + j]).collect::<Vec<_>>()))
            .collect();
        let mut found = Vec::new();
        dense.project(field, &v, s, &mut found).unwrap();
        assert_eq!(found, definition(field, &y, &values, s));
    }
}

#[test]
fn projections() {
    let mut rng = Rng::seed_from_u64(1);
    for (p, lane) in [
        (2, Lane::U8),
        (65521, Lane::U16),
        (65521, Lane::U32),
        ((1 << 61) - 1, Lane::U64),
        (4093, Lane::F32),
        (65521, Lane::F64),
    ] {
        projections_are_their_definition(&PrimeField(Modulus::new(p).unwrap()), lane, &mut rng);
    }
    for (p, k, lane) in [(2, 16, Lane::U8), (65521, 3, Lane::U16), ((1 << 31) - 1, 2, Lane::U32)] {
        projections_are_their_definition(&ExtensionField::new(Modulus::new(p).unwrap(), k, &mut rng), lane, &mut rng);
    }
}

#[test]
fn the_shortcut_is_the_sequence_without_its_first_term() {
    let mut rng = Rng::seed_from_u64(2);
    let p = Modulus::new(65521).unwrap();
    let entries: Vec<_> =
        (0..60).map(|_| (rng.random_range(0..20), rng.random_range(0..15), rng.random_range(0..65521))).collect();
    let a = SparseMatrix::from_triplets(p, 20, 15, &entries);
    let product = Product::new(&a, &Plan::choose(&a, &PlanOptions::default()).unwrap()).unwrap();
    let field = PrimeField(p);
    let b = Preconditioned::random(&field, &product, false, &mut rng).unwrap();
    let terms = |start: Start, count: usize| {
        let mut rng = Rng::seed_from_u64(9);
        let projection = Projection::sparse(&field, 15, 2, &mut rng).unwrap();
        let mut krylov = Krylov::new(&field, &b, projection, 2, start, &mut rng).unwrap();
        let mut terms = Vec::new();
        // In two pieces, however they are cut.
        krylov.extend(count / 3, &mut terms, &Silent).unwrap();
        krylov.extend(count - count / 3, &mut terms, &Silent).unwrap();
        terms
    };
    assert_eq!(terms(Start::X, 9)[4..], terms(Start::Bx, 8)[..]);
    // The terms are Yᵀ Bⁱ X with B as it acts on vectors.
    let mut rng = Rng::seed_from_u64(9);
    let projection = Projection::sparse(&field, 15, 2, &mut rng).unwrap();
    let mut x = Block::random(b.lane(), 15, 2, p, &mut rng).unwrap();
    let (mut scratch, mut expected) = (Scratch::new(), Vec::new());
    for _ in 0..5 {
        projection.project(&field, &x, 2, &mut expected).unwrap();
        let mut y = Block::zeros(b.lane(), 15, 2).unwrap();
        b.apply(&x, &mut y, &mut scratch).unwrap();
        x = y;
    }
    assert_eq!(terms(Start::X, 5), expected);
}

/// Terms of a sequence that is projected by itself are those of Y = D₁⁻¹X, where D₁⁻¹ is what D₁ makes 1.
#[test]
fn gram_matrices_are_the_sequence_of_their_y() {
    let mut rng = Rng::seed_from_u64(6);
    for (p, k, lane) in [
        (2, 16, None),
        (3, 1, None),
        (3, 11, Some(Lane::U32)),
        (251, 1, None),
        (251, 3, None),
        (65521, 1, None),
        (65521, 1, Some(Lane::F64)),
        (65521, 2, None),
        (4294967291, 1, None),
        ((1 << 61) - 1, 1, None),
        (9223372036854775783, 1, None),
    ] {
        let p = Modulus::new(p).unwrap();
        for (rows, cols, s) in [(0, 4, 2), (1, 1, 1), (20, 15, 3), (15, 20, 1), (18, 18, 5), (3000, 2100, 2)] {
            match k {
                1 => gram_matrices(&PrimeField(p), (rows, cols, s), lane, &mut rng),
                _ => gram_matrices(&ExtensionField::new(p, k, &mut rng), (rows, cols, s), lane, &mut rng),
            }
        }
    }
}

fn gram_matrices<F: Field>(field: &F, (rows, cols, s): (usize, usize, usize), lane: Option<Lane>, rng: &mut Rng) {
    let (p, k) = (field.modulus(), field.degree());
    let context = format!("{rows} x {cols}, blocks of {s}, p = {p}, k = {k}, {lane:?}");
    let symmetric = rows == cols && p.get() > 2;
    let mut entries = Vec::new();
    for _ in 0..4 * rows {
        let (i, j, v) = (rng.random_range(0..rows), rng.random_range(0..cols), rng.random_range(0..p.get()));
        entries.push((i, j, v));
        entries.extend(symmetric.then_some((j, i, v)));
    }
    let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
    let product = Product::new(&a, &Plan::choose(&a, &PlanOptions { lane, ..Default::default() }).unwrap()).unwrap();
    let diagonals = Diagonals::random(field, rows, cols, symmetric, rng).unwrap();
    let (gram, n) = (Gram::of(field, &diagonals).unwrap(), diagonals.order());
    let d: Vec<F::Elem> = {
        let outer = diagonals.factors()[diagonals.factors().len() - 1].1;
        outer.chunks_exact(k * k).map(|digits| field.from_digits(&digits[..k])).collect()
    };
    let b = Preconditioned::new(&product, diagonals.clone()).unwrap();
    let mut x = Block::random(b.lane(), n, s * k, p, rng).unwrap();
    let (mut own, mut found) = (Krylov::at(field, &b, gram, x.clone()).unwrap(), vec![]);
    assert_eq!(own.together(), 2);
    [2, 0, 4].iter().for_each(|&count| own.extend(count, &mut found, &Silent).unwrap());
    // Another process goes on from the block of the next terms.
    let mut again = Krylov::at(field, &b, Gram::of(field, &diagonals).unwrap(), x.clone()).unwrap();
    let (mut first, mut further) = (vec![], vec![]);
    again.extend(2, &mut first, &Silent).unwrap();
    let state = again.state().unwrap().unwrap().to_residues().unwrap();
    let mut third = Krylov::at(field, &b, Gram::of(field, &diagonals).unwrap(), x.clone()).unwrap();
    third.restore(&state).unwrap();
    third.extend(4, &mut further, &Silent).unwrap();
    assert!(found == [first, further].concat(), "{context}, restored");
    // D₁·Y = X.
    let y: Vec<F::Elem> = elements(field, &x)
        .chunks(s)
        .zip(&d)
        .flat_map(|(x, &d)| x.iter().map(move |&x| (x, d)))
        .map(|(x, d)| field.mul(x, field.inv(d)))
        .collect();
    let mut expected = vec![];
    for _ in 0..6 {
        let mut next = Block::zeros(b.lane(), n, s * k).unwrap();
        b.apply(&x, &mut next, &mut Scratch::new()).unwrap();
        x = next;
        expected.extend(definition(field, &y, &elements(field, &x), s));
    }
    assert!(found == expected, "{context}");
    assert!(found.chunks_exact(s * s).all(|term| (0..s * s).all(|k| term[k] == term[k % s * s + k / s])), "{context}");
}

/// The form of another B: its terms are not symmetric, but for blocks of one column, of which each 1 × 1 matrix is.
#[test]
fn terms_that_are_not_symmetric_are_refused() {
    let (field, mut rng) = (PrimeField(Modulus::new(65521).unwrap()), Rng::seed_from_u64(8));
    let entries: Vec<_> = (0..90).map(|k| (k % 30, rng.random_range(0..25), rng.random_range(1..65521))).collect();
    let a = SparseMatrix::from_triplets(field.0, 30, 25, &entries);
    let product = Product::new(&a, &Plan::choose(&a, &PlanOptions::default()).unwrap()).unwrap();
    let [own, other] = [(); 2].map(|()| Diagonals::random(&field, 30, 25, false, &mut rng).unwrap());
    let b = Preconditioned::new(&product, own.clone()).unwrap();
    for (s, diagonals, refused) in [(1, &other, false), (2, &other, true), (3, &other, true), (3, &own, false)] {
        let gram = Gram::of(&field, diagonals).unwrap();
        let mut krylov = Krylov::new(&field, &b, gram, s, Start::Bx, &mut rng).unwrap();
        let found = krylov.extend(2, &mut vec![], &Silent);
        assert_eq!(matches!(found, Err(crate::Error::Check(_))), refused, "{s}: {found:?}");
    }
}

/// Also with fewer rows than threads, none at all, and a block narrower than threads; made on as many as it runs on.
#[test]
fn every_number_of_threads_gives_the_same_terms() {
    let p = Modulus::new(65521).unwrap();
    for (rows, cols, nnz, k, s) in [
        (0, 3, 0, 1, 2),
        (1, 1, 1, 1, 1),
        (1, 9, 5, 1, 8),
        (3, 2, 4, 3, 2),
        (9000, 7000, 40_000, 1, 8),
        (400, 300, 900, 3, 2),
    ] {
        let mut rng = Rng::seed_from_u64(3);
        let entry = |rng: &mut Rng| (rng.random_range(0..rows), rng.random_range(0..cols), rng.random_range(1..65521));
        let entries: Vec<_> = (0..nnz).map(|_| entry(&mut rng)).collect();
        let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
        let run = |threads: usize| {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
                let product = Product::new(&a, &Plan::choose(&a, &PlanOptions::default()).unwrap()).unwrap();
                if k == 1 {
                    sequence(&PrimeField(p), &product, s)
                } else {
                    let field = ExtensionField::new(p, k, &mut Rng::seed_from_u64(4));
                    digits(&field, &sequence(&field, &product, s))
                }
            })
        };
        let one = run(1);
        assert_eq!(one.len(), 3 * 6 * s * s * k, "three ways to project, six terms");
        for threads in [2, 3, 8] {
            assert!(run(threads) == one, "{threads} threads, {rows} x {cols}, block {s} over GF(p^{k})");
        }
    }
}

fn digits<F: Field>(field: &F, elements: &[F::Elem]) -> Vec<u64> {
    let mut digits = vec![0; field.degree() * elements.len()];
    for (digits, &x) in digits.chunks_exact_mut(field.degree()).zip(elements) {
        field.write_digits(x, digits);
    }
    digits
}

/// Six terms with a sparse projection, six with a dense one, then six projected by the sequence itself.
fn sequence<F: Field>(field: &F, product: &Product, s: usize) -> Vec<F::Elem> {
    let mut rng = Rng::seed_from_u64(5);
    let diagonals = Diagonals::random(field, product.rows(), product.cols(), false, &mut rng).unwrap();
    let sparse = Projection::sparse(field, diagonals.order(), s, &mut rng).unwrap();
    let dense = Projection::dense(field, diagonals.order(), s, &mut rng).unwrap();
    let gram = Gram::of(field, &diagonals).unwrap();
    let b = Preconditioned::new(product, diagonals).unwrap();
    let mut terms = Vec::new();
    for left in [sparse.into(), dense.into(), Left::Own(gram)] {
        let mut krylov = Krylov::new(field, &b, left, s, Start::Bx, &mut rng).unwrap();
        krylov.extend(6, &mut terms, &Silent).unwrap();
    }
    terms
}
