//! Sparse products on a CUDA GPU, by kind of entries and block width, timed by its events.

use super::clock::Clock;
use blackfield::field::{Modulus, Rng};
use blackfield::gpu::Device;
use blackfield::sparse::SparseMatrix;
use blackfield::spmv::{Block, GpuMatrix, GpuShape, Plan, PlanOptions, Product};
use blackfield::{Error, Result, families};
use rand::{RngExt, SeedableRng};

const WIDTHS: [usize; 6] = [1, 8, 16, 32, 64, 128];
/// Products between two events, and how often.
const PRODUCTS: usize = 8;
const TIMES: usize = 7;

pub fn time(clock: &mut Clock, device: &Device, modulus: Modulus) -> Result<()> {
    let mut rng = Rng::seed_from_u64(1);
    let shapes = clock.pick(&[(1000, 7)][..], &[(171_000, 35), (2_400_000, 7)][..]);
    for &(rows, entries) in shapes {
        for (kind, signs) in [("+-1", true), ("values", false)] {
            let a = uniform(modulus, rows, entries, signs, &mut rng)?;
            let name = format!("{rows} rows of {entries} {kind}");
            widths(clock, device, &name, &a, &mut rng)?;
        }
    }
    for name in clock.pick(&["ch4-4-b2"][..], &["ch7-8-b4", "bibd_81_3"][..]) {
        widths(clock, device, name, &families::generate(name)?.try_reduce(modulus)?, &mut rng)?;
    }
    Ok(())
}

/// Random columns, as many in each row.
pub(super) fn uniform(p: Modulus, rows: usize, entries: usize, signs: bool, rng: &mut Rng) -> Result<SparseMatrix> {
    let mut triplets = Vec::with_capacity(rows * entries);
    for i in 0..rows {
        for _ in 0..entries {
            let v = if signs { [1, p.get() - 1][rng.random_range(0..2)] } else { rng.random_range(1..p.get()) };
            triplets.push((i, rng.random_range(0..rows), v));
        }
    }
    SparseMatrix::try_from_triplets(p, rows, rows, &triplets)
}

fn widths(clock: &mut Clock, device: &Device, name: &str, a: &SparseMatrix, rng: &mut Rng) -> Result<()> {
    let product = Product::new(a, &Plan::choose(a, &PlanOptions::default())?)?;
    for &block in clock.pick(&WIDTHS[..2], &WIDTHS[..]) {
        let shape = GpuShape { modulus: a.modulus(), block, degree: 1 };
        let matrix = GpuMatrix::for_products(device, a, shape, u64::MAX)?;
        for transpose in [false, true] {
            let (rows, operand) = if transpose { (a.cols(), a.rows()) } else { (a.rows(), a.cols()) };
            let x = Block::random(shape.lane(), operand, block, shape.modulus, rng)?;
            let mut expected = Block::zeros(shape.lane(), rows, block)?;
            match transpose {
                false => product.apply_scaled(None, &x, &mut expected)?,
                true => product.apply_transpose_scaled(None, &x, &mut expected)?,
            }
            let (mut x, mut y) = (matrix.upload(&x, transpose)?, matrix.zeros(!transpose)?);
            let mut seconds = Vec::new();
            // The first is to warm up.
            for _ in 0..=TIMES {
                let begin = matrix.stream().mark()?;
                for _ in 0..PRODUCTS {
                    matrix.apply(transpose, None, &mut x, &mut y)?;
                }
                seconds.push(matrix.stream().mark()?.seconds_since(&begin)? / PRODUCTS as f64);
            }
            let of = if transpose { ", transpose" } else { "" };
            let name = format!("{name}{of}, {block} vectors");
            if matrix.download(&y, rows)? != expected {
                return Err(Error::Check(format!("the product of {name} on {device}")));
            }
            seconds.remove(0);
            seconds.sort_by(f64::total_cmp);
            let (seconds, work) = (seconds[TIMES / 2], (a.nnz() * block) as f64);
            clock.add("gpu products", name, seconds, (work, "multiply-adds"))?;
        }
    }
    Ok(())
}
