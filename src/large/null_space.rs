//! From what is left back to the matrix: null vectors by substitution, checked by multiplication.

use super::arithmetic::Arithmetic;
use super::dense::Solved;
use super::eliminate::Eliminated;
use super::matrix::Matrix;
use super::products::Product;
use super::vectors::LargeVectors;
use crate::field::Rng;
use crate::{Error, Observer, Result, memory};
use rayon::prelude::*;
use std::fmt::Debug;
use std::ops::Range;

/// What the memory is for.
const VECTORS: &str = "null vectors mod a large prime";
/// Vectors of a block at most, and bytes of a block where one vector fits.
const BLOCK: usize = 32;
const BYTES: usize = 1 << 26;

/// The null space of a matrix, whatever the arithmetic.
pub(crate) trait NullSpace: Debug + Send + Sync {
    /// The coordinates in which the vectors of the basis are the identity, ascending.
    fn free(&self) -> &[u32];
    /// How many vectors are made at a time.
    fn block(&self) -> usize;
    /// These vectors of the basis. With random numbers for so many of the free columns, the first ones, each gets
    /// random coordinates there.
    ///
    /// # Panics
    /// If vectors of these columns are asked for.
    fn basis(&self, range: Range<usize>, random: (usize, &mut Rng), observer: &dyn Observer) -> Result<LargeVectors>;
    /// `count` uniformly random vectors, the first called number `first`.
    fn random(&self, first: usize, count: usize, rng: &mut Rng, observer: &dyn Observer) -> Result<LargeVectors>;
}

/// The same over one arithmetic.
#[derive(Debug)]
pub(crate) struct Space<F: Arithmetic> {
    field: F,
    /// The matrix itself.
    whole: Product<F>,
    /// The pivotal rows, their columns, and -1 over the pivots.
    rows: Product<F>,
    pivots: Vec<u32>,
    factors: Vec<F::Element>,
    /// The null space of the rest, by columns of the matrix.
    rest: Solved<F::Element>,
    /// The columns of the matrix, among all coordinates.
    names: Vec<u32>,
    /// The free coordinates, and which columns they are; `None` for empty ones.
    free: Vec<u32>,
    places: Vec<Option<u32>>,
}

/// The columns that have entries, and how many there are in all.
#[derive(Debug)]
pub(crate) struct Columns {
    /// Their numbers, ascending.
    pub(crate) names: Vec<u32>,
    /// The number of coordinates.
    pub(crate) whole: usize,
}

