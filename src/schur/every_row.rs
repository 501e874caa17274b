//! All rows of S in one dense echelon form: exact, with nothing left to prove.
//!
//! Where S is dense its rows are eliminated as they are: a combination of them costs as much as a row does, and proves nothing.
//! Rows come in an order that strides through S, so that a tall S whose rows are much alike everywhere reaches the bound of its rank
//! after a small part of them, and the others are never looked at.

use super::Split;
use super::combine::{LANES, Mixer, Vectors};
use crate::dense::{Echelon, Row};
use crate::observer::Quiet;
use crate::{Observer, Result, memory};

/// Rows between two looks at the rank.
pub(crate) const PANEL: usize = 1024;
/// What memory is asked for.
const ORDER: &str = "the order of the rows";

/// A basis of the row space of S, and the rows of S that it comes from.
#[derive(Debug)]
pub struct EveryRow {
    /// Its echelon form, columns numbered as those of S.
    pub echelon: Echelon,
    /// Rows of S, as many as the rank, that are independent.
    pub rows: Vec<u32>,
}

/// The row space of S from its rows, until it has `rank_bound` dimensions, which must be an upper bound of rank S.
///
/// Cost: the dense elimination, of A as it stands where there are no pivots; else nnz(A) multiply-adds for each row besides.
///
/// # Errors
/// [`crate::Error::Interrupted`], [`crate::Error::Memory`].
pub fn every_row(split: &Split, rank_bound: usize, observer: &dyn Observer) -> Result<EveryRow> {
    let (m, cols) = (split.rows.len(), split.cols.len());
    let mut echelon = Echelon::new(split.modulus(), cols)?;
    observer.phase("dense elimination", m as u64);
    let order = strides(m)?;
    let mut mixer = if split.pivots() > 0 { Some(Mixer::new(split)?) } else { None };
    let lanes = Mixer::lanes(split.modulus());
    let mut done = 0;
    for panel in order.chunks(PANEL) {
        if echelon.rank() >= rank_bound {
            break;
        }
        match &mut mixer {
            None => {
                let rows: Vec<Row<'_>> = panel.iter().map(|&i| split.a.row(split.rows[i as usize] as usize)).collect();
                echelon.absorb(&rows, &Quiet(observer))?;
            }
            Some(mixer) => {
                let units: Vec<Vectors> = panel.chunks(lanes).map(Vectors::Units).collect();
                mixer.absorb(&units, &mut echelon, &Quiet(observer))?;
            }
        }
        done += panel.len();
        observer.progress(done as u64);
    }
    // Rows are absorbed in this order, and only behind the last one come lanes without a row.
    let rows = memory::collect(echelon.pivot_rows().iter().map(|&k| order[k]), ORDER)?;
    Ok(EveryRow { echelon, rows })
}

const _: () = assert!(PANEL.is_multiple_of(LANES) && PANEL.is_multiple_of(Echelon::PACKED));

/// The numbers below m, each once, in an order of which every part is spread evenly: multiples of a number near the golden section of m
/// and prime to it, mod m.
fn strides(m: usize) -> Result<Vec<u32>> {
    let gcd = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let golden = (m as f64 * 0.618_033_988_749_895) as usize;
    let step = (golden..).find(|&step| gcd(step, m) == 1).unwrap_or(1);
    let mut at = 0;
    let next = |_| {
        let here = at as u32;
        at = (at + step) % m;
        here
    };
    memory::collect((0..m).map(next), ORDER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::{Modulus, Rng};
    use crate::oracles::{dense_rank, greedy_pivots};
    use crate::pivots::Pivots;
    use crate::sparse::SparseMatrix;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn every_number_comes_once_and_parts_are_spread() {
        for m in (0..200).chain([1024, 30_030, 65_536]) {
            let order = strides(m).unwrap();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..m as u32).collect::<Vec<_>>());
        }
        let mut first = strides(100_000).unwrap()[..1000].to_vec();
        first.sort_unstable();
        let gap = first.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
        assert!(gap < 300, "a gap of {gap} in a part of one in a hundred");
    }

    /// The rank, and rows and columns of a minor that is not zero, whatever was taken as pivots before.
    #[test]
    fn rows_and_columns_make_a_minor_of_the_rank() {
        let mut rng = Rng::seed_from_u64(4);
        for p in [2, 3, 251, 65521, (1 << 31) - 1, (1 << 63) - 25] {
            let modulus = Modulus::new(p).unwrap();
            for (m, n, entries) in
                [(0, 4, 0), (4, 0, 0), (5, 7, 0), (1, 1, 1), (40, 30, 300), (1500, 20, 1200), (20, 90, 1800)]
            {
                let list: Vec<_> = (0..entries)
                    .map(|_| (rng.random_range(0..m), rng.random_range(0..n), 1 + rng.random_range(0..p - 1)))
                    .collect();
                let a = SparseMatrix::from_triplets(modulus, m, n, &list);
                for pivots in [Pivots::default(), greedy_pivots(&a)] {
                    let split = Split::new(&a, &pivots).unwrap();
                    let rank = dense_rank(&a) - pivots.len();
                    for bound in [split.rows.len().min(split.cols.len()), rank] {
                        let EveryRow { echelon, rows } = every_row(&split, bound, &Silent).unwrap();
                        assert_eq!((echelon.rank(), rows.len()), (rank, rank), "{m} x {n} mod {p}");
                        let named = |lines: Vec<u32>, names: &[u32], first: &[u32]| -> Vec<u32> {
                            first.iter().copied().chain(lines.iter().map(|&k| names[k as usize])).collect()
                        };
                        let rows = named(rows, &split.rows, &pivots.rows);
                        let cols = echelon.pivot_cols().unwrap();
                        let cols = named(cols, &split.cols, &pivots.cols);
                        let at = |lines: &[u32], k: u32| lines.iter().position(|&line| line == k);
                        let minor: Vec<_> = (0..m)
                            .flat_map(|i| a.row(i).0.iter().zip(a.row(i).1).map(move |(&j, &v)| (i as u32, j, v)))
                            .filter_map(|(i, j, v)| Some((at(&rows, i)?, at(&cols, j)?, v)))
                            .collect();
                        let minor = SparseMatrix::from_triplets(modulus, rows.len(), cols.len(), &minor);
                        assert_eq!(dense_rank(&minor), rows.len(), "{m} x {n} mod {p}");
                    }
                }
            }
        }
    }
}
