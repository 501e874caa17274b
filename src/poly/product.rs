//! Products and middle products of polynomial matrices.
//!
//! By transforms: A and B are carried to their values at N roots of unity modulo enough 50-bit primes
//! ([`residues`](super::residues) proves how many), the small matrices of values are multiplied point by point, and the
//! inverse transform and the Chinese remainder theorem bring the wanted coefficients back. A *middle* product, the
//! coefficients lo .. lo + len, needs a cyclic length N at which no other coefficient falls on them: the longer operand's
//! length is enough (Hanrot, Quercia, Zimmermann, *The middle product algorithm I*, 2004, section 3).
//!
//! Elements of GF(pᵏ) enter by Kronecker's substitution: k digits in 2k - 1 slots, so that coefficient c of the product occupies
//! the slots (2k-1)c … (2k-1)c + 2k-2, and its 2k - 1 digit sums are folded by the powers tʲ.
//!
//! Results do not depend on the number of threads nor on the instruction set: all arithmetic is exact, or checked ([`fourier`]).

use super::buffer::{Buffer, padded};
use super::chunks::for_each_chunk;
use super::ntt::MAX_PRIMES;
use super::ntt::{Inverse, Prime, Twiddles};
use super::plan::{Method, ProductPlan, ProductShape};
use super::residues::Leaving;
use super::simd::{Isa, Kernel, Row, Simd};
use super::sums::{One, Shape, Sink, SumReducer, sum_of_products};
use super::{PolyMatrix, Transformed};
use super::{fourier, schoolbook};
use crate::Result;
use crate::field::Field;

/// Points whose products are computed together: as many as a second-level cache has room for, since the lists of the groups are
/// read in pieces of that many rows and longer pieces come faster.
fn tile_points(shape: Shape) -> usize {
    let groups = shape.rows * shape.lda / 8 + shape.width * (shape.inner + shape.rows);
    ((512 << 10) / (groups * size_of::<Row>()).max(1)).clamp(8, 32) / 8 * 8
}

/// Coefficients that one task brings back from the residues.
const SCATTER: usize = 64;

/// A·B, of `a.len() + b.len() - 1` coefficients (none if a factor has none).
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If `a.cols() != b.rows()`.
pub fn multiply<F: Field>(field: &F, a: &PolyMatrix<F::Elem>, b: &PolyMatrix<F::Elem>) -> Result<PolyMatrix<F::Elem>> {
    let len = if a.is_empty() || b.is_empty() { 0 } else { a.len() + b.len() - 1 };
    middle_product(field, a, b, 0, len)
}

/// The coefficients `lo .. lo + len` of A·B; those beyond its degree are zero.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If `a.cols() != b.rows()`.
pub fn middle_product<F: Field>(
    field: &F,
    a: &PolyMatrix<F::Elem>,
    b: &PolyMatrix<F::Elem>,
    lo: usize,
    len: usize,
) -> Result<PolyMatrix<F::Elem>> {
    ProductPlan::new(field, ProductShape::of(a, b, lo, len)).execute(field, a, b)
}

impl ProductShape {
    /// The shape of the coefficients `lo .. lo + len` of A·B.
    ///
    /// # Panics
    /// If `a.cols() != b.rows()`.
    pub fn of<E: Copy + Default + Eq>(a: &PolyMatrix<E>, b: &PolyMatrix<E>, lo: usize, len: usize) -> Self {
        assert_eq!(a.cols(), b.rows(), "columns of the left and rows of the right factor");
        let (rows, inner, cols) = (a.rows(), a.cols(), b.cols());
        ProductShape { rows, inner, cols, left_len: a.len(), right_len: b.len(), lo, len }
    }
}

impl ProductPlan {
    /// Computes the product.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If field or operands are not those of the plan.
    pub fn execute<F: Field>(
        &self,
        field: &F,
        a: &PolyMatrix<F::Elem>,
        b: &PolyMatrix<F::Elem>,
    ) -> Result<PolyMatrix<F::Elem>> {
        self.execute_with(Isa::best(), field, a, b)
    }

