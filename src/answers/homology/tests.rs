//! Homology against known spaces, theorems and a dense Smith form by the textbook.

use super::*;
use crate::certify::Certainty;
use crate::complexes::{ChainComplex, SimplicialComplex};
use crate::field::{Modulus, Rng};
use crate::sparse::Triplets;
use crate::{Error, Silent, families};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};
use rand::{RngExt, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};

fn prime(p: u64) -> Coefficients {
    Coefficients::Field(Modulus::new(p).unwrap())
}

fn every() -> Vec<Coefficients> {
    vec![Coefficients::Integers, Coefficients::Rationals, prime(2), prime(3), prime(5), prime((1 << 61) - 1)]
}

fn ask(complex: &ChainComplex, options: &HomologyOptions) -> Homology {
    homology(complex, options, &Silent).unwrap()
}

fn shown(groups: &Groups) -> Vec<String> {
    groups.groups.iter().map(ToString::to_string).collect()
}

/// The simplicial complex of these facets.
fn space(facets: &[Vec<usize>]) -> ChainComplex {
    let named = facets.iter().map(|facet| facet.iter().map(usize::to_string).collect::<Vec<_>>());
    SimplicialComplex::from_facets(named).unwrap().chain_complex(None, &Silent).unwrap()
}

/// What theory demands of groups over ℤ and over fields together, beyond what the answer itself has checked:
/// universal coefficients, over p for homology dim H_k(·; GF(p)) = β_k + t_k + t_{k-1}, t the summands that p divides;
/// the transposed complex for cohomology; Euler's number.
fn check(complex: &ChainComplex) -> Vec<String> {
    let answer = ask(complex, &HomologyOptions::default().coefficients(every()));
    let integral = &answer.over[0].groups;
    let multiples = |torsion: &[(BigUint, usize)], p: u64| -> usize {
        torsion.iter().filter(|(d, _)| (d % p).is_zero()).map(|(_, count)| count).sum()
    };
    for groups in &answer.over {
        assert_eq!(groups.euler_characteristic(), complex.euler_characteristic());
        assert_ne!(groups.certainty, Certainty::Heuristic);
        for (k, (group, integer)) in groups.groups.iter().zip(integral).enumerate() {
            assert_eq!(group.degree, integer.degree);
            if let Coefficients::Field(p) = groups.coefficients {
                let below = k.checked_sub(1).map_or(0, |k| multiples(&integral[k].torsion, p.get()));
                assert_eq!(group.betti, integer.betti + multiples(&integer.torsion, p.get()) + below, "mod {p}");
                assert!(group.torsion.is_empty());
            } else {
                assert_eq!(group.betti, integer.betti);
            }
        }
    }
    // Hᵏ is the homology of the transposed matrices, in degrees counted from the other end.
    let over = HomologyOptions::default();
    let up = ask(complex, &over.clone().cohomology(true));
    let transposed: Vec<Triplets> = complex.boundaries().iter().rev().map(Triplets::transpose).collect();
    if !transposed.is_empty() && complex.lowest_degree() == 0 {
        let down = ask(&ChainComplex::new(transposed).unwrap(), &over);
        let mut expected = shown(&down.over[0]);
        expected.reverse();
        assert_eq!(shown(&up.over[0]), expected);
    }
    shown(&answer.over[0])
}

