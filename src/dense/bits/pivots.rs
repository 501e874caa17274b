//! Pivots within 64 columns of a panel.

/// Rows that are independent in a window of 64 columns.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Pivots {
    /// Their numbers, ascending: none depends, in the window, on rows before it.
    pub(super) rows: Vec<u32>,
    /// The columns of the window, ascending, that lead their span: its column rank profile.
    pub(super) bits: Vec<u32>,
    /// The coefficients, bit k that of `rows[k]`, of the sums of rows that are the identity in `bits`.
    pub(super) transform: Vec<u64>,
}

impl Pivots {
    /// The first rows of those with the given `words` in the window that are independent there, at most `limit` ≤ 64.
    pub(super) fn find(words: &[u64], limit: usize) -> Self {
        let support = words.iter().fold(0, |all, word| all | word);
        let limit = limit.min(support.count_ones() as usize);
        let mut rows = vec![];
        // Of each pivot: its column, its row as reduced, and how that came to be.
        let (mut bits, mut reduced, mut made) = ([0u32; 64], [0u64; 64], [0u64; 64]);
        for (i, &word) in words.iter().enumerate() {
            let count = rows.len();
            if count == limit {
                break;
            }
            if word == 0 {
                continue;
            }
            let (mut rest, mut sum) = (word, 1 << count);
            for k in 0..count {
                let mask = (word >> bits[k] & 1).wrapping_neg();
                rest ^= reduced[k] & mask;
                sum ^= made[k] & mask;
            }
            if rest == 0 {
                continue;
            }
            let bit = rest.trailing_zeros();
            for k in 0..count {
                let mask = (reduced[k] >> bit & 1).wrapping_neg();
                reduced[k] ^= rest & mask;
                made[k] ^= sum & mask;
            }
            (bits[count], reduced[count], made[count]) = (bit, rest, sum);
            rows.push(i as u32);
        }
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_unstable_by_key(|&k| bits[k]);
        let (bits, transform) = order.iter().map(|&k| (bits[k], made[k])).unzip();
        Pivots { rows, bits, transform }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn sums_are_the_identity_and_all_rows_before_the_limit_depend_on_rows_above() {
        let mut rng = Rng::seed_from_u64(42);
        assert_eq!(Pivots::find(&[0, 0], 64), Pivots::default());
        assert_eq!(Pivots::find(&[3, 5], 0), Pivots::default());
        for (count, rank) in [(1, 1), (40, 7), (70, 64), (300, 64), (300, 20)] {
            for limit in [1, 9, 64] {
                let basis: Vec<u64> = (0..rank).map(|_| rng.random_range(0..=u64::MAX)).collect();
                let subset = |x: u64| basis.iter().enumerate().fold(0, |w, (k, b)| w ^ (b * (x >> k & 1)));
                let mut words: Vec<u64> = (0..count).map(|_| subset(rng.random_range(0..=u64::MAX))).collect();
                words[count / 2] = 0;
                words[count / 3] = words[0];
                let found = Pivots::find(&words, limit);
                let sums: Vec<u64> = found
                    .transform
                    .iter()
                    .map(|t| found.rows.iter().enumerate().fold(0, |w, (k, &i)| w ^ (words[i as usize] * (t >> k & 1))))
                    .collect();
                for (k, sum) in sums.iter().enumerate() {
                    assert_eq!(sum.trailing_zeros(), found.bits[k]);
                    assert!(found.bits.iter().enumerate().all(|(l, bit)| sum >> bit & 1 == (k == l) as u64));
                }
                // The greedy choice by a plain basis of leading columns.
                let (mut leads, mut greedy) = ([0u64; 64], vec![]);
                for (i, &word) in words.iter().enumerate() {
                    let mut rest = word;
                    while rest != 0 && leads[rest.trailing_zeros() as usize] != 0 {
                        rest ^= leads[rest.trailing_zeros() as usize];
                    }
                    if rest != 0 && greedy.len() < limit {
                        leads[rest.trailing_zeros() as usize] = rest;
                        greedy.push(i as u32);
                    }
                }
                let columns: Vec<u32> = (0..64).filter(|&j| leads[j as usize] != 0).collect();
                assert_eq!((found.rows, found.bits), (greedy, columns));
            }
        }
    }
}
