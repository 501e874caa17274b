//! A plan against the rank that follows it.

use super::{Method, Patience, RankOptions, rank, rank_plan};
use crate::certify::Certainty;
use crate::cost::{Kind, Machine};
use crate::field::{Modulus, Rng};
use crate::report::ErrorBound;
use crate::sparse::SparseMatrix;
use crate::{Error, Silent, families};
use rand::{RngExt, SeedableRng};

fn options() -> RankOptions {
    RankOptions::default().patience(Patience::ENDLESS)
}

fn worth(certainty: Certainty) -> f64 {
    match certainty {
        Certainty::Proven => f64::NEG_INFINITY,
        Certainty::MonteCarlo { error_bound } => error_bound.log2(),
        Certainty::Heuristic => 1.0,
    }
}

/// The steps that the plan made are those of the rank, its next step is the one that the rank makes then, for the same
/// reason, and the answer is at least as certain, unless a step was given up.
fn follows(a: &SparseMatrix, options: &RankOptions, name: &str) -> Option<&'static str> {
    let plan = rank_plan(a, options, &Silent).unwrap();
    let answer = rank(a, options, &Silent).unwrap();
    let path: Vec<_> = answer.path.iter().filter(|step| step.name != "connected components").collect();
    let components = path.len() < answer.path.len();
    let shown = format!("{name} mod {}: {plan:?} and {:?}", a.modulus(), answer.path);
    if !components {
        assert!(path.len() >= plan.made.len(), "{shown}");
        for (made, step) in plan.made.iter().zip(&path) {
            assert_eq!((made.name, &made.found, &made.why), (step.name, &step.found, &step.why), "{shown}");
        }
        match (plan.next.first(), path.get(plan.made.len())) {
            (Some(next), Some(step)) if next.name == "Schur complement" => {
                assert!(["Schur complement", "structural pivots", plan.next[1].name].contains(&step.name), "{shown}");
            }
            (Some(next), Some(step)) => {
                assert_eq!((next.name, next.why.as_str()), (step.name, step.why.as_str()), "{shown}");
            }
            (next, step) => assert!(next.is_none() && step.is_none(), "{shown}"),
        }
    }
    if plan.next.iter().all(|step| step.until_rank.is_none() && step.name != "Schur complement") {
        assert!(worth(answer.certainty) <= worth(plan.certainty), "{shown} is {:?}", answer.certainty);
    }
    assert!(plan.seconds >= 0.0 && plan.seconds.is_finite(), "{shown}");
    assert_eq!(plan.bytes, plan.next.iter().filter_map(|step| step.bytes).max().unwrap_or(0));
    plan.next.first().map(|step| step.name)
}

#[test]
fn a_rank_starts_with_its_plan() {
    let mut seen = std::collections::BTreeSet::new();
    for (name, p) in [
        ("mk8-b2", 65521),
        ("mk7-b2", 2),
        ("mk8-b2", 3),
        ("bibd_9_5", 65521),
        ("ch4-4-b2", 251),
        ("ch4-4-b2", (1 << 61) - 1),
    ] {
        let a = families::generate(name).unwrap().reduce(Modulus::new(p).unwrap());
        for method in [Method::Auto, Method::Hybrid, Method::Wiedemann] {
            seen.extend(follows(&a, &options().method(method), name));
        }
        seen.extend(follows(&a, &options().proven(true), name));
        seen.extend(follows(&a, &options().minor(true), name));
        // Where passes or dense work cost next to nothing, or very much.
        for (kind, by) in [(Kind::Passes, 1e-4), (Kind::Passes, 1e4), (Kind::Dense, 1e-4), (Kind::Dense, 1e4)] {
            seen.extend(follows(&a, &options().machine(Machine::reference().scaled(kind, by)), name));
        }
    }
    // Larger ones, of which S is not formed at once.
    for (name, p) in [("mk9-b3", 3), ("EX1", 65521)] {
        let a = families::generate(name).unwrap().reduce(Modulus::new(p).unwrap());
        seen.extend(follows(&a, &options(), name));
    }
    for name in ["dense elimination", "row space", "block Wiedemann"] {
        assert!(seen.contains(name), "{name} was never planned: {seen:?}");
    }
}

#[test]
fn degenerate_matrices_have_plans() {
    let mut rng = Rng::seed_from_u64(7);
    for p in [2, 3, 65521, 9_223_372_036_854_775_783] {
        let p = Modulus::new(p).unwrap();
        for (rows, cols, nnz) in
            [(0, 0, 0), (0, 9, 0), (9, 0, 0), (7, 7, 0), (1, 1, 1), (1, 50, 9), (40, 40, 12), (60, 30, 1500)]
        {
            let entry = |_| (rng.random_range(0..rows), rng.random_range(0..cols), rng.random_range(1..p.get()));
            let entries: Vec<_> = (0..nnz).map(entry).collect();
            follows(&SparseMatrix::from_triplets(p, rows, cols, &entries), &options(), "random");
        }
    }
}

#[test]
fn components_add_up() {
    let p = Modulus::new(65521).unwrap();
    let one = families::generate("EX1").unwrap().reduce(p);
    let mut entries = vec![];
    for copy in 0..3 {
        for i in 0..one.rows() {
            let (cols, values) = one.row(i);
            let shift = copy * one.rows();
            entries.extend(cols.iter().zip(values).map(|(&j, &v)| (i + shift, j as usize + shift, v)));
        }
    }
    let three = SparseMatrix::from_triplets(p, 3 * one.rows(), 3 * one.cols(), &entries);
    let options = options().method(Method::Hybrid);
    let [alone, together] = [&one, &three].map(|a| rank_plan(a, &options, &Silent).unwrap());
    assert_eq!(together.next.len(), 3 * alone.next.len());
    assert!((together.seconds - 3.0 * alone.seconds).abs() <= 1e-9 * together.seconds, "{together:?}");
    assert_eq!((together.bytes, together.certainty), (alone.bytes, alone.certainty));
    follows(&three, &options, "three");
}

#[test]
fn what_is_refused_is_refused_at_once() {
    let a = families::generate("EX1").unwrap().reduce(Modulus::new(65521).unwrap());
    let none = rank_plan(&a, &options().method(Method::Wiedemann).max_memory(1), &Silent);
    assert!(matches!(none, Err(Error::Memory(_))), "{none:?}");
    assert!(matches!(rank_plan(&a, &options().trials(0), &Silent), Err(Error::Usage(_))));
    let bound = ErrorBound::of_bits(60);
    let plan = rank_plan(&a, &options().method(Method::Wiedemann).error(bound), &Silent).unwrap();
    assert!(plan.certainty.error_bound().is_some_and(|found| found <= bound), "{plan:?}");
}
