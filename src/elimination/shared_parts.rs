//! Rows that are sums of two parts which other rows have as well: replaced by the parts, which span the same space.
//!
//! Let A = L·C, where each row of L has one or two entries: row i of A is a combination of one or two rows of C, its
//! *parts*. L is a graph with gains: the parts are its vertices, rows with two entries its edges, rows with one entry
//! half-edges. L·y = 0 says at each edge what one end is in terms of the other. In a connected component all of y
//! therefore follows from one vertex, y_u = μ_u·y_r with μ_u ≠ 0, along a spanning tree; and every other edge and every
//! half-edge either agrees with that or demands y = 0. So the rows of L span, in a component where one demands that,
//! all vectors; in any other one those orthogonal to μ, which the differences e_u - μ_u·e_r span (μ_r = 1). The rows of
//! A = L·C span accordingly what is spanned by
//!
//! - all parts c_u of a component of the first kind,
//! - the differences c_u - μ_u·c_r, u ≠ r, in one of the second kind, for a part r: the shortest one.
//!
//! That holds for any way to cut rows in two. (Gain graphs and their frame matroids: T. Zaslavsky, *Biased graphs II*,
//! J. Combin. Theory Ser. B 51, 1991: the rank is the number of vertices less that of the balanced components.)
//!
//! A product with a factor of two entries a row has far more entries than its factors, and a bound of the rank that is
//! too large; its parts are the other factor, found again.

use super::partners;
use crate::field::Modulus;
use crate::parallel::Each;
use crate::sparse::SparseMatrix;
use crate::{Result, memory};
use rayon::prelude::*;

/// What the memory is for.
const PARTS: &str = "parts of rows";
/// The set of all entries of a row, however many.
const ALL: u64 = u64::MAX;
/// Entries before and after: parts are taken where they have one in so many.
const WORTH: usize = 2;
/// Fewest entries of a matrix whose rows are compared.
const FEW: usize = 1 << 16;

/// Whether rows of so many entries may consist of parts.
pub fn may_share_parts(a: &SparseMatrix) -> bool {
    a.nnz() >= FEW && a.nnz() >= 4 * a.rows()
}

/// A matrix of at most half as many entries whose rows span what the rows of `a` span; `None` if rows share too little
/// for that. The same on any number of threads.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn shared_parts(a: &SparseMatrix) -> Result<Option<SparseMatrix>> {
    if !partners::is_worthwhile(a)? {
        return Ok(None);
    }
    match partners::parts(a)? {
        Some(parts) => replaced(a, &parts, a.nnz() / WORTH),
        None => Ok(None),
    }
}

/// Some entries of a row: a bit for each of them, or [`ALL`].
#[derive(Clone, Copy)]
struct Piece {
    row: u32,
    set: u64,
}

impl Piece {
    /// Its entries.
    fn entries(self, a: &SparseMatrix) -> impl Iterator<Item = (u32, u64)> + '_ {
        let (cols, values) = a.row(self.row as usize);
        let has = move |k: usize| self.set == ALL || self.set >> k & 1 == 1;
        cols.iter().copied().zip(values.iter().copied()).enumerate().filter(move |&(k, _)| has(k)).map(|(_, e)| e)
    }
    /// The first value.
    fn lead(self, a: &SparseMatrix) -> u64 {
        self.entries(a).next().map_or(1, |(_, v)| v)
    }
    /// Its entries, divided by the first value: the part that it is a multiple of.
    fn part(self, a: &SparseMatrix) -> impl Iterator<Item = (u32, u64)> + '_ {
        let (p, lead) = (a.modulus(), self.lead(a));
        let factor = p.inv(lead);
        self.entries(a).map(move |(j, v)| (j, if lead == 1 { v } else { p.mul(v, factor) }))
    }
    /// A hash of the part: equal parts have equal ones.
    fn hash(self, a: &SparseMatrix) -> u64 {
        const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
        let add = |h: u64, x: u64| (h.rotate_left(29) ^ x).wrapping_mul(MIX);
        self.part(a).fold(0, |h, (j, v)| add(add(h, j.into()), v))
    }
    fn len(self, a: &SparseMatrix) -> usize {
        if self.set == ALL { a.row(self.row as usize).0.len() } else { self.set.count_ones() as usize }
    }
}

/// [`shared_parts`] of rows that are cut like this, bit k of a row's set for its k-th entry; `None` if more than `most`
/// entries may be left.
fn replaced(a: &SparseMatrix, sets: &[u64], most: usize) -> Result<Option<SparseMatrix>> {
    let mut pieces = memory::with_capacity::<Piece>(2 * a.rows(), PARTS)?;
    for (row, &set) in (0..).zip(sets) {
        let count = a.row(row as usize).0.len();
        let all = if count < 64 { (1 << count) - 1 } else { ALL };
        match set & all {
            _ if count == 0 => {}
            set if set == 0 || set == all => pieces.push(Piece { row, set: ALL }),
            set => pieces.extend([set, all & !set].map(|set| Piece { row, set })),
        }
    }
    let (part, parts) = numbered(a, &pieces)?;
    let mut graph = Gains::new(a.modulus(), parts.len())?;
    let mut edges = pieces.iter().zip(&part).peekable();
    while let Some((piece, &u)) = edges.next() {
        match edges.next_if(|(next, _)| next.row == piece.row) {
            Some((other, &v)) => graph.join((u, piece.lead(a)), (v, other.lead(a))),
            None => graph.demand(u),
        }
    }
    graph.rows(a, &parts, most)
}

