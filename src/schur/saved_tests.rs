//! Searches for row spaces that are interrupted at every question whether to stop, and go on from their states on
//! another number of threads: the basis is that of undisturbed work bit for bit, with its rank profiles.

use super::every_row::PANEL;
use super::explicit::BATCH;
use super::exploration::{RowSpaceOptions, RowSpaceStreams};
use super::sketch::sketch_from;
use super::strides::strides;
use super::{Check, FormOptions, NullSpace, Side, Solver, Split, Way, every_row, row_space};
use crate::dense::Echelon;
use crate::field::{Modulus, Rng};
use crate::oracles::{dense_rank, greedy_pivots};
use crate::pivots::Pivots;
use crate::report::{Bytes, ErrorBound, Memory, goes_on_after};
use crate::sparse::SparseMatrix;
use crate::{Observer, Result, Silent};
use rand::{RngExt, SeedableRng};
use std::sync::atomic::{AtomicUsize, Ordering};

/// All that a basis is, profiles included.
fn bits(echelon: &Echelon) -> (Vec<u8>, Vec<usize>, Vec<u32>) {
    let mut bytes = vec![];
    echelon.write(&mut bytes).unwrap();
    (bytes, echelon.pivot_rows().to_vec(), echelon.pivot_cols().unwrap())
}

/// Work that is interrupted, each time on another number of threads, which keeps `step`.
fn goes_on_on_threads<T: PartialEq + std::fmt::Debug + Send>(
    step: &str,
    work: impl Fn(&dyn Observer) -> Result<T> + Sync,
) {
    let runs = AtomicUsize::new(0);
    let kept = goes_on_after(1, |observer| {
        let threads = 1 + runs.fetch_add(1, Ordering::Relaxed) % 3;
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| work(observer))
    });
    assert_eq!(kept, [step]);
}

/// Rows of `weight` entries that are combinations of `inner` others, some zero, some twice; those at `others` are not.
fn low_rank(p: Modulus, [m, n, inner]: [usize; 3], weight: usize, others: &[usize], rng: &mut Rng) -> SparseMatrix {
    let entry = |rng: &mut Rng| (rng.random_range(0..n), rng.random_range(1..p.get()));
    let basis: Vec<Vec<(usize, u64)>> = (0..inner).map(|_| (0..weight).map(|_| entry(rng)).collect()).collect();
    let mut entries = vec![];
    for i in (0..m).filter(|i| i % 9 != 5) {
        if others.contains(&i) {
            entries.extend((0..weight).map(|_| entry(rng)).map(|(j, v)| (i, j, v)));
            continue;
        }
        let at = if i % 7 == 3 { i - 1 } else { i };
        for k in [at % inner, (at * at / 3) % inner] {
            entries.extend(basis[k].iter().map(|&(j, v)| (i, j, p.mul(v, 1 + at as u64 % (p.get() - 1)))));
        }
    }
    SparseMatrix::from_triplets(p, m, n, &entries)
}

#[test]
fn eliminations_of_all_rows() {
    let mut rng = Rng::seed_from_u64(101);
    for p in [2, 3, 65521, (1 << 63) - 25] {
        let p = Modulus::new(p).unwrap();
        let m = 5 * PANEL + 7;
        let order = strides(m).unwrap();
        let late = [2 * PANEL + 3, 4 * PANEL + 1].map(|at| order[at] as usize);
        let a = low_rank(p, [m, 40, 15], 6, &late, &mut rng);
        for (pivots, worth, factors) in
            [(Pivots::default(), true, false), (Pivots::default(), false, true), (greedy_pivots(&a), false, true)]
        {
            let split = Split::new(&a, &pivots).unwrap();
            let worth = |_: usize, _: usize| worth;
            let challenge = |number: u64, cols: &[u32]| Rng::seed_from_u64(number + 7 * cols.len() as u64);
            goes_on_on_threads("every-row", |observer| {
                let check = Check { error: ErrorBound::of_bits(60), worth: &worth, challenge: &challenge };
                let found = every_row(&split, 40, Some(&check), factors, &[], observer)?;
                assert_eq!(found.echelon.rank() + pivots.len(), dense_rank(&a));
                let lines = found.factors.map(|factors| (factors.rows().to_vec(), factors.cols().to_vec()));
                Ok((bits(&found.echelon), found.rows, found.extent, lines))
            });
        }
    }
}

/// Streams and options of a search of a space of at most so many dimensions.
fn search<T>(bound: usize, rows: bool, ask: impl FnOnce(RowSpaceOptions, &RowSpaceStreams) -> Result<T>) -> Result<T> {
    let challenge = |number: u64, cols: &[u32]| Rng::seed_from_u64(number + 7 * cols.len() as u64);
    let (sample, exploration) = (Rng::seed_from_u64(1), Rng::seed_from_u64(2));
    let options =
        RowSpaceOptions { error: ErrorBound::of_bits(60), rank_bound: bound, give_up: usize::MAX, rows, exceeded: 0 };
    ask(options, &RowSpaceStreams { sample, exploration, challenge: &challenge })
}

