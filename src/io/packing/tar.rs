//! Members of a tar archive, in their order: old, POSIX and GNU headers (read by the crate tar), with the long names of
//! GNU and of pax. Nothing is held but a name.

use super::kind::BLOCK;
use crate::io::source::damaged;
use std::io::{self, Read};
use tar::{EntryType, Header, PaxExtensions};

/// The maximum number of bytes of the names and attributes that a member may have.
const MOST_ATTRIBUTES: u64 = 1 << 20;

/// Calls `take` with the name and the bytes of each regular file; what it does not read is skipped. `check` is called
/// now and then, and ends the walk by an error.
pub(in super::super) fn for_each_member<E: From<io::Error>>(
    archive: &mut (dyn Read + Send),
    check: &mut dyn FnMut() -> Result<(), E>,
    take: &mut dyn FnMut(&str, &mut (dyn Read + Send)) -> Result<(), E>,
) -> Result<(), E> {
    let (mut name, mut size) = (None, None);
    loop {
        check()?;
        let mut block = [0; BLOCK];
        let got = fill(archive, &mut block)?;
        if got < BLOCK {
            return Err(ends_early().into());
        }
        // Zeros end an archive: without them members may be missing. What is behind them is read for the checksum of a
        // layer around.
        if block == [0; BLOCK] {
            let mut scrap = [0; 1 << 16];
            while fill(archive, &mut scrap)? > 0 {
                check()?;
            }
            return Ok(());
        }
        let header = Header::from_byte_slice(&block);
        let sum: u32 =
            block.iter().enumerate().map(|(k, &b)| if (148..156).contains(&k) { 32 } else { b.into() }).sum();
        if header.cksum().ok() != Some(sum) {
            return Err(damaged("the tar archive is damaged: a header does not match its checksum").into());
        }
        let kind = header.entry_type();
        let told = header.entry_size().map_err(|_| damaged("the tar archive is damaged: a member has no size"))?;
        match kind {
            EntryType::GNULongName | EntryType::GNULongLink | EntryType::XHeader | EntryType::XGlobalHeader => {
                let bytes = attributes(archive, told)?;
                match kind {
                    EntryType::GNULongName => name = Some(shown(bytes.split(|&b| b == 0).next().unwrap_or(b""))),
                    EntryType::XHeader => pax(&bytes, &mut name, &mut size),
                    _ => {}
                }
                continue;
            }
            EntryType::GNUSparse => {
                return Err(damaged("the tar archive has a sparse file, which is not read: unpack it first").into());
            }
            _ => {}
        }
        let size = size.take().unwrap_or(told);
        let name = name.take().unwrap_or_else(|| shown(&header.path_bytes()));
        let mut member = Member { archive: &mut *archive, left: size };
        if matches!(kind, EntryType::Regular | EntryType::Continuous) && !name.ends_with('/') {
            take(&name, &mut member)?;
        }
        let mut scrap = [0; 1 << 16];
        loop {
            check()?;
            if member.read(&mut scrap)? == 0 {
                break;
            }
        }
        padding(archive, size)?;
    }
}

/// The name, if it is not UTF-8 as well as it can be shown.
fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// The bytes of a member that describes the next.
fn attributes(archive: &mut (dyn Read + Send), size: u64) -> io::Result<Vec<u8>> {
    if size > MOST_ATTRIBUTES {
        return Err(damaged(format!("the tar archive has a name or attributes of more than {MOST_ATTRIBUTES} bytes")));
    }
    let mut bytes = vec![];
    Member { archive: &mut *archive, left: size }.read_to_end(&mut bytes)?;
    padding(archive, size)?;
    Ok(bytes)
}

/// Name and size of the next member, where pax attributes say so.
fn pax(bytes: &[u8], name: &mut Option<String>, size: &mut Option<u64>) {
    for attribute in PaxExtensions::new(bytes).flatten() {
        match attribute.key_bytes() {
            b"path" => *name = Some(shown(attribute.value_bytes())),
            b"size" => *size = attribute.value().ok().and_then(|value| value.parse().ok()),
            _ => {}
        }
    }
}

/// Skips to the end of the last block of a member.
fn padding(archive: &mut (dyn Read + Send), size: u64) -> io::Result<()> {
    let more = (BLOCK - (size % BLOCK as u64) as usize) % BLOCK;
    if fill(archive, &mut [0; BLOCK][..more])? == more { Ok(()) } else { Err(ends_early()) }
}

/// Reads until the buffer is full or the stream ends.
fn fill(archive: &mut (dyn Read + Send), buffer: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match archive.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(got)
}

fn ends_early() -> io::Error {
    damaged("the tar archive ends early: a truncated file")
}

/// The bytes of a member; it is an error if the archive has fewer.
struct Member<'a> {
    archive: &'a mut (dyn Read + Send),
    left: u64,
}

impl Read for Member<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        let got = self.archive.read(&mut buffer[..most])?;
        self.left -= got as u64;
        if got == 0 { Err(ends_early()) } else { Ok(got) }
    }
}
