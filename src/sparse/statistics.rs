//! What a matrix looks like: sizes, weights of rows and columns, values, structure. The facts that determine a storage
//! format and that `blackfield info` shows.
//!
//! [`Statistics::of`] takes time and memory linear in the entries, whatever the shape, apart from sorting the rows (by
//! a hash of their content), the values other than ±1, and the lines of a matrix most of whose lines are empty. All
//! facts are about the integer matrix; mod p values may coincide or vanish.

use super::structure::Structure;
use crate::memory;
use crate::sparse::{Integer, Triplets};
use crate::words::counted;
use num_bigint::BigInt;
use rayon::prelude::*;
use std::fmt;

/// How many of the most frequent values are listed.
const LISTED_VALUES: usize = 16;

/// Facts about an integer matrix; printed for people by `Display`, serialised for programs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct Statistics {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Number of non-zero entries.
    pub nnz: usize,
    /// nnz / (rows · cols); 0 for a matrix without rows or columns.
    pub density: f64,
    /// Entries a row.
    pub row_weights: Weights,
    /// Entries a column.
    pub col_weights: Weights,
    /// The values.
    pub values: Values,
    /// Symmetry, shape, components, repetitions.
    pub structure: Structure,
}

/// The distribution of the number of entries per line (row or column).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Weights {
    /// The smallest weight.
    pub min: usize,
    /// The median weight (the lower one of two).
    pub median: usize,
    /// The mean weight.
    pub mean: f64,
    /// The largest weight.
    pub max: usize,
    /// Number of lines without entries.
    pub empty: usize,
    /// Lines by weight in ranges that double: 0, 1, 2–3, 4–7, … up to the largest weight.
    pub histogram: Vec<Bin>,
}

/// A range of weights and the number of lines in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Bin {
    /// The smallest weight of the range.
    pub from: usize,
    /// The largest weight of the range.
    pub to: usize,
    /// Number of lines.
    pub lines: usize,
}

/// The distribution of the values.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Values {
    /// The fraction of entries equal to +1; 0 without entries.
    pub plus_one: f64,
    /// The fraction of entries equal to -1; 0 without entries.
    pub minus_one: f64,
    /// Number of different values.
    pub distinct: usize,
    /// The most frequent values (at most 16), in order of decreasing frequency, ties ascending; in decimal, since they
    /// may be of any size.
    pub most_frequent: Vec<Frequency>,
    /// The largest absolute value in decimal, `0` without entries.
    pub largest_absolute: String,
    /// The number of its decimal digits.
    pub digits: usize,
}

/// A value and how often it occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Frequency {
    /// The value in decimal.
    pub value: String,
    /// Number of entries.
    pub entries: usize,
}

impl Statistics {
    /// The facts about a matrix.
    ///
    /// # Panics
    /// If memory runs out.
    pub fn of(a: &Triplets) -> Self {
        let compact = memory::or_panic(a.compact());
        let (kept, lines) = (&*compact.matrix, &compact.lines);
        let (mut rows, mut cols) = (vec![0u32; kept.rows()], vec![0u32; kept.cols()]);
        kept.row.iter().for_each(|&i| rows[i as usize] += 1);
        kept.col.iter().for_each(|&j| cols[j as usize] += 1);
        let positions = a.rows() as f64 * a.cols() as f64;
        let structure = Structure::of(a, &compact, &rows, &cols);
        Statistics {
            rows: a.rows(),
            cols: a.cols(),
            nnz: a.nnz(),
            density: if positions > 0.0 { a.nnz() as f64 / positions } else { 0.0 },
            row_weights: Weights::of(rows, lines.rows.dropped()),
            col_weights: Weights::of(cols, lines.cols.dropped()),
            values: Values::of(a),
            structure,
        }
    }
}

