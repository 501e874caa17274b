//! The end of memory: if the system refuses a request that the program cannot handle, the program says how many bytes
//! were requested, removes its unfinished files and exits with code 4.
//!
//! Rust's own answer is SIGABRT. An allocator may not unwind, and what runs in it may not allocate or wait for a lock
//! that the refused thread may hold: so the line is put together on the stack, and three calls of the C library, which
//! every Unix program is linked with, write it, remove the files and end the process. Requests that the library asks
//! fallibly ([`blackfield::memory`]) pass as they are. This is the only file of the program with `unsafe`: a global
//! allocator and foreign functions cannot be had without. With `--max-memory` every request is first charged to the
//! [`budget`], so that the limit is one whatever was predicted.

use crate::budget;
use crate::exit::Code;
use crate::schema::Schema;
use blackfield::memory::{self, REFUSED};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

#[global_allocator]
static ALLOCATOR: Guarded = Guarded;

/// Whether the line is to be JSON.
static JSON: AtomicBool = AtomicBool::new(false);
/// Whether a thread is ending the process.
static ENDING: AtomicBool = AtomicBool::new(false);

/// From here on, running out of memory is reported as JSON.
pub fn speak_json() {
    JSON.store(true, Ordering::Relaxed);
}

/// The system's allocator, which ends the process where it would have to say no.
struct Guarded;

