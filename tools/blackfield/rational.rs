//! `blackfield rank --rational FILE… [-p P…]`: the rank over Q, and the primes that make it smaller.

use crate::account::Account;
use crate::answer::{Asked, Over};
use crate::args::{Prime, RankArgs};
use crate::batch::{About, Batch};
use crate::exit::Code;
use crate::input::{self, Loaded};
use crate::memory;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::answers::{self, ModularRank, RankOptions, RationalOptions, RationalRank};
use blackfield::field::Modulus;
use blackfield::report::Phases;
use blackfield::{Error, Result};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// The steps of [`RationalRank::path`] that are about the upper bound.
const PROOFS: [&str; 2] = ["null space", "enough primes"];

/// One answer, as JSON shows it.
#[derive(Serialize)]
struct Answer {
    schema: Schema,
    #[serde(flatten)]
    asked: Asked,
    #[serde(flatten)]
    found: RationalRank,
    seed: u64,
    threads: usize,
    warnings: Vec<String>,
    phases: Phases,
    seconds: f64,
    version: &'static str,
}

/// Answers for each file in the order given. `options` are those of each rank mod p.
pub fn run(args: &RankArgs, options: &RankOptions, mut batch: Batch<'_>, bars: &Bars) -> Result<Code> {
    let moduli = &moduli(args)?;
    for file in &args.files {
        let about = About { file, over: None };
        let work = || {
            let loaded = input::load_rational(file, args.input, args.max_memory, bars)?;
            // A prime that divides a denominator has no rank; Q and the others have.
            let residues: Vec<Result<()>> = moduli.iter().map(|&p| loaded.check(p)).collect();
            let wanted = moduli.iter().zip(&residues).take_while(|(_, exist)| exist.is_ok() || !args.batch.fail_fast);
            let exist: Vec<Modulus> = wanted.filter(|(_, exist)| exist.is_ok()).map(|(&p, _)| p).collect();
            Ok((answer(args, (options, &exist), file, &loaded.numerators(), bars)?, residues))
        };
        if let Some((answer, residues)) = batch.attempt(&about, 1 + moduli.len(), work)? {
            print(&mut batch, &about, &answer, moduli.iter().copied().zip(residues), args.json)?;
        }
        if batch.is_over() {
            break;
        }
    }
    bars.clear();
    Ok(batch.end())
}

/// The moduli, all of a word.
fn moduli(args: &RankArgs) -> Result<Vec<Modulus>> {
    let word = |p: &Prime| match p {
        Prime::Word(p) => Ok(*p),
        Prime::Large(p) => Err(Error::Usage(format!("--rational takes primes below 2^63, not {p}"))),
    };
    args.moduli.iter().map(word).collect()
}

/// One document of all, or a line each: over Q first, then for the moduli asked for. Those without residues are told
/// in their places.
fn print(
    batch: &mut Batch<'_>,
    about: &About<'_>,
    answer: &Answer,
    moduli: impl Iterator<Item = (Modulus, Result<()>)>,
    json: bool,
) -> Result<()> {
    let found = &answer.found;
    batch.print(
        &About { over: Some(answer.asked.over.clone()), ..about.clone() },
        &found.rank,
        found.certainty,
        answer,
    )?;
    let mut asked = found.asked.iter();
    for (modulus, residues) in moduli {
        let about = About { over: Some(modulus.into()), ..about.clone() };
        if batch.attempt(&about, 1, || residues)?.is_some() {
            let prime = asked.next().expect("a rank for each modulus with residues");
            if !json {
                batch.print(&about, &prime.rank, prime.certainty, answer)?;
            }
        } else if batch.is_over() {
            break;
        }
    }
    Ok(())
}

fn answer(
    args: &RankArgs,
    (options, moduli): (&RankOptions, &[Modulus]),
    file: &Path,
    loaded: &Loaded,
    bars: &Bars,
) -> Result<Answer> {
    let start = Instant::now();
    let mut phases = Phases::default();
    phases.extend(&loaded.read);
    let max_memory = memory::left_beside_integers(args.max_memory, &loaded.triplets.compact()?.matrix)?;
    let mut rational = RationalOptions::default().rank(options.clone().max_memory(max_memory)).moduli(moduli.to_vec());
    if let Some(error) = args.error {
        rational.error = error;
    }
    bars.keep(&args.checkpoint, || loaded.digest(), format!("rank over Q seed {}", options.seed))?;
    let mut found = answers::rational_rank(&loaded.triplets, &rational, bars)?;
    found.reason += bars.resumed_words();
    bars.forget();
    // From 0 on: the sum of no numbers is -0.
    let seconds = |primes: &[ModularRank]| primes.iter().fold(0.0, |sum, p| sum + p.seconds);
    phases.add("random primes", seconds(&found.drawn));
    let steps = found.path.iter().filter(|step| PROOFS.contains(&step.name));
    phases.add("proof", steps.fold(0.0, |sum, step| sum + step.seconds));
    phases.add("primes asked for", seconds(&found.asked));
    let asked = Asked {
        file: file.display().to_string(),
        rows: loaded.triplets.rows(),
        cols: loaded.triplets.cols(),
        nnz: loaded.triplets.nnz(),
        over: Over::Field("Q"),
        digest: Some(phases.time("digest", || loaded.digest())),
    };
    bars.clear();
    let seconds = loaded.seconds + start.elapsed().as_secs_f64();
    let account = Account::new(args.explain, args.common.quiet, bars);
    describe(&found, file, &phases, seconds, &account);
    Ok(Answer {
        schema: Schema::Rank,
        asked,
        found,
        seed: options.seed,
        threads: rayon::current_num_threads(),
        warnings: loaded.warnings.iter().cloned().chain(bars.take_warnings()).collect(),
        phases,
        seconds,
        version: env!("CARGO_PKG_VERSION"),
    })
}

/// The answer's circumstances on standard error.
fn describe(rank: &RationalRank, file: &Path, phases: &Phases, seconds: f64, account: &Account) {
    account.line(&format!("{}: rank {} over Q ({})", file.display(), rank.rank, output::sure(rank.certainty)));
    account.line(&format!("  why      {}", rank.reason));
    rank.explanations().for_each(|line| account.line(&format!("  prime    {line}")));
    account.line(&format!("  seconds  {}", account.time(seconds, phases, rayon::current_num_threads())));
    account.path(&rank.path);
}
