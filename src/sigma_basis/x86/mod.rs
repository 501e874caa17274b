//! The loops of [`WordKernel`] compiled for the vector instructions of x86-64.
//!
//! Each wrapper only switches instructions on: the loops are ordinary Rust, inlined here and vectorised by the compiler.
//! A token proves that the processor has the instructions; it cannot be made without asking the processor.

use super::kernel::Target;
use super::word_kernel::WordKernel;

macro_rules! instruction_set {
    ($(#[$doc:meta])* $name:ident, $features:literal, [$($feature:tt),+], $columns:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) struct $name(());

        impl $name {
            /// The token, if this processor has the instructions.
            pub(super) fn detect() -> Option<Self> {
                ($(is_x86_feature_detected!($feature))&&+).then_some($name(()))
            }
            /// [`WordKernel::clear_below_body`].
            pub(super) fn clear_below(self, kernel: &WordKernel, work: &mut [u32], width: usize, pivot: usize, col: usize) {
                #[target_feature(enable = $features)]
                fn inner(kernel: &WordKernel, work: &mut [u32], width: usize, pivot: usize, col: usize) {
                    kernel.clear_below_body(work, width, pivot, col);
                }
                // SAFETY: `self` exists only where `detect` found every feature that `inner` enables.
                unsafe { inner(kernel, work, width, pivot, col) }
            }
            /// [`WordKernel::combine_body`].
            pub(super) fn combine(
                self,
                kernel: &WordKernel,
                targets: &mut [Target<'_, u32>],
                panel: &[u32],
                stride: usize,
            ) {
                #[target_feature(enable = $features)]
                fn inner(kernel: &WordKernel, targets: &mut [Target<'_, u32>], panel: &[u32], stride: usize) {
                    kernel.combine_body::<$columns>(targets, panel, stride);
                }
                // SAFETY: `self` exists only where `detect` found every feature that `inner` enables.
                unsafe { inner(kernel, targets, panel, stride) }
            }
        }
    };
}

instruction_set! {
    /// 256-bit vectors: 16 registers of four 64-bit lanes.
    Avx2, "avx2", ["avx2"], 8
}
instruction_set! {
    /// 512-bit vectors: 32 registers of eight 64-bit lanes.
    Avx512, "avx512f,avx512bw,avx512dq,avx512vl", ["avx512f", "avx512bw", "avx512dq", "avx512vl"], 32
}
