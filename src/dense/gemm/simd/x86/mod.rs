//! Tiles on x86-64.

/// Repeats a block for each index, as a constant: sums indexed by it stay in registers, where a loop may leave them in
/// memory.
macro_rules! unrolled {
    ($index:ident in [$($value:literal)*] $body:block) => { $({ const $index: usize = $value; $body })* };
}

#[cfg(all(target_pointer_width = "64", target_os = "linux"))]
mod amx;
mod avx2;
mod avx512;

#[cfg(all(target_pointer_width = "64", target_os = "linux"))]
pub(super) use amx::tile as amx;
pub(super) use avx2::tiles as avx2;
pub(super) use avx512::{tiles as avx512, vnni_tiles as avx512_vnni};
