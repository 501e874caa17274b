//! A set of numbers below a bound that gives its largest member, or all in order.

/// A bit a number and a bit a word of those.
#[derive(Debug)]
pub(super) struct Marks {
    words: Vec<u64>,
    summary: Vec<u64>,
    /// No word of the summary beyond this one has a bit, while the largest members are taken.
    top: usize,
}

impl Marks {
    pub fn new(len: usize) -> Self {
        let (words, summary) = (len.div_ceil(1 << 6), len.div_ceil(1 << 12));
        Marks { words: vec![0; words], summary: vec![0; summary], top: summary }
    }
    #[inline(always)]
    pub fn insert(&mut self, x: usize) {
        self.words[x >> 6] |= 1 << (x & 63);
        self.summary[x >> 12] |= 1 << ((x >> 6) & 63);
    }
    /// Takes the largest. Until `None` is returned or all are drained, nothing larger than what was taken may be put
    /// in.
    #[inline(always)]
    pub fn take_last(&mut self) -> Option<usize> {
        while self.top > 0 {
            let word = self.summary[self.top - 1];
            if word == 0 {
                self.top -= 1;
                continue;
            }
            let y = (self.top - 1) << 6 | (63 - word.leading_zeros() as usize);
            let bit = 63 - self.words[y].leading_zeros() as usize;
            self.words[y] ^= 1 << bit;
            if self.words[y] == 0 {
                self.summary[self.top - 1] ^= 1 << (y & 63);
            }
            return Some(y << 6 | bit);
        }
        self.top = self.summary.len();
        None
    }
    /// Takes all, ascending; anything may be put in then.
    #[inline(always)]
    pub fn drain(&mut self, mut each: impl FnMut(usize)) {
        self.top = self.summary.len();
        for (high, summary) in self.summary.iter_mut().enumerate() {
            while *summary != 0 {
                let y = high << 6 | summary.trailing_zeros() as usize;
                let mut word = std::mem::take(&mut self.words[y]);
                while word != 0 {
                    each(y << 6 | word.trailing_zeros() as usize);
                    word &= word - 1;
                }
                *summary &= *summary - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};
    use std::collections::BTreeSet;

    #[test]
    fn the_largest_first_or_all_in_order() {
        let mut rng = Rng::seed_from_u64(5);
        for len in [0, 1, 64, 65, 4096, 4097, 50_000] {
            let mut marks = Marks::new(len);
            for round in 0..6 {
                let mut set: BTreeSet<usize> = (0..len.min(200)).map(|_| rng.random_range(0..len)).collect();
                set.iter().chain(set.first()).for_each(|&x| marks.insert(x));
                if round % 3 == 2 {
                    // Some of the largest, then all others.
                    for _ in 0..set.len() / 3 {
                        assert_eq!(marks.take_last(), set.pop_last());
                    }
                }
                if round % 3 != 1 {
                    let mut all = vec![];
                    marks.drain(|x| all.push(x));
                    assert!(set.iter().eq(&all));
                } else {
                    while let Some(x) = set.pop_last() {
                        assert_eq!(marks.take_last(), Some(x));
                        if x > 0 && rng.random_range(0..3) == 0 {
                            let y = rng.random_range(0..x);
                            set.insert(y);
                            marks.insert(y);
                        }
                    }
                    assert_eq!(marks.take_last(), None);
                }
            }
        }
    }
}
