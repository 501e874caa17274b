//! Blocks of vectors ("multi-vectors", source paper section 2.5.1) in row-major order, residues as narrow as p allows.

#![allow(clippy::unnecessary_cast, reason = "the macro casts from every lane, u64 among them")]

use super::aligned::Aligned;
use super::rough;
use crate::field::{Modulus, Rng};
use crate::parallel::Each;
use crate::{Result, memory};
use rand::{Rng as _, RngExt};
use rayon::prelude::*;
use std::ops::Range;

/// Residues that one task changes.
const SHARE: usize = 1 << 14;
/// Words of a stream of random numbers between the places where tasks begin: a residue takes a few of them.
const STRIDE: u128 = 1 << 20;

/// The storage type of one residue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Lane {
    /// p ≤ 2⁸.
    U8,
    /// p ≤ 2¹⁶.
    U16,
    /// p ≤ 2³².
    U32,
    /// p < 2⁶³.
    U64,
    /// p ≤ 2²⁴, integers held exactly.
    F32,
    /// p ≤ 2⁵³, integers held exactly.
    F64,
}

impl std::fmt::Display for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Lane::U8 => "u8",
            Lane::U16 => "u16",
            Lane::U32 => "u32",
            Lane::U64 => "u64",
            Lane::F32 => "f32",
            Lane::F64 => "f64",
        })
    }
}

impl Lane {
    /// The narrowest integer lane for p.
    ///
    /// Floats hold small residues as well, but win nowhere that was measured: the Krylov sequence of mat1916 (s = 16,
    /// one thread, AVX-512) took 0.072 s in u16 lanes, 0.080 in u32, 0.114 in f64 mod 65521, and mod 251 over GF(251³)
    /// 0.25 s in u8, 0.26 in u16, 0.28 in f32. They are for processors without fast integer products: ask for them in
    /// the plan's options.
    pub fn narrowest(modulus: Modulus) -> Lane {
        match modulus.bits() {
            0..=8 => Lane::U8,
            9..=16 => Lane::U16,
            17..=32 => Lane::U32,
            _ => Lane::U64,
        }
    }
    /// Bytes of one residue.
    pub fn bytes(self) -> usize {
        match self {
            Lane::U8 => 1,
            Lane::U16 => 2,
            Lane::U32 | Lane::F32 => 4,
            Lane::U64 | Lane::F64 => 8,
        }
    }
    /// Whether every residue mod p has an exact value in this lane.
    pub fn holds(self, modulus: Modulus) -> bool {
        modulus.bits()
            <= match self {
                Lane::U8 => 8,
                Lane::U16 => 16,
                Lane::U32 => 32,
                Lane::U64 => 63,
                Lane::F32 => 24,
                Lane::F64 => 53,
            }
    }
}

/// The residues of a block, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Lanes {
    U8(Aligned<u8>),
    U16(Aligned<u16>),
    U32(Aligned<u32>),
    U64(Aligned<u64>),
    F32(Aligned<f32>),
    F64(Aligned<f64>),
}

/// `rows × width` residues in row-major order: the `width` residues of one index lie together.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub(crate) rows: usize,
    pub(crate) width: usize,
    pub(crate) lanes: Lanes,
}

macro_rules! each_lane {
    ($lanes:expr, $v:ident => $body:expr) => {
        match $lanes {
            Lanes::U8($v) => $body,
            Lanes::U16($v) => $body,
            Lanes::U32($v) => $body,
            Lanes::U64($v) => $body,
            Lanes::F32($v) => $body,
            Lanes::F64($v) => $body,
        }
    };
}

