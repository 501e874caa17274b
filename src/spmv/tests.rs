//! The naive twin, stamped over formats × arithmetics × widths × instruction sets × scalars × primes.

use super::*;
use crate::field::{Modulus, Rng};
use crate::isa::Isa;
use crate::sparse::SparseMatrix;
use crate::sparse::formats::Format;
use crate::sparse::hybrid::Entries;
use rand::{RngExt, SeedableRng};

const PRIMES: [u64; 14] = [
    2,
    3,
    7,
    251,
    257,
    4093,
    65521,
    65537,
    67108859,
    (1 << 31) - 1,
    4294967291,
    (1 << 61) - 1,
    9223372036854775783,
    2305843009213693951,
];

fn modulus(p: u64) -> Modulus {
    Modulus::new(p).unwrap()
}

/// α·A·X + β·Y, entry by entry.
fn naive(a: &SparseMatrix, alpha: u64, x: &Block, beta: u64, y: &Block) -> Vec<u64> {
    let p = a.modulus();
    let mut result = Vec::new();
    for i in 0..a.rows() {
        let (cols, values) = a.row(i);
        for l in 0..x.width() {
            let sum = cols.iter().zip(values).fold(0, |s, (&j, &v)| p.add(s, p.mul(v, x.get(j as usize, l))));
            result.push(p.add(p.mul(alpha, sum), p.mul(beta, y.get(i, l))));
        }
    }
    result
}

/// Every kind of matrix that a format could trip over.
fn matrices(p: Modulus, rng: &mut Rng) -> Vec<SparseMatrix> {
    let m = p.get();
    let mut any = |rows: usize, cols: usize, nnz: usize, units: bool| {
        let entries: Vec<_> = (0..nnz)
            .map(|_| {
                let v = if units && rng.random_range(0..3) > 0 {
                    [1, m - 1][rng.random_range(0..2)]
                } else {
                    rng.random_range(0..m)
                };
                (rng.random_range(0..rows), rng.random_range(0..cols), v)
            })
            .collect();
        SparseMatrix::from_triplets(p, rows, cols, &entries)
    };
    let mut list = vec![any(40, 30, 200, true), any(7, 50, 60, false), any(60, 5, 40, true), any(1, 1, 1, false)];
    let triplets = |rows, cols, entries: &[_]| SparseMatrix::from_triplets(p, rows, cols, entries);
    list.push(triplets(0, 5, &[]));
    list.push(triplets(5, 0, &[]));
    list.push(triplets(4, 4, &[]));
    // One dense row of largest values among empty ones.
    list.push(triplets(20, 300, &(0..300).map(|j| (13, j, m - 1)).collect::<Vec<_>>()));
    list.push(triplets(300, 20, &(0..300).map(|i| (i, 13, m / 2)).collect::<Vec<_>>()));
    // Three diagonals, one entry off them.
    let band: Vec<_> =
        (0..90usize).map(|k| (k % 30, (k % 30 + [0, 1, 28][k / 30]) % 30, (k as u64 * 7 + 2) % m)).collect();
    list.push(triplets(30, 30, &band));
    // Equal rows of +1 and -1.
    list.push(triplets(16, 9, &(0..64).map(|k| (k / 4, 2 * (k % 4), [1, m - 1][k % 2])).collect::<Vec<_>>()));
    list
}

fn lanes_of(p: Modulus) -> Vec<(Lane, ArithmeticKind)> {
    use ArithmeticKind::*;
    let all = [
        (Lane::U8, Narrow),
        (Lane::U16, Narrow),
        (Lane::U16, Wide),
        (Lane::U32, Wide),
        (Lane::U32, Split),
        (Lane::U64, Long),
        (Lane::F32, Float),
        (Lane::F64, Float),
    ];
    let one = SparseMatrix::from_triplets(p, 1, 1, &[(0, 0, 1)]);
    let fits = |&(lane, kind): &(Lane, ArithmeticKind)| {
        let options = PlanOptions { lane: Some(lane), arithmetic: Some(kind), ..Default::default() };
        Plan::choose(&one, &options).is_ok()
    };
    let fitting: Vec<_> = all.into_iter().filter(fits).collect();
    assert!(fitting.iter().any(|&(lane, _)| lane == Lane::narrowest(p)));
    fitting
}

