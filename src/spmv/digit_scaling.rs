//! Scaling of the rows of a block over GF(pᵏ), held by digits over GF(p), by elements of GF(pᵏ).
//!
//! Multiplication by e is linear over GF(p): with the k × k matrix M(e) whose row a holds the digits of e·tᵃ, the
//! digits of e·v are Σₐ vₐ·M(e)ₐ. Row i of the block holds the k digits of its first element, then those of the second,
//! and so on; each is replaced by its product with M(eᵢ), in the same sums and reductions as the sparse products.

use super::arithmetic::{Arithmetic, Float32, Float64, Long, Narrow, Split, Wide, unknown};
use super::{Block, Lane, Lanes};
use crate::field::Modulus;
use crate::isa::{Isa, Kernel};
use crate::team::{each_tile, even};
use crate::{Result, memory};

/// The diagonal matrix of elements of GF(pᵏ), acting on blocks in place.
#[derive(Debug)]
pub struct DigitScaling {
    engine: Engine,
}

/// Rows scaled by one task.
const TILE: usize = 256;

/// The matrices in one arithmetic, each row of a matrix padded with zeros to `padded` values.
#[derive(Debug)]
struct Matrices<A: Arithmetic> {
    arithmetic: A,
    degree: usize,
    padded: usize,
    values: Vec<A::Value>,
    /// Products between two folds.
    budget: usize,
}

impl<A: Arithmetic> Matrices<A> {
    fn new(p: Modulus, degree: usize, residues: &[u64]) -> Result<Self> {
        let arithmetic = A::new(p);
        let padded = degree.next_power_of_two().max(4);
        assert!(padded <= 128, "degree {degree} over GF(p)");
        let mut values =
            memory::with_capacity(residues.len() / degree * padded, "the diagonals of the preconditioner")?;
        for row in residues.chunks_exact(degree) {
            values.extend(row.iter().map(|&r| arithmetic.value(r)));
            values.resize(values.len() + padded - degree, arithmetic.value(0));
        }
        let budget = A::budget(p).expect("an arithmetic for p").products();
        let budget = usize::try_from(budget).unwrap_or(usize::MAX);
        Ok(Matrices { arithmetic, degree, padded, values, budget })
    }
    fn apply(&self, width: usize, y: &mut [A::Lane]) {
        let matrix = self.degree * self.padded;
        assert_eq!(y.len() * matrix, self.values.len() * width, "a block with another number of rows");
        if width == 0 {
            return;
        }
        each_tile(&even(y.len() / width, TILE), width, y, |lines, rows| {
            let matrices = &self.values[lines.start * matrix..lines.end * matrix];
            match self.padded {
                4 => self.rows::<4>(width, rows, matrices),
                8 => self.rows::<8>(width, rows, matrices),
                16 => self.rows::<16>(width, rows, matrices),
                32 => self.rows::<32>(width, rows, matrices),
                64 => self.rows::<64>(width, rows, matrices),
                _ => self.rows::<128>(width, rows, matrices),
            }
        });
    }
    fn rows<const K: usize>(&self, width: usize, rows: &mut [A::Lane], matrices: &[A::Value]) {
        let Self { arithmetic, degree, budget, .. } = *self;
        Isa::best().run(ScaleRows::<A, K> { arithmetic, degree, budget, width, rows, matrices });
    }
}

/// Each row of `rows` times its matrix of `degree` rows of K values.
struct ScaleRows<'a, A: Arithmetic, const K: usize> {
    arithmetic: A,
    degree: usize,
    budget: usize,
    width: usize,
    rows: &'a mut [A::Lane],
    matrices: &'a [A::Value],
}

impl<A: Arithmetic, const K: usize> Kernel for ScaleRows<'_, A, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { arithmetic: a, degree: k, budget, width, rows, matrices } = self;
        for (row, matrix) in rows.chunks_exact_mut(width).zip(matrices.chunks_exact(k * K)) {
            for digits in row.chunks_exact_mut(k) {
                let mut sums = [a.widen(a.zero()); K];
                for (d, values) in matrix.chunks_exact(K).enumerate() {
                    if d > 0 && d % budget == 0 {
                        for s in &mut sums {
                            *s = a.fold(*s);
                        }
                    }
                    let (digit, columns) = (digits[d], unknown(K));
                    for (sum, &v) in sums[..columns].iter_mut().zip(&values[..columns]) {
                        *sum = a.multiply_add(*sum, v, digit);
                    }
                }
                for (digit, &sum) in digits.iter_mut().zip(&sums) {
                    *digit = a.finish(sum);
                }
            }
        }
    }
}

