//! `--checkpoint DIR`: the states of long steps, a sealed file each in a folder, for a run that goes on after this one
//! was killed.
//!
//! The name of a file begins with a digest of the question (the matrix, what is asked of it, the seed), so that several
//! questions may share a folder: `QUESTION-STEP-KEY.state`. Threads, memory and prices are no part of the question.
//! What they change is in the keys of the steps (`src/report/kept.rs`).

use crate::args::CheckpointArgs;
use crate::progress::Bars;
use crate::signals;
use blackfield::io::Seal;
use blackfield::report::Keeper;
use blackfield::words::counted;
use blackfield::{Error, Observer, Result};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The version in a [`Seal`]: it rises with every change of what a state means.
const VERSION: u32 = 4;
/// The time between two states, unless another one is asked for.
const INTERVAL: Duration = Duration::from_secs(60);
/// Where writing a state takes long, so many times as long passes before the next one.
const WORK: u32 = 10;
/// Bytes of results that wait at most.
const WAITING: usize = 64 << 20;
/// The end of a name.
const STATE: &str = ".state";

/// The states of one answer after the other.
pub struct States {
    folder: PathBuf,
    interval: Duration,
    inner: Mutex<Inner>,
}

/// What changes.
struct Inner {
    question: Question,
    /// Since when each growing state is kept, or when it was written last, and how long that took.
    grown: BTreeMap<String, (Instant, Duration)>,
    /// What this process has written.
    own: BTreeSet<String>,
    /// Results that wait to be written, and the time of the last that was.
    waiting: BTreeMap<String, Vec<u8>>,
    last: Instant,
    /// Whether a state was read.
    resumed: bool,
}

/// What the states are of.
struct Question {
    /// The digest of what is asked about, and what is asked.
    matrix: String,
    asked: String,
    /// The beginning of the names of its files.
    prefix: String,
}

impl Question {
    fn new(matrix: String, asked: String) -> Question {
        let digest = Sha256::digest(format!("{VERSION}\n{matrix}\n{asked}"));
        let prefix = digest[..6].iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "-";
        Question { matrix, asked, prefix }
    }
}

