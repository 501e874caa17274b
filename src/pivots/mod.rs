//! Structural pivots: a large triangular part of a sparse matrix, found from the positions of its entries alone.
//!
//! Entries (i_k, j_k), k = 0 … t-1, are *structural pivots* if `A[i_k, j_k] ≠ 0` and `A[i_k, j_l] = 0` for all l < k:
//! that t × t minor is upper triangular, so rank A ≥ t whatever the values are, and eliminating it needs no search.
//! Finding the largest such set is NP-hard; [`find`] runs
//!
//! 1. `peel`: rows and columns with one entry, repeatedly; all of a matrix that is triangular up to permutations;
//! 2. `cover`: greedy covers of what is left, by rows and by columns and with several rules for ties, the
//!    Faugère–Lachartre sweep among them; the largest wins, ties go to the sparsest;
//! 3. `search`: entries that can join without closing an alternating cycle, as long as the effort pays off.
//!
//! All are linear in the number of entries. A set is triangular for A in one order and for Aᵀ in the reverse order, so
//! the search does not depend on the orientation; only the work that follows does, and [`find_best`] chooses it.
//!
//! Sources: J.-C. Faugère, S. Lachartre, PASCO 2010; C. Bouillaguet, C. Delaplace, M.-E. Voge, *Parallel sparse PLUQ
//! factorization modulo p*, PASCO 2017. On chessboard complexes from ch7-8-b3 to ch7-9-b5 the covers alone find all
//! pivots, or miss up to four in a thousand, where the search of the latter paper misses up to twenty-two.

mod active;
mod bits;
mod cover;
mod degrees;
mod effort;
mod incidence;
mod peel;
mod search;
#[cfg(test)]
mod tests;

use crate::cost::Sparse;
use crate::parallel::Each;
use crate::sparse::{Pattern, SparseMatrix};
use crate::{Observer, Result, memory};
pub(crate) use active::Active;
use cover::Ties;
pub use effort::Effort;
use incidence::Lines;
use peel::Peeled;
use rayon::prelude::*;
use search::Search;

/// What the memory is for.
const PIVOTS: &str = "structural pivots";
/// Visits of the whole matrix after which it is asked whether to go on with a search, and by what factor they have
/// grown each time that it is asked again.
const DOUBT: u64 = 4;

/// A triangular set of pivots: `A[rows[k], cols[k]] ≠ 0`, and `A[rows[k], cols[l]] = 0` for l < k.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pivots {
    /// The pivotal rows, all different.
    pub rows: Vec<u32>,
    /// The pivotal column of each of these rows.
    pub cols: Vec<u32>,
}

impl Pivots {
    /// From (row, column), in triangular order.
    fn of(pivots: Vec<(u32, u32)>) -> Result<Pivots> {
        let (rows, cols) = memory::unzip(pivots.into_iter(), PIVOTS)?;
        Ok(Pivots { rows, cols })
    }

    /// None, with room for so many.
    fn with_capacity(count: usize) -> Result<Pivots> {
        Ok(Pivots { rows: memory::with_capacity(count, PIVOTS)?, cols: memory::with_capacity(count, PIVOTS)? })
    }

    /// Number of pivots.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The same pivots in Aᵀ.
    #[must_use]
    pub fn transposed(mut self) -> Pivots {
        self.rows.reverse();
        self.cols.reverse();
        Pivots { rows: self.cols, cols: self.rows }
    }

    /// Whether this is a triangular set of pivots of `a`, and so a proof of rank A ≥ [`len`](Pivots::len): O(cols +
    /// nnz) and independent of how the set was found. Indices out of range and lists of different lengths give `false`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn is_triangular(&self, a: &SparseMatrix) -> Result<bool> {
        let mut place = memory::filled(usize::MAX, a.cols(), PIVOTS)?;
        for (k, &j) in self.cols.iter().enumerate() {
            match place.get_mut(j as usize) {
                Some(place @ &mut usize::MAX) => *place = k,
                _ => return Ok(false),
            }
        }
        // A row listed twice would have entries in both columns, one of them too early.
        let fits = |(k, &i): (usize, &u32)| {
            let cols = if (i as usize) < a.rows() { a.row(i as usize).0 } else { &[] };
            let early = cols.iter().any(|&j| place[j as usize] < k);
            !early && cols.binary_search(&self.cols[k]).is_ok()
        };
        Ok(self.rows.len() == self.cols.len() && self.rows.iter().enumerate().all(fits))
    }
}

