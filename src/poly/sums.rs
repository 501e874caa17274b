//! Products of small matrices modulo q < 2⁵⁰ with delayed reduction: the inner loop of everything in this room.
//!
//! C = A·B, where a row of B and of C is a few [`Row`]s of lanes and the entries of A are broadcast. Each entry of C is
//! an exact sum of up to [`MAX_TERMS`] products before it is reduced once, and a block of 4 × 16 (or 8 × 8) such sums
//! stays in registers, so that a product costs the two multiplications of its halves and half a load.

use super::ntt::{Shoup, pow_mod};
use super::simd::{MAX_TERMS, Row, Simd};

/// Reduction of exact sums modulo any q < 2⁵⁰.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumReducer {
    q: u64,
    /// 1, 2⁵² and 2¹⁰² modulo q.
    weights: [Shoup; 3],
}

impl SumReducer {
    pub(crate) fn new(q: u64) -> Self {
        SumReducer { q, weights: [0, 52, 102].map(|e| Shoup::new(pow_mod(2, e, q), q)) }
    }

    /// lo + 2⁵² hi modulo q, in [0, q).
    #[inline(always)]
    fn reduce<S: Simd>(&self, s: S, sum: S::Acc) -> S::V {
        let (lo, hi) = s.split_sum(sum);
        let q = s.splat(self.q);
        let x = times(s, lo, self.weights[0], q);
        let y = times(s, s.and(hi, s.splat((1 << 50) - 1)), self.weights[1], q);
        let z = times(s, s.shr(hi, 50), self.weights[2], q);
        let total = s.add(s.add(x, y), z); // below 6q
        let total = s.sub_if_ge(total, s.splat(4 * self.q));
        s.sub_if_ge(s.sub_if_ge(total, s.splat(2 * self.q)), q)
    }
}

/// x·w modulo q, in [0, 2q).
#[inline(always)]
pub(crate) fn times<S: Simd>(s: S, x: S::V, w: Shoup, q: S::V) -> S::V {
    s.mul_shoup(x, s.splat(w.w), s.splat(w.quotient), q)
}

/// Receives the result of a product.
pub(crate) trait Sink {
    /// Group g of row i.
    fn put(&mut self, i: usize, g: usize, lanes: Row);
}

/// A list of products to be summed: for every pair, C += A·B with A of `m` rows of `lda` words, of which `inner` count,
/// and B of `inner` rows of `width` [`Row`]s.
pub(crate) trait Pairs: Copy {
    /// How many.
    fn count(&self) -> usize;
    /// A and B of pair `i`.
    fn get(&self, i: usize) -> (&[u64], &[Row]);
}

/// One product.
#[derive(Clone, Copy)]
pub(crate) struct One<'a>(pub(crate) &'a [u64], pub(crate) &'a [Row]);

impl Pairs for One<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        1
    }
    #[inline(always)]
    fn get(&self, _: usize) -> (&[u64], &[Row]) {
        (self.0, self.1)
    }
}

/// The shape of the products in a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) rows: usize,
    pub(crate) inner: usize,
    /// Words from one row of A to the next.
    pub(crate) lda: usize,
    /// [`Row`]s in a row of B and of C.
    pub(crate) width: usize,
}

/// Σ A·B over all pairs, entries below q in and out.
#[inline(always)]
pub(crate) fn sum_of_products<S: Simd>(
    s: S,
    shape: Shape,
    pairs: impl Pairs,
    reducer: &SumReducer,
    sink: &mut impl Sink,
) {
    let mut group = 0;
    while group < shape.width {
        let mut row = 0;
        if S::WIDE && group + 2 <= shape.width {
            while row + 4 <= shape.rows {
                block::<S, 4, 2>(s, shape, pairs, reducer, row, group, sink);
                row += 4;
            }
            while row < shape.rows {
                block::<S, 1, 2>(s, shape, pairs, reducer, row, group, sink);
                row += 1;
            }
            group += 2;
        } else {
            while S::WIDE && row + 8 <= shape.rows {
                block::<S, 8, 1>(s, shape, pairs, reducer, row, group, sink);
                row += 8;
            }
            while row < shape.rows {
                block::<S, 1, 1>(s, shape, pairs, reducer, row, group, sink);
                row += 1;
            }
            group += 1;
        }
    }
}

