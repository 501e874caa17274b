//! `blackfield info FILE`: what a matrix looks like, how it would be stored, and a picture of it.

use crate::args::InfoArgs;
use crate::input;
use crate::output;
use crate::profile;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::field::Modulus;
use blackfield::sparse::{Statistics, spy};
use blackfield::spmv::{Plan, pass_seconds};
use blackfield::{Error, Result};
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
    modulus: Modulus,
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

/// Prints the facts; draws the picture if asked.
pub fn run(args: &InfoArgs, bars: &Bars) -> Result<()> {
    let prices = profile::find(&args.profile, bars)?;
    let loaded = input::load(&args.file, args.pattern, bars)?;
    if let Some(file) = &args.spy {
        std::fs::write(file, spy(&loaded.triplets, args.spy_size))
            .map_err(|source| Error::Io { file: file.clone(), source })?;
    }
    let statistics = Statistics::of(&loaded.triplets);
    // The plan is that of the non-empty lines, where most are empty.
    let matrix = loaded.triplets.compact()?.matrix.try_reduce(args.modulus)?;
    let plan = Plan::choose(&matrix, &args.formats.plan_options())?;
    let (rows, nnz, valued) = (matrix.rows(), matrix.nnz(), matrix.valued());
    let seconds = pass_seconds(&prices.machine.passes, args.modulus, rows, nnz, valued, VECTORS);
    let predicted = Predicted { vectors: VECTORS, seconds, profile: prices.file };
    let digest = loaded.digest();
    if args.json {
        return output::print_json(&Info {
            schema: Schema::Info,
            file: args.file.display().to_string(),
            digest,
            statistics,
            modulus: args.modulus,
            plan,
            predicted,
            seconds: loaded.seconds,
            version: env!("CARGO_PKG_VERSION"),
        });
    }
    output::print(&format!(
        "{statistics}\ndigest {digest}\n\nplan mod {}\n{plan}- a product with {VECTORS} vectors is predicted to take {seconds:.3} s of one \
         thread\n\n",
        args.modulus
    ))
}
