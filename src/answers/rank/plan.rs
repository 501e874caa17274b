//! The next step on the remaining matrix: an [`Action`], decided from shapes and prices before it is carried out.
//!
//! | stage | what may pay | stage after it |
//! | --- | --- | --- |
//! | whole | a dense wide matrix: its transpose | bounded |
//! | | rows of parts that others have, too: the parts | parted |
//! | parted | elimination as long as it causes no fill-in | unfilled |
//! | unfilled | structural pivots | pivoted |
//! | pivoted | Schur complements of them, while that is cheaper than what follows | formed |
//! | formed | the structural rank, a bound, if the next step depends on it | bounded |
//! | bounded | a way to the rank of the complement that is not formed ([`planner`](super::planner)) | known, or pivoted again |
//!
//! A stage at which nothing pays is passed by. A finish that was given up, for a rank larger or a price higher than
//! expected, leaves what it learnt ([`Larger`]), and the plan is made anew.

use super::glimpse::looks_dense;
use super::outlook::Outlook;
use super::planner::{Decision, Finish, Rest};
use super::structural::StructuralRank;
use super::{Machine, Method, RankOptions};
use crate::decomposition::{Decomposition, Keep};
use crate::elimination::may_share_parts;
use crate::gpu::Devices;
use crate::matching::greedy_beside;
use crate::pivots::Rule;
use crate::schur::{Prediction, RowSpace, SharedSolve, Split};
use crate::sparse::SparseMatrix;
use crate::wiedemann::Parameters;
use crate::{Result, memory};
use std::borrow::Cow;

/// Rows at least this heavy on average may have pivots that cause no fill-in though the positions do not show it.
const HEAVY_ROW: usize = 16;
/// Most entries of a matrix for which such pivots are looked for.
const FEW_ENTRIES: usize = 2_000_000;
/// Bytes of an entry of a sparse matrix.
pub(super) const ENTRY: u64 = (size_of::<u32>() + size_of::<u64>()) as u64;

/// The stage reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing was done.
    Whole,
    /// Parts that rows share are taken for rows.
    Parted,
    /// The pivots without fill-in are taken.
    Unfilled,
    /// Structural pivots are known.
    Pivoted,
    /// Schur complements that pay are formed.
    Formed,
    /// The rank of what is left has the bound that is worth finding.
    Bounded,
}

/// What is done next.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    /// Transpose a dense matrix: of a tall one a part of the rows may do, of a wide one all columns are eliminated.
    Transpose,
    /// Rows replaced by the parts that they share, if they do.
    ShareParts,
    /// Right-looking elimination as long as it causes no fill-in.
    EliminateWithoutFill,
    /// Structural pivots, in the orientation that suits them.
    FindPivots,
    /// Schur complements formed, and pivots found in them, each in so many seconds.
    FormComplements { seconds: f64 },
    /// A maximum matching, whose size is a bound of the rank.
    Match,
    /// The rank of the complement, which is not formed; the parameters of block Wiedemann where it is possible.
    Finish { decision: Decision, wiedemann: Option<Parameters> },
}

/// What is left of a matrix, and what is known of it.
pub(super) struct Left<'m> {
    /// The pivots so far, and what they leave.
    pub of: Decomposition<'m>,
    pub stage: Stage,
    /// Whether it is eliminated densely as it stands: looking for pivots, or for anything else, would take longer.
    pub dense: bool,
    /// The complement of the pivots of what is left, with the bound of its rank.
    pub rest: Rest,
    /// The next Schur complement, if the last rounds ended before it for its price alone.
    pub unformed: Option<Prediction>,
    /// The same, whatever was against it.
    pub predicted: Option<Prediction>,
    /// What a finish that was given up showed.
    pub larger: Option<Larger>,
    /// The row space that was given up last, if nothing else was done since.
    pub begun: Option<RowSpace>,
    /// The structural rank, if it is looked for ahead of time.
    pub structural: Option<StructuralRank>,
    /// Whether it waits for a finish that it would not change to be given up.
    pub waits: bool,
    /// What finishes share, of which one was given up.
    pub mixing: SharedSolve,
}

/// What is known of a rank after a step that was given up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Larger {
    /// It is larger than this …
    pub than: usize,
    /// … and that is large, as far as the plan is concerned: else the step was given up for its price.
    pub seen: bool,
}

