use super::arithmetic::Form;
use super::blocks::Split;
use super::*;
use crate::field::{Modulus, Rng};
use rand::{RngExt, SeedableRng};
use std::cell::Cell;

/// 2, 3, and the primes on both sides of every change of form.
pub(super) const PRIMES: [u64; 26] = [
    2,
    3,
    251,
    5783,
    5791,
    5801,
    65521,
    65537,
    (1 << 24) - 3,
    (1 << 24) + 43,
    (1 << 26) - 5,
    (1 << 31) - 1,
    (1 << 31) + 11,
    4_294_967_291,
    4_294_967_311,
    (1 << 40) - 87,
    (1 << 40) + 15,
    (1 << 44) - 17,
    (1 << 48) - 59,
    (1 << 48) + 21,
    (1 << 56) - 5,
    (1 << 56) + 81,
    (1 << 61) - 1,
    (1 << 62) - 57,
    (1 << 63) - 259,
    (1 << 63) - 25,
];

#[test]
fn agrees_with_the_definition() {
    let mut rng = Rng::seed_from_u64(12);
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        for (m, k, n) in [
            (0, 3, 2),
            (3, 0, 2),
            (2, 3, 0),
            (1, 1, 1),
            (4, 9, 5),
            (13, 130, 33),
            (65, 130, 7),
            (26, 600, 70),
            (2, 3, 1100),
        ] {
            let mut random = |len: usize| (0..len).map(|_| rng.random_range(0..p)).collect::<Vec<_>>();
            let (a, b, mut c) = (random(m * k), random(k * n), random(m * n));
            gemm(modulus, m, k, n, &a, &b, &mut c).unwrap();
            for i in 0..m {
                for j in 0..n {
                    let naive = (0..k).fold(0, |s, t| modulus.add(s, modulus.mul(a[i * k + t], b[t * n + j])));
                    assert_eq!(c[i * n + j], naive, "({i}, {j}) of {m} x {k} x {n} mod {p}");
                }
            }
            for arithmetic in every_form(modulus) {
                let (mut sum, places) = (vec![p - 1; m * n], [n, k, n].map(Place::packed));
                let [a, b] = [(&a[..], places[1]), (&b[..], places[2])];
                arithmetic.add_product((m, k, n), (&mut sum, places[0]), a, b).unwrap();
                let less = c.iter().map(|&x| modulus.sub(x, 1));
                assert!(sum.iter().copied().eq(less), "{m} x {k} x {n}: {arithmetic:?}");
            }
        }
    }
}

/// Threads share a product in slabs of columns, in groups of rows, or not at all.
#[test]
fn threads_share_products_in_every_way() {
    let (mut rng, tiles) = (Rng::seed_from_u64(14), simd::Tiles::best());
    let mut ways = std::collections::BTreeSet::new();
    let shapes = [(40, 70, 1500), (130, 300, 90), (600, 40, 60), (256, 3, 70), (5, 300, 3000), (1, 1, 9)];
    for p in [5791, 65521, (1 << 31) - 1, (1 << 61) - 1] {
        let modulus = Modulus::new(p).unwrap();
        for arithmetic in every_form(modulus) {
            for (threads, (m, k, n)) in [1, 3, 8].into_iter().flat_map(|threads| shapes.map(|shape| (threads, shape))) {
                let mut random = |len: usize| (0..len).map(|_| rng.random_range(0..p)).collect::<Vec<_>>();
                let (stride, a, b) = (n + 3, random(m * k), random(k * n));
                let old = random(m * stride);
                let mut c = old.clone();
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let c_at = Place { offset: 2, stride };
                pool.install(|| {
                    let (a, b) = ((&a[..], Place::packed(k)), (&b[..], Place::packed(n)));
                    arithmetic.subtract_product((m, k, n), (&mut c, c_at), a, b).unwrap();
                });
                for _ in 0..300 {
                    let (i, j) = (rng.random_range(0..m), rng.random_range(0..stride));
                    let term = |t: usize| modulus.mul(a[i * k + t], b[t * n + j - 2]);
                    let inside = (2..n + 2).contains(&j);
                    let product = if inside { (0..k).fold(0, |sum, t| modulus.add(sum, term(t))) } else { 0 };
                    let at = i * stride + j;
                    assert_eq!(c[at], modulus.sub(old[at], product), "({i}, {j}) of {m} x {k} x {n}: {arithmetic:?}");
                }
                let depth = arithmetic.words(arithmetic.terms().min(k));
                ways.insert(match Split::new(arithmetic, &tiles, (m, depth, n), threads) {
                    Split::Columns(width) if width >= n => "alone",
                    Split::Columns(_) => "columns",
                    Split::Rows => "rows",
                });
            }
        }
    }
    assert_eq!(ways.into_iter().collect::<Vec<_>>(), ["alone", "columns", "rows"]);
}

