//! Matrix generators against Hankel ranks, the generator's equations, Berlekamp–Massey and theorems.

use super::super::order_basis::rank;

use super::super::test_field::Gf9;
use super::super::tests::prime;
use super::*;
use crate::Silent;
use crate::field::{ExtensionField, Modulus, PrimeField};
use crate::poly::{Method, ProductShape};
use rand::{RngExt, SeedableRng};

/// A product of row-major matrices, n×k by k×m.
fn product<F: Field>(field: &F, a: &[F::Elem], b: &[F::Elem], k: usize) -> Vec<F::Elem> {
    let m = b.len() / k;
    let entry =
        |row: &[F::Elem], j: usize| (0..k).fold(field.zero(), |s, l| field.add(s, field.mul(row[l], b[l * m + j])));
    a.chunks_exact(k).flat_map(|row| (0..m).map(move |j| entry(row, j))).collect()
}

/// n×n operators: random, zero, identity, nilpotent, low rank, diagonal with few values.
fn operator<F: Field>(field: &F, rng: &mut Rng, n: usize) -> Vec<F::Elem> {
    let kind = rng.random_range(0..6);
    let u: Vec<F::Elem> = (0..n).map(|_| field.random(rng)).collect();
    let mut entry = |i: usize, j: usize| match kind {
        0 => field.random(rng),
        1 => field.zero(),
        2 if i == j => field.one(),
        3 if i < j => field.random(rng),
        4 => field.mul(u[i], u[n - 1 - j]),
        5 if i == j => u[i / 2],
        _ => field.zero(),
    };
    (0..n * n).map(|ij| entry(ij / n, ij % n)).collect()
}

/// The terms Yᵀ B^i X or Yᵀ B^(i+1) X, with what no bound may exceed: the order or the rank of B.
fn sequence<F: Field>(field: &F, rng: &mut Rng, n: usize, s: usize, length: usize) -> (Vec<F::Elem>, usize) {
    let b = operator(field, rng, n);
    let y: Vec<F::Elem> = (0..s * n).map(|_| field.random(rng)).collect();
    let mut x: Vec<F::Elem> = (0..n * s).map(|_| field.random(rng)).collect();
    let start_at_b = rng.random();
    if start_at_b {
        x = product(field, &b, &x, n);
    }
    let mut terms = Vec::new();
    for _ in 0..length {
        terms.extend(product(field, &y, &x, n));
        x = product(field, &b, &x, n);
    }
    (terms, if start_at_b { rank(field, b, n) } else { n })
}

fn hankel_rank<F: Field>(field: &F, terms: &[F::Elem], s: usize, a: usize, b: usize) -> usize {
    let entry = |row: usize, col: usize| terms[((row / s + col / s) * s + row % s) * s + col % s];
    if a * b == 0 {
        return 0;
    }
    rank(field, (0..a * s * b * s).map(|at| entry(at / (b * s), at % (b * s))).collect(), b * s)
}

/// What the module promises of every length: the rank theorem, the Hankel nullities, the generator's equations, the
/// check.
fn check<F: Field>(search: &GeneratorSearch<F>, terms: &[F::Elem], bound: usize) {
    let (field, s, length) = (&search.field, search.s, search.length());
    let degrees = search.degrees();
    assert_eq!(degrees.iter().sum::<usize>(), s * (length + 1));
    let ranks: Vec<usize> = (0..=length + 1).map(|a| hankel_rank(field, terms, s, a, length + 1 - a)).collect();
    for (a, &rank) in ranks.iter().enumerate() {
        assert_eq!(s * a - rank, degrees.iter().map(|&d| a.saturating_sub(d)).sum::<usize>(), "nullity of H_{a}");
    }
    assert_eq!(search.rank_bound(), *ranks.iter().max().unwrap());
    assert!(search.rank_bound() <= bound);
    let Generator { matrix, row_degrees } = search.generator().unwrap();
    assert_eq!(row_degrees.iter().sum::<usize>(), search.rank_bound());
    for (i, &degree) in row_degrees.iter().enumerate() {
        for j in 0..length - degree.min(length) {
            let mut sum = vec![field.zero(); s];
            for (k, l) in (0..=degree).flat_map(|k| (0..s).map(move |l| (k, l))) {
                field.axpy(&mut sum, matrix.get(i, l, k), &terms[((j + k) * s + l) * s..][..s]);
            }
            assert!(sum.iter().all(|&a| a == field.zero()), "row {i} at {j}");
        }
        assert!((degree + 1..matrix.len()).all(|k| (0..s).all(|l| matrix.get(i, l, k) == field.zero())));
    }
    search.verify(ErrorBound::of_bits(20), &mut Rng::seed_from_u64(1)).unwrap();
}

