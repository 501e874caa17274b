//! Matrix products mod p through floating-point products with delayed reduction (Dumas, Giorgi, Pernet, "Dense linear
//! algebra over word-size prime fields", ACM TOMS 35, 2008): k·(p-1)² ≤ 2⁵³ keeps a sum of k products exact.
//!
//! Residues below 2²⁶ may live in `f64` ([`float`]); larger ones are cut into limbs ([`limbs`]). Entry: [`gemm()`].

mod float;
mod kernel;
mod limbs;

pub(crate) use float::{FloatModulus, MAX_BITS as FLOAT_BITS};
pub(crate) use kernel::Place;
pub(crate) use limbs::Limbs;

use crate::field::Modulus;

/// C ← A·B mod p for row-major matrices of residues, A m × k, B k × n, C m × n. Parallel on rayon's current pool.
///
/// # Panics
/// If a slice has not exactly the entries of its matrix.
pub fn gemm(modulus: Modulus, m: usize, k: usize, n: usize, a: &[u64], b: &[u64], c: &mut [u64]) {
    assert_eq!((a.len(), b.len(), c.len()), (m * k, k * n, m * n), "slices of a {m} x {k} x {n} product");
    c.fill(0);
    let (c, a, b) = ((c, Place::packed(n)), (a, Place::packed(k)), (b, Place::packed(n)));
    Limbs::new(modulus).for_each_product((m, k, n), c, a, b, |c, x| *c = modulus.add(*c, x));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn agrees_with_the_definition() {
        let mut rng = Rng::seed_from_u64(12);
        for p in [2, 3, 251, 65521, (1 << 31) - 1, (1 << 61) - 1, (1 << 63) - 25] {
            let modulus = Modulus::new(p).unwrap();
            for (m, k, n) in [(0, 3, 2), (3, 0, 2), (2, 3, 0), (1, 1, 1), (4, 9, 5), (65, 130, 7), (130, 40, 33)] {
                let mut random = |len: usize| (0..len).map(|_| rng.random_range(0..p)).collect::<Vec<_>>();
                let (a, b, mut c) = (random(m * k), random(k * n), random(m * n));
                gemm(modulus, m, k, n, &a, &b, &mut c);
                for i in 0..m {
                    for j in 0..n {
                        let naive = (0..k).fold(0, |s, t| modulus.add(s, modulus.mul(a[i * k + t], b[t * n + j])));
                        assert_eq!(c[i * n + j], naive, "({i}, {j}) of {m} x {k} x {n} mod {p}");
                    }
                }
            }
        }
    }
}
