//! Ranks over ℚ against known Smith forms and a naive elimination.

use super::search::Search;
use super::*;
use crate::answers::{Method, Route};
use crate::field::{Rng, random_prime};
use crate::integers::{hadamard_log2, primes_of_size};
use crate::sparse::Triplets;
use crate::{Error, Silent, families};
use num_bigint::BigInt;
use rand::{RngExt, SeedableRng};

/// The rank by fraction-free elimination: E. H. Bareiss, Math. Comp. 22, 1968.
pub(super) fn naive_rank(a: &Triplets) -> usize {
    let mut m = vec![vec![BigInt::ZERO; a.cols()]; a.rows()];
    a.entries().for_each(|(i, j, v)| m[i][j] = v.to_bigint());
    let (mut rank, mut last) = (0, BigInt::from(1));
    for j in 0..a.cols() {
        let Some(i) = (rank..a.rows()).find(|&i| m[i][j] != BigInt::ZERO) else { continue };
        m.swap(rank, i);
        let (done, rest) = m.split_at_mut(rank + 1);
        let pivot = &done[rank];
        for row in rest {
            let factor = row[j].clone();
            for (x, y) in row.iter_mut().zip(pivot) {
                *x = (&*x * &pivot[j] - &factor * y) / &last;
            }
        }
        last = done[rank][j].clone();
        rank += 1;
    }
    rank
}

fn proven() -> RationalOptions {
    RationalOptions { rank: RankOptions { proven: true, ..Default::default() }, ..Default::default() }
}

fn moduli(primes: &[u64]) -> Vec<Modulus> {
    primes.iter().map(|&p| Modulus::new(p).unwrap()).collect()
}

/// A matrix with the given Smith form: L·diag·R with random unimodular L, R, products of elementary matrices.
fn with_smith_form(rows: usize, cols: usize, factors: &[BigInt], seed: u64) -> Triplets {
    let mut rng = Rng::seed_from_u64(seed);
    let mut a = vec![vec![BigInt::ZERO; cols]; rows];
    factors.iter().enumerate().for_each(|(k, d)| a[k][k] = d.clone());
    for _ in 0..3 * (rows + cols) {
        let (i, j) = (rng.random_range(0..rows), rng.random_range(0..rows));
        let factor = rng.random_range(-2..3);
        if i != j {
            let other = a[j].clone();
            a[i].iter_mut().zip(other).for_each(|(x, y)| *x += y * factor);
        }
        let (i, j) = (rng.random_range(0..cols), rng.random_range(0..cols));
        if i != j {
            a.iter_mut().for_each(|row| row[i] = &row[i] + &row[j] * factor);
        }
    }
    Triplets::from_entries(rows, cols, (0..rows * cols).map(|k| (k / cols, k % cols, a[k / cols][k % cols].clone())))
}

#[test]
fn known_smith_forms() {
    // Each divides the next; the last beyond 64 bits.
    let huge: BigInt = BigInt::from(210) << 90;
    for (factors, shape) in [
        (vec![1, 1, 2, 6, 30], (5, 5)),
        (vec![1, 3, 3, 15, 0], (8, 6)),
        (vec![7, 7, 7], (3, 9)),
        (vec![], (4, 4)),
        (vec![2], (1, 1)),
    ] {
        for last in [None, Some(huge.clone())] {
            let mut d: Vec<BigInt> = factors.iter().map(|&d| d.into()).filter(|d| *d != BigInt::ZERO).collect();
            if d.len() < shape.0.min(shape.1) {
                d.extend(last);
            }
            let a = with_smith_form(shape.0, shape.1, &d, 3);
            let options = RationalOptions { moduli: moduli(&[2, 3, 5, 7]), ..Default::default() };
            let answer = rational_rank(&a, &options, &Silent).unwrap();
            assert_eq!(answer.rank, d.len());
            for q in &answer.asked {
                let multiples = d.iter().filter(|&x| x % q.modulus.get() == BigInt::ZERO).count();
                assert_eq!(answer.multiples_of(q), multiples, "{d:?} mod {}", q.modulus);
            }
            if let Certainty::MonteCarlo { error_bound } = answer.certainty {
                assert!(error_bound <= options.error && d.len() < shape.0.min(shape.1));
            }
            assert_ne!(answer.certainty, Certainty::Heuristic);
            let smaller = answer.asked.iter().filter(|q| q.rank < d.len()).count();
            assert_eq!(answer.explanations().count(), smaller);
        }
    }
}

/// Rank 2 over ℚ on 3 x 3, 1 mod p: (1, 1, 1), (1, 1 + p, 1), and `large` times the first more than their difference.
fn hidden(p: u64, large: &BigInt) -> Triplets {
    hidden_by(&p.into(), large)
}

