use super::super::LANES;
use super::*;
use crate::field::Rng;
use crate::sparse::SparseMatrix;
use rand::{RngExt, SeedableRng};

/// A random triangular solve of `rows` rows; a third of the entries ±1, some rows empty, one heavy.
fn random(p: Modulus, inputs: usize, rows: usize, rng: &mut Rng) -> SparseMatrix {
    let mut entries = Vec::new();
    for q in 0..rows {
        let known = inputs + q;
        let weight = if q == rows / 2 { 300 } else { rng.random_range(0..6) };
        for _ in 0..if known == 0 { 0 } else { weight } {
            // Far rows more often than near ones, so that some segments are long.
            let j = if rng.random_range(0..8) > 0 { rng.random_range(0..known.min(inputs.max(1))) } else { known - 1 };
            let value = [1, p.get() - 1, rng.random_range(0..p.get())][rng.random_range(0..3)];
            entries.push((q, j, value));
        }
    }
    SparseMatrix::from_triplets(p, rows, inputs + rows, &entries)
}

fn naive(inputs: usize, l: &SparseMatrix, scales: &[u64], w: &Block) -> Vec<u64> {
    let (p, width) = (l.modulus(), w.width());
    let mut w = w.to_residues().unwrap();
    for q in 0..l.rows() {
        for lane in 0..width {
            let (cols, values) = l.row(q);
            let term = |(&j, &v): (&u32, &u64)| p.mul(v, w[j as usize * width + lane]);
            let sum = cols.iter().zip(values).map(term).fold(0, |s, t| p.add(s, t));
            let scale = (q + scales.len()).checked_sub(l.rows()).map_or(1, |k| scales[k]);
            w[(inputs + q) * width + lane] = p.mul(scale, sum);
        }
    }
    w
}

#[test]
fn completes_blocks_as_the_definition_does_on_any_number_of_threads() {
    let mut rng = Rng::seed_from_u64(5);
    let primes = [2, 3, 7, 251, 257, 65521, 65537, 67108859, (1 << 31) - 1, 4294967291, (1 << 61) - 1];
    for p in primes.into_iter().chain([9223372036854775783]) {
        let p = Modulus::new(p).unwrap();
        for (inputs, rows) in [(0, 0), (3, 0), (0, 4), (1, 1), (17, 90), (400, 5000)] {
            let l = random(p, inputs, rows, &mut rng);
            let solve = TriangularSolve::new(inputs, SolveLines::of(&l).unwrap()).unwrap();
            for width in [0, 16, 48, 64] {
                let mut start = Block::random(solve.lane(), inputs + rows, width, p, &mut rng).unwrap();
                (0..inputs.min(1) * width).for_each(|lane| start.set(0, lane, p.get() - 1));
                // Half of what may be scaled is.
                let scales: Vec<u64> = (0..solve.unneeded.div_ceil(2)).map(|_| rng.random_range(0..p.get())).collect();
                let expected = naive(inputs, &l, &scales, &start);
                for threads in [1, 3] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let mut w = start.clone();
                    pool.install(|| solve.run_scaled(&scales, &mut w));
                    assert!(
                        w.to_residues().unwrap() == expected,
                        "p = {p}, {inputs} + {rows}, width {width}, {threads} threads"
                    );
                }
            }
        }
    }
}

/// The bits of packed lanes as residues of a block 32 times as wide.
fn unpacked(w: &Block) -> Block {
    let words = w.to_residues().unwrap();
    let bits: Vec<u64> = words.iter().flat_map(|word| (0..32).map(move |b| word >> b & 1)).collect();
    Block::from_residues(Lane::U8, w.rows(), 32 * w.width(), &bits).unwrap()
}

#[test]
fn packed_blocks_are_completed_bit_by_bit() {
    let (mut rng, two) = (Rng::seed_from_u64(6), Modulus::new(2).unwrap());
    for (inputs, rows) in [(0, 0), (3, 0), (0, 4), (1, 1), (17, 90), (400, 5000)] {
        let l = random(two, inputs, rows, &mut rng);
        let lines = || SolveLines::of(&l).unwrap();
        let packed = TriangularSolve::packed(inputs, lines()).unwrap();
        let plain = TriangularSolve::new(inputs, lines()).unwrap();
        assert_eq!((packed.lane(), packed.inputs(), packed.rows()), (Lane::U32, inputs, rows));
        for width in [0, 16, 48] {
            let mut w = Block::zeros(Lane::U32, inputs + rows, width).unwrap();
            w.fill_bits(0..inputs, &mut rng);
            let mut expected = unpacked(&w);
            let scales: Vec<u64> = (0..plain.unneeded.div_ceil(2)).map(|_| rng.random_range(0..2)).collect();
            plain.run_scaled(&scales, &mut expected);
            packed.run_scaled(&scales, &mut w);
            assert_eq!(unpacked(&w), expected, "{inputs} + {rows}, width {width}");
            let last = plain.unneeded;
            let mut short = Block::zeros(Lane::U32, inputs + rows - last, width).unwrap();
            short.copy_rows(0, &w, 0, inputs);
            let zero = (inputs + rows - last..inputs + rows).all(|i| (0..width).all(|l| w.get(i, l) == 0));
            // Of what is not scaled.
            if scales.iter().all(|&s| s == 1) {
                assert_eq!(packed.vanishes(last, &mut short), zero || last == 0);
            }
        }
    }
}

