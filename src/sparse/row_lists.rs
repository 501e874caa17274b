//! Compressed rows of which it is known how long each is: filled in parallel, each task its own slices.

use crate::parallel::Each;
use crate::{Result, memory};
use bytemuck::Zeroable;
use rayon::prelude::*;
use std::ops::Range;

/// Entries from which on the work is shared out, and of a task.
const TASK: usize = 1 << 13;

/// Offsets, columns and values of compressed rows.
pub(crate) type Lists<V> = (Vec<usize>, Vec<u32>, Vec<V>);

/// `rows` rows, of which row i has `len(i)` entries; `fill(i, entries, columns, values)` writes them; `entries`
/// is a list for its own use, which it leaves empty. Without `valued` there are no values.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(crate) fn row_lists<V: Zeroable + Send>(
    rows: usize,
    valued: bool,
    what: &str,
    len: impl Fn(usize) -> usize + Sync,
    fill: impl Fn(usize, &mut Vec<(u32, u64)>, &mut [u32], &mut [V]) + Sync,
) -> Result<Lists<V>> {
    let mut start = memory::zeros::<usize>(rows + 1, what)?;
    start[1..].par_iter_mut().with_min_len(TASK).enumerate().each(|(i, end)| *end = len(i));
    (0..rows).for_each(|i| start[i + 1] += start[i]);
    let nnz = start[rows];
    let mut col = memory::zeros::<u32>(nnz, what)?;
    let values = |count: usize| if valued { count } else { 0 };
    let mut value = memory::zeros::<V>(values(nnz), what)?;
    let run = |rows: Range<usize>, mut col: &mut [u32], mut value: &mut [V]| {
        let mut entries = Vec::new();
        for i in rows {
            let count = start[i + 1] - start[i];
            let (own_col, rest) = std::mem::take(&mut col).split_at_mut(count);
            col = rest;
            let (own_value, rest) = std::mem::take(&mut value).split_at_mut(values(count));
            value = rest;
            fill(i, &mut entries, own_col, own_value);
        }
    };
    if nnz < 2 * TASK || rayon::current_num_threads() == 1 {
        run(0..rows, &mut col, &mut value);
        return Ok((start, col, value));
    }
    let mut tasks = Vec::with_capacity(nnz / TASK + 1);
    let (mut first, mut col_left, mut value_left) = (0, &mut col[..], &mut value[..]);
    while first < rows {
        let last = start.partition_point(|&at| at < start[first] + TASK).clamp(first + 1, rows);
        let count = start[last] - start[first];
        let (own_col, rest) = col_left.split_at_mut(count);
        col_left = rest;
        let (own_value, rest) = value_left.split_at_mut(values(count));
        value_left = rest;
        tasks.push((first..last, own_col, own_value));
        first = last;
    }
    tasks.into_par_iter().each(|(rows, col, value)| run(rows, col, value));
    Ok((start, col, value))
}

/// Writes (column, value) pairs by ascending column and empties them.
pub(crate) fn write_sorted<V>(
    entries: &mut Vec<(u32, u64)>,
    columns: &mut [u32],
    values: &mut [V],
    value: impl Fn(u64) -> V,
) {
    entries.sort_unstable_by_key(|&(j, _)| j);
    columns.iter_mut().zip(&*entries).for_each(|(to, &(j, _))| *to = j);
    values.iter_mut().zip(&*entries).for_each(|(to, &(_, v))| *to = value(v));
    entries.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row in its place, whether shared out or not; empty rows, one heavy row, none at all.
    #[test]
    fn rows_are_in_their_places() {
        let heavy = |i: usize| if i == 5 { 5 * TASK } else { i % 7 };
        for rows in [0, 1, 6, 30_000] {
            for threads in [1, 4] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                for valued in [false, true] {
                    let fill = |i: usize, entries: &mut Vec<(u32, u64)>, columns: &mut [u32], values: &mut [u64]| {
                        entries.extend((0..heavy(i)).rev().map(|k| (k as u32, (i + k) as u64)));
                        write_sorted(entries, columns, values, |v| v);
                    };
                    let (start, col, value) =
                        pool.install(|| row_lists::<u64>(rows, valued, "a test", heavy, fill)).unwrap();
                    assert_eq!((start.len(), value.len()), (rows + 1, if valued { col.len() } else { 0 }));
                    for i in 0..rows {
                        let range = start[i]..start[i + 1];
                        assert!(col[range.clone()].iter().copied().eq(0..heavy(i) as u32), "row {i}");
                        assert!(!valued || value[range].iter().copied().eq((0..heavy(i)).map(|k| (i + k) as u64)));
                    }
                }
            }
        }
    }
}
