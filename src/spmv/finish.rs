//! The end of a row: its sum becomes residues of Y, with one reduction, scaled or combined with the old Y on the way.

use super::arithmetic::Arithmetic;

/// What becomes of a finished sum.
#[derive(Clone, Copy)]
pub(super) enum Finish<'a, A: Arithmetic> {
    /// y ← sum.
    Set,
    /// yᵢ ← dᵢ · sum.
    Diagonal(&'a [u64]),
    /// y ← α · sum + β · y.
    Combine(A::Scalar, A::Value),
}

/// A row narrower than the loop, filled up with zeros.
#[inline(always)]
pub(super) fn filled<L: Copy + Default, const W: usize>(row: &[L]) -> [L; W] {
    let mut wide = [L::default(); W];
    wide[..row.len()].copy_from_slice(row);
    wide
}

/// Row i of Y from a sum of residues.
#[inline(always)]
pub(super) fn close_sum<A: Arithmetic, const W: usize>(
    a: A,
    sum: &[A::Sum; W],
    finish: Finish<A>,
    i: usize,
    y: &mut [A::Lane; W],
) {
    match finish {
        Finish::Set => {
            for l in 0..W {
                y[l] = a.finish_sum(sum[l]);
            }
        }
        Finish::Diagonal(d) => {
            let d = a.scalar(d[i]);
            for l in 0..W {
                y[l] = a.scale_sum(sum[l], d);
            }
        }
        Finish::Combine(alpha, beta) => {
            for l in 0..W {
                y[l] = combine(a, a.scale_sum(sum[l], alpha), beta, y[l]);
            }
        }
    }
}

/// Row i of Y from a sum of products.
#[inline(always)]
pub(super) fn close<A: Arithmetic, const W: usize>(
    a: A,
    acc: &[A::Acc; W],
    finish: Finish<A>,
    i: usize,
    y: &mut [A::Lane; W],
) {
    match finish {
        Finish::Set => {
            for l in 0..W {
                y[l] = a.finish(acc[l]);
            }
        }
        Finish::Diagonal(d) => {
            let d = a.scalar(d[i]);
            for l in 0..W {
                y[l] = a.scale(acc[l], d);
            }
        }
        Finish::Combine(alpha, beta) => {
            for l in 0..W {
                y[l] = combine(a, a.scale(acc[l], alpha), beta, y[l]);
            }
        }
    }
}

/// t + β·y: a residue and one product, which every budget holds.
#[inline(always)]
fn combine<A: Arithmetic>(a: A, t: A::Lane, beta: A::Value, y: A::Lane) -> A::Lane {
    a.finish(a.multiply_add(a.widen(a.add(a.zero(), t)), beta, y))
}
