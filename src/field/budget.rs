//! How many terms an accumulator can take before a reduction: delayed reduction with a proof (source paper, section
//! 2.2).
//!
//! Let m be the largest absolute value of a residue: p-1 in plain representation, ⌊p/2⌋ in balanced. A sum of t
//! residues is exact in an accumulator that holds every integer up to M in absolute value as long as **t·m ≤ M**, a sum
//! of t products as long as **t·m² ≤ M**. [`DelayBudget`] returns the largest such t.

use super::Modulus;

/// The representatives of the classes mod p.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Representation {
    /// 0 … p-1.
    Plain,
    /// -⌊(p-1)/2⌋ … ⌈(p-1)/2⌉.
    Balanced,
}

/// The type in which terms are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Accumulator {
    /// Unsigned, to 2¹⁶ - 1.
    U16,
    /// Unsigned, to 2³² - 1.
    U32,
    /// Unsigned, to 2⁶⁴ - 1.
    U64,
    /// Unsigned, to 2¹²⁸ - 1.
    U128,
    /// Signed, to ±(2³¹ - 1).
    I32,
    /// Signed, to ±(2⁶³ - 1).
    I64,
    /// Single precision: all integers to ±2²⁴ are exact.
    F32,
    /// Double precision: all integers to ±2⁵³ are exact.
    F64,
}

impl Accumulator {
    /// M: every integer up to here, in absolute value where the type is signed, is held exactly.
    pub const fn max(self) -> u128 {
        match self {
            Accumulator::U16 => u16::MAX as u128,
            Accumulator::U32 => u32::MAX as u128,
            Accumulator::U64 => u64::MAX as u128,
            Accumulator::U128 => u128::MAX,
            Accumulator::I32 => i32::MAX as u128,
            Accumulator::I64 => i64::MAX as u128,
            Accumulator::F32 => 1 << 24,
            Accumulator::F64 => 1 << 53,
        }
    }
    /// Whether negative terms can be summed.
    pub const fn signed(self) -> bool {
        matches!(self, Accumulator::I32 | Accumulator::I64 | Accumulator::F32 | Accumulator::F64)
    }
}

/// The number of terms that an accumulator takes without a reduction, for residues mod p in one representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DelayBudget {
    largest: u64,
    max: u128,
}