/// The antipodal quotient of the barycentric subdivision of the cross-polytope of dimension n + 1: real projective
/// space. A face is a word over 0, + and - with signs up to all of them; chains of faces are simplices.
fn projective_space(n: usize) -> ChainComplex {
    let mut facets = Vec::new();
    // A chain is an order of the coordinates and a sign for each; the first sign is +.
    let mut orders: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..=n {
        let longer = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=n).filter(|x| !order.contains(x)).map(|x| [&order[..], &[x]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    for order in &orders {
        for signs in 0..1usize << n {
            let sign = |place: usize| if place > 0 && signs >> (place - 1) & 1 == 1 { 2 } else { 1 };
            let face = |length: usize| {
                let mut word = vec![0; n + 1];
                (0..length).for_each(|place| word[order[place]] = sign(place));
                let first = word.iter().find(|&&x| x > 0).copied().unwrap();
                // The one of F and -F that begins with +.
                let turned = word.iter().map(|&x| if x > 0 && first == 2 { 3 - x } else { x });
                turned.fold(0, |number, x| 3 * number + x)
            };
            facets.push((1..=n + 1).map(face).collect());
        }
    }
    space(&facets)
}

/// A rectangle of a × b squares with sides glued, the vertical ones reversed if `twisted`.
fn surface(a: usize, b: usize, twisted: bool) -> ChainComplex {
    let vertex = |x: usize, y: usize| {
        let y = if twisted && x / a % 2 == 1 { b - y % b } else { y };
        (x % a) * b + y % b
    };
    let squares = (0..a).flat_map(|x| (0..b).map(move |y| (x, y)));
    let halves = squares.flat_map(|(x, y)| {
        let [p, q, r, s] = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)].map(|(x, y)| vertex(x, y));
        [vec![p, q, s], vec![p, r, s]]
    });
    space(&halves.collect::<Vec<_>>())
}

#[test]
fn known_spaces() {
    // The boundary of a simplex is a sphere, a simplex is a point.
    for n in 0..6usize {
        let sphere: Vec<Vec<usize>> = (0..n + 2).map(|out| (0..n + 2).filter(|&v| v != out).collect()).collect();
        let mut expected = vec!["0"; n + 1];
        expected[0] = "Z";
        expected[n] = if n == 0 { "Z^2" } else { "Z" };
        assert_eq!(check(&space(&sphere)), expected);
        expected[n] = if n == 0 { "Z" } else { "0" };
        assert_eq!(check(&space(&[(0..=n).collect()])), expected);
    }
    let torus: Vec<Vec<usize>> =
        (0..7).flat_map(|i| [vec![i, (i + 1) % 7, (i + 3) % 7], vec![i, (i + 2) % 7, (i + 3) % 7]]).collect();
    assert_eq!(check(&space(&torus)), ["Z", "Z^2", "Z"]);
    assert_eq!(check(&surface(3, 4, false)), ["Z", "Z^2", "Z"]);
    assert_eq!(check(&surface(4, 4, true)), ["Z", "Z + Z/2", "0"]);
    assert_eq!(check(&projective_space(1)), ["Z", "Z"]);
    assert_eq!(check(&projective_space(2)), ["Z", "Z/2", "0"]);
    assert_eq!(check(&projective_space(3)), ["Z", "Z/2", "0", "Z"]);
    // Two components.
    let apart: Vec<_> = torus.iter().cloned().chain([vec![100]]).collect();
    assert_eq!(check(&space(&apart)), ["Z^2", "Z^2", "Z"]);
}

#[test]
fn degenerate_complexes() {
    assert_eq!(check(&ChainComplex::points(0)), ["0"]);
    assert_eq!(check(&ChainComplex::points(3)), ["Z^3"]);
    let none = |rows, cols| Triplets::from_entries(rows, cols, Vec::<(usize, usize, i64)>::new());
    assert_eq!(check(&ChainComplex::new(vec![none(0, 3)]).unwrap()), ["Z^3", "0"]);
    assert_eq!(check(&ChainComplex::new(vec![none(2, 0), none(0, 2)]).unwrap()), ["0", "Z^2", "0"]);
    assert_eq!(check(&ChainComplex::new(vec![none(2, 3), none(4, 2)]).unwrap()), ["Z^3", "Z^2", "Z^4"]);
    // The empty complex has reduced homology in degree -1, others have not.
    let reduced = ask(&ChainComplex::points(0).augmented().unwrap(), &HomologyOptions::default());
    let list: Vec<_> = reduced.over[0].groups.iter().map(|group| (group.degree, group.betti)).collect();
    assert_eq!(list, [(-1, 1), (0, 0)]);
    let reduced = ask(&ChainComplex::points(3).augmented().unwrap(), &HomologyOptions::default());
    let list: Vec<_> = reduced.over[0].groups.iter().map(|group| (group.degree, group.betti)).collect();
    assert_eq!(list, [(0, 2)]);
    let nothing = HomologyOptions::default().coefficients([]);
    assert!(matches!(homology(&ChainComplex::points(1), &nothing, &Silent), Err(Error::Usage(_))));
}

