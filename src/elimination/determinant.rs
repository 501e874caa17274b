//! The determinant mod p of a sparse matrix by elimination, and the pivots in their order, which serve other primes too
//! (see [`super::replay`]).

use super::active::Active;
use super::markowitz::{Buckets, FIRST_CAP};
use super::residue::Residue;
use super::stop::WINDOW;
use crate::decomposition::is_odd;
use crate::sparse::SparseMatrix;
use crate::{Observer, Result, memory};

/// What the memory is for.
const PIVOTS: &str = "the pivots of a determinant";

/// A determinant mod p with the elimination that found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Determinant {
    /// The determinant, a residue.
    pub value: u64,
    /// The pivots (row, column) in the order in which they were taken: as many as the rank.
    pub pivots: Vec<(u32, u32)>,
}

/// det(a) mod p, with pivots of small Markowitz cost. The determinant of the 0 × 0 matrix is 1.
///
/// # Errors
/// [`crate::Error::Interrupted`], [`crate::Error::Memory`].
///
/// # Panics
/// If `a` is not square.
pub fn determinant(a: &SparseMatrix, observer: &dyn Observer) -> Result<Determinant> {
    Ok(determinant_within(a, u64::MAX, observer)?.expect("any number of multiply-adds is allowed"))
}

/// The same with so many multiply-adds at most; `None` if it takes more.
///
/// # Errors
/// As [`determinant`].
///
/// # Panics
/// As [`determinant`].
pub(crate) fn determinant_within(
    a: &SparseMatrix,
    products: u64,
    observer: &dyn Observer,
) -> Result<Option<Determinant>> {
    assert_eq!(a.rows(), a.cols(), "determinants are of square matrices");
    match a.modulus().bits() <= 32 {
        true => with_values::<u32>(a, products, observer),
        false => with_values::<u64>(a, products, observer),
    }
}

fn with_values<V: Residue>(a: &SparseMatrix, products: u64, observer: &dyn Observer) -> Result<Option<Determinant>> {
    let modulus = a.modulus();
    let mut active = Active::<V>::new(a)?;
    let mut buckets = Buckets::new(&active, FIRST_CAP)?;
    let (mut value, mut pivots, mut left) = (1, vec![], products);
    while let Some(pivot) = buckets.search(&active)? {
        if pivots.len().is_multiple_of(WINDOW) {
            observer.check()?;
        }
        match left.checked_sub(active.cost(pivot.row, pivot.col)) {
            Some(rest) => left = rest,
            None => return Ok(None),
        }
        value = modulus.mul(value, active.value(pivot.row, pivot.col));
        active.eliminate(pivot.row, pivot.col)?;
        buckets.update(&active)?;
        memory::push(&mut pivots, (pivot.row, pivot.col), PIVOTS)?;
    }
    if pivots.len() < a.rows() {
        value = 0;
    } else if is_odd(&pivots)? {
        value = modulus.neg(value);
    }
    Ok(Some(Determinant { value, pivots }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::{Modulus, Rng};
    use rand::{RngExt, SeedableRng};

    /// Leibniz' sum.
    fn leibniz(a: &[Vec<u64>], modulus: Modulus) -> u64 {
        let n = a.len();
        if n == 0 {
            return 1;
        }
        (0..n).fold(0, |sum, j| {
            let minor: Vec<Vec<u64>> = a[1..].iter().map(|row| [&row[..j], &row[j + 1..]].concat()).collect();
            let term = modulus.mul(a[0][j], leibniz(&minor, modulus));
            if j % 2 == 0 { modulus.add(sum, term) } else { modulus.sub(sum, term) }
        })
    }

    #[test]
    fn determinants_of_small_matrices() {
        let mut rng = Rng::seed_from_u64(2);
        for p in [2, 3, 65521, (1 << 63) - 25] {
            let modulus = Modulus::new(p).unwrap();
            for round in 0..60 {
                let n = round % 7;
                let density = rng.random_range(0.2..1.0);
                let mut entry = || if rng.random_bool(density) { rng.random_range(0..p) } else { 0 };
                let a: Vec<Vec<u64>> = (0..n).map(|_| (0..n).map(|_| entry()).collect()).collect();
                let places = (0..n * n).filter(|k| a[k / n][k % n] != 0);
                let entries: Vec<_> = places.map(|k| (k / n, k % n, a[k / n][k % n])).collect();
                let found = determinant(&SparseMatrix::from_triplets(modulus, n, n, &entries), &Silent).unwrap();
                assert_eq!(found.value, leibniz(&a, modulus), "{a:?} mod {p}");
                assert_eq!(found.value != 0, found.pivots.len() == n);
                // As many multiply-adds as its elimination has are enough, one less is not.
                let matrix = SparseMatrix::from_triplets(modulus, n, n, &entries);
                let within = |products| determinant_within(&matrix, products, &Silent).unwrap();
                let least = (0..300).find(|&products| within(products).is_some()).unwrap();
                assert_eq!(within(least), Some(found.clone()));
                assert!(least == 0 || within(least - 1).is_none());
                if found.value != 0 {
                    let replay = super::super::Replay::new(&found.pivots, |i| matrix.row(i as usize).0).unwrap();
                    assert!(least <= replay.products() as u64, "{a:?}: {least}");
                }
            }
        }
    }
}
