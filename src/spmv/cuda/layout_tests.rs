//! Layouts interpreted in plain arithmetic.

use super::*;
use crate::field::{Modulus, Rng};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

/// Where entry `e` of the row in `slot` lies.
fn place(of: &Slices, slot: usize, e: u32) -> usize {
    let (group, entry) = (e as usize / GROUP, e as usize % GROUP);
    ((of.bases[slot / SLICE] as usize + group) * SLICE + slot % SLICE) * GROUP + entry
}

/// Y = A·X as the kernels read the layout, one column, in plain arithmetic.
fn interpret(p: Modulus, layout: &Layout, x: &[u64]) -> Vec<u64> {
    let mut x = x.to_vec();
    x.resize(layout.operand(), u64::MAX);
    let mut y = vec![u64::MAX; layout.whole];
    for (number, group) in layout.groups.windows(2).enumerate() {
        let last = number + 2 == layout.groups.len();
        let before = x.clone();
        for slot in group[0] as usize..group[1] as usize {
            let target = layout.targets[slot];
            if target == NO_ROW {
                assert_eq!(layout.lengths[2 * slot..2 * slot + 2], [0, 0]);
                continue;
            }
            assert!(layout.lengths[2 * slot] + layout.lengths[2 * slot + 1] <= LONGEST as u32);
            let mut sum = 0;
            // Rows of one group do not need each other.
            let read = |at: u32| {
                assert!(before[at as usize] != u64::MAX, "row {at} is read before it is written");
                before[at as usize]
            };
            for e in 0..layout.lengths[2 * slot] {
                let index = layout.signs.indices[place(&layout.signs, slot, e)];
                let term = read(index & !MINUS);
                sum = if index & MINUS == 0 { p.add(sum, term) } else { p.sub(sum, term) };
            }
            for e in 0..layout.lengths[2 * slot + 1] {
                let at = place(&layout.others, slot, e);
                sum = p.add(sum, p.mul(layout.others.values[at], read(layout.others.indices[at])));
            }
            let to = if last { &mut y } else { &mut x };
            assert_eq!(std::mem::replace(&mut to[target as usize], sum), u64::MAX, "row {target} is written once");
        }
    }
    y
}

#[test]
fn layouts_hold_the_matrix() {
    let mut rng = Rng::seed_from_u64(1);
    // Rows, columns, entries in most rows, rows that are heavy and their entries.
    let shapes = [
        (0, 5, 0, 0, 0),
        (5, 0, 0, 0, 0),
        (1, 1, 1, 0, 0),
        (100, 40, 3, 0, 0),
        (5000, 300, 7, 3, 290),
        (40, 40_000, 2, 2, 20_000),
        (33, 1000, 0, 1, LONGEST),
        (33, 1000, 0, 1, LONGEST + 1),
    ];
    for (p, signs) in [(2, 1.0), (3, 1.0), (65521, 0.9), (65521, 0.05), ((1 << 63) - 25, 0.5)] {
        let p = Modulus::new(p).unwrap();
        for (rows, cols, most, heavy, entries) in shapes {
            let mut triplets = Vec::new();
            for i in 0..rows {
                let count = if i < heavy { entries } else { rng.random_range(0..=most) };
                for k in 0..count {
                    let j = if i < heavy { k } else { rng.random_range(0..cols) };
                    let v = match rng.random_bool(signs) {
                        true => [1, p.get() - 1][rng.random_range(0..2)],
                        false => rng.random_range(0..p.get()),
                    };
                    triplets.push((i, j, v));
                }
            }
            let a = SparseMatrix::from_triplets(p, rows, cols, &triplets);
            for a in [&a, &a.transpose().unwrap()] {
                let layout = Layout::new(a.cols(), a, a.rows(), Kinds::of(a), LONGEST).unwrap();
                let x: Vec<u64> = (0..a.cols()).map(|_| rng.random_range(0..p.get())).collect();
                let row = |i| {
                    let (cols, values) = a.row(i);
                    let terms = cols.iter().zip(values).map(|(&j, &v)| p.mul(v, x[j as usize]));
                    terms.fold(0, |sum, term| p.add(sum, term))
                };
                let y: Vec<u64> = (0..a.rows()).map(row).collect();
                assert_eq!(interpret(p, &layout, &x), y, "{rows} x {cols}");
                // Shorter rows.
                for words in [1, 8, 1 << 15] {
                    let layout = Layout::of_matrix(a, || a.transpose(), Kinds::of(a), words, Products::few()).unwrap();
                    assert_eq!(interpret(p, &layout, &x), y, "{rows} x {cols}, {words} words");
                }
                let layout_2 = Layout::new(a.cols(), a, a.rows(), Kinds::of(a), 2).unwrap();
                assert_eq!(interpret(p, &layout_2, &x), y, "{rows} x {cols}, pieces of 2");
                let mut order: Vec<u32> = (0..a.rows() as u32).collect();
                order.shuffle(&mut rng);
                let ordered = Layout::ordered(a.cols(), a, (a.rows(), Some(&order)), Kinds::of(a), LONGEST).unwrap();
                assert_eq!(interpret(p, &ordered, &x), y, "{rows} x {cols}, in another order");
                let levels = if entries > LONGEST * LONGEST && a.rows() == rows { 3 } else { 1 };
                assert!(
                    layout.groups.len() > levels
                        && (heavy == 0 || entries <= LONGEST || layout.groups.len() > 2 || a.rows() != rows)
                );
            }
        }
    }
}

