use super::*;
use crate::decomposition::{Core, Decomposition, Keep, Lines, Minor};
use crate::dense::Echelon;
use crate::field::{Modulus, Rng};
use crate::oracles::{dense_rank, greedy_pivots};
use crate::pivots::Pivots;
use crate::schur::Prediction;
use crate::sparse::SparseMatrix;
use crate::{Error, Observer, Silent};
use rand::{RngExt, SeedableRng};
use std::borrow::Cow;

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
    let (core, lines) = (&found.remainder.matrix, &found.remainder.lines);
    assert_eq!(found.pivots.rows.len() + dense_rank(core), expected);
    assert_eq!((lines.rows.len(), lines.cols.len()), (core.rows(), core.cols()));
    assert!((0..core.rows()).all(|i| !core.row(i).0.is_empty() && core.row(i).0.is_sorted()));
    assert_eq!(core.clone().drop_empty_columns().unwrap().len(), lines.cols.len());
    let mut of = recorded(a);
    of.eliminate(&found.pivots, found.remainder).unwrap();
    assert_eq!(check_minor(a, of, expected).triangular(), 0);
}

fn recorded(a: &SparseMatrix) -> Decomposition<'_> {
    Decomposition::of(Cow::Borrowed(a), Keep::Minor).unwrap()
}

/// Independent rows and columns of what is left make a nonsingular minor of A with the pivots done with, and its
/// factors solve the systems of what is beyond its chain; those of the transpose too.
fn check_minor(a: &SparseMatrix, mut of: Decomposition<'_>, rank: usize) -> Minor {
    of.pivot(Pivots::default());
    if rank % 2 == 1 {
        of.transpose().unwrap();
    }
    let left = of.left();
    let mut echelon = Echelon::with_multipliers(a.modulus(), left.cols()).unwrap();
    echelon.absorb(&(0..left.rows()).map(|i| left.row(i)).collect::<Vec<_>>(), &Silent).unwrap();
    let factors = echelon.factors().unwrap();
    let cols = factors.as_ref().map_or_else(|| echelon.pivot_cols().unwrap(), |factors| factors.cols().to_vec());
    let rows = echelon.pivot_rows().iter().map(|&i| i as u32).collect();
    let minor = of.minor(Core { lines: Lines { rows, cols }, factors }).unwrap().expect("it is recorded");
    let (p, r, t) = (a.modulus(), minor.rows().len(), minor.triangular());
    let entry = |i: u32, j: u32| {
        let (cols, values) = a.row(i as usize);
        cols.binary_search(&j).map_or(0, |at| values[at])
    };
    let dense: Vec<Vec<u64>> =
        minor.rows().iter().map(|&i| minor.cols().iter().map(|&j| entry(i, j)).collect()).collect();
    let entries = dense.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(j, &v)| (i, j, v)));
    let sparse = SparseMatrix::from_triplets(p, r, r, &entries.collect::<Vec<_>>());
    assert_eq!((r, dense_rank(&sparse)), (rank, rank));
    assert!((0..t).all(|k| dense[k][k] != 0 && dense[k][..k].iter().all(|&v| v == 0)), "a triangular chain");
    // M·(x₁, x₂) = (0, b), x₁ by substitution in the chain.
    let count = 2;
    let b: Vec<u64> = (0..(r - t) * count).map(|k| (k as u64 * k as u64 + 1) % p.get()).collect();
    if let Some(x) = minor.solve_beyond_chain(&b, count).unwrap() {
        for lane in 0..count {
            let mut w = vec![0; r];
            (t..r).for_each(|k| w[k] = x[(k - t) * count + lane]);
            let product = |row: &[u64], w: &[u64]| row.iter().zip(w).fold(0, |sum, (&v, &x)| p.add(sum, p.mul(v, x)));
            for k in (0..t).rev() {
                w[k] = p.mul(p.neg(product(&dense[k], &w)), p.inv(dense[k][k]));
            }
            (t..r)
                .for_each(|k| assert_eq!(product(&dense[k], &w), b[(k - t) * count + lane], "row {k} of {r} mod {p}"));
        }
    }
    minor
}