/// Complexes of cells: one of each degree, with these numbers as boundaries.
fn cells(numbers: &[BigInt]) -> ChainComplex {
    ChainComplex::new(numbers.iter().map(|v| Triplets::from_entries(1, 1, [(0, 0, v.clone())])).collect()).unwrap()
}

#[test]
fn lens_spaces_and_cells_with_large_boundaries() {
    // The lens space L(5, q): one cell of each dimension.
    assert_eq!(check(&cells(&[0.into(), 5.into(), 0.into()])), ["Z", "Z/5", "0", "Z"]);
    let huge: BigInt = BigInt::from(6) << 90;
    let torsion = format!("Z/{huge}");
    assert_eq!(check(&cells(&[0.into(), huge, 0.into()])), ["Z", &torsion, "0", "Z"]);
    assert_eq!(check(&cells(&[BigInt::from(-2), 0.into(), 3.into()])), ["Z/2", "0", "Z/3", "0"]);
}

#[test]
fn complexes_of_matchings_and_of_rooks() {
    let reduced = |name: &str| check(&families::complex(name).unwrap().augmented().unwrap());
    // Shareshian and Wachs 2007; Björner, Lovász, Vrećica, Živaljević 1994 (M_{3,4} is a torus).
    for (name, groups) in [
        ("mk2", &["0", "0"][..]),
        ("mk3", &["Z^2", "0"]),
        ("mk5", &["0", "Z^6"]),
        ("mk7", &["0", "Z/3", "Z^20"]),
        ("mk8", &["0", "0", "Z^132", "0"]),
        ("mk9", &["0", "0", "Z^42 + (Z/3)^8", "Z^70"]),
        ("mk10", &["0", "0", "Z/3", "Z^1216", "0"]),
        ("ch1-4", &["Z^3", "0"]),
        ("ch3-4", &["0", "Z^2", "Z"]),
        ("ch4-4", &["0", "0", "Z^15", "0"]),
        ("ch5-5", &["0", "0", "Z/3", "Z^56", "0"]),
        ("nc4", &["0", "Z^6", "0"]),
        ("nc5", &["0", "0", "Z^24", "0", "0", "0"]),
        ("n2c5", &["0", "0", "0", "0", "0", "Z^6", "0"]),
    ] {
        assert_eq!(reduced(name), groups, "{name}");
    }
}

#[test]
fn betti_numbers_are_those_of_theory() {
    for name in ["mk8", "mk10", "mk11", "ch4-6", "ch5-5", "ch5-6", "nc6", "n2c6", "n3c5"] {
        let complex = families::complex(name).unwrap().augmented().unwrap();
        let answer = ask(&complex, &HomologyOptions::default().coefficients([Coefficients::Rationals, prime(65521)]));
        let rank = |k: usize| families::known_rank(&format!("{name}-b{k}"), None).unwrap_or(0);
        for (k, group) in answer.over[0].groups.iter().enumerate() {
            assert_eq!(group.betti, complex.cells()[k + 1] - rank(k) - rank(k + 1), "{name} in degree {k}");
            // Friedman and Hanlon; Dong and Wachs: no torsion at primes beyond the eigenvalues.
            assert_eq!(group.betti, answer.over[1].groups[k].betti, "{name} in degree {k}");
        }
    }
}

