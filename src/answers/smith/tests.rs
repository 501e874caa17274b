//! Whole answers against textbook elimination, theorems, and matrices made of a known form.

use super::{SmithForm, SmithOptions, smith};
use crate::certify::Certainty;
use crate::field::Rng;
use crate::sparse::Triplets;
use crate::{Silent, families};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, Zero};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

fn form(a: &Triplets) -> SmithForm {
    smith(a, &SmithOptions::default(), &Silent).unwrap()
}

/// The way of a component without units, whatever the matrix has.
fn core(a: &Triplets) -> Vec<(BigUint, usize)> {
    super::core::invariant_factors(a, |_| f64::INFINITY, &SmithOptions::default(), &Silent).unwrap().factors
}

fn table(a: &Triplets) -> Vec<Vec<BigInt>> {
    let mut table = vec![vec![BigInt::ZERO; a.cols()]; a.rows()];
    a.entries().for_each(|(i, j, v)| table[i][j] = v.to_bigint());
    table
}

/// The textbook: the least entry to the corner, remainders by it, until it divides everything.
fn naive(a: &Triplets) -> Vec<(BigUint, usize)> {
    let mut m = table(a);
    let mut found: Vec<(BigUint, usize)> = vec![];
    for k in 0..a.rows().min(a.cols()) {
        loop {
            let places = (k..a.rows()).flat_map(|i| (k..a.cols()).map(move |j| (i, j)));
            let Some((i, j)) = places.filter(|&(i, j)| !m[i][j].is_zero()).min_by_key(|&(i, j)| m[i][j].abs()) else {
                return found;
            };
            m.swap(k, i);
            m.iter_mut().for_each(|row| row.swap(k, j));
            let d = m[k][k].clone();
            for i in k + 1..a.rows() {
                let q = &m[i][k] / &d;
                (k..a.cols()).for_each(|j| m[i][j] = &m[i][j] - &q * &m[k][j]);
            }
            for j in k + 1..a.cols() {
                let q = &m[k][j] / &d;
                (k..a.rows()).for_each(|i| m[i][j] = &m[i][j] - &q * &m[i][k]);
            }
            let clear = (k + 1..a.rows()).all(|i| m[i][k].is_zero()) && (k + 1..a.cols()).all(|j| m[k][j].is_zero());
            if !clear {
                continue;
            }
            // A row with an entry that d does not divide comes into play.
            match (k + 1..a.rows()).find(|&i| m[i][k + 1..].iter().any(|v| !(v % &d).is_zero())) {
                Some(i) => (k..a.cols()).for_each(|j| m[k][j] = &m[k][j] + &m[i][j]),
                None => {
                    let d = d.magnitude().clone();
                    match found.last_mut() {
                        Some(last) if last.0 == d => last.1 += 1,
                        _ => found.push((d, 1)),
                    }
                    break;
                }
            }
        }
    }
    found
}

/// U·diag(d)·V with random unimodular U and V, m × n.
pub(super) fn scrambled(m: usize, n: usize, d: &[BigInt], steps: usize, rng: &mut Rng) -> Triplets {
    let mut a = vec![vec![BigInt::ZERO; n]; m];
    d.iter().enumerate().for_each(|(k, d)| a[k][k] = d.clone());
    for _ in 0..steps {
        let f = BigInt::from(rng.random_range(-1i64..=1));
        if m > 1 {
            let (i, k) = (rng.random_range(0..m), rng.random_range(1..m));
            let k = (i + k) % m;
            (0..n).for_each(|j| a[i][j] = &a[i][j] + &f * &a[k][j]);
        }
        if n > 1 {
            let (j, k) = (rng.random_range(0..n), rng.random_range(1..n));
            let k = (j + k) % n;
            (0..m).for_each(|i| a[i][j] = &a[i][j] + &f * &a[i][k]);
        }
    }
    a.shuffle(rng);
    let entries = (0..m * n).map(|k| (k / n, k % n, a[k / n][k % n].clone()));
    Triplets::from_entries(m, n, entries)
}

#[test]
fn small_matrices_have_the_form_of_the_textbook() {
    let mut rng = Rng::seed_from_u64(1);
    for round in 0..400 {
        let (m, n) = (rng.random_range(0..7), rng.random_range(0..7));
        let weight = rng.random_range(0..=m * n);
        let size = [1i64, 2, 6, 30, 1000, 1 << 40, i64::MAX][round % 7];
        let scale = if round % 11 == 0 { BigInt::from(3) << 70 } else { BigInt::from(1) };
        let entries: Vec<_> = (0..weight)
            .map(|_| (rng.random_range(0..m), rng.random_range(0..n), &scale * rng.random_range(-size..=size)))
            .collect();
        let a = Triplets::from_entries(m, n, entries);
        let found = form(&a);
        assert_eq!(found.factors, naive(&a), "{a:?}");
        assert_eq!(found.rank, found.factors.iter().map(|f| f.1).sum::<usize>());
        if a.nnz() > 0 {
            assert_eq!(core(&a), found.factors, "{a:?}");
        }
    }
}

