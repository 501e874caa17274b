//! `blackfield convert IN OUT`: the same matrix in another format, transposed or reduced mod p if asked.

use crate::args::ConvertArgs;
use crate::input;
use crate::output::MatrixFile;
use crate::progress::Bars;
use blackfield::Result;
use blackfield::sparse::{SparseMatrix, Triplets};

/// Reads IN and writes OUT.
pub fn run(args: &ConvertArgs, bars: &Bars) -> Result<()> {
    let output = MatrixFile::resolve(&args.output, args.to)?;
    let mut triplets = input::load(&args.input, args.pattern, bars)?.triplets;
    if let Some(modulus) = args.modulus {
        triplets = residues(&triplets.reduce(modulus));
    }
    if args.transpose {
        triplets = triplets.transpose();
    }
    output.write(&triplets, bars)
}

/// The residues 0 … p-1 as an integer matrix.
fn residues(matrix: &SparseMatrix) -> Triplets {
    let entries = (0..matrix.rows()).flat_map(|i| {
        let (cols, values) = matrix.row(i);
        // Residues are below 2⁶³.
        cols.iter().zip(values).map(move |(&j, &v)| (i, j as usize, v as i64))
    });
    Triplets::from_entries(matrix.rows(), matrix.cols(), entries)
}
