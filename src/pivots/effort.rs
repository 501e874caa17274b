//! How much work structural pivots are worth, and what it takes: entries counted, at the prices of [`Sparse`].

use crate::cost::Sparse;

/// All covers that there are: each side once as usual, with three other rules for ties, and seeded.
pub(super) const COVERS: usize = 10;

/// With so few lines that are not pivotal, what a search may gain at all is little: two blocks of combinations span the
/// row space of the complement.
const FEW: usize = 64;

/// Whether one side is notably longer, where one cover by it does.
pub(super) fn is_lopsided(rows: usize, cols: usize) -> bool {
    5 * rows.max(cols) > 6 * rows.min(cols)
}

/// Whether a cover by the longer side that found so many of the `most` pivots leaves few lines, but more than a search
/// is looked at for: then the other side is covered as well. (135135 rows of mk13-b5, 270270 columns: 4540 are left by
/// columns, 1996 by rows.)
pub(super) fn leaves_few(found: usize, most: usize) -> bool {
    let left = most - found;
    left > FEW && 16 * left <= most
}

/// How much work to spend beyond one cover by rows and one by columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// All other covers are tried as well if the entries that they visit stay below this. A pass costs 10 … 80 ns per
    /// entry.
    pub covers: u64,
    /// Entries that the search may visit without success: in addition to half of those of the matrix, which it may not
    /// where few lines are left, unless it may visit no others. A visit costs 2 … 30 ns.
    pub search: u64,
    /// For each pivot found, the search may visit a further 1/`reward` of the matrix's entries.
    pub reward: u64,
}

impl Default for Effort {
    /// Measured: the extra covers, and the search beyond half a pass, each stay under 20 ms where there is nothing to
    /// gain. A missed pivot increases the rank of the Schur complement by one, which costs a 64th of a pass with 64
    /// vectors: as much as visiting about a thirtieth of the entries, which are visited at random. (Twice the first
    /// visits, and twice those for each pivot found, find 210 pivots in place of 71 beyond the 130406 of the covers on
    /// `planted-460261-171375-132043-1`, in more than three times the time, and 29 in place of 21 beyond 275998 on
    /// ch8-8-b5, in twice the time; since labels are raised in one turn each, 92 are found in the time of those 71.)
    fn default() -> Self {
        Effort { covers: 2_000_000, search: 500_000, reward: 32 }
    }
}

impl Effort {
    /// The covers that are tried, as long as none is complete.
    pub(super) fn tried(&self, rows: usize, cols: usize, nnz: usize) -> usize {
        let first = if is_lopsided(rows, cols) { 1 } else { 2 };
        if (COVERS - first) as u64 * nnz as u64 > self.covers { first } else { COVERS }
    }

    /// The same, where a pivot of a matrix of that shape is not worth more than so many seconds of one thread.
    #[must_use]
    pub fn at_most(self, seconds: f64, prices: &Sparse, shape: [usize; 2], nnz: usize) -> Self {
        let visits = (seconds / prices.search * entries_of_line(shape, nnz)).max(1.0);
        Effort { reward: self.reward.max((nnz as f64 / visits).ceil() as u64), ..self }
    }

    /// Entries that the search may visit when so many pivots were found, of so many lines that were left.
    pub(super) fn allowed(&self, nnz: usize, left: usize, found: usize) -> u64 {
        let nnz = nnz as u64;
        let reward = (nnz / self.reward.max(1)).saturating_mul(found as u64);
        let half = if left > FEW || self.search == 0 { nnz / 2 } else { 0 };
        half.saturating_add(self.search).saturating_add(reward)
    }

    /// Predicted seconds of one thread for all but the search, of a matrix of that shape: a cover visits each entry
    /// once, and so do transposing and peeling together, for about the same price. The cover by the other side where
    /// few lines are left is not counted.
    pub fn cover_seconds(&self, prices: &Sparse, [rows, cols]: [usize; 2], nnz: usize) -> f64 {
        (1 + self.tried(rows, cols, nnz)) as f64 * nnz as f64 * prices.cover
    }

