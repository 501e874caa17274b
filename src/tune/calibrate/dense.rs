//! Dense elimination: ranks of random matrices, and rows that are only taken in.

use super::search::Search;
use crate::dense::Echelon;
use crate::field::{Modulus, Rng};
use crate::{Error, Result, Silent};
use rand::{RngExt, SeedableRng};

/// A modulus for each size class of prices, and the orders of random matrices that are eliminated.
const CLASSES: [(u64, [usize; 2]); 5] =
    [(2, [64, 3072]), (3, [64, 1536]), (65521, [48, 1024]), ((1 << 31) - 1, [32, 768]), ((1 << 61) - 1, [24, 384])];

/// Different rows among those that are only taken in.
const KINDS: usize = 4;

pub(super) fn time(search: &mut Search) -> Result<()> {
    let mut rng = Rng::seed_from_u64(1);
    let tiles = search.built_in.dense.byte_tiles;
    for (class, (p, [quick, full])) in CLASSES.into_iter().enumerate() {
        let (modulus, n) = (Modulus::new(p)?, search.effort.pick(quick, full));
        let price = match class {
            3 if tiles => "dense.byte_product".to_string(),
            4 if tiles => continue, // The same price.
            _ => format!("dense.product[{class}]"),
        };
        let data: Vec<u64> = (0..n * n).map(|_| rng.random_range(0..p)).collect();
        search.time(
            &price,
            format!("rank of a random {n} x {n} matrix mod {p}"),
            move |machine| {
                let prices = &machine.dense;
                Echelon::seconds(prices, modulus, n, n) + Echelon::absorbing_seconds(prices, modulus, n, n)
            },
            || {
                let found = Echelon::new(modulus, n)?.absorb_block(n, &data, &Silent)?;
                check(found + 16 >= n, || format!("a random {n} x {n} matrix mod {p} of rank {found}"))
            },
        )?;
    }
    rows(search, &mut rng)
}

/// Rows of few kinds, dense and sparse.
fn rows(search: &mut Search, rng: &mut Rng) -> Result<()> {
    let (modulus, rows, cols) = (Modulus::new(65521)?, 256, search.effort.pick(256, 4096));
    let kinds: Vec<u64> = (0..KINDS * cols).map(|_| rng.random_range(1..65521)).collect();
    let dense: Vec<u64> = (0..rows).flat_map(|i| kinds[i % KINDS * cols..][..cols].iter().copied()).collect();
    let absorbed = move |machine: &crate::cost::Machine| {
        Echelon::absorbing_seconds(&machine.dense, modulus, rows, cols)
            + Echelon::dependent_seconds(&machine.dense, modulus, rows, KINDS, cols)
    };
    let right = |found: usize| check(found == KINDS, || format!("{found} of {KINDS} different rows"));
    search.time("dense.absorb", format!("{rows} rows of {cols}, {KINDS} of them independent"), absorbed, || {
        right(Echelon::new(modulus, cols)?.absorb_block(rows, &dense, &Silent)?)
    })?;
    let places: Vec<u32> = (0..cols as u32).collect();
    let sparse: Vec<(&[u32], &[u64])> = (0..rows).map(|i| (&places[..], &dense[i * cols..][..cols])).collect();
    let entries = (rows * cols) as f64;
    search.time(
        "dense.scatter",
        format!("the same {rows} rows as sparse ones"),
        move |machine| entries * machine.dense.scatter + absorbed(machine),
        || right(Echelon::new(modulus, cols)?.absorb(&sparse, &Silent)?),
    )
}

/// [`Error::Check`] unless what was found is right.
fn check(right: bool, what: impl Fn() -> String) -> Result<()> {
    if right { Ok(()) } else { Err(Error::Check(what())) }
}