fn hidden_by(p: &BigInt, large: &BigInt) -> Triplets {
    let rows = [[1.into(), 1.into(), 1.into()], [1.into(), 1 + p, 1.into()]];
    let last = [large.clone(), large + p, large.clone()];
    let entries = rows.into_iter().chain([last]).enumerate();
    Triplets::from_entries(3, 3, entries.flat_map(|(i, row)| row.into_iter().enumerate().map(move |(j, v)| (i, j, v))))
}

/// The rank with primes that are known beforehand.
fn by_generator_of_seed_1(a: &Triplets, options: &RationalOptions) -> crate::Result<RationalRank> {
    let mut search = Search::new(a, &a.digest(), options, &Silent).unwrap();
    search.rng = Rng::seed_from_u64(1);
    super::answer::run(search)
}

/// Whoever knows the seed, and the primes that it draws for one matrix, makes another whose entries are multiples of
/// them.
#[test]
fn primes_that_are_known_are_not_drawn_again() {
    for seed in 0..5 {
        let rank = RankOptions { seed, ..Default::default() };
        let options = RationalOptions { rank, ..Default::default() };
        let mut known = BigInt::from(1);
        for _ in 0..4 {
            // Beyond 64 bits no null space is tried.
            let a = hidden_by(&known, &(BigInt::from(1) << 70));
            let answer = rational_rank(&a, &options, &Silent).unwrap();
            assert_eq!((answer.rank, answer.drawn[0].rank), (2, 2), "seed {seed}, multiples of {known}");
            answer.drawn.iter().for_each(|q| known *= q.modulus.get());
        }
    }
}

#[test]
fn a_prime_that_lies_is_outvoted() {
    let p = random_prime(31, &mut Rng::seed_from_u64(1)).get();
    // Beyond 64 bits no null space is tried.
    let a = hidden(p, &(BigInt::from(1) << 70));
    let answer = by_generator_of_seed_1(&a, &RationalOptions::default()).unwrap();
    assert_eq!((answer.rank, answer.drawn[0].modulus.get(), answer.drawn[0].rank), (2, p, 1));
    assert!(answer.drawn.len() == 2 && answer.drawn[1].rank == 2, "{answer:?}");
    let line = answer.explanations().next().unwrap();
    assert_eq!(line, format!("rank 1 mod {p}: 1 invariant factor is a multiple of {p}, if both ranks are right"));
    // The bound is the product of ⌊h/30⌋/π each: rows of 0.8, 31 and 70.8 bits.
    let one = (answer.minor_bits / 30.0).floor() / primes_of_size(31);
    assert!((101.0..103.0).contains(&answer.minor_bits), "{}", answer.minor_bits);
    let Certainty::MonteCarlo { error_bound } = answer.certainty else { panic!("{answer:?}") };
    assert!((error_bound.value() / (one * one) - 1.0).abs() < 1e-6, "{error_bound}");
    // Demanded, the proof comes by primes; with words, by null vectors, though the first prime lies.
    let by_primes = by_generator_of_seed_1(&a, &proven()).unwrap();
    assert_eq!((by_primes.rank, by_primes.certainty), (2, Certainty::Proven));
    assert!(by_primes.proving.len() + by_primes.drawn.len() >= 4, "{by_primes:?}");
    let b = hidden(p, &(BigInt::from(1) << 61));
    for options in [RationalOptions::default(), proven()] {
        let answer = by_generator_of_seed_1(&b, &options).unwrap();
        assert_eq!((answer.rank, answer.certainty, answer.drawn[0].rank), (2, Certainty::Proven, 1), "{answer:?}");
    }
}

