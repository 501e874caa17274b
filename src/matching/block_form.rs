//! The block triangular form in numbers: how many diagonal blocks, and how large they are.

use super::dulmage_mendelsohn::{DulmageMendelsohn, dulmage_mendelsohn};
use super::{augment, strong};
use crate::Result;
use crate::sparse::{Pattern, Triplets};
use std::collections::BTreeMap;
use std::ops::Range;

/// How many sizes of blocks are listed.
const LISTED: usize = 16;

/// The Dulmage–Mendelsohn decomposition of a matrix ([`dulmage_mendelsohn`]) and, of a square one, the strongly
/// connected components of its directed graph, in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct BlockForm {
    /// The size of a maximum matching, an upper bound of the rank over every field.
    pub structural_rank: usize,
    /// The part with more columns than rows; empty columns are a block of it.
    pub horizontal: Blocks,
    /// The part with a perfect matching, in irreducible blocks.
    pub square: Blocks,
    /// The part with more rows than columns; empty rows are a block of it.
    pub vertical: Blocks,
    /// The sizes of the blocks of the square part, largest first, at most 16 of them.
    pub square_sizes: Vec<Equal>,
    /// The graph i → j of the entries (i, j) of a square matrix; `None` for a rectangular one.
    pub strong_components: Option<Strong>,
}

/// A part of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Blocks {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Number of blocks on the diagonal.
    pub blocks: usize,
}

/// Blocks of the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Equal {
    /// Rows, or vertices, of each.
    pub size: usize,
    /// Number of blocks.
    pub blocks: usize,
}

/// Strongly connected components.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Strong {
    /// Number of components.
    pub components: usize,
    /// Their sizes, largest first, at most 16 of them.
    pub sizes: Vec<Equal>,
}

impl BlockForm {
    /// The numbers for a matrix, in memory proportional to its entries, whatever its shape.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn of(a: &Triplets) -> Result<BlockForm> {
        let compact = a.compact()?;
        let (kept, lines) = (&*compact.matrix, &compact.lines);
        let pattern = Pattern::of_integers(kept)?;
        let form = dulmage_mendelsohn(&pattern, &augment::maximum_matching(&pattern)?)?;
        let part = |blocks: &Range<usize>| {
            let (rows, cols) = form.shape(blocks);
            Blocks { rows, cols, blocks: blocks.len() }
        };
        let [mut horizontal, square, mut vertical] = [&form.horizontal, &form.square, &form.vertical].map(part);
        // The lines that were left out are empty: they join those that were not.
        if lines.cols.dropped() > 0 {
            horizontal.cols += lines.cols.dropped();
            horizontal.blocks += usize::from(form.blocks() == 0 || !form.block(0).0.is_empty());
        }
        if lines.rows.dropped() > 0 {
            vertical.rows += lines.rows.dropped();
            vertical.blocks += usize::from(form.blocks() == 0 || !form.block(form.blocks() - 1).1.is_empty());
        }
        let strong_components = if a.rows() == a.cols() {
            let arc = |v: u32, k: usize| lines.rows.place(lines.cols.number(pattern.row(v as usize)[k]));
            let (count, component) = strong::components(pattern.rows(), |v| pattern.degree(v as usize), arc)?;
            // A vertex without arcs that leave it is a component.
            let alone = lines.rows.dropped();
            let mut sizes = vec![0; count];
            component.iter().for_each(|&c| sizes[c as usize] += 1);
            Some(Strong { components: count + alone, sizes: largest(sizes.into_iter(), alone) })
        } else {
            None
        };
        Ok(BlockForm {
            structural_rank: form.structural_rank(),
            horizontal,
            square,
            vertical,
            square_sizes: largest(sizes(&form), 0),
            strong_components,
        })
    }
}

/// The sizes of the blocks of the square part.
fn sizes(form: &DulmageMendelsohn) -> impl Iterator<Item = usize> {
    form.square.clone().map(|b| form.row_start[b + 1] - form.row_start[b])
}

