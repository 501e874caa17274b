//! The factors of what an elimination took: P·A·Q = L·U, from the coefficients with which rows were cleared.
//!
//! Let M be the rows of the row rank profile in the pivot columns, both in the order in which they were found. A row of
//! a panel is Σ Cᵢ·Bᵢ + R, with the block Bᵢ of the basis that Cᵢ cleared it by and what is left of it, R; of the rows
//! that are kept, R is D times the new block, whose pivot columns are the identity: D is R in those columns. So M =
//! L·U, where L is lower triangular by blocks, (C₀ … Cᵢ₋₁ Dᵢ) in block row i, and U upper triangular by blocks with
//! the identity on its diagonal. Solutions are s² multiply-adds for each right side.
//!
//! When rows join the last block B, it becomes (B - G·N; N) with its entries G in the pivot columns of the new rows N:
//! what was D·B is then D·(B - G·N) + D·G·N.

use super::determinants::determinants;
use super::entry::Entry;
use super::gemm::{Arithmetic, Place};
use super::panel::{PANEL, Panel};
use crate::field::Modulus;
use crate::parallel::Each;
use crate::{Result, memory};
use rayon::prelude::*;

/// What the memory is for.
const FACTORS: &str = "the factors of a dense matrix";
const RIGHT_SIDES: &str = "right sides of a dense system";

/// The factors of a nonsingular matrix M of order s: rows and columns of a matrix that an [`Echelon`](super::Echelon)
/// has absorbed.
#[derive(Debug)]
pub struct Factors {
    /// The row of M at each of its places, numbered as they were absorbed, ascending.
    pub(super) rows: Vec<usize>,
    /// The column of M at each of its places.
    pub(super) cols: Vec<u32>,
    pub(super) blocks: Blocks,
}

/// Block rows of L and U by their storage.
#[derive(Debug)]
pub(super) enum Blocks {
    U8(Triangles<u8>),
    U16(Triangles<u16>),
    U32(Triangles<u32>),
    U64(Triangles<u64>),
}

macro_rules! each {
    ($blocks:expr, $triangles:ident => $what:expr) => {
        match $blocks {
            Blocks::U8($triangles) => $what,
            Blocks::U16($triangles) => $what,
            Blocks::U32($triangles) => $what,
            Blocks::U64($triangles) => $what,
        }
    };
}

impl Factors {
    /// The order s of M.
    pub fn order(&self) -> usize {
        self.rows.len()
    }
    /// The rows of M, ascending, numbered as they were absorbed.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }
    /// The columns of M, in the order in which they were found.
    pub fn cols(&self) -> &[u32] {
        &self.cols
    }
    /// X with M·X = `right`, both s × `count` and row-major.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If `right` has another size.
    pub fn solve(&self, right: &[u64], count: usize) -> Result<Vec<u64>> {
        assert_eq!(right.len(), self.order() * count, "right sides of a system of order {}", self.order());
        each!(&self.blocks, triangles => triangles.solve(right, count))
    }
    /// X with X·M = `left`, both `count` × s and row-major.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If `left` has another size.
    pub fn solve_left(&self, left: &[u64], count: usize) -> Result<Vec<u64>> {
        assert_eq!(left.len(), self.order() * count, "left sides of a system of order {}", self.order());
        each!(&self.blocks, triangles => triangles.solve_left(left, count))
    }
    /// det M.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn determinant(&self, modulus: Modulus) -> Result<u64> {
        each!(&self.blocks, triangles => triangles.determinant(modulus))
    }
    /// Bytes of the factors of a matrix of this order, and of a panel of rows of `cols` entries, which is needed once
    /// more while they are found. Nothing for p = 2, where there are none; for p = 3 also those of a basis of bytes.
    pub fn memory(modulus: Modulus, order: usize, cols: usize) -> u64 {
        let entry = match modulus.get() {
            2 => 0,
            3..=0xff => 1,
            0x100..=0xffff => 2,
            0x1_0000..=0xffff_ffff => 4,
            _ => 8,
        };
        let basis = if modulus.get() == 3 { order as u128 * cols as u128 } else { 0 };
        let residues = basis + order as u128 * order as u128 + PANEL as u128 * cols as u128;
        memory::saturated(residues * entry)
    }
}

/// A block row of L and of U.
#[derive(Debug)]
struct BlockRow<T> {
    /// The place of its first row.
    start: usize,
    rows: usize,
    /// Of L: rows × start.
    before: Vec<T>,
    /// Dᵢ⁻¹ in place of Dᵢ: rows × rows.
    inverse: Vec<T>,
    /// Of U: rows × (s - start - rows).
    behind: Vec<T>,
}