fn sequences_of_small_operators<F: Field>(field: &F, seed: u64, rounds: usize) {
    let mut rng = Rng::seed_from_u64(seed);
    for _ in 0..rounds {
        let (n, s, length) = (rng.random_range(1..9), rng.random_range(1..5), rng.random_range(0..17));
        let (terms, bound) = sequence(field, &mut rng, n, s, length);
        let params = Params { leaf: 2 };
        let mut at_once = GeneratorSearch::with_params(field.clone(), s, params).unwrap();
        at_once.extend(&terms, &Silent).unwrap();
        check(&at_once, &terms, bound);

        let mut search = GeneratorSearch::with_params(field.clone(), s, params).unwrap();
        let (mut last, mut unchanged, mut rank) = (search.generator().unwrap(), 0, 0);
        while search.length() < length {
            let step = rng.random_range(1..=3).min(length - search.length());
            search.extend(&terms[search.length() * s * s..][..step * s * s], &Silent).unwrap();
            check(&search, &terms[..search.length() * s * s], bound);
            unchanged = if search.generator().unwrap() == last { unchanged + step } else { 0 };
            assert!(search.stable_terms() >= unchanged);
            assert!(search.rank_bound() >= rank);
            (last, rank) = (search.generator().unwrap(), search.rank_bound());
        }
        assert_eq!(
            (search.left, search.degrees, search.last_change),
            (at_once.left, at_once.degrees, at_once.last_change)
        );
    }
}

#[test]
fn generators_over_prime_fields() {
    for p in [2, 3, 65521, 4294967291, (1 << 61) - 1] {
        sequences_of_small_operators(&prime(p), p, 20);
    }
}

#[test]
fn generators_over_an_extension_field() {
    sequences_of_small_operators(&Gf9, 9, 40);
}

#[test]
fn long_random_sequences_reach_the_rank_and_stand_still() {
    // Over a large field the bound is the rank, by Coppersmith's argument, from 2·⌈n/s⌉ terms on, up to an error of
    // about n/p.
    let (field, mut rng, n, s) = (prime(4294967291), Rng::seed_from_u64(11), 60, 4);
    let low: Vec<u64> = (0..n * 37).map(|_| field.random(&mut rng)).collect();
    let high: Vec<u64> = (0..37 * n).map(|_| field.random(&mut rng)).collect();
    let b = product(&field, &low, &high, 37);
    let y: Vec<u64> = (0..s * n).map(|_| field.random(&mut rng)).collect();
    let mut x: Vec<u64> = product(&field, &b, &(0..n * s).map(|_| field.random(&mut rng)).collect::<Vec<_>>(), n);
    let mut search = GeneratorSearch::new(field, s).unwrap();
    for length in 1..=32usize {
        search.extend(&product(&field, &y, &x, n), &Silent).unwrap();
        x = product(&field, &b, &x, n);
        // 37 = 9·4 + 1: the ninth degree stands after 2·9 terms, the tenth row after 20.
        assert_eq!(search.rank_bound(), 37.min(s * length.div_ceil(2)), "{length}");
    }
    assert_eq!(search.generator().unwrap().row_degrees, [9, 9, 9, 10]);
    assert_eq!(search.stable_terms(), 32 - 20);
    search.verify(ErrorBound::of_bits(64), &mut rng).unwrap();
}

/// The linear complexity of a scalar sequence by Berlekamp and Massey's algorithm (Massey 1969).
fn linear_complexity<F: Field>(field: &F, terms: &[F::Elem]) -> usize {
    let (mut c, mut b) = (vec![field.one()], vec![field.one()]);
    let (mut complexity, mut gap, mut last) = (0, 1, field.one());
    for k in 0..terms.len() {
        let discrepancy =
            (0..c.len()).filter(|&i| i <= k).fold(field.zero(), |d, i| field.add(d, field.mul(c[i], terms[k - i])));
        if discrepancy == field.zero() {
            gap += 1;
            continue;
        }
        let old = c.clone();
        c.resize(c.len().max(b.len() + gap), field.zero());
        let factor = field.neg(field.mul(discrepancy, field.inv(last)));
        field.axpy(&mut c[gap..gap + b.len()], factor, &b);
        if 2 * complexity <= k {
            (complexity, b, last, gap) = (k + 1 - complexity, old, discrepancy, 1);
        } else {
            gap += 1;
        }
    }
    complexity
}

