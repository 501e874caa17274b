use super::degrees::Degrees;
use super::search::Search;
use super::*;
use crate::field::{Modulus, Rng};
use crate::oracles::{dense_rank, planted};
use crate::{Error, Silent, families};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;
use std::sync::Mutex;

/// Enough for every stage to run to its end.
const ALL: Effort = Effort { covers: u64::MAX, search: u64::MAX, reward: 1 };
/// The minimum: one cover or two, a search of about half a pass.
const LEAST: Effort = Effort { covers: 0, search: 0, reward: u64::MAX };

fn matrix(p: u64, rows: usize, cols: usize, places: &[(usize, usize)], rng: &mut Rng) -> SparseMatrix {
    let mut places = places.to_vec();
    places.sort_unstable();
    places.dedup();
    let entries: Vec<_> = places.into_iter().map(|(i, j)| (i, j, rng.random_range(1..p))).collect();
    SparseMatrix::from_triplets(Modulus::new(p).unwrap(), rows, cols, &entries)
}

/// About `weight` entries per row; every fifth row is zero, every seventh has the positions of the one before it.
fn random(p: u64, rows: usize, cols: usize, weight: usize, rng: &mut Rng) -> SparseMatrix {
    let mut places = vec![];
    for i in (0..rows).filter(|i| cols > 0 && i % 5 != 4) {
        places.extend((0..weight).map(|_| (i, rng.random_range(0..cols))));
    }
    let copies: Vec<_> = places.iter().filter(|e| e.0 % 7 == 2 && e.0 + 1 < rows).map(|e| (e.0 + 1, e.1)).collect();
    places.retain(|e| e.0 % 7 != 3);
    places.extend(copies);
    matrix(p, rows, cols, &places, rng)
}

fn has(a: &SparseMatrix, i: u32, j: u32) -> bool {
    a.row(i as usize).0.contains(&j)
}

/// The definition, pair by pair.
fn triangular_by_definition(a: &SparseMatrix, pivots: &Pivots) -> bool {
    let (rows, cols) = (&pivots.rows, &pivots.cols);
    (0..rows.len()).all(|k| has(a, rows[k], cols[k]) && (0..k).all(|l| !has(a, rows[k], cols[l])))
}

/// Whether some order makes the pairs triangular: repeatedly remove pairs whose column no other row meets.
fn orderable(a: &SparseMatrix, mut pairs: Vec<(u32, u32)>) -> bool {
    while !pairs.is_empty() {
        let before = pairs.len();
        let all = pairs.clone();
        pairs.retain(|&(i, j)| all.iter().any(|&(other, _)| other != i && has(a, other, j)));
        if pairs.len() == before {
            return false;
        }
    }
    true
}

/// Everything that holds for every result.
fn check(a: &SparseMatrix, effort: &Effort) -> Found {
    let found = find(a, effort, &Silent).unwrap();
    let Counts { singletons, faugere_lachartre, greedy, search } = found.counts;
    let t = found.pivots.len();
    assert_eq!(singletons + faugere_lachartre + greedy + search, t);
    assert!(triangular_by_definition(a, &found.pivots) && found.pivots.is_triangular(a).unwrap(), "{a:?} {found:?}");
    let transpose = a.transpose().unwrap();
    assert!(found.pivots.clone().transposed().is_triangular(&transpose).unwrap());
    let nonempty = |a: &SparseMatrix| (0..a.rows()).filter(|&i| !a.row(i).0.is_empty()).count();
    assert_eq!((found.free_rows + t, found.free_cols + t), (nonempty(a), nonempty(&transpose)));
    let (transposed, best) = find_best(a, effort, &Silent).unwrap();
    assert!(best.pivots.is_triangular(if transposed { &transpose } else { a }).unwrap());
    assert_eq!(best.pivots.len(), t);
    assert_eq!(best.free_cols, found.free_cols.min(found.free_rows));
    found
}

