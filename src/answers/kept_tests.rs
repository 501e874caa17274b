//! Every answer goes on from the states that it leaves when it is interrupted, to the same end.

use super::*;
use crate::cost::{Kind, Machine};
use crate::field::{Modulus, Rng};
use crate::report::goes_on_after;
use crate::sparse::{SparseMatrix, Triplets};
use crate::{Observer, Result, families};
use rand::{RngExt, SeedableRng};

/// A random integer matrix with small entries.
fn integers(rows: usize, cols: usize, density: f64, seed: u64) -> Triplets {
    let mut rng = Rng::seed_from_u64(seed);
    let mut entries = vec![];
    for i in 0..rows {
        for j in 0..cols {
            if rng.random_bool(density) {
                entries.push((i, j, rng.random_range(-9i64..=9)));
            }
        }
    }
    Triplets::from_entries(rows, cols, entries)
}

fn residues(a: &Triplets, p: u64) -> SparseMatrix {
    a.reduce(Modulus::new(p).unwrap())
}

/// The steps that `work` kept, which are to be these, and perhaps others.
fn keeps<T: PartialEq + std::fmt::Debug>(steps: &[&str], work: impl Fn(&dyn Observer) -> Result<T>) {
    keeps_after(3, steps, work);
}

/// The same where the work is interrupted so many times at least.
fn keeps_after<T: PartialEq + std::fmt::Debug>(
    least: usize,
    steps: &[&str],
    work: impl Fn(&dyn Observer) -> Result<T>,
) {
    let kept = goes_on_after(least, work);
    for step in steps {
        assert!(kept.iter().any(|kept| kept == step), "{step} is not among {kept:?}");
    }
}

#[test]
fn ranks_by_block_wiedemann() {
    let a = integers(60, 50, 0.1, 1);
    for (p, route) in [(65521, Route::Shortcut), (3, Route::Shortcut), ((1 << 61) - 1, Route::Both)] {
        let options = RankOptions::default().method(Method::Wiedemann).route(route).block(2).trials(2);
        let matrix = residues(&a, p);
        keeps(&["wiedemann"], |observer| {
            let found = rank(&matrix, &options, observer)?;
            Ok((found.rank, found.certainty, found.wiedemann))
        });
    }
}

/// Pivots, complements that are formed, and what is left of them in every way.
#[test]
fn ranks_and_minors_by_elimination() {
    let sparse = families::generate("mk8-b3").unwrap();
    let dense = integers(2100, 30, 0.6, 21);
    for p in [2, 3, 65521, (1 << 61) - 1] {
        for a in [&sparse, &dense] {
            let matrix = residues(a, p);
            for minor in [false, true] {
                let options = RankOptions::default().method(Method::Elimination).minor(minor);
                keeps_after(1, &[], |observer| {
                    let found = rank(&matrix, &options, observer)?;
                    let lines = found.minor.map(|minor| (minor.rows().to_vec(), minor.cols().to_vec()));
                    Ok((found.rank, found.certainty, found.reason, lines))
                });
            }
        }
    }
}

#[test]
fn determinants_and_echelon_forms_mod_p() {
    for p in [2, 3, 65521, (1 << 61) - 1] {
        let a = residues(&integers(150, 150, 0.3, 22), p);
        keeps_after(0, &[], |observer| {
            let found = determinant(&a, &RankOptions::default(), observer)?;
            Ok((found.value, found.certainty))
        });
        let a = residues(&integers(90, 300, 0.1, 23), p);
        keeps_after(1, &[], |observer| {
            let form = rref(a.clone(), &RankOptions::default(), observer)?;
            Ok((form.pivots().to_vec(), form.rank().rank))
        });
    }
}

