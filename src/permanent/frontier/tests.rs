//! The dynamic program against Laplace's expansion, closed forms and itself in other orders.

use super::*;
use crate::Silent;
use crate::permanent::shapes::{chessboard, laplace};
use num_bigint::BigInt;
use proptest::prelude::*;

fn perm(a: &IntMatrix) -> BigInt {
    permanent(a, &FrontierOptions::default(), &Silent).unwrap()
}

/// Keys and arrays, integers and residues: all the same, state by state.
fn every_storage(a: &IntMatrix, order: &[u32]) -> std::result::Result<(), TestCaseError> {
    let expected = laplace(a);
    let options = FrontierOptions::default();
    let answer = |storage, options: &FrontierOptions| in_order(a, order, options, storage, &Silent).unwrap();
    let keys = answer(Storage::Keys, &options);
    prop_assert_eq!(&keys.value, &expected);
    prop_assert_eq!(&answer(Storage::Arrays, &options), &keys);
    prop_assert_eq!(answer(Storage::Cheapest, &options).value, expected.clone());
    for (p, storage) in [(3, Storage::Keys), (9223372036854775783, Storage::Arrays)] {
        let p = Modulus::new(p).unwrap();
        let options = FrontierOptions { modulus: Some(p), ..options.clone() };
        prop_assert_eq!(p.reduce_bigint(&answer(storage, &options).value), p.reduce_bigint(&expected));
    }
    Ok(())
}

/// The 0–1 matrix where a condition holds.
fn zero_one(n: usize, entry: impl Fn(usize, usize) -> bool) -> IntMatrix {
    let entries = (0..n * n).map(|k| (k / n, k % n)).filter(|&(i, j)| entry(i, j));
    IntMatrix::from_entries(n, entries.map(|(i, j)| (i, j, 1)))
}

fn matrix(values: impl Strategy<Value = BigInt> + Clone) -> impl Strategy<Value = IntMatrix> {
    (0usize..8).prop_flat_map(move |n| {
        let entries = proptest::collection::vec((0..n.max(1), 0..n.max(1), values.clone()), 0..=4 * n);
        entries.prop_map(move |e| IntMatrix::from_entries(n, e.into_iter().filter(|_| n > 0)))
    })
}

fn small() -> impl Strategy<Value = BigInt> + Clone {
    prop_oneof![Just(1i64), -2i64..4, any::<i64>()].prop_map(BigInt::from)
}

fn any_size() -> impl Strategy<Value = BigInt> + Clone {
    (any::<i64>(), 0u32..200).prop_map(|(v, s)| BigInt::from(v) << s)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn small_entries(a in matrix(small())) {
        prop_assert_eq!(perm(&a), laplace(&a));
        prop_assert_eq!(perm(&a.transpose().unwrap()), laplace(&a));
    }

    #[test]
    fn entries_of_any_size(a in matrix(any_size())) {
        prop_assert_eq!(perm(&a), laplace(&a));
    }

    /// Few distinct lines: many twins.
    #[test]
    fn twins(n in 1usize..8, kinds in 1usize..4, bits in any::<u64>(), weights in proptest::collection::vec(-2i64..3, 64)) {
        let place = |i: usize, j: usize| (i % kinds) * 8 + j % kinds;
        let entry = |k: usize| (k / n, k % n, if bits >> place(k / n, k % n) & 1 == 1 { weights[place(k / n, k % n)] } else { 1 });
        let a = IntMatrix::from_entries(n, (0..n * n).map(entry));
        prop_assert_eq!(perm(&a), laplace(&a));
        every_storage(&a, &(0..2 * n as u32).rev().collect::<Vec<_>>())?;
    }

    #[test]
    fn any_order(a in matrix(small()), shuffle in Just((0u32..16).collect::<Vec<_>>()).prop_shuffle()) {
        let order: Vec<u32> = shuffle.into_iter().filter(|&v| (v as usize) < 2 * a.n()).collect();
        every_storage(&a, &order)?;
    }

    /// Local search gives a valid order of no more work with the same result, within the predicted bounds.
    #[test]
    fn improved_orders(a in matrix(small()), shuffle in Just((0u32..16).collect::<Vec<_>>()).prop_shuffle()) {
        let order: Vec<u32> = shuffle.into_iter().filter(|&v| (v as usize) < 2 * a.n()).collect();
        if !has_empty_line(&a) && a.n() > 0 {
            let graph = Graph::new(&a);
            let (plain, _) = improve(&graph, &order, 0, &Silent).unwrap();
            let (better, _) = improve(&graph, &order, u64::MAX, &Silent).unwrap();
            prop_assert!(better.work <= plain.work);
            prop_assert_eq!(improve(&graph, &better.vertices, 0, &Silent).unwrap().0.work, better.work);
            let answer = permanent_in_order(&a, &better.vertices, &FrontierOptions::default(), &Silent).unwrap();
            prop_assert_eq!(answer.value, laplace(&a));
            let program = compile(&graph, &better.vertices);
            let reachable = reachable(&program, &graph.weights, &Frontier::default(), &Silent).unwrap();
            prop_assert!(answer.states as f64 <= reachable.iter().sum());
        }
    }

    #[test]
    fn any_order_and_size(a in matrix(any_size()), shuffle in Just((0u32..16).collect::<Vec<_>>()).prop_shuffle()) {
        let order: Vec<u32> = shuffle.into_iter().filter(|&v| (v as usize) < 2 * a.n()).collect();
        every_storage(&a, &order)?;
    }
}

