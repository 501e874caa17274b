//! The same walk modulo 2⁶⁴ and modulo primes below 2³¹: for entries or products too large for the exact engine.
//!
//! One pass over the chunks serves all moduli; within a chunk one follows the other, which keeps its rows and slots in the fastest
//! cache: residues share no products, and the row sums they could share are a few percent of the work.
//!
//! Modulo 2⁶⁴ words wrap; modulo p a product is P. L. Montgomery's (Math. Comp. 44, 1985) with R = 2³²: for a, b < p < 2³¹,
//! m = -a b / p mod R makes a b + m p a multiple of R below 2⁶⁴, and (a b + m p) / R < 2p.

use super::program::{Kind, LANES, Program, Tail};
use super::walk::Walk;
use crate::isa::{Isa, Kernel};
use num_bigint::{BigInt, BigUint, Sign};

/// Primes of the modular engine lie below this.
pub(super) const PRIME_LIMIT: u64 = 1 << 31;

/// The integers modulo a number; words in a form of the ring's own.
pub(super) trait Ring: Copy + Send + Sync {
    type Word: Copy + Default + Send + Sync;
    fn add(self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn sub(self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn mul(self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn of(self, x: &BigInt) -> Self::Word;
    fn residue(self, a: Self::Word) -> u64;
    /// The element whose bits a kernel returned.
    fn word(self, bits: u64) -> Self::Word;
}

/// Modulo 2⁶⁴.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrapping64;

/// The lowest 64 bits of the two's complement.
pub(super) fn low_bits(x: &BigInt) -> u64 {
    let low = x.iter_u64_digits().next().unwrap_or(0);
    if x.sign() == Sign::Minus { low.wrapping_neg() } else { low }
}

impl Ring for Wrapping64 {
    type Word = u64;
    #[inline(always)]
    fn add(self, a: u64, b: u64) -> u64 {
        a.wrapping_add(b)
    }
    #[inline(always)]
    fn sub(self, a: u64, b: u64) -> u64 {
        a.wrapping_sub(b)
    }
    #[inline(always)]
    fn mul(self, a: u64, b: u64) -> u64 {
        a.wrapping_mul(b)
    }
    fn of(self, x: &BigInt) -> u64 {
        low_bits(x)
    }
    fn residue(self, a: u64) -> u64 {
        a
    }
    fn word(self, bits: u64) -> u64 {
        bits
    }
}

/// Modulo an odd p < 2³¹, in Montgomery form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Montgomery31 {
    p: u32,
    /// -1/p mod 2³².
    negated_inverse: u32,
}

impl Montgomery31 {
    /// # Panics
    /// Unless p is odd and below 2³¹.
    pub fn new(p: u64) -> Self {
        assert!(p % 2 == 1 && p < PRIME_LIMIT, "an odd modulus below 2^31");
        let p = p as u32;
        // Newton: each step doubles the correct bits, from the 3 of p · p = 1 mod 8.
        let inverse = (0..4).fold(p, |x, _| x.wrapping_mul(2u32.wrapping_sub(p.wrapping_mul(x))));
        Montgomery31 { p, negated_inverse: inverse.wrapping_neg() }
    }

    /// p and -1/p mod 2³².
    pub fn parameters(self) -> [u32; 2] {
        [self.p, self.negated_inverse]
    }
}

impl Ring for Montgomery31 {
    type Word = u32;
    #[inline(always)]
    fn add(self, a: u32, b: u32) -> u32 {
        let sum = a + b;
        sum.min(sum.wrapping_sub(self.p))
    }
    #[inline(always)]
    fn sub(self, a: u32, b: u32) -> u32 {
        let difference = a.wrapping_sub(b);
        difference.min(difference.wrapping_add(self.p))
    }
    #[inline(always)]
    fn mul(self, a: u32, b: u32) -> u32 {
        let product = u64::from(a) * u64::from(b);
        let m = (product as u32).wrapping_mul(self.negated_inverse);
        let sum = ((product + u64::from(m) * u64::from(self.p)) >> 32) as u32;
        sum.min(sum.wrapping_sub(self.p))
    }
    fn of(self, x: &BigInt) -> u32 {
        let low = (x.magnitude() << 32u32) % BigUint::from(self.p);
        let low = low.iter_u32_digits().next().unwrap_or(0);
        if x.sign() == Sign::Minus { self.sub(0, low) } else { low }
    }
    fn residue(self, a: u32) -> u64 {
        self.mul(a, 1).into()
    }
    fn word(self, bits: u64) -> u32 {
        bits as u32
    }
}

/// What the engine sums, over the integers.
pub(super) struct ModularPlan {
    pub program: Program,
    /// For every row and lane the value with all walked digits 0 and no low column in S.
    pub lanes: Vec<Vec<BigInt>>,
    pub weights: Vec<BigInt>,
    pub constants: Vec<BigInt>,
    /// For every class of columns the rows it moves and by how much.
    pub steps: Vec<Vec<(usize, BigInt)>>,
    /// The odd primes besides 2⁶⁴.
    pub primes: Vec<u64>,
}

impl ModularPlan {
    /// The sums over a chunk modulo 2⁶⁴ and each prime.
    pub fn sums(&self, isa: Isa, walk: &Walk<'_>, positions: u64) -> Vec<u64> {
        let first = Worker::new(self, Wrapping64).sum(isa, walk.clone(), positions);
        let prime = |&p: &u64| Worker::new(self, Montgomery31::new(p)).sum(isa, walk.clone(), positions);
        std::iter::once(first).chain(self.primes.iter().map(prime)).collect()
    }
}

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Vector<T>([T; LANES]);

struct Worker<'a, R: Ring> {
    ring: R,
    program: &'a Program,
    constants: Vec<R::Word>,
    steps: Vec<Vec<(usize, R::Word)>>,
    weights: Vec<R::Word>,
    rows: Vec<Vector<R::Word>>,
    slots: Vec<Vector<R::Word>>,
    sums: Vector<R::Word>,
}

impl<'a, R: Ring> Worker<'a, R> {
    fn new(plan: &'a ModularPlan, ring: R) -> Self {
        let vector = |values: &Vec<BigInt>| {
            let mut v = Vector([R::Word::default(); LANES]);
            v.0.iter_mut().zip(values).for_each(|(v, x)| *v = ring.of(x));
            v
        };
        let zero = Vector([R::Word::default(); LANES]);
        let mut slots = vec![zero; plan.program.slots[0]];
        slots[0] = Vector([ring.of(&1.into()); LANES]);
        Worker {
            ring,
            program: &plan.program,
            constants: plan.constants.iter().map(|c| ring.of(c)).collect(),
            steps: plan
                .steps
                .iter()
                .map(|list| list.iter().map(|(row, step)| (*row, ring.of(step))).collect())
                .collect(),
            weights: plan.weights.iter().map(|w| ring.of(w)).collect(),
            rows: plan.lanes.iter().map(vector).collect(),
            slots,
            sums: zero,
        }
    }

