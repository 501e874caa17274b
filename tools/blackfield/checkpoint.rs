//! `--checkpoint DIR`: the states of long steps, a sealed file each in a folder, for a run that goes on after this one
//! was killed.

use crate::args::CheckpointArgs;
use blackfield::io::Seal;
use blackfield::report::Keeper;
use blackfield::{Error, Result};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The version in a [`Seal`]: it rises with every change of what a state means.
const VERSION: u32 = 1;
/// The time between two states, unless another one is asked for.
const INTERVAL: Duration = Duration::from_secs(60);

/// The states of one answer.
pub struct States {
    folder: PathBuf,
    interval: Duration,
    /// The digest of what is asked about, and what is asked.
    question: (String, String),
    last: Mutex<Instant>,
    /// The names that were used.
    used: Mutex<BTreeSet<String>>,
}

impl States {
    /// Those in the folder that is asked for, which is made if it is missing; `None` without one.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn open(args: &CheckpointArgs, digest: impl FnOnce() -> String, asked: String) -> Result<Option<States>> {
        let Some(folder) = args.checkpoint.clone() else { return Ok(None) };
        std::fs::create_dir_all(&folder).map_err(|source| Error::Io { file: folder.clone(), source })?;
        let interval = args.checkpoint_interval.unwrap_or(INTERVAL);
        Ok(Some(States {
            folder,
            interval,
            question: (digest(), asked),
            last: Mutex::new(Instant::now()),
            used: Mutex::default(),
        }))
    }
    /// Removes the states of an answer that is complete.
    pub fn remove(&self) {
        for name in lock(&self.used).iter() {
            // One that stays is read again, and right.
            let _ = std::fs::remove_file(self.file(name));
        }
    }
    fn seal(&self, name: &str) -> Seal {
        let (matrix, asked) = self.question.clone();
        Seal { kind: "step of an answer".into(), version: VERSION, matrix, parameters: format!("{asked} {name}") }
    }
    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.state"))
    }
}

impl Keeper for States {
    fn load(&self, name: &str) -> Result<Option<Vec<u8>>> {
        lock(&self.used).insert(name.to_string());
        self.seal(name).read(&self.file(name))
    }
    fn store(&self, name: &str, state: &[u8]) -> Result<()> {
        lock(&self.used).insert(name.to_string());
        self.seal(name).write(&self.file(name), state)?;
        *lock(&self.last) = Instant::now();
        Ok(())
    }
    fn is_due(&self) -> bool {
        lock(&self.last).elapsed() >= self.interval
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
