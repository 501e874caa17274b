//! Determinants mod many primes of one sparse integer matrix: the pivots of one elimination are repeated mod the
//! others.
//!
//! Once the order of the pivots is known, the places of L and U follow without arithmetic, and the elimination becomes
//! a fixed sequence of multiply-adds that [`LANES`] primes share: every entry is a vector of residues, one a prime. Row
//! i of the permuted matrix is reduced by the rows before it (Doolittle's order): for each k < i with an entry, w ← w -
//! (w_k/u_kk)·U_k.
//!
//! Primes stay below 2³¹. A sum w takes products of two residues, each at most (p-1)², and is brought below p² by one
//! conditional subtraction of p² after each: w + (p-1)² < 2p² < 2⁶³. No division until the row is done.
//!
//! A pivot (but the last) that vanishes mod a prime says that the order is wrong for it: that lane is left out of the
//! answer, and its prime needs a separate elimination.

use crate::decomposition::is_odd;
use crate::field::Modulus;
use crate::isa::{Isa, Kernel};
use crate::{Result, memory};

/// Primes that one pass serves.
pub const LANES: usize = 16;

/// One residue (or sum) for each prime of a pass.
type Lanes<T> = [T; LANES];

/// What the memory is for.
const PLACES: &str = "the entries of L + U";
const RESIDUES: &str = "the residues of L + U";

/// The fixed sequence of operations of an elimination: the matrix permuted so that its pivots are the diagonal.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Row k of the permuted matrix is row `rows[k]`; column j becomes column `place[j]`.
    rows: Vec<u32>,
    place: Vec<u32>,
    odd: bool,
    /// `col[start[i]..start[i + 1]]`: the columns of row i of L + U, ascending; `diagonal[i]` is the position of column
    /// i.
    start: Vec<usize>,
    diagonal: Vec<usize>,
    col: Vec<u32>,
}

