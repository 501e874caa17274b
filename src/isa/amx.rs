//! Whether matrices of bytes can be multiplied: Intel AMX, which the system grants to a process on request.

#[cfg(all(target_pointer_width = "64", target_os = "linux"))]
pub(super) use linux::has_amx;

/// Other systems are not asked.
#[cfg(not(all(target_pointer_width = "64", target_os = "linux")))]
pub(super) fn has_amx() -> bool {
    false
}

#[cfg(all(target_pointer_width = "64", target_os = "linux"))]
mod linux {
    use crate::isa::x86::has_avx512;
    use std::arch::asm;
    use std::arch::x86_64::{__cpuid_count, __get_cpuid_max, _xgetbv};
    use std::sync::OnceLock;

    /// Rows of a register that the loops work with.
    const ROWS: u32 = 16;

    /// Whether the processor has the instructions, with AVX-512, and the system lets the process use them.
    pub(in crate::isa) fn has_amx() -> bool {
        static ALLOWED: OnceLock<bool> = OnceLock::new();
        *ALLOWED.get_or_init(|| has_avx512() && is_there() && is_granted())
    }

    /// Whether the processor has AMX-TILE and AMX-INT8 with registers of 16 × 64 bytes, and the system saves them.
    fn is_there() -> bool {
        if !is_x86_feature_detected!("xsave") {
            return false;
        }
        // SAFETY: every x86-64 processor has CPUID, and a leaf is read only if the largest leaf says that it exists;
        // `xsave` detected means that the system has enabled XGETBV.
        #[allow(unused_unsafe, reason = "safe functions since a later Rust than the least that builds this")]
        unsafe {
            let most = __get_cpuid_max(0).0;
            if most < 0x1d {
                return false;
            }
            let (tile, int8) = (1 << 24, 1 << 25);
            let features = __cpuid_count(7, 0).edx & (tile | int8) == tile | int8;
            let palette = __cpuid_count(0x1d, 1);
            let registers = palette.ebx & 0xffff == 64 && palette.ebx >> 16 == 8 && palette.ecx & 0xffff == ROWS;
            features && registers && saved() & 3 << 17 == 3 << 17
        }
    }

    /// The states that the system saves, as bits: 17 and 18 are the configuration and the contents of the matrix
    /// registers.
    ///
    /// # Safety
    /// The system must have enabled XGETBV.
    #[target_feature(enable = "xsave")]
    unsafe fn saved() -> u64 {
        // SAFETY: promised by the caller; register 0 always exists.
        #[allow(unused_unsafe, reason = "safe functions since a later Rust than the least that builds this")]
        unsafe {
            _xgetbv(0)
        }
    }

    /// Requests the registers from Linux, for all threads of the process.
    fn is_granted() -> bool {
        const ARCH_PRCTL: i64 = 158;
        const REQUEST: u64 = 0x1023; // ARCH_REQ_XCOMP_PERM
        const TILE_DATA: u64 = 18;
        let mut answer = ARCH_PRCTL;
        // SAFETY: `arch_prctl` with these numbers reads and writes no memory of the process; unknown ones are refused
        // with an error. The instruction overwrites rcx and r11.
        unsafe {
            asm!("syscall", inlateout("rax") answer, in("rdi") REQUEST, in("rsi") TILE_DATA, out("rcx") _, out("r11") _, options(nostack));
        }
        answer == 0
    }
}
