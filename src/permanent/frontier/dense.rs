//! Layers as arrays: one value for each vector of deficits, in the order of a [`Layout`], no keys.
//!
//! A step changes the legs of few classes. All vectors that agree elsewhere go through the same small matrix, from the
//! deficits of the changed classes before the step to those after it: [`Kernel::expand`] builds it from states in which
//! everything else is 0. As long as the last legs of the layout, the tail, do not change, vectors that agree before the
//! tail form contiguous runs in both layers, and a step consists of sums of runs: about a nanosecond for a state and
//! one of its choices, compared with thirty for a table of keys. So the tail should consist of legs that change late,
//! and the legs that change next come just before it, which keeps the runs that are summed close together. The
//! remaining tail shrinks step by step; then the layer is reordered.

use super::kernel::Kernel;
use super::key::Key;
use super::layout::{CHUNKS, Codes, Layout, bits, fits, key_of, plus, y_of};
use super::program::{Leg, Space, Step};
use super::ring::Ring;
use crate::parallel::Each;
use crate::{Observer, Result, memory};
use rayon::prelude::*;

/// The maximum number of combinations of deficits of the classes that a step changes: beyond it keys are better.
const LOCAL: usize = 1 << 12;
const LOCAL_BITS: u32 = 12;
/// The maximum number of values of an array.
const MOST: f64 = 1e12;
/// A tail of fewer vectors is too short.
const SHORT: f64 = 24.0;
/// A new tail has about this many vectors, of all weights.
const LONG: f64 = 4096.0;
/// The number of values from which a layer is worth several threads.
const PARALLEL: usize = 1 << 14;

/// A layer: a value for each vector.
pub(super) struct Dense<V> {
    /// The legs in the order of the layout.
    pub legs: Vec<Leg>,
    pub weight: usize,
    pub values: Vec<V>,
}

/// Number of vectors over the legs, of all weights.
fn vectors<'l>(legs: impl IntoIterator<Item = &'l Leg>) -> f64 {
    legs.into_iter().map(|leg| f64::from(leg.cap) + 1.0).product()
}

/// The legs, from the one that changes last to the one that changes next.
fn late_first(legs: &mut [Leg]) {
    legs.sort_by_key(|leg| (std::cmp::Reverse(leg.next), leg.field.word, leg.field.shift));
}

/// Whether the step leaves the leg, of the layer before or after it, unchanged.
fn stays(leg: &Leg, step: &Step, next: &Space) -> bool {
    next.stays(leg, step).is_some()
}

/// How errors name the values.
const STATES: &str = "the states of a layer of the frontier dynamic program";

/// Gives a vector, whose values are not needed, this length and no larger capacity than it needs or has.
fn resize<V: Clone>(values: &mut Vec<V>, len: usize, zero: V) -> Result<()> {
    if values.capacity() < len {
        *values = Vec::new();
        *values = memory::with_capacity(len, STATES)?;
    }
    values.resize(len, zero);
    Ok(())
}

/// Whether arrays are possible for the step: few deficits change, and codes fit. The layers' legs are counted in any
/// order.
pub(super) fn is_possible(step: &Step, space: &Space, next: &Space) -> bool {
    let changed =
        |space: &Space| -> Vec<Leg> { space.legs.iter().filter(|leg| !stays(leg, step, next)).copied().collect() };
    let fits = |space: &Space| space.weight.is_some() && space.states < MOST && fits(&space.legs);
    let (before, after) = (changed(space), changed(next));
    fits(space) && fits(next) && vectors(&before) <= LOCAL as f64 && after.iter().map(bits).sum::<u32>() <= LOCAL_BITS
}

/// How the runs of one layer are sums of runs of another.
struct Runs<'a, R: Ring> {
    ring: &'a R,
    source: &'a Layout<'a>,
    values: &'a [R::Value],
    target: &'a Layout<'a>,
    /// For each chunk of the target and each code: codes of the source, and the part of the index into `sums`.
    maps: Vec<Vec<(Codes, u32)>>,
    /// The summands: codes of the source to be added, and a factor if it is not 1.
    sums: Vec<Vec<(Codes, Option<R::Value>)>>,
}

