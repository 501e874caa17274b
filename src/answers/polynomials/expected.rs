//! What the polynomials of a dense matrix take, before it is read.

use super::super::Machine;
use crate::field::Modulus;
use crate::invariants::Shape;

/// Seconds by the clock that the minimal or characteristic polynomial of a matrix of that order with so many entries is
/// predicted to take on the threads of the current pool, from the relations of a few vectors. `None` unless a quarter
/// of all entries are there: the work on a sparse matrix depends on where they are.
#[must_use]
pub fn dense_polynomial_seconds(modulus: Modulus, order: usize, nnz: usize, machine: &Machine) -> Option<f64> {
    let shape = Shape { modulus, order, nnz, valued: nnz };
    let threads = rayon::current_num_threads() as f64;
    (order > 0 && shape.is_dense()).then(|| shape.best(machine, 1, None).seconds / threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_matrices_alone_are_foreseen() {
        let (p, machine) = (Modulus::new(65521).unwrap(), Machine::reference());
        let seconds = |order, nnz| dense_polynomial_seconds(p, order, nnz, &machine);
        assert_eq!((seconds(0, 0), seconds(1000, 249_999)), (None, None));
        assert!(seconds(1000, 250_000).is_some_and(|s| s > 0.0) && seconds(2000, 4_000_000) > seconds(1000, 1_000_000));
    }
}
