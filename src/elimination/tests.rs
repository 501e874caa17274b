use super::*;
use crate::dense::Echelon;
use crate::field::{Modulus, Rng};
use crate::oracles::{dense_rank, greedy_pivots};
use crate::pivots::Pivots;
use crate::schur::Prediction;
use crate::sparse::SparseMatrix;
use crate::{Error, Observer, Silent};
use rand::{RngExt, SeedableRng};

const PRIMES: [u64; 6] = [2, 3, 65521, (1 << 31) - 1, (1 << 61) - 1, (1 << 63) - 25];

/// Sparse only, dense only, and as it comes.
fn ways() -> [EliminationOptions; 3] {
    let default = EliminationOptions::default();
    [
        EliminationOptions { dense_threshold: 2.0, dense_size: 0, ..default },
        EliminationOptions { dense_threshold: 0.0, ..default },
        EliminationOptions { dense_size: 3, ..default },
    ]
}

fn modulus(p: u64) -> Modulus {
    Modulus::new(p).unwrap()
}

fn check(a: &SparseMatrix) {
    let expected = dense_rank(a);
    for options in ways() {
        check_core(a, expected, &options);
        let report = rank(a, &options, &Silent).unwrap();
        assert_eq!(report.rank, expected, "{} x {} mod {} with {options:?}", a.rows(), a.cols(), a.modulus());
        assert!(report.sparse_pivots <= report.rank && report.peak_nnz >= a.nnz());
        let transposed = rank(&a.transpose().unwrap(), &options, &Silent).unwrap();
        assert_eq!(transposed.rank, expected);
    }
    check_rounds(a, expected);
}

/// The core has the rest of the rank, and the pivots are a nonsingular minor that minors of the core complete.
fn check_core(a: &SparseMatrix, expected: usize, options: &EliminationOptions) {
    let found = eliminate(a, options, &Silent).unwrap();
    assert_eq!(found.rows.len() + dense_rank(&found.core), expected);
    assert_eq!((found.core_rows.len(), found.core_cols.len()), (found.core.rows(), found.core.cols()));
    assert!((0..found.core.rows()).all(|i| !found.core.row(i).0.is_empty() && found.core.row(i).0.is_sorted()));
    assert_eq!(found.core.clone().drop_empty_columns().unwrap().len(), found.core_cols.len());
    check_minor(a, &found.rows, &found.cols, (&found.core, &found.core_rows, &found.core_cols), expected);
}

/// The pivots, and with them independent rows and columns of the rest, are nonsingular minors of A.
fn check_minor(
    a: &SparseMatrix,
    rows: &[u32],
    cols: &[u32],
    (rest, rest_rows, rest_cols): (&SparseMatrix, &[u32], &[u32]),
    rank: usize,
) {
    let minor = |rows: &[u32], cols: &[u32]| {
        let mut place = vec![None; a.cols()];
        cols.iter().enumerate().for_each(|(new, &j)| place[j as usize] = Some(new));
        let entries = rows.iter().enumerate().flat_map(|(new, &i)| {
            let (cols, values) = a.row(i as usize);
            let kept = cols.iter().zip(values).filter_map(|(&j, &v)| Some((place[j as usize]?, v)));
            kept.map(|(j, v)| (new, j, v)).collect::<Vec<_>>()
        });
        SparseMatrix::from_triplets(a.modulus(), rows.len(), cols.len(), &entries.collect::<Vec<_>>())
    };
    assert_eq!(dense_rank(&minor(rows, cols)), rows.len());
    let mut echelon = Echelon::new(a.modulus(), rest.cols()).unwrap();
    echelon.absorb(&(0..rest.rows()).map(|i| rest.row(i)).collect::<Vec<_>>(), &Silent).unwrap();
    let all_rows: Vec<u32> = rows.iter().copied().chain(echelon.pivot_rows().iter().map(|&i| rest_rows[i])).collect();
    let all_cols: Vec<u32> =
        cols.iter().copied().chain(echelon.pivot_cols().unwrap().iter().map(|&j| rest_cols[j as usize])).collect();
    assert_eq!((all_rows.len(), dense_rank(&minor(&all_rows, &all_cols))), (rank, rank));
}

