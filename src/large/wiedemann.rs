//! Block Wiedemann over GF(p) for a large prime p: rank, and null vectors, of a sparse matrix B.
//!
//! With random diagonal matrices D₁, D₂ without zeros and M = Bᵀ·D₂·B, let C = D₁·M. For random X with s columns, V₀ =
//! X, V_{k+1} = C·V_k,
//!
//! > S_{j+k} = V_jᵀ·M·V_k,
//!
//! since M·C^k is symmetric: each product with M gives two terms, S_{2k} = V_kᵀ·(M·V_k) and S_{2k+1} =
//! (M·V_k)ᵀ·V_{k+1}.
//!
//! **Never above the rank.** A block Hankel matrix of the terms is Kᵀ·M·K with K = (V₀ V₁ …): its rank, which is the
//! sum of the degrees of the [generator](super::generator), is at most that of M and so of B. Always.
//!
//! **Seldom below.** Except with probability (r² + 2r)/(p - 1), C has rank r = rank B, r distinct eigenvalues that are
//! not 0, and 0 is semisimple ([`Preconditioned`](crate::blackbox::Preconditioned)). Then eigenvectors v, v' of
//! different eigenvalues have vᵀ·M·v' = 0, as C is self-adjoint for D₁⁻¹; so M is diagonal in a basis of eigenvectors,
//! with r entries μ that are not 0. Give each column of X the sum of at most d = ⌈r/s⌉ of these eigenvectors: the
//! Hankel matrix of d × d blocks falls into s blocks Wᵀ·diag(μ)·W with W Vandermonde of distinct eigenvalues, and has
//! rank r. So an r-minor of it is a polynomial of degree 2r in X that is not 0, and vanishes for random X with
//! probability at most 2r/p (Schwartz–Zippel). In all at most [`rank_failure`](crate::certify::rank_failure).
//!
//! **Null vectors.** A row f of the generator says Σ_k V_k·f_kᵀ is orthogonal to M·V_j for all j: it is in the null
//! space of M, or chance was against us. Each is multiplied by B before anyone sees it.
//!
//! Sources: D. Coppersmith, Math. Comp. 62 (1994); G. Villard, ISSAC 1997; W. Eberly, E. Kaltofen, ISSAC 1997, on
//! D₁·Bᵀ·D₂·B.

use super::arithmetic::Arithmetic;
use super::generator::{Generator, generator};
use super::matrix::Matrix;
use super::products::Product;
use crate::field::Rng;
use crate::{Observer, Result, memory};
use rayon::prelude::*;

/// What the memory is for.
const VECTORS: &str = "blocks of vectors mod a large prime";
/// Rows of blocks that one task multiplies, or more.
const ROWS: usize = 128;

/// B with its transpose, ready for products.
#[derive(Debug)]
pub(crate) struct Operator<'a, F: Arithmetic> {
    field: &'a F,
    b: Product<F>,
    transpose: Product<F>,
    /// D₂ and D₁.
    diagonals: [Vec<F::Element>; 2],
}

/// What one run found.
#[derive(Debug)]
pub(crate) struct Run<E> {
    /// At most the rank of B.
    pub(crate) rank: usize,
    /// Vectors of the null space, one after the other; checked.
    pub(crate) vectors: Vec<E>,
}

