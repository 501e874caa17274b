//! Against elimination on integers of any length, and the arithmetic against itself.

use super::arithmetic::Arithmetic;
use super::choose::{Work, over};
use super::*;
use crate::Silent;
use crate::certify::Streams;
use crate::field::Rng;
use crate::sparse::Triplets;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One, Zero};
use rand::{Rng as _, RngExt, SeedableRng};

const PRIMES: [&str; 14] = [
    "2",
    "3",
    "5",
    "65521",
    "2147483647",
    "2^61-1",
    "9223372036854775783",
    "9223372036854775837",
    "2^89-1",
    "2^127-1",
    "340282366920938463463374607431768211507",
    "2^521-1",
    "2^607-1",
    "2^1279-1",
];

fn prime(text: &str) -> LargeModulus {
    text.parse().unwrap()
}

/// Random residues and the extreme ones.
fn samples(p: &BigUint, rng: &mut Rng) -> Vec<BigUint> {
    let mut all: Vec<BigUint> = [0u32, 1, 2].iter().map(|&n| n % p).collect();
    all.extend([p - 1u32, p >> 1, (p - 1u32) >> 1]);
    all.extend((0..6).map(|_| super::arithmetic::random_below(p, rng)));
    all
}

struct Operations;

impl Work for Operations {
    type Output = ();

    fn over<F: Arithmetic + 'static>(self, field: &F) {
        let (p, mut rng) = (field.modulus().clone(), Rng::seed_from_u64(1));
        let all = samples(&p, &mut rng);
        let e = |n: &BigUint| field.element(n);
        let i = |x: &F::Element| field.integer(x);
        assert_eq!((i(&field.zero()), i(&field.one())), (BigUint::zero(), BigUint::one()));
        for a in &all {
            assert_eq!(i(&e(a)), *a);
            assert_eq!(i(&field.element(&(a + &p * 3u32))), *a);
            assert_eq!(i(&field.neg(&e(a))), (&p - a) % &p);
            if !a.is_zero() {
                assert_eq!(field.mul(&e(a), &field.inverse(&e(a))), field.one());
            }
            for b in &all {
                assert_eq!(i(&field.add(&e(a), &e(b))), (a + b) % &p);
                assert_eq!(i(&field.sub(&e(a), &e(b))), (a + &p - b) % &p);
                assert_eq!(i(&field.mul(&e(a), &e(b))), a * b % &p);
            }
        }
        for k in [0, 1, 7, u64::from(u32::MAX), 1 << 62] {
            assert!(all.iter().all(|a| i(&field.times_word(&e(a), k)) == a * k % &p), "{k} mod {p}");
        }
        // Sums of both signs, reduced as soon as the budget demands it.
        let top = e(&(&p - 1u32));
        for sign in [1, -1] {
            let (mut sum, mut exact, mut used) = (field.nothing(), BigInt::zero(), 0);
            for round in 0..200u32 {
                let a = &all[round as usize % all.len()];
                let k = [1, -1, 7, 60, -5, -60, 1, 1][round as usize % 8] * sign;
                if used + u64::from(i32::unsigned_abs(k)) > field.budget() {
                    field.reduce(&mut sum);
                    used = 1;
                }
                used += u64::from(i32::unsigned_abs(k));
                let loose = field.loose(&e(a));
                match k {
                    1 => field.plus(&mut sum, &loose),
                    -1 => field.minus(&mut sum, &loose),
                    k => field.plus_times(&mut sum, k, &loose),
                }
                exact += BigInt::from(a.clone()) * k;
                let mut now = sum.clone();
                field.reduce(&mut now);
                assert_eq!(i(&field.tight(&now)), exact.mod_floor(&p.clone().into()).into_parts().1, "{p} {round}");
            }
        }
        let mut products = field.products();
        for n in 1..=70u32 {
            field.plus_product(&mut products, &top, &top);
            assert_eq!(i(&field.reduced_products(products.clone())), BigUint::from(n) % &p);
        }
    }
}

#[test]
fn arithmetic_is_that_of_integers() {
    PRIMES.iter().for_each(|p| over(&prime(p), Operations));
}

/// The rank by elimination on integers of any length.
fn naive_rank(a: &Triplets, p: &BigUint) -> usize {
    let p = BigInt::from(p.clone());
    let mut rows = vec![vec![BigInt::zero(); a.cols()]; a.rows()];
    a.entries().for_each(|(i, j, v)| rows[i][j] = v.to_bigint().mod_floor(&p));
    let mut rank = 0;
    for c in 0..a.cols() {
        let Some(found) = (rank..rows.len()).find(|&i| !rows[i][c].is_zero()) else { continue };
        rows.swap(rank, found);
        let inverse = rows[rank][c].modinv(&p).unwrap();
        let (top, below) = rows.split_at_mut(rank + 1);
        for row in below {
            let factor = (&row[c] * &inverse).mod_floor(&p);
            for (x, y) in row.iter_mut().zip(&top[rank]).skip(c) {
                *x = (&*x - &factor * y).mod_floor(&p);
            }
        }
        rank += 1;
    }
    rank
}

