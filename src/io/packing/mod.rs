//! Files in files: compressed streams and archives, unpacked as they are read.
//!
//! | packing | recognised by | read by |
//! | --- | --- | --- |
//! | gzip | bytes `1f 8b` | flate2 |
//! | xz | `fd 37 7a 58 5a 00` | lzma-rust2 |
//! | bzip2 | `BZh` and the first block's mark | bzip2 |
//! | Zstandard | `28 b5 2f fd`, or a skippable frame | ruzstd |
//! | tar | the checksum of the first header | tar |
//! | zip | `PK 3 4`, or the end of an empty archive | rawzip |
//!
//! Each layer is a stream: its memory is a window of the compressor and a few blocks, whatever its size. Zip archives
//! have their list of members at the end and are held as a whole. All but gzip are the feature `archives`.

#[cfg(feature = "gzip")]
mod choice;
#[cfg(feature = "gzip")]
mod gzip;
mod kind;
mod layer;
#[cfg(feature = "gzip")]
mod members;
#[cfg(feature = "archives")]
mod tar;
mod write;
#[cfg(feature = "archives")]
mod zip;
#[cfg(feature = "archives")]
mod zstd;

#[cfg(feature = "archives")]
pub(super) use choice::is_hidden;
#[cfg(feature = "gzip")]
pub(super) use choice::{Choice, Rank};
pub(super) use kind::{Packing, packing};
#[cfg(not(feature = "archives"))]
pub(super) use layer::absent;
pub(super) use layer::unpacked;
#[cfg(feature = "archives")]
pub(super) use tar::for_each_member;
pub use write::Compression;
#[cfg(feature = "archives")]
pub(super) use zip::{Archive, Member};
