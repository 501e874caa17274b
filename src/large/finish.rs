//! The rank and the null space of the Schur complement that elimination and structural pivots leave.

use super::LargeModulus;
use super::arithmetic::Arithmetic;
use super::complement::Complement;
use super::dense::{self, Solved};
use super::lanczos::{Lanczos, choices};
use crate::certify::{Domain, Streams, rank_failure};
use crate::report::ErrorBound;
use crate::{Error, Observer, Result, memory};

/// What the memory is for.
const DENSE: &str = "a dense matrix mod a large prime";
/// Runs without a new null vector, each of them unlikely, before this gives up.
const FAILURES: u64 = 12;
/// Vectors of a run at most, where more are wanted.
const VECTORS: usize = 64;

/// How to finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Dense elimination.
    Dense,
    /// Lanczos' method.
    Lanczos,
}

/// What was found.
#[derive(Debug)]
pub(crate) struct Finished<E> {
    /// The rank, never too large.
    pub(crate) rank: usize,
    /// How likely it is too small; `None` for a proof.
    pub(crate) error: Option<ErrorBound>,
    /// The null space, if it was wanted.
    pub(crate) space: Option<Solved<E>>,
    /// Runs of Lanczos' method.
    pub(crate) runs: u64,
}

/// What is to be finished: a complement, and the matrix whose entries a product with it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Rows and columns of the complement.
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    /// Pivots and entries of the matrix.
    pub(crate) pivots: usize,
    pub(crate) nnz: usize,
}

/// Multiplications of words, or what takes as long, and bytes, of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Price {
    pub(crate) operations: f64,
    pub(crate) bytes: f64,
}

/// What a way costs; `vectors` says whether the null space is wanted.
pub(crate) fn price(shape: Shape, p: &LargeModulus, way: Way, vectors: bool) -> Price {
    let [m, n, pivots, nnz, limbs] = [shape.rows, shape.cols, shape.pivots, shape.nnz, p.limbs()].map(|x| x as f64);
    let (least, product) = (m.min(n), limbs * (2.0 * limbs + 1.0) + 4.0);
    // A product with S: an addition for each entry, a reduction for each line of the matrix.
    let single = nnz * (limbs / 2.0 + 1.0) + (m.max(n) + pivots) * (4.0 * limbs + 12.0);
    let products = 2.0 * 12.0 * nnz + 24.0 * limbs * (m + n + 2.0 * pivots);
    match way {
        // Σ (m - k)(n - k) products.
        Way::Dense => {
            let elimination = least * (m * n - (m + n) * least / 2.0 + least * least / 3.0);
            Price { operations: least * single + product * elimination, bytes: 8.0 * limbs * m * n + products }
        }
        Way::Lanczos => {
            // Null vectors that the shape alone demands; one elimination makes them an echelon form.
            let dimension = if vectors { n - least } else { 0.0 };
            let runs = (dimension / VECTORS as f64).ceil().max(1.0);
            let step = 2.0 * single + (m + n) * 10.0 * (limbs + 2.0) + 3.0 * n * product;
            let others = (dimension - runs).max(0.0) * 2.0 * n * product;
            let operations = least * (runs * step + others) + dimension * dimension * n * product;
            let bytes = 8.0 * limbs * n * (4.0 + dimension.min(VECTORS as f64) + 2.0 * dimension) + products;
            Price { operations, bytes }
        }
    }
}

/// The cheaper way that fits, if none is demanded.
///
/// # Errors
/// [`Error::Memory`] if none fits.
pub(crate) fn choose(
    shape: Shape,
    p: &LargeModulus,
    demanded: Option<Way>,
    vectors: bool,
    most: Option<u64>,
) -> Result<Way> {
    let ways = match demanded {
        Some(way) => vec![way],
        None => vec![Way::Dense, Way::Lanczos],
    };
    // Where chance has no room, no theorem speaks for Lanczos' method.
    let hopeless = failure(shape.rows.min(shape.cols), p).is_vacuous();
    let usable = ways.into_iter().filter(|&way| demanded.is_some() || way == Way::Dense || !hopeless);
    let priced: Vec<(Way, Price)> = usable.map(|way| (way, price(shape, p, way, vectors))).collect();
    let fits = |price: &Price| most.is_none_or(|most| price.bytes <= most as f64);
    let best = priced.iter().filter(|(_, price)| fits(price));
    let best = best.min_by(|a, b| a.1.operations.total_cmp(&b.1.operations));
    best.map(|best| best.0).ok_or_else(|| {
        let least = priced.iter().map(|(_, price)| price.bytes).fold(f64::INFINITY, f64::min);
        Error::Memory(format!(
            "{} x {} left by elimination take about {least:.0} bytes mod a prime of {} bits, {} bytes are allowed",
            shape.rows,
            shape.cols,
            p.bits(),
            most.unwrap_or(0)
        ))
    })
}

