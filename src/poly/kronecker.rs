//! Kronecker's substitution: elements of GF(pᵏ) as k digits in 2k - 1 slots, so that coefficient c of a product
//! occupies the slots (2k-1)c … (2k-1)c + 2k-2, and its 2k - 1 digit sums are folded by the powers tʲ.

use crate::field::{Accumulator, DelayBudget, Field};

/// Σ dⱼ tʲ for 2k - 1 digits.
pub(crate) struct Fold<'a, F: Field> {
    pub(crate) field: &'a F,
    degree: usize,
    pub(crate) stride: usize,
    /// For i < k: the (j, c) with c ≠ 0 the digit of tⁱ in tʲ, j = k … 2k-2. Few where the defining polynomial is
    /// sparse.
    weights: Vec<Vec<(usize, u64)>>,
    /// Whether a sum of k products of digits and one digit fits 128 bits.
    delayed: bool,
}

impl<'a, F: Field> Fold<'a, F> {
    pub(crate) fn new(field: &'a F) -> Self {
        let degree = field.degree();
        let mut weights = vec![Vec::new(); degree];
        let mut digits = vec![0; degree];
        if degree > 1 {
            digits[1] = 1;
            let t = field.from_digits(&digits);
            let mut power = (1..degree).fold(field.one(), |power, _| field.mul(power, t));
            for j in degree..2 * degree - 1 {
                power = field.mul(power, t);
                field.write_digits(power, &mut digits);
                for (weights, &digit) in weights.iter_mut().zip(&digits) {
                    if digit != 0 {
                        weights.push((j, digit));
                    }
                }
            }
        }
        let budget = DelayBudget::plain(field.modulus(), Accumulator::U128);
        let delayed = budget.products_above(u128::from(budget.largest_residue())) >= degree;
        Fold { field, degree, stride: 2 * degree - 1, weights, delayed }
    }

    /// The element; the lower k digits are overwritten.
    #[inline(always)]
    pub(crate) fn element(&self, digits: &mut [u64]) -> F::Elem {
        if self.degree > 1 {
            self.reduce(digits);
        }
        self.field.from_digits(&digits[..self.degree])
    }

    fn reduce(&self, digits: &mut [u64]) {
        let modulus = self.field.modulus();
        let (low, high) = digits.split_at_mut(self.degree);
        for (low, weights) in low.iter_mut().zip(&self.weights) {
            let products = weights.iter().map(|&(j, c)| high[j - self.degree] as u128 * c as u128);
            *low = if self.delayed {
                modulus.reduce_u128(products.fold(*low as u128, |sum, x| sum + x))
            } else {
                products.fold(*low, |sum, x| modulus.add(sum, modulus.reduce_u128(x)))
            };
        }
    }
}
