//! Sparse products, by format and block width.

use super::clock::{Clock, Run};
use blackfield::cost::Machine;
use blackfield::field::{Modulus, Rng};
use blackfield::sparse::SparseMatrix;
use blackfield::sparse::formats::Format;
use blackfield::spmv::{Block, Lane, Plan, PlanOptions, Product, pass_seconds, row_seconds};
use blackfield::{Result, families};
use rand::SeedableRng;

const FORMATS: [Option<Format>; 5] =
    [None, Some(Format::Csr), Some(Format::Coo), Some(Format::CooS), Some(Format::EllR)];
const WIDTHS: [usize; 4] = [1, 16, 32, 64];

pub fn time(clock: &mut Clock, modulus: Modulus, machine: &Machine) -> Result<()> {
    let name = clock.pick("ch4-4-b2", "ch7-8-b4");
    let a = families::generate(name)?.try_reduce(modulus)?;
    let widths = clock.pick(&WIDTHS[..2], &WIDTHS[..]);
    let mut rng = Rng::seed_from_u64(1);
    for &width in widths {
        let residues = Block::random(Lane::U64, a.cols(), width, modulus, &mut rng)?.to_residues()?;
        let expected = plain(&a, &residues, width);
        for format in FORMATS {
            let plan = Plan::choose(&a, &PlanOptions::default().force(format).width(width))?;
            let product = Product::new(&a, &plan)?;
            let x = Block::from_residues(plan.lane, a.cols(), width, &residues)?;
            let y = Block::zeros(plan.lane, a.rows(), width)?;
            let passes = &machine.passes;
            let seconds = pass_seconds(passes, modulus, a.rows(), a.nnz(), a.valued(), width);
            let seconds = seconds + row_seconds(passes, a.rows(), width);
            let run = Run {
                group: "products",
                name: format!("{name}, {} with {width} vectors", format.map_or("chosen", Format::name)),
                work: (a.nnz() * width) as f64,
                unit: "multiply-adds",
                predicted: Some(seconds),
                goal: None,
            };
            let multiply = |y: &mut Block| product.apply_scaled(None, &x, y);
            clock.time(run, y, multiply, |y| Ok(y.to_residues()? == expected))?;
        }
    }
    Ok(())
}

/// The product by its definition.
fn plain(a: &SparseMatrix, x: &[u64], width: usize) -> Vec<u64> {
    let p = a.modulus();
    let row = |i: usize| {
        let (cols, values) = a.row(i);
        (0..width).map(move |l| {
            let terms = cols.iter().zip(values);
            terms.fold(0, |sum, (&j, &v)| p.add(sum, p.mul(v, x[j as usize * width + l])))
        })
    };
    (0..a.rows()).flat_map(row).collect()
}
