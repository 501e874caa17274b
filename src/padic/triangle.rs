//! The triangular chain of the minor: M = (U V; W Z) with U upper triangular of order t. With what is left of the
//! others, S = Z - W·U⁻¹·V, the system M·(x₁, x₂) = (c₁, c₂) has x₂ = S⁻¹·(c₂ - W·U⁻¹·c₁) and x₁ = U⁻¹·(c₁ - V·x₂).

use super::layers::Layer;
use crate::field::Modulus;
use crate::{Error, Result, memory};

/// M mod p, the columns of each row ascending, and the pivots of the chain.
#[derive(Debug)]
pub(super) struct Triangle {
    pub p: Modulus,
    /// t.
    pub chain: usize,
    pub layer: Layer,
    /// 1/u for the diagonal of U.
    factor: Vec<i64>,
    /// Where the entries behind the chain begin in each row.
    split: Vec<usize>,
    /// Whether sums of a row fit 64 bits.
    narrow: bool,
}

impl Triangle {
    /// # Errors
    /// [`Error::Check`] if the first `chain` rows and columns are not triangular.
    pub fn new(p: Modulus, mut layer: Layer, chain: usize) -> Result<Triangle> {
        const TRIANGLE: &str = "a triangular chain";
        layer.sort();
        let rows = layer.start.len() - 1;
        let mut factor = memory::with_capacity(chain, TRIANGLE)?;
        let mut split = memory::with_capacity(rows, TRIANGLE)?;
        let mut norm = 0u128;
        for i in 0..rows {
            let (cols, values) = layer.row(i);
            if i < chain {
                if cols.first() != Some(&(i as u32)) {
                    return Err(Error::Check(format!("row {i} of the minor breaks its triangular chain")));
                }
                factor.push(p.balanced(p.inv(p.reduce_i64(values[0].into()))));
            }
            split.push(layer.start[i] + cols.partition_point(|&j| (j as usize) < chain));
            norm = norm.max(values.iter().map(|v| u128::from(v.unsigned_abs())).sum());
        }
        // With one more number below p.
        let narrow = (norm + 2).saturating_mul(p.get().into()) < 1 << 63;
        Ok(Triangle { p, chain, layer, factor, split, narrow })
    }
    pub fn order(&self) -> usize {
        self.split.len()
    }

    /// x₁ = U⁻¹·(c₁ - V·x₂), or without V, in place of what the first t rows of x were.
    pub fn solve_chain<const L: usize>(&self, c: &[[i32; L]], with_beyond: bool, x: &mut [[i32; L]]) {
        match self.narrow {
            true => self.solve_chain_in::<i64, L>(c, with_beyond, x),
            false => self.solve_chain_in::<i128, L>(c, with_beyond, x),
        }
    }
    fn solve_chain_in<W: Word, const L: usize>(&self, c: &[[i32; L]], with_beyond: bool, x: &mut [[i32; L]]) {
        for k in (0..self.chain).rev() {
            let end = if with_beyond { self.layer.start[k + 1] } else { self.split[k] };
            let sums: [W; L] = self.sums(c[k], self.layer.start[k] + 1..end, x);
            let factor = self.factor[k];
            x[k] = sums.map(|sum| self.balanced(i64::from(sum.reduce(self.p)) * factor));
        }
    }
    /// c₂ - W·x₁, by rows, balanced.
    pub fn beyond<const L: usize>(&self, c: &[[i32; L]], x: &[[i32; L]], rest: &mut [[i32; L]]) {
        match self.narrow {
            true => self.beyond_in::<i64, L>(c, x, rest),
            false => self.beyond_in::<i128, L>(c, x, rest),
        }
    }
    fn beyond_in<W: Word, const L: usize>(&self, c: &[[i32; L]], x: &[[i32; L]], rest: &mut [[i32; L]]) {
        for (n, rest) in rest.iter_mut().enumerate() {
            let i = self.chain + n;
            let sums: [W; L] = self.sums(c[i], self.layer.start[i]..self.split[i], x);
            *rest = sums.map(|sum| sum.reduce(self.p));
        }
    }
    /// Columns `from + t …` of (V; Z), one a lane.
    pub fn columns_beyond<const L: usize>(&self, from: usize, to: &mut [[i32; L]]) {
        let first = (self.chain + from) as u32;
        for (i, to) in to.iter_mut().enumerate() {
            *to = [0; L];
            let (cols, values) = self.layer.row(i);
            let begin = cols.partition_point(|&j| j < first);
            let own = cols[begin..].iter().zip(&values[begin..]).take_while(|(j, _)| **j < first + L as u32);
            own.for_each(|(&j, &v)| to[(j - first) as usize] = v);
        }
    }

    /// c - Σ a·x over some entries.
    #[inline(always)]
    fn sums<W: Word, const L: usize>(&self, c: [i32; L], range: std::ops::Range<usize>, x: &[[i32; L]]) -> [W; L] {
        let mut sums = c.map(W::from);
        for (&j, &a) in self.layer.col[range.clone()].iter().zip(&self.layer.value[range]) {
            let x = &x[j as usize];
            (0..L).for_each(|l| sums[l].subtract(a, x[l]));
        }
        sums
    }
    #[inline(always)]
    fn balanced(&self, v: i64) -> i32 {
        self.p.balanced(self.p.reduce_i64(v)) as i32
    }
}

/// A word for sums of products of digits.
pub(super) trait Word: Copy + Default + From<i32> + Send + Sync + 'static {
    /// self - a·x.
    fn subtract(&mut self, a: i32, x: i32);
    fn add(&mut self, v: Self);
    /// The representative mod p of least absolute value.
    fn reduce(self, p: Modulus) -> i32;
    /// self/p, if p divides it. `inverse` is that of p mod 2⁶⁴ or 2¹²⁸.
    fn divide(self, p: Modulus, inverse: u128) -> Option<Self>;
}

impl Word for i64 {
    #[inline(always)]
    fn subtract(&mut self, a: i32, x: i32) {
        *self -= i64::from(a) * i64::from(x);
    }
    #[inline(always)]
    fn add(&mut self, v: i64) {
        *self += v;
    }
    #[inline(always)]
    fn reduce(self, p: Modulus) -> i32 {
        p.balanced(p.reduce_i64(self)) as i32
    }
    #[inline(always)]
    fn divide(self, p: Modulus, inverse: u128) -> Option<i64> {
        let quotient = self.wrapping_mul(inverse as u64 as i64);
        (quotient.checked_mul(p.get() as i64) == Some(self)).then_some(quotient)
    }
}

impl Word for i128 {
    #[inline(always)]
    fn subtract(&mut self, a: i32, x: i32) {
        *self -= i128::from(i64::from(a) * i64::from(x));
    }
    #[inline(always)]
    fn add(&mut self, v: i128) {
        *self += v;
    }
    #[inline(always)]
    fn reduce(self, p: Modulus) -> i32 {
        let r = p.reduce_u128(self.unsigned_abs());
        p.balanced(if self < 0 { p.neg(r) } else { r }) as i32
    }
    #[inline(always)]
    fn divide(self, p: Modulus, inverse: u128) -> Option<i128> {
        let quotient = self.wrapping_mul(inverse as i128);
        (quotient.checked_mul(p.get().into()) == Some(self)).then_some(quotient)
    }
}
