//! Systems and determinants against elimination with fractions, and against theorems.

use super::determinant::determinant_with;
use super::solve::solve_with;
use super::{IntegerDeterminant, RankOptions, SolutionVector, integer_determinant, rational_solve};
use crate::certify::Certainty;
use crate::field::{Modulus, Rng};
use crate::sparse::{Fraction, Integer, RationalMatrix, Triplets};
use crate::{Error, Silent, families};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

pub(super) type Dense = Vec<Vec<BigInt>>;

/// Rows of integers, and what they are over.
fn dense(a: &RationalMatrix) -> (Dense, Vec<BigInt>) {
    let (mut all, mut over) = (vec![vec![BigInt::zero(); a.cols()]; a.rows()], vec![BigInt::one(); a.rows()]);
    a.numerators().entries().for_each(|(i, j, v)| all[i][j] = v.to_bigint());
    a.denominators().for_each(|(i, d)| over[i] = d.clone().into());
    (all, over)
}

/// The rank by elimination without fractions (E. H. Bareiss, 1968), and the determinant of a square matrix.
pub(super) fn eliminate(mut a: Dense) -> (usize, BigInt) {
    let (cols, mut rank, mut sign, mut last) = (a.first().map_or(0, Vec::len), 0, 1, BigInt::one());
    for j in 0..cols {
        let Some(i) = (rank..a.len()).find(|&i| !a[i][j].is_zero()) else { continue };
        if i != rank {
            a.swap(i, rank);
            sign = -sign;
        }
        let pivot = a[rank].clone();
        for row in &mut a[rank + 1..] {
            let factor = row[j].clone();
            row.iter_mut().zip(&pivot).for_each(|(x, u)| *x = (&*x * &pivot[j] - &factor * u) / &last);
        }
        last = pivot[j].clone();
        rank += 1;
    }
    let det = if rank == a.len() { last * sign } else { BigInt::zero() };
    (rank, det)
}

/// The answer is what the ranks with and without each right side say, and is multiplied out.
fn check_system(a: &RationalMatrix, b: &RationalMatrix, first: &[u64]) {
    let first = first.iter().map(|&p| Modulus::new(p).unwrap()).collect();
    let found = solve_with(a, b, first, &RankOptions::default(), &Silent).unwrap();
    let ((all, over), (right, right_over)) = (dense(a), dense(b));
    let rank = eliminate(all.clone()).0;
    let with = |k: usize| -> Dense {
        let rows = (0..a.rows()).map(|i| {
            let row = all[i].iter().map(|v| v * &right_over[i]);
            row.chain([&right[i][k] * &over[i]]).collect()
        });
        rows.collect()
    };
    let without: Vec<u32> = (0..b.cols()).filter(|&k| eliminate(with(k)).0 > rank).map(|k| k as u32).collect();
    assert_eq!(found.inconsistent, without, "{} x {}", a.rows(), a.cols());
    assert_eq!((found.is_consistent(), found.contradiction.is_none()), (without.is_empty(), without.is_empty()));
    assert!(found.rank.rank <= rank);
    if let Some(x) = &found.solutions {
        assert_eq!(x.len(), b.cols());
        for (k, x) in x.iter().enumerate() {
            assert!(x.denominator.is_positive());
            for row in with(k) {
                let sum: BigInt = x.numerators.iter().map(|(j, n)| &row[*j as usize] * n).sum();
                assert_eq!(sum, &row[a.cols()] * &x.denominator);
            }
        }
    }
    if let Some(found) = found.contradiction {
        assert_eq!(found.column, without[0]);
        let k = found.column as usize;
        let rows = with(k);
        // Rows over what they were multiplied by, all over one number.
        let factors: Vec<BigInt> = over.iter().zip(&right_over).map(|(x, y)| x * y).collect();
        let all: BigInt = factors.iter().product();
        let times = |j: usize| -> BigInt {
            found.y.iter().map(|(i, y)| &rows[*i as usize][j] * y * &all / &factors[*i as usize]).sum()
        };
        assert!((0..a.cols()).all(|j| times(j).is_zero()));
        assert!(times(a.cols()) == &found.value * all && !found.value.is_zero());
    }
}

