//! What is known of a Schur complement, and what its planner asks of it: prices of whole ways, and which of them are
//! out of the question.

use super::super::RankOptions;
use super::super::glimpse::spread;
use super::finish::{FIRST, Finish, HOPE, IMMEDIATE, LONG, Refused, SHORT, WORTH, is_short, largest};
use crate::certify::ErrorBound;
use crate::cost::{Device, Machine};
use crate::dense::{Echelon, Place};
use crate::field::Modulus;
use crate::pivots::Effort;
use crate::schur::{EVERY_ROW_PANEL, EveryRow, RowSpace, Shape, Sketch};
use crate::sparse::SparseMatrix;
use crate::spmv::LANES;
use std::borrow::Cow;

/// What is known of S.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Rest {
    pub modulus: Modulus,
    /// Pivots taken.
    pub pivots: usize,
    /// Shape of S.
    pub rows: usize,
    pub cols: usize,
    /// Entries of A, which every product with S reads once, and those of them that are not ±1.
    pub nnz: usize,
    pub valued: usize,
    /// A bound of rank S.
    pub rank_bound: usize,
    /// Whether entries of the whole matrix take so many values that the bound is expected to be reached.
    pub generic: bool,
    /// Whether rows are wanted that are independent in the pivot columns of its echelon form.
    pub minor: bool,
    /// Whether a check will not do for a proof.
    pub proven: bool,
    /// What checks may miss.
    pub check: ErrorBound,
    /// Levels of the pivots, if a GPU may have a part.
    pub levels: usize,
    /// Whether a GPU makes the passes of sketches and of block Wiedemann, and eliminates wide rows: of how many threads
    /// a second of it takes the time.
    pub gpu: Option<usize>,
    /// Where memory is tight, the number of threads: bytes are those that so many need, and nothing to spare.
    pub threads: Option<usize>,
    /// Ways that are out of the question.
    pub refused: Refused,
}

