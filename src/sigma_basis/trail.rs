//! What is finished of an order basis while its recursion goes on, for a run that goes on from there after this one was
//! killed.
//!
//! While PM-Basis is somewhere in its recursion, the products of the nodes above wait for the bases of their first
//! halves. These, the basis that all began with, and the terms, are all that the rest depends on; together they are no
//! larger than twice the basis at the end.

use super::order_basis::OrderBasis;
use crate::field::Field;
use crate::poly::PolyMatrix;
use crate::report::{Bytes, Kept, State};
use crate::{Result, memory};
use sha2::{Digest, Sha256};
use std::collections::VecDeque;

/// What the memory is for.
const TRAIL: &str = "the state of an order basis";
/// Elements that are written at a time.
const CHUNK: usize = 1 << 10;

/// The basis of a search at an order.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a, E> {
    pub(super) order: usize,
    pub(super) left: &'a PolyMatrix<E>,
    pub(super) degrees: &'a [i64],
    pub(super) last_change: &'a [usize],
}

/// The state of a search that was killed.
#[derive(Clone, Debug)]
pub(super) struct Before<E> {
    /// The terms that there were, and their digest.
    pub(super) length: usize,
    pub(super) digest: [u8; 32],
    /// What [`At`] has.
    pub(super) order: usize,
    pub(super) left: PolyMatrix<E>,
    pub(super) degrees: Vec<i64>,
    pub(super) last_change: Vec<usize>,
    pub(super) done: VecDeque<(usize, OrderBasis<E>)>,
}

/// Who keeps the state, and what is kept beside the first halves.
pub(super) struct Keep<'a, F: Field> {
    pub(super) field: &'a F,
    pub(super) kept: &'a Kept<'a>,
    /// The number of terms and their digest.
    pub(super) terms: (usize, [u8; 32]),
    pub(super) at: At<'a, F::Elem>,
}

/// The first halves that are finished, from the top of the recursion on.
pub(super) struct Trail<'a, F: Field> {
    keep: Option<Keep<'a, F>>,
    /// Each with the order at which it begins.
    done: Vec<(usize, OrderBasis<F::Elem>)>,
    /// Those of the run before, that are not met yet.
    before: VecDeque<(usize, OrderBasis<F::Elem>)>,
}

impl<'a, F: Field> Trail<'a, F> {
    /// That of a recursion which begins, or goes on with what was finished `before`.
    pub(super) fn new(keep: Option<Keep<'a, F>>, before: VecDeque<(usize, OrderBasis<F::Elem>)>) -> Self {
        Trail { keep, done: vec![], before }
    }
    /// The basis of so many orders from `start` on, if the run before has finished it.
    pub(super) fn finished(&mut self, start: usize, order: usize) -> Option<OrderBasis<F::Elem>> {
        let next = self.before.front().is_some_and(|(at, basis)| (*at, basis.order) == (start, order));
        if next { self.before.pop_front().map(|(_, basis)| basis) } else { None }
    }
    /// The first half that begins at `start` is finished.
    pub(super) fn push(&mut self, start: usize, first: OrderBasis<F::Elem>) -> Result<()> {
        memory::push(&mut self.done, (start, first), TRAIL)?;
        match &self.keep {
            // What was finished before and is not met yet would be lost.
            Some(keep) if self.before.is_empty() && keep.kept.is_due() => keep.kept.store(&Whole(keep, &self.done)),
            _ => Ok(()),
        }
    }
    /// The first half that was finished last.
    pub(super) fn last(&self) -> &OrderBasis<F::Elem> {
        &self.done.last().expect("a first half is finished").1
    }
    /// The same, which is needed no longer.
    pub(super) fn pop(&mut self) -> OrderBasis<F::Elem> {
        self.done.pop().expect("a first half is finished").1
    }
}

/// Elements as their digits.
struct Digits<'a, F: Field>(&'a F, &'a PolyMatrix<F::Elem>);

impl<F: Field> Bytes for Digits<'_, F> {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Digits(field, matrix) = self;
        (matrix.rows(), matrix.cols(), matrix.data().len() * field.degree()).write(to)?;
        each_chunk(*field, matrix.data(), |digits| u64::write_all(digits, to))
    }
}

