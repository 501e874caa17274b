//! Right sides by columns.

use crate::sparse::{Integer, Triplets};
use crate::{Result, memory};

/// A right side: the rows in which it is not 0, and what it is there.
pub type Side<'a> = Vec<(u32, Integer<'a>)>;

/// The columns of a matrix.
///
/// # Errors
/// [`crate::Error::Memory`].
pub fn sides(b: &Triplets) -> Result<Vec<Side<'_>>> {
    const SIDES: &str = "the right sides by columns";
    let mut counts = memory::zeros::<usize>(b.cols(), SIDES)?;
    b.entries().for_each(|(_, k, _)| counts[k] += 1);
    let mut sides = memory::with_capacity(b.cols(), SIDES)?;
    for count in counts {
        sides.push(memory::with_capacity(count, SIDES)?);
    }
    b.entries().for_each(|(i, k, v)| sides[k].push((i as u32, v)));
    Ok(sides)
}
