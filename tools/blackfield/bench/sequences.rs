//! Sequences of block Wiedemann, with a Y of their own and projected by themselves.

use super::clock::{Clock, Run};
use blackfield::blackbox::{Diagonals, Preconditioned};
use blackfield::field::{Modulus, PrimeField, Rng};
use blackfield::sequence::{Gram, Krylov, Left, Projection, SequenceSource, Start};
use blackfield::sparse::SparseMatrix;
use blackfield::spmv::{Plan, PlanOptions, Product};
use blackfield::{Error, Result, Silent, families};
use rand::SeedableRng;

/// Terms that are made at a time.
const TERMS: usize = 4;
/// Matrices, and widths of blocks.
const CASES: [(&str, &[usize]); 4] =
    [("bibd_81_3", &[16]), ("ch7-8-b4", &[32]), ("ch7-9-b4", &[32, 64]), ("ch8-8-b4", &[64])];

pub fn time(clock: &mut Clock, modulus: Modulus) -> Result<()> {
    for &(name, widths) in clock.pick(&[("ch4-4-b2", &[4][..])][..], &CASES) {
        let a = families::generate(name)?.try_reduce(modulus)?;
        let product = Product::new(&a, &Plan::choose(&a, &PlanOptions::default())?)?;
        for &width in widths {
            for own in [false, true] {
                time_one(clock, &a, &product, (name, width, own))?;
            }
        }
    }
    Ok(())
}

/// The first terms again and again: those that one thread made, symmetric where the sequence is projected by itself.
fn time_one(
    clock: &mut Clock,
    a: &SparseMatrix,
    product: &Product,
    (name, width, own): (&str, usize, bool),
) -> Result<()> {
    let (field, rng) = (PrimeField(a.modulus()), &mut Rng::seed_from_u64(6));
    let diagonals = Diagonals::random(&field, a.rows(), a.cols(), false, rng)?;
    let left: Left = match own {
        true => Gram::of(&field, &diagonals)?.into(),
        false => Projection::sparse(&field, diagonals.order(), width, rng)?.into(),
    };
    let operator = Preconditioned::new(product, diagonals)?;
    let mut source = Krylov::new(&field, &operator, left, width, Start::Bx, rng)?;
    let Some(first) = source.state()? else { return Err(Error::Check("a sequence without a state".into())) };
    let first = first.to_residues()?;
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.map_err(|e| Error::Usage(format!("a pool of one thread: {e}")))?;
    let mut expected = vec![];
    one.install(|| source.extend(TERMS, &mut expected, &Silent))?;
    let symmetric = |term: &[u64]| (0..width * width).all(|k| term[k] == term[k % width * width + k / width]);
    if own && !expected.chunks(width * width).all(symmetric) {
        return Err(Error::Check(format!("a sequence that is projected by itself: {name}")));
    }
    let run = Run {
        group: "sequences",
        name: format!("{name}, {width} vectors, {}", if own { "own" } else { "Y drawn" }),
        work: TERMS as f64,
        unit: "terms",
        predicted: None,
        goal: None,
    };
    let restore = |(source, terms): &mut (Krylov<'_, _>, Vec<u64>)| {
        terms.clear();
        source.restore(&first)
    };
    let extend = |(source, terms): &mut (Krylov<'_, _>, Vec<u64>)| source.extend(TERMS, terms, &Silent);
    clock.time_prepared(run, (source, vec![]), restore, extend, |(_, terms)| Ok(*terms == expected))
}
