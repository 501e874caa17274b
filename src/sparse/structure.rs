//! Structural facts of a matrix: symmetry, triangles and bands, components, repeated rows.

use crate::memory;
use crate::sparse::{Compact, Components, Integer, Triplets};
use crate::words::counted;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::fmt;

/// Properties of the positions (and, for symmetry and repeated rows, the values) of the entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Structure {
    /// As many rows as columns.
    pub square: bool,
    /// A = Aᵀ.
    pub symmetric: bool,
    /// A = -Aᵀ.
    pub skew_symmetric: bool,
    /// The positions of the entries are those of Aᵀ.
    pub pattern_symmetric: bool,
    /// No entry below the diagonal (i > j).
    pub upper_triangular: bool,
    /// No entry above the diagonal (i < j).
    pub lower_triangular: bool,
    /// The largest i - j of an entry, 0 where none lies below the diagonal.
    pub lower_bandwidth: usize,
    /// The largest j - i of an entry, 0 where none lies above the diagonal.
    pub upper_bandwidth: usize,
    /// Number of entries on the main diagonal.
    pub diagonal_entries: usize,
    /// Whether all min(rows, cols) positions of the main diagonal have entries.
    pub diagonal_full: bool,
    /// The largest number of entries on one diagonal j - i = const.
    pub longest_diagonal: usize,
    /// The offset j - i of that diagonal, the smallest of several.
    pub longest_diagonal_offset: i64,
    /// Connected components of the bipartite graph of rows and columns; empty rows and columns do not count. The matrix
    /// is equivalent to a block diagonal one with that many blocks.
    pub components: usize,
    /// Number of non-empty rows that equal an earlier row.
    pub duplicate_rows: usize,
}

impl Structure {
    /// The facts about `a`; `row_weights` and `col_weights` are the numbers of entries of the lines of its compact
    /// form.
    pub(super) fn of(a: &Triplets, compact: &Compact<'_>, row_weights: &[u32], col_weights: &[u32]) -> Self {
        let kept = &*compact.matrix;
        let offsets = || a.row.iter().zip(&a.col).map(|(&i, &j)| i64::from(j) - i64::from(i));
        let lower_bandwidth = offsets().min().map_or(0, |o| o.min(0).unsigned_abs() as usize);
        let upper_bandwidth = offsets().max().map_or(0, |o| o.max(0) as usize);
        let diagonal_entries = offsets().filter(|&o| o == 0).count();
        let (longest_diagonal, longest_diagonal_offset) = longest_diagonal(a);
        let symmetry = Symmetry::of(compact, row_weights, col_weights);
        let edges = kept.row.iter().copied().zip(kept.col.iter().copied());
        Structure {
            square: a.rows() == a.cols(),
            symmetric: symmetry.symmetric,
            skew_symmetric: symmetry.skew,
            pattern_symmetric: symmetry.pattern,
            upper_triangular: lower_bandwidth == 0,
            lower_triangular: upper_bandwidth == 0,
            lower_bandwidth,
            upper_bandwidth,
            diagonal_entries,
            diagonal_full: diagonal_entries == a.rows().min(a.cols()),
            longest_diagonal,
            longest_diagonal_offset,
            components: memory::or_panic(Components::of(kept.rows(), kept.cols(), edges)).count,
            duplicate_rows: duplicate_rows(kept, row_weights),
        }
    }
}

/// The value at position k of the triplets.
fn value(a: &Triplets, k: usize) -> Integer<'_> {
    match a.big.binary_search_by_key(&k, |&(at, _)| at) {
        Ok(b) => Integer::from(&a.big[b].1),
        Err(_) => Integer::Small(a.value.get(k)),
    }
}

struct Symmetry {
    pattern: bool,
    symmetric: bool,
    skew: bool,
}

