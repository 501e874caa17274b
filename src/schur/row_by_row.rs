//! S formed row by row in sums of 128 bits: what takes least where S is small, as of systems that are eliminated anew
//! mod one prime after the other.
//!
//! A row of A₂₁ meets the pivots in their order. Columns are numbered so that those of pivots come first, and the bits
//! of words say which ones the row has reached, so that the next one is found without a list ([`Sums`]).

use super::Split;
use crate::field::Modulus;
use crate::parallel::Each;
use crate::sparse::SparseMatrix;
use crate::{Result, memory};
use rayon::prelude::*;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

/// What the memory is for.
const ROWS: &str = "rows of a Schur complement";
/// Rows that one task makes.
const TASK: usize = 1 << 8;

/// S with all its lines, [`Split::rows`] × [`Split::cols`], the empty ones as well; `None` where it takes more than
/// `most` multiply-adds, so that it has at most nnz(A) + `most` entries. Cost: these, a word for 64 columns in each
/// row, and 16 bytes for each column and thread.
///
/// # Errors
/// [`crate::Error::Memory`].
pub fn row_by_row(split: &Split<'_>, most: u64) -> Result<Option<SparseMatrix>> {
    let (pivots, left) = (PivotRows::new(split)?, AtomicI64::new(i64::try_from(most).unwrap_or(i64::MAX)));
    let made: Vec<Rows> = split.rows.par_chunks(TASK).try_make(|rows| pivots.complement(split, rows, &left))?;
    if left.into_inner() < 0 {
        return Ok(None);
    }
    let nnz = made.iter().map(|rows| rows.cols.len()).sum();
    let mut start = memory::with_capacity(split.rows.len() + 1, ROWS)?;
    let (mut cols, mut values) = (memory::with_capacity(nnz, ROWS)?, memory::with_capacity(nnz, ROWS)?);
    start.push(0);
    for rows in made {
        let before = cols.len();
        start.extend(rows.ends.iter().map(|end| before + end));
        cols.extend(rows.cols);
        values.extend(rows.values);
    }
    SparseMatrix::from_csr_parts(split.modulus(), split.cols.len(), start, cols, values).map(Some)
}

/// Some rows: where each ends, columns, values.
#[derive(Default)]
struct Rows {
    ends: Vec<usize>,
    cols: Vec<u32>,
    values: Vec<u64>,
}

/// The rows of pivots, without these, in columns as they are numbered here.
struct PivotRows {
    modulus: Modulus,
    /// By column of A: its number.
    place: Vec<u32>,
    rows: Rows,
    /// -1 over each pivot.
    factors: Vec<u64>,
}

impl PivotRows {
    fn new(split: &Split<'_>) -> Result<Self> {
        let (a, p, count) = (split.a, split.modulus(), split.pivots());
        let mut place = memory::zeros::<u32>(a.cols(), ROWS)?;
        split.pivots.cols.iter().chain(&split.cols).zip(0..).for_each(|(&j, k)| place[j as usize] = k);
        let nnz = split.pivots.rows.iter().map(|&i| a.row(i as usize).0.len()).sum();
        let mut rows = Rows {
            ends: memory::with_capacity(count, ROWS)?,
            cols: memory::with_capacity(nnz, ROWS)?,
            values: memory::with_capacity(nnz, ROWS)?,
        };
        let mut factors = memory::with_capacity(count, ROWS)?;
        for (&i, k) in split.pivots.rows.iter().zip(0..) {
            let (cols, values) = a.row(i as usize);
            for (&j, &v) in cols.iter().zip(values) {
                match place[j as usize] {
                    at if at == k => factors.push(v),
                    at => {
                        rows.cols.push(at);
                        rows.values.push(v);
                    }
                }
            }
            rows.ends.push(rows.cols.len());
        }
        p.invert_all(&mut factors);
        factors.iter_mut().for_each(|v| *v = p.neg(*v));
        Ok(PivotRows { modulus: p, place, rows, factors })
    }
    /// The rows of S that these rows of A become; not all of them once no multiply-adds are `left`.
    fn complement(&self, split: &Split<'_>, rows: &[u32], left: &AtomicI64) -> Result<Rows> {
        let (p, count, pivots) = (self.modulus, self.factors.len(), &self.rows);
        let (mut made, mut sums) = (Rows::default(), Sums::new(p, self.place.len())?);
        memory::reserve(&mut made.ends, rows.len(), ROWS)?;
        for &i in rows {
            let (cols, values) = split.a.row(i as usize);
            cols.iter().zip(values).for_each(|(&j, &v)| sums.add(self.place[j as usize], 1, v));
            let (mut from, mut done) = (0, 0);
            while let Some((at, v)) = sums.next(&mut from) {
                if v == 0 {
                } else if at < count {
                    let c = p.mul(v, self.factors[at]);
                    let own = at.checked_sub(1).map_or(0, |before| pivots.ends[before])..pivots.ends[at];
                    done += own.len() as i64;
                    let (cols, values) = (&pivots.cols[own.clone()], &pivots.values[own]);
                    cols.iter().zip(values).for_each(|(&at, &v)| sums.add(at, c, v));
                } else {
                    memory::push(&mut made.cols, (at - count) as u32, ROWS)?;
                    memory::push(&mut made.values, v, ROWS)?;
                }
            }
            made.ends.push(made.cols.len());
            if left.fetch_sub(done, Relaxed) < done {
                break;
            }
        }
        Ok(made)
    }
}

