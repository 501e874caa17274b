//! Accumulation with delayed reduction: how residues are stored, added up and brought back (source paper, section 2.2).
//!
//! An [`Arithmetic`] fixes a storage type of residues (the lane), a type of matrix values and an accumulator. A sum may take
//! [`Arithmetic::sum_terms`] residues or [`Arithmetic::product_terms`] products after a [`Arithmetic::fold`] before the next
//! one is due. Values are balanced, |v| ≤ p/2, which doubles the second budget. Reduction is by the nearest multiple of p,
//! found in floating point: with |acc|/p ≤ Q and a relative error of three roundings of u = 2⁻²⁴ (2⁻⁵³), the quotient is off by
//! at most 1/2 + 3uQ < 1, so that the remainder lies strictly between -p and p.

use crate::field::Modulus;

/// Sums of residues and products mod p in one accumulator type. All methods are lane-wise and `#[inline(always)]`.
pub(crate) trait Arithmetic: Copy + Send + Sync + std::fmt::Debug {
    /// A stored residue 0 … p-1.
    type Lane: Copy + Default + Send + Sync + PartialEq;
    /// A matrix value, prepared.
    type Value: Copy + Default + Send + Sync + std::fmt::Debug;
    /// A sum.
    type Acc: Copy;
    /// What a row is scaled by, prepared.
    type Scalar: Copy + Send + Sync;

    /// The arithmetic for p. Panics if a single term does not fit.
    fn new(p: Modulus) -> Self;
    /// Residues that may be added to a folded sum: the largest T with p + T·(p-1) ≤ limit.
    fn sum_terms(p: Modulus) -> u64;
    /// Products of a value and a residue that may be added to a folded sum: the largest T with p + T·(p-1)·⌊p/2⌋ ≤ limit.
    fn product_terms(p: Modulus) -> u64;

    fn value(self, residue: u64) -> Self::Value;
    fn scalar(self, residue: u64) -> Self::Scalar;
    fn zero(self) -> Self::Acc;
    fn add(self, sum: Self::Acc, x: Self::Lane) -> Self::Acc;
    fn sub(self, sum: Self::Acc, x: Self::Lane) -> Self::Acc;
    fn multiply_add(self, sum: Self::Acc, v: Self::Value, x: Self::Lane) -> Self::Acc;
    /// The same residue, of absolute value below p.
    fn fold(self, sum: Self::Acc) -> Self::Acc;
    /// The canonical residue of the sum.
    fn finish(self, sum: Self::Acc) -> Self::Lane;
    /// The canonical residue of d times the sum.
    fn scale(self, sum: Self::Acc, d: Self::Scalar) -> Self::Lane;
}

/// The largest T with p + T·term ≤ limit; 0 if not even p fits.
fn terms(p: Modulus, term: u128, limit: u128) -> u64 {
    (limit.saturating_sub(p.get() as u128) / term.max(1)).min(u64::MAX as u128) as u64
}
/// The largest residue p - 1.
fn residue(p: Modulus) -> u128 {
    (p.get() - 1) as u128
}
/// The largest product (p - 1)·⌊p/2⌋ of a residue and a balanced value.
fn product(p: Modulus) -> u128 {
    residue(p) * (p.get() / 2) as u128
}

/// 32-bit signed sums over 8- and 16-bit lanes. Limit: min(2³¹ - 1, 2²¹·p).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Narrow<L, V> {
    p: i32,
    inverse: f32,
    types: std::marker::PhantomData<(L, V)>,
}

/// 1.5·2²³: adding it rounds a float of magnitude below 2²² to an integer held in the low bits.
const MAGIC_32: f32 = 12582912.0;
/// 1.5·2⁵².
const MAGIC_64: f64 = 6755399441055744.0;

impl<L, V> Narrow<L, V> {
    /// acc - round(acc/p)·p.
    #[inline(always)]
    fn nearest(self, acc: i32) -> i32 {
        let quotient = (acc as f32 * self.inverse + MAGIC_32).to_bits().wrapping_sub(MAGIC_32.to_bits()) as i32;
        acc.wrapping_sub(quotient.wrapping_mul(self.p))
    }
    #[inline(always)]
    fn canonical(self, r: i32) -> i32 {
        r + (self.p & (r >> 31))
    }
}

