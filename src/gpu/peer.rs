//! Work of several GPUs that depends on each other: waiting for another stream, and copies from GPU to GPU.

use super::buffer::{Buffer, Word};
use super::context::{Event, Stream};
use super::driver::failed;
use crate::Result;
use cudarc::driver::{DevicePtr, DevicePtrMut, DeviceSlice, result, sys};
use std::ops::Range;

impl Stream {
    /// Later work waits until the stream of `event`, on whatever GPU, has reached it.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.0.wait(&event.0).map_err(|e| failed("waiting for another stream", e))
    }

    /// Lets this GPU reach the memory of that of `other`, so that copies go from one to the other instead of through
    /// the host, and kernels read and write there; whether it does. Where the machine does not provide for it, nothing
    /// changes.
    pub fn open_to(&self, other: &Stream) -> bool {
        let (own, others) = (self.0.context(), other.0.context());
        if own == others {
            return true;
        }
        if own.bind_to_thread().is_err() {
            return false;
        }
        // SAFETY: the context of `own` is current, and both contexts live as long as their streams do. A refusal is no
        // error: access may be there already, or the link may not exist.
        let opened = unsafe { sys::cuCtxEnablePeerAccess(others.cu_ctx(), 0) };
        let is_open =
            [sys::CUresult::CUDA_SUCCESS, sys::CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED].contains(&opened);
        let mut pool = std::ptr::null_mut();
        // SAFETY: `pool` is writable memory for the handle, and the device is that of a live context.
        if unsafe { sys::cuDeviceGetDefaultMemPool(&mut pool, others.cu_device()) }.result().is_err() {
            return false;
        }
        let access = sys::CUmemAccessDesc {
            location: sys::CUmemLocation {
                type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                id: own.cu_device(),
            },
            flags: sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        // SAFETY: the pool is that of `others`, and the call reads one description.
        let granted = unsafe { sys::cuMemPoolSetAccess(pool, &access, 1) }.result().is_ok();
        is_open && granted
    }

    /// Where a buffer of this stream begins, for kernels of GPUs that are open to this one. Who uses it sees to it that
    /// the buffer lives, and orders by events what is written there.
    pub fn address<T: Word>(&self, buffer: &Buffer<T>) -> u64 {
        buffer.slice.device_ptr(&self.0).0
    }

    /// Copies a range of a buffer of another stream, or of this one, to the same range of `to`, a buffer of this
    /// stream, after the earlier work of this stream. That the other stream has written it, and does not write it
    /// before this stream is done, is for the caller to order by events.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    ///
    /// # Panics
    /// If one of the buffers is shorter.
    pub fn copy_between<T: Word>(&self, to: &mut Buffer<T>, from: &Buffer<T>, range: Range<usize>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let wrong = |e| failed("a copy between devices", e);
        self.0.context().bind_to_thread().map_err(wrong)?;
        let (from, mut to) = (from.slice.slice(range.clone()), to.slice.slice_mut(range));
        let (own, others) = (self.0.context(), from.stream().context().clone());
        let (bytes, stream) = (from.num_bytes(), self.0.cu_stream());
        let source = from.stream().clone();
        let (from, _read) = from.device_ptr(&source);
        let (to, _written) = to.device_ptr_mut(&self.0);
        // SAFETY: both ranges are within live buffers of this many bytes, in the memory of these contexts; buffers are
        // freed in the order of their own streams, for which the caller has this stream waited.
        let copied = unsafe {
            if **own == *others {
                result::memcpy_dtod_async(to, from, bytes, stream)
            } else {
                result::memcpy_peer_async(own.cu_ctx(), to, others.cu_ctx(), from, bytes, stream)
            }
        };
        copied.map_err(wrong)
    }
}
