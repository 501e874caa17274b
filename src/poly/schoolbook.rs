//! Products by the definition, for short lengths: Cₜ = Σ Aᵢ B_(t-i).

use super::chunks::for_each_chunk;
use super::matrix::PolySlice;
use super::shape::ProductShape;
use super::simd::{Isa, Kernel, Row, Simd};
use super::sums::{Pairs, Shape, Sink, SumReducer, sum_of_products};
use crate::field::Field;
use crate::{Result, memory};

/// Writes the wanted coefficients to zeros. Over prime fields with p < 2⁵⁰ the sum over i and the sum within each
/// matrix product are one exact sum; other fields use their own arithmetic.
pub(crate) fn product<F: Field>(
    isa: Isa,
    field: &F,
    a: PolySlice<'_, F::Elem>,
    b: PolySlice<'_, F::Elem>,
    shape: &ProductShape,
    out: &mut [F::Elem],
) -> Result<()> {
    let (_, _, wanted) = shape.effective();
    let size = shape.rows * shape.cols;
    let out_data = &mut out[..wanted * size];
    if out_data.is_empty() || shape.inner == 0 {
        return Ok(());
    }
    if field.degree() == 1 && field.modulus().get() < 1 << 50 {
        let (a, b) = (Words::left(field, &a)?, Words::right(field, &b)?);
        let reducer = SumReducer::new(field.modulus().get());
        for_each_chunk(out_data, size, |t, out| {
            isa.run(Coefficient { field, a: &a, b: &b, t: shape.lo + t, shape, reducer: &reducer, out });
        });
    } else {
        for_each_chunk(out_data, size, |t, out| {
            let t = shape.lo + t;
            for i in (t + 1).saturating_sub(b.len())..a.len().min(t + 1) {
                let (x, y) = (a.coefficient(i), b.coefficient(t - i));
                for (x, out) in x.chunks_exact(shape.inner).zip(out.chunks_exact_mut(shape.cols)) {
                    for (&x, y) in x.iter().zip(y.chunks_exact(shape.cols)) {
                        field.axpy(out, x, y);
                    }
                }
            }
        });
    }
    Ok(())
}

/// What the memory is for.
const FACTOR: &str = "a factor of a product of polynomial matrices";

/// The coefficients of a factor as residues.
struct Words<T> {
    /// Entries of one coefficient.
    size: usize,
    len: usize,
    data: Vec<T>,
}

impl Words<u64> {
    fn left<F: Field>(field: &F, a: &PolySlice<'_, F::Elem>) -> Result<Self> {
        let mut data = memory::with_capacity(a.data().len(), FACTOR)?;
        data.extend(a.data().iter().map(|&x| digit(field, x)));
        Ok(Words { size: a.rows() * a.cols(), len: a.len(), data })
    }
}

impl Words<Row> {
    /// Each row padded to whole groups.
    fn right<F: Field>(field: &F, b: &PolySlice<'_, F::Elem>) -> Result<Self> {
        let width = b.cols().div_ceil(8);
        let mut data = memory::filled(Row::default(), b.len() * b.rows() * width, FACTOR)?;
        for (row, entries) in data.chunks_exact_mut(width).zip(b.data().chunks_exact(b.cols())) {
            for (j, &x) in entries.iter().enumerate() {
                row[j / 8].0[j % 8] = digit(field, x);
            }
        }
        Ok(Words { size: b.rows() * width, len: b.len(), data })
    }
}

impl<T> Words<T> {
    fn coefficient(&self, i: usize) -> &[T] {
        &self.data[i * self.size..][..self.size]
    }
}

#[inline(always)]
fn digit<F: Field>(field: &F, x: F::Elem) -> u64 {
    let mut digit = [0];
    field.write_digits(x, &mut digit);
    digit[0]
}

/// One coefficient of the product.
struct Coefficient<'a, F: Field> {
    field: &'a F,
    a: &'a Words<u64>,
    b: &'a Words<Row>,
    t: usize,
    shape: &'a ProductShape,
    reducer: &'a SumReducer,
    out: &'a mut [F::Elem],
}

impl<F: Field> Kernel for Coefficient<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let shape = Shape {
            rows: self.shape.rows,
            inner: self.shape.inner,
            lda: self.shape.inner,
            width: self.shape.cols.div_ceil(8),
        };
        let first = (self.t + 1).saturating_sub(self.b.len);
        let end = self.a.len.min(self.t + 1);
        let pairs = Meeting { a: self.a, b: self.b, t: self.t, first, end };
        let mut sink = Entries { field: self.field, cols: self.shape.cols, out: self.out };
        sum_of_products(s, shape, pairs, self.reducer, &mut sink);
    }
}

/// Writes groups of residues as field elements.
struct Entries<'a, F: Field> {
    field: &'a F,
    cols: usize,
    out: &'a mut [F::Elem],
}

impl<F: Field> Sink for Entries<'_, F> {
    #[inline(always)]
    fn put(&mut self, i: usize, g: usize, lanes: Row) {
        let out = &mut self.out[i * self.cols..][8 * g..self.cols.min(8 * g + 8)];
        for (out, lane) in out.iter_mut().zip(lanes.0) {
            *out = self.field.from_digits(&[lane]);
        }
    }
}

/// The pairs (Aᵢ, B_(t-i)) for i = first .. end.
#[derive(Clone, Copy)]
struct Meeting<'a> {
    a: &'a Words<u64>,
    b: &'a Words<Row>,
    t: usize,
    first: usize,
    end: usize,
}

impl Pairs for Meeting<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.end.saturating_sub(self.first)
    }
    #[inline(always)]
    fn get(&self, i: usize) -> (&[u64], &[Row]) {
        (self.a.coefficient(self.first + i), self.b.coefficient(self.t - self.first - i))
    }
}
