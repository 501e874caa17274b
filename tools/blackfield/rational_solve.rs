//! `blackfield solve FILE --rhs B --rational -o X`: solutions of linear systems over ℚ, or why there are none.

use crate::answer::{Asked, Contradiction, Document, Grounds, Over, Work};
use crate::args::SolveArgs;
use crate::memory;
use crate::output::MatrixFile;
use crate::progress::Bars;
use crate::schema::Schema;
use crate::solve::{Found, Lifted};
use blackfield::answers::{self, SolutionVector};
use blackfield::io::EntryList;
use blackfield::report::Certainty;
use blackfield::{Error, Observer, Result};

/// Solutions, written, or why there are none.
pub fn solve(args: &SolveArgs, output: Option<MatrixFile<'_>>, bars: &Bars) -> Result<Document<Found>> {
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
        true => work.phases.shown("digest", work.bars, || [&a, &b].map(|matrix| Some(matrix.digest()))),
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
        let list = work.phases.time("fractions", || list(a.cols(), x, bars))?;
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
        contradiction: solution.contradiction.map(|found| Contradiction::of(found.column, found.y, found.value)),
        rank: solution.rank.rank,
        lifted: Some(Lifted { prime: solution.modulus, digits: solution.digits, numerator_bits, denominator_bits }),
        output: args.output.as_ref().filter(|_| consistent).map(|file| file.display().to_string()),
        entries,
        random: None,
    };
    let grounds = Grounds { path: solution.path, reason: solution.reason, certainty: Certainty::Proven };
    Ok(work.end(Schema::Solve, asked, found, grounds))
}

/// The columns as entries by rows.
fn list(rows: usize, columns: &[SolutionVector], bars: &Bars) -> Result<EntryList<'static>> {
    let mut entries = vec![];
    bars.phase("fractions", columns.len() as u64);
    for (x, k) in columns.iter().zip(0..) {
        bars.check()?;
        bars.progress(u64::from(k));
        entries.extend(x.fractions()?.into_iter().map(|(j, v)| (j, k, v)));
    }
    entries.sort_by_key(|(j, k, _)| (*j, *k));
    Ok(EntryList { rows, cols: columns.len(), entries })
}
