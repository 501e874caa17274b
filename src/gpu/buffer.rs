//! Values in the memory of a GPU.

use super::device::Held;
use cudarc::driver::{CudaSlice, DeviceRepr, ValidAsZeroBits};

/// Numbers with the same representation on a GPU as here, and 0 when all bits are 0.
pub trait Word: DeviceRepr + ValidAsZeroBits + Copy {}
impl Word for u8 {}
impl Word for u16 {}
impl Word for u32 {}
impl Word for u64 {}
impl Word for i16 {}
impl Word for i32 {}
impl Word for f64 {}

/// Values of type T in the memory of a GPU.
#[derive(Debug)]
pub struct Buffer<T> {
    pub(super) slice: CudaSlice<T>,
    /// What it has of the device's grant; given back after the memory.
    pub(super) _held: Held,
}

impl<T> Buffer<T> {
    /// Values.
    pub fn len(&self) -> usize {
        self.slice.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> Drop for Buffer<T> {
    /// Memory is released in the order of a stream, that without a name of the device which is the thread's: it has to
    /// be the buffer's.
    fn drop(&mut self) {
        // A device that fails here has failed before, where it was told.
        let _ = self.slice.context().bind_to_thread();
    }
}
