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
const PART: f64 = 1536.0;
/// Parts of a layer at most.
const MAX_PARTS: usize = 2048;

/// Successors that are made before they are sorted in.
const BUFFER: usize = 256;

/// The states of a layer: parts, each in pieces.
type Layer<const N: usize, V> = Vec<Vec<Vec<(Key<N>, V)>>>;

/// A number of ways: the deficit in a field (whose mask is 0 where there is none) and untouched vertices.
#[derive(Clone, Copy)]
struct Source {
    field: Field,
    count: u64,
}

impl Source {
    #[inline(always)]
    fn ways<const N: usize>(self, key: &Key<N>) -> u64 {
        key.get(self.field) + self.count
    }
}

/// The choices that lead into one class.
struct Group<const N: usize, V> {
    /// Where the class stands, and 1 there.
    target: Option<Field>,
    unit: Key<N>,
    /// Sources of weight 1 (the first apart: mostly it is the only one), and with other weights.
    first: Source,
    more: Vec<Source>,
    weighted: Vec<(Source, V)>,
}

impl<const N: usize, V> Group<N, V> {
    fn new(target: Option<Field>) -> Self {
        let mut unit = Key::ZERO;
        target.into_iter().for_each(|f| unit.add(f, 1));
        Group { target, unit, first: NO_SOURCE, more: Vec::new(), weighted: Vec::new() }
    }
    /// Whether there are at most one way and weight 1, always.
    fn is_single(&self) -> bool {
        let first = self.first.field.mask + self.first.count == 1;
        first && self.more.is_empty() && self.weighted.is_empty()
    }
}

const NO_SOURCE: Source = Source { field: Field { word: 0, shift: 0, mask: 0 }, count: 0 };

/// A step with its masks as keys and its weights as values.
struct Kernel<'a, const N: usize, V> {
    step: &'a Step,
    keep: Key<N>,
    fresh: Key<N>,
    /// 1 in the field that the vertex of the step leaves.
    own_unit: Key<N>,
    /// Choices of classes that stay open, and of classes that close.
    open: Vec<Group<N, V>>,
    closing: Vec<Group<N, V>>,
    /// Whether all groups are single.
    single: bool,
}

impl<'a, const N: usize, V: Value> Kernel<'a, N, V> {
    fn new(step: &'a Step, weights: &[BigInt]) -> Self {
        let mut fresh = Key::ZERO;
        step.fresh.iter().for_each(|&(target, count)| fresh.add(target, count));
        let mut own_unit = Key::ZERO;
        step.own_target.into_iter().for_each(|f| own_unit.add(f, 1));
        let mut groups: Vec<Group<N, V>> = Vec::new();
        for choice in &step.choices {
            let k = groups.iter().position(|g| g.target == choice.target).unwrap_or_else(|| {
                groups.push(Group::new(choice.target));
                groups.len() - 1
            });
            let source = match choice.source {
                Some(field) => Source { field, count: 0 },
                None => Source { count: choice.count, ..NO_SOURCE },
            };
            let (group, weight) = (&mut groups[k], &weights[choice.weight as usize]);
            if *weight != BigInt::from(1) {
                group.weighted.push((source, V::from_integer(weight)));
            } else if group.first.field.mask + group.first.count == 0 {
                group.first = source;
            } else {
                group.more.push(source);
            }
        }
        let single = groups.iter().all(Group::is_single);
        let (open, closing) = groups.into_iter().partition(|g| g.target.is_some());
        Kernel { step, keep: mask(&step.keep), fresh, own_unit, open, closing, single }
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
        let closing = step.closing_fresh + step.closing.iter().map(|&f| key.get(f)).sum::<u64>();
        if closing > 1 {
            return;
        }
        let mut base = key.and(&self.keep).plus(&self.fresh);
        for &(from, to) in &step.moves {
            base.add(to, key.get(from));
        }
        if step.own.is_some_and(|own| key.get(own) == 0) {
            emit(base, value.clone(), closing == 0 && self.alive(&base));
            return;
        }
        base = base.minus(&self.own_unit);
        let groups = if closing == 1 { &self.closing } else { &self.open };
        // Whether there is a way is as good as random: where a product costs less than a wrong guess, it is made in vain.
        if V::WORDS && self.single {
            for group in groups {
                let next = base.minus(&group.unit);
                emit(next, value.clone(), group.first.ways(key) != 0 && self.alive(&next));
            }
            return;
        }
        for group in groups {
            let ways = group.first.ways(key) + group.more.iter().map(|source| source.ways(key)).sum::<u64>();
            let some = ways != 0 || group.weighted.iter().any(|(source, _)| source.ways(key) != 0);
            if !V::WORDS && !some {
                continue;
            }
            let mut sum = value.times_word(ways);
            for (source, weight) in &group.weighted {
                sum.add(&value.times(source.ways(key), weight));
            }
            let next = base.minus(&group.unit);
            emit(next, sum, some && self.alive(&next));
        }
    }
}

/// The words as a key; words beyond hold no field.
fn mask<const N: usize>(words: &[u64]) -> Key<N> {
    Key(std::array::from_fn(|k| words.get(k).copied().unwrap_or(0)))
}

/// States in the order of their arrival, found through an open-addressing table with linear probing, at most half full, of their
/// places (plus 1; 0 is free).
struct Table<const N: usize, V> {
    states: Vec<(Key<N>, V)>,
    slots: Vec<u32>,
    shift: u32,
}

impl<const N: usize, V: Value> Table<N, V> {
    fn with_room_for(states: usize) -> Self {
        let bits = (2 * states.max(4)).next_power_of_two().trailing_zeros();
        Table { states: Vec::with_capacity(states), slots: vec![0; 1 << bits], shift: 64 - bits }
    }
    #[inline(always)]
    fn add(&mut self, key: Key<N>, value: &V) {
        let last = self.slots.len() - 1;
        let mut at = (key.hash() >> self.shift) as usize;
        loop {
            let place = self.slots[at] as usize;
            if place == 0 {
                self.states.push((key, value.clone()));
                self.slots[at] = u32::try_from(self.states.len()).expect("a part has fewer than 2^32 states");
                if 2 * self.states.len() > last {
                    self.grow();
                }
                return;
            }
            let state = &mut self.states[place - 1];
            if state.0 == key {
                state.1.add(value);
                return;
            }
            at = (at + 1) & last;
        }
    }
    #[cold]
    fn grow(&mut self) {
        let last = 2 * self.slots.len() - 1;
        self.slots = vec![0; last + 1];
        self.shift -= 1;
        for (k, (key, _)) in self.states.iter().enumerate() {
            let mut at = (key.hash() >> self.shift) as usize;
            while self.slots[at] != 0 {
                at = (at + 1) & last;
            }
            self.slots[at] = k as u32 + 1;
        }
    }
    /// The states whose value is not 0.
    fn into_states(self) -> impl Iterator<Item = (Key<N>, V)> {
        self.states.into_iter().filter(|(_, value)| !value.is_zero())
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
        let expected = program.states[t + 1].min(states as f64 * (kernel.open.len() + 1) as f64);
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
        let mut buffer = vec![(Key::ZERO, V::zero()); BUFFER + kernel.open.len() + kernel.closing.len() + 1];
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
        let bytes = table.states.len() as u64 * bytes_per_state::<N, V>();
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