/// Hands over the digits of elements, many at a time.
fn each_chunk<F: Field>(field: &F, data: &[F::Elem], mut take: impl FnMut(&[u64]) -> Result<()>) -> Result<()> {
    let k = field.degree();
    let mut digits = memory::zeros::<u64>(CHUNK * k, TRAIL)?;
    data.chunks(CHUNK).try_for_each(|chunk| {
        let digits = &mut digits[..chunk.len() * k];
        digits.chunks_exact_mut(k).zip(chunk).for_each(|(to, &x)| field.write_digits(x, to));
        take(digits)
    })
}

/// A basis with the order at which it begins.
struct Half<'a, F: Field>(&'a F, usize, &'a OrderBasis<F::Elem>);

impl<F: Field> Bytes for Half<'_, F> {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Half(field, start, OrderBasis { basis, degrees, order, last_change }) = self;
        (start, order, Digits(*field, basis), degrees, last_change).write(to)
    }
}

/// All that is kept.
struct Whole<'a, F: Field>(&'a Keep<'a, F>, &'a [(usize, OrderBasis<F::Elem>)]);

impl<F: Field> Bytes for Whole<'_, F> {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Whole(Keep { field, terms, at, .. }, done) = self;
        let At { order, left, degrees, last_change } = at;
        (terms.0, terms.1, order, Digits(*field, left), degrees, last_change).write(to)?;
        done.len().write(to)?;
        done.iter().try_for_each(|(start, basis)| Half(*field, *start, basis).write(to))
    }
}

/// A matrix as it is read.
type Read = ((usize, usize, Vec<u64>), Vec<i64>, Vec<usize>);

/// What was kept, without a field to understand it in.
struct Raw {
    head: (usize, [u8; 32], usize),
    at: Read,
    done: Vec<((usize, usize), Read)>,
}

impl Bytes for Raw {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        (&self.head, &self.at, &self.done).write(to)
    }
}

impl State for Raw {
    fn read(from: &mut &[u8]) -> Option<Self> {
        Some(Raw { head: State::read(from)?, at: State::read(from)?, done: State::read(from)? })
    }
}

/// The last state of a search for a matrix of `s` columns; `None` for one that is none.
///
/// # Errors
/// Those of [`Kept::load`].
pub(super) fn load<F: Field>(field: &F, s: usize, kept: &Kept<'_>) -> Result<Option<Before<F::Elem>>> {
    let matrix = |((rows, cols, digits), degrees, last_change): Read, width: usize| {
        let size = rows * cols * field.degree();
        let fits = (rows, cols) == (2 * s, width) && digits.len().is_multiple_of(size) && !digits.is_empty();
        if !fits || degrees.len() != rows || last_change.len() != rows {
            return None;
        }
        let elements = digits.chunks_exact(field.degree()).map(|digits| field.from_digits(digits));
        let elements = memory::collect(elements, TRAIL).ok()?;
        Some((PolyMatrix::from_coefficients(rows, cols, elements), degrees, last_change))
    };
    let understood = |raw: Raw| {
        let (length, digest, order) = raw.head;
        let (left, degrees, last_change) = matrix(raw.at, s)?;
        let half = |((start, order), read)| {
            let (basis, degrees, last_change) = matrix(read, 2 * s)?;
            Some((start, OrderBasis { basis, degrees, order, last_change }))
        };
        let done = raw.done.into_iter().map(half).collect::<Option<_>>()?;
        Some(Before { length, digest, order, left, degrees, last_change, done })
    };
    Ok(kept.load::<Raw>()?.and_then(understood))
}

/// SHA-256 of the digits of all terms.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(super) fn digest<F: Field>(field: &F, series: &PolyMatrix<F::Elem>) -> Result<[u8; 32]> {
    let (mut hash, mut bytes) = (Sha256::new(), vec![]);
    each_chunk(field, series.data(), |digits| {
        bytes.clear();
        u64::write_all(digits, &mut bytes)?;
        hash.update(&bytes);
        Ok(())
    })?;
    Ok(hash.finalize().into())
}