/// A random matrix with the troubles of real ones: empty and repeated lines, entries of all sizes, low rank.
fn random_matrix(rng: &mut Rng) -> Triplets {
    let (rows, cols) = (rng.random_range(0..30usize), rng.random_range(0..30usize));
    if rows * cols == 0 {
        return Triplets::from_entries(rows, cols, std::iter::empty::<(usize, usize, i64)>());
    }
    let density = rng.random_range(1..=cols.min(8));
    let big = rng.random_range(0..4u32);
    let mut lines: Vec<Vec<(usize, BigInt)>> = vec![];
    for _ in 0..rows {
        let kind = rng.random_range(0..10u32);
        if kind == 0 {
            lines.push(vec![]);
        } else if kind == 1 && !lines.is_empty() {
            let again = lines[rng.random_range(0..lines.len())].clone();
            lines.push(again);
        } else {
            let mut line: Vec<(usize, BigInt)> = vec![];
            for _ in 0..rng.random_range(0..=density) {
                let j = rng.random_range(0..cols);
                if line.iter().all(|entry| entry.0 != j) {
                    let v = match rng.random_range(0..12u32) {
                        0 => BigInt::from(rng.random_range(-1i64 << 40..1 << 40)),
                        1 if big == 0 => BigInt::from(rng.next_u64()) << rng.random_range(0..600u32),
                        2 | 3 => BigInt::from(rng.random_range(-9i64..10)),
                        k => BigInt::from(if k % 2 == 0 { 1 } else { -1 }),
                    };
                    line.push((j, v));
                }
            }
            lines.push(line);
        }
    }
    let entries = lines.into_iter().enumerate().flat_map(|(i, line)| line.into_iter().map(move |(j, v)| (i, j, v)));
    Triplets::from_entries(rows, cols, entries)
}

fn question<'a>(a: &'a Triplets, p: &'a LargeModulus, way: Option<Way>, vectors: bool) -> Question<'a> {
    let streams = Streams::of_integers(&format!("{} mod {p}", a.digest()), 1);
    Question { matrix: a, right: None, transposed: false, modulus: p, vectors, way, max_memory: None, streams }
}

/// A·x = 0 for each vector, by integers.
fn check_null(a: &Triplets, vectors: &LargeVectors, p: &BigUint) {
    for k in 0..vectors.len() {
        let (at, values) = vectors.vector(k);
        let mut sums = vec![BigInt::zero(); a.rows()];
        for (i, j, v) in a.entries() {
            if let Ok(place) = at.binary_search(&(j as u32)) {
                sums[i] += v.to_bigint() * BigInt::from(values[place].clone());
            }
        }
        assert!(sums.iter().all(|sum| sum.mod_floor(&p.clone().into()).is_zero()));
    }
}

#[test]
fn ranks_and_null_spaces_are_those_of_the_textbook() {
    let mut rng = Rng::seed_from_u64(7);
    let ways = [None, Some(Way::Dense), Some(Way::Lanczos)];
    for round in 0..240 {
        let a = random_matrix(&mut rng);
        let p = prime(PRIMES[round % PRIMES.len()]);
        let rank = naive_rank(&a, p.get());
        // Lanczos' method needs room for chance.
        let ways = if p.bits() > 30 { &ways[..] } else { &ways[..2] };
        for &way in ways {
            let found = question(&a, &p, way, false).answer(&Silent).unwrap();
            assert_eq!(found.rank, rank, "{p} {way:?}");
            let found = question(&a, &p, way, true).answer(&Silent).unwrap();
            assert_eq!((found.rank, found.error), (rank, None), "{p} {way:?}");
            let space = found.space.unwrap();
            assert_eq!(space.free().len(), a.cols() - rank);
            let basis = space.basis(0..space.free().len(), (0, &mut rng), &Silent).unwrap();
            check_null(&a, &basis, p.get());
            for (k, &j) in space.free().iter().enumerate() {
                let (at, values) = basis.vector(k);
                let own: Vec<u32> = at.iter().copied().filter(|j| space.free().binary_search(j).is_ok()).collect();
                assert_eq!(own, [j]);
                assert!(values[at.binary_search(&j).unwrap()].is_one());
            }
            check_null(&a, &space.random(0, 3, &mut rng, &Silent).unwrap(), p.get());
        }
    }
}

#[test]
fn memory_and_cancellation() {
    let p = prime("2^127-1");
    let entries = (0..400usize).map(|k| (k / 20, (k * 7 + k / 20) % 20, 2 + k as i64 % 5));
    let a = Triplets::from_entries(20, 20, entries);
    let mut small = question(&a, &p, None, true);
    small.max_memory = Some(10);
    assert!(matches!(small.answer(&Silent), Err(crate::Error::Memory(_))));
    struct Stop;
    impl crate::Observer for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    for way in [Way::Dense, Way::Lanczos] {
        let stopped = question(&a, &p, Some(way), true).answer(&Stop);
        assert!(matches!(stopped, Err(crate::Error::Interrupted)));
    }
}