/// The invariant factors by row and column operations on a dense matrix.
fn naive_factors(a: &Triplets) -> Vec<BigInt> {
    let mut m = vec![vec![BigInt::zero(); a.cols()]; a.rows()];
    a.entries().for_each(|(i, j, v)| m[i][j] = v.to_bigint());
    let mut factors: Vec<BigInt> = Vec::new();
    loop {
        // The least entry goes to the corner of what is left, until it divides its row and column, and then all.
        let places = (0..m.len()).flat_map(|i| (0..m.first().map_or(0, Vec::len)).map(move |j| (i, j)));
        let least = places.filter(|&(i, j)| !m[i][j].is_zero()).min_by_key(|&(i, j)| m[i][j].abs());
        let Some((p, q)) = least else { return factors };
        let pivot = m[p][q].clone();
        let mut again = false;
        for i in (0..m.len()).filter(|&i| i != p) {
            let factor = &m[i][q] / &pivot;
            let row = m[p].clone();
            m[i].iter_mut().zip(row).for_each(|(x, y)| *x -= &factor * y);
            again |= !m[i][q].is_zero();
        }
        for j in (0..m[p].len()).filter(|&j| j != q) {
            let factor = &m[p][j] / &pivot;
            m.iter_mut().for_each(|row| {
                let change = &factor * &row[q];
                row[j] -= change;
            });
            again |= !m[p][j].is_zero();
        }
        if again {
            continue;
        }
        let odd = (0..m.len()).find(|&i| i != p && m[i].iter().any(|x| !(x % &pivot).is_zero()));
        if let Some(i) = odd {
            let row = m[i].clone();
            m[p].iter_mut().zip(row).for_each(|(x, y)| *x += y);
            continue;
        }
        factors.push(pivot.abs());
        m.remove(p);
        m.iter_mut().for_each(|row| drop(row.remove(q)));
    }
}

/// What clearing leaves has the invariant factors of the boundaries; of the boundaries, not less than the pairs.
fn check_clearing(complex: &ChainComplex) -> usize {
    let cleared = clearing::clear(complex.cells(), complex.boundaries(), &Silent).unwrap();
    let mut pairs = 0;
    for (k, (left, whole)) in cleared.boundaries.iter().zip(complex.boundaries()).enumerate() {
        let factors = naive_factors(whole);
        assert_eq!(naive_factors(left), factors);
        // Rows that pairs with larger cells made redundant, columns by pairs with smaller ones.
        let gone = (whole.rows() - left.rows(), whole.cols() - left.cols());
        let next = complex.boundaries().get(k + 1).map_or(0, |d| d.rows().min(d.cols()));
        assert!(gone.0 <= next && (k > 0 || gone.1 == 0));
        pairs += gone.1;
    }
    assert!(pairs <= cleared.pairs);
    cleared.pairs
}

/// The groups by the textbook, as they are shown.
fn naive(complex: &ChainComplex) -> Vec<String> {
    let forms: Vec<Vec<BigInt>> = complex.boundaries().iter().map(naive_factors).collect();
    let none = vec![];
    let group = |k: usize, cells: usize| {
        let (below, above) = (k.checked_sub(1).map_or(&none, |k| &forms[k]), forms.get(k).unwrap_or(&none));
        let mut torsion: BTreeMap<BigUint, usize> = BTreeMap::new();
        above.iter().filter(|d| !d.is_one()).for_each(|d| *torsion.entry(d.magnitude().clone()).or_default() += 1);
        let betti = cells - below.len() - above.len();
        Group { degree: 0, betti, torsion: torsion.into_iter().collect() }.to_string()
    };
    complex.cells().iter().enumerate().map(|(k, &cells)| group(k, cells)).collect()
}

/// The cliques of a random graph.
fn flag_complex(n: usize, percent: u32, rng: &mut Rng) -> Vec<Vec<usize>> {
    let edges: BTreeSet<(usize, usize)> =
        (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).filter(|_| rng.random_range(0..100) < percent).collect();
    let is_clique =
        |set: &[usize]| set.iter().enumerate().all(|(k, &a)| set[k + 1..].iter().all(|&b| edges.contains(&(a, b))));
    let subsets = (1u32..1 << n).map(|set| (0..n).filter(|v| set >> v & 1 == 1).collect::<Vec<_>>());
    subsets.filter(|set| is_clique(set)).collect()
}