    fn sum(mut self, isa: Isa, mut walk: Walk<'_>, mut positions: u64) -> u64 {
        let ring = self.ring;
        for (class, count) in walk.values() {
            for (row, step) in &self.steps[class] {
                let add = ring.mul(*step, ring.of(&count.into()));
                self.rows[*row].0.iter_mut().for_each(|v| *v = ring.add(*v, add));
            }
        }
        let mut total = R::Word::default();
        while positions > 0 {
            let magnitude = ring.of(&walk.magnitude().into());
            positions -= isa.run(Stretch { worker: &mut self, walk: &mut walk, positions });
            let lanes = self.sums.0.iter().zip(&self.weights);
            let sum = lanes.fold(R::Word::default(), |sum, (&x, &w)| ring.add(sum, ring.mul(x, w)));
            total = ring.add(total, ring.mul(sum, magnitude));
            self.sums = Vector([R::Word::default(); LANES]);
        }
        ring.residue(total)
    }

    #[inline(always)]
    fn step(&mut self, negative: bool) {
        let ring = self.ring;
        for (kind, range) in &self.program.runs {
            match kind {
                Kind::Entry => {
                    for i in &self.program.instructions[range.clone()] {
                        let (row, c) = (self.rows[i.a as usize], self.constants[i.b as usize]);
                        let target = &mut self.slots[i.target as usize];
                        for l in 0..LANES {
                            target.0[l] = ring.add(row.0[l], c);
                        }
                    }
                }
                Kind::Tail32 => {
                    for tail in &self.program.tails[range.clone()] {
                        self.tail(tail, negative);
                    }
                }
                _ => {
                    for i in &self.program.instructions[range.clone()] {
                        let (a, b) = (self.slots[i.a as usize], self.slots[i.b as usize]);
                        let target = &mut self.slots[i.target as usize];
                        for l in 0..LANES {
                            target.0[l] = ring.mul(a.0[l], b.0[l]);
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn tail(&mut self, tail: &Tail, negative: bool) {
        let (ring, slots) = (self.ring, &self.slots);
        let (x, y) = if tail.negative ^ negative { (1, 0) } else { (0, 1) };
        let of = |slot: u16| &slots[slot as usize].0;
        let (c, b0, b1) = (of(tail.c), of(tail.b[0]), of(tail.b[1]));
        let (a, e) = (of(tail.a[x]), of(tail.a[y]));
        let (d0, d1, f0, f1) = (of(tail.d[x][0]), of(tail.d[x][1]), of(tail.d[y][0]), of(tail.d[y][1]));
        for l in 0..LANES {
            let g = ring.sub(ring.mul(b0[l], d0[l]), ring.mul(b1[l], d1[l]));
            let f = ring.sub(ring.mul(b0[l], f0[l]), ring.mul(b1[l], f1[l]));
            let h = ring.sub(ring.mul(a[l], g), ring.mul(e[l], f));
            self.sums.0[l] = ring.add(self.sums.0[l], ring.mul(c[l], h));
        }
    }
}

struct Stretch<'w, 'a, 'd, R: Ring> {
    worker: &'w mut Worker<'a, R>,
    walk: &'w mut Walk<'d>,
    positions: u64,
}

impl<R: Ring> Kernel for Stretch<'_, '_, '_, R> {
    type Output = u64;
    #[inline(always)]
    fn run(self) -> u64 {
        let Stretch { worker, walk, positions } = self;
        let ring = worker.ring;
        for done in 1..=positions {
            worker.step(walk.is_negative());
            if done == positions {
                break;
            }
            let change = walk.advance();
            for &(row, step) in &worker.steps[change.class] {
                let row = &mut worker.rows[row].0;
                if change.up {
                    row.iter_mut().for_each(|v| *v = ring.add(*v, step));
                } else {
                    row.iter_mut().for_each(|v| *v = ring.sub(*v, step));
                }
            }
            if change.reweighted {
                return done;
            }
        }
        positions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permanent::crt::primes_below;

    fn obeys<R: Ring>(ring: R, modulus: &BigInt) {
        let reduce = |x: BigInt| ((x % modulus) + modulus) % modulus;
        let samples = [0, 1, -1, 2, 1 << 31, (1 << 31) - 1, i64::MAX, i64::MIN].map(BigInt::from);
        let samples = samples.iter().cloned().chain([BigInt::from(-7) << 100u32, modulus - 1, modulus.clone()]);
        let samples: Vec<BigInt> = samples.collect();
        for x in &samples {
            assert_eq!(BigInt::from(ring.residue(ring.of(x))), reduce(x.clone()), "{x} mod {modulus}");
            for y in &samples {
                let (a, b) = (ring.of(x), ring.of(y));
                assert_eq!(BigInt::from(ring.residue(ring.add(a, b))), reduce(x + y));
                assert_eq!(BigInt::from(ring.residue(ring.sub(a, b))), reduce(x - y));
                assert_eq!(BigInt::from(ring.residue(ring.mul(a, b))), reduce(x * y));
            }
        }
    }

    #[test]
    fn rings_are_the_integers_modulo_their_modulus() {
        obeys(Wrapping64, &(BigInt::from(1) << 64u32));
        for p in primes_below(PRIME_LIMIT).take(3).chain([3, 5, 65537]) {
            obeys(Montgomery31::new(p), &p.into());
        }
    }
}