impl Weights {
    /// The distribution of the given weights (below 2³², as columns are) and of `empty` more lines without entries. All
    /// numbers are 0 where there are no lines.
    fn of(mut weights: Vec<u32>, empty: usize) -> Self {
        weights.par_sort_unstable();
        let lines = weights.len() + empty;
        let at = |k: usize| k.checked_sub(empty).and_then(|k| weights.get(k)).map_or(0, |&w| w as usize);
        let total: u64 = weights.iter().map(|&w| u64::from(w)).sum();
        let mut histogram = Vec::new();
        let (mut from, mut counted) = (0, 0);
        while counted < lines {
            let to = if from == 0 { 0 } else { 2 * from - 1 };
            let upto = empty + weights.partition_point(|&w| w as usize <= to);
            histogram.push(Bin { from, to, lines: upto - counted });
            (from, counted) = (to + 1, upto);
        }
        Weights {
            min: at(0),
            median: at(lines.saturating_sub(1) / 2),
            mean: if lines == 0 { 0.0 } else { total as f64 / lines as f64 },
            max: at(lines.saturating_sub(1)),
            empty: empty + weights.partition_point(|&w| w == 0),
            histogram,
        }
    }
}

impl Values {
    fn of(a: &Triplets) -> Self {
        let (mut plus, mut minus) = (0, 0);
        let mut small: Vec<i64> = Vec::new();
        for v in a.value.iter() {
            match v {
                1 => plus += 1,
                -1 => minus += 1,
                // The slot of a big value.
                0 => {}
                v => small.push(v),
            }
        }
        small.par_sort_unstable();
        let mut big: Vec<&BigInt> = a.big.iter().map(|(_, v)| v).collect();
        big.par_sort_unstable();
        let units = [(1i64, plus), (-1, minus)].into_iter().filter(|&(_, entries)| entries > 0);
        let units = units.map(|(v, entries)| (Integer::Small(v), entries));
        let small = small.chunk_by(|x, y| x == y).map(|run| (Integer::Small(run[0]), run.len()));
        let big = big.chunk_by(|x, y| x == y).map(|run| (Integer::from(run[0]), run.len()));
        let mut counted: Vec<(Integer, usize)> = units.chain(small).chain(big).collect();
        let largest = counted.iter().map(|(v, _)| v).max_by(|x, y| compare_absolute(x, y));
        let largest = largest.map_or("0".to_string(), |v| v.to_string().trim_start_matches('-').to_string());
        let distinct = counted.len();
        // Many values may occur once: only the top of the list needs sorting.
        let order = |(v, n): &(Integer, usize), (w, m): &(Integer, usize)| m.cmp(n).then_with(|| compare(v, w));
        if distinct > LISTED_VALUES {
            counted.select_nth_unstable_by(LISTED_VALUES, order);
            counted.truncate(LISTED_VALUES);
        }
        counted.sort_unstable_by(order);
        let share = |n: usize| if a.nnz() == 0 { 0.0 } else { n as f64 / a.nnz() as f64 };
        Values {
            plus_one: share(plus),
            minus_one: share(minus),
            distinct,
            most_frequent: counted.iter().map(|(v, n)| Frequency { value: v.to_string(), entries: *n }).collect(),
            digits: largest.len(),
            largest_absolute: largest,
        }
    }
}

fn compare(x: &Integer, y: &Integer) -> std::cmp::Ordering {
    match (x, y) {
        (Integer::Small(x), Integer::Small(y)) => x.cmp(y),
        _ => x.to_bigint().cmp(&y.to_bigint()),
    }
}

fn compare_absolute(x: &Integer, y: &Integer) -> std::cmp::Ordering {
    match (x, y) {
        (Integer::Small(x), Integer::Small(y)) => x.unsigned_abs().cmp(&y.unsigned_abs()),
        _ => x.to_bigint().magnitude().cmp(y.to_bigint().magnitude()),
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = counted(self.nnz, "entry");
        writeln!(f, "{} x {}, {entries}, density {:.3e}", self.rows, self.cols, self.density)?;
        write!(f, "rows: {}\ncolumns: {}\nvalues: {}\n", self.row_weights, self.col_weights, self.values)?;
        write!(f, "structure: {}", self.structure)
    }
}

