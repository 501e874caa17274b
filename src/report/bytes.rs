//! Values as bytes, for states that are kept and for what they are of.
//!
//! Numbers have their size, little-endian; what has a length is preceded by it, in 64 bits. So a list of values has one
//! form, and different lists have different ones.

use super::{Certainty, ErrorBound};
use crate::{Result, memory};
use num_bigint::{BigInt, BigUint};

/// What the memory is for.
const STATE: &str = "the state of a step";
/// Bytes of a long list.
const LONG: usize = 1 << 20;

/// A value that can be written as bytes.
pub trait Bytes {
    /// Appends its bytes.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    fn write(&self, to: &mut Vec<u8>) -> Result<()>;
    /// Appends those of all `items`, one after the other.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    fn write_all(items: &[Self], to: &mut Vec<u8>) -> Result<()>
    where
        Self: Sized,
    {
        items.iter().try_for_each(|item| item.write(to))
    }
}

/// A value that can be read again.
pub trait State: Bytes + Sized {
    /// Takes its bytes from the front; `None` where there are no bytes of such a value, or no memory for it.
    fn read(from: &mut &[u8]) -> Option<Self>;
    /// Takes `count` of them.
    fn read_all(count: usize, from: &mut &[u8]) -> Option<Vec<Self>> {
        let mut items = vec![];
        for _ in 0..count {
            // No memory is asked for before the bytes are there.
            memory::push(&mut items, Self::read(from)?, STATE).ok()?;
        }
        Some(items)
    }
}

/// Makes room for so many bytes: for no more than these if they are many.
fn reserve(to: &mut Vec<u8>, bytes: usize) -> Result<()> {
    match bytes < LONG {
        true => memory::reserve(to, bytes, STATE),
        false if to.capacity() - to.len() >= bytes => Ok(()),
        false => memory::reserve_exact(to, bytes, STATE),
    }
}

/// Appends bytes.
fn append(to: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    memory::reserve(to, bytes.len(), STATE)?;
    to.extend_from_slice(bytes);
    Ok(())
}

/// The first `count` bytes, taken.
fn take<'b>(from: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (first, rest) = from.split_at_checked(count)?;
    *from = rest;
    Some(first)
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Bytes for $number {
            fn write(&self, to: &mut Vec<u8>) -> Result<()> {
                append(to, &self.to_le_bytes())
            }
            fn write_all(items: &[Self], to: &mut Vec<u8>) -> Result<()> {
                let at = to.len();
                reserve(to, size_of_val(items))?;
                to.resize(at + size_of_val(items), 0);
                let places = to[at..].chunks_exact_mut(size_of::<$number>());
                places.zip(items).for_each(|(to, item)| to.copy_from_slice(&item.to_le_bytes()));
                Ok(())
            }
        }
        impl State for $number {
            fn read(from: &mut &[u8]) -> Option<Self> {
                take(from, size_of::<$number>())?.try_into().ok().map(<$number>::from_le_bytes)
            }
            fn read_all(count: usize, from: &mut &[u8]) -> Option<Vec<Self>> {
                let bytes = take(from, count.checked_mul(size_of::<$number>())?)?;
                let number = |bytes: &[u8]| <$number>::from_le_bytes(bytes.try_into().expect("as many as it has"));
                memory::collect(bytes.chunks_exact(size_of::<$number>()).map(number), STATE).ok()
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, i32, i64, i128, f64);

impl Bytes for usize {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        (*self as u64).write(to)
    }
}

impl State for usize {
    fn read(from: &mut &[u8]) -> Option<Self> {
        u64::read(from)?.try_into().ok()
    }
}

impl Bytes for bool {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        u8::from(*self).write(to)
    }
}

impl State for bool {
    fn read(from: &mut &[u8]) -> Option<Self> {
        match u8::read(from)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Bytes for str {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        self.len().write(to)?;
        append(to, self.as_bytes())
    }
}

impl Bytes for String {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        self.as_str().write(to)
    }
}

impl State for String {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let length = usize::read(from)?;
        String::from_utf8(take(from, length)?.to_vec()).ok()
    }
}

impl<T: Bytes + ?Sized> Bytes for &T {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        (**self).write(to)
    }
}

impl<T: Bytes> Bytes for [T] {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        self.len().write(to)?;
        T::write_all(self, to)
    }
}

impl<T: Bytes, const N: usize> Bytes for [T; N] {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        T::write_all(self, to)
    }
}

impl<T: State, const N: usize> State for [T; N] {
    fn read(from: &mut &[u8]) -> Option<Self> {
        T::read_all(N, from)?.try_into().ok()
    }
}

impl<T: Bytes> Bytes for Vec<T> {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        self.as_slice().write(to)
    }
}

