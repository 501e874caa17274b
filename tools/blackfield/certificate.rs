//! `rank --certificate FILE`: the answer in a form that `blackfield verify` checks.

use crate::args::RankArgs;
use crate::progress::Bars;
use blackfield::answers::{self, Minor};
use blackfield::sparse::SparseMatrix;
use blackfield::{Error, Result};
use std::path::Path;

/// Makes the certificate of a rank of `matrix`, whose integer form has the `digest`, from an invertible minor of its order, and writes it.
///
/// # Errors
/// [`Error::Check`] where the rank is larger, [`Error::Io`].
pub fn write(file: &Path, digest: &str, matrix: &SparseMatrix, minor: &Minor, bars: &Bars) -> Result<()> {
    let certificate = answers::certificate(matrix, digest, minor, bars)?;
    bars.clear();
    let bytes = certificate.to_bytes();
    std::fs::write(file, &bytes).map_err(|source| Error::Io { file: file.to_path_buf(), source })?;
    let (t, s) = (certificate.triangular, certificate.beyond_chain());
    bars.note(&format!("{}: certificate of {} bytes, a chain of {t} and {s} beyond", file.display(), bytes.len()));
    Ok(())
}

/// What --certificate needs: one file and one modulus.
///
/// # Errors
/// [`Error::Usage`].
pub fn check_usage(args: &RankArgs) -> Result<()> {
    if args.certificate.is_some() && (args.files.len(), args.moduli.len()) != (1, 1) {
        return Err(Error::Usage("--certificate is for one file and one modulus".into()));
    }
    Ok(())
}