/// Of all rows, and of samples that miss some; combinations and rows.
#[test]
fn row_spaces() {
    let mut rng = Rng::seed_from_u64(102);
    for p in [2, 3, 65521, (1 << 63) - 25] {
        let p = Modulus::new(p).unwrap();
        for (a, bound) in [
            (low_rank(p, [600, 300, 200], 5, &[], &mut rng), usize::MAX),
            (low_rank(p, [4000, 60, 40], 4, &[17, 2444], &mut rng), 60),
        ] {
            let rank = dense_rank(&a);
            for pivots in [Pivots::default(), greedy_pivots(&a)] {
                let split = Split::new(&a, &pivots).unwrap();
                for rows in [false, true] {
                    goes_on_on_threads(if rows { "row-basis" } else { "row-space" }, |observer| {
                        let found =
                            search(bound, rows, |options, streams| row_space(&split, options, streams, &[], observer))?;
                        assert_eq!(found.echelon.rank() + pivots.len(), rank);
                        let basis = found.basis.map(|basis| basis.rows);
                        assert_eq!(basis.as_ref().map(Vec::len), rows.then_some(rank - pivots.len()));
                        Ok((bits(&found.echelon), found.extent, basis))
                    });
                }
            }
        }
    }
}

/// The first width is too narrow; rows are kept for the next, all, some, or none.
#[test]
fn sketches() {
    let mut rng = Rng::seed_from_u64(103);
    for p in [5, 65521] {
        let p = Modulus::new(p).unwrap();
        let a = low_rank(p, [700, 600, 200], 5, &[], &mut rng);
        let rank = dense_rank(&a);
        for (pivots, most_bytes) in
            [(Pivots::default(), 100 << 10), (greedy_pivots(&a), 0), (Pivots::default(), 1 << 30)]
        {
            let split = Split::new(&a, &pivots).unwrap();
            goes_on_on_threads("sketch", |observer| {
                let found = search(500, false, |options, streams| {
                    sketch_from((128, most_bytes), &split, options, streams, None, observer)
                })?;
                assert_eq!(found.rank + pivots.len(), rank);
                Ok(found)
            });
        }
    }
}

/// Proofs on both sides, of a row space and of a subspace of it, which is seen to be too small.
#[test]
fn proofs() {
    let mut rng = Rng::seed_from_u64(104);
    for p in [2, 65521] {
        let p = Modulus::new(p).unwrap();
        let (wide, pivots) = (low_rank(p, [300, 2150, 30], 5, &[], &mut rng), Pivots::default());
        let (tall, rank) = (wide.transpose().unwrap(), dense_rank(&wide));
        // More null vectors than are mapped between two looks at the time.
        assert!(wide.cols() - rank > 2048);
        for (a, side, way, step) in [
            (&wide, Side::Right, Way::Passes, "null-space"),
            (&wide, Side::Right, Way::Pushes, "null-space"),
            (&tall, Side::Left, Way::Passes, "columns"),
        ] {
            let split = Split::new(a, &pivots).unwrap();
            let rows: Vec<_> = (0..a.rows()).map(|i| a.row(i)).collect();
            let space = NullSpace::new(&split, side, way).unwrap();
            for known in [a.rows(), 12] {
                let kept = goes_on_after(1, |observer| {
                    let mut echelon = Echelon::new(p, a.cols())?;
                    echelon.absorb(&rows[..known], &Silent)?;
                    let proof = space.prove(echelon, usize::MAX, &Rng::seed_from_u64(3), observer)?;
                    assert_eq!((proof.rank, proof.failed > 0), (rank, known == 12));
                    Ok(proof)
                });
                assert!(kept.iter().any(|kept| kept == step), "{kept:?}");
            }
        }
    }
}

/// Complements that are formed in several batches, with rows that are multiples of others.
#[test]
fn complements() {
    let mut rng = Rng::seed_from_u64(105);
    for p in [65521, (1 << 63) - 25] {
        let p = Modulus::new(p).unwrap();
        let a = low_rank(p, [2 * BATCH + 100, 60, 50], 2, &[], &mut rng);
        let pivots = greedy_pivots(&a);
        let split = Split::new(&a, &pivots).unwrap();
        let solver = || Solver::new(&split);
        for (distinct, divisors) in [(true, false), (true, true), (false, true)] {
            let options = FormOptions { limit_nnz: usize::MAX, distinct, divisors, deadline: None };
            goes_on_on_threads("complement", |observer| {
                let formed = solver()?.form(&options, observer)?.expect("there is no limit");
                assert!(formed.work > 0 && formed.remainder.matrix.nnz() > 0);
                Ok((formed.remainder, formed.work))
            });
        }
        // What is larger than allowed is not taken from another run either.
        let memory = Memory { life: usize::MAX.into(), ..Memory::default() };
        let form = |limit_nnz| {
            let options = FormOptions { limit_nnz, distinct: false, divisors: false, deadline: None };
            solver().unwrap().form(&options, &memory).unwrap()
        };
        let nnz = form(usize::MAX).unwrap().remainder.matrix.nnz();
        assert!(form(nnz - 1).is_none());
        assert!(form(nnz).is_some_and(|again| again.before[0] > 0.0));
    }
}
