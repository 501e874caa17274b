//! An allocator that refuses every request above a limit: the library gives the right answer, or [`Error::Memory`] with
//! the number of bytes requested. It never aborts, and never panics.
//!
//! Rust aborts when an ordinary request is refused, so each run has its own process: this binary runs its test
//! [`child`] repeatedly.

use blackfield::answers::{Method, RankOptions, RationalOptions, Route, certificate, rank, rational_rank};
use blackfield::certify::verify;
use blackfield::dense::Echelon;
use blackfield::field::{Modulus, Rng};
use blackfield::matching::{
    self, Matching, components, dulmage_mendelsohn, hall_violator, maximum_matching, maximum_matching_from,
    minimum_vertex_cover,
};
use blackfield::memory::{REFUSED, refusal_is_expected};
use blackfield::permanent::{self, IntMatrix, permanent, reduce};
use blackfield::pivots::{self, Effort};
use blackfield::report::ErrorBound;
use blackfield::schur::{NullSpace, RowSpaceOptions, RowSpaceStreams, Side, Split, Way, row_space};
use blackfield::sparse::{Pattern, Triplets};
use blackfield::{Error, Result, Silent, families};
use rand::SeedableRng;
use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// The largest request that is granted.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Requests above [`LEAST`] made under a limit, and those among them whose refusal would abort.
static LARGE: AtomicUsize = AtomicUsize::new(0);
static DEMANDS: AtomicUsize = AtomicUsize::new(0);

/// Whether to report the origin of the first of the latter: the variable `REFUSALS_TELL` is set.
static TELL: AtomicBool = AtomicBool::new(false);

/// Requests up to this many bytes are never refused here: several times the size of a vector for the small matrices
/// below, and far less than their entries, dense parts or tables, or than one word per row or column of the long ones.
const LEAST: usize = 64 << 10;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

struct Limited;

impl Limited {
    /// Whether the limit is active.
    fn refuses(bytes: usize) -> bool {
        let limit = LIMIT.load(Relaxed);
        if bytes > LEAST && limit < usize::MAX {
            LARGE.fetch_add(1, Relaxed);
            if !refusal_is_expected() && DEMANDS.fetch_add(1, Relaxed) == 0 && TELL.load(Relaxed) {
                // While reporting an origin, requests are granted.
                LIMIT.store(usize::MAX, Relaxed);
                eprintln!("{bytes} bytes are demanded:\n{}", Backtrace::force_capture());
                LIMIT.store(limit, Relaxed);
            }
        }
        bytes > limit
    }
}

// SAFETY: every request goes to `System` with the caller's arguments, or is answered with null, which is allowed at any
// time.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Self::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if Self::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Less than was granted is granted.
        if size > layout.size() && Self::refuses(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above; `old` came from here, and so from `System`.
        unsafe { System.realloc(old, layout, size) }
    }
    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}

