//! The straight-line program of one step: all 2^K settings of the K low columns, rows merged by pattern.
//!
//! The K low columns stay out of the Gray code. Let xᵢ be the value of row i with none of them in S. On the low columns
//! a row is a linear form; rows whose forms take equal values on the same settings ("the same pattern": for 0–1 rows,
//! the same support) need only their product Q\[P\]\[s\] for every distinct value s of the form. Deciding the last low
//! column by a bit b turns patterns on m columns into patterns on m - 1; those that become equal are multiplied:
//!
//! ```text
//! 0–1:  Q'[P'][t] = Q[P'0][t] · Q[P'1][t + b],   t = 0…|P'| low columns of the row in S
//! ```
//!
//! so that one setting costs Σ_{m<K} (m/2 + 1) = K + K(K-1)/4 products rather than n, and most of these are products of
//! few rows, which run in narrow lanes. When two columns are undecided four tables are left: C (rows with neither),
//! A\[b₁\], B\[b₀\] and D\[b₁b₀\], and a [`Tail`] sums their 4 leaves in 7 wide products:
//!
//! ```text
//! F = C · Σ_{b₁} (-1)^{b₁} A[b₁] · (B[0] D[b₁0] - B[1] D[b₁1])
//! ```
//!
//! [`Program::build`] unrolls the tree of decisions into single assignments (equal products once), proves a bound for
//! each value, gives it the narrowest of three widths that holds the bound, and packs the values into slots by their
//! lifetimes. The program depends only on the matrix, never on the position of the walk: an interpreter runs it over
//! vectors of lanes ([`exact`](super::exact), [`residues`](super::residues)); [`cuda`](super::cuda) prints it as source
//! code, one thread per lane.

mod build;
mod pack;

use std::ops::Range;

/// How many states of the walk run in parallel, one in each lane.
pub(super) const LANES: usize = 64;

/// One value in every lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Vector<T>(pub [T; LANES]);

impl<T: Copy> Vector<T> {
    /// f of both in every lane.
    #[inline(always)]
    pub fn zip(&self, other: &Self, f: impl Fn(T, T) -> T) -> Self {
        let mut result = *self;
        for l in 0..LANES {
            result.0[l] = f(self.0[l], other.0[l]);
        }
        result
    }
}

/// The largest tail operand of the exact engine: see [`exact`](super::exact) for the proof.
pub(super) const WIDEST: u128 = 1 << 49;

/// The width of a value: 16-bit and 32-bit integers, and integers of up to 49 bits kept in `f64`, all signed and exact.
/// In a modular program every value has the first width, which then means one residue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Width {
    W16,
    W32,
    W64,
}
use Width::{W16, W32, W64};

impl Width {
    fn holding(bound: u128) -> Option<Width> {
        let widths = [(W16, i16::MAX as u128), (W32, i32::MAX as u128), (W64, WIDEST)];
        widths.into_iter().find(|&(_, largest)| bound <= largest).map(|(width, _)| width)
    }
}

/// The operation of the instructions of a run; operands and result are slots of the named widths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// 16 ← row a (of the arena of rows) + constant b.
    Entry,
    /// 16 ← 16 · 16.
    Mul16,
    /// 32 ← 16 · 16.
    Widen32,
    /// 32 ← 16.
    Extend32,
    /// 32 ← 32 · 32.
    Mul32,
    /// 64 ← 32 · 32.
    Widen64,
    /// 64 ← 32.
    Extend64,
    /// 64 ← 64 · 64.
    Mul64,
    /// A [`Tail`] on 32-bit operands.
    Tail32,
    /// A [`Tail`] on 64-bit operands.
    Tail64,
}

impl Kind {
    /// The width of the operands.
    pub fn operand_width(self) -> Width {
        match self {
            Kind::Entry | Kind::Mul16 | Kind::Widen32 | Kind::Extend32 => W16,
            Kind::Mul32 | Kind::Widen64 | Kind::Extend64 | Kind::Tail32 => W32,
            Kind::Mul64 | Kind::Tail64 => W64,
        }
    }

    /// The width of the result, or of a tail's operands.
    pub fn width(self) -> Width {
        match self {
            Kind::Entry | Kind::Mul16 => W16,
            Kind::Widen32 | Kind::Extend32 | Kind::Mul32 | Kind::Tail32 => W32,
            Kind::Widen64 | Kind::Extend64 | Kind::Mul64 | Kind::Tail64 => W64,
        }
    }
}

/// One instruction on vectors of lanes; `b` is 0 if there is only one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    pub target: u16,
    pub a: u16,
    pub b: u16,
}

/// The slots of the four tables of the last two columns. `negative`: an odd number of the previously decided columns is
/// in S.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    pub c: u16,
    pub a: [u16; 2],
    pub b: [u16; 2],
    pub d: [[u16; 2]; 2],
    pub negative: bool,
}

/// A row as the program sees it.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// For every subset of the low columns (bit k: column k), the number of its value, by first appearance.
    pub pattern: Vec<u16>,
    /// For every subset, a bound on the row's absolute value, saturated.
    pub bounds: Vec<u128>,
}

/// The program of one step; see the module.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Instructions of one kind in a row; tails index `tails`.
    pub runs: Vec<(Kind, Range<usize>)>,
    pub instructions: Vec<Instruction>,
    /// The row and the subset of low columns of each entry constant.
    pub constants: Vec<(usize, usize)>,
    pub tails: Vec<Tail>,
    /// Slots of each width. Slot 0 of the first width holds 1 in every lane.
    pub slots: [usize; 3],
    /// Bounds of the operands C, A, B, D over all tails.
    pub tail_bounds: [u128; 4],
    /// Products in the program, tails aside.
    pub products: usize,
}

impl Program {
    /// An estimate of the time of one step, in units of one 512-bit operation.
    pub fn cost(&self) -> f64 {
        let run = |(kind, range): &(Kind, Range<usize>)| {
            let each = match kind {
                Kind::Entry | Kind::Mul16 => 4.0,
                Kind::Widen32 | Kind::Extend32 => 8.0,
                Kind::Mul32 => 8.0,
                Kind::Widen64 | Kind::Extend64 => 16.0,
                Kind::Mul64 => 16.0,
                Kind::Tail32 => 120.0,
                Kind::Tail64 => 150.0,
            };
            4.0 + each * range.len() as f64
        };
        self.runs.iter().map(run).sum()
    }
}

/// The labels renumbered by first appearance, and the old label of each new one.
pub(super) fn renumbered<T: PartialEq + Copy>(labels: &[T]) -> (Vec<u16>, Vec<T>) {
    let mut old: Vec<T> = Vec::new();
    let number = |&label: &T| {
        let at = old.iter().position(|&o| o == label).unwrap_or_else(|| {
            old.push(label);
            old.len() - 1
        });
        at as u16
    };
    (labels.iter().map(number).collect(), old)
}
