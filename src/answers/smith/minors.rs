//! Nonsingular minors B of a matrix A of rank r, of that order, and multiples of s_r(A) from them.
//!
//! Of two minors in different lines, s_r(A) divides both last factors; the rest of these, which is large and cannot be
//! factored, has little in common. The first minor is the one that the rank finds, another one that of the matrix with
//! its lines in a random order.

use super::bound::{Ask, Multiple, last_factor};
use super::lift::System;
use crate::answers::{RankOptions, rank};
use crate::certify::{Domain, Streams};
use crate::field::{Modulus, Rng, random_prime};
use crate::report::once;
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, memory};
use rand::seq::SliceRandom;

/// What the memory is for.
const LINES: &str = "the lines of a minor";

/// A matrix of which minors are taken.
pub(super) struct Minors<'a> {
    pub a: &'a Triplets,
    pub digest: &'a str,
    /// Its rank.
    pub r: usize,
    /// log₂ of a bound on its minors.
    pub bits: f64,
    pub options: &'a RankOptions,
    pub observer: &'a dyn Observer,
}

/// One of them.
pub(super) struct Chosen {
    pub rows: Vec<u32>,
    pub cols: Vec<u32>,
    pub b: Triplets,
    pub multiple: Multiple,
}

impl Minors<'_> {
    /// Whether there are others than the first, which has all lines then.
    pub fn are_several(&self) -> bool {
        self.a.rows() > self.r || self.a.cols() > self.r
    }

    /// Minor number `number`, and what is known of its last factor.
    ///
    /// # Errors
    /// [`Error::Check`] if a computation contradicts itself, [`Error::Interrupted`], [`Error::Memory`].
    pub fn choose(&self, number: u64, ask: &Ask) -> Result<Chosen> {
        let Minors { a, digest, r, options, observer, .. } = *self;
        let mut rng = Streams::of_integers(digest, options.seed).stream(Domain::Solutions, number);
        // The rank mod a random prime is smaller for few of them.
        loop {
            let p = random_prime(31, &mut rng);
            let mut order = rng.clone();
            let minor = || match number {
                0 => self.lines(a, p),
                _ => self.shuffled(p, &mut order),
            };
            let Some((rows, cols)) = once("lines", || (digest, p.get(), r, number), observer, minor)? else { continue };
            let b = restricted(a, &rows, &cols)?;
            let key = || (digest, p.get(), (&rows, &cols), options.seed, ask.key());
            let make = || multiple_of(&b, p, ask, &mut rng, observer);
            if let Some(multiple) = once("multiple", key, observer, make)? {
                return Ok(Chosen { rows, cols, b, multiple });
            }
        }
    }

    /// The lines of a minor of order r that is nonsingular mod p; `None` if the rank mod p is smaller.
    fn lines(&self, a: &Triplets, p: Modulus) -> Result<Option<(Vec<u32>, Vec<u32>)>> {
        let options = RankOptions { minor: true, proven: false, ..self.options.clone() };
        let found = rank(&a.try_reduce(p)?, &options, self.observer)?;
        if found.rank < self.r {
            return Ok(None);
        }
        if found.rank > self.r {
            return Err(Error::Check(format!("rank {} mod {p}, but {} over Q", found.rank, self.r)));
        }
        let minor = found.minor.ok_or_else(|| Error::Check("a rank without the minor asked for".into()))?;
        Ok(Some((memory::copy(minor.rows(), LINES)?, memory::copy(minor.cols(), LINES)?)))
    }

    /// The same with all lines in a random order.
    fn shuffled(&self, p: Modulus, rng: &mut Rng) -> Result<Option<(Vec<u32>, Vec<u32>)>> {
        let mut order = |n: usize| -> Result<Vec<u32>> {
            let mut order: Vec<u32> = memory::collect(0..n as u32, LINES)?;
            order.shuffle(rng);
            Ok(order)
        };
        let (rows, cols) = (order(self.a.rows())?, order(self.a.cols())?);
        let other = restricted(self.a, &rows, &cols)?;
        let Some((i, j)) = self.lines(&other, p)? else { return Ok(None) };
        let back = |lines: Vec<u32>, order: &[u32]| memory::collect(lines.iter().map(|&k| order[k as usize]), LINES);
        Ok(Some((back(i, &rows)?, back(j, &cols)?)))
    }
}

/// A multiple of the last invariant factor of the minor B; `None` if B is singular mod p.
fn multiple_of(
    b: &Triplets,
    p: Modulus,
    ask: &Ask,
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Option<Multiple>> {
    let Some(system) = System::new(b, p, observer)? else { return Ok(None) };
    let turned = || {
        let turned = System::new(&b.try_transpose()?, p, observer)?;
        turned.ok_or_else(|| Error::Check("the transpose of a nonsingular matrix is singular".into()))
    };
    last_factor(b, &system, turned, ask, rng, observer).map(Some)
}

/// The minor in these lines, in their order.
fn restricted(a: &Triplets, rows: &[u32], cols: &[u32]) -> Result<Triplets> {
    let (row, col) = (places(rows, a.rows())?, places(cols, a.cols())?);
    let inside = a.entries().map(|(i, j, v)| (row[i] as usize, col[j] as usize, v));
    let inside = inside.filter(|&(i, j, _)| i < rows.len() && j < cols.len());
    Triplets::try_from_entries(rows.len(), cols.len(), inside.map(|(i, j, v)| (i, j, v.to_bigint())))
}

/// The place of each line in a list, or `u32::MAX`.
pub(super) fn places(lines: &[u32], len: usize) -> Result<Vec<u32>> {
    let mut place = memory::filled(u32::MAX, len, LINES)?;
    lines.iter().zip(0..).for_each(|(&line, k)| place[line as usize] = k);
    Ok(place)
}
