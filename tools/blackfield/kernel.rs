//! `blackfield kernel FILE -p P|--rational -o N.sms`: a basis of the null space, or random vectors, or its dimension.

use crate::answer::{self, Asked, Document, Grounds, Over, Work};
use crate::args::{KernelArgs, Prime};
use crate::large;
use crate::memory;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::Result;
use blackfield::answers::{self, KernelOptions, NullVectors, RankOptions, RationalKernel, RationalVectors};
use blackfield::field::Modulus;
use blackfield::io::{Encoding, SmsWriter, VectorFile};
use blackfield::report::{Certainty, Phases};
use blackfield::sparse::{Fraction, LineMap, LineMaps, SparseMatrix};
use blackfield::words::counted;
use serde::Serialize;
use std::borrow::Cow;

/// Unit vectors of empty columns that are written at a time.
const UNITS: usize = 1 << 16;

/// The answer.
#[derive(Serialize)]
pub struct Found {
    pub side: &'static str,
    pub rank: usize,
    pub dimension: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primes: Option<Vec<Modulus>>,
    pub output: Option<String>,
    pub vectors: usize,
    pub entries: usize,
    pub random: bool,
}

impl Found {
    /// That of a null space mod p: its dimension, and how many vectors were written with how many entries.
    pub fn of(args: &KernelArgs, rank: usize, dimension: usize, (vectors, entries): (usize, usize)) -> Self {
        Found {
            side: if args.left { "left" } else { "right" },
            rank,
            dimension,
            primes: None,
            output: args.output.as_ref().map(|file| file.display().to_string()),
            vectors,
            entries,
            random: args.vectors.is_some(),
        }
    }
}

/// Writes the vectors and prints the dimension.
pub fn run(args: &KernelArgs, bars: &Bars) -> Result<()> {
    let to_stdout = answer::is_to_stdout(&args.answer, args.output.as_deref(), "vectors")?;
    let mut stdout = std::io::stdout();
    if let (None, Some(file)) = (&args.modulus, &args.output) {
        output::check_takes_fractions(file)?;
    }
    let writer = answer::writer(args.output.as_deref(), &[&args.file], &mut stdout)?;
    let work = Work::begin(&args.answer, bars)?;
    let document = match &args.modulus {
        Some(Prime::Word(modulus)) => answer(args, *modulus, work, writer)?,
        Some(Prime::Large(modulus)) => large::kernel(args, modulus, work, writer)?,
        None => rational(args, work, writer)?,
    };
    describe(&document, args, bars);
    if args.answer.json {
        output::print_json(&document)
    } else if to_stdout {
        Ok(())
    } else {
        output::print(&format!("{}\n", document.found.dimension))
    }
}

fn answer(
    args: &KernelArgs,
    modulus: Modulus,
    mut work: Work<'_>,
    writer: Option<SmsWriter<'_>>,
) -> Result<Document<Found>> {
    let mut loaded = work.load_rational(&args.file, args.input)?.residues(modulus)?;
    let digest = work.digest(&loaded);
    work.keep(|| loaded.digest(), &format!("kernel {modulus} left {}", args.left))?;
    let (rows, cols) = (loaded.triplets.rows(), loaded.triplets.cols());
    // A random vector has entries in empty columns, too.
    let compact = match args.vectors {
        Some(_) => {
            memory::check_lines(args.answer.max_memory, &loaded.triplets)?;
            None
        }
        None => Some(work.phases.shown("reduce", work.bars, || loaded.triplets.compact())?),
    };
    let whole = compact.as_ref().map_or(&loaded.triplets, |compact| &*compact.matrix);
    let left = memory::left_beside(args.answer.max_memory, whole, false, modulus)?;
    let (matrix, lines) = match compact {
        Some(compact) => match compact.matrix {
            Cow::Owned(matrix) => (matrix, compact.lines),
            Cow::Borrowed(_) => (std::mem::take(&mut loaded.triplets), LineMaps::identity(rows, cols)),
        },
        None => (std::mem::take(&mut loaded.triplets), LineMaps::identity(rows, cols)),
    };
    drop(loaded);
    let matrix = work.phases.shown("reduce", work.bars, || matrix.into_reduced(modulus))?;
    let nnz = matrix.nnz();
    let coordinates = if args.left { &lines.rows } else { &lines.cols };
    let question = Question {
        args,
        options: work.options.clone().max_memory(left).method(args.method.into()),
        coordinates,
        bars: work.bars,
    };
    let (found, grounds) = match writer {
        None => question.dimension(matrix, &mut work.phases)?,
        Some(writer) => question.vectors(matrix, writer, &mut work.phases)?,
    };
    let asked = Asked { file: args.file.display().to_string(), rows, cols, nnz, over: modulus.into(), digest };
    Ok(work.end(Schema::Kernel, asked, found, grounds))
}

