//! Ranks by sketches against dense elimination.

use super::Split;
use super::combine::{Combination, Mixer, Vectors};
use super::exploration::{Extent, RowSpaceOptions, RowSpaceStreams};
use super::fold::Fold;
use super::kept::Kept;
use super::sieve::{Basis, Sieve};
use super::sketch::{Sketch, sketch, sketch_from, wider};
use crate::dense::Echelon;
use crate::field::{Modulus, Rng};
use crate::oracles::{dense_rank, greedy_pivots};
use crate::pivots::Pivots;
use crate::report::ErrorBound;
use crate::sparse::SparseMatrix;
use crate::{Observer, Silent};
use rand::{RngExt, SeedableRng};
use std::sync::Mutex;

/// A product of sparse factors: rank at most r, with zero rows and rows that repeat others.
fn product(p: Modulus, m: usize, n: usize, r: usize, rng: &mut Rng) -> SparseMatrix {
    let mut factor = |rows: usize, cols: usize, weight: usize| -> Vec<Vec<(usize, u64)>> {
        let mut entry = || (rng.random_range(0..cols), rng.random_range(1..p.get()));
        (0..rows).map(|_| (0..if cols == 0 { 0 } else { weight }).map(|_| entry()).collect()).collect()
    };
    let (left, right) = (factor(m, r, 2), factor(r, n, 4));
    let mut entries = vec![];
    for i in (0..m).filter(|i| i % 11 != 7) {
        let row = &left[if i % 5 == 4 { i - 1 } else { i }];
        entries.extend(row.iter().flat_map(|&(t, u)| right[t].iter().map(move |&(j, v)| (i, j, p.mul(u, v)))));
    }
    SparseMatrix::from_triplets(p, m, n, &entries)
}

fn options(rank_bound: usize, give_up: usize) -> RowSpaceOptions {
    RowSpaceOptions { error: ErrorBound::of_bits(128), rank_bound, give_up, rows: false, exceeded: 0 }
}

/// The ranks that are told on the way.
#[derive(Default)]
struct Ranks(Mutex<Vec<u64>>);

impl Observer for Ranks {
    fn progress(&self, done: u64) {
        self.0.lock().unwrap().push(done);
    }
}

/// What the checks were asked with.
type Challenges = Mutex<Vec<(u64, usize)>>;

fn find(split: &Split, options: RowSpaceOptions, challenges: &Challenges) -> Sketch {
    with_streams(challenges, |streams| sketch(split, options, streams, None, &Silent).unwrap())
}

fn with_streams<T>(challenges: &Challenges, run: impl FnOnce(&RowSpaceStreams) -> T) -> T {
    let challenge = |number: u64, cols: &[u32]| {
        challenges.lock().unwrap().push((number, cols.len()));
        Rng::seed_from_u64(number)
    };
    let (sample, exploration) = (Rng::seed_from_u64(1), Rng::seed_from_u64(2));
    run(&RowSpaceStreams { sample, exploration, challenge: &challenge })
}

/// The rank of all kinds of complements, whatever the modulus, with and without pivots and bounds.
#[test]
fn sketches_find_the_rank() {
    let mut rng = Rng::seed_from_u64(71);
    for p in [5, 251, 65521, (1 << 31) - 1, (1 << 63) - 25] {
        let p = Modulus::new(p).unwrap();
        for (m, n, r) in [(0, 5, 0), (5, 0, 0), (6, 7, 0), (1, 1, 1), (30, 20, 20), (90, 400, 60), (900, 700, 250)] {
            let a = product(p, m, n, r, &mut rng);
            let rank = dense_rank(&a);
            for pivots in [Pivots::default(), greedy_pivots(&a)] {
                let split = Split::new(&a, &pivots).unwrap();
                let left = rank - pivots.len();
                let challenges = Challenges::default();
                let found = find(&split, options(usize::MAX, usize::MAX), &challenges);
                assert_eq!(found.rank, left, "{m} x {n} mod {p}");
                let bound = split.rows.len().min(split.cols.len());
                let sure = if left == bound { Extent::Whole } else { Extent::Checked(ErrorBound::of_bits(128)) };
                assert_eq!(found.extent, sure);
                // Each check has a number of its own, and the last one saw the rank.
                let made = challenges.into_inner().unwrap();
                assert!(made.iter().map(|&(number, _)| number).eq(1..=made.len() as u64));
                assert!(made.last().is_none_or(|&(_, seen)| seen == left));
                // A bound that is known needs no check; a rank that is too large ends it.
                assert_eq!(find(&split, options(left, usize::MAX), &Challenges::default()).extent, Extent::Whole);
                if left > 64 {
                    // More combinations at first, and the same in the end.
                    let known = RowSpaceOptions { exceeded: left - 1, ..options(usize::MAX, usize::MAX) };
                    let ranks = [options(usize::MAX, usize::MAX), known].map(|options| {
                        let seen = Ranks::default();
                        let found = with_streams(&Challenges::default(), |streams| {
                            sketch(&split, options, streams, None, &seen).unwrap()
                        });
                        assert_eq!(found.rank, left);
                        seen.0.into_inner().unwrap()
                    });
                    // What is told first is that nothing was known.
                    assert!(ranks[0][1] <= 32 && ranks[1][1] > 32 && ranks[0].len() > ranks[1].len(), "{ranks:?}");
                    let part = find(&split, options(usize::MAX, left / 2), &Challenges::default());
                    assert!(part.extent == Extent::Part && (left / 2 + 1..=left).contains(&part.rank), "{part:?}");
                }
            }
        }
    }
}

