//! The sums so far, and the checkpoint that keeps them: all under one checksum ([`Seal`](crate::io::Seal)).

use super::store::Store;
use crate::hafnian::residues::Pass;
use crate::hafnian::{Options, WeightedGraph};
use crate::permanent::Resumed;
use crate::{Error, Result};
use std::time::{Duration, Instant};

/// The sums so far. Invariant: `sums` are those of the parts before `next`, one for each pass.
pub(super) struct Journal<'a> {
    passes: &'a [Pass],
    parts: u64,
    next: u64,
    sums: Vec<u64>,
    resumed: u64,
    store: Option<Store>,
    interval: Duration,
    written: Instant,
}

/// The least time between two writes.
const INTERVAL: Duration = Duration::from_secs(60);

impl<'a> Journal<'a> {
    /// An empty journal, or the content of the file.
    ///
    /// # Errors
    /// [`Error::Io`], or [`Error::Input`] if the file is damaged or belongs to another sum.
    pub fn open(graph: &WeightedGraph, passes: &'a [Pass], parts: u64, options: &Options) -> Result<Self> {
        let store = options.checkpoint.clone().map(|file| Store::new(file, graph, passes, parts)).transpose()?;
        let interval = options.checkpoint_interval.unwrap_or(INTERVAL);
        let sums = vec![0; passes.len()];
        let mut journal =
            Journal { passes, parts, next: 0, sums, resumed: 0, store, interval, written: Instant::now() };
        if let Some(store) = &journal.store
            && let Some((next, sums)) = store.read(passes, parts)?
        {
            (journal.next, journal.sums, journal.resumed) = (next, sums, next);
        }
        // A file that cannot be written is reported before hours of work.
        journal.write()?;
        Ok(journal)
    }

    /// The first part that is not summed.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// What came from the file, if anything.
    pub fn resumed(&self) -> Option<Resumed> {
        (self.resumed > 0).then_some(Resumed { parts: self.resumed, of: self.parts })
    }

    /// Adds the residues of the parts up to `end`; writes the checkpoint if it is time.
    pub fn advance(&mut self, end: u64, parts: &[Vec<u64>]) -> Result<()> {
        for part in parts {
            for ((sum, &x), pass) in self.sums.iter_mut().zip(part).zip(self.passes) {
                *sum = pass.add(*sum, x);
            }
        }
        self.next = end;
        if self.written.elapsed() >= self.interval && end < self.parts { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<()> {
        if let Some(store) = &self.store {
            store.write(self.parts, self.next, &self.sums)?;
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
    pub fn close(self) -> Result<Vec<u64>> {
        if let Some(store) = &self.store
            && let Err(source) = std::fs::remove_file(store.file())
            && source.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Error::Io { file: store.file().into(), source });
        }
        Ok(self.sums)
    }
}