impl<R: Ring> Runs<'_, R> {
    /// Writes all values into `out`; returns how many are non-zero.
    fn write(&self, out: &mut [R::Value], observer: &dyn Observer) -> Result<u64> {
        let weight = self.target.weight();
        if self.target.depth() == 0 || out.len() < PARALLEL {
            return Ok(self.fill(0, weight, [0; CHUNKS], 0, out));
        }
        let mut tasks = Vec::new();
        let mut left = out;
        for (code, rest) in self.target.codes(0, weight) {
            let (part, more) = left.split_at_mut(self.target.after(0, rest));
            tasks.push((code, rest, part));
            left = more;
        }
        let counts: Vec<u64> = tasks.into_par_iter().try_make(|(code, rest, part)| {
            observer.check()?;
            let (codes, index) = self.maps[0][code];
            Ok(self.fill(1, rest, codes, index, part))
        })?;
        Ok(counts.iter().sum())
    }

    fn fill(&self, chunk: usize, left: usize, codes: Codes, index: u32, out: &mut [R::Value]) -> u64 {
        if chunk == self.target.depth() {
            return self.sum(codes, index, out);
        }
        let (mut at, mut count) = (0, 0);
        for (code, rest) in self.target.codes(chunk, left) {
            let len = self.target.after(chunk, rest);
            let (more, part) = self.maps[chunk][code];
            count += self.fill(chunk + 1, rest, plus(&codes, &more), index + part, &mut out[at..at + len]);
            at += len;
        }
        count
    }

    #[inline(always)]
    fn sum(&self, codes: Codes, index: u32, out: &mut [R::Value]) -> u64 {
        let Some(((first, factor), more)) = self.sums[index as usize].split_first() else {
            out.fill(self.ring.zero());
            return 0;
        };
        let at = self.source.place(&plus(&codes, first));
        let values = &self.values[at..at + out.len()];
        match factor {
            None => out.clone_from_slice(values),
            Some(w) => out.iter_mut().zip(values).for_each(|(to, v)| *to = self.ring.times(v, 1, w)),
        }
        for (code, factor) in more {
            let at = self.source.place(&plus(&codes, code));
            let values = &self.values[at..at + out.len()];
            match factor {
                None => out.iter_mut().zip(values).for_each(|(to, v)| self.ring.add(to, v)),
                Some(w) => out.iter_mut().zip(values).for_each(|(to, v)| self.ring.add(to, &self.ring.times(v, 1, w))),
            }
        }
        out.iter().map(|v| u64::from(!self.ring.is_zero(v))).sum()
    }
}

impl<V: Clone + Send + Sync> Dense<V> {
    /// The layer with the given states.
    pub fn from_states<const N: usize, R: Ring<Value = V>>(
        ring: &R,
        space: &Space,
        states: impl Iterator<Item = (Key<N>, V)>,
    ) -> Result<Self> {
        let mut legs = space.legs.clone();
        late_first(&mut legs);
        let weight = space.weight.expect("states have a weight");
        let layout = Layout::new(&legs, weight, legs.len());
        let mut values = memory::filled(ring.zero(), space.states as usize, STATES)?;
        for (key, value) in states {
            let codes = legs
                .iter()
                .enumerate()
                .fold([0; CHUNKS], |codes, (i, leg)| plus(&codes, &layout.code(i, y_of(leg, &key))));
            values[layout.place(&codes)] = value;
        }
        Ok(Dense { legs, weight, values })
    }

    /// Takes out the states whose value is not 0.
    pub fn for_each_state<const N: usize, R: Ring<Value = V>>(&self, ring: &R, mut take: impl FnMut(Key<N>, V)) {
        let layout = Layout::new(&self.legs, self.weight, self.legs.len());
        let keys: Vec<Vec<Key<N>>> = (0..layout.depth())
            .map(|c| layout.tabulate(c, Key::ZERO, |key: &mut Key<N>, i, y| *key = key.plus(&key_of(&self.legs[i], y))))
            .collect();
        fn walk<const N: usize>(
            layout: &Layout,
            keys: &[Vec<Key<N>>],
            c: usize,
            left: usize,
            key: Key<N>,
            visit: &mut dyn FnMut(Key<N>),
        ) {
            if c == layout.depth() {
                return visit(key);
            }
            for (code, rest) in layout.codes(c, left) {
                walk(layout, keys, c + 1, rest, key.plus(&keys[c][code]), visit);
            }
        }
        let mut at = 0;
        walk(&layout, &keys, 0, self.weight, Key::ZERO, &mut |key| {
            if !ring.is_zero(&self.values[at]) {
                take(key, self.values[at].clone());
            }
            at += 1;
        });
    }

