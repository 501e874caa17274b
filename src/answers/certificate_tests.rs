//! Certificates of random and degenerate matrices, whatever the minor they are made from.

use super::*;
use crate::certify::{Certainty, Certificate, Upper, repetitions, verify, verify_compact};
use crate::cost::Kind;
use crate::dense::Echelon;
use crate::field::{Modulus, Rng};
use crate::sparse::{SparseMatrix, Triplets};
use crate::{Error, Silent, families};
use rand::{RngExt, SeedableRng};

const PRIMES: [u64; 5] = [2, 3, 65521, (1 << 31) - 1, (1 << 63) - 25];

/// A sparse matrix with empty and repeated lines.
fn random(rng: &mut Rng, rows: usize, cols: usize, nnz: usize) -> Triplets {
    let half = |n: usize| n.div_ceil(2);
    let entries: Vec<_> = (0..nnz)
        .map(|_| (rng.random_range(0..half(rows)), rng.random_range(0..cols), rng.random_range(-3..4)))
        .collect();
    // The second half repeats the first, shuffled by one, but for the last row.
    let copies = entries.clone().into_iter().map(|(i, j, v)| (rows - 1 - i, j, v)).filter(|e| e.0 != rows - 1);
    Triplets::from_entries(rows, cols, entries.into_iter().chain(copies))
}

/// A minor of the order of the rank by dense elimination of the whole matrix, without a chain: row rank profile ×
/// column rank profile is invertible, since the rows span the row space, so that the same columns are independent in
/// them.
fn by_dense_elimination(a: &SparseMatrix) -> Minor {
    let rows: Vec<_> = (0..a.rows()).map(|i| a.row(i)).collect();
    let mut echelon = Echelon::new(a.modulus(), a.cols()).unwrap();
    echelon.absorb(&rows, &Silent).unwrap();
    let rows = echelon.pivot_rows().iter().map(|&i| i as u32).collect();
    let cols = echelon.pivot_cols().unwrap();
    Minor::new(rows, cols, 0)
}

/// The minor of the computation, with its chain.
fn by_rank(a: &SparseMatrix) -> Minor {
    let options = RankOptions { minor: true, ..Default::default() };
    let answer = rank(a, &options, &Silent).unwrap();
    let minor = answer.minor.unwrap();
    assert_eq!(minor.rows.len(), answer.rank);
    minor
}

/// The certificate from the computation's minor; one from another minor must hold, too.
fn check(triplets: &Triplets, p: u64) -> Certificate {
    let a = triplets.reduce(Modulus::new(p).unwrap());
    let digest = triplets.digest();
    let [dense, chained] = [by_dense_elimination(&a), by_rank(&a)];
    assert_eq!(dense.rows.len(), chained.rows.len());
    let [_, c] = [dense, chained].map(|minor| {
        let c = certificate(&a, &digest, &minor, &Silent).unwrap();
        assert_eq!(verify(&c, &a, &digest, &Silent).unwrap().rank, minor.rows.len());
        assert_eq!(c.lower.len(), c.beyond_chain() * repetitions(c.modulus));
        c
    });
    c
}

#[test]
fn random_and_degenerate_matrices() {
    let mut rng = Rng::seed_from_u64(1);
    for p in PRIMES {
        for (rows, cols, nnz) in
            [(0, 5, 0), (5, 0, 0), (4, 4, 0), (1, 1, 1), (30, 40, 60), (40, 30, 200), (90, 80, 2000), (200, 150, 700)]
        {
            let _ = check(&random(&mut rng, rows, cols, nnz), p);
        }
        // Full rank is proven where a chain shows it, and random vectors where none does.
        let upper = (0..9).flat_map(|i| (i..12).map(move |j| (i, j, 1)));
        let c = check(&Triplets::from_entries(9, 12, upper), p);
        assert_eq!((c.triangular, c.lower.len()), (9, 0));
        assert_eq!(c.upper, Upper::Lines { rows: (0..9).collect(), cols: vec![] });
    }
}

