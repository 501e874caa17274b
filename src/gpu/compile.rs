//! CUDA C++ to machine code by NVRTC, which is loaded at run time like the driver and needs no GPU.
//!
//! The machine code of one architecture (CUBIN), not PTX: a driver older than the compiler could not read its PTX.

use super::cache::Cache;
use super::source::{Cubin, Source};
use crate::{DeviceReason, Error, Result};
use cudarc::nvrtc::result::{self, NvrtcError};
use cudarc::nvrtc::sys;
use std::ffi::{CStr, CString, c_char};

/// `only`: with the instructions that no other architecture has.
pub(super) fn compile(source: &Source<'_>, (major, minor): (u32, u32), only: bool) -> Result<Cubin> {
    let version = version()?;
    let suffix = if only { "a" } else { "" };
    let options = [
        format!("--gpu-architecture=sm_{major}{minor}{suffix}"),
        "--std=c++17".into(),
        // For the names of lines in profilers and sanitizers; the code is the same.
        "--generate-line-info".into(),
        "--ptxas-options=-v".into(),
        "--device-int128".into(),
    ];
    Cache::of_user().get(source, &options, &version, || anew(source, &options))
}

/// The compiler's version.
pub(super) fn version() -> Result<String> {
    // SAFETY: the call loads NVRTC (which runs its initialisers) and does nothing else; the system's loader finds the
    // system's own library by its fixed name.
    if !unsafe { sys::is_culib_present() } {
        let message = "no CUDA compiler on this machine: libnvrtc was not found";
        return Err(Error::device(DeviceReason::NoCompiler, message));
    }
    let (mut major, mut minor) = (0, 0);
    // SAFETY: NVRTC is loaded, and both are writable memory for a number.
    let known = unsafe { sys::nvrtcVersion(&mut major, &mut minor) }.result();
    known.map_err(|e| failed("its version", e, ""))?;
    Ok(format!("{major}.{minor}"))
}

fn anew(source: &Source<'_>, options: &[String]) -> Result<Cubin> {
    let program = Program::new(source)?;
    // SAFETY: `program` was made by nvrtcCreateProgram and is destroyed only when it is dropped.
    unsafe { result::compile_program(program.0, options) }.map_err(|e| failed(source.name, e, &program.log()))?;
    let mut size = 0;
    // SAFETY: as above, and `size` is writable memory for the number.
    unsafe { sys::nvrtcGetCUBINSize(program.0, &mut size) }.result().map_err(|e| failed(source.name, e, ""))?;
    let mut code = vec![0u8; size];
    // SAFETY: as above, and `code` has the `size` bytes that nvrtcGetCUBINSize announced.
    let got = unsafe { sys::nvrtcGetCUBIN(program.0, code.as_mut_ptr().cast::<c_char>()) };
    got.result().map_err(|e| failed(source.name, e, ""))?;
    Ok(Cubin { code, log: program.log() })
}

fn failed(name: &str, error: NvrtcError, log: &str) -> Error {
    let message = format!("the CUDA compiler failed at {name}: {error} {}", log.trim_end());
    Error::device(DeviceReason::Failed, message)
}

/// An nvrtcProgram, destroyed with its owner.
struct Program(sys::nvrtcProgram);

impl Program {
    fn new(source: &Source<'_>) -> Result<Program> {
        let c_string = |text: &str| CString::new(text).expect("kernel sources have no zero bytes");
        let (text, name) = (c_string(source.text), c_string(source.name));
        let headers: Vec<(CString, CString)> =
            source.headers.iter().map(|(name, text)| (c_string(name), c_string(text))).collect();
        let names: Vec<*const c_char> = headers.iter().map(|(name, _)| name.as_ptr()).collect();
        let texts: Vec<*const c_char> = headers.iter().map(|(_, text)| text.as_ptr()).collect();
        let mut program = std::ptr::null_mut();
        // SAFETY: all strings end in a zero byte and outlive the call, which copies them; both arrays have as many
        // pointers as the count says.
        let created = unsafe {
            sys::nvrtcCreateProgram(
                &mut program,
                text.as_ptr(),
                name.as_ptr(),
                headers.len() as i32,
                texts.as_ptr(),
                names.as_ptr(),
            )
        };
        created.result().map_err(|e| failed(source.name, e, ""))?;
        Ok(Program(program))
    }

    /// What the compiler said.
    fn log(&self) -> String {
        // SAFETY: the program was made by nvrtcCreateProgram and is destroyed only when it is dropped.
        let bytes = unsafe { result::get_program_log(self.0) }.unwrap_or_default();
        let bytes: Vec<u8> = bytes.into_iter().map(|b| b as u8).collect();
        CStr::from_bytes_until_nul(&bytes).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the program was made by nvrtcCreateProgram and nothing uses it after its owner.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}
