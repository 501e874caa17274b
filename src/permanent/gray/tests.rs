//! The dense engine against Laplace's expansion, Ryser's formula over big integers, closed forms and itself.

#[cfg(feature = "serde")]
use super::checkpoint::Checkpoint;
use super::plan::Engine;
use super::*;
use crate::Silent;
use crate::field::Rng;
use crate::permanent::shapes::laplace;
use rand::{RngExt, SeedableRng};
#[cfg(feature = "serde")]
use std::sync::atomic::{AtomicU64, Ordering};

fn dense(n: usize, mut entry: impl FnMut(usize, usize) -> BigInt) -> IntMatrix {
    let entries: Vec<_> = (0..n * n).map(|k| (k / n, k % n, entry(k / n, k % n))).collect();
    IntMatrix::from_entries(n, entries)
}

fn compute(matrix: &IntMatrix, options: &GrayOptions) -> GrayAnswer {
    permanent(matrix, options, &Silent).unwrap()
}

/// Every instruction set, with the exact engine where it applies and with residues.
fn all_agree(matrix: &IntMatrix, expected: &BigInt) {
    for isa in Isa::available() {
        for residues in [false, true] {
            let answer = compute(matrix, &GrayOptions { isa, residues, ..Default::default() });
            assert_eq!(&answer.value, expected, "{isa:?} residues {residues} {matrix:?}");
            assert!(answer.value.bits() <= answer.bound_bits + 1);
        }
    }
}

fn random_01(n: usize, density: f64, rng: &mut Rng) -> IntMatrix {
    dense(n, |_, _| BigInt::from(rng.random_bool(density) as u8))
}

#[test]
fn small_matrices_match_the_expansion() {
    let mut rng = Rng::seed_from_u64(1);
    for n in 0..=8 {
        for density in [0.0, 0.3, 0.5, 0.8, 1.0] {
            for _ in 0..4 {
                let matrix = random_01(n, density, &mut rng);
                all_agree(&matrix, &laplace(&matrix));
            }
        }
    }
}

#[test]
fn larger_matrices_match_the_expansion() {
    let mut rng = Rng::seed_from_u64(2);
    for n in 9..=14 {
        for density in [0.4, 0.7] {
            let matrix = random_01(n, density, &mut rng);
            all_agree(&matrix, &laplace(&matrix));
        }
    }
}

#[test]
fn general_integers_match_the_expansion() {
    let mut rng = Rng::seed_from_u64(3);
    for n in 1..=10 {
        for size in [1i64, 2, 7, 300, 16383, 16384, 40000, 1 << 40, i64::MAX] {
            let matrix = dense(n, |_, _| BigInt::from(rng.random_range(-size..=size)));
            all_agree(&matrix, &laplace(&matrix));
        }
        let huge = dense(n, |i, j| BigInt::from(rng.random_range(-9i64..10)) << (40 * ((i + j) % 4)));
        all_agree(&huge, &laplace(&huge));
    }
}

#[test]
fn structured_matrices_match_the_expansion() {
    let mut rng = Rng::seed_from_u64(4);
    for n in 3..=9 {
        // Equal columns, equal rows, rows with a common factor, low rank.
        let groups: Vec<usize> = (0..n).map(|_| rng.random_range(0..3)).collect();
        let base = random_01(3, 0.8, &mut rng);
        let at = |i: usize, j: usize| base.get(i, j).map_or(BigInt::zero(), |v| v.to_bigint());
        for matrix in [
            dense(n, |i, j| at(i % 3, groups[j])),
            dense(n, |i, j| at(groups[i], j % 3) + 1),
            dense(n, |i, j| at(groups[i], groups[j]) * 6 + i - j),
            dense(n, |i, j| BigInt::from(i * 12) * (j + 1)),
            dense(n, |i, j| BigInt::from((i + 1 == j || i == j || j == 0) as u8)),
        ] {
            all_agree(&matrix, &laplace(&matrix));
        }
    }
}

