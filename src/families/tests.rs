//! The families against published sizes, the identities that define them, and ranks by naive elimination.

use super::names::matched;
use super::*;
use crate::field::Modulus;
use std::collections::HashMap;

/// Name, rows, columns, entries, and an FNV-1a digest of all (row, column, value): from an independent generator.
const REFERENCE: &[(&str, usize, usize, usize, u64)] = &[
    ("bibd_9_5", 36, 126, 1260, 0x78ed3e4d90afeadd),
    ("bibd_12_5", 66, 792, 7920, 0x377e09a38ce2a891),
    ("bibd_14_7", 91, 3432, 72072, 0xe6d2c3c0659003b1),
    ("bibd_17_4", 136, 2380, 14280, 0xe8a3f1173ee59b7d),
    ("bibd_7_7", 21, 1, 21, 0xfc999a7316f796a8),
    ("bibd_6_2", 15, 15, 15, 0x2a6ddb5d2a1f1970),
    ("bibd_8_7", 28, 8, 168, 0xd20e3eb87c638b51),
    ("ch5-5-b2", 600, 200, 1800, 0xb9d88c69ecca5415),
    ("ch5-5-b3", 600, 600, 2400, 0x35f6fc95dcb9c89d),
    ("ch6-6-b4", 4320, 5400, 21600, 0x6eda9ceee1642985),
    ("ch7-6-b4", 15120, 12600, 75600, 0xec2f4fd1c09a96fd),
    ("ch3-5-b0", 15, 1, 15, 0x19d017b324d50e59),
    ("ch4-4-b3", 24, 96, 96, 0x29b63d1dd8f2045d),
    ("ch5-3-b2", 60, 60, 180, 0x361af1def0bd5dad),
    ("mk9-b3", 945, 1260, 3780, 0xafa315daba14c665),
    ("mk10-b3", 4725, 3150, 18900, 0xc6e4b03f4bb91479),
    ("mk11-b4", 10395, 17325, 51975, 0x24ba8ed88b09115d),
    ("mk4-b1", 3, 6, 6, 0x5bed9eb2b1aeb4d8),
    ("mk5-b0", 10, 1, 10, 0xfad26dd9756e6e64),
    ("shar_te2-b1", 17160, 286, 34320, 0xd717e81d08ba45a7),
    ("m133-b1", 17160, 286, 34320, 0xd717e81d08ba45a7),
    ("shar_te2-b0", 286, 1, 286, 0xe43586cb19cca89c),
    ("n2c6-b6", 5715, 4945, 40005, 0x2ab2a0bfaa1a02a9),
    ("n3c6-b8", 4935, 6435, 44415, 0x236070d72e72c318),
    ("n3c6-b1", 105, 105, 210, 0xad786b1652e506b3),
    ("n2c5-b3", 210, 120, 840, 0xe571981784bef389),
    ("n3c5-b5", 210, 252, 1260, 0x2e754f6d1ccd815d),
    ("n2c4-b1", 15, 6, 30, 0x112890a73c72324a),
    ("n2c7-b4", 20349, 5985, 101745, 0x0c7720daa713f660),
    ("wheel_7_1", 114, 113, 338, 0xd3914c45261fb224),
    ("wheel_3_1", 21, 25, 74, 0xe1061b64ac6f3780),
    ("wheel_20", 972, 841, 2522, 0xf690ea822d92f795),
    ("flower_7_1", 463, 393, 1178, 0x1a91e4c5f0de91a3),
    ("flower_4_1", 121, 129, 386, 0xf6e75ce70b98a30b),
    ("kneser_6_2_1", 601, 676, 2027, 0xc44dd4388c5f9855),
    ("kneser_5_2_1", 191, 151, 452, 0xcd44a787422ca47d),
    ("EX1", 560, 560, 8736, 0x2e69301f2e392efd),
    ("EX2", 560, 560, 8736, 0x33c1138318fda4c5),
    ("EX3", 2600, 2600, 71760, 0xa8b82ba72eb1f3d9),
    ("EX5", 6545, 6545, 295680, 0xd85939ddd7cdbaf9),
    ("EX6", 6545, 6545, 295680, 0x23e32e4186085c97),
    ("Trefethen_200", 200, 200, 2890, 0xb9075edd55a8c7ae),
    ("Trefethen_200b", 199, 199, 2873, 0x40f415ee25984054),
    ("Trefethen_500", 500, 500, 8478, 0x5463b9c061c08348),
    ("Trefethen_2000", 2000, 2000, 41906, 0x8cf1ba72b5f8419e),
];

