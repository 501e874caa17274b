//! `blackfield rref FILE -p P|--rational -o R.sms`: the reduced row echelon form, or the columns of its pivots.

use crate::answer::{self, Asked, Document, Grounds, Over, Work};
use crate::args::RrefArgs;
use crate::input::Loaded;
use crate::memory;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::answers::{self, FreeColumns, RationalColumns, RationalRowEchelon, RowEchelon};
use blackfield::field::Modulus;
use blackfield::io::{SmsWriter, VectorFile};
use blackfield::report::Certainty;
use blackfield::sparse::Triplets;
use blackfield::words::counted;
use blackfield::{Error, Result};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The answer.
#[derive(Serialize)]
struct Found {
    rank: usize,
    pivots: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    primes: Option<Vec<Modulus>>,
    output: Option<String>,
    entries: usize,
}

/// Writes the form and prints the rank, or the columns of the pivots.
pub fn run(args: &RrefArgs, bars: &Bars) -> Result<()> {
    let to_stdout = answer::is_to_stdout(&args.answer, args.output.as_deref(), "form")?;
    let mut stdout = std::io::stdout();
    let inputs: Vec<&Path> = args.column_order.iter().chain([&args.file]).map(PathBuf::as_path).collect();
    if let (None, Some(file)) = (args.modulus, &args.output) {
        output::check_takes_fractions(file)?;
    }
    let writer = answer::writer(args.output.as_deref(), &inputs, &mut stdout)?;
    let work = Work::begin(&args.answer, bars)?;
    let document = match args.modulus {
        Some(modulus) => answer(args, modulus, work, writer)?,
        None => rational(args, work, writer)?,
    };
    if args.answer.json {
        output::print_json(&document)
    } else if args.pivots_only {
        output::print(&document.found.pivots.iter().map(|j| format!("{j}\n")).collect::<String>())
    } else if to_stdout {
        Ok(())
    } else {
        output::print(&format!("{}\n", document.found.rank))
    }
}

fn answer(
    args: &RrefArgs,
    modulus: Modulus,
    mut work: Work<'_>,
    writer: Option<SmsWriter<'_>>,
) -> Result<Document<Found>> {
    let bars = work.bars;
    let mut loaded = work.load_rational(&args.file, args.input)?.residues(modulus)?;
    memory::check_lines(args.answer.max_memory, &loaded.triplets)?;
    let digest = work.digest(&loaded);
    work.keep(|| loaded.digest(), &format!("rref {modulus}"))?;
    let (rows, cols) = (loaded.triplets.rows(), loaded.triplets.cols());
    let order = args.column_order.as_ref().map(|file| order(file, cols)).transpose()?;
    let left = memory::left_beside(args.answer.max_memory, &loaded.triplets, false, modulus)?;
    let options = work.options.clone().max_memory(left);
    let Loaded { triplets, .. } = &mut loaded;
    let mut triplets = std::mem::take(triplets);
    if let Some(order) = &order {
        triplets = work.phases.shown("reduce", work.bars, || permuted(&triplets, order))?;
    }
    let matrix = work.phases.shown("reduce", work.bars, || triplets.into_reduced(modulus))?;
    let nnz = matrix.nnz();
    let form = answers::rref(matrix, &options, bars)?;
    work.phases.extend(&form.rank().phases);
    let (mut grounds, mut entries) = (Grounds::from(form.rank()), 0);
    if let Some(writer) = writer {
        (grounds.certainty, entries) =
            work.phases.time("echelon form", || write(&form, order.as_ref(), writer, bars))?;
        grounds.reason += "; proven by its columns, null vectors that A maps to zero";
    }
    let named = |&j: &u32| order.as_ref().map_or(j, |order| order[j as usize]);
    let pivots = form.pivots().iter().map(named).collect();
    let output = args.output.as_ref().map(|file| file.display().to_string());
    let rank = form.rank().rank;
    let written =
        output.as_ref().map(|output| ("written", format!("the form with {} to {output}", counted(entries, "entry"))));
    let asked = Asked { file: args.file.display().to_string(), rows, cols, nnz, over: modulus.into(), digest };
    let document = work.end(Schema::Rref, asked, Found { rank, pivots, primes: None, output, entries }, grounds);
    document.describe(&args.answer, bars, &format!("rank {rank} mod {modulus}"), written.as_slice());
    Ok(document)
}