#[test]
fn small_minors_and_full_shapes_are_proven() {
    // Rank 1 with minors below 2³⁰: every prime of 31 bits is good.
    let a = Triplets::from_entries(2, 2, (0..4).map(|k| (k / 2, k % 2, 1)));
    let answer = rational_rank(&a, &RationalOptions::default(), &Silent).unwrap();
    assert_eq!((answer.rank, answer.certainty, answer.bad_prime, answer.drawn.len()), (1, Certainty::Proven, None, 1));
    assert!(answer.reason.starts_with("one prime"), "{}", answer.reason);
    let b = families::generate("bibd_9_5").unwrap();
    let options = RationalOptions { moduli: moduli(&[2, 3, 5]), ..Default::default() };
    let answer = rational_rank(&b, &options, &Silent).unwrap();
    assert_eq!((answer.rank, answer.certainty, answer.drawn.len()), (36, Certainty::Proven, 1));
    assert_eq!(answer.asked.iter().map(|q| q.rank).collect::<Vec<_>>(), [27, 36, 35]);
    let lines: Vec<_> = answer.explanations().collect();
    assert_eq!(lines[0], "rank 27 mod 2: 9 invariant factors are multiples of 2");
    assert_eq!(lines[1], "rank 35 mod 5: 1 invariant factor is a multiple of 5");
    // A cross is of structural rank 2 = rank on more lines; 2³¹ prevents that small minors decide.
    let cross = (0..4).map(|k| (1, k, (1i64 << 31) + k as i64)).chain((0..4).filter(|&k| k != 1).map(|k| (k, 2, 1)));
    let answer = rational_rank(&Triplets::from_entries(4, 4, cross), &RationalOptions::default(), &Silent).unwrap();
    assert_eq!((answer.rank, answer.certainty, answer.drawn.len()), (2, Certainty::Proven, 1));
    assert!(answer.bad_prime.is_some());
    // A bound that the caller knows; one that is wrong is no answer.
    let c = families::generate("ch5-5-b2").unwrap();
    let known = |bound| RationalOptions { rank_bound: Some(bound), ..Default::default() };
    let answer = rational_rank(&c, &known(176), &Silent).unwrap();
    assert!(answer.certainty == Certainty::Proven && answer.reason.contains("bounds by 176"), "{}", answer.reason);
    assert!(matches!(rational_rank(&c, &known(175), &Silent), Err(Error::Check(_))));
    // Without it, null vectors show the same with one prime, since they are cheap.
    let answer = rational_rank(&c, &RationalOptions::default(), &Silent).unwrap();
    assert_eq!((answer.rank, answer.certainty, answer.drawn.len()), (176, Certainty::Proven, 1));
    assert!(answer.reason.contains("null vectors over the integers"), "{}", answer.reason);
}

/// Random matrices of every kind with their ranks by the naive way.
fn zoo(rng: &mut Rng, round: usize) -> Triplets {
    let (rows, cols) = (rng.random_range(1..9usize), rng.random_range(1..9usize));
    let size = [1i64, 2, 40, 1 << 20, i64::MAX / 8][round % 5];
    let first = random_prime(31, &mut Rng::seed_from_u64(1)).get();
    let entries: Vec<(usize, usize, BigInt)> = (0..rng.random_range(0..=2 * rows * cols))
        .map(|_| {
            let v = BigInt::from(rng.random_range(-size..=size));
            let v = match rng.random_range(0..8) {
                0 => v * first,
                1 if round.is_multiple_of(7) => v << 80,
                _ => v,
            };
            (rng.random_range(0..rows), rng.random_range(0..cols), v)
        })
        .collect();
    // Some rows again, multiplied: dependent lines, contents.
    let again: Vec<_> = match round % 3 {
        0 => vec![],
        k => entries.iter().map(|(i, j, v)| (rows + i / 2, *j, v * (k as i64 * 6 - 9))).collect(),
    };
    Triplets::from_entries(2 * rows, cols + 1, entries.into_iter().chain(again))
}

#[test]
fn every_rank_that_is_proven_is_the_rank() {
    let mut rng = Rng::seed_from_u64(7);
    let (mut by_null_space, mut by_primes, mut by_pattern) = (0, 0, 0);
    for round in 0..1500 {
        let a = zoo(&mut rng, round);
        let expected = naive_rank(&a);
        let seed = 1 + (round as u64) % 3;
        let rank = RankOptions { proven: true, seed, ..Default::default() };
        let options = RationalOptions { moduli: moduli(&[3]), rank, ..Default::default() };
        let answer = rational_rank(&a, &options, &Silent).unwrap();
        assert_eq!((answer.rank, answer.certainty), (expected, Certainty::Proven), "{a:?}: {}", answer.reason);
        assert_eq!(answer.asked[0].certainty, Certainty::Proven);
        by_null_space += usize::from(answer.reason.contains("null vectors"));
        by_primes += usize::from(answer.reason.contains("prime:") || answer.reason.contains("primes,"));
        by_pattern += usize::from(answer.reason.contains("pattern"));
        let default = rational_rank(&a, &RationalOptions::default(), &Silent).unwrap();
        assert!(default.rank == expected && default.certainty != Certainty::Heuristic, "{a:?}: {default:?}");
    }
    assert!(by_null_space.min(by_primes).min(by_pattern) > 50, "{by_null_space} {by_primes} {by_pattern}");
}

#[test]
fn a_proof_that_is_impossible_is_refused_at_once() {
    let a = Triplets::from_entries(2, 2, (0..4).map(|k| (k / 2, k % 2, 1)));
    for method in [Method::Wiedemann, Method::Hybrid] {
        let rank = RankOptions { method, proven: true, ..Default::default() };
        let options = RationalOptions { rank, ..Default::default() };
        assert!(matches!(rational_rank(&a, &options, &Silent), Err(Error::Usage(_))));
    }
}

