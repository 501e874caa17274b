//! Integers of at most 64 bits, all in the narrowest signed type that holds them: one byte where values are ±1, four
//! where they are residues of a typical prime.
//!
//! A list begins with bytes and is widened as a whole when a value arrives that does not fit. Lists are equal if their
//! numbers are, whatever the types. Entry points: [`Numbers::append`], [`Numbers::iter`], [`Numbers::into_residues`].

use crate::parallel::Each;
use crate::{Result, memory};
use bytemuck::Zeroable;
use rayon::prelude::*;
use std::ops::Range;
use std::slice;

/// What the memory is for.
const VALUES: &str = "the values of the entries";

/// How many numbers are converted before the memory of their old form is released.
const STEP: usize = 1 << 20;
/// Numbers that one task converts.
const PIECE: usize = 1 << 14;

/// A signed type of numbers.
pub(crate) trait Word: Copy + Default + Zeroable + Into<i64> + Send + Sync {
    /// The number, which fits.
    fn cut(v: i64) -> Self;
    /// The number.
    #[inline(always)]
    fn wide(self) -> i64 {
        self.into()
    }
}

macro_rules! words {
    ($($word:ty),*) => {$(
        impl Word for $word {
            #[inline(always)]
            fn cut(v: i64) -> Self {
                v as $word
            }
        }
    )*};
}
words!(i8, i16, i32, i64);

/// The types, by size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Width {
    I8,
    I16,
    I32,
    I64,
}

impl Width {
    /// The narrowest type for numbers whose [`spread`]s combine to this by OR.
    pub fn of(spreads: u64) -> Width {
        match u64::BITS - spreads.leading_zeros() {
            0..=7 => Width::I8,
            8..=15 => Width::I16,
            16..=31 => Width::I32,
            _ => Width::I64,
        }
    }
}

/// The bits of a number in two's complement that differ from its sign: as many as the number needs in addition to the
/// sign.
#[inline(always)]
pub(crate) fn spread(v: i64) -> u64 {
    (v ^ v >> 63) as u64
}

/// A list of numbers of one type.
#[derive(Clone, Debug)]
pub(crate) enum Numbers {
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
}

/// The same for a list of any type.
macro_rules! with {
    ($values:expr, $list:ident => $body:expr) => {
        match $values {
            Numbers::I8($list) => $body,
            Numbers::I16($list) => $body,
            Numbers::I32($list) => $body,
            Numbers::I64($list) => $body,
        }
    };
}
pub(crate) use with;