/// A·X/d.
fn product(a: &RationalMatrix, x: &Dense, d: i64, width: usize) -> RationalMatrix {
    let (all, over) = dense(a);
    let mut entries = vec![];
    for (i, row) in all.iter().enumerate() {
        for k in 0..width {
            let sum: BigInt = row.iter().zip(x).map(|(a, x)| a * &x[k]).sum();
            entries.push((i, k, fraction(sum, &over[i] * d)));
        }
    }
    RationalMatrix::from_entries(a.rows(), width, entries).unwrap()
}

fn fraction(n: BigInt, d: BigInt) -> Fraction<'static> {
    Fraction::new(n.into(), d.into()).unwrap()
}

/// Entries up to 2^bits, over numbers up to `denominator`; every third row a combination of the two before it.
fn random(rows: usize, cols: usize, nnz: usize, bits: u32, denominator: i64, rng: &mut Rng) -> RationalMatrix {
    let mut all = vec![vec![BigInt::zero(); cols]; rows];
    let mut over: Vec<BigInt> = (0..rows).map(|_| rng.random_range(1..=denominator).into()).collect();
    for _ in 0..nnz {
        let n = BigInt::from(rng.random_range(-9..=9)) * ((BigInt::one() << bits) - rng.random_range(0..2)) / 9;
        all[rng.random_range(0..rows)][rng.random_range(0..cols)] = n;
    }
    for i in (2..rows).step_by(3) {
        let (x, y) = (BigInt::from(rng.random_range(-3..4)), BigInt::from(rng.random_range(1..4)));
        all[i] = (0..cols).map(|j| &all[i - 1][j] * &x * &over[i - 2] + &all[i - 2][j] * &y * &over[i - 1]).collect();
        over[i] = &over[i - 1] * &over[i - 2];
    }
    let places = (0..rows * cols).map(|k| (k / cols, k % cols));
    let entries: Vec<_> = places.map(|(i, j)| (i, j, fraction(all[i][j].clone(), over[i].clone()))).collect();
    RationalMatrix::from_entries(rows, cols, entries).unwrap()
}

#[test]
fn systems_of_every_shape() {
    let mut rng = Rng::seed_from_u64(51);
    for (rows, cols, nnz) in
        [(0, 0, 0), (0, 3, 0), (3, 0, 0), (2, 4, 0), (1, 1, 1), (5, 9, 14), (9, 5, 20), (8, 8, 50), (14, 12, 40)]
    {
        for (bits, denominator) in [(3, 1), (7, 4), (70, 1), (64, 6)] {
            let a = random(rows, cols, nnz, bits, denominator, &mut rng);
            for count in [0usize, 1, 3] {
                let mut number = || BigInt::from(rng.random_range(-9..10));
                let x: Dense = (0..cols).map(|_| (0..count).map(|_| number()).collect()).collect();
                let b = product(&a, &x, rng.random_range(1..7), count);
                // One more in some places.
                let more =
                    (0..rows * count.min(1)).filter(|i| i % 4 == 2).map(|i| (i, count / 2, Integer::from(1).into()));
                let own = b.entries().map(|(i, k, v)| {
                    let (n, d) = v.into_parts();
                    (i, k, Fraction::new(n.to_bigint().into(), d.to_bigint().into()).unwrap())
                });
                let worse = RationalMatrix::from_entries(rows, count, own.chain(more).collect::<Vec<_>>()).unwrap();
                // Primes that divide minors, then any.
                for first in [&[][..], &[3, 5, 7]] {
                    check_system(&a, &b, first);
                    check_system(&a, &worse, first);
                }
            }
        }
    }
}

