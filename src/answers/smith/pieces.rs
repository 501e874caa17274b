//! A matrix taken apart over ℤ: units split off, what is left cut into components, contents divided out, and again.
//!
//! g·B, of a component with content g, has g times the invariant factors of B; and B may have units.

use super::diagonal::Diagonal;
use super::entry::Entry;
use super::structural;
use super::units::{Active, Row};
use crate::answers::RankOptions;
use crate::sparse::{Components, Triplets};
use crate::{Observer, Result, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::One;

/// What the memory is for.
const PIECES: &str = "the components of a matrix over Z";

/// A component without units, its entries coprime, and what it has to be multiplied by.
pub(super) struct Piece {
    pub matrix: Triplets,
    pub scale: BigUint,
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
        let mut open = vec![Piece { matrix: a, scale: BigUint::one() }];
        while let Some(Piece { matrix, scale }) = open.pop() {
            let mut found = vec![];
            if let Some(reduced) = structural::reduce(&matrix, observer)? {
                pieces.units += reduced.pivots;
                pieces.diagonal.add(scale.clone(), reduced.pivots);
                let (rows, cols) = (reduced.rows, reduced.cols);
                pieces.take_apart(rows, cols, &scale, options, &mut found, observer)?;
            } else {
                pieces.one_by_one(&matrix, &scale, options, &mut found, observer)?;
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
        scale: &BigUint,
        options: &RankOptions,
        found: &mut Vec<(Piece, bool)>,
        observer: &dyn Observer,
    ) -> Result<()> {
        if let Some(rows) = rows_of::<i64>(a)? {
            return self.take_apart(rows, a.cols(), scale, options, found, observer);
        }
        let rows = rows_of::<BigInt>(a)?.expect("an integer of any size");
        self.take_apart(rows, a.cols(), scale, options, found, observer)
    }

    fn take_apart<V: Entry>(
        &mut self,
        rows: Vec<Row<V>>,
        cols: usize,
        scale: &BigUint,
        options: &RankOptions,
        found: &mut Vec<(Piece, bool)>,
        observer: &dyn Observer,
    ) -> Result<()> {
        let mut active = Active::new(rows, cols)?;
        let units = active.split_units(options, observer)?;
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
            self.sort_in(part, scale, found)?;
        }
        Ok(())
    }

    /// A component: an entry of the diagonal, or one more piece and whether it was transposed.
    fn sort_in<V: Entry>(&mut self, rows: Vec<Row<V>>, scale: &BigUint, found: &mut Vec<(Piece, bool)>) -> Result<()> {
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
        found.push((Piece { matrix: Triplets::try_from_entries(m, n, entries)?, scale }, turned));
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
