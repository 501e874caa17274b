//! A GPU: its streams, buffers and modules, and asynchronous launches on it.
//!
//! cudarc orders operations on one buffer across several streams of one [`Gpu`], and releases a buffer only after
//! everything that uses it there. For what [`Stream::beside`] makes, who shares a buffer does both.

use super::buffer::{Buffer, Word};
use super::device::{Device, Grant};
use super::driver::failed;
use super::launch::Grid;
use super::parameters::Signature;
use super::source::Cubin;
use crate::Result;
use cudarc::driver::result::stream as priorities;
use cudarc::driver::sys::{CUevent_flags, CUfunction_attribute};
use cudarc::driver::{CudaContext, CudaEvent, CudaFunction, CudaModule, CudaStream, LaunchConfig};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// A GPU ready for work.
#[derive(Debug)]
pub struct Gpu(Arc<CudaContext>, Grant);

/// Work in order: copies and launches on one stream run one after the other, those on two streams concurrently.
#[derive(Clone, Debug)]
pub struct Stream(pub(super) Arc<CudaStream>, Grant);

/// Compiled kernels loaded on a GPU.
#[derive(Debug)]
pub struct Module(Arc<CudaModule>);

/// A kernel whose parameters are those of `S`, a tuple of [`In`](super::In), [`Out`](super::Out) and numbers.
pub struct Kernel<S> {
    function: CudaFunction,
    /// Bytes of dynamic shared memory of a block.
    shared: u32,
    signature: PhantomData<fn(S)>,
}

/// A point in the work of a stream.
#[derive(Debug)]
pub struct Event(pub(super) CudaEvent);

// Whatever the parameters: long tuples are not `Debug`.
impl<S> fmt::Debug for Kernel<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel").field("function", &self.function).field("shared", &self.shared).finish()
    }
}

impl Gpu {
    /// Opens the device, which takes a few tenths of a second.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn open(device: &Device) -> Result<Gpu> {
        let context = CudaContext::new(device.index).map_err(|e| failed("opening a device", e))?;
        Ok(Gpu(context, device.grant.clone()))
    }

    /// A new stream.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn stream(&self) -> Result<Stream> {
        let stream = self.0.new_stream().map_err(|e| failed("making a stream", e))?;
        Ok(Stream(stream, self.1.clone()))
    }

    /// Loads compiled kernels.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn load(&self, cubin: &Cubin) -> Result<Module> {
        load(&self.0, cubin)
    }
}

fn load(context: &Arc<CudaContext>, cubin: &Cubin) -> Result<Module> {
    let image = cudarc::nvrtc::Ptx::from_binary(cubin.code.clone());
    context.load_module(image).map(Module).map_err(|e| failed("loading a kernel", e))
}

impl Module {
    /// The kernel of this name. Its source, in `kernels/`, is trusted to take the parameters `S` in this order, and to
    /// stay within the buffers that its launch contract names.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is none of this name.
    pub fn kernel<S: Signature>(&self, name: &str) -> Result<Kernel<S>> {
        let function = self.0.load_function(name).map_err(|e| failed("finding a kernel", e))?;
        Ok(Kernel { function, shared: 0, signature: PhantomData })
    }
    /// The same for a kernel whose blocks have so many bytes of dynamic shared memory.
    ///
    /// # Errors
    /// As [`Module::kernel`], and if a block of this device cannot have so many.
    pub fn kernel_with_shared<S: Signature>(&self, name: &str, bytes: u32) -> Result<Kernel<S>> {
        let kernel = self.kernel(name)?;
        let most = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        kernel.function.set_attribute(most, bytes as i32).map_err(|e| failed("shared memory of a kernel", e))?;
        Ok(Kernel { shared: bytes, ..kernel })
    }
}

