//! Matrices of residues written as they are made, in SMS: its header has no number of entries.

use super::write::{compressed, push_number};
use super::{AtomicFile, FileFormat};
use crate::{Error, Result, memory};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What the memory is for.
const TEXT: &str = "entries on their way to a file";
/// Bytes of most entries.
const ENTRY: usize = 20;

/// An SMS file that grows by blocks of entries: its header first, blocks in any number and order, the end last. A file
/// appears under its name when it is complete ([`AtomicFile`]).
pub struct SmsWriter<'o> {
    name: PathBuf,
    target: Target<'o>,
    encoding: Encoding,
}

enum Target<'o> {
    File(AtomicFile),
    Stream(&'o mut dyn Write),
}

/// How entries become bytes: plain text, or members of a gzip stream.
#[derive(Clone, Copy, Debug)]
pub struct Encoding {
    gzip: bool,
}

impl Encoding {
    /// The bytes of entries (row, column, residue), lines numbered from 0.
    ///
    /// # Errors
    /// [`Error::Memory`]; [`Error::Io`] without the feature `gzip`.
    pub fn entries(self, entries: impl Iterator<Item = (u64, u64, u64)>) -> Result<Vec<u8>> {
        let mut text = memory::with_capacity(ENTRY * entries.size_hint().0, TEXT)?;
        for (i, j, v) in entries {
            memory::reserve(&mut text, 64, TEXT)?;
            for number in [i + 1, j + 1, v] {
                push_number(&mut text, number);
                text.push(b' ');
            }
            if let Some(end) = text.last_mut() {
                *end = b'\n';
            }
        }
        self.bytes(text)
    }
    fn bytes(self, text: Vec<u8>) -> Result<Vec<u8>> {
        match self.gzip && !text.is_empty() {
            true => compressed(&text).map_err(|source| Error::Io { file: "-".into(), source }),
            false => Ok(text),
        }
    }
}

impl<'o> SmsWriter<'o> {
    /// A file of that name, compressed if it ends in `.gz`; `-` is `stdout`.
    ///
    /// # Errors
    /// [`Error::Usage`] unless the name ends in `.sms` or `.sms.gz`, [`Error::Io`] if nothing can be written there.
    pub fn create(path: &Path, stdout: &'o mut dyn Write) -> Result<Self> {
        let name = path.to_path_buf();
        if path == Path::new("-") {
            let encoding = Encoding { gzip: false };
            return Ok(SmsWriter { name, target: Target::Stream(stdout), encoding });
        }
        match FileFormat::from_path(path) {
            Ok((FileFormat::Sms, gzip)) => {
                let target = Target::File(AtomicFile::create(path)?);
                Ok(SmsWriter { name, target, encoding: Encoding { gzip } })
            }
            _ => Err(Error::Usage(format!(
                "{}: it is written in SMS, whose header needs no number of entries: the name must end in .sms or .sms.gz",
                path.display()
            ))),
        }
    }
    /// How entries become bytes.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }
    /// Writes the header.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn begin(&mut self, rows: u64, cols: u64) -> Result<()> {
        let head = self.encoding.bytes(format!("{rows} {cols} M\n").into_bytes())?;
        self.write(&head)
    }
    /// Writes what [`Encoding::entries`] made.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = match &mut self.target {
            Target::File(file) => file.write_all(bytes),
            Target::Stream(out) => out.write_all(bytes),
        };
        written.map_err(|source| Error::Io { file: self.name.clone(), source })
    }
    /// Writes the end, and moves the file into place.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(mut self) -> Result<()> {
        let end = self.encoding.bytes(b"0 0 0\n".to_vec())?;
        self.write(&end)?;
        match self.target {
            Target::File(file) => file.finish(),
            Target::Stream(out) => out.flush().map_err(|source| Error::Io { file: self.name, source }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::io::{ReadOptions, read, read_bytes};
    use crate::sparse::Triplets;

    const BLOCKS: [&[(u64, u64, u64)]; 3] = [&[(2, 0, 5), (0, 1, u64::MAX >> 1)], &[], &[(1, 1, 1)]];

    fn write(mut writer: SmsWriter<'_>) {
        writer.begin(3, 2).unwrap();
        for block in BLOCKS {
            let bytes = writer.encoding().entries(block.iter().copied()).unwrap();
            writer.write(&bytes).unwrap();
        }
        writer.finish().unwrap();
    }

    #[test]
    fn what_is_written_in_blocks_is_one_matrix() {
        let all = BLOCKS.concat().into_iter().map(|(i, j, v)| (i as usize, j as usize, v as i64));
        let expected = Triplets::from_entries(3, 2, all);
        let mut out = vec![];
        write(SmsWriter::create(Path::new("-"), &mut out).unwrap());
        assert!(out.starts_with(b"3 2 M\n3 1 5\n") && out.ends_with(b"\n2 2 1\n0 0 0\n"));
        let options = ReadOptions::default();
        assert_eq!(read_bytes(Path::new("out"), &out, &options, &Silent).unwrap(), expected);
        let folder = std::env::temp_dir().join(format!("blackfield-stream-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let names = if cfg!(feature = "gzip") { &["a.sms", "a.sms.gz"][..] } else { &["a.sms"] };
        for name in names {
            let file = folder.join(name);
            write(SmsWriter::create(&file, &mut vec![]).unwrap());
            assert_eq!(read(&file, &options, &Silent).unwrap(), expected);
        }
        // Without its end there is no file.
        let file = folder.join("none.sms");
        SmsWriter::create(&file, &mut vec![]).unwrap().begin(1, 1).unwrap();
        assert!(!file.exists());
        for name in ["a.mtx", "a"] {
            let refused = SmsWriter::create(&folder.join(name), &mut vec![]).map(drop);
            assert!(matches!(refused, Err(Error::Usage(_))), "{name}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
