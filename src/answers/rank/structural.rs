//! The structural rank, looked for beside what comes before it is asked for. A maximum matching is the work of one
//! thread, as most of a search for pivots is; whether it is worth anything is seen later.

use crate::matching::maximum_matching_while;
use crate::sparse::Pattern;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread::sleep;
use std::time::Duration;

/// Between two looks at whether it is found, where nothing else is to be done.
const PAUSE: Duration = Duration::from_micros(100);

/// A structural rank that a thread of rayon's pool looks for until this is dropped.
#[derive(Debug)]
pub(super) struct StructuralRank {
    wanted: Arc<AtomicBool>,
    /// `None` if there was no memory for it.
    found: Arc<OnceLock<Option<usize>>>,
}

impl StructuralRank {
    /// Begins to look for that of a pattern. On a pool of one thread it is found when [`StructuralRank::wait`] is
    /// called.
    pub fn of(pattern: Pattern) -> Self {
        let rank = StructuralRank { wanted: Arc::new(AtomicBool::new(true)), found: Arc::new(OnceLock::new()) };
        let (wanted, found) = (Arc::clone(&rank.wanted), Arc::clone(&rank.found));
        rayon::spawn(move || {
            let matching = maximum_matching_while(&pattern, &|| wanted.load(Relaxed));
            let _ = found.set(matching.ok().flatten().map(|matching| matching.size));
        });
        rank
    }
    /// The structural rank, once it is found; `None` if there was no memory for it.
    pub fn wait(self) -> Option<usize> {
        loop {
            if let Some(&found) = self.found.get() {
                return found;
            }
            // It may not have begun: no other thread may be free.
            if rayon::yield_now() != Some(rayon::Yield::Executed) {
                sleep(PAUSE);
            }
        }
    }
}

impl Drop for StructuralRank {
    fn drop(&mut self) {
        self.wanted.store(false, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use crate::matching::maximum_matching;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn it_is_that_of_a_maximum_matching_on_any_pool() {
        let mut rng = Rng::seed_from_u64(91);
        for (rows, cols, entries) in [(0, 0, 0), (5, 0, 0), (40, 60, 90), (900, 700, 1500)] {
            let places: Vec<_> = (0..entries).map(|_| (rng.random_range(0..rows), rng.random_range(0..cols))).collect();
            let pattern = Pattern::from_entries(rows, cols, places);
            let size = maximum_matching(&pattern).unwrap().size;
            for threads in [1, 2, 5] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    assert_eq!(StructuralRank::of(pattern.clone()).wait(), Some(size));
                    // Whoever is not asked stops.
                    drop(StructuralRank::of(pattern.clone()));
                });
            }
        }
    }
}
