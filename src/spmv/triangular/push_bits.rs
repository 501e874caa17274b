//! The substitution of [`PushSolve`](super::PushSolve) over GF(2), [`PACKED`] vectors side by side in the bits of a few
//! words: an entry is an exclusive or.

use super::lines::{LINES, SolveLines};
use crate::{Result, memory};

/// What the memory is for.
const SUMS: &str = "the sums of a substitution";

/// Vectors over GF(2) that are solved for together.
pub const PACKED: usize = 256;

/// One coordinate of so many vectors: bit l of word k belongs to vector 64k + l.
pub type Bits = [u64; PACKED / 64];

/// A triangular solve by columns over GF(2).
#[derive(Debug)]
pub struct BitSolve {
    outputs: usize,
    solved: usize,
    /// Where each line begins, and the end.
    start: Vec<usize>,
    slots: Vec<u32>,
}

/// Sums and marks of one thread, all zero between two blocks of vectors.
#[derive(Debug)]
pub struct BitSpace {
    sums: Vec<Bits>,
    /// A bit for each slot whose sum may differ from 0.
    marks: Vec<u64>,
}

impl BitSolve {
    /// The solve with slots 0 … `outputs` - 1 for what remains and `solved` slots behind them.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If the modulus is not 2, there are fewer lines than slots to be solved, a line needs its own slot or a later
    /// one, or a slot does not exist.
    pub fn new(outputs: usize, solved: usize, lines: SolveLines) -> Result<Self> {
        let SolveLines { modulus, spans, slots, .. } = lines;
        assert!(modulus.get() == 2 && spans.len() >= solved, "{} lines for {solved} slots mod {modulus}", spans.len());
        let start = memory::collect(spans.iter().map(|span| span.slot).chain([slots.len()]), LINES)?;
        for (line, range) in start.windows(2).enumerate() {
            let end = outputs + line.min(solved);
            let late = slots[range[0]..range[1]].iter().find(|&&s| s as usize >= end);
            assert!(late.is_none(), "line {line} has an entry in slot {late:?}, and not below {end}");
        }
        Ok(BitSolve { outputs, solved, start, slots })
    }
    /// Sums and marks for one block after the other.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn space(&self) -> Result<BitSpace> {
        let slots = self.outputs + self.solved;
        Ok(BitSpace { sums: memory::zeros(slots, SUMS)?, marks: memory::zeros(slots.div_ceil(64), SUMS)? })
    }
    /// Adds input line `input` to the vectors whose bits are set.
    ///
    /// # Panics
    /// If there is no such input, or `space` belongs to another solve.
    pub fn add(&self, space: &mut BitSpace, input: usize, x: &Bits) {
        assert_eq!(space.sums.len(), self.outputs + self.solved, "the space of another solve");
        self.push(space, self.solved + input, x);
    }
    #[inline(always)]
    fn push(&self, space: &mut BitSpace, line: usize, x: &Bits) {
        for &s in &self.slots[self.start[line]..self.start[line + 1]] {
            space.sums[s as usize].iter_mut().zip(x).for_each(|(sum, x)| *sum ^= x);
            space.marks[s as usize / 64] |= 1 << (s % 64);
        }
    }
    /// Solves. What was solved stays: `kept` are the slots of sums that were not zero, descending, each of which
    /// [`BitSpace::take`] must empty before the space is used again. Returns the outputs that are not zero, descending.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If `space` belongs to another solve.
    pub fn solve_keeping(&self, space: &mut BitSpace, kept: &mut Vec<u32>) -> Result<Vec<(u32, Bits)>> {
        assert_eq!(space.sums.len(), self.outputs + self.solved, "the space of another solve");
        let mut left = vec![];
        kept.clear();
        memory::reserve(kept, self.solved, SUMS)?;
        for word in (0..space.marks.len()).rev() {
            // A line marks slots before its own only, some of them perhaps in this word.
            while space.marks[word] != 0 {
                let bit = space.marks[word].ilog2();
                space.marks[word] ^= 1 << bit;
                let slot = word * 64 + bit as usize;
                let x = space.sums[slot];
                if x == Bits::default() {
                    continue;
                }
                if slot < self.outputs {
                    space.sums[slot] = Bits::default();
                    memory::push(&mut left, (slot as u32, x), SUMS)?;
                } else {
                    kept.push(slot as u32);
                    self.push(space, slot - self.outputs, &x);
                }
            }
        }
        Ok(left)
    }
}

