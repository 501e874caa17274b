use super::gemm::tests::in_every_form;
use super::*;
use crate::Silent;
use crate::field::{ExtensionField, Field, Modulus, PrimeField, Rng};
use rand::{RngExt, SeedableRng};

/// 2, 3, both sides of every change of storage or path, and the largest prime below 2⁶³.
const PRIMES: [u64; 10] = [
    2,
    3,
    65521,
    (1 << 24) - 3,
    (1 << 26) - 5,
    (1 << 26) + 15,
    (1 << 31) - 1,
    (1 << 40) + 15,
    (1 << 61) - 1,
    (1 << 63) - 25,
];

/// A matrix of rank at most `rank` with duplicate and zero rows, and zero columns.
fn degenerate(field: &PrimeField, rows: usize, cols: usize, rank: usize, rng: &mut Rng) -> DenseMatrix<u64> {
    let mut random = |rows: usize, cols: usize| {
        DenseMatrix::from_entries(rows, cols, (0..rows * cols).map(|_| field.random(rng)).collect())
    };
    let mut a = random(rows, rank).mul(field, &random(rank, cols));
    if rows > 3 {
        let copy = a.row(0).to_vec();
        a.row_mut(rows / 2).copy_from_slice(&copy);
        a.row_mut(rows / 3).fill(0);
    }
    if cols > 3 {
        (0..rows).for_each(|i| a.set(i, 1, 0));
    }
    a
}

fn pivot_cols(echelon: &Echelon) -> Vec<usize> {
    echelon.pivot_cols().unwrap().into_iter().map(|j| j as usize).collect()
}

/// Rows of every storage, absorbed in panels of several heights: the vectors are orthogonal to all of them, and as many
/// of them span all that is.
#[test]
fn vectors_orthogonal_to_the_basis_span_its_null_space() {
    let mut rng = Rng::seed_from_u64(17);
    for p in [2, 3, 5, 251, 65521, (1 << 31) - 1, (1 << 63) - 25] {
        let modulus = Modulus::new(p).unwrap();
        let field = PrimeField(modulus);
        for (rows, cols, rank) in
            [(0, 5, 0), (5, 0, 0), (1, 1, 1), (9, 8, 3), (70, 90, 65), (300, 600, 300), (700, 150, 150)]
        {
            let a = degenerate(&field, rows, cols, rank, &mut rng);
            let mut echelon = Echelon::new(modulus, cols).unwrap();
            for part in (0..rows).collect::<Vec<_>>().chunks(97) {
                let data: Vec<u64> = part.iter().flat_map(|&i| a.row(i).to_vec()).collect();
                echelon.absorb_block(part.len(), &data, &Silent).unwrap();
            }
            let (free, mut rng) = (cols - echelon.rank(), rng.clone());
            assert!(echelon.orthogonal(0, &mut rng).unwrap().is_empty());
            // All of the null space, except with probability 2^-40 at most.
            let count = free + 40;
            let vectors = DenseMatrix::from_entries(cols, count, echelon.orthogonal(count, &mut rng).unwrap());
            let image = a.mul(&field, &vectors);
            assert!((0..rows).all(|i| image.row(i).iter().all(|&x| x == 0)), "{rows} x {cols} mod {p}");
            let mut span = Echelon::new(modulus, count).unwrap();
            let data: Vec<u64> = (0..cols).flat_map(|j| vectors.row(j).to_vec()).collect();
            span.absorb_block(cols, &data, &Silent).unwrap();
            assert_eq!(span.rank(), free, "{rows} x {cols} mod {p}");
        }
    }
}

