//! Null spaces and echelon forms over ℚ against the textbook's elimination with fractions.

use super::*;
use crate::certify::Certainty;
use crate::cost::{Kind, Machine};
use crate::field::Rng;
use crate::sparse::{Fraction, Integer, RationalMatrix, Triplets};
use crate::{Error, Result, Silent, families};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use rand::{RngExt, SeedableRng};

/// A fraction n/d, d ≠ 0, in no particular form.
type Q = (BigInt, BigInt);

fn lowest((n, d): &Q) -> Fraction<'static> {
    Fraction::new(n.clone().into(), d.clone().into()).unwrap()
}

fn normal(q: Q) -> Q {
    let (n, d) = lowest(&q).into_parts();
    (n.to_bigint(), d.to_bigint())
}

/// The reduced row echelon form and its pivots, row by row.
fn textbook(a: &Triplets) -> (RationalMatrix, Vec<u32>) {
    let mut rows: Vec<Vec<Q>> = vec![vec![(BigInt::zero(), BigInt::one()); a.cols()]; a.rows()];
    a.entries().for_each(|(i, j, v)| rows[i][j].0 = v.to_bigint());
    let (mut done, mut pivots) = (0, vec![]);
    for j in 0..a.cols() {
        let Some(pivot) = (done..rows.len()).find(|&i| !rows[i][j].0.is_zero()) else { continue };
        rows.swap(done, pivot);
        let (n, d) = rows[done][j].clone();
        rows[done].iter_mut().for_each(|v| *v = normal((&v.0 * &d, &v.1 * &n)));
        let own = rows[done].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, row)| *i != done && !row[j].0.is_zero()) {
            let by = row[j].clone();
            for (v, own) in row.iter_mut().zip(&own).filter(|(_, own)| !own.0.is_zero()) {
                *v = normal((&v.0 * &by.1 * &own.1 - &by.0 * &own.0 * &v.1, &v.1 * &by.1 * &own.1));
            }
        }
        pivots.push(j as u32);
        done += 1;
    }
    let entries = rows[..done].iter().enumerate();
    let entries = entries.flat_map(|(i, row)| row.iter().enumerate().map(move |(j, v)| (i, j, lowest(v))));
    (RationalMatrix::from_entries(done, a.cols(), entries).unwrap(), pivots)
}

/// A·xᵀ for the rows x of `vectors`, which must be 0.
fn assert_null(a: &Triplets, vectors: &RationalMatrix) {
    let mut sums = std::collections::BTreeMap::<(usize, usize), Q>::new();
    let columns = a.transpose();
    let mut column = vec![vec![]; a.cols()];
    columns.entries().for_each(|(j, i, v)| column[j].push((i, v.to_bigint())));
    for (k, j, x) in vectors.entries() {
        let (n, d) = (x.numerator().to_bigint(), x.denominator().to_bigint());
        for (i, v) in &column[j] {
            let sum = sums.entry((*i, k)).or_insert((BigInt::zero(), BigInt::one()));
            *sum = normal((&sum.0 * &d + v * &n * &sum.1, &sum.1 * &d));
        }
    }
    assert!(sums.values().all(|(n, _)| n.is_zero()));
}