/// L and U.
#[derive(Debug)]
pub(super) struct Triangles<T> {
    arithmetic: Arithmetic,
    order: usize,
    rows: Vec<BlockRow<T>>,
}

impl<T: Entry> Triangles<T> {
    /// Of M⁻¹, row-major: D = M, U = I.
    pub(super) fn of_inverse(modulus: Modulus, order: usize, inverse: Vec<T>) -> Self {
        let row = BlockRow { start: 0, rows: order, before: vec![], inverse, behind: vec![] };
        Triangles { arithmetic: Arithmetic::new(modulus), order, rows: vec![row] }
    }
    /// The product of det Dᵢ.
    fn determinant(&self, modulus: Modulus) -> Result<u64> {
        let mut inverse = 1;
        for row in self.rows.iter().filter(|row| row.rows > 0) {
            let block: Vec<u64> = memory::collect(row.inverse.iter().map(|&x| x.into()), FACTORS)?;
            inverse = modulus.mul(inverse, determinants(modulus, row.rows, &block)[0]);
        }
        Ok(modulus.inv(inverse))
    }
    /// See [`Factors::solve`]: L·Y = B from the first block on, U·X = Y from the last.
    pub(super) fn solve(&self, right: &[u64], count: usize) -> Result<Vec<u64>> {
        let mut x: Vec<T> = memory::collect(right.iter().map(|&x| T::from_residue(x)), RIGHT_SIDES)?;
        let packed = Place::packed(count);
        for BlockRow { start, rows, before, inverse, .. } in &self.rows {
            let (done, own) = x.split_at_mut(start * count);
            let own = &mut own[..rows * count];
            let shape = (*rows, *start, count);
            self.arithmetic.subtract_product(shape, (own, packed), (before, Place::packed(*start)), (done, packed))?;
            let residual = memory::copy(own, RIGHT_SIDES)?;
            own.fill(T::default());
            let shape = (*rows, *rows, count);
            self.arithmetic.add_product(shape, (own, packed), (inverse, Place::packed(*rows)), (&residual, packed))?;
        }
        for BlockRow { start, rows, behind, .. } in self.rows.iter().rev() {
            let (own, done) = x[start * count..].split_at_mut(rows * count);
            let later = self.order - start - rows;
            let shape = (*rows, later, count);
            self.arithmetic.subtract_product(shape, (own, packed), (behind, Place::packed(later)), (done, packed))?;
        }
        memory::collect(x.into_iter().map(Into::into), RIGHT_SIDES)
    }
    /// See [`Factors::solve_left`]: Y·U = C from the first block on, X·L = Y from the last.
    fn solve_left(&self, left: &[u64], count: usize) -> Result<Vec<u64>> {
        let mut x: Vec<T> = memory::collect(left.iter().map(|&x| T::from_residue(x)), RIGHT_SIDES)?;
        let stride = self.order;
        let own = |x: &[T], start: usize, rows: usize| -> Result<Vec<T>> {
            let mut own = memory::with_capacity(count * rows, RIGHT_SIDES)?;
            x.chunks_exact(stride.max(1)).for_each(|line| own.extend_from_slice(&line[start..start + rows]));
            Ok(own)
        };
        for BlockRow { start, rows, behind, .. } in &self.rows {
            let (end, y) = (start + rows, own(&x, *start, *rows)?);
            self.arithmetic.subtract_product(
                (count, *rows, self.order - end),
                (&mut x, Place { offset: end, stride }),
                (&y, Place::packed(*rows)),
                (behind, Place::packed(self.order - end)),
            )?;
        }
        for BlockRow { start, rows, before, inverse, .. } in self.rows.iter().rev() {
            let y = own(&x, *start, *rows)?;
            x.chunks_exact_mut(stride).for_each(|line| line[*start..start + rows].fill(T::default()));
            self.arithmetic.add_product(
                (count, *rows, *rows),
                (&mut x, Place { offset: *start, stride }),
                (&y, Place::packed(*rows)),
                (inverse, Place::packed(*rows)),
            )?;
            let y = own(&x, *start, *rows)?;
            self.arithmetic.subtract_product(
                (count, *rows, *start),
                (&mut x, Place { offset: 0, stride }),
                (&y, Place::packed(*rows)),
                (before, Place::packed(*start)),
            )?;
        }
        memory::collect(x.into_iter().map(Into::into), RIGHT_SIDES)
    }
}

