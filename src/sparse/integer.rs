//! An integer of any size that costs nothing while it is small: the type of an entry of
//! [`Triplets`](crate::sparse::Triplets).

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::borrow::Cow;
use std::fmt;

/// An integer: a machine word where it fits, otherwise a big one, owned or borrowed.
///
/// Values made by `From` are in normal form (`Big` only outside the range of `i64`), so that `==` is equality of
/// integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integer<'a> {
    /// A value in the range of `i64`.
    Small(i64),
    /// A value outside that range.
    Big(Cow<'a, BigInt>),
}

impl Integer<'_> {
    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        *self == Integer::Small(0)
    }
    /// The same integer, borrowed from nobody.
    pub fn into_owned(self) -> Integer<'static> {
        match self {
            Integer::Small(v) => Integer::Small(v),
            Integer::Big(v) => Integer::Big(Cow::Owned(v.into_owned())),
        }
    }
    /// The value, if it has so few bits.
    pub(crate) fn to_i128(&self) -> Option<i128> {
        match self {
            Integer::Small(v) => Some(i128::from(*v)),
            Integer::Big(v) => v.to_i128(),
        }
    }
    /// The value as a big integer.
    pub fn to_bigint(&self) -> BigInt {
        match self {
            Integer::Small(v) => BigInt::from(*v),
            Integer::Big(v) => v.as_ref().clone(),
        }
    }
}

impl From<i64> for Integer<'_> {
    fn from(v: i64) -> Self {
        Integer::Small(v)
    }
}

impl From<i32> for Integer<'_> {
    fn from(v: i32) -> Self {
        Integer::Small(v.into())
    }
}

impl From<BigInt> for Integer<'_> {
    fn from(v: BigInt) -> Self {
        v.to_i64().map_or_else(|| Integer::Big(Cow::Owned(v)), Integer::Small)
    }
}

impl<'a> From<&'a BigInt> for Integer<'a> {
    fn from(v: &'a BigInt) -> Self {
        v.to_i64().map_or(Integer::Big(Cow::Borrowed(v)), Integer::Small)
    }
}

impl From<i128> for Integer<'_> {
    fn from(v: i128) -> Self {
        i64::try_from(v).map_or_else(|_| Integer::Big(Cow::Owned(v.into())), Integer::Small)
    }
}

impl fmt::Display for Integer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Integer::Small(v) => v.fmt(f),
            Integer::Big(v) => v.fmt(f),
        }
    }
}
