//! What all answers beyond the rank have in common: the options of the library, reading, the file that is written as
//! they come, and the document with the circumstances of an answer, on standard output and on standard error.

use crate::account::Account;
use crate::args::{AnswerArgs, InputArgs, Prime};
use crate::input::{self, Loaded, Rational};
use crate::memory;
use crate::output;
use crate::profile;
use crate::progress::Bars;
use crate::schema::Schema;
use crate::seed;
use blackfield::answers::{Rank, RankOptions, RationalSpaceOptions};
use blackfield::field::Modulus;
use blackfield::io::SmsWriter;
use blackfield::report::{Certainty, Phases};
use blackfield::sparse::Triplets;
use blackfield::{Result, Step};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Stdout;
use std::path::Path;
use std::time::Instant;

/// The work on one answer, from its first moment on.
pub struct Work<'a> {
    pub args: &'a AnswerArgs,
    pub bars: &'a Bars,
    /// The library's options from the arguments.
    pub options: RankOptions,
    pub phases: Phases,
    warnings: Vec<String>,
    start: Instant,
}

impl<'a> Work<'a> {
    /// Begins; a random seed is drawn and reported here.
    pub fn begin(args: &'a AnswerArgs, bars: &'a Bars) -> Result<Self> {
        let machine = profile::find(&args.profile, bars)?.machine;
        let options = RankOptions::default().seed(seed::resolve(args.seed, bars)).machine(machine);
        Ok(Work { args, bars, options, phases: Phases::default(), warnings: vec![], start: Instant::now() })
    }
    /// Reads a matrix within the memory that is allowed.
    pub fn load(&mut self, file: &Path, input: impl Into<InputArgs>) -> Result<Loaded> {
        let loaded = input::load_within(file, input, self.args.max_memory, self.bars)?;
        self.phases.extend(&loaded.read);
        self.warnings.extend_from_slice(&loaded.warnings);
        Ok(loaded)
    }
    /// Reads a matrix whose entries may be fractions.
    pub fn load_rational(&mut self, file: &Path, input: impl Into<InputArgs>) -> Result<Rational> {
        let loaded = input::load_rational(file, input, self.args.max_memory, self.bars)?;
        self.phases.extend(&loaded.read);
        self.warnings.extend_from_slice(&loaded.warnings);
        Ok(loaded)
    }
    /// The options of null spaces over the rationals: memory is what the integers leave, and residues beside them.
    pub fn rational_options(&self, integers: &Triplets) -> Result<RationalSpaceOptions> {
        let prime = Modulus::new((1 << 61) - 1).expect("a Mersenne prime");
        let left = memory::left_beside(self.args.max_memory, integers, true, prime)?;
        Ok(RationalSpaceOptions::default().rank(self.options.clone().max_memory(left)))
    }
    /// Keeps the states of long steps, if that is asked for: of the question `asked` about what has this digest.
    pub fn keep(&self, digest: impl FnOnce() -> String, asked: &str) -> Result<()> {
        self.bars.keep(&self.args.checkpoint, digest, format!("{asked} seed {}", self.options.seed))
    }
    /// The digest of a matrix, if a document will show it: a pass over all entries.
    pub fn digest(&mut self, loaded: &Loaded) -> Option<String> {
        self.args.json.then(|| self.phases.shown("digest", self.bars, || loaded.digest()))
    }
    /// Ends with the answer `found` to what was `asked`.
    pub fn end<Q, A>(self, schema: Schema, asked: Q, found: A, mut grounds: Grounds) -> Document<A, Q> {
        let Work { bars, options, phases, mut warnings, start, .. } = self;
        bars.clear();
        grounds.reason += bars.resumed_words();
        bars.forget();
        warnings.extend(bars.take_warnings());
        Document {
            schema,
            asked,
            found,
            grounds,
            processor_seconds: phases.processor().collect(),
            phases,
            seed: options.seed,
            threads: rayon::current_num_threads(),
            warnings,
            seconds: start.elapsed().as_secs_f64(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// What was asked about.
pub trait Subject: Serialize {
    /// What it is called on standard error: a file, or several.
    fn name(&self) -> String;
}

/// The matrix that was asked about.
#[derive(Serialize)]
pub struct Asked {
    pub file: String,
    pub rows: usize,
    pub cols: usize,
    pub nnz: usize,
    #[serde(flatten)]
    pub over: Over,
    pub digest: Option<String>,
}

impl Subject for Asked {
    fn name(&self) -> String {
        self.file.clone()
    }
}

/// Over what is computed: a field mod p, or one or a ring by its name.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    Modulus(Prime),
    Field(&'static str),
    Ring(&'static str),
}

impl std::fmt::Display for Over {
    /// As in the second cell of a line among several.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Over::Modulus(p) => p.fmt(f),
            Over::Field(name) | Over::Ring(name) => name.fmt(f),
        }
    }
}

impl From<Modulus> for Over {
    fn from(modulus: Modulus) -> Self {
        Over::Modulus(Prime::Word(modulus))
    }
}

/// Why a linear system has no solution: a combination of rows that is 0, and not on the right side.
#[derive(Serialize)]
pub struct Contradiction {
    pub column: u32,
    pub y: Vec<(u32, String)>,
    pub value: String,
}

impl Contradiction {
    /// The same in digits.
    pub fn of(column: u32, y: Vec<(u32, impl ToString)>, value: impl ToString) -> Self {
        let y = y.into_iter().map(|(i, v)| (i, v.to_string())).collect();
        Contradiction { column, y, value: value.to_string() }
    }
}

/// Why an answer is what it is.
#[derive(Serialize)]
pub struct Grounds {
    pub path: Vec<Step>,
    pub reason: String,
    #[serde(flatten)]
    pub certainty: Certainty,
}

impl From<&Rank> for Grounds {
    fn from(rank: &Rank) -> Self {
        Grounds { path: rank.path.clone(), reason: rank.reason.clone(), certainty: rank.certainty }
    }
}

/// What JSON shows of an answer `A` to a question about `Q`.
#[derive(Serialize)]
pub struct Document<A, Q = Asked> {
    schema: Schema,
    #[serde(flatten)]
    pub asked: Q,
    #[serde(flatten)]
    pub found: A,
    #[serde(flatten)]
    grounds: Grounds,
    phases: Phases,
    processor_seconds: BTreeMap<&'static str, f64>,
    seed: u64,
    threads: usize,
    warnings: Vec<String>,
    seconds: f64,
    version: &'static str,
}

impl<A, Q: Subject> Document<A, Q> {
    /// The circumstances on standard error: the `answer` in a few words, more `lines` about it, each a name and a text,
    /// then what all answers have.
    pub fn describe(&self, args: &AnswerArgs, bars: &Bars, answer: &str, lines: &[(&str, String)]) {
        let Document { asked, grounds, phases, threads, seconds, .. } = self;
        let account = Account::new(args.explain, args.common.quiet, bars);
        account.line(&format!("{}: {answer} ({})", asked.name(), output::sure(grounds.certainty)));
        let time = account.time(*seconds, phases, *threads);
        let common = [("why", grounds.reason.clone()), ("seconds", time)];
        lines.iter().chain(&common).for_each(|(name, text)| account.line(&format!("  {name:<8} {text}")));
        account.path(&grounds.path);
    }
}

/// Whether the output goes to standard output, where a JSON document cannot go as well; `what` is what it holds.
pub fn is_to_stdout(args: &AnswerArgs, output: Option<&Path>, what: &str) -> Result<bool> {
    let Some(file) = output else { return Ok(false) };
    output::check_leaves_stdout(args.json, file, what)?;
    Ok(file.as_os_str() == "-")
}

/// The writer for the output, if there is one, which replaces none of the `inputs`.
pub fn writer<'o>(output: Option<&Path>, inputs: &[&Path], stdout: &'o mut Stdout) -> Result<Option<SmsWriter<'o>>> {
    let Some(file) = output else { return Ok(None) };
    inputs.iter().try_for_each(|input| output::check_is_no_input("--output", file, input))?;
    SmsWriter::create(file, stdout).map(Some)
}
