//! A nonsingular integer matrix B of order n with its inverse mod a prime p of 31 bits, and p-adic lifting with it (J.
//! D. Dixon, *Exact solution of linear equations using p-adic expansions*, Numerische Mathematik 40, 1982).
//!
//! Each digit X ≡ B⁻¹·R mod p leaves R - B·X ≡ 0 mod p, divided by p the next R. After k digits, B·Σ Xᵢpⁱ ≡ R₀ mod pᵏ.
//!
//! - *Solutions of B·x = b* ([`System::solve`]): fractions y/d with B·y ≡ d·b mod pᵏ solve the system once |B·y - d·b|
//!   ≤ ‖B‖·|y| + d·|b| < pᵏ, where ‖B‖ is the largest sum of absolute values in a row. Then d in lowest terms divides
//!   the last invariant factor of B.
//! - *s·B⁻¹ is integral* ([`System::is_integral`]) if and only if the last invariant factor divides s. With balanced
//!   digits R = 0 comes after finitely many, and then B·X = s·I over the integers.

use crate::dense::{Echelon, gemm};
use crate::field::{Modulus, Rng, random_prime};
use crate::integers::{fractions, large_gcd};
use crate::report::{Bytes, Kept, State};
use crate::sparse::{Integer, Triplets};
use crate::{Error, Observer, Result, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive, Zero};
use rand::RngExt;
use rayon::prelude::*;
use std::ops::{AddAssign, Mul};

/// What the memory is for.
const SYSTEM: &str = "an integer system";
const DIGITS: &str = "digits of solutions";
/// Random right sides are below 2^RIGHT.
pub(super) const RIGHT: u32 = 30;
/// Columns of s·B⁻¹ that are lifted together.
const BLOCK: usize = 128;

/// B and its inverse mod p.
pub(super) struct System {
    pub order: usize,
    pub modulus: Modulus,
    inverse: Vec<u64>,
    /// Rows: entries that are words.
    start: Vec<usize>,
    col: Vec<u32>,
    value: Vec<i64>,
    /// The others: row, column, value.
    large: Vec<(usize, usize, BigInt)>,
    /// ‖B‖.
    norm: BigInt,
    /// What identifies it to those who keep states: nothing if nobody does.
    name: Option<String>,
}

/// A solution y/d of B·x = b in lowest terms.
pub(super) struct Solution {
    pub numerators: Vec<BigInt>,
    pub denominator: BigUint,
}

impl Bytes for Solution {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        (&self.numerators, &self.denominator).write(to)
    }
}

impl State for Solution {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (numerators, denominator) = State::read(from)?;
        Some(Solution { numerators, denominator })
    }
}

/// What is left of right sides while they are lifted: 128 bits where they suffice.
trait Residual: State + Clone + Send + Sync {
    fn of(v: &BigInt) -> Option<Self>;
    fn residue(&self, p: Modulus) -> u64;
    fn is_zero(&self) -> bool;
    /// (self - sum - more)/p, if the division is exact.
    fn next(&mut self, sum: i128, more: Option<&BigInt>, p: i128) -> bool;
}

impl Residual for i128 {
    fn of(v: &BigInt) -> Option<Self> {
        // Room for a product with B, below 2³¹·2⁶³·2³⁰.
        v.to_i128().filter(|v| v.unsigned_abs() < 1 << 125)
    }
    fn residue(&self, p: Modulus) -> u64 {
        let r = p.reduce_u128(self.unsigned_abs());
        if *self < 0 { p.neg(r) } else { r }
    }
    fn is_zero(&self) -> bool {
        *self == 0
    }
    fn next(&mut self, sum: i128, _: Option<&BigInt>, p: i128) -> bool {
        let rest = *self - sum;
        // Words are divided several times as fast.
        if let (Ok(rest), Ok(p)) = (i64::try_from(rest), i64::try_from(p)) {
            *self = (rest / p).into();
            return rest % p == 0;
        }
        *self = rest / p;
        rest % p == 0
    }
}