/// A rows × cols matrix with `weight` entries per row in pseudorandom positions, and every seventh row twice.
fn matrix(rows: usize, cols: usize, weight: usize) -> Triplets {
    let random = |k: usize| ((k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as usize;
    let row = |i: usize| if i % 7 == 6 { i - 1 } else { i };
    let entry = |i: usize, k: usize| {
        let number = row(i) * weight + k;
        (i, random(3 * number) % cols, [1, -1, 2, 3][random(3 * number + 1) % 4])
    };
    Triplets::from_entries(rows, cols, (0..rows).flat_map(|i| (0..weight).map(move |k| entry(i, k))))
}

/// A task, and its answer as text.
type Work = Box<dyn FnOnce() -> Result<String>>;

/// The rank of a matrix.
fn rank_of(a: Triplets, p: u64, options: RankOptions) -> Work {
    Box::new(move || {
        let a = a.try_reduce(Modulus::new(p)?)?;
        Ok(rank(&a, &options, &Silent)?.rank.to_string())
    })
}

fn by(method: Method) -> RankOptions {
    RankOptions::default().method(method)
}

/// The ranks of the Schur complement of the structural pivots mod 2, 3 and 65521: by its row space, and a proof.
fn proven_rank(a: Triplets, side: Side, way: Way) -> Work {
    Box::new(move || {
        let rng = Rng::seed_from_u64(1);
        let rank = |p| {
            let a = a.try_reduce(Modulus::new(p)?)?;
            let pivots = pivots::find(&a, &Effort::default(), &Silent)?.pivots;
            let split = Split::new(&a, &pivots)?;
            let streams = RowSpaceStreams {
                sample: rng.clone(),
                exploration: rng.clone(),
                challenge: &|i, _| Rng::seed_from_u64(1 + i),
            };
            let options = RowSpaceOptions {
                error: ErrorBound::of_bits(64),
                rank_bound: usize::MAX,
                give_up: usize::MAX,
                rows: false,
                exceeded: 0,
            };
            let found = row_space(&split, options, &streams, &[], &Silent)?;
            Ok(NullSpace::new(&split, side, way)?.prove(found.echelon, usize::MAX, &rng, &Silent)?.rank.to_string())
        };
        Ok([2, 3, 65521].map(rank).into_iter().collect::<Result<Vec<_>>>()?.join(" "))
    })
}

/// The rank over the rationals.
fn rational(a: Triplets) -> Work {
    Box::new(move || Ok(rational_rank(&a, &RationalOptions::default(), &Silent)?.rank.to_string()))
}

/// A certificate of a rank, and its verdict.
fn certified(a: Triplets, p: u64) -> Work {
    Box::new(move || {
        let (digest, a) = (a.digest(), a.try_reduce(Modulus::new(p)?)?);
        let answer = rank(&a, &RankOptions::default().minor(true), &Silent)?;
        let certificate = certificate(&a, &digest, &answer.minor.expect("it was asked for"), &Silent)?;
        Ok(format!("{} {}", answer.rank, verify(&certificate, &a, &digest, &Silent)?.rank))
    })
}

fn permanent_by(name: &'static str, method: permanent::Method) -> Work {
    Box::new(move || {
        let options = permanent::Options::default().method(method);
        Ok(permanent(&families::generate(name)?, &options, &Silent)?.value.to_string())
    })
}

/// A matrix with more lines than bytes are always granted, and few entries in each.
fn long() -> Triplets {
    matrix(90_000, 80_000, 2)
}

/// A maximum matching of the pattern, the cover and the blocks that follow from it, and the components.
fn matched(a: Triplets) -> Work {
    Box::new(move || {
        let pattern = Pattern::of_integers(&a)?;
        let matching = maximum_matching(&pattern)?;
        let (cover, fine) = (minimum_vertex_cover(&pattern, &matching)?, dulmage_mendelsohn(&pattern, &matching)?);
        let violator = hall_violator(&pattern, &matching)?.map(|rows| rows.len());
        let labels = fine.row_blocks()?.len() + fine.col_blocks()?.len();
        let p = Modulus::new(65521)?;
        let (a, parts) = (a.try_reduce(p)?, components(&pattern)?);
        let cut = matching::Split::new(&a, &parts)?;
        let first = (0..cut.count().min(2)).map(|k| Ok(cut.part(k)?.matrix.nnz())).collect::<Result<Vec<_>>>()?;
        let covers = cover.covers(&pattern)?;
        let again = maximum_matching_from(&pattern, Matching::empty(a.rows(), a.cols())?)?.size;
        Ok(format!(
            "{} {covers} {again} {} {violator:?} {labels} {} {first:?}",
            matching.size,
            fine.blocks(),
            cut.count()
        ))
    })
}

/// Structural pivots with all covers and the search for more.
fn pivots_of(a: Triplets) -> Work {
    Box::new(move || {
        let a = a.try_reduce(Modulus::new(65521)?)?;
        let effort = Effort { covers: u64::MAX, search: 1 << 30, reward: 1 };
        let (transposed, found) = pivots::find_best(&a, &effort, &Silent)?;
        let counts = found.counts;
        let a = if transposed { a.transpose()? } else { a };
        assert!(found.pivots.is_triangular(&a)?);
        Ok(format!("{transposed} {counts:?} {}", Split::new(&a, &found.pivots)?.rows.len()))
    })
}

/// Triplets of two diagonals, and their transpose, without a sort.
fn entries() -> Work {
    let n = 60_000;
    Box::new(move || {
        let a = Triplets::try_from_entries(n, n + 1, (0..n).flat_map(|i| [(i, i, 1), (i, i + 1, -1)]))?;
        let b = a.try_transpose()?;
        Ok(format!("{} {} {:?}", b.rows(), b.nnz(), b.entries().last()))
    })
}

/// Generated matrices: by rows of constant weight, by arbitrary rows, and by a list of positions.
fn generated() -> Work {
    let names = ["ch5-5-b3", "Trefethen_2000", "flower_7_1"];
    Box::new(move || {
        let nnz = names.map(|name| families::generate(name).map(|a| a.nnz()));
        Ok(nnz.into_iter().collect::<Result<Vec<_>>>()?.iter().map(|n| format!("{n} ")).collect())
    })
}

/// The reductions of a permanent whose matrix has lines of one, two and three entries.
fn reductions() -> Work {
    let n = 30_000;
    let a = Triplets::from_entries(n, n, (0..n).flat_map(|i| [(i, i, 1), (i, (i + 1) % n, 1), (i, i / 7 * 7, 1)]));
    Box::new(move || {
        let a = IntMatrix::from_triplets(&a)?;
        let reduced = reduce::reduce(&a, &reduce::Switches::default().split_depth(1))?;
        Ok(format!("{} {} {:?}", reduced.factor.bits(), reduced.blocks.len(), reduced.log))
    })
}

/// Dense echelon forms of long rows.
fn echelon(p: u64) -> Work {
    Box::new(move || {
        let mut echelon = Echelon::new(Modulus::new(p)?, 40_000)?;
        let cols: Vec<u32> = (0..40).map(|k| 999 * k).collect();
        let rows: Vec<Vec<u64>> = (0..9).map(|i| (0..40).map(|k| (i * k + i % 4) % 2).collect()).collect();
        echelon.absorb(&rows.iter().map(|row| (&cols[..], &row[..])).collect::<Vec<_>>(), &Silent)?;
        let cols = echelon.pivot_cols()?;
        let reduced = echelon.reduced()?;
        Ok(format!("{cols:?} {}", reduced.zero_columns()?.iter().filter(|&&zero| zero).count()))
    })
}

/// The names of all tasks.
const WORKS: [&str; 32] = [
    "elimination mod 2",
    "elimination mod 3",
    "elimination mod 65521",
    "elimination mod 2^31 - 1",
    "elimination mod 2^61 - 1",
    "row space mod 2",
    "row space mod 3",
    "row space mod 65521",
    "row space of a tall matrix",
    "null space by passes",
    "null space of the transpose by substitution",
    "Wiedemann mod 65521",
    "Wiedemann mod 2",
    "Wiedemann by the co-degree",
    "rational",
    "certificate",
    "frontier",
    "gray",
    "elimination of a long matrix",
    "Wiedemann on a long matrix",
    "the planner's choice for a long matrix",
    "certificate of a long matrix",
    "rational rank of a long matrix",
    "matching",
    "pivots",
    "entries",
    "generated",
    "reductions",
    "echelon mod 2",
    "echelon mod 3",
    "echelon mod 65521",
    "echelon mod 2^61 - 1",
];

fn work(name: &str) -> Work {
    let proven = RankOptions::default().proven(true);
    let (square, binary, tall) = (|| matrix(900, 800, 25), || matrix(1500, 1400, 25), || matrix(6000, 500, 5));
    match name {
        "elimination mod 2" => rank_of(binary(), 2, by(Method::Elimination)),
        "elimination mod 3" => rank_of(binary(), 3, by(Method::Elimination)),
        "elimination mod 65521" => rank_of(square(), 65521, by(Method::Elimination)),
        "elimination mod 2^31 - 1" => rank_of(square(), (1 << 31) - 1, by(Method::Elimination)),
        "elimination mod 2^61 - 1" => rank_of(square(), (1 << 61) - 1, by(Method::Elimination)),
        "row space mod 2" => rank_of(binary(), 2, proven),
        "row space mod 3" => rank_of(binary(), 3, proven),
        "row space mod 65521" => rank_of(square(), 65521, proven),
        "row space of a tall matrix" => rank_of(tall(), 65521, proven),
        "null space by passes" => proven_rank(matrix(900, 800, 7), Side::Right, Way::Passes),
        "null space of the transpose by substitution" => proven_rank(matrix(900, 800, 7), Side::Left, Way::Pushes),
        "Wiedemann mod 65521" => rank_of(matrix(400, 300, 9), 65521, by(Method::Wiedemann)),
        "Wiedemann mod 2" => rank_of(matrix(200, 150, 9), 2, by(Method::Wiedemann)),
        "Wiedemann by the co-degree" => rank_of(matrix(200, 150, 9), 65521, by(Method::Wiedemann).route(Route::Both)),
        "rational" => rational(matrix(700, 600, 5)),
        "certificate" => certified(square(), 65521),
        "frontier" => permanent_by("dominoes_16_16", permanent::Method::Frontier),
        "gray" => permanent_by("dominoes_6_6", permanent::Method::Gray),
        "elimination of a long matrix" => rank_of(long(), 65521, by(Method::Elimination)),
        "Wiedemann on a long matrix" => rank_of(matrix(20_000, 30, 2), 65521, by(Method::Wiedemann)),
        "the planner's choice for a long matrix" => rank_of(long(), 3, by(Method::Auto)),
        "certificate of a long matrix" => certified(matrix(60_000, 60, 2), 65521),
        "rational rank of a long matrix" => rational(long()),
        "matching" => matched(long()),
        "pivots" => pivots_of(long()),
        "entries" => entries(),
        "generated" => generated(),
        "reductions" => reductions(),
        "echelon mod 2" => echelon(2),
        "echelon mod 3" => echelon(3),
        "echelon mod 65521" => echelon(65521),
        "echelon mod 2^61 - 1" => echelon((1 << 61) - 1),
        _ => panic!("no work is called {name}"),
    }
}

#[test]
#[ignore = "the others run it, in a process of its own"]
fn child() {
    let variable = |name| std::env::var(name).expect("the parent says what to do");
    let work = work(&variable("REFUSALS_WORK"));
    let limit = variable("REFUSALS_LIMIT").parse().unwrap();
    TELL.store(std::env::var_os("REFUSALS_TELL").is_some(), Relaxed);
    LIMIT.store(limit, Relaxed);
    let outcome = work();
    LIMIT.store(usize::MAX, Relaxed);
    match outcome {
        Ok(answer) => println!("answer: {answer}"),
        Err(Error::Memory(text)) => println!("refused: {text}"),
        Err(other) => panic!("{other}"),
    }
    println!("large: {}", LARGE.load(Relaxed));
    println!("demands: {}", DEMANDS.load(Relaxed));
}

/// Runs a task in its own process: its answer, or the text of the refusal, and how many requests were [`LARGE`] and how
/// many of those [`DEMANDS`].
fn run(work: &str, limit: usize) -> (std::result::Result<String, String>, [usize; 2]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child", "--exact", "--ignored", "--nocapture"]);
    command.env("REFUSALS_WORK", work).env("REFUSALS_LIMIT", limit.to_string()).env_remove("RUST_BACKTRACE");
    let output = command.output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    eprint!("{errors}");
    assert!(output.status.success(), "{work} within {limit} bytes: {}: {text}{errors}", output.status);
    let find = |key: &str| text.lines().find_map(|line| line.split_once(key)).map(|(_, value)| value.to_string());
    let counts = ["large: ", "demands: "].map(|key| find(key).unwrap().parse().unwrap());
    match (find("answer: "), find("refused: ")) {
        (Some(answer), None) => (Ok(answer), counts),
        (None, Some(refused)) => (Err(refused), counts),
        neither => panic!("{work}: {neither:?} in {text}"),
    }
}

#[test]
fn whatever_is_refused_is_an_error_with_its_bytes_or_the_answer_is_right() {
    let mut refusals = 0;
    for work in WORKS {
        // Without refusals: this is the answer, and no large request was made whose refusal would abort.
        let (answer, [large, demands]) = run(work, usize::MAX - 1);
        let answer = answer.unwrap();
        assert_eq!(demands, 0, "{work}: {demands} of {large} large requests would abort");
        let (mut limit, mut refused) = (LEAST, 0);
        while limit <= 4 << 20 {
            let (found, [_, demands]) = run(work, limit);
            assert_eq!(demands, 0, "{work} within {limit} bytes");
            match found {
                Ok(found) => assert_eq!(found, answer, "{work} within {limit} bytes"),
                Err(text) => {
                    refused += 1;
                    let (_, rest) = text.split_once(REFUSED).unwrap_or_else(|| panic!("{work}: {text}"));
                    let bytes: usize = rest.split_once(" bytes asked for (").unwrap().0.parse().unwrap();
                    assert!(bytes > limit, "{work}: {bytes} bytes are not more than {limit}");
                }
            }
            limit *= 2;
        }
        assert!(large == 0 || refused > 0, "{work} makes {large} large requests, and none was refused");
        refusals += refused;
    }
    assert!(refusals > WORKS.len(), "{refusals} refusals: the matrices are too small to tell anything");
}