impl Symmetry {
    fn of(compact: &Compact<'_>, row_weights: &[u32], col_weights: &[u32]) -> Self {
        let a = &*compact.matrix;
        // Different lines or unequal weights settle most cases without a transposition. If both sides have the same
        // lines, the compact form is symmetric if and only if the matrix is.
        if compact.lines.rows != compact.lines.cols || row_weights != col_weights {
            return Symmetry { pattern: false, symmetric: false, skew: false };
        }
        // Read by columns, the entries of a symmetric pattern come in row order: the counting sort by column finds, for
        // each entry (i, j), the position at which (j, i) has to be.
        let mut next = Vec::with_capacity(a.cols());
        let mut start = 0usize;
        for &w in col_weights {
            next.push(start);
            start += w as usize;
        }
        let mut s = Symmetry { pattern: true, symmetric: true, skew: true };
        for k in 0..a.nnz() {
            let slot = &mut next[a.col[k] as usize];
            let mirror = *slot;
            *slot += 1;
            if a.row[mirror] != a.col[k] || a.col[mirror] != a.row[k] {
                return Symmetry { pattern: false, symmetric: false, skew: false };
            }
            if s.symmetric || s.skew {
                let (v, w) = (value(a, k), value(a, mirror));
                s.skew &= match (&v, &w) {
                    (Integer::Small(v), Integer::Small(w)) => v.checked_neg() == Some(*w),
                    _ => v.to_bigint() == -w.to_bigint(),
                };
                s.symmetric &= v == w;
            }
        }
        s
    }
}

/// The largest number of entries on one diagonal, and its offset j - i.
fn longest_diagonal(a: &Triplets) -> (usize, i64) {
    let offset = |k: usize| i64::from(a.col[k]) - i64::from(a.row[k]);
    if a.rows() + a.cols() > 8 * a.nnz() {
        let mut offsets: Vec<i64> = (0..a.nnz()).map(offset).collect();
        offsets.par_sort_unstable();
        let longest = offsets.chunk_by(|x, y| x == y).max_by_key(|run| (run.len(), std::cmp::Reverse(run[0])));
        return longest.map_or((0, 0), |run| (run.len(), run[0]));
    }
    let mut counts = vec![0u32; (a.rows() + a.cols()).saturating_sub(1)];
    (0..a.nnz()).for_each(|k| counts[(offset(k) + a.rows() as i64 - 1) as usize] += 1);
    let (mut longest, mut at) = (0, 0);
    for (offset, &count) in counts.iter().enumerate() {
        if count > longest {
            (longest, at) = (count, offset as i64 - (a.rows() as i64 - 1));
        }
    }
    (longest as usize, at)
}

