//! The kernel for order bases of few coefficients: shape, order and modulus are known when it is compiled.

use crate::field::Modulus;
use crate::gpu::{self, Cubin, Source};
use crate::{DeviceReason, Error, Result};

const BASIS: &str = include_str!("../../../kernels/basis.cu");
/// Bytes of shared memory of a block at most: those of compute capability 9.0, less what the system takes.
const SHARED: usize = 227 << 10;
/// Orders of a leaf at most: the work on a coefficient grows with them.
const MOST: usize = 8;
/// Moduli are below this: products of two residues are added in 64 bits.
const BOUND: u64 = 1 << 31;

/// From this order on a leaf is worth a table of inverses in shared memory.
const SEVERAL: usize = 4;

/// What shared memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Coefficients of the series.
    pub order: usize,
    /// Whether there are inverses beside them.
    pub table: bool,
}

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
    /// Threads of the block: at least as many as eliminate.
    pub fn threads(self) -> u32 {
        if self.rows * self.cols >= 1024 { 512 } else { 256 }
    }
    /// The columns filled up to whole words of factors.
    fn cols_round(self) -> usize {
        self.cols.next_multiple_of(8)
    }
    /// Bytes of `struct Shared` in basis.cu, at least.
    pub fn shared(self, leaf: Leaf) -> usize {
        let (m, n) = (self.rows, self.cols);
        let words = m * self.cols_round() + 7 * m + 2 * self.cols_round() + 2 * n.next_multiple_of(32);
        let table = if leaf.table { 4 * self.table_words() } else { 0 };
        // With what alignment takes.
        4 * words + 64 + table + m * (leaf.order * n + (leaf.order + 1) * m) * self.lane_bytes()
    }
    /// Words of the table of inverses of a ≤ p/2, two in a word.
    fn table_words(self) -> usize {
        (self.modulus.get() / 2 + 2) as usize / 2
    }
    /// The table of inverses mod p < 2¹⁶; none for other p. By p = q·a + r, 1/a = -q/r, r < a.
    pub fn inverses(self) -> Vec<u32> {
        if self.lane_bytes() > 2 {
            return Vec::new();
        }
        let p = self.modulus.get() as u32;
        let mut inverses = vec![0u32, 1];
        for a in 2..=p / 2 {
            let q = u64::from(p / a) * u64::from(inverses[(p % a) as usize]) % u64::from(p);
            inverses.push(p - q as u32);
        }
        let pairs = inverses.chunks(2).map(|pair| pair[0] | pair.get(1).map_or(0, |&x| x << 16));
        pairs.take(self.table_words()).collect()
    }
    /// The largest leaf that shared memory holds, of order at most [`MOST`]; with a table of inverses there if it has
    /// several orders nevertheless.
    ///
    /// # Errors
    /// [`Error::Device`] with [`DeviceReason::NoKernel`] if it holds none, and from p = 2³¹ on.
    pub fn largest(self) -> Result<Leaf> {
        if self.modulus.get() >= BOUND {
            let message = format!("order bases on a GPU are for primes below 2^31, not {}", self.modulus);
            return Err(Error::device(DeviceReason::NoKernel, message));
        }
        let of = |table: bool, orders: std::ops::RangeInclusive<usize>| {
            orders.rev().map(|order| Leaf { order, table }).find(|&leaf| self.shared(leaf) <= SHARED)
        };
        let with = if self.lane_bytes() == 2 { of(true, SEVERAL..=MOST) } else { None };
        with.or_else(|| of(false, 1..=MOST)).ok_or_else(|| {
            let message = format!("order bases of {} x {} series are too large for a GPU", self.rows, self.cols);
            Error::device(DeviceReason::NoKernel, message)
        })
    }
    /// The kernel of `kernels/basis.cu`.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn leaf(self, leaf: Leaf, capability: (u32, u32)) -> Result<Cubin> {
        let problem = format!(
            "#define P {}ull\n#define LANE {}\n#define M {}\n#define N {}\n#define N_ROUND {}\n#define ORDER {}\n\
             #define THREADS {}\n#define SHARED {}\n#define TABLE {}\n",
            self.modulus,
            8 * self.lane_bytes(),
            self.rows,
            self.cols,
            self.cols_round(),
            leaf.order,
            self.threads(),
            self.shared(leaf),
            u8::from(leaf.table)
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
            match form.leaf(form.largest().unwrap(), (9, 0)) {
                Ok(cubin) => assert!(!cubin.log.contains("warning"), "{form:?}: {}", cubin.log),
                Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => eprintln!("skipped: {no}"),
                Err(other) => panic!("{form:?}: {other}"),
            }
        }
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
        assert_eq!(largest(65521, 64, 32).unwrap(), Leaf { order: MOST, table: true });
        let large = largest(65521, 128, 64).unwrap();
        assert!(large.order < SEVERAL && !large.table, "{large:?}");
        assert!(!largest(2147483647, 64, 32).unwrap().table);
        assert!(largest(65521, 512, 256).unwrap_err().to_string().contains("too large"));
        assert!(largest(2147483659, 4, 2).unwrap_err().to_string().contains("primes below 2^31"));
        for order in 1..16 {
            let form = form(65521, 7, 3);
            let shared = |order: usize| form.shared(Leaf { order, table: false });
            assert!(shared(order) > shared(order - 1));
        }
    }
}
