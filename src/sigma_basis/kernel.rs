//! The arithmetic under one step of M-Basis, as a trait: what is done to rows, apart from which rows it is done to.
//!
//! A step needs two dense operations. *Elimination* on the small matrix of constant residuals, and *combination*
//! `target_i += Σ_j T_ij · pivot_j` on long rows, which is nearly all of the work. [`FieldKernel`] does both in any
//! [`Field`]; [`WordKernel`](super::word_kernel::WordKernel) does them in vectors of 32-bit residues for odd p < 2³².

use crate::field::Field;

/// Row operations over one field, on a storage form `Elem` of its own. All slices hold canonical elements.
pub(super) trait Kernel<F: Field>: Sync {
    /// An element as the rows store it; the default is zero.
    type Elem: Copy + Default + Eq + Send + Sync;

    /// The stored form of a field element.
    fn load(&self, field: &F, a: F::Elem) -> Self::Elem;
    /// The field element of a stored form.
    fn store(&self, field: &F, a: Self::Elem) -> F::Elem;
    /// The stored form of 1.
    fn one(&self, field: &F) -> Self::Elem;
    /// `work` is row-major with rows of `width`; row `pivot` has a non-zero entry in `col`. Adds multiples of it to all
    /// later rows such that their entries in `col` vanish.
    fn clear_below(&self, work: &mut [Self::Elem], width: usize, pivot: usize, col: usize);
    /// Brings factors into the form in which [`Kernel::combine`] wants them.
    fn prepare(&self, _factors: &mut [Self::Elem]) {}
    /// `row += Σ_j factors[j] · panel[j]` for each target, where `panel` holds rows of `stride` elements, of which the
    /// last `row.len()` count.
    fn combine(&self, targets: &mut [Target<'_, Self::Elem>], panel: &[Self::Elem], stride: usize);
}

/// A row to be changed and the prepared factors with which the rows of the panel enter it.
pub(super) struct Target<'a, T> {
    /// The row; its length is the same for all targets of a call.
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
    fn clear_below(&self, work: &mut [F::Elem], width: usize, pivot: usize, col: usize) {
        let (above, below) = work.split_at_mut((pivot + 1) * width);
        let pivot = &above[pivot * width..];
        let factor = self.0.neg(self.0.inv(pivot[col]));
        for row in below.chunks_exact_mut(width) {
            self.0.axpy(row, self.0.mul(row[col], factor), pivot);
        }
    }
    fn combine(&self, targets: &mut [Target<'_, F::Elem>], panel: &[F::Elem], stride: usize) {
        for Target { row, factors } in targets {
            for (&factor, pivot) in factors.iter().zip(panel.chunks_exact(stride)) {
                self.0.axpy(row, factor, &pivot[stride - row.len()..]);
            }
        }
    }
}
