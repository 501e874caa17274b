//! `blackfield convert IN OUT`: the same matrix in another format, transposed or reduced mod p if asked.

use crate::args::ConvertArgs;
use crate::input;
use crate::output::MatrixFile;
use crate::progress::Bars;
use blackfield::Result;

/// Reads IN and writes OUT.
pub fn run(args: &ConvertArgs, bars: &Bars) -> Result<()> {
    let output = MatrixFile::resolve(&args.output, args.to)?;
    let mut triplets = input::load(&args.input, args.pattern, bars)?.triplets;
    if let Some(modulus) = args.modulus {
        triplets = triplets.residues(modulus)?;
    }
    if args.transpose {
        triplets = triplets.try_transpose()?;
    }
    output.write(&triplets, bars)
}