#[test]
fn matrices_made_of_a_form_have_that_form() {
    let mut rng = Rng::seed_from_u64(2);
    let large: BigInt = "1000000000000000000000000000057000000000000000000000000000000000001".parse().unwrap();
    for round in 0..60 {
        let (m, n) = (rng.random_range(1..12), rng.random_range(1..12));
        let rank = rng.random_range(0..=m.min(n));
        let mut d: Vec<BigInt> = vec![];
        for k in 0..rank {
            let factor = [1, 2, 3, 4, 9, 6, 1, 1][rng.random_range(0..8)];
            let own = if k + 1 == rank && round % 3 == 0 { large.clone() } else { BigInt::from(factor) };
            d.push(d.last().cloned().unwrap_or(BigInt::from(1)) * own);
        }
        let a = scrambled(m, n, &d, 3 * (m + n), &mut rng);
        let mut expected: Vec<(BigUint, usize)> = vec![];
        for d in d {
            match expected.last_mut() {
                Some(last) if last.0 == *d.magnitude() => last.1 += 1,
                _ => expected.push((d.magnitude().clone(), 1)),
            }
        }
        assert_eq!(form(&a).factors, expected, "{m} x {n}");
        if rank > 0 {
            assert_eq!(core(&a), expected, "{m} x {n}");
        }
    }
}

/// Of prices at which no proof pays.
fn without_proof(a: &Triplets) -> SmithForm {
    let mut options = SmithOptions::default();
    (options.rank.machine.dense.product, options.rank.machine.dense.byte_product) = ([1e9; 5], 1e9);
    let found = super::core::invariant_factors(a, |_| f64::INFINITY, &options, &Silent).unwrap();
    assert!(found.primes == Certainty::Proven || found.certainty != Certainty::Proven);
    let rank = found.factors.iter().map(|f| f.1).sum();
    let super::core::Core { factors, certainty, primes, reason, path } = found;
    SmithForm { rank, factors, certainty, primes, reason, path, phases: Default::default() }
}

#[test]
fn several_minors_have_little_in_common() {
    let mut rng = Rng::seed_from_u64(21);
    let (mut narrowed, mut unproven) = (0, 0);
    for round in 0..24 {
        // Three times the same two columns of four rows: where two of the blocks have the same lines in a minor, both
        // of its last factors are what nobody can factor.
        let size = 1i64 << rng.random_range(35..45);
        let scale = |j: usize| [1, 1, 2, 12, 35, 1009][(j + round) % 6];
        let entries: Vec<_> = (0..8).map(|k| (k / 2, k % 2, scale(k % 2) * rng.random_range(-size..=size))).collect();
        let blocks = (0..3).flat_map(|t| entries.iter().map(move |&(i, j, v)| (4 * t + i, 2 * t + j, v)));
        let mut a = Triplets::from_entries(12, 6, blocks);
        if round % 2 == 0 {
            a = a.try_transpose().unwrap();
        }
        if round % 3 == 0 {
            // A rank that is smaller than both sides.
            let twice = a.entries().flat_map(|(i, j, v)| [(i, j, v.to_bigint()), (i, j + a.cols(), v.to_bigint() * 3)]);
            a = Triplets::from_entries(a.rows(), 2 * a.cols(), twice.collect::<Vec<_>>());
        }
        let (expected, options) = (naive(&a), SmithOptions::default());
        let proven = super::core::invariant_factors(&a, |_| f64::INFINITY, &options, &Silent).unwrap();
        assert_eq!(proven.factors, expected, "{a:?}");
        assert!(!proven.reason.contains("other primes"), "{}", proven.reason);
        narrowed += usize::from(proven.path.iter().any(|step| step.found.contains("of another minor")));
        let found = without_proof(&a);
        assert_eq!(found.factors, expected, "{a:?}");
        assert!(found.certainty != Certainty::Proven && found.reason.contains("other primes"), "{}", found.reason);
        unproven += 1;
        // Nothing less than a proof if that is demanded, whatever it costs.
        let mut demanded = SmithOptions::default();
        (demanded.rank.machine.dense.product, demanded.rank.machine.dense.byte_product) = ([1e9; 5], 1e9);
        demanded.rank.proven = true;
        let found = super::core::invariant_factors(&a, |_| f64::INFINITY, &demanded, &Silent).unwrap();
        assert_eq!((found.factors, found.certainty), (expected, Certainty::Proven));
    }
    assert!(narrowed >= 3 && unproven == 24, "{narrowed}");
}

