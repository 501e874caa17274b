//! Matrices over ℚ: each row is a row of integers over one denominator.
//!
//! A = D⁻¹·N with N integer and D diagonal, row by row in lowest terms: no prime divides the denominator and all
//! entries of a row, so that equal matrices have equal parts. What does not depend on the scale of rows (rank, null
//! space, row space) is that of N; mod p, A exists if p divides no denominator. Most matrices have none: then all this
//! costs nothing. Entry points: [`RationalMatrix::from_entries`], [`io::read_rational`](crate::io::read_rational).

use super::canonical::Coordinates;
use super::denominators::{Denominator, FractionEntry, at, gather};
use super::duplicates::Duplicates;
use super::fraction::over;
use super::{Fraction, Integer, SparseMatrix, Triplets};
use crate::field::Modulus;
use crate::{Error, Result, memory};
use num_bigint::BigUint;
use num_traits::Zero;
use sha2::{Digest, Sha256};

/// What the memory is for.
const FRACTIONS: &str = "the fractions of a matrix";

/// A matrix over ℚ: integer rows, each over a denominator.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RationalMatrix {
    numerators: Triplets,
    /// Those above 1, by row.
    denominators: Vec<Denominator>,
}

/// Equal as matrices.
impl PartialEq for RationalMatrix {
    fn eq(&self, other: &Self) -> bool {
        self.numerators == other.numerators && self.denominators().eq(other.denominators())
    }
}
impl Eq for RationalMatrix {}

impl From<Triplets> for RationalMatrix {
    fn from(numerators: Triplets) -> Self {
        RationalMatrix { numerators, denominators: vec![] }
    }
}

