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

/// The families in columns: how a name is built, an example, what it is.
fn listing() -> String {
    let families = families::catalogue();
    let width = |text: fn(&families::Family) -> &str| families.iter().map(|f| text(f).len()).max().unwrap_or(0);
    let (name, example) = (width(|f| f.pattern), width(|f| f.example));
    let line = |f: &families::Family| format!("{:name$}  {:example$}  {}\n", f.pattern, f.example, f.description);
    families.iter().map(line).collect()
}
