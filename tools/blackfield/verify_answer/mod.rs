//! `blackfield verify ANSWER.json FILE…`: whether the answer that a JSON document gives is one, checked by other means
//! than it was found by: multiplied out where vectors were written, by ranks and residues mod other primes elsewhere.
//!
//! | answer | files | what is checked |
//! | --- | --- | --- |
//! | kernel | A N | A·N = 0; columns of a basis are independent, and as many as the rank leaves |
//! | solve | A B X, or A B | A·X = B; or y·A = 0 and y·b ≠ 0 for the y of the document |
//! | rref | A R | R is in that form, A = A\[pivots\]·R, and the rank is no smaller |
//! | det | A | residues mod other primes; mod p, computed again with other random choices |
//! | minpoly, charpoly | A | computed again with other random choices |
//! | smith | A | each factor divides the next; ranks mod its primes, small and random ones; computed again with other random choices; det of a square A |
//! | homology | D1 D2 …, or facets | ranks mod the primes of the torsion, small and random ones, by universal coefficients; torsion computed again |

mod document;
mod exact;
mod integral;
mod large;
mod modular;

pub use document::is_document;

use crate::args::{InputArgs, VerifyArgs};
use crate::exit::Code;
use crate::input;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::report::{Certainty, ErrorBound};
use blackfield::sparse::RationalMatrix;
use blackfield::{Error, Result};
use document::Answer;
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// One claim that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    claim: String,
    by: &'static str,
    #[serde(flatten)]
    certainty: Certainty,
}

impl Check {
    /// A claim that was shown in exact arithmetic.
    fn proven(claim: impl Into<String>, by: &'static str) -> Check {
        Check { claim: claim.into(), by, certainty: Certainty::Proven }
    }
    /// One that a wrong answer passes with at most this probability.
    fn bounded(claim: impl Into<String>, by: &'static str, error_bound: ErrorBound) -> Check {
        Check { claim: claim.into(), by, certainty: Certainty::MonteCarlo { error_bound } }
    }
    /// One that a wrong answer is not expected to pass.
    fn expected(claim: impl Into<String>, by: &'static str) -> Check {
        Check { claim: claim.into(), by, certainty: Certainty::Heuristic }
    }
    /// One that is as sure as the answer with which it was compared.
    fn as_sure(claim: impl Into<String>, by: &'static str, certainty: Certainty) -> Check {
        Check { claim: claim.into(), by, certainty }
    }
}

/// The document of --json.
#[derive(Serialize)]
struct Document {
    schema: Schema,
    answer: String,
    files: Vec<String>,
    about: Option<String>,
    verdict: bool,
    checks: Vec<Check>,
    #[serde(flatten)]
    certainty: Option<Certainty>,
    reason: Option<String>,
    code: u8,
    seconds: f64,
    version: &'static str,
}

/// What there is to check an answer with.
pub struct Work<'a> {
    args: &'a VerifyArgs,
    answer: Answer,
    bars: &'a Bars,
}

impl Work<'_> {
    /// File `k` after the answer, the first of which has to be what was asked about.
    fn matrix(&self, k: usize) -> Result<RationalMatrix> {
        let file = &self.args.files[k];
        let matrix = input::load_rational(
            file,
            InputArgs { pattern: self.args.input.pattern && k == 0, ..self.args.input },
            None,
            self.bars,
        )?
        .matrix;
        if k == 0 {
            self.answer.check_digest("digest", &matrix.digest(), file)?;
        }
        Ok(matrix)
    }
    /// # Errors
    /// [`Error::Usage`] unless there are so many files.
    fn expect_files(&self, count: usize, what: &str) -> Result<()> {
        let given = self.args.files.len();
        let message = format!("to verify this answer takes the files {what}: {given} were given");
        if given == count { Ok(()) } else { Err(Error::Usage(message)) }
    }
}

/// Prints the verdict.
pub fn run(args: &VerifyArgs, bars: &Bars) -> Result<()> {
    let start = Instant::now();
    input::check_stdin_once(&args.files)?;
    let mut about = None;
    let ending = judge(args, &mut about, bars);
    bars.clear();
    let (checks, error) = match ending {
        Ok(checks) => (checks, None),
        Err(error @ Error::Refuted(_)) => (vec![], Some(error)),
        Err(Error::Input { file, line, message }) if file == args.certificate => {
            (vec![], Some(Error::Input { file, line, message }))
        }
        Err(other) => return Err(other),
    };
    let certainty = checks.iter().map(|check| check.certainty).reduce(Certainty::and);
    let document = Document {
        schema: Schema::VerifyAnswer,
        answer: args.certificate.display().to_string(),
        files: args.files.iter().map(|file| file.display().to_string()).collect(),
        about,
        verdict: error.is_none(),
        certainty: certainty.filter(|_| error.is_none()),
        checks,
        reason: error.as_ref().map(Error::to_string),
        code: error.as_ref().map_or(0, |error| Code::of(error) as u8),
        seconds: start.elapsed().as_secs_f64(),
        version: env!("CARGO_PKG_VERSION"),
    };
    for Check { claim, by, certainty } in &document.checks {
        bars.note(&format!("  {claim}: {by} ({})", output::sure(*certainty)));
    }
    if args.json {
        output::print_json(&document)?;
    } else if let Some(certainty) = document.certainty {
        let what = document.about.as_deref().unwrap_or("answer");
        output::print(&format!("{what} holds ({})\n", output::sure(certainty)))?;
    }
    error.map_or(Ok(()), Err)
}

fn judge(args: &VerifyArgs, about: &mut Option<String>, bars: &Bars) -> Result<Vec<Check>> {
    let work = Work { args, answer: Answer::read(&args.certificate)?, bars };
    let kind = work.answer.kind()?;
    *about = Some(kind.clone());
    let large = large::modulus(&work)?;
    match (kind.as_str(), &large) {
        ("kernel", Some(p)) => large::kernel(&work, p),
        ("solve", Some(p)) => large::solve(&work, p),
        (kind, _) => judge_by_words(&work, kind),
    }
}

/// The same for what is not modulo a prime beyond 2⁶³.
fn judge_by_words(work: &Work<'_>, kind: &str) -> Result<Vec<Check>> {
    match kind {
        "kernel" => modular::kernel(work),
        "solve" if work.answer.has("modulus") => modular::solve(work),
        "solve" => integral::solve(work),
        "rref" => modular::rref(work),
        "det" if !work.answer.has("modulus") => integral::determinant(work),
        "det" | "minpoly" | "charpoly" => modular::again(work, kind),
        "smith" => integral::smith(work),
        "homology" => integral::homology(work),
        other => Err(work.answer.refuse(format!("a document about {other}, which is not verified by this program"))),
    }
}

/// A refusal of a claim.
fn refuted<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::Refuted(why.into()))
}

/// The name of a file in a message.
fn name(file: &Path) -> String {
    file.display().to_string()
}