/// Modulo primes beyond 2⁶³, by Lanczos' method and by dense elimination.
#[test]
fn ranks_null_vectors_and_systems_modulo_large_primes() {
    let p: crate::large::LargeModulus = "2^127-1".parse().unwrap();
    let (a, b) = (integers(70, 80, 0.1, 24), integers(70, 2, 0.5, 25));
    for (method, step) in [(Method::Wiedemann, "lanczos"), (Method::Elimination, "large-dense")] {
        let options = RankOptions::default().method(method);
        keeps(&[step, "structured-elimination"], |observer| {
            let found = large_rank(&a, &p, &options, observer)?;
            Ok((found.rank, found.certainty))
        });
        keeps(&[step], |observer| {
            let kernel = large_kernel(&a, &p, &KernelOptions::default().rank(options.clone()), observer)?;
            let mut vectors = vec![];
            let _ = kernel.basis(
                |some| {
                    vectors.push(some.clone());
                    Ok(())
                },
                observer,
            )?;
            Ok((kernel.dimension(), vectors))
        });
        keeps(&[step], |observer| {
            let found = large_solve(&a, &b, &p, &SolveOptions::default().rank(options.clone()), observer)?;
            Ok((found.inconsistent, found.solutions, found.contradiction))
        });
    }
}

#[test]
fn null_vectors_and_systems_by_block_wiedemann() {
    let (a, b) = (residues(&integers(40, 50, 0.1, 2), 65521), residues(&integers(40, 2, 0.5, 3), 65521));
    let rank = RankOptions::default().method(Method::Wiedemann).block(4);
    let options = SolveOptions::default().rank(rank);
    keeps(&["wiedemann"], |observer| {
        let found = solve(&a, &b, &options, observer)?;
        Ok((found.inconsistent.clone(), found.solutions.map(|x| x.into_csr_parts())))
    });
}

#[test]
fn ranks_over_the_rationals() {
    // A matrix of full rank, and one whose null vectors are differences of unit vectors.
    let (dense, one) = (integers(12, 15, 0.8, 4), integers(30, 30, 0.3, 5));
    let tile = |k: usize| one.entries().map(move |(i, j, v)| (30 * (k / 4) + i, 30 * (k % 4) + j, v.into_owned()));
    let tiled = Triplets::from_entries(120, 120, (0..16).flat_map(tile));
    for (a, proven, steps) in
        [(&dense, true, &["rank"][..]), (&dense, false, &["rank"]), (&tiled, true, &["rank", "null-space"])]
    {
        let options = RationalOptions::default()
            .rank(RankOptions::default().proven(proven))
            .moduli([2, 3].map(|p| Modulus::new(p).unwrap()));
        keeps(steps, |observer| {
            let found = rational_rank(a, &options, observer)?;
            let all = found.drawn.iter().chain(&found.proving).chain(&found.asked);
            let all: Vec<_> = all.map(|p| (p.modulus, p.rank, p.certainty)).collect();
            Ok((found.rank, found.certainty, all))
        });
    }
}

#[test]
fn determinants_over_the_integers() {
    for (a, proven) in [(integers(40, 40, 0.6, 5), true), (integers(40, 40, 0.6, 6), false)] {
        let options = RankOptions::default().proven(proven);
        keeps(&["minor", "digits", "determinant", "determinants"], |observer| {
            let found = integer_determinant(&a, &options, observer)?;
            Ok((found.value, found.certainty, found.primes, found.divisor))
        });
    }
    // Rank 1 less than the order: a null vector.
    let mut entries: Vec<_> = integers(12, 11, 0.7, 7).entries().map(|(i, j, v)| (i, j, v.to_bigint())).collect();
    let twice: Vec<_> = entries.iter().filter(|e| e.1 < 2).map(|(i, _, v)| (*i, 11, v.clone())).collect();
    let mut sums = std::collections::BTreeMap::new();
    twice.into_iter().for_each(|(i, j, v)| *sums.entry((i, j)).or_insert_with(Default::default) += v);
    entries.extend(sums.into_iter().map(|((i, j), v)| (i, j, v)));
    let a = Triplets::from_entries(12, 12, entries);
    keeps(&["minor", "digits"], |observer| {
        let found = integer_determinant(&a, &RankOptions::default(), observer)?;
        Ok((found.value, found.certainty, found.rank))
    });
}

#[test]
fn systems_over_the_rationals() {
    // Nonsingular, of small rank with a contradiction, and many right sides.
    for (rows, cols, sides, seed) in [(20, 20, 3, 8), (25, 10, 2, 9), (14, 20, 70, 10)] {
        let (a, b) = (integers(rows, cols, 0.5, seed).into(), integers(rows, sides, 0.5, seed + 100).into());
        keeps(&["minor", "digits"], |observer| {
            let found = rational_solve(&a, &b, &RankOptions::default(), observer)?;
            Ok((found.inconsistent, found.solutions, found.contradiction, found.rank.rank, found.digits))
        });
    }
}

