//! Rows of integers and fractions, in any order and with duplicates, as rows of integers over one denominator each, in
//! lowest terms.

use super::canonical::Coordinates;
use super::duplicates::Duplicates;
use super::fraction::common_multiple;
use super::{Fraction, Integer, Triplets};
use crate::{Result, memory};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::One;

/// What the memory is for.
const FRACTIONS: &str = "the fractions of a matrix";

/// The denominator of a row.
#[derive(Clone, Debug)]
pub(crate) struct Denominator {
    pub row: u32,
    pub value: BigUint,
    /// The line of the row's first fraction in a file; 0 without one.
    pub line: u64,
}

/// An entry n/d, d > 1, as it is read.
#[derive(Clone, Debug)]
pub(crate) struct FractionEntry {
    pub row: u32,
    pub col: u32,
    pub value: Fraction<'static>,
    pub line: u64,
}

impl FractionEntry {
    /// Adds the transposed off-diagonal entries, negated if `skew`.
    pub fn mirror(entries: &mut Vec<FractionEntry>, skew: bool) -> Result<()> {
        memory::reserve(entries, entries.len(), FRACTIONS)?;
        for k in 0..entries.len() {
            let FractionEntry { row, col, value, line } = &entries[k];
            if row != col {
                let (n, d) = value.clone().into_parts();
                let n = if skew { (-n.to_bigint()).into() } else { n };
                let value = Fraction::new(n, d).expect("denominators are positive");
                entries.push(FractionEntry { row: *col, col: *row, value, line: *line });
            }
        }
        Ok(())
    }
}

/// The matrix of integers and fractions in any order.
///
/// # Errors
/// [`crate::Error::Memory`].
pub(super) fn gather(
    rows: usize,
    cols: usize,
    integers: Coordinates,
    mut fractions: Vec<FractionEntry>,
    duplicates: Duplicates,
) -> Result<(Triplets, Vec<Denominator>)> {
    if fractions.is_empty() {
        return Ok((integers.canonical(rows, cols, duplicates)?, vec![]));
    }
    // Stable: the first of a row is the first of the file.
    fractions.sort_by_key(|entry| entry.row);
    let mut denominators: Vec<Denominator> = vec![];
    for FractionEntry { row, value, line, .. } in &fractions {
        match denominators.last_mut().filter(|last| last.row == *row) {
            Some(last) => last.value = common_multiple(std::mem::take(&mut last.value), value.denominator()),
            None => {
                let value = common_multiple(BigUint::one(), value.denominator());
                memory::push(&mut denominators, Denominator { row: *row, value, line: *line }, FRACTIONS)?;
            }
        }
    }
    let mut all = Coordinates::new();
    let room = integers.row.len() + fractions.len();
    memory::reserve(&mut all.row, room, FRACTIONS)?;
    memory::reserve(&mut all.col, room, FRACTIONS)?;
    all.value.reserve(room)?;
    let Coordinates { row, col, value, big, .. } = integers;
    let entries = row.len() + big.len() + fractions.len();
    for ((&i, &j), v) in row.iter().zip(&col).zip(value.iter()) {
        all.push(i, j, times(v.into(), at(&denominators, i).map(|d| &d.value)));
    }
    for (i, j, v) in big {
        all.push(i, j, times(v.into(), at(&denominators, i).map(|d| &d.value)));
    }
    for FractionEntry { row, col, value, .. } in fractions {
        let common = &at(&denominators, row).expect("the row has a fraction").value;
        let (n, d) = value.into_parts();
        let factor = common / d.to_bigint().magnitude();
        all.push(row, col, times(n, Some(&factor)));
    }
    let numerators = all.canonical(rows, cols, Duplicates::Sum)?;
    // Only sums leave lowest terms.
    if numerators.nnz() == entries { Ok((numerators, denominators)) } else { in_lowest_terms(numerators, denominators) }
}

/// Divides rows by what all their entries have in common with their denominators. Only sums of entries at one
/// position leave that: of single fractions, the one whose denominator has the highest power of a prime keeps a
/// numerator without it.
fn in_lowest_terms(a: Triplets, mut denominators: Vec<Denominator>) -> Result<(Triplets, Vec<Denominator>)> {
    let mut common: Vec<(u32, BigUint)> = vec![];
    for Denominator { row, value, .. } in &denominators {
        let mut gcd = value.clone();
        for (_, _, v) in a.entries_in(a.row_range(*row)) {
            if gcd.is_one() {
                break;
            }
            gcd = gcd.gcd(v.to_bigint().magnitude());
        }
        if !gcd.is_one() {
            common.push((*row, gcd));
        }
    }
    if common.is_empty() {
        return Ok((a, denominators));
    }
    let of = |row: u32| common.binary_search_by_key(&row, |c| c.0).ok().map(|k| &common[k].1);
    let divided = a.entries().map(|(i, j, v)| match of(i as u32) {
        Some(gcd) => (i, j, Integer::from(v.to_bigint() / BigInt::from(gcd.clone()))),
        None => (i, j, v.into_owned()),
    });
    let numerators = Triplets::try_from_entries(a.rows, a.cols, divided)?;
    for d in &mut denominators {
        if let Some(gcd) = of(d.row) {
            d.value /= gcd;
        }
    }
    denominators.retain(|d| !d.value.is_one());
    Ok((numerators, denominators))
}

/// The denominator of a row, if it is above 1.
pub(super) fn at(denominators: &[Denominator], row: u32) -> Option<&Denominator> {
    if denominators.is_empty() {
        return None;
    }
    denominators.binary_search_by_key(&row, |d| d.row).ok().map(|k| &denominators[k])
}

/// A product with a factor, if there is one.
fn times(v: Integer<'_>, factor: Option<&BigUint>) -> Integer<'static> {
    match (v, factor) {
        (v, None) => v.into_owned(),
        (v, Some(factor)) => (v.to_bigint() * BigInt::from(factor.clone())).into(),
    }
}
