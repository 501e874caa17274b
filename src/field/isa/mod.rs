//! The one place that chooses an instruction set.
//!
//! A [`Kernel`] is safe portable code whose loops the compiler can vectorise; [`dispatch`] compiles it once per
//! instruction set and runs the widest version that the machine has. Results do not depend on the choice: kernels
//! compute with integers, or with floats that hold integers exactly. Carry-less products, which portable code cannot
//! express, are [`clmul()`].

mod clmul;
pub(crate) use clmul::clmul;

/// A computation to be compiled for several instruction sets. `run` must be `#[inline(always)]`, and so must be what it
/// calls in its hot loops: only inlined code is compiled anew.
pub(crate) trait Kernel {
    /// What the computation returns.
    type Output;
    /// The computation.
    fn run(self) -> Self::Output;
}

/// Runs the kernel compiled for the widest instruction set of this machine.
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
        {
            // SAFETY: the four features of `avx512` were detected in the line above.
            return unsafe { avx512(kernel) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: both features of `avx2` were detected in the line above.
            return unsafe { avx2(kernel) };
        }
    }
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum<'a>(&'a [u64]);
    impl Kernel for Sum<'_> {
        type Output = u64;
        #[inline(always)]
        fn run(self) -> u64 {
            self.0.iter().fold(0, |s, &x| s.wrapping_add(x.wrapping_mul(x)))
        }
    }

    #[test]
    fn a_dispatched_kernel_returns_what_the_portable_one_returns() {
        let x: Vec<u64> = (0..1000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        for n in [0, 1, 7, 8, 9, 1000] {
            assert_eq!(dispatch(Sum(&x[..n])), Sum(&x[..n]).run());
        }
    }
}