impl Replay {
    /// The elimination of the n × n matrices with entries in `cols_of_row` by the given n pivots (row, column) in their
    /// order.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), for the places of L + U.
    ///
    /// # Panics
    /// Unless the pivots are those of a permutation.
    pub fn new<'a>(pivots: &[(u32, u32)], cols_of_row: impl Fn(u32) -> &'a [u32]) -> Result<Self> {
        let n = pivots.len();
        let mut place = memory::filled(u32::MAX, n, PLACES)?;
        pivots.iter().enumerate().for_each(|(k, &(_, j))| place[j as usize] = k as u32);
        let (mut start, mut diagonal) = (memory::with_capacity(n + 1, PLACES)?, memory::with_capacity(n, PLACES)?);
        let mut col = Vec::<u32>::new();
        start.push(0);
        let mut row_of = memory::filled(u32::MAX, n, PLACES)?;
        // Columns of the row in work that are still to be read, smallest first.
        let mut waiting = std::collections::BinaryHeap::new();
        for (i, &(row, _)) in pivots.iter().enumerate() {
            let mut add = |c: u32, waiting: &mut std::collections::BinaryHeap<_>| {
                if std::mem::replace(&mut row_of[c as usize], i as u32) != i as u32 {
                    waiting.push(std::cmp::Reverse(c));
                }
            };
            cols_of_row(row).iter().for_each(|&j| add(place[j as usize], &mut waiting));
            add(i as u32, &mut waiting);
            while let Some(std::cmp::Reverse(c)) = waiting.pop() {
                memory::reserve(&mut col, 1, PLACES)?;
                col.push(c);
                if (c as usize) < i {
                    let upper: std::ops::Range<usize> = diagonal[c as usize] + 1..start[c as usize + 1];
                    upper.for_each(|k| add(col[k], &mut waiting));
                } else if c as usize == i {
                    diagonal.push(col.len() - 1);
                }
            }
            start.push(col.len());
        }
        let rows = memory::collect(pivots.iter().map(|&(i, _)| i), PLACES)?;
        Ok(Replay { rows, place, odd: is_odd(pivots)?, start, diagonal, col })
    }

    /// Entries of L + U.
    pub fn fill(&self) -> usize {
        self.col.len()
    }

    /// Multiply-adds of one determinant.
    pub fn products(&self) -> usize {
        let upper = |k: u32| self.start[k as usize + 1] - self.diagonal[k as usize] - 1;
        let row = |i: usize| self.col[self.start[i]..self.diagonal[i]].iter().map(|&k| upper(k)).sum::<usize>();
        (0..self.rows.len()).map(row).sum()
    }

    /// The determinants mod up to [`LANES`] primes below 2³¹ of the matrix with the entries `entries_of_row` (column
    /// and residue mod each of the primes); `None` for a prime that divides a pivot before the last.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), for residues mod all primes of L + U.
    ///
    /// # Panics
    /// If there are no or too many primes, one is 2³¹ or more, or an entry lies where the matrix of [`Replay::new`] had
    /// none.
    pub fn determinants(
        &self,
        primes: &[Modulus],
        entries_of_row: impl Fn(u32, &mut dyn FnMut(u32, &dyn Fn(Modulus) -> u64)),
    ) -> Result<Vec<Option<u64>>> {
        assert!((1..=LANES).contains(&primes.len()), "{} primes in {LANES} lanes", primes.len());
        assert!(primes.iter().all(|p| p.get() < 1 << 31), "primes below 2^31");
        // Lanes without a prime of their own repeat the first.
        let lane_primes: Lanes<Modulus> = std::array::from_fn(|l| *primes.get(l).unwrap_or(&primes[0]));
        let mut values = memory::zeros::<Lanes<u32>>(self.col.len(), RESIDUES)?;
        let mut sum = memory::zeros::<Lanes<u64>>(self.rows.len(), RESIDUES)?;
        let mut inverse = memory::zeros::<Lanes<u64>>(self.rows.len(), RESIDUES)?;
        for (i, &row) in self.rows.iter().enumerate() {
            let cols = &self.col[self.start[i]..self.start[i + 1]];
            entries_of_row(row, &mut |j, residue| {
                let at = cols.binary_search(&self.place[j as usize]).expect("an entry of the pattern");
                values[self.start[i] + at] = lane_primes.map(|p| residue(p) as u32);
            });
        }
        let (sum, inverse) = (&mut sum[..], &mut inverse[..]);
        let dets = Isa::best().run(Pass { replay: self, primes: lane_primes, values: &mut values, sum, inverse });
        Ok(dets.into_iter().take(primes.len()).collect())
    }
}

/// The elimination in all lanes; `values` hold the matrix in the places of L + U, `sum` and `inverse` a zero for each
/// row.
struct Pass<'a> {
    replay: &'a Replay,
    primes: Lanes<Modulus>,
    values: &'a mut [Lanes<u32>],
    sum: &'a mut [Lanes<u64>],
    inverse: &'a mut [Lanes<u64>],
}

