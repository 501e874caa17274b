//! A kernel on one card: buffers in, words out, launches that run while the caller goes on.

use super::device::Device;
use super::driver::failed;
use super::launch::Launch;
use super::source::Cubin;
use crate::Result;
use cudarc::driver::{CudaContext, CudaEvent, CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg};
use std::sync::Arc;

/// A card ready for work.
#[derive(Debug)]
pub struct Card(Arc<CudaContext>);

/// A kernel loaded on one card, with a stream for its launches and one for copies: a copy of data that the operating system may
/// move waits for what its stream has to do.
#[derive(Debug)]
pub struct Kernel {
    function: CudaFunction,
    work: Arc<CudaStream>,
    copies: Arc<CudaStream>,
}

/// Data on a card.
#[derive(Debug)]
pub struct Buffer(CudaSlice<u8>);

/// A launch under way. Dropped early, it runs to its end unseen, and the driver frees its buffers after that.
#[derive(Debug)]
pub struct Running {
    done: CudaEvent,
    words: CudaSlice<u64>,
    copies: Arc<CudaStream>,
    _input: Buffer,
}

impl Card {
    /// Opens the device, which takes a few tenths of a second.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn open(device: &Device) -> Result<Card> {
        CudaContext::new(device.index).map(Card).map_err(|e| failed("opening a device", e))
    }
}

impl Kernel {
    /// Loads the kernel of this name.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn load(card: &Card, cubin: &Cubin, entry: &str) -> Result<Kernel> {
        let image = cudarc::nvrtc::Ptx::from_binary(cubin.code.clone());
        let module = card.0.load_module(image).map_err(|e| failed("loading a kernel", e))?;
        let function = module.load_function(entry).map_err(|e| failed("finding a kernel", e))?;
        let stream = || card.0.new_stream().map_err(|e| failed("making a stream", e));
        Ok(Kernel { function, work: stream()?, copies: stream()? })
    }

    /// Copies the bytes to the card; the copy has ended when the call returns.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn upload(&self, bytes: &[u8]) -> Result<Buffer> {
        // A buffer of no bytes would have no address.
        let bytes = if bytes.is_empty() { &[0] } else { bytes };
        let buffer = self.copies.clone_htod(bytes).map_err(|e| failed("a copy to the device", e))?;
        self.copies.synchronize().map_err(|e| failed("a copy to the device", e))?;
        Ok(Buffer(buffer))
    }

    /// Starts the kernel with the arguments: pointers to `own` (copied to the card), to each of `fixed`, to `launch.words` words
    /// that hold 0 at first, then `launch.numbers`.
    ///
    /// The kernel is trusted to take just these arguments and to stay within them: its source, in `kernels/`, states its launch
    /// contract, and the caller keeps it.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn start(&self, launch: &Launch<'_>, own: &[u8], fixed: &[&Buffer]) -> Result<Running> {
        let wrong = |e| failed("a kernel launch", e);
        let input = self.upload(own)?;
        let mut words = self.work.alloc_zeros::<u64>(launch.words).map_err(wrong)?;
        let mut arguments = self.work.launch_builder(&self.function);
        arguments.arg(&input.0);
        fixed.iter().for_each(|buffer| {
            arguments.arg(&buffer.0);
        });
        arguments.arg(&mut words);
        launch.numbers.iter().for_each(|number| {
            arguments.arg(number);
        });
        let (x, y) = launch.blocks;
        let grid = LaunchConfig { grid_dim: (x, y, 1), block_dim: (launch.threads, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the kernel's source states that it takes these arguments in this order and stays within them. cudarc orders
        // the launch behind the copies, and the release of every buffer named here behind the launch.
        unsafe { arguments.launch(grid) }.map_err(wrong)?;
        let done = self.work.record_event(None).map_err(wrong)?;
        Ok(Running { done, words, copies: self.copies.clone(), _input: input })
    }
}

impl Running {
    /// Whether it has ended.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if it failed.
    pub fn is_done(&self) -> Result<bool> {
        self.done.try_is_complete().map_err(|e| failed("a kernel", e))
    }

    /// Waits for the end; the words written.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if it failed.
    pub fn finish(self) -> Result<Vec<u64>> {
        let words = self.copies.clone_dtoh(&self.words).map_err(|e| failed("a kernel", e))?;
        self.copies.synchronize().map_err(|e| failed("a kernel", e))?;
        Ok(words)
    }
}
