//! The contents of rows and columns, divided out: the rank over ℚ stays, the minors shrink.
//!
//! The content of a line is the greatest common divisor of its entries. After the rows are divided by theirs, and then
//! the columns by theirs, every line has content 1: a common divisor of what is left of a row would divide the row as
//! it was before the columns were divided, whose content was 1 already.

use crate::integers::{gcd, large_gcd};
use crate::sparse::{Integer, Triplets};
use crate::{Result, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// `a` with every row and then every column divided by its content. Linear in the entries, but for the Euclidean
/// algorithm on entries beyond 64 bits.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(super) fn without_contents(a: &Triplets) -> Result<Cow<'_, Triplets>> {
    let mut a = Cow::Borrowed(a);
    for of_rows in [true, false] {
        let mut contents = Contents::new(if of_rows { a.rows() } else { a.cols() })?;
        a.entries().for_each(|(i, j, v)| contents.add(if of_rows { i } else { j }, &v));
        if contents.some_exceed_one() {
            let divided = a.entries().map(|(i, j, v)| (i, j, contents.divide(if of_rows { i } else { j }, v)));
            a = Cow::Owned(Triplets::try_from_entries(a.rows(), a.cols(), divided)?);
        }
    }
    Ok(a)
}

/// The greatest common divisors of lines.
struct Contents {
    /// Where it has 64 bits at most: 0 for a line without entries yet, and where it has more.
    small: Vec<u64>,
    large: BTreeMap<usize, BigUint>,
}

