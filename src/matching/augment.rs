//! From any matching to a maximum one by augmenting paths.
//!
//! An augmenting path leads from an unmatched row to an unmatched column, over entries that are alternately outside and
//! inside the matching; exchanging them gives one more pair, and a matching without such a path is maximum (C. Berge,
//! 1957). Two ways to find many disjoint paths in one pass over the entries, O(nnz) each:
//!
//! 1. Depth first from every unmatched row, never entering a row twice in a pass, with lookahead: a row looks for an
//!    unmatched neighbour before the search goes deeper (A. Pothen, C.-J. Fan, *Computing the block triangular form of
//!    a sparse matrix*, ACM TOMS 16 (1990), §2). Best on real matrices, where a few passes suffice. A pass that finds
//!    nothing proves maximality.
//! 2. Breadth-first levels, then depth first along them (J. E. Hopcroft, R. M. Karp, SIAM J. Comput. 2 (1973)):
//!    shortest paths only, and at most 2√size + 2 such passes in total. It takes over after [`DEPTH_FIRST_PASSES`]
//!    passes of the first kind, so that the whole is O(nnz · √size).

use super::karp_sipser;
use super::pairs::{MATCHING, Matching, NONE};
use crate::sparse::Pattern;
use crate::{Result, memory};

/// Passes of Pothen–Fan before Hopcroft–Karp takes over. Real matrices need 2 to 10; more indicate a bad case.
const DEPTH_FIRST_PASSES: usize = 16;

/// A maximum matching grown from `matching`: its rows and columns stay matched, though not always to each other.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If `matching` does not have the shape of `pattern`.
pub fn maximum_matching_from(pattern: &Pattern, matching: Matching) -> Result<Matching> {
    augment(pattern, &pattern.try_transpose()?, matching)
}

/// Like [`maximum_matching_from`]; `transpose` is that of `pattern`.
pub(super) fn augment(pattern: &Pattern, transpose: &Pattern, matching: Matching) -> Result<Matching> {
    Ok(augment_while(pattern, transpose, matching, &|| true)?.expect("it is wanted to the end"))
}

/// The same, or `None` once it is no longer `wanted`, which is asked before each path.
fn augment_while(
    pattern: &Pattern,
    transpose: &Pattern,
    matching: Matching,
    wanted: &dyn Fn() -> bool,
) -> Result<Option<Matching>> {
    assert_eq!((matching.col_of_row.len(), matching.row_of_col.len()), (pattern.rows(), pattern.cols()), "shape");
    let unmatched = |p: &Pattern, mate: &[u32]| (0..p.rows()).filter(|&v| mate[v] == NONE && p.degree(v) > 0).count();
    // Every path has an end on either side: the search starts on the side with fewer of them.
    let found = if unmatched(pattern, &matching.col_of_row) <= unmatched(transpose, &matching.row_of_col) {
        Search::new(pattern, matching)?.run(DEPTH_FIRST_PASSES, wanted)?
    } else {
        Search::new(transpose, matching.transpose())?.run(DEPTH_FIRST_PASSES, wanted)?.map(Matching::transpose)
    };
    Ok(found)
}

