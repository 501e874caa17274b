//! The random diagonal matrices of the preconditioned operator B, and the products that B is made of: what B is,
//! wherever it is applied.

use crate::field::{Field, Rng};
use crate::parallel::Each;
use crate::{Result, memory};
use rayon::prelude::*;

/// What the memory is for.
const WHAT: &str = "the diagonals of the preconditioner";
/// Residues that are inverted together.
const TOGETHER: usize = 1 << 12;

/// Which product of A and Aᵀ the operator is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// D₁·A for a symmetric A.
    Symmetric,
    /// D₁·AᵀD₂A, of order cols.
    Columns,
    /// D₁·AD₂Aᵀ, of order rows.
    Rows,
}

/// B as a product of scaled factors: see [`Preconditioned`](super::Preconditioned), which applies it here.
#[derive(Clone, Debug)]
pub struct Diagonals {
    pub(super) form: Form,
    pub(super) degree: usize,
    order: usize,
    /// For each entry e the digits of e, e·t, …, e·tᵏ⁻¹; for k = 1 that is e itself.
    pub(super) outer: Vec<u64>,
    pub(super) inner: Option<Vec<u64>>,
}

impl Diagonals {
    /// D₁ and D₂ for a `rows` × `cols` matrix A, drawn from the non-zero elements of `field`.
    ///
    /// `symmetric` asks for the symmetric form. Panics if it is set for a rectangular A or for p = 2.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn random<F: Field>(field: &F, rows: usize, cols: usize, symmetric: bool, rng: &mut Rng) -> Result<Self> {
        assert!(!symmetric || rows == cols, "a symmetric matrix is square");
        assert!(!symmetric || field.modulus().get() != 2, "the symmetric form is for odd p");
        let form = match symmetric {
            true => Form::Symmetric,
            false if cols <= rows => Form::Columns,
            false => Form::Rows,
        };
        let (order, other) = if form == Form::Rows { (rows, cols) } else { (cols, rows) };
        let outer = draw(field, order, rng)?;
        let inner = if form == Form::Symmetric { None } else { Some(draw(field, other, rng)?) };
        Ok(Diagonals { form, degree: field.degree(), order, outer, inner })
    }

    /// The order n of B.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The degree k of the field over GF(p).
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// D₁⁻¹, as [`factors`](Diagonals::factors) gives diagonals. B is D₁ times a symmetric matrix.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If `field` is not that of the diagonals.
    pub fn outer_inverse<F: Field>(&self, field: &F) -> Result<Vec<u64>> {
        let k = self.degree;
        assert_eq!(field.degree(), k, "fields of different degrees");
        if k == 1 {
            let mut inverse = memory::copy(&self.outer, WHAT)?;
            inverse.par_chunks_mut(TOGETHER).each(|some| field.modulus().invert_all(some));
            return Ok(inverse);
        }
        let mut inverse = memory::zeros(self.outer.len(), WHAT)?;
        inverse.par_chunks_exact_mut(k * k).zip(self.outer.par_chunks_exact(k * k)).each(|(to, from)| {
            write_multiples(field, field.inv(field.from_digits(&from[..k])), to);
        });
        Ok(inverse)
    }

    /// The factors of B in the order in which they are applied: whether it is Aᵀ, and the diagonal that scales the
    /// product (for k > 1 by k × k digits an entry, those of e·tᵃ).
    pub fn factors(&self) -> Vec<(bool, &[u64])> {
        let outer = &self.outer[..];
        match (self.form, &self.inner) {
            (Form::Columns, Some(inner)) => vec![(false, inner), (true, outer)],
            (Form::Rows, Some(inner)) => vec![(true, inner), (false, outer)],
            _ => vec![(false, outer)],
        }
    }
}

fn draw<F: Field>(field: &F, len: usize, rng: &mut Rng) -> Result<Vec<u64>> {
    let k = field.degree();
    let mut residues = memory::zeros(len * k * k, WHAT)?;
    residues.chunks_exact_mut(k * k).for_each(|to| write_multiples(field, field.random_nonzero(rng), to));
    Ok(residues)
}

/// Writes the digits of e, e·t, …, e·tᵏ⁻¹.
fn write_multiples<F: Field>(field: &F, mut e: F::Elem, to: &mut [u64]) {
    for (a, digits) in to.chunks_exact_mut(field.degree()).enumerate() {
        if a > 0 {
            e = field.mul(e, field.generator());
        }
        field.write_digits(e, digits);
    }
}
