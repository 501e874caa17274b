//! Budgets at their edges: as many of the largest terms as a sum takes, against 128-bit arithmetic.

use super::*;

/// The documented inequalities hold and are tight; `value` is the largest value.
fn tight<A: Arithmetic>(p: u64, value: u64, sum_limit: u128, acc_limit: u128) {
    let budget = A::budget(Modulus::new(p).unwrap()).unwrap();
    let (m, residue, product) = (p as u128, p as u128 - 1, (p as u128 - 1) * value as u128);
    let (sums, products) = (budget.sums(), budget.products());
    assert!(m + sums as u128 * residue <= sum_limit && m + (sums as u128 + 1) * residue > sum_limit, "p = {p}");
    assert!(m + products as u128 * product <= acc_limit && m + (products as u128 + 1) * product > acc_limit, "p = {p}");
    // Without folds the room for p is free, too, and both kinds of terms share the limit of products.
    let most = (sum_limit / residue) as u64;
    assert!(budget.holds(most, 0) && !budget.holds(most + 1, 0));
    let most = (acc_limit / product) as u64;
    assert!(budget.holds(0, most) && !budget.holds(0, most + 1));
    for signs in [1, 2, 1000] {
        if signs as u128 * residue <= sum_limit.min(acc_limit) {
            let left = ((acc_limit - signs as u128 * residue) / product) as u64;
            assert_eq!(budget.holds(signs, left), signs as u128 * residue <= sum_limit);
            assert!(!budget.holds(signs, left + 1));
        }
    }
}

/// Sums up to the largest, to the nearest multiple of p: what is left is at most 7/8 p.
#[test]
fn sums_are_reduced_to_the_nearest() {
    for p in [2, 3, 251, 257, 32749, 65521, 65537, 67108859, (1 << 31) - 1] {
        let near = |sum: i64| [sum - p, sum - p / 2 - 1, sum - p / 2, sum - 1, sum];
        let longest = i64::try_from(i128::from(p) << 50).unwrap_or(i64::MAX);
        let sums = [longest, longest / p * p, longest / 3, SHORT, SHORT / p * p, 1 << 40, 1 << 24, p * p, 2 * p, p];
        for sum in sums.into_iter().flat_map(near).flat_map(|sum| [sum, -sum]) {
            let short = (sum.abs() <= SHORT).then(|| nearest_short(sum, p, 1.0 / p as f64));
            for left in short.into_iter().chain([nearest(sum, p, 1.0 / p as f64)]) {
                let multiple = (i128::from(sum) - i128::from(left)) % i128::from(p) == 0;
                assert!(multiple && 8 * left.abs() <= 7 * p, "{sum} mod {p}: {left}");
            }
        }
    }
}

#[test]
fn budgets_are_tight() {
    let narrow = |p: u64| (i32::MAX as u128).min((p as u128) << 21);
    let wide = |p: u64| (i64::MAX as u128).min((p as u128) << 50);
    for p in [2, 3, 127, 251] {
        tight::<Narrow<u8, i8>>(p, p / 2, narrow(p), narrow(p));
    }
    for p in [2, 257, 65521] {
        tight::<Narrow<u16, i16>>(p, p / 2, narrow(p), narrow(p));
        tight::<Wide<u16, i16>>(p, p / 2, narrow(p), (1 << 51) - 1);
    }
    for p in [2, 65537, 67108859, (1 << 31) - 1] {
        tight::<Wide<u32, i32>>(p, p / 2, wide(p), wide(p));
    }
    for p in [3, 4093] {
        let limit = ((1 << 24) - p as u128).min((p as u128) << 21);
        tight::<Float32>(p, p / 2, limit, limit);
    }
    for p in [3, 67108859] {
        let limit = ((1 << 53) - p as u128).min((p as u128) << 50);
        tight::<Float64>(p, p / 2, limit, limit);
    }
    let split = Split::budget(Modulus::new(4294967291).unwrap()).unwrap();
    assert!(split.holds(0, (1 << 19) - 1) && !split.holds(0, 1 << 19));
    assert!(split.holds(1, (1 << 19) - 1) && !split.holds(2, (1 << 19) - 1));
    assert!(Long::budget(Modulus::new(9223372036854775783).unwrap()).unwrap().holds(u64::MAX, u64::MAX));
}

