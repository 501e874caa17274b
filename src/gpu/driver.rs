//! Queries to the CUDA driver, through cudarc.

use super::device::{Device, Grant};
use crate::{DeviceError, DeviceReason, Error, Result};
use cudarc::driver::DriverError;
use cudarc::driver::result::{self, device};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};

/// The version of CUDA that this is written for: functions of a later driver than the one installed are missing.
const LEAST_VERSION: i32 = 13_000;

/// A version as people write it.
fn shown(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// The error for a driver of this version.
fn too_old(version: i32) -> DeviceError {
    let (found, needed) = (shown(version), shown(LEAST_VERSION));
    let message = format!("the CUDA driver on this machine is for CUDA {found}: {needed} or later is needed");
    DeviceError::new(DeviceReason::OldDriver, message)
}

/// The version of CUDA that the installed driver is for.
fn version() -> Result<i32> {
    // SAFETY: the call loads libcuda (which runs its initialisers) and does nothing else; its results are dropped. The
    // system's loader finds the system's own CUDA driver by its fixed name.
    if !unsafe { sys::is_culib_present() } {
        let message = "no CUDA driver on this machine: libcuda was not found";
        return Err(Error::device(DeviceReason::NoDriver, message));
    }
    let mut version = 0;
    // SAFETY: libcuda is loaded, and `version` is writable memory for the number; the call needs no initialisation.
    let known = unsafe { sys::cuDriverGetVersion(&mut version) }.result();
    known.map(|()| version).map_err(|error| failed("its version", error))
}

/// The same in words.
pub(super) fn version_name() -> Result<String> {
    version().map(shown)
}

pub(super) fn devices() -> Result<Vec<Device>> {
    let version = version()?;
    if version < LEAST_VERSION {
        return Err(Error::Device(too_old(version)));
    }
    match result::init() {
        Ok(()) => {}
        Err(DriverError(CUresult::CUDA_ERROR_NO_DEVICE)) => return Ok(vec![]),
        Err(e) => return Err(failed("initialisation", e)),
    }
    let count = device::get_count().map_err(|e| failed("counting devices", e))?;
    (0..count).map(|ordinal| describe(ordinal).map_err(|e| failed("describing a device", e))).collect()
}

fn describe(ordinal: i32) -> std::result::Result<Device, DriverError> {
    let handle = device::get(ordinal)?;
    // SAFETY: `handle` comes from `device::get` just above.
    let memory = unsafe { device::total_mem(handle)? };
    let attribute = |which| {
        // SAFETY: `handle` comes from `device::get` above.
        unsafe { device::get_attribute(handle, which) }.map(|value| value.max(0) as u32)
    };
    Ok(Device {
        index: ordinal as usize,
        name: device::get_name(handle)?,
        memory: memory as u64,
        compute_capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        grant: Grant::default(),
    })
}

/// The driver's own message: by the time there is an error, the driver is loaded.
pub(super) fn failed(what: &str, error: DriverError) -> Error {
    let text = error.error_string().ok().and_then(|t| t.to_str().ok()).unwrap_or("unknown error");
    let reason = match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => DeviceReason::NoMemory,
        _ => DeviceReason::Failed,
    };
    Error::device(reason, format!("the CUDA driver failed at {what}: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_driver_is_named_by_its_version() {
        let error = too_old(12_040);
        assert_eq!(error.reason, DeviceReason::OldDriver);
        assert!(error.message.contains("for CUDA 12.4: 13.0 or later"), "{error}");
    }
}
