//! A file that appears under its name only when it is complete.

use super::unfinished::Entry;
use crate::{Error, Result};
use std::fs::{self, File, Permissions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes that the system may hold back: what is written goes to the disk in pieces of so many, so that the end does not
/// wait for all of it, and the rate at which a file grows is that of the disk.
const HELD_BACK: u64 = if cfg!(test) { 1 << 8 } else { 1 << 28 };

/// A file being written: bytes go to a temporary file in the same folder, which [`AtomicFile::finish`] renames once
/// they are on disk. If it is dropped before that, the old file stays: a full disk or an interruption does no harm.
///
/// Symbolic links are followed, so that the target file is replaced; a device or a pipe is written in place.
#[derive(Debug)]
pub struct AtomicFile {
    /// The name used in errors.
    name: PathBuf,
    file: File,
    /// `None` for a device.
    place: Option<Place>,
    /// Bytes that may not be on disk.
    unsynced: u64,
}

/// The temporary file, the target, and the permissions of the file that it replaces.
#[derive(Debug)]
struct Place {
    temporary: Temporary,
    target: PathBuf,
    permissions: Option<Permissions>,
}

impl AtomicFile {
    /// Whether what is there is written in place: a device or a pipe.
    #[must_use]
    pub fn is_in_place(path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
    }

    /// Creates the file: called before a long computation, it reveals in time whether the result can be written.
    ///
    /// # Errors
    /// [`Error::Io`] if nothing can be written there.
    pub fn create(path: &Path) -> Result<Self> {
        let name = path.to_path_buf();
        let begin = || {
            let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
            let old = fs::metadata(&target).ok();
            if old.as_ref().is_some_and(|meta| !meta.is_file()) {
                return Ok((File::options().write(true).open(&target)?, None));
            }
            let (file, temporary) = Temporary::beside(&target)?;
            Ok((file, Some(Place { temporary, target, permissions: old.map(|meta| meta.permissions()) })))
        };
        match begin() {
            Ok((file, place)) => Ok(AtomicFile { name, file, place, unsynced: 0 }),
            Err(source) => Err(Error::Io { file: name, source }),
        }
    }

    /// The name as given.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Brings what is written so far to the disk, and lets it stay there if the file is never finished: the name that
    /// it has until then. `None` for a device.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn stay(&mut self) -> Result<Option<&Path>> {
        let Some(place) = &mut self.place else { return Ok(None) };
        self.file.sync_data().map_err(|source| Error::Io { file: self.name.clone(), source })?;
        self.unsynced = 0;
        place.temporary.stays = Some(std::path::absolute(&place.temporary.path).unwrap_or_default());
        place.temporary.listed = None;
        Ok(place.temporary.stays.as_deref())
    }

    /// Goes on behind the first `length` bytes of `part`, which another process has let stay: nothing may have been
    /// written before. A device is none to go on with.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn go_on(&mut self, part: &Path, length: u64) -> Result<()> {
        let Some(place) = &mut self.place else { return Ok(()) };
        let open = || {
            let mut file = File::options().write(true).open(part)?;
            file.set_len(length)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        self.file = open().map_err(|source| Error::Io { file: part.to_path_buf(), source })?;
        place.temporary = Temporary { path: part.to_path_buf(), stays: Some(part.to_path_buf()), listed: None };
        Ok(())
    }

    /// Moves the file into place.
    ///
    /// # Errors
    /// [`Error::Io`]; the old file is then unchanged.
    pub fn finish(self) -> Result<()> {
        let AtomicFile { name, file, place, .. } = self;
        let Some(Place { temporary, target, permissions }) = place else { return Ok(()) };
        let finish = || {
            if let Some(permissions) = permissions {
                file.set_permissions(permissions)?;
            }
            file.sync_all()?;
            fs::rename(&temporary.path, &target)
        };
        finish().map_err(|source| Error::Io { file: name, source })
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.unsynced += written as u64;
        if self.place.is_some() && self.unsynced >= HELD_BACK {
            self.file.sync_data()?;
            self.unsynced = 0;
        }
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A file that is removed on drop, unless it stays or has been renamed by then.
#[derive(Debug)]
struct Temporary {
    path: PathBuf,
    /// The absolute path of one that stays: another process goes on with it.
    stays: Option<PathBuf>,
    /// Its entry in the list for a program that exits without unwinding.
    listed: Option<Entry>,
}

impl Temporary {
    /// A new file in the folder of `target`, named after it.
    fn beside(target: &Path) -> io::Result<(File, Temporary)> {
        // A name of the greatest length leaves no room for more letters.
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
        let name: String = name.chars().take(40).collect();
        let mut attempt = 0;
        loop {
            let path = target.with_file_name(format!(".{name}.{}.{attempt}.part", std::process::id()));
            match File::options().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    let listed = Entry::of(&path);
                    return Ok((file, Temporary { path, stays: None, listed: Some(listed) }));
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => attempt += 1,
                Err(e) => return Err(e),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.stays.is_none() {
            // After a successful rename there is nothing left to remove; after a failure nothing better can be done.
            let _ = fs::remove_file(&self.path);
        }
    }
}