#[test]
fn blocked_elimination_agrees_with_the_textbook() {
    let mut rng = Rng::seed_from_u64(13);
    in_every_form(&PRIMES, |p| {
        let modulus = Modulus::new(p).unwrap();
        let field = PrimeField(modulus);
        let shapes = [
            (0, 5, 0),
            (5, 0, 0),
            (0, 0, 0),
            (1, 1, 1),
            (6, 6, 0),
            (9, 8, 3),
            (30, 40, 20),
            (70, 65, 65),
            (300, 20, 20),
            (20, 300, 20),
            (530, 90, 60),
            (90, 530, 90),
        ];
        for (rows, cols, rank) in shapes {
            let a = degenerate(&field, rows, cols, rank, &mut rng);
            let twin = a.rank_profile(&field);
            let echelon = a.echelon(modulus, &Silent).unwrap();
            assert_eq!(echelon.rank(), twin.rows.len(), "{rows} x {cols} mod {p}");
            assert_eq!(echelon.pivot_rows(), twin.rows, "{rows} x {cols} mod {p}");
            assert_eq!(pivot_cols(&echelon), twin.cols, "{rows} x {cols} mod {p}");
            // The column profile is the row profile of the transpose.
            assert_eq!(a.transpose().rank_profile(&field).rows, twin.cols);
            assert!(twin.rows.len() <= rank);
        }
    });
}

#[test]
fn several_panels_with_late_pivots_are_reduced_by_all_blocks() {
    let mut rng = Rng::seed_from_u64(14);
    in_every_form(&[2, 3, 65521, (1 << 61) - 1], |p| {
        let modulus = Modulus::new(p).unwrap();
        let field = PrimeField(modulus);
        // Every panel of 100 rows brings a few new directions, in ever earlier columns.
        let (cols, mut rows) = (150, vec![]);
        for panel in 0..14usize {
            let from = 140 - 10 * panel;
            for i in 0..100 {
                let entry = |j: usize| if j < from || i > 4 && j < from + 5 { 0 } else { field.random(&mut rng) };
                rows.extend((0..cols).map(entry));
            }
        }
        let a = DenseMatrix::from_entries(1400, cols, rows);
        let mut echelon = Echelon::new(modulus, cols).unwrap();
        let columns: Vec<u32> = (0..cols as u32).collect();
        for i in (0..1400).step_by(100) {
            let part: Vec<Row<'_>> = (i..i + 100).map(|i| (columns.as_slice(), a.row(i))).collect();
            echelon.absorb(&part, &Silent).unwrap();
        }
        let twin = a.rank_profile(&field);
        assert_eq!((echelon.pivot_rows(), pivot_cols(&echelon)), (&twin.rows[..], twin.cols));
    });
}

/// Few rows are brought to their form by their first columns where those are independent, else row by row.
#[test]
fn rows_that_agree_in_their_first_columns_are_told_apart_by_later_ones() {
    let mut rng = Rng::seed_from_u64(26);
    in_every_form(&PRIMES, |p| {
        let modulus = Modulus::new(p).unwrap();
        let field = PrimeField(modulus);
        let mut random = |rows: usize, cols: usize| {
            DenseMatrix::from_entries(rows, cols, (0..rows * cols).map(|_| field.random(&mut rng)).collect())
        };
        // Ranks of the 24 columns from `first` on, 0 before them; behind a gap every row is its own.
        for (rows, first, rank, gap) in [(16, 0, 15, 0), (16, 7, 3, 60), (11, 0, 1, 0), (40, 2, 12, 9), (16, 30, 16, 0)]
        {
            let (head, tail) = (random(rows, rank).mul(&field, &random(rank, 24)), random(rows, 300));
            let mut a = DenseMatrix::zeros(rows, first + 24 + gap + 300);
            for i in 0..rows {
                a.row_mut(i)[first..first + 24].copy_from_slice(head.row(i));
                a.row_mut(i)[first + 24 + gap..].copy_from_slice(tail.row(i));
            }
            let twin = a.rank_profile(&field);
            assert_eq!(twin.rows.len(), rows);
            let echelon = a.echelon(modulus, &Silent).unwrap();
            assert_eq!((echelon.pivot_rows(), pivot_cols(&echelon)), (&twin.rows[..], twin.cols), "{rows} mod {p}");
            // Each row is the combination of the reduced ones that its entries at the pivots say.
            let reduced = echelon.reduced().unwrap();
            let free = reduced.free_cols().to_vec();
            let table = reduced.column_block(0..free.len()).unwrap();
            for i in 0..rows {
                for (at, &f) in free.iter().enumerate() {
                    let terms = reduced.pivot_cols().iter().enumerate();
                    let sum = terms.fold(0, |sum, (k, &j)| {
                        modulus.add(sum, modulus.mul(a.row(i)[j as usize], table[k * free.len() + at]))
                    });
                    assert_eq!(sum, a.row(i)[f as usize], "row {i}, column {f} mod {p}");
                }
            }
        }
    });
}

