//! The sums so far, and the checkpoint that keeps them.

use super::checkpoint::{Checkpoint, Store};
use super::plan::Plan;
use super::sums::Sums;
use crate::permanent::{IntMatrix, Resumed};
use crate::{Error, Result};
use std::path::Path;
use std::time::{Duration, Instant};

/// The sums so far, and the checkpoint that keeps them. Invariant: the sums are those of the chunks before
/// `state.next`.
pub(super) struct Journal<'a> {
    plan: &'a Plan,
    /// The checkpoint file, if there is one.
    store: Option<Store>,
    /// The least time between two writes.
    interval: Duration,
    state: Checkpoint,
    sums: Sums,
    written: Instant,
}

impl<'a> Journal<'a> {
    /// An empty journal, or the content of the file.
    pub fn open(plan: &'a Plan, matrix: &IntMatrix, file: Option<&'a Path>, interval: Duration) -> Result<Self> {
        let store = file.map(|file| Store::new(file, plan, matrix)).transpose()?;
        let (state, sums) = (plan.start(), plan.zero());
        let mut journal = Journal { plan, store, interval, state, sums, written: Instant::now() };
        if let Some(store) = &journal.store
            && let Some(saved) = store.read(&journal.state)?
        {
            let message = "checkpoint whose sums are no numbers of their range";
            let damaged = || Error::Input { file: store.file().into(), line: 0, message: message.into() };
            journal.sums = plan.parse(&saved.sums).ok_or_else(damaged)?;
            journal.state = saved;
        }
        // A file that cannot be written is reported before hours of work.
        journal.write()?;
        Ok(journal)
    }

    /// The first chunk that is not summed.
    pub fn next(&self) -> u64 {
        self.state.next
    }

    /// What the sums include so far, if anything.
    pub fn resumed(&self) -> Option<Resumed> {
        (self.next() > 0).then(|| Resumed { parts: self.next(), of: self.chunks() })
    }

    /// The total number of chunks.
    pub fn chunks(&self) -> u64 {
        self.state.chunks
    }

    /// Adds the sums of the chunks up to `end`; writes the checkpoint if it is time.
    pub fn advance(&mut self, end: u64, part: Sums) -> Result<()> {
        let before = std::mem::replace(&mut self.sums, self.plan.zero());
        self.sums = self.plan.add(before, part);
        self.state.next = end;
        if self.written.elapsed() >= self.interval && end < self.chunks() {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        if let Some(store) = &self.store {
            self.state.sums = self.sums.digits();
            store.write(&self.state)?;
        }
        self.written = Instant::now();
        Ok(())
    }

    /// Saves the work done.
    ///
    /// # Errors
    /// [`Error::Interrupted`] always, unless the checkpoint cannot be written.
    pub fn interrupt(&mut self) -> Result<()> {
        self.write()?;
        Err(Error::Interrupted)
    }

    /// All sums; the checkpoint is no longer needed and is removed.
    pub fn close(self) -> Result<Sums> {
        if let Some(store) = &self.store
            && let Err(source) = std::fs::remove_file(store.file())
            && source.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Error::Io { file: store.file().into(), source });
        }
        Ok(self.sums)
    }
}

impl Plan {
    /// The state before the first chunk.
    fn start(&self) -> Checkpoint {
        Checkpoint { chunks: self.chunks(), next: 0, sums: self.zero().digits() }
    }

    pub fn chunks(&self) -> u64 {
        self.positions.div_ceil(self.chunk)
    }
}
