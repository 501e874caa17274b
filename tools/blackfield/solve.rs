//! `blackfield solve FILE --rhs B -p P -o X`: solutions of linear systems mod p, or why there are none.

use crate::answer::{Asked, Contradiction, Document, Grounds, Work};
use crate::args::{Prime, SolveArgs};
use crate::input::{self, Loaded, Rational};
use crate::large;
use crate::memory;
use crate::output::{self, MatrixFile};
use crate::progress::Bars;
use crate::rational_solve;
use crate::schema::Schema;
use blackfield::answers::{self, SolveOptions};
use blackfield::field::Modulus;
use blackfield::large::LargeModulus;
use blackfield::sparse::{SparseMatrix, Triplets};
use blackfield::words::counted;
use blackfield::{Error, Result};
use serde::Serialize;

/// The answer.
#[derive(Serialize)]
pub struct Found {
    pub rhs: String,
    pub rhs_digest: Option<String>,
    pub right_sides: usize,
    pub consistent: bool,
    pub inconsistent: Vec<u32>,
    pub contradiction: Option<Contradiction>,
    pub rank: usize,
    #[serde(flatten)]
    pub lifted: Option<Lifted>,
    pub output: Option<String>,
    pub entries: usize,
    /// Mod p.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<bool>,
}

/// How solutions over the rationals were found, and how large they are.
#[derive(Serialize)]
pub struct Lifted {
    pub prime: Modulus,
    pub digits: usize,
    pub numerator_bits: u64,
    pub denominator_bits: u64,
}

/// Writes the solutions, and prints whether there are any.
pub fn run(args: &SolveArgs, bars: &Bars) -> Result<()> {
    input::check_stdin_once(&[&args.file, &args.rhs])?;
    let output = resolve(args)?;
    match &args.modulus {
        Some(Prime::Word(modulus)) => run_mod(args, *modulus, output, bars),
        Some(Prime::Large(modulus)) => run_large(args, modulus, output, bars),
        None => finish(&rational_solve::solve(args, output, bars)?, args, bars),
    }
}

fn run_mod(args: &SolveArgs, modulus: Modulus, output: Option<MatrixFile<'_>>, bars: &Bars) -> Result<()> {
    let mut work = Work::begin(&args.answer, bars)?;
    let (mut matrix, mut right) = load(args, &mut work, |loaded| loaded.residues(modulus))?;
    let (digest, rhs_digest) = (work.digest(&matrix), work.digest(&right));
    let of_both = || format!("{} {}", matrix.digest(), right.digest());
    work.keep(of_both, &format!("solve {modulus}"))?;
    // Matrix and right sides, as they are and side by side.
    let mut left = args.answer.max_memory;
    for loaded in [&matrix, &right, &matrix, &right] {
        left = memory::left_beside(left, &loaded.triplets, false, modulus)?;
    }
    let options = SolveOptions::default()
        .random(args.random)
        .rank(work.options.clone().max_memory(left).method(args.method.into()));
    let phases = &mut work.phases;
    let mut reduce =
        |loaded: &mut Loaded| phases.time("reduce", || std::mem::take(&mut loaded.triplets).into_reduced(modulus));
    let (a, b) = (reduce(&mut matrix)?, reduce(&mut right)?);
    let solution = answers::solve(&a, &b, &options, bars)?;
    phases.extend(&solution.rank.phases);
    let mut entries = 0;
    if let (Some(output), Some(x)) = (&output, &solution.solutions) {
        entries = x.nnz();
        phases.time("write", || output.write(&triplets(x)?, bars))?;
    }
    let grounds = Grounds::from(&solution.rank);
    let consistent = solution.is_consistent();
    let file = args.file.display().to_string();
    let asked = Asked { file, rows: a.rows(), cols: a.cols(), nnz: a.nnz(), over: modulus.into(), digest };
    let found = Found {
        rhs: args.rhs.display().to_string(),
        rhs_digest,
        right_sides: b.cols(),
        consistent,
        output: args.output.as_ref().filter(|_| consistent).map(|file| file.display().to_string()),
        inconsistent: solution.inconsistent,
        contradiction: solution.contradiction.map(|found| Contradiction::of(found.column, found.y, found.value)),
        rank: solution.rank.rank,
        lifted: None,
        entries,
        random: Some(args.random),
    };
    finish(&work.end(Schema::Solve, asked, found, grounds), args, bars)
}

