//! Triangular solves on blocks of sparse vectors by pushing: what the vectors do not reach costs nothing.
//!
//! Every *slot* has a sum, at first 0, every *line* is a sparse vector over the slots. The caller adds multiples of the
//! input lines to the sums. Then the slots that are not outputs are solved from the last to the first: the sum x of
//! slot s is taken out, and x times the line of s is added, whose entries all lie in slots before s. What remains are
//! the sums of the outputs. If line s is column s of a triangular matrix without its diagonal entry, divided by minus
//! that, this is the substitution by columns, and the outputs are ordinary products with what was solved. A bitmap of
//! the slots that were touched says what comes next, so that the cost is that of the arithmetic (J. R. Gilbert, T.
//! Peierls, *Sparse partial pivoting in time proportional to arithmetic operations*, SIAM J. Sci. Stat. Comput. 9,
//! 1988; there the order is searched for) and one look at each word of the bitmap.
//!
//! [`TriangularSolve`](super::TriangularSolve) does the same by rows, for dense vectors.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over lanes index several arrays alike and become vector instructions"
)]

use super::LANES;
use super::coefficients::{Coefficients, Engine};
use super::lines::SolveLines;
use crate::field::Modulus;
use crate::isa::Kernel;
use crate::spmv::arithmetic::Arithmetic;
use crate::spmv::choose::arithmetic;
use crate::spmv::engines::engines;
use crate::spmv::options::ArithmeticKind;
use crate::spmv::word::Word;
use crate::spmv::{Block, Lane, Lanes};
use crate::{Result, memory};
use std::sync::Arc;

/// A triangular solve by columns.
#[derive(Debug)]
pub struct PushSolve {
    modulus: Modulus,
    shape: Shape,
    engine: Arc<Engine>,
}

/// What the slots are: outputs, then those that are solved, with a line each; all other lines are inputs.
#[derive(Clone, Copy, Debug)]
struct Shape {
    outputs: usize,
    solved: usize,
}

impl Shape {
    fn slots(self) -> usize {
        self.outputs + self.solved
    }
}

/// Sums and marks of one thread, all zero between two blocks of vectors.
#[derive(Debug)]
pub struct PushSpace {
    sums: Block,
    /// A bit for each slot whose sum may differ from 0.
    marks: Vec<u64>,
    work: u64,
}

/// An output that is not zero, and in which lanes it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remainder {
    /// The output.
    pub output: u32,
    /// Bit l for lane l.
    pub lanes: u32,
}

