//! `blackfield smith FILE`: the Smith normal form over ℤ.

use crate::answer::{Asked, Grounds, Over, Work};
use crate::args::SmithArgs;
use crate::memory;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::Result;
use blackfield::answers::{self, SmithOptions};
use blackfield::field::Modulus;
use blackfield::words::counted;
use serde::Serialize;

/// The answer.
#[derive(Serialize)]
struct Found {
    rank: usize,
    factors: Vec<(String, usize)>,
    local: Option<Modulus>,
}

/// Prints the invariant factors.
pub fn run(args: &SmithArgs, bars: &Bars) -> Result<()> {
    let mut work = Work::begin(&args.answer, bars)?;
    let loaded = work.load(&args.file, args.input)?;
    let a = &loaded.triplets;
    let digest = work.digest(&loaded);
    work.keep(|| loaded.digest(), "smith")?;
    // The rows and columns of an elimination, a word and an index an entry, come in place of residues.
    let sample = Modulus::new((1 << 31) - 1).expect("a Mersenne prime");
    let left = memory::left_beside(args.answer.max_memory, a, true, sample)?;
    let rank = work.options.clone().proven(args.proven).max_memory(left);
    let mut options = SmithOptions::default().rank(rank).local(args.local);
    if let Some(error) = args.error {
        options.error = error;
    }
    let form = answers::smith(a, &options, bars)?;
    work.phases.extend(&form.phases);
    let factors: Vec<_> = form.factors.iter().map(|(factor, count)| (factor.to_string(), *count)).collect();
    let lines: String = factors.iter().map(|(factor, count)| format!("{factor} {count}\n")).collect();
    let asked = Asked {
        file: args.file.display().to_string(),
        rows: a.rows(),
        cols: a.cols(),
        nnz: a.nnz(),
        over: Over::Ring("Z"),
        digest,
    };
    let torsion: usize = form.torsion().map(|(_, count)| count).sum();
    let factors_of_note = counted(torsion, "invariant factor");
    let what = match args.local {
        Some(p) => format!("rank {} over Q, {factors_of_note} divisible by {p}", form.rank),
        None => format!("rank {} over Q, {factors_of_note} other than 1", form.rank),
    };
    let found = Found { rank: form.rank, factors, local: args.local };
    let grounds = Grounds { path: form.path, reason: form.reason, certainty: form.certainty };
    let document = work.end(Schema::Smith, asked, found, grounds);
    document.describe(&args.answer, bars, &what, &[]);
    match args.answer.json {
        true => output::print_json(&document),
        false => output::print(&lines),
    }
}