impl<'m> Left<'m> {
    /// All of `a`.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn of(a: Cow<'m, SparseMatrix>, options: &RankOptions, machine: &Machine) -> Result<Self> {
        let rest = Rest::of(&a, 0, options);
        let dense = is_dense(&a, &rest, options, machine)?;
        let aside = if let Some(Rule::Aside(count)) = options.space { count } else { 0 };
        Ok(Left {
            of: Decomposition::of(a, options.keep())?.with_aside(aside),
            // Block Wiedemann on the matrix itself needs no pivots.
            stage: if options.method == Method::Wiedemann { Stage::Bounded } else { Stage::Whole },
            dense,
            rest,
            unformed: None,
            predicted: None,
            larger: None,
            begun: None,
            structural: None,
            waits: false,
            mixing: SharedSolve::default(),
        })
    }
    /// Goes on with what is left now, of which nothing is known but its pivots.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn go_on(&mut self, stage: Stage, options: &RankOptions) -> Result<()> {
        let (a, pivots) = (self.of.left(), self.of.pivots());
        self.rest = Rest { generic: self.rest.generic, ..Rest::of(a, pivots.len(), options) };
        if options.devices != Devices::Processor {
            self.rest.levels = Split::levels(a, pivots)?;
        }
        (self.stage, self.larger, self.structural, self.predicted) = (stage, None, None, None);
        self.begun = None;
        (self.waits, self.mixing) = (false, SharedSolve::default());
        Ok(())
    }
    /// Goes on as if no Schur complement paid.
    pub fn leave_unformed(&mut self) {
        self.stage = Stage::Formed;
    }
    /// What a plan depends on.
    pub fn outlook<'o>(&self, options: &'o RankOptions) -> Outlook<'o> {
        Outlook { rest: self.rest, options, unformed: self.unformed }
    }
    /// The rank that is known to be exceeded, if that is large.
    pub fn exceeded(&self) -> Option<usize> {
        self.larger.filter(|larger| larger.seen).map(|larger| larger.than)
    }

    /// What is done next.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] if nothing fits, [`crate::Error::Usage`] if an error bound is out of reach.
    pub fn next(&self, options: &RankOptions, machine: &Machine) -> Result<Action> {
        let (rest, mut stage) = (&self.rest, self.stage);
        loop {
            stage = match stage {
                Stage::Whole if self.dense && self.is_better_upright(options, machine) => {
                    return Ok(Action::Transpose);
                }
                Stage::Whole if self.dense => Stage::Bounded,
                Stage::Whole if self.may_share_parts(options) => return Ok(Action::ShareParts),
                Stage::Whole => Stage::Parted,
                Stage::Parted if self.may_have_pivots_without_fill(options) => {
                    return Ok(Action::EliminateWithoutFill);
                }
                Stage::Parted | Stage::Unfilled => return Ok(Action::FindPivots),
                Stage::Pivoted if self.dense || rest.is_done(machine) => Stage::Formed,
                Stage::Pivoted => {
                    let outlook = self.outlook(options);
                    let wiedemann = outlook.wiedemann(machine)?.map(|w| outlook.seconds(&w));
                    let seen = self.larger.is_some_and(|larger| larger.seen);
                    let seconds = rest.round_seconds(machine, wiedemann, seen);
                    return Ok(Action::FormComplements { seconds });
                }
                Stage::Formed
                    if (self.larger.is_none() || self.waits) && self.is_worth_matching(options, machine)? =>
                {
                    return Ok(Action::Match);
                }
                Stage::Formed => Stage::Bounded,
                Stage::Bounded => {
                    let (decision, wiedemann) = self.outlook(options).decide(machine, self.exceeded())?;
                    return Ok(Action::Finish { decision, wiedemann });
                }
            }
        }
    }

    /// Whether the transpose of a dense matrix is eliminated in less time, that of transposing counted, and there is
    /// memory for it.
    fn is_better_upright(&self, options: &RankOptions, machine: &Machine) -> bool {
        if options.keep() == Keep::Steps {
            return false;
        }
        let (wide, tall) = (&self.rest, self.rest.transposed());
        let spared = wide.every_row_at_worst(machine) - tall.every_row_at_worst(machine);
        let copied = memory::saturated(u128::from(ENTRY) * wide.nnz as u128);
        let fits = options.max_memory.is_none_or(|limit| tall.every_row_bytes().saturating_add(copied) <= limit);
        fits && spared > wide.nnz as f64 * machine.sparse.transpose
    }
    /// Whether other rows may take the place of those of A, which a minor, null vectors or their lines would name.
    fn may_share_parts(&self, options: &RankOptions) -> bool {
        options.method == Method::Auto && options.keep() == Keep::Nothing && may_share_parts(self.of.left())
    }
    /// Whether rows are heavy, and the matrix small. Pivots of what elimination makes are not entries of A: in a minor
    /// they would be beyond its chain, and a certificate lists the values of its vectors there. Null vectors need
    /// entries, too.
    fn may_have_pivots_without_fill(&self, options: &RankOptions) -> bool {
        let a = self.of.left();
        options.keep() == Keep::Nothing && a.nnz() >= HEAVY_ROW * a.rows().max(a.cols()) && a.nnz() <= FEW_ENTRIES
    }
    /// Whether the next step is the same whatever a maximum matching comes to: a row space that is given up below any
    /// bound that one may find, since the pivots and a greedy matching beside them are a larger one.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub(super) fn may_wait(&self, options: &RankOptions, machine: &Machine) -> Result<bool> {
        let finish = |rank_bound| {
            let outlook = Outlook { rest: Rest { rank_bound, ..self.rest }, ..self.outlook(options) };
            outlook.decide(machine, None).ok().map(|(decision, _)| decision.finish)
        };
        let now = finish(self.rest.rank_bound);
        let Some(Finish::RowSpace { give_up }) = now else { return Ok(false) };
        if give_up >= self.rest.rank_bound {
            return Ok(false);
        }
        let least = greedy_beside(self.of.left(), &self.of.pivots().rows, &self.of.pivots().cols)?;
        Ok(least > give_up && finish(least.min(self.rest.rank_bound)) == now)
    }
    /// Whether a smaller upper bound of the rank may save much.
    pub(super) fn is_worth_matching(&self, options: &RankOptions, machine: &Machine) -> Result<bool> {
        let rest = &self.rest;
        let outlook = self.outlook(options);
        let wiedemann = outlook.wiedemann(machine)?.map(|w| outlook.seconds(&w));
        let rows = rest.every_row_seconds(machine, rest.rank_bound);
        let worst = rest.row_space_seconds(machine, rest.rank_bound).min(rows);
        let cheapest = wiedemann.map_or(worst, |seconds| worst.min(seconds));
        Ok(rest.rank_bound > 0 && cheapest >= machine.sparse.matching * rest.nnz as f64)
    }
}