/// A sum of products is what its products are one after the other: of any depths, none among them, longer than a slice
/// and than all slices that are reduced at once; also of so few columns that threads share the rows.
#[test]
fn sums_of_products_are_those_of_their_products() {
    let mut rng = Rng::seed_from_u64(15);
    let depths: [&[usize]; 6] = [&[], &[0, 0], &[3, 0, 256, 1], &[255, 257, 2, 300, 256], &[1100], &[40; 11]];
    for p in [5791, 65521, (1 << 24) + 43, (1 << 31) - 1, (1 << 40) + 15, (1 << 61) - 1] {
        for arithmetic in every_form(Modulus::new(p).unwrap()) {
            for (depths, (m, n)) in
                depths.into_iter().flat_map(|d| [(70, 90), (70, 16), (9, 1), (1, 40)].map(|s| (d, s)))
            {
                let mut random = |len: usize| (0..len).map(|_| rng.random_range(0..p)).collect::<Vec<_>>();
                let (stride, made) = (n + 3, depths.iter().map(|&k| (random(m * (k + 1)), random(k * (n + 2)))));
                let made: Vec<_> = made.collect();
                let summands: Vec<Summand<'_, u64>> = (depths.iter().zip(&made))
                    .map(|(&depth, (a, b))| Summand {
                        depth,
                        a: (a, Place { offset: 1, stride: depth + 1 }),
                        b: (b, Place { offset: 2, stride: n + 2 }),
                    })
                    .collect();
                let (old, at) = (random(m * stride), Place { offset: 3, stride });
                let mut twin = old.clone();
                for &Summand { depth, a, b } in &summands {
                    for from in (0..depth).step_by(100) {
                        let k = depth.min(from + 100) - from;
                        let a_at = Place { offset: a.1.offset + from, ..a.1 };
                        let b_at = Place { offset: b.1.offset + from * b.1.stride, ..b.1 };
                        arithmetic.subtract_product((m, k, n), (&mut twin, at), (a.0, a_at), (b.0, b_at)).unwrap();
                    }
                }
                for threads in [1, 3, 8] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let mut c = old.clone();
                    pool.install(|| arithmetic.subtract_products((m, n), (&mut c, at), &summands)).unwrap();
                    assert!(c == twin, "{depths:?}, {m} x {n} on {threads} threads: {arithmetic:?}");
                }
            }
        }
    }
}

/// In words, and in bytes where they may be: by the matrix instructions of this machine, or in plain Rust.
fn every_form(modulus: Modulus) -> Vec<Arithmetic> {
    [Some(Arithmetic::of_words(modulus)), Arithmetic::of_bytes(modulus)].into_iter().flatten().collect()
}

#[test]
fn extreme_residues_survive_sums_as_long_as_they_may_be() {
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        let h = p / 2;
        // The number of which all digits are 127, and its successor, as low as digits go.
        let digits = 0x7f7f_7f7f_7f7f_7f7f >> (64 - 8 * modulus.bits().div_ceil(8));
        let (large, low) = (digits % p, (digits + 1) % p);
        // The largest, the least and alternating balanced residues, added to the largest residue.
        let pairs = [[h, h], [h, (h + 1) % p], [(h + 1) % p, (h + 1) % p], [p - 1, h], [p - 1, p - 1]];
        let pairs = pairs.into_iter().chain([[large, large], [large, low], [low, low], [low, large], [h, low]]);
        let lengths = [1, 2, 7, 8, 9, 15, 16, 17, 23, 255, 256, 257, 700, 1023, 1024, 1025];
        for (k, [x, y]) in lengths.into_iter().flat_map(|k| pairs.clone().map(move |pair| (k, pair))) {
            for arithmetic in every_form(modulus) {
                let (a, b) = (vec![x; 2 * k], vec![y; k * 3]);
                let mut c = vec![p - 1; 2 * 5];
                let places = (Place { offset: 1, stride: 5 }, Place::packed(k), Place::packed(3));
                arithmetic.subtract_product((2, k, 3), (&mut c, places.0), (&a, places.1), (&b, places.2)).unwrap();
                let product = modulus.mul(modulus.mul(x, y), modulus.reduce(k as u64));
                let x = modulus.sub(p - 1, product);
                let o = p - 1;
                assert_eq!(c, [o, x, x, x, o, o, x, x, x, o], "p = {p}, k = {k}, {arithmetic:?}");
            }
        }
    }
}

