//! Every matrix of `datasets/MANIFEST.tsv` with a known rank, by every method: at every listed prime, except for block
//! Wiedemann on the matrix itself. That takes rank · nnz operations in an extension of a tiny field, so that large
//! matrices over those fields are tested only on request (`cargo test --test known_ranks -- --ignored`).

mod common;

use blackfield::answers::{Method, RankOptions, Route, rank};
use blackfield::field::Modulus;
use blackfield::report::{Certainty, ErrorBound};
use blackfield::sparse::Triplets;
use blackfield::{Silent, families, io};
use common::{Entry, Source, manifest};

fn load(entry: &Entry) -> Triplets {
    match &entry.source {
        Source::File(path) => io::read(path, &io::ReadOptions::default(), &Silent).unwrap(),
        Source::Generated(name) => families::generate(name).unwrap(),
    }
}

/// Whether the whole matrix is small: true for three quarters of those with a known rank.
fn is_small(entry: &Entry) -> bool {
    entry.rows * entry.cols <= 8_000_000
}

/// Checks the ranks at the primes that `which` admits; at least `least` of them.
fn check_all(method: Method, which: impl Fn(u64) -> bool, least: usize) {
    check(method, |_, p| which(p), least);
}

/// The same, where the selection depends on the matrix, too.
fn check(method: Method, which: impl Fn(&Entry, u64) -> bool, least: usize) {
    let mut checked = 0;
    for entry in manifest().iter().filter(|e| e.ranks.iter().any(|&(p, _)| which(e, p))) {
        let matrix = load(entry);
        assert_eq!((matrix.rows(), matrix.cols()), (entry.rows, entry.cols), "{}", entry.name);
        for &(p, expected) in entry.ranks.iter().filter(|&&(p, _)| which(entry, p)) {
            let options = RankOptions::default().method(method);
            let answer = rank(&matrix.reduce(Modulus::new(p).unwrap()), &options, &Silent).unwrap();
            assert_eq!(answer.rank, expected, "{} mod {p} by {}: {}", entry.name, method.name(), answer.reason);
            match method {
                Method::Elimination => assert_eq!(answer.certainty, Certainty::Proven, "{} mod {p}", entry.name),
                Method::Wiedemann => assert_eq!(answer.method, method),
                _ => {}
            }
            checked += 1;
        }
    }
    assert!(checked >= least, "only {checked} known ranks");
}

#[test]
fn by_wiedemann_over_the_prime_field() {
    check_all(Method::Wiedemann, |p| p == 65521, 50);
}

#[test]
fn by_wiedemann_over_extensions_of_gf_2_and_gf_5() {
    check(Method::Wiedemann, |entry, p| is_small(entry) && (p == 2 || p == 5), 30);
}

#[test]
fn by_wiedemann_over_extensions_of_gf_3_and_gf_7() {
    check(Method::Wiedemann, |entry, p| is_small(entry) && (p == 3 || p == 7), 30);
}

#[test]
#[ignore = "minutes, where the others take seconds"]
fn by_wiedemann_over_extensions_on_large_matrices() {
    check(Method::Wiedemann, |entry, p| !is_small(entry) && p < 65521, 30);
}

#[test]
fn by_elimination_with_proof() {
    check_all(Method::Elimination, |_| true, 150);
}

#[test]
fn as_the_planner_likes() {
    check_all(Method::Auto, |_| true, 150);
}

#[test]
fn by_wiedemann_on_the_schur_complement() {
    check_all(Method::Hybrid, |_| true, 150);
}

fn routes_and_trials_agree(names: &[&str]) {
    for name in names {
        let Some(entry) = manifest().into_iter().find(|e| e.name.starts_with(name)) else { panic!("{name}") };
        let matrix = load(&entry);
        for &(p, expected) in &entry.ranks {
            let a = matrix.reduce(Modulus::new(p).unwrap());
            for route in [Route::Shortcut, Route::CoDegree, Route::Both] {
                let options = RankOptions::default().method(Method::Wiedemann).route(route).trials(2).block(4).seed(7);
                let answer = rank(&a, &options, &Silent).unwrap();
                assert_eq!(answer.rank, expected, "{name} mod {p}, {route:?}");
            }
        }
    }
}