    pub(crate) fn execute_with<F: Field>(
        &self,
        isa: Isa,
        field: &F,
        a: &PolyMatrix<F::Elem>,
        b: &PolyMatrix<F::Elem>,
    ) -> Result<PolyMatrix<F::Elem>> {
        assert_eq!(ProductShape::of(a, b, self.shape.lo, self.shape.len), self.shape, "operands of another shape");
        assert_eq!((field.modulus(), field.degree()), (self.modulus, self.degree), "another field");
        match self.method {
            Method::Schoolbook => schoolbook::product(isa, field, a, b, &self.shape),
            Method::Fourier { points } => match fourier::product(isa, field, a, b, &self.shape, points)? {
                Some(product) => Ok(product),
                None => self.without_rounding().execute_with(isa, field, a, b),
            },
            Method::Transform { primes, points } => {
                let (la, lb, _) = self.shape.effective();
                let mut out = PolyMatrix::zeros(self.shape.rows, self.shape.cols, self.shape.len)?;
                let tb = Transformed::new(isa, field, b, 0..b.rows(), lb, primes, points)?;
                let block = self.shape.block_rows(primes, points);
                for first in (0..a.rows()).step_by(block) {
                    let rows = first..a.rows().min(first + block);
                    let ta = Transformed::new(isa, field, a, rows, la, primes, points)?;
                    self.run_rows(isa, field, &ta, &tb, first, &mut out)?;
                }
                Ok(out)
            }
        }
    }

    /// The transform of a factor for products by this plan and by every plan with the same transform, on either side;
    /// `None` if this plan does not transform.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If the matrix is longer than the transform.
    pub fn transform<F: Field>(&self, field: &F, matrix: &PolyMatrix<F::Elem>) -> Result<Option<Transformed>> {
        match self.method {
            Method::Schoolbook | Method::Fourier { .. } => Ok(None),
            Method::Transform { primes, points } => {
                let rows = 0..matrix.rows();
                Transformed::new(Isa::best(), field, matrix, rows, matrix.len(), primes, points).map(Some)
            }
        }
    }

    /// Computes the product of transformed factors.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If field or factors are not those of the plan, or the plan does not transform.
    pub fn run<F: Field>(&self, field: &F, a: &Transformed, b: &Transformed) -> Result<PolyMatrix<F::Elem>> {
        let shape = &self.shape;
        let Method::Transform { primes, points } = self.method else { panic!("not a plan of transforms: {self}") };
        for t in [a, b] {
            assert_eq!((t.modulus, t.degree), (field.modulus(), field.degree()), "a factor over another field");
            assert!(t.points == points && t.values.len() >= primes, "a factor transformed by another plan");
        }
        assert_eq!((a.rows, a.cols, b.rows, b.cols), (shape.rows, shape.inner, shape.inner, shape.cols));
        assert!(a.len <= shape.left_len && b.len <= shape.right_len);

        let mut out = PolyMatrix::zeros(shape.rows, shape.cols, shape.len)?;
        self.run_rows(Isa::best(), field, a, b, 0, &mut out)?;
        Ok(out)
    }

    /// The rows of the product from `first` on, as many as `a` has.
    fn run_rows<F: Field>(
        &self,
        isa: Isa,
        field: &F,
        a: &Transformed,
        b: &Transformed,
        first: usize,
        out: &mut PolyMatrix<F::Elem>,
    ) -> Result<()> {
        let (_, _, wanted) = self.shape.effective();
        if wanted == 0 || a.rows * b.cols == 0 {
            return Ok(());
        }
        let Method::Transform { primes, points } = self.method else { panic!("not a plan of transforms: {self}") };
        let residues: Vec<Buffer> = (0..primes).map(|t| residues_of_product(isa, a, b, t)).collect::<Result<_>>()?;
        let leaving = Leaving::new(field.modulus().get(), primes, points);
        let fold = Fold::new(field);
        let size = self.shape.rows * self.shape.cols;
        for_each_chunk(&mut out.data_mut()[..wanted * size], size * SCATTER, |i, out| {
            let slot = (self.shape.lo + i * SCATTER) * fold.stride;
            isa.run(Leave {
                fold: &fold,
                leaving: &leaving,
                residues: &residues,
                points,
                slot,
                shape: &self.shape,
                first,
                out,
            });
        });
        Ok(())
    }
}

