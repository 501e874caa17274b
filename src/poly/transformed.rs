//! A polynomial matrix in transformed form, for products with several partners.

use super::buffer::{Buffer, padded};
use super::chunks::for_each_chunk;
use super::matrix::PolySlice;
use super::ntt::{Forward, Prime, Twiddles};
use super::residues::Entering;
use super::simd::{Isa, Kernel, Row, Simd};
use crate::Result;
use crate::field::{Field, Modulus};
use std::ops::Range;

/// The values of a polynomial matrix at the roots of unity modulo one or more transform primes.
///
/// Made by [`ProductPlan::transform`](super::ProductPlan::transform); a product of two of them
/// ([`ProductPlan::run`](super::ProductPlan::run)) costs one inverse transform. It serves on either side of a product.
#[derive(Clone, Debug)]
pub struct Transformed {
    pub(crate) modulus: Modulus,
    pub(crate) degree: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) len: usize,
    pub(crate) points: usize,
    /// One list for every prime: for every group of eight entries of a row (each row begins a new group), its rows of
    /// values, [`padded`].
    pub(crate) values: Vec<Buffer>,
}

/// How many groups are read together, so that each visit of a coefficient matrix reads a few neighbouring cache lines:
/// what half a second-level cache of 1 MiB holds, but at least eight, and few enough to occupy all threads.
fn together(points: usize, groups: usize) -> usize {
    let cached = ((512 << 10) / (points * size_of::<Row>())).clamp(8, 32);
    cached.min(groups.div_ceil(4 * rayon::current_num_threads())).max(1)
}

impl Transformed {
    /// The transform of the rows `rows` of the first `len` coefficients; `points` must be at least `len` times 2k - 1.
    pub(crate) fn new<F: Field>(
        isa: Isa,
        field: &F,
        matrix: PolySlice<'_, F::Elem>,
        rows: Range<usize>,
        len: usize,
        primes: usize,
        points: usize,
    ) -> Result<Self> {
        let (cols, degree) = (matrix.cols(), field.degree());
        let used = len * (2 * degree - 1);
        assert!(used <= points, "{used} digits do not fit {points} points");
        let width = cols.div_ceil(8);
        let values = (0..primes)
            .map(|t| {
                let prime = Prime::get(t);
                let twiddles = Twiddles::get(prime, points);
                let entering = Entering::new(field.modulus().get(), prime);
                let groups = rows.len() * width;
                let stride = padded(points);
                let mut values = Buffer::new(groups * stride)?;
                let together = together(points, groups);
                for_each_chunk(&mut values, together * stride, |chunk, values| {
                    gather(field, &matrix, len, rows.start * width + chunk * together, values, stride);
                    for data in values.chunks_exact_mut(stride) {
                        let data = &mut data[..points];
                        data[used..].fill(Row::default());
                        isa.run(Enter { data: &mut data[..used], entering: &entering });
                        isa.run(Forward { data, twiddles: &twiddles });
                    }
                });
                Ok(values)
            })
            .collect::<Result<_>>()?;
        Ok(Transformed { modulus: field.modulus(), degree, rows: rows.len(), cols, len, points, values })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.values.iter().map(|v| size_of_val(&v[..])).sum()
    }
}

/// Writes the digits of the groups from `first` on into their rows: digit d of coefficient c goes to row (2k-1)c + d.
fn gather<F: Field>(
    field: &F,
    matrix: &PolySlice<'_, F::Elem>,
    len: usize,
    first: usize,
    values: &mut [Row],
    group_stride: usize,
) {
    let (cols, degree) = (matrix.cols(), field.degree());
    let (width, stride) = (cols.div_ceil(8), 2 * degree - 1);
    let mut digits = vec![0; degree];
    for c in 0..len {
        let coefficient = matrix.coefficient(c);
        for (i, data) in values.chunks_exact_mut(group_stride).enumerate() {
            let (row, group) = ((first + i) / width, (first + i) % width);
            let entries = &coefficient[row * cols..][8 * group..cols.min(8 * group + 8)];
            let slots = &mut data[stride * c..][..stride];
            slots.fill(Row::default());
            if let [slot] = slots {
                // A prime field: one digit, written in place.
                for (lane, &entry) in slot.0.iter_mut().zip(entries) {
                    field.write_digits(entry, std::slice::from_mut(lane));
                }
                continue;
            }
            for (lane, &entry) in entries.iter().enumerate() {
                field.write_digits(entry, &mut digits);
                for (slot, &digit) in slots.iter_mut().zip(&digits) {
                    slot.0[lane] = digit;
                }
            }
        }
    }
}

/// Residues modulo p to residues modulo a transform prime, in place.
struct Enter<'a> {
    data: &'a mut [Row],
    entering: &'a Entering,
}

impl Kernel for Enter<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for row in self.data {
            let x = self.entering.map(s, s.load(row));
            s.store(x, row);
        }
    }
}
