//! `blackfield matchings GRAPH…`: numbers of matchings alone on standard output, or one JSON document a file.

use crate::account::Account;
use crate::answer::Over;
use crate::args::MatchingsArgs;
use crate::batch::{About, Batch};
use crate::exit::Code;
use crate::input;
use crate::memory;
use crate::output;
use crate::profile;
use crate::progress::Bars;
use crate::schema::Schema;
use crate::signals;
use blackfield::cost::Machine;
use blackfield::hafnian::{Matchings, Options, Reading, WeightedGraph, matchings};
use blackfield::words::counted;
use blackfield::{Error, Result};
use serde::Serialize;
use std::fmt::Display;
use std::path::Path;
use std::time::Instant;

/// One answer, as JSON shows it.
#[derive(Serialize)]
struct Answer {
    schema: Schema,
    file: String,
    vertices: usize,
    edges: usize,
    #[serde(flatten)]
    found: Matchings,
    threads: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    warnings: Vec<String>,
    seconds: f64,
    version: &'static str,
}

/// Answers for each file in the order given, each printed as soon as it is there.
pub fn run(args: &MatchingsArgs, bars: &Bars) -> Result<Code> {
    input::check_stdin_once(&args.files)?;
    signals::keep_state(args.checkpoint.as_deref(), args.files.len(), "GRAPH")?;
    if args.by_size && args.files.len() > 1 && !args.json {
        return Err(Error::Usage("--by-size prints many lines: one GRAPH is possible with it, or --json".into()));
    }
    let machine = profile::find(&args.profile, bars)?.machine;
    let mut batch = Batch::new(args.files.len(), args.batch, args.json, bars);
    for file in &args.files {
        let about = About { file, over: Some(Over::Ring("Z")) };
        if let Some(answer) = batch.attempt(&about, 1, || answer(file, args, &machine, bars))? {
            describe(&answer, &Account::new(args.explain, args.common.quiet, bars));
            match &answer.found.by_size {
                Some(sizes) if !args.json => output::print(&lines(sizes))?,
                _ => batch.print(&about, &answer.found.perfect, answer.found.proof.certainty(), &answer)?,
            }
        }
        if batch.is_over() {
            break;
        }
    }
    Ok(batch.end())
}

/// The answer about the graph in `file`.
fn answer(file: &Path, args: &MatchingsArgs, machine: &Machine, bars: &Bars) -> Result<Answer> {
    let loaded = input::load_within(file, args.input, args.max_memory, bars)?;
    memory::check_lines(args.max_memory, &loaded.triplets)?;
    let start = Instant::now();
    let reading = Reading::default().mirror(args.mirror).drop_loops(args.drop_loops);
    let graph = WeightedGraph::read(&loaded.triplets, reading).map_err(|error| match error {
        // What is no graph is bad input: the message gets the file.
        Error::Usage(message) => Error::Input { file: file.to_path_buf(), line: 0, message },
        other => other,
    })?;
    let found = matchings(&graph, &options(args, machine), bars)?;
    bars.clear();
    Ok(Answer {
        schema: Schema::Matchings,
        file: file.display().to_string(),
        vertices: graph.n(),
        edges: graph.edge_count(),
        found,
        threads: rayon::current_num_threads(),
        // The digest costs a pass over the matrix: nobody but a reader of JSON sees it.
        digest: args.json.then(|| loaded.digest()),
        warnings: loaded.warnings.iter().cloned().chain(bars.take_warnings()).collect(),
        seconds: loaded.seconds + start.elapsed().as_secs_f64(),
        version: env!("CARGO_PKG_VERSION"),
    })
}

/// A line for each size.
fn lines(sizes: &[impl Display]) -> String {
    sizes.iter().enumerate().map(|(k, number)| format!("{k} {number}\n")).collect()
}

fn options(args: &MatchingsArgs, machine: &Machine) -> Options {
    Options::default()
        .machine(machine.clone())
        .method(args.method.into())
        .by_size(args.by_size)
        .reductions(!args.without_reductions)
        .max_memory(args.max_memory.or_else(memory::of_machine))
        .checkpoint(args.checkpoint.clone())
        .checkpoint_interval(args.checkpoint_interval)
}

/// The answer's circumstances on standard error.
fn describe(answer: &Answer, account: &Account) {
    let Answer { file, vertices, edges, found, seconds, threads, .. } = answer;
    let what = match &found.total {
        Some(total) => format!("matchings by size, {total} together"),
        None => format!("perfect matchings, {}", counted(found.perfect.magnitude().to_string().len(), "digit")),
    };
    let graph = format!("{} and {}", counted(*vertices, "vertex"), counted(*edges, "edge"));
    account.line(&format!("{file}: {what}, of {graph} ({})", found.proof.certainty().name()));
    account.line(&format!("  method   {}", found.method));
    account.line(&format!("  why      {}", found.proof));
    account.line(&format!("  seconds  {seconds:.3} on {}", counted(*threads, "thread")));
    account.path(&found.path);
}
