//! State on disk that identifies the computation it belongs to and detects changes.
//!
//! A file of this kind is three pieces, one after the other:
//!
//! 1. the line `blackfield sealed state 1` and a line of JSON,
//!    `{"kind": …, "version": …, "matrix": …, "parameters": …}`, the [`Seal`], which identifies the computation;
//! 2. the state, any bytes;
//! 3. the line `sha256 ` with 64 lower-case hexadecimal digits: SHA-256 of all bytes before.
//!
//! Identity and state are thus under one checksum: a flipped bit, a truncated file and the state of another computation
//! are refused, each with its own message. A checksum does not protect against *deliberate* changes, since anyone can
//! compute a new one. An answer that rests on such a file has to say so.
//!
//! Entry points: [`Seal::write`], [`Seal::read`].

use super::AtomicFile;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

const MAGIC: &str = "blackfield sealed state 1\n";
const CHECKSUM: &str = "sha256 ";
/// Bytes of the last line.
const CHECKSUM_BYTES: usize = CHECKSUM.len() + 64 + 1;

/// Which computation a state belongs to. A file whose seal differs in any of these is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// The computation, as a noun phrase for messages: `permanent by Gray code`.
    pub kind: String,
    /// The version of the state's layout and of the algorithm, as far as it determines what the state means.
    pub version: u32,
    /// The [digest](crate::sparse::Triplets::digest) of the matrix.
    pub matrix: String,
    /// Everything else that the state depends on: options, order of summation, moduli.
    pub parameters: String,
}

impl Seal {
    /// The content of the file that holds `state`.
    pub fn close(&self, state: &[u8]) -> Vec<u8> {
        let head = self.head();
        let line = checksum(&[&head, state]);
        [&head, state, line.as_bytes()].concat()
    }
    /// The lines before the state.
    fn head(&self) -> Vec<u8> {
        let mut bytes = MAGIC.as_bytes().to_vec();
        bytes.extend(serde_json::to_vec(self).expect("text and numbers have a form in JSON"));
        bytes.push(b'\n');
        bytes
    }

    /// The state in the content of a file; `file` is for messages.
    ///
    /// # Errors
    /// [`Error::Input`] that says which: not a sealed state, truncated, damaged, or of another computation.
    pub fn open<'a>(&self, bytes: &'a [u8], file: &Path) -> Result<&'a [u8]> {
        self.state(bytes).map_err(|message| Error::Input { file: file.into(), line: 0, message })
    }

    fn state<'a>(&self, bytes: &'a [u8]) -> std::result::Result<&'a [u8], String> {
        let kind = &self.kind;
        if !bytes.starts_with(MAGIC.as_bytes()) {
            return Err(match bytes {
                [] => format!("not a checkpoint ({kind}): the file is empty"),
                _ if MAGIC.as_bytes().starts_with(bytes) => format!("checkpoint ({kind}) truncated in its first line"),
                _ => format!("not a checkpoint ({kind}): the first line `{}` is missing", MAGIC.trim_end()),
            });
        }
        let body =
            bytes.len().checked_sub(CHECKSUM_BYTES).filter(|&body| bytes[body..].starts_with(CHECKSUM.as_bytes()));
        let Some(body) = body.filter(|_| bytes.ends_with(b"\n")) else {
            return Err("checkpoint truncated or damaged: it does not end with its checksum".into());
        };
        let (body, line) = bytes.split_at(body);
        if line != checksum(&[body]).as_bytes() {
            return Err("checkpoint damaged: its checksum does not match".into());
        }
        let rest = &body[MAGIC.len()..];
        let end =
            rest.iter().position(|&b| b == b'\n').ok_or("checkpoint without a seal: its second line is missing")?;
        let (seal, state) = (&rest[..end], &rest[end + 1..]);
        let seal: Seal =
            serde_json::from_slice(seal).map_err(|e| format!("checkpoint with an unreadable seal: {e}"))?;
        match self.difference(&seal) {
            None => Ok(state),
            Some(difference) => Err(difference),
        }
    }

    /// How the computation of `found` differs from this one.
    fn difference(&self, found: &Seal) -> Option<String> {
        if found.kind != self.kind {
            return Some(format!("checkpoint of another computation: {}, expected {}", found.kind, self.kind));
        }
        if found.version != self.version {
            let (version, expected) = (found.version, self.version);
            return Some(format!("checkpoint of another version of blackfield: layout {version}, expected {expected}"));
        }
        if found.matrix != self.matrix {
            return Some(format!("checkpoint of another matrix: digest {}, expected {}", found.matrix, self.matrix));
        }
        (found.parameters != self.parameters)
            .then(|| "checkpoint of another order of summation: other options or another version".into())
    }

    /// The state in the file; `None` if there is no such file.
    ///
    /// # Errors
    /// [`Error::Io`] where the system cannot read, [`Error::Input`] as [`Seal::open`], and for anything but a regular
    /// file.
    pub fn read(&self, file: &Path) -> Result<Option<Vec<u8>>> {
        let Some(mut bytes) = load(file)? else { return Ok(None) };
        // A large state is not copied: it becomes what is left of the file.
        let length = self.open(&bytes, file)?.len();
        bytes.truncate(bytes.len() - CHECKSUM_BYTES);
        bytes.drain(..bytes.len() - length);
        Ok(Some(bytes))
    }

    /// Replaces the file atomically ([`AtomicFile`]): a process killed at any moment leaves the old state or the new
    /// one.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, file: &Path, state: &[u8]) -> Result<()> {
        let mut new = AtomicFile::create(file)?;
        let head = self.head();
        let line = checksum(&[&head, state]);
        let written = [&head, state, line.as_bytes()].into_iter().try_for_each(|part| new.write_all(part));
        written.map_err(|source| Error::Io { file: file.into(), source })?;
        new.finish()
    }
}