impl States {
    /// Those of the question `asked` about what has this digest, in the folder that is asked for, which is made if it
    /// is missing; `None` without one.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn open(
        args: &CheckpointArgs,
        digest: impl FnOnce() -> String,
        asked: String,
        bars: &Bars,
    ) -> Result<Option<States>> {
        let Some(folder) = args.checkpoint.clone() else { return Ok(None) };
        std::fs::create_dir_all(&folder).map_err(|source| Error::Io { file: folder.clone(), source })?;
        let now = Instant::now();
        let states = States {
            folder,
            interval: args.checkpoint_interval.unwrap_or(INTERVAL),
            inner: Mutex::new(Inner {
                question: Question::new(digest(), asked),
                grown: BTreeMap::new(),
                own: BTreeSet::new(),
                waiting: BTreeMap::new(),
                last: now,
                resumed: false,
            }),
        };
        states.tell(bars)?;
        Ok(Some(states))
    }
    /// Turns to another question.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn ask(&self, digest: String, asked: String, bars: &Bars) -> Result<()> {
        self.flush(&mut lock(&self.inner))?;
        let mut inner = lock(&self.inner);
        inner.question = Question::new(digest, asked);
        inner.grown.clear();
        inner.own.clear();
        inner.resumed = false;
        drop(inner);
        self.tell(bars)
    }
    /// Whether anything was taken from a state.
    pub fn resumed(&self) -> bool {
        lock(&self.inner).resumed
    }
    /// Removes the states of an answer that is complete.
    pub fn remove(&self) {
        let mut inner = lock(&self.inner);
        inner.waiting.clear();
        for file in self.files(&inner.question.prefix).unwrap_or_default() {
            // One that stays is read again, and right.
            let _ = std::fs::remove_file(file);
        }
    }

    /// Says what is there.
    fn tell(&self, bars: &Bars) -> Result<()> {
        let (own, all) = (self.files(&lock(&self.inner).question.prefix)?.len(), self.files("")?.len());
        let folder = self.folder.display();
        if own > 0 {
            signals::state_is_kept_in(&self.folder);
            bars.note(&format!("going on from {} in {folder}", counted(own, "state")));
        } else if all > 0 {
            let of = "of another matrix, seed or question, or of another version";
            bars.warning(&format!("{} in {folder} {of}: this run begins anew", counted(all, "state")));
        }
        Ok(())
    }
    /// The files in the folder whose names begin so.
    fn files(&self, prefix: &str) -> Result<Vec<PathBuf>> {
        let failed = |source| Error::Io { file: self.folder.clone(), source };
        let mut found = vec![];
        for entry in std::fs::read_dir(&self.folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            if name.to_str().is_some_and(|name| name.starts_with(prefix) && name.ends_with(STATE)) {
                found.push(self.folder.join(name));
            }
        }
        Ok(found)
    }
    fn seal(question: &Question, name: &str) -> Seal {
        let Question { matrix, asked, .. } = question;
        let parameters = format!("{asked} {name}");
        Seal { kind: "step of an answer".into(), version: VERSION, matrix: matrix.clone(), parameters }
    }
    fn file(&self, question: &Question, name: &str) -> PathBuf {
        self.folder.join(format!("{}{name}{STATE}", question.prefix))
    }
    fn write(&self, inner: &mut Inner, name: &str, state: &[u8]) -> Result<()> {
        let start = Instant::now();
        Self::seal(&inner.question, name).write(&self.file(&inner.question, name), state)?;
        inner.grown.insert(name.into(), (Instant::now(), start.elapsed()));
        inner.own.insert(name.into());
        signals::state_is_kept_in(&self.folder);
        Ok(())
    }
    /// Writes the results that wait.
    fn flush(&self, inner: &mut Inner) -> Result<()> {
        while let Some((name, state)) = inner.waiting.pop_first() {
            self.write(inner, &name, &state)?;
        }
        inner.last = Instant::now();
        Ok(())
    }
    /// The same if it is time.
    fn flush_if_due(&self, inner: &mut Inner) -> Result<()> {
        let bytes = || inner.waiting.values().map(Vec::len).sum::<usize>();
        if inner.last.elapsed() >= self.interval || bytes() > WAITING { self.flush(inner) } else { Ok(()) }
    }
}

impl Keeper for States {
    fn load(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let mut inner = lock(&self.inner);
        if let Some(state) = inner.waiting.get(name) {
            return Ok(Some(state.clone()));
        }
        let state = Self::seal(&inner.question, name).read(&self.file(&inner.question, name))?;
        inner.resumed |= state.is_some() && !inner.own.contains(name);
        Ok(state)
    }
    fn store(&self, name: &str, state: &[u8]) -> Result<()> {
        let mut inner = lock(&self.inner);
        self.write(&mut inner, name, state)?;
        self.flush_if_due(&mut inner)
    }
    fn result(&self, name: &str, state: &[u8]) -> Result<()> {
        let mut inner = lock(&self.inner);
        if state.len() > WAITING {
            return self.write(&mut inner, name, state);
        }
        inner.waiting.insert(name.into(), state.into());
        self.flush_if_due(&mut inner)
    }
    fn is_due(&self, name: &str) -> bool {
        let mut inner = lock(&self.inner);
        let (last, took) = *inner.grown.entry(name.into()).or_insert((Instant::now(), Duration::ZERO));
        last.elapsed() >= self.interval.max(took * WORK)
    }
}

impl Drop for States {
    fn drop(&mut self) {
        let mut inner = lock(&self.inner);
        // An answer that is complete has left nothing; one that was interrupted leaves what it can.
        let _ = self.flush(&mut inner);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
