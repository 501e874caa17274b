//! What the ways to the rank of S and its proof take, in seconds of one thread and bytes, from its shape and the prices
//! of a [`Machine`].

use super::combine::{Mixer, rows_at_once};
use super::cuda::AT_ONCE;
use super::exploration::check_combinations;
use super::kept::{Kept, MOST_BYTES};
use super::sketch::{MARGIN, first_width, wider};
use super::{Combinations, EveryRow, NullSpace, Prediction, RowSpace, Side, Sketch, Solver};
use crate::cost::Machine;
use crate::dense::{Echelon, Factors, Reduced};
use crate::field::Modulus;
use crate::memory;
use crate::report::ErrorBound;
use crate::spmv::{LANES, Lane, PushSolve, gather_seconds, pass_seconds};

/// Blocks that a row space has under way at once: the 256 rows of a panel. (A proof has one for each thread.)
pub(crate) const WORKSPACES: usize = 256 / LANES;

/// What is known of S before any work: the shape that `pivots` pivots leave of A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The modulus.
    pub modulus: Modulus,
    /// Pivots taken.
    pub pivots: usize,
    /// Rows of S.
    pub rows: usize,
    /// Columns of S.
    pub cols: usize,
    /// Entries of A, which every product with S reads once.
    pub nnz: usize,
    /// Those of them that are not ±1.
    pub valued: usize,
    /// Threads for which bytes are predicted as they are needed; `None`: a bound for up to eight of them, whose number
    /// plans do not depend on. Each more has a block of its own.
    pub threads: Option<usize>,
    /// Levels of the pivots that a pass waits for: on a GPU, and else 0.
    pub levels: usize,
}

impl Shape {
    /// Blocks that a row space has under way at once.
    fn workspaces(&self) -> usize {
        self.threads.map_or(WORKSPACES, |threads| threads.min(self.panels() * WORKSPACES))
    }
    /// Panels that are made at once.
    fn panels(&self) -> usize {
        self.threads.map_or(1, |threads| threads.div_ceil(WORKSPACES))
    }
    /// Rows of so many columns that are there before they are absorbed.
    fn rows_held(&self, cols: usize) -> usize {
        let [rows, panels] = rows_at_once(self.threads.unwrap_or(2 * WORKSPACES), cols, self.lane());
        rows * panels
    }
    /// Bytes of the panels of rows before they are absorbed.
    fn panel_bytes(&self) -> usize {
        let made = self.rows_held(self.cols) * self.cols * self.lane();
        match self.threads {
            None => made.max(8 * 256 * self.cols * 2),
            Some(_) => made,
        }
    }
    /// Bytes of a residue in a block.
    fn lane(&self) -> usize {
        Lane::narrowest(self.modulus).bytes()
    }
    /// Bytes of a block with all that goes in, a residue for each pivot, and all that comes out.
    fn block_bytes(&self) -> usize {
        (self.rows + self.pivots + self.cols) * LANES * self.lane()
    }
    /// Bytes of A made ready for passes.
    fn program_bytes(&self) -> usize {
        self.nnz * (4 + self.lane()) + 16 * self.nnz
    }
    /// Seconds of the passes that make `count` combinations of rows, over so many entries.
    fn combining_seconds(&self, machine: &Machine, nnz: usize, valued: usize, count: usize) -> f64 {
        let (modulus, rows) = (self.modulus, self.pivots + self.cols);
        let lanes = Mixer::lanes(modulus);
        let prices = &machine.passes;
        let pass = match modulus.get() {
            2 => gather_seconds(prices, rows, nnz, lanes / 8) + (rows * lanes) as f64 / 64.0 * prices.reduce,
            _ => pass_seconds(prices, modulus, rows, nnz, valued, lanes),
        };
        count as f64 / lanes as f64 * pass
    }
    /// Seconds of drawing `count` random vectors of `height` residues, one after the other for `each` seconds; over
    /// GF(2) a word at a time.
    fn drawing_seconds(&self, count: usize, height: usize, each: f64) -> f64 {
        let packed = if self.modulus.get() == 2 { 64.0 } else { 1.0 };
        count as f64 * height as f64 / packed * each
    }
}

