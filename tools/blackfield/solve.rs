//! `blackfield solve FILE --rhs B -p P -o X`: solutions of linear systems, or why there are none.

use crate::answer;
use crate::args::SolveArgs;
use crate::input::{self, Loaded};
use crate::memory;
use crate::output::{self, MatrixFile};
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::answers::{self, Solution, SolveOptions};
use blackfield::field::Modulus;
use blackfield::report::{Certainty, Phases};
use blackfield::sparse::{SparseMatrix, Triplets};
use blackfield::{Error, Result, Step};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;

/// What JSON shows.
#[derive(Serialize)]
struct Document {
    schema: Schema,
    file: String,
    rhs: String,
    rows: usize,
    cols: usize,
    nnz: usize,
    modulus: Modulus,
    right_sides: usize,
    consistent: bool,
    inconsistent: Vec<u32>,
    contradiction: Option<Contradiction>,
    rank: usize,
    output: Option<String>,
    entries: usize,
    random: bool,
    path: Vec<Step>,
    reason: String,
    #[serde(flatten)]
    certainty: Certainty,
    phases: Phases,
    processor_seconds: BTreeMap<&'static str, f64>,
    seed: u64,
    threads: usize,
    digest: String,
    rhs_digest: String,
    warnings: Vec<String>,
    seconds: f64,
    version: &'static str,
}

/// Why there is no solution.
#[derive(Serialize)]
struct Contradiction {
    column: u32,
    y: Vec<(u32, String)>,
    value: String,
}

/// Writes the solutions, and prints whether there are any.
pub fn run(args: &SolveArgs, bars: &Bars) -> Result<()> {
    input::check_stdin_once(&[&args.file, &args.rhs])?;
    let output = resolve(args)?;
    let rank = answer::options(&args.answer, bars)?;
    let start = Instant::now();
    let mut phases = Phases::default();
    let mut matrix = input::load_within(&args.file, false, args.answer.max_memory, bars)?;
    let mut right = input::load_within(&args.rhs, false, args.answer.max_memory, bars)?;
    phases.add("read", matrix.seconds + right.seconds);
    if right.triplets.rows() != matrix.triplets.rows() {
        let [m, rows] = [&matrix, &right].map(|loaded| loaded.triplets.rows());
        let message = format!("right sides have a row for each of the {m} rows of the matrix, here are {rows}");
        return Err(Error::Input { file: args.rhs.clone(), line: 0, message });
    }
    memory::check_lines(args.answer.max_memory, &matrix.triplets)?;
    memory::check_lines(args.answer.max_memory, &right.triplets)?;
    let digests = phases.time("digest", || args.answer.json.then(|| [&matrix, &right].map(Loaded::digest)));
    // Matrix and right sides, as they are and side by side.
    let mut left = args.answer.max_memory;
    for loaded in [&matrix, &right, &matrix, &right] {
        left = memory::left_beside(left, &loaded.triplets, false, args.modulus)?;
    }
    let rank = rank.max_memory(left);
    let options = SolveOptions::default().random(args.random).rank(rank);
    let mut reduce =
        |loaded: &mut Loaded| phases.time("reduce", || std::mem::take(&mut loaded.triplets).into_reduced(args.modulus));
    let (a, b) = (reduce(&mut matrix)?, reduce(&mut right)?);
    let found = answers::solve(&a, &b, &options, bars)?;
    phases.extend(&found.rank.phases);
    let mut entries = 0;
    if let (Some(output), Some(x)) = (&output, &found.solutions) {
        entries = x.nnz();
        phases.time("write", || output.write(&triplets(x)?, bars))?;
    }
    bars.clear();
    let warnings = [&matrix, &right].into_iter().flat_map(|loaded| loaded.warnings.iter().cloned());
    let warnings = warnings.chain(bars.take_warnings()).collect();
    let seconds = start.elapsed().as_secs_f64();
    describe(args, &found, entries, &phases, seconds, bars);
    if let Some([digest, rhs_digest]) = digests {
        let Solution { rank, inconsistent, contradiction, .. } = found;
        return output::print_json(&Document {
            schema: Schema::Solve,
            file: args.file.display().to_string(),
            rhs: args.rhs.display().to_string(),
            rows: a.rows(),
            cols: a.cols(),
            nnz: a.nnz(),
            modulus: args.modulus,
            right_sides: b.cols(),
            consistent: inconsistent.is_empty(),
            output: args.output.as_ref().filter(|_| inconsistent.is_empty()).map(|file| file.display().to_string()),
            inconsistent,
            contradiction: contradiction.map(|answers::Contradiction { column, y, value, .. }| Contradiction {
                column,
                y: y.into_iter().map(|(i, v)| (i, v.to_string())).collect(),
                value: value.to_string(),
            }),
            rank: rank.rank,
            entries,
            random: args.random,
            path: rank.path,
            reason: rank.reason,
            certainty: rank.certainty,
            processor_seconds: phases.processor().collect(),
            phases,
            seed: options.rank.seed,
            threads: rayon::current_num_threads(),
            digest,
            rhs_digest,
            warnings,
            seconds,
            version: env!("CARGO_PKG_VERSION"),
        });
    }
    output::print(if found.is_consistent() { "consistent\n" } else { "inconsistent\n" })
}

/// Where the solutions will go: nothing is opened yet, and a wrong name is refused before any work.
fn resolve(args: &SolveArgs) -> Result<Option<MatrixFile<'_>>> {
    let Some(file) = &args.output else { return Ok(None) };
    if file.as_os_str() == "-" {
        return Err(Error::Usage("standard output has the answer: name a file for the solutions".into()));
    }
    output::check_is_no_input("--output", file, &args.file)?;
    output::check_is_no_input("--output", file, &args.rhs)?;
    MatrixFile::resolve(file, None).map(Some)
}

/// Residues as integers.
fn triplets(x: &SparseMatrix) -> Result<Triplets> {
    let row = |i: usize| x.row(i).0.iter().zip(x.row(i).1).map(move |(&k, &v)| (i, k as usize, v as i64));
    Triplets::try_from_entries(x.rows(), x.cols(), (0..x.rows()).flat_map(row))
}

/// The circumstances on standard error.
fn describe(args: &SolveArgs, found: &Solution, entries: usize, phases: &Phases, seconds: f64, bars: &Bars) {
    let (file, rank, p) = (args.file.display(), &found.rank, args.modulus);
    let sure = output::sure(rank.certainty);
    bars.note(&format!("{file}: rank {} mod {p} ({sure})", rank.rank));
    match (&found.contradiction, &args.output) {
        (Some(contradiction), _) => {
            let (column, others) = (contradiction.column + 1, found.inconsistent.len() - 1);
            let others = if others == 0 { String::new() } else { format!(", and {others} more") };
            bars.note(&format!(
                "  found    no solution for right side {column}{others}: a combination of rows that is 0 is not 0 there"
            ));
        }
        (None, Some(output)) => {
            let output = output.display();
            bars.note(&format!("  written  solutions with {entries} entries to {output}, checked by multiplication"));
        }
        (None, None) => bars.note("  found    solutions for all right sides, checked by multiplication"),
    }
    bars.note(&format!("  why      {}", rank.reason));
    let parts: Vec<_> = phases.iter().map(|(name, s)| format!("{name} {s:.3}")).collect();
    let threads = rayon::current_num_threads();
    bars.note(&format!("  seconds  {seconds:.3} = {} on {threads} threads", parts.join(" + ")));
    if args.answer.explain {
        bars.note_path(&rank.path);
    }
}
