//! Sum complexes X_A of a set A of residues mod n (N. Linial, R. Meshulam, M. Rosenthal, *Sum complexes - a new family
//! of hypertrees*, Discrete Comput. Geom. 44, 2010): on the vertices ℤ/n, with |A| = k + 1, all faces of dimension
//! below k and those of dimension k whose vertices sum to a member of A.
//!
//! For a prime n these have no homology over ℚ but in degree 0 (theorem 1.1 there, by Chebotarev's theorem on the
//! minors of a Fourier matrix): ∂_k is then a square matrix but for redundant columns, of rank C(n-1, k), and H_{k-1}
//! is finite, as a rule of enormous order.

use super::assemble::{Shape, by_rows};
use super::combinatorics::{Subsets, binomial, next_subset, product};
use super::complex::sign;
use crate::field::{Modulus, is_prime};
use crate::sparse::Triplets;
use crate::{Error, Result, memory};

/// What the memory is for.
const FACES: &str = "the faces of a sum complex";

/// n and the members of A, which are given behind it.
fn members(numbers: &[usize]) -> Result<(usize, &[usize])> {
    let (&n, members) = numbers.split_first().expect("the number of vertices");
    for (i, a) in members.iter().enumerate() {
        if *a >= n || members[..i].contains(a) {
            let message = format!("{a} is no residue mod {n}, or is there twice: different ones are needed");
            return Err(Error::Usage(message));
        }
    }
    if n <= members.len() {
        return Err(Error::Usage(format!("{} residues need more vertices than {n}", members.len())));
    }
    Ok((n, members))
}

/// The dimension k = |A| - 1.
pub(super) fn dimension(numbers: &[usize]) -> Result<usize> {
    members(numbers).map(|(_, members)| members.len() - 1)
}

/// The boundary matrix ∂_j of X_A: faces and those of one dimension less in lexicographic order.
pub(super) fn boundary(numbers: &[usize], j: usize) -> Result<Triplets> {
    let ((n, members), k) = (members(numbers)?, dimension(numbers)?);
    if j > k {
        return Err(Error::Usage(format!("the dimension is {k}: the largest boundary matrix is b{k}")));
    }
    let count = |r: usize| binomial(n as u128, r as u128);
    let shape = |rows: Option<u128>| Shape::checked(rows, count(j), product([rows, Some(j as u128 + 1)]));
    shape(count(j + 1))?;
    let mut faces: Vec<u64> = vec![];
    let (mut face, mut place): (Vec<usize>, u64) = ((0..=j).collect(), 0);
    loop {
        if j < k || members.contains(&(face.iter().sum::<usize>() % n)) {
            memory::push(&mut faces, place, FACES)?;
        }
        place += 1;
        if !next_subset(&mut face, n) {
            break;
        }
    }
    let tables = Subsets::new(n, j + 1);
    by_rows(shape(Some(faces.len() as u128))?, |i, row| {
        face.clear();
        tables.unrank_within(n, j + 1, faces[i], |x| face.push(x));
        for dropped in 0..=j {
            let rest = (0..=j).filter(|&i| i != dropped).map(|i| face[i]);
            row.push((tables.rank(j, rest) as usize, sign(dropped)));
        }
    })
}

/// The rank of ∂_j: C(n-1, j), that of the whole simplex, below k over every field; for j = k over ℚ if n is prime.
pub(super) fn rank(numbers: &[usize], j: usize, p: Option<Modulus>) -> Option<usize> {
    let k = dimension(numbers).ok()?;
    let known = j < k || (j == k && p.is_none() && is_prime(numbers[0] as u64));
    let of_simplex = || binomial(numbers[0] as u128 - 1, j as u128).and_then(|rank| usize::try_from(rank).ok());
    if known { of_simplex() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::complexes::ChainComplex;

    #[test]
    fn all_faces_below_and_those_with_the_sums_on_top() {
        for numbers in [&[7, 0, 1, 3][..], &[8, 1, 2, 5], &[9, 0, 4], &[11, 0, 1, 2, 6]] {
            let (n, k) = (numbers[0], dimension(numbers).unwrap());
            let boundaries: Vec<_> = (1..=k).map(|j| boundary(numbers, j).unwrap()).collect();
            let complex = ChainComplex::new(boundaries).unwrap();
            complex.check(&[], &Silent).unwrap();
            let cells = complex.cells();
            assert!((0..k).all(|j| cells[j] as u128 == binomial(n as u128, j as u128 + 1).unwrap()), "{numbers:?}");
            if is_prime(n as u64) {
                // Sums are equidistributed: C(n, k+1)/n for each.
                assert_eq!(cells[k] as u128, binomial(n as u128 - 1, k as u128).unwrap(), "{numbers:?}");
            }
        }
        assert!(boundary(&[7, 0, 1, 3], 3).is_err() && boundary(&[7, 0, 1, 1], 2).is_err());
        assert!(boundary(&[7, 0, 1, 7], 2).is_err() && boundary(&[3, 0, 1, 2], 2).is_err());
    }
}
