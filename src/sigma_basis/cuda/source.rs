//! The kernels for order bases of few coefficients: shape, order and modulus are known when they are compiled.

use crate::field::Modulus;
use crate::gpu::{self, Cubin, Device, Source};
use crate::{DeviceReason, Error, Result};

const WORDS: &str = include_str!("../../../kernels/basis.cu");
const DIGITS: &str = include_str!("../../../kernels/pairs.cu");
const ELIMINATE: (&str, &str) = ("eliminate.cuh", include_str!("../../../kernels/eliminate.cuh"));
/// Orders of a leaf at most: the work on a coefficient grows with them.
const MOST_WORDS: usize = 8;
const MOST_DIGITS: usize = 16;
/// Moduli are below this: products of two residues are added in 64 bits.
const BOUND: u64 = 1 << 31;
/// Residues of two digits are below this, and sums have so many products of them at most.
const DIGIT_BOUND: u64 = 1 << 16;
const DIGIT_TERMS: usize = 64;
/// Warps that eliminate, as in eliminate.cuh.
const ELIMINATORS: usize = 8;

/// What a kernel is compiled for: m×n series mod p, on devices of a compute capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub modulus: Modulus,
    pub rows: usize,
    pub cols: usize,
    pub capability: (u32, u32),
}

impl Form {
    /// Whether tensor cores combine the rows (pairs.cu).
    fn by_digits(self) -> bool {
        self.modulus.get() < DIGIT_BOUND && self.cols <= DIGIT_TERMS && self.capability >= (8, 0)
    }
    /// Threads of the block: more than eliminate, where these do not combine.
    pub fn threads(self) -> u32 {
        if self.by_digits() || self.rows * self.cols >= 1024 { 512 } else { 256 }
    }
    /// Bytes of `struct Shared`, at least.
    pub fn shared(self, order: usize) -> usize {
        let (m, n) = (self.rows, self.cols);
        let warp = n.next_multiple_of(32);
        // With what alignment takes.
        256 + if self.by_digits() {
            let (n_pad, m_pad, targets) = (n.next_multiple_of(16), m.next_multiple_of(16), m.next_multiple_of(32));
            let own = m.div_ceil(ELIMINATORS).next_multiple_of(4);
            let panel = 4 * (3 * warp + 4 * targets) + 2 * targets * warp;
            let words = m * warp + 4 * warp + 4 * ELIMINATORS * own + 12 * m + 3 * warp;
            4 * words + 2 * panel + 2 * m * (order * n_pad + (order + 1) * m_pad + 4)
        } else {
            let round = n.next_multiple_of(8);
            4 * (m * round + 7 * m + 2 * round + 2 * warp + m * (order * n + (order + 1) * m))
        }
    }
    /// The table of inverses mod p of a ≤ p/2, two in a word, where residues are two digits; none otherwise. By
    /// p = q·a + r, 1/a = -q/r, r < a.
    pub fn inverses(self) -> Vec<u32> {
        if !self.by_digits() {
            return Vec::new();
        }
        let p = self.modulus.get() as u32;
        let mut inverses = vec![0u32, 1];
        for a in 2..=p / 2 {
            let q = u64::from(p / a) * u64::from(inverses[(p % a) as usize]) % u64::from(p);
            inverses.push(p - q as u32);
        }
        let pairs = inverses.chunks(2).map(|pair| pair[0] | pair.get(1).map_or(0, |&x| x << 16));
        pairs.take((p / 2 + 2) as usize / 2).collect()
    }
    /// The order of the largest leaf that shared memory holds.
    ///
    /// # Errors
    /// [`Error::Device`] with [`DeviceReason::NoKernel`] if it holds none, and from p = 2³¹ on.
    pub fn largest(self) -> Result<usize> {
        if self.modulus.get() >= BOUND {
            let message = format!("order bases on a GPU are for primes below 2^31, not {}", self.modulus);
            return Err(Error::device(DeviceReason::NoKernel, message));
        }
        let most = if self.by_digits() { MOST_DIGITS } else { MOST_WORDS };
        (1..=most).rev().find(|&order| self.shared(order) <= Device::shared_memory(self.capability)).ok_or_else(|| {
            let message = format!("order bases of {} x {} series are too large for a GPU", self.rows, self.cols);
            Error::device(DeviceReason::NoKernel, message)
        })
    }
    /// The kernel of `kernels/pairs.cu` or `kernels/basis.cu`.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn leaf(self, order: usize) -> Result<Cubin> {
        let problem = format!(
            "#define P {}ull\n#define LANE {}\n#define M {}\n#define N {}\n#define N_ROUND {}\n#define ORDER {order}\n\
             #define THREADS {}\n#define SHARED {}\n",
            self.modulus,
            if self.by_digits() { 16 } else { 32 },
            self.rows,
            self.cols,
            self.cols.next_multiple_of(8),
            self.threads(),
            self.shared(order),
        );
        let headers = [("problem.cuh", problem.as_str()), gpu::WORDS, ELIMINATE];
        let (name, text) = if self.by_digits() { ("pairs.cu", DIGITS) } else { ("basis.cu", WORDS) };
        gpu::compile(&Source { name, text, headers: &headers }, self.capability)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    fn form(p: u64, rows: usize, cols: usize) -> Form {
        Form { modulus: Modulus::new(p).unwrap(), rows, cols, capability: (9, 0) }
    }

