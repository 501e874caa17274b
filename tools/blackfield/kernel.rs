//! `blackfield kernel FILE -p P -o N.sms`: a basis of the null space, or random vectors, or its dimension.

use crate::answer;
use crate::args::KernelArgs;
use crate::input::{self, Loaded};
use crate::memory;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::answers::{self, KernelOptions, NullVectors, RankOptions};
use blackfield::field::Modulus;
use blackfield::io::{Encoding, SmsWriter};
use blackfield::report::{Certainty, Phases};
use blackfield::sparse::{LineMap, LineMaps, SparseMatrix, Triplets};
use blackfield::{Error, Result, Step};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Instant;

/// Unit vectors of empty columns that are written at a time.
const UNITS: usize = 1 << 16;

/// What JSON shows.
#[derive(Serialize)]
struct Document {
    schema: Schema,
    file: String,
    rows: usize,
    cols: usize,
    nnz: usize,
    modulus: Modulus,
    side: &'static str,
    #[serde(flatten)]
    found: Found,
    output: Option<String>,
    random: bool,
    processor_seconds: BTreeMap<&'static str, f64>,
    seed: u64,
    threads: usize,
    digest: Option<String>,
    warnings: Vec<String>,
    seconds: f64,
    version: &'static str,
}

/// The answer.
#[derive(Serialize)]
struct Found {
    rank: usize,
    dimension: usize,
    vectors: usize,
    entries: usize,
    path: Vec<Step>,
    reason: String,
    #[serde(flatten)]
    certainty: Certainty,
    phases: Phases,
}

/// What is asked for, and how.
struct Question<'a> {
    args: &'a KernelArgs,
    options: RankOptions,
    bars: &'a Bars,
}

/// Writes the vectors and prints the dimension.
pub fn run(args: &KernelArgs, bars: &Bars) -> Result<()> {
    let to_stdout = answer::is_to_stdout(&args.answer, args.output.as_deref(), "vectors")?;
    let mut stdout = std::io::stdout();
    let writer = answer::writer(args.output.as_deref(), &[&args.file], &mut stdout)?;
    let options = answer::options(&args.answer, bars)?;
    let start = Instant::now();
    let loaded = input::load_within(&args.file, args.pattern, args.answer.max_memory, bars)?;
    let document = Question { args, options, bars }.answer(loaded, writer, start)?;
    if args.answer.json {
        output::print_json(&document)
    } else if to_stdout {
        Ok(())
    } else {
        output::print(&format!("{}\n", document.found.dimension))
    }
}