#[test]
fn closed_forms() {
    let factorial = |n: u64| (1..=n).product::<u64>();
    for n in 0..=20u64 {
        assert_eq!(perm(&zero_one(n as usize, |_, _| true)), factorial(n).into(), "{n}!");
    }
    let mut derangements = BigInt::from(1);
    for n in 1..=12usize {
        derangements = derangements * n + if n % 2 == 0 { 1 } else { -1 };
        assert_eq!(perm(&zero_one(n, |i, j| i != j)), derangements, "derangements of {n}");
    }
    // Ménage numbers.
    for (n, menage) in [(3usize, 1u64), (4, 2), (5, 13), (6, 80), (7, 579), (8, 4738), (9, 43387), (10, 439792)] {
        assert_eq!(perm(&zero_one(n, |i, j| j != i && j != (i + 1) % n)), menage.into(), "menage {n}");
    }
    // Tridiagonal matrices: Fibonacci numbers; the circulant with three diagonals: Lucas numbers and 2.
    let (mut f, mut g) = (BigInt::from(1), BigInt::from(1));
    for n in 1..=300usize {
        if n % 37 == 0 || n < 10 {
            assert_eq!(perm(&zero_one(n, |i, j| i.abs_diff(j) <= 1)), g, "Fibonacci {n}");
        }
        if n >= 3 && (n % 37 == 0 || n < 10) {
            // F(n-1) + F(n+1) with F(1) = F(2) = 1: here g = F(n+1), f = F(n).
            let lucas = 2 * &g - &f;
            let circulant = zero_one(n, |i, j| (j + n - i) % n <= 1 || (i + n - j) % n <= 1);
            assert_eq!(perm(&circulant), lucas + 2, "Lucas {n}");
        }
        (f, g) = (g.clone(), f + g);
    }
}

#[test]
fn dominoes() {
    for (height, width, tilings) in [(2, 2, 2u64), (4, 4, 36), (6, 6, 6728), (8, 8, 12_988_816), (3, 8, 153)] {
        assert_eq!(perm(&chessboard(height, width).unwrap()), tilings.into(), "{height} x {width}");
    }
    assert_eq!(perm(&chessboard(10, 10).unwrap()), 258_584_046_368u64.into());
}

#[test]
fn degenerate() {
    assert_eq!(perm(&zero_one(0, |_, _| true)), 1.into());
    assert_eq!(perm(&zero_one(1, |_, _| false)), 0.into());
    assert_eq!(perm(&zero_one(5, |i, j| i != 3 && j != 9)), 0.into());
    // No perfect matching, yet no empty line.
    assert_eq!(perm(&zero_one(6, |i, j| i < 1 || j < 2)), 0.into());
    // A value at the edge of the modulus: 2⁶³ and its negative, as one entry and as a product.
    for v in [BigInt::from(1u64 << 63), -BigInt::from(1u64 << 63), BigInt::from(u64::MAX)] {
        assert_eq!(perm(&IntMatrix::from_entries(1, [(0, 0, v.clone())])), v);
        let a = IntMatrix::from_entries(2, [(0, 0, v.clone()), (1, 1, v.clone()), (0, 1, BigInt::from(1))]);
        assert_eq!(perm(&a), &v * &v);
    }
}

#[test]
fn wide_keys() {
    // The first row touches every column, and no two columns are twins: more than one word, few states.
    for n in [70usize, 140, 600] {
        let a = zero_one(n, |i, j| i == 0 || i == j || i == j + 1);
        let order: Vec<u32> = (0..n as u32).collect();
        let answer = permanent_in_order(&a, &order, &FrontierOptions::default(), &Silent).unwrap();
        // Row 0 takes any column j; then rows 1 … j take the columns before, the rest the diagonal.
        assert_eq!(answer.value, n.into());
        assert_eq!(answer.value, perm(&a));
    }
}

