//! The preconditioned operator B of the rank algorithm, over GF(p) or an extension GF(pᵏ).
//!
//! For a sparse A and random diagonal matrices D₁, D₂ with non-zero entries in K = GF(pᵏ), B acts on the smaller side:
//!
//! - **normal form**, cols ≤ rows: B = D₁·AᵀD₂A; rows < cols: B = D₁·AD₂Aᵀ;
//! - **symmetric form**, A = Aᵀ and p odd: B = D₁·A, with half the products.
//!
//! D₁·AᵀD₂A with D₁ = Δ² is similar to the symmetrised ΔAᵀD₂AΔ of the source paper's references (Δ⁻¹BΔ is that matrix)
//! and costs one scaling less; a scaling rides on the reduction that ends a product, for free.
//!
//! What B must have for the rank to be read off its generator, and how often it has it (*theorem*, with S the set of
//! non-zero elements that the entries are drawn from, r = rank A and I a column basis of A):
//!
//! 1. M = AᵀD₂A has rank r unless a non-zero polynomial of degree r in D₂ vanishes (Cauchy–Binet: its minor on I is
//!    Σ_J det(A[J,I])²·Π_{j∈J} d₂ⱼ, multilinear, not zero): failure at most r/|S|. In the symmetric form M = A.
//! 2. D₁M has a zero eigenvalue of multiplicity exactly n - r: the coefficient of λⁿ⁻ʳ in its characteristic polynomial
//!    is ±Σ_J det(M[J,J])·Π_{j∈J} d₁ⱼ, and a symmetric matrix of rank r has a non-singular principal r-minor over any
//!    field: failure at most r/|S|.
//! 3. Its r non-zero eigenvalues are distinct. Specialise D₁ to the support of such a minor C; then f = det(λ·diag(e) -
//!    C), eᵢ = 1/d₁ᵢ, has degree 1 in every eᵢ, so a square factor would be free of e, hence divide both λʳ and det C ≠
//!    0; and an irreducible factor of f is inseparable only if it is a polynomial in λᵖ, so that all principal minors
//!    of C of order prime to p on its variables vanish. For p ≥ 3 those of order 1 and 2 would make C zero there; for p
//!    = 2 those of order 1 are the diagonal of M, linear forms Σⱼ aⱼᵢ²·d₂ⱼ ≠ 0 in D₂, which vanish somewhere on I with
//!    probability at most r/|S|. The discriminant has degree at most r(r-1) in D₁: failure at most (r(r-1) + r)/|S|.
//!
//! Together all three hold except with probability at most (r² + 2r)/|S|. The third fails for the symmetric form when
//! p = 2 (take a matrix with zero diagonal), which is why that form is for odd p.

use super::diagonals::{Diagonals, Form};
use super::{Operator, Scratch, scale};
use crate::Result;
use crate::field::{Field, Modulus, Rng};
use crate::spmv::{Block, DigitScaling, Lane};

/// Scaling of the rows of a block by elements of K.
#[derive(Debug)]
enum Scaling {
    /// k = 1: residues, fused into the product before it.
    Prime(Vec<u64>),
    /// k > 1: a pass of its own.
    Extension(DigitScaling),
}

impl Scaling {
    fn new(p: Modulus, lane: Lane, degree: usize, residues: Vec<u64>) -> Result<Self> {
        Ok(match degree {
            1 => Scaling::Prime(residues),
            _ => Scaling::Extension(DigitScaling::new(p, lane, degree, &residues)?),
        })
    }
    /// What the product before this scaling takes as its fused diagonal.
    fn fused(&self) -> Option<&[u64]> {
        match self {
            Scaling::Prime(d) => Some(d),
            Scaling::Extension(_) => None,
        }
    }
    /// What remains to do after that product.
    fn finish(&self, y: &mut Block) {
        if let Scaling::Extension(d) = self {
            d.apply(y);
        }
    }
    /// Y ← D·Y.
    fn apply(&self, p: Modulus, y: &mut Block) {
        scale(p, self.fused(), y);
        self.finish(y);
    }
}

/// B = D₁·A, D₁·AᵀD₂A or D₁·AD₂Aᵀ with random D₁, D₂ over K: see the module's documentation. Or A itself, for what
/// depends on more of it than its rank.
pub struct Preconditioned<'a> {
    product: &'a dyn Operator,
    form: Form,
    degree: usize,
    outer: Option<Scaling>,
    inner: Option<Scaling>,
}

impl std::fmt::Debug for Preconditioned<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of order {} over GF({}^{})", self.formula(), self.order(), self.modulus(), self.degree)
    }
}

