//! The same walk modulo 2⁶⁴ and modulo primes below 2³¹: for entries or products too large for the exact engine.
//!
//! One pass over the chunks serves all moduli. A chunk is walked once, into a [`Course`] of changes and weights, and
//! one ring after another follows it: from its own [`Image`] of the matrix, made once for all chunks, in rows and slots
//! that all primes use in turn and that therefore stay in the fastest cache. Rings share no products, and the products
//! are the work. What is computed once and shared amounts to a few percent of the work for ten moduli, and to most of
//! it for sixty.
//!
//! Modulo 2⁶⁴ words wrap; modulo p a product is P. L. Montgomery's (Math. Comp. 44, 1985) with R = 2³²: for a, b < p <
//! 2³¹, m = -a b / p mod R makes a b + m p a multiple of R below 2⁶⁴, and (a b + m p) / R < 2p.

use super::program::{Kind, LANES, Program, Tail, Vector};
use super::walk::{Change, Course, Walk};
use crate::integers::low_bits;
use crate::isa::{Isa, Kernel};
use crate::parallel::Each;
use num_bigint::{BigInt, Sign};
use rayon::prelude::*;

/// Primes of the modular engine lie below this.
pub(super) const PRIME_LIMIT: u64 = 1 << 31;

/// The integers modulo a number; words in a representation specific to the ring.
pub(super) trait Ring: Copy + Send + Sync {
    type Word: Copy + Default + Send + Sync;
    fn add(self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn sub(self, a: Self::Word, b: Self::Word) -> Self::Word;
    fn mul(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// [`mul`](Self::mul) in all lanes.
    #[inline(always)]
    fn multiply(self, a: &Vector<Self::Word>, b: &Vector<Self::Word>) -> Vector<Self::Word> {
        a.zip(b, |x, y| self.mul(x, y))
    }
    fn of(self, x: &BigInt) -> Self::Word;
    fn residue(self, a: Self::Word) -> u64;
    /// The element with the bits that a kernel returned.
    fn word(self, bits: u64) -> Self::Word;
    /// The numbers that a kernel computes with.
    fn parameters(self) -> Vec<u32>;
}

/// Modulo 2⁶⁴.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrapping64;

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
    fn parameters(self) -> Vec<u32> {
        Vec::new()
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
    /// Two lanes in a 64-bit word: each is multiplied in place in its vector, without widening and narrowing. This is
    /// faster with AVX-512 and AVX2, but not with SSE2 alone.
    #[inline(always)]
    fn multiply(self, a: &Vector<u32>, b: &Vector<u32>) -> Vector<u32> {
        const LOW: u64 = u32::MAX as u64;
        let (p, negated_inverse) = (u64::from(self.p), u64::from(self.negated_inverse));
        let (a, b): (&[u64; LANES / 2], &[u64; LANES / 2]) = (bytemuck::cast_ref(&a.0), bytemuck::cast_ref(&b.0));
        let reduced = |product: u64| product + (((product & LOW) * negated_inverse) & LOW) * p;
        let mut result = Vector([0u32; LANES]);
        let pairs: &mut [u64; LANES / 2] = bytemuck::cast_mut(&mut result.0);
        for l in 0..LANES / 2 {
            let low = reduced((a[l] & LOW) * (b[l] & LOW));
            let high = reduced((a[l] >> 32) * (b[l] >> 32));
            pairs[l] = (low >> 32) | (high & !LOW);
        }
        result.0.iter_mut().for_each(|sum| *sum = (*sum).min(sum.wrapping_sub(self.p)));
        result
    }
    fn of(self, x: &BigInt) -> u32 {
        // Horner's rule, with one digit more for the factor R.
        let below = |r: u64, digit: u32| (r << 32 | u64::from(digit)) % u64::from(self.p);
        let low = below(x.iter_u32_digits().rev().fold(0, below), 0) as u32;
        if x.sign() == Sign::Minus { self.sub(0, low) } else { low }
    }
    fn residue(self, a: u32) -> u64 {
        self.mul(a, 1).into()
    }
    fn word(self, bits: u64) -> u32 {
        bits as u32
    }
    /// p and -1/p mod 2³².
    fn parameters(self) -> Vec<u32> {
        vec![self.p, self.negated_inverse]
    }
}

/// What the engine sums, over the integers.
pub(super) struct Integers {
    /// For every row and lane the value with all walked digits 0 and no low column in S.
    pub lanes: Vec<Vec<BigInt>>,
    /// The signed weight of each lane.
    pub weights: Vec<BigInt>,
    /// The constants of the program's entries.
    pub constants: Vec<BigInt>,
    /// For every class of columns, the rows that it changes and by how much.
    pub steps: Vec<Vec<(usize, BigInt)>>,
}

/// The same in a ring, in the form for the processor and in that for GPUs.
pub(super) struct Image<R: Ring> {
    pub ring: R,
    pub one: R::Word,
    pub lanes: Vec<Vector<R::Word>>,
    pub weights: Vector<R::Word>,
    pub constants: Vec<R::Word>,
    pub steps: Vec<Vec<(usize, R::Word)>>,
}

impl<R: Ring> Image<R> {
    pub fn new(integers: &Integers, ring: R) -> Self {
        let vector = |values: &Vec<BigInt>| Vector(std::array::from_fn(|lane| ring.of(&values[lane])));
        let steps = |list: &Vec<(usize, BigInt)>| list.iter().map(|(row, step)| (*row, ring.of(step))).collect();
        Image {
            ring,
            one: ring.of(&1.into()),
            lanes: integers.lanes.iter().map(vector).collect(),
            weights: vector(&integers.weights),
            constants: integers.constants.iter().map(|c| ring.of(c)).collect(),
            steps: integers.steps.iter().map(steps).collect(),
        }
    }

    /// Adds to each row the contribution of the columns in S, given their number in each class.
    pub fn add_columns(&self, rows: &mut [R::Word], counts: impl IntoIterator<Item = (usize, usize)>) {
        for (class, count) in counts.into_iter().filter(|&(_, count)| count > 0) {
            let count = self.ring.of(&count.into());
            for &(row, step) in &self.steps[class] {
                rows[row] = self.ring.add(rows[row], self.ring.mul(step, count));
            }
        }
    }

    /// Σ over the lanes of weight times sum.
    pub fn weigh(&self, sums: impl Iterator<Item = R::Word>) -> R::Word {
        let products = sums.zip(&self.weights.0).map(|(x, &w)| self.ring.mul(x, w));
        products.fold(R::Word::default(), |sum, x| self.ring.add(sum, x))
    }
}

/// What all chunks share.
pub(super) struct ModularPlan {
    pub program: Program,
    /// Modulo 2⁶⁴.
    pub wrapping: Image<Wrapping64>,
    /// In addition, modulo the odd primes.
    pub images: Vec<Image<Montgomery31>>,
    pub primes: Vec<u64>,
}

impl ModularPlan {
    pub fn new(program: Program, integers: &Integers, primes: Vec<u64>) -> Self {
        let image = |&p: &u64| Image::new(integers, Montgomery31::new(p));
        let images = primes.par_iter().make(image);
        ModularPlan { program, wrapping: Image::new(integers, Wrapping64), images, primes }
    }
}

/// The working state for sums.
pub(super) struct Worker<'a> {
    plan: &'a ModularPlan,
    wrapping: Arena<u64>,
    primes: Arena<u32>,
}

impl<'a> Worker<'a> {
    pub fn new(plan: &'a ModularPlan) -> Self {
        Worker { plan, wrapping: Arena::new(&plan.program), primes: Arena::new(&plan.program) }
    }

