//! The rank and the null space of what structured elimination leaves.

use super::LargeModulus;
use super::arithmetic::Arithmetic;
use super::dense::{self, Solved};
use super::matrix::Matrix;
use super::wiedemann::Operator;
use crate::certify::{Domain, Streams, rank_failure};
use crate::report::ErrorBound;
use crate::{Error, Observer, Result, memory};

/// What the memory is for.
const DENSE: &str = "a dense matrix mod a large prime";
/// Runs without a new null vector, each of them unlikely, before this gives up.
const FAILURES: u64 = 12;
/// Vectors of a run at most, where more are wanted.
const BLOCK: usize = 8;
/// Bytes of a row of a block: a line of the cache.
const LINE: usize = 64;

/// How to finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Dense elimination.
    Dense,
    /// Block Wiedemann with so many vectors.
    Wiedemann {
        /// The number of columns of a block.
        block: usize,
    },
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
    /// Runs of block Wiedemann.
    pub(crate) runs: u64,
}

/// Operations on limbs, and bytes, of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Price {
    pub(crate) operations: f64,
    pub(crate) bytes: f64,
}

/// What a way costs for a matrix of that shape; `vectors` says whether the null space is wanted.
pub(crate) fn price(rest: &Matrix, p: &LargeModulus, way: Way, vectors: bool) -> Price {
    let [m, n, nnz, limbs] = [rest.rows(), rest.cols, rest.nnz(), p.limbs()].map(|x| x as f64);
    let (least, product) = (m.min(n), limbs * (2.0 * limbs + 1.0) + 4.0);
    match way {
        // Σ (m - k)(n - k) products.
        Way::Dense => {
            let operations = product * least * (m * n - (m + n) * least / 2.0 + least * least / 3.0);
            Price { operations, bytes: 8.0 * limbs * m * n }
        }
        Way::Wiedemann { block } => {
            let (s, passes) = (block as f64, if vectors { 2.0 } else { 1.0 });
            let sums = 2.0 * nnz * (limbs + 3.0) + (m + n + s * n) * product;
            // Null vectors that the shape alone demands: each run makes a block of them, one elimination an echelon
            // form.
            let dimension = if vectors { n - least } else { 0.0 };
            let runs = 1.0 + ((dimension - s) / BLOCK as f64).ceil().max(0.0);
            let one = least * passes * sums + 3.0 * s * least * least * product;
            let operations = runs * one + dimension * dimension * n * product;
            let blocks = s * (3.0 * n + m) + m + n + 8.0 * s * least + 2.0 * dimension * n;
            Price { operations, bytes: 2.0 * 16.0 * nnz + 8.0 * limbs * blocks }
        }
    }
}

/// The number of vectors of a block where nobody says: those of a line of the cache.
pub(crate) fn usual_block(p: &LargeModulus) -> usize {
    (LINE / (8 * p.limbs())).clamp(1, 4)
}

/// The cheaper way that fits, if none is demanded.
///
/// # Errors
/// [`Error::Memory`] if none fits.
pub(crate) fn choose(
    rest: &Matrix,
    p: &LargeModulus,
    demanded: Option<Way>,
    vectors: bool,
    most: Option<u64>,
) -> Result<Way> {
    let block = usual_block(p);
    let ways = match demanded {
        Some(way) => vec![way],
        None => vec![Way::Dense, Way::Wiedemann { block }],
    };
    // Where chance has no room, no theorem speaks for block Wiedemann.
    let hopeless = rank_failure(rest.rows().min(rest.cols), p.log2()).is_vacuous();
    let usable = ways.into_iter().filter(|&way| demanded.is_some() || way == Way::Dense || !hopeless);
    let priced: Vec<(Way, Price)> = usable.map(|way| (way, price(rest, p, way, vectors))).collect();
    let fits = |price: &Price| most.is_none_or(|most| price.bytes <= most as f64);
    let best = priced.iter().filter(|(_, price)| fits(price));
    let best = best.min_by(|a, b| a.1.operations.total_cmp(&b.1.operations));
    best.map(|best| best.0).ok_or_else(|| {
        let least = priced.iter().map(|(_, price)| price.bytes).fold(f64::INFINITY, f64::min);
        Error::Memory(format!(
            "{} x {} left by elimination take about {least:.0} bytes mod a prime of {} bits, {} bytes are allowed",
            rest.rows(),
            rest.cols,
            p.bits(),
            most.unwrap_or(0)
        ))
    })
}

/// Carries it out, for a matrix with entries.
///
/// # Errors
/// [`Error::Memory`], [`Error::Interrupted`]; [`Error::Check`] if chance fails against all odds.
pub(crate) fn finish<F: Arithmetic>(
    field: &F,
    rest: &Matrix,
    way: Way,
    (p, vectors): (&LargeModulus, bool),
    streams: &Streams<'_>,
    observer: &dyn Observer,
) -> Result<Finished<F::Element>> {
    let block = match way {
        Way::Dense => {
            let mut data = memory::filled(field.zero(), rest.rows() * rest.cols, DENSE)?;
            for (i, row) in data.chunks_exact_mut(rest.cols).enumerate() {
                for (j, v) in rest.row(i) {
                    row[j as usize] = field.element(&rest.residues.integer(v));
                }
            }
            let space = dense::solve(field, rest.cols, data, observer)?;
            return Ok(Finished { rank: space.pivots.len(), error: None, space: Some(space), runs: 0 });
        }
        Way::Wiedemann { block } => block,
    };
    let (mut attempt, mut runs, mut rank, mut s) = (0, 0, 0, block);
    let mut known: Vec<F::Element> = vec![];
    loop {
        let operator = Operator::new(field, rest, &mut streams.stream(Domain::Preconditioner, attempt))?;
        loop {
            let run = operator.run(s, vectors, &mut streams.stream(Domain::Start, runs), observer)?;
            runs += 1;
            rank = rank.max(run.rank);
            let full = rank == rest.rows().min(rest.cols);
            if !vectors {
                let error = (!full).then(|| rank_failure(rest.rows().min(rest.cols), p.log2()));
                return Ok(Finished { rank, error, space: None, runs });
            }
            let before = known.len() / rest.cols;
            memory::reserve(&mut known, run.vectors.len(), DENSE)?;
            known.extend(run.vectors);
            let (dimension, all) = (rest.cols - rank, known.len() / rest.cols);
            // One elimination, once there may be enough.
            if before < all && all < dimension {
                s = (dimension - all).min(BLOCK);
                continue;
            }
            let space = dense::span(field, rest.cols, memory::collect(known.iter().cloned(), DENSE)?, observer)?;
            let found = space.free.len();
            if found == dimension {
                // As many as the lower bound of the rank allows: both bounds meet.
                return Ok(Finished { rank, error: None, space: Some(space), runs });
            }
            if found > dimension {
                let message = format!("{found} independent null vectors of {} columns with rank {rank}", rest.cols);
                return Err(Error::Check(message));
            }
            s = (dimension - found).clamp(1, BLOCK);
            // Vectors that depend on others, or none: other diagonals.
            break;
        }
        attempt += 1;
        if attempt == FAILURES {
            return Err(Error::Check(format!(
                "block Wiedemann found no null vectors in {runs} runs (rank {rank} so far)"
            )));
        }
    }
}
