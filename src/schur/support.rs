//! What pushing null vectors will take, from a sample of unit vectors.
//!
//! Groups of neighbouring lines are pushed as they are. What comes out are columns of S (or rows): the share of those
//! that are not zero is the share of null vectors that have entries in the pivots as well, and what these reach
//! together is pushed once.

use super::nullspace::{Engine, NullSpace, Side};
use super::row_space::on_stream;
use crate::Result;
use crate::field::Rng;
use crate::spmv::{LANES, PushSolve, PushSpace};
use rand::RngExt;
use rand::seq::index;
use rayon::prelude::*;

/// Groups drawn.
const SAMPLE: usize = 16;
/// Groups drawn even if they are expensive.
const LEAST: usize = 2;
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
        let (lines, rank) = (self.shape().0, pivots.len());
        let (groups, nnz) = (lines.div_ceil(LANES), self.split.a.nnz() as u64);
        let mut rng = on_stream(rng, STREAM);
        let drawn = index::sample(&mut rng, groups, groups.min(SAMPLE)).into_vec();
        let together = |reach: &[u32]| {
            let push = |space: &mut PushSpace| self.push_together(substitution, space, reach, &mut rng.clone());
            spare.lend(|_| true, || substitution.space(), push)
        };
        let push = |some: &[usize]| -> Result<Vec<Pushed>> {
            let one = |&group| {
                let push = |space: &mut PushSpace| self.push_group(substitution, space, group);
                spare.lend(|_| true, || substitution.space(), push)
            };
            some.par_iter().map(one).collect()
        };
        // On the right it is known which lines null vectors share: they are pushed beside the first groups.
        let known = self.side == Side::Right;
        let ahead = || (known && rayon::current_num_threads() > 1).then(|| together(pivots)).transpose();
        let (first, mut rest) = drawn.split_at(LEAST.min(drawn.len()));
        let (pushed, ahead) = rayon::join(|| push(first), ahead);
        let (mut pushed, ahead) = (pushed?, ahead?);
        let work = |pushed: &[Pushed]| pushed.iter().map(|group| group.work).sum::<u64>();
        while !rest.is_empty() && work(&pushed) <= WORK_AN_ENTRY * nnz {
            // As many as fit, as far as those before tell.
            let left = (WORK_AN_ENTRY * nnz - work(&pushed)) as u128 * pushed.len() as u128;
            let more = 1 + (left / u128::from(work(&pushed).max(1))).min(rest.len() as u128 - 1) as usize;
            let some;
            (some, rest) = rest.split_at(more);
            pushed.extend(push(some)?);
        }
        let (sampled, drawn) = (pushed.len(), pushed.iter().map(|group| group.lines).sum::<usize>());
        if drawn == 0 {
            return Ok(Some(Support { entries: 0.0, share: 0.0, sampled, groups }));
        }
        let full: Vec<u32> = pushed.iter().flat_map(|group| &group.full).copied().collect();
        let share = full.len() as f64 / drawn as f64;
        // The rows that take the part of the pivot columns are not known yet on the left: others that are not zero.
        let reach = if known { pivots } else { &full[..full.len().min(rank)] };
        let reached = match (share > 0.0 && !reach.is_empty(), ahead) {
            (false, _) => 0.0,
            (true, Some(work)) => work as f64,
            (true, None) => together(reach)? as f64,
        };
        let together = (reached * rank as f64 / reach.len().max(1) as f64).min(nnz as f64);
        let vectors = (lines - rank) as f64 / LANES as f64;
        let entries = vectors * (work(&pushed) as f64 / sampled as f64 + share * together);
        Ok(Some(Support { entries, share, sampled, groups }))
    }

    /// Pushes the unit vectors of a group of lines.
    fn push_group(&self, substitution: &PushSolve, space: &mut PushSpace, group: usize) -> Pushed {
        let own = group * LANES..self.shape().0.min((group + 1) * LANES);
        own.clone().enumerate().for_each(|(lane, line)| substitution.add_unit(space, line, lane));
        let lanes = substitution.solve(space).iter().fold(0, |lanes, remainder| lanes | remainder.lanes);
        let full = own.clone().enumerate().filter(|(lane, _)| lanes >> lane & 1 == 1).map(|(_, line)| line as u32);
        Pushed { lines: own.len(), full: full.collect(), work: space.take_work() }
    }
    /// Pushes random multiples of some lines together; the work of that.
    fn push_together(&self, substitution: &PushSolve, space: &mut PushSpace, lines: &[u32], rng: &mut Rng) -> u64 {
        for &line in lines {
            let x = [(); LANES].map(|()| rng.random_range(1..self.split.modulus().get()));
            substitution.add(space, line as usize, &x);
        }
        substitution.solve(space);
        space.take_work()
    }
}

/// What came of a group that was pushed.
struct Pushed {
    /// How many lines it has.
    lines: usize,
    /// Those that S does not map to 0.
    full: Vec<u32>,
    work: u64,
}