#[test]
fn both_routes_and_several_trials_agree() {
    routes_and_trials_agree(&["EX1", "ch5-5-b2", "kneser_6_2_1", "bibd_12_5", "Trefethen_200", "klein"]);
}

#[test]
fn both_routes_and_several_trials_agree_on_a_matching_complex() {
    routes_and_trials_agree(&["mk9-b3"]);
}

#[test]
fn an_error_bound_is_met_by_an_extension_field() {
    let a = families::generate("EX1").unwrap().reduce(Modulus::new(65521).unwrap());
    let options = RankOptions::default().method(Method::Wiedemann).error(ErrorBound::new(1e-12));
    let answer = rank(&a, &options, &Silent).unwrap();
    assert_eq!(answer.rank, 547);
    assert!(answer.wiedemann.is_some_and(|run| run.extension_degree > 1));
    assert!(
        matches!(answer.certainty, Certainty::MonteCarlo { error_bound } if error_bound.value() <= 1e-12),
        "{answer:?}"
    );
}

/// Lines with one entry, and what hangs on them, about a core of known rank: (A 0 0; X K 0; 0 Y D) has the rank of K
/// and as much as A and D have lines. A is a chain that ends in a line with one entry, D a diagonal; lines are
/// shuffled.
#[test]
fn lines_with_one_entry_are_done_with() {
    const CHAIN: usize = 40_000;
    let (rows, cols, rank_of_core) = (300, 250, 120);
    let (m, n) = (2 * CHAIN + rows, 2 * CHAIN + cols);
    // Rows of K are those of (I R) and sums of two of them: its rank is that of I over every field.
    let of_core = |i: usize, j: usize| {
        let unit = |i: usize| if j < rank_of_core { i64::from(i == j) } else { (i * j % 7) as i64 - 3 };
        if i < rank_of_core { unit(i) } else { unit(i % rank_of_core) + unit(7 * i % rank_of_core) }
    };
    let mut entries = vec![];
    for i in 0..CHAIN {
        entries.extend((i..CHAIN.min(i + 2)).map(|j| (i, j, 1)));
        entries.push((CHAIN + rows + i, CHAIN + cols + i, -1));
        entries.push((CHAIN + rows + i, CHAIN + i % cols, 2));
    }
    for i in 0..rows {
        entries.extend((0..cols).map(|j| (CHAIN + i, CHAIN + j, of_core(i, j))));
        entries.extend([(CHAIN + i, 13 * i, 5), (CHAIN + i, 17 * i + 1, -7)]);
    }
    let shuffled = |k: usize, count: usize| k * 99_991 % count;
    let entries: Vec<_> = entries.into_iter().map(|(i, j, v)| (shuffled(i, m), shuffled(j, n), v)).collect();
    let a = Triplets::from_entries(m, n, entries);
    for (p, threads) in [(2, 2), (65521, 1), (65521, 2), ((1 << 61) - 1, 2)] {
        let a = a.reduce(Modulus::new(p).unwrap());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for (options, done_with) in [
            (RankOptions::default(), true),
            (RankOptions::default().method(Method::Hybrid), true),
            (RankOptions::default().method(Method::Elimination), true),
            (RankOptions::default().minor(true), false),
        ] {
            let answer = pool.install(|| rank(&a, &options, &Silent)).unwrap();
            assert_eq!(answer.rank, 2 * CHAIN + rank_of_core, "mod {p}: {:?}", answer.path);
            let idle = answer.path.iter().any(|step| step.why.contains("that are idle"));
            assert_eq!(idle, done_with, "mod {p}: {:?}", answer.path);
        }
    }
}

#[test]
fn same_bits_on_any_number_of_threads() {
    let a = families::generate("ch5-5-b3").unwrap().reduce(Modulus::new(65521).unwrap());
    let options = RankOptions::default().method(Method::Wiedemann);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let answer = pool.install(|| rank(&a, &options, &Silent)).unwrap();
        (answer.rank, answer.certainty, answer.wiedemann, answer.reason)
    };
    assert_eq!(on(1), on(2));
    assert_eq!(on(1), on(5));
}
