//! `blackfield solve FILE --rhs B --rational -o X`: solutions of linear systems over ℚ, or why there are none.

use crate::answer::{Asked, Contradiction, Document, Grounds, Over, Work};
use crate::args::SolveArgs;
use crate::memory;
use crate::output::{self, MatrixFile};
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::answers::{self, SolutionVector};
use blackfield::field::Modulus;
use blackfield::io::EntryList;
use blackfield::report::Certainty;
use blackfield::words::counted;
use blackfield::{Error, Result};
use serde::Serialize;

/// The answer.
#[derive(Serialize)]
struct Found {
    rhs: String,
    rhs_digest: Option<String>,
    right_sides: usize,
    consistent: bool,
    inconsistent: Vec<u32>,
    contradiction: Option<Contradiction>,
    rank: usize,
    prime: Modulus,
    digits: usize,
    numerator_bits: u64,
    denominator_bits: u64,
    output: Option<String>,
    entries: usize,
}

/// Writes the solutions, and prints whether there are any.
pub fn run(args: &SolveArgs, output: Option<MatrixFile<'_>>, bars: &Bars) -> Result<()> {
    let mut work = Work::begin(&args.answer, bars)?;
    let (a, b) = (work.load_rational(&args.file, args.text)?.matrix, work.load_rational(&args.rhs, args.text)?.matrix);
    if a.rows() != b.rows() {
        let (m, rows) = (a.rows(), b.rows());
        let message = format!("the right sides need {m} rows, as many as the matrix has; there are {rows}");
        return Err(Error::Input { file: args.rhs.clone(), line: 0, message });
    }
    let mut left = args.answer.max_memory;
    for matrix in [&a, &b] {
        memory::check_lines(args.answer.max_memory, matrix.numerators())?;
        left = memory::left_beside_integers(left, matrix.numerators())?;
    }
    let [digest, rhs_digest] = match args.answer.json {
        true => work.phases.time("digest", || [&a, &b].map(|matrix| Some(matrix.digest()))),
        false => [None, None],
    };
    work.keep(|| format!("{} {}", a.digest(), b.digest()), "solve over Q")?;
    let options = work.options.clone().max_memory(left);
    let solution = answers::rational_solve(&a, &b, &options, bars)?;
    work.phases.extend(&solution.phases);
    let of_all = |bits: fn(&SolutionVector) -> u64| solution.solutions.iter().flatten().map(bits).max().unwrap_or(0);
    let (numerator_bits, denominator_bits) = (of_all(SolutionVector::numerator_bits), of_all(|x| x.denominator.bits()));
    let mut entries = 0;
    if let (Some(output), Some(x)) = (&output, &solution.solutions) {
        entries = x.iter().map(|x| x.numerators.len()).sum();
        let list = work.phases.time("fractions", || list(a.cols(), x))?;
        work.phases.time("write", || output.write_entries(&list, bars))?;
    }
    let consistent = solution.is_consistent();
    let file = args.file.display().to_string();
    let asked = Asked { file, rows: a.rows(), cols: a.cols(), nnz: a.nnz(), over: Over::Field("Q"), digest };
    let found = Found {
        rhs: args.rhs.display().to_string(),
        rhs_digest,
        right_sides: b.cols(),
        consistent,
        inconsistent: solution.inconsistent,
        contradiction: solution.contradiction.map(|found| Contradiction {
            column: found.column,
            y: found.y.into_iter().map(|(i, v)| (i, v.to_string())).collect(),
            value: found.value.to_string(),
        }),
        rank: solution.rank.rank,
        prime: solution.modulus,
        digits: solution.digits,
        numerator_bits,
        denominator_bits,
        output: args.output.as_ref().filter(|_| consistent).map(|file| file.display().to_string()),
        entries,
    };
    let grounds = Grounds { path: solution.path, reason: solution.reason, certainty: Certainty::Proven };
    let document = work.end(Schema::Solve, asked, found, grounds);
    describe(&document, args, bars);
    match args.answer.json {
        true => output::print_json(&document),
        false => output::print(if consistent { "consistent\n" } else { "inconsistent\n" }),
    }
}

/// The columns as entries by rows.
fn list(rows: usize, columns: &[SolutionVector]) -> Result<EntryList<'static>> {
    let mut entries = vec![];
    for (x, k) in columns.iter().zip(0..) {
        entries.extend(x.fractions()?.into_iter().map(|(j, v)| (j, k, v)));
    }
    entries.sort_by_key(|(j, k, _)| (*j, *k));
    Ok(EntryList { rows, cols: columns.len(), entries })
}

/// The circumstances on standard error.
fn describe(document: &Document<Found>, args: &SolveArgs, bars: &Bars) {
    let Found { rank, digits, numerator_bits, denominator_bits, entries, contradiction, inconsistent, output, .. } =
        &document.found;
    let sizes = format!(
        "numerators of up to {}, denominators of up to {}, {} lifted",
        counted(*numerator_bits, "bit"),
        counted(*denominator_bits, "bit"),
        counted(*digits, "digit")
    );
    let line = match (contradiction, output) {
        (Some(contradiction), _) => {
            let (column, others) = (contradiction.column + 1, inconsistent.len() - 1);
            let others = if others == 0 { String::new() } else { format!(", and {others} more") };
            let ground = "a combination of rows that is 0 is not 0 there";
            ("found", format!("no solution for right side {column}{others}: {ground}"))
        }
        (None, Some(output)) => {
            ("written", format!("solutions with {} to {output}: {sizes}", counted(*entries, "entry")))
        }
        (None, None) => ("found", format!("solutions for all right sides: {sizes}")),
    };
    document.describe(&args.answer, bars, &format!("rank {rank} or more over Q"), &[line]);
}
