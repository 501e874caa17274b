//! Runs the steps over all states: small and sparsely filled layers as lists with keys, full ones as arrays.
//!
//! Which of the two is used is decided step by step from numbers of states, never from timings or the number of
//! threads, so that a run does the same work everywhere.

use super::dense::{Dense, is_possible};
use super::kernel::Kernel;
use super::key::Key;
use super::program::{Program, Space, Step};
use super::ring::{Presence, Ring};
use super::sparse::{self, Split, bytes_per_state};
use crate::cost::Frontier;
use crate::{Error, Observer, Result};
use num_bigint::BigInt;

/// An array is converted to keys only if that is cheaper by this factor.
const FAITH: f64 = 2.0;

/// How layers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// Whichever is predicted to be faster.
    Cheapest,
    /// By key.
    #[cfg(test)]
    Keys,
    /// In arrays wherever possible.
    #[cfg(test)]
    Arrays,
}

impl Storage {
    /// Whether to use arrays if they take `arrays` seconds, and keys `keys` seconds.
    fn wants_arrays(self, arrays: f64, keys: f64) -> bool {
        match self {
            Storage::Cheapest => arrays < keys,
            #[cfg(test)]
            Storage::Keys => false,
            #[cfg(test)]
            Storage::Arrays => true,
        }
    }
}

/// What a run may use, and where it reports.
pub(super) struct Limits<'a> {
    pub memory: u64,
    pub storage: Storage,
    pub prices: Frontier,
    pub observer: &'a dyn Observer,
}

/// Seconds that a run may take on one core, with values of that many words and the number of states that are
/// [`reachable`].
pub(super) fn seconds(prices: &Frontier, program: &Program, reachable: &[f64], words: u64) -> f64 {
    let step = |((step, spaces), states): ((&Step, &[Space]), &f64)| {
        let choices = (step.choices.len() + 1) as f64;
        let keys = choices * states * prices.key;
        let arrays = choices * spaces[1].states * prices.slot * words as f64 + prices.tables;
        if is_possible(step, &spaces[0], &spaces[1]) { keys.min(arrays) } else { keys }
    };
    program.steps.iter().zip(program.spaces.windows(2)).zip(reachable).map(step).sum()
}

/// Bytes of two consecutive layers, at most, with the number of states that are [`reachable`]: by key or in arrays,
/// whichever takes less.
pub(super) fn layer_bytes(program: &Program, reachable: &[f64], key_words: u64, value_words: u64) -> f64 {
    let step = |((step, spaces), states): ((&Step, &[Space]), &[f64])| {
        let keys = (states[0] + states[1]) * (8 * (key_words + value_words)) as f64;
        let arrays = (spaces[0].states + spaces[1].states) * (8 * value_words) as f64;
        if is_possible(step, &spaces[0], &spaces[1]) { keys.min(arrays) } else { keys }
    };
    let layers = program.steps.iter().zip(program.spaces.windows(2)).zip(reachable.windows(2));
    layers.map(step).fold(0.0, f64::max)
}

/// The shares of the work that are done after each step, by the numbers of vectors of deficits.
fn shares(prices: &Frontier, program: &Program) -> Vec<f64> {
    let vectors: Vec<f64> = program.states().collect();
    let work = |(step, states): (&Step, &f64)| (step.choices.len() + 1) as f64 * states * prices.key + prices.tables;
    let sums = program.steps.iter().zip(&vectors).map(work).scan(0.0, |sum, work| {
        *sum += work;
        Some(*sum)
    });
    let sums: Vec<f64> = sums.collect();
    let all = sums.last().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
    sums.into_iter().map(|sum| sum / all).collect()
}

/// Layers are thin if there are more vectors than this multiple of their states; a small number of states is not
/// conclusive.
const THIN: f64 = 1.5;
const FEW: f64 = 2048.0;
/// The maximum number of states counted in one layer, and the fraction of the sweep's time for counting altogether.
const COUNTED: f64 = 32768.0;
const COUNTING: f64 = 0.16;

/// Upper bounds on the numbers of states of all layers: counted by presence alone while layers are small and thin; then
/// vectors of deficits, or all successors of all states of the previous layer.
pub(super) fn reachable(
    program: &Program,
    weights: &[BigInt],
    prices: &Frontier,
    observer: &dyn Observer,
) -> Result<Vec<f64>> {
    let vectors: Vec<f64> = program.states().collect();
    let mut reach = vec![1.0];
    let mut layer = (program.words == 1).then(|| vec![vec![vec![(Key::<1>::ZERO, ())]]]);
    let mut left = COUNTING * seconds(prices, program, &vectors, 1);
    for (t, step) in program.steps.iter().enumerate() {
        let kernel = Kernel::<1, Presence>::new(&Presence, step, weights);
        let most = kernel.most() as f64;
        let states: f64 = reach[t];
        let full = states > FEW && states * THIN > vectors[t];
        left -= states * (most + 1.0) * prices.key;
        layer = match layer {
            Some(list) if !full && states <= COUNTED && left > 0.0 => {
                let split = Split::new(program.steps.get(t + 1), states * most);
                Some(sparse::advance(&kernel, &Presence, list, states as u64, &split, u64::MAX, observer)?)
            }
            _ => None,
        };
        let count = |list: &sparse::Layer<1, ()>| list.iter().flatten().map(Vec::len).sum::<usize>() as f64;
        let counted = layer.as_ref().map_or(f64::INFINITY, count);
        reach.push(counted.min(vectors[t + 1]).min(states * most));
    }
    Ok(reach)
}

