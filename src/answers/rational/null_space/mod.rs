//! A proof that rank A ≤ r over ℚ: the null space of A, written down in integers.
//!
//! Let A\[I, J\] be a minor of order r that is invertible mod a prime q. For every other column f a vector w is sought
//! with A·w = 0, w_f ≠ 0 and 0 in the other columns outside J. Those vectors are independent: if all are found, **rank
//! A ≤ r**. No hypothesis enters: a vector counts once its product with A over the integers is 0, however it was
//! guessed.
//!
//! 1. w on J is the solution of A\[I, J\]·w = -A\[I, f\] mod q, sparse and several columns at a time ([`system`],
//!    [`sweep`]): by the minor's triangular chain, and where that does not suffice with the inverse of what it leaves
//!    (dense, of order s).
//! 2. Its residues are read as integers, or fractions with a small common denominator, and multiplied out: as a rule
//!    that is all, since for matrices from topology and combinatorics the numbers are small.
//! 3. Else more digits are lifted ([`lift`]) until fractions solve the rows I exactly. Cramer's rule says when they
//!    must.
//!
//! If the exact solution does not vanish in some row outside I, the rank over ℚ is larger than r: q divides minors, or
//! the rank mod q was not right.

mod budget;
mod lift;
mod sweep;
mod system;
#[cfg(test)]
mod tests;

use crate::answers::Minor;
use crate::cost::Machine;
use crate::dense::{Echelon, gemm};
use crate::field::{Balanced, Modulus};
use crate::report::{Bytes, Kept};
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, memory};
use budget::{Budget, Prices};
use lift::{Lifted, Lifter};
use rayon::prelude::*;
use sweep::{LANES, Rest, Swept};
use system::System;

/// Blocks of columns between two looks at the observer.
const GROUP: usize = 256;
/// Large vectors between two looks at the budget.
const LIFTED_GROUP: usize = 32;
/// Residues of the values beyond the chain that are made at once.
const TABLE: usize = 1 << 24;
/// What they, and those of the minor beyond the chain, are asked for.
const RESIDUES: &str = "residues of null vectors beyond the chain";
/// Blocks of free columns, and large vectors, that the cost of all is predicted from.
const SAMPLE: usize = 8;
const SAMPLE_LIFTED: usize = 2;
/// A sample may take so many times its share of what all may take: it may be dearer than others.
const MARGIN: f64 = 2.0;

/// What became of the null vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All are there: rank A ≤ r.
    Complete,
    /// There is one less: rank A > r.
    Larger,
    /// The work was given up.
    TooDear,
}

/// The vectors found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// How many, without those of empty columns.
    pub vectors: usize,
    /// How many of them needed more than one digit.
    pub lifted: usize,
    /// The most digits of 31 bits that one needed.
    pub digits: usize,
    /// The largest size of their numbers.
    pub bits: u32,
}

/// The work on a null space.
pub(super) struct NullSpace {
    system: System,
    /// -S⁻¹ mod q, row by row.
    inverse: Vec<u64>,
    /// Bits of the minors of A up to the order r.
    minor_bits: f64,
    prices: Prices,
    /// Free columns that nothing was done for yet, and those for which one digit did not suffice.
    todo: Vec<u32>,
    hard: Vec<u32>,
    pub found: Found,
    /// What identifies it to those who keep states: nothing if nobody does.
    name: Vec<u8>,
}

/// How far [`NullSpace::complete`] is: columns that were swept, what of them still needs columns beyond the chain,
/// those that need more than one digit, and how many of these are lifted; with what was found so far.
type Progress = (usize, Vec<(u32, Vec<(u32, u64)>)>, Vec<u32>, usize, [u64; 4]);

