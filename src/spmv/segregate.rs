//! Whether entries +1 and -1 are kept apart (source paper, section 2.4.4).
//!
//! Apart they need no multiplications, which saves some time for each residue; but a row is then read in up to three
//! runs instead of one, each with the price of a loop, and of a branch that was foreseen wrongly where a row has
//! another number of such entries than the row before. So the answer depends on the width of the blocks, on the kind
//! of sums, and on how alike the rows are.

use super::options::ArithmeticKind;
use super::{Lane, Params};
use crate::sparse::SparseMatrix;
use crate::sparse::hybrid::{Entries, kind};
use crate::{Result, memory};

/// Columns of a block that the loops over a row take together.
pub(super) const STRIP: usize = 32;

/// Where there is nothing but ±1, sums that are apart stay in registers and are half as wide: what a row takes more in
/// one run, in nanoseconds, and how much dearer its multiplications are.
const WIDER: (f64, f64) = (6.0, 2.0);

/// What a multiplication takes beyond an addition, for each residue in strips of 32, in nanoseconds: measured on a Xeon
/// with AVX-512 by products of random matrices with 40 entries ±1 a row, in parts of their own and not.
fn product(lane: Lane, arithmetic: ArithmeticKind) -> f64 {
    match (lane, arithmetic) {
        (Lane::U8, _) => 0.014,
        (_, ArithmeticKind::Narrow) => 0.044,
        (Lane::U16, _) => 0.086,
        (_, ArithmeticKind::Float) => 0.045,
        (_, ArithmeticKind::Wide) => 0.058,
        (_, ArithmeticKind::Split) => 0.4,
        (_, ArithmeticKind::Long) => 2.0,
    }
}

/// The runs through the rows of `a`.
pub(super) fn of_rows(a: &SparseMatrix) -> Runs {
    let mut runs = Runs::default();
    for i in 0..a.rows() {
        let mut counts = [0; 3];
        a.row(i).1.iter().for_each(|&v| counts[place(a, v)] += 1);
        runs.add(counts);
    }
    runs
}

/// The runs through its columns, the rows of its transpose.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(super) fn of_columns(a: &SparseMatrix) -> Result<Runs> {
    let mut of_columns = memory::filled([0u32; 3], a.cols(), "the entries of columns")?;
    for i in 0..a.rows() {
        let (cols, values) = a.row(i);
        cols.iter().zip(values).for_each(|(&j, &v)| of_columns[j as usize][place(a, v)] += 1);
    }
    let mut runs = Runs::default();
    of_columns.into_iter().for_each(|counts| runs.add(counts));
    Ok(runs)
}

/// +1, -1, others.
fn place(a: &SparseMatrix, value: u64) -> usize {
    match kind(a.modulus(), true, value) {
        Entries::Plus => 0,
        Entries::Minus => 1,
        Entries::Valued => 2,
    }
}

/// The runs of a kind of entries through all rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Run {
    /// Rows that have some.
    busy: u64,
    /// Rows that have another number of them than the row before.
    turns: u64,
}

/// Rows one after the other, each kind of entries by itself and all of them.
#[derive(Debug, Default)]
pub(super) struct Runs {
    apart: [Run; 3],
    together: Run,
    units: u64,
    /// The most entries of a row, and the most that are not ±1.
    heaviest: [u64; 2],
    before: Option<[u32; 3]>,
}

impl Runs {
    /// Entries of the heaviest row.
    pub(super) fn heaviest(&self) -> u64 {
        self.heaviest[0]
    }
    /// The most entries of a row that are not ±1.
    pub(super) fn heaviest_valued(&self) -> u64 {
        self.heaviest[1]
    }

    /// Whether products with `width` vectors at once are sooner with ±1 apart, by the prices of `params`. `lane` and
    /// `arithmetic` are those of one run with all entries.
    pub(super) fn are_sooner_apart(
        &self,
        (lane, arithmetic): (Lane, ArithmeticKind),
        width: usize,
        params: &Params,
    ) -> bool {
        let strips = width.div_ceil(STRIP) as f64;
        let seconds = |run: &Run| strips * (run.busy as f64 * params.run + run.turns as f64 * params.turn);
        let (wider, dearer) = if self.apart[2].busy == 0 { WIDER } else { (0.0, 1.0) };
        let saved = self.units as f64 * width as f64 * product(lane, arithmetic) * dearer;
        let together = seconds(&self.together) + strips * self.together.busy as f64 * wider;
        self.apart.iter().map(seconds).sum::<f64>() - saved < together
    }

