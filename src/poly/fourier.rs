//! Products by floating-point Fourier transforms, for small p or short lengths: used where the rounding error is
//! expected to stay below one half, and checked every time.
//!
//! Balanced digits go into complex f64 transforms of rustfft, two real sequences in one: with z = a + ib the transforms
//! are A(t) = (Z(t) + Z̄(-t)) / 2 and B(t) = (Z(t) - Z̄(-t)) / 2i, and as those of real sequences they are needed at
//! t = 0 … N/2 only. Point products, then two results to one inverse transform.
//!
//! **The bound** of the rounding error stands with [`fourier_terms`](super::fourier_bound::fourier_terms).
//!
//! **What the answer rests on** is not this bound but [`checked`](super::checked): the integers of every product are
//! compared with the factors modulo 2⁶¹ - 1, where a wrong one passes with probability at most 2⁻⁶⁴. A product that
//! fails is computed again by number-theoretic transforms. A rank does not rest on that either: the matrix generator
//! that it is read from is proven by a product without rounding
//! ([`ProductPlan::without_rounding`](super::ProductPlan::without_rounding)). Entry point: [`product`].

use super::checked::{Integers, agrees};
use super::chunks::{for_each_chunk, steps};
use super::keepers::is_kept;
use super::kronecker::Fold;
use super::matrix::PolySlice;
use super::shape::ProductShape;
use super::simd::{Isa, Kernel, Simd};
use crate::field::Field;
use crate::{Result, memory};
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};
use std::sync::{Arc, Mutex, PoisonError};

/// Points whose products are computed together, as lanes.
const LANES: usize = 8;
/// The most coefficients that one task brings back.
const SCATTER: usize = 64;

/// What the memory is for.
const SPECTRA: &str = "spectra of polynomial matrices";

/// Writes the wanted coefficients, by transforms of `points` points, to zeros; nothing, and `false`, if the integers
/// fail the check.
pub(crate) fn product<F: Field>(
    isa: Isa,
    field: &F,
    a: PolySlice<'_, F::Elem>,
    b: PolySlice<'_, F::Elem>,
    shape: &ProductShape,
    points: usize,
    out: &mut [F::Elem],
) -> Result<bool> {
    let (la, lb, wanted) = shape.effective();
    let (forward, inverse) = transforms(points);
    let fa = spectra(field, &a, la, points, &*forward)?;
    let fb = spectra(field, &b, lb, points, &*forward)?;

    // Tile after tile of LANES points; within one, entry after entry.
    let entries = shape.rows * shape.cols;
    let tiles = (points / 2 + 1).div_ceil(LANES);
    let mut products = memory::filled(Lanes::default(), tiles * entries, SPECTRA)?;
    for_each_chunk(&mut products, entries, |tile, out| {
        isa.run(TileProduct { a: &fa, b: &fb, points, first: tile * LANES, shape, out });
    });
    drop((fa, fb));

    let pairs = entries.div_ceil(2);
    let mut integers = memory::zeros::<[i64; 2]>(pairs * points, SPECTRA)?;
    let modulus = field.modulus();
    for_each_chunk(&mut integers, points, |pair, out| {
        bring_back(&products, entries, 2 * pair, points, &inverse, out);
    });
    drop(products);
    if !agrees(field, &a, &b, shape, &Integers { pairs: &integers, points }) {
        return Ok(false);
    }

    let fold = Fold::new(field);
    let scatter = steps(wanted, SCATTER);
    for_each_chunk(&mut out[..wanted * entries], scatter * entries, |i, out| {
        let mut digits = vec![0; fold.stride];
        for e in 0..entries {
            for (c, out) in out.chunks_exact_mut(entries).enumerate() {
                let at = e / 2 * points + (shape.lo + i * scatter + c) * fold.stride;
                for (digit, both) in digits.iter_mut().zip(&integers[at..]) {
                    *digit = modulus.reduce_i64(both[e % 2]);
                }
                out[e] = fold.element(&mut digits);
            }
        }
    });
    Ok(true)
}

