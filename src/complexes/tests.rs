//! Complexes against faces listed by hand and by a naive enumeration.

use super::*;
use crate::field::{Modulus, Rng};
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, Silent};
use num_bigint::BigInt;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

fn none(rows: usize, cols: usize) -> Triplets {
    Triplets::from_entries(rows, cols, Vec::<(usize, usize, i64)>::new())
}

#[test]
fn faces_and_boundaries_of_a_triangle_with_a_tail() {
    let complex = SimplicialComplex::from_facets([vec!["10", "9", "2"], vec!["9", "100"], vec!["2", "9"]]).unwrap();
    assert_eq!(complex.vertices(), ["2", "9", "10", "100"]);
    let chain = complex.chain_complex(None, &Silent).unwrap();
    assert_eq!((chain.cells(), chain.lowest_degree(), chain.euler_characteristic()), (&[4, 4, 1][..], 0, 1));
    // Edges 01, 02, 12, 13 and the triangle 012.
    let d1 = [(0, 0, -1), (0, 1, 1), (1, 0, -1), (1, 2, 1), (2, 1, -1), (2, 2, 1), (3, 1, -1), (3, 3, 1)];
    assert_eq!(chain.boundaries()[0], Triplets::from_entries(4, 4, d1));
    assert_eq!(chain.boundaries()[1], Triplets::from_entries(1, 4, [(0, 0, 1), (0, 1, -1), (0, 2, 1)]));
    let reduced = chain.augmented().unwrap();
    assert_eq!((reduced.cells(), reduced.lowest_degree(), reduced.euler_characteristic()), (&[1, 4, 4, 1][..], -1, 0));
    assert!(reduced.check(&[], &Silent).is_ok());
    assert!(matches!(reduced.augmented(), Err(Error::Usage(_))));
}

#[test]
fn degenerate_complexes() {
    let empty = SimplicialComplex::from_facets(Vec::<Vec<&str>>::new()).unwrap();
    assert_eq!(empty.chain_complex(None, &Silent).unwrap(), ChainComplex::points(0));
    let nothing = SimplicialComplex::from_facets([Vec::<&str>::new()]).unwrap();
    assert_eq!(nothing, empty);
    let points = SimplicialComplex::from_facets([["b"], ["a"], ["b"]]).unwrap();
    assert_eq!((points.vertices().len(), points.chain_complex(None, &Silent).unwrap()), (2, ChainComplex::points(2)));
    assert_eq!(ChainComplex::points(0).augmented().unwrap().euler_characteristic(), -1);
    let twice = SimplicialComplex::from_facets([vec!["x"], vec!["x", "y", "x"]]).unwrap_err();
    assert!(matches!(&twice, Error::Matrix(m) if m == "facet 2: vertex x is in the facet twice"), "{twice}");
    assert!(matches!(ChainComplex::new(vec![]), Err(Error::Usage(_))));
    assert!(ChainComplex::new(vec![none(0, 0), none(0, 0)]).unwrap().check(&[], &Silent).is_ok());
}

/// All non-empty subsets of the facets, by size.
fn naive_faces(facets: &[Vec<u32>]) -> BTreeSet<Vec<u32>> {
    let subsets = |facet: &Vec<u32>| {
        let facet = facet.clone();
        (1u32..1 << facet.len())
            .map(move |set| (0..facet.len()).filter(|i| set >> i & 1 == 1).map(|i| facet[i]).collect())
    };
    facets.iter().flat_map(subsets).collect()
}

#[test]
fn random_complexes_have_the_faces_that_subsets_are() {
    let mut rng = Rng::seed_from_u64(3);
    for round in 0..60 {
        let n = rng.random_range(1..9u32);
        let mut facets: Vec<Vec<u32>> = (0..rng.random_range(1..7))
            .map(|_| (0..n).filter(|_| rng.random_range(0..3) > 0).collect::<Vec<_>>())
            .filter(|facet| !facet.is_empty())
            .collect();
        facets.push(vec![0]);
        let named = facets.iter().map(|facet| facet.iter().rev().map(u32::to_string).collect::<Vec<_>>());
        let chain = SimplicialComplex::from_facets(named).unwrap().chain_complex(None, &Silent).unwrap();
        let faces = naive_faces(&facets);
        let of = |size: usize| faces.iter().filter(|face| face.len() == size).cloned().collect::<Vec<_>>();
        for (size, &cells) in (1..).zip(chain.cells()) {
            assert_eq!(cells, of(size).len(), "round {round}, {facets:?}");
        }
        assert!(of(chain.cells().len() + 1).is_empty());
        for (size, d) in (2..).zip(chain.boundaries()) {
            let (upper, lower) = (of(size), of(size - 1));
            let entry = |(i, face): (usize, &Vec<u32>), dropped: usize| {
                let rest = [&face[..dropped], &face[dropped + 1..]].concat();
                let sign = if dropped.is_multiple_of(2) { 1 } else { -1 };
                (i, lower.iter().position(|face| *face == rest).unwrap(), sign)
            };
            let entries: Vec<_> =
                upper.iter().enumerate().flat_map(|line| (0..size).map(move |dropped| entry(line, dropped))).collect();
            assert_eq!(*d, Triplets::from_entries(upper.len(), lower.len(), entries));
        }
        assert!(chain.check(&[], &Silent).is_ok());
    }
}

