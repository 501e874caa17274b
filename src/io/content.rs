//! From a file to what is in it: layers of packing are taken off until there is a text or a binary array.
//!
//! `FILE::NAME` selects one of several matrices in a container: a member of an archive, a variable of MATLAB's, an
//! array of NumPy's; `FILE::MEMBER::NAME` one in a member. A file that has such a name itself comes first.

#[cfg(feature = "archives")]
use super::foreign;
use super::map;
#[cfg(feature = "archives")]
use super::packing::{Archive, Choice, Member, Rank, for_each_member, is_hidden};
use super::packing::{Packing, packing, unpacked};
use super::source::{Bytes, Source, Stream};
use crate::{Error, Observer, Result};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A file without its packing.
pub(super) enum Content<'a> {
    /// Lines, of a format that is still to be found out.
    Text(Source<'a>),
    /// A binary format.
    Arrays(Arrays, Source<'a>),
}

/// The binary formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrays {
    /// One array of NumPy's.
    Npy,
    /// A zip archive of them.
    #[cfg(feature = "archives")]
    Npz,
    /// MATLAB's files before version 7.3.
    Mat,
    /// MATLAB's files of version 7.3.
    #[cfg(feature = "hdf5")]
    Hdf5,
}

impl Arrays {
    /// The binary format that begins like this.
    fn sniff(head: &[u8]) -> Option<Arrays> {
        let endian = head.get(124..128).map(|end| [&end[..2], &end[2..]]);
        match () {
            () if head.starts_with(b"\x93NUMPY") => Some(Arrays::Npy),
            () if matches!(endian, Some([b"\x00\x01", b"IM"] | [b"\x01\x00", b"MI"])) => Some(Arrays::Mat),
            #[cfg(feature = "hdf5")]
            () if foreign::is_matlab_hdf5(head) => Some(Arrays::Hdf5),
            () => None,
        }
    }
}

/// What is done with the content; archives may hold several candidates.
pub(super) type Take<'t, T> = dyn FnMut(Content<'_>) -> Result<T> + 't;

/// The number of layers that may lie around each other.
const DEEPEST: usize = 6;
/// Bytes by which formats are told apart.
const HEAD: usize = 1024;

/// What `take` makes of the content of a file; `-` is standard input. `limit` bytes may be held in memory.
pub(super) fn open<T>(path: &Path, limit: Option<u64>, observer: &dyn Observer, take: &mut Take<'_, T>) -> Result<T> {
    let (path, select) = selection(path);
    let (name, select) = (path.as_path(), select.as_str());
    if name == Path::new("-") {
        observer.phase("read", 0);
        let bytes = Bytes::Stream(Stream::counted(std::io::stdin()));
        return unpack(Source { name, observer, bytes, select, limit }, DEEPEST, take);
    }
    let file = File::open(name).map_err(|source| Error::Io { file: name.to_path_buf(), source })?;
    let map = map::map(&file);
    observer.phase("read", map.as_ref().map_or(0, |map| map.len() as u64));
    let bytes = match &map {
        Some(map) if is_read_in_place(map) => Bytes::Memory { bytes: map, map: Some(map) },
        // What is read once, in order, need not stay in the memory of the process.
        _ => Bytes::Stream(Stream::counted(file)),
    };
    unpack(Source { name, observer, bytes, select, limit }, DEEPEST, take)
}

/// Whether a file is parsed where it lies: a text, in parallel, whose pages are released; formats that are not read in
/// order.
fn is_read_in_place(file: &[u8]) -> bool {
    let head = &file[..file.len().min(HEAD)];
    match packing(head) {
        None => !matches!(Arrays::sniff(head), Some(Arrays::Npy | Arrays::Mat)),
        Some(packed) => packed == Packing::Zip,
    }
}

/// What `take` makes of the content of bytes in memory.
pub(super) fn open_bytes<T>(
    name: &Path,
    bytes: &[u8],
    limit: Option<u64>,
    observer: &dyn Observer,
    take: &mut Take<'_, T>,
) -> Result<T> {
    observer.phase("read", bytes.len() as u64);
    let bytes = Bytes::Memory { bytes, map: None };
    unpack(Source { name, observer, bytes, select: "", limit }, DEEPEST, take)
}

/// The file that a name is of: `FILE` of `FILE::NAME`, which selects one of several matrices in it.
#[must_use]
pub fn container(path: &Path) -> PathBuf {
    selection(path).0
}

/// The file of a name, and what it selects in that file.
pub(super) fn selection(path: &Path) -> (PathBuf, String) {
    let whole = (path.to_path_buf(), String::new());
    let Some(text) = path.to_str().filter(|_| !path.exists()) else { return whole };
    let cuts = text.match_indices("::").map(|(at, _)| (&text[..at], &text[at + 2..]));
    // A pipe of a shell is neither file nor folder.
    let is_file = |file: &str| file == "-" || Path::new(file).exists() && !Path::new(file).is_dir();
    cuts.into_iter().find(|(file, _)| is_file(file)).map_or(whole, |(file, name)| (file.into(), name.into()))
}

/// Takes off one layer after the other.
pub(super) fn unpack<T>(mut source: Source<'_>, depth: usize, take: &mut Take<'_, T>) -> Result<T> {
    let head = source.head(HEAD)?;
    let Some(kind) = packing(&head) else {
        return match Arrays::sniff(&head) {
            Some(arrays) => take(Content::Arrays(arrays, source)),
            None if source.select.is_empty() => take(Content::Text(source)),
            None => {
                let message = format!("expected several matrices of which {:?} is one, found a text", source.select);
                Err(source.error(message))
            }
        };
    };
    if depth == 0 {
        return Err(source.error(format!("more than {DEEPEST} layers of compression and archives: unpack it first")));
    }
    match kind {
        Packing::Tar => members(source, depth - 1, take),
        Packing::Zip => archive(source, depth - 1, take),
        _ => {
            let Source { name, observer, select, limit, .. } = source;
            let stream = unpacked(kind, source.into_stream());
            let stream = stream.map_err(|message| Error::Input { file: name.to_path_buf(), line: 1, message })?;
            unpack(Source { name, observer, bytes: Bytes::Stream(stream), select, limit }, depth - 1, take)
        }
    }
}