#[test]
fn null_spaces_and_echelon_forms_over_the_rationals() {
    let a = integers(30, 110, 0.2, 11);
    keeps(&["vectors"], |observer| {
        let mut found = rational_kernel(&a, &RationalSpaceOptions::default(), observer)?;
        let mut vectors = vec![];
        let _ = found.basis(
            |some| Ok(some.clone()),
            |some| {
                vectors.push(some);
                Ok(())
            },
            observer,
        )?;
        Ok((found.dimension(), vectors, found.primes()))
    });
    keeps(&["vectors"], |observer| {
        let mut found = rational_rref(&a, &RationalSpaceOptions::default(), observer)?;
        let matrix = found.matrix(observer)?;
        Ok((found.pivots().to_vec(), matrix, found.primes()))
    });
}

#[test]
fn smith_forms() {
    // No entry is a unit, and 2 and 3 divide several invariant factors.
    let entry = |v: i64| [0, 2, -3, 4, 9, 0, -2, 3, 6, -4][v.unsigned_abs() as usize];
    let mut entries = vec![];
    for (i, j, v) in integers(18, 16, 0.9, 12).entries() {
        let v = entry(i64::try_from(v.to_bigint()).unwrap());
        entries.push((i, j, if i % 3 == 0 { 6 * v } else { v }));
    }
    let a = Triplets::from_entries(18, 16, entries);
    for proven in [true, false] {
        let options = SmithOptions::default().rank(RankOptions::default().proven(proven));
        keeps(&["units", "component", "lines", "multiple", "local-form", "rank"], |observer| {
            let found = smith(&a, &options, observer)?;
            Ok((found.rank, found.factors, found.certainty))
        });
    }
}

/// Units that structural pivots leave, and those of matrices whose entries keep these out: the same ones, whenever it
/// went on.
#[test]
fn units_of_smith_forms() {
    let mut rng = Rng::seed_from_u64(31);
    let mut entry = |large: bool| if large { 1i64 << 40 } else { [1, -1, 2, 3, -1, 1][rng.random_range(0..6)] };
    let (n, mut entries) = (110, vec![]);
    for i in 0..3 * n {
        for k in 0..4 {
            entries.push(((i * 7) % (3 * n), (i + k * k * 5) % (n + 40), entry(i % 50 == 0 && k == 3)));
        }
    }
    let large = Triplets::from_entries(3 * n, n + 40, entries);
    let complex = families::generate("ch5-5-b2").unwrap();
    for (a, steps) in [
        (complex, &["units", "units-of-complement", "complement-over-z"][..]),
        (large, &["units", "units-of-piece"][..]),
    ] {
        for threads in 1..=3 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            keeps_after(2, steps, |observer| {
                let found = pool.install(|| smith(&a, &SmithOptions::default(), observer))?;
                let units = found.path.iter().find(|step| step.name == "units").map(|step| step.found.clone());
                Ok((found.rank, found.factors, found.certainty, units))
            });
        }
    }
}