#[test]
fn scalar_generators_have_the_degree_of_berlekamp_massey() {
    let mut rng = Rng::seed_from_u64(2);
    for p in [2, 3, 65521] {
        let field = prime(p);
        for _ in 0..40 {
            let length = rng.random_range(0..40);
            let sparse = rng.random_range(1..4);
            let terms: Vec<u64> = (0..length)
                .map(|_| if rng.random_range(0..sparse) == 0 { field.random(&mut rng) } else { 0 })
                .collect();
            let mut search = GeneratorSearch::new(field, 1).unwrap();
            search.extend(&terms, &Silent).unwrap();
            // The shortest recurrence has max(deg, …) = δ_1 or, where no short one exists, L + 1 - δ_1.
            let complexity = linear_complexity(&field, &terms);
            assert_eq!(search.rank_bound(), complexity.min(length + 1 - complexity));
        }
    }
}

/// A search whose products go through floating-point transforms, as its plans say.
fn with_rounded_products<F: Field>(field: F, s: usize, length: usize, rng: &mut Rng) -> GeneratorSearch<F> {
    let terms: Vec<F::Elem> = (0..s * s * length).map(|_| field.random(rng)).collect();
    let (half, most) = (length / 2, length / 2 + length % 2);
    let shape = ProductShape {
        rows: 2 * s,
        inner: s,
        cols: s,
        left_len: half / 2 + 1,
        right_len: most,
        lo: half / 2,
        len: half,
    };
    let plan = ProductPlan::new(&field, shape);
    assert_eq!(matches!(plan.method, Method::Fourier { .. }), cfg!(feature = "fft"), "{plan}");
    let mut search = GeneratorSearch::new(field, s).unwrap();
    search.extend(&terms, &Silent).unwrap();
    search
}

/// Any coefficient that is wrong is seen, by any difference, without a random choice.
fn every_residual_is_seen<F: Field>(search: &GeneratorSearch<F>, rng: &mut Rng) {
    assert_eq!(search.residual_row(&search.left).unwrap(), None);
    for _ in 0..8 {
        let mut wrong = search.clone();
        let at = rng.random_range(0..wrong.left.data().len());
        let entry = &mut wrong.left.data_mut()[at];
        *entry = search.field.add(*entry, search.field.random_nonzero(rng));
        let row = at / search.s % (2 * search.s);
        assert_eq!(wrong.residual_row(&wrong.left).unwrap(), Some(row));
    }
}

#[test]
fn what_rounded_products_gave_is_proven_without_them() {
    let mut rng = Rng::seed_from_u64(13);
    for p in [2, 251] {
        every_residual_is_seen(&with_rounded_products(prime(p), 1, 600, &mut rng), &mut rng);
    }
    let gf16 = ExtensionField::new(Modulus::new(2).unwrap(), 16, &mut rng);
    every_residual_is_seen(&with_rounded_products(gf16, 1, 120, &mut rng), &mut rng);
    // Where no product is rounded the same holds, and nothing rests on it.
    let mut search = GeneratorSearch::new(prime((1 << 61) - 1), 2).unwrap();
    search.extend(&(0..4 * 50).map(|_| search.field.random(&mut rng)).collect::<Vec<_>>(), &Silent).unwrap();
    every_residual_is_seen(&search, &mut rng);
}

