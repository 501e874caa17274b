//! An order of the rows of S of which every part is spread evenly.

use crate::{Result, memory};

/// What the memory is for.
const ORDER: &str = "the order of the rows";

/// The numbers below m, each once, in an order of which every part is spread evenly: multiples of a number near the
/// golden section of m and prime to it, mod m.
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
}
