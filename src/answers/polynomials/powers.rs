//! A polynomial of a sparse matrix: as a sparse matrix, where that has few entries, and as an operator.

use crate::blackbox::{Operator, Scratch};
use crate::field::Modulus;
use crate::sparse::SparseMatrix;
use crate::spmv::{Block, Lane, Product};
use crate::{Observer, Result, memory};

/// What the memory is for.
const POWERS: &str = "a polynomial of a matrix";

/// f(A), unless one of Horner's steps to it has more than `most` entries.
pub(super) fn expand(
    a: &SparseMatrix,
    f: &[u64],
    most: usize,
    observer: &dyn Observer,
) -> Result<Option<SparseMatrix>> {
    let (n, p) = (a.rows(), a.modulus());
    let mut current = SparseMatrix::empty(p, n, n, 0)?;
    (0..n).for_each(|_| current.push_row(&mut vec![]));
    let mut sums = memory::zeros::<u64>(n, POWERS)?;
    let mut seen = memory::filled(u32::MAX, n, POWERS)?;
    for &c in f.iter().rev() {
        observer.check()?;
        let mut next = SparseMatrix::empty(p, n, n, current.nnz() + n)?;
        seen.fill(u32::MAX);
        let mut row: Vec<(u32, u64)> = vec![];
        for i in 0..n {
            let mut add = |j: u32, v: u64, row: &mut Vec<(u32, u64)>| {
                if seen[j as usize] != i as u32 {
                    (seen[j as usize], sums[j as usize]) = (i as u32, 0);
                    row.push((j, 0));
                }
                sums[j as usize] = p.add(sums[j as usize], v);
            };
            for (&k, &x) in current.row(i).0.iter().zip(current.row(i).1) {
                let by = p.multiplier(x);
                let (cols, values) = a.row(k as usize);
                cols.iter().zip(values).for_each(|(&j, &v)| add(j, p.mul_by(v, by), &mut row));
            }
            add(i as u32, c, &mut row);
            row.iter_mut().for_each(|(j, v)| *v = sums[*j as usize]);
            row.retain(|&(_, v)| v != 0);
            next.reserve_row(row.len())?;
            next.push_row(&mut row);
            row.clear();
            if next.nnz() > most {
                return Ok(None);
            }
        }
        current = next;
    }
    Ok(Some(current))
}

/// f(A) by its products.
pub(super) struct PolynomialOf<'a> {
    pub product: &'a Product,
    /// Constant first.
    pub coefficients: &'a [u64],
}

impl PolynomialOf<'_> {
    fn horner(&self, transposed: bool, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        let mut current = scratch.take(x.lane(), x.rows(), x.width())?;
        current.clear(0..x.rows());
        for &c in self.coefficients.iter().rev() {
            y.copy_rows(0, x, 0, x.rows());
            match transposed {
                false => self.product.apply(1, &current, c, y)?,
                true => self.product.apply_transpose(1, &current, c, y)?,
            }
            std::mem::swap(&mut current, y);
        }
        std::mem::swap(&mut current, y);
        scratch.give(current);
        Ok(())
    }
}

impl Operator for PolynomialOf<'_> {
    fn modulus(&self) -> Modulus {
        self.product.modulus()
    }
    fn rows(&self) -> usize {
        self.product.rows()
    }
    fn cols(&self) -> usize {
        self.product.cols()
    }
    fn lane(&self) -> Lane {
        self.product.lane()
    }
    fn apply(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        self.horner(false, x, y, scratch)
    }
    fn apply_transpose(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        self.horner(true, x, y, scratch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use crate::spmv::{Plan, PlanOptions};
    use rand::{RngExt, SeedableRng};

    /// The matrix, its operator and the textbook's powers agree on vectors.
    #[test]
    fn both_forms_are_the_polynomial_of_the_matrix() {
        let mut rng = Rng::seed_from_u64(61);
        for p in [2, 3, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for n in [1, 5, 30] {
                let entry = |_| (rng.random_range(0..n), rng.random_range(0..n), rng.random_range(0..p.get()));
                let entries: Vec<_> = (0..2 * n).map(entry).collect();
                let a = SparseMatrix::from_triplets(p, n, n, &entries);
                let plan = Plan::choose(&a, &PlanOptions::default()).unwrap();
                let product = Product::new(&a, &plan).unwrap();
                let f: Vec<u64> = (0..4).map(|_| rng.random_range(0..p.get())).collect();
                let x = Block::random(product.lane(), n, 3, p, &mut rng).unwrap();
                let explicit = expand(&a, &f, n * n, &Silent).unwrap().unwrap();
                let operator = PolynomialOf { product: &product, coefficients: &f };
                for transposed in [false, true] {
                    let mut y = Block::zeros(product.lane(), n, 3).unwrap();
                    let scratch = &mut Scratch::new();
                    match transposed {
                        false => operator.apply(&x, &mut y, scratch).unwrap(),
                        true => operator.apply_transpose(&x, &mut y, scratch).unwrap(),
                    }
                    let (a, b) = match transposed {
                        false => (a.try_clone().unwrap(), explicit.try_clone().unwrap()),
                        true => (a.transpose().unwrap(), explicit.transpose().unwrap()),
                    };
                    let times = |m: &SparseMatrix, v: &[u64]| -> Vec<u64> {
                        let row = |i| m.row(i).0.iter().zip(m.row(i).1);
                        (0..n).map(|i| row(i).fold(0, |s, (&j, &c)| p.add(s, p.mul(c, v[j as usize])))).collect()
                    };
                    for l in 0..3 {
                        let v: Vec<u64> = (0..n).map(|i| x.get(i, l)).collect();
                        let (mut power, mut sum) = (v.clone(), vec![0; n]);
                        for &c in &f {
                            sum.iter_mut().zip(&power).for_each(|(s, &x)| *s = p.add(*s, p.mul(c, x)));
                            power = times(&a, &power);
                        }
                        assert_eq!((0..n).map(|i| y.get(i, l)).collect::<Vec<_>>(), sum, "{n} mod {p}");
                        assert_eq!(times(&b, &v), sum);
                    }
                }
                if n == 30 {
                    assert!(expand(&a, &[0, 0, 1], 1, &Silent).unwrap().is_none());
                }
            }
        }
    }
}
