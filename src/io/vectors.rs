//! A file of vectors that takes long to write, for a run that goes on with it after this one was killed.
//!
//! A state says how many vectors are in the file, how many bytes that is, under which name they lie until the file is
//! complete, and SHA-256 of them. They are on disk before the state is: what goes on drops what lies behind them. Where
//! the file is missing, it is begun anew; where its bytes are fewer or others, it is refused. Of a file that is held in
//! memory until its end, the text is the state. A stream cannot be taken back: it is begun anew.

use super::stream::{Encoding, SmsWriter, Target};
use crate::report::Kept;
use crate::{Error, Observer, Result};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 20;

/// An [`SmsWriter`] of vectors that are made in their order, a block after the other.
pub struct VectorFile<'o, 'k> {
    writer: SmsWriter<'o>,
    kept: Kept<'k>,
    /// Of the bytes so far, and their number.
    hash: Sha256,
    length: u64,
    vectors: usize,
    entries: usize,
}

/// Text that is held, the name of a part of a file; its bytes and their digest; vectors and entries.
type Saved = (Vec<u8>, String, (u64, [u8; 32]), (usize, usize));

impl<'o, 'k> VectorFile<'o, 'k> {
    /// Begins the file with its header, rows × columns, or goes on with what another process has kept of it; `key` is
    /// what the vectors depend on beyond the question that states are kept for.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Memory`]; [`Error::Input`] if the part of the file that a state tells of is damaged;
    /// those of the observer's [`Keeper`](crate::report::Keeper).
    pub fn begin(
        writer: SmsWriter<'o>,
        (rows, cols): (u64, u64),
        key: &[u8],
        observer: &'k dyn Observer,
    ) -> Result<Self> {
        let kept = Kept::of("vector-file", || (writer.name.to_string_lossy().into_owned(), key), observer)?;
        let mut file = VectorFile { writer, kept, hash: Sha256::new(), length: 0, vectors: 0, entries: 0 };
        if !file.restore(observer)? {
            let head = file.writer.head_bytes(rows, cols, 'M')?;
            file.writer.write(&head)?;
            file.count(&head);
        }
        Ok(file)
    }
    /// How entries become bytes.
    pub fn encoding(&self) -> Encoding {
        self.writer.encoding()
    }
    /// The vectors that are written.
    pub fn vectors(&self) -> usize {
        self.vectors
    }
    /// Their entries.
    pub fn entries(&self) -> usize {
        self.entries
    }
    /// Writes what the writer's [`Encoding`] made of the next ones: `vectors` are written then, with so
    /// many entries more.
    ///
    /// # Errors
    /// Those of [`SmsWriter::write`], and of the observer's keeper.
    pub fn write(&mut self, bytes: &[u8], vectors: usize, entries: usize) -> Result<()> {
        self.writer.write(bytes)?;
        self.count(bytes);
        (self.vectors, self.entries) = (vectors, self.entries + entries);
        if self.kept.is_due() { self.keep() } else { Ok(()) }
    }
    /// Ends the file: the entries that were written.
    ///
    /// # Errors
    /// Those of [`SmsWriter::finish`].
    pub fn finish(self, observer: &dyn Observer) -> Result<usize> {
        self.writer.finish(observer)?;
        Ok(self.entries)
    }

    fn count(&mut self, bytes: &[u8]) {
        if self.kept.is_kept() {
            self.hash.update(bytes);
            self.length += bytes.len() as u64;
        }
    }
    fn keep(&mut self) -> Result<()> {
        let digest: [u8; 32] = self.hash.clone().finalize().into();
        let written = ((self.length, digest), (self.vectors, self.entries));
        let nothing: &[u8] = &[];
        match &mut self.writer.target {
            Target::File(file) => match file.stay()?.and_then(Path::to_str) {
                Some(part) => self.kept.store(&(nothing, part, written.0, written.1)),
                None => Ok(()),
            },
            Target::Held { text, .. } => self.kept.store(&(&text[..], "", written.0, written.1)),
            Target::Stream(_) => Ok(()),
        }
    }
    /// Takes what was kept; whether anything was.
    fn restore(&mut self, observer: &dyn Observer) -> Result<bool> {
        let Some(saved) = self.kept.load::<Saved>()? else { return Ok(false) };
        let (held, part, (length, digest), (vectors, entries)) = saved;
        match &mut self.writer.target {
            Target::File(file) => {
                let part = PathBuf::from(part);
                if !part.exists() {
                    let part = part.display();
                    observer.warning(&format!("{part}, the vectors so far, is gone: they are made again"));
                    return Ok(false);
                }
                self.hash = hash_of(&part, (length, digest))?;
                file.go_on(&part, length)?;
            }
            Target::Held { text, .. } => {
                self.hash.update(&held);
                *text = held;
            }
            Target::Stream(_) => return Ok(false),
        }
        (self.length, self.vectors, self.entries) = (length, vectors, entries);
        Ok(true)
    }
}

/// The hash of the first `length` bytes of a file, which have to have the digest that was kept.
fn hash_of(part: &Path, (length, digest): (u64, [u8; 32])) -> Result<Sha256> {
    let failed = |source| Error::Io { file: part.to_path_buf(), source };
    let (mut hash, mut left) = (Sha256::new(), length);
    let mut file = File::open(part).map_err(failed)?;
    let mut buffer = vec![0; CHUNK];
    while left > 0 {
        let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let count = file.read(&mut buffer[..most]).map_err(failed)?;
        if count == 0 {
            break;
        }
        hash.update(&buffer[..count]);
        left -= count as u64;
    }
    let message = match left {
        0 if <[u8; 32]>::from(hash.clone().finalize()) == digest => return Ok(hash),
        0 => "vectors of a run that was killed: damaged, their checksum does not match".into(),
        _ => format!("vectors of a run that was killed: truncated, {length} bytes were written"),
    };
    Err(Error::Input { file: part.to_path_buf(), line: 0, message })
}