    /// The sums over the next `positions` of the walk, modulo 2⁶⁴ and each prime.
    pub fn sums(&mut self, isa: Isa, walk: Walk<'_>, positions: u64) -> Vec<u64> {
        let (program, course) = (&self.plan.program, Course::of(walk, positions));
        let first = self.wrapping.sum(isa, program, &self.plan.wrapping, &course);
        let prime = |image| self.primes.sum(isa, program, image, &course);
        std::iter::once(first).chain(self.plan.images.iter().map(prime)).collect()
    }
}

/// Rows and slots of the current ring.
struct Arena<T> {
    rows: Vec<Vector<T>>,
    slots: Vec<Vector<T>>,
}

impl<T: Copy + Default> Arena<T> {
    fn new(program: &Program) -> Self {
        Arena { rows: Vec::new(), slots: vec![Vector([T::default(); LANES]); program.slots[0]] }
    }

    /// The sum over the course.
    fn sum<R: Ring<Word = T>>(&mut self, isa: Isa, program: &Program, image: &Image<R>, course: &Course) -> u64 {
        let ring = image.ring;
        self.slots[0] = Vector([image.one; LANES]);
        self.rows.clone_from(&image.lanes);
        let mut start = vec![T::default(); image.lanes.len()];
        image.add_columns(&mut start, course.start.iter().copied());
        for (row, x) in self.rows.iter_mut().zip(start) {
            row.0.iter_mut().for_each(|v| *v = ring.add(*v, x));
        }
        let mut changes = &course.changes[..];
        let mut total = T::default();
        for (weight, positions) in &course.stretches {
            let own;
            (own, changes) = changes.split_at(changes.len().min(*positions));
            let sums = isa.run(Stretch { arena: self, program, image, changes: own, positions: *positions });
            total = ring.add(total, ring.mul(image.weigh(sums.0.into_iter()), ring.of(weight)));
        }
        ring.residue(total)
    }
}

/// Positions of one absolute weight, and the changes after each of them except the very last.
struct Stretch<'a, R: Ring> {
    arena: &'a mut Arena<R::Word>,
    program: &'a Program,
    image: &'a Image<R>,
    changes: &'a [Change],
    positions: usize,
}

