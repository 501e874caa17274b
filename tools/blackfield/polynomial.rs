//! `blackfield minpoly FILE -p P` and `blackfield charpoly FILE -p P`: the polynomials of a square matrix.

use crate::answer::{Asked, Grounds, Work};
use crate::args::{CharpolyArgs, MinpolyArgs, PolynomialArgs};
use crate::memory;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::answers::{self, MatrixPolynomial, RankOptions};
use blackfield::sparse::SparseMatrix;
use blackfield::{Error, Observer, Result};
use serde::Serialize;

/// The answer.
#[derive(Serialize)]
struct Found {
    degree: usize,
    coefficients: Vec<String>,
    /// Absent for a characteristic polynomial.
    #[serde(skip_serializing_if = "Option::is_none")]
    invariant_factors: Option<Option<Vec<Vec<String>>>>,
}

/// One of the two questions.
struct Question {
    name: &'static str,
    schema: Schema,
    /// Whether invariant factors are reported.
    factors: bool,
    answer: fn(&SparseMatrix, &RankOptions, &dyn Observer) -> Result<MatrixPolynomial>,
}

/// Prints the minimal polynomial.
pub fn minimal(args: &MinpolyArgs, bars: &Bars) -> Result<()> {
    let (name, schema, answer) = ("minimal polynomial", Schema::Minpoly, answers::minimal_polynomial as _);
    run(&args.polynomial, &Question { name, schema, factors: true, answer }, bars)
}

/// Prints the characteristic polynomial.
pub fn characteristic(args: &CharpolyArgs, bars: &Bars) -> Result<()> {
    let (name, schema, answer) =
        ("characteristic polynomial", Schema::Charpoly, answers::characteristic_polynomial as _);
    run(&args.polynomial, &Question { name, schema, factors: false, answer }, bars)
}

fn run(args: &PolynomialArgs, question: &Question, bars: &Bars) -> Result<()> {
    let mut work = Work::begin(&args.answer, bars)?;
    let (modulus, machine) = (args.modulus, work.options.machine.clone());
    bars.expect(Box::new(move |rows, cols, entries| {
        let order = usize::try_from(rows).ok().filter(|_| rows == cols)?;
        answers::dense_polynomial_seconds(modulus, order, usize::try_from(entries).ok()?, &machine)
    }));
    let mut loaded = work.load_rational(&args.file, args.input)?.residues(args.modulus)?;
    let (rows, cols) = (loaded.triplets.rows(), loaded.triplets.cols());
    if rows != cols {
        let message = format!("only a square matrix has a {}, this one is {rows} x {cols}", question.name);
        return Err(Error::Input { file: args.file.clone(), line: 0, message });
    }
    memory::check_lines(args.answer.max_memory, &loaded.triplets)?;
    let digest = work.digest(&loaded);
    work.keep(|| loaded.digest(), &format!("{} {}", question.name, args.modulus))?;
    let left = memory::left_beside(args.answer.max_memory, &loaded.triplets, false, args.modulus)?;
    let options = work.options.clone().proven(args.proven).max_memory(left);
    let matrix =
        work.phases.shown("reduce", work.bars, || std::mem::take(&mut loaded.triplets).into_reduced(args.modulus))?;
    let found = (question.answer)(&matrix, &options, bars)?;
    work.phases.extend(&found.phases);
    let (file, nnz, degree) = (args.file.display().to_string(), matrix.nnz(), found.degree());
    let asked = Asked { file, rows, cols, nnz, over: args.modulus.into(), digest };
    let strings = |f: &Vec<u64>| f.iter().map(u64::to_string).collect::<Vec<_>>();
    let factors = found.invariant_factors.as_ref().map(|factors| factors.iter().map(strings).collect());
    let coefficients = strings(&found.coefficients);
    let text = if args.answer.json { String::new() } else { coefficients.join("\n") + "\n" };
    let shown = Found { degree, coefficients, invariant_factors: question.factors.then_some(factors) };
    let grounds = Grounds { path: found.path, reason: found.reason, certainty: found.certainty };
    let document = work.end(question.schema, asked, shown, grounds);
    let answer = format!("{} of degree {degree} mod {}", question.name, args.modulus);
    document.describe(&args.answer, bars, &answer, &[]);
    match args.answer.json {
        true => output::print_json(&document),
        false => output::print(&text),
    }
}
