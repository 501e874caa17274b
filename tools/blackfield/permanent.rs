//! `blackfield permanent FILE…`: the exact permanent alone on standard output, a line for each of several, or JSON
//! documents.

use crate::account::Account;
use crate::answer::Over;
use crate::args::PermanentArgs;
use crate::batch::{About, Batch};
use crate::exit::Code;
use crate::input::{self, Loaded};
use crate::memory;
use crate::profile;
use crate::progress::Bars;
use crate::schema::Schema;
use crate::signals;
use blackfield::cost::Machine;
use blackfield::field::Modulus;
use blackfield::gpu;
use blackfield::hafnian;
use blackfield::permanent::{self, Options, Permanent};
use blackfield::words::counted;
use blackfield::{Observer, Result};
use num_bigint::BigInt;
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// One answer, as JSON shows it.
#[derive(Serialize)]
struct Answer {
    schema: Schema,
    file: String,
    n: usize,
    rows: usize,
    cols: usize,
    nnz: usize,
    modulus: Option<Modulus>,
    #[serde(flatten)]
    found: Permanent,
    threads: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    warnings: Vec<String>,
    seconds: f64,
    version: &'static str,
}

/// Answers for each file in the order given, each printed as soon as it is there.
pub fn run(args: &PermanentArgs, bars: &Bars) -> Result<Code> {
    input::check_stdin_once(&args.files)?;
    signals::keep_state(args.checkpoint.as_deref(), args.files.len(), "FILE")?;
    let machine = profile::find(&args.profile, bars)?.machine;
    if args.device.are_demanded() {
        // Before a file is read.
        let _ = args.device.all_or_named(gpu::require_devices()?)?;
    }
    // Several residues are those of one integer.
    let each = args.moduli.len().max(1);
    let mut batch = Batch::new(args.files.len() * each, args.batch, args.json, bars);
    for (k, file) in args.files.iter().enumerate() {
        if args.files.len() > 1 {
            bars.part("file", k as u64 + 1, args.files.len() as u64);
        }
        let about = About { file, over: None };
        if let Some((value, answers)) = batch.attempt(&about, each, || answers(file, args, &machine, bars))? {
            for answer in answers {
                describe(&answer, &value, &Account::new(args.explain, args.common.quiet, bars));
                let over = answer.modulus.map_or(Over::Ring("Z"), Over::from);
                let certainty = answer.found.proof.certainty();
                batch.print(&About { over: Some(over), ..about }, &answer.found.value, certainty, &answer)?;
            }
        }
        if batch.is_over() {
            break;
        }
    }
    Ok(batch.end())
}

/// The permanent of the matrix in `file`, and what is shown of it: itself, or its residues.
fn answers(file: &Path, args: &PermanentArgs, machine: &Machine, bars: &Bars) -> Result<(BigInt, Vec<Answer>)> {
    let loaded = input::load_within(file, args.input, args.max_memory, bars)?;
    warn_of_graphs(file, &loaded, bars);
    let alone = if let [p] = args.moduli[..] { Some(p) } else { None };
    let start = Instant::now();
    let found = permanent::permanent(&loaded.triplets, &options(args, alone, machine), bars)?;
    bars.clear();
    let seconds = loaded.seconds + start.elapsed().as_secs_f64();
    let warnings: Vec<String> = loaded.warnings.iter().cloned().chain(bars.take_warnings()).collect();
    // The digest costs a pass over the matrix: nobody but a reader of JSON sees it.
    let digest = args.json.then(|| loaded.digest());
    let answer = |modulus: Option<Modulus>| {
        let mut shown = found.clone();
        if let Some(p) = modulus {
            shown.value = p.reduce_bigint(&found.value).into();
        }
        Answer {
            schema: Schema::Permanent,
            file: file.display().to_string(),
            n: loaded.triplets.rows().min(loaded.triplets.cols()),
            rows: loaded.triplets.rows(),
            cols: loaded.triplets.cols(),
            nnz: loaded.triplets.nnz(),
            modulus,
            found: shown,
            threads: rayon::current_num_threads(),
            digest: digest.clone(),
            warnings: warnings.clone(),
            seconds,
            version: env!("CARGO_PKG_VERSION"),
        }
    };
    let answers = match args.moduli[..] {
        [] => vec![answer(None)],
        ref moduli => moduli.iter().map(|&p| answer(Some(p))).collect(),
    };
    Ok((found.value, answers))
}

fn options(args: &PermanentArgs, modulus: Option<Modulus>, machine: &Machine) -> Options {
    Options::default()
        .machine(machine.clone())
        .method(args.method.into())
        .modulus(modulus)
        .devices(args.device)
        .max_memory(args.max_memory.or_else(memory::of_machine))
        .checkpoint(args.checkpoint.clone())
        .checkpoint_interval(args.checkpoint_interval)
        .reductions(args.switches())
}

/// The adjacency matrix of a graph may have been given by mistake.
fn warn_of_graphs(file: &Path, loaded: &Loaded, bars: &Bars) {
    if loaded.triplets.nnz() > 0 && hafnian::is_adjacency(&loaded.triplets) {
        bars.warning(&format!(
            "{}: a symmetric 0-1 matrix with an empty diagonal: the perfect matchings of the graph with this adjacency \
             matrix are another number, `blackfield matchings`",
            file.display()
        ));
    }
}

/// The answer's circumstances on standard error; `value` is what its residue is of.
fn describe(answer: &Answer, value: &BigInt, account: &Account) {
    let Answer { file, rows, cols, found, seconds, threads, .. } = answer;
    let digits = value.magnitude().to_string().len();
    let what = answer.modulus.map_or(counted(digits, "digit"), |p| format!("mod {p}"));
    account.line(&format!("{file}: permanent of {rows} x {cols}, {what} ({})", found.proof.certainty().name()));
    account.line(&format!("  method   {}", found.method));
    account.line(&format!("  why      {}", found.proof));
    account.line(&format!("  seconds  {seconds:.3} on {}", counted(*threads, "thread")));
    account.path(&found.path);
}