#[test]
fn random_degenerate_matrices() {
    let mut rng = Rng::seed_from_u64(1);
    for p in [2, 3, 65521, (1 << 63) - 25] {
        for (rows, cols) in [(0, 0), (0, 7), (7, 0), (1, 1), (5, 5), (12, 40), (40, 12), (60, 60), (150, 100)] {
            for weight in [0, 1, 2, 3, 6, 20] {
                let a = random(p, rows, cols, weight, &mut rng);
                let rank = dense_rank(&a);
                for effort in [LEAST, Effort::default(), ALL] {
                    let t = check(&a, &effort).pivots.len();
                    assert!(t <= rank, "{t} pivots, rank {rank}: {a:?}");
                    assert_eq!(t == 0, a.nnz() == 0);
                }
            }
        }
    }
}

#[test]
fn nothing_can_join_what_an_unlimited_search_leaves() {
    let mut rng = Rng::seed_from_u64(2);
    for weight in [2, 3, 4, 7] {
        for (rows, cols) in [(30, 30), (20, 45), (45, 20)] {
            let a = random(65521, rows, cols, weight, &mut rng);
            let found = check(&a, &ALL);
            let pairs: Vec<(u32, u32)> = found.pivots.rows.into_iter().zip(found.pivots.cols).collect();
            for i in (0..rows as u32).filter(|&i| pairs.iter().all(|p| p.0 != i)) {
                for &j in a.row(i as usize).0.iter().filter(|&&j| pairs.iter().all(|p| p.1 != j)) {
                    let more = pairs.iter().copied().chain([(i, j)]).collect();
                    assert!(!orderable(&a, more), "({i}, {j}) could join");
                }
            }
        }
    }
}

/// The degrees of all lines.
fn degrees(lines: Lines<'_>) -> Degrees {
    Degrees::new((0..lines.len() as u32).map(|i| lines.degree(i) as u32).collect()).unwrap()
}

/// The search alone, from nothing: many rows of a batch succeed and conflict with each other.
#[test]
fn the_search_alone_finds_maximal_triangular_sets() {
    let mut rng = Rng::seed_from_u64(3);
    for weight in [1, 2, 3, 5, 9] {
        let a = random(65521, 120, 100, weight, &mut rng);
        let columns = Pattern::of_transpose(&a).unwrap();
        let lines = [incidence::rows(&a), incidence::lines(&columns)];
        let degrees = lines.map(degrees);
        let mut search = Search::new(lines, [&degrees[0], &degrees[1]], vec![]).unwrap();
        let joined = search.run(&|_| u64::MAX, &mut |_, _| Ok(true), &Silent).unwrap();
        let pairs = search.pivots().unwrap();
        assert_eq!(pairs.len(), joined);
        let (rows, cols) = pairs.iter().copied().unzip();
        assert!(triangular_by_definition(&a, &Pivots { rows, cols }));
        for i in (0..120).filter(|&i| pairs.iter().all(|p| p.0 != i)) {
            for &j in a.row(i as usize).0.iter().filter(|&&j| pairs.iter().all(|p| p.1 != j)) {
                assert!(!orderable(&a, pairs.iter().copied().chain([(i, j)]).collect()), "({i}, {j}) could join");
            }
        }
    }
}

/// The size of a largest triangular set: the longest order of rows in which each has a column outside `covered` and
/// earlier rows.
fn largest(rows: &[u32], covered: u32, known: &mut HashMap<u32, usize>) -> usize {
    if let Some(&size) = known.get(&covered) {
        return size;
    }
    let next =
        rows.iter().filter(|&&row| row & !covered != 0).map(|&row| 1 + largest(rows, covered | row, known)).max();
    known.insert(covered, next.unwrap_or(0));
    next.unwrap_or(0)
}

#[test]
fn never_above_and_seldom_below_the_maximum() {
    let mut rng = Rng::seed_from_u64(4);
    let (mut total, mut best) = (0, 0);
    for trial in 0..400 {
        let weight = 2 + trial % 3;
        let a = random(3, 10, 10, weight, &mut rng);
        let rows: Vec<u32> = (0..10).map(|i| a.row(i).0.iter().fold(0, |mask, &j| mask | 1 << j)).collect();
        let most = largest(&rows, 0, &mut HashMap::new());
        let t = check(&a, &ALL).pivots.len();
        assert!(t <= most, "{t} > {most}: {a:?}");
        (total, best) = (total + t, best + most);
    }
    assert!(100 * total >= 99 * best, "{total} of {best}");
}