enum Layer<const N: usize, V> {
    Keys(sparse::Layer<N, V>),
    Array(Dense<V>),
}

/// The sum over all perfect matchings, and the number of states after each step.
pub(super) fn run<const N: usize, R: Ring>(
    ring: &R,
    program: &Program,
    weights: &[BigInt],
    limits: &Limits,
) -> Result<(R::Value, Vec<u64>)> {
    let (one, prices) = (ring.image(&1.into()), &limits.prices);
    let mut layer: Layer<N, R::Value> = Layer::Keys(vec![vec![vec![(Key::ZERO, one)]]]);
    let mut spare = Vec::new();
    let (mut states, mut counts) = (1u64, Vec::with_capacity(program.steps.len()));
    let shares = shares(prices, program);
    for (t, step) in program.steps.iter().enumerate() {
        limits.observer.check()?;
        let (space, next) = (&program.spaces[t], &program.spaces[t + 1]);
        let kernel = Kernel::<N, R>::new(ring, step, weights);
        let choices = (kernel.most() + 1) as f64;
        let array = choices * next.states * prices.slot * R::BYTES as f64 / 8.0 + prices.tables;
        let keys = choices * states as f64 * prices.key;
        // Two layers; a reordered layer takes the place of the second.
        let bytes = (space.states + next.states) * R::BYTES as f64;
        let wanted = match layer {
            Layer::Keys(_) => limits.storage.wants_arrays(array + space.states * prices.slot, keys),
            Layer::Array(_) => limits.storage.wants_arrays(array, FAITH * keys),
        };
        // Slower, but it fits.
        let expected = next.states.min(states as f64 * choices);
        let needed = (states as f64 + expected) * bytes_per_state::<N, R>() as f64;
        let wanted = wanted || needed > limits.memory as f64;
        let arrays = wanted && bytes <= limits.memory as f64 && is_possible(step, space, next);
        layer = match layer {
            Layer::Keys(list) if arrays => {
                Layer::Array(Dense::from_states(ring, space, list.into_iter().flatten().flatten())?)
            }
            Layer::Array(dense) if !arrays => {
                let split = Split::new(Some(step), states as f64);
                let mut list = split.empty();
                let mut pushed = Ok(());
                dense.for_each_state(ring, |key, value| {
                    if pushed.is_ok() {
                        pushed = split.push(&mut list, key, value);
                    }
                });
                pushed?;
                spare = Vec::new();
                Layer::Keys(list)
            }
            same => same,
        };
        layer = match layer {
            Layer::Array(mut dense) => {
                states = dense.advance(&kernel, ring, next, &mut spare, limits.observer)?;
                Layer::Array(dense)
            }
            Layer::Keys(list) => {
                let expected = next.states.min(states as f64 * choices);
                let split = Split::new(program.steps.get(t + 1), expected);
                let list = sparse::advance(&kernel, ring, list, states, &split, limits.memory, limits.observer);
                let list = list.map_err(|e| match e {
                    Error::Memory(text) if text.is_empty() => {
                        Error::Memory(memory_message::<N, R>(program, limits.memory))
                    }
                    other => other,
                })?;
                states = list.iter().flatten().map(|piece| piece.len() as u64).sum();
                Layer::Keys(list)
            }
        };
        counts.push(states);
        limits.observer.share(shares[t]);
        limits.observer.progress(t as u64 + 1);
    }
    let mut total = ring.zero();
    match layer {
        Layer::Keys(list) => list.iter().flatten().flatten().for_each(|(_, v)| ring.add(&mut total, v)),
        Layer::Array(dense) => dense.values.iter().for_each(|v| ring.add(&mut total, v)),
    }
    Ok((total, counts))
}

fn memory_message<const N: usize, R: Ring>(program: &Program, limit: u64) -> String {
    let most = program.most_states();
    let need = most * bytes_per_state::<N, R>() as f64;
    let mib = |bytes: f64| (bytes / f64::from(1u32 << 20)).ceil();
    format!(
        "the frontier dynamic program may need {} MiB for {most:.3e} states, the limit is {} MiB",
        mib(need),
        mib(limit as f64)
    )
}
