//! The kernel for order bases of few coefficients: shape, order and modulus are known when it is compiled.

use crate::field::Modulus;
use crate::gpu::{self, Cubin, Source};
use crate::{DeviceReason, Error, Result};

const BASIS: &str = include_str!("../../../kernels/basis.cu");
/// Bytes of shared memory of a block at most: those of compute capability 9.0, less what the system takes.
const SHARED: usize = 227 << 10;
/// Orders of a leaf at most: the work on a coefficient grows with them.
const MOST: usize = 16;
/// Moduli are below this: products of two residues are added in 64 bits.
const BOUND: u64 = 1 << 31;

/// What a kernel is compiled for: m×n series mod p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub modulus: Modulus,
    pub rows: usize,
    pub cols: usize,
}

impl Form {
    /// Bytes of a residue in shared memory.
    pub fn lane_bytes(self) -> usize {
        if self.modulus.get() < 1 << 16 { 2 } else { 4 }
    }
    /// Threads of the block.
    pub fn threads(self) -> u32 {
        if self.rows * self.cols >= 1024 { 1024 } else { 256 }
    }
    /// The columns filled up to whole words of factors.
    fn cols_round(self) -> usize {
        self.cols.next_multiple_of(8)
    }
    /// Bytes of `struct Shared` in basis.cu, at least, for leaves of this order.
    pub fn shared(self, order: usize) -> usize {
        let (m, n) = (self.rows, self.cols);
        let words = m * self.cols_round() + 2 * m + 6 * m + 2 * self.cols_round() + 8;
        4 * words + 16 + m * (order * n + (order + 1) * m) * self.lane_bytes()
    }
    /// The largest order of a leaf: as many coefficients as shared memory holds, at most [`MOST`].
    ///
    /// # Errors
    /// [`Error::Device`] with [`DeviceReason::NoKernel`] if it holds none, and from p = 2³¹ on.
    pub fn order(self) -> Result<usize> {
        if self.modulus.get() >= BOUND {
            let message = format!("order bases on a GPU are for primes below 2^31, not {}", self.modulus);
            return Err(Error::device(DeviceReason::NoKernel, message));
        }
        (1..=MOST).rev().find(|&order| self.shared(order) <= SHARED).ok_or_else(|| {
            let message = format!("order bases of {} x {} series are too large for a GPU", self.rows, self.cols);
            Error::device(DeviceReason::NoKernel, message)
        })
    }
    /// The kernel of `kernels/basis.cu`.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn leaf(self, order: usize, capability: (u32, u32)) -> Result<Cubin> {
        let problem = format!(
            "#define P {}ull\n#define LANE {}\n#define M {}\n#define N {}\n#define N_ROUND {}\n#define ORDER {order}\n\
             #define THREADS {}\n#define SHARED {}\n",
            self.modulus,
            8 * self.lane_bytes(),
            self.rows,
            self.cols,
            self.cols_round(),
            self.threads(),
            self.shared(order)
        );
        let headers = [("problem.cuh", problem.as_str()), gpu::WORDS];
        gpu::compile(&Source { name: "basis.cu", text: BASIS, headers: &headers }, capability)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(p: u64, rows: usize, cols: usize) -> Form {
        Form { modulus: Modulus::new(p).unwrap(), rows, cols }
    }

    /// Where NVRTC is installed, the kernel compiles without warnings, and its structure has no more bytes than were
    /// counted.
    #[test]
    fn the_kernel_compiles_where_the_compiler_is() {
        for (p, rows, cols) in [(65521, 64, 32), (3, 5, 3), (2147483647, 16, 8), (65521, 128, 64), (65521, 2, 1)] {
            let form = form(p, rows, cols);
            let order = form.order().unwrap();
            match form.leaf(order, (9, 0)) {
                Ok(cubin) => assert!(!cubin.log.contains("warning"), "{form:?}: {}", cubin.log),
                Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => eprintln!("skipped: {no}"),
                Err(other) => panic!("{form:?}: {other}"),
            }
        }
    }

    #[test]
    fn leaves_are_as_large_as_fits() {
        assert_eq!(form(65521, 64, 32).order().unwrap(), 16);
        assert!((2..4).contains(&form(65521, 128, 64).order().unwrap()));
        assert!(form(2147483647, 64, 32).order().unwrap() < 16);
        assert!(form(65521, 512, 256).order().unwrap_err().to_string().contains("too large"));
        assert!(form(2147483659, 4, 2).order().unwrap_err().to_string().contains("primes below 2^31"));
        for order in 1..16 {
            let form = form(65521, 7, 3);
            assert!(form.shared(order) > form.shared(order - 1));
        }
    }
}