/// Rows that are multiples of the prime: of a smaller rank, and inconsistent, mod p alone; and the other way round.
#[test]
fn what_is_so_mod_p_need_not_be_so() {
    let integers = |rows, cols, entries: &[(usize, usize, i64)]| -> RationalMatrix {
        Triplets::from_entries(rows, cols, entries.iter().copied()).into()
    };
    let p = 7;
    let cases = [
        // 7·x = 1, consistent; 7·x = 7; 0·x = 7, inconsistent; (x, x) = (0, 7).
        (integers(1, 1, &[(0, 0, 7)]), integers(1, 1, &[(0, 0, 1)])),
        (integers(1, 1, &[(0, 0, 7)]), integers(1, 1, &[(0, 0, 7)])),
        (integers(1, 1, &[]), integers(1, 1, &[(0, 0, 7)])),
        (integers(2, 1, &[(0, 0, 1), (1, 0, 1)]), integers(2, 1, &[(1, 0, 7)])),
        (integers(2, 2, &[(0, 0, 1), (1, 0, 1), (1, 1, 14)]), integers(2, 2, &[(0, 0, 1), (1, 0, 2), (1, 1, 7)])),
        (integers(3, 2, &[(0, 0, 7), (1, 1, 49), (2, 0, 1)]), integers(3, 1, &[(0, 0, 14), (1, 0, 1), (2, 0, 2)])),
        (integers(3, 2, &[(0, 0, 7), (1, 1, 49), (2, 0, 1)]), integers(3, 1, &[(0, 0, 14), (1, 0, 1), (2, 0, 9)])),
    ];
    for (a, b) in &cases {
        for first in [&[p][..], &[p, p, 5], &[]] {
            check_system(a, b, first);
        }
    }
    let (a, b) = &cases[0];
    let seven = vec![Modulus::new(7).unwrap()];
    let found = solve_with(a, b, seven, &RankOptions::default(), &Silent).unwrap();
    assert!(found.modulus.get() > 7 && found.path.iter().any(|step| step.name == "bad prime"));
}

/// Against each fraction by itself; numerators and denominators share powers of several primes.
#[test]
fn fractions_are_in_lowest_terms() {
    let mut rng = Rng::seed_from_u64(54);
    for round in 0..60 {
        let mut number = || -> BigInt {
            let power = |q: i64, e: u32| BigInt::from(q).pow(e);
            let exponents: [u32; 3] = std::array::from_fn(|_| rng.random_range(0..1 + round % 5));
            power(2, exponents[0]) * power(3, exponents[1]) * power((1 << 61) - 1, exponents[2]) * (1 + round % 7)
        };
        let denominator = number();
        let numerators = (0..round % 9).map(|j| (2 * j, if j % 2 == 0 { number() } else { -number() })).collect();
        let x = SolutionVector { numerators, denominator };
        let found = x.fractions().unwrap();
        assert_eq!(found.len(), x.numerators.len());
        for ((j, n), (at, found)) in x.numerators.iter().zip(&found) {
            assert_eq!((j, &fraction(n.clone(), x.denominator.clone())), (at, found));
        }
    }
}

#[test]
fn systems_of_real_matrices() {
    let a = families::generate("Trefethen_150").unwrap();
    let b = Triplets::from_entries(150, 2, (0..150).flat_map(|i| [(i, 0, 1), (i, 1, i as i64 % 7 - 3)]));
    let (a, b) = (a.into(), b.into());
    let found = rational_solve(&a, &b, &RankOptions::default(), &Silent).unwrap();
    assert!(found.solutions.unwrap()[0].denominator.bits() > 500);
    // A boundary matrix: what it maps to, and what it cannot.
    let a: RationalMatrix =
        families::generate("matching_6_2").or_else(|_| families::generate("bibd_9_5")).unwrap().into();
    let x: Dense = (0..a.cols()).map(|j| vec![BigInt::from(j % 3)]).collect();
    check_system(&a, &product(&a, &x, 1, 1), &[]);
    let unit = Triplets::from_entries(a.rows(), 1, [(0, 0, 1)]).into();
    check_system(&a, &unit, &[]);
}