fn digest(a: &Triplets) -> u64 {
    let words = (0..a.nnz()).flat_map(|k| [u64::from(a.row[k]), u64::from(a.col[k]), a.value.get(k) as u64]);
    words.fold(0xcbf29ce484222325, |h, x| (h ^ x).wrapping_mul(0x100000001b3))
}

/// The rank mod p by dense elimination.
fn naive_rank(a: &Triplets, p: Modulus) -> usize {
    let mut dense = vec![vec![0u64; a.cols()]; a.rows()];
    for k in 0..a.nnz() {
        dense[a.row[k] as usize][a.col[k] as usize] = p.reduce_i64(a.value.get(k));
    }
    let mut rank = 0;
    for j in 0..a.cols() {
        let Some(pivot) = (rank..a.rows()).find(|&i| dense[i][j] != 0) else { continue };
        dense.swap(rank, pivot);
        let (top, below) = dense.split_at_mut(rank + 1);
        let inverse = p.inv(top[rank][j]);
        for row in below.iter_mut().filter(|row| row[j] != 0) {
            let factor = p.mul(row[j], inverse);
            for (x, &y) in row[j..].iter_mut().zip(&top[rank][j..]) {
                *x = p.sub(*x, p.mul(factor, y));
            }
        }
        rank += 1;
    }
    rank
}

/// The permanent, by expansion over the sets of columns used by the first rows.
fn permanent(a: &Triplets) -> i64 {
    let mut states = HashMap::from([(0u64, 1i64)]);
    let mut k = 0;
    for i in 0..a.rows() {
        let first = k;
        while k < a.nnz() && a.row[k] as usize == i {
            k += 1;
        }
        let mut next = HashMap::new();
        for (used, count) in states {
            for e in (first..k).filter(|&e| used >> a.col[e] & 1 == 0) {
                *next.entry(used | 1 << a.col[e]).or_default() += count * a.value.get(e);
            }
        }
        states = next;
    }
    states.values().sum()
}

/// |det|, by the permanent's expansion with the sign of the inversions that each new column makes.
fn absolute_determinant(a: &Triplets) -> i64 {
    let mut states = HashMap::from([(0u64, 1i64)]);
    for i in 0..a.rows() {
        let mut next = HashMap::new();
        for (used, count) in states {
            for e in (0..a.nnz()).filter(|&e| a.row[e] as usize == i && used >> a.col[e] & 1 == 0) {
                let inversions = (used >> a.col[e]).count_ones();
                let sign = if inversions.is_multiple_of(2) { 1 } else { -1 };
                *next.entry(used | 1 << a.col[e]).or_default() += sign * count * a.value.get(e);
            }
        }
        states = next;
    }
    states.values().sum::<i64>().abs()
}

fn assert_canonical(a: &Triplets, name: &str) {
    assert!(a.row.iter().zip(&a.col).is_sorted_by(|x, y| x < y), "{name} is sorted, no position twice");
    assert!(a.value.iter().all(|v| v != 0) && a.big.is_empty(), "{name}");
    assert!(a.row.iter().all(|&i| (i as usize) < a.rows()) && a.col.iter().all(|&j| (j as usize) < a.cols()), "{name}");
}

#[test]
fn sizes_and_entries_are_the_published_ones() {
    for &(name, rows, cols, nnz, expected) in REFERENCE {
        let a = generate(name).unwrap();
        assert_canonical(&a, name);
        assert_eq!((a.rows(), a.cols(), a.nnz()), (rows, cols, nnz), "{name}");
        assert_eq!(digest(&a), expected, "{name}");
    }
    for (name, rows, cols, nnz) in [
        ("bibd_22_8", 231, 319770, 8953560),
        ("ch8-8-b5", 564480, 376320, 3386880),
        ("mk13-b5", 135135, 270270, 810810),
        ("shar_te2-b2", 200200, 17160, 600600),
        ("m133-b3", 200200, 200200, 800800),
        ("n2c6-b5", 4945, 3003, 29670),
        ("wheel_601", 902103, 723605, 2170814),
        ("kneser_10_4_1", 349651, 330751, 992252),
        ("Trefethen_20000", 20000, 20000, 554466),
        ("Trefethen_20000b", 19999, 19999, 554435),
    ] {
        let a = generate(name).unwrap();
        assert_canonical(&a, name);
        assert_eq!((a.rows(), a.cols(), a.nnz()), (rows, cols, nnz), "{name}");
    }
}

