//! Rows of S by sparse triangular solves with the pivot rows.
//!
//! Let pivot k be a(iₖ, jₖ), with a(iₖ, jₗ) = 0 for l < k. A row of A loses its entries in the pivot columns by
//! row -= row[jₖ]/a(iₖ, jₖ) · A[iₖ], k ascending: pivot row k changes only columns jₗ with l > k and columns without pivot.
//! What is left in the others is the row of S. Gilbert and Peierls (SIAM J. Sci. Stat. Comput. 9, 1988) first find the pivots
//! that a row meets by a depth-first search, so that the time grows with the multiply-adds and not with t. Here the pivots met
//! wait in a bit set that yields the least of them at once ([`Queue`]): one pass does both, and a pivot whose coefficient
//! cancels (on ±1 matrices many do) is never followed.
//!
//! Sums wait for reduction: see [`Arithmetic::ceiling`].

use crate::field::Modulus;
use crate::pivots::Pivots;
use crate::sparse::SparseMatrix;

/// How products are made and sums are kept small.
pub(super) trait Arithmetic: Copy + Send + Sync {
    /// A residue in memory.
    type Value: Copy + Send + Sync;
    fn new(modulus: Modulus) -> Self;
    fn modulus(self) -> Modulus;
    fn value(residue: u64) -> Self::Value;
    /// A number congruent to a·b, between 1 and (p-1)² if neither is 0.
    fn product(self, a: u64, b: Self::Value) -> u64;
    /// A multiple M of p, at least as large as every product, such that M plus a product is a word. From a sum in 1 … M and
    /// a product, [`add`](Arithmetic::add) makes a sum in 1 … M: sums are never 0, which says "nothing here yet".
    fn ceiling(self) -> u64;
    #[inline(always)]
    fn add(self, sum: u64, product: u64) -> u64 {
        let (s, ceiling) = (sum + product, self.ceiling());
        if s > ceiling { s - ceiling } else { s }
    }
}

/// Products of 32-bit residues, not reduced: for p up to [`Lazy::fits`].
#[derive(Clone, Copy)]
pub(super) struct Lazy {
    modulus: Modulus,
    ceiling: u64,
}

impl Lazy {
    /// The largest multiple M of p with M + (p-1)² < 2⁶⁴.
    fn ceiling_of(p: u64) -> u64 {
        let largest = (p - 1) as u128 * (p - 1) as u128;
        let room = u64::MAX as u128 - largest.min(u64::MAX as u128);
        (room / p as u128 * p as u128) as u64
    }
    /// Whether that M ≥ (p-1)²: up to about 2^31.5.
    pub(super) fn fits(modulus: Modulus) -> bool {
        let p = modulus.get();
        p < 1 << 32 && Self::ceiling_of(p) >= (p - 1) * (p - 1)
    }
}

impl Arithmetic for Lazy {
    type Value = u32;
    fn new(modulus: Modulus) -> Self {
        assert!(Self::fits(modulus), "{modulus} is too large for delayed reduction");
        Lazy { modulus, ceiling: Self::ceiling_of(modulus.get()) }
    }
    fn modulus(self) -> Modulus {
        self.modulus
    }
    fn value(residue: u64) -> u32 {
        residue as u32
    }
    #[inline(always)]
    fn product(self, a: u64, b: u32) -> u64 {
        a * b as u64
    }
    #[inline(always)]
    fn ceiling(self) -> u64 {
        self.ceiling
    }
}

/// Reduced products, for any p < 2⁶³: M = p.
#[derive(Clone, Copy)]
pub(super) struct Eager {
    modulus: Modulus,
}

impl Arithmetic for Eager {
    type Value = u64;
    fn new(modulus: Modulus) -> Self {
        Eager { modulus }
    }
    fn modulus(self) -> Modulus {
        self.modulus
    }
    fn value(residue: u64) -> u64 {
        residue
    }
    #[inline(always)]
    fn product(self, a: u64, b: u64) -> u64 {
        self.modulus.mul(a, b)
    }
    #[inline(always)]
    fn ceiling(self) -> u64 {
        self.modulus.get()
    }
}

/// A set of numbers that gives its least member, in time independent of its size: a bit a number, a bit a word of those, …
#[derive(Debug)]
struct Queue {
    levels: [Vec<u64>; 3],
    /// No word of the last level before this one has a bit.
    first: usize,
}