macro_rules! engines {
    ($($name:ident, $arithmetic:ty, $lane:ident;)*) => {
        #[derive(Debug)]
        enum Engine {
            $($name(Matrices<$arithmetic>),)*
        }

        impl Engine {
            fn apply(&self, y: &mut Block) {
                let width = y.width();
                match (self, &mut y.lanes) {
                    $((Engine::$name(matrices), Lanes::$lane(y)) => {
                        assert_eq!(width % matrices.degree, 0, "the width is not a multiple of the degree");
                        matrices.apply(width, y);
                    })*
                    _ => panic!("the block's lanes are not the scaling's"),
                }
            }
        }
    };
}
engines! {
    U8, Narrow<u8, i8>, U8;
    NarrowU16, Narrow<u16, i16>, U16;
    WideU16, Wide<u16, i16>, U16;
    WideU32, Wide<u32, i32>, U32;
    SplitU32, Split, U32;
    U64, Long, U64;
    F32, Float32, F32;
    F64, Float64, F64;
}

impl DigitScaling {
    /// The scaling with one `degree` × `degree` matrix after the other, row-major residues mod p, for blocks of this
    /// lane.
    ///
    /// Panics if p does not go with the lane or the degree exceeds 128.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn new(p: Modulus, lane: Lane, degree: usize, matrices: &[u64]) -> Result<Self> {
        let engine = match lane {
            Lane::U8 => Engine::U8(Matrices::new(p, degree, matrices)?),
            Lane::U16 if holds::<Narrow<u16, i16>>(p, degree) => Engine::NarrowU16(Matrices::new(p, degree, matrices)?),
            Lane::U16 => Engine::WideU16(Matrices::new(p, degree, matrices)?),
            Lane::U32 if holds::<Wide<u32, i32>>(p, degree) => Engine::WideU32(Matrices::new(p, degree, matrices)?),
            Lane::U32 => Engine::SplitU32(Matrices::new(p, degree, matrices)?),
            Lane::U64 => Engine::U64(Matrices::new(p, degree, matrices)?),
            Lane::F32 => Engine::F32(Matrices::new(p, degree, matrices)?),
            Lane::F64 => Engine::F64(Matrices::new(p, degree, matrices)?),
        };
        Ok(DigitScaling { engine })
    }

    /// Every element of row i of `y` becomes eᵢ times itself. Panics if the number of rows differs, or the lane, or if
    /// the width is not a multiple of the degree.
    pub fn apply(&self, y: &mut Block) {
        self.engine.apply(y);
    }
}

/// Whether a sum takes this many products.
fn holds<A: Arithmetic>(p: Modulus, products: usize) -> bool {
    A::budget(p).is_some_and(|budget| budget.products() >= products as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{ExtensionField, Field, Rng};
    use rand::SeedableRng;

    #[test]
    fn scales_as_the_field_multiplies() {
        let mut rng = Rng::seed_from_u64(5);
        let cases = [
            (2, 16, Lane::U8),
            (2, 2, Lane::U32),
            (3, 11, Lane::U8),
            (251, 3, Lane::U16),
            (65521, 5, Lane::U16),
            (65521, 2, Lane::U32),
            (4294967291, 3, Lane::U32),
            ((1 << 61) - 1, 2, Lane::U64),
            (7, 6, Lane::F32),
            (65521, 4, Lane::F64),
        ];
        for (p, k, lane) in cases {
            let p = Modulus::new(p).unwrap();
            let field = ExtensionField::new(p, k, &mut rng);
            let (rows, s) = (300, 3);
            let elements: Vec<_> = (0..rows).map(|_| field.random(&mut rng)).collect();
            let mut matrices = vec![0; rows * k * k];
            for (matrix, &e) in matrices.chunks_exact_mut(k * k).zip(&elements) {
                let mut power = e;
                for row in matrix.chunks_exact_mut(k) {
                    field.write_digits(power, row);
                    power = field.mul(power, field.generator());
                }
            }
            let x = Block::random(lane, rows, s * k, p, &mut rng).unwrap();
            let mut y = x.clone();
            DigitScaling::new(p, lane, k, &matrices).unwrap().apply(&mut y);
            let digits = |b: &Block, i: usize, l: usize| (0..k).map(|d| b.get(i, l * k + d)).collect::<Vec<_>>();
            for (i, &e) in elements.iter().enumerate() {
                for l in 0..s {
                    let product = field.mul(e, field.from_digits(&digits(&x, i, l)));
                    assert_eq!(field.from_digits(&digits(&y, i, l)), product, "p = {p}, k = {k}");
                }
            }
        }
    }
}