fn det(a: &Triplets) -> BigInt {
    let options = RankOptions::default();
    let found = integer_determinant(a, &options, &Silent).unwrap();
    let proven = integer_determinant(a, &options.clone().proven(true), &Silent).unwrap();
    assert_eq!(proven.certainty, Certainty::Proven);
    assert_eq!(proven.value, found.value);
    found.value
}

#[test]
fn determinants_are_those_of_elimination() {
    let mut rng = Rng::seed_from_u64(52);
    for (n, nnz, bits) in
        [(0, 0, 1), (1, 1, 1), (2, 9, 3), (5, 40, 2), (6, 12, 70), (9, 30, 5), (12, 200, 64), (30, 90, 2)]
    {
        for round in 0..4 {
            let mut a = random(n, n, nnz, bits, 1, &mut rng);
            if round > 0 {
                // Nonsingular as a rule.
                let all = a.entries().filter(|e| e.0 % 3 != 2).map(|(i, j, v)| (i, j, v.numerator().to_bigint()));
                let more = (0..n).map(|i| (i, (i * 5 + round) % n.max(1), BigInt::from(i + 1)));
                let entries: Vec<_> = all.chain(more).map(|(i, j, v)| (i, j, Integer::from(v))).collect();
                a = Triplets::try_from_entries(n, n, entries).unwrap().into();
            }
            let expected = eliminate(dense(&a).0).1;
            let a = a.into_integers().unwrap();
            assert_eq!(det(&a), expected);
            for first in [vec![3, 5, 7], vec![11]] {
                let first = first.into_iter().map(|p| Modulus::new(p).unwrap()).collect();
                let IntegerDeterminant { value, .. } =
                    determinant_with(&a, first, &RankOptions::default(), &Silent).unwrap();
                assert_eq!(value, expected);
            }
        }
    }
}

#[test]
fn determinants_from_theory() {
    let mut rng = Rng::seed_from_u64(53);
    // Permutations, times a number in each row.
    let n = 200;
    let mut to: Vec<usize> = (0..n).collect();
    to.shuffle(&mut rng);
    let lines: Vec<(u32, u32)> = (0..).zip(&to).map(|(i, &j)| (i, j as u32)).collect();
    let sign = if crate::decomposition::is_odd(&lines).unwrap() { -1 } else { 1 };
    assert_eq!(det(&Triplets::from_entries(n, n, (0..n).map(|i| (i, to[i], 1)))), BigInt::from(sign));
    let scaled = det(&Triplets::from_entries(n, n, (0..n).map(|i| (i, to[i], i as i64 % 5 + 1))));
    assert_eq!(scaled, BigInt::from(120).pow(40) * sign);
    // Vandermonde.
    let points: Vec<i64> = (0..12).map(|k| (k * k * 7 - 50) * if k % 2 == 0 { 1 } else { -1 }).collect();
    let power = |x: i64, k: usize| Integer::from(BigInt::from(x).pow(k as u32));
    let entries: Vec<_> =
        (0..12).flat_map(|i| (0..12).map(move |k| (i, k))).map(|(i, k)| (i, k, power(points[i], k))).collect();
    let differences = (0..12).flat_map(|i| (0..i).map(move |j| (i, j)));
    let vandermonde: BigInt = differences.map(|(i, j)| BigInt::from(points[i] - points[j])).product();
    assert_eq!(det(&Triplets::try_from_entries(12, 12, entries).unwrap()), vandermonde);
    // Hadamard: at the bound, nⁿᐟ².
    for log in 0..6usize {
        let n = 1usize << log;
        let sign = |k: usize| if ((k / n) & (k % n)).count_ones().is_multiple_of(2) { 1 } else { -1 };
        let entries = (0..n * n).map(|k| (k / n, k % n, sign(k)));
        let value = det(&Triplets::from_entries(n, n, entries));
        assert_eq!(value.magnitude(), BigInt::from(n).pow(n as u32).sqrt().magnitude(), "order {n}");
    }
    // The reduced Laplacian of the hypercube: its spanning trees.
    for (d, trees) in [(1, 1u64), (2, 4), (3, 384), (4, 42_467_328)] {
        assert_eq!(det(&families::generate(&format!("hypercube_{d}")).unwrap()), trees.into());
    }
    // Redheffer: the Mertens function.
    let mobius = |n: u64| {
        let primes: Vec<u64> = (2..=n).filter(|&q| n.is_multiple_of(q) && crate::field::is_prime(q)).collect();
        if primes.iter().any(|q| n.is_multiple_of(q * q)) {
            0
        } else if primes.len().is_multiple_of(2) {
            1
        } else {
            -1i64
        }
    };
    for n in [1usize, 2, 30, 95, 300] {
        let mertens: i64 = (1..=n as u64).map(mobius).sum();
        assert_eq!(det(&families::generate(&format!("redheffer_{n}")).unwrap()), mertens.into(), "{n}");
    }
}

