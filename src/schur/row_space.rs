//! The row space of S from random combinations of its rows.
//!
//! Rows of Yᵀ·S for random Y are absorbed by a dense echelon form until they stop adding to it. Whatever Y is, the rows
//! found lie in the row space of S, so that their rank never exceeds rank S. That they span it is checked with k fresh
//! uniform combinations: if V is a proper subspace of the row space, some vector z with V·z = 0 has S·z ≠ 0, and
//! (yᵀS)·z = yᵀ(Sz) = 0 has probability 1/p; all k lie in V with probability at most p⁻ᵏ. (SpaSM detects low rank in
//! this way: Bouillaguet, Delaplace, Voge, PASCO 2017, section 5.) They are drawn once V is fixed, from a stream keyed
//! by its pivot columns, so that the author of S cannot know them in advance ([`RowSpaceStreams::challenge`]). The
//! combinations that explore may be anything: theirs is a faster source of randomness; and where S has far more rows
//! than its rank can be, they are combinations of a random sample of the rows alone, until those give no more. If that
//! reaches the bound of the rank, most rows are never looked at.
//!
//! Where a minor is wanted, rows explore in place of combinations ([`row_basis`](super::row_basis)).

use super::Split;
use super::combine::{Mixer, Vectors};
use super::exploration::{
    Explored, Extent, FEW_ROWS, RowSpace, RowSpaceOptions, RowSpaceStreams, SAMPLE_GAIN, batch, check_combinations,
    sample, sample_pays, sample_rows,
};
use super::row_basis::row_basis;
use super::saved::{name_of, saved};
use crate::dense::{Echelon, Place};
use crate::field::{Modulus, Rng};
use crate::gpu::Device;
use crate::report::{ErrorBound, Quiet};
use crate::spmv::TriangularSolve;
use crate::{Observer, Result};

/// What is kept of it: the basis, blocks explored and of the next batch, checks made; whether combinations are of all
/// rows, and whether more of them explore before the next check.
type State = (Echelon, [usize; 2], u64, [bool; 2]);

/// The row space of S. Wide rows are eliminated on GPUs if some are given, unless rows are wanted; the answer does not
/// depend on it.
///
/// Cost: nnz(A) multiply-adds for each of about rank S combinations, and the dense elimination.
///
/// # Errors
/// [`crate::Error::Interrupted`], [`crate::Error::Memory`]; [`crate::Error::Device`] if a GPU fails.
pub fn row_space(
    split: &Split,
    options: RowSpaceOptions,
    streams: &RowSpaceStreams,
    devices: &[Device],
    observer: &dyn Observer,
) -> Result<RowSpace> {
    row_space_from(None, split, options, streams, devices, observer)
}

/// The same from where one by the same streams was given up. The answer is the same as from the beginning.
///
/// # Errors
/// As [`row_space`].
pub(crate) fn row_space_from(
    begun: Option<RowSpace>,
    split: &Split,
    options: RowSpaceOptions,
    streams: &RowSpaceStreams,
    devices: &[Device],
    observer: &dyn Observer,
) -> Result<RowSpace> {
    let (rows, cols) = (split.rows.len(), split.cols.len());
    let bound = options.rank_bound.min(rows).min(cols);
    observer.phase("row space", bound as u64);
    let options = RowSpaceOptions { rank_bound: bound, ..options };
    if options.rows {
        return row_basis(split, options, streams, observer);
    }
    let echelon = Place::new(devices, split.modulus()).echelon(cols, false)?;
    if bound == 0 {
        return Ok(RowSpace { echelon, extent: Extent::Whole, basis: None, explored: None });
    }
    if rows <= FEW_ROWS {
        return by_all_rows(split, echelon, observer);
    }
    // What is on a GPU stays there.
    let begun = begun.filter(|_| devices.is_empty());
    let mut found = by_combinations(begun, split, options, streams, echelon, observer)?;
    found.explored = found.explored.filter(|_| devices.is_empty());
    Ok(found)
}