#[test]
fn empty_lines_change_no_certificate() {
    let mut rng = Rng::seed_from_u64(10);
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        let small = random(&mut rng, 30, 20, 70);
        // The same lines, far apart: more of them are empty than a compact matrix keeps.
        let (rows, cols) = (150_000, 100_000);
        let spread = small.entries().map(|(i, j, v)| (rows - 1 - 4999 * i, 4999 * j + 7, v.to_bigint()));
        let triplets = Triplets::from_entries(rows, cols, spread);
        let (whole, digest, compact) = (triplets.reduce(modulus), triplets.digest(), triplets.compact().unwrap());
        let lines = &compact.lines;
        assert!(lines.rows.dropped() > 0 && lines.cols.dropped() > 0);
        let a = compact.matrix.reduce(modulus);
        let minor = by_rank(&a);
        let mut outside = minor.clone();
        outside.rows.iter_mut().for_each(|i| *i = lines.rows.number(*i));
        outside.cols.iter_mut().for_each(|j| *j = lines.cols.number(*j));
        assert_eq!(by_rank(&whole), outside);
        let c = certificate(&whole, &digest, &outside, &Silent).unwrap();
        assert_eq!(certificate_compact(&a, lines, &digest, &minor, &Silent).unwrap(), c);
        let verdict = verify(&c, &whole, &digest, &Silent).unwrap();
        assert_eq!(verify_compact(&c, &a, lines, &digest, &Silent).unwrap(), verdict);
        assert_eq!(verdict.rank, minor.rows.len());
        // An empty line in the minor, and the compact shape in place of the whole one.
        let empty = Certificate { minor_rows: [&[0], &c.minor_rows[1..]].concat(), ..c.clone() };
        let shape = Certificate { rows: a.rows(), cols: a.cols(), ..c };
        for wrong in [empty, shape] {
            assert!(matches!(verify_compact(&wrong, &a, lines, &digest, &Silent), Err(Error::Refuted(_))));
            assert!(matches!(verify(&wrong, &whole, &digest, &Silent), Err(Error::Refuted(_))));
        }
    }
}

#[test]
fn transposed_full_rank_is_bounded_by_columns() {
    let triplets = families::generate("bibd_9_5").unwrap().transpose();
    let c = check(&triplets, 65521);
    assert_eq!(c.upper, Upper::Lines { rows: vec![], cols: (0..36).collect() });
}

#[test]
fn boundary_matrices_and_designs() {
    let mut beyond = 0;
    for name in ["ch5-5-b2", "mk9-b3", "bibd_9_5", "ch4-4-b2"] {
        let triplets = families::generate(name).unwrap();
        for p in [2, 3, 65521] {
            beyond += check(&triplets, p).beyond_chain();
            beyond += check(&triplets.transpose(), p).beyond_chain();
        }
    }
    assert!(beyond > 100, "something is left for the dense system");
}

#[test]
fn minors_of_components_join() {
    // Large and small components side by side, one transposed, empty lines before each.
    let parts = ["mk9-b3", "ch5-5-b2", "bibd_9_5", "ch4-4-b2"].map(|name| families::generate(name).unwrap());
    let (mut entries, mut rows, mut cols) = (vec![], 0, 0);
    for (k, part) in parts.into_iter().chain([families::generate("mk9-b3").unwrap()]).enumerate() {
        let part = if k % 2 == 0 { part } else { part.transpose() };
        (rows, cols) = (rows + k, cols + 3);
        entries.extend(part.entries().map(|(i, j, v)| (rows + i, cols + j, v.to_bigint())));
        (rows, cols) = (rows + part.rows(), cols + part.cols());
    }
    let triplets = Triplets::from_entries(rows, cols, entries);
    for p in [2, 3, 65521] {
        let c = check(&triplets, p);
        assert!(c.triangular > 0 && c.beyond_chain() > 0);
    }
    let a = triplets.reduce(Modulus::new(3).unwrap());
    let path = rank(&a, &RankOptions::default(), &Silent).unwrap().path;
    assert_eq!(path[0].name, "connected components", "{path:?}");
}