impl PushSolve {
    /// The solve with slots 0 … `outputs` - 1 for what remains and `solved` slots behind them.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If there are fewer lines than slots to be solved, a line needs its own slot or a later one, or a slot does not
    /// exist.
    pub fn new(outputs: usize, solved: usize, lines: SolveLines) -> Result<Self> {
        assert!(lines.len() >= solved, "{} lines for {solved} slots", lines.len());
        for (line, &needed) in lines.needed()?.iter().enumerate() {
            let end = outputs + line.min(solved);
            assert!(needed as usize <= end, "line {line} has an entry in slot {}, and not below {end}", needed - 1);
        }
        let (modulus, lane) = (lines.modulus, Lane::narrowest(lines.modulus));
        let engine = Engine::new(lane, Self::sums(modulus), outputs, lines)?;
        Ok(Self::of_rows(modulus, outputs, solved, &Arc::new(engine)))
    }
    /// The sums of a push: every product is added to a residue and reduced.
    pub(super) fn sums(modulus: Modulus) -> ArithmeticKind {
        arithmetic(modulus, Lane::narrowest(modulus), 1, 1)
    }
    /// The solve with coefficients, for such sums, that rows are computed with, too.
    pub(super) fn of_rows(modulus: Modulus, outputs: usize, solved: usize, engine: &Arc<Engine>) -> Self {
        assert!(engines!(match &**engine => |l| l.holds_one), "sums of a residue and a product");
        PushSolve { modulus, shape: Shape { outputs, solved }, engine: engine.clone() }
    }
    /// Sums and marks for one block after the other.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn space(&self) -> Result<PushSpace> {
        let (lane, slots) = (Lane::narrowest(self.modulus), self.shape.slots());
        let sums = Block::zeros(lane, slots, LANES)?;
        Ok(PushSpace { sums, marks: memory::zeros(slots.div_ceil(64), "the marks of a substitution")?, work: 0 })
    }
    /// Adds input line `input` to lane `lane`.
    ///
    /// # Panics
    /// If there is no such input or lane, or `space` belongs to another solve.
    pub fn add_unit(&self, space: &mut PushSpace, input: usize, lane: usize) {
        assert!(lane < LANES && space.sums.rows() == self.shape.slots(), "lane {lane} of {LANES}, in its own space");
        self.engine.add_unit(self.shape, space, input, lane);
    }
    /// Adds x\[l\] times input line `input` to lane l, for all lanes.
    ///
    /// # Panics
    /// If there is no such input, a multiplier is no residue, or `space` belongs to another solve.
    pub fn add(&self, space: &mut PushSpace, input: usize, x: &[u64; LANES]) {
        assert!(
            x.iter().all(|&x| x < self.modulus.get()) && space.sums.rows() == self.shape.slots(),
            "residues, in their own space"
        );
        self.engine.add(self.shape, space, input, x);
    }
    /// Solves; returns the outputs that are not zero, descending, and leaves all sums zero.
    ///
    /// # Panics
    /// If `space` belongs to another solve.
    pub fn solve(&self, space: &mut PushSpace) -> Vec<Remainder> {
        assert_eq!(space.sums.rows(), self.shape.slots(), "the space of another solve");
        self.engine.solve(self.shape, space, None)
    }
    /// The same, but what was solved stays: `kept` are the slots of sums that were not zero, descending, each of which
    /// [`PushSpace::take`] must empty before the space is used again.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If `space` belongs to another solve.
    pub fn solve_keeping(&self, space: &mut PushSpace, kept: &mut Vec<u32>) -> Result<Vec<Remainder>> {
        assert_eq!(space.sums.rows(), self.shape.slots(), "the space of another solve");
        kept.clear();
        memory::reserve(kept, self.shape.slots(), "the slots of a substitution")?;
        Ok(self.engine.solve(self.shape, space, Some(kept)))
    }
}

impl PushSpace {
    /// Entries of lines that were added, each in all lanes, since this was last asked.
    pub fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }
    /// The sum of a slot, which becomes zero.
    pub fn take(&mut self, slot: u32) -> [u64; LANES] {
        macro_rules! take {
            ($($lane:ident)*) => {
                match &mut self.sums.lanes {
                    $(Lanes::$lane(sums) => {
                        std::mem::take(&mut sums.as_chunks_mut::<LANES>().0[slot as usize]).map(u64::from)
                    })*
                    Lanes::F32(_) | Lanes::F64(_) => unreachable!("sums have integer lanes"),
                }
            };
        }
        take!(U8 U16 U32 U64)
    }
}

impl<A: Arithmetic<Lane: Word>> Coefficients<A> {
    fn add_unit(&self, sums: &mut [A::Lane], marks: &mut [u64], line: usize, lane: usize) -> u64 {
        let mut x = [A::Lane::default(); LANES];
        x[lane] = A::Lane::narrow(1);
        self.push(sums, marks, line, x)
    }
    fn push(&self, sums: &mut [A::Lane], marks: &mut [u64], line: usize, x: [A::Lane; LANES]) -> u64 {
        self.isa.run(Push { l: self, sums: sums.as_chunks_mut().0, marks, line, x })
    }
    fn solve(
        &self,
        outputs: usize,
        sums: &mut [A::Lane],
        marks: &mut [u64],
        kept: Option<&mut Vec<u32>>,
    ) -> (Vec<Remainder>, u64) {
        let mut left = Vec::new();
        let work = self.isa.run(Solve { l: self, outputs, sums: sums.as_chunks_mut().0, marks, left: &mut left, kept });
        (left, work)
    }

