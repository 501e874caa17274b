//! One null vector with large numbers: q-adic lifting (J. D. Dixon, *Exact solution of linear equations using p-adic
//! expansions*, Numerische Mathematik 40, 1982).
//!
//! Let M = A\[I, J\] be invertible mod q and c = A\[I, f\]. Each digit x ≡ -M⁻¹·c mod q leaves c + M·x ≡ 0 mod q, and
//! (c + M·x)/q is the next c: after k digits M·Σ xᵢqⁱ ≡ -A\[I, f\] mod qᵏ. By Cramer's rule the solution over ℚ has
//! numerators and a common denominator among the minors of A; once qᵏ > 2·4^h, h their bits, it is found. Long before
//! as a rule: the number of digits is doubled from attempt to attempt, and each attempt is multiplied out over the
//! integers.

use super::budget::Budget;
use super::system::{System, Workspace};
use crate::answers::marks::Marks;
use crate::integers::{are_integers, fractions};
use crate::{Error, Observer, Result};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::HashMap;

/// Lifts columns of one system.
pub(super) struct Lifter<'a> {
    pub system: &'a System,
    /// -S⁻¹, row by row: S is what the chain leaves of M.
    pub inverse: &'a [u64],
    /// h.
    pub minor_bits: f64,
}

/// What one thread needs.
pub(super) struct LiftSpace {
    w: Workspace<1>,
    /// c, and where it may not be 0.
    sums: Vec<i128>,
    marks: Marks,
    /// The place of each column of the minor in the list of those that have digits.
    slot: Vec<u32>,
}

/// The digits of the columns that are reached.
type Digits = Vec<(u32, Vec<i32>)>;

