//! From what is left back to the matrix: null vectors by substitution, checked by multiplication.

use super::arithmetic::Arithmetic;
use super::dense::Solved;
use super::eliminate::Eliminated;
use super::matrix::Matrix;
use super::products::Product;
use super::vectors::LargeVectors;
use crate::field::Rng;
use crate::parallel::Each;
use crate::{Error, Observer, Result, memory};
use rayon::prelude::*;
use std::fmt::Debug;
use std::ops::Range;

/// What the memory is for.
const VECTORS: &str = "null vectors mod a large prime";
/// Vectors of a block at most, and bytes of a block where one vector fits.
const BLOCK: usize = 32;
const BYTES: usize = 1 << 26;
/// Coordinates that one task determines, or more.
const ROWS: usize = 64;

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
    /// Draws what so many random vectors take.
    fn skip(&self, count: usize, rng: &mut Rng);
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

    /// `count` zero vectors.
    fn zeros(&self, count: usize) -> Result<Vec<Vec<F::Loose>>> {
        (0..count).map(|_| memory::filled(self.field.nothing(), self.whole.cols(), VECTORS)).collect()
    }

    /// Completes vectors whose free coordinates are given, and checks them.
    fn complete(&self, vectors: &mut [Vec<F::Loose>], observer: &dyn Observer) -> Result<()> {
        vectors.par_iter_mut().try_each(|x| self.complete_one(x, observer))
    }

    fn complete_one(&self, x: &mut [F::Loose], observer: &dyn Observer) -> Result<()> {
        let field = &self.field;
        let given = self.rest.free.iter().map(|&j| field.tight(&x[j as usize])).enumerate();
        let given = memory::collect(given.filter(|(_, v)| !field.is_zero(v)), VECTORS)?;
        let determined = |k: usize| {
            let (mut sum, row) = (field.products(), &self.rest.coefficients[k * self.rest.free.len()..]);
            given.iter().for_each(|(l, v)| field.plus_product(&mut sum, &row[*l], v));
            field.loose(&field.reduced_products(sum))
        };
        let mut values = memory::filled(field.nothing(), self.rest.pivots.len(), VECTORS)?;
        values.par_iter_mut().enumerate().with_min_len(ROWS).each(|(k, value)| *value = determined(k));
        self.rest.pivots.iter().zip(values).for_each(|(&j, value)| x[j as usize] = value);
        for k in (0..self.pivots.len()).rev() {
            let sum = field.tight(&self.rows.row(field, k, x));
            x[self.pivots[k] as usize] = field.loose(&field.mul(&sum, &self.factors[k]));
            if k.is_multiple_of(1 << 12) {
                observer.check()?;
            }
        }
        let mut image = memory::filled(field.nothing(), self.whole.rows(), VECTORS)?;
        self.whole.apply(field, 0, x, &mut image);
        if image.iter().any(|v| !field.is_zero(&field.tight(v))) {
            return Err(Error::Check("the matrix does not map a null vector to 0".into()));
        }
        Ok(())
    }

    /// Random numbers for free coordinates of `count` vectors: those that are columns into `x`, the others returned,
    /// for each vector those of all coordinates.
    #[expect(clippy::type_complexity, reason = "coordinates with their values, for each vector")]
    fn randomize(
        &self,
        free: Range<usize>,
        x: &mut [Vec<F::Loose>],
        count: usize,
        rng: &mut Rng,
    ) -> Result<Vec<Vec<(u32, F::Element)>>> {
        let field = &self.field;
        let mut others = vec![vec![]; count];
        for k in free {
            match self.places[k] {
                Some(j) => x.iter_mut().for_each(|x| x[j as usize] = field.loose(&field.random(rng))),
                None => {
                    for other in &mut others {
                        memory::push(other, (self.free[k], field.random(rng)), VECTORS)?;
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
        (BYTES / (self.whole.cols().max(1) * size_of::<F::Loose>())).clamp(1, BLOCK)
    }
    fn basis(&self, range: Range<usize>, random: (usize, &mut Rng), observer: &dyn Observer) -> Result<LargeVectors> {
        let (count, (shifted, rng)) = (range.len(), random);
        assert!(shifted <= range.start, "random coordinates are in other columns");
        // Unit vectors of empty columns need no work.
        let units = shifted == 0 && range.clone().all(|k| self.places[k].is_none());
        let mut x = self.zeros(if units { 0 } else { count })?;
        let mut others = self.randomize(0..shifted, &mut x, count, rng)?;
        for (l, k) in range.clone().enumerate() {
            match self.places[k] {
                Some(j) => x[l][j as usize] = self.field.loose(&self.field.one()),
                None => memory::push(&mut others[l], (self.free[k], self.field.one()), VECTORS)?,
            }
        }
        self.complete(&mut x, observer)?;
        LargeVectors::of(&self.field, range.start, &self.names, &x, others)
    }
    fn random(&self, first: usize, count: usize, rng: &mut Rng, observer: &dyn Observer) -> Result<LargeVectors> {
        let mut x = self.zeros(count)?;
        let others = self.randomize(0..self.free.len(), &mut x, count, rng)?;
        self.complete(&mut x, observer)?;
        LargeVectors::of(&self.field, first, &self.names, &x, others)
    }
    fn skip(&self, count: usize, rng: &mut Rng) {
        (0..self.free.len() * count).for_each(|_| drop(self.field.random(rng)));
    }
}
