//! What a run of block Wiedemann keeps for another process: the terms of its sequence and the block that the next one
//! is made of; then how far the generator is evaluated. The generator itself is found again from the terms.

use crate::field::Field;
use crate::report::Keeper;
use crate::spmv::Block;
use crate::{Observer, Result, memory};

/// What the memory is for.
const STATE: &str = "the state of a sequence";
/// The first word of a state, which names its layout.
const LAYOUT: u64 = 1;

/// How far a run is.
#[derive(Debug)]
pub(super) enum Progress {
    /// The block whose term is the next one.
    Sequence { block: Vec<u64> },
    /// Horner's rule has done with the coefficients from number `next` on.
    Evaluation { next: u64, block: Vec<u64> },
}

/// The states of one run, if somebody keeps them.
pub(super) struct Kept<'a> {
    keeper: Option<&'a dyn Keeper>,
    name: String,
    /// The digits of all terms so far.
    terms: Vec<u64>,
    progress: Option<Progress>,
}

impl<'a> Kept<'a> {
    /// The states of the run whose sequence starts at the block `first`, which identifies it: what was kept of it.
    pub fn of(first: &Block, degree: usize, observer: &'a dyn Observer) -> Result<Self> {
        let Some(keeper) = observer.keeper() else {
            return Ok(Kept { keeper: None, name: String::new(), terms: vec![], progress: None });
        };
        let residues = first.to_residues()?;
        let shape = [first.rows() as u64, first.width() as u64, degree as u64];
        let name = format!("wiedemann-{:016x}", fingerprint(shape.iter().chain(&residues)));
        let saved = keeper.load(&name)?.and_then(|bytes| parse(&bytes, residues.len()));
        let (terms, progress) = saved.map_or((vec![], None), |(terms, progress)| (terms, Some(progress)));
        Ok(Kept { keeper: Some(keeper), name, terms, progress })
    }
    /// The terms that were kept, over `field`.
    pub fn terms<F: Field>(&self, field: &F) -> Result<Vec<F::Elem>> {
        memory::collect(self.terms.chunks_exact(field.degree()).map(|digits| field.from_digits(digits)), STATE)
    }
    /// The block of the next term, if that was kept.
    pub fn sequence(&self) -> Option<&[u64]> {
        match &self.progress {
            Some(Progress::Sequence { block }) => Some(block),
            _ => None,
        }
    }
    /// Whether the sequence is complete, and its evaluation under way.
    pub fn is_evaluated(&self) -> bool {
        matches!(self.progress, Some(Progress::Evaluation { .. }))
    }
    /// What was kept, once.
    pub fn take(&mut self) -> Option<Progress> {
        self.progress.take()
    }
    /// Whether it is time to keep a state.
    pub fn is_due(&self) -> bool {
        self.keeper.is_some_and(Keeper::is_due)
    }
    /// Notes terms of the sequence.
    pub fn note<F: Field>(&mut self, field: &F, terms: &[F::Elem]) -> Result<()> {
        if self.keeper.is_none() {
            return Ok(());
        }
        let k = field.degree();
        memory::reserve(&mut self.terms, terms.len() * k, STATE)?;
        for &term in terms {
            let at = self.terms.len();
            self.terms.resize(at + k, 0);
            field.write_digits(term, &mut self.terms[at..]);
        }
        Ok(())
    }
    /// Keeps the sequence so far.
    pub fn sequence_at(&self, block: &Block) -> Result<()> {
        self.store(0, block)
    }
    /// Keeps the evaluation so far.
    pub fn evaluation(&self, next: u64, block: &Block) -> Result<()> {
        self.store(next, block)
    }

    fn store(&self, next: u64, block: &Block) -> Result<()> {
        let Some(keeper) = self.keeper else { return Ok(()) };
        let residues = block.to_residues()?;
        let words = [LAYOUT, next, self.terms.len() as u64];
        let words = words.iter().chain(&self.terms).chain(&residues);
        let mut bytes = memory::with_capacity(8 * (3 + self.terms.len() + residues.len()), STATE)?;
        words.for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        keeper.store(&self.name, &bytes)
    }
}

/// The terms and the progress in a state with a block of so many residues; `None` if it has another shape.
fn parse(bytes: &[u8], block: usize) -> Option<(Vec<u64>, Progress)> {
    let word = |k: usize| bytes.get(8 * k..8 * k + 8).map(|b| u64::from_le_bytes(b.try_into().expect("eight bytes")));
    let (layout, next, terms) = (word(0)?, word(1)?, usize::try_from(word(2)?).ok()?);
    let whole = terms.checked_add(block)?.checked_add(3)?.checked_mul(8)?;
    if layout != LAYOUT || bytes.len() != whole {
        return None;
    }
    let words = |from: usize, count: usize| (from..from + count).map(|k| word(k).expect("it is long enough")).collect();
    let (terms, block) = (words(3, terms), words(3 + terms, block));
    Some((terms, if next == 0 { Progress::Sequence { block } } else { Progress::Evaluation { next, block } }))
}

/// FNV-1a, by words, with a final mix: one block in 2⁶⁴ is taken for another one, and its state is then refuted by the
/// check of what comes of it.
fn fingerprint<'w>(words: impl Iterator<Item = &'w u64>) -> u64 {
    let hash = words
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| (hash ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(29));
    (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
