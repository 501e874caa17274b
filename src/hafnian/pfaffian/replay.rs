//! Pfaffians mod many primes of one sparse skew-symmetric matrix: the pairs of one elimination are repeated mod the
//! others, [`LANES`] at a time.
//!
//! The places of all entries, fill-in included, follow without arithmetic: eliminating (v, u) joins all neighbours of
//! the two. Each place has a *slot*; a step is a list of neighbours, the slots of their entries in the two rows, and
//! the slots of all pairs of them. Residues are in Montgomery form mod primes below 2³¹ (P. L. Montgomery, Math. Comp.
//! 44, 1985): a sum of two products is at most 2p² < p·2³², so that one reduction gives a residue below 2p.

use crate::field::Modulus;
use crate::isa::{Isa, Kernel};
use crate::{Observer, Result, memory};
use std::collections::BTreeMap;

/// Primes that one pass serves.
pub(super) const LANES: usize = 16;

/// A residue for each prime of a pass.
type Lanes = [u32; LANES];

/// What the memory is for.
const PLACES: &str = "the places of a Pfaffian's elimination";
const RESIDUES: &str = "the residues of a Pfaffian's elimination";

/// The slot of an entry that is always 0.
const ZERO: u32 = 0;

/// One pair of pivots.
#[derive(Debug)]
struct Step {
    /// The slot of the pivot, and whether it holds K_uv = -K_vu.
    pivot: u32,
    flip: bool,
    /// The slots of (v, a) and (u, a) for each neighbour a, and whether they hold the negatives.
    sides: Vec<[(u32, bool); 2]>,
    /// Slots of the pairs (a, b) of neighbours with a before b, row by row.
    joins: Vec<u32>,
}

/// The fixed sequence of operations of an elimination. The slot of an entry holds K_ab with a < b.
#[derive(Debug)]
pub(super) struct Replay {
    steps: Vec<Step>,
    /// The slot of each edge.
    edges: Vec<u32>,
    slots: usize,
}

impl Replay {
    /// The elimination of matrices with entries at the given places (a, b), a < b, by the given pairs.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
    pub fn new(
        n: usize,
        pairs: &[(u32, u32)],
        edges: impl Iterator<Item = (u32, u32)>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let mut slots = ZERO as usize + 1;
        let mut rows: Vec<BTreeMap<u32, u32>> = memory::collect((0..n).map(|_| BTreeMap::new()), PLACES)?;
        let mut numbers = vec![];
        for (a, b) in edges {
            memory::push(&mut numbers, slots as u32, PLACES)?;
            rows[a as usize].insert(b, slots as u32);
            rows[b as usize].insert(a, slots as u32);
            slots += 1;
        }
        let mut steps = memory::with_capacity(pairs.len(), PLACES)?;
        for &(v, u) in pairs {
            observer.check()?;
            let (of_v, of_u) = (std::mem::take(&mut rows[v as usize]), std::mem::take(&mut rows[u as usize]));
            let mut others: Vec<u32> = of_v.keys().chain(of_u.keys()).copied().filter(|&a| a != v && a != u).collect();
            others.sort_unstable();
            others.dedup();
            let side = |row: &BTreeMap<u32, u32>, own: u32, a: u32| (row.get(&a).copied().unwrap_or(ZERO), a < own);
            let sides = others.iter().map(|&a| [side(&of_v, v, a), side(&of_u, u, a)]);
            let sides = memory::collect(sides, PLACES)?;
            let mut joins = memory::with_capacity(others.len() * others.len().saturating_sub(1) / 2, PLACES)?;
            for (k, &a) in others.iter().enumerate() {
                rows[a as usize].remove(&v);
                rows[a as usize].remove(&u);
                for &b in &others[k + 1..] {
                    let slot = *rows[a as usize].entry(b).or_insert_with(|| {
                        slots += 1;
                        slots as u32 - 1
                    });
                    rows[b as usize].insert(a, slot);
                    joins.push(slot);
                }
            }
            let pivot = *of_v.get(&u).expect("a pivot is an entry");
            steps.push(Step { pivot, flip: u < v, sides, joins });
        }
        Ok(Replay { steps, edges: numbers, slots })
    }

    /// Pairs of neighbours that steps join.
    #[cfg(test)]
    pub fn joins(&self) -> usize {
        self.steps.iter().map(|step| step.joins.len()).sum()
    }