/// Where much is left after random combinations, in rows that often find the same, a few checks find it all.
#[test]
fn few_checks_find_what_is_left() {
    let mut rng = Rng::seed_from_u64(74);
    let (p, m, dimensions) = (Modulus::new(65521).unwrap(), 30_000, 2000);
    // Dimensions that few rows have, each in five of them.
    let mut entries: Vec<_> = (0..m).map(|i| (i, i % 3, 1)).collect();
    let rare = (0..5 * dimensions).map(|k| (rng.random_range(0..m), 3 + k % dimensions, 1 + k as u64));
    entries.extend(rare);
    let a = SparseMatrix::from_triplets(p, m, 3 + dimensions, &entries);
    let none = Pivots::default();
    let (split, challenges) = (Split::new(&a, &none).unwrap(), Challenges::default());
    let found = find(&split, options(m, usize::MAX), &challenges);
    assert_eq!(found.rank, 3 + dimensions);
    let seen: Vec<usize> = challenges.into_inner().unwrap().into_iter().map(|(_, seen)| seen).collect();
    assert!(seen[0] < 3 + dimensions && seen.len() <= 4, "{seen:?}");
}

/// Twice as wide, and beyond that what the ranks looked for need: at most 0.89 of the columns.
#[test]
fn sketches_are_no_wider_than_what_is_looked_for() {
    for (width, most, next) in [
        (4096, 0, 8192),
        (4096, 7168, 8192),
        (4096, 7169, 16384),
        (4096, usize::MAX, 16384),
        (8192, 0, 16384),
        (8192, usize::MAX, 16384),
        (256, 700, 1024),
        (256, 300, 512),
    ] {
        assert_eq!(wider(width, most), next, "{width} columns for ranks up to {most}");
    }
}

/// Rows that no combination of a few is likely to meet are found by checks, and Ms that are too narrow by their rank.
#[test]
fn rare_rows_are_found_and_narrow_sketches_left() {
    let mut rng = Rng::seed_from_u64(72);
    let p = Modulus::new(65521).unwrap();
    let (m, n) = (20_000, 6000);
    let mut entries: Vec<_> = (0..m).map(|i| (i, i % 3, 1)).collect();
    entries.extend((0..40).map(|k| (497 * k + 1, 100 + k, 1 + k as u64)));
    let a = SparseMatrix::from_triplets(p, m, n, &entries);
    let none = Pivots::default();
    let split = Split::new(&a, &none).unwrap();
    let challenges = Challenges::default();
    assert_eq!(find(&split, options(3000, usize::MAX), &challenges).rank, 43);
    assert!(challenges.lock().unwrap().len() > 1);
    // Ranks between the first width and the second, and between that and the third; with no rows that are kept for the
    // next width, some, all.
    for (rank, width) in [(300, 512), (600, 2048)] {
        let diagonal: Vec<_> = (0..rank).map(|i| (i, i, rng.random_range(1..65521))).collect();
        let a = SparseMatrix::from_triplets(p, 2000, 1000, &diagonal);
        let split = Split::new(&a, &none).unwrap();
        for most_bytes in [0, 100 << 10, usize::MAX] {
            let found = with_streams(&challenges, |streams| {
                sketch_from((128, most_bytes), &split, options(1000, usize::MAX), streams, None, &Silent).unwrap()
            });
            assert_eq!((found.rank, found.width), (rank, width));
        }
    }
}