impl DelayBudget {
    /// The budget of `accumulator` for residues mod p in `representation`.
    ///
    /// # Panics
    /// For balanced residues in an unsigned accumulator.
    pub fn new(modulus: Modulus, representation: Representation, accumulator: Accumulator) -> Self {
        assert!(
            representation == Representation::Plain || accumulator.signed(),
            "balanced residues need a signed accumulator, not {accumulator:?}"
        );
        let largest = match representation {
            Representation::Plain => modulus.get() - 1,
            Representation::Balanced => modulus.get() / 2,
        };
        DelayBudget { largest, max: accumulator.max() }
    }
    /// The budget for plain residues.
    pub fn plain(modulus: Modulus, accumulator: Accumulator) -> Self {
        Self::new(modulus, Representation::Plain, accumulator)
    }
    /// m, the largest absolute value of a residue: p-1 (plain) or ⌊p/2⌋ (balanced).
    pub fn largest_residue(self) -> u64 {
        self.largest
    }
    /// The largest t with t·m ≤ M: for sums of residues, as ±1 entries need them. 0 where not even one residue fits.
    pub fn sums(self) -> usize {
        self.sums_above(0)
    }
    /// The largest t with start + t·m ≤ M, in an accumulator that already holds up to `start` in absolute value.
    pub fn sums_above(self, start: u128) -> usize {
        self.terms(self.largest as u128, start)
    }
    /// The largest t with t·m² ≤ M: for sums of products of two residues. 0 where not even one product fits.
    pub fn products(self) -> usize {
        self.products_above(0)
    }
    /// The largest t with start + t·m² ≤ M, in an accumulator that already holds up to `start` in absolute value.
    pub fn products_above(self, start: u128) -> usize {
        self.terms((self.largest as u128).pow(2), start)
    }
    fn terms(self, term: u128, start: u128) -> usize {
        usize::try_from(self.max.saturating_sub(start) / term).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Accumulator::*;

    const PRIMES: [u64; 9] = [2, 3, 251, 257, 4093, 65521, (1 << 31) - 1, (1 << 61) - 1, (1 << 63) - 25];
    const ALL: [Accumulator; 8] = [U16, U32, U64, U128, I32, I64, F32, F64];

    /// Adds `t` terms in the type itself: the sum, and whether it equals the exact sum.
    fn exact(accumulator: Accumulator, term: u128, t: u128) -> bool {
        let Some(sum) = term.checked_mul(t) else { return false };
        // Every partial sum counts: an odd term passes 2^53 + 1 somewhere when the sum exceeds 2^53 + term.
        match accumulator {
            U16 => u16::try_from(sum).is_ok(),
            U32 => u32::try_from(sum).is_ok(),
            U64 => u64::try_from(sum).is_ok(),
            U128 => true,
            I32 => i32::try_from(sum).is_ok() && i32::try_from(-(sum as i128)).is_ok(),
            I64 => i64::try_from(sum).is_ok() && i64::try_from(-(sum as i128)).is_ok(),
            F32 => sum <= 1 << 24 && (sum as f32) as u128 == sum,
            F64 => sum <= 1 << 53 && (sum as f64) as u128 == sum,
        }
    }

    #[test]
    fn the_budget_holds_and_one_more_overflows() {
        for p in PRIMES {
            let modulus = Modulus::new(p).unwrap();
            for accumulator in ALL {
                for representation in [Representation::Plain, Representation::Balanced] {
                    if representation == Representation::Balanced && !accumulator.signed() {
                        continue;
                    }
                    let b = DelayBudget::new(modulus, representation, accumulator);
                    let m = b.largest_residue() as u128;
                    for (t, term) in [(b.sums(), m), (b.products(), m * m)] {
                        let context = format!("{t} terms of {term} in {accumulator:?}");
                        assert!(exact(accumulator, term, t as u128), "{context}");
                        assert!(t == usize::MAX || !exact(accumulator, term, t as u128 + 1), "{context}: one more");
                    }
                }
            }
        }
    }

    #[test]
    fn real_accumulators_at_the_edge() {
        let m = Modulus::new(65521).unwrap();
        let b = DelayBudget::plain(m, U32);
        assert_eq!(b.sums(), 65552);
        assert!((0..b.sums()).try_fold(0u32, |s, _| s.checked_add(65520)).is_some());
        assert!((0..=b.sums()).try_fold(0u32, |s, _| s.checked_add(65520)).is_none());
        // p = 4099 in f32: one product already passes 2^24; p = 4093 leaves exactly one.
        assert_eq!(DelayBudget::plain(Modulus::new(4099).unwrap(), F32).products(), 0);
        assert_eq!(DelayBudget::plain(Modulus::new(4093).unwrap(), F32).products(), 1);
        assert_eq!(DelayBudget::new(Modulus::new(4099).unwrap(), Representation::Balanced, F32).products(), 3);
        // Beyond the budget, single precision does lose units: 2^24 + 1 is not a float.
        let two = DelayBudget::plain(Modulus::new(2).unwrap(), F32);
        assert_eq!(two.sums(), 1 << 24);
        assert_eq!((1u32 << 24) as f32 + 1.0, (1u32 << 24) as f32);
        // For the largest prime 128 bits hold four products; a value already there takes its share.
        let b = DelayBudget::plain(Modulus::new((1 << 63) - 25).unwrap(), U128);
        let square = ((1u128 << 63) - 26).pow(2);
        assert_eq!((b.products(), b.products_above(square), b.products_above(u128::MAX)), (4, 3, 0));
        assert_eq!(b.sums_above(u128::MAX - square), b.largest_residue() as usize);
    }

    #[test]
    #[should_panic(expected = "signed accumulator")]
    fn balanced_residues_need_a_sign() {
        DelayBudget::new(Modulus::new(7).unwrap(), Representation::Balanced, U64);
    }
}