impl BitSpace {
    /// The sum of a slot, which becomes zero.
    pub fn take(&mut self, slot: u32) -> Bits {
        std::mem::take(&mut self.sums[slot as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Modulus, Rng};
    use crate::spmv::{LANES, PushSolve};
    use rand::{RngExt, SeedableRng};

    /// Every group of vectors is what the solve of residues makes of it, one block after the other.
    #[test]
    fn bits_are_the_residues_of_the_other_solve() {
        let (p, mut rng) = (Modulus::new(2).unwrap(), Rng::seed_from_u64(12));
        for (outputs, solved, inputs, each) in
            [(0, 0, 0, 0), (0, 0, 3, 0), (5, 0, 3, 2), (0, 70, 9, 4), (40, 200, 30, 6)]
        {
            let lines = || SolveLines::with_capacity(p, solved + inputs, 0).unwrap();
            let (mut one, mut other) = (lines(), lines());
            for line in 0..solved + inputs {
                let end = (outputs + line.min(solved)) as u32;
                let mut slots: Vec<u32> = (0..each).filter(|_| end > 0).map(|_| rng.random_range(0..end)).collect();
                slots.sort_unstable();
                slots.dedup();
                for lines in [&mut one, &mut other] {
                    lines.push(slots.iter().map(|&s| (s, 1))).unwrap();
                }
            }
            let bits = BitSolve::new(outputs, solved, one).unwrap();
            let residues = PushSolve::new(outputs, solved, other).unwrap();
            let (mut space, mut kept) = (bits.space().unwrap(), vec![]);
            let (mut plain, mut plain_kept) = (residues.space().unwrap(), vec![]);
            for round in 0..3 {
                let given: Vec<(usize, Bits)> = (0..inputs)
                    .filter(|i| i % 3 != round)
                    .map(|i| (i, Bits::default().map(|_| rng.random())))
                    .collect();
                given.iter().for_each(|(i, x)| bits.add(&mut space, *i, x));
                let left = bits.solve_keeping(&mut space, &mut kept).unwrap();
                let solution: Vec<(u32, Bits)> = kept.iter().map(|&s| (s, space.take(s))).collect();
                for group in 0..PACKED / LANES {
                    let of = |x: &Bits| -> [u64; LANES] {
                        std::array::from_fn(|l| x[group * LANES / 64] >> (group * LANES % 64 + l) & 1)
                    };
                    let some = |(s, x): &(u32, Bits)| Some((*s, of(x))).filter(|(_, x)| *x != [0; LANES]);
                    given.iter().for_each(|(i, x)| residues.add(&mut plain, *i, &of(x)));
                    let expected = residues.solve_keeping(&mut plain, &mut plain_kept).unwrap();
                    let lanes = |x: [u64; LANES]| (0..LANES).fold(0, |lanes, l| lanes | (x[l] as u32) << l);
                    let expected: Vec<(u32, u32)> = expected.iter().map(|left| (left.output, left.lanes)).collect();
                    let found: Vec<(u32, u32)> = left.iter().filter_map(some).map(|(s, x)| (s, lanes(x))).collect();
                    assert_eq!(found, expected);
                    let expected: Vec<_> = plain_kept.iter().map(|&s| (s, plain.take(s))).collect();
                    assert_eq!(solution.iter().filter_map(some).collect::<Vec<_>>(), expected);
                }
            }
        }
    }
}
