//! A lower bound on the largest layer of *every* order, by which hopeless matrices are refused before the search for an
//! order.
//!
//! Take the layer after k = a + b steps, a of rows and b of columns, where any two rows differ in more than k
//! positions, as do any two columns, and every line has more than k entries. Then no line was closed and no two open
//! ones are twins: states are sets of matched lines. The i-th of the a rows, by ascending degree dᵢ, can be matched
//! with at least dᵢ - b - (i - 1) unprocessed columns that the earlier rows left, and each set of columns arises from
//! at most a! such choices. So there are at least
//!
//! ```text
//! Π_{i ≤ a} (dᵢ - b - i + 1) / i  ·  Π_{i ≤ b} (eᵢ - a - i + 1) / i      states (e: degrees of columns),
//! ```
//!
//! with the least degrees for d and e. Every order has a layer for each k, with some a: the bound is the maximum over k
//! of the minimum over a. Cancellation may make values 0, which this does not take into account: a matrix whose layers
//! vanish in this way is refused needlessly.

use super::graph::Graph;

/// A number of states that the largest layer of every order reaches.
pub(super) fn least_peak(graph: &Graph) -> f64 {
    least_peak_of(graph, WORTHWHILE)
}

/// The same, 1 where a line has fewer entries than `worthwhile`.
fn least_peak_of(graph: &Graph, worthwhile: usize) -> f64 {
    let n = graph.n();
    let lines = [0..n, n..2 * n];
    let degrees = lines.clone().map(|side| {
        let mut degrees: Vec<usize> = side.map(|v| graph.edges[v].len()).collect();
        degrees.sort_unstable();
        degrees
    });
    let shortest = degrees.iter().filter_map(|side| side.first().copied()).min().unwrap_or(0);
    if shortest < worthwhile {
        return 1.0;
    }
    let apart = lines.into_iter().map(|side| distance(graph, side, shortest)).min().unwrap_or(0);
    let product = |degrees: &[usize], own: usize, others: usize| -> f64 {
        let free = |i: usize| degrees[i].saturating_sub(others + i) as f64;
        (0..own).map(|i| free(i) / (i + 1) as f64).product()
    };
    let layer = |k: usize| {
        (0..=k).map(|a| product(&degrees[0], a, k - a) * product(&degrees[1], k - a, a)).fold(f64::INFINITY, f64::min)
    };
    (1..apart.min(shortest).min(STEPS)).map(layer).fold(1.0, f64::max)
}

/// Below this degree the bound is not worth comparing the lines.
const WORTHWHILE: usize = 24;
/// More factors give numbers beyond any memory.
const STEPS: usize = 64;

/// The least number of positions in which two of the lines differ, but at most `enough`.
fn distance(graph: &Graph, side: std::ops::Range<usize>, enough: usize) -> usize {
    let n = graph.n();
    let words = n.div_ceil(64);
    let mut bits = vec![0u64; words * n];
    for v in side.clone() {
        for e in &graph.edges[v] {
            let j = e.to as usize % n;
            bits[(v - side.start) * words + j / 64] |= 1 << (j % 64);
        }
    }
    let lines: Vec<&[u64]> = bits.chunks_exact(words).collect();
    let mut least = enough;
    for (i, a) in lines.iter().enumerate() {
        for b in &lines[..i] {
            least = least.min(a.iter().zip(*b).map(|(a, b)| (a ^ b).count_ones() as usize).sum());
        }
        if least == 0 {
            break;
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::permanent::IntMatrix;
    use crate::permanent::frontier::{FrontierOptions, permanent_in_order};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Below the true peak of random orders of dense matrices with few equal lines, and of matrices with twins.
        #[test]
        fn bounds_every_order(
            bits in proptest::collection::vec(any::<u64>(), 14), equal in 0usize..3,
            order in Just((0u32..28).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let n = bits.len();
            let entry = |i: usize, j: usize| bits[i / (equal + 1)] >> (j / (equal + 1)) & 3 != 0;
            let entries = (0..n * n).map(|k| (k / n, k % n)).filter(|&(i, j)| i == j || entry(i, j));
            let a = IntMatrix::from_entries(n, entries.map(|(i, j)| (i, j, 1)));
            let answer = permanent_in_order(&a, &order, &FrontierOptions::default(), &Silent).unwrap();
            prop_assert!(least_peak_of(&Graph::new(&a), 0) <= answer.peak as f64);
        }
    }

    /// Random bits: far beyond any memory, and found quickly; all-ones and derangement matrices have few states, and no
    /// bound.
    #[test]
    fn hopeless_and_harmless() {
        let matrix = |n: usize, entry: &dyn Fn(usize, usize) -> bool| {
            let entries = (0..n * n).map(|k| (k / n, k % n)).filter(|&(i, j)| entry(i, j));
            Graph::new(&IntMatrix::from_entries(n, entries.map(|(i, j)| (i, j, 1))))
        };
        let random =
            |i: usize, j: usize| ((i * 1009 + j) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_pow(3) >> 63 == 1;
        assert!(least_peak(&matrix(150, &random)) > 1e12);
        assert_eq!(least_peak(&matrix(150, &|_, _| true)), 1.0);
        assert!(least_peak(&matrix(150, &|i, j| i != j)) < 1e4);
    }
}
