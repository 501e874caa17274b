//! `blackfield rank FILE… -p P…`: the rank alone on standard output, or one JSON document.

use crate::args::{DeviceName, RankArgs, Seed};
use crate::certificate;
use crate::input::{self, Loaded};
use crate::memory;
use crate::output;
use crate::progress::Bars;
use crate::rational;
use blackfield::answers::{self, Phases, RankOptions};
use blackfield::certify::Certainty;
use blackfield::field::Modulus;
use blackfield::io::AtomicFile;
use blackfield::sparse::Triplets;
use blackfield::spmv::Plan;
use blackfield::{Error, Result, Step, gpu};
use serde::Serialize;
use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::time::Instant;

/// One answer, as JSON shows it.
#[derive(Serialize)]
struct Answer {
    file: String,
    rank: usize,
    rows: usize,
    cols: usize,
    nnz: usize,
    modulus: u64,
    method: &'static str,
    path: Vec<Step>,
    reason: String,
    #[serde(flatten)]
    sure: output::Sure,
    trials: usize,
    trials_agreed: usize,
    block: Option<usize>,
    extension_degree: usize,
    field: String,
    seed: u64,
    threads: usize,
    device: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    plan: Option<Plan>,
    warnings: Vec<String>,
    #[serde(serialize_with = "output::phases")]
    phases: Phases,
    seconds: f64,
    version: &'static str,
}

/// Answers for each file and modulus in the order given.
pub fn run(args: &RankArgs, bars: &Bars) -> Result<()> {
    input::check_stdin_once(&args.files)?;
    check_device(args.device)?;
    let certificate = certificate::begin(args)?;
    let options = resolve(args, bars);
    if args.rational {
        return rational::run(args, &options, bars);
    }
    let start = Instant::now();
    let mut results = Vec::new();
    let work = Work { args, options, certificate, bars }.answer_all(&mut results);
    bars.clear();
    if args.json {
        output::print_answers(&results, args.files.len() == 1 && args.moduli.len() == 1, work.is_ok(), start)?;
    }
    work
}

/// What is asked, and where the answers go.
struct Work<'a> {
    args: &'a RankArgs,
    options: RankOptions,
    /// For the one answer there is, where it is asked for.
    certificate: Option<AtomicFile>,
    bars: &'a Bars,
}

impl Work<'_> {
    fn answer_all(mut self, results: &mut Vec<Answer>) -> Result<()> {
        let args = self.args;
        for file in &args.files {
            let mut loaded = input::load_within(file, args.pattern, args.max_memory, self.bars)?;
            for (n, &modulus) in args.moduli.iter().enumerate() {
                let last = n + 1 == args.moduli.len();
                let answer = self.answer(file, &mut loaded, modulus, last)?;
                if !args.json {
                    output::print(&format!("{}\n", answer.rank))?;
                }
                results.push(answer);
            }
        }
        Ok(())
    }

    fn answer(&mut self, file: &Path, loaded: &mut Loaded, modulus: Modulus, last: bool) -> Result<Answer> {
        let Work { args, options, certificate, bars } = self;
        let start = Instant::now();
        let mut phases = Phases::default();
        phases.add("read", loaded.seconds);
        let compact = phases.time("reduce", || loaded.triplets.compact())?;
        let max_memory = memory::left_beside(args.max_memory, &compact.matrix, !last, modulus)?;
        let lines = compact.lines;
        // The digest costs a pass over the matrix: a certificate names it, and a reader of JSON sees it.
        let wanted = args.json || certificate.is_some();
        let digest = wanted.then(|| phases.time("digest", || loaded.digest()));
        let matrix = match (last, compact.matrix) {
            (false, matrix) => phases.time("reduce", || matrix.try_reduce(modulus))?,
            // Nobody needs the integers any more: the residues take their place.
            (true, Cow::Owned(matrix)) => {
                loaded.triplets = Triplets::default();
                phases.time("reduce", || matrix.into_reduced(modulus))?
            }
            (true, Cow::Borrowed(_)) => {
                phases.time("reduce", || std::mem::take(&mut loaded.triplets).into_reduced(modulus))?
            }
        };
        let nnz = matrix.nnz();
        let options = &RankOptions { max_memory, ..options.clone() };
        // A certificate is made of the matrix, which stays for it.
        let (rank, matrix) = match certificate {
            Some(_) => (answers::rank(&matrix, options, *bars)?, Some(matrix)),
            None => (answers::rank_owned(matrix, options, *bars)?, None),
        };
        for (name, seconds) in rank.phases.iter() {
            phases.add(name, seconds);
        }
        if let (Some(to), Some(minor), Some(digest), Some(matrix)) = (certificate.take(), &rank.minor, &digest, &matrix)
        {
            phases.time("certificate", || certificate::write(to, digest, matrix, &lines, minor, bars))?;
        }
        bars.clear();
        let answer = Answer {
            file: file.display().to_string(),
            rank: rank.rank,
            rows: lines.rows.whole(),
            cols: lines.cols.whole(),
            nnz,
            modulus: modulus.get(),
            method: rank.method.name(),
            path: rank.path,
            reason: rank.reason,
            sure: rank.certainty.into(),
            trials: rank.trials,
            trials_agreed: rank.trials_agreed,
            block: rank.block,
            extension_degree: rank.extension_degree,
            field: field_name(modulus, rank.extension_degree),
            seed: options.seed,
            threads: rayon::current_num_threads(),
            device: "cpu",
            digest,
            plan: rank.plan,
            warnings: loaded.warnings.iter().cloned().chain(bars.take_warnings()).collect(),
            phases,
            seconds: loaded.seconds + start.elapsed().as_secs_f64(),
            version: env!("CARGO_PKG_VERSION"),
        };
        describe(&answer, rank.certainty, args.explain, bars);
        Ok(answer)
    }
}

