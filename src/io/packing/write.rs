//! Compressing what is written: each batch of text by itself, a member, stream or frame of the format; one after the
//! other they are a file, as every decompressor of the format accepts it.

use crate::{Error, Result};
use std::io;
use std::path::Path;

/// How a file that is written is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// gzip, `.gz`.
    Gzip,
    /// xz, `.xz`.
    Xz,
    /// bzip2, `.bz2`.
    Bzip2,
    /// Zstandard, `.zst`.
    Zstd,
}

/// The endings of names.
const ENDINGS: [(&str, Compression); 4] =
    [(".gz", Compression::Gzip), (".xz", Compression::Xz), (".bz2", Compression::Bzip2), (".zst", Compression::Zstd)];

impl Compression {
    /// What the last ending of a file name in lower case asks for, and the name without that ending.
    pub(in super::super) fn of_name(name: &str) -> (&str, Compression) {
        let found = ENDINGS.iter().find_map(|(ending, packing)| Some((name.strip_suffix(ending)?, *packing)));
        found.unwrap_or((name, Compression::None))
    }

    /// What a file name asks for.
    #[must_use]
    pub fn from_path(path: &Path) -> Compression {
        let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        Compression::of_name(&name).1
    }

    /// Refuses a file that this library cannot compress.
    ///
    /// # Errors
    /// [`Error::Usage`] without the feature that it needs.
    pub(in super::super) fn check(self, path: &Path) -> Result<()> {
        let feature = match self {
            Compression::None => return Ok(()),
            Compression::Gzip if cfg!(feature = "gzip") => return Ok(()),
            _ if cfg!(feature = "archives") => return Ok(()),
            Compression::Gzip => "gzip",
            _ => "archives",
        };
        let file = path.display();
        Err(Error::Usage(format!(
            "{file}: this blackfield was built without the feature `{feature}`, which compresses it"
        )))
    }

    /// A batch of text, compressed.
    pub(in super::super) fn compressed(self, text: Vec<u8>) -> io::Result<Vec<u8>> {
        match self {
            Compression::None => Ok(text),
            #[cfg(feature = "gzip")]
            Compression::Gzip => {
                let encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
                finished(encoder, &text, flate2::write::GzEncoder::finish)
            }
            #[cfg(feature = "archives")]
            Compression::Xz => {
                let encoder = lzma_rust2::XzWriter::new(vec![], lzma_rust2::XzOptions::with_preset(6))?;
                finished(encoder, &text, lzma_rust2::XzWriter::finish)
            }
            #[cfg(feature = "archives")]
            Compression::Bzip2 => {
                let encoder = bzip2::write::BzEncoder::new(vec![], bzip2::Compression::best());
                finished(encoder, &text, bzip2::write::BzEncoder::finish)
            }
            #[cfg(feature = "archives")]
            Compression::Zstd => {
                Ok(ruzstd::encoding::compress_to_vec(&text[..], ruzstd::encoding::CompressionLevel::Fastest))
            }
            #[cfg(not(feature = "archives"))]
            other => Err(io::Error::new(io::ErrorKind::Unsupported, format!("{other:?} was left out of this library"))),
        }
    }
}

/// What an encoder makes of a text.
#[cfg(feature = "gzip")]
fn finished<E: io::Write>(
    mut encoder: E,
    text: &[u8],
    finish: impl FnOnce(E) -> io::Result<Vec<u8>>,
) -> io::Result<Vec<u8>> {
    encoder.write_all(text)?;
    finish(encoder)
}