/// Small primes mislead at times, which is noticed: the number of refusals.
fn check(a: &Triplets, options: &RationalSpaceOptions) -> usize {
    let (expected, pivots) = textbook(a);
    let mut refused = 0;
    let mut misled = |result: Result<()>| match result {
        Ok(()) => {}
        Err(Error::Check(message)) if options.prime_bits < 20 => {
            assert!(message.contains("another seed"), "{message}");
            refused += 1;
        }
        Err(error) => panic!("{error}"),
    };
    misled((|| {
        let mut form = rational_rref(a, options, &Silent)?;
        let matrix = form.matrix(&Silent)?;
        assert_eq!((form.pivots(), form.rank(), form.cols()), (&pivots[..], pivots.len(), a.cols()));
        assert_eq!(matrix, expected, "{:?}", form.path());
        Ok(())
    })());
    misled((|| {
        let mut kernel = rational_kernel(a, options, &Silent)?;
        let basis = kernel.basis_matrix(&Silent)?;
        assert_eq!((kernel.rank(), kernel.dimension()), (pivots.len(), a.cols() - pivots.len()));
        assert_eq!((basis.rows(), basis.cols()), (kernel.dimension(), a.cols()));
        assert_null(a, &basis);
        let free = kernel.free()?;
        let mut units = basis.entries().filter(|(_, j, _)| free.binary_search(&(*j as u32)).is_ok());
        assert!(units.all(|(k, j, v)| free[k] as usize == j && v.to_string() == "1"));
        let make = |some: &RationalVectors| {
            for k in 0..some.len() {
                let (integers, vector) = (some.vector(k).integers(), some.vector(k));
                let common =
                    integers.iter().fold(BigInt::zero(), |gcd, v| num_integer::Integer::gcd(&gcd, &v.to_bigint()));
                assert!(common.is_one());
                let scales = vector
                    .values()
                    .zip(&integers)
                    .map(|(v, n)| (n.to_bigint() * v.denominator().to_bigint(), v.numerator().to_bigint()));
                let scales: Vec<Q> = scales.map(normal).collect();
                assert!(scales.iter().all(|scale| *scale == scales[0] && scale.0 > BigInt::zero()));
            }
            Ok(())
        };
        assert_eq!(kernel.basis(make, |()| Ok(()), &Silent)?, Certainty::Proven);
        Ok(())
    })());
    refused
}

/// Prices that lead to every way of finishing.
fn machines() -> Vec<Machine> {
    let machine = Machine::reference();
    let formed = machine.scaled(Kind::Passes, 1e6).scaled(Kind::Dense, 1e6).scaled(Kind::Sparse, 1e-6);
    vec![machine.clone(), machine.scaled(Kind::Passes, 1e-6), formed]
}

fn options(machine: &Machine) -> RationalSpaceOptions {
    RationalSpaceOptions::default().rank(RankOptions::default().machine(machine.clone()))
}

fn random(rows: usize, cols: usize, nnz: usize, entry: impl Fn(&mut Rng) -> BigInt, rng: &mut Rng) -> Triplets {
    let entries: Vec<_> =
        (0..nnz).map(|_| (rng.random_range(0..rows), rng.random_range(0..cols), entry(rng))).collect();
    Triplets::from_entries(rows, cols, entries)
}

const SHAPES: [(usize, usize, usize); 10] = [
    (0, 0, 0),
    (0, 5, 0),
    (5, 0, 0),
    (3, 4, 0),
    (1, 1, 1),
    (1, 7, 5),
    (7, 1, 5),
    (12, 16, 30),
    (20, 12, 45),
    (9, 14, 100),
];

#[test]
fn forms_and_kernels_are_those_of_the_textbook() {
    let mut rng = Rng::seed_from_u64(81);
    for (rows, cols, nnz) in SHAPES {
        for size in [0u32, 10, 62, 64, 130] {
            let entry = |rng: &mut Rng| (BigInt::one() << size) * rng.random_range(-9i64..=9) / 4;
            let a = random(rows, cols, nnz, entry, &mut rng);
            for machine in machines() {
                assert_eq!(check(&a, &options(&machine)), 0);
            }
        }
    }
}

/// Low rank, repeated, proportional and empty lines.
#[test]
fn dependent_lines() {
    let mut rng = Rng::seed_from_u64(82);
    for _ in 0..6 {
        let few = random(4, 12, 22, |rng| rng.random_range(-5i64..=5).into(), &mut rng);
        let mut entries = vec![];
        for i in 0..20 {
            for _ in 0..i % 3 {
                let (row, by) = (rng.random_range(0..4usize), rng.random_range(-3i64..=3));
                entries
                    .extend(few.entries().filter(|e| e.0 == row).map(|(_, j, v)| (i, j + j / 4, v.to_bigint() * by)));
            }
        }
        let a = Triplets::from_entries(20, 16, entries);
        for machine in machines() {
            assert_eq!(check(&a, &options(&machine)), 0);
            assert_eq!(check(&a.transpose(), &options(&machine)), 0);
        }
    }
}

