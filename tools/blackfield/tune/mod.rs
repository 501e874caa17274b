//! `blackfield tune`: this machine measured ([`install`]), products with one matrix ([`contest`], [`report`]), the
//! steps to its rank against their predictions ([`check`]).

mod check;
mod contest;
mod contestants;
mod document;
mod install;
mod report;

use crate::args::TuneArgs;
use crate::input;
use crate::output;
use crate::profile;
use crate::progress::Bars;
use blackfield::{Error, Result};

/// What the arguments ask for.
pub fn run(args: &TuneArgs, bars: &Bars) -> Result<()> {
    let Some(file) = &args.file else { return install::run(args, bars) };
    output::check_outputs(&[("--report", &args.report)], &[file])?;
    let machine = profile::find(&args.profile, bars)?.machine;
    let loaded = input::load(file, args.input, bars)?;
    if args.check {
        let matrix = loaded.triplets.compact()?.matrix.try_reduce(args.modulus)?;
        return check::run(args, &matrix, machine, bars);
    }
    let compact = loaded.triplets.compact()?.matrix;
    let matrix = compact.try_reduce(args.modulus)?;
    if matrix.nnz() == 0 {
        let message = format!("no entry is left mod {}: there is no product to time", args.modulus);
        return Err(Error::Input { file: file.clone(), line: 0, message });
    }
    let contest = contest::run(args, &matrix, bars)?;
    if !args.json {
        contest.print(args)?;
    }
    if let Some(to) = &args.report {
        report::write(to, args, &compact, &matrix, &machine, &contest, bars)?;
    }
    if args.json { document::print_products(args, &matrix, &contest) } else { Ok(()) }
}
