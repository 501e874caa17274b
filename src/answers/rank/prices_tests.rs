//! What ranks are predicted to take, and what is decided from that, by the prices of the reference: a table that was
//! kept when the prices moved. A line changes where a price or a formula does, and must be wanted.

use super::options::CHECK;
use super::planner::{Rest, decide};
use super::{Machine, Patience, RankOptions, rank};
use crate::Silent;
use crate::certify::ErrorBound;
use crate::cost::Kind;
use crate::families;
use crate::field::{Modulus, Rng};
use crate::sparse::SparseMatrix;
use crate::wiedemann::{self, Problem, parameters};
use rand::{RngExt, SeedableRng};
use std::fmt::Write;

/// Complements of all shapes: pivots, rows, columns, entries, entries that are not ±1.
const SHAPES: [[usize; 5]; 8] = [
    [0, 300, 300, 40_000, 40_000],
    [0, 100_000, 2000, 200_000_000, 1000],
    [1000, 5000, 600, 50_000, 0],
    [1000, 60_000, 50_000, 900_000, 100],
    [5, 3000, 3000, 4_000_000, 4_000_000],
    [20_000, 300, 80_000, 700_000, 0],
    [70_000, 90_000, 30_000, 1_500_000, 1_000_000],
    [10, 4, 0, 30, 0],
];
const PRIMES: [u64; 6] = [2, 3, 251, 65521, (1 << 31) - 1, (1 << 61) - 1];

fn table(machine: &Machine) -> String {
    let mut table = String::new();
    for [pivots, rows, cols, nnz, valued] in SHAPES {
        for p in PRIMES {
            let modulus = Modulus::new(p).unwrap();
            let rank_bound = rows.min(cols);
            let (minor, proven, check) = (nnz % 3 == 0, rows == 5000, CHECK);
            let options = RankOptions { minor, proven, ..Default::default() };
            let whole = SparseMatrix::empty(modulus, 0, 0, 0).unwrap();
            let shape = Rest { pivots, rows, cols, nnz, valued, rank_bound, ..Rest::of(&whole, 0, &options) };
            let rest = Rest { check, ..shape };
            let problem = Problem {
                modulus,
                rows,
                cols,
                nnz,
                valued,
                symmetric: false,
                grid: 16,
                scratch: pivots + rows + cols,
                levels: 0,
                gpu: None,
            };
            let found = parameters(&problem, &wiedemann::Options::default(), machine).unwrap();
            let r = rank_bound / 3;
            let seconds = [
                rest.row_space_seconds(machine, r),
                rest.row_space_seconds(machine, rank_bound),
                rest.every_row_seconds(machine, r),
                rest.every_row_at_worst(machine),
                rest.without_pivots().every_row_at_worst(machine),
                rest.proof_seconds(machine, r),
                rest.round_seconds(machine, Some(found.seconds), true),
                found.seconds,
            ];
            write!(table, "{pivots} {rows} {cols} {nnz} mod {p}:").unwrap();
            seconds.iter().for_each(|s| write!(table, " {s:.6e}").unwrap());
            write!(table, "; {} {} {}", rest.row_space_bytes(r), rest.every_row_bytes(), found.bytes).unwrap();
            writeln!(table, " {} {}", found.block, found.degree).unwrap();
            for wiedemann in [None, Some(found.seconds)] {
                let plan = decide(&rest, machine, wiedemann, None, None).map(|d| (d.finish, d.seconds as f32));
                writeln!(table, "  {plan:?} {}", rest.is_dense(machine, None)).unwrap();
            }
        }
    }
    let error = ErrorBound::new(1e-20);
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        let problem = Problem {
            modulus,
            rows: 900,
            cols: 800,
            nnz: 9000,
            valued: 90,
            symmetric: true,
            grid: 1,
            scratch: 7,
            levels: 0,
            gpu: None,
        };
        let found = parameters(&problem, &wiedemann::Options { error, ..Default::default() }, machine);
        writeln!(table, "{:?}", found.map(|f| (f.seconds as f32, f.bytes, f.block))).unwrap();
    }
    table
}

