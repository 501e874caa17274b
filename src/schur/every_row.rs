//! All rows of S in one dense echelon form: exact, with nothing left to prove.
//!
//! Where S is dense its rows are eliminated as they are: a combination of them costs as much as a row does, and proves
//! nothing. Rows come in an order that strides through S, so that a tall S whose rows are much alike everywhere reaches
//! the bound of its rank after a small part of them, and the others are never looked at. If it does not, and the
//! remaining rows would take long, a few random combinations may represent them ([`Check`]): as one matrix product, and
//! by the argument of [`row_space`](super::row_space).

use super::combine::{Mixer, Vectors};
use super::exploration::check_combinations;
use super::saved::saved;
use super::strides::strides;
use super::{Extent, Split};
use crate::dense::{Echelon, Factors, Place, Row};
use crate::field::Rng;
use crate::gpu::Device;
use crate::report::{ErrorBound, Quiet};
use crate::spmv::LANES;
use crate::{Observer, Result, memory};

/// Rows between two looks at the rank.
pub(crate) const PANEL: usize = 1024;
/// What the memory is for.
const ORDER: &str = "the rows of a dense elimination";

/// A basis of the row space of S, and the rows of S that it comes from.
#[derive(Debug)]
pub struct EveryRow {
    /// Its echelon form, columns numbered as those of S.
    pub echelon: Echelon,
    /// Rows of S, as many as the rank, that are independent; `None` where the basis comes from combinations as well.
    pub rows: Option<Vec<u32>>,
    /// The factors of these rows in their pivot columns, if they were asked for; none over GF(2).
    pub factors: Option<Factors>,
    /// Whether the basis is of all of the row space: never [`Extent::Part`].
    pub extent: Extent,
}

/// A check that stands for rows: once a panel of them has added nothing, combinations of those that are left.
pub struct Check<'a> {
    /// All checks together may miss a part of the row space with at most this probability.
    pub error: ErrorBound,
    /// Whether a check is worth it at a rank, with so many rows done.
    pub worth: &'a dyn Fn(usize, usize) -> bool,
    /// As in [`RowSpaceStreams`](super::RowSpaceStreams).
    pub challenge: &'a (dyn Fn(u64, &[u32]) -> Rng + Sync),
}

/// The row space of S from its rows, until it has `rank_bound` dimensions, which must be an upper bound of rank S, or a
/// `check` says that it is whole. Only rows of A as they stand are checked: with pivots all rows are taken. `factors`
/// asks for those of the rows. Wide rows are eliminated on GPUs if some are given; the answer does not depend on it.
///
/// Cost: the dense elimination (of A itself if there are no pivots), otherwise plus nnz(A) multiply-adds per row. A
/// check of k combinations costs k multiply-adds for each entry of the rows that are left.
///
/// # Errors
/// [`crate::Error::Interrupted`], [`crate::Error::Memory`]; [`crate::Error::Device`] if a GPU fails.
pub fn every_row(
    split: &Split,
    rank_bound: usize,
    check: Option<&Check<'_>>,
    factors: bool,
    devices: &[Device],
    observer: &dyn Observer,
) -> Result<EveryRow> {
    let (m, cols) = (split.rows.len(), split.cols.len());
    let mut echelon = Place::new(devices, split.modulus()).echelon(cols, factors)?;
    observer.phase("dense elimination", m as u64);
    let kept = saved("every-row", split, || factors, observer)?;
    let order = strides(m)?;
    let mut mixer = if split.pivots() > 0 { Some(Mixer::new(split)?) } else { None };
    let lanes = Mixer::lanes(split.modulus());
    let as_they_stand = |numbers: &[u32]| -> Result<Vec<Row<'_>>> {
        memory::collect(numbers.iter().map(|&i| split.a.row(split.rows[i as usize] as usize)), ORDER)
    };
    let (mut done, mut combined, mut extent) = (0, 0, Extent::Whole);
    // Checks made, and the rows to be done before the next: each is at least as far from the one before as that from
    // the beginning, so that they cost little where they all fail.
    let (mut checks, mut next) = (0, 0);
    if let Some((basis, rows, made)) = kept.load::<(Echelon, [usize; 3], u64)>()? {
        (echelon, [done, combined, next], checks) = (basis, rows, made);
        observer.restored(done as u64);
    }
    for panel in order[done..].chunks(PANEL) {
        kept.keep(&(&echelon, [done, combined, next], checks), false)?;
        let before = echelon.rank();
        if before >= rank_bound {
            break;
        }
        match &mut mixer {
            None => {
                echelon.absorb(&as_they_stand(panel)?, &Quiet(observer))?;
            }
            Some(mixer) => {
                let units: Vec<Vectors> = panel.chunks(lanes).map(Vectors::Units).collect();
                mixer.absorb(&units, &mut echelon, &Quiet(observer))?;
            }
        }
        done += panel.len();
        observer.share(work_of(echelon.rank(), done, cols) / work_of(rank_bound, m.min(rank_bound), cols).max(1.0));
        observer.progress(done as u64);
        let Some(check) = check.filter(|check| mixer.is_none() && done < m && (check.worth)(before, done)) else {
            continue;
        };
        if echelon.rank() > before || done < next {
            continue;
        }
        (checks, next) = (checks + 1, 2 * done);
        let count = check_combinations(check.error, checks, (split.modulus().get() as f64).log2());
        let mut rng = (check.challenge)(checks, &echelon.pivot_cols()?);
        let added = echelon.absorb_combinations(&as_they_stand(&order[done..])?, count, &mut rng, &Quiet(observer))?;
        combined += count;
        if added == 0 {
            extent = Extent::Checked(check.error);
            break;
        }
    }
    if extent == Extent::Whole {
        kept.keep(&(&echelon, [done, combined, next], checks), true)?;
    }
    // Rows are absorbed in this order, and only behind the last one come lanes without a row, or combinations that
    // added nothing.
    let rows = match combined == 0 || checks == 1 && extent != Extent::Whole {
        true => Some(memory::collect(echelon.pivot_rows().iter().map(|&k| order[k]), ORDER)?),
        false => None,
    };
    let factors = echelon.factors()?.filter(|_| rows.is_some());
    Ok(EveryRow { echelon, rows, factors, extent })
}