impl Numbers {
    /// No numbers yet.
    pub const fn new() -> Self {
        Numbers::I8(Vec::new())
    }
    /// `len` zeros.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn zeros(width: Width, len: usize) -> Result<Self> {
        Ok(match width {
            Width::I8 => Numbers::I8(memory::zeros(len, VALUES)?),
            Width::I16 => Numbers::I16(memory::zeros(len, VALUES)?),
            Width::I32 => Numbers::I32(memory::zeros(len, VALUES)?),
            Width::I64 => Numbers::I64(memory::zeros(len, VALUES)?),
        })
    }
    /// Their number.
    pub fn len(&self) -> usize {
        with!(self, list => list.len())
    }
    /// Their type.
    pub fn width(&self) -> Width {
        match self {
            Numbers::I8(_) => Width::I8,
            Numbers::I16(_) => Width::I16,
            Numbers::I32(_) => Width::I32,
            Numbers::I64(_) => Width::I64,
        }
    }
    /// Number k.
    ///
    /// # Panics
    /// If there is no such number.
    #[inline(always)]
    pub fn get(&self, k: usize) -> i64 {
        with!(self, list => list[k].wide())
    }
    /// All numbers.
    pub fn iter(&self) -> Iter<'_> {
        self.iter_in(0..self.len())
    }
    /// The numbers at the given positions.
    ///
    /// # Panics
    /// If the range reaches beyond them.
    pub fn iter_in(&self, range: Range<usize>) -> Iter<'_> {
        match self {
            Numbers::I8(list) => Iter::I8(list[range].iter()),
            Numbers::I16(list) => Iter::I16(list[range].iter()),
            Numbers::I32(list) => Iter::I32(list[range].iter()),
            Numbers::I64(list) => Iter::I64(list[range].iter()),
        }
    }

    /// Makes room for `more` numbers of the current type.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn reserve(&mut self, more: usize) -> Result<()> {
        with!(self, list => memory::reserve(list, more, VALUES))
    }
    /// Releases unused capacity.
    pub fn shrink_to_fit(&mut self) {
        with!(self, list => list.shrink_to_fit());
    }
    /// Makes the type no narrower than `width`, with the same capacity if there is memory for that.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory): both forms exist at the same time.
    pub fn widen(&mut self, width: Width) -> Result<()> {
        if width <= self.width() {
            return Ok(());
        }
        let room = with!(self, list => list.capacity());
        *self = match width {
            Width::I8 => unreachable!("nothing is narrower"),
            Width::I16 => Numbers::I16(self.copied(room)?),
            Width::I32 => Numbers::I32(self.copied(room)?),
            Width::I64 => Numbers::I64(self.copied(room)?),
        };
        Ok(())
    }
    /// The numbers as a different type that holds them, with that capacity.
    fn copied<W: Word>(&self, room: usize) -> Result<Vec<W>> {
        let mut wide = memory::with_capacity(room, VALUES).or_else(|_| memory::with_capacity(self.len(), VALUES))?;
        with!(self, list => wide.extend(list.iter().map(|&v| W::cut(v.wide()))));
        Ok(wide)
    }
    /// Appends the numbers of some parts, whose [`spread`]s combine to `spreads` by OR; parallel on rayon's current
    /// pool.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn append(&mut self, parts: &[&[i64]], spreads: u64) -> Result<()> {
        self.widen(Width::of(spreads))?;
        with!(self, list => memory::append_parts(list, parts, Word::cut, VALUES))
    }
    /// Appends a number.
    ///
    /// # Panics
    /// If memory runs out.
    pub fn push(&mut self, v: i64) {
        memory::or_panic(self.try_push(v));
    }
    /// Fallible [`Numbers::push`].
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn try_push(&mut self, v: i64) -> Result<()> {
        self.widen(Width::of(spread(v)))?;
        self.reserve(1)?;
        with!(self, list => list.push(Word::cut(v)));
        Ok(())
    }
    /// A fallible copy.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn try_clone(&self) -> Result<Self> {
        Ok(match self {
            Numbers::I8(list) => Numbers::I8(memory::copy(list, VALUES)?),
            Numbers::I16(list) => Numbers::I16(memory::copy(list, VALUES)?),
            Numbers::I32(list) => Numbers::I32(memory::copy(list, VALUES)?),
            Numbers::I64(list) => Numbers::I64(memory::copy(list, VALUES)?),
        })
    }

    /// Applies `residue` to each number. The old form is released, from the back, as the new one grows: on one thread
    /// both together never take much more than the larger one, where the system provides and reclaims memory by pages.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn into_residues(self, residue: impl Fn(i64) -> u64 + Sync) -> Result<Vec<u64>> {
        let mut list = match self {
            Numbers::I64(mut list) => {
                let pieces = list.par_chunks_mut(PIECE);
                pieces.each(|piece| piece.iter_mut().for_each(|v| *v = residue(*v) as i64));
                return Ok(bytemuck::allocation::cast_vec(list));
            }
            narrow => narrow,
        };
        let mut residues: Vec<u64> = memory::cleared(list.len(), "the residues")?;
        with!(&mut list, list => {
            while !list.is_empty() {
                let from = list.len().saturating_sub(STEP);
                let pieces = residues[from..list.len()].par_chunks_mut(PIECE).zip(list[from..].par_chunks(PIECE));
                pieces.each(|(to, piece)| to.iter_mut().zip(piece).for_each(|(r, &v)| *r = residue(v.wide())));
                list.truncate(from);
                list.shrink_to_fit();
            }
        });
        Ok(residues)
    }
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers::new()
    }
}

/// The narrowest form. The trait has no error: a refused allocation panics.
impl From<Vec<i64>> for Numbers {
    fn from(numbers: Vec<i64>) -> Self {
        let spreads = numbers.iter().fold(0, |all, &v| all | spread(v));
        if Width::of(spreads) == Width::I64 {
            return Numbers::I64(numbers);
        }
        let mut values = Numbers::new();
        memory::or_panic(values.append(&[&numbers[..]], spreads));
        values
    }
}

impl PartialEq for Numbers {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}
impl Eq for Numbers {}

