//! Matrices whose permanents are known in closed form, for the tests of every engine, and Laplace's expansion.

use super::IntMatrix;
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use std::collections::HashMap;

/// The permanent by expansion along rows, memoised by the set of columns used: O(2ⁿ n).
pub(super) fn laplace(a: &IntMatrix) -> BigInt {
    assert!(a.n() <= 24, "too large for the oracle");
    let mut sums = HashMap::from([(0u32, BigInt::one())]);
    for row in a.rows() {
        let mut next = HashMap::new();
        for (used, sum) in &sums {
            for (j, v) in row.iter().filter(|(j, _)| used >> j & 1 == 0) {
                *next.entry(used | 1 << j).or_insert(BigInt::ZERO) += sum * v.to_bigint();
            }
        }
        sums = next;
    }
    sums.into_values().next().unwrap_or(BigInt::ZERO)
}

/// The black × white adjacency of the cells of a region of the square grid; `None` unless it has as many black as white
/// cells.
pub(super) fn board(cells: impl Iterator<Item = (i32, i32)>) -> Option<IntMatrix> {
    let (mut black, mut white) = (HashMap::new(), HashMap::new());
    for (x, y) in cells {
        let side = if (x + y).rem_euclid(2) == 0 { &mut black } else { &mut white };
        let number = side.len();
        side.insert((x, y), number);
    }
    let near = |(x, y): (i32, i32)| [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)];
    let edges = black.iter().flat_map(|(&cell, &i)| near(cell).map(|other| (i, white.get(&other).copied())));
    let edges: Vec<_> = edges.filter_map(|(i, j)| j.map(|j| (i, j, 1))).collect();
    (black.len() == white.len()).then(|| IntMatrix::from_entries(black.len(), edges))
}

/// The m × n chessboard.
pub(super) fn chessboard(m: i32, n: i32) -> Option<IntMatrix> {
    board((0..m).flat_map(|x| (0..n).map(move |y| (x, y))))
}

/// Domino tilings of the m × n board by a broken profile.
pub(super) fn dominoes(m: i32, n: u32) -> BigUint {
    let mut count = vec![BigUint::ZERO; 1 << n];
    count[0] = BigUint::one();
    for _ in 0..m {
        for y in 0..n {
            let mut next = vec![BigUint::ZERO; 1 << n];
            for (profile, ways) in count.into_iter().enumerate().filter(|(_, ways)| *ways != BigUint::ZERO) {
                if profile >> y & 1 == 1 {
                    next[profile ^ 1 << y] += ways; // covered from above
                } else {
                    if y + 1 < n && profile >> (y + 1) & 1 == 0 {
                        next[profile | 1 << (y + 1)] += &ways; // a horizontal domino
                    }
                    next[profile | 1 << y] += ways; // a vertical domino
                }
            }
            count = next;
        }
    }
    count.swap_remove(0)
}

/// The Aztec diamond of order n, with 2^(n(n+1)/2) tilings.
pub(super) fn aztec_diamond(n: i32) -> IntMatrix {
    let inside = move |&(x, y): &(i32, i32)| (2 * x + 1).abs() + (2 * y + 1).abs() <= 2 * n;
    board((-n..n).flat_map(|x| (-n..n).map(move |y| (x, y))).filter(inside)).expect("balanced")
}

/// Up and down triangles of the hexagon with sides a, b, c, a, b, c: its lozenge tilings are the plane partitions in a
/// box.
pub(super) fn hexagon(a: i32, b: i32, c: i32) -> IntMatrix {
    // Triangles in the lattice of (x, y): up (x, y), (x+1, y), (x, y+1); down (x+1, y), (x, y+1), (x+1, y+1). The
    // hexagon is 0 ≤ x ≤ a + b, 0 ≤ y ≤ a + c cut by a ≤ x + y ≤ a + b + c.
    let inside =
        |x: i32, y: i32| (0..=a + b).contains(&x) && (0..=a + c).contains(&y) && (a..=a + b + c).contains(&(x + y));
    let squares = || (0..a + b).flat_map(|x| (0..a + c).map(move |y| (x, y)));
    let up: Vec<_> = squares().filter(|&(x, y)| inside(x, y) && inside(x + 1, y) && inside(x, y + 1)).collect();
    let down = squares().filter(|&(x, y)| inside(x + 1, y) && inside(x, y + 1) && inside(x + 1, y + 1));
    let down: HashMap<_, _> = down.enumerate().map(|(k, cell)| (cell, k)).collect();
    assert_eq!(up.len(), down.len());
    let near = |(x, y): (i32, i32)| [(x, y), (x - 1, y), (x, y - 1)];
    let edges = up.iter().enumerate().flat_map(|(i, &cell)| near(cell).map(|other| (i, down.get(&other).copied())));
    IntMatrix::from_entries(up.len(), edges.filter_map(|(i, j)| j.map(|j| (i, j, 1))).collect::<Vec<_>>())
}

/// MacMahon's Π (i+j+k-1)/(i+j+k-2) over the box a × b × c.
pub(super) fn macmahon(a: u32, b: u32, c: u32) -> BigUint {
    let cells = || (1..=a).flat_map(move |i| (1..=b).flat_map(move |j| (1..=c).map(move |k| i + j + k)));
    cells().map(|s| BigUint::from(s - 1)).product::<BigUint>()
        / cells().map(|s| BigUint::from(s - 2)).product::<BigUint>()
}

/// Touchard's sum for the ménage numbers.
pub(super) fn menage(n: u64) -> BigInt {
    let factorial = |n: u64| (1..=n).map(BigInt::from).product::<BigInt>();
    let term = |k: u64| {
        let m = 2 * n - k;
        let binomial = factorial(m) / factorial(k) / factorial(m - k);
        let term = binomial * (2 * n) * factorial(n - k) / m;
        if k.is_multiple_of(2) { term } else { -term }
    };
    (0..=n).map(term).sum()
}