impl Rest {
    /// What `pivots` pivots leave of `a`.
    pub fn of(a: &SparseMatrix, pivots: usize, options: &RankOptions) -> Self {
        let (rows, cols, minor) = (a.rows() - pivots, a.cols() - pivots, options.minor);
        let (modulus, nnz, valued, rank_bound) = (a.modulus(), a.nnz(), a.valued(), rows.min(cols));
        let (proven, check) = (options.is_proof_demanded(), options.check_error());
        let gpu = options.devices.are_demanded().then_some(Device::THREADS);
        Rest {
            modulus,
            pivots,
            rows,
            cols,
            nnz,
            valued,
            rank_bound,
            generic: is_generic(a),
            minor,
            proven,
            check,
            levels: 0,
            gpu,
            threads: None,
            refused: Refused::default(),
        }
    }
    /// The prices of sketches and of block Wiedemann.
    pub fn prices<'m>(&self, machine: &'m Machine) -> Cow<'m, Machine> {
        self.gpu.map_or(Cow::Borrowed(machine), |threads| Cow::Owned(machine.with_gpu(threads)))
    }
    /// Those of eliminations of rows of so many columns: on a GPU where one has a part in them.
    fn dense_prices<'m>(&self, machine: &'m Machine, cols: usize) -> Cow<'m, Machine> {
        match self.gpu {
            Some(threads) if !self.minor && Place::is_for_gpu(self.modulus, cols) => {
                Cow::Owned(machine.with_dense_gpu(threads))
            }
            _ => Cow::Borrowed(machine),
        }
    }
    /// Whether S is best left unformed: nothing is left of it, or the implicit way is immediate.
    pub fn is_done(&self, machine: &Machine) -> bool {
        self.rank_bound == 0 || self.is_immediate(machine)
    }
    /// Levels that a pass through S waits for: of pivots, on a GPU.
    pub fn waits(&self) -> usize {
        self.gpu.map_or(0, |_| self.levels)
    }
    /// What the prices of S depend on.
    pub fn shape(&self) -> Shape {
        let Rest { modulus, pivots, rows, cols, nnz, valued, threads, .. } = *self;
        Shape { modulus, pivots, rows, cols, nnz, valued, threads, levels: self.waits() }
    }
    /// The same where memory is tight: if the row space of the largest rank is predicted beyond the limit, bytes are
    /// those that this number of threads needs. There the plan depends on it.
    pub fn within(self, max_memory: Option<u64>) -> Rest {
        let tight = max_memory.is_some_and(|limit| self.row_space_bytes(self.rank_bound) > limit);
        Rest { threads: tight.then(rayon::current_num_threads), ..self }
    }
    /// Predicted seconds of one thread for the row space, if the rank of S is r.
    pub fn row_space_seconds(&self, machine: &Machine, r: usize) -> f64 {
        RowSpace::seconds(&self.shape(), &self.dense_prices(machine, self.cols), self.rank_bound, r, self.check)
    }
    /// The same if the rank is what it may be, which needs no check, or just below.
    fn row_space_at_worst(&self, machine: &Machine) -> f64 {
        let seconds = |r: usize| self.row_space_seconds(machine, r);
        seconds(self.rank_bound).max(seconds(self.rank_bound.saturating_sub(1)))
    }
    /// Predicted seconds of one thread for all rows of S in a dense echelon form, if the rank of S is r.
    pub fn every_row_seconds(&self, machine: &Machine, r: usize) -> f64 {
        // Rows of a matrix that reaches its bound, or is checked, are not processed beyond the first panel that adds
        // nothing.
        let panel = self.rows.min(r + EVERY_ROW_PANEL);
        if r == self.rank_bound {
            self.rows_seconds(machine, r, panel)
        } else if self.is_checked(machine, r, panel) {
            self.rows_seconds(machine, r, panel) + self.row_check_seconds(machine, self.rows - panel)
        } else {
            self.rows_seconds(machine, r, self.rows)
        }
    }
    /// The same if all rows are taken.
    pub fn every_row_proven_seconds(&self, machine: &Machine, r: usize) -> f64 {
        self.rows_seconds(machine, r, self.rows)
    }
    /// Whether rows of A may be left to a check, in the memory of a few panels.
    fn may_be_checked(&self) -> bool {
        !self.proven
            && !self.minor
            && self.pivots == 0
            && EveryRow::check_count(self.modulus, self.check) <= EveryRow::MOST_CHECKS
    }
    /// Whether, at a rank r of S with so many rows done, the others are left to a check: an answer that is proven is
    /// worth some time.
    pub fn is_checked(&self, machine: &Machine, r: usize, done: usize) -> bool {
        if !self.may_be_checked() {
            return false;
        }
        let [now, then] = [done, self.rows].map(|rows| self.rows_seconds(machine, r, rows));
        then - now > SHORT && then > WORTH * (now + self.row_check_seconds(machine, self.rows - done))
    }
    /// Whether that may happen at some rank: not where all rows take little time.
    pub fn may_ever_be_checked(&self, machine: &Machine) -> bool {
        self.may_be_checked() && self.every_row_proven_seconds(machine, self.rank_bound) > SHORT
    }
    /// Predicted seconds for a check of so many rows of A.
    fn row_check_seconds(&self, machine: &Machine, rows: usize) -> f64 {
        EveryRow::check_seconds(&self.shape(), machine, rows, self.check)
    }
    /// Predicted seconds for `taken` rows of S in a dense echelon form, which has the rank r then.
    fn rows_seconds(&self, machine: &Machine, r: usize, taken: usize) -> f64 {
        EveryRow::seconds(&self.shape(), &self.dense_prices(machine, self.cols), r, taken)
    }
    /// The same if the rank is what it may be, or just below, which no row shows before the last.
    pub fn every_row_at_worst(&self, machine: &Machine) -> f64 {
        let seconds = |r: usize| self.every_row_seconds(machine, r);
        seconds(self.rank_bound).max(seconds(self.rank_bound.saturating_sub(1)))
    }
    /// The same of the transpose.
    pub fn transposed(self) -> Rest {
        Rest { rows: self.cols, cols: self.rows, ..self }
    }
    /// The same before any pivots were taken.
    pub fn without_pivots(self) -> Rest {
        let t = self.pivots;
        Rest { pivots: 0, levels: 0, rows: self.rows + t, cols: self.cols + t, rank_bound: self.rank_bound + t, ..self }
    }
    /// Whether A is eliminated densely as it stands, before pivots are looked for: there cannot be many, or looking
    /// takes longer. (A minor benefits from structural pivots, if there may be many.)
    pub fn is_dense(&self, machine: &Machine, max_memory: Option<u64>) -> bool {
        let full = 2 * self.nnz as u128 >= self.rows as u128 * self.cols as u128;
        self.pivots == 0
            && (!self.minor || self.rank_bound > LANES && self.nnz as u128 > self.rows as u128 * self.cols as u128 / 4)
            && (full || self.every_row_at_worst(machine) <= self.pivots_seconds(machine))
            && max_memory.is_none_or(|limit| self.every_row_bytes() <= limit)
    }
    /// Predicted seconds of one thread for looking for structural pivots, whether or not there are any to search for.
    pub fn pivots_seconds(&self, machine: &Machine) -> f64 {
        Effort::default().cover_seconds(&machine.sparse, [self.rows, self.cols], self.nnz)
    }
    /// Predicted bytes for all rows of S in a dense echelon form; 2⁶⁴ - 1 where they would leave 64 bits.
    pub fn every_row_bytes(&self) -> u64 {
        EveryRow::bytes(&self.shape(), self.rank_bound, self.may_be_checked(), self.minor)
    }
    /// All rows, where that is the cheapest way at worst, no more expensive than combinations and their proof if the
    /// rank is half of that, and not much is lost if it is small: whether without pivots, and the seconds at worst.
    pub(super) fn by_every_row(
        &self,
        machine: &Machine,
        others: f64,
        max_memory: Option<u64>,
    ) -> Option<(Finish, f64)> {
        let half = self.rank_bound / 2;
        let by_combinations = self.row_space_seconds(machine, half) + self.proof_seconds(machine, half);
        if self.refused.every_row {
            return None;
        }
        // The pivots of a minor are among those found.
        let whole =
            (self.pivots > 0 && !self.minor).then(|| (Finish::EveryRow { pivots: false }, self.without_pivots()));
        std::iter::once((Finish::EveryRow { pivots: true }, *self))
            .chain(whole)
            .filter(|(_, rest)| max_memory.is_none_or(|limit| rest.every_row_bytes() <= limit))
            .filter(|(_, rest)| rest.every_row_seconds(machine, 0) <= (HOPE * others).max(IMMEDIATE))
            .filter(|(_, rest)| rest.every_row_seconds(machine, rest.rank_bound - half) <= by_combinations)
            .map(|(finish, rest)| (finish, rest.every_row_at_worst(machine)))
            .filter(|&(_, seconds)| seconds <= others)
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }
    /// Predicted seconds of one thread for a sketch that looks for ranks up to r, if the rank of S is that; none over
    /// GF(2) and GF(3), for a minor or a proof.
    pub fn sketch_seconds(&self, machine: &Machine, r: usize) -> Option<f64> {
        self.sketch_seconds_of(machine, [r, r])
    }
    /// The same for one that looks for ranks up to `most`.
    pub fn sketch_seconds_of(&self, machine: &Machine, [r, most]: [usize; 2]) -> Option<f64> {
        (self.modulus.get() > 3 && !self.minor && !self.proven).then(|| {
            let prices = self.prices(machine);
            let prices = self.dense_prices(&prices, self.rank_bound);
            Sketch::seconds(&self.shape(), &prices, self.rank_bound, [r, most], self.check)
        })
    }
    /// The largest rank with a row space that takes little compared with the first sketch: a small rank is better known
    /// from its row space, which may be proven.
    pub(super) fn first_row_space(&self, machine: &Machine) -> Option<usize> {
        let sketch = self.sketch_seconds(machine, Sketch::first_rank(self.rank_bound))?;
        Some(largest(self.rank_bound, |r| self.row_space_seconds(machine, r) <= FIRST * sketch))
    }
    /// Predicted bytes for a sketch of a rank up to r.
    pub fn sketch_bytes(&self, r: usize) -> u64 {
        Sketch::bytes(&self.shape(), self.rank_bound, r)
    }
    /// Predicted seconds to find that the rank of S is small, or not.
    pub fn probe_seconds(&self, machine: &Machine) -> f64 {
        self.row_space_seconds(machine, self.rank_bound.min(2 * LANES))
    }
    /// Whether the implicit way is quick to its end, proof and all, whatever the rank.
    fn is_immediate(&self, machine: &Machine) -> bool {
        // The alternatives need the same preparation.
        let mut machine = machine.clone();
        machine.passes.ready = 0.0;
        self.row_space_at_worst(&machine) + self.proof_seconds(&machine, 0) <= IMMEDIATE
    }
    /// What forming S and going on from there may cost: a few times the time in which the implicit method would detect
    /// a small rank. Where that has been `seen` not to be, or will not be looked for first, it may be a share of the
    /// cheapest way for a large one.
    pub fn round_seconds(&self, machine: &Machine, wiedemann: Option<f64>, seen: bool) -> f64 {
        let few = WORTH * self.probe_seconds(machine);
        let worst = self.row_space_seconds(machine, self.rank_bound);
        let hopeless = self.hope(machine).is_none();
        let share = match wiedemann {
            None if seen || hopeless => HOPE * (worst + self.proof_seconds(machine, 0)),
            Some(w) if seen || is_short(worst, w) && hopeless => HOPE * w.min(worst),
            _ => 0.0,
        };
        // Dense rows may be cheaper than any of this.
        let rows = self.every_row_at_worst(machine).min(self.without_pivots().every_row_at_worst(machine));
        few.max(share).min(HOPE * rows)
    }
    /// Where the row space is preferred to block Wiedemann at any rank, the rank up to which it is sought in the hope
    /// that it is small, before S may be formed at a higher price: a share of what all combinations would take, which
    /// does not count for much where the dense elimination dwarfs them. `None` where that is no small part of the worst
    /// case, or all of it is short.
    pub(super) fn hope(&self, machine: &Machine) -> Option<usize> {
        let worst = self.row_space_seconds(machine, self.rank_bound);
        let seconds = HOPE * (worst - Echelon::seconds(&machine.dense, self.modulus, self.rank_bound, self.cols));
        let hope = largest(self.rank_bound, |r| self.row_space_seconds(machine, r) <= seconds);
        (worst > LONG && seconds <= HOPE * HOPE * worst && hope > 0).then_some(hope)
    }
    /// Predicted bytes for the row space of a rank up to r, without A; 2⁶⁴ - 1 where they would leave 64 bits.
    pub fn row_space_bytes(&self, r: usize) -> u64 {
        RowSpace::bytes(&self.shape(), r, self.minor)
    }
    /// Predicted bytes of a way to finish; `wiedemann` are those of block Wiedemann.
    pub fn bytes(&self, finish: Finish, wiedemann: u64) -> u64 {
        match finish {
            Finish::Nothing => 0,
            Finish::EveryRow { pivots: true } => self.every_row_bytes(),
            Finish::EveryRow { pivots: false } => self.without_pivots().every_row_bytes(),
            Finish::RowSpace { give_up } => self.row_space_bytes(give_up.min(self.rank_bound)),
            Finish::Sketch { give_up } => self.sketch_bytes(give_up.min(self.rank_bound)),
            Finish::Wiedemann { .. } => wiedemann,
        }
    }
}

/// Values of entries that are looked at, and how many of them differ in a generic matrix.
const SAMPLE: usize = 256;
const VARIED: usize = SAMPLE / 4;

/// Whether entries take many values: what is expected of them then, not what is certain. Of all matrices with a pattern
/// of structural rank r, a share of r/(p - 1) at most has a smaller rank (a minor is a polynomial of degree r in the
/// entries: Schwartz 1980); where p is no larger than r, most lack little of it. Those of few values, as homology has
/// them, often lack much.
fn is_generic(a: &SparseMatrix) -> bool {
    // At regular distances all could be in one place of rows of equal length.
    let at = |k: usize| a.values()[spread(k, a.nnz())];
    let mut values: Vec<u64> = (0..SAMPLE.min(a.nnz())).map(at).collect();
    values.sort_unstable();
    values.dedup();
    values.len() >= VARIED
}
