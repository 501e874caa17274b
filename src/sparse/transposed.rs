//! The counting sort behind every transpose, on one thread or in parallel without locks.
//!
//! In parallel the columns are cut into *ranges* of equal width. A first pass distributes the entries of each part of
//! the rows over the ranges; a second sorts each range by column, part after part, into its own slice of the result.
//! Rows stay in order in both, so that the result is the same for every number of threads.

use crate::parallel::Each;
use crate::{Error, Result, memory};
use bytemuck::Pod;
use rayon::prelude::*;
use std::ops::Range;

/// What the memory is for.
const WHAT: &str = "a transpose";
/// Entries from which on the sort is shared out, and the fewest of a part.
const PART: usize = 1 << 15;
/// Ranges of columns for each thread, and the most of all: one write stream each.
const RANGES: usize = 4;
const MOST_RANGES: usize = 256;

/// Offsets, row numbers and values of a transpose.
pub(super) type Transposed<V> = (Vec<usize>, Vec<u32>, Vec<V>);

/// The transpose of the rows with the columns `col[start[i]..start[i + 1]]` below `cols`, and the values beside them.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(super) fn transposed<V>(start: &[usize], col: &[u32], value: &[V], cols: usize) -> Result<Transposed<V>>
where
    V: Pod + Send + Sync,
{
    let threads = rayon::current_num_threads();
    let shared = threads > 1 && col.len() >= 2 * PART && cols >= threads;
    match shared.then(|| in_parallel(start, col, value, cols, threads)) {
        // In parallel the entries are held once more.
        Some(Err(Error::Memory(_))) | None => one_by_one(start, col, value, cols),
        Some(done) => done,
    }
}

fn one_by_one<V: Pod>(start: &[usize], col: &[u32], value: &[V], cols: usize) -> Result<Transposed<V>> {
    let mut next = memory::zeros::<usize>(cols + 1, WHAT)?;
    col.iter().for_each(|&j| next[j as usize + 1] += 1);
    (0..cols).for_each(|j| next[j + 1] += next[j]);
    let begin = memory::copy(&next, WHAT)?;
    let mut row = memory::zeros::<u32>(col.len(), WHAT)?;
    let mut to = memory::zeros::<V>(col.len(), WHAT)?;
    for (i, bounds) in start.windows(2).enumerate() {
        for at in bounds[0]..bounds[1] {
            let k = &mut next[col[at] as usize];
            (row[*k], to[*k]) = (i as u32, value[at]);
            *k += 1;
        }
    }
    Ok((begin, row, to))
}

/// Entries (row, column, value) of a part of the rows, range after range.
struct Part<V> {
    entries: Vec<(u32, u32, V)>,
    /// Where each range begins, and the end.
    start: Vec<usize>,
}

impl<V: Copy> Part<V> {
    fn new(start: &[usize], col: &[u32], value: &[V], rows: Range<usize>, shift: u32, ranges: usize) -> Result<Self> {
        let (first, last) = (start[rows.start], start[rows.end]);
        let mut at = memory::zeros::<usize>(ranges + 1, WHAT)?;
        col[first..last].iter().for_each(|&j| at[(j >> shift) as usize + 1] += 1);
        (0..ranges).for_each(|r| at[r + 1] += at[r]);
        let mut next = memory::copy(&at, WHAT)?;
        let mut entries = memory::with_capacity(last - first, WHAT)?;
        if let Some(&any) = value.get(first) {
            entries.resize(last - first, (0, 0, any));
        }
        for i in rows {
            for k in start[i]..start[i + 1] {
                let next = &mut next[(col[k] >> shift) as usize];
                entries[*next] = (i as u32, col[k], value[k]);
                *next += 1;
            }
        }
        Ok(Part { entries, start: at })
    }
    fn range(&self, r: usize) -> &[(u32, u32, V)] {
        &self.entries[self.start[r]..self.start[r + 1]]
    }
}

