//! Values of polynomial matrices at one point and at the points of a geometric progression.
//!
//! At x_i = s·rⁱ: with ij = C(i+j, 2) - C(i, 2) - C(j, 2), C(n, 2) = n(n-1)/2,
//!
//! f(s·rⁱ) = r^(-C(i,2)) Σⱼ [fⱼ sʲ r^(-C(j,2))] · r^C(i+j,2),
//!
//! a middle product of the bracket, reversed, with the chirp r^C(t,2) (Rabiner, Schafer, Rader, *The chirp z-transform
//! algorithm*, 1969; over finite fields without square roots, Bostan and Schost 2005, section 5). The bracket is
//! transformed once and serves all chunks of points, whose chirps differ only by the place where they begin. For short
//! polynomials the product with a Vandermonde matrix is cheaper; the plans of the two products decide.

use super::chunks::for_each_chunk;
use super::product::multiply;
use super::{Method, PolyMatrix, ProductPlan, ProductShape};
use crate::field::{Field, Modulus, PrimeField};
use crate::parallel::Each;
use crate::{Result, memory};
use rayon::prelude::*;

/// Points of one Vandermonde matrix: the next block of points scales the coefficients instead.
const BLOCK: usize = 256;
/// Values that one task scales.
const SCALED: usize = 16;
/// What the memory is for.
const VALUES: &str = "values of a polynomial matrix";

/// The value of `matrix` at `point`, row-major.
pub fn evaluate_at<F: Field>(field: &F, matrix: &PolyMatrix<F::Elem>, point: F::Elem) -> Vec<F::Elem> {
    let mut value = vec![field.zero(); matrix.rows() * matrix.cols()];
    for k in (0..matrix.len()).rev() {
        for (value, &c) in value.iter_mut().zip(matrix.coefficient(k)) {
            *value = field.add(field.mul(*value, point), c);
        }
    }
    value
}

/// The values of `matrix` at `start · ratioⁱ`, i < `count`: coefficient i of the result is value i.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If `ratio` is zero, or `start` or `ratio` is not a residue.
pub fn evaluate_geometric(
    modulus: Modulus,
    matrix: &PolyMatrix<u64>,
    start: u64,
    ratio: u64,
    count: usize,
) -> Result<PolyMatrix<u64>> {
    assert!(ratio != 0 && ratio < modulus.get() && start < modulus.get(), "{start} * {ratio}^i mod {modulus}");
    let (rows, cols, entries) = (matrix.rows(), matrix.cols(), matrix.rows() * matrix.cols());
    if matrix.is_empty() || entries == 0 || count == 0 {
        return PolyMatrix::zeros(rows, cols, count);
    }
    let values = match Plan::new(modulus, matrix.len(), entries, count) {
        Plan::Vandermonde => vandermonde(modulus, matrix, start, ratio, count)?,
        Plan::Chirp(plan) => chirp(modulus, matrix, start, ratio, count, &plan)?,
    };
    Ok(PolyMatrix::from_coefficients(rows, cols, values))
}

/// How the values are computed.
enum Plan {
    /// By products with Vandermonde matrices.
    Vandermonde,
    /// By middle products of this plan, one for every chunk of points.
    Chirp(ProductPlan),
}

impl Plan {
    fn new(modulus: Modulus, len: usize, entries: usize, count: usize) -> Plan {
        let (chirp, cost) = Plan::chirp(modulus, len, entries, count);
        let block = BLOCK.min(count);
        let shape = ProductShape { rows: block, inner: len, cols: entries, left_len: 1, right_len: 1, lo: 0, len: 1 };
        let product = ProductPlan::new(&PrimeField(modulus), shape);
        let vandermonde = product.candidates[0].1 * count as f64 / block as f64;
        if vandermonde < cost { Plan::Vandermonde } else { Plan::Chirp(chirp) }
    }

