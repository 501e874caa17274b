//! `blackfield generate NAME -o FILE`: a matrix of a known family by name.

use crate::args::GenerateArgs;
use crate::output::{self, MatrixFile};
use crate::progress::Bars;
use blackfield::{Result, families};

/// Writes the matrix, or lists the families.
pub fn run(args: &GenerateArgs, bars: &Bars) -> Result<()> {
    // clap demands both together, unless --list is there.
    let (Some(name), Some(file)) = (&args.name, &args.output) else { return output::print(&listing()) };
    let output = MatrixFile::resolve(file, args.to)?;
    let triplets = families::generate(name)?;
    bars.note(&format!("{name}: {} x {}, {} non-zeros", triplets.rows(), triplets.cols(), triplets.nnz()));
    output.write(&triplets, bars)
}

/// One family after the other: its names, what it is, how large, an example.
fn listing() -> String {
    let entry = |family: &families::Family| {
        format!("{}\n    {}\n    {}; such as {}\n", family.pattern, family.about, family.size, family.example)
    };
    families::catalogue().iter().map(entry).collect()
}
