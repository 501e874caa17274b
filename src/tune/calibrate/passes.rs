//! Sparse products with blocks of vectors and substitutions by columns, on random matrices.

use super::search::Search;
use crate::field::{Modulus, Rng};
use crate::sparse::SparseMatrix;
use crate::spmv::{Block, LANES, Lane, Plan, PlanOptions, Product, PushSolve, SolveLines, pass_seconds, row_seconds};
use crate::{Error, Result};
use rand::{RngExt, SeedableRng};

const P: u64 = 65521;

/// What a product is timed for: order, entries of a row, vectors of the block, whether entries are not ±1.
#[derive(Clone, Copy)]
struct Shape {
    n: usize,
    weight: usize,
    width: usize,
    valued: bool,
}

pub(super) fn time(search: &mut Search) -> Result<()> {
    let mut rng = Rng::seed_from_u64(2);
    let small = search.effort.pick(128, 2048);
    // Four times the cache.
    let far = search.effort.pick(128, (4.0 * search.built_in.passes.cache / 64.0) as usize);
    let shape = |n, weight, width, valued| Shape { n, weight, width, valued };
    for (price, shape) in [
        ("passes.gather", shape(small, 64, 16, false)),
        ("passes.gather_byte", shape(small, 64, 64, false)),
        ("passes.reduce", shape(small, 2, 32, false)),
        ("passes.row", shape(small, 2, 8, false)),
        ("passes.product", shape(small, 64, 32, true)),
        ("passes.far", shape(far, 8, 32, false)),
    ] {
        product(search, price, shape, &mut rng)?;
    }
    ready(search, small, &mut rng)?;
    // Sums beyond the cache, as those of the matrices that substitution by columns is for.
    let long = search.effort.pick(128, (search.built_in.passes.cache / 4.0) as usize);
    for (price, p) in [("passes.push", P), ("passes.push_byte", (1 << 61) - 1)] {
        push(search, price, p, long, &mut rng)?;
    }
    Ok(())
}

/// A matrix with so many entries in each row, one in each of as many ranges of columns.
fn random(modulus: Modulus, n: usize, weight: usize, valued: bool, rng: &mut Rng) -> SparseMatrix {
    let (p, range) = (modulus.get(), n / weight);
    let mut entries = Vec::with_capacity(n * weight);
    for i in 0..n {
        for k in 0..weight {
            let value = if valued { rng.random_range(2..p - 1) } else { 1 };
            entries.push((i, k * range + rng.random_range(0..range), value));
        }
    }
    SparseMatrix::from_triplets(modulus, n, n, &entries)
}

fn product(search: &mut Search, price: &str, shape: Shape, rng: &mut Rng) -> Result<()> {
    let Shape { n, weight, width, valued } = shape;
    let modulus = Modulus::new(P)?;
    let a = random(modulus, n, weight, valued, rng);
    let product = Product::new(&a, &Plan::choose(&a, &PlanOptions::default().width(width))?)?;
    let x = Block::random(Lane::U16, n, width, modulus, rng)?;
    let mut y = Block::zeros(Lane::U16, n, width)?;
    let nnz = a.nnz();
    let kind = if valued { "values" } else { "+1" };
    search.time(
        price,
        format!("product of a random {n} x {n} matrix, {weight} entries ({kind}) a row, with {width} vectors mod {P}"),
        move |machine| {
            let (prices, valued) = (&machine.passes, if valued { nnz } else { 0 });
            pass_seconds(prices, modulus, n, nnz, valued, width) + row_seconds(prices, n, width)
        },
        || product.apply_scaled(None, &x, &mut y),
    )?;
    // The first row and the last one.
    for i in [0, n - 1] {
        let (cols, values) = a.row(i);
        let sum = |l| cols.iter().zip(values).fold(0, |sum, (&j, &v)| (sum + v * x.get(j as usize, l)) % P);
        if (0..width).any(|l| y.get(i, l) != sum(l)) {
            return Err(Error::Check(format!("row {i} of a product with {width} vectors mod {P}")));
        }
    }
    Ok(())
}

fn ready(search: &mut Search, n: usize, rng: &mut Rng) -> Result<()> {
    let a = random(Modulus::new(P)?, n, 64, true, rng);
    let nnz = a.nnz();
    search.time(
        "passes.ready",
        format!("plan and layout of {nnz} entries, and of the transpose"),
        move |machine| nnz as f64 * machine.passes.ready,
        || Product::new(&a, &Plan::choose(&a, &PlanOptions::default())?).map(|_| ()),
    )
}

/// Lines without order among them, added to sums.
fn push(search: &mut Search, price: &str, p: u64, n: usize, rng: &mut Rng) -> Result<()> {
    let (modulus, weight) = (Modulus::new(p)?, 4);
    let a = random(modulus, n, weight, false, rng);
    let mut lines = SolveLines::with_capacity(modulus, n, a.nnz())?;
    for i in 0..n {
        let (cols, values) = a.row(i);
        lines.push(cols.iter().copied().zip(values.iter().copied()))?;
    }
    let solve = PushSolve::new(n, 0, lines)?;
    let mut space = solve.space()?;
    let x: [u64; LANES] = std::array::from_fn(|_| rng.random_range(1..p));
    let entries = a.nnz() as f64;
    search.time(
        price,
        format!("{} entries pushed, blocks of {LANES} vectors mod {p}", a.nnz()),
        move |machine| PushSolve::push_seconds(&machine.passes, modulus, entries, 0.0, LANES),
        || {
            (0..n).for_each(|i| solve.add(&mut space, i, &x));
            solve.solve(&mut space);
            match space.take_work() {
                work if work == entries as u64 => Ok(()),
                work => Err(Error::Check(format!("{work} of {entries} entries pushed"))),
            }
        },
    )
}