#[test]
fn rows_that_nothing_needs_are_known_to_vanish_or_not() {
    for p in [2, 7, 65521, (1 << 31) - 1, 9223372036854775783] {
        let p = Modulus::new(p).unwrap();
        let m = p.get();
        // w2 = w0 - w1 and w3 = w2 - w0 + w1 = 0; in the other, w4 = w2 besides.
        let rows = [(0, 0, 1), (0, 1, m - 1), (1, 2, 1), (1, 0, m - 1), (1, 1, 1)];
        let solve = |rows: usize, entries: &[_]| {
            let lines = SolveLines::of(&SparseMatrix::from_triplets(p, rows, 2 + rows, entries)).unwrap();
            TriangularSolve::new(2, lines).unwrap()
        };
        let zero = solve(2, &rows);
        let others: Vec<_> = rows.iter().copied().chain([(2, 2, 1)]).collect();
        let other = solve(3, &others);
        for (solve, last, difference) in [(&zero, 1, false), (&other, 2, true)] {
            for (value, expected) in [(0, true), (1, !difference)] {
                let mut w = Block::zeros(solve.lane(), 3, 48).unwrap();
                w.set(0, 47, value);
                assert_eq!(solve.vanishes(last, &mut w), expected, "p = {p}, {difference}");
            }
        }
    }
}

#[test]
fn long_segments_are_shared_out_and_short_ones_strung_together() {
    let p = Modulus::new(7).unwrap();
    // A chain of 10, then 20000 rows that need only the chain's end.
    let chain = (0..10).map(|q| (q, q, 1));
    let wide = (10..20010).map(|q| (q, 10, 2));
    let l = SparseMatrix::from_triplets(p, 20010, 20011, &chain.chain(wide).collect::<Vec<_>>());
    let lines = SolveLines::of(&l).unwrap();
    let found = stretches(1, &lines, &lines.needed().unwrap());
    assert_eq!(found[0], Stretch::Serial(0..10));
    let Stretch::Parallel(tiles) = &found[1] else { panic!("{found:?}") };
    assert!(tiles.len() > 10 && tiles[0].start == 10 && tiles[tiles.len() - 1].end == 20010);
    assert_eq!(found.len(), 2);
}

/// By columns, the coefficients of a solve by rows are those of a solve of their own; where they are shared, sums fit.
#[test]
fn coefficients_can_be_read_by_columns() {
    let (mut rng, mut shared) = (Rng::seed_from_u64(7), 0);
    let primes = [2, 3, 7, 251, 257, 65521, 65537, 67108859, (1 << 31) - 1, 4294967291, (1 << 61) - 1];
    for p in primes.into_iter().chain([9223372036854775783]) {
        let p = Modulus::new(p).unwrap();
        for (inputs, rows, signs) in [(0, 0, false), (3, 4, true), (17, 90, true), (17, 90, false), (400, 5000, false)]
        {
            let mut l = random(p, inputs, rows, &mut rng);
            if signs {
                l.value.iter_mut().filter(|v| **v != 1).for_each(|v| *v = p.get() - 1);
            }
            let solve = TriangularSolve::new(inputs, SolveLines::of(&l).unwrap()).unwrap();
            let last = solve.unneeded.div_ceil(2);
            let own = PushSolve::new(inputs, rows - last, SolveLines::of(&l).unwrap()).unwrap();
            // Sums of ±1 alone are no wider than those of a residue and a product.
            let Some(found) = solve.by_columns(last) else {
                assert!(!signs, "p = {p}");
                continue;
            };
            shared += 1;
            let (mut space, mut expected) = (found.space().unwrap(), own.space().unwrap());
            for input in 0..last {
                let x = [(); LANES].map(|()| rng.random_range(0..p.get()));
                found.add(&mut space, input, &x);
                own.add(&mut expected, input, &x);
                if input % 7 < 6 && input + 1 < last {
                    continue;
                }
                assert_eq!(found.solve(&mut space), own.solve(&mut expected), "p = {p}, {inputs} + {rows}");
                assert_eq!(space.take_work(), expected.take_work());
            }
        }
    }
    assert!(shared > 30, "{shared} shared");
    let two = random(Modulus::new(2).unwrap(), 4, 9, &mut rng);
    assert!(TriangularSolve::packed(4, SolveLines::of(&two).unwrap()).unwrap().by_columns(1).is_none());
}

#[test]
#[should_panic(expected = "row 1 needs row 3")]
fn a_row_that_needs_itself_is_refused() {
    let p = Modulus::new(7).unwrap();
    TriangularSolve::new(2, SolveLines::of(&SparseMatrix::from_triplets(p, 2, 4, &[(1, 3, 1)])).unwrap()).unwrap();
}
