//! Row scaling of a block over GF(pᵏ) by elements of GF(pᵏ).
//!
//! Multiplication by e is linear over GF(p): with the k × k matrix M(e) whose row a holds the digits of e·tᵃ, the digits
//! of e·v are Σₐ vₐ·M(e)ₐ. The matrices of all rows are kept in a [`Block`] of width k², as narrow as the block scaled.

use crate::field::{Field, Modulus};
use crate::spmv::{Block, Lane, Lanes};
use rayon::prelude::*;

/// The diagonal matrix of elements e₀, e₁, … of GF(pᵏ), k > 1, acting on digit-major blocks in place.
#[derive(Debug)]
pub(super) struct ExtensionScaling {
    modulus: Modulus,
    degree: usize,
    matrices: Block,
}

impl ExtensionScaling {
    pub(super) fn new<F: Field>(field: &F, lane: Lane, entries: &[F::Elem]) -> Self {
        let k = field.degree();
        let mut digits = vec![0; k];
        digits[1] = 1;
        let t = field.from_digits(&digits);
        let mut residues = Vec::with_capacity(entries.len() * k * k);
        for &e in entries {
            let mut power = e;
            for _ in 0..k {
                field.write_digits(power, &mut digits);
                residues.extend_from_slice(&digits);
                power = field.mul(power, t);
            }
        }
        let matrices = Block::from_residues(lane, entries.len(), k * k, &residues);
        ExtensionScaling { modulus: field.modulus(), degree: k, matrices }
    }

    /// Row i of `y` becomes eᵢ times itself. Panics if the number of rows differs or the width is not a multiple of k.
    pub(super) fn apply(&self, y: &mut Block) {
        assert_eq!(y.rows(), self.matrices.rows());
        let (k, width) = (self.degree, y.width());
        assert_eq!(width % k, 0);
        macro_rules! scale {
            ($m:expr, $v:expr) => {
                $v.par_chunks_mut(width * 256)
                    .zip($m.par_chunks(k * k * 256))
                    .for_each(|(rows, matrices)| scale_rows(self.modulus, k, matrices, rows, width))
            };
        }
        match (&self.matrices.lanes, &mut y.lanes) {
            (Lanes::U8(m), Lanes::U8(v)) => scale!(m, v),
            (Lanes::U16(m), Lanes::U16(v)) => scale!(m, v),
            (Lanes::U32(m), Lanes::U32(v)) => scale!(m, v),
            (Lanes::U64(m), Lanes::U64(v)) => scale!(m, v),
            (Lanes::F32(m), Lanes::F32(v)) => scale!(m, v),
            (Lanes::F64(m), Lanes::F64(v)) => scale!(m, v),
            _ => panic!("the block's lane differs from the operator's"),
        }
    }
}

/// A lane's residue as a machine word and back.
trait Residue: Copy + Send + Sync {
    fn word(self) -> u64;
    fn from_word(word: u64) -> Self;
}

macro_rules! residue {
    ($($t:ty),*) => {$(impl Residue for $t {
        #[inline(always)]
        fn word(self) -> u64 {
            self as u64
        }
        #[inline(always)]
        fn from_word(word: u64) -> Self {
            word as $t
        }
    })*};
}
residue!(u8, u16, u32, u64, f32, f64);

fn scale_rows<T: Residue>(p: Modulus, k: usize, matrices: &[T], rows: &mut [T], width: usize) {
    let s = width / k;
    let largest = (p.get() - 1) as u128;
    let terms = k as u128;
    let input = &mut vec![0u64; width];
    let sums = &mut vec![0u64; width];
    for (row, matrix) in rows.chunks_exact_mut(width).zip(matrices.chunks_exact(k * k)) {
        input.iter_mut().zip(row.iter()).for_each(|(x, r)| *x = r.word());
        sums.fill(0);
        for (a, m) in matrix.chunks_exact(k).enumerate() {
            let x = &input[a * s..][..s];
            for (m, sum) in m.iter().zip(sums.chunks_exact_mut(s)) {
                let m = m.word();
                // k products fit a word for every p < 2²⁹ or so; beyond, each is reduced.
                if terms * largest * largest <= u64::MAX as u128 {
                    sum.iter_mut().zip(x).for_each(|(sum, &x)| *sum += m * x);
                } else {
                    sum.iter_mut().zip(x).for_each(|(sum, &x)| *sum = p.add(*sum, p.mul(m, x)));
                }
            }
        }
        row.iter_mut().zip(sums.iter()).for_each(|(r, &sum)| *r = T::from_word(p.reduce(sum)));
    }
}
