//! What pushing null vectors will take, from a sample of unit vectors.
//!
//! Groups of neighbouring lines are pushed as they are. What comes out are columns of S (or rows): the share of those
//! that are not zero is the share of null vectors that have entries in the pivots as well, and what these reach
//! together is pushed once. Where groups reach more than half of a large A, nothing more is asked: a pass over all of
//! it takes no longer.

use super::nullspace::{Engine, NullSpace, Side};
use super::row_space::on_stream;
use crate::Result;
use crate::field::Rng;
use crate::spmv::{LANES, PushSolve, PushSpace};
use rand::RngExt;
use rand::seq::index;

/// Groups drawn.
const SAMPLE: usize = 16;
/// Groups drawn even if they are expensive, but for such as reach most of A.
const LEAST: usize = 2;
/// Entries of A from which on a push of most of them takes a while. (Fewer in tests.)
const MANY: u64 = if cfg!(test) { 100 } else { 1 << 16 };
/// The stream of the sample.
const STREAM: u64 = 1 << 41;
/// Entries pushed for each entry of A, before the sample is cut short.
const WORK_AN_ENTRY: u64 = 1;

/// The expected work of a proof by [`Way::Pushes`](super::Way::Pushes).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// Entries of A, each pushed for a block of 32 vectors.
    pub entries: f64,
    /// The share of lines of S that are not zero.
    pub share: f64,
    /// Groups of lines that were drawn, …
    pub sampled: usize,
    /// … of so many.
    pub groups: usize,
}

impl NullSpace<'_> {
    /// What pushing the null vectors of a subspace of the row space with the pivot columns `pivots` will take; `None`
    /// for passes. At most about one push for each entry of A, or two groups if those are expensive.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn support(&self, pivots: &[u32], rng: &Rng) -> Result<Option<Support>> {
        let Engine::Pushes(substitution, spare) = &self.engine else { return Ok(None) };
        let sample = |space: &mut PushSpace| self.sample(substitution, space, pivots, rng);
        spare.lend(|_| true, || substitution.space(), sample).map(Some)
    }

    fn sample(&self, substitution: &PushSolve, space: &mut PushSpace, pivots: &[u32], rng: &Rng) -> Support {
        let (lines, rank) = (self.shape().0, pivots.len());
        let groups = lines.div_ceil(LANES);
        let mut rng = on_stream(rng, STREAM);
        let nnz = self.split.a.nnz() as u64;
        let reaches_most = |groups: usize, work: u64| nnz >= MANY && 2 * work > groups as u64 * nnz;
        let (mut sampled, mut drawn, mut work, mut full) = (0, 0, 0, vec![]);
        for group in index::sample(&mut rng, groups, groups.min(SAMPLE)) {
            if sampled >= LEAST && work > WORK_AN_ENTRY * nnz || reaches_most(sampled, work) {
                break;
            }
            let own = group * LANES..lines.min((group + 1) * LANES);
            own.clone().enumerate().for_each(|(lane, line)| substitution.add_unit(space, line, lane));
            let lanes = substitution.solve(space).iter().fold(0, |lanes, remainder| lanes | remainder.lanes);
            full.extend(
                own.clone().enumerate().filter(|(lane, _)| lanes >> lane & 1 == 1).map(|(_, line)| line as u32),
            );
            (sampled, drawn, work) = (sampled + 1, drawn + own.len(), work + space.take_work());
        }
        if drawn == 0 {
            return Support { entries: 0.0, share: 0.0, sampled, groups };
        }
        let share = full.len() as f64 / drawn as f64;
        // The rows that take the part of the pivot columns are not known yet on the left: others that are not zero.
        let known = self.side == Side::Right;
        let reach = if known { pivots } else { &full[..full.len().min(rank)] };
        let mut together = 0.0;
        if reaches_most(sampled, work) {
            together = nnz as f64;
        } else if share > 0.0 && !reach.is_empty() {
            for &line in reach {
                let x = [(); LANES].map(|()| rng.random_range(1..self.split.modulus().get()));
                substitution.add(space, line as usize, &x);
            }
            substitution.solve(space);
            together = (space.take_work() as f64 * rank as f64 / reach.len() as f64).min(nnz as f64);
        }
        let vectors = (lines - rank) as f64 / LANES as f64;
        Support { entries: vectors * (work as f64 / sampled as f64 + share * together), share, sampled, groups }
    }
}