#[test]
fn the_product_of_boundaries_is_exact() {
    let big: BigInt = BigInt::from(1) << 90;
    let cases = [
        // Words; words whose products and sums overflow 64 bits, and meet again; entries beyond words.
        (vec![(0, 0, 1.into()), (0, 1, 1.into())], vec![(0, 0, 1.into()), (1, 0, BigInt::from(-1))], 0.into()),
        (
            vec![(0, 0, BigInt::from(i64::MAX)), (0, 1, BigInt::from(i64::MAX))],
            vec![(0, 0, BigInt::from(i64::MAX)), (1, 0, BigInt::from(-i64::MAX))],
            0.into(),
        ),
        (
            vec![(0, 0, BigInt::from(1i64 << 32)), (0, 1, BigInt::from(1i64 << 32))],
            vec![(0, 0, BigInt::from(1i64 << 31)), (1, 0, BigInt::from(1i64 << 31))],
            BigInt::from(1) << 64,
        ),
        (vec![(0, 0, big.clone()), (0, 1, 1.into())], vec![(0, 0, 1.into()), (1, 0, -big.clone())], 0.into()),
        (vec![(0, 0, big.clone()), (0, 1, 1.into())], vec![(0, 0, 1.into()), (1, 0, BigInt::from(3) - big)], 3.into()),
    ];
    for (upper, lower, product) in cases {
        // Ahead of the row in question, rows that are fine, so that several tasks look.
        let rows = 3000;
        let upper = Triplets::from_entries(rows + 1, 2, upper.into_iter().map(|(_, j, v)| (rows, j, v)));
        let chain = ChainComplex::new(vec![Triplets::from_entries(2, 5, lower), upper]).unwrap();
        let result = chain.check(&[], &Silent);
        if product == BigInt::ZERO {
            assert!(result.is_ok());
        } else {
            let text = result.unwrap_err().to_string();
            let place = format!("D2 times D1 is not 0, its entry in row 3001, column 1 (from 1) is {product}");
            assert!(text.contains(&place), "{text}");
        }
        let moduli = |p: &[u64]| p.iter().map(|&p| Modulus::new(p).unwrap()).collect::<Vec<_>>();
        for p in [2u64, 3, 5] {
            assert_eq!(chain.check(&moduli(&[p]), &Silent).is_ok(), &product % p == BigInt::ZERO, "{product} mod {p}");
        }
        assert_eq!(chain.check(&moduli(&[2, 3]), &Silent).is_ok(), &product % 6 == BigInt::ZERO);
    }
}

#[test]
fn long_rows_are_added_up_on_the_way() {
    // One row meets every row of a dense matrix many times over: 9000 products on 2 columns.
    let n = 4500;
    let upper = Triplets::from_entries(1, n, (0..n).map(|j| (0, j, if j % 2 == 0 { 1 } else { -1 })));
    let lower = Triplets::from_entries(n, 2, (0..n).flat_map(|j| [(j, 0, 7), (j, 1, 1 + (j == n - 1) as i64)]));
    let error = ChainComplex::new(vec![lower, upper]).unwrap().check(&[], &Silent).unwrap_err().to_string();
    assert!(error.contains("row 1, column 2 (from 1) is -1"), "{error}");
}

#[test]
fn matrices_that_do_not_fit_are_named() {
    let names = vec!["low.sms".into(), "high.sms".into()];
    let error = ChainComplex::named(vec![none(3, 2), none(5, 4)], names).unwrap_err();
    let expected =
        "low.sms is 3 x 2 and high.sms is 5 x 4: a boundary matrix has a column for each row of the one before it";
    assert!(matches!(&error, Error::Matrix(text) if text == expected), "{error}");
}