#[test]
fn arithmetic_ends_where_its_words_do() {
    let none = |p: u64| {
        let p = Modulus::new(p).unwrap();
        [
            Narrow::<u8, i8>::budget(p).is_none(),
            Narrow::<u16, i16>::budget(p).is_none(),
            Wide::<u16, i16>::budget(p).is_none(),
            Wide::<u32, i32>::budget(p).is_none(),
            Split::budget(p).is_none(),
            Float32::budget(p).is_none(),
            Float64::budget(p).is_none(),
        ]
    };
    assert_eq!(none(251), [false, false, false, false, true, false, false]);
    assert_eq!(none(65521), [true, false, false, false, true, true, false]);
    assert_eq!(none((1 << 31) - 1), [true, true, true, false, false, true, true]);
    assert_eq!(none(4294967291), [true, true, true, true, false, true, true]);
    assert_eq!(none((1 << 61) - 1), [true; 7]);
}

/// Sums at the edge of every budget, built term by term with the extreme operands.
fn exact_at_the_edge<A: Arithmetic>(p: u64, lane: impl Fn(u64) -> A::Lane, back: impl Fn(A::Lane) -> u64) {
    let m = Modulus::new(p).unwrap();
    let (a, budget) = (A::new(m), A::budget(m).unwrap());
    // Enough for all of 52-bit sums; beyond that many the sum is a multiple of what was tried: p terms are none.
    let sums = budget.sums().min(1_050_000);
    let products = budget.products().min(1_050_000);
    let x = lane(p - 1);
    let times = |t: u64, y: u64| m.mul(m.reduce(t), y);
    let mut plus = a.zero();
    for _ in 0..sums {
        plus = a.add(plus, x);
    }
    let minus = a.negate(plus);
    assert_eq!(back(a.finish_sum(a.negate(a.zero()))), 0);
    let sum = times(sums, p - 1);
    assert_eq!((back(a.finish_sum(plus)), back(a.finish_sum(minus))), (sum, m.neg(sum)), "p = {p}");
    assert_eq!((back(a.finish(a.widen(plus))), back(a.finish(a.widen(minus)))), (sum, m.neg(sum)), "p = {p}");
    assert_eq!(back(a.finish_sum(a.fold_sum(minus))), m.neg(sum));
    for v in [p / 2, p / 2 + 1, 1, p - 1].map(|v| v % p) {
        // From a folded sum of either sign.
        for start in [plus, minus] {
            let mut acc = a.widen(a.fold_sum(start));
            let from = back(a.finish(acc));
            for _ in 0..products {
                acc = a.multiply_add(acc, a.value(v), x);
            }
            let expected = m.add(from, times(products, m.mul(v, p - 1)));
            assert_eq!(back(a.finish(acc)), expected, "p = {p}, v = {v}");
            assert_eq!(back(a.finish(a.fold(acc))), expected, "p = {p}, v = {v}");
            for d in [0, 1, p / 2, p - 1] {
                assert_eq!(back(a.scale(acc, a.scalar(d))), m.mul(d, expected), "p = {p}, v = {v}, d = {d}");
                assert_eq!(back(a.scale_sum(minus, a.scalar(d))), m.mul(d, m.neg(sum)), "p = {p}, d = {d}");
            }
        }
    }
}

#[test]
fn sums_are_exact_at_the_edge() {
    for p in [2, 3, 127, 251] {
        exact_at_the_edge::<Narrow<u8, i8>>(p, |x| x as u8, u64::from);
    }
    for p in [2, 257, 32749, 65521] {
        exact_at_the_edge::<Narrow<u16, i16>>(p, |x| x as u16, u64::from);
        exact_at_the_edge::<Wide<u16, i16>>(p, |x| x as u16, u64::from);
    }
    for p in [2, 65537, 67108859, (1 << 31) - 1] {
        exact_at_the_edge::<Wide<u32, i32>>(p, |x| x as u32, u64::from);
    }
    for p in [65537, 67108859, (1 << 31) - 1, 4294967291] {
        exact_at_the_edge::<Split>(p, |x| x as u32, u64::from);
    }
    for p in [2, 3, 65537, (1 << 61) - 1, 9223372036854775783] {
        exact_at_the_edge::<Long>(p, |x| x, |x| x);
    }
    for p in [2, 3, 257, 4093] {
        exact_at_the_edge::<Float32>(p, |x| x as f32, |x| x as u64);
    }
    for p in [2, 3, 65521, 67108859] {
        exact_at_the_edge::<Float64>(p, |x| x as f64, |x| x as u64);
    }
}