#[test]
fn random_complexes_agree_with_the_textbook() {
    let mut rng = Rng::seed_from_u64(5);
    let (mut with_homology, mut paired) = (0, 0);
    for round in 0..60 {
        let n = rng.random_range(1..9);
        let facets = flag_complex(n, [30, 50, 80][round % 3], &mut rng);
        let complex = space(&facets);
        let found = check(&complex);
        assert_eq!(found, naive(&complex), "{facets:?}");
        paired += check_clearing(&complex);
        with_homology += usize::from(found[1..].iter().any(|group| group != "0"));
        // Two-dimensional complexes of few triangles on few vertices have torsion now and then.
        let triangles: Vec<Vec<usize>> =
            (0..rng.random_range(1..14)).map(|_| rand::seq::index::sample(&mut rng, 6, 3).into_vec()).collect();
        let complex = space(&triangles);
        assert_eq!(check(&complex), naive(&complex), "{triangles:?}");
    }
    assert!(with_homology > 5 && paired > 100, "{with_homology} {paired}");
}

/// A random unimodular matrix and its inverse.
fn unimodular(n: usize, steps: usize, rng: &mut Rng) -> [Vec<Vec<BigInt>>; 2] {
    let identity = || (0..n).map(|i| (0..n).map(|j| BigInt::from(u8::from(i == j))).collect()).collect::<Vec<Vec<_>>>();
    let (mut a, mut inverse) = (identity(), identity());
    for _ in 0..if n < 2 { 0 } else { steps } {
        let (i, j, factor) = (rng.random_range(0..n), rng.random_range(0..n), rng.random_range(-2i64..3));
        if i != j {
            let row = a[j].clone();
            a[i].iter_mut().zip(row).for_each(|(x, y)| *x += y * factor);
            inverse.iter_mut().for_each(|row| {
                let change = &row[i] * factor;
                row[j] -= change;
            });
        }
    }
    [a, inverse]
}

fn times(a: &[Vec<BigInt>], b: &[Vec<BigInt>], cols: usize) -> Vec<Vec<BigInt>> {
    let entry = |row: &[BigInt], j: usize| row.iter().zip(b).map(|(x, line)| x * &line[j]).sum();
    a.iter().map(|row| (0..cols).map(|j| entry(row, j)).collect()).collect()
}

#[test]
fn complexes_that_are_sums_in_other_bases() {
    // ℤ → ℤ by d in each place and free summands, hidden by changes of bases: entries that are no units, some large.
    let mut rng = Rng::seed_from_u64(6);
    for round in 0..40 {
        let degrees = rng.random_range(1..5usize);
        let choices = [1i64, 1, 2, 3, 4, 6, 9, 1 << 40];
        let pairs: Vec<Vec<i64>> = (0..degrees)
            .map(|_| (0..rng.random_range(0..5)).map(|_| choices[rng.random_range(0..8)]).collect())
            .collect();
        let free: Vec<usize> = (0..=degrees).map(|_| rng.random_range(0..3)).collect();
        // Degree k: the ends of the pairs of D_{k+1}, the starts of those of D_k, the free cells.
        let count = |k: usize| pairs.get(k).map_or(0, Vec::len);
        let cells: Vec<usize> = (0..=degrees).map(|k| count(k) + k.checked_sub(1).map_or(0, count) + free[k]).collect();
        let bases: Vec<_> = cells.iter().map(|&n| unimodular(n, 2 * n + round % 5, &mut rng)).collect();
        let boundaries = (0..degrees).map(|k| {
            let mut d = vec![vec![BigInt::zero(); cells[k]]; cells[k + 1]];
            pairs[k].iter().enumerate().for_each(|(i, &v)| d[count(k + 1) + i][i] = v.into());
            let d = times(&times(&bases[k + 1][0], &d, cells[k]), &bases[k][1], cells[k]);
            let entries = d.into_iter().enumerate();
            let entries = entries.flat_map(|(i, row)| row.into_iter().enumerate().map(move |(j, v)| (i, j, v)));
            Triplets::from_entries(cells[k + 1], cells[k], entries)
        });
        let complex = ChainComplex::new(boundaries.collect()).unwrap();
        let found = check(&complex);
        assert_eq!(found, naive(&complex), "round {round}: {pairs:?}");
        check_clearing(&complex);
        let answer = ask(&complex, &HomologyOptions::default().rank(RankOptions::default().proven(true)));
        let betti: Vec<usize> = answer.over[0].groups.iter().map(|group| group.betti).collect();
        assert_eq!((betti, answer.over[0].certainty), (free, Certainty::Proven));
    }
}