/// The multipliers of an elimination while it goes on.
#[derive(Debug)]
pub(super) struct Multipliers<T> {
    pub(super) blocks: Vec<Own<T>>,
}

/// Those of the rows of a block.
#[derive(Debug)]
pub(super) struct Own<T> {
    pub(super) rows: usize,
    /// Coefficients of the blocks before: rows × start.
    pub(super) before: Vec<T>,
    /// D: rows × rows.
    pub(super) diagonal: Vec<T>,
}

impl<T: Entry> Multipliers<T> {
    pub(super) fn new() -> Self {
        Multipliers { blocks: vec![] }
    }
    /// Rows that are a block of their own: their coefficients of all `start` pivots before, and `diagonal`.
    pub(super) fn push(&mut self, rows: usize, before: Vec<T>, diagonal: Vec<T>) -> Result<()> {
        memory::push(&mut self.blocks, Own { rows, before, diagonal }, FACTORS)
    }
    /// Rows that join the last block: `coefficients` as for [`Multipliers::push`], and the entries `joined` of that
    /// block in their pivot columns.
    pub(super) fn join(
        &mut self,
        arithmetic: Arithmetic,
        rows: usize,
        coefficients: &[T],
        diagonal: &[T],
        joined: &[T],
    ) -> Result<()> {
        let last = self.blocks.last_mut().expect("rows join a block");
        let (old, start) = (last.rows, last.before.len() / last.rows);
        let (pivots, all) = (start + old, old + rows);
        let mut whole = memory::zeros::<T>(all * all, FACTORS)?;
        for (to, from) in whole.chunks_exact_mut(all).zip(last.diagonal.chunks_exact(old)) {
            to[..old].copy_from_slice(from);
        }
        for (i, to) in whole[old * all..].chunks_exact_mut(all).enumerate() {
            to[..old].copy_from_slice(&coefficients[i * pivots + start..][..old]);
            to[old..].copy_from_slice(&diagonal[i * rows..][..rows]);
        }
        let mut left = memory::with_capacity(all * old, FACTORS)?;
        whole.chunks_exact(all).for_each(|row| left.extend_from_slice(&row[..old]));
        arithmetic.add_product(
            (all, old, rows),
            (&mut whole, Place { offset: old, stride: all }),
            (&left, Place::packed(old)),
            (joined, Place::packed(rows)),
        )?;
        memory::reserve_exact(&mut last.before, rows * start, FACTORS)?;
        coefficients.chunks_exact(pivots).for_each(|row| last.before.extend_from_slice(&row[..start]));
        (last.rows, last.diagonal) = (all, whole);
        Ok(())
    }
    /// L and U of order `order`; `behind(i)` are the rows of block i, and how many entries each has behind its pivots:
    /// those of the other pivots come first.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub(super) fn triangles<'b>(
        &self,
        modulus: Modulus,
        order: usize,
        behind: impl Fn(usize) -> (&'b [T], usize) + Sync,
    ) -> Result<Triangles<T>>
    where
        T: 'b,
    {
        let arithmetic = Arithmetic::new(modulus);
        let ends = self.blocks.iter().scan(0, |end, block| {
            *end += block.rows;
            Some(*end)
        });
        let ends: Vec<usize> = memory::collect(ends, FACTORS)?;
        assert_eq!(ends.last().copied().unwrap_or(0), order, "every pivot has its multipliers");
        let row = |(number, (Own { rows, before, diagonal }, &end)): (usize, (&Own<T>, &usize))| {
            let (from, width) = behind(number);
            let mut behind = memory::with_capacity(rows * (order - end), FACTORS)?;
            from.chunks_exact(width.max(1)).for_each(|row| behind.extend_from_slice(&row[..order - end]));
            let inverse = inverse(modulus, arithmetic, *rows, diagonal)?;
            Ok(BlockRow { start: end - rows, rows: *rows, before: memory::copy(before, FACTORS)?, inverse, behind })
        };
        let rows = self.blocks.par_iter().zip(&ends).enumerate().try_make(row)?;
        Ok(Triangles { arithmetic, order, rows })
    }
}