macro_rules! narrow {
    ($lane:ty, $value:ty) => {
        impl Arithmetic for Narrow<$lane, $value> {
            type Lane = $lane;
            type Value = $value;
            type Acc = i32;
            type Scalar = i32;

            fn new(p: Modulus) -> Self {
                assert!(p.get() <= <$lane>::MAX as u64 + 1, "p = {p} does not fit the lane");
                Narrow { p: p.get() as i32, inverse: 1.0 / p.get() as f32, types: std::marker::PhantomData }
            }
            fn sum_terms(p: Modulus) -> u64 {
                terms(p, residue(p), (i32::MAX as u128).min((p.get() as u128) << 21))
            }
            fn product_terms(p: Modulus) -> u64 {
                terms(p, product(p), (i32::MAX as u128).min((p.get() as u128) << 21))
            }
            #[inline(always)]
            fn value(self, residue: u64) -> $value {
                self.scalar(residue) as $value
            }
            #[inline(always)]
            fn scalar(self, residue: u64) -> i32 {
                let r = residue as i32;
                if r > self.p / 2 { r - self.p } else { r }
            }
            #[inline(always)]
            fn zero(self) -> i32 {
                0
            }
            #[inline(always)]
            fn add(self, sum: i32, x: $lane) -> i32 {
                sum.wrapping_add(x as i32)
            }
            #[inline(always)]
            fn sub(self, sum: i32, x: $lane) -> i32 {
                sum.wrapping_sub(x as i32)
            }
            #[inline(always)]
            fn multiply_add(self, sum: i32, v: $value, x: $lane) -> i32 {
                sum.wrapping_add((v as i32).wrapping_mul(x as i32))
            }
            #[inline(always)]
            fn fold(self, sum: i32) -> i32 {
                self.nearest(sum)
            }
            #[inline(always)]
            fn finish(self, sum: i32) -> $lane {
                self.canonical(self.nearest(sum)) as $lane
            }
            #[inline(always)]
            fn scale(self, sum: i32, d: i32) -> $lane {
                // The remainder is at most 7/8 p (error 3·2⁻²⁴·2²¹ of the quotient), the scalar p/2: 7/16 p² < 2³¹.
                self.finish(self.nearest(sum).wrapping_mul(d))
            }
        }
    };
}
narrow!(u8, i8);
narrow!(u16, i16);

/// 64-bit signed sums over 16- and 32-bit lanes. Limit: min(2⁶³ - 1, 2⁵⁰·p).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide<L, V> {
    p: i64,
    inverse: f64,
    types: std::marker::PhantomData<(L, V)>,
}

/// acc - round(acc/p)·p for |acc| ≤ 2⁵⁰·p.
#[inline(always)]
fn nearest(acc: i64, p: i64, inverse: f64) -> i64 {
    let quotient = (acc as f64 * inverse + MAGIC_64).to_bits().wrapping_sub(MAGIC_64.to_bits()) as i64;
    acc.wrapping_sub(quotient.wrapping_mul(p))
}
#[inline(always)]
fn canonical(r: i64, p: i64) -> i64 {
    r + (p & (r >> 63))
}
#[inline(always)]
fn balanced(residue: u64, p: i64) -> i64 {
    let r = residue as i64;
    if r > p / 2 { r - p } else { r }
}

macro_rules! wide {
    ($lane:ty, $value:ty) => {
        impl Arithmetic for Wide<$lane, $value> {
            type Lane = $lane;
            type Value = $value;
            type Acc = i64;
            type Scalar = i64;

            fn new(p: Modulus) -> Self {
                assert!(p.get() <= <$lane>::MAX as u64 + 1, "p = {p} does not fit the lane");
                Wide { p: p.get() as i64, inverse: 1.0 / p.get() as f64, types: std::marker::PhantomData }
            }
            fn sum_terms(p: Modulus) -> u64 {
                terms(p, residue(p), (i64::MAX as u128).min((p.get() as u128) << 50))
            }
            fn product_terms(p: Modulus) -> u64 {
                terms(p, product(p), (i64::MAX as u128).min((p.get() as u128) << 50))
            }
            #[inline(always)]
            fn value(self, residue: u64) -> $value {
                balanced(residue, self.p) as $value
            }
            #[inline(always)]
            fn scalar(self, residue: u64) -> i64 {
                balanced(residue, self.p)
            }
            #[inline(always)]
            fn zero(self) -> i64 {
                0
            }
            #[inline(always)]
            fn add(self, sum: i64, x: $lane) -> i64 {
                sum.wrapping_add(x as i64)
            }
            #[inline(always)]
            fn sub(self, sum: i64, x: $lane) -> i64 {
                sum.wrapping_sub(x as i64)
            }
            #[inline(always)]
            fn multiply_add(self, sum: i64, v: $value, x: $lane) -> i64 {
                sum.wrapping_add((v as i64).wrapping_mul(x as i64))
            }
            #[inline(always)]
            fn fold(self, sum: i64) -> i64 {
                nearest(sum, self.p, self.inverse)
            }
            #[inline(always)]
            fn finish(self, sum: i64) -> $lane {
                canonical(nearest(sum, self.p, self.inverse), self.p) as $lane
            }
            #[inline(always)]
            fn scale(self, sum: i64, d: i64) -> $lane {
                // Below p · p/2 < 2⁶³ for p < 2³².
                self.finish(nearest(sum, self.p, self.inverse).wrapping_mul(d))
            }
        }
    };
}
wide!(u16, i16);
wide!(u32, i32);