#[test]
fn a_cover_proves_the_bound_and_random_vectors_make_it_sure() {
    // A cross: row 1 and column 2, rank 2, on 4 rows and 4 columns.
    let cross = (0..4).map(|k| (1, k, 1)).chain((0..4).filter(|&k| k != 1).map(|k| (k, 2, 2)));
    let triplets = Triplets::from_entries(4, 4, cross);
    let c = check(&triplets, 5);
    assert_eq!(c.upper, Upper::Lines { rows: vec![1], cols: vec![2] });
    // Rank 1 of structural rank 2.
    let ones = Triplets::from_entries(2, 2, (0..4).map(|k| (k / 2, k % 2, 1)));
    let (c, a) = (check(&ones, 5), ones.reduce(Modulus::new(5).unwrap()));
    let certainty = verify(&c, &a, &ones.digest(), &Silent).unwrap().certainty();
    assert!(
        matches!(certainty, Certainty::MonteCarlo { error_bound } if error_bound.log2() <= -128.0),
        "{certainty:?}"
    );
}

#[test]
fn wrong_minors_are_caught() {
    let triplets = families::generate("mk9-b3").unwrap();
    let a = triplets.reduce(Modulus::new(3).unwrap());
    let fails = |minor: &Minor| {
        let result = certificate(&a, &triplets.digest(), minor, &Silent);
        assert!(matches!(result, Err(Error::Refuted(_))), "{result:?}");
    };
    for good in [by_dense_elimination(&a), by_rank(&a)] {
        let _ = certificate(&a, &triplets.digest(), &good, &Silent).unwrap();
        let Minor { mut rows, mut cols, triangular, .. } = good.clone();
        rows.pop();
        cols.pop();
        let triangular = triangular.min(rows.len());
        fails(&Minor::new(rows, cols, triangular));
        // Some row outside, dependent on those of the minor less its last one, or a zero row of the Schur complement.
        let others: Vec<u32> = (0..a.rows() as u32).filter(|i| !good.rows.contains(i)).collect();
        let last = *good.rows.last().unwrap();
        let singular = others.iter().map(|&i| {
            let Minor { mut rows, cols, triangular, .. } = good.clone();
            *rows.last_mut().unwrap() = i;
            Minor::new(rows, cols, triangular)
        });
        let holds = singular.filter(|m| certificate(&a, &triplets.digest(), m, &Silent).is_ok()).count();
        assert!(holds < others.len(), "every other row would do in place of {last}");
    }
}

/// Minors whose lines come from Schur complements of Schur complements: where these cost next to nothing, they are
/// formed.
#[test]
fn minors_reach_through_schur_complements() {
    let machine = Machine::reference().scaled(Kind::Sparse, 1e-9).scaled(Kind::Passes, 1e3);
    let patience = Patience::ENDLESS;
    let options = RankOptions { minor: true, machine, patience, ..Default::default() };
    let mut formed = 0;
    for name in ["ch5-5-b3", "mk9-b3", "n3c6-b8", "kneser_6_2_1", "bibd_17_4"] {
        let whole = families::generate(name).unwrap();
        for triplets in [whole.transpose(), whole] {
            for p in PRIMES {
                let (a, digest) = (triplets.reduce(Modulus::new(p).unwrap()), triplets.digest());
                let answer = rank(&a, &options, &Silent).unwrap();
                let minor = answer.minor.unwrap();
                let complements = answer.path.iter().filter(|step| step.name == "Schur complement").count();
                formed += complements;
                assert_eq!(minor.rows.len(), answer.rank);
                let certificate = certificate(&a, &digest, &minor, &Silent).unwrap();
                assert_eq!(verify(&certificate, &a, &digest, &Silent).unwrap().rank, answer.rank, "{name} mod {p}");
            }
        }
    }
    assert!(formed > 50, "{formed} Schur complements");
}
