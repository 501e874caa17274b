//! Work on sparse matrices as such, Schur complements that are formed, and random residues.

use super::search::Search;
use crate::families;
use crate::field::{Modulus, Rng};
use crate::matching::maximum_matching;
use crate::pivots;
use crate::schur::{Estimate, FormOptions, Formed, Prediction, Solver, Split};
use crate::sparse::{Pattern, SparseMatrix};
use crate::spmv::{Block, Lane};
use crate::{Error, Result, Silent};
use rand::{RngExt, SeedableRng};

const P: u64 = 65521;

pub(super) fn time(search: &mut Search) -> Result<()> {
    let mut rng = Rng::seed_from_u64(3);
    let modulus = Modulus::new(P)?;
    let name = search.effort.pick("ch4-4-b2", "ch7-8-b4");
    let a = families::generate(name)?.try_reduce(modulus)?;
    let nnz = a.nnz() as f64;
    let entries = move |of: fn(&crate::cost::Sparse) -> f64| move |m: &crate::cost::Machine| nnz * of(&m.sparse);
    search.time("sparse.transpose", format!("the transpose of {name}"), entries(|s| s.transpose), || {
        a.transpose().map(|_| ())
    })?;
    structural_pivots(search, "sparse.cover", search.effort.pick("ch4-4-b2", "shar_te2-b2"))?;
    structural_pivots(search, "sparse.search", search.effort.pick("mk8-b2", "mk12-b4"))?;
    let pattern = Pattern::of(&a)?;
    search.time("sparse.matching", format!("a maximum matching of {name}"), entries(|s| s.matching), || {
        maximum_matching(&pattern).map(|_| ())
    })?;

    schur(search, "schur.entry", name, &a)?;
    let n = search.effort.pick(60, 3000);
    let mut row = |i| (0..6).map(|_| (i, rng.random_range(0..n), rng.random_range(1..P))).collect::<Vec<_>>();
    let entries: Vec<_> = (0..n).flat_map(&mut row).collect();
    let random = SparseMatrix::from_triplets(modulus, n, n, &entries);
    schur(search, "schur.product", &format!("a random {n} x {n} matrix with 6 entries a row"), &random)?;

    let n = search.effort.pick(256, 16384);
    let mut block = Block::zeros(Lane::U16, n, 32)?;
    let residues = (32 * n) as f64;
    let uniform = move |m: &crate::cost::Machine| residues * m.random.uniform;
    let rough = move |m: &crate::cost::Machine| residues * m.random.rough;
    search.time("random.uniform", format!("{residues} uniform residues mod {P}"), uniform, || {
        block.fill_uniformly(0..n, modulus, &mut rng);
        Ok(())
    })?;
    search.time("random.rough", format!("{residues} roughly uniform residues mod {P}"), rough, || {
        block.fill_roughly(0..n, modulus, &mut rng);
        Ok(())
    })
}

/// The structural pivots of a matrix by name.
fn structural_pivots(search: &mut Search, price: &str, name: &str) -> Result<()> {
    let (a, effort) = (families::generate(name)?.try_reduce(Modulus::new(P)?)?, pivots::Effort::default());
    let (_, found) = pivots::find_best(&a, &effort, &Silent)?;
    let (shape, nnz) = ([a.rows(), a.cols()], a.nnz());
    search.time(
        price,
        format!("the structural pivots of {name}"),
        move |m| found.seconds(&effort, &m.sparse, shape, nnz),
        || pivots::find_best(&a, &effort, &Silent).map(|_| ()),
    )
}

/// The Schur complement of structural pivots.
fn schur(search: &mut Search, price: &str, name: &str, a: &SparseMatrix) -> Result<()> {
    let (transpose, found) = pivots::find_best(a, &pivots::Effort::default(), &Silent)?;
    let (a, pivots) = match transpose {
        true => (a.transpose()?, found.pivots),
        false => (a.try_clone()?, found.pivots),
    };
    let form = || -> Result<Formed> {
        let split = Split::new(&a, &pivots)?;
        let options = FormOptions { limit_nnz: usize::MAX, distinct: false, divisors: false, deadline: None };
        let formed = Solver::new(&split)?.form(&options, &Silent)?;
        formed.ok_or_else(|| Error::Check("a Schur complement without limits that was given up".into()))
    };
    let Formed { remainder, work, .. } = form()?;
    let matrix = remainder.matrix;
    let exactly = |mean: f64| Estimate { mean, deviation: 0.0 };
    let made = Prediction {
        rows: exactly(matrix.rows() as f64),
        cols: matrix.cols(),
        nnz: exactly(matrix.nnz() as f64),
        work: exactly(work as f64),
        density: 0.0,
        sampled: 0,
    };
    let nnz = a.nnz();
    search.time(
        price,
        format!("the Schur complement of {name}: {} entries, {work} multiply-adds", matrix.nnz()),
        move |machine| Solver::seconds(machine, nnz, &made),
        || form().map(|_| ()),
    )
}
