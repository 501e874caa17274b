//! Against the answers modulo primes of a word, and by multiplication over the integers.

use super::super::{kernel, rank, solve};
use super::*;
use crate::field::{Modulus, Rng};
use crate::large::{LargeModulus, LargeVectors};
use crate::sparse::Triplets;
use crate::{Error, Silent, families};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::Zero;
use rand::{RngExt, SeedableRng};

fn prime(text: &str) -> LargeModulus {
    text.parse().unwrap()
}

fn random_matrix(rng: &mut Rng, rows: usize, cols: usize) -> Triplets {
    let count = if rows * cols == 0 { 0 } else { rng.random_range(0..=3 * rows) };
    let entries = (0..count).map(|_| {
        let value =
            if rng.random_bool(0.7) { [1, -1][rng.random_range(0..2usize)] } else { rng.random_range(-40i64..40) };
        (rng.random_range(0..rows), rng.random_range(0..cols), value)
    });
    let entries: std::collections::BTreeMap<(usize, usize), i64> = entries.map(|(i, j, v)| ((i, j), v)).collect();
    Triplets::from_entries(rows, cols, entries.into_iter().map(|((i, j), v)| (i, j, v)))
}

/// A·X mod p, by integers.
fn times(a: &Triplets, x: &Triplets, p: &LargeModulus) -> Triplets {
    let p = BigInt::from(p.get().clone());
    let mut sums = std::collections::BTreeMap::<(usize, usize), BigInt>::new();
    for (i, j, v) in a.entries() {
        for (row, k, w) in x.entries() {
            if row == j {
                *sums.entry((i, k)).or_default() += v.to_bigint() * w.to_bigint();
            }
        }
    }
    let entries = sums.into_iter().map(|((i, k), v)| (i, k, v.mod_floor(&p))).filter(|entry| !entry.2.is_zero());
    Triplets::from_entries(a.rows(), x.cols(), entries)
}

#[test]
fn a_prime_of_a_word_has_the_answers_of_the_other_path() {
    let mut rng = Rng::seed_from_u64(3);
    for round in 0..60 {
        let (rows, cols) = (rng.random_range(0..25), rng.random_range(0..25));
        let (a, p) = (random_matrix(&mut rng, rows, cols), [3, 5, 65521, 9223372036854775783][round % 4]);
        let (large, modulus) = (prime(&p.to_string()), Modulus::new(p).unwrap());
        let reduced = a.reduce(modulus);
        let expected = rank::rank(&reduced, &RankOptions::default(), &Silent).unwrap().rank;
        for options in [RankOptions::default(), RankOptions::default().proven(true)] {
            let found = large_rank(&a, &large, &options, &Silent).unwrap();
            assert_eq!((found.rank, found.certainty.name()), (expected, "proven"));
        }
        for left in [false, true] {
            let found = large_kernel(&a, &large, &KernelOptions::default().left(left), &Silent).unwrap();
            let known = kernel::kernel(&reduced, &KernelOptions::default().left(left), &Silent).unwrap();
            assert_eq!((found.dimension(), found.coordinates()), (known.dimension(), known.coordinates()));
            let mut number = 0;
            let certainty = found.basis(
                |vectors| {
                    assert_eq!(vectors.first(), number);
                    number += vectors.len();
                    Ok(())
                },
                &Silent,
            );
            assert_eq!((certainty.unwrap().name(), number), ("proven", found.dimension()));
        }
        let count = rng.random_range(0..4);
        let b = if rng.random_bool(0.5) {
            times(&a, &random_matrix(&mut rng, cols, count), &large)
        } else {
            random_matrix(&mut rng, rows, count)
        };
        let known = solve::solve(&reduced, &b.reduce(modulus), &SolveOptions::default(), &Silent).unwrap();
        for random in [false, true] {
            let found = large_solve(&a, &b, &large, &SolveOptions::default().random(random), &Silent).unwrap();
            check_solution(&a, &b, &large, &found);
            assert_eq!((found.rank.rank, &found.inconsistent), (known.rank.rank, &known.inconsistent));
        }
    }
}

fn check_solution(a: &Triplets, b: &Triplets, p: &LargeModulus, found: &LargeSolution) {
    let whole =
        |b: &Triplets| times(b, &Triplets::from_entries(b.cols(), b.cols(), (0..b.cols()).map(|k| (k, k, 1))), p);
    match (&found.solutions, &found.contradiction) {
        (Some(x), None) => assert_eq!(times(a, x, p), whole(b)),
        (None, Some(LargeContradiction { column, y, value })) => {
            let entries = y.iter().map(|(i, v)| (0, *i as usize, BigInt::from(v.clone())));
            let y = Triplets::from_entries(1, a.rows(), entries);
            assert_eq!(times(&y, a, p).nnz(), 0);
            let (_, _, product) = times(&y, b, p)
                .entries()
                .map(|e| (e.0, e.1, e.2.to_bigint()))
                .find(|e| e.1 == *column as usize)
                .unwrap();
            assert!(!value.is_zero() && product == BigInt::from(value.clone()));
            assert_eq!(found.inconsistent[0], *column);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn families_have_their_ranks_modulo_large_primes() {
    for (name, p) in [("ch5-5-b3", "2^127-1"), ("mk9-b2", "2^89-1"), ("bibd_9_5", "2^521-1"), ("ch4-4-b2", "2^607-1")] {
        let a = families::generate(name).unwrap();
        // Torsion of these is far below the prime: the rank over ℚ is that mod a random word.
        let expected =
            rank::rank(&a.reduce(Modulus::new(2147483629).unwrap()), &RankOptions::default(), &Silent).unwrap().rank;
        for method in [Method::Auto, Method::Elimination, Method::Wiedemann] {
            let found = large_rank(&a, &prime(p), &RankOptions::default().method(method), &Silent).unwrap();
            assert_eq!(found.rank, expected, "{name} {method:?}");
            assert!(found.certainty.error_bound().is_none_or(|bound| bound.log2() < -40.0));
        }
    }
}

#[test]
fn threads_change_nothing_and_errors_end_the_work() {
    let (a, p) = (families::generate("ch5-5-b2").unwrap(), prime("2^127-1"));
    let made = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let options = KernelOptions::default().rank(RankOptions::default().method(Method::Wiedemann));
            let (mut all, kernel) = (vec![], large_kernel(&a, &p, &options, &Silent).unwrap());
            let mut take = |vectors: &LargeVectors| {
                all.push(vectors.clone());
                Ok(())
            };
            assert_eq!(kernel.basis(&mut take, &Silent).unwrap().name(), "proven");
            kernel.random(5, take, &Silent).unwrap();
            all
        })
    };
    assert_eq!(made(1), made(3));
    let kernel = large_kernel(&a, &p, &KernelOptions::default(), &Silent).unwrap();
    let stopped = kernel.basis(|_| Err(Error::Interrupted), &Silent);
    assert!(matches!(stopped, Err(Error::Interrupted)));
}

