//! Rows of S that vectors orthogonal to a span of its rows are not orthogonal to.

use super::Split;
use super::combine::Combination;
use super::cuda::GpuProducts;
use super::fold::Fold;
use super::strides::strides;
use crate::dense::{Echelon, Factors, GpuInverse};
use crate::field::{Modulus, Rng};
use crate::spmv::{Block, Lane, TriangularSolve};
use crate::{Result, memory};

/// What the memory is for.
const COMBINATIONS: &str = "the combinations of a sketch";

/// Combinations of rows of S that are independent when they are folded: V of `schur/sketch.rs`, and B.
pub(super) struct Basis<'a> {
    combinations: Vec<&'a Combination>,
    /// The columns of B in its order.
    cols: Vec<u32>,
    minor: Minor,
}

/// What solves systems with B.
enum Minor {
    Processor(Factors),
    Gpu(Box<GpuInverse>),
}

impl<'a> Basis<'a> {
    /// That of an echelon form, which keeps multipliers, of the folded combinations.
    ///
    /// # Errors
    /// [`crate::Error::Memory`], [`crate::Error::Device`].
    pub fn of(echelon: &Echelon, absorbed: &'a [Combination]) -> Result<Self> {
        let minor = match echelon.inverse_on_gpu()? {
            Some(inverse) => Minor::Gpu(Box::new(inverse)),
            None => Minor::Processor(echelon.factors()?.expect("multipliers are kept")),
        };
        Ok(Basis {
            combinations: memory::collect(echelon.pivot_rows().iter().map(|&k| &absorbed[k]), COMBINATIONS)?,
            cols: memory::copy(echelon.found_cols(), COMBINATIONS)?,
            minor,
        })
    }
    fn solve(&self, right: &[u64], count: usize) -> Result<Vec<u64>> {
        match &self.minor {
            Minor::Processor(factors) => factors.solve(right, count),
            Minor::Gpu(inverse) => inverse.solve(right, count),
        }
    }
}

/// Finds rows of S that vectors orthogonal to the span found are not orthogonal to.
pub(super) struct Sieve {
    products: Products,
    /// The rows of S as they come.
    order: Vec<u32>,
}

/// Z ↦ S·Z.
enum Products {
    Processor(Box<(TriangularSolve, Block)>),
    Gpu(Box<GpuProducts>),
}

impl Products {
    /// S·Z: what `with` makes of it, as the last rows of a block.
    fn image<T>(&mut self, z: &Block, with: impl FnOnce(&Block) -> T) -> Result<T> {
        match self {
            Products::Processor(made) => {
                let (program, work) = &mut **made;
                work.copy_rows(0, z, 0, z.rows());
                program.run(work);
                Ok(with(work))
            }
            Products::Gpu(products) => Ok(with(&products.image(z)?)),
        }
    }
}

impl Sieve {
    /// Vectors at once.
    pub const WIDTH: usize = TriangularSolve::GRID;

    /// By these products, or on the processor.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn new(split: &Split, products: Option<GpuProducts>) -> Result<Self> {
        let products = match products {
            Some(products) => Products::Gpu(Box::new(products)),
            None => {
                let program = split.forward()?;
                let work = Block::zeros(program.lane(), program.inputs() + program.rows(), Self::WIDTH)?;
                Products::Processor(Box::new((program, work)))
            }
        };
        Ok(Sieve { products, order: strides(split.rows.len())? })
    }
    /// The rows that one of [`Sieve::WIDTH`] random vectors orthogonal to the `basis` is not orthogonal to.
    ///
    /// # Errors
    /// [`crate::Error::Memory`], [`crate::Error::Device`].
    pub fn outside(&mut self, p: Modulus, basis: &Basis, fold: &Fold, rng: &mut Rng) -> Result<Vec<u32>> {
        let Sieve { products, order } = self;
        let mut z = Block::zeros(Lane::narrowest(p), fold.cols(), Self::WIDTH)?;
        z.fill_uniformly(0..fold.cols(), p, rng);
        // -Yᵀ·S·z, and what M·u adds to z.
        let mut right = memory::zeros(basis.combinations.len() * Self::WIDTH, COMBINATIONS)?;
        products.image(&z, |image| {
            let (first, mut row) = (image.rows() - order.len(), Vec::with_capacity(Self::WIDTH));
            for (combination, to) in basis.combinations.iter().zip(right.chunks_exact_mut(Self::WIDTH)) {
                for &(i, coefficient) in *combination {
                    row.clear();
                    image.push_row(first + i as usize, Self::WIDTH, &mut row);
                    let by = p.multiplier(coefficient);
                    to.iter_mut().zip(&row).for_each(|(sum, &x)| *sum = p.sub(*sum, p.mul_by(x, by)));
                }
            }
        })?;
        let solution = basis.solve(&right, Self::WIDTH)?;
        let mut u = memory::zeros(fold.width() * Self::WIDTH, COMBINATIONS)?;
        for (&j, from) in basis.cols.iter().zip(solution.chunks_exact(Self::WIDTH)) {
            u[j as usize * Self::WIDTH..][..Self::WIDTH].copy_from_slice(from);
        }
        fold.add_unfolded(p, &u, &mut z);
        let mut rows = memory::with_capacity(order.len(), COMBINATIONS)?;
        products.image(&z, |image| {
            let first = image.rows() - order.len();
            rows.extend(order.iter().copied().filter(|&i| !image.is_zero(first + i as usize)));
        })?;
        Ok(rows)
    }
}
