//! A set of numbers below a bound that gives its least member.

use crate::{Result, memory};

/// A bit a number, a bit a word of those, …: an operation takes the same time whatever the set, but for steps over
/// empty words of the last level, together one for 2¹⁸ numbers between two restarts.
#[derive(Debug)]
pub(super) struct Queue {
    levels: [Vec<u64>; 3],
    /// No word of the last level before this one has a bit.
    first: usize,
}

impl Queue {
    /// No numbers, all below `len`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn new(len: usize) -> Result<Self> {
        let level = |shift: u32| memory::zeros(len.div_ceil(1 << shift), "the queue of a solver");
        Ok(Queue { levels: [level(6)?, level(12)?, level(18)?], first: 0 })
    }
    #[inline]
    pub fn insert(&mut self, mut x: usize) {
        for level in &mut self.levels {
            level[x >> 6] |= 1 << (x & 63);
            x >>= 6;
        }
    }
    /// Takes the least. Until [`restart`](Self::restart) nothing below what was taken may be put in.
    #[inline]
    pub fn pop(&mut self) -> Option<usize> {
        let [low, middle, high] = &mut self.levels;
        while *high.get(self.first)? == 0 {
            self.first += 1;
        }
        let y = self.first << 6 | high[self.first].trailing_zeros() as usize;
        let z = y << 6 | middle[y].trailing_zeros() as usize;
        let x = z << 6 | low[z].trailing_zeros() as usize;
        low[z] &= low[z] - 1;
        if low[z] == 0 {
            middle[y] &= middle[y] - 1;
            if middle[y] == 0 {
                high[self.first] &= high[self.first] - 1;
            }
        }
        Some(x)
    }
    /// From now on any number may be put in again.
    pub fn restart(&mut self) {
        self.first = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn a_queue_gives_its_members_in_order() {
        let mut rng = Rng::seed_from_u64(5);
        for len in [0, 1, 64, 65, 5000, 300_000] {
            let mut queue = Queue::new(len).unwrap();
            for _ in 0..3 {
                let mut set = std::collections::BTreeSet::new();
                for _ in 0..len.min(300) {
                    let x = rng.random_range(0..len);
                    set.insert(x);
                    queue.insert(x);
                }
                while let Some(x) = set.pop_first() {
                    assert_eq!(queue.pop(), Some(x));
                    if rng.random_range(0..3) == 0 && x + 1 < len {
                        let y = rng.random_range(x + 1..len);
                        set.insert(y);
                        queue.insert(y);
                    }
                }
                assert_eq!(queue.pop(), None);
                queue.restart();
            }
        }
    }
}
