//! Every reduction alone and all together against Laplace's expansion.

use super::*;
use crate::permanent::shapes::laplace;
use proptest::prelude::*;

fn each_alone() -> Vec<Switches> {
    let none = Switches::none();
    vec![
        none,
        Switches { structural_rank: true, ..none },
        Switches { blocks: true, ..none },
        Switches { degree_one: true, ..none },
        Switches { degree_two: true, ..none },
        Switches { contents: true, ..none },
        Switches { transpose: true, ..none },
        Switches { split_degree: 3, split_depth: 2, ..none },
        Switches { split_degree: 4, split_depth: 3, ..none },
        Switches::default(),
        Switches { split_degree: 4, split_depth: 4, ..Default::default() },
    ]
}

fn value(reduced: &Reduced) -> BigInt {
    reduced.permanent(&mut |block| Ok(laplace(block))).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_permanent_stays(
        (n, entries) in (0usize..8).prop_flat_map(|n| {
            let line = 0..n.max(1);
            (Just(n), proptest::collection::vec((line.clone(), line, prop_oneof![Just(1i64), -3i64..4, Just(i64::MIN)]), 0..=3 * n))
        })
    ) {
        let a = IntMatrix::from_entries(n, entries.into_iter().filter(|_| n > 0));
        let expected = laplace(&a);
        for switches in each_alone() {
            let reduced = reduce(&a, &switches).unwrap();
            prop_assert_eq!(value(&reduced), expected.clone(), "{:?}", switches);
            if let Some(v) = &reduced.hall_violator {
                prop_assert_eq!(v.cols.len() + 1, v.rows.len());
                for &i in &v.rows {
                    prop_assert!(a.row(i as usize).iter().all(|(j, _)| v.cols.contains(j)));
                }
            }
        }
        let all = reduce(&a, &Switches::default()).unwrap();
        for block in &all.blocks {
            let degrees = block.pattern().unwrap();
            prop_assert!((0..block.n()).all(|i| degrees.degree(i) > 2), "lines of degree 1 and 2 are gone");
        }
    }
}

fn dense(n: usize, entry: impl Fn(usize, usize) -> i64) -> IntMatrix {
    IntMatrix::from_entries(n, (0..n * n).map(|k| (k / n, k % n, entry(k / n, k % n))))
}

#[test]
fn chains_vanish() {
    // Tridiagonal: everything has degree 2 in turn, and the factor is a Fibonacci number.
    let a = dense(90, |i, j| i64::from(i.abs_diff(j) <= 1));
    let reduced = reduce(&a, &Switches::default()).unwrap();
    assert!(reduced.blocks.is_empty());
    assert_eq!(reduced.factor, BigInt::from(4_660_046_610_375_530_309u64));
    assert_eq!(reduced.log.degree_one + reduced.log.degree_two, 90);
}

#[test]
fn blocks_and_dropped_entries() {
    // Two full 4 × 4 blocks, and a full corner that no perfect matching meets.
    let a = dense(8, |i, j| i64::from(i < 4 || j >= 4));
    let reduced = reduce(&a, &Switches::default()).unwrap();
    assert_eq!((reduced.blocks.len(), reduced.log.dropped_entries, reduced.log.blocks), (2, 16, 2));
    assert_eq!(value(&reduced), BigInt::from(24 * 24));
    assert_eq!(reduce(&a, &Switches::none()).unwrap().blocks, [a]);
}

#[test]
fn a_hall_violator_is_the_reason_for_0() {
    let a = dense(5, |i, j| i64::from(i < 2 || j < 2));
    let reduced = reduce(&a, &Switches::default()).unwrap();
    assert_eq!(reduced.factor, BigInt::ZERO);
    assert_eq!(reduced.hall_violator, Some(HallViolator { rows: vec![2, 3, 4], cols: vec![0, 1] }));
    // No violator where cancellation makes it 0.
    let a = dense(2, |i, j| if i + j == 0 { -1 } else { 1 });
    let reduced = reduce(&a, &Switches::default()).unwrap();
    assert_eq!((reduced.factor, reduced.hall_violator), (BigInt::ZERO, None));
}

#[test]
fn contents_and_groups() {
    let a = dense(4, |i, j| if i == 0 { 6 } else { 1 + (i * j % 3) as i64 } * if j == 3 { 5 } else { 1 });
    let switches = Switches { contents: true, ..Switches::none() };
    let reduced = reduce(&a, &switches).unwrap();
    assert_eq!(reduced.factor, BigInt::from(30));
    assert_eq!(value(&reduced), laplace(&a));
    let groups = Groups::new(&dense(5, |i, j| i64::from(i < 3) + i64::from(j == 0))).unwrap();
    assert_eq!(groups.rows, [vec![0, 1, 2], vec![3, 4]]);
    assert_eq!(groups.cols, [vec![0], vec![1, 2, 3, 4]]);
    assert!((groups.log2_terms()[0] - 12f64.log2()).abs() < 1e-12);
    // Three kinds of rows, five of columns: transposed.
    let a = dense(5, |i, j| (i.min(2) * 5 + j) as i64 + 1 + (i.min(2) * j * j) as i64);
    let switches = Switches { transpose: true, ..Switches::none() };
    assert_eq!(reduce(&a, &switches).unwrap().blocks, [a.transpose().unwrap()]);
}