/// How likely the rank of one run is too small.
fn failure(least: usize, p: &LargeModulus) -> ErrorBound {
    rank_failure(least, choices(p.log2()))
}

/// Carries it out, for a complement with rows and columns.
///
/// # Errors
/// [`Error::Memory`], [`Error::Interrupted`]; [`Error::Check`] if chance fails against all odds.
pub(crate) fn finish<F: Arithmetic>(
    field: &F,
    s: &Complement<F>,
    way: Way,
    (p, vectors): (&LargeModulus, bool),
    streams: &Streams<'_>,
    observer: &dyn Observer,
) -> Result<Finished<F::Element>> {
    let (cols, least) = (s.cols(), s.rows().min(s.cols()));
    if way == Way::Dense {
        let space = dense::solve(field, cols, formed(field, s, observer)?, observer)?;
        return Ok(Finished { rank: space.pivots.len(), error: None, space: Some(space), runs: 0 });
    }
    let (mut attempt, mut runs, mut rank) = (0, 0, 0);
    let mut wanted = if vectors { (cols - least).clamp(1, VECTORS) } else { 1 };
    let mut known: Vec<F::Element> = vec![];
    loop {
        let lanczos = Lanczos::new(field, s, &mut streams.stream(Domain::Preconditioner, attempt))?;
        loop {
            let run = lanczos.run(wanted - 1, &mut streams.stream(Domain::Start, runs), observer)?;
            runs += 1;
            rank = rank.max(run.rank);
            if run.broken {
                break;
            }
            let (before, dimension) = (known.len() / cols, cols - rank);
            memory::reserve(&mut known, run.vectors.len(), DENSE)?;
            known.extend(run.vectors);
            let all = known.len() / cols;
            if !vectors {
                // Independent vectors that were multiplied out leave no larger rank; here there is one at most.
                let error = (rank < least && all < dimension).then(|| failure(least, p).any(attempt as usize + 1));
                return Ok(Finished { rank, error, space: None, runs });
            }
            // One elimination, once there may be enough.
            if before < all && all < dimension {
                wanted = (dimension - all).min(VECTORS);
                continue;
            }
            let space = dense::span(field, cols, memory::collect(known.iter().cloned(), DENSE)?, observer)?;
            let found = space.free.len();
            if found == dimension {
                // As many as the lower bound of the rank allows: both bounds meet.
                return Ok(Finished { rank, error: None, space: Some(space), runs });
            }
            if found > dimension {
                let message = format!("{found} independent null vectors of {cols} columns with rank {rank}");
                return Err(Error::Check(message));
            }
            wanted = (dimension - found).clamp(1, VECTORS);
            // Vectors that depend on others, or none: other diagonals.
            break;
        }
        attempt += 1;
        if attempt == FAILURES {
            return Err(Error::Check(format!(
                "Lanczos' method found no null vectors in {runs} runs (rank {rank} so far)"
            )));
        }
    }
}

/// All of S, row by row: by its products with unit vectors from the side that has fewer.
fn formed<F: Arithmetic>(field: &F, s: &Complement<F>, observer: &dyn Observer) -> Result<Vec<F::Element>> {
    let (rows, cols, [mut x, mut y]) = (s.rows(), s.cols(), s.room(field)?);
    let mut data = memory::filled(field.zero(), rows * cols, DENSE)?;
    let (zero, one) = (field.nothing(), field.loose(&field.one()));
    for k in 0..rows.min(cols) {
        observer.check()?;
        if rows <= cols {
            s.lines(&mut y).fill(zero.clone());
            s.lines(&mut y)[k] = one.clone();
            s.apply_transpose(field, &mut y, &mut x);
            data[k * cols..][..cols].iter_mut().zip(s.columns(&mut x)).for_each(|(a, x)| *a = field.tight(x));
        } else {
            s.columns(&mut x).fill(zero.clone());
            s.columns(&mut x)[k] = one.clone();
            s.apply(field, &mut x, &mut y);
            data[k..].iter_mut().step_by(cols).zip(s.lines(&mut y)).for_each(|(a, y)| *a = field.tight(y));
        }
    }
    Ok(data)
}