#[test]
fn the_boundary_of_a_boundary_is_zero() {
    let complexes = ["ch5-6", "ch6-4", "ch3-3", "mk9", "mk6", "shar_te2", "n2c5", "n3c6"];
    let mut products = 0;
    for complex in complexes {
        for k in 1.. {
            let Ok(upper) = generate(&format!("{complex}-b{k}")) else { break };
            if upper.nnz() > 200_000 {
                break;
            }
            let lower = generate(&format!("{complex}-b{}", k - 1)).unwrap();
            let mut row_of = vec![Vec::new(); lower.rows()];
            for e in 0..lower.nnz() {
                row_of[lower.row[e] as usize].push((lower.col[e], lower.value.get(e)));
            }
            let mut sums: HashMap<(u32, u32), i64> = HashMap::new();
            for e in 0..upper.nnz() {
                // n3c6-b1 has empty columns in addition to the faces.
                for &(j, v) in row_of.get(upper.col[e] as usize).expect("a face of the complex below") {
                    *sums.entry((upper.row[e], j)).or_default() += v * upper.value.get(e);
                }
            }
            assert!(sums.values().all(|&s| s == 0), "{complex}-b{k}");
            products += 1;
        }
    }
    assert!(products >= 25, "only {products}");
}

#[test]
fn ranks_from_theory_are_those_of_elimination() {
    let mut names: Vec<String> = Vec::new();
    for v in 2..8 {
        names.extend((2..=v).map(|k| format!("bibd_{v}_{k}")));
    }
    for m in 1..6 {
        for n in 1..6 {
            names.extend((0..m.min(n)).map(|k| format!("ch{m}-{n}-b{k}")));
        }
    }
    for n in 2..9 {
        names.extend((0..n / 2).map(|k| format!("mk{n}-b{k}")));
    }
    names.extend((0..8).map(|k| format!("n2c5-b{k}")));
    names.extend((0..9).map(|k| format!("n3c5-b{k}")));
    names.extend((0..4).map(|k| format!("n2c4-b{k}")).chain((0..4).map(|k| format!("n3c4-b{k}"))));
    names.extend((0..3).map(|k| format!("n2c3-b{k}")));
    names.extend((2..6).flat_map(|n| (0..7).map(move |k| format!("nc{n}-b{k}"))));
    for n in 1..40 {
        names.extend(
            ["redheffer", "tridiagonal", "fibonacci", "circulant", "menage", "ones"].map(|f| format!("{f}_{n}")),
        );
    }
    names.extend((1..8).flat_map(|n| [format!("aztec_{n}"), format!("aztec_{n}_kasteleyn"), format!("hypercube_{n}")]));
    for m in 1..10 {
        names.extend((1..10).flat_map(|n| [format!("dominoes_{m}_{n}"), format!("dominoes_{m}_{n}_kasteleyn")]));
    }
    for (a, b, c) in [(1, 1, 1), (2, 1, 1), (1, 2, 3), (2, 2, 2), (3, 2, 1), (3, 3, 3), (1, 1, 7), (4, 3, 2)] {
        names.push(format!("hexagon_{a}_{b}_{c}"));
    }
    // A prime beyond all small factors of the determinants stands for ℚ: the rank mod it equals the rational one here.
    let large = Modulus::new((1 << 61) - 1).unwrap();
    let (mut known, mut rational) = (0, 0);
    for name in &names {
        let Ok(a) = generate(name) else {
            assert_eq!(known_rank(name, None), None, "{name} does not exist");
            continue;
        };
        let over_q = known_rank(name, None);
        if let Some(rank) = over_q {
            assert_eq!(naive_rank(&a, large), rank, "{name} over Q");
            rational += 1;
        }
        for p in [2, 3, 5, 7, 11, 65521, 2147483647] {
            let p = Modulus::new(p).unwrap();
            if let Some(rank) = known_rank(name, Some(p)) {
                assert_eq!(naive_rank(&a, p), rank, "{name} mod {p}");
                assert!(over_q.is_none_or(|q| rank <= q), "{name} mod {p}");
                known += 1;
            }
        }
    }
    assert!(known > 2500 && rational > 400, "{known} mod p, {rational} over Q");
}

