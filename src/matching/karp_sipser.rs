//! A large matching in linear time: R. M. Karp, M. Sipser, *Maximum matchings in sparse random graphs*, FOCS 1981.
//!
//! A vertex with a single unmatched neighbour can always be paired with it: some maximum matching does. As long as
//! there is such a vertex, it is paired (rule 1); otherwise the next unmatched vertex takes its unmatched neighbour of
//! smallest degree (rule 2), the only step that can be suboptimal. Degrees count unmatched neighbours and are kept up
//! to date, so that rule 1 cascades. Every adjacency list is read at most twice: O(rows + cols + nnz).

use super::pairs::{MATCHING, Matching, NONE};
use crate::sparse::Pattern;
use crate::{Result, memory};

/// One class of vertices: the rows or the columns.
struct Side<'a> {
    pattern: &'a Pattern,
    mate: Vec<u32>,
    /// Number of unmatched neighbours.
    degree: Vec<u32>,
    /// Vertices whose degree dropped to 1; some may be matched or isolated by now. There is room for all: degrees never
    /// grow.
    single: Vec<u32>,
}

impl<'a> Side<'a> {
    fn new(pattern: &'a Pattern) -> Result<Self> {
        let degree = memory::collect((0..pattern.rows()).map(|i| pattern.degree(i) as u32), MATCHING)?;
        let mut single = memory::with_capacity(pattern.rows(), MATCHING)?;
        single.extend((0..pattern.rows() as u32).filter(|&i| degree[i as usize] == 1));
        Ok(Side { pattern, mate: memory::filled(NONE, pattern.rows(), MATCHING)?, degree, single })
    }

    /// Whether the vertex is unmatched and has an unmatched neighbour.
    fn open(&self, v: u32) -> bool {
        self.mate[v as usize] == NONE && self.degree[v as usize] > 0
    }

    /// The neighbours of a vertex of the other side that was just matched have one unmatched neighbour fewer.
    fn lose_neighbour(&mut self, neighbours: &[u32]) {
        for &v in neighbours {
            let degree = &mut self.degree[v as usize];
            *degree -= 1;
            if *degree == 1 {
                self.single.push(v);
            }
        }
    }
}

/// Pairs v of one side with its unmatched neighbour of smallest degree on the other.
fn pair(side: &mut Side, other: &mut Side, v: u32) {
    let neighbours = side.pattern.row(v as usize);
    let unmatched = neighbours.iter().filter(|&&w| other.mate[w as usize] == NONE);
    let &w = unmatched.min_by_key(|&&w| other.degree[w as usize]).expect("an open vertex has an unmatched neighbour");
    side.mate[v as usize] = w;
    other.mate[w as usize] = v;
    other.lose_neighbour(neighbours);
    side.lose_neighbour(other.pattern.row(w as usize));
}

/// A maximal matching, by the two rules. `transpose` is that of `pattern`.
pub(super) fn matching(pattern: &Pattern, transpose: &Pattern) -> Result<Matching> {
    let (mut rows, mut cols) = (Side::new(pattern)?, Side::new(transpose)?);
    // Rule 2 goes through the vertices of the smaller side, all of which may be matched.
    let swapped = rows.mate.len() > cols.mate.len();
    if swapped {
        std::mem::swap(&mut rows, &mut cols);
    }
    let mut next = 0..rows.mate.len() as u32;
    loop {
        if let Some(v) = rows.single.pop() {
            if rows.open(v) {
                pair(&mut rows, &mut cols, v);
            }
        } else if let Some(w) = cols.single.pop() {
            if cols.open(w) {
                pair(&mut cols, &mut rows, w);
            }
        } else if let Some(v) = next.find(|&v| rows.open(v)) {
            pair(&mut rows, &mut cols, v);
        } else {
            break;
        }
    }
    if swapped {
        std::mem::swap(&mut rows, &mut cols);
    }
    let size = rows.mate.iter().filter(|&&w| w != NONE).count();
    Ok(Matching { size, col_of_row: rows.mate, row_of_col: cols.mate })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use crate::matching::maximum_matching_from;
    use rand::{RngExt, SeedableRng};

    /// Forests always have a vertex with a single neighbour, so that rule 1 always applies.
    #[test]
    fn forests_are_matched_at_once() {
        let mut rng = Rng::seed_from_u64(7);
        for n in [2, 3, 10, 1000, 20_000] {
            for keep in [2, 10] {
                // Row or column k hangs on an earlier one of the other side; one edge in `keep` is cut.
                let mut ends = [vec![0], vec![]];
                let mut entries = vec![];
                for k in 1..n {
                    let side = if ends[1].is_empty() { 1 } else { rng.random_range(0..2) };
                    let other = ends[1 - side][rng.random_range(0..ends[1 - side].len())];
                    ends[side].push(k);
                    if rng.random_range(0..keep) > 0 {
                        entries.push(if side == 0 { (k, other) } else { (other, k) });
                    }
                }
                let p = Pattern::from_entries(n, n, entries);
                let m = matching(&p, &p.transpose()).unwrap();
                assert!(m.is_within(&p));
                assert_eq!(maximum_matching_from(&p, m.clone()).unwrap().size, m.size);
                assert_eq!(maximum_matching_from(&p, Matching::empty(n, n).unwrap()).unwrap().size, m.size);
            }
        }
    }

    #[test]
    fn the_matching_is_maximal() {
        let mut rng = Rng::seed_from_u64(8);
        for (rows, cols, nnz) in [(40, 40, 100), (100, 30, 400), (30, 100, 60)] {
            let entries = (0..nnz).map(|_| (rng.random_range(0..rows), rng.random_range(0..cols)));
            let p = Pattern::from_entries(rows, cols, entries);
            let m = matching(&p, &p.transpose()).unwrap();
            assert!(m.is_within(&p));
            assert!(p.entries().all(|(i, j)| m.col(i as usize).is_some() || m.row(j as usize).is_some()));
        }
    }
}
