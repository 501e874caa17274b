//! CUDA devices: which of them are there, kernels compiled for them, launches on them. The only room that touches CUDA.
//!
//! ```text
//! devices ──▶ Device ──Card::open──▶ Card ─┐
//!              Source ──compile──▶ Cubin ──┴─Kernel::load──▶ Kernel ──start──▶ Running ──finish──▶ words
//! ```
//!
//! libcuda and NVRTC are loaded at run time (`cudarc`, dynamic loading), so that one binary runs with and without a GPU; the
//! entry point is [`devices`]. Invariant: no function of cudarc is called before [`devices`] or [`compile`] has seen that the
//! library can be loaded, because cudarc panics where it cannot; a [`Device`] is only made by [`devices`].

#[cfg(not(feature = "cuda"))]
mod absent;
#[cfg(feature = "cuda")]
mod card;
#[cfg(feature = "cuda")]
mod compile;
#[cfg(feature = "cuda")]
mod driver;

#[cfg(not(feature = "cuda"))]
pub use absent::{Buffer, Card, Kernel, Running};
#[cfg(feature = "cuda")]
pub use card::{Buffer, Card, Kernel, Running};

use crate::{Error, Result};

/// A CUDA device, as its driver describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Device {
    /// The ordinal by which the driver knows it, counted from 0 (after `CUDA_VISIBLE_DEVICES`).
    pub index: usize,
    /// The product's name.
    pub name: String,
    /// Total memory in bytes.
    pub memory: u64,
    /// Compute capability, (major, minor).
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (major, minor) = self.compute_capability;
        let mib = self.memory >> 20;
        write!(f, "cuda:{} {} ({mib} MiB, compute capability {major}.{minor})", self.index, self.name)
    }
}

/// A kernel in CUDA C++.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its file name, for messages.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    /// What it includes: names and texts.
    pub headers: &'a [(&'a str, &'a str)],
}

/// Machine code of one architecture.
#[derive(Clone, Debug)]
pub struct Cubin {
    /// The image.
    pub code: Vec<u8>,
    /// What the compiler said: warnings.
    pub log: String,
}

/// The size of a launch, and the arguments that are numbers.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Blocks in both directions of the grid.
    pub blocks: (u32, u32),
    /// Threads of a block.
    pub threads: u32,
    /// 64-bit words that the kernel writes.
    pub words: usize,
    /// Its last arguments.
    pub numbers: &'a [u32],
}

/// Compiles the kernel for a compute capability (major, minor), with or without such a device on this machine.
///
/// # Errors
/// [`Error::Device`] where there is no NVRTC, where it refuses the source (with its words), or without the feature `cuda`.
pub fn compile(source: &Source<'_>, capability: (u32, u32)) -> Result<Cubin> {
    #[cfg(feature = "cuda")]
    return compile::compile(source, capability);
    #[cfg(not(feature = "cuda"))]
    {
        let _ = (source, capability);
        Err(absent::error())
    }
}

/// The CUDA devices that this process may use, by ascending index; empty where a driver is installed without a device.
///
/// # Errors
/// [`Error::Device`] where there is no CUDA driver, where it fails, or where the library was built without the feature
/// `cuda`.
pub fn devices() -> Result<Vec<Device>> {
    #[cfg(feature = "cuda")]
    return driver::devices();
    #[cfg(not(feature = "cuda"))]
    Err(absent::error())
}

/// All devices, at least one.
///
/// # Errors
/// [`Error::Device`] as for [`devices`], and where there is none.
pub fn require_devices() -> Result<Vec<Device>> {
    match devices()? {
        none if none.is_empty() => Err(Error::Device("no CUDA device is visible to this process".into())),
        some => Ok(some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs with and without a GPU: whatever is found is described soundly, and nothing panics.
    #[test]
    fn discovery_is_an_answer_or_a_device_error() {
        match devices() {
            Ok(found) => {
                for (i, device) in found.iter().enumerate() {
                    assert_eq!(device.index, i);
                    assert!(
                        !device.name.is_empty() && device.memory > 0 && device.compute_capability.0 > 0,
                        "{device}"
                    );
                }
                assert_eq!(require_devices().is_ok(), !found.is_empty());
            }
            Err(Error::Device(message)) => assert!(!message.is_empty()),
            Err(other) => panic!("not a device error: {other}"),
        }
    }

    /// Where NVRTC is installed a source compiles, and a wrong one is refused with the compiler's words.
    #[test]
    fn sources_compile_where_the_compiler_is() {
        let source = |text| Source { name: "twice.cu", text, headers: &[("two.cuh", "#define TWO 2")] };
        let good = "#include \"two.cuh\"\nextern \"C\" __global__ void twice(int *x) { *x *= TWO; }";
        match compile(&source(good), (9, 0)) {
            Ok(cubin) => {
                assert_eq!(&cubin.code[..4], b"\x7fELF");
                let refused = compile(&source("a fish"), (9, 0)).unwrap_err().to_string();
                assert!(refused.contains("twice.cu") && refused.contains("error"), "{refused}");
            }
            Err(Error::Device(message)) => eprintln!("skipped: {message}"),
            Err(other) => panic!("not a device error: {other}"),
        }
    }

    #[test]
    fn a_device_prints_as_one_line() {
        let device =
            Device { index: 1, name: "X".into(), memory: 3 << 30, compute_capability: (9, 0), multiprocessors: 132 };
        assert_eq!(device.to_string(), "cuda:1 X (3072 MiB, compute capability 9.0)");
    }
}
