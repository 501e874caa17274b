//! Checkpoint files of permanents: a file that no run wrote is refused, and left unchanged; a forged file with a valid
//! seal can at most be resumed from, and the answer then says that it rests on a file.

use blackfield::io::Seal;
use blackfield::permanent::IntMatrix;
use blackfield::permanent::gray::{GrayOptions, permanent};
use blackfield::{Error, Observer, Silent};
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The order of the matrix.
const N: usize = 12;
const MAGIC: &[u8] = b"blackfield sealed state 1\n";
const CHECKSUM_BYTES: usize = 72;

/// A matrix without equal rows or columns, to be summed over the integers, or with residues.
fn entry(i: usize, j: usize) -> i64 {
    i64::from((i * i + 3 * i * j + j * j * j) % 11 < 5 || i == j)
}

/// Its permanent, row by row: the weighted number of ways to choose each set of columns.
static PERMANENT: LazyLock<i128> = LazyLock::new(|| {
    let mut ways = vec![0i128; 1 << N];
    ways[0] = 1;
    for set in 1..1usize << N {
        let i = set.count_ones() as usize - 1;
        let last = (0..N).filter(|j| set >> j & 1 == 1);
        ways[set] = last.map(|j| ways[set ^ 1 << j] * i128::from(entry(i, j))).sum();
    }
    ways[(1 << N) - 1]
});

/// Stops after that many calls.
struct Impatient(AtomicUsize);

impl Observer for Impatient {
    fn cancelled(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(1))) == Ok(0)
    }
}

/// A file unique to this process and input.
fn scratch() -> PathBuf {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("blackfield-fuzz-{}-{number}", std::process::id()))
}

/// Runs with the state in a file, if there is one, until the observer stops it; returns the answer, and the content of
/// the file then.
fn run(
    state: Option<&[u8]>,
    residues: bool,
    observer: &dyn Observer,
) -> (Result<String, Error>, Option<Vec<u8>>, bool) {
    let file = scratch();
    if let Some(state) = state {
        std::fs::write(&file, state).expect("a writable temporary folder");
    }
    let matrix = IntMatrix::from_entries(N, (0..N * N).map(|k| (k / N, k % N, entry(k / N, k % N))));
    let options = GrayOptions::default().checkpoint(file.clone()).interval(Duration::ZERO).residues(residues);
    let answer = permanent(&matrix, &options, observer);
    let left = std::fs::read(&file).ok();
    let _ = std::fs::remove_file(&file);
    let resumed = answer.as_ref().is_ok_and(|answer| answer.resumed.is_some());
    (answer.map(|answer| answer.value.to_string()), left, resumed)
}

/// The state of a run that is stopped before its first sums.
fn begun(residues: bool) -> Vec<u8> {
    let (answer, state, _) = run(None, residues, &Impatient(AtomicUsize::new(1)));
    assert!(matches!(answer, Err(Error::Interrupted)), "{answer:?}");
    state.expect("a state is kept")
}

/// The seal of the runs' states.
fn seal(state: &[u8]) -> Seal {
    let line = state[MAGIC.len()..].split(|&b| b == b'\n').next().expect("a second line");
    serde_json::from_slice(line).expect("a seal")
}

static SEALS: LazyLock<[Seal; 2]> = LazyLock::new(|| [false, true].map(|residues| seal(&begun(residues))));

/// States of both kinds of sums as a run writes them.
#[allow(dead_code, reason = "the fuzz targets make no seeds")]
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    vec![("exact".into(), begun(false)), ("residues".into(), begun(true))]
}

/// Whether the bytes are a state that a run can resume from.
pub fn checkpoint(data: &[u8]) -> bool {
    let mut taken = false;
    for residues in [false, true] {
        let (answer, left, _) = run(Some(data), residues, &Silent);
        match answer {
            Ok(value) => {
                assert_eq!((value, left), (PERMANENT.to_string(), None), "the file is gone at the end");
                taken = true;
            }
            Err(Error::Input { .. }) => assert_eq!(left.as_deref(), Some(data), "a file refused is left as it was"),
            Err(other) => panic!("{other:?}"),
        }
        // The content between seal and checksum, with both of them valid.
        let state = match data.strip_prefix(MAGIC) {
            Some(rest) => {
                let body = &rest[..rest.len().saturating_sub(CHECKSUM_BYTES)];
                body.splitn(2, |&b| b == b'\n').nth(1).unwrap_or_default()
            }
            None => data,
        };
        let forged = SEALS[usize::from(residues)].close(state);
        match run(Some(&forged), residues, &Silent) {
            (Ok(value), _, resumed) => {
                assert!(resumed || value == PERMANENT.to_string(), "{value} is said to be proven")
            }
            (Err(Error::Input { .. } | Error::Check(_)), ..) => {}
            (Err(other), ..) => panic!("{other:?}"),
        }
    }
    taken
}