/// The same over the rationals.
fn rational(args: &RrefArgs, mut work: Work<'_>, writer: Option<SmsWriter<'_>>) -> Result<Document<Found>> {
    let bars = work.bars;
    let mut loaded = work.load_rational(&args.file, args.input)?.numerators();
    memory::check_lines(args.answer.max_memory, &loaded.triplets)?;
    let digest = work.digest(&loaded);
    work.keep(|| loaded.digest(), "rref over Q")?;
    let (rows, cols, nnz) = (loaded.triplets.rows(), loaded.triplets.cols(), loaded.triplets.nnz());
    let order = args.column_order.as_ref().map(|file| order(file, cols)).transpose()?;
    if let Some(order) = &order {
        loaded.triplets = work.phases.shown("reduce", work.bars, || permuted(&loaded.triplets, order))?;
    }
    let options = work.rational_options(&loaded.triplets)?;
    let mut form = answers::rational_rref(&loaded.triplets, &options, bars)?;
    let (mut certainty, mut entries) = (form.certainty(), 0);
    if let Some(writer) = writer {
        (certainty, entries) = write_rational(&mut form, writer, bars)?;
    }
    work.phases.extend(form.phases());
    let grounds = Grounds { path: form.path().to_vec(), reason: form.reason(), certainty };
    let named = |&j: &u32| order.as_ref().map_or(j, |order| order[j as usize]);
    let pivots = form.pivots().iter().map(named).collect();
    let output = args.output.as_ref().map(|file| file.display().to_string());
    let written =
        output.as_ref().map(|output| ("written", format!("the form with {} to {output}", counted(entries, "entry"))));
    let asked = Asked { file: args.file.display().to_string(), rows, cols, nnz, over: Over::Field("Q"), digest };
    let rank = form.rank();
    let found = Found { rank, pivots, primes: Some(form.primes()), output, entries };
    let document = work.end(Schema::Rref, asked, found, grounds);
    document.describe(&args.answer, bars, &format!("rank {rank} over Q"), written.as_slice());
    Ok(document)
}

/// Writes the form over the rationals; returns how sure it is and how many entries it has.
fn write_rational(
    form: &mut RationalRowEchelon<'_>,
    mut writer: SmsWriter<'_>,
    bars: &Bars,
) -> Result<(Certainty, usize)> {
    let (encoding, mut count) = (writer.encoding(), form.pivots().len());
    writer.begin_rational(count as u64, form.cols() as u64)?;
    let ones = encoding.entries((0u64..).zip(form.pivots()).map(|(i, &j)| (i, u64::from(j), 1)))?;
    writer.write(&ones)?;
    let make = |some: RationalColumns<'_>| {
        let mut entries = 0;
        let numbers = some.entries().inspect(|_| entries += 1).map(|(i, j, v)| (u64::from(i), u64::from(j), v));
        let text = encoding.fractions(numbers)?;
        Ok((text, entries))
    };
    let take = |(text, entries): (Vec<u8>, usize)| {
        count += entries;
        writer.write(&text)
    };
    let certainty = form.free_columns(make, take, bars)?;
    writer.finish(bars)?;
    Ok((certainty, count))
}

/// Writes the form; returns how sure it is and how many entries it has.
fn write(
    form: &RowEchelon,
    order: Option<&Vec<u32>>,
    writer: SmsWriter<'_>,
    bars: &Bars,
) -> Result<(Certainty, usize)> {
    let pivots = form.pivots();
    // All that the form depends on beyond the matrix.
    let key: Vec<u8> = order.into_iter().flatten().flat_map(|j| j.to_le_bytes()).collect();
    let mut file = VectorFile::begin(writer, (pivots.len() as u64, form.cols() as u64), &key, bars)?;
    let (encoding, done) = (file.encoding(), file.vectors());
    if file.entries() == 0 {
        let ones = encoding.entries((0u64..).zip(pivots).map(|(i, &j)| (i, u64::from(j), 1)))?;
        file.write(&ones, 0, pivots.len())?;
    }
    let make = |some: FreeColumns<'_>| {
        let mut entries = 0;
        let numbers = some.entries().inspect(|_| entries += 1).map(|(i, j, v)| (u64::from(i), u64::from(j), v));
        let text = encoding.entries(numbers)?;
        Ok((text, some.end(), entries))
    };
    let take = |(text, end, entries): (Vec<u8>, usize, usize)| file.write(&text, end, entries);
    let certainty = form.free_columns_after(done, make, take, bars)?;
    Ok((certainty, file.finish(bars)?))
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
    let entries = triplets.entries().map(|(i, j, v)| (i, place[j], v.into_owned()));
    Triplets::try_from_entries(triplets.rows(), triplets.cols(), entries)
}