impl Queue {
    fn new(len: usize) -> Self {
        let level = |shift: u32| vec![0; len.div_ceil(1 << shift)];
        Queue { levels: [level(6), level(12), level(18)], first: 0 }
    }
    #[inline]
    fn insert(&mut self, mut x: usize) {
        for level in &mut self.levels {
            level[x >> 6] |= 1 << (x & 63);
            x >>= 6;
        }
    }
    /// Takes the least. While the set is not empty, nothing below what was taken may be put in.
    #[inline]
    fn pop(&mut self) -> Option<usize> {
        let [low, middle, high] = &mut self.levels;
        while *high.get(self.first)? == 0 {
            self.first += 1;
        }
        let y = self.first << 6 | high[self.first].trailing_zeros() as usize;
        let z = y << 6 | middle[y].trailing_zeros() as usize;
        let x = z << 6 | low[z].trailing_zeros() as usize;
        low[z] &= low[z] - 1;
        if low[z] == 0 {
            middle[y] &= middle[y] - 1;
            if middle[y] == 0 {
                high[self.first] &= high[self.first] - 1;
            }
        }
        Some(x)
    }
    fn restart(&mut self) {
        self.first = 0;
    }
}

/// The pivot rows as the solver reads them, each divided by minus its pivot.
///
/// Places: pivot k is place k, the other columns follow in ascending order.
pub(super) struct Triangle<K: Arithmetic> {
    arithmetic: K,
    pivots: usize,
    /// The place of each column of A.
    place: Vec<u32>,
    /// Row k: entries at places of pivots `start[k]..middle[k]`, at others `middle[k]..start[k + 1]`.
    start: Vec<usize>,
    middle: Vec<usize>,
    entries: Vec<(u32, K::Value)>,
}

/// What one thread needs to solve; clean between two rows.
pub(super) struct Workspace {
    sums: Vec<u64>,
    queue: Queue,
    touched: Vec<u32>,
}

impl<K: Arithmetic> Triangle<K> {
    /// Panics if the pivots are not triangular or zero.
    pub(super) fn new(a: &SparseMatrix, pivots: &Pivots, others: &[u32]) -> Self {
        let (p, t) = (a.modulus(), pivots.rows.len());
        let mut place = vec![0; a.cols()];
        pivots.cols.iter().chain(others).zip(0..).for_each(|(&j, s)| place[j as usize] = s);
        let nnz = pivots.rows.iter().map(|&i| a.row(i as usize).0.len()).sum::<usize>() - t;
        let mut u = Triangle {
            arithmetic: K::new(p),
            pivots: t,
            place,
            start: Vec::with_capacity(t + 1),
            middle: Vec::with_capacity(t),
            entries: Vec::with_capacity(nnz),
        };
        u.start.push(0);
        let mut outside = vec![];
        for (k, &i) in pivots.rows.iter().enumerate() {
            let (cols, values) = a.row(i as usize);
            let at = cols.binary_search(&pivots.cols[k]).expect("the pivot is an entry");
            let factor = p.multiplier(p.neg(p.inv(values[at])));
            for (&j, &v) in cols.iter().zip(values) {
                let s = u.place[j as usize];
                let entry = (s, K::value(p.mul_by(v, factor)));
                if s as usize >= t {
                    outside.push(entry);
                } else if s as usize != k {
                    assert!(s as usize > k, "pivots are not triangular");
                    u.entries.push(entry);
                }
            }
            u.middle.push(u.entries.len());
            u.entries.append(&mut outside);
            u.start.push(u.entries.len());
        }
        u
    }

    pub(super) fn modulus(&self) -> Modulus {
        self.arithmetic.modulus()
    }

    pub(super) fn workspace(&self) -> Workspace {
        Workspace { sums: vec![0; self.place.len()], queue: Queue::new(self.pivots), touched: vec![] }
    }

