//! `blackfield det FILE -p P`: the determinant of a square matrix.

use crate::answer;
use crate::args::DetArgs;
use crate::input;
use crate::memory;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::answers::{self, Determinant};
use blackfield::field::Modulus;
use blackfield::report::{Certainty, Phases};
use blackfield::{Error, Result, Step};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;

/// What JSON shows.
#[derive(Serialize)]
struct Document {
    schema: Schema,
    file: String,
    rows: usize,
    cols: usize,
    nnz: usize,
    modulus: Modulus,
    det: String,
    rank: usize,
    path: Vec<Step>,
    reason: String,
    #[serde(flatten)]
    certainty: Certainty,
    phases: Phases,
    processor_seconds: BTreeMap<&'static str, f64>,
    seed: u64,
    threads: usize,
    digest: Option<String>,
    warnings: Vec<String>,
    seconds: f64,
    version: &'static str,
}

/// Prints the determinant.
pub fn run(args: &DetArgs, bars: &Bars) -> Result<()> {
    let options = answer::options(&args.answer, bars)?.proven(args.proven);
    let start = Instant::now();
    let mut loaded = input::load_within(&args.file, args.pattern, args.answer.max_memory, bars)?;
    let mut phases = Phases::default();
    phases.add("read", loaded.seconds);
    let (rows, cols) = (loaded.triplets.rows(), loaded.triplets.cols());
    if rows != cols {
        let message = format!("a determinant is of a square matrix, this one is {rows} x {cols}");
        return Err(Error::Input { file: args.file.clone(), line: 0, message });
    }
    memory::check_lines(args.answer.max_memory, &loaded.triplets)?;
    let digest = args.answer.json.then(|| phases.time("digest", || loaded.digest()));
    let options =
        options.max_memory(memory::left_beside(args.answer.max_memory, &loaded.triplets, false, args.modulus)?);
    let matrix = phases.time("reduce", || std::mem::take(&mut loaded.triplets).into_reduced(args.modulus))?;
    let Determinant { value, rank, certainty, .. } = answers::determinant(&matrix, &options, bars)?;
    phases.extend(&rank.phases);
    bars.clear();
    let (threads, seconds) = (rayon::current_num_threads(), start.elapsed().as_secs_f64());
    let (file, sure) = (args.file.display().to_string(), output::sure(certainty));
    bars.note(&format!("{file}: determinant {value} mod {} ({sure})", args.modulus));
    bars.note(&format!("  why      rank {} of {rows}: {}", rank.rank, rank.reason));
    let parts: Vec<_> = phases.iter().map(|(name, s)| format!("{name} {s:.3}")).collect();
    bars.note(&format!("  seconds  {seconds:.3} = {} on {threads} threads", parts.join(" + ")));
    if args.answer.explain {
        bars.note_path(&rank.path);
    }
    if !args.answer.json {
        return output::print(&format!("{value}\n"));
    }
    output::print_json(&Document {
        schema: Schema::Det,
        file,
        rows,
        cols,
        nnz: matrix.nnz(),
        modulus: args.modulus,
        det: value.to_string(),
        rank: rank.rank,
        path: rank.path,
        reason: rank.reason,
        certainty,
        processor_seconds: phases.processor().collect(),
        phases,
        seed: options.seed,
        threads,
        digest,
        warnings: loaded.warnings.iter().cloned().chain(bars.take_warnings()).collect(),
        seconds,
        version: env!("CARGO_PKG_VERSION"),
    })
}