#[test]
fn elimination_stops_when_asked() {
    struct Stop;
    impl crate::Observer for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let a = DenseMatrix::from_entries(2, 2, vec![1, 2, 3, 4]);
    assert!(matches!(a.echelon(Modulus::new(7).unwrap(), &Stop), Err(crate::Error::Interrupted)));
}

/// Σ over permutations by expansion along the first row.
fn expansion<F: Field>(field: &F, n: usize, a: &[F::Elem]) -> F::Elem {
    if n == 0 {
        return field.one();
    }
    (0..n).fold(field.zero(), |sum, j| {
        let minor: Vec<F::Elem> =
            (1..n).flat_map(|i| (0..n).filter(move |&k| k != j).map(move |k| a[i * n + k])).collect();
        let term = field.mul(a[j], expansion(field, n - 1, &minor));
        if j % 2 == 0 { field.add(sum, term) } else { field.sub(sum, term) }
    })
}

#[test]
fn determinants_agree_with_the_expansion_by_minors() {
    let mut rng = Rng::seed_from_u64(15);
    for p in PRIMES {
        let field = PrimeField(Modulus::new(p).unwrap());
        for n in 0..6 {
            for _ in 0..20 {
                let zeros = rng.random_range(0..3);
                let a: Vec<u64> = (0..n * n)
                    .map(|_| if rng.random_range(0..3) < zeros { 0 } else { field.random(&mut rng) })
                    .collect();
                assert_eq!(determinant(&field, n, &mut a.clone()), expansion(&field, n, &a), "{a:?} mod {p}");
            }
        }
    }
    for (p, k) in [(2, 3), (2, 40), (3, 5), (65521, 2)] {
        let field = ExtensionField::new(Modulus::new(p).unwrap(), k, &mut rng);
        for n in 1..5 {
            let a: Vec<_> = (0..n * n).map(|_| field.random(&mut rng)).collect();
            assert_eq!(determinant(&field, n, &mut a.clone()), expansion(&field, n, &a));
        }
    }
}

#[test]
fn many_determinants_agree_with_single_ones() {
    let mut rng = Rng::seed_from_u64(16);
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        let field = PrimeField(modulus);
        for (s, count) in [(1, 40), (2, 33), (3, 17), (8, 16), (17, 5), (40, 3), (5, 0)] {
            let mut all = vec![];
            for which in 0..count {
                let rank = if which % 4 == 1 { s - 1 } else { s };
                let mut a = degenerate(&field, s, s, rank, &mut rng);
                if which % 2 == 0 {
                    a = DenseMatrix::from_entries(
                        s,
                        s,
                        (0..s * s).map(|_| if which % 3 == 0 { p - 1 } else { field.random(&mut rng) }).collect(),
                    );
                    (0..s).for_each(|i| a.set(i, (i + which) % s, field.random(&mut rng)));
                }
                all.extend_from_slice(a.data());
            }
            let single: Vec<u64> = all.chunks(s * s).map(|a| determinant(&field, s, &mut a.to_vec())).collect();
            assert_eq!(determinants(modulus, s, &all), single, "s = {s} mod {p}");
        }
    }
}