fn check_rounds(a: &SparseMatrix, expected: usize) {
    let all = RoundsOptions { max_growth: f64::MAX, max_density: 1.0, min_share: 0.0, ..Default::default() };
    let find = |a: &SparseMatrix| Ok(greedy_pivots(a));
    for (options, ends) in [
        (RoundsOptions { rounds: usize::MAX, ..all }, true),
        (RoundsOptions { distinct: false, rounds: usize::MAX, ..all }, true),
        (RoundsOptions { rounds: 2, ..all }, false),
        (RoundsOptions { max_nnz: a.nnz(), ..all }, false),
        (RoundsOptions { max_density: 0.1, ..all }, false),
    ] {
        let found = rounds(
            a.clone(),
            &find,
            &|_, _| false,
            &|_, _| f64::INFINITY,
            &options,
            &mut Rng::seed_from_u64(3),
            &Silent,
        )
        .unwrap();
        assert!(!ends || found.stop == Stop::Empty && found.rows.len() == expected, "{options:?}");
        assert_eq!(found.rows.len() + dense_rank(&found.rest), expected);
        check_minor(a, &found.rows, &found.cols, (&found.rest, &found.rest_rows, &found.rest_cols), expected);
        let counted: usize = found.record.iter().map(|round| round.pivots).sum();
        assert_eq!(counted, found.rows.len() + found.pending.rows.len());
        let unused = matches!(found.stop, Stop::Predicted | Stop::Grown | Stop::FewPivots);
        assert!(unused || found.pending.rows.is_empty());
        assert!(found.rest.nnz() <= options.max_nnz && (found.stop == Stop::Empty) == (found.rest.nnz() == 0));
        // Too late for any Schur complement: its pivots are pending.
        let late = |_: usize, _: &Prediction| 0.0;
        let found =
            rounds(a.clone(), &find, &|_, _| false, &late, &options, &mut Rng::seed_from_u64(3), &Silent).unwrap();
        assert_eq!(found.rows.len() + dense_rank(&found.rest), expected);
        if found.stop == Stop::Grown {
            assert!(found.record.len() == 1 && !found.pending.is_empty());
            assert!(found.pending.is_triangular(&found.rest).unwrap());
        }
    }
}

/// Rounds that creep: two pivots each, and fill-in, until the caller has enough.
#[test]
fn creeping_rounds_end_when_the_caller_has_enough() {
    let mut rng = Rng::seed_from_u64(21);
    let all =
        RoundsOptions { rounds: 1000, max_growth: f64::MAX, max_density: 1.0, min_share: 0.0, ..Default::default() };
    for p in PRIMES {
        let entries: Vec<_> =
            (0..400).map(|_| (rng.random_range(0..80), rng.random_range(0..70), rng.random_range(0..p))).collect();
        let a = SparseMatrix::from_triplets(modulus(p), 80, 70, &entries);
        let expected = dense_rank(&a);
        // The first pivots of a triangular set are one.
        let find = |a: &SparseMatrix| {
            let Pivots { mut rows, mut cols } = greedy_pivots(a);
            rows.truncate(2);
            cols.truncate(2);
            Ok(Pivots { rows, cols })
        };
        for least in [0, 1, 30, 68, 100] {
            let enough = |a: &SparseMatrix, pivots: &Pivots| a.rows().min(a.cols()) - pivots.len() <= least;
            let found = rounds(a.clone(), &find, &enough, &|_, _| f64::INFINITY, &all, &mut rng, &Silent).unwrap();
            assert_eq!(found.rows.len() + dense_rank(&found.rest), expected);
            check_minor(&a, &found.rows, &found.cols, (&found.rest, &found.rest_rows, &found.rest_cols), expected);
            assert!(found.record.iter().all(|round| (1..=2).contains(&round.pivots)));
            // The last rank found may have emptied the rest before.
            assert!(found.stop == Stop::Enough || found.stop == Stop::Empty, "{:?}", found.stop);
            if found.stop == Stop::Enough {
                assert!(found.rest.rows().min(found.rest.cols()) <= least + 2 && !found.pending.is_empty());
                assert!(found.pending.is_triangular(&found.rest).unwrap());
            }
            // Each round left more than that; without the question they go on to the end.
            assert!(found.rows.is_empty() || found.rows.len() + least < 70, "{least} mod {p}");
            assert_eq!(found.rows.is_empty(), least >= 68, "{least} mod {p}");
            assert!(least < 30 || found.stop == Stop::Enough, "{least} mod {p}");
        }
    }
}

#[test]
fn random_degenerate_matrices_agree_with_the_dense_twin() {
    let mut rng = Rng::seed_from_u64(18);
    for p in PRIMES {
        for (rows, cols) in [(0, 0), (0, 7), (7, 0), (1, 1), (5, 5), (12, 40), (40, 12), (60, 60), (150, 100)] {
            for weight in [0, 1, 2, 4, 20] {
                for units in [false, true] {
                    let mut entries = vec![];
                    for i in 0..rows {
                        for _ in 0..if cols == 0 { 0 } else { weight } {
                            let unit = if rng.random() { 1 } else { p - 1 };
                            let value = if units { unit } else { rng.random_range(0..p) };
                            entries.push((i, rng.random_range(0..cols), value));
                        }
                    }
                    // Every seventh row repeats the one before it, every fifth is zero.
                    entries.retain(|e| e.0 % 5 != 4);
                    let copies: Vec<_> = entries.iter().filter(|e| e.0 % 7 == 2).map(|e| (e.0 + 1, e.1, e.2)).collect();
                    entries.retain(|e| e.0 % 7 != 3);
                    entries.extend(copies.into_iter().filter(|e| e.0 < rows));
                    check(&SparseMatrix::from_triplets(modulus(p), rows, cols, &entries));
                }
            }
        }
    }
}