/// How many pivots each stage found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By peeling singletons.
    pub singletons: usize,
    /// By the Faugère–Lachartre sweep, if the winning cover began with it.
    pub faugere_lachartre: usize,
    /// By the greedy cover.
    pub greedy: usize,
    /// By the search for entries that close no alternating cycle.
    pub search: usize,
}

/// The result of [`find`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The pivots, in triangular order.
    pub pivots: Pivots,
    /// How many of them, at the beginning and at the end, are singletons: in the columns of the first no other row has
    /// an entry, but for rows of such pivots before; the rows of the last have entries in no other columns, but for
    /// those of such pivots behind.
    pub peeled: [usize; 2],
    /// How many each stage found; they sum to the number of pivots.
    pub counts: Counts,
    /// Rows that are neither pivotal nor empty.
    pub free_rows: usize,
    /// Columns that are neither pivotal nor empty: rank A ≤ pivots + min(free_rows, free_cols).
    pub free_cols: usize,
}

impl Found {
    /// Predicted seconds of one thread for finding these pivots of a matrix of that shape.
    pub fn seconds(&self, effort: &Effort, prices: &Sparse, shape: [usize; 2], nnz: usize) -> f64 {
        let left = self.free_rows.min(self.free_cols);
        effort.cover_seconds(prices, shape, nnz) + effort.search_seconds(prices, shape, nnz, left, self.counts.search)
    }
}

/// Finds structural pivots of `a`. The result does not depend on the number of threads.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted) if the observer asks for it,
/// [`Error::Memory`](crate::Error::Memory).
pub fn find(a: &SparseMatrix, effort: &Effort, observer: &dyn Observer) -> Result<Found> {
    find_while(a, effort, &|_, _| Ok(true), observer)
}

/// Whether to go on after some search: asked with the pivots so far, the number of entries visited, and the number at
/// which it will be asked again.
pub type Worth<'a> = dyn Fn(&Pivots, [u64; 2]) -> Result<bool> + 'a;

/// The same, as long as searching is `worth` it.
fn find_while(a: &SparseMatrix, effort: &Effort, worth: &Worth<'_>, observer: &dyn Observer) -> Result<Found> {
    observer.phase("structural pivots", 0);
    observer.check()?;
    let columns = Pattern::of_transpose(a)?;
    let (rows, cols) = (incidence::rows(a), incidence::lines(&columns));
    let peeled = peel::peel(rows, cols)?;
    observer.check()?;
    let mut counts = Counts { singletons: peeled.front.len() + peeled.back.len(), ..Counts::default() };
    let nonempty = |lines: Lines<'_>| (0..lines.len() as u32).filter(|&i| lines.degree(i) > 0).count();
    let (free_rows, free_cols) = (nonempty(rows), nonempty(cols));
    let core = free_rows.min(free_cols) - counts.singletons;

    let best = if core > 0 { best_cover(rows, cols, &peeled, core, effort, observer)? } else { Cover::default() };
    (counts.faugere_lachartre, counts.greedy) = (best.seeds, best.pivots.len() - best.seeds);
    let Peeled { front, back, rows: of_rows, cols: of_cols } = peeled;
    let peeled = [front.len(), back.len()];
    let whole = |core: &[(u32, u32)]| -> Result<Pivots> {
        let mut pivots = Pivots::with_capacity(front.len() + core.len() + back.len())?;
        front.iter().chain(core).chain(back.iter().rev()).for_each(|&(i, j)| {
            pivots.rows.push(i);
            pivots.cols.push(j);
        });
        Ok(pivots)
    };
    let (mut pivots, left) = (best.pivots, core - counts.faugere_lachartre - counts.greedy);
    if left > 0 {
        let nnz = rows.nnz();
        let allowed = |found| effort.allowed(nnz, left, found);
        let mut doubt = (DOUBT * nnz as u64).max(effort.search);
        // One search for each line left over, on the side with fewer of them.
        let by_rows = free_rows <= free_cols;
        let turn = |pivots: &mut [(u32, u32)]| {
            if !by_rows {
                pivots.reverse();
                pivots.iter_mut().for_each(|pivot| *pivot = (pivot.1, pivot.0));
            }
        };
        let oriented = |search: &Search<'_>| -> Result<Vec<(u32, u32)>> {
            let mut pivots = search.pivots()?;
            turn(&mut pivots);
            Ok(pivots)
        };
        let mut worth = |search: &Search<'_>, visited: u64| -> Result<bool> {
            if visited < doubt {
                return Ok(true);
            }
            doubt = visited.saturating_mul(DOUBT);
            worth(&whole(&oriented(search)?)?, [visited, doubt])
        };
        turn(&mut pivots);
        let mut search = match by_rows {
            true => Search::new([rows, cols], [&of_rows, &of_cols], pivots)?,
            false => Search::new([cols, rows], [&of_cols, &of_rows], pivots)?,
        };
        counts.search = search.run(&allowed, &mut worth, observer)?;
        pivots = oriented(&search)?;
    }
    drop((of_rows, of_cols));
    let pivots = whole(&pivots)?;
    let (free_rows, free_cols) = (free_rows - pivots.len(), free_cols - pivots.len());
    Ok(Found { pivots, peeled, counts, free_rows, free_cols })
}

