//! The program's thread pool: the library uses the pool it is called in and never makes one.

use crate::args::Common;
use crate::exit::Code;
use crate::{allocator, budget, memory, progress::Bars, signals};
use blackfield::isa::Isa;
use blackfield::{Error, Result};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

/// The stack of a worker: what the main thread of most systems has.
const STACK_BYTES: usize = 8 << 20;

/// Where addresses are limited, stacks may take this share of them.
const STACK_SHARE: u64 = 8;

/// So many threads keep memory that was freed.
const MANY: usize = 4;

/// Runs `work` with the wished instructions in a pool of the wished number of threads, with signals caught and progress
/// shown.
pub fn within<R: Into<Code>>(common: Common, work: impl FnOnce(&Bars) -> Result<R> + Send) -> Result<Code> {
    if let Some(isa) = common.isa {
        Isa::from(isa).force()?;
    }
    let addresses = memory::address_limit();
    if addresses.is_some() {
        allocator::one_heap();
        grow_stack();
    }
    signals::catch();
    let bars = Bars::new(common.quiet, common.progress);
    let threads = wished(common.threads, addresses);
    if threads >= MANY && addresses.is_none() && !budget::is_limited() {
        allocator::keep_what_is_freed();
    }
    let pool = pool(threads, &bars)?;
    pool.install(|| work(&bars).map(Into::into))
}

/// Makes the main thread's stack as large as it is likely to get, while there are addresses: the system answers its
/// growth into none with SIGSEGV.
#[inline(never)]
fn grow_stack() {
    std::hint::black_box(&mut [0u8; 1 << 20]);
}

/// The threads to try for: those asked for, or one a core, but no more than have room for their stacks.
fn wished(asked: Option<usize>, addresses: Option<u64>) -> usize {
    let room = addresses.map_or(usize::MAX, |bytes| 1 + (bytes / STACK_SHARE / STACK_BYTES as u64) as usize);
    asked.or_else(from_environment).unwrap_or_else(cores).min(room).max(1)
}

/// What `RAYON_NUM_THREADS` asks for.
fn from_environment() -> Option<usize> {
    std::env::var("RAYON_NUM_THREADS").ok()?.parse().ok().filter(|&threads| threads > 0)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A pool of `threads` threads, the calling one among them, or of fewer where the system grants no more: results do not
/// depend on their number.
fn pool(threads: usize, bars: &Bars) -> Result<rayon::ThreadPool> {
    // The threads are there before the pool is: one that cannot be started is then no reason to go without the others.
    // (Elsewhere than on Unix the main thread's stack may be small.)
    let here = usize::from(cfg!(unix));
    let mut workers: Vec<Sender<rayon::ThreadBuilder>> = vec![];
    while workers.len() + here < threads {
        let (seat, thread) = channel::<rayon::ThreadBuilder>();
        let run = move || thread.recv().map_or((), rayon::ThreadBuilder::run);
        match std::thread::Builder::new().stack_size(STACK_BYTES).spawn(run) {
            Ok(_) => workers.push(seat),
            Err(why) if workers.len() + here > 0 => {
                let there = workers.len() + here;
                bars.note(&format!(
                    "blackfield: only {there} of {threads} threads: no further thread can be started ({why})"
                ));
                break;
            }
            Err(why) => {
                let message = format!("no thread with a stack of {STACK_BYTES} bytes can be started: {why}");
                return Err(Error::Memory(message));
            }
        }
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers.len() + here);
    let pool = if here > 0 { pool.use_current_thread() } else { pool };
    let workers = Mutex::new(workers);
    let pool = pool.spawn_handler(|thread| {
        let seat = workers.lock().ok().and_then(|mut workers| workers.pop());
        let gone = || std::io::Error::other("a worker is gone");
        seat.and_then(|seat| seat.send(thread).ok()).ok_or_else(gone)
    });
    pool.build().map_err(|e| Error::Memory(format!("the thread pool cannot be started: {e}")))
}

/// Runs `work` in a pool of exactly so many threads, for a measurement.
pub fn with<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build();
    let pool = pool.map_err(|e| Error::Memory(format!("a pool of {threads} threads cannot be started: {e}")))?;
    Ok(pool.install(work))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_room_for_their_stacks() {
        assert_eq!(wished(Some(7), None), 7);
        assert_eq!(wished(Some(7), Some(200 << 20)), 4);
        assert_eq!(wished(Some(7), Some(10 << 20)), 1);
        assert_eq!(wished(Some(2), Some(1 << 40)), 2);
        assert!(wished(None, None) >= 1);
    }
}