#[test]
fn inverses_multiply_to_the_identity() {
    let mut rng = Rng::seed_from_u64(17);
    for p in PRIMES {
        let field = PrimeField(Modulus::new(p).unwrap());
        for n in [0, 1, 2, 7, 20] {
            let a = DenseMatrix::from_entries(n, n, (0..n * n).map(|_| field.random(&mut rng)).collect());
            match a.inverse(&field) {
                Some(b) => {
                    assert_eq!(a.mul(&field, &b), DenseMatrix::identity(&field, n));
                    assert_eq!(b.mul(&field, &a), DenseMatrix::identity(&field, n));
                }
                None => assert_eq!(determinant(&field, n, &mut a.data().to_vec()), 0),
            }
            if n > 0 {
                assert_eq!(degenerate(&field, n, n, n - 1, &mut rng).inverse(&field), None);
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let mut rng = Rng::seed_from_u64(21);
    for p in [2, 3, 65521, (1 << 61) - 1] {
        let modulus = Modulus::new(p).unwrap();
        let a = degenerate(&PrimeField(modulus), 700, 300, 200, &mut rng);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut results = vec![];
            pool.install(|| {
                in_every_form(&[p], |_| {
                    let echelon = a.echelon(modulus, &Silent).unwrap();
                    let mut squares = vec![0; 300 * 300];
                    gemm(modulus, 300, 700, 300, a.transpose().data(), a.data(), &mut squares).unwrap();
                    let determinants = determinants(modulus, 10, a.data());
                    results.push((echelon.pivot_rows().to_vec(), pivot_cols(&echelon), determinants, squares));
                });
            });
            assert!(results.iter().all(|result| *result == results[0]), "one form unlike the other mod {p}");
            results
        };
        assert_eq!(run(1), run(3));
    }
}

/// The reduced row echelon form by the textbook: (pivot columns, rows).
fn textbook_reduced(field: &PrimeField, a: &DenseMatrix<u64>) -> (Vec<u32>, Vec<Vec<u64>>) {
    let mut rows: Vec<Vec<u64>> = (0..a.rows()).map(|i| a.row(i).to_vec()).collect();
    let mut pivots = vec![];
    for j in 0..a.cols() {
        let rank = pivots.len();
        let Some(i) = (rank..rows.len()).find(|&i| rows[i][j] != 0) else { continue };
        rows.swap(rank, i);
        let inverse = field.inv(rows[rank][j]);
        rows[rank].iter_mut().for_each(|x| *x = field.mul(*x, inverse));
        let own = rows[rank].clone();
        for row in rows.iter_mut().enumerate().filter(|(i, _)| *i != rank).map(|(_, row)| row) {
            let factor = field.neg(row[j]);
            field.axpy(row, factor, &own);
        }
        pivots.push(j as u32);
    }
    rows.truncate(pivots.len());
    (pivots, rows)
}

#[test]
fn blocks_of_any_height_give_the_same_reduced_form() {
    let mut rng = Rng::seed_from_u64(22);
    let sizes =
        [(0, 5, 0), (5, 0, 0), (1, 1, 1), (9, 8, 3), (70, 65, 65), (40, 150, 40), (600, 130, 70), (290, 300, 270)];
    for (p, (rows, cols, rank)) in PRIMES.into_iter().flat_map(|p| sizes.map(|size| (p, size))) {
        let modulus = Modulus::new(p).unwrap();
        let field = PrimeField(modulus);
        let a = degenerate(&field, rows, cols, rank, &mut rng);
        let ((pivots, expected), profile) = (textbook_reduced(&field, &a), a.rank_profile(&field));
        for height in [1, 7, 64, 600].into_iter().filter(|&height| height > 1 || rows <= 100) {
            in_every_form(&[p], |_| {
                let mut echelon = Echelon::new(modulus, cols).unwrap();
                let mut new = 0;
                for start in (0..rows).step_by(height) {
                    let end = rows.min(start + height);
                    let part = &a.data()[start * cols..end * cols];
                    // Every width that holds the residues.
                    new += match (p, height) {
                        (2 | 3, 7) => {
                            let narrow: Vec<u8> = part.iter().map(|&x| x as u8).collect();
                            echelon.absorb_block(end - start, &narrow, &Silent).unwrap()
                        }
                        (0..65536, 64) => {
                            let narrow: Vec<u16> = part.iter().map(|&x| x as u16).collect();
                            echelon.absorb_block(end - start, &narrow, &Silent).unwrap()
                        }
                        (0..4294967296, 1) => {
                            let narrow: Vec<u32> = part.iter().map(|&x| x as u32).collect();
                            echelon.absorb_block(end - start, &narrow, &Silent).unwrap()
                        }
                        _ => echelon.absorb_block(end - start, part, &Silent).unwrap(),
                    };
                }
                assert_eq!((new, echelon.rank()), (pivots.len(), pivots.len()));
                assert_eq!(echelon.pivot_rows(), profile.rows);
                let reduced = echelon.reduced().unwrap();
                assert_eq!((reduced.rank(), reduced.cols(), reduced.pivot_cols()), (pivots.len(), cols, &pivots[..]));
                let free = reduced.free_cols();
                let zero: Vec<bool> = free.iter().map(|&j| expected.iter().all(|row| row[j as usize] == 0)).collect();
                assert_eq!(reduced.zero_columns().unwrap(), zero);
                for range in [0..free.len(), 0..0, free.len() / 3..free.len() / 2] {
                    let block = reduced.column_block(range.clone()).unwrap();
                    let columns = free[range.clone()].iter();
                    let twin: Vec<u64> =
                        expected.iter().flat_map(|row| columns.clone().map(|&j| row[j as usize])).collect();
                    assert_eq!(block, twin, "{rows} x {cols} mod {p} by {height}, columns {range:?}");
                    let null = DenseMatrix::from_entries(cols, range.len(), reduced.null_block(range.clone()).unwrap());
                    assert_eq!(a.mul(&field, &null), DenseMatrix::zeros(rows, range.len()));
                    for (lane, f) in range.enumerate() {
                        assert!(free.iter().enumerate().all(|(g, &j)| null.row(j as usize)[lane] == (f == g) as u64));
                    }
                }
            });
        }
    }
}

#[test]
fn packed_rows_of_every_width_and_sign_give_the_textbook_profile() {
    let mut rng = Rng::seed_from_u64(24);
    for p in [2, 3] {
        let modulus = Modulus::new(p).unwrap();
        let field = PrimeField(modulus);
        for cols in [0, 1, 63, 64, 65, 511, 512, 513, 1030] {
            let mut rows: Vec<Vec<u64>> = vec![vec![p - 1; cols]; 2];
            let mut previous = vec![1; cols];
            for i in 0..120 {
                let row = match i % 6 {
                    // A row again, its negative, and a row that begins late, with both signs of a pivot.
                    1 => previous.clone(),
                    2 => previous.iter().map(|&x| field.neg(x)).collect(),
                    3 => (0..cols).map(|j| if 9 * i < 8 * j { p - 1 } else { 0 }).collect(),
                    4 => (0..cols).map(|j| if i + j + 1 == cols { 1 } else { 0 }).collect(),
                    _ => (0..cols).map(|_| field.random(&mut rng)).collect(),
                };
                previous.clone_from(&row);
                rows.push(row);
            }
            let a = DenseMatrix::from_entries(rows.len(), cols, rows.concat());
            let (pivots, expected) = textbook_reduced(&field, &a);
            let columns: Vec<u32> = (0..cols as u32).collect();
            for height in [1, 50, 122] {
                let (mut sparse, mut dense) =
                    (Echelon::new(modulus, cols).unwrap(), Echelon::new(modulus, cols).unwrap());
                for part in rows.chunks(height) {
                    let part_rows: Vec<Row<'_>> = part.iter().map(|row| (&columns[..], &row[..])).collect();
                    let new = sparse.absorb(&part_rows, &Silent).unwrap();
                    assert_eq!(dense.absorb_block(part.len(), &part.concat(), &Silent).unwrap(), new);
                }
                assert_eq!(sparse.pivot_rows(), a.rank_profile(&field).rows, "{cols} columns mod {p} by {height}");
                assert_eq!(sparse.pivot_rows(), dense.pivot_rows());
                for reduced in [sparse, dense].map(|echelon| echelon.reduced().unwrap()) {
                    assert_eq!(reduced.pivot_cols(), pivots);
                    let free = reduced.free_cols();
                    let twin = expected.iter().flat_map(|row| free.iter().map(|&j| row[j as usize]));
                    assert_eq!(reduced.column_block(0..free.len()).unwrap(), twin.collect::<Vec<u64>>());
                }
            }
        }
    }
}
