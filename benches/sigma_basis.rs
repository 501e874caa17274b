//! Order bases of random series in CPU seconds of one thread: `cargo bench --bench sigma_basis [-- m n order [leaf]]`,
//! mod 65521 or the environment's `MODULUS`.
//!
//! Each line is the best of three runs, checked by `verify`. LinBox 1.7.0 (one thread, the same kind of machine, p =
//! 65521) is printed beside where it was measured.

mod common;

use blackfield::Silent;
use blackfield::field::{Field, Modulus, PrimeField, Rng};
use blackfield::poly::PolyMatrix;
use blackfield::sigma_basis::{GeneratorSearch, Params, pm_basis, verify};
use common::clock;
use rand::SeedableRng;

/// m, n, order and LinBox's seconds.
const SHAPES: [(usize, usize, usize); 6] =
    [(32, 16, 820), (32, 16, 1024), (32, 16, 4096), (32, 16, 16384), (16, 8, 16384), (64, 32, 4096)];

fn main() {
    let arguments: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    one.install(|| match arguments[..] {
        [m, n, order] => run(m, n, order, None),
        [m, n, order, leaf] => run(m, n, order, Some(leaf)),
        _ => SHAPES.into_iter().for_each(|(m, n, order)| run(m, n, order, None)),
    });
}

fn run(m: usize, n: usize, order: usize, leaf: Option<usize>) {
    let modulus = std::env::var("MODULUS").map_or(65521, |p| p.parse().expect("a number"));
    let field = PrimeField(Modulus::new(modulus).expect("a prime"));
    let mut rng = Rng::seed_from_u64(1);
    let data = (0..m * n * order).map(|_| field.random(&mut rng)).collect();
    let series = PolyMatrix::from_coefficients(m, n, data);
    let mut params = Params::for_field(&field);
    params.leaf = leaf.unwrap_or(params.leaf);
    let shift = vec![0; m];
    let best = |run: &mut dyn FnMut()| {
        (0..3)
            .map(|_| {
                let start = clock();
                run();
                clock() - start
            })
            .fold(f64::INFINITY, f64::min)
    };
    let mut basis = None;
    let seconds = best(&mut || basis = pm_basis(&field, &series, order, &shift, &params, &Silent).ok());
    verify(&field, &series, &shift, &basis.expect("nobody stops it"), 1, &mut rng).expect("a right basis");
    println!("{m:3} x {n:2}  order {order:6}  {seconds:8.3} s");

    if m == 2 * n {
        let terms: Vec<u64> = (0..n * n * order).map(|_| field.random(&mut rng)).collect();
        for blocks in [1, 8] {
            let size = order.div_ceil(blocks) * n * n;
            let seconds = best(&mut || {
                let mut search = GeneratorSearch::with_params(field, n, params).unwrap();
                terms.chunks(size).for_each(|block| search.extend(block, &Silent).expect("nobody stops it"));
            });
            println!("          generator, {blocks} block(s)  {seconds:8.3} s");
        }
    }
}
