//! The reduced form of few rows whose pivot columns are known: (B C) in these columns and the others becomes (I T), T =
//! B⁻¹·C.
//!
//! Row by row, in sums of 128 bits that are reduced once: a product is below p²/2⁶⁴ < p in its upper word, from which p
//! is subtracted where it can be. Each pivot is moved to the front of the columns that are left, so that the work is
//! half of that of whole rows; what lies in front of the others is cleared in C alone. For a few hundred rows this
//! takes less than matrix products of so small a size.

use super::reduced::{Reduced, Table};
use crate::field::Modulus;
use crate::{Result, memory};

/// What the memory is for.
const ROWS: &str = "the rows of a small elimination";

/// A row as columns, ascending, and values.
type Row<'a> = (&'a [u32], &'a [u64]);

impl Reduced {
    /// The form of these rows in `cols` columns with its pivots in those of `pivot_cols`, ascending, as many as there
    /// are rows; `None` if the rows are dependent in these columns. That these are the first columns possible is up to
    /// the caller. Cost: r²·(n/2 - r/6) + r²·(n - r)/2 products for r rows and n columns.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If there are not as many rows as pivots.
    pub fn of_rows<'a>(
        modulus: Modulus,
        cols: usize,
        rows: impl ExactSizeIterator<Item = Row<'a>>,
        pivot_cols: &[u32],
    ) -> Result<Option<Reduced>> {
        let (p, r) = (modulus.get(), pivot_cols.len());
        assert_eq!(rows.len(), r, "a row for each pivot");
        let mut known = pivot_cols.iter().peekable();
        let free_cols = memory::collect((0..cols as u32).filter(|j| known.next_if_eq(&j).is_none()), ROWS)?;
        // By column its place, and the columns of the places: those of pivots first.
        let mut at = memory::collect(pivot_cols.iter().chain(&free_cols).copied(), ROWS)?;
        let mut place = memory::zeros::<u32>(cols, ROWS)?;
        at.iter().zip(0..).for_each(|(&j, k)| place[j as usize] = k);
        let mut done: Vec<u64> = memory::with_capacity(r * cols, ROWS)?;
        let mut sums = memory::zeros::<u128>(cols, ROWS)?;
        for (k, (own, values)) in rows.enumerate() {
            sums.fill(0);
            own.iter().zip(values).for_each(|(&j, &v)| sums[place[j as usize] as usize] = u128::from(v));
            for (i, row) in done.chunks_exact(cols).enumerate() {
                match modulus.reduce_u128(sums[i]) {
                    0 => {}
                    c => add_multiple(&mut sums[i + 1..], p - c, &row[i + 1..], p),
                }
            }
            let left = sums.iter().skip(k).take(r - k).position(|&sum| modulus.reduce_u128(sum) != 0);
            let Some(pivot) = left.map(|left| k + left) else { return Ok(None) };
            // To the front, in this row and all before it.
            sums.swap(k, pivot);
            done.chunks_exact_mut(cols).for_each(|row| row.swap(k, pivot));
            at.swap(k, pivot);
            (place[at[k] as usize], place[at[pivot] as usize]) = (k as u32, pivot as u32);
            let inverse = modulus.multiplier(modulus.inv(modulus.reduce_u128(sums[k])));
            done.extend(sums.iter().map(|&sum| modulus.mul_by(modulus.reduce_u128(sum), inverse)));
        }
        // From the last row up; those below are reduced in C.
        let width = cols - r;
        let sums = &mut sums[..width];
        for k in (0..r).rev() {
            let (above, below) = done.split_at_mut((k + 1) * cols);
            let row = &mut above[k * cols..];
            sums.iter_mut().zip(&row[r..]).for_each(|(sum, &v)| *sum = u128::from(v));
            for (i, other) in (k + 1..).zip(below.chunks_exact(cols)) {
                match row[i] {
                    0 => {}
                    c => add_multiple(sums, p - c, &other[r..], p),
                }
            }
            row[r..].iter_mut().zip(&*sums).for_each(|(v, &sum)| *v = modulus.reduce_u128(sum));
        }
        let mut table = memory::with_capacity(r * width, ROWS)?;
        done.chunks_exact(cols.max(1)).for_each(|row| table.extend_from_slice(&row[r..]));
        let row = memory::collect(pivot_cols.iter().map(|&j| place[j as usize]), ROWS)?;
        let pivot_cols = memory::copy(pivot_cols, ROWS)?;
        Ok(Some(Reduced { modulus, pivot_cols, free_cols, row, table: Table::U64(table) }))
    }
}

