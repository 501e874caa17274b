//! A minor of an integer matrix that is nonsingular mod p, ready to be lifted.

use super::beside::{Beside, Shown};
use super::inverse::Inverse;
use super::layers::{Layers, check_prime};
use super::lifting::{Lifting, Progress};
use super::sides::Side;
use super::solution::{self, Fractions};
use super::triangle::Triangle;
use crate::decomposition::Minor;
use crate::field::Modulus;
use crate::parallel::Each;
use crate::report::{Bytes, Kept};
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, memory};
use num_bigint::BigInt;
use rayon::prelude::*;

/// The largest primes: sums of sixteen products of digits fit a word.
pub const MAX_PRIME_BITS: u32 = 30;
/// Right sides that share a pass.
pub const LANES: usize = 8;
/// Columns of an inverse that are solved for at once.
const COLUMNS: usize = 256;
/// Right sides between two looks at what they became.
const GROUP: usize = 64;
/// What the memory is for.
const SYSTEM: &str = "a system over the integers";

/// M = A\[I, J\] in the order of the minor's lines, and what solves it mod p.
#[derive(Debug)]
pub struct System {
    pub(super) p: Modulus,
    layers: Layers,
    triangle: Triangle,
    beyond: Beyond,
    /// The place of each row of A in the minor, or `u32::MAX`.
    row_place: Vec<u32>,
    /// What identifies it to those who keep states: nothing if nobody does.
    name: Vec<u8>,
}

/// What solves the complement of the chain.
#[derive(Debug)]
enum Beyond {
    Nothing,
    Inverse(Inverse),
    Factors(Minor),
}

impl System {
    /// The minor of `a`, which is nonsingular mod p, an odd prime of at most [`MAX_PRIME_BITS`] bits. The dense inverse
    /// of what its chain leaves is made if it takes at most `memory` bytes, where there is a limit; else the factors of
    /// the minor serve, more slowly.
    ///
    /// # Errors
    /// [`Error::Check`] if the prime is out of range, the minor is singular or its chain is none; [`Error::Memory`],
    /// [`Error::Interrupted`].
    pub fn new(
        a: &Triplets,
        p: Modulus,
        minor: &Minor,
        memory_limit: Option<u64>,
        observer: &dyn Observer,
    ) -> Result<System> {
        check_prime(p, MAX_PRIME_BITS)?;
        let order = minor.rows().len();
        let place = |lines: &[u32], n: usize| -> Result<Vec<u32>> {
            let mut place = memory::filled(u32::MAX, n, SYSTEM)?;
            lines.iter().zip(0..).for_each(|(&line, k)| place[line as usize] = k);
            Ok(place)
        };
        let (row_place, col_place) = (place(minor.rows(), a.rows())?, place(minor.cols(), a.cols())?);
        let mut layers = Layers::new(p, a, order, &row_place, &col_place)?;
        let triangle = Triangle::new(p, layers.layers.remove(0), minor.triangular())?;
        let s = order - triangle.chain;
        let fits = memory_limit.is_none_or(|limit| Inverse::memory(s) <= limit);
        let beyond = match s {
            0 => Beyond::Nothing,
            _ if fits => Beyond::Inverse(invert(&triangle, minor, observer)?),
            _ if minor.solve_beyond_chain(&vec![0; s], 1)?.is_some() => Beyond::Factors(minor.clone()),
            _ => {
                let bytes = Inverse::memory(s);
                return Err(Error::Memory(format!("the inverse of what a minor's chain leaves takes {bytes} bytes")));
            }
        };
        let mut name = vec![];
        if observer.keeper().is_some() {
            (a.digest(), p.get(), minor.rows(), minor.cols()).write(&mut name)?;
        }
        Ok(System { p, layers, triangle, beyond, row_place, name })
    }
    /// Bytes of the inverse of a chain's complement of order s.
    pub(crate) fn inverse_memory(s: usize) -> u64 {
        Inverse::memory(s)
    }

