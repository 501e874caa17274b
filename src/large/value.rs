//! Entries of matrices mod a large prime: small integers as they are, others by their place in a list.
//!
//! Relations have exponents such as 1, -1, 5; a few columns (of units, of Schirokauer maps) have residues of full size.
//! Arithmetic with the first never looks at p.

use super::LargeModulus;
use crate::report::{Bytes, State};
use crate::sparse::Integer;
use crate::{Result, memory};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{Signed, ToPrimitive, Zero};

/// Small values are below this in absolute value.
pub(crate) const SMALL: i32 = 1 << 30;
/// What the memory is for.
const BIG: &str = "entries of the size of the modulus";

/// A value that is not 0 mod p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value(i32);

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// This integer.
    Small(i32),
    /// The residue at this place of [`Residues`].
    Big(usize),
}

impl Bytes for Value {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        self.0.write(to)
    }
}

impl State for Value {
    fn read(from: &mut &[u8]) -> Option<Self> {
        i32::read(from).map(Value)
    }
}

impl Value {
    /// What it is.
    pub(crate) fn kind(self) -> Kind {
        if self.0 < SMALL { Kind::Small(self.0) } else { Kind::Big((self.0 - SMALL) as usize) }
    }
    /// The integer, if it is small.
    pub(crate) fn small(self) -> Option<i32> {
        (self.0 < SMALL).then_some(self.0)
    }
    /// Whether it is 1 or -1.
    pub(crate) fn is_unit(self) -> bool {
        self.0.abs() == 1
    }
}

/// The residues that are not small, and how values are made.
#[derive(Clone, Debug)]
pub(crate) struct Residues {
    p: BigUint,
    signed: BigInt,
    /// p, where products of small values may have to be reduced.
    word: Option<i64>,
    list: Vec<BigUint>,
}

impl Residues {
    /// No residues mod p.
    pub(crate) fn new(p: &LargeModulus) -> Self {
        let p = p.get().clone();
        Residues { signed: BigInt::from(p.clone()), word: p.to_i64(), p, list: vec![] }
    }
    /// All of them, each at its place.
    pub(super) fn list(&self) -> &[BigUint] {
        &self.list
    }
    /// The same with others: residues that were the list of one with this modulus.
    pub(super) fn with_list(&self, list: Vec<BigUint>) -> Option<Self> {
        list.iter().all(|r| r < &self.p).then(|| Residues { list, ..self.clone() })
    }
    /// The residue of a value.
    pub(crate) fn integer(&self, value: Value) -> BigUint {
        match value.kind() {
            Kind::Small(v) => BigInt::from(v).mod_floor(&self.signed).into_parts().1,
            Kind::Big(at) => self.list[at].clone(),
        }
    }

    /// The value of an integer; `None` if it is 0 mod p.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn value(&mut self, v: &Integer<'_>) -> Result<Option<Value>> {
        match v {
            Integer::Small(v) => self.word_value(*v, None),
            Integer::Big(v) => self.residue(v.mod_floor(&self.signed).into_parts().1, None),
        }
    }

    /// a - k·b, at the place of a if it has one.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn minus_times(&mut self, a: Option<Value>, k: i32, b: Value) -> Result<Option<Value>> {
        let place = a.and_then(|a| match a.kind() {
            Kind::Small(_) => None,
            Kind::Big(at) => Some(at),
        });
        let first = a.map_or(Some(0), Value::small);
        if let (Some(a), Some(b)) = (first, b.small()) {
            return self.word_value(i64::from(a) - i64::from(k) * i64::from(b), place);
        }
        let signed = |value: Option<Value>| match value.map(Value::kind) {
            None => BigInt::zero(),
            Some(Kind::Small(v)) => BigInt::from(v),
            Some(Kind::Big(at)) => BigInt::from(self.list[at].clone()),
        };
        let rest = signed(a) - signed(Some(b)) * k;
        self.residue(rest.mod_floor(&self.signed).into_parts().1, place)
    }

    /// The value of an integer of 62 bits or so.
    fn word_value(&mut self, v: i64, place: Option<usize>) -> Result<Option<Value>> {
        // The least residue in absolute value; p is out of reach where it is no word.
        let v = match self.word {
            None => v,
            Some(p) => {
                let r = v.rem_euclid(p);
                if r > p / 2 { r - p } else { r }
            }
        };
        if v.unsigned_abs() < SMALL as u64 {
            return Ok((v != 0).then_some(Value(v as i32)));
        }
        self.residue(BigInt::from(v).mod_floor(&self.signed).into_parts().1, place)
    }

    /// The value of a residue 0 ≤ r < p.
    fn residue(&mut self, r: BigUint, place: Option<usize>) -> Result<Option<Value>> {
        if r.is_zero() {
            return Ok(None);
        }
        let half = &self.p >> 1;
        let least = if r > half { BigInt::from(r.clone()) - &self.signed } else { BigInt::from(r.clone()) };
        if let Some(v) = least.to_i32().filter(|v| v.unsigned_abs() < SMALL as u32) {
            debug_assert!(!least.is_negative() || v < 0);
            return Ok(Some(Value(v)));
        }
        let at = match place {
            Some(at) => {
                self.list[at] = r;
                at
            }
            None => {
                if self.list.len() >= SMALL as usize {
                    return Err(crate::Error::Memory(format!("{BIG}: at most 2^30 are possible")));
                }
                memory::push(&mut self.list, r, BIG)?;
                self.list.len() - 1
            }
        };
        Ok(Some(Value(SMALL + at as i32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_at_the_edges_of_words() {
        for p in ["2^61-1", "2^89-1", "9223372036854775837"] {
            let p: LargeModulus = p.parse().unwrap();
            let signed = BigInt::from(p.get().clone());
            for power in [0u32, 1, 29, 30, 31, 32, 60, 61, 62, 63, 64, 88, 89, 127, 128] {
                for (sign, near) in [-1, 1].into_iter().flat_map(|sign| [-1, 0, 1].map(|near| (sign, near))) {
                    let exact: BigInt = (BigInt::from(1) << power) * sign + near;
                    let expected = exact.mod_floor(&signed);
                    let mut residues = Residues::new(&p);
                    let found = residues.value(&Integer::from(exact.clone())).unwrap();
                    let integer = found.map_or(BigUint::zero(), |v| residues.integer(v));
                    assert_eq!(BigInt::from(integer), expected, "{exact} mod {signed}");
                    let least = std::cmp::min(expected.clone(), &signed - &expected);
                    let small = least < BigInt::from(SMALL);
                    let told = found.map_or(Some(0), Value::small);
                    assert_eq!(told.is_some(), small, "{exact} mod {signed}");
                    assert!(told.is_none_or(|v| v.unsigned_abs() < SMALL as u32), "{exact} mod {signed}: {told:?}");
                }
            }
        }
    }
}
