//! The operations of a program carried out on an array of residues, in place and in parallel.

use super::program::{Op, Program};
use crate::field::Modulus;
use crate::hafnian::residues::Pass;
use crate::isa::{Isa, Kernel};
use crate::parallel::Each;
use crate::{Result, memory};
use rayon::prelude::*;

/// Values that one task works on.
const GRAIN: usize = 1 << 13;

/// The array of states.
pub(super) struct Values(Vec<u64>);

impl Values {
    /// For programs of up to that many slots.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn with_width(width: usize) -> Result<Self> {
        let len = u32::try_from(width).ok().and_then(|width| 1usize.checked_shl(width)).unwrap_or(usize::MAX);
        memory::zeros(len, "the states of a frontier").map(Values)
    }
}

/// Arithmetic on residues.
trait Arithmetic: Copy + Send + Sync {
    fn add(self, a: u64, b: u64) -> u64;
    fn mul(self, a: u64, b: u64) -> u64;
}

#[derive(Clone, Copy)]
struct Wrapping;

impl Arithmetic for Wrapping {
    #[inline(always)]
    fn add(self, a: u64, b: u64) -> u64 {
        a.wrapping_add(b)
    }
    #[inline(always)]
    fn mul(self, a: u64, b: u64) -> u64 {
        a.wrapping_mul(b)
    }
}

impl Arithmetic for Modulus {
    /// Residues below p < 2⁶³: the smaller of a + b and a + b - p, which wraps where the sum is below p.
    #[inline(always)]
    fn add(self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        sum.min(sum.wrapping_sub(self.get()))
    }
    #[inline(always)]
    fn mul(self, a: u64, b: u64) -> u64 {
        Modulus::mul(self, a, b)
    }
}

/// target += w·source for entries with the bit `slot` equal to `free` in the source and different in the target.
struct Add<'a, A> {
    a: A,
    weight: u64,
    slot: u8,
    free: bool,
    source: &'a [u64],
    target: &'a mut [u64],
}

impl<A: Arithmetic> Kernel for Add<'_, A> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Add { a, weight, slot, free, source, target } = self;
        let half = 1usize << slot;
        let (from, to) = if free { (half, 0) } else { (0, half) };
        for (s, t) in source.chunks_exact(2 * half).zip(target.chunks_exact_mut(2 * half)) {
            let (s, t) = (&s[from..from + half], &mut t[to..to + half]);
            if weight == 1 {
                t.iter_mut().zip(s).for_each(|(t, &s)| *t = a.add(*t, s));
            } else {
                t.iter_mut().zip(s).for_each(|(t, &s)| *t = a.add(*t, a.mul(s, weight)));
            }
        }
    }
}

/// [`Add`] from one half of each block to the other: the halves differ in the bit `top`, whose value in the source is
/// `top_free`.
struct AddInBlocks<'a, A> {
    a: A,
    weight: u64,
    top: u8,
    top_free: bool,
    slot: u8,
    free: bool,
    values: &'a mut [u64],
}

impl<A: Arithmetic> Kernel for AddInBlocks<'_, A> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let AddInBlocks { a, weight, top, top_free, slot, free, values } = self;
        for block in values.chunks_exact_mut(2 << top) {
            let (zero, one) = block.split_at_mut(1 << top);
            let (source, target) = if top_free { (&*one, zero) } else { (&*zero, one) };
            Add { a, weight, slot, free, source, target }.run();
        }
    }
}

/// A vertex leaves its slot to its partner: of the values x with the vertex free and y with it matched, w·x with the
/// partner matched and y + z·x with the partner free.
struct Handover<'a, A> {
    a: A,
    z: u64,
    weight: u64,
    slot: u8,
    free: bool,
    values: &'a mut [u64],
}

impl<A: Arithmetic> Kernel for Handover<'_, A> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Handover { a, z, weight, slot, free, values } = self;
        let half = 1usize << slot;
        for pair in values.chunks_exact_mut(2 * half) {
            let (zero, one) = pair.split_at_mut(half);
            let (open, matched) = if free { (one, zero) } else { (zero, one) };
            for (x, y) in open.iter_mut().zip(matched) {
                if z != 0 {
                    *y = a.add(*y, a.mul(*x, z));
                }
                *x = a.mul(*x, weight);
            }
        }
    }
}

/// A slot leaves: low gets its bit 0 from low and its bit 1 from high, each as z·free + matched.
struct Fold<'a, A> {
    a: A,
    z: u64,
    slot: u8,
    free: bool,
    low: &'a mut [u64],
    high: &'a [u64],
}

impl<A: Arithmetic> Kernel for Fold<'_, A> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Fold { a, z, slot, free, low, high } = self;
        let half = 1usize << slot;
        let sum = |zero: u64, one: u64| {
            let (open, matched) = if free { (one, zero) } else { (zero, one) };
            if z == 0 { matched } else { a.add(matched, a.mul(open, z)) }
        };
        for (low, high) in low.chunks_exact_mut(2 * half).zip(high.chunks_exact(2 * half)) {
            let (zero, one) = low.split_at_mut(half);
            let (from_zero, from_one) = high.split_at(half);
            for k in 0..half {
                zero[k] = sum(zero[k], one[k]);
                one[k] = sum(from_zero[k], from_one[k]);
            }
        }
    }
}

