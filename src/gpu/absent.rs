//! Stand-ins for GPUs in a build without CUDA: types that have no values.

use super::device::Device;
use super::launch::{Grid, In, Out};
use super::source::Cubin;
use crate::{DeviceReason, Error, Result};
use std::marker::PhantomData;
use std::ops::Range;

/// The reason for every error here.
pub(super) fn error() -> Error {
    let message = "this build has no CUDA support: build it with the feature `cuda`";
    Error::device(DeviceReason::NotBuilt, message)
}

/// A type without values.
#[derive(Clone, Copy, Debug)]
enum Never {}

/// A GPU ready for work; there is none.
#[derive(Debug)]
pub struct Gpu(Never);

/// Work in order; there is none.
#[derive(Clone, Debug)]
pub struct Stream(Never);

/// Values in the memory of a GPU; there are none.
#[derive(Debug)]
#[allow(dead_code, reason = "there is no value whose fields could be read")]
pub struct Buffer<T>(PhantomData<T>, Never);

/// Compiled kernels loaded on a GPU; there are none.
#[derive(Debug)]
pub struct Module(Never);

/// A kernel: none.
#[allow(dead_code, reason = "there is no value whose fields could be read")]
pub struct Kernel<S>(PhantomData<fn(S)>, Never);

impl<S> std::fmt::Debug for Kernel<S> {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.1 {}
    }
}

/// A point in the work of a stream; there is none.
#[derive(Debug)]
pub struct Event(Never);

/// Numbers with the same representation on a GPU as here.
pub trait Word: Copy {}
impl Word for u8 {}
impl Word for u16 {}
impl Word for u32 {}
impl Word for u64 {}
impl Word for i16 {}
impl Word for i32 {}
impl Word for f64 {}

/// A parameter of a kernel.
pub trait Parameter {
    /// What is passed for it.
    type Argument<'a>;
}

/// The parameters of a kernel, in order: a tuple.
pub trait Signature {
    /// What is passed for them.
    type Arguments<'a>;
}

impl<T: Word + 'static> Parameter for In<T> {
    type Argument<'a> = &'a Buffer<T>;
}
impl<T: Word + 'static> Parameter for Out<T> {
    type Argument<'a> = &'a mut Buffer<T>;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Parameter for $number {
            type Argument<'a> = $number;
        }
    )*};
}
numbers!(u32 u64 f64);

macro_rules! signatures {
    ($($($name:ident)*;)*) => {$(
        impl<$($name: Parameter),*> Signature for ($($name,)*) {
            type Arguments<'a> = ($($name::Argument<'a>,)*);
        }
    )*};
}
signatures! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
    A B C D E F G H I J K L M;
}

impl Gpu {
    /// No GPU.
    ///
    /// # Errors
    /// [`Error::Device`] always.
    pub fn open(_: &Device) -> Result<Gpu> {
        Err(error())
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn stream(&self) -> Result<Stream> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn load(&self, _: &Cubin) -> Result<Module> {
        match self.0 {}
    }
}

impl Module {
    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn kernel<S: Signature>(&self, _: &str) -> Result<Kernel<S>> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn kernel_with_shared<S: Signature>(&self, _: &str, _: u32) -> Result<Kernel<S>> {
        match self.0 {}
    }
}

impl Stream {
    /// No GPU.
    ///
    /// # Errors
    /// [`Error::Device`] always.
    pub fn alone(_: &Device) -> Result<Stream> {
        Err(error())
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn load(&self, _: &Cubin) -> Result<Module> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn beside(&self) -> Result<Stream> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn free_memory(&self) -> Result<u64> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn mark(&self) -> Result<Event> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn wait(&self, _: &Event) -> Result<()> {
        match self.0 {}
    }

    /// Never called.
    pub fn open_to(&self, _: &Stream) -> bool {
        match self.0 {}
    }

    /// Never called.
    pub fn address<T: Word>(&self, _: &Buffer<T>) -> u64 {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn copy_between<T: Word>(&self, _: &mut Buffer<T>, _: &Buffer<T>, _: std::ops::Range<usize>) -> Result<()> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn enqueue<S: Signature>(&self, _: &Kernel<S>, _: Grid, _: S::Arguments<'_>) -> Result<()> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn upload<T: Word>(&self, _: &[T]) -> Result<Buffer<T>> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn overwrite<T: Word>(&self, _: &mut Buffer<T>, _: usize, _: &[T]) -> Result<()> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn zeros<T: Word>(&self, _: usize) -> Result<Buffer<T>> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn download<T: Word>(&self, _: &Buffer<T>) -> Result<Vec<T>> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn download_part<T: Word>(&self, _: &Buffer<T>, _: Range<usize>) -> Result<Vec<T>> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn launch<S: Signature>(&self, _: &Kernel<S>, _: Grid, _: S::Arguments<'_>) -> Result<Event> {
        match self.0 {}
    }
}

impl<T> Buffer<T> {
    /// Never called.
    pub fn len(&self) -> usize {
        match self.1 {}
    }

    /// Never called.
    pub fn is_empty(&self) -> bool {
        match self.1 {}
    }
}

impl Event {
    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn seconds_since(&self, _: &Event) -> Result<f64> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn is_done(&self) -> Result<bool> {
        match self.0 {}
    }
}
