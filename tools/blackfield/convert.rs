//! `blackfield convert IN OUT`: the same matrix in another format, transposed or reduced mod p if asked; fractions
//! stay.

use crate::args::ConvertArgs;
use crate::input;
use crate::output::MatrixFile;
use crate::progress::Bars;
use blackfield::Result;

/// Reads IN and writes OUT.
pub fn run(args: &ConvertArgs, bars: &Bars) -> Result<()> {
    let output = MatrixFile::resolve(&args.output, args.to)?;
    let mut loaded = input::load_rational(&args.input, args.pattern, None, bars)?;
    if let Some(modulus) = args.modulus {
        loaded.check(modulus)?;
        loaded.matrix = loaded.matrix.residues(modulus)?.into();
    }
    if args.transpose {
        loaded.matrix = loaded.matrix.transpose()?;
    }
    output.write_rational(&loaded.matrix, bars)
}
