//! Long lists in order and without duplicates, in place, by a sort that may be interrupted: parted at pivots until the
//! parts are short, then sorted by the standard library.

use crate::parallel;
use crate::{Observer, Result};
use rayon::prelude::*;

/// Parts up to this length are sorted without a question, and so many elements are passed between two questions.
pub(super) const STRETCH: usize = 1 << 16;
/// A pivot is the median of so many elements.
const SAMPLE: usize = 63;

/// Without duplicates, ascending.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted).
pub(super) fn sorted<T: Ord + Clone + Send>(mut list: Vec<T>, observer: &dyn Observer) -> Result<Vec<T>> {
    let deepest = 2 * list.len().max(1).ilog2();
    sort(&mut list, deepest, observer)?;
    let mut kept = 0;
    for first in (0..list.len()).step_by(STRETCH) {
        observer.check()?;
        for k in first..list.len().min(first + STRETCH) {
            if kept == 0 || list[k] != list[kept - 1] {
                list.swap(k, kept);
                kept += 1;
            }
        }
    }
    list.truncate(kept);
    list.shrink_to_fit();
    Ok(list)
}

/// Sorts; pivots that part a list badly `deepest` times leave the rest to the standard library.
fn sort<T: Ord + Clone + Send>(list: &mut [T], deepest: u32, observer: &dyn Observer) -> Result<()> {
    observer.check()?;
    if list.len() <= STRETCH {
        list.sort_unstable();
        return Ok(());
    }
    if deepest == 0 {
        list.par_sort_unstable();
        return Ok(());
    }
    // Multiples of the golden ratio: no period of the list is met.
    let place = |k: u64| ((u128::from(k.wrapping_mul(0x9e37_79b9_7f4a_7c15)) * list.len() as u128) >> 64) as usize;
    let mut sample: Vec<T> = (0..SAMPLE as u64).map(|k| list[place(k)].clone()).collect();
    sample.sort_unstable();
    let pivot = sample.swap_remove(SAMPLE / 2);
    let below = part(list, |x| *x < pivot, observer)?;
    if below == 0 {
        // The pivot is the least: all that equal it are in place.
        let equal = part(list, |x| *x == pivot, observer)?;
        return sort(&mut list[equal..], deepest - 1, observer);
    }
    let (low, high) = list.split_at_mut(below);
    let (low, high) = parallel::join(|| sort(low, deepest - 1, observer), || sort(high, deepest - 1, observer));
    low.and(high)
}

/// Brings the elements that are `first` to the front; how many there are.
fn part<T>(list: &mut [T], first: impl Fn(&T) -> bool, observer: &dyn Observer) -> Result<usize> {
    let mut front = 0;
    for start in (0..list.len()).step_by(STRETCH) {
        observer.check()?;
        for k in start..list.len().min(start + STRETCH) {
            // No branch depends on the elements.
            let goes = first(&list[k]);
            list.swap(k, front);
            front += usize::from(goes);
        }
    }
    Ok(front)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use crate::{Error, Silent};
    use rand::{RngExt, SeedableRng};
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn lists_of_all_lengths_and_orders_are_sorted() {
        let mut rng = Rng::seed_from_u64(41);
        for len in [0, 1, 2, SAMPLE, STRETCH, STRETCH + 1, 5 * STRETCH] {
            for values in [1, 3, 1000, u64::MAX] {
                let random: Vec<u64> = (0..len).map(|_| rng.random_range(0..values)).collect();
                let mut rising = random.clone();
                rising.sort_unstable();
                let falling = rising.iter().rev().copied().collect();
                let expected: Vec<u64> = random.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
                for list in [random, rising, falling] {
                    let boxed: Vec<Box<u64>> = list.iter().copied().map(Box::new).collect();
                    assert_eq!(sorted(list, &Silent).unwrap(), expected, "{len} of {values}");
                    assert!(sorted(boxed, &Silent).unwrap().iter().map(|x| **x).eq(expected.iter().copied()));
                }
            }
        }
        // No pivot may be chosen any more.
        let mut list: Vec<u32> = (0..2 * STRETCH as u32).rev().collect();
        sort(&mut list, 0, &Silent).unwrap();
        assert!(list.is_sorted());
    }

    /// Wants an end at some question.
    struct Ends(AtomicUsize, usize);

    impl Observer for Ends {
        fn cancelled(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) >= self.1
        }
    }

    #[test]
    fn a_sort_may_be_interrupted_at_each_of_its_questions() {
        let list: Vec<u64> = (0..20 * STRETCH as u64).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let patient = Ends(AtomicUsize::new(0), usize::MAX);
        sorted(list.clone(), &patient).unwrap();
        let questions = patient.0.into_inner();
        // At the least for the parts, for what is sorted, and for duplicates.
        assert!(questions >= 3 * 20, "{questions}");
        for n in [0, 1, 2, 19, 20, 21, questions / 2, questions - 1] {
            let ends = Ends(AtomicUsize::new(0), n);
            assert!(matches!(sorted(list.clone(), &ends), Err(Error::Interrupted)), "{n} of {questions}");
        }
    }
}
