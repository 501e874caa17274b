//! Zip archives in memory: their list of members, and each as a stream whose length and checksum are verified.

use super::kind::Packing;
use super::layer::unpacked;
use crate::io::source::{Stream, damaged};
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// An archive.
pub(in super::super) struct Archive<'a> {
    archive: ZipSliceArchive<&'a [u8]>,
    /// Its regular files.
    pub members: Vec<Member>,
}

/// A file in an archive.
#[derive(Clone)]
pub(in super::super) struct Member {
    pub name: String,
    method: CompressionMethod,
    encrypted: bool,
    place: ZipArchiveEntryWayfinder,
}

fn broken(error: impl std::fmt::Display) -> String {
    format!("the zip archive is damaged or truncated: {error}")
}

impl<'a> Archive<'a> {
    /// The archive in these bytes, or what is wrong with it.
    pub fn new(bytes: &'a [u8]) -> Result<Self, String> {
        let archive = ZipArchive::from_slice(bytes).map_err(broken)?;
        let mut members = vec![];
        let mut entries = archive.entries();
        while let Some(entry) = entries.next_entry().map_err(broken)? {
            if !entry.is_dir() {
                members.push(Member {
                    name: String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned(),
                    method: entry.compression_method(),
                    encrypted: entry.flags().is_encrypted(),
                    place: entry.wayfinder(),
                });
            }
        }
        Ok(Archive { archive, members })
    }

    /// The bytes of a member, or why they cannot be read.
    pub fn open<'s>(&'s self, member: &Member, taken: &Arc<AtomicU64>) -> Result<Stream<'s>, String> {
        let name = member.name.escape_debug();
        if member.encrypted {
            return Err(format!("the member {name} is encrypted: unpack it first (unzip FILE)"));
        }
        let packing = match member.method {
            CompressionMethod::STORE => None,
            CompressionMethod::DEFLATE => None,
            CompressionMethod::BZIP2 => Some(Packing::Bzip2),
            CompressionMethod::ZSTD => Some(Packing::Zstd),
            CompressionMethod::XZ => Some(Packing::Xz),
            other => {
                let method = other.name().map_or(format!("method {}", other.as_u16()), str::to_string);
                return Err(format!("the member {name} is packed by {method}, which is not read: unpack it first"));
            }
        };
        let entry = self.archive.get_entry(member.place).map_err(broken)?;
        let data = Stream { reader: Box::new(entry.data()), taken: taken.clone(), unpacked: true };
        let reader: Box<dyn Read + Send + 's> = match (packing, member.method) {
            (Some(packing), _) => unpacked(packing, data)?.reader,
            (None, CompressionMethod::DEFLATE) => Box::new(flate2::read::DeflateDecoder::new(data.reader)),
            _ => data.reader,
        };
        let reader = Box::new(Verified(entry.verifying_reader(reader)));
        Ok(Stream { reader, taken: taken.clone(), unpacked: true })
    }
}

/// Names the layer where reading fails.
struct Verified<R>(R);

impl<R: Read> Read for Verified<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match crate::io::source::damage_in(&error) {
            Some(below) => damaged(below.0.clone()),
            None => damaged(broken(error)),
        })
    }
}