#[test]
fn a_permuted_triangular_matrix_is_peeled_to_the_end() {
    let mut rng = Rng::seed_from_u64(5);
    for n in [1, 2, 17, 300] {
        for fill in [0, 1, 5] {
            let (mut rows, mut cols): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..n).collect());
            rows.shuffle(&mut rng);
            cols.shuffle(&mut rng);
            let mut places: Vec<_> = (0..n).map(|k| (rows[k], cols[k])).collect();
            for k in 0..n {
                places.extend((0..fill).map(|_| (rows[k], cols[rng.random_range(k..n)])));
            }
            let a = matrix(65521, n, n, &places, &mut rng);
            let found = check(&a, &LEAST);
            assert_eq!(found.counts, Counts { singletons: n, ..Counts::default() }, "n = {n}, fill {fill}");
            assert_eq!((found.free_rows, found.free_cols), (0, 0));
        }
    }
}

#[test]
fn special_matrices() {
    let mut rng = Rng::seed_from_u64(6);
    let all = |rows, cols| (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j))).collect::<Vec<_>>();
    // A full matrix has rank 1 for some values, so positions can prove no more than one pivot.
    assert_eq!(check(&matrix(65521, 6, 9, &all(6, 9), &mut rng), &ALL).pivots.len(), 1);
    // One dense row above an identity: every column is pivotal, one row is left over.
    let mut places = all(1, 20);
    places.extend((0..20).map(|k| (k + 1, k)));
    let found = check(&matrix(65521, 21, 20, &places, &mut rng), &LEAST);
    assert_eq!((found.pivots.len(), found.free_rows, found.free_cols), (20, 1, 0));
    // A cycle of n rows with two entries each: one less than n.
    let cycle: Vec<_> = (0..50).flat_map(|k| [(k, k), (k, (k + 1) % 50)]).collect();
    assert_eq!(check(&matrix(65521, 50, 50, &cycle, &mut rng), &LEAST).pivots.len(), 49);
}

#[test]
fn what_is_not_triangular_is_refused() {
    let mut rng = Rng::seed_from_u64(7);
    let a = matrix(65521, 3, 4, &[(0, 0), (0, 1), (1, 1), (1, 3), (2, 2), (2, 3)], &mut rng);
    let refused =
        |rows: &[u32], cols: &[u32]| !Pivots { rows: rows.to_vec(), cols: cols.to_vec() }.is_triangular(&a).unwrap();
    assert!(!refused(&[], &[]) && !refused(&[0, 1], &[0, 1]) && !refused(&[0, 1, 2], &[0, 1, 2]));
    assert!(refused(&[1, 0], &[1, 0]), "in the wrong order");
    assert!(refused(&[0], &[2]), "not an entry");
    assert!(refused(&[0, 0], &[0, 1]) && refused(&[0, 1], &[1, 1]), "twice");
    assert!(refused(&[0, 1], &[0]) && refused(&[0], &[0, 2]), "of different length");
    assert!(refused(&[3], &[0]) && refused(&[0], &[4]), "out of range");
}

#[test]
fn the_same_on_any_number_of_threads() {
    let mut rng = Rng::seed_from_u64(8);
    let chessboard = families::generate("ch6-6-b4").unwrap().reduce(Modulus::new(65521).unwrap());
    for a in [chessboard, random(65521, 3000, 2500, 6, &mut rng), random(65521, 2000, 2800, 4, &mut rng)] {
        for effort in [LEAST, Effort::default(), Effort { search: 10_000_000, ..ALL }] {
            let mut findings = [1, 2, 3].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| find(&a, &effort, &Silent).unwrap())
            });
            findings.iter().for_each(|found| assert!(found.pivots.is_triangular(&a).unwrap()));
            let first = findings[0].clone();
            assert!(findings.iter_mut().all(|found| *found == first));
        }
    }
}