impl Kernel for Pass<'_> {
    type Output = Vec<Option<u64>>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Pass { replay, primes, values, sum, inverse } = self;
        let Replay { start, diagonal, col, .. } = replay;
        let n = diagonal.len();
        let square: Lanes<u64> = primes.map(|p| p.get() * p.get());
        let mut det: Lanes<Option<u64>> = [Some(1); LANES];
        for i in 0..n {
            let own = start[i]..start[i + 1];
            for k in own.clone() {
                sum[col[k] as usize] = values[k].map(u64::from);
            }
            for at in start[i]..diagonal[i] {
                let k = col[at] as usize;
                let factor: Lanes<u64> = std::array::from_fn(|l| {
                    let p = primes[l];
                    p.neg(p.reduce(p.reduce(sum[k][l]) * inverse[k][l]))
                });
                for place in diagonal[k] + 1..start[k + 1] {
                    let (upper, w) = (&values[place], &mut sum[col[place] as usize]);
                    for l in 0..LANES {
                        // Both factors below 2³²: one widening product. Then min(w, w - p²) without a branch: below p².
                        let next = w[l].wrapping_add((factor[l] & 0xffff_ffff) * u64::from(upper[l]));
                        w[l] = next.min(next.wrapping_sub(square[l]));
                    }
                }
            }
            for k in diagonal[i]..start[i + 1] {
                let w = &sum[col[k] as usize];
                values[k] = std::array::from_fn(|l| primes[l].reduce(w[l]) as u32);
            }
            for l in 0..LANES {
                let (p, pivot) = (primes[l], u64::from(values[diagonal[i]][l]));
                match &mut det[l] {
                    Some(det) if pivot != 0 => {
                        *det = p.mul(*det, pivot);
                        inverse[i][l] = p.inv(pivot);
                    }
                    // The last pivot divides nothing.
                    Some(det) if i + 1 == n => *det = 0,
                    // The lane goes on with zeros and gives no answer.
                    det => *det = None,
                }
            }
        }
        let sign = |(det, p): (Option<u64>, Modulus)| det.map(|det| if replay.odd { p.neg(det) } else { det });
        det.into_iter().zip(primes).map(sign).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::elimination::determinant;
    use crate::field::{Rng, random_prime};
    use crate::sparse::{Integer, Pattern, Triplets};
    use rand::{RngExt, SeedableRng};

    /// Determinants by replay against an elimination mod each prime.
    fn compare(a: &Triplets, order: Modulus, primes: &[Modulus]) -> usize {
        let (pattern, pivots) = (Pattern::from(a), determinant(&a.reduce(order), &Silent).unwrap().pivots);
        assert_eq!(pivots.len(), a.rows());
        let replay = Replay::new(&pivots, |i| pattern.row(i as usize)).unwrap();
        assert!(replay.fill() >= a.nnz());
        let mut rows: Vec<Vec<(u32, Integer<'_>)>> = vec![vec![]; a.rows()];
        a.entries().for_each(|(i, j, v)| rows[i].push((j as u32, v)));
        let found = replay.determinants(primes, |i, entry| {
            for (j, v) in &rows[i as usize] {
                entry(*j, &|p| p.reduce_bigint(&v.to_bigint()));
            }
        });
        let found = found.unwrap();
        assert_eq!(found.len(), primes.len());
        for (value, &p) in found.iter().zip(primes) {
            let expected = determinant(&a.reduce(p), &Silent).unwrap().value;
            assert!(value.is_none_or(|value| value == expected), "mod {p}");
        }
        found.iter().filter(|value| value.is_none()).count()
    }

    #[test]
    fn replays_agree_with_eliminations() {
        let mut rng = Rng::seed_from_u64(1);
        let largest = Modulus::new((1 << 31) - 1).unwrap();
        for round in 0..40 {
            let n = 1 + round;
            let mut primes: Vec<Modulus> = (0..round % LANES).map(|_| random_prime(31, &mut rng)).collect();
            primes.push(largest);
            let entries: Vec<_> = (0..4 * n)
                .map(|k| {
                    (k % n, if k < n { k } else { rng.random_range(0..n) }, rng.random_range(-(1i64 << 40)..1 << 40))
                })
                .collect();
            let a = Triplets::from_entries(n, n, entries);
            if determinant(&a.reduce(largest), &Silent).unwrap().value != 0 {
                compare(&a, largest, &primes);
            }
        }
    }

    #[test]
    fn the_largest_residues_do_not_overflow() {
        // (p - 1)·(J + I): dense, every product in the first steps is extreme.
        let p = Modulus::new((1 << 31) - 1).unwrap();
        let a = Triplets::from_entries(40, 40, (0..1600).map(|k| (k / 40, k % 40, if k % 41 == 0 { -2 } else { -1 })));
        assert_eq!(compare(&a, p, &[p; LANES]), 0);
    }

    #[test]
    fn a_vanishing_pivot_gives_no_answer() {
        let primes = [2, 3, 65521].map(|p| Modulus::new(p).unwrap());
        // The first pivot is 3; the second, 8/3, vanishes mod 2, but as the last one it says so: the determinant is 0.
        let a = Triplets::from_entries(2, 2, [(0, 0, 3), (0, 1, 1), (1, 0, 1), (1, 1, 3)]);
        assert_eq!(compare(&a, primes[2], &primes), 1);
    }
}