fn check(a: &SparseMatrix, options: &PlanOptions, width: usize, rng: &mut Rng) {
    let p = a.modulus();
    let plan = Plan::choose(a, options).unwrap();
    let product = Product::new(a, &plan).unwrap();
    assert_eq!(plan.parts.is_empty(), a.nnz() == 0);
    assert_eq!(product.bytes(), plan.bytes(), "{plan}");
    assert_eq!(plan.parts.iter().map(|part| part.nnz).sum::<usize>(), a.nnz());
    let transpose = a.transpose().unwrap();
    let random = |rows, rng: &mut Rng| Block::random(plan.lane, rows, width, p, rng).unwrap();
    let largest = |rows: usize| Block::from_residues(plan.lane, rows, width, &vec![p.get() - 1; rows * width]).unwrap();
    for (round, (alpha, beta)) in
        [(1, 0), (p.get() - 1, 1), (0, p.get() - 1), (p.get() / 3, p.get() / 2)].into_iter().enumerate()
    {
        let context = || format!("p = {p}, {options:?}, width {width}, alpha {alpha}, beta {beta}\n{plan}");
        let x = if round == 0 { largest(a.cols()) } else { random(a.cols(), rng) };
        let mut y = random(a.rows(), rng);
        let expected = naive(a, alpha, &x, beta, &y);
        product.apply(alpha, &x, beta, &mut y).unwrap();
        assert_eq!(y.to_residues().unwrap(), expected, "{}", context());

        let x = if round == 0 { largest(a.rows()) } else { random(a.rows(), rng) };
        let mut y = random(a.cols(), rng);
        let expected = naive(&transpose, alpha, &x, beta, &y);
        product.apply_transpose(alpha, &x, beta, &mut y).unwrap();
        assert_eq!(y.to_residues().unwrap(), expected, "transpose, {}", context());

        let d: Vec<u64> = (0..a.rows()).map(|_| rng.random_range(0..p.get())).collect();
        let z = random(a.cols(), rng);
        let mut w = random(a.rows(), rng);
        product.apply_scaled(Some(&d), &z, &mut w).unwrap();
        let unscaled = naive(a, 1, &z, 0, &Block::zeros(plan.lane, a.rows(), width).unwrap());
        let expected: Vec<u64> = unscaled.iter().enumerate().map(|(k, &v)| p.mul(d[k / width], v)).collect();
        assert_eq!(w.to_residues().unwrap(), expected, "scaled, {}", context());

        let d: Vec<u64> = (0..a.cols()).map(|_| rng.random_range(0..p.get())).collect();
        product.apply_transpose_scaled(Some(&d), &x, &mut y).unwrap();
        let zero = Block::zeros(plan.lane, a.cols(), width).unwrap();
        let unscaled = naive(&transpose, 1, &x, 0, &zero);
        let expected: Vec<u64> = unscaled.iter().enumerate().map(|(k, &v)| p.mul(d[k / width], v)).collect();
        assert_eq!(y.to_residues().unwrap(), expected, "scaled, {}", context());
    }
}

#[test]
fn every_arithmetic_and_width_on_every_instruction_set() {
    let mut rng = Rng::seed_from_u64(1);
    for p in PRIMES.map(modulus) {
        for a in matrices(p, &mut rng) {
            for (lane, arithmetic) in lanes_of(p) {
                for isa in Isa::available() {
                    for width in [1, 2, 7, 8, 16, 33, 64] {
                        let options = PlanOptions {
                            lane: Some(lane),
                            arithmetic: Some(arithmetic),
                            isa: Some(isa),
                            ..Default::default()
                        };
                        check(&a, &options, width, &mut rng);
                    }
                }
            }
        }
    }
}

