//! The sum on the processor: chunks in waves, each on whichever thread is free.

use super::exact;
use super::journal::Journal;
use super::plan::{Engine, Plan};
use super::residues;
use super::sums::Sums;
use super::walk::Walk;
use crate::isa::Isa;
use crate::{Observer, Result};
use rayon::prelude::*;
use std::time::{Duration, Instant};

impl Plan {
    /// Sums the chunks that the journal lacks, in waves of a few hundred milliseconds, between which the checkpoint is
    /// written.
    pub fn run(&self, isa: Isa, journal: &mut Journal<'_>, observer: &dyn Observer) -> Result<()> {
        // A wave is long enough for its uneven end not to matter, and short enough to lose.
        let mut wave = 4 * rayon::current_num_threads() as u64;
        while journal.next() < journal.chunks() {
            if observer.cancelled() {
                return journal.interrupt();
            }
            let started = Instant::now();
            let end = journal.chunks().min(journal.next() + wave);
            journal.advance(end, self.wave(isa, journal.next(), end))?;
            observer.progress(end);
            if started.elapsed() < Duration::from_millis(100) {
                wave *= 2;
            } else if started.elapsed() > Duration::from_millis(400) {
                wave = (wave / 2).max(1);
            }
        }
        Ok(())
    }

    /// The sums of chunks first..end.
    fn wave(&self, isa: Isa, first: u64, end: u64) -> Sums {
        let span = |chunk: u64| (chunk * self.chunk, self.chunk.min(self.positions - chunk * self.chunk));
        match &self.engine {
            Engine::Exact(exact) => (first..end)
                .into_par_iter()
                .map_init(
                    || exact::Worker::new(exact),
                    |worker, chunk| {
                        let (start, length) = span(chunk);
                        Sums::Exact(worker.sum(isa, Walk::at(&self.walk, start), length))
                    },
                )
                .reduce(|| self.zero(), |a, b| self.add(a, b)),
            Engine::Modular(modular) => (first..end)
                .into_par_iter()
                .map_init(
                    || residues::Worker::new(modular),
                    |worker, chunk| {
                        let (start, length) = span(chunk);
                        Sums::Residues(worker.sums(isa, Walk::at(&self.walk, start), length))
                    },
                )
                .reduce(|| self.zero(), |a, b| self.add(a, b)),
        }
    }
}