impl<R: Ring> Kernel for Stretch<'_, R> {
    /// The sum of each lane.
    type Output = Vector<R::Word>;
    #[inline(always)]
    fn run(mut self) -> Vector<R::Word> {
        let ring = self.image.ring;
        let mut sums = Vector([R::Word::default(); LANES]);
        for k in 0..self.positions {
            self.step(&mut sums, k % 2 == 1);
            let Some(change) = self.changes.get(k) else { continue };
            for &(row, step) in &self.image.steps[change.class] {
                let row = &mut self.arena.rows[row].0;
                if change.up {
                    row.iter_mut().for_each(|v| *v = ring.add(*v, step));
                } else {
                    row.iter_mut().for_each(|v| *v = ring.sub(*v, step));
                }
            }
        }
        sums
    }
}

impl<R: Ring> Stretch<'_, R> {
    /// All low settings of the current position.
    #[inline(always)]
    fn step(&mut self, sums: &mut Vector<R::Word>, negative: bool) {
        let (ring, program) = (self.image.ring, self.program);
        let Arena { rows, slots } = &mut *self.arena;
        for (kind, range) in &program.runs {
            match kind {
                Kind::Entry => {
                    for i in &program.instructions[range.clone()] {
                        let (row, c) = (rows[i.a as usize], self.image.constants[i.b as usize]);
                        let target = &mut slots[i.target as usize];
                        for l in 0..LANES {
                            target.0[l] = ring.add(row.0[l], c);
                        }
                    }
                }
                Kind::Tail32 => {
                    for tail in &program.tails[range.clone()] {
                        add_tail(ring, sums, slots, tail, negative);
                    }
                }
                _ => {
                    for i in &program.instructions[range.clone()] {
                        slots[i.target as usize] = ring.multiply(&slots[i.a as usize], &slots[i.b as usize]);
                    }
                }
            }
        }
    }
}

/// Adds ± the tail to the sums.
#[inline(always)]
fn add_tail<R: Ring>(ring: R, sums: &mut Vector<R::Word>, slots: &[Vector<R::Word>], tail: &Tail, negative: bool) {
    let (x, y) = if tail.negative ^ negative { (1, 0) } else { (0, 1) };
    let of = |slot: u16| &slots[slot as usize];
    let g = determinant(ring, [of(tail.b[0]), of(tail.d[x][0]), of(tail.b[1]), of(tail.d[x][1])]);
    let f = determinant(ring, [of(tail.b[0]), of(tail.d[y][0]), of(tail.b[1]), of(tail.d[y][1])]);
    let h = determinant(ring, [of(tail.a[x]), &g, of(tail.a[y]), &f]);
    *sums = sums.zip(&ring.multiply(of(tail.c), &h), |x, y| ring.add(x, y));
}

/// a b - c d in every lane.
#[inline(always)]
fn determinant<R: Ring>(ring: R, [a, b, c, d]: [&Vector<R::Word>; 4]) -> Vector<R::Word> {
    ring.multiply(a, b).zip(&ring.multiply(c, d), |x, y| ring.sub(x, y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integers::primes_below;

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
        for shift in 0..samples.len() {
            let vector = |shift| Vector(std::array::from_fn(|lane| ring.of(&samples[(lane + shift) % samples.len()])));
            let (a, b) = (vector(0), vector(shift));
            let residues = |v: Vector<R::Word>| v.0.map(|x| ring.residue(x));
            assert_eq!(residues(ring.multiply(&a, &b)), residues(a.zip(&b, |x, y| ring.mul(x, y))), "mod {modulus}");
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