impl Question<'_> {
    fn answer(mut self, mut loaded: Loaded, writer: Option<SmsWriter<'_>>, start: Instant) -> Result<Document> {
        let (args, bars) = (self.args, self.bars);
        let mut phases = Phases::default();
        phases.add("read", loaded.seconds);
        let digest = args.answer.json.then(|| phases.time("digest", || loaded.digest()));
        let (rows, cols) = (loaded.triplets.rows(), loaded.triplets.cols());
        // A random vector has entries in empty columns, too.
        let compact = match args.vectors {
            Some(_) => {
                memory::check_lines(args.answer.max_memory, &loaded.triplets)?;
                None
            }
            None => Some(phases.time("reduce", || loaded.triplets.compact())?),
        };
        let whole = compact.as_ref().map_or(&loaded.triplets, |compact| &*compact.matrix);
        self.options.max_memory = memory::left_beside(args.answer.max_memory, whole, false, args.modulus)?;
        let (matrix, lines) = match compact {
            Some(compact) => match compact.matrix {
                Cow::Owned(matrix) => (matrix, compact.lines),
                Cow::Borrowed(_) => (std::mem::take(&mut loaded.triplets), LineMaps::identity(rows, cols)),
            },
            None => (std::mem::take(&mut loaded.triplets), LineMaps::identity(rows, cols)),
        };
        loaded.triplets = Triplets::default();
        let matrix = phases.time("reduce", || matrix.into_reduced(args.modulus))?;
        let nnz = matrix.nnz();
        let coordinates = if args.left { &lines.rows } else { &lines.cols };
        let found = match writer {
            None => self.dimension(matrix, coordinates, phases)?,
            Some(writer) => self.vectors(matrix, coordinates, writer, phases)?,
        };
        bars.clear();
        let document = Document {
            schema: Schema::Kernel,
            file: args.file.display().to_string(),
            rows,
            cols,
            nnz,
            modulus: args.modulus,
            side: if args.left { "left" } else { "right" },
            output: args.output.as_ref().map(|file| file.display().to_string()),
            random: args.vectors.is_some(),
            processor_seconds: found.phases.processor().collect(),
            found,
            seed: self.options.seed,
            threads: rayon::current_num_threads(),
            digest,
            warnings: loaded.warnings.iter().cloned().chain(bars.take_warnings()).collect(),
            seconds: start.elapsed().as_secs_f64(),
            version: env!("CARGO_PKG_VERSION"),
        };
        describe(&document, args.answer.explain, bars);
        Ok(document)
    }

    /// The dimension, from the rank.
    fn dimension(&self, matrix: SparseMatrix, coordinates: &LineMap, mut phases: Phases) -> Result<Found> {
        let rank = answers::rank_owned(matrix, &self.options, self.bars)?;
        phases.extend(&rank.phases);
        Ok(Found {
            rank: rank.rank,
            dimension: coordinates.whole() - rank.rank,
            vectors: 0,
            entries: 0,
            path: rank.path,
            reason: rank.reason,
            certainty: rank.certainty,
            phases,
        })
    }

    /// The vectors, written.
    fn vectors(
        &self,
        matrix: SparseMatrix,
        coordinates: &LineMap,
        mut writer: SmsWriter<'_>,
        mut phases: Phases,
    ) -> Result<Found> {
        let options = KernelOptions::default().left(self.args.left).rank(self.options.clone());
        let kernel = answers::kernel_owned(matrix, &options, self.bars)?;
        let dimension = kernel.dimension() + coordinates.dropped();
        let (vectors, length) = (self.args.vectors.unwrap_or(dimension) as u64, coordinates.whole() as u64);
        let rank = kernel.rank();
        phases.extend(&rank.phases);
        let mut certainty = rank.certainty;
        let entries = phases.time("null vectors", || {
            let left = self.args.left;
            writer.begin(if left { vectors } else { length }, if left { length } else { vectors })?;
            let (encoding, mut entries) = (writer.encoding(), 0);
            let make = |some: &NullVectors| Ok((text(some, coordinates, left, encoding)?, some.nnz()));
            let take = |(text, nnz): (Vec<u8>, usize)| {
                entries += nnz;
                writer.write(&text)
            };
            match self.args.vectors {
                Some(count) => kernel.random(count, make, take, self.bars)?,
                None => {
                    certainty = kernel.basis(make, take, self.bars)?;
                    entries += units(coordinates, kernel.dimension() as u64, left, &mut writer, self.bars)?;
                }
            }
            writer.finish()?;
            Ok::<_, Error>(entries)
        })?;
        let ground = if self.args.vectors.is_none() { "; proven by the null vectors" } else { "" };
        Ok(Found {
            rank: rank.rank,
            dimension,
            vectors: vectors as usize,
            entries,
            path: rank.path.clone(),
            reason: format!("{}{ground}", rank.reason),
            certainty,
            phases,
        })
    }
}

/// Some vectors as a part of N.
fn text(some: &NullVectors, coordinates: &LineMap, left: bool, encoding: Encoding) -> Result<Vec<u8>> {
    encoding.entries((0..some.len()).flat_map(|k| {
        let (at, values) = some.vector(k);
        let number = (some.first() + k) as u64;
        let entries = at.iter().zip(values).map(|(&i, &v)| (u64::from(coordinates.number(i)), v));
        entries.map(move |(i, v)| if left { (number, i, v) } else { (i, number, v) })
    }))
}

/// Writes the unit vectors of lines that were left out for being empty, as vectors from number `next` on.
fn units(lines: &LineMap, next: u64, left: bool, writer: &mut SmsWriter<'_>, bars: &Bars) -> Result<usize> {
    if lines.dropped() == 0 {
        return Ok(0);
    }
    let encoding = writer.encoding();
    let dropped = (0..lines.whole() as u64).filter(|&i| lines.place(i as u32).is_none());
    let mut entries = dropped.zip(next..).map(|(i, k)| if left { (k, i, 1) } else { (i, k, 1) }).peekable();
    while entries.peek().is_some() {
        blackfield::Observer::check(bars)?;
        writer.write(&encoding.entries(entries.by_ref().take(UNITS))?)?;
    }
    Ok(lines.dropped())
}

/// The circumstances on standard error.
fn describe(document: &Document, explain: bool, bars: &Bars) {
    let Document { file, modulus, side, found, output, random, seconds, threads, .. } = document;
    let sure = output::sure(found.certainty);
    let Found { rank, dimension, vectors, entries, .. } = found;
    bars.note(&format!("{file}: {side} null space of dimension {dimension} mod {modulus}, rank {rank} ({sure})"));
    bars.note(&format!("  why      {}", found.reason));
    if let Some(output) = output {
        let what = if *random { "random vectors" } else { "vectors of a basis" };
        bars.note(&format!("  written  {vectors} {what} with {entries} entries to {output}"));
    }
    let parts: Vec<_> = found.phases.iter().map(|(name, s)| format!("{name} {s:.3}")).collect();
    bars.note(&format!("  seconds  {seconds:.3} = {} on {threads} threads", parts.join(" + ")));
    if explain {
        bars.note_path(&found.path);
    }
}