#[test]
fn complexes_that_differ_have_digests_that_differ() {
    let mut seen = BTreeSet::new();
    for chain in [
        ChainComplex::points(0),
        ChainComplex::points(1),
        ChainComplex::points(1).augmented().unwrap(),
        ChainComplex::new(vec![none(0, 1)]).unwrap(),
        ChainComplex::new(vec![none(1, 1)]).unwrap(),
        ChainComplex::new(vec![Triplets::from_entries(1, 1, [(0, 0, 1)])]).unwrap(),
        ChainComplex::new(vec![none(1, 1), none(0, 1)]).unwrap(),
    ] {
        assert!(seen.insert(chain.digest()));
    }
}

#[test]
fn faces_beyond_the_memory_are_refused_beforehand() {
    let simplex =
        |n: usize| SimplicialComplex::from_facets([(0..n).map(|v| v.to_string()).collect::<Vec<_>>()]).unwrap();
    // Words, and lists: a face of 60 vertices has no word.
    for (n, limit) in [(20, 1 << 20), (60, 1 << 24)] {
        let error = simplex(n).chain_complex(Some(limit), &Silent).unwrap_err();
        assert!(matches!(&error, Error::Memory(text) if text.ends_with("bytes are allowed")), "{error}");
    }
    let triangle = simplex(3);
    // Three edges of three vertices at the end: 3·9 bytes of the triangle's entries, 3·16 + 6·25 of theirs.
    assert!(triangle.chain_complex(Some(27 + 48 + 150), &Silent).is_ok());
    assert!(matches!(triangle.chain_complex(Some(27 + 48 + 149), &Silent), Err(Error::Memory(_))));
}

/// Counts questions, those of each level apart, and wants an end at one of them.
#[derive(Default)]
struct Ends {
    levels: [AtomicUsize; 32],
    level: AtomicUsize,
    asked: AtomicUsize,
    at: Option<usize>,
}

impl Observer for Ends {
    fn progress(&self, done: u64) {
        self.level.store(done as usize, Ordering::Relaxed);
    }
    fn cancelled(&self) -> bool {
        self.levels[self.level.load(Ordering::Relaxed)].fetch_add(1, Ordering::Relaxed);
        let before = self.asked.fetch_add(1, Ordering::Relaxed);
        self.at.is_some_and(|at| before >= at)
    }
}

#[test]
fn faces_are_interrupted_within_a_level() {
    // Words, and lists: 17 vertices of 8 bits need more than a word has.
    for spread in [1, 8] {
        let facet: Vec<String> = (0..17).map(|v| v.to_string()).collect();
        let others = (17..17 * spread).map(|v| vec![v.to_string()]);
        let complex = SimplicialComplex::from_facets(std::iter::once(facet).chain(others)).unwrap();
        let alone = |observer: &Ends| -> Result<ChainComplex> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            pool.install(|| complex.chain_complex(None, observer))
        };
        let patient = Ends::default();
        let chain = alone(&patient).unwrap();
        for size in 2..=17 {
            // Made, sorted, looked up.
            let (faces, asked) = (chain.cells()[size - 1] * size, patient.levels[17 - size].load(Ordering::Relaxed));
            assert!(asked >= 3 * (faces / 100_000) + 3, "{asked} questions for {faces} faces of {size} vertices");
        }
        let questions = patient.asked.into_inner();
        for at in [0, 1, 10, questions / 3, questions / 2, questions - 1] {
            let ends = Ends { at: Some(at), ..Ends::default() };
            assert!(matches!(alone(&ends), Err(Error::Interrupted)), "{at} of {questions}");
            // Halves of a list that wait for each other may ask once each.
            assert!(ends.asked.into_inner() <= at + 40, "{at} of {questions}");
        }
    }
}

#[test]
fn a_facet_with_too_many_faces_is_refused_before_the_work() {
    /// Not to be asked, nor told of a phase.
    struct Idle;
    impl Observer for Idle {
        fn phase(&self, name: &str, _total: u64) {
            panic!("{name}");
        }
        fn cancelled(&self) -> bool {
            panic!("there is work to interrupt");
        }
    }
    // C(40, 36) · 36 entries fit into the memory, and C(40, 35) · 35 do not; others never have so many.
    let facets = [(0..40).collect::<Vec<u32>>(), vec![1, 50], vec![60]];
    let named = facets.iter().map(|facet| facet.iter().map(u32::to_string));
    let complex = SimplicialComplex::from_facets(named).unwrap();
    for (limit, words) in [
        (
            Some(4_000_000_000),
            "at least 658008 faces of 35 vertices and their boundaries take about 4222718496 bytes, 4000000000 bytes",
        ),
        (None, "at least 273438880 faces of 31 vertices: 8476605280 entries are beyond the limit of 2^32"),
    ] {
        let error = complex.chain_complex(limit, &Idle).unwrap_err();
        assert!(matches!(&error, Error::Memory(text) if text.starts_with(words)), "{error}");
    }
}
