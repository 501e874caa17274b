//! CUDA devices: which of them are there. The only room that touches CUDA.
//!
//! libcuda is loaded at run time (`cudarc`, dynamic loading), so that one binary runs with and without a GPU; the entry
//! point is [`devices`]. Invariant: no function of cudarc is called before [`devices`] has seen that the library can be
//! loaded, because cudarc panics where it cannot.

#[cfg(feature = "cuda")]
mod driver;

use crate::{Error, Result};

/// A CUDA device, as its driver describes it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Device {
    /// The ordinal by which the driver knows it, counted from 0 (after `CUDA_VISIBLE_DEVICES`).
    pub index: usize,
    /// The product's name.
    pub name: String,
    /// Total memory in bytes.
    pub memory: u64,
    /// Compute capability, (major, minor).
    pub compute_capability: (u32, u32),
}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (major, minor) = self.compute_capability;
        let mib = self.memory >> 20;
        write!(f, "cuda:{} {} ({mib} MiB, compute capability {major}.{minor})", self.index, self.name)
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
    Err(Error::Device("this build has no CUDA support: build it with the feature `cuda`".into()))
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

    #[test]
    fn a_device_prints_as_one_line() {
        let device = Device { index: 1, name: "X".into(), memory: 3 << 30, compute_capability: (9, 0) };
        assert_eq!(device.to_string(), "cuda:1 X (3072 MiB, compute capability 9.0)");
    }
}
