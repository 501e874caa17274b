//! The room as a whole against brute force on small random patterns, and against proofs that only need counting on
//! large ones.

use super::*;
use crate::field::{Modulus, Rng};
use crate::sparse::{Pattern, SparseMatrix};
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, proptest};
use rand::{RngExt, SeedableRng};
use std::collections::BTreeSet;
use std::ops::Range;

/// The size of a maximum matching by trying everything: the largest for each set of columns used, row by row. At most
/// 12 columns.
fn brute_size(p: &Pattern, without_row: Option<usize>, without_col: Option<u32>) -> usize {
    let mut reachable = vec![false; 1 << p.cols()];
    reachable[0] = true;
    for i in (0..p.rows()).filter(|&i| Some(i) != without_row) {
        for used in (0..reachable.len()).rev().filter(|&used| reachable[used]).collect::<Vec<_>>() {
            for &j in p.row(i).iter().filter(|&&j| Some(j) != without_col && used >> j & 1 == 0) {
                reachable[used | 1 << j] = true;
            }
        }
    }
    (0..reachable.len()).filter(|&used| reachable[used]).map(|used| used.count_ones() as usize).max().unwrap()
}

/// Sizes from 0 to 7 with few or many entries, half of the patterns with the main diagonal.
fn small_pattern() -> impl Strategy<Value = Pattern> {
    (0usize..8, 0usize..8, 0usize..25, any::<bool>(), any::<bool>()).prop_flat_map(|(m, n, nnz, square, diagonal)| {
        let n = if square { m } else { n };
        let nnz = if m * n == 0 { 0 } else { nnz };
        let main = if diagonal { m.min(n) } else { 0 };
        let entries = proptest::collection::vec((0..m.max(1), 0..n.max(1)), nnz);
        (Just(m), Just(n), entries)
            .prop_map(move |(m, n, e)| Pattern::from_entries(m, n, e.into_iter().chain((0..main).map(|k| (k, k)))))
    })
}

/// A large pattern whose rows have 0 to 2·mean entries anywhere.
fn random_pattern(rows: usize, cols: usize, mean: usize, rng: &mut Rng) -> Pattern {
    let mut entries = Vec::new();
    for i in 0..rows {
        for _ in 0..rng.random_range(0..2 * mean + 1) {
            entries.push((i, rng.random_range(0..cols)));
        }
    }
    Pattern::from_entries(rows, cols, entries)
}

/// A random order of 0 … n-1.
fn shuffled(n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    (1..n).for_each(|k| order.swap(k, rng.random_range(0..k + 1)));
    order
}

/// The lines of one or several blocks, as sets.
type Lines = (BTreeSet<u32>, BTreeSet<u32>);
fn lines<'a>(blocks: impl Iterator<Item = (&'a [u32], &'a [u32])>) -> Lines {
    blocks.fold(Lines::default(), |mut all, (rows, cols)| {
        all.0.extend(rows);
        all.1.extend(cols);
        all
    })
}
fn parts(d: &DulmageMendelsohn) -> [Lines; 3] {
    [&d.horizontal, &d.square, &d.vertical].map(|part| lines(part.clone().map(|b| d.block(b))))
}
fn block_sets(d: &DulmageMendelsohn) -> BTreeSet<Lines> {
    (0..d.blocks()).map(|b| lines(std::iter::once(d.block(b)))).collect()
}