    /// The products of the pivots K_vu mod up to [`LANES`] primes below 2³¹; `None` for a prime that divides one of
    /// them. `residue` returns that of the k-th edge.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If there are no or too many primes, or one is 2 or at least 2³¹.
    pub fn products(&self, primes: &[Modulus], residue: impl Fn(usize, Modulus) -> u64) -> Result<Vec<Option<u64>>> {
        assert!((1..=LANES).contains(&primes.len()), "{} primes in {LANES} lanes", primes.len());
        // Lanes without a prime of their own repeat the first.
        let primes_of_lanes: [Modulus; LANES] = std::array::from_fn(|l| *primes.get(l).unwrap_or(&primes[0]));
        let mut values = memory::filled([0; LANES], self.slots, RESIDUES)?;
        for (k, &slot) in self.edges.iter().enumerate() {
            values[slot as usize] = primes_of_lanes.map(|p| p.reduce(residue(k, p) << 32) as u32);
        }
        let widest = self.steps.iter().map(|step| step.sides.len()).max().unwrap_or(0);
        let rows = memory::filled([[0; LANES]; 4], widest, RESIDUES)?;
        let found = Isa::best().run(Run { replay: self, primes: primes_of_lanes, values, rows });
        Ok(found.into_iter().take(primes.len()).collect())
    }
}

/// Arithmetic in Montgomery form, R = 2³².
struct Montgomery {
    p: [u64; LANES],
    /// -1/p mod 2³².
    inverse: [u64; LANES],
}

impl Montgomery {
    fn new(primes: [Modulus; LANES]) -> Self {
        let inverse = primes.map(|p| {
            assert!(p.get() % 2 == 1 && p.get() < 1 << 31, "odd primes below 2^31");
            // Newton: each step doubles the number of right bits.
            let p = p.get() as u32;
            let x = (0..5).fold(p, |x, _| x.wrapping_mul(2u32.wrapping_sub(p.wrapping_mul(x))));
            u64::from(x.wrapping_neg())
        });
        Montgomery { p: primes.map(Modulus::get), inverse }
    }
    /// x/R mod p for x < p·2³², below p.
    #[inline(always)]
    fn reduce(&self, l: usize, x: u64) -> u32 {
        let m = ((x & 0xffff_ffff) * self.inverse[l]) & 0xffff_ffff;
        let t = (x + m * self.p[l]) >> 32;
        t.min(t.wrapping_sub(self.p[l])) as u32
    }
    #[inline(always)]
    fn mul(&self, a: Lanes, b: Lanes) -> Lanes {
        std::array::from_fn(|l| self.reduce(l, u64::from(a[l]) * u64::from(b[l])))
    }
    #[inline(always)]
    fn negate(&self, a: Lanes) -> Lanes {
        std::array::from_fn(|l| if a[l] == 0 { 0 } else { self.p[l] as u32 - a[l] })
    }
}

/// All steps in all lanes.
struct Run<'a> {
    replay: &'a Replay,
    primes: [Modulus; LANES],
    values: Vec<Lanes>,
    /// For each neighbour a: K_va, K_ua, and the same divided by the pivot, the first negated.
    rows: Vec<[Lanes; 4]>,
}

impl Kernel for Run<'_> {
    type Output = [Option<u64>; LANES];

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Run { replay, primes, mut values, mut rows } = self;
        let m = Montgomery::new(primes);
        let mut product: [Option<u64>; LANES] = [Some(1); LANES];
        for step in &replay.steps {
            let stored = values[step.pivot as usize];
            let pivot = if step.flip { m.negate(stored) } else { stored };
            let mut inverse = [0; LANES];
            for l in 0..LANES {
                let (p, plain) = (primes[l], u64::from(m.reduce(l, u64::from(pivot[l]))));
                product[l] = product[l].filter(|_| plain != 0).map(|x| p.mul(x, plain));
                inverse[l] = if plain == 0 { 0 } else { p.reduce(p.inv(plain) << 32) as u32 };
            }
            for (row, sides) in rows.iter_mut().zip(&step.sides) {
                let [of_v, of_u] = sides.map(|(slot, flip)| {
                    let value = values[slot as usize];
                    if flip { m.negate(value) } else { value }
                });
                *row = [of_v, of_u, m.negate(m.mul(of_v, inverse)), m.mul(of_u, inverse)];
            }
            let mut joins = step.joins.iter();
            let rows = &rows[..step.sides.len()];
            for (k, [_, _, minus_v, plus_u]) in rows.iter().enumerate() {
                for [of_v, of_u, _, _] in &rows[k + 1..] {
                    let slot = *joins.next().expect("a slot for each pair") as usize;
                    let value = &mut values[slot];
                    for l in 0..LANES {
                        // K_ua·K_vb/α - K_va·K_ub/α: two products below p² each.
                        let sum =
                            u64::from(plus_u[l]) * u64::from(of_v[l]) + u64::from(minus_v[l]) * u64::from(of_u[l]);
                        let next = value[l] + m.reduce(l, sum);
                        value[l] = next.min(next.wrapping_sub(m.p[l] as u32));
                    }
                }
            }
        }
        product
    }
}