// SAFETY: every request goes to `System` with the caller's arguments, whose contract is the caller's, and what it
// answers is handed on as it is; or this does not return. Nothing here unwinds: `granted` neither panics nor allocates.
unsafe impl GlobalAlloc for Guarded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` asks for.
        charged(layout.size(), 0, || unsafe { System.alloc(layout) })
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        charged(layout.size(), 0, || unsafe { System.alloc_zeroed(layout) })
    }
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above; `old` came from here, and so from `System`.
        charged(size, layout.size(), || unsafe { System.realloc(old, layout, size) })
    }
    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
        budget::release(layout.size());
    }
}

/// What `ask` gets from the system, if the budget has that many bytes in place of the `old` ones.
#[inline]
fn charged(bytes: usize, old: usize, ask: impl FnOnce() -> *mut u8) -> *mut u8 {
    if !budget::charge(bytes, old) {
        return granted(std::ptr::null_mut(), bytes);
    }
    let memory = ask();
    if memory.is_null() {
        budget::charge(old, bytes);
    } else if bytes >= LARGE {
        system::on_huge_pages(memory, bytes);
    }
    granted(memory, bytes)
}

/// From so many bytes on, memory is wanted on huge pages: several threads that touch it first wait for the system once
/// for 512 small ones, and what reads it at random misses the address cache less often.
const LARGE: usize = 4 << 20;

/// The memory; exits if it was refused to a caller that cannot handle it.
#[inline]
fn granted(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() && !memory::refusal_is_expected() {
        refuse(bytes);
    }
    memory
}

/// Ends the process in order.
#[cold]
fn refuse(bytes: usize) -> ! {
    if ENDING.swap(true, Ordering::Relaxed) {
        // Another thread is at it, or this one, in the little that follows: there the system's calls do without memory.
        loop {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    }
    let mut line = Line { bytes: [0; 320], length: 0 };
    // Some numbers of 20 digits and two hundred characters fit.
    let limit = budget::Refusal;
    let _ = match JSON.load(Ordering::Relaxed) {
        true => {
            let (kind, code) = (Code::Resources.kind(), Code::Resources as u8);
            let schema = Schema::Error.name();
            let error = format_args!("{REFUSED}{bytes} bytes asked for{limit}");
            writeln!(line, r#"{{"schema":"{schema}","error":"{error}","kind":"{kind}","code":{code}}}"#)
        }
        false => writeln!(line, "blackfield: {REFUSED}{bytes} bytes asked for{limit}"),
    };
    system::end(&line.bytes[..line.length])
}

/// Text on the stack.
struct Line {
    bytes: [u8; 320],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.length + text.len();
        self.bytes.get_mut(self.length..end).ok_or(std::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

/// Removes the unfinished files; for whoever ends the process without unwinding.
pub fn remove_unfinished_files() {
    system::remove_files();
}

/// The few calls that take no memory.
#[cfg(unix)]
mod system {
    use super::Code;
    use blackfield::io::unfinished_files;
    use std::ffi::{c_char, c_int, c_void};

    // SAFETY: the declarations of POSIX; `_exit` is safe to call at any time.
    unsafe extern "C" {
        fn write(file: c_int, bytes: *const c_void, count: usize) -> isize;
        fn unlink(path: *const c_char) -> c_int;
        safe fn _exit(status: c_int) -> !;
    }

    /// Writes `line` on standard error, removes the unfinished files and ends the process with the code for the lack of
    /// resources.
    pub fn end(line: &[u8]) -> ! {
        let mut rest = line;
        while !rest.is_empty() {
            // SAFETY: `rest` is a slice that lives, of the length given. POSIX allows the call in a signal handler, so
            // that no lock of this process matters.
            match unsafe { write(2, rest.as_ptr().cast(), rest.len()) } {
                written @ 1.. => rest = rest.get(written as usize..).unwrap_or(&[]),
                // A closed or full standard error: there is nowhere left to report it.
                _ => break,
            }
        }
        remove_files();
        _exit(Code::Resources as c_int)
    }

    /// Asks for huge pages in the place of those that lie within this memory: advice that the system may ignore.
    pub fn on_huge_pages(memory: *mut u8, bytes: usize) {
        #[cfg(target_os = "linux")]
        {
            const PAGE: usize = 1 << 12;
            const MADV_HUGEPAGE: c_int = 14;
            // SAFETY: the declaration of Linux.
            unsafe extern "C" {
                fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
            }
            let skipped = memory.align_offset(PAGE);
            let whole = bytes.saturating_sub(skipped) / PAGE * PAGE;
            // SAFETY: the range lies within an allocation of the caller's, and the advice changes none of its bytes.
            unsafe { madvise(memory.wrapping_add(skipped).cast(), whole, MADV_HUGEPAGE) };
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (memory, bytes);
    }

    /// Unlinks the unfinished files.
    pub fn remove_files() {
        unfinished_files(|path| {
            // SAFETY: a zero-terminated string that lives. A file that is gone already is what is wanted.
            unsafe { unlink(path.as_ptr()) };
        });
    }
}

/// Elsewhere the standard library does the same, as far as it can without memory.
#[cfg(not(unix))]
mod system {
    use super::Code;
    use blackfield::io::unfinished_files;
    use std::io::Write;

    pub fn end(line: &[u8]) -> ! {
        let _ = std::io::stderr().write_all(line);
        remove_files();
        std::process::exit(Code::Resources as i32)
    }

    /// As above, without the advice.
    pub fn on_huge_pages(_memory: *mut u8, _bytes: usize) {}

    pub fn remove_files() {
        unfinished_files(|path| {
            if let Ok(path) = path.to_str() {
                let _ = std::fs::remove_file(path);
            }
        });
    }
}

/// What glibc's allocator is told: nothing elsewhere.
#[derive(Clone, Copy)]
enum Wish {
    /// Free bytes at the end of a heap from which on they are given back.
    TrimThreshold = -1,
    /// Bytes from which on a block is a map of its own.
    MmapThreshold = -3,
    /// The most heaps.
    ArenaMax = -8,
}

fn tell(wish: Wish, value: i32) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::ffi::c_int;
        // SAFETY: the declaration of glibc's `malloc.h`. Any values may be given at any time; wrong ones are answered
        // with 0.
        unsafe extern "C" {
            safe fn mallopt(parameter: c_int, value: c_int) -> c_int;
        }
        mallopt(wish as c_int, value);
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = (wish, value);
}

/// Has glibc give back what is freed: all but small blocks are maps of their own, so that what is resident follows what
/// is in use, and a limit on the one is one on the other.
pub fn give_back_what_is_freed() {
    tell(Wish::MmapThreshold, 1 << 19);
    tell(Wish::TrimThreshold, 1 << 20);
    one_heap();
}

/// Has glibc keep what is freed, all but blocks of 32 MB and more, for what is asked for next: where many threads work,
/// to have pages taken away and given anew means to wait for each other. Up to 1.6 times as much is resident.
pub fn keep_what_is_freed() {
    // The most that all versions take.
    tell(Wish::MmapThreshold, 32 << 20);
    tell(Wish::TrimThreshold, i32::MAX);
}

/// Keeps glibc from a heap of its own (64 MiB of addresses, 128 while it is made) for each thread: where addresses are
/// limited they are better used. Elsewhere nothing is to be done.
pub fn one_heap() {
    tell(Wish::ArenaMax, 1);
}