#[test]
fn closed_forms() {
    let factorial = |n: usize| (1..=n).map(BigInt::from).product::<BigInt>();
    let mut derangements = BigInt::one();
    for n in 1..=24usize {
        all_agree(&dense(n, |_, _| 1.into()), &factorial(n));
        // D(n) = n D(n-1) + (-1)ⁿ.
        derangements = derangements * n + if n % 2 == 0 { 1 } else { -1 };
        if n <= 17 {
            all_agree(&dense(n, |i, j| ((i != j) as u8).into()), &derangements);
        }
        if (3..=17).contains(&n) {
            // Circulants I + P + P²: Lucas number + 2 (H. Minc, Permanents, §3.3).
            let (mut lucas, mut next) = (2u64, 1);
            (0..n).for_each(|_| (lucas, next) = (next, lucas + next));
            all_agree(&dense(n, |i, j| (((j + n - i) % n < 3) as u8).into()), &BigInt::from(lucas + 2));
        }
    }
    let all_ones = compute(&dense(60, |_, _| 1.into()), &GrayOptions::default());
    assert_eq!(all_ones.value, factorial(60));
}

#[test]
fn permuted_and_transposed_copies_agree() {
    let mut rng = Rng::seed_from_u64(5);
    let n = 20;
    let matrix = dense(n, |_, _| BigInt::from(rng.random_range(-1i64..=2).min(1)));
    let value = compute(&matrix, &GrayOptions::default()).value;
    let mut order: Vec<u32> = (0..n as u32).collect();
    (1..n).for_each(|k| order.swap(k, rng.random_range(0..=k)));
    let identity: Vec<u32> = (0..n as u32).collect();
    for copy in [
        matrix.transpose().unwrap(),
        matrix.submatrix(&order, &identity).unwrap(),
        matrix.submatrix(&identity, &order).unwrap(),
    ] {
        all_agree(&copy, &value);
    }
}

#[test]
fn the_bound_of_the_exact_engine_is_an_edge() {
    // One row of size 2^k against n - 1 rows of ones: 2^k times (n-1)! times the row's sum.
    for n in [4usize, 9, 16] {
        for size in [32767i64 / 16, 32767, 65534, 65536, 65535 * 2] {
            let matrix = dense(n, |i, j| BigInt::from(if i == j { size } else { 1 }));
            all_agree(&matrix, &laplace(&matrix));
        }
    }
    // Products near 2⁴⁹ in every table of the tail.
    let mut rng = Rng::seed_from_u64(6);
    for size in [500i64, 4000, 4095, 4096, 5000] {
        let matrix = dense(13, |_, _| BigInt::from(if rng.random_bool(0.5) { size } else { -size }));
        all_agree(&matrix, &laplace(&matrix));
    }
}

/// Cancels after a number of calls; records the last progress.
#[cfg(feature = "serde")]
struct Impatient {
    left: AtomicU64,
    done: AtomicU64,
}

#[cfg(feature = "serde")]
impl Observer for Impatient {
    fn progress(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
    }
    fn cancelled(&self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(1))) == Ok(0)
    }
}

