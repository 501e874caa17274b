use super::*;
use crate::answers::{RankOptions, determinant};
use crate::cost::{Kind, Machine};
use crate::dense::DenseMatrix;
use crate::field::{Field, Modulus, PrimeField, Rng};
use crate::oracles::{berkowitz, naive_minimal_polynomial};
use crate::sparse::SparseMatrix;
use crate::univariate::{divide, multiply, product};
use crate::{Error, Silent, families};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

const PRIMES: [u64; 4] = [2, 3, 65521, (1 << 63) - 25];

fn primes() -> impl Iterator<Item = Modulus> {
    PRIMES.into_iter().map(|p| Modulus::new(p).unwrap())
}

fn sparse(p: Modulus, n: usize, dense: &[u64]) -> SparseMatrix {
    let entries: Vec<_> = dense.iter().enumerate().map(|(k, &v)| (k / n, k % n, v)).collect();
    SparseMatrix::from_triplets(p, n, n, &entries)
}

fn dense(a: &SparseMatrix) -> Vec<u64> {
    let n = a.rows();
    let mut all = vec![0; n * n];
    (0..n).for_each(|i| a.row(i).0.iter().zip(a.row(i).1).for_each(|(&j, &v)| all[i * n + j as usize] = v));
    all
}

/// Prices by which Hessenberg's form, the echelon form of powers, and block Wiedemann are chosen.
fn machines() -> [Machine; 3] {
    let mut relations = Machine::reference();
    relations.wiedemann.determinant = 1.0;
    let wiedemann = relations.scaled(Kind::Dense, 1e12);
    [Machine::reference(), relations, wiedemann]
}

/// Both polynomials by all ways, against the textbook's.
fn check(a: &SparseMatrix) {
    let (n, p, all) = (a.rows(), a.modulus(), dense(a));
    let (whole, minimal) = (berkowitz(p, n, &all), naive_minimal_polynomial(p, n, &all));
    for (k, machine) in machines().into_iter().enumerate() {
        let options = RankOptions::default().machine(machine).seed(n as u64);
        let found = characteristic_polynomial(a, &options, &Silent).unwrap();
        assert_eq!(found.coefficients, whole, "{n} mod {p}, way {k}: {:?}", found.path);
        let found = minimal_polynomial(a, &options, &Silent).unwrap();
        assert_eq!(found.coefficients, minimal, "{n} mod {p}, way {k}: {:?}", found.path);
        if let Some(factors) = &found.invariant_factors {
            assert_eq!(product(p, factors.clone()).unwrap(), whole);
            assert!(factors.windows(2).all(|pair| divide(p, &pair[1], &pair[0]).unwrap().1.is_empty()));
            assert!(factors.iter().all(|f| f.len() > 1));
        }
    }
}

fn companion(p: Modulus, f: &[u64]) -> Vec<u64> {
    let n = f.len() - 1;
    let mut c = vec![0; n * n];
    (1..n).for_each(|i| c[i * n + i - 1] = 1);
    (0..n).for_each(|i| c[i * n + n - 1] = p.neg(f[i]));
    c
}

/// diag(blocks), conjugated by a random matrix if `scrambled`.
fn block_diagonal(p: Modulus, blocks: &[Vec<u64>], scrambled: bool, rng: &mut Rng) -> Vec<u64> {
    let field = PrimeField(p);
    let orders: Vec<usize> = blocks.iter().map(|block| block.len().isqrt()).collect();
    let n = orders.iter().sum();
    let mut a = DenseMatrix::zeros(n, n);
    let mut at = 0;
    for (block, &order) in blocks.iter().zip(&orders) {
        block.iter().enumerate().for_each(|(k, &v)| a.set(at + k / order, at + k % order, v));
        at += order;
    }
    if !scrambled {
        return a.data().to_vec();
    }
    loop {
        let s = DenseMatrix::from_entries(n, n, (0..n * n).map(|_| field.random(rng)).collect());
        if let Some(inverse) = s.inverse(&field) {
            return s.mul(&field, &a).mul(&field, &inverse).data().to_vec();
        }
    }
}

