//! Determinants of matrices with several diagonal blocks against elimination of the whole.

use super::tests::{Dense, eliminate};
use super::{IntegerDeterminant, RankOptions, integer_determinant};
use crate::certify::Certainty;
use crate::field::Rng;
use crate::report::ErrorBound;
use crate::sparse::Triplets;
use crate::{Error, Observer, Silent};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

/// Square matrices along the diagonal.
fn diagonal(blocks: &[Dense]) -> Dense {
    let n = blocks.iter().map(Vec::len).sum();
    let (mut all, mut at): (Dense, usize) = (vec![vec![BigInt::zero(); n]; n], 0);
    for block in blocks {
        for (i, row) in block.iter().enumerate() {
            all[at + i][at..at + block.len()].clone_from_slice(row);
        }
        at += block.len();
    }
    all
}

/// A dense block with entries of up to so many bits, from 7 bits on without zeros.
fn block(n: usize, bits: u32, rng: &mut Rng) -> Dense {
    let mut number = || BigInt::from(rng.random_range(-99..=99i64)) * (BigInt::one() << bits) / 100 + 1;
    (0..n).map(|_| (0..n).map(|_| number()).collect()).collect()
}

fn triplets(a: &Dense) -> Triplets {
    let entries = a.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(j, v)| (i, j, v.clone())));
    Triplets::from_entries(a.len(), a.len(), entries)
}

/// Rows and columns in any order.
fn shuffled(mut a: Dense, rng: &mut Rng) -> Dense {
    let mut cols: Vec<usize> = (0..a.len()).collect();
    cols.shuffle(rng);
    a.shuffle(rng);
    a.iter().map(|row| cols.iter().map(|&j| row[j].clone()).collect()).collect()
}

fn names(found: &IntegerDeterminant) -> Vec<&str> {
    found.path.iter().map(|step| step.name).collect()
}

fn found(a: &Dense, options: &RankOptions) -> IntegerDeterminant {
    integer_determinant(&triplets(a), options, &Silent).unwrap()
}

/// The answer, with and without a proof, is that of elimination.
fn check(a: &Dense) -> IntegerDeterminant {
    let (rank, expected) = eliminate(a.clone());
    let (found, proven) = (found(a, &RankOptions::default()), found(a, &RankOptions::default().proven(true)));
    assert_eq!((&found.value, &proven.value), (&expected, &expected), "order {}", a.len());
    assert_eq!(proven.certainty, Certainty::Proven);
    assert!(!expected.is_zero() || found.certainty == Certainty::Proven);
    assert_eq!(found.rank, rank);
    assert!(expected.bits() <= found.hadamard_bits as u64 + 1);
    found
}

#[test]
fn products_over_shuffled_blocks_have_their_sign() {
    let mut rng = Rng::seed_from_u64(91);
    let (mut signs, mut zeros) = ([0, 0], 0);
    for round in 0..120 {
        let bits = [1, 6, 20, 62, 64, 90, 200][round % 7];
        let orders: Vec<usize> = (0..rng.random_range(2..7)).map(|_| rng.random_range(1..8)).collect();
        let blocks: Vec<Dense> = orders.iter().map(|&n| block(n, bits, &mut rng)).collect();
        let mut a = diagonal(&blocks);
        // Entries above the blocks change nothing.
        let ends: Vec<usize> = (1..=orders.len()).map(|k| orders[..k].iter().sum()).collect();
        let n = a.len();
        for at in 0..round % 3 * n {
            let (i, j) = (at % n, rng.random_range(0..n));
            let of = |line: usize| ends.iter().position(|&end| line < end);
            if of(i) < of(j) {
                a[i][j] = BigInt::from(rng.random_range(-9..=9));
            }
        }
        let a = shuffled(a, &mut rng);
        let found = check(&a);
        if found.value.is_zero() {
            zeros += 1;
        } else {
            signs[usize::from(found.value.is_negative())] += 1;
            assert_eq!(names(&found), ["block triangular form", "small blocks"]);
            assert!(found.divisor.is_one() && found.certainty == Certainty::Proven);
        }
    }
    assert!(signs.iter().all(|&count| count > 20) && zeros < 60, "{signs:?} {zeros}");
}

#[test]
fn many_blocks_of_every_small_order() {
    let mut rng = Rng::seed_from_u64(92);
    let orders = (0..150).map(|_| 1).chain((0..70).map(|_| 2)).chain([3, 4, 4, 5, 11, 24, 24]);
    let blocks: Vec<Dense> = orders.map(|n| block(n, 9, &mut rng)).collect();
    let expected: BigInt = blocks.iter().map(|block| eliminate(block.clone()).1).product();
    assert!(!expected.is_zero());
    let a = diagonal(&blocks);
    let straight = found(&a, &RankOptions::default());
    assert_eq!(straight.value, expected);
    assert_eq!(names(&straight), ["block triangular form", "small blocks"]);
    assert_eq!((straight.path[0].found.as_str(), straight.rank), ("227 diagonal blocks", a.len()));
    assert_eq!(found(&shuffled(a, &mut rng), &RankOptions::default()).value.magnitude(), expected.magnitude());
}

