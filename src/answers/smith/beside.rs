//! The lines beside a minor: where they add nothing to it.
//!
//! Let A have rank r, with the nonsingular minor B and the lines beside it: (B C; D E), E = D·B⁻¹·C. At a prime q that
//! divides no denominator of B⁻¹·C and of D·B⁻¹, A = (I; D·B⁻¹)·B·(I, B⁻¹·C) with integral factors, so **A has the
//! q-parts of the invariant factors of B**. A Laplacian, all of whose rows and columns add up to 0, has them at every
//! prime: there other minors tell nothing new.

use super::bound::common_denominator;
use super::lift::System;
use super::minors::{Chosen, places};
use crate::certify::{Domain, Streams};
use crate::sparse::Triplets;
use crate::{Observer, Result, memory};
use num_bigint::{BigInt, BigUint};

/// What the memory is for.
const LINES: &str = "the lines beside a minor";
/// The stream of random choices, apart from those of minors.
const STREAM: u64 = 1 << 33;
/// Systems are solved for at most one line in so many of the minor …
const SHARE: usize = 8;
/// … and for so few always.
const FEW: usize = 4;

/// A common denominator of B⁻¹·C and D·B⁻¹ for the minor B of A; `None` if there are too many lines, also for this many
/// bytes. `bits` is log₂ of a bound on all minors of A.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub(super) fn denominator(
    a: &Triplets,
    (digest, seed): (&str, u64),
    Chosen { rows, cols, b, .. }: &Chosen,
    bits: f64,
    (limit, observer): (Option<u64>, &dyn Observer),
) -> Result<Option<BigUint>> {
    let more = (a.rows() - rows.len()).max(a.cols() - cols.len());
    let needed = System::solution_memory(b.rows(), bits).saturating_mul(more as u64);
    if more > FEW.max(b.rows() / SHARE) || limit.is_some_and(|limit| needed > limit) {
        return Ok(None);
    }
    let mut rng = Streams::of_integers(digest, seed).stream(Domain::Solutions, STREAM);
    let (row, col) = (places(rows, a.rows())?, places(cols, a.cols())?);
    let mut solutions = vec![];
    // The columns of C, and the rows of D.
    let right = sides(a.entries().map(|(i, j, v)| (row[i], (col[j], j), v.to_bigint())))?;
    let left = sides(a.entries().map(|(i, j, v)| (col[j], (row[i], i), v.to_bigint())))?;
    for (sides, turned) in [(right, false), (left, true)] {
        if sides.is_empty() {
            continue;
        }
        let system = match turned {
            false => System::of_nonsingular(b, &mut rng, observer)?,
            true => System::of_nonsingular(&b.try_transpose()?, &mut rng, observer)?,
        };
        solutions.extend(system.solve_sides(&sides, bits, observer)?);
    }
    Ok(Some(common_denominator(&solutions)))
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

#[cfg(test)]
mod tests {
    use super::super::bound::Multiple;
    use super::*;
    use crate::Silent;
    use num_traits::One;

    /// Of A with the minor in its first r lines.
    fn of(a: &Triplets, r: usize, limit: Option<u64>) -> Option<BigUint> {
        let lines: Vec<u32> = (0..r as u32).collect();
        let inside = a.entries().filter(|e| e.0 < r && e.1 < r).map(|(i, j, v)| (i, j, v.to_bigint()));
        let b = Triplets::from_entries(r, r, inside.collect::<Vec<_>>());
        let multiple = Multiple {
            last: BigUint::one(),
            cofactor: None,
            right: vec![],
            left: vec![],
            words: String::new(),
            proven: true,
        };
        let chosen = Chosen { rows: lines.clone(), cols: lines, b, multiple };
        denominator(a, ("made", 1), &chosen, 40.0, (limit, &Silent)).unwrap()
    }

    #[test]
    fn denominators_of_lines_beside_a_minor() {
        // A triangle's Laplacian: whole multiples.
        let laplacian = (0..9).map(|k| (k / 3, k % 3, if k % 4 == 0 { 2 } else { -1 }));
        let laplacian = Triplets::from_entries(3, 3, laplacian.collect::<Vec<_>>());
        assert_eq!(of(&laplacian, 2, None), Some(BigUint::one()));
        assert_eq!(of(&laplacian, 2, Some(1)), None);
        // (5, 0; 0, 3) with a row (1, 0) below and a column (0, 1) beside: fifths and thirds.
        let a = Triplets::from_entries(3, 3, [(0, 0, 5), (1, 1, 3), (2, 0, 1), (1, 2, 1)]);
        assert_eq!(of(&a, 2, None), Some(15u32.into()));
        // Entries beyond words.
        let large: BigInt = BigInt::from(7) << 130;
        let a = Triplets::from_entries(2, 1, [(0, 0, large.clone()), (1, 0, &large / 7 * 2)]);
        assert_eq!(of(&a, 1, None), Some(7u32.into()));
        // No lines beside it; too many.
        assert_eq!(of(&Triplets::from_entries(1, 1, [(0, 0, 4)]), 1, None), Some(BigUint::one()));
        let tall = Triplets::from_entries(9, 1, (0..9).map(|i| (i, 0, 2)).collect::<Vec<_>>());
        assert_eq!(of(&tall, 1, None), None);
    }
}
