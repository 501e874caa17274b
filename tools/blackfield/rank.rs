//! `blackfield rank FILE… -p P…`: the rank alone on standard output, a line for each of several, or JSON documents.

use crate::account::Account;
use crate::answer::Over;
use crate::args::{MethodName, Prime, RankArgs};
use crate::batch::{About, Batch};
use crate::certificate;
use crate::exit::Code;
use crate::input::{self, Loaded, Rational};
use crate::memory;
use crate::output;
use crate::profile;
use crate::progress::Bars;
use crate::rank_primes::{self, Found};
use crate::rational;
use crate::schema::Schema;
use crate::seed;
use blackfield::answers::{self, Rank, RankOptions, WiedemannReport};
use blackfield::field::Modulus;
use blackfield::gpu::{self, Device, Devices};
use blackfield::io::AtomicFile;
use blackfield::large::LargeModulus;
use blackfield::report::Phases;
use blackfield::sparse::Triplets;
use blackfield::spmv::Plan;
use blackfield::{DeviceError, DeviceReason, Error, Observer, Result};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
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
    modulus: Prime,
    field: String,
    /// Its phases are those of the whole work: reading, and what else the program does beside.
    #[serde(flatten)]
    found: Rank,
    /// Of the phases for which they are known.
    processor_seconds: BTreeMap<&'static str, f64>,
    seed: u64,
    threads: usize,
    device: &'static str,
    /// The GPUs among these: `cuda:0`, …
    devices: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    warnings: Vec<String>,
    seconds: f64,
    version: &'static str,
}

/// Answers for each file and modulus in the order given, each printed as soon as it is there.
pub fn run(args: &RankArgs, bars: &Bars) -> Result<Code> {
    input::check_stdin_once(&args.files)?;
    check_device(args)?;
    args.check_method()?;
    let certificate = certificate::begin(args)?;
    let options = resolve(args, bars)?;
    let each = args.moduli.len() + usize::from(args.rational);
    let batch = Batch::new(args.files.len() * each, args.batch, args.json, bars);
    match args.rational {
        true => rational::run(args, &options, batch, bars),
        false => {
            let gpus = rank_primes::gpus(args)?;
            Work { args, options, certificate, gpus, bars }.answer_all(batch)
        }
    }
}

/// What is asked, and where the answers go.
struct Work<'a> {
    args: &'a RankArgs,
    options: RankOptions,
    /// For the single answer, if requested.
    certificate: Option<AtomicFile>,
    /// Those that have a prime each, if several do.
    gpus: Vec<Device>,
    bars: &'a Bars,
}

/// An answer but for what all have in common.
struct Made {
    rows: usize,
    cols: usize,
    nnz: usize,
    modulus: Prime,
    field: String,
    found: Rank,
    digest: Option<String>,
    warnings: Vec<String>,
    seconds: f64,
}

