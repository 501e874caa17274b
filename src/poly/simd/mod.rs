//! Eight 64-bit lanes, written once for every instruction set.
//!
//! Loops that the compiler vectorises by itself go through [`crate::isa`]; the transforms need the 52-bit products of
//! IFMA and vectors that stay in registers, hence instructions named one by one.
//!
//! The transforms and the products of this room are written once, generic over [`Simd`]; an implementation of the trait
//! is a *token* that exists only where its instructions do, so that its methods are safe to call. [`Isa::best`] detects
//! the machine; [`Isa::run`] enters a [`Kernel`] through a function compiled for the chosen instruction set. Every
//! implementation works on rows of eight lanes and keeps the contracts below, so all of them return the same residues.

mod portable;
mod token;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::isa;
use std::sync::OnceLock;
pub use token::Row;
pub(crate) use token::{Kernel, MAX_TERMS, Simd};

/// An instruction set that this machine has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Isa {
    /// Scalar code with 128-bit products.
    Portable(portable::Portable),
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    /// AVX-512 with the 52-bit integer products of IFMA.
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
}

impl Isa {
    /// Everything this machine has, the best last.
    pub(crate) fn available() -> Vec<Isa> {
        #[allow(unused_mut, reason = "only x86-64 has more")]
        let mut all = vec![Isa::Portable(portable::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(x86::Avx2::detect().map(Isa::Avx2));
            all.extend(x86::Avx512::detect().map(Isa::Avx512));
        }
        all
    }

    /// The best that this machine has, of the family that the process works with or below.
    pub(crate) fn best() -> Isa {
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| {
            let allowed = Isa::available().into_iter().rfind(|isa| isa.family() <= isa::Isa::best());
            allowed.expect("the portable path is everywhere")
        })
    }

    /// The family that it belongs to.
    fn family(self) -> isa::Isa {
        match self {
            Isa::Portable(_) => isa::Isa::Portable,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2(_) => isa::Isa::Avx2,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512(_) => isa::Isa::Avx512,
        }
    }

    /// Runs a kernel with this instruction set.
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Isa::Portable(s) => s.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2(s) => s.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512(s) => s.run(kernel),
        }
    }

    /// Its name in plans and benchmarks.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Isa::Portable(_) => "portable",
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512(_) => "avx512-ifma",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    const Q: u64 = (1 << 50) - 27; // the largest prime below 2^50

    struct Ops {
        x: Row,
        w: Row,
        quotient: Row,
    }

    impl Kernel for Ops {
        type Output = [Row; 6];
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> [Row; 6] {
            let (x, w, quotient) = (s.load(&self.x), s.load(&self.w), s.load(&self.quotient));
            let q = s.splat(Q);
            let mut out = [Row::default(); 6];
            s.store(s.mul_shoup(x, w, quotient, q), &mut out[0]);
            s.store(s.sub_if_ge(x, s.add(q, q)), &mut out[1]);
            s.store(s.and(s.add(x, x), s.shr(s.sub(w, x), 7)), &mut out[2]);
            let y = s.sub_if_ge(s.sub_if_ge(x, s.add(q, q)), q);
            let y = s.sub_if_ge(y, q);
            let mut sum = s.zero_sum();
            for _ in 0..MAX_TERMS {
                sum = s.multiply_add(sum, y, w);
            }
            let (lo, hi) = s.split_sum(sum);
            s.store(lo, &mut out[3]);
            s.store(hi, &mut out[4]);
            s.store(y, &mut out[5]);
            out
        }
    }

    /// Random lanes and the extremes of every contract, against 128-bit arithmetic, on every instruction set.
    #[test]
    fn lanes_match_wide_integers() {
        let mut rng = Rng::seed_from_u64(1);
        for isa in Isa::available() {
            for round in 0..if cfg!(miri) { 2 } else { 200 } {
                let mut x = Row(std::array::from_fn(|_| rng.random_range(0..1u64 << 52)));
                let mut w = Row(std::array::from_fn(|_| rng.random_range(0..Q)));
                if round == 0 {
                    x = Row([0, (1 << 52) - 1, Q, Q - 1, 2 * Q, 2 * Q - 1, 4 * Q - 1, (1 << 52) - 1]);
                    w = Row([Q - 1, Q - 1, Q - 1, Q - 1, Q - 1, 1, Q - 1, 0]);
                }
                let quotient = Row(w.0.map(|w| (((w as u128) << 52) / Q as u128) as u64));
                let out = isa.run(Ops { x, w, quotient });
                for l in 0..8 {
                    let (x, w) = (x.0[l], w.0[l]);
                    let r = out[0].0[l];
                    assert!(r < 2 * Q, "{isa:?}: {x} * {w} gave {r}");
                    assert_eq!(r % Q, (x as u128 * w as u128 % Q as u128) as u64, "{isa:?}: {x} * {w}");
                    assert_eq!(out[1].0[l], if x >= 2 * Q { x - 2 * Q } else { x });
                    assert_eq!(out[2].0[l], (2 * x) & (w.wrapping_sub(x) >> 7));
                    let y = out[5].0[l];
                    let sum = MAX_TERMS as u128 * y as u128 * w as u128;
                    let (lo, hi) = (out[3].0[l], out[4].0[l]);
                    assert!(lo < 1 << 52 && hi < 1 << 61);
                    assert_eq!(lo as u128 + ((hi as u128) << 52), sum, "{isa:?}");
                }
            }
        }
    }
}
