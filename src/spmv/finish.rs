//! The end of a row: its sum becomes residues of Y, with one reduction, scaled or combined with the old Y at the same
//! time.

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

/// Sums of one kind become row i of Y.
macro_rules! close {
    ($(#[$doc:meta])* $name:ident, $sum:ident, $finish:ident, $scale:ident) => {
        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $name<A: Arithmetic, const W: usize>(
            a: A,
            sum: &[A::$sum; W],
            finish: Finish<A>,
            i: usize,
            y: &mut [A::Lane; W],
        ) {
            match finish {
                Finish::Set => {
                    for l in 0..W {
                        y[l] = a.$finish(sum[l]);
                    }
                }
                Finish::Diagonal(d) => {
                    let d = a.scalar(d[i]);
                    for l in 0..W {
                        y[l] = a.$scale(sum[l], d);
                    }
                }
                Finish::Combine(alpha, beta) => {
                    for l in 0..W {
                        y[l] = combine(a, a.$scale(sum[l], alpha), beta, y[l]);
                    }
                }
            }
        }
    };
}
close! {
    /// Row i of Y from a sum of residues.
    close_sum, Sum, finish_sum, scale_sum
}
close! {
    /// Row i of Y from a sum of products.
    close, Acc, finish, scale
}

/// t + β·y: a residue and one product, which every budget holds.
#[inline(always)]
fn combine<A: Arithmetic>(a: A, t: A::Lane, beta: A::Value, y: A::Lane) -> A::Lane {
    a.finish(a.multiply_add(a.widen(a.add(a.zero(), t)), beta, y))
}
