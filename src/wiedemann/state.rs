//! What a run of block Wiedemann keeps for another process: the terms of its sequence and the block that the next one
//! is made of; then how far the generator is evaluated. How far the generator is found from the terms is kept by
//! [`GeneratorSearch`](crate::sigma_basis::GeneratorSearch).

use crate::field::Field;
use crate::report::{Keeper, Kept, Quiet};
use crate::sequence::SequenceSource;
use crate::spmv::Block;
use crate::{Error, Observer, Result, memory};
use sha2::{Digest, Sha256};

/// What the memory is for.
const STATE: &str = "the state of a sequence";
/// Terms that a GPU makes between two looks at the time.
const TOGETHER: usize = 64;
/// Residues that are hashed at a time.
const CHUNK: usize = 1 << 10;

/// The states of one run, if somebody keeps them.
pub(crate) struct Saved<'a> {
    kept: Option<Kept<'a>>,
    /// The digits of all terms so far.
    terms: Vec<u64>,
    /// The block that was kept: of the next term, or of an evaluation that has done with the coefficients from number
    /// `next` > 0 on.
    block: Option<(u64, Vec<u64>)>,
}

impl<'a> Saved<'a> {
    /// What was kept of the run over a field of that degree whose sequence goes from the block of the `source` to the
    /// next one: that of an operator, where the first may be as it was drawn. With the kind of the `projection`, which
    /// is drawn from streams of the same run, these two identify it.
    ///
    /// # Errors
    /// Those of the observer's keeper and of the source, which makes its first terms for this.
    pub fn of<E>(
        source: &mut dyn SequenceSource<E>,
        degree: usize,
        projection: &str,
        observer: &'a dyn Observer,
    ) -> Result<Self> {
        let nobody = Saved { kept: None, terms: vec![], block: None };
        if observer.keeper().is_none() {
            return Ok(nobody);
        }
        let Some(first) = source.state()? else { return Ok(nobody) };
        let (rows, width, residues) = (first.rows(), first.width(), first.to_residues()?);
        source.extend(source.together(), &mut vec![], &Quiet(observer))?;
        let next = source.state()?.ok_or_else(|| Error::Check("a sequence that has lost its state".into()))?;
        let mut hash = Sha256::new();
        for chunk in residues.chunks(CHUNK).chain(next.to_residues()?.chunks(CHUNK)) {
            let bytes: Vec<u8> = chunk.iter().flat_map(|word| word.to_le_bytes()).collect();
            hash.update(&bytes);
        }
        let digest: [u8; 32] = hash.finalize().into();
        source.restore(&residues)?;
        let kept = Kept::of("wiedemann", || (rows, width, degree, projection, digest), observer)?;
        let state: Option<(u64, Vec<u64>, Vec<u64>)> = kept.load()?;
        let (terms, block) = match state.filter(|(_, _, block)| block.len() == residues.len()) {
            Some((next, terms, block)) => (terms, Some((next, block))),
            None => (vec![], None),
        };
        Ok(Saved { kept: Some(kept), terms, block })
    }

    /// Appends the terms from number `length` to `target`: those that were kept, then those of the `source`, which are
    /// kept now and then.
    ///
    /// # Errors
    /// Those of the source and of the observer's keeper; [`Error::Check`] if what was kept does not fit.
    pub fn extend<F: Field>(
        &mut self,
        field: &F,
        source: &mut dyn SequenceSource<F::Elem>,
        (length, target): (usize, usize),
        terms: &mut Vec<F::Elem>,
        counted: &Counted<'_>,
    ) -> Result<()> {
        let Some(kept) = &self.kept else { return source.extend(target - length, terms, counted) };
        let (k, size) = (field.degree(), source.block() * source.block());
        let known = self.terms.len() / (k * size);
        let restored = known.clamp(length, target);
        for digits in self.terms[k * size * length.min(known)..k * size * restored.min(known)].chunks_exact(k) {
            memory::push(terms, field.from_digits(digits), STATE)?;
        }
        if restored > length {
            counted.observer.restored(restored.min(counted.expected) as u64);
        }
        if restored == target {
            return Ok(());
        }
        match self.block.take() {
            Some((0, block)) => source.restore(&block)?,
            Some(_) => return Err(Error::Check("a sequence that was complete has no end".into())),
            None => {}
        }
        // Where a GPU makes them, the processor waits for many.
        let most = if source.is_elsewhere() { TOGETHER } else { source.together() };
        for before in (restored..target).step_by(most) {
            let (at, some) = (terms.len(), most.min(target - before));
            let counted = Counted { observer: counted.observer, before, expected: counted.expected };
            // A source that is stopped may have appended some.
            let done = source.extend(some, terms, &counted);
            memory::reserve(&mut self.terms, (terms.len() - at) * k, STATE)?;
            for &term in &terms[at..] {
                let at = self.terms.len();
                self.terms.resize(at + k, 0);
                field.write_digits(term, &mut self.terms[at..]);
            }
            done?;
            if kept.is_due()
                && let Some(block) = source.state()?
            {
                kept.store(&(0u64, &self.terms[..], &block.to_residues()?[..]))?;
            }
        }
        Ok(())
    }

