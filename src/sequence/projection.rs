//! The left projection Yᵀ: what is kept of each block BⁱX.
//!
//! [`Projection::sparse`] has a few weighted entries a row ([`Buckets`]) and costs a few additions for each residue of
//! BⁱX. The theorem on the number of terms (see `certify`) is known for a dense Y, [`Projection::dense`], and for a
//! sequence that is projected by itself ([`Gram`](super::Gram)), not for a sparse one.

use super::Buckets;
use crate::dense;
use crate::field::{Field, Rng};
use crate::spmv::Block;
use crate::{Result, memory};
use rand::RngExt;

/// Yᵀ for an n × s matrix Y over K = GF(pᵏ).
#[derive(Clone, Debug)]
pub enum Projection {
    /// Y has a few entries a row.
    Sparse(Buckets),
    /// Y is uniformly random over K; its digits as an (s·k) × n matrix mod p.
    Dense {
        /// Row c·k + d holds the d-th digits of column c of Y.
        transposed: Vec<u64>,
    },
}

impl Projection {
    /// A random Y with a few weighted entries in each row.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn sparse<F: Field>(field: &F, n: usize, s: usize, rng: &mut Rng) -> Result<Self> {
        Ok(Projection::Sparse(Buckets::random(field, n, s, rng)?))
    }
    /// A uniformly random Y over `field`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn dense<F: Field>(field: &F, n: usize, s: usize, rng: &mut Rng) -> Result<Self> {
        let (p, len) = (field.modulus().get(), n * s * field.degree());
        let mut transposed = memory::with_capacity(len, "a dense projection")?;
        transposed.extend((0..len).map(|_| rng.random_range(0..p)));
        Ok(Projection::Dense { transposed })
    }

    /// Appends Yᵀ·V to `out`: s × s elements of K, row-major. V is a block of n rows over K, by digits.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn project<F: Field>(&self, field: &F, v: &Block, s: usize, out: &mut Vec<F::Elem>) -> Result<()> {
        let (p, k) = (field.modulus(), field.degree());
        assert_eq!(v.width(), k * s);
        match self {
            Projection::Sparse(buckets) => buckets.project(field, v, out)?,
            Projection::Dense { transposed } => {
                let mut products = memory::zeros(k * s * k * s, "the products of a dense projection")?;
                dense::gemm(p, k * s, v.rows(), k * s, transposed, &v.to_residues()?, &mut products)?;
                memory::reserve(out, s * s, "the terms of a sequence")?;
                out.extend(combine_digits(field, (s, s), &products));
            }
        }
        Ok(())
    }
}

/// From the (rows·k) × (cols·k) products of digits to YᵀV = Σ t^(d+e) Y_dᵀV_e over K.
pub(super) fn combine_digits<F: Field>(field: &F, (rows, cols): (usize, usize), products: &[u64]) -> Vec<F::Elem> {
    let k = field.degree();
    let mut digits = vec![0; k];
    let mut embed = |x: u64| {
        digits[0] = x;
        field.from_digits(&digits)
    };
    if k == 1 {
        return products.iter().map(|&x| embed(x)).collect();
    }
    let (p, t) = (field.modulus(), field.generator());
    let mut coefficients = vec![0; 2 * k - 1];
    let powers: Vec<F::Elem> =
        std::iter::successors(Some(field.one()), |&x| Some(field.mul(x, t))).take(2 * k - 1).collect();
    let mut result = Vec::with_capacity(rows * cols);
    for i in 0..rows {
        for j in 0..cols {
            // The coefficients of a polynomial of degree 2k - 2 in t.
            coefficients.fill(0);
            for d in 0..k {
                let row = &products[(i * k + d) * k * cols + j * k..][..k];
                coefficients[d..].iter_mut().zip(row).for_each(|(c, &x)| *c = p.add(*c, x));
            }
            let term = |(&power, &c)| field.mul(power, embed(c));
            let sum = powers.iter().zip(&coefficients).map(term).fold(field.zero(), |sum, x| field.add(sum, x));
            result.push(sum);
        }
    }
    result
}