/// Number of non-empty rows that equal an earlier one: rows are sorted by a hash, equal hashes compared entry by entry.
fn duplicate_rows(a: &Triplets, row_weights: &[u32]) -> usize {
    let mut start = 0usize;
    let mut rows: Vec<(u64, usize, usize)> = Vec::new();
    for &weight in row_weights.iter().filter(|&&w| w > 0) {
        let range = start..start + weight as usize;
        let mix = |h: u64, x: u64| (h ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let hash = range.clone().fold(0, |h, k| mix(mix(h, u64::from(a.col[k])), a.value.get(k) as u64));
        rows.push((hash, range.start, range.end));
        start = range.end;
    }
    let compare = |x: &(u64, usize, usize), y: &(u64, usize, usize)| -> Ordering {
        let content = |&(_, start, end): &(u64, usize, usize)| {
            (&a.col[start..end], a.value.iter_in(start..end), big_in(a, start, end))
        };
        x.0.cmp(&y.0).then_with(|| {
            let ((cols, values, big), (cols2, values2, big2)) = (content(x), content(y));
            let shifted = |big: &[(usize, num_bigint::BigInt)], start: usize| -> Vec<_> {
                big.iter().map(|(k, v)| (k - start, v.clone())).collect()
            };
            cols.cmp(cols2).then_with(|| values.cmp(values2)).then_with(|| shifted(big, x.1).cmp(&shifted(big2, y.1)))
        })
    };
    rows.par_sort_unstable_by(compare);
    rows.windows(2).filter(|pair| compare(&pair[0], &pair[1]) == Ordering::Equal).count()
}

/// The big values at positions start … end-1.
fn big_in(a: &Triplets, start: usize, end: usize) -> &[(usize, num_bigint::BigInt)] {
    let place = |k: usize| a.big.partition_point(|&(at, _)| at < k);
    &a.big[place(start)..place(end)]
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = if self.square { "square" } else { "rectangular" };
        let symmetry = match self {
            Structure { symmetric: true, skew_symmetric: true, .. } => ", zero",
            Structure { symmetric: true, .. } => ", symmetric",
            Structure { skew_symmetric: true, .. } => ", skew-symmetric",
            Structure { pattern_symmetric: true, .. } => ", symmetric pattern",
            _ => "",
        };
        let triangle = match (self.lower_triangular, self.upper_triangular) {
            (true, true) => ", diagonal",
            (true, false) => ", lower triangular",
            (false, true) => ", upper triangular",
            (false, false) => "",
        };
        write!(
            f,
            "{shape}{symmetry}{triangle}, {} below and {} above the diagonal",
            self.lower_bandwidth, self.upper_bandwidth
        )?;
        let full = if self.diagonal_full { " (full)" } else { "" };
        write!(f, "\n  main diagonal: {}{full}; ", counted(self.diagonal_entries, "entry"))?;
        let (longest, offset) = (counted(self.longest_diagonal, "entry"), self.longest_diagonal_offset);
        write!(f, "fullest diagonal: {longest} at offset {offset}")?;
        write!(f, "\n  components: {}; duplicate rows: {}", self.components, self.duplicate_rows)
    }
}

#[cfg(test)]
mod tests {
    use crate::sparse::{Statistics, Structure, Triplets};
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn structure(rows: usize, cols: usize, entries: &[(usize, usize, i64)]) -> Structure {
        Statistics::of(&Triplets::from_entries(rows, cols, entries.iter().copied())).structure
    }

    #[test]
    fn symmetry_is_seen() {
        let s = structure(3, 3, &[(0, 1, 2), (1, 0, 2), (2, 2, 5)]);
        assert!(s.symmetric && s.pattern_symmetric && !s.skew_symmetric);
        let s = structure(3, 3, &[(0, 1, 2), (1, 0, -2), (1, 2, 1), (2, 1, -1)]);
        assert!(!s.symmetric && s.pattern_symmetric && s.skew_symmetric);
        let s = structure(3, 3, &[(0, 1, 2), (1, 0, 3)]);
        assert!(!s.symmetric && s.pattern_symmetric && !s.skew_symmetric);
        // Equal weights, but a different pattern.
        let s = structure(3, 3, &[(0, 1, 1), (1, 2, 1), (2, 0, 1)]);
        assert!(!s.symmetric && !s.pattern_symmetric);
        assert!(!structure(2, 3, &[(0, 0, 1)]).pattern_symmetric);
        // -2⁶³ has no negative among 64-bit integers; 2⁶³ is a big one.
        let s = structure(2, 2, &[(0, 1, i64::MIN), (1, 0, i64::MIN)]);
        assert!(s.symmetric && !s.skew_symmetric);
        let limit = BigInt::from(i64::MIN);
        let a = Triplets::from_entries(2, 2, [(0, 1, limit.clone()), (1, 0, -limit)]);
        let s = Statistics::of(&a).structure;
        assert!(s.skew_symmetric && !s.symmetric);
        let empty = structure(4, 4, &[]);
        assert!(empty.symmetric && empty.skew_symmetric);
    }