    /// The best length of the chunks, from one to 16 times the polynomial's, and the cost of all chunks.
    fn chirp(modulus: Modulus, len: usize, entries: usize, count: usize) -> (ProductPlan, f64) {
        (0..5)
            .filter_map(|e| {
                let cyclic = super::ntt::points_for((len << e).min(count) + len - 1);
                let chunk = cyclic - (len - 1);
                let shape = ProductShape {
                    rows: 1,
                    inner: 1,
                    cols: entries,
                    left_len: cyclic,
                    right_len: len,
                    lo: len - 1,
                    len: chunk,
                };
                let plan = ProductPlan::new(&PrimeField(modulus), shape);
                let transform = plan.candidates.iter().find(|(m, _)| matches!(m, Method::Transform { .. })).copied();
                transform.map(|(method, cost)| (plan.with_method(method), cost * count.div_ceil(chunk) as f64))
            })
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .expect("a polynomial that fits a transform")
    }
}

/// Whole blocks of points: V₀ · diag(xʲ) · coefficients, with V₀ the Vandermonde matrix of 1, r, …, r^(BLOCK-1) and x
/// the first point of the block.
fn vandermonde(modulus: Modulus, matrix: &PolyMatrix<u64>, start: u64, ratio: u64, count: usize) -> Result<Vec<u64>> {
    let field = PrimeField(modulus);
    let (len, entries) = (matrix.len(), matrix.rows() * matrix.cols());
    let block = BLOCK.min(count);
    let mut powers = memory::with_capacity(block * len, VALUES)?;
    let mut point = 1;
    for _ in 0..block {
        powers.extend(std::iter::successors(Some(1), |&x| Some(modulus.mul(x, point))).take(len));
        point = modulus.mul(point, ratio);
    }
    let powers = PolyMatrix::from_coefficients(block, len, powers);
    let mut values = memory::with_capacity(count * entries, VALUES)?;
    let mut first = start;
    while values.len() < count * entries {
        let mut scaled = memory::copy(matrix.data(), VALUES)?;
        let mut weight = 1;
        for coefficient in scaled.chunks_exact_mut(entries) {
            coefficient.iter_mut().for_each(|x| *x = modulus.mul(*x, weight));
            weight = modulus.mul(weight, first);
        }
        let scaled = PolyMatrix::from_coefficients(len, entries, scaled);
        let product = multiply(&field, &powers, &scaled)?;
        let wanted = (count * entries - values.len()).min(block * entries);
        values.extend_from_slice(&product.data()[..wanted]);
        first = modulus.mul(first, point);
    }
    Ok(values)
}