    /// The layer after a step that [`is_possible`], and how many of its values are not 0. `spare` lends its memory, and
    /// receives that of this layer.
    pub fn advance<const N: usize, R: Ring<Value = V>>(
        &mut self,
        kernel: &Kernel<N, R>,
        ring: &R,
        next: &Space,
        spare: &mut Vec<V>,
        observer: &dyn Observer,
    ) -> Result<u64> {
        let step = kernel.step;
        let tail = self.lengthen_tail(ring, step, next, spare, observer)?;
        // The legs at the end stay there; the others follow in the order in which they change.
        let kept = &self.legs[tail..];
        let mut legs: Vec<Leg> =
            next.legs.iter().filter(|leg| kept.iter().all(|k| k.field != leg.field)).copied().collect();
        late_first(&mut legs);
        let target_tail = legs.len();
        // Which legs change next depends on the layer.
        legs.extend(kept.iter().map(|k| *next.legs.iter().find(|leg| leg.field == k.field).expect("a leg that stays")));
        let weight = next.weight.expect("checked by is_possible");
        let source = Layout::new(&self.legs, self.weight, tail);
        let target = Layout::new(&legs, weight, target_tail);
        // The changed legs, before and after; those after have shifts in the index of `sums`.
        let changed: Vec<usize> = (0..tail).filter(|&i| !stays(&self.legs[i], step, next)).collect();
        let partner = |leg: &Leg| {
            self.legs[..tail]
                .iter()
                .position(|old| old.field == leg.field)
                .filter(|&i| stays(&self.legs[i], step, next))
        };
        let partners: Vec<Option<usize>> = legs[..target_tail].iter().map(partner).collect();
        let mut shifts = vec![0; target_tail];
        let mut width = 0;
        for i in (0..target_tail).filter(|&i| partners[i].is_none()) {
            shifts[i] = width;
            width += bits(&legs[i]);
        }
        let one = ring.image(&1.into());
        let mut sums: Vec<Vec<(Codes, Option<V>)>> = vec![Vec::new(); 1 << width];
        let mut y = vec![0u64; changed.len()];
        loop {
            let (mut key, mut codes) = (Key::ZERO, [0; CHUNKS]);
            for (&i, &y) in changed.iter().zip(&y) {
                key = key.plus(&key_of(&self.legs[i], y));
                codes = plus(&codes, &source.code(i, y));
            }
            kernel.expand(&key, &one, |state, factor, is_one| {
                if is_one {
                    let here = (0..target_tail).filter(|&i| partners[i].is_none());
                    let index: u64 = here.map(|i| y_of(&legs[i], &state) << shifts[i]).sum();
                    let mut minus_one = factor.clone();
                    ring.add(&mut minus_one, &ring.image(&(-1).into()));
                    sums[index as usize].push((codes, (!ring.is_zero(&minus_one)).then_some(factor)));
                }
            });
            let Some(k) = (0..y.len()).find(|&k| y[k] < u64::from(self.legs[changed[k]].cap)) else { break };
            y[..k].fill(0);
            y[k] += 1;
        }
        let maps = (0..target.depth())
            .map(|c| {
                target.tabulate(c, ([0; CHUNKS], 0u32), |(codes, index): &mut (Codes, u32), i, y| match partners[i] {
                    Some(old) => *codes = plus(codes, &source.code(old, y)),
                    None => *index += (y as u32) << shifts[i],
                })
            })
            .collect();
        let runs = Runs { ring, source: &source, values: &self.values, target: &target, maps, sums };
        resize(spare, next.states as usize, ring.zero())?;
        let count = runs.write(spare, observer)?;
        std::mem::swap(&mut self.values, spare);
        (self.legs, self.weight) = (legs, weight);
        Ok(count)
    }

    /// Where the legs that a step leaves unchanged begin, after moving more of them to the end if that pays.
    fn lengthen_tail<R: Ring<Value = V>>(
        &mut self,
        ring: &R,
        step: &Step,
        next: &Space,
        spare: &mut Vec<V>,
        observer: &dyn Observer,
    ) -> Result<usize> {
        let tail_of = |legs: &[Leg]| legs.iter().rposition(|leg| !stays(leg, step, next)).map_or(0, |i| i + 1);
        let tail = tail_of(&self.legs);
        if vectors(&self.legs[tail..]) >= SHORT {
            return Ok(tail);
        }
        let mut legs = self.legs.clone();
        late_first(&mut legs);
        // The legs that change latest go to the end, the very latest last.
        let mut late = 0;
        while late < legs.len() && stays(&legs[late], step, next) && vectors(&legs[..late]) < LONG {
            late += 1;
        }
        legs[..late].reverse();
        legs.rotate_left(late);
        if vectors(&legs[tail_of(&legs)..]) <= 2.0 * vectors(&self.legs[tail..]) {
            return Ok(tail);
        }
        self.reorder(legs, ring, spare, observer)?;
        Ok(tail_of(&self.legs))
    }

    /// The same layer with its legs in another order.
    fn reorder<R: Ring<Value = V>>(
        &mut self,
        legs: Vec<Leg>,
        ring: &R,
        spare: &mut Vec<V>,
        observer: &dyn Observer,
    ) -> Result<()> {
        let same = self.legs.iter().rev().zip(legs.iter().rev()).take_while(|(a, b)| a.field == b.field).count();
        let tail = legs.len() - same;
        let source = Layout::new(&self.legs, self.weight, tail);
        let target = Layout::new(&legs, self.weight, tail);
        let old: Vec<usize> = legs[..tail]
            .iter()
            .map(|leg| self.legs.iter().position(|old| old.field == leg.field).expect("the same legs"))
            .collect();
        let maps = (0..target.depth())
            .map(|c| {
                target.tabulate(c, ([0; CHUNKS], 0u32), |(codes, _): &mut (Codes, u32), i, y| {
                    *codes = plus(codes, &source.code(old[i], y));
                })
            })
            .collect();
        let sums = vec![vec![([0; CHUNKS], None)]];
        let runs = Runs { ring, source: &source, values: &self.values, target: &target, maps, sums };
        resize(spare, self.values.len(), ring.zero())?;
        runs.write(spare, observer)?;
        std::mem::swap(&mut self.values, spare);
        self.legs = legs;
        Ok(())
    }
}
