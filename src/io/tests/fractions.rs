//! Fractions in files: what they mean, what is refused, and that they come back from every writer.

use super::*;
use crate::field::Modulus;
use crate::sparse::{Fraction, RationalMatrix};
use proptest::prelude::*;

fn read_fractions(text: impl AsRef<[u8]>, options: &ReadOptions) -> Result<RationalMatrix> {
    read_rational_bytes(Path::new("t"), text.as_ref(), options, &Silent)
}

/// Entries, or the error as displayed.
fn shown_fractions(text: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    match read_fractions(text, options) {
        Ok(a) => {
            let entries: Vec<String> = a.entries().map(|(i, j, v)| format!("{} {} {v}", i + 1, j + 1)).collect();
            format!("{}x{}: {}", a.rows(), a.cols(), entries.join(", "))
        }
        Err(e) => e.to_string(),
    }
}

#[test]
fn accepted_fractions() {
    let mm = |rest: &str| format!("{MM} {rest}");
    let (sevens, fives) = ("7".repeat(300), "5".repeat(300));
    for (text, expected) in [
        ("2 3 Q\n1 1 1/2\n2 3 -7\n2 1 6/-4\n0 0 0\n".to_string(), "2x3: 1 1 1/2, 2 1 -3/2, 2 3 -7"),
        ("2 3 M\r\n1\t1  +1/+2 \r\n0 0 0".into(), "2x3: 1 1 1/2"),
        ("1 2 Q\n1 1 1/2\n1 1 1/3\n1 2 1/7\n1 2 -1/7\n0 0 0\n".into(), "1x2: 1 1 5/6"),
        ("1 1 Q\n1 1 0/5\n0 0 0\n".into(), "1x1: "),
        ("1 2 Q\n1 1 1/2\n1 1 18446744073709551616\n0 0 0\n".into(), "1x2: 1 1 36893488147419103233/2"),
        (format!("1 1 Q\n1 1 {sevens}/-{fives}\n0 0 0\n"), "1x1: 1 1 -7/5"),
        (mm("rational general\n2 2 2\n1 2 3/9\n2 1 4\n"), "2x2: 1 2 1/3, 2 1 4"),
        (mm("real general\n1 1 1\n1 1 3/9\n"), "1x1: 1 1 1/3"),
        (mm("integer symmetric\n3 3 3\n3 2 5/3\n2 2 4/5\n3 1 2\n"), "3x3: 1 3 2, 2 2 4/5, 2 3 5/3, 3 1 2, 3 2 5/3"),
        (mm("rational skew-symmetric\n2 2 2\n2 1 5/3\n1 1 0/2\n"), "2x2: 1 2 -5/3, 2 1 5/3"),
        (
            "%%MatrixMarket matrix array rational general\n2 2\n1/2\n2\n0/3\n18446744073709551616\n".into(),
            "2x2: 1 1 1/2, 2 1 2, 2 2 18446744073709551616",
        ),
        (
            "%%MatrixMarket matrix array rational symmetric\n3 3\n1\n2/3\n3\n4/3\n5\n6/5\n".into(),
            "3x3: 1 1 1, 1 2 2/3, 1 3 3, 2 1 2/3, 2 2 4/3, 2 3 5, 3 1 3, 3 2 5, 3 3 6/5",
        ),
    ] {
        assert_eq!(shown_fractions(&text, &EXACT), expected, "{text}");
        assert_eq!(shown_fractions(gzip(text.as_bytes()), &EXACT), expected, "{text}");
        assert_eq!(shown_fractions(text.trim_end(), &EXACT), expected, "{text}");
    }
    let a = read_fractions("1 1 Q\n1 1 15/-10\n0 0 0", &EXACT).unwrap();
    assert_eq!(a.entries().next().unwrap().2, Fraction::new((-3).into(), 2.into()).unwrap());
    // Integers in disguise need no reader of fractions; a pattern takes anything but a denominator 0.
    assert_eq!(shown("1 2 Q\n1 1 4/2\n1 2 0/3\n0 0 0\n", &EXACT), "1x2: 1 1 2");
    assert_eq!(shown("1 3 Q\n1 1 4/3\n1 2 0/3\n1 3 -2/4\n1 3 1/2\n0 0 0\n", &PATTERN), "1x3: 1 1 1, 1 3 1");
}