impl NullSpace {
    /// For `a`, of which `minor` is a minor that is invertible mod the prime of 31 bits; its minors up to that order
    /// have at most `minor_bits` bits. `None` for primes of other sizes, and for entries beyond 64 bits.
    ///
    /// # Errors
    /// [`Error::Check`] if the minor is singular, or its chain none; [`Error::Interrupted`].
    pub fn new(
        a: &Triplets,
        modulus: Modulus,
        minor: &Minor,
        minor_bits: f64,
        machine: &Machine,
        observer: &dyn Observer,
    ) -> Result<Option<NullSpace>> {
        let Some(field) = Balanced::new(modulus) else { return Ok(None) };
        let Some(system) = System::new(field, a, minor)? else { return Ok(None) };
        let inverse = negative_inverse(&system, observer)?;
        let (todo, prices) = (system.free_columns(), Prices::of(machine));
        let mut name = vec![];
        if observer.keeper().is_some() {
            (a.digest(), modulus.get(), minor.rows(), minor.cols()).write(&mut name)?;
        }
        Ok(Some(NullSpace { system, inverse, minor_bits, prices, todo, hard: vec![], found: Found::default(), name }))
    }
    /// Bytes for a matrix with a minor of order r of which s is beyond the chain, on so many threads.
    pub fn memory(a: &Triplets, r: usize, s: usize, threads: usize) -> u64 {
        let [system, space] = System::memory(a, r, LANES);
        // (S | I) as residues and in an echelon form, the inverse; a table and what it is the product of.
        let inverse = 16 * (s * s) as u64 * 2 + 8 * (s * s) as u64;
        system + threads as u64 * (space + 40 * r as u64) + inverse + 16 * (s * group_width(s)) as u64
    }
    /// Predicted seconds of one thread for [`NullSpace::new`].
    pub fn setup_seconds(a: &Triplets, s: usize, machine: &Machine) -> f64 {
        let prices = Prices::of(machine);
        let visits = (a.nnz() * (2 * s.div_ceil(LANES) + 10)) as u64;
        prices.visiting::<LANES>(visits) + 2.0 * prices.dense(s, s, s)
    }

    /// Finds some of the vectors, and predicts from them the seconds of one thread for all.
    ///
    /// # Errors
    /// [`Error::Interrupted`], [`Error::Check`] if arithmetic contradicts itself.
    pub fn sample(&mut self, limit: f64, observer: &dyn Observer) -> Result<(Outcome, f64)> {
        let all = self.todo.len();
        let blocks = all.div_ceil(LANES);
        let chosen = |block: usize| blocks <= SAMPLE || (block * SAMPLE) % blocks < SAMPLE;
        let (sample, todo) =
            std::mem::take(&mut self.todo).into_iter().enumerate().partition::<Vec<_>, _>(|&(n, _)| chosen(n / LANES));
        self.todo = todo.into_iter().map(|(_, f)| f).collect();
        let sample: Vec<u32> = sample.into_iter().map(|(_, f)| f).collect();
        let scale = |part: usize, whole: usize, seconds: f64| seconds * whole as f64 / part.max(1) as f64;
        // A sample that takes more than its share shows that the whole takes more than the limit.
        let share = |part: usize, whole: usize| limit * (MARGIN * part as f64 / whole.max(1) as f64).min(1.0);
        let spending = Budget::new(share(sample.len(), all), self.prices);
        let outcome = self.sweep(&sample, (0, vec![]), None, &spending, observer)?;
        if outcome != Outcome::Complete {
            return Ok((outcome, f64::INFINITY));
        }
        let sweeps = scale(sample.len(), all - sample.len(), spending.spent());
        let hard = scale(sample.len(), all, self.hard.len() as f64) as usize;
        let some = self.hard.split_off(self.hard.len().saturating_sub(SAMPLE_LIFTED));
        let spending = Budget::new(share(some.len(), hard), self.prices);
        let outcome = self.lift(&some, 0, None, &spending, observer)?;
        if outcome != Outcome::Complete {
            return Ok((outcome, f64::INFINITY));
        }
        Ok((Outcome::Complete, sweeps + scale(some.len(), hard.saturating_sub(some.len()), spending.spent())))
    }

