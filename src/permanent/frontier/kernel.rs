//! One step as a map from a state to its successors: its masks as keys, its weights as values.

use super::key::{Field, Key};
use super::program::Step;
use super::ring::Ring;
use num_bigint::BigInt;

/// A number of ways: the deficit in a field (with mask 0 if there is none) plus untouched vertices.
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
    /// The field of the class, and 1 in that field.
    target: Option<Field>,
    unit: Key<N>,
    /// Sources of weight 1 (the first separately, since it is usually the only one), and those with other weights.
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
    /// Whether there is always at most one way, and the weight is 1.
    fn is_single(&self) -> bool {
        let first = self.first.field.mask + self.first.count == 1;
        first && self.more.is_empty() && self.weighted.is_empty()
    }
}

const NO_SOURCE: Source = Source { field: Field { word: 0, shift: 0, mask: 0 }, count: 0 };

/// A step with its masks as keys and its weights as values.
pub(super) struct Kernel<'a, const N: usize, R: Ring> {
    ring: &'a R,
    pub step: &'a Step,
    keep: Key<N>,
    fresh: Key<N>,
    /// 1 in the field that the vertex of the step leaves.
    own_unit: Key<N>,
    /// Choices of classes that stay open, and of classes that close.
    open: Vec<Group<N, R::Value>>,
    closing: Vec<Group<N, R::Value>>,
    /// Whether all groups are single.
    single: bool,
}

impl<'a, const N: usize, R: Ring> Kernel<'a, N, R> {
    pub fn new(ring: &'a R, step: &'a Step, weights: &[BigInt]) -> Self {
        let mut fresh = Key::ZERO;
        step.fresh.iter().for_each(|&(target, count)| fresh.add(target, count));
        let mut own_unit = Key::ZERO;
        step.own_target.into_iter().for_each(|f| own_unit.add(f, 1));
        let mut groups: Vec<Group<N, R::Value>> = Vec::new();
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
                group.weighted.push((source, ring.image(weight)));
            } else if group.first.field.mask + group.first.count == 0 {
                group.first = source;
            } else {
                group.more.push(source);
            }
        }
        let single = groups.iter().all(Group::is_single);
        let (open, closing) = groups.into_iter().partition(|g| g.target.is_some());
        Kernel { ring, step, keep: mask(&step.keep), fresh, own_unit, open, closing, single }
    }

    /// Whether no class has more unmatched vertices than neighbours.
    #[inline(always)]
    fn alive(&self, key: &Key<N>) -> bool {
        self.step.caps.iter().all(|&(f, cap)| key.get(f) <= cap)
    }

    /// The maximum number of successors of a state.
    pub fn most(&self) -> usize {
        self.open.len().max(self.closing.len()).max(1)
    }

    /// The successors of a state; where `emit` is told that there is none, the key is arbitrary.
    #[inline(always)]
    pub fn expand(&self, key: &Key<N>, value: &R::Value, mut emit: impl FnMut(Key<N>, R::Value, bool)) {
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
        // Whether there is a way is unpredictable: where a product costs less than a branch misprediction, it is
        // computed regardless.
        if R::WORDS && self.single {
            for group in groups {
                let next = base.minus(&group.unit);
                emit(next, value.clone(), group.first.ways(key) != 0 && self.alive(&next));
            }
            return;
        }
        for group in groups {
            let ways = group.first.ways(key) + group.more.iter().map(|source| source.ways(key)).sum::<u64>();
            let some = ways != 0 || group.weighted.iter().any(|(source, _)| source.ways(key) != 0);
            if !R::WORDS && !some {
                continue;
            }
            let mut sum = self.ring.times_word(value, ways);
            for (source, weight) in &group.weighted {
                self.ring.add(&mut sum, &self.ring.times(value, source.ways(key), weight));
            }
            let next = base.minus(&group.unit);
            emit(next, sum, some && self.alive(&next));
        }
    }
}

/// The words as a key; further words hold no field.
pub(super) fn mask<const N: usize>(words: &[u64]) -> Key<N> {
    Key(std::array::from_fn(|k| words.get(k).copied().unwrap_or(0)))
}
