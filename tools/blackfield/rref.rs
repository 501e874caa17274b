//! `blackfield rref FILE -p P -o R.sms`: the reduced row echelon form, or the columns of its pivots.

use crate::answer;
use crate::args::RrefArgs;
use crate::input::{self, Loaded};
use crate::memory;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::answers::{self, FreeColumns, RankOptions, RowEchelon};
use blackfield::field::Modulus;
use blackfield::io::SmsWriter;
use blackfield::report::{Certainty, Phases};
use blackfield::sparse::{Integer, Triplets};
use blackfield::{Error, Result, Step};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What JSON shows.
#[derive(Serialize)]
struct Document {
    schema: Schema,
    file: String,
    rows: usize,
    cols: usize,
    nnz: usize,
    modulus: Modulus,
    rank: usize,
    pivots: Vec<u32>,
    output: Option<String>,
    entries: usize,
    path: Vec<Step>,
    reason: String,
    #[serde(flatten)]
    certainty: Certainty,
    phases: Phases,
    processor_seconds: BTreeMap<&'static str, f64>,
    seed: u64,
    threads: usize,
    digest: Option<String>,
    warnings: Vec<String>,
    seconds: f64,
    version: &'static str,
}

/// Writes the form and prints the rank, or the columns of the pivots.
pub fn run(args: &RrefArgs, bars: &Bars) -> Result<()> {
    let to_stdout = answer::is_to_stdout(&args.answer, args.output.as_deref(), "form")?;
    let mut stdout = std::io::stdout();
    let inputs: Vec<&Path> = args.column_order.iter().chain([&args.file]).map(PathBuf::as_path).collect();
    let writer = answer::writer(args.output.as_deref(), &inputs, &mut stdout)?;
    let options = answer::options(&args.answer, bars)?;
    let document = answer(args, options, writer, bars)?;
    if args.answer.json {
        output::print_json(&document)
    } else if args.pivots_only {
        output::print(&document.pivots.iter().map(|j| format!("{j}\n")).collect::<String>())
    } else if to_stdout {
        Ok(())
    } else {
        output::print(&format!("{}\n", document.rank))
    }
}

fn answer(args: &RrefArgs, options: RankOptions, writer: Option<SmsWriter<'_>>, bars: &Bars) -> Result<Document> {
    let start = Instant::now();
    let mut loaded = input::load_within(&args.file, args.pattern, args.answer.max_memory, bars)?;
    let mut phases = Phases::default();
    phases.add("read", loaded.seconds);
    memory::check_lines(args.answer.max_memory, &loaded.triplets)?;
    let digest = args.answer.json.then(|| phases.time("digest", || loaded.digest()));
    let (rows, cols) = (loaded.triplets.rows(), loaded.triplets.cols());
    let order = args.column_order.as_ref().map(|file| order(file, cols)).transpose()?;
    let options =
        options.max_memory(memory::left_beside(args.answer.max_memory, &loaded.triplets, false, args.modulus)?);
    let Loaded { triplets, .. } = &mut loaded;
    let mut triplets = std::mem::take(triplets);
    if let Some(order) = &order {
        triplets = phases.time("reduce", || permuted(&triplets, order))?;
    }
    let matrix = phases.time("reduce", || triplets.into_reduced(args.modulus))?;
    let nnz = matrix.nnz();
    let form = answers::rref(matrix, &options, bars)?;
    let rank = form.rank();
    phases.extend(&rank.phases);
    let (mut certainty, mut reason, mut entries) = (rank.certainty, rank.reason.clone(), 0);
    if let Some(writer) = writer {
        (certainty, entries) = phases.time("echelon form", || write(&form, writer, bars))?;
        reason += "; proven by its columns, null vectors that A maps to zero";
    }
    bars.clear();
    let named = |&j: &u32| order.as_ref().map_or(j, |order| order[j as usize]);
    let document = Document {
        schema: Schema::Rref,
        file: args.file.display().to_string(),
        rows,
        cols,
        nnz,
        modulus: args.modulus,
        rank: rank.rank,
        pivots: form.pivots().iter().map(named).collect(),
        output: args.output.as_ref().map(|file| file.display().to_string()),
        entries,
        path: rank.path.clone(),
        reason,
        certainty,
        processor_seconds: phases.processor().collect(),
        phases,
        seed: options.seed,
        threads: rayon::current_num_threads(),
        digest,
        warnings: loaded.warnings.iter().cloned().chain(bars.take_warnings()).collect(),
        seconds: start.elapsed().as_secs_f64(),
        version: env!("CARGO_PKG_VERSION"),
    };
    describe(&document, args.answer.explain, bars);
    Ok(document)
}

