//! Null spaces against ranks by fraction-free elimination.

use super::super::tests::naive_rank;
use super::*;
use crate::Silent;
use crate::answers::{RankOptions, rank};
use crate::families;
use crate::field::Rng;
use crate::sparse::Integer;
use num_bigint::BigInt;
use rand::{RngExt, SeedableRng};

const Q: u64 = (1 << 31) - 1;

/// Any minor of the order of the rank, without a chain.
fn by_dense_elimination(a: &Triplets, p: Modulus) -> Minor {
    let a = a.reduce(p);
    let rows: Vec<_> = (0..a.rows()).map(|i| a.row(i)).collect();
    let mut echelon = Echelon::new(p, a.cols()).unwrap();
    echelon.absorb(&rows, &Silent).unwrap();
    let rows = echelon.pivot_rows().iter().map(|&i| i as u32).collect();
    let cols = echelon.pivot_cols().unwrap();
    Minor::new(rows, cols, 0)
}

/// The minor of the computation, with its chain.
fn by_rank(a: &Triplets, p: Modulus) -> Minor {
    rank(&a.reduce(p), &RankOptions { minor: true, ..Default::default() }, &Silent).unwrap().minor.unwrap()
}

/// Sample and rest, as a proof takes them.
fn run(a: &Triplets, q: u64, minor: &Minor) -> (Outcome, Found) {
    let bits = crate::integers::hadamard_log2(a, minor.rows.len()).unwrap();
    let mut space = NullSpace::new(a, Modulus::new(q).unwrap(), minor, bits, &Machine::reference(), &Silent)
        .unwrap()
        .expect("entries of 64 bits");
    let free = space.todo.len();
    let (outcome, _) = space.sample(1e9, &Silent).unwrap();
    let outcome = if outcome == Outcome::Complete { space.complete(1e9, &Silent).unwrap() } else { outcome };
    if outcome == Outcome::Complete {
        assert_eq!(space.found.vectors, free);
    }
    (outcome, space.found)
}

/// By both minors; the outcome must be that of the rank over ℚ.
fn check(a: &Triplets, q: u64) -> Found {
    let p = Modulus::new(q).unwrap();
    let expected = naive_rank(a);
    let minors = [by_dense_elimination(a, p), by_rank(a, p)];
    let [_, found] = minors.map(|minor| {
        let (outcome, found) = run(a, q, &minor);
        let larger = if minor.rows.len() < expected { Outcome::Larger } else { Outcome::Complete };
        assert_eq!(outcome, larger, "rank {expected}, mod {q} {}: {a:?}", minor.rows.len());
        found
    });
    found
}

/// Left factor times right factor, entries from `entry`.
fn product(rng: &mut Rng, [rows, inner, cols]: [usize; 3], mut entry: impl FnMut(&mut Rng) -> BigInt) -> Triplets {
    let l: Vec<BigInt> = (0..rows * inner).map(|_| entry(rng)).collect();
    let r: Vec<BigInt> = (0..inner * cols).map(|_| entry(rng)).collect();
    let at = |i: usize, j: usize| (0..inner).map(|k| &l[i * inner + k] * &r[k * cols + j]).sum::<BigInt>();
    Triplets::from_entries(rows, cols, (0..rows * cols).map(|k| (k / cols, k % cols, at(k / cols, k % cols))))
}

fn words_only(a: &Triplets) -> bool {
    a.entries().all(|(_, _, v)| matches!(v, Integer::Small(_)))
}

#[test]
fn random_matrices_have_as_many_vectors_as_their_rank_leaves() {
    let mut rng = Rng::seed_from_u64(1);
    let mut lifted = 0;
    for round in 0..600 {
        let shape = [rng.random_range(1..12), rng.random_range(0..9), rng.random_range(1..12)];
        // Few entries of ±1, then numbers that need fractions, then digits.
        let (zeros, size) = [(2, 1), (1, 3), (0, 50), (2, 3000), (0, 1 << 29)][round % 5];
        let a = product(&mut rng, shape, |rng| match rng.random_range(0..=zeros) {
            0 => rng.random_range(-size..=size).into(),
            _ => BigInt::ZERO,
        });
        if words_only(&a) {
            lifted += check(&a, Q).lifted;
            check(&a, 1_073_741_827);
            check(&a.transpose(), Q);
        }
    }
    assert!(lifted > 100, "{lifted} vectors needed digits");
}

