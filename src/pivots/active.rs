//! Pivots that a Schur complement does not depend on.
//!
//! S·x is made from x in the columns without a pivot: pivot k gives wⱼₖ = -Σ a(iₖ, j)·wⱼ / a(iₖ, jₖ) from columns that
//! come later, for the rows that have an entry in column jₖ. A pivot is *idle* if nobody asks for wⱼₖ, neither a row
//! without a pivot nor one of a pivot that is asked for; or if wⱼₖ = 0 whatever x is, since row iₖ has entries in
//! columns of such pivots alone. All others are *active*. Singletons are idle, and what depends on them alone.
//!
//! S is that of the active pivots in the submatrix of all other lines. Proof: in the program above, a wⱼₖ that is 0 or
//! that nobody asks for may be left out of every sum, with its row and its column.

use super::{PIVOTS, Pivots};
use crate::isa::prefetch;
use crate::parallel::Each;
use crate::sparse::SparseMatrix;
use crate::{Result, memory};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// Rows that one task looks at, or more.
const TASK: usize = 1 << 12;
/// Pivots between asking for memory and reading it, and the entries of each that are asked for.
const AHEAD: usize = 8;
const FEW: usize = 4;

/// What idle pivots leave of a matrix.
#[derive(Debug)]
pub(crate) struct Active {
    /// The idle pivots, in triangular order.
    pub idle: Pivots,
    /// Lines of the matrix that are not theirs, without those that have no entry in these, ascending.
    pub rows: Vec<u32>,
    /// The same of its columns.
    pub cols: Vec<u32>,
    /// The other pivots, by their places in these lists, in triangular order.
    pub pivots: Pivots,
}

impl Active {
    /// Tells the pivots of `a` apart: O(rows + cols + nnz), and two binary searches for each that is active. So many at
    /// the beginning and at the end are known to be singletons ([`Found::peeled`](super::Found::peeled)), and need not
    /// be looked at: nobody asks for the first, by induction, and w = 0 for the last, by induction from the end.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If there are more singletons than pivots.
    pub fn of(a: &SparseMatrix, pivots: &Pivots, [front, back]: [usize; 2]) -> Result<Active> {
        let core = front..pivots.len() - back;
        let all = || core.clone().map(|k| (k, pivots.rows[k], pivots.cols[k]));
        let mut has_pivot = memory::filled(false, a.rows(), PIVOTS)?;
        pivots.rows.iter().for_each(|&i| has_pivot[i as usize] = true);
        // Whether a row that is not idle has an entry in the column: those of earlier pivots and of none.
        let asked = memory::collect((0..a.cols()).map(|_| AtomicBool::new(false)), PIVOTS)?;
        let is_asked = |j: u32| asked[j as usize].load(Relaxed);
        let ask = |i: usize| a.row(i).0.iter().for_each(|&j| asked[j as usize].store(true, Relaxed));
        (0..a.rows()).into_par_iter().with_min_len(TASK).each(|i| {
            if !has_pivot[i] {
                ask(i);
            }
        });
        for (k, i, j) in all() {
            if let Some(next) = Some(k + AHEAD).filter(|&next| next < core.end && is_asked(pivots.cols[next])) {
                a.row(pivots.rows[next] as usize).0.iter().take(FEW).for_each(|&j| prefetch(&asked, j as usize));
            }
            if is_asked(j) {
                ask(i as usize);
            }
        }
        // Whether w may be other than 0 there: known of later pivots.
        let mut counts = memory::filled(true, a.cols(), PIVOTS)?;
        pivots.cols.iter().for_each(|&j| counts[j as usize] = false);
        for (k, i, j) in all().rev() {
            if let Some(next) = k.checked_sub(AHEAD).filter(|&next| is_asked(pivots.cols[next])) {
                a.row(pivots.rows[next] as usize).0.iter().take(FEW).for_each(|&j| prefetch(&counts, j as usize));
            }
            counts[j as usize] = is_asked(j) && a.row(i as usize).0.iter().any(|&j| counts[j as usize]);
        }
        debug_assert!(pivots.cols[..front].iter().all(|&j| !is_asked(j)), "nobody asks for the first");
        debug_assert!(
            pivots.rows[core.end..].iter().all(|&i| a.row(i as usize).0.iter().all(|&j| !counts[j as usize])),
            "rows of the last have entries in their columns alone"
        );
        let is_active = |j: u32| is_asked(j) && counts[j as usize];
        let cols: Vec<u32> = memory::collect((0..a.cols() as u32).filter(|&j| is_active(j)), PIVOTS)?;
        // Of rows without a pivot those with an entry that counts.
        let mut kept = has_pivot;
        kept.par_iter_mut().enumerate().with_min_len(TASK).each(|(i, kept)| {
            *kept = !*kept && a.row(i).0.iter().any(|&j| counts[j as usize]);
        });
        let mut idle = Pivots::with_capacity(pivots.len())?;
        let mut active = Pivots::default();
        idle.extend(pivots, 0..front);
        for (k, i, j) in all() {
            kept[i as usize] = is_active(j);
            if is_active(j) {
                memory::push(&mut active.rows, i, PIVOTS)?;
                memory::push(&mut active.cols, j, PIVOTS)?;
            } else {
                idle.extend(pivots, k..k + 1);
            }
        }
        idle.extend(pivots, core.end..pivots.len());
        let rows: Vec<u32> = memory::collect((0..a.rows() as u32).filter(|&i| kept[i as usize]), PIVOTS)?;
        let place = |lines: &[u32], line: &u32| lines.binary_search(line).expect("lines of active pivots stay") as u32;
        active.rows.iter_mut().for_each(|i| *i = place(&rows, i));
        active.cols.iter_mut().for_each(|j| *j = place(&cols, j));
        Ok(Active { idle, rows, cols, pivots: active })
    }
}

