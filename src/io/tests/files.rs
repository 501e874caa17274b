//! Writers, files on disk, and digests.

use super::*;
use std::io::Cursor;

/// A folder that is removed on drop.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("blackfield-io-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn files_written_and_read_back() {
    let folder = Folder::new("files");
    let a = read_text("3 2 M\n3 1 -9223372036854775808\n1 2 123456789012345678901234567890\n2 2 7\n0 0 0\n", &EXACT)
        .unwrap();
    let names: &[&str] = match (cfg!(feature = "archives"), cfg!(feature = "gzip")) {
        (true, _) => &["a.mtx", "a.mtx.gz", "a.sms", "b.SMS.GZ", "b.mtx.bz2", "b.mtx.zst", "b.sms.xz"],
        (false, true) => &["a.mtx", "a.mtx.gz", "a.sms", "b.SMS.GZ"],
        (false, false) => &["a.mtx", "a.sms"],
    };
    for name in names {
        let path = folder.0.join(name);
        let (format, compression) = FileFormat::from_path(&path).unwrap();
        for _replace in 0..2 {
            write(&path, &a, format, &mut Cursor::new(vec![]), &Silent).unwrap();
        }
        assert_eq!(
            packing::packing(&std::fs::read(&path).unwrap()).is_some(),
            compression != Compression::None,
            "{name}"
        );
        assert_eq!(read(&path, &EXACT, &Silent).unwrap(), a, "{name}");
    }
    assert_eq!(folder.names(), names);

    let mut out = vec![];
    write(Path::new("-"), &a, FileFormat::MatrixMarket, &mut out, &Silent).unwrap();
    let text = "%%MatrixMarket matrix coordinate integer general\n3 2 3\n1 2 123456789012345678901234567890\n2 2 7\n3 1 -9223372036854775808\n";
    assert_eq!(String::from_utf8(out).unwrap(), text);
    let mut out = vec![];
    write_to(&mut out, &a, FileFormat::Sms, Compression::None, &Silent).unwrap();
    assert!(out.starts_with(b"3 2 M\n1 2 ") && out.ends_with(b"\n0 0 0\n"));

    for name in ["a.txt", "sms", "a.gz", "-"] {
        let expected = format!(
            "{name}: the name must end in .sms, .mtx, .coo, .npy or .npz, all but the last followed by .gz, .xz, .bz2 or .zst for compression"
        );
        assert_eq!(FileFormat::from_path(Path::new(name)).unwrap_err().to_string(), expected);
    }
}

#[test]
fn triples_end_with_the_size() {
    let coo = |text: &str| {
        let mut out = vec![];
        write_to(&mut out, &read_text(text, &EXACT).unwrap(), FileFormat::Coo, Compression::None, &Silent)?;
        Ok::<_, Error>(String::from_utf8(out).unwrap())
    };
    assert_eq!(coo("2 3 M\n1 1 5\n2 3 -7\n0 0 0\n").unwrap(), "1 1 5\n2 3 -7\n");
    assert_eq!(coo("2 3 M\n2 1 5\n0 0 0\n").unwrap(), "2 1 5\n2 3 0\n");
    assert_eq!(coo("1 1 M\n0 0 0\n").unwrap(), "1 1 0\n");
    let message = coo("0 3 M\n0 0 0\n").unwrap_err().to_string();
    assert_eq!(message, "0 x 3: triples cannot tell such a size, .mtx and .sms do");
    let twice = FileFormat::from_path(Path::new("a.npz.gz")).unwrap_err().to_string();
    assert_eq!(twice, "a.npz.gz: an .npz file is compressed by itself: end its name there");
}

#[test]
fn arrays_have_integers_of_64_bits() {
    let halves = read_rational_bytes(Path::new("t"), b"2 2 Q\n2 1 1/2\n0 0 0\n", &EXACT, &Silent).unwrap();
    for format in [FileFormat::Npy, FileFormat::Npz] {
        let error = write_rational_to(vec![], &halves, format, Compression::None, &Silent).unwrap_err().to_string();
        assert!(error.starts_with("entry (2, 1) is 1/2: .np"), "{error}");
    }
}

