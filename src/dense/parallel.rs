//! Loops over chunks that spare rayon where it has one thread or the work is short: waking a pool costs microseconds.

use crate::parallel::Each;
use rayon::prelude::*;

/// The smallest chunk worth a separate task, in bytes.
const GRAIN: usize = 1 << 14;

/// Calls `work(number, chunk)` for each chunk of `size` entries, in parallel on rayon's current pool if there is enough
/// of them: enough `bytes` that a call reads or writes, where that differs from the chunk's own.
pub(super) fn for_each_chunk<T: Send>(
    data: &mut [T],
    size: usize,
    bytes: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let work: &(dyn Fn(usize, &mut [T]) + Sync) = &work;
    let count = data.len().div_ceil(size);
    let grain = GRAIN.div_ceil(bytes.max(1));
    if count <= grain || rayon::current_num_threads() == 1 {
        data.chunks_mut(size).enumerate().for_each(|(number, chunk)| work(number, chunk));
    } else {
        let chunks = data.par_chunks_mut(size).with_min_len(grain).enumerate();
        chunks.each(|(number, chunk)| work(number, chunk));
    }
}

/// Calls `work(task)` for each task, each of which reads or writes so many `bytes`.
pub(super) fn for_each_task<T: Send>(tasks: Vec<T>, bytes: usize, work: impl Fn(T) + Sync) {
    let work: &(dyn Fn(T) + Sync) = &work;
    let grain = GRAIN.div_ceil(bytes.max(1));
    if tasks.len() <= grain || rayon::current_num_threads() == 1 {
        tasks.into_iter().for_each(work);
    } else {
        tasks.into_par_iter().with_min_len(grain).each(work);
    }
}