/// The inverse of a nonsingular n × n matrix: (D | I) in reduced echelon form.
fn inverse<T: Entry>(modulus: Modulus, arithmetic: Arithmetic, n: usize, matrix: &[T]) -> Result<Vec<T>> {
    let cols = 2 * n;
    let mut data = memory::zeros::<T>(n * cols, FACTORS)?;
    for (i, (to, from)) in data.chunks_exact_mut(cols).zip(matrix.chunks_exact(n)).enumerate() {
        to[..n].copy_from_slice(from);
        to[n + i] = T::from_residue(1);
    }
    let mut panel = Panel { modulus, arithmetic, data, cols, from: 0, end: cols, at_once: 0, row: (0..n).collect() };
    let pivots = panel.echelon(0, n)?;
    let mut inverse = memory::zeros::<T>(n * n, FACTORS)?;
    for (row, &j) in panel.data.chunks_exact(cols).zip(&pivots) {
        assert!(j < n, "the diagonal blocks are nonsingular");
        inverse[j * n..][..n].copy_from_slice(&row[n..]);
    }
    Ok(inverse)
}

#[cfg(test)]
mod tests {
    use super::super::Echelon;
    use crate::Silent;
    use crate::field::{Modulus, Rng};
    use rand::{RngExt, SeedableRng};

    /// What an elimination takes, whatever its panels and joins, solves the systems of its rows and pivot columns from
    /// both sides: tall, wide, of low rank, with rows that are zero or repeat others, and columns that come late.
    #[test]
    fn factors_solve_the_systems_of_the_rows_taken() {
        let mut rng = Rng::seed_from_u64(81);
        for p in [3, 5, 251, 257, 65521, (1 << 31) - 1, 4_294_967_311, (1 << 63) - 25] {
            let modulus = Modulus::new(p).unwrap();
            for (m, n, step) in
                [(0, 5, 1), (5, 0, 1), (1, 1, 1), (30, 20, 30), (150, 90, 9), (400, 300, 64), (700, 600, 256)]
            {
                let mut a: Vec<Vec<u64>> = vec![];
                for i in 0..m {
                    // The first columns are those of the last rows alone.
                    let first = if i < m / 2 { n / 5 } else { 0 };
                    let row = (0..n).map(|j| match i % 5 {
                        3 => 0,
                        4 => modulus.sub(a[i - 2][j], a[i - 3][j]),
                        _ if j < first => 0,
                        _ => rng.random_range(0..p),
                    });
                    a.push(row.collect());
                }
                let mut echelon = Echelon::with_multipliers(modulus, n).unwrap();
                a.chunks(step).for_each(|part| {
                    echelon.absorb_block(part.len(), &part.concat(), &Silent).unwrap();
                });
                let factors = echelon.factors().unwrap().expect("they are kept");
                let (s, count) = (factors.order(), 3);
                assert_eq!((s, factors.rows()), (echelon.rank(), echelon.pivot_rows()));
                let mut cols = factors.cols().to_vec();
                cols.sort_unstable();
                assert_eq!(cols, echelon.pivot_cols().unwrap());
                if (1..200).contains(&s) {
                    let lines = factors.rows().iter().map(|&i| &a[i]);
                    let minor: Vec<u64> =
                        lines.flat_map(|row| factors.cols().iter().map(|&j| row[j as usize])).collect();
                    assert_eq!(factors.determinant(modulus).unwrap(), super::determinants(modulus, s, &minor)[0]);
                }
                let at = |i: usize, j: usize| a[factors.rows()[i]][factors.cols()[j] as usize];
                let product = |terms: &dyn Fn(usize) -> (u64, u64)| {
                    (0..s).map(terms).fold(0, |sum, (x, y)| modulus.add(sum, modulus.mul(x, y)))
                };
                let b: Vec<u64> = (0..s * count).map(|_| rng.random_range(0..p)).collect();
                let x = factors.solve(&b, count).unwrap();
                let y = factors.solve_left(&b, count).unwrap();
                // All of small ones, a part of the others.
                for k in (0..s * count).step_by(1 + s / 40) {
                    let (i, lane) = (k / count, k % count);
                    let found = product(&|j| (at(i, j), x[j * count + lane]));
                    assert_eq!(found, b[k], "{m} x {n} of rank {s} mod {p} by {step}");
                    let (line, j) = (k / s, k % s);
                    let found = product(&|i| (y[line * s + i], at(i, j)));
                    assert_eq!(found, b[k], "{m} x {n} of rank {s} mod {p} by {step}, from the left");
                }
            }
        }
    }

    /// Over GF(2) multipliers are not kept.
    #[test]
    fn packed_eliminations_have_no_factors() {
        let mut echelon = Echelon::with_multipliers(Modulus::new(2).unwrap(), 3).unwrap();
        echelon.absorb_block(2, &[1u8, 0, 1, 0, 1, 1], &Silent).unwrap();
        assert!(echelon.factors().unwrap().is_none());
    }
}
