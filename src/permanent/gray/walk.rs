//! The order of the terms: a mixed-radix reflected Gray code over the digits t_c, and the lanes.
//!
//! A digit with radix r counts t = 0…r-1 columns of its class. Some digits are spread over the lanes of the vectors,
//! one lane for each of their joint states; the others are walked, one digit changing by one at each step. The symmetry
//! t ↔ g - t is used for one digit, which stops at ⌊g/2⌋ with doubled weights (except in the middle of an even g).

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::One;

/// A digit of the walk.
#[derive(Clone, Debug)]
pub(super) struct Digit {
    /// The class of columns it counts.
    pub class: usize,
    /// The weight (-1)^t C(g, t), doubled where the symmetry requires it, for t = 0…radix-1.
    pub weights: Vec<BigInt>,
    /// Whether the weights differ in absolute value.
    uneven: bool,
}

impl Digit {
    /// The digit of g columns; `halved` if it carries the symmetry.
    pub fn new(class: usize, g: usize, halved: bool) -> Self {
        let mut binomial = BigInt::one();
        let mut weights = Vec::with_capacity(g + 1);
        for t in 0..=g {
            let signed = if t % 2 == 1 { -&binomial } else { binomial.clone() };
            if !halved {
                weights.push(signed);
            } else if 2 * t <= g {
                weights.push(if 2 * t < g { signed * 2 } else { signed });
            }
            binomial = binomial * (g - t) / (t + 1);
        }
        let uneven = weights.iter().any(|w| w.magnitude() != weights[0].magnitude());
        Digit { class, weights, uneven }
    }

    /// Whether it has two states of equal weight up to sign.
    pub fn is_plain(&self) -> bool {
        self.radix() == 2 && !self.uneven
    }

    /// The number of its states.
    pub fn radix(&self) -> usize {
        self.weights.len()
    }
}

/// A step of the walk: one more or one fewer column of a class in S.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub class: usize,
    pub up: bool,
    /// Whether the absolute value of the weight may have changed.
    pub reweighted: bool,
}

/// A position in the reflected Gray code. Invariant: `digit[k]` is `count[k]` where `up[k]`, else radix - 1 -
/// `count[k]`.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    digits: &'a [Digit],
    count: Vec<usize>,
    up: Vec<bool>,
    odd: bool,
}

impl<'a> Walk<'a> {
    /// The number of positions; `None` beyond 2⁶⁴.
    pub fn positions(digits: &[Digit]) -> Option<u64> {
        digits.iter().try_fold(1u64, |n, d| n.checked_mul(d.radix() as u64))
    }

    /// The walk at the given position.
    pub fn at(digits: &'a [Digit], mut position: u64) -> Self {
        let mut walk = Walk { digits, count: Vec::new(), up: Vec::new(), odd: false };
        for d in digits {
            walk.count.push((position % d.radix() as u64) as usize);
            position /= d.radix() as u64;
            walk.up.push(position.is_multiple_of(2));
        }
        walk.odd = (0..digits.len()).map(|k| walk.value(k)).sum::<usize>() % 2 == 1;
        walk
    }

    fn value(&self, k: usize) -> usize {
        if self.up[k] { self.count[k] } else { self.digits[k].radix() - 1 - self.count[k] }
    }

    /// How many columns of each class are in S.
    pub fn values(&self) -> impl Iterator<Item = (usize, usize)> {
        self.digits.iter().enumerate().map(|(k, d)| (d.class, self.value(k)))
    }

    /// Whether the weight is negative.
    #[inline(always)]
    pub fn is_negative(&self) -> bool {
        self.odd
    }

    /// The weight's absolute value.
    pub fn magnitude(&self) -> BigUint {
        self.digits.iter().enumerate().map(|(k, d)| d.weights[self.value(k)].magnitude()).product()
    }

    /// The weight.
    pub fn weight(&self) -> BigInt {
        BigInt::from_biguint(if self.odd { Sign::Minus } else { Sign::Plus }, self.magnitude())
    }

    /// One step.
    ///
    /// # Panics
    /// The end is reached.
    #[inline(always)]
    pub fn advance(&mut self) -> Change {
        let mut k = 0;
        while self.count[k] + 1 == self.digits[k].radix() {
            self.count[k] = 0;
            self.up[k] = !self.up[k];
            k += 1;
        }
        self.count[k] += 1;
        self.odd = !self.odd;
        Change { class: self.digits[k].class, up: self.up[k], reweighted: self.digits[k].uneven }
    }
}

/// The changes along some positions of a walk, recorded once for everything that follows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Course {
    /// How many columns of each class are in S at the start.
    pub start: Vec<(usize, usize)>,
    /// Maximal runs of positions whose weights differ only in sign, which alternates: the first weight, and the number
    /// of positions.
    pub stretches: Vec<(BigInt, usize)>,
    /// The changes from each position to the next.
    pub changes: Vec<Change>,
}

