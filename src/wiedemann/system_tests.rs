//! Systems by block Wiedemann against products and ranks by dense elimination.

use super::*;
use crate::Silent;
use crate::blackbox::{Operator, Scratch};
use crate::certify::{Domain, Streams};
use crate::cost::Machine;
use crate::field::{Modulus, Rng};
use crate::oracles::dense_rank;
use crate::report::Phases;
use crate::sparse::SparseMatrix;
use crate::spmv::{Block, Plan, PlanOptions, Product};
use rand::{RngExt, SeedableRng};

fn random(p: Modulus, rows: usize, cols: usize, nnz: usize, rng: &mut Rng) -> SparseMatrix {
    let entry = |_| (rng.random_range(0..rows), rng.random_range(0..cols), rng.random_range(0..p.get()));
    let entries: Vec<_> = (0..nnz).map(entry).collect();
    SparseMatrix::from_triplets(p, rows, cols, &entries)
}

fn chosen(a: &SparseMatrix, block: usize) -> Parameters {
    let (modulus, rows, cols, nnz, valued) = (a.modulus(), a.rows(), a.cols(), a.nnz(), a.valued());
    let problem =
        Problem { modulus, rows, cols, nnz, valued, symmetric: false, grid: 1, scratch: 0, levels: 0, gpu: None };
    let options = Options { block: Some(block), ..Default::default() };
    parameters(&problem, &options, &Machine::reference()).unwrap()
}

/// `A | column l of B`.
fn with(a: &SparseMatrix, b: &Block, l: usize) -> SparseMatrix {
    let mut entries = vec![];
    for i in 0..a.rows() {
        entries.extend(a.row(i).0.iter().zip(a.row(i).1).map(|(&j, &v)| (i, j as usize, v)));
        entries.push((i, a.cols(), b.get(i, l)));
    }
    SparseMatrix::from_triplets(a.modulus(), a.rows(), a.cols() + 1, &entries)
}

/// Solvable right sides, zero ones and others, in matrices of every shape: solved, or refuted, as the ranks have it.
#[test]
fn systems_are_solved_or_refuted() {
    let mut rng = Rng::seed_from_u64(91);
    for p in [2, 3, 251, 65521, (1 << 31) - 1, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
        for (rows, cols, nnz) in
            [(1, 1, 1), (2, 3, 0), (1, 30, 20), (30, 1, 20), (30, 30, 90), (20, 30, 100), (30, 20, 40)]
        {
            let a = random(p, rows, cols, nnz, &mut rng);
            let product = Product::new(&a, &Plan::choose(&a, &PlanOptions::default()).unwrap()).unwrap();
            for (block, own) in [(1, false), (4, false), (1, true), (4, true)] {
                let parameters = Parameters { own, ..chosen(&a, block) };
                let system = System { operator: &product, parameters: &parameters };
                let w = system.width();
                let k = parameters.degree;
                // A third is A times something, a third zero, the others are anything, over GF(p).
                let x = Block::random(product.lane(), cols, w, p, &mut rng).unwrap();
                let mut b = Block::zeros(product.lane(), rows, w).unwrap();
                Operator::apply(&product, &x, &mut b, &mut Scratch::new()).unwrap();
                for i in 0..rows {
                    (0..w).filter(|l| l % k > 0 || l / k % 3 == 1).for_each(|l| b.set(i, l, 0));
                    let any = (0..block).filter(|l| l % 3 == 2 || block == 1 && nnz == 90);
                    any.for_each(|l| b.set(i, l * k, rng.random_range(0..p.get())));
                }
                let streams = Streams::of(&a, 7);
                let draw = |domain: Domain, attempt: u64| streams.stream(domain, attempt);
                let found = system.solve(&b, &draw, &mut Phases::default(), &Silent).unwrap();
                let rank = dense_rank(&a);
                let (lone, what) = (p.bits() > 40, format!("{rows} x {cols}, s = {block} mod {p}"));
                assert!(found.rank <= rank && (!lone || found.rank == rank), "{what}: {} of {rank}", found.rank);
                let expected: Vec<usize> = (0..block).filter(|&l| dense_rank(&with(&a, &b, l * k)) > rank).collect();
                assert_eq!(found.inconsistent, expected, "{what}");
                let mut y = Block::zeros(product.lane(), rows, w).unwrap();
                Operator::apply(&product, &found.x, &mut y, &mut Scratch::new()).unwrap();
                for l in (0..w).filter(|l| !expected.contains(&(l / k))) {
                    assert!((0..rows).all(|i| y.get(i, l) == b.get(i, l)), "column {l} of {what}");
                }
            }
        }
    }
}

/// Random null vectors span the null space, and each is as likely as the others: over GF(2), of a null space of
/// dimension 3, each of the 8 comes up in about an eighth of the draws.
#[test]
fn null_vectors_are_uniform() {
    let p = Modulus::new(2).unwrap();
    let a = SparseMatrix::from_triplets(p, 3, 6, &[(0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 2, 1), (2, 3, 1), (2, 5, 1)]);
    let product = Product::new(&a, &Plan::choose(&a, &PlanOptions::default()).unwrap()).unwrap();
    let parameters = chosen(&a, 4);
    let system = System { operator: &product, parameters: &parameters };
    let w = system.width();
    let zero = Block::zeros(product.lane(), 3, w).unwrap();
    let streams = Streams::of(&a, 1);
    let mut seen = [0u32; 8];
    let runs = 40;
    for run in 0..runs {
        let draw = |domain: Domain, attempt: u64| streams.stream(domain, run * ATTEMPTS + attempt);
        let found = system.solve(&zero, &draw, &mut Phases::default(), &Silent).unwrap();
        assert!(found.inconsistent.is_empty());
        for l in 0..w {
            let x: Vec<u64> = (0..6).map(|i| found.x.get(i, l)).collect();
            assert!(x[0] == x[1] && x[1] == x[2] && x[3] == x[5]);
            seen[(x[0] | x[3] << 1 | x[4] << 2) as usize] += 1;
        }
    }
    let expected = f64::from(runs as u32 * w as u32) / 8.0;
    let spread = seen.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum::<f64>();
    // χ² with 7 degrees of freedom exceeds 40 once in 10⁶.
    assert!(spread < 40.0, "{seen:?}: {spread}");
}
