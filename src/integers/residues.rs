//! Residues of an integer modulo primes, as far as another process has left them.

use crate::field::Modulus;
use crate::report::{Bytes, Kept};
use crate::{Observer, Result};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The residues that are known, by prime.
pub(crate) struct Residues<'a> {
    kept: Kept<'a>,
    known: Mutex<BTreeMap<u64, u64>>,
    /// How many are made at once where somebody keeps them.
    group: usize,
}

impl<'a> Residues<'a> {
    /// Those of the integer that `step` and `key` identify.
    ///
    /// # Errors
    /// Those of the observer's keeper.
    pub fn kept<K: Bytes>(
        step: &str,
        key: impl FnOnce() -> K,
        group: usize,
        observer: &'a dyn Observer,
    ) -> Result<Self> {
        let kept = Kept::of(step, key, observer)?;
        let known: Vec<(u64, u64)> = kept.load()?.unwrap_or_default();
        Ok(Residues { kept, known: Mutex::new(known.into_iter().collect()), group })
    }

    /// The residues modulo these primes: `make` is asked for those that are not known.
    ///
    /// # Errors
    /// Those of `make` and of the observer's keeper.
    ///
    /// # Panics
    /// If `make` returns the wrong number of residues.
    pub fn modulo(&self, primes: &[Modulus], make: impl Fn(&[Modulus]) -> Result<Vec<u64>>) -> Result<Vec<u64>> {
        if !self.kept.is_kept() {
            return make(primes);
        }
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let missing: Vec<Modulus> = {
            let known = lock();
            primes.iter().copied().filter(|p| !known.contains_key(&p.get())).collect()
        };
        for group in missing.chunks(self.group) {
            let made = make(group)?;
            assert_eq!(made.len(), group.len(), "a residue for each prime");
            let mut known = lock();
            known.extend(group.iter().map(|p| p.get()).zip(made));
            if self.kept.is_due() {
                let list: Vec<(u64, u64)> = known.iter().map(|(&p, &residue)| (p, residue)).collect();
                self.kept.store(&list)?;
            }
        }
        let known = lock();
        Ok(primes.iter().map(|p| known[&p.get()]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Memory;
    use crate::{Error, Silent};
    use std::cell::Cell;

    #[test]
    fn residues_are_made_once_in_groups() {
        let primes = [101u64, 103, 107, 109, 113].map(|p| Modulus::new(p).unwrap());
        let made = Cell::new(0);
        let make = |primes: &[Modulus]| {
            assert!(primes.len() <= 2);
            made.set(made.get() + primes.len());
            if made.get() == 4 { Err(Error::Interrupted) } else { Ok(primes.iter().map(|p| p.reduce(1000)).collect()) }
        };
        let memory = Memory { life: usize::MAX.into(), ..Memory::default() };
        let of = |key: u64| Residues::kept("some", || key, 2, &memory).unwrap();
        assert!(matches!(of(1).modulo(&primes, make), Err(Error::Interrupted)));
        let expected: Vec<u64> = primes.iter().map(|p| 1000 % p.get()).collect();
        assert_eq!((of(1).modulo(&primes, make).unwrap(), made.get()), (expected.clone(), 7));
        assert_eq!((of(1).modulo(&primes[2..], make).unwrap(), made.get()), (expected[2..].to_vec(), 7));
        assert_eq!((of(2).modulo(&primes, make).unwrap(), made.get()), (expected.clone(), 12), "of another integer");
        let nobody = Residues::kept("some", || 1u64, 1, &Silent).unwrap();
        assert_eq!(nobody.modulo(&primes[..2], make).unwrap(), expected[..2]);
    }
}