#[test]
fn products_of_low_rank_and_triangles_agree_with_the_dense_twin() {
    let mut rng = Rng::seed_from_u64(19);
    for p in PRIMES {
        let m = modulus(p);
        let (n, r) = (60, 13);
        let mut factor = || -> Vec<u64> {
            (0..n * r).map(|_| if rng.random_range(0..4) == 0 { rng.random_range(0..p) } else { 0 }).collect()
        };
        let (u, v) = (factor(), factor());
        let entry = |i: usize, j: usize| (0..r).fold(0, |s, t| m.add(s, m.mul(u[i * r + t], v[j * r + t])));
        let product: Vec<_> =
            (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| (i, j, entry(i, j))).collect();
        check(&SparseMatrix::from_triplets(m, n, n, &product));
        // A triangle with a unit diagonal is regular, whatever stands above it.
        let mut triangle: Vec<_> = (0..n).map(|i| (i, n - 1 - i, 1)).collect();
        triangle.extend((0..3 * n).filter_map(|_| {
            let (i, j) = (rng.random_range(0..n), rng.random_range(0..n));
            (j < n - 1 - i).then(|| (i, j, rng.random_range(0..p)))
        }));
        let a = SparseMatrix::from_triplets(m, n, n, &triangle);
        check(&a);
        assert_eq!(rank(&a, &EliminationOptions::default(), &Silent).unwrap().rank, n);
    }
}

/// Boundary of the k-faces of a simplex on n vertices: rows are faces of k+1 vertices, entries ±1.
fn simplex_boundary(m: Modulus, n: usize, k: usize) -> SparseMatrix {
    let faces = |size: u32| -> Vec<u32> { (0u32..1 << n).filter(|f| f.count_ones() == size).collect() };
    let (rows, cols) = (faces(k as u32 + 1), faces(k as u32));
    let mut entries = vec![];
    for (i, face) in rows.iter().enumerate() {
        for (t, vertex) in (0..n).filter(|v| face >> v & 1 == 1).enumerate() {
            let j = cols.binary_search(&(face & !(1 << vertex))).unwrap();
            entries.push((i, j, if t % 2 == 0 { 1 } else { m.neg(1) }));
        }
    }
    SparseMatrix::from_triplets(m, rows.len(), cols.len(), &entries)
}

#[test]
fn boundaries_of_a_simplex_have_the_rank_of_the_theorem() {
    // The simplex is acyclic over every field: rank ∂ₖ = C(n-1, k).
    let binomial = |n: usize, k: usize| (0..k).fold(1, |b, i| b * (n - i) / (i + 1));
    for p in PRIMES {
        for (n, k) in [(5, 1), (8, 3), (11, 2), (11, 5), (12, 4)] {
            let a = simplex_boundary(modulus(p), n, k);
            for options in ways() {
                assert_eq!(rank(&a, &options, &Silent).unwrap().rank, binomial(n - 1, k), "n = {n}, k = {k} mod {p}");
            }
        }
    }
}

#[test]
fn memory_limits_and_interruptions_are_errors() {
    let mut rng = Rng::seed_from_u64(20);
    let entries: Vec<_> = (0..4000).map(|_| (rng.random_range(0..400), rng.random_range(0..400), 1)).collect();
    let a = SparseMatrix::from_triplets(modulus(65521), 400, 400, &entries);
    let tight = EliminationOptions { max_memory: Some(10_000), ..Default::default() };
    let error = rank(&a, &tight, &Silent).unwrap_err();
    assert!(matches!(&error, Error::Memory(message) if message.contains("400 x 400")), "{error}");

    struct Stop;
    impl Observer for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    assert!(matches!(rank(&a, &EliminationOptions::default(), &Stop), Err(Error::Interrupted)));
}

#[test]
fn progress_names_both_phases_and_counts_up() {
    #[derive(Default)]
    struct Log(std::sync::Mutex<Vec<(String, u64)>>);
    impl Observer for Log {
        fn phase(&self, name: &str, total: u64) {
            self.0.lock().unwrap().push((name.to_string(), total));
        }
        fn progress(&self, done: u64) {
            self.0.lock().unwrap().push((String::new(), done));
        }
    }
    let log = Log::default();
    let a = simplex_boundary(modulus(65521), 9, 4);
    let report =
        rank(&a, &EliminationOptions { dense_threshold: 0.1, dense_size: 20, ..Default::default() }, &log).unwrap();
    let log = log.0.into_inner().unwrap();
    assert_eq!(log[0], ("sparse elimination".to_string(), 126));
    let dense = log.iter().position(|entry| entry.0 == "dense elimination").expect("a dense phase");
    assert_eq!(log[dense].1, report.dense_rows as u64);
    assert_eq!(log[dense - 1].1, report.sparse_pivots as u64);
    assert_eq!(log.last().unwrap().1, report.dense_rows as u64);
}