    /// Where NVRTC is installed, the kernels compile without warnings, and their structures have no more bytes than
    /// were counted.
    #[test]
    fn the_kernels_compile_where_the_compiler_is() {
        let forms = [
            form(65521, 64, 32),
            form(3, 5, 3),
            form(257, 7, 6),
            form(65521, 128, 64),
            form(65521, 2, 1),
            form(65521, 40, 40),
            Form { capability: (8, 0), ..form(65521, 64, 32) },
            Form { capability: (7, 5), ..form(65521, 16, 8) },
            form(2147483647, 16, 8),
            form(65537, 64, 32),
        ];
        forms.par_iter().for_each(|form| match form.leaf(form.largest().unwrap()) {
            Ok(cubin) => assert!(!cubin.log.contains("warning"), "{form:?}: {}", cubin.log),
            Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => eprintln!("skipped: {no}"),
            Err(other) => panic!("{form:?}: {other}"),
        });
    }

    #[test]
    fn inverses_are_inverses() {
        for p in [2, 3, 251, 65521] {
            let table = form(p, 4, 2).inverses();
            assert_eq!(table.len() as u64, (p / 2 + 2) / 2);
            let inverse = |a: u64| u64::from(table[a as usize / 2] >> (16 * (a % 2)) & 0xffff);
            assert!((1..=p / 2).all(|a| a * inverse(a) % p == 1), "{p}");
        }
        assert!(form(65537, 4, 2).inverses().is_empty());
    }

    #[test]
    fn leaves_are_as_large_as_fits() {
        let largest = |p: u64, rows: usize, cols: usize| form(p, rows, cols).largest();
        assert_eq!(largest(65521, 64, 32).unwrap(), MOST_DIGITS);
        assert_eq!(largest(65537, 16, 8).unwrap(), MOST_WORDS);
        assert!(largest(65521, 128, 64).unwrap() < MOST_DIGITS);
        let older = Form { capability: (8, 6), ..form(65521, 64, 32) };
        assert!((1..MOST_DIGITS).contains(&older.largest().unwrap()));
        assert!(largest(65521, 512, 256).unwrap_err().to_string().contains("too large"));
        assert!(largest(2147483659, 4, 2).unwrap_err().to_string().contains("primes below 2^31"));
        for p in [65521, 65537] {
            assert!((1..16).all(|order| form(p, 7, 3).shared(order) > form(p, 7, 3).shared(order - 1)));
        }
    }
}