/// Solves whose rows need earlier ones, with heavy rows among all of them.
#[test]
fn layouts_hold_triangular_solves() {
    let mut rng = Rng::seed_from_u64(3);
    for (p, inputs, solved, outputs, far) in [
        (65521, 5, 0, 4, 1),
        (65521, 0, 3, 0, 1),
        (3, 10, 40, 20, 1),
        (65521, 30, 500, 100, 60),
        (251, 300, 2000, 300, 900),
        ((1 << 63) - 25, 50, 400, 50, 400),
    ] {
        let p = Modulus::new(p).unwrap();
        let mut entries = vec![];
        for i in 0..solved + outputs {
            // Rows need others that are at least so far before them.
            let most = if i < solved { inputs + (i / far * far).min(i) } else { inputs + solved };
            let count = if most == 0 { 0 } else { [3, 3, 3, 3 * LONGEST][rng.random_range(0..4)] };
            entries.extend((0..count).map(|_| (i, rng.random_range(0..most), rng.random_range(0..p.get()))));
        }
        let l = SparseMatrix::from_triplets(p, solved + outputs, inputs + solved + outputs, &entries);
        let mut x: Vec<u64> = (0..inputs).map(|_| rng.random_range(0..p.get())).collect();
        let layout = Layout::new(inputs, &l, outputs, Kinds::of(&l), LONGEST).unwrap();
        let found = interpret(p, &layout, &x);
        for i in 0..solved + outputs {
            let (cols, values) = l.row(i);
            let terms = cols.iter().zip(values).map(|(&j, &v)| p.mul(v, x[j as usize]));
            x.push(terms.fold(0, |sum, term| p.add(sum, term)));
        }
        assert_eq!(found, x[inputs + solved..], "{solved} rows and {outputs} mod {p}");
    }
}