/// A row in work: sums by column, a bit for each that was reached, and one for each word of these that has any.
struct Sums {
    modulus: Modulus,
    sums: Vec<u128>,
    reached: Vec<u64>,
    words: Vec<u64>,
}

impl Sums {
    fn new(modulus: Modulus, cols: usize) -> Result<Self> {
        let words = cols.div_ceil(64);
        Ok(Sums {
            modulus,
            sums: memory::zeros(cols, ROWS)?,
            reached: memory::zeros(words, ROWS)?,
            words: memory::zeros(words.div_ceil(64), ROWS)?,
        })
    }
    fn add(&mut self, at: u32, c: u64, v: u64) {
        let at = at as usize;
        self.sums[at] = self.modulus.add_product(self.sums[at], c, v);
        self.reached[at / 64] |= 1 << (at % 64);
        self.words[at / 4096] |= 1 << (at / 64 % 64);
    }
    /// The first column that was reached, and its sum, which is 0 then; none are reached before it later on. `from`
    /// begins with 0.
    fn next(&mut self, from: &mut usize) -> Option<(usize, u64)> {
        while let Some(words) = self.words.get_mut(*from) {
            if *words == 0 {
                *from += 1;
                continue;
            }
            let word = *from * 64 + words.trailing_zeros() as usize;
            let bits = &mut self.reached[word];
            if *bits == 0 {
                *words &= *words - 1;
                continue;
            }
            let at = word * 64 + bits.trailing_zeros() as usize;
            *bits &= *bits - 1;
            return Some((at, self.modulus.reduce_u128(std::mem::take(&mut self.sums[at]))));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use crate::oracles::greedy_pivots;
    use crate::pivots::Pivots;
    use rand::{RngExt, SeedableRng};

    /// S by dense elimination in the order of the pivots, with the largest residues and across words of bits.
    #[test]
    fn rows_are_those_of_a_dense_elimination() {
        let mut rng = Rng::seed_from_u64(16);
        for p in [2, 3, 65521, (1 << 61) - 1, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for (rows, cols, nnz) in
                [(0, 3, 0), (3, 0, 0), (4, 4, 0), (1, 1, 1), (30, 70, 90), (400, 150, 900), (90, 5000, 800)]
            {
                let value = |rng: &mut Rng| match rng.random_range(0..3) {
                    0 => p.get() - 1,
                    _ => rng.random_range(0..p.get()),
                };
                let entries: Vec<_> =
                    (0..nnz).map(|_| (rng.random_range(0..rows), rng.random_range(0..cols), value(&mut rng))).collect();
                let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
                let pivots = greedy_pivots(&a);
                let split = Split::new(&a, &pivots).unwrap();
                let found = row_by_row(&split, u64::MAX).unwrap().unwrap();
                assert_eq!((found.rows(), found.cols()), (split.rows.len(), split.cols.len()));
                let dense = |i: u32| {
                    let mut row = vec![0; cols];
                    let (at, values) = a.row(i as usize);
                    at.iter().zip(values).for_each(|(&j, &v)| row[j as usize] = v);
                    row
                };
                for (k, &i) in split.rows.iter().enumerate() {
                    let mut row = dense(i);
                    for (&i, &j) in pivots.rows.iter().zip(&pivots.cols) {
                        let pivot = dense(i);
                        let c = p.neg(p.mul(row[j as usize], p.inv(pivot[j as usize])));
                        row.iter_mut().zip(pivot).for_each(|(x, y)| *x = p.add(*x, p.mul(c, y)));
                    }
                    let expected: Vec<(u32, u64)> =
                        split.cols.iter().zip(0..).map(|(&j, k)| (k, row[j as usize])).filter(|e| e.1 != 0).collect();
                    let (at, values) = found.row(k);
                    let found: Vec<(u32, u64)> = at.iter().copied().zip(values.iter().copied()).collect();
                    assert_eq!(found, expected, "row {k} of {rows} x {cols} mod {p}");
                }
            }
        }
    }

    /// The bound at its edge: as many multiply-adds as there are, and one less; on any number of threads.
    #[test]
    fn it_ends_where_it_takes_more_than_is_allowed() {
        // Pivots (0, 0) and (1, 1), a chain; 600 rows with the first column: each takes two products and one.
        let p = Modulus::new(65521).unwrap();
        let chain = [(0, 0, 1), (0, 1, 1), (0, 2, 1), (1, 1, 1), (1, 3, 5)];
        let entries: Vec<_> = chain.into_iter().chain((2..602).map(|i| (i, 0, 7))).collect();
        let a = SparseMatrix::from_triplets(p, 602, 4, &entries);
        let (chain, none) = (Pivots { rows: vec![0, 1], cols: vec![0, 1] }, Pivots::default());
        let split = Split::new(&a, &chain).unwrap();
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let made = |most| pool.install(|| row_by_row(&split, most).unwrap());
            assert_eq!(made(1800).map(|s| (s.rows(), s.nnz())), Some((600, 1200)));
            assert!(made(1799).is_none() && made(0).is_none());
        }
        let nothing = Split::new(&a, &none).unwrap();
        assert_eq!(row_by_row(&nothing, 0).unwrap().map(|s| s.nnz()), Some(a.nnz()));
    }
}