#[cfg(feature = "serde")]
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("blackfield-gray-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs on two threads: those of many would be done before they are interrupted.
#[cfg(feature = "serde")]
fn on_two_threads(test: impl FnOnce() + Send) {
    rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(test);
}

#[cfg(feature = "serde")]
#[test]
fn a_killed_run_resumes() {
    on_two_threads(kill_and_resume);
}

#[cfg(feature = "serde")]
fn kill_and_resume() {
    let folder = scratch("resume");
    let mut rng = Rng::seed_from_u64(7);
    for residues in [false, true] {
        let n = 26;
        let matrix = random_01(n, 0.5, &mut rng);
        let other = random_01(n, 0.5, &mut rng);
        let file = folder.join(format!("state-{residues}.json"));
        let plain = GrayOptions { residues, ..Default::default() };
        let saving = GrayOptions { checkpoint: Some(file.clone()), interval: Duration::ZERO, ..plain.clone() };
        let expected = compute(&matrix, &plain);

        let observer = Impatient { left: AtomicU64::new(2), done: AtomicU64::new(0) };
        assert!(matches!(permanent(&matrix, &saving, &observer), Err(Error::Interrupted)));
        let done = observer.done.load(Ordering::Relaxed);
        assert!(done > 0, "the first wave was summed");
        assert!(!file.with_extension("json.new").exists());

        // As after kill -9: only the file is left. A different matrix and a different order of summation are refused.
        let refused = permanent(&other, &saving, &Silent).unwrap_err().to_string();
        assert!(refused.contains("another matrix"), "{refused}");
        let changed = GrayOptions { residues: !residues, ..saving.clone() };
        assert!(matches!(permanent(&matrix, &changed, &Silent), Err(Error::Input { .. })));

        let resumed = compute(&matrix, &saving);
        assert_eq!(resumed.value, expected.value);
        assert_eq!(resumed.resumed.unwrap().parts, done);
        assert!(!file.exists(), "removed at the end");

        std::fs::write(&file, "{\"format\": 3}").unwrap();
        assert!(matches!(permanent(&matrix, &saving, &Silent), Err(Error::Input { .. })));
        std::fs::remove_file(&file).unwrap();
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// The content of a file is used exactly as written or not at all: a sum changed by one digit, another run's state, a
/// truncated file, a file of a version without a checksum.
#[cfg(feature = "serde")]
#[test]
fn a_checkpoint_is_taken_whole_or_refused() {
    on_two_threads(forge_checkpoints);
}

#[cfg(feature = "serde")]
fn forge_checkpoints() {
    let folder = scratch("sealed");
    let mut rng = Rng::seed_from_u64(12);
    let n = 26;
    let (matrix, other) = (random_01(n, 0.5, &mut rng), random_01(n, 0.5, &mut rng));
    let saving = |name: &str, residues| GrayOptions {
        checkpoint: Some(folder.join(name)),
        interval: Duration::ZERO,
        residues,
        ..Default::default()
    };
    let state = |matrix: &IntMatrix, options: &GrayOptions| {
        let observer = Impatient { left: AtomicU64::new(2), done: AtomicU64::new(0) };
        assert!(matches!(permanent(matrix, options, &observer), Err(Error::Interrupted)));
        std::fs::read(options.checkpoint.as_ref().unwrap()).unwrap()
    };
    let (exact, modular) = (saving("exact", false), saving("modular", true));
    let mine = state(&matrix, &exact);
    let mut refused = Vec::new();
    let mut refuse = |options: &GrayOptions, bytes: &[u8], why: &str| {
        let file = options.checkpoint.as_ref().unwrap();
        std::fs::write(file, bytes).unwrap();
        match permanent(&matrix, options, &Silent) {
            Err(error @ Error::Input { .. }) => assert!(error.to_string().contains(why), "{error}"),
            found => panic!("{why}: {found:?}"),
        }
        assert_eq!(std::fs::read(file).unwrap(), bytes, "the file is left as it was");
        refused.push(why.to_string());
    };

    // One digit of the partial sum: the low bits of the sum stay zero, so that no other check would see it.
    let text = String::from_utf8(mine.clone()).unwrap();
    let sums = text.find("\"sums\":[\"").unwrap() + 9;
    let forged = [&text[..sums], "1", &text[sums..]].concat().replace("1-", "-1");
    refuse(&exact, forged.as_bytes(), "damaged");
    let next = text.replacen("\"next\":", "\"next\":1", 1);
    refuse(&exact, next.as_bytes(), "damaged");
    for length in (0..mine.len()).step_by(7) {
        refuse(&exact, &mine[..length], if length == 0 { "empty" } else { "truncated" });
    }
    // Whole states of other sums, in both directions.
    refuse(&exact, &state(&other, &saving("other", false)), "another matrix");
    refuse(&exact, &state(&matrix, &modular), "another order of summation");
    refuse(&modular, &mine, "another order of summation");
    // A sealed but meaningless state: the seal of this sum over other content.
    let seal: crate::io::Seal = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    for (content, why) in [
        ("{}", "unreadable state"),
        ("", "unreadable state"),
        ("{\"chunks\":1,\"next\":0,\"sums\":[\"0\"]}", "contradicts"),
    ] {
        refuse(&exact, &seal.close(content.as_bytes()), why);
    }
    let saved: Checkpoint = serde_json::from_str(text.lines().nth(2).unwrap()).unwrap();
    let sealed = |change: &dyn Fn(&mut Checkpoint)| {
        let mut saved = saved.clone();
        change(&mut saved);
        seal.close(&serde_json::to_vec(&saved).unwrap())
    };
    refuse(&exact, &sealed(&|s| s.next = s.chunks + 1), "contradicts");
    refuse(&exact, &sealed(&|s| s.sums.clear()), "contradicts");
    refuse(&exact, &sealed(&|s| s.next = 0), "contradicts");
    refuse(&exact, &sealed(&|s| s.sums[0] = "1e3".into()), "no numbers");
    // As version 1 wrote it.
    let first = format!(
        "{{\n  \"format\": \"blackfield permanent checkpoint 1\",\n  \"matrix\": \"{}\",\n  \"sums\": [\"0\"]\n}}",
        seal.matrix
    );
    refuse(&exact, first.as_bytes(), "version 1, which has no checksum");
    assert!(refused.len() > 40);

    // And as it was written, it is accepted.
    std::fs::write(exact.checkpoint.as_ref().unwrap(), &mine).unwrap();
    let resumed = compute(&matrix, &exact);
    assert_eq!(resumed.value, compute(&matrix, &GrayOptions::default()).value);
    assert!(resumed.resumed.is_some_and(|r| r.parts == saved.next && r.of == saved.chunks));
    std::fs::remove_dir_all(folder).unwrap();
}

/// In a build that cannot write checkpoints, they are refused before anything is summed.
#[cfg(not(feature = "serde"))]
#[test]
fn no_checkpoint_is_promised_that_cannot_be_written() {
    let file = std::env::temp_dir().join(format!("blackfield-gray-refused-{}", std::process::id()));
    let saving = GrayOptions { checkpoint: Some(file.clone()), ..Default::default() };
    let matrix = random_01(9, 0.5, &mut Rng::seed_from_u64(7));
    assert!(matches!(permanent(&matrix, &saving, &Silent), Err(Error::Usage(_))));
    assert!(!file.exists());
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let matrix = random_01(23, 0.5, &mut Rng::seed_from_u64(8));
    let expected = compute(&matrix, &GrayOptions::default());
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| compute(&matrix, &GrayOptions::default())), expected);
    }
}