impl Residual for BigInt {
    fn of(v: &BigInt) -> Option<Self> {
        Some(v.clone())
    }
    fn residue(&self, p: Modulus) -> u64 {
        p.reduce_bigint(self)
    }
    fn is_zero(&self) -> bool {
        Zero::is_zero(self)
    }
    fn next(&mut self, sum: i128, more: Option<&BigInt>, p: i128) -> bool {
        *self -= sum;
        more.iter().for_each(|&more| *self -= more);
        let rest = &*self % p;
        *self /= p;
        Zero::is_zero(&rest)
    }
}

impl System {
    /// `None` if B is singular mod p.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Interrupted`].
    pub fn new(b: &Triplets, modulus: Modulus, observer: &dyn Observer) -> Result<Option<System>> {
        let n = b.rows();
        let mut table = memory::zeros::<u64>(2 * n * n, SYSTEM)?;
        (0..n).for_each(|i| table[i * 2 * n + n + i] = 1);
        let (mut start, mut large) = (memory::zeros::<usize>(n + 1, SYSTEM)?, vec![]);
        let (mut col, mut value) = (memory::with_capacity(b.nnz(), SYSTEM)?, memory::with_capacity(b.nnz(), SYSTEM)?);
        let mut sums = memory::filled(BigInt::ZERO, n, SYSTEM)?;
        for (i, j, v) in b.entries() {
            let whole = v.to_bigint();
            table[i * 2 * n + j] = modulus.reduce_bigint(&whole);
            sums[i] += whole.abs();
            match v {
                Integer::Small(v) => {
                    col.push(j as u32);
                    value.push(v);
                    start[i + 1] += 1;
                }
                Integer::Big(_) => large.push((i, j, whole)),
            }
        }
        (0..n).for_each(|i| start[i + 1] += start[i]);
        let mut echelon = Echelon::new(modulus, 2 * n)?;
        echelon.absorb_block(n, &table, observer)?;
        drop(table);
        let reduced = echelon.reduced()?;
        if !reduced.pivot_cols().iter().copied().eq(0..n as u32) {
            return Ok(None);
        }
        let inverse = reduced.column_block(0..n)?;
        let norm = sums.into_iter().max().unwrap_or_default();
        let name = observer.keeper().map(|_| b.digest());
        Ok(Some(System { order: n, modulus, inverse, start, col, value, large, norm, name }))
    }
    /// That of a nonsingular matrix mod a random prime.
    ///
    /// # Errors
    /// As [`System::new`].
    pub fn of_nonsingular(b: &Triplets, rng: &mut Rng, observer: &dyn Observer) -> Result<System> {
        loop {
            // Few primes divide the determinant.
            if let Some(system) = System::new(b, random_prime(31, rng), observer)? {
                return Ok(system);
            }
        }
    }
    /// Bytes that a solution of order n takes while it is sought, about, if determinants have so many bits: digits of
    /// numerators and denominators, 30 bits in 4 bytes, and the numbers that are made of them.
    pub fn solution_memory(n: usize, bits: f64) -> u64 {
        (n as f64 * bits * (2.0 * 4.0 / 30.0 + 3.0 / 8.0)) as u64
    }
    /// Bytes for a matrix of order n.
    pub fn memory(n: usize) -> u64 {
        // (B | I), its echelon form, the inverse; entries.
        (2 * 8 + 2 * 8 + 8 + 12) * (n * n) as u64
    }
    /// Entries of B.
    pub fn nnz(&self) -> usize {
        self.value.len() + self.large.len()
    }

    /// `count` solutions for right sides that are random.
    ///
    /// # Errors
    /// [`Error::Check`] if there is none with numbers of at most so many bits, [`Error::Interrupted`],
    /// [`Error::Memory`].
    pub fn solve(&self, count: usize, bits: f64, rng: &mut Rng, observer: &dyn Observer) -> Result<Vec<Solution>> {
        let right: Vec<i64> = memory::collect(
            (0..self.order * count).map(|_| rng.random_range(-(1i64 << RIGHT) + 1..1 << RIGHT)),
            DIGITS,
        )?;
        match self.large.is_empty() {
            true => self.solve_for::<i128>(right.iter().map(|&v| v.into()), (count, RIGHT), bits, observer),
            false => self.solve_for::<BigInt>(right.iter().map(|&v| v.into()), (count, RIGHT), bits, observer),
        }
    }