/// Products of 32-bit lanes with their low and high halves summed apart, for p near 2³². Budget: 2³⁰ terms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    p: i64,
    inverse: f64,
    /// 2³² mod p, balanced.
    high: i64,
}

impl Split {
    /// 2³⁰ low halves stay below 2⁶², and so do 2³⁰ residues; the quotient by p > 2¹⁶ is below 2⁵⁰.
    const TERMS: u64 = 1 << 30;
    pub(super) const LEAST_MODULUS: u64 = 1 << 16;

    #[inline(always)]
    fn remainder(self, (low, high): (i64, i64)) -> i64 {
        let high = nearest(high, self.p, self.inverse).wrapping_mul(self.high);
        // |high| < p·p/2 and the low remainder < p: below 2⁶³ together.
        nearest(high.wrapping_add(nearest(low, self.p, self.inverse)), self.p, self.inverse)
    }
}

impl Arithmetic for Split {
    type Lane = u32;
    type Value = i32;
    type Acc = (i64, i64);
    type Scalar = i64;

    fn new(p: Modulus) -> Self {
        assert!((Self::LEAST_MODULUS..1 << 32).contains(&p.get()), "p = {p} is not for split products");
        let m = p.get() as i64;
        Split { p: m, inverse: 1.0 / m as f64, high: balanced((1u64 << 32) % p.get(), m) }
    }
    fn sum_terms(_p: Modulus) -> u64 {
        Self::TERMS
    }
    fn product_terms(_p: Modulus) -> u64 {
        Self::TERMS
    }
    #[inline(always)]
    fn value(self, residue: u64) -> i32 {
        balanced(residue, self.p) as i32
    }
    #[inline(always)]
    fn scalar(self, residue: u64) -> i64 {
        balanced(residue, self.p)
    }
    #[inline(always)]
    fn zero(self) -> (i64, i64) {
        (0, 0)
    }
    #[inline(always)]
    fn add(self, (low, high): (i64, i64), x: u32) -> (i64, i64) {
        (low.wrapping_add(x as i64), high)
    }
    #[inline(always)]
    fn sub(self, (low, high): (i64, i64), x: u32) -> (i64, i64) {
        (low.wrapping_sub(x as i64), high)
    }
    #[inline(always)]
    fn multiply_add(self, (low, high): (i64, i64), v: i32, x: u32) -> (i64, i64) {
        // |v| ≤ 2³¹ - 3 and x ≤ 2³² - 6: the product is an i64.
        let product = (v as i64).wrapping_mul(x as i64);
        (low.wrapping_add(product & 0xffff_ffff), high.wrapping_add(product >> 32))
    }
    #[inline(always)]
    fn fold(self, sum: (i64, i64)) -> (i64, i64) {
        (self.remainder(sum), 0)
    }
    #[inline(always)]
    fn finish(self, sum: (i64, i64)) -> u32 {
        canonical(self.remainder(sum), self.p) as u32
    }
    #[inline(always)]
    fn scale(self, sum: (i64, i64), d: i64) -> u32 {
        canonical(nearest(self.remainder(sum).wrapping_mul(d), self.p, self.inverse), self.p) as u32
    }
}

/// 64-bit lanes for p < 2⁶³: every sum stays canonical, products by Shoup's precomputed quotients.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Long {
    p: u64,
}

/// A residue w with ⌊2⁶⁴·w/p⌋.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shoup {
    w: u64,
    quotient: u64,
}

impl Long {
    #[inline(always)]
    fn sum(self, a: u64, b: u64) -> u64 {
        let s = a.wrapping_add(b); // < 2p < 2⁶⁴
        s.min(s.wrapping_sub(self.p))
    }
    /// w·x mod p for any x < 2⁶⁴: w·x - ⌊quotient·x/2⁶⁴⌋·p lies in [0, 2p).
    #[inline(always)]
    fn times(self, s: Shoup, x: u64) -> u64 {
        let q = ((s.quotient as u128 * x as u128) >> 64) as u64;
        let r = s.w.wrapping_mul(x).wrapping_sub(q.wrapping_mul(self.p));
        r.min(r.wrapping_sub(self.p))
    }
}