    fn add(&mut self, counts: [u32; 3]) {
        let all = |counts: [u32; 3]| counts.iter().map(|&count| u64::from(count)).sum::<u64>();
        let before = self.before.replace(counts).unwrap_or(counts);
        for (run, (count, before)) in self.apart.iter_mut().zip(counts.into_iter().zip(before)) {
            run.busy += u64::from(count > 0);
            run.turns += u64::from(count != before);
        }
        self.together.busy += u64::from(all(counts) > 0);
        self.together.turns += u64::from(all(counts) != all(before));
        self.units += u64::from(counts[0]) + u64::from(counts[1]);
        let [most, valued] = self.heaviest;
        self.heaviest = [most.max(all(counts)), valued.max(u64::from(counts[2]))];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Modulus, Rng};
    use rand::{RngExt, SeedableRng};

    /// So many +1, -1 and others in each row of a square matrix, or about as many.
    fn matrix(p: u64, counts: [usize; 3], even: bool) -> SparseMatrix {
        let (n, mut rng) = (400, Rng::seed_from_u64(1));
        let mut entries = vec![];
        for i in 0..n {
            let mut cols = (0..n).step_by(7).map(|j| (i * 31 + j) % n);
            for (count, value) in counts.into_iter().zip([1, p - 1, 2]) {
                let count = if even { count } else { rng.random_range(0..=2 * count) };
                entries.extend(cols.by_ref().take(count).map(|j| (i, j, value)));
            }
        }
        SparseMatrix::from_triplets(Modulus::new(p).unwrap(), n, n, &entries)
    }

    /// As measured on square matrices of 15000 rows.
    #[test]
    fn runs_pay_where_rows_are_alike_blocks_wide_and_products_dear() {
        let sooner = |p, counts, even, width| {
            let kind = if p < 1 << 8 {
                (Lane::U8, ArithmeticKind::Narrow)
            } else if p < 1 << 16 {
                (Lane::U16, ArithmeticKind::Wide)
            } else {
                (Lane::U64, ArithmeticKind::Long)
            };
            of_rows(&matrix(p, counts, even)).are_sooner_apart(kind, width, &Params::default())
        };
        let large = (1 << 61) - 1;
        for (p, counts, even, widths) in [
            // The narrowest width of 1, 8, 16, 32, 64 at which they are sooner apart.
            (65521, [2, 2, 0], true, Some(1)),
            (251, [2, 1, 0], true, Some(1)),
            (65521, [4, 4, 0], false, Some(8)),
            (65521, [6, 6, 1], true, Some(16)),
            (65521, [6, 6, 1], false, Some(32)),
            (65521, [2, 2, 1], false, None),
            (65521, [12, 0, 0], false, Some(1)),
            (251, [6, 6, 1], true, None),
            (251, [2, 2, 1], false, None),
            (large, [6, 6, 1], true, Some(1)),
            (large, [2, 2, 1], false, Some(8)),
        ] {
            for width in [1, 8, 16, 32, 64] {
                let apart = widths.is_some_and(|least| width >= least);
                assert_eq!(sooner(p, counts, even, width), apart, "{counts:?} mod {p}, {even}, {width} vectors");
            }
        }
    }

    #[test]
    fn runs_through_columns_are_those_of_the_transpose() {
        for even in [true, false] {
            let a = matrix(65521, [3, 1, 2], even);
            let (columns, rows) = (of_columns(&a).unwrap(), of_rows(&a.transpose().unwrap()));
            assert_eq!(format!("{columns:?}"), format!("{rows:?}"));
        }
        let none = SparseMatrix::from_triplets(Modulus::new(3).unwrap(), 0, 4, &[]);
        assert_eq!((of_columns(&none).unwrap().heaviest(), of_rows(&none).heaviest()), (0, 0));
    }

    #[test]
    fn runs_are_counted_row_by_row() {
        let mut runs = Runs::default();
        for counts in [[0, 0, 0], [1, 2, 0], [2, 1, 0], [2, 1, 5], [2, 1, 5]] {
            runs.add(counts);
        }
        let run = |busy, turns| Run { busy, turns };
        assert_eq!(runs.apart, [run(4, 2), run(4, 2), run(2, 1)]);
        assert_eq!((runs.together, runs.units), (run(4, 2), 12));
        assert_eq!((runs.heaviest(), runs.heaviest_valued()), (8, 5));
    }
}