impl RowSpace {
    /// Predicted seconds of one thread for [`row_space`](super::row_space), if the rank of S is `rank` of at most
    /// `bound` and checks may miss something with probability `error`: passes, and the echelon form of what they make.
    pub fn seconds(shape: &Shape, machine: &Machine, bound: usize, rank: usize, error: ErrorBound) -> f64 {
        let &Shape { modulus, pivots, rows, cols, nnz, valued, .. } = shape;
        let Combinations { sampled, explored, checked } =
            Combinations::expected(modulus, pivots, rows, bound, rank, error);
        let lines = |some: usize| (pivots + some) as f64 / (pivots + rows).max(1) as f64;
        let part = |entries: usize, some: usize| (entries as f64 * lines(some)) as usize;
        let passes =
            |count: usize, some: usize| shape.combining_seconds(machine, part(nnz, some), part(valued, some), count);
        let mut ready = part(nnz, sampled);
        if checked > 0 && sampled < rows {
            ready += nnz;
        }
        ready as f64 * machine.passes.ready
            + passes(explored, sampled)
            + shape.drawing_seconds(explored, sampled, machine.random.rough)
            + passes(checked, rows)
            + shape.drawing_seconds(checked, rows, machine.random.uniform)
            + Echelon::absorbing_seconds(&machine.dense, modulus, explored + checked, cols)
            + Echelon::seconds(&machine.dense, modulus, rank, cols)
    }

    /// Predicted bytes for a rank up to `rank`, those of A not counted, proof included, and the factors of a minor
    /// where these are wanted: for the blocks of 256 combinations at once, so that a plan is the same for any number of
    /// threads. Products of two sides and a lane may leave 64 bits, from sides of 2³⁰ on: then 2⁶⁴ - 1.
    pub fn bytes(shape: &Shape, rank: usize, minor: bool) -> u64 {
        let &Shape { modulus, rows, cols, .. } = shape;
        let lane = shape.lane();
        let windows = rows * LANES * lane + shape.panel_bytes();
        let minor = if minor { Factors::memory(modulus, rank, cols) } else { 0 };
        // The proof holds the reduced form, s·(cols - s), in addition to the basis, whatever the rank s ≤ r will be.
        let s = rank.min(cols / 2);
        let proof = match shape.threads {
            // One that nobody demands is left out where there is no room for it.
            Some(_) => 0,
            None => memory::saturated(s as u128 * (cols - s) as u128 * lane as u128),
        };
        [proof, Echelon::memory(modulus, rank, cols), minor].into_iter().fold(
            (shape.block_bytes() * shape.workspaces() + shape.program_bytes() + windows) as u64,
            u64::saturating_add,
        )
    }
}

impl Sketch {
    /// The largest rank that the first M shows, if at most `bound` is possible.
    pub(crate) fn first_rank(bound: usize) -> usize {
        bound.min(first_width(bound) - MARGIN)
    }