/// The row space from combinations of the rows of a large S, into an echelon form that is empty.
fn by_combinations(
    begun: Option<RowSpace>,
    split: &Split,
    options: RowSpaceOptions,
    streams: &RowSpaceStreams,
    mut echelon: Echelon,
    observer: &dyn Observer,
) -> Result<RowSpace> {
    let (modulus, bound) = (split.modulus(), options.rank_bound);
    let (log2_p, lanes) = ((modulus.get() as f64).log2(), Mixer::lanes(modulus));
    let mut blocks = batch(0, lanes);
    let (mut explored, mut made) = (0, 0u64);
    let mut whole = !sample_pays(split, bound);
    let key = || (bound, options.error.log2(), name_of(&streams.exploration));
    let kept = saved("row-space", split, key, observer)?;
    let mut explores = true;
    let wanted = |rank: usize| bound.min(options.give_up.saturating_add(1)).saturating_sub(rank);
    let next = |rank: usize| batch(rank, lanes).min(wanted(rank).div_ceil(lanes).max(1));
    if let Some((basis, numbers, checks, stage)) = kept.load::<State>()? {
        (echelon, [explored, blocks], made, [whole, explores]) = (basis, numbers, checks, stage);
        observer.restored(echelon.rank() as u64);
    } else if let Some(RowSpace { echelon: basis, explored: Some(so_far), .. }) = begun
        && so_far.whole == whole
        && (whole || so_far.bound == bound)
    {
        blocks = next(basis.rank());
        (echelon, explored) = (basis, so_far.blocks);
        // As after a batch.
        (whole, explores) = (whole || !so_far.new, so_far.new);
    }
    let mut mixer = if whole {
        Mixer::new(split)?
    } else {
        let (matrix, pivots) = split.restricted(&sample(split, bound, &mut streams.sample.clone())?)?;
        Mixer::new(&Split::new(&matrix, &pivots)?)?
    };
    while echelon.rank() < bound {
        kept.keep(&(&echelon, [explored, blocks], made, [whole, explores]), false)?;
        if std::mem::replace(&mut explores, true) {
            let before = echelon.rank();
            let stream = |number: usize| Vectors::Roughly(on_stream(&streams.exploration, number as u64));
            let vectors: Vec<Vectors> = (explored..explored + blocks).map(stream).collect();
            explored += blocks;
            mixer.absorb(&vectors, &mut echelon, &Quiet(observer))?;
            let rank = echelon.rank();
            observer.progress(rank as u64);
            if rank == bound {
                break;
            }
            let new = rank - before == blocks * lanes;
            if rank > options.give_up {
                let explored = Some(Explored { blocks: explored, new, whole, bound });
                return Ok(RowSpace { echelon, extent: Extent::Part, basis: None, explored });
            }
            if new {
                blocks = next(rank);
                continue;
            }
            if !whole {
                (mixer, whole) = (Mixer::new(split)?, true);
            }
            kept.keep(&(&echelon, [explored, blocks], made, [whole, false]), made == 0)?;
        }
        let rank = echelon.rank();
        made += 1;
        let checks = check_combinations(options.error, made, log2_p);
        let fresh = (streams.challenge)(made, &echelon.pivot_cols()?);
        mixer.absorb(&checking(fresh, checks, lanes), &mut echelon, &Quiet(observer))?;
        if echelon.rank() == rank {
            return Ok(RowSpace { echelon, extent: Extent::Checked(options.error), basis: None, explored: None });
        }
    }
    kept.keep(&(&echelon, [explored, blocks], made, [whole, true]), true)?;
    Ok(RowSpace { echelon, extent: Extent::Whole, basis: None, explored: None })
}

/// The row space from all rows of a small S.
fn by_all_rows(split: &Split, mut echelon: Echelon, observer: &dyn Observer) -> Result<RowSpace> {
    let all: Vec<u32> = (0..split.rows.len() as u32).collect();
    let units: Vec<Vectors> = all.chunks(Mixer::lanes(split.modulus())).map(Vectors::Units).collect();
    Mixer::new(split)?.absorb(&units, &mut echelon, &Quiet(observer))?;
    Ok(RowSpace { echelon, extent: Extent::Whole, basis: None, explored: None })
}

/// At least so many uniform vectors, in one block where it may be as wide as that.
fn checking(stream: Rng, count: usize, lanes: usize) -> Vec<Vectors<'static>> {
    if lanes < Echelon::PACKED {
        return vec![Vectors::Uniform(stream, count)];
    }
    (0..count.div_ceil(lanes)).map(|k| Vectors::Uniform(on_stream(&stream, k as u64), lanes)).collect()
}

impl RowSpace {
    /// An upper bound on the rank at the next progress report after `rank`.
    pub fn after_batch(modulus: Modulus, rank: usize) -> usize {
        let lanes = Mixer::lanes(modulus);
        rank + batch(rank, lanes) * lanes
    }
}

/// How many combinations a row space takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combinations {
    /// Rows of S of which the first of them are made, fewer than all where a sample is taken.
    pub sampled: usize,
    /// Combinations of those.
    pub explored: usize,
    /// Combinations of all rows that check, 0 if the bound of the rank is reached.
    pub checked: usize,
}

