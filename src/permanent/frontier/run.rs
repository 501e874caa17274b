//! Runs the steps over all states.
//!
//! The states of a layer are split by a hash of the key bits that the next step leaves alone. States that meet in the next layer
//! agree there, so each part makes its share of the next layer by itself, in a table that fits the cache: no part waits for
//! another, and sums have the same terms whatever the number of threads.

use super::key::{Field, Key};
use super::program::{Program, Step};
use super::value::Value;
use crate::{Error, Observer, Result};
use num_bigint::BigInt;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// States of one part; larger parts leave the cache.
const PART: f64 = 4096.0;
/// Parts of a layer at most.
const MAX_PARTS: usize = 2048;

/// Successors that are made before they are sorted in.
const BUFFER: usize = 256;

/// The states of a layer: parts, each in pieces.
type Layer<const N: usize, V> = Vec<Vec<Vec<(Key<N>, V)>>>;

/// Deficits that go to one class, and the ways there.
struct Group<V> {
    target: Option<Field>,
    /// Sources with weight 1, and with other weights.
    plain: Vec<(Option<Field>, u64)>,
    weighted: Vec<(Option<Field>, u64, V)>,
}

/// A step with its masks as keys and its weights as values.
struct Kernel<'a, const N: usize, V> {
    step: &'a Step,
    keep: Key<N>,
    fresh: Key<N>,
    groups: Vec<Group<V>>,
}

impl<'a, const N: usize, V: Value> Kernel<'a, N, V> {
    fn new(step: &'a Step, weights: &[BigInt]) -> Self {
        let mut fresh = Key::ZERO;
        step.fresh.iter().for_each(|&(target, count)| fresh.add(target, count));
        let mut groups: Vec<Group<V>> = Vec::new();
        for choice in &step.choices {
            let k = groups.iter().position(|g| g.target == choice.target).unwrap_or_else(|| {
                groups.push(Group { target: choice.target, plain: Vec::new(), weighted: Vec::new() });
                groups.len() - 1
            });
            let weight = &weights[choice.weight as usize];
            if *weight == BigInt::from(1) {
                groups[k].plain.push((choice.source, choice.count));
            } else {
                groups[k].weighted.push((choice.source, choice.count, V::from_integer(weight)));
            }
        }
        Kernel { step, keep: mask(&step.keep), fresh, groups }
    }

    /// Whether no class has more unmatched vertices than neighbours.
    #[inline(always)]
    fn alive(&self, key: &Key<N>) -> bool {
        self.step.caps.iter().all(|&(f, cap)| key.get(f) <= cap)
    }

    /// The successors of a state; those that `emit` is told are none may have any key.
    #[inline(always)]
    fn expand(&self, key: &Key<N>, value: &V, mut emit: impl FnMut(Key<N>, V, bool)) {
        let step = self.step;
        let open = step.closing_fresh + step.closing.iter().map(|&f| key.get(f)).sum::<u64>();
        if open > 1 {
            return;
        }
        let mut base = key.and(&self.keep);
        for (word, fresh) in base.0.iter_mut().zip(&self.fresh.0) {
            *word += fresh;
        }
        for &(from, to) in &step.moves {
            base.add(to, key.get(from));
        }
        match step.own {
            Some(own) if key.get(own) == 0 => {
                emit(base, value.clone(), open == 0 && self.alive(&base));
                return;
            }
            Some(_) => step.own_target.into_iter().for_each(|f| base.decrement(f)),
            None => {}
        }
        for group in &self.groups {
            let fits = group.target.is_none() == (open == 1);
            let deficit = |source: Option<Field>, count: u64| source.map_or(count, |f| key.get(f));
            let ways: u64 = group.plain.iter().map(|&(source, count)| deficit(source, count)).sum();
            let weighted: u64 = group.weighted.iter().map(|(source, count, _)| deficit(*source, *count)).sum();
            let some = fits && ways + weighted != 0;
            // Whether there is a way is as good as random: where a product costs less than a wrong guess, it is made in vain.
            if !V::WORDS && !some {
                continue;
            }
            let mut sum = value.times_word(ways);
            for (source, count, weight) in &group.weighted {
                sum.add(&value.times(deficit(*source, *count), weight));
            }
            let mut next = base;
            group.target.into_iter().for_each(|f| next.decrement(f));
            emit(next, sum, some && self.alive(&next));
        }
    }
}

/// The words as a key; words beyond hold no field.
fn mask<const N: usize>(words: &[u64]) -> Key<N> {
    Key(std::array::from_fn(|k| words.get(k).copied().unwrap_or(0)))
}

/// An open-addressing table with linear probing, at most half full.
struct Table<const N: usize, V> {
    slots: Vec<(Key<N>, V)>,
    len: usize,
    shift: u32,
}

impl<const N: usize, V: Value> Table<N, V> {
    fn with_room_for(states: usize) -> Self {
        let bits = (2 * states.max(4)).next_power_of_two().trailing_zeros();
        Table { slots: vec![(Key::EMPTY, V::zero()); 1 << bits], len: 0, shift: 64 - bits }
    }
    #[inline(always)]
    fn add(&mut self, key: Key<N>, value: &V) {
        let last = self.slots.len() - 1;
        let mut at = (key.hash() >> self.shift) as usize;
        loop {
            let slot = &mut self.slots[at];
            if slot.0 == key {
                slot.1.add(value);
                return;
            }
            if slot.0.is_empty() {
                *slot = (key, value.clone());
                self.len += 1;
                if 2 * self.len > last {
                    self.grow();
                }
                return;
            }
            at = (at + 1) & last;
        }
    }
    #[cold]
    fn grow(&mut self) {
        let mut larger = Table::with_room_for(2 * self.slots.len());
        std::mem::take(&mut self.slots).into_iter().filter(|s| !s.0.is_empty()).for_each(|(k, v)| larger.add(k, &v));
        *self = larger;
    }
    /// The states whose value is not 0.
    fn into_states(self) -> impl Iterator<Item = (Key<N>, V)> {
        self.slots.into_iter().filter(|(key, value)| !key.is_empty() && !value.is_zero())
    }
}