/// A search for augmenting paths from the rows of a pattern.
struct Search<'a> {
    pattern: &'a Pattern,
    matching: Matching,
    /// Rows with entries that are unmatched: where paths begin.
    roots: Vec<u32>,
    /// For each row, how many of its entries are known to lie in matched columns; columns stay matched, so this only
    /// grows.
    looked: Vec<u32>,
    /// For each row, how many of its entries the current pass has followed.
    followed: Vec<u32>,
    /// The rows from the root to the current one, none twice: there is room for all.
    path: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(pattern: &'a Pattern, matching: Matching) -> Result<Self> {
        let rows = pattern.rows();
        let unmatched = |&i: &u32| matching.col_of_row[i as usize] == NONE && pattern.degree(i as usize) > 0;
        let roots = memory::collect((0..rows as u32).filter(unmatched), MATCHING)?;
        let zeros = || memory::zeros(rows, MATCHING);
        let (looked, followed, path) = (zeros()?, zeros()?, memory::with_capacity(rows, MATCHING)?);
        Ok(Search { pattern, matching, roots, looked, followed, path })
    }

    fn run(mut self, depth_first_passes: usize, wanted: &dyn Fn() -> bool) -> Result<Option<Matching>> {
        let mut entered = memory::filled(false, self.pattern.rows(), MATCHING)?;
        for pass in 0.. {
            if !wanted() {
                return Ok(None);
            }
            let ends = if pass < depth_first_passes {
                entered.fill(false);
                let found = self.pass(wanted, |_, i| !std::mem::replace(&mut entered[i as usize], true));
                // One that was cut short proves nothing.
                found == 0 && wanted()
            } else {
                !self.shortest_paths(wanted, &mut entered)?
            };
            if ends {
                break;
            }
        }
        Ok(Some(self.matching))
    }

    /// A pass of Hopcroft–Karp: a maximal set of disjoint shortest paths. `false` if there is none.
    fn shortest_paths(&mut self, wanted: &dyn Fn() -> bool, entered: &mut [bool]) -> Result<bool> {
        let Some(level) = self.levels()? else { return Ok(false) };
        entered.fill(false);
        self.pass(wanted, |from, i| {
            let (from, i) = (from as usize, i as usize);
            level[i] == level[from] + 1 && !std::mem::replace(&mut entered[i], true)
        });
        Ok(true)
    }

    /// One search from every root; `enter(from, i)` says whether it may continue from row `from` to row i, and must not
    /// allow the same i twice. Returns the number of paths found. Roots are left out once nothing is `wanted`.
    fn pass(&mut self, wanted: &dyn Fn() -> bool, mut enter: impl FnMut(u32, u32) -> bool) -> usize {
        self.followed.fill(0);
        let mut roots = std::mem::take(&mut self.roots);
        let before = roots.len();
        roots.retain(|&root| !wanted() || !self.augment_from(root, &mut enter));
        self.roots = roots;
        before - self.roots.len()
    }

    /// Looks for an augmenting path from `root` and exchanges its entries; whether there was one.
    fn augment_from(&mut self, root: u32, enter: &mut impl FnMut(u32, u32) -> bool) -> bool {
        let pattern = self.pattern;
        self.path.push(root);
        while let Some(&i) = self.path.last() {
            let cols = pattern.row(i as usize);
            // Lookahead.
            let looked = &mut self.looked[i as usize];
            let matched = |&&j: &&u32| self.matching.row_of_col[j as usize] != NONE;
            *looked += cols[*looked as usize..].iter().take_while(matched).count() as u32;
            if let Some(&j) = cols.get(*looked as usize) {
                self.exchange(j);
                return true;
            }
            // All neighbours are matched: move on to the first of their rows that may be entered, or back.
            let followed = &mut self.followed[i as usize];
            let mut deeper = None;
            while deeper.is_none() && (*followed as usize) < cols.len() {
                let next = self.matching.row_of_col[cols[*followed as usize] as usize];
                *followed += 1;
                deeper = Some(next).filter(|&next| enter(i, next));
            }
            match deeper {
                Some(next) => self.path.push(next),
                None => _ = self.path.pop(),
            }
        }
        false
    }

    /// Matches the last row of the path to column j, its old column to the previous row, and so on up to the root.
    fn exchange(&mut self, mut j: u32) {
        while let Some(i) = self.path.pop() {
            self.matching.row_of_col[j as usize] = i;
            std::mem::swap(&mut self.matching.col_of_row[i as usize], &mut j);
        }
        self.matching.size += 1;
    }

    /// The number of pairs between the nearest root and each row, up to the least level at which a row has an unmatched
    /// neighbour; [`NONE`] beyond that and for unreachable rows. `None` if no reachable row has an unmatched neighbour:
    /// the matching is maximum.
    fn levels(&self) -> Result<Option<Vec<u32>>> {
        let mut level = memory::filled(NONE, self.pattern.rows(), MATCHING)?;
        let mut queue = memory::with_capacity(self.pattern.rows(), MATCHING)?;
        queue.extend_from_slice(&self.roots);
        queue.iter().for_each(|&root| level[root as usize] = 0);
        let (mut last, mut k) = (NONE, 0);
        while let Some(&i) = queue.get(k).filter(|&&i| level[i as usize] <= last) {
            k += 1;
            for &j in self.pattern.row(i as usize) {
                let next = self.matching.row_of_col[j as usize];
                if next == NONE {
                    last = level[i as usize];
                } else if level[next as usize] == NONE {
                    level[next as usize] = level[i as usize] + 1;
                    queue.push(next);
                }
            }
        }
        // Paths that are not shortest would break the bound on the number of passes.
        queue[k..].iter().for_each(|&i| level[i as usize] = NONE);
        Ok((last != NONE).then_some(level))
    }
}