impl Lifter<'_> {
    pub fn space(&self) -> LiftSpace {
        let order = self.system.order;
        LiftSpace {
            w: self.system.workspace(),
            sums: vec![0; order],
            marks: Marks::new(order),
            slot: vec![u32::MAX; order],
        }
    }

    /// The null vector of the free column f.
    ///
    /// # Errors
    /// [`Error::Check`] if arithmetic contradicts itself, [`Error::Interrupted`].
    pub fn lift(&self, f: u32, space: &mut LiftSpace, budget: &Budget, observer: &dyn Observer) -> Result<Lifted> {
        // q ≥ 2³⁰, and q^most ≥ 2^(2h + 3).
        let most = ((2.0 * self.minor_bits + 3.0) / 30.0).ceil() as usize + 1;
        let (mut digits, mut next, mut k) = (Digits::new(), 2.min(most), 0);
        for (i, v) in self.system.column(f).filter(|&(i, _)| i < self.system.order) {
            space.sums[i] = v.into();
            space.marks.insert(i);
        }
        let lifted = loop {
            observer.check()?;
            let before = space.w.visits;
            self.digit(k, space, &mut digits)?;
            k += 1;
            if !budget.spend(budget.prices.visiting::<1>(space.w.visits - before)) {
                break Lifted::TooDear;
            }
            if k < next {
                continue;
            }
            // Horner's rule, products with the denominator, the product with A.
            let words = k.div_ceil(2);
            let prices = &budget.prices;
            let rule = prices.large(digits.len() * k, [1, words / 2]);
            budget.spend(rule + prices.large(4 * digits.len(), [words / 2, words]));
            if let Some(lifted) = self.attempt(f, k, &digits) {
                break lifted;
            }
            if k == most {
                return Err(Error::Check(format!("no fractions below 2^{:.0} solve a system", self.minor_bits)));
            }
            next = (2 * k).min(most);
        };
        let LiftSpace { sums, marks, slot, .. } = space;
        marks.drain(|i| sums[i] = 0);
        digits.iter().for_each(|&(j, _)| slot[j as usize] = u32::MAX);
        Ok(lifted)
    }

    /// Digit number k.
    fn digit(&self, k: usize, space: &mut LiftSpace, digits: &mut Digits) -> Result<()> {
        let system = self.system;
        let p = system.field.modulus();
        let LiftSpace { w, sums, marks, slot } = space;
        let mut rows = vec![];
        marks.drain(|i| rows.push(i));
        let right: Vec<(usize, i64)> = rows
            .iter()
            .map(|&i| {
                let r = p.reduce_u128(sums[i].unsigned_abs());
                (i, system.field.of_residue(if sums[i] < 0 { p.neg(r) } else { r }))
            })
            .collect();
        right.iter().for_each(|&(i, c)| system.add(i, [c], w));
        system.solve_chain(w);
        let mut rest = vec![];
        system.take_beyond(w, |i, [v]| {
            if i < system.order {
                rest.push((i - system.chain, system.field.to_residue(v)));
            }
        });
        if !rest.is_empty() {
            // Once more with what the columns beyond the chain must be.
            system.clear(w);
            right.iter().for_each(|&(i, c)| system.add(i, [c], w));
            let s = system.order - system.chain;
            for (n, row) in self.inverse.chunks_exact(s).enumerate() {
                let x = rest.iter().fold(0, |sum, &(i, v)| p.add(sum, p.mul(row[i], v)));
                if x != 0 {
                    system.give(system.chain + n, &[system.field.of_residue(x)], w);
                }
            }
            w.visits += (s * rest.len()) as u64;
            system.solve_chain(w);
            let mut zero = true;
            system.take_beyond(w, |i, _| zero &= i >= system.order);
            if !zero {
                return Err(Error::Check("a system that was solved is not solved".into()));
            }
        }
        rows.iter().for_each(|&i| marks.insert(i));
        for &j in &w.used {
            let x = w.x[j as usize][0];
            if slot[j as usize] == u32::MAX {
                slot[j as usize] = digits.len() as u32;
                digits.push((j, vec![]));
            }
            let own = &mut digits[slot[j as usize] as usize].1;
            own.resize(k, 0);
            own.push(x);
            for (i, v) in system.column(j).filter(|&(i, _)| i < system.order) {
                // |v·x| < 2⁶³·2³¹, of fewer than 2³¹ terms, and c itself is smaller than 2⁹⁶ after a division by q: below 2¹²⁶.
                sums[i] += i128::from(v) * i128::from(x);
                marks.insert(i);
            }
        }
        system.clear(w);
        let (q, mut exact, mut left) = (i128::from(p.get()), true, vec![]);
        marks.drain(|i| {
            exact &= sums[i] % q == 0;
            sums[i] /= q;
            if sums[i] != 0 {
                left.push(i);
            }
        });
        left.iter().for_each(|&i| marks.insert(i));
        if exact { Ok(()) } else { Err(Error::Check("a residual is no multiple of the prime".into())) }
    }

    /// The integers or fractions that k digits suggest, multiplied out; `None` if they are no solution.
    fn attempt(&self, f: u32, k: usize, digits: &Digits) -> Option<Lifted> {
        let q = BigInt::from(self.system.field.modulus().get());
        let value = |own: &[i32]| own.iter().rev().fold(BigInt::ZERO, |sum, &x| sum * &q + x);
        let x: Vec<BigInt> = digits.iter().map(|(_, own)| value(own)).collect();
        let m = q.pow(k as u32);
        let integers = if are_integers(&x, &m) { self.multiply_out(f, k, digits, &x, &BigInt::one()) } else { None };
        integers.or_else(|| {
            let (numerators, denominator) = fractions(&x, &m)?;
            self.multiply_out(f, k, digits, &numerators, &denominator)
        })
    }

    fn multiply_out(&self, f: u32, k: usize, digits: &Digits, y: &[BigInt], denominator: &BigInt) -> Option<Lifted> {
        let mut sums: HashMap<usize, BigInt> = HashMap::new();
        let columns = digits.iter().map(|&(j, _)| j).zip(y).chain([(f, denominator)]);
        for (j, y) in columns.filter(|(_, y)| !y.is_zero()) {
            self.system.column(j).for_each(|(i, v)| *sums.entry(i).or_default() += y * v);
        }
        sums.retain(|_, sum| !sum.is_zero());
        if sums.keys().any(|&i| i < self.system.order) {
            return None;
        }
        if !sums.is_empty() {
            return Some(Lifted::Larger);
        }
        let bits = y.iter().chain([denominator]).map(|n| n.bits()).max();
        Some(Lifted::Null { digits: k, bits: bits.and_then(|b| b.to_u32()).unwrap_or(u32::MAX) })
    }
}

/// One large vector.
pub(super) enum Lifted {
    Null { digits: usize, bits: u32 },
    Larger,
    TooDear,
}