/// A square nonsingular matrix has one minor: there the determinant is proven, whatever it costs.
#[test]
fn the_only_minor_is_proven() {
    let a = families::generate("Trefethen_40").unwrap();
    let found = without_proof(&a);
    assert!(!found.reason.contains("other primes") && found.factors == naive(&a), "{}", found.reason);
}

#[test]
fn matching_complexes_have_their_torsion() {
    let pairs = |name: &str| -> Vec<(u64, usize)> {
        let found = form(&families::generate(name).unwrap());
        found.factors.iter().map(|(s, count)| (u64::try_from(s).unwrap(), *count)).collect()
    };
    // J. Shareshian, M. L. Wachs, Torsion in the matching complex and chessboard complex, Adv. Math. 212, 2007.
    assert_eq!(pairs("mk7-b2"), [(1, 84), (3, 1)]);
    assert_eq!(pairs("mk9-b3"), [(1, 867), (3, 8)]);
}

#[test]
fn adjacency_of_hypercubes() {
    // D. B. Chandler, P. Sin, Q. Xiang, The Smith group of the hypercube graph, Des. Codes Cryptogr. 84, 2017, treats
    // odd primes by the eigenvalues n - 2k; here against elimination with remainders.
    for n in 2..6u32 {
        let neighbours = (0..1usize << n).flat_map(|x| (0..n).map(move |k| (x, x ^ 1 << k, 1)));
        let a = Triplets::from_entries(1 << n, 1 << n, neighbours);
        assert_eq!(form(&a).factors, naive(&a), "{n}");
        assert_eq!(core(&a), naive(&a), "{n}");
    }
}

#[test]
fn prime_matrices_have_large_last_factors() {
    let a = families::generate("Trefethen_40").unwrap();
    let found = form(&a).factors;
    assert_eq!(found, naive(&a));
    assert!(found.last().unwrap().0.bits() > 100, "{found:?}");
    // The same in a matrix that is neither square nor of full rank: three times as many rows, combinations of those.
    let mut rng = Rng::seed_from_u64(7);
    let entries: Vec<_> = a.entries().map(|(i, j, v)| (i, j, v.to_bigint())).collect();
    let lines: Vec<(usize, i64)> = (0..200).map(|_| (rng.random_range(0..40), rng.random_range(-2..=2))).collect();
    let combined = lines.iter().enumerate().flat_map(|(k, &(i, f))| {
        let row = entries.iter().filter(move |e| e.0 == i);
        row.map(move |(_, j, v)| (40 + k / 4, *j, v * f))
    });
    let b = Triplets::from_entries(90, 40, entries.iter().cloned().chain(combined));
    assert_eq!(core(&b), found);
    assert_eq!(core(&b.try_transpose().unwrap()), found);
    // Multiples of the rows of a matrix: the lattice is another one, and still known.
    let doubled = entries.iter().flat_map(|(i, j, v)| [(*i, *j, v * 6), (40 + i, *j, v * 10)]);
    let twice: Vec<_> = found.iter().map(|(s, count)| (s * 2u32, *count)).collect();
    assert_eq!(core(&Triplets::from_entries(80, 40, doubled)), twice);
}

/// Of rows 2v and 3v unimodular operations leave v, which may have units: what was merged last is looked at again.
#[test]
fn multiples_of_a_row_leave_their_common_divisor() {
    let m = families::generate("mk8-b2").unwrap();
    let rows = m.rows();
    let both = m.entries().flat_map(|(i, j, v)| {
        let v = v.to_bigint();
        [(i, j, BigInt::from(2) * &v), (rows + i, j, BigInt::from(3) * v)]
    });
    let a = Triplets::from_entries(2 * rows, m.cols(), both.collect::<Vec<_>>());
    let (found, expected) = (form(&a), form(&m));
    assert_eq!(found.factors, expected.factors);
    assert!(found.path[0].found.contains(", 0 components"), "{:?}", found.path);
}

/// |det| by Bareiss' elimination.
fn determinant(mut table: Vec<Vec<BigInt>>) -> BigUint {
    let mut last = BigInt::from(1);
    for c in 0..table.len() {
        let Some(i) = (c..table.len()).find(|&i| !table[i][c].is_zero()) else { return BigUint::ZERO };
        table.swap(c, i);
        for i in c + 1..table.len() {
            for j in c + 1..table.len() {
                table[i][j] = (&table[i][j] * &table[c][c] - &table[i][c] * &table[c][j]) / &last;
            }
        }
        last = table[c][c].clone();
    }
    last.magnitude().clone()
}

