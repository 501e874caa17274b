//! From any matching to a maximum one by augmenting paths.
//!
//! An augmenting path leads from an unmatched row to an unmatched column, over entries that are alternately outside and
//! inside the matching; exchanging them gives one pair more, and a matching without such a path is maximum (C. Berge, 1957).
//! Two ways to find many disjoint ones in a pass over the entries, O(nnz) each:
//!
//! 1. Depth first from every unmatched row, never entering a row twice in a pass, with lookahead: a row first asks for an
//!    unmatched neighbour before it goes deeper (A. Pothen, C.-J. Fan, *Computing the block triangular form of a sparse matrix*,
//!    ACM TOMS 16 (1990), §2). Best on real matrices, where a few passes do. A pass that finds nothing proves maximality.
//! 2. Breadth-first levels, then depth first along them (J. E. Hopcroft, R. M. Karp, SIAM J. Comput. 2 (1973)): shortest paths
//!    only, and at most 2√size + 2 such passes ever. It takes over where the first way has had its [`DEPTH_FIRST_PASSES`], so that
//!    the whole is O(nnz · √size).

use super::{Matching, NONE};
use crate::sparse::Pattern;

/// Passes of Pothen–Fan before Hopcroft–Karp takes over. Real matrices need 2 to 10; more are a sign of a bad case.
const DEPTH_FIRST_PASSES: usize = 16;

/// A maximum matching that grows out of `matching`: its rows and columns stay matched, though not always to each other.
///
/// # Panics
/// If `matching` does not have the shape of `pattern`.
pub fn maximum_matching_from(pattern: &Pattern, matching: Matching) -> Matching {
    augment(pattern, &pattern.transpose(), matching)
}

/// Like [`maximum_matching_from`]; `transpose` is that of `pattern`.
pub(super) fn augment(pattern: &Pattern, transpose: &Pattern, matching: Matching) -> Matching {
    assert_eq!((matching.col_of_row.len(), matching.row_of_col.len()), (pattern.rows(), pattern.cols()), "shape");
    let unmatched = |p: &Pattern, mate: &[u32]| (0..p.rows()).filter(|&v| mate[v] == NONE && p.degree(v) > 0).count();
    // Paths have an end on either side: they are sought from the side where there are fewer.
    if unmatched(pattern, &matching.col_of_row) <= unmatched(transpose, &matching.row_of_col) {
        Search::new(pattern, matching).run(DEPTH_FIRST_PASSES)
    } else {
        Search::new(transpose, matching.transpose()).run(DEPTH_FIRST_PASSES).transpose()
    }
}

/// A search for augmenting paths from the rows of a pattern.
struct Search<'a> {
    pattern: &'a Pattern,
    matching: Matching,
    /// Rows with entries that are unmatched: where paths begin.
    roots: Vec<u32>,
    /// For each row how many of its entries are known to lie in matched columns; columns stay matched, so this only grows.
    looked: Vec<u32>,
    /// For each row how many of its entries the present pass has followed.
    followed: Vec<u32>,
    /// The rows from the root to the present one.
    path: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(pattern: &'a Pattern, matching: Matching) -> Self {
        let roots = (0..pattern.rows() as u32)
            .filter(|&i| matching.col_of_row[i as usize] == NONE && pattern.degree(i as usize) > 0)
            .collect();
        let rows = pattern.rows();
        Search { pattern, matching, roots, looked: vec![0; rows], followed: vec![0; rows], path: vec![] }
    }

    fn run(mut self, depth_first_passes: usize) -> Matching {
        let mut entered = vec![false; self.pattern.rows()];
        for _ in 0..depth_first_passes {
            entered.fill(false);
            if self.pass(|_, i| !std::mem::replace(&mut entered[i as usize], true)) == 0 {
                return self.matching;
            }
        }
        while let Some(level) = self.levels() {
            entered.fill(false);
            self.pass(|from, i| {
                let (from, i) = (from as usize, i as usize);
                level[i] == level[from] + 1 && !std::mem::replace(&mut entered[i], true)
            });
        }
        self.matching
    }

    /// One search from every root; `enter(from, i)` says whether it may go on from row `from` to row i, and must not do so twice
    /// for one i. Returns the number of paths found.
    fn pass(&mut self, mut enter: impl FnMut(u32, u32) -> bool) -> usize {
        self.followed.fill(0);
        let mut roots = std::mem::take(&mut self.roots);
        let before = roots.len();
        roots.retain(|&root| !self.augment_from(root, &mut enter));
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
            // All neighbours are matched: on to the first row behind one that may be entered, or back.
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

    /// Matches the last row of the path to column j, its old column to the row before it, and so on up to the root.
    fn exchange(&mut self, mut j: u32) {
        while let Some(i) = self.path.pop() {
            self.matching.row_of_col[j as usize] = i;
            std::mem::swap(&mut self.matching.col_of_row[i as usize], &mut j);
        }
        self.matching.size += 1;
    }

    /// The number of pairs between the nearest root and each row, up to the least number at which a row has an unmatched
    /// neighbour; [`NONE`] beyond that and where no path leads. `None` if no row that can be reached has an unmatched
    /// neighbour: the matching is maximum.
    fn levels(&self) -> Option<Vec<u32>> {
        let mut level = vec![NONE; self.pattern.rows()];
        let mut queue = self.roots.clone();
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
        // Paths that are not shortest would spoil the bound on the number of passes.
        queue[k..].iter().for_each(|&i| level[i as usize] = NONE);
        (last != NONE).then_some(level)
    }
}
