//! Writing arrays of NumPy's: a dense one, or the compressed rows of a sparse matrix of SciPy's.

use crate::io::packing::Compression;
use crate::sparse::{Integer, Triplets};
use crate::{Error, Observer, Result};
#[cfg(feature = "archives")]
use std::io;
use std::io::Write;
use std::path::Path;

/// The most bytes of a dense array.
const MOST_DENSE: u128 = 1 << 30;

/// Bytes that are written at a time.
const BATCH: usize = 1 << 20;

/// The header of an array of little-endian integers in the order of C.
fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let sides: String = shape.iter().map(|n| format!("{n}, ")).collect();
    // A tuple of one has a comma, others need none at the end.
    let sides = if shape.len() == 1 { sides.trim_end() } else { sides.trim_end_matches(", ") };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sides}), }}");
    // The data begin at a multiple of 64 bytes, after ten more bytes and the line feed.
    text.extend(std::iter::repeat_n(' ', (64 - (text.len() + 11) % 64) % 64));
    text.push('\n');
    [b"\x93NUMPY\x01\0", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
}

/// Refuses a matrix with an entry beyond 64 bits.
fn check(a: &Triplets, format: &str) -> Result<()> {
    let Some((k, v)) = a.big.first() else { return Ok(()) };
    let (i, j, bits) = (a.row[*k] + 1, a.col[*k] + 1, v.bits());
    Err(Error::Matrix(format!(
        "entry ({i}, {j}) has {bits} bits: {format} has integers of 64 bits, .mtx and .sms take any (-p P takes residues)"
    )))
}

/// The value of an entry that has been checked.
fn small(v: &Integer<'_>) -> i64 {
    match v {
        Integer::Small(v) => *v,
        Integer::Big(_) => unreachable!("checked before"),
    }
}

/// Writes a dense array.
pub(in super::super) fn npy(
    name: &Path,
    out: &mut dyn Write,
    a: &Triplets,
    compression: Compression,
    observer: &dyn Observer,
) -> Result<()> {
    check(a, ".npy")?;
    let (rows, cols) = (a.rows(), a.cols());
    let bytes = rows as u128 * cols as u128 * 8;
    if bytes > MOST_DENSE {
        return Err(Error::Matrix(format!(
            "{rows} x {cols} takes {bytes} bytes as a dense array, at most {MOST_DENSE} are written: .npz is sparse"
        )));
    }
    let io_error = |source| Error::Io { file: name.to_path_buf(), source };
    let mut batch = header("<i8", &[rows, cols]);
    let mut put = |batch: &mut Vec<u8>, most: usize| -> Result<()> {
        if batch.len() >= most && !batch.is_empty() {
            observer.check()?;
            let bytes = compression.compressed(std::mem::take(batch)).map_err(io_error)?;
            out.write_all(&bytes).map_err(io_error)?;
        }
        Ok(())
    };
    let zeros = [0; 1 << 12];
    let mut at = 0;
    let end = [(rows, 0, Integer::Small(0))];
    for (i, j, v) in a.entries().chain(end) {
        // The zeros before the entry; the last one is no entry but the end.
        let place = 8 * (i as u64 * cols as u64 + j as u64);
        while at < place {
            let more = (place - at).min(zeros.len() as u64);
            batch.extend_from_slice(&zeros[..more as usize]);
            at += more;
            put(&mut batch, BATCH)?;
        }
        if i < rows {
            batch.extend_from_slice(&small(&v).to_le_bytes());
            at += 8;
        }
    }
    put(&mut batch, 0)?;
    observer.progress(a.nnz() as u64);
    out.flush().map_err(io_error)
}

/// Writes compressed rows as `scipy.sparse.save_npz` does.
#[cfg(feature = "archives")]
pub(in super::super) fn npz(name: &Path, out: &mut dyn Write, a: &Triplets, observer: &dyn Observer) -> Result<()> {
    check(a, ".npz")?;
    let io_error = |source| Error::Io { file: name.to_path_buf(), source };
    let index = if a.nnz().max(a.rows()).max(a.cols()) <= i32::MAX as usize { 4 } else { 8 };
    let descr = format!("<i{index}");
    let mut archive = Archive { archive: rawzip::ZipArchiveWriter::new(&mut *out), observer };
    let number = move |n: usize, bytes: &mut Vec<u8>| bytes.extend_from_slice(&(n as u64).to_le_bytes()[..index]);
    let (columns, nnz) = (&a.col, a.nnz());
    archive
        .array("indices", &descr, &[nnz], columns.iter(), |&j, bytes| number(j as usize, bytes))
        .map_err(io_error)?;
    // Where each row begins: entries are counted as rows pass by.
    let mut begin = 0;
    let starts = (0..=a.rows()).map(|i| {
        while begin < nnz && (a.row[begin] as usize) < i {
            begin += 1;
        }
        begin
    });
    archive.array("indptr", &descr, &[a.rows() + 1], starts, number).map_err(io_error)?;
    let text = |byte: u8, bytes: &mut Vec<u8>| bytes.push(byte);
    archive.array("format", "|S3", &[], b"csr".iter().copied(), text).map_err(io_error)?;
    let wide = |n: usize, bytes: &mut Vec<u8>| bytes.extend_from_slice(&(n as u64).to_le_bytes());
    archive.array("shape", "<i8", &[2], [a.rows(), a.cols()].into_iter(), wide).map_err(io_error)?;
    let value = |v: Integer<'_>, bytes: &mut Vec<u8>| bytes.extend_from_slice(&small(&v).to_le_bytes());
    archive.array("data", "<i8", &[nnz], a.entries().map(|(_, _, v)| v), value).map_err(io_error)?;
    archive.archive.finish().map_err(|error| io_error(io::Error::other(error)))?;
    observer.check()?;
    observer.progress(nnz as u64);
    out.flush().map_err(io_error)
}
#[cfg(not(feature = "archives"))]
pub(in super::super) fn npz(_: &Path, _: &mut dyn Write, _: &Triplets, _: &dyn Observer) -> Result<()> {
    Err(Error::Usage("an .npz file is a zip archive: this blackfield was built without the feature `archives`".into()))
}