/// Whether `a`, the whole matrix, of which this is known, is eliminated densely as it stands.
fn is_dense(a: &SparseMatrix, whole: &Rest, options: &RankOptions, machine: &Machine) -> Result<bool> {
    let limit = options.max_memory;
    if matches!(options.method, Method::Hybrid | Method::Wiedemann) {
        return Ok(false);
    }
    let fits = || limit.is_none_or(|limit| whole.every_row_bytes() <= limit);
    Ok(whole.is_dense(machine, limit) || options.keep() == Keep::Nothing && fits() && looks_dense(a)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Kind;
    use crate::field::{Modulus, Rng};
    use rand::{RngExt, SeedableRng};

    fn random(rows: usize, cols: usize, nnz: usize) -> SparseMatrix {
        let mut rng = Rng::seed_from_u64(5);
        let entry = |k: usize| (k % rows, rng.random_range(0..cols), rng.random_range(1..65521));
        let entries: Vec<_> = (0..nnz).map(entry).collect();
        SparseMatrix::from_triplets(Modulus::new(65521).unwrap(), rows, cols, &entries)
    }

    /// What is next at a stage, by its name: asked twice, answered alike.
    fn next(a: &SparseMatrix, stage: Stage, options: &RankOptions, machine: &Machine) -> String {
        let left = Left { stage, ..Left::of(Cow::Borrowed(a), options, machine).unwrap() };
        let actions = [0, 1].map(|_| left.next(options, machine).unwrap());
        assert_eq!(actions[0], actions[1]);
        format!("{:?}", actions[0])
    }

    #[test]
    fn every_stage_has_its_actions() {
        let (options, machine) = (RankOptions::default(), Machine::reference());
        let minor = RankOptions { minor: true, ..Default::default() };
        // Heavy rows, light ones, and full matrices, tall and wide.
        let [heavy, light, tall, wide] = [
            random(2000, 2000, 60_000),
            random(20_000, 20_000, 60_000),
            random(9000, 60, 900_000),
            random(60, 9000, 900_000),
        ];
        let at = |a: &SparseMatrix, stage, options: &RankOptions| next(a, stage, options, &machine);
        assert_eq!(at(&heavy, Stage::Whole, &options), "EliminateWithoutFill");
        assert_eq!(at(&heavy, Stage::Whole, &minor), "FindPivots");
        assert_eq!(at(&heavy, Stage::Unfilled, &options), "FindPivots");
        assert_eq!(at(&light, Stage::Whole, &options), "FindPivots");
        let transposing = |price| {
            let mut machine = machine.clone();
            machine.sparse.transpose = price;
            next(&wide, Stage::Whole, &options, &machine)
        };
        assert_eq!(transposing(0.0), "Transpose");
        assert!(transposing(1.0).starts_with("Finish"));
        assert!(at(&tall, Stage::Whole, &options).starts_with("Finish"), "{}", at(&tall, Stage::Whole, &options));
        assert!(at(&light, Stage::Pivoted, &options).starts_with("FormComplements"));
        assert_eq!(at(&light, Stage::Formed, &options), "Match");
        assert!(at(&light, Stage::Bounded, &options).starts_with("Finish"));
        // Where passes cost next to nothing, nothing else pays.
        let passes = machine.scaled(Kind::Passes, 1e-9).scaled(Kind::Dense, 1e-9);
        assert!(next(&light, Stage::Pivoted, &options, &passes).starts_with("Finish"));
    }

    /// Where the row space that comes next is given up below any bound that a matching may find, and not elsewhere;
    /// once it was given up, the matching is made.
    #[test]
    fn a_matching_waits_for_a_row_space_that_it_would_not_change() {
        let (options, machine) = (RankOptions::default(), Machine::reference());
        let of = |a| Left { stage: Stage::Formed, ..Left::of(Cow::Owned(a), &options, &machine).unwrap() };
        let mut left = of(random(200_000, 200_000, 600_000));
        assert!(left.may_wait(&options, &machine).unwrap());
        let entries: Vec<_> = (0..600_000).map(|k| (k / 3, k % 17, 1 + k as u64 % 7)).collect();
        let few = of(SparseMatrix::from_triplets(Modulus::new(65521).unwrap(), 200_000, 200_000, &entries));
        assert_eq!(few.next(&options, &machine).unwrap(), Action::Match);
        assert!(!few.may_wait(&options, &machine).unwrap(), "17 columns at most are matched");
        left.larger = Some(Larger { than: 256, seen: true });
        assert_ne!(left.next(&options, &machine).unwrap(), Action::Match);
        left.waits = true;
        assert_eq!(left.next(&options, &machine).unwrap(), Action::Match);
    }

    #[test]
    fn what_was_given_up_is_learnt_from() {
        let (options, machine) = (RankOptions::default(), Machine::reference());
        let a = random(200_000, 200_000, 600_000);
        let next = |larger, generic| {
            let mut left = Left::of(Cow::Borrowed(&a), &options, &machine).unwrap();
            assert!(left.rest.generic);
            (left.stage, left.larger, left.rest.generic) = (Stage::Formed, larger, generic);
            match left.next(&options, &machine).unwrap() {
                Action::Finish { decision, .. } => Some(decision.finish),
                _ => None,
            }
        };
        let finish = |larger| next(larger, false);
        assert_eq!(finish(None), None, "a bound is looked for first");
        // Given up for its price: the rank may still be small. Seen to be large: it may not.
        let priced = finish(Some(Larger { than: 64, seen: false })).unwrap();
        assert!(matches!(priced, Finish::RowSpace { give_up } if give_up < a.rows()), "{priced:?}");
        let sketched = finish(Some(Larger { than: 64, seen: true })).unwrap();
        let Finish::Sketch { give_up } = sketched else { panic!("{sketched:?}") };
        let seen = Some(Larger { than: 64, seen: true });
        assert_eq!(next(seen, true), Some(Finish::Wiedemann { pivots: true }), "values are many");
        // Given up as well: nothing is left but block Wiedemann.
        assert!((128..a.rows()).contains(&give_up), "{give_up}");
        assert_eq!(finish(Some(Larger { than: give_up, seen: true })), Some(Finish::Wiedemann { pivots: true }));
    }
}
