//! `rank --certificate FILE`: the answer in a form that `blackfield verify` checks.

use crate::args::RankArgs;
use crate::output;
use crate::progress::Bars;
use blackfield::answers::{self, Minor};
use blackfield::io::AtomicFile;
use blackfield::sparse::{LineMaps, SparseMatrix};
use blackfield::words::counted;
use blackfield::{Error, Result};
use std::io::Write;

/// Where the certificate will go, if one is wanted, begun before anything is computed: a place that cannot be written
/// is refused at once, and so is the matrix's own.
///
/// # Errors
/// [`Error::Usage`] unless there are one file and one modulus, and a name for another file; [`Error::Io`].
pub fn begin(args: &RankArgs) -> Result<Option<AtomicFile>> {
    let Some(file) = &args.certificate else { return Ok(None) };
    if (args.files.len(), args.moduli.len()) != (1, 1) {
        return Err(Error::Usage("--certificate is for one file and one modulus".into()));
    }
    if file.as_os_str() == "-" {
        return Err(Error::Usage("--certificate needs the name of a file: standard output has the rank".into()));
    }
    output::check_is_no_input("--certificate", file, &args.files[0])?;
    AtomicFile::create(file).map(Some)
}

/// Makes the certificate of a rank of the matrix with the `digest`, of which `matrix` has the rows and columns `lines`,
/// from a nonsingular minor of `matrix` of its order, and writes it to `file`.
///
/// # Errors
/// [`Error::Refuted`] where the rank is larger, [`Error::Io`].
pub fn write(
    mut file: AtomicFile,
    digest: &str,
    matrix: &SparseMatrix,
    lines: &LineMaps,
    minor: &Minor,
    bars: &Bars,
) -> Result<()> {
    let name = file.name().to_path_buf();
    let certificate = answers::certificate_compact(matrix, lines, digest, minor, bars)?;
    bars.clear();
    let bytes = certificate.to_bytes();
    file.write_all(&bytes).map_err(|source| Error::Io { file: name.clone(), source })?;
    file.finish()?;
    let (t, s) = (certificate.triangular, certificate.beyond_chain());
    bars.note(&format!(
        "{}: a certificate of {}, a chain of {t} and {s} beyond",
        name.display(),
        counted(bytes.len(), "byte")
    ));
    Ok(())
}