impl Block {
    /// The zero block. Its memory begins on a cache line; large blocks are first touched by rayon's current pool.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn zeros(lane: Lane, rows: usize, width: usize) -> Result<Self> {
        let n = rows.saturating_mul(width);
        let lanes = match lane {
            Lane::U8 => Lanes::U8(Aligned::zeros(n)?),
            Lane::U16 => Lanes::U16(Aligned::zeros(n)?),
            Lane::U32 => Lanes::U32(Aligned::zeros(n)?),
            Lane::U64 => Lanes::U64(Aligned::zeros(n)?),
            Lane::F32 => Lanes::F32(Aligned::zeros(n)?),
            Lane::F64 => Lanes::F64(Aligned::zeros(n)?),
        };
        Ok(Block { rows, width, lanes })
    }
    /// The block with the given residues, row by row. Panics if their number is not `rows * width`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn from_residues(lane: Lane, rows: usize, width: usize, residues: &[u64]) -> Result<Self> {
        assert_eq!(residues.len(), rows * width);
        let mut b = Self::zeros(lane, rows, width)?;
        each_lane!(&mut b.lanes, v => v.iter_mut().zip(residues).for_each(|(x, &r)| *x = r as _));
        Ok(b)
    }
    /// A uniformly random block mod p.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn random(lane: Lane, rows: usize, width: usize, modulus: Modulus, rng: &mut Rng) -> Result<Self> {
        let mut b = Self::zeros(lane, rows, width)?;
        b.fill_uniformly(0..rows, modulus, rng);
        Ok(b)
    }
    /// Fills `rows` with uniformly random residues, in parallel: each 2¹⁴ of them come from a place of their own in the
    /// stream, the first from where it stands.
    pub fn fill_uniformly(&mut self, rows: Range<usize>, modulus: Modulus, rng: &mut Rng) {
        let (range, p) = (rows.start * self.width..rows.end * self.width, modulus.get());
        let (start, ahead) = (rng.get_word_pos(), range.len().div_ceil(SHARE) as u128 * STRIDE);
        macro_rules! fill {
            ($v:expr, $p:expr) => {
                $v[range].par_chunks_mut(SHARE).enumerate().each(|(k, v)| {
                    let mut rng = rng.clone();
                    rng.set_word_pos(start + k as u128 * STRIDE);
                    v.iter_mut().for_each(|x| *x = rng.random_range(0..$p) as _);
                })
            };
        }
        if let Ok(p) = u32::try_from(p) {
            each_lane!(&mut self.lanes, v => fill!(v, p));
        } else {
            each_lane!(&mut self.lanes, v => fill!(v, p));
        }
        rng.set_word_pos(start + ahead);
    }
    /// Fills `rows` with random residues that are not quite uniform (some are twice as likely as others where p nearly
    /// fills the lane) and come from a generator for speed alone (SplitMix64: Steele, Lea, Flood, OOPSLA 2014): good
    /// enough to explore with, several times as fast as [`Block::fill_uniformly`].
    pub fn fill_roughly(&mut self, rows: Range<usize>, modulus: Modulus, rng: &mut Rng) {
        let (range, p) = (rows.start * self.width..rows.end * self.width, modulus.get());
        match &mut self.lanes {
            Lanes::U8(v) => rough::fill(rng.next_u64(), modulus, &mut v[range]),
            Lanes::U16(v) => rough::fill(rng.next_u64(), modulus, &mut v[range]),
            Lanes::U32(v) => rough::fill(rng.next_u64(), modulus, &mut v[range]),
            Lanes::U64(v) => rough::fill(rng.next_u64(), modulus, &mut v[range]),
            Lanes::F32(v) => v[range].iter_mut().for_each(|x| *x = rng.random_range(0..p) as f32),
            Lanes::F64(v) => v[range].iter_mut().for_each(|x| *x = rng.random_range(0..p) as f64),
        }
    }
    /// Fills `rows` of a packed block with uniformly random bits.
    ///
    /// # Panics
    /// If the lanes are not [`Lane::U32`].
    pub fn fill_bits(&mut self, rows: Range<usize>, rng: &mut Rng) {
        let range = rows.start * self.width..rows.end * self.width;
        let Lanes::U32(lanes) = &mut self.lanes else { panic!("packed lanes are words of 32 bits") };
        lanes[range].iter_mut().for_each(|word| *word = rng.next_u32());
    }
    /// Sets bit b of row i of a packed block.
    ///
    /// # Panics
    /// If the lanes are not [`Lane::U32`], or have fewer bits.
    pub fn set_bit(&mut self, i: usize, b: usize) {
        assert!(b < 32 * self.width, "bit {b} of {} words", self.width);
        let Lanes::U32(lanes) = &mut self.lanes else { panic!("packed lanes are words of 32 bits") };
        lanes[i * self.width + b / 32] |= 1 << (b % 32);
    }
    /// Sets `rows` to zero.
    pub fn clear(&mut self, rows: Range<usize>) {
        let range = rows.start * self.width..rows.end * self.width;
        each_lane!(&mut self.lanes, v => v[range].fill(Default::default()))
    }
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Residues in a row.
    pub fn width(&self) -> usize {
        self.width
    }
    /// The storage type.
    pub fn lane(&self) -> Lane {
        match self.lanes {
            Lanes::U8(_) => Lane::U8,
            Lanes::U16(_) => Lane::U16,
            Lanes::U32(_) => Lane::U32,
            Lanes::U64(_) => Lane::U64,
            Lanes::F32(_) => Lane::F32,
            Lanes::F64(_) => Lane::F64,
        }
    }
    /// The residue at (i, l).
    pub fn get(&self, i: usize, l: usize) -> u64 {
        assert!(l < self.width);
        each_lane!(&self.lanes, v => v[i * self.width + l] as u64)
    }
    /// Whether all residues of row i are 0.
    pub fn is_zero(&self, i: usize) -> bool {
        let row = i * self.width..(i + 1) * self.width;
        each_lane!(&self.lanes, v => v[row].iter().all(|&x| x as u64 == 0))
    }
    /// Sets the residue at (i, l).
    pub fn set(&mut self, i: usize, l: usize, residue: u64) {
        assert!(l < self.width);
        each_lane!(&mut self.lanes, v => v[i * self.width + l] = residue as _)
    }
    /// Sets the first entries of row i. Panics if there are more than the width.
    pub fn set_row(&mut self, i: usize, residues: impl ExactSizeIterator<Item = u64>) {
        assert!(residues.len() <= self.width);
        let row = i * self.width..(i + 1) * self.width;
        each_lane!(&mut self.lanes, v => v[row].iter_mut().zip(residues).for_each(|(x, residue)| *x = residue as _))
    }
    /// Copies `count` rows of `from`, from its row `source` on, to row `target` and on. Panics if lanes or widths
    /// differ.
    pub fn copy_rows(&mut self, target: usize, from: &Block, source: usize, count: usize) {
        assert_eq!(self.width, from.width, "blocks of different widths");
        let width = self.width;
        let (to, of) = (target * width..(target + count) * width, source * width..(source + count) * width);
        macro_rules! copy {
            ($($lane:ident)*) => {
                match (&mut self.lanes, &from.lanes) {
                    $((Lanes::$lane(y), Lanes::$lane(x)) => y[to].copy_from_slice(&x[of]),)*
                    _ => panic!("blocks of different lanes"),
                }
            };
        }
        copy!(U8 U16 U32 U64 F32 F64);
    }
    /// Appends the first `count` residues of row i.
    ///
    /// # Panics
    /// If there are not so many, or i is out of range.
    pub fn push_row(&self, i: usize, count: usize, to: &mut Vec<u64>) {
        assert!(count <= self.width, "{count} residues of a row of {}", self.width);
        let range = i * self.width..i * self.width + count;
        each_lane!(&self.lanes, v => to.extend(v[range].iter().map(|&x| x as u64)));
    }
    /// Adds residues mod p, row by row, to rows from number `first` on.
    ///
    /// # Panics
    /// If there are not so many rows.
    pub fn add_rows(&mut self, p: Modulus, first: usize, residues: &[u64]) {
        let range = first * self.width..first * self.width + residues.len();
        each_lane!(&mut self.lanes, v => v[range].par_chunks_mut(SHARE).zip(residues.par_chunks(SHARE)).each(
            |(v, residues)| v.iter_mut().zip(residues).for_each(|(x, &y)| *x = p.add(*x as u64, y) as _)
        ));
    }
    /// Subtracts another block mod p.
    ///
    /// # Panics
    /// If lanes or shapes differ.
    pub fn subtract(&mut self, p: Modulus, other: &Block) {
        assert_eq!((self.rows, self.width), (other.rows, other.width), "blocks of different shapes");
        macro_rules! subtract {
            ($($lane:ident)*) => {
                match (&mut self.lanes, &other.lanes) {
                    $((Lanes::$lane(y), Lanes::$lane(x)) => y.par_chunks_mut(SHARE).zip(x.par_chunks(SHARE)).each(
                        |(y, x)| y.iter_mut().zip(x).for_each(|(y, &x)| *y = p.sub(*y as u64, x as u64) as _)
                    ),)*
                    _ => panic!("blocks of different lanes"),
                }
            };
        }
        subtract!(U8 U16 U32 U64 F32 F64);
    }
    /// All residues, row by row.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn to_residues(&self) -> Result<Vec<u64>> {
        let mut residues = memory::with_capacity(self.rows * self.width, "the residues of a block of vectors")?;
        each_lane!(&self.lanes, v => residues.extend(v.iter().map(|&x| x as u64)));
        Ok(residues)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn rows_are_copied_cleared_and_filled() {
        let mut rng = Rng::seed_from_u64(1);
        for (p, lane) in
            [(2, Lane::U8), (251, Lane::F32), (65521, Lane::U16), (65521, Lane::F64), ((1 << 61) - 1, Lane::U64)]
        {
            let p = Modulus::new(p).unwrap();
            let a = Block::random(lane, 7, 3, p, &mut rng).unwrap();
            let mut b = Block::zeros(lane, 9, 3).unwrap();
            b.copy_rows(1, &a, 3, 4);
            assert!(
                (0..9).all(|i| (0..3).all(|l| b.get(i, l) == if (1..5).contains(&i) { a.get(i + 2, l) } else { 0 }))
            );
            b.fill_roughly(0..9, p, &mut rng);
            assert!(
                b.to_residues().unwrap().iter().all(|&x| x < p.get())
                    && b.to_residues().unwrap().iter().any(|&x| x > 0)
            );
            b.clear(1..9);
            assert!(b.to_residues().unwrap()[3..].iter().all(|&x| x == 0));
        }
    }

    #[test]
    fn bits_are_set_and_drawn() {
        let mut rng = Rng::seed_from_u64(3);
        let mut b = Block::zeros(Lane::U32, 100, 16).unwrap();
        b.set_bit(2, 37);
        assert_eq!((b.get(2, 1), b.to_residues().unwrap().iter().sum::<u64>()), (1 << 5, 1 << 5));
        b.fill_bits(50..100, &mut rng);
        let ones: u32 = b.to_residues().unwrap()[50 * 16..].iter().map(|word| word.count_ones()).sum();
        assert!((12_000..13_600).contains(&ones), "{ones} of 25600 bits");
        assert_eq!(b.to_residues().unwrap()[..50 * 16].iter().sum::<u64>(), 1 << 5);
    }

    #[test]
    fn rough_residues_reach_all_of_a_small_field() {
        let mut rng = Rng::seed_from_u64(2);
        for p in [2, 3, 251] {
            let mut b = Block::zeros(Lane::U8, 300, 32).unwrap();
            b.fill_roughly(0..300, Modulus::new(p).unwrap(), &mut rng);
            let mut seen = vec![false; p as usize];
            b.to_residues().unwrap().iter().for_each(|&x| seen[x as usize] = true);
            assert!(seen.iter().all(|s| *s), "p = {p}");
        }
    }
}
