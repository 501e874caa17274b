//! The reduced form of few rows whose pivot columns are known: (B C) in these columns and the others becomes (I T), T =
//! B⁻¹·C.
//!
//! What a Schur complement leaves is dense only as a whole: taken by their lengths, the shortest first, and each by the
//! one of its columns that the fewest rows have (H. M. Markowitz, Management Science 3, 1957, once for all), some
//! hundreds of rows may fill in so little that a hundredth of the products is left. So rows are lists, and the one in
//! work is made of sums of 128 bits, which are reduced once ([`Modulus::add_product`]).

use super::reduced::{Reduced, Table};
use crate::field::Modulus;
use crate::{Result, memory};

/// What the memory is for.
const ROWS: &str = "the rows of a small elimination";
/// The count of a column that is to have no pivot.
const NEVER: u32 = u32::MAX;

/// A row as columns, ascending, and values.
type Row<'a> = (&'a [u32], &'a [u64]);

impl Reduced {
    /// The form of these rows in `cols` columns with its pivots in those of `pivot_cols`, ascending, as many as there
    /// are rows; `None` if the rows are dependent in these columns. That these are the first columns possible is up to
    /// the caller. Cost: at most r²·n/2 products of r dense rows of n columns, and r²·(n - r)/2.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If there are not as many rows as pivots.
    pub(crate) fn of_rows(
        modulus: Modulus,
        cols: usize,
        rows: &[Row<'_>],
        pivot_cols: &[u32],
    ) -> Result<Option<Reduced>> {
        let r = pivot_cols.len();
        assert_eq!(rows.len(), r, "a row for each pivot");
        let mut known = pivot_cols.iter().peekable();
        let free_cols = memory::collect((0..cols as u32).filter(|j| known.next_if_eq(&j).is_none()), ROWS)?;
        let counts = counts(cols, rows)?;
        let mut rests = Rests::new(modulus, &counts, pivot_cols)?;
        for &k in &by_length(rows)? {
            if !rests.absorb(rows[k as usize])? {
                return Ok(None);
            }
        }
        let used = free_cols.iter().zip(0..).filter(|(j, _)| counts[**j as usize] > 0).map(|(_, f)| f);
        let used: Vec<u32> = memory::collect(used, ROWS)?;
        let (of_used, width) = (rests.back(&free_cols, &used)?, free_cols.len());
        let mut table = memory::zeros(r * width, ROWS)?;
        if !used.is_empty() {
            for (row, values) in table.chunks_exact_mut(width).zip(of_used.chunks_exact(used.len())) {
                used.iter().zip(values).for_each(|(&f, &v)| row[f as usize] = v);
            }
        }
        let mut place = memory::zeros::<u32>(cols, ROWS)?;
        rests.pivots.iter().zip(0..).for_each(|(&j, k)| place[j as usize] = k);
        let row = memory::collect(pivot_cols.iter().map(|&j| place[j as usize]), ROWS)?;
        let pivot_cols = memory::copy(pivot_cols, ROWS)?;
        Ok(Some(Reduced { modulus, pivot_cols, free_cols, row, table: Table::U64(table) }))
    }
}

/// Rows, of those with few entries, that are a basis of what all rows are in the columns `pivot_cols`, ascending.
///
/// # Errors
/// [`crate::Error::Memory`].
pub fn short_basis(modulus: Modulus, cols: usize, rows: &[Row<'_>], pivot_cols: &[u32]) -> Result<Vec<u32>> {
    let mut rests = Rests::new(modulus, &counts(cols, rows)?, pivot_cols)?;
    let mut found = memory::with_capacity(pivot_cols.len(), ROWS)?;
    for &k in &by_length(rows)? {
        if found.len() == pivot_cols.len() {
            break;
        }
        if rests.absorb(rows[k as usize])? {
            found.push(k);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// How many rows have an entry in each of the columns.
fn counts(cols: usize, rows: &[Row<'_>]) -> Result<Vec<u32>> {
    let mut counts = memory::zeros::<u32>(cols, ROWS)?;
    rows.iter().flat_map(|row| row.0).for_each(|&j| counts[j as usize] += 1);
    Ok(counts)
}

/// The numbers of the rows, the shortest first.
fn by_length(rows: &[Row<'_>]) -> Result<Vec<u32>> {
    let mut order = memory::collect(0..rows.len() as u32, ROWS)?;
    order.sort_by_key(|&k| rows[k as usize].0.len());
    Ok(order)
}

/// What rows are once those before them are subtracted: 0 in the pivots of these, and 1 in their own.
struct Rests {
    modulus: Modulus,
    /// By column: how many rows have it, or that it is to have no pivot.
    counts: Vec<u32>,
    pivots: Vec<u32>,
    /// The other entries, row by row.
    start: Vec<usize>,
    cols: Vec<u32>,
    values: Vec<u64>,
    /// By column, of the row in work; 0 between rows.
    sums: Vec<u128>,
}

impl Rests {
    fn new(modulus: Modulus, counts: &[u32], pivot_cols: &[u32]) -> Result<Self> {
        let mut of_pivots = memory::filled(NEVER, counts.len(), ROWS)?;
        pivot_cols.iter().for_each(|&j| of_pivots[j as usize] = counts[j as usize]);
        let (pivots, mut start) =
            (memory::with_capacity(pivot_cols.len(), ROWS)?, memory::with_capacity(pivot_cols.len() + 1, ROWS)?);
        start.push(0);
        let sums = memory::zeros(counts.len(), ROWS)?;
        Ok(Rests { modulus, counts: of_pivots, pivots, start, cols: vec![], values: vec![], sums })
    }
    /// Row k but for its pivot.
    fn row(&self, k: usize) -> impl Iterator<Item = (usize, u64)> {
        let own = self.start[k]..self.start[k + 1];
        self.cols[own.clone()].iter().map(|&j| j as usize).zip(self.values[own].iter().copied())
    }
    /// Takes one row more; `false` if it depends on those before it in the columns of pivots.
    fn absorb(&mut self, (cols, values): Row<'_>) -> Result<bool> {
        let (p, mut sums) = (self.modulus, std::mem::take(&mut self.sums));
        cols.iter().zip(values).for_each(|(&j, &v)| sums[j as usize] = u128::from(v));
        for (k, &j) in self.pivots.iter().enumerate() {
            match std::mem::take(&mut sums[j as usize]) {
                0 => {}
                sum => match p.neg(p.reduce_u128(sum)) {
                    0 => {}
                    c => self.row(k).for_each(|(j, v)| sums[j] = p.add_product(sums[j], c, v)),
                },
            }
        }
        let (first, mut pivot) = (self.cols.len(), None);
        memory::reserve(&mut self.cols, sums.len(), ROWS)?;
        memory::reserve(&mut self.values, sums.len(), ROWS)?;
        for (j, sum) in sums.iter_mut().enumerate().filter(|(_, sum)| **sum != 0) {
            let v = p.reduce_u128(std::mem::take(sum));
            if v != 0 {
                let count = self.counts[j];
                if count != NEVER && pivot.is_none_or(|(least, _)| count < least) {
                    pivot = Some((count, self.cols.len()));
                }
                self.cols.push(j as u32);
                self.values.push(v);
            }
        }
        self.sums = sums;
        let Some((_, at)) = pivot else {
            self.cols.truncate(first);
            self.values.truncate(first);
            return Ok(false);
        };
        self.pivots.push(self.cols.swap_remove(at));
        let value = self.values.swap_remove(at);
        self.start.push(self.cols.len());
        if value != 1 {
            let inverse = p.multiplier(p.inv(value));
            self.values[first..].iter_mut().for_each(|v| *v = p.mul_by(*v, inverse));
        }
        Ok(true)
    }
    /// T in those of the free columns that are used, row by row as rows were absorbed: from the last one up, T = C -
    /// U·T of the rows below.
    fn back(&self, free_cols: &[u32], used: &[u32]) -> Result<Vec<u64>> {
        let (p, r, width) = (self.modulus, self.pivots.len(), used.len());
        let mut place = memory::zeros::<u32>(self.counts.len(), ROWS)?;
        self.pivots.iter().zip(0..).for_each(|(&j, k)| place[j as usize] = k);
        used.iter().zip(0..).for_each(|(&f, k)| place[free_cols[f as usize] as usize] = k);
        let mut table = memory::zeros::<u64>(r * width, ROWS)?;
        let mut sums = memory::zeros::<u128>(width, ROWS)?;
        for k in (0..r).rev() {
            for (j, v) in self.row(k) {
                let at = place[j] as usize;
                if self.counts[j] == NEVER {
                    sums[at] = p.add_product(sums[at], 1, v);
                } else {
                    let below = &table[at * width..][..width];
                    sums.iter_mut().zip(below).for_each(|(sum, &t)| *sum = p.add_product(*sum, p.get() - v, t));
                }
            }
            let row = table[k * width..][..width].iter_mut().zip(&mut sums);
            row.for_each(|(t, sum)| *t = p.reduce_u128(std::mem::take(sum)));
        }
        Ok(table)
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
                let rows: Vec<Row<'_>> = lists.iter().take(r).map(|(cols, values)| (&cols[..], &values[..])).collect();
                let found = Reduced::of_rows(p, cols, &rows, &pivots)?;
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
                    let Some(found) = Reduced::of_rows(p, cols, &rows, &others)? else { continue };
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

    /// As many rows as the columns have rank, independent there, and none that a shorter one would replace.
    #[test]
    fn a_basis_is_made_of_short_rows() -> Result<()> {
        let mut rng = Rng::seed_from_u64(18);
        for p in [2, 3, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for (count, cols, most) in [(0, 3, 1), (5, 1, 1), (40, 12, 5), (60, 30, 9)] {
                let mut list = || {
                    let own: Vec<u32> = (0..cols).filter(|_| rng.random_range(0..cols) < most).collect();
                    let values = own.iter().map(|_| rng.random_range(1..p.get())).collect();
                    (own, values)
                };
                let mut lists: Vec<(Vec<u32>, Vec<u64>)> = (0..count).map(|_| list()).collect();
                // Duplicates, and an empty row.
                lists.extend([lists.first().cloned().unwrap_or_default(), (vec![], vec![])]);
                let rows: Vec<Row<'_>> = lists.iter().map(|(own, values)| (&own[..], &values[..])).collect();
                let pivots: Vec<u32> = (0..cols).filter(|j| j % 3 != 1).collect();
                let rank_of = |those: &[u32]| -> Result<usize> {
                    let mut dense = vec![0; those.len() * pivots.len()];
                    for (row, &k) in dense.chunks_mut(pivots.len()).zip(those) {
                        let entries = rows[k as usize].0.iter().zip(rows[k as usize].1);
                        entries.for_each(|(j, &v)| {
                            pivots.binary_search(j).into_iter().for_each(|at| row[at] = v);
                        });
                    }
                    let mut echelon = Echelon::new(p, pivots.len())?;
                    echelon.absorb_block(those.len(), &dense, &Silent)?;
                    Ok(echelon.rank())
                };
                let all: Vec<u32> = (0..rows.len() as u32).collect();
                let found = short_basis(p, cols as usize, &rows, &pivots)?;
                assert!(found.is_sorted());
                assert_eq!((found.len(), rank_of(&found)?), (rank_of(&all)?, found.len()), "{count} x {cols} mod {p}");
            }
        }
        Ok(())
    }
}
