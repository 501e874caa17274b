//! The library as seen by a program that uses it: the short forms, options by setters and by fields, errors by kind.

use blackfield::answers::{Method, RankOptions, RationalOptions, rank, rational_rank};
use blackfield::field::Modulus;
use blackfield::io::{ReadOptions, read_bytes};
use blackfield::permanent::{self, permanent};
use blackfield::report::Certainty;
use blackfield::sparse::formats::Format;
use blackfield::sparse::{SparseMatrix, Triplets};
use blackfield::spmv::PlanOptions;
use blackfield::{Error, Silent, certify};
use std::path::Path;

/// 1 2 0 / 3 4 0 / 0 0 5 as three arrays.
fn arrays() -> ([u32; 4], [i32; 5], [i64; 5]) {
    ([0, 2, 4, 5], [0, 1, 0, 1, 2], [1, 2, 3, 4, 5])
}

fn matrix(p: u64) -> SparseMatrix {
    let (start, col, value) = arrays();
    SparseMatrix::from_csr(Modulus::new(p).unwrap(), 3, &start, &col, &value).unwrap()
}

#[test]
fn the_short_form_is_the_long_one_with_defaults() {
    // The determinant is -10.
    for (p, expected) in [(2, 2), (3, 3), (5, 2), (7, 3), (65521, 3)] {
        let (short, long) = (matrix(p).rank().unwrap(), rank(&matrix(p), &RankOptions::default(), &Silent).unwrap());
        assert_eq!(
            (short.rank, long.rank, short.method, short.certainty),
            (expected, expected, long.method, long.certainty)
        );
        assert_eq!(short.certainty, Certainty::Proven);
    }
    let text = b"3 3 M\n1 1 1\n1 2 2\n2 1 3\n2 2 4\n3 3 5\n0 0 0\n";
    let a = read_bytes(Path::new("t"), text, &ReadOptions::default(), &Silent).unwrap();
    assert_eq!(a.reduce(Modulus::new(7).unwrap()), matrix(7));
    assert_eq!((a.rational_rank().unwrap().rank, a.permanent().unwrap().value), (3, 50.into()));
    let file = std::env::temp_dir().join(format!("blackfield-library-{}.sms", std::process::id()));
    std::fs::write(&file, text).unwrap();
    assert_eq!(Triplets::read(&file).unwrap(), a);
    std::fs::remove_file(&file).unwrap();
    assert!(matches!(Triplets::read(&file), Err(Error::Io { .. })));
}

#[test]
fn options_are_set_by_methods_and_by_fields() {
    let chained = RankOptions::default().method(Method::Wiedemann).seed(3).block(2).max_memory(None).trials(2);
    let mut set = RankOptions::default();
    set.method = Method::Wiedemann;
    (set.seed, set.block, set.trials) = (3, Some(2), 2);
    assert_eq!(format!("{chained:?}"), format!("{set:?}"));
    let answer = rank(&matrix(65521), &chained, &Silent).unwrap();
    assert!(answer.rank <= 3 && answer.wiedemann.is_some());

    let primes = [2, 5, 7].map(|p| Modulus::new(p).unwrap());
    let a = Triplets::from_entries(3, 3, [(0, 0, 1), (0, 1, 2), (1, 0, 3), (1, 1, 4), (2, 2, 5)]);
    let rational = rational_rank(&a, &RationalOptions::default().moduli(primes), &Silent).unwrap();
    assert_eq!(rational.asked.iter().map(|q| q.rank).collect::<Vec<_>>(), [2, 2, 3]);
    let residue = permanent(&a, &permanent::Options::default().modulus(primes[2]), &Silent).unwrap();
    assert_eq!(residue.value, (50 % 7).into());
    let pattern = read_bytes(Path::new("t"), b"1 1 M\n1 1 9\n0 0 0\n", &ReadOptions::default().pattern(true), &Silent);
    assert_eq!(pattern.unwrap(), Triplets::from_entries(1, 1, [(0, 0, 1)]));
}

#[test]
fn errors_have_their_kinds() {
    let usage = |options: RankOptions| matches!(rank(&matrix(7), &options, &Silent), Err(Error::Usage(_)));
    let formats = PlanOptions::default().force(Format::Coo);
    assert!(usage(RankOptions::default().trials(0)) && usage(RankOptions::default().plan(formats.clone())));
    let planned = rank(&matrix(7), &RankOptions::default().method(Method::Wiedemann).plan(formats), &Silent).unwrap();
    assert!(planned.plan.unwrap().parts.iter().all(|part| part.format == Format::Coo));
    assert!(matches!(Modulus::new(8), Err(Error::Modulus(_))));
    let outside = SparseMatrix::from_csr(Modulus::new(7).unwrap(), 3, &[0, 1], &[3], &[1]);
    assert!(matches!(outside, Err(Error::Matrix(_))));
    assert!(matches!(Triplets::try_from_entries(1, 1, [(0, 1, 1)]), Err(Error::Matrix(_))));
    let wrong = read_bytes(Path::new("t"), b"no matrix", &ReadOptions::default(), &Silent);
    assert!(matches!(wrong, Err(Error::Input { line: 1, .. })));

    // A certificate that does not hold is refuted; the computation itself is sound.
    let (a, digest) = (matrix(7), "0".repeat(64));
    let minor = rank(&a, &RankOptions::default().minor(true), &Silent).unwrap().minor.unwrap();
    let mut certificate = blackfield::answers::certificate(&a, &digest, &minor, &Silent).unwrap();
    assert_eq!(certify::verify(&certificate, &a, &digest, &Silent).unwrap().rank, 3);
    certificate.minor_cols.swap(0, 2);
    assert!(matches!(certify::verify(&certificate, &a, &digest, &Silent), Err(Error::Refuted(_))));
}