/// A new pivot before a chain of which each row leads to the next two pivots: there are more paths than could ever be
/// followed one by one, and each pivot behind it has one turn.
#[test]
fn labels_are_raised_along_all_paths_at_once() {
    let t = 300;
    let chain = (0..t).flat_map(|k| [(k, k), (k, k + 1), (k, k + 2)]).filter(|&(_, j)| j < t);
    // A pivot by itself has an entry in the column of the new one, so that the new one comes behind it.
    let places: Vec<_> = chain.chain([(t, t), (t, t + 1), (t + 1, 0), (t + 1, t + 1)]).collect();
    let a = matrix(7, t + 2, t + 2, &places, &mut Rng::seed_from_u64(12));
    let columns = Pattern::of_transpose(&a).unwrap();
    let before = (0..=t as u32).map(|k| (k, k)).collect();
    let lines = [incidence::rows(&a), incidence::lines(&columns)];
    let degrees = lines.map(degrees);
    let mut search = Search::new(lines, [&degrees[0], &degrees[1]], before).unwrap();
    assert_eq!(search.run(&|_| u64::MAX, &mut |_, _| Ok(true), &Silent).unwrap(), 1);
    let pivots = Pivots::of(search.pivots().unwrap()).unwrap();
    assert_eq!(pivots.len(), t + 2);
    assert!(pivots.is_triangular(&a).unwrap() && triangular_by_definition(&a, &pivots));
}

/// A search that is not worth it any more ends, with the pivots that it has; it is asked on any number of threads
/// alike.
#[test]
fn a_search_goes_on_as_long_as_it_is_worth_it() {
    let effort = Effort { covers: 0, search: 0, reward: 8 };
    let a = planted(12_000, 10_000, 6000, &mut Rng::seed_from_u64(11));
    let all = find_best(&a, &effort, &Silent).unwrap();
    for most in [0, 1, usize::MAX] {
        let runs = [1, 2, 3].map(|threads| {
            let asked = Mutex::new(vec![]);
            let worth = |pivots: &Pivots, visits: [u64; 2]| {
                assert!(pivots.is_triangular(&a).unwrap());
                let mut asked = asked.lock().unwrap();
                asked.push((pivots.len(), visits));
                Ok(asked.len() <= most)
            };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| find_best_while(&a, &effort, &worth, &Silent).unwrap());
            (found, asked.into_inner().unwrap())
        });
        let (found, asked) = &runs[0];
        assert!(runs.iter().all(|run| *run == runs[0]));
        let (least, visits) = asked[0];
        assert!(visits[0] >= DOUBT * a.nnz() as u64 && visits[1] == DOUBT * visits[0]);
        assert!(asked.windows(2).all(|two| two[1].1[0] >= two[0].1[1]), "asked too soon: {asked:?}");
        // It said no the last time, or always yes.
        match asked.get(most) {
            Some(&(pivots, _)) => assert_eq!((asked.len(), found.1.pivots.len()), (most + 1, pivots)),
            None => assert_eq!(*found, all),
        }
        assert!(most > 0 || found.1.pivots.len() < all.1.pivots.len());
        let pivots = if found.0 { found.1.pivots.clone().transposed() } else { found.1.pivots.clone() };
        assert!(pivots.is_triangular(&a).unwrap() && least < all.1.pivots.len());
    }
}