    /// Adds x times a line; returns its number of entries.
    #[inline(always)]
    fn push_line(&self, line: usize, x: &[A::Lane; LANES], sums: &mut [[A::Lane; LANES]], marks: &mut [u64]) -> u64 {
        let ([plus, minus, valued], values) = self.line(line);
        let p = A::Lane::narrow(self.modulus.get());
        let mut opposite = [A::Lane::default(); LANES];
        for l in 0..LANES {
            opposite[l] = p.minus(x[l]);
        }
        for &s in plus {
            let sum = &mut sums[s as usize];
            for l in 0..LANES {
                sum[l] = sum[l].add_residue(x[l], opposite[l]);
            }
        }
        for &s in minus {
            let sum = &mut sums[s as usize];
            for l in 0..LANES {
                sum[l] = sum[l].add_residue(opposite[l], x[l]);
            }
        }
        let a = self.arithmetic;
        for (&s, &v) in valued.iter().zip(values) {
            let sum = &mut sums[s as usize];
            for l in 0..LANES {
                sum[l] = a.finish(a.multiply_add(a.widen(a.add(a.zero(), sum[l])), v, x[l]));
            }
        }
        for part in [plus, minus, valued] {
            for &s in part {
                marks[s as usize / 64] |= 1 << (s % 64);
            }
        }
        (plus.len() + minus.len() + valued.len()) as u64
    }
}

/// One line, added.
struct Push<'a, A: Arithmetic> {
    l: &'a Coefficients<A>,
    sums: &'a mut [[A::Lane; LANES]],
    marks: &'a mut [u64],
    line: usize,
    x: [A::Lane; LANES],
}

impl<A: Arithmetic<Lane: Word>> Kernel for Push<'_, A> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        self.l.push_line(self.line, &self.x, self.sums, self.marks)
    }
}

/// The slots that are marked, from the last to the first.
struct Solve<'a, A: Arithmetic> {
    l: &'a Coefficients<A>,
    outputs: usize,
    sums: &'a mut [[A::Lane; LANES]],
    marks: &'a mut [u64],
    left: &'a mut Vec<Remainder>,
    /// Where the slots are listed whose sums stay, if they do.
    kept: Option<&'a mut Vec<u32>>,
}

impl<A: Arithmetic<Lane: Word>> Kernel for Solve<'_, A> {
    /// Entries added.
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let Self { l, outputs, sums, marks, left, mut kept } = self;
        let (zero, mut work) = ([A::Lane::default(); LANES], 0);
        for word in (0..marks.len()).rev() {
            // A line marks slots before its own only, some of them perhaps in this word.
            while marks[word] != 0 {
                let bit = marks[word].ilog2();
                marks[word] ^= 1 << bit;
                let slot = word * 64 + bit as usize;
                let x = sums[slot];
                if x == zero {
                    continue;
                }
                match &mut kept {
                    Some(kept) if slot >= outputs => kept.push(slot as u32),
                    _ => sums[slot] = zero,
                }
                if slot < outputs {
                    let lanes = (0..LANES).fold(0, |lanes, l| lanes | ((x[l] != A::Lane::default()) as u32) << l);
                    left.push(Remainder { output: slot as u32, lanes });
                } else {
                    work += l.push_line(slot - outputs, &x, sums, marks);
                }
            }
        }
        work
    }
}

impl Engine {
    fn add_unit(&self, shape: Shape, space: &mut PushSpace, input: usize, lane: usize) {
        let (PushSpace { sums, marks, work }, line) = (space, shape.solved + input);
        engines!(match self, &mut sums.lanes => |l, sums| *work += l.add_unit(sums, marks, line, lane))
    }
    fn add(&self, shape: Shape, space: &mut PushSpace, input: usize, x: &[u64; LANES]) {
        let (PushSpace { sums, marks, work }, line) = (space, shape.solved + input);
        engines!(match self, &mut sums.lanes => |l, sums| *work += l.push(sums, marks, line, x.map(Word::narrow)))
    }
    fn solve(&self, shape: Shape, space: &mut PushSpace, kept: Option<&mut Vec<u32>>) -> Vec<Remainder> {
        let PushSpace { sums, marks, work } = space;
        let (left, more) = engines!(match self, &mut sums.lanes => |l, sums| l.solve(shape.outputs, sums, marks, kept));
        *work += more;
        left
    }
}

#[cfg(test)]
#[path = "push_tests.rs"]
mod tests;
