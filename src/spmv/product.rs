//! A matrix ready for products.

use super::arithmetic::{Arithmetic, Float32, Float64, Long, Narrow, Split, Wide};
use super::layout::{Layout, Scaling};
use super::options::ArithmeticKind;
use super::{Block, Lane, Lanes, Plan};
use crate::Result;
use crate::field::Modulus;
use crate::sparse::SparseMatrix;

/// A rows × cols matrix over GF(p), laid out by a [`Plan`] for products with A and Aᵀ.
///
/// Blocks must have the plan's lane, the right number of rows, and equal widths, any of them; anything else panics.
#[derive(Debug)]
pub struct Product {
    plan: Plan,
    modulus: Modulus,
    engine: Engine,
}

/// Both sides in one arithmetic.
#[derive(Debug)]
struct Sides<A: Arithmetic> {
    forward: Layout<A>,
    transposed: Option<Layout<A>>,
}

impl<A: Arithmetic> Sides<A> {
    fn new(a: &SparseMatrix, plan: &Plan) -> Result<Self> {
        let layout = |a: &SparseMatrix, parts| Layout::new(a, parts, plan.isa);
        Ok(Sides {
            forward: layout(a, &plan.parts)?,
            transposed: match &plan.transposed {
                Some(parts) => Some(layout(&a.transpose()?, parts)?),
                None => None,
            },
        })
    }
    fn apply(&self, transpose: bool, scaling: Scaling, x: &[A::Lane], width: usize, y: &mut [A::Lane]) -> Result<()> {
        match (transpose, &self.transposed) {
            (false, _) => self.forward.apply(scaling, x, width, y),
            (true, Some(layout)) => layout.apply(scaling, x, width, y),
            (true, None) => self.forward.scatter(scaling, x, width, y),
        }
    }
    fn bytes(&self) -> usize {
        self.forward.bytes() + self.transposed.as_ref().map_or(0, Layout::bytes)
    }
}

/// Every combination of lane and sums, and how a call is handed to it.
macro_rules! engines {
    ($($name:ident, $arithmetic:ty, $lane:ident, $kind:ident;)*) => {
        #[derive(Debug)]
        enum Engine {
            $($name(Sides<$arithmetic>),)*
        }

        impl Engine {
            fn new(a: &SparseMatrix, plan: &Plan) -> Result<Engine> {
                match (plan.lane, plan.arithmetic) {
                    $((Lane::$lane, ArithmeticKind::$kind) => Ok(Engine::$name(Sides::new(a, plan)?)),)*
                    (lane, kind) => panic!("{kind:?} sums do not go with {lane:?} lanes"),
                }
            }
            fn apply(&self, transpose: bool, scaling: Scaling, x: &Block, y: &mut Block) -> Result<()> {
                assert_eq!(x.width(), y.width(), "blocks of different widths");
                let width = x.width();
                match (self, &x.lanes, &mut y.lanes) {
                    $((Engine::$name(sides), Lanes::$lane(x), Lanes::$lane(y)) => sides.apply(transpose, scaling, x, width, y),)*
                    _ => panic!("the blocks' lanes are not the product's"),
                }
            }
            fn bytes(&self) -> usize {
                match self {
                    $(Engine::$name(sides) => sides.bytes(),)*
                }
            }
        }
    };
}
engines! {
    NarrowU8, Narrow<u8, i8>, U8, Narrow;
    NarrowU16, Narrow<u16, i16>, U16, Narrow;
    WideU16, Wide<u16, i16>, U16, Wide;
    WideU32, Wide<u32, i32>, U32, Wide;
    SplitU32, Split, U32, Split;
    LongU64, Long, U64, Long;
    FloatF32, Float32, F32, Float;
    FloatF64, Float64, F64, Float;
}