/// What is kept is what the wider fold makes of the first independent combinations, whatever the number of threads.
#[test]
fn kept_rows_are_those_of_the_wider_sketch() {
    let mut rng = Rng::seed_from_u64(73);
    let p = Modulus::new(65521).unwrap();
    let a = product(p, 900, 700, 250, &mut rng);
    let pivots = Pivots::default();
    let split = Split::new(&a, &pivots).unwrap();
    // Every other row twice: those repeated are not independent.
    let rows: Vec<Combination> = (0..900).map(|i| vec![(i - i % 4 / 2, 1)]).collect();
    for (most, threads) in [(0, 1), (10, 1), (10, 20), (100, 3), (10_000, 20)] {
        let (narrow, numbers, kept) =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
                let fold = Fold::new(700, 512, &mut Rng::seed_from_u64(4)).unwrap();
                let mut mixer = Mixer::folded(&split, fold, Kept::new(2048, most * 2048 * 2)).unwrap();
                let mut narrow = Echelon::with_multipliers(p, 512).unwrap();
                let vectors: Vec<Vectors> = rows.chunks(32).map(Vectors::Few).collect();
                mixer.absorb(&vectors, &mut narrow, &Silent).unwrap();
                let kept = mixer.widen(8192);
                let numbers = kept.numbers().to_vec();
                let mut wide = Echelon::with_multipliers(p, 2048).unwrap();
                kept.hand_over(&mut wide, &Silent).unwrap();
                // The same combinations by passes, folded to the wider width without anything to keep.
                let fold = Fold::new(700, 2048, &mut Rng::seed_from_u64(4)).unwrap();
                let mut mixer = Mixer::folded(&split, fold, Kept::new(8192, 0)).unwrap();
                let mut again = Echelon::with_multipliers(p, 2048).unwrap();
                let chosen: Vec<Combination> = numbers.iter().map(|&k| rows[k].clone()).collect();
                let vectors: Vec<Vectors> = chosen.chunks(32).map(Vectors::Few).collect();
                mixer.absorb(&vectors, &mut again, &Silent).unwrap();
                assert_eq!(wide.rank(), numbers.len(), "independent in the narrow sketch, and so in the wider");
                assert_eq!(wide.pivot_cols().unwrap(), again.pivot_cols().unwrap());
                let x = wide.orthogonal(1, &mut Rng::seed_from_u64(5)).unwrap();
                assert_eq!(x, again.orthogonal(1, &mut Rng::seed_from_u64(5)).unwrap(), "one span");
                (narrow, numbers, wide.rank())
            });
        assert_eq!(kept, most.min(narrow.rank()), "as many as there is room for");
        assert_eq!(numbers, narrow.pivot_rows()[..kept]);
    }
}

/// Rows of S = A are those of A in their order, although some are made while others are absorbed.
#[test]
fn rows_are_absorbed_in_order_whatever_is_made_beside() {
    let mut rng = Rng::seed_from_u64(75);
    for p in [5, 65521, (1 << 61) - 1].map(|p| Modulus::new(p).unwrap()) {
        let (a, none) = (product(p, 1500, 700, 250, &mut rng), Pivots::default());
        let split = Split::new(&a, &none).unwrap();
        let mut twin = Echelon::new(p, 700).unwrap();
        twin.absorb(&(0..1500).map(|i| a.row(i)).collect::<Vec<_>>(), &Silent).unwrap();
        let all: Vec<u32> = (0..1500).collect();
        for threads in [1, 2, 3, 20] {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
                let mut echelon = Echelon::new(p, 700).unwrap();
                let vectors: Vec<Vectors> = all.chunks(32).map(Vectors::Units).collect();
                // Twice by the same mixer, whose panels are used again: then nothing is new.
                let mut mixer = Mixer::new(&split).unwrap();
                mixer.absorb(&vectors, &mut echelon, &Silent).unwrap();
                assert_eq!(echelon.pivot_rows(), twin.pivot_rows(), "{threads} threads mod {p}");
                assert_eq!(echelon.pivot_cols().unwrap(), twin.pivot_cols().unwrap());
                mixer.absorb(&vectors, &mut echelon, &Silent).unwrap();
                assert_eq!((echelon.rank(), echelon.rows_seen() >= 3000), (twin.rank(), true));
            });
        }
    }
}

/// A vector of the row space that M maps to zero: seen by a check, and M is made wider.
#[test]
fn what_a_sketch_maps_to_zero_is_seen() {
    let p = Modulus::new(65521).unwrap();
    // Rows e_{2k} + c·e_{2k+1}: with a margin of columns left, some M will meet one; whatever it does, the rank is
    // right.
    let n = 2000;
    for c in [1, 65520] {
        let entries: Vec<_> = (0..n / 2).flat_map(|k| [(k, 2 * k, 1), (k, 2 * k + 1, c)]).collect();
        let a = SparseMatrix::from_triplets(p, n / 2, n, &entries);
        let (none, challenges) = (Pivots::default(), Challenges::default());
        let split = Split::new(&a, &none).unwrap();
        let found = find(&split, options(usize::MAX, usize::MAX), &challenges);
        assert_eq!((found.rank, found.extent), (n / 2, Extent::Whole));
    }
    let mut rng = Rng::seed_from_u64(3);
    // Directly: the sieve shows the row that the fold has lost.
    let a = SparseMatrix::from_triplets(p, 2, 2, &[(0, 0, 1), (1, 0, 1), (1, 1, 1)]);
    let none = Pivots::default();
    let split = Split::new(&a, &none).unwrap();
    let fold = Fold::new(2, 1, &mut rng).unwrap();
    let mut echelon = Echelon::with_multipliers(p, 1).unwrap();
    let mut mixer = Mixer::folded(&split, fold, Kept::new(4, 100)).unwrap();
    let rows = [vec![(0, 1)], vec![(1, 1)]];
    mixer.absorb(&[Vectors::Few(&rows)], &mut echelon, &Silent).unwrap();
    assert!(echelon.rank() <= 1, "one column");
    let basis = Basis::of(&echelon, &rows).unwrap();
    let mut sieve = Sieve::new(&split, None).unwrap();
    let outside = sieve.outside(p, &basis, mixer.fold().unwrap(), &mut rng).unwrap();
    assert!(!outside.is_empty(), "two rows are not spanned by one");
}