    /// Finds the others, for so many predicted seconds at most.
    ///
    /// # Errors
    /// As [`NullSpace::sample`].
    pub fn complete(&mut self, limit: f64, observer: &dyn Observer) -> Result<Outcome> {
        let budget = Budget::new(limit, self.prices);
        let todo = std::mem::take(&mut self.todo);
        let kept = Kept::of("null-space", || (&self.name, &todo, &self.hard), observer)?;
        let (mut swept, mut rest, mut lifted) = (0, vec![], 0);
        if let Some(progress) = kept.load()? {
            let (done, open, hard, also, [vectors, many, digits, bits]): Progress = progress;
            (swept, self.hard, lifted) = (done, hard, also);
            rest = open.into_iter().map(|(column, sums)| Rest { column, sums }).collect();
            let [vectors, many, digits] = [vectors, many, digits].map(|count| count as usize);
            self.found = Found { vectors, lifted: many, digits, bits: bits as u32 };
        }
        match self.sweep(&todo, (swept, rest), Some(&kept), &budget, observer)? {
            Outcome::Complete => {
                let hard = std::mem::take(&mut self.hard);
                self.lift(&hard, lifted, Some((&kept, todo.len())), &budget, observer)
            }
            other => Ok(other),
        }
    }

    /// Keeps how far it is, if it is time.
    fn keep(&self, kept: &Kept<'_>, (swept, rest): (usize, &[Rest]), hard: &[u32], lifted: usize) -> Result<()> {
        if !kept.is_due() {
            return Ok(());
        }
        let Found { vectors, lifted: many, digits, bits } = self.found;
        let rest: Vec<_> = rest.iter().map(|rest| (rest.column, &rest.sums)).collect();
        kept.store(&(swept, &rest, hard, lifted, [vectors as u64, many as u64, digits as u64, u64::from(bits)]))
    }

    /// The vectors of `free` as far as one digit goes, from number `done` on, with what these left.
    fn sweep(
        &mut self,
        free: &[u32],
        (done, mut rest): (usize, Vec<Rest>),
        kept: Option<&Kept<'_>>,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<Outcome> {
        observer.phase("null vectors over the integers", free.len() as u64);
        observer.restored(done as u64);
        let s = self.system.order - self.system.chain;
        let width = group_width(s);
        for (n, group) in free.chunks(GROUP * LANES).enumerate().skip(done.div_ceil(GROUP * LANES)) {
            let before = self.hard.len();
            observer.check()?;
            let system = &self.system;
            let swept = group
                .par_chunks(LANES)
                .map_init(|| system.workspace(), |w, free| sweep::by_chain(system, free, w, budget))
                .reduce(Swept::default, Swept::join);
            self.found.bits = self.found.bits.max(swept.bits);
            self.hard.extend(swept.hard);
            rest.extend(swept.rest);
            if swept.larger {
                return Ok(Outcome::Larger);
            }
            let last = (n + 1) * GROUP * LANES >= free.len();
            while rest.len() >= width || (last && !rest.is_empty()) {
                let some: Vec<Rest> = rest.drain(..rest.len().min(width)).collect();
                if !self.sweep_rest(&some, budget, observer)? {
                    return Ok(Outcome::Larger);
                }
            }
            if !budget.is_left() {
                return Ok(Outcome::TooDear);
            }
            self.found.vectors = self.found.vectors + group.len() - (self.hard.len() - before);
            let swept = n * GROUP * LANES + group.len();
            observer.progress(swept as u64);
            kept.map_or(Ok(()), |kept| self.keep(kept, (swept, &rest), &self.hard, 0))?;
        }
        Ok(Outcome::Complete)
    }

    /// The vectors that need columns beyond the chain; `false` if a column is independent.
    fn sweep_rest(&mut self, rest: &[Rest], budget: &Budget, observer: &dyn Observer) -> Result<bool> {
        observer.check()?;
        let (s, width) = (self.system.order - self.system.chain, rest.len());
        let mut right = memory::zeros(s * width, RESIDUES)?;
        for (n, rest) in rest.iter().enumerate() {
            rest.sums.iter().for_each(|&(i, v)| right[i as usize * width + n] = v);
        }
        let mut values = memory::zeros(s * width, RESIDUES)?;
        gemm(self.system.field.modulus(), s, s, width, &self.inverse, &right, &mut values)?;
        budget.spend(self.prices.dense(s, s, width));
        drop(right);
        let free: Vec<u32> = rest.iter().map(|rest| rest.column).collect();
        let system = &self.system;
        let swept = free
            .par_chunks(LANES)
            .enumerate()
            .map_init(
                || system.workspace(),
                |w, (n, free)| sweep::by_minor(system, free, (&values[n * LANES..], width), w, budget),
            )
            .reduce(Swept::default, Swept::join);
        self.found.bits = self.found.bits.max(swept.bits);
        self.hard.extend(swept.hard);
        Ok(!swept.larger)
    }