    /// Predicted seconds of one thread for [`sketch`](super::sketch()), if the rank of S is `rank` of at most `bound`,
    /// ranks up to `most` are looked for, and checks may miss something with probability `error`: passes that make
    /// combinations, folded, again for each M unless they were kept, and their elimination.
    pub fn seconds(shape: &Shape, machine: &Machine, bound: usize, [rank, most]: [usize; 2], error: ErrorBound) -> f64 {
        let &Shape { modulus, pivots, rows, cols, nnz, valued, .. } = shape;
        let prices = &machine.passes;
        let passes = |count: usize| {
            let folds = pass_seconds(prices, modulus, cols, 3 * cols, 0, LANES);
            let waits = (count.div_ceil(AT_ONCE) * shape.levels) as f64 * machine.device.level;
            shape.combining_seconds(machine, nnz, valued, count) + count as f64 / LANES as f64 * folds + waits
        };
        let mut seconds = nnz as f64 * prices.ready * 2.0;
        let (mut width, mut kept, most) = (first_width(bound), 0, bound.min(most.saturating_add(1)));
        loop {
            let found = rank.min(width.saturating_sub(MARGIN));
            let made = found.next_multiple_of(LANES);
            seconds += passes(made - kept)
                + Echelon::absorbing_seconds(&machine.dense, modulus, made, width)
                + Echelon::seconds(&machine.dense, modulus, found, width);
            if found == rank {
                break;
            }
            width = wider(width, most);
            kept = (found - kept).min(Kept::most(MOST_BYTES, width, shape.lane()));
        }
        let checks = if rank < bound { check_combinations(error, 1, (modulus.get() as f64).log2()) } else { 0 };
        let sieve = pass_seconds(prices, modulus, pivots + rows, nnz, valued, LANES);
        seconds
            + 2.0 * checks.div_ceil(LANES) as f64 * sieve
            + rank as f64 * rank as f64 * LANES as f64 * machine.dense.product[2]
    }

    /// Predicted bytes for a rank up to `rank`, those of A not counted; 2⁶⁴ - 1 where they would leave 64 bits.
    pub fn bytes(shape: &Shape, bound: usize, rank: usize) -> u64 {
        let &Shape { modulus, rows, cols, .. } = shape;
        let (mut width, most) = (first_width(bound), bound.min(rank.saturating_add(1)));
        while rank + MARGIN > width {
            width = wider(width, most);
        }
        // Rows are made for the next width, and narrowed.
        let widest = wider(width, most);
        let sums = shape.rows_held(widest) * (widest + width) * shape.lane() + 12 * cols + 8 * LANES * rank;
        let programs = shape.block_bytes() * (shape.workspaces() + 2) + 2 * shape.program_bytes() + 4 * rows;
        let kept = rank.min(Kept::most(MOST_BYTES, widest, shape.lane())) * widest * shape.lane();
        // The multipliers are there twice while a check uses them.
        let multipliers = Factors::memory(modulus, rank, width);
        [Echelon::memory(modulus, rank, width), multipliers, multipliers / 2]
            .into_iter()
            .fold((sums + programs + kept) as u64, u64::saturating_add)
    }
}

impl EveryRow {
    /// Most combinations of a check of rows: its memory is predicted as if they were as many.
    pub(crate) const MOST_CHECKS: usize = 128;

    /// Predicted seconds of one thread for `taken` rows of S in a dense echelon form, which has the given rank then:
    /// rows of A as they stand where there are no pivots, else blocks of unit vectors mapped.
    pub fn seconds(shape: &Shape, machine: &Machine, rank: usize, taken: usize) -> f64 {
        let &Shape { modulus, pivots, rows, cols, nnz, valued, .. } = shape;
        let made = match pivots {
            0 => nnz as f64 * taken as f64 / rows.max(1) as f64 * machine.dense.scatter,
            _ => {
                let lines = taken.next_multiple_of(Mixer::lanes(modulus));
                nnz as f64 * machine.passes.ready + shape.combining_seconds(machine, nnz, valued, lines)
            }
        };
        let written = taken as f64 * cols as f64 * shape.lane() as f64 * machine.passes.push_byte
            + Echelon::absorbing_seconds(&machine.dense, modulus, taken, cols);
        let dependent = taken.saturating_sub(rank);
        made + written
            + Echelon::seconds(&machine.dense, modulus, rank, cols)
            + Echelon::dependent_seconds(&machine.dense, modulus, dependent, rank, cols)
    }

    /// Combinations of the first check of rows.
    pub(crate) fn check_count(modulus: Modulus, error: ErrorBound) -> usize {
        check_combinations(error, 1, (modulus.get() as f64).log2())
    }