impl Work<'_> {
    fn answer_all(mut self, mut batch: Batch<'_>) -> Result<Code> {
        let args = self.args;
        for (k, file) in args.files.iter().enumerate() {
            if args.files.len() > 1 {
                self.bars.part("file", k as u64 + 1, args.files.len() as u64);
            }
            let load = || input::load_rational(file, args.input, args.max_memory, self.bars);
            let loaded = batch.attempt(&About { file, over: None }, args.moduli.len(), load)?;
            // A prime that divides a denominator has no rank; the others have.
            let residues = |p: &Prime| loaded.as_ref().map_or(Ok(()), |loaded| loaded.check_prime(p));
            let residues: Vec<_> = args.moduli.iter().map(residues).collect();
            let exists: Vec<bool> = residues.iter().map(Result::is_ok).collect();
            let mut ready = VecDeque::new();
            // Factors of rows change no rank.
            let mut loaded = loaded.map(Rational::numerators);
            for (n, (modulus, exist)) in args.moduli.iter().zip(residues).enumerate() {
                let (Some(loaded), false) = (&mut loaded, batch.is_over()) else { break };
                let last = n + 1 == args.moduli.len();
                if args.moduli.len() > 1 {
                    self.bars.part("modulus", n as u64 + 1, args.moduli.len() as u64);
                }
                let about = About { file, over: Some(Over::Modulus(modulus.clone())) };
                let mut work = || {
                    if ready.is_empty() {
                        ready = self.at_once(loaded, &args.moduli[n..], &exists[n..])?;
                    }
                    match (modulus, ready.pop_front().flatten()) {
                        (Prime::Word(modulus), Some(found)) => Ok(self.made_beside(file, loaded, *modulus, found)),
                        (Prime::Word(modulus), None) => self.answer(file, loaded, *modulus, last),
                        (Prime::Large(modulus), _) => self.large(file, loaded, modulus),
                    }
                };
                if let Some(answer) = batch.attempt(&about, 1, || exist.and_then(|()| work()))? {
                    batch.print(&about, &answer.found.rank, answer.found.certainty, &answer)?;
                }
            }
            if batch.is_over() {
                break;
            }
        }
        self.bars.clear();
        Ok(batch.end())
    }

    fn answer(&mut self, file: &Path, loaded: &mut Loaded, modulus: Modulus, last: bool) -> Result<Answer> {
        let Work { args, options, certificate, bars, .. } = self;
        let start = Instant::now();
        let mut phases = Phases::default();
        phases.extend(&loaded.read);
        let compact = phases.shown("reduce", *bars, || loaded.triplets.compact())?;
        let max_memory = memory::left_beside(args.max_memory, &compact.matrix, !last, modulus)?;
        let lines = compact.lines;
        // The digest costs a pass over the matrix: a certificate names it, and a reader of JSON sees it.
        let wanted = args.json || certificate.is_some();
        let digest = wanted.then(|| phases.shown("digest", *bars, || loaded.digest()));
        bars.keep(&args.checkpoint, || loaded.digest(), format!("rank {modulus} seed {}", options.seed))?;
        let matrix = match (last, compact.matrix) {
            (false, matrix) => phases.shown("reduce", *bars, || matrix.try_reduce(modulus))?,
            // Nobody needs the integers any more: the residues take their place.
            (true, Cow::Owned(matrix)) => {
                loaded.triplets = Triplets::default();
                phases.shown("reduce", *bars, || matrix.into_reduced(modulus))?
            }
            (true, Cow::Borrowed(_)) => {
                phases.shown("reduce", *bars, || std::mem::take(&mut loaded.triplets).into_reduced(modulus))?
            }
        };
        let nnz = matrix.nnz();
        let options = &options.clone().max_memory(max_memory);
        let (mut found, matrix) = match certificate {
            // A certificate is made of the matrix, which stays for it.
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
        found.reason += bars.resumed_words();
        bars.forget();
        let warnings = bars.take_warnings();
        Ok(self.told(
            file,
            loaded,
            Made {
                rows: lines.rows.whole(),
                cols: lines.cols.whole(),
                nnz,
                modulus: Prime::Word(modulus),
                field: field_name(modulus, found.wiedemann),
                found,
                digest,
                warnings,
                seconds: start.elapsed().as_secs_f64(),
            },
        ))
    }

    /// Ranks modulo the next primes, as many as there are GPUs for them; none where it is one after the other.
    fn at_once(&self, loaded: &Loaded, moduli: &[Prime], exist: &[bool]) -> Result<VecDeque<Option<Found>>> {
        let words = moduli.iter().zip(exist).map_while(|(modulus, exists)| match modulus {
            Prime::Word(modulus) if *exists => Some(*modulus),
            _ => None,
        });
        let words: Vec<Modulus> = words.take(self.gpus.len()).collect();
        match words.len() {
            0 | 1 => Ok(VecDeque::new()),
            _ => rank_primes::at_once(&loaded.triplets, &words, &self.gpus, &self.options, self.bars).map(Into::into),
        }
    }

    /// The answer of a rank that was made beside others.
    fn made_beside(&self, file: &Path, loaded: &Loaded, modulus: Modulus, found: Found) -> Answer {
        let Found { mut rank, nnz, warnings, seconds } = found;
        let mut phases = Phases::default();
        phases.extend(&loaded.read);
        phases.extend(&rank.phases);
        rank.phases = phases;
        self.told(
            file,
            loaded,
            Made {
                rows: loaded.triplets.rows(),
                cols: loaded.triplets.cols(),
                nnz,
                modulus: Prime::Word(modulus),
                field: field_name(modulus, rank.wiedemann),
                found: rank,
                digest: self.args.json.then(|| loaded.digest()),
                warnings,
                seconds,
            },
        )
    }

    /// The whole answer, told on standard error.
    fn told(&self, file: &Path, loaded: &Loaded, made: Made) -> Answer {
        let Made { rows, cols, nnz, modulus, field, found, digest, warnings, seconds } = made;
        let answer = Answer {
            schema: Schema::Rank,
            file: file.display().to_string(),
            rows,
            cols,
            nnz,
            modulus,
            field,
            processor_seconds: found.phases.processor().collect(),
            seed: self.options.seed,
            threads: rayon::current_num_threads(),
            device: if found.devices.is_empty() { "cpu" } else { "cuda" },
            devices: found.devices.iter().map(|device| format!("cuda:{}", device.index)).collect(),
            found,
            digest,
            warnings: loaded.warnings.iter().cloned().chain(warnings).collect(),
            seconds: loaded.seconds + seconds,
            version: env!("CARGO_PKG_VERSION"),
        };
        describe(&answer, &Account::new(self.args.explain, self.args.common.quiet, self.bars));
        answer
    }

    /// The same modulo a prime beyond 2⁶³.
    fn large(&mut self, file: &Path, loaded: &Loaded, modulus: &LargeModulus) -> Result<Answer> {
        let Work { args, options, bars, .. } = self;
        let start = Instant::now();
        let mut phases = Phases::default();
        phases.extend(&loaded.read);
        let compact = phases.shown("reduce", *bars, || loaded.triplets.compact())?;
        let max_memory = memory::left_beside_values(args.max_memory, &compact.matrix)?;
        let digest = args.json.then(|| phases.shown("digest", *bars, || loaded.digest()));
        bars.keep(&args.checkpoint, || loaded.digest(), format!("rank {modulus} seed {}", options.seed))?;
        let options = &options.clone().max_memory(max_memory);
        let mut found = answers::large_rank(&compact.matrix, modulus, options, *bars)?;
        phases.extend(&found.phases);
        bars.clear();
        found.phases = phases;
        found.reason += bars.resumed_words();
        bars.forget();
        let (rows, cols) = (compact.lines.rows.whole(), compact.lines.cols.whole());
        let nnz = modulus.nnz(&compact.matrix);
        let warnings = bars.take_warnings();
        Ok(self.told(
            file,
            loaded,
            Made {
                rows,
                cols,
                nnz,
                modulus: Prime::Large(modulus.clone()),
                field: format!("GF({modulus})"),
                found,
                digest,
                warnings,
                seconds: start.elapsed().as_secs_f64(),
            },
        ))
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
        .max_device_memory(args.max_device_memory)
        .plan(args.formats.plan_options())
        .early_termination(!args.no_early_termination)
        .route(args.route.into())
        .minor(args.certificate.is_some())
        // A rank over the rationals is no matter of one sequence.
        .devices(if args.rational { Devices::Processor } else { args.device });
    Ok(options)
}

/// Refuses a GPU that cannot serve, before a file is read: whatever the matrix, nothing of what is asked for runs on
/// one, or there is none.
fn check_device(args: &RankArgs) -> Result<()> {
    if args.max_device_memory.is_some() && args.device == Devices::Processor {
        let message = "--max-device-memory is for a GPU: ask for --device cuda or --device auto as well";
        return Err(Error::Usage(message.into()));
    }
    if !args.device.are_demanded() {
        return Ok(());
    }
    let never = [
        (args.rational, "ranks over Q"),
        (args.method == MethodName::Elimination, "--method elimination"),
        (args.proven, "--proven"),
        (args.certificate.is_some(), "--certificate"),
    ];
    match never.into_iter().find(|(asked, _)| *asked) {
        Some((_, what)) => {
            let message = format!(
                "CUDA GPUs do not serve {what}: they make block Wiedemann and sketches, which prove nothing and have no minor; leave out --device cuda"
            );
            Err(Error::Device(DeviceError::new(DeviceReason::NoKernel, message)))
        }
        None => args.device.first_or_named(gpu::require_devices()?).map(drop),
    }
}

/// The field that was worked over.
fn field_name(modulus: Modulus, wiedemann: Option<WiedemannReport>) -> String {
    match wiedemann {
        Some(WiedemannReport { extension_degree: k @ 2.., .. }) => format!("GF({modulus}^{k})"),
        _ => format!("GF({modulus})"),
    }
}

/// The answer's circumstances on standard error.
fn describe(answer: &Answer, account: &Account) {
    let Answer { file, modulus, field, found, seed, seconds, threads, .. } = answer;
    account.line(&format!("{file}: rank {} mod {modulus} ({})", found.rank, output::sure(found.certainty)));
    let run = found.wiedemann.map_or(String::new(), |WiedemannReport { block, trials, trials_agreed, .. }| {
        let agreed = if trials == 1 { String::new() } else { format!(", {trials_agreed} of {trials} trials agree") };
        format!(", block {block}{agreed}, seed {seed}")
    });
    let names: Vec<String> = found.devices.iter().map(|device| device.to_string()).collect();
    let place = if names.is_empty() { String::new() } else { format!(" on {}", names.join(" and ")) };
    account.line(&format!("  method   {} over {field}{run}{place}", found.method.name()));
    account.line(&format!("  why      {}", found.reason));
    account.line(&format!("  seconds  {}", account.time(*seconds, &found.phases, *threads)));
    account.path(&found.path);
    if account.explain {
        let plan = found.plan.as_ref().map_or("no sparse product was planned".into(), Plan::to_string);
        account.line(&format!("  plan     {}", plan.trim_end().replace('\n', "\n           ")));
    }
}