/// The planner, which keeps the tables of every transform that it has planned.
static PLANNER: Mutex<Option<FftPlanner<f64>>> = Mutex::new(None);

/// The forward and the inverse transform, from the planner, which stays as long as [`Kept`](super::Kept) says.
fn transforms(points: usize) -> (Arc<dyn Fft<f64>>, Arc<dyn Fft<f64>>) {
    let mut place = PLANNER.lock().unwrap_or_else(PoisonError::into_inner);
    let planner = place.get_or_insert_with(FftPlanner::new);
    let both = (planner.plan_fft_forward(points), planner.plan_fft_inverse(points));
    if !is_kept() {
        *place = None;
    }
    both
}

/// Gives the planner and its tables back.
pub(super) fn give_back() {
    *PLANNER.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// The transforms of the balanced digits, entries 2i and 2i + 1 as real and imaginary part of one sequence.
fn spectra<F: Field>(
    field: &F,
    matrix: &PolySlice<'_, F::Elem>,
    len: usize,
    points: usize,
    fft: &dyn Fft<f64>,
) -> Result<Vec<Complex<f64>>> {
    let entries = matrix.rows() * matrix.cols();
    let (modulus, stride) = (field.modulus(), 2 * field.degree() - 1);
    let mut spectra = memory::filled(Complex::default(), entries.div_ceil(2) * points, SPECTRA)?;
    for_each_chunk(&mut spectra, points, |pair, z| {
        let mut digits = vec![0; field.degree()];
        for c in 0..len {
            let both = &matrix.coefficient(c)[2 * pair..entries.min(2 * pair + 2)];
            for (part, &x) in both.iter().enumerate() {
                field.write_digits(x, &mut digits);
                for (z, &digit) in z[c * stride..].iter_mut().zip(&digits) {
                    let value = modulus.balanced(digit) as f64;
                    if part == 0 { z.re = value } else { z.im = value }
                }
            }
        }
        fft.process(z);
    });
    Ok(spectra)
}

/// One entry at LANES points.
#[derive(Clone, Copy, Debug, Default)]
struct Lanes {
    re: [f64; LANES],
    im: [f64; LANES],
}

/// The products of two matrices of spectra at the points `first ..`.
struct TileProduct<'a> {
    a: &'a [Complex<f64>],
    b: &'a [Complex<f64>],
    points: usize,
    first: usize,
    shape: &'a ProductShape,
    out: &'a mut [Lanes],
}

impl Kernel for TileProduct<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let (rows, inner, cols) = (self.shape.rows, self.shape.inner, self.shape.cols);
        let a = separate(self.a, rows * inner, self.points, self.first);
        let b = separate(self.b, inner * cols, self.points, self.first);
        for i in 0..rows {
            let a = &a[i * inner..][..inner];
            for j in 0..cols {
                let mut sum = Lanes::default();
                for (l, x) in a.iter().enumerate() {
                    let y = &b[l * cols + j];
                    for lane in 0..LANES {
                        sum.re[lane] = S::fused(x.re[lane], y.re[lane], sum.re[lane]);
                        sum.im[lane] = S::fused(x.re[lane], y.im[lane], sum.im[lane]);
                        sum.re[lane] = S::fused(-x.im[lane], y.im[lane], sum.re[lane]);
                        sum.im[lane] = S::fused(x.im[lane], y.re[lane], sum.im[lane]);
                    }
                }
                self.out[i * cols + j] = sum;
            }
        }
    }
}

/// The spectra of all entries at the points `first ..`, two from every transformed pair.
#[inline(always)]
fn separate(spectra: &[Complex<f64>], entries: usize, points: usize, first: usize) -> Vec<Lanes> {
    let mut out = vec![Lanes::default(); entries.next_multiple_of(2)];
    for (both, z) in out.chunks_exact_mut(2).zip(spectra.chunks_exact(points)) {
        for lane in 0..LANES {
            let t = (first + lane) % points;
            let (z, w) = (z[t], z[(points - t) % points]);
            both[0].re[lane] = 0.5 * (z.re + w.re);
            both[0].im[lane] = 0.5 * (z.im - w.im);
            both[1].re[lane] = 0.5 * (z.im + w.im);
            both[1].im[lane] = 0.5 * (w.re - z.re);
        }
    }
    out
}