/// sums + c·row, upper words below p before and after.
#[inline(always)]
fn add_multiple(sums: &mut [u128], c: u64, row: &[u64], p: u64) {
    for (sum, &v) in sums.iter_mut().zip(row) {
        // Below p·2⁶⁴ + p² < 2¹²⁸.
        let total = *sum + u128::from(c) * u128::from(v);
        let high = (total >> 64) as u64;
        *sum = u128::from(high.min(high.wrapping_sub(p))) << 64 | u128::from(total as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::Echelon;
    use crate::field::Rng;
    use crate::{Result, Silent};
    use rand::{RngExt, SeedableRng};

    /// The form that the other elimination finds, of rows of every density, at the edges of a word; dependent rows are
    /// noticed.
    #[test]
    fn rows_are_reduced_as_by_the_other_elimination() -> Result<()> {
        let mut rng = Rng::seed_from_u64(17);
        for p in [5, 251, 65521, (1 << 31) - 1, (1 << 61) - 1, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for (r, cols, fill) in
                [(0, 0, 1), (0, 4, 1), (1, 1, 1), (1, 9, 2), (20, 20, 9), (17, 40, 3), (60, 64, 2), (60, 90, 1)]
            {
                let largest = p.get() - 1;
                let value =
                    |rng: &mut Rng| if rng.random_range(0..4) == 0 { largest } else { rng.random_range(0..=largest) };
                let mut dense: Vec<u64> =
                    (0..r * cols).map(|_| if rng.random_range(0..fill) == 0 { value(&mut rng) } else { 0 }).collect();
                if r == 60 {
                    let (first, last) = dense.split_at_mut((r - 1) * cols);
                    last.iter_mut().zip(first).for_each(|(v, &mut w)| *v = if cols == 64 { p.mul(w, 3) } else { *v });
                }
                let lists: Vec<(Vec<u32>, Vec<u64>)> = dense
                    .chunks(cols.max(1))
                    .map(|row| row.iter().zip(0..).filter(|(v, _)| **v != 0).map(|(&v, j)| (j, v)).unzip())
                    .collect();
                let mut echelon = Echelon::new(p, cols)?;
                echelon.absorb_block(r, &dense, &Silent)?;
                let expected = echelon.reduced()?;
                let mut pivots = expected.pivot_cols().to_vec();
                let independent = pivots.len() == r;
                // Some columns that will not do, or not all.
                pivots.extend((0..cols as u32).filter(|j| !expected.pivot_cols().contains(j)).take(r - pivots.len()));
                pivots.sort_unstable();
                let rows = || lists.iter().take(r).map(|(cols, values)| (&cols[..], &values[..]));
                let found = Reduced::of_rows(p, cols, rows(), &pivots)?;
                let Some(found) = found else {
                    assert!(!independent, "{r} x {cols} mod {p}");
                    continue;
                };
                assert!(independent);
                assert_eq!((found.pivot_cols(), found.free_cols()), (expected.pivot_cols(), expected.free_cols()));
                assert_eq!(
                    found.column_block(0..cols - r)?,
                    expected.column_block(0..cols - r)?,
                    "{r} x {cols} mod {p}"
                );
                // Other pivots: (I T) of these columns has the same row space.
                if r < cols && r > 0 {
                    let mut others: Vec<u32> = pivots[1..].iter().copied().chain([expected.free_cols()[0]]).collect();
                    others.sort_unstable();
                    let Some(found) = Reduced::of_rows(p, cols, rows(), &others)? else { continue };
                    let (mut all, width) = (dense.clone(), cols - r);
                    let table = found.column_block(0..width)?;
                    for (i, &j) in found.pivot_cols().iter().enumerate() {
                        let mut row = vec![0; cols];
                        row[j as usize] = 1;
                        found.free_cols().iter().zip(&table[i * width..]).for_each(|(&j, &t)| row[j as usize] = t);
                        all.extend(row);
                    }
                    let mut both = Echelon::new(p, cols)?;
                    both.absorb_block(2 * r, &all, &Silent)?;
                    assert_eq!(both.rank(), r);
                }
            }
        }
        Ok(())
    }
}
