//! How large a permanent can be: proven upper bounds on |perm A| in bits. They determine how many residues fix the
//! integer, and catch an answer that cannot be right.
//!
//! | rule | bound | for | source |
//! |---|---|---|---|
//! | row sums | Π Σⱼ \|aᵢⱼ\| | all | expansion of the product of the row sums |
//! | Bregman–Minc | Π (rᵢ!)^(1/rᵢ), rᵢ the row degrees | 0–1 | L. M. Bregman, Soviet Math. Dokl. 14 (1973) |
//! | Hadamard type | n! n^(-n/2) Π ‖aᵢ‖₂ | all | E. Carlen, E. H. Lieb, M. Loss, Methods Appl. Anal. 13 (2006) |
//!
//! Each holds for rows and for columns; [`permanent_bound`] takes the smallest. Logarithms are integers in units of
//! 2⁻³² rounded up at every step, so that "bits" is never too small.

use super::matrix::IntMatrix;
use crate::Result;
use crate::integers::{Bound, FRACTION, log2_of_product, log2_units};
use crate::sparse::Integer;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use std::collections::HashMap;

/// The smallest of the module's bounds; 0 bits for n = 0, where the permanent is 1, and for a matrix with an empty
/// line, where it is 0.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn permanent_bound(matrix: &IntMatrix) -> Result<Bound> {
    let transposed = matrix.transpose()?;
    let mut best = Bound { bits: u64::MAX, rule: "" };
    let sides = [
        (matrix, ["row sums", "Bregman–Minc by rows", "Carlen–Lieb–Loss by rows"]),
        (&transposed, ["column sums", "Bregman–Minc by columns", "Carlen–Lieb–Loss by columns"]),
    ];
    for (side, names) in sides {
        let bregman = matrix.is_01().then(|| bregman_minc(side));
        for (units, rule) in [Some(line_sums(side)), bregman, Some(hadamard_type(side))].into_iter().zip(names) {
            let bits = units.unwrap_or(u64::MAX).div_ceil(1 << FRACTION);
            if bits < best.bits {
                best = Bound { bits, rule };
            }
        }
    }
    Ok(best)
}

/// log₂ Π Σⱼ |aᵢⱼ|, rounded up, in units of 2⁻³²; 0 if a row is empty.
fn line_sums(matrix: &IntMatrix) -> u64 {
    let sums = matrix.rows().map(|row| row.iter().map(|(_, v)| magnitude(v)).sum::<BigUint>());
    log2_of_product(sums).unwrap_or(0)
}

/// log₂ Π (rᵢ!)^(1/rᵢ), rounded up, in units of 2⁻³²; 0 if a row is empty.
fn bregman_minc(matrix: &IntMatrix) -> u64 {
    if matrix.rows().any(<[_]>::is_empty) {
        return 0;
    }
    let mut root = HashMap::new(); // of r!, for each degree r
    let log2_root = |r: usize| log2_units(&factorial(r)).div_ceil(r as u64);
    matrix.rows().map(|row| *root.entry(row.len()).or_insert_with_key(|&r| log2_root(r))).sum()
}

/// log₂ of n! n^(-n/2) Π ‖aᵢ‖₂, rounded up, in units of 2⁻³²; 0 if a row is empty. With N = Π ‖aᵢ‖₂² the bound's square
/// is the rational (n!)² N / nⁿ, rounded up to an integer.
fn hadamard_type(matrix: &IntMatrix) -> u64 {
    let n = matrix.n();
    let norms = matrix.rows().map(|row| row.iter().map(|(_, v)| magnitude(v).pow(2)).sum::<BigUint>());
    let product: BigUint = norms.product();
    if product.is_zero() {
        return 0;
    }
    let denominator = BigUint::from(n).pow(n as u32);
    let square: BigUint = (factorial(n).pow(2) * product + &denominator - 1u32) / denominator;
    log2_units(&square).div_ceil(2)
}

fn magnitude(v: &Integer<'_>) -> BigUint {
    match v {
        Integer::Small(v) => BigUint::from(v.unsigned_abs()),
        Integer::Big(v) => BigInt::magnitude(v).clone(),
    }
}

fn factorial(n: usize) -> BigUint {
    (2..=n).fold(BigUint::one(), |f, k| f * k)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ones(n: usize) -> IntMatrix {
        IntMatrix::from_entries(n, (0..n * n).map(|k| (k / n, k % n, 1i64)))
    }

    #[test]
    fn bregman_minc_is_attained_by_blocks_of_ones() {
        for n in 1..30usize {
            let units = bregman_minc(&ones(n));
            let factorial = log2_units(&factorial(n));
            assert!(units >= factorial && units <= factorial + 2 * n as u64, "{n}");
            assert_eq!(permanent_bound(&ones(n)).unwrap().bits, units.div_ceil(1 << FRACTION));
        }
    }

    #[test]
    fn carlen_lieb_loss_is_attained_by_constant_rows() {
        for n in 1..20usize {
            let units = hadamard_type(&ones(n));
            let factorial = log2_units(&factorial(n));
            assert!(units >= factorial && units <= factorial + 2, "{n}");
        }
    }

    #[test]
    fn degenerate_matrices_have_bounds() {
        assert_eq!(permanent_bound(&IntMatrix::from_entries(0, [] as [(usize, usize, i64); 0])).unwrap().bits, 0);
        assert_eq!(permanent_bound(&IntMatrix::from_entries(3, [(0, 0, 1i64), (1, 1, 1)])).unwrap().bits, 0);
        let big = BigInt::from(-1) << 200;
        assert_eq!(permanent_bound(&IntMatrix::from_entries(1, [(0, 0, big)])).unwrap().bits, 200);
        let identity = IntMatrix::from_entries(9, (0..9).map(|i| (i, i, 1i64)));
        assert_eq!(permanent_bound(&identity).unwrap(), Bound { bits: 0, rule: "row sums" });
    }
}