impl Contents {
    fn new(lines: usize) -> Result<Self> {
        let small = memory::zeros(lines, "the contents of the lines")?;
        Ok(Contents { small, large: BTreeMap::new() })
    }
    fn add(&mut self, line: usize, v: &Integer<'_>) {
        let own = self.small[line];
        match v {
            _ if own == 1 => {}
            Integer::Small(v) => {
                let v = v.unsigned_abs();
                let rest = self.large.remove(&line).map_or(own, |large| remainder(&large, v));
                self.small[line] = gcd(v, rest);
            }
            Integer::Big(v) if own > 0 => self.small[line] = gcd(own, remainder(v.magnitude(), own)),
            Integer::Big(v) => {
                let divisor = match self.large.remove(&line) {
                    Some(large) => large_gcd(large, v.magnitude().clone()),
                    None => v.magnitude().clone(),
                };
                match divisor.to_u64() {
                    Some(small) => self.small[line] = small,
                    None => drop(self.large.insert(line, divisor)),
                }
            }
        }
    }
    fn some_exceed_one(&self) -> bool {
        !self.large.is_empty() || self.small.iter().any(|&d| d > 1)
    }
    /// An entry of a line divided by the line's content.
    fn divide(&self, line: usize, v: Integer<'_>) -> Integer<'static> {
        match (v, self.small[line]) {
            (Integer::Small(v), 1) => Integer::Small(v),
            // In 128 bits, since -2⁶³ may be divided by 2⁶³.
            (Integer::Small(v), d) if d > 0 => Integer::from(i128::from(v) / i128::from(d)),
            (v, 0) => Integer::from(v.to_bigint() / BigInt::from(self.large[&line].clone())),
            (v, d) => Integer::from(v.to_bigint() / d),
        }
    }
}

/// x mod d for d > 0.
fn remainder(x: &BigUint, d: u64) -> u64 {
    (x % d).to_u64().expect("a remainder is below its divisor")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use num_traits::Zero;
    use rand::{RngExt, SeedableRng};

    /// The contents of all non-empty lines, by big integers only.
    fn contents(a: &Triplets) -> Vec<BigUint> {
        let (mut rows, mut cols) = (vec![BigUint::ZERO; a.rows()], vec![BigUint::ZERO; a.cols()]);
        for (i, j, v) in a.entries() {
            let v = v.to_bigint().magnitude().clone();
            rows[i] = large_gcd(std::mem::take(&mut rows[i]), v.clone());
            cols[j] = large_gcd(std::mem::take(&mut cols[j]), v);
        }
        rows.into_iter().chain(cols).filter(|c| !c.is_zero()).collect()
    }

    #[test]
    fn lines_become_primitive_by_one_factor_each() {
        let mut rng = Rng::seed_from_u64(1);
        for round in 0..400 {
            let (rows, cols) = (rng.random_range(1..6), rng.random_range(1..6));
            // Contents of one word, of a word and a bit, of several; entries on both sides of 2⁶³.
            let size = [0, 1, 30, 62, 63, 64, 65, 200][round % 8];
            let factor = |rng: &mut Rng| (BigInt::from(1) << rng.random_range(0..=size)) * rng.random_range(1..50);
            let scale: [Vec<BigInt>; 2] = [rows, cols].map(|n| (0..n).map(|_| factor(&mut rng)).collect());
            let entries: Vec<_> = (0..rng.random_range(0..12))
                .map(|_| (rng.random_range(0..rows), rng.random_range(0..cols), rng.random_range(-9i64..10)))
                .map(|(i, j, v)| (i, j, v * &scale[0][i] * &scale[1][j]))
                .collect();
            let a = Triplets::from_entries(rows, cols, entries);
            let b = without_contents(&a).unwrap();
            assert!(contents(&b).iter().all(|c| *c == 1u8.into()), "{a:?}");
            // b[i, j] = a[i, j]/(rᵢ·cⱼ): the same positions, the same sign, proportions kept in every 2 x 2 minor of
            // entries.
            let pairs: Vec<_> = a.entries().zip(b.entries()).collect();
            assert_eq!(a.nnz(), b.nnz());
            for ((i, j, v), (k, l, w)) in &pairs {
                assert_eq!((i, j), (k, l));
                let (v, w) = (v.to_bigint(), w.to_bigint());
                assert!(&v % &w == BigInt::ZERO && v.sign() == w.sign());
            }
            assert!(matches!(without_contents(&b).unwrap(), Cow::Borrowed(_)), "nothing is left to divide");
        }
    }

    #[test]
    fn the_least_word_and_its_own_content() {
        let a = Triplets::from_entries(1, 2, [(0, 0, i64::MIN), (0, 1, i64::MIN)]);
        assert_eq!(*without_contents(&a).unwrap(), Triplets::from_entries(1, 2, [(0, 0, -1), (0, 1, -1)]));
        let a = Triplets::from_entries(1, 1, [(0, 0, i64::MIN)]);
        assert_eq!(*without_contents(&a).unwrap(), Triplets::from_entries(1, 1, [(0, 0, -1)]));
        let none = Triplets::from_entries(2, 3, Vec::<(usize, usize, i64)>::new());
        assert!(matches!(without_contents(&none).unwrap(), Cow::Borrowed(_)));
    }

    #[test]
    fn the_proportions_of_lines_stay() {
        // Whatever two rows and columns are multiplied by, a·d/(b·c) stays.
        let mut rng = Rng::seed_from_u64(2);
        for _ in 0..200 {
            let b: Vec<BigInt> = (0..4).map(|_| rng.random_range(1i64..50).into()).collect();
            let scale: Vec<BigInt> = (0..4).map(|k| BigInt::from(rng.random_range(1i64..100)) << (20 * k)).collect();
            let scaled = (0..4).map(|k| (k / 2, k % 2, &b[k] * &scale[k / 2] * &scale[2 + k % 2]));
            let a = Triplets::from_entries(2, 2, scaled);
            let a: Vec<BigInt> = without_contents(&a).unwrap().entries().map(|(_, _, v)| v.to_bigint()).collect();
            assert_eq!(&a[0] * &a[3] * &b[1] * &b[2], &b[0] * &b[3] * &a[1] * &a[2]);
        }
    }
}