#[cfg(not(feature = "archives"))]
fn members<T>(source: Source<'_>, _: usize, _: &mut Take<'_, T>) -> Result<T> {
    Err(source.error(super::packing::absent(Packing::Tar)))
}
#[cfg(not(feature = "archives"))]
fn archive<T>(source: Source<'_>, _: usize, _: &mut Take<'_, T>) -> Result<T> {
    Err(source.error(super::packing::absent(Packing::Zip)))
}

/// The member that is selected, and what is selected in it.
#[cfg(feature = "archives")]
fn halves(select: &str) -> (&str, &str) {
    select.split_once("::").unwrap_or((select, ""))
}

/// The name of a member in errors.
#[cfg(feature = "archives")]
fn named(file: &Path, member: &str) -> PathBuf {
    PathBuf::from(format!("{}::{}", file.display(), member.escape_debug()))
}

/// The matrix in a tar archive, which is read in one pass.
#[cfg(feature = "archives")]
fn members<T>(source: Source<'_>, depth: usize, take: &mut Take<'_, T>) -> Result<T> {
    use super::source::failure;
    use std::sync::atomic::Ordering;

    /// An error in the archive itself, or another.
    enum Stop {
        Archive(std::io::Error),
        Other(Error),
    }
    impl From<std::io::Error> for Stop {
        fn from(error: std::io::Error) -> Stop {
            Stop::Archive(error)
        }
    }
    let Source { name, observer, select, limit, .. } = source;
    let (wanted, within) = halves(select);
    let Stream { mut reader, taken, .. } = source.into_stream();
    let mut choice = Choice::new("member", wanted);
    let mut check = || {
        observer.progress(taken.load(Ordering::Relaxed));
        observer.check().map_err(Stop::Other)
    };
    let mut each = |member: &str, bytes: &mut (dyn std::io::Read + Send)| {
        let rank = Rank::of_file(member);
        if is_hidden(member) || !choice.wants(member, rank) {
            return Ok(());
        }
        let name = named(name, member);
        let stream = Stream { reader: Box::new(bytes), taken: taken.clone(), unpacked: true };
        let source = Source { name: &name, observer, bytes: Bytes::Stream(stream), select: within, limit };
        choice.found(member, rank, unpack(source, depth, take)).map_err(Stop::Other)
    };
    for_each_member(&mut *reader, &mut check, &mut each).map_err(|stop| match stop {
        Stop::Archive(error) => failure(name, 0, error),
        Stop::Other(error) => error,
    })?;
    let one = choice.finish(&name.display().to_string());
    one.map_err(|message| Error::Input { file: name.to_path_buf(), line: 0, message })?
}

/// The matrix in a zip archive, or the arrays of NumPy's that it consists of.
#[cfg(feature = "archives")]
fn archive<T>(mut source: Source<'_>, depth: usize, take: &mut Take<'_, T>) -> Result<T> {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    let Source { name, observer, select, limit, .. } = source;
    let mut held = vec![];
    let bytes = source.whole("a zip archive", &mut held)?;
    let refused = |message: String| Error::Input { file: name.to_path_buf(), line: 0, message };
    let archive = Archive::new(bytes).map_err(refused)?;
    let is_array = |member: &Member| member.name.ends_with(".npy") && !member.name.contains('/');
    if !archive.members.is_empty() && archive.members.iter().all(is_array) {
        let bytes = Bytes::Memory { bytes, map: None };
        return take(Content::Arrays(Arrays::Npz, Source { name, observer, bytes, select, limit }));
    }
    if let Some(message) = foreign::office(archive.members.iter().map(|member| member.name.as_str())) {
        return Err(refused(foreign::with_name(name, message)));
    }
    let (wanted, within) = halves(select);
    let taken = Arc::new(AtomicU64::new(0));
    let mut choice = Choice::new("member", wanted);
    for member in archive.members.iter().filter(|member| !is_hidden(&member.name)) {
        observer.check()?;
        let rank = Rank::of_file(&member.name);
        if choice.wants(&member.name, rank) {
            let path = named(name, &member.name);
            let stream = archive.open(member, &taken).map_err(refused);
            let result = stream.and_then(|stream| {
                let bytes = Bytes::Stream(stream);
                unpack(Source { name: &path, observer, bytes, select: within, limit }, depth, take)
            });
            choice.found(&member.name, rank, result)?;
        }
    }
    choice.finish(&name.display().to_string()).map_err(refused)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_select_in_files_that_exist() {
        let folder = std::env::temp_dir().join(format!("blackfield-content-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let at = |name: &str| folder.join(name);
        std::fs::write(at("a.mat"), "").unwrap();
        std::fs::write(at("a.mat::B"), "").unwrap();
        for (name, file, select) in [
            ("a.mat", "a.mat", ""),
            ("a.mat::A", "a.mat", "A"),
            ("a.mat::A::C", "a.mat", "A::C"),
            ("a.mat::B", "a.mat::B", ""),
            ("b.mat::B", "b.mat::B", ""),
        ] {
            assert_eq!(selection(&at(name)), (at(file), select.to_string()), "{name}");
        }
        assert_eq!(selection(Path::new("-::A")), ("-".into(), "A".into()));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
