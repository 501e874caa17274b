//! `blackfield det FILE [-p P]`: the determinant of a square matrix, mod p or over the integers.

use crate::answer::{Asked, Grounds, Over, Work};
use crate::args::DetArgs;
use crate::memory;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::answers::{self, Determinant};
use blackfield::field::Modulus;
use blackfield::num_bigint::{BigInt, BigUint};
use blackfield::sparse::Fraction;
use blackfield::words::counted;
use blackfield::{Error, Result};
use serde::Serialize;

/// The answer mod p.
#[derive(Serialize)]
struct Found {
    det: String,
    rank: usize,
}

/// The answer over ℤ, or ℚ.
#[derive(Serialize)]
struct FoundInteger {
    det: String,
    bits: u64,
    rank: usize,
    divisor_bits: u64,
    primes: usize,
    hadamard_bits: f64,
}

/// Prints the determinant.
pub fn run(args: &DetArgs, bars: &Bars) -> Result<()> {
    match args.modulus {
        Some(modulus) => run_mod(args, modulus, bars),
        None => run_integers(args, bars),
    }
}

/// # Errors
/// [`Error::Input`] unless the matrix is square.
fn check_square(args: &DetArgs, rows: usize, cols: usize) -> Result<()> {
    let message = format!("only a square matrix has a determinant, this one is {rows} x {cols}");
    if rows == cols { Ok(()) } else { Err(Error::Input { file: args.file.clone(), line: 0, message }) }
}

fn run_integers(args: &DetArgs, bars: &Bars) -> Result<()> {
    let mut work = Work::begin(&args.answer, bars)?;
    let loaded = work.load_rational(&args.file, args.input)?;
    let (matrix, rows, cols) = (loaded.matrix.numerators(), loaded.matrix.rows(), loaded.matrix.cols());
    check_square(args, rows, cols)?;
    memory::check_lines(args.answer.max_memory, matrix)?;
    let digest = args.answer.json.then(|| work.phases.shown("digest", work.bars, || loaded.matrix.digest()));
    let left = memory::left_beside_integers(args.answer.max_memory, matrix)?;
    work.keep(|| loaded.matrix.digest(), "det")?;
    let options = work.options.clone().proven(args.proven).max_memory(left);
    let found = answers::integer_determinant(matrix, &options, bars)?;
    work.phases.extend(&found.phases);
    let denominator: BigUint = loaded.matrix.denominators().map(|(_, d)| d).product();
    let bits = found.value.bits();
    let det = Fraction::new(found.value.into(), BigInt::from(denominator).into()).expect("denominators are positive");
    let det = det.to_string();
    let (file, nnz) = (args.file.display().to_string(), matrix.nnz());
    let over = Over::Field(if loaded.matrix.is_integral() { "Z" } else { "Q" });
    let (rank, primes, hadamard_bits) = (found.rank, found.primes, found.hadamard_bits);
    let divisor_bits = found.divisor.bits();
    let answer = FoundInteger { det, bits, rank, divisor_bits, primes, hadamard_bits };
    let grounds = Grounds { path: found.path, reason: found.reason, certainty: found.certainty };
    let asked = Asked { file, rows, cols, nnz, over, digest };
    let document = work.end(Schema::Det, asked, answer, grounds);
    document.describe(&args.answer, bars, &format!("a determinant of {}", counted(bits, "bit")), &[]);
    match args.answer.json {
        true => output::print_json(&document),
        false => output::print(&format!("{}\n", document.found.det)),
    }
}

fn run_mod(args: &DetArgs, modulus: Modulus, bars: &Bars) -> Result<()> {
    let mut work = Work::begin(&args.answer, bars)?;
    let mut loaded = work.load_rational(&args.file, args.input)?.residues(modulus)?;
    let (rows, cols) = (loaded.triplets.rows(), loaded.triplets.cols());
    check_square(args, rows, cols)?;
    memory::check_lines(args.answer.max_memory, &loaded.triplets)?;
    let digest = work.digest(&loaded);
    work.keep(|| loaded.digest(), &format!("det {modulus}"))?;
    let left = memory::left_beside(args.answer.max_memory, &loaded.triplets, false, modulus)?;
    let options = work.options.clone().proven(args.proven).max_memory(left);
    let matrix =
        work.phases.shown("reduce", work.bars, || std::mem::take(&mut loaded.triplets).into_reduced(modulus))?;
    let Determinant { value, rank, certainty, .. } = answers::determinant(&matrix, &options, bars)?;
    work.phases.extend(&rank.phases);
    let (file, nnz) = (args.file.display().to_string(), matrix.nnz());
    let asked = Asked { file, rows, cols, nnz, over: modulus.into(), digest };
    let reason = format!("rank {} of {rows}: {}", rank.rank, rank.reason);
    let found = Found { det: value.to_string(), rank: rank.rank };
    let document = work.end(Schema::Det, asked, found, Grounds { path: rank.path, reason, certainty });
    document.describe(&args.answer, bars, &format!("determinant {value} mod {modulus}"), &[]);
    match args.answer.json {
        true => output::print_json(&document),
        false => output::print(&format!("{value}\n")),
    }
}
