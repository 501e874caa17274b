//! The lines beside a minor: where they add nothing to it.
//!
//! Let A have rank r, with the nonsingular minor B and the lines beside it: (B C; D E), E = D·B⁻¹·C. At a prime q that
//! divides no denominator of B⁻¹·C and of D·B⁻¹, A = (I; D·B⁻¹)·B·(I, B⁻¹·C) with integral factors, so **A has the
//! q-parts of the invariant factors of B**. A Laplacian, all of whose rows and columns add up to 0, has them at every
//! prime: there other minors tell nothing new.

use super::minors::{Chosen, places};
use super::projection::nonsingular;
use crate::certify::{Domain, Streams};
use crate::integers::large_gcd;
use crate::sparse::Triplets;
use crate::{Observer, Result, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::One;

/// What the memory is for.
const LINES: &str = "the lines beside a minor";
/// The stream of random choices, apart from those of minors.
const STREAM: u64 = 1 << 33;
/// Systems are solved for at most one line in so many of the minor …
const SHARE: usize = 8;
/// … and for so few always.
const FEW: usize = 4;

/// A common denominator of B⁻¹·C and D·B⁻¹ for the minor B of A; `None` if there are too many lines. `bits` is log₂ of
/// a bound on all minors of A.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub(super) fn denominator(
    a: &Triplets,
    (digest, seed): (&str, u64),
    Chosen { rows, cols, b, .. }: &Chosen,
    bits: f64,
    observer: &dyn Observer,
) -> Result<Option<BigUint>> {
    let more = (a.rows() - rows.len()).max(a.cols() - cols.len());
    if more > FEW.max(b.rows() / SHARE) {
        return Ok(None);
    }
    let mut rng = Streams::of_integers(digest, seed).stream(Domain::Solutions, STREAM);
    let (row, col) = (places(rows, a.rows())?, places(cols, a.cols())?);
    let mut all = BigUint::one();
    // The columns of C, and the rows of D.
    let right = sides(a.entries().map(|(i, j, v)| (row[i], (col[j], j), v.to_bigint())))?;
    let left = sides(a.entries().map(|(i, j, v)| (col[j], (row[i], i), v.to_bigint())))?;
    for (sides, turned) in [(right, false), (left, true)] {
        if sides.is_empty() {
            continue;
        }
        let system = match turned {
            false => nonsingular(b, &mut rng, observer)?,
            true => nonsingular(&b.try_transpose()?, &mut rng, observer)?,
        };
        for solution in system.solve_sides(&sides, bits, observer)? {
            let d = solution.denominator;
            all = &all / large_gcd(all.clone(), d.clone()) * d;
        }
    }
    Ok(Some(all))
}

/// The parts inside the minor of the lines beside it, from entries: place in the minor across, place in it and number
/// of the line, value.
fn sides(entries: impl Iterator<Item = (u32, (u32, usize), BigInt)>) -> Result<Vec<Vec<(u32, BigInt)>>> {
    let mut found: Vec<(usize, u32, BigInt)> = vec![];
    for (across, (place, line), v) in entries {
        if across != u32::MAX && place == u32::MAX {
            memory::push(&mut found, (line, across, v), LINES)?;
        }
    }
    found.sort_unstable();
    let mut sides: Vec<Vec<(u32, BigInt)>> = vec![];
    let mut last = None;
    for (line, across, v) in found {
        if last != Some(line) {
            memory::push(&mut sides, vec![], LINES)?;
            last = Some(line);
        }
        memory::push(sides.last_mut().expect("a line that was begun"), (across, v), LINES)?;
    }
    Ok(sides)
}