/// R rows and G groups of the result at (`row`, `group`).
#[inline(always)]
fn block<S: Simd, const R: usize, const G: usize>(
    s: S,
    shape: Shape,
    pairs: impl Pairs,
    reducer: &SumReducer,
    row: usize,
    group: usize,
    sink: &mut impl Sink,
) {
    let mut sums = [[s.zero_sum(); G]; R];
    let mut total: Option<[[S::V; G]; R]> = None;
    let mut terms = 0;
    for i in 0..pairs.count() {
        let (a, b) = pairs.get(i);
        let mut rows: [&[u64]; R] = [&[]; R];
        for (r, words) in rows.iter_mut().enumerate() {
            *words = &a[(row + r) * shape.lda..][..shape.inner];
        }
        let mut start = 0;
        while start < shape.inner {
            if terms == MAX_TERMS {
                total = Some(flush(s, &mut sums, total, reducer));
                terms = 0;
            }
            let end = shape.inner.min(start + MAX_TERMS - terms);
            for l in start..end {
                let from = &b[l * shape.width + group..][..G];
                let mut lanes = [s.splat(0); G];
                for g in 0..G {
                    lanes[g] = s.load(&from[g]);
                }
                for r in 0..R {
                    let x = s.splat(rows[r][l]);
                    for g in 0..G {
                        sums[r][g] = s.multiply_add(sums[r][g], x, lanes[g]);
                    }
                }
            }
            terms += end - start;
            start = end;
        }
    }
    let total = flush(s, &mut sums, total, reducer);
    for (r, total) in total.into_iter().enumerate() {
        for (g, total) in total.into_iter().enumerate() {
            let mut lanes = Row::default();
            s.store(total, &mut lanes);
            sink.put(row + r, group + g, lanes);
        }
    }
}

/// The reduced sums plus what was reduced before; the sums start again from zero.
#[inline(always)]
fn flush<S: Simd, const R: usize, const G: usize>(
    s: S,
    sums: &mut [[S::Acc; G]; R],
    total: Option<[[S::V; G]; R]>,
    reducer: &SumReducer,
) -> [[S::V; G]; R] {
    let mut out = [[s.splat(0); G]; R];
    for r in 0..R {
        for g in 0..G {
            out[r][g] = reducer.reduce(s, sums[r][g]);
            if let Some(total) = total {
                out[r][g] = s.sub_if_ge(s.add(out[r][g], total[r][g]), s.splat(reducer.q));
            }
            sums[r][g] = s.zero_sum();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use crate::poly::simd::{Isa, Kernel};
    use rand::{RngExt, SeedableRng};

    struct Product<'a> {
        shape: Shape,
        a: &'a [u64],
        b: &'a [Row],
        q: u64,
    }

    struct Into<'a> {
        c: &'a mut [Row],
        width: usize,
    }

    impl Sink for Into<'_> {
        fn put(&mut self, i: usize, g: usize, lanes: Row) {
            self.c[i * self.width + g] = lanes;
        }
    }

    impl Kernel for Product<'_> {
        type Output = Vec<Row>;
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Vec<Row> {
            let mut c = vec![Row::default(); self.shape.rows * self.shape.width];
            let reducer = SumReducer::new(self.q);
            let width = self.shape.width;
            sum_of_products(s, self.shape, One(self.a, self.b), &reducer, &mut Into { c: &mut c, width });
            c
        }
    }

    /// Against 128-bit integers: every block shape, small and large moduli, largest residues, more terms than one sum
    /// holds.
    #[test]
    fn matches_wide_integers() {
        let mut rng = Rng::seed_from_u64(5);
        for isa in Isa::available() {
            for (rows, inner, width) in [
                (1, 1, 1),
                (3, 0, 2),
                (4, 5, 2),
                (5, 7, 3),
                (9, 8, 1),
                (17, 3, 2),
                (2, 4096, 1),
                (5, 4097, 2),
                (1, 9000, 1),
            ] {
                for q in [2, 3, 65521, (1 << 31) - 1, (1 << 50) - 27] {
                    let mut draw = || if inner > 100 { q - 1 } else { rng.random_range(0..q) };
                    let lda = inner + 3;
                    let a: Vec<u64> = (0..rows * lda).map(|_| draw()).collect();
                    let b: Vec<Row> = (0..inner * width).map(|_| Row(std::array::from_fn(|_| draw()))).collect();
                    let shape = Shape { rows, inner, lda, width };
                    let c = isa.run(Product { shape, a: &a, b: &b, q });
                    for i in 0..rows {
                        for j in 0..8 * width {
                            let expected = (0..inner).fold(0u128, |sum, l| {
                                sum + a[i * lda + l] as u128 * b[l * width + j / 8].0[j % 8] as u128
                            });
                            let found = c[i * width + j / 8].0[j % 8];
                            assert_eq!(found as u128, expected % q as u128, "{isa:?} {shape:?} mod {q}");
                        }
                    }
                }
            }
        }
    }
}
