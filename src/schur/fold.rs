//! Columns of S folded together: S·M for a sparse random M, so that rows become short.
//!
//! One draw serves all widths: a column of S goes to columns numbered by 31 random bits, and to those numbers modulo
//! the width, a power of two. So rows of the narrower S·M are rows of the wider one with its columns folded once more
//! ([`narrow`]).

use crate::field::{Modulus, Rng};
use crate::isa::{Isa, Kernel, prefetch};
use crate::parallel::Each;
use crate::sparse::SparseMatrix;
use crate::spmv::{Block, LANES, Lanes};
use crate::{Result, memory};
use rand::Rng as _;
use rayon::prelude::*;

/// Columns of S·M that a column of S goes to. If S has s rows with one entry each, M is a random matrix with so many
/// entries in each of s rows, whose rank is full up to a share s/w of 0.5 for two entries and 0.917 for three (M.
/// Dietzfelbinger et al., *Tight thresholds for cuckoo hashing via XORSAT*, ICALP 2010).
const TIMES: usize = 3;
/// Columns between asking for sums and adding to them.
const AHEAD: usize = 6;
/// Columns that a transposition writes at once.
const TILE: usize = 32;
/// What the memory is for.
const FOLD: &str = "the columns of a sketch";

/// A random matrix M with `width` columns and [`TIMES`] entries ±1 in each row, one row for each column of S; entries
/// may meet.
#[derive(Debug)]
pub(super) struct Fold {
    /// A power of two.
    width: usize,
    /// For each column of S what its columns of S·M are modulo the width: twice a number, and 1 more for a minus sign.
    to: Vec<[u32; TIMES]>,
}

impl Fold {
    /// Of `cols` columns to `width`.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// As [`Fold::widen`].
    pub fn new(cols: usize, width: usize, rng: &mut Rng) -> Result<Fold> {
        let mut fold =
            Fold { width, to: memory::collect((0..cols).map(|_| [(); TIMES].map(|()| rng.next_u32())), FOLD)? };
        fold.widen(width);
        Ok(fold)
    }
    /// Columns of S.
    pub fn cols(&self) -> usize {
        self.to.len()
    }
    /// Columns of S·M.
    pub fn width(&self) -> usize {
        self.width
    }
    /// The same with another number of columns.
    ///
    /// # Panics
    /// Unless `width` is a power of two up to 2³¹.
    pub fn widen(&mut self, width: usize) {
        assert!(width.is_power_of_two() && width <= 1 << 31, "a number of 31 bits modulo {width}");
        self.width = width;
    }
    /// Writes (R·M)ᵀ for rows R of S that lie in `lanes` lanes, one after the other for each column of S; transposed
    /// once more: row l of `to` becomes lane l of R·M. M has `width` columns here, another power of two. `sums` are
    /// `width` × `lanes` of working space.
    pub fn fold<T: Sum>(&self, p: Modulus, width: usize, from: &[T], lanes: usize, sums: &mut [T], to: &mut [T]) {
        assert!(width.is_power_of_two() && sums.len() == width * lanes, "sums of {width} columns");
        Isa::best().run(FoldRows { to: &self.to, p: p.get(), width, from, lanes, sums: &mut *sums });
        transpose(sums, lanes, to);
    }
    /// Mᵀ for `width` columns of M, another power of two.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn transposed(&self, p: Modulus, width: usize) -> Result<SparseMatrix> {
        let mut m = SparseMatrix::empty(p, width, self.to.len(), TIMES * self.to.len())?;
        let mut entries: Vec<(u32, u64)> = Vec::with_capacity(TIMES);
        for places in &self.to {
            for place in places {
                let (column, value) = ((*place / 2) % width as u32, if place % 2 == 0 { 1 } else { p.neg(1) });
                match entries.iter_mut().find(|entry| entry.0 == column) {
                    Some(entry) => entry.1 = p.add(entry.1, value),
                    None => entries.push((column, value)),
                }
            }
            entries.retain(|entry| entry.1 != 0);
            m.push_row(&mut entries);
        }
        m.transpose()
    }
    /// Adds M·U to the first rows of `x`, one for each column of S; U has a row for each column of S·M.
    ///
    /// # Panics
    /// If the widths differ.
    pub fn add_unfolded(&self, p: Modulus, u: &[u64], x: &mut Block) {
        let lanes = x.width();
        assert_eq!(u.len(), self.width * lanes, "a row for each column");
        macro_rules! add {
            ($($lane:ident $number:ty,)*) => {
                match &mut x.lanes {
                    $(Lanes::$lane(x) => {
                        let rows = x.par_chunks_exact_mut(lanes.max(1)).with_min_len(1 << 10).zip(&self.to);
                        rows.each(|(row, places)| {
                            for place in places {
                                let u = &u[(place / 2) as usize % self.width * lanes..][..lanes];
                                let of = row.iter_mut().zip(u);
                                match place % 2 {
                                    0 => of.for_each(|(x, &u)| *x = p.add((*x).into(), u) as $number),
                                    _ => of.for_each(|(x, &u)| *x = p.sub((*x).into(), u) as $number),
                                }
                            }
                        });
                    })*
                    Lanes::F32(_) | Lanes::F64(_) => unreachable!("triangular solves have integer lanes"),
                }
            };
        }
        add!(U8 u8, U16 u16, U32 u32, U64 u64,);
    }
}