#[test]
fn every_form_holds_its_words_and_sums() {
    for p in PRIMES {
        for arithmetic in every_form(Modulus::new(p).unwrap()) {
            let (h, terms, fold) = ((p / 2) as u128, arithmetic.terms() as u128, arithmetic.fold() as u128);
            assert!(terms == 256 || p < 256, "{p}: {terms} terms");
            assert!(arithmetic.words(arithmetic.terms()).div_ceil(arithmetic.fold()) <= simd::FOLDS);
            match arithmetic.form {
                Form::TwoTerms(_) => assert!(p <= 5791 && terms * h * h + (p as u128) < 1 << 31),
                Form::TwoDigits(_) => {
                    assert!(p < 1 << 16 && terms * h * 256 + (p as u128) < 1 << 31 && h <= (127 << 8) + 255)
                }
                Form::Whole(_) => assert!(h <= i32::MAX as u128 && fold * h * h + (1 << 32) < 1 << 63),
                Form::Limbs(width) => {
                    let (low, high) = (1u128 << (width - 1), (h >> width) + 1);
                    assert!(high <= i32::MAX as u128 && low <= 1 << 31);
                    assert!(fold >= 2 && fold / 2 * low.max(high) * (low + high) + (1 << 32) < 1 << 63);
                }
                Form::Bytes(bytes) => {
                    let digits = bytes.digits as u32;
                    assert!(p < 1 << (8 * digits).min(63) && p > 256u64.pow(digits - 1) && digits >= 2);
                    // The bound of a sum, which one of 2¹⁷ bytes would break.
                    assert!(terms * digits as u128 * 128 * 128 < 1 << 31 && terms * digits as u128 <= 1 << 11);
                    // What is reduced at once: as much as the bound of the reduction holds, and no slice more.
                    let sum = |slices: usize| slices as u128 * terms * digits as u128 * 128 * 128;
                    assert!(sum(bytes.slices()) <= 1 << 25 && sum(bytes.slices() + 1) > 1 << 25);
                }
            }
        }
    }
}

#[test]
fn multiples_are_subtracted_and_rows_scaled() {
    let mut rng = Rng::seed_from_u64(13);
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        let mut vector: Vec<u64> = (0..40).map(|_| rng.random_range(0..p)).collect();
        vector.extend([0, p - 1, p / 2, (p / 2 + 1) % p]);
        let other: Vec<u64> = vector.iter().rev().copied().collect();
        let forms = every_form(modulus).into_iter();
        for (arithmetic, a) in forms.flat_map(|form| [0, 1, p / 2, (p / 2 + 1) % p, p - 1].map(|a| (form, a))) {
            let mut y = other.clone();
            arithmetic.subtract_multiple(&mut y, a, &vector);
            let twin: Vec<u64> = other.iter().zip(&vector).map(|(&y, &x)| modulus.sub(y, modulus.mul(a, x))).collect();
            assert_eq!(y, twin, "{a} mod {p}");
            arithmetic.scale(&mut y, a).unwrap();
            assert_eq!(y, twin.iter().map(|&x| modulus.mul(a, x)).collect::<Vec<_>>(), "{a} mod {p}");
        }
    }
}

#[test]
fn plans_have_room_for_every_form() {
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        for (m, k, n) in [(0, 0, 0), (1, 1, 1), (256, 256, 3000), (256, 10, 1), (300, 1000, 1024), (7, 3, 40)] {
            let own = every_form(modulus).into_iter().map(|form| form.own_memory(m, k, n)).max().unwrap();
            let planned = Arithmetic::new(modulus).packed_memory(m, k, n);
            assert!(
                planned <= own && Arithmetic::new(modulus).own_memory(m, k, n) <= planned,
                "{m} x {k} x {n} mod {p}"
            );
            assert_eq!(Arithmetic::of_words(modulus).packed_memory(m, k, n), planned);
        }
    }
}

type Make = fn(Modulus) -> Option<Arithmetic>;

thread_local! {
    /// What [`Arithmetic::new`] makes in this thread, where it is not what is the fastest.
    static ASKED: Cell<Option<Make>> = const { Cell::new(None) };
}

/// What the test at work asks for.
pub(super) fn asked_for(modulus: Modulus) -> Option<Arithmetic> {
    ASKED.get().and_then(|make| make(modulus))
}

/// Runs a test for each prime in words, and in bytes where they may be: products are then made so in this thread.
pub(in crate::dense) fn in_every_form(primes: &[u64], mut test: impl FnMut(u64)) {
    for &p in primes {
        let forms: [Make; 2] = [|modulus| Some(Arithmetic::of_words(modulus)), Arithmetic::of_bytes];
        for make in forms.into_iter().filter(|make| make(Modulus::new(p).unwrap()).is_some()) {
            ASKED.set(Some(make));
            test(p);
            ASKED.set(None);
        }
    }
}
