//! What to do with the Schur complement that structural pivots leave: data with reasons, decided before the work is done.
//!
//! Two ways find the rank s of S, and neither is known to be better before s is: its row space from random combinations takes
//! s·nnz + s²·cols/2 multiply-adds, the second term dense, and an answer sure to p⁻ᵏ that can be proven; block Wiedemann takes
//! 4·s·nnz and more certainty costs more. So the row space is sought first, up to a rank where it has cost a fraction
//! of what Wiedemann would at worst; then the plan is made anew: S may be formed at a higher price than before.

use super::RankOptions;
use super::machine::Machine;
use crate::certify::ErrorBound;
use crate::dense::{self, Echelon};
use crate::field::Modulus;
use crate::schur::{self, Combinations, EVERY_ROW_PANEL, Kept};
use crate::sparse::SparseMatrix;
use crate::spmv::LANES;
use crate::{Error, Result, memory};

/// Blocks that a row space has under way at once: the 256 rows of a panel. (A proof has one for each thread.)
const WORKSPACES: usize = 256 / LANES;
/// A method that ends with an answer that is proven, or sure beyond doubt, may be predicted to take so many times longer.
const WORTH: f64 = 3.0;
/// Below so many seconds nothing else is considered.
const SHORT: f64 = 0.1;
/// Below so many seconds a row space without rival is sought to its end: what is repeated if the rank is not small must not count.
const LONG: f64 = 2.0;
/// Below so many seconds a Schur complement is not formed.
const IMMEDIATE: f64 = 0.02;
/// Most combinations of a check of rows: their memory is predicted as if they were as many.
const MOST_CHECKS: usize = 128;
/// The share of block Wiedemann's worst case that is spent on the hope for a small rank.
const HOPE: f64 = 0.25;

/// What is known of S.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
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
    /// Whether rows are wanted that are independent in the pivot columns of its echelon form.
    pub minor: bool,
    /// Whether a check will not do for a proof.
    pub proven: bool,
    /// What checks may miss.
    pub check: ErrorBound,
}

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// S is zero.
    Nothing,
    /// All rows in a dense echelon form: of S, or of A without regard to the `pivots` that were found.
    EveryRow { pivots: bool },
    /// The row space of S, given up once its rank exceeds this (`usize::MAX`: never).
    RowSpace { give_up: usize },
    /// Block Wiedemann on S.
    Wiedemann,
}

/// A step with its price and reason.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decision {
    pub finish: Finish,
    pub seconds: f64,
    pub reason: String,
}