#[test]
fn what_is_known_about_an_answer() {
    let matrix = random_01(12, 0.5, &mut Rng::seed_from_u64(9));
    let odd = |m: &IntMatrix| m.rows().filter(|row| row.len() % 2 == 1).count();
    let exact = compute(&matrix, &GrayOptions::default());
    assert!(exact.moduli.is_empty() && exact.zero_bits == odd(&matrix).min(odd(&matrix.transpose().unwrap())));
    let residues = compute(&matrix, &GrayOptions { residues: true, ..Default::default() });
    let product: BigUint = residues.moduli.iter().product();
    assert!(product.bits() > residues.bound_bits + 1);
    assert_eq!(residues.moduli[0], BigUint::one() << (64 - residues.zero_bits));
    // More terms cost more, and more entries.
    let prices = crate::cost::Gray::default();
    let seconds = |n, density| predict(n, density, &prices);
    assert!(seconds(33, 0.5) > 1.9 * seconds(32, 0.5) && seconds(32, 0.9) > seconds(32, 0.2));
    assert!(predict_matrix(&dense(40, |_, _| 1.into()), &prices) < 1e-3);
}

/// With CUDA GPUs: every kind of kernel on all of them gives the processor's integer.
#[test]
fn gpus_agree_with_the_processor() {
    let devices = match crate::gpu::devices() {
        Ok(devices) if !devices.is_empty() => devices,
        nothing => return eprintln!("skipped: {nothing:?}"),
    };
    let mut rng = Rng::seed_from_u64(11);
    let on_cards = |residues| GrayOptions { devices: devices.clone(), residues, ..Default::default() };
    let check = |matrix: &IntMatrix| {
        let expected = compute(matrix, &GrayOptions::default()).value;
        for residues in [false, true] {
            assert_eq!(compute(matrix, &on_cards(residues)).value, expected, "residues {residues} {matrix:?}");
        }
    };
    for n in [3, 4, 7, 12, 19, 24] {
        check(&random_01(n, 0.5, &mut rng));
        check(&dense(n, |_, _| BigInt::from(rng.random_range(-2000i64..2000))));
        // Equal columns: digits of more than two states.
        check(&dense(n, |i, j| BigInt::from((i * 31 + j / 3 * 17) % 5 % 2)));
    }
    check(&dense(9, |_, _| BigInt::from(rng.random::<i64>()) << 70u32));
    // Tables larger than constant memory.
    check(&dense(7, |_, _| (BigInt::from(rng.random::<i64>()) << 4000u32) + rng.random::<i64>()));
}

#[test]
fn dense_matrices_of_size_46_need_no_residues() {
    for seed in 0..4 {
        let matrix = random_01(46, 0.5, &mut Rng::seed_from_u64(seed));
        let problem = Problem::new(&matrix).unwrap().expect("no empty line");
        for target in [Target::Processor, Target::Gpus] {
            let prices = Prices { operation: 1e-10, build: 1e-4 };
            let plan = Plan::new(&problem, permanent_bound(&matrix).unwrap().bits, false, target, prices).unwrap();
            assert!(matches!(plan.engine, Engine::Exact(_)), "seed {seed} {target:?}");
        }
    }
}
