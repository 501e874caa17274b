//! The proof of a rank of the Schur complement: whether it is worthwhile, on which side, and by which method.

use super::Machine;
use super::finish::OnRest;
use super::patience::Watch;
use super::planner::Rest;
use super::settled::Settled;
use crate::dense::Echelon;
use crate::field::Rng;
use crate::schur::{NullSpace, Proof, Side, Split, Way};
use crate::spmv::Lane;
use crate::words::duration;
use crate::{Error, Result, Step, memory};
use std::time::Instant;

/// An optional proof may take this fraction of the predicted time of pivots and row space …
const PROOF_SHARE: f64 = 1.0;
/// … or so many seconds.
const UNASKED: f64 = 0.05;

/// A way to prove and its price.
struct Plan<'a> {
    side: Side,
    seconds: f64,
    why: String,
    /// Made for a sample already; `None` for passes.
    null_space: Option<NullSpace<'a>>,
}

/// What a rank without proof rests on, and what the proof would take.
fn unproven_ground(seconds: f64) -> String {
    let proof = duration(seconds);
    format!("; more combinations of rows, chosen by a hash of the answer, add nothing; a proof would take {proof}")
}

impl OnRest<'_, '_> {
    /// The rank of a complement of whose row space `echelon` is in all likelihood a basis: proven if that is demanded,
    /// or cheap compared with what was done before. A proof that fails finds what was missed.
    pub(super) fn settle(&mut self, rest: &Rest, echelon: Echelon, rng: &Rng) -> Result<Settled> {
        let options = self.work.options;
        let demanded = options.is_proof_demanded();
        let (start, observer, r) = (Instant::now(), self.work.observer, echelon.rank());
        let cols = echelon.pivot_cols()?;
        let unproven =
            |seconds: f64, pivot_cols| Settled { rank: r, pivot_cols, proven: false, ground: unproven_ground(seconds) };
        let limit = if demanded { f64::INFINITY } else { rest.proof_limit(&self.work.machine, r) };
        let least = rest.least_proof_seconds(&self.work.machine, r);
        if least > limit {
            return Ok(unproven(least.max(rest.proof_seconds(&self.work.machine, r)), cols));
        }
        observer.phase("proof", 0);
        let (split, machine) = (&self.split, &self.work.machine);
        let spare = options.max_memory.map_or(u64::MAX, |limit| limit.saturating_sub(rest.row_space_bytes(r)));
        let plan = self.work.phases.time("proof", || cheapest(split, (rest, r, spare), machine, &cols, rng));
        let plan = match plan {
            // There is no memory to look whether a proof is cheap that nobody demands.
            Err(Error::Memory(_)) if !demanded => {
                return Ok(unproven(least.max(rest.proof_seconds(&self.work.machine, r)), cols));
            }
            plan => plan?,
        };
        if plan.seconds > limit {
            return Ok(unproven(plan.seconds, cols));
        }
        // A proof that nobody demands may take what it may, whatever was predicted.
        let predicted = |_: u64| plan.seconds;
        let otherwise = |_: u64, taken: f64| taken > limit;
        let watch = Watch::new(observer, options.patience, &predicted, &otherwise);
        let proof = self.work.phases.time("proof", || {
            let null_space = match plan.null_space {
                Some(null_space) => null_space,
                None => NullSpace::new(split, plan.side, Way::Passes)?,
            };
            null_space.prove(echelon, rest.rank_bound, rng, &watch)
        });
        let Proof { rank, pivot_cols, vanished, failed } = match proof {
            Err(Error::Memory(_)) if !demanded => return Ok(unproven(plan.seconds, cols)),
            Err(Error::Interrupted) if watch.stopped().is_some() => {
                let taken = start.elapsed().as_secs_f64();
                let (found, why) = ("stopped: not proven".to_string(), "it takes longer than it may".to_string());
                let (name, rank, predicted) = (name(plan.side), Some(0), Some(plan.seconds));
                self.work.path.push(Step { name, found, why, rank, predicted, seconds: taken });
                return Ok(unproven(plan.seconds.max(taken), cols));
            }
            other => other?,
        };
        let found = match (vanished, failed) {
            (0, 0) => format!("nothing to check: rank {rank} is the largest possible"),
            (n, 0) => format!("{n} independent null vectors"),
            (n, _) => format!("{n} independent null vectors, and rank {rank} after {failed} tries that failed at less"),
        };
        self.work.path.push(Step {
            name: name(plan.side),
            found,
            why: format!("no larger rank is possible; {}", plan.why),
            rank: Some(rank - r),
            predicted: Some(plan.seconds),
            seconds: start.elapsed().as_secs_f64(),
        });
        Ok(Settled { rank, pivot_cols, proven: true, ground: "; proven by the null space".into() })
    }
}