/// The content of a regular file, `None` if there is no such file. A device or a pipe, which may never end, is refused.
///
/// # Errors
/// [`Error::Io`], [`Error::Input`] if the file is not a regular one.
pub fn load(file: &Path) -> Result<Option<Vec<u8>>> {
    let failed = |source| Error::Io { file: file.into(), source };
    // Checked before opening: opening a pipe waits for its other end.
    let meta = match std::fs::metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        meta => meta.map_err(failed)?,
    };
    if !meta.is_file() {
        let message = "not a checkpoint: a checkpoint is kept in a regular file".into();
        return Err(Error::Input { file: file.into(), line: 0, message });
    }
    let mut bytes = Vec::new();
    File::open(file).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(failed)?;
    Ok(Some(bytes))
}

/// The checksum line for these bytes, one part after the other.
fn checksum(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{CHECKSUM}{digits}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seal() -> Seal {
        Seal { kind: "sum of a test".into(), version: 3, matrix: "ab".repeat(32), parameters: "chunk 5".into() }
    }

    fn refusal(seal: &Seal, bytes: &[u8]) -> String {
        match seal.open(bytes, Path::new("state")) {
            Err(error @ Error::Input { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_closed_opens() {
        let long: Vec<u8> = (0..=255).cycle().take(70_000).collect();
        for state in [&b""[..], b"\n", b"sha256 ", b"{}\n", &long] {
            assert_eq!(seal().open(&seal().close(state), Path::new("state")).unwrap(), state);
        }
        // The layout is what the module says, by an independent reading.
        let text = String::from_utf8(seal().close(b"the state\n")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[2]), (4, "blackfield sealed state 1", "the state"));
        assert_eq!(serde_json::from_str::<Seal>(lines[1]).unwrap(), seal());
        // SHA-256 of no bytes (FIPS 180).
        assert_eq!(checksum(&[b""]), "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n");
    }

    #[test]
    fn every_changed_byte_and_every_length_is_refused() {
        let bytes = seal().close(b"{\"sums\":[\"123\"]}\n");
        for at in 0..bytes.len() {
            for flip in [1, 0x20, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                refusal(&seal(), &changed);
            }
        }
        for length in 0..bytes.len() {
            let why = refusal(&seal(), &bytes[..length]);
            assert!(why.contains("truncated") || length == 0 && why.contains("empty"), "{length}: {why}");
        }
        let longer = [&bytes[..], b"\n"].concat();
        assert!(refusal(&seal(), &longer).contains("truncated or damaged"));
        assert!(refusal(&seal(), &[&bytes[..], &bytes[..]].concat()).contains("damaged"));
        let mut forged = bytes.clone();
        let sum = forged.windows(3).position(|w| w == b"123").unwrap();
        forged[sum] = b'9';
        assert!(refusal(&seal(), &forged).contains("damaged: its checksum does not match"));
    }

    #[test]
    fn a_foreign_state_is_refused_by_what_differs() {
        let other = |change: fn(&mut Seal)| {
            let mut other = seal();
            change(&mut other);
            refusal(&seal(), &other.close(b"{}"))
        };
        assert!(
            other(|s| s.kind = "sequence".into()).contains("another computation: sequence, expected sum of a test")
        );
        assert!(other(|s| s.version = 4).contains("layout 4, expected 3"));
        assert!(other(|s| s.matrix = "cd".repeat(32)).contains("another matrix: digest cdcd"));
        assert!(other(|s| s.parameters.push('0')).contains("another order of summation"));
        assert!(refusal(&seal(), b"1 1 M\n0 0 0\n").contains("not a checkpoint"));
        // A checksum over something without a seal.
        for body in ["", "{}\n", "{\"kind\":\"sum of a test\"}\n", "no line feed"] {
            let body = format!("{MAGIC}{body}");
            assert!(refusal(&seal(), [&body[..], &checksum(&[body.as_bytes()])].concat().as_bytes()).contains("seal"));
        }
    }

    #[test]
    fn files() {
        let folder = std::env::temp_dir().join(format!("blackfield-sealed-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("state");
        assert_eq!(seal().read(&file).unwrap(), None);
        seal().write(&file, b"one").unwrap();
        seal().write(&file, b"two").unwrap();
        assert_eq!(seal().read(&file).unwrap().unwrap(), b"two");
        let long: Vec<u8> = (0..=255).cycle().take(70_000).collect();
        seal().write(&file, &long).unwrap();
        assert!(std::fs::read(&file).unwrap() == seal().close(&long) && seal().read(&file).unwrap().unwrap() == long);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing temporary is left");
        assert!(matches!(seal().read(&folder), Err(Error::Input { .. })), "a folder");
        assert!(matches!(seal().read(&file.join("below")), Err(Error::Io { .. })));
        assert!(matches!(seal().write(&folder.join("missing/state"), b""), Err(Error::Io { .. })));
        #[cfg(unix)]
        assert!(matches!(seal().read(Path::new("/dev/zero")), Err(Error::Input { .. })));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