    /// How far the generator was evaluated, once: the coefficients from that number on, and their sum.
    pub fn evaluated(&mut self) -> Option<(u64, Vec<u64>)> {
        self.block.take_if(|(next, _)| *next > 0)
    }
    /// Keeps the evaluation so far, if it is time.
    ///
    /// # Errors
    /// Those of the observer's keeper, [`Error::Memory`].
    pub fn evaluation(&self, next: u64, block: &Block) -> Result<()> {
        match self.kept.as_ref().filter(|kept| kept.is_due()) {
            Some(kept) => kept.store(&(next, &self.terms[..], &block.to_residues()?[..])),
            None => Ok(()),
        }
    }
}

/// Tells how many terms there are in all, at most as many as are expected.
pub(crate) struct Counted<'a> {
    pub observer: &'a dyn Observer,
    pub before: usize,
    pub expected: usize,
}

impl Observer for Counted<'_> {
    fn progress(&self, done: u64) {
        self.observer.progress((self.before as u64 + done).min(self.expected as u64));
    }
    fn warning(&self, message: &str) {
        self.observer.warning(message);
    }
    fn keeper(&self) -> Option<&dyn Keeper> {
        self.observer.keeper()
    }
    fn cancelled(&self) -> bool {
        self.observer.cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blackbox::{Diagonals, Preconditioned};
    use crate::field::{Modulus, PrimeField, Rng};
    use crate::report::goes_on;
    use crate::sequence::{Krylov, Projection, Start};
    use crate::sparse::SparseMatrix;
    use crate::spmv::{Plan, PlanOptions, Product};
    use rand::{RngExt, SeedableRng};
    use std::borrow::Cow;

    /// A source that stops in the middle of what it is asked for, each second time.
    struct Stopping<'a> {
        source: Krylov<'a, PrimeField>,
        stops: bool,
    }

    impl SequenceSource<u64> for Stopping<'_> {
        fn block(&self) -> usize {
            self.source.block()
        }
        fn is_elsewhere(&self) -> bool {
            true
        }
        fn extend(&mut self, count: usize, terms: &mut Vec<u64>, observer: &dyn Observer) -> Result<()> {
            self.stops = !self.stops && count > 1;
            if self.stops {
                self.source.extend(count / 2, terms, observer)?;
                return Err(Error::Interrupted);
            }
            self.source.extend(count, terms, observer)
        }
        fn state(&self) -> Result<Option<Cow<'_, Block>>> {
            self.source.state()
        }
        fn restore(&mut self, residues: &[u64]) -> Result<()> {
            self.source.restore(residues)
        }
    }

    /// What a source has appended when it is stopped is kept under its own number, whoever goes on.
    #[test]
    fn terms_of_a_source_that_is_stopped_are_kept() {
        let (p, n, s, count) = (Modulus::new(65521).unwrap(), 60, 2, 150);
        let (field, mut rng) = (PrimeField(p), Rng::seed_from_u64(21));
        let entry = |rng: &mut Rng| (rng.random_range(0..n), rng.random_range(0..n), rng.random_range(1..p.get()));
        let entries: Vec<_> = (0..4 * n).map(|_| entry(&mut rng)).collect();
        let a = SparseMatrix::from_triplets(p, n, n, &entries);
        let product = Product::new(&a, &Plan::choose(&a, &PlanOptions::default()).unwrap()).unwrap();
        let operator =
            Preconditioned::new(&product, Diagonals::random(&field, n, n, false, &mut rng).unwrap()).unwrap();
        let steps = goes_on(|observer| {
            let rng = &mut Rng::seed_from_u64(22);
            let projection = Projection::sparse(&field, n, s, rng)?;
            let source = Krylov::new(&field, &operator, projection, s, Start::Bx, rng)?;
            let mut source = Stopping { source, stops: false };
            let mut saved = Saved::of(&mut source, 1, "sparse", observer)?;
            let mut terms = vec![];
            while terms.len() < count * s * s {
                let before = terms.len() / (s * s);
                let counted = Counted { observer, before, expected: count };
                match saved.extend(&field, &mut source, (before, count), &mut terms, &counted) {
                    Err(Error::Interrupted) => observer.check()?,
                    done => done?,
                }
            }
            Ok(terms)
        });
        assert_eq!(steps, ["wiedemann"]);
    }
}