/// Everything about a decomposition that can be checked by counting.
fn check_decomposition(p: &Pattern, m: &Matching, d: &DulmageMendelsohn) {
    let is_order = |order: &[u32], n| order.len() == n && order.iter().collect::<BTreeSet<_>>().len() == n;
    assert!(is_order(&d.row_order, p.rows()) && is_order(&d.col_order, p.cols()));
    assert_eq!((d.horizontal.start, d.horizontal.end), (0, d.square.start));
    assert_eq!((d.square.end, d.vertical.end), (d.vertical.start, d.blocks()));
    assert_eq!(d.structural_rank(), m.size);
    let (row, col) = (d.row_blocks().unwrap(), d.col_blocks().unwrap());
    for (i, j) in p.entries() {
        let (a, b) = (row[i as usize], col[j as usize]);
        assert!(a <= b, "({i}, {j}) below the diagonal blocks");
        // Within H and within V there is nothing outside the diagonal blocks.
        let same = |part: &Range<usize>| part.contains(&(a as usize)) && part.contains(&(b as usize));
        assert!(a == b || !(same(&d.horizontal) || same(&d.vertical)));
    }
    for b in 0..d.blocks() {
        let (rows, cols) = d.block(b);
        assert!(!rows.is_empty() || !cols.is_empty());
        let matched = if d.horizontal.contains(&b) {
            assert!(rows.len() < cols.len() && (b == 0 || !rows.is_empty()));
            assert!(cols[..cols.len() - rows.len()].iter().all(|&j| m.row(j as usize).is_none()));
            rows.iter().zip(&cols[cols.len() - rows.len()..])
        } else if d.square.contains(&b) {
            assert_eq!(rows.len(), cols.len());
            rows.iter().zip(cols)
        } else {
            assert!(cols.len() < rows.len() && (b == d.blocks() - 1 || !cols.is_empty()));
            assert!(rows[cols.len()..].iter().all(|&i| m.col(i as usize).is_none()));
            rows[..cols.len()].iter().zip(cols)
        };
        matched.for_each(|(&i, &j)| assert_eq!(m.col(i as usize), Some(j)));
    }
}

/// Checks size and validity of a matching by König's theorem, and returns it.
fn proven(p: &Pattern, m: Matching) -> Matching {
    assert!(m.is_within(p));
    let cover = minimum_vertex_cover(p, &m).unwrap();
    assert!(cover.covers(p).unwrap());
    assert_eq!(cover.size(), m.size);
    m
}

/// Checks that the rows outnumber their neighbours.
fn violates(p: &Pattern, rows: &[u32]) -> bool {
    let neighbours: BTreeSet<u32> = rows.iter().flat_map(|&i| p.row(i as usize)).copied().collect();
    rows.is_sorted_by(|a, b| a < b) && neighbours.len() < rows.len()
}

proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(600))]

    #[test]
    fn sizes_and_hall_violators_like_brute_force(p in small_pattern()) {
        let size = brute_size(&p, None, None);
        let m = proven(&p, maximum_matching(&p).unwrap());
        prop_assert_eq!(m.size, size);
        let (t, mt) = (p.transpose(), m.clone().transpose());
        prop_assert!(mt.is_within(&t));
        prop_assert_eq!(maximum_matching(&t).unwrap().size, size);
        for other in [size.wrapping_sub(1), size, size + 1] {
            let found = matching_of_size(&p, other).unwrap().map(|m| proven(&p, m).size);
            prop_assert_eq!(found, (other == size).then_some(size));
        }
        for (p, m) in [(p, m), (t, mt)] {
            match hall_violator(&p, &m).unwrap() {
                None => prop_assert_eq!(m.size, p.rows()),
                Some(rows) => {
                    prop_assert!(violates(&p, &rows));
                    // Without any one of them, the others have enough neighbours.
                    for left_out in &rows {
                        let rest: BTreeSet<u32> = rows.iter().copied().filter(|i| i != left_out).collect();
                        let kept = p.entries().filter(|(i, _)| rest.contains(i)).map(|(i, j)| (i as usize, j as usize));
                        let kept = Pattern::from_entries(p.rows(), p.cols(), kept);
                        prop_assert_eq!(brute_size(&kept, None, None), rest.len());
                    }
                }
            }
        }
    }

    #[test]
    fn decompositions_like_brute_force(p in small_pattern()) {
        let m = maximum_matching(&p).unwrap();
        let d = dulmage_mendelsohn(&p, &m).unwrap();
        check_decomposition(&p, &m, &d);
        let (row, col) = (d.row_blocks().unwrap(), d.col_blocks().unwrap());
        for (i, j) in p.entries() {
            // Pairing them loses no other pair: they lie in a maximum matching.
            let matchable = brute_size(&p, Some(i as usize), Some(j)) + 1 == m.size;
            prop_assert_eq!(matchable, row[i as usize] == col[j as usize]);
        }
        for (rows, cols) in d.square.clone().map(|b| d.block(b)) {
            let place = |j: u32| cols.iter().position(|&c| c == j);
            let entries = (0..rows.len())
                .flat_map(|k| p.row(rows[k] as usize).iter().filter_map(move |&j| place(j).map(|l| (k, l))));
            let block = Pattern::from_entries(rows.len(), cols.len(), entries);
            for k in 0..rows.len() {
                for l in 0..cols.len() {
                    prop_assert_eq!(brute_size(&block, Some(k), Some(l as u32)), rows.len() - 1);
                }
            }
        }
        // Empty lines have their own block, the first or the last.
        let t = p.transpose();
        let empty = |p: &Pattern| (0..p.rows()).filter(|&i| p.degree(i) == 0).count();
        let shape = |b: usize| (d.block(b).0.len(), d.block(b).1.len());
        prop_assert!(empty(&p) == 0 || shape(d.blocks() - 1) == (empty(&p), 0));
        prop_assert!(empty(&t) == 0 || shape(0) == (0, empty(&t)));
    }

    #[test]
    fn decompositions_do_not_depend_on_the_matching(p in small_pattern()) {
        let first = maximum_matching(&p).unwrap();
        let d = dulmage_mendelsohn(&p, &first).unwrap();
        let by_columns = maximum_matching(&p.transpose()).unwrap().transpose();
        for m in [maximum_matching_from(&p, Matching::empty(p.rows(), p.cols()).unwrap()).unwrap(), by_columns] {
            let other = dulmage_mendelsohn(&p, &m).unwrap();
            prop_assert_eq!(parts(&d), parts(&other));
            prop_assert_eq!(block_sets(&d), block_sets(&other));
        }
        // The transpose has the transposed parts.
        let [h, s, v] = parts(&d);
        let t = dulmage_mendelsohn(&p.transpose(), &first.transpose()).unwrap();
        let [th, ts, tv] = parts(&t).map(|(rows, cols)| (cols, rows));
        prop_assert_eq!((h, s, v), (tv, ts, th));
    }

    #[test]
    fn components_like_a_naive_search(p in small_pattern()) {
        let c = components(&p).unwrap();
        // Labels spread until nothing changes.
        let mut label: Vec<usize> = (0..p.rows()).collect();
        for _ in 0..p.rows() {
            for i in 0..p.rows() {
                for k in 0..p.rows() {
                    if p.row(i).iter().any(|&j| p.contains(k, j)) {
                        label[i] = label[i].min(label[k]);
                    }
                }
            }
        }
        let used: Vec<usize> = (0..p.rows()).filter(|&i| p.degree(i) > 0).collect();
        let least: Vec<usize> = used.iter().copied().filter(|&i| label[i] == i).collect();
        prop_assert_eq!(c.count, least.len());
        let number = |i: usize| least.iter().position(|&l| l == label[i]).filter(|_| p.degree(i) > 0);
        prop_assert!((0..p.rows()).all(|i| c.row[i] == number(i).map_or(NONE, |l| l as u32)));
        let t = p.transpose();
        prop_assert!((0..p.cols()).all(|j| c.col[j] == t.row(j).first().map_or(NONE, |&i| c.row[i as usize])));
    }

    #[test]
    fn the_rank_is_the_sum_over_the_components(p in small_pattern(), q in 0usize..3, seed in any::<u64>()) {
        let modulus = Modulus::new([2, 3, 65521][q]).unwrap();
        let mut rng = Rng::seed_from_u64(seed);
        let entries: Vec<_> =
            p.entries().map(|(i, j)| (i as usize, j as usize, rng.random_range(1..modulus.get()))).collect();
        let a = SparseMatrix::from_triplets(modulus, p.rows(), p.cols(), &entries);
        let c = components(&p).unwrap();
        prop_assert_eq!(&c, &components_of(&a).unwrap());
        let split = Split::new(&a, &c).unwrap();
        let (mut back, mut rank) = (vec![], 0);
        for k in 0..split.count() {
            let Part { matrix, rows, cols } = split.part(k).unwrap();
            prop_assert_eq!(split.shape(k), (matrix.rows(), matrix.cols()));
            prop_assert_eq!((rows.len(), cols.len()), (matrix.rows(), matrix.cols()));
            prop_assert_eq!(components_of(&matrix).unwrap().count, 1);
            rank += dense_rank(&matrix);
            for (x, &i) in rows.iter().enumerate() {
                let (js, vs) = matrix.row(x);
                prop_assert!(!js.is_empty());
                back.extend(js.iter().zip(vs).map(|(&y, &v)| (i as usize, cols[y as usize] as usize, v)));
            }
        }
        prop_assert_eq!(SparseMatrix::from_triplets(modulus, p.rows(), p.cols(), &back), a.clone());
        prop_assert_eq!(rank, dense_rank(&a));
        prop_assert!(rank <= maximum_matching(&p).unwrap().size);
    }
}