#[test]
fn no_complex_is_refused_unless_the_fields_agree() {
    // A triangle without signs: ∂∂ = 2·(…).
    let d1 = [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 2, 1), (2, 1, 1), (2, 2, 1)];
    let complex = ChainComplex::new(vec![
        Triplets::from_entries(3, 3, d1),
        Triplets::from_entries(1, 3, [(0, 0, 1), (0, 1, 1), (0, 2, 1)]),
    ])
    .unwrap();
    for (coefficients, good) in [
        (vec![Coefficients::Integers], false),
        (vec![Coefficients::Rationals, prime(2)], false),
        (vec![prime(3)], false),
        (vec![prime(2), prime(3)], false),
        (vec![prime(2)], true),
    ] {
        let answer = homology(&complex, &HomologyOptions::default().coefficients(coefficients.clone()), &Silent);
        match answer {
            Ok(answer) if good => assert_eq!(shown(&answer.over[0]), ["Z", "0", "0"]),
            Err(Error::Matrix(text)) if !good => assert!(text.contains("D2 times D1 is not 0"), "{text}"),
            other => panic!("{coefficients:?}: {other:?}"),
        }
    }
}

#[test]
fn answers_that_contradict_each_other_are_caught() {
    let complex = families::complex("mk7").unwrap();
    let zero = [groups::Invariants::default(), groups::Invariants::default()];
    let cut = groups::groups(0, complex.cells(), &zero, false).unwrap();
    assert_eq!(cut.iter().map(|group| group.betti).collect::<Vec<_>>(), complex.cells());
    let large = groups::Invariants { rank: 106, torsion: vec![] };
    let error = groups::groups(0, complex.cells(), &[large.clone(), large], false).unwrap_err();
    assert!(matches!(error, Error::Check(_)), "{error}");
}

#[test]
fn proofs_by_exactness_and_on_demand() {
    // Over GF(3), the middle of M_9 is decided by chance, unless a proof is demanded.
    let complex = families::complex("mk9").unwrap().augmented().unwrap();
    for proven in [false, true] {
        let rank = RankOptions::default().proven(proven);
        let options = HomologyOptions::default().coefficients([prime(3), Coefficients::Rationals]).rank(rank);
        let answer = ask(&complex, &options);
        assert!(!proven || answer.over.iter().all(|groups| groups.certainty == Certainty::Proven));
        assert_eq!(answer.over[0].groups[2].betti, 50);
    }
    assert!(matches!(
        homology(&complex, &HomologyOptions::default().rank(RankOptions::default().trials(0)), &Silent),
        Err(Error::Usage(_))
    ));
}

/// A rank that fills the cells is proven, but that says nothing of primes that its torsion may lack.
#[test]
fn exactness_proves_no_torsion() {
    let mut rng = Rng::seed_from_u64(33);
    let values = [2, -2, 3, -3, 5, 7];
    let entries: Vec<_> = (0..800).map(|k| (k / 20, k % 20, values[rng.random_range(0..6)])).collect();
    let complex = ChainComplex::new(vec![Triplets::from_entries(40, 20, entries)]).unwrap();
    let quick = ask(&complex, &HomologyOptions::default());
    let mut options = HomologyOptions::default();
    // Prices at which no proof of a multiple pays.
    (options.rank.machine.dense.product, options.rank.machine.dense.byte_product) = ([1e9; 5], 1e9);
    let unproven = ask(&complex, &options);
    options.rank.proven = true;
    let demanded = ask(&complex, &options);
    for answer in [&unproven, &demanded] {
        assert_eq!(shown(&answer.over[0]), shown(&quick.over[0]));
    }
    assert_eq!(quick.over[0].groups[0].betti, 0);
    let certainty = |answer: &Homology| answer.over[0].certainty;
    assert_eq!((certainty(&quick), certainty(&demanded)), (Certainty::Proven, Certainty::Proven));
    assert!(
        matches!(certainty(&unproven), Certainty::MonteCarlo { .. })
            && unproven.over[0].reason.contains("other primes")
    );
}
