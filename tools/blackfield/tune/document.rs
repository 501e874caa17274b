//! What `tune --json` prints: the machine, the products with a matrix, or the steps to its rank.

use super::contest::Contest;
use super::contestants::Contestant;
use crate::args::TuneArgs;
use crate::output;
use crate::schema::Schema;
use blackfield::Result;
use blackfield::Step;
use blackfield::answers::Rank;
use blackfield::field::Modulus;
use blackfield::report::Phases;
use blackfield::sparse::SparseMatrix;
use blackfield::spmv::Plan;
use blackfield::tune::{Bandwidth, Profile};
use serde::Serialize;
use std::path::Path;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Of --install.
#[derive(Serialize)]
struct Machine<'a> {
    schema: Schema,
    mode: &'static str,
    output: String,
    effort: &'static str,
    processor: &'a str,
    arch: &'a str,
    isa: &'a str,
    instructions: &'a [String],
    cores: usize,
    /// Bytes by level.
    caches: [u64; 3],
    /// Bytes a second: by one thread, by all.
    bandwidth: [f64; 2],
    prices: Vec<Price>,
    version: &'static str,
}

#[derive(Serialize)]
struct Price {
    price: String,
    measured: f64,
    built_in: f64,
}

/// Prints what was measured of this machine.
pub fn print_machine(args: &TuneArgs, found: &Profile, file: &Path) -> Result<()> {
    let Profile { fingerprint: here, cores, bandwidth: Bandwidth { one, all }, measurements, .. } = found;
    let price = |m: &blackfield::tune::Measurement| Price {
        price: m.price.to_string(),
        measured: m.value,
        built_in: m.built_in,
    };
    output::print_json(&Machine {
        schema: Schema::Tune,
        mode: "install",
        output: file.display().to_string(),
        effort: effort(args),
        processor: &here.processor,
        arch: &here.arch,
        isa: &here.isa,
        instructions: &here.instructions,
        cores: *cores,
        caches: [here.caches.l1, here.caches.l2, here.caches.l3],
        bandwidth: [*one, *all],
        prices: measurements.iter().map(price).collect(),
        version: VERSION,
    })
}

/// The matrix that was measured with.
#[derive(Serialize)]
struct Matrix {
    file: String,
    rows: usize,
    cols: usize,
    nnz: usize,
    modulus: Modulus,
}

impl Matrix {
    fn of(args: &TuneArgs, a: &SparseMatrix) -> Matrix {
        let file = args.file.as_ref().map_or(String::new(), |file| file.display().to_string());
        Matrix { file, rows: a.rows(), cols: a.cols(), nnz: a.nnz(), modulus: args.modulus }
    }
}

/// Of the products with a matrix.
#[derive(Serialize)]
struct Products<'a> {
    schema: Schema,
    mode: &'static str,
    #[serde(flatten)]
    matrix: Matrix,
    effort: &'static str,
    threads: usize,
    widths: &'a [usize],
    /// 10⁹ multiply-adds a second, for each width.
    plans: Vec<Timed<'a>>,
    /// For each width.
    best: Vec<Fastest>,
    floors: Floors<'a>,
    scaling_width: usize,
    scaling: Vec<Scaled>,
    plan: &'a Plan,
    report: Option<String>,
    version: &'static str,
}

#[derive(Serialize)]
struct Timed<'a> {
    name: &'a str,
    bytes: usize,
    rates: Option<Vec<f64>>,
}

/// Rows of A by one of the plans, of its transpose by one.
#[derive(Serialize)]
struct Fastest {
    rows: String,
    columns: String,
    rate: f64,
}

impl<'a> Timed<'a> {
    fn of(contest: &Contest, c: &'a Contestant) -> Self {
        Timed { name: &c.name, bytes: contest.plan_of(c).bytes(), rates: contest.contestants.rates(c) }
    }
}

#[derive(Serialize)]
struct Floors<'a> {
    bytes: &'a [f64],
    operations: &'a [f64],
}

#[derive(Serialize)]
struct Scaled {
    threads: usize,
    rate: f64,
}

/// Prints what was timed.
pub fn print_products(args: &TuneArgs, a: &SparseMatrix, contest: &Contest) -> Result<()> {
    let timed = |c| Timed::of(contest, c);
    let widths = &contest.contestants.widths;
    let fastest = |k: usize| {
        let best = contest.best(k);
        let [rows, columns] = best.of.map(|contestant| contestant.name.clone());
        Fastest { rows, columns, rate: best.rate }
    };
    let [bytes, operations] = &contest.floors;
    output::print_json(&Products {
        schema: Schema::Tune,
        mode: "products",
        matrix: Matrix::of(args, a),
        effort: effort(args),
        threads: contest.threads,
        widths,
        plans: contest.contestants.iter().map(timed).collect(),
        best: (0..widths.len()).map(fastest).collect(),
        floors: Floors { bytes, operations },
        scaling_width: contest.scaling_width,
        scaling: contest.scaling.iter().map(|&(threads, rate)| Scaled { threads, rate }).collect(),
        plan: contest.chosen_plan(),
        report: args.report.as_ref().map(|file| file.display().to_string()),
        version: VERSION,
    })
}

/// Of --check.
#[derive(Serialize)]
struct Checked<'a> {
    schema: Schema,
    mode: &'static str,
    #[serde(flatten)]
    matrix: Matrix,
    rank: usize,
    path: &'a [Step],
    phases: &'a Phases,
    version: &'static str,
}

/// Prints the steps to a rank, by one thread.
pub fn print_steps(args: &TuneArgs, a: &SparseMatrix, found: &Rank) -> Result<()> {
    output::print_json(&Checked {
        schema: Schema::Tune,
        mode: "check",
        matrix: Matrix::of(args, a),
        rank: found.rank,
        path: &found.path,
        phases: &found.phases,
        version: VERSION,
    })
}

fn effort(args: &TuneArgs) -> &'static str {
    if args.quick { "quick" } else { "full" }
}
