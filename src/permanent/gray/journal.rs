//! The sums so far, and the checkpoint that keeps them.

use super::checkpoint::{self, Checkpoint};
use super::plan::{Engine, Plan};
use super::sums::Sums;
use crate::io::Seal;
use crate::permanent::{IntMatrix, Resumed};
use crate::{Error, Result};
use std::path::Path;
use std::time::{Duration, Instant};

/// The sums so far, and the checkpoint that keeps them. Invariant: the sums are those of the chunks before `state.next`.
pub(super) struct Journal<'a> {
    plan: &'a Plan,
    /// Where they are kept, if anywhere.
    file: Option<&'a Path>,
    /// The least time between two writes.
    interval: Duration,
    seal: Seal,
    state: Checkpoint,
    sums: Sums,
    written: Instant,
}

impl<'a> Journal<'a> {
    /// Nothing summed, or what the file holds.
    pub fn open(plan: &'a Plan, matrix: &IntMatrix, file: Option<&'a Path>, interval: Duration) -> Result<Self> {
        let seal = plan.seal(matrix, file.is_some())?;
        let (state, sums) = (plan.start(), plan.zero());
        let mut journal = Journal { plan, file, interval, seal, state, sums, written: Instant::now() };
        if let Some(file) = file
            && let Some(saved) = Checkpoint::read(file, &journal.seal, &journal.state)?
        {
            let message = "checkpoint whose sums are no numbers of their range";
            let damaged = || Error::Input { file: file.into(), line: 0, message: message.into() };
            journal.sums = plan.parse(&saved.sums).ok_or_else(damaged)?;
            journal.state = saved;
        }
        // A file that cannot be written is told of before hours of work.
        journal.write()?;
        Ok(journal)
    }

    /// The first chunk that is not summed.
    pub fn next(&self) -> u64 {
        self.state.next
    }

    /// What the sums hold so far, if anything.
    pub fn resumed(&self) -> Option<Resumed> {
        (self.next() > 0).then(|| Resumed { parts: self.next(), of: self.chunks() })
    }

    /// The chunks in all.
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
        if let Some(file) = self.file {
            self.state.sums = self.sums.digits();
            self.state.write(file, &self.seal)?;
        }
        self.written = Instant::now();
        Ok(())
    }

    /// Keeps what is done.
    ///
    /// # Errors
    /// [`Error::Interrupted`] always, unless the checkpoint cannot be written.
    pub fn interrupt(&mut self) -> Result<()> {
        self.write()?;
        Err(Error::Interrupted)
    }

    /// All sums; the checkpoint has done its duty and goes.
    pub fn close(self) -> Result<Sums> {
        if let Some(file) = self.file
            && let Err(source) = std::fs::remove_file(file)
            && source.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Error::Io { file: file.into(), source });
        }
        Ok(self.sums)
    }
}

impl Plan {
    /// Which sum a checkpoint is of; without the digest where nothing will be written.
    fn seal(&self, matrix: &IntMatrix, described: bool) -> Result<Seal> {
        let digits: Vec<_> = self.walk.iter().map(|d| (d.class, d.radix())).collect();
        let sums = match &self.engine {
            Engine::Exact(_) => "integer".to_string(),
            Engine::Modular(modular) => format!("modulo 2^64 and {:?}", modular.primes),
        };
        let (low, lanes, chunk, chunks) = (&self.low, &self.lane_classes, self.chunk, self.chunks());
        Ok(Seal {
            kind: checkpoint::KIND.into(),
            version: checkpoint::VERSION,
            matrix: if described { matrix.to_triplets()?.digest() } else { String::new() },
            parameters: format!(
                "low {low:?} lanes {lanes:?} walk {digits:?} chunk {chunk} chunks {chunks} sums {sums}"
            ),
        })
    }

    /// The state before the first chunk.
    fn start(&self) -> Checkpoint {
        Checkpoint { chunks: self.chunks(), next: 0, sums: self.zero().digits() }
    }

    fn chunks(&self) -> u64 {
        self.positions.div_ceil(self.chunk)
    }
}