impl Pivots {
    /// Takes some of others after those that there are; there must be room.
    fn extend(&mut self, others: &Pivots, some: Range<usize>) {
        self.rows.extend_from_slice(&others.rows[some.clone()]);
        self.cols.extend_from_slice(&others.cols[some]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::{Modulus, Rng};
    use crate::oracles::greedy_pivots;
    use crate::pivots::{Effort, find, find_best};
    use rand::{RngExt, SeedableRng};
    use std::collections::BTreeMap;

    /// The entries of S, each by its row and column in `a`: by elimination as in a textbook.
    fn complement(a: &SparseMatrix, pivots: &Pivots) -> BTreeMap<(u32, u32), u64> {
        let p = a.modulus();
        let mut rows = vec![vec![0; a.cols()]; a.rows()];
        for (i, row) in rows.iter_mut().enumerate() {
            a.row(i).0.iter().zip(a.row(i).1).for_each(|(&j, &v)| row[j as usize] = v);
        }
        for (&i, &j) in pivots.rows.iter().zip(&pivots.cols) {
            let pivot = std::mem::take(&mut rows[i as usize]);
            let inverse = p.inv(pivot[j as usize]);
            for row in rows.iter_mut().filter(|row| !row.is_empty()) {
                let factor = p.mul(row[j as usize], inverse);
                row.iter_mut().zip(&pivot).for_each(|(x, &y)| *x = p.sub(*x, p.mul(factor, y)));
            }
        }
        let entries = rows.iter().zip(0..).flat_map(|(row, i)| row.iter().zip(0..).map(move |(&v, j)| ((i, j), v)));
        entries.filter(|e| e.1 != 0).collect()
    }

    /// Checks what is told of pivots of `a`; how many are idle, and how many active.
    fn check(a: &SparseMatrix, pivots: &Pivots, peeled: [usize; 2]) -> [usize; 2] {
        let Active { idle, rows, cols, pivots: active } = Active::of(a, pivots, peeled).unwrap();
        let minor = a.submatrix(&rows, &cols).unwrap();
        assert!(!minor.has_empty_lines().unwrap());
        assert!(idle.is_triangular(a).unwrap() && active.is_triangular(&minor).unwrap());
        let named = active.rows.iter().zip(&active.cols).map(|(&i, &j)| (rows[i as usize], cols[j as usize]));
        let mut all: Vec<_> = idle.rows.iter().copied().zip(idle.cols.iter().copied()).chain(named).collect();
        let mut expected: Vec<_> = pivots.rows.iter().copied().zip(pivots.cols.iter().copied()).collect();
        all.sort_unstable();
        expected.sort_unstable();
        assert_eq!(all, expected);
        let of_minor = complement(&minor, &active).into_iter();
        let of_minor = of_minor.map(|((i, j), v)| ((rows[i as usize], cols[j as usize]), v)).collect();
        assert_eq!(complement(a, pivots), of_minor);
        // Those that S depends on as far as positions tell: paths from a row without a pivot to a column without one.
        let leads = |from: &dyn Fn(usize) -> Vec<usize>, ends: &dyn Fn(usize) -> bool, k: usize| {
            let (mut seen, mut stack) = (vec![false; pivots.len()], vec![k]);
            while let Some(k) = stack.pop() {
                if ends(k) {
                    return true;
                }
                stack.extend(from(k).into_iter().filter(|&l| !std::mem::replace(&mut seen[l], true)));
            }
            false
        };
        let columns = |k: usize| a.row(pivots.rows[k] as usize).0;
        let down = |k: usize| (0..pivots.len()).filter(|&l| columns(k).contains(&pivots.cols[l])).collect();
        let up = |k: usize| (0..pivots.len()).filter(|&l| columns(l).contains(&pivots.cols[k])).collect();
        let free_col = |k: usize| columns(k).iter().any(|j| !pivots.cols.contains(j));
        let free_row = |k: usize| {
            (0..a.rows()).any(|i| a.row(i).0.contains(&pivots.cols[k]) && !pivots.rows.contains(&(i as u32)))
        };
        let needed = |k: &usize| leads(&down, &free_col, *k) && leads(&up, &free_row, *k);
        assert_eq!(active.len(), (0..pivots.len()).filter(needed).count());
        [idle.len(), active.len()]
    }

    #[test]
    fn the_complement_is_that_of_active_pivots() {
        let (mut rng, mut most, mut peeled, mut turned) = (Rng::seed_from_u64(78), [0, 0], [0, 0], 0);
        for k in 0..300 {
            let p = Modulus::new([2, 3, 65521, (1 << 61) - 1][k % 4]).unwrap();
            let (rows, cols) = (rng.random_range(0..30), rng.random_range(0..30));
            let entries = if rows * cols > 0 { rng.random_range(0..3 * rows) } else { 0 };
            let place = |_| (rng.random_range(0..rows), rng.random_range(0..cols), 1 + k as u64 % (p.get() - 1));
            let a = SparseMatrix::from_triplets(p, rows, cols, &(0..entries).map(place).collect::<Vec<_>>());
            let found = find(&a, &Effort::default(), &Silent).unwrap();
            // What is known of singletons is found as well.
            assert_eq!(check(&a, &found.pivots, found.peeled), check(&a, &found.pivots, [0; 2]));
            peeled = [0, 1].map(|side| peeled[side].max(found.peeled[side]));
            // And of the orientation that is chosen.
            let (transposed, best) = find_best(&a, &Effort::default(), &Silent).unwrap();
            let own = if transposed { a.transpose().unwrap() } else { a.clone() };
            turned += usize::from(transposed && best.peeled[0] != best.peeled[1]);
            assert_eq!(check(&own, &best.pivots, best.peeled), check(&own, &best.pivots, [0; 2]));
            for pivots in [found.pivots, greedy_pivots(&a), Pivots::default()] {
                let [idle, active] = check(&a, &pivots, [0; 2]);
                most = [most[0].max(idle), most[1].max(active)];
            }
            assert!(check(&a, &Pivots::default(), [0; 2]) == [0, 0]);
        }
        assert!(most[0] > 10 && most[1] > 3 && peeled.iter().all(|&most| most > 5), "{most:?} {peeled:?}");
        assert!(turned > 10, "{turned}");
    }
}