#[test]
fn structured_matrices() {
    let mut rng = Rng::seed_from_u64(81);
    for p in primes() {
        check(&SparseMatrix::from_triplets(p, 0, 0, &[]));
        for n in [1, 2, 7] {
            let diagonal = |v: u64| (0..n).map(|i| (i, i, v)).collect::<Vec<_>>();
            check(&SparseMatrix::from_triplets(p, n, n, &[]));
            check(&SparseMatrix::from_triplets(p, n, n, &diagonal(1)));
            check(&SparseMatrix::from_triplets(p, n, n, &diagonal(p.get() - 1)));
            let mut to: Vec<usize> = (0..n).collect();
            to.shuffle(&mut rng);
            check(&SparseMatrix::from_triplets(p, n, n, &(0..n).map(|i| (i, to[i], 1)).collect::<Vec<_>>()));
            // A Jordan block, a cycle, and a triangular matrix with few different eigenvalues.
            let mut jordan = diagonal(1);
            jordan.extend((1..n).map(|i| (i - 1, i, 1)));
            check(&SparseMatrix::from_triplets(p, n, n, &jordan));
            check(&SparseMatrix::from_triplets(p, n, n, &(1..n).map(|i| (i, i - 1, 1)).collect::<Vec<_>>()));
            let upper: Vec<_> = (0..n * n)
                .filter(|k| k / n <= k % n)
                .map(|k| (k / n, k % n, rng.random_range(0..p.get().min(3))))
                .collect();
            check(&SparseMatrix::from_triplets(p, n, n, &upper));
        }
    }
}

#[test]
fn random_matrices_sparse_and_dense() {
    let mut rng = Rng::seed_from_u64(82);
    for p in primes() {
        for (n, weight) in [(5, 1), (12, 2), (25, 2), (20, 20)] {
            let entry = |_| (rng.random_range(0..n), rng.random_range(0..n), rng.random_range(0..p.get()));
            check(&SparseMatrix::from_triplets(p, n, n, &(0..n * weight).map(entry).collect::<Vec<_>>()));
        }
    }
}

/// Known invariant factors f, f·g, f·g·h, each as often as it takes for more of them than vectors.
#[test]
fn known_invariant_factors_scrambled() {
    let mut rng = Rng::seed_from_u64(83);
    for p in [2, 65521].map(|p| Modulus::new(p).unwrap()) {
        for (times, degrees) in [([1, 0, 1], [2, 1, 9]), ([7, 3, 1], [1, 2, 4])] {
            let mut random =
                |degree: usize| -> Vec<u64> { (0..degree).map(|_| rng.random_range(0..p.get())).chain([1]).collect() };
            let f = random(degrees[0]);
            let fg = multiply(p, &f, &random(degrees[1])).unwrap();
            let all = multiply(p, &fg, &random(degrees[2])).unwrap();
            let expected = [f, fg, all];
            let blocks = || expected.iter().zip(times).flat_map(|(f, times)| std::iter::repeat_n(f, times));
            let companions: Vec<Vec<u64>> = blocks().map(|f| companion(p, f)).collect();
            for scrambled in [false, true] {
                let a = block_diagonal(p, &companions, scrambled, &mut rng);
                let a = sparse(p, a.len().isqrt(), &a);
                check(&a);
                let found = minimal_polynomial(&a, &RankOptions::default(), &Silent).unwrap();
                assert_eq!(found.coefficients, expected[2]);
                assert_eq!(found.certainty.name(), "proven");
                if let Some(factors) = found.invariant_factors {
                    assert!(factors.iter().eq(blocks()), "mod {p}");
                }
            }
        }
    }
}

/// The adjacency matrix of the graph of a hypercube of dimension d.
fn hypercube(p: Modulus, d: usize) -> SparseMatrix {
    let entries: Vec<_> = (0..1 << d).flat_map(|i: usize| (0..d).map(move |b| (i, i ^ 1 << b, 1))).collect();
    SparseMatrix::from_triplets(p, 1 << d, 1 << d, &entries)
}

/// Both polynomials by all ways: proven, one divides the other, and the larger one at 0 is (-1)ⁿ·det A.
fn check_by_theorems(a: &SparseMatrix) -> Vec<u64> {
    let (n, p) = (a.rows(), a.modulus());
    let det = determinant(a, &RankOptions::default(), &Silent).unwrap().value;
    let mut whole = vec![];
    for (way, machine) in machines().into_iter().enumerate() {
        // By the last prices ranks go to block Wiedemann.
        let options = RankOptions::default().machine(machine).proven(way == 2);
        let found = characteristic_polynomial(a, &options, &Silent).unwrap();
        assert_eq!(found.coefficients[0], if n.is_multiple_of(2) { det } else { p.neg(det) }, "{n} mod {p}");
        assert_eq!(found.certainty.name(), "proven", "{n} mod {p}: {:?}", found.path);
        let minimal = minimal_polynomial(a, &options, &Silent).unwrap();
        assert!(divide(p, &found.coefficients, &minimal.coefficients).unwrap().1.is_empty());
        assert!(way == 0 || whole == found.coefficients);
        whole = found.coefficients;
    }
    whole
}