#[test]
fn disjoint_triples_have_the_predicted_ranks() {
    let p = [2, 3, 5, 65521].map(|p| Modulus::new(p).unwrap());
    let mut checked = 0;
    for n in 3..=10 {
        for k in 0..n / 3 {
            let a = matching::boundary(n, 3, k).unwrap();
            for p in p {
                if let Some(rank) = matching::rank(n, 3, k, Some(p)) {
                    assert_eq!(naive_rank(&a, p), rank, "{n} points, b{k} mod {p}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked >= 40, "only {checked}");
}

#[test]
fn published_ranks() {
    for (name, rank) in [
        ("ch7-8-b4", 48161),
        ("ch7-8-b5", 92959),
        ("ch7-9-b4", 89650),
        ("ch7-9-b5", 227870),
        ("ch8-8-b5", 276031),
        ("ch7-7-b3", 6516),
        ("ch7-6-b4", 8989),
        ("mk9-b3", 875),
        ("mk10-b3", 2564),
        ("mk11-b4", 10143),
        ("mk12-b3", 12440),
        ("n2c6-b6", 2943),
        ("n3c6-b8", 3003),
        ("shar_te2-b2", 16875),
        ("bibd_49_3", 1176),
        ("bibd_14_7", 91),
    ] {
        assert_eq!(known_rank(name, None), Some(rank), "{name}");
        assert_eq!(known_rank(name, Some(Modulus::new(65521).unwrap())), Some(rank), "{name}");
    }
    let mod_p = |name, p| known_rank(name, Some(Modulus::new(p).unwrap()));
    assert_eq!([2, 3, 5, 7].map(|p| mod_p("bibd_14_7", p)), [78, 77, 91, 90].map(Some));
    assert_eq!([2, 3, 5].map(|p| mod_p("bibd_49_3", p)), [1128, 1175, 1176].map(Some));
    // Torsion: the ranks mod 3 are 867 and 423, so nothing is claimed there.
    assert_eq!(mod_p("mk9-b3", 3), None);
    assert_eq!(mod_p("ch5-5-b3", 3), None);
    assert_eq!(mod_p("ch5-5-b2", 3), Some(176));
    assert_eq!(known_rank("shar_te2-b3", None), None);
    assert_eq!(known_rank("EX5", None), None);
    assert_eq!(known_rank("nonsense", None), None);
}

#[test]
fn permanents_and_determinants_are_the_closed_forms() {
    let count = |name: &str| permanent(&generate(name).unwrap());
    assert_eq!([1, 2, 3, 4, 7].map(|n| count(&format!("ones_{n}"))), [1, 2, 6, 24, 5040]);
    assert_eq!([3, 4, 5, 10].map(|n| count(&format!("circulant_{n}"))), [6, 9, 13, 125]);
    assert_eq!([3, 4, 5, 6, 7].map(|n| count(&format!("menage_{n}"))), [1, 2, 13, 80, 579]);
    assert_eq!([1, 2, 3, 10, 20].map(|n| count(&format!("tridiagonal_{n}"))), [1, 2, 3, 89, 10946]);
    let dominoes = [(2, 3, 3), (4, 4, 36), (1, 8, 1), (4, 5, 95), (6, 6, 6728), (3, 8, 153)];
    for (m, n, tilings) in dominoes {
        assert_eq!(count(&format!("dominoes_{m}_{n}")), tilings, "{m} x {n}");
        assert_eq!(
            absolute_determinant(&generate(&format!("dominoes_{m}_{n}_kasteleyn")).unwrap()),
            tilings,
            "{m} x {n}"
        );
    }
    for (n, tilings) in [(1, 2), (2, 8), (3, 64), (4, 1024)] {
        assert_eq!(count(&format!("aztec_{n}")), tilings);
        assert_eq!(absolute_determinant(&generate(&format!("aztec_{n}_kasteleyn")).unwrap()), tilings);
    }
    for (name, tilings) in [("1_1_1", 2), ("2_2_2", 20), ("3_3_3", 980), ("1_2_3", 10), ("3_2_1", 10), ("2_3_2", 50)] {
        let a = generate(&format!("hexagon_{name}")).unwrap();
        assert_eq!((permanent(&a), absolute_determinant(&a)), (tilings, tilings), "hexagon {name}");
    }
    let determinant = |name: &str| absolute_determinant(&generate(name).unwrap());
    assert_eq!([1, 2, 3, 4].map(|d| determinant(&format!("hypercube_{d}"))), [1, 4, 384, 42_467_328]);
    assert_eq!([1, 2, 5, 13].map(|n| determinant(&format!("redheffer_{n}"))), [1, 0, 2, 3]);
    assert_eq!([1, 2, 9, 10].map(|n| determinant(&format!("fibonacci_{n}"))), [1, 2, 55, 89]);
}

#[test]
fn row_and_column_sums() {
    let a = generate("bibd_9_5").unwrap();
    assert!((0..a.cols()).all(|j| a.col.iter().filter(|&&c| c as usize == j).count() == 10));
    let a = generate("ch6-6-b4").unwrap();
    // Rows of alternating signs: +1 - 1 + 1 - 1 + 1. Each placement of 4 rooks extends by one in 2 · 2 ways.
    assert!((0..a.nnz()).step_by(5).all(|k| a.value.iter_in(k..k + 5).sum::<i64>() == 1));
    assert!((0..a.cols()).step_by(97).all(|j| a.col.iter().filter(|&&c| c as usize == j).count() == 4));
    let a = generate("EX1").unwrap();
    let transposed: std::collections::HashSet<_> = a.col.iter().zip(&a.row).collect();
    assert!(a.row.iter().zip(&a.col).all(|position| transposed.contains(&position)), "symmetric");
    let a = generate("hypercube_5").unwrap();
    let mut sums = vec![0; a.rows()];
    (0..a.nnz()).for_each(|k| sums[a.row[k] as usize] += a.value.get(k));
    assert_eq!(sums.iter().sum::<i64>(), 5, "edges to the vertex left out");
}

#[test]
fn every_example_exists_and_every_name_has_one_family() {
    for family in catalogue() {
        assert!(matched(family.pattern, family.example).is_some(), "{}", family.pattern);
        let families = catalogue().iter().filter(|f| matched(f.pattern, family.example).is_some()).count();
        assert_eq!(families, 1, "{}", family.example);
        let a = generate(family.example).unwrap();
        assert_canonical(&a, family.example);
        assert!(a.nnz() > 0 && !family.about.is_empty() && !family.size.is_empty());
    }
}

#[test]
fn wrong_names_and_numbers_are_refused_with_a_hint() {
    for (name, hint) in [
        ("", "known are bibd_"),
        ("zebra_3", "known are bibd_"),
        ("mk12", "mk{n}-b{k} (as in mk12-b3)"),
        ("mk012-b3", "mk{n}-b{k}"),
        ("mk12-b3 ", "mk{n}-b{k}"),
        ("mk+12-b3", "mk{n}-b{k}"),
        ("MK12-b3", "mk{n}-b{k}"),
        ("ch7-8", "ch{m}-{n}-b{k}"),
        ("EX4", "EX5"),
        ("mk9-b4", "the largest boundary matrix of 9 points is b3"),
        ("mk1-b0", "at least 2 points"),
        ("ch3-5-b3", "the largest boundary matrix of this board is b2"),
        ("ch0-5-b0", "at least one row"),
        ("shar_te2-b4", "b3"),
        ("n2c2-b0", "takes 3 to 11"),
        ("n3c12-b3", "takes 4 to 11"),
        ("n2c5-b9", "the largest boundary matrix is b6"),
        ("n2c11-b20", "2^32"),
        ("nc1-b0", "takes 2 to 11"),
        ("nc2-b0", "is connected"),
        ("nc5-b6", "the largest boundary matrix is b5"),
        ("bibd_5_1", "2 <= k <= v"),
        ("bibd_5_6", "2 <= k <= v"),
        ("wheel_2_1", "at least 3"),
        ("flower_2_1", "at least"),
        ("kneser_5_3_1", "n >= 2k"),
        ("kneser_5_0_1", "n >= 2k"),
        ("Trefethen_0", "at least 1"),
        ("Trefethen_1b", "at least 2"),
        ("redheffer_0", "at least 1"),
        ("relations_5_1_1", "2 to 10000000"),
        ("hypercube_0", "1 <= d <= 31"),
        ("hypercube_32", "1 <= d <= 31"),
        ("circulant_2", "at least 3"),
        ("menage_2", "at least 3"),
        ("ones_0", "at least 1"),
        ("tridiagonal_0", "at least 1"),
        ("hexagon_1_0_1", "at least 1"),
        ("dominoes_0_4", "no cells"),
        ("aztec_0", "no cells"),
        ("mk99999999999-b1", "2^32 - 1"),
        ("ch4000000000-4000000000-b9", "2^32 - 1 rows"),
        ("sum7_0_1_7-b2", "7 is no residue mod 7"),
        ("sum7_0_1_1-b2", "different ones are needed"),
        ("sum3_0_1_2-b2", "more vertices than 3"),
        ("sum7_0_1_3-b3", "the largest boundary matrix is b2"),
        ("sum4000000000_0_1_3-b2", "2^32 - 1 rows"),
        ("mk4000000000-b1", "2^32 - 1 rows"),
        ("mk4000000000-b999999999", "2^32 - 1 rows"),
        ("bibd_4000000000_2000000000", "2^32 - 1 rows"),
        ("kneser_200_100_1", "2^32 - 1 rows"),
        ("wheel_4000000000", "2^32 - 1 rows"),
        ("dominoes_100000_100000", "2^32 - 1 rows"),
        ("hexagon_100000_100000_1", "2^32 - 1 rows"),
        ("aztec_4000000000", "2^32 - 1 rows"),
    ] {
        let error = generate(name).unwrap_err();
        assert!(matches!(error, Error::Usage(_)), "{name}: {error:?}");
        assert!(error.to_string().contains(hint), "{name}: {error}");
        assert_eq!(known_rank(name, None).filter(|_| !error.to_string().contains("2^32")), None, "{name}");
    }
    for name in ["ones_100000", "menage_4000000000", "Trefethen_4000000000", "redheffer_4000000000", "bibd_60000_3"] {
        let error = generate(name).unwrap_err();
        assert!(error.to_string().contains("2^32"), "{name}: {error}");
    }
}

#[test]
fn the_same_bits_on_every_number_of_threads() {
    for name in ["ch6-6-b3", "n2c6-b6", "kneser_6_2_1", "bibd_12_5", "mk10-b3"] {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| generate(name)).unwrap()
        };
        assert_eq!(on(1), on(3), "{name}");
    }
}

#[test]
fn whole_complexes_are_chain_complexes_of_all_their_matrices() {
    for (name, cells, augmentation) in [
        ("mk7", vec![21, 105, 105], "mk7-b0"),
        ("mk3", vec![3, 0], "mk3-b0"),
        ("ch3-4", vec![12, 36, 24], "ch3-4-b0"),
        ("ch1-6", vec![6, 0], "ch1-6-b0"),
        ("nc4", vec![6, 15, 4], "nc4-b0"),
        ("nc3", vec![3, 0], "nc3-b0"),
        ("n2c4", vec![6, 15, 20, 12], "n2c4-b0"),
        ("sum7_0_1_3", vec![7, 21, 15], "sum7_0_1_3-b0"),
        ("n3c6", vec![], "n3c6-b0"),
    ] {
        let chain = complex(name).unwrap();
        // The published n3c6-b1 has empty columns, which are no cells.
        assert!(chain.check(&[], &crate::Silent).is_ok(), "{name}");
        for (k, d) in (1..).zip(chain.boundaries()).filter(|(_, d)| d.rows() > 0 && name != "n3c6") {
            assert_eq!(*d, generate(&format!("{name}-b{k}")).unwrap(), "{name}");
        }
        assert_eq!(chain.cells()[0], generate(augmentation).unwrap().rows());
        if name != "n3c6" {
            assert_eq!(chain.cells(), cells, "{name}");
        }
    }
    for family in complex_catalogue() {
        assert!(matched(family.pattern, family.example).is_some(), "{}", family.pattern);
        assert!(complex(family.example).unwrap().check(&[], &crate::Silent).is_ok(), "{}", family.example);
    }
    for (name, hint) in [
        ("mk7-b1", "no family has a complex 'mk7-b1'; known are mk{n} (as in mk9)"),
        ("EX5", "known are mk{n}, ch{m}-{n}"),
        ("mk1", "mk1: a matching needs 2 vertices, there are 1"),
        ("ch0-3", "at least one row"),
        ("nc2", "is connected"),
        ("n2c12", "takes 3 to 11"),
        ("mk99999999999", "2^32 - 1"),
        ("mk4000000000", "2^32 - 1 rows"),
    ] {
        let error = complex(name).unwrap_err();
        assert!(matches!(error, Error::Usage(_)) && error.to_string().contains(hint), "{name}: {error}");
    }
}
