//! `blackfield rank FILE… -p P…`: the rank alone on standard output, or one JSON document.

use crate::args::{DeviceName, MethodName, RankArgs};
use crate::certificate;
use crate::input::{self, Loaded};
use crate::memory;
use crate::output;
use crate::profile;
use crate::progress::Bars;
use crate::rational;
use crate::schema::Schema;
use crate::seed;
use blackfield::answers::{self, Rank, RankOptions, WiedemannReport};
use blackfield::field::Modulus;
use blackfield::gpu::{self, Devices};
use blackfield::io::AtomicFile;
use blackfield::report::Phases;
use blackfield::sparse::Triplets;
use blackfield::spmv::Plan;
use blackfield::{DeviceError, DeviceReason, Error, Result};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// One answer, as JSON shows it.
#[derive(Serialize)]
struct Answer {
    schema: Schema,
    file: String,
    rows: usize,
    cols: usize,
    nnz: usize,
    modulus: Modulus,
    field: String,
    /// Its phases are those of the whole work: reading, and what else the program does beside.
    #[serde(flatten)]
    found: Rank,
    /// Of the phases for which they are known.
    processor_seconds: BTreeMap<&'static str, f64>,
    seed: u64,
    threads: usize,
    device: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    warnings: Vec<String>,
    seconds: f64,
    version: &'static str,
}

/// Answers for each file and modulus in the order given.
pub fn run(args: &RankArgs, bars: &Bars) -> Result<()> {
    input::check_stdin_once(&args.files)?;
    check_device(args)?;
    let certificate = certificate::begin(args)?;
    let options = resolve(args, bars)?;
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
    /// For the single answer, if requested.
    certificate: Option<AtomicFile>,
    bars: &'a Bars,
}

impl Work<'_> {
    fn answer_all(mut self, results: &mut Vec<Answer>) -> Result<()> {
        let args = self.args;
        for file in &args.files {
            let loaded = input::load_rational(file, args.pattern, args.max_memory, self.bars)?;
            args.moduli.iter().try_for_each(|&p| loaded.check(p))?;
            // Factors of rows change no rank.
            let mut loaded = loaded.numerators();
            for (n, &modulus) in args.moduli.iter().enumerate() {
                let last = n + 1 == args.moduli.len();
                let answer = self.answer(file, &mut loaded, modulus, last)?;
                if !args.json {
                    output::print(&format!("{}\n", answer.found.rank))?;
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
        let options = &options.clone().max_memory(max_memory);
        // A certificate is made of the matrix, which stays for it.
        let (mut found, matrix) = match certificate {
            Some(_) => (answers::rank(&matrix, options, *bars)?, Some(matrix)),
            None => (answers::rank_owned(matrix, options, *bars)?, None),
        };
        phases.extend(&found.phases);
        if let (Some(to), Some(minor), Some(digest), Some(matrix)) =
            (certificate.take(), &found.minor, &digest, &matrix)
        {
            phases.time("certificate", || certificate::write(to, digest, matrix, &lines, minor, bars))?;
        }
        bars.clear();
        found.phases = phases;
        let device = if found.device.is_some() { "cuda" } else { "cpu" };
        let processor_seconds = found.phases.processor().collect();
        let answer = Answer {
            schema: Schema::Rank,
            file: file.display().to_string(),
            rows: lines.rows.whole(),
            cols: lines.cols.whole(),
            nnz,
            modulus,
            field: field_name(modulus, found.wiedemann),
            found,
            processor_seconds,
            seed: options.seed,
            threads: rayon::current_num_threads(),
            device,
            digest,
            warnings: loaded.warnings.iter().cloned().chain(bars.take_warnings()).collect(),
            seconds: loaded.seconds + start.elapsed().as_secs_f64(),
            version: env!("CARGO_PKG_VERSION"),
        };
        describe(&answer, args.explain, bars);
        Ok(answer)
    }
}

/// The library's options from the arguments; a random seed is drawn and reported here.
fn resolve(args: &RankArgs, bars: &Bars) -> Result<RankOptions> {
    let options = RankOptions::default()
        .machine(profile::find(&args.profile, bars)?.machine)
        .method(args.method.into())
        .proven(args.proven)
        .block(args.block)
        .trials(args.trials)
        .error(args.error)
        .seed(seed::resolve(args.seed, bars))
        .max_memory(args.max_memory)
        .plan(args.formats.plan_options())
        .early_termination(!args.no_early_termination)
        .route(args.route.into())
        .minor(args.certificate.is_some())
        // A rank over the rationals is no matter of one sequence.
        .devices(if args.rational { Devices::Processor } else { args.device.into() });
    Ok(options)
}

/// Says what is missing before a file is read.
fn check_device(args: &RankArgs) -> Result<()> {
    if args.device != DeviceName::Cuda {
        return Ok(());
    }
    let found = gpu::require_devices()?;
    if args.method != MethodName::Elimination && !args.rational {
        return Ok(());
    }
    let what = if args.rational { "ranks over Q" } else { "--method elimination" };
    let message = format!("CUDA GPUs do not serve {what}; found, but not used: {}", found[0]);
    Err(Error::Device(DeviceError::new(DeviceReason::NoKernel, message)))
}

/// The field that was worked over.
fn field_name(modulus: Modulus, wiedemann: Option<WiedemannReport>) -> String {
    match wiedemann {
        Some(WiedemannReport { extension_degree: k @ 2.., .. }) => format!("GF({modulus}^{k})"),
        _ => format!("GF({modulus})"),
    }
}

/// The answer's circumstances on standard error.
fn describe(answer: &Answer, explain: bool, bars: &Bars) {
    let Answer { file, modulus, field, found, seed, seconds, threads, .. } = answer;
    bars.note(&format!("{file}: rank {} mod {modulus} ({})", found.rank, output::sure(found.certainty)));
    let run = found.wiedemann.map_or(String::new(), |WiedemannReport { block, trials, trials_agreed, .. }| {
        format!(", block {block}, {trials_agreed} of {trials} trials agree, seed {seed}")
    });
    let place = found.device.as_ref().map_or(String::new(), |device| format!(" on {device}"));
    bars.note(&format!("  method   {} over {field}{run}{place}", found.method.name()));
    bars.note(&format!("  why      {}", found.reason));
    let parts: Vec<_> = found.phases.iter().map(|(name, s)| format!("{name} {s:.3}")).collect();
    bars.note(&format!("  seconds  {seconds:.3} = {} on {threads} threads", parts.join(" + ")));
    if explain {
        bars.note_path(&found.path);
        let plan = found.plan.as_ref().map_or("no sparse product was planned".into(), Plan::to_string);
        bars.note(&format!("  plan     {}", plan.trim_end().replace('\n', "\n           ")));
    }
}
