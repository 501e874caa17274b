//! The predicted costs of permanents, and the engine chosen on that basis: a stored table that fixes them, and plans
//! from made-up prices.

use super::bound::permanent_bound;
use super::*;
use crate::cost::Machine;
use crate::{Silent, families};
use std::fmt::Write;

/// Ones at a pseudorandom fraction of the positions, and on the diagonal.
fn scattered(n: usize, percent: usize) -> Triplets {
    let at = |k: usize| (k * 2_654_435_761 + n * 40503 + (k * k) % 8191 * 7919) % 100 < percent;
    let entries = (0..n * n).filter(|&k| at(k) || k / n == k % n).map(|k| (k / n, k % n, 1));
    Triplets::from_entries(n, n, entries)
}

/// Dominoes; ones except on the diagonal; rank 2.
fn special() -> [(&'static str, Triplets); 3] {
    let nearly = (0..100).map(|k| (k / 10, k % 10, if k % 11 == 0 { 3 } else { 1 }));
    let low = (0..144).map(|k| (k / 12, k % 12, ((k / 12 + 1) * (k % 12 + 2) + k / 12) as i64));
    [
        ("dominoes", families::generate("dominoes_8_8").unwrap()),
        ("nearly constant", Triplets::from_entries(10, 10, nearly)),
        ("rank 2", Triplets::from_entries(12, 12, low)),
    ]
}

fn table() -> String {
    let mut table = String::new();
    let scattered =
        [(8, 50), (16, 50), (20, 30), (28, 15), (60, 3)].map(|(n, percent)| ("scattered", scattered(n, percent)));
    for (name, triplets) in special().into_iter().chain(scattered) {
        let block = IntMatrix::from_triplets(&triplets).unwrap();
        let bound = permanent_bound(&block).unwrap();
        for method in [Method::Auto, Method::Kasteleyn, Method::Rook, Method::LowRank, Method::Gray, Method::Frontier] {
            // Order searches are long where no other method is as good.
            if block.n() == 60 && method == Method::Frontier {
                continue;
            }
            let options = Options { method, ..Default::default() };
            let n = block.n();
            match planner::routes(&block, bound, &options, &Silent) {
                Ok(routes) => {
                    for route in routes {
                        let (way, basis) = (route.engine.name(), &route.basis);
                        let (seconds, bytes) = (route.seconds, route.bytes);
                        writeln!(table, "{name} {n} {method:?}: {way} {seconds:.6e} s {bytes:.6e} bytes, {basis}")
                            .unwrap();
                    }
                }
                Err(error) => writeln!(table, "{name} {n} {method:?}: {error}").unwrap(),
            }
        }
    }
    table
}

/// Compares with the stored table, which `PRICES=1 cargo test --lib prices_tests` rewrites.
#[test]
fn predictions_and_engines_are_what_they_were() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/permanent/prices.txt");
    // Bytes are for two threads.
    let now = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(table);
    if std::env::var_os("PRICES").is_some() {
        std::fs::write(file, &now).unwrap();
    }
    let before = include_str!("prices.txt");
    for (now, before) in now.lines().zip(before.lines()) {
        assert_eq!(now, before);
    }
    assert_eq!(now.lines().count(), before.lines().count());
}

/// A method that becomes a thousand or more times as expensive is not chosen; the permanent is the same.
#[test]
fn another_machine_chooses_another_engine() {
    let by = |matrix: &Triplets, machine: &Machine| {
        let reductions = reduce::Switches { degree_two: false, ..Default::default() };
        let options = Options { machine: machine.clone(), reductions, ..Default::default() };
        let answer = permanent(matrix, &options, &Silent).unwrap();
        (answer.path.last().unwrap().name, answer.value)
    };
    let plain = Machine::default();
    let [mut gray, mut frontier, mut planar, mut rook, mut forms] = std::array::from_fn(|_| plain.clone());
    gray.gray.setting *= 1000.0;
    frontier.frontier.key *= 1e6;
    frontier.frontier.slot *= 1e6;
    planar.permanent.determinant *= 1e6;
    rook.permanent.rook_product *= 1e6;
    forms.permanent.form_product *= 1e6;
    let [dominoes, nearly, low] = special().map(|(_, matrix)| matrix);
    let (dense, sparse) = (scattered(20, 30), scattered(28, 15));
    let cases = [
        (&dense, "gray", gray),
        (&sparse, "frontier", frontier),
        (&dominoes, "kasteleyn", planar),
        (&nearly, "rook", rook),
    ];
    for (matrix, usual, expensive) in cases.into_iter().chain([(&low, "low-rank", forms)]) {
        let (name, value) = by(matrix, &plain);
        assert_eq!(name, usual);
        let (other, same) = by(matrix, &expensive);
        assert_ne!(other, usual);
        assert_eq!(value, same, "{usual} and {other}");
    }
}