    /// The row of S that comes from `row`, behind what `out` holds: columns of S ascending, non-zero residues. Returns the
    /// number of multiply-adds.
    pub(super) fn solve(&self, row: (&[u32], &[u64]), w: &mut Workspace, out: &mut Vec<(u32, K::Value)>) -> u64 {
        let (k, p) = (self.arithmetic, self.modulus());
        for (&j, &v) in row.0.iter().zip(row.1) {
            let s = self.place[j as usize];
            w.sums[s as usize] = v;
            if (s as usize) < self.pivots {
                w.queue.insert(s as usize);
            } else {
                w.touched.push(s);
            }
        }
        let mut work = 0;
        while let Some(at) = w.queue.pop() {
            let coefficient = p.reduce(std::mem::take(&mut w.sums[at]));
            if coefficient == 0 {
                continue;
            }
            let (start, middle, end) = (self.start[at], self.middle[at], self.start[at + 1]);
            work += (end - start) as u64;
            for &(s, v) in &self.entries[start..middle] {
                let sum = &mut w.sums[s as usize];
                if *sum == 0 {
                    w.queue.insert(s as usize);
                }
                *sum = k.add(*sum, k.product(coefficient, v));
            }
            for &(s, v) in &self.entries[middle..end] {
                let sum = &mut w.sums[s as usize];
                if *sum == 0 {
                    w.touched.push(s);
                }
                *sum = k.add(*sum, k.product(coefficient, v));
            }
        }
        w.queue.restart();
        self.gather(w, out);
        work
    }

    /// Empties the sums into `out`.
    fn gather(&self, w: &mut Workspace, out: &mut Vec<(u32, K::Value)>) {
        let p = self.modulus();
        let others = &mut w.sums[self.pivots..];
        // A sort costs some nanoseconds for each entry and bit of their number, the walk about one for each column.
        if w.touched.len() * 16 > others.len() {
            // Every column is written down, and kept if it is not zero: no branch to predict.
            let mut count = out.len();
            out.resize(count + others.len(), (0, K::value(0)));
            for (s, sum) in others.iter_mut().enumerate() {
                let v = p.reduce(std::mem::take(sum));
                out[count] = (s as u32, K::value(v));
                count += (v != 0) as usize;
            }
            out.truncate(count);
        } else {
            w.touched.sort_unstable();
            for &s in &w.touched {
                let v = p.reduce(std::mem::take(&mut w.sums[s as usize]));
                if v != 0 {
                    out.push((s - self.pivots as u32, K::value(v)));
                }
            }
        }
        w.touched.clear();
    }
}

/// The lines of 0 … len that are not `taken`, ascending.
pub(super) fn others(len: usize, taken: &[u32]) -> Vec<u32> {
    let mut other = vec![true; len];
    taken.iter().for_each(|&x| other[x as usize] = false);
    (0..len as u32).filter(|&x| other[x as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn sums_stay_words_up_to_the_last_prime_that_fits() {
        let fits = |p: u64| Lazy::fits(Modulus::new(p).unwrap());
        // 2⁶³ = (2^31.5)²: neighbouring primes on both sides of the edge, found by the inequality itself.
        let prime = |mut p: u64, up: bool| {
            while Modulus::new(p).is_err() {
                p = if up { p + 1 } else { p - 1 };
            }
            p
        };
        let edge = 3_037_000_499;
        let (below, above) = (prime(edge - 3, false), prime(edge + 3, true));
        assert!(fits(below) && !fits(above) && !fits(4_294_967_311) && fits(2));
        for p in [2, 3, 65521, (1 << 31) - 1, below] {
            let k = Lazy::new(Modulus::new(p).unwrap());
            let largest = (p - 1) * (p - 1);
            assert!(k.ceiling() % p == 0 && k.ceiling() >= largest && k.ceiling().checked_add(largest).is_some());
            for sum in [1, k.ceiling() - 1, k.ceiling()] {
                let next = k.add(sum, largest);
                assert!((1..=k.ceiling()).contains(&next));
                assert_eq!(next as u128 % p as u128, (sum as u128 + largest as u128) % p as u128);
            }
        }
    }

    #[test]
    fn a_queue_gives_its_members_in_order() {
        let mut rng = Rng::seed_from_u64(5);
        for len in [0, 1, 64, 65, 5000, 300_000] {
            let mut queue = Queue::new(len);
            for _ in 0..3 {
                let mut set = std::collections::BTreeSet::new();
                for _ in 0..len.min(300) {
                    let x = rng.random_range(0..len);
                    set.insert(x);
                    queue.insert(x);
                }
                while let Some(x) = set.pop_first() {
                    assert_eq!(queue.pop(), Some(x));
                    if rng.random_range(0..3) == 0 && x + 1 < len {
                        let y = rng.random_range(x + 1..len);
                        set.insert(y);
                        queue.insert(y);
                    }
                }
                assert_eq!(queue.pop(), None);
                queue.restart();
            }
        }
    }
}