/// Writes the transpose of rows of `width` entries.
pub(super) fn transpose<T: Copy>(from: &[T], width: usize, to: &mut [T]) {
    let count = from.len() / width;
    // By tiles: a line of the cache is written at once, and lines a power of two apart would evict each other.
    for (tile, rows) in from.chunks(TILE * width).enumerate() {
        let columns = tile * TILE..count.min((tile + 1) * TILE);
        for (l, to) in to.chunks_exact_mut(count.max(1)).take(width).enumerate() {
            to[columns.clone()].iter_mut().zip(rows.chunks_exact(width)).for_each(|(to, row)| *to = row[l]);
        }
    }
}

/// The sums of [`Fold::fold`].
struct FoldRows<'a, T> {
    to: &'a [[u32; TIMES]],
    p: u64,
    /// A power of two.
    width: usize,
    from: &'a [T],
    lanes: usize,
    sums: &'a mut [T],
}

impl<T: Sum> Kernel for FoldRows<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let FoldRows { to, p, width, from, lanes, sums } = self;
        sums.fill(T::default());
        let line = lanes.min((64 / size_of::<T>()).max(1));
        for (j, (places, x)) in to.iter().zip(from.chunks_exact(lanes)).enumerate() {
            for place in to.get(j + AHEAD).into_iter().flatten() {
                let first = ((place / 2) as usize & (width - 1)) * lanes;
                (first..first + lanes).step_by(line).for_each(|at| prefetch(sums, at));
            }
            for place in places {
                let sums = &mut sums[((place / 2) as usize & (width - 1)) * lanes..][..lanes];
                match (sums.first_chunk_mut::<LANES>(), x.first_chunk::<LANES>()) {
                    (Some(sums), Some(x)) if lanes == LANES => add_signed(sums, x, place % 2, p),
                    _ => add_signed(sums, x, place % 2, p),
                }
            }
        }
    }
}

/// Adds a row to sums, or subtracts it if `minus` is 1: without a branch, which nothing would predict.
#[inline(always)]
fn add_signed<T: Sum>(sums: &mut [T], x: &[T], minus: u32, p: u64) {
    let mask = T::mask(minus == 0);
    sums.iter_mut().zip(x).for_each(|(sum, &x)| *sum = sum.minus(x.negative(mask, p), p));
}

/// Writes a row of the narrower R·M, from one of the wider: columns of equal number modulo the narrower width are
/// added.
pub(super) fn narrow<T: Sum>(p: Modulus, wide: &[T], narrow: &mut [T]) {
    let (first, others) = wide.split_at(narrow.len());
    narrow.copy_from_slice(first);
    for other in others.chunks_exact(narrow.len()) {
        narrow.iter_mut().zip(other).for_each(|(sum, &x)| *sum = sum.plus(x, p.get()));
    }
}

/// Sums and differences of residues in the width that they are stored in, which holds p as well.
pub(super) trait Sum: Copy + Default {
    fn plus(self, x: Self, p: u64) -> Self;
    /// Also for x = p.
    fn minus(self, x: Self, p: u64) -> Self;
    /// All bits, or none.
    fn mask(all: bool) -> Self;
    /// p - x where the mask is all bits, x where it is none.
    fn negative(self, mask: Self, p: u64) -> Self;
}

