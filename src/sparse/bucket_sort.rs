//! The sort of entries by position: a two-level counting sort, parallel and without locks.
//!
//! Positions i·cols + j are cut into ranges of equal length, the *buckets*; a first stable pass distributes the entries
//! over them (every part of the input owns one slice of every bucket, so all writes are disjoint), a second sorts each
//! bucket in cache and merges duplicates; a third writes the buckets back. All are linear for the orders that files
//! have in practice (by rows, by columns, or symmetric halves). During the sort an entry takes eight bytes, half of
//! them for its place within the bucket, unless the matrix or its values are large.

use super::duplicates::{BigEntry, Duplicates};
use super::numbers::{Numbers, Width, Word, spread, with};
use crate::parallel::Each;
use crate::{Result, memory};
use bytemuck::Zeroable;
use rayon::prelude::*;

/// The place of an entry within its bucket: see [`Buckets::place`].
trait Place: Copy + Ord + Zeroable + Send + Sync {
    /// The place, which fits.
    fn cut(place: u64) -> Self;
    fn get(self) -> u64;
}
impl Place for u32 {
    fn cut(place: u64) -> Self {
        place as u32
    }
    fn get(self) -> u64 {
        self.into()
    }
}
impl Place for u64 {
    fn cut(place: u64) -> Self {
        place
    }
    fn get(self) -> u64 {
        self
    }
}

/// An entry as stored in the buckets: its place and its value.
type Entry<P, V> = (P, V);

/// The target size of a bucket, in entries: a bucket and its copy fit in the second-level cache.
const BUCKET: usize = 1 << 15;
/// The maximum number of buckets: one write stream each, as many as the first pass handles without thrashing.
const MAX_BUCKETS: usize = 1 << 10;
/// Entries in a part of the input of the first pass.
pub(super) const PART: usize = 1 << 18;

/// Sorts the entries of a matrix of that shape and merges duplicates. Returns the sums that overflow the words they are
/// sorted in.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory): sorting takes a second copy of the entries.
pub(super) fn sort(
    lines: [&mut Vec<u32>; 2],
    value: &mut Numbers,
    (rows, cols): (usize, usize),
    duplicates: Duplicates,
) -> Result<Vec<BigEntry>> {
    let buckets = Buckets::new(rows, cols, lines[0].len());
    match (buckets.place_bits <= 32, value.width() <= Width::I32) {
        (true, true) => sort_as::<u32, i32>(lines, value, &buckets, duplicates),
        (true, false) => sort_as::<u32, i64>(lines, value, &buckets, duplicates),
        (false, _) => sort_as::<u64, i64>(lines, value, &buckets, duplicates),
    }
}