/// The same modulo a prime beyond 2⁶³.
fn run_large(args: &SolveArgs, modulus: &LargeModulus, output: Option<MatrixFile<'_>>, bars: &Bars) -> Result<()> {
    let mut work = Work::begin(&args.answer, bars)?;
    let loaded = load(args, &mut work, Rational::integers)?;
    finish(&large::solve(args, modulus, work, loaded, output)?, args, bars)
}

/// Matrix and right sides, as `integers` makes them of what may be fractions.
fn load(
    args: &SolveArgs,
    work: &mut Work<'_>,
    integers: impl Fn(Rational) -> Result<Loaded>,
) -> Result<(Loaded, Loaded)> {
    let mut read = |file| integers(work.load_rational(file, args.text)?);
    let (matrix, right) = (read(&args.file)?, read(&args.rhs)?);
    if right.triplets.rows() != matrix.triplets.rows() {
        let [m, rows] = [&matrix, &right].map(|loaded| loaded.triplets.rows());
        let message = format!("the right sides need {m} rows, as many as the matrix has; there are {rows}");
        return Err(Error::Input { file: args.rhs.clone(), line: 0, message });
    }
    memory::check_lines(args.answer.max_memory, &matrix.triplets)?;
    memory::check_lines(args.answer.max_memory, &right.triplets)?;
    Ok((matrix, right))
}

/// Says and prints what was found.
fn finish(document: &Document<Found>, args: &SolveArgs, bars: &Bars) -> Result<()> {
    describe(document, args, bars);
    match args.answer.json {
        true => output::print_json(document),
        false => output::print(if document.found.consistent { "consistent\n" } else { "inconsistent\n" }),
    }
}

/// Where the solutions will go: nothing is opened yet, and a wrong name is refused before any work.
fn resolve(args: &SolveArgs) -> Result<Option<MatrixFile<'_>>> {
    let Some(file) = &args.output else { return Ok(None) };
    if file.as_os_str() == "-" {
        return Err(Error::Usage("standard output has the answer: name a file for the solutions".into()));
    }
    output::check_is_no_input("--output", file, &args.file)?;
    output::check_is_no_input("--output", file, &args.rhs)?;
    if args.modulus.is_none() {
        output::check_takes_fractions(file)?;
    }
    MatrixFile::resolve(file, None).map(Some)
}

/// Residues as integers.
fn triplets(x: &SparseMatrix) -> Result<Triplets> {
    let row = |i: usize| x.row(i).0.iter().zip(x.row(i).1).map(move |(&k, &v)| (i, k as usize, v as i64));
    Triplets::try_from_entries(x.rows(), x.cols(), (0..x.rows()).flat_map(row))
}

/// The circumstances on standard error.
fn describe(document: &Document<Found>, args: &SolveArgs, bars: &Bars) {
    let Found { rank, lifted, entries, contradiction, inconsistent, output, .. } = &document.found;
    let how = lifted.as_ref().map_or(", checked by multiplication".into(), |lifted| {
        format!(
            ": numerators of up to {}, denominators of up to {}, {} lifted",
            counted(lifted.numerator_bits, "bit"),
            counted(lifted.denominator_bits, "bit"),
            counted(lifted.digits, "digit")
        )
    });
    let line = match (contradiction, output) {
        (Some(contradiction), _) => {
            let (column, others) = (contradiction.column + 1, inconsistent.len() - 1);
            let others = if others == 0 { String::new() } else { format!(", and {others} more") };
            let ground = "a combination of rows that is 0 is not 0 there";
            ("found", format!("no solution for right side {column}{others}: {ground}"))
        }
        (None, Some(output)) => ("written", format!("solutions with {} to {output}{how}", counted(*entries, "entry"))),
        (None, None) => ("found", format!("solutions for all right sides{how}")),
    };
    let over = args.modulus.as_ref().map_or(" or more over Q".into(), |modulus| format!(" mod {modulus}"));
    document.describe(&args.answer, bars, &format!("rank {rank}{over}"), &[line]);
}
