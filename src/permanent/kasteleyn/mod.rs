//! Permanents of planar matrices: if the bipartite graph of A (rows and columns the vertices, entries the edges) can be
//! drawn in the plane, then perm A = ±det(K ∘ A) for signs K (Kasteleyn 1963), and a determinant is cheap.
//!
//! 1. `graph::embed` decides whether the graph is planar and gives an embedding;
//!    `pfaffian_orientation` verifies it by Euler's formula and finds K.
//! 2. Kasteleyn: sgn σ · Π K(i, σ(i)) is the same for every perfect matching σ, whatever the entries are. One perfect
//!    matching determines the ± above, so that entries of any sign and size are allowed.
//! 3. The determinant is computed mod a large prime with pivots chosen for low fill-in, and repeated mod as many 31-bit
//!    primes as the proven bound on |perm A| requires ([`crate::elimination::Replay`]); a prime that divides one of the
//!    pivots gets its own elimination.
//!
//! Nothing here is random: the answer is proven. Entry: [`Planar::new`], then [`Planar::permanent`].

#[cfg(test)]
mod tests;

use super::{Exact, IntMatrix};
use crate::cost::Permanent;
use crate::elimination::{self, LANES, Replay};
use crate::field::Modulus;
use crate::graph::{self, Fault, Graph, pfaffian_orientation};
use crate::integers::{Bound, Multimodular};
use crate::matching::maximum_matching;
use crate::sparse::{Integer, Pattern, Triplets};
use crate::{Error, Observer, Result, memory};

/// The prime that determines the order of pivots: 2⁶³ - 25, the largest modulus, is least likely to divide a pivot.
const ORDER: u64 = (1 << 63) - 25;

/// A planar matrix with its signs.
#[derive(Debug)]
pub struct Planar {
    pattern: Pattern,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// There is no perfect matching: the permanent is 0.
    Unmatched,
    /// K ∘ A, and whether its determinant is the negative of the permanent.
    Signed { signed: Triplets, negate: bool },
}

impl Planar {
    /// The matrix with Kasteleyn's signs, or `None` if it is not planar.
    ///
    /// # Errors
    /// [`Error::Check`] if the embedding fails its verification, which would be a bug.
    pub fn new(matrix: &IntMatrix) -> Result<Option<Self>> {
        let pattern = matrix.pattern()?;
        let graph = Graph::bipartite(&pattern);
        let Some(rotation) = graph::embed(&graph) else { return Ok(None) };
        let n = matrix.n();
        let matching = maximum_matching(&pattern)?;
        let kind = match pfaffian_orientation(&graph, &rotation) {
            Err(Fault::NotPlane) => return Err(Error::Check("an embedding in the plane fails Euler's formula".into())),
            _ if matching.size < n => Kind::Unmatched,
            Err(Fault::OddComponent) => {
                return Err(Error::Check("a component with a perfect matching cannot be signed".into()));
            }
            Ok(minus) => {
                let entries = matrix.entries().zip(&minus);
                let signed =
                    entries.map(|((i, j, v), &minus)| (i, j, if minus { -v.to_bigint() } else { v.to_bigint() }));
                let signed = Triplets::try_from_entries(n, n, signed)?;
                let pairs = (0..n as u32).zip(matching.col_of_row.iter().copied());
                let pairs: Vec<(u32, u32)> = memory::collect(pairs, "the pairs of a matching")?;
                let edges = pattern.entries().zip(&minus);
                let signs = edges.filter(|&((i, j), &minus)| minus && matching.col_of_row[i as usize] == j).count();
                Kind::Signed { signed, negate: elimination::is_odd(&pairs)? != (signs % 2 == 1) }
            }
        };
        Ok(Some(Planar { pattern, kind }))
    }

    /// Predicted seconds of one thread and bytes for all threads, for a permanent within `bound`: groups of [`LANES`]
    /// primes, each for the fill of a planar graph, n^1.5 (R. J. Lipton, D. J. Rose, R. E. Tarjan, 1979).
    pub fn predict(&self, bound: Bound, prices: &Permanent) -> (f64, f64) {
        let groups = (bound.bits / 31 / LANES as u64 + 1) as f64;
        let n = self.pattern.rows() as f64;
        let bytes = 64.0 * n.powf(1.5) * rayon::current_num_threads() as f64;
        (groups * prices.determinant * n.powf(1.5) + prices.vertex * n, bytes)
    }

    /// The permanent mod p.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn permanent_mod(&self, modulus: Modulus, observer: &dyn Observer) -> Result<u64> {
        match &self.kind {
            Kind::Unmatched => Ok(0),
            Kind::Signed { signed, negate } => {
                let det = elimination::determinant(&signed.try_reduce(modulus)?, observer)?.value;
                Ok(if *negate { modulus.neg(det) } else { det })
            }
        }
    }

    /// The permanent, proven by as many primes as the given bound requires. Parallel over groups of primes.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn permanent(&self, bound: Bound, observer: &dyn Observer) -> Result<Exact> {
        let Kind::Signed { signed, negate } = &self.kind else { return Ok(Exact::integer(0)) };
        let order = elimination::determinant(&signed.try_reduce(Modulus::new(ORDER)?)?, observer)?;
        // Singular mod a large prime, and therefore presumably over the integers: this is checked mod every prime.
        let regular = order.pivots.len() == self.pattern.rows();
        let replay = regular.then(|| Replay::new(&order.pivots, |i| self.pattern.row(i as usize))).transpose()?;
        let entries: Vec<Integer<'_>> = signed.entries().map(|(_, _, v)| v).collect();
        let own = |p: Modulus| Ok(elimination::determinant(&signed.try_reduce(p)?, observer)?.value);
        let integer = Multimodular {
            bound,
            prime_bits: 31,
            group: if regular { LANES } else { 1 },
            phase: "determinants mod primes",
            observer,
        };
        let found = integer.proven(|group| {
            let known = match &replay {
                Some(replay) => self.repeat(replay, &entries, group)?,
                None => vec![None; group.len()],
            };
            let determinants = group.iter().zip(known).map(|(&p, value)| value.map_or_else(|| own(p), Ok));
            let sign = |(&p, value): (&Modulus, Result<u64>)| value.map(|v| if *negate { p.neg(v) } else { v });
            group.iter().zip(determinants).map(sign).collect()
        })?;
        Ok(Exact::assembled(bound, found))
    }

    /// The determinant mod each prime with one order of pivots; `None` where a prime divides one of them.
    fn repeat(&self, replay: &Replay, entries: &[Integer<'_>], primes: &[Modulus]) -> Result<Vec<Option<u64>>> {
        replay.determinants(primes, |i, entry| {
            let row = self.pattern.row_starts()[i as usize]..self.pattern.row_starts()[i as usize + 1];
            for k in row {
                entry(self.pattern.columns()[k], &|p| match &entries[k] {
                    Integer::Small(v) => p.reduce_i64(*v),
                    Integer::Big(v) => p.reduce_bigint(v),
                });
            }
        })
    }
}