/// The cheapest way to prove that the rank of S, which `split` makes, is at most r, with `spare` bytes to do so; the
/// columns `cols` are the pivots of its row space.
fn cheapest<'a>(
    split: &'a Split<'a>,
    (rest, r, spare): (&Rest, usize, u64),
    machine: &Machine,
    cols: &[u32],
    rng: &Rng,
) -> Result<Plan<'a>> {
    let plans = rest.proof_ways(machine, r, spare).into_iter().map(|(side, way, seconds)| {
        let passes = rest.passes_seconds(machine, r, side);
        if way == Way::Passes {
            return Ok(Plan { side, seconds, why: "by passes over the matrix".into(), null_space: None });
        }
        let null_space = NullSpace::new(split, side, way)?;
        let support = null_space.support(cols, rng)?.expect("a substitution pushes");
        let seconds = seconds + rest.pushes_seconds(machine, support.entries);
        let dearer = if passes > seconds { format!("; passes would take {}", duration(passes)) } else { String::new() };
        let why = format!(
            "by sparse substitution, {:.1e} entries predicted from {} of {} groups{dearer}",
            support.entries, support.sampled, support.groups,
        );
        Ok(Plan { side, seconds, why, null_space: Some(null_space) })
    });
    let plans: Vec<Plan<'_>> = plans.collect::<Result<_>>()?;
    Ok(plans.into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds)).expect("passes are always a way"))
}

/// What a step is called.
fn name(side: Side) -> &'static str {
    match side {
        Side::Right => "null space",
        Side::Left => "null space of the transpose",
    }
}