/// The number of each piece's part, and for each part its first piece. Parts are in the order of these.
fn numbered(a: &SparseMatrix, pieces: &[Piece]) -> Result<(Vec<u32>, Vec<Piece>)> {
    let mut hashed = memory::zeros::<(u64, u32)>(pieces.len(), PARTS)?;
    let each = hashed.par_iter_mut().with_min_len(1 << 10).zip(pieces).enumerate();
    each.each(|(k, (to, piece))| *to = (piece.hash(a), k as u32));
    hashed.par_sort_unstable();
    // The first of equal pieces, as far as neighbours of one hash are equal: perhaps two numbers for one part, which
    // does no harm, and seldom.
    let mut first = memory::zeros::<u32>(pieces.len(), PARTS)?;
    let mut last = None;
    for &(hash, k) in &hashed {
        let same = |&(h, l): &(u64, u32)| h == hash && pieces[l as usize].part(a).eq(pieces[k as usize].part(a));
        let of = *last.filter(same).get_or_insert((hash, k));
        first[k as usize] = of.1;
        last = Some(of);
    }
    drop(hashed);
    let mut parts = Vec::new();
    for k in 0..pieces.len() {
        // A part's number is known before it is asked for: the first piece comes first.
        first[k] = match first[k] as usize {
            own if own == k => {
                memory::push(&mut parts, pieces[k], PARTS)?;
                parts.len() as u32 - 1
            }
            own => first[own],
        };
    }
    Ok((first, parts))
}

/// A graph with gains: what L·y = 0 demands of y, as far as its rows were added.
struct Gains {
    modulus: Modulus,
    /// y of a vertex is a factor times y of another one, or the vertex is a root.
    parent: Vec<u32>,
    factor: Vec<u64>,
    /// Whether y = 0 in the component, by root.
    zero: Vec<bool>,
}

impl Gains {
    fn new(modulus: Modulus, vertices: usize) -> Result<Self> {
        let parent = memory::collect(0..vertices as u32, PARTS)?;
        let (factor, zero) = (memory::filled(1, vertices, PARTS)?, memory::filled(false, vertices, PARTS)?);
        Ok(Gains { modulus, parent, factor, zero })
    }
    /// The root r of u, and μ with y_u = μ·y_r.
    fn root(&mut self, mut u: u32) -> (u32, u64) {
        let (p, mut gain) = (self.modulus, 1);
        loop {
            let at = u as usize;
            let next = self.parent[at];
            if next == u {
                return (u, gain);
            }
            // Halves the path; the factor of a root is 1.
            self.factor[at] = p.mul(self.factor[at], self.factor[next as usize]);
            self.parent[at] = self.parent[next as usize];
            gain = p.mul(gain, self.factor[at]);
            u = self.parent[at];
        }
    }
    /// y_u = 0.
    fn demand(&mut self, u: u32) {
        let (root, _) = self.root(u);
        self.zero[root as usize] = true;
    }
    /// λ·y_u + κ·y_v = 0 for λ, κ ≠ 0.
    fn join(&mut self, (u, lambda): (u32, u64), (v, kappa): (u32, u64)) {
        let ((r, of_u), (s, of_v), p) = (self.root(u), self.root(v), self.modulus);
        let (of_r, of_s) = (p.mul(lambda, of_u), p.mul(kappa, of_v));
        if r == s {
            self.zero[r as usize] |= p.add(of_r, of_s) != 0;
        } else {
            self.parent[s as usize] = r;
            self.factor[s as usize] = p.neg(p.mul(of_r, p.inv(of_s)));
            self.zero[r as usize] |= self.zero[s as usize];
        }
    }
    /// The rows that span what L·C spans, where C has these rows.
    fn rows(mut self, a: &SparseMatrix, parts: &[Piece], most: usize) -> Result<Option<SparseMatrix>> {
        let p = self.modulus;
        let roots: Vec<(u32, u64)> = memory::collect((0..parts.len() as u32).map(|u| self.root(u)), PARTS)?;
        // By root the shortest part, of those the first.
        let mut shortest = memory::filled(u32::MAX, parts.len(), PARTS)?;
        for (u, &(root, _)) in (0..).zip(&roots) {
            let best = &mut shortest[root as usize];
            if *best == u32::MAX || parts[u as usize].len(a) < parts[*best as usize].len(a) {
                *best = u;
            }
        }
        let hub = |u: usize| (!self.zero[roots[u].0 as usize]).then_some(shortest[roots[u].0 as usize] as usize);
        let rows = || (0..parts.len()).filter(|&u| hub(u) != Some(u));
        let entries = rows().map(|u| parts[u].len(a) + hub(u).map_or(0, |r| parts[r].len(a))).sum();
        if entries > most {
            return Ok(None);
        }
        let mut spanning = SparseMatrix::empty(p, a.cols(), rows().count(), entries)?;
        let mut row = Vec::new();
        for u in rows() {
            row.extend(parts[u].part(a));
            if let Some(r) = hub(u) {
                let factor = p.neg(p.mul(roots[u].1, p.inv(roots[r].1)));
                row.extend(parts[r].part(a).map(|(j, v)| (j, p.mul(v, factor))));
                row.sort_unstable_by_key(|&(j, _)| j);
                row.dedup_by(|next, kept| {
                    let same = next.0 == kept.0;
                    if same {
                        kept.1 = p.add(kept.1, next.1);
                    }
                    same
                });
                row.retain(|&(_, v)| v != 0);
            }
            spanning.push_row(&mut row);
        }
        spanning.drop_empty_lines()?;
        Ok(Some(spanning))
    }
}

#[cfg(test)]
#[path = "shared_parts_tests.rs"]
mod tests;