/// The library's options from the arguments; a random seed is drawn and reported here.
fn resolve(args: &RankArgs, bars: &Bars) -> RankOptions {
    let seed = match args.seed {
        Seed::Fixed(seed) => seed,
        Seed::Random => {
            let seed = draw_seed();
            bars.note(&format!("seed {seed}"));
            seed
        }
    };
    RankOptions {
        method: args.method.into(),
        proven: args.proven,
        block: args.block,
        trials: args.trials,
        error: args.error,
        seed,
        max_memory: args.max_memory,
        plan: args.formats.plan_options(),
        early_termination: !args.no_early_termination,
        route: args.route.into(),
        minor: args.certificate.is_some(),
        ..Default::default()
    }
}

/// A seed from the operating system's entropy (which keys the standard library's hash maps), below 2⁵³ so that every
/// reader of JSON gets it exactly.
fn draw_seed() -> u64 {
    std::hash::RandomState::new().build_hasher().finish() >> 11
}

fn check_device(device: DeviceName) -> Result<()> {
    match device {
        DeviceName::Cpu => Ok(()),
        DeviceName::Cuda => {
            let found = gpu::require_devices()?;
            Err(Error::Device(format!(
                "this version has no CUDA kernels for the rank yet; found, but not used: {}",
                found[0]
            )))
        }
    }
}

fn field_name(modulus: Modulus, degree: usize) -> String {
    if degree == 1 { format!("GF({modulus})") } else { format!("GF({modulus}^{degree})") }
}

/// The answer's circumstances on standard error.
fn describe(answer: &Answer, certainty: Certainty, explain: bool, bars: &Bars) {
    let Answer { file, rank, modulus, method, field, reason, seconds, threads, .. } = answer;
    bars.note(&format!("{file}: rank {rank} mod {modulus} ({})", output::sure(certainty)));
    let run = answer.block.map_or(String::new(), |block| {
        format!(", block {block}, {} of {} trials agree, seed {}", answer.trials_agreed, answer.trials, answer.seed)
    });
    bars.note(&format!("  method   {method} over {field}{run}"));
    bars.note(&format!("  why      {reason}"));
    let parts: Vec<_> = answer.phases.iter().map(|(name, s)| format!("{name} {s:.3}")).collect();
    bars.note(&format!("  seconds  {seconds:.3} = {} on {threads} threads", parts.join(" + ")));
    if explain {
        bars.note_path(&answer.path);
        let plan = answer.plan.as_ref().map_or("no sparse product was planned".into(), Plan::to_string);
        bars.note(&format!("  plan     {}", plan.trim_end().replace('\n', "\n           ")));
    }
}