/// N times the cyclic product modulo prime number `t`: for every group of the result its N rows.
fn residues_of_product(isa: Isa, a: &Transformed, b: &Transformed, t: usize) -> Result<Buffer> {
    let (points, prime) = (a.points, Prime::get(t));
    let shape = Shape { rows: a.rows, inner: a.cols, lda: a.cols.div_ceil(8) * 8, width: b.cols.div_ceil(8) };
    let groups = shape.rows * shape.width;
    // Tile after tile; within one, group after group; within that, its points. So every task writes one piece.
    let mut tiles = Buffer::new(groups * points)?;
    let (reducer, tile) = (SumReducer::new(prime.q), tile_points(shape));
    for_each_chunk(&mut tiles, groups * tile, |i, out| {
        isa.run(TileProduct {
            a: &a.values[t],
            b: &b.values[t],
            out,
            first: i * tile,
            points,
            shape,
            reducer: &reducer,
        });
    });
    let twiddles = Twiddles::get(prime, points);
    let stride = padded(points);
    let mut values = Buffer::new(groups * stride)?;
    for_each_chunk(&mut values, stride, |group, data| {
        let data = &mut data[..points];
        for (products, data) in tiles.chunks(groups * tile).zip(data.chunks_mut(tile)) {
            data.copy_from_slice(&products[group * data.len()..][..data.len()]);
        }
        isa.run(Inverse { data, twiddles: &twiddles });
    });
    Ok(values)
}

/// The products at the points `first ..`, as many as `out` has room for.
struct TileProduct<'a> {
    a: &'a [Row],
    b: &'a [Row],
    out: &'a mut [Row],
    first: usize,
    points: usize,
    shape: Shape,
    reducer: &'a SumReducer,
}

impl Kernel for TileProduct<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let width = self.shape.width;
        let count = self.out.len() / (self.shape.rows * width);
        let a = tile(self.a, self.first, count, self.points);
        let b = tile(self.b, self.first, count, self.points);
        let (a_size, b_size) = (a.len() / count, b.len() / count);
        for p in 0..count {
            let a = words(&a[p * a_size..][..a_size]);
            let b = &b[p * b_size..][..b_size];
            let mut sink = TilePoint { out: self.out, width, count, p };
            sum_of_products(s, self.shape, One(a, b), self.reducer, &mut sink);
        }
    }
}

/// Point p of a tile of `count` points.
struct TilePoint<'a> {
    out: &'a mut [Row],
    width: usize,
    count: usize,
    p: usize,
}

impl Sink for TilePoint<'_> {
    #[inline(always)]
    fn put(&mut self, i: usize, g: usize, lanes: Row) {
        self.out[(i * self.width + g) * self.count + self.p] = lanes;
    }
}

/// The values of all groups at `count` points, point by point.
#[inline(always)]
fn tile(values: &[Row], first: usize, count: usize, points: usize) -> Vec<Row> {
    let groups = values.len() / padded(points);
    let mut tile = vec![Row::default(); groups * count];
    for (g, group) in values.chunks_exact(padded(points)).enumerate() {
        for (p, row) in group[first..first + count].iter().enumerate() {
            tile[p * groups + g] = *row;
        }
    }
    tile
}

/// Rows as words.
fn words(rows: &[Row]) -> &[u64] {
    bytemuck::cast_slice(rows)
}

/// Brings a few coefficients back.
struct Leave<'a, F: Field> {
    fold: &'a Fold<'a, F>,
    leaving: &'a Leaving,
    residues: &'a [Buffer],
    points: usize,
    /// The slot of the first digit.
    slot: usize,
    shape: &'a ProductShape,
    /// The row of the result to which the first group belongs.
    first: usize,
    /// The coefficients, each row-major.
    out: &'a mut [F::Elem],
}