impl<T: State> State for Vec<T> {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let length = usize::read(from)?;
        T::read_all(length, from)
    }
}

impl<T: Bytes> Bytes for Option<T> {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        self.is_some().write(to)?;
        self.iter().try_for_each(|item| item.write(to))
    }
}

impl<T: State> State for Option<T> {
    fn read(from: &mut &[u8]) -> Option<Self> {
        match bool::read(from)? {
            true => T::read(from).map(Some),
            false => Some(None),
        }
    }
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {$(
        impl<$($name: Bytes),*> Bytes for ($($name,)*) {
            #[allow(non_snake_case, reason = "a name for a value of each type")]
            fn write(&self, to: &mut Vec<u8>) -> Result<()> {
                let ($($name,)*) = self;
                $($name.write(to)?;)*
                Ok(())
            }
        }
        impl<$($name: State),*> State for ($($name,)*) {
            fn read(from: &mut &[u8]) -> Option<Self> {
                Some(($($name::read(from)?,)*))
            }
        }
    )*};
}

tuples! { A B; A B C; A B C D; A B C D E; A B C D E F; }

impl Bytes for BigInt {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        self.to_signed_bytes_le().write(to)
    }
}

impl State for BigInt {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let length = usize::read(from)?;
        take(from, length).map(BigInt::from_signed_bytes_le)
    }
}

impl Bytes for BigUint {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        self.to_bytes_le().write(to)
    }
}

impl State for BigUint {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let length = usize::read(from)?;
        take(from, length).map(BigUint::from_bytes_le)
    }
}

impl Bytes for Certainty {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        match self {
            Certainty::Proven => 0u8.write(to),
            Certainty::Heuristic => 1u8.write(to),
            Certainty::MonteCarlo { error_bound } => (2u8, error_bound.log2()).write(to),
        }
    }
}

impl State for Certainty {
    fn read(from: &mut &[u8]) -> Option<Self> {
        match u8::read(from)? {
            0 => Some(Certainty::Proven),
            1 => Some(Certainty::Heuristic),
            2 => {
                let log2 = f64::read(from)?;
                Some(Certainty::MonteCarlo { error_bound: ErrorBound::from_log2(log2) })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    /// What is written is read, and no part of it is.
    fn returns<S: State + PartialEq + Debug>(value: S) {
        let mut bytes = vec![];
        value.write(&mut bytes).unwrap();
        let mut rest = &bytes[..];
        assert_eq!(S::read(&mut rest), Some(value));
        assert!(rest.is_empty());
        for length in 0..bytes.len() {
            assert_eq!(S::read(&mut &bytes[..length]), None, "{length} of {} bytes", bytes.len());
        }
    }

    #[test]
    fn what_is_written_is_read() {
        [0, 1, u64::MAX].into_iter().for_each(returns);
        [i32::MIN, -1, i32::MAX].into_iter().for_each(returns);
        returns((7u8, u32::MAX, usize::MAX));
        returns((i128::MIN, -0.5f64));
        returns([true, false]);
        returns(("ℤ/2 ⊕ ℤ".to_string(), String::new()));
        returns(vec![vec![1u64, 2], vec![], vec![3]]);
        returns((vec![1u16, u16::MAX], vec![7u8; 9], [[1u32, 2], [3, 4]]));
        returns(Some(vec![None, Some(1i64), Some(-1)]));
        for digits in [
            "0",
            "1",
            "-1",
            "255",
            "-256",
            "123456789012345678901234567890",
            "-340282366920938463463374607431768211456",
        ] {
            returns(digits.parse::<BigInt>().unwrap());
            returns(digits.trim_start_matches('-').parse::<BigUint>().unwrap());
        }
        let bound = ErrorBound::of_bits(77);
        for certainty in [Certainty::Proven, Certainty::Heuristic, Certainty::MonteCarlo { error_bound: bound }] {
            returns((certainty, vec![certainty; 3]));
        }
    }

    #[test]
    fn bytes_of_no_value_are_refused_without_asking_for_their_memory() {
        assert_eq!(bool::read(&mut &[2u8][..]), None);
        assert_eq!(Option::<u8>::read(&mut &[7u8, 1][..]), None);
        assert_eq!(Certainty::read(&mut &[3u8][..]), None);
        let mut long = vec![];
        u64::MAX.write(&mut long).unwrap();
        assert_eq!(Vec::<u64>::read(&mut &long[..]), None);
        assert_eq!(String::read(&mut &long[..]), None);
        assert_eq!(BigInt::read(&mut &long[..]), None);
        assert_eq!(String::read(&mut &[1, 0, 0, 0, 0, 0, 0, 0, 0xff][..]), None, "no text");
    }
}