/// [`sort`] with entries of the given form.
fn sort_as<P: Place, V: Word + Into<i128>>(
    [row, col]: [&mut Vec<u32>; 2],
    value: &mut Numbers,
    buckets: &Buckets,
    duplicates: Duplicates,
) -> Result<Vec<BigEntry>> {
    // First pass: how many entries each part sends to each bucket, then the entries themselves.
    let counts: Vec<Vec<usize>> = (row.par_chunks(PART).zip(col.par_chunks(PART)))
        .map(|(row, col)| {
            let mut count = vec![0; buckets.count];
            row.iter().zip(col).for_each(|(&i, &j)| count[buckets.of(i, j)] += 1);
            count
        })
        .collect();
    let sizes: Vec<usize> = (0..buckets.count).map(|b| counts.iter().map(|count| count[b]).sum()).collect();
    let mut scratch: Vec<Entry<P, V>> = memory::zeros(row.len(), "the entries to be sorted")?;
    let mut slots: Vec<Vec<&mut [Entry<P, V>]>> = counts.iter().map(|_| Vec::with_capacity(buckets.count)).collect();
    let mut rest = &mut scratch[..];
    for b in 0..buckets.count {
        for (slot, count) in slots.iter_mut().zip(&counts) {
            slot.push(rest.split_off_mut(..count[b]).expect("the counts add up to n"));
        }
    }
    let first_rows: Vec<u64> = (0..buckets.count).map(|b| buckets.first_row(b)).collect();
    let values = std::mem::take(value);
    let parts = row.par_chunks(PART).zip(col.par_chunks(PART)).zip(slots).enumerate();
    parts.each(|(part, ((row, col), mut slot))| {
        let mut next = vec![0; buckets.count];
        let values = values.iter_in(part * PART..part * PART + row.len());
        for ((&i, &j), v) in row.iter().zip(col).zip(values) {
            let b = buckets.of(i, j);
            slot[b][next[b]] = (P::cut(buckets.place(first_rows[b], i, j)), V::cut(v));
            next[b] += 1;
        }
    });
    drop(values);

    // Second pass: every bucket is sorted, and merged at its start.
    let mut rest = &mut scratch[..];
    let work: Vec<&mut [Entry<P, V>]> =
        sizes.iter().map(|&size| rest.split_off_mut(..size).expect("the sizes add up to n")).collect();
    let merged: Vec<Merged<'_, P, V>> = work.into_par_iter().enumerate().make(|(b, entries)| {
        sort_bucket(entries, buckets.col_bits);
        merge_duplicates(entries, duplicates, |place| buckets.row_col(first_rows[b], place))
    });

    // Third pass: back into the arrays.
    let n = merged.iter().map(|m| m.entries.len()).sum();
    let spreads = merged.iter().fold(0, |all, m| all | m.spreads);
    row.truncate(n);
    col.truncate(n);
    let mut values = Numbers::zeros(Width::of(spreads), n)?;
    with!(&mut values, values => buckets.unpack(&merged, row, col, values));
    *value = values;
    Ok(merged.into_iter().flat_map(|m| m.big).collect())
}

/// How the positions of a matrix are cut.
struct Buckets {
    /// Their number.
    count: usize,
    cols: u64,
    /// A bucket has 2^shift positions.
    shift: u32,
    /// Bits of a column.
    col_bits: u32,
    /// Bits of a place.
    place_bits: u32,
}