    /// r, the order of M.
    pub fn order(&self) -> usize {
        self.triangle.order()
    }

    /// x with M·x = b\[I\], for right sides b with the rows of A; coordinate k belongs to column J\[k\].
    ///
    /// The solutions are proven: see [the room](super).
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Interrupted`], [`Error::Check`] if arithmetic contradicts itself.
    pub fn solve(&self, right: &[Side<'_>], observer: &dyn Observer) -> Result<Vec<Fractions>> {
        let mut found = memory::with_capacity(right.len(), SYSTEM)?;
        for group in right.chunks(GROUP) {
            observer.check()?;
            let beside = Beside::new(observer, group.len().div_ceil(LANES), group.len());
            let shown = |chunk: usize| match group.len() {
                1 => Shown::Alone(observer),
                _ => Shown::Digits(&beside, chunk, chunk * LANES),
            };
            let chunks: Vec<Vec<Fractions>> =
                group.par_chunks(LANES).enumerate().try_make(|(chunk, right)| match right.len() {
                    1 => self.lift::<1>(right, shown(chunk)),
                    _ => self.lift::<LANES>(right, shown(chunk)),
                })?;
            found.extend(chunks.into_iter().flatten());
        }
        Ok(found)
    }

    /// x mod p, balanced, for right sides mod p.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn solve_mod_p(&self, right: &[Side<'_>]) -> Result<Vec<Vec<i64>>> {
        let mut found = memory::with_capacity(right.len(), SYSTEM)?;
        for right in right {
            let mut c = memory::filled([0i32; 1], self.order(), SYSTEM)?;
            for (i, v) in right.iter().filter(|(i, _)| self.row_place[*i as usize] != u32::MAX) {
                let residue = self.p.reduce_bigint(&v.to_bigint());
                c[self.row_place[*i as usize] as usize] = [self.p.balanced(residue) as i32];
            }
            let x = self.digit(&c)?;
            found.push(memory::collect(x.iter().map(|[x]| i64::from(*x)), SYSTEM)?);
        }
        Ok(found)
    }

    /// The solutions for up to `L` right sides.
    fn lift<const L: usize>(&self, right: &[Side<'_>], shown: Shown<'_>) -> Result<Vec<Fractions>> {
        let observer: &dyn Observer = &shown;
        let solve = |c: &[[i32; L]]| self.digit(c);
        let mut lifting = Lifting::new(self.p, &self.layers, &self.triangle.layer, right, &self.row_place)?;
        let most = solution::most_digits(self.p, &self.layers, &lifting);
        let mut found: Vec<Option<Fractions>> = right.iter().map(|_| None).collect();
        observer.phase("digits", most as u64);
        let kept = Kept::of("digits", || (&self.name, L, numbers(right)), observer)?;
        if let Some(state) = kept.load()? {
            let (done, progress): (Vec<(Vec<BigInt>, BigInt, usize)>, Progress<L>) = state;
            if done.len() == right.len() {
                let fractions = |(numerators, denominator, digits)| Fractions { numerators, denominator, digits };
                return Ok(done.into_iter().map(fractions).collect());
            }
            lifting.restore(progress)?;
            observer.restored(lifting.len() as u64);
        }
        let none: [(&[BigInt], &BigInt, usize); 0] = [];
        // The number of digits with which fractions are tried next: the same, wherever it began.
        let after = |k: usize| k + (k / 6).max(2);
        let mut next = 2.min(most);
        while next <= lifting.len() && next < most {
            next = after(next).min(most);
        }
        loop {
            observer.check()?;
            lifting.step(solve)?;
            let k = lifting.len();
            observer.progress(k as u64);
            let tried = k >= next;
            if tried {
                next = after(k).min(most);
                for (lane, found) in found.iter_mut().enumerate().filter(|(_, found)| found.is_none()) {
                    *found = solution::attempt(self.p, &self.layers, &lifting, lane, &shown.side(lane))?;
                }
            }
            if found.iter().all(Option::is_some) {
                let found: Vec<Fractions> = found.into_iter().flatten().collect();
                let done: Vec<_> = found.iter().map(|f| (&f.numerators[..], &f.denominator, f.digits)).collect();
                let no_digits: Progress<L> = (vec![], None, None);
                kept.complete(&(&done[..], no_digits))?;
                return Ok(found);
            }
            if tried && k >= most {
                return Err(Error::Check(format!("{k} digits mod {} do not suffice for a solution", self.p)));
            }
            if kept.is_due() {
                kept.store(&(&none[..], lifting.progress()))?;
            }
        }
    }

    /// x ≡ M⁻¹·c mod p, balanced.
    fn digit<const L: usize>(&self, c: &[[i32; L]]) -> Result<Vec<[i32; L]>> {
        let (t, s) = (self.triangle.chain, self.order() - self.triangle.chain);
        let mut x = memory::filled([0i32; L], t + s, SYSTEM)?;
        if s > 0 {
            let mut rest = memory::filled([0i32; L], s, SYSTEM)?;
            self.triangle.solve_chain(c, false, &mut x);
            self.triangle.beyond(c, &x, &mut rest);
            match &self.beyond {
                Beyond::Nothing => unreachable!("s > 0"),
                Beyond::Inverse(inverse) => inverse.multiply(&rest, &mut x[t..]),
                Beyond::Factors(minor) => {
                    let residues = rest.as_flattened().iter().map(|&v| self.p.reduce_i64(v.into()));
                    let residues = memory::collect(residues, SYSTEM)?;
                    let solved = minor.solve_beyond_chain(&residues, L)?.expect("the factors are there");
                    let to = x[t..].as_flattened_mut();
                    to.iter_mut().zip(solved).for_each(|(to, v)| *to = self.p.balanced(v) as i32);
                }
            }
        }
        self.triangle.solve_chain(c, true, &mut x);
        Ok(x)
    }
}

/// Right sides as numbers alone.
fn numbers(right: &[Side<'_>]) -> Vec<Vec<(u32, BigInt)>> {
    right.iter().map(|side| side.iter().map(|(i, v)| (*i, v.to_bigint())).collect()).collect()
}

/// The inverse of the complement of the chain, from the minor's factors or from the complement itself.
fn invert(triangle: &Triangle, minor: &Minor, observer: &dyn Observer) -> Result<Inverse> {
    let (p, t, s) = (triangle.p, triangle.chain, triangle.order() - triangle.chain);
    let mut inverse = Inverse::zero(p, s)?;
    let mut from = 0;
    while from < s {
        observer.check()?;
        let width = COLUMNS.min(s - from);
        let mut unit = memory::zeros(s * width, SYSTEM)?;
        (0..width).for_each(|k| unit[(from + k) * width + k] = 1);
        match minor.solve_beyond_chain(&unit, width)? {
            Some(block) => inverse.set_columns(from, width, &block),
            None => break,
        }
        from += width;
        observer.progress(from as u64);
    }
    if from == s {
        return Ok(inverse);
    }
    drop(inverse);
    let mut table = memory::zeros(2 * s * s, SYSTEM)?;
    (0..s).for_each(|i| table[i * 2 * s + s + i] = 1);
    let mut column = memory::filled([0i32; LANES], t + s, SYSTEM)?;
    let mut x = memory::filled([0i32; LANES], t + s, SYSTEM)?;
    let mut rest = memory::filled([0i32; LANES], s, SYSTEM)?;
    for from in (0..s).step_by(LANES) {
        observer.check()?;
        triangle.columns_beyond(from, &mut column);
        triangle.solve_chain(&column, false, &mut x);
        triangle.beyond(&column, &x, &mut rest);
        for (i, rest) in rest.iter().enumerate() {
            let own = table[i * 2 * s + from..][..LANES.min(s - from)].iter_mut();
            own.zip(rest).for_each(|(to, &v)| *to = p.reduce_i64(v.into()));
        }
    }
    Inverse::of(p, s, &table, observer)
}