impl Combinations {
    /// Those of a complement of `rows` rows after `pivots` pivots, all of the same weight, whose rank is `rank` of at
    /// most `bound`: what [`row_space`] makes if its combinations are independent until they span everything.
    pub fn expected(
        modulus: Modulus,
        pivots: usize,
        rows: usize,
        bound: usize,
        rank: usize,
        error: ErrorBound,
    ) -> Self {
        let lanes = Mixer::lanes(modulus);
        if rows <= FEW_ROWS {
            return Combinations { sampled: rows, explored: rows.next_multiple_of(lanes), checked: 0 };
        }
        let (mut explored, mut blocks) = (0, batch(0, lanes));
        loop {
            explored += blocks * lanes;
            if explored >= rank.min(bound) {
                break;
            }
            blocks = batch(explored, lanes).min((bound - explored).div_ceil(lanes));
        }
        let few = sample_rows(bound);
        let sampled = if few < rows && (pivots + few) * SAMPLE_GAIN <= pivots + rows { few } else { rows };
        let checked = match rank < bound {
            true => {
                let count = check_combinations(error, 1, (modulus.get() as f64).log2());
                count.next_multiple_of(if lanes == Echelon::PACKED { lanes } else { TriangularSolve::GRID })
            }
            false => 0,
        };
        Combinations { sampled, explored, checked }
    }
}

/// Another stream of the same generator.
pub(super) fn on_stream(rng: &Rng, stream: u64) -> Rng {
    let mut own = rng.clone();
    own.set_stream(1 + stream);
    own
}

#[cfg(test)]
mod tests {
    use super::super::exploration::BATCH;
    use super::*;
    use crate::pivots::Pivots;

    #[test]
    fn so_many_combinations_are_made() {
        use crate::certify::Streams;
        use crate::oracles::dense_rank;
        use crate::{Observer, families};
        use std::sync::Mutex;
        /// The ranks reported, and the most of them.
        #[derive(Default)]
        struct Ranks(Mutex<Vec<u64>>);
        impl Observer for Ranks {
            fn progress(&self, done: u64) {
                self.0.lock().unwrap().push(done);
            }
        }
        let p = Modulus::new(65521).unwrap();
        for name in ["EX1", "mk9-b3", "Trefethen_500", "bibd_17_4"] {
            let a = families::generate(name).unwrap().reduce(p);
            let a = if a.rows() < a.cols() { a.transpose().unwrap() } else { a };
            let (none, rank) = (Pivots::default(), dense_rank(&a));
            let split = Split::new(&a, &none).unwrap();
            let all = Streams::of(&a, 1);
            let streams = RowSpaceStreams {
                sample: all.stream(crate::certify::Domain::Sample, 0),
                exploration: all.stream(crate::certify::Domain::Exploration, 0),
                challenge: &|number, cols| all.challenge(number, &[cols]),
            };
            let options = RowSpaceOptions {
                error: ErrorBound::of_bits(130),
                rank_bound: a.cols(),
                give_up: usize::MAX,
                rows: false,
                exceeded: 0,
            };
            let seen = Ranks::default();
            let found = row_space(&split, options, &streams, &[], &seen).unwrap();
            assert_eq!(found.echelon.rank(), rank, "{name}");
            let expected = Combinations::expected(p, 0, a.rows(), a.cols(), rank, options.error);
            assert_eq!(expected.checked > 0, found.extent != Extent::Whole, "{name}");
            // The last block of the exploration is that in which the rank is reached.
            assert!(expected.explored >= rank && expected.explored < rank.max(1) + BATCH[1], "{name}: {expected:?}");
            assert!(seen.0.lock().unwrap().iter().all(|&r| r as usize <= expected.explored), "{name}");
        }
        // A sample of a tall one; all rows of a flat one.
        let of = |rows, bound, rank| Combinations::expected(p, 10, rows, bound, rank, ErrorBound::of_bits(130));
        assert_eq!(of(200, 100, 50), Combinations { sampled: 200, explored: 224, checked: 0 });
        assert_eq!(of(100_000, 50, 50).sampled, sample_rows(50));
        assert_eq!(of(1000, 1000, 1000).checked, 0);
        assert_eq!(of(1000, 1000, 10), Combinations { sampled: 1000, explored: 32, checked: 16 });
        let bits = Combinations::expected(Modulus::new(2).unwrap(), 10, 1000, 1000, 0, ErrorBound::of_bits(130));
        assert_eq!((bits.explored, bits.checked), (512, 512));
    }

    #[test]
    fn the_shares_of_all_checks_add_up_to_the_one_given() {
        for log2_p in [1.0, 3f64.log2(), 65521f64.log2(), 62.9999] {
            for bits in [1e-3, 1.0, 64.0, 1063.0, 1e6] {
                let error = ErrorBound::from_log2(-bits);
                let combinations = |i| check_combinations(error, i, log2_p) as f64;
                // In units of 2^-bits.
                let spent: f64 = (1..10_000).map(|i| (bits - combinations(i) * log2_p).exp2()).sum();
                assert!(spent <= 1.0, "{spent} with {bits} bits");
                // No share is wasted: one combination less would be too few.
                for i in [1, 2, 3, 100] {
                    let budget = bits + ((i * (i + 1)) as f64).log2();
                    assert!((combinations(i) - 1.0) * log2_p < budget * (1.0 + 1e-9), "check {i}");
                }
            }
        }
    }
}