fn in_parallel<V>(start: &[usize], col: &[u32], value: &[V], cols: usize, threads: usize) -> Result<Transposed<V>>
where
    V: Pod + Send + Sync,
{
    let (rows, nnz) = (start.len() - 1, col.len());
    let wanted = (RANGES * threads).min(MOST_RANGES);
    let shift = (0..u32::BITS).find(|&s| (cols - 1) >> s < wanted).expect("a column of 32 bits");
    let (width, ranges) = (1usize << shift, ((cols - 1) >> shift) + 1);
    let parts = (2 * threads).min(nnz / PART).max(1);
    // Rows that begin within the k-th piece of the entries.
    let bound = |k: usize| if k == parts { rows } else { start[..rows].partition_point(|&at| at < nnz / parts * k) };
    let part = |k: usize| Part::new(start, col, value, bound(k)..bound(k + 1), shift, ranges);
    let parts: Vec<Part<V>> = (0..parts).into_par_iter().try_make(part)?;

    let mut begin = memory::cleared::<usize>(cols + 1, WHAT)?;
    let mut row = memory::cleared::<u32>(nnz, WHAT)?;
    let mut to = memory::cleared::<V>(nnz, WHAT)?;
    let (mut row_left, mut to_left, mut before) = (&mut row[..], &mut to[..], 0);
    let mut tasks = Vec::with_capacity(ranges);
    // Offset j + 1 is that of column j's end.
    for (r, ends) in begin[1..].chunks_mut(width).enumerate() {
        let size = parts.iter().map(|part| part.range(r).len()).sum();
        let (own_row, rest) = row_left.split_at_mut(size);
        row_left = rest;
        let (own_to, rest) = to_left.split_at_mut(size);
        to_left = rest;
        tasks.push((r, before, ends, own_row, own_to));
        before += size;
    }
    tasks.into_par_iter().each(|(r, before, ends, row, to)| {
        let first = r << shift;
        let entries = || parts.iter().flat_map(|part| part.range(r));
        entries().for_each(|&(_, j, _)| ends[j as usize - first] += 1);
        // Where each column begins, which moves to where it ends.
        let mut sum = 0;
        ends.iter_mut().for_each(|end| sum += std::mem::replace(end, sum));
        for &(i, j, v) in entries() {
            let k = &mut ends[j as usize - first];
            (row[*k], to[*k]) = (i, v);
            *k += 1;
        }
        ends.iter_mut().for_each(|end| *end += before);
    });
    Ok((begin, row, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    /// In parallel as one by one: tall, flat, with heavy columns and empty lines, fewer columns than ranges.
    #[test]
    fn shared_out_it_is_the_same() {
        let mut rng = Rng::seed_from_u64(31);
        for (rows, cols, weight) in [(40_000, 7, 3), (9, 30_000, 12_000), (20_000, 20_000, 8), (1, 200_000, 100_000)] {
            let mut start = vec![0];
            let mut col: Vec<u32> = vec![];
            for _ in 0..rows {
                // Lines of up to twice the weight; half of the entries in the first columns.
                let count = rng.random_range(0..=2 * weight);
                let most = if rng.random() { cols } else { cols.min(50) };
                let mut line: Vec<u32> = (0..count).map(|_| rng.random_range(0..most) as u32).collect();
                line.sort_unstable();
                line.dedup();
                col.extend(line);
                start.push(col.len());
            }
            let value: Vec<u64> = (0..col.len() as u64).collect();
            let expected = one_by_one(&start, &col, &value, cols).unwrap();
            for threads in [2, 3, 16] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let found = pool.install(|| transposed(&start, &col, &value, cols)).unwrap();
                assert_eq!(found, expected, "{rows} x {cols} on {threads} threads");
                let found = pool.install(|| in_parallel(&start, &col, &vec![(); col.len()], cols, threads)).unwrap();
                assert_eq!((found.0, found.1), (expected.0.clone(), expected.1.clone()));
            }
        }
    }
}
