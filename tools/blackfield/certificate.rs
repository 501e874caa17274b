//! `rank --certificate FILE`: the answer in a form that `blackfield verify` checks.

use crate::args::RankArgs;
use crate::progress::Bars;
use blackfield::answers::{self, Minor};
use blackfield::dense::Echelon;
use blackfield::sparse::{SparseMatrix, Triplets};
use blackfield::{Error, Result};
use std::path::Path;

/// Makes the certificate of `rank` for `matrix`, which is `triplets` mod p, and writes it. `minor` is the computation's own,
/// where it has one; else it is found here, densely, within `max_memory` bytes.
///
/// # Errors
/// [`Error::Memory`] where a minor cannot be found within the limit, [`Error::Check`] where rank and minor disagree.
pub fn write(
    file: &Path,
    (triplets, matrix): (&Triplets, &SparseMatrix),
    rank: usize,
    minor: Option<Minor>,
    max_memory: Option<u64>,
    bars: &Bars,
) -> Result<()> {
    let minor = match minor {
        Some(minor) => minor,
        None => {
            let needed = Echelon::memory(matrix.modulus(), rank, matrix.cols());
            if let Some(limit) = max_memory.filter(|&limit| needed > limit) {
                return Err(Error::Memory(format!(
                    "a certificate needs an invertible minor; finding one takes {needed} bytes, {limit} bytes are there"
                )));
            }
            Minor::by_dense_elimination(matrix, bars)?
        }
    };
    if minor.rows.len() != rank {
        return Err(Error::Check(format!(
            "the rank is said to be {rank}, an invertible minor has {}",
            minor.rows.len()
        )));
    }
    let certificate = answers::certificate(matrix, &triplets.digest(), &minor, None, bars)?;
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