/// Primes of few bits divide entries and minors: they lower ranks, move profiles, break pivots. What is answered is
/// right all the same, and mostly there is an answer.
#[test]
fn bad_primes_are_noticed() {
    let mut rng = Rng::seed_from_u64(83);
    let (mut refused, mut all, mut dropped) = (0, 0, 0);
    for round in 0..60u64 {
        let (rows, cols, nnz) = SHAPES[5 + round as usize % 5];
        let bits = [8, 9, 11][round as usize % 3];
        let entry = |rng: &mut Rng| {
            // Often multiples of some of the primes.
            let factor = if rng.random_range(0..3) == 0 { rng.random_range(1i64 << (bits - 1)..1 << bits) } else { 1 };
            BigInt::from(rng.random_range(-3i64..=3) * factor)
        };
        let a = random(rows, cols, nnz, entry, &mut rng);
        let machine = &machines()[round as usize % 3];
        let options = RationalSpaceOptions { prime_bits: bits, ..options(machine) };
        let options = RationalSpaceOptions { rank: options.rank.clone().seed(round), ..options };
        refused += check(&a, &options);
        all += 2;
        let mut kernel = rational_kernel(&a, &options, &Silent).unwrap();
        let _ = kernel.basis(|_| Ok(()), |()| Ok(()), &Silent);
        dropped += usize::from(kernel.reason().contains("dropped"));
    }
    assert!(refused * 3 < all, "{refused} of {all}");
    assert!(dropped > 0);
}

/// A row that the first prime divides, and a column: nothing is there mod p, all of it over ℚ.
#[test]
fn multiples_of_the_prime_itself() {
    let options = |seed| RationalSpaceOptions::default().rank(RankOptions::default().seed(seed));
    let entries = |p: i64| [(0, 0, p), (0, 1, p), (1, 1, 3), (1, 2, p), (2, 2, 5)];
    // The prime depends on the matrix; whichever it is, the answer does not.
    for p in [1, 65521, (1 << 61) - 1] {
        assert_eq!(check(&Triplets::from_entries(3, 4, entries(p)), &options(1)), 0);
    }
    let zero = Triplets::from_entries(2, 3, std::iter::empty::<(usize, usize, i64)>());
    assert_eq!(check(&zero, &options(2)), 0);
}

/// A column of the inverse of Hilbert's matrix: integers of many digits.
#[test]
fn numbers_of_many_digits() {
    let n = 16;
    let hilbert = |i: usize, j: usize| Fraction::new(1.into(), (BigInt::from(i + j + 1)).into()).unwrap();
    let entries = (0..n * n).map(|k| (k / n, k % n, hilbert(k / n, k % n)));
    let one = [(n / 2, n, Fraction::from(Integer::Small(1)))];
    let a = RationalMatrix::from_entries(n, n + 1, entries.chain(one)).unwrap();
    assert_eq!(check(a.numerators(), &RationalSpaceOptions::default()), 0);
    let mut form = rational_rref(a.numerators(), &RationalSpaceOptions::default(), &Silent).unwrap();
    let _ = form.matrix(&Silent).unwrap();
    let primes = form.primes();
    assert!(primes.len() > 1);
    assert!(form.reason().contains(&format!("null vectors from {} primes", primes.len())), "{}", form.reason());
}

/// The same whatever the number of threads; errors of the caller end the work.
#[test]
fn threads_change_nothing_and_callers_may_stop() {
    let a = families::generate("mk7-b2").unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut kernel = rational_kernel(&a, &RationalSpaceOptions::default(), &Silent).unwrap();
            (kernel.basis_matrix(&Silent).unwrap(), kernel.primes())
        })
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(one, three);
    assert_eq!((one.0.rows(), one.1.len()), (20, 1));
    let mut kernel = rational_kernel(&a, &RationalSpaceOptions::default(), &Silent).unwrap();
    assert!(matches!(kernel.certainty(), Certainty::MonteCarlo { error_bound } if error_bound.log2() < -40.0));
    let stop = || Err(Error::Interrupted);
    assert!(matches!(kernel.basis(|_| stop(), |()| Ok(()), &Silent), Err(Error::Interrupted)));
    assert!(matches!(kernel.basis(|_| Ok(()), |()| stop(), &Silent), Err(Error::Interrupted)));
}