    /// The vectors of `free`, whose numbers are large, from number `done` on; all columns are swept, so many.
    fn lift(
        &mut self,
        free: &[u32],
        done: usize,
        kept: Option<(&Kept<'_>, usize)>,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<Outcome> {
        observer.phase("large null vectors", free.len() as u64);
        observer.restored(done as u64);
        let lifter = Lifter { system: &self.system, inverse: &self.inverse, minor_bits: self.minor_bits };
        for (n, group) in free.chunks(LIFTED_GROUP).enumerate().skip(done.div_ceil(LIFTED_GROUP)) {
            // Each may take what is left: what comes of it does not depend on the others of its group.
            let left = budget.left();
            let lifted: Vec<Lifted> = group
                .par_iter()
                .map_init(
                    || lifter.space(),
                    |space, &f| {
                        observer.check()?;
                        let own = Budget::new(left, budget.prices);
                        let lifted = lifter.lift(f, space, &own, observer);
                        budget.spend(own.spent());
                        lifted
                    },
                )
                .collect::<Result<_>>()?;
            // A column that is independent counts, even if others were given up.
            if lifted.iter().any(|lifted| matches!(lifted, Lifted::Larger)) {
                return Ok(Outcome::Larger);
            }
            for lifted in lifted {
                let Lifted::Null { digits, bits } = lifted else { return Ok(Outcome::TooDear) };
                let Found { vectors, lifted, .. } = self.found;
                let (digits, bits) = (digits.max(self.found.digits), bits.max(self.found.bits));
                self.found = Found { vectors: vectors + 1, lifted: lifted + 1, digits, bits };
            }
            let lifted = n * LIFTED_GROUP + group.len();
            observer.progress(lifted as u64);
            kept.map_or(Ok(()), |(kept, swept)| self.keep(kept, (swept, &[]), free, lifted))?;
        }
        Ok(Outcome::Complete)
    }
}

/// Columns whose values beyond the chain are made at once.
fn group_width(s: usize) -> usize {
    (TABLE / s.max(1)).clamp(LANES, 1 << 14)
}

/// -S⁻¹ mod q, row by row, where S is what the chain leaves of the minor.
fn negative_inverse(system: &System, observer: &dyn Observer) -> Result<Vec<u64>> {
    let (t, s, p) = (system.chain, system.order - system.chain, system.field.modulus());
    if s == 0 {
        return Ok(vec![]);
    }
    let beyond: Vec<u32> = (t as u32..system.order as u32).collect();
    let mut table = memory::zeros(s * 2 * s, RESIDUES)?;
    (0..s).for_each(|i| table[i * 2 * s + s + i] = 1);
    observer.phase("minor", s as u64);
    for group in beyond.chunks(GROUP * LANES) {
        observer.check()?;
        let columns: Vec<Vec<Rest>> = group
            .par_chunks(LANES)
            .map_init(|| system.workspace(), |w, columns| sweep::complement(system, columns, w))
            .collect();
        for Rest { column, sums } in columns.into_iter().flatten() {
            sums.iter().for_each(|&(i, v)| table[i as usize * 2 * s + column as usize - t] = v);
        }
    }
    let mut echelon = Echelon::new(p, 2 * s)?;
    echelon.absorb_block(s, &table, observer)?;
    drop(table);
    let reduced = echelon.reduced()?;
    if !reduced.pivot_cols().iter().copied().eq(0..s as u32) {
        return Err(Error::Check("the minor that should show the rank is singular".into()));
    }
    let mut inverse = reduced.column_block(0..s)?;
    inverse.iter_mut().for_each(|x| *x = p.neg(*x));
    Ok(inverse)
}
