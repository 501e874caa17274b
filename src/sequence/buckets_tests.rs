//! Bucket sums against the definition of YᵀV, at the edges of their sums; parallel rows counted.

use super::*;
use crate::field::{ExtensionField, PrimeField};
use crate::spmv;
use rand::SeedableRng;

/// Y as n × s elements.
fn dense<F: Field>(field: &F, y: &Buckets) -> Vec<F::Elem> {
    let k = field.degree();
    let mut dense = vec![field.zero(); y.n * y.s];
    for (c, chunk) in y.chunks.iter().enumerate() {
        for (bucket, range) in chunk.start.windows(2).enumerate() {
            for &row in &chunk.rows[range[0] as usize..range[1] as usize] {
                let entry = &mut dense[(c * y.chunk + row as usize) * y.s + bucket / y.pool];
                assert!(*entry == field.zero(), "distinct classes, weights other than zero");
                *entry = field.from_digits(&y.weights[bucket * k..][..k]);
            }
        }
    }
    dense
}

fn is_the_definition<F: Field>(field: &F, lane: spmv::Lane, s: usize, n: usize, rng: &mut Rng) {
    let (k, p) = (field.degree(), field.modulus());
    let v = Block::random(lane, n, s * k, p, rng).unwrap();
    let buckets = Buckets::random(field, n, s, rng).unwrap();
    let values: Vec<F::Elem> =
        v.to_residues().unwrap().chunks_exact(k).map(|digits| field.from_digits(digits)).collect();
    let mut expected = vec![field.zero(); s * s];
    for (y, v) in dense(field, &buckets).chunks_exact(s).zip(values.chunks_exact(s)) {
        for i in 0..s {
            field.axpy(&mut expected[i * s..][..s], y[i], v);
        }
    }
    for isa in Isa::available() {
        let mut found = Vec::new();
        buckets.project_with(isa, field, &v, &mut found).unwrap();
        assert_eq!(found, expected, "{isa:?}, {lane:?}, {n} x {s} over GF({p}^{k})");
    }
}

#[test]
fn every_lane_and_width() {
    let mut rng = Rng::seed_from_u64(1);
    for (p, lane) in [
        (2, spmv::Lane::U8),
        (251, spmv::Lane::U8),
        (65521, spmv::Lane::U16),
        (65521, spmv::Lane::U32),
        (4294967291, spmv::Lane::U32),
        (72057594037927931, spmv::Lane::U64),
        (72057594037928017, spmv::Lane::U64),
        ((1 << 61) - 1, spmv::Lane::U64),
        (9223372036854775783, spmv::Lane::U64),
        (4093, spmv::Lane::F32),
        (65521, spmv::Lane::F64),
    ] {
        for s in [1, 2, 3, 4, 5, 16, 20, 300] {
            for n in [0, 1, 7, 60] {
                is_the_definition(&PrimeField(Modulus::new(p).unwrap()), lane, s, n, &mut rng);
            }
        }
    }
    for (p, k, lane) in [(2, 16, spmv::Lane::U8), (65521, 3, spmv::Lane::U16), ((1 << 31) - 1, 2, spmv::Lane::U32)] {
        let field = ExtensionField::new(Modulus::new(p).unwrap(), k, &mut rng);
        for s in [1, 3, 4] {
            is_the_definition(&field, lane, s, 33, &mut rng);
        }
    }
    // Several tasks.
    is_the_definition(&PrimeField(Modulus::new(65521).unwrap()), spmv::Lane::U16, 3, 40_000, &mut rng);
}

