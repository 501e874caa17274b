//! Compiled kernels on disk, so that a second process need not wait for the compiler.
//!
//! An entry is named after the SHA-256 of everything that the machine code depends on: source and headers, options
//! (the architecture is one of them), version of the compiler. It holds the code, the compiler's log, and the SHA-256
//! of both: an entry that is damaged, cut short or of another layout counts as absent, and the next compilation
//! replaces it. Entries are written to a file of another name first and then renamed, so that no process sees half of
//! one. A folder that cannot be written is no error: a cache only saves time.

use super::source::{Cubin, Source};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;
use std::{env, fs, io, process};

/// The environment variable with the folder; if it is set and empty, nothing is kept.
const FOLDER: &str = "BLACKFIELD_KERNELS";
/// How an entry begins; the number changes with the layout.
const MAGIC: &[u8; 16] = b"blackfield-cubin";
const LAYOUT: u64 = 1;
/// Entries that are kept; those used longest ago go first.
const ENTRIES: usize = 256;

/// Compiled kernels in a folder, or nowhere.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// The user's: `$BLACKFIELD_KERNELS`, `$XDG_CACHE_HOME/blackfield/kernels` or `$HOME/.cache/blackfield/kernels`; in
    /// tests only the first.
    pub fn of_user() -> Cache {
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = match env::var_os(FOLDER) {
            Some(_) => set(FOLDER),
            None if cfg!(test) => None,
            None => {
                // The specification says to ignore a relative one.
                let caches = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
                let caches = caches.or_else(|| Some(set("HOME")?.join(".cache")));
                caches.map(|caches| caches.join("blackfield").join("kernels"))
            }
        };
        Cache { folder }
    }

    /// That of a folder.
    #[cfg(test)]
    pub fn at(folder: &Path) -> Cache {
        Cache { folder: Some(folder.to_path_buf()) }
    }

    /// The machine code of `source` for these options by a compiler of this version: kept, or made by `compile` and
    /// kept from now on.
    pub fn get<E>(
        &self,
        source: &Source<'_>,
        options: &[String],
        version: &str,
        compile: impl FnOnce() -> Result<Cubin, E>,
    ) -> Result<Cubin, E> {
        let Some(folder) = &self.folder else { return compile() };
        let file = folder.join(format!("{}.cubin", key(source, options, version)));
        if let Some(found) = fs::read(&file).ok().and_then(|bytes| decode(&bytes)) {
            // Its age is the time since it was last used.
            let touched = fs::File::options().append(true).open(&file).and_then(|f| f.set_modified(SystemTime::now()));
            let _ = touched;
            return Ok(found);
        }
        let made = compile()?;
        if write(folder, &file, &encode(&made)).is_ok() {
            let _ = prune(folder);
        }
        Ok(made)
    }
}

/// A name for everything that the machine code depends on; lengths keep the parts apart.
fn key(source: &Source<'_>, options: &[String], version: &str) -> String {
    let mut hash = Sha256::new();
    let mut part = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    [version, source.name, source.text].into_iter().for_each(&mut part);
    part(&source.headers.len().to_string());
    source.headers.iter().flat_map(|&(name, text)| [name, text]).for_each(&mut part);
    options.iter().for_each(|option| part(option));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Layout: magic, number of the layout, lengths of code and log, SHA-256 of what follows, code, log.
fn encode(cubin: &Cubin) -> Vec<u8> {
    let body = [&cubin.code[..], cubin.log.as_bytes()].concat();
    let [layout, code, log] = [LAYOUT, cubin.code.len() as u64, cubin.log.len() as u64].map(u64::to_le_bytes);
    [&MAGIC[..], &layout, &code, &log, &Sha256::digest(&body), &body].concat()
}

/// The entry, unless it is damaged.
fn decode(bytes: &[u8]) -> Option<Cubin> {
    let (magic, rest) = bytes.split_at_checked(MAGIC.len())?;
    let mut rest = rest;
    let mut number = || {
        let (first, others) = rest.split_first_chunk::<8>()?;
        rest = others;
        Some(u64::from_le_bytes(*first))
    };
    let [layout, code, log] = [number()?, number()?, number()?];
    let (hash, body) = rest.split_at_checked(32)?;
    let whole = code.checked_add(log)? == body.len() as u64;
    if magic != MAGIC || layout != LAYOUT || !whole || Sha256::digest(body)[..] != *hash {
        return None;
    }
    let (code, log) = body.split_at_checked(usize::try_from(code).ok()?)?;
    Some(Cubin { code: code.to_vec(), log: String::from_utf8(log.to_vec()).ok()? })
}

fn write(folder: &Path, file: &Path, bytes: &[u8]) -> io::Result<()> {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    fs::create_dir_all(folder)?;
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let partial = file.with_extension(format!("{}-{number}.part", process::id()));
    // A file of its own: never through a link that somebody else has laid.
    let opened = fs::File::options().write(true).create_new(true).open(&partial);
    let done = opened.and_then(|mut f| f.write_all(bytes)).and_then(|()| fs::rename(&partial, file));
    if done.is_err() {
        let _ = fs::remove_file(&partial);
    }
    done
}

/// Whether a file is named as an entry, or as one that was never finished: nothing else is removed from the folder.
fn is_own(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split_once('.'));
    name.is_some_and(|(key, rest)| {
        let is_key = key.len() == 64 && key.bytes().all(|b| b.is_ascii_hexdigit());
        is_key && (rest == "cubin" || rest.ends_with(".part"))
    })
}