impl Buckets {
    /// Those for n entries of a rows × cols matrix.
    fn new(rows: usize, cols: usize, n: usize) -> Self {
        let (rows, cols) = (rows as u64, cols as u64);
        let last = (rows * cols).saturating_sub(1);
        let most = (n / BUCKET).clamp(2, MAX_BUCKETS) as u64;
        let shift = (0..64).find(|&s| last >> s < most).expect("a 64-bit word shifted by 63 is below 2");
        let bits = |x: u64| u64::BITS - x.leading_zeros();
        // A bucket spans at most this many rows in addition to its first.
        let more_rows = (((1 << shift) - 1) / cols.max(1) + 1).min(rows.saturating_sub(1));
        let col_bits = bits(cols.saturating_sub(1));
        Buckets { count: (last >> shift) as usize + 1, cols, shift, col_bits, place_bits: bits(more_rows) + col_bits }
    }
    /// The bucket of a position.
    #[inline(always)]
    fn of(&self, i: u32, j: u32) -> usize {
        ((u64::from(i) * self.cols + u64::from(j)) >> self.shift) as usize
    }
    /// The first row of a bucket.
    fn first_row(&self, bucket: usize) -> u64 {
        ((bucket as u64) << self.shift) / self.cols.max(1)
    }
    /// A word that orders within a bucket as the positions do: the row counted from the bucket's first, then the
    /// column.
    #[inline(always)]
    fn place(&self, first_row: u64, i: u32, j: u32) -> u64 {
        (u64::from(i) - first_row) << self.col_bits | u64::from(j)
    }
    /// Row and column of a place.
    #[inline(always)]
    fn row_col(&self, first_row: u64, place: u64) -> (u32, u32) {
        ((first_row + (place >> self.col_bits)) as u32, (place & ((1 << self.col_bits) - 1)) as u32)
    }
    /// Writes all entries into arrays of that length.
    fn unpack<P: Place, V: Word, W: Word>(
        &self,
        merged: &[Merged<'_, P, V>],
        row: &mut [u32],
        col: &mut [u32],
        value: &mut [W],
    ) {
        let (mut row, mut col, mut value) = (row, col, value);
        let mut work = Vec::with_capacity(merged.len());
        for (bucket, Merged { entries, .. }) in merged.iter().enumerate() {
            work.push((
                bucket,
                &**entries,
                row.split_off_mut(..entries.len()).expect("the sizes add up"),
                col.split_off_mut(..entries.len()).expect("the sizes add up"),
                value.split_off_mut(..entries.len()).expect("the sizes add up"),
            ));
        }
        work.into_par_iter().each(|(bucket, entries, row, col, value)| {
            let first = self.first_row(bucket);
            for (((&(place, v), i), j), value) in entries.iter().zip(row).zip(col).zip(value) {
                (*i, *j) = self.row_col(first, place.get());
                *value = W::cut(v.into());
            }
        });
    }
}

/// Sorts the entries of a bucket by place, the lowest `col_bits` of which are the column.
fn sort_bucket<P: Place, V: Word>(entries: &mut [Entry<P, V>], col_bits: u32) {
    if entries.is_sorted_by_key(|&(place, _)| place) {
        return;
    }
    let row = |&(place, _): &Entry<P, V>| (place.get() >> col_bits) as usize;
    let first = entries.iter().map(row).min().expect("an unsorted slice is not empty");
    let span = entries.iter().map(row).max().expect("an unsorted slice is not empty") - first + 1;
    if span == 1 || span > 2 * entries.len() {
        entries.sort_unstable_by_key(|&(place, _)| place);
        return;
    }
    // A stable counting sort by rows leaves each row in the order of the input, which is often that of the columns.
    let mut start = vec![0usize; span + 1];
    entries.iter().for_each(|e| start[row(e) - first + 1] += 1);
    for r in 0..span {
        start[r + 1] += start[r];
    }
    let mut next = start.clone();
    let copy = entries.to_vec();
    for e in &copy {
        let slot = &mut next[row(e) - first];
        entries[*slot] = *e;
        *slot += 1;
    }
    for range in start.windows(2) {
        let row = &mut entries[range[0]..range[1]];
        if !row.is_sorted_by_key(|&(place, _)| place) {
            row.sort_unstable_by_key(|&(place, _)| place);
        }
    }
}

/// A bucket, sorted: every position once, no zeros.
struct Merged<'a, P, V> {
    entries: &'a [Entry<P, V>],
    /// The [`spread`]s of its values, by OR.
    spreads: u64,
    /// Sums that do not fit `V`.
    big: Vec<BigEntry>,
}

/// Merges sorted entries, in place; `row_col` converts places to positions.
fn merge_duplicates<P: Place, V: Word + Into<i128>>(
    entries: &mut [Entry<P, V>],
    duplicates: Duplicates,
    row_col: impl Fn(u64) -> (u32, u32),
) -> Merged<'_, P, V> {
    let (mut from, mut to, mut spreads, mut big) = (0, 0, 0, vec![]);
    while from < entries.len() {
        let (place, first) = entries[from];
        let run = entries[from..].iter().take_while(|e| e.0 == place).count();
        let sum: i128 = match duplicates {
            Duplicates::One => first.into(),
            // 2⁶⁴ terms below 2⁶³ fit: 128 bits cannot overflow.
            Duplicates::Sum => entries[from..from + run].iter().map(|&(_, v)| -> i128 { v.into() }).sum(),
        };
        from += run;
        let v = V::cut(sum as i64);
        let back: i128 = v.into();
        if back != sum {
            let (i, j) = row_col(place.get());
            big.push((i, j, sum.into()));
        } else if sum != 0 {
            entries[to] = (place, v);
            to += 1;
            spreads |= spread(v.into());
        }
    }
    Merged { entries: &entries[..to], spreads, big }
}