/// Chunks of points by one transform of the bracket.
fn chirp(
    modulus: Modulus,
    matrix: &PolyMatrix<u64>,
    start: u64,
    ratio: u64,
    count: usize,
    plan: &ProductPlan,
) -> Result<Vec<u64>> {
    let field = PrimeField(modulus);
    let (len, entries, chunk) = (matrix.len(), matrix.rows() * matrix.cols(), plan.shape.len);
    let inverse = modulus.inv(ratio);
    // fⱼ sʲ r^(-C(j,2)), reversed.
    let mut bracket = memory::zeros(len * entries, VALUES)?;
    let mut weights = Vec::with_capacity(len);
    let (mut power, mut chirp, mut step) = (1, 1, 1);
    for _ in 0..len {
        weights.push(modulus.mul(power, chirp));
        power = modulus.mul(power, start);
        chirp = modulus.mul(chirp, step);
        step = modulus.mul(step, inverse);
    }
    bracket.par_chunks_exact_mut(entries).zip(weights.par_iter().rev()).enumerate().each(|(j, (out, &weight))| {
        for (out, &x) in out.iter_mut().zip(matrix.coefficient(len - 1 - j)) {
            *out = modulus.mul(x, weight);
        }
    });
    let bracket = PolyMatrix::from_coefficients(1, entries, bracket);
    let bracket = plan.transform(&field, &bracket)?.expect("a plan of transforms");

    // r^C(t,2) for all t that occur.
    let mut chirps = memory::with_capacity(count + plan.shape.left_len, VALUES)?;
    let (mut value, mut step) = (1, 1);
    for _ in 0..count.next_multiple_of(chunk) + len - 1 {
        chirps.push(value);
        value = modulus.mul(value, step);
        step = modulus.mul(step, ratio);
    }
    let mut values = memory::zeros(count * entries, VALUES)?;
    let (mut back, mut step) = (1, 1);
    for (first, out) in (0..count).step_by(chunk).zip(values.chunks_mut(chunk * entries)) {
        let piece = memory::copy(&chirps[first..first + plan.shape.left_len], VALUES)?;
        let piece = PolyMatrix::from_coefficients(1, 1, piece);
        let piece = plan.transform(&field, &piece)?.expect("a plan of transforms");
        let product = plan.run(&field, &piece, &bracket)?;
        let weights: Vec<u64> = out
            .chunks_exact(entries)
            .map(|_| {
                let weight = back;
                back = modulus.mul(back, step);
                step = modulus.mul(step, inverse);
                weight
            })
            .collect();
        for_each_chunk(out, entries * SCALED, |i, out| {
            for (i, out) in (i * SCALED..).zip(out.chunks_exact_mut(entries)) {
                out.iter_mut().zip(product.coefficient(i)).for_each(|(out, &x)| *out = modulus.mul(x, weights[i]));
            }
        });
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::SeedableRng;

    fn random(field: &PrimeField, rows: usize, cols: usize, len: usize, rng: &mut Rng) -> PolyMatrix<u64> {
        let mut m = PolyMatrix::zeros(rows, cols, len).unwrap();
        m.data_mut().iter_mut().for_each(|x| *x = field.random(rng));
        m
    }

    /// Both ways against Horner's rule, at points that may repeat or vanish.
    #[test]
    fn geometric_values_are_the_values() {
        let mut rng = Rng::seed_from_u64(8);
        for p in [2, 3, 65521, (1 << 31) - 1, 1125899906842597, 9223372036854775783] {
            let modulus = Modulus::new(p).unwrap();
            let field = PrimeField(modulus);
            for (rows, cols, len, count) in [
                (1, 1, 1, 1),
                (2, 3, 5, 0),
                (2, 0, 3, 4),
                (3, 2, 0, 4),
                (2, 2, 1, 9),
                (1, 1, 40, 700),
                (3, 3, 7, 3),
                (2, 5, 33, 300),
            ] {
                for start in [0, 1, field.random(&mut rng)] {
                    let m = random(&field, rows, cols, len, &mut rng);
                    let ratio = field.random_nonzero(&mut rng);
                    let mut expected = PolyMatrix::zeros(rows, cols, count).unwrap();
                    let mut point = start;
                    for i in 0..count {
                        expected.coefficient_mut(i).copy_from_slice(&evaluate_at(&field, &m, point));
                        point = field.mul(point, ratio);
                    }
                    assert_eq!(
                        evaluate_geometric(modulus, &m, start, ratio, count).unwrap(),
                        expected,
                        "mod {p}, {len}, {count}"
                    );
                    if !m.data().is_empty() && count > 0 {
                        assert_eq!(vandermonde(modulus, &m, start, ratio, count).unwrap(), expected.data(), "mod {p}");
                        let (plan, _) = Plan::chirp(modulus, len, rows * cols, count);
                        assert_eq!(
                            chirp(modulus, &m, start, ratio, count, &plan).unwrap(),
                            expected.data(),
                            "mod {p}: {plan}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn value_at_a_point() {
        let field = PrimeField(Modulus::new(101).unwrap());
        let m = PolyMatrix::from_coefficients(1, 2, vec![1, 2, 3, 4, 5, 6]); // 1+3x+5x², 2+4x+6x²
        assert_eq!(evaluate_at(&field, &m, 10), [(1 + 30 + 500) % 101, (2 + 40 + 600) % 101]);
    }
}