impl<'a, F: Arithmetic> Operator<'a, F> {
    /// B with random diagonals.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn new(field: &'a F, b: &Matrix, rng: &mut Rng) -> Result<Self> {
        let (rows, cols) = (b.rows(), b.cols);
        let transpose = Product::new(field, &b.transpose()?)?;
        let mut diagonal = |count: usize| {
            let unit = || loop {
                let a = field.random(rng);
                if !field.is_zero(&a) {
                    return a;
                }
            };
            memory::collect(std::iter::repeat_with(unit).take(count), VECTORS)
        };
        let diagonals = [diagonal(rows)?, diagonal(cols)?];
        Ok(Operator { field, b: Product::new(field, b)?, transpose, diagonals })
    }

    /// The rank, and if `vectors` are wanted s null vectors of B, or fewer with bad luck.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
    pub(crate) fn run(
        &self,
        s: usize,
        vectors: bool,
        rng: &mut Rng,
        observer: &dyn Observer,
    ) -> Result<Run<F::Element>> {
        let field = self.field;
        let (rows, cols) = (self.b.rows(), self.b.cols());
        let random = std::iter::repeat_with(|| field.random(rng)).take(cols * s);
        let start: Vec<F::Element> = memory::collect(random, VECTORS)?;
        // All terms of the theorem.
        let terms = 2 * rows.min(cols).div_ceil(s);
        let series = self.sequence(&start, s, terms, observer)?;
        let found = generator(field, &series, s, observer)?;
        drop(series);
        let wanted = vectors && found.rank < cols;
        let vectors = if wanted { self.null_vectors(start, s, &found, observer)? } else { vec![] };
        Ok(Run { rank: found.rank, vectors })
    }

    /// U = M·V; `image` is room for B·V.
    fn symmetric(&self, v: &[F::Element], image: &mut [F::Element], u: &mut [F::Element], s: usize) {
        self.b.apply(self.field, v, image, s);
        self.scale(image, &self.diagonals[0], s);
        self.transpose.apply(self.field, image, u, s);
    }

    /// Multiplies the rows of a block by those of a diagonal matrix.
    fn scale(&self, block: &mut [F::Element], diagonal: &[F::Element], s: usize) {
        let rows = block.par_chunks_mut(s).zip(diagonal).with_min_len(ROWS);
        rows.for_each(|(row, d)| row.iter_mut().for_each(|x| *x = self.field.mul(x, d)));
    }

    fn sequence(
        &self,
        start: &[F::Element],
        s: usize,
        terms: usize,
        observer: &dyn Observer,
    ) -> Result<Vec<F::Element>> {
        let field = self.field;
        observer.phase("sequence", terms as u64);
        let mut series = memory::with_capacity(terms * s * s, VECTORS)?;
        let mut v = memory::collect(start.iter().cloned(), VECTORS)?;
        let mut u = memory::filled(field.zero(), v.len(), VECTORS)?;
        let mut image = memory::filled(field.zero(), self.b.rows() * s, VECTORS)?;
        for k in 0..terms / 2 {
            observer.check()?;
            self.symmetric(&v, &mut image, &mut u, s);
            series.extend(gram(field, &v, &u, s));
            v.clone_from_slice(&u);
            self.scale(&mut v, &self.diagonals[1], s);
            series.extend(gram(field, &u, &v, s));
            observer.progress(2 * k as u64 + 2);
        }
        Ok(series)
    }

    /// Σ_k V_k·f_kᵀ for all rows f of the generator, those that B maps to 0.
    fn null_vectors(
        &self,
        start: Vec<F::Element>,
        s: usize,
        generator: &Generator<F::Element>,
        observer: &dyn Observer,
    ) -> Result<Vec<F::Element>> {
        let field = self.field;
        let degree = generator.rows.iter().map(|row| row.0).max().unwrap_or(0);
        observer.phase("null vectors", degree as u64);
        let mut v = start;
        let mut sums = memory::filled(field.zero(), v.len(), VECTORS)?;
        let mut u = memory::filled(field.zero(), v.len(), VECTORS)?;
        let mut image = memory::filled(field.zero(), self.b.rows() * s, VECTORS)?;
        for k in 0..=degree {
            observer.check()?;
            // f_k of all rows, s×s: row i is that of generator row i.
            let zero = vec![field.zero(); s];
            let factors: Vec<&[F::Element]> = generator
                .rows
                .iter()
                .map(|(degree, row)| {
                    degree.checked_sub(k).and_then(|at| row.get(at * s..(at + 1) * s)).unwrap_or(&zero)
                })
                .collect();
            sums.par_chunks_mut(s).zip(v.par_chunks(s)).with_min_len(ROWS).for_each(|(sums, v)| {
                for (sum, factors) in sums.iter_mut().zip(&factors) {
                    let mut products = field.products();
                    v.iter().zip(*factors).for_each(|(v, f)| field.plus_product(&mut products, v, f));
                    *sum = field.add(sum, &field.reduced_products(products));
                }
            });
            if k < degree {
                self.symmetric(&v, &mut image, &mut u, s);
                std::mem::swap(&mut u, &mut v);
                self.scale(&mut v, &self.diagonals[1], s);
                observer.progress(k as u64 + 1);
            }
        }
        self.b.apply(field, &sums, &mut image, s);
        let good = |l: &usize| image[*l..].iter().step_by(s).all(|x| field.is_zero(x));
        let good: Vec<usize> = (0..s).filter(|l| self.b.rows() == 0 || good(l)).collect();
        let vectors = good.iter().flat_map(|&l| sums[l..].iter().step_by(s).cloned());
        memory::collect(vectors, VECTORS)
    }
}

/// Aᵀ·B for blocks with s columns, which is known to be symmetric.
fn gram<F: Arithmetic>(field: &F, a: &[F::Element], b: &[F::Element], s: usize) -> Vec<F::Element> {
    let pairs: Vec<(usize, usize)> = (0..s).flat_map(|i| (i..s).map(move |j| (i, j))).collect();
    let piece = |(a, b): (&[F::Element], &[F::Element])| -> Vec<F::Element> {
        let mut sums = vec![field.products(); pairs.len()];
        for (a, b) in a.chunks_exact(s).zip(b.chunks_exact(s)) {
            for (sum, &(i, j)) in sums.iter_mut().zip(&pairs) {
                field.plus_product(sum, &a[i], &b[j]);
            }
        }
        sums.into_iter().map(|sum| field.reduced_products(sum)).collect()
    };
    let none = || vec![field.zero(); pairs.len()];
    let add = |x: Vec<F::Element>, y: Vec<F::Element>| x.iter().zip(&y).map(|(x, y)| field.add(x, y)).collect();
    let upper = a.par_chunks(ROWS * s).zip(b.par_chunks(ROWS * s)).map(piece).reduce(none, add);
    let mut all = vec![field.zero(); s * s];
    for (&(i, j), x) in pairs.iter().zip(upper) {
        all[j * s + i] = x.clone();
        all[i * s + j] = x;
    }
    all
}
