//! The fuzz targets on the seeds in `fuzz/corpus` and on a fixed number of mutations of each: the same inputs on every
//! run and machine. `cargo fuzz` searches further, by hand: see CONTRIBUTING.

mod fuzz;

use fuzz::{SEEDS, TARGETS, Target};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A file's name and content.
type Seed = (String, Vec<u8>);

/// The files of a folder with at most that many bytes, by name.
fn files(folder: &Path, most: usize) -> Vec<Seed> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let mut seeds: Vec<Seed> = paths
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .filter(|(_, content)| content.len() <= most)
        .collect();
    seeds.sort();
    seeds
}

fn corpus(target: &str) -> Vec<Seed> {
    files(&root().join("fuzz/corpus").join(target), usize::MAX)
}

/// Pseudorandom numbers (splitmix64; S. Vigna, 2015).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }

    /// A range of positions below `length`.
    fn part(&mut self, length: usize) -> std::ops::Range<usize> {
        let from = self.below(length + 1);
        from..from + self.below((length - from).min(64) + 1)
    }
}

/// What numbers in a text are replaced by.
const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "-1",
    "-0",
    "+3",
    "007",
    "255",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "123456789012345678901234567890123456789",
    "1.50e1",
    "-2e4932",
    "1e-1",
];

/// Changes the input once.
fn mutate(data: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let n = data.len();
    match random.below(10) {
        0 if n > 0 => data[random.below(n)] ^= 1 << random.below(8),
        1 if n > 0 => data[random.below(n)] = [0, 0xff, b' ', b'\n', b'0', b'9', b'-'][random.below(7)],
        2 => data.truncate(random.below(n + 1)),
        3 => drop(data.drain(random.part(n))),
        // A part repeated, or a part of another seed inserted.
        4 | 5 => {
            let from = if random.below(2) == 0 { data.clone() } else { other.to_vec() };
            let part = from[random.part(from.len())].to_vec();
            let at = random.below(n + 1);
            data.splice(at..at, part);
        }
        // A line removed, repeated, or moved before another.
        6 => {
            let mut lines: Vec<Vec<u8>> = data.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
            let (a, b) = (random.below(lines.len()), random.below(lines.len()));
            match random.below(3) {
                _ if lines.is_empty() => {}
                0 => drop(lines.remove(a)),
                1 => lines.insert(b, lines[a].clone()),
                _ => lines.swap(a, b),
            }
            *data = lines.concat();
        }
        _ => {
            let begins = |k: &usize| data[*k].is_ascii_digit() && (*k == 0 || !data[k - 1].is_ascii_digit());
            let places: Vec<usize> = (0..n).filter(begins).collect();
            if !places.is_empty() {
                let at = places[random.below(places.len())];
                let digits = data[at..].iter().take_while(|b| b.is_ascii_digit()).count();
                data.splice(at..at + digits, NUMBERS[random.below(NUMBERS.len())].bytes());
            }
        }
    }
}

/// Reports the input if a target panics.
struct Told<'a>(&'a str, &'a str, usize, &'a [u8]);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Told(target, seed, mutation, input) = self;
            eprintln!("{target}: mutation {mutation} of {seed}: b\"{}\"", input.escape_ascii());
        }
    }
}

/// Runs a target on the seeds themselves, then on `mutations` of each, times the variable `CORPUS_TIMES` if it is set.
fn replay(name: &str, target: Target, seeds: &[Seed], mutations: usize) {
    let times = std::env::var("CORPUS_TIMES").map_or(1, |times| times.parse().expect("a number"));
    let mutations = mutations * times;
    let run = |seed: &str, mutation: usize, input: &[u8]| {
        let _told = Told(name, seed, mutation, input);
        target(input);
    };
    for (k, (seed, content)) in seeds.iter().enumerate() {
        run(seed, 0, content);
        for mutation in 1..=mutations {
            let mut random = Random((k as u64) << 32 | mutation as u64);
            let mut input = content.clone();
            for _ in 0..=random.below(3) {
                mutate(&mut input, &seeds[random.below(seeds.len())].1, &mut random);
            }
            run(seed, mutation, &input);
        }
    }
}

/// Seeds of the corpus, and small matrices of the repository with this ending.
fn matrices(target: &str, ending: &str) -> Vec<Seed> {
    let mut seeds = corpus(target);
    for folder in ["tests/doubt", "datasets"] {
        seeds.extend(files(&root().join(folder), 2500).into_iter().filter(|(name, _)| name.contains(ending)));
    }
    seeds
}

#[test]
fn sms() {
    replay("sms", fuzz::sms, &matrices("sms", ".sms"), 250);
}

#[test]
fn matrix_market() {
    replay("matrix_market", fuzz::matrix_market, &matrices("matrix_market", ".mtx"), 250);
}

#[test]
fn harwell_boeing() {
    replay("harwell_boeing", fuzz::harwell_boeing, &corpus("harwell_boeing"), 500);
}

#[test]
fn arrays() {
    replay("arrays", fuzz::arrays, &corpus("arrays"), 120);
}

#[test]
fn texts() {
    replay("texts", fuzz::texts, &corpus("texts"), 120);
}

#[test]
fn certificate() {
    replay("certificate", fuzz::certificate, &corpus("certificate"), 200);
}

#[test]
fn checkpoint() {
    replay("checkpoint", fuzz::checkpoint, &corpus("checkpoint"), 12);
}

#[test]
fn profile() {
    replay("profile", fuzz::profile, &corpus("profile"), 200);
}

#[test]
fn rank_tiny() {
    replay("rank_tiny", fuzz::rank_tiny, &corpus("rank_tiny"), 3);
}

/// Each target has a program for cargo-fuzz and seeds, and accepts its seeds unless their name says that they are bad.
/// After a change of a format: `cargo test --test corpus -- --ignored make_seeds`.
#[test]
fn seeds_lead_to_where_answers_are_given() {
    let manifest = std::fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
    for (name, target) in TARGETS {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "fuzz/Cargo.toml has no program {name}");
        assert!(root().join(format!("fuzz/fuzz_targets/{name}.rs")).is_file(), "fuzz_targets/{name}.rs is missing");
        let seeds = corpus(name);
        assert!(!seeds.is_empty(), "no seeds for {name}");
        for (seed, content) in seeds {
            assert_eq!(target(&content), !seed.starts_with("bad"), "{name}/{seed}");
        }
    }
    let known = |name: &str| TARGETS.iter().any(|(target, _)| *target == name);
    for entry in std::fs::read_dir(root().join("fuzz/corpus")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(known(&name), "fuzz/corpus/{name} has no target");
    }
}

/// Writes the seeds that only the library can make: certificates and checkpoints.
#[test]
#[ignore = "rewrites files of the repository"]
fn make_seeds() {
    for (target, seeds) in SEEDS {
        let folder = root().join("fuzz/corpus").join(target);
        std::fs::create_dir_all(&folder).unwrap();
        for (name, content) in seeds() {
            std::fs::write(folder.join(name), content).unwrap();
        }
    }
}