impl fmt::Display for Weights {
    /// The summary, then a line with a bar for each range of weights.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const BAR: usize = 40;
        let Weights { min, median, mean, max, empty, .. } = self;
        write!(f, "{min} to {}, median {median}, mean {mean:.2}; {empty} empty", counted(*max, "entry"))?;
        let most = self.histogram.iter().map(|bin| bin.lines).max().unwrap_or(0);
        for bin in self.histogram.iter().filter(|bin| bin.lines > 0) {
            let range = if bin.from == bin.to { bin.from.to_string() } else { format!("{}-{}", bin.from, bin.to) };
            let bar = "#".repeat((bin.lines as u128 * BAR as u128).div_ceil(most as u128) as usize);
            write!(f, "\n  {range:>15} {:>10} {bar}", bin.lines)?;
        }
        Ok(())
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plus, minus) = (100.0 * self.plus_one, 100.0 * self.minus_one);
        write!(f, "{} distinct, +1 {plus:.1} %, -1 {minus:.1} %, largest absolute value ", self.distinct)?;
        match self.digits {
            0..=20 => write!(f, "{}", self.largest_absolute)?,
            digits => write!(f, "of {digits} digits")?,
        }
        let shown = |x: &Frequency| match x.value.len() {
            0..=20 => format!("{} ({})", x.value, x.entries),
            digits => format!("{}... of {digits} characters ({})", &x.value[..8], x.entries),
        };
        if !self.most_frequent.is_empty() {
            let list: Vec<String> = self.most_frequent.iter().map(shown).collect();
            write!(f, "\n  most frequent: {}", list.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(rows: usize, cols: usize, entries: &[(usize, usize, i64)]) -> Triplets {
        Triplets::from_entries(rows, cols, entries.iter().copied())
    }

    #[test]
    fn a_triangle_has_its_closed_forms() {
        // Row i of the lower triangle has i + 1 entries.
        let n = 20;
        let entries: Vec<_> = (0..n).flat_map(|i| (0..=i).map(move |j| (i, j, if i == j { -1 } else { 1 }))).collect();
        let s = Statistics::of(&integers(n, n, &entries));
        assert_eq!((s.nnz, s.density), (210, 210.0 / 400.0));
        for weights in [&s.row_weights, &s.col_weights] {
            assert_eq!((weights.min, weights.median, weights.max, weights.empty), (1, 10, 20, 0));
            assert_eq!(weights.mean, 10.5);
            let bins: Vec<_> = weights.histogram.iter().map(|b| (b.from, b.to, b.lines)).collect();
            assert_eq!(bins, [(0, 0, 0), (1, 1, 1), (2, 3, 2), (4, 7, 4), (8, 15, 8), (16, 31, 5)]);
        }
        assert_eq!((s.values.plus_one, s.values.minus_one, s.values.distinct), (190.0 / 210.0, 20.0 / 210.0, 2));
        assert_eq!(s.values.most_frequent[1], Frequency { value: "-1".into(), entries: 20 });
        assert!(s.structure.lower_triangular && !s.structure.upper_triangular);
    }

    #[test]
    fn values_of_any_size_are_ranked_and_counted() {
        let huge = BigInt::from(10).pow(30);
        let mut entries: Vec<(usize, usize, Integer)> = (0..20).map(|j| (0, j, Integer::Small(j as i64 + 2))).collect();
        entries.extend((0..3).map(|j| (1, j, Integer::from(-&huge))));
        entries.extend((3..5).map(|j| (1, j, Integer::Small(i64::MIN))));
        let a = Triplets::from_entries(2, 20, entries);
        let v = Statistics::of(&a).values;
        assert_eq!((v.distinct, v.plus_one, v.digits), (22, 0.0, 31));
        assert_eq!(v.largest_absolute, huge.to_string());
        let head: Vec<_> = v.most_frequent.iter().map(|f| (f.value.as_str(), f.entries)).collect();
        assert_eq!(head.len(), LISTED_VALUES);
        assert_eq!(head[0], (format!("-{huge}").as_str(), 3));
        assert_eq!(head[1..4], [("-9223372036854775808", 2), ("2", 1), ("3", 1)]);
    }

    #[test]
    fn empty_lines_are_counted_without_allocation() {
        // The same entries in few lines, all of them looked at, and in 2³² - 1.
        let entries = [(0, 0, 1), (0, 3, 2), (3, 0, 2), (5, 5, -1), (6, 5, 1)];
        let n = u32::MAX as usize;
        let [small, large] = [7, n].map(|n| Statistics::of(&integers(n, n, &entries)));
        assert_eq!((large.rows, large.cols, large.nnz), (n, n, 5));
        for (few, many) in [(&small.row_weights, &large.row_weights), (&small.col_weights, &large.col_weights)] {
            assert_eq!((many.empty, many.max), (few.empty + n - 7, few.max));
            assert_eq!((many.min, many.median), (0, 0));
            assert_eq!(many.mean * n as f64, 5.0);
            assert_eq!(many.histogram[0].lines, many.empty);
            assert_eq!(many.histogram[1..], few.histogram[1..]);
            assert_eq!(many.histogram.iter().map(|bin| bin.lines).sum::<usize>(), n);
        }
        let expected = Structure { diagonal_full: false, ..small.structure.clone() };
        assert_eq!(large.structure, expected);
        assert_eq!(large.values, small.values);
        // Symmetry, and a wide shape.
        let entries = [(0, n - 1, 3), (n - 1, 0, -3), (7, 9, 2), (9, 7, -2)];
        let s = Statistics::of(&integers(n, n, &entries)).structure;
        assert!(s.skew_symmetric && s.pattern_symmetric && !s.symmetric);
        assert_eq!((s.upper_bandwidth, s.longest_diagonal, s.longest_diagonal_offset), (n - 1, 1, 1 - n as i64));
        let entries = [(0, n - 1, 3), (n - 1, 1, -3)];
        assert!(!Statistics::of(&integers(n, n, &entries)).structure.pattern_symmetric);
        let s = Statistics::of(&integers(2, n, &[(0, n - 1, 3), (1, n - 1, 3), (1, n - 2, 4)]));
        assert_eq!((s.row_weights.empty, s.col_weights.empty, s.structure.longest_diagonal), (0, n - 2, 1));
        assert_eq!((s.structure.components, s.structure.longest_diagonal_offset), (1, n as i64 - 3));
    }

    #[test]
    fn degenerate_matrices_have_statistics() {
        for (rows, cols) in [(0, 0), (0, 5), (5, 0), (3, 4)] {
            let s = Statistics::of(&integers(rows, cols, &[]));
            assert_eq!((s.nnz, s.density, s.values.distinct, s.values.digits), (0, 0.0, 0, 1));
            assert_eq!((s.row_weights.empty, s.col_weights.empty), (rows, cols));
            assert_eq!((s.row_weights.min, s.row_weights.median, s.row_weights.max), (0, 0, 0));
            assert_eq!(s.row_weights.histogram.iter().map(|b| b.lines).sum::<usize>(), rows);
            assert!(s.to_string().starts_with(&format!("{rows} x {cols}, 0 entries")));
        }
    }

    #[test]
    fn people_can_read_them() {
        let s = Statistics::of(&integers(2, 3, &[(0, 0, 1), (0, 2, -1), (1, 1, 7)]));
        let text = s.to_string();
        for fact in
            ["2 x 3, 3 entries", "rows: 1 to 2 entries", "3 distinct, +1 33.3 %", "7 (1)", "structure: rectangular"]
        {
            assert!(text.contains(fact), "{fact} in {text}");
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn they_are_documents() {
        let json = serde_json::to_value(Statistics::of(&integers(2, 3, &[(0, 0, 1), (0, 2, -1), (1, 1, 7)]))).unwrap();
        assert_eq!(json["row_weights"]["histogram"][2]["lines"], 1);
        assert_eq!(json["values"]["most_frequent"][2]["value"], "7");
        assert_eq!(json["structure"]["components"], 2);
    }
}