/// An archive being written.
#[cfg(feature = "archives")]
struct Archive<'o> {
    archive: rawzip::ZipArchiveWriter<&'o mut dyn Write>,
    observer: &'o dyn Observer,
}

#[cfg(feature = "archives")]
impl Archive<'_> {
    /// Writes a member, the array of these items.
    fn array<T>(
        &mut self,
        name: &str,
        descr: &str,
        shape: &[usize],
        items: impl Iterator<Item = T>,
        push: impl Fn(T, &mut Vec<u8>),
    ) -> io::Result<()> {
        let file = format!("{name}.npy");
        let method = rawzip::CompressionMethod::DEFLATE;
        let member = self.archive.new_file(file.as_str()).compression_method(method).start();
        let (mut entry, config) = member.map_err(io::Error::other)?;
        let encoder = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default());
        let mut writer = config.wrap(encoder);
        let mut batch = header(descr, shape);
        for item in items {
            push(item, &mut batch);
            if batch.len() >= BATCH {
                writer.write_all(&batch)?;
                batch.clear();
                // The caller asks once more, and reports it.
                if self.observer.cancelled() {
                    return Ok(());
                }
            }
        }
        writer.write_all(&batch)?;
        let (encoder, descriptor) = writer.finish().map_err(io::Error::other)?;
        encoder.finish()?;
        entry.finish(descriptor).map_err(io::Error::other)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::io::{ReadOptions, read_bytes};
    use proptest::prelude::*;

    #[test]
    fn headers_are_aligned() {
        for shape in [&[][..], &[3], &[3, 4], &[1_000_000_007, 999_999_999]] {
            let header = header("<i8", shape);
            assert_eq!(header.len() % 64, 0);
            assert_eq!(header.last(), Some(&b'\n'));
            assert_eq!(usize::from(u16::from_le_bytes([header[8], header[9]])), header.len() - 10);
        }
        assert!(header("<i8", &[3]).windows(14).any(|w| w == b"'shape': (3,),"));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let big = num_bigint::BigInt::from(1u64 << 63);
        let a = Triplets::from_entries(2, 2, [(1, 0, Integer::from(big))]);
        let message = npy(Path::new("a"), &mut vec![], &a, Compression::None, &Silent).unwrap_err().to_string();
        assert!(message.starts_with("entry (2, 1) has 64 bits: .npy has integers of 64 bits"), "{message}");
        let a = Triplets::from_entries(1 << 20, 1 << 20, [(0, 0, 1i64)]);
        let message = npy(Path::new("a"), &mut vec![], &a, Compression::None, &Silent).unwrap_err().to_string();
        assert!(message.contains("at most 1073741824 are written: .npz is sparse"), "{message}");
    }

    proptest! {
        #[test]
        fn written_and_read_again(
            rows in 0usize..9, cols in 0usize..9, seed in prop::collection::vec((any::<u8>(), any::<u8>(), any::<i64>()), 0..30),
        ) {
            let inside = rows > 0 && cols > 0;
            let entries = seed.iter().filter(|_| inside).map(|&(i, j, v)| (i as usize % rows, j as usize % cols, v));
            let mut distinct: Vec<_> = entries.collect();
            distinct.sort();
            distinct.dedup_by_key(|&mut (i, j, _)| (i, j));
            let a = Triplets::from_entries(rows, cols, distinct);
            let back = |bytes: &[u8]| read_bytes(Path::new("a"), bytes, &ReadOptions::default(), &Silent).unwrap();
            let mut out = vec![];
            npy(Path::new("a"), &mut out, &a, Compression::None, &Silent).unwrap();
            prop_assert_eq!(out.len() % 64, rows * cols * 8 % 64);
            prop_assert_eq!(&back(&out), &a);
            if cfg!(feature = "archives") {
                let mut out = vec![];
                npz(Path::new("a"), &mut out, &a, &Silent).unwrap();
                prop_assert_eq!(&back(&out), &a);
            }
        }
    }
}
