//! Ranks of matrices up to 12 × 12 over the primes around which the arithmetic changes, by every method, against
//! textbook elimination.

use super::naive;
use blackfield::Silent;
use blackfield::answers::{Method, RankOptions, certificate, rank};
use blackfield::certify::verify;
use blackfield::elimination::{self, EliminationOptions};
use blackfield::field::Modulus;
use blackfield::report::Certainty;
use blackfield::sparse::{SparseMatrix, Triplets};

/// The smallest primes, and those on both sides of the bounds of words, bytes and packed products.
const PRIMES: [u64; 20] = [
    2,
    3,
    5,
    7,
    13,
    127,
    251,
    257,
    4093,
    32749,
    65521,
    65537,
    (1 << 23) - 15,
    (1 << 31) - 1,
    (1 << 31) + 11,
    (1 << 32) - 5,
    (1 << 32) + 15,
    (1 << 50) - 27,
    (1 << 61) - 1,
    (1 << 63) - 25,
];
const MOST: usize = 12;

/// The input: a byte each for the prime, the rows, the columns and the dependences, then the entries by rows, of one or
/// two bytes.
fn decode(data: &[u8]) -> (u64, Vec<Vec<u64>>) {
    let mut bytes = data.iter().copied();
    let mut next = || bytes.next().unwrap_or(0);
    let p = PRIMES[usize::from(next()) % PRIMES.len()];
    let (rows, cols, dependent) = (usize::from(next()) % (MOST + 1), usize::from(next()) % (MOST + 1), next());
    let mut entry = || match next() {
        b @ 0..=7 => u64::from(b) % p,
        b @ 8..=15 => p - 1 - u64::from(b - 8) % p,
        16..=31 => p / 2,
        b @ 32..=95 => (u64::from(b) << 8 | u64::from(next())).wrapping_mul(0x9e37_79b9_7f4a_7c15) % p,
        _ => 0,
    };
    let mut matrix: Vec<Vec<u64>> = (0..rows).map(|_| (0..cols).map(|_| entry()).collect()).collect();
    let sum = |a: u64, b: u64| ((u128::from(a) + u128::from(b)) % u128::from(p)) as u64;
    if rows >= 3 && dependent & 1 == 1 {
        matrix[rows - 1] = (0..cols).map(|j| sum(matrix[0][j], matrix[1][j])).collect();
    }
    if cols >= 3 && dependent & 2 == 2 {
        matrix.iter_mut().for_each(|row| row[cols - 1] = sum(row[0], row[1]));
    }
    if rows >= 4 && dependent & 4 == 4 {
        matrix[rows - 2] = matrix[1].clone();
    }
    (p, matrix)
}

/// The ranks of the matrix and its transpose.
pub fn rank_tiny(data: &[u8]) -> bool {
    let (p, rows) = decode(data);
    let cols = rows.first().map_or(0, Vec::len);
    let expected = naive::rank(p, rows.clone());
    let entries = rows.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(j, &v)| (i, j, v)));
    let entries = entries.filter(|&(.., v)| v != 0).map(|(i, j, v)| (i, j, i64::try_from(v).expect("below 2⁶³")));
    let integers = Triplets::from_entries(rows.len(), cols, entries);
    let modulus = Modulus::new(p).expect("a prime");
    // Block Wiedemann takes long over extensions of small fields: one route for the matrix, the other for its
    // transpose, and only for even smaller matrices.
    let is_short = p > 1 << 15 || rows.len().min(cols) <= 6;
    for (integers, long) in [(&integers.transpose(), Method::Hybrid), (&integers, Method::Wiedemann)] {
        let a = integers.reduce(modulus);
        for method in [Method::Auto, Method::Elimination].into_iter().chain(is_short.then_some(long)) {
            compare(&a, &RankOptions::default().method(method), expected);
        }
        compare(&a, &RankOptions::default().proven(true), expected);
        let eliminated = elimination::rank(&a, &EliminationOptions::default(), &Silent).expect("small");
        assert_eq!(eliminated.rank, expected, "elimination");

        let answer = rank(&a, &RankOptions::default().minor(true), &Silent).expect("small");
        let minor = answer.minor.expect("asked for");
        assert_eq!((answer.rank, minor.rows().len()), (expected, expected), "the minor");
        let digest = integers.digest();
        let certificate = certificate(&a, &digest, &minor, &Silent).expect("a minor of the rank's order");
        assert_eq!(verify(&certificate, &a, &digest, &Silent).expect("honest").rank, expected);
    }
    true
}

fn compare(a: &SparseMatrix, options: &RankOptions, expected: usize) {
    let answer = rank(a, options, &Silent).expect("small");
    assert!(answer.rank <= expected, "{options:?}: {} > {expected}", answer.rank);
    // Rare failures cannot be tolerated here: a block with zeros or a repeated eigenvalue occurs about once in p.
    let sure = match answer.certainty {
        Certainty::Proven => true,
        Certainty::MonteCarlo { error_bound } => error_bound.value() < 1e-9,
        Certainty::Heuristic => a.modulus().get() > 1 << 40,
    };
    assert!(!sure || answer.rank == expected, "{options:?}: {} < {expected}", answer.rank);
}
