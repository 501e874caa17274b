//! The rows that take the place of others span the same space, by dense ranks of both together.

use super::*;
use crate::field::Rng;
use crate::oracles::dense_rank;
use rand::{RngExt, SeedableRng};

/// The rows of both, one below the other, after columns that one of them lost were put back.
fn both(a: &SparseMatrix, b: &SparseMatrix) -> SparseMatrix {
    let rows = |m: &SparseMatrix, from: usize| -> Vec<_> {
        (0..m.rows())
            .flat_map(|i| m.row(i).0.iter().zip(m.row(i).1).map(move |(&j, &v)| (from + i, j as usize, v)))
            .collect()
    };
    let entries = [rows(a, 0), rows(b, a.rows())].concat();
    SparseMatrix::from_triplets(a.modulus(), a.rows() + b.rows(), a.cols(), &entries)
}

fn spans_the_same(a: &SparseMatrix, b: &SparseMatrix) {
    assert_eq!(a.modulus(), b.modulus());
    let rank = dense_rank(a);
    assert_eq!(dense_rank(b), rank, "{a:?} and {b:?}");
    // Where columns were lost, they are renumbered.
    if a.cols() == b.cols() {
        assert_eq!(dense_rank(&both(a, b)), rank, "{a:?} and {b:?}");
    }
}

/// L·C for random factors, each with so many entries a row, of which some rows have fewer.
fn product(rng: &mut Rng, p: u64, [rows, inner, cols]: [usize; 3], weight: usize) -> SparseMatrix {
    let modulus = Modulus::new(p).unwrap();
    let value = |rng: &mut Rng| if p < 5 || rng.random_bool(0.5) { p - 1 } else { rng.random_range(1..p) };
    let right: Vec<Vec<(usize, u64)>> =
        (0..inner).map(|_| (0..weight).map(|_| (rng.random_range(0..cols), value(rng))).collect()).collect();
    let mut entries = vec![];
    for i in 0..rows {
        for _ in 0..(i % 7).min(2) {
            let (part, factor) = (rng.random_range(0..inner), value(rng));
            entries.extend(right[part].iter().map(|&(j, v)| (i, j, modulus.mul(v, factor))));
        }
    }
    SparseMatrix::from_triplets(modulus, rows, cols, &entries)
}

const PRIMES: [u64; 5] = [2, 3, 7, 65521, 9_223_372_036_854_775_783];

/// Any way to cut rows in two does: none, everywhere, sets beyond the entries of a row, zero rows, twins.
#[test]
fn rows_cut_in_any_way_span_the_same() {
    let mut rng = Rng::seed_from_u64(71);
    for p in PRIMES {
        for shape in [[0, 1, 1], [0, 3, 5], [1, 1, 1], [5, 2, 3], [40, 5, 12], [30, 25, 20], [60, 12, 70]] {
            let a = product(&mut rng, p, shape, 4);
            for _ in 0..4 {
                let sets: Vec<u64> = (0..a.rows()).map(|_| rng.random::<u64>() & rng.random::<u64>()).collect();
                spans_the_same(&a, &replaced(&a, &sets, usize::MAX).unwrap().unwrap());
            }
            for set in [0, 1, 0b110, ALL, ALL - 1] {
                spans_the_same(&a, &replaced(&a, &vec![set; a.rows()], usize::MAX).unwrap().unwrap());
            }
        }
    }
}

/// A signed graph: each component whose cycles agree costs one of the rank, any other one none.
#[test]
fn a_component_that_agrees_with_itself_has_one_dimension_less() {
    for p in PRIMES {
        let (q, modulus) = (p - 1, Modulus::new(p).unwrap());
        // Part u: columns 4u … 4u + 3. A triangle whose signs agree, one whose signs do not, an edge, a single part.
        let part = |i: usize, u: usize, v: u64| (0..4).map(move |c| (i, 4 * u + c, v));
        let rows = [[(0, 1), (1, q)], [(1, 1), (2, q)], [(2, 1), (0, q)], [(3, 1), (4, 1)], [(4, 1), (5, 1)]];
        let rows = rows.into_iter().chain([[(5, 1), (3, 1)], [(6, 1), (7, 1)]]).enumerate();
        let entries: Vec<_> =
            rows.flat_map(|(i, ends)| ends.into_iter().flat_map(move |(u, v)| part(i, u, v))).collect();
        let entries = [entries, part(7, 8, 1).collect()].concat();
        let a = SparseMatrix::from_triplets(modulus, 8, 36, &entries);
        let b = replaced(&a, &[0b1111; 8], usize::MAX).unwrap().unwrap();
        // Over GF(2) all signs agree.
        assert_eq!(b.rows(), if p == 2 { 6 } else { 7 });
        spans_the_same(&a, &b);
        assert!(replaced(&a, &[0b1111; 8], b.nnz() - 1).unwrap().is_none());
    }
}

/// A sparse factor is found again, but for parts that meet; nothing is made of a random matrix.
#[test]
fn a_factor_is_found_again() {
    let mut rng = Rng::seed_from_u64(72);
    for p in [3, 65521] {
        let a = product(&mut rng, p, [900, 150, 1000], 4);
        let mut made = vec![];
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            made.push(pool.install(|| shared_parts(&a)).unwrap().expect("a product"));
        }
        let (b, again) = (&made[0], &made[1]);
        assert!(
            b == again && b.rows() <= 200 && 2 * b.nnz() <= a.nnz(),
            "{} rows, {} of {}",
            b.rows(),
            b.nnz(),
            a.nnz()
        );
        spans_the_same(&a, b);
        let entries: Vec<_> = (0..9000).map(|k| (k % 900, rng.random_range(0..1000), 1)).collect();
        assert!(shared_parts(&SparseMatrix::from_triplets(a.modulus(), 900, 1000, &entries)).unwrap().is_none());
    }
}
