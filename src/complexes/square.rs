//! Whether a product of two boundary matrices is zero: computed row by row over ℤ, exactly.
//!
//! A row of the product is a combination of at most w rows, w the entries of the row's own; in words of 64 bits where
//! w · max|a| · max|b| < 2⁶³ says that no sum can overflow, in big integers otherwise.

use crate::field::Modulus;
use crate::sparse::{Integer, Triplets};
use crate::{Observer, Result, memory};
use num_bigint::BigInt;
use num_traits::Zero;
use rayon::prelude::*;
use std::ops::{AddAssign, Mul};

/// What the memory is for.
const PRODUCT: &str = "the product of two boundary matrices";
/// Rows that one task multiplies.
const TASK: usize = 1 << 10;

/// An entry that should be 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub row: usize,
    pub col: usize,
    pub value: BigInt,
}

/// The first entry, by rows and columns, of upper · lower that is not 0: over ℤ, or, if there are `moduli`, modulo one
/// of these.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
pub(super) fn first_entry(
    upper: &Triplets,
    lower: &Triplets,
    moduli: &[Modulus],
    observer: &dyn Observer,
) -> Result<Option<Place>> {
    let largest = |a: &Triplets| a.value.iter().map(|v| v.unsigned_abs()).max().unwrap_or(0);
    let (starts, own) = (row_starts(lower)?, row_starts(upper)?);
    let longest = own.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
    let bound = u128::from(largest(upper)) * u128::from(largest(lower));
    let small = upper.big.is_empty() && lower.big.is_empty() && bound.saturating_mul(longest as u128) < 1 << 63;
    let product = Product { upper, lower, own, starts, moduli };
    if small {
        // The bound above: each sum has `longest` terms at most.
        product.search(|v| if let Integer::Small(v) = v { v } else { unreachable!("no big entries") }, observer)
    } else {
        product.search(|v| v.to_bigint(), observer)
    }
}

/// Where each row begins.
fn row_starts(a: &Triplets) -> Result<Vec<usize>> {
    let mut start = memory::zeros::<usize>(a.rows() + 1, PRODUCT)?;
    a.row.iter().for_each(|&i| start[i as usize + 1] += 1);
    (0..a.rows()).for_each(|i| start[i + 1] += start[i]);
    Ok(start)
}

/// Two matrices to be multiplied, and where their rows begin.
struct Product<'a> {
    upper: &'a Triplets,
    lower: &'a Triplets,
    own: Vec<usize>,
    starts: Vec<usize>,
    moduli: &'a [Modulus],
}

impl Product<'_> {
    fn search<T>(&self, number: impl Fn(Integer<'_>) -> T + Sync, observer: &dyn Observer) -> Result<Option<Place>>
    where
        T: Clone + Zero + AddAssign + Into<BigInt> + Send,
        for<'t> &'t T: Mul<&'t T, Output = T>,
    {
        let rows = self.upper.rows();
        let task = |piece: usize| -> Result<Option<Place>> {
            observer.check()?;
            let mut sums = Vec::new();
            for row in piece * TASK..rows.min((piece + 1) * TASK) {
                self.row(row, &number, &mut sums)?;
                let wrong = sums.drain(..).find(|(_, value)| !self.is_zero(value));
                if let Some((col, value)) = wrong {
                    return Ok(Some(Place { row, col: col as usize, value: value.into() }));
                }
            }
            Ok(None)
        };
        let pieces = (0..rows.div_ceil(TASK)).into_par_iter();
        pieces.map(task).find_map_first(|found| found.transpose()).transpose()
    }

    /// One row of the product, columns ascending, into `sums`.
    fn row<T>(&self, row: usize, number: &impl Fn(Integer<'_>) -> T, sums: &mut Vec<(u32, T)>) -> Result<()>
    where
        T: Clone + Zero + AddAssign,
        for<'t> &'t T: Mul<&'t T, Output = T>,
    {
        // Sums at one column are put together before the list is much longer than the columns are many.
        let most = 4 * self.lower.cols() + TASK;
        for (_, j, v) in self.upper.entries_in(self.own[row]..self.own[row + 1]) {
            let v = number(v);
            for (_, l, w) in self.lower.entries_in(self.starts[j]..self.starts[j + 1]) {
                memory::push(sums, (l as u32, &v * &number(w)), PRODUCT)?;
            }
            if sums.len() > most {
                add_up(sums);
            }
        }
        add_up(sums);
        Ok(())
    }

    fn is_zero<T: Clone + Zero + Into<BigInt>>(&self, value: &T) -> bool {
        value.is_zero()
            || !self.moduli.is_empty() && {
                let value: BigInt = value.clone().into();
                self.moduli.iter().all(|p| p.reduce_bigint(&value) == 0)
            }
    }
}

/// Sorts by columns, and adds what is in the same one.
fn add_up<T: Zero + AddAssign>(sums: &mut Vec<(u32, T)>) {
    sums.sort_unstable_by_key(|&(col, _)| col);
    sums.dedup_by(|(col, value), (other, sum)| {
        let same = col == other;
        if same {
            *sum += std::mem::replace(value, T::zero());
        }
        same
    });
}