/// The product of the invariant factors is the minor of the faces without vertex 0: those with it are a basis of the
/// rest of the simplex. For A = {a, a+1, …} the complex collapses to a lower dimension (N. Linial, R. Meshulam, M.
/// Rosenthal, 2010, theorem 1.3).
#[test]
fn sum_complexes_of_primes_are_hypertrees() {
    for (name, k, order) in [
        ("sum7_0_1_3", 2, None),
        ("sum11_0_1_3", 2, None),
        ("sum13_0_2_5", 2, None),
        ("sum7_0_1_2_4", 3, None),
        ("sum13_0_1", 1, Some(1u32)),
        ("sum11_2_3_4", 2, Some(1)),
    ] {
        let d = families::generate(&format!("{name}-b{k}")).unwrap();
        let edge = families::generate(&format!("{name}-b{}", k - 1)).unwrap();
        // Vertex 0 is in the first C(n-1, k-1) faces of dimension k-1, in lexicographic order.
        let with_first = edge.rows() - d.rows();
        let minor: Vec<Vec<BigInt>> = table(&d).into_iter().map(|row| row[with_first..].to_vec()).collect();
        let found = form(&d);
        let product: BigUint = found.factors.iter().map(|(s, count)| s.pow(*count as u32)).product();
        assert_eq!(Some(found.rank), families::known_rank(&format!("{name}-b{k}"), None), "{name}");
        assert_eq!((product.clone(), found.rank), (determinant(minor), d.rows()), "{name}");
        assert!(order.is_none_or(|order| product == order.into()), "{name}: {product}");
    }
}

/// Far more entries than pairs of them could be compared.
#[test]
fn diagonals_of_large_numbers() {
    let mut rng = Rng::seed_from_u64(12);
    let numbers: Vec<BigInt> = (0..1500).map(|_| BigInt::from(rng.random::<u128>()) + 1).collect();
    let a = Triplets::from_entries(1500, 1600, numbers.iter().enumerate().map(|(k, d)| (k, (7 * k) % 1600, d.clone())));
    let found = form(&a);
    let product: BigUint = found.factors.iter().map(|(s, count)| s.pow(*count as u32)).product();
    assert_eq!((found.rank, product), (1500, numbers.iter().map(|d| d.magnitude()).product()));
    assert!(found.factors.windows(2).all(|pair| (&pair[1].0 % &pair[0].0).is_zero()));
    // Of the powers of 2 in place k, sorted.
    let mut twos: Vec<u64> = numbers.iter().map(|d| d.trailing_zeros().unwrap()).collect();
    twos.sort_unstable();
    let listed = found.factors.iter().flat_map(|(s, count)| std::iter::repeat_n(s.trailing_zeros().unwrap(), *count));
    assert!(listed.eq(twos));
}

/// The Laplacian of a graph on n vertices.
fn laplacian(n: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Triplets {
    let mut m = vec![vec![0i64; n]; n];
    for (i, j) in edges {
        (m[i][i], m[j][j], m[i][j], m[j][i]) = (m[i][i] + 1, m[j][j] + 1, m[i][j] - 1, m[j][i] - 1);
    }
    let at = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    Triplets::from_entries(n, n, at.map(|(i, j)| (i, j, m[i][j])).filter(|e| e.2 != 0))
}

/// Whose maximal minors are all ± the number of spanning trees, so that other minors tell nothing new.
#[test]
fn laplacians() {
    let counted = |factors: Vec<(u32, usize)>| -> Vec<(BigUint, usize)> {
        factors.into_iter().map(|(s, count)| (s.into(), count)).collect()
    };
    // The complete graph: n, n - 2 times.
    for n in [3usize, 4, 10, 31] {
        let edges = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        assert_eq!(core(&laplacian(n, edges)), counted(vec![(1, 1), (n as u32, n - 2)]), "{n}");
    }
    let mut rng = Rng::seed_from_u64(31);
    for round in 0..30 {
        let n = rng.random_range(2..40);
        let density = [0.1, 0.2, 0.5][round % 3];
        let edges = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let edges: Vec<_> = edges.filter(|_| rng.random_bool(density)).collect();
        let a = laplacian(n, edges);
        assert_eq!(core(&a), naive(&a), "{a:?}");
    }
}

/// Factors with large primes that several minors share, beside lines that are combinations of others or are not.
#[test]
fn what_nobody_factors_is_found_from_solutions() {
    let mut rng = Rng::seed_from_u64(32);
    let [p, q]: [BigInt; 2] = [61, 89].map(|e| (BigInt::from(1) << e) - 1);
    for round in 0..12usize {
        let (r, more) = (12, round % 3);
        let mut form = vec![BigInt::from(1); r - 3];
        form.extend([&p * &q, &p * &q, &p * &p * &q * 6]);
        let a = scrambled(r + more, r + 2 * more, &form, 50, &mut rng);
        let expected: Vec<(BigUint, usize)> = naive(&a);
        assert_eq!(core(&a), expected, "{round}");
    }
}
