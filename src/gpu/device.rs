//! A device as data.

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