/// What a run may use and tell.
pub(super) struct Limits<'a> {
    pub memory: u64,
    pub observer: &'a dyn Observer,
}

/// The sum over all perfect matchings, and the number of states after each step.
pub(super) fn run<const N: usize, V: Value>(
    program: &Program,
    weights: &[BigInt],
    limits: &Limits,
) -> Result<(V, Vec<u64>)> {
    let mut layer: Layer<N, V> = vec![vec![vec![(Key::ZERO, V::from_integer(&BigInt::from(1)))]]];
    let (mut states, mut counts) = (1u64, Vec::with_capacity(program.steps.len()));
    for (t, step) in program.steps.iter().enumerate() {
        limits.observer.check()?;
        let kernel = Kernel::<N, V>::new(step, weights);
        let expected = program.states[t + 1].min(states as f64 * kernel.groups.len() as f64);
        let parts = ((expected / PART) as usize).clamp(1, MAX_PARTS).next_power_of_two();
        let split = Split {
            mask: program.steps.get(t + 1).map_or(Key::ZERO, |next| mask(&next.untouched)),
            parts,
            bytes: AtomicU64::new(states * bytes_per_state::<N, V>()),
        };
        layer = advance(&kernel, layer, &split, limits).map_err(|e| match e {
            Error::Memory(_) => Error::Memory(memory_message::<N, V>(program, limits.memory)),
            other => other,
        })?;
        states = layer.iter().flatten().map(|piece| piece.len() as u64).sum();
        counts.push(states);
        limits.observer.progress(t as u64 + 1);
    }
    let total = layer.into_iter().flatten().flatten().map(|(_, v)| v).fold(V::zero(), |mut sum, v| {
        sum.add(&v);
        sum
    });
    Ok((total, counts))
}

/// Bytes that a stored state takes.
fn bytes_per_state<const N: usize, V: Value>() -> u64 {
    (8 * N + V::BYTES) as u64
}

fn memory_message<const N: usize, V: Value>(program: &Program, limit: u64) -> String {
    let most = program.most_states();
    let need = most * bytes_per_state::<N, V>() as f64;
    let mib = |bytes: f64| (bytes / f64::from(1u32 << 20)).ceil();
    format!(
        "the frontier programme may need {} MiB for {most:.3e} states, the limit is {} MiB",
        mib(need),
        mib(limit as f64)
    )
}

/// How the next layer is split.
struct Split<const N: usize> {
    mask: Key<N>,
    parts: usize,
    /// Of this layer and what is already there of the next.
    bytes: AtomicU64,
}

fn advance<const N: usize, V: Value>(
    kernel: &Kernel<N, V>,
    layer: Layer<N, V>,
    split: &Split<N>,
    limits: &Limits,
) -> Result<Layer<N, V>> {
    let part = |pieces: Vec<Vec<(Key<N>, V)>>, out: &mut Vec<Vec<(Key<N>, V)>>| -> Result<()> {
        limits.observer.check()?;
        let mut table = Table::with_room_for(pieces.iter().map(Vec::len).sum());
        // Successors wait in a buffer, so that neither loop stumbles over the other's unpredictable branches.
        let mut buffer = vec![(Key::ZERO, V::zero()); BUFFER + kernel.groups.len() + 1];
        let mut len = 0;
        for (key, value) in pieces.iter().flatten() {
            kernel.expand(key, value, |next, term, is_one| {
                buffer[len] = (next, term);
                len += usize::from(is_one);
            });
            if len >= BUFFER {
                buffer[..len].iter().for_each(|(next, term)| table.add(*next, term));
                len = 0;
            }
        }
        buffer[..len].iter().for_each(|(next, term)| table.add(*next, term));
        let bytes = table.len as u64 * bytes_per_state::<N, V>();
        if split.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > limits.memory {
            return Err(Error::Memory(String::new()));
        }
        if split.parts == 1 {
            out[0].extend(table.into_states());
        } else {
            let shift = 64 - split.parts.trailing_zeros();
            for state in table.into_states() {
                out[(state.0.and(&split.mask).hash() >> shift) as usize].push(state);
            }
        }
        Ok(())
    };
    if layer.len() == 1 {
        let mut out = vec![Vec::new(); split.parts];
        layer.into_iter().try_for_each(|pieces| part(pieces, &mut out))?;
        return Ok(out.into_iter().map(|piece| vec![piece]).collect());
    }
    let share = layer.len().div_ceil(8 * rayon::current_num_threads()).max(1);
    let mut shares: Vec<Layer<N, V>> = Vec::new();
    let mut layer = layer.into_iter().peekable();
    while layer.peek().is_some() {
        shares.push(layer.by_ref().take(share).collect());
    }
    let made: Vec<Vec<Vec<(Key<N>, V)>>> = shares
        .into_par_iter()
        .map(|share| {
            let mut out = vec![Vec::new(); split.parts];
            share.into_iter().try_for_each(|pieces| part(pieces, &mut out))?;
            Ok(out)
        })
        .collect::<Result<_>>()?;
    let mut next: Layer<N, V> = (0..split.parts).map(|_| Vec::with_capacity(made.len())).collect();
    for out in made {
        for (part, piece) in next.iter_mut().zip(out) {
            if !piece.is_empty() {
                part.push(piece);
            }
        }
    }
    Ok(next)
}
