//! What tests on a GPU share: where there is none, or no compiler for it, they print why and end.

use super::{Device, require_devices};
use crate::{DeviceReason, Error, Result};

/// What was made; nothing where this machine lacks what it takes, which is printed.
///
/// # Panics
/// If a device failed, or for any other error.
pub(crate) fn made<T>(done: Result<T>) -> Option<T> {
    match done {
        Ok(made) => Some(made),
        Err(Error::Device(no)) if no.reason != DeviceReason::Failed => {
            eprintln!("skipped: {no}");
            None
        }
        Err(other) => panic!("{other}"),
    }
}

/// The first GPU, if there is one.
pub(crate) fn first_device() -> Option<Device> {
    made(require_devices()).map(|mut devices| devices.swap_remove(0))
}

/// Whether a test is to take few and small cases that still reach its kernels: with `BLACKFIELD_GPU_TESTS=small`, for
/// tools such as compute-sanitizer's racecheck, under which kernels take thousands of times as long.
pub(crate) fn are_small() -> bool {
    std::env::var("BLACKFIELD_GPU_TESTS").is_ok_and(|cases| cases == "small")
}