#[test]
fn every_format_with_and_without_segregation() {
    let mut rng = Rng::seed_from_u64(2);
    for p in [2, 3, 65521, 4294967291, (1 << 61) - 1].map(modulus) {
        for a in matrices(p, &mut rng) {
            for format in Format::ALL {
                for segregation in [Segregation::Auto, Segregation::Always, Segregation::Never] {
                    for transpose in [TransposeMode::Stored, TransposeMode::Scatter] {
                        let options = PlanOptions { force: Some(format), segregation, transpose, ..Default::default() };
                        check(&a, &options, 5, &mut rng);
                    }
                }
                check(&a, &PlanOptions { forbid: vec![format], ..Default::default() }, 16, &mut rng);
            }
        }
    }
}

#[test]
fn every_format_in_every_arithmetic_and_width_on_every_instruction_set() {
    let mut rng = Rng::seed_from_u64(6);
    for p in [2, 65521, 4294967291, (1 << 61) - 1].map(modulus) {
        for a in matrices(p, &mut rng) {
            for force in Format::ALL.map(Some) {
                for (lane, arithmetic) in lanes_of(p) {
                    for isa in Isa::available() {
                        for width in [1, 8, 16, 33] {
                            let (lane, arithmetic, isa) = (Some(lane), Some(arithmetic), Some(isa));
                            let options = PlanOptions { force, lane, arithmetic, isa, ..Default::default() };
                            check(&a, &options, width, &mut rng);
                        }
                    }
                }
            }
        }
    }
}

/// Few entries in each row, many in some columns: ±1 are apart in the transpose alone, and the other way round.
#[test]
fn each_side_is_stored_as_suits_it() {
    let mut rng = Rng::seed_from_u64(7);
    for p in [65521, 4093, 65537] {
        let entry = |rng: &mut Rng, i: usize| {
            let v = if rng.random_bool(0.1) { rng.random_range(2..p - 1) } else { [1, p - 1][rng.random_range(0..2)] };
            (i, rng.random_range(0..10), v)
        };
        let entries: Vec<_> = (0..1500).map(|k| entry(&mut rng, k / 5 + k % 3)).collect();
        let tall = SparseMatrix::from_triplets(modulus(p), 310, 10, &entries);
        let wide = tall.transpose().unwrap();
        for width in [1, 16, 32, 33] {
            let options = PlanOptions::default().width(width);
            check(&tall, &options, width, &mut rng);
            check(&wide, &options, width, &mut rng);
        }
        let apart = |a: &SparseMatrix| {
            let plan = Plan::choose(a, &PlanOptions::default().width(16)).unwrap();
            let columns = plan.transposed.unwrap().iter().any(|part| part.entries != Entries::Valued);
            (plan.segregate, columns)
        };
        assert_eq!((apart(&tall), apart(&wide)), ((false, true), (true, false)), "mod {p}");
    }
    // Sums of 32 bits hold 16 products mod 16381: enough for the rows, not for the columns.
    let p = modulus(16381);
    let entry = |rng: &mut Rng, i: usize| (i, rng.random_range(0..10), [1, 16380, 2, 3][rng.random_range(0..4)]);
    let entries: Vec<_> = (0..1500).map(|k| entry(&mut rng, k / 3)).collect();
    let tall = SparseMatrix::from_triplets(p, 500, 10, &entries);
    let plan = Plan::choose(&tall, &PlanOptions::default().width(1)).unwrap();
    assert!(!plan.segregate && plan.arithmetic == ArithmeticKind::Wide && plan.budget.1 > 500, "{plan}");
    check(&tall, &PlanOptions::default().width(1), 1, &mut rng);
}