#[test]
fn refused_fractions() {
    for (text, expected) in [
        ("1 1 Q\n1 1 1/0\n0 0 0\n", "t:2: expected a denominator other than 0, found \"1/0\""),
        ("1 1 Q\n1 1 1/\n0 0 0\n", "t:2: expected a fraction a/b of two integers, found \"1/\""),
        ("1 1 Q\n\n1 1 1.5/2\n0 0 0\n", "t:3: expected a fraction a/b of two integers, found \"1.5/2\""),
        ("1 1 Q\n1 1 1 / 2\n0 0 0\n", "t:2: expected row, column and value, found \"1 1 1 / 2\""),
        ("1 1 Q\n1 1/1 1\n0 0 0\n", "t:2: expected a column index, found \"1/1\""),
        ("1 1 Q\n1 2 1/2\n0 0 0\n", "t:2: column index 2 is outside 1..=1"),
        (
            "%%MatrixMarket matrix coordinate rational skew-symmetric\n1 1 1\n1 1 1/2\n",
            "t:3: expected zeros on the diagonal of a skew-symmetric matrix, found entry (1, 1)",
        ),
    ] {
        assert_eq!(shown_fractions(text, &EXACT), expected);
    }
    let integers = "fractions have no meaning here (--pattern takes the 0-1 pattern of any matrix)";
    let text = "1 1 Q\n1 1 1/2\n0 0 0\n";
    assert_eq!(shown(text, &EXACT), format!("t:2: expected an integer, found \"1/2\": {integers}"));
    let limited = ReadOptions { max_memory: Some(40), ..EXACT };
    assert!(matches!(read_fractions(text, &limited), Err(Error::Memory(_))));
}

/// The line of the first fraction of a row is known, in every chunk of a large file, whatever the number of threads.
#[test]
fn a_prime_without_residues_is_traced_to_its_line() {
    let mut text = "100000 2 Q\n% a comment\n".to_string();
    for i in 1..=100_000 {
        text += &if i == 90_000 { format!("{i} 1 2\n{i} 2 1/14\n{i} 1 1/3\n") } else { format!("{i} 1 5\n") };
    }
    text += "0 0 0\n";
    for text in [text.clone().into_bytes(), gzip(text.as_bytes())] {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let a = pool.install(|| read_fractions(&text, &EXACT)).unwrap();
            let found =
                |p| a.without_residues(Modulus::new(p).unwrap()).map(|(row, d, line)| (row, d.to_string(), line));
            for p in [2, 3, 7] {
                assert_eq!(found(p), Some((89_999, "42".into(), 90_003)));
            }
            assert_eq!(found(5), None);
        }
    }
}

proptest! {
    #[test]
    fn fractions_come_back_from_every_writer(
        (rows, cols, entries) in (1usize..5, 1usize..5).prop_flat_map(|(rows, cols)| {
            let part = || prop_oneof![-9i64..10, any::<i64>()];
            (Just(rows), Just(cols), proptest::collection::vec((0..rows, 0..cols, part(), part()), 0..12))
        }),
    ) {
        let fraction = |n: i64, d: i64| Fraction::new(n.into(), d.into()).unwrap_or_else(|| Fraction::from(crate::sparse::Integer::from(n)));
        let expected = RationalMatrix::from_entries(rows, cols, entries.iter().map(|&(i, j, n, d)| (i, j, fraction(n, d)))).unwrap();
        let mut text = format!("{rows} {cols} Q\n");
        for (i, j, n, d) in &entries {
            text += &if *d == 0 { format!("{} {} {n}\n", i + 1, j + 1) } else { format!("{} {} {n}/{d}\n", i + 1, j + 1) };
        }
        let a = read_fractions(text + "0 0 0\n", &EXACT).unwrap();
        prop_assert_eq!(&a, &expected);
        for format in [FileFormat::Sms, FileFormat::MatrixMarket] {
            for packed in [Compression::None, PACKED] {
                let mut out = vec![];
                write_rational_to(&mut out, &a, format, packed, &Silent).unwrap();
                let back = read_fractions(&out, &EXACT).unwrap();
                prop_assert_eq!(&back, &a);
                prop_assert_eq!(back.digest(), a.digest());
                if a.is_integral() {
                    let mut integers = vec![];
                    write_to(&mut integers, a.numerators(), format, packed, &Silent).unwrap();
                    prop_assert_eq!(integers, out);
                }
            }
        }
    }
}
