//! Loops over chunks, parallel where it pays.

use crate::parallel::Each;
use rayon::prelude::*;

/// Below this many bytes written a loop stays on its thread: handing it to the pool costs about ten microseconds.
const SMALL: usize = 32 << 10;

/// Calls `run` with the number and the content of every chunk of `size` elements (the last may be shorter), in any
/// order and on the threads of rayon's current pool.
pub(crate) fn for_each_chunk<T: Send>(data: &mut [T], size: usize, run: impl Fn(usize, &mut [T]) + Sync) {
    let run: &(dyn Fn(usize, &mut [T]) + Sync) = &run;
    if data.len() <= size || size_of_val(data) <= SMALL {
        data.chunks_mut(size.max(1)).enumerate().for_each(|(i, chunk)| run(i, chunk));
    } else {
        data.par_chunks_mut(size).enumerate().each(|(i, chunk)| run(i, chunk));
    }
}

/// How many of `count` steps a task takes: `most`, or fewer so that every thread of rayon's current pool has some.
pub(crate) fn steps(count: usize, most: usize) -> usize {
    count.div_ceil(4 * rayon::current_num_threads()).next_multiple_of(8).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chunk_once() {
        for (len, size) in [(0, 1), (0, 0), (5, 2), (6, 2), (100_000, 7), (3, 100_000)] {
            let mut data = vec![0u64; len];
            for_each_chunk(&mut data, size, |i, chunk| chunk.iter_mut().for_each(|x| *x += 1 + i as u64));
            assert!(data.iter().enumerate().all(|(j, &x)| x == 1 + (j / size) as u64), "{len} by {size}");
        }
    }
}
