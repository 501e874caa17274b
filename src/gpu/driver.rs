//! Queries to the CUDA driver, through cudarc.

use super::device::Device;
use crate::{Error, Result};
use cudarc::driver::DriverError;
use cudarc::driver::result::{self, device};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};

pub(super) fn devices() -> Result<Vec<Device>> {
    // SAFETY: the call loads libcuda (which runs its initialisers) and does nothing else; its results are dropped. The
    // system's loader finds the system's own CUDA driver by its fixed name.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::Device("no CUDA driver on this machine: libcuda was not found".into()));
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
    })
}

/// The driver's own message: by the time there is an error, the driver is loaded.
pub(super) fn failed(what: &str, error: DriverError) -> Error {
    let text = error.error_string().ok().and_then(|t| t.to_str().ok()).unwrap_or("unknown error");
    Error::Device(format!("the CUDA driver failed at {what}: {text}"))
}
