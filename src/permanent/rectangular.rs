//! Permanents of rectangular matrices: for an m × n matrix with m ≤ n, the sum over the injections σ of the rows into
//! the columns of Π aᵢ,σ(i); for m > n that of the transpose (H. Minc, *Permanents*, 1978, Section 1.1). Of a 0–1
//! matrix: the matchings of its bipartite graph that cover the smaller side.
//!
//! With n - m further rows of ones, each injection extends to (n - m)! permutations:
//!
//! ```text
//! perm A = perm [A; J] / (n - m)!
//! ```
//!
//! Before that, columns without entries are dropped, and those whose only entry is in the same row are summed up: at
//! most one of them can be used.

use crate::sparse::Triplets;
use crate::words::counted;
use crate::{Error, Result, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use std::collections::HashMap;

/// What the memory is for.
const SQUARE: &str = "the square matrix of a rectangular permanent";
/// Bytes of an entry of the square matrix: two indices and a value, as triplets and as rows.
const ENTRY: u64 = 56;

/// What a rectangular matrix becomes.
pub(super) enum Rectangle {
    /// Its permanent is 0, for this reason.
    Zero(String),
    /// A square matrix, the last rows of which are all ones: so many.
    Square(Triplets, usize),
}

/// The square matrix of an m × n matrix, m ≠ n.
///
/// # Errors
/// [`Error::Memory`] if it does not fit into `max_memory`.
pub(super) fn square(matrix: &Triplets, max_memory: Option<u64>) -> Result<Rectangle> {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    let tall = rows > cols;
    let m = rows.min(cols);
    let kept = matrix.compact()?.lines;
    let (empty, side) = if tall { (kept.cols.dropped(), "column") } else { (kept.rows.dropped(), "row") };
    if empty > 0 {
        let have = if empty == 1 { "has no entry" } else { "have no entries" };
        return Ok(Rectangle::Zero(format!("{} {have}", counted(empty, side))));
    }
    let (columns, mut entries) = columns(matrix, tall)?;
    let Some(extra) = columns.checked_sub(m) else {
        let (m, lines) = (counted(m, side), counted(columns, "line"));
        return Ok(Rectangle::Zero(format!("{m}, with entries in {lines} that are not alike")));
    };
    let need = ENTRY.saturating_mul((extra as u64).saturating_mul(columns as u64));
    if let Some(limit) = max_memory.filter(|&limit| need > limit) {
        return Err(Error::Memory(format!(
            "the permanent of a {rows} x {cols} matrix needs {need} bytes for {extra} rows of ones, {limit} are allowed"
        )));
    }
    for i in m..columns {
        memory::reserve(&mut entries, columns, SQUARE)?;
        entries.extend((0..columns).map(|j| (i, j, BigInt::one())));
    }
    Ok(Rectangle::Square(Triplets::try_from_entries(columns, columns, entries)?, extra))
}

/// A permanent with so many rows of ones, divided by what they contribute.
///
/// # Errors
/// [`Error::Check`] if it is no multiple, which would be a bug.
pub(super) fn divide(value: &BigInt, extra: usize) -> Result<BigInt> {
    let factorial: BigUint = (2..=extra).map(BigUint::from).product();
    let divisor = BigInt::from(factorial);
    if !(value % &divisor).is_zero() {
        return Err(Error::Check(format!("a permanent with {extra} rows of ones is no multiple of {extra}!")));
    }
    Ok(value / divisor)
}

/// The entries of the matrix, or of its transpose, with columns renumbered and those of one row summed up; and the
/// number of columns left.
#[allow(clippy::type_complexity, reason = "entries as triplets take them")]
fn columns(matrix: &Triplets, tall: bool) -> Result<(usize, Vec<(usize, usize, BigInt)>)> {
    let turned = |(i, j)| if tall { (j, i) } else { (i, j) };
    let mut degree: HashMap<usize, usize> = HashMap::new();
    for (i, j, _) in matrix.entries() {
        memory::reserve_table(&mut degree, 1, SQUARE)?;
        *degree.entry(turned((i, j)).1).or_default() += 1;
    }
    let mut number: HashMap<usize, usize> = HashMap::new();
    // The sum of the entries of a row that are alone in their columns.
    let mut alone: HashMap<usize, BigInt> = HashMap::new();
    let mut entries = vec![];
    for (i, j, v) in matrix.entries() {
        let (row, column) = turned((i, j));
        memory::reserve_table(&mut number, 1, SQUARE)?;
        memory::reserve_table(&mut alone, 1, SQUARE)?;
        if degree[&column] == 1 {
            *alone.entry(row).or_default() += v.to_bigint();
        } else {
            let next = number.len();
            let column = *number.entry(column).or_insert(next);
            memory::push(&mut entries, (row, column, v.to_bigint()), SQUARE)?;
        }
    }
    let mut count = number.len();
    let mut sums: Vec<(usize, BigInt)> = alone.into_iter().filter(|(_, sum)| !sum.is_zero()).collect();
    sums.sort_unstable_by_key(|(row, _)| *row);
    for (row, sum) in sums {
        memory::push(&mut entries, (row, count, sum), SQUARE)?;
        count += 1;
    }
    Ok((count, entries))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Modulus;
    use crate::permanent::{Options, permanent};
    use proptest::prelude::*;

    /// Σ over the injections of the rows, memoised by the set of columns used.
    fn injections(m: usize, n: usize, entry: &dyn Fn(usize, usize) -> i64) -> BigInt {
        let mut sums = HashMap::from([(0u32, BigInt::one())]);
        for i in 0..m {
            let mut next: HashMap<u32, BigInt> = HashMap::new();
            for (used, sum) in &sums {
                for j in (0..n).filter(|j| used >> j & 1 == 0) {
                    *next.entry(used | 1 << j).or_default() += sum * entry(i, j);
                }
            }
            sums = next;
        }
        sums.into_values().sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn agrees_with_the_sum_over_injections(
            m in 0usize..6, more in 1usize..6, kind in 0usize..4, seed in proptest::collection::vec(any::<u8>(), 60),
        ) {
            let n = m + more;
            let values: [&[i64]; 4] = [&[0, 1], &[0, 0, 0, 1], &[-2, 0, 0, 1, 3], &[i64::MIN, i64::MAX, 0, -1]];
            let entry = |i: usize, j: usize| values[kind][seed[i * n + j] as usize % values[kind].len()];
            let expected = injections(m, n, &entry);
            let places = || (0..m).flat_map(|i| (0..n).map(move |j| (i, j)));
            let wide = Triplets::from_entries(m, n, places().map(|(i, j)| (i, j, entry(i, j))));
            let tall = Triplets::from_entries(n, m, places().map(|(i, j)| (j, i, entry(i, j))));
            for a in [wide, tall] {
                prop_assert_eq!(a.permanent().unwrap().value, expected.clone());
                for p in [2u64, 3, 65521] {
                    let p = Modulus::new(p).unwrap();
                    let residue = permanent(&a, &Options::default().modulus(p), &Silent).unwrap().value;
                    prop_assert_eq!(residue, p.reduce_bigint(&expected).into());
                }
            }
        }
    }

    #[test]
    fn known_numbers_and_degenerate_shapes() {
        let ones = |m: usize, n: usize| Triplets::from_entries(m, n, (0..m * n).map(|k| (k / n, k % n, 1)));
        // n!/(n - m)!.
        assert_eq!(ones(3, 10).permanent().unwrap().value, 720.into());
        assert_eq!(ones(40, 2).permanent().unwrap().value, (40 * 39).into());
        let none = std::iter::empty::<(usize, usize, i64)>;
        assert_eq!(Triplets::from_entries(0, 5, none()).permanent().unwrap().value, 1.into());
        assert_eq!(Triplets::from_entries(7, 0, none()).permanent().unwrap().value, 1.into());
        assert_eq!(Triplets::from_entries(1, 1 << 30, [(0, 5, 3)]).permanent().unwrap().value, 3.into());
        assert_eq!(Triplets::from_entries(2, 3, [(0, 0, 1), (0, 1, 1)]).permanent().unwrap().value, 0.into());
        // Two rows that share their only column.
        assert_eq!(Triplets::from_entries(2, 3, [(0, 0, 1), (1, 0, 1)]).permanent().unwrap().value, 0.into());
        let error = permanent(&ones(3, 2000), &Options::default().max_memory(1000), &Silent).unwrap_err();
        assert!(matches!(&error, Error::Memory(text) if text.contains("3 x 2000")), "{error}");
    }
}
