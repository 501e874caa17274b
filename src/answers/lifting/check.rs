//! Products over the integers.

use crate::padic::Side;
use crate::parallel::Each;
use crate::sparse::{Integer, Triplets};
use crate::{Observer, Result, memory};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use rayon::prelude::*;

/// Rows that one task multiplies.
const TASK: usize = 1 << 10;
/// What the memory is for.
const PRODUCT: &str = "a product over the integers";

/// An integer matrix whose rows are multiplied by vectors.
pub(super) struct Product<'a> {
    a: &'a Triplets,
    start: Vec<usize>,
    /// The size of its entries; more than a word's where one is larger.
    bits: u32,
}

impl<'a> Product<'a> {
    pub fn new(a: &'a Triplets) -> Result<Self> {
        let mut start = memory::zeros::<usize>(a.rows() + 1, PRODUCT)?;
        let mut bits = 0;
        for (i, _, v) in a.entries() {
            start[i + 1] += 1;
            bits = bits.max(match v {
                Integer::Small(v) => 64 - v.unsigned_abs().leading_zeros(),
                Integer::Big(_) => u32::MAX,
            });
        }
        (0..a.rows()).for_each(|i| start[i + 1] += start[i]);
        Ok(Product { a, start, bits })
    }
    /// The entries of row i: column and value.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, Integer<'_>)> {
        self.a.entries_in(self.start[i]..self.start[i + 1]).map(|(_, j, v)| (j, v))
    }
    pub fn matrix(&self) -> &'a Triplets {
        self.a
    }
    /// Whether row i has no entry.
    pub fn is_empty(&self, i: usize) -> bool {
        self.start[i] == self.start[i + 1]
    }

    /// The rows in which A·y is not d·b; y is a number for each column.
    pub fn differs(&self, y: &[BigInt], d: &BigInt, b: &Side<'_>, observer: &dyn Observer) -> Result<Vec<u32>> {
        // A sum of fewer than 2³² products, and d·b, within 126 bits.
        let largest = y.iter().chain([d]).map(BigInt::bits).max().unwrap_or(0);
        let sides = b.iter().all(|(_, v)| matches!(v, Integer::Small(_)));
        let small: Option<Vec<i64>> = match largest < 63 && sides && u64::from(self.bits) + largest + 32 <= 126 {
            true => Some(memory::collect(y.iter().map(|y| y.to_i64().expect("fewer than 63 bits")), PRODUCT)?),
            false => None,
        };
        let d_small = d.to_i64().unwrap_or(0);
        let rows = self.a.rows();
        let tasks: Vec<Vec<u32>> = (0..rows.div_ceil(TASK)).into_par_iter().try_make(|task| {
            observer.check()?;
            let range = task * TASK..rows.min((task + 1) * TASK);
            let mut side = b[b.partition_point(|(i, _)| (*i as usize) < range.start)..].iter().peekable();
            let mut rows = vec![];
            for i in range {
                let b = side.next_if(|(at, _)| *at as usize == i).map(|(_, v)| v);
                let same = match &small {
                    Some(y) => {
                        let small = |v: &Integer<'_>| match v {
                            Integer::Small(v) => i128::from(*v),
                            Integer::Big(_) => unreachable!("entries of one word"),
                        };
                        let right = b.map_or(0, |b| small(b) * i128::from(d_small));
                        self.row(i).map(|(j, v)| small(&v) * i128::from(y[j])).sum::<i128>() == right
                    }
                    None => {
                        let right = b.map_or(BigInt::ZERO, |b| times(d, b));
                        let nonzero = self.row(i).filter(|(j, _)| !y[*j].is_zero());
                        nonzero.fold(BigInt::ZERO, |sum, (j, v)| sum + times(&y[j], &v)) == right
                    }
                };
                if !same {
                    memory::push(&mut rows, i as u32, PRODUCT)?;
                }
            }
            Ok(rows)
        })?;
        Ok(tasks.concat())
    }
}

/// y·v.
pub(super) fn times(y: &BigInt, v: &Integer<'_>) -> BigInt {
    match v {
        Integer::Small(1) => y.clone(),
        Integer::Small(v) => y * *v,
        Integer::Big(v) => y * v.as_ref(),
    }
}

/// Σ y·b over the rows in which both are not 0; both by ascending rows.
pub(super) fn scalar(y: &[(u32, BigInt)], b: &Side<'_>) -> BigInt {
    let at = |i: u32| b.binary_search_by_key(&i, |(row, _)| *row).ok().map(|k| &b[k].1);
    y.iter().filter_map(|(i, y)| Some(times(y, at(*i)?))).sum()
}