#[test]
fn multiples_of_the_prime_hide_a_rank_that_the_integers_show() {
    let mut rng = Rng::seed_from_u64(2);
    let mut hidden = 0;
    for _ in 0..400 {
        let (rows, cols) = (rng.random_range(1..9), rng.random_range(1..9));
        let entries: Vec<_> = (0..rng.random_range(1..25))
            .map(|_| {
                let v = rng.random_range(-2i64..3) * if rng.random_range(0..3) == 0 { Q as i64 } else { 1 };
                (rng.random_range(0..rows), rng.random_range(0..cols), v)
            })
            .collect();
        let a = Triplets::from_entries(rows, cols, entries);
        check(&a, Q);
        hidden += usize::from(by_dense_elimination(&a, Modulus::new(Q).unwrap()).rows.len() < naive_rank(&a));
    }
    assert!(hidden > 50, "{hidden} ranks are smaller mod q");
}

#[test]
fn boundary_matrices_need_one_digit() {
    for name in ["ch4-4-b2", "ch5-5-b2", "mk9-b3", "bibd_9_5"] {
        let a = families::generate(name).unwrap();
        for a in [a.transpose(), a] {
            let p = Modulus::new(Q).unwrap();
            let minor = by_rank(&a, p);
            let (outcome, found) = run(&a, Q, &minor);
            assert_eq!((outcome, found.lifted), (Outcome::Complete, 0), "{name}: {found:?}");
        }
    }
}

/// The null vector of this is (baseⁿ, …, base, 1).
fn powers(n: usize, base: i64) -> Triplets {
    Triplets::from_entries(n, n + 1, (0..n).flat_map(|k| [(k, k, 1), (k, k + 1, -base)]))
}

#[test]
fn numbers_that_grow_are_lifted() {
    // 3ⁿ, and Fibonacci numbers by three terms: w_k = w_(k+1) + w_(k+2).
    for (n, digits) in [(5, 0), (12, 0), (13, 2), (40, 4), (300, 16), (1000, 64)] {
        // 3¹² < 2²⁰ < 3¹³; k digits are enough for 2¹⁶·3ⁿ < q^k, and their number is doubled.
        let found = check_large(&powers(n, 3), n);
        assert_eq!(found.digits, digits, "3^{n}: {found:?}");
        assert_eq!(u64::from(found.bits), BigInt::from(3).pow(n as u32).bits());
    }
    let n = 400;
    let fibonacci = (0..n).flat_map(|k| [(k, k, 1), (k, k + 1, -1), (k, k + 2, -1)]);
    let found = check_large(&Triplets::from_entries(n, n + 2, fibonacci), n);
    assert!(found.vectors == 2 && found.bits == 278 && found.lifted == 2, "{found:?}");
    // The same from below: pivots that are not units, so that denominators grow, too.
    let turned = Triplets::from_entries(60, 61, (0..60).flat_map(|k| [(k, k, 7), (k, k + 1, 5)]));
    let found = check_large(&turned, 60);
    assert_eq!(u64::from(found.bits), BigInt::from(7).pow(60).bits());
}

/// Of known rank, too large for the naive one.
fn check_large(a: &Triplets, rank: usize) -> Found {
    // The first columns, of an upper triangular matrix: the last ones are free.
    let lines: Vec<u32> = (0..rank as u32).collect();
    let (outcome, found) = run(a, Q, &Minor::new(lines.clone(), lines, rank));
    assert_eq!(outcome, Outcome::Complete);
    let other = by_rank(a, Modulus::new(Q).unwrap());
    assert_eq!((other.rows.len(), run(a, Q, &other).0), (rank, Outcome::Complete));
    found
}