impl Stream {
    /// Opens the device for work in one order: there is no other stream beside this one, so that nothing has to be
    /// ordered between streams, which would cost more than a small launch.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn alone(device: &Device) -> Result<Stream> {
        let context = CudaContext::new(device.index).map_err(|e| failed("opening a device", e))?;
        Ok(Stream(context.default_stream(), device.grant.clone()))
    }

    /// Another stream on the same device, whose work goes first where both have some. Nothing orders the work of the
    /// two but [`Stream::wait`]: who gives a buffer of one to the other has it wait before, and the one wait before the
    /// buffer is written again or freed.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn beside(&self) -> Result<Stream> {
        let wrong = |e| failed("making a stream", e);
        let context = CudaContext::new(self.0.context().ordinal()).map_err(wrong)?;
        // SAFETY: without events, cudarc does not order operations on one buffer across streams. This context object
        // has only the one stream that is made here, whose buffers are released on it, after the work that uses them;
        // what it does with buffers of others is ordered by those who give it these.
        unsafe { context.disable_event_tracking() };
        let (_, first) = priorities::get_priority_range().map_err(wrong)?;
        Ok(Stream(context.new_stream_with_priority(first).map_err(wrong)?, self.1.clone()))
    }

    /// Loads compiled kernels on the stream's device.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn load(&self, cubin: &Cubin) -> Result<Module> {
        load(self.0.context(), cubin)
    }

    /// Bytes of the device's memory that nobody uses, as far as they are granted.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn free_memory(&self) -> Result<u64> {
        let (free, _) = self.0.context().mem_get_info().map_err(|e| failed("asking for its memory", e))?;
        Ok(self.1.left().map_or(free as u64, |left| left.min(free as u64)))
    }

    /// The point that the stream has now, with the time at which it reaches it.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn mark(&self) -> Result<Event> {
        let flags = Some(CUevent_flags::CU_EVENT_DEFAULT);
        self.0.record_event(flags).map(Event).map_err(|e| failed("recording an event", e))
    }

    /// Copies values to the GPU; the copy has ended when the call returns. An empty slice becomes a buffer of one zero:
    /// a buffer of nothing would have no address.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn upload<T: Word>(&self, values: &[T]) -> Result<Buffer<T>> {
        if values.is_empty() {
            return self.zeros(1);
        }
        let wrong = |e| failed("a copy to the device", e);
        let held = self.1.take(size_of_val(values) as u64)?;
        let slice = self.0.clone_htod(values).map_err(wrong)?;
        self.0.synchronize().map_err(wrong)?;
        Ok(Buffer { slice, _held: held })
    }

    /// A buffer of that many zeros, filled in stream order.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn zeros<T: Word>(&self, len: usize) -> Result<Buffer<T>> {
        let held = self.1.take((len as u64).saturating_mul(size_of::<T>() as u64))?;
        let slice = self.0.alloc_zeros(len).map_err(|e| failed("memory of the device", e))?;
        Ok(Buffer { slice, _held: held })
    }

    /// Copies values to a place in a buffer, after the stream's earlier work; the copy has ended when the call returns.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    ///
    /// # Panics
    /// If the buffer is shorter.
    pub fn overwrite<T: Word>(&self, buffer: &mut Buffer<T>, at: usize, values: &[T]) -> Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        let wrong = |e| failed("a copy to the device", e);
        self.0.memcpy_htod(values, &mut buffer.slice.slice_mut(at..at + values.len())).map_err(wrong)?;
        self.0.synchronize().map_err(wrong)
    }

    /// Waits for everything that writes the buffer, then returns its values.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if that failed.
    pub fn download<T: Word>(&self, buffer: &Buffer<T>) -> Result<Vec<T>> {
        let values = self.0.clone_dtoh(&buffer.slice).map_err(|e| failed("a kernel", e))?;
        self.0.synchronize().map_err(|e| failed("a kernel", e))?;
        Ok(values)
    }

    /// The same of some of the values alone.
    ///
    /// # Errors
    /// As [`Stream::download`].
    ///
    /// # Panics
    /// If there are fewer.
    pub fn download_part<T: Word>(&self, buffer: &Buffer<T>, range: Range<usize>) -> Result<Vec<T>> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let values = self.0.clone_dtoh(&buffer.slice.slice(range)).map_err(|e| failed("a kernel", e))?;
        self.0.synchronize().map_err(|e| failed("a kernel", e))?;
        Ok(values)
    }

    /// Launches the kernel after the stream's earlier work. The event marks its end.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn launch<S: Signature>(&self, kernel: &Kernel<S>, grid: Grid, arguments: S::Arguments<'_>) -> Result<Event> {
        self.enqueue(kernel, grid, arguments)?;
        self.0.record_event(None).map(Event).map_err(|e| failed("a kernel launch", e))
    }

    /// [`Stream::launch`] without an event.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn enqueue<S: Signature>(&self, kernel: &Kernel<S>, grid: Grid, mut arguments: S::Arguments<'_>) -> Result<()> {
        let (x, y) = grid.blocks;
        let config =
            LaunchConfig { grid_dim: (x, y, 1), block_dim: (grid.threads, 1, 1), shared_mem_bytes: kernel.shared };
        let mut launch = self.0.launch_builder(&kernel.function);
        S::push(&mut arguments, &mut launch);
        // SAFETY: the arguments have the types of the kernel's signature, which its source states; it stays within the
        // buffers by its launch contract, which the caller keeps. cudarc orders the launch after the work that the
        // buffers wait for, and releases every buffer named here after the launch; between a stream and those beside
        // it, who shares a buffer does.
        unsafe { launch.launch(config) }.map(drop).map_err(|e| failed("a kernel launch", e))
    }
}

impl Event {
    /// The seconds that the stream took from `earlier` to here, both made by [`Stream::mark`]; waits for both.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if what came before failed.
    pub fn seconds_since(&self, earlier: &Event) -> Result<f64> {
        let milliseconds = earlier.0.elapsed_ms(&self.0).map_err(|e| failed("a kernel", e))?;
        Ok(f64::from(milliseconds) / 1e3)
    }

    /// Whether the stream has reached this point.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if what came before failed.
    pub fn is_done(&self) -> Result<bool> {
        self.0.try_is_complete().map_err(|e| failed("a kernel", e))
    }
}