#[test]
fn chains_are_refused_at_the_edge() {
    let p = Modulus::new(5).unwrap();
    for (rows, fits) in [(CHAIN + 1, true), (CHAIN + 2, false)] {
        let entries: Vec<_> = (0..rows).map(|i| (i, i, 1)).collect();
        let chain = SparseMatrix::from_triplets(p, rows, rows + 1, &entries);
        match Layout::new(1, &chain, 0, Kinds::of(&chain), LONGEST) {
            Ok(layout) => assert!(fits && layout.groups.len() == rows + 2),
            Err(Error::Device(no)) => assert!(!fits && no.reason == DeviceReason::NoKernel),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn slices_are_hardly_longer_than_their_rows() {
    let mut rng = Rng::seed_from_u64(2);
    let rows = 3 * WINDOW + 100;
    let entries: Vec<_> = (0..rows)
        .flat_map(|i| (0..i * 7919 % 60).map(move |_| i))
        .map(|i| (i, rng.random_range(0..rows), [1, 65520][i % 2]))
        .collect();
    let a = SparseMatrix::from_triplets(Modulus::new(65521).unwrap(), rows, rows, &entries);
    let layout = Layout::new(rows, &a, rows, Kinds::of(&a), LONGEST).unwrap();
    let held = layout.signs.indices.len();
    assert!(held as f64 <= 1.1 * a.nnz() as f64, "{held} places for {} entries", a.nnz());
    assert!(layout.bytes(4) < 6 * a.nnz() as u64);
}

/// Rows on several GPUs: together they are the product, each row made by one of them.
#[test]
fn layouts_of_some_rows_are_those_rows_of_the_product() {
    let mut rng = Rng::seed_from_u64(5);
    let p = Modulus::new(65521).unwrap();
    for (rows, cols, heavy) in [(300, 200, 0), (70, 700, 2), (0, 4, 0), (3, 5, 0)] {
        let mut entries = vec![];
        for i in 0..rows {
            let count = if i < heavy { 3 * LONGEST } else { 4 };
            entries.extend((0..count).map(|_| (i, rng.random_range(0..cols), rng.random_range(1..65521))));
        }
        let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
        let x: Vec<u64> = (0..cols).map(|_| rng.random_range(0..65521)).collect();
        let whole = Layout::new(cols, &a, rows, Kinds::of(&a), LONGEST).unwrap();
        let expected = interpret(p, &whole, &x);
        assert_eq!((whole.first, whole.whole), (0, rows));
        for cuts in [vec![0, rows], vec![0, rows / 3, rows], vec![0, 0, rows / 2, rows / 2, rows]] {
            for range in cuts.windows(2).map(|pair| pair[0]..pair[1]) {
                let part = a.row_range(range.clone()).unwrap();
                let layout =
                    Layout::new(cols, &part, part.rows(), Kinds::of(&a), LONGEST).unwrap().at(range.start, rows);
                assert_eq!((layout.first, layout.rows, layout.whole), (range.start, range.len(), rows));
                let found = interpret(p, &layout, &x);
                let own = |i: usize| if range.contains(&i) { expected[i] } else { u64::MAX };
                assert_eq!(found, (0..rows).map(own).collect::<Vec<_>>(), "{range:?} of {rows}");
            }
        }
    }
}

#[test]
fn few_rows_are_cut_to_many_pieces() {
    let p = Modulus::new(65521).unwrap();
    let full = |rows: usize, cols: usize| {
        let entries: Vec<_> = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j, 1))).collect();
        SparseMatrix::from_triplets(p, rows, cols, &entries)
    };
    // As bibd_81_3 has them: 3240 rows of 79.
    let a = full(3240, 79);
    assert_eq!([1, 4, 8, 10, 11].map(|words| longest(&a, words)), [16, 16, 32, 40, LONGEST]);
    // Each piece is a row of X, of which the rows of the matrix are sums; the transpose is cut once.
    let layout = Layout::of_matrix(&a, || a.transpose(), Kinds::of(&a), 4, Products::few()).unwrap();
    assert_eq!((layout.extra, layout.groups.len()), (5 * 3240, 3));
    assert_eq!(longest(&full(2, 60_000), 8), 16);
    assert_eq!([longest(&full(0, 4), 8), longest(&full(4, 0), 1)], [SHORTEST; 2]);
}

/// For many products with wide blocks: both directions in orders of their own. On two threads: each of many would have
/// too few of these rows to save anything.
#[test]
fn orders_for_many_products_hold_the_matrix() {
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    two.install(orders_hold_the_matrix);
}

fn orders_hold_the_matrix() {
    let (p, mut rng) = (Modulus::new(65521).unwrap(), Rng::seed_from_u64(5));
    let (rows, cols) = (20_000, 11_000);
    let entries: Vec<_> = (0..90_000)
        .map(|k| (k % (rows - 7), rng.random_range(0..cols), rng.random_range(0..p.get())))
        .chain((0..300).map(|j| (17, j, 1)))
        .collect();
    let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
    let (kinds, natural) = (Kinds::of(&a), Products::few());
    let given = Layout::of_both(&a, kinds, 8, natural).unwrap();
    let ordered = Layout::of_both(&a, kinds, 8, Products { count: u64::MAX, row_bytes: 1 << 12 }).unwrap();
    assert!(given.0.targets != ordered.0.targets && given.1.targets != ordered.1.targets);
    for (given, ordered) in [(&given.0, &ordered.0), (&given.1, &ordered.1)] {
        let x: Vec<u64> = (0..given.cols).map(|_| rng.random_range(0..p.get())).collect();
        assert_eq!(interpret(p, given, &x), interpret(p, ordered, &x));
    }
    // The rows of one of several GPUs.
    let (range, many) = (3000..17_000, Products { count: u64::MAX, row_bytes: 1 << 12 });
    let part = a.row_range(range.clone()).unwrap();
    let at =
        |products| Layout::of_matrix(&part, || part.transpose(), kinds, 8, products).unwrap().at(range.start, rows);
    let (given, ordered) = (at(natural), at(many));
    assert_ne!(given.targets, ordered.targets);
    let x: Vec<u64> = (0..cols).map(|_| rng.random_range(0..p.get())).collect();
    assert_eq!(interpret(p, &given, &x), interpret(p, &ordered, &x));
}