/// What is asked for, and how.
struct Question<'a> {
    args: &'a KernelArgs,
    options: RankOptions,
    /// Those of the vectors.
    coordinates: &'a LineMap,
    bars: &'a Bars,
}

impl Question<'_> {
    /// The dimension, from the rank.
    fn dimension(&self, matrix: SparseMatrix, phases: &mut Phases) -> Result<(Found, Grounds)> {
        let rank = answers::rank_owned(matrix, &self.options, self.bars)?;
        phases.extend(&rank.phases);
        let dimension = self.coordinates.whole() - rank.rank;
        Ok((Found::of(self.args, rank.rank, dimension, (0, 0)), Grounds::from(&rank)))
    }

    /// The vectors, written.
    fn vectors(&self, matrix: SparseMatrix, writer: SmsWriter<'_>, phases: &mut Phases) -> Result<(Found, Grounds)> {
        let Question { args, coordinates, bars, .. } = *self;
        let options = KernelOptions::default().left(args.left).vectors(args.vectors).rank(self.options.clone());
        let kernel = answers::kernel_owned(matrix, &options, bars)?;
        let dimension = kernel.dimension() + coordinates.dropped();
        let (vectors, length) = (args.vectors.unwrap_or(dimension) as u64, coordinates.whole() as u64);
        phases.extend(&kernel.rank().phases);
        let mut grounds = Grounds::from(kernel.rank());
        let entries = phases.time("null vectors", || {
            let left = args.left;
            let lines = if left { (vectors, length) } else { (length, vectors) };
            let key = [kernel.choice()?, format!("{:?}", args.vectors).into_bytes()].concat();
            let mut file = VectorFile::begin(writer, lines, &key, bars)?;
            let (encoding, done) = (file.encoding(), file.vectors());
            let make = |some: &NullVectors| {
                Ok((text(some, coordinates, left, encoding)?, some.first() + some.len(), some.nnz()))
            };
            let take = |(text, vectors, nnz): (Vec<u8>, usize, usize)| file.write(&text, vectors, nnz);
            match args.vectors {
                Some(count) => kernel.random_after(done, count, make, take, bars)?,
                None => {
                    grounds.certainty = kernel.basis_after(done, make, take, bars)?;
                    grounds.reason += "; proven by the null vectors";
                    units(coordinates, kernel.dimension(), left, &mut file, bars)?;
                }
            }
            file.finish(bars)
        })?;
        Ok((Found::of(args, kernel.rank().rank, dimension, (vectors as usize, entries)), grounds))
    }
}