impl RationalMatrix {
    /// The rows × cols matrix of the given entries (row, column, value), 0-based, in any order; values at one position
    /// are summed, zeros dropped.
    ///
    /// # Errors
    /// [`Error::Matrix`] if an index is out of range or a dimension exceeds 2³² - 1, [`Error::Memory`].
    pub fn from_entries(
        rows: usize,
        cols: usize,
        entries: impl IntoIterator<Item = (usize, usize, Fraction<'static>)>,
    ) -> Result<Self> {
        let (mut integers, mut fractions) = (Coordinates::new(), vec![]);
        for (i, j, value) in entries {
            if i >= rows || j >= cols {
                return Err(Error::Matrix(format!("entry ({i}, {j}) outside {rows} x {cols}, counted from 0")));
            }
            let (row, col) = (i as u32, j as u32);
            match value.into_integer() {
                Ok(value) => integers.push(row, col, value),
                Err(value) => memory::push(&mut fractions, FractionEntry { row, col, value, line: 0 }, FRACTIONS)?,
            }
        }
        if rows.max(cols) > u32::MAX as usize {
            return Err(Error::Matrix(format!("{rows} x {cols}: a dimension beyond 32-bit indices")));
        }
        RationalMatrix::gather(rows, cols, integers, fractions, Duplicates::Sum)
    }

    /// The matrix of integers and fractions in any order.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn gather(
        rows: usize,
        cols: usize,
        integers: Coordinates,
        fractions: Vec<FractionEntry>,
        duplicates: Duplicates,
    ) -> Result<Self> {
        let (numerators, denominators) = gather(rows, cols, integers, fractions, duplicates)?;
        Ok(RationalMatrix { numerators, denominators })
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.numerators.rows
    }
    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.numerators.cols
    }
    /// Number of stored (non-zero) entries.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.numerators.nnz()
    }
    /// N: row i is that of the matrix times its denominator.
    pub fn numerators(&self) -> &Triplets {
        &self.numerators
    }
    /// The denominators above 1, by ascending rows.
    pub fn denominators(&self) -> impl Iterator<Item = (usize, &BigUint)> {
        self.denominators.iter().map(|d| (d.row as usize, &d.value))
    }
    /// Whether all entries are integers.
    #[must_use]
    pub fn is_integral(&self) -> bool {
        self.denominators.is_empty()
    }
    /// The matrix if all entries are integers.
    pub fn into_integers(self) -> Option<Triplets> {
        self.is_integral().then_some(self.numerators)
    }
    /// N, and the denominators above 1 with their rows.
    pub fn into_parts(self) -> (Triplets, Vec<(usize, BigUint)>) {
        (self.numerators, self.denominators.into_iter().map(|d| (d.row as usize, d.value)).collect())
    }
    /// All entries (row, column, value), 0-based, by rows and by columns within a row.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, Fraction<'_>)> {
        self.entries_in(0..self.nnz())
    }
    /// The entries at the given positions of that order.
    pub(crate) fn entries_in(
        &self,
        range: std::ops::Range<usize>,
    ) -> impl Iterator<Item = (usize, usize, Fraction<'_>)> {
        self.numerators.entries_in(range).map(|(i, j, v)| match at(&self.denominators, i as u32) {
            Some(d) => (i, j, over(v, &d.value)),
            None => (i, j, v.into()),
        })
    }

    /// The transpose.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn transpose(&self) -> Result<Self> {
        if self.is_integral() {
            return Ok(self.numerators.try_transpose()?.into());
        }
        let turned = self.entries().map(|(i, j, v)| (j, i, v.into_owned()));
        RationalMatrix::from_entries(self.cols(), self.rows(), turned)
    }

    /// The first row whose denominator p divides, with the denominator and the line of its first fraction in the file
    /// that it was read from (0 without one): the matrix has no residues mod p.
    pub fn without_residues(&self, p: Modulus) -> Option<(usize, &BigUint, u64)> {
        let found = self.denominators.iter().find(|d| (&d.value % p.get()).is_zero());
        found.map(|d| (d.row as usize, &d.value, d.line))
    }
    /// The matrix mod p: n·d⁻¹ for each entry n/d.
    ///
    /// # Errors
    /// [`Error::Modulus`] if p divides a denominator, [`Error::Memory`].
    pub fn into_reduced(self, p: Modulus) -> Result<SparseMatrix> {
        let inverses = self.inverses(p)?;
        let mut a = self.numerators.into_reduced(p)?;
        for (row, inverse) in inverses {
            let row = a.start[row as usize]..a.start[row as usize + 1];
            a.value[row].iter_mut().for_each(|v| *v = p.mul(*v, inverse));
        }
        Ok(a)
    }
    /// The integer matrix of the residues 0 … p-1 of its entries.
    ///
    /// # Errors
    /// As [`RationalMatrix::into_reduced`].
    pub fn residues(&self, p: Modulus) -> Result<Triplets> {
        let inverses = self.inverses(p)?;
        let of = |row: usize| inverses.binary_search_by_key(&(row as u32), |i| i.0).map_or(1, |k| inverses[k].1);
        let residues = self.numerators.residues(p)?;
        let entries = residues.entries().map(|(i, j, v)| {
            let Integer::Small(v) = v else { unreachable!("residues are below 2^63") };
            (i, j, p.mul(v as u64, of(i)) as i64)
        });
        Triplets::try_from_entries(self.rows(), self.cols(), entries)
    }
    /// The inverses mod p of the denominators above 1, by rows.
    fn inverses(&self, p: Modulus) -> Result<Vec<(u32, u64)>> {
        if let Some((row, d, _)) = self.without_residues(p) {
            return Err(Error::Modulus(format!("row {}: {p} divides its denominator {d}", row + 1)));
        }
        let inverse = |d: &Denominator| (d.row, p.inv(p.reduce_bigint(&d.value.clone().into())));
        memory::collect(self.denominators.iter().map(inverse), FRACTIONS)
    }

    /// [`Triplets::digest`] of a matrix of integers. Otherwise SHA-256 over the ASCII bytes `blackfield fractions 1\n`,
    /// that digest of N, and for each denominator above 1, by rows: the row as 4 bytes, the number of bytes of its
    /// shortest form as 8 bytes, that form; all little-endian.
    #[must_use]
    pub fn digest(&self) -> String {
        let digest = self.numerators.digest();
        if self.is_integral() {
            return digest;
        }
        let mut hash = Sha256::new();
        hash.update(b"blackfield fractions 1\n");
        hash.update(digest);
        for d in &self.denominators {
            let bytes = d.value.to_bytes_le();
            hash.update(d.row.to_le_bytes());
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(&bytes);
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use num_bigint::BigInt;
    use num_integer::Integer as _;
    use num_traits::One;
    use rand::{RngExt, SeedableRng};
    use std::collections::BTreeMap;

    fn fraction(n: i64, d: i64) -> Fraction<'static> {
        Fraction::new(n.into(), d.into()).unwrap()
    }

    /// Sums of fractions as pairs of big integers, never reduced.
    fn naive(entries: &[(usize, usize, Fraction<'static>)]) -> BTreeMap<(usize, usize), (BigInt, BigInt)> {
        let mut sums = BTreeMap::new();
        for (i, j, v) in entries {
            let (n, d) = (v.numerator().to_bigint(), v.denominator().to_bigint());
            let sum = sums.entry((*i, *j)).or_insert((BigInt::zero(), BigInt::one()));
            *sum = (&sum.0 * &d + n * &sum.1, &sum.1 * d);
        }
        sums.retain(|_, (n, _)| !n.is_zero());
        sums
    }

    #[test]
    fn matrices_are_the_sums_of_their_entries_in_lowest_terms() {
        let mut rng = Rng::seed_from_u64(71);
        let large = BigInt::from(3u128 << 90);
        for round in 0..200 {
            let entries: Vec<_> = (0..round % 23)
                .map(|_| {
                    let d = [1, 1, 2, 4, 6, -9, 35][rng.random_range(0..7usize)];
                    let mut n = BigInt::from(rng.random_range(-4i64..=4));
                    let mut d = BigInt::from(d);
                    if rng.random_range(0..6) == 0 {
                        n *= &large;
                    }
                    if rng.random_range(0..6) == 0 {
                        d *= &large + 1;
                    }
                    let value = Fraction::new(n.into(), d.into()).unwrap();
                    (rng.random_range(0..4usize), rng.random_range(0..3usize), value)
                })
                .collect();
            let a = RationalMatrix::from_entries(4, 3, entries.clone()).unwrap();
            let sums = naive(&entries);
            assert_eq!(a.nnz(), sums.len());
            for (i, j, v) in a.entries() {
                let (n, d) = &sums[&(i, j)];
                assert_eq!(v.numerator().to_bigint() * d, v.denominator().to_bigint() * n, "{entries:?}");
            }
            for (row, d) in a.denominators() {
                let own = a.numerators().entries().filter(|e| e.0 == row);
                let common = own.fold(d.clone(), |gcd, (_, _, v)| gcd.gcd(v.to_bigint().magnitude()));
                assert!(common.is_one() && !d.is_one(), "row {row} of {entries:?}");
            }
            assert_eq!(a.transpose().unwrap().transpose().unwrap(), a);
            let again = a.entries().map(|(i, j, v)| (i, j, v.into_owned()));
            assert_eq!(RationalMatrix::from_entries(4, 3, again).unwrap().digest(), a.digest());
            for p in [2, 3, 7, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
                let bad = a.denominators().find(|(_, d)| (*d % p.get()).is_zero()).map(|(row, _)| row);
                assert_eq!(a.without_residues(p).map(|(row, ..)| row), bad);
                match a.clone().into_reduced(p) {
                    Err(error) => assert!(matches!(error, Error::Modulus(_)) && bad.is_some()),
                    Ok(residues) => {
                        assert!(bad.is_none() && a.residues(p).unwrap().reduce(p) == residues);
                        for (i, j, v) in a.entries() {
                            let [n, d] = [v.numerator(), v.denominator()].map(|v| p.reduce_bigint(&v.to_bigint()));
                            let at = residues.row(i).0.binary_search(&(j as u32));
                            assert_eq!(at.map_or(0, |at| residues.row(i).1[at]), p.mul(n, p.inv(d)));
                        }
                        assert!(residues.nnz() <= a.nnz());
                    }
                }
            }
        }
    }

    #[test]
    fn denominators_that_cancel_are_gone() {
        let halves = [(0, 0, fraction(1, 2)), (0, 0, fraction(1, 2)), (1, 1, fraction(1, 6)), (1, 1, fraction(1, 3))];
        let a = RationalMatrix::from_entries(2, 2, halves.clone()).unwrap();
        assert_eq!(a.denominators().collect::<Vec<_>>(), [(1, &BigUint::from(2u32))]);
        assert_eq!(a.numerators(), &Triplets::from_entries(2, 2, [(0, 0, 1), (1, 1, 1)]));
        assert!(a.clone().into_integers().is_none() && !a.is_integral());
        let whole = RationalMatrix::from_entries(2, 2, halves[..2].to_vec()).unwrap();
        assert_eq!(whole.digest(), Triplets::from_entries(2, 2, [(0, 0, 1)]).digest());
        assert_ne!(a.digest(), a.numerators().digest());
        assert_eq!(whole.into_integers(), Some(Triplets::from_entries(2, 2, [(0, 0, 1)])));
        let nothing = RationalMatrix::from_entries(1, 1, [(0, 0, fraction(1, 2)), (0, 0, fraction(-1, 2))]).unwrap();
        assert_eq!((nothing.nnz(), nothing.is_integral()), (0, true));
        for (i, j) in [(2, 0), (0, 2)] {
            let error = RationalMatrix::from_entries(2, 2, [(i, j, fraction(1, 2))]).unwrap_err();
            assert!(matches!(error, Error::Matrix(_)));
        }
    }
}