/// The numbers of a list, one by one.
#[derive(Clone)]
pub(crate) enum Iter<'a> {
    I8(slice::Iter<'a, i8>),
    I16(slice::Iter<'a, i16>),
    I32(slice::Iter<'a, i32>),
    I64(slice::Iter<'a, i64>),
}

macro_rules! with_iter {
    ($iter:expr, $list:ident => $body:expr) => {
        match $iter {
            Iter::I8($list) => $body,
            Iter::I16($list) => $body,
            Iter::I32($list) => $body,
            Iter::I64($list) => $body,
        }
    };
}

impl Iterator for Iter<'_> {
    type Item = i64;

    #[inline(always)]
    fn next(&mut self) -> Option<i64> {
        with_iter!(self, list => list.next().map(|&v| v.wide()))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        with_iter!(self, list => list.size_hint())
    }
    /// One loop for each type.
    fn fold<B, F: FnMut(B, i64) -> B>(self, init: B, mut f: F) -> B {
        with_iter!(self, list => list.fold(init, |sum, &v| f(sum, v.wide())))
    }
}
impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The limits of each type, and their neighbours.
    fn edges() -> Vec<i64> {
        let ends = [i8::MIN.into(), i8::MAX.into(), i16::MIN.into(), i16::MAX.into(), i32::MIN.into(), i32::MAX.into()];
        let mut edges: Vec<i64> = ends.iter().flat_map(|&v: &i64| [v - 1, v, v + 1]).collect();
        edges.extend([0, 1, -1, i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1]);
        edges
    }

    /// The narrowest type by trial.
    fn narrowest(numbers: &[i64]) -> Width {
        match () {
            () if numbers.iter().all(|&v| i8::try_from(v).is_ok()) => Width::I8,
            () if numbers.iter().all(|&v| i16::try_from(v).is_ok()) => Width::I16,
            () if numbers.iter().all(|&v| i32::try_from(v).is_ok()) => Width::I32,
            () => Width::I64,
        }
    }

    fn check(numbers: &[i64]) {
        let (mut pushed, mut appended) = (Numbers::new(), Numbers::new());
        numbers.iter().for_each(|&v| pushed.push(v));
        for piece in numbers.chunks(3) {
            let (first, second) = piece.split_at(piece.len() / 2);
            appended.append(&[first, second], piece.iter().fold(0, |all, &v| all | spread(v))).unwrap();
        }
        let made = Numbers::from(numbers.to_vec());
        for values in [&pushed, &appended, &made, &made.try_clone().unwrap()] {
            assert_eq!((values.width(), values.len()), (narrowest(numbers), numbers.len()), "{numbers:?}");
            assert!(values.iter().eq(numbers.iter().copied()), "{numbers:?}");
            assert_eq!(
                values.iter().fold(vec![], |mut all, v| {
                    all.push(v);
                    all
                }),
                numbers
            );
            assert!((0..numbers.len()).all(|k| values.get(k) == numbers[k]));
            assert_eq!(*values, made);
        }
        let mut wide = made.clone();
        wide.widen(Width::I64).unwrap();
        assert!(wide == made && wide.width() == Width::I64);
        let bits: Vec<u64> = numbers.iter().map(|&v| !v as u64).collect();
        assert_eq!(made.into_residues(|v| !v as u64).unwrap(), bits);
        assert_eq!(wide.into_residues(|v| !v as u64).unwrap(), bits);
    }

    #[test]
    fn each_edge_alone_and_behind_narrower_ones() {
        check(&[]);
        for v in edges() {
            check(&[v]);
            check(&[0, 1, -1, 5, v, 7]);
        }
        assert_ne!(Numbers::from(vec![1]), Numbers::from(vec![1, 0]));
        assert_ne!(Numbers::from(vec![1]), Numbers::from(vec![257]));
    }

    #[test]
    fn residues_of_long_lists() {
        let n = 2 * STEP + 5;
        let values = Numbers::from((0..n as i64).map(|k| k % 251 - 125).collect::<Vec<_>>());
        assert_eq!(values.width(), Width::I8);
        let residues = values.into_residues(|v| (v + 125) as u64).unwrap();
        assert!(residues.iter().enumerate().all(|(k, &r)| r == k as u64 % 251) && residues.len() == n);
    }

    proptest! {
        #[test]
        fn lists_of_edges(numbers in proptest::collection::vec(proptest::sample::select(edges()), 0..20)) {
            check(&numbers);
        }
    }
}
