//! `blackfield info FILE`: what a matrix looks like, how it would be stored, and a picture of it.

use crate::args::InfoArgs;
use crate::input;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::field::Modulus;
use blackfield::sparse::{Statistics, spy};
use blackfield::spmv::Plan;
use blackfield::{Error, Result};
use serde::Serialize;

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
    seconds: f64,
    version: &'static str,
}

/// Prints the facts; draws the picture if asked.
pub fn run(args: &InfoArgs, bars: &Bars) -> Result<()> {
    let loaded = input::load(&args.file, args.pattern, bars)?;
    if let Some(file) = &args.spy {
        std::fs::write(file, spy(&loaded.triplets, args.spy_size))
            .map_err(|source| Error::Io { file: file.clone(), source })?;
    }
    let statistics = Statistics::of(&loaded.triplets);
    // The plan is that of the non-empty lines, where most are empty.
    let matrix = loaded.triplets.compact()?.matrix.try_reduce(args.modulus)?;
    let plan = Plan::choose(&matrix, &args.formats.plan_options())?;
    let digest = loaded.digest();
    if args.json {
        return output::print_json(&Info {
            schema: Schema::Info,
            file: args.file.display().to_string(),
            digest,
            statistics,
            modulus: args.modulus,
            plan,
            seconds: loaded.seconds,
            version: env!("CARGO_PKG_VERSION"),
        });
    }
    output::print(&format!("{statistics}\ndigest {digest}\n\nplan mod {}\n{plan}\n", args.modulus))
}