impl<F: Field> Kernel for Leave<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let stride = self.fold.stride;
        let cols = self.shape.cols;
        let width = cols.div_ceil(8);
        let groups = self.residues[0].len() / padded(self.points);
        let size = self.shape.rows * cols;
        let residues: Vec<&[Row]> = self.residues.iter().map(|r| &r[..]).collect();
        let mut lanes = [s.splat(0); MAX_PRIMES];
        let mut slots = vec![Row::default(); stride];
        let mut digits = vec![0; stride];
        for group in 0..groups {
            let (row, within) = (self.first + group / width, group % width);
            for (c, out) in self.out.chunks_exact_mut(size).enumerate() {
                let at = group * padded(self.points) + self.slot + c * stride;
                for (d, slot) in slots.iter_mut().enumerate() {
                    for (lanes, residues) in lanes.iter_mut().zip(&residues) {
                        *lanes = s.load(&residues[at + d]);
                    }
                    *slot = self.leaving.map(s, &lanes);
                }
                let out = &mut out[row * cols..][8 * within..cols.min(8 * within + 8)];
                if stride == 1 {
                    for (&digit, out) in slots[0].0.iter().zip(out) {
                        *out = self.fold.field.from_digits(&[digit]);
                    }
                    continue;
                }
                for (lane, out) in out.iter_mut().enumerate() {
                    for (digit, slot) in digits.iter_mut().zip(&slots) {
                        *digit = slot.0[lane];
                    }
                    *out = self.fold.element(&mut digits);
                }
            }
        }
    }
}

/// Σ dⱼ tʲ for 2k - 1 digits.
pub(crate) struct Fold<'a, F: Field> {
    field: &'a F,
    degree: usize,
    pub(crate) stride: usize,
    /// For i < k: the (j, c) with c ≠ 0 the digit of tⁱ in tʲ, j = k … 2k-2. Few where the defining polynomial is sparse.
    weights: Vec<Vec<(usize, u64)>>,
    /// Whether a sum of k products of digits fits 128 bits: k·p² < 2¹²⁸.
    delayed: bool,
}

impl<'a, F: Field> Fold<'a, F> {
    pub(crate) fn new(field: &'a F) -> Self {
        let (degree, p) = (field.degree(), field.modulus().get() as u128);
        let mut weights = vec![Vec::new(); degree];
        let mut digits = vec![0; degree];
        if degree > 1 {
            digits[1] = 1;
            let t = field.from_digits(&digits);
            let mut power = (1..degree).fold(field.one(), |power, _| field.mul(power, t));
            for j in degree..2 * degree - 1 {
                power = field.mul(power, t);
                field.write_digits(power, &mut digits);
                for (weights, &digit) in weights.iter_mut().zip(&digits) {
                    if digit != 0 {
                        weights.push((j, digit));
                    }
                }
            }
        }
        let delayed = (p * p).checked_mul(degree as u128).is_some();
        Fold { field, degree, stride: 2 * degree - 1, weights, delayed }
    }

    /// The element; the lower k digits are overwritten.
    #[inline(always)]
    pub(crate) fn element(&self, digits: &mut [u64]) -> F::Elem {
        if self.degree > 1 {
            self.reduce(digits);
        }
        self.field.from_digits(&digits[..self.degree])
    }

    fn reduce(&self, digits: &mut [u64]) {
        let modulus = self.field.modulus();
        let (low, high) = digits.split_at_mut(self.degree);
        for (low, weights) in low.iter_mut().zip(&self.weights) {
            let products = weights.iter().map(|&(j, c)| high[j - self.degree] as u128 * c as u128);
            *low = if self.delayed {
                modulus.reduce_u128(products.fold(*low as u128, |sum, x| sum + x))
            } else {
                products.fold(*low, |sum, x| modulus.add(sum, modulus.reduce_u128(x)))
            };
        }
    }
}
