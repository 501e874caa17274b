//! The file format of certificates. In this order, numbers little-endian:
//!
//! 1. the line `blackfield certificate 2`, which ends in a line feed, as does the next;
//! 2. a line of JSON, an object with `"digest"`: 64 hexadecimal digits, `"modulus"`: p, `"rows"`: m, `"cols"`: n,
//!    `"rank"`: r, `"triangular"`: t, `"lines"`: [a, b] or null, both lines together at most 4096 bytes;
//! 3. the r rows of the minor, then its r columns, the chain's first, each as 4 bytes;
//! 4. (r - t)·k residues of the vectors x, each as the least number of bytes that holds p - 1;
//! 5. if `lines` is `[a, b]`: a rows and b columns, each as 4 bytes; if null: (r - t)·k residues of the vectors w, as
//!    in 4;
//! 6. SHA-256 of all bytes before, 32 bytes.
//!
//! The header determines the length of the file. No more than that is read, and it is compared with the actual length
//! before anything is allocated for the lists: no header can claim more memory than its file takes, up to a factor of
//! eight for residues of one byte, and of a file that is not a certificate no more than the first 4096 bytes are read.

use super::{Certificate, Upper, repetitions};
use crate::field::Modulus;
use crate::{Error, Result, memory};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::Path;

const MAGIC: &[u8] = b"blackfield certificate 2\n";
/// The maximum number of bytes of the two text lines.
const MAX_HEADER: usize = 4096;
const HASH_BYTES: usize = 32;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    digest: String,
    modulus: u64,
    rows: u32,
    cols: u32,
    rank: u32,
    triangular: u32,
    lines: Option<(u32, u32)>,
}

/// Bytes of a residue.
fn width(modulus: Modulus) -> usize {
    modulus.bits().div_ceil(8) as usize
}

/// Whether a file that begins with these bytes claims to be a certificate.
fn has_magic(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC[..MAGIC.len() - 2])
}

impl Certificate {
    /// The content of the certificate's file, in the layout that the module `certify/file.rs` documents.
    ///
    /// # Panics
    /// If the lists and the shape of the certificate contradict each other.
    pub fn to_bytes(&self) -> Vec<u8> {
        if let Some(flaw) = self.flaw() {
            panic!("a certificate that nobody can check: {flaw}");
        }
        let lines = match &self.upper {
            Upper::Lines { rows, cols } => Some((rows.len() as u32, cols.len() as u32)),
            Upper::Combinations(_) => None,
        };
        let header = Header {
            digest: self.digest.clone(),
            modulus: self.modulus.get(),
            rows: self.rows as u32,
            cols: self.cols as u32,
            rank: self.rank() as u32,
            triangular: self.triangular as u32,
            lines,
        };
        let mut bytes = MAGIC.to_vec();
        bytes.extend(serde_json::to_vec(&header).expect("numbers and strings are JSON"));
        bytes.push(b'\n');
        let put_lines =
            |bytes: &mut Vec<u8>, list: &[u32]| list.iter().for_each(|line| bytes.extend(line.to_le_bytes()));
        let put_residues = |bytes: &mut Vec<u8>, list: &[u64]| {
            list.iter().for_each(|value| bytes.extend(&value.to_le_bytes()[..width(self.modulus)]));
        };
        put_lines(&mut bytes, &self.minor_rows);
        put_lines(&mut bytes, &self.minor_cols);
        put_residues(&mut bytes, &self.lower);
        match &self.upper {
            Upper::Lines { rows, cols } => {
                put_lines(&mut bytes, rows);
                put_lines(&mut bytes, cols);
            }
            Upper::Combinations(w) => put_residues(&mut bytes, w),
        }
        let hash = Sha256::digest(&bytes);
        bytes.extend(hash);
        bytes
    }

    /// The certificate in a file; `file` is for messages. Reads at most one byte beyond what the header announces.
    ///
    /// # Errors
    /// [`Error::Input`] for anything that [`Certificate::to_bytes`] would not have written; [`Error::Io`];
    /// [`Error::Memory`].
    pub fn read(mut source: impl Read, file: &Path) -> Result<Certificate> {
        let io = |source| Error::Io { file: file.to_path_buf(), source };
        let mut bytes = vec![];
        source.by_ref().take(MAX_HEADER as u64).read_to_end(&mut bytes).map_err(io)?;
        let length = Head::of(&bytes, file)?.length;
        source.take((length + 1).saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes).map_err(io)?;
        Self::from_bytes(&bytes, file)
    }