/// Multiply-adds for so many rows of n columns that have the rank r: r²(n/2 - r/6), and r(n - r/2) for each other row.
fn work_of(rank: usize, rows: usize, cols: usize) -> f64 {
    let [r, n, others] = [rank, cols, rows.saturating_sub(rank)].map(|x| x as f64);
    r * r * (n / 2.0 - r / 6.0) + others * r * (n - r / 2.0)
}

const _: () = assert!(PANEL.is_multiple_of(LANES) && PANEL.is_multiple_of(Echelon::PACKED));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::{Modulus, Rng};
    use crate::oracles::{dense_rank, greedy_pivots};
    use crate::pivots::Pivots;
    use crate::sparse::SparseMatrix;
    use rand::{RngExt, SeedableRng};

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
                        let found = every_row(&split, bound, None, false, &[], &Silent).unwrap();
                        let EveryRow { echelon, rows, extent, .. } = found;
                        let rows = rows.unwrap();
                        assert_eq!((echelon.rank(), rows.len()), (rank, rank), "{m} x {n} mod {p}");
                        assert_eq!(extent, Extent::Whole);
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

    /// Matrices of which the first panel, in the order taken, spans all, or only a part: the rank is found, and checks
    /// are made where they are asked for, with challenges that depend on what was found.
    #[test]
    fn checks_stand_for_rows_and_find_what_panels_missed() {
        let mut rng = Rng::seed_from_u64(6);
        for p in [2, 3, 251, 65521, (1 << 31) - 1, (1 << 63) - 25] {
            let modulus = Modulus::new(p).unwrap();
            let (m, n, r) = (7 * PANEL + 5, 40, 12);
            let basis: Vec<Vec<u64>> = (0..r).map(|_| (0..n).map(|_| rng.random_range(0..p)).collect()).collect();
            let order = strides(m).unwrap();
            // Rows of another space at these places of the order, none before the second panel has added nothing.
            for others in [vec![], vec![m - 1], vec![2 * PANEL + 3, 4 * PANEL + 3]] {
                let mut entries = vec![];
                for (at, &i) in order.iter().enumerate() {
                    let by = |rng: &mut Rng| rng.random_range(0..p);
                    let row: Vec<u64> = if others.contains(&at) {
                        (0..n).map(|_| by(&mut rng)).collect()
                    } else {
                        let coefficients: Vec<u64> = (0..r).map(|_| by(&mut rng)).collect();
                        let sum = |j: usize| {
                            let terms = coefficients.iter().zip(&basis).map(|(&c, b)| modulus.mul(c, b[j]));
                            terms.fold(0, |sum, term| modulus.add(sum, term))
                        };
                        (0..n).map(sum).collect()
                    };
                    entries.extend(row.into_iter().enumerate().map(|(j, v)| (i as usize, j, v)));
                }
                let a = SparseMatrix::from_triplets(modulus, m, n, &entries);
                let (none, expected) = (Pivots::default(), dense_rank(&a));
                let split = Split::new(&a, &none).unwrap();
                let challenges = std::sync::Mutex::new(vec![]);
                let challenge = |number: u64, cols: &[u32]| {
                    challenges.lock().unwrap().push((number, cols.len()));
                    Rng::seed_from_u64(number)
                };
                for worth in [true, false] {
                    let worth = |_: usize, _: usize| worth;
                    let check = Check { error: ErrorBound::of_bits(128), worth: &worth, challenge: &challenge };
                    let found = every_row(&split, n, Some(&check), false, &[], &Silent).unwrap();
                    assert_eq!(found.echelon.rank(), expected, "mod {p}: {others:?}");
                    let made = std::mem::take(&mut *challenges.lock().unwrap());
                    if !worth(0, 0) {
                        assert!(made.is_empty() && found.extent == Extent::Whole && found.rows.is_some());
                        continue;
                    }
                    let first = made[0].1;
                    let numbers: Vec<u64> = made.iter().map(|&(number, _)| number).collect();
                    assert_eq!(numbers, (1..=made.len() as u64).collect::<Vec<_>>());
                    // What the first panel missed, a check has found.
                    assert_eq!((made.len() == 1, found.rows.is_some()), (first == expected, first == expected));
                    assert_eq!(found.extent, Extent::Checked(check.error), "{made:?}");
                }
            }
        }
    }
}