#[test]
fn rows_heavier_than_the_budget_are_folded() {
    let mut rng = Rng::seed_from_u64(3);
    // 40 000 terms exceed the budget of 16-bit lanes in 32-bit sums (32 775 residues), and any of f32.
    for (p, lane, kind) in [
        (65521, Lane::U16, ArithmeticKind::Narrow),
        (251, Lane::U8, ArithmeticKind::Narrow),
        (4093, Lane::F32, ArithmeticKind::Float),
        ((1 << 31) - 1, Lane::U32, ArithmeticKind::Wide),
        (67108859, Lane::U32, ArithmeticKind::Wide),
        (4294967291, Lane::U32, ArithmeticKind::Split),
        (67108859, Lane::F64, ArithmeticKind::Float),
    ] {
        let p = modulus(p);
        let n = 40_000;
        for v in [1, p.get() - 1, p.get() / 2] {
            let a = SparseMatrix::from_triplets(p, 2, n, &(0..n).map(|j| (1, j, v)).collect::<Vec<_>>());
            for transpose in [TransposeMode::Stored, TransposeMode::Scatter] {
                let options = PlanOptions { lane: Some(lane), arithmetic: Some(kind), transpose, ..Default::default() };
                check(&a, &options, 4, &mut rng);
                check(&a.transpose().unwrap(), &options, 4, &mut rng);
            }
        }
    }
}

/// As many of the largest products as a sum of 52 bits holds, and one more: a million mod 65521.
#[test]
fn the_heaviest_rows_are_exact() {
    for (p, lane, kind, v) in [
        (65521, Lane::U16, ArithmeticKind::Wide, 65521 / 2),
        (65537, Lane::U32, ArithmeticKind::Split, 65536),
        (4294967291, Lane::U32, ArithmeticKind::Split, 4294967290),
    ] {
        let p = modulus(p);
        let options = PlanOptions { lane: Some(lane), arithmetic: Some(kind), ..Default::default() };
        let options = PlanOptions { segregation: Segregation::Never, transpose: TransposeMode::Scatter, ..options };
        let two = SparseMatrix::from_triplets(p, 1, 1, &[(0, 0, 2)]);
        let most = Plan::choose(&two, &options).unwrap().budget.1 as usize;
        assert!(most >= (1 << 19) - 1, "{most}");
        for n in [most, most + 1] {
            let column = SparseMatrix::from_triplets(p, n, 1, &(0..n).map(|i| (i, 0, v)).collect::<Vec<_>>());
            let row = column.transpose().unwrap();
            let [row, column] = [&row, &column].map(|a| Product::new(a, &Plan::choose(a, &options).unwrap()).unwrap());
            let expected = p.neg(p.mul(v, n as u64 % p.get()));
            for width in [1, 8, 16, 33] {
                let x = Block::from_residues(lane, n, width, &vec![p.get() - 1; n * width]).unwrap();
                let mut y = [(); 2].map(|()| Block::zeros(lane, 1, width).unwrap());
                row.apply(1, &x, 0, &mut y[0]).unwrap();
                column.apply_transpose(1, &x, 0, &mut y[1]).unwrap();
                for y in y {
                    assert_eq!(y.to_residues().unwrap(), vec![expected; width], "{n} entries {v} mod {p}");
                }
            }
        }
    }
}

#[test]
fn same_bits_on_any_number_of_threads() {
    let p = modulus(65521);
    let mut rng = Rng::seed_from_u64(4);
    let entries: Vec<_> = (0..200_000)
        .map(|_| {
            (rng.random_range(0..30_000), rng.random_range(0..20_000), [1, p.get() - 1, 5][rng.random_range(0..3)])
        })
        .collect();
    let a = SparseMatrix::from_triplets(p, 30_000, 20_000, &entries);
    for transpose in [TransposeMode::Stored, TransposeMode::Scatter] {
        let plan = Plan::choose(&a, &PlanOptions { transpose, ..Default::default() }).unwrap();
        let product = Product::new(&a, &plan).unwrap();
        let x = Block::random(plan.lane, 20_000, 48, p, &mut rng).unwrap();
        let on = |threads: usize| {
            let mut y = Block::zeros(plan.lane, 30_000, 48).unwrap();
            let mut z = Block::zeros(plan.lane, 20_000, 48).unwrap();
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
                product.apply_scaled(None, &x, &mut y).unwrap();
                product.apply_transpose_scaled(None, &y, &mut z).unwrap();
            });
            z
        };
        let one = on(1);
        for threads in [2, 3, 5, 8] {
            assert!(on(threads) == one, "{threads} threads");
        }
    }
}