/// Writes the form; returns how sure it is and how many entries it has.
fn write(form: &RowEchelon, mut writer: SmsWriter<'_>, bars: &Bars) -> Result<(Certainty, usize)> {
    let encoding = writer.encoding();
    let pivots = form.pivots();
    writer.begin(pivots.len() as u64, form.cols() as u64)?;
    let ones = encoding.entries((0u64..).zip(pivots).map(|(i, &j)| (i, u64::from(j), 1)))?;
    writer.write(&ones)?;
    let mut count = pivots.len();
    let make = |some: FreeColumns<'_>| {
        let mut entries = 0;
        let numbers = some.entries().inspect(|_| entries += 1).map(|(i, j, v)| (u64::from(i), u64::from(j), v));
        let text = encoding.entries(numbers)?;
        Ok((text, entries))
    };
    let take = |(text, entries): (Vec<u8>, usize)| {
        count += entries;
        writer.write(&text)
    };
    let certainty = form.free_columns(make, take, bars)?;
    writer.finish()?;
    Ok((certainty, count))
}

/// The order of columns in a file.
fn order(file: &Path, cols: usize) -> Result<Vec<u32>> {
    let text = std::fs::read_to_string(file).map_err(|source| Error::Io { file: file.to_path_buf(), source })?;
    let bad = |line: usize, message: String| Error::Input { file: file.to_path_buf(), line: line as u64, message };
    let (mut order, mut seen) = (vec![], vec![false; cols]);
    for (number, line) in (1..).zip(text.lines()) {
        for word in line.split_whitespace() {
            let column = word.parse::<u32>().ok().filter(|&j| (j as usize) < cols);
            let column = column.ok_or_else(|| {
                bad(number, format!("expected the number of a column, from 0 to {}, found {word:?}", cols as i64 - 1))
            })?;
            if std::mem::replace(&mut seen[column as usize], true) {
                return Err(bad(number, format!("column {column} is there for the second time")));
            }
            order.push(column);
        }
    }
    match order.len() == cols {
        true => Ok(order),
        false => Err(bad(0, format!("an order of {} of the {cols} columns: each is needed once", order.len()))),
    }
}

/// The matrix with its columns in this order.
fn permuted(triplets: &Triplets, order: &[u32]) -> Result<Triplets> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &j)| place[j as usize] = k);
    let owned = |v: Integer<'_>| match v {
        Integer::Small(v) => Integer::Small(v),
        big => big.to_bigint().into(),
    };
    let entries = triplets.entries().map(|(i, j, v)| (i, place[j], owned(v)));
    Triplets::try_from_entries(triplets.rows(), triplets.cols(), entries)
}

/// The circumstances on standard error.
fn describe(document: &Document, explain: bool, bars: &Bars) {
    let Document { file, modulus, rank, output, entries, seconds, threads, .. } = document;
    bars.note(&format!("{file}: rank {rank} mod {modulus} ({})", output::sure(document.certainty)));
    bars.note(&format!("  why      {}", document.reason));
    if let Some(output) = output {
        bars.note(&format!("  written  the form with {entries} entries to {output}"));
    }
    let parts: Vec<_> = document.phases.iter().map(|(name, s)| format!("{name} {s:.3}")).collect();
    bars.note(&format!("  seconds  {seconds:.3} = {} on {threads} threads", parts.join(" + ")));
    if explain {
        bars.note_path(&document.path);
    }
}
