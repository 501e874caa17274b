//! The determinant mod p, from the decomposition of a nonsingular matrix: the product of its pivots, what rows of
//! complements were divided by, and the determinant of the dense core, with the sign of the order in which lines were
//! taken. A rank below n is a determinant of 0, and as sure as that rank. Over GF(2) the rank is all. Entry:
//! [`determinant()`].

use super::kernel::check;
use super::rank::{Rank, RankOptions, rank};
use crate::certify::Certainty;
use crate::elimination;
use crate::sparse::SparseMatrix;
use crate::{Error, Observer, Result};

/// A determinant mod p.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct Determinant {
    /// The determinant, a residue.
    pub value: u64,
    /// The rank, and how it was found.
    pub rank: Rank,
    /// How sure the determinant is: proven, unless it is 0 and the rank is not.
    pub certainty: Certainty,
}

/// det `a`; 1 for the 0 × 0 matrix. Of the options, the seed, the memory, the prices, the patience and `proven` count;
/// block Wiedemann is refused.
///
/// ```
/// use blackfield::{Silent, answers::{RankOptions, determinant}, field::Modulus, sparse::SparseMatrix};
/// let a = SparseMatrix::from_csr(Modulus::new(7)?, 2, &[0, 2, 4], &[0, 1, 0, 1], &[1, 2, 3, 4])?;
/// assert_eq!(determinant(&a, &RankOptions::default(), &Silent)?.value, 5); // 4 - 6
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Matrix`] unless `a` is square, [`Error::Usage`] for options out of range, [`Error::Memory`] if no way fits
/// or memory ends, [`Error::Interrupted`] when the observer says so, and [`Error::Check`] if a computation contradicts
/// itself.
pub fn determinant(a: &SparseMatrix, options: &RankOptions, observer: &dyn Observer) -> Result<Determinant> {
    check(options)?;
    let (rows, cols) = (a.rows(), a.cols());
    if rows != cols {
        return Err(Error::Matrix(format!("{rows} x {cols}: a determinant is of a square matrix")));
    }
    let options = RankOptions { minor: true, ..options.clone() };
    let mut rank = rank(a, &options, observer)?;
    let minor = rank.minor.take().ok_or_else(|| Error::Check("a rank without the minor asked for".into()))?;
    if rank.rank < rows {
        return Ok(Determinant { value: 0, certainty: rank.certainty, rank });
    }
    let value = match minor.determinant(a)? {
        _ if a.modulus().get() == 2 => 1,
        Some(value) => value,
        None => {
            drop(minor);
            let mut phases = std::mem::take(&mut rank.phases);
            let found = phases.time("sparse elimination", || elimination::determinant(a, observer))?;
            rank.phases = phases;
            found.value
        }
    };
    if value == 0 {
        return Err(Error::Check(format!("a matrix of full rank {rows} with determinant 0")));
    }
    Ok(Determinant { value, rank, certainty: Certainty::Proven })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{Kind, Machine};
    use crate::dense;
    use crate::field::{Modulus, PrimeField, Rng};
    use crate::oracles::dense_rank;
    use crate::{Silent, families};
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};

    fn check(a: &SparseMatrix, machine: &Machine) -> bool {
        let n = a.rows();
        let mut all = vec![0; n * n];
        for i in 0..n {
            a.row(i).0.iter().zip(a.row(i).1).for_each(|(&j, &v)| all[i * n + j as usize] = v);
        }
        let expected = dense::determinant(&PrimeField(a.modulus()), n, &mut all);
        let found = determinant(a, &RankOptions::default().machine(machine.clone()), &Silent).unwrap();
        assert_eq!(found.value, expected, "{n} mod {}: {:?}", a.modulus(), found.rank.path);
        assert_eq!(found.rank.rank, dense_rank(a));
        expected != 0
    }

    #[test]
    fn determinants_are_those_of_dense_elimination() {
        let mut rng = Rng::seed_from_u64(71);
        let reference = Machine::reference();
        let formed = reference.scaled(Kind::Passes, 1e6).scaled(Kind::Dense, 1e6).scaled(Kind::Sparse, 1e-6);
        let mut other = 0;
        for p in [2, 3, 5, 251, 65521, (1 << 31) - 1, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for (n, weight) in [(0, 0), (1, 1), (2, 2), (9, 2), (60, 2), (60, 5), (150, 3), (90, 80)] {
                // A transversal in any order, so that most are nonsingular.
                let mut to: Vec<usize> = (0..n).collect();
                to.shuffle(&mut rng);
                let unit = |rng: &mut Rng| rng.random_range(1..p.get());
                let mut entries: Vec<_> = (0..n).map(|i| (i, to[i], unit(&mut rng))).collect();
                entries.extend(
                    (0..n * (weight - 1.min(weight)))
                        .map(|_| (rng.random_range(0..n), rng.random_range(0..n), unit(&mut rng))),
                );
                let a = SparseMatrix::from_triplets(p, n, n, &entries);
                for machine in [&reference, &formed] {
                    other += usize::from(check(&a, machine));
                }
            }
        }
        assert!(other > 50, "{other} are nonsingular");
    }

    /// Blocks on the diagonal, whose rows and columns are mixed: components with determinants of their own.
    #[test]
    fn components_multiply() {
        let mut rng = Rng::seed_from_u64(72);
        let p = Modulus::new(65521).unwrap();
        let (mut rows, mut cols): (Vec<usize>, Vec<usize>) = ((0..500).collect(), (0..500).collect());
        rows.shuffle(&mut rng);
        cols.shuffle(&mut rng);
        let entries: Vec<_> = (0..5000)
            .map(|k| {
                let block = if k % 2 == 0 { 0..230 } else { 230..500 };
                let at = [(); 2].map(|()| rng.random_range(block.clone()));
                (rows[at[0]], cols[at[1]], rng.random_range(1..65521))
            })
            .collect();
        let a = SparseMatrix::from_triplets(p, 500, 500, &entries);
        assert!(check(&a, &Machine::reference()));
        let trefethen = families::generate("Trefethen_150").unwrap().reduce(p);
        assert!(check(&trefethen, &Machine::reference()));
    }

    #[test]
    fn only_square_matrices_have_one() {
        let a = SparseMatrix::from_triplets(Modulus::new(5).unwrap(), 2, 3, &[]);
        assert!(matches!(determinant(&a, &RankOptions::default(), &Silent), Err(Error::Matrix(_))));
    }
}
