//! `blackfield convert IN OUT`: the same matrix in another format, transposed or reduced mod p if asked; fractions
//! stay.

use crate::args::ConvertArgs;
use crate::input;
use crate::output::{self, MatrixFile};
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::Result;
use blackfield::field::Modulus;
use serde::Serialize;
use std::time::Instant;

/// The document of --json.
#[derive(Serialize)]
struct Converted {
    schema: Schema,
    file: String,
    output: String,
    rows: usize,
    cols: usize,
    nnz: usize,
    modulus: Option<Modulus>,
    transpose: bool,
    pattern: bool,
    digest: String,
    warnings: Vec<String>,
    seconds: f64,
    version: &'static str,
}

/// Reads IN and writes OUT.
pub fn run(args: &ConvertArgs, bars: &Bars) -> Result<()> {
    let start = Instant::now();
    output::check_leaves_stdout(args.json, &args.output, "matrix")?;
    let output = MatrixFile::resolve(&args.output, args.to)?;
    let mut loaded = input::load_rational(&args.input, args.reading, None, bars)?;
    if let Some(modulus) = args.modulus {
        loaded.check(modulus)?;
        loaded.matrix = loaded.matrix.residues(modulus)?.into();
    }
    if args.transpose {
        loaded.matrix = loaded.matrix.transpose()?;
    }
    output.write_rational(&loaded.matrix, bars)?;
    if !args.json {
        return Ok(());
    }
    output::print_json(&Converted {
        schema: Schema::Convert,
        file: args.input.display().to_string(),
        output: args.output.display().to_string(),
        rows: loaded.matrix.rows(),
        cols: loaded.matrix.cols(),
        nnz: loaded.matrix.nnz(),
        modulus: args.modulus,
        transpose: args.transpose,
        pattern: args.reading.pattern,
        digest: loaded.matrix.digest(),
        warnings: loaded.warnings.into_iter().chain(bars.take_warnings()).collect(),
        seconds: start.elapsed().as_secs_f64(),
        version: env!("CARGO_PKG_VERSION"),
    })
}