#[test]
fn too_little_memory_is_an_error_that_names_the_need() {
    let a = zero_one(30, |i, j| (i * i + j * j + i * j) % 7 < 3);
    let options = FrontierOptions { memory: 1 << 12, ..Default::default() };
    let error = permanent(&a, &options, &Silent).unwrap_err();
    assert!(matches!(error, Error::Memory(_)) && error.to_string().contains("MiB"), "{error}");
}

/// No order is searched for if all are hopeless.
#[test]
fn hopeless_matrices_are_refused_at_once() {
    let bit =
        |i: usize, j: usize| ((i * 1009 + j) as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_pow(3) >> 63 == 1;
    let error = predict(&zero_one(300, bit), &FrontierOptions::default(), &Silent).unwrap_err();
    assert!(matches!(error, Error::Memory(_)) && error.to_string().contains("bytes for"), "{error}");
}

#[test]
fn orders_are_checked() {
    let a = zero_one(3, |_, _| true);
    for order in [&[0, 1, 7][..], &[0, 0, 1], &[0, 1, 3, 4]] {
        let error = permanent_in_order(&a, order, &FrontierOptions::default(), &Silent).unwrap_err();
        assert!(matches!(error, Error::Usage(_)), "{order:?}");
    }
}

#[test]
fn threads_do_not_matter_and_predictions_bound() {
    // Large enough for several parts.
    let a = zero_one(26, |i, j| (i * 7 + j * j * 3 + i * j) % 5 < 2);
    let prediction = predict(&a, &FrontierOptions::default(), &Silent).unwrap();
    let answer = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| permanent_in_order(&a, &prediction.order, &FrontierOptions::default(), &Silent).unwrap())
    };
    let one = answer(1);
    assert_eq!(one, answer(3));
    assert!(one.states as f64 <= prediction.states && one.peak as f64 <= prediction.peak);
    let transposed = perm(&a.transpose().unwrap());
    assert_eq!(one.value, transposed);
}

/// Layers of many runs, reordered during the run, on several threads; random sparse matrices, whose layers are partly
/// full.
#[test]
fn arrays_and_keys_agree_on_larger_matrices() {
    for (n, seed) in [(20usize, 1usize), (22, 2), (24, 3), (24, 4)] {
        let a = zero_one(n, |i, j| {
            (i * i * 31 + j * j * 17 + i * j * 7 + seed * (i + 3 * j)) % 11 < 2 || i == j || (i + seed) % n == j
        });
        let order = predict(&a, &FrontierOptions::default(), &Silent).unwrap().order;
        let plain: Vec<u32> = (0..n as u32).collect();
        for order in [order, plain] {
            let answer = |storage, threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| in_order(&a, &order, &FrontierOptions::default(), storage, &Silent).unwrap())
            };
            let keys = answer(Storage::Keys, 1);
            assert!(keys.states > 1000, "{n}: {} states", keys.states);
            assert_eq!(answer(Storage::Arrays, 1), keys, "{n}");
            assert_eq!(answer(Storage::Arrays, 3), keys, "{n}");
            assert_eq!(answer(Storage::Cheapest, 2), keys, "{n}");
        }
    }
}

#[test]
fn an_observer_stops_it() {
    struct Stop;
    impl Observer for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let error = permanent(&zero_one(4, |_, _| true), &FrontierOptions::default(), &Stop).unwrap_err();
    assert!(matches!(error, Error::Interrupted));
}

/// A layer of few vectors has its exact size even if those of other weights are too many to be counted exactly.
#[test]
fn nearly_all_of_many_classes_unmatched() {
    // The three columns processed first meet 64 rows, no two of which are ever twins. Row i < 6 has one or two further
    // entries in the first six columns, row i > 5 the only entry of column i.
    let n = 64usize;
    let dense = (0..3 * n).map(|k| (k / 3, k % 3, ((k / 3 + 1) * (k % 3 + 1)) as i64));
    let sparse = (3..n).map(|i| (i, i, 1)).chain((0..3).map(|i| (i, i + 3, 2)));
    let entries: Vec<(usize, usize, i64)> = dense.chain(sparse).collect();
    let a = IntMatrix::from_entries(n, entries.iter().copied());
    let corner = IntMatrix::from_entries(6, entries.into_iter().filter(|&(i, j, _)| i.max(j) < 6));
    let order: Vec<u32> = (n as u32..2 * n as u32).collect();
    for storage in [Storage::Keys, Storage::Arrays] {
        let answer = in_order(&a, &order, &FrontierOptions::default(), storage, &Silent).unwrap();
        // Any three of the rows may be matched after three steps.
        assert_eq!((answer.value, answer.peak), (laplace(&corner), 64 * 63 * 62 / 6), "{storage:?}");
    }
}