/// Gauss on the full array.
fn dense_rank(a: &SparseMatrix) -> usize {
    let p = a.modulus();
    let mut rows: Vec<Vec<u64>> = vec![vec![0; a.cols()]; a.rows()];
    for (i, row) in rows.iter_mut().enumerate() {
        let (js, vs) = a.row(i);
        js.iter().zip(vs).for_each(|(&j, &v)| row[j as usize] = v);
    }
    let mut rank = 0;
    for j in 0..a.cols() {
        let Some(k) = (rank..rows.len()).find(|&k| rows[k][j] != 0) else { continue };
        rows.swap(rank, k);
        let pivot = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            let factor = p.mul(row[j], p.inv(pivot[j]));
            row.iter_mut().zip(&pivot).for_each(|(x, &y)| *x = p.sub(*x, p.mul(factor, y)));
        }
        rank += 1;
    }
    rank
}

#[test]
fn the_rank_is_not_the_sum_over_the_diagonal_blocks() {
    let entries = [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (2, 2), (2, 3), (3, 2), (3, 3)];
    let p = Pattern::from_entries(4, 4, entries);
    let d = dulmage_mendelsohn(&p, &maximum_matching(&p).unwrap()).unwrap();
    assert_eq!((d.square.clone(), d.shape(&(0..1)), d.shape(&(1..2))), (0..2, (2, 2), (2, 2)));
    // Each block has rank 1.
    let ones: Vec<_> = entries.iter().map(|&(i, j)| (i, j, 1)).collect();
    assert_eq!(dense_rank(&SparseMatrix::from_triplets(Modulus::new(7).unwrap(), 4, 4, &ones)), 3);
}

#[test]
fn large_patterns_are_proven_by_counting() {
    let mut rng = Rng::seed_from_u64(1);
    for (rows, cols, mean) in
        [(20_000, 20_000, 1), (20_000, 20_000, 2), (20_000, 20_000, 5), (30_000, 2_000, 3), (500, 40_000, 2)]
    {
        let p = random_pattern(rows, cols, mean, &mut rng);
        let m = proven(&p, maximum_matching(&p).unwrap());
        let rest = proven(&p, maximum_matching_from(&p, Matching::empty(rows, cols).unwrap()).unwrap());
        assert_eq!(m.size, rest.size);
        let violator = hall_violator(&p, &m).unwrap().expect("some rows are empty");
        assert!(violates(&p, &violator));
        let (t, mt) = (p.transpose(), m.clone().transpose());
        if let Some(violator) = hall_violator(&t, &mt).unwrap() {
            assert!(violates(&t, &violator));
        }
        let d = dulmage_mendelsohn(&p, &m).unwrap();
        check_decomposition(&p, &m, &d);
        // With all lines permuted, it is the same decomposition up to the permutation.
        let (to_row, to_col) = (shuffled(rows, &mut rng), shuffled(cols, &mut rng));
        let q = Pattern::from_entries(rows, cols, p.entries().map(|(i, j)| (to_row[i as usize], to_col[j as usize])));
        let e = dulmage_mendelsohn(&q, &proven(&q, maximum_matching(&q).unwrap())).unwrap();
        let moved = |lines: &[u32], to: &[usize]| lines.iter().map(|&v| to[v as usize] as u32).collect::<BTreeSet<_>>();
        let blocks: BTreeSet<Lines> =
            (0..d.blocks()).map(|b| (moved(d.block(b).0, &to_row), moved(d.block(b).1, &to_col))).collect();
        assert_eq!(blocks, block_sets(&e));
        assert_eq!(d.shape(&d.horizontal), e.shape(&e.horizontal));
        assert_eq!(d.shape(&d.vertical), e.shape(&e.vertical));
    }
}

