//! The kernel of `kernels/permanent.cu` on one GPU: arguments, launch, and retrieval of its sums.

use crate::Result;
use crate::gpu::{self, Buffer, Cubin, Event, Gpu, Grid, In, Out, Stream};

/// `permanent(starts, lanes, sums, groups, first)`: the states and the lanes' values as bytes, the words of the sums.
type Signature = (In<u8>, In<u8>, Out<u64>, u32, u32);

/// The kernel loaded on one GPU, with a stream for its launches and one for copies: a copy from pageable memory waits
/// for the earlier work of its stream.
#[derive(Debug)]
pub(super) struct Kernel {
    kernel: gpu::Kernel<Signature>,
    work: Stream,
    copies: Stream,
}

/// The size of a launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Launch {
    pub grid: Grid,
    /// 64-bit words that the kernel writes.
    pub words: usize,
    pub groups: u32,
    /// The low half of the first group's number.
    pub first: u32,
}

/// A launch in progress. If dropped early, it still runs to its end, and the driver frees its buffers after that.
#[derive(Debug)]
pub(super) struct Running {
    done: Event,
    words: Buffer<u64>,
    copies: Stream,
    _starts: Buffer<u8>,
}

impl Kernel {
    /// Loads the kernel of this name.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn load(gpu: &Gpu, cubin: &Cubin, entry: &str) -> Result<Kernel> {
        Ok(Kernel { kernel: gpu.load(cubin)?.kernel(entry)?, work: gpu.stream()?, copies: gpu.stream()? })
    }

    /// Copies the bytes to the GPU; the copy has ended when the call returns.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn upload(&self, bytes: &[u8]) -> Result<Buffer<u8>> {
        self.copies.upload(bytes)
    }

    /// Starts the kernel on the groups' states.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn start(&self, launch: &Launch, starts: &[u8], lanes: &Buffer<u8>) -> Result<Running> {
        let starts = self.upload(starts)?;
        let mut words = self.work.zeros(launch.words)?;
        let arguments = (&starts, lanes, &mut words, launch.groups, launch.first);
        let done = self.work.launch(&self.kernel, launch.grid, arguments)?;
        Ok(Running { done, words, copies: self.copies.clone(), _starts: starts })
    }
}

impl Running {
    /// Whether it has ended.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if it failed.
    pub fn is_done(&self) -> Result<bool> {
        self.done.is_done()
    }

    /// Waits for the end and returns the words written.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if it failed.
    pub fn finish(self) -> Result<Vec<u64>> {
        self.copies.download(&self.words)
    }
}