#[test]
fn primes_that_are_enough_whatever_they_cost() {
    // Entries beyond 64 bits leave no other way: rank 3 of 5 x 5.
    let mut rng = Rng::seed_from_u64(8);
    let mut factor =
        |n: usize| -> Vec<BigInt> { (0..n).map(|_| BigInt::from(rng.random_range(1i64..1 << 40)) << 30).collect() };
    let (l, r) = (factor(15), factor(15));
    let at = |i: usize, j: usize| (0..3).map(|k| &l[3 * i + k] * &r[5 * k + j]).sum::<BigInt>();
    let a = Triplets::from_entries(5, 5, (0..25).map(|k| (k / 5, k % 5, at(k / 5, k % 5))));
    let answer = rational_rank(&a, &proven(), &Silent).unwrap();
    assert_eq!((answer.rank, answer.certainty), (3, Certainty::Proven));
    let bits: f64 = answer.proving.iter().chain(&answer.drawn).map(|p| (p.modulus.get() as f64).log2()).sum();
    assert!(bits > hadamard_log2(&contents::without_contents(&a).unwrap(), 4).unwrap(), "{answer:?}");
    assert!(answer.proving.iter().all(|p| p.certainty == Certainty::Proven && p.rank <= 3));
    let mut primes: Vec<u64> = answer.proving.iter().map(|p| p.modulus.get()).collect();
    primes.sort_unstable();
    primes.dedup();
    assert_eq!(primes.len(), answer.proving.len());
}

#[test]
fn errors_below_every_number_are_met_or_refused() {
    // Nothing is proven: entries beyond 64 bits, and minors of more bits than the primes that 1e-320 needs.
    let h = BigInt::from(1) << 3000;
    let a = hidden(5, &h);
    for error in ["1e-12", "1e-300", "1e-320", "1e-400"] {
        let options = RationalOptions { error: error.parse().unwrap(), ..Default::default() };
        let answer = rational_rank(&a, &options, &Silent).unwrap();
        let Certainty::MonteCarlo { error_bound } = answer.certainty else { panic!("{error}: {answer:?}") };
        let exact = answer.drawn.len() as f64 * answer.bad_prime.unwrap().log2();
        assert!(error_bound <= options.error && (error_bound.log2() - exact).abs() < 1e-6, "{error}: {error_bound}");
    }
    let beyond = RationalOptions { error: "1e-99999".parse().unwrap(), ..Default::default() };
    assert!(matches!(rational_rank(&a, &beyond, &Silent), Err(Error::Usage(_))));
}

#[test]
fn degenerate_shapes_and_options() {
    for (rows, cols) in [(0, 0), (0, 3), (3, 0), (2, 2)] {
        let zero = Triplets::from_entries(rows, cols, Vec::<(usize, usize, i64)>::new());
        let answer = rational_rank(&zero, &RationalOptions::default(), &Silent).unwrap();
        assert_eq!((answer.rank, answer.certainty, answer.drawn.len()), (0, Certainty::Proven, 0));
    }
    let a = Triplets::from_entries(1, 1, [(0, 0, 1)]);
    let options = RationalOptions { error: ErrorBound::VACUOUS, ..Default::default() };
    assert!(matches!(rational_rank(&a, &options, &Silent), Err(Error::Usage(_))));
    let rank = RankOptions { route: Route::CoDegree, ..Default::default() };
    let options = RationalOptions { rank, ..Default::default() };
    assert!(matches!(rational_rank(&a, &options, &Silent), Err(Error::Usage(_))));
}

#[test]
fn large_primes_for_huge_entries_and_for_wiedemann() {
    // Minors of two million bits: two 31-bit primes in 10³ might divide.
    let huge: BigInt = BigInt::from(1) << 50_000;
    let board = |k: usize| if k.is_multiple_of(2) { huge.clone() } else { 1.into() };
    let a = Triplets::from_entries(41, 41, (0..41 * 41).map(|k| (k / 41, k % 41, board(k))));
    let answer = rational_rank(&a, &RationalOptions::default(), &Silent).unwrap();
    assert_eq!((answer.rank, answer.prime_bits), (2, 62));
    let b = families::generate("ch4-4-b2").unwrap();
    let method = RankOptions { method: Method::Wiedemann, ..Default::default() };
    let by_wiedemann = rational_rank(&b, &RationalOptions { rank: method, ..Default::default() }, &Silent).unwrap();
    let answer = rational_rank(&b, &RationalOptions::default(), &Silent).unwrap();
    assert_eq!((by_wiedemann.rank, by_wiedemann.prime_bits), (answer.rank, 62));
    assert!(
        matches!(by_wiedemann.certainty, Certainty::MonteCarlo { error_bound } if error_bound <= RationalOptions::default().error)
    );
}