    /// Predicted seconds of one thread for a check of so many rows of A: a thin product, which moves twice what it
    /// multiplies.
    pub fn check_seconds(shape: &Shape, machine: &Machine, rows: usize, error: ErrorBound) -> f64 {
        let count = Self::check_count(shape.modulus, error) as f64;
        let entries = shape.nnz as f64 * rows as f64 / shape.rows.max(1) as f64;
        let price = machine.dense.product[crate::cost::size_class(shape.modulus).max(2)];
        let product = 2.0 * count * rows as f64 * shape.cols as f64 * price;
        entries * machine.dense.scatter
            + Echelon::absorbing_seconds(&machine.dense, shape.modulus, rows, shape.cols)
            + product
            + count * rows as f64 * machine.random.uniform
    }

    /// Predicted bytes for a rank up to `bound`, with a check of rows where there may be one, and the factors of a
    /// minor where these are wanted; 2⁶⁴ - 1 where they would leave 64 bits.
    pub fn bytes(shape: &Shape, bound: usize, may_be_checked: bool, minor: bool) -> u64 {
        let &Shape { modulus, pivots, rows, cols, .. } = shape;
        let programs = match pivots {
            // The rows that are left, a panel of them and their combinations.
            0 if may_be_checked => 32 * rows + 4 * Self::MOST_CHECKS * cols * shape.lane(),
            0 => 0,
            _ => shape.block_bytes() * shape.workspaces() + shape.program_bytes() + shape.panel_bytes(),
        };
        let factors = if minor { Factors::memory(modulus, bound, cols) } else { 0 };
        Echelon::memory(modulus, bound, cols).saturating_add(factors).saturating_add((programs + 4 * rows) as u64)
    }
}

impl NullSpace<'_> {
    /// Predicted seconds of one thread for the null vectors of a rank r of S, all of them mapped by passes.
    pub fn passes_seconds(shape: &Shape, machine: &Machine, r: usize, side: Side) -> f64 {
        let &Shape { modulus, pivots, rows, cols, nnz, valued, .. } = shape;
        let (free, outputs) = match side {
            Side::Right => (cols - r, rows),
            Side::Left => (rows - r, cols),
        };
        free.div_ceil(LANES) as f64 * pass_seconds(&machine.passes, modulus, pivots + outputs, nnz, valued, LANES)
    }

    /// Predicted seconds of one thread for writing down the null space of a rank r, which must be mapped then.
    pub fn dense_seconds(shape: &Shape, machine: &Machine, r: usize, side: Side) -> f64 {
        let &Shape { modulus, pivots, rows, cols, nnz, valued, .. } = shape;
        let dense = &machine.dense;
        let right = Reduced::seconds(dense, modulus, r, cols);
        match side {
            Side::Right => right,
            Side::Left => {
                let columns = r.div_ceil(LANES) as f64;
                let pass = pass_seconds(&machine.passes, modulus, pivots + rows, nnz, valued, LANES);
                let left = Reduced::seconds(dense, modulus, r, rows);
                right + columns * pass + Echelon::seconds(dense, modulus, r, rows) + left
            }
        }
    }

    /// Predicted seconds of one thread for so many entries pushed.
    pub fn push_seconds(shape: &Shape, machine: &Machine, entries: f64) -> f64 {
        let valued = shape.valued as f64 / shape.nnz.max(1) as f64;
        PushSolve::push_seconds(&machine.passes, shape.modulus, entries, valued, LANES)
    }
}

impl Solver<'_> {
    /// Predicted seconds of one thread for making a matrix of `entries` entries ready and [forming](Solver::form) the
    /// Schur complement of its pivots, as `predicted`.
    pub fn seconds(machine: &Machine, entries: usize, predicted: &Prediction) -> f64 {
        let prices = &machine.schur;
        entries as f64 * machine.passes.ready + predicted.nnz.mean * prices.entry + predicted.work.mean * prices.product
    }
}