/// Groups of primes are no larger with more threads: the same primes, divisor and reason.
#[test]
fn determinants_do_not_depend_on_threads() {
    let mut rng = Rng::seed_from_u64(78);
    let diagonal = (0..40).map(|i| (i, i, 1 + i as i64));
    let others: Vec<_> = (0..160).map(|_| (rng.random_range(0..40), rng.random_range(0..40), 1 << 40)).collect();
    let a = Triplets::from_entries(40, 40, diagonal.chain(others));
    for proven in [false, true] {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let options = RankOptions::default().proven(proven);
            // Its blocks by themselves, and the whole.
            let blocks = || integer_determinant(&a, &options, &Silent).unwrap();
            let whole = || determinant_with(&a, vec![], &options, &Silent).unwrap();
            let found = pool.install(|| [blocks(), whole()]);
            assert!(found.iter().all(|found| found.certainty == Certainty::Proven || !proven));
            assert_eq!(found[0].value, found[1].value);
            found.map(|found| (found.value, found.primes, found.divisor, found.reason))
        };
        let one = with(1);
        assert!(!one[0].0.is_zero());
        assert_eq!((&one, &one), (&with(2), &with(5)));
    }
}

#[test]
fn zero_is_proven() {
    for name in ["ones_30", "circulant_12"] {
        let a = families::generate(name).unwrap();
        if crate::answers::rational_rank(&a, &Default::default(), &Silent).unwrap().rank < a.rows() {
            let found = integer_determinant(&a, &RankOptions::default(), &Silent).unwrap();
            assert!(found.value.is_zero() && found.certainty == Certainty::Proven, "{name}");
        }
    }
    // A null vector with large numbers.
    let n = 40;
    let chain = (0..n - 1).flat_map(|i| [(i, i, 7), (i, i + 1, -11)]);
    let last = [(n - 1, 0, 7), (n - 1, 1, -11)];
    let a = Triplets::from_entries(n, n, chain.chain(last));
    assert!(det(&a).is_zero());
    // Zero only mod the first prime.
    let first = vec![Modulus::new(11).unwrap()];
    let a = Triplets::from_entries(2, 2, [(0, 0, 11), (1, 1, 1)]);
    let found = determinant_with(&a, first, &RankOptions::default(), &Silent).unwrap();
    assert!(found.value == 11.into() && found.path.iter().any(|step| step.name == "bad prime"));
}

#[test]
fn wrong_shapes_are_told() {
    let a = Triplets::from_entries(3, 2, [(0, 0, 1)]);
    assert!(matches!(integer_determinant(&a, &RankOptions::default(), &Silent), Err(Error::Matrix(_))));
    let b = Triplets::from_entries(2, 2, [(0, 0, 1)]).into();
    assert!(matches!(rational_solve(&a.into(), &b, &RankOptions::default(), &Silent), Err(Error::Matrix(_))));
}
