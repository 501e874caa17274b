//! Work that repeats on the same lines, shared out so that a thread meets the lines that it had the last time.
//!
//! Thread i of T has the i-th T-th of a list of tiles, which are of about equal work: what it wrote, and what it reads
//! of a matrix, stays in its caches and on its memory. A thread that is done helps the others, so that one that came
//! late, or has lost its core, holds nobody up. Nothing waits for a thread that is busy elsewhere, so that calls may
//! stand inside of other parallel work. Entry point: [`each_tile`].

use crate::parallel::Each;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a thread has left: tiles, and the data of their lines.
struct Share<'a, T> {
    tiles: &'a [Range<usize>],
    data: &'a mut [T],
}

impl<'a, T> Share<'a, T> {
    /// The next tile with its data, `unit` elements a line.
    fn next(&mut self, unit: usize) -> Option<(Range<usize>, &'a mut [T])> {
        let (first, rest) = self.tiles.split_first()?;
        self.tiles = rest;
        let (head, tail) = std::mem::take(&mut self.data).split_at_mut(first.len() * unit);
        self.data = tail;
        Some((first.clone(), head))
    }
}

/// Nothing that holds the lock panics.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `run(lines, data)` once for each of the tiles, in any order, on rayon's current pool. The tiles follow each
/// other from line 0 on; `data` has `unit` elements for each of their lines.
///
/// # Panics
/// If `data` has another length.
pub(crate) fn each_tile<T: Send>(
    tiles: &[Range<usize>],
    unit: usize,
    data: &mut [T],
    run: impl Fn(Range<usize>, &mut [T]) + Sync,
) {
    deal(tiles, unit, data, &run);
}

/// As [`each_tile`], compiled once for each type of elements.
fn deal<T: Send>(tiles: &[Range<usize>], unit: usize, data: &mut [T], run: &(dyn Fn(Range<usize>, &mut [T]) + Sync)) {
    let lines = tiles.last().map_or(0, |last| last.end);
    assert_eq!(data.len(), lines * unit, "{lines} lines of {unit}");
    let threads = rayon::current_num_threads().min(tiles.len());
    let mut left = Share { tiles, data };
    if threads <= 1 {
        while let Some((lines, data)) = left.next(unit) {
            run(lines, data);
        }
        return;
    }
    let shares: Vec<Mutex<Share<'_, T>>> = (0..threads)
        .map(|i| {
            let (own, others) = left.tiles.split_at(left.tiles.len() / (threads - i));
            let lines = own.last().map_or(0, |last| last.end) - own.first().map_or(0, |first| first.start);
            let (data, rest) = std::mem::take(&mut left.data).split_at_mut(lines * unit);
            left = Share { tiles: others, data: rest };
            Mutex::new(Share { tiles: own, data })
        })
        .collect();
    // Each of these finds the share of the thread that it runs on; where threads are busy, fewer do it all.
    (0..threads).into_par_iter().with_max_len(1).each(|task| {
        let own = rayon::current_thread_index().unwrap_or(task);
        for i in 0..threads {
            let share = &shares[(own + i) % threads];
            loop {
                // Taken in a statement of its own: the lock is free while the tile is worked on.
                let tile = locked(share).next(unit);
                let Some((lines, data)) = tile else { break };
                run(lines, data);
            }
        }
    });
}

/// `count` lines cut into tiles of `size`, the last may be smaller.
pub(crate) fn even(count: usize, size: usize) -> Vec<Range<usize>> {
    (0..count).step_by(size.max(1)).map(|first| first..count.min(first + size.max(1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    /// Every line once, with its own data: tiles of any sizes, fewer than threads, none; also inside of other work.
    #[test]
    fn every_line_once() {
        for threads in [1, 2, 3, 8] {
            within(threads, || {
                for (tiles, unit) in [
                    (even(0, 5), 3),
                    (even(1, 5), 3),
                    (even(100, 7), 2),
                    (even(3, 1), 0),
                    (vec![0..1, 1..90, 90..91], 1),
                ] {
                    let lines = tiles.last().map_or(0, |last| last.end);
                    let once = || {
                        let mut data = vec![0; lines * unit];
                        each_tile(&tiles, unit, &mut data, |lines, data| {
                            assert_eq!(data.len(), lines.len() * unit);
                            for (i, data) in lines.zip(data.chunks_mut(unit.max(1))) {
                                data.iter_mut().for_each(|x| *x += i + 1);
                            }
                        });
                        assert!((0..data.len()).all(|at| data[at] == at / unit + 1), "{tiles:?} on {threads} threads");
                    };
                    once();
                    (0..20).into_par_iter().for_each(|_| once());
                }
            });
        }
    }

    #[test]
    fn even_tiles_cover() {
        assert_eq!(even(7, 3), [0..3, 3..6, 6..7]);
        assert_eq!(even(2, 0), [0..1, 1..2]);
        assert!(even(0, 3).is_empty());
    }

    #[test]
    #[should_panic(expected = "7 lines of 2")]
    fn data_of_another_length() {
        each_tile(&even(7, 3), 2, &mut [0; 13], |_, _| ());
    }
}
