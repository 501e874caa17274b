//! Products and middle products of polynomial matrices.
//!
//! By transforms: A and B are carried to their values at N roots of unity modulo enough 50-bit primes
//! ([`residues`](super::residues) proves how many), the small matrices of values are multiplied point by point, and the
//! inverse transform and the Chinese remainder theorem bring the wanted coefficients back. A *middle* product, the
//! coefficients lo .. lo + len, needs a cyclic length N at which no other coefficient falls on them: the longer
//! operand's length is enough (Hanrot, Quercia, Zimmermann, *The middle product algorithm I*, 2004, section 3).
//!
//! Elements of GF(pᵏ) enter by Kronecker's substitution ([`kronecker`](super::kronecker)).
//!
//! Results do not depend on the number of threads nor on the instruction set: all arithmetic is exact, or checked
//! ([`fourier`]).

use super::matrix::PolySlice;
use super::plan::{Method, ProductPlan};
use super::pointwise::write_rows;
use super::shape::ProductShape;
use super::simd::Isa;
use super::{PolyMatrix, Transformed};
use super::{fourier, schoolbook};
use crate::Result;
use crate::field::Field;
use crate::parallel;

/// A·B, of `a.len() + b.len() - 1` coefficients (none if a factor has none).
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If `a.cols() != b.rows()`.
pub fn multiply<F: Field>(field: &F, a: &PolyMatrix<F::Elem>, b: &PolyMatrix<F::Elem>) -> Result<PolyMatrix<F::Elem>> {
    let len = if a.is_empty() || b.is_empty() { 0 } else { a.len() + b.len() - 1 };
    middle_product(field, a, b, 0, len)
}

/// The coefficients `lo .. lo + len` of A·B; those beyond its degree are zero.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If `a.cols() != b.rows()`.
pub fn middle_product<F: Field>(
    field: &F,
    a: &PolyMatrix<F::Elem>,
    b: &PolyMatrix<F::Elem>,
    lo: usize,
    len: usize,
) -> Result<PolyMatrix<F::Elem>> {
    ProductPlan::new(field, ProductShape::of(a, b, lo, len)).execute(field, a, b)
}

/// Writes the coefficients of A·B from `lo` on, as many as `out` has room for; `out` is zero.
pub(crate) fn write_middle_product<F: Field>(
    field: &F,
    a: PolySlice<'_, F::Elem>,
    b: PolySlice<'_, F::Elem>,
    lo: usize,
    out: &mut [F::Elem],
) -> Result<()> {
    let shape = ProductShape::of_slices(&a, &b, lo, out.len() / (a.rows() * b.cols()).max(1));
    ProductPlan::new(field, shape).write(Isa::best(), field, a, b, out)
}

impl ProductPlan {
    /// Computes the product.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If field or operands are not those of the plan.
    pub fn execute<F: Field>(
        &self,
        field: &F,
        a: &PolyMatrix<F::Elem>,
        b: &PolyMatrix<F::Elem>,
    ) -> Result<PolyMatrix<F::Elem>> {
        self.execute_with(Isa::best(), field, a, b)
    }

    pub(crate) fn execute_with<F: Field>(
        &self,
        isa: Isa,
        field: &F,
        a: &PolyMatrix<F::Elem>,
        b: &PolyMatrix<F::Elem>,
    ) -> Result<PolyMatrix<F::Elem>> {
        let mut out = PolyMatrix::zeros(self.shape.rows, self.shape.cols, self.shape.len)?;
        self.write(isa, field, a.all(), b.all(), out.data_mut())?;
        Ok(out)
    }

    /// Writes the product to where there are zeros.
    fn write<F: Field>(
        &self,
        isa: Isa,
        field: &F,
        a: PolySlice<'_, F::Elem>,
        b: PolySlice<'_, F::Elem>,
        out: &mut [F::Elem],
    ) -> Result<()> {
        let shape = &self.shape;
        assert_eq!(ProductShape::of_slices(&a, &b, shape.lo, shape.len), *shape, "operands of another shape");
        assert_eq!((field.modulus(), field.degree()), (self.modulus, self.degree), "another field");
        match self.method {
            Method::Schoolbook => schoolbook::product(isa, field, a, b, shape, out),
            Method::Fourier { points } => match fourier::product(isa, field, a, b, shape, points, out)? {
                true => Ok(()),
                false => self.without_rounding().write(isa, field, a, b, out),
            },
            Method::Transform { primes, points } => {
                let (la, lb, _) = shape.effective();
                let block = shape.block_rows(primes, points);
                let transform = |factor, rows, len| Transformed::new(isa, field, factor, rows, len, primes, points);
                let rows = |first: usize| first..a.rows().min(first + block);
                // The first rows of A beside B.
                let (tb, mut ta) = parallel::join(|| transform(b, 0..b.rows(), lb), || transform(a, rows(0), la));
                let tb = tb?;
                for first in (0..a.rows()).step_by(block) {
                    if first > 0 {
                        ta = transform(a, rows(first), la);
                    }
                    let part = ta?;
                    write_rows(isa, field, (&part, &tb), (shape, primes), first, out)?;
                    ta = Ok(part);
                }
                Ok(())
            }
        }
    }

    /// The transform of a factor for products by this plan and by every plan with the same transform, on either side;
    /// `None` if this plan does not transform.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If the matrix is longer than the transform.
    pub fn transform<F: Field>(&self, field: &F, matrix: &PolyMatrix<F::Elem>) -> Result<Option<Transformed>> {
        match self.method {
            Method::Schoolbook | Method::Fourier { .. } => Ok(None),
            Method::Transform { primes, points } => {
                let rows = 0..matrix.rows();
                Transformed::new(Isa::best(), field, matrix.all(), rows, matrix.len(), primes, points).map(Some)
            }
        }
    }

    /// Computes the product of transformed factors.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If field or factors are not those of the plan, or the plan does not transform.
    pub fn run<F: Field>(&self, field: &F, a: &Transformed, b: &Transformed) -> Result<PolyMatrix<F::Elem>> {
        let shape = &self.shape;
        let Method::Transform { primes, points } = self.method else { panic!("not a plan of transforms: {self}") };
        for t in [a, b] {
            assert_eq!((t.modulus, t.degree), (field.modulus(), field.degree()), "a factor over another field");
            assert!(t.points == points && t.values.len() >= primes, "a factor transformed by another plan");
        }
        assert_eq!((a.rows, a.cols, b.rows, b.cols), (shape.rows, shape.inner, shape.inner, shape.cols));
        assert!(a.len <= shape.left_len && b.len <= shape.right_len);

        let mut out = PolyMatrix::zeros(shape.rows, shape.cols, shape.len)?;
        write_rows(Isa::best(), field, (a, b), (shape, primes), 0, out.data_mut())?;
        Ok(out)
    }
}
