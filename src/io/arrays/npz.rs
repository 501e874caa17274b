//! NumPy's `.npz`, a zip archive of `.npy` files: a sparse matrix of SciPy's, or arrays one of which is the matrix.

use super::named::Npz;
use super::scipy;
use crate::io::options::ReadOptions;
use crate::io::packing::{Archive, Choice, Rank};
use crate::io::source::{Bytes, Source};
use crate::sparse::Triplets;
use crate::{Error, Result};

/// Reads the file.
pub(super) fn read(source: Source<'_>, options: &ReadOptions) -> Result<Triplets> {
    let Source { name, observer, select, bytes, .. } = source;
    let Bytes::Memory { bytes, .. } = bytes else { unreachable!("an archive is in memory") };
    let refused = |message: String| Error::Input { file: name.to_path_buf(), line: 0, message };
    let archive = Archive::new(bytes).map_err(refused)?;
    let npz = Npz::new(&archive, name, observer);
    let has = |array: &str| npz.names().any(|name| name == array);
    if select.is_empty() && ["format", "shape", "data"].iter().all(|array| has(array)) {
        return scipy::read(&npz, options);
    }
    let mut choice = Choice::new("array", select);
    for array in npz.names() {
        let npy = npz.get(array)?;
        let rank = if npy.header.shape.len() == 2 { Rank::Matrix } else { Rank::Other };
        if select.is_empty() && (npy.header.shape.len() > 2 || npy.header.element().is_err()) {
            choice.see(array);
        } else if choice.wants(array, rank) {
            choice.found(array, rank, npy.matrix(options))?;
        }
    }
    choice.finish(&name.display().to_string()).map_err(refused)?
}
