//! A basis as bytes, for a run that goes on from it after this one was killed: all that what follows depends on, rows,
//! both rank profiles and multipliers, so that it is the same bit for bit.

use super::bits::Bits;
use super::echelon::{Echelon, Storage};
use super::entry::Entry;
use super::factors::{Multipliers, Own};
use super::panels::{Block, Panels};
use super::trits::Trits;
use crate::field::Modulus;
use crate::report::{Bytes, State};
use crate::{Error, Result, memory};

/// What the memory is for.
const BASIS: &str = "the basis of a dense elimination";

/// As the number of its storage, then that. A basis in the memory of a GPU is refused, as one for which there is no
/// memory would be.
impl Bytes for Echelon {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Echelon { modulus, cols, storage } = self;
        (modulus.get(), cols).write(to)?;
        match storage {
            Storage::Bits(bits) => (0u8, bits).write(to),
            Storage::Trits(trits) => (1u8, trits).write(to),
            Storage::U8(panels) => (2u8, panels).write(to),
            Storage::U16(panels) => (3u8, panels).write(to),
            Storage::U32(panels) => (4u8, panels).write(to),
            Storage::U64(panels) => (5u8, panels).write(to),
            Storage::Gpu(_) | Storage::Gpus(_) => {
                Err(Error::Memory("a basis in the memory of a GPU is not kept".into()))
            }
        }
    }
}

impl State for Echelon {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (modulus, cols) = (Modulus::new(u64::read(from)?).ok()?, usize::read(from)?);
        let storage = match u8::read(from)? {
            0 => Storage::Bits(Bits::read(from).filter(|bits| bits.cols == cols)?),
            1 => Storage::Trits(Trits::read(from).filter(|trits| trits.cols == cols)?),
            2 => Storage::U8(panels(modulus, cols, from)?),
            3 => Storage::U16(panels(modulus, cols, from)?),
            4 => Storage::U32(panels(modulus, cols, from)?),
            5 => Storage::U64(panels(modulus, cols, from)?),
            _ => return None,
        };
        Some(Echelon { modulus, cols, storage })
    }
}

impl<T: Entry> Bytes for Panels<T> {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        (&self.order, &self.pivot_rows, self.rows_seen, self.blocks.len()).write(to)?;
        for Block { start, rows, behind } in &self.blocks {
            (start, rows, behind).write(to)?;
        }
        let own = self.multipliers.as_ref().map(|multipliers| &multipliers.blocks);
        own.is_some().write(to)?;
        own.into_iter().flatten().try_for_each(|Own { rows, before, diagonal }| (rows, before, diagonal).write(to))
    }
}