/// The largest sizes and how often they occur, with so many more of size 1.
fn largest(sizes: impl Iterator<Item = usize>, ones: usize) -> Vec<Equal> {
    let mut count = BTreeMap::from_iter((ones > 0).then_some((1, ones)));
    sizes.for_each(|size| *count.entry(size).or_insert(0) += 1);
    count.into_iter().rev().take(LISTED).map(|(size, blocks)| Equal { size, blocks }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    /// The sizes of the classes of vertices that reach each other, by the transitive closure.
    fn strong_by_closure(n: usize, entries: &[(usize, usize)]) -> Vec<usize> {
        let mut reach = vec![vec![false; n]; n];
        (0..n).for_each(|v| reach[v][v] = true);
        entries.iter().for_each(|&(i, j)| reach[i][j] = true);
        for via in 0..n {
            for v in 0..n {
                for w in 0..n {
                    reach[v][w] |= reach[v][via] && reach[via][w];
                }
            }
        }
        let class = |v: usize| (0..n).filter(|&w| reach[v][w] && reach[w][v]).collect::<Vec<_>>();
        let classes: std::collections::BTreeSet<_> = (0..n).map(class).collect();
        classes.iter().map(Vec::len).collect()
    }

    /// The largest number of entries in distinct lines, by trying all.
    fn term_rank(rows: usize, entries: &[(usize, usize)]) -> usize {
        fn from(row: usize, rows: usize, used: u32, entries: &[(usize, usize)]) -> usize {
            if row == rows {
                return 0;
            }
            let with = entries.iter().filter(|&&(i, j)| i == row && used & 1 << j == 0);
            let with = with.map(|&(_, j)| 1 + from(row + 1, rows, used | 1 << j, entries)).max().unwrap_or(0);
            with.max(from(row + 1, rows, used, entries))
        }
        from(0, rows, 0, entries)
    }

    fn total(sizes: &[Equal]) -> (usize, usize) {
        (sizes.iter().map(|s| s.blocks).sum(), sizes.iter().map(|s| s.blocks * s.size).sum())
    }

    /// Small matrices, and the same spread over lines that are nearly all empty.
    #[test]
    fn numbers_are_those_of_naive_twins() {
        let mut rng = Rng::seed_from_u64(11);
        for round in 0..300 {
            let (rows, cols) = (rng.random_range(1..7), rng.random_range(1..7));
            let cols = if round % 2 == 0 { rows } else { cols };
            let count = rng.random_range(0..12);
            let mut entries: Vec<_> =
                (0..count).map(|_| (rng.random_range(0..rows), rng.random_range(0..cols))).collect();
            entries.sort_unstable();
            entries.dedup();
            let form = BlockForm::of(&Triplets::from_entries(rows, cols, entries.iter().map(|&(i, j)| (i, j, 2i64))));
            let form = form.unwrap();
            assert_eq!(form.structural_rank, term_rank(rows, &entries), "{entries:?}");
            let parts = [form.horizontal, form.square, form.vertical];
            assert_eq!(parts.iter().map(|p| p.rows).sum::<usize>(), rows);
            assert_eq!(parts.iter().map(|p| p.cols).sum::<usize>(), cols);
            assert_eq!(form.structural_rank, form.horizontal.rows + form.square.rows + form.vertical.cols);
            assert_eq!(total(&form.square_sizes), (form.square.blocks, form.square.rows));
            match &form.strong_components {
                Some(strong) => {
                    let mut sizes = strong_by_closure(rows, &entries);
                    sizes.sort_unstable();
                    let listed = strong.sizes.iter().rev().flat_map(|s| vec![s.size; s.blocks]);
                    assert!(listed.eq(sizes.iter().copied()), "{entries:?}: {strong:?}");
                    assert_eq!(strong.components, sizes.len());
                }
                None => assert_ne!(rows, cols),
            }
            // A billion lines more: empty ones join their blocks, and each is a strong component alone.
            let (far, n) = (1_000_000_007usize, 4_000_000_000usize);
            let place = |k: usize| if k == 0 { 0 } else { far + 13 * k };
            let spread = entries.iter().map(|&(i, j)| (place(i), place(j), -1i64));
            let large = BlockForm::of(&Triplets::from_entries(n, n, spread)).unwrap();
            assert_eq!((large.structural_rank, large.square), (form.structural_rank, form.square));
            assert_eq!(large.horizontal.rows, form.horizontal.rows);
            assert_eq!(large.horizontal.cols, form.horizontal.cols + n - cols);
            assert_eq!(large.vertical.rows, form.vertical.rows + n - rows);
            let more = |part: Blocks| part.blocks..=part.blocks + 1;
            assert!(more(form.horizontal).contains(&large.horizontal.blocks), "{large:?}");
            assert!(more(form.vertical).contains(&large.vertical.blocks), "{large:?}");
            if let (Some(small), Some(large)) = (form.strong_components, large.strong_components) {
                assert_eq!(large.components, small.components + n - rows);
                assert_eq!(total(&large.sizes).1, n);
            }
        }
    }

    #[test]
    fn nothing_has_no_blocks() {
        let none = BlockForm::of(&Triplets::from_entries(0, 0, std::iter::empty::<(usize, usize, i64)>())).unwrap();
        let zero = Blocks { rows: 0, cols: 0, blocks: 0 };
        assert_eq!((none.structural_rank, none.horizontal, none.square, none.vertical), (0, zero, zero, zero));
        assert_eq!(none.strong_components, Some(Strong { components: 0, sizes: vec![] }));
        let empty = BlockForm::of(&Triplets::from_entries(3, 5, std::iter::empty::<(usize, usize, i64)>())).unwrap();
        assert_eq!(empty.horizontal, Blocks { rows: 0, cols: 5, blocks: 1 });
        assert_eq!((empty.vertical, empty.strong_components), (Blocks { rows: 3, cols: 0, blocks: 1 }, None));
    }
}