/// [`Fold`] of the uppermost slot itself: low and high differ in its bit.
struct FoldTop<'a, A> {
    a: A,
    z: u64,
    free: bool,
    low: &'a mut [u64],
    high: &'a [u64],
}

impl<A: Arithmetic> Kernel for FoldTop<'_, A> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let FoldTop { a, z, free, low, high } = self;
        for (x, &y) in low.iter_mut().zip(high) {
            let (open, matched) = if free { (y, *x) } else { (*x, y) };
            *x = if z == 0 { matched } else { a.add(matched, a.mul(open, z)) };
        }
    }
}

/// The sum that a program computes modulo the modulus of the pass, with a factor z for each unmatched vertex. `tell` is
/// called with the number of operations done, and may stop the run.
///
/// # Errors
/// Those of `tell`.
pub(super) fn run(
    program: &Program,
    pass: Pass,
    z: u64,
    values: &mut Values,
    tell: &(dyn Fn(u64) -> Result<()> + Sync),
) -> Result<u64> {
    match pass {
        Pass::Word => run_with(Wrapping, program, pass, z, &mut values.0, tell),
        Pass::Prime(p) => run_with(p, program, pass, z, &mut values.0, tell),
    }
}

fn run_with<A: Arithmetic>(
    a: A,
    program: &Program,
    pass: Pass,
    z: u64,
    values: &mut [u64],
    tell: &(dyn Fn(u64) -> Result<()> + Sync),
) -> Result<u64> {
    let weights: Vec<u64> = program.weights.iter().map(|x| pass.image(x)).collect();
    let mut slots = 0u32;
    values[0] = 1;
    for (k, op) in program.ops.iter().enumerate() {
        let len = 1usize << slots;
        if len >= GRAIN || k % 1024 == 0 {
            tell(k as u64)?;
        }
        match *op {
            Op::Enter => {
                parts(&mut values[len..2 * len], GRAIN, |part| part.fill(0));
                slots += 1;
            }
            Op::Edge { slots, free, weight } => edge(a, &mut values[..len], slots, free, weights[weight as usize]),
            Op::Pass { slot, free, weight } => {
                let weight = weights[weight as usize];
                if z != 0 || weight != 1 {
                    let work = |values: &mut [u64]| Isa::best().run(Handover { a, z, weight, slot, free, values });
                    parts(&mut values[..len], GRAIN.max(2 << slot), work);
                }
            }
            Op::Leave { slot, free } => {
                slots -= 1;
                leave(a, &mut values[..len], z, slot, free);
            }
        }
    }
    Ok(values[0])
}

/// The states with both vertices free, times a weight, added to those with both matched.
fn edge<A: Arithmetic>(a: A, values: &mut [u64], slots: [u8; 2], free: [bool; 2], weight: u64) {
    let high = usize::from(slots[1] > slots[0]);
    let (top, slot) = (slots[high], slots[1 - high]);
    let (top_free, free) = (free[high], free[1 - high]);
    if 2 << top <= GRAIN {
        let blocks = |values: &mut [u64]| Isa::best().run(AddInBlocks { a, weight, top, top_free, slot, free, values });
        return parts(values, GRAIN, blocks);
    }
    let size = GRAIN.max(2 << slot);
    for block in values.chunks_exact_mut(2 << top) {
        let (zero, one) = block.split_at_mut(1 << top);
        let (source, target) = if top_free { (one, zero) } else { (zero, one) };
        let pairs = source.par_chunks(size).zip(target.par_chunks_mut(size));
        pairs.each(|(source, target)| Isa::best().run(Add { a, weight, slot, free, source, target }));
    }
}

/// Works on parts of that size in parallel; where there is one, right here.
fn parts(values: &mut [u64], size: usize, work: impl Fn(&mut [u64]) + Sync + Send) {
    if values.len() <= size { work(values) } else { values.par_chunks_mut(size).each(work) }
}

/// A vertex leaves its slot; the uppermost slot takes its place.
fn leave<A: Arithmetic>(a: A, values: &mut [u64], z: u64, slot: u8, free: bool) {
    let half = values.len() / 2;
    let (low, high) = values.split_at_mut(half);
    let top = 1 << slot == half;
    let size = if top { GRAIN } else { GRAIN.max(2 << slot) };
    let work = |(low, high): (&mut [u64], &[u64])| {
        if top {
            Isa::best().run(FoldTop { a, z, free, low, high });
        } else {
            Isa::best().run(Fold { a, z, slot, free, low, high });
        }
    };
    if half <= size {
        return work((low, high));
    }
    low.par_chunks_mut(size).zip(high.par_chunks(size)).each(work);
}