impl Product {
    /// Lays `a` out. Panics if `plan` was made for another matrix.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn new(a: &SparseMatrix, plan: &Plan) -> Result<Self> {
        let shape = (plan.rows, plan.cols, plan.nnz, plan.modulus);
        assert_eq!(shape, (a.rows(), a.cols(), a.nnz(), a.modulus().get()), "a plan for another matrix");
        Ok(Product { modulus: a.modulus(), engine: Engine::new(a, plan)?, plan: plan.clone() })
    }

    /// The modulus p.
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.plan.rows
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.plan.cols
    }
    /// Number of entries.
    pub fn nnz(&self) -> usize {
        self.plan.nnz
    }
    /// The storage of residues in blocks.
    pub fn lane(&self) -> Lane {
        self.plan.lane
    }
    /// The plan that is executed.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
    /// Bytes of all layouts.
    pub fn bytes(&self) -> usize {
        self.engine.bytes()
    }

    /// Y ← αAX + βY.
    ///
    /// # Errors
    /// Of all products: [`Error::Memory`](crate::Error::Memory), where X is copied because of its width or Aᵀ is not
    /// stored.
    pub fn apply(&self, alpha: u64, x: &Block, beta: u64, y: &mut Block) -> Result<()> {
        self.engine.apply(false, self.combine(alpha, beta), x, y)
    }
    /// Y ← αAᵀX + βY.
    ///
    /// # Errors
    /// As [`Product::apply`].
    pub fn apply_transpose(&self, alpha: u64, x: &Block, beta: u64, y: &mut Block) -> Result<()> {
        self.engine.apply(true, self.combine(alpha, beta), x, y)
    }
    /// Y ← D·A·X with D = diag(`diagonal`), or Y ← A·X without one; the scaling shares the reduction that ends a row.
    /// Panics if the diagonal is not as long as A has rows.
    ///
    /// # Errors
    /// As [`Product::apply`].
    pub fn apply_scaled(&self, diagonal: Option<&[u64]>, x: &Block, y: &mut Block) -> Result<()> {
        self.engine.apply(false, scaling(diagonal, self.rows()), x, y)
    }
    /// Y ← D·Aᵀ·X, as [`Product::apply_scaled`]. Panics if the diagonal is not as long as A has columns.
    ///
    /// # Errors
    /// As [`Product::apply`].
    pub fn apply_transpose_scaled(&self, diagonal: Option<&[u64]>, x: &Block, y: &mut Block) -> Result<()> {
        self.engine.apply(true, scaling(diagonal, self.cols()), x, y)
    }

    /// X ← AⁿX for a square A, in two buffers (source paper, section 2.5.2).
    ///
    /// # Errors
    /// As [`Product::apply`].
    pub fn power(&self, n: usize, mut x: Block) -> Result<Block> {
        self.sequence(n, &mut x, |_, _| ())?;
        Ok(x)
    }
    /// Calls `visit(i, AⁱX)` for i = 1 … n and leaves AⁿX in `x`; nothing is copied. Panics unless A is square.
    ///
    /// # Errors
    /// As [`Product::apply`].
    pub fn sequence(&self, n: usize, x: &mut Block, mut visit: impl FnMut(usize, &Block)) -> Result<()> {
        assert_eq!(self.rows(), self.cols(), "powers of a rectangular matrix");
        let mut next = Block::zeros(self.lane(), self.rows(), x.width())?;
        for i in 1..=n {
            self.apply_scaled(None, x, &mut next)?;
            std::mem::swap(x, &mut next);
            visit(i, x);
        }
        Ok(())
    }

    fn combine(&self, alpha: u64, beta: u64) -> Scaling<'static> {
        match (self.modulus.reduce(alpha), self.modulus.reduce(beta)) {
            (1, 0) => Scaling::None,
            (alpha, beta) => Scaling::Combine(alpha, beta),
        }
    }
}

fn scaling(diagonal: Option<&[u64]>, len: usize) -> Scaling<'_> {
    match diagonal {
        None => Scaling::None,
        Some(d) => {
            assert_eq!(d.len(), len, "a diagonal of the wrong length");
            Scaling::Diagonal(d)
        }
    }
}