    /// The certificate in the content of a file; `file` is for messages.
    ///
    /// # Errors
    /// [`Error::Input`] for anything that [`Certificate::to_bytes`] would not have written; [`Error::Memory`].
    pub fn from_bytes(bytes: &[u8], file: &Path) -> Result<Certificate> {
        let wrong = |message: String| Error::Input { file: file.to_path_buf(), line: 0, message };
        let Head { header, modulus, end, vectors, length } = Head::of(bytes, file)?;
        if bytes.len() as u64 != length {
            let there = bytes.len() as u64;
            let there = if there > length { "more".into() } else { there.to_string() };
            return Err(wrong(format!("{length} bytes are announced, the file has {there}")));
        }
        let (body, hash) = bytes.split_at(bytes.len() - HASH_BYTES);
        if Sha256::digest(body)[..] != *hash {
            return Err(wrong("the checksum at the end does not match: the file is damaged".into()));
        }

        let mut rest = &body[end..];
        let rank = header.rank as usize;
        let minor_rows = take_lines(&mut rest, rank)?;
        let minor_cols = take_lines(&mut rest, rank)?;
        let lower = take_residues(&mut rest, vectors, width(modulus))?;
        let upper = match header.lines {
            Some((a, b)) => {
                let rows = take_lines(&mut rest, a as usize)?;
                Upper::Lines { rows, cols: take_lines(&mut rest, b as usize)? }
            }
            None => Upper::Combinations(take_residues(&mut rest, vectors, width(modulus))?),
        };
        let certificate = Certificate {
            digest: header.digest,
            modulus,
            rows: header.rows as usize,
            cols: header.cols as usize,
            triangular: header.triangular as usize,
            minor_rows,
            minor_cols,
            lower,
            upper,
        };
        match certificate.flaw() {
            None => Ok(certificate),
            Some(flaw) => Err(wrong(flaw)),
        }
    }
}

/// The two text lines, and what follows from them.
struct Head {
    header: Header,
    modulus: Modulus,
    /// Bytes of the two lines.
    end: usize,
    /// The number of residues of the vectors of each kind.
    vectors: usize,
    /// The length of the file in bytes.
    length: u64,
}

impl Head {
    /// The header of a file that begins with `bytes`.
    fn of(bytes: &[u8], file: &Path) -> Result<Head> {
        let wrong = |line: u64, message: String| Error::Input { file: file.to_path_buf(), line, message };
        if !bytes.starts_with(MAGIC) {
            let message = if has_magic(bytes) {
                "a certificate of a version other than 2: another version of blackfield is needed"
            } else {
                "not a certificate: the first line `blackfield certificate 2` is missing"
            };
            return Err(wrong(1, message.into()));
        }
        let head = &bytes[..bytes.len().min(MAX_HEADER)];
        let end = MAGIC.len()
            + head[MAGIC.len()..]
                .iter()
                .position(|&b| b == b'\n')
                .ok_or_else(|| wrong(2, format!("the header is truncated, or longer than {MAX_HEADER} bytes")))?;
        let header: Header =
            serde_json::from_slice(&bytes[MAGIC.len()..end]).map_err(|e| wrong(2, format!("bad header: {e}")))?;
        let modulus = Modulus::new(header.modulus).map_err(|e| wrong(2, e.to_string()))?;
        let beyond = header
            .rank
            .checked_sub(header.triangular)
            .ok_or_else(|| wrong(2, format!("a chain of {} in a minor of {}", header.triangular, header.rank)))?;

        // Nothing here overflows: 64-bit products of 32-bit numbers and small factors.
        let vectors = u64::from(beyond) * repetitions(modulus) as u64;
        let residues = vectors * width(modulus) as u64;
        let upper = header.lines.map_or(residues, |(a, b)| 4 * (u64::from(a) + u64::from(b)));
        let length = (end + 1 + HASH_BYTES) as u64 + 8 * u64::from(header.rank) + residues + upper;
        // If a word cannot hold the number, no file is that long.
        let vectors = usize::try_from(vectors).unwrap_or(usize::MAX);
        Ok(Head { header, modulus, end: end + 1, vectors, length })
    }
}

/// How errors name the lists.
const LISTS: &str = "the lists of a certificate";

/// Takes `count` lines from the front; the caller has compared the lengths.
fn take_lines(rest: &mut &[u8], count: usize) -> Result<Vec<u32>> {
    let (list, behind) = rest.split_at(4 * count);
    *rest = behind;
    let mut lines = memory::with_capacity(count, LISTS)?;
    lines.extend(list.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().expect("4 bytes"))));
    Ok(lines)
}

/// Takes `count` residues of `width` bytes from the front.
fn take_residues(rest: &mut &[u8], count: usize, width: usize) -> Result<Vec<u64>> {
    let (list, behind) = rest.split_at(width * count);
    *rest = behind;
    let residue = |piece: &[u8]| piece.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
    let mut residues = memory::with_capacity(count, LISTS)?;
    residues.extend(list.chunks_exact(width).map(residue));
    Ok(residues)
}
