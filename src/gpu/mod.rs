//! CUDA devices: which of them are there, kernels compiled for them, launches on them. The only room that touches CUDA.
//!
//! ```text
//! devices ──▶ Device ──Gpu::open──▶ Gpu ──stream──▶ Stream ──upload, zeros──▶ Buffer<T> ─┐
//!              Source ──compile──▶ Cubin ──Gpu::load──▶ Module ──kernel──▶ Kernel<S> ─────┴─Stream::launch──▶ Event
//! ```
//!
//! A kernel's signature S is a tuple of [`In`], [`Out`] and numbers, so that a launch takes exactly the arguments that
//! the kernel has; that its source has that signature, and stays within its buffers, is its launch contract
//! (`kernels/`). Beyond this, only the driver and cudarc are trusted.
//!
//! libcuda and NVRTC are loaded at run time (`cudarc`, dynamic loading), so that one binary runs with and without a
//! GPU; the entry point is [`devices`]. Invariant: no function of cudarc is called before [`devices`] or [`compile`]
//! has seen that the library can be loaded, because cudarc panics where it cannot; a [`Device`] is only made by
//! [`devices`].

#[cfg(not(feature = "cuda"))]
mod absent;
#[cfg(feature = "cuda")]
mod buffer;
#[cfg(feature = "cuda")]
mod cache;
mod choice;
#[cfg(feature = "cuda")]
mod compile;
#[cfg(feature = "cuda")]
mod context;
mod device;
#[cfg(feature = "cuda")]
mod driver;
mod launch;
#[cfg(feature = "cuda")]
mod parameters;
#[cfg(feature = "cuda")]
mod peer;
mod source;
#[cfg(test)]
pub(crate) mod trials;

#[cfg(not(feature = "cuda"))]
pub use absent::{Buffer, Event, Gpu, Kernel, Module, Parameter, Signature, Stream, Word};
#[cfg(feature = "cuda")]
pub use buffer::{Buffer, Word};
#[cfg(feature = "cuda")]
pub use context::{Event, Gpu, Kernel, Module, Stream};

pub use choice::{Devices, Ordinals};
pub use device::Device;
pub use launch::{Grid, In, Out};
#[cfg(feature = "cuda")]
pub use parameters::{Parameter, Signature};
pub use source::{Cubin, Source};

use crate::{DeviceReason, Error, Result};

/// The header of all kernels on residues of LANE bits: its name and text.
pub(crate) const WORDS: (&str, &str) = ("words.cuh", include_str!("../../kernels/words.cuh"));

/// Compiles the kernel for a compute capability (major, minor), with or without such a device on this machine; or finds
/// what an earlier process compiled, in the folder `$BLACKFIELD_KERNELS`, `$XDG_CACHE_HOME/blackfield/kernels` or
/// `$HOME/.cache/blackfield/kernels`. If the first of these variables is set and empty, nothing is kept.
///
/// # Errors
/// [`Error::Device`] if NVRTC is missing, if it rejects the source (with its message), or without the feature `cuda`.
pub fn compile(source: &Source<'_>, capability: (u32, u32)) -> Result<Cubin> {
    #[cfg(feature = "cuda")]
    return compile::compile(source, capability, false);
    #[cfg(not(feature = "cuda"))]
    {
        let _ = (source, capability);
        Err(absent::error())
    }
}

/// The same with the instructions that this compute capability has alone, such as `wgmma` of `sm_90a`.
///
/// # Errors
/// As [`compile`].
pub fn compile_for_one(source: &Source<'_>, capability: (u32, u32)) -> Result<Cubin> {
    #[cfg(feature = "cuda")]
    return compile::compile(source, capability, true);
    #[cfg(not(feature = "cuda"))]
    {
        let _ = (source, capability);
        Err(absent::error())
    }
}

/// The CUDA devices that this process may use, by ascending index; empty if a driver is installed but there is no
/// device.
///
/// # Errors
/// [`Error::Device`] if there is no CUDA driver, if it fails, or if the library was built without the feature `cuda`.
pub fn devices() -> Result<Vec<Device>> {
    #[cfg(feature = "cuda")]
    return driver::devices();
    #[cfg(not(feature = "cuda"))]
    Err(absent::error())
}

/// The version of CUDA that the installed driver is for, such as `13.0`.
///
/// # Errors
/// [`Error::Device`] if there is no CUDA driver, or without the feature `cuda`.
pub fn driver_version() -> Result<String> {
    #[cfg(feature = "cuda")]
    return driver::version_name();
    #[cfg(not(feature = "cuda"))]
    Err(absent::error())
}

/// The version of the installed compiler, NVRTC, such as `13.0`.
///
/// # Errors
/// [`Error::Device`] if it is missing, or without the feature `cuda`.
pub fn compiler_version() -> Result<String> {
    #[cfg(feature = "cuda")]
    return compile::version();
    #[cfg(not(feature = "cuda"))]
    Err(absent::error())
}

/// All devices, at least one. Which of them are asked for is a matter of [`Devices`].
///
/// # Errors
/// [`Error::Device`] as for [`devices`], and if there is no device.
pub fn require_devices() -> Result<Vec<Device>> {
    match devices()? {
        none if none.is_empty() => {
            let message = "no CUDA device is visible to this process";
            Err(Error::device(DeviceReason::NoDevice, message))
        }
        some => Ok(some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs with and without a GPU: whatever is found is described correctly, and nothing panics.
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
            Err(Error::Device(no)) => assert!(!no.message.is_empty() && no.reason != DeviceReason::Failed, "{no:?}"),
            Err(other) => panic!("not a device error: {other}"),
        }
    }

    /// Where NVRTC is installed, a source compiles, and a wrong one is rejected with the compiler's message.
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
            Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => eprintln!("skipped: {no}"),
            Err(other) => panic!("not a device error: {other}"),
        }
    }

    #[test]
    fn a_device_prints_as_one_line() {
        let device = Device {
            index: 1,
            name: "X".into(),
            memory: 3 << 30,
            compute_capability: (9, 0),
            multiprocessors: 132,
            grant: Default::default(),
        };
        assert_eq!(device.to_string(), "cuda:1 X (3072 MiB, compute capability 9.0)");
    }
}