/// A basis mod p in a space of so many dimensions.
fn panels<T: Entry>(modulus: Modulus, cols: usize, from: &mut &[u8]) -> Option<Panels<T>> {
    let (order, pivot_rows, rows_seen, count): (Vec<u32>, Vec<usize>, usize, usize) = State::read(from)?;
    if order.len() != cols {
        return None;
    }
    let mut panels = Panels::new(modulus, cols).ok()?;
    for (at, &j) in order.iter().enumerate() {
        *panels.position.get_mut(j as usize)? = at as u32;
    }
    let mut end = 0;
    for _ in 0..count {
        let (start, rows, behind): (usize, usize, Vec<T>) = State::read(from)?;
        let width = cols.checked_sub(start)?.checked_sub(rows)?;
        if start != end || rows == 0 || behind.len() != rows * width {
            return None;
        }
        end += rows;
        memory::push(&mut panels.blocks, Block { start, rows, behind }, BASIS).ok()?;
    }
    if bool::read(from)? {
        let mut multipliers = Multipliers::new();
        for block in &panels.blocks {
            let (rows, before, diagonal): (usize, Vec<T>, Vec<T>) = State::read(from)?;
            if rows != block.rows || before.len() != rows * block.start || diagonal.len() != rows * rows {
                return None;
            }
            multipliers.push(rows, before, diagonal).ok()?;
        }
        panels.multipliers = Some(multipliers);
    }
    if end != pivot_rows.len() {
        return None;
    }
    (panels.order, panels.pivot_rows, panels.rows_seen) = (order, pivot_rows, rows_seen);
    Some(panels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    fn bytes(echelon: &Echelon) -> Vec<u8> {
        let mut bytes = vec![];
        echelon.write(&mut bytes).unwrap();
        bytes
    }

    /// What is read between any two steps goes on to the same basis, profiles and factors, whatever the storage: tall,
    /// wide, of low rank, with zero rows, duplicates, and columns that come late.
    #[test]
    fn a_basis_that_was_written_goes_on_as_it_would_have() {
        let mut rng = Rng::seed_from_u64(91);
        for p in [2, 3, 251, 65521, (1 << 31) - 1, (1 << 63) - 25] {
            let modulus = Modulus::new(p).unwrap();
            for (rows, cols, step) in [(0, 5, 1), (7, 0, 3), (200, 60, 41), (60, 300, 21), (320, 290, 70)] {
                let mut data: Vec<Vec<u64>> = vec![];
                for i in 0..rows {
                    let first = if i < rows / 2 { cols / 5 } else { 0 };
                    let row = (0..cols).map(|j| match i % 7 {
                        3 => 0,
                        4 => data[i - 2][j],
                        5 => modulus.sub(data[i - 4][j], data[i - 3][j]),
                        _ if j < first => 0,
                        _ => rng.random_range(0..p),
                    });
                    data.push(row.collect());
                }
                for multipliers in [false, true] {
                    let new = || match multipliers {
                        false => Echelon::new(modulus, cols).unwrap(),
                        true => Echelon::with_multipliers(modulus, cols).unwrap(),
                    };
                    let (mut whole, mut broken) = (new(), new());
                    for part in data.chunks(step) {
                        for echelon in [&mut whole, &mut broken] {
                            echelon.absorb_block(part.len(), &part.concat(), &Silent).unwrap();
                        }
                        broken = State::read(&mut &bytes(&broken)[..]).unwrap();
                        assert_eq!(bytes(&broken), bytes(&whole), "{rows} x {cols} mod {p}");
                    }
                    assert_eq!(broken.rows_seen(), whole.rows_seen());
                    assert_eq!(broken.pivot_rows(), whole.pivot_rows());
                    assert_eq!(broken.pivot_cols().unwrap(), whole.pivot_cols().unwrap());
                    let right: Vec<u64> = (0..whole.rank()).map(|_| rng.random_range(0..p)).collect();
                    let solved = |echelon: &Echelon| {
                        let factors = echelon.factors().unwrap();
                        factors.map(|factors| factors.solve(&right, 1).unwrap())
                    };
                    assert_eq!(solved(&broken).is_some(), multipliers && p > 2);
                    assert_eq!(solved(&broken), solved(&whole));
                    let random = || Rng::seed_from_u64(5);
                    assert_eq!(broken.orthogonal(3, &mut random()).unwrap(), {
                        whole.orthogonal(3, &mut random()).unwrap()
                    });
                }
            }
        }
    }

    /// No beginning of the bytes is a basis, nor are bytes in which a number is another.
    #[test]
    fn what_is_no_basis_is_refused() {
        let mut rng = Rng::seed_from_u64(92);
        for p in [2, 3, 65521] {
            let mut echelon = Echelon::with_multipliers(Modulus::new(p).unwrap(), 70).unwrap();
            let data: Vec<u64> = (0..90 * 70).map(|_| rng.random_range(0..p)).collect();
            echelon.absorb_block(90, &data, &Silent).unwrap();
            let whole = bytes(&echelon);
            for length in (0..whole.len()).step_by(1 + whole.len() / 1000) {
                assert!(Echelon::read(&mut &whole[..length]).is_none(), "{length} of {} bytes", whole.len());
            }
            // The modulus, the dimension, the storage.
            for (at, byte) in [(0, 4), (8, 71), (8, 69), (16, 9)] {
                let mut changed = whole.clone();
                changed[at] = byte;
                assert!(Echelon::read(&mut &changed[..]).is_none(), "byte {at} mod {p}");
            }
        }
    }
}