/// Every row in one bucket, every residue p - 1: the largest sums that there are.
#[test]
fn sums_at_their_largest() {
    let n = 2 * CHUNK + 3;
    for (p, lane) in [
        (251, spmv::Lane::U8),
        (65521, spmv::Lane::U16),
        (4294967291, spmv::Lane::U32),
        (9223372036854775783, spmv::Lane::U64),
        (16777213, spmv::Lane::F32),
        (9007199254740881, spmv::Lane::F64),
    ] {
        let field = PrimeField(Modulus::new(p).unwrap());
        let mut v = Block::zeros(lane, n, 1).unwrap();
        (0..n).for_each(|i| v.set(i, 0, p - 1));
        let buckets = Buckets::of_picks(n, 1, &vec![0; n], 1, 1, vec![p - 1]).unwrap();
        let mut found = Vec::new();
        buckets.project(&field, &v, &mut found).unwrap();
        // n·(-1)·(-1).
        assert_eq!(found, [n as u64 % p], "{lane:?}");
    }
}

/// The largest words and weights on both sides of the modulus from which each product is reduced by itself.
#[test]
fn weighted_words_at_their_largest() {
    for (p, word) in [(4294967291, u64::MAX), (72057594037927931, 72057594037927930)] {
        let p = Modulus::new(p).unwrap();
        assert!(p.bits() <= WEIGHED_BITS);
        let (count, weight) = (1 << 16, p.get() - 1);
        let found: Vec<u64> = weigh(p, &vec![word; 2 * count], &vec![weight; count], 2).collect();
        // 2¹⁶·word·(-1).
        let expected = p.neg(p.mul(p.reduce(word), p.reduce(1 << 16)));
        assert_eq!(found, [expected; 2], "{p}");
    }
    assert!(Modulus::new(72057594037928017).unwrap().bits() > WEIGHED_BITS);
}

#[test]
fn rows_of_a_sum_at_the_edge() {
    assert_eq!(rows_in_sum(255, 32), 16843009);
    for (largest, bits) in [(255u64, 32), (65535, 32), (u32::MAX as u64, 64), ((1 << 63) - 1, 128), (1, 128)] {
        let rows = rows_in_sum(largest, bits);
        let most = u128::MAX >> (128 - bits);
        assert!(rows * largest as u128 <= most && (most - rows * largest as u128) < largest as u128);
    }
}

/// All pairs of rows, parallel ones counted, against the bound: below it, and not by much where the pool alone decides.
#[test]
fn parallel_rows_are_as_rare_as_the_bound_says() {
    let mut rng = Rng::seed_from_u64(5);
    let n = 300;
    for (p, s, w, pool) in [(65521, 4, 1, 1), (65521, 4, 2, 2), (65521, 3, 2, 5), (65521, 4, 3, 2), (11, 3, 2, 4)] {
        let field = PrimeField(Modulus::new(p).unwrap());
        let (mut parallel_pairs, rounds) = (0, 20);
        for _ in 0..rounds {
            let y = dense(&field, &Buckets::with(&field, n, s, w, pool, &mut rng).unwrap());
            let rows: Vec<&[u64]> = y.chunks_exact(s).collect();
            let is_parallel =
                |a: &[u64], b: &[u64]| (0..s).all(|i| (0..i).all(|j| field.mul(a[i], b[j]) == field.mul(a[j], b[i])));
            parallel_pairs += (0..n).map(|i| (0..i).filter(|&j| is_parallel(rows[i], rows[j])).count()).sum::<usize>();
        }
        let found = parallel_pairs as f64 / (rounds * n * (n - 1) / 2) as f64;
        let bound = parallel(s, w, pool, p as f64).value();
        assert!(found <= 1.1 * bound, "s = {s}, w = {w}, E = {pool}, p = {p}: {found} above {bound}");
        assert!(p < 100 || found >= 0.9 * bound, "s = {s}, w = {w}, E = {pool}, p = {p}: {found} far below {bound}");
    }
    for s in [4, 8, 16, 32, 64] {
        assert!(pair_loss(s, 65521.0).value() < 1.1e-6, "{s}: {}", pair_loss(s, 65521.0));
    }
    // One column has no room: all unit vectors are parallel.
    assert!(pair_loss(1, 65521.0).is_vacuous());
    // Over GF(2) the weights tell nothing, the classes all; over a field without end the pool is what remains.
    assert!((pair_loss(4, 2.0).value() - 0.25).abs() < 1e-9 && pair_loss(4, 1e300) >= pair_loss(4, f64::MAX));
}
