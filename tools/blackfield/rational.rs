//! `blackfield rank --rational FILE… [-p P…]`: the rank over Q, and the primes that make it smaller.

use crate::args::RankArgs;
use crate::input::{self, Loaded};
use crate::memory;
use crate::output;
use crate::progress::Bars;

use blackfield::answers::{self, ModularRank, Phases, RankOptions, RationalOptions, RationalRank};
use blackfield::field::Modulus;
use blackfield::{Result, Step};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// The steps of [`RationalRank::path`] that are about the upper bound.
const PROOFS: [&str; 2] = ["null space", "enough primes"];

/// One answer, as JSON shows it.
#[derive(Serialize)]
struct Answer {
    file: String,
    rank: usize,
    rows: usize,
    cols: usize,
    nnz: usize,
    field: &'static str,
    #[serde(flatten)]
    sure: output::Sure,
    reason: String,
    minor_bits: f64,
    prime_bits: u32,
    random_primes: Vec<Prime>,
    proof_primes: Vec<Prime>,
    primes: Vec<Prime>,
    path: Vec<Step>,
    seed: u64,
    threads: usize,
    digest: String,
    warnings: Vec<String>,
    #[serde(serialize_with = "output::phases")]
    phases: Phases,
    seconds: f64,
    version: &'static str,
}

/// A rank mod p beside it.
#[derive(Serialize)]
struct Prime {
    modulus: u64,
    rank: usize,
    invariant_factors: usize,
    #[serde(flatten)]
    sure: output::Sure,
    seconds: f64,
}

/// Answers for each file in the order given. `options` are those of each rank mod p.
pub fn run(args: &RankArgs, options: &RankOptions, bars: &Bars) -> Result<()> {
    let start = Instant::now();
    let mut results = Vec::new();
    let work = answer_all(args, options, bars, &mut results);
    bars.clear();
    if args.json {
        output::print_answers(&results, args.files.len() == 1, work.is_ok(), start)?;
    }
    work
}

fn answer_all(args: &RankArgs, options: &RankOptions, bars: &Bars, results: &mut Vec<Answer>) -> Result<()> {
    for file in &args.files {
        let loaded = input::load_within(file, args.pattern, args.max_memory, bars)?;
        let answer = answer(args, options, file, &loaded, bars)?;
        if !args.json {
            let lines = answer.primes.iter().map(|prime| prime.rank);
            let lines: Vec<_> = std::iter::once(answer.rank).chain(lines).map(|rank| format!("{rank}\n")).collect();
            output::print(&lines.concat())?;
        }
        results.push(answer);
    }
    Ok(())
}

fn answer(args: &RankArgs, options: &RankOptions, file: &Path, loaded: &Loaded, bars: &Bars) -> Result<Answer> {
    let start = Instant::now();
    let mut phases = Phases::default();
    phases.add("read", loaded.seconds);
    // Modulo every other prime the matrix is as large, or smaller.
    let sample = Modulus::new((1 << 31) - 1).expect("a Mersenne prime");
    let max_memory = memory::left_beside(args.max_memory, &loaded.triplets.compact()?.matrix, true, sample)?;
    let defaults = RationalOptions::default();
    let rational = RationalOptions {
        rank: RankOptions { max_memory, ..options.clone() },
        error: args.error.unwrap_or(defaults.error),
        moduli: args.moduli.clone(),
        ..defaults
    };
    let rank = answers::rational_rank(&loaded.triplets, &rational, bars)?;
    // From 0 on: the sum of no numbers is -0.
    let seconds = |primes: &[ModularRank]| primes.iter().fold(0.0, |sum, p| sum + p.seconds);
    phases.add("random primes", seconds(&rank.drawn));
    let steps = rank.path.iter().filter(|step| PROOFS.contains(&step.name));
    phases.add("proof", steps.fold(0.0, |sum, step| sum + step.seconds));
    phases.add("primes asked for", seconds(&rank.asked));
    let digest = phases.time("digest", || loaded.digest());
    bars.clear();
    let seconds = loaded.seconds + start.elapsed().as_secs_f64();
    describe(&rank, file, &phases, seconds, args.explain, bars);
    let prime = |p: &ModularRank| Prime {
        modulus: p.modulus.get(),
        rank: p.rank,
        invariant_factors: rank.multiples_of(p),
        sure: p.certainty.into(),
        seconds: p.seconds,
    };
    Ok(Answer {
        file: file.display().to_string(),
        rank: rank.rank,
        rows: loaded.triplets.rows(),
        cols: loaded.triplets.cols(),
        nnz: loaded.triplets.nnz(),
        field: "Q",
        sure: rank.certainty.into(),
        minor_bits: rank.minor_bits,
        prime_bits: rank.prime_bits,
        random_primes: rank.drawn.iter().map(prime).collect(),
        proof_primes: rank.proving.iter().map(prime).collect(),
        primes: rank.asked.iter().map(prime).collect(),
        path: rank.path,
        reason: rank.reason,
        seed: options.seed,
        threads: rayon::current_num_threads(),
        digest,
        warnings: loaded.warnings.iter().cloned().chain(bars.take_warnings()).collect(),
        phases,
        seconds,
        version: env!("CARGO_PKG_VERSION"),
    })
}

/// The answer's circumstances on standard error.
fn describe(rank: &RationalRank, file: &Path, phases: &Phases, seconds: f64, explain: bool, bars: &Bars) {
    bars.note(&format!("{}: rank {} over Q ({})", file.display(), rank.rank, output::sure(rank.certainty)));
    bars.note(&format!("  why      {}", rank.reason));
    rank.explanations().for_each(|line| bars.note(&format!("  prime    {line}")));
    let parts: Vec<_> = phases.iter().map(|(name, s)| format!("{name} {s:.3}")).collect();
    let threads = rayon::current_num_threads();
    bars.note(&format!("  seconds  {seconds:.3} = {} on {threads} threads", parts.join(" + ")));
    if explain {
        bars.note_path(&rank.path);
    }
}
