//! The arrays of NumPy's in a zip archive, by name.

use super::input::Input;
use super::npy::Npy;
use crate::io::packing::Archive;
use crate::io::source::{Bytes, Source};
use crate::{Error, Observer, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The arrays of a file by name.
pub(super) struct Npz<'a> {
    archive: &'a Archive<'a>,
    name: &'a Path,
    observer: &'a dyn Observer,
    /// The name of each array in errors.
    members: Vec<(String, PathBuf)>,
}

impl<'a> Npz<'a> {
    pub fn new(archive: &'a Archive<'a>, name: &'a Path, observer: &'a dyn Observer) -> Self {
        let members = archive.members.iter().map(|member| {
            let array = member.name.strip_suffix(".npy").unwrap_or(&member.name);
            (array.to_string(), format!("{}::{}", name.display(), array.escape_debug()).into())
        });
        Npz { archive, name, observer, members: members.collect() }
    }

    /// The names of the arrays.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|(name, _)| name.as_str())
    }

    /// The array of that name, its header read; `None` if there is none.
    pub fn find(&self, name: &str) -> Result<Option<Npy<'_>>> {
        let Some(k) = self.members.iter().position(|(member, _)| member == name) else { return Ok(None) };
        let stream = self.archive.open(&self.archive.members[k], &Arc::default());
        let stream = stream.map_err(|message| self.error(message))?;
        let path = &self.members[k].1;
        let bytes = Bytes::Stream(stream);
        let source = Source { name: path, observer: self.observer, bytes, select: "", limit: None };
        Npy::new(Input::new(source)).map(Some)
    }

    /// The array of that name, which must be there.
    pub fn get(&self, name: &str) -> Result<Npy<'_>> {
        let names =
            || self.members.iter().map(|(name, _)| name.escape_debug().to_string()).collect::<Vec<_>>().join(", ");
        self.find(name)?.ok_or_else(|| self.error(format!("expected the array {name}, found {}", names())))
    }

    /// The error with this message.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::Input { file: self.name.to_path_buf(), line: 0, message: message.into() }
    }
}