#[test]
fn verify_catches_a_wrong_basis() {
    let (field, mut rng) = (prime(65521), Rng::seed_from_u64(8));
    let terms: Vec<u64> = (0..4 * 12).map(|_| field.random(&mut rng)).collect();
    let mut search = GeneratorSearch::new(field, 2).unwrap();
    search.extend(&terms, &Silent).unwrap();
    let message = |bad: &GeneratorSearch<PrimeField>| {
        bad.verify(ErrorBound::of_bits(64), &mut Rng::seed_from_u64(3)).unwrap_err().to_string()
    };

    let mut wrong = search.clone();
    wrong.left.set(0, 1, 2, field.add(wrong.left.get(0, 1, 2), 1));
    assert!(message(&wrong).contains("residual"));

    // Any one coefficient, by any difference: a product gone wrong.
    for at in 0..search.left.data().len() {
        let mut wrong = search.clone();
        let entry = &mut wrong.left.data_mut()[at];
        *entry = field.add(*entry, field.random_nonzero(&mut rng));
        assert!(wrong.verify(ErrorBound::of_bits(64), &mut Rng::seed_from_u64(3)).is_err(), "{at}");
    }
    // Terms other than those that the basis was found from, as if the multiplication had read them wrong.
    for at in 0..search.series.data().len() {
        let mut wrong = search.clone();
        wrong.series.data_mut()[at] = field.add(wrong.series.data()[at], 1);
        assert!(message(&wrong).contains("residual"), "{at}");
    }

    let mut wrong = search.clone();
    wrong.left.resize(40).unwrap();
    wrong.left.set(3, 0, 39, 1);
    assert!(message(&wrong).contains("longer than its degree"));

    let mut wrong = search.clone();
    wrong.degrees[1] += 1;
    assert!(message(&wrong).contains("add up"));

    // One row twice: all in the module, degrees right, no basis.
    let mut wrong = search.clone();
    for k in 0..wrong.left.len() {
        for j in 0..2 {
            wrong.left.set(1, j, k, wrong.left.get(0, j, k));
        }
    }
    assert_eq!(wrong.degrees[0], wrong.degrees[1]);
    assert!(message(&wrong).contains("singular"));
}

/// Searches that are interrupted at every question whether to stop go on from their states to the same basis, with all
/// terms at once or as they come, over fields of every kind.
#[test]
fn searches_that_are_killed_go_on() {
    use crate::report::goes_on;
    fn check<F: Field>(field: &F, leaf: usize, rng: &mut Rng) {
        let s = 2;
        for length in [37, 90] {
            let (terms, _) = sequence(field, rng, 40, s, length);
            for pieces in [vec![length], vec![20, length - 20], vec![9, 12, length - 21]] {
                let kept = goes_on(|observer| {
                    let mut search = GeneratorSearch::with_params(field.clone(), s, Params { leaf })?;
                    let mut at = 0;
                    for &piece in &pieces {
                        search.extend(&terms[at * s * s..(at + piece) * s * s], observer)?;
                        at += piece;
                    }
                    search.verify(ErrorBound::of_bits(40), &mut Rng::seed_from_u64(1))?;
                    Ok((search.generator()?, search.degrees(), search.stable_terms(), search.left.clone()))
                });
                assert_eq!(kept, ["sigma-basis"]);
            }
        }
    }
    let rng = &mut Rng::seed_from_u64(45);
    check(&prime(65521), 3, rng);
    check(&prime((1 << 61) - 1), 1, rng);
    check(&Gf9, 2, rng);
    check(&ExtensionField::new(Modulus::new(7).unwrap(), 3, rng), 4, rng);
}

/// A state of other terms, or of fewer, is not used.
#[test]
fn states_of_other_terms_are_not_used() {
    use crate::report::Memory;
    let (field, rng) = (prime(65521), &mut Rng::seed_from_u64(46));
    let (terms, _) = sequence(&field, rng, 40, 1, 80);
    let search = |terms: &[&[<PrimeField as Field>::Elem]], observer: &dyn Observer| {
        let mut search = GeneratorSearch::with_params(field, 1, Params { leaf: 2 }).unwrap();
        terms.iter().for_each(|terms| search.extend(terms, observer).unwrap());
        search
    };
    // That of a run with sixty terms.
    let left = || {
        let memory = Memory { life: usize::MAX.into(), ..Memory::default() };
        search(&[&terms[..10], &terms[10..60]], &memory);
        memory
    };
    // While it is waited for, nothing is said to be stable.
    let waiting = search(&[&terms[..10]], &left());
    assert_eq!((waiting.length(), waiting.stable_terms()), (10, 0));
    let mut others = terms.clone();
    others[50] = field.add(others[50], field.one());
    for terms in [
        vec![&terms[..10], &terms[10..60]],
        vec![&terms[..10], &terms[10..70]],
        vec![&terms[..10], &others[10..60]],
        vec![&others[..10], &others[10..]],
    ] {
        let (kept, plain) = (search(&terms, &left()), search(&terms, &Silent));
        assert_eq!((kept.degrees(), kept.left), (plain.degrees(), plain.left));
    }
}