/// Which entries may be pivots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Any, but those of so many columns at the end: right sides of a system.
    Aside(usize),
    /// First entries of their rows: the columns of these pivots do not depend on columns before them, so that reducing
    /// the rows to echelon form has its pivots there.
    Leading,
}

/// Finds structural pivots of `a` that a rule allows.
///
/// # Errors
/// As [`find`].
///
/// # Panics
/// If there are fewer columns than are set aside.
pub fn find_by(a: &SparseMatrix, rule: Rule, effort: &Effort, observer: &dyn Observer) -> Result<Found> {
    match rule {
        Rule::Aside(0) => find(a, effort, observer),
        Rule::Aside(count) => {
            let found = find(&a.first_columns(a.cols() - count)?, effort, observer)?;
            // The rows of the last may have entries in the columns set aside.
            Ok(Found { peeled: [found.peeled[0], 0], ..found })
        }
        Rule::Leading => leading(a),
    }
}

/// The sparsest row of each column that is the first of some row, columns ascending.
fn leading(a: &SparseMatrix) -> Result<Found> {
    let weight = |i: u32| a.row(i as usize).0.len();
    let mut sparsest: Vec<Option<u32>> = memory::filled(None, a.cols(), PIVOTS)?;
    let mut free_rows = 0;
    for i in 0..a.rows() as u32 {
        let Some(&j) = a.row(i as usize).0.first() else { continue };
        free_rows += 1;
        let best = &mut sparsest[j as usize];
        if best.is_none_or(|best| weight(i) < weight(best)) {
            *best = Some(i);
        }
    }
    let pairs = sparsest.into_iter().zip(0u32..).filter_map(|(i, j)| Some((i?, j)));
    let pivots = Pivots::of(memory::collect(pairs, PIVOTS)?)?;
    let (free_rows, free_cols) = (free_rows - pivots.len(), a.non_empty_cols()?.len() - pivots.len());
    let counts = Counts { faugere_lachartre: pivots.len(), ..Counts::default() };
    Ok(Found { pivots, peeled: [0; 2], counts, free_rows, free_cols })
}

/// Pivots by one cover, in triangular order, the first `seeds` taken being those of the Faugère–Lachartre sweep.
#[derive(Default)]
struct Cover {
    pivots: Vec<(u32, u32)>,
    seeds: usize,
}

/// One way to cover: by rows or by columns, from nothing or from the Faugère–Lachartre sweep.
#[derive(Clone, Copy)]
struct Way {
    by_rows: bool,
    seeded: bool,
    ties: Ties,
}

impl Way {
    fn cover(self, rows: Lines<'_>, cols: Lines<'_>, peeled: &Peeled) -> Result<Cover> {
        let (lines, sides) = if self.by_rows {
            ((rows, cols), (&peeled.rows, &peeled.cols))
        } else {
            ((cols, rows), (&peeled.cols, &peeled.rows))
        };
        let seed = if self.seeded { cover::faugere_lachartre(lines.0, sides.0, sides.1)? } else { vec![] };
        let mut pivots = cover::cover(lines, sides, &seed, self.ties)?;
        if self.by_rows {
            pivots.reverse();
        } else {
            pivots.iter_mut().for_each(|pivot| *pivot = (pivot.1, pivot.0));
        }
        Ok(Cover { pivots, seeds: seed.len() })
    }
}