impl Course {
    /// The next `positions` ≥ 1 positions of the walk.
    ///
    /// # Panics
    /// If the walk has fewer.
    pub fn of(mut walk: Walk<'_>, positions: u64) -> Self {
        let mut course = Course { start: walk.values().collect(), ..Default::default() };
        let mut length = 0;
        let mut weight = walk.weight();
        for _ in 1..positions {
            length += 1;
            let change = walk.advance();
            course.changes.push(change);
            if change.reweighted {
                course.stretches.push((std::mem::replace(&mut weight, walk.weight()), length));
                length = 0;
            }
        }
        course.stretches.push((weight, length + 1));
        course
    }
}

/// The joint states of the digits spread over lanes: for each lane the count of every digit and the signed weight.
pub(super) fn lane_states(digits: &[Digit]) -> Vec<(Vec<usize>, BigInt)> {
    let mut states = vec![(Vec::new(), BigInt::one())];
    for d in digits {
        let extend = |(counts, weight): &(Vec<usize>, BigInt), t: usize| {
            let mut counts = counts.clone();
            counts.push(t);
            (counts, weight * &d.weights[t])
        };
        states = (0..d.radix()).flat_map(|t| states.iter().map(move |s| extend(s, t))).collect();
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_walk_meets_every_state_once_and_starts_anywhere() {
        let digit = |(class, (g, halved))| Digit::new(class, g, halved);
        let digits: Vec<Digit> =
            [(1, false), (3, false), (4, true), (1, false), (3, true)].into_iter().enumerate().map(digit).collect();
        let positions = Walk::positions(&digits).unwrap();
        assert_eq!(positions, 2 * 4 * 3 * 2 * 2);
        let mut walk = Walk::at(&digits, 0);
        let mut seen = BTreeSet::new();
        for position in 0..positions {
            let values: Vec<_> = walk.values().collect();
            assert_eq!(values, Walk::at(&digits, position).values().collect::<Vec<_>>());
            assert_eq!(walk.is_negative(), Walk::at(&digits, position).is_negative());
            let weight: BigInt = values.iter().zip(&digits).map(|(&(_, t), d)| &d.weights[t]).product();
            assert_eq!(walk.is_negative(), weight < BigInt::from(0));
            assert_eq!(&walk.magnitude(), weight.magnitude());
            assert!(seen.insert(values.clone()), "twice");
            if position + 1 < positions {
                let change = walk.advance();
                let moved = walk.values().zip(&values).filter(|((_, new), (_, old))| new != old).collect::<Vec<_>>();
                assert_eq!(moved.len(), 1);
                let ((class, new), (_, old)) = moved[0];
                assert_eq!(change.class, class);
                assert_eq!(if change.up { old + 1 } else { old - 1 }, new);
                assert!(change.reweighted || walk.magnitude() == *weight.magnitude());
            }
        }
    }

    #[test]
    fn a_course_is_what_the_walk_meets() {
        let digit = |(class, (g, halved))| Digit::new(class, g, halved);
        let digits: Vec<Digit> =
            [(1, false), (1, false), (3, false), (4, true)].into_iter().enumerate().map(digit).collect();
        let all = Walk::positions(&digits).unwrap();
        for start in 0..all {
            for positions in 1..=all - start {
                let course = Course::of(Walk::at(&digits, start), positions);
                assert_eq!(course.changes.len() as u64 + 1, positions);
                assert_eq!(course.stretches.iter().map(|s| s.1 as u64).sum::<u64>(), positions);
                let mut counts: Vec<usize> = course.start.iter().map(|&(_, t)| t).collect();
                let mut position = start;
                for (first, length) in &course.stretches {
                    for k in 0..*length {
                        let walk = Walk::at(&digits, position);
                        assert!(walk.values().map(|(_, t)| t).eq(counts.iter().copied()));
                        assert_eq!(walk.weight(), if k % 2 == 0 { first.clone() } else { -first });
                        if let Some(change) = course.changes.get((position - start) as usize) {
                            let t = &mut counts[change.class];
                            *t = if change.up { *t + 1 } else { *t - 1 };
                        }
                        position += 1;
                    }
                }
            }
        }
    }

    #[test]
    fn the_weights_of_a_digit_cancel_and_half_of_them_count_double() {
        for g in 1..40 {
            let all = Digit::new(0, g, false);
            assert_eq!(all.weights.iter().sum::<BigInt>(), BigInt::from(0));
            let half = Digit::new(0, g, true);
            assert_eq!(half.radix(), g / 2 + 1);
            let size = |d: &Digit| d.weights.iter().map(BigInt::magnitude).sum::<BigUint>();
            assert_eq!(size(&half), size(&all));
        }
    }

    #[test]
    fn lanes_hold_the_product_of_the_digits() {
        let digits = [Digit::new(0, 2, false), Digit::new(1, 1, false)];
        let states = lane_states(&digits);
        let expected = [([0, 0], 1), ([1, 0], -2), ([2, 0], 1), ([0, 1], -1), ([1, 1], 2), ([2, 1], -1)];
        assert_eq!(states, expected.map(|(t, w)| (t.to_vec(), BigInt::from(w))));
    }
}