impl Rest {
    /// The ways to prove that rank S is at most r, each with the seconds known beforehand: all of them for passes; for
    /// substitutions those without the pushes. The left side is considered where it has fewer free lines, and its
    /// echelon form and reduced form fit in `spare` bytes.
    fn proof_ways(&self, machine: &Machine, r: usize, spare: u64) -> Vec<(Side, Way, f64)> {
        let mut ways = vec![(Side::Right, Way::Passes, self.proof_seconds(machine, r))];
        if ways[0].2 <= self.sample_seconds(machine) {
            return ways;
        }
        ways.push((Side::Right, Way::Pushes, self.dense_seconds(machine, r, Side::Right)));
        let lane = Lane::narrowest(self.modulus).bytes();
        let reduced = memory::saturated(r as u128 * (self.rows - r) as u128 * lane as u128);
        let bytes = Echelon::memory(self.modulus, r, self.rows).saturating_add(reduced);
        if self.rows < self.cols && bytes <= spare {
            let dense = self.dense_seconds(machine, r, Side::Left);
            ways.push((Side::Left, Way::Pushes, dense));
            ways.push((Side::Left, Way::Passes, dense + self.passes_seconds(machine, r, Side::Left)));
        }
        ways
    }
    /// Predicted seconds for the proof that rank S is at most r, on the right and by passes.
    pub fn proof_seconds(&self, machine: &Machine, r: usize) -> f64 {
        self.passes_seconds(machine, r, Side::Right) + self.dense_seconds(machine, r, Side::Right)
    }
    /// Predicted seconds of the null vectors of a rank r, all of them mapped by passes.
    fn passes_seconds(&self, machine: &Machine, r: usize, side: Side) -> f64 {
        NullSpace::passes_seconds(&self.shape(), machine, r, side)
    }
    /// Predicted seconds for writing down the null space of a rank r, which must be mapped then.
    fn dense_seconds(&self, machine: &Machine, r: usize, side: Side) -> f64 {
        NullSpace::dense_seconds(&self.shape(), machine, r, side)
    }
    /// Predicted seconds of so many entries pushed.
    fn pushes_seconds(&self, machine: &Machine, entries: f64) -> f64 {
        NullSpace::push_seconds(&self.shape(), machine, entries)
    }
    /// Predicted seconds for making a substitution ready and pushing a sample of the vectors, one entry for each entry
    /// of A.
    fn sample_seconds(&self, machine: &Machine) -> f64 {
        self.nnz as f64 * machine.passes.ready + self.pushes_seconds(machine, self.nnz as f64)
    }
    /// No proof of rank r takes less, unless passes are few.
    fn least_proof_seconds(&self, machine: &Machine, r: usize) -> f64 {
        let sampled = self.sample_seconds(machine) + self.dense_seconds(machine, r, Side::Right);
        sampled.min(self.proof_seconds(machine, r))
    }
    /// What a proof of rank r by passes may take that nobody demands.
    fn proof_limit(&self, machine: &Machine, r: usize) -> f64 {
        let spent = self.row_space_seconds(machine, r) + self.without_pivots().pivots_seconds(machine);
        (PROOF_SHARE * spent).max(UNASKED)
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::CHECK;
    use super::super::work::Work;
    use super::super::{Patience, Phases, RankOptions};
    use super::*;
    use crate::certify::Streams;
    use crate::field::Modulus;
    use crate::oracles::{dense_rank, greedy_pivots};
    use crate::sparse::SparseMatrix;
    use crate::stopwatch::Stopwatch;
    use crate::{Observer, Silent};
    use rand::{RngExt, SeedableRng};

    /// What an unlucky check of the row space would leave: without a proof a rank too small, with one the rank.
    #[test]
    fn a_row_space_that_is_too_small_ends_in_an_answer() {
        let mut rng = Rng::seed_from_u64(1);
        for p in [2, 3, 65521, (1 << 31) - 1, (1 << 63) - 25] {
            for (rows, cols) in [(400, 300), (300, 700), (0, 4), (4, 0), (3, 3)] {
                let entries: Vec<_> = (0..3 * rows * cols.min(1))
                    .map(|k| (k % rows, rng.random_range(0..cols), 1 + rng.random_range(0..p - 1)))
                    .collect();
                let a = SparseMatrix::from_triplets(Modulus::new(p).unwrap(), rows, cols, &entries);
                let pivots = greedy_pivots(&a);
                let expected = dense_rank(&a) - pivots.len();
                for proven in [false, true] {
                    let (options, mut phases) = (RankOptions { proven, ..Default::default() }, Phases::default());
                    let (machine, streams) = (Machine::reference(), Streams::of(&a, 1));
                    let (options, streams, phases) = (&options, &streams, &mut phases);
                    let path = vec![];
                    let mut work = Work { path, ..Work::new(options, streams, machine, phases, &Silent) };
                    let split = Split::new(&a, &pivots).unwrap();
                    let mut on_rest = OnRest { a: &a, split, aside: 0, begun: None, work: &mut work };
                    let (rest, echelon) =
                        (Rest::of(&a, pivots.len(), options), Echelon::new(a.modulus(), cols - pivots.len()).unwrap());
                    let settled = on_rest.settle(&rest, echelon, &rng).unwrap();
                    assert!(settled.proven || !proven);
                    if settled.proven {
                        assert_eq!(
                            (settled.rank, settled.pivot_cols.len()),
                            (expected, expected),
                            "{rows} x {cols} mod {p}"
                        );
                        let step = work.path.pop().unwrap();
                        assert_eq!(
                            (step.rank, step.found.contains("failed")),
                            (Some(expected), expected > 0),
                            "{step:?}"
                        );
                    }
                }
            }
        }
    }

    /// With an observer that takes longer than a proof may that nobody demands.
    #[test]
    fn a_proof_that_takes_too_long_ends_unless_it_is_demanded() {
        struct Slow;
        impl Observer for Slow {
            fn cancelled(&self) -> bool {
                let watch = Stopwatch::start();
                while !watch.reaches(1.1 * UNASKED) {
                    std::hint::spin_loop();
                }
                false
            }
        }
        let modulus = Modulus::new(65521).unwrap();
        let mut rng = Rng::seed_from_u64(2);
        let entries: Vec<_> = (0..900).map(|k| (k % 300, rng.random_range(0..200), 1 + k as u64)).collect();
        let a = SparseMatrix::from_triplets(modulus, 300, 200, &entries);
        let pivots = greedy_pivots(&a);
        for proven in [false, true] {
            let patience = Patience { factor: 3.0, seconds: 0.0 };
            let options = &RankOptions { proven, patience, ..Default::default() };
            let (streams, phases) = (&Streams::of(&a, 1), &mut Phases::default());
            let (machine, path) = (Machine::reference(), vec![]);
            let mut work = Work { path, ..Work::new(options, streams, machine, phases, &Slow) };
            let split = Split::new(&a, &pivots).unwrap();
            let mut on_rest = OnRest { a: &a, split, aside: 0, begun: None, work: &mut work };
            let (rest, echelon) =
                (Rest::of(&a, pivots.len(), options), Echelon::new(modulus, 200 - pivots.len()).unwrap());
            let settled = on_rest.settle(&rest, echelon, &Rng::seed_from_u64(1)).unwrap();
            let step = work.path.pop().unwrap();
            assert_eq!((settled.proven, step.found.starts_with("stopped")), (proven, !proven), "{step:?}");
            assert!(proven || settled.rank == 0 && step.rank == Some(0));
        }
    }

    fn rest(rows: usize, cols: usize, nnz: usize) -> Rest {
        let modulus = Modulus::new(65521).unwrap();
        let rank_bound = rows.min(cols);
        Rest {
            modulus,
            pivots: 1000,
            rows,
            cols,
            nnz,
            valued: 0,
            rank_bound,
            generic: false,
            minor: false,
            proven: false,
            check: CHECK,
            levels: 0,
            gpu: None,
            threads: None,
            refused: Default::default(),
        }
    }

    #[test]
    fn proofs_are_made_where_they_are_cheap() {
        let machine = Machine::reference();
        let worth = |rest: &Rest, r| rest.proof_seconds(&machine, r) <= rest.proof_limit(&machine, r);
        assert!(worth(&rest(5000, 600, 50_000), 300));
        let large = rest(60_000, 50_000, 900_000);
        assert!(!worth(&large, 3000) && worth(&large, 30_000));
    }

    #[test]
    fn a_way_is_considered_where_it_may_win() {
        let (machine, r) = (Machine::reference(), 100);
        let ways = |rest: &Rest, spare| -> Vec<_> {
            rest.proof_ways(&machine, r, spare).into_iter().map(|(side, way, _)| (side, way)).collect()
        };
        let right = [(Side::Right, Way::Passes), (Side::Right, Way::Pushes)];
        // A few passes are cheaper than a sample; the left side has no fewer lines in a square.
        assert_eq!(ways(&rest(300, 164, 900_000), u64::MAX), right[..1]);
        assert_eq!(ways(&rest(50_000, 50_000, 900_000), u64::MAX), right);
        let wide = rest(20_000, 50_000, 900_000);
        let left = [(Side::Left, Way::Pushes), (Side::Left, Way::Passes)];
        assert_eq!(ways(&wide, u64::MAX), [right, left].concat());
        assert_eq!(ways(&wide, 1 << 20), right);
        // All passes of the wide one are fewer on the left.
        let seconds = |side| wide.dense_seconds(&machine, r, side) + wide.passes_seconds(&machine, r, side);
        assert!(seconds(Side::Left) < seconds(Side::Right));
    }
}
