//! Products multiplied out, mod p and over the rationals; the primes that claims are checked at.

use blackfield::Result;
use blackfield::field::{Modulus, Rng, random_prime};
use blackfield::large::LargeModulus;
use blackfield::num_bigint::BigInt;
use blackfield::sparse::{RationalMatrix, SparseMatrix, Triplets};
use rand::SeedableRng;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Bits of the random primes, …
pub const BITS: u32 = 61;
/// … of which there are more than two to this.
pub const LOG2_PRIMES: f64 = 54.0;
/// How many of them are tried.
pub const PRIMES: usize = 3;

/// Random primes by a hash of the claim: who makes a wrong one does not know them before.
pub fn primes(claim: &str) -> Vec<Modulus> {
    let mut rng = Rng::from_seed(Sha256::digest(format!("blackfield verify {claim}")).into());
    (0..PRIMES).map(|_| random_prime(BITS, &mut rng)).collect()
}

/// The first row in which A·X is not B, or not 0 without B.
pub fn first_difference(a: &SparseMatrix, x: &SparseMatrix, b: Option<&SparseMatrix>) -> Option<usize> {
    let p = a.modulus();
    let mut sums = vec![0; x.cols()];
    let mut met: Vec<u32> = vec![];
    for i in 0..a.rows() {
        if let Some(b) = b {
            let (cols, values) = b.row(i);
            cols.iter().zip(values).for_each(|(&k, &v)| sums[k as usize] = p.neg(v));
            met.extend(cols);
        }
        let (cols, values) = a.row(i);
        for (&j, &v) in cols.iter().zip(values) {
            let (lanes, coordinates) = x.row(j as usize);
            met.extend(lanes);
            lanes.iter().zip(coordinates).for_each(|(&k, &x)| sums[k as usize] = p.add(sums[k as usize], p.mul(v, x)));
        }
        if met.iter().any(|&k| sums[k as usize] != 0) {
            return Some(i);
        }
        met.drain(..).for_each(|k| sums[k as usize] = 0);
    }
    None
}

/// The rows of the numerators, and the denominator of each.
fn rows(a: &RationalMatrix) -> (Vec<Vec<(usize, BigInt)>>, Vec<BigInt>) {
    let mut rows = vec![vec![]; a.rows()];
    a.numerators().entries().for_each(|(i, j, v)| rows[i].push((j, v.to_bigint())));
    let mut denominators = vec![BigInt::from(1); a.rows()];
    a.denominators().for_each(|(i, d)| denominators[i] = BigInt::from(d.clone()));
    (rows, denominators)
}

/// The first row in which A·X is not B, or not 0 without B, over the rationals.
pub fn first_rational_difference(
    a: &RationalMatrix,
    x: &RationalMatrix,
    b: Option<&RationalMatrix>,
) -> Result<Option<usize>> {
    let (of_a, under_a) = rows(a);
    // One vector a row.
    let (vectors, under_x) = rows(&x.transpose()?);
    let nothing = || (vec![vec![]; a.rows()], vec![BigInt::from(1); a.rows()]);
    let (of_b, under_b) = b.map_or_else(nothing, rows);
    for (k, (vector, d)) in vectors.iter().zip(&under_x).enumerate() {
        let vector: BTreeMap<usize, &BigInt> = vector.iter().map(|(j, v)| (*j, v)).collect();
        for (i, row) in of_a.iter().enumerate() {
            let sum: BigInt = row.iter().filter_map(|(j, v)| Some(v * *vector.get(j)?)).sum();
            let right = of_b[i].iter().find(|(column, _)| *column == k).map(|(_, v)| v * &under_a[i] * d);
            if sum * &under_b[i] != right.unwrap_or_default() {
                return Ok(Some(i));
            }
        }
    }
    Ok(None)
}

/// The entries row by row.
fn integer_rows(a: &Triplets) -> Vec<Vec<(usize, BigInt)>> {
    let mut rows = vec![vec![]; a.rows()];
    a.entries().for_each(|(i, j, v)| rows[i].push((j, v.to_bigint())));
    rows
}

/// The first row in which A·X is not B, or not 0 without B, mod p.
pub fn first_difference_modulo(a: &Triplets, x: &Triplets, b: Option<&Triplets>, p: &LargeModulus) -> Option<usize> {
    let (of_x, of_b, p) = (integer_rows(x), b.map(integer_rows), BigInt::from(p.get().clone()));
    integer_rows(a).iter().enumerate().position(|(i, row)| {
        let mut sums = BTreeMap::<usize, BigInt>::new();
        for (k, v) in of_b.iter().flat_map(|rows| &rows[i]) {
            *sums.entry(*k).or_default() -= v;
        }
        for (j, v) in row {
            of_x[*j].iter().for_each(|(k, x)| *sums.entry(*k).or_default() += v * x);
        }
        sums.values().any(|sum| sum % &p != BigInt::ZERO)
    })
}

/// The first row of A that is not the combination of the rows of R that its entries in the columns `pivots` make.
pub fn first_row_beyond(a: &RationalMatrix, pivots: &[usize], r: &RationalMatrix) -> Option<usize> {
    let (of_r, under_r) = rows(r);
    // A row with another factor is as good.
    rows(a).0.iter().position(|row| {
        let own = || row.iter().filter_map(|(j, v)| Some((pivots.binary_search(j).ok()?, v)));
        let common = own().fold(BigInt::from(1), |common, (k, _)| lcm(&common, &under_r[k]));
        let mut sums: BTreeMap<usize, BigInt> = row.iter().map(|(j, v)| (*j, -v * &common)).collect();
        for (k, v) in own() {
            let factor = v * (&common / &under_r[k]);
            of_r[k].iter().for_each(|(j, x)| *sums.entry(*j).or_default() += &factor * x);
        }
        sums.values().any(|sum| *sum != BigInt::ZERO)
    })
}

fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    let (mut a, mut b) = (a.clone(), b.clone());
    while b != BigInt::ZERO {
        (a, b) = (b.clone(), a % b);
    }
    a
}

pub fn lcm(a: &BigInt, b: &BigInt) -> BigInt {
    a / gcd(a, b) * b
}
