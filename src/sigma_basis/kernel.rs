//! The arithmetic under one step of M-Basis, as a trait: what is done to rows, apart from which rows it is done to.
//!
//! A step needs two dense operations. *Elimination* on the small matrix of constant residuals, and *combination*
//! `target_i += Σ_j T_ij · pivot_j` on long rows, which is nearly all of the work. [`FieldKernel`] does both in any
//! [`Field`]; [`WordKernel`](super::word_kernel::WordKernel) does them in vectors of 32-bit residues for odd p < 2³².

use crate::field::Field;

/// Row operations over one field, on its own storage type `Elem`. All slices hold canonical elements.
pub(super) trait Kernel<F: Field>: Sync {
    /// An element as the rows store it; the default is zero.
    type Elem: Copy + Default + Eq + Send + Sync;

    /// The stored form of a field element.
    fn load(&self, field: &F, a: F::Elem) -> Self::Elem;
    /// The field element of a stored form.
    fn store(&self, field: &F, a: Self::Elem) -> F::Elem;
    /// The stored form of 1.
    fn one(&self, field: &F) -> Self::Elem;
    /// Eliminates the lines of `work`, row-major with lines of `width`, of which the first `n` entries are a residual
    /// and the others, zero at first, take the factors: a line whose residual is no combination of those before it
    /// becomes a pivot, and its factor of itself 1; every other one gets the factors of the pivots before it that make
    /// its residual vanish. Returns the pivots, ascending; there are at most `width - n`.
    fn eliminate(&self, work: &mut [Self::Elem], width: usize, n: usize) -> Vec<usize>;
    /// Brings factors into the form in which [`Kernel::combine`] wants them.
    fn prepare(&self, _factors: &mut [Self::Elem]) {}
    /// `row += Σ_j factors[j] · panel[j]` for each target; all rows are of one length.
    fn combine(&self, targets: &mut [Target<'_, Self::Elem>], panel: &[&[Self::Elem]]);
}

/// A row to be changed, or a part of one, and the prepared factors with which the rows of the panel enter it.
pub(super) struct Target<'a, T> {
    /// The row.
    pub row: &'a mut [T],
    /// One factor for each row of the panel.
    pub factors: &'a [T],
}

/// The kernel that works in any field, element by element.
pub(super) struct FieldKernel<'a, F>(pub &'a F);

impl<F: Field> Kernel<F> for FieldKernel<'_, F> {
    type Elem = F::Elem;

    fn load(&self, _field: &F, a: F::Elem) -> F::Elem {
        a
    }
    fn store(&self, _field: &F, a: F::Elem) -> F::Elem {
        a
    }
    fn one(&self, _field: &F) -> F::Elem {
        self.0.one()
    }
    fn eliminate(&self, work: &mut [F::Elem], width: usize, n: usize) -> Vec<usize> {
        let (field, zero) = (self.0, self.0.zero());
        let mut pivots = Vec::new();
        for at in 0..work.len() / width {
            let (done, rest) = work.split_at_mut((at + 1) * width);
            let pivot = &mut done[at * width..];
            let Some(col) = pivot[..n].iter().position(|&a| a != zero) else { continue };
            pivot[n + pivots.len()] = field.one();
            pivots.push(at);
            let factor = field.neg(field.inv(pivot[col]));
            for row in rest.chunks_exact_mut(width) {
                field.axpy(row, field.mul(row[col], factor), pivot);
            }
        }
        pivots
    }
    fn combine(&self, targets: &mut [Target<'_, F::Elem>], panel: &[&[F::Elem]]) {
        for Target { row, factors } in targets {
            for (&factor, pivot) in factors.iter().zip(panel) {
                self.0.axpy(row, factor, pivot);
            }
        }
    }
}