/// Removes the entries used longest ago beyond [`ENTRIES`].
fn prune(folder: &Path) -> io::Result<()> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !is_own(&entry.path()) {
            continue;
        }
        entries.push((entry.metadata()?.modified()?, entry.path()));
    }
    entries.sort();
    let surplus = entries.len().saturating_sub(ENTRIES);
    entries[..surplus].iter().for_each(|(_, path)| drop(fs::remove_file(path)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A folder that is removed in the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            Folder(env::temp_dir().join(format!("blackfield-{name}-{}", process::id())))
        }
        fn entries(&self) -> Vec<PathBuf> {
            fs::read_dir(&self.0).map_or_else(|_| vec![], |found| found.map(|entry| entry.unwrap().path()).collect())
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const SOURCE: Source<'_> = Source { name: "a.cu", text: "text", headers: &[("b.cuh", "header")] };

    fn cubin() -> Cubin {
        Cubin { code: (0..=255).collect(), log: "no spills: 0 bytes, \u{3c3}".into() }
    }

    /// What the cache gives, and whether it had to be compiled.
    fn asked(cache: &Cache, source: &Source<'_>, options: &[&str], version: &str) -> (Cubin, bool) {
        let compiled = Cell::new(false);
        let options: Vec<String> = options.iter().map(|&option| option.into()).collect();
        let made = cache.get(source, &options, version, || {
            compiled.set(true);
            Ok::<_, ()>(cubin())
        });
        (made.unwrap(), compiled.get())
    }

    #[test]
    fn entries_are_kept_until_something_they_depend_on_changes() {
        let folder = Folder::new("kept");
        let cache = Cache::at(&folder.0);
        let (options, version) = (["sm_90", "-v"], "13.0");
        assert!(asked(&cache, &SOURCE, &options, version).1);
        let (kept, compiled) = asked(&cache, &SOURCE, &options, version);
        assert!(!compiled && kept.code == cubin().code && kept.log == cubin().log);
        let others: [(Source<'_>, &[&str], &str); 7] = [
            (Source { text: "texts", ..SOURCE }, &options, version),
            (Source { name: "b.cu", ..SOURCE }, &options, version),
            (Source { headers: &[("b.cuh", "other")], ..SOURCE }, &options, version),
            (Source { headers: &[], ..SOURCE }, &options, version),
            (SOURCE, &["sm_80", "-v"], version),
            (SOURCE, &["sm_90-v"], version),
            (SOURCE, &options, "13.1"),
        ];
        for (source, options, version) in others {
            assert!(asked(&cache, &source, options, version).1, "{source:?} {options:?} {version}");
        }
        assert_eq!(folder.entries().len(), 8);
    }

    #[test]
    fn a_damaged_entry_is_made_anew() {
        let folder = Folder::new("damaged");
        let cache = Cache::at(&folder.0);
        asked(&cache, &SOURCE, &[], "1");
        let file = folder.entries().pop().unwrap();
        let good = fs::read(&file).unwrap();
        for at in (0..good.len()).step_by(7).chain([good.len() - 1]) {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            fs::write(&file, &bad).unwrap();
            assert!(asked(&cache, &SOURCE, &[], "1").1, "a bit of byte {at}");
            assert_eq!(fs::read(&file).unwrap(), good, "byte {at} is replaced");
        }
        for length in [0, 1, 15, 16, 40, 71, 72, good.len() - 1] {
            fs::write(&file, &good[..length]).unwrap();
            assert!(asked(&cache, &SOURCE, &[], "1").1, "{length} bytes");
        }
        fs::write(&file, [&good[..], b"x"].concat()).unwrap();
        assert!(asked(&cache, &SOURCE, &[], "1").1 && !asked(&cache, &SOURCE, &[], "1").1);
        assert_eq!(folder.entries(), [file], "nothing partial is left");
    }

    #[test]
    fn nothing_is_kept_where_nothing_can_be() {
        let folder = Folder::new("refused");
        fs::write(&folder.0, "a file").unwrap();
        for cache in [Cache::at(&folder.0), Cache { folder: None }] {
            assert!(asked(&cache, &SOURCE, &[], "1").1 && asked(&cache, &SOURCE, &[], "1").1);
        }
        let failed = Cache::at(&folder.0).get(&SOURCE, &[], "1", || Err("no compiler"));
        assert_eq!(failed.unwrap_err(), "no compiler");
        fs::remove_file(&folder.0).unwrap();
    }

    #[test]
    fn the_oldest_entries_go() {
        let folder = Folder::new("pruned");
        fs::create_dir_all(&folder.0).unwrap();
        let old = SystemTime::UNIX_EPOCH;
        for k in 0..ENTRIES {
            let file = fs::File::create(folder.0.join(format!("{k:064x}.cubin"))).unwrap();
            file.set_modified(old + std::time::Duration::from_secs(k as u64 + 1)).unwrap();
        }
        // Older than all of them, and not ours.
        for name in ["notes.txt", "0.cubin", "thesis.part"] {
            fs::File::create(folder.0.join(name)).unwrap().set_modified(old).unwrap();
        }
        asked(&Cache::at(&folder.0), &SOURCE, &[], "1");
        let names = folder.entries();
        assert_eq!(names.len(), ENTRIES + 3);
        let entry = |k: usize| folder.0.join(format!("{k:064x}.cubin"));
        assert!(!names.contains(&entry(0)) && names.contains(&entry(1)));
    }
}