/// A library that cannot compress says so, and leaves no file.
#[cfg(not(feature = "gzip"))]
#[test]
fn compressed_files_are_refused() {
    let error = FileFormat::from_path(Path::new("a.sms.gz")).unwrap_err().to_string();
    assert!(error.ends_with("built without the feature `gzip`, which compresses it"), "{error}");
    let why = "t:1: gzip-compressed: decompress it first (this blackfield was built without the feature `gzip`)";
    assert_eq!(shown(b"\x1f\x8b\x08", &EXACT), why);
}

#[test]
fn batches_do_not_depend_on_threads() {
    let a = Triplets::from_entries(1000, 1000, (0..600_000usize).map(|k| (k / 1000, k % 1000, k as i64 - 299_999)));
    let mut first: Option<Vec<u8>> = None;
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut out = vec![];
        pool.install(|| write_to(&mut out, &a, FileFormat::MatrixMarket, PACKED, &Silent)).unwrap();
        assert_eq!(read_text(&out, &EXACT).unwrap(), a);
        assert!(first.get_or_insert(out.clone()) == &out);
    }
}

/// An observer that stops everything at once.
struct Stop;

impl Observer for Stop {
    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn interrupted_and_failed_work_leaves_nothing() {
    let folder = Folder::new("stop");
    let path = folder.0.join("a.sms");
    let a = read_text("1 1 M\n1 1 5\n0 0 0\n", &EXACT).unwrap();
    write(&path, &a, FileFormat::Sms, &mut Cursor::new(vec![]), &Silent).unwrap();
    let old = std::fs::read(&path).unwrap();
    assert!(matches!(
        write(&path, &a, FileFormat::MatrixMarket, &mut Cursor::new(vec![]), &Stop),
        Err(Error::Interrupted)
    ));
    assert_eq!(std::fs::read(&path).unwrap(), old);
    assert_eq!(folder.names(), ["a.sms"]);
    assert!(matches!(read(&path, &EXACT, &Stop), Err(Error::Interrupted)));

    let missing = folder.0.join("no/a.sms");
    assert!(matches!(write(&missing, &a, FileFormat::Sms, &mut Cursor::new(vec![]), &Silent), Err(Error::Io { .. })));
    assert!(matches!(read(&missing, &EXACT, &Silent), Err(Error::Io { .. })));
    assert!(matches!(read(&folder.0, &EXACT, &Silent), Err(Error::Io { .. })));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let a = read_text("1 1 M\n1 1 5\n0 0 0\n", &EXACT).unwrap();
    let error = write(Path::new("/dev/full"), &a, FileFormat::Sms, &mut Cursor::new(vec![]), &Silent).unwrap_err();
    assert!(matches!(&error, Error::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull), "{error}");
    let mut full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    assert!(matches!(write(Path::new("-"), &a, FileFormat::Sms, &mut full, &Silent), Err(Error::Io { .. })));
}

#[test]
fn digests() {
    let a = read_text("2 3 M\n1 1 5\n2 3 -7\n1 2 18446744073709551616\n0 0 0\n", &EXACT).unwrap();
    // Computed by other software from the documented layout.
    assert_eq!(a.digest(), "d4cea244870b69dc70b44d570a53e267738040107cf9d33dd6ef1fa149f95b58");
    let b = read_text(
        format!("{MM} real general\n2 3 5\n2 3 1\n1 2 18446744073709551617\n1 1 5\n2 3 -8\n1 2 -1\n"),
        &EXACT,
    )
    .unwrap();
    assert_eq!(a.digest(), b.digest());
    assert_ne!(a.digest(), a.transpose().digest());
}