/// The table as it was, written anew by `PRICES=1 cargo test --lib prices_tests`.
#[test]
fn predictions_and_plans_are_what_they_were() {
    let (now, file) =
        (table(&Machine::reference()), concat!(env!("CARGO_MANIFEST_DIR"), "/src/answers/rank/prices.txt"));
    if std::env::var_os("PRICES").is_some() {
        std::fs::write(file, &now).unwrap();
    }
    let before = include_str!("prices.txt");
    for (now, before) in now.lines().zip(before.lines()) {
        assert_eq!(now, before);
    }
    assert_eq!(now.lines().count(), before.lines().count());
}

/// The names of the steps to a rank at these prices.
fn steps(a: &SparseMatrix, machine: Machine) -> (usize, Vec<&'static str>) {
    let options = RankOptions { machine, patience: Patience::ENDLESS, ..Default::default() };
    let answer = rank(a, &options, &Silent).unwrap();
    (answer.rank, answer.path.iter().map(|step| step.name).collect())
}

/// What is a thousand times as expensive is not done, whatever it was done for; the rank is the same.
#[test]
fn another_machine_makes_another_plan() {
    let p = Modulus::new(65521).unwrap();
    let mut rng = Rng::seed_from_u64(5);
    let entries: Vec<_> =
        (0..400 * 200).map(|k| (k / 200, rng.random_range(0..400), rng.random_range(1..65521))).collect();
    let dense = SparseMatrix::from_triplets(p, 400, 400, &entries);
    let plain = Machine::reference();

    // As it stands; unless that is expensive.
    let (expected, usual) = steps(&dense, plain.clone());
    assert_eq!((expected, usual), (400, vec!["dense elimination"]));
    let (rank, otherwise) = steps(&dense, plain.scaled(Kind::Dense, 1000.0));
    assert_eq!(rank, 400);
    assert!(otherwise.contains(&"structural pivots"), "{otherwise:?}");

    // Where dense eliminations and passes are expensive, Schur complements are formed; unless they are more expensive.
    let a = families::generate("n3c6-b8").unwrap().reduce(p);
    let slow = plain.scaled(Kind::Dense, 1000.0).scaled(Kind::Passes, 1000.0);
    let (one, formed) = steps(&a, slow.clone());
    assert!(formed.contains(&"Schur complement"), "{formed:?}");
    let (other, unformed) = steps(&a, slow.scaled(Kind::Sparse, 1e6));
    assert!(!unformed.contains(&"Schur complement"), "{unformed:?}");
    assert_eq!(one, other);
}

/// Block Wiedemann, elimination and products of polynomials read their own prices.
#[test]
fn every_room_reads_its_own_prices() {
    let modulus = Modulus::new(65521).unwrap();
    let problem = Problem {
        modulus,
        rows: 5000,
        cols: 5000,
        nnz: 50_000,
        valued: 0,
        symmetric: false,
        grid: 1,
        scratch: 0,
        levels: 0,
        gpu: None,
    };
    let seconds = |machine: &Machine| {
        let found = parameters(&problem, &wiedemann::Options::default(), machine).unwrap();
        (found.seconds, found.block)
    };
    let plain = Machine::reference();
    let mut expensive = plain.clone();
    expensive.wiedemann.basis *= 1000.0;
    // Where the σ-basis is expensive, blocks are small.
    assert!(seconds(&expensive).0 > seconds(&plain).0 && seconds(&expensive).1 < seconds(&plain).1);
    let whole = Rest::of(&SparseMatrix::empty(modulus, 0, 0, 0).unwrap(), 0, &RankOptions::default());
    let mut rest = Rest { pivots: 1000, rows: 5000, cols: 600, nnz: 50_000, rank_bound: 600, check: CHECK, ..whole };
    let mut drawn = plain.clone();
    drawn.random.rough = 1.0;
    assert!(rest.row_space_seconds(&drawn, 100) > 1000.0 * rest.row_space_seconds(&plain, 100));
    assert_eq!(rest.every_row_seconds(&drawn, 100), rest.every_row_seconds(&plain, 100));
    rest.pivots = 0;
    assert!(!rest.is_dense(&plain, None));
    let mut slow = plain.clone();
    slow.sparse.cover = 1.0;
    assert!(rest.is_dense(&slow, None));
}