impl Arithmetic for Long {
    type Lane = u64;
    type Value = Shoup;
    type Acc = u64;
    type Scalar = Shoup;

    fn new(p: Modulus) -> Self {
        Long { p: p.get() }
    }
    fn sum_terms(_p: Modulus) -> u64 {
        u64::MAX
    }
    fn product_terms(_p: Modulus) -> u64 {
        u64::MAX
    }
    #[inline(always)]
    fn value(self, residue: u64) -> Shoup {
        Shoup { w: residue, quotient: (((residue as u128) << 64) / self.p as u128) as u64 }
    }
    #[inline(always)]
    fn scalar(self, residue: u64) -> Shoup {
        self.value(residue)
    }
    #[inline(always)]
    fn zero(self) -> u64 {
        0
    }
    #[inline(always)]
    fn add(self, sum: u64, x: u64) -> u64 {
        self.sum(sum, x)
    }
    #[inline(always)]
    fn sub(self, sum: u64, x: u64) -> u64 {
        let d = sum.wrapping_sub(x);
        d.min(d.wrapping_add(self.p))
    }
    #[inline(always)]
    fn multiply_add(self, sum: u64, v: Shoup, x: u64) -> u64 {
        self.sum(sum, self.times(v, x))
    }
    #[inline(always)]
    fn fold(self, sum: u64) -> u64 {
        sum
    }
    #[inline(always)]
    fn finish(self, sum: u64) -> u64 {
        sum
    }
    #[inline(always)]
    fn scale(self, sum: u64, d: Shoup) -> u64 {
        self.times(d, sum)
    }
}

macro_rules! float {
    ($(#[$doc:meta])* $name:ident, $t:ty, $mantissa:literal, $magic:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name {
            p: $t,
            inverse: $t,
        }

        impl $name {
            /// Below it sums are exact, and so is the multiple of p nearest to one.
            fn limit(p: Modulus) -> u128 {
                let p = p.get() as u128;
                (1u128 << $mantissa).saturating_sub(p).min(p << ($mantissa - 3))
            }
            #[inline(always)]
            fn nearest(self, acc: $t) -> $t {
                let quotient = (acc * self.inverse + $magic) - $magic;
                acc - quotient * self.p
            }
        }

        impl Arithmetic for $name {
            type Lane = $t;
            type Value = $t;
            type Acc = $t;
            type Scalar = $t;

            fn new(p: Modulus) -> Self {
                assert!(Self::product_terms(p) >= 1, "p = {p} is too large for products in this float");
                $name { p: p.get() as $t, inverse: 1.0 / p.get() as $t }
            }
            fn sum_terms(p: Modulus) -> u64 {
                terms(p, residue(p), Self::limit(p))
            }
            fn product_terms(p: Modulus) -> u64 {
                terms(p, product(p), Self::limit(p))
            }
            #[inline(always)]
            fn value(self, residue: u64) -> $t {
                let r = residue as $t;
                if r + r > self.p { r - self.p } else { r }
            }
            #[inline(always)]
            fn scalar(self, residue: u64) -> $t {
                self.value(residue)
            }
            #[inline(always)]
            fn zero(self) -> $t {
                0.0
            }
            #[inline(always)]
            fn add(self, sum: $t, x: $t) -> $t {
                sum + x
            }
            #[inline(always)]
            fn sub(self, sum: $t, x: $t) -> $t {
                sum - x
            }
            #[inline(always)]
            fn multiply_add(self, sum: $t, v: $t, x: $t) -> $t {
                sum + v * x
            }
            #[inline(always)]
            fn fold(self, sum: $t) -> $t {
                self.nearest(sum)
            }
            #[inline(always)]
            fn finish(self, sum: $t) -> $t {
                let r = self.nearest(sum);
                if r < 0.0 { r + self.p } else { r + 0.0 }
            }
            #[inline(always)]
            fn scale(self, sum: $t, d: $t) -> $t {
                self.finish(self.nearest(sum) * d)
            }
        }
    };
}
float! {
    /// Sums in f32, exact up to 2²⁴: for p up to some thousands. Limit: min(2²⁴ - p, 2²¹·p).
    Float32, f32, 24, MAGIC_32
}
float! {
    /// Sums in f64, exact up to 2⁵³: for p up to 2²⁶ or so. Limit: min(2⁵³ - p, 2⁵⁰·p).
    Float64, f64, 53, MAGIC_64
}
