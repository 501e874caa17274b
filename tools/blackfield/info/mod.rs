//! `blackfield info FILE`: what a matrix looks like, its block triangular form, how its rank would be found, how it
//! would be stored, pictures of it, and all that on a page.

mod report;
mod text;

use crate::args::InfoArgs;
use crate::input;
use crate::output;
use crate::picture;
use crate::profile;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::Result;
use blackfield::answers::{RankOptions, RankPlan, rank_plan};
use blackfield::field::Modulus;
use blackfield::matching::BlockForm;
use blackfield::sparse::Statistics;
use blackfield::spmv::{Plan, pass_seconds, row_seconds};
use serde::Serialize;
use std::path::PathBuf;

/// Vectors of the block whose product is predicted.
const VECTORS: usize = 16;

/// The document of --json.
#[derive(Serialize)]
struct Info {
    schema: Schema,
    file: String,
    digest: String,
    #[serde(flatten)]
    statistics: Statistics,
    blocks: BlockForm,
    modulus: Modulus,
    rank_plan: RankPlan,
    plan: Plan,
    predicted: Predicted,
    seconds: f64,
    version: &'static str,
}

/// What a product of the plan is predicted to take.
#[derive(Serialize)]
struct Predicted {
    /// Of the block.
    vectors: usize,
    /// Seconds of one thread.
    seconds: f64,
    /// Where the prices are from; `None`: built in.
    profile: Option<PathBuf>,
}

/// Prints the facts; draws pictures and writes a page if asked.
pub fn run(args: &InfoArgs, bars: &Bars) -> Result<()> {
    [&args.spy, &args.histogram].into_iter().flatten().try_for_each(|to| picture::check(to))?;
    let outputs = [("--spy", &args.spy), ("--histogram", &args.histogram), ("--report", &args.report)];
    output::check_outputs(&outputs, &[&args.file])?;
    let prices = profile::find(&args.profile, bars)?;
    let loaded = input::load(&args.file, args.input, bars)?;
    let name = args.file.file_name().unwrap_or("-".as_ref()).to_string_lossy().into_owned();
    let statistics = Statistics::of(&loaded.triplets);
    if let Some(to) = &args.spy {
        picture::write(to, &picture::spy(&loaded.triplets, &name, args.spy_size))?;
    }
    if let Some(to) = &args.histogram {
        picture::write(to, &picture::weights(&statistics, &name))?;
    }
    let blocks = BlockForm::of(&loaded.triplets)?;
    // The plans are those of the non-empty lines, where most are empty.
    let matrix = loaded.triplets.compact()?.matrix.try_reduce(args.modulus)?;
    let options = RankOptions::default().machine(prices.machine.clone());
    let rank_plan = rank_plan(&matrix, &options, bars)?;
    bars.clear();
    let plan = Plan::choose(&matrix, &args.formats.plan_options().width(VECTORS))?;
    let (rows, nnz, valued) = (matrix.rows(), matrix.nnz(), matrix.valued());
    let passes = &prices.machine.passes;
    let pass = pass_seconds(passes, args.modulus, rows, nnz, valued, VECTORS);
    let seconds = pass + row_seconds(passes, rows, VECTORS);
    let predicted = Predicted { vectors: VECTORS, seconds, profile: prices.file };
    let info = Info {
        schema: Schema::Info,
        file: args.file.display().to_string(),
        digest: loaded.digest(),
        statistics,
        blocks,
        modulus: args.modulus,
        rank_plan,
        plan,
        predicted,
        seconds: loaded.seconds,
        version: env!("CARGO_PKG_VERSION"),
    };
    if let Some(to) = &args.report {
        report::write(to, &info, &name, &loaded.triplets, &matrix, &prices.machine, bars)?;
    }
    if args.json { output::print_json(&info) } else { output::print(&text::of(&info)) }
}
