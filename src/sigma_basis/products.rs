//! Schoolbook products.
use crate::field::Field;
use crate::poly::PolyMatrix;

pub(super) fn multiply<F: Field>(f: &F, a: &PolyMatrix<F::Elem>, b: &PolyMatrix<F::Elem>) -> PolyMatrix<F::Elem> {
    let len = if a.is_empty() || b.is_empty() { 0 } else { a.len() + b.len() - 1 };
    middle_product(f, a, b, 0, len)
}

pub(super) fn middle_product<F: Field>(
    f: &F,
    a: &PolyMatrix<F::Elem>,
    b: &PolyMatrix<F::Elem>,
    lo: usize,
    len: usize,
) -> PolyMatrix<F::Elem> {
    let mut c = PolyMatrix::zeros(a.rows(), b.cols(), len);
    for i in 0..a.len() {
        for j in 0..b.len() {
            if i + j < lo || i + j >= lo + len {
                continue;
            }
            let (x, y) = (a.coefficient(i), b.coefficient(j));
            let z = c.coefficient_mut(i + j - lo);
            for (x, z) in x.chunks_exact(a.cols()).zip(z.chunks_exact_mut(b.cols())) {
                for (&x, y) in x.iter().zip(y.chunks_exact(b.cols())) {
                    f.axpy(z, x, y);
                }
            }
        }
    }
    c
}
