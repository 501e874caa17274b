//! Every matrix of `datasets/MANIFEST.tsv` with a known permanent: by the planner and by every applicable method, mod
//! primes, without one or all reductions, and as transposed, permuted and scaled copies.

mod common;

use blackfield::cost::Gray;
use blackfield::field::{Modulus, Rng};
use blackfield::permanent::reduce::{Switches, reduce};
use blackfield::permanent::{IntMatrix, Method, Options, gray, permanent};
use blackfield::report::Certainty;
use blackfield::sparse::Triplets;
use blackfield::{Error, Silent, io};
use common::{Source, manifest};
use num_bigint::BigInt;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

/// The one that takes seconds rather than milliseconds: excluded from repetitions.
const HEAVY: &str = "bcsstk01";

/// A 0–1 pattern with its permanent.
struct Known {
    name: String,
    matrix: Triplets,
    value: BigInt,
}

impl Known {
    #[track_caller]
    fn check(&self, options: &Options, how: &str) {
        self.check_copy(&self.matrix, &self.value, options, how);
    }

    /// Checks a matrix made from this one, whose permanent is `expected`.
    #[track_caller]
    fn check_copy(&self, copy: &Triplets, expected: &BigInt, options: &Options, how: &str) {
        let found = permanent(copy, options, &Silent).unwrap_or_else(|error| panic!("{}, {how}: {error}", self.name));
        assert_eq!(found.value, *expected, "{}, {how}: {:?}", self.name, found.path);
        assert_eq!(found.proof.certainty(), Certainty::Proven);
    }
}

fn all() -> Vec<Known> {
    let load = |entry: common::Entry| {
        let Source::File(path) = &entry.source else { panic!("{} is stored", entry.name) };
        let matrix = io::read(path, &io::ReadOptions::default().pattern(true), &Silent).unwrap();
        Some(Known { value: entry.permanent?, name: entry.name, matrix })
    };
    let known: Vec<Known> = manifest().into_iter().filter(|entry| entry.permanent.is_some()).filter_map(load).collect();
    assert_eq!(known.len(), 14, "the manifest's permanents");
    known
}

fn light() -> impl Iterator<Item = Known> {
    all().into_iter().filter(|known| known.name != HEAVY)
}

fn by(method: Method) -> Options {
    Options::default().method(method)
}

/// The copy with entry (i, j, v) at (`rows[i]`, `cols[j]`), times the row's and the column's scale.
fn moved(matrix: &Triplets, [rows, cols]: [&[usize]; 2], [row_scale, col_scale]: [&[i64]; 2]) -> Triplets {
    let entries = matrix.entries().map(|(i, j, v)| (rows[i], cols[j], v.to_bigint() * row_scale[i] * col_scale[j]));
    Triplets::from_entries(matrix.rows(), matrix.cols(), entries)
}

fn shuffled(n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(rng);
    order
}

#[test]
fn as_the_planner_likes() {
    for known in all() {
        known.check(&Options::default(), "auto");
    }
}

#[test]
fn by_the_frontier_program() {
    for known in light() {
        known.check(&by(Method::Frontier), "frontier");
    }
}

#[test]
fn along_a_gray_code_where_its_blocks_are_small() {
    let (mut checked, prices) = (0, Gray::default());
    for known in all() {
        let reduced = reduce(&IntMatrix::from_triplets(&known.matrix).unwrap(), &Switches::default()).unwrap();
        let seconds: f64 = reduced.all_blocks().into_iter().map(|block| gray::predict_matrix(block, &prices)).sum();
        if seconds < 0.5 {
            known.check(&by(Method::Gray), "gray");
            checked += 1;
        }
    }
    assert!(checked >= 4, "only {checked} matrices have small blocks");
}

#[test]
fn by_methods_that_do_not_always_apply() {
    // None of the matrices is planar as a whole; two are constant except for few entries, one of them of low rank.
    for (method, least) in [(Method::Kasteleyn, 0), (Method::Rook, 2), (Method::LowRank, 1)] {
        let mut applied = 0;
        for known in all() {
            match permanent(&known.matrix, &by(method), &Silent) {
                Ok(found) => {
                    assert_eq!(found.value, known.value, "{} by {}", known.name, method.name());
                    applied += 1;
                }
                Err(Error::Usage(why)) => assert!(why.contains("cannot compute this"), "{}: {why}", known.name),
                Err(error) => panic!("{} by {}: {error}", known.name, method.name()),
            }
        }
        assert!(applied >= least, "{} applied to {applied}", method.name());
    }
}

#[test]
fn modulo_primes() {
    for known in light() {
        for p in [2, 3, 65521, (1 << 61) - 1, 9223372036854775783] {
            let p = Modulus::new(p).unwrap();
            let options = Options::default().modulus(p);
            known.check_copy(&known.matrix, &p.reduce_bigint(&known.value).into(), &options, "mod p");
        }
    }
}

#[test]
fn transposed_and_permuted_copies() {
    let mut rng = Rng::seed_from_u64(11);
    for known in all() {
        let n = known.matrix.rows();
        let ones = vec![1; n];
        for round in 0..if known.name == HEAVY { 1 } else { 4 } {
            let (rows, cols) = (shuffled(n, &mut rng), shuffled(n, &mut rng));
            let copy = moved(&known.matrix, [&rows, &cols], [&ones, &ones]);
            let copy = if round % 2 == 0 { copy.transpose() } else { copy };
            known.check_copy(&copy, &known.value, &Options::default(), "permuted");
        }
    }
}

#[test]
fn scaled_copies() {
    let mut rng = Rng::seed_from_u64(12);
    for known in light() {
        let n = known.matrix.rows();
        let same: Vec<usize> = (0..n).collect();
        for (small, reductions) in [(true, Switches::default()), (true, Switches::none()), (false, Switches::default())]
        {
            let mut scale = || -> Vec<i64> {
                let large = |rng: &mut Rng| rng.random_range(1i64 << 40..i64::MAX) * [1, -1][rng.random_range(0..2)];
                (0..n)
                    .map(|_| if small { [1, 1, -1, 2, -3][rng.random_range(0..5)] } else { large(&mut rng) })
                    .collect()
            };
            let scales = [scale(), scale()];
            let copy = moved(&known.matrix, [&same, &same], [&scales[0], &scales[1]]);
            let factor: BigInt = scales.iter().flatten().map(|&s| BigInt::from(s)).product();
            let options = Options::default().reductions(reductions);
            known.check_copy(&copy, &(&known.value * factor), &options, "scaled");
        }
    }
}

#[test]
fn without_one_reduction_or_any() {
    let all_on = Switches::default();
    let cases = [
        ("no structural rank", all_on.structural_rank(false)),
        ("no blocks", all_on.blocks(false)),
        ("no lines of degree 1", all_on.degree_one(false)),
        ("no lines of degree 2", all_on.degree_two(false)),
        ("no contents", all_on.contents(false)),
        ("no transposition", all_on.transpose(false)),
        ("no reduction", Switches::none()),
        ("splits", all_on.split_degree(4).split_depth(3)),
    ];
    for known in light() {
        for (how, reductions) in cases {
            known.check(&Options::default().reductions(reductions), how);
        }
    }
}