/// A matching of largest size: the structural rank of the pattern.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn maximum_matching(pattern: &Pattern) -> Result<Matching> {
    let transpose = pattern.try_transpose()?;
    augment(pattern, &transpose, karp_sipser::matching(pattern, &transpose)?)
}

/// A matching of largest size, as long as it is `wanted`: whoever looks for it beside something else may see that it is
/// of no use.
///
/// # Errors
/// As [`maximum_matching`].
pub fn maximum_matching_while(pattern: &Pattern, wanted: &dyn Fn() -> bool) -> Result<Option<Matching>> {
    if !wanted() {
        return Ok(None);
    }
    let transpose = pattern.try_transpose()?;
    augment_while(pattern, &transpose, karp_sipser::matching(pattern, &transpose)?, wanted)
}

/// A maximum matching, if it has `size` pairs; that it has more is often seen early.
///
/// # Errors
/// As [`maximum_matching`].
pub fn matching_of_size(pattern: &Pattern, size: usize) -> Result<Option<Matching>> {
    let transpose = pattern.try_transpose()?;
    let greedy = karp_sipser::matching(pattern, &transpose)?;
    if greedy.size > size {
        return Ok(None);
    }
    let largest = augment(pattern, &transpose, greedy)?;
    Ok((largest.size == size).then_some(largest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use crate::matching::minimum_vertex_cover;
    use rand::{RngExt, SeedableRng};
    use std::cell::Cell;

    fn patterns() -> Vec<Pattern> {
        let mut rng = Rng::seed_from_u64(9);
        let mut all =
            vec![Pattern::from_entries(0, 0, []), Pattern::from_entries(3, 0, []), Pattern::from_entries(0, 3, [])];
        for (rows, cols, nnz) in [(5, 5, 8), (50, 40, 70), (300, 300, 600), (1000, 1000, 3000), (2000, 500, 3000)] {
            for _ in 0..4 {
                let entries = (0..nnz).map(|_| (rng.random_range(0..rows), rng.random_range(0..cols)));
                all.push(Pattern::from_entries(rows, cols, entries));
            }
        }
        all
    }

    #[test]
    fn either_method_alone_is_enough() {
        for p in patterns() {
            let run = |passes| {
                Search::new(&p, Matching::empty(p.rows(), p.cols()).unwrap())
                    .unwrap()
                    .run(passes, &|| true)
                    .unwrap()
                    .unwrap()
            };
            let sizes = [0, 1, 3, usize::MAX].map(|passes| {
                let m = run(passes);
                assert!(m.is_within(&p));
                let cover = minimum_vertex_cover(&p, &m).unwrap();
                assert!(cover.covers(&p).unwrap() && cover.size() == m.size);
                m.size
            });
            assert!(sizes.iter().all(|&size| size == sizes[0]));
        }
    }

    /// The theorem behind the bound: after each pass the shortest paths are longer.
    #[test]
    fn shortest_paths_grow() {
        let mut most = 0;
        for p in patterns() {
            let mut search = Search::new(&p, Matching::empty(p.rows(), p.cols()).unwrap()).unwrap();
            let mut entered = vec![false; p.rows()];
            let (mut passes, mut before) = (0, None);
            while let Some(level) = search.levels().unwrap() {
                let length = level.iter().copied().filter(|&l| l != NONE).max();
                // Levels end with the first row that has an unmatched neighbour.
                let unmatched = |&j: &u32| search.matching.row(j as usize).is_none();
                let ends = (0..p.rows()).filter(|&i| p.row(i).iter().any(unmatched)).map(|i| level[i]);
                assert_eq!(ends.min(), length);
                assert!(before < length);
                before = length;
                let size = search.matching.size;
                assert!(search.shortest_paths(&|| true, &mut entered).unwrap() && search.matching.size > size);
                passes += 1;
            }
            assert!(!search.shortest_paths(&|| true, &mut entered).unwrap());
            assert!(passes <= 2 * search.matching.size.isqrt() + 2);
            most = most.max(passes);
        }
        assert!(most >= 5, "the patterns are too easy: {most} passes");
    }

    /// Whenever a search is no longer wanted, it ends without an answer, and never with a matching that is not maximum.
    #[test]
    fn a_search_that_is_not_wanted_has_no_answer() {
        let mut cut = 0;
        for p in patterns() {
            let size = maximum_matching(&p).unwrap().size;
            for (passes, asked) in [0, 3].into_iter().flat_map(|passes| (0..60).map(move |asked: u32| (passes, asked)))
            {
                let left = Cell::new(asked);
                let wanted = || left.replace(left.get().saturating_sub(1)) > 0;
                let empty = Matching::empty(p.rows(), p.cols()).unwrap();
                let found = Search::new(&p, empty).unwrap().run(passes, &wanted).unwrap();
                cut += usize::from(found.is_none());
                assert!(found.is_none_or(|found| found.size == size), "{asked} times");
            }
        }
        assert!(cut > 100, "{cut}");
    }

    #[test]
    fn one_path_through_everything() {
        let n = 300_000;
        let p = Pattern::from_entries(n, n, (0..n).flat_map(|i| [(i, i), (i, (i + 1).min(n - 1))]));
        let m = Matching::from_pairs(n, n, (1..n as u32).map(|j| (j - 1, j))).unwrap();
        for passes in [0, 1] {
            let m = Search::new(&p, m.clone()).unwrap().run(passes, &|| true).unwrap().unwrap();
            assert!(m.size == n && m.is_within(&p));
        }
    }

    /// Asked before each pass: the answer is the same, or none.
    #[test]
    fn what_is_no_longer_wanted_is_left() {
        for p in patterns() {
            let size = maximum_matching(&p).unwrap().size;
            let (mut passes, mut given_up) = (0usize, 0);
            loop {
                let left = std::cell::Cell::new(passes);
                let wanted = || left.replace(left.get().saturating_sub(1)) > 0;
                match maximum_matching_while(&p, &wanted).unwrap() {
                    Some(found) => break assert_eq!(found.size, size),
                    None => (passes, given_up) = (passes + 1, given_up + 1),
                }
            }
            assert!(given_up >= 2, "before the first step and before the first pass");
        }
    }

    #[test]
    fn matched_lines_stay_matched() {
        for p in patterns() {
            let some = Matching::from_pairs(p.rows(), p.cols(), p.entries().next()).unwrap();
            let m = maximum_matching_from(&p, some.clone()).unwrap();
            assert!(some.col_of_row.iter().zip(&m.col_of_row).all(|(&before, &after)| before == NONE || after != NONE));
            assert!(some.row_of_col.iter().zip(&m.row_of_col).all(|(&before, &after)| before == NONE || after != NONE));
        }
    }
}