#[test]
fn what_there_is_not_is_refused() {
    let (a, p) = (families::generate("ch4-4-b2").unwrap(), prime("2^89-1"));
    let base = RankOptions::default();
    for options in [
        base.clone().minor(true),
        base.clone().block(2),
        base.clone().trials(2),
        base.clone().route(Route::Both),
        base.trials(0),
    ] {
        assert!(matches!(large_rank(&a, &p, &options, &Silent), Err(Error::Usage(_))));
    }
    let b = Triplets::from_entries(1, 1, [(0, 0, 1)]);
    assert!(matches!(large_solve(&a, &b, &p, &SolveOptions::default(), &Silent), Err(Error::Matrix(_))));
}

/// bᵉ mod m.
fn power(b: u64, mut e: u64, m: u64) -> u64 {
    let (mut base, mut result) = (b % m, 1);
    while e > 0 {
        if e & 1 == 1 {
            result = result * base % m;
        }
        base = base * base % m;
        e >>= 1;
    }
    result
}

/// The exponents of n over the primes, if they are all of its factors.
fn smooth(mut n: u64, primes: &[u64]) -> Option<Vec<(usize, i64)>> {
    let mut exponents = vec![];
    for (j, &q) in primes.iter().enumerate() {
        let mut e = 0;
        while n.is_multiple_of(q) {
            n /= q;
            e += 1;
        }
        if e > 0 {
            exponents.push((j, e));
        }
    }
    (n == 1).then_some(exponents)
}

/// A discrete logarithm in GF(1000000007) from relations to the answer: docs/discrete-logarithm.md.
#[test]
fn a_discrete_logarithm() {
    let (field, order, g, h) = (1_000_000_007u64, 500_000_003u64, 5, 123_456_789);
    let primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47];
    let (mut rows, mut sides) = (vec![], vec![]);
    for k in 1.. {
        if let Some(row) = smooth(power(g, k * 7919, field), &primes) {
            let i = sides.len();
            sides.push((i, 0, (k * 7919) as i64));
            rows.extend(row.into_iter().map(|(j, e)| (i, j, e)));
            if i == primes.len() + 10 {
                break;
            }
        }
    }
    let a = Triplets::from_entries(sides.len(), primes.len(), rows);
    let b = Triplets::from_entries(sides.len(), 1, sides);
    let found = large_solve(&a, &b, &prime(&order.to_string()), &SolveOptions::default(), &Silent).unwrap();
    assert_eq!(found.rank.rank, primes.len());
    let mut logs = vec![BigInt::zero(); primes.len()];
    found.solutions.unwrap().entries().for_each(|(j, _, v)| logs[j] = v.to_bigint());
    let (shift, row) = (0..).find_map(|s| Some((s, smooth(h * power(g, s, field) % field, &primes)?))).unwrap();
    let sum = row.into_iter().map(|(j, e)| &logs[j] * e).sum::<BigInt>() - BigInt::from(shift);
    let x = u64::try_from(sum.mod_floor(&BigInt::from(order))).unwrap();
    // Logarithms are known mod (p - 1)/2: g^x = ±h.
    assert!([x, x + order].iter().any(|&x| power(g, x, field) == h));
}

/// Entries as large as the modulus, as Schirokauer maps have them; multiples of it are zeros.
#[test]
fn entries_of_any_size() {
    let p = prime("2^127-1");
    let modulus = BigInt::from(p.get().clone());
    let big = |v: i64| (&modulus * 12345) + v;
    let a = Triplets::from_entries(
        2,
        3,
        [(0, 0, big(1)), (0, 1, big(0)), (1, 0, big(-2)), (1, 2, BigInt::from(1u128 << 100))],
    );
    let kernel = large_kernel(&a, &p, &KernelOptions::default(), &Silent).unwrap();
    assert_eq!((kernel.rank().rank, kernel.free()), (2, &[1][..]));
    let b = Triplets::from_entries(2, 1, [(0, 0, BigInt::from(3)), (1, 0, BigInt::from(BigUint::from(7u32).pow(60)))]);
    let found = large_solve(&a, &b, &p, &SolveOptions::default(), &Silent).unwrap();
    check_solution(&a, &b, &p, &found);
    assert!(found.is_consistent());
}