fn check_rounds(a: &SparseMatrix, expected: usize) {
    let all = RoundsOptions { max_growth: f64::MAX, max_density: 1.0, min_share: 0.0, ..Default::default() };
    let find = |of: &Decomposition<'_>| Ok(greedy_pivots(of.left()));
    for (options, ends) in [
        (RoundsOptions { rounds: usize::MAX, ..all }, true),
        (RoundsOptions { distinct: false, rounds: usize::MAX, ..all }, true),
        (RoundsOptions { rounds: 2, ..all }, false),
        (RoundsOptions { max_nnz: a.nnz(), ..all }, false),
        (RoundsOptions { max_density: 0.1, ..all }, false),
    ] {
        let mut of = recorded(a);
        let Rounds { record, stop } =
            rounds(&mut of, &find, &|_, _| false, &|_, _| f64::INFINITY, &options, &mut Rng::seed_from_u64(3), &Silent)
                .unwrap();
        assert!(!ends || stop == Stop::Empty && of.taken() == expected, "{options:?}");
        assert_eq!(of.taken() + dense_rank(of.left()), expected);
        let counted: usize = record.iter().map(|round| round.pivots).sum();
        assert_eq!(counted, of.taken() + of.pivots().len());
        let unused = matches!(stop, Stop::Predicted | Stop::Grown | Stop::FewPivots);
        assert!(unused || of.pivots().is_empty());
        assert!(of.left().nnz() <= options.max_nnz && (stop == Stop::Empty) == (of.left().nnz() == 0));
        let packed = a.modulus().get() <= 3;
        let minor = check_minor(a, of, expected);
        let solved = minor.solve_beyond_chain(&vec![0; minor.rows().len() - minor.triangular()], 1).unwrap();
        assert!(solved.is_some() || packed, "factors are kept");
        // Too late for any Schur complement: its pivots are pending.
        let late = |_: usize, _: &Prediction| 0.0;
        let mut of = recorded(a);
        let Rounds { record, stop } =
            rounds(&mut of, &find, &|_, _| false, &late, &options, &mut Rng::seed_from_u64(3), &Silent).unwrap();
        assert_eq!(of.taken() + dense_rank(of.left()), expected);
        if stop == Stop::Grown {
            assert!(record.len() == 1 && !of.pivots().is_empty());
            assert!(of.pivots().is_triangular(of.left()).unwrap());
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
        let find = |of: &Decomposition<'_>| {
            let Pivots { mut rows, mut cols } = greedy_pivots(of.left());
            rows.truncate(2);
            cols.truncate(2);
            Ok(Pivots { rows, cols })
        };
        for least in [0, 1, 30, 68, 100] {
            let enough = |a: &SparseMatrix, pivots: &Pivots| a.rows().min(a.cols()) - pivots.len() <= least;
            let mut of = recorded(&a);
            let Rounds { record, stop } =
                rounds(&mut of, &find, &enough, &|_, _| f64::INFINITY, &all, &mut rng, &Silent).unwrap();
            assert_eq!(of.taken() + dense_rank(of.left()), expected);
            assert!(record.iter().all(|round| (1..=2).contains(&round.pivots)));
            // The last rank found may have emptied the rest before.
            assert!(stop == Stop::Enough || stop == Stop::Empty, "{stop:?}");
            if stop == Stop::Enough {
                assert!(of.left().rows().min(of.left().cols()) <= least + 2 && !of.pivots().is_empty());
                assert!(of.pivots().is_triangular(of.left()).unwrap());
            }
            // Each round left more than that; without the question they go on to the end.
            assert!(of.taken() == 0 || of.taken() + least < 70, "{least} mod {p}");
            assert_eq!(of.taken() == 0, least >= 68, "{least} mod {p}");
            assert!(least < 30 || stop == Stop::Enough, "{least} mod {p}");
            check_minor(&a, of, expected);
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