/// Null vectors and echelon forms on their way to a file: bit for bit that of an undisturbed run, in every format and
/// on any number of threads.
#[test]
fn files_of_vectors() {
    let folder = std::env::temp_dir().join(format!("blackfield-vectors-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let a = integers(40, 1500, 0.05, 21);
    let (wide, few) = (residues(&a, 65521), residues(&integers(40, 120, 0.1, 22), 65521));
    let file = |name: &str, key: &[u8], vectors: usize, observer: &dyn Observer| -> Result<Vec<u8>> {
        let path = folder.join(name);
        let mut stdout = vec![];
        let writer = crate::io::SmsWriter::create(&path, &mut stdout)?;
        let matrix = if key == b"wiedemann" { &few } else { &wide };
        let (rank, lines) = (RankOptions::default(), (matrix.cols() as u64, vectors as u64));
        let mut file = crate::io::VectorFile::begin(writer, lines, key, observer)?;
        let (encoding, done) = (file.encoding(), file.vectors());
        let make = |some: &NullVectors| {
            let entries = (0..some.len()).flat_map(|k| {
                let (at, values) = some.vector(k);
                at.iter().zip(values).map(move |(&i, &v)| (i.into(), (some.first() + k) as u64, v))
            });
            Ok((encoding.entries(entries)?, some.first() + some.len(), some.nnz()))
        };
        let take = |(text, end, nnz): (Vec<u8>, usize, usize)| file.write(&text, end, nnz);
        match key {
            b"rref" => {
                let form = rref(matrix.try_clone()?, &rank, observer)?;
                let make = |some: FreeColumns<'_>| {
                    let entries: Vec<_> = some.entries().map(|(i, j, v)| (i.into(), j.into(), v)).collect();
                    Ok((encoding.entries(entries.iter().copied())?, some.end(), entries.len()))
                };
                let _ = form.free_columns_after(done, make, take, observer)?;
            }
            b"random" => {
                let options = KernelOptions::default().vectors(vectors);
                kernel(matrix, &options, observer)?.random_after(done, vectors, make, take, observer)?;
            }
            _ => {
                let method = if key == b"wiedemann" { Method::Wiedemann } else { Method::Elimination };
                let options = KernelOptions::default().rank(rank.method(method).block(8));
                let _ = kernel(matrix, &options, observer)?.basis_after(done, make, take, observer)?;
            }
        }
        file.finish(observer)?;
        std::fs::read(path).map_err(|source| crate::Error::Io { file: name.into(), source })
    };
    let mut names = vec!["n.sms", "n.mtx"];
    if cfg!(feature = "gzip") {
        names.push("n.sms.gz");
    }
    for (key, vectors) in [(&b"basis"[..], 1500), (b"random", 900), (b"wiedemann", 120), (b"rref", 1500)] {
        for (threads, name) in names.iter().enumerate() {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads + 1).build().unwrap();
            keeps_after(2, &["vector-file"], |observer| pool.install(|| file(name, key, vectors, observer)));
            let left = std::fs::read_dir(&folder).unwrap().count();
            assert_eq!(left, 1, "a part of a file is left");
            std::fs::remove_file(folder.join(name)).unwrap();
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn polynomials() {
    let mut wiedemann = Machine::reference();
    wiedemann.wiedemann.determinant = 1.0;
    let wiedemann = wiedemann.scaled(Kind::Dense, 1e12);
    let a = residues(&integers(70, 70, 0.05, 13), 65521);
    for machine in [Machine::reference(), wiedemann] {
        let options = RankOptions::default().machine(machine).proven(true);
        keeps(&["minimal"], |observer| {
            let found = minimal_polynomial(&a, &options, observer)?;
            Ok((found.coefficients, found.certainty, found.invariant_factors))
        });
        keeps(&[], |observer| {
            let found = characteristic_polynomial(&a, &options, observer)?;
            Ok((found.coefficients, found.certainty))
        });
    }
    // Eigenvalues that occur many times: their multiplicities take ranks.
    let a = residues(&families::generate("hypercube_7").unwrap(), 65521);
    let mut relations = Machine::reference();
    relations.wiedemann.determinant = 1.0;
    let options = RankOptions::default().machine(relations);
    keeps(&["characteristic", "nullity"], |observer| {
        let found = characteristic_polynomial(&a, &options, observer)?;
        Ok((found.coefficients, found.certainty))
    });
}

#[test]
fn homology_of_a_complex() {
    let facets = ["0 1 2", "0 2 3", "0 3 4", "0 4 5", "0 1 5", "1 2 4", "2 3 5", "1 3 4", "2 4 5", "1 3 5"];
    let plane = crate::complexes::SimplicialComplex::from_facets(facets.map(|facet| facet.split(' '))).unwrap();
    let plane = plane.chain_complex(None, &crate::Silent).unwrap();
    keeps(&["boundary"], |observer| {
        let found = homology(&plane, &HomologyOptions::default(), observer)?;
        Ok(found.over.into_iter().map(|over| (over.groups, over.certainty)).collect::<Vec<_>>())
    });
}
