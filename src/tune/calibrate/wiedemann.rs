//! Block Wiedemann beyond its products: projections, scalings, order bases, determinants. Operations are counted as
//! `wiedemann/cost.rs` does.

use super::search::Search;
use crate::cost::{Machine, Wiedemann};
use crate::dense::determinants;
use crate::field::{ExtensionField, Field, Modulus, PrimeField, Rng};
use crate::poly::{Kept, PolyMatrix};
use crate::sequence::{Gram, Projection};
use crate::sigma_basis::{Params, pm_basis};
use crate::spmv::{Block, DigitScaling, Lane};
use crate::{Result, Silent};
use rand::{RngExt, SeedableRng};

/// The block size, and the degree of an extension of GF(251).
const S: usize = 16;
const K: usize = 3;

pub(super) fn time(search: &mut Search) -> Result<()> {
    let mut rng = Rng::seed_from_u64(5);
    let large = PrimeField(Modulus::new(65521)?);
    let small = Modulus::new(251)?;
    let extension = ExtensionField::new(small, K, &mut rng);
    projections(search, large, &mut rng)?;
    let wide = PrimeField(Modulus::new((1 << 61) - 1)?);
    grams(search, "wiedemann.gram", &large, |prices| prices.gram, &mut rng)?;
    grams(search, "wiedemann.gram_digits", &extension, |prices| prices.gram_digits, &mut rng)?;
    grams(search, "wiedemann.gram_wide", &wide, |prices| prices.gram_wide, &mut rng)?;
    scaling(search, small, &mut rng)?;

    let _kept = Kept::new();
    let order = search.effort.pick(16, 512);
    basis(search, "wiedemann.basis", &large, order, |prices| prices.basis_of(S), &mut rng)?;
    let by_digits = |prices: &Wiedemann| (2 * K - 1) as f64 * prices.basis_digit;
    basis(search, "wiedemann.basis_digit", &extension, order / 4, by_digits, &mut rng)?;

    let count = search.effort.pick(32, 4096);
    let matrices: Vec<u64> = (0..count * S * S).map(|_| large.random(&mut rng)).collect();
    let multiply_adds = (count * S.pow(3)) as f64;
    search.time(
        "wiedemann.determinant",
        format!("{count} determinants of order {S} mod 65521"),
        move |machine| multiply_adds * machine.wiedemann.determinant,
        || {
            determinants(large.0, S, &matrices);
            Ok(())
        },
    )
}

fn projections(search: &mut Search, field: PrimeField, rng: &mut Rng) -> Result<()> {
    let n = search.effort.pick(256, 8192);
    let block = Block::random(Lane::U16, n, S, field.0, rng)?;
    let (sparse, dense) = (Projection::sparse(&field, n, S, rng)?, Projection::dense(&field, n, S, rng)?);
    let residues = (n * S) as f64;
    let mut out = Vec::new();
    let by_buckets = move |machine: &Machine| residues * machine.wiedemann.projection;
    search.time("wiedemann.projection", format!("a projection of {n} x {S} by buckets"), by_buckets, || {
        out.clear();
        sparse.project(&field, &block, S, &mut out)
    })?;
    let by_product = move |machine: &Machine| residues * S as f64 * machine.wiedemann.dense_projection;
    search.time("wiedemann.dense_projection", format!("a dense projection of {n} x {S}"), by_product, || {
        out.clear();
        dense.project(&field, &block, S, &mut out)
    })
}

/// The pair of terms that a block and its product make.
fn grams<F: Field>(
    search: &mut Search,
    price: &str,
    field: &F,
    of: fn(&Wiedemann) -> f64,
    rng: &mut Rng,
) -> Result<()> {
    let (n, k, p) = (search.effort.pick(256, 8192), field.degree(), field.modulus());
    let mut gram = Gram::random(field, n, rng)?;
    let mut block = || Block::random(Lane::narrowest(p), n, S * k, p, rng);
    let (x, z) = (block()?, block()?);
    let operations = (2 * n * S * k * (S * k + Gram::WEIGHING)) as f64;
    let mut out = Vec::new();
    search.time(
        price,
        format!("Gram matrices of {n} x {S} over GF({p}^{k})"),
        move |machine| operations * of(&machine.wiedemann),
        || {
            out.clear();
            gram.append(field, &x, &z, S, &mut out)
        },
    )
}

fn scaling(search: &mut Search, modulus: Modulus, rng: &mut Rng) -> Result<()> {
    let n = search.effort.pick(256, 4096);
    let lane = Lane::narrowest(modulus);
    let matrices: Vec<u64> = (0..n * K * K).map(|_| rng.random_range(0..modulus.get())).collect();
    let scaling = DigitScaling::new(modulus, lane, K, &matrices)?;
    let mut block = Block::random(lane, n, S * K, modulus, rng)?;
    let operations = (n * S * K * (4 + K)) as f64;
    search.time(
        "wiedemann.scaling",
        format!("{n} rows of {S} elements of GF({modulus}^{K}) scaled"),
        move |machine| operations * machine.wiedemann.scaling,
        || {
            scaling.apply(&mut block);
            Ok(())
        },
    )
}

/// An order basis of a random series of 2s × s matrices: 16 s³ multiplications a term and level of recursion, at a
/// price `of` each.
fn basis<F: Field>(
    search: &mut Search,
    price: &str,
    field: &F,
    order: usize,
    of: fn(&Wiedemann) -> f64,
    rng: &mut Rng,
) -> Result<()> {
    let data = (0..2 * S * S * order).map(|_| field.random(rng)).collect();
    let series = PolyMatrix::from_coefficients(2 * S, S, data);
    let operations = 16.0 * (S as f64).powi(3) * order as f64 * (order as f64).log2();
    let params = Params::for_field(field);
    search.time(
        price,
        format!("an order basis of {} x {S} of order {order} over GF({}^{})", 2 * S, field.modulus(), field.degree()),
        move |machine| operations * of(&machine.wiedemann),
        || pm_basis(field, &series, order, &[0; 2 * S], &params, &Silent).map(|_| ()),
    )
}