    /// The same for the search, of `left` lines that are not pivotal, in which `found` pivots joined. It visits lines
    /// until its budget is spent, or has visited the whole matrix for each line left: that is as much as it may take,
    /// and about what it takes, unless it soon fails for all of few lines.
    pub fn search_seconds(&self, prices: &Sparse, shape: [usize; 2], nnz: usize, left: usize, found: usize) -> f64 {
        let entries = (self.allowed(nnz, left + found, found) as f64).min((left + found) as f64 * nnz as f64);
        Self::visiting_seconds(prices, shape, nnz, entries as u64)
    }

    /// Predicted seconds of one thread for visiting so many entries of a matrix of that shape.
    pub fn visiting_seconds(prices: &Sparse, shape: [usize; 2], nnz: usize, entries: u64) -> f64 {
        entries as f64 / entries_of_line(shape, nnz) * prices.search
    }
}

/// Entries of a line that the search visits: those of the shorter side, and the heavier ones.
fn entries_of_line(shape: [usize; 2], nnz: usize) -> f64 {
    (nnz as f64 / (shape[0].min(shape[1]) as f64).max(1.0)).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_lines_are_a_sixteenth_and_more_than_a_search_finds() {
        for (found, most, few) in [
            (0, 0, false),
            (1600, 1600, false),
            (1536, 1600, false),
            (1535, 1600, true),
            (1500, 1600, true),
            (1499, 1599, false),
            (0, 1600, false),
        ] {
            assert_eq!(leaves_few(found, most), few, "{found} of {most}");
        }
    }

    #[test]
    fn what_is_counted_grows_with_the_work() {
        let (effort, prices) = (Effort::default(), Sparse { cover: 1.0, search: 0.0, ..Default::default() });
        // Square and lopsided, small and large: covers and the pass before them.
        for (shape, nnz, passes) in [
            ([100, 100], 1000, 11),
            ([100, 130], 1000, 11),
            ([100_000, 100_000], 1_000_000, 3),
            ([100_000, 130_000], 1_000_000, 2),
            ([100_000, 119_000], 1_000_000, 3),
            ([100, 100], 250_000, 11),
            ([100, 100], 250_001, 3),
            ([0, 0], 0, 0),
        ] {
            assert_eq!(effort.cover_seconds(&prices, shape, nnz), (passes * nnz) as f64, "{shape:?} {nnz}");
        }
        let prices = Sparse { cover: 0.0, search: 1.0, ..Default::default() };
        let search = |left, found| effort.search_seconds(&prices, [200, 50], 160_000, left, found);
        // Nothing left, a line left: the matrix once; many: the budget, which grows with what is found.
        assert_eq!([search(0, 0), search(1, 0)], [0.0, 50.0]);
        assert_eq!([search(40, 0), search(64, 0)], [500_000.0 / 3200.0; 2]);
        assert_eq!(search(65, 0), (80_000.0 + 500_000.0) / 3200.0);
        assert_eq!(search(40, 32), (80_000.0 + 500_000.0 + 32.0 * 5_000.0) / 3200.0);
        // The least: half a pass, however few are left.
        let least = Effort { covers: 0, search: 0, reward: u64::MAX };
        assert_eq!([1, 64, 65].map(|left| least.allowed(160_000, left, 0)), [80_000; 3]);
        // A pivot that is worth a visit of a line, 3200 entries, or more than it is worth anyway.
        let worth = |seconds| effort.at_most(seconds, &prices, [200, 50], 160_000);
        assert_eq!([1.0, 1.5, 2.0, 1e9].map(|seconds| worth(seconds).reward), [50, 34, 32, 32]);
        let search = worth(1.0).search_seconds(&prices, [200, 50], 160_000, 40, 32);
        assert_eq!(search, (80_000.0 + 500_000.0 + 32.0 * 3200.0) / 3200.0);
    }
}
