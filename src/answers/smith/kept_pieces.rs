//! The pieces of a matrix over ℤ, as another run has left them.

use super::diagonal::Diagonal;
use super::pieces::{Piece, Pieces};
use crate::answers::RankOptions;
use crate::report::once_if_worth;
use crate::sparse::Triplets;
use crate::{Observer, Result, memory};
use num_bigint::{BigInt, BigUint};

/// What the memory is for.
const PIECES: &str = "the pieces of a matrix over Z";

/// A component: what it has to be multiplied by, its numbers of rows and columns, the units before it, its entries.
type Core = (BigUint, [usize; 3], (Vec<u32>, Vec<u32>, Vec<BigInt>));

/// All of `a` that units and contents settle.
///
/// # Errors
/// Those of [`Pieces::of`], and of what keeps states.
pub(super) fn pieces(a: Triplets, options: &RankOptions, observer: &dyn Observer) -> Result<Pieces> {
    if observer.keeper().is_none() {
        return Pieces::of(a, options, observer);
    }
    let digest = a.digest();
    let make = || {
        let Pieces { diagonal, cores, units } = Pieces::of(a, options, observer)?;
        let diagonal = memory::collect(diagonal.entries().map(|(d, count)| (d.clone(), count)), PIECES)?;
        let cores = cores.into_iter().map(written).collect::<Result<Vec<Core>>>()?;
        Ok((units, diagonal, cores))
    };
    let (units, entries, cores) = once_if_worth("units", || digest, observer, make)?;
    let mut diagonal = Diagonal::default();
    entries.into_iter().for_each(|(d, count)| diagonal.add(d, count));
    let cores = cores.into_iter().map(read).collect::<Result<Vec<Piece>>>()?;
    Ok(Pieces { diagonal, cores, units })
}

fn written(Piece { matrix, scale, before }: Piece) -> Result<Core> {
    let lines = matrix.entries().map(|(i, j, _)| (i as u32, j as u32));
    let (rows, cols) = memory::unzip(memory::collect(lines, PIECES)?.into_iter(), PIECES)?;
    let values = memory::collect(matrix.entries().map(|(_, _, v)| v.to_bigint()), PIECES)?;
    Ok((scale, [matrix.rows(), matrix.cols(), before], (rows, cols, values)))
}

fn read((scale, [m, n, before], (rows, cols, values)): Core) -> Result<Piece> {
    let entries = rows.into_iter().zip(cols).zip(values).map(|((i, j), v)| (i as usize, j as usize, v));
    Ok(Piece { matrix: Triplets::try_from_entries(m, n, entries)?, scale, before })
}
