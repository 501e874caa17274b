//! The left projection Yᵀ: what is kept of each block BⁱX.
//!
//! A dense random Y costs n·s² multiply-adds a step, as much as the product of a matrix with few entries a row. With
//! [`Projection::partition`] it costs n·s additions: every row of Y holds a single 1, in a random column, so that Yᵀ adds up
//! the rows of BⁱX class by class. The random weights that such a Y lacks are supplied by D₁, the leftmost factor of B. The
//! theorem on the number of terms (see `certify`) is known for a dense Y only: [`Projection::dense`] is for proven bounds.

use crate::dense;
use crate::field::{Field, Modulus, Rng};
use crate::spmv::{Block, Lanes};
use rand::RngExt;
use rayon::prelude::*;

/// Rows handled between two reductions of the class sums; small enough for sums of 16-bit lanes in 32 bits.
const CHUNK: usize = 1 << 14;

/// Yᵀ for an n × s matrix Y over K = GF(pᵏ).
#[derive(Clone, Debug)]
pub enum Projection {
    /// Row j of Y is the unit vector of class `class[j]`.
    Partition {
        /// A class below s for each of the n rows.
        class: Vec<u16>,
    },
    /// Y is uniformly random over K; its digits as an (s·k) × n matrix mod p.
    Dense {
        /// Row c·k + d holds the d-th digits of column c of Y.
        transposed: Vec<u64>,
    },
}

impl Projection {
    /// The indicator of a random partition of n rows into s classes.
    pub fn partition(n: usize, s: usize, rng: &mut Rng) -> Self {
        assert!(s <= 1 << 16, "at most 2^16 classes");
        Projection::Partition { class: (0..n).map(|_| rng.random_range(0..s) as u16).collect() }
    }
    /// A uniformly random Y over `field`.
    pub fn dense<F: Field>(field: &F, n: usize, s: usize, rng: &mut Rng) -> Self {
        let p = field.modulus().get();
        Projection::Dense { transposed: (0..n * s * field.degree()).map(|_| rng.random_range(0..p)).collect() }
    }

    /// Appends Yᵀ·V to `out`: s × s elements of K, row-major. V is a block of n rows over K, by digits.
    pub fn project<F: Field>(&self, field: &F, v: &Block, s: usize, out: &mut Vec<F::Elem>) {
        let (p, k) = (field.modulus(), field.degree());
        assert_eq!(v.width(), k * s);
        match self {
            Projection::Partition { class } => {
                let sums = class_sums(p, class, v, s);
                out.extend(sums.chunks_exact(k).map(|digits| field.from_digits(digits)));
            }
            Projection::Dense { transposed } => {
                let mut products = vec![0; k * s * k * s];
                dense::gemm(p, k * s, v.rows(), k * s, transposed, &v.to_residues(), &mut products);
                out.extend(combine_digits(field, s, &products));
            }
        }
    }
}

/// Row c of the result is the sum mod p of the rows of `v` in class c.
fn class_sums(p: Modulus, class: &[u16], v: &Block, s: usize) -> Vec<u64> {
    assert_eq!(class.len(), v.rows());
    let width = v.width();
    macro_rules! sums {
        ($lanes:expr, $acc:ty, $widen:expr) => {
            $lanes
                .par_chunks(CHUNK * width)
                .zip(class.par_chunks(CHUNK))
                .map(|(rows, class)| {
                    let mut sums = vec![0 as $acc; s * width];
                    for (row, &c) in rows.chunks_exact(width).zip(class) {
                        let sum = &mut sums[c as usize * width..][..width];
                        sum.iter_mut().zip(row).for_each(|(a, &x)| *a += $widen(x));
                    }
                    sums.iter().map(|&a| p.reduce_u128(a as u128)).collect::<Vec<u64>>()
                })
                .reduce(
                    || vec![0; s * width],
                    |mut a, b| {
                        a.iter_mut().zip(&b).for_each(|(a, &b)| *a = p.add(*a, b));
                        a
                    },
                )
        };
    }
    match &v.lanes {
        Lanes::U8(x) => sums!(x, u32, u32::from),
        Lanes::U16(x) => sums!(x, u32, u32::from),
        Lanes::U32(x) => sums!(x, u64, u64::from),
        Lanes::U64(x) => sums!(x, u128, u128::from),
        Lanes::F32(x) => sums!(x, u64, |x: f32| x as u64),
        Lanes::F64(x) => sums!(x, u128, |x: f64| x as u128),
    }
}

/// From the (s·k) × (s·k) products of digits to YᵀV = Σ t^(d+e) Y_dᵀV_e over K.
fn combine_digits<F: Field>(field: &F, s: usize, products: &[u64]) -> Vec<F::Elem> {
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
    let mut result = Vec::with_capacity(s * s);
    for i in 0..s {
        for j in 0..s {
            // The coefficients of a polynomial of degree 2k - 2 in t.
            coefficients.fill(0);
            for d in 0..k {
                let row = &products[(i * k + d) * k * s + j * k..][..k];
                coefficients[d..].iter_mut().zip(row).for_each(|(c, &x)| *c = p.add(*c, x));
            }
            let term = |(&power, &c)| field.mul(power, embed(c));
            let sum = powers.iter().zip(&coefficients).map(term).fold(field.zero(), |sum, x| field.add(sum, x));
            result.push(sum);
        }
    }
    result
}