/// The integers of entries `e` and `e + 1` from their spectra at 0 … N/2.
fn bring_back(
    products: &[Lanes],
    entries: usize,
    e: usize,
    points: usize,
    inverse: &Arc<dyn Fft<f64>>,
    out: &mut [[i64; 2]],
) {
    let mut z = vec![Complex::default(); points];
    for t in 0..=points / 2 {
        let tile = &products[t / LANES * entries..][..entries];
        let (x, lane) = (&tile[e], t % LANES);
        let (y_re, y_im) = tile.get(e + 1).map_or((0.0, 0.0), |y| (y.re[lane], y.im[lane]));
        z[t] = Complex::new(x.re[lane] - y_im, x.im[lane] + y_re);
        z[(points - t) % points] = Complex::new(x.re[lane] + y_im, y_re - x.im[lane]);
    }
    // At t = 0 both lines write the same place: there the spectra are real but for rounding, which the bound covers.
    inverse.process(&mut z);
    let scale = 1.0 / points as f64;
    for (out, z) in out.iter_mut().zip(&z) {
        *out = [z.re, z.im].map(|x| (x * scale).round() as i64);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fourier_bound::fourier_terms;
    use super::super::{Method, PolyMatrix, ProductPlan};
    use super::*;
    use crate::field::{Modulus, PrimeField};

    /// The largest entries of one sign, at the longest length that the bound allows: coefficient t is (number of
    /// pairs)·M².
    #[test]
    fn exact_at_the_edge_of_the_bound() {
        for p in [4093u64, 65521] {
            let field = PrimeField(Modulus::new(p).unwrap());
            let len = (6..17).map(|n| fourier_terms(p, 2 << n, 1).min(1 << n)).max().unwrap();
            let points = (2 * len - 1).next_power_of_two();
            assert!(len <= fourier_terms(p, points, 1));
            let a = PolyMatrix::from_coefficients(1, 1, vec![p / 2; len]);
            let shape = ProductShape::of(&a, &a, 0, 2 * len - 1);
            let mut c = PolyMatrix::zeros(1, 1, shape.len).unwrap();
            assert!(product(Isa::best(), &field, a.all(), a.all(), &shape, points, c.data_mut()).unwrap());
            for t in 0..2 * len - 1 {
                let pairs = (t + 1).min(2 * len - 1 - t) as u128;
                assert_eq!(
                    c.get(0, 0, t) as u128,
                    pairs * (p as u128 / 2).pow(2) % p as u128,
                    "mod {p} at {t} of {len}"
                );
            }
        }
    }

    /// Far beyond the bound rounding does go wrong; the check sees it, and the product is right all the same.
    #[test]
    fn a_product_that_rounds_wrong_is_computed_again() {
        let field = PrimeField(Modulus::new((1 << 31) - 1).unwrap());
        let len = 5000;
        let a = PolyMatrix::from_coefficients(1, 1, (0..len as u64).map(|i| i * i * 7919 % ((1 << 31) - 1)).collect());
        let shape = ProductShape::of(&a, &a, 0, 2 * len - 1);
        let points = (2 * len - 1).next_power_of_two();
        assert!(fourier_terms((1 << 31) - 1, points, 1) < len);
        let mut out = vec![0; shape.len];
        assert!(!product(Isa::best(), &field, a.all(), a.all(), &shape, points, &mut out).unwrap());
        assert!(out.iter().all(|&x| x == 0));
        let exact = ProductPlan::new(&field, shape);
        let wrong = ProductPlan { method: Method::Fourier { points }, ..exact.clone() };
        assert_eq!(wrong.execute(&field, &a, &a).unwrap(), exact.execute(&field, &a, &a).unwrap());
    }
}
