//! The part of the last invariant factor at primes at which a minor B is cyclic, without factoring it.
//!
//! Let det B = s̃·c and m | s̃ be coprime to c. Localised at a prime q | m, B ~ diag(1, …, 1, qᵉ), and m has
//! exactly qᵉ. Let y/s̃ and x/s̃ be solutions of y·B = s̃·(…) and B·x = s̃·(…) whose denominators have all of m, so
//! that y spans the left null space of B mod m and x the right one. In coordinates in which B is diagonal, y·A and
//! A·x are, up to units, the last row and column of the whole matrix A mod m. So with g and g' the greatest common
//! divisors of m with the entries of y·A\[I, ·\] and of A\[·, J\]·x, that last row and column have contents g and
//! g', what is left of A beside them is their product over m, and **the m-part of s_r(A) is g·g'/m**; all others
//! are 1.

use super::bound::Multiple;
use super::lift::Solution;
use super::minors::places;
use super::parts::shared_part;
use crate::integers::large_gcd;
use crate::sparse::Triplets;
use crate::{Error, Result, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

/// The m-part of s_r(A), m coprime to the cofactor: without the part of m that is returned beside it, which no solution
/// has in its denominator.
pub(super) fn cyclic(
    a: &Triplets,
    (rows, cols): (&[u32], &[u32]),
    multiple: &Multiple,
    m: &BigUint,
) -> Result<(BigUint, BigUint)> {
    if rows.len() == a.rows() && cols.len() == a.cols() {
        return Ok((m.clone(), BigUint::one()));
    }
    let ((y, of_left), (x, of_right)) =
        (null_vector(&multiple.left, multiple, m)?, null_vector(&multiple.right, multiple, m)?);
    let missing = shared_part(m, &(of_left * of_right));
    let m = &(m / &missing);
    let (row, col) = (places(rows, a.rows())?, places(cols, a.cols())?);
    let mut sums = [
        memory::filled(BigInt::ZERO, a.cols(), "null vectors")?,
        memory::filled(BigInt::ZERO, a.rows(), "null vectors")?,
    ];
    for (i, j, v) in a.entries() {
        let v = v.to_bigint();
        if row[i] != u32::MAX {
            sums[0][j] += &v * &y[row[i] as usize];
        }
        if col[j] != u32::MAX {
            sums[1][i] += &v * &x[col[j] as usize];
        }
    }
    let [g, h] = sums.map(|sums| sums.into_iter().fold(m.clone(), |g, v| large_gcd(v.magnitude() % &g, g)));
    let product = g * h;
    if !(&product % m).is_zero() {
        return Err(Error::Check("the contents of null vectors contradict each other".into()));
    }
    Ok((product / m, missing))
}

/// s̃ times a combination of solutions that has the denominator s̃ at the primes of m, as far as one of them has, mod
/// m, and the part of m where none has.
fn null_vector(solutions: &[Solution], multiple: &Multiple, m: &BigUint) -> Result<(Vec<BigInt>, BigUint)> {
    let order = solutions.first().map_or(0, |solution| solution.numerators.len());
    let mut sum = memory::filled(BigInt::ZERO, order, "null vectors")?;
    let (mut open, modulus) = (m.clone(), BigInt::from(m.clone()));
    for Solution { numerators, denominator } in solutions {
        let factor = &multiple.last / denominator;
        let left = shared_part(&open, &factor);
        let full = &open / &left;
        if full.is_one() {
            continue;
        }
        // 1 at these primes, 0 at the others of m.
        let others = m / &full;
        let inverse =
            (&others % &full).modinv(&full).ok_or_else(|| Error::Check("parts that are not coprime".into()))?;
        let factor = BigInt::from(factor * others * inverse % m);
        sum.iter_mut().zip(numerators).for_each(|(sum, y)| *sum = (&*sum + y * &factor) % &modulus);
        open = left;
    }
    Ok((sum, open))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of solutions that lack different primes, the null vector has all that one of them has.
    #[test]
    fn null_vectors_combine_solutions() {
        let solution =
            |x: [i32; 2], d: u32| Solution { numerators: x.map(BigInt::from).to_vec(), denominator: d.into() };
        let multiple = Multiple {
            last: 60u32.into(),
            cofactor: Some(BigUint::one()),
            // Without 5, without 4, and with a part of 4 alone.
            right: vec![solution([1, 0], 12), solution([0, 1], 15), solution([1, 1], 30)],
            left: vec![solution([1, 1], 15), solution([1, 2], 30)],
            words: String::new(),
            proven: true,
        };
        let m = BigUint::from(60u32);
        let (x, missing) = null_vector(&multiple.right, &multiple, &m).unwrap();
        assert!(missing.is_one());
        // 5·(1, 0) mod 4 and mod 3, 4·(0, 1) mod 5.
        let residues = |q: i32| -> Vec<BigInt> { x.iter().map(|v| ((v % q) + q) % q).collect() };
        assert_eq!(residues(4), [1, 0].map(BigInt::from));
        assert_eq!(residues(3), [2, 0].map(BigInt::from));
        assert_eq!(residues(5), [0, 4].map(BigInt::from));
        let (y, missing) = null_vector(&multiple.left, &multiple, &m).unwrap();
        assert_eq!(missing, 4u32.into());
        assert!(y.iter().all(|v| (v % 4i32).is_zero()));
        assert_eq!(null_vector(&[], &multiple, &m).unwrap(), (vec![], m));
    }
}
