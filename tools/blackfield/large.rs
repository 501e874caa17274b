//! `blackfield kernel` and `blackfield solve` modulo primes beyond 2⁶³.

use crate::answer::{Asked, Contradiction, Document, Grounds, Over, Work};
use crate::args::{KernelArgs, Prime, SolveArgs};
use crate::input::Loaded;
use crate::output::MatrixFile;
use crate::schema::Schema;
use crate::{kernel, memory, solve};
use blackfield::Result;
use blackfield::answers::{self, KernelOptions, SolveOptions};
use blackfield::io::{SmsWriter, VectorFile};
use blackfield::large::{LargeModulus, LargeVectors};
use blackfield::num_bigint::BigInt;
use blackfield::sparse::{Fraction, Integer};

/// The null space, or its dimension.
pub fn kernel(
    args: &KernelArgs,
    modulus: &LargeModulus,
    mut work: Work<'_>,
    writer: Option<SmsWriter<'_>>,
) -> Result<Document<kernel::Found>> {
    let loaded = work.load_rational(&args.file, args.input)?.integers()?;
    let (matrix, bars) = (&loaded.triplets, work.bars);
    memory::check_lines(args.answer.max_memory, matrix)?;
    let digest = work.digest(&loaded);
    work.keep(|| loaded.digest(), &format!("kernel {modulus} left {}", args.left))?;
    let options = work.options.clone().max_memory(memory::left_beside_values(args.answer.max_memory, matrix)?);
    let (rank, dimension, vectors, entries) = match writer {
        None => {
            let rank = answers::large_rank(matrix, modulus, &options, bars)?;
            let coordinates = if args.left { matrix.rows() } else { matrix.cols() };
            let dimension = coordinates - rank.rank;
            work.phases.extend(&rank.phases);
            (rank, dimension, 0, 0)
        }
        Some(writer) => {
            let options = KernelOptions::default().left(args.left).rank(options);
            let found = answers::large_kernel(matrix, modulus, &options, bars)?;
            work.phases.extend(&found.rank().phases);
            let written = work.phases.time("null vectors", || write(args, &found, writer, work.bars))?;
            (found.rank().clone(), found.dimension(), written.0, written.1)
        }
    };
    let found = kernel::Found::of(args, rank.rank, dimension, (vectors, entries));
    let asked = asked(&args.file.display().to_string(), &loaded, modulus, digest);
    Ok(work.end(Schema::Kernel, asked, found, Grounds::from(&rank)))
}

/// Writes a basis, or random vectors; returns how many, and their entries.
fn write(
    args: &KernelArgs,
    found: &answers::LargeKernel,
    writer: SmsWriter<'_>,
    bars: &crate::progress::Bars,
) -> Result<(usize, usize)> {
    let (count, length) = (args.vectors.unwrap_or(found.dimension()), found.coordinates() as u64);
    let (left, lines) = (args.left, if args.left { (count as u64, length) } else { (length, count as u64) });
    // A basis is determined by its free columns; random vectors by these and their blocks.
    let key = found.free().iter().flat_map(|j| j.to_le_bytes()).chain(format!("{:?}", args.vectors).into_bytes());
    let mut file = VectorFile::begin(writer, lines, &key.collect::<Vec<u8>>(), bars)?;
    let (encoding, done) = (file.encoding(), file.vectors());
    let take = |some: &LargeVectors| {
        let text = encoding.fractions((0..some.len()).flat_map(|k| {
            let (at, values) = some.vector(k);
            let number = (some.first() + k) as u64;
            let entry = move |(&i, v): (&u32, &_)| {
                let value = Fraction::from(Integer::from(BigInt::from(Clone::clone(v))));
                if left { (number, u64::from(i), value) } else { (u64::from(i), number, value) }
            };
            at.iter().zip(values).map(entry)
        }))?;
        file.write(&text, some.first() + some.len(), some.nnz())
    };
    match args.vectors {
        Some(count) => found.random_after(done, count, take, bars)?,
        None => drop(found.basis_after(done, take, bars)?),
    }
    Ok((count, file.finish(bars)?))
}

/// Solutions, written, or why there are none.
pub fn solve(
    args: &SolveArgs,
    modulus: &LargeModulus,
    mut work: Work<'_>,
    (matrix, right): (Loaded, Loaded),
    output: Option<MatrixFile<'_>>,
) -> Result<Document<solve::Found>> {
    let (digest, rhs_digest) = (work.digest(&matrix), work.digest(&right));
    let of_both = || format!("{} {}", matrix.digest(), right.digest());
    work.keep(of_both, &format!("solve {modulus}"))?;
    let mut left = args.answer.max_memory;
    for loaded in [&matrix, &right] {
        left = memory::left_beside_values(left, &loaded.triplets)?;
    }
    let options = SolveOptions::default().random(args.random).rank(work.options.clone().max_memory(left));
    let solution = answers::large_solve(&matrix.triplets, &right.triplets, modulus, &options, work.bars)?;
    work.phases.extend(&solution.rank.phases);
    let mut entries = 0;
    if let (Some(output), Some(x)) = (&output, &solution.solutions) {
        entries = x.nnz();
        work.phases.time("write", || output.write(x, work.bars))?;
    }
    let consistent = solution.is_consistent();
    let grounds = Grounds::from(&solution.rank);
    let found = solve::Found {
        rhs: args.rhs.display().to_string(),
        rhs_digest,
        right_sides: right.triplets.cols(),
        consistent,
        output: args.output.as_ref().filter(|_| consistent).map(|file| file.display().to_string()),
        inconsistent: solution.inconsistent,
        contradiction: solution.contradiction.map(|found| Contradiction::of(found.column, found.y, found.value)),
        rank: solution.rank.rank,
        lifted: None,
        entries,
        random: Some(args.random),
    };
    let asked = asked(&args.file.display().to_string(), &matrix, modulus, digest);
    Ok(work.end(Schema::Solve, asked, found, grounds))
}

fn asked(file: &str, loaded: &Loaded, modulus: &LargeModulus, digest: Option<String>) -> Asked {
    let matrix = &loaded.triplets;
    let over = Over::Modulus(Prime::Large(modulus.clone()));
    Asked { file: file.into(), rows: matrix.rows(), cols: matrix.cols(), nnz: modulus.nnz(matrix), over, digest }
}
