//! Steps of long computations whose states outlive the process: how far a step is, or what it gave.
//!
//! A state is kept under the name of its step and SHA-256 of its *key*: the values that it depends on beyond the
//! question that the [`Keeper`] is for. A step that is asked about anything else, because another plan was made or
//! another prime drawn, finds no state; so what is found may be used without looking at it.
//!
//! - A step that gives a result: [`once`] makes it, or takes it from the run before.
//! - A step that grows: [`Kept::load`] at its beginning; [`Kept::store`] now and then, when [`Kept::is_due`] says so.

use super::bytes::{Bytes, State};
use super::{Keeper, Observer};
use crate::{Error, Result};
use sha2::{Digest, Sha256};
use std::time::Instant;

/// Bytes of a digest that a name has: two keys share a name with probability 2⁻¹²⁸.
const NAME: usize = 16;

/// The state of one step, if somebody keeps it.
pub(crate) struct Kept<'a> {
    keeper: Option<&'a dyn Keeper>,
    name: String,
    start: Instant,
}

impl<'a> Kept<'a> {
    /// That of `step` (letters and hyphens) on what `key` says, which is asked for it only if somebody keeps states.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn of<K: Bytes>(step: &str, key: impl FnOnce() -> K, observer: &'a dyn Observer) -> Result<Self> {
        let start = Instant::now();
        let Some(keeper) = observer.keeper() else { return Ok(Kept { keeper: None, name: String::new(), start }) };
        let mut bytes = vec![];
        key().write(&mut bytes)?;
        let digest: String = Sha256::digest(&bytes)[..NAME].iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Kept { keeper: Some(keeper), name: format!("{step}-{digest}"), start })
    }
    /// Whether somebody keeps it: if not, nothing has to be made ready for that.
    pub fn is_kept(&self) -> bool {
        self.keeper.is_some()
    }
    /// The last state. One that has another form is none: it is made again.
    ///
    /// # Errors
    /// Those of [`Keeper::load`].
    pub fn load<S: State>(&self) -> Result<Option<S>> {
        let Some(keeper) = self.keeper else { return Ok(None) };
        let bytes = keeper.load(&self.name)?;
        Ok(bytes.and_then(|bytes| {
            let mut rest = &bytes[..];
            S::read(&mut rest).filter(|_| rest.is_empty())
        }))
    }
    /// Whether it is time to keep the state again.
    pub fn is_due(&self) -> bool {
        self.keeper.is_some_and(|keeper| keeper.is_due(&self.name))
    }
    /// Keeps the state; not where there is no memory to write it down.
    ///
    /// # Errors
    /// Those of [`Keeper::store`].
    pub fn store(&self, state: &dyn Bytes) -> Result<()> {
        self.write(state, |keeper, bytes| keeper.store(&self.name, bytes))
    }
    /// Keeps the state if it is time; at the end of the step, if it is [worth](Keeper::is_worth) it: a step that is
    /// done before it is time would be lost with those after it.
    ///
    /// # Errors
    /// As [`Kept::store`].
    pub fn keep(&self, state: &dyn Bytes, at_end: bool) -> Result<()> {
        match at_end {
            true => self.complete_if_worth(state, self.start.elapsed().as_secs_f64()),
            false if self.is_due() => self.store(state),
            false => Ok(()),
        }
    }
    /// Keeps a state that will not change any more.
    ///
    /// # Errors
    /// As [`Kept::store`].
    pub fn complete(&self, state: &dyn Bytes) -> Result<()> {
        self.write(state, |keeper, bytes| keeper.result(&self.name, bytes))
    }
    /// Keeps a state that will not change any more and was made in so many seconds, if it is
    /// [worth](Keeper::is_worth) its bytes.
    ///
    /// # Errors
    /// As [`Kept::store`].
    pub fn complete_if_worth(&self, state: &dyn Bytes, seconds: f64) -> Result<()> {
        self.write(state, |keeper, bytes| match keeper.is_worth(bytes.len(), seconds) {
            true => keeper.result(&self.name, bytes),
            false => Ok(()),
        })
    }
    fn write(&self, state: &dyn Bytes, to: impl FnOnce(&dyn Keeper, &[u8]) -> Result<()>) -> Result<()> {
        let Some(keeper) = self.keeper else { return Ok(()) };
        let mut bytes = vec![];
        match state.write(&mut bytes) {
            // The work fits, its state does not: nothing is kept.
            Err(Error::Memory(_)) => Ok(()),
            written => written.and_then(|()| to(keeper, &bytes)),
        }
    }
}

/// The result of `step` on what `key` says: what was kept of it, or what `make` makes, which is then kept.
///
/// # Errors
/// Those of `make`, and of [`Kept`].
pub(crate) fn once<S: State, K: Bytes>(
    step: &str,
    key: impl FnOnce() -> K,
    observer: &dyn Observer,
    make: impl FnOnce() -> Result<S>,
) -> Result<S> {
    let kept = Kept::of(step, key, observer)?;
    if let Some(done) = kept.load()? {
        return Ok(done);
    }
    let made = make()?;
    kept.complete(&made)?;
    Ok(made)
}