macro_rules! sums {
    ($($lane:ty)*) => {
        $(impl Sum for $lane {
            #[inline(always)]
            fn plus(self, x: Self, p: u64) -> Self {
                self.minus(p as $lane - x, p)
            }
            #[inline(always)]
            fn minus(self, x: Self, p: u64) -> Self {
                let difference = self.wrapping_sub(x);
                if self < x { difference.wrapping_add(p as $lane) } else { difference }
            }
            #[inline(always)]
            fn mask(all: bool) -> Self {
                <$lane>::from(all).wrapping_neg()
            }
            #[inline(always)]
            fn negative(self, mask: Self, p: u64) -> Self {
                (self ^ mask).wrapping_add((p as $lane).wrapping_add(1) & mask)
            }
        })*
    };
}
sums!(u8 u16 u32 u64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spmv::Lane;
    use rand::{RngExt, SeedableRng};

    /// Folding is a product with M, and what is unfolded one with its transpose.
    #[test]
    fn folding_is_the_product_with_the_matrix() {
        let mut rng = Rng::seed_from_u64(61);
        for p in [5, 251, 65521, (1 << 31) - 1, (1 << 63) - 25] {
            let modulus = Modulus::new(p).unwrap();
            for (cols, width, lanes) in [(0, 4, 2), (1, 1, 1), (7, 2, 3), (40, 16, 8), (30, 256, 4)] {
                let fold = Fold::new(cols, width, &mut rng).unwrap();
                let mut m = vec![vec![0; width]; cols];
                for (row, places) in m.iter_mut().zip(&fold.to) {
                    for place in places {
                        let entry = &mut row[(place / 2) as usize % width];
                        *entry = if place % 2 == 0 { modulus.add(*entry, 1) } else { modulus.sub(*entry, 1) };
                    }
                }
                let turned = fold.transposed(modulus, width).unwrap().transpose().unwrap();
                for (j, row) in m.iter().enumerate() {
                    let entries = (0..width as u32).zip(row.iter().copied());
                    let expected: Vec<_> = entries.filter(|entry| entry.1 != 0).collect();
                    let found: Vec<_> = turned.row(j).0.iter().copied().zip(turned.row(j).1.iter().copied()).collect();
                    assert_eq!(found, expected, "column {j} of {cols}");
                }
                let mut random = |len: usize| (0..len).map(|_| rng.random_range(0..p)).collect::<Vec<u64>>();
                let (from, u, z) = (random(cols * lanes), random(width * lanes), random(cols * lanes));
                let sum = |terms: &mut dyn Iterator<Item = (u64, u64)>| {
                    terms.fold(0, |sum, (x, y)| modulus.add(sum, modulus.mul(x, y)))
                };
                let expected: Vec<u64> = (0..lanes * width)
                    .map(|k| sum(&mut (0..cols).map(|j| (from[j * lanes + k / width], m[j][k % width]))))
                    .collect();
                macro_rules! folded {
                    ($lane:ty) => {{
                        let from: Vec<$lane> = from.iter().map(|&x| x as $lane).collect();
                        let (mut sums, mut to) = (vec![1; width * lanes], vec![1; width * lanes]);
                        fold.fold(modulus, width, &from, lanes, &mut sums, &mut to);
                        // Four times as wide, and narrowed, it is the same.
                        let (mut sums, mut wide) = (vec![1; 4 * width * lanes], vec![1; 4 * width * lanes]);
                        fold.fold(modulus, 4 * width, &from, lanes, &mut sums, &mut wide);
                        let mut again = vec![1; width * lanes];
                        let rows = wide.chunks_exact(4 * width).zip(again.chunks_exact_mut(width));
                        rows.for_each(|(wide, again)| narrow(modulus, wide, again));
                        assert_eq!(again, to);
                        to.into_iter().map(|x| x as u64).collect::<Vec<u64>>()
                    }};
                }
                let found = match Lane::narrowest(modulus) {
                    Lane::U8 => folded!(u8),
                    Lane::U16 => folded!(u16),
                    Lane::U32 => folded!(u32),
                    _ => folded!(u64),
                };
                assert_eq!(found, expected, "{cols} to {width} mod {p}");
                let mut x = Block::from_residues(Lane::narrowest(modulus), cols, lanes, &z).unwrap();
                fold.add_unfolded(modulus, &u, &mut x);
                let expected: Vec<u64> = (0..cols * lanes)
                    .map(|k| {
                        let product = sum(&mut (0..width).map(|i| (m[k / lanes][i], u[i * lanes + k % lanes])));
                        modulus.add(z[k], product)
                    })
                    .collect();
                assert_eq!(x.to_residues().unwrap(), expected);
            }
        }
    }
}
