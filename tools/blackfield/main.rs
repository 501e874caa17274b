//! The program `blackfield`: the library's answers on a command line.
//!
//! One file is one idea. [`args`] says what may be typed and has no effects; each subcommand has a file of its own that
//! first resolves its arguments (draws a seed, asks for a device) and then runs; supported by [`output`] (standard
//! output), [`progress`] (standard error and the terminal's bars), [`signals`] (Ctrl-C) and [`exit`] (what the exit
//! codes mean), and [`allocator`] (what happens when memory runs out). Only this program prints, makes a thread pool or
//! ends the process: the library does none of that.

mod account;
mod allocator;
mod answer;
mod args;
mod batch;
mod bench;
mod budget;
mod certificate;
mod checkpoint;
mod completions;
mod convert;
mod det;
mod dry_run;
mod exit;
mod generate;
mod homology;
mod info;
mod input;
mod kernel;
mod large;
mod man;
mod matchings;
mod memory;
mod output;
mod page;
mod permanent;
mod picture;
mod polynomial;
mod profile;
mod progress;
mod rank;
mod rank_primes;
mod rational;
mod rational_solve;
mod rref;
mod schema;
mod seed;
mod signals;
mod smith;
mod solve;
mod threads;
mod tune;
mod usage;
mod verify;
mod verify_answer;
mod version;
mod words;

use args::{Cli, Command};
use blackfield::Result;
use clap::Parser;
use exit::Code;
use std::process::ExitCode;

fn main() -> ExitCode {
    exit::announce_panics();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage::end(error).into(),
    };
    let json = cli.command.json();
    if json {
        exit::speak_json();
    }
    if let Some(bytes) = cli.command.max_memory() {
        budget::limit(bytes);
    }
    if cli.command.dry_run() {
        dry_run::ask();
    }
    let name = cli.command.name();
    exit::guard(json, || dry_run::conclude(name, json, run(cli.command))).into()
}

fn run(command: Command) -> Result<Code> {
    match command {
        Command::Rank(args) => threads::within(args.common, |bars| rank::run(&args, bars)),
        Command::Verify(args) => threads::within(args.common, |bars| verify::run(&args, bars)),
        Command::Kernel(args) => threads::within(args.answer.common, |bars| kernel::run(&args, bars)),
        Command::Solve(args) => threads::within(args.answer.common, |bars| solve::run(&args, bars)),
        Command::Rref(args) => threads::within(args.answer.common, |bars| rref::run(&args, bars)),
        Command::Det(args) => threads::within(args.answer.common, |bars| det::run(&args, bars)),
        Command::Smith(args) => threads::within(args.answer.common, |bars| smith::run(&args, bars)),
        Command::Minpoly(args) => {
            threads::within(args.polynomial.answer.common, |bars| polynomial::minimal(&args, bars))
        }
        Command::Charpoly(args) => {
            threads::within(args.polynomial.answer.common, |bars| polynomial::characteristic(&args, bars))
        }
        Command::Homology(args) => threads::within(args.answer.common, |bars| homology::run(&args, bars)),
        Command::Permanent(args) => threads::within(args.common, |bars| permanent::run(&args, bars)),
        Command::Matchings(args) => threads::within(args.common, |bars| matchings::run(&args, bars)),
        Command::Info(args) => threads::within(args.common, |bars| info::run(&args, bars)),
        Command::Tune(args) => threads::within(args.common, |bars| tune::run(&args, bars)),
        Command::Bench(args) => threads::within(args.common, |bars| bench::run(&args, bars)),
        Command::Convert(args) => threads::within(args.common, |bars| convert::run(&args, bars)),
        Command::Generate(args) => threads::within(args.common, |bars| generate::run(&args, bars)),
        Command::Completions(args) => completions::run(&args).map(Code::from),
        Command::Man(args) => man::run(&args).map(Code::from),
    }
}