/// The same of a result that may be large for the time that it takes: it is kept if it is [worth](Keeper::is_worth) it.
///
/// # Errors
/// As [`once`].
pub(crate) fn once_if_worth<S: State, K: Bytes>(
    step: &str,
    key: impl FnOnce() -> K,
    observer: &dyn Observer,
    make: impl FnOnce() -> Result<S>,
) -> Result<S> {
    let kept = Kept::of(step, key, observer)?;
    if let Some(done) = kept.load()? {
        return Ok(done);
    }
    let start = Instant::now();
    let made = make()?;
    kept.complete_if_worth(&made, start.elapsed().as_secs_f64())?;
    Ok(made)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Silent;
    use std::collections::BTreeMap;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Keeps everything in memory at every occasion, and lets a computation live for so many questions whether to stop.
    #[derive(Default)]
    pub(crate) struct Memory {
        pub states: Mutex<BTreeMap<String, Vec<u8>>>,
        pub life: AtomicUsize,
    }

    impl Keeper for Memory {
        fn load(&self, name: &str) -> Result<Option<Vec<u8>>> {
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{name}");
            Ok(self.states.lock().unwrap().get(name).cloned())
        }
        fn store(&self, name: &str, state: &[u8]) -> Result<()> {
            self.states.lock().unwrap().insert(name.into(), state.to_vec());
            Ok(())
        }
        fn is_due(&self, _: &str) -> bool {
            true
        }
        fn is_worth(&self, bytes: usize, _: f64) -> bool {
            bytes != Self::TOO_LARGE
        }
    }

    impl Memory {
        /// Bytes of a result that are never worth it.
        const TOO_LARGE: usize = 8 + 1234;
    }

    impl Observer for Memory {
        fn cancelled(&self) -> bool {
            self.life.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(1))) == Ok(0)
        }
        fn keeper(&self) -> Option<&dyn Keeper> {
            Some(self)
        }
    }

    /// Interrupts `work` again and again, each time after a longer life, until it has gone on from what was kept to its
    /// end, which has to be that of undisturbed work; returns the steps that were kept.
    pub(crate) fn goes_on<T: PartialEq + std::fmt::Debug>(work: impl Fn(&dyn Observer) -> Result<T>) -> Vec<String> {
        goes_on_after(3, work)
    }

    /// The same of work that has to be interrupted so many times at least.
    pub(crate) fn goes_on_after<T: PartialEq + std::fmt::Debug>(
        least: usize,
        work: impl Fn(&dyn Observer) -> Result<T>,
    ) -> Vec<String> {
        let (undisturbed, memory) = (work(&Silent).unwrap(), Memory::default());
        for deaths in 0..10_000 {
            memory.life.store(1 + deaths + deaths * deaths / 4, Ordering::Relaxed);
            match work(&memory) {
                Err(Error::Interrupted) => {}
                done => {
                    assert_eq!(done.unwrap(), undisturbed, "after {deaths} deaths");
                    assert!(deaths >= least, "it has hardly been interrupted");
                    let states = memory.states.lock().unwrap();
                    let mut steps: Vec<String> =
                        states.keys().map(|name| name.rsplit_once('-').unwrap().0.to_string()).collect();
                    steps.dedup();
                    return steps;
                }
            }
        }
        panic!("it does not end");
    }

    #[test]
    fn a_result_is_made_once() {
        let (memory, made) = (Memory { life: usize::MAX.into(), ..Memory::default() }, AtomicUsize::new(0));
        let make = |key: (u64, &str), observer: &dyn Observer| {
            once("a-step", || key, observer, || Ok(made.fetch_add(1, Ordering::Relaxed) as u64)).unwrap()
        };
        assert_eq!([make((1, "x"), &memory), make((1, "x"), &memory)], [0, 0]);
        assert_eq!([make((2, "x"), &memory), make((1, "y"), &memory), make((1, "x"), &memory)], [1, 2, 0]);
        assert_eq!([make((1, "x"), &Silent), make((1, "x"), &Silent)], [3, 4], "nobody keeps it");
        let failed = once("a-step", || 3u64, &memory, || Err::<u64, _>(Error::Interrupted));
        assert!(matches!(failed, Err(Error::Interrupted)));
        assert_eq!(memory.states.lock().unwrap().len(), 3);
    }

    /// A keeper that knows no better writes for a tenth of the time at most.
    #[test]
    fn a_result_is_made_again_where_that_is_cheaper() {
        struct Plain;
        impl Keeper for Plain {
            fn load(&self, _: &str) -> Result<Option<Vec<u8>>> {
                Ok(None)
            }
            fn store(&self, _: &str, _: &[u8]) -> Result<()> {
                Ok(())
            }
            fn is_due(&self, _: &str) -> bool {
                false
            }
        }
        assert!(Plain.is_worth(20_000_000, 1.0) && !Plain.is_worth(20_000_001, 1.0) && Plain.is_worth(0, 0.0));
        let memory = Memory { life: usize::MAX.into(), ..Memory::default() };
        let made = AtomicUsize::new(0);
        let make = |bytes: usize| {
            let make = || Ok((made.fetch_add(1, Ordering::Relaxed), vec![7u8; bytes]).1);
            once_if_worth("large", || bytes as u64, &memory, make).unwrap()
        };
        for (bytes, times) in [(5, 1), (5, 1), (1234, 2), (1234, 3)] {
            assert_eq!((make(bytes), made.load(Ordering::Relaxed)), (vec![7; bytes], times));
        }
    }

    #[test]
    fn a_state_of_another_form_is_none() {
        let memory = Memory { life: usize::MAX.into(), ..Memory::default() };
        let kept = Kept::of("a-step", || 1u64, &memory).unwrap();
        assert_eq!(kept.load::<u64>().unwrap(), None);
        kept.store(&7u64).unwrap();
        assert_eq!(kept.load::<u64>().unwrap(), Some(7));
        assert_eq!(kept.load::<u32>().unwrap(), None, "bytes are left");
        assert_eq!(kept.load::<(u64, u8)>().unwrap(), None, "bytes are missing");
        assert!(kept.is_due() && kept.is_kept());
        let nobody = Kept::of("a-step", || 1u64, &Silent).unwrap();
        nobody.store(&7u64).unwrap();
        assert!(nobody.load::<u64>().unwrap().is_none() && !nobody.is_due() && !nobody.is_kept());
    }
}