    /// The solutions for these right sides, by place and value.
    ///
    /// # Errors
    /// As [`System::solve`].
    pub fn solve_sides(
        &self,
        sides: &[Vec<(u32, BigInt)>],
        bits: f64,
        observer: &dyn Observer,
    ) -> Result<Vec<Solution>> {
        let count = sides.len();
        let mut right = memory::filled(BigInt::ZERO, self.order * count, DIGITS)?;
        for (l, side) in sides.iter().enumerate() {
            side.iter().for_each(|(i, v)| right[*i as usize * count + l] = v.clone());
        }
        let size = right.iter().map(|v| v.bits()).max().unwrap_or(0) as u32;
        let narrow: Option<Vec<i128>> = right.iter().map(i128::of).collect();
        match narrow.filter(|_| self.large.is_empty()) {
            Some(narrow) => self.solve_for(narrow.into_iter(), (count, size), bits, observer),
            None => self.solve_for(right.into_iter(), (count, size), bits, observer),
        }
    }

    /// Right sides are below 2^size.
    fn solve_for<R: Residual>(
        &self,
        right: impl Iterator<Item = R>,
        (count, size): (usize, u32),
        bits: f64,
        observer: &dyn Observer,
    ) -> Result<Vec<Solution>> {
        let p = BigInt::from(self.modulus.get());
        let mut residual: Vec<R> = memory::collect(right, DIGITS)?;
        let (mut digits, mut found): (Vec<Vec<i32>>, Vec<Solution>) = (vec![], vec![]);
        let kept = Kept::of("digits", || (&self.name, self.modulus.get(), count, &residual), observer)?;
        // p^most > 2·(numerators · denominator), and enough for the check: by Cramer's rule numerators are sums of n
        // minors times right sides.
        let more = (self.norm.bits() + u64::from(size)) as f64 + (self.order.max(1) as f64).log2();
        let most = ((2.0 * (bits + f64::from(size)) + more + 8.0) / 30.0).ceil() as usize + 1;
        let mut attempt = 4.min(most);
        observer.phase("p-adic lifting", most as u64);
        if let Some((done, left)) = kept.load()?.filter(|(_, left): &(_, Vec<R>)| left.len() == residual.len()) {
            (digits, residual) = (done, left);
            observer.restored(digits.len() as u64);
        }
        let after = |k: usize| (k + k / 2).min(most);
        while attempt <= digits.len() && attempt < most {
            attempt = after(attempt);
        }
        for k in digits.len() + 1..=most {
            observer.check()?;
            observer.progress(k as u64);
            digits.push(self.digit(&mut residual, count)?);
            if k < attempt {
                if kept.is_due() {
                    kept.store(&(&digits, &residual))?;
                }
                continue;
            }
            attempt = after(k);
            let m = p.pow(k as u32);
            while found.len() < count {
                match self.reconstruct(&digits, (found.len(), count), size, &m) {
                    Some(solution) => found.push(solution),
                    None => break,
                }
            }
            if found.len() == count {
                return Ok(found);
            }
        }
        Err(Error::Check(format!("no fractions below 2^{bits:.0} solve a system")))
    }

    /// The next digit of each solution, and what it leaves.
    fn digit<R: Residual>(&self, residual: &mut [R], count: usize) -> Result<Vec<i32>> {
        let (p, n) = (self.modulus, self.order);
        let right: Vec<u64> = memory::collect(residual.iter().map(|r| r.residue(p)), DIGITS)?;
        let mut x = memory::zeros::<u64>(n * count, DIGITS)?;
        gemm(p, n, n, count, &self.inverse, &right, &mut x)?;
        let x: Vec<i32> = memory::collect(x.iter().map(|&x| p.balanced(x) as i32), DIGITS)?;
        let mut more: Vec<BigInt> = vec![];
        if !self.large.is_empty() {
            more = memory::filled(BigInt::ZERO, n * count, DIGITS)?;
            for (i, j, v) in &self.large {
                (0..count).for_each(|l| more[i * count + l] += v * x[j * count + l]);
            }
        }
        // Digits are below 2³⁰ and the entries of a row below 2³² together: their products fit words.
        let narrow = self.norm.bits() <= 32;
        let exact = residual.par_chunks_mut(count).enumerate().all(|(i, residual)| {
            let sums = if narrow { self.row_times::<i64>(i, &x, count) } else { self.row_times::<i128>(i, &x, count) };
            let next = |(l, (residual, sum)): (usize, (&mut R, i128))| {
                residual.next(sum, more.get(i * count + l), p.get().into())
            };
            residual.iter_mut().zip(sums).enumerate().map(next).fold(true, |all, exact| all & exact)
        });
        if exact { Ok(x) } else { Err(Error::Check("a residual is no multiple of the prime".into())) }
    }

