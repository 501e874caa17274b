//! A basis as bytes, for a process that goes on with it: its modulus and columns, then what each storage has.

use super::echelon::{Echelon, Storage};
use super::{bits::Bits, panels::Panels, trits::Trits};
use crate::Result;
use crate::field::Modulus;
use crate::report::{Bytes, State};

impl Bytes for Echelon {
    /// Multipliers are not written: a basis that is read has none.
    ///
    /// # Panics
    /// If the basis is in the memory of a GPU ([`Echelon::is_on_gpu`]).
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        (self.modulus.get(), self.cols).write(to)?;
        match &self.storage {
            Storage::Bits(b) => b.write(to),
            Storage::Trits(t) => t.write(to),
            Storage::U8(p) => p.write(to),
            Storage::U16(p) => p.write(to),
            Storage::U32(p) => p.write(to),
            Storage::U64(p) => p.write(to),
            Storage::Gpu(_) => panic!("a basis in the memory of a GPU is not written"),
        }
    }
}

impl State for Echelon {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (p, cols): (u64, usize) = State::read(from)?;
        let modulus = Modulus::new(p).ok()?;
        if cols >= 1 << 32 {
            return None;
        }
        let mut echelon = Echelon::new(modulus, cols).ok()?;
        match &mut echelon.storage {
            Storage::Bits(b) => *b = Bits::read(cols, from)?,
            Storage::Trits(t) => *t = Trits::read(cols, from)?,
            Storage::U8(p) => *p = Panels::read(modulus, cols, from)?,
            Storage::U16(p) => *p = Panels::read(modulus, cols, from)?,
            Storage::U32(p) => *p = Panels::read(modulus, cols, from)?,
            Storage::U64(p) => *p = Panels::read(modulus, cols, from)?,
            Storage::Gpu(_) => unreachable!("a new basis is in the memory of the processor"),
        }
        Some(echelon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    /// A basis that is written and read in the middle of a matrix ends as one that was not.
    #[test]
    fn a_basis_goes_on_after_it_was_read() {
        let mut rng = Rng::seed_from_u64(9);
        for p in [2, 3, 5, 251, 65521, (1 << 31) - 1, (1 << 63) - 25] {
            let modulus = Modulus::new(p).unwrap();
            for (rows, cols, most) in [(0, 5, 9), (7, 0, 9), (40, 30, 9), (330, 300, 290), (20, 600, 9)] {
                // Rows from a space of few dimensions, zero in the first columns.
                let basis: Vec<Vec<u64>> = (0..most)
                    .map(|_| (0..cols).map(|j| if j < 3 { 0 } else { rng.random_range(0..p) }).collect())
                    .collect();
                let row = |rng: &mut Rng| -> Vec<u64> {
                    let (a, b) = (rng.random_range(0..most), rng.random_range(0..most));
                    (0..cols).map(|j| modulus.add(basis[a][j], basis[b][j])).collect()
                };
                let data: Vec<u64> = (0..rows).flat_map(|_| row(&mut rng)).collect();
                let mut whole = Echelon::new(modulus, cols).unwrap();
                whole.absorb_block(rows, &data, &Silent).unwrap();
                let mut part = Echelon::new(modulus, cols).unwrap();
                for from in (0..rows).step_by(137) {
                    let mut bytes = vec![];
                    part.write(&mut bytes).unwrap();
                    let mut rest = &bytes[..];
                    part = Echelon::read(&mut rest).unwrap();
                    assert!(rest.is_empty());
                    for length in [0, 7, 8, 16, 17, bytes.len() / 2, bytes.len() - 1] {
                        assert!(Echelon::read(&mut &bytes[..length]).is_none(), "{length} of {} bytes", bytes.len());
                    }
                    let to = rows.min(from + 97);
                    part.absorb_block(to - from, &data[from * cols..to * cols], &Silent).unwrap();
                }
                assert_eq!(part.pivot_rows(), whole.pivot_rows(), "{rows} x {cols} mod {p}");
                let [part, whole] = [part, whole].map(|basis| basis.reduced().unwrap());
                assert_eq!(part.pivot_cols(), whole.pivot_cols());
                let free = cols - part.pivot_cols().len();
                assert_eq!(part.column_block(0..free).unwrap(), whole.column_block(0..free).unwrap());
            }
        }
    }
}
