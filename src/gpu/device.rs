//! A device as data, and how much of its memory is granted.

use crate::{DeviceReason, Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
    /// What buffers may take of its memory.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) grant: Grant,
}

impl Device {
    /// Bytes of shared memory that a block of threads has at most on devices of this compute capability (CUDA C++
    /// Programming Guide, table of compute capabilities).
    pub(crate) fn shared_memory(capability: (u32, u32)) -> usize {
        let kib = match capability {
            (9..=11, _) => 227,
            (8, 0 | 7) => 163,
            (8 | 12.., _) => 99,
            (7, 0 | 2) => 96,
            (7, _) => 64,
            _ => 48,
        };
        kib << 10
    }
    /// The same device; buffers that are made on it from now on, by it and all its clones, take no more than so many
    /// bytes together. What the driver and the kernels take of the memory is beside it.
    #[must_use]
    pub fn limited(self, bytes: impl Into<Option<u64>>) -> Device {
        Device { grant: Grant::of(bytes.into()), ..self }
    }

    /// Each of these devices [limited](Device::limited) to so many bytes; one that is there several
    /// times has them once.
    pub(crate) fn each_limited(devices: Vec<Device>, bytes: Option<u64>) -> Vec<Device> {
        let mut limited: Vec<Device> = Vec::with_capacity(devices.len());
        for device in devices {
            let before = limited.iter().find(|other| other.index == device.index).cloned();
            limited.push(before.unwrap_or_else(|| device.limited(bytes)));
        }
        limited
    }
}

/// Bytes of a device that buffers may take together, and those that they take: clones share both.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grant(Option<Arc<Account>>);

#[derive(Debug)]
struct Account {
    limit: u64,
    used: AtomicU64,
}

/// Bytes of a [`Grant`] that a buffer has; it gives them back.
#[derive(Debug, Default)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "there are no buffers"))]
pub(super) struct Held(Option<(Arc<Account>, u64)>);

/// By the limit.
impl PartialEq for Grant {
    fn eq(&self, other: &Grant) -> bool {
        self.limit() == other.limit()
    }
}
impl Eq for Grant {}

#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "there are no buffers"))]
impl Grant {
    fn of(limit: Option<u64>) -> Grant {
        Grant(limit.map(|limit| Arc::new(Account { limit, used: AtomicU64::new(0) })))
    }
    fn limit(&self) -> Option<u64> {
        self.0.as_ref().map(|account| account.limit)
    }
    /// Bytes that are left of it.
    pub(super) fn left(&self) -> Option<u64> {
        self.0.as_ref().map(|account| account.limit.saturating_sub(account.used.load(Ordering::Relaxed)))
    }
    /// So many bytes of it, for a buffer.
    ///
    /// # Errors
    /// [`Error::Device`] with [`DeviceReason::NoMemory`] if fewer are left.
    pub(super) fn take(&self, bytes: u64) -> Result<Held> {
        let Some(account) = &self.0 else { return Ok(Held(None)) };
        let more = |used: u64| used.checked_add(bytes).filter(|&all| all <= account.limit);
        match account.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => Ok(Held(Some((account.clone(), bytes)))),
            Err(used) => Err(refusal(bytes, account.limit - used, account.limit)),
        }
    }
}

#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "there are no buffers"))]
fn refusal(needed: u64, left: u64, limit: u64) -> Error {
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let message = format!(
        "a buffer of {} MB on the device, where {} MB are left of the limit of {} MB: raise --max-device-memory",
        mib(needed),
        left >> 20,
        limit >> 20
    );
    Error::device(DeviceReason::NoMemory, message)
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some((account, bytes)) = &self.0 {
            account.used.fetch_sub(*bytes, Ordering::Relaxed);
        }
    }
}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (major, minor) = self.compute_capability;
        let mib = self.memory >> 20;
        write!(f, "cuda:{} {} ({mib} MiB, compute capability {major}.{minor})", self.index, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_named_twice_has_its_memory_once() {
        let device = |index| Device {
            index,
            name: "X".into(),
            memory: 1000,
            compute_capability: (9, 0),
            multiprocessors: 1,
            grant: Grant::default(),
        };
        let limited = Device::each_limited(vec![device(0), device(1), device(0)], Some(100));
        let held = limited[0].grant.take(60).unwrap();
        let left: Vec<_> = limited.iter().map(|device| (device.index, device.grant.left())).collect();
        assert_eq!(left, [(0, Some(40)), (1, Some(100)), (0, Some(40))]);
        drop(held);
        assert!(Device::each_limited(vec![device(3)], None)[0].grant.left().is_none());
    }

    #[test]
    fn a_grant_is_never_exceeded_and_comes_back() {
        let grant = Grant::of(Some(100));
        let (first, clone) = (grant.take(60).unwrap(), grant.clone());
        assert_eq!((grant.left(), clone.left()), (Some(40), Some(40)));
        let refused = clone.take(41).unwrap_err();
        assert!(matches!(&refused, Error::Device(no) if no.reason == DeviceReason::NoMemory), "{refused}");
        assert!(clone.take(u64::MAX).is_err() && refused.to_string().contains("--max-device-memory"), "{refused}");
        let second = clone.take(40).unwrap();
        assert!(grant.take(1).is_err() && grant.take(0).is_ok());
        drop(first);
        assert_eq!(grant.left(), Some(60));
        drop(second);
        assert_eq!(grant.left(), Some(100));
        // From many threads, no more than there is.
        let taken = std::sync::Mutex::new(vec![]);
        std::thread::scope(|scope| {
            (0..8).for_each(|_| {
                scope.spawn(|| (0..50).for_each(|_| taken.lock().unwrap().extend(grant.take(3))));
            });
        });
        assert_eq!(taken.into_inner().unwrap().len(), 33);
        assert!(Grant::default().take(u64::MAX).is_ok() && Grant::default().left().is_none());
        assert!(Grant::of(Some(1)) != Grant::default() && Grant::of(Some(1)) == Grant::of(Some(1)));
    }
}
