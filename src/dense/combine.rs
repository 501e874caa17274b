//! Random combinations of rows as a matrix product Y·A, of which A comes a panel at a time.

use super::Row;
use super::entry::Entry;
use super::gemm::{Arithmetic, Place};
use super::parallel::for_each_chunk;
use crate::field::{Modulus, Rng};
use crate::parallel::Each;
use crate::{Error, Observer, Result, memory};
use rand::RngExt;
use rayon::prelude::*;

/// Rows of A that a product takes in: its depth.
const PANEL: usize = 256;
/// Columns of the product that one thread makes.
const STRIP: usize = 256;
/// What the memory is for.
const COMBINATIONS: &str = "combinations of dense rows";

/// `count` uniformly random combinations of `rows`, row-major `count` × `cols`.
pub(super) fn combine<T: Entry>(
    modulus: Modulus,
    cols: usize,
    rows: &[Row<'_>],
    count: usize,
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Vec<T>> {
    let (arithmetic, p) = (Arithmetic::new(modulus), modulus.get());
    let width = |strip: usize| STRIP.min(cols - strip * STRIP);
    let strips = (0..cols.div_ceil(STRIP)).map(|strip| memory::zeros(count * width(strip), COMBINATIONS));
    let mut strips: Vec<Vec<T>> = strips.collect::<Result<_>>()?;
    let mut panel = memory::zeros::<T>(PANEL.min(rows.len()) * cols, COMBINATIONS)?;
    for rows in rows.chunks(PANEL) {
        observer.check()?;
        let (depth, panel) = (rows.len(), &mut panel[..rows.len() * cols]);
        for_each_chunk(panel, cols.max(1), cols * size_of::<T>(), |i, line| {
            line.fill(T::default());
            rows[i].0.iter().zip(rows[i].1).for_each(|(&j, &v)| line[j as usize] = T::from_residue(v));
        });
        let coefficients = (0..count * depth).map(|_| T::from_residue(rng.random_range(0..p)));
        let coefficients = memory::collect(coefficients, COMBINATIONS)?;
        strips.par_iter_mut().enumerate().try_each(|(strip, sums)| {
            let at = Place { offset: strip * STRIP, stride: cols };
            let (shape, own) = ((count, depth, width(strip)), Place::packed(width(strip)));
            arithmetic.add_product(shape, (sums, own), (&coefficients, Place::packed(depth)), (panel, at))
        })?;
    }
    let mut combinations = memory::with_capacity(count * cols, COMBINATIONS)?;
    for i in 0..count {
        for (strip, sums) in strips.iter().enumerate() {
            combinations.extend_from_slice(&sums[i * width(strip)..][..width(strip)]);
        }
    }
    Ok::<_, Error>(combinations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use rand::SeedableRng;

    /// The same combinations, entry by entry.
    #[test]
    fn combinations_are_those_of_the_coefficients() {
        let mut rng = Rng::seed_from_u64(41);
        for p in [2, 3, 251, 257, 65521, (1 << 31) - 1, (1 << 61) - 1, (1 << 63) - 25] {
            let modulus = Modulus::new(p).unwrap();
            for (m, n, count) in [(0, 5, 3), (3, 0, 2), (1, 1, 1), (40, 300, 9), (600, 513, 17), (256, 256, 130)] {
                let columns: Vec<u32> = (0..n as u32).filter(|_| rng.random_range(0..4) > 0).collect();
                let values: Vec<Vec<u64>> =
                    (0..m).map(|_| columns.iter().map(|_| rng.random_range(0..p)).collect()).collect();
                let rows: Vec<Row<'_>> = values.iter().map(|row| (&columns[..], &row[..])).collect();
                let stream = Rng::seed_from_u64(p);
                let found: Vec<u64> = combine(modulus, n, &rows, count, &mut stream.clone(), &Silent).unwrap();
                let (mut expected, mut stream) = (vec![0; count * n], stream);
                for start in (0..m).step_by(PANEL) {
                    let depth = PANEL.min(m - start);
                    for at in 0..count * depth {
                        let (y, i) = (stream.random_range(0..p), at / depth);
                        for (&j, &v) in rows[start + at % depth].0.iter().zip(rows[start + at % depth].1) {
                            let sum = &mut expected[i * n + j as usize];
                            *sum = modulus.add(*sum, modulus.mul(y, v));
                        }
                    }
                }
                assert_eq!(found, expected, "{count} of {m} x {n} mod {p}");
            }
        }
    }
}