impl<F: Arithmetic> Space<F> {
    /// The null space of `a`, whose columns have these numbers, from its elimination and the null space of the rest.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn new(
        field: &F,
        a: &Matrix,
        columns: Columns,
        done: &Eliminated,
        rest: Option<Solved<F::Element>>,
    ) -> Result<Self> {
        let none = Solved { pivots: vec![], free: vec![], coefficients: vec![] };
        let mut rest = rest.unwrap_or(none);
        for list in [&mut rest.pivots, &mut rest.free] {
            list.iter_mut().for_each(|j| *j = done.names[*j as usize]);
        }
        let (one, minus) = (field.one(), field.neg(&field.one()));
        let mut factors = memory::with_capacity(done.pivots.len(), VECTORS)?;
        for (k, &j) in done.pivots.iter().enumerate() {
            let pivot = done.rows.row(k).find(|entry| entry.0 == j).expect("a pivot is an entry").1;
            factors.push(match pivot.small() {
                Some(1) => minus.clone(),
                Some(-1) => one.clone(),
                _ => field.neg(&field.inverse(&field.element(&done.rows.residues.integer(pivot)))),
            });
        }
        let Columns { names, whole } = columns;
        let inner = done.empty.iter().chain(&rest.free).map(|&j| (names[j as usize], Some(j)));
        let mut used = names.iter().peekable();
        let outer = (0..whole as u32).filter(|j| used.next_if_eq(&j).is_none()).map(|j| (j, None));
        let mut all = memory::collect(inner.chain(outer), VECTORS)?;
        all.sort_unstable();
        let (free, places) = memory::unzip(all.into_iter(), VECTORS)?;
        Ok(Space {
            names,
            places,
            whole: Product::new(field, a)?,
            rows: Product::new(field, &done.rows)?,
            pivots: memory::copy(&done.pivots, VECTORS)?,
            factors,
            rest,
            free,
            field: field.clone(),
        })
    }

    /// `count` zero vectors side by side.
    fn zeros(&self, count: usize) -> Result<Vec<F::Element>> {
        memory::filled(self.field.zero(), self.whole.cols() * count, VECTORS)
    }

    /// Completes vectors whose free coordinates are given, and checks them.
    fn complete(&self, x: &mut [F::Element], count: usize, observer: &dyn Observer) -> Result<()> {
        let field = &self.field;
        if count == 0 {
            return Ok(());
        }
        let given = self.rest.free.iter().enumerate();
        let line = |j: u32| j as usize * count..(j as usize + 1) * count;
        let given = given.filter(|&(_, &j)| x[line(j)].iter().any(|v| !field.is_zero(v)));
        let given = memory::collect(given.map(|(l, &j)| (l, j)), VECTORS)?;
        let width = self.rest.free.len();
        let determined = |k: usize| -> Vec<F::Element> {
            let mut sums = vec![field.products(); count];
            for &(l, j) in &given {
                let coefficient = &self.rest.coefficients[k * width + l];
                sums.iter_mut().zip(&x[line(j)]).for_each(|(sum, v)| field.plus_product(sum, coefficient, v));
            }
            sums.into_iter().map(|sum| field.reduced_products(sum)).collect()
        };
        let lines: Vec<Vec<F::Element>> = (0..self.rest.pivots.len()).into_par_iter().map(determined).collect();
        for (&j, values) in self.rest.pivots.iter().zip(lines) {
            x[line(j)].clone_from_slice(&values);
        }
        let mut sums = vec![field.sum(); count];
        for k in (0..self.pivots.len()).rev() {
            self.rows.row(field, k, x, &mut sums);
            for (x, sum) in x[line(self.pivots[k])].iter_mut().zip(&mut sums) {
                let sum = field.reduced(std::mem::replace(sum, field.sum()));
                *x = field.mul(&sum, &self.factors[k]);
            }
            if k.is_multiple_of(1 << 10) {
                observer.check()?;
            }
        }
        let mut image = memory::filled(field.zero(), self.whole.rows() * count, VECTORS)?;
        self.whole.apply(field, x, &mut image, count);
        if image.iter().any(|v| !field.is_zero(v)) {
            return Err(Error::Check("the matrix does not map a null vector to 0".into()));
        }
        Ok(())
    }

    /// Random numbers for free coordinates of all of `count` vectors: those that are columns into `x`, the others
    /// returned, for each vector those of all coordinates.
    #[expect(clippy::type_complexity, reason = "coordinates with their values, for each vector")]
    fn randomize(
        &self,
        free: Range<usize>,
        x: &mut [F::Element],
        count: usize,
        rng: &mut Rng,
    ) -> Result<Vec<Vec<(u32, F::Element)>>> {
        let mut others = vec![vec![]; count];
        for k in free {
            match self.places[k] {
                Some(j) => x[j as usize * count..][..count].iter_mut().for_each(|x| *x = self.field.random(rng)),
                None => {
                    for other in &mut others {
                        memory::push(other, (self.free[k], self.field.random(rng)), VECTORS)?;
                    }
                }
            }
        }
        Ok(others)
    }
}

impl<F: Arithmetic> NullSpace for Space<F> {
    fn free(&self) -> &[u32] {
        &self.free
    }
    fn block(&self) -> usize {
        (BYTES / (self.whole.cols().max(1) * size_of::<F::Element>())).clamp(1, BLOCK)
    }
    fn basis(&self, range: Range<usize>, random: (usize, &mut Rng), observer: &dyn Observer) -> Result<LargeVectors> {
        let (count, (shifted, rng)) = (range.len(), random);
        assert!(shifted <= range.start, "random coordinates are in other columns");
        // Unit vectors of empty columns need no work.
        let units = shifted == 0 && range.clone().all(|k| self.places[k].is_none());
        let width = if units { 0 } else { count };
        let mut x = self.zeros(width)?;
        let mut others = self.randomize(0..shifted, &mut x, count, rng)?;
        for (l, k) in range.clone().enumerate() {
            match self.places[k] {
                Some(j) => x[j as usize * count + l] = self.field.one(),
                None => memory::push(&mut others[l], (self.free[k], self.field.one()), VECTORS)?,
            }
        }
        self.complete(&mut x, width, observer)?;
        LargeVectors::of(&self.field, range.start, &self.names, &x, others)
    }
    fn random(&self, first: usize, count: usize, rng: &mut Rng, observer: &dyn Observer) -> Result<LargeVectors> {
        let mut x = self.zeros(count)?;
        let others = self.randomize(0..self.free.len(), &mut x, count, rng)?;
        self.complete(&mut x, count, observer)?;
        LargeVectors::of(&self.field, first, &self.names, &x, others)
    }
}
