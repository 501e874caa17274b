//! Decompressing streams, whose failures say which layer is damaged.

use super::kind::Packing;
use crate::io::source::{Stream, damage_in, damaged};
use std::io::{self, Read};

/// The content of a compressed stream.
///
/// # Errors
/// A message, if this library was built without its decompressor.
pub(in super::super) fn unpacked<'a>(packing: Packing, stream: Stream<'a>) -> Result<Stream<'a>, String> {
    let Stream { reader, taken, .. } = stream;
    let reader = decoder(packing, reader)?;
    Ok(Stream { reader: Box::new(Layer { name: packing.name(), reader, failed: None }), taken, unpacked: true })
}

type Reader<'a> = Box<dyn Read + Send + 'a>;

#[cfg(feature = "gzip")]
fn decoder<'a>(packing: Packing, packed: Reader<'a>) -> Result<Reader<'a>, String> {
    match packing {
        Packing::Gzip if rayon::current_num_threads() > 1 => Ok(Box::new(super::members::Members::new(packed))),
        Packing::Gzip => Ok(Box::new(super::gzip::Gzip::new(packed))),
        #[cfg(feature = "archives")]
        Packing::Xz => Ok(Box::new(lzma_rust2::XzReader::new_mem_limit(packed, true, XZ_LIMIT))),
        #[cfg(feature = "archives")]
        Packing::Bzip2 => Ok(Box::new(bzip2::read::MultiBzDecoder::new(packed))),
        #[cfg(feature = "archives")]
        Packing::Zstd => Ok(Box::new(super::zstd::Frames::new(packed))),
        other => Err(absent(other)),
    }
}
#[cfg(not(feature = "gzip"))]
fn decoder<'a>(packing: Packing, _: Reader<'a>) -> Result<Reader<'a>, String> {
    Err(absent(packing))
}

/// The largest dictionary of xz, in KiB: `xz -9` uses 64 MiB.
#[cfg(feature = "archives")]
const XZ_LIMIT: u32 = 1 << 20;

/// The message where there is no decompressor.
pub(in super::super) fn absent(packing: Packing) -> String {
    let feature = if packing == Packing::Gzip { "gzip" } else { "archives" };
    let name = packing.name();
    format!("{name}-compressed: decompress it first (this blackfield was built without the feature `{feature}`)")
}

/// A decompressor by name. After a failure it fails again: what decompressors do then is not specified.
struct Layer<R> {
    name: &'static str,
    reader: R,
    failed: Option<String>,
}

impl<R: Read> Read for Layer<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(message) = &self.failed {
            return Err(damaged(message.clone()));
        }
        self.reader.read(buffer).map_err(|error| {
            // A failure of the disk, or damage of a layer below.
            if error.kind() == io::ErrorKind::Interrupted || error.raw_os_error().is_some() {
                return error;
            }
            let name = self.name;
            let message = match (damage_in(&error), error.kind()) {
                (Some(below), _) => below.0.clone(),
                (None, io::ErrorKind::UnexpectedEof) => format!("the {name} stream ends early: a truncated file"),
                (None, io::ErrorKind::OutOfMemory) => {
                    let most = if name == "xz" { "1 GiB" } else { "128 MiB" };
                    format!(
                        "the {name} stream needs a window of more than {most}: decompress it first ({name} -d FILE)"
                    )
                }
                (None, _) => format!("the {name} stream is damaged: {error}"),
            };
            self.failed = Some(message.clone());
            damaged(message)
        })
    }
}
