//! What the room `dense` costs: ranks of random matrices and matrix products, over small and large primes.
//!
//! `cargo bench --bench dense [-- [ranks|products|shapes] [n …]]`. Run it with `RAYON_NUM_THREADS=1` for the unit of
//! the planner, one thread. Times are CPU seconds, the smallest of several runs; the last column is picoseconds for a
//! multiply-add, of which a rank has n³/3 and a product n³. Ranks are checked on each run.

mod common;

use blackfield::Silent;
use blackfield::dense::{Echelon, gemm};
use blackfield::field::{Modulus, Rng};
use common::clock;
use rand::{RngExt, SeedableRng};

/// 2, tiny primes, both sides of every change of the arithmetic, and the largest of 31, 61 and 63 bits.
const PRIMES: [u64; 11] = [2, 3, 5, 7, 251, 5791, 65521, 67_108_859, (1 << 31) - 1, (1 << 61) - 1, (1 << 63) - 25];

/// The least CPU time of a run in a few.
fn least(mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    let start = clock();
    for round in 0..7 {
        let begin = clock();
        run();
        best = best.min(clock() - begin);
        if round > 1 && clock() - start > 1.5 {
            break;
        }
    }
    best
}

fn residues(p: u64, count: usize, rng: &mut Rng) -> Vec<u64> {
    (0..count).map(|_| rng.random_range(0..p)).collect()
}

fn rank(modulus: Modulus, rows: usize, cols: usize, data: &[u64]) -> usize {
    let mut echelon = Echelon::new(modulus, cols).unwrap();
    echelon.absorb_block(rows, data, &Silent).expect("nobody interrupts")
}

fn ranks(n: usize, rng: &mut Rng) {
    for p in PRIMES {
        let modulus = Modulus::new(p).expect("a prime");
        let a = residues(p, n * n, rng);
        let mut found = 0;
        let seconds = least(|| found = rank(modulus, n, n, &a));
        assert!(found + 8 >= n, "a random matrix of rank {found} mod {p}");
        println!("rank    {n:>5} {p:>20} {seconds:>9.4} {:>9.2}", seconds * 3e12 / (n as f64).powi(3));
    }
}

fn products(n: usize, rng: &mut Rng) {
    for p in PRIMES {
        let modulus = Modulus::new(p).expect("a prime");
        let (a, b) = (residues(p, n * n, rng), residues(p, n * n, rng));
        let mut c = vec![0; n * n];
        let seconds = least(|| gemm(modulus, n, n, n, &a, &b, &mut c).unwrap());
        println!("product {n:>5} {p:>20} {seconds:>9.4} {:>9.2}", seconds * 1e12 / (n as f64).powi(3));
    }
}

/// Rectangles and low ranks: the last column is for m·n·r - r²·(m + n)/2 + r³/3 multiply-adds.
fn shapes(n: usize, rng: &mut Rng) {
    for p in [2, 65521, (1 << 31) - 1] {
        let modulus = Modulus::new(p).expect("a prime");
        for (rows, cols, inner) in
            [(10, n, 10), (n, 10, 10), (8 * n, n / 4, n / 4), (n / 4, 8 * n, n / 4), (n, n, n / 20)]
        {
            let (left, right) = (residues(p, rows * inner, rng), residues(p, inner * cols, rng));
            let mut a = vec![0; rows * cols];
            gemm(modulus, rows, inner, cols, &left, &right, &mut a).unwrap();
            let mut found = 0;
            let seconds = least(|| found = rank(modulus, rows, cols, &a));
            assert!(found <= inner && found + 8 >= inner.min(cols), "rank {found} of inner size {inner} mod {p}");
            let (m, n, r) = (rows as f64, cols as f64, found as f64);
            let work = m * n * r - r * r * (m + n) / 2.0 + r * r * r / 3.0;
            println!("{rows:>6} x {cols:>6} of rank {found:>5} {p:>12} {seconds:>9.4} {:>9.2}", seconds * 1e12 / work);
        }
    }
}

fn main() {
    let mut rng = Rng::seed_from_u64(1);
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let sizes: Vec<usize> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![2000, 4000] } else { sizes };
    let wanted =
        |name: &str| arguments.iter().all(|a| a.parse::<usize>().is_ok()) || arguments.iter().any(|a| a == name);
    for n in sizes {
        if wanted("ranks") {
            ranks(n, &mut rng);
        }
        if wanted("products") {
            products(n, &mut rng);
        }
        if wanted("shapes") {
            shapes(n, &mut rng);
        }
    }
}