/// The largest cover of what peeling left; among those the one with the fewest entries in its rows, then the first in a
/// fixed order. Stops as soon as one has `most` pivots.
fn best_cover(
    rows: Lines<'_>,
    cols: Lines<'_>,
    peeled: &Peeled,
    most: usize,
    effort: &Effort,
    observer: &dyn Observer,
) -> Result<Cover> {
    // By rows and by columns, the last lines first and the oldest of equals: the best rule on nearly every matrix
    // measured.
    let usual = Ties { descending: true, newest: false };
    // The side with more lines has more choice, and wins as a rule where it is notably longer: there one cover must do,
    // unless few lines are left, so that some pivots more make the complement a much smaller one.
    let long = rows.len() >= cols.len();
    let first = [long, !long].map(|by_rows| Way { by_rows, seeded: false, ties: usual });
    let (first, second) = first.split_at(if effort::is_lopsided(rows.len(), cols.len()) { 1 } else { 2 });
    let others = [(false, false), (true, true), (false, true)].map(|(descending, newest)| Ties { descending, newest });
    let others = others.into_iter().flat_map(|ties| [true, false].map(|by_rows| Way { by_rows, seeded: false, ties }));
    let seeded = [true, false].map(|by_rows| Way { by_rows, seeded: true, ties: usual });
    let others: Vec<Way> = second.iter().copied().chain(others).chain(seeded).collect();
    debug_assert_eq!(first.len() + others.len(), effort::COVERS);

    let mut best = Cover::default();
    for ways in [first, &others] {
        let (found, entries) = (best.pivots.len(), ways.len() as u64 * rows.nnz() as u64);
        let ways = match found {
            0 => ways,
            _ if found == most => break,
            _ if entries <= effort.covers => ways,
            _ if effort::leaves_few(found, most) => second,
            _ => break,
        };
        observer.check()?;
        let covers = ways.par_iter().try_make(|way| way.cover(rows, cols, peeled))?;
        let weight = |cover: &Cover| cover.pivots.iter().map(|&(i, _)| rows.degree(i)).sum::<usize>();
        for cover in covers {
            let more = cover.pivots.len().cmp(&best.pivots.len());
            if more.then_with(|| weight(&best).cmp(&weight(&cover))).is_gt() {
                best = cover;
            }
        }
    }
    Ok(best)
}

/// Pivots in the orientation that makes the work after them cheaper: of A, or (`true`) of Aᵀ.
///
/// The pivots are the same entries in both. What follows works with dense rows as wide as there are free columns, and
/// proves its result by one product with A for each column beyond the rank: so the fewer free columns the better. If
/// both orientations have equally many, the one with fewer entries in the pivotal lines, with which every product
/// solves.
///
/// # Errors
/// As [`find`].
pub fn find_best(a: &SparseMatrix, effort: &Effort, observer: &dyn Observer) -> Result<(bool, Found)> {
    find_best_while(a, effort, &|_, _| Ok(true), observer)
}

/// The same, where a search that takes long goes on only as long as that is `worth` it.
///
/// # Errors
/// As [`find`], and those of `worth`.
pub fn find_best_while(
    a: &SparseMatrix,
    effort: &Effort,
    worth: &Worth<'_>,
    observer: &dyn Observer,
) -> Result<(bool, Found)> {
    let found = find_while(a, effort, worth, observer)?;
    let rows = found.pivots.rows.par_iter().with_min_len(1 << 13);
    let in_rows: usize = rows.map(|&i| a.row(i as usize).0.len()).sum();
    let mut pivotal = memory::filled(false, a.cols(), PIVOTS)?;
    found.pivots.cols.iter().for_each(|&j| pivotal[j as usize] = true);
    let in_cols = a.col.par_iter().with_min_len(1 << 16).filter(|&&j| pivotal[j as usize]).count();
    let transposed = (found.free_rows, in_cols) < (found.free_cols, in_rows);
    if !transposed {
        return Ok((false, found));
    }
    let (free_rows, free_cols) = (found.free_cols, found.free_rows);
    let [front, back] = found.peeled;
    Ok((true, Found { pivots: found.pivots.transposed(), peeled: [back, front], free_rows, free_cols, ..found }))
}