#[test]
fn powers_and_sequences() {
    let p = modulus(101);
    // The companion matrix of x³ - x - 1 … as a cyclic shift: order 3.
    let shift = SparseMatrix::from_triplets(p, 3, 3, &[(0, 1, 1), (1, 2, 1), (2, 0, 1)]);
    let product = Product::new(&shift, &Plan::choose(&shift, &PlanOptions::default()).unwrap()).unwrap();
    let x = Block::from_residues(product.lane(), 3, 2, &[1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(product.power(0, x.clone()).unwrap(), x);
    assert_eq!(product.power(3, x.clone()).unwrap(), x);
    assert_eq!(product.power(1, x.clone()).unwrap().to_residues().unwrap(), [3, 4, 5, 6, 1, 2]);
    let (mut seen, mut y) = (Vec::new(), x.clone());
    product.sequence(4, &mut y, |i, b| seen.push((i, b.get(0, 0)))).unwrap();
    assert_eq!(seen, [(1, 3), (2, 5), (3, 1), (4, 3)]);
}

#[test]
fn plans_say_what_they_do() {
    let p = modulus(65521);
    let m = p.get();
    let equal_rows: Vec<_> = (0..100).flat_map(|i| [(i, i % 50, 1), (i, 50 + i % 40, m - 1)]).collect();
    let a = SparseMatrix::from_triplets(p, 100, 100, &equal_rows);
    let plan = Plan::choose(&a, &PlanOptions::default()).unwrap();
    let formats: Vec<_> = plan.parts.iter().map(|part| (part.format, part.width)).collect();
    assert_eq!(formats, [(Format::Ell, 1), (Format::Ell, 1)]);
    assert_eq!((plan.lane, plan.arithmetic), (Lane::U16, ArithmeticKind::Narrow));
    assert!(plan.to_string().contains("100 +1 in ELL(1), 100 -1 in ELL(1)"), "{plan}");
    #[cfg(feature = "serde")]
    assert_eq!(serde_json::from_str::<Plan>(&serde_json::to_string(&plan).unwrap()).unwrap(), plan);

    let band: Vec<_> = (0..100usize).flat_map(|i| [(i, i, 5), (i, (i + 1).min(99), 7)]).collect();
    let plan = Plan::choose(&SparseMatrix::from_triplets(p, 100, 100, &band), &PlanOptions::default()).unwrap();
    assert_eq!(plan.parts[0].format, Format::Dia);
    let few = SparseMatrix::from_triplets(p, 100, 100, &[(3, 4, 1)]);
    assert_eq!(Plan::choose(&few, &PlanOptions::default()).unwrap().parts[0].format, Format::Coo);
    let some: Vec<_> = (0..30).map(|i| (3 * i, i, 1)).collect();
    let plan = Plan::choose(&SparseMatrix::from_triplets(p, 100, 100, &some), &PlanOptions::default()).unwrap();
    assert_eq!(plan.parts[0].format, Format::CooS);
}

#[test]
fn impossible_wishes_are_refused() {
    let a = SparseMatrix::from_triplets(modulus(65521), 2, 2, &[(0, 0, 3)]);
    for options in [
        PlanOptions { lane: Some(Lane::U8), ..Default::default() },
        PlanOptions { lane: Some(Lane::F32), ..Default::default() },
        PlanOptions { lane: Some(Lane::U32), arithmetic: Some(ArithmeticKind::Narrow), ..Default::default() },
    ] {
        assert!(matches!(Plan::choose(&a, &options), Err(crate::Error::Usage(_))), "{options:?}");
    }
}