    /// Row i, as far as its entries are words, times a block of digits; all sums fit `S`.
    fn row_times<S: From<i64> + From<i32> + Copy + AddAssign + Mul<Output = S> + Into<i128>>(
        &self,
        i: usize,
        x: &[i32],
        count: usize,
    ) -> Vec<i128> {
        let mut sums = vec![S::from(0i32); count];
        for k in self.start[i]..self.start[i + 1] {
            let (v, x) = (S::from(self.value[k]), &x[self.col[k] as usize * count..][..count]);
            sums.iter_mut().zip(x).for_each(|(sum, &x)| *sum += v * S::from(x));
        }
        sums.into_iter().map(Into::into).collect()
    }

    /// The solution that the digits of lane l give mod m, if it is one.
    fn reconstruct(&self, digits: &[Vec<i32>], (l, count): (usize, usize), size: u32, m: &BigInt) -> Option<Solution> {
        let x: Vec<BigInt> = (0..self.order)
            .map(|i| {
                let p = self.modulus.get();
                digits.iter().rev().fold(BigInt::ZERO, |sum, digit| sum * p + digit[i * count + l])
            })
            .collect();
        let (mut numerators, denominator) = fractions(&x, m)?;
        let largest = numerators.iter().map(|y| y.abs()).max().unwrap_or_default();
        let right = &denominator << size;
        if &self.norm * largest + right >= *m {
            return None;
        }
        let start = denominator.magnitude().clone();
        let common =
            numerators.iter().fold(start, |g, y| if g.is_one() { g } else { large_gcd(g, y.magnitude().clone()) });
        let denominator = denominator.magnitude() / &common;
        if !common.is_one() {
            let common = BigInt::from(common);
            numerators.iter_mut().for_each(|y| *y /= &common);
        }
        Some(Solution { numerators, denominator })
    }

    /// Whether s·B⁻¹ is integral and has at most so many digits.
    ///
    /// # Errors
    /// [`Error::Interrupted`], [`Error::Memory`].
    pub fn is_integral(&self, s: &BigUint, most: usize, observer: &dyn Observer) -> Result<bool> {
        let s = BigInt::from(s.clone());
        match i128::of(&s) {
            Some(s) if self.large.is_empty() => self.lift_inverse(s, 0i128, most, observer),
            _ => self.lift_inverse(s, BigInt::ZERO, most, observer),
        }
    }

    fn lift_inverse<R: Residual>(&self, s: R, zero: R, most: usize, observer: &dyn Observer) -> Result<bool> {
        observer.phase("integral inverse", self.order as u64);
        let kept = Kept::of("inverse", || (&self.name, self.modulus.get(), &s, most), observer)?;
        // Columns that are integral.
        let done: usize = kept.load()?.unwrap_or(0);
        observer.restored(done as u64);
        for first in (done..self.order).step_by(BLOCK) {
            let count = BLOCK.min(self.order - first);
            let mut residual = memory::filled(zero.clone(), self.order * count, DIGITS)?;
            (0..count).for_each(|l| residual[(first + l) * count + l] = s.clone());
            let mut digits = 0;
            while !residual.iter().all(R::is_zero) {
                observer.check()?;
                if digits == most {
                    return Ok(false);
                }
                self.digit(&mut residual, count)?;
                digits += 1;
            }
            observer.progress((first + count) as u64);
            if kept.is_due() {
                kept.store(&(first + count))?;
            }
        }
        Ok(true)
    }
}
