//! Why a system has no solution over ℚ: a combination of rows that is 0 and is not 0 on the right side.

use super::RankOptions;
use super::check::{Product, scalar, times};
use super::minor::{decompose, system};
use crate::decomposition::Minor;
use crate::field::Modulus;
use crate::padic::{Side, System};
use crate::report::Phases;
use crate::sparse::{Integer, Triplets};
use crate::{Error, Observer, Result, memory};
use num_bigint::BigInt;
use num_traits::Zero;

/// What the memory is for.
const CERTIFICATE: &str = "a combination of rows";

/// y with yᵀ·A = 0 and yᵀ·b ≠ 0 over ℚ: whatever x is, A·x is not b.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RationalContradiction {
    /// The number of b among the columns of B.
    pub column: u32,
    /// The rows in which y is not 0, ascending, and what it is there: integers.
    pub y: Vec<(u32, BigInt)>,
    /// yᵀ·b, an integer.
    pub value: BigInt,
}

/// Combinations of the rows of a minor and one more.
pub(super) struct Combinations<'a> {
    product: &'a Product<'a>,
    p: Modulus,
    minor: &'a Minor,
    options: &'a RankOptions,
    /// The transpose of the minor, made when it is first needed, and its own minor: all of it, in another order.
    turned: Option<(System, Minor)>,
}

impl<'a> Combinations<'a> {
    pub fn new(product: &'a Product<'a>, p: Modulus, minor: &'a Minor, options: &'a RankOptions) -> Self {
        Combinations { product, p, minor, options, turned: None }
    }

    /// y with y·A = 0, 0 outside the rows I and i, and not in row i; `None` if there is none: the rank over ℚ is larger
    /// than the order of the minor.
    pub fn with_row(
        &mut self,
        i: u32,
        phases: &mut Phases,
        observer: &dyn Observer,
    ) -> Result<Option<Vec<(u32, BigInt)>>> {
        if self.product.is_empty(i as usize) {
            return Ok(Some(vec![(i, 1.into())]));
        }
        if self.turned.is_none() {
            self.turned = self.turn(phases, observer)?;
        }
        let Some((turned, order)) = &self.turned else { return Ok(None) };
        let cols = self.minor.cols();
        let mut place = memory::filled(u32::MAX, self.product.matrix().cols(), CERTIFICATE)?;
        cols.iter().zip(0..).for_each(|(&j, k)| place[j as usize] = k);
        let mut side: Side<'_> = vec![];
        for (j, v) in self.product.row(i as usize).filter(|(j, _)| place[*j] != u32::MAX) {
            memory::push(&mut side, (place[j], v), CERTIFICATE)?;
        }
        side.sort_unstable_by_key(|(k, _)| *k);
        let found = phases.time("lifting", || turned.solve(&[side], observer))?.remove(0);
        let mut y: Vec<(u32, BigInt)> = vec![(i, found.denominator)];
        for (&k, numerator) in order.cols().iter().zip(found.numerators).filter(|(_, n)| !n.is_zero()) {
            memory::push(&mut y, (self.minor.rows()[k as usize], -numerator), CERTIFICATE)?;
        }
        y.sort_unstable_by_key(|(i, _)| *i);
        let vanishes = phases.time("check", || self.vanishes(&y, observer))?;
        Ok(vanishes.then_some(y))
    }

    /// A\[I, J\]ᵀ; `None` if it is singular.
    fn turn(&self, phases: &mut Phases, observer: &dyn Observer) -> Result<Option<(System, Minor)>> {
        let (a, order) = (self.product.matrix(), self.minor.rows().len());
        let places = |lines: &[u32], n: usize| -> Result<Vec<u32>> {
            let mut place = memory::filled(u32::MAX, n, CERTIFICATE)?;
            lines.iter().zip(0..).for_each(|(&line, k)| place[line as usize] = k);
            Ok(place)
        };
        let (rows, cols) = (places(self.minor.rows(), a.rows())?, places(self.minor.cols(), a.cols())?);
        let mut entries = vec![];
        for (i, j, v) in a.entries().filter(|(i, j, _)| rows[*i] != u32::MAX && cols[*j] != u32::MAX) {
            let v: Integer<'static> = v.to_bigint().into();
            memory::push(&mut entries, (cols[j] as usize, rows[i] as usize, v), CERTIFICATE)?;
        }
        let turned = Triplets::try_from_entries(order, order, entries)?;
        let (rank, minor) = decompose(&turned, self.p, self.options, phases, observer)?;
        if rank.rank < order {
            return Err(Error::Check("a nonsingular minor whose transpose is singular".into()));
        }
        Ok(Some((system(&turned, self.p, &minor, self.options, phases, observer)?, minor)))
    }

    /// Whether y·A = 0.
    fn vanishes(&self, y: &[(u32, BigInt)], observer: &dyn Observer) -> Result<bool> {
        let mut sums: Vec<BigInt> = memory::filled(BigInt::ZERO, self.product.matrix().cols(), CERTIFICATE)?;
        for (n, (i, y)) in y.iter().enumerate() {
            if n.is_multiple_of(1 << 10) {
                observer.check()?;
            }
            self.product.row(*i as usize).for_each(|(j, v)| sums[j] += times(y, &v));
        }
        Ok(sums.iter().all(BigInt::is_zero))
    }
}

/// Whether y contradicts the right side, and y·b.
pub(super) fn value(y: &[(u32, BigInt)], b: &Side<'_>) -> Option<BigInt> {
    Some(scalar(y, b)).filter(|value| !value.is_zero())
}