/// The numbers that SpaSM (2024-11) reports after its first search for pivots, in the order of the file.
#[cfg(feature = "gzip")]
#[test]
fn at_least_as_many_as_spasm() {
    let generated = [
        ("ch5-5-b3", 417),
        ("ch6-6-b4", 3300),
        ("ch7-6-b4", 8789),
        ("mk9-b3", 839),
        ("mk11-b4", 9745),
        ("kneser_6_2_1", 505),
        ("wheel_7_1", 86),
        ("flower_7_1", 338),
        ("bibd_17_4", 105),
        ("EX3", 837),
        ("n3c6-b8", 3003),
        ("Trefethen_500", 260),
    ];
    let files = [
        ("EX5.mtx.gz", 1505),
        ("Franz6.sms.gz", 2326),
        ("mat1916.sms.gz", 501),
        ("bcspwr10.sms.gz", 3940),
        ("D_10.sms.gz", 267),
        ("G51.sms.gz", 511),
        ("SmaGri.sms.gz", 479),
        ("bibd_49_3.sms.gz", 1128),
        ("can_1072.sms.gz", 393),
    ];
    let p = Modulus::new(65521).unwrap();
    let datasets = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets");
    let read = |file| crate::io::read(&datasets.join(file), &crate::io::ReadOptions::default(), &Silent).unwrap();
    let matrices = generated.map(|(name, theirs)| (name, families::generate(name).unwrap(), theirs));
    let matrices = matrices.into_iter().chain(files.map(|(name, theirs)| (name, read(name), theirs)));
    for (name, a, theirs) in matrices {
        let a = a.reduce(p);
        let found = find(&a, &Effort::default(), &Silent).unwrap();
        assert!(found.pivots.is_triangular(&a).unwrap(), "{name}");
        assert!(found.pivots.len() >= theirs, "{name}: {} pivots, SpaSM {theirs}", found.pivots.len());
        if let Some(rank) = families::known_rank(name, Some(p)) {
            assert!(found.pivots.len() <= rank, "{name}");
        }
    }
}

/// On chessboard and matching complexes the covers find all there is: the rank itself.
#[test]
fn complexes_lose_no_pivot() {
    let p = Modulus::new(65521).unwrap();
    for (name, rank) in [("ch6-6-b3", 1985), ("ch7-7-b3", 6516), ("mk12-b3", 12440), ("n2c6-b6", 2943)] {
        let a = families::generate(name).unwrap().reduce(p);
        assert_eq!(find(&a, &LEAST, &Silent).unwrap().pivots.len(), rank, "{name}");
    }
}

#[test]
fn stops_when_asked() {
    struct Stop;
    impl Observer for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let a = random(2, 10, 10, 2, &mut Rng::seed_from_u64(9));
    assert!(matches!(find(&a, &Effort::default(), &Stop), Err(Error::Interrupted)));
}

/// Pivots by a rule are triangular and keep to it; a rule that forbids nothing changes nothing.
#[test]
fn rules_are_kept() {
    let mut rng = Rng::seed_from_u64(10);
    for (rows, cols, weight) in [(0, 3, 1), (3, 0, 1), (1, 1, 1), (40, 30, 2), (30, 60, 3), (80, 80, 5)] {
        let a = random(65521, rows, cols, weight, &mut rng);
        let by = |rule| {
            let found = find_by(&a, rule, &Effort::default(), &Silent).unwrap();
            assert!(triangular_by_definition(&a, &found.pivots) && found.pivots.is_triangular(&a).unwrap());
            found
        };
        assert_eq!(by(Rule::Aside(0)), find(&a, &Effort::default(), &Silent).unwrap());
        for aside in [1, cols / 2, cols].map(|aside| aside.min(cols)) {
            let Found { pivots, .. } = by(Rule::Aside(aside));
            assert!(pivots.cols.iter().all(|&j| (j as usize) < cols - aside));
            let lost = (0..rows).find(|&i| a.row(i).0.first().is_some_and(|&j| (j as usize) < cols - aside));
            assert_eq!(pivots.is_empty(), lost.is_none());
        }
        let Found { pivots, counts, free_rows, .. } = by(Rule::Leading);
        let first = |&i: &u32| a.row(i as usize).0.first().copied();
        assert!(pivots.rows.iter().zip(&pivots.cols).all(|(i, &j)| first(i) == Some(j)) && pivots.cols.is_sorted());
        // One for every column that is the first of some row.
        let mut columns: Vec<u32> = (0..rows as u32).filter_map(|i| first(&i)).collect();
        let filled = columns.len();
        columns.sort_unstable();
        columns.dedup();
        assert_eq!((pivots.cols, counts.faugere_lachartre), (columns.clone(), columns.len()));
        assert_eq!(free_rows, filled - columns.len());
    }
}