impl Rest {
    /// What `pivots` pivots leave of `a`.
    pub fn of(a: &SparseMatrix, pivots: usize, options: &RankOptions) -> Self {
        let (rows, cols, minor) = (a.rows() - pivots, a.cols() - pivots, options.minor);
        let (modulus, nnz, valued, rank_bound) = (a.modulus(), a.nnz(), a.valued(), rows.min(cols));
        let (proven, check) = (options.is_proof_demanded(), options.check_error());
        Rest { modulus, pivots, rows, cols, nnz, valued, rank_bound, minor, proven, check }
    }
    /// Whether S is best left unformed: nothing is left of it, or the implicit way is immediate.
    pub fn is_done(&self, machine: &Machine) -> bool {
        self.rank_bound == 0 || self.is_immediate(machine)
    }
    /// Predicted seconds of one thread for the row space, if the rank of S is r.
    pub fn row_space_seconds(&self, machine: &Machine, r: usize) -> f64 {
        let Combinations { sampled, explored, checked } =
            Combinations::expected(self.modulus, self.pivots, self.rows, self.rank_bound, r, self.check);
        let lines = |rows: usize| (self.pivots + rows) as f64 / (self.pivots + self.rows).max(1) as f64;
        let part = |entries: usize, rows: usize| (entries as f64 * lines(rows)) as usize;
        let passes = |combinations: usize, rows: usize| {
            let (nnz, valued) = (part(self.nnz, rows), part(self.valued, rows));
            machine.combining(self.modulus, self.pivots + self.cols, nnz, valued, combinations)
        };
        let mut ready = part(self.nnz, sampled);
        if checked > 0 && sampled < self.rows {
            ready += self.nnz;
        }
        ready as f64 * machine.ready
            + passes(explored, sampled)
            + machine.drawing(self.modulus, explored, sampled, machine.rough)
            + passes(checked, self.rows)
            + machine.drawing(self.modulus, checked, self.rows, machine.random)
            + machine.absorbing(self.modulus, explored + checked, self.cols)
            + machine.echelon(self.modulus, r, self.cols)
    }
    /// The same if the rank is what it may be, which needs no check, or just below.
    fn row_space_at_worst(&self, machine: &Machine) -> f64 {
        let seconds = |r: usize| self.row_space_seconds(machine, r);
        seconds(self.rank_bound).max(seconds(self.rank_bound.saturating_sub(1)))
    }
    /// Predicted seconds of one thread for all rows of S in a dense echelon form, if the rank of S is r.
    pub fn every_row_seconds(&self, machine: &Machine, r: usize) -> f64 {
        // Rows of a matrix that reaches its bound, or is checked, are not looked at beyond the panel in which they add nothing.
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
    /// Combinations of the first check of rows.
    fn check_count(&self) -> usize {
        schur::check_combinations(self.check, 1, (self.modulus.get() as f64).log2())
    }
    /// Whether rows of A may be left to a check, in the memory of a few panels.
    fn may_be_checked(&self) -> bool {
        !self.proven && !self.minor && self.pivots == 0 && self.check_count() <= MOST_CHECKS
    }
    /// Whether, at a rank r of S with so many rows done, the others are left to a check: an answer that is proven is worth some time.
    pub fn is_checked(&self, machine: &Machine, r: usize, done: usize) -> bool {
        if !self.may_be_checked() {
            return false;
        }
        let [now, then] = [done, self.rows].map(|rows| self.rows_seconds(machine, r, rows));
        then - now > SHORT && then > WORTH * (now + self.row_check_seconds(machine, self.rows - done))
    }
    /// Predicted seconds for a check of so many rows of A: a thin product, which moves twice what it multiplies.
    fn row_check_seconds(&self, machine: &Machine, rows: usize) -> f64 {
        let count = self.check_count() as f64;
        let entries = self.nnz as f64 * rows as f64 / self.rows.max(1) as f64;
        let product =
            2.0 * count * rows as f64 * self.cols as f64 * machine.dense[dense::size_class(self.modulus).max(2)];
        entries * machine.scatter
            + machine.absorbing(self.modulus, rows, self.cols)
            + product
            + count * rows as f64 * machine.random
    }
    /// Predicted seconds for `taken` rows of S in a dense echelon form, which has the rank r then: rows of A as they stand where there
    /// are no pivots, else blocks of unit vectors mapped.
    fn rows_seconds(&self, machine: &Machine, r: usize, taken: usize) -> f64 {
        let (n, rank) = (self.cols as f64, r as f64);
        let lane = crate::spmv::Lane::narrowest(self.modulus).bytes() as f64;
        let made = match self.pivots {
            0 => self.nnz as f64 * taken as f64 / self.rows.max(1) as f64 * machine.scatter,
            _ => {
                let height = self.pivots + self.cols;
                let lines = taken.next_multiple_of(schur::lanes(self.modulus));
                self.nnz as f64 * machine.ready + machine.combining(self.modulus, height, self.nnz, self.valued, lines)
            }
        };
        let written = taken as f64 * n * lane * machine.push_byte + machine.absorbing(self.modulus, taken, self.cols);
        let dependent = taken.saturating_sub(r) as f64 * rank * (n - rank / 2.0) * machine.dense_product(self.modulus);
        made + written + machine.echelon(self.modulus, r, self.cols) + dependent
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
        Rest { pivots: 0, rows: self.rows + t, cols: self.cols + t, rank_bound: self.rank_bound + t, ..self }
    }
    /// Whether A is eliminated densely as it stands, before pivots are looked for: there cannot be many, or looking takes longer. (A
    /// minor is the better for pivots that structure alone shows, where there may be many.)
    pub fn is_dense(&self, machine: &Machine, max_memory: Option<u64>) -> bool {
        let full = 2 * self.nnz as u128 >= self.rows as u128 * self.cols as u128;
        self.pivots == 0
            && (!self.minor || self.rank_bound > LANES && self.nnz as u128 > self.rows as u128 * self.cols as u128 / 4)
            && (full || self.every_row_at_worst(machine) <= self.nnz as f64 * machine.pivots)
            && max_memory.is_none_or(|limit| self.every_row_bytes() <= limit)
    }
    /// Predicted bytes for all rows of S in a dense echelon form; 2⁶⁴ - 1 where they would leave 64 bits.
    pub fn every_row_bytes(&self) -> u64 {
        let lane = crate::spmv::Lane::narrowest(self.modulus).bytes();
        let programs = match self.pivots {
            // The rows that are left, a panel of them and their combinations.
            0 if self.may_be_checked() => 32 * self.rows + 4 * MOST_CHECKS * self.cols * lane,
            0 => 0,
            _ => {
                let block = (self.rows + self.pivots + self.cols) * LANES * lane;
                block * WORKSPACES + self.nnz * (4 + lane) + 16 * self.nnz + 8 * 256 * self.cols * 2
            }
        };
        Echelon::memory(self.modulus, self.rank_bound, self.cols).saturating_add((programs + 4 * self.rows) as u64)
    }
    /// All rows, where that is the cheapest way at worst, no dearer than combinations and their proof if the rank is half of that, and
    /// not much is lost if it is small: whether without pivots, and the seconds at worst.
    fn by_every_row(&self, machine: &Machine, others: f64, max_memory: Option<u64>) -> Option<(Finish, f64)> {
        let half = self.rank_bound / 2;
        let by_combinations = self.row_space_seconds(machine, half) + self.proof_seconds(machine, half);
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
    /// Predicted seconds to find that the rank of S is small, or not.
    pub fn probe_seconds(&self, machine: &Machine) -> f64 {
        self.row_space_seconds(machine, self.rank_bound.min(2 * LANES))
    }
    /// Whether the implicit way is quick to its end, proof and all, whatever the rank.
    fn is_immediate(&self, machine: &Machine) -> bool {
        // To be made ready costs as much for what else could be done.
        let machine = &Machine { ready: 0.0, ..machine.clone() };
        self.row_space_at_worst(machine) + self.proof_seconds(machine, 0) <= IMMEDIATE
    }
    /// What forming S and going on from there may cost: a few times what the implicit way takes to see a small rank. Where that
    /// has been `seen` not to be, or will not be looked for first, it may be a share of the cheapest way for a large one.
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
    /// Where the row space is preferred to block Wiedemann at any rank, the rank up to which it is sought in the hope that it
    /// is small, before S may be formed at a higher price: a share of what all combinations would take, which does not count
    /// for much where the dense elimination dwarfs them. `None` where that is no small part of the worst case, or all of it is
    /// short.
    fn hope(&self, machine: &Machine) -> Option<usize> {
        let worst = self.row_space_seconds(machine, self.rank_bound);
        let seconds = HOPE * (worst - machine.echelon(self.modulus, self.rank_bound, self.cols));
        let hope = largest(self.rank_bound, |r| self.row_space_seconds(machine, r) <= seconds);
        (worst > LONG && seconds <= HOPE * HOPE * worst && hope > 0).then_some(hope)
    }
    /// Predicted bytes for the row space of a rank up to r, beside A: for [`WORKSPACES`] threads, so that the plan is the same for any number.
    /// Products of two sides and a lane may leave 64 bits, from sides of 2³⁰ on: then 2⁶⁴ - 1.
    pub fn row_space_bytes(&self, r: usize) -> u64 {
        let lane = crate::spmv::Lane::narrowest(self.modulus).bytes();
        // What is given, a residue for each pivot, and what comes out.
        let block = (self.rows + self.pivots + self.cols) * LANES * lane;
        let programs = self.nnz * (4 + lane) + 16 * self.nnz;
        let windows = self.rows * LANES * lane + 8 * 256 * self.cols * 2;
        let minor = match self.minor {
            true => Kept::memory(r, self.cols, lane),
            false => 0,
        };
        // The proof holds the reduced form, s·(cols - s), beside the basis, whatever the rank s ≤ r will be.
        let s = r.min(self.cols / 2);
        let proof = memory::saturated(s as u128 * (self.cols - s) as u128 * lane as u128);
        [proof, Echelon::memory(self.modulus, r, self.cols), minor]
            .into_iter()
            .fold((block * WORKSPACES + programs + windows) as u64, u64::saturating_add)
    }
}

/// The next step on S. `wiedemann` is the predicted worst case of block Wiedemann in seconds, `None` where it is out of the
/// question; `larger` is a rank up to which the row space was sought in vain.
///
/// # Errors
/// [`Error::Memory`] if nothing fits.
pub(super) fn decide(
    rest: &Rest,
    machine: &Machine,
    wiedemann: Option<f64>,
    max_memory: Option<u64>,
    larger: Option<usize>,
) -> Result<Decision> {
    let Rest { rows, cols, rank_bound, .. } = *rest;
    let decision = |finish, seconds, reason| Ok(Decision { finish, seconds, reason });
    if rank_bound == 0 {
        return decision(Finish::Nothing, 0.0, "nothing is left".into());
    }
    let what = if rest.pivots == 0 { "matrix" } else { "Schur complement" };
    let shape = format!("{what} {rows} x {cols} of rank up to {rank_bound}");
    let worst = rest.row_space_seconds(machine, rank_bound);
    let fits = |r: usize| max_memory.is_none_or(|limit| rest.row_space_bytes(r) <= limit);
    // A proof of what combinations find is at its cheapest where the rank is what it may be.
    let others = wiedemann.map_or(worst, |w| worst.min(WORTH * w));
    if let Some((finish, seconds)) = rest.by_every_row(machine, others, max_memory) {
        let rows = match finish {
            Finish::EveryRow { pivots: false } => "the rows of the matrix, pivots and all,",
            _ => "its rows",
        };
        let reason = format!("{shape}: {rows} eliminated densely take {seconds:.2} s (combinations {worst:.2} s)");
        return decision(finish, seconds, reason);
    }
    let hope = rest.hope(machine).filter(|_| larger.is_none());
    let hope_first = |hope: usize| {
        let reason = format!("{shape}: row space up to rank {hope}, at worst it would take {worst:.1} s");
        decision(Finish::RowSpace { give_up: hope }, rest.row_space_seconds(machine, hope), reason)
    };
    let Some(wiedemann) = wiedemann else {
        if !fits(rank_bound) {
            // The rank may well be smaller: go on until memory ends.
            let most = largest(rank_bound, fits);
            if most == 0 {
                let needed = rest.row_space_bytes(rank_bound).div_ceil(1 << 20);
                return Err(Error::Memory(format!("{shape}: its row space may need {needed} MB")));
            }
            let reason = format!("{shape}: row space, which fits in memory up to rank {most}");
            return decision(Finish::RowSpace { give_up: most }, rest.row_space_seconds(machine, most), reason);
        }
        if let Some(hope) = hope {
            return hope_first(hope);
        }
        return decision(
            Finish::RowSpace { give_up: usize::MAX },
            worst,
            format!("{shape}: row space, at most {worst:.2} s"),
        );
    };
    if fits(rank_bound) && is_short(worst, wiedemann) {
        if let Some(hope) = hope {
            return hope_first(hope);
        }
        let reason = format!("{shape}: row space takes at most {worst:.2} s (block Wiedemann {wiedemann:.2} s)");
        return decision(Finish::RowSpace { give_up: usize::MAX }, worst, reason);
    }
    if let Some(than) = larger {
        let reason = format!("the rank of the complement exceeds {than}: the plan is made anew");
        return decision(Finish::Wiedemann, wiedemann, reason);
    }
    let hope = largest(rank_bound, |r| fits(r) && rest.row_space_seconds(machine, r) <= HOPE * wiedemann);
    if hope == 0 {
        let reason = format!("{shape}: block Wiedemann {wiedemann:.2} s at most (row space {worst:.2} s)");
        return decision(Finish::Wiedemann, wiedemann, reason);
    }
    let reason = format!(
        "{shape}: row space up to rank {hope}, at worst it would take {worst:.1} s, block Wiedemann {wiedemann:.1} s"
    );
    decision(Finish::RowSpace { give_up: hope }, rest.row_space_seconds(machine, hope), reason)
}

/// Whether a row space of `worst` seconds is sought to its end, though block Wiedemann takes `wiedemann`.
fn is_short(worst: f64, wiedemann: f64) -> bool {
    worst <= (WORTH * wiedemann).max(SHORT)
}

/// The largest r ≤ `most` for which `holds`, which is true up to some r and false beyond; 0 if there is none above.
fn largest(most: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, most + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::super::options::CHECK;
    use super::*;

    fn rest(rows: usize, cols: usize, nnz: usize) -> Rest {
        Rest {
            modulus: Modulus::new(65521).unwrap(),
            pivots: 1000,
            rows,
            cols,
            nnz,
            valued: 0,
            rank_bound: rows.min(cols),
            minor: false,
            proven: false,
            check: CHECK,
        }
    }
    impl Rest {
        fn with_pivots(self, pivots: usize) -> Rest {
            Rest { pivots, ..self }
        }
    }
    fn finish(rest: Rest, wiedemann: Option<f64>, memory: Option<u64>) -> Result<Finish> {
        decide(&rest, &Machine::reference(), wiedemann, memory, None).map(|d| d.finish)
    }

    #[test]
    fn predicted_bytes_end_at_the_edge_of_a_word() {
        let side = (1 << 32) - 1;
        for p in [2, 3, 65521, (1 << 31) - 1, (1 << 63) - 25] {
            for minor in [false, true] {
                let largest = Rest { modulus: Modulus::new(p).unwrap(), minor, ..rest(side, side, 1 << 40) };
                // The basis alone: rank²/2 residues or more, or as many bits.
                let least = if p < 4 { 1 << 60 } else { u64::MAX / 4 };
                assert!(largest.row_space_bytes(side) >= least, "mod {p}: {}", largest.row_space_bytes(side));
                assert!(largest.every_row_bytes() >= least && largest.with_pivots(0).every_row_bytes() >= least);
                // It grows with the rank, and never wraps around.
                let bytes = [0, 1 << 10, 1 << 20, 1 << 30, 1 << 31, side].map(|r| largest.row_space_bytes(r));
                assert!(bytes.is_sorted() && bytes[0] > 1 << 40, "mod {p}: {bytes:?}");
            }
        }
        assert_eq!(Kept::memory(side, side, 8), u64::MAX);
        assert_eq!(Echelon::memory(Modulus::new((1 << 63) - 25).unwrap(), side, side), u64::MAX);
        // At sides of 2³⁰ and one byte a residue, all of it fits.
        let fits = Rest { modulus: Modulus::new(251).unwrap(), ..rest(1 << 30, 1 << 30, 1 << 32) };
        assert!(fits.row_space_bytes(1 << 30) < u64::MAX / 8);
    }

    #[test]
    fn small_complements_get_their_row_space_and_large_ones_a_chance() {
        assert_eq!(finish(rest(10, 0, 100), Some(1.0), None).unwrap(), Finish::Nothing);
        assert_eq!(finish(rest(5000, 600, 50_000), Some(1.0), None).unwrap(), Finish::RowSpace { give_up: usize::MAX });
        let Finish::RowSpace { give_up } = finish(rest(60_000, 50_000, 900_000), Some(20.0), None).unwrap() else {
            panic!("there is hope for a small rank")
        };
        assert!((100..20_000).contains(&give_up), "{give_up}");
        assert_eq!(finish(rest(60_000, 50_000, 900_000), Some(1e-3), None).unwrap(), Finish::Wiedemann);
        // Once it is seen to be large, and where block Wiedemann would take even longer.
        let then = |wiedemann| {
            let large = rest(60_000, 50_000, 900_000);
            decide(&large, &Machine::reference(), wiedemann, None, Some(give_up)).unwrap().finish
        };
        assert_eq!(then(Some(20.0)), Finish::Wiedemann);
        assert_eq!(then(None), Finish::RowSpace { give_up: usize::MAX });
        assert_eq!(then(Some(1e6)), Finish::RowSpace { give_up: usize::MAX });
        let first = finish(rest(60_000, 50_000, 900_000), Some(1e6), None).unwrap();
        assert!(matches!(first, Finish::RowSpace { give_up } if give_up < 20_000), "{first:?}");
    }

    #[test]
    fn a_large_rank_is_worth_a_dear_complement() {
        let (machine, large) = (Machine::reference(), rest(60_000, 50_000, 900_000));
        let before = large.round_seconds(&machine, Some(20.0), false);
        assert_eq!(before, WORTH * large.probe_seconds(&machine));
        // Seen to be large; otherwise a probe is to come.
        assert_eq!(large.round_seconds(&machine, Some(20.0), true), HOPE * 20.0);
        assert!(large.round_seconds(&machine, Some(1e6), true) > 10.0 * before);
        assert_eq!(large.round_seconds(&machine, Some(1e6), false), before);
        assert!(large.round_seconds(&machine, None, true) > 10.0 * before);
        // Without block Wiedemann there is hope all the same, where the dense elimination is most of the price.
        assert_eq!(large.round_seconds(&machine, None, false), before);
        let small = rest(5000, 600, 50_000);
        assert_eq!(small.round_seconds(&machine, Some(1.0), false), small.round_seconds(&machine, Some(1.0), true));
    }

    #[test]
    fn hope_for_a_small_rank_needs_no_rival() {
        let (machine, large) = (Machine::reference(), rest(60_000, 50_000, 900_000));
        let first = |rest: &Rest| decide(rest, &machine, None, None, None).unwrap().finish;
        let Finish::RowSpace { give_up } = first(&large) else { panic!("there is no other way") };
        assert!((100..20_000).contains(&give_up), "{give_up}");
        let worst = large.row_space_seconds(&machine, large.rank_bound);
        assert!(large.row_space_seconds(&machine, give_up + 1) < HOPE * HOPE * worst);
        // A short row space, and one of which the combinations are the greater part, are made at once.
        for at_once in [rest(5000, 600, 50_000), Rest { rank_bound: 3000, ..rest(900_000, 3000, 90_000_000) }] {
            assert_eq!(first(&at_once), Finish::RowSpace { give_up: usize::MAX }, "{at_once:?}");
        }
    }

    #[test]
    fn what_is_dense_is_eliminated_as_it_stands() {
        let machine = Machine::reference();
        let matrix = |rows: usize, cols: usize, nnz| Rest { pivots: 0, valued: nnz, ..rest(rows, cols, nnz) };
        for (rows, cols, nnz) in [(2000, 2000, 4_000_000), (500, 20_000, 10_000_000), (20_000, 500, 10_000_000)] {
            let dense = matrix(rows, cols, nnz);
            assert!(dense.is_dense(&machine, None) && dense.is_dense(&machine, Some(dense.every_row_bytes())));
            assert!(!dense.is_dense(&machine, Some(dense.every_row_bytes() - 1)));
            assert!(!dense.with_pivots(1).is_dense(&machine, None));
        }
        // Half of its places are enough, whatever p costs.
        let full = |nnz| Rest { modulus: Modulus::new((1 << 61) - 1).unwrap(), ..matrix(9000, 9000, nnz) };
        assert!(full(9000 * 4500).is_dense(&machine, None) && !full(9000 * 4499).is_dense(&machine, None));
        // Few entries; or many, but far more rows than there may be dimensions.
        for (rows, cols, nnz) in [(2000, 2000, 20_000), (50_000, 50_000, 5_000_000), (3_000_000, 3000, 100_000_000)] {
            assert!(!matrix(rows, cols, nnz).is_dense(&machine, None));
        }
    }

    #[test]
    fn rows_that_add_nothing_are_left_to_a_check() {
        let machine = Machine::reference();
        let tall = Rest { pivots: 0, valued: 200_000_000, ..rest(100_000, 2000, 200_000_000) };
        let checked = |rest: &Rest, r, done| rest.is_checked(&machine, r, done);
        assert!(checked(&tall, 1999, 4096) && !checked(&tall, 1999, 90_000) && !checked(&tall, 20, 4096));
        for demanding in [Rest { proven: true, ..tall }, Rest { minor: true, ..tall }, tall.with_pivots(1)] {
            assert!(!checked(&demanding, 1999, 4096));
        }
        // Nor where it would take more combinations than its memory is predicted for.
        assert!(!checked(&Rest { check: ErrorBound::of_bits(100_000), ..tall }, 1999, 4096));
        // A rank below its bound costs little more than one at it, unless all rows are to be taken.
        let below = |rest: &Rest| rest.every_row_seconds(&machine, 1999) / rest.every_row_seconds(&machine, 2000);
        assert!(below(&tall) < 10.0 && below(&Rest { proven: true, ..tall }) > 20.0, "{}", below(&tall));
        // So a wide one is better transposed.
        assert!(tall.transposed().every_row_at_worst(&machine) > 3.0 * tall.every_row_at_worst(&machine));
    }

    #[test]
    fn rows_are_taken_as_they_are_where_combinations_save_nothing() {
        let machine = Machine::reference();
        let all = |rest: &Rest, seconds| rest.by_every_row(&machine, seconds, None).map(|(finish, _)| finish);
        let worst = |rest: &Rest| rest.row_space_seconds(&machine, rest.rank_bound);
        // A small complement of many entries; one of few, whose combinations are cheap and end with the rank; a tall one, of which
        // they are fewer; one whose rows must all be mapped in vain if its rank is small.
        let square = rest(300, 300, 200_000);
        assert_eq!(all(&square, worst(&square)), Some(Finish::EveryRow { pivots: true }));
        let sparse = rest(3000, 3000, 400_000);
        assert_eq!(all(&sparse, worst(&sparse)), None);
        let tall = rest(300_000, 3000, 3_000_000);
        assert_eq!(all(&tall, worst(&tall)), None);
        let large = rest(60_000, 50_000, 900_000);
        assert_eq!(all(&large, 20.0), None);
        // Few pivots before a dense rest are not worth the triangular solves; a minor keeps them.
        let dense = rest(3000, 3000, 4_000_000).with_pivots(5);
        assert_eq!(all(&dense, worst(&dense)), Some(Finish::EveryRow { pivots: false }));
        let minor = Rest { minor: true, ..dense };
        assert_eq!(all(&minor, worst(&minor)), None);
        assert_eq!(square.by_every_row(&machine, worst(&square), Some(1 << 16)), None);
    }

    #[test]
    fn memory_bounds_the_row_space() {
        let big = rest(60_000, 50_000, 900_000);
        let Finish::RowSpace { give_up } = finish(big, None, Some(600 << 20)).unwrap() else {
            panic!("it may be small")
        };
        assert!(big.row_space_bytes(give_up) <= 600 << 20 && big.row_space_bytes(give_up + 1) > 600 << 20);
        assert!(matches!(finish(big, None, Some(1 << 20)), Err(Error::Memory(_))));
        // Rows of a minor take their share.
        let Finish::RowSpace { give_up: fewer } = finish(Rest { minor: true, ..big }, None, Some(600 << 20)).unwrap()
        else {
            panic!("it may be small")
        };
        assert!((1..give_up).contains(&fewer), "{fewer} of {give_up}");
    }

    #[test]
    fn a_larger_rank_never_takes_less() {
        for p in [2, 65521, (1 << 61) - 1] {
            let rest = Rest { modulus: Modulus::new(p).unwrap(), ..rest(3000, 2000, 10_000) };
            let mut most = 0;
            for r in (0..=2000).step_by(8) {
                // But for the last block of the basis, which is the shorter the nearer to the corner it ends.
                let bytes = rest.row_space_bytes(r);
                assert!(most <= bytes + bytes / 100, "{most} before rank {r}, then {bytes} mod {p}");
                most = most.max(bytes);
            }
        }
    }

    #[test]
    fn every_pivot_has_its_place_in_the_blocks() {
        let few = rest(60_000, 50_000, 900_000);
        let many = Rest { pivots: few.pivots + 1_000_000, ..few };
        // Two bytes a residue.
        let more = (1_000_000 * LANES * 2 * WORKSPACES) as u64;
        assert_eq!(many.row_space_bytes(100) - few.row_space_bytes(100), more);
        assert!(matches!(finish(few, Some(1e9), Some(more)).unwrap(), Finish::RowSpace { give_up } if give_up > 0));
        assert_eq!(finish(many, Some(1e9), Some(more)).unwrap(), Finish::Wiedemann);
    }

    #[test]
    fn the_largest_is_found_by_halving() {
        for most in 0..20 {
            for edge in 0..25 {
                assert_eq!(largest(most, |r| r <= edge), most.min(edge), "{most} {edge}");
            }
        }
    }
}
