//! Products and remainders of many integers at once, by trees (D. J. Bernstein, *Fast multiplication and its
//! applications*, 2008, sections 12, 18).

use super::division::div_rem;
use crate::field::large_gcd;
use crate::parallel::Each;
use crate::{Observer, Result};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use rayon::prelude::*;

/// The product of integers: 1 of none.
pub(crate) fn product(numbers: &[BigUint]) -> BigUint {
    match numbers {
        [] => BigUint::one(),
        [one] => one.clone(),
        _ => {
            let (left, right) = numbers.split_at(numbers.len() / 2);
            product(left) * product(right)
        }
    }
}

/// What is left of an item, and its place.
type Item = (usize, BigUint);

/// Numbers, the products of neighbouring pairs, and so on up to the product of all.
#[derive(Clone, Debug)]
pub(crate) struct ProductTree {
    /// The numbers first; a level of odd length passes its last number on.
    levels: Vec<Vec<BigUint>>,
}

impl ProductTree {
    /// Of at least one number.
    pub fn new(numbers: Vec<BigUint>) -> Self {
        let mut levels = vec![numbers];
        while let Some(last) = levels.last().filter(|level| level.len() > 1) {
            let pairs = last.par_chunks(2).make(|pair| pair.iter().product());
            levels.push(pairs);
        }
        ProductTree { levels }
    }

    /// x mod each of the numbers, which are above 0.
    pub fn remainders(&self, x: &BigUint) -> Vec<BigUint> {
        let mut above = vec![x.clone()];
        for level in self.levels.iter().rev() {
            let of = |(k, d): (usize, &BigUint)| {
                let x: &BigUint = &above[if above.len() == level.len() { k } else { k / 2 }];
                if x < d { x.clone() } else { div_rem(x, d).1 }
            };
            above = level.par_iter().enumerate().make(of);
        }
        above
    }

    /// For each item above 0 the numbers of this tree that share a factor with it, by place, ascending.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    pub fn sharing(&self, items: &[BigUint], observer: &dyn Observer) -> Result<Vec<Vec<usize>>> {
        let mut found = vec![vec![]; items.len()];
        // A node, and what is left of the items that share a factor with it.
        let items = items.iter().cloned().enumerate().filter(|e| !e.1.is_one()).collect();
        let mut open: Vec<(usize, usize, Vec<Item>)> = vec![(self.levels.len() - 1, 0, items)];
        while let Some((level, at, items)) = open.pop() {
            observer.check()?;
            if items.is_empty() {
                continue;
            }
            let (places, numbers): (Vec<usize>, Vec<BigUint>) = items.into_iter().unzip();
            let tree = ProductTree::new(numbers);
            let rests = tree.remainders(&self.levels[level][at]);
            let in_common = |((place, own), rest): ((usize, &BigUint), BigUint)| {
                let g = if rest.is_zero() { own.clone() } else { large_gcd(own.clone(), rest) };
                (!g.is_one()).then_some((place, g))
            };
            let shared = places.into_par_iter().zip(&tree.levels[0]).zip(rests).filter_map(in_common);
            let shared: Vec<Item> = shared.collect();
            if level == 0 {
                shared.iter().for_each(|&(place, _)| found[place].push(at));
                continue;
            }
            // The left one comes off the stack first.
            let children = 2 * at..(2 * at + 2).min(self.levels[level - 1].len());
            open.extend(children.rev().map(|child| (level - 1, child, shared.clone())));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn trees_do_what_single_divisions_do() {
        let mut rng = Rng::seed_from_u64(2);
        for round in 0..60 {
            let count = rng.random_range(1..20);
            let mut draw = |count: usize| -> Vec<BigUint> {
                (0..count).map(|_| BigUint::from(rng.random_range(1u64..400)).pow(1 + round % 9)).collect()
            };
            let (numbers, items) = (draw(count), draw(12));
            let tree = ProductTree::new(numbers.clone());
            let x = product(&items);
            assert_eq!(x, items.iter().product());
            let expected: Vec<BigUint> = numbers.iter().map(|d| &x % d).collect();
            assert_eq!(tree.remainders(&x), expected);
            let shares = |item: &BigUint| -> Vec<usize> {
                (0..count).filter(|&k| !large_gcd(item.clone(), numbers[k].clone()).is_one()).collect()
            };
            let expected: Vec<_> = items.iter().map(shares).collect();
            assert_eq!(tree.sharing(&items, &Silent).unwrap(), expected);
        }
        assert_eq!(product(&[]), BigUint::one());
    }
}
