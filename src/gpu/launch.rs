//! The size of a launch, and the kinds of kernel parameters: a kernel's signature is a tuple of them.

use std::marker::PhantomData;

/// The blocks of a launch and the threads of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Blocks in both directions of the grid.
    pub blocks: (u32, u32),
    /// Threads per block.
    pub threads: u32,
}

/// A parameter `const T *` of a kernel: its argument is a `&Buffer<T>`.
#[derive(Clone, Copy, Debug)]
pub struct In<T>(PhantomData<T>);

/// A parameter `T *` of a kernel, which it may write: its argument is a `&mut Buffer<T>`.
#[derive(Clone, Copy, Debug)]
pub struct Out<T>(PhantomData<T>);
