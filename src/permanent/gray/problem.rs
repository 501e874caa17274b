//! The sum to be walked: row contents taken out, equal columns grouped, every row shifted so that the sum is symmetric.
//!
//! For any numbers cᵢ, perm A = Σ_S (-1)^(n-|S|) Πᵢ (cᵢ + Σ_{j∈S} aᵢⱼ) over the subsets S of the columns: a term of the
//! expanded product that uses some cᵢ misses a column and cancels (Ryser; the choice cᵢ = -dᵢ/2 with dᵢ = Σⱼ aᵢⱼ is
//! Nijenhuis and Wilf's, and Glynn's up to a factor 2ⁿ). With it a set and its complement contribute the same, so that
//! half of the sets suffice. A row with even dᵢ stays integral; one with odd dᵢ is doubled, and the answer is divided
//! accordingly: a power-of-two modulus then loses 2^odd instead of 2ⁿ⁻¹. A class of g equal columns needs only how many
//! of them S holds: t = 0…g with weight (-1)^t C(g, t).

use crate::Result;
use crate::integers;
use crate::permanent::IntMatrix;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use std::collections::BTreeMap;

/// A class of equal columns.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// How many columns are equal to this one.
    pub count: usize,
    /// For every row, the change of its value when one of these columns enters S: aᵢⱼ, doubled in an odd row.
    pub steps: Vec<BigInt>,
}

/// perm A · 2^odd = content · (-1)ⁿ Σ_t Π_c (-1)^(t_c) C(g_c, t_c) · Πᵢ (startᵢ + Σ_c t_c stepᵢ_c).
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub n: usize,
    /// Row values of the empty set: -dᵢ/2, or -dᵢ in an odd row.
    pub start: Vec<BigInt>,
    /// Classes of equal columns, in order of first appearance.
    pub classes: Vec<Class>,
    /// The number of rows with odd sum, all of them doubled.
    pub odd: usize,
    /// The product of the greatest common divisors of the rows.
    pub content: BigInt,
}

impl Problem {
    /// The sum for the matrix or its transpose, whichever has fewer terms; `None` if a line is empty and the permanent
    /// therefore 0.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn new(matrix: &IntMatrix) -> Result<Option<Problem>> {
        let Some(rows) = Self::of_rows(matrix) else { return Ok(None) };
        let Some(columns) = Self::of_rows(&matrix.transpose()?) else { return Ok(None) };
        // Equal numbers of terms: fewer doubled rows mean smaller numbers.
        let key = |p: &Problem| (p.terms(), p.odd);
        Ok(Some(if key(&columns) < key(&rows) { columns } else { rows }))
    }

    fn of_rows(matrix: &IntMatrix) -> Option<Problem> {
        let n = matrix.n();
        let mut dense = vec![vec![BigInt::zero(); n]; n];
        for (i, j, v) in matrix.entries() {
            dense[i][j] = v.to_bigint();
        }
        let (mut content, mut start, mut odd) = (BigInt::one(), Vec::with_capacity(n), 0);
        for row in &mut dense {
            let divisor = integers::content(row.iter());
            if divisor.is_zero() {
                return None;
            }
            row.iter_mut().for_each(|v| *v /= &divisor);
            content *= divisor;
            let sum: BigInt = row.iter().sum();
            if sum.bit(0) {
                odd += 1;
                row.iter_mut().for_each(|v| *v *= 2);
                start.push(-sum);
            } else {
                start.push(-sum / 2);
            }
        }
        let mut place = BTreeMap::new();
        let mut classes: Vec<Class> = Vec::new();
        for j in 0..n {
            let steps: Vec<BigInt> = dense.iter().map(|row| row[j].clone()).collect();
            if steps.iter().all(Zero::is_zero) {
                return None;
            }
            match place.get(&steps) {
                Some(&c) => {
                    let class: &mut Class = &mut classes[c];
                    class.count += 1
                }
                None => {
                    place.insert(steps.clone(), classes.len());
                    classes.push(Class { count: 1, steps });
                }
            }
        }
        Some(Problem { n, start, classes, odd, content })
    }

    /// The number of terms, Π (g + 1), before the symmetry halves it.
    pub fn terms(&self) -> BigUint {
        self.classes.iter().map(|class| BigUint::from(class.count + 1)).product()
    }
}