/// The same over the rationals: a basis, or the dimension.
fn rational(args: &KernelArgs, mut work: Work<'_>, writer: Option<SmsWriter<'_>>) -> Result<Document<Found>> {
    let loaded = work.load_rational(&args.file, args.input)?;
    let (rows, cols, nnz) = (loaded.matrix.rows(), loaded.matrix.cols(), loaded.matrix.nnz());
    // Denominators are those of rows: the rows of the transpose have others.
    let turned =
        args.left.then(|| work.phases.shown("transpose", work.bars, || loaded.matrix.transpose())).transpose()?;
    let loaded = loaded.numerators();
    memory::check_lines(args.answer.max_memory, &loaded.triplets)?;
    let digest = work.digest(&loaded);
    work.keep(|| loaded.digest(), &format!("kernel over Q left {}", args.left))?;
    let integers = turned.as_ref().map_or(&loaded.triplets, |turned| turned.numerators());
    let options = work.rational_options(integers)?;
    let mut kernel = answers::rational_kernel(integers, &options, work.bars)?;
    let (mut certainty, mut entries) = (kernel.certainty(), 0);
    let vectors = if writer.is_some() { kernel.dimension() } else { 0 };
    if let Some(writer) = writer {
        (certainty, entries) = write_rational(&mut kernel, args, writer, work.bars)?;
    }
    work.phases.extend(kernel.phases());
    let grounds = Grounds { path: kernel.path().to_vec(), reason: kernel.reason(), certainty };
    let found = Found::of(args, kernel.rank(), kernel.dimension(), (vectors, entries));
    let found = Found { primes: Some(kernel.primes()), random: false, ..found };
    let asked = Asked { file: args.file.display().to_string(), rows, cols, nnz, over: Over::Field("Q"), digest };
    Ok(work.end(Schema::Kernel, asked, found, grounds))
}

/// Writes a basis over the rationals; returns how sure it is and how many entries it has.
fn write_rational(
    kernel: &mut RationalKernel<'_>,
    args: &KernelArgs,
    mut writer: SmsWriter<'_>,
    bars: &Bars,
) -> Result<(Certainty, usize)> {
    let (vectors, length) = (kernel.dimension() as u64, kernel.coordinates() as u64);
    let (encoding, left, mut count) = (writer.encoding(), args.left, 0);
    let (rows, cols) = if left { (vectors, length) } else { (length, vectors) };
    match args.integers {
        true => writer.begin(rows, cols)?,
        false => writer.begin_rational(rows, cols)?,
    }
    let make = |some: &RationalVectors| {
        let entries = (0..some.len()).flat_map(|k| {
            let (vector, number) = (some.vector(k), (some.first() + k) as u64);
            let values: Vec<Fraction<'_>> = match args.integers {
                true => vector.integers().into_iter().map(Fraction::from).collect(),
                false => vector.values().collect(),
            };
            let entries = vector.coordinates().iter().map(|&i| u64::from(i)).zip(values);
            entries.map(move |(i, v)| if left { (number, i, v) } else { (i, number, v) })
        });
        Ok((encoding.fractions(entries)?, some.nnz()))
    };
    let take = |(text, nnz): (Vec<u8>, usize)| {
        count += nnz;
        writer.write(&text)
    };
    let certainty = kernel.basis(make, take, bars)?;
    writer.finish(bars)?;
    Ok((certainty, count))
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
fn units(lines: &LineMap, next: usize, left: bool, file: &mut VectorFile<'_, '_>, bars: &Bars) -> Result<()> {
    let (encoding, end) = (file.encoding(), next + lines.dropped());
    let dropped = (0..lines.whole() as u64).filter(|&i| lines.place(i as u32).is_none());
    // Those that another process has written are left out.
    let first = file.vectors().max(next);
    let entries = dropped.zip(next as u64..).skip(first - next);
    let mut entries = entries.map(|(i, k)| if left { (k, i, 1) } else { (i, k, 1) });
    for first in (first..end).step_by(UNITS) {
        blackfield::Observer::check(bars)?;
        let last = end.min(first + UNITS);
        file.write(&encoding.entries(entries.by_ref().take(UNITS))?, last, last - first)?;
    }
    Ok(())
}

/// The circumstances on standard error.
fn describe(document: &Document<Found>, args: &KernelArgs, bars: &Bars) {
    let Found { side, rank, dimension, output, vectors, entries, random, .. } = &document.found;
    let written = output.as_ref().map(|output| {
        let what = if *random { "random vector" } else { "vector of a basis" };
        ("written", format!("{} with {} to {output}", counted(*vectors, what), counted(*entries, "entry")))
    });
    let over = args.modulus.as_ref().map_or("over Q".to_string(), |p| format!("mod {p}"));
    let answer = format!("{side} null space of dimension {dimension} {over}, rank {rank}");
    document.describe(&args.answer, bars, &answer, written.as_slice());
}
