//! The program's thread pool: the library uses the pool it is called in and never makes one.

use crate::args::Common;
use crate::{progress::Bars, signals};
use blackfield::{Error, Result};

/// The stack of a worker: what the main thread of most systems has.
const STACK_BYTES: usize = 8 << 20;

/// Runs `work` in a pool of the wished number of threads, with signals caught and progress shown.
pub fn within(common: Common, work: impl FnOnce(&Bars) -> Result<()> + Send) -> Result<()> {
    signals::catch();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(common.threads.unwrap_or(0)).stack_size(STACK_BYTES);
    // One thread less to start and to feed: small matrices take less than that. (Elsewhere the main thread's stack may be small.)
    let pool = if cfg!(unix) { pool.use_current_thread() } else { pool };
    let pool = pool.build().map_err(|e| Error::Memory(format!("the thread pool cannot be started: {e}")))?;
    let bars = Bars::new(common.quiet);
    pool.install(|| work(&bars))
}