    #[test]
    fn bands_and_diagonals() {
        let n = 9;
        let band: Vec<_> = (0..n).flat_map(|i| [(i, i, 4), (i, (i + 2).min(n - 1), 1)]).collect();
        let s = structure(n, n, &band);
        assert!(s.upper_triangular && !s.lower_triangular && s.diagonal_full);
        assert_eq!((s.lower_bandwidth, s.upper_bandwidth, s.diagonal_entries), (0, 2, 9));
        assert_eq!((s.longest_diagonal, s.longest_diagonal_offset), (9, 0));
        let s = structure(3, 5, &[(2, 0, 1), (0, 3, 1), (1, 4, 1)]);
        assert_eq!((s.lower_bandwidth, s.upper_bandwidth), (2, 3));
        assert_eq!((s.longest_diagonal, s.longest_diagonal_offset), (2, 3));
        assert!(!s.diagonal_full && s.diagonal_entries == 0);
        let s = structure(0, 7, &[]);
        assert!(s.diagonal_full && s.components == 0 && s.longest_diagonal == 0);
    }

    #[test]
    fn repeated_rows_are_counted_by_content() {
        let s =
            structure(6, 3, &[(0, 0, 1), (0, 2, 2), (1, 0, 1), (1, 2, 2), (3, 0, 1), (3, 2, 3), (4, 0, 1), (4, 2, 2)]);
        // Rows 1 and 4 repeat row 0; rows 2 and 5 are empty.
        assert_eq!(s.duplicate_rows, 2);
        let (x, y) = (BigInt::from(3i64) << 80u32, BigInt::from(5i64) << 80u32);
        let entries = [(0, 1, x.clone()), (1, 1, y.clone()), (2, 1, x.clone()), (3, 0, x.clone()), (4, 1, y)];
        let s = Statistics::of(&Triplets::from_entries(5, 2, entries)).structure;
        assert_eq!(s.duplicate_rows, 2);
    }

    proptest! {
        /// A naive twin: repeated search over the positions.
        #[test]
        fn components_and_duplicates_like_a_naive_search(
            (rows, cols, entries) in (1usize..9, 1usize..9).prop_flat_map(|(m, n)| {
                (Just(m), Just(n), proptest::collection::vec((0..m, 0..n, -1i64..3), 0..20))
            })
        ) {
            let a = Triplets::from_entries(rows, cols, entries);
            let mut dense = vec![vec![0i64; cols]; rows];
            for k in 0..a.nnz() {
                dense[a.row[k] as usize][a.col[k] as usize] = a.value.get(k);
            }
            let s = Statistics::of(&a).structure;
            // Labels spread until nothing changes.
            let mut label: Vec<usize> = (0..rows).collect();
            for _ in 0..rows {
                for i in 0..rows {
                    for k in 0..rows {
                        if (0..cols).any(|j| dense[i][j] != 0 && dense[k][j] != 0) {
                            label[i] = label[i].min(label[k]);
                        }
                    }
                }
            }
            let used = |i: usize| dense[i].iter().any(|&v| v != 0);
            let labels: std::collections::BTreeSet<_> = (0..rows).filter(|&i| used(i)).map(|i| label[i]).collect();
            prop_assert_eq!(s.components, labels.len());
            let repeated = (0..rows).filter(|&i| used(i) && (0..i).any(|k| dense[k] == dense[i])).count();
            prop_assert_eq!(s.duplicate_rows, repeated);
            let mirrored = rows == cols && (0..rows).all(|i| (0..cols).all(|j| dense[i][j] == dense[j][i]));
            prop_assert_eq!(s.symmetric, mirrored);
            let skew = rows == cols && (0..rows).all(|i| (0..cols).all(|j| dense[i][j] == -dense[j][i]));
            prop_assert_eq!(s.skew_symmetric, skew);
            let on = |o: i64| (0..rows).filter(|&i| usize::try_from(i as i64 + o).is_ok_and(|j| j < cols && dense[i][j] != 0)).count();
            prop_assert_eq!(s.longest_diagonal, (-(rows as i64)..cols as i64).map(on).max().unwrap());
            prop_assert_eq!(on(s.longest_diagonal_offset), s.longest_diagonal);
        }
    }
}
