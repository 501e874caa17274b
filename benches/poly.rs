//! What the room `poly` costs: transforms, products of polynomial matrices, and the planner's choice against its
//! alternatives.
//!
//! `cargo bench --bench poly [-- ntt|products|evaluation]`. Run it with `RAYON_NUM_THREADS=1` for the cost model's
//! unit, one thread. Times are CPU seconds, the smallest of several runs, as shared machines wander. The products check
//! one coefficient against the definition on each run.

mod common;

use blackfield::field::{Field, Modulus, PrimeField, Rng};
use blackfield::poly::{
    Kept, Method, Ntt, PolyMatrix, ProductPlan, ProductShape, Row, evaluate_at, evaluate_geometric,
    interpolate_geometric,
};
use common::clock;
use rand::{RngExt, SeedableRng};

/// The least mean CPU time of a run over `rounds` rounds, in seconds. A round takes at least 40 ms, ten times the grain
/// of the kernel's accounts.
fn least(rounds: usize, mut run: impl FnMut()) -> f64 {
    let mut time = |runs: usize| {
        let start = clock();
        (0..runs).for_each(|_| run());
        clock() - start
    };
    let mut runs = 1;
    while time(runs) < 0.04 {
        runs *= 2;
    }
    (0..rounds).map(|_| time(runs) / runs as f64).fold(f64::INFINITY, f64::min)
}

fn random(field: &PrimeField, rows: usize, cols: usize, len: usize, rng: &mut Rng) -> PolyMatrix<u64> {
    PolyMatrix::from_coefficients(rows, cols, (0..rows * cols * len).map(|_| field.random(rng)).collect())
}

fn transforms(rng: &mut Rng) {
    println!("transforms: microseconds for one polynomial (eight run together), picoseconds for a point and level");
    println!("{:>9} {:>10} {:>10} {:>8} {:>8}", "points", "forward", "inverse", "fwd ps", "inv ps");
    for points in [64, 256, 1024, 1536, 4096, 8192, 12288, 16384, 65536, 262144] {
        let ntt = Ntt::new(0, points);
        let mut data: Vec<Row> =
            (0..points).map(|_| Row(std::array::from_fn(|_| rng.random_range(0..Ntt::PRIMES[0])))).collect();
        let repeat = (1 << 18) / points + 1; // reading the clock is no small thing
        let forward = least(5, || (0..repeat).for_each(|_| ntt.forward(&mut data))) / (8 * repeat) as f64;
        let inverse = least(5, || (0..repeat).for_each(|_| ntt.inverse(&mut data))) / (8 * repeat) as f64;
        let steps = points as f64 * (points as f64).log2();
        println!(
            "{points:>9} {:>10.3} {:>10.3} {:>8.1} {:>8.1}",
            forward * 1e6,
            inverse * 1e6,
            forward * 1e12 / steps,
            inverse * 1e12 / steps
        );
    }
    println!("instruction set: {}", Ntt::new(0, 64).instruction_set());
}

/// One coefficient of the product, from the definition.
fn coefficient(field: &PrimeField, a: &PolyMatrix<u64>, b: &PolyMatrix<u64>, i: usize, j: usize, t: usize) -> u64 {
    let mut sum = 0;
    for s in (t + 1).saturating_sub(b.len())..a.len().min(t + 1) {
        for l in 0..a.cols() {
            sum = field.add(sum, field.mul(a.get(i, l, s), b.get(l, j, t - s)));
        }
    }
    sum
}

fn products(rng: &mut Rng) {
    println!(
        "\nproducts 32 x 32 times 32 x 16, milliseconds; G/s: products of residues in the matrix products, a second"
    );
    for p in [65521, (1 << 31) - 1, 9223372036854775783] {
        let field = PrimeField(Modulus::new(p).expect("a prime"));
        for len in [1, 4, 16, 64, 256, 1024, 4096, 16384] {
            if p > 1 << 32 && len > 4096 {
                continue;
            }
            let (a, b) = (random(&field, 32, 32, len, rng), random(&field, 32, 16, len, rng));
            let plan = ProductPlan::new(&field, ProductShape::of(&a, &b, 0, 2 * len - 1));
            let expected = coefficient(&field, &a, &b, 3, 5, len - 1);
            for (method, planned) in plan.candidates.iter().filter(|(_, seconds)| *seconds < 0.1) {
                let forced = plan.clone().with_method(*method);
                let time = least(5, || {
                    assert_eq!(forced.execute(&field, &a, &b).unwrap().get(3, 5, len - 1), expected);
                });
                let pairs = match method {
                    Method::Fourier { points } => *points,
                    Method::Transform { primes, points } => primes * points,
                    _ => len * len,
                };
                println!(
                    "p = {p}, length {len:>5}: {:>9.3} ms (planned {:>9.3}), {:>5.1} G/s{} {method}",
                    time * 1e3,
                    planned * 1e3,
                    (pairs * 32 * 32 * 16) as f64 / time / 1e9,
                    if *method == plan.method { " *" } else { "  " },
                );
            }
        }
    }
}

/// The shapes in which a rank needs them: the generator of a matrix of 6545 rows in blocks of 16, and a determinant's
/// degree.
fn evaluation(rng: &mut Rng) {
    println!("\nvalues at geometric progressions, p = 65521, milliseconds");
    let modulus = Modulus::new(65521).expect("a prime");
    let field = PrimeField(modulus);
    for (size, len, count) in [(16, 32, 512), (16, 411, 6546), (32, 1000, 30000)] {
        let f = random(&field, size, size, len, rng);
        let expected = evaluate_at(&field, &f, field.mul(3, modulus.pow(17, count as u64 - 1)));
        let time = least(3, || {
            let values = evaluate_geometric(modulus, &f, 3, 17, count).unwrap();
            assert_eq!(values.coefficient(count - 1), expected);
        });
        println!("{size} x {size} of length {len} at {count} points: {:.2}", time * 1e3);
    }
    for n in [6546, 65000] {
        let f = random(&field, 1, 1, n, rng);
        let values = evaluate_geometric(modulus, &f, 1, 17, n).unwrap();
        let time = least(3, || assert_eq!(interpolate_geometric(modulus, values.data(), 1, 17).unwrap(), f.data()));
        println!("interpolation at {n} points: {:.2}", time * 1e3);
    }
}

fn main() {
    let only = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let mut rng = Rng::seed_from_u64(1);
    // Products follow each other, as in a search for a generator.
    let _kept = Kept::new();
    if wanted("ntt") {
        transforms(&mut rng);
    }
    if wanted("products") {
        products(&mut rng);
    }
    if wanted("evaluation") {
        evaluation(&mut rng);
    }
}
