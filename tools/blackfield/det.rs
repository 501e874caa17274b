//! `blackfield det FILE -p P`: the determinant of a square matrix.

use crate::answer::{Asked, Grounds, Work};
use crate::args::DetArgs;
use crate::memory;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::answers::{self, Determinant};
use blackfield::{Error, Result};
use serde::Serialize;

/// The answer.
#[derive(Serialize)]
struct Found {
    det: String,
    rank: usize,
}

/// Prints the determinant.
pub fn run(args: &DetArgs, bars: &Bars) -> Result<()> {
    let mut work = Work::begin(&args.answer, bars)?;
    let mut loaded = work.load(&args.file, args.pattern)?;
    let (rows, cols) = (loaded.triplets.rows(), loaded.triplets.cols());
    if rows != cols {
        let message = format!("a determinant is of a square matrix, this one is {rows} x {cols}");
        return Err(Error::Input { file: args.file.clone(), line: 0, message });
    }
    memory::check_lines(args.answer.max_memory, &loaded.triplets)?;
    let digest = work.digest(&loaded);
    let left = memory::left_beside(args.answer.max_memory, &loaded.triplets, false, args.modulus)?;
    let options = work.options.clone().proven(args.proven).max_memory(left);
    let matrix = work.phases.time("reduce", || std::mem::take(&mut loaded.triplets).into_reduced(args.modulus))?;
    let Determinant { value, rank, certainty, .. } = answers::determinant(&matrix, &options, bars)?;
    work.phases.extend(&rank.phases);
    let (file, nnz) = (args.file.display().to_string(), matrix.nnz());
    let asked = Asked { file, rows, cols, nnz, over: args.modulus.into(), digest };
    let reason = format!("rank {} of {rows}: {}", rank.rank, rank.reason);
    let found = Found { det: value.to_string(), rank: rank.rank };
    let document = work.end(Schema::Det, asked, found, Grounds { path: rank.path, reason, certainty });
    document.describe(&args.answer, bars, &format!("determinant {value} mod {}", args.modulus), &[]);
    match args.answer.json {
        true => output::print_json(&document),
        false => output::print(&format!("{value}\n")),
    }
}
