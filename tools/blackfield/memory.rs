//! How much memory a computation may use: what the user allows or the machine has, less what the matrix takes.

use blackfield::field::Modulus;
use blackfield::sparse::Triplets;
use blackfield::{Error, Result};

/// What the limit (or, without one, the machine's memory) leaves beside the matrix mod p, and beside the integer one
/// where that is `kept`, before the residues are made. `None` where neither is known.
///
/// # Errors
/// [`Error::Memory`] where the matrix alone is beyond the limit.
pub fn left_beside(limit: Option<u64>, triplets: &Triplets, kept: bool, modulus: Modulus) -> Result<Option<u64>> {
    // A limit that somebody set is worth a pass for the exact number of residues.
    let residues = if limit.is_some() { triplets.nnz_mod(modulus) } else { triplets.nnz() };
    // Two 32-bit indices and a 64-bit value an entry; then one index, one value an entry and an offset a row.
    let integers = if kept { triplets.nnz() } else { 0 };
    left_after(limit, (16 * integers + 12 * residues + 8 * (triplets.rows() + 1)) as u64, "the matrix")
}

/// What the limit leaves beside an integer matrix and its values modulo a large prime.
///
/// # Errors
/// As [`left_beside`].
pub fn left_beside_values(limit: Option<u64>, triplets: &Triplets) -> Result<Option<u64>> {
    // Indices and values, as they are and as structured elimination has them.
    left_after(limit, (16 * triplets.nnz() + 32 * triplets.nnz() + 64 * triplets.rows()) as u64, "the matrix")
}

/// What the limit (or, without one, the machine's memory) leaves after what is `taken` by the input. `None` where
/// neither is known.
///
/// # Errors
/// [`Error::Memory`] where the input, which is called `what`, alone is beyond the limit.
pub fn left_after(limit: Option<u64>, taken: u64, what: &str) -> Result<Option<u64>> {
    let Some(limit) = limit.or_else(of_machine) else { return Ok(None) };
    let left = limit.checked_sub(taken).ok_or_else(|| {
        Error::Memory(format!("{what} alone takes {taken} bytes, {limit} bytes are allowed (--max-memory)"))
    });
    left.map(Some)
}

/// What the limit leaves beside an integer matrix that is kept, and its residues mod a large prime.
///
/// # Errors
/// As [`left_beside`].
pub fn left_beside_integers(limit: Option<u64>, triplets: &Triplets) -> Result<Option<u64>> {
    // Modulo every other prime the matrix is as large, or smaller.
    left_beside(limit, triplets, true, Modulus::new((1 << 31) - 1).expect("a Mersenne prime"))
}

/// Bytes for each row and column where empty ones are not left out.
const LINE: u64 = 64;

/// Refuses a matrix whose lines alone are beyond the limit, or the machine: a header may declare any number.
///
/// # Errors
/// [`Error::Memory`].
pub fn check_lines(limit: Option<u64>, triplets: &Triplets) -> Result<()> {
    let (rows, cols) = (triplets.rows(), triplets.cols());
    let needed = LINE.saturating_mul((rows + cols) as u64);
    match limit.or_else(of_machine).filter(|&limit| needed > limit) {
        None => Ok(()),
        Some(limit) => Err(Error::Memory(format!(
            "{rows} x {cols} lines take about {needed} bytes, {limit} bytes are allowed (--max-memory)"
        ))),
    }
}

/// Refuses a matrix with more lines than a limit that somebody set has bytes. Where only the rank is asked for, empty
/// lines take nothing, so that this is no need but a decision: under a limit, such a header is taken for damaged.
///
/// # Errors
/// [`Error::Memory`].
pub fn check_header(limit: Option<u64>, rows: usize, cols: usize) -> Result<()> {
    let needed = rows as u64 + cols as u64;
    match limit.filter(|&limit| needed > limit) {
        None => Ok(()),
        Some(limit) => Err(Error::Memory(format!(
            "{rows} x {cols}: {needed} bytes are needed at one for each row and column, {limit} bytes are allowed: \
             check the header, or allow more by --max-memory"
        ))),
    }
}

/// Physical memory, or the control group's share of it, or what a limit of addresses (`ulimit -v`) leaves beside the
/// program, where the system tells (Linux).
pub fn of_machine() -> Option<u64> {
    let installed = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| mem_total(&text));
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    let addresses = address_limit().map(|bytes| bytes - PROGRAM.min(bytes / 2));
    installed.into_iter().chain(group).chain(addresses).min()
}

/// Addresses that the program itself, its libraries and its stacks take.
const PROGRAM: u64 = 96 << 20;

/// The limit of addresses of this process, if there is one.
pub fn address_limit() -> Option<u64> {
    soft_limit(&std::fs::read_to_string("/proc/self/limits").ok()?)
}

/// Bytes of the line `Max address space         204800000            unlimited            bytes`.
fn soft_limit(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// Bytes of the line `MemTotal:   16303412 kB`.
fn mem_total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use blackfield::Silent;
    use blackfield::io::{ReadOptions, read_bytes};
    use std::path::Path;

    #[test]
    fn total_memory_is_a_line_of_meminfo() {
        assert_eq!(mem_total("MemTotal:       16303412 kB\nMemFree:  1 kB\n"), Some(16303412 << 10));
        assert_eq!(mem_total("MemFree:  1 kB\n"), None);
        assert_eq!(mem_total("MemTotal: many\n"), None);
    }

    #[test]
    fn the_limit_of_addresses_is_a_line_of_limits() {
        let limits = |soft: &str| {
            format!(
                "Max cpu time  1 2 seconds\nMax address space         {soft}            unlimited            bytes\n"
            )
        };
        assert_eq!(soft_limit(&limits("204800000")), Some(204_800_000));
        assert_eq!((soft_limit(&limits("unlimited")), soft_limit("")), (None, None));
    }

    #[test]
    fn lines_count() {
        let triplets = Triplets::from_entries(3, 5, [(0, 0, 1)]);
        assert!(check_lines(Some(512), &triplets).is_ok() && check_lines(None, &triplets).is_ok());
        assert!(matches!(check_lines(Some(511), &triplets), Err(Error::Memory(_))));
    }

    #[test]
    fn a_header_has_no_more_lines_than_the_limit_has_bytes() {
        assert!(check_header(None, usize::MAX / 2, usize::MAX / 2).is_ok() && check_header(Some(8), 3, 5).is_ok());
        assert!(matches!(check_header(Some(7), 3, 5), Err(Error::Memory(_))));
    }

    #[test]
    fn the_matrix_counts() {
        let text = b"2 2 M\n1 1 1\n2 2 7\n0 0 0\n";
        let triplets = read_bytes(Path::new("a"), text, &ReadOptions::default(), &Silent).unwrap();
        let p = Modulus::new(7).unwrap();
        // 2 · 16 bytes of triplets, 1 · 12 bytes of residues, 3 offsets of 8 bytes.
        assert_eq!(left_beside(Some(100), &triplets, true, p).unwrap(), Some(32));
        assert_eq!(left_beside(Some(68), &triplets, true, p).unwrap(), Some(0));
        assert!(matches!(left_beside(Some(67), &triplets, true, p), Err(Error::Memory(_))));
        assert_eq!(left_beside(Some(67), &triplets, false, p).unwrap(), Some(31));
    }
}
