//! Memory on whole cache lines: a row of a block that is one line long is one access, never two.

use crate::{Result, memory};
use bytemuck::Pod;
use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

memory::plain! {
    /// A cache line.
    #[repr(C, align(64))]
    struct Line([u8; 64]): Pod, Zeroable
}

/// Lines zeroed by one task; and from twice as many on, the zeroing (the first touch, which places the pages) is shared
/// out.
const TOUCH: usize = 1 << 14;
/// What the memory is asked for.
const WHAT: &str = "a block of vectors";

/// A vector of fixed length, used as a slice, that begins on a cache line.
#[derive(Clone)]
pub(crate) struct Aligned<T> {
    lines: Vec<Line>,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Pod> Aligned<T> {
    /// `len` zeros.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn zeros(len: usize) -> Result<Self> {
        let n = len.saturating_mul(size_of::<T>()).div_ceil(size_of::<Line>());
        let lines = if n < 2 * TOUCH {
            memory::zeros(n, WHAT)?
        } else {
            let mut lines = memory::with_capacity(n, WHAT)?;
            lines.par_extend((0..n).into_par_iter().with_min_len(TOUCH).map(|_| Line([0; 64])));
            lines
        };
        Ok(Aligned { lines, len, element: PhantomData })
    }
}

impl<T: Pod> Deref for Aligned<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}
impl<T: Pod> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}
impl<T: Pod + PartialEq> PartialEq for Aligned<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
impl<T: Pod + std::fmt::Debug> std::fmt::Debug for Aligned<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_on_a_line_of_any_length() {
        for len in [0, 1, 33, 64 * TOUCH, 64 * TOUCH * 2 + 5] {
            let mut a = Aligned::<u16>::zeros(len).unwrap();
            assert!(a.len() == len && a.iter().all(|&x| x == 0));
            assert_eq!(a.as_ptr() as usize % 64, 0);
            if let Some(last) = a.last_mut() {
                *last = 7;
                assert_ne!(a, Aligned::zeros(len).unwrap());
                assert_eq!(a, a.clone());
            }
        }
    }
}