impl<'a> Preconditioned<'a> {
    /// B for the box A = `product`, with D₁ and D₂ drawn from the non-zero elements of `field`.
    ///
    /// `symmetric` asserts A = Aᵀ (not checked here) and asks for the symmetric form. Panics if it is set for a
    /// rectangular A or for p = 2, or if the characteristics of `field` and `product` differ.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn random<F: Field>(field: &F, product: &'a dyn Operator, symmetric: bool, rng: &mut Rng) -> Result<Self> {
        assert_eq!(field.modulus(), product.modulus(), "field and matrix have different characteristics");
        Self::new(product, Diagonals::random(field, product.rows(), product.cols(), symmetric, rng)?)
    }

    /// B for the box A = `product` with these diagonals, drawn for its shape.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn new(product: &'a dyn Operator, diagonals: Diagonals) -> Result<Self> {
        let Diagonals { form, degree, outer, inner, .. } = diagonals;
        let scaling = |residues| Scaling::new(product.modulus(), product.lane(), degree, residues);
        Ok(Preconditioned {
            product,
            form,
            degree,
            outer: Some(scaling(outer)?),
            inner: inner.map(scaling).transpose()?,
        })
    }

    /// The square box A = `product` itself, over GF(p). Panics if it is not square.
    pub fn plain(product: &'a dyn Operator) -> Self {
        assert_eq!(product.rows(), product.cols(), "powers are of a square matrix");
        Preconditioned { product, form: Form::Symmetric, degree: 1, outer: None, inner: None }
    }

    /// The order n of B.
    pub fn order(&self) -> usize {
        match self.form {
            Form::Symmetric | Form::Columns => self.product.cols(),
            Form::Rows => self.product.rows(),
        }
    }
    /// The degree k of K over GF(p): blocks have a width divisible by it.
    pub fn degree(&self) -> usize {
        self.degree
    }
    /// The modulus p.
    pub fn modulus(&self) -> Modulus {
        self.product.modulus()
    }
    /// The storage type of blocks.
    pub fn lane(&self) -> Lane {
        self.product.lane()
    }
    /// The formula of B in the notation of the documentation.
    pub fn formula(&self) -> &'static str {
        match self.form {
            _ if self.outer.is_none() => "A",
            Form::Symmetric => "D1 A",
            Form::Columns => "D1 A^T D2 A",
            Form::Rows => "D1 A D2 A^T",
        }
    }

    /// Y ← B X. Panics if the shapes are not n × w with one width w divisible by k.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn apply(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        assert_eq!(x.width() % self.degree, 0, "the width of a block over GF(p^k) is a multiple of k");
        let product = self.product;
        match (self.form, &self.inner) {
            (Form::Symmetric, _) | (_, None) => {
                product.apply_scaled(self.outer.as_ref().and_then(Scaling::fused), x, y, scratch)?
            }
            (Form::Columns, Some(d2)) => {
                let mut w = scratch.take(product.lane(), product.rows(), x.width())?;
                product.apply_scaled(d2.fused(), x, &mut w, scratch)?;
                d2.finish(&mut w);
                product.apply_transpose_scaled(self.outer.as_ref().and_then(Scaling::fused), &w, y, scratch)?;
                scratch.give(w);
            }
            (Form::Rows, Some(d2)) => {
                let mut w = scratch.take(product.lane(), product.cols(), x.width())?;
                product.apply_transpose_scaled(d2.fused(), x, &mut w, scratch)?;
                d2.finish(&mut w);
                product.apply_scaled(self.outer.as_ref().and_then(Scaling::fused), &w, y, scratch)?;
                scratch.give(w);
            }
        }
        if let Some(outer) = &self.outer {
            outer.finish(y);
        }
        Ok(())
    }

    /// For the system A·x = b: C such that every U with B·U = C gives a [solution](Preconditioned::solution), D₁·AᵀD₂b
    /// or D₁·b. Panics if the shapes do not fit.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn right_side(&self, b: &Block, c: &mut Block, scratch: &mut Scratch) -> Result<()> {
        let product = self.product;
        match (self.form, &self.inner) {
            (Form::Columns, Some(d2)) => {
                let mut w = scratch.take(product.lane(), product.rows(), b.width())?;
                w.copy_rows(0, b, 0, b.rows());
                d2.apply(product.modulus(), &mut w);
                product.apply_transpose_scaled(self.outer.as_ref().and_then(Scaling::fused), &w, c, scratch)?;
                scratch.give(w);
                if let Some(outer) = &self.outer {
                    outer.finish(c);
                }
            }
            _ => {
                c.copy_rows(0, b, 0, b.rows());
                if let Some(outer) = &self.outer {
                    outer.apply(product.modulus(), c);
                }
            }
        }
        Ok(())
    }
    /// X from U: U itself, or D₂AᵀU.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn solution(&self, u: &Block, x: &mut Block, scratch: &mut Scratch) -> Result<()> {
        match (self.form, &self.inner) {
            (Form::Rows, Some(d2)) => {
                self.product.apply_transpose_scaled(d2.fused(), u, x, scratch)?;
                d2.finish(x);
            }
            _ => x.copy_rows(0, u, 0, u.rows()),
        }
        Ok(())
    }
    /// Y from what is left of b by the X of a U with B·(C - B·U) = 0: AᵀY = 0, and Y is 0 only where nothing is left.
    pub fn left_null_vector(&self, y: &mut Block) {
        let scaling = match self.form {
            Form::Columns => &self.inner,
            Form::Symmetric | Form::Rows => &self.outer,
        };
        if let Some(scaling) = scaling {
            scaling.apply(self.product.modulus(), y);
        }
    }
}
