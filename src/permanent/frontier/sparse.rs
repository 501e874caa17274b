//! Layers as lists of states, found by their keys.
//!
//! The states of a layer are split by a hash of the key bits that the next step leaves unchanged. States that merge in
//! the next layer agree in them, so each part computes its share of the next layer independently, in a table that fits
//! the cache: no part waits for another, and sums have the same terms whatever the number of threads.

use super::kernel::{Kernel, mask};
use super::key::Key;
use super::program::Step;
use super::ring::Ring;
use crate::parallel::Each;
use crate::{Error, Observer, Result, memory};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// States of one part; larger parts leave the cache.
const PART: f64 = 1536.0;
/// The maximum number of parts of a layer.
const MAX_PARTS: usize = 2048;

/// Successors generated before they are inserted.
const BUFFER: usize = 256;
/// What the memory is for.
const STATES: &str = "the states of a frontier";

/// The states of a layer: parts, each in pieces.
pub(super) type Layer<const N: usize, V> = Vec<Vec<Vec<(Key<N>, V)>>>;

/// States in the order of their arrival, found through an open-addressing table with linear probing, at most half full,
/// of their positions (plus 1; 0 is free).
struct Table<const N: usize, V> {
    states: Vec<(Key<N>, V)>,
    slots: Vec<u32>,
    shift: u32,
}

impl<const N: usize, V: Clone> Table<N, V> {
    fn with_room_for(states: usize) -> Result<Self> {
        let bits = (2 * states.max(4)).next_power_of_two().trailing_zeros();
        let (states, slots) = (memory::with_capacity(states, STATES)?, memory::zeros(1 << bits, STATES)?);
        Ok(Table { states, slots, shift: 64 - bits })
    }
    #[inline(always)]
    fn add<R: Ring<Value = V>>(&mut self, ring: &R, key: Key<N>, value: &V) -> Result<()> {
        let last = self.slots.len() - 1;
        let mut at = (key.hash() >> self.shift) as usize;
        loop {
            let place = self.slots[at] as usize;
            if place == 0 {
                memory::reserve(&mut self.states, 1, STATES)?;
                self.states.push((key, value.clone()));
                self.slots[at] = u32::try_from(self.states.len()).expect("a part has fewer than 2^32 states");
                if 2 * self.states.len() > last {
                    self.grow()?;
                }
                return Ok(());
            }
            let state = &mut self.states[place - 1];
            if state.0 == key {
                ring.add(&mut state.1, value);
                return Ok(());
            }
            at = (at + 1) & last;
        }
    }
    #[cold]
    fn grow(&mut self) -> Result<()> {
        let last = 2 * self.slots.len() - 1;
        self.slots = memory::zeros(last + 1, STATES)?;
        self.shift -= 1;
        for (k, (key, _)) in self.states.iter().enumerate() {
            let mut at = (key.hash() >> self.shift) as usize;
            while self.slots[at] != 0 {
                at = (at + 1) & last;
            }
            self.slots[at] = k as u32 + 1;
        }
        Ok(())
    }
    /// The states whose value is not 0.
    fn into_states<R: Ring<Value = V>>(self, ring: &R) -> impl Iterator<Item = (Key<N>, V)> {
        self.states.into_iter().filter(|(_, value)| !ring.is_zero(value))
    }
}

/// How a layer is split for the next step.
pub(super) struct Split<const N: usize> {
    mask: Key<N>,
    parts: usize,
}

impl<const N: usize> Split<N> {
    /// For about that many states.
    pub fn new(next: Option<&Step>, states: f64) -> Self {
        let parts = ((states / PART) as usize).clamp(1, MAX_PARTS).next_power_of_two();
        Split { mask: next.map_or(Key::ZERO, |step| mask(&step.untouched)), parts }
    }
    #[inline(always)]
    fn part(&self, key: &Key<N>) -> usize {
        if self.parts == 1 { 0 } else { (key.and(&self.mask).hash() >> (64 - self.parts.trailing_zeros())) as usize }
    }
    /// A layer of one part, to which states can be added.
    pub fn empty<V>(&self) -> Layer<N, V> {
        (0..self.parts).map(|_| vec![Vec::new()]).collect()
    }
    /// Adds a state to a layer of [`Split::empty`].
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn push<V>(&self, layer: &mut Layer<N, V>, key: Key<N>, value: V) -> Result<()> {
        let piece = &mut layer[self.part(&key)][0];
        memory::reserve(piece, 1, STATES)?;
        piece.push((key, value));
        Ok(())
    }
}

/// Bytes that a stored state takes.
pub(super) fn bytes_per_state<const N: usize, R: Ring>() -> u64 {
    (8 * N + R::BYTES) as u64
}

/// The successors of a layer of `states` states, if both layers take at most `limit` bytes; otherwise an
/// [`Error::Memory`] without a text. One with a text is a refused allocation.
pub(super) fn advance<const N: usize, R: Ring>(
    kernel: &Kernel<N, R>,
    ring: &R,
    layer: Layer<N, R::Value>,
    states: u64,
    split: &Split<N>,
    limit: u64,
    observer: &dyn Observer,
) -> Result<Layer<N, R::Value>> {
    type Piece<const N: usize, V> = Vec<(Key<N>, V)>;
    let taken = AtomicU64::new(states * bytes_per_state::<N, R>());
    let part = |pieces: Vec<Piece<N, R::Value>>, out: &mut Vec<Piece<N, R::Value>>| -> Result<()> {
        observer.check()?;
        let mut table = Table::with_room_for(pieces.iter().map(Vec::len).sum())?;
        // Successors are buffered, so that neither loop suffers from the other's unpredictable branches.
        let mut buffer = vec![(Key::ZERO, ring.zero()); BUFFER + kernel.most()];
        let mut len = 0;
        for (key, value) in pieces.iter().flatten() {
            kernel.expand(key, value, |next, term, is_one| {
                buffer[len] = (next, term);
                len += usize::from(is_one);
            });
            if len >= BUFFER {
                buffer[..len].iter().try_for_each(|(next, term)| table.add(ring, *next, term))?;
                len = 0;
            }
        }
        buffer[..len].iter().try_for_each(|(next, term)| table.add(ring, *next, term))?;
        let bytes = table.states.len() as u64 * bytes_per_state::<N, R>();
        if taken.fetch_add(bytes, Ordering::Relaxed) + bytes > limit {
            return Err(Error::Memory(String::new()));
        }
        if split.parts == 1 {
            memory::reserve(&mut out[0], table.states.len(), STATES)?;
            out[0].extend(table.into_states(ring));
        } else {
            for state in table.into_states(ring) {
                let piece = &mut out[split.part(&state.0)];
                memory::reserve(piece, 1, STATES)?;
                piece.push(state);
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
    let mut shares: Vec<Layer<N, R::Value>> = Vec::new();
    let mut layer = layer.into_iter().peekable();
    while layer.peek().is_some() {
        shares.push(layer.by_ref().take(share).collect());
    }
    let made: Vec<Vec<Piece<N, R::Value>>> = shares.into_par_iter().try_make(|share| {
        let mut out = vec![Vec::new(); split.parts];
        share.into_iter().try_for_each(|pieces| part(pieces, &mut out))?;
        Ok(out)
    })?;
    let mut next: Layer<N, R::Value> = (0..split.parts).map(|_| Vec::with_capacity(made.len())).collect();
    for out in made {
        for (part, piece) in next.iter_mut().zip(out) {
            if !piece.is_empty() {
                part.push(piece);
            }
        }
    }
    Ok(next)
}
