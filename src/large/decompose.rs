//! A matrix mod a large prime, from its entries to its rank and null space.

use super::LargeModulus;
use super::arithmetic::Arithmetic;
use super::choose::{Work, over};
use super::complement::{self, Complement};
use super::dense::Solved;
use super::eliminate::{Eliminated, eliminate};
use super::finish::{Shape, Way, choose, finish};
use super::matrix::Matrix;
use super::null_space::{Columns, NullSpace, Space};
use super::structure::structural;
use crate::certify::Streams;
use crate::pivots::Pivots;
use crate::report::{ErrorBound, Phases, Step};
use crate::sparse::Triplets;
use crate::{Observer, Result};
use std::time::Instant;

/// What is asked, and how.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    /// The matrix.
    pub(crate) matrix: &'a Triplets,
    /// Right sides, put beside it with the opposite sign; their columns have a pivot only where no other can.
    pub(crate) right: Option<&'a Triplets>,
    /// Whether the transpose is meant; not with right sides.
    pub(crate) transposed: bool,
    /// The prime.
    pub(crate) modulus: &'a LargeModulus,
    /// Whether the null space is wanted, besides the rank.
    pub(crate) vectors: bool,
    /// How to finish; `None` for the cheaper way.
    pub(crate) way: Option<Way>,
    /// Bytes that may be used.
    pub(crate) max_memory: Option<u64>,
    /// Random choices.
    pub(crate) streams: Streams<'a>,
}

/// What was found.
#[derive(Debug)]
pub(crate) struct Decomposition {
    /// The rank, never too large.
    pub(crate) rank: usize,
    /// How likely it is too small; `None` for a proof.
    pub(crate) error: Option<ErrorBound>,
    /// The null space; `None` only if it was not wanted.
    pub(crate) space: Option<Box<dyn NullSpace>>,
    /// How the rest was finished; `None` if elimination left nothing.
    pub(crate) way: Option<Way>,
    pub(crate) path: Vec<Step>,
    pub(crate) phases: Phases,
}

impl Question<'_> {
    /// Answers it.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted),
    /// [`Error::Check`](crate::Error::Check).
    pub(crate) fn answer(&self, observer: &dyn Observer) -> Result<Decomposition> {
        let mut phases = Phases::default();
        let mut a = phases.time("reduce", || {
            let a = Matrix::of(self.matrix, self.right, self.modulus, observer)?;
            if self.transposed { a.transpose() } else { Ok(a) }
        })?;
        let whole = a.cols;
        let names = a.drop_empty_columns()?;
        let start = Instant::now();
        let first = whole - self.right.map_or(0, Triplets::cols);
        let aside = names.len() - names.partition_point(|&j| (j as usize) < first);
        let mut done = phases.time("elimination", || eliminate(&a, aside, observer))?;
        let eliminated = done.pivots.len();
        let pivots = phases.time("structural pivots", || structural(&mut done, aside, observer))?;
        let found = format!(
            "{eliminated} pivots, {} x {} left with {} entries and {} structural pivots",
            done.rest.rows(),
            done.rest.cols,
            done.rest.nnz(),
            pivots.len()
        );
        let step = Step {
            name: "structured elimination",
            found,
            why: String::new(),
            rank: Some(done.pivots.len()),
            predicted: None,
            seconds: start.elapsed().as_secs_f64(),
        };
        let columns = Columns { names, whole };
        over(
            self.modulus,
            Finishing {
                question: self,
                a: &a,
                columns,
                done: &done,
                pivots: &pivots,
                path: vec![step],
                phases,
                observer,
            },
        )
    }
}

/// The work after elimination.
struct Finishing<'a> {
    question: &'a Question<'a>,
    a: &'a Matrix,
    columns: Columns,
    done: &'a Eliminated,
    /// The structural pivots of what it left.
    pivots: &'a Pivots,
    path: Vec<Step>,
    phases: Phases,
    observer: &'a dyn Observer,
}

impl Work for Finishing<'_> {
    type Output = Result<Decomposition>;

    fn over<F: Arithmetic + 'static>(self, field: &F) -> Result<Decomposition> {
        let Finishing { question, a, columns, done, pivots, mut path, mut phases, observer } = self;
        let (mut rank, mut error, mut used) = (done.pivots.len(), None, None);
        let shape = Shape {
            rows: done.rest.rows() - pivots.len(),
            cols: done.rest.cols - pivots.len(),
            pivots: pivots.len(),
            nnz: done.rest.nnz(),
        };
        let rest = if shape.rows * shape.cols > 0 {
            let start = Instant::now();
            let way = choose(shape, question.modulus, question.way, question.vectors, question.max_memory)?;
            let name = match way {
                Way::Dense => "dense elimination",
                Way::Lanczos => "Lanczos",
            };
            let wanted = (question.modulus, question.vectors);
            let found = phases.time(name, || {
                let complement = Complement::new(field, &done.rest, pivots)?;
                let found = finish(field, &complement, way, wanted, &question.streams, observer)?;
                Ok((found, complement.names))
            });
            let (mut found, names) = found?;
            let runs = if found.runs > 1 { format!(", in {} runs", found.runs) } else { String::new() };
            let text = format!("rank {} of {} x {}{runs}", found.rank, shape.rows, shape.cols);
            let seconds = start.elapsed().as_secs_f64();
            let why = String::new();
            path.push(Step { name, found: text, why, rank: Some(found.rank), predicted: None, seconds });
            rank += found.rank;
            (error, used) = (found.error, Some(way));
            for list in found.space.iter_mut().flat_map(|space| [&mut space.pivots, &mut space.free]) {
                list.iter_mut().for_each(|j| *j = names[*j as usize]);
            }
            found.space
        } else {
            // No rows: nothing determines the columns.
            let free = complement::free(done.rest.cols, &pivots.cols)?;
            Some(Solved { pivots: vec![], free, coefficients: vec![] })
        };
        let space = match question.vectors {
            true => {
                let space = phases.time("substitution", || Space::new(field, a, columns, done, rest))?;
                Some(Box::new(space) as Box<dyn NullSpace>)
            }
            false => None,
        };
        Ok(Decomposition { rank, error, space, way: used, path, phases })
    }
}
