//! The foreign interface: the floating-point product of the `gemm` crate behind checked slices.

/// A row-major matrix inside a slice: entry (i, j) lies at `offset + i·stride + j`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub offset: usize,
    pub stride: usize,
}

impl Place {
    /// A matrix that fills its slice.
    pub(crate) fn packed(cols: usize) -> Self {
        Place { offset: 0, stride: cols }
    }
    fn check(self, rows: usize, cols: usize, len: usize) {
        assert!(cols <= self.stride || rows <= 1, "rows of {cols} entries overlap at a stride of {}", self.stride);
        let end = (rows - 1).checked_mul(self.stride).and_then(|x| x.checked_add(self.offset)?.checked_add(cols));
        assert!(end.is_some_and(|end| end <= len), "{rows} x {cols} at {self:?} leaves a slice of {len}");
    }
}

/// C ← keep·C + alpha·A·B for A m × k, B k × n, C m × n; C is not read where keep = 0. Parallel on rayon's current pool.
pub(crate) fn accumulate(
    (m, k, n): (usize, usize, usize),
    keep: f64,
    c: (&mut [f64], Place),
    alpha: f64,
    a: (&[f64], Place),
    b: (&[f64], Place),
    parallel: bool,
) {
    if m == 0 || n == 0 {
        return;
    }
    c.1.check(m, n, c.0.len());
    if k == 0 {
        c.0[c.1.offset..].chunks_mut(c.1.stride).take(m).for_each(|row| row[..n].iter_mut().for_each(|x| *x *= keep));
        return;
    }
    a.1.check(m, k, a.0.len());
    b.1.check(k, n, b.0.len());
    let threads = if parallel { rayon::current_num_threads() } else { 1 };
    let parallelism = if threads > 1 { gemm::Parallelism::Rayon(threads) } else { gemm::Parallelism::None };
    let stride = |x: Place| isize::try_from(x.stride).expect("a slice is shorter than isize::MAX");
    // SAFETY: `check` has shown that every entry (i, j) of the three matrices, at offset + i·stride + j with column
    // stride 1, lies inside its slice; C is borrowed exclusively, and the rows of C do not overlap.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.0.as_mut_ptr().add(c.1.offset),
            1,
            stride(c.1),
            keep != 0.0,
            a.0.as_ptr().add(a.1.offset),
            1,
            stride(a.1),
            b.0.as_ptr().add(b.1.offset),
            1,
            stride(b.1),
            keep,
            alpha,
            false,
            false,
            false,
            parallelism,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_definition_on_every_small_shape() {
        for (m, k, n) in [(1, 1, 1), (3, 0, 2), (0, 2, 2), (2, 2, 0), (5, 7, 3), (17, 33, 9), (70, 65, 40)] {
            let value = |i: usize, j: usize, salt: usize| ((i * 31 + j * 17 + salt) % 13) as f64 - 6.0;
            let (sa, sb, sc) = (k + 2, n + 1, n + 3);
            let fill = |rows: usize, stride: usize, salt| -> Vec<f64> {
                (0..rows * stride + 5).map(|x| value(x / stride, x % stride, salt)).collect()
            };
            let (a, b, c) = (fill(m, sa.max(1), 1), fill(k, sb, 2), fill(m, sc, 3));
            for (keep, alpha) in [(0.0, 1.0), (1.0, -1.0)] {
                let mut got = c.clone();
                let place = |stride| Place { offset: 4, stride };
                accumulate((m, k, n), keep, (&mut got, place(sc)), alpha, (&a, place(sa)), (&b, place(sb)), true);
                let mut expected = c.clone();
                for i in 0..m {
                    for j in 0..n {
                        let sum: f64 = (0..k).map(|t| a[4 + i * sa + t] * b[4 + t * sb + j]).sum();
                        expected[4 + i * sc + j] = keep * c[4 + i * sc + j] + alpha * sum;
                    }
                }
                assert_eq!(got, expected, "{m} x {k} x {n}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "leaves a slice")]
    fn a_matrix_outside_its_slice_is_refused() {
        let a = [0.0; 4];
        accumulate(
            (2, 2, 2),
            0.0,
            (&mut [0.0; 3], Place::packed(2)),
            1.0,
            (&a, Place::packed(2)),
            (&a, Place::packed(2)),
            false,
        );
    }
}
