//! Rows of S in an order of which every part is spread evenly.

use crate::{Result, memory};

/// What memory is asked for.
const ORDER: &str = "the order of the rows";

/// Rows that come in turn, and which of them a basis is made of.
pub(super) struct Turn {
    order: Vec<u32>,
    taken: usize,
    /// Of which the rows are numbered, if not all.
    part: Option<Vec<usize>>,
}

impl Turn {
    /// So many rows.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub(super) fn new(rows: usize) -> Result<Self> {
        Ok(Turn { order: strides(rows)?, taken: 0, part: None })
    }
    /// The rows `part`; they are taken by their places there.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub(super) fn among(part: Vec<usize>) -> Result<Self> {
        let turn = Turn::new(part.len())?;
        Ok(Turn { part: Some(part), ..turn })
    }
    /// The next `count` rows, or those that are left.
    pub(super) fn take(&mut self, count: usize) -> &[u32] {
        let start = self.taken;
        self.taken = self.order.len().min(start + count);
        &self.order[start..self.taken]
    }
    /// Rows taken so far.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }
    /// Whether all are taken.
    pub(super) fn is_over(&self) -> bool {
        self.taken == self.order.len()
    }
    /// The rows of S that were taken as these.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub(super) fn rows(&self, numbers: &[usize]) -> Result<Vec<u32>> {
        let name = |i: u32| self.part.as_ref().map_or(i, |part| part[i as usize] as u32);
        memory::collect(numbers.iter().map(|&k| name(self.order[k])), ORDER)
    }
}

/// The numbers below m, each once, in an order of which every part is spread evenly: multiples of a number near the golden section of m
/// and prime to it, mod m.
pub(super) fn strides(m: usize) -> Result<Vec<u32>> {
    let gcd = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let golden = (m as f64 * 0.618_033_988_749_895) as usize;
    let step = (golden..).find(|&step| gcd(step, m) == 1).unwrap_or(1);
    let mut at = 0;
    let next = |_| {
        let here = at as u32;
        at = (at + step) % m;
        here
    };
    memory::collect((0..m).map(next), ORDER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once_and_parts_are_spread() {
        for m in (0..200).chain([1024, 30_030, 65_536]) {
            let order = strides(m).unwrap();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..m as u32).collect::<Vec<_>>());
        }
        let mut first = strides(100_000).unwrap()[..1000].to_vec();
        first.sort_unstable();
        let gap = first.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
        assert!(gap < 300, "a gap of {gap} in a part of one in a hundred");
    }

    #[test]
    fn rows_taken_are_named() {
        let mut turn = Turn::new(100).unwrap();
        let first = turn.take(64).to_vec();
        assert!(first.len() == 64 && turn.taken() == 64 && !turn.is_over());
        let second = turn.take(64).to_vec();
        assert!(second.len() == 36 && turn.is_over() && turn.take(1).is_empty());
        let all = [first, second].concat();
        assert_eq!(turn.rows(&[0, 63, 64, 99]).unwrap(), [all[0], all[63], all[64], all[99]]);
        let mut part = Turn::among((0..100).map(|i| 7 * i + 1).collect()).unwrap();
        assert_eq!(part.take(100), all);
        assert_eq!(part.rows(&[0, 99]).unwrap(), [7 * all[0] + 1, 7 * all[99] + 1]);
    }
}
