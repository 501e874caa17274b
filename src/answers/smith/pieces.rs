//! A matrix taken apart over ℤ: units split off, what is left cut into components, contents divided out, and again.
//!
//! g·B, of a component with content g, has g times the invariant factors of B; and B may have units.

use super::diagonal::Diagonal;
use super::entry::Entry;
use super::structural;
use super::units::{Active, Row};
use crate::answers::RankOptions;
use crate::report::Kept;
use crate::sparse::{Components, Triplets};
use crate::{Observer, Result, Silent, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::One;

/// What the memory is for.
const PIECES: &str = "the components of a matrix over Z";
/// Entries of a matrix of which states are kept, at least.
const LEAST: usize = if cfg!(test) { 16 } else { 1 << 12 };

/// A component without units, its entries coprime, and what it has to be multiplied by.
pub(super) struct Piece {
    pub matrix: Triplets,
    pub scale: BigUint,
    /// Units that were split off until it was left: **a minor of order k of it is at most one of order `before` + k of
    /// the whole matrix, in absolute value.** A unit is the pivot of both; of rows that are merged the one that stays
    /// is no longer than either, and a component and what a content leaves have no larger ones.
    pub before: usize,
}

/// A matrix up to unimodular operations: a diagonal matrix, and the pieces on the diagonal behind it.
#[derive(Default)]
pub(super) struct Pieces {
    pub diagonal: Diagonal,
    pub cores: Vec<Piece>,
    /// How many entries were split off as units.
    pub units: usize,
}

impl Pieces {
    /// All of `a` that units and contents settle.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
    pub fn of(a: Triplets, options: &RankOptions, observer: &dyn Observer) -> Result<Pieces> {
        let mut pieces = Pieces::default();
        let mut open = vec![Piece { matrix: a, scale: BigUint::one(), before: 0 }];
        while let Some(Piece { matrix, scale, before }) = open.pop() {
            let mut found = vec![];
            // Of small ones no states are kept: the digest is all that a name takes.
            let keeps: &dyn Observer = if matrix.nnz() < LEAST { &Silent } else { observer };
            if let Some(reduced) = structural::reduce(&matrix, observer)? {
                let kept = Kept::of("units-of-complement", || matrix.digest(), keeps)?;
                pieces.units += reduced.pivots;
                pieces.diagonal.add(scale.clone(), reduced.pivots);
                let rest = (reduced.rows, reduced.cols);
                let before = before + reduced.pivots;
                pieces.take_apart(rest, (&scale, before), (&kept, options), &mut found, observer)?;
            } else {
                let kept = Kept::of("units-of-piece", || matrix.digest(), keeps)?;
                pieces.one_by_one(&matrix, (&scale, before), (&kept, options), &mut found, observer)?;
            }
            for (piece, turned) in found {
                // What nothing could be divided out of, and whose rows have been compared, stays.
                if piece.scale == scale && !turned { pieces.cores.push(piece) } else { open.push(piece) }
            }
        }
        Ok(pieces)
    }

    fn one_by_one(
        &mut self,
        a: &Triplets,
        scale: (&BigUint, usize),
        how: (&Kept<'_>, &RankOptions),
        found: &mut Vec<(Piece, bool)>,
        observer: &dyn Observer,
    ) -> Result<()> {
        if let Some(rows) = rows_of::<i64>(a)? {
            return self.take_apart((rows, a.cols()), scale, how, found, observer);
        }
        let rows = rows_of::<BigInt>(a)?.expect("an integer of any size");
        self.take_apart((rows, a.cols()), scale, how, found, observer)
    }

    fn take_apart<V: Entry>(
        &mut self,
        (rows, cols): (Vec<Row<V>>, usize),
        (scale, before): (&BigUint, usize),
        (kept, options): (&Kept<'_>, &RankOptions),
        found: &mut Vec<(Piece, bool)>,
        observer: &dyn Observer,
    ) -> Result<()> {
        let mut active = Active::new(rows, cols)?;
        let units = active.split_units(kept, options, observer)?;
        self.units += units;
        self.diagonal.add(scale.clone(), units);
        let rows: Vec<Row<V>> = active.rows.into_iter().filter(|row| !row.is_empty()).collect();
        let edges = (0u32..).zip(&rows).flat_map(|(i, row)| row.iter().map(move |e| (i, e.0)));
        let components = Components::of(rows.len(), cols, edges)?;
        let mut parts: Vec<Vec<Row<V>>> = memory::with_capacity(components.count, PIECES)?;
        parts.resize_with(components.count, Vec::new);
        for (own, row) in components.row.into_iter().zip(rows) {
            memory::push(&mut parts[own as usize], row, PIECES)?;
        }
        for part in parts {
            self.sort_in(part, (scale, before + units), found)?;
        }
        Ok(())
    }

    /// A component: an entry of the diagonal, or one more piece and whether it was transposed.
    fn sort_in<V: Entry>(
        &mut self,
        rows: Vec<Row<V>>,
        (scale, before): (&BigUint, usize),
        found: &mut Vec<(Piece, bool)>,
    ) -> Result<()> {
        let mut entries = rows.iter().flatten().map(|e| &e.1);
        let first = entries.next().expect("a component has entries");
        let mut divisor = first.gcd(first);
        for v in entries {
            if divisor.is_unit() {
                break;
            }
            divisor = divisor.gcd(v);
        }
        let scale = scale * divisor.integer().to_bigint().magnitude();
        let mut cols: Vec<u32> = memory::collect(rows.iter().flatten().map(|e| e.0), PIECES)?;
        cols.sort_unstable();
        cols.dedup();
        if rows.len() == 1 || cols.len() == 1 {
            // A vector is unimodularly equivalent to its content.
            self.diagonal.add(scale, 1);
            return Ok(());
        }
        let number = |j: u32| cols.binary_search(&j).expect("a column of this component");
        let entries = rows.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |e| (i, e)));
        let entries = entries.map(|(i, (j, v))| (i, number(*j), v.divided(&divisor).integer()));
        // The longer side is that of the rows, among which there may be multiples of others.
        let turned = cols.len() > rows.len();
        let (m, n) = if turned { (cols.len(), rows.len()) } else { (rows.len(), cols.len()) };
        let entries = entries.map(|(i, j, v)| if turned { (j, i, v) } else { (i, j, v) });
        found.push((Piece { matrix: Triplets::try_from_entries(m, n, entries)?, scale, before }, turned));
        Ok(())
    }
}

fn rows_of<V: Entry>(a: &Triplets) -> Result<Option<Vec<Row<V>>>> {
    let mut rows: Vec<Row<V>> = memory::with_capacity(a.rows(), PIECES)?;
    rows.resize_with(a.rows(), Vec::new);
    for (i, j, v) in a.entries() {
        let Some(v) = V::of(&v) else { return Ok(None) };
        memory::push(&mut rows[i], (j as u32, v), PIECES)?;
    }
    Ok(Some(rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use num_traits::Signed;
    use rand::{RngExt, SeedableRng};

    fn determinant(table: &[Vec<BigInt>]) -> BigInt {
        let Some((first, rest)) = table.split_first() else { return BigInt::one() };
        let without =
            |j: usize| -> Vec<Vec<BigInt>> { rest.iter().map(|row| [&row[..j], &row[j + 1..]].concat()).collect() };
        let term = |j: usize| &first[j] * determinant(&without(j)) * if j.is_multiple_of(2) { 1 } else { -1 };
        (0..first.len()).filter(|&j| first[j] != BigInt::ZERO).map(term).sum()
    }

    fn subsets(n: usize, k: usize) -> Vec<Vec<usize>> {
        let chosen = |set: &usize| (0..n).filter(|i| set >> i & 1 == 1).collect::<Vec<_>>();
        (0..1usize << n).filter(|set| set.count_ones() as usize == k).map(|set| chosen(&set)).collect()
    }

    /// The largest absolute value of a minor of this order.
    fn largest(a: &Triplets, order: usize) -> BigInt {
        let mut table = vec![vec![BigInt::ZERO; a.cols()]; a.rows()];
        a.entries().for_each(|(i, j, v)| table[i][j] = v.to_bigint());
        let minors = subsets(a.rows(), order).into_iter().flat_map(|rows| {
            let lines: Vec<&Vec<BigInt>> = rows.iter().map(|&i| &table[i]).collect();
            let minor = |cols: Vec<usize>| -> Vec<Vec<BigInt>> {
                lines.iter().map(|row| cols.iter().map(|&j| row[j].clone()).collect()).collect()
            };
            subsets(a.cols(), order).into_iter().map(|cols| determinant(&minor(cols)).abs()).collect::<Vec<_>>()
        });
        minors.max().unwrap_or_default()
    }

    /// Merged rows, contents, components and their transposes included.
    #[test]
    fn minors_of_pieces_are_no_larger_than_those_of_the_matrix() {
        let (mut rng, mut seen, mut behind) = (Rng::seed_from_u64(77), 0, 0);
        for _ in 0..150 {
            let (m, n) = (rng.random_range(3..7), rng.random_range(3..6));
            let values = [0, 0, 1, -1, 2, 3, -4, 6];
            let mut entries = vec![];
            for k in 0..m * n {
                entries.push((k / n, k % n, values[rng.random_range(0..values.len())]));
            }
            // A multiple of the first row.
            let first: Vec<_> = entries.iter().filter(|e| e.0 == 0).map(|&(_, j, v)| (m, j, 3 * v)).collect();
            let a = Triplets::from_entries(m + 1, n, [entries, first].concat());
            let a = a.compact().unwrap().matrix.into_owned();
            let pieces = Pieces::of(a.clone(), &RankOptions::default(), &Silent).unwrap();
            for Piece { matrix, before, .. } in pieces.cores {
                behind += usize::from(before > 0);
                for order in 1..=matrix.rows().min(matrix.cols()) {
                    seen += 1;
                    assert!(largest(&matrix, order) <= largest(&a, before + order), "{a:?}");
                }
            }
        }
        assert!(seen > 60 && behind > 20, "{seen}, {behind}");
    }
}