/// Each of these has hundreds of thousands of lines and takes milliseconds; quadratic work would take minutes.
#[test]
fn degenerate_shapes_are_linear() {
    let n = 300_000;
    let path = |i: usize| [(i, i), (i, i + 1)];
    let cases = [
        (Pattern::from_entries(0, n, []), 0, 0, 1),
        (Pattern::from_entries(n, 0, []), 0, 0, 1),
        (Pattern::from_entries(0, 0, []), 0, 0, 0),
        (Pattern::from_entries(n, n, []), 0, 0, 2),
        (Pattern::from_entries(1, n, (0..n).map(|j| (0, j))), 1, 1, 1),
        (Pattern::from_entries(n, 1, (0..n).map(|i| (i, 0))), 1, 1, 1),
        (Pattern::from_entries(n, n, (0..n).map(|i| (i, n - 1 - i))), n, n, n),
        (Pattern::from_entries(n, n + 1, (0..n).flat_map(path)), n, 1, 1),
        (Pattern::from_entries(n + 1, n, (0..n).flat_map(path).map(|(i, j)| (j, i))), n, 1, 1),
        (Pattern::from_entries(n, n, (0..n).flat_map(path).filter(|&(_, j)| j < n)), n, 1, n),
        (Pattern::from_entries(n, n, (0..n).flat_map(path).map(|(i, j)| (i, j % n))), n, 1, 1),
        // All rows but one want the same two columns, all columns but one the same two rows.
        (Pattern::from_entries(n, n, (0..n).flat_map(|k| [(k, 0), (k, 1), (0, k), (1, k)])), 4, 1, 2),
    ];
    for (p, size, count, blocks) in cases {
        let m = proven(&p, maximum_matching(&p).unwrap());
        assert_eq!(m.size, size);
        assert_eq!(
            proven(&p, maximum_matching_from(&p, Matching::empty(p.rows(), p.cols()).unwrap()).unwrap()).size,
            size
        );
        assert_eq!(components(&p).unwrap().count, count);
        assert_eq!(dulmage_mendelsohn(&p, &m).unwrap().blocks(), blocks);
        assert_eq!(hall_violator(&p, &m).unwrap().is_none(), size == p.rows());
    }
}

#[test]
#[should_panic(expected = "the matching is maximum")]
fn covers_of_small_matchings_are_a_broken_contract() {
    minimum_vertex_cover(&Pattern::from_entries(1, 1, [(0, 0)]), &Matching::empty(1, 1).unwrap()).unwrap();
}

#[test]
#[should_panic(expected = "shape")]
fn matchings_of_another_shape_are_a_broken_contract() {
    maximum_matching_from(&Pattern::from_entries(2, 1, []), Matching::empty(1, 2).unwrap()).unwrap();
}

#[test]
#[should_panic(expected = "components of another matrix")]
fn components_of_another_matrix_are_a_broken_contract() {
    let a = SparseMatrix::from_triplets(Modulus::new(5).unwrap(), 2, 2, &[(0, 1, 1), (1, 0, 1), (1, 1, 1)]);
    let c = components(&Pattern::from_entries(2, 2, [(0, 1), (1, 0)])).unwrap();
    Split::new(&a, &c).unwrap().part(1).unwrap();
}

#[test]
fn invalid_matchings_are_recognised() {
    let p = Pattern::from_entries(2, 3, [(0, 0), (0, 2), (1, 0)]);
    let m = Matching::from_pairs(2, 3, [(0, 2), (1, 0)]).unwrap();
    assert!(m.is_within(&p) && m.col(0) == Some(2) && m.row(1).is_none() && m.row(2) == Some(0));
    assert!(!m.is_within(&p.transpose()));
    assert!(!Matching::from_pairs(2, 3, [(1, 2)]).unwrap().is_within(&p));
    assert!(!Matching { size: 1, ..m.clone() }.is_within(&p));
    assert!(!Matching { row_of_col: vec![0, NONE, 1], ..m }.is_within(&p));
}