/// The eigenvalues of a hypercube are d - 2k, C(d, k) times.
#[test]
fn theorems_on_larger_matrices() {
    for p in [3, 65521].map(|p| Modulus::new(p).unwrap()) {
        for name in ["Trefethen_80", "redheffer_60"] {
            let _ = check_by_theorems(&families::generate(name).unwrap().reduce(p));
        }
        let linear = |k: i64| vec![p.reduce_i64(2 * k - 6), 1];
        let times = [1, 6, 15, 20, 15, 6, 1].into_iter().enumerate();
        let all = times.flat_map(|(k, times)| std::iter::repeat_n(linear(k as i64), times)).collect();
        assert_eq!(check_by_theorems(&hypercube(p, 6)), product(p, all).unwrap(), "mod {p}");
    }
}

/// The same answers and certainty for every number of threads, and with another seed the same polynomial.
#[test]
fn seeds_and_threads_change_nothing() {
    let a = hypercube(Modulus::new(5).unwrap(), 5);
    let answer = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = RankOptions::default().machine(machines()[2].clone()).seed(seed);
        pool.install(|| {
            let m = minimal_polynomial(&a, &options, &Silent).unwrap();
            let c = characteristic_polynomial(&a, &options, &Silent).unwrap();
            (m.coefficients, m.certainty, c.coefficients, c.certainty)
        })
    };
    let one = answer(1, 1);
    assert_eq!((&answer(3, 1), &answer(2, 9).0, &answer(2, 9).2), (&one, &one.0, &one.2));
}

#[test]
fn only_square_matrices_have_them() {
    let a = SparseMatrix::from_triplets(Modulus::new(5).unwrap(), 2, 3, &[]);
    let options = RankOptions::default();
    assert!(matches!(minimal_polynomial(&a, &options, &Silent), Err(Error::Matrix(_))));
    assert!(matches!(characteristic_polynomial(&a, &options, &Silent), Err(Error::Matrix(_))));
    let square =
        SparseMatrix::from_triplets(Modulus::new(5).unwrap(), 3, 3, &[(0, 1, 1), (1, 0, 2), (1, 2, 1), (2, 0, 1)]);
    let little = RankOptions::default().max_memory(1);
    assert!(matches!(minimal_polynomial(&square, &little, &Silent), Err(Error::Memory(_))));
    assert!(matches!(characteristic_polynomial(&square, &little, &Silent), Err(Error::Memory(_))));
}

/// More equal blocks than vectors: the other invariant factors of these are not needed, and dear by the second prices.
#[test]
fn minimal_polynomials_of_many_equal_blocks() {
    let mut rng = Rng::seed_from_u64(67);
    for p in [65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
        let mut f: Vec<u64> = (0..4).map(|_| rng.random_range(0..p.get())).collect();
        f.push(1);
        let mut blocks = vec![companion(p, &f); 11];
        blocks.push(companion(p, &[p.neg(rng.random_range(1..p.get())), 1]));
        let a = sparse(p, 45, &block_diagonal(p, &blocks, true, &mut rng));
        let mut exact = Machine::reference();
        exact.wiedemann.determinant = 0.0;
        let mut checked = exact.clone();
        checked.wiedemann.determinant = 1.0;
        // So dear that there is no proof beside the answer.
        let dear = checked.scaled(Kind::Passes, 1e6);
        let minimal = naive_minimal_polynomial(p, 45, &dense(&a));
        assert_eq!(minimal.len(), 6);
        for (machine, proven) in [(exact, false), (checked.clone(), false), (dear, false), (checked, true)] {
            let options = RankOptions::default().machine(machine).proven(proven);
            let found = minimal_polynomial(&a, &options, &Silent).unwrap();
            assert_eq!(found.coefficients, minimal, "mod {p}: {}", found.reason);
            assert!(!proven || found.certainty == crate::certify::Certainty::Proven);
        }
    }
}
