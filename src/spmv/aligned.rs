//! Memory on whole cache lines: a row of a block that is one line long is one access, never two. On huge pages where
//! it is large and the system has them: products read rows at random, and each would miss the address cache.

use crate::memory::Pages;
use crate::parallel::Each;
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

/// From so many bytes on memory is mapped: two huge pages.
const MAPPED: usize = 4 << 20;
/// Bytes touched by one task: the first touch, which places the pages, is shared out. The system clears them.
const TOUCH: usize = 1 << 21;
/// Bytes of the smallest page.
const PAGE: usize = 1 << 12;
/// What the memory is asked for.
const WHAT: &str = "a block of vectors";

/// A vector of fixed length, used as a slice, that begins on a cache line.
pub(crate) struct Aligned<T> {
    memory: Memory,
    len: usize,
    element: PhantomData<T>,
}

enum Memory {
    Heap(Vec<Line>),
    Mapped(Pages),
}

impl<T: Pod> Aligned<T> {
    /// `len` zeros.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn zeros(len: usize) -> Result<Self> {
        let bytes = len.saturating_mul(size_of::<T>());
        let memory = if bytes < MAPPED {
            Memory::Heap(memory::zeros(bytes.div_ceil(size_of::<Line>()), WHAT)?)
        } else {
            let mut map = memory::mapped(bytes, WHAT)?;
            map.par_chunks_mut(TOUCH).each(|piece| piece.iter_mut().step_by(PAGE).for_each(|byte| *byte = 0));
            Memory::Mapped(map)
        };
        Ok(Aligned { memory, len, element: PhantomData })
    }
}

impl<T: Pod> Clone for Aligned<T> {
    fn clone(&self) -> Self {
        // `Clone` knows no refusal.
        let mut copy = memory::or_panic(Aligned::zeros(self.len));
        copy.copy_from_slice(self);
        copy
    }
}

impl<T: Pod> Deref for Aligned<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match &self.memory {
            Memory::Heap(lines) => &bytemuck::cast_slice(lines)[..self.len],
            Memory::Mapped(map) => bytemuck::cast_slice(&map[..self.len * size_of::<T>()]),
        }
    }
}
impl<T: Pod> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.memory {
            Memory::Heap(lines) => &mut bytemuck::cast_slice_mut(lines)[..self.len],
            Memory::Mapped(map) => bytemuck::cast_slice_mut(&mut map[..self.len * size_of::<T>()]),
        }
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
        for len in [0, 1, 33, MAPPED / 2 - 1, MAPPED / 2, TOUCH * 5 + 3] {
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
