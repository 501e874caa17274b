//! Products with a dense inverse mod p: sums of machine words, which are reduced once a row.

use crate::dense::Echelon;
use crate::field::Modulus;
use crate::isa::{Isa, Kernel};
use crate::parallel::Each;
use crate::report::{Kept, Quiet};
use crate::{Error, Observer, Result, memory};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

/// Terms of a sum between two foldings: |a|, |x| ≤ p/2 < 2²⁹ make 16 products below 2⁶².
const TERMS: usize = 16;
/// Entries that one task multiplies.
const TASK: usize = 1 << 17;
/// Rows that are eliminated between two looks at the time.
const PANEL: usize = 1024;
/// Residues that are hashed at a time.
const CHUNK: usize = 1 << 10;
/// What the memory is for.
const INVERSE: &str = "the inverse of a dense complement";

/// An s × s matrix mod p < 2³⁰.
#[derive(Debug)]
pub(super) struct Inverse {
    p: Modulus,
    order: usize,
    values: Vec<i32>,
}

impl Inverse {
    /// Room for one.
    pub fn zero(p: Modulus, order: usize) -> Result<Inverse> {
        Ok(Inverse { p, order, values: memory::zeros(order * order, INVERSE)? })
    }
    /// Gives columns `from …` the residues of a row-major block of `width` columns.
    pub fn set_columns(&mut self, from: usize, width: usize, block: &[u64]) {
        let p = self.p;
        for (to, row) in self.values.chunks_exact_mut(self.order).zip(block.chunks_exact(width)) {
            to[from..from + width].iter_mut().zip(row).for_each(|(to, &v)| *to = p.balanced(v) as i32);
        }
    }
    /// That of the matrix with the residues `table` beside the identity, s × 2s.
    ///
    /// # Errors
    /// [`Error::Check`] if it is singular.
    pub fn of(p: Modulus, order: usize, table: &[u64], observer: &dyn Observer) -> Result<Inverse> {
        let kept = Kept::of("inverse", || (p.get(), order, digest(table)), observer)?;
        let mut echelon = match kept.load()? {
            Some(echelon) => {
                observer.restored(Echelon::rows_seen(&echelon) as u64);
                echelon
            }
            None => Echelon::new(p, 2 * order)?,
        };
        let rest = &table[echelon.rows_seen() * 2 * order..];
        for rows in rest.chunks((PANEL * 2 * order).max(1)) {
            if kept.is_due() {
                kept.store(&echelon)?;
            }
            echelon.absorb_block(rows.len() / (2 * order), rows, &Quiet(observer))?;
            observer.progress(echelon.rows_seen() as u64);
        }
        let reduced = echelon.reduced()?;
        if !reduced.pivot_cols().iter().copied().eq(0..order as u32) {
            return Err(Error::Check("the minor of a system is singular".into()));
        }
        let mut inverse = Inverse::zero(p, order)?;
        inverse.set_columns(0, order, &reduced.column_block(0..order)?);
        Ok(inverse)
    }
    /// Bytes.
    pub fn memory(order: usize) -> u64 {
        4 * (order as u64).pow(2)
    }
    /// `to` ← this · `x`, balanced.
    pub fn multiply<const L: usize>(&self, x: &[[i32; L]], to: &mut [[i32; L]]) {
        let isa = Isa::best();
        let rows = (TASK / (self.order * L).max(1)).max(1);
        let tasks = self.values.par_chunks(rows * self.order.max(1)).zip(to.par_chunks_mut(rows));
        if self.order <= rows {
            isa.run(Multiply { p: self.p, rows: &self.values, x, to });
        } else {
            tasks.each(|(rows, to)| isa.run(Multiply { p: self.p, rows, x, to }));
        }
    }
}

/// SHA-256 of residues.
fn digest(table: &[u64]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for chunk in table.chunks(CHUNK) {
        let bytes: Vec<u8> = chunk.iter().flat_map(|word| word.to_le_bytes()).collect();
        hash.update(&bytes);
    }
    hash.finalize().into()
}

/// Some rows times x.
struct Multiply<'a, const L: usize> {
    p: Modulus,
    rows: &'a [i32],
    x: &'a [[i32; L]],
    to: &'a mut [[i32; L]],
}

/// Sums in two halves: high · 2³² + low.
#[inline(always)]
fn fold<const N: usize>(sums: [i64; N], high: &mut [i64; N], low: &mut [i64; N]) {
    for l in 0..N {
        high[l] += sums[l] >> 32;
        low[l] += sums[l] & 0xffff_ffff;
    }
}

#[inline(always)]
fn whole(p: Modulus, high: i64, low: i64) -> i32 {
    // |high| < 2³¹ · s/16 and low < 2³² · s/16: the sum stays below 2¹²⁷.
    let sum = (i128::from(high) << 32) + i128::from(low);
    let r = p.reduce_u128(sum.unsigned_abs());
    p.balanced(if sum < 0 { p.neg(r) } else { r }) as i32
}

/// Independent sums of one row and one right side.
const LANES: usize = 8;

impl<const L: usize> Kernel for Multiply<'_, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Multiply { p, rows, x, to } = self;
        for (row, to) in rows.chunks_exact(x.len()).zip(to) {
            if L == 1 {
                let (mut high, mut low) = ([0i64; LANES], [0i64; LANES]);
                for (row, x) in row.chunks(TERMS * LANES).zip(x.chunks(TERMS * LANES)) {
                    let mut sums = [0i64; LANES];
                    let (whole_row, rest_row) = row.as_chunks::<LANES>();
                    let (whole_x, rest_x) = x.as_chunks::<LANES>();
                    for (a, x) in whole_row.iter().zip(whole_x) {
                        (0..LANES).for_each(|l| sums[l] += i64::from(a[l]) * i64::from(x[l][0]));
                    }
                    for (l, (a, x)) in rest_row.iter().zip(rest_x).enumerate() {
                        sums[l] += i64::from(*a) * i64::from(x[0]);
                    }
                    fold(sums, &mut high, &mut low);
                }
                to[0] = whole(p, high.iter().sum(), low.iter().sum());
            } else {
                let (mut high, mut low) = ([0i64; L], [0i64; L]);
                for (row, x) in row.chunks(TERMS).zip(x.chunks(TERMS)) {
                    let mut sums = [0i64; L];
                    for (&a, x) in row.iter().zip(x) {
                        (0..L).for_each(|l| sums[l] += i64::from(a) * i64::from(x[l]));
                    }
                    fold(sums, &mut high, &mut low);
                }
                *to = std::array::from_fn(|l| whole(p, high[l], low[l]));
            }
        }
    }
}
