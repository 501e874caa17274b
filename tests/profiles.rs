//! Prices change plans and nothing else: ranks and permanents by wildly wrong profiles, each against one golden answer
//! that knows no prices.

use blackfield::answers::{Patience, RankOptions, rank};
use blackfield::cost::Machine;
use blackfield::dense::DenseMatrix;
use blackfield::field::{Modulus, PrimeField, Rng};
use blackfield::permanent::{self, permanent};
use blackfield::sparse::{SparseMatrix, Triplets};
use blackfield::tune::PRICES;
use blackfield::{Silent, families};
use num_bigint::BigInt;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeSet;

/// All prices made cheaper or more expensive at random, by up to a factor of `spread`.
fn wild(spread: f64, rng: &mut Rng) -> Machine {
    let mut machine = Machine::default();
    for price in PRICES {
        let by = spread.powf(rng.random_range(-1.0..=1.0));
        let [least, most] = price.range();
        let value = (price.of(&machine) * by).clamp(least, most);
        price.set(&mut machine, value);
    }
    machine
}

/// The rank by the textbook's elimination.
fn textbook(a: &SparseMatrix) -> usize {
    let mut dense = vec![0; a.rows() * a.cols()];
    for i in 0..a.rows() {
        let (cols, values) = a.row(i);
        cols.iter().zip(values).for_each(|(&j, &v)| dense[i * a.cols() + j as usize] = v);
    }
    let field = PrimeField(a.modulus());
    DenseMatrix::from_entries(a.rows(), a.cols(), dense).rank(&field)
}

#[test]
fn ranks_do_not_depend_on_prices() {
    let mut rng = Rng::seed_from_u64(1);
    let mut ways = BTreeSet::new();
    let names = [
        ("ch4-4-b2", 65521),
        ("mk9-b1", 3),
        ("n3c6-b3", 2),
        ("bibd_9_5", 65521),
        ("ch5-5-b3", 65521),
        ("ch5-5-b2", 2),
        ("mk9-b3", 65521),
        ("EX1", 65521),
        ("EX1", 2),
    ];
    for (name, p) in names {
        let a = families::generate(name).unwrap().reduce(Modulus::new(p).unwrap());
        let golden = textbook(&a);
        for (round, spread) in [10.0, 1e3, 1e3, 1e6, 1e6, 1e9, 1e9, 1e9].into_iter().enumerate() {
            let machine = wild(spread, &mut rng);
            for patience in [Patience::default(), Patience::ENDLESS] {
                let options = RankOptions::default().machine(machine.clone()).patience(patience);
                let answer = rank(&a, &options, &Silent).unwrap();
                assert_eq!(answer.rank, golden, "{name} mod {p}, round {round}: {:?}", answer.path);
                ways.insert(answer.path.iter().map(|step| step.name).collect::<Vec<_>>());
            }
        }
    }
    // The prices were wild enough to matter.
    assert!(ways.len() > 5, "{ways:?}");
}

/// The permanent by expansion along the rows, for each set of columns once.
fn expanded(a: &Triplets) -> BigInt {
    let n = a.rows();
    let mut rows = vec![vec![]; n];
    a.entries().for_each(|(i, j, v)| rows[i].push((j, v.to_bigint())));
    let mut sums = vec![BigInt::ZERO; 1 << n];
    sums[0] = BigInt::from(1);
    for set in 0..1usize << n {
        let sum = std::mem::take(&mut sums[set]);
        if sum == BigInt::ZERO || set + 1 == 1 << n {
            sums[set] = sum;
            continue;
        }
        for (j, v) in rows[set.count_ones() as usize].iter().filter(|(j, _)| set >> j & 1 == 0) {
            sums[set | 1 << j] += &sum * v;
        }
    }
    sums.pop().expect("the set of all columns")
}

#[test]
fn permanents_do_not_depend_on_prices() {
    let mut rng = Rng::seed_from_u64(2);
    let mut random = |n: usize, zeros: u32| {
        let mut entries = vec![];
        for k in 0..n * n {
            if rng.random_range(0..10) >= zeros {
                entries.push((k / n, k % n, rng.random_range(-2..=3i64)));
            }
        }
        Triplets::from_entries(n, n, entries)
    };
    let matrices = [families::generate("dominoes_4_6").unwrap(), random(11, 0), random(13, 5), random(12, 7)];
    let mut ways = BTreeSet::new();
    for a in &matrices {
        let golden = expanded(a);
        for spread in [10.0, 1e3, 1e5, 1e5, 1e5] {
            let options = permanent::Options::default().machine(wild(spread, &mut rng));
            let found = permanent(a, &options, &Silent).unwrap();
            assert_eq!(found.value, golden, "{:?}", found.path);
            ways.insert(found.method);
        }
    }
    assert!(ways.len() > 1, "{ways:?}");
}

#[test]
fn the_expansion_is_the_permanent() {
    let a = Triplets::from_entries(2, 2, [(0, 0, 1i64), (0, 1, 2), (1, 0, 3), (1, 1, 4)]);
    assert_eq!(expanded(&a), BigInt::from(10));
    assert_eq!(expanded(&Triplets::from_entries(2, 2, [(0, 0, 1i64)])), BigInt::ZERO);
    assert_eq!(expanded(&Triplets::from_entries(0, 0, [(0, 0, 1i64); 0])), BigInt::from(1));
}