#[test]
fn hilbert_like_matrices() {
    // lcm(1 … 13)/(i + j + 1), of full rank, and with their last rows and columns repeated as sums.
    let n = 7;
    let h = |i: usize, j: usize| 360_360 / (i + j + 1) as i64;
    let square = (0..n * n).map(|k| (k / n, k % n, h(k / n, k % n)));
    let sums = (0..n).flat_map(|i| [(i, n, (0..n).map(|j| h(i, j)).sum()), (n, i, h(0, i) - 3 * h(1, i))]);
    let corner = (n, n, (0..n).map(|j| h(0, j) - 3 * h(1, j)).sum());
    let found = check(&Triplets::from_entries(n + 1, n + 1, square.clone().chain(sums).chain([corner])), Q);
    assert_eq!(found.vectors, 1);
    // One row less: the null vector is a row of the inverse, up to a factor.
    check(&Triplets::from_entries(n - 1, n, square.filter(|e| e.0 < n - 1)), Q);
}

#[test]
fn entries_up_to_the_last_word() {
    let big = i64::MAX;
    let a = Triplets::from_entries(
        2,
        3,
        [(0, 0, big), (0, 1, i64::MIN), (0, 2, 3), (1, 0, 5), (1, 1, big - 1), (1, 2, big)],
    );
    assert_eq!(check(&a, Q).lifted, 1);
    let p = Modulus::new(Q).unwrap();
    let b = Triplets::from_entries(1, 2, [(0, 0, BigInt::from(1) << 64), (0, 1, 1.into())]);
    assert!(
        NullSpace::new(&b, p, &by_dense_elimination(&b, p), 70.0, &Machine::reference(), &Silent).unwrap().is_none(),
        "beyond 64 bits"
    );
    let small = Triplets::from_entries(1, 1, [(0, 0, 1)]);
    let other = Modulus::new(65521).unwrap();
    assert!(
        NullSpace::new(&small, other, &Minor::default(), 0.0, &Machine::reference(), &Silent).unwrap().is_none(),
        "a prime of 16 bits"
    );
}

#[test]
fn what_is_no_minor_is_refused() {
    let a = Triplets::from_entries(2, 3, [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1), (1, 2, 1)]);
    let p = Modulus::new(Q).unwrap();
    let new =
        |minor: Minor| NullSpace::new(&a, p, &minor, 5.0, &Machine::reference(), &Silent).map(|space| space.is_some());
    let minor = |cols: [u32; 2], triangular| Minor::new(vec![0, 1], cols.to_vec(), triangular);
    assert!(new(minor([0, 2], 0)).unwrap());
    for wrong in [minor([0, 1], 0), minor([0, 2], 2), minor([2, 0], 1)] {
        assert!(matches!(new(wrong.clone()), Err(Error::Check(_))), "{wrong:?}");
    }
    // A minor below the rank mod q: the columns outside say so.
    let small = Minor::new(vec![0], vec![0], 1);
    assert_eq!(run(&a, Q, &small).0, Outcome::Larger);
}

#[test]
fn work_ends_with_the_budget() {
    let a = powers(300, 3);
    let p = Modulus::new(Q).unwrap();
    let minor = by_rank(&a, p);
    let new = || NullSpace::new(&a, p, &minor, 500.0, &Machine::reference(), &Silent).unwrap().unwrap();
    assert_eq!(new().sample(1e-9, &Silent).unwrap().0, Outcome::TooDear);
    let (outcome, _) = new().sample(1e-5, &Silent).unwrap();
    assert_eq!(outcome, Outcome::TooDear, "the sweep fits, the digits do not");
    let c = families::generate("ch6-6-b3").unwrap();
    let minor = by_rank(&c, p);
    let mut space = NullSpace::new(&c, p, &minor, 500.0, &Machine::reference(), &Silent).unwrap().unwrap();
    let (outcome, predicted) = space.sample(1.0, &Silent).unwrap();
    assert!(outcome == Outcome::Complete && predicted > 0.0, "{predicted}");
    assert_eq!(space.complete(1e-9, &Silent).unwrap(), Outcome::TooDear);
}

#[test]
fn many_columns_beyond_the_chain() {
    // Dense, without a chain: several blocks of lanes, and a system of order 60.
    let mut rng = Rng::seed_from_u64(9);
    let a = product(&mut rng, [90, 60, 150], |rng| rng.random_range(-1i64..2).into());
    let p = Modulus::new(Q).unwrap();
    let minor = by_dense_elimination(&a, p);
    let (outcome, found) = run(&a, Q, &minor);
    assert_eq!((outcome, found.vectors, minor.rows.len()), (Outcome::Complete, 90, 60));
    assert!(found.lifted == 90 && found.bits > 100, "{found:?}");
}