/// Blocks that are too large, or whose numbers are, go the way of a whole matrix.
#[test]
fn large_blocks_are_lifted() {
    let mut rng = Rng::seed_from_u64(93);
    for (orders, bits) in [(&[60, 50, 3, 1][..], 9), (&[5, 4], 5000), (&[2, 1], 20_000), (&[50, 1, 1], 9)] {
        let blocks: Vec<Dense> = orders.iter().map(|&n| block(n, bits, &mut rng)).collect();
        let lifted = orders.iter().filter(|&&n| n > 3).count();
        let found = check(&shuffled(diagonal(&blocks), &mut rng));
        assert!(!found.value.is_zero());
        assert_eq!(names(&found)[0], "block triangular form");
        assert_eq!(names(&found).iter().filter(|&&name| name == "lifting").count(), lifted, "{:?}", found.path);
        assert_eq!(found.divisor.bits() > 1, lifted > 0);
        assert!((&found.value % &found.divisor).is_zero());
    }
}

/// The error bounds of all blocks together are what was asked for.
#[test]
fn errors_add_up_over_blocks() {
    let mut rng = Rng::seed_from_u64(94);
    // Rows that are nearly equal: Hadamard's bound takes many more primes than agree.
    let mut row = || -> Vec<BigInt> { (0..60).map(|_| BigInt::from(rng.random_range(950..1050))).collect() };
    let blocks: Vec<Dense> = (0..3).map(|_| (0..60).map(|_| row()).collect()).collect();
    let (a, error) = (diagonal(&blocks), ErrorBound::new(1e-12).unwrap());
    let expected: BigInt = blocks.iter().map(|block| eliminate(block.clone()).1).product();
    for options in [RankOptions::default(), RankOptions::default().error(ErrorBound::new(1e-30).unwrap())] {
        let found = found(&a, &options);
        assert_eq!(found.value, expected);
        let bound = found.certainty.error_bound().expect("a few primes agree");
        assert!(bound <= options.error.unwrap_or(error), "{bound:?}");
    }
}

#[test]
fn singular_matrices_are_proven_to_be() {
    let mut rng = Rng::seed_from_u64(95);
    let same = |n: usize| -> Dense { vec![vec![BigInt::from(3); n]; n] };
    let of = |blocks: &[Dense], rng: &mut Rng| shuffled(diagonal(blocks), rng);
    // A singular block, small or large.
    for n in [2, 3, 7, 40, 55] {
        let a = of(&[block(4, 20, &mut rng), same(n), block(1, 70, &mut rng)], &mut rng);
        let found = check(&a);
        assert!(found.value.is_zero() && found.rank < a.len());
        assert!(found.reason.starts_with(&format!("a singular diagonal block of {n} rows")), "{}", found.reason);
    }
    // Components of 3 x 2 and 2 x 3, an empty row, nothing at all.
    let mut tall = diagonal(&[block(3, 9, &mut rng), block(2, 9, &mut rng)]);
    tall[..3].iter_mut().for_each(|row| row[2] = BigInt::zero());
    tall[3][2] = BigInt::one();
    let mut empty = diagonal(&[block(5, 80, &mut rng), block(6, 9, &mut rng)]);
    empty[7] = vec![BigInt::zero(); 11];
    for (a, size) in [(shuffled(tall, &mut rng), 4), (shuffled(empty, &mut rng), 10), (vec![vec![BigInt::zero()]], 0)] {
        let found = check(&a);
        assert!(found.value.is_zero() && found.certainty == Certainty::Proven);
        assert_eq!(names(&found)[0], "matching");
        let expected = format!("at most {size} of {} rows are matched", a.len());
        assert!(found.reason.starts_with(&expected), "{}", found.reason);
    }
}

#[test]
fn one_block_or_none_has_no_form() {
    let mut rng = Rng::seed_from_u64(96);
    for n in [0, 1, 6, 30] {
        let found = check(&block(n, 40, &mut rng));
        assert!(!names(&found).contains(&"block triangular form") && !names(&found).contains(&"small blocks"));
    }
    assert!(check(&vec![]).value.is_one());
}

#[test]
fn blocks_end_on_request() {
    struct Stop;
    impl Observer for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let a = Triplets::from_entries(9, 9, (0..9).map(|i| (i, i, 2)));
    assert!(matches!(integer_determinant(&a, &RankOptions::default(), &Stop), Err(Error::Interrupted)));
}
